"""What reports need of a run's events: metrics, its end, and ground-truth plans.

Systems bring metrics in this form. The state at the end of a run is the initial one with the changes of the executed
actions, as they were observed.

A *way* is a ground-truth plan in blocks, one for each macro-action. Some blocks may be exchanged, so its order is
partial.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import msgspec

from pddl2nl.conversion import WrongValueError, convert
from pddl2nl.errors import InputError
from pddl2nl.pddl import (
    And,
    Condition,
    Equality,
    Exists,
    Forall,
    GroundAtom,
    Not,
    Or,
    Task,
    parse_domain,
    parse_problem,
)
from pddl2nl.policies.events import Acted, RecordError, without_taken_back
from pddl2nl.policies.policy import is_of
from pddlval import Simulator, State
from pddlval.formulas import negation_normal
from pddlval.semantics import Binding, World, choices, holds
from pddlval.simulator import simulator_of

if TYPE_CHECKING:
    from pddl2nl.policies.events import Finished, RunEvent, Started


class ScoredRun(Protocol):
    """A finished run, as metrics see it."""

    @property
    def started(self) -> Started: ...
    @property
    def finished(self) -> Finished: ...
    @property
    def events(self) -> tuple[RunEvent, ...]: ...
    @property
    def counted(self) -> tuple[RunEvent, ...]:
        """The events without those of plans that do not count."""

    @property
    def solved(self) -> bool: ...
    @property
    def reference(self) -> Reference | None:
        """The ground-truth plans of the task, if they are known."""


# ── metrics ──────────────────────────────────────────────────────────────────────────────────────

Comparable = Literal["always", "both-solved", "never"]
"""When a metric's values of two runs of one task and seed may be compared: if both are scored, only if both reached
the goal, or never, because the value depends on circumstances more than on the configuration."""


@dataclass(frozen=True)
class RunMetric:
    """One quantity of a run.

    Attributes:
        name: the name in `pddl2nl.reports.all_metrics`; ``summary`` is a line for people.
        together: how the means of several tasks become one number.
        of: the value of a run, or None if it has none. The metrics of systems take a `ScoredRun`, those of reports
            also the record of a planner. Runs with an infrastructure error are never measured.
        unit: of the value; empty for a ratio, ``%`` for percentages.
        comparable: when the values of two configurations may be compared.
        guessed: whether the value contains an estimate.
        short: a short name, if the value compares a plan with a ground truth.
    """

    name: str
    summary: str
    better: Literal["higher", "lower"]
    together: Literal["sum", "mean"]
    of: Callable[[Any], float | None]
    unit: str = ""
    comparable: Comparable = "both-solved"
    guessed: Callable[[Any], bool] = lambda run: False
    short: str = ""


# ── what the metrics of systems share ────────────────────────────────────────────────────────────

E = TypeVar("E", bound="RunEvent")
Value = Callable[[ScoredRun], float | None]


def events_of(run: ScoredRun, kind: type[E]) -> list[E]:
    """The events of a kind in a run."""
    return [event for event in run.events if isinstance(event, kind)]


def of_last(kind: type[E], value: Callable[[E], float | None]) -> Value:
    """A value of the last event of a kind; None for runs without one."""

    def of(run: ScoredRun) -> float | None:
        events = events_of(run, kind)
        return value(events[-1]) if events else None

    return of


def share(part: int, whole: int) -> float:
    """A part of a whole in %; 0 of nothing."""
    return 100 * part / whole if whole else 0.0


def mean_metric(
    name: str,
    of: Value,
    summary: str,
    better: Literal["higher", "lower"] = "higher",
    unit: str = "%",
    *,
    package: str = "",
    guessed: Callable[[ScoredRun], bool] = lambda run: False,
) -> RunMetric:
    """A metric whose mean over tasks counts, compared where both runs have a value.

    With `package`, only runs of the policies of the system in this package have it.
    """
    own = of if not package else lambda run: of(run) if is_of(run.started.policy, package) else None
    return RunMetric(name, summary, better, "mean", own, unit, "always", guessed)


# ── the end of a run ─────────────────────────────────────────────────────────────────────────────────

_CHANGED = re.compile(r"\(= \((?P<fluent>[^()]*)\) (?P<value>[^()\s]+)\)")


def goal_reached(run: ScoredRun) -> float | None:
    """SR: 100 if the goal holds at the end, else 0. It is 100 exactly if `conditions_met` is."""
    end = end_of(run)
    return None if end is None else 100.0 * end[0].is_goal(end[1])


def conditions_met(run: ScoredRun) -> float | None:
    """GCR, also called GC: ``100 · satisfied goal conditions / goal conditions`` at the end.

    Example: coffeepot and cupcake shall be on the table, and only the cupcake is: 50.
    """
    end = end_of(run)
    if end is None:
        return None
    met, conditions = satisfied(end[0].task.problem.goal, end[1])
    return 100 * met / conditions if conditions else 100.0


def satisfied(goal: Condition, state: World) -> tuple[int, int]:
    """How many of a goal's conditions hold, and how many there are.

    The conditions are the literals of its conjunctions and of all instances of ``forall``; of an ``or`` or ``exists``
    those of the alternative with the greatest share that holds, the first of several. That objects are equal or differ
    is no condition, because no action can make it so: alternatives in which it is otherwise do not count.
    """
    return _satisfied(negation_normal(goal), state, {}) or (0, 1)


def _satisfied(goal: Condition, state: World, binding: Binding) -> tuple[int, int] | None:
    """The numbers; None if the goal asks of objects that they are equal or differ, and they do not."""
    match goal:
        case And(parts):
            counts = [_satisfied(part, state, binding) for part in parts]
        case Forall(parameters, body):
            counts = [_satisfied(body, state, chosen) for chosen in choices(parameters, state, binding)]
        case Or(parts):
            return _best(_satisfied(part, state, binding) for part in parts)
        case Exists(parameters, body):
            return _best(_satisfied(body, state, chosen) for chosen in choices(parameters, state, binding))
        case Equality() | Not(Equality()):
            return (0, 0) if holds(goal, state, binding) else None
        case _:
            return int(holds(goal, state, binding)), 1
    found = [count for count in counts if count is not None]
    return (sum(met for met, _ in found), sum(each for _, each in found)) if len(found) == len(counts) else None


def _best(counts: Iterable[tuple[int, int] | None]) -> tuple[int, int]:
    """The alternative with the greatest share; none of one if there are no alternatives."""
    possible = (count for count in counts if count is not None)
    return max(possible, key=lambda count: Fraction(*count) if count[1] else Fraction(1), default=(0, 1))


def end_of(run: ScoredRun) -> tuple[Simulator, State] | None:
    """The task, and the state at the end of a run; None if the changes in a foreign record do not fit its task."""
    try:
        simulator = simulator_of(read_task(run.started.domain_pddl, run.started.problem_pddl))
        atoms, values = set(simulator.initial.atoms), dict(simulator.initial.values)
        for event in without_taken_back(run.counted):
            if isinstance(event, Acted):
                atoms.difference_update(map(_atom, event.deleted))
                atoms.update(map(_atom, event.added))
                changed = filter(None, map(_CHANGED.fullmatch, event.changed))
                values.update((_atom(each["fluent"]), Fraction(each["value"])) for each in changed)
        return simulator, simulator.state(atoms, values)
    except InputError:
        return None


@lru_cache(maxsize=256)
def read_task(domain_pddl: str, problem_pddl: str) -> Task:
    """The task in these texts; the last ones are kept, because runs of one task are read one after another.

    Raises:
        InputError: the texts cannot be read.
    """
    domain = _read_domain(domain_pddl)
    return Task(domain, parse_problem(problem_pddl, domain))


_read_domain = lru_cache(maxsize=32)(parse_domain)


def _atom(text: str) -> GroundAtom:
    return GroundAtom(text.strip("()").split())


# ── ground-truth plans ───────────────────────────────────────────────────────────────────────────────

MOST_SETS = 1 << 14
"""The most sets of finished blocks of a way (fourteen independent blocks); metrics iterate over them."""


@dataclass(frozen=True)
class Way:
    """One ground-truth plan.

    Attributes:
        name: its name.
        blocks: the actions of each block, none empty.
        before: for each block, the blocks that must come before it as bits of a number, transitively closed.
    """

    name: str
    blocks: tuple[tuple[str, ...], ...]
    before: tuple[int, ...]

    @staticmethod
    def of(name: str, blocks: Sequence[Sequence[str]], order: Sequence[tuple[int, int]]) -> Way:
        """The way with these blocks; ``order`` has pairs of block indices, the first before the second.

        Raises:
            ValueError: the order has an unknown block or a cycle, or allows more than `MOST_SETS` sets of finished
                blocks.
        """
        for pair in order:
            if not all(0 <= place < len(blocks) for place in pair):
                raise ValueError(f"the order {list(pair)} names an unknown block; blocks are 0 to {len(blocks) - 1}")
        closed = [{first for first, then in order if then == place} for place in range(len(blocks))]
        for middle in range(len(closed)):
            for earlier in closed:
                if middle in earlier:
                    earlier |= closed[middle]
        if any(place in earlier for place, earlier in enumerate(closed)):
            raise ValueError("its order goes in a circle: a block would come before itself")
        kept = [place for place, block in enumerate(blocks) if block]
        before = tuple(sum(1 << kept.index(other) for other in closed[place] & {*kept}) for place in kept)
        way = Way(name, tuple(tuple(map(plain_action, blocks[place])) for place in kept), before)
        if way._has_too_many_sets():
            raise ValueError(f"its order is too open: over {MOST_SETS:,} sets of blocks may be finished first")
        return way

    @cached_property
    def length(self) -> int:
        """Its number of actions."""
        return sum(map(len, self.blocks))

    def ready(self, done: int) -> Iterator[int]:
        """The blocks that may come next, given the finished blocks as bits."""
        for place, before in enumerate(self.before):
            if not done >> place & 1 and before & ~done == 0:
                yield place

    def _has_too_many_sets(self) -> bool:
        layer, found = {0}, 1
        while layer and found <= MOST_SETS:
            later: set[int] = set()
            for done in layer:
                later.update(done | 1 << place for place in self.ready(done))
                if len(later) > MOST_SETS:
                    break
            layer, found = later, found + len(later)
        return found > MOST_SETS


@dataclass(frozen=True)
class Reference:
    """A task whose ground-truth plans are known.

    Attributes:
        ways: at least one.
        task: its identifier, ``T3``.
        title: its name, "Fry egg in a pan".
        complexity: ``moderate`` or ``high``.
        averaged: whether averages include it; the paper's T5bis, a variant of T5, is excluded.
        length_counted: whether plan lengths are compared; not for the paper's T12, whose goal is open.
        form: the form of the task's text, ``goal`` or ``constructive``.
        text: the task's text.
        category: what kind of task it is; empty if its set has no kinds.
        asked, answers, searched: of a search, as in `pddl2nl.tasks.reference_files.TaskReference`.
        blocks: how many the first way has.
    """

    ways: tuple[Way, ...]
    task: str = ""
    title: str = ""
    complexity: str = ""
    averaged: bool = True
    length_counted: bool = True
    form: str = ""
    text: str = ""
    category: str = ""
    asked: tuple[tuple[str, ...], ...] = ()
    answers: tuple[tuple[str, ...], ...] = ()
    searched: tuple[str, ...] = ()
    blocks: int = 0


class _RecordedBlock(msgspec.Struct):
    actions: tuple[str, ...] = ()


class _RecordedWay(msgspec.Struct):
    name: str = ""
    blocks: tuple[_RecordedBlock, ...] = ()
    order: tuple[tuple[int, int], ...] = ()


def reference_of(said: Mapping[str, Any]) -> Reference | None:
    """The reference in a record's first event (`pddl2nl.policies.events.Started`), or None.

    Raises:
        RecordError: it does not have the declared form, or no plan can have its order.
    """
    if not said:
        return None
    ways = []
    try:
        rest = convert({**said, "ways": (), "blocks": 0}, Reference)
        for number, way in enumerate(convert(said.get("ways", ()), tuple[_RecordedWay, ...], "ways"), start=1):
            place = f"way {number}: "
            ways.append(Way.of(way.name, [block.actions for block in way.blocks], way.order))
        place = ""
        ways = [way for way in ways if way.length]
        if not ways:
            raise ValueError("'ways' holds no action")
    except WrongValueError as error:
        raise RecordError(f"its reference is wrong: {error}") from None
    except ValueError as error:
        raise RecordError(f"its reference is wrong: {place}{error}") from None
    return replace(rest, ways=tuple(ways), blocks=len(ways[0].blocks))


def plain_action(action: str) -> str:
    """An action in the form in which actions are compared: lower case, single spaces, ``(pick-up egg-1)``."""
    words = action.lower().replace("(", " ( ").replace(")", " ) ").split()
    return " ".join(words).replace("( ", "(").replace(" )", ")")

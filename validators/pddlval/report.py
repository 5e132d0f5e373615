"""What is said about a plan: the verdict with its reasons, and the causes of conditions that do not hold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from types import MappingProxyType
from typing import Literal, NamedTuple

from pddl2nl.lean import dataclass
from pddl2nl.pddl import Atom, Condition, Diagnostic, GroundAtom, Not, write_condition
from pddlval.happenings import Conflict
from pddlval.numeric import UndefinedError, plain_number
from pddlval.plans import GroundAction
from pddlval.schemas import Outcome
from pddlval.semantics import ground_atom
from pddlval.state import State


class Executed(NamedTuple):
    """A happening that was executed.

    ``numbers`` say whose effects ``outcomes`` are: those of steps of the plan, from 1, or of other counted things.
    ``state`` is the state after it, ``before`` the one before; ``warnings`` are VAL's.
    """

    numbers: tuple[int, ...]
    outcomes: tuple[Outcome, ...]
    before: State
    state: State
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a condition fails.

    ``deleted_by_step`` is the step that last made it false (for a negative literal: that added its atom), None
    where no step did; ``never_held`` says that it was true in no state so far; ``lost_after_step``, for goals, is
    the first step after which it no longer held although it had. Of steps that happen together the last one stands
    for all, unless it is known which of them it was. In plans with time, ``time`` is when it last became false, at the
    ``phase`` of the step: ``action``, ``start`` or ``end``, or ``literal`` where a timed initial literal did it.
    """

    literal: Condition
    deleted_by_step: int | None
    never_held: bool
    lost_after_step: int | None = None
    time: Fraction | None = None
    phase: str | None = None

    def as_json(self) -> dict[str, object]:
        """The cause as INTERFACE prints it."""
        timed = {} if self.time is None else {"time": plain_number(self.time), "phase": self.phase}
        return {
            "literal": write_condition(self.literal),
            "deleted_by_step": self.deleted_by_step,
            "never_held": self.never_held,
            "lost_after_step": self.lost_after_step,
            **timed,
        }


def causes(
    conditions: Iterable[Condition], initial: State, executed: Sequence[Executed], *, goals: bool
) -> tuple[Cause, ...]:
    """The cause of each unmet condition, in the same order.

    Args:
        conditions: ground conditions that do not hold in the end.
        initial: the state that the plan began in.
        executed: what happened, in order.
        goals: whether the conditions are goals; for goals the first loss is reported too.
    """
    conditions = tuple(conditions)
    literals = {condition: _literal(condition, initial) for condition in conditions}
    turns = _turns({literal[0] for literal in literals.values() if literal is not None}, executed)
    others: dict[Condition, list[tuple[int, bool]]] = {one: [] for one in conditions if literals[one] is None}
    for one in executed if others else ():
        for condition, values in others.items():
            values.append((one.numbers[-1], held(condition, one.state)))
        # What is derived for that takes far more memory than the state.
        one.state.forget()
    explanation = []
    for condition in conditions:
        literal = literals[condition]
        if literal is None:
            values = others[condition]
        else:
            values = [(number, value is literal[1]) for number, value in turns.get(literal[0], ())]
        explanation.append(_cause(condition, held(condition, initial), values, goals))
    return tuple(explanation)


def _literal(condition: Condition, initial: State) -> tuple[GroundAtom, bool] | None:
    """The atom of a literal and the value it should have; None where it is no literal, or follows from others."""
    wanted, atom = True, condition
    while isinstance(atom, Not):
        wanted, atom = not wanted, atom.body
    if not isinstance(atom, Atom) or atom.predicate in initial.layout.derived:
        return None
    return ground_atom(atom), wanted


def _turns(atoms: Collection[GroundAtom], executed: Sequence[Executed]) -> dict[GroundAtom, list[tuple[int, bool]]]:
    """The steps that added or deleted each of these atoms: one pass, however many atoms there are."""
    turns: dict[GroundAtom, list[tuple[int, bool]]] = {}
    for one in executed:
        steps = list(zip(one.numbers, one.outcomes, strict=True))
        # Adds come last: of what is deleted and added at one time the add wins.
        values = {atom: (number, False) for number, outcome in steps for atom in outcome.deletes if atom in atoms}
        values |= {atom: (number, True) for number, outcome in steps for atom in outcome.adds if atom in atoms}
        for atom, turn in values.items():
            turns.setdefault(atom, []).append(turn)
    return turns


def held(condition: Condition, state: State, binding: Mapping[str, str] = MappingProxyType({})) -> bool:
    """Whether a condition holds; one that reads a fluent without a value does not."""
    try:
        return state.layout.holds(condition, state, binding)
    except UndefinedError:
        return False


def _cause(condition: Condition, held: bool, values: Iterable[tuple[int, bool]], goal: bool) -> Cause:
    never_held = not held
    losses: list[int] = []
    for number, holds_now in values:
        if held and not holds_now:
            losses.append(number)
        never_held = never_held and not holds_now
        held = holds_now
    return Cause(condition, losses[-1] if losses else None, never_held, losses[0] if losses and goal else None)


VAL_TOLERANCE = Fraction(1, 10_000)
"""By how much numbers may differ in VAL's comparisons."""


class Tolerances(NamedTuple):
    """By how much numbers in comparisons and durations may miss; 0 is exact. See `validate`."""

    numbers: Fraction = Fraction(0)
    times: Fraction = Fraction(0)


EXACT = Tolerances()

Verdict = Literal["valid", "goal-not-satisfied", "inapplicable", "bad-plan"]


@dataclass(frozen=True, slots=True)
class Report:
    """The verdict on a plan, with its reasons.

    ``steps`` counts the plan's actions. ``cost`` is the metric's value, or the number of steps where the problem has
    no metric; it is None for a plan that was not executed to its end. ``failed_step`` is the place in the plan, from
    1, of the ``action`` that could not be executed, and ``unmet`` the smallest parts of its precondition that failed
    (`semantics.unmet`). ``explanation`` has a cause for each of ``unmet`` or of ``unmet_goals``; ``diagnostics`` say
    what is wrong with a bad plan, or which actions cannot happen at the same time. ``state`` is the state in which the
    failed step was tried, or else the last one; ``conflict`` what is behind the diagnostic of actions that cannot
    happen at the same time, and ``together`` the numbers of these steps.

    Of plans with time, ``time`` is when it failed and ``phase`` what failed then: an ``action``, the ``start`` or the
    ``end`` of one, or what must hold ``over all`` of it. ``duration`` is that of the
    failed step, None where the plan gives none. ``violations`` counts the violations of each preference.
    ``valid_tolerances`` are found when they are asked for, by ``find_tolerances``.
    """

    verdict: Verdict
    steps: int = 0
    cost: Fraction | int | None = None
    failed_step: int | None = None
    action: GroundAction | None = None
    unmet: tuple[Condition, ...] = ()
    unmet_goals: tuple[Condition, ...] = ()
    explanation: tuple[Cause, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    state: State | None = field(default=None, compare=False, repr=False)
    conflict: Conflict | None = None
    together: tuple[int, ...] = ()
    time: Fraction | None = None
    phase: str | None = None
    violations: Mapping[str, int] | None = None
    find_tolerances: Callable[[], tuple[Fraction, Fraction | None] | None] | None = field(
        default=None, compare=False, repr=False
    )
    duration: Fraction | None = None

    @property
    def valid(self) -> bool:
        """Whether the plan solves the task."""
        return self.verdict == "valid"

    @property
    def valid_tolerances(self) -> tuple[Fraction, Fraction | None] | None:
        """Of an invalid plan with time: the tolerance of times from which on, and the one below which, it is valid."""
        return None if self.find_tolerances is None else self.find_tolerances()

    def __repr__(self) -> str:
        failed = "" if self.failed_step is None else f", failed step {self.failed_step}: {self.action}"
        return f"<Report on {self.steps} steps: {self.verdict}{failed}>"

    def _repr_html_(self) -> str:
        from pddl2nl.notebook import html_table

        failed = "" if self.failed_step is None else f"{self.failed_step}: {self.action}"
        return html_table(
            f"Plan of {self.steps} steps: {self.verdict}",
            (
                ("failed step", failed),
                ("unmet", map(write_condition, self.unmet)),
                ("unmet goals", map(write_condition, self.unmet_goals)),
                ("wrong", [diagnostic.message for diagnostic in self.diagnostics]),
            ),
        )

    def as_json(self, plan_name: str, told: Iterable[str] = (), *, tolerances: bool = True) -> dict[str, object]:
        """The report as ``pddl2nl validate --json`` prints it.

        Args:
            plan_name: what the plan is called in it.
            told: the report in sentences, if it has been put into words.
            tolerances: whether an invalid plan with time says which tolerance would do, which takes long to find.
        """
        return {
            "plan": plan_name,
            "verdict": self.verdict,
            "steps": self.steps,
            "cost": plain_number(self.cost),
            "failed_step": self.failed_step,
            "action": None if self.action is None else str(self.action),
            "unmet": [write_condition(condition) for condition in self.unmet],
            "unmet_goals": [write_condition(condition) for condition in self.unmet_goals],
            "explanation": [cause.as_json() for cause in self.explanation],
            "told": list(told),
            "diagnostics": [diagnostic.as_json() for diagnostic in self.diagnostics],
            **self._timed_json(tolerances),
        }

    def _timed_json(self, tolerances: bool) -> dict[str, object]:
        if self.violations is None:
            return {}
        found: dict[str, object] = {}
        if tolerances:
            low, high = self.valid_tolerances or (None, None)
            found = {"valid_from_tolerance": plain_number(low), "valid_below_tolerance": plain_number(high)}
        return {
            "failed_time": plain_number(self.time),
            "phase": self.phase,
            "violations": dict(sorted(self.violations.items())),
            **found,
        }

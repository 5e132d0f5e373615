"""Execution of a plan, with recovery from unexpected changes (HVR paper, section 2.4).

"At runtime, the expected state is aligned with the scene graph": after every action the expected and the observed state
are compared; both are states of the same task here. A difference is recorded with the action and the first condition
that fails because of it. A policy with verification then tries to recover without the model:

* The rest of the plan is simulated from the observed state. If it still reaches the goal, the plan continues.
* If the last action is still applicable and the rest reaches the goal after it, the action is repeated, as after a
  silent failure.
* Otherwise a greedy best-first search looks for at most `LONGEST_REPAIR` actions after which the rest reaches the goal;
  it prefers states that differ in few atoms from the expected state.

If it cannot recover, or if the next action is not applicable, it gives up the rest of the plan for a new one, as long
as replanning is allowed. Without verification differences are only recorded, so that execution can be measured, and the
plan is executed up to the first inapplicable action.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from pddl2nl.macros.telling import told_condition
from pddl2nl.nl.wording.english import within_sentence
from pddl2nl.pddl import (
    Atom,
    Comparison,
    Condition,
    Fluent,
    GroundAtom,
    Not,
    Task,
    Update,
    write_condition,
    write_number,
)
from pddl2nl.pddl.tree import number_text, walk
from pddl2nl.search.best_first import BestFirstSearch, Rank
from pddl2nl.systems.hvr.blocks import Part, whole
from pddl2nl.systems.hvr.events import Discrepancy, Recovered
from pddl2nl.systems.hvr.planning import Planner
from pddlval import BadActionError, GroundAction, Simulator, State

_MOST_REPEATS = 10
"""How often an action is repeated in a row before the policy gives it up."""

_MOST_REPAIRS = 10
"""The most repairs of one plan, so that a world which undoes each of them does not keep the policy busy."""

LONGEST_REPAIR = 8
"""The most actions of a repair."""

_MOST_EXPANDED = 300
"""The most states that the search for a repair expands."""


# ── the plan ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class ExecutionEnd:
    """The end of a plan's execution: the feedback if it was given up for a new plan, else the last action's result."""

    feedback: str = ""
    status: str = "executed"
    observation: str = ""


class Execution:
    """Executes plans for one episode; `done` is what was executed of all plans, in parts."""

    def __init__(self, planner: Planner):
        self.done: list[Part] = []
        self._planner = planner
        self._episode = planner.episode
        self._simulator = planner.simulator
        self._teller = planner.teller
        self._verification = planner.policy.verification
        self._ignored = accounts(planner.simulator.task)
        self._step = 0
        self._repeats = self._repairs = 0

    def carry_out(self, parts: Sequence[Part]) -> ExecutionEnd:
        self._repeats = self._repairs = 0
        self._episode.begin_plan(whole(parts))
        for place, part in enumerate(parts):
            executed: list[GroundAction] = []
            ended = self._part(part, whole(parts[place + 1 :]), executed)
            if executed or ended is None:
                self.done.append(replace(part, actions=tuple(executed)))
            if ended is not None:
                return ended
        unmet = self._simulator.unmet_goals(self._episode.state)
        if not unmet or self._planner.replans_left <= 0:
            return ExecutionEnd()
        lines = [f"- {told_condition(condition, self._teller)}" for condition in unmet]
        return ExecutionEnd("\n".join(["The plan was carried out, but the task is not done. What is missing:", *lines]))

    def _part(self, part: Part, later: Sequence[GroundAction], executed: list[GroundAction]) -> ExecutionEnd | None:
        """Executes one part; None if all of it was executed."""
        actions = list(part.actions)
        while actions:
            if (feedback := self._cannot(actions[0])) and self._planner.replans_left > 0:
                return ExecutionEnd(feedback)
            action = actions.pop(0)
            self._step += 1
            before = self._episode.state
            turn = self._episode.move(action, said=self._teller.action(action), ends=False)
            self._planner.graph.update(self._episode.state)
            if turn.status == "world-error" and self._verification and self._planner.replans_left > 0:
                return ExecutionEnd(turn.observation)
            if turn.status != "executed":
                return ExecutionEnd("", turn.status, turn.observation)
            executed.append(action)
            inserted, feedback = self._surprise(action, before, (*actions, *later))
            if feedback and self._planner.replans_left > 0:
                return ExecutionEnd(feedback)
            if inserted:
                actions[:0] = inserted
                self._episode.begin_plan((*actions, *later))
        return None

    def _cannot(self, action: GroundAction) -> str:
        """Why the next action is not applicable in the observed state, recorded; empty if it is or is not checked."""
        if not self._verification:
            return ""
        told = f"The next step, {within_sentence(self._teller.action(action))}, cannot be done"
        try:
            result = self._simulator.step(self._episode.state, action)
        except BadActionError as error:
            condition, feedback = "", f"{told}: {error.reason}."
        else:
            if result.applicable:
                return ""
            violated = [f"- {told_condition(condition, self._teller)}" for condition in result.unmet]
            condition = write_condition(result.unmet[0]) if result.unmet else ""
            feedback = "\n".join([f"{told} now. Violated:", *violated])
        self._episode.note(Discrepancy(self._step, str(action), (), (), condition, feedback))
        return feedback

    def _surprise(
        self, action: GroundAction, before: State, rest: Sequence[GroundAction]
    ) -> tuple[tuple[GroundAction, ...], str]:
        """Compares the observed state with the expected one and records a difference.

        Returns the actions to insert before the rest of the plan, and the feedback if a new plan is needed.
        """
        found = difference(self._episode.expected, self._episode.state, self._ignored)
        if found == StateDifference():
            self._repeats = 0
            return (), ""
        condition = self._first_failing(found, before, rest)
        way = self._recovery(action, rest)
        feedback = self._feedback(action, found, condition) if self._verification and way is None else ""
        failing = "" if condition is None else write_condition(condition)
        self._episode.note(
            Discrepancy(self._step, str(action), found.missing_texts, found.surplus_texts, failing, feedback)
        )
        if way is None:
            return (), feedback
        self._episode.note(Recovered(self._step, way.kind, tuple(map(str, way.actions))))
        return way.actions, ""

    def _recovery(self, action: GroundAction, rest: Sequence[GroundAction]) -> Recovery | None:
        """How the plan goes on without the model; None without verification or if it cannot."""
        if not self._verification or self._repeats >= _MOST_REPEATS or self._repairs >= _MOST_REPAIRS:
            return None
        way = recovery(self._simulator, self._episode.state, self._episode.expected, action, rest)
        self._repeats = self._repeats + 1 if way is not None and way.kind == "repeated" else 0
        self._repairs += way is not None and way.kind == "repaired"
        return way

    def _feedback(self, action: GroundAction, found: StateDifference, condition: Condition | None) -> str:
        said = within_sentence(self._teller.action(action))
        lines = [
            f"After step {self._step}, {said}, the world is other than expected:",
            *(f"- missing: {self._fact(atom)}" for atom in found.missing),
            *(f"- unexpected: {self._fact(atom)}" for atom in found.surplus),
            *(
                f"- {self._teller.fact(fluent)} is {number_text(value)}"
                for fluent, _, value in found.values
                if value is not None
            ),
        ]
        if condition is not None:
            lines.append(f"Violated: {told_condition(condition, self._teller)}")
        return "\n".join(lines)

    def _first_failing(self, found: StateDifference, before: State, rest: Sequence[GroundAction]) -> Condition | None:
        """The first condition that fails because of a difference: of the effect, the rest of the plan, or the goal."""
        for atom in found.missing:
            if atom not in before:
                return Atom(atom[0], atom[1:])
        for atom in found.surplus:
            if atom in before:
                return Not(Atom(atom[0], atom[1:]))
        followed = self._simulator.follow(self._episode.state, rest)
        failing = self._simulator.unmet_goals(followed.state) if followed.complete else followed.unmet
        return next(iter(failing), None)

    def _fact(self, atom: GroundAtom) -> str:
        return told_condition(Atom(atom[0], atom[1:]), self._teller)


# ── expected and observed ────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class StateDifference:
    """What an observed state lacks of the expected one, and what it has in addition; sorted.

    ``values`` are the fluents with an unexpected value, each with the expected and the observed one (None: undefined).
    """

    missing: tuple[GroundAtom, ...] = ()
    surplus: tuple[GroundAtom, ...] = ()
    values: tuple[tuple[GroundAtom, Fraction | None, Fraction | None], ...] = ()

    @property
    def missing_texts(self) -> tuple[str, ...]:
        """All that is missing, in PDDL: atoms, then values."""
        return _texts(self.missing, ((fluent, value) for fluent, value, _ in self.values))

    @property
    def surplus_texts(self) -> tuple[str, ...]:
        """All that is surplus, in PDDL: atoms, then values."""
        return _texts(self.surplus, ((fluent, value) for fluent, _, value in self.values))


def _texts(atoms: Iterable[GroundAtom], values: Iterable[tuple[GroundAtom, Fraction | None]]) -> tuple[str, ...]:
    told = (f"(= {fluent} {write_number(value)})" for fluent, value in values if value is not None)
    return (*map(str, atoms), *told)


def difference(expected: State, observed: State, ignored: Collection[str] = ()) -> StateDifference:
    """The difference between two states of a task; the functions ``ignored`` are not compared (`accounts`)."""
    if expected == observed:
        return StateDifference()
    one, other = frozenset(expected.changing()), frozenset(observed.changing())
    fluents = sorted(fluent for fluent in {*expected.values, *observed.values} if fluent[0] not in ignored)
    values = ((fluent, expected.value(fluent), observed.value(fluent)) for fluent in fluents)
    changed = tuple((fluent, ours, theirs) for fluent, ours, theirs in values if ours != theirs)
    return StateDifference(tuple(sorted(one - other)), tuple(sorted(other - one)), changed)


def accounts(task: Task) -> frozenset[str]:
    """The functions that only accumulate, such as ``total-cost``: no condition and no other function depends on them.

    They are not observable: an action that fails silently costs less than expected.
    """
    domain = task.domain
    formulas = [task.problem.goal, *(derived.condition for derived in domain.derived)]
    formulas += (part for action in domain.actions for part in (action.precondition, action.effect))
    read: set[str] = set()
    for node in (node for formula in formulas for node in walk(formula)):
        if isinstance(node, Comparison):
            read |= {part.name for part in walk(node) if isinstance(part, Fluent)}
        elif isinstance(node, Update):
            # A function that is only added to itself still accumulates.
            read |= {part.name for part in walk(node.value) if isinstance(part, Fluent)} - {node.fluent.name}
    return frozenset(function.name for function in domain.functions if function.name not in read)


# ── recovery ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Recovery:
    """How a plan goes on: ``actions`` are executed before its rest."""

    kind: Literal["continued", "repeated", "repaired"]
    actions: tuple[GroundAction, ...] = ()


def reaches(simulator: Simulator, state: State, actions: Sequence[GroundAction]) -> bool:
    """Whether actions are applicable one after the other and reach the goal."""
    followed = simulator.follow(state, actions)
    return followed.complete and simulator.is_goal(followed.state)


def recovery(
    simulator: Simulator, observed: State, expected: State, last: GroundAction, rest: Sequence[GroundAction]
) -> Recovery | None:
    """How a plan can go on after an unexpected change; None if it needs a new plan.

    The rest of the plan must reach the goal from the expected state.
    """
    if reaches(simulator, observed, rest):
        return Recovery("continued")
    if not reaches(simulator, expected, rest):
        return None
    if reaches(simulator, observed, (last, *rest)):
        return Recovery("repeated", (last,))
    depths = dict[State, int]()

    def rank(state: State, parent: State | None) -> Rank | None:
        depths[state] = depth = 0 if parent is None else depths[parent] + 1
        if depth >= LONGEST_REPAIR:
            return None
        change = state.changes_since(expected)
        return len(change.added) + len(change.deleted), depth

    search = BestFirstSearch(simulator.successors, rank)
    search.start(observed)
    while not search.exhausted and search.expanded < _MOST_EXPANDED:
        found = next((state for state in search.expand() if reaches(simulator, state, rest)), None)
        if found is not None:
            return Recovery("repaired", search.plan(found)[1])
    return None

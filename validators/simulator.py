"""The simulator: which actions are applicable in a state, and what they do to it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from threading import Lock
from typing import TYPE_CHECKING

from pddl2nl.pddl import ActionSchema, Arithmetic, Condition, Expression, GroundAtom, InputError, Metric, Special, Task
from validators.actions import GroundAction, why_bad
from validators.numeric import evaluate, exact
from validators.schemas import Ground, Schemas
from validators.semantics import holds, unmet
from validators.state import Number, State, Statics
from validators.unsupported import refuse_unsupported, updated_functions

if TYPE_CHECKING:
    from validators.successors import SuccessorGenerator

__all__ = ["Simulator", "StepResult", "simulator_of"]

_KEPT = 200_000
"""Ground actions remembered at most; a walk through a huge task must not fill the memory."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """What came of an action in a state.

    ``successor`` is the next state, or None where the action was not applicable; then ``unmet`` holds the ground
    literals of its precondition that failed (or, where none did, a cost without a value as ``(= (f a) (f a))``).
    ``added`` and ``deleted`` are the atoms that really changed, in the order of the action's effects.
    """

    action: GroundAction
    successor: State | None
    added: tuple[GroundAtom, ...] = ()
    deleted: tuple[GroundAtom, ...] = ()
    unmet: tuple[Condition, ...] = ()

    @property
    def applicable(self) -> bool:
        """Whether the action was applicable."""
        return self.successor is not None


class Simulator:
    """The transition system of a task. Stateless: states are values, and any may be asked about at any time.

    Args:
        task: the task; it is compiled here, once.

    Raises:
        UnsupportedError: the task has a construct that cannot be executed; the message says which and where.
    """

    def __init__(self, task: Task):
        refuse_unsupported(task)
        self.task = task
        self._schemas = Schemas(task)
        self._grounds: dict[GroundAction, Ground] = {}
        changing_functions = updated_functions(task)
        atoms = frozenset(task.problem.init)
        fluents = frozenset(atom for atom in atoms if atom[0] in self._schemas.changed)
        statics: dict[GroundAtom, Number] = {}
        levels: dict[GroundAtom, Number] = {}
        for assigned in task.problem.init_values:
            if isinstance(assigned.value, Fraction):
                values = levels if assigned.fluent[0] in changing_functions else statics
                values[assigned.fluent] = exact(assigned.value)
        self._statics = Statics(atoms - fluents, statics)
        self._members: dict[tuple[str, ...], frozenset[str]] = {}
        self._successors: SuccessorGenerator | None = None
        self.initial: State = State(self._statics, fluents, levels)
        """The initial state."""

    def state(self, atoms: Iterable[GroundAtom], values: Mapping[GroundAtom, Fraction] | None = None) -> State:
        """A state with these atoms and, for the functions that actions change, these values.

        Atoms of static predicates and values of static functions may be left out, but not differ from the task's.

        Raises:
            InputError: a static atom or value differs from the task's own.
        """
        given = frozenset(atoms)
        fluents = frozenset(atom for atom in given if atom[0] in self._schemas.changed)
        strange = sorted(given - fluents - self._statics.atoms)
        if strange:
            raise InputError(f"{strange[0]} is false in every state of this task: no action changes {strange[0][0]}")
        levels: dict[GroundAtom, Number] = {}
        for fluent, value in (values or {}).items():
            if self._statics.values.get(fluent, value) != value:
                raise InputError(f"{fluent} is {self._statics.values[fluent]} in every state of this task")
            if fluent not in self._statics.values:
                levels[fluent] = exact(value)
        return State(self._statics, fluents, levels)

    def check(self, action: GroundAction) -> None:
        """Checks that an action is one of the task's: name, arity, objects, types.

        Raises:
            BadActionError: it is not.
        """
        self.ground(action)

    def ground(self, action: GroundAction) -> Ground:
        """The action worked out as far as it can be without a state.

        Raises:
            BadActionError: it is none of the task's.
        """
        found = self._grounds.get(action)
        if found is None:
            node = self._schemas.node(action.name)
            if node is None or not self._well_typed(node, action):
                error = why_bad(self.task, node, action)
                if error is not None:
                    raise error
            if len(self._grounds) >= _KEPT:
                self._grounds.clear()
            found = self._grounds[action] = self._schemas[action.name].ground(action, self._statics)
        return found

    def applicable(self, state: State) -> Iterator[GroundAction]:
        """The applicable actions of a state, one by one as they are found.

        The order is always the same: schemas in file order, and at every choice the objects as they are declared
        or as the file's static atoms name them (which parameter is chosen first depends on the schema).
        """
        self._mine(state)
        if self._successors is None:
            # Plans are judged without it: what `import validators` costs is paid by every start of the command.
            from validators.successors import SuccessorGenerator

            self._successors = SuccessorGenerator(self.task, self._schemas, self._statics)
        return self._successors.applicable(state)

    def is_applicable(self, state: State, action: GroundAction | str) -> bool:
        """Whether an action is applicable in a state.

        Raises:
            BadActionError: the action is none of the task's.
        """
        self._mine(state)
        return self.ground(_as_action(action)).applicable(state.changing)

    def step(self, state: State, action: GroundAction | str) -> StepResult:
        """Applies an action to a state; the state itself stays as it is.

        Args:
            state: any state of this task.
            action: a ground action, or its text, ``(stack a b)``.

        Raises:
            BadActionError: the action is none of the task's.
            InputError: the text is no action, or the state belongs to another task.
        """
        self._mine(state)
        ground = self.ground(_as_action(action))
        before = state.changing
        if not ground.applicable(before):
            return StepResult(ground.action, None, unmet=ground.unmet(state.__contains__))
        levels = state.levels
        if ground.increases:
            levels = dict(levels)
            for fluent, amount in ground.increases:
                levels[fluent] = levels.get(fluent, 0) + amount
        successor = State(self._statics, (before - ground.removed) | ground.added, levels)
        added = tuple(dict.fromkeys(atom for atom in ground.adds if atom not in before))
        deleted = tuple(dict.fromkeys(atom for atom in ground.deletes if atom in before and atom in ground.removed))
        return StepResult(ground.action, successor, added, deleted)

    def is_goal(self, state: State) -> bool:
        """Whether a state satisfies the goal."""
        self._mine(state)
        return holds(self.task.problem.goal, state.__contains__)

    def unmet_goals(self, state: State) -> tuple[Condition, ...]:
        """The members of the goal that fail in a state, in the order of the file."""
        self._mine(state)
        return unmet(self.task.problem.goal, state.__contains__)

    def sample(self, state: State, rng: random.Random) -> GroundAction | None:
        """An applicable action drawn uniformly; None where there is none."""
        actions = list(self.applicable(state))
        return rng.choice(actions) if actions else None

    def cost(self, state: State) -> Fraction | None:
        """The metric's value in a state; None where the problem has no metric, or it asks for the plan's length."""
        metric = self.task.problem.metric
        if metric is None or reads_length(metric.expression):
            return None
        return self.metric_value(metric, state.levels, 0)

    def metric_value(self, metric: Metric, levels: Mapping[GroundAtom, Number], steps: int) -> Fraction | None:
        """A metric's value after some steps, where the functions that actions change have these values.

        A function without a value counts as 0: many problems leave ``(= (total-cost) 0)`` out.
        """
        values = self._statics.values
        value = evaluate(metric.expression, lambda fluent: levels.get(fluent, values.get(fluent, 0)), steps)
        return None if value is None else Fraction(value)

    def _well_typed(self, node: ActionSchema, action: GroundAction) -> bool:
        if len(node.parameters) != len(action.args):
            return False
        members = self._members
        for parameter, name in zip(node.parameters, action.args, strict=True):
            types = parameter.types
            if types not in members:
                members[types] = frozenset(self.task.objects_of(types))
            if name not in members[types]:
                return False
        return True

    def _mine(self, state: State) -> None:
        if state.statics is not self._statics and state.statics != self._statics:
            raise InputError("the state belongs to another task")


def reads_length(expression: Expression) -> bool:
    """Whether a metric asks for the plan's length (``total-time``)."""
    if isinstance(expression, Arithmetic):
        return any(reads_length(operand) for operand in expression.operands)
    return isinstance(expression, Special)


_recent: dict[int, Simulator] = {}
_recent_lock = Lock()
_MOST_RECENT = 32


def simulator_of(task: Task) -> Simulator:
    """The task's simulator; those of the last few tasks are kept, so that many plans for one are judged fast.

    Raises:
        UnsupportedError: the task has a construct that cannot be executed.
    """
    # By identity: comparing or hashing a task walks through all of its tree.
    found = _recent.get(id(task))
    if found is None or found.task is not task:
        found = Simulator(task)
        with _recent_lock:
            _recent[id(task)] = found
            if len(_recent) > _MOST_RECENT:
                del _recent[next(iter(_recent))]
    return found


def _as_action(action: GroundAction | str) -> GroundAction:
    return GroundAction.parse(action) if isinstance(action, str) else action

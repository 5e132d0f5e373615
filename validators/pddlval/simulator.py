"""The simulator: which actions are applicable in a state, and what they do to it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, TypeVar, cast
from weakref import WeakValueDictionary

from pddl2nl.pddl import (
    ActionSchema,
    Condition,
    Expression,
    Function,
    GroundAtom,
    InputError,
    Metric,
    Predicate,
    Special,
    Task,
    changed_predicates,
)
from pddl2nl.pddl import Number as NumberNode
from pddl2nl.pddl.tree import map_children, walk
from pddlval.numeric import UndefinedError, evaluate, exact
from pddlval.plans import BadActionError, GroundAction, why_bad
from pddlval.schemas import Ground, Outcome, Schema, Schemas, changed_chunks, updated_levels
from pddlval.semantics import unmet
from pddlval.state import Number, State, StateEngine, StateLayout
from pddlval.unsupported import is_executable, refuse_unsupported, updated_functions

if TYPE_CHECKING:
    from pddlval.successors import SuccessorGenerator

Compiled = TypeVar("Compiled")

_KEPT = 200_000
"""Ground actions remembered at most; a walk through a huge task must not fill the memory."""


class StepResult:
    """The result of applying an action in a state.

    ``successor`` is the next state, or None where the action was not applicable; then ``unmet`` holds the smallest
    parts of its ground precondition that failed (a fluent without a value as ``(= (f a) (f a))``), and ``conflict``
    the fluent that its numeric effects contradict each other about, if that was it.
    """

    __slots__ = ("_before", "_ground", "action", "conflict", "successor", "unmet")

    def __init__(
        self,
        action: GroundAction,
        successor: State | None,
        unmet: tuple[Condition, ...] = (),
        conflict: GroundAtom | None = None,
        ground: Ground | None = None,
        before: State | None = None,
    ):
        self.action = action
        self.successor = successor
        self.unmet = unmet
        self.conflict = conflict
        self._ground = ground
        self._before = before

    @property
    def applicable(self) -> bool:
        """Whether the action was applicable."""
        return self.successor is not None

    @property
    def added(self) -> tuple[GroundAtom, ...]:
        """The atoms that became true, in the order of the action's effects; in tasks with time sorted."""
        return self._turned(now=True)

    @property
    def deleted(self) -> tuple[GroundAtom, ...]:
        """The atoms that became false, in the same order."""
        return self._turned(now=False)

    def _turned(self, *, now: bool) -> tuple[GroundAtom, ...]:
        before, after = self._before, self.successor
        if before is None or after is None:
            return ()
        if self._ground is None:
            # Both ends of an action and timed literals have happened.
            change = after.changes_since(before)
            return tuple(sorted(change.added if now else change.deleted))
        outcome = self._ground.outcome(before)
        touched = dict.fromkeys(outcome.adds if now else outcome.deletes)
        return tuple(atom for atom in touched if before.true(atom) is not now and after.true(atom) is now)

    def __repr__(self) -> str:
        return f"<StepResult {self.action} {'applied' if self.applicable else 'not applicable'}>"


@dataclass(frozen=True, repr=False)
class Followed:
    """Actions that were executed one after the other, up to the first that could not be executed.

    Attributes:
        simulator: executed them.
        states: the first state, and the state after each executed action.
        actions: the executed actions.
        failed: the result of the first action that could not be executed; None if all were executed.
        error: what is wrong with that action if the task cannot have it; None otherwise.
    """

    simulator: Simulator
    states: tuple[State, ...]
    actions: tuple[GroundAction | str, ...]
    failed: StepResult | None = None
    error: BadActionError | None = None

    @property
    def complete(self) -> bool:
        """Whether all actions were executed."""
        return self.failed is None

    @property
    def state(self) -> State:
        """The last state."""
        return self.states[-1]

    @property
    def unmet(self) -> tuple[Condition, ...]:
        """The conditions of the failed action that do not hold in the last state."""
        return () if self.failed is None else self.failed.unmet

    @property
    def steps(self) -> Iterator[StepResult]:
        """The results of the executed actions, which are made when they are asked for: most callers need none."""
        return map(self.simulator.step, self.states, self.actions)


class Simulator:
    """The transition system of a task. Stateless: states are values, and any may be asked about at any time.

    Args:
        task: the task; it is compiled here, once.
        tolerance: by how much numbers may differ in comparisons and still be equal; VAL's is 0.0001.
        checked: whether it is known that the task can be executed.

    Raises:
        UnsupportedError: the task has a construct that cannot be executed; the message says which and where.
    """

    def __init__(self, task: Task, tolerance: Fraction = Fraction(0), *, checked: bool = False):
        if not checked:
            refuse_unsupported(task)
        self.task = task
        self._layout = layout_of(task, tolerance)
        self._schemas = Schemas(task.domain.actions, self._layout)
        self._grounds: dict[GroundAction | str, Ground] = {}
        self._members: dict[tuple[str, ...], dict[str, str]] = {}
        self._successor_generator: SuccessorGenerator | None = None
        self._goal: Ground | None = None
        layout = self._layout
        fluents = frozenset(layout.declared)
        self.initial: State = layout.state(fluents, _initial_values(task, layout.functions, changing=True))
        """The initial state."""

    def __repr__(self) -> str:
        return f"<Simulator of {self.task.problem.name}>"

    def state(self, atoms: Iterable[GroundAtom], values: Mapping[GroundAtom, Fraction] | None = None) -> State:
        """A state with these atoms and, for the functions that actions change, these values.

        Atoms of static predicates and values of static functions may be left out, but not differ from the task's.
        Derived atoms may be given; they are not looked at, since they follow from the others.

        Raises:
            InputError: a static atom or value differs from the task's own, or an atom or fluent is none of the
                task's: an unknown name or object, a wrong arity.
        """
        layout = self._layout
        given = frozenset(map(GroundAtom, atoms))
        fluents = frozenset(atom for atom in given if atom[0] in layout.changing)
        strange = sorted(atom for atom in given - fluents - layout.static_atoms if atom[0] not in layout.derived)
        if strange:
            raise InputError(f"{strange[0]} is false in every state of this task: no action changes {strange[0][0]}")
        levels: dict[GroundAtom, Number] = {}
        for fluent, value in (values or {}).items():
            if fluent[0] in layout.functions:
                levels[GroundAtom(fluent)] = exact(Fraction(value))
            elif layout.static_values.get(fluent) != value:
                own = layout.static_values.get(fluent, "undefined")
                raise InputError(f"{GroundAtom(fluent)} is {own} in every state of this task")
        # What has a number or place already was looked at before, and all states of the task share them.
        self._check_names(fluents - layout.numbers.keys(), self.task.domain.predicates)
        self._check_names(levels.keys() - layout.places.keys(), self.task.domain.functions)
        return layout.state(fluents, levels)

    def _check_names(self, names: Iterable[GroundAtom], declared: Iterable[Predicate | Function]) -> None:
        arities = {item.name: len(item.parameters) for item in declared}
        for name in sorted(names):
            arity = arities.get(name[0], len(name) - 1)
            if len(name) - 1 != arity:
                raise InputError(f"{name}: '{name[0]}' takes {arity} argument{'' if arity == 1 else 's'}")
            unknown = next((term for term in name[1:] if term not in self.task.objects), None)
            if unknown is not None:
                raise InputError(f"{name}: '{unknown}' is no object of the task")

    def check(self, action: GroundAction) -> None:
        """Checks that an action is one of the task's: name, arity, objects, types.

        Raises:
            BadActionError: it is not.
        """
        self.own(action)

    def own(self, action: GroundAction) -> GroundAction:
        """The action with the task's own strings; raises `BadActionError` as `check` does."""
        node = self._schemas.node(action.name)
        args = None if node is None else self._own_names(node, action)
        if args is None:
            # Not through a variable: an error that its own frame names keeps all callers' objects until a collection.
            raise cast(BadActionError, why_bad(self.task, node, action))
        return GroundAction(action.name, args)

    def ground(self, action: GroundAction | str) -> Ground:
        """The ground action, compiled: everything that does not depend on a state is computed once.

        Raises:
            BadActionError: it is none of the task's.
            InputError: the text is no action.
        """
        ground = self._grounds.get(action)
        if ground is None:
            if isinstance(action, str):
                ground = self.ground(GroundAction.parse(action))
            else:
                own = self.own(action)
                ground = Ground(self._schemas[own.name], own)
            if len(self._grounds) >= _KEPT:
                self._grounds.clear()
            self._grounds[action] = ground
        return ground

    def applicable(self, state: State) -> Iterator[GroundAction]:
        """The applicable actions of a state, found as they are asked for if there are many.

        The order is always the same: schemas in file order, and at every choice the objects as they are declared
        or as the file's static atoms name them (which parameter is chosen first depends on the schema).
        """
        self._mine(state)
        return (self._successor_generator or self._generator()).applicable(state)

    def _generator(self) -> SuccessorGenerator:
        if self._successor_generator is None:
            # Plans are judged without it: what `import pddlval` costs is paid by every start of the command.
            from pddlval import engine as engines
            from pddlval.successors import SuccessorGenerator

            engine = self._layout.engine
            assert isinstance(engine, engines.Engine)
            self._successor_generator = SuccessorGenerator(self.task.domain.actions, self._schemas, engine)
        return self._successor_generator

    def is_applicable(self, state: State, action: GroundAction | str) -> bool:
        """Whether an action is applicable in a state.

        Raises:
            BadActionError: the action is none of the task's.
        """
        self._mine(state)
        return self.ground(action).applicable(state)

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
        ground = self._grounds.get(action) or self.ground(action)
        successor = ground.successor(state)
        if successor is None:
            return StepResult(ground.action, None, ground.unmet(state), ground.conflict(state))
        return StepResult(ground.action, successor, ground=ground, before=state)

    def successors(self, state: State) -> Iterator[tuple[GroundAction, State]]:
        """The applicable actions of a state, in the order of `applicable`, each with the state after it."""
        for action in self.applicable(state):
            successor = self.step(state, action).successor
            if successor is not None:
                yield action, successor

    def follow(self, state: State, actions: Iterable[GroundAction | str]) -> Followed:
        """Executes actions one after the other, and stops at the first that cannot be executed.

        Actions are drawn one at a time, so that an iterator may be endless if one of its actions fails.

        Raises:
            InputError: a text is no action, or the state belongs to another task.
        """
        self._mine(state)
        states: list[State] = [state]
        done: list[GroundAction | str] = []
        for action in actions:
            try:
                after = self._after(state, action)
            except BadActionError as error:
                failed = StepResult(error.action, None)
                return Followed(self, tuple(states), tuple(done), failed, error.with_traceback(None))
            if after is None:
                return Followed(self, tuple(states), tuple(done), self.step(state, action))
            states.append(after)
            done.append(action)
            state = after
        return Followed(self, tuple(states), tuple(done))

    def _after(self, state: State, action: GroundAction | str) -> State | None:
        """As `step`, without the result: plans are followed in half the time."""
        return (self._grounds.get(action) or self.ground(action)).successor(state)

    def walk(self, state: State, rng: random.Random) -> Iterator[tuple[GroundAction, State]]:
        """A random walk (`sample`): actions, each with the state after it, until none is applicable."""
        while (action := self.sample(state, rng)) is not None:
            state = cast(State, self.step(state, action).successor)
            yield action, state

    def apply(self, state: State, outcomes: Sequence[Outcome]) -> State:
        """The state after effects that happen together: all deletes, then all adds, then the numeric updates.

        Raises:
            UndefinedError: a fluent is scaled down by zero.
        """
        updates = [change for outcome in outcomes for change in outcome.updates]
        levels = updated_levels(state, updates) if updates else state.levels
        return State(self._layout, changed_chunks(state, outcomes), levels)

    def is_goal(self, state: State) -> bool:
        """Whether a state satisfies the goal."""
        self._mine(state)
        if self._goal is None:
            node = ActionSchema("", (), self.task.problem.goal)
            self._goal = Ground(Schema(node, self._layout), GroundAction(""))
        return self._goal.applicable(state)

    def unmet_goals(self, state: State) -> tuple[Condition, ...]:
        """The smallest parts of the goal that fail in a state, in the order of the file."""
        return () if self.is_goal(state) else unmet(self.task.problem.goal, state, test=self._layout.holds)

    def sample(self, state: State, rng: random.Random) -> GroundAction | None:
        """An applicable action, each with the same probability, or None.

        The first draw from a state lists its actions. If there are more than 100,000, it draws from the first 100,000
        and warns (`RuntimeWarning`).
        """
        self._mine(state)
        return self._generator().sample(state, rng)

    def cost(self, state: State) -> Fraction | None:
        """The metric's value in a state; None where the problem has no metric, or it asks for the plan's length."""
        metric = self.task.problem.metric
        if metric is None or any(isinstance(part, Special) for part in walk(metric.expression)):
            return None
        return metric_value(metric, state)

    def _own_names(self, node: ActionSchema, action: GroundAction) -> tuple[str, ...] | None:
        """The arguments as the task's own strings; None if their number or a type is wrong.

        Equal strings that are the same object, with their hash known, are found in large sets several times as fast.
        """
        if len(node.parameters) != len(action.args):
            return None
        names = []
        for parameter, name in zip(node.parameters, action.args, strict=True):
            if parameter.types not in self._members:
                self._members[parameter.types] = {known: known for known in self.task.objects_of(parameter.types)}
            own = self._members[parameter.types].get(name)
            if own is None:
                return None
            names.append(own)
        return tuple(names)

    def _mine(self, state: State) -> None:
        if state.layout is not self._layout:
            raise InputError("the state belongs to another task")


def metric_value(
    metric: Metric, state: State, total: Fraction = Fraction(0), violations: Mapping[str, int] = MappingProxyType({})
) -> Fraction | None:
    """The value of a metric in a state.

    A function without a value counts as 0: many problems leave ``(= (total-cost) 0)`` out. None where the metric
    divides by zero.

    Args:
        metric: the metric.
        state: the state.
        total: the value of ``total-time``; of a plan without time the number of its steps.
        violations: how often each preference was violated.
    """

    def plain(part: Expression) -> Expression:
        if isinstance(part, Special):
            return NumberNode(Fraction(violations.get(part.args[0], 0)) if part.args else total)
        return map_children(part, plain)

    try:
        return Fraction(evaluate(plain(metric.expression), lambda fluent: state.level(fluent) or 0))
    except UndefinedError:
        return None


CLOCK = GroundAtom(("total-time",))
"""The fluent that holds the time in the states of tasks with time; other states have none."""


_MOST_TEXT = 10_000_000
"""Characters of the tasks of which what was compiled is kept: it takes some forty bytes each."""
_LEAST_TEXT = 100_000
"""So many count for a smaller task: of a hundred small ones all is kept, whatever the order of their plans."""


class Recent(Generic[Compiled]):
    """What was compiled of the last few tasks: many plans for one are judged fast.

    Args:
        make: compiles a task, with a tolerance.
    """

    def __init__(self, make: Callable[[Task, Fraction], Compiled]):
        self._make = make
        self._size = 0
        self._kept: dict[tuple[int, Fraction], tuple[Task, Compiled]] = {}
        self._lock = Lock()

    def __call__(self, task: Task, tolerance: Fraction = Fraction(0)) -> Compiled:
        # By identity: comparing or hashing a task walks through all of its tree.
        key = (id(task), tolerance)
        known = self._kept.get(key)
        if known is None or known[0] is not task:
            known = task, self._make(task, tolerance)
            with self._lock:
                if key in self._kept:
                    self._size -= _text_size(self._kept.pop(key)[0])
                self._kept[key] = known
                self._size += _text_size(task)
                while self._size > _MOST_TEXT and len(self._kept) > 1:
                    self._size -= _text_size(self._kept.pop(next(iter(self._kept)))[0])
        return known[1]


def _text_size(task: Task) -> int:
    sources = task.domain.source, task.problem.source
    return max(_LEAST_TEXT, *[0 if source is None else len(source.text) for source in sources])


def _plain_simulator(task: Task, tolerance: Fraction) -> Simulator | None:
    return Simulator(task, tolerance, checked=True) if is_executable(task) else None


plain_simulator_of = Recent(_plain_simulator)
"""As `simulator_of`; None for a task that is not executed action by action."""


def simulator_of(task: Task, tolerance: Fraction = Fraction(0)) -> Simulator:
    """The task's simulator; those of the last few tasks are kept.

    Raises:
        UnsupportedError: the task has a construct that cannot be executed.
    """
    return plain_simulator_of(task, tolerance) or Simulator(task, tolerance)


# ── layouts ──────────────────────────────────────────────────────────────────────────────────────

_layouts: WeakValueDictionary[tuple[int, Fraction], StateLayout] = WeakValueDictionary()
"""The layouts in use: the states of one task are the same for all of its simulators."""
_layouts_lock = Lock()


def layout_of(task: Task, tolerance: Fraction) -> StateLayout:
    """The task's layout; all callers share one for as long as it, or a state of it, is in use."""
    # By identity, which is safe: a layout holds its task.
    key = (id(task), tolerance)
    with _layouts_lock:
        layout = _layouts.get(key)
        if layout is None:
            layout = _layouts[key] = _new_layout(task, tolerance)
        return layout


def _new_layout(task: Task, tolerance: Fraction) -> StateLayout:
    functions = updated_functions(task)
    derived = frozenset(rule.name for rule in task.domain.derived)
    changing = changed_predicates(task.domain) - derived
    # A derived atom in the initial state has no effect (the checks warn about it): the rules alone decide.
    dynamic = changing | derived
    atoms = frozenset([atom for atom in task.problem.init if atom[0] not in dynamic])
    values = _initial_values(task, functions, changing=False)
    return StateLayout(task, atoms, values, changing, functions, derived, tolerance, _engine, layout_of)


def _engine(layout: StateLayout) -> StateEngine:
    # Most plans are judged without it, and every start of the command would pay for the import.
    from pddlval import engine

    return engine.Engine(layout)


def _initial_values(task: Task, functions: frozenset[str], *, changing: bool) -> dict[GroundAtom, Number]:
    """The values in the initial state, of the functions that actions change or of the others."""
    return {
        assigned.fluent: exact(assigned.value)
        for assigned in task.problem.init_values
        if isinstance(assigned.value, Fraction) and (assigned.fluent[0] in functions) is changing
    }

"""Durative actions as pairs of ordinary actions, and tasks without their preferences and constraints.

A durative action is two actions, its start and its end, with a condition that must hold in between and with rates of
change (Fox and Long 2003, sections 5 and 8). The start and the end are compiled by the same code as any action.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, TypeVar

from pddl2nl.pddl import (
    ActionSchema,
    And,
    Atom,
    Comparison,
    Condition,
    DurativeAction,
    Effect,
    Fluent,
    Forall,
    Not,
    Number,
    Preference,
    Special,
    Task,
    Timed,
    TimedLiteral,
    TypedName,
    Update,
    When,
    conjuncts,
)
from pddl2nl.pddl.tree import Node, map_children, required, walk
from pddlval.formulas import fluents_in
from pddlval.numeric import UndefinedError, evaluate
from pddlval.plans import GroundAction
from pddlval.schemas import Ground, Schema
from pddlval.semantics import Binding, World, choices, compare
from pddlval.simulator import Recent, Simulator
from pddlval.unsupported import linear_rate, refuse_unsupported

NodeT = TypeVar("NodeT", bound=Node)
_KEPT = 10_000
"""Schemas and ground actions remembered at most: one for every duration, where effects read it."""
_NOTHING = And()


class Snap(GroundAction):
    """One end of a durative action at some objects, or what must hold in between; its text is VAL's.

    The name holds a blank, so that it cannot be the name of an action: ``drive - start``.
    """

    __slots__ = ()

    def __str__(self) -> str:
        name, phase = self.name.split(" ", 1)
        action = GroundAction(name, self.args)
        return f"{action} {phase}"


class Spanning(NamedTuple):
    """A conditional effect at the end with a condition that is read earlier too."""

    parameters: tuple[TypedName, ...]
    start: Condition
    over_all: Condition
    end: Condition
    effect: Effect


class Rate(NamedTuple):
    """A continuous effect: the fluent of `update` changes by its value in every unit of time."""

    parameters: tuple[TypedName, ...]
    start: Condition
    update: Update


class Durative:
    """A durative action, taken apart.

    Attributes:
        node: the action as it was read.
        start, end: conditions and effects at both ends; their conditions include preferences.
        over_all: the invariant; `lasts` says whether there is one.
        durations: the duration constraints, of the start and of the end.
        spanning: conditional effects at the end that depend on earlier states.
        rates: continuous effects.
    """

    def __init__(self, node: DurativeAction):
        self.node = node
        self.start, self.end = (
            ActionSchema(
                f"{node.name} - {when[3:]}", node.parameters, _at(when, node.condition), _at(when, node.effect)
            )
            for when in ("at start", "at end")
        )
        self.over_all = _at("over all", node.condition)
        self.lasts = self.over_all != _NOTHING
        self.durations: dict[str, tuple[Comparison, ...]] = {"start": (), "end": ()}
        for part in conjuncts(node.duration):
            when, body = (part.when[3:], part.body) if isinstance(part, Timed) else ("start", part)
            self.durations[when] += tuple(one for one in conjuncts(body) if isinstance(one, Comparison))
        self.spanning = tuple(_spanning(node.effect, ()))
        self.rates = tuple(_rates(node.effect, (), _NOTHING))

    @property
    def changes(self) -> ActionSchema:
        """An action with the conditions of the start and all effects: it says what the action may change."""
        ends = [When(_NOTHING, one.effect) for one in self.spanning]
        continuous = [one.update for one in self.rates]
        effect = And((self.start.effect, self.end.effect, *ends, *continuous))
        start = with_duration(required(self.start.precondition), Fraction(0))
        return ActionSchema(self.node.name, self.node.parameters, start, with_duration(effect, Fraction(0)))


class GroundDurative:
    """A durative action at some objects, with a duration: what no state changes.

    Attributes:
        durative, duration, binding: the action, its duration, and its objects by the names of the parameters.
        over_all: the invariant with its preferences.
        fits: the ends whose duration constraints hold in all states.
    """

    def __init__(self, timed: TimedTask, durative: Durative, action: GroundAction, duration: Fraction):
        self.durative = durative
        self.duration = duration
        self.binding = dict(zip([one.name for one in durative.node.parameters], action.args, strict=True))
        self.over_all = with_duration(durative.over_all, duration)
        self._timed = timed
        self._action = action
        self.fits = frozenset([phase for phase in durative.durations if self._fits(phase)])

    def _fits(self, phase: str) -> bool:
        # VAL's tolerance is not for strict constraints, and may make them fail.
        layout = self._timed.simulator.initial.layout
        for constraint in self.durative.durations[phase]:
            right = with_duration(constraint.right, self.duration)
            if constraint.operator in "<>" or any(one.name in layout.functions for one in fluents_in(right)):
                return False
            try:
                limit = evaluate(right, layout.empty.level, self.binding)
            except UndefinedError:
                return False
            if not compare(constraint.operator, self.duration, limit):
                return False
        return True

    @cached_property
    def start(self) -> Ground:
        """What happens when it starts."""
        return self._ground(self.durative.start)

    @cached_property
    def end(self) -> Ground:
        """What happens when it ends, but for effects that depend on earlier states."""
        return self._ground(self.durative.end)

    @cached_property
    def invariant(self) -> Ground | None:
        """What must hold in between; None for nothing."""
        if required(self.over_all) == _NOTHING:
            return None
        node = self.durative.node
        return self._ground(ActionSchema(f"{node.name} - over all", node.parameters, self.durative.over_all))

    def _ground(self, node: ActionSchema) -> Ground:
        return self._timed.ground(node, Snap(node.name, self._action.args), self.duration)


def with_duration(node: NodeT, duration: Fraction) -> NodeT:
    """A formula with a number for ``?duration``."""
    if isinstance(node, Special):
        return Number(duration) if _is_duration(node) else node  # type: ignore[return-value]
    return node if isinstance(node, Atom) else map_children(node, lambda child: with_duration(child, duration))


def _is_duration(node: Node) -> bool:
    return isinstance(node, Special) and node.name == "?duration"


def _at(when: str, formula: Condition) -> Condition:
    """What a durative condition or effect says about one of its times; conditional effects that span times are out."""
    match formula:
        case Timed():
            return formula.body if formula.when == when else _NOTHING
        case And(parts):
            return And(tuple([part for part in (_at(when, one) for one in parts) if part != _NOTHING]), formula.span)
        case Forall(body=body) | Preference(body=body):
            inner = _at(when, body)
            return _NOTHING if inner == _NOTHING else replace(formula, body=inner)
        case When(condition, effect):
            inner = _at(when, effect)
            if inner == _NOTHING or (when == "at end" and _earlier(condition)):
                return _NOTHING
            return When(_at(when, condition), inner, formula.span)
    return _NOTHING


def _earlier(condition: Condition) -> bool:
    return _at("at start", condition) != _NOTHING or _at("over all", condition) != _NOTHING


def _spanning(effect: Effect, parameters: tuple[TypedName, ...]) -> Iterator[Spanning]:
    match effect:
        case And(parts):
            for part in parts:
                yield from _spanning(part, parameters)
        case Forall(more, body):
            yield from _spanning(body, (*parameters, *more))
        case When(condition, inner):
            end = _at("at end", inner)
            if end != _NOTHING and _earlier(condition):
                start, over_all, last = (_at(when, condition) for when in ("at start", "over all", "at end"))
                yield Spanning(parameters, start, over_all, last, end)


def _rates(effect: Effect, parameters: tuple[TypedName, ...], start: Condition) -> Iterator[Rate]:
    match effect:
        case And(parts):
            for part in parts:
                yield from _rates(part, parameters, start)
        case Forall(more, body):
            yield from _rates(body, (*parameters, *more), start)
        case When(condition, inner):
            yield from _rates(inner, parameters, And((start, _at("at start", condition))))
        case Update(value=value):
            rate = linear_rate(value)
            assert rate is not None, "what is not linear has been refused"
            yield Rate(parameters, start, replace(effect, value=rate))


# ── preferences ──────────────────────────────────────────────────────────────────────────────────


def preferences(condition: Condition, world: World, binding: Binding) -> Iterator[tuple[Preference, Binding]]:
    """The preferences of a condition, one for every choice of the objects that are quantified around it.

    So are they counted (Gerevini and Long 2005, section 4).
    """
    match condition:
        case Preference():
            yield condition, binding
        case And(parts):
            for part in parts:
                yield from preferences(part, world, binding)
        case Forall(parameters, body):
            if any(isinstance(part, Preference) for part in walk(body)):
                for chosen in choices(parameters, world, binding):
                    yield from preferences(body, world, chosen)


# ── tasks ────────────────────────────────────────────────────────────────────────────────────────


class TimedTask:
    """A task with time, preferences or constraints, and the simulator of its ordinary part.

    Args:
        task: the task.
        tolerance: by how much numbers may differ in comparisons and still be equal.

    Attributes:
        simulator: of the task without what has to do with time; its actions include, for every durative action, one
            with all its effects, by which ground actions are checked.
        durative: the durative actions by name, taken apart.
        prefers: whether actions have preferences.
        literals: an action for every timed initial literal, in the order of the file.

    Raises:
        UnsupportedError: the task has a construct that cannot be executed.
    """

    def __init__(self, task: Task, tolerance: Fraction = Fraction(0)):
        refuse_unsupported(task, timed=True)
        self.task = task
        domain, problem = task.domain, task.problem
        self.durative = {node.name: Durative(node) for node in domain.durative_actions}
        steps = (*domain.actions, *[one for each in self.durative.values() for one in (each.start, each.end)])
        conditions = [*[one.precondition for one in steps], *[one.over_all for one in self.durative.values()]]
        self.prefers = any(isinstance(part, Preference) for condition in conditions for part in walk(condition))
        self.literals = tuple(
            ActionSchema(f"Timed Initial Literal Action {number}", (), _NOTHING, _effect(timed))
            for number, timed in enumerate(problem.init_timed, start=1)
        )
        plain = [replace(action, precondition=required(action.precondition)) for action in domain.actions]
        changes = [durative.changes for durative in self.durative.values()]
        lowered = replace(domain, actions=(*plain, *changes, *self.literals), durative_actions=(), constraints=None)
        untimed = replace(problem, init_timed=(), goal=required(problem.goal), constraints=None, metric=None)
        self.simulator = Simulator(Task(lowered, untimed), tolerance, checked=True)
        self._schemas: dict[tuple[str, Fraction], Schema] = {}
        self._grounds: dict[tuple[str, Fraction, GroundAction], Ground] = {}
        self._timeless: dict[str, bool] = {}
        self._steps: dict[tuple[GroundAction, tuple[int, int]], GroundDurative] = {}

    def step(self, action: GroundAction, duration: Fraction) -> GroundDurative:
        """A durative action with a duration; it is kept, since the plans of a batch do the same again and again.

        Raises:
            BadActionError: the action is none of the task's.
        """
        # Hashing a fraction takes longer than all the rest.
        key = action, duration.as_integer_ratio()
        step = self._steps.get(key)
        if step is None:
            if len(self._steps) >= _KEPT:
                self._steps.clear()
            own = self.simulator.own(action)
            step = self._steps[key] = GroundDurative(self, self.durative[action.name], own, duration)
        return step

    def ground(
        self, node: ActionSchema, action: GroundAction, duration: Fraction = Fraction(0), more: Sequence[Effect] = ()
    ) -> Ground:
        """An action or an end of one at some objects, compiled.

        Args:
            node: the action; a schema that reads ``?duration`` is compiled for every duration.
            action: its name and objects.
            duration: the duration of the step.
            more: effects that it has this time besides its own.
        """
        if more:
            return Ground(self._schema(replace(node, effect=And((node.effect, *more))), duration), action)
        if node.name not in self._timeless:
            reads = [part for formula in (node.precondition, node.effect) for part in walk(formula)]
            self._timeless[node.name] = not any(_is_duration(part) for part in reads)
        key = node.name, Fraction(0) if self._timeless[node.name] else duration
        # The plans of a batch do the same again and again.
        if (ground := self._grounds.get((*key, action))) is not None:
            return ground
        schema = self._schemas.get(key)
        if schema is None:
            if len(self._schemas) >= _KEPT:
                self._schemas.clear()
            schema = self._schemas[key] = self._schema(node, duration)
        if len(self._grounds) >= _KEPT:
            self._grounds.clear()
        ground = self._grounds[(*key, action)] = Ground(schema, action)
        return ground

    def _schema(self, node: ActionSchema, duration: Fraction) -> Schema:
        precondition = with_duration(required(node.precondition), duration)
        node = replace(node, precondition=precondition, effect=with_duration(node.effect, duration))
        return Schema(node, self.simulator.initial.layout)


def _effect(timed: TimedLiteral) -> Effect:
    name, args = timed.atom[0], tuple(timed.atom[1:])
    if timed.value is not None:
        return Update("assign", Fluent(name, args), Number(timed.value))
    return Atom(name, args) if timed.positive else Not(Atom(name, args))


timed_task_of = Recent(TimedTask)
"""The task, compiled, with a tolerance of numbers; raises as `TimedTask`."""

"""Watching a plan while it runs: after each observed fact, which remaining step cannot be executed any more, and why.

The rest of the plan is simulated again after each observation: some microseconds a step. What must last while a step
runs is regressed through the rest (Waldinger 1977; Reiter 2001, chapter 4): for each atom there is a list of the steps
that need it, up to the next one that changes it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from pddl2nl.errors import InputError, UnsupportedError
from pddl2nl.pddl import (
    ActionSchema,
    Atom,
    Condition,
    FluentValue,
    GroundAtom,
    Not,
    Problem,
    Task,
    changed_predicates,
    conjuncts,
    write_condition,
    write_number,
)
from pddl2nl.pddl.task import effect_literals
from pddlval import GroundAction, Simulator, validate
from pddlval.formulas import names_in, negation_normal, updates_in
from pddlval.happenings import actions_in_time
from pddlval.numeric import UndefinedError, exact, plain_number
from pddlval.plans import PlanLike, as_plan, why_bad_atom
from pddlval.schemas import Change, Ground, Outcome, Schema
from pddlval.semantics import ground_atom
from pddlval.unsupported import is_executable, updated_functions

_NAME = r"[^\s();]+"
_FACT = re.compile(rf"\(\s*(?:(not)\s*\(\s*)?({_NAME}(?:\s+{_NAME})*)\s*\)(?(1)\s*\))")
_VALUE = re.compile(rf"\(\s*=\s*\(\s*({_NAME}(?:\s+{_NAME})*)\s*\)\s*(-?[0-9]{{1,30}}(?:\.[0-9]{{1,30}})?)\s*\)")
_DONE = re.compile(r"done\b\s*(.*)")
_LONGEST = 1000
"""Characters of a line."""


@dataclass(frozen=True)
class BrokenStep:
    """A remaining step that cannot be executed, or the goal that would be missed.

    Attributes:
        number: of the step in the plan, from 1; for the goal one more than the steps.
        action: the step's action; None for the goal.
        unmet: the smallest parts of its precondition, or of the goal, that will not hold then. A fluent ``(f a)``
            without a value is shown as ``(= (f a) (f a))``.
        conflict: a fluent that its effects contradict each other about.
        phase, time: of a plan with time, what fails (``start``, ``end``, ``over all``, ``action``), and when.
        reason: why the step cannot happen at that time.
    """

    number: int
    action: GroundAction | None
    unmet: tuple[Condition, ...]
    conflict: GroundAtom | None = None
    phase: str = ""
    time: Fraction | None = None
    reason: str = ""

    def as_json(self) -> dict[str, object]:
        """The step as ``pddl2nl watch --json`` prints it."""
        timed = {} if self.time is None else {"phase": self.phase, "time": plain_number(self.time)}
        return {
            "number": self.number,
            "action": None if self.action is None else str(self.action),
            "unmet": [write_condition(one) for one in self.unmet],
            "conflict": None if self.conflict is None else str(self.conflict),
            **timed,
        }

    def __str__(self) -> str:
        what = "the goal" if self.action is None else f"step {self.number} {self.action}"
        if self.time is not None:
            what += f" ({self.phase}, time {write_number(self.time)})"
        reasons = [f"{write_condition(one)} will not hold" for one in self.unmet]
        if self.reason:
            reasons.append(self.reason)
        elif self.conflict is not None:
            reasons.append(f"its effects contradict each other about {self.conflict}")
        return f"{what} is broken: {', '.join(reasons)}"


class Watch(ABC):
    """Follows the execution of a plan, line by line."""

    @property
    @abstractmethod
    def broken(self) -> BrokenStep | None:
        """The first remaining step that cannot be executed, or the goal; None while the rest of the plan works."""

    @property
    @abstractmethod
    def upcoming(self) -> tuple[int, str]:
        """The number of the next step, and what happens next; behind the last step no text."""

    @abstractmethod
    def observe(self, atom: GroundAtom, holds: bool) -> None:
        """Takes an observation: whether an atom is true now."""

    @abstractmethod
    def observe_value(self, fluent: GroundAtom, value: Fraction) -> None:
        """Takes an observation: the value of a numeric fluent now."""

    @abstractmethod
    def done(self, action: GroundAction | None = None) -> None:
        """The next step has been executed."""

    def read(self, line: str) -> None:
        """Takes a line: ``(on a b)``, ``(not (on a b))``, ``(= (fuel r) 2.5)``, ``done`` or ``done (stack a b)``.

        Raises:
            InputError: the line is none of these, or names something unknown; nothing has changed.
        """
        text = line.strip().lower()
        if len(text) > _LONGEST:
            raise InputError(f"the line has {len(text):,} characters, more than {_LONGEST:,}")
        if (match := _FACT.fullmatch(text)) is not None:
            self.observe(GroundAtom(match[2].split()), match[1] is None)
        elif (match := _VALUE.fullmatch(text)) is not None:
            self.observe_value(GroundAtom(match[1].split()), Fraction(match[2]))
        elif (match := _DONE.fullmatch(text)) is not None:
            self.done(GroundAction.parse(match[1]) if match[1] else None)
        else:
            raise InputError(f"{line.strip()!r}: expected (on a b), (not (on a b)), (= (fuel r) 2.5) or done")

    @staticmethod
    def check(task: Task, atom: GroundAtom, derived: Collection[str] = (), *, numeric: bool = False) -> None:
        """Raises `InputError` for an atom or a fluent that the task does not have, and for a derived atom."""
        bad = why_bad_atom(task, atom, numeric=numeric)
        if bad is not None:
            raise bad
        if not numeric and atom[0] in derived:
            raise InputError(f"{atom} follows from other facts by the domain's rules: give these facts")


class PlanWatch(Watch):
    """Follows the execution of a plan.

    Steps that happen at the same time are followed one after the other. Any fact can be observed, also a static one.

    Attributes:
        actions: the steps, in the order of their times.
        next: how many of them are done.

    Args:
        task: the task; its initial state is taken for true until something else is observed.
        plan: the plan, which need not be valid.

    Raises:
        InputError: the plan has an unknown action or object, or actions that cannot happen at the same time.
        UnsupportedError: the task has time, preferences or constraints (`pddl2nl.worlds.timed_watch`), or cannot be
            executed.
    """

    def __init__(self, task: Task, plan: PlanLike):
        plan = as_plan(plan)
        report = validate(task, plan)
        if not is_executable(task):
            raise UnsupportedError(
                f"{task.problem.name} has time, preferences or constraints: TimedWatch watches its plans"
            )
        if report.diagnostics:
            raise InputError(report.diagnostics[0].render())
        self._task = task
        self.actions = actions_in_time(plan)
        self.next = 0
        self._below: dict[str, set[str]] = {}
        for rule in task.domain.derived:
            self._below.setdefault(rule.name, set()).update(names_in(rule.condition))
        self._begin(task.problem)

    def _begin(self, problem: Problem) -> None:
        self._simulator = Simulator(Task(self._task.domain, problem))
        self._state = self._simulator.initial
        goal = Schema(ActionSchema("", (), problem.goal), self._state.layout)
        self._steps = [*map(self._simulator.ground, self.actions), Ground(goal, GroundAction(""))]
        self._needs = [_needs(step, self._below) for step in self._steps]
        self._replay()

    @property
    def upcoming(self) -> tuple[int, str]:
        """The number of the next step and its action; behind the last step no text."""
        return self.next + 1, str(self.actions[self.next]) if self.next < len(self.actions) else ""

    @property
    def broken(self) -> BrokenStep | None:
        """The first remaining step that cannot be executed, or the goal; None while the rest of the plan works."""
        if not self._broken:
            return None
        number = min(self._broken)
        reasons = self._broken[number]
        conflict = next((one for one in reasons if isinstance(one, GroundAtom)), None)
        unmet = tuple(one for one in reasons if not isinstance(one, GroundAtom))
        action = self.actions[number] if number < len(self.actions) else None
        return BrokenStep(number + 1, action, unmet, conflict)

    def observe(self, atom: GroundAtom, holds: bool) -> None:
        """Takes an observation: whether an atom is true now.

        Raises:
            InputError: it is none of the task's atoms, or a derived one.
        """
        if atom not in self._state.layout.numbers:
            self.check(self._task, atom, self._state.layout.derived)
        if atom[0] not in self._state.layout.changing:
            if self._state.true(atom) is not holds:
                self._begin_with(self._state.atoms ^ {atom}, self._state.values)
            return
        outcome = Outcome((), (atom,)) if holds else Outcome((atom,))
        self._state = self._simulator.apply(self._state, (outcome,))
        self._replay()

    def observe_value(self, fluent: GroundAtom, value: Fraction) -> None:
        """Takes an observation: the value of a numeric fluent now; raises `InputError` if it is none of the task's."""
        if fluent not in self._state.layout.places:
            self.check(self._task, fluent, numeric=True)
        if fluent[0] not in self._state.layout.functions:
            if self._state.value(fluent) != value:
                self._begin_with(self._state.atoms, {**self._state.values, fluent: value})
            return
        outcome = Outcome(updates=(Change(fluent, "assign", exact(value)),))
        self._state = self._simulator.apply(self._state, (outcome,))
        self._replay()

    def _begin_with(self, atoms: Iterable[GroundAtom], values: Mapping[GroundAtom, Fraction]) -> None:
        """Begins anew with other static facts, which are compiled into the simulator."""
        held = tuple(FluentValue(fluent, value) for fluent, value in values.items())
        self._begin(replace(self._task.problem, init=tuple(sorted(atoms)), init_values=held, init_negative=()))

    def done(self, action: GroundAction | None = None) -> None:
        """The next step has been executed; its effects are taken for true until something else is observed.

        Args:
            action: the step's action, to be compared with the plan's.

        Raises:
            InputError: it is another action, all steps are done, or an effect has no value.
        """
        if self.next == len(self.actions):
            raise InputError("all steps of the plan are done")
        expected = self.actions[self.next]
        if action not in (None, expected):
            raise InputError(f"{action} is not the next step of the plan; that is step {self.next + 1}, {expected}")
        try:
            outcome = self._steps[self.next].outcome(self._state)
            self._state = self._simulator.apply(self._state, (outcome,))
        except UndefinedError as error:
            raise InputError(f"the effects of {expected} are not known: {error}; observe the value first") from None
        self.next += 1
        self._replay()

    def lasting(self) -> list[tuple[Condition, ...]]:
        """For each remaining step, what must stay true while it runs: later steps or the goal need it, and neither the
        step nor another one until then changes it. Conditions on static facts alone are left out.

        A condition that is no literal is among them from the last step on that changes one of its predicates and
        functions; `broken` tells earlier of it.
        """
        dynamic = changed_predicates(self._task.domain) | updated_functions(self._task)
        lasting: list[dict[Condition, None]] = [{} for _ in self._steps]
        for atom, uses in self._uses.items():
            begin = self.next if atom[0] in dynamic else len(self._steps)
            for number, literal in uses:
                if literal is None:
                    begin = number + 1
                else:
                    for before in range(begin, number):
                        lasting[before][literal] = None
        for number, needs in enumerate(self._needs):
            for part in needs.others:
                names = self._mentioned(names_in(part))
                for before in range(number - 1, self.next - 1, -1):
                    if names.isdisjoint(dynamic) or not names.isdisjoint(_changed(self._steps[before])):
                        break
                    lasting[before][part] = None
        return [tuple(conditions) for conditions in lasting[self.next : -1]]

    def _replay(self) -> None:
        """Simulates the rest of the plan; a step whose precondition fails is executed all the same.

        So the later steps are looked at too, and what holds of the first broken step is what execution would say. The
        simulation ends at a step whose effects contradict each other or have no value.
        """
        self._uses: dict[GroundAtom, list[tuple[int, Condition | None]]] = {}
        self._broken: dict[int, dict[Condition | GroundAtom, None]] = {}
        state = self._state
        for number in range(self.next, len(self._steps)):
            step = self._steps[number]
            for atom, literal in self._needs[number].literals:
                self._uses.setdefault(atom, []).append((number, literal))
            if not step.applicable(state):
                self._broken[number] = dict.fromkeys(step.unmet(state))
            try:
                outcome = step.outcome(state)
                conflict = outcome.conflict()
                if conflict is not None:
                    self._broken.setdefault(number, {})[conflict] = None
                    return
                state = self._simulator.apply(state, (outcome,))
            except UndefinedError as error:
                self._broken.setdefault(number, {})[error.condition] = None
                return
            for atom in (*outcome.deletes, *outcome.adds):
                self._uses.setdefault(atom, []).append((number, None))

    def _mentioned(self, names: Iterable[str]) -> frozenset[str]:
        """Names with those that the derived predicates among them follow from."""
        todo, mentioned = [*names], set[str]()
        while todo:
            name = todo.pop()
            if name not in mentioned:
                mentioned.add(name)
                todo.extend(self._below.get(name, ()))
        return frozenset(mentioned)


# ── what steps need and change ───────────────────────────────────────────────────────────────────


class _Needs(NamedTuple):
    """The precondition of a step: its literals with their atoms, and all other parts."""

    literals: tuple[tuple[GroundAtom, Condition], ...]
    others: tuple[Condition, ...]


def _needs(step: Ground, derived: Collection[str]) -> _Needs:
    literals, others = [], []
    for part in conjuncts(negation_normal(step.precondition())):
        atom = part.body if isinstance(part, Not) else part
        if isinstance(atom, Atom) and atom.predicate not in derived:
            literals.append((ground_atom(atom), part))
        else:
            others.append(part)
    return _Needs(tuple(literals), tuple(others))


def _changed(step: Ground) -> set[str]:
    effect = step.schema.node.effect
    return {atom.predicate for atom, _ in effect_literals(effect)} | {one.fluent.name for one in updates_in(effect)}

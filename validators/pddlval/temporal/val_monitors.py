"""What VAL prints about trajectory constraints while a plan is executed (its ``TrajectoryConstraintsMonitor``).

Only the text is made here: whether a constraint holds is decided by `trajectory`. VAL checks the state before each of
its steps, among them the ones that check invariants, and prints of preferences the first violation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count

from pddl2nl.pddl import (
    And,
    Comparison,
    Condition,
    Exists,
    Forall,
    Imply,
    Modal,
    Not,
    Or,
    Preference,
    Timed,
    TypedName,
    substitute,
    write_condition,
)
from pddl2nl.pddl.tree import write_types
from pddlval.semantics import choices
from pddlval.state import State
from pddlval.val_advice import printed

Binding = Mapping[str, str]
_FEW = 10
"""Of more conditions of a kind VAL does not say that it checks them."""


@dataclass(frozen=True)
class MonitoredConstraint:
    """A condition that VAL watches, with a trigger and times where the operator has them, and its preference."""

    condition: Condition
    binding: Binding
    trigger: Condition | None = None
    times: tuple[Fraction, ...] = ()
    preference: str | None = None
    number: int = 0
    """Several conditions of one preference, under a quantifier, have one number: it is violated once."""

    def holds(self, state: State) -> bool:
        return state.layout.holds(self.condition, state, self.binding)

    def triggered(self, state: State) -> bool:
        assert self.trigger is not None
        return state.layout.holds(self.trigger, state, self.binding)

    def __str__(self) -> str:
        return _written(self.condition, self.binding)


def _written(condition: Condition, binding: Binding) -> str:
    """A condition as VAL writes it; of a quantified one the schema, and a line break."""
    match condition:
        case Not(body):
            return f"(NOT {_written(body, binding)})"
        case And(parts):
            return f"({' AND '.join(_written(part, binding) for part in parts)})"
        case Or(parts):
            return f"({' OR '.join(_written(part, binding) for part in parts)})"
        case Imply(left, right):
            return f"({_written(left, binding)} IMPLIES {_written(right, binding)})"
        case Forall(parameters, body) | Exists(parameters, body):
            word = type(condition).__name__.lower()
            return f"({word} ({_typed(parameters)} ) {write_condition(body)})\n"
        case Comparison(operator, left, right):
            # The smaller signs are VAL's own.
            sign = operator.replace("<", ">")
            return f"({substitute(left, binding)} {sign}  {substitute(right, binding)})"
    return write_condition(substitute(condition, binding))


def _typed(parameters: tuple[TypedName, ...]) -> str:
    return " ".join(f"{item.name} - {write_types(item.types)}" for item in parameters)


class Monitors:
    """The constraints of a task, as VAL has them at some point of a plan."""

    def __init__(self, constraints: Iterable[Condition], state: State):
        self._lists: defaultdict[str, list[MonitoredConstraint]] = defaultdict(list)
        self._violated: set[int] = set()
        self._numbers = count(1)
        for constraint in constraints:
            self._collect(constraint, {}, None, None, state)
        self.active = bool(self._lists)
        self.failures: list[str] = []
        """The lines that VAL prints without ``-v``, too."""

    def _collect(self, node: Condition, binding: Binding, name: str | None, shared: int | None, state: State) -> None:
        match node:
            case And(parts):
                for part in parts:
                    self._collect(part, binding, name, shared, state)
            case Forall(parameters, body):
                if name is not None and shared is None:
                    shared = next(self._numbers)
                # The first variable changes fastest.
                for chosen in choices(parameters[::-1], state, binding, alphabetic=True):
                    self._collect(body, chosen, name, shared, state)
            case Preference(own, body):
                self._collect(body, binding, own, None, state)
            case Timed(body=body):
                self._add("at end", MonitoredConstraint(body, binding, preference=name), shared)
            case Modal(operator, times, parts):
                trigger = parts[0] if len(parts) > 1 else None
                self._add(operator, MonitoredConstraint(parts[-1], binding, trigger, times, name), shared)

    def _add(self, operator: str, watched: MonitoredConstraint, shared: int | None) -> None:
        self._lists[operator].append(replace(watched, number=next(self._numbers) if shared is None else shared))

    def _violation(self, one: MonitoredConstraint, time: str) -> Iterator[str]:
        if one.preference is not None and one.number not in self._violated:
            self._violated.add(one.number)
            yield f"Preference {one.preference}: (No advice for conjunction!)"
            yield f" violated at {time}"

    def check(self, state: State, at: Fraction) -> Iterator[str]:
        """What VAL prints when it looks at a state at some time."""
        for text in self._checked(state, at, printed(at)):
            yield from text.split("\n")

    def _checked(self, state: State, at: Fraction, time: str) -> Iterator[str]:
        lists = self._lists
        yield f"Checking trajectory constraints at {time}"
        yield from self._always(state, at, time)
        yield from self._deadlines(state, at, time)
        for one in lists["sometime-after"]:
            if one.triggered(state):
                trigger = _written(one.trigger or And(), one.binding)
                yield f"Triggered a requirement for {one} after {trigger} at {time}"
                lists["sometime"].append(one)
        for one in self._those(lists["sometime"], state):
            yield f"Satisfied {one} at {time}"
        for one in (begun := self._those(lists["at-most-once"], state)):
            yield f"First satisfied {one} at {time}"
        lists["currently"] += begun
        still = self._those(lists["currently"], state)
        for one in lists["currently"]:
            yield f"{one} stops being true at {time}"
        lists["never"] += lists["currently"]
        lists["currently"] = still
        for one in lists["never"]:
            if one.holds(state):
                yield f"Constraint violated by satisfaction of {one} at {time}"
                yield from self._violation(one, time)
        yield from self._windows(state, at, time)
        waiting, lists["sometime-before"] = lists["sometime-before"], []
        for one in waiting:
            if not one.holds(state):
                lists["sometime-before"].append(one)
            if one.triggered(state):
                yield f"{_written(one.trigger or And(), one.binding)} satisfied without {one} sometime before"
                yield from self._violation(one, time)

    def _those(self, watched: list[MonitoredConstraint], state: State) -> list[MonitoredConstraint]:
        """The conditions that hold, which are taken out of the list."""
        holding = [one for one in watched if one.holds(state)]
        watched[:] = [one for one in watched if one not in holding]
        return holding

    def _always(self, state: State, at: Fraction, time: str) -> Iterator[str]:
        later: list[MonitoredConstraint] = []
        for one in self._lists["hold-after"]:
            if one.times[0] <= at:
                yield f"Now requiring {one} to remain true"
                self._lists["always"].append(one)
            else:
                later.append(one)
        self._lists["hold-after"] = later
        for one in self._lists["always"]:
            if len(self._lists["always"]) < _FEW:
                yield f"Checking {one}"
            if not one.holds(state):
                failure = f"Failure to satisfy: {one}"
                self.failures += failure.split("\n")
                yield failure
                yield from self._violation(one, time)

    def _deadlines(self, state: State, at: Fraction, time: str) -> Iterator[str]:
        for one in self._lists["always-within"]:
            if one.triggered(state):
                yield f"Triggered deadline goal {one} by {printed(at + one.times[0])}"
                self._lists["within"].append(replace(one, times=(at + one.times[0],)))
        waiting, self._lists["within"] = self._lists["within"], []
        for one in waiting:
            if len(waiting) < _FEW:
                yield f"Checking deadline goal: {one} by {printed(one.times[0])}"
            if at > one.times[0]:
                yield f"Failed to meet deadline on {one} ({printed(one.times[0])})"
                yield from self._violation(one, time)
            elif one.holds(state):
                yield f"Satisfied {one} at {time}"
            else:
                self._lists["within"].append(one)

    def _windows(self, state: State, at: Fraction, time: str) -> Iterator[str]:
        later: list[MonitoredConstraint] = []
        for one in self._lists["hold-during"]:
            begin, end = one.times
            if begin <= at < end:
                yield f"In window for {one}"
                if not one.holds(state):
                    yield "Condition failed"
                    yield from self._violation(one, time)
            elif end > at:
                later.append(one)
        self._lists["hold-during"] = later

    def check_last(self, state: State, at: Fraction) -> Iterator[str]:
        """What VAL prints about the last state."""
        time = printed(at)
        yield from self.check(state, at)
        for text in self._outstanding(state, time):
            yield from text.split("\n")

    def _outstanding(self, state: State, time: str) -> Iterator[str]:
        for one in self._lists["at end"]:
            if not one.holds(state):
                yield f"Final requirement {one} violated"
                yield from self._violation(one, time)
        if self._lists["sometime"]:
            yield "Outstanding requirements unsatisfied during plan:"
        for one in self._lists["sometime"]:
            yield f"\t{one}"
            yield from self._violation(one, time)
        if self._lists["within"]:
            yield "Outstanding deadlines to be met:"
        for one in self._lists["within"]:
            yield f"\t{one} by {printed(one.times[0])}"
            yield from self._violation(one, time)

"""Happenings: what a plan does at one time, and whether actions at the same time interfere.

An untimed step happens at the number that it has among the untimed ones. Steps less than a thousandth apart are one
happening, as VAL has it. Within one, all preconditions are read in the state before, and no action may change what
another one reads, or do the opposite of what another one does (Fox and Long 2003, definition 12).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Literal, NamedTuple, NoReturn

from pddl2nl.pddl import (
    And,
    Atom,
    Comparison,
    Condition,
    DerivedPredicate,
    Effect,
    Exists,
    Expression,
    Forall,
    GroundAtom,
    Imply,
    Not,
    Or,
    TimedLiteral,
    Update,
    When,
    conjuncts,
)
from pddlval.formulas import fluents_in
from pddlval.numeric import as_float
from pddlval.plans import GroundAction, Plan
from pddlval.schemas import Ground, Outcome
from pddlval.semantics import Binding, choices, ground_atom, ground_fluent
from pddlval.state import State

VAL_TIME_TOLERANCE = Fraction(1, 100)
"""By how much durations may miss in VAL, unless its ``-t`` says otherwise."""

# ── what happens when ────────────────────────────────────────────────────────────────────────────


class Event(NamedTuple):
    """One action, one end of a durative action, or a timed initial literal.

    ``step`` is the place of the action in the plan, or of the literal among the timed ones, from 1; ``phase`` is
    ``action``, ``start``, ``end`` or ``literal``.
    """

    time: Fraction
    step: int
    phase: str = "action"


class Happening(NamedTuple):
    """Events that happen at one time."""

    time: Fraction
    events: tuple[Event, ...]


def happenings(
    plan: Plan,
    durative: Collection[str] = (),
    literals: Sequence[TimedLiteral] = (),
    tolerance: Fraction = VAL_TIME_TOLERANCE,
) -> list[Happening]:
    """The happenings of a plan, in the order of time; events of the same time stay in the order of the file.

    Exactly, what has the same time happens together. With a tolerance, as in VAL, times are doubles, and what comes
    within a tenth of the tolerance after the first of a happening belongs to it.

    Args:
        plan: the plan; an untimed step happens at the number that it has among the untimed ones.
        durative: the names of the durative actions; a step of one without a duration takes no time.
        literals: the timed initial literals.
        tolerance: of times; 0 is exact.
    """
    if not (durative or literals) and all(step.time is None for step in plan.steps):
        numbered = (Event(Fraction(number), number) for number in range(1, len(plan) + 1))
        return [Happening(event.time, (event,)) for event in numbered]
    events = sorted(_events(plan, durative, literals, rounded=bool(tolerance)), key=_in_order)
    close = float(tolerance) / 10
    groups: list[list[Event]] = []
    for event in events:
        first = groups[-1][0] if groups else None
        if first is not None and (
            event.time == first.time or (close and as_float(event.time) <= as_float(first.time) + close)
        ):
            groups[-1].append(event)
        else:
            groups.append([event])
    return [Happening(group[0].time, tuple(group)) for group in groups]


def actions_in_time(plan: Plan) -> tuple[GroundAction, ...]:
    """The actions of a plan without durations, in the order in which they happen."""
    return tuple(plan.steps[event.step - 1].action for happening in happenings(plan) for event in happening.events)


def _events(
    plan: Plan, durative: Collection[str], literals: Sequence[TimedLiteral], *, rounded: bool
) -> Iterator[Event]:
    for number, literal in enumerate(literals, start=1):
        yield Event(_rounded(literal.time) if rounded else literal.time, number, "literal")
    untimed = count(1)
    for number, step in enumerate(plan.steps, start=1):
        time = Fraction(next(untimed)) if step.time is None else step.time
        start = _rounded(time) if rounded else time
        if step.action.name in durative:
            duration = step.duration or Fraction(0)
            yield Event(start, number, "start")
            # Of doubles the sum is rounded again, as in VAL.
            end = Fraction(float(start) + as_float(duration)) if rounded else time + duration
            yield Event(end, number, "end")
        else:
            yield Event(start, number)


def _in_order(event: Event) -> tuple[float, Fraction]:
    """Sorts as the time does, in a third of the time: comparing fractions is slow, and floats seldom are equal."""
    return as_float(event.time), event.time


def _rounded(time: Fraction) -> Fraction:
    return Fraction(as_float(time))


# ── who owns what ────────────────────────────────────────────────────────────────────────────────

Wanted = Literal["true", "false", "either"]
"""How an atom is needed; below ``or``, ``imply`` and ``exists`` either way."""
_CHANGES = {"add": ("added", "true", "precondition"), "delete": ("deleted", "false", "false precondition")}
"""Of each change: what it makes the owner's use, which need VAL warns about, and in which words."""

_OPPOSITE: dict[Wanted, Wanted] = {"true": "false", "false": "true", "either": "either"}
_NEEDED = frozenset(("true", "false", "either"))


class Conflict(NamedTuple):
    """A claim that collides with an earlier one.

    ``place`` is the action that makes it, counted within the happening from 0. ``claim`` is what it does to ``atom``,
    an atom or a fluent: ``needs``, ``adds``, ``deletes`` or ``changes``. ``other`` made the earlier claim; it is None
    where several did, or where the action is in its own way. ``reason`` is a clause about the action; ``text`` is what
    VAL prints.
    """

    place: int
    claim: str
    atom: GroundAtom
    other: int | None
    reason: str
    text: str = ""


class Claims(NamedTuple):
    """VAL's warnings, in its words and order, and the conflict that makes the plan invalid, if any."""

    warnings: tuple[str, ...] = ()
    conflict: Conflict | None = None


_NOTHING = Claims()


def claim(grounds: Sequence[Ground], state: State, reads: Sequence[Condition] = (), *, strict: bool = False) -> Claims:
    """Claims what each action of a happening reads and changes, and reports where claims collide.

    Args:
        grounds: the actions, all applicable in the state.
        state: the state before.
        reads: conditions that the actions read besides their preconditions, one for each; by default none.
        strict: whether a fluent that one action reads may not be changed by another in any way, which VAL allows.
    """
    if len(grounds) == 1 and _each_once(grounds[0].outcome(state)):
        # The rule: an action alone may change what it reads, so that nothing need be claimed.
        return _NOTHING
    if len(grounds) > 1 and _apart(grounds):
        return _NOTHING
    claimant = _Claimant(grounds, state, reads)
    try:
        claimant.claim_all()
        if strict:
            claimant.claim_sums()
    except _CollisionError as error:
        return Claims(tuple(claimant.warnings), error.conflict)
    return Claims(tuple(claimant.warnings))


def _each_once(outcome: Outcome) -> bool:
    deletes, adds, updates = outcome
    atoms = len(deletes) + len(adds)
    if atoms > 1 and len({*deletes, *adds}) < atoms:
        return False
    return len(updates) < 2 or len({update.fluent for update in updates}) == len(updates)


def _apart(grounds: Sequence[Ground]) -> bool:
    """Whether it is plain from bits that no action uses what another one changes: so it is in most happenings."""
    used: dict[int, int] = {}
    changed: dict[int, int] = {}
    for ground in grounds:
        uses = ground.uses
        if uses is None:
            return False
        reads, changes = uses
        if any(changed.get(chunk, 0) & bits for chunk, bits in reads):
            return False
        if any(used.get(chunk, 0) & bits for chunk, bits in changes):
            return False
        for chunk, bits in reads:
            used[chunk] = used.get(chunk, 0) | bits
        for chunk, bits in changes:
            used[chunk] = used.get(chunk, 0) | bits
            changed[chunk] = changed.get(chunk, 0) | bits
    return True


class _CollisionError(Exception):
    """Two claims collide."""

    def __init__(self, conflict: Conflict):
        super().__init__(conflict.reason)
        self.conflict = conflict


@dataclass(slots=True)
class _Owner:
    """Who owns an atom or a fluent, by its place, or None for several; and what for."""

    place: int | None
    use: str
    """How it is needed; ``added``, ``deleted``, ``needed and added``, ``needed and deleted``; ``summed`` or ``set``."""


class _Claimant:
    """The claims of a happening so far."""

    def __init__(self, grounds: Sequence[Ground], state: State, reads: Sequence[Condition]):
        self.warnings: list[str] = []
        self._grounds = grounds
        self._actions = [ground.action for ground in grounds]
        self._reads = reads
        self._state = state
        self._alone = len(grounds) == 1
        self._atoms: dict[GroundAtom, _Owner] = {}
        self._fluents: dict[GroundAtom, _Owner] = {}
        self._rules: dict[str, list[DerivedPredicate]] = {}
        for rule in state.layout.task.domain.derived:
            self._rules.setdefault(rule.name, []).append(rule)
        self._followed: dict[GroundAtom, int] = {}
        self._readers: dict[GroundAtom, list[int]] = {}
        self._writers: dict[GroundAtom, list[int]] = {}

    def claim_sums(self) -> None:
        """Nothing that one action reads may be changed by another, not even where both only add to it.

        VAL lets it pass if the action that reads a fluent changes it too (Fox and Long 2003, definition 12, does not).
        """
        for fluent, readers in self._readers.items():
            for writer in self._writers.get(fluent, ()):
                other = next((reader for reader in readers if reader != writer), None)
                if other is not None:
                    owner = _Owner(other, "either")
                    self._collide(writer, "changes", fluent, owner, f"(expression {fluent}){self._and(owner)}\n")

    def claim_all(self) -> None:
        """Preconditions first, then effects, action by action."""
        bound = [(ground.schema.node, ground.binding()) for ground in self._grounds]
        if not self._alone:
            for place, (schema, binding) in enumerate(bound):
                self._need(place, schema.precondition, binding, "true")
                if self._reads:
                    self._need(place, self._reads[place], binding, "true")
        for place, (schema, binding) in enumerate(bound):
            self._change(place, schema.effect, binding)

    # ── what conditions and expressions read ─────────────────────────────────────────────────────

    def _need(self, place: int, condition: Condition, binding: Binding, wanted: Wanted) -> None:
        match condition:
            case Atom(predicate):
                atom = ground_atom(condition, binding)
                if predicate in self._rules:
                    self._follow(place, atom, wanted)
                else:
                    self._need_atom(place, atom, wanted)
            case Not(body):
                self._need(place, body, binding, _OPPOSITE[wanted])
            case And(parts) | Or(parts):
                for part in parts:
                    self._need(place, part, binding, wanted if isinstance(condition, And) else "either")
            case Imply(before, after):
                self._need(place, before, binding, "either")
                self._need(place, after, binding, "either")
            case Forall(parameters, body) | Exists(parameters, body):
                for chosen in choices(parameters, self._state, binding, alphabetic=True):
                    self._need(place, body, chosen, wanted if isinstance(condition, Forall) else "either")
            case Comparison(_, left, right):
                self._read(place, left, binding)
                self._read(place, right, binding)

    def _follow(self, place: int, atom: GroundAtom, wanted: Wanted) -> None:
        """Needs what the rules of a derived predicate read; for one action each of its atoms counts once."""
        if self._followed.get(atom) == place:
            return
        self._followed[atom] = place
        rules = self._rules[atom[0]]
        for rule in rules:
            binding = dict(zip([one.name for one in rule.parameters], atom[1:], strict=True))
            self._need(place, rule.condition, binding, wanted if len(rules) == 1 else "either")

    def _need_atom(self, place: int, atom: GroundAtom, wanted: Wanted) -> None:
        owner = self._atoms.setdefault(atom, _Owner(place, wanted))
        if owner.place == place:
            return
        if owner.use not in _NEEDED:
            self._collide(place, "needs", atom, owner, f"(requires {atom})\n")
        self._atoms[atom] = _Owner(None, wanted)

    def _read(self, place: int, expression: Expression, binding: Binding) -> None:
        for fluent in fluents_in(expression):
            atom = ground_fluent(fluent, binding)
            self._readers.setdefault(atom, []).append(place)
            owner = self._fluents.setdefault(atom, _Owner(place, "either"))
            if owner.place == place:
                continue
            if owner.use not in _NEEDED:
                self._collide(place, "needs", atom, owner, f"(requires {atom})\n")
            owner.place = None

    # ── what effects change ──────────────────────────────────────────────────────────────────────

    def _change(self, place: int, effect: Effect, binding: Binding) -> None:
        parts = tuple(conjuncts(effect))
        for kind in (Atom, Not, When, Update, Forall):
            for part in (part for part in parts if isinstance(part, kind)):
                match part:
                    case Atom():
                        self._touch(place, ground_atom(part, binding), "add")
                    case Not(Atom() as atom):
                        self._touch(place, ground_atom(atom, binding), "delete")
                    case When(condition) if self._state.layout.holds(condition, self._state, binding):
                        self._change_if(place, part, binding)
                    case Update():
                        self._update(place, part, binding)
                    case Forall(parameters, body):
                        for chosen in choices(parameters, self._state, binding, alphabetic=True):
                            self._change(place, body, chosen)

    def _change_if(self, place: int, effect: When, binding: Binding) -> None:
        try:
            if not self._alone:
                self._need(place, effect.condition, binding, "true")
            self._change(place, effect.effect, binding)
        except _CollisionError as error:
            text = f"{error.conflict.text}Violation in conditional effect in {self._actions[place]}"
            raise _CollisionError(error.conflict._replace(text=text)) from None

    def _touch(self, place: int, atom: GroundAtom, verb: Literal["add", "delete"]) -> None:
        done, opposed, adjective = _CHANGES[verb]
        owner = self._atoms.get(atom)
        if owner is None:
            self._atoms[atom] = _Owner(place, done)
        elif owner.place != place and owner.use != done:
            # VAL ends the line twice where it names the other action as a reason not to add.
            end = "\n\n" if verb == "add" and owner.place is not None else "\n"
            self._collide(place, f"{verb}s", atom, owner, f"({verb}s {atom}){self._and(owner)}{end}")
        elif owner.use in _NEEDED:
            if owner.use == opposed:
                self._warn(place, f"{verb}s a {adjective} literal {atom}")
            owner.use = f"needed and {done}"
        else:
            self._change_again(place, atom, owner, verb)

    def _change_again(self, place: int, atom: GroundAtom, owner: _Owner, verb: Literal["add", "delete"]) -> None:
        """An atom that this action, or one that does the same to it, has changed before."""
        if owner.use not in ("added", "deleted"):
            # VAL prints nothing here. It accepts the same if the action is alone in its happening.
            reason = f"it needs {atom} and changes it twice, which it may not do at the same time as other actions"
            raise _CollisionError(Conflict(place, f"{verb}s", atom, None, reason))
        if (owner.use == "added") is not (verb == "add"):
            self._warn(place, f"adds and deletes the literal {atom}")
        elif owner.place == place:
            self._warn(place, f"{verb}s the literal {atom} twice")
        elif owner.place is not None:
            self._warn(place, f"and {self._actions[owner.place]} both {verb} the literal {atom}")

    def _update(self, place: int, update: Update, binding: Binding) -> None:
        fluent = ground_fluent(update.fluent, binding)
        try:
            self._read(place, update.value, binding)
        except _CollisionError as error:
            conflict = error.conflict
            text = f"{conflict.text}Conflict over ownership of resource: {fluent} wanted by {self._actions[place]}\n"
            raise _CollisionError(conflict._replace(text=text)) from None
        self._writers.setdefault(fluent, []).append(place)
        sums = update.operator in ("increase", "decrease")
        owner = self._fluents.get(fluent)
        if owner is None:
            self._fluents[fluent] = _Owner(place, "summed" if sums else "set")
        elif owner.place != place:
            if owner.use != "summed" or not sums:
                self._collide(place, "changes", fluent, owner, f"(expression {fluent}){self._and(owner)}\n")
            owner.place = None
        elif owner.use == "set" or (owner.use == "summed" and not sums):
            if owner.use == "set":
                action, reason = f"assigns to expression {fluent} twice", f"it assigns to {fluent} twice"
            else:
                action = f"both assigns to and updates expression {fluent}"
                reason = f"it both assigns to and updates {fluent}"
            raise _CollisionError(
                Conflict(place, "changes", fluent, None, reason, f"{self._actions[place]} {action}\n")
            )
        elif owner.use == "summed":
            # The missing blank is VAL's.
            self._warn(place, f"assigns to expression {fluent}twice")
        else:
            owner.use = "summed" if sums else "set"

    # ── words ────────────────────────────────────────────────────────────────────────────────────

    def _warn(self, place: int, action: str) -> None:
        self.warnings.append(f"WARNING: {self._actions[place]} {action}")

    def _and(self, owner: _Owner) -> str:
        return "" if owner.place is None else f" and {self._actions[owner.place]}"

    def _collide(self, place: int, claim: str, atom: GroundAtom, owner: _Owner, clause: str) -> NoReturn:
        other = owner.place
        if other is None and len(self._actions) == 2:
            other = 1 - place
        others = "several others have" if other is None else f"{self._actions[other]} has"
        reason = f"it {claim} {atom}, with which {others} to do at the same time"
        text = f"Mutex violation: {self._actions[place]} {clause}"
        raise _CollisionError(Conflict(place, claim, atom, owner.place, reason, text))

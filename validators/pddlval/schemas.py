"""Actions, compiled: what schemas and ground actions need, and what they change in a state.

A ground action is met again and again (in the plans of a batch, in the walks of an agent), so what does not depend
on the state is computed once for each: static preconditions, equalities, constant costs, and the bits of its atoms.

All conditions and all amounts of an effect are read in the state before the action, and what it changes comes in the
order in which VAL tells it: the effects at the top first, then those under ``when``, then those under ``forall``, whose
objects come in alphabetic order; each kind in the order of the file. Of the numeric updates those under ``when`` come
before those at the top.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from math import prod
from operator import itemgetter
from typing import NamedTuple

from pddl2nl.lean import dataclass
from pddl2nl.limits import LIMITS
from pddl2nl.pddl import (
    ActionSchema,
    And,
    Arithmetic,
    Atom,
    Condition,
    Effect,
    Equality,
    Fluent,
    Forall,
    GroundAtom,
    Not,
    UnsupportedError,
    Update,
    When,
    conjuncts,
    is_variable,
    substitute,
)
from pddl2nl.pddl import Number as NumberNode
from pddlval.formulas import fluents_in, has_comparison, names_in, negation_normal, predicates_in, updates_in
from pddlval.numeric import UndefinedError, bounded, evaluate, exact
from pddlval.plans import GroundAction
from pddlval.semantics import Binding, ground_atom, ground_fluent, unmet
from pddlval.state import BIT, BITS, Chunks, Levels, Number, State, StateLayout, changed_levels

ADDITIVE = frozenset(("increase", "decrease"))
"""The updates that add up in any order."""

_FEW_INSTANCES = 32
"""So few choices of objects are all tried; of more, those that satisfy the static conditions are looked up."""


class Change(NamedTuple):
    """A numeric update with its amount; ``operator`` is assign, increase, decrease, scale-up or scale-down."""

    fluent: GroundAtom
    operator: str
    amount: Number


class Outcome(NamedTuple):
    """The effects of an action that happen in one state, also those that leave it as it is."""

    deletes: tuple[GroundAtom, ...] = ()
    adds: tuple[GroundAtom, ...] = ()
    updates: tuple[Change, ...] = ()

    def conflict(self) -> GroundAtom | None:
        """A fluent that the action updates more than once; None is the rule.

        Only increases and decreases add up; all else has no order (Fox and Long 2003, definition 12), and VAL too
        refuses it.
        """
        first: dict[GroundAtom, str] = {}
        for fluent, operator, _ in self.updates:
            if fluent not in first:
                first[fluent] = operator
            elif not {first[fluent], operator} <= ADDITIVE:
                return fluent
        return None


# ── effects of a schema ──────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class EffectBlock:
    """An effect of an action schema: what is at its top, what is conditional, what is quantified."""

    adds: tuple[Atom, ...]
    deletes: tuple[Atom, ...]
    updates: tuple[Update, ...]
    whens: tuple[tuple[Guard, EffectBlock], ...]
    foralls: tuple[Quantified, ...]

    @classmethod
    def of(cls, effect: Effect, layout: StateLayout) -> EffectBlock:
        """The parts of an effect."""
        adds: list[Atom] = []
        deletes: list[Atom] = []
        updates: list[Update] = []
        whens: list[tuple[Guard, EffectBlock]] = []
        foralls: list[Quantified] = []
        for part in conjuncts(effect):
            match part:
                case Atom():
                    adds.append(part)
                case Not(Atom() as atom):
                    deletes.append(atom)
                case Update():
                    updates.append(part)
                case When(condition, body):
                    whens.append((Guard.of(condition, layout), cls.of(body, layout)))
                case Forall(body=body):
                    names = tuple([item.name for item in part.parameters])
                    objects = tuple([tuple(sorted(layout.task.objects_of(item.types))) for item in part.parameters])
                    foralls.append(Quantified(part, names, objects, _static_part(part, layout), cls.of(body, layout)))
                case _:
                    raise TypeError(f"not an executable effect: {type(part).__name__}")
        return cls(tuple(adds), tuple(deletes), tuple(updates), tuple(whens), tuple(foralls))

    @property
    def conditional(self) -> bool:
        """Whether it has conditional or quantified parts."""
        return bool(self.whens or self.foralls)


@dataclass(frozen=True, slots=True)
class Guard:
    """The condition of an effect: literals, which are looked up, and the rest.

    A condition that compares numbers is not taken apart: what is read first matters there.
    """

    literals: tuple[tuple[Atom, bool], ...]
    rest: tuple[Condition, ...]
    compares: bool

    @classmethod
    def of(cls, condition: Condition, layout: StateLayout) -> Guard:
        """The parts of a condition."""
        normal = negation_normal(condition)
        if has_comparison(normal, layout.partial):
            return cls((), (condition,), compares=True)
        parts = [(part.body, False) if isinstance(part, Not) else (part, True) for part in conjuncts(normal)]
        literals = tuple([(part, positive) for part, positive in parts if isinstance(part, Atom)])
        rest = tuple([part if positive else Not(part) for part, positive in parts if not isinstance(part, Atom)])
        return cls(literals, rest, compares=False)


@dataclass(frozen=True, slots=True)
class Quantified:
    """A quantified effect; ``static`` is what no state can change of the condition that all of it depends on."""

    effect: Forall
    names: tuple[str, ...]
    objects: tuple[tuple[str, ...], ...]
    """The objects of each variable, in alphabetic order."""
    static: Condition | None
    block: EffectBlock

    def instances(self, binding: Binding, layout: StateLayout) -> tuple[int, Iterable[tuple[str, ...]]]:
        """The choices of objects with which something may happen, in alphabetic order, and how many they are.

        Of more than `LIMITS.instances` they are not all given.
        """
        count = prod(map(len, self.objects))
        if self.static is None or count <= _FEW_INSTANCES:
            return count, product(*self.objects)
        solutions = layout.engine.solutions(self.static, self.effect.parameters, binding)
        chosen = sorted(islice(solutions, LIMITS.instances + 1))
        return len(chosen), chosen


def _static_part(effect: Forall, layout: StateLayout) -> Condition | None:
    """Of a conditional effect under a quantifier, the static conditions.

    Six levels of eleven values each are nearly two million choices, and hardly one makes an effect happen.
    """
    names = {parameter.name for parameter in effect.parameters}
    parts = tuple(conjuncts(effect.body))
    if len(parts) != 1 or not isinstance(parts[0], When) or len(names) < len(effect.parameters):
        return None
    condition = negation_normal(parts[0].condition)
    if has_comparison(condition, layout.partial):
        # What is read first matters there.
        return None
    static = [part for part in conjuncts(condition) if predicates_in(part).isdisjoint(layout.dynamic)]
    return And(tuple(static)) if static else None


# ── effects of a ground action ───────────────────────────────────────────────────────────────────


class GroundEffect(NamedTuple):
    """Effects that happen where all literals and all tests hold."""

    literals: tuple[tuple[GroundAtom, bool], ...] = ()
    tests: tuple[tuple[Condition, Binding], ...] = ()
    deletes: tuple[GroundAtom, ...] = ()
    adds: tuple[GroundAtom, ...] = ()
    updates: tuple[tuple[Update, Binding], ...] = ()


_ALWAYS = GroundEffect()


class Instances:
    """Takes the effect of a ground action apart, for all states or for one, in VAL's order.

    Raises (while the parts are made):
        UnsupportedError: the quantified effects have too many instances.
    """

    def __init__(self, layout: StateLayout, action: GroundAction, state: State | None = None):
        self._layout = layout
        self._action = action
        self._state = state
        self._seen = 0

    def parts(self, block: EffectBlock, binding: Binding, outer: GroundEffect = _ALWAYS) -> Iterator[GroundEffect]:
        """The parts of an effect, in the order in which they happen."""
        literals, tests, *_ = outer
        if block.deletes or block.adds:
            deletes = tuple([ground_atom(atom, binding) for atom in block.deletes])
            yield GroundEffect(literals, tests, deletes, tuple([ground_atom(atom, binding) for atom in block.adds]))
        for guard, inner in block.whens:
            guarded = self._guarded(guard, binding, outer)
            if guarded is not None:
                if guard.compares:
                    # What the condition reads must have a value in any case.
                    yield guarded
                yield from self.parts(inner, binding, guarded)
        if block.updates:
            yield GroundEffect(literals, tests, updates=tuple([(update, binding) for update in block.updates]))
        for quantified in block.foralls:
            count, choices = quantified.instances(binding, self._layout)
            self._seen += count
            if self._seen > LIMITS.instances:
                raise UnsupportedError(
                    f"the effect (forall ({' '.join(quantified.names)}) …) of action {self._action} has more than"
                    f" {LIMITS.instances:,} instances, too many to execute"
                )
            for objects in choices:
                chosen = dict(zip(quantified.names, objects, strict=True))
                yield from self.parts(quantified.block, {**binding, **chosen}, outer)

    def _guarded(self, guard: Guard, binding: Binding, outer: GroundEffect) -> GroundEffect | None:
        """The outer conditions and these; None where these never hold, or do not in the one state."""
        state, statics = self._state, self._layout.static_atoms
        literals = list(outer.literals)
        for atom, positive in guard.literals:
            ground = ground_atom(atom, binding)
            if state is not None:
                held = state.true(ground)
            elif atom.predicate not in self._layout.dynamic:
                held = ground in statics
            else:
                literals.append((ground, positive))
                continue
            if held is not positive:
                return None
        return GroundEffect(tuple(literals), (*outer.tests, *[(condition, binding) for condition in guard.rest]))


def outcome_of(parts: Iterable[GroundEffect], state: State) -> Outcome:
    """What happens of these parts in a state.

    Raises:
        UndefinedError: an amount or a condition reads a fluent that has no value.
    """
    deletes: list[GroundAtom] = []
    adds: list[GroundAtom] = []
    updates: list[Change] = []
    true, holds = state.true, state.layout.holds
    for part in parts:
        for atom, positive in part.literals:
            if true(atom) is not positive:
                break
        else:
            if part.tests and not all(holds(condition, state, binding) for condition, binding in part.tests):
                continue
            deletes += part.deletes
            adds += part.adds
            for update, binding in part.updates:
                amount = evaluate(update.value, state.level, binding)
                updates.append(Change(ground_fluent(update.fluent, binding), update.operator, amount))
    return Outcome(tuple(deletes), tuple(adds), tuple(updates))


def changed_chunks(state: State, outcomes: Sequence[Outcome]) -> Chunks:
    """A state's integers after effects that happen together: all deletes, then all adds."""
    number = state.layout.number
    chunks = list(state.chunks)
    for atom in [atom for outcome in outcomes for atom in outcome.deletes]:
        chunk, place = divmod(number(atom), BITS)
        if chunk < len(chunks):
            chunks[chunk] &= ~BIT[place]
    for atom in [atom for outcome in outcomes for atom in outcome.adds]:
        chunk, place = divmod(number(atom), BITS)
        chunks.extend([0] * (chunk + 1 - len(chunks)))
        chunks[chunk] |= BIT[place]
    while chunks and not chunks[-1]:
        chunks.pop()
    return tuple(chunks)


def updated_levels(state: State, updates: Sequence[Change]) -> Levels:
    """The numeric values after these updates, one after the other.

    A fluent that has no value yet counts as 0, as in VAL: many problems leave ``(= (total-cost) 0)`` out.

    Raises:
        UndefinedError: a fluent is scaled down by zero.
        UnsupportedError: a number is too large to compute with.
    """
    values: dict[int, Number] = {}
    for change in updates:
        place = state.layout.place(change.fluent)
        before = values[place] if place in values else state.level(change.fluent) or 0
        values[place] = _updated(change, before)
    return changed_levels(state.levels, values)


def _updated(change: Change, before: Number) -> Number:
    fluent, operator, amount = change
    if operator == "increase":
        after: Number = before + amount
    elif operator == "assign":
        after = amount
    elif operator == "decrease":
        after = before - amount
    elif operator == "scale-up":
        after = before * amount
    elif amount:
        after = Fraction(before) / amount
    else:
        divided = Fluent(fluent[0], tuple(fluent[1:]))
        raise UndefinedError(Arithmetic("/", (divided, NumberNode(Fraction(0)))))
    return exact(bounded(after))


# ── schemas and ground actions ───────────────────────────────────────────────────────────────────

_FULL = (1 << BITS) - 1

_MOST_PARTS = 10_000
"""Of an action with more conditional effects the parts are made anew each time: they would fill the memory."""

Pick = Callable[[Sequence[str]], tuple[str, ...]]
"""Picks the names of an atom out of a schema's constants and a ground action's arguments."""

Masks = tuple[tuple[int, int], ...]
"""Bits of a state: which of its integers, and which bits of that one."""


class Schema:
    """An action schema, compiled.

    Attributes:
        needed, forbidden: the atoms that actions change among the literals of the precondition.
        static_checks: the static ones, and whether they must be true.
        equalities: the places of two names, and whether they must be equal.
        others: all else in the precondition; None if there is nothing else.
        may_fail: whether the effects may have no value, or contradict each other: the precondition does not tell.
        constant: whether the effects are the same in every state.
    """

    def __init__(self, node: ActionSchema, layout: StateLayout):
        self.node = node
        self.name = node.name
        self.layout = layout
        self.parameters = tuple(parameter.name for parameter in node.parameters)
        precondition = negation_normal(node.precondition)
        names = dict.fromkeys((*names_in(precondition), *names_in(node.effect)))
        self.constants = tuple(name for name in names if not is_variable(name))
        self._slots = {name: slot for slot, name in enumerate((*self.constants, *self.parameters))}
        self.static_checks: list[tuple[Pick, bool]] = []
        self.equalities: list[tuple[int, int, bool]] = []
        changing: dict[bool, list[Atom]] = {True: [], False: []}
        others: list[Condition] = []
        for part in conjuncts(precondition):
            positive, body = (False, part.body) if isinstance(part, Not) else (True, part)
            if isinstance(body, Equality):
                self.equalities.append((self._slots[body.left], self._slots[body.right], positive))
            elif not isinstance(body, Atom) or body.predicate in layout.derived:
                others.append(part)
            elif body.predicate in layout.changing:
                changing[positive].append(body)
            else:
                self.static_checks.append((self._pick(body), positive))
        self.needed, self.forbidden = self._picks(changing[True]), self._picks(changing[False])
        self.others = And(tuple(others)) if others else None
        self.effect = EffectBlock.of(node.effect, layout)
        self.added, self.deleted = self._picks(self.effect.adds), self._picks(self.effect.deletes)
        updates = list(updates_in(node.effect))
        self.may_fail = bool(updates) or has_comparison(node.effect, layout.partial)
        read = {fluent.name for update in updates for fluent in fluents_in(update.value)}
        self.constant = not self.effect.conditional and read.isdisjoint(layout.functions)

    def _pick(self, atom: Atom) -> Pick:
        names = (atom.predicate, *atom.args)
        return itemgetter(*[self._slots[name] for name in names]) if atom.args else lambda _: names

    def _picks(self, atoms: Iterable[Atom]) -> tuple[Pick, ...]:
        return tuple(map(self._pick, dict.fromkeys(atoms)))

    @cached_property
    def test(self) -> Callable[..., bool]:
        """The test of the `others`: a function of the tables of a state and the numbers of the arguments."""
        assert self.others is not None
        return self.layout.engine.test(self.others, self.parameters)


class Ground:
    """A ground action of a task, compiled.

    ``possible`` is false where a static precondition or an equality fails: then it is applicable in no state.
    """

    __slots__ = (
        "_fixed",
        "_last",
        "_operations",
        "_parts",
        "_simple",
        "action",
        "forbidden",
        "needed",
        "possible",
        "schema",
    )

    def __init__(self, schema: Schema, action: GroundAction):
        self.schema = schema
        self.action = action
        layout = schema.layout
        slots = (*schema.constants, *action.args)
        self.possible = _possible(schema, slots)
        self.needed = _masks(layout, schema.needed, slots)
        self.forbidden = _masks(layout, schema.forbidden, slots)
        # Of an atom both deleted and added the add wins (Fox and Long 2003, definition 6): what is kept comes first.
        kept, added = dict(_masks(layout, schema.deleted, slots)), dict(_masks(layout, schema.added, slots))
        self._operations = tuple([(at, _FULL & ~kept.get(at, 0), added.get(at, 0)) for at in {**kept, **added}])
        self._last: tuple[State, Outcome] | None = None
        self._parts: tuple[GroundEffect, ...] | None = None
        """The parts of the effect for all states; empty if they are too many to keep."""
        self._fixed: Outcome | None = None
        self._simple = not (schema.others or schema.may_fail)
        if schema.constant:
            self._fix()

    def _fix(self) -> None:
        try:
            self._fixed = outcome_of(self._made_parts(), self.schema.layout.empty)
        except UndefinedError:
            return
        scales = any(change.operator == "scale-down" for change in self._fixed.updates)
        self._simple = not (self.schema.others or scales or self._fixed.conflict())

    @property
    def uses(self) -> tuple[Masks, Masks] | None:
        """The bits of the atoms that it reads, and of those that it changes; None if that does not tell all.

        It does where it reads and changes nothing but atoms, none twice, and does not make true what it needs.
        """
        fixed = self._fixed
        if not self._simple or fixed is None or fixed.updates:
            return None
        if len({*fixed.deletes, *fixed.adds}) < len(fixed.deletes) + len(fixed.adds):
            return None
        needed, forbidden = dict(self.needed), dict(self.forbidden)
        for chunk, kept, added in self._operations:
            if added & needed.get(chunk, 0) or ~kept & forbidden.get(chunk, 0):
                return None
        changed = tuple([(chunk, ~kept & _FULL | added) for chunk, kept, added in self._operations])
        return (*self.needed, *self.forbidden), changed

    def applicable(self, state: State) -> bool:
        """Whether the action can be executed in a state."""
        return self._literals_hold(state) and (self._simple or self._after(state) is not None)

    def _literals_hold(self, state: State) -> bool:
        if not self.possible:
            return False
        chunks = state.chunks
        count = len(chunks)
        for chunk, mask in self.needed:
            if chunk >= count or chunks[chunk] & mask != mask:
                return False
        for chunk, mask in self.forbidden:  # noqa: SIM110 (a generator costs more than the checks)
            if chunk < count and chunks[chunk] & mask:
                return False
        return True

    def successor(self, state: State) -> State | None:
        """The state after the action; None where it is not applicable."""
        if not self._literals_hold(state):
            return None
        if self._simple and self._fixed is not None:
            # All that it does is known: nearly all actions of nearly all tasks are so.
            updates = self._fixed.updates
            levels = updated_levels(state, updates) if updates else state.levels
            return State(state.layout, self.applied(state.chunks), levels)
        return self._after(state)

    def _after(self, state: State) -> State | None:
        """The state after the action, whose literals hold; None where something else does not."""
        schema, layout = self.schema, state.layout
        try:
            if schema.others is not None:
                numbers = layout.engine.numbered(self.action.args)
                if not layout.engine.ask(state, schema.test, *numbers):
                    return None
            outcome = self.outcome(state)
            if outcome.conflict() is not None:
                return None
            levels = updated_levels(state, outcome.updates) if outcome.updates else state.levels
        except UndefinedError:
            return None
        conditional = schema.effect.conditional
        return State(layout, changed_chunks(state, (outcome,)) if conditional else self.applied(state.chunks), levels)

    def outcome(self, state: State) -> Outcome:
        """The effects that happen in a state.

        Raises:
            UndefinedError: a numeric effect, or the condition of an effect, reads a fluent that has no value.
            UnsupportedError: quantified effects have too many instances.
        """
        if self._fixed is not None:
            return self._fixed
        if self._last is None:
            # Most actions are met in one state: only what happens there is computed.
            self._last = state, outcome_of(self._made_parts(state), state)
        elif self._last[0] is not state and self._last[0] != state:
            if self._parts is None:
                parts = tuple(islice(self._made_parts(), _MOST_PARTS + 1))
                self._parts = parts if len(parts) <= _MOST_PARTS else ()
            self._last = state, outcome_of(self._parts or self._made_parts(state), state)
        return self._last[1]

    def _made_parts(self, state: State | None = None) -> Iterator[GroundEffect]:
        return Instances(self.schema.layout, self.action, state).parts(self.schema.effect, self.binding())

    def applied(self, chunks: Chunks) -> Chunks:
        """A state's integers after the action, whose effects on atoms are the same in every state."""
        operations = self._operations
        if len(operations) == len(chunks) == 1 and operations[0][0] == 0:
            # Small tasks have but this one.
            _, kept, added = operations[0]
            alone = chunks[0] & kept | added
            return (alone,) if alone else ()
        after = list(chunks)
        for chunk, kept, added in operations:
            if chunk >= len(after):
                after.extend([0] * (chunk + 1 - len(after)))
            after[chunk] = after[chunk] & kept | added
        while after and not after[-1]:
            after.pop()
        return tuple(after)

    def precondition(self) -> Condition:
        """The ground precondition, nested as in the file."""
        return substitute(self.schema.node.precondition, self.binding())

    def unmet(self, state: State) -> tuple[Condition, ...]:
        """The smallest parts of the precondition that fail; where none does, what has no value, as ``(= (f) (f))``."""
        failing = unmet(self.schema.node.precondition, state, self.binding(), state.layout.holds)
        if failing or (self.possible and self._simple):
            return failing
        try:
            updated_levels(state, self.outcome(state).updates)
        except UndefinedError as error:
            return (error.condition,)
        return ()

    def conflict(self, state: State) -> GroundAtom | None:
        """The fluent that the numeric effects contradict each other about in a state; None is the rule."""
        try:
            return self.outcome(state).conflict() if self.schema.may_fail else None
        except UndefinedError:
            return None

    def binding(self) -> dict[str, str]:
        """The arguments by the names of the parameters."""
        return dict(zip(self.schema.parameters, self.action.args, strict=True))


def _possible(schema: Schema, slots: Sequence[str]) -> bool:
    for one, other, positive in schema.equalities:
        if (slots[one] == slots[other]) is not positive:
            return False
    atoms = schema.layout.static_atoms
    for pick, positive in schema.static_checks:  # noqa: SIM110 (a generator costs more than the checks)
        if (pick(slots) in atoms) is not positive:
            return False
    return True


def _masks(layout: StateLayout, picks: Sequence[Pick], slots: Sequence[str]) -> Masks:
    masks: dict[int, int] = {}
    for pick in picks:
        chunk, place = divmod(layout.number(GroundAtom(pick(slots))), BITS)
        masks[chunk] = masks.get(chunk, 0) | BIT[place]
    return tuple(masks.items())


class Schemas:
    """A task's schemas by name; each is compiled when first asked for, since some domains have thousands."""

    def __init__(self, nodes: Iterable[ActionSchema], layout: StateLayout):
        self._layout = layout
        self._nodes = {node.name: node for node in nodes}
        self._compiled: dict[str, Schema] = {}

    def __getitem__(self, name: str) -> Schema:
        schema = self._compiled.get(name)
        if schema is None:
            schema = self._compiled[name] = Schema(self._nodes[name], self._layout)
        return schema

    def node(self, name: str) -> ActionSchema | None:
        """The schema as it was read, or None where there is none of that name."""
        return self._nodes.get(name)

"""Action schemas and ground actions, compiled: everything that does not depend on a state is computed once.

A ground action is met again and again (in the plans of a batch, in the walks of an agent), so what does not depend
on the state is done once for each: static preconditions, equalities, constant costs, and the bits of its atoms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice
from operator import itemgetter
from typing import Literal

from pddl2nl.lean import dataclass
from pddl2nl.pddl import (
    ActionSchema,
    And,
    Atom,
    Comparison,
    Condition,
    Equality,
    GroundAtom,
    Not,
    conjuncts,
    is_variable,
    substitute,
)
from pddlval.effects import Block, Instances, Masks, Outcome, Part, outcome_of, updated_levels
from pddlval.formulas import fluents_in, has_comparison, names_in, negation_normal, updates_in
from pddlval.numeric import UndefinedError, ValueReader, value_reader
from pddlval.plans import GroundAction
from pddlval.semantics import compare, unmet
from pddlval.state import BIT, BITS, Chunks, Layout, Levels, State

__all__ = ["Ground", "LiftedLiteral", "Schema", "Schemas"]

_FULL = (1 << BITS) - 1

_MOST_PARTS = 10_000
"""Of an action with more conditional effects the parts are made anew each time: they would fill the memory."""

Pick = Callable[[Sequence[str]], tuple[str, ...]]
"""Picks the names of an atom out of a schema's constants and a ground action's arguments."""

Test = Callable[..., bool]


@dataclass(frozen=True, slots=True)
class LiftedLiteral:
    """A literal of a schema; ``kind`` says where its truth comes from: equality, static or changing atoms."""

    positive: bool
    predicate: str
    terms: tuple[str, ...]
    kind: Literal["equality", "static", "changing"]


class Schema:
    """An action schema, compiled.

    ``literals`` are the members of its precondition that are literals once ``not`` is pushed inward, in the order of
    the file; ``comparisons`` compare numbers; ``others`` is all else.
    """

    def __init__(self, node: ActionSchema, layout: Layout):
        self.node = node
        self.name = node.name
        self.layout = layout
        self.parameters = tuple(parameter.name for parameter in node.parameters)
        precondition = negation_normal(node.precondition)
        names = dict.fromkeys((*names_in(precondition), *names_in(node.effect)))
        self.constants = tuple(name for name in names if not is_variable(name))
        self._slots = {name: slot for slot, name in enumerate((*self.constants, *self.parameters))}
        literals: list[LiftedLiteral] = []
        comparisons: list[tuple[Comparison, bool]] = []
        others: list[Condition] = []
        for part in conjuncts(precondition):
            positive, body = (False, part.body) if isinstance(part, Not) else (True, part)
            if isinstance(body, Equality):
                literals.append(LiftedLiteral(positive, "=", (body.left, body.right), "equality"))
            elif isinstance(body, Atom) and body.predicate not in layout.derived:
                kind: Literal["static", "changing"] = "changing" if body.predicate in layout.changing else "static"
                literals.append(LiftedLiteral(positive, body.predicate, body.args, kind))
            elif isinstance(body, Comparison):
                comparisons.append((body, positive))
            else:
                others.append(part)
        self.literals = tuple(literals)
        self.comparisons = tuple(comparisons)
        self.others = And(tuple(others)) if others else None
        self.effect = Block.of(node.effect, layout)
        self._lay_out_atoms()
        updates = list(updates_in(node.effect))
        self.has_updates = bool(updates)
        self.may_fail = self.has_updates or has_comparison(node.effect, layout.statics.partial)
        """Whether the effects may have no value, or contradict each other: what the precondition does not tell."""
        read = {fluent.name for update in updates for fluent in fluents_in(update.value)}
        self.constant = not self.effect.conditional and read.isdisjoint(layout.functions)
        """Whether the effects are the same in every state."""

    @cached_property
    def test(self) -> Test:
        """The test of the `others`: a function of the tables of a state and the numbers of the arguments."""
        assert self.others is not None
        return self.layout.engine.test(self.others, self.parameters)

    def slots(self, arguments: Sequence[str]) -> tuple[str, ...]:
        """What a ground action's atoms are picked from."""
        return (*self.constants, *arguments)

    def _pick(self, names: tuple[str, ...]) -> Pick:
        if len(names) == 1:
            return lambda _: names
        return itemgetter(*[self._slots[name] for name in names])

    def _lay_out_atoms(self) -> None:
        """Lists the atoms that actions change, each once: an atom needed and deleted is looked up once."""
        patterns: dict[tuple[str, ...], int] = {}

        def index(predicate: str, terms: Sequence[str]) -> int:
            return patterns.setdefault((predicate, *terms), len(patterns))

        changing = [literal for literal in self.literals if literal.kind == "changing"]
        self.needed = tuple(index(literal.predicate, literal.terms) for literal in changing if literal.positive)
        self.forbidden = tuple(index(literal.predicate, literal.terms) for literal in changing if not literal.positive)
        self.added = tuple([index(atom.predicate, atom.args) for atom in self.effect.adds])
        self.deleted = tuple([index(atom.predicate, atom.args) for atom in self.effect.deletes])
        self.patterns = tuple(map(self._pick, patterns))
        self.static_checks = tuple(
            (self._pick((literal.predicate, *literal.terms)), literal.positive)
            for literal in self.literals
            if literal.kind == "static"
        )
        self.equalities = tuple(
            (self._slots[literal.terms[0]], self._slots[literal.terms[1]], literal.positive)
            for literal in self.literals
            if literal.kind == "equality"
        )


class Ground:
    """A ground action of a task, compiled.

    ``possible`` is false where a static precondition or an equality fails: then it is applicable in no state.
    """

    __slots__ = (
        "_comparisons",
        "_fixed",
        "_numbers",
        "_once",
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
        slots = schema.slots(action.args)
        self.possible = _possible(schema, slots, layout.statics.atoms)
        atoms = [GroundAtom(pick(slots)) for pick in schema.patterns]
        number = layout.number
        bits = [divmod(number(atom), BITS) for atom in atoms]
        self.needed = _masks(schema.needed, bits)
        self.forbidden = _masks(schema.forbidden, bits)
        self._operations = _operations(schema, bits)
        self._simple = not (schema.others or schema.comparisons or schema.may_fail)
        self._fixed: Outcome | None = None
        self._parts: tuple[Part, ...] | None = None
        self._comparisons: tuple[tuple[str, bool, ValueReader, ValueReader], ...] | None = None
        self._numbers: tuple[int, ...] | None = None
        self._once: tuple[Chunks, Levels, Outcome] | None = None
        if schema.constant:
            deletes = tuple([atoms[index] for index in schema.deleted])
            self._fix(deletes, tuple([atoms[index] for index in schema.added]))

    def _fix(self, deletes: tuple[GroundAtom, ...], adds: tuple[GroundAtom, ...]) -> None:
        schema = self.schema
        if not schema.has_updates:
            self._fixed = Outcome(deletes, adds)
            return
        try:
            found = outcome_of(self._made_parts(), schema.layout.empty)
        except UndefinedError:
            return
        self._fixed = found
        if found.conflict() is None and all(change.operator != "scale-down" for change in found.updates):
            self._simple = not (schema.others or schema.comparisons)

    def applicable(self, state: State) -> bool:
        """Whether the action can be executed in a state."""
        return self._literals_hold(state) and (self._simple or self._after(state) is not None)

    def _literals_hold(self, state: State) -> bool:
        if not self.possible:
            return False
        # As `effects.holds_in`, here once more because half of the time of a step is calls.
        chunks = state.chunks
        count = len(chunks)
        for chunk, mask in self.needed:
            if chunk >= count or chunks[chunk] & mask != mask:
                return False
        for chunk, mask in self.forbidden:  # noqa: SIM110
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
        schema = self.schema
        try:
            if schema.others is not None and not self._others_hold(state):
                return None
            if schema.comparisons and not self._comparisons_hold(state):
                return None
            outcome = self.outcome(state)
            if outcome.conflict() is not None:
                return None
            levels = updated_levels(state, outcome.updates) if outcome.updates else state.levels
        except UndefinedError:
            return None
        if schema.effect.conditional:
            return State(state.layout, changed_chunks(state, (outcome,)), levels)
        return State(state.layout, self.applied(state.chunks), levels)

    def _others_hold(self, state: State) -> bool:
        engine = self.schema.layout.engine
        if self._numbers is None:
            self._numbers = engine.numbered(self.action.args)
        return engine.ask(state, self.schema.test, *self._numbers)

    def _comparisons_hold(self, state: State) -> bool:
        if self._comparisons is None:
            binding, layout = self.binding(), self.schema.layout
            self._comparisons = tuple(
                [
                    (
                        one.operator,
                        positive,
                        value_reader(one.left, binding, layout),
                        value_reader(one.right, binding, layout),
                    )
                    for one, positive in self.schema.comparisons
                ]
            )
        levels, tolerance = state.levels, state.layout.tolerance
        for operator, positive, left, right in self._comparisons:
            if compare(operator, left(levels), right(levels), tolerance) is not positive:
                return False
        return True

    def outcome(self, state: State) -> Outcome:
        """The effects that happen in a state.

        Raises:
            UndefinedError: a numeric effect, or the condition of an effect, reads a fluent that has no value.
            UnsupportedError: quantified effects have too many instances.
        """
        schema = self.schema
        if self._fixed is not None:
            return self._fixed
        if self._parts is not None:
            return outcome_of(self._parts, state)
        if self._once is not None:
            chunks, levels, known = self._once
            if chunks is state.chunks and levels is state.levels:
                return known
        elif schema.effect.conditional:
            # Most actions are met in one state: only what happens there is computed.
            known = outcome_of(self._made_parts(state), state)
            self._once = (state.chunks, state.levels, known)
            return known
        made = self._made_parts()
        kept = list(islice(made, _MOST_PARTS))
        if len(kept) == _MOST_PARTS:
            return outcome_of(chain(kept, made), state)
        self._parts = tuple(kept)
        return outcome_of(kept, state)

    def _made_parts(self, state: State | None = None) -> Iterator[Part]:
        schema = self.schema
        return Instances(schema.layout, self.action, state).parts(schema.effect, self.binding())

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
        if not self.schema.has_updates:
            return None
        try:
            return self.outcome(state).conflict()
        except UndefinedError:
            return None

    def binding(self) -> dict[str, str]:
        """The arguments by the names of the parameters."""
        return dict(zip(self.schema.parameters, self.action.args, strict=True))


def changed_chunks(state: State, outcomes: Iterable[Outcome]) -> Chunks:
    """A state's integers after effects that happen together: all deletes, then all adds."""
    number = state.layout.number
    chunks = list(state.chunks)
    outcomes = tuple(outcomes)
    for outcome in outcomes:
        for atom in outcome.deletes:
            chunk, place = divmod(number(atom), BITS)
            if chunk < len(chunks):
                chunks[chunk] &= ~BIT[place]
    for outcome in outcomes:
        for atom in outcome.adds:
            chunk, place = divmod(number(atom), BITS)
            chunks.extend([0] * (chunk + 1 - len(chunks)))
            chunks[chunk] |= BIT[place]
    while chunks and not chunks[-1]:
        chunks.pop()
    return tuple(chunks)


def _possible(schema: Schema, slots: Sequence[str], static_atoms: frozenset[GroundAtom]) -> bool:
    for one, other, positive in schema.equalities:
        if (slots[one] == slots[other]) is not positive:
            return False
    for pick, positive in schema.static_checks:  # noqa: SIM110 (a generator costs more than the checks)
        if (pick(slots) in static_atoms) is not positive:
            return False
    return True


def _masks(which: Sequence[int], bits: Sequence[tuple[int, int]]) -> Masks:
    if len(which) == 1:
        chunk, place = bits[which[0]]
        return ((chunk, BIT[place]),)
    masks: dict[int, int] = {}
    for index in which:
        chunk, place = bits[index]
        masks[chunk] = masks.get(chunk, 0) | BIT[place]
    return tuple(masks.items())


def _operations(schema: Schema, bits: Sequence[tuple[int, int]]) -> tuple[tuple[int, int, int], ...]:
    """What the top of the effect does to a state's integers: which one, which bits it keeps, which it gets."""
    masks: dict[int, list[int]] = {}
    for index in schema.deleted:
        chunk, place = bits[index]
        masks.setdefault(chunk, [_FULL, 0])[0] &= ~BIT[place]
    for index in schema.added:
        chunk, place = bits[index]
        masks.setdefault(chunk, [_FULL, 0])[1] |= BIT[place]
    # Of an atom both deleted and added the add wins (Fox and Long 2003, definition 6): what is kept comes first.
    return tuple([(chunk, kept, added) for chunk, (kept, added) in masks.items()])


class Schemas:
    """A task's schemas by name; each is compiled when first asked for, since some domains have thousands."""

    def __init__(self, nodes: Iterable[ActionSchema], layout: Layout):
        self._layout = layout
        self._nodes = {node.name: node for node in nodes}
        self._compiled: dict[str, Schema] = {}

    def __getitem__(self, name: str) -> Schema:
        found = self._compiled.get(name)
        if found is None:
            found = self._compiled[name] = Schema(self._nodes[name], self._layout)
        return found

    def node(self, name: str) -> ActionSchema | None:
        """The schema as it was read, or None where there is none of that name."""
        return self._nodes.get(name)

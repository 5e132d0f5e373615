"""Action schemas compiled for speed, and ground actions worked out as far as they can be without a state.

A ground action is met again and again (in the plans of a batch, in the walks of an agent), so what does not depend
on the state is done once for each: static preconditions, equalities, constant costs, and the bits of its atoms.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pddl2nl.pddl import (
    ActionSchema,
    Atom,
    Condition,
    Equality,
    GroundAtom,
    Not,
    conjuncts,
    is_variable,
    substitute,
)
from pddlval.actions import GroundAction
from pddlval.conditions import Places, Slots, Test, compile_condition
from pddlval.effects import Outcome, Pick, compile_effect, picker, updated_levels
from pddlval.expansion import Masks, Part, expand, outcome_of
from pddlval.names import fluents_in, has_comparison, names_in, updates_in
from pddlval.normal_form import negation_normal
from pddlval.numeric import UndefinedError
from pddlval.semantics import unmet
from pddlval.state import BIT, BITS, Chunks, Layout, State

__all__ = ["Ground", "LiftedLiteral", "Schema", "Schemas"]

_FULL = (1 << BITS) - 1


@dataclass(frozen=True, slots=True)
class LiftedLiteral:
    """A literal of a schema; ``slots`` tells where its predicate and terms stand among the schema's slots.

    ``kind`` says where its truth comes from: equality, static atoms, atoms that actions change, derived ones.
    """

    positive: bool
    predicate: str
    terms: tuple[str, ...]
    slots: tuple[int, ...]
    kind: Literal["equality", "static", "changing", "derived"]
    pick: Pick


class Schema:
    """An action schema, compiled.

    ``literals`` are the members of its precondition that are literals once ``not`` is pushed inward, in the order of
    the file; ``tests`` are its other members and those that are derived, compiled. The slots of a ground action hold
    the schema's ``constants`` first, then the arguments, then room for what quantifiers bind.
    """

    def __init__(self, node: ActionSchema, layout: Layout):
        self.node = node
        self.name = node.name
        self.layout = layout
        self.parameters = tuple(parameter.name for parameter in node.parameters)
        self.types = {parameter.name: parameter.types for parameter in node.parameters}
        precondition = negation_normal(node.precondition)
        names = dict.fromkeys((*names_in(precondition), *names_in(node.effect)))
        self.constants = tuple(name for name in names if not is_variable(name))
        self.places = Places((*self.constants, *self.parameters))
        literals: list[LiftedLiteral] = []
        tested: list[Condition] = []
        others: list[Condition] = []
        for part in conjuncts(precondition):
            if isinstance(part.body if isinstance(part, Not) else part, Atom | Equality):
                literals.append(self._literal(part))
                if literals[-1].kind == "derived":
                    tested.append(part)
            else:
                others.append(part)
        self.literals = tuple(literals)
        self.effect = compile_effect(node.effect, self.places, layout)
        self.tests: tuple[Test, ...] = tuple(
            compile_condition(part, self.places, layout.statics, layout.dynamic, layout.changing)
            for part in (*tested, *others)
        )
        self._lay_out_atoms()
        updates = tuple(updates_in(node.effect))
        functions = {fluent.name for update in updates for fluent in fluents_in(update.value)}
        self.has_updates = bool(updates)
        self.needs_ground_check = bool(updates) or has_comparison(node.effect, layout.statics.partial)
        """Whether the effects may have no value, or contradict each other: what the precondition does not tell."""
        self.constant = not (updates or self.effect.conditional)
        """Whether the effects are the same in every state, and none is numeric."""
        self.constant_updates = not self.effect.conditional and functions.isdisjoint(layout.functions)
        """Whether the numeric effects are the same in every state."""

    def place(self, name: str) -> int:
        """The slot of a parameter or constant."""
        return self.places.place(name)

    def _literal(self, part: Condition) -> LiftedLiteral:
        positive, atom = (False, part.body) if isinstance(part, Not) else (True, part)
        if isinstance(atom, Equality):
            terms = (atom.left, atom.right)
            slots = tuple(self.place(name) for name in terms)
            return LiftedLiteral(positive, "=", terms, (-1, *slots), "equality", lambda _: ())
        assert isinstance(atom, Atom)
        kind: Literal["static", "changing", "derived"]
        names = (atom.predicate, *atom.args)
        if atom.predicate in self.layout.derived:
            kind = "derived"
        else:
            kind = "changing" if atom.predicate in self.layout.changing else "static"
        slots = tuple(self.place(name) for name in names)
        return LiftedLiteral(positive, names[0], names[1:], slots, kind, picker(names, self.places))

    def _lay_out_atoms(self) -> None:
        """Lists the atoms that actions change, each once: an atom needed and deleted is looked up once."""
        patterns: dict[tuple[str, ...], int] = {}

        def index(predicate: str, terms: Sequence[str]) -> int:
            return patterns.setdefault((predicate, *terms), len(patterns))

        changing = [literal for literal in self.literals if literal.kind == "changing"]
        self.needed = tuple(index(literal.predicate, literal.terms) for literal in changing if literal.positive)
        self.forbidden = tuple(index(literal.predicate, literal.terms) for literal in changing if not literal.positive)
        added: list[int] = []
        deleted: list[int] = []
        for part in conjuncts(self.node.effect):
            if isinstance(part, Atom):
                added.append(index(part.predicate, part.args))
            elif isinstance(part, Not) and isinstance(part.body, Atom):
                deleted.append(index(part.body.predicate, part.body.args))
        self.added, self.deleted = tuple(added), tuple(deleted)
        self.patterns = tuple(picker(names, self.places) for names in patterns)
        self.static_checks = tuple(
            (literal.pick, literal.positive) for literal in self.literals if literal.kind == "static"
        )
        self.equalities = tuple(
            (*literal.slots[1:], literal.positive) for literal in self.literals if literal.kind == "equality"
        )


class Ground:
    """A ground action of a task, worked out as far as possible without a state.

    ``possible`` is false where a static precondition or an equality fails, or a constant cost has no value: then it
    is applicable in no state. ``constant`` says that it changes the same atoms in every state, and no number.
    """

    __slots__ = (
        "_fixed",
        "_parts",
        "_simple",
        "_undefined",
        "_uses",
        "action",
        "constant",
        "forbidden",
        "needed",
        "operations",
        "possible",
        "schema",
        "slots",
    )

    def __init__(self, schema: Schema, action: GroundAction):
        self.schema = schema
        self.action = action
        slots = self.slots = schema.places.slots(action.args)
        layout = schema.layout
        self.possible = _possible(schema, slots, layout.statics.atoms)
        atoms = [GroundAtom(pick(slots)) for pick in schema.patterns]
        number = layout.number
        bits = [divmod(number(atom), BITS) for atom in atoms]
        self.needed = _masks(schema.needed, bits)
        self.forbidden = _masks(schema.forbidden, bits)
        self.operations = _operations(schema, bits)
        self.constant = schema.constant
        self._fixed: Outcome | None = None
        self._parts: tuple[Part, ...] | None = None
        self._uses = 0
        self._undefined: Condition | None = None
        self._simple = not (schema.tests or schema.needs_ground_check)
        if not schema.effect.conditional:
            adds = tuple([atoms[index] for index in schema.added])
            deletes = tuple([atoms[index] for index in schema.deleted])
            if not schema.has_updates:
                self._fixed = Outcome(deletes, adds)
            elif schema.constant_updates:
                self._fix_updates(deletes, adds)

    def _fix_updates(self, deletes: tuple[GroundAtom, ...], adds: tuple[GroundAtom, ...]) -> None:
        try:
            updates = self.schema.effect.changes(list(self.slots), self.schema.layout.empty)
        except UndefinedError as error:
            self.possible, self._undefined = False, error.condition
            return
        self._fixed = Outcome(deletes, adds, tuple(updates))
        certain = self._fixed.conflict() is None and all(change.operator != "scale-down" for change in updates)
        self._simple = certain and not self.schema.tests

    def applicable(self, state: State) -> bool:
        """Whether the action can be executed in a state."""
        if not self.possible:
            return False
        # As `expansion.holds_in`, here once more because half of the time of a step is calls.
        chunks = state.chunks
        count = len(chunks)
        for chunk, mask in self.needed:
            if chunk >= count or chunks[chunk] & mask != mask:
                return False
        for chunk, mask in self.forbidden:
            if chunk < count and chunks[chunk] & mask:
                return False
        return self._simple or self._passes(state)

    def _passes(self, state: State) -> bool:
        """Whether also what is no literal holds, and the numeric effects have values that do not conflict."""
        # A copy: quantifiers bind variables in it, and other threads may ask about the same action.
        slots = list(self.slots)
        try:
            for test in self.schema.tests:
                if not test(slots, state):
                    return False
            if self.schema.needs_ground_check:
                outcome = self.outcome(state)
                if outcome.conflict() is not None:
                    return False
                updated_levels(state, outcome.updates)
        except UndefinedError:
            return False
        return True

    def outcome(self, state: State) -> Outcome:
        """The effects that happen in a state.

        Raises:
            UndefinedError: a numeric effect, or the condition of an effect, reads a fluent that has no value.
        """
        if self._fixed is not None:
            return self._fixed
        if self._parts is None:
            self._uses += 1
            if self._uses == 2:
                # Taking the effects apart pays when the action is met again, in a batch or on a walk.
                self._parts = expand(self.schema.effect, list(self.slots), self.schema.layout)
        if self._parts is not None:
            return outcome_of(self._parts, state)
        return self.schema.effect.outcome(list(self.slots), state)

    def applied(self, chunks: Chunks) -> Chunks:
        """A state's integers after the action, whose effects on atoms are `fixed`."""
        operations = self.operations
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

    @property
    def fixed(self) -> bool:
        """Whether the action's effects on atoms are the same in every state."""
        return not self.schema.effect.conditional

    def precondition(self) -> Condition:
        """The ground precondition, nested as in the file."""
        return substitute(self.schema.node.precondition, self.binding())

    def unmet(self, state: State) -> tuple[Condition, ...]:
        """The smallest parts of the precondition that fail; where none does, what has no value, as ``(= (f) (f))``."""
        failing = unmet(self.schema.node.precondition, state, self.binding(), state.layout.holds)
        if failing or (self.possible and self._simple):
            return failing
        undefined = self._undefined or self._undefined_in(state)
        return () if undefined is None else (undefined,)

    def _undefined_in(self, state: State) -> Condition | None:
        try:
            updated_levels(state, self.outcome(state).updates)
        except UndefinedError as error:
            return error.condition
        return None

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


def _possible(schema: Schema, slots: Slots, static_atoms: frozenset[GroundAtom]) -> bool:
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

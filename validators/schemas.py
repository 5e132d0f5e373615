"""Action schemas compiled for speed: literals that are instantiated by picking slots out of one tuple.

A ground action is met again and again (in the plans of a batch, in the walks of an agent), so what does not depend
on the state is worked out once for each: static preconditions, equalities and costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from pddl2nl.pddl import (
    ActionSchema,
    Atom,
    Comparison,
    Condition,
    Equality,
    Fluent,
    GroundAtom,
    Not,
    Task,
    Update,
    changed_predicates,
    conjuncts,
    is_variable,
    substitute,
)
from pddl2nl.pddl import Number as NumberNode
from validators.actions import GroundAction
from validators.numeric import evaluate
from validators.semantics import unmet
from validators.state import Number, Statics
from validators.unsupported import fluents_in

__all__ = ["EQUALITY", "Ground", "LiftedLiteral", "Schema", "Schemas"]

EQUALITY = "="
"""The name under which ``(= s t)`` is held among the literals."""

Slots = Sequence[str]
"""Constants of the schema first, its arguments after them: what the literals are instantiated from."""


@dataclass(frozen=True, slots=True)
class LiftedLiteral:
    """A literal of a schema; ``slots`` tells where its predicate and terms stand among the schema's slots."""

    positive: bool
    predicate: str
    terms: tuple[str, ...]
    slots: tuple[int, ...]
    static: bool
    pick: Callable[[Slots], tuple[str, ...]]

    @property
    def variables(self) -> frozenset[str]:
        """The variables among its terms."""
        return frozenset(term for term in self.terms if is_variable(term))


@dataclass(frozen=True, slots=True)
class Ground:
    """A ground action of a task, worked out as far as possible without a state.

    ``possible`` is false where a static precondition or an equality fails, or a cost has no value: then it is
    applicable in no state. ``deletes`` and ``adds`` stand as in the file; ``removed`` is what is deleted and not
    added again: of an atom that an action both adds and deletes the add wins (Fox and Long 2003, definition 6).
    ``increases`` holds every numeric effect with its amount, ``undefined`` what has no value, as ``(= (f a) (f a))``.
    """

    action: GroundAction
    schema: Schema
    possible: bool
    positive: frozenset[GroundAtom]
    negative: frozenset[GroundAtom]
    adds: tuple[GroundAtom, ...]
    deletes: tuple[GroundAtom, ...]
    added: frozenset[GroundAtom]
    removed: frozenset[GroundAtom]
    increases: tuple[tuple[GroundAtom, Number], ...]
    undefined: tuple[Condition, ...]

    def applicable(self, changing: frozenset[GroundAtom] | set[GroundAtom]) -> bool:
        """Whether the precondition holds where these are the true atoms that actions change."""
        return self.possible and self.positive <= changing and self.negative.isdisjoint(changing)

    def precondition(self) -> Condition:
        """The ground precondition, nested as in the file."""
        return substitute(self.schema.node.precondition, self.binding())

    def unmet(self, true: Callable[[GroundAtom], bool]) -> tuple[Condition, ...]:
        """The members of the precondition that fail; where none does, the costs without a value, as ``undefined``."""
        return unmet(self.precondition(), true) or self.undefined

    def binding(self) -> dict[str, str]:
        """The arguments by the names of the parameters."""
        parameters = (parameter.name for parameter in self.schema.node.parameters)
        return dict(zip(parameters, self.action.args, strict=True))


class Schema:
    """An action schema, compiled; ``literals`` are its precondition's, in the order of the file."""

    def __init__(self, node: ActionSchema, changed: frozenset[str]):
        self.node = node
        self.name = node.name
        self.parameters = tuple(parameter.name for parameter in node.parameters)
        self.types = {parameter.name: parameter.types for parameter in node.parameters}
        self._places: dict[str, int] = {}
        parts = tuple(conjuncts(node.precondition))
        effects = tuple(conjuncts(node.effect))
        updates = [part for part in effects if isinstance(part, Update)]
        costs = [fluent for update in updates for fluent in fluents_in(update.value)]
        self._lay_out(parts + effects, [update.fluent for update in updates] + costs)
        self.literals = tuple(self._literal(part, changed) for part in parts)
        literals = [self._literal(part, changed) for part in effects if not isinstance(part, Update)]
        self.adds = tuple(literal for literal in literals if literal.positive)
        self.deletes = tuple(literal for literal in literals if not literal.positive)
        self.updates = tuple((self._picker((u.fluent.name, *u.fluent.args)), u.value) for u in updates)
        self.has_variable_cost = any(not isinstance(update.value, NumberNode) for update in updates)

    def _lay_out(self, parts: Sequence[Condition], fluents: Sequence[Fluent]) -> None:
        names: dict[str, None] = {}
        for part in parts:
            for name in _names_in(part):
                names.setdefault(name)
        for fluent in fluents:
            for name in (fluent.name, *fluent.args):
                names.setdefault(name)
        self.constants = tuple(name for name in names if not is_variable(name))
        for place, name in enumerate((*self.constants, *self.parameters)):
            self._places[name] = place

    def place(self, name: str) -> int:
        """The slot of a parameter or constant."""
        return self._places[name]

    def _picker(self, names: Sequence[str]) -> Callable[[Slots], tuple[str, ...]]:
        if len(names) > 1:
            return itemgetter(*(self._places[name] for name in names))
        alone = GroundAtom(names)
        return lambda _: alone

    def _literal(self, part: Condition, changed: frozenset[str]) -> LiftedLiteral:
        positive = True
        while isinstance(part, Not):
            positive, part = not positive, part.body
        if isinstance(part, Equality):
            names: tuple[str, ...] = (EQUALITY, part.left, part.right)
        else:
            assert isinstance(part, Atom)
            names = (part.predicate, *part.args)
        slots = tuple(self._places[name] for name in names)
        return LiftedLiteral(positive, names[0], names[1:], slots, names[0] not in changed, self._picker(names))

    def ground(self, action: GroundAction, statics: Statics) -> Ground:
        """The schema applied to an action's arguments, which must be as many as the parameters."""
        slots = (*self.constants, *action.args)
        possible = True
        positive: list[GroundAtom] = []
        negative: list[GroundAtom] = []
        for literal in self.literals:
            names = literal.pick(slots)
            if literal.predicate == EQUALITY:
                possible = possible and (names[1] == names[2]) is literal.positive
            elif literal.static:
                possible = possible and (names in statics.atoms) is literal.positive
            else:
                (positive if literal.positive else negative).append(GroundAtom(names))
        adds = tuple(GroundAtom(literal.pick(slots)) for literal in self.adds)
        deletes = tuple(GroundAtom(literal.pick(slots)) for literal in self.deletes)
        increases, undefined = self._increases(slots, statics.values, action)
        added = frozenset(adds)
        return Ground(
            action=action,
            schema=self,
            possible=possible and not undefined,
            positive=frozenset(positive),
            negative=frozenset(negative),
            adds=adds,
            deletes=deletes,
            added=added,
            removed=frozenset(deletes) - added,
            increases=increases,
            undefined=undefined,
        )

    def _increases(
        self, slots: Slots, values: Mapping[GroundAtom, Number], action: GroundAction
    ) -> tuple[tuple[tuple[GroundAtom, Number], ...], tuple[Condition, ...]]:
        """The numeric effects with their amounts, and what has no value and so lets the action never happen."""
        if not self.updates:
            return (), ()
        binding = dict(zip(self.parameters, action.args, strict=True))
        increases: list[tuple[GroundAtom, Number]] = []
        undefined: list[Condition] = []

        def value_of(fluent: GroundAtom) -> Number | None:
            ground = GroundAtom((fluent[0], *(binding.get(term, term) for term in fluent[1:])))
            value = values.get(ground)
            if value is None:
                missing = Fluent(ground[0], ground[1:])
                undefined.append(Comparison("=", missing, missing))
            return value

        for pick, expression in self.updates:
            amount = evaluate(expression, value_of)
            if amount is not None:
                increases.append((GroundAtom(pick(slots)), amount))
            elif not undefined:
                undefined.append(Comparison("=", expression, expression))
        return tuple(increases), tuple(dict.fromkeys(undefined))


def _names_in(part: Condition) -> tuple[str, ...]:
    while isinstance(part, Not):
        part = part.body
    match part:
        case Atom(predicate, args):
            return (predicate, *args)
        case Equality(left, right):
            return (EQUALITY, left, right)
    return ()


class Schemas:
    """A task's schemas by name; each is compiled when first asked for, since some domains have thousands."""

    def __init__(self, task: Task):
        self.changed = changed_predicates(task.domain)
        self._nodes = {node.name: node for node in task.domain.actions}
        self._compiled: dict[str, Schema] = {}

    def __getitem__(self, name: str) -> Schema:
        found = self._compiled.get(name)
        if found is None:
            found = self._compiled[name] = Schema(self._nodes[name], self.changed)
        return found

    def __iter__(self) -> Iterator[Schema]:
        """All of them, in the order of the domain file."""
        return (self[name] for name in self._nodes)

    def node(self, name: str) -> ActionSchema | None:
        """The schema as it was read, or None where there is none of that name."""
        return self._nodes.get(name)

"""The applicable actions of a state, found by joining preconditions and never by trying all arguments.

A schema's positive preconditions are relations over its parameters, as in a conjunctive query. Before any state is
looked at, static relations cut the objects that each parameter can take (a semijoin to the fixpoint). In a state the
schema's variables are bound depth first, step by step: a step looks up, in an index over one relation, the rows that
fit what is bound; which relation comes next is chosen by how many rows it is expected to give. A literal is checked
as soon as its variables are bound. Nothing is materialised but the indices, so the first action comes at once and
memory stays linear in the state.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

from pddl2nl.pddl import Task, is_variable
from validators.actions import GroundAction
from validators.relations import EQUAL_PAIRS, Index, Relations, StateRelations, rows_within
from validators.schemas import EQUALITY, LiftedLiteral, Schema
from validators.state import State, Statics

__all__ = ["SuccessorGenerator"]


@dataclass(frozen=True, slots=True)
class Check:
    """A literal whose variables are bound: its atom must be, or must not be, among those of its kind."""

    literal: LiftedLiteral

    def bind(self, statics: Statics, state: State) -> BoundCheck:
        """The check against one state."""
        literal = self.literal
        if literal.predicate == EQUALITY:
            return BoundCheck(itemgetter(*literal.slots[1:]), EQUAL_PAIRS, literal.positive)
        return BoundCheck(literal.pick, statics.atoms if literal.static else state.changing, literal.positive)


@dataclass(frozen=True, slots=True)
class BoundCheck:
    """A check against one state: whether what is picked is among ``atoms`` must equal ``wanted``."""

    pick: Callable[[Sequence[str]], object]
    atoms: Container[object]
    wanted: bool

    def passes(self, slots: Sequence[str]) -> bool:
        """Whether the slots, as far as they are bound, pass."""
        return (self.pick(slots) in self.atoms) is self.wanted


@dataclass(frozen=True, slots=True)
class Step:
    """Binding one or more variables: by a relation (`literal`), or by trying all objects of a type (None)."""

    literal: LiftedLiteral | None
    index: Index
    key: Callable[[Sequence[str]], object]
    new: tuple[int, ...]
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class JoinPlan:
    """The checks that need no variable, then the steps in order."""

    before: tuple[Check, ...]
    steps: tuple[Step, ...]


class SuccessorGenerator:
    """Enumerates applicable actions, always in the same order.

    Schemas come in file order. At every choice the objects come as the atoms of a static relation stand in the file,
    or by their declaration where a relation is one that actions change.
    """

    def __init__(self, task: Task, schemas: Iterable[Schema], statics: Statics):
        self._relations = Relations(task, statics)
        # Asking twice about one state is common, and keeping the indices of every state would fill the memory.
        self._last: tuple[State | None, StateRelations | None] = (None, None)
        self._joins = [SchemaJoin(schema, task, self._relations) for schema in schemas]

    def applicable(self, state: State) -> Iterator[GroundAction]:
        """The applicable actions of a state, lazily."""
        last, relations = self._last
        if relations is None or last is not state:
            relations = self._relations.of(state)
            self._last = (state, relations)
        for join in self._joins:
            yield from join.applicable(state, relations)


class SchemaJoin:
    """One schema's preconditions as a query."""

    def __init__(self, schema: Schema, task: Task, relations: Relations):
        self._schema = schema
        self._task = task
        self._relations = relations
        self._plans: dict[tuple[int, ...], JoinPlan] = {}
        self._changing = tuple(
            dict.fromkeys(lit.predicate for lit in schema.literals if lit.positive and not lit.static)
        )
        self._domains: dict[str, frozenset[str]] | None = None

    def applicable(self, state: State, relations: StateRelations) -> Iterator[GroundAction]:
        """The schema's applicable actions in a state."""
        sizes = tuple(relations.size(predicate) for predicate in self._changing)
        if 0 in sizes:
            return
        domains = self._reduced_domains()
        if not all(domains.values()):
            return
        # A plan is kept for as long as the relations have about the sizes it was made for.
        signature = tuple(size.bit_length() for size in sizes)
        plan = self._plans.get(signature)
        if plan is None:
            plan = self._plans[signature] = JoinOrder(self._schema, domains, relations).plan()
        yield from self._run(plan, state, relations)

    def _reduced_domains(self) -> dict[str, frozenset[str]]:
        """The objects that each parameter can take, static preconditions considered."""
        if self._domains is not None:
            return self._domains
        schema, task = self._schema, self._task
        domains = {name: frozenset(task.objects_of(types)) for name, types in schema.types.items()}
        literals = [lit for lit in schema.literals if lit.positive and lit.static and lit.predicate != EQUALITY]
        rows = [self._relations.static_rows(literal.predicate) for literal in literals]
        changed = True
        while changed:
            changed = False
            for number, literal in enumerate(literals):
                rows[number] = rows_within(rows[number], literal.terms, domains)
                for place, term in enumerate(literal.terms):
                    if is_variable(term):
                        left = domains[term].intersection(map(itemgetter(place), rows[number]))
                        changed = changed or len(left) < len(domains[term])
                        domains[term] = left
        self._domains = domains
        return domains

    def _run(self, plan: JoinPlan, state: State, relations: StateRelations) -> Iterator[GroundAction]:
        schema, statics = self._schema, self._relations.statics
        offset = len(schema.constants)
        slots = [*schema.constants, *("" for _ in schema.parameters)]
        if not all(check.bind(statics, state).passes(slots) for check in plan.before):
            return
        for _ in _bindings(plan, slots, state, relations, statics):
            action = GroundAction(schema.name, tuple(slots[offset:]))
            if not schema.has_variable_cost or schema.ground(action, statics).possible:
                yield action


def _bindings(
    plan: JoinPlan, slots: list[str], state: State, relations: StateRelations, statics: Statics
) -> Iterator[None]:
    """Fills the slots with every solution in turn, by depth-first search with an explicit stack."""
    if not plan.steps:
        yield
        return
    rows_of = [relations.index(step.index) for step in plan.steps]
    checks = [
        [(bound.pick, bound.atoms, bound.wanted) for bound in (check.bind(statics, state) for check in step.checks)]
        for step in plan.steps
    ]
    steps = plan.steps
    last = len(steps) - 1
    depth = 0
    waiting = [iter(rows_of[0].get(steps[0].key(slots), ()))] * len(steps)
    while depth >= 0:
        new, tests = steps[depth].new, checks[depth]
        for row in waiting[depth]:
            for slot, value in zip(new, row, strict=True):
                slots[slot] = value
            for pick, atoms, wanted in tests:
                if (pick(slots) in atoms) is not wanted:
                    break
            else:
                if depth < last:
                    depth += 1
                    waiting[depth] = iter(rows_of[depth].get(steps[depth].key(slots), ()))
                    break
                yield
        else:
            depth -= 1


class JoinOrder:
    """Chooses the order in which a schema's variables are bound."""

    def __init__(self, schema: Schema, domains: dict[str, frozenset[str]], relations: StateRelations):
        self._schema = schema
        self._domains = domains
        self._relations = relations
        self._bound: set[str] = set()
        self._pending = list(schema.literals)

    def plan(self) -> JoinPlan:
        """The cheapest next step again and again, by expected number of rows; ties go to the file's order."""
        before = self._take_checks()
        steps = []
        while len(self._bound) < len(self._schema.parameters):
            steps.append(self._next_step())
        return JoinPlan(before, tuple(steps))

    def _take_checks(self) -> tuple[Check, ...]:
        ready = [literal for literal in self._pending if literal.variables <= self._bound]
        self._pending = [literal for literal in self._pending if not literal.variables <= self._bound]
        # What costs nothing to look at comes first.
        ready.sort(key=lambda literal: (literal.predicate != EQUALITY, not literal.static))
        return tuple(Check(literal) for literal in ready)

    def _next_step(self) -> Step:
        relation: LiftedLiteral | None = None
        fewest = float("inf")
        for literal in self._pending:
            if literal.positive and literal.predicate != EQUALITY:
                rows = self._relations.expected_rows(literal, self._bound)
                if rows < fewest:
                    relation, fewest = literal, rows
        unbound = [name for name in self._schema.parameters if name not in self._bound]
        smallest = min(unbound, key=lambda name: len(self._domains[name]))
        if relation is None or len(self._domains[smallest]) < fewest:
            return self._trying_step(smallest)
        return self._join_step(relation)

    def _join_step(self, literal: LiftedLiteral) -> Step:
        schema = self._schema
        keys = tuple(place for place, term in enumerate(literal.terms) if not is_variable(term) or term in self._bound)
        fresh = [term for term in dict.fromkeys(literal.terms) if is_variable(term) and term not in self._bound]
        self._pending.remove(literal)
        self._bound.update(fresh)
        places = tuple(literal.terms.index(term) for term in fresh)
        repeats = tuple(
            (literal.terms.index(term), place)
            for place, term in enumerate(literal.terms)
            if term in fresh and literal.terms.index(term) != place
        )
        index = Index(
            literal.predicate, literal.static, keys, places, repeats, tuple(self._domains[term] for term in fresh)
        )
        slots = tuple(schema.place(literal.terms[place]) for place in keys)
        key: Callable[[Sequence[str]], object] = itemgetter(*slots) if slots else lambda _: ()
        return Step(literal, index, key, tuple(schema.place(term) for term in fresh), self._take_checks())

    def _trying_step(self, name: str) -> Step:
        self._bound.add(name)
        index = Index(None, True, (), (0,), (), (self._domains[name],))
        return Step(None, index, lambda _: (), (self._schema.place(name),), self._take_checks())

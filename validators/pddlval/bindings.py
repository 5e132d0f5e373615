"""The solutions of a schema's queries in one state: bindings of its parameters, by depth-first search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pddlval.actions import GroundAction
from pddlval.orders import BoundTests, Domains, JoinOrder, JoinPlan, Step, reduced_domains
from pddlval.places import Slots
from pddlval.queries import Branch, branches
from pddlval.relations import Relations, StateRelations
from pddlval.schemas import Schema

__all__ = ["BoundQuery", "BoundStep", "Query", "queries_of"]


def queries_of(schema: Schema, relations: Relations, partial: frozenset[str]) -> list[Query]:
    """A schema's queries, ready to be asked in any state.

    Args:
        schema: the schema.
        relations: the task's relations.
        partial: the derived predicates that a numeric fluent without a value can leave undefined.
    """
    return [Query(schema, branch, relations, partial) for branch in branches(schema, partial)]


class Query:
    """One branch of a schema's precondition."""

    def __init__(self, schema: Schema, branch: Branch, relations: Relations, partial: frozenset[str]):
        self.schema = schema
        self._branch = branch
        self._relations = relations
        self._partial = partial
        self._changing = tuple(
            dict.fromkeys(pattern.predicate for pattern in branch.patterns if pattern.kind == "changing")
        )
        self._domains: Domains | None = None
        self._plans: dict[tuple[int, ...], JoinPlan] = {}
        first = len(schema.constants)
        self.arguments = slice(first, first + len(schema.parameters))
        """Where the parameters stand among the slots."""

    def plan(self, relations: StateRelations) -> JoinPlan | None:
        """The plan for a state; None where it is clear that there is no solution."""
        signature = tuple([relations.size(predicate).bit_length() for predicate in self._changing])
        if 0 in signature:
            return None
        if self._domains is None:
            self._domains = reduced_domains(self.schema.types, self._branch, self._relations)
        if not all(self._domains.values()):
            return None
        # A plan serves for as long as the relations have about the sizes it was made for.
        plan = self._plans.get(signature)
        if plan is None:
            about = [(3 << bits) >> 2 for bits in signature]
            sizes = dict(zip(self._changing, about, strict=True))
            order = JoinOrder(self._branch, self.schema.place, self._domains, self._relations, sizes, self._partial)
            plan = self._plans[signature] = order.plan()
        return plan

    def bound(self, relations: StateRelations) -> BoundQuery | None:
        """The query in a state; None where it is clear that it has no solution there."""
        plan = self.plan(relations)
        if plan is None:
            return None
        slots = self.schema.places.slots()
        if not BoundTests(plan.before, relations).all(slots):
            return None
        return BoundQuery(self, plan, relations)


class BoundStep:
    """A step in one state.

    ``rows`` are what it looks up, ``key`` says by what, ``new`` where a row goes: one slot, or several. ``parents``
    has a bit for every step that it depends on.
    """

    __slots__ = ("alone", "key", "new", "parents", "rows", "step", "tests")

    def __init__(self, step: Step, parents: int, relations: StateRelations):
        self.step = step
        self.rows = relations.rows(step.index)
        self.key = step.key
        self.alone = len(step.new) == 1
        self.new = step.new
        self.parents = parents
        self.tests = BoundTests(step.tests, relations)

    def fill(self, slots: Slots, row: Any) -> None:
        """Puts a row into the slots."""
        if self.alone:
            slots[self.new[0]] = row
        else:
            for slot, name in zip(self.new, row, strict=True):
                slots[slot] = name


class BoundQuery:
    """A query in one state, the tests that need no variable passed."""

    def __init__(self, query: Query, plan: JoinPlan, relations: StateRelations):
        self.query = query
        self.plan = plan
        self.relations = relations
        self.steps: list[BoundStep] = []
        depth_of: dict[str, int] = {}
        for depth, step in enumerate(plan.steps):
            parents = 0
            for name in step.reads:
                parents |= 1 << depth_of[name]
            depth_of.update(dict.fromkeys(step.names, depth))
            self.steps.append(BoundStep(step, parents, relations))

    def slots(self) -> Slots:
        """Room for a binding."""
        return self.query.schema.places.slots()

    def action(self, slots: Slots) -> GroundAction:
        """The action of a binding."""
        return GroundAction(self.query.schema.name, tuple(slots[self.query.arguments]))

    def actions(self) -> Iterator[GroundAction]:
        """All applicable actions, in an order that depends on the state alone."""
        slots, name, arguments = self.slots(), self.query.schema.name, self.query.arguments
        new = tuple.__new__
        for _ in _solutions(self.steps, slots):
            # What `GroundAction(name, …)` does, in half the time.
            yield new(GroundAction, (name, tuple(slots[arguments])))


def _solutions(steps: list[BoundStep], slots: Slots) -> Iterator[None]:
    """Fills the slots with every solution in turn, by depth-first search with an explicit stack.

    Where a step turns out to have no solution, the search goes back to the deepest step that has a part in that
    (graph-based backjumping; Dechter 1990): what was bound in between makes no difference.
    """
    if not steps:
        yield
        return
    last = len(steps) - 1
    parts = [(step.rows, step.key, step.alone, step.new[0], step.new, step.tests.test()) for step in steps]
    waiting: list[Iterator[Any]] = [iter(())] * len(steps)
    solved = [False] * len(steps)
    blame = [0] * len(steps)
    depth = 0
    rows, key, alone, first, new, test = parts[0]
    waiting[0] = iter(rows[key(slots)])
    while depth >= 0:
        for row in waiting[depth]:
            if alone:
                slots[first] = row
            else:
                for slot, name in zip(new, row, strict=True):
                    slots[slot] = name
            if test is not None and not test(slots):
                continue
            if depth == last:
                solved[depth] = True
                yield
                continue
            depth += 1
            rows, key, alone, first, new, test = parts[depth]
            waiting[depth] = iter(rows[key(slots)])
            solved[depth] = False
            blame[depth] = steps[depth].parents
            break
        else:
            if solved[depth]:
                depth -= 1
                if depth >= 0:
                    solved[depth] = True
            else:
                found = blame[depth]
                depth = found.bit_length() - 1
                if depth >= 0:
                    blame[depth] |= found ^ 1 << depth
            if depth >= 0:
                rows, key, alone, first, new, test = parts[depth]

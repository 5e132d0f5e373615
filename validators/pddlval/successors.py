"""The applicable actions of a state, found by joining preconditions and never by trying all arguments.

A schema's precondition is a few conjunctive queries (`queries`), whose variables are bound depth first, step by step
(`bindings`): a step looks up the rows that fit what is bound (`relations`), in an order chosen by how many there will
be (`orders`), and what can be tested is tested at once. Nothing is materialised but indices, so the first action
comes at once and memory stays linear in the state.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from threading import Lock
from typing import NamedTuple

from pddl2nl.pddl import (
    ActionSchema,
    Atom,
    GroundAtom,
    Not,
    Number,
    Task,
    conjuncts,
    is_variable,
)
from pddlval.actions import GroundAction
from pddlval.bindings import BoundQuery, Query, queries_of
from pddlval.names import has_comparison, updates_in
from pddlval.relations import Relations, StateRelations
from pddlval.sampling import Sampler
from pddlval.schemas import Schemas
from pddlval.semantics import ground_atom
from pddlval.state import Layout, State

__all__ = ["SuccessorGenerator"]


class _Sight(NamedTuple):
    """An atom that is wanted or not; None stands where a variable does."""

    wanted: bool
    predicate: str
    args: tuple[str | None, ...]


class SuccessorGenerator:
    """Enumerates the applicable actions of a state, always in the same order, and draws from them.

    Schemas come in file order. At every choice the objects come as the atoms of a static relation stand in the file,
    by their declaration where a relation is one that actions change, and by their names where it is derived; what a
    disjunction leaves to choose comes disjunct by disjunct.
    """

    def __init__(self, task: Task, schemas: Schemas, layout: Layout):
        self._schemas = schemas
        self._layout = layout
        self._relations = Relations(task, layout)
        self._partial = layout.statics.partial
        self._names = [node.name for node in task.domain.actions]
        self._queries: dict[str, Sequence[Query]] = {}
        self._guard = _Guard(task.domain.actions, layout, self._relations)
        # Asking twice about one state is common, and keeping the indices of every state would fill the memory.
        self._last: tuple[State | None, StateRelations | None] = (None, None)
        self._lock = Lock()
        self._sampler: tuple[State | None, Sampler | None] = (None, None)

    def applicable(self, state: State) -> Iterator[GroundAction]:
        """The applicable actions of a state, lazily."""
        relations = self._relations_of(state)
        for name in self._guard.passing(relations):
            if self._guard.decides(name):
                yield GroundAction(name)
            else:
                for query in self._bound(name, relations):
                    yield from query.actions()

    def sample(self, state: State, rng: random.Random) -> GroundAction | None:
        """An applicable action, each with the same probability; None where there is none."""
        # What a draw learns is written down for the next: one thread at a time.
        with self._lock:
            last, sampler = self._sampler
            if sampler is None or last is not state:
                sampler = Sampler(list(self._bound_queries(state)))
                self._sampler = (state, sampler)
            return sampler.sample(rng)

    def _relations_of(self, state: State) -> StateRelations:
        last, relations = self._last
        if relations is None or last is not state:
            relations = self._relations.of(state)
            self._last = (state, relations)
        return relations

    def _bound_queries(self, state: State) -> Iterator[BoundQuery]:
        relations = self._relations_of(state)
        for name in self._guard.passing(relations):
            yield from self._bound(name, relations)

    def _bound(self, name: str, relations: StateRelations) -> Iterator[BoundQuery]:
        queries = self._queries.get(name)
        if queries is None:
            queries = self._queries[name] = queries_of(self._schemas[name], self._relations, self._partial)
        for query in queries:
            bound = query.bound(relations)
            if bound is not None:
                yield bound


class _Guard:
    """Passes over schemas that cannot be applicable, before anything of them is compiled.

    Some domains have thousands of schemas, whose preconditions name objects. A schema is passed over where an atom
    that it needs, variables standing for any object, is false for all objects, or a ground one that it forbids is
    true. What it was passed over for is looked at first in the next state, and mostly has not changed (a watched
    literal; Moskewicz et al. 2001).
    """

    def __init__(self, nodes: Sequence[ActionSchema], layout: Layout, relations: Relations):
        self._nodes = nodes
        self._layout = layout
        self._relations = relations
        # The sight that is always met comes first.
        self._sights: list[_Sight] = [_Sight(True, "", ())]
        self._numbers: dict[_Sight, int] = {}
        self._watching: dict[int, list[int]] = {0: list(range(len(nodes)))}
        self._by_name = {node.name: node for node in nodes}
        self._decides: dict[str, bool] = {}
        self._lock = Lock()

    def decides(self, name: str) -> bool:
        """Whether a schema is its own only ground action, and applicable wherever it passes.

        Domains that were grounded before they were written have thousands of these: none need be compiled.
        """
        found = self._decides.get(name)
        if found is None:
            found = self._decides[name] = self._is_decided(self._by_name[name])
        return found

    def _is_decided(self, node: ActionSchema) -> bool:
        if node.parameters:
            return False
        layout = self._layout
        for part in conjuncts(node.precondition):
            wanted, atom = (False, part.body) if isinstance(part, Not) else (True, part)
            if not isinstance(atom, Atom) or atom.predicate in layout.derived:
                return False
            if atom.predicate not in layout.changing and (ground_atom(atom) in layout.statics.atoms) is not wanted:
                return False
        # Effects may have no value, or contradict each other; adding a number cannot.
        return not has_comparison(node.effect, layout.statics.partial) and all(
            update.operator == "increase" and isinstance(update.value, Number) for update in updates_in(node.effect)
        )

    def passing(self, relations: StateRelations) -> list[str]:
        """The names of the schemas that may be applicable in a state, in the order of the file."""
        known = {0: True}
        passed: list[int] = []
        with self._lock:
            met = [watch for watch in self._watching if self._knows(watch, known, relations)]
            for number in [number for watch in met for number in self._watching.pop(watch)]:
                unmet = self._unmet(self._nodes[number], known, relations)
                self._watching.setdefault(unmet, []).append(number)
                if not unmet:
                    passed.append(number)
        return [self._nodes[number].name for number in sorted(passed)]

    def _unmet(self, node: ActionSchema, known: dict[int, bool], relations: StateRelations) -> int:
        """The number of a sight that is not met, 0 where all are; ``known`` holds what was looked at in the state."""
        changing = self._layout.changing
        numbers = self._numbers
        for part in conjuncts(node.precondition):
            wanted, atom = (False, part.body) if isinstance(part, Not) else (True, part)
            if not isinstance(atom, Atom) or atom.predicate not in changing:
                continue
            args = atom.args
            sight = _Sight(wanted, atom.predicate, args and tuple([None if is_variable(t) else t for t in args]))
            number = numbers.get(sight)
            if number is None:
                number = numbers[sight] = len(self._sights)
                self._sights.append(sight)
            if not self._knows(number, known, relations):
                return number
        return 0

    def _knows(self, number: int, known: dict[int, bool], relations: StateRelations) -> bool:
        """Whether a sight is met; ``known`` remembers what was looked at in the state."""
        met = known.get(number)
        if met is None:
            met = known[number] = self._is_met(self._sights[number], relations)
        return met

    def _is_met(self, sight: _Sight, relations: StateRelations) -> bool:
        columns = tuple(place for place, term in enumerate(sight.args) if term is not None)
        if len(columns) == len(sight.args):
            atom = GroundAtom((sight.predicate, *[term for term in sight.args if term is not None]))
            return relations.state.true(atom) is sight.wanted
        if not sight.wanted:
            # Some objects may do where others don't.
            return True
        if not columns:
            return relations.size(sight.predicate) > 0
        index = self._relations.index("changing", sight.predicate, columns, (), ())
        key = tuple(sight.args[place] for place in columns)
        return self._relations.changing(index).any(key if len(key) > 1 else key[0], relations.bits)

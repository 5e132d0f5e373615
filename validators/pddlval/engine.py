"""What is asked about one state: whether conditions hold in it, and what follows from it by rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pddl2nl.pddl import Condition, GroundAtom, TypedName
from pddlval.axioms import Axioms
from pddlval.normal_form import LITERAL, free_variables
from pddlval.queries import Code, Finish, Query
from pddlval.semantics import holds
from pddlval.state import Layout, State
from pddlval.tables import Database, Row

__all__ = ["Engine"]

_MOST_READ = 10_000
"""So many compiled conditions are remembered at most."""


class Engine:
    """Answers questions about the states of one task; the queries behind them are compiled when first needed."""

    def __init__(self, layout: Layout):
        self.database = Database(layout)
        self.axioms = Axioms(layout.statics.task, self.database)
        self.compiler = self.axioms.compiler
        self._known: dict[int, tuple[Condition, tuple[str, ...], Callable[..., bool]]] = {}
        self._enumerated: dict[int, tuple[Condition, tuple[str, ...], Callable[..., Iterator[Row]]]] = {}

    def holds(self, condition: Condition, state: State, binding: Mapping[str, str] = MappingProxyType({})) -> bool:
        """Whether a condition holds in a state, as `semantics.holds` says, with these objects for its free variables.

        Conditions are known by identity: ask about the same one with another binding, not about a ground copy.

        Raises:
            UndefinedError: a comparison reads a fluent without a value, or divides by zero.
            TypeError: no condition of PDDL 2.2.
        """
        if isinstance(condition, LITERAL):
            return holds(condition, state, binding)
        found = self._known.get(id(condition))
        if found is None:
            names = tuple(sorted(free_variables(condition)))
            if len(self._known) >= _MOST_READ:
                self._known.clear()
            # With the condition itself, so that no other one gets its identity.
            found = self._known[id(condition)] = (condition, names, self.compiler.condition(condition, names))
        _, names, test = found
        return self.ask(state, test, *self.numbered(tuple([binding[name] for name in names])))

    def solutions(
        self, condition: Condition, parameters: tuple[TypedName, ...], binding: Mapping[str, str]
    ) -> Iterator[tuple[str, ...]]:
        """The objects with which a condition about static atoms holds, each choice once, in no particular order.

        Args:
            condition: known by identity, as in `holds`.
            parameters: the variables to find objects for.
            binding: objects for the other variables.
        """
        found = self._enumerated.get(id(condition))
        if found is None:
            outer = tuple(sorted(free_variables(condition) - {item.name for item in parameters}))
            found = self._enumerated[id(condition)] = (condition, outer, self._enumerator(condition, outer, parameters))
        _, outer, rows = found
        names = self.database.names
        for row in rows(None, *self.numbered(tuple([binding[name] for name in outer]))):
            yield tuple([names[number] for number in row])

    def _enumerator(
        self, condition: Condition, outer: Sequence[str], parameters: Sequence[TypedName]
    ) -> Callable[..., Iterator[Row]]:
        query = Query(self.compiler)
        code = Code([query.bind(name) for name in outer], "return")
        variables = {item.name: self.database.objects(item.types) for item in parameters}
        row = "".join(f"{query.bind(name)}, " for name in variables)
        finish = Finish(lambda inner: inner.emit(f"yield ({row})"), frozenset(variables), True, "yield from {}")
        query.write(code, *query.conjuncts(variables, [query.prepare(condition)]), finish)
        code.emit("return")
        code.emit("yield")
        found: Callable[..., Iterator[Row]] = self.compiler.namespace[self.compiler.function(code)]
        return found

    def test(self, condition: Condition, parameters: tuple[str, ...]) -> Callable[..., bool]:
        """A condition compiled, for `ask`."""
        return self.compiler.condition(condition, parameters)

    def numbered(self, objects: tuple[str, ...]) -> tuple[int, ...]:
        """The numbers of objects."""
        numbers = self.database.numbers
        return tuple([numbers[name] for name in objects])

    def ask(self, state: State, test: Callable[..., bool], *arguments: int) -> bool:
        """What a compiled test says about a state and these objects."""
        tables = self.database.acquire(state)
        try:
            return test(tables, *arguments)
        finally:
            self.database.release(tables)

    def true(self, atom: GroundAtom, state: State) -> bool:
        """Whether a derived atom is true in a state.

        Raises:
            UndefinedError: a comparison in a rule reads a fluent without a value.
        """
        numbers = self.database.numbers
        row: list[Any] = [numbers.get(name) for name in atom[1:]]
        return None not in row and self.ask(state, self.axioms.answer(atom[0]), *row)

    def derived(self, state: State) -> frozenset[GroundAtom]:
        """All derived atoms that are true in a state.

        Raises:
            UndefinedError: a comparison in a rule reads a fluent without a value.
        """
        names = self.database.names
        tables = self.database.acquire(state)
        try:
            found: list[GroundAtom] = []
            for predicate, relation in self.axioms.relations.items():
                rows: set[Row] = tables[relation]
                if relation.arity == 1:
                    found += [GroundAtom((predicate, names[row])) for row in rows]
                else:
                    found += [GroundAtom((predicate, *[names[number] for number in row])) for row in rows]
            return frozenset(found)
        finally:
            self.database.release(tables)

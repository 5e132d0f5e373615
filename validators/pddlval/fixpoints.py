"""Recursive derived predicates, worked out bottom-up: the least fixpoint of their rules in a state.

Every atom that is found is matched once with every place of a rule where it may stand, and the rest of the rule is
joined to it (semi-naive evaluation; Abiteboul, Hull and Vianu 1995, chapter 13). Arguments that all rules hand on
unchanged, such as the first of a transitive closure, can be bound to what is asked for, so that only what can
matter is derived.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from pddl2nl.pddl import (
    Atom,
    Condition,
    DerivedPredicate,
    Exists,
    GroundAtom,
    Or,
)
from pddlval.conditions import Compiler
from pddlval.joins import Variables, flattened
from pddlval.memos import Index, Remembering, index_of
from pddlval.normal_form import atoms_in
from pddlval.places import Places, Slots, Test
from pddlval.semantics import World
from pddlval.state import Number, Row, Statics

__all__ = ["Fixpoint"]

_MOST_CASES = 64
"""A rule is split into so many at most; what is left of its ``or`` is then tested as a whole, again and again."""


class Fixpoint:
    """Predicates that depend on each other, with their rules.

    Args:
        predicates: a strongly connected component of the dependency graph.
        rules: the rules of these predicates.
        statics: the static atoms and the objects.
        dynamic: all predicates that are not static.
        changing: those among them that actions change.
        bound: whether to bind the arguments that all rules hand on unchanged.
    """

    def __init__(
        self,
        predicates: frozenset[str],
        rules: Sequence[DerivedPredicate],
        statics: Statics,
        dynamic: Collection[str],
        changing: Collection[str],
        *,
        bound: bool,
    ):
        self.predicates = predicates
        ready = [_Rule(rule, statics, dynamic, changing, predicates) for rule in rules]
        self._bound = _handed_on(predicates, ready) if bound else ()
        self._first: list[_Query] = []
        self._again: list[_Query] = []
        self._matches: dict[str, list[_Match]] = {name: [] for name in predicates}
        for rule in ready:
            for variables, conditions in rule.cases(predicates):
                self._take_up(rule, variables, conditions)

    def key(self, args: Row) -> Row:
        """The arguments of an atom that `derive` binds."""
        return tuple([args[column] for column in self._bound])

    def derive(self, state: Remembering, key: Row) -> dict[str, set[Row]]:
        """The true atoms of the predicates, by predicate: those with ``key`` for the bound arguments.

        Raises:
            UndefinedError: a comparison in a rule reads a fluent without a value.
        """
        growing = _Growing(state, self.predicates)
        for query in self._first:
            query.run(key, growing)
        again = True
        while again:
            while growing.new:
                name, row = growing.new.pop()
                for match in self._matches[name]:
                    match.run(row, key, growing)
            for query in self._again:
                query.run(key, growing)
            again = bool(growing.new)
        return growing.rows

    def _take_up(self, rule: _Rule, variables: Variables, conditions: list[Condition]) -> None:
        """Compiles one conjunction of a rule: a query to begin with, or one for every atom that sets it off."""
        bound = {rule.head[column]: rule.types[rule.head[column]] for column in self._bound}
        variables = {name: types for name, types in variables.items() if name not in bound}
        inside = [_names(part, self.predicates) for part in conditions]
        if not any(inside):
            self._first.append(rule.query(variables, conditions, bound))
        elif any(within and not isinstance(part, Atom) for part, within in zip(conditions, inside, strict=True)):
            self._again.append(rule.query(variables, conditions, bound))
        else:
            for place, part in enumerate(conditions):
                if inside[place]:
                    assert isinstance(part, Atom)
                    others = conditions[:place] + conditions[place + 1 :]
                    self._matches[part.predicate].append(rule.match(part, variables, others, bound))


class _Growing:
    """A state in which some derived predicates are being worked out."""

    def __init__(self, state: Remembering, predicates: frozenset[str]):
        self._state = state
        self.rows: dict[str, set[Row]] = {name: set() for name in predicates}
        self.new: list[tuple[str, Row]] = []
        self._indices: dict[str, dict[tuple[int, ...], dict[Row, list[Row]]]] = {name: {} for name in predicates}

    @property
    def tolerance(self) -> Fraction:
        return self._state.tolerance

    def true(self, atom: GroundAtom) -> bool:
        rows = self.rows.get(atom[0])
        return self._state.true(atom) if rows is None else atom[1:] in rows

    def level(self, fluent: GroundAtom) -> Number | None:
        return self._state.level(fluent)

    def objects(self, types: tuple[str, ...]) -> tuple[str, ...]:
        return self._state.objects(types)

    @property
    def memo(self) -> object:
        return self._state.memo

    @memo.setter
    def memo(self, memo: object) -> None:
        self._state.memo = memo

    def changing(self) -> Iterable[GroundAtom]:
        return self._state.changing()

    def index(self, predicate: str, columns: tuple[int, ...]) -> Index:
        indices = self._indices[predicate]
        found = indices.get(columns)
        if found is None:
            found = indices[columns] = index_of(self.rows[predicate], columns)
        return found

    def add(self, name: str, row: Row) -> None:
        rows = self.rows[name]
        if row not in rows:
            rows.add(row)
            self.new.append((name, row))
            for columns, index in self._indices[name].items():
                index.setdefault(tuple([row[column] for column in columns]), []).append(row)


class _Query(NamedTuple):
    """A conjunction that adds the head's atoms: the slots and objects of what is bound, and the join."""

    places: Places
    bound: tuple[tuple[int, frozenset[str]], ...]
    join: Test

    def slots(self, key: Row) -> Slots | None:
        """The slots with what is bound, None where the rule is for other types."""
        slots = self.places.slots()
        for name, (slot, members) in zip(key, self.bound, strict=True):
            if name not in members:
                return None
            slots[slot] = name
        return slots

    def run(self, key: Row, growing: World) -> None:
        slots = self.slots(key)
        if slots is not None:
            self.join(slots, growing)


class _Match(NamedTuple):
    """The rest of a conjunction, to be joined to a new atom that stands in one of its places.

    ``binds`` are the column, slot and objects of every variable that the atom binds; ``agrees`` are columns with the
    slots that they must agree with.
    """

    query: _Query
    binds: tuple[tuple[int, int, frozenset[str]], ...]
    agrees: tuple[tuple[int, int], ...]

    def run(self, row: Row, key: Row, growing: World) -> None:
        slots = self.query.slots(key)
        if slots is None:
            return
        for column, slot, members in self.binds:
            if row[column] not in members:
                return
            slots[slot] = row[column]
        for column, slot in self.agrees:
            if row[column] != slots[slot]:
                return
        self.query.join(slots, growing)


class _Rule:
    """A rule made ready: its body in negation normal form, no two of its variables with one name."""

    def __init__(
        self,
        rule: DerivedPredicate,
        statics: Statics,
        dynamic: Collection[str],
        listed: Collection[str],
        growing: Collection[str],
    ):
        self.name = rule.name
        self.compiler = Compiler(Places(), statics, dynamic, listed, growing)
        prepared = self.compiler.prepare(Exists(rule.parameters, rule.condition))
        assert isinstance(prepared, Exists)
        self.head = tuple(parameter.name for parameter in prepared.parameters)
        self.types = {parameter.name: parameter.types for parameter in prepared.parameters}
        self.body = prepared.body

    def cases(self, predicates: frozenset[str]) -> list[tuple[Variables, list[Condition]]]:
        """The conjunctions whose disjunction the body is, each with its variables, those of ``exists`` included.

        An ``or`` that names none of the predicates stays whole.
        """
        todo: list[tuple[Variables, list[Condition]]] = [(self.types, [self.body])]
        done: list[tuple[Variables, list[Condition]]] = []
        while todo:
            variables, parts = flattened(*todo.pop())
            conditions = [part.condition for part in parts]
            choice = next((part for part in conditions if isinstance(part, Or) and _names(part, predicates)), None)
            if choice is None or len(todo) + len(done) + len(choice.parts) > _MOST_CASES:
                done.append((variables, conditions))
                continue
            for member in reversed(choice.parts):
                todo.append((variables, [member if part is choice else part for part in conditions]))
        return done

    def query(self, variables: Variables, conditions: Sequence[Condition], bound: Variables) -> _Query:
        """The query that adds an atom of the head for every way to bind the variables."""
        place = self.compiler.places.place
        name = self.name
        slots_of_head = [place(variable) for variable in self.head]

        def add(slots: Slots, world: World) -> bool:
            assert isinstance(world, _Growing)
            world.add(name, tuple([slots[slot] for slot in slots_of_head]))
            return False

        join = self.compiler.joins.each(variables, conditions, frozenset(self.head), add)
        fixed = tuple((place(variable), self.compiler.joins.members(types)) for variable, types in bound.items())
        return _Query(self.compiler.places, fixed, join)

    def match(self, atom: Atom, variables: Variables, others: Sequence[Condition], bound: Variables) -> _Match:
        """The query for the other conditions, set off by an atom."""
        place = self.compiler.places.place
        binds: list[tuple[int, int, frozenset[str]]] = []
        agrees: list[tuple[int, int]] = []
        free = dict(variables)
        for column, term in enumerate(atom.args):
            types = free.pop(term, None)
            if types is None:
                agrees.append((column, place(term)))
            else:
                binds.append((column, place(term), self.compiler.joins.members(types)))
        return _Match(self.query(free, others, bound), tuple(binds), tuple(agrees))


def _handed_on(predicates: frozenset[str], rules: Sequence[_Rule]) -> tuple[int, ...]:
    """The columns of a predicate that all its rules hand on unchanged to the atoms that they need of it."""
    if len(predicates) > 1:
        return ()
    needed = [(rule, atom) for rule in rules for atom in atoms_in(rule.body) if atom.predicate in predicates]
    columns = range(len(rules[0].head))
    return tuple(column for column in columns if all(atom.args[column] == rule.head[column] for rule, atom in needed))


def _names(condition: Condition, predicates: frozenset[str]) -> bool:
    return any(atom.predicate in predicates for atom in atoms_in(condition))

"""Quantifiers as small joins: objects are looked up in the static atoms instead of tried one after the other.

``exists`` over a conjunction is a conjunctive query. It is split into parts that share no variable; in each, the
positive static atom, equality or type with the fewest objects to offer binds its variables, every condition is
tested as soon as its variables are bound, and what remains is split again. ``forall`` is the negation of ``exists``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple, Protocol, cast

from pddl2nl.pddl import And, Atom, Condition, Equality, Exists, Or, TypedName, is_variable
from pddlval.closures import FALSE, TRUE, all_of, any_of
from pddlval.memos import Index, Remembering, index_if_worth_it
from pddlval.names import has_comparison
from pddlval.normal_form import free_variables, in_order
from pddlval.places import Places, Slots, Test
from pddlval.semantics import World
from pddlval.state import Row, Statics

__all__ = ["Growing", "Joins", "Part", "Variables", "flattened"]

Variables = Mapping[str, tuple[str, ...]]
"""Variables that are still to be bound, with their types."""

_Found = Callable[[Slots, World], Sequence[Row]]
"""Finds the arguments of the true atoms that agree with what is bound."""

_MOST_SPLITS = 16
"""How often a query may be split at an ``or``."""

_WORTH_A_LOOK = 8
"""Fewer objects than these are tried, and never looked up in a list of true atoms."""

_FEW, _MANY = 2.5, 25.0
"""So many true atoms are expected of a predicate whose atoms are not known in advance: with a term bound, and none."""


class Context(Protocol):
    """What a join needs of the compiler of conditions."""

    @property
    def places(self) -> Places:
        """The slots, those of all variables among them."""

    @property
    def statics(self) -> Statics:
        """The static atoms and the objects."""

    @property
    def dynamic(self) -> Collection[str]:
        """The predicates that are not static."""

    @property
    def listed(self) -> Collection[str]:
        """The dynamic predicates whose true atoms can be listed: the world is a `Remembering` one."""

    @property
    def growing(self) -> Collection[str]:
        """The predicates that are being worked out: the world is a `Growing` one."""

    def test(self, condition: Condition) -> Test:
        """The test of a condition in negation normal form."""


class Growing(World, Protocol):
    """A world in which some derived predicates are being worked out."""

    def index(self, predicate: str, columns: tuple[int, ...], /) -> Index:
        """The atoms found so far of one of these predicates, by the columns."""


class Part(NamedTuple):
    """A conjunct, and the unbound variables without which it must not be tested."""

    condition: Condition
    needs: frozenset[str]


class _Binder(NamedTuple):
    """A way to bind variables: about how many choices it leaves, what it binds, and the part it makes true."""

    choices: float
    variables: tuple[str, ...]
    part: Part | None


class Joins:
    """Compiles conjunctive queries; conditions are in negation normal form, and no two variables share a name."""

    def __init__(self, context: Context):
        self._context = context
        self._splits = 0
        self._known_members: dict[tuple[str, ...], frozenset[str]] = {}

    def exists(self, parameters: Iterable[TypedName], body: Condition) -> Test:
        """The test whether there are objects for the parameters that satisfy the body."""
        return self.each({item.name: item.types for item in parameters}, [body], frozenset(), TRUE)

    def each(self, variables: Variables, conditions: Iterable[Condition], wanted: frozenset[str], finish: Test) -> Test:
        """The test whether variables can be bound so that all conditions hold, and ``finish`` with them.

        Args:
            variables: what is to be bound; all other free variables of the conditions are bound already.
            conditions: what is to hold.
            wanted: the variables that ``finish`` reads. All bindings of them are tried until ``finish`` says true:
                one that never does sees them all.
            finish: called with everything wanted bound.
        """
        splits_outside, self._splits = self._splits, 0
        test = self._solve(*self._flattened(variables, conditions), wanted, finish)
        self._splits = splits_outside
        return test

    def _flattened(self, variables: Variables, conditions: Iterable[Condition]) -> tuple[Variables, list[Part]]:
        return flattened(variables, conditions, self._context.statics.partial)

    def _solve(self, variables: Variables, parts: Sequence[Part], wanted: frozenset[str], finish: Test) -> Test:
        """As `each`; the parts are conjuncts, with what they need of the variables."""
        statics = self._context.statics
        if not all(statics.objects(types) for types in variables.values()):
            # Nothing is read, not even what has no value.
            return FALSE
        ready = [part.condition for part in parts if not part.needs]
        tests = [self._context.test(condition) for condition in in_order(ready, self._context.dynamic, statics.partial)]
        if FALSE in tests:
            return FALSE
        asked: list[tuple[Variables, list[Part]]] = []
        for some, their in _components(variables, parts):
            if wanted.isdisjoint(some):
                tests.append(self._bind(some, their, frozenset(), TRUE))
            else:
                asked.append((some, their))
        for some, their in reversed(asked):
            finish = self._bind(some, their, wanted, finish)
        return all_of([*tests, finish])

    def _bind(self, variables: Variables, parts: list[Part], wanted: frozenset[str], finish: Test) -> Test:
        """Binds the variables of a connected query, beginning with whatever leaves the fewest choices."""
        best = min(self._binders(variables, parts), key=lambda binder: binder.choices)
        if self._splits < _MOST_SPLITS:
            for part in parts:
                if isinstance(part.condition, Or) and self._or_choices(variables, part.condition) < best.choices:
                    return self._split(variables, parts, part, wanted, finish)
        rest = {name: types for name, types in variables.items() if name not in best.variables}
        # What binds the variables makes its own atom true.
        left = [Part(part.condition, part.needs.difference(best.variables)) for part in parts if part is not best.part]
        solved = self._solve(rest, left, wanted, finish)
        if solved is FALSE:
            return FALSE
        condition = None if best.part is None else best.part.condition
        if isinstance(condition, Atom):
            listed = condition.predicate in self._context.listed
            return (self._from_list if listed else self._from_rows)(condition, variables, solved)
        name = best.variables[0]
        if isinstance(condition, Equality):
            return self._from_equality(condition, name, variables[name], solved)
        return self._from_type(name, variables[name], solved)

    def _split(
        self, variables: Variables, parts: list[Part], chosen: Part, wanted: frozenset[str], finish: Test
    ) -> Test:
        """The query with an ``or`` taken apart: one query for each of its members."""
        assert isinstance(chosen.condition, Or)
        self._splits += 1
        tests = []
        for member in chosen.condition.parts:
            more, flat = self._flattened(variables, [member if part is chosen else part.condition for part in parts])
            tests.append(self._solve(more, flat, wanted, finish))
        return any_of(tests)

    def _or_choices(self, variables: Variables, condition: Or) -> float:
        """About how many choices the members of an ``or`` leave, if each binds a variable; else infinitely many."""
        total = 0.0
        for member in condition.parts:
            _, parts = self._flattened(variables, [member])
            choices = [self._choices(part.condition, variables) for part in parts]
            total += min(choices, default=float("inf"))
        return total

    def _binders(self, variables: Variables, parts: Sequence[Part]) -> Iterator[_Binder]:
        for part in parts:
            choices = self._choices(part.condition, variables)
            if choices < float("inf"):
                yield _Binder(choices, tuple(free_variables(part.condition) & variables.keys()), part)
        for name, types in variables.items():
            # The more parts a variable lets be tested, the sooner it should be bound.
            uses = sum(name in part.needs for part in parts)
            yield _Binder(len(self._context.statics.objects(types)) + 1 / (1 + uses), (name,), None)

    def _choices(self, condition: Condition, variables: Variables) -> float:
        """About how many choices a conjunct leaves that can bind variables; infinitely many where it cannot."""
        statics = self._context.statics
        if isinstance(condition, Equality):
            unbound = {condition.left, condition.right} & variables.keys()
            return 0.5 if len(unbound) == 1 and condition.left != condition.right else float("inf")
        if not isinstance(condition, Atom) or variables.keys().isdisjoint(condition.args):
            return float("inf")
        bound = tuple(column for column, term in enumerate(condition.args) if term not in variables)
        if condition.predicate in self._context.growing:
            return _FEW if bound else _MANY
        if condition.predicate in self._context.dynamic:
            if condition.predicate not in self._context.listed or len(condition.args) - len(bound) != 1:
                return float("inf")
            types = next(variables[term] for term in condition.args if term in variables)
            many = len(statics.objects(types)) >= _WORTH_A_LOOK
            return (_FEW if bound else _MANY) if many else float("inf")
        rows = len(statics.rows(condition.predicate))
        return rows / max(1, len(statics.index(condition.predicate, bound))) if bound else float(rows)

    # ── what binds ───────────────────────────────────────────────────────────────────────────────

    def members(self, types: tuple[str, ...]) -> frozenset[str]:
        """The objects of one of the types."""
        found = self._known_members.get(types)
        if found is None:
            found = self._known_members[types] = frozenset(self._context.statics.objects(types))
        return found

    def _from_equality(self, condition: Equality, name: str, types: tuple[str, ...], solved: Test) -> Test:
        place = self._context.places.place
        slot = place(name)
        source = place(condition.right if condition.left == name else condition.left)
        members = self.members(types)

        def test(slots: Slots, world: World) -> bool:
            value = slots[source]
            if value not in members:
                return False
            slots[slot] = value
            return solved(slots, world)

        return test

    def _from_type(self, name: str, types: tuple[str, ...], solved: Test) -> Test:
        objects = self._context.statics.objects(types)
        if solved is TRUE or not objects:
            return TRUE if objects else FALSE
        slot = self._context.places.place(name)

        def test(slots: Slots, world: World) -> bool:
            for value in objects:
                slots[slot] = value
                if solved(slots, world):
                    return True
            return False

        return test

    def _from_rows(self, atom: Atom, variables: Variables, solved: Test) -> Test:
        found = self._found(atom, variables)
        first: dict[str, int] = {}
        same: list[tuple[int, int]] = []
        for column, term in enumerate(atom.args):
            if term in first:
                same.append((column, first[term]))
            elif term in variables:
                first[term] = column
        news = [
            (column, self._context.places.place(term), self.members(variables[term])) for term, column in first.items()
        ]
        if len(news) == 1 and not same:
            return _one_column(found, *news[0], solved)

        def test(slots: Slots, world: World) -> bool:
            for row in found(slots, world):
                for column, slot, members in news:
                    value = row[column]
                    if value not in members:
                        break
                    slots[slot] = value
                else:
                    if all(row[one] == row[other] for one, other in same) and solved(slots, world):
                        return True
            return False

        return test

    def _from_list(self, atom: Atom, variables: Variables, solved: Test) -> Test:
        """Binds the one variable of an atom that actions change: tries all objects, or looks the true atoms up."""
        place, name = self._context.places.place, atom.predicate
        column, variable = next((column, term) for column, term in enumerate(atom.args) if term in variables)
        bound = tuple(other for other in range(len(atom.args)) if other != column)
        slot, pick = place(variable), _picked([place(atom.args[other]) for other in bound])
        members = self.members(variables[variable])
        tries = len(members)
        trying = self._from_type(variable, variables[variable], all_of([self._context.test(atom), solved]))

        def test(slots: Slots, world: World) -> bool:
            index = index_if_worth_it(cast(Remembering, world), name, bound, tries)
            if index is None:
                return trying(slots, world)
            for row in index.get(pick(slots), ()):
                value = row[column]
                if value in members:
                    slots[slot] = value
                    if solved(slots, world):
                        return True
            return False

        return test

    def _found(self, atom: Atom, variables: Variables) -> _Found:
        """What finds the true atoms that agree with the bound terms of an atom."""
        statics, name = self._context.statics, atom.predicate
        bound = tuple(column for column, term in enumerate(atom.args) if term not in variables)
        sources = [self._context.places.place(atom.args[column]) for column in bound]
        pick = _picked(sources)
        if name in self._context.growing:
            return lambda slots, world: cast(Growing, world).index(name, bound).get(pick(slots), ())
        if not any(is_variable(atom.args[column]) for column in bound):
            key = tuple(atom.args[column] for column in bound)
            rows = statics.index(name, bound).get(key, ()) if bound else statics.rows(name)
            return lambda slots, world: rows
        index = statics.index(name, bound)
        return lambda slots, world: index.get(pick(slots), ())


def _picked(sources: Sequence[int]) -> Callable[[Slots], Row]:
    if len(sources) > 1:
        return itemgetter(*sources)
    if not sources:
        return lambda slots: ()
    source = sources[0]
    return lambda slots: (slots[source],)


def _one_column(found: _Found, column: int, slot: int, members: frozenset[str], solved: Test) -> Test:
    def test(slots: Slots, world: World) -> bool:
        for row in found(slots, world):
            value = row[column]
            if value in members:
                slots[slot] = value
                if solved(slots, world):
                    return True
        return False

    return test


def flattened(
    variables: Variables, conditions: Iterable[Condition], partial: Collection[str] = ()
) -> tuple[Variables, list[Part]]:
    """The conjuncts of some conditions, the variables of ``exists`` among them drawn up to the others.

    A comparison, or a derived predicate with one (``partial``), needs all variables of what stands before it: that may
    guard against an undefined fluent.
    """
    all_variables = dict(variables)
    found: list[Condition] = []
    todo = list(conditions)[::-1]
    while todo:
        condition = todo.pop()
        if isinstance(condition, And):
            todo.extend(reversed(condition.parts))
        elif isinstance(condition, Exists):
            all_variables.update((item.name, item.types) for item in condition.parameters)
            todo.append(condition.body)
        else:
            found.append(condition)
    parts: list[Part] = []
    before: frozenset[str] = frozenset()
    for condition in found:
        needs = free_variables(condition) & all_variables.keys()
        before |= needs
        parts.append(Part(condition, before if has_comparison(condition, partial) else needs))
    return all_variables, parts


def _components(variables: Variables, parts: Sequence[Part]) -> Iterator[tuple[Variables, list[Part]]]:
    """The variables and parts in groups that share no variable, in the order of their first variables."""
    group = {name: [name] for name in variables}
    for part in parts:
        first: list[str] | None = None
        for name in sorted(part.needs):
            other = group[name]
            if first is None:
                first = other
            elif other is not first:
                first.extend(other)
                for member in other:
                    group[member] = first
    seen: set[int] = set()
    for members in group.values():
        if id(members) not in seen:
            seen.add(id(members))
            names = set(members)
            some = {name: types for name, types in variables.items() if name in names}
            yield some, [part for part in parts if part.needs and not part.needs.isdisjoint(names)]

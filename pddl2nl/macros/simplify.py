"""Simplification of formulas under known facts, exactly: each rule is an equivalence in all states with these facts.

A part is simplified under its siblings: ``(and p (or (not p) q))`` becomes ``(and p q)``. Parts without its variable
move out of a quantifier, and a variable fixed by an equality is replaced. Types without objects are respected.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from pddl2nl.macros.formulas import (
    FALSE,
    TRUE,
    closed,
    conjunction,
    disjunction,
    disjuncts,
    is_literal,
    mentions,
    negation,
    replaced,
    size,
    within,
)
from pddl2nl.macros.macro import CannotComposeError
from pddl2nl.pddl import (
    And,
    Atom,
    Condition,
    Domain,
    Equality,
    Exists,
    Forall,
    Not,
    Or,
    conjuncts,
    is_variable,
    supertypes,
)
from pddl2nl.pddl.symbols import Hierarchy
from pddlval.formulas import has_comparison

__all__ = ["Facts", "Scope", "Simplifier"]

Types = tuple[str, ...]


class Scope:
    """The terms of one composition with their types.

    Args:
        domain: with the types and constants.
        types: the types of the macro's parameters, and of the objects in its steps.
        total: functions that have a value for all objects in every state for which the macro is meant.
    """

    def __init__(self, domain: Domain, types: Mapping[str, Types], total: Collection[str] = ()):
        self.hierarchy: Hierarchy = supertypes(domain)
        self.total = frozenset(total)
        self._types: dict[str, Types] = {constant.name: constant.types for constant in domain.constants}
        self._types.update(types)
        self._lasting = tuple(self._types)
        self._hints: dict[Types, str] = {}
        self._count = 0
        self._may_equal: dict[tuple[str, str], bool] = {}
        self._inhabited: dict[Types, bool] = {}

    def fresh(self, types: Types, hint: str = "") -> str:
        """A new variable; ``hint`` is a name for readers."""
        self._count += 1
        name = f"?!{self._count}"
        self._types[name] = types
        if hint:
            self._hints.setdefault(types, hint)
        return name

    def hint(self, types: Types) -> str:
        """A name for a variable of these types, as used in the domain if possible."""
        return self._hints.get(types, f"?{types[0]}")

    def types(self, term: str) -> Types:
        """The type of a term, as a list of alternatives."""
        return self._types.get(term, ("object",))

    def fits(self, term: str, wanted: Types) -> bool:
        """Whether a term certainly has one of the types."""
        own = self.types(term)
        if is_variable(term):
            # The variable may have any of the alternatives.
            return all(self.hierarchy.fits((one,), wanted) for one in own)
        return self.hierarchy.fits(own, wanted)

    def may_fit(self, term: str, wanted: Types) -> bool:
        """Whether a term can have one of the types."""
        if is_variable(term):
            return self.hierarchy.meets(self.types(term), wanted)
        return self.hierarchy.fits(self.types(term), wanted)

    def may_equal(self, one: str, other: str) -> bool:
        """Whether two terms can be the same object, by names and types."""
        if one == other:
            return True
        known = self._may_equal.get((one, other))
        if known is None:
            if is_variable(one):
                known = self.may_fit(other, self.types(one))
            else:
                known = is_variable(other) and self.may_fit(one, self.types(other))
            self._may_equal[one, other] = known
        return known

    def inhabited(self, types: Types) -> bool:
        """Whether there certainly is an object of one of the types: a constant or a parameter."""
        known = self._inhabited.get(types)
        if known is None:
            known = self._inhabited[types] = any(self.fits(term, types) for term in self._lasting)
        return known

    def common(self, one: Types, other: Types) -> Types:
        """The types common to both; empty if no object has both."""
        if self._below(one, other):
            return one
        if self._below(other, one):
            return other
        both = self.hierarchy.below(one) & self.hierarchy.below(other)
        # The most general of them, in the order of the file.
        return tuple(name for name in self.hierarchy if name in both and not (self.hierarchy[name] - {name}) & both)

    def _below(self, types: Iterable[str], wanted: Types) -> bool:
        return all(self.hierarchy.fits((one,), wanted) for one in types)


class Facts:
    """Assumptions about a state; ``consistent`` becomes false if a contradiction is found."""

    __slots__ = ("_distinct", "_false", "_known", "_parents", "_true", "_universal", "consistent", "scope")

    def __init__(self, scope: Scope):
        self.scope = scope
        self.consistent = True
        self._parents: dict[str, str] = {}
        self._true: set[Atom] = set()
        self._false: set[Atom] = set()
        self._distinct: set[frozenset[str]] = set()
        self._known: set[Condition] = set()
        self._universal: list[Forall] = []

    def copy(self) -> Facts:
        """A copy, to which assumptions can be added."""
        other = Facts(self.scope)
        other.consistent = self.consistent
        other._parents = dict(self._parents)
        other._true, other._false = set(self._true), set(self._false)
        other._distinct, other._known = set(self._distinct), set(self._known)
        other._universal = list(self._universal)
        return other

    def extended(self, *conditions: Condition) -> Facts:
        """A copy with further assumptions."""
        other = self.copy()
        for condition in conditions:
            other.assume(condition)
        return other

    def value(self, condition: Condition) -> bool | None:
        """Whether a condition is known to hold or to fail; None if neither."""
        if isinstance(condition, Not):
            known = self.value(condition.body)
            return None if known is None else not known
        if isinstance(condition, Atom):
            return self._atom_value(condition)
        if isinstance(condition, Equality):
            return self._equality_value(self._find(condition.left), self._find(condition.right))
        if condition in self._known:
            return True
        return False if negation(condition) in self._known else None

    def equal(self, one: str, other: str) -> bool:
        """Whether two terms are known to be the same object."""
        return self._find(one) == self._find(other)

    def assume(self, condition: Condition) -> None:
        """Adds an assumption."""
        for part in conjuncts(condition):
            if not self.consistent:
                return
            positive, inner = (False, part.body) if isinstance(part, Not) else (True, part)
            known = self.value(inner) if is_literal(inner) else self.value(part)
            if known is not None:
                self.consistent = known is positive if is_literal(inner) else known
            elif isinstance(inner, Atom):
                (self._true if positive else self._false).add(self._canonical(inner))
            elif isinstance(inner, Equality):
                one, other = self._find(inner.left), self._find(inner.right)
                if positive:
                    self._merge(one, other)
                else:
                    self._distinct.add(frozenset((one, other)))
            else:
                if part == Or():
                    self.consistent = False
                self._known.add(part)
                if isinstance(part, Forall):
                    self._universal.append(part)

    def _find(self, term: str) -> str:
        while term in self._parents:
            term = self._parents[term]
        return term

    def _canonical(self, atom: Atom) -> Atom:
        if not self._parents:
            return atom
        return Atom(atom.predicate, tuple([self._find(term) for term in atom.args]))

    def _atom_value(self, atom: Atom) -> bool | None:
        atom = self._canonical(atom)
        if atom in self._true:
            return True
        if atom in self._false:
            return False
        for universal in self._universal:
            known = self._instance(universal, atom)
            if known is not None:
                return known
        return None

    def _instance(self, universal: Forall, atom: Atom) -> bool | None:
        """What ``(forall (?x ?y) literal)`` implies about an atom."""
        bound: dict[str, str | None] = {}
        body: Condition = universal
        types = {}
        while isinstance(body, Forall):
            bound[body.parameters[0].name] = None
            types[body.parameters[0].name] = body.parameters[0].types
            body = body.body
        positive, inner = (False, body.body) if isinstance(body, Not) else (True, body)
        if not isinstance(inner, Atom) or inner.predicate != atom.predicate:
            return None
        for pattern, term in zip(inner.args, atom.args, strict=True):
            if pattern not in bound:
                if self._find(pattern) != term:
                    return None
            elif bound[pattern] is None and self.scope.fits(term, types[pattern]):
                bound[pattern] = term
            elif bound[pattern] != term:
                return None
        return positive

    def _equality_value(self, one: str, other: str) -> bool | None:
        if one == other:
            return True
        if frozenset((one, other)) in self._distinct or not self.scope.may_equal(one, other):
            return False
        pair = (one, other)
        changed = {self._renamed(atom, pair) for atom in self._true if one in atom.args or other in atom.args}
        if not changed:
            return None
        for atom in self._false:
            if (one in atom.args or other in atom.args) and self._renamed(atom, pair) in changed:
                return False
        return None

    @staticmethod
    def _renamed(atom: Atom, pair: tuple[str, str]) -> Atom:
        one, other = pair
        return Atom(atom.predicate, tuple([one if term == other else term for term in atom.args]))

    def _merge(self, one: str, other: str) -> None:
        # Prefer objects to variables, and parameters to bound variables.
        kept, gone = sorted((one, other), key=lambda term: (is_variable(term), term.startswith("?!"), term))
        self._parents[gone] = kept
        pair = (kept, gone)
        self._true = {self._renamed(atom, pair) for atom in self._true}
        self._false = {self._renamed(atom, pair) for atom in self._false}
        self._distinct = {frozenset(map(self._find, both)) for both in self._distinct}
        # Distinct classes are never merged, because their equality is known to be false.
        self.consistent = self._true.isdisjoint(self._false) and all(len(both) == 2 for both in self._distinct)


_ROUNDS = 4
_LARGEST = 4000
"""The largest number of literals and connectives of a formula; larger ones would take minutes."""


class Simplifier:
    """Simplifies the formulas of one composition."""

    def __init__(self, scope: Scope):
        self.scope = scope

    def simplify(self, condition: Condition, facts: Facts) -> Condition:
        """An equivalent condition under the facts; false if the facts are inconsistent.

        Raises:
            CannotComposeError: the condition is too large.
        """
        if not facts.consistent:
            return FALSE
        match condition:
            case And(parts):
                return self._all(parts, facts)
            case Or(parts):
                return self._any(parts, facts)
            case Forall() | Exists():
                known = facts.value(condition)
                return self._quantified(condition, facts) if known is None else _constant(known)
        known = facts.value(condition)
        return condition if known is None else _constant(known)

    def implies(self, facts: Facts, condition: Condition) -> bool:
        """Whether the facts are found to imply a condition; false if that is not found."""
        return self.simplify(negation(condition), facts) == FALSE

    def exists(self, name: str, body: Condition) -> Condition:
        """``(exists (name) body)`` for a fresh variable."""
        types = self.scope.types(name)
        if body == FALSE:
            return FALSE
        if not mentions(body, name):
            if self.scope.inhabited(types):
                return body
            return conjunction((body, closed(Exists, name, types, TRUE)))
        if isinstance(body, Or):
            return disjunction([self.exists(name, part) for part in body.parts])
        parts = tuple(conjuncts(body))
        outside = [part for part in parts if not mentions(part, name)]
        inside = [part for part in parts if mentions(part, name)]
        for part in inside:
            term = _fixed(part, name)
            if term is not None and self.scope.fits(term, types):
                rest = [replaced(other, {name: term}) for other in inside if other is not part]
                return conjunction((*outside, *rest))
        inner = conjunction(inside)
        return conjunction((*outside, closed(Exists, name, types, inner)))

    def forall(self, name: str, body: Condition) -> Condition:
        """``(forall (name) body)`` for a fresh variable."""
        return negation(self.exists(name, negation(body)))

    def _quantified(self, condition: Forall | Exists, facts: Facts) -> Condition:
        name = self.scope.fresh(condition.parameters[0].types)
        body = self.simplify(within(condition, name), facts)
        found = self.exists(name, body) if isinstance(condition, Exists) else self.forall(name, body)
        if found == condition or size(found) >= size(condition):
            return found
        # Replacing the variable may allow further simplification.
        return self.simplify(found, facts)

    def _all(self, parts: Iterable[Condition], facts: Facts) -> Condition:
        items = tuple(conjuncts(And(tuple(parts))))
        for _ in range(_ROUNDS):
            here = facts.copy()
            found: dict[int, Condition] = {}
            for place in _literals_first(items):
                part = self.simplify(items[place], here)
                if part == FALSE:
                    return FALSE
                here.assume(part)
                if not here.consistent:
                    return FALSE
                found[place] = part
            before = items
            items = _resolved(tuple(conjuncts(conjunction(found[place] for place in range(len(items))))), Or)
            items = tuple(conjuncts(conjunction(_joined(disjuncts(item), Or) for item in items)))
            if not _tells_more(before, items):
                break
        result = conjunction(_guards_first(items))
        _check(result)
        return result

    def _any(self, parts: Iterable[Condition], facts: Facts) -> Condition:
        items = tuple(disjuncts(Or(tuple(parts))))
        for _ in range(_ROUNDS):
            here = facts.copy()
            found: dict[int, Condition] = {}
            for place in _literals_first(items):
                part = self.simplify(items[place], here)
                if part == TRUE:
                    return TRUE
                here.assume(negation(part))
                found[place] = part
                if not here.consistent:
                    return TRUE
            before = items
            items = _resolved(tuple(disjuncts(disjunction(found[place] for place in range(len(items))))), And)
            items = tuple(disjuncts(disjunction(_joined(conjuncts(item), And) for item in items)))
            if not _tells_more(before, items):
                break
        result = _factored(_guards_first(items))
        _check(result)
        return result


def _check(condition: Condition) -> None:
    if size(condition) > _LARGEST:
        raise CannotComposeError(
            f"a condition of the macro has more than {_LARGEST} parts: compose fewer steps at a time", "too large"
        )


def _guards_first(items: Sequence[Condition]) -> Sequence[Condition]:
    """The parts without comparisons before the others, which may be defined only if the former hold."""
    comparing = [has_comparison(item) for item in items]
    if not any(comparing):
        return items
    return [item for item, last in sorted(zip(items, comparing, strict=True), key=lambda pair: pair[1])]


def _constant(value: bool) -> Condition:
    return TRUE if value else FALSE


def _tells_more(before: Sequence[Condition], after: Sequence[Condition]) -> bool:
    """Whether parts have become literals, which may simplify the other parts."""
    return any(is_literal(item) and item not in before for item in after)


def _literals_first(items: Sequence[Condition]) -> list[int]:
    """The order in which parts simplify each other: equalities, other literals, the rest."""

    def rank(place: int) -> int:
        item = items[place]
        inner = item.body if isinstance(item, Not) else item
        if isinstance(inner, Equality):
            return 0
        return 1 if is_literal(item) else 2

    return sorted(range(len(items)), key=rank)


def _fixed(part: Condition, name: str) -> str | None:
    """The term that an equality fixes a variable to."""
    if isinstance(part, Equality) and name in (part.left, part.right) and part.left != part.right:
        return part.right if part.left == name else part.left
    return None


def _resolved(items: Sequence[Condition], kind: type[And] | type[Or]) -> tuple[Condition, ...]:
    """The parts without implied ones and without literals that others exclude.

    As clauses of a conjunction (``kind`` is `Or`): ``b`` follows if it contains all of ``a``; from ``(or l x)`` and
    ``(or (not l) x y)`` the second becomes ``(or x y)``. For the terms of a disjunction (`And`) the dual holds.
    """
    sets = [dict.fromkeys((disjuncts if kind is Or else conjuncts)(item)) for item in items]
    changed = False
    for one in range(len(sets)):
        for other in range(len(sets)):
            if one == other or len(sets[one]) > len(sets[other]):
                continue
            for literal in [part for part in sets[one] if is_literal(part)]:
                opposite = negation(literal)
                if opposite in sets[other] and all(p in sets[other] for p in sets[one] if p != literal):
                    del sets[other][opposite]
                    changed = True
    keys = [frozenset(parts) for parts in sets]
    kept = [
        place
        for place, key in enumerate(keys)
        if not any(other < key or (other == key and at < place) for at, other in enumerate(keys) if at != place)
    ]
    if not changed and len(kept) == len(items):
        return tuple(items)
    return tuple(_joined(sets[place], kind) for place in kept)


def _joined(parts: Iterable[Condition], kind: type[And] | type[Or]) -> Condition:
    return conjunction(parts) if kind is And else disjunction(parts)


def _factored(items: Sequence[Condition]) -> Condition:
    """A disjunction with its common conjuncts factored out."""
    if len(items) < 2:
        return disjunction(items)
    sets = [dict.fromkeys(conjuncts(item)) for item in items]
    shared = [part for part in sets[0] if all(part in other for other in sets[1:])]
    if not shared:
        return disjunction(items)
    rest = [conjunction(part for part in parts if part not in shared) for parts in sets]
    return conjunction((*shared, disjunction(rest)))

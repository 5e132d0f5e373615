"""Simplification of formulas under known facts, exactly: each rule is an equivalence in all states with these facts.

A part is simplified under its siblings: ``(and p (or (not p) q))`` becomes ``(and p q)``. Parts without its variable
move out of a quantifier, and a variable fixed by an equality is replaced. Types without objects are respected.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy

from pddl2nl.macros.formulas import (
    FALSE,
    TRUE,
    closed,
    conjunction,
    disjunction,
    disjuncts,
    equality,
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
from pddlval.formulas import has_comparison

Types = tuple[str, ...]


class TermScope:
    """The terms of one composition with their types.

    Args:
        domain: with the types and constants.
        types: the types of the macro's parameters, and of the objects in its steps.
        total: functions that have a value for all objects in every state for which the macro is meant.
    """

    def __init__(self, domain: Domain, types: Mapping[str, Types], total: Collection[str] = ()):
        self.hierarchy = supertypes(domain)
        self.total = frozenset(total)
        self._types = {**{constant.name: constant.types for constant in domain.constants}, **types}
        self._lasting = tuple(self._types)
        self._hints: dict[Types, str] = {}
        self._count = 0
        self._may_equal: dict[tuple[str, str], bool] = {}

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
        return self._types.get(term, ("object",))

    def fits(self, term: str, wanted: Types) -> bool:
        """Whether a term certainly has one of the types."""
        own = self.types(term)
        # A variable may have any of the alternatives.
        return self._all_fit(own, wanted) if is_variable(term) else self.hierarchy.fits(own, wanted)

    def _all_fit(self, types: Types, wanted: Types) -> bool:
        return all(self.hierarchy.fits((one,), wanted) for one in types)

    def may_fit(self, term: str, wanted: Types) -> bool:
        """Whether a term can have one of the types."""
        relation = self.hierarchy.meets if is_variable(term) else self.hierarchy.fits
        return relation(self.types(term), wanted)

    def may_equal(self, one: str, other: str) -> bool:
        """Whether two terms can be the same object, by names and types."""
        if one == other:
            return True
        if not is_variable(one):
            one, other = other, one
        known = self._may_equal.get((one, other))
        if known is None:
            known = self._may_equal[one, other] = is_variable(one) and self.may_fit(other, self.types(one))
        return known

    def inhabited(self, types: Types) -> bool:
        """Whether there certainly is an object of one of the types: a constant or a parameter."""
        return any(self.fits(term, types) for term in self._lasting)

    def common(self, one: Types, other: Types) -> Types:
        """The types common to both; empty if no object has both."""
        if self._all_fit(one, other):
            return one
        if self._all_fit(other, one):
            return other
        both = self.hierarchy.below(one) & self.hierarchy.below(other)
        # The most general of them, in the order of the file.
        return tuple(name for name in self.hierarchy if name in both and not (self.hierarchy[name] - {name}) & both)


class Facts:
    """Assumptions about a state and its objects, with what follows from them quickly.

    Equal terms are represented by one of them, in atoms too. ``consistent`` is false if the assumptions are found to
    contradict each other.
    """

    def __init__(self, scope: TermScope):
        self.scope = scope
        self.consistent = True
        self._representatives: dict[str, str] = {}
        self._atoms: dict[Atom, bool] = {}
        self._distinct: set[frozenset[str]] = set()
        self._known: set[Condition] = set()
        self._universal: list[Forall] = []

    def extended(self, *conditions: Condition) -> Facts:
        other = copy(self)
        other._representatives, other._atoms = dict(self._representatives), dict(self._atoms)
        other._distinct, other._known = set(self._distinct), set(self._known)
        other._universal = list(self._universal)
        for condition in conditions:
            other.assume(condition)
        return other

    def value(self, condition: Condition) -> bool | None:
        """Whether a condition is known to hold or to fail; None if neither."""
        match condition:
            case Not(body):
                known = self.value(body)
                return None if known is None else not known
            case Atom():
                atom = self._canonical(condition)
                instances = (self._instance(universal, atom) for universal in self._universal)
                return self._atoms.get(atom, next((known for known in instances if known is not None), None))
            case Equality(left, right):
                return self._equality_value(self._find(left), self._find(right))
        return True if condition in self._known else False if negation(condition) in self._known else None

    def same(self, terms: Sequence[str], others: Sequence[str]) -> bool:
        """Whether two lists of terms are known to be the same objects."""
        return [*map(self._find, terms)] == [*map(self._find, others)]

    def assume(self, condition: Condition) -> None:
        for part in conjuncts(condition):
            known = self.value(part)
            if not self.consistent or known is not None:
                self.consistent = self.consistent and known is True
                continue
            positive, inner = (False, part.body) if isinstance(part, Not) else (True, part)
            if isinstance(inner, Atom):
                self._atoms[self._canonical(inner)] = positive
            elif isinstance(inner, Equality):
                one, other = self._find(inner.left), self._find(inner.right)
                if positive:
                    self._merge(one, other)
                else:
                    self._distinct.add(frozenset((one, other)))
            else:
                self.consistent = part != FALSE
                self._known.add(part)
                if isinstance(part, Forall):
                    self._universal.append(part)

    def _find(self, term: str) -> str:
        while term in self._representatives:
            term = self._representatives[term]
        return term

    def _canonical(self, atom: Atom) -> Atom:
        if not self._representatives:
            return atom
        return Atom(atom.predicate, tuple([self._find(term) for term in atom.args]))

    def _instance(self, universal: Forall, atom: Atom) -> bool | None:
        """What ``(forall (?x ?y) literal)`` implies about an atom."""
        types: dict[str, Types] = {}
        body: Condition = universal
        while isinstance(body, Forall):
            types[body.parameters[0].name] = body.parameters[0].types
            body = body.body
        positive, inner = (False, body.body) if isinstance(body, Not) else (True, body)
        if not isinstance(inner, Atom) or inner.predicate != atom.predicate:
            return None
        bound: dict[str, str] = {}
        for pattern, term in zip(inner.args, atom.args, strict=True):
            if pattern not in types:
                if self._find(pattern) != term:
                    return None
            elif bound.setdefault(pattern, term) != term or not self.scope.fits(term, types[pattern]):
                return None
        return positive

    def _equality_value(self, one: str, other: str) -> bool | None:
        if one == other:
            return True
        if frozenset((one, other)) in self._distinct or not self.scope.may_equal(one, other):
            return False
        # They differ if a known atom would become the opposite of another one.
        touching = [(atom, held) for atom, held in self._atoms.items() if one in atom.args or other in atom.args]
        merged = {(_renamed(atom, one, other), held) for atom, held in touching}
        return False if any((atom, not held) in merged for atom, held in merged) else None

    def _merge(self, one: str, other: str) -> None:
        # Prefer objects to variables, and parameters to bound variables.
        kept, gone = sorted((one, other), key=lambda term: (is_variable(term), term.startswith("?!"), term))
        self._representatives[gone] = kept
        # No conflict arises: then the equality would be known to be false.
        self._atoms = {_renamed(atom, kept, gone): held for atom, held in self._atoms.items()}
        self._distinct = {frozenset(map(self._find, both)) for both in self._distinct}


def _renamed(atom: Atom, kept: str, gone: str) -> Atom:
    return Atom(atom.predicate, tuple([kept if term == gone else term for term in atom.args]))


_ROUNDS = 4
_LARGEST = 4000
"""The largest number of literals and connectives of a formula; larger ones would take minutes."""


class Simplifier:
    """Simplifies the formulas of one composition."""

    def __init__(self, scope: TermScope):
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
                dual = self._all([negation(part) for part in parts], facts)
                return _factored(list(disjuncts(negation(dual))))
        known = facts.value(condition)
        if known is not None:
            return TRUE if known else FALSE
        return self._quantified(condition, facts) if isinstance(condition, Forall | Exists) else condition

    def implies(self, facts: Facts, condition: Condition) -> bool:
        """Whether the facts are found to imply a condition; false if that is not found."""
        return self.simplify(negation(condition), facts) == FALSE

    def exists(self, name: str, body: Condition) -> Condition:
        """``(exists (name) body)`` for a fresh variable."""
        types = self.scope.types(name)
        if body == FALSE:
            return FALSE
        if isinstance(body, Or):
            return disjunction([self.exists(name, part) for part in body.parts])
        parts = tuple(conjuncts(body))
        inside = [part for part in parts if mentions(part, name)]
        outside = [part for part in parts if part not in inside]
        if not inside and self.scope.inhabited(types):
            return body
        for part in inside:
            if isinstance(part, Equality) and name in (part.left, part.right):
                term = part.right if part.left == name else part.left
                if self.scope.fits(term, types):
                    return conjunction((*outside, *(replaced(other, {name: term}) for other in inside)))
        return conjunction((*outside, closed(Exists, name, types, conjunction(inside))))

    def forall(self, name: str, body: Condition) -> Condition:
        """``(forall (name) body)`` for a fresh variable."""
        return negation(self.exists(name, negation(body)))

    def _quantified(self, condition: Forall | Exists, facts: Facts) -> Condition:
        name = self.scope.fresh(condition.parameters[0].types)
        body = self.simplify(within(condition, name), facts)
        result = self.exists(name, body) if isinstance(condition, Exists) else self.forall(name, body)
        # Replacing the variable may allow further simplification.
        return self.simplify(result, facts) if size(result) < size(condition) else result

    def _all(self, parts: Iterable[Condition], facts: Facts) -> Condition:
        items = list(conjuncts(And(tuple(parts))))
        for _ in range(_ROUNDS):
            here = facts.extended()
            before, items = items, list(items)
            for place in sorted(range(len(items)), key=lambda place: _rank(items[place])):
                items[place] = self.simplify(items[place], here)
                here.assume(items[place])
                if items[place] == FALSE or not here.consistent:
                    return FALSE
            items = list(conjuncts(conjunction(_resolved(list(conjuncts(conjunction(items)))))))
            # Parts that have become literals may simplify the others.
            if not any(is_literal(item) and item not in before for item in items):
                break
        # Comparisons may be defined only if the other parts hold.
        result = conjunction(sorted(items, key=has_comparison))
        if size(result) > _LARGEST:
            reason = f"a condition of the macro has more than {_LARGEST} parts: compose fewer steps at a time"
            raise CannotComposeError(reason, "too large")
        return result


def _rank(item: Condition) -> int:
    """The order in which parts simplify each other: equalities, other literals, the rest."""
    inner = item.body if isinstance(item, Not) else item
    return 0 if isinstance(inner, Equality) else 1 if is_literal(item) else 2


def _resolved(items: Sequence[Condition]) -> list[Condition]:
    """The clauses of a conjunction without implied ones and without literals that others exclude.

    ``b`` follows if it contains all of ``a``; from ``(or l x)`` and ``(or (not l) x y)`` the second becomes
    ``(or x y)``.
    """
    clauses = [dict.fromkeys(disjuncts(item)) for item in items]
    changed = False
    for one in clauses:
        for other in clauses:
            if one is other or len(one) > len(other):
                continue
            for literal in [part for part in one if is_literal(part)]:
                opposite = negation(literal)
                if opposite in other and all(part in other for part in one if part != literal):
                    del other[opposite]
                    changed = True
    keys = [frozenset(clause) for clause in clauses]
    kept = [
        place
        for place, key in enumerate(keys)
        if not any(other < key or (other == key and at < place) for at, other in enumerate(keys))
    ]
    if not changed and len(kept) == len(items):
        return list(items)
    return [disjunction(clauses[place]) for place in kept]


def _factored(items: Sequence[Condition]) -> Condition:
    """A disjunction with its common conjuncts factored out."""
    members = [dict.fromkeys(conjuncts(item)) for item in items]
    shared = [part for part in members[0] if all(part in other for other in members)] if len(items) > 1 else []
    if not shared:
        return disjunction(items)
    rest = [conjunction(part for part in parts if part not in shared) for parts in members]
    return conjunction((*shared, disjunction(rest)))


# ── effects on given terms ───────────────────────────────────────────────────────────────────────

Names = Mapping[str, str]
"""The macro's terms for the variables of an action."""


def renamed(args: tuple[str, ...], names: Names) -> tuple[str, ...]:
    """Terms under their names in the macro."""
    return tuple([names.get(term, term) for term in args])


def matched(
    pattern: tuple[str, ...], variables: tuple[str, ...], terms: tuple[str, ...], simplifier: Simplifier
) -> tuple[Condition, dict[str, str]]:
    """When the arguments of an effect are the given terms, and the binding of its variables then.

    If a term may have a type outside a variable's range, the condition tests the type:
    ``(exists (?z - type) (= ?z ?term))``.
    """
    scope = simplifier.scope
    binding: dict[str, str] = {}
    parts: list[Condition] = []
    for name, term in zip(pattern, terms, strict=True):
        if name not in variables or name in binding:
            own = binding.get(name, name)
            if not scope.may_equal(own, term):
                return FALSE, {}
            parts.append(equality(own, term))
            continue
        types = scope.types(name)
        if not scope.may_fit(term, types):
            return FALSE, {}
        if not scope.fits(term, types):
            fresh = scope.fresh(types)
            parts.append(closed(Exists, fresh, types, equality(fresh, term)))
        binding[name] = term
    return conjunction(parts), binding

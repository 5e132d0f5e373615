"""What is known in a state: literals, which terms are equal, and whole formulas."""

from __future__ import annotations

from pddl2nl.macros.formulas import is_literal, negation
from pddl2nl.macros.scope import Scope
from pddl2nl.pddl import Atom, Condition, Equality, Forall, Not, Or, conjuncts, is_variable

__all__ = ["Facts"]


class Facts:
    """What is assumed of a state; ``consistent`` is false once it contradicts itself, as far as is seen here."""

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
        """The same facts, to which others may be added."""
        other = Facts(self.scope)
        other.consistent = self.consistent
        other._parents = dict(self._parents)
        other._true, other._false = set(self._true), set(self._false)
        other._distinct, other._known = set(self._distinct), set(self._known)
        other._universal = list(self._universal)
        return other

    def extended(self, *conditions: Condition) -> Facts:
        """These facts and more."""
        other = self.copy()
        for condition in conditions:
            other.assume(condition)
        return other

    def value(self, condition: Condition) -> bool | None:
        """Whether a condition is known to hold, or not to; None where neither is known."""
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
        """Adds what is known to hold."""
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
        """What ``(forall (?x ?y) literal)`` says of an atom."""
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
        # An object stays rather than a variable, a parameter rather than what a quantifier binds.
        kept, gone = sorted((one, other), key=lambda term: (is_variable(term), term.startswith("?!"), term))
        self._parents[gone] = kept
        pair = (kept, gone)
        self._true = {self._renamed(atom, pair) for atom in self._true}
        self._false = {self._renamed(atom, pair) for atom in self._false}
        self._distinct = {frozenset(map(self._find, both)) for both in self._distinct}
        # Two classes that are distinct from each other are never merged: their equality is known to be false.
        self.consistent = self._true.isdisjoint(self._false) and all(len(both) == 2 for both in self._distinct)

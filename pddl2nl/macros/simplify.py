"""Formulas made shorter under what is known, without a change in meaning.

A part is read under what stands beside it: of ``(and p (or (not p) q))`` remains ``(and p q)``. Quantifiers give up
what does not depend on their variable and what an equality fixes; a quantifier over a type that may have no objects
keeps what that would mean. Every rule here is an equivalence in all states in which the facts hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pddl2nl.macros.facts import Facts
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
from pddl2nl.macros.scope import Scope
from pddl2nl.pddl import And, Condition, Equality, Exists, Forall, Not, Or, conjuncts
from pddlval.names import has_comparison

__all__ = ["Simplifier"]

_ROUNDS = 4
_LARGEST = 4000
"""So many literals and connectives a formula may have; no one reads more, and rewriting would take minutes."""


class Simplifier:
    """Simplifies the formulas of one composition."""

    def __init__(self, scope: Scope):
        self.scope = scope

    def simplify(self, condition: Condition, facts: Facts) -> Condition:
        """A condition with the same truth value wherever the facts hold; false where they never do.

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
        """Whether a condition is seen to hold wherever the facts do; false where that is not seen."""
        return self.simplify(negation(condition), facts) == FALSE

    def exists(self, name: str, body: Condition) -> Condition:
        """``(exists (name) body)``, where the variable is one of `Scope.fresh`."""
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
        """``(forall (name) body)``, where the variable is one of `Scope.fresh`."""
        return negation(self.exists(name, negation(body)))

    def _quantified(self, condition: Forall | Exists, facts: Facts) -> Condition:
        name = self.scope.fresh(condition.parameters[0].types)
        body = self.simplify(within(condition, name), facts)
        found = self.exists(name, body) if isinstance(condition, Exists) else self.forall(name, body)
        if found == condition or size(found) >= size(condition):
            return found
        # An equality that fixed the variable may have brought out more.
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
            items = _resolved(tuple(conjuncts(conjunction(found[place] for place in range(len(items))))), disjuncts)
            items = tuple(conjuncts(conjunction(_built(item, Or) for item in items)))
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
            items = _resolved(tuple(disjuncts(disjunction(found[place] for place in range(len(items))))), conjuncts)
            items = tuple(disjuncts(disjunction(_built(item, And) for item in items)))
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
    """The parts that compare no numbers, then those that do: a comparison may have a value only where they let it."""
    comparing = [has_comparison(item) for item in items]
    if not any(comparing):
        return items
    return [item for item, last in sorted(zip(items, comparing, strict=True), key=lambda pair: pair[1])]


def _constant(value: bool) -> Condition:
    return TRUE if value else FALSE


def _built(item: Condition, kind: type[And] | type[Or]) -> Condition:
    return conjunction(conjuncts(item)) if kind is And else disjunction(disjuncts(item))


def _tells_more(before: Sequence[Condition], after: Sequence[Condition]) -> bool:
    """Whether parts have become literals, under which the other parts may become simpler."""
    return any(is_literal(item) and item not in before for item in after)


def _literals_first(items: Sequence[Condition]) -> list[int]:
    """The order in which parts tell most about each other: equalities, other literals, the rest."""

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


def _resolved(items: Sequence[Condition], members: object) -> tuple[Condition, ...]:
    """Parts without those that others imply, and without literals that others rule out.

    Read as clauses, parts of a conjunction: where all of ``a`` stands in ``b``, ``b`` follows; of ``(or l x)`` and
    ``(or (not l) x y)`` the second is ``(or x y)``. Of a disjunction the same holds the other way round.
    """
    split = disjuncts if members is disjuncts else conjuncts
    sets = [dict.fromkeys(split(item)) for item in items]
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
    kind = Or if split is disjuncts else And
    return tuple(_joined(sets[place], kind) for place in kept)


def _joined(parts: Iterable[Condition], kind: type[And] | type[Or]) -> Condition:
    return conjunction(parts) if kind is And else disjunction(parts)


def _factored(items: Sequence[Condition]) -> Condition:
    """A disjunction with what all its parts share taken out."""
    if len(items) < 2:
        return disjunction(items)
    sets = [dict.fromkeys(conjuncts(item)) for item in items]
    shared = [part for part in sets[0] if all(part in other for other in sets[1:])]
    if not shared:
        return disjunction(items)
    rest = [conjunction(part for part in parts if part not in shared) for parts in sets]
    return conjunction((*shared, disjunction(rest)))

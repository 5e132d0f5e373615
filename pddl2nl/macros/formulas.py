"""Formulas in a normal form, and the dependencies of derived predicates.

In the normal form conjunctions and disjunctions are flat, and each quantifier binds one variable, named by its nesting
height (``?.1`` binds over no other quantifier). So formulas that differ only in the names of bound variables are equal.
To look inside a quantifier, open it with a fresh variable (`within`, `Scope.fresh`); this avoids capture.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from pddl2nl.pddl import (
    And,
    Atom,
    Comparison,
    Condition,
    Domain,
    Equality,
    Exists,
    Fluent,
    Forall,
    Not,
    Or,
    TypedName,
    conjuncts,
    is_variable,
    substitute,
)
from pddl2nl.pddl.tree import map_children, walk
from pddlval.formulas import free_variables, opposite, predicates_in, subformulas

__all__ = [
    "FALSE",
    "TRUE",
    "Rules",
    "as_said",
    "closed",
    "conjunction",
    "disjunction",
    "disjuncts",
    "equality",
    "is_bound",
    "is_literal",
    "mentions",
    "negation",
    "replaced",
    "size",
    "within",
]

TRUE: Condition = And()
FALSE: Condition = Or()

negation = opposite
"""The negation of a condition, with ``not`` only before atoms, equalities and comparisons."""


def is_literal(condition: Condition) -> bool:
    """Whether a condition is an atom, an equality or a comparison, or the negation of one."""
    return isinstance(condition.body if isinstance(condition, Not) else condition, Atom | Equality | Comparison)


def is_bound(term: str) -> bool:
    """Whether a term is a fresh variable (`Scope.fresh`), which a quantifier binds or will bind."""
    return term.startswith("?!")


def disjuncts(condition: Condition) -> Iterator[Condition]:
    """The members of a disjunction, nested ones flattened; any other condition is its own only member."""
    if isinstance(condition, Or):
        for part in condition.parts:
            yield from disjuncts(part)
    else:
        yield condition


def conjunction(parts: Iterable[Condition]) -> Condition:
    """The flat conjunction without duplicates; false if a part is."""
    found: dict[Condition, None] = {}
    for part in parts:
        found.update(dict.fromkeys(conjuncts(part)))
    if FALSE in found:
        return FALSE
    return next(iter(found)) if len(found) == 1 else And(tuple(found))


def disjunction(parts: Iterable[Condition]) -> Condition:
    """The flat disjunction without duplicates; true if a part is."""
    found: dict[Condition, None] = {}
    for part in parts:
        found.update(dict.fromkeys(disjuncts(part)))
    if TRUE in found:
        return TRUE
    return next(iter(found)) if len(found) == 1 else Or(tuple(found))


def equality(one: str, other: str) -> Condition:
    """``(= s t)`` in a fixed order, variables first; true for equal terms."""
    if one == other:
        return TRUE
    first, second = sorted((one, other), key=lambda term: (not is_variable(term), is_bound(term), term))
    return Equality(first, second)


def mentions(condition: Condition, name: str) -> bool:
    """Whether a variable occurs free in a condition."""
    return name in free_variables(condition)


def within(quantified: Forall | Exists, name: str) -> Condition:
    """The body of a quantifier with another name for the variable that it binds."""
    return replaced(quantified.body, {quantified.parameters[0].name: name})


def closed(kind: type[Forall] | type[Exists], name: str, types: tuple[str, ...], body: Condition) -> Condition:
    """A quantifier over a variable that is free in the body."""
    heights = (int(part.parameters[0].name[2:]) for part in subformulas(body) if isinstance(part, Forall | Exists))
    bound = f"?.{max(heights, default=0) + 1}"
    return kind((TypedName(bound, types),), replaced(body, {name: bound}))


def replaced(condition: Condition, binding: Mapping[str, str]) -> Condition:
    """The normal form with other terms, possibly variables, for its free variables."""
    match condition:
        case Atom(predicate, args):
            return Atom(predicate, tuple([binding.get(term, term) for term in args]))
        case Equality(left, right):
            return equality(binding.get(left, left), binding.get(right, right))
        case Comparison():
            return substitute(condition, binding)
        case Not(body):
            return opposite(replaced(body, binding))
        case And(parts):
            return conjunction([replaced(part, binding) for part in parts])
        case Or(parts):
            return disjunction([replaced(part, binding) for part in parts])
        case Forall() | Exists():
            return replace(condition, body=replaced(condition.body, binding))
    raise TypeError(f"not a condition over one state: {type(condition).__name__}")


def size(condition: Condition) -> int:
    """The number of literals, quantifiers and connectives of a condition."""
    return sum(not isinstance(part, Not) for part in subformulas(condition))


def as_said(condition: Condition, names: Mapping[str, str]) -> Condition:
    """A condition or effect of the domain with other terms for its free variables, otherwise unchanged.

    Bound variables with the name of one of the terms are renamed.
    """
    taken = frozenset(names.values())

    def apart(node: Condition) -> Condition:
        node = map_children(node, apart)
        if not isinstance(node, Forall | Exists):
            return node
        others = {item.name: f"{item.name}-bound" for item in node.parameters if item.name in taken}
        own = tuple(TypedName(others.get(item.name, item.name), item.types) for item in node.parameters)
        return replace(node, parameters=own, body=substitute(node.body, others)) if others else node

    return substitute(apart(condition), names)


class Rules:
    """The derived predicates of a domain and what they depend on."""

    def __init__(self, domain: Domain):
        self._domain = domain
        self.names = frozenset(rule.name for rule in domain.derived)
        self._below: dict[str, frozenset[str]] = {}

    def rules(self, predicate: str) -> Iterator[tuple[tuple[TypedName, ...], Condition]]:
        """The parameters and the condition of each rule for a predicate."""
        return ((rule.parameters, rule.condition) for rule in self._domain.derived if rule.name == predicate)

    def below(self, predicate: str) -> frozenset[str]:
        """The predicates and functions that a predicate depends on, directly or through others."""
        known = self._below.get(predicate)
        if known is None:
            found: set[str] = set()
            todo = [predicate]
            while todo:
                for _, condition in self.rules(todo.pop()):
                    new = (predicates_in(condition) | _functions(condition)) - found
                    found |= new
                    todo.extend(new & self.names)
            known = self._below[predicate] = frozenset(found)
        return known

    def functions(self, predicate: str) -> frozenset[str]:
        """The functions that the rules of a predicate compare, directly or through others."""
        rules = (rule for rule in self._domain.derived if rule.name in {predicate, *self.below(predicate)})
        return frozenset().union(*(_functions(rule.condition) for rule in rules))

    def recursive(self, predicate: str) -> bool:
        """Whether a predicate depends on itself, or on one that does."""
        return any(name in self.below(name) for name in (predicate, *(self.below(predicate) & self.names)))

    def mentioned(self, condition: Condition) -> frozenset[str]:
        """The predicates and functions that the truth of a condition depends on."""
        direct = predicates_in(condition) | _functions(condition)
        return direct.union(*(self.below(name) for name in direct & self.names))


def _functions(condition: Condition) -> frozenset[str]:
    return frozenset(node.name for node in walk(condition) if isinstance(node, Fluent))

"""Formulas in a normal form, and the dependencies of derived predicates.

In the normal form conjunctions and disjunctions are flat, and each quantifier binds one variable, named by its nesting
height (``?.1`` binds over no other quantifier). So formulas that differ only in the names of bound variables are equal.
To look inside a quantifier, open it with a fresh variable (`within`, `TermScope.fresh`); this avoids capture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from pddl2nl.pddl import (
    And,
    Atom,
    Comparison,
    Condition,
    Domain,
    Equality,
    Exists,
    Expression,
    Fluent,
    Forall,
    Not,
    Or,
    TypedName,
    conjuncts,
    is_variable,
    stratify,
    substitute,
)
from pddl2nl.pddl.tree import map_children, walk
from pddlval.formulas import free_variables, opposite, subformulas

TRUE: Condition = And()
FALSE: Condition = Or()

negation = opposite
"""The negation of a condition, with ``not`` only before atoms, equalities and comparisons."""


def is_literal(condition: Condition) -> bool:
    """Whether a condition is an atom, an equality or a comparison, or the negation of one."""
    return isinstance(condition.body if isinstance(condition, Not) else condition, Atom | Equality | Comparison)


def is_bound(term: str) -> bool:
    """Whether a term is a fresh variable (`TermScope.fresh`), which a quantifier binds or will bind."""
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
    return _joined(And, FALSE, conjuncts, parts)


def disjunction(parts: Iterable[Condition]) -> Condition:
    """The flat disjunction without duplicates; true if a part is."""
    return _joined(Or, TRUE, disjuncts, parts)


def _joined(
    kind: type[And] | type[Or],
    decisive: Condition,
    members: Callable[[Condition], Iterator[Condition]],
    parts: Iterable[Condition],
) -> Condition:
    flat = dict.fromkeys(member for part in parts for member in members(part))
    if decisive in flat:
        return decisive
    return next(iter(flat)) if len(flat) == 1 else kind(tuple(flat))


def equality(one: str, other: str) -> Condition:
    """``(= s t)`` in a fixed order, variables first; true for equal terms."""
    if one == other:
        return TRUE
    first, second = sorted((one, other), key=lambda term: (not is_variable(term), is_bound(term), term))
    return Equality(first, second)


def mentions(condition: Condition, name: str) -> bool:
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
        case Atom() | Comparison():
            return substitute(condition, binding)
        case Equality(left, right):
            return equality(binding.get(left, left), binding.get(right, right))
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
        self._functions = frozenset(function.name for function in domain.functions)
        self._below: dict[str, frozenset[str]] = {}
        self.names = frozenset(rule.name for rule in domain.derived)

    def rules(self, predicate: str) -> Iterator[tuple[tuple[TypedName, ...], Condition]]:
        """The parameters and the condition of each rule for a predicate."""
        return ((rule.parameters, rule.condition) for rule in self._domain.derived if rule.name == predicate)

    def below(self, predicate: str) -> frozenset[str]:
        """The predicates and functions that a predicate depends on, directly or through others."""
        if predicate not in self._below:
            below: set[str] = set()
            todo = [predicate]
            while todo:
                for _, condition in self.rules(todo.pop()):
                    new = _names(condition) - below
                    below |= new
                    todo.extend(new & self.names)
            self._below[predicate] = frozenset(below)
        return self._below[predicate]

    def functions(self, predicate: str) -> frozenset[str]:
        """The functions that a predicate depends on."""
        return self.below(predicate) & self._functions

    def recursive(self, predicate: str) -> bool:
        """Whether a predicate depends on itself, or on one that does."""
        return not stratify(self._domain).recursive.isdisjoint((predicate, *self.below(predicate)))

    def mentioned(self, formula: Condition | Expression) -> frozenset[str]:
        """The predicates and functions that the value of a formula depends on."""
        names = _names(formula)
        return names.union(*(self.below(name) for name in names & self.names))


def _names(formula: Condition | Expression) -> frozenset[str]:
    nodes = (node for node in walk(formula) if isinstance(node, Atom | Fluent))
    return frozenset(node.predicate if isinstance(node, Atom) else node.name for node in nodes)

"""Formulas over the state before a macro: put together, negated, opened and closed.

Quantifiers bind one variable each. A bound variable is named by how high its quantifier stands (``?.1`` binds over
no other quantifier), so that formulas which differ in the names of bound variables alone are equal; whoever looks
inside opens the quantifier with a variable that occurs nowhere else (`Scope.fresh`), and nothing is ever caught.

The rules of derived predicates: what each depends on, and whether it can be put in the place of its atom.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from pddl2nl.pddl import (
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    Domain,
    Equality,
    Exists,
    Expression,
    Fluent,
    Forall,
    Imply,
    Not,
    Or,
    TypedName,
    When,
    conjuncts,
    is_variable,
    substitute,
)
from pddlval.names import fluents_in, subformulas
from pddlval.normal_form import free_variables, opposite, predicates_in

__all__ = [
    "FALSE",
    "Rules",
    "TRUE",
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
    "replaced_terms",
    "size",
    "within",
]

TRUE: Condition = And()
FALSE: Condition = Or()

Binding = Mapping[str, str]


def is_literal(condition: Condition) -> bool:
    """Whether a condition is an atom, an equality or a comparison, or the negation of one."""
    return isinstance(condition.body if isinstance(condition, Not) else condition, Atom | Equality | Comparison)


def is_bound(term: str) -> bool:
    """Whether a term is a variable of `Scope.fresh`, which some quantifier binds or will bind."""
    return term.startswith("?!")


def negation(condition: Condition) -> Condition:
    """The negation, with ``not`` only before atoms, equalities and comparisons."""
    return opposite(condition)


def disjuncts(condition: Condition) -> Iterator[Condition]:
    """The members of a disjunction, nested ones flattened; a condition that is none is its own only member."""
    if isinstance(condition, Or):
        for part in condition.parts:
            yield from disjuncts(part)
    else:
        yield condition


def conjunction(parts: Iterable[Condition]) -> Condition:
    """All of these: flat, each once, false where one is."""
    found: dict[Condition, None] = {}
    for part in parts:
        found.update(dict.fromkeys(conjuncts(part)))
    if FALSE in found:
        return FALSE
    return next(iter(found)) if len(found) == 1 else And(tuple(found))


def disjunction(parts: Iterable[Condition]) -> Condition:
    """One of these at least: flat, each once, true where one is."""
    found: dict[Condition, None] = {}
    for part in parts:
        found.update(dict.fromkeys(disjuncts(part)))
    if TRUE in found:
        return TRUE
    return next(iter(found)) if len(found) == 1 else Or(tuple(found))


def equality(one: str, other: str) -> Condition:
    """``(= s t)``, variables first and in an order of its own, so that both ways of writing it are equal."""
    if one == other:
        return TRUE
    first, second = sorted((one, other), key=lambda term: (not is_variable(term), term.startswith("?!"), term))
    return Equality(first, second)


def mentions(condition: Condition, name: str) -> bool:
    """Whether a variable occurs free in a condition."""
    return name in free_variables(condition)


def within(quantified: Forall | Exists, name: str) -> Condition:
    """The body of a quantifier with this variable for the one that it binds."""
    return replaced(quantified.body, {quantified.parameters[0].name: name})


def closed(kind: type[Forall] | type[Exists], name: str, types: tuple[str, ...], body: Condition) -> Condition:
    """A quantifier over a variable that is free in the body."""
    bound = f"?.{_height(body) + 1}"
    return kind((TypedName(bound, types),), replaced(body, {name: bound}))


def _height(condition: Condition) -> int:
    match condition:
        case Forall(parameters, _) | Exists(parameters, _):
            return int(parameters[0].name[2:])
        case And(parts) | Or(parts):
            return max(map(_height, parts), default=0)
        case Not(body):
            return _height(body)
    return 0


def replaced(condition: Condition, binding: Binding) -> Condition:
    """The condition with other terms for its free variables, variables among them."""
    match condition:
        case Atom(predicate, args):
            return Atom(predicate, tuple([binding.get(term, term) for term in args]))
        case Equality(left, right):
            return equality(binding.get(left, left), binding.get(right, right))
        case Not(body):
            return opposite(replaced(body, binding))
        case And(parts):
            return conjunction([replaced(part, binding) for part in parts])
        case Or(parts):
            return disjunction([replaced(part, binding) for part in parts])
        case Forall(parameters, body):
            return Forall(parameters, replaced(body, binding))
        case Exists(parameters, body):
            return Exists(parameters, replaced(body, binding))
        case Comparison(operator, left, right):
            return Comparison(operator, replaced_terms(left, binding), replaced_terms(right, binding))
    raise TypeError(f"not a condition over one state: {type(condition).__name__}")


def replaced_terms(expression: Expression, binding: Binding) -> Expression:
    """The expression with other terms for its variables."""
    match expression:
        case Fluent(name, args):
            return Fluent(name, tuple([binding.get(term, term) for term in args]))
        case Arithmetic(operator, operands):
            return Arithmetic(operator, tuple([replaced_terms(operand, binding) for operand in operands]))
    return expression


def size(condition: Condition) -> int:
    """How many literals, quantifiers and connectives a condition has."""
    match condition:
        case And(parts) | Or(parts):
            return 1 + sum(map(size, parts))
        case Not(body):
            return size(body)
        case Forall(_, body) | Exists(_, body):
            return 1 + size(body)
    return 1


def as_said(condition: Condition, names: Mapping[str, str]) -> Condition:
    """A condition or effect of the domain with these terms for its free variables, otherwise in its own words.

    Bound variables that are called like one of the terms get other names.
    """
    return substitute(_apart(condition, frozenset(names.values())), names)


def _apart(condition: Condition, taken: frozenset[str]) -> Condition:
    match condition:
        case Not(body):
            return Not(_apart(body, taken))
        case And(parts) | Or(parts):
            return replace(condition, parts=tuple(_apart(part, taken) for part in parts))
        case Imply(left, right):
            return Imply(_apart(left, taken), _apart(right, taken))
        case When(before, effect):
            return When(_apart(before, taken), _apart(effect, taken))
        case Forall(parameters, body) | Exists(parameters, body):
            names = {item.name: f"{item.name}-bound" for item in parameters if item.name in taken}
            own = tuple(TypedName(names.get(item.name, item.name), item.types) for item in parameters)
            return replace(condition, parameters=own, body=substitute(_apart(body, taken), names))
    return condition


class Rules:
    """The derived predicates of a domain."""

    def __init__(self, domain: Domain):
        self._domain = domain
        self.names = frozenset(rule.name for rule in domain.derived)
        self._below: dict[str, frozenset[str]] = {}

    def rules(self, predicate: str) -> Iterator[tuple[tuple[TypedName, ...], Condition]]:
        """The parameters and the condition of each rule for a predicate."""
        return ((rule.parameters, rule.condition) for rule in self._domain.derived if rule.name == predicate)

    def below(self, predicate: str) -> frozenset[str]:
        """The predicates and functions that the truth of a predicate depends on, those in between included."""
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
        """The functions that the rules of a predicate compare, directly or by way of others."""
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
    comparisons = [part for part in subformulas(condition) if isinstance(part, Comparison)]
    return frozenset(
        fluent.name for part in comparisons for side in (part.left, part.right) for fluent in fluents_in(side)
    )

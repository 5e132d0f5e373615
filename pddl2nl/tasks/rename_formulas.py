"""Renaming within formulas: conditions, effects, expressions and typed lists under tables of names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass

from pddl2nl.pddl.tree import (
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    Equality,
    Exists,
    Expression,
    Fluent,
    Forall,
    Imply,
    Modal,
    Not,
    Or,
    Preference,
    Special,
    Timed,
    TypedName,
    Update,
    When,
    is_variable,
)

__all__ = ["FormulaRenamer", "nodes", "preference_names", "variables"]

_SPECIAL = ("?duration", "#t", "total-time", "undefined")


@dataclass(frozen=True)
class FormulaRenamer:
    """What becomes of each kind of name inside a formula; `term` is for variables and objects alike.

    The nodes that it makes carry no spans: they stand in no text.
    """

    type: Callable[[str], str]
    predicate: Callable[[str], str]
    function: Callable[[str], str]
    preference: Callable[[str], str]
    term: Callable[[str], str]

    def condition(self, node: Condition) -> Condition:
        """A condition or an effect, renamed."""
        match node:
            case Atom(predicate=name, args=args):
                return Atom(self.predicate(name), self._terms(args))
            case Equality(left=one, right=other):
                return Equality(self.term(one), self.term(other))
            case Comparison(operator=operator, left=first, right=second):
                return Comparison(operator, self.expression(first), self.expression(second))
            case Update(operator=operator, fluent=fluent, value=value):
                return Update(operator, self._fluent(fluent), self.expression(value))
            case Forall(parameters=parameters, body=body):
                return Forall(self.parameters(parameters), self.condition(body))
            case Exists(parameters=parameters, body=body):
                return Exists(self.parameters(parameters), self.condition(body))
            case _:
                return self._connective(node)

    def _connective(self, node: Condition) -> Condition:
        match node:
            case Not(body=body):
                return Not(self.condition(body))
            case And(parts=parts):
                return And(tuple(map(self.condition, parts)))
            case Or(parts=parts):
                return Or(tuple(map(self.condition, parts)))
            case Imply(left=left, right=right):
                return Imply(self.condition(left), self.condition(right))
            case When(condition=before, effect=after):
                return When(self.condition(before), self.condition(after))
            case Timed(when=when, body=body):
                return Timed(when, self.condition(body))
            case Preference(name=name, body=body):
                return Preference(self.preference(name), self.condition(body))
            case Modal(operator=operator, numbers=numbers, parts=parts):
                return Modal(operator, numbers, tuple(map(self.condition, parts)))
            case _:
                raise TypeError(f"no condition: {node!r}")

    def expression(self, node: Expression) -> Expression:
        """A numeric expression, renamed."""
        match node:
            case Fluent():
                return self._fluent(node)
            case Arithmetic(operator=operator, operands=operands):
                return Arithmetic(operator, tuple([self.expression(item) for item in operands]))
            case Special(name=name, args=args) if args:
                # (is-violated name)
                return Special(name, tuple([self.preference(item) for item in args]))
            case Special(name=name) if name not in _SPECIAL:
                # A variable or an object that is the value of an object fluent.
                return Special(self.term(name))
            case _:
                return node

    def parameters(self, items: Iterable[TypedName]) -> tuple[TypedName, ...]:
        """A typed list, of variables or of objects, renamed."""
        return tuple([TypedName(self.term(item.name), tuple(map(self.type, item.types))) for item in items])

    def _fluent(self, node: Fluent) -> Fluent:
        return Fluent(self.function(node.name), self._terms(node.args))

    def _terms(self, args: tuple[str, ...]) -> tuple[str, ...]:
        return tuple([self.term(term) for term in args])


def nodes(tree: object) -> Iterator[object]:
    """Every node of a tree, itself first, in the order of the text."""
    yield tree
    if isinstance(tree, tuple | list):
        for item in tree:
            yield from nodes(item)
    elif is_dataclass(tree):
        for item in fields(tree):
            if item.name not in ("span", "source"):
                yield from nodes(getattr(tree, item.name))


def variables(*trees: object) -> tuple[str, ...]:
    """The names of all variables in these trees, each once, in the order of the text."""
    words = (word for word in nodes(trees) if isinstance(word, str) and is_variable(word) and word not in _SPECIAL)
    return tuple(dict.fromkeys(words))


def preference_names(*trees: object) -> tuple[str, ...]:
    """The names of all preferences in these trees, each once, in the order of the text."""
    found = (node.name for node in nodes(trees) if isinstance(node, Preference))
    return tuple(dict.fromkeys(name for name in found if name))

"""Rewriting formulas: objects in place of variables, and other names for types, predicates, functions and objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar, cast

from pddl2nl.lean import dataclass
from pddl2nl.pddl.tree import (
    Atom,
    Condition,
    Equality,
    Exists,
    Fluent,
    Forall,
    Node,
    Preference,
    Special,
    TypedName,
    is_variable,
    map_children,
    walk,
)

_NodeT = TypeVar("_NodeT", bound=Node)
_KEYWORDS = ("?duration", "#t", "total-time", "undefined")


def substitute(condition: _NodeT, binding: Mapping[str, str]) -> _NodeT:
    """The condition, effect or expression with variables replaced: ``{"?x": "a"}``.

    Variables that a quantifier binds stay, also if the binding has one of the same name. The values of the binding
    must be objects: a variable could be captured by a quantifier.
    """
    node: Node = condition
    match node:
        case Atom(args=args) | Fluent(args=args):
            changed = tuple([binding.get(term, term) for term in args])
            return cast("_NodeT", node if changed == args else replace(node, args=changed))
        case Equality(left=one, right=other):
            return cast("_NodeT", replace(node, left=binding.get(one, one), right=binding.get(other, other)))
        case Special(name=name):
            return cast("_NodeT", replace(node, name=binding.get(name, name)))
        case Forall(parameters=parameters) | Exists(parameters=parameters):
            hidden = {item.name for item in parameters}
            binding = {name: value for name, value in binding.items() if name not in hidden}
    return map_children(condition, lambda child: substitute(child, binding))


def _same(name: str) -> str:
    return name


@dataclass(frozen=True)
class Renaming:
    """How each kind of name is renamed; by default a name stays. ``term`` renames variables and objects alike."""

    type: Callable[[str], str] = _same
    predicate: Callable[[str], str] = _same
    function: Callable[[str], str] = _same
    preference: Callable[[str], str] = _same
    term: Callable[[str], str] = _same

    def formula(self, formula: _NodeT) -> _NodeT:
        """A condition, effect or expression under its new names."""
        node: Node = map_children(formula, self.formula)
        match node:
            case Atom(predicate=name, args=args):
                node = replace(node, predicate=self.predicate(name), args=self._terms(args))
            case Fluent(name=name, args=args):
                node = replace(node, name=self.function(name), args=self._terms(args))
            case Equality(left=one, right=other):
                node = replace(node, left=self.term(one), right=self.term(other))
            case Forall(parameters=parameters) | Exists(parameters=parameters):
                node = replace(node, parameters=self.typed(parameters))
            case Preference(name=name):
                node = replace(node, name=self.preference(name))
            case Special(args=args) if args:
                # (is-violated name)
                node = replace(node, args=tuple([self.preference(item) for item in args]))
            case Special(name=name) if name not in _KEYWORDS:
                # A variable or an object that is the value of an object fluent.
                node = replace(node, name=self.term(name))
        return cast("_NodeT", node)

    def typed(self, items: Iterable[TypedName]) -> tuple[TypedName, ...]:
        """A typed list, of variables or of objects, under its new names."""
        return tuple([TypedName(self.term(item.name), tuple(map(self.type, item.types))) for item in items])

    def _terms(self, args: tuple[str, ...]) -> tuple[str, ...]:
        return tuple([self.term(term) for term in args])


def variables(formula: Node) -> tuple[str, ...]:
    """The names of all variables in a formula, bound ones included, each once, in the order of the text."""
    found: dict[str, None] = {}
    for node in walk(formula):
        match node:
            case Atom(args=terms) | Fluent(args=terms):
                pass
            case Equality(left=one, right=other):
                terms = (one, other)
            case Special(name=name):
                terms = () if name in _KEYWORDS else (name,)
            case Forall(parameters=parameters) | Exists(parameters=parameters):
                terms = tuple(item.name for item in parameters)
            case _:
                continue
        found.update((term, None) for term in terms if is_variable(term))
    return tuple(found)


def preference_names(formula: Condition) -> tuple[str, ...]:
    """The names of all preferences in a formula, each once, in the order of the text."""
    return tuple(dict.fromkeys(node.name for node in walk(formula) if isinstance(node, Preference) and node.name))

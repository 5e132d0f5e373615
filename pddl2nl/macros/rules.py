"""The rules of derived predicates: what each depends on, and whether it can be put in the place of its atom."""

from __future__ import annotations

from collections.abc import Iterator

from pddl2nl.pddl import Comparison, Condition, Domain, TypedName
from pddlval.names import fluents_in, subformulas
from pddlval.normal_form import predicates_in

__all__ = ["Rules"]


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

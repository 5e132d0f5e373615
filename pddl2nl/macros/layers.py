"""What one step of a macro does, told over the state before the macro."""

from __future__ import annotations

from dataclasses import dataclass, field

from pddl2nl.macros.formulas import FALSE, TRUE, closed, conjunction, equality, replaced
from pddl2nl.macros.simplify import Simplifier
from pddl2nl.pddl import Atom, Condition, Exists, Expression, Fluent

__all__ = ["Change", "Layer", "Part", "Touch", "bound", "coincidence", "matched"]


@dataclass(frozen=True)
class Touch:
    """An atom that a step adds or deletes, for all objects of some variables, under a condition."""

    variables: tuple[str, ...]
    condition: Condition
    atom: Atom
    positive: bool


@dataclass(frozen=True)
class Change:
    """A numeric update of a step, for all objects of some variables, under a condition."""

    variables: tuple[str, ...]
    condition: Condition
    operator: str
    fluent: Fluent
    amount: Expression


@dataclass(frozen=True)
class Part:
    """A literal or an update in the macro's effect, for all objects of some variables, under a condition."""

    variables: tuple[str, ...]
    condition: Condition
    change: Condition


@dataclass
class Layer:
    """All that a step does."""

    touches: list[Touch] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)

    def touching(self, predicate: str, positive: bool) -> list[Touch]:
        """Its touches of one predicate."""
        return [touch for touch in self.touches if touch.atom.predicate == predicate and touch.positive is positive]

    def changing(self, function: str) -> list[Change]:
        """Its updates of one function."""
        return [change for change in self.changes if change.fluent.name == function]


def matched(
    pattern: tuple[str, ...], variables: tuple[str, ...], terms: tuple[str, ...], simplifier: Simplifier
) -> tuple[Condition, dict[str, str]]:
    """When the arguments of an effect are these terms, and what its variables stand for then.

    Where a term may be of a type that the variable does not range over, the condition asks for the type, as PDDL can:
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
        if not scope.fits(term, types):
            if not scope.may_fit(term, types):
                return FALSE, {}
            parts.append(_is_of(term, types, simplifier))
        binding[name] = term
    return conjunction(parts), binding


def _is_of(term: str, types: tuple[str, ...], simplifier: Simplifier) -> Condition:
    name = simplifier.scope.fresh(types)
    return closed(Exists, name, types, equality(name, term))


def coincidence(touch: Touch, terms: tuple[str, ...], simplifier: Simplifier) -> Condition:
    """When an effect happens, and to the atom of these terms."""
    same, binding = matched(touch.atom.args, touch.variables, terms, simplifier)
    if same == FALSE:
        return FALSE
    found = conjunction((same, replaced(touch.condition, binding))) if touch.condition != TRUE else same
    for name in touch.variables:
        if name not in binding:
            found = simplifier.exists(name, found)
    return found


def bound(change: Change, terms: tuple[str, ...], simplifier: Simplifier) -> tuple[Condition, dict[str, str]] | None:
    """When an update happens to the fluent of these terms, and under which binding; None where there may be many."""
    if any(name not in change.fluent.args for name in change.variables):
        return None
    same, binding = matched(change.fluent.args, change.variables, terms, simplifier)
    return conjunction((same, replaced(change.condition, binding))), binding

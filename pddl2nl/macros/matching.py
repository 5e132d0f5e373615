"""When the arguments of an effect, some of which are quantified variables, are some given terms."""

from __future__ import annotations

from collections.abc import Mapping

from pddl2nl.macros.formulas import FALSE, closed, conjunction, equality
from pddl2nl.macros.simplify import Simplifier
from pddl2nl.pddl import Condition, Exists

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

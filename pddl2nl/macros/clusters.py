"""Macro-actions that are the same: up to what their parameters are called, and up to the order of independent steps.

Steps are compared and not conditions: two macros of the same steps have the same conditions, and to compare conditions
for equivalence would take a prover for each pair. The canonical form of a sequence is the smallest of all that can be
made by exchanging independent neighbours, with its terms numbered as they occur.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pddl2nl.macros.footprints import Footprints, independent
from pddl2nl.macros.macro import Macro, MacroStep
from pddl2nl.pddl import Domain, is_variable, supertypes

__all__ = ["Canonical", "Cluster", "canonical", "canonical_steps", "clusters"]

T = TypeVar("T")

Canonical = tuple[tuple[str, ...], ...]
"""A macro's steps, each an action's name with its terms: constants as they are, all others numbered."""

_MOST_WAYS = 500
"""So many equally small beginnings are followed; beyond them two equal macros may be kept apart, never joined."""


@dataclass(frozen=True)
class Cluster(Generic[T]):
    """Macros that are the same; the representative is the first that was given."""

    representative: T
    members: tuple[T, ...]


def canonical(macro: Macro, domain: Domain) -> Canonical:
    """The canonical form of a macro: equal for two macros that differ only in names and in the order of
    independent steps.

    Parameters that could be one object are taken to be dependent, so that equal forms mean the same successor
    whatever objects are given. Parameters' types count; those of a ground block's objects do not. A macro whose steps
    the domain does not have is compared in its own order.
    """
    types = {item.name: item.types for item in macro.parameters}
    hierarchy = supertypes(domain)

    def same(one: str, other: str) -> bool:
        if not (is_variable(one) or is_variable(other)):
            return False
        mine, theirs = (types.get(term, ("object",)) for term in (one, other))
        return hierarchy.meets(mine, theirs)

    footprints = Footprints(domain)
    try:
        traces = [footprints.of(step.action, step.args) for step in macro.steps]
    except (KeyError, ValueError):
        return canonical_steps(macro.steps, _constants(domain), lambda one, other: True, types)
    return canonical_steps(
        macro.steps, _constants(domain), lambda one, other: not independent(traces[one], traces[other], same), types
    )


def canonical_steps(
    steps: Sequence[MacroStep],
    constants: Collection[str],
    dependent: Callable[[int, int], bool],
    types: dict[str, tuple[str, ...]] | None = None,
) -> Canonical:
    """The canonical form of a sequence of steps.

    Args:
        steps: the steps.
        constants: names that stay as they are; all other terms are numbered.
        dependent: whether two steps, by their places, must stay in their order.
        types: of terms, written behind them where given.
    """
    before = [{early for early in range(late) if dependent(early, late)} for late in range(len(steps))]
    ways: dict[tuple[frozenset[int], tuple[str, ...]], None] = {(frozenset(), ()): None}
    form: list[tuple[str, ...]] = []
    for _ in steps:
        found: dict[tuple[str, ...], dict[tuple[frozenset[int], tuple[str, ...]], None]] = {}
        for done, named in ways:
            for place, step in enumerate(steps):
                if place not in done and before[place] <= done:
                    shown, known = _shown(step, named, constants, types or {})
                    found.setdefault(shown, {})[(done | {place}, known)] = None
        smallest = min(found)
        form.append(smallest)
        ways = dict.fromkeys(list(found[smallest])[:_MOST_WAYS])
    return tuple(form)


def _shown(
    step: MacroStep, named: tuple[str, ...], constants: Collection[str], types: dict[str, tuple[str, ...]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A step with its terms numbered, and the terms that have numbers then."""
    words = [step.action]
    for term in step.args:
        if term in constants:
            words.append(term)
            continue
        if term not in named:
            named = (*named, term)
        number = f"?{named.index(term)}"
        words.append(f"{number} - {' '.join(sorted(types[term]))}" if term in types else number)
    return tuple(words), named


def clusters(
    items: Iterable[T], domain: Domain, macro_of: Callable[[T], Macro] | None = None
) -> tuple[Cluster[T], ...]:
    """Puts the same macros together, in the order in which they come first.

    Args:
        items: macros, or things that have one.
        domain: whose actions the steps are.
        macro_of: the macro of an item; by default the item itself.
    """
    groups: dict[Canonical, list[T]] = {}
    for item in items:
        macro = macro_of(item) if macro_of is not None else item
        assert isinstance(macro, Macro)
        groups.setdefault(canonical(macro, domain), []).append(item)
    return tuple(Cluster(members[0], tuple(members)) for members in groups.values())


def _constants(domain: Domain) -> frozenset[str]:
    return frozenset(item.name for item in domain.constants)

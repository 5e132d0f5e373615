"""Chains in plans: steps that occur together repeatedly, adjacent or after reordering independent steps.

*Footprints* are what actions read and write; two adjacent independent steps can be exchanged. They are conservative:
quantified variables stand for any object, a derived predicate for everything that its rules mention.

The *canonical form* of a sequence is the smallest one reachable by exchanging independent neighbours, with terms
numbered as they occur. Macros with equal forms have equal conditions, up to names.

A *chain* is a set of steps of one plan that can be executed right after each other without changing the result of the
plan. Adjacent steps always are. Other steps are a chain if each is linked to another by a producer and a consumer (one
adds an atom that the other needs, and no step between adds it again) and no other step has to stay between them. Chains
with the same canonical form are occurrences of one candidate.

Occurrences overlap. The candidate that saves the most steps is chosen, its occurrences are marked in the plans, and the
others are counted again without marked steps, as for pairs in grammar-based compression (Larsson and Moffat's Re-Pair).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pddl2nl.macros.formulas import Rules
from pddl2nl.macros.macro import Macro, MacroStep
from pddl2nl.macros.numbers import ADDITIVE
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
    Update,
    When,
    is_variable,
    supertypes,
)
from pddl2nl.pddl.tree import walk
from pddlval import GroundAction
from pddlval.formulas import negation_normal

# ── what actions read and write ──────────────────────────────────────────────────────────────────

ANY = "*"
"""A term that stands for any object; no PDDL name looks like this."""

Pattern = tuple[str, ...]
"""A predicate's name with its terms, or a function's name after ``=`` with its terms."""


@dataclass(frozen=True)
class Footprint:
    """What one action reads and writes.

    Attributes:
        reads: what its precondition and its conditional effects read.
        needs: the atoms among these that must be true.
        adds, deletes: atoms.
        sets: fluents that are assigned or scaled.
        shifts: fluents that are increased or decreased; the order does not matter.
    """

    reads: frozenset[Pattern]
    needs: frozenset[Pattern]
    adds: frozenset[Pattern]
    deletes: frozenset[Pattern]
    sets: frozenset[Pattern]
    shifts: frozenset[Pattern]


def independent(one: Footprint, other: Footprint, same: Callable[[str, str], bool] = lambda one, other: False) -> bool:
    """Whether two actions can be exchanged: neither writes what the other reads or writes.

    Args:
        one, other: their footprints.
        same: whether two terms of different names may be the same object.
    """
    pairs = [
        (one.adds, other.deletes),
        (one.deletes, other.adds),
        (one.sets, other.sets | other.shifts),
        (one.shifts, other.sets),
        (one.reads, other.adds | other.deletes | other.sets | other.shifts),
        (one.adds | one.deletes | one.sets | one.shifts, other.reads),
    ]

    def meet(mine: Pattern, theirs: Pattern) -> bool:
        return mine[0] == theirs[0] and all(
            first == second or ANY in (first, second) or same(first, second)
            for first, second in zip(mine, theirs, strict=True)
        )

    return not any(meet(mine, theirs) for first, second in pairs for mine in first for theirs in second)


class Footprints:
    """The footprints of a domain's actions with terms for their parameters; each is computed once."""

    def __init__(self, domain: Domain):
        self._domain = domain
        self._known: dict[tuple[str, tuple[str, ...]], Footprint] = {}
        self._rules = Rules(domain)
        self._arities = {item.name: len(item.parameters) for item in domain.predicates}
        self._arities |= {f"={item.name}": len(item.parameters) for item in domain.functions}

    def of(self, action: str, args: Sequence[str]) -> Footprint:
        """What an action of the domain reads and writes; KeyError for an unknown action."""
        key = (action, tuple(args))
        if key not in self._known:
            self._known[key] = self._made(*key)
        return self._known[key]

    def _made(self, action: str, args: tuple[str, ...]) -> Footprint:
        schema = self._domain.action(action)
        if schema is None:
            raise KeyError(action)
        binding = dict(zip((item.name for item in schema.parameters), args, strict=True))
        needed = list(_leaves(negation_normal(schema.precondition), binding))
        reads = {pattern for part, names in needed for pattern in self._reads(part, names)}
        needs = frozenset(_pattern(part, names) for part, names in needed if isinstance(part, Atom))
        writes: dict[str, set[Pattern]] = {"adds": set(), "deletes": set(), "sets": set(), "shifts": set()}
        for part, names in _leaves(schema.effect, binding):
            match part:
                case When(condition):
                    for literal, inner in _leaves(negation_normal(condition), names):
                        reads.update(self._reads(literal, inner))
                case Update(operator, fluent, value):
                    writes["shifts" if operator in ADDITIVE else "sets"].add(_pattern(fluent, names))
                    reads.update(self._reads(value, names))
                case Atom():
                    writes["adds"].add(_pattern(part, names))
                case Not(Atom() as atom):
                    writes["deletes"].add(_pattern(atom, names))
        return Footprint(frozenset(reads), needs, **{kind: frozenset(patterns) for kind, patterns in writes.items()})

    def _reads(self, formula: Condition | Expression, names: Mapping[str, str]) -> Iterator[Pattern]:
        """What a formula reads; a derived predicate reads everything that it depends on."""
        for node in walk(formula):
            if isinstance(node, Atom | Fluent):
                yield _pattern(node, names)
            if isinstance(node, Atom):
                keys = (key for name in self._rules.below(node.predicate) for key in (name, f"={name}"))
                yield from ((key, *[ANY] * self._arities[key]) for key in keys if key in self._arities)


def _leaves(formula: Condition, binding: Mapping[str, str]) -> Iterator[tuple[Condition, Mapping[str, str]]]:
    """The literals and updates of a formula, and its conditional effects, each with the terms of its variables."""
    match formula:
        case And(parts) | Or(parts):
            for part in parts:
                yield from _leaves(part, binding)
        case Forall(parameters, body) | Exists(parameters, body):
            yield from _leaves(body, {**binding, **{item.name: ANY for item in parameters}})
        case When(_, effect):
            yield formula, binding
            yield from _leaves(effect, binding)
        case Not() | Atom() | Equality() | Comparison() | Update():
            yield formula, binding


def _pattern(node: Atom | Fluent, names: Mapping[str, str]) -> Pattern:
    name = node.predicate if isinstance(node, Atom) else f"={node.name}"
    return (name, *(names.get(term, term) for term in node.args))


# ── canonical forms ──────────────────────────────────────────────────────────────────────────────

Canonical = tuple[tuple[str, ...], ...]
"""The steps of a macro, each an action's name with its terms: constants unchanged, all others numbered."""

_MOST_WAYS = 500
"""The most equally small prefixes that are followed; beyond that two equal macros may get different forms."""


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
        return hierarchy.meets(*(types.get(term, ("object",)) for term in (one, other)))

    footprints = Footprints(domain)
    try:
        traces = [footprints.of(step.action, step.args) for step in macro.steps]
    except (KeyError, ValueError):
        traces = []
    return canonical_steps(
        macro.steps,
        _constants(domain),
        lambda one, other: not traces or not independent(traces[one], traces[other], same),
        types,
    )


def canonical_steps(
    steps: Sequence[MacroStep],
    constants: Collection[str],
    dependent: Callable[[int, int], bool],
    types: Mapping[str, tuple[str, ...]] | None = None,
) -> Canonical:
    """The canonical form of a sequence of steps.

    Args:
        steps: the steps.
        constants: names that stay as they are; all other terms are numbered.
        dependent: whether two steps, by their places, must stay in their order.
        types: of terms, written behind them where given.
    """
    before = [{early for early in range(late) if dependent(early, late)} for late in range(len(steps))]
    # The steps taken, and the terms that have numbers.
    ways: list[tuple[frozenset[int], tuple[str, ...]]] = [(frozenset(), ())]
    form: list[tuple[str, ...]] = []
    for _ in steps:
        grown: dict[tuple[str, ...], dict[tuple[frozenset[int], tuple[str, ...]], None]] = {}
        for done, named in ways:
            for place, step in enumerate(steps):
                if place not in done and before[place] <= done:
                    new = (term for term in step.args if term not in constants)
                    known = tuple(dict.fromkeys((*named, *new)))
                    words = (step.action, *(_word(term, known, types or {}) for term in step.args))
                    grown.setdefault(words, {})[done | {place}, known] = None
        form.append(min(grown))
        ways = list(grown[form[-1]])[:_MOST_WAYS]
    return tuple(form)


def _word(term: str, named: Sequence[str], types: Mapping[str, tuple[str, ...]]) -> str:
    if term not in named:
        return term
    number = f"?{named.index(term)}"
    return f"{number} - {' '.join(sorted(types[term]))}" if term in types else number


def _constants(domain: Domain) -> frozenset[str]:
    return frozenset(item.name for item in domain.constants)


# ── chains ───────────────────────────────────────────────────────────────────────────────────────

Chains = Literal["both", "contiguous", "linked"]
"""Which chains are considered: adjacent steps, steps linked by producers and consumers, or both."""

CHAINS: tuple[Chains, ...] = ("both", "contiguous", "linked")

_SPAN = 24
"""The largest distance between the first and the last step of a chain."""
_MOST_CHAINS = 20_000
"""The most sets of linked steps of one plan that are considered; plans of a thousand steps have far more."""


@dataclass(frozen=True)
class ChainOccurrence:
    """A chain in a plan: the plan's number and the places of the steps, both from 0."""

    plan: int
    places: tuple[int, ...]


@dataclass(frozen=True)
class ChainCandidate:
    """A chain with its occurrences: all of them, which may overlap, or those that no other chosen chain has taken."""

    form: Canonical
    occurrences: tuple[ChainOccurrence, ...]

    def __len__(self) -> int:
        return len(self.form)

    @property
    def terms(self) -> int:
        """The number of different objects in it."""
        return len({word for step in self.form for word in step[1:] if word.startswith("?")})

    @property
    def support(self) -> int:
        """The number of occurrences; of a chosen chain, overlaps are counted once."""
        return len(self.occurrences)

    @property
    def plans(self) -> int:
        """The number of plans in which it occurs."""
        return len({occurrence.plan for occurrence in self.occurrences})

    @property
    def saved(self) -> int:
        """The number of steps saved if each occurrence becomes one step."""
        return (len(self.form) - 1) * self.support


def candidates(
    domain: Domain,
    plans: Sequence[Sequence[GroundAction]],
    *,
    max_length: int = 4,
    chains: Chains = "both",
    max_parameters: int | None = None,
) -> tuple[ChainCandidate, ...]:
    """All chains of two to `max_length` steps in the plans, grouped by their canonical form, in the order of finding.

    Args:
        domain: the domain of the plans.
        plans: valid plans.
        max_length: the most steps of a chain.
        chains: which chains are considered.
        max_parameters: the most objects of a chain; None for any number.
    """
    footprints, constants = Footprints(domain), _constants(domain)
    occurrences: dict[Canonical, list[ChainOccurrence]] = {}
    for number, plan in enumerate(plans):
        mine = _PlanFootprints([footprints.of(step.name, step.args) for step in plan])
        seen: dict[tuple[int, ...], None] = {}
        if chains in ("both", "contiguous"):
            sizes = range(2, max_length + 1)
            windows = (tuple(range(at, at + size)) for size in sizes for at in range(len(plan) - size + 1))
            seen.update(dict.fromkeys(windows))
        if chains in ("both", "linked"):
            seen.update(dict.fromkeys(mine.linked_chains(max_length)))
        for places in seen:
            objects = {name for place in places for name in plan[place].args} - constants
            if max_parameters is None or len(objects) <= max_parameters:
                steps = [MacroStep(*plan[place]) for place in places]
                form = canonical_steps(steps, constants, mine.order(places))
                occurrences.setdefault(form, []).append(ChainOccurrence(number, places))
    return tuple(
        ChainCandidate(form, tuple(sorted(own, key=lambda item: (item.plan, item.places[-1], item.places))))
        for form, own in occurrences.items()
    )


def chosen(
    items: Collection[ChainCandidate],
    accept: Callable[[ChainCandidate], bool],
    *,
    min_support: int = 2,
    number: int | None = None,
) -> Iterator[ChainCandidate]:
    """The candidates that save most steps, best first; steps that earlier ones have taken do not count.

    Ties are broken by fewer objects, then fewer steps, then alphabetically.

    Args:
        items: the candidates.
        accept: whether to take a candidate, asked in its turn; a rejected one takes no steps.
        min_support: the fewest occurrences of a candidate, overlaps counted once.
        number: the most candidates; None for all with that support.
    """
    taken: set[tuple[int, int]] = set()
    left = list(items)
    while left and (number is None or number > 0):
        free = {item: ChainCandidate(item.form, _free(item.occurrences, taken)) for item in left}
        left = [item for item in left if free[item].support >= min_support]
        if not left:
            return
        best = min(left, key=lambda item: (-free[item].saved, item.terms, len(item), item.form))
        left.remove(best)
        if accept(free[best]):
            yield free[best]
            taken.update((one.plan, place) for one in free[best].occurrences for place in one.places)
            number = None if number is None else number - 1


def _free(occurrences: Sequence[ChainOccurrence], taken: Collection[tuple[int, int]]) -> tuple[ChainOccurrence, ...]:
    """Occurrences that share no step with each other or with taken ones, chosen by their ends."""
    used = set(taken)
    free = []
    for occurrence in occurrences:
        steps = {(occurrence.plan, place) for place in occurrence.places}
        if used.isdisjoint(steps):
            used |= steps
            free.append(occurrence)
    return tuple(free)


class _PlanFootprints:
    """One plan by what its steps read and write."""

    def __init__(self, footprints: Sequence[Footprint]):
        self._footprints = footprints
        self.dependent = cache(lambda early, late: not independent(footprints[early], footprints[late]))
        """Whether two steps must stay in their order."""

    def order(self, places: Sequence[int]) -> Callable[[int, int], bool]:
        """Whether two of some steps, by their numbers among these, must stay in their order."""
        return lambda one, other: self.dependent(places[one], places[other])

    def linked_chains(self, longest: int) -> Iterator[tuple[int, ...]]:
        """The chains whose steps are linked by producers and consumers."""
        links = self._links()
        left = _MOST_CHAINS
        for first in range(len(self._footprints)):
            waiting: list[tuple[int, ...]] = [(first,)]
            seen: set[tuple[int, ...]] = {(first,)}
            while waiting:
                places = waiting.pop()
                left -= 1
                if left < 0:
                    return
                if len(places) > 1 and self._together(places):
                    yield places
                if len(places) == longest:
                    continue
                near = {other for place in places for other in links[place]} - set(places)
                for other in sorted(near, reverse=True):
                    grown = tuple(sorted((*places, other)))
                    if first < other <= first + _SPAN and grown not in seen:
                        seen.add(grown)
                        waiting.append(grown)

    def _links(self) -> list[set[int]]:
        """For each step its consumers and its producers."""
        links: list[set[int]] = [set() for _ in self._footprints]
        last: dict[Pattern, int] = {}
        for place, footprint in enumerate(self._footprints):
            for pattern in footprint.needs:
                giver = last.get(pattern)
                if giver is not None and place - giver <= _SPAN:
                    links[giver].add(place)
                    links[place].add(giver)
            last.update(dict.fromkeys(footprint.adds, place))
        return links

    def _together(self, places: tuple[int, ...]) -> bool:
        """Whether the steps can be moved next to each other: no other step must stay between them."""
        after: list[int] = []
        for place in range(places[0] + 1, places[-1] + 1):
            if place in places:
                if any(self.dependent(early, place) for early in after):
                    return False
            elif any(self.dependent(early, place) for early in (*after, *(p for p in places if p < place))):
                after.append(place)
        return True

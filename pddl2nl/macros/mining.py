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

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pddl2nl.macros.formulas import Rules
from pddl2nl.macros.macro import Macro, MacroStep
from pddl2nl.pddl import (
    ActionSchema,
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
    Update,
    When,
    is_variable,
    supertypes,
)
from pddl2nl.pddl.tree import walk
from pddlval import GroundAction
from pddlval.formulas import negation_normal

__all__ = [
    "ANY",
    "CHAINS",
    "Candidate",
    "Canonical",
    "Chains",
    "Footprints",
    "Occurrence",
    "candidates",
    "canonical",
    "canonical_steps",
    "chosen",
    "independent",
]

ANY = "*"
"""A term that stands for any object; no PDDL name looks like this."""

Pattern = tuple[str, ...]
"""A predicate's name with its terms, or a function's name after ``=`` with its terms."""

SameTerm = Callable[[str, str], bool]
"""Whether two terms may be the same object."""


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
    exact: bool = field(default=True, compare=False)

    @property
    def writes(self) -> frozenset[Pattern]:
        """Everything that may change."""
        return self.adds | self.deletes | self.sets | self.shifts


def independent(one: Footprint, other: Footprint, same: SameTerm | None = None) -> bool:
    """Whether two actions can be exchanged: neither writes what the other reads or writes.

    Args:
        one, other: their footprints.
        same: whether two terms may be the same object; default: if they have the same name.
    """
    pairs = (
        (one.writes, other.reads),
        (one.reads, other.writes),
        (one.adds, other.deletes),
        (one.deletes, other.adds),
        (one.sets, other.sets | other.shifts),
        (one.shifts, other.sets),
    )
    if same is None and one.exact and other.exact:
        return all(first.isdisjoint(second) for first, second in pairs)
    return not any(_meet(mine, theirs, same) for first, second in pairs for mine in first for theirs in second)


def _meet(one: Pattern, other: Pattern, same: SameTerm | None) -> bool:
    if one[0] != other[0] or len(one) != len(other):
        return False
    return all(
        ANY in (mine, theirs) or mine == theirs or (same is not None and same(mine, theirs))
        for mine, theirs in zip(one[1:], other[1:], strict=True)
    )


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
        found = self._known.get(key)
        if found is None:
            schema = self._domain.action(action)
            if schema is None:
                raise KeyError(action)
            found = self._known[key] = self._made(schema, key[1])
        return found

    def _made(self, schema: ActionSchema, args: tuple[str, ...]) -> Footprint:
        binding = dict(zip((item.name for item in schema.parameters), args, strict=True))
        needed = list(_leaves(negation_normal(schema.precondition), binding))
        reads = self._reads(needed)
        needs = {_pattern(part, names) for part, names in needed if isinstance(part, Atom)}
        writes: dict[str, set[Pattern]] = {"add": set(), "delete": set(), "set": set(), "shift": set()}
        for part, names in _leaves(schema.effect, binding):
            if isinstance(part, When):
                reads |= self._reads(_leaves(negation_normal(part.condition), names))
            elif isinstance(part, Update):
                writes["shift" if part.operator in ("increase", "decrease") else "set"].add(
                    _pattern(part.fluent, names)
                )
                reads |= {_pattern(node, names) for node in walk(part.value) if isinstance(node, Fluent)}
            elif isinstance(part, Atom):
                writes["add"].add(_pattern(part, names))
            elif isinstance(part, Not) and isinstance(part.body, Atom):
                writes["delete"].add(_pattern(part.body, names))
        adds, deletes, sets, shifts = map(frozenset, writes.values())
        exact = not any(ANY in pattern for each in (reads, *writes.values()) for pattern in each)
        return Footprint(frozenset(reads), frozenset(needs), adds, deletes, sets, shifts, exact)

    def _reads(self, parts: Iterable[tuple[Condition, Mapping[str, str]]]) -> set[Pattern]:
        """What conditions read; a derived predicate reads everything that it depends on."""
        found: set[Pattern] = set()
        for part, names in parts:
            for node in walk(part):
                if isinstance(node, Atom | Fluent):
                    found.add(_pattern(node, names))
                if isinstance(node, Atom) and node.predicate in self._rules.names:
                    below = self._rules.below(node.predicate)
                    keys = (key for name in below for key in (name, f"={name}") if key in self._arities)
                    found |= {(key, *[ANY] * self._arities[key]) for key in keys}
        return found


def _leaves(formula: Condition, binding: Mapping[str, str]) -> Iterator[tuple[Condition, Mapping[str, str]]]:
    """The literals and updates of a formula, and its conditional effects, each with the terms of its variables."""
    if isinstance(formula, When | Not | Atom | Equality | Comparison | Update):
        yield formula, binding
    if isinstance(formula, When):
        yield from _leaves(formula.effect, binding)
    elif isinstance(formula, And | Or):
        for part in formula.parts:
            yield from _leaves(part, binding)
    elif isinstance(formula, Forall | Exists):
        yield from _leaves(formula.body, {**binding, **{item.name: ANY for item in formula.parameters}})


def _pattern(node: Atom | Fluent, names: Mapping[str, str]) -> Pattern:
    name = node.predicate if isinstance(node, Atom) else f"={node.name}"
    return (name, *(names.get(term, term) for term in node.args))


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


def _constants(domain: Domain) -> frozenset[str]:
    return frozenset(item.name for item in domain.constants)


Chains = Literal["both", "contiguous", "linked"]
"""Which chains are considered: adjacent steps, steps linked by producers and consumers, or both."""

CHAINS: tuple[Chains, ...] = ("both", "contiguous", "linked")

_SPAN = 24
"""The largest distance between the first and the last step of a chain."""
_MOST_CHAINS = 20_000
"""The most sets of linked steps of one plan that are considered; plans of a thousand steps have far more."""


@dataclass(frozen=True)
class Occurrence:
    """A chain in a plan: the plan's number and the places of the steps, both from 0."""

    plan: int
    places: tuple[int, ...]


@dataclass(frozen=True)
class Candidate:
    """A chain with its occurrences: all of them, which may overlap, or those that no other chosen chain has taken."""

    form: Canonical
    occurrences: tuple[Occurrence, ...]

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
) -> tuple[Candidate, ...]:
    """All chains of two to `max_length` steps in the plans, grouped by their canonical form, in the order of finding.

    Args:
        domain: the domain of the plans.
        plans: valid plans.
        max_length: the most steps of a chain.
        chains: which chains are considered.
        max_parameters: the most objects of a chain; None for any number.
    """
    footprints, constants = Footprints(domain), _constants(domain)
    found: dict[Canonical, list[Occurrence]] = {}
    for number, plan in enumerate(plans):
        mine = _Plan(plan, [footprints.of(step.name, step.args) for step in plan])
        seen: dict[tuple[int, ...], None] = {}
        if chains in ("both", "contiguous"):
            seen.update(dict.fromkeys(_windows(len(plan), max_length)))
        if chains in ("both", "linked"):
            seen.update(dict.fromkeys(mine.linked_chains(max_length)))
        for places in seen:
            if max_parameters is None or mine.objects(places, constants) <= max_parameters:
                found.setdefault(mine.form(places, constants), []).append(Occurrence(number, places))
    return tuple(Candidate(form, tuple(sorted(places, key=_by_end))) for form, places in found.items())


def chosen(
    items: Collection[Candidate],
    accept: Callable[[Candidate], bool],
    *,
    min_support: int = 2,
    number: int | None = None,
) -> Iterator[Candidate]:
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
        counted = [(item, _free(item.occurrences, taken)) for item in left]
        counted = [(item, free) for item, free in counted if len(free) >= min_support]
        if not counted:
            return
        best, free = min(counted, key=lambda pair: (-(len(pair[0]) - 1) * len(pair[1]), _order(pair[0])))
        left = [item for item, _ in counted if item is not best]
        found = Candidate(best.form, free)
        if accept(found):
            yield found
            taken.update((occurrence.plan, place) for occurrence in free for place in occurrence.places)
            number = None if number is None else number - 1


def _order(item: Candidate) -> tuple[int, int, Canonical]:
    return item.terms, len(item), item.form


def _by_end(occurrence: Occurrence) -> tuple[int, int, tuple[int, ...]]:
    return occurrence.plan, occurrence.places[-1], occurrence.places


def _free(occurrences: Sequence[Occurrence], taken: Collection[tuple[int, int]]) -> tuple[Occurrence, ...]:
    """Occurrences that share no step with each other or with taken ones, chosen by their ends."""
    used: set[tuple[int, int]] = set()
    free = []
    for occurrence in occurrences:
        steps = [(occurrence.plan, place) for place in occurrence.places]
        if not any(step in taken or step in used for step in steps):
            used.update(steps)
            free.append(occurrence)
    return tuple(free)


def _windows(length: int, longest: int) -> Iterator[tuple[int, ...]]:
    for size in range(2, longest + 1):
        for first in range(length - size + 1):
            yield tuple(range(first, first + size))


class _Plan:
    """One plan with what its steps read and write."""

    def __init__(self, steps: Sequence[GroundAction], footprints: Sequence[Footprint]):
        self._steps = steps
        self._footprints = footprints
        self._dependent: dict[tuple[int, int], bool] = {}

    def dependent(self, early: int, late: int) -> bool:
        """Whether two steps must stay in their order."""
        known = self._dependent.get((early, late))
        if known is None:
            known = not independent(self._footprints[early], self._footprints[late])
            self._dependent[early, late] = known
        return known

    def objects(self, places: Sequence[int], constants: Collection[str]) -> int:
        """The number of objects in the steps that are no constants."""
        return len({name for place in places for name in self._steps[place].args} - set(constants))

    def form(self, places: Sequence[int], constants: Collection[str]) -> Canonical:
        """The canonical form of the chain; different terms are different objects."""
        steps = [MacroStep(*self._steps[place]) for place in places]
        return canonical_steps(steps, constants, lambda one, other: self.dependent(places[one], places[other]))

    def linked_chains(self, longest: int) -> Iterator[tuple[int, ...]]:
        """The chains whose steps are linked by producers and consumers."""
        links = self._links()
        left = _MOST_CHAINS
        for first in range(len(self._steps)):
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
                near = sorted({other for place in places for other in links.get(place, ())} - set(places))
                for other in reversed(near):
                    grown = tuple(sorted((*places, other)))
                    if first < other <= first + _SPAN and grown not in seen:
                        seen.add(grown)
                        waiting.append(grown)

    def _links(self) -> Mapping[int, tuple[int, ...]]:
        """For each step its consumers and its producers."""
        links: dict[int, set[int]] = {}
        last: dict[tuple[str, ...], int] = {}
        for place, footprint in enumerate(self._footprints):
            for pattern in footprint.needs:
                giver = last.get(pattern)
                if giver is not None and place - giver <= _SPAN:
                    links.setdefault(giver, set()).add(place)
                    links.setdefault(place, set()).add(giver)
            for pattern in footprint.adds:
                last[pattern] = place
        return {place: tuple(sorted(others)) for place, others in links.items()}

    def _together(self, places: tuple[int, ...]) -> bool:
        """Whether the steps can be moved next to each other: no other step must stay between them."""
        members = set(places)
        after: list[int] = []
        for place in range(places[0] + 1, places[-1] + 1):
            if place in members:
                if any(self.dependent(early, place) for early in after):
                    return False
            elif any(self.dependent(early, place) for early in (*after, *(p for p in places if p < place))):
                after.append(place)
        return True

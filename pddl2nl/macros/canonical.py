"""The canonical form of a macro: equal for macros that differ only in names and in the order of independent steps.

*Footprints* are what actions read and write; two adjacent independent steps can be exchanged. They are conservative:
quantified variables stand for any object, a derived predicate for everything that its rules mention. The canonical form
of a sequence is the smallest one reachable by exchanging independent neighbours, with terms numbered as they occur.
Macros with equal forms have equal conditions, up to names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pddl2nl.macros.formulas import Rules
from pddl2nl.macros.macro import Macro
from pddl2nl.macros.regression import ADDITIVE
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
        adds, deletes: atoms.
        sets: fluents that are assigned or scaled.
        shifts: fluents that are increased or decreased; the order does not matter.
    """

    reads: frozenset[Pattern]
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
    """The footprints of a domain's actions with terms for their parameters."""

    def __init__(self, domain: Domain):
        self._domain = domain
        self._rules = Rules(domain)
        self._arities = {item.name: len(item.parameters) for item in domain.predicates}
        self._arities |= {f"={item.name}": len(item.parameters) for item in domain.functions}

    def of(self, action: str, args: Sequence[str]) -> Footprint:
        """What an action of the domain reads and writes; KeyError for an unknown action."""
        schema = self._domain.action(action)
        if schema is None:
            raise KeyError(action)
        binding = dict(zip((item.name for item in schema.parameters), args, strict=True))
        needed = _leaves(negation_normal(schema.precondition), binding)
        reads = {pattern for part, names in needed for pattern in self._reads(part, names)}
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
        return Footprint(frozenset(reads), **{kind: frozenset(patterns) for kind, patterns in writes.items()})

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
    steps, constants = macro.steps, {item.name for item in domain.constants}
    # The steps that must stay before each step.
    before = [
        {early for early in range(late) if not traces or not independent(traces[early], traces[late], same)}
        for late in range(len(steps))
    ]
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
                    words = (step.action, *(_word(term, known, types) for term in step.args))
                    grown.setdefault(words, {})[done | {place}, known] = None
        form.append(min(grown))
        ways = list(grown[form[-1]])[:_MOST_WAYS]
    return tuple(form)


def _word(term: str, named: Sequence[str], types: Mapping[str, tuple[str, ...]]) -> str:
    if term not in named:
        return term
    number = f"?{named.index(term)}"
    return f"{number} - {' '.join(sorted(types[term]))}" if term in types else number

"""A domain and a problem together, with what follows from them: all objects, the type hierarchy, what can change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from pddl2nl.lean import dataclass
from pddl2nl.pddl.symbols import Hierarchy
from pddl2nl.pddl.tree import Atom, Domain, Node, Not, Problem, TypedName, When, children, conjuncts


def supertypes(domain: Domain) -> Hierarchy:
    """For every type its supertypes, itself and ``object`` included.

    ``(either a b)`` above a type counts as both. A cycle, which the checks report, is cut here.
    """
    return Hierarchy(domain)


def effect_literals(effect: Node) -> Iterator[tuple[Atom, bool]]:
    """The atoms that an effect adds (True) or deletes, conditional and quantified ones included."""
    if isinstance(effect, Atom):
        yield effect, True
    elif isinstance(effect, Not) and isinstance(effect.body, Atom):
        yield effect.body, False
    else:
        for child in (effect.effect,) if isinstance(effect, When) else children(effect):
            yield from effect_literals(child)


def changed_predicates(domain: Domain) -> frozenset[str]:
    """The predicates that an action adds or deletes, or that are derived: all others are static."""
    literals = (literal for action in domain.steps for literal in effect_literals(action.effect))
    return frozenset({item.name for item in domain.derived}.union(atom.predicate for atom, _ in literals))


@dataclass(frozen=True)
class Task:
    """A planning task: the domain, the problem, and the objects and types of both."""

    domain: Domain
    problem: Problem

    def __repr__(self) -> str:
        return f"<Task {self.problem.name} of {self.domain.name}: {len(self.objects)} objects>"

    def _repr_html_(self) -> str:
        from pddl2nl.notebook import html_table
        from pddl2nl.pddl.writer import write_condition

        kinds: dict[str, list[str]] = {}
        for item in self.objects.values():
            kinds.setdefault(" or ".join(item.types), []).append(item.name)
        return html_table(
            repr(self)[1:-1],
            (
                ("actions", [step.name for step in self.domain.steps]),
                ("objects", [f"{kind}: {', '.join(names)}" for kind, names in kinds.items()]),
                ("initial state", [*self.problem.init, *self.problem.init_values]),
                ("goal", map(write_condition, conjuncts(self.problem.goal))),
            ),
        )

    @cached_property
    def objects(self) -> dict[str, TypedName]:
        """All objects by name: the domain's constants first, then the problem's objects, in file order."""
        found: dict[str, TypedName] = {}
        for item in (*self.domain.constants, *self.problem.objects):
            known = found.setdefault(item.name, item)
            if known.types != item.types:
                # Declared twice, with different types: it is of both.
                found[item.name] = replace(known, types=tuple(dict.fromkeys(known.types + item.types)))
        return found

    @cached_property
    def supertypes(self) -> Hierarchy:
        """For every type its supertypes, itself and ``object`` included."""
        return supertypes(self.domain)

    def is_a(self, name: str, types: Iterable[str]) -> bool:
        """Whether an object is of one of the types (a parameter's ``types`` are alternatives)."""
        item = self.objects.get(name)
        if item is None:
            return False
        return self.supertypes.fits(item.types, types)

    def objects_of(self, types: Iterable[str]) -> tuple[str, ...]:
        """The names of all objects of one of the types, in declaration order."""
        key = tuple(types)
        cache = self._objects_by_types
        if key not in cache:
            cache[key] = tuple(self.objects) if "object" in key else self._of(key)
        return cache[key]

    def _of(self, types: tuple[str, ...]) -> tuple[str, ...]:
        # By subtypes, not by objects: thousands of types may be asked for one after another.
        below = self.supertypes.below(types)
        groups = self._objects_by_type
        smaller = below if len(below) < len(groups) else [name for name in groups if name in below]
        numbers = sorted({number for name in smaller for number in groups.get(name, ())})
        names = self._names
        return tuple([names[number] for number in numbers])

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(self.objects)

    @cached_property
    def _objects_by_type(self) -> dict[str, list[int]]:
        """For every type the numbers of the objects that are declared to be of it."""
        found: dict[str, list[int]] = {}
        for number, item in enumerate(self.objects.values()):
            for name in item.types:
                found.setdefault(name, []).append(number)
        return found

    @cached_property
    def _objects_by_types(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        return {}

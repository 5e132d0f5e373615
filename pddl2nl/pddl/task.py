"""A domain and a problem together, with what follows from them: all objects, the type hierarchy, what can change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from pddl2nl.lean import dataclass
from pddl2nl.pddl.tree import Atom, Domain, Node, Not, Problem, TypedName, When, children, conjuncts


class Hierarchy(Mapping[str, frozenset[str]]):
    """For every type its supertypes, itself and ``object`` included; computed on demand.

    ``(either a b)`` above a type counts as both. A cycle, which the checks report, is cut here: all types on it lie
    above and below each other.
    """

    def __init__(self, domain: Domain):
        parents: dict[str, dict[str, None]] = {"object": {}}
        for declared in domain.types:
            own = parents.setdefault(declared.name, {})
            for parent in declared.types:
                parents.setdefault(parent, {})
                if parent not in ("object", declared.name):
                    own[parent] = None
        parents["object"] = {}
        self._parents = parents
        self._fitting: dict[tuple[tuple[str, ...], tuple[str, ...]], bool] = {}
        self._above: dict[str, frozenset[str]] = {}
        self._below: dict[tuple[str, ...], frozenset[str]] = {}
        self._children: dict[str, list[str]] = {}
        for name, own in parents.items():
            for parent in own:
                self._children.setdefault(parent, []).append(name)

    def __getitem__(self, name: str) -> frozenset[str]:
        known = self._above.get(name)
        if known is None:
            if name not in self._parents:
                raise KeyError(name)
            known = self._above[name] = _reach((name, "object"), self._parents)
        return known

    def __iter__(self) -> Iterator[str]:
        return iter(self._parents)

    def __len__(self) -> int:
        return len(self._parents)

    def __contains__(self, name: object) -> bool:
        return name in self._parents

    def fits(self, own: Iterable[str], wanted: Iterable[str]) -> bool:
        """Whether one of the first types is, or lies below, one of the second."""
        key = tuple(own), tuple(wanted)
        known = self._fitting.get(key)
        if known is None:
            goal = frozenset(key[1])
            known = "object" in goal or any(not goal.isdisjoint(self.get(one, (one,))) for one in key[0])
            self._fitting[key] = known
        return known

    def meets(self, own: Iterable[str], wanted: Iterable[str]) -> bool:
        """Whether an object can be of one of the first and one of the second types: a type lies below both."""
        own, wanted = tuple(own), tuple(wanted)
        if self.fits(own, wanted) or self.fits(wanted, own):
            return True
        return not self.below(own).isdisjoint(self.below(wanted))

    def below(self, types: Iterable[str]) -> frozenset[str]:
        """The types and all their subtypes; of ``object``, all types."""
        names = tuple(types)
        known = self._below.get(names)
        if known is None:
            if "object" in names:
                known = frozenset(self._parents).union(names)
            elif len(names) == 1:
                known = _reach(names, self._children)
            else:
                known = frozenset().union(*(self.below((name,)) for name in names))
            self._below[names] = known
        return known


def _reach(start: tuple[str, ...], edges: Mapping[str, Iterable[str]]) -> frozenset[str]:
    seen = set(start)
    todo = list(start)
    while todo:
        for name in edges.get(todo.pop(), ()):
            if name not in seen:
                seen.add(name)
                todo.append(name)
    return frozenset(seen)


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

    def _repr_svg_(self) -> str | None:
        from pddl2nl.notebook import picture

        return picture(self) or None

    def _repr_html_(self) -> str:
        from pddl2nl.notebook import html_picture, html_table
        from pddl2nl.pddl.writer import write_condition

        kinds: dict[str, list[str]] = {}
        for item in self.objects.values():
            kinds.setdefault(" or ".join(item.types), []).append(item.name)
        table = html_table(
            repr(self)[1:-1],
            (
                ("actions", [step.name for step in self.domain.steps]),
                ("objects", [f"{kind}: {', '.join(names)}" for kind, names in kinds.items()]),
                ("initial state", [*self.problem.init, *self.problem.init_values]),
                ("goal", map(write_condition, conjuncts(self.problem.goal))),
            ),
        )
        return html_picture(self._repr_svg_() or "", table)

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
        found: dict[str, list[int]] = {}
        for number, item in enumerate(self.objects.values()):
            for name in item.types:
                found.setdefault(name, []).append(number)
        return found

    @cached_property
    def _objects_by_types(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        return {}

"""The hierarchy of types: what lies above and below a type, in about linear time also where it is thousands deep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pddl2nl.pddl.tree import Domain

__all__ = ["Hierarchy"]


class Hierarchy(Mapping[str, frozenset[str]]):
    """For every type its supertypes, itself and ``object`` included; worked out where they are asked for.

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
        self._above: dict[str, frozenset[str]] = {}
        self._goals: dict[int, tuple[frozenset[str], tuple[str, ...]]] = {}
        self._below: dict[str, frozenset[str]] = {}
        self._children: dict[str, list[str]] = {}
        for name, own in parents.items():
            for parent in own:
                self._children.setdefault(parent, []).append(name)
        self._intervals = self._forest()

    def _forest(self) -> dict[str, tuple[int, int]]:
        """Where no type has two supertypes, for each a stretch of numbers that holds those of all its subtypes."""
        if any(len(own) > 1 for own in self._parents.values()):
            return {}
        found: dict[str, tuple[int, int]] = {}
        entered: dict[str, int] = {}
        todo = [name for name, own in self._parents.items() if not own]
        while todo:
            name = todo[-1]
            if name in entered:
                todo.pop()
                found[name] = (entered[name], len(entered))
            else:
                entered[name] = len(entered)
                todo.extend(self._children.get(name, ()))
        # What is on a cycle hangs below no root.
        return found if len(found) == len(self._parents) else {}

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
        goal = self._goal(tuple(wanted))
        if "object" in goal:
            return True
        intervals = self._intervals
        for one in own:
            if one in goal:
                return True
            if one not in self._parents:
                continue
            if not intervals or len(goal) > 1:
                if not goal.isdisjoint(self[one]):
                    return True
                continue
            number = intervals[one][0]
            stretch = intervals.get(next(iter(goal), ""))
            if stretch is not None and stretch[0] <= number < stretch[1]:
                return True
        return False

    def _goal(self, wanted: tuple[str, ...]) -> frozenset[str]:
        if len(wanted) < 8:
            return frozenset(wanted)
        # By identity, as in Symbols: to hash a long `(either …)` takes as long as to look through it.
        known = self._goals.get(id(wanted))
        if known is None:
            if len(self._goals) > 1000:
                self._goals.clear()
            known = self._goals[id(wanted)] = (frozenset(wanted), wanted)
        return known[0]

    def meets(self, own: Iterable[str], wanted: Iterable[str]) -> bool:
        """Whether an object can be of one of the first and one of the second types: a type lies below both."""
        own, wanted = tuple(own), tuple(wanted)
        if self.fits(own, wanted) or self.fits(wanted, own):
            return True
        # In a forest two types have a subtype in common only where one lies below the other.
        return not self._intervals and not self.below(own).isdisjoint(self.below(wanted))

    def below(self, types: Iterable[str]) -> frozenset[str]:
        """The types and all their subtypes; of ``object``, all types."""
        names = tuple(types)
        if "object" in names:
            return frozenset(self._parents).union(names)
        if len(names) != 1:
            return frozenset().union(*(self.below((name,)) for name in names))
        known = self._below.get(names[0])
        if known is None:
            known = self._below[names[0]] = _reach(names, self._children)
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

"""What an agent that sees only its own place has seen so far: a memory of where things are.

A memory is exact for what the agent sees, and the last it saw for what it does not. What was seen to be gone is
forgotten (GraphPlan paper, sections 3.2 and 3.3.1, with the world's facts in place of images).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from pddl2nl.pddl import GroundAtom


@dataclass
class PlaceMemory:
    """Where things were seen.

    Attributes:
        agent: the predicate ``(at place)`` of the agent.
        located: the predicates ``(in thing place)`` that are seen at the agent's place only.
        shut: the predicate ``(shut place)`` of places that hide what is in them.
        lasting: whether anything is remembered beyond the present view.
        where: the last location of each thing.
        visited: the places that were looked into.
    """

    agent: str
    located: Collection[str]
    shut: str
    lasting: bool = True
    where: dict[str, GroundAtom] = field(default_factory=dict)
    visited: set[str] = field(default_factory=set)

    def look(self, atoms: Iterable[GroundAtom]) -> None:
        """Takes in what can be seen in a state."""
        state = tuple(atoms)
        place = next((atom[1] for atom in state if atom[0] == self.agent), "")
        if not self.lasting:
            self.where.clear()
        if GroundAtom((self.shut, place)) in state:
            return
        self.visited.add(place)
        seen = self._below(place, state)
        gone = [thing for thing in self.where if self._at(thing) == place and thing not in seen]
        for thing in gone:
            del self.where[thing]
        self.where |= seen

    def _at(self, thing: str) -> str:
        """The place of a thing, through the things that hold it."""
        seen: set[str] = set()
        while thing in self.where and thing not in seen:
            seen.add(thing)
            thing = self.where[thing][2]
        return thing

    def _below(self, place: str, atoms: Iterable[GroundAtom]) -> dict[str, GroundAtom]:
        """The locations of the things at a place, also in other things; of two locations of a thing the last one."""
        held: dict[str, list[GroundAtom]] = {}
        for atom in atoms:
            if atom[0] in self.located:
                held.setdefault(atom[2], []).append(atom)
        below, todo = dict[str, GroundAtom](), [place]
        while todo:
            for atom in held.pop(todo.pop(), ()):
                below[atom[1]] = atom
                todo.append(atom[1])
        return below

    def believed(self, atoms: Iterable[GroundAtom]) -> tuple[GroundAtom, ...]:
        """The atoms of a state as the agent takes them to be: things are where it saw them, or nowhere."""
        own = tuple(atom for atom in atoms if atom[0] not in self.located)
        return (*own, *self.where.values())

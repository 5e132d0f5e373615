"""What each kind of object and each predicate of a task is in a picture.

Only the domain and the initial state say so, never the states of a plan: another plan gives the same picture.

- A *mover* is drawn inside or on top of the object that it is at: its *slots*, predicates of which at most one atom
  holds for it (`pddl2nl.search.invariants`).
- A *place* never moves. Places with static relations among each other are a *map*.
- A *part* belongs to one object by a static relation: the instrument of a satellite.
- A *value* is not drawn, but named in the badges of others: a colour, a level of fuel.

All other facts are badges of an object, lines of a map, parts of the status line, or are told below the picture.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from pddl2nl.pddl import GroundAtom, Task, changed_predicates
from pddl2nl.pddl.task import effect_literals
from pddl2nl.pddl.tree import untimed
from pddl2nl.pictures import hints
from pddl2nl.pictures.settings import PictureSettings
from pddl2nl.search.invariants import InvariantFinder, InvariantPart

LANE = 0
"""The parent of a slot without another object: the fact itself is where an object is: ``holding``, ``ontable``."""

_HINT = 0.3


class Slot(NamedTuple):
    """Atoms of a predicate say where an object is: its own argument, and that of the other; arguments count from 1.

    With the parent `LANE` there is no other object.
    """

    predicate: str
    child: int
    parent: int


@dataclass
class Roles:
    """The roles of a task's kinds and predicates."""

    task: Task
    settings: PictureSettings = field(default_factory=PictureSettings)

    def __post_init__(self) -> None:
        self._changed = changed_predicates(self.task.domain)
        self._effects = [each for step in self.task.domain.steps for each in effect_literals(untimed(step.effect))]
        self.static = [atom for atom in dict.fromkeys(self.task.problem.init) if atom[0] not in self._changed]
        self.kind = _kinds(self.task, self.static)
        self.members: dict[str, list[str]] = defaultdict(list)
        for name in self.task.objects:
            self.members[self.kind[name]].append(name)
        self.number = {kind: number for number, kind in enumerate(self.members)}
        self.finder = InvariantFinder(self.task)
        self.invariants = {kind: self.finder.of(members) for kind, members in self.members.items()}
        self.tokens = self._tokens()
        self.chains: dict[str, tuple[str, ...]] = {}
        """Kinds whose objects are in a row by a static relation: fuel levels, floors."""
        self.chain_of: dict[str, str] = {}
        self.links: dict[str, dict[str, list[GroundAtom]]] = defaultdict(dict)
        """The static relations among the objects of a kind, but for chains: kind, predicate, atoms."""
        self._relations()
        self.slots: dict[str, tuple[Slot, ...]] = {}
        """Where the objects of a kind are."""
        self._locate()
        self.part_of: dict[str, GroundAtom] = {}
        """Objects that belong to another one by a static atom."""
        self._parts()
        self.values = self._values()
        self.maps = self._maps()
        """The kinds of places that have lines among each other, with the atoms of these."""
        self.emptiness = self._emptiness()

    # ── kinds and relations ──────────────────────────────────────────────────────────────────────

    @cached_property
    def slot_of(self) -> Mapping[tuple[str, str, int], Slot]:
        """The slot by kind, predicate and the argument of the child."""
        return {(kind, slot.predicate, slot.child): slot for kind, slots in self.slots.items() for slot in slots}

    @cached_property
    def containers(self) -> frozenset[str]:
        """The kinds that something can be in or on."""
        found = {self.kind[atom[2]] for atom in self.part_of.values()}
        return frozenset(
            found.union(*(self._parents(slot, kind) for kind, slots in self.slots.items() for slot in slots))
        )

    def _tokens(self) -> frozenset[str]:
        """Unary predicates that are true of one object at a time: ``at-robot``."""
        unary = {item.name for item in self.task.domain.predicates if len(item.parameters) == 1}
        return frozenset(
            part.predicate
            for invariant in self.finder.tokens(unary=True)
            if invariant.exact or len(invariant.parts) == 1
            for part in invariant.parts
            if part.predicate in unary and self._several(part.predicate)
        )

    def _several(self, unary: str) -> bool:
        """Whether a unary predicate becomes true of one object after the other."""
        predicate = self.task.domain.predicate(unary)
        assert predicate is not None
        added = any((unary, True) == (atom.predicate, adds) for atom, adds in self._effects)
        return added and len(self.task.objects_of(predicate.parameters[0].types)) > 1

    def _relations(self) -> None:
        found: dict[tuple[str, str], list[GroundAtom]] = defaultdict(list)
        for atom in self.static:
            own = [name for name in atom[1:] if name in self.kind]
            if len(atom) not in (3, 4) or own[0] == own[1] or self.kind[own[0]] != self.kind[own[1]]:
                continue
            if len(atom) == 3 or way_of(atom, self.kind) is not None or self._labelled(atom):
                found[self.kind[own[0]], atom[0]].append(atom)
        for (kind, predicate), atoms in found.items():
            chain = _chain([(atom[1], atom[2]) for atom in atoms]) if len(atoms[0]) == 3 else ()
            if len(chain) > len(self.chains.get(kind, ())) and 2 * len(chain) > len(self.members[kind]):
                self.chains[kind], self.chain_of[kind] = chain, predicate
        for (kind, predicate), atoms in found.items():
            if self.chain_of.get(kind) != predicate:
                self.links[kind][predicate] = atoms

    def _labelled(self, atom: GroundAtom) -> bool:
        """Whether the third argument of a relation is a label, an object of another kind: move-dir(a, b, north)."""
        return self.kind[atom[1]] == self.kind[atom[2]] != self.kind[atom[3]]

    # ── where objects are ────────────────────────────────────────────────────────────────────────

    def _parents(self, slot: Slot, kind: str) -> set[str]:
        """The kinds that a slot can put objects of a kind into; by the types of its predicate."""
        predicate = self.task.domain.predicate(slot.predicate)
        if slot.parent == LANE or predicate is None:
            return set()
        types = predicate.parameters[slot.parent - 1].types
        fitting = {other for other, names in self.members.items() if self.task.is_a(names[0], types)}
        seen = {
            self.kind[atom[slot.parent]]
            for atom in self.task.problem.init
            if atom[0] == slot.predicate and self.kind[atom[slot.child]] == kind
        }
        # Without types anything could be the parent: what is there at first says more.
        return seen if seen and len(fitting) > 2 * len(seen) else fitting

    def _locate(self) -> None:
        given = self.settings.nest
        options = {kind: list(self._options(kind)) for kind in self.members}
        shared = Counter(
            parent for found in options.values() for parent in {p for _, parents in found for p in parents}
        )
        for kind in self.members:
            if kind in self.settings.places:
                continue
            if kind in given:
                self.slots[kind] = tuple(Slot(*each) for each in given[kind])
                continue
            best: tuple[Slot, ...] = ()
            top = 0.0
            for slots, parents in options[kind]:
                worth = self._worth(kind, slots, parents, shared, options)
                if worth > top + 1e-9:
                    best, top = slots, worth
            if best:
                self.slots[kind] = best

    def _options(self, kind: str) -> Iterator[tuple[tuple[Slot, ...], set[str]]]:
        """The ways to place the objects of a kind: the slots of one invariant, and the kinds they can be in."""
        linked = kind in self.links and sum(map(len, self.links.get(kind, {}).values())) >= len(self.members[kind]) - 1
        for invariant in self.invariants[kind]:
            slots = []
            for part in invariant.parts:
                predicate = self.task.domain.predicate(part.predicate)
                assert predicate is not None
                assert part.key is not None
                child = part.key + 1
                others = [place for place in range(1, len(predicate.parameters) + 1) if place != child]
                slots.append(Slot(part.predicate, child, others[0] if others else LANE))
            parents = set().union(*(self._parents(slot, kind) for slot in slots))
            if parents and (not linked or kind in parents):
                yield tuple(slots), parents
        if not linked and (named := tuple(self._named_slots(kind))):
            yield named, set().union(*(self._parents(slot, kind) for slot in named))

    def _named_slots(self, kind: str) -> Iterator[Slot]:
        """Where invariants cannot be proved: binary predicates whose names locate their first argument."""
        members = set(self.members[kind])
        for predicate in self.task.domain.predicates:
            if len(predicate.parameters) == 2 and predicate.name in self._changed and hints.locates(predicate.name):
                held = Counter(atom[1] for atom in self.task.problem.init if atom[0] == predicate.name)
                fits = self.task.is_a(self.members[kind][0], predicate.parameters[0].types)
                part = InvariantPart(predicate.name, 0)
                fits = fits and self.finder.occurs(part, self.members[kind])
                if fits and max((held[name] for name in members), default=0) <= 1:
                    yield Slot(predicate.name, 1, 2)

    def _worth(
        self, kind: str, slots: Sequence[Slot], parents: set[str], shared: Counter[str], options: Mapping[str, object]
    ) -> float:
        """How good a way to place objects is; 0 if they are not to be moved at all."""
        members = set(self.members[kind])
        covered: dict[bool, set[str]] = {True: set(), False: set()}
        for atom in self.task.problem.init:
            for slot in slots:
                if atom[0] == slot.predicate and atom[slot.child] in members:
                    covered[slot.parent != LANE].add(atom[slot.child])
        real = [slot for slot in slots if slot.parent != LANE]
        # An object "in" what only a reversed relation names is in fact what holds it: a plane is at its heading.
        forward = [slot for slot in real if slot.child < slot.parent]
        if not forward:
            return 0.0
        if parents <= self.chains.keys() and not any(self._is_place(parent, kind, shared) for parent in parents):
            return 0.0
        worth = 1.0 + (len(covered[True]) + 0.3 * len(covered[False] - covered[True])) / len(members)
        worth += 0.25 * min(3, max(shared[parent] for parent in parents))
        worth += 0.4 * any(options.get(parent) for parent in parents - {kind}) + 0.4 * (kind in parents)
        worth += _HINT * any(hints.locates(slot.predicate) for slot in forward)
        worth -= 0.8 * bool(parents & self.chains.keys())
        proved = any({(s.predicate, s.child - 1) for s in slots} <= set(each.parts) for each in self.invariants[kind])
        worth -= 0.5 * (not proved)
        # on-sale(goods, market, level) says more of the goods than where they are.
        worth -= _HINT * any(self._arity(slot.predicate) > 2 for slot in forward)
        return worth + 0.1 * len(real)

    def _is_place(self, chain: str, kind: str, shared: Counter[str]) -> bool:
        """Whether the objects of a chain are places and no levels: things stand at them, or their names say so."""
        if shared[chain] >= 2 or chain in self.links:
            return True
        return any(
            hints.locates(slot.predicate)
            for other in self.members
            for slots, _ in self._options(other)
            for slot in slots
            if slot.parent != LANE and chain in self._parents(slot, other)
        )

    def _parts(self) -> None:
        """Objects that do not move, but belong to one object of another kind."""
        partners: dict[tuple[str, str, str], dict[str, list[GroundAtom]]] = defaultdict(lambda: defaultdict(list))
        for atom in self.static:
            if len(atom) != 3:
                continue
            asked = self.settings.part_of.get(self.kind[atom[1]]) == atom[0]
            if self.kind[atom[1]] != self.kind[atom[2]] and (asked or not self._mutual(atom[0])):
                partners[atom[0], self.kind[atom[1]], self.kind[atom[2]]][atom[1]].append(atom)
        ranked = sorted(
            partners.items(),
            key=lambda item: (not hints.locates(item[0][0]), item[0][2] not in self.slots),
        )
        whole: set[str] = set()
        for (_, kind, other), atoms in ranked:
            given = self.settings.part_of.get(kind)
            total = len(atoms) == len(self.members[kind]) and all(len(found) == 1 for found in atoms.values())
            if given is not None:
                wanted = next(iter(atoms.values()))[0][0] == given
            else:
                wanted = total and kind not in self.slots and kind not in self.links and kind not in self.chains
                wanted = wanted and other not in self.chains and kind not in self.settings.places
            if wanted and kind not in whole and not any(up == kind for up in self._whole_of(other)):
                whole.add(kind)
                self.part_of |= {name: found[0] for name, found in atoms.items()}

    def _whole_of(self, kind: str) -> Iterator[str]:
        seen = set()
        while kind not in seen:
            seen.add(kind)
            yield kind
            kind = next((self.kind[self.part_of[name][2]] for name in self.members[kind] if name in self.part_of), kind)

    # ── values, maps, what a picture says anyway ─────────────────────────────────────────────────

    def _values(self) -> frozenset[str]:
        """The kinds of which nothing is said but as a value of others."""
        hosts: set[str] = set(self.slots) | {self.kind[name] for name in self.part_of} | set(self.containers)
        for predicate in self.task.domain.predicates:
            if predicate.name in self._changed and predicate.parameters:
                first = predicate.parameters[0].types
                fitting = [kind for kind, names in self.members.items() if self.task.is_a(names[0], first)]
                unary = len(predicate.parameters) == 1
                if predicate.name in self.tokens and set(fitting) <= self.chains.keys() and not self._met(fitting):
                    continue
                if unary or not (set(fitting) & hosts):
                    hosts.update(kind for kind in fitting if unary or kind not in self.chains)
                else:
                    hosts.update(kind for kind in fitting if kind not in self.chains and len(fitting) == 1)
        drawn = self.settings.draw
        found = frozenset(kind for kind in self.members if kind not in hosts and kind not in drawn)
        found |= frozenset(self.settings.values) & self.members.keys()
        return frozenset() if len(found) == len(self.members) else found

    def _met(self, kinds: Iterable[str]) -> bool:
        """Whether objects of other kinds have static relations to these: a passenger's floor."""
        wanted = set(kinds)
        return any(
            len({self.kind[name] for name in atom[1:]} - wanted) > 0 and {self.kind[name] for name in atom[1:]} & wanted
            for atom in self.static
            if len(atom) > 2
        )

    def _mutual(self, name: str) -> bool:
        """Whether a relation is one of things of one type, such as the places beside each other."""
        predicate = self.task.domain.predicate(name)
        if predicate is None or len(predicate.parameters) != 2:
            return False
        types = predicate.parameters[0].types
        return types == predicate.parameters[1].types and "object" not in types

    def _maps(self) -> dict[tuple[str, ...], list[GroundAtom]]:
        """Relations of places that do not move, and that are not almost complete."""
        atoms: list[GroundAtom] = []
        for kind, found in self.links.items():
            count = len(self.members[kind])
            for those in found.values():
                pairs = {frozenset(atom[1:3]) for atom in those}
                if self._still(kind) and (count <= 4 or len(pairs) < 0.35 * count * (count - 1)):
                    atoms += those
        between = [atom for atom in self.static if len(atom) == 3 and self._mutual(atom[0])]
        atoms += [
            atom for atom in between if len({self.kind[name] for name in atom[1:]}) == 2 and self._all_still(atom)
        ]
        groups: list[set[str]] = []
        for atom in atoms:
            group = {self.kind[atom[1]], self.kind[atom[2]]}
            touched = [each for each in groups if each & group]
            groups = [each for each in groups if each not in touched] + [group.union(*touched)]
        return {
            tuple(kind for kind in self.members if kind in group): [
                atom for atom in atoms if self.kind[atom[1]] in group
            ]
            for group in groups
        }

    def _still(self, kind: str) -> bool:
        return kind not in self.values and kind not in self.slots

    def _all_still(self, atom: GroundAtom) -> bool:
        return all(self._still(self.kind[name]) and name not in self.part_of for name in atom[1:])

    def _emptiness(self) -> dict[tuple[str, str], tuple[tuple[str, int], ...]]:
        """Unary facts that say that nothing is in or on an object: ``clear``, ``empty``; with the relations that are
        drawn so, and at which of their arguments the object is.

        Exactly one of the fact and those relations holds for each object, so the picture says the fact.
        """
        found: dict[tuple[str, str], tuple[tuple[str, int], ...]] = {}
        for kind, invariants in self.invariants.items():
            for invariant in invariants:
                parts = [(part.predicate, (part.key or 0) + 1) for part in invariant.parts]
                rest = [part for part in parts if not self._seen_at(kind, *part)]
                unary = [name for name, _ in rest if self._arity(name) == 1]
                if invariant.exact and len(rest) == 1 and unary and len(parts) > 1:
                    found.setdefault((kind, unary[0]), tuple(part for part in parts if part not in rest))
        return found

    def _arity(self, name: str) -> int:
        predicate = self.task.domain.predicate(name)
        return 0 if predicate is None else len(predicate.parameters)

    def _seen_at(self, kind: str, predicate: str, place: int) -> bool:
        """Whether atoms of a predicate are drawn as something in or on an object, or as the region that it is in."""
        if any(slot == Slot(predicate, place, slot.parent) for slot in self.slots.get(kind, ())):
            return True
        return any(
            slot.predicate == predicate and slot.parent == place for slots in self.slots.values() for slot in slots
        )


def way_of(atom: GroundAtom, kind: Mapping[str, str]) -> tuple[int, int] | None:
    """The direction of a relation between two places, by its name or by that of its third argument."""
    found = hints.way(atom[0])
    if found is None and len(atom) == 4:
        found = hints.way(atom[3])
        # adjacent(a, b, up): up is the way from a to b; above(a, b): a is above b.
        return None if found is None else (-found[0], -found[1])
    return found


def _kinds(task: Task, static: Sequence[GroundAtom]) -> dict[str, str]:
    """The kind of each object: its type; without types the largest static class that it is in."""
    types = {name: item.types[0] for name, item in task.objects.items()}
    if len(set(types.values())) > 1 or not types or next(iter(types.values())) != "object":
        return types
    sizes = Counter(atom[0] for atom in static if len(atom) == 2)
    classes: dict[str, list[str]] = defaultdict(list)
    uses: dict[str, dict[str, None]] = defaultdict(dict)
    for atom in static:
        if len(atom) == 2:
            classes[atom[1]].append(atom[0])
        for place, name in enumerate(atom[1:], start=1):
            uses[name][f"{atom[0]} {place}"] = None
    changing = {atom[0]: None for atom in task.problem.init}
    for atom in task.problem.init:
        if len(atom) > 2 and atom[0] in changing:
            for place, name in enumerate(atom[1:], start=1):
                uses[name].setdefault(f"{atom[0]} {place}")
    if classes:
        # Equally large classes: the one that the problem names first.
        return {name: max(classes[name], key=lambda each: sizes[each]) if classes[name] else "object" for name in types}
    return types


def _chain(pairs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The objects in the order of a relation that is a successor relation or a total order; empty if it is neither."""
    after: dict[str, set[str]] = defaultdict(set)
    names: dict[str, None] = {}
    for one, other in pairs:
        if one != other:
            after[one].add(other)
            names |= {one: None, other: None}
    count, edges = len(names), sum(map(len, after.values()))
    if count < 2:
        return ()
    if edges == count - 1 and all(len(found) == 1 for found in after.values()):
        targets = {other for found in after.values() for other in found}
        start = [name for name in names if name not in targets]
        if len(targets) != edges or len(start) != 1:
            return ()
        row = start
        while row[-1] in after:
            row.append(next(iter(after[row[-1]])))
        return tuple(row)
    if edges == count * (count - 1) // 2:
        row = sorted(names, key=lambda name: -len(after[name]))
        if all(len(after[name]) == count - 1 - place for place, name in enumerate(row)):
            return tuple(row)
    return ()

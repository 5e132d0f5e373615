"""Rooms of four kinds, with furniture and things, about 68 objects each.

The furniture of a room follows from its kind and the number of its layout alone: layouts up to `SEEN_LAYOUTS` are for
training and the *seen* sets, those above for the *unseen* ones, as with ALFRED's floor plans.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count, pairwise

from pddl2nl.systems.taskgraph.alfred.types import DATA, FIXTURES, MOVABLES, OPENABLE, sliced_class
from pddl2nl.tasks.generators.generator import Draw

SEEN_LAYOUTS, LAYOUTS = 26, 30
"""How many layouts of a kind of room are seen in training, and how many there are."""

_SLICES = 3
"""The slices of each whole."""


def _counted(text: str) -> Mapping[str, tuple[int, int]]:
    """Classes with the least and the most of their number: ``Cabinet:4-6 Fridge``."""
    numbers = {}
    for part in text.split():
        name, _, bounds = part.partition(":")
        least, _, most = (bounds or "1").partition("-")
        numbers[name] = (int(least), int(most or least))
    return numbers


_NO_PLACE = frozenset(("Fridge", "Microwave", "SinkBasin", "StoveBurner", "CoffeeMachine", "Toilet", "BathtubBasin"))
"""Where no thing lies at first."""


@dataclass(frozen=True)
class AlfredScene:
    """A room of a kind.

    `classes` has the class of each object, places first, then devices, then things; `where` the place of each thing at
    first, `slices` the wholes that slices come from, `devices` the place of each lamp and faucet; furniture stands
    `beside` other furniture in both orders, and the robot is at `start`.
    """

    room: str
    classes: Mapping[str, str]
    where: Mapping[str, str]
    slices: Mapping[str, str]
    devices: Mapping[str, str]
    beside: tuple[tuple[str, str], ...]
    start: str

    def of(self, name: str) -> tuple[str, ...]:
        return tuple(each for each, own in self.classes.items() if own == name)

    @property
    def places(self) -> tuple[str, ...]:
        return tuple(each for each, own in self.classes.items() if own in FIXTURES)

    @property
    def things(self) -> tuple[str, ...]:
        """What can be carried and is there at first."""
        return tuple(self.where)


def make_scene(room: str, layout: int, draw: Draw, sliced: Sequence[str] = ()) -> AlfredScene:
    """A scene of a kind of room: `layout`, from 1, decides its furniture, `draw` what lies where.

    Slices are declared of the classes in `sliced`.
    """
    arranged = Draw(f"{room} {layout}")
    classes: dict[str, str] = {}

    def add(name: str, own: Mapping[str, str] = classes) -> str:
        instance = next(each for number in count(1) if (each := f"{name.lower()}-{number}") not in own)
        classes[instance] = name
        return instance

    for name, bounds in _counted(DATA["furniture"][room]).items():
        for _ in range(arranged.between(*bounds)):
            add(name)
    places = tuple(classes)
    row = arranged.shuffled(places)
    pairs = tuple(pairwise(row))
    devices = {add("Faucet"): each for each in places if classes[each] == "SinkBasin"}
    for lamp, stand in DATA["stands"].get(room, {}).items():
        devices[add(lamp)] = next(each for each in places if classes[each] == stand)
    free = [each for each in places if classes[each] not in _NO_PLACE]
    shown = [each for each in free if classes[each] not in OPENABLE]
    where: dict[str, str] = {}
    slices: dict[str, str] = {}
    for name, bounds in _counted(DATA["things"][room]).items():
        for number in range(draw.between(*bounds)):
            # The first of each class can be seen.
            thing = add(name)
            where[thing] = draw.pick(shown if number == 0 or name in MOVABLES else free)
            if name in sliced:
                slices |= {add(sliced_class(name)): thing for _ in range(_SLICES)}
    beside = (*pairs, *((two, one) for one, two in pairs))
    return AlfredScene(room, classes, where, slices, devices, beside, draw.pick(places))

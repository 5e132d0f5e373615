"""Rooms of four kinds, with furniture and things, about 68 objects each.

The furniture of a room follows from its kind and the number of its layout alone: layouts up to `SEEN_LAYOUTS` are for
training and the *seen* sets, those above for the *unseen* ones, as with ALFRED's floor plans.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from types import MappingProxyType

from pddl2nl.systems.taskgraph.alfred.classes import FIXTURES, MOVABLES, OPENABLE, sliced_class
from pddl2nl.tasks.generators.generator import Draw

SEEN_LAYOUTS, LAYOUTS = 26, 30
"""How many layouts of a kind of room are seen in training, and how many there are."""

_SLICES = 3
"""The slices of each whole."""

_DEVICES: Mapping[str, str] = MappingProxyType({"Faucet": "SinkBasin", "DeskLamp": "Desk"})


def _counted(text: str) -> Mapping[str, tuple[int, int]]:
    """Classes with the least and the most of their number: ``Cabinet:4-6 Fridge``."""
    numbers = {}
    for part in text.split():
        name, _, bounds = part.partition(":")
        least, _, most = (bounds or "1").partition("-")
        numbers[name] = (int(least), int(most or least))
    return MappingProxyType(numbers)


_FURNITURE: Mapping[str, Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        "kitchen": _counted(
            "CounterTop:2-3 Cabinet:4-6 Drawer:3-5 Fridge Microwave SinkBasin StoveBurner:2 CoffeeMachine "
            "GarbageCan DiningTable SideTable:1-2 Shelf:1-2"
        ),
        "livingroom": _counted(
            "Sofa:1-2 ArmChair:1-2 CoffeeTable SideTable:2-3 Shelf:3-4 Drawer:4-6 Cabinet:3-4 Dresser DiningTable "
            "Ottoman Desk GarbageCan Safe Cart"
        ),
        "bedroom": _counted(
            "Bed Desk:1-2 Drawer:5-8 Dresser Shelf:4-6 SideTable:2 ArmChair GarbageCan Safe Cabinet:1-2 Cart"
        ),
        "bathroom": _counted(
            "BathtubBasin Toilet SinkBasin:1-2 CounterTop Cabinet:5-7 Drawer:3-5 ToiletPaperHanger GarbageCan "
            "Shelf:3-4 SideTable Dresser Cart"
        ),
    }
)
_THINGS: Mapping[str, Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        "kitchen": _counted(
            "Apple:3 Bread:1-2 Lettuce:1-2 Potato:3 Tomato:3 Egg:3 Knife ButterKnife Fork:1-2 Spoon:1-2 Spatula "
            "Ladle DishSponge Bowl:1-2 Cup:2-3 Mug:2-3 Pan Plate:1-2 Pot Kettle PepperShaker SaltShaker "
            "SoapBottle WineBottle Vase Book Statue"
        ),
        "livingroom": _counted(
            "Book:2-3 Box CD Candle:1-2 CellPhone:1-2 CreditCard:2-3 KeyChain:2-3 Laptop:1-2 Newspaper:2-3 "
            "Pen:1-2 Pencil:1-2 Pillow:2-3 Plate RemoteControl:2-3 Statue:1-2 TissueBox:1-2 Vase:2-3 Watch:1-2 "
            "WateringCan Bowl Glassbottle"
        ),
        "bedroom": _counted(
            "AlarmClock:1-2 BaseballBat BasketBall Book:2-3 Bowl Box CD:2-3 CellPhone:2-3 Cloth:1-2 "
            "CreditCard:1-2 KeyChain:2-3 Laptop:1-2 Mug:1-2 Newspaper Pen:2 Pencil:2-3 Pillow:2-3 Statue "
            "TennisRacket TissueBox Vase Watch"
        ),
        "bathroom": _counted(
            "Candle:2-3 Cloth:2-3 CellPhone Cup Glassbottle:1-2 HandTowel:2-3 Newspaper Plunger SoapBar:2-4 "
            "SoapBottle:2-3 SprayBottle:2-3 TissueBox:2-3 ToiletPaper:3-4 Vase:1-2 Watch WateringCan Book "
            "KeyChain"
        ),
    }
)
_LAMPS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "livingroom": MappingProxyType({"FloorLamp": "Sofa", "DeskLamp": "Desk"}),
        "bedroom": MappingProxyType({"DeskLamp": "Desk", "Lamp": "SideTable"}),
    }
)
"""The lamps of a kind of room, with the furniture that they stand on or beside."""

_NO_PLACE = frozenset(("Fridge", "Microwave", "SinkBasin", "StoveBurner", "CoffeeMachine", "Toilet", "BathtubBasin"))
"""Where no thing lies at first."""

ROOMS: tuple[str, ...] = tuple(_FURNITURE)
"""The kinds of rooms."""


@dataclass(frozen=True)
class AlfredScene:
    """A room.

    Attributes:
        room: its kind.
        classes: the class of each object; places first, then devices, then things.
        where: the place of each thing at first; slices have none.
        slices: the wholes that slices come from.
        devices: the place of each lamp and faucet.
        beside: pieces of furniture that stand beside each other, in both orders.
        start: where the robot is.
    """

    room: str
    classes: Mapping[str, str]
    where: Mapping[str, str]
    slices: Mapping[str, str]
    devices: Mapping[str, str]
    beside: tuple[tuple[str, str], ...]
    start: str

    def of(self, name: str) -> tuple[str, ...]:
        """The objects of a class."""
        return tuple(each for each, own in self.classes.items() if own == name)

    @property
    def places(self) -> tuple[str, ...]:
        """The furniture."""
        return tuple(each for each, own in self.classes.items() if own in FIXTURES)

    @property
    def things(self) -> tuple[str, ...]:
        """What can be carried and is there at first."""
        return tuple(self.where)


def make_scene(room: str, layout: int, draw: Draw, sliced: Sequence[str] = ()) -> AlfredScene:
    """A scene of a kind of room.

    Args:
        room: of `ROOMS`.
        layout: the number of its furniture's arrangement, from 1.
        draw: what lies where.
        sliced: the classes whose slices are declared.
    """
    arranged = Draw(f"{room} {layout}")
    classes: dict[str, str] = {}

    def add(name: str, own: Mapping[str, str] = classes) -> str:
        instance = next(each for number in count(1) if (each := f"{name.lower()}-{number}") not in own)
        classes[instance] = name
        return instance

    for name, bounds in _FURNITURE[room].items():
        for _ in range(arranged.between(*bounds)):
            add(name)
    places = tuple(classes)
    row = arranged.shuffled(places)
    pairs = tuple(pairwise(row))
    devices = {add("Faucet"): each for each in places if classes[each] == "SinkBasin"}
    for lamp, stand in _LAMPS.get(room, {}).items():
        devices[add(lamp)] = next(each for each in places if classes[each] == stand)
    free = [each for each in places if classes[each] not in _NO_PLACE]
    shown = [each for each in free if classes[each] not in OPENABLE]
    where: dict[str, str] = {}
    slices: dict[str, str] = {}
    for name, bounds in _THINGS[room].items():
        for number in range(draw.between(*bounds)):
            # The first of each class can be seen.
            thing = add(name)
            where[thing] = draw.pick(shown if number == 0 or name in MOVABLES else free)
            if name in sliced:
                slices |= {add(sliced_class(name)): thing for _ in range(_SLICES)}
    beside = (*pairs, *((two, one) for one, two in pairs))
    return AlfredScene(room, classes, where, slices, devices, beside, draw.pick(places))

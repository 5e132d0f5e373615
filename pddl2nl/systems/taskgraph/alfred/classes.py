"""The classes of objects in ALFRED and what can be done with them.

The lists are those of the GraphPlan paper's prompt (appendix E); the affordances are facts of ALFRED
(https://github.com/askforalfred/alfred, ``gen/constants.py``, MIT). The domain ``alfred`` has a type for each class.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ALL_CLASSES: tuple[str, ...] = _names(
    """
    AlarmClock Apple AppleSliced ArmChair BaseballBat BasketBall BathtubBasin Bed Book Bowl Box Bread
    BreadSliced ButterKnife CD Cabinet Candle Cart CellPhone Cloth CoffeeMachine CoffeeTable CounterTop
    CreditCard Cup Desk DeskLamp DiningTable DishSponge Drawer Dresser Egg Faucet FloorLamp Fork Fridge
    GarbageCan Glassbottle HandTowel Kettle KeyChain Knife Ladle Laptop Lettuce LettuceSliced Microwave Mug
    Newspaper Ottoman Pan Pen Pencil PepperShaker Pillow Plate Plunger Pot Potato PotatoSliced RemoteControl
    Safe SaltShaker Shelf SideTable SinkBasin SoapBar SoapBottle Sofa Spatula Spoon SprayBottle Statue
    StoveBurner TennisRacket TissueBox Toilet ToiletPaper ToiletPaperHanger Tomato TomatoSliced Vase Watch
    WateringCan WineBottle Lamp
    """
)
"""All 86 classes, in the order of the prompt."""

MOVABLES: tuple[str, ...] = ("Bowl", "Box", "Cup", "Mug", "Plate", "Pan", "Pot")
"""What things can be put into and carried in."""

FIXTURES: tuple[str, ...] = _names(
    """
    ArmChair BathtubBasin Bed Cabinet Cart CoffeeMachine CoffeeTable CounterTop Desk DiningTable Drawer
    Dresser Fridge GarbageCan Microwave Ottoman Safe Shelf SideTable SinkBasin Sofa StoveBurner Toilet
    ToiletPaperHanger
    """
)
"""The receptacles that stay where they are."""

RECEPTACLES: tuple[str, ...] = (*FIXTURES, *MOVABLES)
KNIVES: tuple[str, ...] = ("Knife", "ButterKnife")
LAMPS: tuple[str, ...] = ("DeskLamp", "FloorLamp", "Lamp")
SLICEABLE: tuple[str, ...] = ("Apple", "Bread", "Lettuce", "Potato", "Tomato")
"""ALFRED also slices eggs, which have no sliced class."""

OPENABLE: tuple[str, ...] = ("Fridge", "Cabinet", "Microwave", "Drawer", "Safe")
"""Boxes can be opened in ALFRED as well; here they are always open."""

_FOOD = "Apple AppleSliced Bread BreadSliced Potato PotatoSliced Tomato TomatoSliced"
AFFORDANCES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        predicate: frozenset(names.split())
        for predicate, names in {
            "heatable": f"{_FOOD} Cup Egg Mug Plate",
            "coolable": f"{_FOOD} Bowl Cup Egg Lettuce LettuceSliced Mug Pan Plate Pot WineBottle",
            "cleanable": (
                "Apple AppleSliced Bowl ButterKnife Cloth Cup DishSponge Egg Fork Kettle Knife Ladle Lettuce "
                "LettuceSliced Mug Pan Plate Pot Potato PotatoSliced SoapBar Spatula Spoon Tomato TomatoSliced"
            ),
        }.items()
    }
)
"""What can be heated, cooled and cleaned, by the predicates of the domain."""

SKILLS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        predicate: frozenset(names.split())
        for predicate, names in {
            "breakable": "Bowl Cup Egg Glassbottle Mug Plate Statue Vase WineBottle Laptop CellPhone",
            "fillable": "Bowl Cup Kettle Mug Pot Glassbottle WateringCan WineBottle",
            "slides": "Book Bowl Box Kettle Laptop Mug Pan Pot Statue Vase",
            "soils": "Bowl Cloth Cup Mug Pan Plate Pot",
            "cookable": "PotatoSliced Potato BreadSliced Egg",
            "runs-out": "SoapBottle SprayBottle TissueBox ToiletPaper",
            "loose": " ".join(each for each in ALL_CLASSES if each not in (*FIXTURES, *LAMPS, "Faucet")),
        }.items()
    }
)
"""The affordances of the skills that AI2-THOR has and ALFRED does not use; the choice of classes is ours."""

_TYPES: Mapping[str, str] = MappingProxyType({"Knife": "carvingknife", "Lamp": "tablelamp"})
_CLASSES: Mapping[str, str] = MappingProxyType({_TYPES.get(name, name.lower()): name for name in ALL_CLASSES})


def type_of(name: str) -> str:
    """The domain's type of a class; types of other names are supertypes."""
    return _TYPES.get(name, name.lower())


def class_of(kind: str) -> str:
    """The class of a type of the domain; raises `KeyError` for types that are no class."""
    return _CLASSES[kind]


def sliced_class(name: str) -> str:
    """The class of the slices of a class in `SLICEABLE`."""
    return f"{name}Sliced"

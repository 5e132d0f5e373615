"""The types of ALFRED's tasks, and of the longer ones of the GraphPlan paper (appendix C.2), with their plans.

A task consists of *errands*: what is done to one, two or three things of a class, and where they end. The plan of an
errand follows from it (`plan_of`), in subtasks with classes of objects (the paper's table 6).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType
from typing import Any, Literal

from pddl2nl.conversion import convert

DATA: Mapping[str, Any] = tomllib.loads((resources.files(__package__) / "alfred.toml").read_text(encoding="utf-8"))
"""The lists of the file: classes, rooms, treatments and sentences."""

ALL_CLASSES, MOVABLES, FIXTURES, KNIVES, LAMPS, SLICEABLE, OPENABLE = (
    tuple(DATA[name].split())
    for name in ("classes", "movables", "fixtures", "knives", "lamps", "sliceable", "openable")
)
AFFORDANCES = {predicate: frozenset(names.split()) for predicate, names in DATA["affordances"].items()}
SKILLS = {predicate: frozenset(names.split()) for predicate, names in DATA["skills"].items()} | {
    "loose": frozenset(ALL_CLASSES).difference(FIXTURES, LAMPS, ("Faucet",))
}

_TYPES: Mapping[str, str] = {"Knife": "carvingknife", "Lamp": "tablelamp"}


def type_of(name: str) -> str:
    """The domain's type of a class; types of other names are supertypes."""
    return _TYPES.get(name, name.lower())


def sliced_class(name: str) -> str:
    """The class of the slices of a class in `SLICEABLE`."""
    return f"{name}Sliced"


Step = tuple[str, ...]
"""A subtask with its targets: ``("PutObject", "Apple", "Fridge")``."""


@dataclass(frozen=True)
class Errand:
    """What is done to things of a class: `count` things get treatments (names of ``alfred.toml``), in this order.

    `sliced`: they are slices; `stacked`: they end in a dish, which is treated as a `whole` with what it holds; `light`:
    they are examined under a lamp, and put nowhere, as if not `placed`; `behind`: they are behind a door, which the
    plan opens and shuts. The classes are drawn with a scene: of the things, the dish, the receptacle at the end (or the
    lamp), the knife, where the knife is put (`rest`), and what the receptacle stands `beside`, if it is told by that.
    """

    treatments: tuple[str, ...] = ()
    count: int = 1
    sliced: bool = False
    stacked: bool = False
    whole: bool = False
    light: bool = False
    placed: bool = True
    behind: bool = False
    thing: str = ""
    dish: str = ""
    place: str = ""
    knife: str = ""
    rest: str = ""
    beside: str = ""

    @property
    def target(self) -> str:
        """The class of what is handled: the thing, or its slices."""
        return sliced_class(self.thing) if self.sliced else self.thing


def plan_of(errand: Errand) -> Iterator[Step]:
    """The subtasks of an errand whose classes are known."""
    target, dish, place = errand.target, errand.dish, errand.place
    if errand.sliced:
        yield from (
            ("PickupObject", errand.knife),
            ("SliceObject", errand.thing),
            ("PutObject", errand.knife, errand.rest),
        )
    if errand.light:
        yield from (("PickupObject", target), ("ToggleObject", place))
        return
    into = dish if errand.stacked else place
    if errand.behind:
        yield ("OpenObject", "Fridge")
    if errand.count == 2:
        yield from (
            *(("PickupObject", target), ("FindSecond", target), ("PutObject", target, into)),
            *(("PickSecond", target), ("PutObject", target, into)),
        )
        if errand.behind:
            yield ("CloseObject", "Fridge")
        if errand.stacked:
            yield from (("PickupObject", dish), *_treated(errand, dish), ("PutObject", dish, place))
        return
    for _ in range(errand.count):
        if not {"push", "pull"} & {*errand.treatments}:
            yield ("PickupObject", target)
        if errand.stacked and errand.whole:
            yield from (
                *(("PutObject", target, dish), ("PickupObject", dish)),
                *_treated(errand, dish),
                ("PutObject", dish, place),
            )
            continue
        yield from _treated(errand, target)
        if errand.stacked:
            yield from (("PutPickObject", target, dish), ("PutObject", dish, place))
        elif errand.placed:
            yield ("PutObject", target, place)


def _treated(errand: Errand, target: str) -> Iterator[Step]:
    for treatment in errand.treatments:
        if treatment == "throw":
            yield ("ThrowObject", target, errand.place)
        elif treatment == "drop":
            yield from (("DropObject", target), ("PickupObject", target))
        else:
            name, *places = DATA["treatments"][treatment]["subtask"]
            yield (name, target, *places)


TaskGroup = Literal["base", "long", "new"]


@dataclass(frozen=True)
class TaskType:
    """A type of tasks, named as in the papers, with errands without classes, in these kinds of rooms.

    Its group is ALFRED's seven types and their sliced variants, the paper's longer ones, or those with other skills.
    """

    name: str
    group: TaskGroup
    errands: tuple[Errand, ...]
    rooms: tuple[str, ...]

    @property
    def length(self) -> int:
        return sum(len([*plan_of(errand)]) for errand in self.errands)


TASK_TYPES: Mapping[str, TaskType] = MappingProxyType(
    {each.name: each for each in convert(DATA["types"], tuple[TaskType, ...])}
)
"""All types by name: 7 and 5 of ALFRED, the 17 longer ones of the paper, and 10 with other skills, of which the paper
names three."""

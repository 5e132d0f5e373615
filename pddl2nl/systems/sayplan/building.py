"""Problems of Building: a robot carries things between rooms of an office floor, most of which do not matter.

Rooms hang on a corridor of poses, with short cuts over `_SHORT_CUT` poses. What can be opened is closed.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from pddl2nl.tasks.generators.generator import Draw, Fact, Generator, Parameter, ParameterValues, Sketch, plural

_SHORT_CUT = 5


class AssetKind(NamedTuple):
    """A kind of asset: whether things are put into it, behind a door, and the items that may be there."""

    name: str
    inside: bool
    items: tuple[str, ...]


_DESK = AssetKind("desk", False, ("laptop", "notebook", "stapler", "lamp", "headphones"))
_CABINET = AssetKind("cabinet", True, ("folder", "thesis", "charger"))
_ROOMS: Mapping[str, tuple[AssetKind, ...]] = {
    "office": (_DESK, _CABINET),
    "lab": (
        AssetKind("workbench", False, ("gripper", "camera", "drone")),
        AssetKind("shelf", False, ("battery", "cable")),
    ),
    "kitchen": (
        AssetKind("fridge", True, ("apple", "cheese", "juice")),
        AssetKind("bench", False, ("bread", "bowl", "orange")),
    ),
    "meeting_room": (AssetKind("table", False, ("marker", "bottle")),),
    "store_room": (AssetKind("cupboard", True, ("towel", "biscuits", "paper")),),
}
"""The kinds of rooms, with the assets of each."""


def _make(values: ParameterValues, draw: Draw) -> Sketch | None:
    poses = tuple(f"pose{number}" for number in range(1, (values["rooms"] + 1) // 2 + 2))
    rooms, assets, items = list[str](), list[str](), list[str]()
    placed, sites, shut = list[Fact](), list[Fact](), list[Fact]()
    takes: dict[str, str] = {}
    links = [*pairwise(poses), *zip(poses, poses[_SHORT_CUT:], strict=False)]
    for number in range(1, values["rooms"] + 1):
        kind = draw.pick(tuple(_ROOMS))
        room = f"{kind}{number}"
        rooms.append(room)
        links.append((room, poses[number // 2]))
        for asset_kind in _ROOMS[kind]:
            asset = f"{asset_kind.name}{number}"
            assets.append(asset)
            sites.append(("in-room", asset, room))
            takes[asset] = "inside-of" if asset_kind.inside else "on-top-of"
            shut += [("shut", asset)] if asset_kind.inside else []
            item = f"{draw.pick(asset_kind.items)}_{asset_kind.name}{number}"
            items.append(item)
            placed.append((takes[asset], item, asset))
    moved = draw.sample(placed, values["moving"])
    goal = tuple((takes[end], item, end) for _, item, _ in moved for end in [draw.pick(assets)])
    if any(fact in placed for fact in goal):
        return None
    doors = tuple(asset for asset in assets if takes[asset] == "inside-of")
    flat = tuple(asset for asset in assets if takes[asset] == "on-top-of")
    return Sketch(
        objects=(("room", tuple(rooms)), ("pose", poses), ("asset", tuple(assets)), ("item", tuple(items))),
        init=(
            (("at", draw.pick(poses)), ("hand-empty",)),
            tuple(("linked", *pair) for link in links for pair in (link, link[::-1])),
            tuple(sites),
            tuple(placed),
            tuple(shut),
            tuple((predicate, asset) for asset in doors for predicate in ("openable", "takes-in")),
            tuple(("takes-on", asset) for asset in flat),
        ),
        goal=goal,
        summary=f"{plural(len(rooms), 'room')}, {plural(len(assets), 'asset')}, {plural(len(goal), 'item')} to carry",
    )


def _small(draw: Draw) -> Mapping[str, int | str]:
    return {"rooms": draw.between(2, 6), "moving": draw.between(1, 2)}


GENERATOR = Generator(
    domain="building",
    pddl_name="building",
    summary="an office floor with rooms of five kinds; few of them matter; every place can be reached and everything "
    "opened, so every problem has a plan",
    parameters=(
        Parameter("rooms", "how many rooms there are", 20, 2, 2000),
        Parameter("moving", "how many items have to be carried elsewhere", 1, 1, 10),
    ),
    make=_make,
    small=_small,
    rules={"moving <= rooms": lambda values: values["moving"] <= values["rooms"]},
)

"""3D scene graphs of other programs as SayPlan's JSON: Hydra's files, and those of 3D Scene Graph.

====================  ================================================  ===============================================
here                  Hydra (``dsg.json`` of spark_dsg)                 3D Scene Graph (Armeni et al., 2019), as JSON
====================  ================================================  ===============================================
floor                 a node of the layer BUILDINGS (5)                 ``floor_number`` of rooms
room                  a node of ROOMS (4)                               ``room``
pose                  a node of PLACES (3) beside one of another room   one a floor, as the file has no doors
asset, object         a node of OBJECTS (2); its room is its place's    ``object``, with ``parent_room``
agent                 in the room of the last node of AGENTS            in the first room
name                  ``name``, or the label in ``labelspaces``         ``class_`` and ``scene_category``
links                 edges of rooms and of those places                a room and its floor's pose; poses of floors
====================  ================================================  ===============================================

A thing of at most `_SMALL` metres in each direction is an object on the nearest asset of its room; another one, or one
of unknown size, is an asset. An asset can be opened, and is closed, if 3D Scene Graph says that it can be opened, or if
its name is that of such furniture. ``scene show --json`` prints the result, which can be edited. 3D Scene Graph's own
files are pickled and can run code, so that they are not read.

Hydra's form is that of Spark-DSG's ``graph_json_serialization.cpp`` and of its test file ``apartment_dsg.json``. Agents
are in the layer of objects there, set apart by a partition, in older files by a prefix and a time. Older files also
have no names of layers, and boxes as ``min`` and ``max``. The form of 3D Scene Graph is that of its README.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import dist
from typing import Any

from pddl2nl.errors import InputError

_LAYERS = {"OBJECTS": 2, "PLACES": 3, "ROOMS": 4, "BUILDINGS": 5}
"""The layers of files that do not name them."""
_SMALL = 0.5
_CLOSED = re.compile(r"fridge|refrigerator|cabinet|cupboard|wardrobe|closet|drawer|dresser|microwave|oven|dishwasher")
_MADE = re.compile(r"\W*\w\W*\d+\W*")
"""A made-up name such as ``O(12)``, which says nothing."""


@dataclass(frozen=True)
class _Thing:
    name: str
    room: str
    position: Sequence[float]
    size: Sequence[float]
    opens: bool


def scene_of(data: object, name: str) -> object:
    """A scene graph in SayPlan's form, if the data are one of another program; else the data as they are.

    Raises:
        InputError: they are, and lack something that is needed.
    """
    if not isinstance(data, dict):
        return data
    try:
        if isinstance(data.get("nodes"), list) and "layer_ids" in data:
            return _hydra(data)
        if isinstance(data.get("room"), dict | list) and isinstance(data.get("object"), dict | list):
            return _armeni(data)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise InputError(f"{name}: a 3D scene graph of another form than expected: {error!r}") from None
    return data


def _hydra(data: Mapping[str, Any]) -> dict[str, Any]:
    known = _LAYERS | {name: _layer(key) for name, key in (data.get("layer_names") or {}).items() if name in _LAYERS}
    objects, place_layer, room_layer, building_layer = (known[name] for name in _LAYERS)
    layers: dict[int, list[dict[str, Any]]] = defaultdict(list)
    agents = [node for node in data["nodes"] if _moves(node)]
    for node in data["nodes"]:
        if not node.get("partition") and not _moves(node):
            layers[node["layer"]].append(node)
    of = {node["id"]: node["layer"] for node in data["nodes"]}
    edges = [(edge["source"], edge["target"]) for edge in data.get("edges", ())]
    above = {low: high for pair in edges for low, high in [sorted(pair, key=of.__getitem__)] if of[low] < of[high]}
    spaces: Mapping[str, Any] = (data.get("metadata") or {}).get("labelspaces") or {}

    def named(layer: int, kind: str) -> dict[int, str]:
        labels = {int(label): str(said) for label, said in spaces.get(f"_l{layer}p0", ())}
        said = [node["attributes"] for node in layers[layer]]
        words = [
            labels.get(each.get("semantic_label"), kind) if _MADE.fullmatch(each.get("name") or "a0") else each["name"]
            for each in said
        ]
        return dict(zip((node["id"] for node in layers[layer]), _numbered(words), strict=True))

    rooms, places, floors = named(room_layer, "room"), named(place_layer, "place"), named(building_layer, "building")
    links = [(rooms[one], rooms[other]) for one, other in edges if one in rooms and other in rooms]
    joining = [
        pair
        for pair in edges
        if {*pair} <= places.keys() and len({above.get(each) for each in pair} & rooms.keys()) == 2
    ]
    poses = dict.fromkeys(each for pair in joining for each in pair)
    links += [(places[one], places[other]) for one, other in joining]
    links += [(rooms[above[each]], places[each]) for each in poses]
    things = []
    for (node, said), node_data in zip(named(objects, "object").items(), layers[objects], strict=True):
        room = above.get(above.get(node, node), above.get(node))
        about = node_data["attributes"]
        if room in rooms:
            things.append(_Thing(said, rooms[room], about["position"], _extent(about), bool(_CLOSED.search(said))))
    levels = {rooms[room]: floors[above[room]] for room in rooms if above.get(room) in floors}
    seen = [rooms[room] for each in agents if (room := above.get(above.get(each["id"], 0))) in rooms]
    return _scene([*rooms.values()], levels, [places[each] for each in poses], links, things, seen[-1:])


def _moves(node: Mapping[str, Any]) -> bool:
    """Whether a node is a place where an agent was."""
    return "timestamp" in node or node["attributes"].get("type") == "AgentNodeAttributes"


def _layer(key: Any) -> int:
    """The layer of a name: a number, or a key with a partition, by the version of the file."""
    return int(key["layer"] if isinstance(key, dict) else key[0] if isinstance(key, list) else key)


def _extent(about: Mapping[str, Any]) -> Sequence[float]:
    box = about.get("bounding_box") or {}
    if box.get("dimensions"):
        return list(box["dimensions"])
    return [high - low for low, high in zip(box.get("min", ()), box.get("max", ()), strict=True)]


def _armeni(data: Mapping[str, Any]) -> dict[str, Any]:
    rooms, objects = _items(data["room"]), _items(data["object"])
    names = dict(zip(rooms, _numbered(room.get("scene_category") or "room" for room in rooms.values()), strict=True))
    floors = {names[key]: f"floor_{room.get('floor_number') or 'A'}".lower() for key, room in rooms.items()}
    halls = {floor: f"hall_of_{floor}" for floor in sorted({*floors.values()})}
    links = [(room, halls[floor]) for room, floor in floors.items()]
    links += [*zip(halls.values(), [*halls.values()][1:], strict=False)]
    said = _numbered(each.get("class_") or "object" for each in objects.values())
    things = [
        _Thing(
            name,
            names[str(each["parent_room"])],
            each["location"],
            each.get("size") or (),
            "open" in str(each.get("action_affordance")) or bool(_CLOSED.search(name)),
        )
        for name, each in zip(said, objects.values(), strict=True)
        if str(each.get("parent_room")) in names
    ]
    return _scene([*names.values()], floors, [*halls.values()], links, things)


def _items(group: Any) -> dict[str, dict[str, Any]]:
    """The nodes of a group by their numbers; a group is an object or a list."""
    each = group.items() if isinstance(group, dict) else ((node["id"], node) for node in group)
    return {str(number): node for number, node in each}


def _numbered(words: Iterable[str]) -> Iterator[str]:
    seen = Counter[str]()
    for word in words:
        plain = re.sub(r"\W+", "_", word.strip().lower()).strip("_") or "thing"
        seen[plain] += 1
        yield f"{plain}{seen[plain]}"


def _scene(
    rooms: Sequence[str],
    floors: Mapping[str, str],
    poses: Sequence[str],
    links: Sequence[tuple[str, str]],
    things: Sequence[_Thing],
    begin: Sequence[str] = (),
) -> dict[str, Any]:
    small = [each for each in things if each.size and max(each.size) <= _SMALL]
    large = [each for each in things if each not in small]
    assets = [
        {
            "room": each.room,
            "affordances": ["open", "close", "release"] if each.opens else ["release"],
            "state": "closed" if each.opens else "free",
            "id": each.name,
        }
        for each in large
    ]
    objects = []
    for each in small:
        near = [other for other in large if other.room == each.room]
        if near:
            below = min(near, key=lambda other: dist(other.position, each.position))
            objects.append({"affordances": ["pickup"], "state": f"on_top_of({below.name})", "id": each.name})
    nodes = {
        "floor": [{"id": floor} for floor in sorted({*floors.values()})],
        "room": [{"id": room, **({"floor": floors[room]} if room in floors else {})} for room in rooms],
        "pose": [{"id": pose} for pose in poses],
        "agent": [{"location": [*begin, *rooms][0], "id": "agent"}],
        "asset": assets,
        "object": objects,
    }
    return {"nodes": nodes, "links": [f"{one}↔{other}" for one, other in dict.fromkeys(links)]}

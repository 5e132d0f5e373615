"""Problems of Household: things are brought, put away, washed and thrown away, and appliances switched.

The furniture is that of the shipped example, with its properties; things are drawn from its kinds and lie anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from pddl2nl.pddl import Atom, Condition, Not, Task
from pddl2nl.tasks.generators.generator import Draw, Fact, Generator, Parameter, ParameterValues, Sketch, plural
from pddl2nl.tasks.shipped import shipped_domain

_ROOMS = ("kitchen", "livingroom", "bathroom", "bedroom")
_HANDS = ("right", "left")
_KINDS = ("bring", "store", "throw", "switch", "sit", "wash")
_DETERGENT = "dishwashingliquid"


@cache
def _example() -> Task:
    return shipped_domain("household").task("example")


def _make(values: ParameterValues, draw: Draw) -> Sketch | None:
    rooms = _ROOMS[: values["rooms"]]
    things = _things(values["items"] + values["unreachable"], draw)
    layout = _House(rooms, things)
    at = {thing: draw.pick(layout.holders) for thing in [*things][: values["items"]]}
    opened = {each for each in layout.having("can-open") if not draw.chance(values["closed"])}
    on = {each for each in layout.having("has-switch") if draw.chance(20)}
    goal = _goal(values["goals"], layout, at, opened, on, draw)
    if goal is None:
        return None
    closed_doors = values["doors"] == "closed"
    start = draw.pick(rooms)
    return Sketch(
        objects=(
            ("hand", _HANDS),
            ("room", rooms),
            ("furniture", layout.furniture),
            ("vessel", tuple(thing for thing in things if things[thing] == "vessel")),
            ("item", tuple(thing for thing in things if things[thing] == "item")),
        ),
        init=(
            (("at", start), ("robot-in", start), *(("free", hand) for hand in _HANDS)),
            tuple(("door" if closed_doors and one != to else "way", one, to) for one in rooms for to in rooms),
            *(layout.facts(each) for each in (*rooms, *layout.furniture)),
            tuple(("is-open", each) for each in layout.furniture if each in opened),
            tuple(("switched-on", each) for each in layout.furniture if each in on),
            *((*layout.facts(thing), (layout.relation(place), thing, place)) for thing, place in at.items()),
            *(layout.facts(thing) for thing in things if thing not in at),
        ),
        goal=goal,
        summary=f"{plural(len(rooms), 'room')}, {plural(len(layout.furniture), 'piece')} of furniture, "
        f"{plural(len(things), 'thing')}",
    )


def _things(count: int, draw: Draw) -> dict[str, str]:
    """So many things with their types; if there are more than kinds, the kinds begin again with numbers."""
    kinds = [item for item in _example().problem.objects if item.types[0] in ("item", "vessel")]
    detergent = [item for item in kinds if item.name == _DETERGENT]
    drawn = detergent + draw.shuffled([item for item in kinds if item.name != _DETERGENT])
    made: dict[str, str] = {}
    while len(made) < count:
        number = len(made) // len(drawn)
        item = drawn[len(made) % len(drawn)]
        made[f"{item.name}{number + 1 if number else ''}"] = item.types[0]
    return made


class _House:
    """The rooms, furniture and things of a problem, with their properties in the example."""

    def __init__(self, rooms: tuple[str, ...], things: Mapping[str, str]):
        init = _example().problem.init
        home = {fact[1]: fact[2] for fact in init if fact[0] == "stands-in"}
        self._static = [tuple(fact) for fact in init if fact[0] not in _CHANGING]
        self.furniture = tuple(each for each, room in home.items() if room in rooms and each not in rooms)
        self._present = {*rooms, *self.furniture, *things}
        self.holders = (*rooms, *self.having("surface"), *self.having("container"))

    def facts(self, name: str) -> tuple[Fact, ...]:
        kind = name.rstrip("0123456789")
        own = ((fact[0], name, *fact[2:]) for fact in self._static if fact[1] == kind)
        return tuple(fact for fact in own if self._present.issuperset(fact[2:]))

    def having(self, prop: str) -> tuple[str, ...]:
        return tuple(each for each in self.furniture if (prop, each) in self._static)

    def relation(self, place: str) -> str:
        return "inside" if ("container", place) in self._static else "on"


_CHANGING = frozenset(("at", "robot-in", "free", "way", "door", "on", "inside", "is-open", "switched-on", "soapy"))


def _goal(
    count: int, layout: _House, at: Mapping[str, str], opened: set[str], on: set[str], draw: Draw
) -> tuple[Fact | Condition, ...] | None:
    """A goal of so many parts, each of a kind that is drawn; None if one of them cannot be made.

    Each part is about another thing or appliance, and only one asks the robot to sit, so that they fit together.
    """
    things, parts, switches = (
        draw.shuffled(list(at)),
        list[Fact | Condition](),
        draw.shuffled(layout.having("has-switch")),
    )
    containers, surfaces = layout.having("container"), layout.having("surface")
    seats, washable = list(layout.having("sittable")), "sink" in layout.furniture
    for _ in range(count):
        kind = draw.pick(_KINDS)
        if kind == "switch" and switches:
            each = switches.pop()
            parts.append(Not(Atom("switched-on", (each,))) if each in on else ("switched-on", each))
        elif kind == "sit" and seats:
            parts.append(("seated-on", draw.pick(seats)))
            seats = []
        elif kind in ("bring", "store", "throw", "wash") and things:
            thing = things.pop()
            if kind == "wash" and washable and thing != _DETERGENT:
                parts.append(("washed", thing))
                continue
            chosen = surfaces if kind == "bring" else ("garbagecan",) if kind == "throw" else containers
            places = [place for place in chosen if place in layout.furniture and place != at[thing]]
            if not places:
                return None
            place = draw.pick(places)
            parts.append((layout.relation(place), thing, place))
            closed = Not(Atom("is-open", (place,)))
            if kind != "bring" and place in layout.having("can-open") and closed not in parts:
                parts.append(closed)
        else:
            return None
    return tuple(parts)


def _small(draw: Draw) -> Mapping[str, int | str]:
    return {
        "rooms": draw.between(1, 3),
        "items": draw.between(4, 10),
        "unreachable": draw.between(0, 2),
        "goals": draw.between(1, 2),
        "closed": draw.pick((0, 50, 100)),
        "doors": draw.pick(("open", "closed")),
    }


GENERATOR = Generator(
    domain="household",
    pddl_name="household",
    summary="things that lie anywhere in a house have to be brought, put away, washed or thrown away, appliances "
    "switched; everything is within reach, so every problem has a plan",
    parameters=(
        Parameter("rooms", "how many of kitchen, living room, bathroom and bedroom there are", 4, 1, 4),
        Parameter("items", "how many things there are, most of which no goal needs", 30, 1, 200),
        Parameter("unreachable", "how many more things are listed that are nowhere in the house", 0, 0, 50),
        Parameter("goals", "how many goals there are, each of a kind that is drawn", 3, 1, 20),
        Parameter(
            "closed", "of a hundred pieces of furniture that can be opened, how many are closed at first", 80, 0, 100
        ),
        Parameter("doors", "whether the doors between the rooms are open at first", "open", choices=("open", "closed")),
    ),
    make=_make,
    small=_small,
)

"""Problems of Grippers: robots with two grippers each carry balls between rooms."""

from __future__ import annotations

from pddl2nl.tasks.generators.generator import Draw, Fact, Generator, Parameter, ParameterValues, Sketch, plural
from pddl2nl.tasks.generators.journeys import counted, draw_journeys

_SIDES = ("l", "r")


def _make(values: ParameterValues, draw: Draw) -> Sketch | None:
    numbers = range(1, values["robots"] + 1)
    robots = tuple(f"robot{number}" for number in numbers)
    grippers = tuple(f"{side}gripper{number}" for number in numbers for side in _SIDES)
    rooms = tuple(f"room{number + 1}" for number in range(values["rooms"]))
    balls = tuple(f"ball{number + 1}" for number in range(values["balls"]))
    stands: tuple[Fact, ...] = tuple(("at-robby", robot, draw.pick(rooms)) for robot in robots)
    free: list[tuple[Fact, ...]] = [
        tuple(("free", f"robot{number}", f"{side}gripper{number}") for side in _SIDES) for number in numbers
    ]
    journeys = draw_journeys(balls, rooms, values["moving"], draw)
    return Sketch(
        objects=(("robot", robots), ("gripper", grippers), ("room", rooms), ("ball", balls)),
        init=(stands, *free, tuple(("at", each.thing, each.start) for each in journeys)),
        goal=tuple(("at", each.thing, each.end) for each in journeys if each.end is not None),
        summary=f"{plural(len(robots), 'robot')}, {plural(len(rooms), 'room')}, {counted(journeys, 'ball')}",
    )


GENERATOR = Generator(
    domain="grippers",
    pddl_name="grippers",
    summary="balls in random rooms, some or all of which have to be in others; all rooms are connected, so every "
    "problem has a plan",
    parameters=(
        Parameter("robots", "how many robots there are, each with two grippers", 1, 1, 50),
        Parameter("rooms", "how many rooms there are", 2, 2, 200),
        Parameter("balls", "how many balls there are", 3, 1, 200),
        Parameter(
            "moving", "of a hundred balls, how many have to move at least; one ball does in any case", 100, 1, 100
        ),
    ),
    make=_make,
    small=lambda draw: {
        "robots": draw.between(1, 2),
        "rooms": draw.between(2, 4),
        "balls": draw.between(1, 7),
        "moving": draw.pick((1, 60, 100)),
    },
)

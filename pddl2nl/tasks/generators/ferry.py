"""Problems of Ferry: a ferry carries cars between shores."""

from __future__ import annotations

from pddl2nl.tasks.generators.generator import Draw, Generator, Parameter, ParameterValues, Sketch, plural
from pddl2nl.tasks.generators.journeys import counted, draw_journeys


def _make(values: ParameterValues, draw: Draw) -> Sketch | None:
    locations = tuple(f"l{number}" for number in range(values["locations"]))
    cars = tuple(f"c{number}" for number in range(values["cars"]))
    ferry = draw.pick(locations)
    journeys = draw_journeys(cars, locations, values["moving"], draw)
    return Sketch(
        objects=(("location", locations), ("car", cars)),
        init=((("at-ferry", ferry), ("empty-ferry",)), tuple(("at", each.thing, each.start) for each in journeys)),
        goal=tuple(("at", each.thing, each.end) for each in journeys if each.end is not None),
        summary=f"{plural(len(locations), 'location')}, {counted(journeys, 'car')}",
    )


GENERATOR = Generator(
    domain="ferry",
    pddl_name="ferry",
    summary="cars at random shores, some of which have to be at others; the ferry sails from any shore to any other, "
    "so every problem has a plan",
    parameters=(
        Parameter("locations", "how many shores there are", 3, 2, 200),
        Parameter("cars", "how many cars there are", 3, 1, 200),
        Parameter("moving", "of a hundred cars, how many have to move at least; one car does in any case", 50, 1, 100),
    ),
    make=_make,
    small=lambda draw: {
        "locations": draw.between(2, 5),
        "cars": draw.between(1, 6),
        "moving": draw.pick((40, 70, 100)),
    },
)

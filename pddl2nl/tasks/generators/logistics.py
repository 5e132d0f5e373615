"""Problems of Logistics: trucks carry packages within cities, airplanes between cities."""

from __future__ import annotations

from collections.abc import Mapping

from pddl2nl.tasks.generators.generator import Draw, Fact, Generator, Parameter, ParameterValues, Sketch, plural
from pddl2nl.tasks.generators.journeys import counted, draw_journeys


def _make(values: ParameterValues, draw: Draw) -> Sketch | None:
    cities = tuple(f"c{number}" for number in range(values["cities"]))
    trucks = tuple(f"t{number}" for number in range(len(cities)))
    airplanes = tuple(f"a{number}" for number in range(values["airplanes"]))
    packages = tuple(f"p{number}" for number in range(values["packages"]))
    places = [tuple(f"l{city}-{number}" for number in range(values["locations"])) for city in range(len(cities))]
    airports = tuple(within[0] for within in places)
    vehicles: list[Fact] = [("at", truck, draw.pick(within)) for truck, within in zip(trucks, places, strict=True)]
    flying: list[Fact] = [("at", airplane, draw.pick(airports)) for airplane in airplanes]
    everywhere = [place for within in places for place in within]
    journeys = draw_journeys(packages, everywhere, values["moving"], draw)
    return Sketch(
        objects=tuple(("", group) for group in (cities, trucks, airplanes, *places, packages)),
        init=(
            *(
                tuple((kind, name) for name in names)
                for kind, names in zip(_KINDS, (cities, trucks, airplanes), strict=True)
            ),
            *_map(cities, places),
            tuple(("airport", airport) for airport in airports),
            tuple(("obj", package) for package in packages),
            tuple(vehicles),
            tuple(flying),
            tuple(("at", each.thing, each.start) for each in journeys),
        ),
        goal=tuple(("at", each.thing, each.end) for each in journeys if each.end is not None),
        summary=f"{len(cities)} {'city' if len(cities) == 1 else 'cities'}, {plural(len(everywhere), 'location')}, "
        f"{plural(len(airplanes), 'airplane')}, {counted(journeys, 'package')}",
    )


_KINDS = ("city", "truck", "airplane")


def _map(cities: tuple[str, ...], places: list[tuple[str, ...]]) -> list[tuple[Fact, ...]]:
    """Two lines for each city: its locations, and that they are in it."""
    lines: list[tuple[Fact, ...]] = []
    for city, within in zip(cities, places, strict=True):
        lines.append(tuple(("location", place) for place in within))
        lines.append(tuple(("in-city", place, city) for place in within))
    return lines


def _small(draw: Draw) -> Mapping[str, int | str]:
    cities = draw.between(1, 3)
    return {
        "cities": cities,
        "locations": draw.between(2 if cities == 1 else 1, 3),
        "airplanes": 0 if cities == 1 else draw.between(1, 2),
        "packages": draw.between(1, 5 if cities == 1 else 4),
        "moving": draw.pick((1, 100)),
    }


GENERATOR = Generator(
    domain="logistics",
    pddl_name="logistics-strips",
    summary="packages at random locations, some or all of which have to be at others; every city has a truck and an "
    "airport, so every problem has a plan",
    parameters=(
        Parameter("cities", "how many cities there are, each with one truck", 2, 1, 50),
        Parameter("locations", "how many locations each city has; the first is its airport", 2, 1, 50),
        Parameter("airplanes", "how many airplanes there are; at least one where there are several cities", 1, 0, 50),
        Parameter("packages", "how many packages there are", 2, 1, 200),
        Parameter("moving", "of a hundred packages, how many have to move at least; one does in any case", 100, 1, 100),
    ),
    rules={
        "airplanes ≥ 1 for cities ≥ 2 (packages can leave their city)": lambda v: (
            v["airplanes"] > 0 or v["cities"] == 1
        ),
        "cities × locations ≥ 2 (packages have somewhere to go)": lambda v: v["cities"] * v["locations"] >= 2,
    },
    make=_make,
    small=_small,
)

"""Problems of Depots: rebuild stacks of crates on pallets, possibly at other places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pddl2nl.tasks.generators.generator import Draw, Fact, Generator, Parameter, ParameterValues, Sketch, plural

Stacks = Mapping[str, Sequence[str]]
"""The crates on each pallet, from the lowest up."""


def _make(values: ParameterValues, draw: Draw) -> Sketch | None:
    names = {kind: tuple(f"{kind}{number}" for number in range(values[f"{kind}s"])) for kind in _KINDS}
    places = (*names["depot"], *names["distributor"])
    stands = dict(zip(names["pallet"], _dealt(places, len(names["pallet"]), draw), strict=True))
    hoists = zip(names["hoist"], _dealt(places, len(names["hoist"]), draw), strict=True)
    before = _stacked(names["crate"], names["pallet"], draw)
    after = _stacked(names["crate"], names["pallet"], draw)
    aims = _on(after)
    if values["goal"] == "part":
        aims = draw.sample(aims, draw.between(1, len(aims)))
    return Sketch(
        objects=tuple((kind, names[kind]) for kind in _KINDS),
        init=(
            *(_standing(pallet, stands[pallet], crates) for pallet, crates in before.items()),
            *((("at", hoist, place), ("available", hoist)) for hoist, place in hoists),
            tuple(("at", truck, draw.pick(places)) for truck in names["truck"]),
        ),
        goal=tuple(("on", *pair) for pair in sorted(aims, key=lambda pair: names["crate"].index(pair[0]))),
        summary=", ".join(plural(len(names[kind]), kind) for kind in _KINDS),
    )


_KINDS = ("depot", "distributor", "truck", "pallet", "hoist", "crate")


def _places(values: ParameterValues) -> int:
    return int(values["depots"] + values["distributors"])


def _dealt(places: Sequence[str], count: int, draw: Draw) -> list[str]:
    """`count` places, each of them at least once."""
    return [*places, *(draw.pick(places) for _ in range(count - len(places)))]


def _stacked(crates: Sequence[str], pallets: Sequence[str], draw: Draw) -> Stacks:
    stacks: dict[str, list[str]] = {pallet: [] for pallet in pallets}
    for crate in draw.shuffled(crates):
        stacks[draw.pick(pallets)].append(crate)
    return stacks


def _on(stacks: Stacks) -> list[tuple[str, str]]:
    """Every crate with the surface it is on."""
    return [
        (crate, below)
        for pallet, crates in stacks.items()
        for crate, below in zip(crates, (pallet, *crates), strict=False)
    ]


def _standing(pallet: str, place: str, crates: Sequence[str]) -> tuple[Fact, ...]:
    facts: list[Fact] = [("at", pallet, place)]
    for crate, below in _on({pallet: crates}):
        facts += [("at", crate, place), ("on", crate, below)]
    return (*facts, ("clear", crates[-1] if crates else pallet))


def _small(draw: Draw) -> Mapping[str, int | str]:
    depots, distributors = draw.between(1, 2), draw.between(0, 2)
    places = depots + distributors
    return {
        "depots": depots,
        "distributors": distributors,
        "trucks": draw.between(1, 2),
        "pallets": places + draw.between(places == 1, 1),
        "hoists": places + draw.between(0, 1),
        "crates": draw.between(1, 5),
        "goal": draw.pick(("all", "part")),
    }


GENERATOR = Generator(
    domain="depots",
    pddl_name="depot",
    summary="crates in random stacks that have to become other stacks; every place has a hoist, and a truck that goes "
    "everywhere holds all crates, so every problem has a plan",
    parameters=(
        Parameter("depots", "how many depots there are", 1, 0, 50),
        Parameter("distributors", "how many distributors there are; a place is either, with no difference", 1, 0, 50),
        Parameter("trucks", "how many trucks there are", 1, 1, 50),
        Parameter("pallets", "how many pallets there are, at least one at every place", 2, 1, 100),
        Parameter("hoists", "how many hoists there are, at least one at every place", 2, 1, 100),
        Parameter("crates", "how many crates there are", 2, 1, 200),
        Parameter(
            "goal",
            "whether the goal says of all crates what they are on, or of part of them",
            "all",
            choices=("all", "part"),
        ),
    ),
    rules={
        "depots + distributors > 0 (a place)": lambda v: _places(v) > 0,
        "pallets ≥ depots + distributors (one at each place)": lambda v: v["pallets"] >= _places(v),
        "hoists ≥ depots + distributors (one at each place)": lambda v: v["hoists"] >= _places(v),
        "crates + pallets > 2 (a crate and a place to move it)": lambda v: v["crates"] + v["pallets"] > 2,
    },
    make=_make,
    small=_small,
)

"""Problems of Satellite: satellites take images of stars and planets."""

from __future__ import annotations

from collections.abc import Mapping

from pddl2nl.tasks.generators.generator import Draw, Generator, Parameter, ParameterValues, Sketch, plural

_MODES = ("infrared", "spectrograph", "thermograph")
_DIRECTIONS = ("star", "groundstation", "planet", "phenomenon")


def _make(values: ParameterValues, draw: Draw) -> Sketch | None:
    satellites = tuple(f"satellite{number}" for number in range(values["satellites"]))
    instruments = tuple(f"instrument{number}" for number in range(values["instruments"]))
    modes = tuple(f"{_MODES[number % len(_MODES)]}{number}" for number in range(values["modes"]))
    directions = tuple(f"{_DIRECTIONS[number % len(_DIRECTIONS)]}{number}" for number in range(values["directions"]))
    # Every satellite has an instrument; the others are distributed at random.
    aboard = [*satellites, *(draw.pick(satellites) for _ in instruments[len(satellites) :])]
    supported = _supported(instruments, modes, draw)
    images = draw.sample([(place, mode) for place in directions for mode in modes], values["images"])
    turned = draw.sample(satellites, values["pointing"])
    return Sketch(
        objects=(("satellite", satellites), ("instrument", instruments), ("mode", modes), ("direction", directions)),
        init=(
            *((("pointing", satellite, draw.pick(directions)), ("power_avail", satellite)) for satellite in satellites),
            *(
                (
                    ("on_board", instrument, satellite),
                    ("calibration_target", instrument, draw.pick(directions)),
                    *(("supports", instrument, mode) for mode in modes if mode in supported[instrument]),
                )
                for instrument, satellite in zip(instruments, aboard, strict=True)
            ),
        ),
        goal=(
            *(("have_image", place, mode) for place, mode in images),
            *(("pointing", satellite, draw.pick(directions)) for satellite in sorted(turned, key=satellites.index)),
        ),
        summary=", ".join(
            plural(len(names), noun)
            for names, noun in (
                (satellites, "satellite"),
                (instruments, "instrument"),
                (modes, "mode"),
                (directions, "direction"),
                (images, "image"),
            )
        ),
    )


def _supported(instruments: tuple[str, ...], modes: tuple[str, ...], draw: Draw) -> Mapping[str, set[str]]:
    """The modes of each instrument: at least one each, and every mode in at least one of them."""
    supported = {instrument: {draw.pick(modes)} for instrument in instruments}
    for mode in modes:
        if not any(mode in each for each in supported.values()):
            supported[draw.pick(instruments)].add(mode)
    for each in supported.values():
        each.update(mode for mode in modes if draw.chance(25))
    return supported


def _small(draw: Draw) -> Mapping[str, int | str]:
    satellites, modes, directions = draw.between(1, 3), draw.between(1, 3), draw.between(1, 8)
    return {
        "satellites": satellites,
        "instruments": draw.between(satellites, 4),
        "modes": modes,
        "directions": directions,
        "images": draw.between(1, min(9, modes * directions)),
        "pointing": draw.between(0, satellites),
    }


GENERATOR = Generator(
    domain="satellite",
    pddl_name="satellite",
    summary="images to be taken by satellites; every mode is supported by an instrument, which has a calibration "
    "target, so every problem has a plan",
    parameters=(
        Parameter(
            "satellites", "how many satellites there are, each with power for one instrument at a time", 1, 1, 50
        ),
        Parameter("instruments", "how many instruments there are on all satellites, at least one on each", 2, 1, 100),
        Parameter("modes", "how many modes of images there are", 2, 1, 50),
        Parameter("directions", "how many directions there are: stars, planets, ground stations", 4, 1, 200),
        Parameter("images", "how many images are to be had, each of one direction in one mode", 2, 0, 200),
        Parameter("pointing", "how many satellites have to point in a given direction at the end", 0, 0, 50),
    ),
    rules={
        "instruments ≥ satellites (one on each)": lambda v: v["instruments"] >= v["satellites"],
        "images ≤ directions × modes (one for each pair)": lambda v: v["images"] <= v["directions"] * v["modes"],
        "pointing ≤ satellites": lambda v: v["pointing"] <= v["satellites"],
        "images ≥ 1, or pointing ≥ 1 and directions ≥ 2 (something to do)": lambda v: (
            v["images"] > 0 or (v["pointing"] > 0 and v["directions"] > 1)
        ),
    },
    make=_make,
    small=_small,
)

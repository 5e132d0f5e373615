"""Generators of problems, one module for each domain: seeded, with the same results on every machine.

Problems are solvable (unless asked otherwise) and not solved in their initial state; impossible values are refused.
"""

from __future__ import annotations

from collections.abc import Mapping

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.tasks.generators import (
    alfred,
    beluga,
    blocksworld,
    building,
    depots,
    ferry,
    floortile,
    goldminer,
    grid,
    grippers,
    household,
    logistics,
    movie,
    rovers,
    satellite,
    tabletop,
    visitall,
)
from pddl2nl.tasks.generators.draws import Draw
from pddl2nl.tasks.generators.generator import Fact, Generated, Generator, Parameter, ParameterValues, Sketch

__all__ = [
    "GENERATORS",
    "Draw",
    "Fact",
    "Generated",
    "Generator",
    "Parameter",
    "Sketch",
    "ParameterValues",
    "generate",
    "generator_of",
    "read_parameters",
]

GENERATORS: dict[str, Generator] = {
    "alfred": alfred.GENERATOR,
    "beluga": beluga.GENERATOR,
    "blocksworld": blocksworld.GENERATOR,
    "building": building.GENERATOR,
    "depots": depots.GENERATOR,
    "ferry": ferry.GENERATOR,
    "floortile": floortile.GENERATOR,
    "goldminer": goldminer.GENERATOR,
    "grid": grid.GENERATOR,
    "grippers": grippers.GENERATOR,
    "household": household.GENERATOR,
    "logistics": logistics.GENERATOR,
    "movie": movie.GENERATOR,
    "rovers": rovers.GENERATOR,
    "satellite": satellite.GENERATOR,
    "tabletop": tabletop.GENERATOR,
    "visitall": visitall.GENERATOR,
}
"""The generators by the names of their domains' folders."""


def generate(domain: str, seed: int = 1, *, name: str | None = None, **given: int | str) -> Generated:
    """A problem of a shipped domain: ``generate("blocksworld", 3, blocks=5)``.

    The domain is named by its folder; a problem's default name is the domain's with the seed.

    Raises:
        InputError: no such generator, an unknown parameter, or an impossible value.
    """
    return generator_of(domain).generate(seed, given, name)


def generator_of(domain: str) -> Generator:
    """The generator of a domain; raises `InputError` with a suggestion if there is none."""
    if domain not in GENERATORS:
        hint = did_you_mean(domain, GENERATORS, f"; there are {', '.join(GENERATORS)}")
        raise InputError(f"there is no generator of '{domain}'{hint}")
    return GENERATORS[domain]


def read_parameters(words: list[str]) -> Mapping[str, str]:
    """``name=value`` arguments of a command line as a mapping.

    Raises:
        InputError: a malformed word, or a parameter given twice.
    """
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name or not value:
            raise InputError(f"{word!r} is no parameter; name=value was expected, such as blocks=5")
        if name in found:
            raise InputError(f"the parameter '{name}' is given twice")
        found[name] = value
    return found

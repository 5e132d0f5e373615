"""Generators of problems, one module for each domain: seeded, with the same results on every machine.

Problems are solvable (unless asked otherwise) and not solved in their initial state; impossible values are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint
from types import MappingProxyType

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.plugins import DOMAIN_GROUP, load_object, loadable, provided
from pddl2nl.tasks.generators.generator import Draw, Fact, Generated, Generator, Parameter, ParameterValues, Sketch

__all__ = [
    "Draw",
    "Fact",
    "Generated",
    "Generator",
    "Parameter",
    "Sketch",
    "ParameterValues",
    "generate",
    "generator_of",
    "generators",
    "read_parameters",
]

_CORE = (
    *("beluga", "blocksworld", "depots", "ferry", "floortile", "goldminer", "grid"),
    *("grippers", "logistics", "movie", "rovers", "satellite", "visitall"),
)


@lru_cache(maxsize=1)
def generators() -> Mapping[str, Generator]:
    """All generators by the names of their domains' folders, those of systems and of installed domains too."""
    known = {name: import_module(f"{__name__}.{name}").GENERATOR for name in _CORE}
    brought = {name: generator for _, own in provided("generators", Generator) for name, generator in own.items()}
    brought |= {name: generator for name, generator in loadable(DOMAIN_GROUP, _installed) if generator is not None}
    return MappingProxyType(dict(sorted({**brought, **known}.items())))


def _installed(entry: EntryPoint) -> tuple[str, Generator | None]:
    generator = getattr(load_object(entry.value), "GENERATOR", None)
    if not isinstance(generator, Generator | None):
        raise InputError(f"{entry.value}: GENERATOR: expected a Generator, found a {type(generator).__name__}")
    return entry.name, generator


def generate(domain: str, seed: int = 1, *, name: str | None = None, **given: int | str) -> Generated:
    """A problem of a shipped domain: ``generate("blocksworld", 3, blocks=5)``.

    The domain is named by its folder; a problem's default name is the domain's with the seed.

    Raises:
        InputError: no such generator, an unknown parameter, or an impossible value.
    """
    return generator_of(domain).generate(seed, given, name)


def generator_of(domain: str) -> Generator:
    """The generator of a domain; raises `InputError` with a suggestion if none exists."""
    known = generators()
    if domain not in known:
        hint = did_you_mean(domain, known, f"; there are {', '.join(known)}")
        raise InputError(f"there is no generator of '{domain}'{hint}")
    return known[domain]


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

"""The classes of objects in ALFRED and what can be done with them (``alfred.toml``)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

DATA: Mapping[str, Any] = tomllib.loads((resources.files(__package__) / "alfred.toml").read_text(encoding="utf-8"))
"""The lists of the file: classes, rooms, treatments and sentences."""

ALL_CLASSES, MOVABLES, FIXTURES, KNIVES, LAMPS, SLICEABLE, OPENABLE = (
    tuple(DATA[name].split())
    for name in ("classes", "movables", "fixtures", "knives", "lamps", "sliceable", "openable")
)
AFFORDANCES = {predicate: frozenset(names.split()) for predicate, names in DATA["affordances"].items()}
SKILLS = {predicate: frozenset(names.split()) for predicate, names in DATA["skills"].items()} | {
    "loose": frozenset(ALL_CLASSES).difference(FIXTURES, LAMPS, ("Faucet",))
}

_TYPES: Mapping[str, str] = {"Knife": "carvingknife", "Lamp": "tablelamp"}


def type_of(name: str) -> str:
    """The domain's type of a class; types of other names are supertypes."""
    return _TYPES.get(name, name.lower())


def sliced_class(name: str) -> str:
    """The class of the slices of a class in `SLICEABLE`."""
    return f"{name}Sliced"

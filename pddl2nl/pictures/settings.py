"""``picture.json`` beside a domain: which icons and colours its objects have, what is drawn inside what, and where.

The file is declarative; all of it is optional::

    {"format": 1, "domain": "logistics",
     "kinds": {"truck": {"icon": "truck", "colour": "blue"},
               "package": {"icon": "box", "nest": ["at ?self ?in", "in ?self ?in"]},
               "instrument": {"part_of": "on_board"},
               "colour": {"show": "value"}},
     "coordinates": {"kitchen": [0, 0], "hall": [1, 0]},
     "told": ["distance"]}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.files import read_text
from pddl2nl.pddl import Domain, supertypes
from pddl2nl.tasks.shipped import authored_domains, shipped_domain, shipped_domains

FILE = "picture.json"

COLOURS = ("blue", "orange", "green", "purple", "rose", "teal", "yellow", "grey", "brown", "sky")
"""The colours that a kind can have, each with a light and a dark form."""


@lru_cache(maxsize=1)
def icons() -> Mapping[str, str]:
    """The icons by name: paths of 16 × 16 units."""
    text = (resources.files("pddl2nl.pictures") / "icons.json").read_text(encoding="utf-8")
    found: dict[str, str] = json.loads(text)
    return found


class _Kind(Struct, frozen=True, forbid_unknown_fields=True):
    """How the objects of a type, or of a static unary predicate in a domain without types, are drawn."""

    icon: str = ""
    colour: str = ""
    nest: tuple[str, ...] = ()
    part_of: str = ""
    show: Literal["", "object", "place", "value"] = ""


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    format: Literal[1]
    domain: str
    kinds: dict[str, _Kind] = {}
    coordinates: dict[str, tuple[float, float]] = {}
    told: tuple[str, ...] = ()


@dataclass(frozen=True)
class PictureSettings:
    """What a ``picture.json`` says; empty without one. Slots are (predicate, child, parent), as in `roles.Slot`."""

    icons: Mapping[str, str] = field(default_factory=dict)
    colours: Mapping[str, str] = field(default_factory=dict)
    nest: Mapping[str, tuple[tuple[str, int, int], ...]] = field(default_factory=dict)
    part_of: Mapping[str, str] = field(default_factory=dict)
    values: frozenset[str] = frozenset()
    draw: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()
    coordinates: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    told: frozenset[str] = frozenset()
    """Predicates and functions whose facts are told below the picture."""


def load_picture_settings(path: str | Path, domain: Domain) -> PictureSettings:
    """Reads a ``picture.json``.

    Raises:
        InputError: the file cannot be read, has an unknown field or icon, or names a predicate that the domain lacks.
    """
    try:
        read = msgspec.json.decode(read_text(path, "picture.json").encode("utf-8"), type=_File)
    except msgspec.DecodeError as error:
        raise InputError(f"{path}: {error}") from None
    if read.domain != domain.name:
        raise InputError(f"{path}: made for the domain '{read.domain}', but the domain is '{domain.name}'")
    arities = {item.name: len(item.parameters) for item in domain.predicates}
    hierarchy = supertypes(domain)
    for kind, item in read.kinds.items():
        _one_of(kind, (*hierarchy, *(name for name, count in arities.items() if count == 1)), f"{path}: kinds")
        where = f"{path}: kinds: {kind}"
        _one_of(item.icon, icons(), f"{where}: icon")
        _one_of(item.colour, COLOURS, f"{where}: colour")
        _one_of(item.part_of, arities, f"{where}: part_of")
    for name in read.told:
        _one_of(name, arities | {item.name: 0 for item in domain.functions}, f"{path}: told")
    # What is said of a type holds for its subtypes, unless these have lines of their own.
    general = sorted(read.kinds, key=lambda kind: len(hierarchy.get(kind, ())))
    below = {kind: sorted(hierarchy.below((kind,))) if kind in hierarchy else [kind] for kind in general}
    kinds = {each: read.kinds[kind] for kind in general for each in [*below[kind], kind]}.items()
    return PictureSettings(
        icons={kind: item.icon for kind, item in kinds if item.icon},
        colours={kind: item.colour for kind, item in kinds if item.colour},
        nest={
            kind: tuple(_slot(text, arities, f"{path}: kinds: {kind}: nest") for text in item.nest)
            for kind, item in kinds
            if item.nest
        },
        part_of={kind: item.part_of for kind, item in kinds if item.part_of},
        values=frozenset(kind for kind, item in kinds if item.show == "value"),
        draw=frozenset(kind for kind, item in kinds if item.show in ("object", "place")),
        places=frozenset(kind for kind, item in kinds if item.show == "place"),
        coordinates=read.coordinates,
        told=frozenset(read.told),
    )


def settings_of(domain: Domain) -> PictureSettings:
    """What the ``picture.json`` beside a domain's file says, or that of the shipped domain of this name; or nothing.

    Raises:
        InputError: the file beside the domain has an error.
    """
    file = Path("") if domain.source is None else Path(domain.source.name)
    if file.is_file() and (beside := file.parent / FILE).is_file():
        return load_picture_settings(beside, domain)
    path = _shipped().get(domain.name)
    try:
        return PictureSettings() if path is None else load_picture_settings(path, domain)
    except InputError:  # another domain of the same name
        return PictureSettings()


@lru_cache(maxsize=1)
def _shipped() -> Mapping[str, Path]:
    """The shipped files by the name of their domain in PDDL."""
    folders = (shipped_domain(name).domain_path.parent for name in (*shipped_domains(), *authored_domains()))
    found = (folder / FILE for folder in folders if (folder / FILE).is_file())
    return {msgspec.json.decode(path.read_bytes(), type=_File).domain: path for path in found}


def _one_of(name: str, known: Mapping[str, object] | tuple[str, ...], where: str) -> None:
    if name and name not in known:
        raise InputError(f"{where}: found '{name}', expected one of {', '.join(known)}{did_you_mean(name, known)}")


def _slot(text: str, arities: Mapping[str, int], where: str) -> tuple[str, int, int]:
    """``at ?self ?in`` as (at, 1, 2); ``ontable ?self`` as (ontable, 1, 0)."""
    predicate, *terms = text.split()
    _one_of(predicate, arities, where)
    if terms.count("?self") != 1 or terms.count("?in") > 1 or len(terms) != arities[predicate]:
        expected = f"{arities[predicate]} arguments of '{predicate}', one of them ?self, at most one ?in, others ?any"
        raise InputError(f"{where}: found '{text}', expected {expected}")
    return predicate, terms.index("?self") + 1, terms.index("?in") + 1 if "?in" in terms else 0

"""A wording's own names of objects: one by one, or by a pattern over the numbers in PDDL names.

A wording's ``objects`` maps an object's PDDL name to what it is called (``"a": "red"``), or, where the value
holds ``{}``, the letters before an object's numbers to a pattern (``"l": "location_{}_{}"`` calls ``l0-1``
``location_0_1``; ``"l_"`` is for ``l_0`` alone). Told names have no blanks, so that their ends can be found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

HOLE = "{}"
_NUMBERED = re.compile(r"(\D+?)[-_]?(\d+(?:[-_]\d+)*)")
_TOLD = re.compile(r"[\w-]+")


def own_name(objects: Mapping[str, str], name: str) -> str | None:
    """The wording's name of an object, by its PDDL name; None if it has none."""
    told = objects.get(name)
    if told is not None and HOLE not in told:
        return told
    match = _NUMBERED.fullmatch(name)
    if match is None:
        return None
    # A key may hold the mark before the numbers, so that crate_1 and crate1 may have patterns of their own.
    pattern = objects.get(name[: match.start(2)], objects.get(match[1]))
    if pattern is None:
        return None
    numbers = re.findall(r"\d+", match[2])
    return pattern.format(*numbers) if 0 < pattern.count(HOLE) == len(numbers) else None


def own_names(objects: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """The wording's names for those of the objects that it names."""
    if not objects:
        return {}
    found = ((name, own_name(objects, name)) for name in names)
    return {name: told for name, told in found if told is not None}


def own_names_faults(objects: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """All faults of a wording's names of objects, with their keys."""
    said: dict[str, str] = {}
    for key, told in objects.items():
        rest = told.replace(HOLE, "0")
        if not key or re.search(r"[\s(){}]", key):
            yield key, "is no PDDL name"
        if "{" in rest or "}" in rest:
            yield key, "holds a brace that is not {}, the place of a number"
        elif not _TOLD.fullmatch(rest):
            yield key, f"'{told}' must be a name of letters, digits, hyphens and underscores, without blanks"
        elif re.search(r"\d\{\}|\{\}\d|\{\}\{\}", told):
            yield key, f"'{told}' has a number that touches another, so their ends cannot be seen"
        folded = told.casefold().replace("-", "_")
        if folded in said:
            yield key, f"is called '{told}', as is '{said[folded]}'"
        said[folded] = key

"""The headings of an experiment's columns: no two alike where they would stand in one table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import PurePath

from pddl2nl.experiments.spec_columns import TITLES, SpecColumn
from pddl2nl.experiments.spec_parts import SpecDomain
from pddl2nl.experiments.toml_places import TOMLText

__all__ = ["headed"]


def headed(columns: Sequence[SpecColumn], domains: Sequence[SpecDomain], file: TOMLText) -> tuple[SpecColumn, ...]:
    """The columns with names that tell them apart: completed by what differs, where several are called alike.

    Columns for different domains may share a name, and are one column of a table. Where two come to the same, one of
    them is left. Two entries that the file itself calls alike are noted as an error.
    """
    reach = [frozenset(one.label for one in domains if column.fits(one)) for column in columns]
    alike: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, column in enumerate(columns):
        alike[f"{column.group} {column.name}".strip(), column.variant].append(number)
    found: dict[int, SpecColumn] = dict(enumerate(columns))
    for numbers in alike.values():
        meeting = [pair for pair in combinations(numbers, 2) if reach[pair[0]] & reach[pair[1]]]
        clash = next(((a, b) for a, b in meeting if _both_named(columns[a], columns[b])), None)
        if clash is not None:
            _say_clash(columns[clash[1]], file)
        elif meeting:
            for number, name in _completed({number: columns[number] for number in numbers}).items():
                found[number] = replace(columns[number], name=name)
    kept: list[SpecColumn] = []
    for number, column in found.items():
        same = [one for one in kept if one.label == column.label and one.group == column.group]
        if not any(replace(one, entry=None) == replace(column, entry=None) for one in same):
            kept.append(column)
        elif column.entry is not None and not any(one.entry == column.entry for one in same):
            _say_clash(columns[number], file)
    return tuple(kept)


def _both_named(one: SpecColumn, other: SpecColumn) -> bool:
    return one.named and other.named and one.entry != other.entry


def _say_clash(column: SpecColumn, file: TOMLText) -> None:
    file.wrong(
        f"two columns are called '{column.label}', and would be one: give this one another name, group or variant, "
        "or other domains",
        *column.where,
    )


def _completed(columns: Mapping[int, SpecColumn]) -> dict[int, str]:
    """The names with those of their attributes that are not the same in all; these are as short as tells them apart."""
    names = _with_attributes(columns, _short)
    pairs = combinations(columns, 2)
    if any(names[a] == names[b] and columns[a].repetitions != columns[b].repetitions for a, b in pairs):
        names = _with_attributes(columns, str)
    return names


def _with_attributes(columns: Mapping[int, SpecColumn], shown: Callable[[str], str]) -> dict[int, str]:
    said = {number: _attributes(column, shown) for number, column in columns.items()}
    keys = dict.fromkeys(key for attributes in said.values() for key in attributes)
    # That PDDL has no wording tells nothing apart that its style does not.
    values = {key: {attributes.get(key, "") for attributes in said.values()} for key in keys}
    differing = [key for key in keys if len(values[key] - ({""} if key == "wording" else set())) > 1]
    return {
        number: " ".join([columns[number].name, *(attributes[key] for key in differing if attributes.get(key))])
        for number, attributes in said.items()
    }


def _short(name: str) -> str:
    """A model without the folder that it stands in, a wording by its file's name alone."""
    return PurePath(name).stem if name.endswith((".json", ".yaml", ".yml")) else name.rpartition("/")[2]


def _attributes(column: SpecColumn, shown: Callable[[str], str]) -> dict[str, str]:
    """What may tell a column apart."""
    return {
        "policy": TITLES.get(column.policy, column.policy),
        "model": "+".join(map(shown, column.models)),
        "style": column.style,
        "wording": "+".join(map(shown, column.wordings)),
        **{f"option {key}": f"{key}={value}" for key, value in sorted(column.options.items())},
        "seeds": f"seeds {','.join(str(each.seed) for each in column.repetitions)}",
    }

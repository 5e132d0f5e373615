"""The columns of an experiment's file: what is compared, each with its runs on a task.

::

    [[columns]]
    name = "Act"
    group = "NL"
    policy = "act"
    wording = "llm"
    zip = { seed = [1, 2, 3], names_seed = [7, 8, 9] }

A list in place of a value multiplies: one column for each member. The lists in ``zip`` vary together: with seeds among
them they are the runs of one column; without, one column each, so that ``zip`` may hold ``name``. ``policies``,
``models``, ``styles`` and ``wordings`` at the top of the file are one such entry without a name.
"""

from __future__ import annotations

import os.path
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations, product
from pathlib import Path, PurePath
from typing import Any

from pddl2nl.experiments.domains import FILTERS, SpecDomain, among, memory_mb, whole_seconds
from pddl2nl.experiments.layout import Kind as ColumnKind
from pddl2nl.experiments.spec import RUN_OPTIONS, Option
from pddl2nl.experiments.toml_file import Kind, TOMLText, choice, list_of, one_or_many, real, text, truth, whole
from pddl2nl.policies import POLICIES, Policy
from pddl2nl.policies.families import FAMILIES

__all__ = [
    "COLUMN",
    "ColumnEntries",
    "Defaults",
    "NO_MODEL",
    "OPTIONS",
    "PLANNER_OPTIONS",
    "ROLES",
    "References",
    "Repetition",
    "SYMBOLIC",
    "SpecColumn",
    "TITLES",
    "headed",
    "policy_of",
    "zipped",
]


def _kind(option: Option) -> Kind:
    """What a file may give for an option."""
    if option.choices:
        return choice(option.choices)
    if option.time:
        return FILTERS["within"]
    if option.kind is int:
        return whole(int(option.at_least or 0))
    return real(option.at_least or 0) if option.kind is float else text


OPTIONS: dict[str, Kind] = {name: _kind(option) for name, option in RUN_OPTIONS.items() if option.in_file}
"""Fields of `RunSpec` that a file may give."""
PLANNER_OPTIONS: dict[str, Kind] = {"planner_seconds": FILTERS["within"], "planner_memory": FILTERS["memory"]}
"""The limits of baselines."""
ROLES = tuple(name for name, option in RUN_OPTIONS.items() if option.model and option.in_file)
"""The options that name models."""
_FILES = ("example", "example_plan", "ontology")


class References:
    """The files and models that a specification names; paths are relative to it.

    Attributes:
        named: for each model the key that named it first, and its name there.
    """

    def __init__(self, file: TOMLText):
        self._file = file
        self.named: dict[str, tuple[tuple[str, ...], str]] = {}

    def path(self, name: str) -> Path:
        """A path relative to the file."""
        return self._file.path.parent / Path(name).expanduser()

    def file_at(self, name: str | None, *keys: str) -> Path | None:
        """A file that must be there."""
        if name is None:
            return None
        path = self.path(name)
        if not path.is_file():
            self._file.wrong(f"'{'.'.join(keys)}' is {name!r}, and there is no file {path}", *keys)
        return path

    def model(self, name: str, *keys: str) -> str:
        """The model; the path in ``script:FILE`` and ``replay:DIR`` is relative to the file as well."""
        kind, colon, argument = name.partition(":")
        model = f"{kind}:{self.path(argument)}" if colon and argument and kind in ("script", "replay") else name
        self.named.setdefault(model, (keys, name))
        return model

    def options(self, said: Mapping[str, Any], *keys: str) -> dict[str, Any]:
        """Options with their paths and models found."""
        found = dict(said)
        for role in ROLES:
            if role in said:
                found[role] = self.model(said[role], *keys, role)
        for key in _FILES:
            if said.get(key, "none") != "none":
                found[key] = self.file_at(said[key], *keys, key)
        if "library" in said:
            found["library"] = self.path(said["library"])
        if "faults" in said and os.path.isfile(path := self.path(said["faults"])):
            # Otherwise the text itself describes the faults.
            found["faults"] = str(path)
        for key in ("planner_seconds", *(name for name, option in RUN_OPTIONS.items() if option.time)):
            if key in said:
                found[key] = whole_seconds(said[key])
        if "planner_memory" in said:
            found["planner_memory"] = memory_mb(said["planner_memory"])
        return found


NO_MODEL = "none"
"""The model of policies that ask none."""
SYMBOLIC = "Symb."
"""The default group of columns that ask no model."""
TITLES = {
    "basic": "Basic",
    "cot": "CoT",
    "act": "Act",
    "react": "ReAct",
    "random": "rnd",
    **{policy: title for family in FAMILIES.values() for policy, title in family.titles.items()},
    "brfs": "BrFS",
    "lmcut": "lmc",
    "ff": "FF",
    "lama": "LAMA",
}
"""The names of columns without a name in the file."""
_STYLES = ("nl", "pddl")
_table = Kind("a table", lambda value: isinstance(value, dict))
COLUMN: dict[str, Kind] = {
    "name": text,
    "group": Kind("a text, which may be empty", lambda value: isinstance(value, str)),
    "policy": one_or_many(choice(POLICIES)),
    "model": one_or_many(text),
    "style": one_or_many(choice(_STYLES)),
    "wording": one_or_many(text),
    "options": _table,
    "seeds": list_of(whole(0)),
    "domains": one_or_many(text),
    "sections": one_or_many(text),
    "variant": text,
    "zip": _table,
    "optional": truth,
}
"""The keys of an entry."""
_ZIP: dict[str, Kind] = {
    "seed": whole(0),
    "name": text,
    "policy": choice(POLICIES),
    "model": text,
    "style": choice(_STYLES),
    "wording": text,
    **OPTIONS,
}
_TELL_APART = ("name", "policy", "style")


@lru_cache(maxsize=64)
def policy_of(name: str) -> Policy:
    """A policy of that name, for its attributes only."""
    return POLICIES[name]()


@dataclass(frozen=True)
class Repetition:
    """One run of a column on each of its tasks: its seed, model, wording and options."""

    seed: int
    model: str
    wording: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SpecColumn:
    """A column of an experiment, of a policy.

    Attributes:
        name: its heading, unique in its group except for other variants or other domains.
        group: the heading above it; may be empty.
        policy: of `POLICIES`.
        style: ``nl`` or ``pddl``.
        repetitions: its runs on a task.
        variant: puts its runs in an extra row of this name below each domain's own.
        domains: labels or patterns of its domains; empty for all. ``sections`` likewise.
        entry: its index in ``columns``; None if the file multiplies policies, models, styles and wordings.
        named: whether the file gives its name.
    """

    name: str
    group: str
    policy: str
    style: str
    repetitions: tuple[Repetition, ...]
    variant: str = ""
    domains: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    entry: int | None = None
    named: bool = False

    @property
    def kind(self) -> ColumnKind:
        """Who chooses the actions."""
        return "model" if policy_of(self.policy).needs_model else "walk"

    @property
    def heading(self) -> str:
        """Group and name, as `LayoutColumn.label`."""
        return f"{self.group} {self.name}".strip()

    @property
    def label(self) -> str:
        """The column on one line, with its variant."""
        return " ".join(part for part in (self.group, self.name, self.variant) if part)

    @property
    def models(self) -> tuple[str, ...]:
        """The models that it asks, each once."""
        return tuple(dict.fromkeys(each.model for each in self.repetitions if each.model != NO_MODEL))

    @property
    def wordings(self) -> tuple[str, ...]:
        """The labels of its wordings, each once; none in style ``pddl``."""
        if self.style == "pddl":
            return ()
        return tuple(dict.fromkeys(each.wording for each in self.repetitions))

    @property
    def options(self) -> dict[str, Any]:
        """The options that all of its runs have in common."""
        first = self.repetitions[0].options if self.repetitions else {}
        return {
            key: value
            for key, value in first.items()
            if all(each.options.get(key) == value for each in self.repetitions)
        }

    @property
    def where(self) -> tuple[str, ...]:
        """The key of its entry in the file."""
        return () if self.entry is None else ("columns", str(self.entry))

    def fits(self, domain: SpecDomain) -> bool:
        """Whether it is for this domain."""
        names = (domain.label, domain.row or domain.label)
        if self.sections and not among((domain.part,), self.sections):
            return False
        return not self.domains or among(names, self.domains)


@dataclass(frozen=True)
class Defaults:
    """The defaults of columns; ``zip`` holds the rows of the ``zip`` at the top of the file."""

    models: tuple[str, ...]
    wordings: tuple[str, ...]
    seeds: tuple[int, ...]
    walk_seeds: tuple[int, ...]
    zip: tuple[Mapping[str, Any], ...] = ()


class ColumnEntries:
    """Expands entries into columns.

    Args:
        file: the file, in which errors are noted.
        references: finds files and models.
        defaults: for values that an entry does not give.
        left_out: gets a sentence for each impossible combination.
    """

    def __init__(self, file: TOMLText, references: References, defaults: Defaults, left_out: list[str]):
        self._file = file
        self._references = references
        self._defaults = defaults
        self._left_out = left_out

    def read(self, number: int) -> Iterator[SpecColumn]:
        """The columns of one ``[[columns]]``."""
        keys = ("columns", str(number))
        said = self._file.table(COLUMN, *keys)
        options: dict[str, Any] = {}
        if "options" in said:
            options = self._references.options(self._file.table(OPTIONS, *keys, "options"), *keys, "options")
        rows = zipped(self._file, self._references, *keys, "zip") if "zip" in said else ()
        for key in rows[0] if rows else ():
            if key in said or (key == "seed" and "seeds" in said):
                self._file.wrong(f"'{key}' stands in 'zip' and beside it; leave one of them out", *keys, "zip", key)
        if "model" in said:
            said["model"] = [self._references.model(name, *keys, "model") for name in _many(said["model"])]
        if "policy" not in said and not (rows and "policy" in rows[0]):
            if self._file.sound:
                self._file.wrong(f"'policy' is missing: policy = one of {', '.join(POLICIES)}", *keys)
            return
        yield from self.columns(said, options, rows, number)

    def columns(
        self,
        said: Mapping[str, Any],
        options: Mapping[str, Any],
        rows: Sequence[Mapping[str, Any]],
        number: int | None = None,
    ) -> Iterator[SpecColumn]:
        """The columns of an entry whose values are right."""
        if not rows:
            # An entry's own values replace those of the zip at the top.
            own = {*said, *options, *(("seed",) if "seeds" in said else ())}
            rows = [{key: value for key, value in row.items() if key not in own} for row in self._defaults.zip]
            rows = [row for row in rows if row]
        seeded = bool(rows) and "seed" in rows[0]
        for row in [{}] if seeded or not rows else rows:
            for policy in _many(row.get("policy", said.get("policy", ()))):
                yield from self._of_policy(policy, said, options, row, rows if seeded else (), number)

    def _of_policy(
        self,
        policy: str,
        said: Mapping[str, Any],
        options: Mapping[str, Any],
        row: Mapping[str, Any],
        repeated: Sequence[Mapping[str, Any]],
        number: int | None,
    ) -> Iterator[SpecColumn]:
        made = policy_of(policy)
        asks = made.needs_model
        keys = () if number is None else ("columns", str(number))
        given = {**said, **row}
        models = _many(given.get("model", self._defaults.models)) if asks else (NO_MODEL,)
        if not models and not (repeated and "model" in repeated[0]):
            self._no_model(policy, keys)
            return
        styles = _many(given.get("style", "nl")) if asks else ("nl",)
        wordings = _many(given.get("wording", self._defaults.wordings)) if asks else ("default",)
        seeds = said.get("seeds") or (self._defaults.seeds if asks else self._defaults.walk_seeds)
        own = {**options, **{key: value for key, value in row.items() if key in OPTIONS}}
        for model, style in product(models or ("",), styles):
            if style not in made.styles:
                reason = f"policy {policy} in style {style}: it answers in words"
                if reason not in self._left_out:
                    self._left_out.append(reason)
                continue
            for wording in ("default",) if style == "pddl" else wordings:
                yield SpecColumn(
                    name=given.get("name", TITLES.get(policy, policy)),
                    group=said.get("group", "" if asks else SYMBOLIC),
                    policy=policy,
                    style=style,
                    repetitions=_repetitions(repeated, seeds, model, wording, own, worded=asks and style == "nl"),
                    variant=said.get("variant", ""),
                    domains=_many(said.get("domains", ())),
                    sections=_many(said.get("sections", ())),
                    entry=number,
                    named="name" in given,
                )

    def _no_model(self, policy: str, keys: tuple[str, ...]) -> None:
        if "models" not in self._file.data:
            place = (*keys, "policy") if keys else ("policies",)
            said = f"policy '{policy}' asks a model, and 'models' is missing: models = [\"oracle\"] needs no key"
            self._file.wrong(said, *place, value=policy)


def _repetitions(
    rows: Sequence[Mapping[str, Any]],
    seeds: Sequence[int],
    model: str,
    wording: str,
    options: Mapping[str, Any],
    *,
    worded: bool,
) -> tuple[Repetition, ...]:
    if not rows:
        return tuple(Repetition(seed, model, wording, options) for seed in seeds)
    return tuple(
        Repetition(
            row["seed"],
            model if model == NO_MODEL else row.get("model", model),
            row.get("wording", wording) if worded else wording,
            {**options, **{key: value for key, value in row.items() if key in OPTIONS}},
        )
        for row in rows
    )


def zipped(file: TOMLText, references: References, *keys: str) -> tuple[Mapping[str, Any], ...]:
    """The rows of a ``zip``, one for each combination; errors are noted."""
    said = file.table({key: list_of(kind) for key, kind in _ZIP.items()}, *keys)
    lengths = {key: len(values) for key, values in said.items()}
    if len({*lengths.values()}) > 1:
        told = ", ".join(f"{key} has {length}" for key, length in lengths.items())
        file.wrong(f"what varies together is of one length: {told}", *keys)
        return ()
    if "seed" in said and (named := [key for key in _TELL_APART if key in said]):
        file.wrong(f"'{named[0]}' tells columns apart, and a zip with seeds is one column", *keys, named[0])
        return ()
    if "model" in said:
        said["model"] = [references.model(name, *keys, "model") for name in said["model"]]
    rows = [dict(zip(said, values, strict=True)) for values in zip(*said.values(), strict=True)]
    return tuple({**row, **references.options({k: v for k, v in row.items() if k in OPTIONS}, *keys)} for row in rows)


def _many(value: Any) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(value)) if isinstance(value, list | tuple) else (value,)


def headed(columns: Sequence[SpecColumn], domains: Sequence[SpecDomain], file: TOMLText) -> tuple[SpecColumn, ...]:
    """The columns with unique names: attributes that differ are added to equal names.

    Columns for different domains may share a name; they form one column of a table. Of equal columns one is kept. Two
    entries with the same name in the file are an error.
    """
    reach = [frozenset(one.label for one in domains if column.fits(one)) for column in columns]
    alike: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, column in enumerate(columns):
        alike[column.heading, column.variant].append(number)
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
    """The names with the attributes that differ, shortened as far as they stay unique."""
    names = _with_attributes(columns, _short)
    pairs = combinations(columns, 2)
    if any(names[a] == names[b] and columns[a].repetitions != columns[b].repetitions for a, b in pairs):
        names = _with_attributes(columns, str)
    return names


def _with_attributes(columns: Mapping[int, SpecColumn], shown: Callable[[str], str]) -> dict[int, str]:
    said = {number: _attributes(column, shown) for number, column in columns.items()}
    keys = dict.fromkeys(key for attributes in said.values() for key in attributes)
    # The missing wording of PDDL adds nothing to its style.
    values = {key: {attributes.get(key, "") for attributes in said.values()} for key in keys}
    differing = [key for key in keys if len(values[key] - ({""} if key == "wording" else set())) > 1]
    return {
        number: " ".join([columns[number].name, *(attributes[key] for key in differing if attributes.get(key))])
        for number, attributes in said.items()
    }


def _short(name: str) -> str:
    """A model without its folder, a wording file without folder and ending."""
    return PurePath(name).stem if name.endswith((".json", ".yaml", ".yml")) else name.rpartition("/")[2]


def _attributes(column: SpecColumn, shown: Callable[[str], str]) -> dict[str, str]:
    """The attributes of a column."""
    return {
        "policy": TITLES.get(column.policy, column.policy),
        "model": "+".join(map(shown, column.models)),
        "style": column.style,
        "wording": "+".join(map(shown, column.wordings)),
        **{f"option {key}": f"{key}={value}" for key, value in sorted(column.options.items())},
        "seeds": f"seeds {','.join(str(each.seed) for each in column.repetitions)}",
    }

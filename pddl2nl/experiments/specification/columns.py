"""The columns of an experiment: what is compared, each with its runs on a task.

A list in place of a value multiplies: one column for each member. The lists in ``zip`` vary together: with seeds among
them they are the runs of one column; without, one column each, so that ``zip`` may hold ``name``. ``policies``,
``models``, ``styles`` and ``wordings`` at the top of the file are one such entry without a name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations, product
from pathlib import PurePath
from typing import Any

from pddl2nl.conversion import Key, dotted
from pddl2nl.errors import InputError
from pddl2nl.experiments.layout import ColumnKind
from pddl2nl.experiments.specification.domains import SpecDomain, matches
from pddl2nl.experiments.specification.file import SpecFile
from pddl2nl.experiments.specification.schema import OPTIONS, ZIP, Column, given, many
from pddl2nl.policies import POLICIES, Policy, make_policy
from pddl2nl.policies.families import FAMILIES, asking_policy
from pddl2nl.policies.spec import RUN_OPTIONS

ROLES = tuple(name for name, option in RUN_OPTIONS.items() if option.model and option.in_file)
"""The options that name models."""
NO_MODEL = "none"
"""The model of policies that ask none."""
SYMBOLIC = "Symb."
"""The default group of columns that ask no model."""
TITLES = {
    "basic": "Basic",
    "cot": "CoT",
    "act": "Act",
    "react": "ReAct",
    "score": "Score",
    "random": "rnd",
    **{policy: title for family in FAMILIES.values() for policy, title in family.titles.items()},
    "brfs": "BrFS",
    "lmcut": "lmc",
    "ff": "FF",
    "lama": "LAMA",
}
"""The names of columns without a name in the file."""


def title_of(policy: str) -> str:
    """The name of a column of a policy."""
    asking = asking_policy(policy)
    if policy in TITLES or asking == policy:
        return TITLES.get(policy, policy.rpartition(":")[2])
    return f"repair of {title_of(asking)}"


@lru_cache(maxsize=64)
def policy_of(name: str) -> Policy:
    """A policy of that name, for its attributes only."""
    return make_policy(name)


@dataclass(frozen=True)
class Repetition:
    """One run of a column on each of its tasks."""

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
        policy: of `POLICIES`, or ``module:Class``.
        style: ``nl`` or ``pddl``.
        repetitions: its runs on a task.
        variant: puts its runs in an extra row of this name below each domain's own.
        domains: names or patterns of its domains; empty for all. ``sections`` likewise.
        entry: its index in ``columns``; None if the file multiplies policies, models, styles and wordings.
        named: whether the file gives its name.
        optional: whether it is left out if a wording's file is missing.
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
    optional: bool = False

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
        return f"{self.heading} {self.variant}".strip()

    @property
    def models(self) -> tuple[str, ...]:
        """The models that it asks, each once."""
        return tuple(dict.fromkeys(each.model for each in self.repetitions if each.model != NO_MODEL))

    @property
    def wordings(self) -> tuple[str, ...]:
        """The labels of its wordings, each once; none in style ``pddl``."""
        return () if self.style == "pddl" else tuple(dict.fromkeys(each.wording for each in self.repetitions))

    @property
    def options(self) -> dict[str, Any]:
        """The options that all of its runs have in common."""
        common = dict(self.repetitions[0].options) if self.repetitions else {}
        for each in self.repetitions:
            common = {key: value for key, value in common.items() if each.options.get(key) == value}
        return common

    @property
    def where(self) -> tuple[Key, ...]:
        """The key of its entry in the file."""
        return () if self.entry is None else ("columns", self.entry)

    def fits(self, domain: SpecDomain) -> bool:
        """Whether it is for this domain."""
        return (not self.sections or matches([domain.part], self.sections)) and (
            not self.domains or matches([domain.label, domain.row], self.domains)
        )


@dataclass(frozen=True)
class Defaults:
    """The values of columns whose entries do not give them."""

    models: tuple[str, ...]
    wordings: tuple[str, ...]
    seeds: tuple[int, ...]
    walk_seeds: tuple[int, ...]


def columns_of(
    file: SpecFile, entry: Column, number: int | None, defaults: Defaults, left_out: list[str]
) -> Iterator[SpecColumn]:
    """The columns of an entry, or of the lists at the top of the file if it has no number.

    Args:
        file: the specification.
        entry: what multiplies.
        number: its index in ``columns``.
        defaults: for values that the entry does not give.
        left_out: gets a sentence for each impossible combination.

    Raises:
        InputError: values contradict each other; the message has their place.
    """
    where: tuple[Key, ...] = () if number is None else ("columns", number)
    options = file.options(given(file.convert(entry.options, OPTIONS, *where, "options")), *where, "options")
    own_models = tuple(map(file.model, many(entry.model)))
    rows = _zipped(file, entry, where)
    seeded = bool(rows) and "seed" in rows[0]
    for row in [{}] if seeded or not rows else rows:
        policies = many(row.get("policy", entry.policy))
        shared = {**options, **_options(row)}
        if not policies:
            raise file.error(f"policy is missing: policy = one of {', '.join(POLICIES)}", *where)
        for policy in policies:
            mechanism = _mechanism(file, policy, where)
            asks = mechanism.needs_model
            models = (row["model"],) if "model" in row else own_models or defaults.models
            if asks and not models and not (seeded and "model" in rows[0]):
                place = (*where, "policy") if where else ("policies",)
                message = f"policy '{policy}' asks a model, and 'models' is missing: models = [\"oracle\"] needs no key"
                raise file.error(message, *place, value=policy)
            wordings = many(row.get("wording", entry.wording)) or defaults.wordings
            seeds = entry.seeds or (defaults.seeds if asks else defaults.walk_seeds)
            runs: list[dict[str, Any]] = rows if seeded else [{"seed": seed} for seed in seeds]
            styles = many(row.get("style", entry.style)) if asks else ("nl",)
            for model, style in product((models or ("",)) if asks else (NO_MODEL,), styles):
                if style not in mechanism.styles:
                    reason = f"policy {policy} in style {style}: it answers in words"
                    left_out += [] if reason in left_out else [reason]
                    continue
                worded = asks and style == "nl"
                for wording in wordings if worded else ("default",):
                    yield SpecColumn(
                        name=row.get("name", entry.name) or title_of(policy),
                        group=("" if asks else SYMBOLIC) if entry.group is None else entry.group,
                        policy=policy,
                        style=style,
                        repetitions=tuple(_repetition(each, model, wording, shared, asks, worded) for each in runs),
                        variant=entry.variant,
                        domains=many(entry.domains),
                        sections=many(entry.sections),
                        entry=number,
                        named=bool(row.get("name", entry.name)),
                        optional=entry.optional,
                    )


def _repetition(
    run: Mapping[str, Any], model: str, wording: str, options: Mapping[str, Any], asks: bool, worded: bool
) -> Repetition:
    return Repetition(
        run["seed"],
        run.get("model", model) if asks else model,
        run.get("wording", wording) if worded else wording,
        {**options, **_options(run)},
    )


def _mechanism(file: SpecFile, policy: str, where: tuple[Key, ...]) -> Policy:
    keys = (*where, "policy") if where else ("policies",)
    try:
        return policy_of(policy)
    except InputError as error:
        raise file.error(f"{dotted(keys)}: {error}", *keys, value=policy) from error


def _options(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key in OPTIONS.__struct_fields__}


def _zipped(file: SpecFile, entry: Column, where: tuple[Key, ...]) -> list[dict[str, Any]]:
    """The rows of a ``zip``, one for each combination."""
    keys = (*where, "zip")
    lists = given(file.convert(entry.zip, ZIP, *keys))
    if len({*map(len, lists.values())}) > 1:
        lengths = ", ".join(f"{key} has {len(values)}" for key, values in lists.items())
        raise file.error(f"the lists of zip need one length: {lengths}", *keys)
    for key in lists:
        if "seed" in lists and key in ("name", "policy", "style"):
            raise file.error(f"'{key}' tells columns apart, and a zip with seeds is one column", *keys, key)
        if getattr(entry, "seeds" if key == "seed" else key, ()) not in ((), "", "nl"):
            raise file.error(f"'{key}' is given in 'zip' and beside it; leave one of them out", *keys, key)
    rows = [dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True)]
    return [file.options(row, *keys) for row in rows]


# ── unique names ─────────────────────────────────────────────────────────────────────────────────


def distinct(file: SpecFile, columns: Sequence[SpecColumn], domains: Sequence[SpecDomain]) -> list[SpecColumn]:
    """The columns with unique names: attributes that differ are added to equal names.

    Columns for different domains may share a name; they form one column of a table. Of equal columns one is kept.

    Raises:
        InputError: two entries of the file have the same name.
    """
    alike: dict[tuple[str, str], list[SpecColumn]] = defaultdict(list)
    for column in columns:
        alike[column.heading, column.variant].append(column)
    names: dict[int, str] = {}
    for some in alike.values():
        meeting = [(a, b) for a, b in combinations(some, 2) if any(a.fits(one) and b.fits(one) for one in domains)]
        for a, b in meeting:
            if a.entry != b.entry and a.named and b.named:
                raise _clash(file, b)
        if meeting:
            names.update(zip(map(id, some), _completed(some), strict=True))
    kept: list[SpecColumn] = []
    for column in columns:
        named = replace(column, name=names.get(id(column), column.name))
        same = [one for one in kept if replace(one, entry=named.entry) == named]
        if not same:
            kept.append(named)
        elif named.entry is not None and all(one.entry != named.entry for one in same):
            raise _clash(file, named)
    return kept


def _clash(file: SpecFile, column: SpecColumn) -> InputError:
    return file.error(
        f"two columns are called '{column.label}', and would be one: give this one another name, group or variant, "
        "or other domains",
        *column.where,
    )


def _completed(columns: Sequence[SpecColumn]) -> list[str]:
    """The names with the attributes that differ; models and wordings without their folders if that is enough."""
    names: list[str] = []
    for shown in (_short, str):
        attributes = [_attributes(column, shown) for column in columns]
        values = {key: {each.get(key, "") for each in attributes} for each in attributes for key in each}
        # The missing wording of PDDL adds nothing to its style.
        values["wording"] -= {""}
        names = [
            " ".join([column.name, *(each[key] for key in values if len(values[key]) > 1 and each.get(key))])
            for column, each in zip(columns, attributes, strict=True)
        ]
        pairs = combinations(zip(names, columns, strict=True), 2)
        if all(a != b or one.repetitions == other.repetitions for (a, one), (b, other) in pairs):
            break
    return names


def _short(name: str) -> str:
    """A model without its folder, a wording file without folder and ending."""
    return PurePath(name).stem if name.endswith((".json", ".yaml", ".yml")) else name.rpartition("/")[2]


def _attributes(column: SpecColumn, shown: Callable[[str], str]) -> dict[str, str]:
    return {
        "policy": title_of(column.policy),
        "model": "+".join(map(shown, column.models)),
        "style": column.style,
        "wording": "+".join(map(shown, column.wordings)),
        **{f"option {key}": f"{key}={value}" for key, value in sorted(column.options.items())},
        "seeds": f"seeds {','.join(str(each.seed) for each in column.repetitions)}",
    }

"""The columns of an experiment: lists multiplied, defaults filled in, and unique names."""

from __future__ import annotations

import os.path
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import PurePath
from typing import Any

import msgspec
from msgspec.structs import replace

from pddl2nl.baselines import PLANNERS
from pddl2nl.conversion import Key, dotted
from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.experiments.preparing import roles_of
from pddl2nl.experiments.specification.domains import SpecDomain, matches
from pddl2nl.experiments.specification.schema import (
    MULTIPLIED,
    NO_MODEL,
    RUN_KEYS,
    Column,
    FileTables,
    SpecFile,
    many,
    place_of,
)
from pddl2nl.policies import Policy, entry_of, make_policy, policies, system_of
from pddl2nl.policies.policy import options_of
from pddl2nl.policies.spec import NOTHING

SEEDS = (1, 2, 3, 4, 5)
WALK_SEEDS = tuple(range(1, 11))
"""The AutoPlanBench paper's seeds of a whole experiment: for models, and for the random walk."""
SYMBOLIC = "Symb."
"""The default group of columns that ask no model."""
_PLANNER_TITLES = {"brfs": "BrFS", "lmcut": "lmc", "ff": "FF", "lama": "LAMA"}

Numbered = tuple[int | None, Column]
"""A column with the index of its entry in ``columns``; None where the file multiplies policies, models and so on."""


def title_of(policy: str) -> str:
    if policy in _PLANNER_TITLES:
        return _PLANNER_TITLES[policy]
    if ":" in policy and system_of(policy) is not None:
        name, _, other = policy.partition(":")
        return f"{title_of(name)} of {title_of(other)}"
    return entry_of(policy).title


def policy_of(column: Column, shared: Mapping[str, Any] = NOTHING) -> Policy:
    """The policy of a column with its options, and those of the experiment that it has; no planner has one.

    Raises:
        InputError: there is no such policy, or it refuses a value.
    """
    had = type(make_policy(column.policy)).__struct_fields__
    return make_policy(column.policy, {key: value for key, value in {**shared, **column.options}.items() if key in had})


def fits(column: Column, domain: SpecDomain) -> bool:
    return (not column.sections or matches([domain.part], many(column.sections))) and (
        not column.domains or matches([domain.label, domain.row], many(column.domains))
    )


def where(number: int | None) -> tuple[Key, ...]:
    """The key of a column's entry in the file."""
    return () if number is None else ("columns", number)


@dataclass(frozen=True)
class Defaults:
    """The values of columns whose entries do not give them."""

    models: tuple[str, ...]
    wordings: tuple[str, ...]
    seeds: tuple[int, ...]
    walk_seeds: tuple[int, ...]


class ColumnReader:
    """Makes the columns of a specification, each with single values; several may have one name.

    Attributes:
        left_out: a sentence for each impossible combination.
        shared: the options of policies in ``[options]``, with the paths of files that they name.

    Raises:
        InputError: a wrong value, or values that contradict each other; the message has their place.
    """

    def __init__(self, file: SpecFile, top: FileTables, defaults: Defaults, shared: Mapping[str, Any]):
        self.left_out: list[str] = []
        self._file, self._top, self._defaults, self.shared = file, top, defaults, shared

    def columns(self) -> list[Numbered]:
        top = self._top
        entries: list[tuple[int | None, Any]] = [*enumerate(top.columns)]
        if top.policies:
            entries = [(None, {"policy": top.policies, "style": top.styles or "nl"})]
        entries += [(None, Column(planner)) for planner in dict.fromkeys(top.baselines)]
        many = [(number, [*self._multiplied(number, entry)]) for number, entry in entries]
        for number, some in many:
            own = {key: value for column in some for key, value in column.options.items() if key not in RUN_KEYS}
            self._check_options(own, some, *where(number), "options")
        every = [column for _, some in many for column in some]
        self._check_options(self.shared, every, "options")
        for column in every:
            self.shared = {key: self._text_path(column.policy, key, value) for key, value in self.shared.items()}
        columns: list[Numbered] = []
        for number, some in many:
            filled = [each for each in (self._filled(number, column) for column in some) if each is not None]
            # Where no model is asked, or nothing is told in words, several values come to one column.
            columns += [(number, column) for index, column in enumerate(filled) if column not in filled[:index]]
        return columns

    def _multiplied(self, number: int | None, entry: Any) -> Iterator[Column]:
        """The columns of an entry, one for each combination of the values in its lists."""
        file, place = self._file, where(number)
        own = {"model": self._defaults.models, "wording": self._defaults.wordings}
        if isinstance(entry, Column):
            entry = msgspec.structs.asdict(entry)
            raw = {key.replace("_for", "-for"): value for key, value in entry.items() if value or value == ""}
            raw = {key: value for key, value in raw.items() if value or key == "group"}
        else:
            raw = file.convert(entry, dict[str, Any], *place)
        if "policy" not in raw:
            known = ", ".join(each.name for each in policies() if not each.preset)
            raise file.error(f"policy is missing: policy = one of {known}", *place)
        raw = {**{key: values for key, values in own.items() if values}, **raw}
        lists = {key: tuple(dict.fromkeys(raw[key])) for key in MULTIPLIED if isinstance(raw.get(key), list | tuple)}
        for key, values in lists.items():
            if not values:
                raise file.error(f"{dotted((*place, key))} is an empty list", *place, key)
        for values in product(*lists.values()):
            yield file.convert({**raw, **dict(zip(lists, values, strict=True))}, Column, *place)

    def _filled(self, number: int | None, column: Column) -> Column | None:
        """The column with its defaults, its models and files found; None for an impossible combination."""
        file, place = self._file, where(number)
        keys = (*place, "policy") if place else ("policies",)
        named = replace(column, name=column.name or title_of(column.policy))
        symbolic = SYMBOLIC if column.group is None else column.group
        silent: dict[str, Any] = {"group": symbolic, "model": NO_MODEL, "style": "nl", "wording": "", "models_for": {}}
        options, own = file.options(column.options, *place, "options")
        if column.policy in PLANNERS:
            return replace(named, **silent, options=options, seeds=(1,))
        options |= {key: self._text_path(column.policy, key, value) for key, value in own.items()}
        policy = policy_of(column, self.shared)
        files = self.files(column.files, [column], *place, "files")
        if not policy.needs_model:
            seeds = column.seeds or self._defaults.walk_seeds
            return replace(named, **silent, options=options, files=files, seeds=seeds)
        if not column.model:
            asks = f"policy '{column.policy}' asks a model, and 'models' is missing"
            raise file.error(f'{asks}: models = ["oracle"] needs no key', *keys, value=column.policy)
        if column.style not in policy.styles:
            reason = f"policy {column.policy} in style {column.style}: it answers in words"
            self.left_out += [] if reason in self.left_out else [reason]
            return None
        return replace(
            named,
            group=column.group or "",
            model=file.model(column.model),
            wording="" if column.style == "pddl" else column.wording,
            options=options,
            models_for=self.models(column.models_for, [column], *place, "models-for"),
            files=files,
            seeds=column.seeds or self._defaults.seeds,
        )

    # ── options, models and files ────────────────────────────────────────────────────────────────

    def _text_path(self, policy: str, option: str, value: Any) -> Any:
        """The value of a policy's option; the path of a file, relative to the specification, where a text names one."""
        known = {} if policy in PLANNERS else options_of(type(make_policy(policy)))
        if option not in known or known[option].kind != "TEXT" or not isinstance(value, str) or "\n" in value:
            return value
        path = self._file.path_of(value)
        return str(path) if value and not os.path.isabs(value) and path.exists() else value

    def _check_options(self, options: Mapping[str, Any], columns: Sequence[Column], *above: Key) -> None:
        """Refuses an option that no column's policy has, unknown policies, and values that a policy refuses."""
        had: dict[str, tuple[str, ...]] = {}
        for policy in dict.fromkeys(column.policy for column in columns if column.policy not in PLANNERS):
            keys = (*above[:-1], "policy") if above[:-1] else ("policies",)
            try:
                had[policy] = type(make_policy(policy)).__struct_fields__
            except InputError as error:
                raise self._file.error(f"{dotted(keys)}: {error}", *keys, value=policy) from error
        for name in options:
            if not any(name in each for each in had.values()):
                known = dict.fromkeys((*RUN_KEYS, *(each for some in had.values() for each in some)))
                hint = did_you_mean(name, known) or f"; there are {', '.join(known)}"
                place = place_of(name, object)
                raise self._file.error(f"unknown key {dotted((*above, name))}; {place or hint[2:]}", *above, name)
        for policy, known_options in had.items():
            for name in known_options:
                if name in options:
                    try:
                        make_policy(policy, {name: options[name]})
                    except InputError as error:
                        raise self._file.error(str(error), *above, name, value=options[name]) from None

    def models(self, models: Mapping[str, str], columns: Sequence[Column], *above: Key) -> dict[str, str]:
        """Models by role, their paths found; refuses roles that no policy has."""
        asking = (column for column in columns if column.policy not in PLANNERS)
        roles = dict.fromkeys(role for column in asking for role in roles_of(policy_of(column, self.shared)))
        for role in models:
            if role not in roles:
                hint = did_you_mean(role, roles, f"; there are {', '.join(roles)}")
                raise self._file.error(
                    f"{dotted((*above, role))}: no policy here asks such a model{hint}", *above, role
                )
        return {role: self._file.model(model) for role, model in models.items()}

    def files(self, files: Mapping[str, str], columns: Sequence[Column], *above: Key) -> dict[str, str]:
        """Files by name, their paths found; refuses files that no policy reads."""
        asking = (column for column in columns if column.policy not in PLANNERS)
        read = dict.fromkeys(name for column in asking for name in policy_of(column, self.shared).files)
        for name in files:
            if name not in read:
                hint = did_you_mean(name, read, f"; they read {', '.join(read) or 'none'}")
                raise self._file.error(f"{dotted((*above, name))}: no policy here reads this file{hint}", *above, name)
        return {name: str(self._file.existing(path, *above, name)) for name, path in files.items()}


# ── unique names ─────────────────────────────────────────────────────────────────────────────────


def distinct(file: SpecFile, columns: Sequence[Numbered], domains: Sequence[SpecDomain]) -> list[Numbered]:
    """The columns with unique names: attributes that differ are added to equal names.

    Columns for different domains may share a name; they form one column of a table.

    Raises:
        InputError: two entries of the file have the same name, or are the same.
    """
    alike: dict[tuple[str, str], list[Numbered]] = defaultdict(list)
    for number, column in columns:
        alike[column.heading, column.variant].append((number, column))
    names: dict[int, str] = {}
    for some in alike.values():
        meeting = [
            (one, other)
            for one, other in combinations(some, 2)
            if any(fits(one[1], domain) and fits(other[1], domain) for domain in domains)
        ]
        for (first, a), (second, b) in meeting:
            if first != second and (a == b or (_is_named(file, first) and _is_named(file, second))):
                raise file.error(
                    f"two columns are called '{b.label}', and would be one: give this one another name, group or "
                    "variant, or other domains",
                    *where(second),
                )
        if meeting:
            names.update(zip((id(column) for _, column in some), _completed([each for _, each in some]), strict=True))
    return [(number, replace(column, name=names.get(id(column), column.name))) for number, column in columns]


def _is_named(file: SpecFile, number: int | None) -> bool:
    if number is None:
        return False
    entry = file.data["columns"][number]
    return bool(entry.name if isinstance(entry, Column) else entry.get("name"))


def _completed(columns: Sequence[Column]) -> list[str]:
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
        if len({*names}) == len(names):
            break
    return names


def _short(name: str) -> str:
    """A model without its folder, a wording file without folder and ending."""
    return PurePath(name).stem if name.endswith((".json", ".yaml", ".yml")) else name.rpartition("/")[2]


def _attributes(column: Column, shown: Callable[[str], str]) -> dict[str, str]:
    return {
        "policy": title_of(column.policy),
        "model": shown(column.model),
        "style": column.style,
        "wording": shown(column.wording),
        **{f"option {key}": f"{key}={value}" for key, value in sorted(column.options.items())},
        "seeds": f"seeds {','.join(map(str, column.seeds))}",
    }

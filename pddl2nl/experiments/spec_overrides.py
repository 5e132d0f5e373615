"""What a command line says in the place of an experiment's file: other models, fewer seeds, fewer tasks.

A model that speaks the wording alone (the oracle), or what a file of replies holds, can take no other role. Where it
comes in the place of one that could, the domain's own wording stands for that of a model, the reader for its
translations, and the template for its thoughts; each is said. Of a domain whose names were obfuscated a model could not
know what its own wording tells, so the template stands for it: the paper found that models' snippets were like it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from glob import escape
from typing import Any

from pddl2nl.experiments.profiles import profile
from pddl2nl.experiments.spec_columns import Repetition, SpecColumn, policy_of
from pddl2nl.experiments.spec_parts import SpecDomain
from pddl2nl.experiments.toml_places import TOMLText, near

__all__ = ["Overrides", "fallen_back", "fewer_seeds", "fewer_tasks"]

_ONE_ROLE = ("oracle", "script")
"""Models that can plan, and nothing else."""
_TEMPLATE = (
    "the template stands for the wording that a model makes of a renamed domain, as the paper's were like templates"
)


@dataclass(frozen=True)
class Overrides:
    """What stands in the place of what a file says; empty for nothing.

    Attributes:
        model: of every column.
        seeds: of every column; of a ``zip`` with seeds, the rows of these.
        instances: names or patterns of tasks; the others are not run. ``domains`` and ``sections`` alike.
        defines: values of variables.
    """

    model: str = ""
    seeds: tuple[int, ...] = ()
    instances: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    defines: Mapping[str, str] = field(default_factory=dict)


def fewer_seeds(columns: Sequence[SpecColumn], seeds: Sequence[int], file: TOMLText) -> tuple[SpecColumn, ...]:
    """The columns with these seeds alone: rows of zips stay together, whatever else has no others."""
    found = []
    for column in columns:
        kept = tuple(each for each in column.repetitions if each.seed in seeds)
        told = {(each.model, each.wording, *map(str, each.options.items())) for each in column.repetitions}
        if len(told) == 1:
            kept = tuple(replace(column.repetitions[0], seed=seed) for seed in seeds)
        if not kept:
            there_are = ", ".join(str(each.seed) for each in column.repetitions)
            file.wrong(f"--seeds: the column '{column.label}' has none of them; it has {there_are}", *column.where)
        found.append(replace(column, repetitions=kept))
    return tuple(found)


# ── roles ────────────────────────────────────────────────────────────────────────────────────────


def fallen_back(
    columns: Sequence[SpecColumn],
    domains: Sequence[SpecDomain],
    overrides: Overrides,
    shared: Mapping[str, Any],
    profile_name: str | None,
    notes: list[str],
) -> tuple[SpecColumn, ...]:
    """The columns with the model of the command line, and without the roles that it cannot take.

    Args:
        columns: as the file has them.
        domains: that they are for; one that is for obfuscated domains and for others becomes two of one name.
        overrides: the model.
        shared: the options of all columns.
        profile_name: of the setting that gives what the file does not.
        notes: gets a sentence for each kind of thing that was changed.
    """
    if not overrides.model:
        return tuple(columns)
    limited = overrides.model.partition(":")[0] in _ONE_ROLE
    changes: dict[str, list[str]] = {}
    found = []
    for column in columns:
        if column.kind == "walk":
            found.append(column)
            continue
        for part, renamed in _by_names(column, domains) if limited else [(column, False)]:
            made = [replace(each, model=overrides.model) for each in part.repetitions]
            if limited:
                said = {**_of_profile(profile_name), **shared}
                made = [_one_role(each, part, said, renamed, changes) for each in made]
            found.append(replace(part, repetitions=tuple(made)))
    asking = {column.label for column in columns if column.kind == "model"}
    for change, labels in changes.items():
        each = [*dict.fromkeys(labels)]
        where = "all columns that ask a model" if len(each) == len(asking) > 1 else ", ".join(each)
        notes.append(f"--model {overrides.model}: {change}: {where}")
    return tuple(found)


def _by_names(column: SpecColumn, domains: Sequence[SpecDomain]) -> list[tuple[SpecColumn, bool]]:
    """The column, in two where it is told by a model's wording and some of its domains are renamed; which part is."""
    fitting = [one for one in domains if column.fits(one)]
    if "llm" not in column.wordings or len({one.renamed for one in fitting}) < 2:
        return [(column, bool(fitting) and fitting[0].renamed)]
    labels = {flag: tuple(escape(one.label) for one in fitting if one.renamed == flag) for flag in (False, True)}
    return [(replace(column, domains=some), flag) for flag, some in labels.items()]


def _one_role(
    each: Repetition,
    column: SpecColumn,
    shared: Mapping[str, Any],
    renamed: bool,
    changes: dict[str, list[str]],
) -> Repetition:
    """The repetition with nothing asked of its model but to plan."""
    said = {**shared, **each.options}
    if column.style == "pddl":
        return each
    options = dict(each.options)
    if each.wording == "llm" and "wording_model" not in said:
        each = replace(each, wording="template" if renamed else "default")
        change = _TEMPLATE if renamed else "the domain's own wording stands for one that a model makes"
        changes.setdefault(change, []).append(column.label)
    if said.get("translator", "reader") != "reader" and "translator_model" not in said:
        options["translator"] = "reader"
        changes.setdefault("the reader stands for translations by a model", []).append(column.label)
    thoughtful = policy_of(column.policy).thoughts and said.get("example") != "none"
    if thoughtful and said.get("thoughts") == "llm" and "thoughts_model" not in said:
        options["thoughts"] = "template"
        changes.setdefault("templates stand for the example's thoughts by a model", []).append(column.label)
    return replace(each, options=options)


def _of_profile(name: str | None) -> dict[str, Any]:
    if name is None:
        return {}
    chosen = profile(name)
    return {**chosen.values, **chosen.language}


# ── tasks ────────────────────────────────────────────────────────────────────────────────────────


def fewer_tasks(domains: Sequence[SpecDomain], overrides: Overrides, file: TOMLText) -> tuple[SpecDomain, ...]:
    """The tasks that the command line names; a name that fits nothing is noted as an error."""
    found = tuple(domains)
    for option, patterns, names in (
        ("--sections", overrides.sections, [one.part for one in found]),
        ("--domains", overrides.domains, [one.row or one.label for one in found]),
        ("--instances", overrides.instances, [task.name for one in found for task in one.tasks]),
    ):
        for pattern in patterns:
            if found and not _fits(pattern, names):
                said = ", ".join(dict.fromkeys(filter(None, names))) if option != "--instances" else ""
                hint = near(pattern, names) or (f"; there are {said}" if said else "")
                file.wrong(f"{option}: nothing here is called '{pattern}'{hint}")
    if overrides.sections:
        found = tuple(one for one in found if any(_fits(each, [one.part]) for each in overrides.sections))
    if overrides.domains:
        found = tuple(one for one in found if any(_fits(each, [one.row or one.label]) for each in overrides.domains))
    if overrides.instances:
        kept = (
            replace(one, tasks=tuple(task for task in one.tasks if _wanted(task.name, overrides.instances)))
            for one in found
        )
        found = tuple(one for one in kept if one.tasks)
    if domains and not found and file.sound:
        file.wrong("no task is left of what the command line names")
    return found


def _wanted(name: str, patterns: Sequence[str]) -> bool:
    return any(_fits(pattern, [name]) for pattern in patterns)


def _fits(pattern: str, names: Sequence[str]) -> bool:
    """Whether one of the names, or its last part, fits, whatever the case."""
    wanted = pattern.lower()
    return any(fnmatchcase(part, wanted) for name in names for part in (name.lower(), name.lower().rpartition("/")[2]))

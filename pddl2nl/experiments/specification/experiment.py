"""The specification of an experiment: a TOML file, read and checked as a whole before anything runs.

`pddl2nl.experiments.specification.schema` declares what a file may say. The command line can replace the model, seeds
and tasks (`Overrides`). A model that can only plan (the oracle, a script) takes no other role: the domain's own wording
stands for one made by a model, the reader for translations, and templates for its thoughts. For renamed domains, whose
own wording would tell what the names hide, it is the template: the paper found models' snippets to be like it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.experiments.conversion import Key
from pddl2nl.experiments.layout import PAPER_TABLES, LayoutTable
from pddl2nl.experiments.profiles import PROFILES, SEEDS, WALK_SEEDS
from pddl2nl.experiments.specification.columns import (
    SYMBOLIC,
    TITLES,
    Defaults,
    Repetition,
    SpecColumn,
    columns_of,
    distinct,
    policy_of,
)
from pddl2nl.experiments.specification.domains import SpecDomain, matches, read_domains
from pddl2nl.experiments.specification.file import SpecFile
from pddl2nl.experiments.specification.schema import (
    EXPERIMENT_OPTIONS,
    FAMILY_TABLES,
    Access,
    Column,
    FileTables,
    given,
)
from pddl2nl.llm import public_url
from pddl2nl.llm.urls import host_of
from pddl2nl.nl import Wording, template_wording
from pddl2nl.policies import POLICIES
from pddl2nl.policies.budget import Limits
from pddl2nl.tasks import shipped_domains

__all__ = ["ExperimentSpec", "Overrides", "load_experiment", "wording_file"]

_ONLY_PLAN = ("oracle", "script")
"""The kinds of models that take no other role."""
_WORDS = ("default", "template", "llm")


@dataclass(frozen=True)
class Overrides:
    """Values of the command line that replace those of the file.

    Attributes:
        model: of every column.
        seeds: of every column; of a ``zip`` with seeds, its rows with these.
        instances: names or patterns of the tasks to run. ``domains`` and ``sections`` likewise.
        defines: values of variables.
    """

    model: str = ""
    seeds: tuple[int, ...] = ()
    instances: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    defines: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ExperimentSpec:
    """What the file says, checked, with its defaults filled in.

    Attributes:
        columns: of policies, in the order of the file; ``baselines`` follow them in tables.
        policies, models: those of all columns.
        options: fields of `RunSpec` that were given, ``planner_seconds`` and ``planner_memory`` (MB).
        given: which fields of `RunSpec` the file decides, so that no profile does.
        workers: how many runs at once; None where the file does not say.
        file: the file, for the place of later errors.
        left_out: impossible combinations and tasks that are not run, a sentence each.
        notes: things to check by hand, a sentence each.
        tables: the tables to report.
        cluster: the table ``[cluster]``, for Dask.
        overrides: values of the command line that replaced those of the file.
    """

    name: str
    path: Path
    domains: tuple[SpecDomain, ...]
    columns: tuple[SpecColumn, ...]
    policies: tuple[str, ...]
    models: tuple[str, ...]
    baselines: tuple[str, ...]
    profile: str | None
    base_url: str | None
    options: Mapping[str, Any]
    given: frozenset[str]
    budget: Limits
    workers: int | None
    requests_per_minute: float | None
    tokens_per_minute: float | None
    models_file: Path | None
    file: SpecFile = field(repr=False, compare=False)
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    tables: tuple[LayoutTable, ...] = ()
    cluster: Mapping[str, Any] = field(default_factory=dict)
    overrides: Overrides = field(default_factory=Overrides)

    def wrong_model(self, model: str, message: str) -> None:
        """Notes an error where the file names the model, or its profile."""
        if model == self.overrides.model:
            self.file.wrong(f"--model {model}: {message}")
        else:
            self.file.wrong_model(model, message)


def load_experiment(path: str | Path, overrides: Overrides | None = None) -> ExperimentSpec:
    """The experiment that a file specifies.

    Args:
        path: the file.
        overrides: values that replace those of the file.

    Raises:
        InputError: the file cannot be read, or has an error; the message has its place.
    """
    overrides = overrides or Overrides()
    file = SpecFile(Path(path))
    unset = file.fill(overrides.defines)
    top = file.convert(file.data, FileTables)
    _check(file, top)
    options = file.options(given(file.convert(top.options, EXPERIMENT_OPTIONS, "options")), "options")
    left_out: list[str] = []
    notes: list[str] = []
    domains = tuple(read_domains(file, top.domains, tuple(dict.fromkeys(top.instances)), left_out, notes))
    domains = _selected(file, domains, overrides)
    combinations: list[str] = []
    missing: dict[str, list[SpecColumn]] = defaultdict(list)
    columns = []
    defaults = _defaults(file, top, overrides)
    for column in _columns(file, top, defaults, combinations):
        if column.entry in unset:
            missing[unset[column.entry]].append(column)
        else:
            columns.append(column)
    if not overrides.domains and not overrides.sections:
        _check_names(file, columns, domains)
    if overrides.model:
        # The own wording of a renamed domain would tell what its names hide.
        wording = "template" if any(one.renamed for one in domains) else "default"
        shared = {**PROFILES.get(top.profile or "", {}), **options}
        columns = _with_model(columns, overrides.model, shared, wording, notes)
    columns = [*distinct(file, _with_seeds(file, columns, overrides.seeds), domains)]
    named = [*columns, *(column for some in missing.values() for column in some)]
    tables = tuple(_layout_table(file, top, number, named) for number in range(len(top.tables)))
    columns, without_file = _available(file, columns, domains)
    domains = _worded(file, top, columns, domains, defaults.wordings, left_out, notes)
    _check_columns(file, top, columns, domains, options)
    for reason, some in (missing | without_file).items():
        labels = ", ".join(dict.fromkeys(column.label for column in some))
        combinations.append(f"column {labels}: {reason}")
    return ExperimentSpec(
        name=top.name or file.path.stem,
        path=file.path,
        domains=domains,
        columns=tuple(columns),
        policies=tuple(dict.fromkeys(column.policy for column in columns)),
        models=tuple(dict.fromkeys(model for column in columns for model in column.models)) or defaults.models,
        baselines=tuple(dict.fromkeys(top.baselines)),
        profile=top.profile,
        base_url=top.base_url,
        options=options,
        given=frozenset({*options, "model", "wording"}),
        budget=Limits(None, top.budgets.calls, top.budgets.tokens, top.budgets.usd),
        workers=top.access.workers,
        requests_per_minute=top.access.requests_per_minute,
        tokens_per_minute=top.access.tokens_per_minute,
        models_file=None if top.access.models is None else file.existing(top.access.models, "access", "models"),
        file=file,
        left_out=(*left_out, *combinations),
        notes=tuple(notes),
        tables=tables or (LayoutTable("coverage"),),
        cluster=top.cluster,
        overrides=overrides,
    )


def _check(file: SpecFile, top: FileTables) -> None:
    """Checks what can be said of the file before its domains are read."""
    if top.base_url is not None and host_of(top.base_url) is None:
        found = public_url(top.base_url)
        raise file.error(f"base_url is '{found}'; expected an address such as http://localhost:8000/v1", "base_url")
    if not top.domains:
        known = ", ".join(shipped_domains())
        raise file.error(f"domains is missing: domains = [NAMES], of which {known} are shipped, or files")
    if not (top.policies or top.baselines or top.columns):
        raise file.error(
            f"nothing is to be run: policies = [{', '.join(POLICIES)}], [[columns]] or baselines are missing"
        )
    for key in ("policies", "styles"):
        if top.columns and getattr(top, key):
            raise file.error(f"'{key}' multiplies, and 'columns' names what is run: leave one of them out", key)
    if "workers" in top.cluster:
        # Dask checks everything else.
        file.convert({"workers": top.cluster["workers"]}, Access, "cluster")


def _check_columns(
    file: SpecFile,
    top: FileTables,
    columns: Sequence[SpecColumn],
    domains: Sequence[SpecDomain],
    options: Mapping[str, Any],
) -> None:
    planners = {f"{SYMBOLIC} {TITLES[planner]}" for planner in top.baselines}
    examples: list[tuple[Mapping[str, Any], tuple[Key, ...]]] = [(options, ("options", "example"))]
    for column in columns:
        if column.heading in planners:
            message = f"the column '{column.label}' has the name of a baseline; give it another one"
            raise file.error(message, *column.where)
        examples.append((column.options, (*column.where, "options", "example")))
    for said, keys in examples:
        if said.get("example", "none") != "none" and any(one.changes for one in domains):
            raise file.error(
                "the example is a problem of a domain as it is before its transformation, and one in 'domains' is "
                "transformed; leave it out: examples of shipped domains are transformed along with these",
                *keys,
            )


# ── columns ──────────────────────────────────────────────────────────────────────────────────────


def _defaults(file: SpecFile, top: FileTables, overrides: Overrides) -> Defaults:
    profile: Mapping[str, Any] = {} if top.profile is None else PROFILES[top.profile]
    models = (overrides.model,) if overrides.model else tuple(dict.fromkeys(map(file.model, top.models)))
    if not models and "model" in profile:
        models = (profile["model"],)
    wordings = tuple(dict.fromkeys(top.wordings)) or (profile.get("wording", "default"),)
    seeds = tuple(dict.fromkeys(top.seeds))
    return Defaults(models, wordings, seeds or SEEDS, seeds or WALK_SEEDS)


def _columns(file: SpecFile, top: FileTables, defaults: Defaults, left_out: list[str]) -> list[SpecColumn]:
    """The columns of the file, some with the same name."""
    if top.columns:
        return [
            column
            for number, raw in enumerate(top.columns)
            for column in columns_of(file, file.convert(raw, Column, "columns", number), number, defaults, left_out)
        ]
    if not top.policies:
        return []
    return [*columns_of(file, Column(policy=top.policies, style=top.styles or "nl"), None, defaults, left_out)]


def _check_names(file: SpecFile, columns: Sequence[SpecColumn], domains: Sequence[SpecDomain]) -> None:
    """Refuses names of domains and sections in columns that match none."""
    known = {
        "domains": [name for one in domains for name in (one.row, one.label)],
        "sections": [one.part for one in domains],
    }
    for column in columns:
        for key, patterns in (("domains", column.domains), ("sections", column.sections)):
            for pattern in patterns:
                if not matches(known[key], [pattern]):
                    there_are = ", ".join(dict.fromkeys(filter(None, known[key]))) or "none"
                    hint = did_you_mean(pattern, known[key], f"; there are {there_are}")
                    message = f"no {key.removesuffix('s')} here is called '{pattern}'{hint}"
                    raise file.error(message, *column.where, key, value=pattern)


def _with_seeds(file: SpecFile, columns: Sequence[SpecColumn], seeds: Sequence[int]) -> list[SpecColumn]:
    """The columns with only these seeds; of a zip with seeds, its rows with them."""
    if not seeds:
        return [*columns]
    found = []
    for column in columns:
        first = column.repetitions[0]
        kept = tuple(each for each in column.repetitions if each.seed in seeds)
        if all(replace(each, seed=first.seed) == first for each in column.repetitions):
            kept = tuple(replace(first, seed=seed) for seed in seeds)
        if not kept:
            there_are = ", ".join(str(each.seed) for each in column.repetitions)
            raise file.error(
                f"--seeds: the column '{column.label}' has none of them; it has {there_are}", *column.where
            )
        found.append(replace(column, repetitions=kept))
    return found


def _with_model(
    columns: Sequence[SpecColumn],
    model: str,
    options: Mapping[str, Any],
    wording: str,
    notes: list[str],
) -> list[SpecColumn]:
    """The columns with the model of the command line, which takes no other role if it can only plan.

    Args:
        columns: the columns of the file.
        model: the model.
        options: of all columns.
        wording: stands for one that the model would make.
        notes: gets a sentence if the model can only plan.
    """
    only_plans = model.partition(":")[0] in _ONLY_PLAN
    replaced = False
    found = []
    for column in columns:
        repetitions = []
        for each in column.repetitions:
            own = dict(each.options)
            worded = each.wording
            if only_plans and column.style == "nl":
                said = {**options, **own}
                if worded == "llm" and "wording_model" not in said:
                    worded = wording
                if said.get("translator", "reader") != "reader" and "translator_model" not in said:
                    own["translator"] = "reader"
                if said.get("thoughts") == "llm" and "thoughts_model" not in said and policy_of(column.policy).thoughts:
                    own["thoughts"] = "template"
            replaced = replaced or worded != each.wording or own != each.options
            repetitions.append(Repetition(each.seed, model, worded, own))
        found.append(replace(column, repetitions=tuple(repetitions)) if column.kind == "model" else column)
    if replaced:
        stands = "the template" if wording == "template" else "the domain's own wording"
        notes.append(
            f"--model {model} can only plan: {stands} stands for one that a model makes, the reader for translations, "
            "templates for the example's thoughts"
        )
    return found


# ── tasks and tables ─────────────────────────────────────────────────────────────────────────────


def _selected(file: SpecFile, domains: tuple[SpecDomain, ...], overrides: Overrides) -> tuple[SpecDomain, ...]:
    """The tasks that the command line selects; a name that matches nothing is an error."""
    found = domains
    for option, patterns, names in (
        ("--sections", overrides.sections, [one.part for one in found]),
        ("--domains", overrides.domains, [one.row for one in found]),
        ("--instances", overrides.instances, [task.name for one in found for task in one.tasks]),
    ):
        for pattern in patterns:
            if not matches(names, [pattern]):
                there_are = "" if option == "--instances" else ", ".join(dict.fromkeys(filter(None, names)))
                hint = did_you_mean(pattern, names) or (f"; there are {there_are}" if there_are else "")
                raise file.error(f"{option}: nothing here is called '{pattern}'{hint}")
    if overrides.sections:
        found = tuple(one for one in found if matches([one.part], overrides.sections))
    if overrides.domains:
        found = tuple(one for one in found if matches([one.row], overrides.domains))
    if overrides.instances:
        found = tuple(
            replace(one, tasks=tuple(task for task in one.tasks if matches([task.name], overrides.instances)))
            for one in found
        )
        found = tuple(one for one in found if one.tasks)
    if not found:
        raise file.error("no task is left of what the command line names")
    return found


def _layout_table(file: SpecFile, top: FileTables, number: int, columns: Collection[SpecColumn]) -> LayoutTable:
    """A table of the file, if its columns exist and the paper's numbers fit it."""
    table = top.tables[number]
    known = [column.heading for column in columns] + [f"{SYMBOLIC} {TITLES[planner]}" for planner in top.baselines]
    for label in table.columns:
        if label not in known:
            hint = did_you_mean(label, known, f"; there are {', '.join(dict.fromkeys(known))}")
            raise file.error(f"no column is called '{label}'{hint}", "tables", number, "columns", value=label)
    kind, paper = table.kind, table.paper
    if paper and (kind in FAMILY_TABLES or paper in FAMILY_TABLES.values()) and FAMILY_TABLES.get(kind) != paper:
        fits = (
            f"those of '{FAMILY_TABLES[kind]}' do" if kind in FAMILY_TABLES else f"there are {', '.join(PAPER_TABLES)}"
        )
        message = f"the numbers of '{paper}' do not stand in a table of the kind '{kind}'; {fits}"
        raise file.error(message, "tables", number, "paper")
    return LayoutTable(kind, table.title, paper, table.columns)


# ── wordings ─────────────────────────────────────────────────────────────────────────────────────


def wording_file(label: str, domain: SpecDomain) -> str:
    """The name of a wording for a domain: ``w/{domain}.json`` is one file for each."""
    return label.replace("{domain}", domain.row)


def _available(
    file: SpecFile, columns: Sequence[SpecColumn], domains: Sequence[SpecDomain]
) -> tuple[list[SpecColumn], dict[str, list[SpecColumn]]]:
    """The columns without the optional ones for which a wording's file is missing; these by the reason."""
    found: list[SpecColumn] = []
    missing: dict[str, list[SpecColumn]] = defaultdict(list)
    for column in columns:
        reason = ""
        for label in column.wordings if column.optional else ():
            paths = [file.path_of(wording_file(label, one)) for one in domains if column.fits(one)]
            # A file for some of the domains is enough.
            if label not in _WORDS and paths and not any(path.is_file() for path in paths):
                reason = reason or f"there is no file {paths[0]}"
        if reason:
            missing[reason].append(column)
        else:
            found.append(column)
    return found, missing


def _worded(
    file: SpecFile,
    top: FileTables,
    columns: Sequence[SpecColumn],
    domains: Sequence[SpecDomain],
    wordings: Sequence[str],
    left_out: list[str],
    notes: list[str],
) -> tuple[SpecDomain, ...]:
    """The domains with their wordings; a file that fits some of them is left out for the others.

    Without ``[[columns]]`` every wording is for every domain, and a walk gets none of its own: the names of its records
    come from runs without one.
    """
    used = {label for column in columns for label in column.wordings}
    shared = () if top.columns else tuple(label for label in wordings if label != "llm" or label in used)
    naming = [column for column in columns if top.columns or column.kind == "model"]
    found: list[dict[str, Wording | str]] = [{} for _ in domains]
    for label in dict.fromkeys((*shared, *(label for column in naming for label in column.wordings))):
        users = [column for column in columns if label in column.wordings]
        misfits: dict[str, str] = {}
        fits = False
        for one, wordings_of_one in zip(domains, found, strict=True):
            if label in shared or any(column.fits(one) for column in users):
                try:
                    wordings_of_one[label] = _wording(file, label, one)
                    fits = True
                except InputError as error:
                    misfits[one.label] = str(error)
        if misfits and not fits:
            keys = next((column.where for column in users if column.where), ())
            key = "wording" if keys else "wordings"
            raise file.error(f"{key}: {next(iter(misfits.values()))}", *keys, key, value=label)
        left_out += [f"wording {label} for {name}: {reason}" for name, reason in misfits.items()]
    for one, wordings_of_one in zip(domains, found, strict=True):
        own = wordings_of_one.get("default")
        if one.renamed and isinstance(own, Wording) and own != template_wording(one.domain):
            notes.append(
                f"{one.label}: its default wording tells the meaning of the original names; "
                'wordings = ["template"] tells only its new names'
            )
    return tuple(replace(one, wordings=some) for one, some in zip(domains, found, strict=True))


def _wording(file: SpecFile, label: str, one: SpecDomain) -> Wording | str:
    if label == "llm":
        return label
    if label in _WORDS:
        return one.worded(None if label == "default" else label)
    name = wording_file(label, one)
    path = file.path_of(name)
    if not path.is_file():
        hint = did_you_mean(name, _WORDS)
        raise InputError(f"{name!r} is none of {', '.join(_WORDS)}, and there is no file {path}{hint}")
    return one.worded(str(path))

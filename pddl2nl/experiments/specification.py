"""The specification of an experiment: a TOML file, read and checked as a whole before anything runs.

::

    name = "small"
    domains = ["blocksworld", {suite = "benchmarks", only = ["gripper*"], solved-by = "ff", within = "30m"}]
    instances = ["p01", "p02"]          # of the shipped domains; all but the example by default
    models = ["gpt-4o-2024-08-06"]
    wordings = ["default", "template"]  # default, template, llm, or a file
    seeds = [1, 2, 3, 4, 5]
    baselines = ["ff", "lmcut"]
    profile = "autoplanbench"           # named values for what is not given here
    base_url = "http://localhost:8000/v1"
    policies = ["basic", "react", "random"]     # these and
    styles = ["nl", "pddl"]                     # these multiply; or else columns are named:

    [[columns]]
    name = "Act"                        # see pddl2nl.experiments.columns
    policy = "act"

    [[tables]]
    kind = "coverage"                   # the tables of the result: coverage, suites, families, tokens, hvr, …

    [options]                           # as of pddl2nl run: names, translator, example, steps, …
    [budgets]                           # of the whole experiment: usd, calls, tokens
    [access]                            # workers, requests_per_minute, tokens_per_minute, models
    [variables]                         # see pddl2nl.experiments.toml_file
    [cluster]                           # workers, and arguments of Dask's deployments

For ``domains`` see `pddl2nl.experiments.domains`. Paths are relative to the file. `pddl2nl.experiments.product` makes
the runs.

The command line can replace the model, seeds and tasks (`Overrides`). A model that only speaks the wording (the oracle,
a script) takes no other role: the domain's own wording replaces one made by a model, the reader replaces translations,
and templates replace its thoughts, each with a note. For renamed domains, whose own wording would tell what the names
hide, the template is used: the paper found models' snippets to be like it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from glob import escape
from pathlib import Path
from typing import Any

from pddl2nl.baselines import BASELINES
from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.experiments.columns import (
    COLUMN,
    OPTIONS,
    PLANNER_OPTIONS,
    SYMBOLIC,
    TITLES,
    ColumnEntries,
    Defaults,
    References,
    Repetition,
    SpecColumn,
    headed,
    policy_of,
    zipped,
)
from pddl2nl.experiments.domains import DomainEntries, SpecDomain, SpecTask, among, fits
from pddl2nl.experiments.layout import PAPER_TABLES, LayoutTable
from pddl2nl.experiments.profiles import PROFILES, SEEDS, WALK_SEEDS, profile
from pddl2nl.experiments.toml_file import (
    VARIABLES,
    Kind,
    TOMLText,
    choice,
    fill_variables,
    list_of,
    real,
    shown,
    text,
    unset,
    whole,
)
from pddl2nl.llm import public_url
from pddl2nl.llm.urls import host_of
from pddl2nl.nl import Wording, template_wording
from pddl2nl.policies import POLICIES
from pddl2nl.policies.budget import Limits
from pddl2nl.policies.families import FAMILIES
from pddl2nl.tasks import shipped_domains

__all__ = [
    "ExperimentSpec",
    "Overrides",
    "SpecColumn",
    "SpecDomain",
    "SpecTask",
    "TABLE_KINDS",
    "load_experiment",
    "wording_file",
]


_ONE_ROLE = ("oracle", "script")
"""Models that can plan, and nothing else."""
_TEMPLATE = (
    "the template stands for the wording that a model makes of a renamed domain, as the paper's were like templates"
)


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


def fewer_seeds(columns: Sequence[SpecColumn], seeds: Sequence[int], file: TOMLText) -> tuple[SpecColumn, ...]:
    """The columns with only these seeds; of a zip with seeds, its rows with them."""
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
    """The columns with the model of the command line, which only plans if it can do nothing else.

    Args:
        columns: the columns of the file. One for obfuscated and other domains becomes two of the same name.
        domains: of the experiment.
        overrides: the model.
        shared: the options of all columns.
        profile_name: the profile with the values that the file does not give.
        notes: gets a sentence for each kind of change.
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
    """The column, split into its renamed and its other domains if it uses a model's wording."""
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
    """The repetition with a model that only plans."""
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
    """The tasks that the command line selects; a name that matches nothing is an error."""
    found = tuple(domains)
    for option, patterns, names in (
        ("--sections", overrides.sections, [one.part for one in found]),
        ("--domains", overrides.domains, [one.row or one.label for one in found]),
        ("--instances", overrides.instances, [task.name for one in found for task in one.tasks]),
    ):
        for pattern in patterns:
            if found and not any(fits(name, [pattern]) for name in names):
                said = ", ".join(dict.fromkeys(filter(None, names))) if option != "--instances" else ""
                hint = did_you_mean(pattern, names) or (f"; there are {said}" if said else "")
                file.wrong(f"{option}: nothing here is called '{pattern}'{hint}")
    if overrides.sections:
        found = tuple(one for one in found if fits(one.part, overrides.sections))
    if overrides.domains:
        found = tuple(one for one in found if fits(one.row or one.label, overrides.domains))
    if overrides.instances:
        kept = (
            replace(one, tasks=tuple(task for task in one.tasks if fits(task.name, overrides.instances)))
            for one in found
        )
        found = tuple(one for one in kept if one.tasks)
    if domains and not found and file.sound:
        file.wrong("no task is left of what the command line names")
    return found


_OF_FAMILIES = {table.kind: table.paper for family in FAMILIES.values() for table in family.paper.tables}
"""The kinds of tables laid out as in a family's paper, and the name of the paper's numbers that can stand in each."""
TABLE_KINDS = ("coverage", "runs", "suites", "families", "tokens", *_OF_FAMILIES)
"""The tables that an experiment may end in; `pddl2nl.reports.tables.TABLES` makes them."""
_TABLE: dict[str, Kind] = {
    "kind": choice(TABLE_KINDS),
    "title": text,
    "paper": choice((*PAPER_TABLES, *_OF_FAMILIES.values())),
    "columns": list_of(text),
}


def layout_tables(file: TOMLText, count: int, columns: Collection[str]) -> tuple[LayoutTable, ...]:
    """The tables of a file; by default one of coverage.

    Args:
        file: errors are noted in it.
        count: the number of entries.
        columns: the labels of all columns.
    """
    found = []
    for number in range(count):
        keys = ("tables", str(number))
        said = file.table(_TABLE, *keys)
        if "kind" not in said and "kind" not in file.data["tables"][number]:
            file.wrong(f"'kind' is missing: one of {', '.join(TABLE_KINDS)}", *keys)
        for label in said.get("columns", ()):
            if label not in columns and file.sound:
                hint = did_you_mean(label, columns) or f"; there are {', '.join(columns)}"
                file.wrong(f"no column is called '{label}'{hint}", *keys, "columns", value=label)
        kind, paper = said.get("kind", "coverage"), said.get("paper", "")
        if paper and (kind in _OF_FAMILIES or paper in _OF_FAMILIES.values()) and _OF_FAMILIES.get(kind) != paper:
            fits = (
                f"those of '{_OF_FAMILIES[kind]}' do"
                if kind in _OF_FAMILIES
                else f"there are {', '.join(PAPER_TABLES)}"
            )
            file.wrong(f"the numbers of '{paper}' do not stand in a table of the kind '{kind}'; {fits}", *keys, "paper")
        chosen = tuple(said.get("columns", ()))
        found.append(LayoutTable(kind, said.get("title", ""), paper, chosen))
    return tuple(found) or (LayoutTable("coverage"),)


_WORDS = ("default", "template", "llm")
_DOMAIN = "{domain}"
"""Stands in a wording's name for the domain: one file for each."""


def wording_file(label: str, domain: SpecDomain) -> str:
    """The name of a wording for a domain: ``w/{domain}.json`` is one file for each."""
    return label.replace(_DOMAIN, domain.row or domain.label)


def worded(
    columns: Sequence[SpecColumn],
    domains: Sequence[SpecDomain],
    of_all: Sequence[str] | None,
    references: References,
    file: TOMLText,
    left_out: list[str],
    notes: list[str],
) -> tuple[tuple[SpecColumn, ...], tuple[SpecDomain, ...]]:
    """The columns that have their wordings, and the domains with them.

    Args:
        columns: optional ones are left out if a file is missing.
        domains: without wordings.
        of_all: the wordings of every domain; None if columns name them.
        references: finds files.
        file: errors are noted in it.
        left_out: gets a sentence for each missing file; ``notes`` for things to check by hand.
    """
    columns = tuple(_there(columns, domains, references, file, left_out))
    reading = _Wordings(references, file)
    # A walk is told by the default wording where there is one, for the record; none is found for it in a file that
    # multiplies others, as its runs have had their names without.
    naming = columns if of_all is None else [column for column in columns if column.kind == "model"]
    shared = of_all or ()
    labels = dict.fromkeys((*shared, *(label for column in naming for label in column.wordings)))
    found: dict[str, dict[str, Wording | str]] = {one.label: {} for one in domains}
    for label in labels:
        users = [column for column in columns if label in column.wordings]
        wanted = [one for one in domains if label in shared or any(column.fits(one) for column in users)]
        reading.read(label, users, wanted, found, left_out)
    return columns, tuple(_looked_at(replace(one, wordings=found[one.label]), notes) for one in domains)


def _there(
    columns: Sequence[SpecColumn],
    domains: Sequence[SpecDomain],
    references: References,
    file: TOMLText,
    left_out: list[str],
) -> Iterator[SpecColumn]:
    """The columns without the optional ones that need a file which exists for none of their domains."""
    missing_files: dict[tuple[int | None, Path], list[str]] = {}
    for column in columns:
        optional = column.entry is not None and file.data["columns"][column.entry].get("optional") is True
        # A file for some of the domains is enough, as for columns that are not optional.
        missing = [
            paths[0]
            for label in column.wordings
            if optional and label not in _WORDS
            if (paths := [references.path(wording_file(label, one)) for one in domains if column.fits(one)])
            if not any(path.is_file() for path in paths)
        ]
        if missing:
            missing_files.setdefault((column.entry, missing[0]), []).append(column.label)
        else:
            yield column
    for (_, path), labels in missing_files.items():
        left_out.append(f"column {', '.join(labels)}: there is no file {path}")


class _Wordings:
    """Finds wordings; a wording that fits none of the domains is an error."""

    def __init__(self, references: References, file: TOMLText):
        self._references = references
        self._file = file

    def read(
        self,
        label: str,
        users: Sequence[SpecColumn],
        domains: Sequence[SpecDomain],
        found: dict[str, dict[str, Wording | str]],
        left_out: list[str],
    ) -> None:
        """One wording for some domains; a file that fits some of them is left out for the others."""
        if unset(label):
            return
        misfits: dict[str, str] = {}
        for one in domains:
            try:
                found[one.label][label] = self._wording(label, one)
            except InputError as error:
                misfits[one.label] = str(error)
        if not domains or len(misfits) < len(domains):
            left_out += [f"wording {label} for {name}: {reason}" for name, reason in misfits.items()]
            return
        reason = next(iter(misfits.values()))
        places = [column.where for column in users if column.where] or [()]
        if places[0]:
            self._file.wrong(f"'wording': {reason}", *places[0], "wording", value=label)
        else:
            self._file.wrong(f"'wordings': {reason}", "wordings", value=label)

    def _wording(self, label: str, one: SpecDomain) -> Wording | str:
        if label == "llm":
            return label
        if label in ("default", "template"):
            return one.worded(None if label == "default" else label)
        name = wording_file(label, one)
        path = self._references.path(name)
        if not path.is_file():
            raise InputError(
                f"{name!r} is none of {', '.join(_WORDS)}, and there is no file {path}{did_you_mean(name, _WORDS)}"
            )
        return one.worded(str(path))


def _looked_at(one: SpecDomain, notes: list[str]) -> SpecDomain:
    worded = one.wordings.get("default")
    if one.renamed and isinstance(worded, Wording) and worded != template_wording(one.domain):
        notes.append(
            f"{one.label}: its default wording tells the meaning of the original names; "
            'wordings = ["template"] tells only its new names'
        )
    return one


PLANNER_SECONDS = 1800
"""The default time limit of a baseline in seconds: that of the planning competitions."""

_TOP: dict[str, Kind] = {
    "name": text,
    "domains": list_of(
        Kind("a shipped domain's name, {domain = FILE, problems = [FILES]} or {suite = FOLDER}", lambda value: True)
    ),
    "instances": list_of(text),
    "policies": list_of(choice(POLICIES)),
    "models": list_of(text),
    "wordings": list_of(Kind("default, template, llm or a file", text.accepts)),
    "styles": list_of(choice(("nl", "pddl"))),
    "seeds": list_of(whole(0)),
    "baselines": list_of(choice(name for name in BASELINES if name != "random")),
    "profile": choice(PROFILES),
    "base_url": text,
    **{
        key: list_of(Kind(f"a table [[{key}]]", lambda value: isinstance(value, dict))) for key in ("columns", "tables")
    },
    "zip": Kind(
        "a table such as zip = { seed = [1, 2], wording = [FILE, FILE] }", lambda value: isinstance(value, dict)
    ),
    **{
        table: Kind(f"a table [{table}]", lambda value: True)
        for table in ("options", "budgets", "access", "cluster", VARIABLES)
    },
}
_BUDGETS: dict[str, Kind] = {"usd": real(0), "calls": whole(0), "tokens": whole(0)}
_ABOVE_ZERO = Kind("a number above 0", lambda value: real(0).accepts(value) and value > 0)
_ACCESS: dict[str, Kind] = {
    "workers": whole(1),
    "requests_per_minute": _ABOVE_ZERO,
    "tokens_per_minute": _ABOVE_ZERO,
    "models": text,
}
_TABLES = {"options": {**OPTIONS, **PLANNER_OPTIONS}, "budgets": _BUDGETS, "access": _ACCESS}
_ELSEWHERE = {
    **dict.fromkeys(COLUMN, "in an entry [[columns]]"),
    **{key: f"in the table [{table}]" for table, kinds in _TABLES.items() for key in kinds},
    **dict.fromkeys(_TOP, "at the top, above all tables"),
    # The names of budgets before they were told apart from the length of a reply.
    "max_usd": "in the table [budgets], where it is called usd",
    "max_calls": "in the table [budgets], where it is called calls",
    "max_tokens": "in the table [options], as the longest reply; the budget of tokens is [budgets] tokens",
}


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
        named: for each model the key that names it in the file, and its name there.
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
    file: TOMLText = field(repr=False, compare=False)
    named: Mapping[str, tuple[tuple[str, ...], str]] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    tables: tuple[LayoutTable, ...] = ()
    cluster: Mapping[str, Any] = field(default_factory=dict)
    overrides: Overrides = field(default_factory=Overrides)

    def wrong_model(self, model: str, message: str) -> None:
        """Notes an error where the file names the model, or its profile."""
        if model == self.overrides.model:
            self.file.wrong(f"--model {model}: {message}")
            return
        keys, value = self.named.get(model, (("profile",), None))
        self.file.wrong(f"model '{value or model}': {message}", *keys, value=value)


def load_experiment(path: str | Path, overrides: Overrides | None = None) -> ExperimentSpec:
    """The experiment that a file specifies.

    Args:
        path: the file.
        overrides: values that replace those of the file.

    Raises:
        InputError: the file cannot be read, or has errors; the message lists all of them with their places.
    """
    return _Reading(TOMLText(Path(path)), overrides or Overrides()).spec()


class _Reading:
    """Reads one file."""

    def __init__(self, file: TOMLText, overrides: Overrides):
        self._file = file
        self._overrides = overrides
        self._missing = fill_variables(file, overrides.defines)
        self._top = file.table(_TOP, elsewhere=_ELSEWHERE)
        self._tables = {
            name: file.table(kinds, name, elsewhere=_ELSEWHERE) for name, kinds in _TABLES.items() if name in self._top
        }
        for key in ("instances", "policies", "models", "wordings", "styles", "seeds", "baselines"):
            self._top[key] = tuple(dict.fromkeys(self._top.get(key, ())))
        self._references = References(file)
        self._profile = profile(self._top["profile"]) if "profile" in self._top else None
        self._models = tuple(self._references.model(name, "models") for name in self._top["models"])
        self._wordings: tuple[str, ...] = self._top["wordings"] or ("default",)
        if self._profile is not None:
            self._models = self._models or (self._profile.values["model"],)
            self._wordings = self._top["wordings"] or (self._profile.language.get("wording", "default"),)
        self._options = self._references.options(self._tables.get("options", {}), "options")
        self._left_out: list[str] = []
        self._notes: list[str] = []

    def spec(self) -> ExperimentSpec:
        """The experiment; raises `InputError` with all errors."""
        file, top = self._file, self._top
        combinations: list[str] = []
        columns = self._columns(combinations)
        entries = DomainEntries(file, top["instances"], self._references.path("."), self._left_out, self._notes)
        domains = fewer_tasks(entries.read(top.get("domains", ())), self._overrides, file)
        columns = self._named(self._overridden(columns, domains), domains)
        asked = {label for column in columns for label in column.wordings}
        of_all = None
        if "columns" not in file.data:
            of_all = tuple(label for label in self._wordings if label != "llm" or label in asked)
        tables = self._layout_tables(columns)
        columns, domains = worded(columns, domains, of_all, self._references, file, self._left_out, self._notes)
        self._check(columns, domains)
        budgets, access = self._tables.get("budgets", {}), self._tables.get("access", {})
        models_file = self._references.file_at(access.get("models"), "access", "models")
        cluster = self._cluster()
        file.check()
        return ExperimentSpec(
            name=top.get("name", file.path.stem),
            path=file.path,
            domains=domains,
            columns=columns,
            policies=tuple(dict.fromkeys(column.policy for column in columns)),
            models=tuple(dict.fromkeys(model for column in columns for model in column.models)) or self._models,
            baselines=top["baselines"],
            profile=top.get("profile"),
            base_url=top.get("base_url"),
            options=self._options,
            given=frozenset({*self._options, "model", "wording"}),
            budget=Limits(None, budgets.get("calls"), budgets.get("tokens"), budgets.get("usd")),
            workers=access.get("workers"),
            requests_per_minute=access.get("requests_per_minute"),
            tokens_per_minute=access.get("tokens_per_minute"),
            models_file=models_file,
            file=file,
            named=self._references.named,
            left_out=(*self._left_out, *combinations),
            notes=tuple(self._notes),
            tables=tables,
            cluster=cluster,
            overrides=self._overrides,
        )

    # ── columns ──────────────────────────────────────────────────────────────────────────────────

    def _columns(self, left_out: list[str]) -> tuple[SpecColumn, ...]:
        """The columns, with the model of the command line if there is one; names are not unique yet."""
        top, file, chosen = self._top, self._file, self._profile
        rows = zipped(file, self._references, "zip") if "zip" in top else ()
        if rows and "seed" in rows[0] and "seeds" in file.data:
            file.wrong("'seed' stands in 'zip', and 'seeds' beside it; leave one of them out", "seeds")
        models = (self._overrides.model,) if self._overrides.model else self._models
        seeds = top["seeds"] or (chosen.seeds if chosen is not None else SEEDS)
        walk_seeds = top["seeds"] or (chosen.walk_seeds if chosen is not None else WALK_SEEDS)
        reading = ColumnEntries(
            file, self._references, Defaults(models, self._wordings, seeds, walk_seeds, rows), left_out
        )
        found: list[SpecColumn] = []
        if "columns" in file.data:
            for key in ("policies", "styles"):
                if key in file.data:
                    file.wrong(f"'{key}' multiplies, and 'columns' names what is run: leave one of them out", key)
            for number, _ in enumerate(top.get("columns", ())):
                if number in self._missing:
                    left_out.append(f"column {self._called(number)}: {self._missing[number]}")
                else:
                    found += reading.read(number)
        else:
            said = {"policy": top["policies"], "style": top["styles"] or ("nl",)}
            if top["wordings"]:
                said["wording"] = top["wordings"]
            found += reading.columns(said, {}, ())
        return tuple(found)

    def _overridden(self, columns: tuple[SpecColumn, ...], domains: Sequence[SpecDomain]) -> tuple[SpecColumn, ...]:
        """The columns with the model and the seeds of the command line."""
        said = self._overrides
        columns = fallen_back(columns, domains, said, self._options, self._top.get("profile"), self._notes)
        return fewer_seeds(columns, said.seeds, self._file) if said.seeds else columns

    def _headings(self, number: int) -> list[str]:
        """The headings of an entry that was not read."""
        entry = self._file.data["columns"][number]
        zipped_names = entry.get("zip", {}).get("name", []) if isinstance(entry.get("zip"), dict) else []
        names = [entry["name"]] if "name" in entry else zipped_names
        return [f"{entry.get('group', '')} {name}".strip() for name in names]

    def _called(self, number: int) -> str:
        """The name of an entry that was not read, for messages."""
        entry = self._file.data["columns"][number]
        policy = entry.get("policy")
        name = entry.get("name", TITLES.get(policy) if isinstance(policy, str) else None)
        said = [part for part in (entry.get("group"), name, entry.get("variant")) if isinstance(part, str) and part]
        domains = entry.get("domains", ())
        of = f" ({', '.join(map(str, domains))})" if isinstance(domains, list) and domains else ""
        return (" ".join(said) or str(number + 1)) + of

    def _named(self, columns: tuple[SpecColumn, ...], domains: Sequence[SpecDomain]) -> tuple[SpecColumn, ...]:
        fewer = self._overrides.domains or self._overrides.sections
        names = {
            "domains": dict.fromkeys(name for one in domains for name in (one.row or one.label, one.label)),
            "sections": dict.fromkeys(one.part for one in domains),
        }
        for column in columns:
            for key, patterns in (("domains", column.domains), ("sections", column.sections)):
                known = [*names[key]]
                for pattern in patterns:
                    if domains and not fewer and not among(known, (pattern,)):
                        said = f"no {key.removesuffix('s')} here is called '{pattern}'"
                        hint = did_you_mean(pattern, known) or f"; there are {', '.join(filter(None, known)) or 'none'}"
                        self._file.wrong(said + hint, *column.where, key, value=pattern)
        return headed(columns, domains, self._file)

    # ── the rest ─────────────────────────────────────────────────────────────────────────────────

    def _layout_tables(self, columns: Sequence[SpecColumn]) -> tuple[LayoutTable, ...]:
        labels = dict.fromkeys(column.heading for column in columns)
        planners = (f"{SYMBOLIC} {TITLES[planner]}" for planner in self._top["baselines"])
        # A table may name an optional column that is left out.
        known = [*labels, *planners, *(label for number_ in self._missing for label in self._headings(number_))]
        return layout_tables(self._file, len(self._top.get("tables", ())), known)

    def _cluster(self) -> Mapping[str, Any]:
        said = self._file.data.get("cluster", {})
        if not isinstance(said, dict):
            self._file.wrong(f"'cluster' is {shown(said)}; a table [cluster] was expected", "cluster")
            return {}
        if "workers" in said:
            # Dask checks everything else.
            self._file.fits(said["workers"], whole(1), "cluster", "workers")
        return said

    def _check(self, columns: Sequence[SpecColumn], domains: Sequence[SpecDomain]) -> None:
        """Notes missing values and contradictions."""
        file, top = self._file, self._top
        if (url := top.get("base_url")) is not None and host_of(url) is None:
            said = shown(public_url(url))
            file.wrong(f"'base_url' is {said}; an address such as http://localhost:8000/v1 was expected", "base_url")
        if "domains" not in top and "domains" not in file.data:
            known = ", ".join(shipped_domains())
            file.wrong(f"'domains' is missing: domains = [NAMES], of which {known} are shipped, or files")
        if not {"policies", "baselines", "columns"} & file.data.keys():
            file.wrong(
                f"nothing is to be run: policies = [{', '.join(POLICIES)}], [[columns]] or baselines are missing"
            )
        planners = {f"{SYMBOLIC} {TITLES[planner]}" for planner in top["baselines"]}
        for column in columns:
            if column.heading in planners:
                file.wrong(
                    f"the column '{column.label}' has the name of a baseline; give it another one", *column.where
                )
        examples: list[tuple[Mapping[str, Any], tuple[str, ...]]] = [(self._options, ("options", "example"))]
        examples += [(column.options, (*column.where, "options", "example")) for column in columns]
        for options, keys in examples:
            if options.get("example", "none") != "none" and any(one.changes for one in domains):
                file.wrong(
                    f"'{'.'.join(keys)}' is a problem of a domain as it is before its transformation, and one in "
                    "'domains' is transformed; leave it out: examples of shipped domains are transformed along with "
                    "these",
                    *keys,
                )

"""The specification of an experiment: a TOML file, read and checked as a whole before anything runs.

`pddl2nl.experiments.specification.schema` declares what a file may say. The command line can replace the model, seeds
and tasks (`Overrides`). A model that can only plan (the oracle, a script) takes no other role: the domain's own wording
replaces one made by a model, the reader replaces translations, and templates replace its thoughts. Renamed domains get
the template, as their own wording would reveal what the names hide; the paper found models' snippets to be like it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pddl2nl.conversion import Key
from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.experiments.layout import LayoutTable
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
    PAPER_TABLES,
    QUESTION_TABLES,
    AccessTable,
    Column,
    FileTables,
    QuestionsTable,
    given,
)
from pddl2nl.llm import public_url
from pddl2nl.llm.endpoint.urls import host_of
from pddl2nl.nl import Wording, template_wording
from pddl2nl.policies import POLICIES
from pddl2nl.policies.budget import Limits
from pddl2nl.questions.making import TOPICS
from pddl2nl.tasks import shipped_domains

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
class AskedQuestions:
    """The questions of an experiment: those of its tasks, or of the files in ``data``, asked in each style."""

    table: QuestionsTable
    styles: tuple[str, ...]
    seeds: tuple[int, ...]
    data: Path | None = None


@dataclass(frozen=True)
class ExperimentSpec:
    """The content of a file, checked, with its defaults filled in.

    Attributes:
        columns: of policies, in the order of the file; ``baselines`` follow them in tables.
        policies, models: those of all columns.
        options: fields of `RunSpec` that were given, ``planner_seconds`` and ``planner_memory`` (MB).
        workers: how many runs at once; None if the file does not give it.
        file: the file, for the place of later errors.
        left_out: impossible combinations and tasks that are not run, a sentence each.
        notes: things to check by hand, a sentence each.
        tables: the tables to report.
        cluster: the table ``[cluster]``, for Dask.
        questions: what is asked instead of running policies; None if policies are run.
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
    questions: AskedQuestions | None = None
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
    return _Loader(SpecFile(Path(path)), overrides or Overrides()).experiment()


class _Loader:
    """Checks one file and makes the experiment of it; every method raises `InputError` with the place of an error."""

    def __init__(self, file: SpecFile, overrides: Overrides):
        self.file = file
        self.overrides = overrides
        self.unset = file.fill(overrides.defines)
        self.top = top = file.convert(file.data, FileTables)
        self.options = file.options(given(file.convert(top.options, EXPERIMENT_OPTIONS, "options")), "options")
        self.profile: Mapping[str, Any] = {} if top.profile is None else PROFILES[top.profile]
        self.left_out: list[str] = []
        self.notes: list[str] = []
        models = (overrides.model,) if overrides.model else tuple(dict.fromkeys(map(file.model, top.models)))
        if not models and "model" in self.profile:
            models = (self.profile["model"],)
        wordings = tuple(dict.fromkeys(top.wordings)) or (self.profile.get("wording", "default"),)
        seeds = tuple(dict.fromkeys(top.seeds))
        self.defaults = Defaults(models, wordings, seeds or SEEDS, seeds or WALK_SEEDS)

    def experiment(self) -> ExperimentSpec:
        """The experiment."""
        file, top, overrides = self.file, self.top, self.overrides
        self.check_top()
        questions = self.questions()
        domains: list[SpecDomain] = []
        if questions is None or questions.data is None:
            instances = tuple(dict.fromkeys(top.instances))
            domains = self.selected(read_domains(file, top.domains, instances, self.left_out, self.notes))
        combinations: list[str] = []
        columns = self.columns(combinations)
        unset = {column.label: self.unset[column.entry] for column in columns if column.entry in self.unset}
        headings = [column.heading for column in columns if column.entry in self.unset]
        columns = [column for column in columns if column.entry not in self.unset]
        self.check_names(columns, domains)
        columns = distinct(file, self.with_seeds(self.with_model(columns, domains)), domains)
        headings += [column.heading for column in columns]
        headings += [f"{SYMBOLIC} {TITLES[planner]}" for planner in top.baselines]
        tables = [self.layout_table(number, headings) for number in range(len(top.tables))]
        columns, no_file = self.available(columns, domains)
        domains = self.worded(columns, domains)
        self.check_columns(columns, domains)
        combinations += [f"column {label}: {reason}" for label, reason in (unset | no_file).items()]
        models_file = top.access.models
        return ExperimentSpec(
            name=top.name or file.path.stem,
            path=file.path,
            domains=tuple(domains),
            columns=tuple(columns),
            policies=tuple(dict.fromkeys(column.policy for column in columns)),
            models=tuple(dict.fromkeys(model for column in columns for model in column.models)) or self.defaults.models,
            baselines=tuple(dict.fromkeys(top.baselines)),
            profile=top.profile,
            base_url=top.base_url,
            options=self.options,
            budget=Limits(None, top.budgets.calls, top.budgets.tokens, top.budgets.usd),
            workers=top.access.workers,
            requests_per_minute=top.access.requests_per_minute,
            tokens_per_minute=top.access.tokens_per_minute,
            models_file=None if models_file is None else file.existing(models_file, "access", "models"),
            file=file,
            left_out=(*self.left_out, *combinations),
            notes=tuple(self.notes),
            tables=tuple(tables) or tuple(map(LayoutTable, QUESTION_TABLES if questions else ("coverage",))),
            cluster=top.cluster,
            questions=questions,
            overrides=overrides,
        )

    # ── checks ───────────────────────────────────────────────────────────────────────────────────

    def check_top(self) -> None:
        """Checks what can be known before domains are read."""
        top, error = self.top, self.file.error
        if top.base_url is not None and host_of(top.base_url) is None:
            address = public_url(top.base_url)
            raise error(f"base_url is '{address}'; expected an address such as http://localhost:8000/v1", "base_url")
        if not top.domains:
            known = ", ".join(shipped_domains())
            raise error(f"domains is missing: domains = [NAMES], of which {known} are shipped, or files")
        runs = [key for key in ("policies", "columns", "baselines") if getattr(top, key)]
        if top.questions is not None and runs:
            raise error(f"[questions] takes the place of runs: leave out {' and '.join(runs)}", runs[0])
        if top.questions is None and not runs:
            known = ", ".join(POLICIES)
            raise error(f"nothing is to be run: policies = [{known}], [[columns]] or baselines are missing")
        for key in ("policies", "styles"):
            if top.columns and getattr(top, key):
                raise error(f"'{key}' multiplies, and 'columns' names what is run: leave one of them out", key)
        if "workers" in top.cluster:
            # Dask checks everything else.
            self.file.convert({"workers": top.cluster["workers"]}, AccessTable, "cluster")

    def questions(self) -> AskedQuestions | None:
        """What is asked instead of running policies."""
        table, file = self.top.questions, self.file
        if table is None:
            return None
        if not self.defaults.models:
            raise file.error('models is missing: models = ["oracle"] needs no key', "questions")
        for kind in table.kinds:
            if not set(table.forms).intersection(TOPICS[kind].forms):
                message = f"'{kind}' is asked in the form {' or '.join(TOPICS[kind].forms)}, which forms does not name"
                raise file.error(message, "questions", "forms")
        data = None if table.data == "none" else file.path_of(table.data)
        if data is not None and not data.is_dir():
            raise file.error(f"data is '{data}', and there is no such folder", "questions", "data")
        return AskedQuestions(table, self.top.styles or ("nl",), self.overrides.seeds or self.top.seeds or (1,), data)

    def check_names(self, columns: Sequence[SpecColumn], domains: Sequence[SpecDomain]) -> None:
        """Refuses names of domains and sections in columns that match none."""
        if self.overrides.domains or self.overrides.sections:
            return
        for key, names in (
            ("domains", [name for one in domains for name in (one.row, one.label)]),
            ("sections", [one.part for one in domains]),
        ):
            for column in columns:
                for pattern in getattr(column, key):
                    if not matches(names, [pattern]):
                        hint = did_you_mean(pattern, names) or _there_are(names)
                        message = f"no {key.removesuffix('s')} here is called '{pattern}'{hint}"
                        raise self.file.error(message, *column.where, key, value=pattern)

    def check_columns(self, columns: Sequence[SpecColumn], domains: Sequence[SpecDomain]) -> None:
        """Refuses columns called like baselines, and an example for domains that are transformed."""
        planners = {f"{SYMBOLIC} {TITLES[planner]}" for planner in self.top.baselines}
        examples: list[tuple[Mapping[str, Any], tuple[Key, ...]]] = [(self.options, ())]
        for column in columns:
            if column.heading in planners:
                message = f"the column '{column.label}' has the name of a baseline; give it another one"
                raise self.file.error(message, *column.where)
            examples.append((column.options, column.where))
        for options, where in examples:
            if options.get("example", "none") != "none" and any(one.changes for one in domains):
                raise self.file.error(
                    "the example is a problem of a domain as it is before its transformation, and one in 'domains' is "
                    "transformed; leave it out: examples of shipped domains are transformed along with these",
                    *where,
                    "options",
                    "example",
                )

    # ── columns ──────────────────────────────────────────────────────────────────────────────────

    def columns(self, left_out: list[str]) -> list[SpecColumn]:
        """The columns of the file, some with the same name; ``left_out`` gets impossible combinations."""
        top = self.top
        entries: list[tuple[int | None, Column]] = [
            (number, self.file.convert(raw, Column, "columns", number)) for number, raw in enumerate(top.columns)
        ]
        if top.policies:
            entries = [(None, Column(policy=top.policies, style=top.styles or "nl"))]
        return [
            column
            for number, entry in entries
            for column in columns_of(self.file, entry, number, self.defaults, left_out)
        ]

    def with_model(self, columns: list[SpecColumn], domains: Sequence[SpecDomain]) -> list[SpecColumn]:
        """The columns with the model of the command line, which takes no other role if it can only plan."""
        model = self.overrides.model
        if not model:
            return columns
        only_plans = model.partition(":")[0] in _ONLY_PLAN
        # The own wording of a renamed domain would reveal what its names hide.
        wording = "template" if any(one.renamed for one in domains) else "default"
        changed = []
        replaced = False
        for column in columns:
            repetitions = []
            for each in column.repetitions:
                planning = replace(each, model=model)
                if only_plans and column.style == "nl":
                    planning = self.planning(planning, wording, policy_of(column.policy).thoughts)
                replaced = replaced or planning != replace(each, model=model)
                repetitions.append(planning)
            changed.append(replace(column, repetitions=tuple(repetitions)) if column.kind == "model" else column)
        if replaced:
            own = "the template" if wording == "template" else "the domain's own wording"
            self.notes.append(
                f"--model {model} can only plan: {own} replaces one by a model, the reader replaces "
                "translations, and templates replace the example's thoughts"
            )
        return changed

    def planning(self, each: Repetition, wording: str, thoughts: bool) -> Repetition:
        """A run whose model does nothing but plan."""
        all_options = {**self.profile, **self.options, **each.options}
        options = dict(each.options)
        if all_options.get("translator", "reader") != "reader" and "translator_model" not in all_options:
            options["translator"] = "reader"
        if thoughts and all_options.get("thoughts") == "llm" and "thoughts_model" not in all_options:
            options["thoughts"] = "template"
        by_model = each.wording == "llm" and "wording_model" not in all_options
        return replace(each, wording=wording if by_model else each.wording, options=options)

    def with_seeds(self, columns: list[SpecColumn]) -> list[SpecColumn]:
        """The columns with the seeds of the command line; of a zip with seeds, its rows with them."""
        seeds = self.overrides.seeds
        if not seeds:
            return columns
        changed = []
        for column in columns:
            first = column.repetitions[0]
            kept = tuple(each for each in column.repetitions if each.seed in seeds)
            if all(replace(each, seed=first.seed) == first for each in column.repetitions):
                kept = tuple(replace(first, seed=seed) for seed in seeds)
            if not kept:
                there_are = ", ".join(str(each.seed) for each in column.repetitions)
                message = f"--seeds: the column '{column.label}' has none of them; it has {there_are}"
                raise self.file.error(message, *column.where)
            changed.append(replace(column, repetitions=kept))
        return changed

    # ── tasks and tables ─────────────────────────────────────────────────────────────────────────

    def selected(self, domains: list[SpecDomain]) -> list[SpecDomain]:
        """The domains with the tasks that the command line selects; a name that matches nothing is an error."""
        chosen = self.overrides
        tasks = [task.name for one in domains for task in one.tasks]
        for option, patterns, names, shown in (
            ("--sections", chosen.sections, [one.part for one in domains], True),
            ("--domains", chosen.domains, [one.row for one in domains], True),
            ("--instances", chosen.instances, tasks, False),
        ):
            for pattern in patterns:
                if not matches(names, [pattern]):
                    hint = did_you_mean(pattern, names) or (_there_are(names) if shown else "")
                    raise self.file.error(f"{option}: nothing here is called '{pattern}'{hint}")
        selected = [
            replace(one, tasks=tuple(task for task in one.tasks if _chosen(task.name, chosen.instances)))
            for one in domains
            if _chosen(one.part, chosen.sections) and _chosen(one.row, chosen.domains)
        ]
        selected = [one for one in selected if one.tasks or not chosen.instances]
        if not selected:
            raise self.file.error("no task is left of what the command line names")
        return selected

    def layout_table(self, number: int, headings: Sequence[str]) -> LayoutTable:
        """A table of the file, if its columns exist and the paper's numbers fit it."""
        table = self.top.tables[number]
        for heading in table.columns:
            if heading not in headings:
                hint = did_you_mean(heading, headings) or _there_are(headings)
                message = f"no column is called '{heading}'{hint}"
                raise self.file.error(message, "tables", number, "columns", value=heading)
        paper, own = table.paper, FAMILY_TABLES.get(table.kind)
        if paper and paper != own and (own is not None or paper in FAMILY_TABLES.values()):
            fits = f"there are {', '.join(PAPER_TABLES)}" if own is None else f"those of '{own}' do"
            message = f"the numbers of '{paper}' do not fit a table of the kind '{table.kind}'; {fits}"
            raise self.file.error(message, "tables", number, "paper")
        return LayoutTable(table.kind, table.title, paper, table.columns)

    # ── wordings ─────────────────────────────────────────────────────────────────────────────────

    def available(
        self, columns: Sequence[SpecColumn], domains: Sequence[SpecDomain]
    ) -> tuple[list[SpecColumn], dict[str, str]]:
        """The columns without optional ones for which a wording's file is missing; for these the reason by label."""
        missing: dict[str, str] = {}
        kept = []
        for column in columns:
            files = [label for label in column.wordings if column.optional and label not in _WORDS]
            for label in files:
                paths = [self.file.path_of(wording_file(label, one)) for one in domains if column.fits(one)]
                # A file for some of the domains is enough.
                if paths and not any(path.is_file() for path in paths):
                    missing[column.label] = f"there is no file {paths[0]}"
                    break
            else:
                kept.append(column)
        return kept, missing

    def worded(self, columns: Sequence[SpecColumn], domains: Sequence[SpecDomain]) -> list[SpecDomain]:
        """The domains with their wordings; a file that fits some of them is left out for the others.

        Without ``[[columns]]`` every wording is for every domain, and a walk gets none of its own: the names of its
        records come from runs without one.
        """
        top = self.top
        used = {label for column in columns for label in column.wordings}
        shared = (
            () if top.columns else tuple(label for label in self.defaults.wordings if label != "llm" or label in used)
        )
        naming = [column for column in columns if top.columns or column.kind == "model"]
        wordings: list[dict[str, Wording | str]] = [{} for _ in domains]
        for label in dict.fromkeys((*shared, *(label for column in naming for label in column.wordings))):
            users = [column for column in columns if label in column.wordings]
            misfits: dict[str, str] = {}
            for one, labelled in zip(domains, wordings, strict=True):
                if label in shared or any(column.fits(one) for column in users):
                    try:
                        labelled[label] = self.wording(label, one)
                    except InputError as error:
                        misfits[one.label] = str(error)
            if misfits and not any(label in labelled for labelled in wordings):
                where = next((column.where for column in users if column.where), ())
                key = "wording" if where else "wordings"
                raise self.file.error(f"{key}: {next(iter(misfits.values()))}", *where, key, value=label)
            self.left_out += [f"wording {label} for {name}: {reason}" for name, reason in misfits.items()]
        for one, labelled in zip(domains, wordings, strict=True):
            own = labelled.get("default")
            if one.renamed and isinstance(own, Wording) and own != template_wording(one.domain):
                self.notes.append(
                    f"{one.label}: its default wording tells the meaning of the original names; "
                    'wordings = ["template"] tells only its new names'
                )
        return [replace(one, wordings=labelled) for one, labelled in zip(domains, wordings, strict=True)]

    def wording(self, label: str, one: SpecDomain) -> Wording | str:
        """A wording of a domain."""
        if label in _WORDS:
            return label if label == "llm" else one.worded(None if label == "default" else label)
        name = wording_file(label, one)
        path = self.file.path_of(name)
        if not path.is_file():
            hint = did_you_mean(name, _WORDS)
            raise InputError(f"{name!r} is none of {', '.join(_WORDS)}, and there is no file {path}{hint}")
        return one.worded(str(path))


def wording_file(label: str, domain: SpecDomain) -> str:
    """The name of a wording for a domain: ``w/{domain}.json`` is one file for each."""
    return label.replace("{domain}", domain.row)


def _chosen(name: str, patterns: Sequence[str]) -> bool:
    return not patterns or matches([name], patterns)


def _there_are(names: Sequence[str]) -> str:
    return f"; there are {', '.join(dict.fromkeys(filter(None, names))) or 'none'}"

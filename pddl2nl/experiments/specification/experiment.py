"""An experiment: columns on tasks, their runs, and the places of these in tables.

A TOML file specifies one (`load_experiment`), or Python does, with the same keys::

    def ablations(model: str = "gpt-4o") -> Experiment:
        \"\"\"Act with and without its history.\"\"\"
        columns = [Column("act", name=history, options={"history": history}) for history in ("all", "last:4", "none")]
        return Experiment(name="ablations", domains=["ferry"], models=[model], columns=columns)

``pddl2nl experiment my_module:ablations -A model=oracle`` runs it, as does ``ablations("oracle").run()``.

The command line can replace the model, seeds and tasks (`Overrides`). A model that can only plan (the oracle, a script)
takes no other role: the domain's own wording replaces one made by a model, the reader replaces translations, and
templates replace its thoughts. Renamed domains get the template, as their own wording would reveal what the names hide;
the paper found models' snippets to be like it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import msgspec

from pddl2nl.baselines import DEFAULT_SECONDS, find_driver
from pddl2nl.conversion import Key, dotted
from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.experiments.layout import LayoutColumn, LayoutRow, LayoutTable, Place, TableLayout, write_layout
from pddl2nl.experiments.models import Access, ModelContext, behind_endpoint, make_model, reach
from pddl2nl.experiments.planners import PlannerRun
from pddl2nl.experiments.preparing import apply_profile, profiles, roles_of, unused_options
from pddl2nl.experiments.records.writer import record_name
from pddl2nl.experiments.runs import Job, run_job
from pddl2nl.experiments.specification.columns import (
    SEEDS,
    WALK_SEEDS,
    ColumnReader,
    Defaults,
    Numbered,
    distinct,
    fits,
    policy_of,
    where,
)
from pddl2nl.experiments.specification.domains import SpecDomain, SpecTask, matches, read_domains
from pddl2nl.experiments.specification.schema import (
    NO_MODEL,
    PLANNER_OPTIONS,
    RUN_KEYS,
    TABLES,
    AccessTable,
    Column,
    SpecFile,
    file_tables,
    many,
)
from pddl2nl.files import write_text_file
from pddl2nl.llm import Completion, MissingKeyError, Price, public_url
from pddl2nl.llm.endpoint.redaction import Redactor, secrets_of_url
from pddl2nl.llm.endpoint.urls import host_of
from pddl2nl.llm.settings import load_catalogue
from pddl2nl.nl import Wording, provenance_warnings, template_wording, wording_warnings
from pddl2nl.pddl import Domain
from pddl2nl.plugins import provided
from pddl2nl.policies import make_policy, policies
from pddl2nl.policies.budget import Limits
from pddl2nl.policies.paper import paper_tables, system_tables
from pddl2nl.policies.spec import RunSpec
from pddl2nl.tasks import shipped_domains

if TYPE_CHECKING:
    from pddl2nl.experiments.sweep import SweepSummary

_ONLY_PLAN = ("oracle", "script")
"""The kinds of models that take no other role."""
_WORDS = ("default", "template", "llm")

Row = tuple[str, str, str]
"""Label, section and variant of a row."""


@dataclass(frozen=True)
class Overrides:
    """Values of the command line that replace those of every column, and names or patterns of the tasks to run."""

    model: str = ""
    seeds: tuple[int, ...] = ()
    instances: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()


Placed = tuple[tuple[Job, Row, str], ...]
"""Runs with their rows and the labels of their columns."""


class Asking(Protocol):
    """What an experiment asks models instead of running policies; made of an experiment and the value of its key.

    Attributes:
        table: the value of the key in a specification.
        of_tasks: whether it asks about the domains of the specification.
        tables: the kinds of the tables to report.
        how: how its cost is estimated, for people.
        mistakes: those that the oracle can make.
    """

    table: ClassVar[type[msgspec.Struct]]
    of_tasks: bool
    tables: Sequence[str]
    how: str
    mistakes: Collection[str]

    def placed(
        self, folder: Path, *, keep: bool, on_progress: Callable[[int, int], None]
    ) -> tuple[Placed, tuple[LayoutColumn, ...]]:
        """All that is asked, and the columns; what is made may be kept in the folder of the records with ``keep``.

        ``on_progress`` is called with the number of parts that are made, and of all. Raises `InputError` if there is
        nothing to ask.
        """

    def call(self, asked: Any) -> tuple[str, float, float]:
        """The model of what a job is about, and the tokens of its prompt and its reply, estimated."""


class Experiment:
    """Columns on tasks, checked as a whole before anything runs.

    Args:
        file: the file that specifies it; None for an experiment of Python.
        overrides: values that replace those of the specification.
        tables: the keys of a specification file (docs/reference/experiment-files.md); ``columns`` may hold `Column`
            objects. Paths are relative to the file, else to the working directory.

    Attributes:
        columns: in the order of the specification, those of planners last.
        options: of runs and planners, for all columns; ``policy_options`` those of policies.
        models_for, files: the same for all columns; ``models`` those of all columns.
        left_out: impossible combinations and tasks that are not run, a sentence each.
        notes: things to check by hand, a sentence each.
        asked: what is asked instead of running policies; None if policies are run.
        prices: what tokens cost by model, None where it is unknown; empty before `prepare`.

    Raises:
        InputError: an unknown key or a wrong value; the message has its place in the file.
    """

    def __init__(self, *, file: SpecFile | None = None, overrides: Overrides | None = None, **tables: Any):
        self.given = tables
        self.overrides = overrides = overrides or Overrides()
        self.file = file = file or SpecFile(name=str(tables.get("name") or "experiment"))
        file.data = tables
        self.top = top = file.convert(tables, file_tables())
        self.name = top.name or file.path.stem
        self.profile: Mapping[str, Any] = {} if top.profile is None else profiles()[top.profile]
        self.left_out: list[str] = []
        self.notes: list[str] = []
        self.prices: Mapping[str, Price | None] = {}
        self._asked_columns: tuple[LayoutColumn, ...] = ()
        self.budget = Limits(None, top.budgets.calls, top.budgets.tokens, top.budgets.usd)
        models_file = top.access.models
        self.models_file = None if models_file is None else file.existing(models_file, "access", "models")
        names = tuple(dict.fromkeys(top.models)) or tuple(filter(None, (self.profile.get("model"),)))
        names = names or tuple(filter(None, (overrides.model,)))
        models = (overrides.model,) if overrides.model else tuple(map(file.model, names))
        self._check_top()
        self.asked = self._asking(models)
        domains: list[SpecDomain] = []
        if self.asked is None or self.asked.of_tasks:
            instances = tuple(dict.fromkeys(top.instances))
            domains = self._selected(read_domains(file, top.domains, instances, self.left_out, self.notes))
        columns = self._read_columns(names, domains)
        headings = [column.heading for column in columns]
        self.tables = tuple(self._layout_table(number, headings) for number in range(len(top.tables)))
        if not self.tables:
            self.tables = tuple(map(LayoutTable, self.asked.tables if self.asked else ("coverage",)))
        self.columns = tuple(columns)
        self.models = tuple(dict.fromkeys(each.model for each in columns if each.model != NO_MODEL)) or models
        self.domains = tuple(self._worded(columns, domains))

    def __repr__(self) -> str:
        tasks = sum(len(domain.tasks) for domain in self.domains)
        return f"<Experiment {self.name}: {len(self.columns)} columns on {tasks} tasks>"

    def overridden(self, overrides: Overrides) -> Self:
        """The experiment with values of the command line."""
        if overrides == self.overrides:
            return self
        file = SpecFile(self.file.path) if self.file.text else None
        return type(self)(file=file, overrides=overrides, **self.given)

    # ── checks ───────────────────────────────────────────────────────────────────────────────────

    def _check_top(self) -> None:
        top, error = self.top, self.file.error
        if top.base_url is not None and host_of(top.base_url) is None:
            address = public_url(top.base_url)
            raise error(f"base_url is '{address}'; expected an address such as http://localhost:8000/v1", "base_url")
        if not top.domains:
            known = ", ".join(shipped_domains())
            raise error(f"domains is missing: domains = [NAMES] (shipped: {known}), or files")
        runs = [key for key in ("policies", "columns", "baselines") if getattr(top, key)]
        asked = next((system.name for system, _ in provided("asks") if getattr(top, system.name) is not None), "")
        if asked and runs:
            raise error(f"[{asked}] takes the place of runs: leave out {' and '.join(runs)}", runs[0])
        if not asked and not runs:
            known = ", ".join(each.name for each in policies() if not each.preset)
            raise error(f"nothing is to be run: policies = [{known}], [[columns]] or baselines are missing")
        for key in ("policies", "styles"):
            if top.columns and getattr(top, key):
                raise error(f"'{key}' multiplies, and 'columns' names what is run: leave one of them out", key)
        if "workers" in top.cluster:
            # Dask checks everything else.
            self.file.convert({"workers": top.cluster["workers"]}, AccessTable, "cluster")

    def _asking(self, models: tuple[str, ...]) -> Asking | None:
        """What is asked instead of running policies."""
        for system, asking in provided("asks"):
            if (table := getattr(self.top, system.name)) is not None:
                if not models:
                    raise self.file.error('models is missing: models = ["oracle"] needs no key', system.name)
                made: Asking = asking(self, table)
                return made
        return None

    def wrong_model(self, model: str, message: str) -> None:
        """Notes an error where the file names the model, or its profile."""
        if model == self.overrides.model:
            self.file.wrong(f"--model {model}: {message}")
        else:
            self.file.wrong_model(model, message)

    # ── tasks and tables ─────────────────────────────────────────────────────────────────────────

    def _selected(self, domains: list[SpecDomain]) -> list[SpecDomain]:
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

    def _layout_table(self, number: int, headings: Sequence[str]) -> LayoutTable:
        """A table of the specification, if its kind and columns exist and the paper's numbers fit it."""
        table, place = self.top.tables[number], ("tables", number)
        known = (*TABLES, *system_tables())
        if table.kind not in known:
            hint = did_you_mean(table.kind, known) or f"; there are {', '.join(known)}"
            message = f"{dotted((*place, 'kind'))} is '{table.kind}'{hint}"
            raise self.file.error(message, *place, "kind", value=table.kind)
        for heading in table.columns:
            if heading not in headings:
                hint = did_you_mean(heading, headings) or _there_are(headings)
                message = f"no column is called '{heading}'{hint}"
                raise self.file.error(message, *place, "columns", value=heading)
        fitting = [name for name, laid in paper_tables().items() if laid.kind == table.kind]
        if table.paper and table.paper not in fitting:
            hint = did_you_mean(table.paper, fitting) or _there_are(fitting)
            message = f"the numbers of '{table.paper}' do not fit a table of the kind '{table.kind}'{hint}"
            raise self.file.error(message, *place, "paper", value=table.paper)
        return table

    # ── columns ──────────────────────────────────────────────────────────────────────────────────

    def _read_columns(self, models: tuple[str, ...], domains: Sequence[SpecDomain]) -> list[Column]:
        top, file = self.top, self.file
        given = dict(top.options)
        models_for = file.convert(given.pop("models-for", {}), dict[str, str], "options", "models-for")
        files = file.convert(given.pop("files", {}), dict[str, str], "options", "files")
        self.options, own = file.options(given, "options")
        wordings = tuple(dict.fromkeys(top.wordings)) or (self.profile.get("wording", "default"),)
        seeds = tuple(dict.fromkeys(top.seeds))
        self._wordings = wordings
        reader = ColumnReader(file, top, Defaults(models, wordings, seeds or SEEDS, seeds or WALK_SEEDS), own)
        numbered = reader.columns()
        columns = [column for _, column in numbered]
        self.left_out += reader.left_out
        self.policy_options = reader.shared
        self.models_for = reader.models(models_for, columns, "options", "models-for")
        self.files = reader.files(files, columns, "options", "files")
        self._check_names(numbered, domains)
        changed = [(number, self._overridden(column, domains)) for number, column in numbered]
        # With one model in place of several, columns that they told apart are the same.
        once = [each for index, each in enumerate(changed) if each not in changed[:index]]
        named = distinct(file, once, domains)
        self._check_examples(named, domains)
        return [column for _, column in named]

    def _check_names(self, columns: Sequence[Numbered], domains: Sequence[SpecDomain]) -> None:
        if self.overrides.domains or self.overrides.sections:
            return
        for key, names in (
            ("domains", [name for one in domains for name in (one.row, one.label)]),
            ("sections", [one.part for one in domains]),
        ):
            for number, column in columns:
                for pattern in many(getattr(column, key)):
                    if not matches(names, [pattern]):
                        hint = did_you_mean(pattern, names) or _there_are(names)
                        message = f"no {key.removesuffix('s')} here is called '{pattern}'{hint}"
                        raise self.file.error(message, *where(number), key, value=pattern)

    def _check_examples(self, columns: Sequence[Numbered], domains: Sequence[SpecDomain]) -> None:
        """Refuses an example for domains that are transformed."""
        examples: list[tuple[Mapping[str, Any], tuple[Key, ...]]] = [(self.options, ())]
        examples += [(column.options, where(number)) for number, column in columns]
        for options, place in examples:
            if options.get("example", "none") != "none" and any(one.changes for one in domains):
                raise self.file.error(
                    "the example is a problem of a domain as it is before its transformation, and one in 'domains' is "
                    "transformed; leave it out: examples of shipped domains are transformed along with these",
                    *place,
                    "options",
                    "example",
                )

    def _overridden(self, column: Column, domains: Sequence[SpecDomain]) -> Column:
        """The column with the model and the seeds of the command line; a model may be able to do nothing but plan."""
        model, seeds = self.overrides.model, self.overrides.seeds
        if seeds and column.kind != "planner":
            column = msgspec.structs.replace(column, seeds=seeds)
        if not model or column.kind != "model":
            return column
        column = msgspec.structs.replace(column, model=model)
        if model.partition(":")[0] not in _ONLY_PLAN or column.style != "nl":
            return column
        own = {**self.models_for, **column.models_for}
        given = {**self.profile, **self.options, **column.options}
        options = dict(column.options)
        if given.get("translator", "reader") != "reader" and "translator" not in own:
            options["translator"] = "reader"
        if policy_of(column).thoughts and given.get("thoughts") == "llm" and "thoughts" not in own:
            options["thoughts"] = "template"
        # The own wording of a renamed domain would reveal what its names hide.
        wording, said = "default", "the domain's own wording"
        if any(one.renamed for one in domains):
            wording, said = "template", "the template"
        worded = column.wording == "llm" and "wording" not in own
        note = (
            f"--model {model} can only plan: {said} replaces one by a model, the reader replaces translations, and "
            "templates replace the example's thoughts"
        )
        if (worded or options != column.options) and note not in self.notes:
            self.notes.append(note)
        return msgspec.structs.replace(column, wording=wording if worded else column.wording, options=options)

    # ── wordings ─────────────────────────────────────────────────────────────────────────────────

    def _worded(self, columns: Sequence[Column], domains: Sequence[SpecDomain]) -> list[SpecDomain]:
        """The domains with their wordings; a file that fits some of them is left out for the others.

        Without ``[[columns]]`` every wording is for every domain.
        """
        used = {column.wording for column in columns if column.kind == "model" and column.wording}
        shared = () if self.top.columns else tuple(each for each in self._wordings if each != "llm" or each in used)
        naming = [column for column in columns if column.kind == "model" and column.wording]
        wordings: list[dict[str, Wording | str]] = [{} for _ in domains]
        for label in dict.fromkeys((*shared, *(column.wording for column in naming))):
            users = [column for column in naming if column.wording == label]
            misfits: dict[str, str] = {}
            for one, labelled in zip(domains, wordings, strict=True):
                if label in shared or any(fits(column, one) for column in users):
                    try:
                        labelled[label] = self._wording(label, one)
                    except InputError as error:
                        misfits[one.label] = str(error)
            if misfits and not any(label in labelled for labelled in wordings):
                key = "wording" if self.top.columns else "wordings"
                raise self.file.error(f"{key}: {next(iter(misfits.values()))}", value=label)
            self.left_out += [f"wording {label} for {name}: {reason}" for name, reason in misfits.items()]
        for one, labelled in zip(domains, wordings, strict=True):
            own = labelled.get("default")
            if one.renamed and isinstance(own, Wording) and own != template_wording(one.domain):
                self.notes.append(
                    f"{one.label}: its default wording tells the meaning of the original names; "
                    'wordings = ["template"] tells only its new names'
                )
        return [replace(one, wordings=labelled) for one, labelled in zip(domains, wordings, strict=True)]

    def _wording(self, label: str, one: SpecDomain) -> Wording | str:
        if label in _WORDS:
            return label if label == "llm" else one.worded(None if label == "default" else label)
        name = wording_file(label, one)
        path = self.file.path_of(name)
        if not path.is_file():
            hint = did_you_mean(name, _WORDS)
            raise InputError(f"{name!r} is none of {', '.join(_WORDS)}, and there is no file {path}{hint}")
        return one.worded(str(path))

    # ── runs ─────────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def runs(self) -> tuple[tuple[SpecDomain, SpecTask, Column, Job], ...]:
        """The runs of policies, with the tasks and columns that they are for."""
        return tuple(
            (domain, task, column, self._run_job(domain, task, column, seed))
            for domain, task, column in self._fitting()
            for seed in (() if column.kind == "planner" else column.seeds)
        )

    @cached_property
    def searches(self) -> tuple[tuple[SpecDomain, SpecTask, Column, Job], ...]:
        """The runs of planners, with the tasks and columns that they are for."""
        seconds = self.options.get("planner_seconds", DEFAULT_SECONDS)
        memory = self.options.get("planner_memory")
        found = []
        for domain, task, column in self._fitting():
            if column.kind == "planner":
                parts = (domain.name, task.name, column.policy)
                limits = (column.policy, seconds, memory, task.texts)
                search = PlannerRun(domain.path, task.path, *limits, domain.name, task.name, parts)
                found.append((domain, task, column, Job(search, search.name, search.play)))
        return tuple(found)

    def _fitting(self) -> Iterator[tuple[SpecDomain, SpecTask, Column]]:
        for domain in self.domains:
            for task, column in product(domain.tasks, self.columns):
                worded = column.kind != "model" or not column.wording or column.wording in domain.wordings
                if worded and fits(column, domain):
                    yield domain, task, column

    @cached_property
    def placed(self) -> Placed:
        """All runs with their rows and the labels of their columns; one run may belong to several columns.

        Raises:
            InputError: there is nothing to run.
        """
        every: list[tuple[SpecDomain, SpecTask, Column, Job]] = [*self.runs, *self.searches]
        placed = tuple(
            (job, (domain.row, domain.section, column.variant), column.heading) for domain, _, column, job in every
        )
        if not placed:
            place = "policies" if self.top.policies else "columns"
            raise self.file.error(f"nothing is left to be run: {'; '.join(self.not_run())}", place)
        return placed

    @cached_property
    def jobs(self) -> dict[str, Job]:
        """The runs, each once, by their names."""
        return {job.name: job for job, _, _ in self.placed}

    def _run_job(self, domain: SpecDomain, task: SpecTask, column: Column, seed: int) -> Job:
        parts: tuple[str, ...] = (domain.name, task.name, column.policy)
        if column.kind == "model":
            label = "pddl" if column.style == "pddl" else Path(wording_file(column.wording, domain)).stem
            parts = (*parts, column.model.rpartition("/")[2], label)
        return run_job(self._run(domain, task, column, seed), (*parts, str(seed)), self.models_file)

    def _run(self, domain: SpecDomain, task: SpecTask, column: Column, seed: int) -> RunSpec:
        policy = policy_of(column, self.policy_options)
        idle = unused_options(policy, column.style)
        options = {key: value for key, value in {**self.options, **column.options}.items() if key in RUN_KEYS}
        options = {key: value for key, value in options.items() if key not in idle and key not in PLANNER_OPTIONS}
        if task.example is not None and "example" not in idle:
            options.setdefault("example", task.example)
        own = {**self.policy_options, **column.options}
        run = RunSpec(
            task=task.task,
            policy=column.policy,
            options={key: value for key, value in own.items() if key in type(policy).__struct_fields__},
            model="oracle" if column.model == NO_MODEL else column.model,
            wording=domain.wordings.get(column.wording) if column.wording else None,
            style=column.style,
            seed=seed,
            files={name: path for name, path in {**self.files, **column.files}.items() if name in policy.files},
            suite=domain.name,
            task_name=task.name,
            **options,
        )
        if self.top.profile is not None:
            run = apply_profile(run, self.top.profile, {*self.options, *column.options, "model", "wording"})
            policy = make_policy(run.policy, run.options)
        asked = [role for role, why in roles_of(policy, run).items() if policy.needs_model and not why]
        if run.example == "none":
            asked = [role for role in asked if role != "thoughts"]
        models = {role: model for role, model in {**self.models_for, **column.models_for}.items() if role in asked}
        reached = any(behind_endpoint(model) for model in (column.model, *models.values()) if model != NO_MODEL)
        return replace(run, models=models, base_url=self.top.base_url if reached else None)

    def not_run(self) -> Iterator[str]:
        """Combinations, tasks and options that are left out of the experiment, a sentence each."""
        yield from self.left_out
        idle = self.idle_options(self.columns)
        yield from (
            f"options.{key}: nothing in this experiment uses it"
            for key in (*self.options, *self.policy_options)
            if key in idle
        )
        for column in self.columns:
            idle = self.idle_options([column])
            yield from (f"column {column.label}: it has no use for {key}" for key in column.options if key in idle)

    def idle_options(self, columns: Sequence[Column]) -> set[str]:
        """The options of these columns and of the experiment that have no effect on any of the columns."""
        own = {key for column in columns for key in column.options}
        idle = {*RUN_KEYS, *self.policy_options, *own}
        for column in columns:
            if column.kind == "planner":
                idle -= {*PLANNER_OPTIONS}
                continue
            policy = policy_of(column, self.policy_options)
            unused = {*unused_options(policy, column.style), *PLANNER_OPTIONS}
            used = ({*RUN_KEYS} - unused) | {*type(policy).__struct_fields__}
            idle -= used
        return idle

    # ── made ready for a folder ──────────────────────────────────────────────────────────────────

    def prepare(
        self,
        folder: Path,
        access: Access | None = None,
        *,
        dry_run: bool = False,
        asked_here: bool = True,
        on_progress: Callable[[int, int], None] = lambda done, of: None,
    ) -> None:
        """Checks the models, and makes what an experiment asks that runs no policies.

        With ``dry_run`` nothing is written to the folder of its records. With ``asked_here`` models are asked by this
        machine, which then needs their keys. ``on_progress`` is called with the number of parts made, and of all.

        Raises:
            InputError: a model cannot be asked, or there is nothing to run.
        """
        self.prices = check_models(self, access or Access(), asked_here=asked_here)
        if self.asked is not None:
            # In place of the cached property of an experiment that runs policies.
            placed = self.asked.placed(folder, keep=not dry_run, on_progress=on_progress)
            self.__dict__["placed"], self._asked_columns = placed
        assert self.placed, "it raises if there is nothing to run"

    def run(self, out: str | Path | None = None, *, workers: int = 4, cache: str | Path | None = None) -> SweepSummary:
        """Runs what is missing in a folder; `pddl2nl.load_records` reads the result.

        Args:
            out: the folder of the records; by default ``runs/NAME``.
            workers: runs at a time.
            cache: as in `pddl2nl.run`.

        Raises:
            InputError: a model cannot be asked, or there is nothing to run.
            InfrastructureError: the folder cannot be made or read.
        """
        from pddl2nl.experiments.sweep import run_all

        folder, top = Path(out or self.folder), self.top.access
        access = reach(cache, self.models_file, top.requests_per_minute, top.tokens_per_minute)
        self.prepare(folder, access)
        self.write_down(folder)
        return run_all([*self.jobs.values()], folder, workers=workers, access=access, budget=self.budget)

    @property
    def folder(self) -> Path:
        """``runs/NAME``; ``runs/NAME-MODEL`` where the command line replaced the columns' models."""
        model = self.overrides.model
        names = [self.name, model.rpartition("/")[2]] if model else [self.name]
        return Path("runs") / "-".join(record_name(*re.split("-+", name.strip("-"))) for name in names)

    def warnings(self, folder: Path) -> Iterator[str]:
        """What is left out, texts that cannot be told apart, and records in the folder that belong to no run."""
        yield from (f"left out: {sentence}" for sentence in self.not_run())
        yield from self.notes
        for domain in self.domains:
            for wording in domain.wordings.values():
                if isinstance(wording, Wording):
                    yield from wording_warnings(wording, domain.domain)
                    yield from provenance_warnings(wording, domain.domain)
        others = sum(path.stem not in self.jobs for path in folder.glob("*.jsonl"))
        if others:
            yield (
                f"{folder} holds {others} {'record' if others == 1 else 'records'} of no run of this "
                "specification, which may have changed since; they stay, and --out DIR begins in another folder"
            )

    def write_down(self, folder: Path) -> None:
        """Writes the specification as it is run, without passwords in addresses, and the layout of its tables."""
        text = (self.file.text or f"# {self.file.name}, an experiment of Python\n") + _overrides_text(self.overrides)
        url = self.top.base_url
        if url is not None:
            text = Redactor(secrets_of_url(url)).strike(text.replace(url, public_url(url)))
        write_text_file(folder / "specification.toml", text)
        write_layout(folder, self.layout())

    def layout(self) -> TableLayout:
        """The layout: columns, rows of domains, and the place of each run.

        Columns of one name, for different domains or variants, are one column of the layout.
        """
        columns = self.layout_columns()
        numbers = {column.label: number for number, column in enumerate(columns)}
        tasks = self._rows()
        rows = {row: number for number, row in enumerate(tasks)}
        runs: dict[str, dict[Place, None]] = {}
        for job, row, heading in self.placed:
            runs.setdefault(job.name, {})[Place(rows[row], numbers[heading])] = None
        return TableLayout(
            name=self.name,
            columns=columns,
            rows=tuple(LayoutRow(*row, tasks=number) for row, number in tasks.items()),
            runs={name: tuple(places) for name, places in runs.items()},
            tables=self.tables,
            models=self.models,
        )

    def layout_columns(self) -> tuple[LayoutColumn, ...]:
        """The columns; of several with one name, the first without a variant describes them."""
        if self.asked is not None:
            return self._asked_columns
        columns = {column.heading: column for column in self.columns}
        columns.update((column.heading, column) for column in reversed(self.columns) if not column.variant)
        return tuple(
            LayoutColumn(
                name=column.name,
                group=column.group or "",
                kind=column.kind,
                policy=column.policy,
                model=column.model if column.kind == "model" else "",
                style=column.style if column.kind == "model" else "",
                wording=column.wording,
                options={**column.options, **({"models": column.models_for} if column.models_for else {})},
            )
            for column in columns.values()
        )

    def _rows(self) -> dict[Row, int]:
        """The rows in their order, each with its number of tasks."""
        if self.asked is not None:
            return dict(Counter(row for _, row, _ in self.placed))
        used = {(domain.path, domain.row, domain.section, column.variant) for domain, _, column in self._fitting()}
        tasks: dict[Row, int] = {}
        sections = [*dict.fromkeys(domain.section for domain in self.domains)]
        for domain in sorted(self.domains, key=lambda domain: sections.index(domain.section)):
            for variant in dict.fromkeys(("", *(column.variant for column in self.columns))):
                row = (domain.row, domain.section, variant)
                if not variant or (domain.path, *row) in used:
                    tasks[row] = tasks.get(row, 0) + len(domain.tasks)
        return tasks


def load_experiment(path: str | Path, overrides: Overrides | None = None) -> Experiment:
    """The experiment that a file specifies; raises `InputError` with the place of an error in it."""
    file = SpecFile(Path(path))
    return Experiment(file=file, overrides=overrides, **file.data)


# ── checked before anything runs ─────────────────────────────────────────────────────────────────────


def check_models(spec: Experiment, access: Access, *, asked_here: bool = True) -> dict[str, Price | None]:
    """Makes every model once, and finds the planner where one is needed; gives what their tokens cost.

    Unless this process asks the models (``asked_here``), it needs no key; a missing one is a warning.

    Raises:
        InputError: models that cannot be set up, whose price is not known where it must be, or that cannot do what
            they are there for; no planner where one is needed. The message has all errors with their places.
    """
    first = {(id(task), id(column)): job for _, task, column, job in reversed(spec.runs)}
    asking = [job for job in first.values() if job.asks_model]
    runs = [job.about for job in asking]
    own = dict.fromkeys(str(run.model) for run in runs) if spec.asked is None else dict.fromkeys(spec.models)
    models = own | dict.fromkeys(str(model) for run in runs for model in run.models.values())
    if any(map(behind_endpoint, models)):
        # A cache that cannot be opened is no model's fault.
        access.opened_cache()
    prices = {}
    for model in models:
        able = [
            {*make_policy(run.policy, run.options).mistakes}
            for run in runs
            if model in map(str, (run.model, *run.models.values()))
        ]
        prices[model] = _price(spec, model, access, asked_here, set.intersection(*able) if able else None)
    _check_oracle(spec, runs)
    _check_planner(spec)
    spec.file.check()
    return prices


def _price(
    spec: Experiment, model: str, access: Access, asked_here: bool, mistakes: Collection[str] | None
) -> Price | None:
    """What a model's tokens cost, having made it for each domain; ``mistakes`` are those of all its policies."""
    price: Price | None = None
    # What is asked may be about no domain of ours.
    for domain in spec.domains or (None,):
        try:
            wordings = () if domain is None else domain.wordings.values()
            worded = next((each for each in wordings if isinstance(each, Wording)), None)
            pddl = Domain("unknown") if domain is None else domain.domain
            base_url = spec.top.base_url if behind_endpoint(model) else None
            wording = worded or template_wording(pddl)
            made = make_model(model, ModelContext(pddl, wording, base_url, access, load=asked_here, mistakes=mistakes))
            price = made.price_of(Completion("", model=made.model.name))
            priced = made.priced
        except MissingKeyError as error:
            if asked_here:
                spec.wrong_model(model, str(error))
                return None
            if domain is None or domain is spec.domains[0]:
                access.warn(str(error))
            price = load_catalogue(access.models_file).of(model.removeprefix("openai:")).price
            priced = price is not None
        except InputError as error:
            spec.wrong_model(model, str(error))
            return None
        if spec.budget.usd is not None and not priced:
            spec.file.wrong(
                f"budgets.usd needs to know what tokens cost, and for the model '{model}' this is not known; bound "
                "the experiment by tokens or calls, or give the price in a file for access.models",
                "budgets",
                "usd",
            )
            return None
    return price


def _check_oracle(spec: Experiment, runs: Iterable[RunSpec]) -> None:
    noted = set()
    for run in runs:
        for role, needed in (("translator", run.translator != "reader"), ("wording", run.wording == "llm")):
            if needed and str(run.models.get(role, run.model)).partition(":")[0] == "oracle":
                noted.add(("translate" if role == "translator" else "word a domain", role))
    for what, role in sorted(noted):
        spec.wrong_model(
            "oracle",
            f"it speaks the wording and no PDDL, so it cannot {what}; name a model that can by models-for.{role}",
        )


def _check_planner(spec: Experiment) -> None:
    wants: list[tuple[str, str]] = []
    key = "policies" if spec.top.policies else "columns"
    for column in spec.columns:
        if column.kind == "planner":
            wants.append(("baselines", "leave them out"))
            continue
        policy, options = policy_of(column, spec.policy_options), {**spec.options, **column.options}
        if not policy.one_shot and "steps" not in options:
            wants.append((key, "without a planner, give the step limit by options.steps"))
        if policy.needs_model and options.get("example") != "none" and "example_plan" not in options:
            remedy = "give a solved problem by options.example and options.example_plan"
            wants.append((key, f'without a planner, {remedy} (or take none by example = "none")'))
    if not wants:
        return
    try:
        find_driver()
    except InputError as error:
        for key, remedy in dict.fromkeys(wants):
            spec.file.wrong(f"{error}; {remedy}", key)


# ── names ────────────────────────────────────────────────────────────────────────────────────────────


def wording_file(label: str, domain: SpecDomain) -> str:
    """The name of a wording for a domain: ``w/{domain}.json`` is one file for each."""
    return label.replace("{domain}", domain.row)


def _chosen(name: str, patterns: Sequence[str]) -> bool:
    return not patterns or matches([name], patterns)


def _there_are(names: Sequence[str]) -> str:
    return f"; there are {', '.join(dict.fromkeys(filter(None, names))) or 'none'}"


def _overrides_text(overrides: Overrides) -> str:
    """The command line's options that replaced values of the file, as comments below it."""
    lists = {name: getattr(overrides, name) for name in ("seeds", "instances", "domains", "sections")}
    options = [("model", overrides.model)] if overrides.model else []
    options += [(name, ",".join(map(str, values))) for name, values in lists.items() if values]
    # A line break in a value would end the comment.
    lines = [f"# run with --{option} {' '.join(value.split())}\n" for option, value in options]
    return "".join(["\n", *lines]) if lines else ""

"""The runs of an experiment, every column on every task that it fits, and the layout of its tables.

A policy that asks no model is run once for each task and seed; style ``pddl`` needs no wording, so it is run once for
each model and seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pddl2nl.baselines import DEFAULT_SECONDS
from pddl2nl.errors import InputError
from pddl2nl.experiments.choices import unused_options
from pddl2nl.experiments.jobs import PlannerSpec, RunJob, make_job
from pddl2nl.experiments.layout import LayoutColumn, LayoutRow, Place, TableLayout
from pddl2nl.experiments.models import MODELS
from pddl2nl.experiments.profiles import PROFILES, apply_profile
from pddl2nl.experiments.specification.columns import (
    NO_MODEL,
    SYMBOLIC,
    TITLES,
    Repetition,
    SpecColumn,
    policy_of,
)
from pddl2nl.experiments.specification.domains import SpecDomain, SpecTask
from pddl2nl.experiments.specification.experiment import ExperimentSpec, wording_file
from pddl2nl.experiments.specification.schema import OPTIONS, PLANNER_OPTIONS
from pddl2nl.policies.spec import RunSpec


@dataclass(frozen=True)
class Cell:
    """Runs of one column on one task that differ only in their seeds."""

    domain: SpecDomain
    task: SpecTask
    column: SpecColumn
    model: str
    wording: str
    runs: tuple[RunSpec, ...]

    @property
    def policy(self) -> str:
        """Of `POLICIES`."""
        return self.column.policy

    @property
    def style(self) -> str:
        """``nl`` or ``pddl``."""
        return self.column.style

    @property
    def parts(self) -> tuple[str, ...]:
        """The readable parts of its records' names."""
        parts = (self.domain.name, self.task.name, self.policy)
        if not policy_of(self.policy).needs_model:
            return parts
        label = "pddl" if self.style == "pddl" else Path(wording_file(self.wording, self.domain)).stem
        return (*parts, self.model.rpartition("/")[2], label)

    def jobs(self, models_file: Path | None = None) -> list[RunJob]:
        """Its runs with their names."""
        return [make_job(run, *self.parts, str(run.seed), models_file=models_file) for run in self.runs]


def cells(spec: ExperimentSpec) -> Iterator[Cell]:
    """The runs of policies, in the order of the file."""
    for domain in spec.domains:
        columns = [column for column in spec.columns if column.fits(domain)]
        for task in domain.tasks:
            for column in columns:
                for some in _alike(column):
                    wording = some[0].wording
                    if column.kind == "model" and column.style == "nl" and wording not in domain.wordings:
                        continue
                    runs = tuple(_run(spec, domain, task, column, each) for each in some)
                    yield Cell(domain, task, column, some[0].model, wording, runs)


def _alike(column: SpecColumn) -> list[list[Repetition]]:
    """The repetitions of a column, grouped if they differ only in their seeds."""
    groups: list[list[Repetition]] = []
    for each in column.repetitions:
        group = next((group for group in groups if replace(group[0], seed=each.seed) == each), None)
        if group is None:
            groups.append(group := [])
        group.append(each)
    return groups


def _run(
    spec: ExperimentSpec, domain: SpecDomain, task: SpecTask, column: SpecColumn, repetition: Repetition
) -> RunSpec:
    idle = {*PLANNER_OPTIONS, *unused_options(column.policy, column.style)}
    options: dict[str, Any] = {**spec.options, **repetition.options}
    options = {key: value for key, value in options.items() if key not in idle}
    if task.example is not None and "example" not in idle:
        options.setdefault("example", task.example)
    roles = ("thoughts_model", "body_model", "replanner_model")
    asked = [repetition.model, *(options.get(role, NO_MODEL) for role in roles)]
    if options.get("translator", "reader") != "reader":
        asked.append(options.get("translator_model", NO_MODEL))
    if repetition.wording == "llm":
        asked.append(options.get("wording_model", NO_MODEL))
    run = RunSpec(
        task=task.task,
        policy=column.policy,
        model="oracle" if repetition.model == NO_MODEL else repetition.model,
        wording=domain.wordings.get(repetition.wording) if column.style == "nl" else None,
        style=column.style,
        seed=repetition.seed,
        base_url=spec.base_url if any(map(behind_endpoint, asked)) else None,
        suite=domain.name,
        task_name=task.name,
        **options,
    )
    if spec.profile is None:
        return run
    return apply_profile(run, spec.profile, {*spec.options, "model", "wording", *repetition.options})


def behind_endpoint(model: str) -> bool:
    """Whether a model of this name is behind an endpoint."""
    kind = model.partition(":")[0]
    return model != NO_MODEL and (kind not in MODELS or kind in ("openai", "litellm"))


# ── left out ────────────────────────────────────────────────────────────────────────────────────


def left_out(spec: ExperimentSpec) -> Iterator[str]:
    """Combinations, tasks and options that are left out of the experiment, a sentence each."""
    yield from spec.left_out
    idle = idle_options(spec, spec.columns)
    yield from (f"options.{key}: nothing in this experiment uses it" for key in spec.options if key in idle)
    for column in spec.columns:
        idle = idle_options(spec, [column])
        yield from (f"column {column.label}: it has no use for {key}" for key in column.options if key in idle)


def idle_options(spec: ExperimentSpec, columns: Sequence[SpecColumn]) -> set[str]:
    """The options of ``[options]`` that have no effect on any of the columns, nor on baselines."""
    idle = {*OPTIONS.__struct_fields__}
    language = {} if spec.profile is None else PROFILES[spec.profile]
    for column in columns:
        wording = "llm" if "llm" in column.wordings else ""
        values = {"translator": "reader", **language, **spec.options, **column.options, "wording": wording}
        idle &= unused_options(column.policy, column.style, values).keys()
    return idle if spec.baselines else {*idle, *PLANNER_OPTIONS}


def undecided(spec: ExperimentSpec) -> bool:
    """Whether there are filters whose planner has not been asked yet."""
    return any(task.filters for domain in spec.domains for task in domain.tasks)


# ── runs in their places ─────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Placed:
    """A run with its domain and its column: that of a policy, or the planner's name."""

    job: RunJob
    domain: SpecDomain
    column: SpecColumn | str

    @property
    def heading(self) -> str:
        """The heading of its column, and its group."""
        return f"{SYMBOLIC} {TITLES[self.column]}" if isinstance(self.column, str) else self.column.heading

    @property
    def row(self) -> tuple[str, str, str]:
        """Label, section and variant of its row."""
        variant = "" if isinstance(self.column, str) else self.column.variant
        return self.domain.row, self.domain.section, variant


def placed_jobs(spec: ExperimentSpec, table: Iterable[Cell] | None = None) -> list[Placed]:
    """All runs with their places: policies first, then baselines, task by task; one run may belong to several columns.

    Args:
        spec: the experiment.
        table: its cells, if they were made already.

    Raises:
        InputError: there is nothing to run, or filters are not decided yet
            (`pddl2nl.experiments.specification.filters.narrow`).
    """
    if undecided(spec):
        raise InputError(f"{spec.path}: which tasks pass solved-by is not decided yet: narrow(spec) does so")
    placed = [
        Placed(job, cell.domain, cell.column)
        for cell in (cells(spec) if table is None else table)
        for job in cell.jobs(spec.models_file)
    ]
    seconds = spec.options.get("planner_seconds", DEFAULT_SECONDS)
    memory = spec.options.get("planner_memory")
    for domain in spec.domains:
        for task in domain.tasks:
            for planner in spec.baselines:
                planned = PlannerSpec(
                    domain.path, task.path, planner, seconds, memory, task.texts, suite=domain.name, task=task.name
                )
                placed.append(Placed(make_job(planned, domain.name, task.name, planner), domain, planner))
    if not placed:
        place = "policies" if "policies" in spec.file.data else "columns"
        raise spec.file.error(f"nothing is left to be run: {'; '.join(left_out(spec))}", place)
    return placed


def jobs_of(spec: ExperimentSpec) -> list[RunJob]:
    """All runs, each once and with its name; see `placed_jobs`."""
    return [*{each.job.name: each.job for each in placed_jobs(spec)}.values()]


def layout_of(spec: ExperimentSpec, placed: Iterable[Placed]) -> TableLayout:
    """The layout: columns, rows of domains, and the place of each run.

    Columns of one name, for different domains or variants, are one column of the layout.
    """
    placed = [*placed]
    columns = _layout_columns(spec)
    numbers = {column.label: number for number, column in enumerate(columns)}
    used = {(each.domain.path, each.row) for each in placed}
    tasks: dict[tuple[str, str, str], int] = {}
    sections = [*dict.fromkeys(domain.section for domain in spec.domains)]
    for domain in sorted(spec.domains, key=lambda domain: sections.index(domain.section)):
        for variant in dict.fromkeys(("", *(column.variant for column in spec.columns))):
            row = (domain.row, domain.section, variant)
            if not variant or (domain.path, row) in used:
                tasks[row] = tasks.get(row, 0) + len(domain.tasks)
    rows = {row: number for number, row in enumerate(tasks)}
    runs: dict[str, dict[Place, None]] = {}
    for each in placed:
        runs.setdefault(each.job.name, {})[Place(rows[each.row], numbers[each.heading])] = None
    return TableLayout(
        name=spec.name,
        columns=columns,
        rows=tuple(LayoutRow(*row, tasks=number) for row, number in tasks.items()),
        runs={name: tuple(places) for name, places in runs.items()},
        tables=spec.tables,
        models=spec.models,
    )


def _layout_columns(spec: ExperimentSpec) -> tuple[LayoutColumn, ...]:
    """The columns, then planners; of columns with one name, the first without a variant describes them."""
    columns = {column.heading: column for column in spec.columns}
    columns.update((column.heading, column) for column in reversed(spec.columns) if not column.variant)
    planners = (LayoutColumn(TITLES[planner], SYMBOLIC, "planner", planner) for planner in spec.baselines)
    return (*map(_layout_column, columns.values()), *planners)


def _layout_column(column: SpecColumn) -> LayoutColumn:
    asks = column.kind == "model"
    return LayoutColumn(
        name=column.name,
        group=column.group,
        kind=column.kind,
        policy=column.policy,
        model=", ".join(column.models),
        style=column.style if asks else "",
        wording=", ".join(column.wordings) if asks else "",
        options={key: str(value) if isinstance(value, Path) else value for key, value in column.options.items()},
    )

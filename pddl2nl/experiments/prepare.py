"""An experiment made ready by a command: filters decided, models checked, its runs and their folder known."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pddl2nl.errors import InputError
from pddl2nl.experiments.access import Access
from pddl2nl.experiments.asked import QuestionSpec
from pddl2nl.experiments.checks import check_models
from pddl2nl.experiments.estimate import HOW, QUESTIONS_HOW, Estimate, estimated_answer, estimates
from pddl2nl.experiments.jobs import PlannerSpec, RunJob
from pddl2nl.experiments.layout import TableLayout, write_layout
from pddl2nl.experiments.planner_cache import PlannerCache, default_planner_cache
from pddl2nl.experiments.records.reader import read_end
from pddl2nl.experiments.records.writer import record_name
from pddl2nl.experiments.specification.columns import SYMBOLIC, TITLES
from pddl2nl.experiments.specification.experiment import ExperimentSpec, Overrides
from pddl2nl.experiments.specification.filters import Deciding, limit_costs, narrow
from pddl2nl.experiments.specification.product import Cell, Placed, cells, layout_of, left_out, placed_jobs
from pddl2nl.experiments.specification.questions import PlacedQuestion, placed_questions, question_layout
from pddl2nl.llm import Price, public_url
from pddl2nl.llm.endpoint.redaction import Redactor, secrets_of_url
from pddl2nl.nl import Wording, provenance_warnings, wording_warnings
from pddl2nl.quantities import seeds as read_seeds
from pddl2nl.questions.question import question_prompt


@dataclass(frozen=True)
class PreparedExperiment:
    """An experiment that can be run.

    Attributes:
        spec: the experiment, its filters decided.
        folder: of its records.
        table: its cells; ``placed`` are their runs and those of planners.
        prices: what tokens cost, by model; None where it is unknown.
    """

    spec: ExperimentSpec
    folder: Path
    table: tuple[Cell, ...]
    placed: tuple[Placed, ...]
    prices: Mapping[str, Price | None]

    @cached_property
    def jobs(self) -> dict[str, RunJob]:
        """The runs, each once, by their names."""
        return {each.job.name: each.job for each in self.placed}

    def warnings(self) -> Iterator[str]:
        """What is left out, texts that cannot be told apart, and records in the folder that belong to no run."""
        yield from (f"left out: {sentence}" for sentence in left_out(self.spec))
        yield from self.spec.notes
        for domain in self.spec.domains:
            for wording in domain.wordings.values():
                if isinstance(wording, Wording):
                    yield from wording_warnings(wording, domain.domain)
                    yield from provenance_warnings(wording, domain.domain)
        others = sum(path.stem not in self.jobs for path in self.folder.glob("*.jsonl"))
        if others:
            yield (
                f"{self.folder} holds {others} {'record' if others == 1 else 'records'} of no run of this "
                "specification, which may have changed since; they stay, and --out DIR begins in another folder"
            )

    def write_down(self) -> None:
        """Writes the specification as it is run, without passwords in addresses, and the layout of its tables."""
        self.folder.mkdir(parents=True, exist_ok=True)
        text = self.spec.path.read_text(encoding="utf-8") + _overrides_text(self.spec.overrides)
        url = self.spec.base_url
        if url is not None:
            # An address may be composed of variables.
            text = Redactor(secrets_of_url(url)).strike(text.replace(url, public_url(url)))
        (self.folder / "specification.toml").write_text(text, encoding="utf-8")
        write_layout(self.folder, self.layout())

    def layout(self) -> TableLayout:
        """The layout of its tables."""
        return layout_of(self.spec, self.placed)

    def is_finished(self, name: str) -> bool:
        """Whether a run has a record that says how it ended."""
        end = read_end(self.folder / f"{name}.jsonl")
        return end is not None and not end.broken

    def dry_run(self) -> DryRun:
        """What is left to be run, and an estimate of its cost by column; a run of several columns counts in one."""
        missing = {name for name in self.jobs if not self.is_finished(name)}
        columns = dict.fromkeys(map(_label, self.placed), Estimate())
        runs = Counter(dict.fromkeys(columns, 0))
        counted: dict[str, Placed] = {}
        for each in self.placed:
            if each.job.name in missing:
                runs[_label(each)] += 1
                counted.setdefault(each.job.name, each)
        asked = {id(each.job.spec) for each in counted.values()}
        left = (replace(cell, runs=tuple(run for run in cell.runs if id(run) in asked)) for cell in self.table)
        for cell, one in estimates((cell for cell in left if cell.runs), self.prices):
            columns[cell.column.label] += one
        specs = [job.spec for job in self.jobs.values() if not isinstance(job.spec, QuestionSpec)]
        kinds = Counter(one.planner if isinstance(one, PlannerSpec) else one.policy_name for one in specs)
        missing_by_column = {label: (runs[label], one) for label, one in columns.items()}
        return DryRun(self, kinds, len(self.jobs) - len(missing), missing_by_column)


@dataclass(frozen=True)
class PreparedQuestions(PreparedExperiment):
    """An experiment that asks questions."""

    questions: tuple[PlacedQuestion, ...] = ()

    @cached_property
    def jobs(self) -> dict[str, RunJob]:
        """The questions, each once for each model, by their names."""
        return {each.job.name: each.job for each in self.questions}

    def layout(self) -> TableLayout:
        """The layout of its tables."""
        return question_layout(self.spec, self.questions)

    def dry_run(self) -> DryRun:
        """What is left to be asked, and an estimate of its cost by column: the prompts are those that are asked."""
        finished = {name for name in self.jobs if self.is_finished(name)}
        columns: dict[str, tuple[int, Estimate]] = {}
        for each in {item.job.name: item for item in self.questions}.values():
            asked = each.job.spec
            assert isinstance(asked, QuestionSpec)
            missing, one = columns.get(each.column.label, (0, Estimate()))
            if each.job.name not in finished:
                prompt = question_prompt(asked.question, formal=asked.wording is None)
                missing, one = missing + 1, one + estimated_answer(prompt, asked.model, self.prices.get(asked.model))
            columns[each.column.label] = missing, one
        kinds = Counter(each.column.policy for each in self.questions)
        return DryRun(self, kinds, len(finished), columns, QUESTIONS_HOW)


@dataclass(frozen=True)
class DryRun:
    """An experiment that is not run.

    Attributes:
        prepared: the experiment.
        kinds: how many runs there are of each policy and planner.
        finished: how many of them are finished.
        columns: of each column, how many runs are missing, and their estimate.
        how: how the estimate is made.
    """

    prepared: PreparedExperiment
    kinds: Mapping[str, int]
    finished: int
    columns: Mapping[str, tuple[int, Estimate]]
    how: str = HOW

    @property
    def total(self) -> Estimate:
        """The estimate of all missing runs."""
        total = Estimate()
        for _, one in self.columns.values():
            total += one
        return total

    def as_json(self) -> dict[str, Any]:
        """The object that ``experiment --dry-run --json`` prints."""
        spec = self.prepared.spec
        columns = [{"column": label, "runs": runs, **one.as_json()} for label, (runs, one) in self.columns.items()]
        for column in columns:
            del column["how"]
        return {
            "name": spec.name,
            "runs": sum(self.kinds.values()),
            "finished": self.finished,
            "left_out": [*left_out(spec)],
            "notes": [*spec.notes],
            "estimate": {**self.total.as_json(), "how": self.how},
            "columns": columns,
            "records": str(self.prepared.folder),
        }

    def as_text(self) -> tuple[str, list[tuple[object, ...]], str]:
        """Sentences, the rows of a table by column, and how the estimate was made."""
        total, runs = self.total, sum(self.kinds.values())
        kinds = ", ".join(f"{count} {kind}" for kind, count in self.kinds.items())
        money = "price unknown" if total.usd is None else f"about {total.usd:.2f} USD"
        text = (
            f"{self.prepared.spec.name}: {runs} {'run' if runs == 1 else 'runs'} ({kinds}), of which {self.finished} "
            f"are finished in {self.prepared.folder}\n"
            f"Estimated for the rest: {total.calls} calls, {total.prompt_tokens} + {total.completion_tokens} tokens, "
            f"{money}"
        )
        rows: list[tuple[object, ...]] = [
            (
                label,
                missing,
                one.calls,
                one.prompt_tokens,
                one.completion_tokens,
                "unknown" if one.usd is None else f"{one.usd:.2f}",
            )
            for label, (missing, one) in self.columns.items()
        ]
        return text, rows, f"An estimate only: {self.how}."


def prepare_experiment(
    spec: ExperimentSpec,
    folder: Path,
    access: Access,
    *,
    planner_cache: str | None = None,
    dry_run: bool = False,
    asked_here: bool = True,
    on_progress: Callable[[Deciding], None] = lambda progress: None,
    on_questions: Callable[[int, int], None] = lambda done, of: None,
) -> PreparedExperiment:
    """Checks the models of an experiment, decides its filters, and lists its runs.

    Args:
        spec: the experiment.
        folder: of its records.
        access: how models are reached.
        planner_cache: the cache of replies, beside which planners' results are stored; ``none`` for no cache.
        dry_run: whether planners are not run: undecided tasks are kept, with a note.
        asked_here: whether models are asked by this machine, which then needs their keys.
        on_progress: called while planners decide filters.
        on_questions: called while questions are made, with the sets that are made, and of how many.

    Raises:
        InputError: a model cannot be asked, no task is left, or there is nothing to run.
    """
    prices = check_models(spec, access, asked_here=asked_here)
    spec = decide_filters(spec, planner_cache, ask=not dry_run, warn=access.warn, on_progress=on_progress)
    if spec.questions is not None:
        placed = placed_questions(spec, folder, keep=not dry_run, on_progress=on_questions)
        return PreparedQuestions(spec, folder, (), (), prices, tuple(placed))
    table = tuple(cells(spec))
    return PreparedExperiment(spec, folder, table, tuple(placed_jobs(spec, table)), prices)


def decide_filters(
    spec: ExperimentSpec,
    cache: str | None,
    *,
    ask: bool,
    warn: Callable[[str], None],
    on_progress: Callable[[Deciding], None],
) -> ExperimentSpec:
    """The experiment with the tasks that pass all filters, see `pddl2nl.experiments.specification.filters`."""
    if not any(domain.costlier or any(task.filters for task in domain.tasks) for domain in spec.domains):
        return spec
    stored = None if cache == "none" else PlannerCache(default_planner_cache(None if cache is None else Path(cache)))
    spec = limit_costs(narrow(spec, stored, ask=ask, on_progress=on_progress, warn=warn))
    return narrow(spec, stored, ask=ask, on_progress=on_progress, warn=warn)


def read_overrides(
    model: str | None,
    seeds: str | None,
    instances: str | None,
    domains: str | None,
    sections: str | None,
    defines: Sequence[str],
) -> Overrides:
    """What the command line says instead of the file; texts as typed.

    Raises:
        InputError: bad seeds or a bad definition.
    """
    try:
        numbers = () if seeds is None else read_seeds(seeds)
    except ValueError as error:
        raise InputError(f"--seeds: {error}") from None
    values: dict[str, str] = {}
    for define in defines:
        name, equals, value = define.partition("=")
        if not name.strip() or not equals:
            raise InputError(f"--define: found '{define}'; NAME=VALUE was expected")
        values[name.strip()] = value
    kind, _, file = (model or "").partition(":")
    if kind in ("script", "replay") and file:
        # Relative to the working directory, not to the specification.
        model = f"{kind}:{Path(file).expanduser().absolute()}"
    return Overrides(model or "", numbers, _parts(instances), _parts(domains), _parts(sections), values)


def _parts(names: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (names or "").split(",") if part.strip())


def default_folder(spec: ExperimentSpec) -> Path:
    """``runs/NAME``; ``runs/NAME-MODEL`` where the command line replaced the columns' models."""
    names = [spec.name, spec.overrides.model.rpartition("/")[2]] if spec.overrides.model else [spec.name]
    return Path("runs") / "-".join(record_name(*re.split("-+", name.strip("-"))) for name in names)


def _label(each: Placed) -> str:
    return f"{SYMBOLIC} {TITLES[each.column]}" if isinstance(each.column, str) else each.column.label


def _overrides_text(overrides: Overrides) -> str:
    """The command line's options that replaced values of the file, as comments below it."""
    lists = {name: getattr(overrides, name) for name in ("seeds", "instances", "domains", "sections")}
    options = [("model", overrides.model)] if overrides.model else []
    options += [(name, ",".join(map(str, values))) for name, values in lists.items() if values]
    options += [("define", f"{name}={value}") for name, value in overrides.defines.items()]
    # A line break in a value would end the comment.
    lines = [f"# run with --{option} {' '.join(value.split())}\n" for option, value in options]
    return "".join(["\n", *lines]) if lines else ""

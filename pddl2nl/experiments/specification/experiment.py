"""An experiment that can be prepared, estimated and run: a specification (`ExperimentSpec`) put to use.

The cost is estimated before any model is asked. The first prompt of a run is the real one but for its example: it is
made by the run itself, with a model that only measures. The rest is assumed: see the constants below. An estimate is
for deciding whether to begin: the records hold what was really spent, and budgets keep it within limits.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pddl2nl.baselines import find_driver
from pddl2nl.errors import InputError
from pddl2nl.experiments.models import Access, ModelContext, behind_endpoint, make_model, reach
from pddl2nl.experiments.records.reader import is_broken, read_end
from pddl2nl.experiments.runs import RunJob, run_spec
from pddl2nl.experiments.specification.columns import policy_of
from pddl2nl.experiments.specification.domains import SpecDomain, SpecTask
from pddl2nl.experiments.specification.schema import Column, SpecFile
from pddl2nl.llm import Completion, MissingKeyError, Price, Request
from pddl2nl.llm.settings import load_catalogue
from pddl2nl.llm.tokens import CHARACTERS_A_TOKEN, estimate_tokens
from pddl2nl.nl import Wording, template_wording
from pddl2nl.pddl import Domain
from pddl2nl.policies import Policy
from pddl2nl.policies.budget import LimitReachedError
from pddl2nl.policies.spec import RunSpec
from pddl2nl.tasks.references import reference_of
from pddlval import Simulator

if TYPE_CHECKING:
    from pddl2nl.experiments.sweep import SweepSummary

from pddl2nl.experiments.specification.content import Cell, ExperimentSpec, Overrides

# ── checked before anything runs ─────────────────────────────────────────────────────────────────────


def check_models(spec: ExperimentSpec, access: Access, *, asked_here: bool = True) -> dict[str, Price | None]:
    """Makes every model once, and finds the planner where one is needed; gives what their tokens cost.

    Unless this process asks the models (``asked_here``), it needs no key; a missing one is a warning.

    Raises:
        InputError: models that cannot be set up, whose price is not known where it must be, or that cannot do what
            they are there for; no planner where one is needed. The message has all errors with their places.
    """
    first = [jobs[0] for _, _, _, jobs in spec.cells]
    asking = [job for job in first if isinstance(job, RunJob) and job.policy.needs_model]
    runs = [job.spec for job in asking]
    own = dict.fromkeys(str(run.model) for run in runs) if spec.asked is None else dict.fromkeys(spec.models)
    models = own | dict.fromkeys(str(model) for run in runs for model in run.models.values())
    if any(map(behind_endpoint, models)):
        # A cache that cannot be opened is no model's fault.
        access.opened_cache()
    prices = {}
    for model in models:
        able = [
            {*job.policy.mistakes} for job in asking if model in map(str, (job.spec.model, *job.spec.models.values()))
        ]
        prices[model] = _price(spec, model, access, asked_here, set.intersection(*able) if able else None)
    _check_oracle(spec, runs)
    _check_planner(spec)
    spec.file.check()
    return prices


def _price(
    spec: ExperimentSpec, model: str, access: Access, asked_here: bool, mistakes: Collection[str] | None
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


def _check_oracle(spec: ExperimentSpec, runs: Iterable[RunSpec]) -> None:
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


def _check_planner(spec: ExperimentSpec) -> None:
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


def load_experiment(path: str | Path, overrides: Overrides | None = None) -> Experiment:
    """The experiment that a file specifies; raises `InputError` with the place of an error in it."""
    file = SpecFile(Path(path))
    return Experiment(file=file, overrides=overrides, **file.data)


class Experiment(ExperimentSpec):
    """Columns on tasks, to be run: see `ExperimentSpec` for its arguments and attributes."""

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

    def dry_run(self, folder: Path) -> dict[str, Any]:
        """What is left to be run in a folder, and an estimate of its cost by column, as ``--dry-run --json`` prints it.

        A run of several columns counts in one.
        """
        finished = {name for name in self.jobs if self._is_finished(folder, name)}
        columns = estimated_columns(self, finished)
        total = sum((one for _, one in columns.values()), Estimate())
        how = "; ".join((HOW if self.asked is None else self.asked.how, *total.assumed))
        policies = {column.label: column.policy for column in self._layout_columns()}
        kinds = Counter(
            policies[heading] for heading in {job.name: heading for job, _, heading in self.placed}.values()
        )
        return {
            "name": self.name,
            "runs": len(self.jobs),
            "kinds": dict(kinds),
            "finished": len(finished),
            "left_out": [*self._left_out()],
            "notes": self.notes,
            "estimate": {**total.as_json(), "how": how},
            "columns": [{"column": label, "runs": runs, **one.as_json()} for label, (runs, one) in columns.items()],
            "records": str(folder),
        }

    def _is_finished(self, folder: Path, name: str) -> bool:
        end = read_end(folder / f"{name}.jsonl")
        return end is not None and not is_broken(end)


# ── its cost ────────────────────────────────────────────────────────────────────────────────────────

_ACTION, _THOUGHT, _OBSERVATION = 15, 35, 25
_EXAMPLE_STEPS, _PLAN = 5, 12
_MOST_RATED = 1000
_TRANSLATION, _WORDED_SNIPPET = 600, 500

_THOUGHTS_SHOWN = ("thoughts.txt", "thoughts_example.txt", "thoughts_answer.txt")
"""The beginning of every prompt for the example's thoughts."""

HOW = (
    f"first prompts are measured ({CHARACTERS_A_TOKEN} characters a token); an "
    f"example is taken to be as long as its problem and {_EXAMPLE_STEPS} turns; a run "
    f"to take as many turns as FF's plan where that is known, else {_PLAN} "
    f"or half its limit of steps; an action to take {_ACTION} tokens, a thought {_THOUGHT}, an observation "
    f"{_OBSERVATION}; wording and thoughts to be asked for once for each domain, model and seed; nothing to be in a "
    "cache"
)
"""How the estimate is made, for people."""


@dataclass(frozen=True)
class Estimate:
    """Calls and tokens of runs; ``usd`` is None if a model's price is unknown; ``assumed`` says more of how."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = 0.0
    assumed: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The numbers, money rounded."""
        numbers = asdict(self)
        del numbers["assumed"]
        return {**numbers, "usd": None if self.usd is None else round(self.usd, 4)}

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            None if self.usd is None or other.usd is None else self.usd + other.usd,
            tuple(dict.fromkeys((*self.assumed, *other.assumed))),
        )


def estimated_columns(experiment: ExperimentSpec, finished: Collection[str]) -> dict[str, tuple[int, Estimate]]:
    """How many runs are missing of each column, and their estimate; a run of several columns counts in one."""
    columns = dict.fromkeys((f"{heading} {row[2]}".strip() for _, row, heading in experiment.placed), (0, Estimate()))
    counted = {*finished}
    if experiment.asked is not None:
        for job, _, heading in experiment.placed:
            if job.name not in counted:
                counted.add(job.name)
                model, prompt, reply = experiment.asked.call(job)
                missing, one = columns[heading]
                columns[heading] = missing + 1, one + _priced(1, prompt, reply, experiment.prices.get(model))
        return columns
    left: list[Cell] = []
    for domain, task, column, jobs in experiment.cells:
        missing_jobs = tuple(job for job in jobs if job.name not in counted)
        counted.update(job.name for job in missing_jobs)
        left.append((domain, task, column, missing_jobs))
    for (_, _, column, jobs), estimate in _estimates(left, experiment.prices):
        missing, one = columns[column.label]
        columns[column.label] = missing + len(jobs), one + estimate
    return columns


class _Measuring:
    """A model that measures the first prompt, and ends the run: what a policy does with a reply may take long."""

    name = "measuring"

    def __init__(self) -> None:
        self.lengths = 0, 0

    def complete(self, request: Request) -> Completion:
        """Measures the prompt; raises `LimitReachedError`."""
        system = sum(len(message.content) for message in request.messages if message.role == "system")
        self.lengths = system, sum(len(message.content) for message in request.messages) - system
        raise LimitReachedError("the prompt is measured")


def _estimates(cells: Iterable[Cell], prices: Mapping[str, Price | None]) -> Iterator[tuple[Cell, Estimate]]:
    """The estimate of each cell's runs; a call made once counts for the first cell that makes it."""
    lengths: dict[tuple[object, ...], tuple[float, float]] = {}
    asked: set[tuple[object, ...]] = set()
    for cell in cells:
        domain, task, column, jobs = cell
        runs = [job for job in jobs if isinstance(job, RunJob) and job.policy.needs_model]
        whole = Estimate()
        if runs:
            # A wording yet to be made counts as the template.
            wording = "template" if column.wording == "llm" else column.wording
            key = (domain.label, task.path, column.policy, column.style, wording, str(sorted(column.options.items())))
            if key not in lengths:
                lengths[key] = _measure(runs[0].spec)
            name = column.model.removeprefix("openai:")
            system, problem = (estimate_tokens(characters, name) for characters in lengths[key])
            one_run = _one_run(runs[0], task, system, problem, prices.get(column.model))
            for run in runs:
                whole += one_run
                # The other runs of this seed find the replies in the cache.
                for role, estimate in _once(run, domain, column, system, problem, prices):
                    if role not in asked:
                        asked.add(role)
                        whole += estimate
        yield cell, whole


def _once(
    job: RunJob, domain: SpecDomain, column: Column, system: float, problem: float, prices: Mapping[str, Price | None]
) -> Iterator[tuple[tuple[object, ...], Estimate]]:
    """The calls before a run, for its wording and thoughts, which are made once; each with what tells it apart."""
    run = job.spec
    if run.wording == "llm":
        model = str(run.models.get("wording", run.model))
        snippets = len(domain.domain.predicates) + len(domain.domain.actions)
        estimate = _priced(snippets, snippets * _WORDED_SNIPPET, snippets * _ACTION, prices.get(model))
        yield ("wording", domain.row, model, run.seed), estimate
    by_model = run.thoughts == "llm" or "thoughts" in run.models or behind_endpoint(str(run.model))
    if job.policy.thoughts and run.example != "none" and run.thoughts != "template" and by_model:
        model = str(run.models.get("thoughts", run.model))
        shown = estimate_tokens(sum(len(Policy.prompts.text(name)) for name in _THOUGHTS_SHOWN))
        steps = _EXAMPLE_STEPS * (_ACTION + _OBSERVATION)
        estimate = _priced(1, shown + system + problem + steps, _EXAMPLE_STEPS * _THOUGHT, prices.get(model))
        yield ("thoughts", domain.row, column.wording, model, run.seed), estimate


def _measure(run: RunSpec) -> tuple[float, float]:
    """Characters of the system prompt, and of the problem; those of Act where a policy asks nothing at first."""
    model = _Measuring()
    simple: dict[str, Any] = {"example": "none", "example_plan": None, "translator": "reader", "constrain": "off"}
    if run.wording == "llm":
        simple["wording"] = "template"
    simple |= {"model": model, "models": {}, "base_url": None, "steps": 1, "budget_calls": 1}
    act: dict[str, Any] = {"policy": "act", "options": {}, "files": {}, "thoughts": "auto", "reading": "default"}
    for changes in ({}, act):
        try:
            run_spec(replace(run, **simple, **changes))
        except InputError:
            # It will be reported by its name when it is run; here it costs nothing.
            return 0.0, 0.0
        if sum(model.lengths):
            break
    return model.lengths


def _one_run(job: RunJob, task: SpecTask, system: float, problem: float, price: Price | None) -> Estimate:
    policy, run = job.policy, job.spec
    reference = reference_of(task.task)
    shortest = None if reference is None else min(len(way.plan) for way in reference.ways)
    actions = next(length for length in (task.plan_length, shortest, _PLAN) if length is not None)
    if (effort := policy.effort(actions)) is not None:
        prompts = effort.opening * (system + problem) + effort.later * (system + problem + effort.growth)
        one = _priced(effort.opening + effort.later, prompts, effort.replies, price)
        return replace(one, assumed=(effort.how,) if effort.how else ())
    reply = _ACTION + (_THOUGHT if policy.thoughts else 0)
    turn = reply + (0 if policy.one_shot else _OBSERVATION)
    first = system + problem + (0.0 if run.example == "none" else problem + _EXAMPLE_STEPS * turn)
    turns = task.plan_length
    if turns is None:
        turns = _PLAN if run.steps is None else math.ceil(run.steps / 2)
    if run.steps is not None:
        turns = min(turns, run.steps)
    if policy.one_shot:
        samples, rounds = getattr(policy, "samples", 1), getattr(policy, "rounds", 0)
        calls = samples * (1 + rounds)
        prompts = calls * first + samples * sum(range(rounds + 1)) * turns * reply
        replies = float(calls * turns * reply)
    else:
        calls = max(1, turns)
        prompts = calls * first + sum(range(calls)) * turn
        replies = float(calls * reply)
    if run.policy_name == "score":
        # Each applicable action is asked for; those of the initial state stand for all.
        simulator = Simulator(task.task)
        many = sum(1 for _ in islice(simulator.applicable(simulator.initial), _MOST_RATED))
        calls, prompts, replies = calls * many, prompts * many, replies * many
    if run.translator == "llm":
        lines = max(1, turns) * (calls if policy.one_shot else 1)
        calls, prompts, replies = calls + lines, prompts + lines * _TRANSLATION, replies + lines * _ACTION
    return _priced(calls, prompts, replies, price)


def _priced(calls: int, prompts: float, replies: float, price: Price | None) -> Estimate:
    prompt, completion = math.ceil(prompts), math.ceil(replies)
    usd = None if price is None else (prompt * price.prompt + completion * price.completion) / 1_000_000
    return Estimate(calls, prompt, completion, usd)

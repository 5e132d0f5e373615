"""The runs of an experiment: everything that its specification multiplies, less what there is not.

A policy that asks no model is run once for each task and seed; style ``pddl`` needs no wording, so it is run once for
each model and seed, whatever wordings there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pddl2nl.baselines import find_driver
from pddl2nl.errors import InputError
from pddl2nl.experiments.access import Access
from pddl2nl.experiments.jobs import Job, PlannerSpec, make_job
from pddl2nl.experiments.models import MODELS, MadeModel, ModelContext, make_model
from pddl2nl.experiments.profiles import apply_profile
from pddl2nl.experiments.spec import RunSpec
from pddl2nl.experiments.spec_file import PLANNER_SECONDS, ExperimentSpec, SpecDomain, SpecTask
from pddl2nl.llm import Completion, Price
from pddl2nl.nl import Wording, template_wording
from pddl2nl.policies import POLICIES

__all__ = ["Cell", "behind_endpoint", "cells", "check_models", "jobs_of", "left_out"]

_ONE_SHOT = ("reading", "samples", "rounds")
_INTERACTIVE = ("steps", "history", "feedback")
_ROLES = ("translator_model", "thoughts_model", "wording_model")


@dataclass(frozen=True)
class Cell:
    """All runs of one policy, style, wording and model on one task: they differ in their seeds alone."""

    domain: SpecDomain
    task: SpecTask
    policy: str
    model: str
    style: str
    wording: str
    runs: tuple[RunSpec, ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """What is readable in the names of its runs' records."""
        said = (self.domain.name, self.task.name, self.policy)
        if not POLICIES[self.policy]().needs_model:
            return said
        label = "pddl" if self.style == "pddl" else Path(self.wording).stem
        return (*said, self.model.rpartition("/")[2], label)

    def jobs(self, models_file: Path | None = None) -> list[Job]:
        """Its runs with their names."""
        return [make_job(run, *self.parts, str(run.seed), models_file=models_file) for run in self.runs]


def cells(spec: ExperimentSpec) -> Iterator[Cell]:
    """The runs of policies, in the order of the file."""
    for domain in spec.domains:
        for task in domain.tasks:
            for policy in spec.policies:
                seeds = spec.seeds if POLICIES[policy]().needs_model else spec.walk_seeds
                for model, style, wording in _columns(spec, policy, domain):
                    runs = tuple(_run(spec, domain, task, policy, model, style, wording, seed) for seed in seeds)
                    yield Cell(domain, task, policy, model, style, wording, runs)


def _columns(spec: ExperimentSpec, policy: str, domain: SpecDomain) -> Iterator[tuple[str, str, str]]:
    made = POLICIES[policy]()
    if not made.needs_model:
        # It speaks no language; what it is told by is for the record.
        yield "none", "nl", "default"
        return
    for model in spec.models:
        for style in spec.styles:
            if style not in made.styles:
                continue
            for wording in ("default",) if style == "pddl" else domain.wordings:
                yield model, style, wording


def _run(
    spec: ExperimentSpec,
    domain: SpecDomain,
    task: SpecTask,
    policy: str,
    model: str,
    style: str,
    wording: str,
    seed: int,
) -> RunSpec:
    made = POLICIES[policy]()
    options: dict[str, Any] = {key: value for key, value in spec.options.items() if key != "planner_seconds"}
    idle = {*(_INTERACTIVE if made.one_shot else _ONE_SHOT)}
    if not made.needs_model:
        idle = {*options, *idle} - {"steps"}
    elif style == "pddl":
        idle |= {"translator", "translator_model", "on_ambiguous", "wording_model", "names", "names_seed"}
    if made.needs_model and task.example is not None:
        options.setdefault("example", task.example)
    run = RunSpec(
        task=task.task,
        policy=policy,
        model="oracle" if model == "none" else model,
        wording=domain.wordings.get(wording) if style == "nl" else None,
        style=style,
        seed=seed,
        base_url=spec.base_url if behind_endpoint(model) else None,
        suite=domain.name,
        task_name=task.name,
        **{key: value for key, value in options.items() if key not in idle},
    )
    return run if spec.profile is None else apply_profile(run, spec.profile, spec.given)


def behind_endpoint(model: str) -> bool:
    """Whether a model of this name is asked at an endpoint."""
    kind = model.partition(":")[0]
    return model != "none" and (kind not in MODELS or kind == "openai")


def left_out(spec: ExperimentSpec) -> Iterator[str]:
    """What of the product there is not, a sentence each."""
    yield from spec.left_out
    for policy in spec.policies:
        made = POLICIES[policy]()
        if not made.needs_model:
            continue
        for style in spec.styles:
            if style not in made.styles:
                yield f"policy {policy} in style {style}: there are no thoughts about PDDL to show"
    idle = _idle(spec)
    yield from (f"options.{key}: nothing in this experiment uses it" for key in spec.options if key in idle)


def _idle(spec: ExperimentSpec) -> set[str]:
    """Options for which none of the runs has a use."""
    made = [POLICIES[policy]() for policy in spec.policies]
    asking = [policy for policy in made if policy.needs_model]
    uses: tuple[tuple[bool, Iterable[str]], ...] = (
        (any(policy.one_shot for policy in asking), _ONE_SHOT),
        (any(not policy.one_shot for policy in asking), ("history", "feedback")),
        (any(not policy.one_shot for policy in made), ("steps",)),
        (any(policy.thoughts for policy in asking), ("thoughts", "thoughts_model")),
        ("llm" in spec.wordings, ("wording_model",)),
        (spec.profile is not None or spec.options.get("translator", "reader") != "reader", ("translator_model",)),
        (bool(asking), ("example", "example_plan", "temperature", "unsolvable")),
        (bool(spec.baselines), ("planner_seconds",)),
    )
    return {option for used, options in uses if not used for option in options}


def jobs_of(spec: ExperimentSpec, table: Iterable[Cell] | None = None) -> list[Job]:
    """All runs, each with its name: policies first, then baselines, task by task.

    Args:
        spec: the experiment.
        table: its cells, where they were made already.

    Raises:
        InputError: a model that cannot be set up, or filters that are still to be decided
            (`pddl2nl.experiments.solved_by.narrow`).
    """
    if _undecided(spec):
        raise InputError(f"{spec.path}: which tasks pass solved-by is not decided yet: narrow(spec) does so")
    jobs = [job for cell in (cells(spec) if table is None else table) for job in cell.jobs(spec.models_file)]
    seconds = spec.options.get("planner_seconds", PLANNER_SECONDS)
    for domain in spec.domains:
        for task in domain.tasks:
            for planner in spec.baselines:
                planned = PlannerSpec(
                    domain.path, task.path, planner, seconds, texts=task.texts, suite=domain.name, task=task.name
                )
                jobs.append(make_job(planned, domain.name, task.name, planner))
    if not jobs:
        spec.file.wrong(f"nothing is left to be run: {'; '.join(left_out(spec))}", "policies")
        spec.file.check()
    return jobs


# ── checked before anything runs ─────────────────────────────────────────────────────────────────


def check_models(spec: ExperimentSpec, access: Access) -> dict[str, Price | None]:
    """Makes every model once, and finds the planner where one is needed; gives what their tokens cost.

    Raises:
        InputError: models that cannot be set up, whose price is not known where it must be, or that cannot do what
            they are there for; no planner where one is needed. All of it is said, with its place in the file.
    """
    asking = [policy for policy in spec.policies if POLICIES[policy]().needs_model]
    first = [cell.runs[0] for cell in cells(spec) if cell.model != "none"]
    idle = _idle(spec)
    roles = [spec.options[role] for role in _ROLES if role in spec.options and role not in idle]
    models = dict.fromkeys((*(spec.models if asking else ()), *roles))
    if any(map(behind_endpoint, models)):
        # A cache that cannot be opened is no model's fault.
        access.opened_cache()
    prices = {model: _price(spec, model, access) for model in models}
    for role, keys in (("translator_model", ("options", "translator")), ("wording_model", ("wordings",))):
        _check_oracle(spec, first, role, *keys)
    _check_planner(spec, bool(first))
    spec.file.check()
    return prices


def _price(spec: ExperimentSpec, model: str, access: Access) -> Price | None:
    """What a model's tokens cost, having made it for each domain."""
    price: Price | None = None
    for domain in spec.domains:
        try:
            made = _made(spec, model, domain, access)
        except InputError as error:
            spec.wrong_model(model, str(error))
            return None
        price = made.price_of(Completion("", model=made.model.name))
        if spec.budget.usd is not None and not made.priced:
            spec.file.wrong(
                f"budgets.max_usd needs to know what tokens cost, and for the model '{model}' this is not known; bound "
                "the experiment by max_tokens or max_calls, or give the price in a file for access.models",
                "budgets",
                "max_usd",
            )
            return None
    return price


def _made(spec: ExperimentSpec, model: str, domain: SpecDomain, access: Access) -> MadeModel:
    worded = next((each for each in domain.wordings.values() if isinstance(each, Wording)), None)
    base_url = spec.base_url if behind_endpoint(model) else None
    context = ModelContext(domain.domain, worded or template_wording(domain.domain), "nl", base_url, access)
    return make_model(model, context)


def _check_oracle(spec: ExperimentSpec, runs: Iterable[RunSpec], role: str, *keys: str) -> None:
    translates = role == "translator_model"
    for run in runs:
        needed = run.translator != "reader" if translates else run.wording == "llm"
        if needed and str(getattr(run, role) or run.model).partition(":")[0] == "oracle":
            what = "translate" if translates else "word a domain"
            spec.file.wrong(
                f"the model 'oracle' speaks the wording and no PDDL, so it cannot {what}; name a model that can by "
                f"options.{role}",
                *(keys if keys[-1] in (spec.options if translates else spec.file.data) else ("profile",)),
                value=None if translates else "llm",
            )
            return


def _undecided(spec: ExperimentSpec) -> bool:
    return any(task.filters for domain in spec.domains for task in domain.tasks)


def _check_planner(spec: ExperimentSpec, asks: bool) -> None:
    """Notes where Fast Downward is missing, and what would do without it."""
    interactive = any(not POLICIES[policy]().one_shot for policy in spec.policies)
    wants: list[tuple[str, str]] = [("baselines", "leave them out")] if spec.baselines else []
    if _undecided(spec):
        wants.append(("domains", "leave out the filters solved-by and unsolved-by"))
    if interactive and "steps" not in spec.options:
        wants.append(("policies", "without a planner, give the step limit by options.steps"))
    if asks and spec.options.get("example") != "none" and "example_plan" not in spec.options:
        said = 'give a solved problem by options.example and options.example_plan (or take none by example = "none")'
        wants.append(("policies", f"without a planner, {said}"))
    if not wants:
        return
    try:
        find_driver()
    except InputError as error:
        for key, remedy in wants:
            spec.file.wrong(f"{error}; {remedy}", key)

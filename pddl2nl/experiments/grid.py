"""Experiments from Python on tasks, by names or as objects: every policy with every model and seed on every task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from itertools import product
from pathlib import Path
from typing import Any

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.experiments.access import reach
from pddl2nl.experiments.choices import unused_options
from pddl2nl.experiments.jobs import RunJob
from pddl2nl.experiments.sweep import SweepSummary, run_all
from pddl2nl.llm import Model
from pddl2nl.pddl import Task
from pddl2nl.policies import Policy, make_policy
from pddl2nl.policies.spec import RUN_OPTIONS, RunSpec, name_of


def experiment(
    tasks: Iterable[Task],
    policies: Sequence[str | Policy],
    models: Sequence[str | Model] = ("oracle",),
    seeds: Sequence[int] = (1,),
    *,
    out: str | Path,
    workers: int = 4,
    cache: str | Path | None = None,
    models_file: str | Path | None = None,
    **options: Any,
) -> SweepSummary:
    """Runs every policy with every model and seed on every task; `pddl2nl.load_records` reads the result.

    A second call does what is missing, as the command ``pddl2nl experiment`` does, which takes a file instead. A policy
    that asks no model is run once for each task and seed.

    Args:
        tasks: the tasks to be solved.
        policies: names, ``module:Class``, or objects; each run gets a copy of its object.
        models: names or objects; runs share an object, from ``workers`` threads.
        seeds: of the runs.
        out: the folder of the records.
        workers: runs at a time.
        cache, models_file: as in `pddl2nl.run`.
        options: those of runs (`help(pddl2nl.run)`) and of policies, for every policy that takes them.

    Raises:
        InputError: an unknown policy or option, or two policies or models of one name.
        InfrastructureError: the folder cannot be made or read.
    """
    _check_options(options, policies)
    for kind, names in (
        ("policies", [policy if isinstance(policy, str) else name_of(type(policy)) for policy in policies]),
        ("models", [model if isinstance(model, str) else model.name for model in models]),
    ):
        if twice := [name for name, count in Counter(names).items() if count > 1]:
            raise InputError(f"two {kind} are called '{twice[0]}'; give one of them another name")
    jobs = _jobs(tasks, policies, models, seeds, options)
    return run_all(jobs, Path(out), workers=workers, access=reach(cache, models_file))


def _check_options(options: Iterable[str], policies: Sequence[str | Policy]) -> None:
    known = [*RUN_OPTIONS, *(name for policy in policies for name in type(make_policy(policy)).__struct_fields__)]
    for name in options:
        if name not in known:
            raise InputError(f"{name}: no option of a run, nor of these policies{did_you_mean(name, known)}")


def _jobs(
    tasks: Iterable[Task],
    policies: Sequence[str | Policy],
    models: Sequence[str | Model],
    seeds: Sequence[int],
    options: dict[str, Any],
) -> Iterator[RunJob]:
    for task, policy in product(tasks, policies):
        made = make_policy(policy)
        unused = unused_options(made, options.get("style", "nl"))
        takes = ({*RUN_OPTIONS} - {*unused}) | {*type(made).__struct_fields__}
        used = {name: value for name, value in options.items() if name in takes}
        for model, seed in product(models if made.needs_model else ("oracle",), seeds):
            yield RunJob(RunSpec.of(task, deepcopy(policy), model=model, seed=seed, **used))

"""The quickstart: a fixed small subset of the shipped tasks, run with everything that needs no key.

Two instances of each of five shipped domains; on each the four mechanisms with the oracle, the random walk,
and the four planners.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from pddl2nl.baselines.fast_downward import find_driver
from pddl2nl.errors import InfrastructureError
from pddl2nl.experiments.planned import plan_and_record
from pddl2nl.experiments.runs import run_spec
from pddl2nl.experiments.spec import RunSpec
from pddl2nl.tasks import Instance, ShippedDomain, shipped_domain

__all__ = ["MECHANISMS", "SUBSET", "Job", "quickstart", "quickstart_jobs"]

SUBSET: dict[str, tuple[str, str]] = {
    "blocksworld": ("p03", "p08"),
    "ferry": ("p03", "p09"),
    "grippers": ("p04", "p10"),
    "logistics": ("p04", "p10"),
    "visitall": ("p04", "p10"),
}
"""The instances that are run, by domain: a short and a middling one."""

MECHANISMS = ("basic", "cot", "act", "react")
"""The policies that are run with the oracle."""

_PLANNERS = ("brfs", "lmcut", "ff", "lama")


@dataclass(frozen=True)
class Job:
    """One run on one instance: a policy with the model it asks, or a planner, whose ``model`` is None."""

    domain: ShippedDomain
    instance: Instance
    runner: str
    model: str | None = None

    @property
    def name(self) -> str:
        """The record's name, without its ending; no two jobs share it."""
        return "-".join((self.domain.name, self.instance.name, self.runner))


def quickstart_jobs() -> tuple[Job, ...]:
    """All runs of the quickstart: every column on every task of the `SUBSET`."""
    return tuple(
        Job(domain, instance, runner, model)
        for domain, instance in _tasks()
        for runner, model in (
            *((mechanism, "oracle") for mechanism in MECHANISMS),
            ("random", "none"),
            *((planner, None) for planner in _PLANNERS),
        )
    )


def quickstart(
    folder: Path, *, seed: int = 1, workers: int = 2, on_done: Callable[[Job], None] = lambda job: None
) -> tuple[Path, ...]:
    """Runs everything and gives the records' paths; records of an earlier quickstart there are replaced.

    Args:
        folder: where the records are written.
        seed: of every run.
        workers: how many runs go on at a time. They are threads: the work lies in the planner's processes.
        on_done: called in the calling thread whenever a run has ended.

    Raises:
        MissingExtraError: the planners are not installed.
        InfrastructureError: a record cannot be written.
    """
    # Before anything is run, not in the middle of it: without planners there is nothing to show.
    find_driver()
    _make(folder)
    jobs = quickstart_jobs()
    with ThreadPoolExecutor(workers) as pool:
        futures = {pool.submit(_run, job, folder, seed): job for job in jobs}
        try:
            for future in as_completed(futures):
                future.result()
                on_done(futures[future])
        except BaseException:
            # Without this, leaving the pool would wait for every run that has not begun yet.
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return tuple(folder / f"{job.name}.jsonl" for job in jobs)


def _tasks() -> Iterator[tuple[ShippedDomain, Instance]]:
    for name, instances in SUBSET.items():
        domain = shipped_domain(name)
        for instance in instances:
            yield domain, domain.instance(instance)


def _run(job: Job, folder: Path, seed: int) -> None:
    record = folder / f"{job.name}.jsonl"
    if job.model is None:
        plan_and_record(job.domain.domain_path, job.instance.path, job.runner, record)
        return
    run_spec(
        RunSpec(
            task=job.domain.task(job.instance.name),
            policy=job.runner,
            model=job.model,
            wording=str(job.domain.wording_path),
            seed=seed,
            record=record,
        )
    )


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InfrastructureError(f"cannot make the folder {folder}: {error.strerror}") from error

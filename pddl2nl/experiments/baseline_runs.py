"""The runs of the AutoPlanBench paper's symbolic baselines over a shipped set (section 5, "Symb. Baselines").

``rnd`` is the random walk, with as many steps as the policies of language models get and a walk for every seed; BrFS,
LM-cut and FF are searches of Fast Downward with limits of time and memory, those of the paper unless others are asked
for. They are runs as an experiment has them (`pddl2nl.experiments.jobs`), and `pddl2nl.experiments.sweep` runs them:
what is there already is not run again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pddl2nl.errors import InputError
from pddl2nl.experiments.jobs import Job, PlannerSpec, make_job
from pddl2nl.experiments.profiles import WALK_SEEDS
from pddl2nl.experiments.spec import RunSpec
from pddl2nl.nl import choose_wording
from pddl2nl.tasks import Instance, ShippedDomain, shipped_domain, shipped_domains

__all__ = ["MEMORY_MB", "SECONDS", "SETS", "BaselineRun", "baseline_runs"]

SETS: tuple[str, ...] = ("primary", "scaled")
"""The shipped sets whose tasks have plans."""

SECONDS = 1800
MEMORY_MB = 8192
"""The paper's limits for a search: 30 minutes and 8 GB."""

_SEARCHES = ("brfs", "lmcut", "ff")


@dataclass(frozen=True)
class BaselineRun:
    """One run, and the name of the shipped domain that it belongs to."""

    domain: str
    job: Job


def baseline_runs(
    domains: Sequence[str] = (),
    chosen_set: str = "primary",
    *,
    seeds: Sequence[int] = WALK_SEEDS,
    seconds: int = SECONDS,
    memory_mb: int = MEMORY_MB,
) -> list[BaselineRun]:
    """The runs of all baselines, task by task, the walks of a task behind its searches.

    Args:
        domains: names of shipped domains; none for all that have the set.
        chosen_set: one of `SETS`.
        seeds: of the walks.
        seconds: CPU time of a search, at most.
        memory_mb: MiB of a search, at most.

    Raises:
        InputError: an unknown domain or set, a domain without that set.
    """
    if chosen_set not in SETS:
        raise InputError(f"--set {chosen_set}: no such set; there are {' and '.join(SETS)}")
    found = [shipped_domain(name) for name in dict.fromkeys(domains or shipped_domains())]
    having = [domain for domain in found if _instances(domain, chosen_set)]
    if domains and (without := [domain.name for domain in found if domain not in having]):
        others = [name for name in shipped_domains() if _instances(shipped_domain(name), chosen_set)]
        raise InputError(
            f"{', '.join(without)}: no {chosen_set} set is shipped; {', '.join(others) or 'no domain'} has"
        )
    if not having:
        raise InputError(f"--set {chosen_set}: no domain has it")
    return [
        BaselineRun(domain.name, job)
        for domain in having
        for instance in _instances(domain, chosen_set)
        for job in _jobs(domain, instance, seeds, seconds, memory_mb)
    ]


def _instances(domain: ShippedDomain, chosen_set: str) -> tuple[Instance, ...]:
    return domain.benchmarks if chosen_set == "primary" else domain.scaled


def _jobs(
    domain: ShippedDomain, instance: Instance, seeds: Sequence[int], seconds: int, memory_mb: int
) -> Iterator[Job]:
    for planner in _SEARCHES:
        search = PlannerSpec(
            domain.domain_path, instance.path, planner, seconds, memory_mb, suite=domain.name, task=instance.name
        )
        yield make_job(search, domain.name, instance.name, planner)
    task = domain.task(instance.name)
    wording = choose_wording(None, domain.domain, domain.domain_path)
    for seed in seeds:
        walk = RunSpec(task, "random", wording=wording, seed=seed, suite=domain.name, task_name=instance.name)
        yield make_job(walk, domain.name, instance.name, "random", str(seed))

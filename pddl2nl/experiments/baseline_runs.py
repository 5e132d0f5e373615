"""The runs of the AutoPlanBench paper's symbolic baselines over a shipped set (section 5, "Symb. Baselines").

The random walk, with as many steps as the policies of language models get and a walk for every seed; and BrFS, LM-cut
and FF, searches of Fast Downward with the paper's limits of time and memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pddl2nl.errors import InputError
from pddl2nl.experiments.jobs import PlannerSpec, RunJob, make_job
from pddl2nl.experiments.profiles import WALK_SEEDS
from pddl2nl.nl import choose_wording
from pddl2nl.policies.spec import RunSpec
from pddl2nl.tasks import Instance, ShippedDomain, shipped_domain, shipped_domains

SETS: tuple[str, ...] = ("primary", "scaled")
"""The shipped sets whose tasks have plans."""

SECONDS = 1800
MEMORY_MB = 8192
"""The paper's limits for a search: 30 minutes and 8 GB."""

_SEARCHES = ("brfs", "lmcut", "ff")


def baseline_runs(
    domains: Sequence[str] = (),
    chosen_set: str = "primary",
    *,
    seeds: Sequence[int] = WALK_SEEDS,
    seconds: int = SECONDS,
    memory_mb: int = MEMORY_MB,
) -> list[RunJob]:
    """The runs of all baselines, task by task, the walks of a task after its searches.

    Args:
        domains: names of shipped domains; none for all that have the set. A run's ``spec.suite`` is its domain.
        chosen_set: one of `SETS`.
        seeds: of the walks.
        seconds, memory_mb: limits of a search, of CPU time and memory (MiB).

    Raises:
        InputError: an unknown domain or set, a domain without that set.
    """
    if chosen_set not in SETS:
        raise InputError(f"--set {chosen_set}: no such set; there are {' and '.join(SETS)}")
    having = [name for name in shipped_domains() if _instances(shipped_domain(name), chosen_set)]
    chosen = [shipped_domain(name) for name in dict.fromkeys(domains or having)]
    if without := [domain.name for domain in chosen if domain.name not in having]:
        raise InputError(f"{', '.join(without)}: no {chosen_set} set is shipped; {', '.join(having)} have one")
    return [
        job
        for domain in chosen
        for instance in _instances(domain, chosen_set)
        for job in _jobs(domain, instance, seeds, seconds, memory_mb)
    ]


def _instances(domain: ShippedDomain, chosen_set: str) -> tuple[Instance, ...]:
    return domain.benchmarks if chosen_set == "primary" else domain.scaled


def _jobs(
    domain: ShippedDomain, instance: Instance, seeds: Sequence[int], seconds: int, memory_mb: int
) -> Iterator[RunJob]:
    name, path, suite = instance.name, instance.path, domain.name
    for planner in _SEARCHES:
        search = PlannerSpec(domain.domain_path, path, planner, seconds, memory_mb, suite=suite, task=name)
        yield make_job(search, suite, name, planner)
    task = domain.task(name)
    wording = choose_wording(None, domain.domain, domain.domain_path)
    for seed in seeds:
        walk = RunSpec(task, "random", wording=wording, seed=seed, suite=suite, task_name=name)
        yield make_job(walk, suite, name, "random", str(seed))

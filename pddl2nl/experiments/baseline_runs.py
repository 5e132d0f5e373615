"""The symbolic baselines of the AutoPlanBench paper over a shipped set (section 5, "Symb. Baselines").

The random walk, with as many steps as the policies of language models get and a walk for every seed; and BrFS, LM-cut
and FF, searches of Fast Downward with the paper's limits of time and memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from pddl2nl.errors import InputError
from pddl2nl.experiments.specification.columns import WALK_SEEDS
from pddl2nl.experiments.specification.experiment import Experiment
from pddl2nl.tasks import shipped_domain, shipped_domains

SETS: tuple[str, ...] = ("primary", "scaled")
"""The shipped sets whose tasks have plans."""

SECONDS = 1800
MEMORY_MB = 8192
"""The paper's limits for a search: 30 minutes and 8 GB."""


def baseline_runs(
    domains: Sequence[str] = (),
    chosen_set: str = "primary",
    *,
    seeds: Sequence[int] = WALK_SEEDS,
    seconds: int = SECONDS,
    memory_mb: int = MEMORY_MB,
) -> Experiment:
    """The runs of all baselines.

    Args:
        domains: names of shipped domains; none for all that have the set.
        chosen_set: one of `SETS`.
        seeds: of the walks.
        seconds, memory_mb: limits of a search, of CPU time and memory (MiB).

    Raises:
        InputError: an unknown domain or set, a domain without that set.
    """
    if chosen_set not in SETS:
        raise InputError(f"--set {chosen_set}: no such set; there are {' and '.join(SETS)}")
    having = [
        domain.name
        for domain in map(shipped_domain, shipped_domains())
        if (domain.benchmarks if chosen_set == "primary" else domain.scaled)
    ]
    chosen = [shipped_domain(name).name for name in dict.fromkeys(domains or having)]
    if without := [name for name in chosen if name not in having]:
        raise InputError(f"{', '.join(without)}: no {chosen_set} set is shipped; {', '.join(having)} have one")
    return Experiment(
        name=f"baselines-{chosen_set}",
        domains=[{"shipped": chosen, "set": chosen_set}],
        policies=["random"],
        seeds=list(seeds),
        baselines=["brfs", "lmcut", "ff"],
        options={"planner_seconds": seconds, "planner_memory": memory_mb},
    )

"""Coverage of a set of runs: which share of the tasks a column solves, and how far its seeds agree.

One definition for tables, comparisons and plots: a task counts with the share of its runs that solved it, which over
all tasks is the mean over the seeds (as in Table 2 of the AutoPlanBench paper), and stays right where one is missing.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from pddl2nl.reports.statistics import LEVEL, Interval, mean_interval, wilson_interval
from pddl2nl.reports.summaries import RunSummary

__all__ = ["Coverage", "coverage_of"]


@dataclass(frozen=True)
class Coverage:
    """How much is solved.

    Attributes:
        tasks: those with a run that is scored.
        solved: of them, each task counted with the share of its runs that solved it: 13.4 of 20.
        runs, solved_runs: scored runs, and how many of them reached the goal: k of n.
        broken: runs that infrastructure broke, which count in nothing else.
        seeds: how many there are.
        interval: of ``solved``, Student's t over the seeds: how far another set of seeds may differ. None with one
            seed, or where no task has all of them.
        over_tasks: of `share`, Wilson's interval over the tasks: how far other tasks of the kind may differ. None
            without tasks.
    """

    tasks: int = 0
    solved: float = 0.0
    runs: int = 0
    solved_runs: int = 0
    broken: int = 0
    seeds: int = 0
    interval: Interval | None = None
    over_tasks: Interval | None = None

    @property
    def share(self) -> float | None:
        """Solved of the tasks, 0 to 1; None where there are none."""
        return self.solved / self.tasks if self.tasks else None

    @property
    def agreed(self) -> bool:
        """Whether all seeds came to the same number: the interval has no width then, which is no certainty."""
        return self.interval is not None and self.interval.high - self.interval.low < 1e-9


def coverage_of(runs: Iterable[RunSummary], level: float = LEVEL) -> Coverage:
    """The coverage of these runs of one column; several runs of one task and seed count alike.

    The interval's width comes from the tasks that every seed has, and it stays within 0 and the number of tasks.
    """
    results: dict[tuple[str, str, str], dict[int | None, list[bool]]] = defaultdict(lambda: defaultdict(list))
    scored = solved = broken = 0
    for run in runs:
        if run.infrastructure:
            broken += 1
            continue
        scored += 1
        solved += run.solved
        results[run.suite, run.task, run.task_id][run.seed].append(run.solved)
    shares = [_mean([result for each in seeds.values() for result in each]) for seeds in results.values()]
    total = math.fsum(shares)
    names = sorted({seed for seeds in results.values() for seed in seeds if seed is not None})
    complete = [seeds for seeds in results.values() if all(name in seeds for name in names)]
    interval = None
    if len(names) > 1 and complete:
        found = mean_interval([_mean([_mean(seeds[name]) for seeds in complete]) for name in names], level)
        if found.interval is not None:
            half = (found.interval.high - found.mean) * len(results)
            interval = Interval(max(0.0, total - half), min(float(len(results)), total + half), level)
    over_tasks = wilson_interval(total, len(results), level) if results else None
    return Coverage(len(results), total, scored, solved, broken, len(names), interval, over_tasks)


def _mean(values: list[bool] | list[float]) -> float:
    return math.fsum(values) / len(values)

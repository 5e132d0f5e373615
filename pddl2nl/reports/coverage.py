"""Several runs of one column as one number: their coverage, or any metric.

A task counts with the share of its runs that solved it. Over all tasks this is the mean over the seeds, as in Table 2
of the AutoPlanBench paper, and remains right if a run is missing.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from pddl2nl.policies.reporting import RunMetric
from pddl2nl.reports.statistics import Interval, mean_interval, wilson_interval
from pddl2nl.reports.summaries import RunSummary


@dataclass(frozen=True)
class Aggregate:
    """A metric's ``value`` over several runs and their tasks; ``estimated`` if it contains an estimate."""

    value: float
    runs: int
    tasks: int
    estimated: bool = False


@dataclass(frozen=True)
class Coverage:
    """Solved tasks and runs.

    Attributes:
        tasks: those with a scored run.
        solved: of them, each task counted with the share of its runs that solved it: 13.4 of 20.
        runs, solved_runs: scored runs, and how many of them reached the goal.
        broken: runs with infrastructure errors, which count in nothing else.
        seeds: the number of seeds.
        interval: of ``solved``, Student's t over the seeds; None with one seed, or if no task has all of them.
        over_tasks: of `share`, Wilson's interval over the tasks; None without tasks.
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
        """Solved of the tasks, 0 to 1; None without tasks."""
        return self.solved / self.tasks if self.tasks else None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The ends of `over_tasks` as numbers of tasks; None without tasks."""
        found = self.over_tasks
        return None if found is None else (found.low * self.tasks, found.high * self.tasks)

    @property
    def agreed(self) -> bool:
        """Whether all seeds have the same result, so that the interval has no width."""
        return self.interval is not None and self.interval.high - self.interval.low < 1e-9


def coverage_of(runs: Iterable[RunSummary]) -> Coverage:
    """The coverage of these runs of one column."""
    results: dict[tuple[str, str, str], dict[int | None, list[bool]]] = defaultdict(lambda: defaultdict(list))
    scored = solved = broken = 0
    for run in runs:
        if run.infrastructure:
            broken += 1
            continue
        scored += 1
        solved += run.solved
        results[run.task_key][run.seed].append(run.solved)
    if not results:
        return Coverage(broken=broken)
    tasks = len(results)
    total = math.fsum(fmean([result for each in seeds.values() for result in each]) for seeds in results.values())
    names = sorted({seed for seeds in results.values() for seed in seeds if seed is not None})
    # The interval's width comes from the tasks that have all seeds.
    complete = [seeds for seeds in results.values() if all(name in seeds for name in names)]
    found = mean_interval([fmean([fmean(seeds[name]) for seeds in complete]) for name in names]) if complete else None
    interval = None
    if found is not None:
        half = (found.high - found.low) / 2 * tasks
        interval = Interval(max(0.0, total - half), min(float(tasks), total + half))
    return Coverage(tasks, total, scored, solved, broken, len(names), interval, wilson_interval(total, tasks))


def aggregate(metric: RunMetric, runs: Iterable[RunSummary]) -> Aggregate | None:
    """The metric over the runs of one column; None if no run has a value."""
    runs = [run for run in runs if metric.name in run.values]
    if not runs:
        return None
    means = task_means(metric.name, runs)
    total = sum(means.values())
    value = total / len(means) if metric.together == "mean" else total
    return Aggregate(value, len(runs), len(means), any(metric.name in run.estimated for run in runs))


def task_means(name: str, runs: Iterable[RunSummary]) -> dict[tuple[str, str, str], float]:
    """The mean of a metric over the runs of each task (`RunSummary.task_key`) that has a value."""
    found: dict[tuple[str, str, str], list[float]] = {}
    for run in runs:
        if name in run.values:
            found.setdefault(run.task_key, []).append(run.values[name])
    return {task: sum(values) / len(values) for task, values in found.items()}

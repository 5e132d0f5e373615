"""The quickstart: a small fixed experiment on shipped tasks, with everything that needs no key.

Two instances of each of five shipped domains; on each the four mechanisms with the oracle, the random walk, and the
four planners.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pddl2nl.baselines import find_driver
from pddl2nl.errors import InfrastructureError
from pddl2nl.experiments.run_one import record_path
from pddl2nl.experiments.specification.experiment import Experiment
from pddl2nl.experiments.sweep import SweepSummary, run_all

SUBSET: dict[str, tuple[str, str]] = {
    "blocksworld": ("p03", "p08"),
    "ferry": ("p03", "p09"),
    "grippers": ("p04", "p10"),
    "logistics": ("p04", "p10"),
    "visitall": ("p04", "p10"),
}
"""The instances that are run, by domain: a short and a middling one."""


def quickstart_experiment(seed: int = 1) -> Experiment:
    """Every column on every task of the `SUBSET`."""
    return Experiment(
        name="quickstart",
        domains=[{"shipped": name, "instances": list(instances)} for name, instances in SUBSET.items()],
        policies=["basic", "cot", "act", "react", "random"],
        models=["oracle"],
        seeds=[seed],
        baselines=["brfs", "lmcut", "ff", "lama"],
    )


def quickstart(
    folder: Path,
    *,
    seed: int = 1,
    workers: int = 2,
    on_progress: Callable[[SweepSummary], None] = lambda progress: None,
) -> list[Path]:
    """Runs what is not in the folder yet, and gives the paths of all records.

    Args:
        folder: where the records are written.
        seed: of every run.
        workers: runs at a time. They are threads: the work lies in the planners' processes.
        on_progress: called in the calling thread.

    Raises:
        MissingExtraError: the planners are not installed.
        InfrastructureError: a record cannot be written.
        KeyboardInterrupt: Ctrl-C; what is finished is kept.
    """
    # Before anything is run: without planners there is nothing to show.
    find_driver()
    jobs = [*quickstart_experiment(seed).jobs.values()]
    summary = run_all(jobs, folder, workers=workers, on_progress=on_progress)
    if summary.interrupted:
        raise KeyboardInterrupt
    paths = [record_path(folder, job) for job in jobs]
    if not all(path.exists() for path in paths):
        raise InfrastructureError("; ".join({trouble.message for trouble in (*summary.broken, *summary.bad)}))
    return paths

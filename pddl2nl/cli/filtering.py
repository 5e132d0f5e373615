"""The filters of an experiment that need a planner, decided before it begins, with their progress on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pddl2nl.cli.output import console, warn
from pddl2nl.cli.progress import TenthLines

if TYPE_CHECKING:
    from pddl2nl.experiments.specification.experiment import ExperimentSpec
    from pddl2nl.experiments.specification.filters import Deciding

__all__ = ["narrowed"]


def narrowed(said: ExperimentSpec, cache: str | None, *, ask: bool) -> ExperimentSpec:
    """The experiment with the tasks that pass, see `pddl2nl.experiments.specification.filters`.

    Args:
        said: the experiment.
        cache: what ``--cache`` says: planners' results are kept beside the replies, or nowhere.
        ask: whether planners are run.
    """
    from pddl2nl.experiments.planner_cache import PlannerCache, default_planner_cache
    from pddl2nl.experiments.specification.filters import limit_costs, narrow

    if not any(domain.costlier or any(task.filters for task in domain.tasks) for domain in said.domains):
        return said
    kept = None if cache == "none" else PlannerCache(default_planner_cache(None if cache is None else Path(cache)))
    with _shown() as show:
        said = narrow(said, kept, ask=ask, on_progress=show, warn=warn)
    said = limit_costs(said)
    with _shown() as show:
        return narrow(said, kept, ask=ask, on_progress=show, warn=warn)


@contextmanager
def _shown() -> Iterator[Callable[[Deciding], None]]:
    """Progress: a bar where standard error is a terminal, else a line for every tenth part."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        lines = TenthLines()
        yield lambda progress: lines.show(
            progress.decided, progress.questions, f"filters: {progress.decided} of {progress.questions} tasks decided"
        )
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("filters"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TextColumn("{task.description}"), console=screen, transient=True) as bars:
        task = bars.add_task("")

        def show(progress: Deciding) -> None:
            known = f"{progress.known} known before" if progress.known else ""
            bars.update(task, total=progress.questions, completed=progress.decided, description=known)

        yield show

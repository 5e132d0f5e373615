"""The planners as the sets need them, and their progress bar."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pddl2nl.cli.output import console
from pddl2nl.tasks.candidates import Progress
from pddl2nl.tasks.measuring import Measured, SearchLimits

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

__all__ = ["ShownProgress", "run_planners", "shown_progress"]


def run_planners(domain: str, problem: str, planners: Sequence[str], limits: SearchLimits) -> Mapping[str, Measured]:
    """Fast Downward as a `pddl2nl.tasks.measuring.Search`; plans are validated."""
    from pddl2nl.baselines import TaskTexts, solve_each

    found = solve_each(
        TaskTexts(domain, problem), planners, time_limit=limits.seconds, memory_limit_mb=limits.memory_mb
    )
    return {
        name: Measured(
            each.status, None if each.plan is None else len(each.plan), each.seconds, each.expanded, each.message
        )
        for name, each in found.items()
    }


class ShownProgress(Progress):
    """A bar a stage on standard error; where that is no terminal, a line a stage."""

    def __init__(self, bar: Bar):
        self._bar = bar
        self._task: TaskID | None = None

    def stage(self, name: str, total: int) -> None:
        if self._bar.disable:
            sys.stderr.write(f"{name}\n")
            sys.stderr.flush()
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task(name, total=total or None)

    def step(self) -> None:
        if self._task is not None:
            self._bar.advance(self._task)


@contextmanager
def shown_progress() -> Iterator[ShownProgress]:
    """A progress that is shown as long as the block lasts."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    screen = console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        yield ShownProgress(bar)

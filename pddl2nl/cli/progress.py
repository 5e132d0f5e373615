"""What an experiment says on standard error: how far it is, and in the end what came to no result."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pddl2nl.cli.accounts import account_text
from pddl2nl.cli.batches import batches_text
from pddl2nl.cli.output import console, print_error

if TYPE_CHECKING:
    from pddl2nl.experiments.summary import Progress, SweepSummary, Trouble
    from pddl2nl.llm.batch import BatchProgress

__all__ = ["TenthLines", "complain", "progress_shown"]

_SHOWN = 5


@contextmanager
def progress_shown(runs: int) -> Iterator[tuple[Callable[[Progress], None], Callable[[BatchProgress], None]]]:
    """Progress on standard error: a bar where that is a terminal, else a line for every tenth part."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        lines = TenthLines()
        yield lambda progress: lines.show(progress.ended, progress.runs, _line(progress)), lambda state: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Bars(*columns, TextColumn("{task.description}"), console=screen, transient=True) as bars:
        task = bars.add_task("", total=runs)
        ended = ""

        def show(progress: Progress) -> None:
            nonlocal ended
            ended = f"{progress.solved} solved, {progress.failed} failed; {account_text(progress.spent)}"
            bars.update(task, completed=progress.ended, description=ended)

        def show_batch(state: BatchProgress) -> None:
            bars.update(task, description=f"{ended}; {batches_text(state)}, {state.treated} of {state.lines} lines")

        yield show, show_batch


class TenthLines:
    """A line on standard error for every tenth part that is done, where no bar can be shown."""

    def __init__(self) -> None:
        self._tenths = -1

    def show(self, done: int, of: int, line: str) -> None:
        """Writes the line where another tenth part is done."""
        tenths = 10 * done // max(1, of)
        if tenths > self._tenths:
            self._tenths = tenths
            sys.stderr.write(f"{line}\n")


def _line(progress: Progress) -> str:
    return (
        f"{progress.ended} of {progress.runs} runs, {progress.solved} solved, {progress.failed} failed; "
        f"{account_text(progress.spent)}"
    )


def complain(summary: SweepSummary) -> None:
    """Says on standard error what came to no result: what stopped everything, and each reason once."""
    if summary.refused:
        print_error(f"{summary.stopped}; nothing more was asked, and the same command goes on where it was")
    for troubles in (summary.bad, summary.broken):
        reasons: dict[str, list[Trouble]] = {}
        for trouble in troubles:
            reasons.setdefault(trouble.message, []).append(trouble)
        for message, alike in [*reasons.items()][:_SHOWN]:
            more = f" and {len(alike) - 1} more" if len(alike) > 1 else ""
            print_error(f"{alike[0].run}{more}: {message}")
        if len(reasons) > _SHOWN:
            print_error(f"and {len(reasons) - _SHOWN} other reasons; --json has them all")

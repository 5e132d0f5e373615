"""Waiting for a provider's batches, with a word on standard error where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pddl2nl.cli.output import console

if TYPE_CHECKING:
    from pddl2nl.experiments.access import Access
    from pddl2nl.experiments.batch_passes import BatchPasses
    from pddl2nl.llm.batch import BatchProgress

__all__ = ["waiting"]


@contextmanager
def waiting(access: Access, poll_seconds: float) -> Iterator[BatchPasses]:
    """The batches of a command, with a progress bar while they are waited for.

    Raises:
        InputError: there is no cache, in which what was submitted could be remembered.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from pddl2nl.experiments.batch_passes import BatchPasses

    columns = (TextColumn("{task.description:<40}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    screen = console(stderr=True)
    with Progress(*columns, console=screen, transient=True, disable=not sys.stderr.isatty()) as progress:
        bar = progress.add_task("the provider's batches", total=None)

        def show(state: BatchProgress) -> None:
            said = ", ".join(f"{count} {name}" for name, count in sorted(state.states.items()))
            progress.update(bar, completed=state.treated, total=state.lines, description=f"batches: {said}")

        yield BatchPasses(access, poll_seconds=poll_seconds, on_progress=show)

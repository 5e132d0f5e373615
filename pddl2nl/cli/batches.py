"""Waiting for a provider's batches, with progress on standard error if it is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pddl2nl.cli.output import console
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from pddl2nl.experiments.access import Access
    from pddl2nl.experiments.batch_passes import BatchPasses
    from pddl2nl.llm.batch import BatchProgress

__all__ = ["batches_text", "check_one_shot", "waiting"]


def check_one_shot(policy: str, named: str) -> None:
    """Raises `InputError`, beginning with ``named``, for a policy that needs each reply before it asks again."""
    from pddl2nl.policies import POLICIES

    made = POLICIES[policy]() if policy in POLICIES else None
    if made is not None and made.needs_model and not made.one_shot:
        able = [name for name, make in POLICIES.items() if make().one_shot]
        raise InputError(
            f"{named} needs each reply before it can ask again; a batch takes those that give a plan at once: "
            f"{', '.join(able)}"
        )


def batches_text(state: BatchProgress) -> str:
    """The state of the batches: ``batches: 1 completed, 2 in_progress``."""
    return "batches: " + ", ".join(f"{count} {name}" for name, count in sorted(state.states.items()))


@contextmanager
def waiting(access: Access, poll_seconds: float) -> Iterator[BatchPasses]:
    """The batches of a command, with a progress bar while it waits.

    Raises:
        InputError: there is no cache to remember what was submitted.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from pddl2nl.experiments.batch_passes import BatchPasses

    columns = (TextColumn("{task.description:<40}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    screen = console(stderr=True)
    with Progress(*columns, console=screen, transient=True, disable=not sys.stderr.isatty()) as progress:
        bar = progress.add_task("the provider's batches", total=None)

        def show(state: BatchProgress) -> None:
            progress.update(bar, completed=state.treated, total=state.lines, description=batches_text(state))

        yield BatchPasses(access, poll_seconds=poll_seconds, on_progress=show)

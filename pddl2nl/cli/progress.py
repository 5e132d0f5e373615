"""Progress on standard error: of one run, of an experiment, of planners and of a provider's batches.

A terminal shows one line that changes; elsewhere few plain lines are printed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pddl2nl.cli.output import account_text, console, is_quiet, is_verbose, log_to_stderr, plural, print_error
from pddlval.streams import clean

if TYPE_CHECKING:
    from pddl2nl.experiments.batch_passes import BatchPasses
    from pddl2nl.experiments.models import Access
    from pddl2nl.experiments.sweep import SweepSummary, Trouble
    from pddl2nl.llm.batch import BatchProgress
    from pddl2nl.policies import RunEvent

_SHOWN = 5
_PATIENCE = 10.0
"""Seconds after which a call is told where there is no terminal."""

Update = Callable[[str, int, int | None], None]
"""Shows a description, how much is done, and of how much (None: unknown)."""


@contextmanager
def bar_shown(description: str, *, lines: bool = False) -> Iterator[Update]:
    """A progress bar with the description below it, while the block lasts; nothing with ``-q``.

    Args:
        description: shown first.
        lines: whether a line is printed for every tenth part where standard error is not a terminal.
    """
    # What rich takes for a terminal may be a file, where the environment asks for colours.
    if is_quiet() or not sys.stderr.isatty():
        tenths = -1

        def tell(text: str, done: int, total: int | None) -> None:
            nonlocal tenths
            if lines and (now := 10 * done // max(1, total or 1)) > tenths and not is_quiet():
                tenths = now
                sys.stderr.write(f"{text}\n")

        yield tell
        return
    from rich.console import Group
    from rich.live import Live
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn
    from rich.text import Text

    bars = Progress(BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    bar = bars.add_task("", total=None)
    # Below the bar, where there is room for it.
    below = Text(description, no_wrap=True, overflow="ellipsis")
    with Live(Group(bars, below), console=console(stderr=True), transient=True, refresh_per_second=4):
        # Rich takes the stream over, and would follow links and colours in what is written to it.
        clean(sys.stderr)

        def update(text: str, done: int, total: int | None) -> None:
            below.plain = text
            bars.update(bar, completed=done, total=total)

        yield update


@contextmanager
def batches(access: Access, poll_seconds: float) -> Iterator[BatchPasses]:
    """The provider's batches of a command, with a progress bar while it waits.

    Raises:
        InputError: there is no cache to remember what was submitted.
    """
    from pddl2nl.experiments.batch_passes import BatchPasses

    with bar_shown("the provider's batches") as update:

        def show(state: BatchProgress) -> None:
            update(_batches_text(state), state.treated, state.lines)

        yield BatchPasses(access, poll_seconds=poll_seconds, on_progress=show)


def _batches_text(state: BatchProgress) -> str:
    return "batches: " + ", ".join(f"{count} {name}" for name, count in sorted(state.states.items()))


# ── one run ──────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def calls_shown(observe: Callable[[RunEvent], None]) -> Iterator[Callable[[RunEvent], None]]:
    """Shows the step of one run, and how long the call under way has taken, given its events; ``observe`` is, too.

    Without a terminal a line is printed for each call that takes longer than `_PATIENCE`, with ``-v`` for every call.
    Each retry is told at once.
    """
    calls = _Calls(observe)
    screen = console(stderr=True)
    if is_quiet():
        yield calls.observe
    elif screen.is_terminal:
        from rich.live import Live
        from rich.text import Text

        shown = Live(get_renderable=lambda: Text(calls.now(), "dim"), console=screen, transient=True)
        with shown, log_to_stderr(lambda line: screen.print(Text(line.rstrip("\n")))):
            clean(sys.stderr)
            yield calls.observe
    else:
        calls.lines = True
        with log_to_stderr():
            yield calls.observe


class _Calls:
    """The call under way, by the events of the run; with ``lines`` set, a line about each that took long."""

    lines = False

    def __init__(self, observe: Callable[[RunEvent], None]) -> None:
        self._observe = observe
        self._turns = 0
        self._call = ""
        self._began = 0.0

    def observe(self, event: RunEvent) -> None:
        from pddl2nl.policies.events import Acted, Failed, LookedAround, Prompted, Rejected, Replied

        if isinstance(event, Prompted):
            # The events of a turn follow its reply: so far there are those of the turns before.
            where = f"step {self._turns + 1}" if event.purpose == "planner" else event.purpose
            self._call, self._began = f"{where}: call {event.call}", time.monotonic()
        elif isinstance(event, Replied | Failed):
            waited = time.monotonic() - self._began
            if self.lines and (is_verbose() or waited > _PATIENCE):
                sys.stderr.write(f"{self._call}: {event.event} after {waited:.1f} s\n")
            self._call = ""
        elif isinstance(event, Acted | Rejected | LookedAround):
            self._turns += 1
        self._observe(event)

    def now(self) -> str:
        """``step 3: call 5, waiting 12 s``; empty while no call is under way."""
        return f"{self._call}, waiting {time.monotonic() - self._began:.0f} s" if self._call else ""


# ── an experiment ────────────────────────────────────────────────────────────────────────────────


@contextmanager
def progress_shown() -> Iterator[tuple[Callable[[SweepSummary], None], Callable[[BatchProgress], None]]]:
    """A bar for an experiment on a terminal, else a line for every tenth part.

    Both say how many runs are done, solved and failed and were finished before, the calls and how many of them the
    cache had, tokens, money, and how long the rest will take. Ctrl-C is answered at once.
    """
    notes = _Notes()
    state, done = "", (0, 1)
    with bar_shown("", lines=True) as update:

        def show(progress: SweepSummary) -> None:
            nonlocal state, done
            # The time left comes first: a narrow terminal cuts the end.
            state, done = "; ".join([*_time_left(progress), _state(progress)]), (progress.ended, progress.runs)
            update(state, *done)
            notes.show(progress)

        def show_batch(batches: BatchProgress) -> None:
            if sys.stderr.isatty():
                update(f"{state}; {_batches_text(batches)}, {batches.treated} of {batches.lines} lines", *done)

        yield show, show_batch


class _Notes:
    """What is said once, as soon as it is so: that a stop was asked for, or that there are no workers."""

    _said = ""

    def show(self, progress: SweepSummary) -> None:
        note = progress.note
        if progress.interrupted:
            waits = f"waiting for {plural(progress.going, 'running run')}"
            note = f"Ctrl-C: {waits}, and starting no other; Ctrl-C once more stops now"
        kind = note.partition(":")[0]
        if note and kind != self._said and not is_quiet():
            sys.stderr.write(f"{note}\n")
        self._said = kind


def _state(progress: SweepSummary) -> str:
    earlier = f", {progress.earlier} finished before" if progress.earlier else ""
    done = f"{progress.ended} of {plural(progress.runs, 'run')}"
    return f"{done}, {progress.solved} solved, {progress.failed} failed{earlier}; {account_text(progress.spent)}"


def _time_left(progress: SweepSummary) -> list[str]:
    """``about 3 min left``, in the largest unit; nothing where that is not known, or nothing is left."""
    left = progress.seconds_left
    if not left:
        return []
    minutes = f"{left / 60:.0f} min" if left < 5400 else f"{left / 3600:.1f} h"
    return [f"about {f'{left:.0f} s' if left < 90 else minutes} left"]


def complain(summary: SweepSummary) -> None:
    """Says on standard error which runs came to no result, each reason once, and what stopped everything."""
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
            print_error(f"and {plural(len(reasons) - _SHOWN, 'other reason')}; --json has them all")

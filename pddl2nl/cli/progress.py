"""What an experiment says on standard error: how far it is, and in the end what came to no result."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pddl2nl.cli.accounts import account_text
from pddl2nl.cli.batches import batches_text
from pddl2nl.cli.output import console, print_error
from pddl2nl.cli.verbosity import is_quiet, is_verbose, log_to_stderr

if TYPE_CHECKING:
    from rich.console import Console

    from pddl2nl.experiments.sweep import Progress, SweepSummary, Trouble
    from pddl2nl.llm.batch import BatchProgress
    from pddl2nl.policies import Event

__all__ = ["TenthLines", "calls_shown", "complain", "progress_shown"]

_SHOWN = 5


@contextmanager
def calls_shown() -> Iterator[Callable[[Event], None]]:
    """How far one run is, on standard error: the step, and how long the call under way has taken.

    A terminal shows one line that changes. Elsewhere a line is printed for each call that takes longer than
    `_PATIENCE`, or with ``-v`` for every call. Each retry is told at once.
    """
    if is_quiet():
        yield lambda event: None
        return
    screen = console(stderr=True)
    if screen.is_terminal:
        from rich.live import Live
        from rich.text import Text

        calls = _Calls()
        shown = Live(get_renderable=lambda: Text(calls.now(), "dim"), console=screen, transient=True)
        with shown, log_to_stderr(lambda line: screen.print(Text(line.rstrip("\n")))):
            yield calls.observe
        return
    with log_to_stderr():
        yield _CallLines().observe


_PATIENCE = 10.0
"""Seconds after which a call is told where there is no terminal."""


class _Calls:
    """The call under way, by the events of the run."""

    def __init__(self) -> None:
        self._turns = 0
        self._call = ""
        self._began = 0.0

    def observe(self, event: Event) -> None:
        """Takes note of an event."""
        from pddl2nl.policies.events import Acted, Failed, LookedAround, Prompted, Rejected, Replied

        if isinstance(event, Prompted):
            # The events of a turn follow its reply: so far there are those of the turns before.
            where = f"step {self._turns + 1}" if event.purpose == "planner" else event.purpose
            self._call, self._began = f"{where}: call {event.call}", time.monotonic()
        elif isinstance(event, Replied | Failed):
            self._call = ""
        elif isinstance(event, Acted | Rejected | LookedAround):
            self._turns += 1

    def now(self) -> str:
        """``step 3: call 5, waiting 12 s``; empty while no call is under way."""
        return f"{self._call}, waiting {time.monotonic() - self._began:.0f} s" if self._call else ""


class _CallLines(_Calls):
    """The same as lines."""

    def observe(self, event: Event) -> None:
        """Takes note of an event, and prints a line about a call that took long."""
        from pddl2nl.policies.events import Failed, Replied

        if isinstance(event, Replied | Failed):
            waited = time.monotonic() - self._began
            if is_verbose() or waited > _PATIENCE:
                sys.stderr.write(f"{self._call}: {event.event} after {waited:.1f} s\n")
        super().observe(event)


@contextmanager
def progress_shown(runs: int) -> Iterator[tuple[Callable[[Progress], None], Callable[[BatchProgress], None]]]:
    """Progress on standard error: a bar where that is a terminal, else a line for every tenth part.

    Both say how many runs are done, solved and failed and were finished before, the calls and how many of them the
    cache had, tokens, money, and how long the rest will take. A stop that was wished for is said at once.
    """
    if is_quiet():
        yield lambda progress: None, lambda state: None
        return
    screen = console(stderr=True)
    if screen.is_terminal:
        with _bar(screen, runs) as shown:
            yield shown
        return
    lines, notes = TenthLines(), _Notes(sys.stderr.write)

    def show(progress: Progress) -> None:
        lines.show(progress.ended, progress.runs, "; ".join([*_parts(progress), *_time_left(progress)]))
        notes.show(progress)

    yield show, lambda state: None


@contextmanager
def _bar(screen: Console, runs: int) -> Iterator[tuple[Callable[[Progress], None], Callable[[BatchProgress], None]]]:
    from rich.console import Group
    from rich.live import Live
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars
    from rich.text import Text

    bars = Bars(BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    task = bars.add_task("", total=runs)
    # Below the bar, where there is room for it.
    below = Text(no_wrap=True, overflow="ellipsis")
    with Live(Group(bars, below), console=screen, transient=True, refresh_per_second=4):
        notes = _Notes(lambda text: screen.print(Text(text.rstrip("\n"))))
        state = [""]

        def show(progress: Progress) -> None:
            state[0] = "; ".join(_parts(progress))
            below.plain = state[0]
            bars.update(task, completed=progress.ended, description="".join(_time_left(progress)))
            notes.show(progress)

        def show_batch(batches: BatchProgress) -> None:
            below.plain = f"{state[0]}; {batches_text(batches)}, {batches.treated} of {batches.lines} lines"

        yield show, show_batch


class _Notes:
    """What is said once, as soon as it is so: that a stop was wished for, or that there are no workers."""

    def __init__(self, write: Callable[[str], object]):
        self._write = write
        self._said = ""

    def show(self, progress: Progress) -> None:
        """Writes what is new."""
        note = progress.note
        if progress.stopping:
            runs = (
                "1 run goes on and comes to its end"
                if progress.going == 1
                else (f"{progress.going} runs go on and come to their end")
            )
            note = f"Ctrl-C: {runs}, and none begins; Ctrl-C once more stops now"
        kind = note.partition(":")[0]
        if note and kind != self._said:
            self._write(f"{note}\n")
        self._said = kind


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


def _parts(progress: Progress) -> list[str]:
    earlier = f", {progress.earlier} finished before" if progress.earlier else ""
    return [
        f"{progress.ended} of {progress.runs} runs, {progress.solved} solved, {progress.failed} failed{earlier}",
        account_text(progress.spent),
    ]


def _time_left(progress: Progress) -> list[str]:
    """``about 3 min left``; nothing where that is not known, or nothing is left."""
    left = progress.seconds_left
    return [f"about {_duration(left)} left"] if left else []


def _duration(seconds: float) -> str:
    """A time in its largest unit: ``40 s``, ``12 min``, ``3.5 h``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


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

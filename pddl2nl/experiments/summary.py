"""How far an experiment is, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pddl2nl.experiments.run_one import Done, Result
from pddl2nl.policies.budget import Account, total

__all__ = ["Progress", "SweepSummary", "Trouble"]

INTERRUPTED = 130
_MESSAGE = 500


@dataclass(frozen=True)
class Trouble:
    """A run that came to no result, and why."""

    run: str
    message: str

    def __post_init__(self) -> None:
        # Thousands may fail alike: what is kept of each is short.
        if len(self.message) > _MESSAGE:
            object.__setattr__(self, "message", self.message[:_MESSAGE] + " …")


@dataclass(frozen=True)
class Progress:
    """How far an experiment is: ``ended`` of ``runs``, those that had ended before included.

    Attributes:
        runs, ended: how many there are, and how many of them have ended.
        solved, failed: of those that have ended; the latter came to no result.
        spent: what was paid this time, with the hits of the cache.
        earlier: how many had been finished before; nothing was done for them now.
        going: how many go on.
        seconds: how long it has taken so far, this time.
        stopping: whether no further run begins, as somebody wished so.
        note: what else a person should know just now; empty for nothing.
    """

    runs: int
    ended: int
    solved: int
    failed: int
    spent: Account
    earlier: int = 0
    going: int = 0
    seconds: float = 0.0
    stopping: bool = False
    note: str = ""

    @property
    def seconds_left(self) -> float | None:
        """How long the rest will take if it goes on as it went; None as long as nothing was done."""
        done = self.ended - self.earlier
        return (self.runs - self.ended) * self.seconds / done if done > 0 else None


@dataclass(frozen=True)
class SweepSummary:
    """What came of an experiment.

    Attributes:
        runs: how many there are.
        earlier: finished before, or by another process.
        outcomes: of all runs with a result, those of earlier included; planners' statuses among them.
        broken: runs that a failing tool or endpoint kept from a result; they are run again the next time.
        bad: runs that cannot be, as they are specified.
        unfinished: left to be gone on with, as the experiment was stopped.
        elsewhere: left to another process that is at them.
        stopped: why it stopped before its end; None where it did not. ``refused``: because an endpoint refused for
            good; ``interrupted``: because somebody wished so.
        spent: paid this time, with the hits of the cache; ``already``: paid before, in the same folder.
        seconds: wall time.
    """

    runs: int
    earlier: int
    outcomes: Mapping[str, int]
    broken: tuple[Trouble, ...] = ()
    bad: tuple[Trouble, ...] = ()
    unfinished: int = 0
    elsewhere: int = 0
    stopped: str | None = None
    refused: bool = False
    interrupted: bool = False
    spent: Account = field(default_factory=Account)
    already: Account = field(default_factory=Account)
    seconds: float = 0.0

    @property
    def solved(self) -> int:
        """How many runs reached the goal."""
        return self.outcomes.get("solved", 0)

    @property
    def exit_code(self) -> int:
        """0: all solved; 1: some were not, or are not finished; 2: some cannot be; 3: something failed; 130: Ctrl-C."""
        if self.interrupted:
            return INTERRUPTED
        if self.refused:
            return 3
        if self.bad:
            return 2
        if self.broken:
            return 3
        return int(self.solved < self.runs)

    def as_json(self) -> dict[str, Any]:
        """The summary as ``pddl2nl experiment --json`` prints it."""
        return {
            "runs": self.runs,
            "earlier": self.earlier,
            "solved": self.solved,
            "outcomes": dict(sorted(self.outcomes.items())),
            "infrastructure_errors": [asdict(trouble) for trouble in self.broken],
            "bad_input": [asdict(trouble) for trouble in self.bad],
            "unfinished": self.unfinished,
            "elsewhere": self.elsewhere,
            "stopped": self.stopped,
            "spent": asdict(self.spent),
            "spent_before": asdict(self.already),
            "seconds": round(self.seconds, 3),
        }


class Tally:
    """What becomes a `SweepSummary` while an experiment goes on; of one thread."""

    def __init__(self, runs: int):
        self.runs = runs
        self.earlier = 0
        self.outcomes: Counter[str] = Counter()
        self.broken: list[Trouble] = []
        self.bad: list[Trouble] = []
        self.elsewhere = 0

    def note(self, run: str, result: Result) -> None:
        """Counts what came of a run; one that was left unfinished is what is missing in the end."""
        if isinstance(result, Done):
            self.earlier += result.earlier
            if result.end.broken:
                self.broken.append(Trouble(run, result.end.message))
            else:
                self.outcomes[result.end.outcome] += 1
        elif result.how == "bad":
            self.bad.append(Trouble(run, result.message))
        elif result.how == "broken":
            self.broken.append(Trouble(run, result.message))

    def progress(self, spent: Account, **now: Any) -> Progress:
        """How far it is; ``now`` holds the other fields."""
        failed = len(self.broken) + len(self.bad)
        ended = self.outcomes.total() + failed
        return Progress(self.runs, ended, self.outcomes["solved"], failed, spent, earlier=self.earlier, **now)

    def summary(self, *, spent: Account, already: Account, seconds: float, **ending: Any) -> SweepSummary:
        """What came of it; ``ending`` says how it stopped."""
        return SweepSummary(
            runs=self.runs,
            earlier=self.earlier,
            outcomes=dict(self.outcomes),
            broken=tuple(self.broken),
            bad=tuple(self.bad),
            unfinished=self.runs - self.outcomes.total() - len(self.broken) - len(self.bad) - self.elsewhere,
            elsewhere=self.elsewhere,
            spent=total([spent]),
            already=total([already]),
            seconds=seconds,
            **ending,
        )

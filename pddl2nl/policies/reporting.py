"""What reports need of a run's events: metrics, and notes on a page. Systems bring theirs in these forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from pddl2nl.policies.events import Finished, RunEvent, Started
    from pddl2nl.policies.ground_truth import Reference


class ScoredRun(Protocol):
    """A finished run, as metrics see it."""

    @property
    def started(self) -> Started: ...
    @property
    def finished(self) -> Finished: ...
    @property
    def events(self) -> tuple[RunEvent, ...]: ...
    @property
    def counted(self) -> tuple[RunEvent, ...]:
        """The events without those of plans that do not count."""

    @property
    def solved(self) -> bool: ...
    @property
    def reference(self) -> Reference | None:
        """The ground-truth plans of the task, if they are known."""


# ── metrics ──────────────────────────────────────────────────────────────────────────────────────

Comparable = Literal["always", "both-solved", "never"]
"""When a metric's values of two runs of one task and seed may be compared: if both are scored, only if both reached
the goal, or never, because the value depends on circumstances more than on the configuration."""


class _Compared(Protocol):
    """What `RunMetric.compares` needs of a run."""

    @property
    def infrastructure(self) -> bool: ...
    @property
    def solved(self) -> bool: ...
    @property
    def values(self) -> Mapping[str, float]: ...


@dataclass(frozen=True)
class RunMetric:
    """One quantity of a run.

    Attributes:
        name: the name in `pddl2nl.reports.all_metrics`.
        summary: one line for people.
        better: whether higher or lower values are better.
        together: how the means of several tasks become one number.
        of: the value of a run, or None if it has none. The metrics of systems take a `ScoredRun`, those of reports
            also the record of a planner. Runs with an infrastructure error are never measured.
        unit: of the value; empty for a ratio, ``%`` for percentages.
        comparable: when the values of two configurations may be compared.
        guessed: whether the value contains an estimate.
        short: a short name, if the value compares a plan with a ground truth.
    """

    name: str
    summary: str
    better: Literal["higher", "lower"]
    together: Literal["sum", "mean"]
    of: Callable[[Any], float | None]
    unit: str = ""
    comparable: Comparable = "both-solved"
    guessed: Callable[[Any], bool] = lambda run: False
    short: str = ""

    def compares(self, one: _Compared, other: _Compared) -> bool:
        """Whether the values of two runs of one task and seed may be compared; both must have one."""
        allowed = {"always": True, "both-solved": one.solved and other.solved, "never": False}[self.comparable]
        both = self.name in one.values and self.name in other.values
        return allowed and both and not (one.infrastructure or other.infrastructure)


# ── notes on a page ──────────────────────────────────────────────────────────────────────────────

Tone = Literal["", "good", "bad", "soft"]


@dataclass(frozen=True)
class Item:
    """A line of a note: a label, text, texts in PDDL, and how it is marked."""

    text: str = ""
    label: str = ""
    codes: tuple[str, ...] = ()
    tone: Tone = ""


@dataclass(frozen=True)
class Note:
    """One planning event as a report's page shows it; all texts are escaped, because they may be a model's words.

    Attributes:
        kind: the event's name.
        title: for example ``Block 2, correction 1``.
        verdict: the result in a few words, marked by ``tone``.
        lines: numbered lines.
        items: other lines.
        feedback: the feedback for the model, in the words of the run.
        remark: whether it belongs to the execution of a plan rather than to planning.
    """

    kind: str
    title: str
    verdict: str = ""
    tone: Tone = ""
    lines: tuple[Item, ...] = ()
    items: tuple[Item, ...] = ()
    feedback: str = ""
    remark: bool = False

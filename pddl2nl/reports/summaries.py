"""What a report keeps of a run: its metrics and what it was, without its events, so that ten thousand fit in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pddl2nl.experiments.layout import Kind

__all__ = ["BrokenLink", "Measured", "RunSummary"]


@dataclass(frozen=True, slots=True)
class BrokenLink:
    """The first broken link of a run.

    Attributes:
        kind: ``unreadable``, ``ambiguous``, ``unknown-object``, ``inapplicable``, ``goal-missed``, ``budget``,
            ``gave-up``, …: the `Fault`'s status where it says more than the outcome does, else the outcome.
        predicates: of an inapplicable action the predicates of the unmet literals (``not clear`` for negated ones), of
            a missed goal those of the unmet goals; sorted, each once.
        step: at which it broke, 0 where no step was reached.
        text: what was said there, or the reason.
    """

    kind: str
    predicates: tuple[str, ...] = ()
    step: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """Of a task whose ground-truth plans are known what tables of it go by: see `pddl2nl.policies.ground_truth`."""

    task: str
    title: str = ""
    complexity: str = ""
    averaged: bool = True


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A finished run, of a policy or of a planner.

    Attributes:
        name: the record's file name without its ending.
        path: of the record.
        suite: what the experiment called the domain or suite; the domain's name where there was none.
        task: what the experiment called the task; the problem's name where there was none.
        task_id: the same for the same PDDL texts, and no others (a SHA-256).
        domain, problem: the names in the PDDL texts.
        objects: how many objects the problem has, constants included.
        policy: or the planner's name.
        model: empty where none was asked.
        style: ``nl`` or ``pddl``; empty for planners and walks.
        wording: where the wording came from, short: ``template``, ``llm``, a method, a file's name; empty where none.
        variant: other settings that differ from the defaults, short, for telling columns apart: ``history=compact``.
        wording_id: the same for equal wordings (a short SHA-256); empty where no wording was used.
        prompts_id: the same for equal prompt files (a short SHA-256); empty where none was used.
        seed: None for planners.
        outcome: of an episode, or the planner's status.
        link: the first broken link; None where the run was solved.
        message: why it ended, a sentence.
        values: its metrics by name (`pddl2nl.reports.metrics.METRICS`), those it has; empty for a run that
            infrastructure broke.
        estimated: the names of those that are estimates.
        measured: what its plan is measured against; None where no ground truth is known.
    """

    name: str
    path: Path
    suite: str
    task: str
    task_id: str
    domain: str
    problem: str
    objects: int
    policy: str
    model: str = ""
    style: str = ""
    wording: str = ""
    variant: str = ""
    wording_id: str = ""
    prompts_id: str = ""
    seed: int | None = None
    outcome: str = ""
    link: BrokenLink | None = None
    message: str = ""
    values: Mapping[str, float] = field(default_factory=dict)
    estimated: frozenset[str] = frozenset()
    measured: Measured | None = None

    @property
    def kind(self) -> Kind:
        """Who chose the actions."""
        if self.seed is None:
            return "planner"
        return "model" if self.model else "walk"

    @property
    def solved(self) -> bool:
        """Whether the goal was reached, or a plan found."""
        return self.outcome == "solved"

    @property
    def infrastructure(self) -> bool:
        """Whether a tool failed and not the policy: such a run is never scored."""
        return self.outcome == "infrastructure-error"

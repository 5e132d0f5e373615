"""The events of a record of a question; every report imports them, and none of what asks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pddl2nl.policies.events import Amount, Fault, RunEvent
from pddl2nl.questions.question import Question

AnswerOutcome = Literal[
    "right", "wrong", "unreadable", "undecided", "budget", "context", "gave-up", "infrastructure-error"
]


class Asked(RunEvent, frozen=True):
    """A question, the model that is asked, and how."""

    question: Question
    model: str
    seed: int
    style: str = "nl"
    wording: Mapping[str, Any] | None = None
    names_scheme: str = "typed"
    suite: str = ""
    base_url: str | None = None
    model_settings: Mapping[str, Any] = {}
    format: int = 1

    last = "answered"

    # ── as the first events of other records call it ─────────────────────────────────────────────

    @property
    def spec(self) -> Mapping[str, Any]:
        """What tells it apart from others."""
        told = {name: getattr(self.question, name) for name in ("kind", "form", "domain")}
        return {**told, "style": self.style, "model": self.model, "seed": self.seed}

    @property
    def versions(self) -> Mapping[str, str]:
        """None: no package but this one takes part."""
        return {}

    @property
    def task(self) -> str:
        return self.question.id

    @property
    def domain(self) -> str:
        return self.question.domain

    @property
    def problem(self) -> str:
        return self.question.problem

    @property
    def domain_pddl(self) -> str:
        """The domain as PDDL; empty if unknown."""
        return self.question.PDDL_domain

    @property
    def problem_pddl(self) -> str:
        """The problem as PDDL; empty if unknown."""
        return self.question.PDDL_problem


class Answered(RunEvent, frozen=True):
    """How the question was answered.

    Attributes:
        outcome: ``right``, ``wrong``, ``unreadable``, ``undecided`` (read, and not decided within the limits), or as
            that of a run where there is no answer.
        fault: the first broken link; null for a right answer. Its step is 1.
        spent: what was paid now (`pddl2nl.policies.budget.Account`), by role.
        seconds: wall time.
        digest: seals the record.
    """

    outcome: AnswerOutcome
    fault: Fault | None = None
    message: str = ""
    spent: Mapping[str, Mapping[str, int | float | None]] = {}
    seconds: Amount = 0.0
    digest: str = ""


EVENTS: tuple[type[RunEvent], ...] = (Asked, Answered)

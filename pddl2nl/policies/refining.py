"""The loop that systems of the literature share: propose, check, give feedback, propose again, at most n times.

A `Check` has a name and says what is wrong with a proposal, in words for whoever proposes. What a check tells of a
failed step depends on the *style* of its signal (`signal`): the same verdict, with more or less information.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

P = TypeVar("P")

Style = Literal["raw", "terse", "reason"]


def signal(style: Style, step: int | None, code: str, about: str, reason: str) -> str:
    """What is told about a failed step.

    Args:
        style: ``raw`` tells the number of the step; ``terse`` also what kind of failure it is and what it is about;
            ``reason`` the reason.
        step: its number; None for the proposal as a whole.
        code: the kind of failure, ``inapplicable``.
        about: the action, or the facts that are missing.
        reason: all that is known, in sentences.
    """
    if style == "reason":
        return reason
    start = "The plan failed" if step is None else f"Step {step} failed"
    return f"{start}." if style == "raw" else f"{start}: {code}, {about}."


@dataclass(frozen=True)
class Check(Generic[P]):
    """A named check: the feedback about a proposal, empty if nothing is wrong."""

    name: str
    feedback: Callable[[P], str]


@dataclass(frozen=True)
class Attempt(Generic[P]):
    """A proposal with the first check that failed, and its feedback; ``number`` counts corrections, from 0."""

    proposal: P
    number: int = 0
    failed: str = ""
    feedback: str = ""


def refine(
    propose: Callable[[Attempt[P] | None], P],
    checks: Sequence[Check[P]],
    most: Callable[[P], int],
    *,
    same: Callable[[P], Hashable] | None = None,
) -> Attempt[P]:
    """The first proposal that passes all checks, or else the last one.

    Args:
        propose: makes the first proposal, or corrects a failed attempt.
        checks: in their order; the first that fails gives the feedback.
        most: the largest number of corrections, given the latest proposal.
        same: what must differ for another proposal to be made; if it and the feedback were seen before, the loop ends,
            because the same question gets the same answer. None if it may get another one.
    """
    seen: set[Hashable] = set()
    attempt: Attempt[P] | None = None
    while True:
        proposal = propose(attempt)
        number = 0 if attempt is None else attempt.number + 1
        found = ((check.name, check.feedback(proposal)) for check in checks)
        failed, feedback = next(((name, text) for name, text in found if text), ("", ""))
        attempt = Attempt(proposal, number, failed, feedback)
        known = None if same is None else (same(proposal), feedback)
        if not feedback or number >= most(proposal) or (known is not None and known in seen):
            return attempt
        seen.add(known)

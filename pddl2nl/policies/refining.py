"""The loop that systems of the literature share: propose, check, give feedback, propose again, at most n times.

A `Check` has a name and says what is wrong with a proposal, in words for the proposer. What a check tells of a
failed step depends on the *style* of its signal (`signal`): the same verdict, with more or less information. Where a
command can stand for several actions, it tells of the one that was meant (`clearest`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from pddlval import StepResult
from pddlval.formulas import names_in, predicates_in

P = TypeVar("P")

Style = Literal["raw", "terse", "reason"]


def signal(style: Style, step: int | None, code: str, about: str, reason: str) -> str:
    """What is told about a failed step; about the proposal as a whole where ``step`` is None.

    ``raw`` tells the number of the step; ``terse`` also the kind of failure (``code``, such as ``inapplicable``) and
    the action or the facts that are missing (``about``); ``reason`` all that is known, in sentences.
    """
    if style == "reason":
        return reason
    start = "The plan failed" if step is None else f"Step {step} failed"
    return f"{start}." if style == "raw" else f"{start}: {code}, {about}."


def clearest(results: Iterable[StepResult], named: Collection[str], changed: Collection[str]) -> StepResult | None:
    """Which action a command that can mean several actions stands for; None without any.

    That is the first applicable action. If none is applicable, it is the one that was meant, because what the command
    leaves open agrees with what holds: "take the milk" means to take it out of the fridge that it is in, and fails
    because the fridge is closed, and not because the milk is not on top of it. So conditions come first that no action
    can ever change, then those that join an object of the command with another one, then the number of conditions.

    ``results`` are in the order of preference; those after the first applicable one are not asked for. ``named`` are
    the objects that the command names, ``changed`` the predicates that actions change.
    """
    nearest: tuple[tuple[int, int, int, int], StepResult] | None = None
    for result in results:
        if result.successor is not None:
            return result
        # An unmet condition without a predicate compares numbers, which change.
        never = sum(bool(known := predicates_in(each)) and known.isdisjoint(changed) for each in result.unmet)
        others = {*result.action.args}.difference(named)
        objects = [{*names_in(each)} for each in result.unmet]
        joining = sum(not each.isdisjoint(named) and not each.isdisjoint(others) for each in objects)
        rank = never, joining, len(objects), -sum(not each.isdisjoint(named) for each in objects)
        if nearest is None or rank < nearest[0]:
            nearest = rank, result
    return None if nearest is None else nearest[1]


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

"""Plans of hierarchical policies as they grow: macro-actions with their blocks, one after the other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pddl2nl.macros.conditions import ReadConditions
from pddl2nl.macros.prompting import shortened
from pddl2nl.nl import Teller
from pddl2nl.policies.hvr.prompts import Executed
from pddlval import GroundAction, State

__all__ = ["MOST_MACROS", "Mechanism", "Part", "grouped", "macro_numbers", "macro_words", "whole"]

MOST_MACROS = 50
"""So many macro-actions has a plan at most; a number of ours, as the paper gives none (its own have 19 at most). Each
costs calls, and a reply of a thousand lines is no plan of a thousand macro-actions."""

_LONGEST = 300
"""So many characters of what a macro-action is called are kept: it stands in every prompt from then on."""


@dataclass(frozen=True)
class Mechanism:
    """Which of the three components of HVR a policy has.

    Attributes:
        hierarchy: macro-actions (H); else the whole plan is asked for at once.
        verification: repair, feedback of the validator, correction, replanning (V); else they are left out, and what
            they would find is still measured.
        retrieval: the model selects from the knowledge graph what is told (R); else all of it is.
    """

    hierarchy: bool = False
    verification: bool = False
    retrieval: bool = False


@dataclass(frozen=True)
class Part:
    """A macro-action with the actions that carry it out.

    Attributes:
        attempt, macro: the macro plan, and the number in it; macro 0 is a whole plan.
        words: what it is called; empty for a whole plan.
        actions: its block.
        start: the state in which the block begins, on paper.
        conditions: what is claimed of it; None where there is no claim.
        holds: the block runs, and does what is claimed.
    """

    attempt: int
    macro: int
    words: str
    actions: tuple[GroundAction, ...]
    start: State
    conditions: ReadConditions | None = None
    holds: bool = False


def whole(parts: Sequence[Part]) -> tuple[GroundAction, ...]:
    """The expanded plan: all blocks, one after the other."""
    return tuple(action for part in parts for action in part.actions)


def macro_numbers(parts: Sequence[Part]) -> tuple[int, ...]:
    """The macro-action of each action of the expanded plan; 0 for those kept of a macro plan that was given up."""
    last = parts[-1].attempt if parts else 0
    return tuple(part.macro if part.attempt == last else 0 for part in parts for _ in part.actions)


def grouped(parts: Sequence[Part], teller: Teller) -> tuple[Executed, ...]:
    """The parts as prompts tell them."""
    return tuple(Executed(part.words, tuple(map(teller.action, part.actions))) for part in parts)


def macro_words(reply: str) -> tuple[str, ...]:
    """The macro-actions of a reply, one a line, their numbers and marks removed.

    Code fences, headings and lines that introduce the list (they end in a colon) are none. Where some lines are
    numbered, those alone count: what stands around a numbered list is talk. The first `MOST_MACROS` are taken.
    """
    lines = [line.strip() for line in reply.splitlines()]
    lines = [line for line in lines if line and not line.startswith(("```", "~~~", "#")) and not line.endswith(":")]
    numbered = [line for line in lines if re.match(r"\W*(?:step\s+|macro-action\s+)?\d+\s*[.):]", line, re.I)]
    found: list[str] = []
    for line in numbered or lines:
        if len(found) == MOST_MACROS:
            break
        bare = re.sub(r"\A\W*(?:(?:step|macro-action)\s+)?(?:\d+\s*[.):]+)?\W*", "", line, flags=re.I)
        bare = bare.strip("*_`\"' \t").rstrip(".").strip("*_`\"' \t")
        if bare:
            found.append(shortened(bare, _LONGEST))
    return tuple(found)

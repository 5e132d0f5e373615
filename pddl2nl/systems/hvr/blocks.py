"""Macro-actions and their blocks of actions, and the validator of blocks (HVR paper, sections 2.3 and 2.4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pddl2nl.macros.telling import told_condition
from pddl2nl.nl import Teller
from pddl2nl.nl.wording.english import within_sentence
from pddl2nl.pddl import Condition
from pddl2nl.policies.prompts import shortened
from pddlval import GroundAction, Simulator, State

MOST_MACROS = 50
"""The most macro-actions of a plan; our limit, as the paper gives none (its longest plan has 19)."""

EFFECT_MISSING = "All steps can be done, but after them the effect of the macro-action does not hold. What is missing:"
GOAL_MISSING = "All steps can be done, but after them the task is not done. What is missing:"
NOTHING = "There are no actions in this answer."

_LONGEST_MACRO = 300
"""The most characters of a macro-action's description, which is part of every later prompt."""


@dataclass(frozen=True)
class Part:
    """A macro-action of a plan with its block, and the state in which it begins, as simulated.

    Its numbers are those of the macro plan and of the macro-action in it; macro 0 is a whole plan, without words.
    """

    attempt: int
    macro: int
    words: str
    actions: tuple[GroundAction, ...]
    start: State


def whole(parts: Sequence[Part]) -> tuple[GroundAction, ...]:
    """The expanded plan: all blocks, one after the other."""
    return tuple(action for part in parts for action in part.actions)


def macro_words(reply: str) -> tuple[str, ...]:
    """The macro-actions of a reply, one a line, without numbers and list marks; at most `MOST_MACROS`.

    Code fences, headings and lines that end in a colon are skipped. If some lines are numbered, only these count.
    """
    lines = [line.strip() for line in reply.splitlines()]
    lines = [line for line in lines if line and not line.startswith(("```", "~~~", "#")) and not line.endswith(":")]
    numbered = [line for line in lines if re.match(r"\W*(?:step\s+|macro-action\s+)?\d+\s*[.):]", line, re.I)]
    found: list[str] = []
    for line in numbered or lines:
        bare = re.sub(r"\A\W*(?:(?:step|macro-action)\s+)?(?:\d+\s*[.):]+)?\W*", "", line, flags=re.I)
        bare = bare.strip("*_`\"' \t").rstrip(".").strip("*_`\"' \t")
        if bare and len(found) < MOST_MACROS:
            found.append(shortened(bare, _LONGEST_MACRO))
    return tuple(found)


@dataclass(frozen=True)
class ActionBlock:
    """A simulated block: its actions after the repair, and how many of them are applicable one after the other.

    `unmet` are the conditions that fail: of the next action's precondition, or of the claimed effect. The feedback is
    empty if nothing fails.
    """

    actions: tuple[GroundAction, ...]
    verified: int
    after: State
    unmet: tuple[Condition, ...] = ()
    feedback: str = ""

    @property
    def holds(self) -> bool:
        return not self.feedback


def verified(
    simulator: Simulator,
    teller: Teller,
    start: State,
    actions: Sequence[GroundAction],
    unmet: Callable[[State], tuple[Condition, ...]],
    missing: str,
) -> ActionBlock:
    """Simulates a block and explains what fails.

    `unmet` are the conditions of the claimed effect that fail in a final state, `missing` the first line of the
    feedback about them.
    """
    actions = tuple(actions)
    followed = simulator.follow(start, actions)
    state, failed, conditions = followed.state, followed.failed, followed.unmet
    if failed is not None:
        done = len(followed.actions)
        action = actions[done]
        told = f"Step {done + 1}, {within_sentence(teller.action(action))}, cannot be done"
        if followed.error is not None:
            feedback = f"{told}: {followed.error.reason}."
        else:
            reasons = teller.reasons(conditions, state)
            if not reasons and failed.conflict is not None:
                reasons = teller.contradiction(failed.conflict)
            because = f" because {reasons}" if reasons else ""
            feedback = _violated(f"{told}{because}. Violated:", conditions, teller)
        return ActionBlock(actions, done, state, conditions, feedback)
    failing = unmet(state)
    feedback = ""
    if failing:
        feedback = _violated(missing, failing, teller)
        feedback = feedback if actions else f"{NOTHING}\n{feedback}"
    return ActionBlock(actions, len(actions), state, failing, feedback)


def _violated(head: str, conditions: Sequence[Condition], teller: Teller) -> str:
    return "\n".join([head, *(f"- {told_condition(condition, teller)}" for condition in conditions)])

"""Blocks of actions: requested, mapped, repaired, verified and corrected (HVR paper, sections 2.3 and 2.4).

The limits are those of the paper's appendix B.3: a block with n actions is corrected up to 2·n times, where n changes
with each correction (an empty block up to twice), and it has at most 50 actions. At temperature 0 a correction whose
prompt was already sent is not requested again, because the reply would be the same.

A policy without hierarchy has one block, the whole plan, as macro-action 0; its claimed effect is the task's goal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pddl2nl.baselines.plan_oracle import PlanOracle
from pddl2nl.llm import Message
from pddl2nl.llm.constraint import Constraint
from pddl2nl.macros.telling import told_condition
from pddl2nl.nl import Teller
from pddl2nl.nl.wording.english import within_sentence
from pddl2nl.pddl import Condition, write_condition
from pddl2nl.policies.constraining import action_lines
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.refining import Attempt, Check, refine
from pddl2nl.policies.staged import shortened
from pddl2nl.systems.hvr.events import BlockExpanded
from pddl2nl.systems.hvr.mapping import ActionMapper
from pddl2nl.systems.hvr.prompting import ACTIONS_MARK
from pddl2nl.systems.hvr.repair import Repair
from pddlval import GroundAction, Simulator, State

MOST_MACROS = 50
"""The most macro-actions of a plan; our limit, as the paper gives none (its longest plan has 19)."""

LONGEST_BLOCK = 50
"""The most actions of a block (appendix B.3 of the paper)."""

LONGEST_PLAN = 500
"""The most actions of a plan without hierarchy; our limit, as the paper gives none."""

EFFECT_MISSING = "All steps can be done, but after them the effect of the macro-action does not hold. What is missing:"
GOAL_MISSING = "All steps can be done, but after them the task is not done. What is missing:"
_NOTHING = "There are no actions in this answer."

_LONGEST_MACRO = 300
"""The most characters of a macro-action's description, which is part of every later prompt."""

_MOST_LINES, _LONGEST_LINE = 10, 200
"""The most unreadable lines told in a correction, and the most characters of each."""


@dataclass(frozen=True)
class Part:
    """A macro-action of a plan with its block.

    Attributes:
        attempt, macro: the number of the macro plan, and of the macro-action in it; macro 0 is a whole plan.
        words: the macro-action in words; empty for a whole plan.
        actions: its block.
        start: the state in which the block begins, as simulated.
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
    """A verified block.

    Attributes:
        actions: the actions after the deterministic repair.
        verified: the number of actions that are applicable one after the other.
        after: the state after these.
        unmet: the conditions that fail: of the next action's precondition, or of the claimed effect.
        feedback: the feedback for the model; empty if all actions are applicable and the claimed effect holds.
        inserted: the indices of actions that the repair inserted.
        unread: lines of the reply that could not be read as actions.
    """

    actions: tuple[GroundAction, ...]
    verified: int
    after: State
    unmet: tuple[Condition, ...] = ()
    feedback: str = ""
    inserted: tuple[int, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether nothing fails."""
        return not self.feedback


@dataclass(frozen=True)
class Job:
    """A block to expand.

    Attributes:
        attempt, macro: the number of the macro plan, and of the macro-action in it.
        start: the state in which the block begins.
        prompt: the prompt for the block, or, given a block that failed, for its correction.
        unmet: the conditions of the claimed effect that fail in a final state.
        answer: the oracle's answer to that prompt.
        claimed: whether there is a claimed effect; otherwise the block only has to be applicable and not empty.
    """

    attempt: int
    macro: int
    start: State
    prompt: Callable[[ActionBlock | None], Sequence[Message]]
    unmet: Callable[[State], tuple[Condition, ...]]
    answer: Callable[[PlanOracle, ActionBlock | None], str]
    claimed: bool = True

    @property
    def missing(self) -> str:
        """The first line of the feedback about the claimed effect."""
        return EFFECT_MISSING if self.macro else GOAL_MISSING

    @property
    def longest(self) -> int:
        """The largest number of actions."""
        return LONGEST_BLOCK if self.macro else LONGEST_PLAN


class Expander:
    """Expands macro-actions into blocks, for one episode.

    Args:
        episode: asks the model and records the events.
        verification: whether blocks are repaired and corrected; otherwise they are only verified for the record.
    """

    def __init__(self, episode: Episode, *, verification: bool):
        setting = episode.setting
        self._episode = episode
        self._verification = verification
        self._simulator: Simulator = setting.simulator
        self._teller: Teller = setting.teller
        self._mapper = ActionMapper(setting.simulator, setting.teller, setting.reader, setting.embed)
        self._repair = Repair(setting.simulator)
        self._constraint: Constraint | None = None
        if setting.spec.constrain != "off":
            lines = None if setting.spec.constrain == "format" else action_lines(episode, episode.state)
            self._constraint = Constraint(lines, begin=f"{ACTIONS_MARK}\n", words=True)

    def expand(self, job: Job) -> ActionBlock:
        """The block after all corrections.

        Raises:
            EpisodeOver: the budget is spent.
            InfrastructureError: the model did not answer.
        """

        def propose(failed: Attempt[ActionBlock] | None) -> ActionBlock:
            block = None if failed is None else failed.proposal
            reply = self._episode.ask(
                job.prompt(block),
                again=True,
                constraint=self._constraint,
                answer=lambda oracle: job.answer(oracle, block),
            )
            return self._judged(job, reply, 0 if failed is None else failed.number + 1)

        return refine(
            propose,
            [Check("validator", lambda block: block.feedback)],
            lambda block: 2 * max(len(block.actions), 1) if self._verification else 0,
            same=None if self._episode.sampling else lambda block: block.actions,
        ).proposal

    def _judged(self, job: Job, reply: str, number: int) -> ActionBlock:
        """The block in a reply, repaired, verified and recorded."""
        mapped = self._mapper.map(self._episode.uncut(reply), job.start, job.longest)
        for place, reading in enumerate(mapped.readings, start=1):
            self._episode.note_reading(place, reading)
        actions = mapped.actions[: job.longest]
        inserted: tuple[int, ...] = ()
        if self._verification:
            actions, inserted = self._repair.repair(actions, job.start)
            actions, inserted = actions[: job.longest], tuple(place for place in inserted if place < job.longest)
        block = verified(self._simulator, self._teller, job.start, actions, job.unmet, job.missing)
        feedback = _NOTHING if not actions and not job.claimed else block.feedback
        if feedback and mapped.unread:
            lines = "; ".join(f'"{shortened(line, _LONGEST_LINE)}"' for line in mapped.unread[:_MOST_LINES])
            left = len(mapped.unread) - _MOST_LINES
            feedback += f"\nThese lines are no action that there is: {lines}{f'; and {left} more' if left > 0 else ''}."
        block = replace(block, feedback=feedback, inserted=inserted, unread=mapped.unread)
        self._episode.note(
            BlockExpanded(
                job.attempt,
                job.macro,
                number,
                tuple(map(str, block.actions)),
                block.inserted,
                block.verified,
                block.holds,
                tuple(map(write_condition, block.unmet)),
                block.feedback,
                block.unread,
            )
        )
        return block


def verified(
    simulator: Simulator,
    teller: Teller,
    start: State,
    actions: Sequence[GroundAction],
    unmet: Callable[[State], tuple[Condition, ...]],
    missing: str,
) -> ActionBlock:
    """Simulates a block and explains what fails.

    Args:
        simulator, teller: of the task.
        start: the state in which the block begins.
        actions: the block.
        unmet, missing: as in `Job`.
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
        feedback = feedback if actions else f"{_NOTHING}\n{feedback}"
    return ActionBlock(actions, len(actions), state, failing, feedback)


def _violated(head: str, conditions: Sequence[Condition], teller: Teller) -> str:
    return "\n".join([head, *(f"- {told_condition(condition, teller)}" for condition in conditions)])

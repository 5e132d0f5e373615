"""A block of actions: asked for, mapped, repaired, verified, corrected by the model (HVR paper, sections 2.3 and 2.4).

The limits are those of the paper's appendix B.3: a block is corrected up to 2·x times, x its present length, which
changes with each correction; a block has at most 50 steps. An empty one may be corrected twice. A correction that was
asked for with these very words before is not asked for again at temperature 0, since the reply would be the same.

A whole plan given at once is one block, of macro 0, and its claim is the task's goal; it may be longer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pddl2nl.llm import Message
from pddl2nl.macros.generation import told_condition
from pddl2nl.macros.prompting import shortened
from pddl2nl.nl import Teller
from pddl2nl.nl.wording.articles import within_sentence
from pddl2nl.pddl import Condition, write_condition
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.event_making import read_event
from pddl2nl.policies.hvr.events import BlockExpanded
from pddl2nl.policies.hvr.mapping import ActionMapper
from pddl2nl.policies.hvr.repair import Repair
from pddlval import BadActionError, GroundAction, Simulator, State

__all__ = ["EFFECT_MISSING", "LONGEST_BLOCK", "LONGEST_PLAN", "Block", "Expander", "Job", "verified"]

LONGEST_BLOCK = 50
"""So many steps has a block at most (appendix B.3 of the paper)."""

LONGEST_PLAN = 500
"""So many steps has a plan that is given at once; a number of ours, as the paper gives none."""

_MOST_LINES, _LONGEST_LINE = 10, 200
"""So many lines that are no action are told in a correction, and so much of each: it is for whoever may mend them."""

EFFECT_MISSING = "All steps can be done, but after them the effect of the macro-action does not hold. What is missing:"
"""How the feedback begins about a block that runs and does not do what its macro-action claims."""

_NOTHING = "There are no actions in this answer."


@dataclass(frozen=True)
class Block:
    """A block as it was verified from a state on.

    Attributes:
        actions: all of them, after the deterministic repair.
        inserted: the places of those that the repair put in.
        verified: so many are applicable, one after the other.
        after: the state that these lead to.
        unmet: what failed: of the next action's precondition, or of what the block should bring about.
        feedback: what is told about it; empty where nothing failed.
        unread: the lines that no action could be made of.
    """

    actions: tuple[GroundAction, ...]
    inserted: tuple[int, ...]
    verified: int
    after: State
    unmet: tuple[Condition, ...] = ()
    feedback: str = ""
    unread: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether all actions are applicable and what the block should bring about holds then."""
        return not self.feedback


@dataclass(frozen=True)
class Job:
    """A block that is wanted.

    Attributes:
        attempt, macro: the macro plan, and the macro-action in it; 0 for a whole plan.
        start: the state in which it begins.
        first: the question that asks for it.
        mend: the question that asks to correct one.
        unmet: what of the block's claim fails in the state that it leads to.
        missing: how the feedback about that begins.
        longest: so many steps it has at most.
        claimed: whether anything is claimed; if not, all that is asked of the block is that it has steps, which run.
    """

    attempt: int
    macro: int
    start: State
    first: Callable[[], Sequence[Message]]
    mend: Callable[[Block], Sequence[Message]]
    unmet: Callable[[State], tuple[Condition, ...]]
    missing: str
    longest: int = LONGEST_BLOCK
    claimed: bool = True


class Expander:
    """Expands macro-actions into blocks, for one episode.

    Args:
        episode: asks the model and takes the events.
        verification: whether blocks are repaired and corrected; if not, they are verified all the same, for the record.
    """

    def __init__(self, episode: Episode, *, verification: bool):
        setting = episode.setting
        self._episode = episode
        self._verification = verification
        self._simulator: Simulator = setting.simulator
        self._teller: Teller = setting.teller
        self._mapper = ActionMapper(setting.simulator, setting.teller, setting.reader, setting.reading, setting.embed)
        self._repair = Repair(setting.simulator)

    def expand(self, job: Job) -> Block:
        """The block, as good as it could be had.

        Raises:
            EpisodeOver: the budget is spent.
            InfrastructureError: no reply could be had.
        """
        messages = tuple(job.first())
        block = self._judged(job, self._episode.ask(messages, again=True), 0)
        asked = {messages}
        tries = 0
        while self._verification and not block.holds and tries < 2 * max(len(block.actions), 1):
            messages = tuple(job.mend(block))
            if messages in asked and not self._episode.sampling:
                break
            asked.add(messages)
            tries += 1
            block = self._judged(job, self._episode.ask(messages, again=True), tries)
        return block

    def _judged(self, job: Job, reply: str, number: int) -> Block:
        """The block in a reply, repaired and verified, and written down."""
        mapped = self._mapper.map(self._episode.whole(reply), job.start, job.longest)
        for place, reading in enumerate(mapped.readings, start=1):
            self._episode.note(read_event(place, reading))
        actions = mapped.actions[: job.longest]
        inserted: tuple[int, ...] = ()
        if self._verification:
            repaired = self._repair.repair(actions, job.start)
            actions = repaired.actions[: job.longest]
            inserted = tuple(place for place in repaired.inserted if place < job.longest)
        block = verified(self._simulator, self._teller, job.start, actions, job.unmet, job.missing)
        block = replace(block, inserted=inserted, unread=mapped.unread)
        if not actions and not job.claimed:
            block = replace(block, feedback=_NOTHING)
        if not block.holds and block.unread:
            lines = "; ".join(f'"{shortened(line, _LONGEST_LINE)}"' for line in block.unread[:_MOST_LINES])
            more = f"; and {len(block.unread) - _MOST_LINES} more" if len(block.unread) > _MOST_LINES else ""
            block = replace(
                block, feedback=f"{block.feedback}\nThese lines are no action that there is: {lines}{more}."
            )
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
) -> Block:
    """A block as far as it can be carried out on paper.

    Args:
        simulator: of the task.
        teller: tells what fails.
        start: where it begins.
        actions: the block.
        unmet: what of the block's claim fails in the state that it leads to.
        missing: how the feedback about that begins.
    """
    actions = tuple(actions)
    state = start
    for number, action in enumerate(actions, start=1):
        told = f"Step {number}, {within_sentence(teller.action(action))}, cannot be done"
        try:
            result = simulator.step(state, action)
        except BadActionError as error:
            return Block(actions, (), number - 1, state, (), f"{told}: {error.reason}.")
        if result.successor is None:
            reasons = teller.reasons(result.unmet, state)
            if not reasons and result.conflict is not None:
                reasons = teller.contradiction(result.conflict)
            because = f" because {reasons}" if reasons else ""
            feedback = _violated(f"{told}{because}. Violated:", result.unmet, teller)
            return Block(actions, (), number - 1, state, result.unmet, feedback)
        state = result.successor
    failing = unmet(state)
    feedback = _violated(missing, failing, teller) if failing else ""
    if not actions and failing:
        feedback = f"{_NOTHING}\n{feedback}"
    return Block(actions, (), len(actions), state, failing, feedback)


def _violated(head: str, conditions: Sequence[Condition], teller: Teller) -> str:
    return "\n".join([head, *(f"- {told_condition(condition, teller)}" for condition in conditions)])

"""The conversation of an interactive policy: all turns, or only those that the present state does not tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pddl2nl.llm import Message
from pddl2nl.policies.policy import Turn
from pddl2nl.policies.prompting import problem_now, turn

if TYPE_CHECKING:
    from pddl2nl.policies.episode import Episode

__all__ = ["HISTORIES", "Conversation"]

HISTORIES: tuple[str, ...] = ("full", "compact")
"""What may be kept of old turns; ``compact`` is beyond the paper."""


class Conversation:
    """What the model is asked with next.

    ``full``, as in the AutoPlanBench paper (section 4, "LLM Policies"): every reply and its observation stay, so that
    each prompt is the one before with a turn behind it.

    ``compact``: as soon as an action is executed, the old turns give way to the present state. The target problem is
    put anew, its goal and objects as they were and the present state in the place of the initial one; nothing of the
    way here is needed to go on from it, since an action's conditions and effects depend on the state alone. The turns
    since then are kept, because the state does not tell them: what was refused, not understood or claimed in vain
    changed nothing, and a model that forgot it would say the same again, at temperature 0 for ever. What is lost are
    the thoughts of old turns, and that a state was seen before. The prompt grows with the objects of the task and no
    longer with the length of the run; it is a prompt like any other (`pddl2nl.policies.prompting`), and those between
    two executed actions begin with one another.

    Args:
        episode: tells the present state.
        opening: the conversation up to the target problem, which is its last message.
    """

    def __init__(self, episode: Episode, opening: Sequence[Message]):
        self._episode = episode
        self._head = tuple(opening[:-1])
        self.messages: list[Message] = list(opening)

    def add(self, reply: str, done: Turn) -> None:
        """A reply and what came of it."""
        if self._episode.history == "compact" and done.status == "executed":
            self.messages = [*self._head, Message("user", problem_now(self._episode))]
        else:
            self.messages += turn(reply, done.observation)

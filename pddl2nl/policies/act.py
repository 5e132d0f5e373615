"""Act: one action a turn, answered by an observation (AutoPlanBench paper, section 4, "LLM Policies")."""

from __future__ import annotations

from pddl2nl.llm import Message
from pddl2nl.nl.markers import ACTION
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.prompting import Conversation, chat, opening
from pddl2nl.policies.setting import Example

__all__ = ["Act"]


class Act:
    """The model chooses the next action and sees its result, until the goal holds.

    Each prompt is the previous one with the reply and its observation (`Conversation`). The PDDL twin writes PDDL
    actions and is answered as in section 5 of the paper.
    """

    summary = "one action a turn, answered by an observation"
    styles: tuple[str, ...] = ("nl", "pddl")
    one_shot = False
    thoughts = False
    needs_model = True
    prompt: str | None = "act"

    def run(self, episode: Episode) -> None:
        """Acts until the episode ends."""
        conversation = Conversation(episode, opening(episode, "act", _solution))
        while not episode.done:
            reply = episode.ask(conversation.messages)
            conversation.add(reply, episode.act(reply))


def _solution(example: Example) -> list[Message]:
    return chat([f"{ACTION} {step.action}" for step in example.steps], example)

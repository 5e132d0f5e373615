"""ReAct: a thought and an action a turn (AutoPlanBench paper, section 4, "LLM Policies"; Yao et al. 2023)."""

from __future__ import annotations

from pddl2nl.llm import Message
from pddl2nl.nl.markers import ACTION, THOUGHT
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.prompting import Conversation, chat, opening
from pddl2nl.policies.setting import Example

__all__ = ["ReAct"]


class ReAct:
    """As Act, with a thought before every action; the thoughts stay in the history.

    The PDDL twin is ours: the paper leaves it open. Its example's thoughts come from the template.
    """

    summary = "a thought and an action a turn, answered by an observation"
    styles: tuple[str, ...] = ("nl", "pddl")
    one_shot = False
    thoughts = True
    needs_model = True
    prompt: str | None = "react"

    def run(self, episode: Episode) -> None:
        """Acts until the episode ends."""
        conversation = Conversation(episode, opening(episode, "react", _solution))
        while not episode.done:
            reply = episode.ask(conversation.messages)
            conversation.add(reply, episode.act(reply))


def _solution(example: Example) -> list[Message]:
    return chat([f"{THOUGHT} {step.thought}\n{ACTION} {step.action}" for step in example.steps], example)

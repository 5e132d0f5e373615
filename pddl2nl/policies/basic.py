"""Basic: the model gives a whole plan at once (AutoPlanBench paper, section 4, "LLM Planning")."""

from __future__ import annotations

from pddl2nl.llm import Message
from pddl2nl.nl.markers import PLAN_END, PLAN_START
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.prompting import opening, propose_plans
from pddl2nl.policies.setting import Example

__all__ = ["Basic"]


class Basic:
    """A plan between two tags, one action per line. The PDDL twin writes PDDL actions."""

    summary = "a whole plan at once"
    styles: tuple[str, ...] = ("nl", "pddl")
    one_shot = True
    thoughts = False
    needs_model = True
    prompt: str | None = "basic"

    def run(self, episode: Episode) -> None:
        """Asks for a plan and submits it."""
        propose_plans(episode, opening(episode, "basic", _solution))


def _solution(example: Example) -> list[Message]:
    lines = [PLAN_START, *(step.action for step in example.steps), PLAN_END]
    return [Message("assistant", "\n".join(lines))]

"""CoT: a whole plan at once, with thoughts between the actions (AutoPlanBench paper, section 4; Wei et al. 2022)."""

from __future__ import annotations

from pddl2nl.llm import Message
from pddl2nl.nl.markers import ACTION, PLAN_END, PLAN_START, THOUGHT
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.prompting import opening, propose_plans
from pddl2nl.policies.setting import Example

__all__ = ["ChainOfThought"]


class ChainOfThought:
    """As Basic, with a thought before every action."""

    summary = "a whole plan at once, with thoughts between the actions"
    styles: tuple[str, ...] = ("nl",)
    one_shot = True
    thoughts = True
    needs_model = True
    prompt: str | None = "cot"

    def run(self, episode: Episode) -> None:
        """Asks for a plan and submits it."""
        propose_plans(episode, opening(episode, "cot", _solution))


def _solution(example: Example) -> list[Message]:
    steps = [f"{THOUGHT} {step.thought}\n{ACTION} {step.action}" for step in example.steps]
    return [Message("assistant", "\n".join([PLAN_START, *steps, PLAN_END]))]

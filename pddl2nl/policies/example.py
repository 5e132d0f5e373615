"""The few-shot example as a policy sees it: a solved problem, told step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Example", "ExampleStep"]


@dataclass(frozen=True)
class ExampleStep:
    """One step of the example's plan: what was thought, the action as it is told, and what was observed."""

    action: str
    observation: str = ""
    thought: str = ""


@dataclass(frozen=True)
class Example:
    """A solved problem of the same domain, told in the wording and style of the run.

    All mechanisms show the same example; CoT shows what ReAct shows with the observations taken out, as in
    the AutoPlanBench paper. ``source`` says where the problem came from: a file the user named, the shipped
    domain's example instance, or made from the task's own objects. ``thoughts`` says how they came about.
    """

    goal_text: str
    objects_text: str
    init_text: str
    steps: tuple[ExampleStep, ...]
    source: Literal["file", "shipped", "made"] = "file"
    problem_pddl: str = ""
    plan: tuple[str, ...] = ()
    thoughts: Literal["template", "none"] = "template"

    def to_json(self) -> dict[str, Any]:
        """What a record holds of it: enough to tell it again."""
        return {
            "source": self.source,
            "problem": self.problem_pddl,
            "plan": list(self.plan),
            "thoughts": self.thoughts,
        }

"""The few-shot example as a policy sees it: a solved problem, told step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Example", "ExampleSource", "ExampleStep"]

ExampleSource = Literal["file", "shipped", "beside", "made"]


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
    the AutoPlanBench paper. ``source`` says where the problem came from: a file or folder the user named, the
    shipped domain's example instance, the files beside the task's own, or made from the task's own objects.
    ``thoughts`` says how they came about; ``thoughts_note``, why those of the template stand in for a model's.
    """

    goal_text: str
    objects_text: str
    init_text: str
    steps: tuple[ExampleStep, ...]
    source: ExampleSource = "file"
    problem_pddl: str = ""
    plan: tuple[str, ...] = ()
    thoughts: Literal["llm", "template", "none"] = "template"
    thoughts_note: str = ""

    def to_json(self) -> dict[str, Any]:
        """What a record holds of it: enough to tell it again."""
        return {
            "source": self.source,
            "problem": self.problem_pddl,
            "plan": list(self.plan),
            "thoughts": self.thoughts,
            "thought_texts": [] if self.thoughts == "none" else [step.thought for step in self.steps],
            "thoughts_note": self.thoughts_note,
        }

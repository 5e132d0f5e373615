"""What HVR asks and tells the model (sections 2.2 to 3.3 and appendix B.3 of the paper).

The prompts are laid out as in `pddl2nl.policies.prompts`; the instruction of each stage is a text file in ``prompts``.
As in the paper, retrieval is zero-shot; macro plans, blocks and whole plans have two examples, conditions and
corrections one. What was executed is grouped by macro-action; a block gives the steps in words first, then as actions.
Ours: after a failed macro plan the objects are told as well, because the new plan starts from their current state; and
conditions are corrected before, and refined after a block was expanded.

*Compact* prompts fit, with their replies, the 4,096 tokens of the paper's smaller model in all its tasks: no effects
of actions, no list of actions, no location triples and no predicates that are properties of objects; one example for
macro plans, blocks and plans, none elsewhere; what was executed by macro-actions only; shorter lines of objects
(`pddl2nl.systems.hvr.knowledge_graph`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pddl2nl.llm import Message
from pddl2nl.policies.prompts import PromptLayout, Prompts, Sections, conversation
from pddl2nl.systems.hvr.options import prompt_file

ACTIONS_MARK = "Actions:"
"""The line between the steps in words and the actions of a reply."""

LAYOUT = PromptLayout(
    stages=(
        "retrieval",
        "macro-plan",
        "conditions",
        "conditions-correction",
        "conditions-refinement",
        "block",
        "block-correction",
        "plan",
        "plan-correction",
    ),
    sections=(
        "Task",
        "Available objects",
        "Known macro-actions",
        "Objects",
        "Location triples",
        "Predicates",
        "Actions",
        "Macro plan",
        "Conditions",
        "Executed so far",
        "Macro-action",
        "Its conditions",
        "Block",
        "Plan",
        "Feedback",
    ),
    numbered=frozenset(("Macro plan", "Block", "Plan")),
)

Shots = Mapping[str, tuple[tuple[str, str], ...]]
"""The examples of each stage: questions and the replies to them."""


def actions_reply(steps: Sequence[str], actions: Sequence[str]) -> str:
    """A reply to the stages block and plan: the steps in words, then the actions."""
    return "\n".join([*steps, ACTIONS_MARK, *actions])


@dataclass(frozen=True)
class Prompter:
    """Makes the prompts about one task, from its text, the actions with and without conditions, and the examples."""

    prompts: Prompts
    task_text: str
    domain_text: str = ""
    action_lines: tuple[str, ...] = ()
    shots: Shots = field(default_factory=dict)
    compact: bool = False

    def messages(self, stage: str, sections: Sections) -> list[Message]:
        instruction = self.prompts.fill(prompt_file(stage), domain=self.domain_text)
        return conversation(
            LAYOUT.system(stage, instruction), self.shots.get(stage, ()), self.question(stage, sections)
        )

    def question(self, stage: str, sections: Sections) -> str:
        """The last message of a prompt: the task, the actions where the stage shows them, and the given sections."""
        shows_actions = stage.startswith(("block", "plan")) and not self.compact
        actions = self.action_lines if shows_actions else ()
        return LAYOUT.question({"Task": self.task_text, "Actions": actions, **sections})

    def executed(self, groups: Sequence[tuple[str, Sequence[str]]]) -> str:
        """What was executed, or planned so far: each macro-action on a line, and its actions below it."""
        lines: list[str] = []
        for macro, actions in groups:
            if macro:
                lines.append(f"{macro}:")
            shown = ["done"] if self.compact and macro and actions else actions or ["nothing"]
            lines += [f"- {action}" for action in shown]
        return "\n".join(lines)

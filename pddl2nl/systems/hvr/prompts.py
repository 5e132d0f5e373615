"""The prompts of HVR (sections 2.2 to 3.3 and appendix B.3 of the paper), laid out as in `pddl2nl.policies.staged`.

====================  ==================================================================================================
stage                 content, after the paper
====================  ==================================================================================================
retrieval             zero-shot; the task, the current macro-action if there is one, and all available objects
macro-plan            two examples; the task, and the classes of the objects with their properties (ours: after a failed
                      plan also the objects, because the new plan starts from their current state)
conditions            one example; macro-actions, objects, predicates (`pddl2nl.systems.hvr.generation`)
conditions-…          no example; the conditions and feedback: corrected before, refined after a block was expanded
block                 two examples; the objects; what was executed, grouped by macro-action; the reply gives the steps
                      in words first, then as actions
block-correction      one example; the block and the validator's feedback besides
plan                  two examples; the whole plan at once, for policies without hierarchy
plan-correction       one example; the same with the validator's feedback
====================  ==================================================================================================

*Compact* prompts fit, with their replies, the 4,096 tokens of the paper's smaller model in all its tasks: no effects
of actions, no list of actions, no location triples and no predicates that are properties of objects; one example for
macro plans, blocks and plans, none elsewhere; what was executed by macro-actions only; shorter lines of objects
(`pddl2nl.systems.hvr.graph_teller`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from types import MappingProxyType

from pddl2nl.llm import Message
from pddl2nl.policies.staged import PromptLayout, Sections, conversation

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


@dataclass(frozen=True)
class Mechanism:
    """The components that a policy has.

    Attributes:
        summary: one line for people.
        hierarchy: plans by macro-actions (H); otherwise the whole plan is requested at once.
        verification: repair, feedback, correction and replanning (V); otherwise plans are verified for the record only.
        retrieval: the model selects the objects that are told (R); otherwise all objects are told.
    """

    summary: str = ""
    hierarchy: bool = False
    verification: bool = False
    retrieval: bool = False

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages of prompts that the policy uses."""
        stages = ["retrieval"] if self.retrieval else []
        stages += ["macro-plan", "block"] if self.hierarchy else ["plan"]
        if self.verification:
            stages += ["block-correction" if self.hierarchy else "plan-correction"]
        if self.hierarchy:
            stages += ["conditions"]
            stages += ["conditions-correction", "conditions-refinement"] if self.verification else []
        return tuple(stages)


MECHANISMS: Mapping[str, Mechanism] = MappingProxyType(
    {
        "hvr": Mechanism(
            "macro-actions, verified and corrected, on what is retrieved from a knowledge graph", True, True, True
        ),
        "hv": Mechanism("HVR without retrieval: the whole knowledge graph in the prompt", True, True, False),
        "hr": Mechanism("HVR without verification: no feedback and no correction", True, False, True),
        "vr": Mechanism("HVR without hierarchy: the whole plan at once", False, True, True),
        "r": Mechanism("retrieval from a knowledge graph, and the whole plan at once", False, False, True),
        "llm": Mechanism("the whole knowledge graph in the prompt, and the whole plan at once"),
    }
)
"""The components of each policy, by the policy's name."""


def _file(stage: str) -> str:
    name = stage.replace("-", "_")
    return f"{name}.txt" if stage.startswith("conditions") else f"hvr_{name}.txt"


@cache
def prompt_text(name: str) -> str:
    """The text of a file in ``texts/``; placeholders (``$name``) are not filled."""
    return (resources.files(__package__) / "texts" / name).read_text(encoding="utf-8").strip()


def prompt_hashes(stages: Sequence[str]) -> dict[str, str]:
    """The SHA-256 of the prompt files of some stages, by file name, for the record of a run."""
    names: list[str] = []
    for stage in stages:
        names.append(_file(stage))
        if stage == "conditions":
            names += ["conditions_example.txt", "conditions_example_reply.txt"]
    return {name: hashlib.sha256(prompt_text(name).encode("utf-8")).hexdigest() for name in names}


def actions_reply(steps: Sequence[str], actions: Sequence[str]) -> str:
    """A reply to the stages block and plan: the steps in words, then the actions."""
    return "\n".join([*steps, ACTIONS_MARK, *actions])


@dataclass(frozen=True)
class Prompter:
    """Makes the prompts about one task.

    Attributes:
        task_text: the task in words.
        domain_text: the actions with their preconditions and effects.
        action_lines: the actions alone, one a line.
        shots: the examples.
        compact: whether prompts are compact.
    """

    task_text: str
    domain_text: str = ""
    action_lines: tuple[str, ...] = ()
    shots: Shots = field(default_factory=dict)
    compact: bool = False

    def messages(self, stage: str, sections: Sections) -> list[Message]:
        """The whole prompt."""
        system = LAYOUT.system(stage, prompt_text(_file(stage)), domain=self.domain_text)
        return conversation(system, self.shots.get(stage, ()), self.question(stage, sections))

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

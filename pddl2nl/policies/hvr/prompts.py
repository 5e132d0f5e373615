"""The prompts of HVR (sections 2.2 to 3.3 and appendix B.3 of the paper), laid out as in `pddl2nl.policies.staged`.

====================  ==================================================================================================
stage                 content, after the paper
====================  ==================================================================================================
retrieval             zero-shot; the task, the current macro-action if there is one, and all available objects
macro-plan            two examples; the task, and the classes of the objects with their properties (ours: after a failed
                      plan also the objects, because the new plan starts from their current state)
conditions            one example; macro-actions, objects, predicates (`pddl2nl.policies.hvr.generation`)
conditions-…          no example; the conditions and feedback: corrected before, refined after a block was expanded
block                 two examples; the objects; what was executed, grouped by macro-action; the reply gives the steps
                      in words first, then as actions
block-correction      one example; the block and the validator's feedback besides
plan                  two examples; the whole plan at once, for policies without hierarchy
plan-correction       one example; the same with the validator's feedback
====================  ==================================================================================================
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType

from pddl2nl.llm import Message
from pddl2nl.policies.staged import Bodies, PromptLayout, conversation, dashed, numbered

__all__ = [
    "LAYOUT",
    "MECHANISMS",
    "Executed",
    "Mechanism",
    "Prompter",
    "Shot",
    "Shots",
    "actions_reply",
    "prompt_file",
    "prompt_hashes",
    "prompt_text",
]

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
)

Shot = tuple[str, str]
"""An example: a question and the reply to it."""

Shots = Mapping[str, tuple[Shot, ...]]
"""The examples of each stage."""


@dataclass(frozen=True)
class Mechanism:
    """The components that a policy has.

    Attributes:
        hierarchy: plans by macro-actions (H); otherwise the whole plan is requested at once.
        verification: repair, feedback, correction and replanning (V); otherwise plans are verified for the record only.
        retrieval: the model selects the objects that are told (R); otherwise all objects are told.
    """

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
        "hvr": Mechanism(hierarchy=True, verification=True, retrieval=True),
        "hv": Mechanism(hierarchy=True, verification=True),
        "hr": Mechanism(hierarchy=True, retrieval=True),
        "vr": Mechanism(verification=True, retrieval=True),
        "r": Mechanism(retrieval=True),
        "llm": Mechanism(),
    }
)
"""The components of each policy, by the policy's name."""


def prompt_file(stage: str) -> str:
    """The file with the instruction of a stage."""
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
        names.append(prompt_file(stage))
        if stage == "conditions":
            names += ["conditions_example.txt", "conditions_example_reply.txt"]
    return {name: hashlib.sha256(prompt_text(name).encode("utf-8")).hexdigest() for name in names}


@dataclass(frozen=True)
class Executed:
    """Actions that were executed, or planned so far, and the macro-action that they carry out; as natural language."""

    macro: str
    actions: tuple[str, ...]


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
    """

    task_text: str
    domain_text: str
    action_lines: tuple[str, ...]
    shots: Shots

    def retrieval(
        self, available: Sequence[str], macros: Sequence[str] = (), current: int = 0, feedback: str = ""
    ) -> list[Message]:
        """Asks which objects matter for the task, or for one of its macro-actions (counted from 1)."""
        bodies = {"Task": self.task_text, "Available objects": dashed(available), "Feedback": feedback}
        return self._prompt("retrieval", bodies | (_macro_plan(macros, current) if current else {}))

    def macro_plan(
        self,
        kinds: Sequence[str],
        executed: Sequence[Executed] = (),
        feedback: str = "",
        known: Sequence[str] = (),
        objects: Sequence[str] = (),
    ) -> list[Message]:
        """Asks for the macro-actions of the rest of the task; ``objects`` are told after a plan has failed."""
        bodies = {
            "Task": self.task_text,
            "Available objects": dashed(kinds),
            "Known macro-actions": dashed(known),
            "Objects": dashed(objects),
            "Executed so far": _executed_text(executed),
            "Feedback": feedback,
        }
        return self._prompt("macro-plan", bodies)

    def block(
        self,
        objects: Sequence[str],
        macros: Sequence[str],
        current: int,
        executed: Sequence[Executed] = (),
        conditions: str = "",
        *,
        known: Sequence[str] = (),
        correct: tuple[Sequence[str], str] | None = None,
    ) -> list[Message]:
        """Asks for the actions of one macro-action; ``correct`` is a block that failed, and the feedback about it."""
        bodies = self._plan(objects, executed) | _macro_plan(macros, current) | {"Its conditions": conditions}
        if correct is None:
            return self._prompt("block", bodies | {"Known macro-actions": dashed(known)})
        return self._prompt("block-correction", bodies | {"Block": _listed(correct[0]), "Feedback": correct[1]})

    def plan(
        self,
        objects: Sequence[str],
        executed: Sequence[Executed] = (),
        feedback: str = "",
        *,
        correct: Sequence[str] | None = None,
    ) -> list[Message]:
        """Asks for the actions of the whole task, or of its rest; ``correct`` is a plan that failed."""
        bodies = self._plan(objects, executed) | {"Feedback": feedback}
        if correct is None:
            return self._prompt("plan", bodies)
        return self._prompt("plan-correction", bodies | {"Plan": _listed(correct)})

    def _plan(self, objects: Sequence[str], executed: Sequence[Executed]) -> dict[str, str]:
        return {
            "Task": self.task_text,
            "Objects": dashed(objects),
            "Actions": dashed(self.action_lines),
            "Executed so far": _executed_text(executed),
        }

    def _prompt(self, stage: str, bodies: Bodies) -> list[Message]:
        instruction = LAYOUT.system(stage, prompt_text(prompt_file(stage)), domain=self.domain_text)
        return conversation(instruction, self.shots.get(stage, ()), LAYOUT.question(bodies))


def _macro_plan(macros: Sequence[str], current: int) -> dict[str, str]:
    return {"Macro plan": numbered(macros), "Macro-action": f"{current}. {macros[current - 1]}"}


def _listed(actions: Sequence[str]) -> str:
    # An empty section would be left out, but the model must see that its answer had no actions.
    return numbered(actions) or "(no actions)"


def _executed_text(executed: Sequence[Executed]) -> str:
    """Each macro-action on a line and its actions below it."""
    lines: list[str] = []
    for group in executed:
        if group.macro:
            lines.append(f"{group.macro}:")
        lines += [f"- {action}" for action in group.actions] or ["- nothing"]
    return "\n".join(lines)

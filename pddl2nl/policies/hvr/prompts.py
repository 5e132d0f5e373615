"""What a hierarchical policy asks (sections 2.2 to 3.3 and appendix B.3 of the HVR paper).

The shape of all prompts is that of `pddl2nl.macros.prompting`, whose sections stand here in the words of the run. Those
about conditions are made in `pddl2nl.macros.generation`; these are here:

====================  ==================================================================================================
stage                 what the paper says of it
====================  ==================================================================================================
retrieval             zero-shot; the task, with the present macro-action where there is one, and all available objects
macro-plan            two examples; the task, and of the objects the classes only, with their properties (ours: where a
                      plan before failed, also the objects, since another plan starts from how they are by then)
block                 two examples; the objects themselves; what was executed, grouped by macro-action; the reply says
                      the steps in words first, then as actions
block-correction      one example; the block and the validator's feedback besides
plan                  the whole plan at once, for what has no hierarchy; two examples
plan-correction       the same mended; one example
====================  ==================================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pddl2nl.llm import Message
from pddl2nl.macros.prompting import conversation, dashed, numbered, sections, system
from pddl2nl.policies.prompting import prompt_text

__all__ = ["ACTIONS_MARK", "HVR_PROMPTS", "Executed", "Prompter", "Shot", "Shown", "actions_reply", "executed_text"]

ACTIONS_MARK = "Actions:"
"""The line between the verbal steps and the actions of a reply."""

HVR_PROMPTS: Mapping[str, str] = {
    "retrieval": "hvr_retrieval.txt",
    "macro-plan": "hvr_macro_plan.txt",
    "block": "hvr_block.txt",
    "block-correction": "hvr_block_correction.txt",
    "plan": "hvr_plan.txt",
    "plan-correction": "hvr_plan_correction.txt",
}
"""The files of the instructions by stage."""

Shot = tuple[str, str]
"""An example: a question as it would be put, and the reply to it."""


@dataclass(frozen=True)
class Shown:
    """The examples of each stage that has any."""

    shots: Mapping[str, tuple[Shot, ...]]

    def of(self, stage: str) -> tuple[Shot, ...]:
        """The examples of one stage."""
        return self.shots.get(stage, ())


@dataclass(frozen=True)
class Executed:
    """Actions that were executed, or planned so far, under the macro-action that they carry out; told."""

    macro: str
    actions: tuple[str, ...]


def actions_reply(steps: Sequence[str], actions: Sequence[str]) -> str:
    """A reply as the stages block and plan want it: the steps in words, then the actions."""
    return "\n".join([*steps, ACTIONS_MARK, *actions])


@dataclass(frozen=True)
class Prompter:
    """Puts the questions about one task.

    Attributes:
        task_text: the task in words.
        domain_text: what actions there are, when each is possible and what it changes.
        action_lines: the actions alone, one a line.
        shown: the examples.
    """

    task_text: str
    domain_text: str
    action_lines: tuple[str, ...]
    shown: Shown = Shown({})

    def retrieval(
        self, available: Sequence[str], macros: Sequence[str] = (), current: int = 0, feedback: str = ""
    ) -> list[Message]:
        """Which objects matter for the task, or for one of its macro-actions (counted from 1)."""
        bodies: dict[str, str | Iterable[str]] = {
            "Task": self.task_text,
            "Available objects": dashed(available),
            "Feedback": feedback,
        }
        if current:
            bodies |= _plan_of(macros, current)
        return self._asked("retrieval", bodies)

    def macro_plan(
        self,
        kinds: Sequence[str],
        executed: Sequence[Executed] = (),
        feedback: str = "",
        known: Sequence[str] = (),
        objects: Sequence[str] = (),
    ) -> list[Message]:
        """The macro-actions of the task, or of what is left of it; ``objects`` are told where a plan before failed."""
        bodies = {
            "Task": self.task_text,
            "Available objects": dashed(kinds),
            "Known macro-actions": dashed(known),
            "Objects": dashed(objects),
            "Executed so far": executed_text(executed),
            "Feedback": feedback,
        }
        return self._asked("macro-plan", bodies)

    def block(
        self,
        objects: Sequence[str],
        macros: Sequence[str],
        current: int,
        executed: Sequence[Executed] = (),
        conditions: str = "",
        known: Sequence[str] = (),
    ) -> list[Message]:
        """The actions that carry out one macro-action."""
        bodies = self._block(objects, macros, current, executed, conditions)
        return self._asked("block", bodies | {"Known macro-actions": dashed(known)})

    def block_correction(
        self,
        objects: Sequence[str],
        macros: Sequence[str],
        current: int,
        block: Sequence[str],
        feedback: str,
        executed: Sequence[Executed] = (),
        conditions: str = "",
    ) -> list[Message]:
        """The same, mended."""
        bodies = self._block(objects, macros, current, executed, conditions)
        return self._asked("block-correction", bodies | {"Block": _listed(block), "Feedback": feedback})

    def plan(self, objects: Sequence[str], executed: Sequence[Executed] = (), feedback: str = "") -> list[Message]:
        """The actions that accomplish the whole task, or what is left of it."""
        return self._asked("plan", self._plan(objects, executed) | {"Feedback": feedback})

    def plan_correction(
        self, objects: Sequence[str], plan: Sequence[str], feedback: str, executed: Sequence[Executed] = ()
    ) -> list[Message]:
        """The same, mended."""
        return self._asked(
            "plan-correction", self._plan(objects, executed) | {"Plan": _listed(plan), "Feedback": feedback}
        )

    def _plan(self, objects: Sequence[str], executed: Sequence[Executed]) -> dict[str, str | Iterable[str]]:
        return {
            "Task": self.task_text,
            "Objects": dashed(objects),
            "Actions": dashed(self.action_lines),
            "Executed so far": executed_text(executed),
        }

    def _block(
        self,
        objects: Sequence[str],
        macros: Sequence[str],
        current: int,
        executed: Sequence[Executed],
        conditions: str,
    ) -> dict[str, str | Iterable[str]]:
        return self._plan(objects, executed) | _plan_of(macros, current) | {"Its conditions": conditions}

    def _asked(self, stage: str, bodies: Mapping[str, str | Iterable[str]]) -> list[Message]:
        instruction = system(stage, prompt_text(HVR_PROMPTS[stage]), domain=self.domain_text)
        return conversation(instruction, self.shown.of(stage), sections(bodies))


def _plan_of(macros: Sequence[str], current: int) -> dict[str, str | Iterable[str]]:
    return {"Macro plan": numbered(macros), "Macro-action": f"{current}. {macros[current - 1]}"}


def _listed(actions: Sequence[str]) -> str:
    # A section without a body is left out, and that there is nothing is what matters then.
    return numbered(actions) or "(no actions)"


def executed_text(executed: Sequence[Executed]) -> str:
    """What was executed, each macro-action on a line and its actions below it."""
    lines: list[str] = []
    for group in executed:
        if group.macro:
            lines.append(f"{group.macro}:")
        lines += [f"- {action}" for action in group.actions] or ["- nothing"]
    return "\n".join(lines)

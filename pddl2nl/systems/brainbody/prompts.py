"""The prompts of BrainBody: their layout, and the instructions in ``texts/`` (paper, figures 2 to 4).

A *program* is a plan whose steps are lines of program, ``<char0> [grab] <salmon>``, instead of words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType

from pddl2nl.llm import Message
from pddl2nl.llm.constraint import Constraint, Line
from pddl2nl.nl import Teller
from pddl2nl.policies.staged import PromptLayout, Sections, conversation
from pddl2nl.systems.brainbody.primitives import Robot, command_lines, fact_lines
from pddl2nl.worlds.triples import triple_of
from pddlval import State

LAYOUT = PromptLayout(
    stages=("brainbody/plan", "brainbody/act", "brainbody/feedback", "brainbody/progprompt"),
    sections=("Objects", "Actions", "Environment information", "Task", "Plan", "Error step", "Message", "Step"),
)

_COMMAND = "<char0> ["
Shots = Mapping[str, tuple[tuple[str, str], ...]]
"""The examples of each stage: questions and the replies to them."""


@dataclass(frozen=True)
class BrainMechanism:
    """The components that a policy has.

    Attributes:
        summary: one line for people.
        stage: the stage of the first prompt.
        feedback: errors are told, and the plan is revised.
        body: another model turns steps into primitives; without it plans are programs.
    """

    summary: str
    stage: str = "brainbody/plan"
    feedback: bool = False
    body: bool = False

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages of prompts that the policy can use."""
        more = (("brainbody/act",) if self.body else ()) + (("brainbody/feedback",) if self.feedback else ())
        return (self.stage, *more)


MECHANISMS: Mapping[str, BrainMechanism] = MappingProxyType(
    {
        "brainbody": BrainMechanism(
            "a plan in words, turned into primitives step by step and revised after errors", feedback=True, body=True
        ),
        "brainbody-open": BrainMechanism("BrainBody-LLM without feedback: failed steps are skipped", body=True),
        "base": BrainMechanism("one model writes all primitives at once, without feedback"),
        "progprompt": BrainMechanism(
            "a program with assertions, which the simulator answers, without feedback", "brainbody/progprompt"
        ),
    }
)
"""The components of each policy, by the policy's name."""


@cache
def _text(name: str) -> str:
    return (resources.files(__package__) / "texts" / f"{name}.txt").read_text(encoding="utf-8").rstrip()


def prompt_hashes(policy: str) -> dict[str, str]:
    """The SHA-256 of the prompt files that a policy can use, by file name, for the record of a run."""
    names = [*(stage.removeprefix("brainbody/") for stage in MECHANISMS[policy].stages), "form"]
    return {f"brainbody/{name}.txt": hashlib.sha256(_text(name).encode("utf-8")).hexdigest() for name in names}


def steps_text(steps: Sequence[str], start: int = 0) -> str:
    """Steps as prompts and replies show them, numbered from ``start``."""
    return "\n".join(f"{number}: {step}" for number, step in enumerate(steps, start))


@dataclass(frozen=True)
class StepPrompter:
    """Makes the prompts about one task.

    Attributes:
        teller: of the task.
        robot: what it can be told to do; its hidden predicates are in no prompt.
        program: whether plans are programs.
        shots: the examples.
    """

    teller: Teller
    robot: Robot
    program: bool
    shots: Shots

    def messages(self, stage: str, sections: Sections) -> list[Message]:
        """A whole prompt: the instruction, the examples, and a question with objects, actions and these sections."""
        form = _text("form") if self.program else ""
        system = LAYOUT.system(stage, _text(stage.removeprefix("brainbody/")), form=form)
        own: Sections = {"Objects": self.objects(), "Actions": list(map(str, self.robot.primitives)), **sections}
        return conversation(system, self.shots.get(stage, ()), LAYOUT.question(own))

    def constraint(self, level: str, *, stage: str) -> Constraint | None:
        """What a line of program may be, or a plan of such lines, with ``--constrain``; ProgPrompt may assert."""
        if level == "off":
            return None
        robot, task, names = self.robot, self.teller.task, self.teller.names.to_nl
        lines: tuple[Line, ...] = ((_COMMAND, None),) if level == "format" else command_lines(robot, task, names)
        if stage == "brainbody/act":
            return Constraint(lines, instead=("<pass>",))
        if stage == "brainbody/progprompt":
            facts = None if level == "format" else fact_lines(robot, task, names)
            lines = (*lines, ("assert ", ("", "not "), facts, " else ", lines))
        return Constraint(lines, action="- ", begin="New plan:\n")

    def objects(self) -> list[str]:
        """The objects with their types."""
        word, names = self.teller.wording.type_word, self.teller.names.to_nl
        return [f"{names[name]} ({word(item.types[0])})" for name, item in self.teller.task.objects.items()]

    def environment(self, state: State, about: frozenset[str] | None = None) -> list[str]:
        """The facts of a state as triples; with ``about`` only those about these objects, or about none."""
        names = self.teller.names.to_nl
        return [
            str(triple_of(atom, names))
            for atom in state
            if atom[0] not in self.robot.hidden and (about is None or about.issuperset(atom[1:]))
        ]

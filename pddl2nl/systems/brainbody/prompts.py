"""The prompts of BrainBody: their layout, and the instructions in ``prompts/`` (paper, figures 2 to 4).

A *program* is a plan whose steps are lines of program, ``<char0> [grab] <salmon>``, instead of words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pddl2nl.llm import Message
from pddl2nl.llm.constraint import Constraint, Line
from pddl2nl.nl import Teller
from pddl2nl.policies.prompts import Prompts
from pddl2nl.policies.staged import PromptLayout, Sections, conversation
from pddl2nl.systems.brainbody.primitives import Robot, command_lines, fact_lines
from pddl2nl.worlds.triples import triple_of
from pddlval import State

LAYOUT = PromptLayout(
    stages=("brainbody/plan", "brainbody/act", "brainbody/feedback", "brainbody/progprompt"),
    sections=("Objects", "Actions", "Environment information", "Task", "Plan", "Error step", "Message", "Step"),
)

PROMPTS = Prompts("pddl2nl.systems.brainbody")

_COMMAND = "<char0> ["
Shots = Mapping[str, tuple[tuple[str, str], ...]]
"""The examples of each stage: questions and the replies to them."""


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
        prompts: the instructions.
    """

    teller: Teller
    robot: Robot
    program: bool
    shots: Shots
    prompts: Prompts = PROMPTS

    def messages(self, stage: str, sections: Sections) -> list[Message]:
        """A whole prompt: the instruction, the examples, and a question with objects, actions and these sections."""
        form = f"\n{self.prompts.text('form.txt')}" if self.program else ""
        system = LAYOUT.system(stage, self.prompts.text(f"{stage.removeprefix('brainbody/')}.txt"), form=form)
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

"""The prompts of BrainBody: their layout, and the instructions in ``prompts/`` (paper, figures 2 to 4).

A *program* is a plan whose steps are lines of program, ``<char0> [grab] <salmon>``, instead of words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pddl2nl.llm import Message
from pddl2nl.llm.constraint import Constraint, Line
from pddl2nl.nl import Teller
from pddl2nl.pddl import Atom, Condition, GroundAtom, Not
from pddl2nl.policies.prompts import PromptLayout, Prompts, Sections, conversation
from pddl2nl.systems.brainbody.primitives import Robot, command_lines, fact_lines
from pddlval import State

LAYOUT = PromptLayout(
    stages=("brainbody/plan", "brainbody/act", "brainbody/feedback", "brainbody/progprompt", "brainbody/next"),
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
    """Makes the prompts about one task; with `program` plans are programs.

    The robot's hidden predicates are in no prompt.
    """

    teller: Teller
    robot: Robot
    program: bool
    shots: Shots
    prompts: Prompts = PROMPTS

    def messages(self, stage: str, sections: Sections) -> list[Message]:
        """A whole prompt: the instruction, the examples, and a question with objects, actions and these sections."""
        form = f"\n{self.prompts.text('form.txt')}" if self.program else ""
        hidden = f"\n{self.prompts.text('hidden.txt')}" if self.robot.hidden else ""
        text = self.prompts.text(f"{stage.removeprefix('brainbody/')}.txt")
        system = LAYOUT.system(stage, text, form=form, hidden=hidden)
        if stage == "brainbody/next":
            return conversation(system, self.shots.get(stage, ()), LAYOUT.question(sections))
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
            facts = None if level == "format" else fact_lines(robot, self.teller)
            lines = (*lines, ("assert ", facts, " else ", lines))
        return Constraint(lines, action="- ", begin="New plan:\n")

    def objects(self) -> list[str]:
        word, names = self.teller.wording.type_word, self.teller.names.to_nl
        return [f"{names[name]} ({word(item.types[0])})" for name, item in self.teller.task.objects.items()]

    def environment(self, state: State, about: frozenset[str] | None = None) -> list[str]:
        """The facts of a state as sentences; with ``about`` only those about these objects, or about none.

        The robot's file lists the predicates whose false facts are told, too. Facts that relate an object to itself are
        left out where they hold of all objects, such as the ways from a room to itself.
        """
        told, negated = self.teller.wording.predicates, self.robot.negated.items()
        facts = [Atom(atom[0], atom[1:]) for atom in state]
        false = (Atom(name, fact.args) for name, of in negated for fact in facts if fact.predicate == of)
        trivial = {name for name in told if _relates_all_to_themselves(name, state)}
        literals: list[tuple[Condition, Atom]] = [(fact, fact) for fact in facts]
        literals += [(Not(fact), fact) for fact in dict.fromkeys(false) if not state.true(_ground(fact))]
        return [
            self.teller.literal(literal)
            for literal, fact in literals
            if fact.predicate not in self.robot.hidden
            and told[fact.predicate].text is not None
            and not (fact.predicate in trivial and len(fact.args) == 2 and fact.args[0] == fact.args[1])
            and (about is None or about.issuperset(fact.args))
        ]


def _ground(fact: Atom) -> GroundAtom:
    return GroundAtom((fact.predicate, *fact.args))


def _relates_all_to_themselves(predicate: str, state: State) -> bool:
    """Whether every object that something is related to is related to itself, such as the ways between rooms."""
    related = {atom[2] for atom in state if atom[0] == predicate and len(atom) == 3}
    return all(state.true(GroundAtom((predicate, name, name))) for name in related)

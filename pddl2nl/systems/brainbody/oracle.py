"""The oracle's answers to BrainBody's prompts, each from the prompts of the run alone.

* *plan*: objects, actions, facts and the task are read back from the prompt, and Fast Downward plans on them. Of what
  is hidden from the models the oracle assumes that it hinders no action. The text of a shipped task stands for its
  goal; other tasks must be told as goals are.
* *act*: the step is read in the wording of the domain; without a command in the list of actions it is passed.
* *feedback*: the plan is made anew from the state in the prompt. What the message says about hidden facts is kept until
  the next first plan, because later prompts do not repeat it.

It holds the domain, the robot and the wording, which are the same for every task. It never sees a hidden fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product

from pddl2nl.baselines.told_task import NoToldPlanError, ToldTask, ToldTaskError
from pddl2nl.llm import Message
from pddl2nl.nl import Names, NLReadError, Teller, Wording, make_names
from pddl2nl.nl.names import SCHEMES
from pddl2nl.nl.reading.told import read_goal
from pddl2nl.pddl import Atom, Condition, Domain, GroundAtom, Not, Problem, Task, TypedName, substitute
from pddl2nl.systems.brainbody.bodies import ReaderBody
from pddl2nl.systems.brainbody.mistakes import with_mistake
from pddl2nl.systems.brainbody.primitives import Command, Primitive, Robot, load_robot, robot_of_actions
from pddl2nl.systems.brainbody.prompts import LAYOUT, steps_text
from pddl2nl.tasks.references import reference_task, told_references
from pddl2nl.tasks.shipped import match_shipped
from pddl2nl.worlds.triples import atom_of
from pddlval.formulas import subformulas

_DONE = "Done."
_SAID = ("{0}", "Now {1}", "I {1}")
"""How steps are said in turn: with a capital letter, and without."""
_IDLE = "Wait a moment"


def oracle(domain: Domain, wording: Wording, mistake: str | None) -> BrainOracle:
    """The oracle for a domain, with its shipped robot if it has one."""
    shipped = match_shipped(domain)
    path = None if shipped is None else shipped.folder / "robot.json"
    robot = load_robot(path, domain) if path is not None and path.is_file() else robot_of_actions(domain)
    return BrainOracle(domain, wording, robot, mistake)


class BrainOracle:
    """Answers the prompts of one run.

    Args:
        domain: the domain.
        wording: how it is told.
        robot: its commands, and what is hidden.
        mistake: the mistake to make, of `pddl2nl.systems.brainbody.mistakes`.
    """

    def __init__(self, domain: Domain, wording: Wording, robot: Robot, mistake: str | None):
        self._domain = domain
        self._wording = wording
        self._robot = robot
        self._mistake = mistake
        self._excluded: set[GroundAtom] = set()
        self._acted = False

    def reply(self, messages: Sequence[Message]) -> str | None:
        """The answer; None if the prompt is not one of BrainBody's.

        Raises:
            ToldTaskError: the prompt cannot be read.
        """
        stage = LAYOUT.stage_of(messages)
        if stage is None:
            return None
        asked = _ToldScene(LAYOUT.read(messages[-1].content), self._domain, self._wording, self._robot)
        if stage == "brainbody/act":
            return self._act(asked)
        program = "<char0>" in messages[0].content
        if stage == "brainbody/feedback":
            return self._feedback(asked, program)
        self._excluded, self._acted = set(), False
        task = asked.told_task(self._excluded)
        commands = asked.commands(task)
        commands = with_mistake(self._mistake, commands, self._robot, task.simulator)
        lines = asked.lines(commands, program)
        if self._mistake == "compound-step" and len(lines) > 1:
            lines = [f"{lines[0]} and {lines[1]}", *lines[2:]]
        if self._mistake == "body-hallucinates":
            lines = [_IDLE, *lines]
        return steps_text((*lines, _DONE))

    def _act(self, asked: _ToldScene) -> str:
        step = asked.sections.get("Step", "")
        line = asked.body.act(step).text
        first, self._acted = not self._acted, True
        if self._mistake == "body-syntax" and first:
            return line.replace("<char0> [", "robot.").replace("]", "()")
        if self._mistake == "body-hallucinates" and step == _IDLE:
            return Command(self._robot.primitives[0], asked.first_objects(self._robot.primitives[0])).line(asked.names)
        return line

    def _feedback(self, asked: _ToldScene, program: bool) -> str:
        start, message = int(asked.sections["Error step"]), asked.sections["Message"]
        old = asked.sections["Plan"].split("\n")
        self._excluded |= asked.excluded(message)
        try:
            lines = asked.lines(asked.commands(asked.told_task(self._excluded)), program)
        except NoToldPlanError:
            # Nothing that is known reaches the goal any more.
            lines = []
        new = steps_text((*lines, _DONE), start)
        if self._mistake == "same-again":
            new = "\n".join(old[start:])
        elif self._mistake == "restart-numbering":
            new = steps_text((*lines, _DONE))
        elif self._mistake == "too-short":
            new = steps_text((*lines[: len(lines) // 2], _DONE), start)
        return f"Explanation: {message.split('. ')[0].rstrip('.')}.\nNew plan:\n{new}"


class _ToldScene:
    """What the sections of one question tell; objects have their told names."""

    def __init__(self, sections: Mapping[str, str], domain: Domain, wording: Wording, robot: Robot):
        self.sections = sections
        self._domain = domain
        self._wording = wording
        self._robot = robot
        types = {wording.type_word(item.name): item.name for item in domain.types}
        lines = [line.removeprefix("- ").rpartition(" (") for line in sections.get("Objects", "").split("\n") if line]
        typed = [TypedName(name, (types.get(kind.removesuffix(")"), "object"),)) for name, _, kind in lines]
        constants = {item.name for item in domain.constants}
        self._objects = tuple(item for item in typed if item.name not in constants)
        self._task = Task(domain, Problem("told", domain.name, objects=self._objects))
        self.names = {name: name for name in self._task.objects}

    @cached_property
    def body(self) -> ReaderBody:
        """Reads steps, and says commands, with the commands that are listed."""
        listed = {line.removeprefix("- ") for line in self.sections["Actions"].split("\n")}
        primitives = tuple(item for item in self._robot.primitives if str(item) in listed)
        return ReaderBody(Teller(self._task, self._wording, Names(self.names)), Robot(primitives))

    def told_task(self, excluded: set[GroundAtom]) -> ToldTask:
        """The task, in which hidden facts are as assumed if they are not excluded.

        Raises:
            ToldTaskError: a fact or the goal cannot be read.
        """
        facts = [
            atom_of(line.removeprefix("- "), self.names)
            for line in self.sections.get("Environment information", "").split("\n")
            if line
        ]
        if None in facts:
            raise ToldTaskError("a fact of the environment information is no triple of the objects")
        known = [atom for atom in facts if atom is not None]
        assumed = (atom for atom, helps in self._hidden() if helps != (atom in excluded))
        init = (*known, *assumed)
        problem = Problem("told", self._domain.name, objects=self._objects, init=init, goal=self._goal())
        return ToldTask(problem, self._domain, self._wording, "nl")

    def commands(self, task: ToldTask) -> list[Command]:
        """A plan for the task; raises `NoToldPlanError` if there is none."""
        plan = task.plan_from(task.simulator.initial)
        return [command for action in plan if (command := self._robot.command_of(action, self._domain)) is not None]

    def lines(self, commands: Sequence[Command], program: bool) -> list[str]:
        """The commands as lines of program, or in words."""
        if program:
            return [command.line(self.names) for command in commands]
        said = enumerate(map(self.body.say, commands))
        return [_SAID[number % len(_SAID)].format(words[:1].upper() + words[1:], words) for number, words in said]

    def excluded(self, message: str) -> set[GroundAtom]:
        """The hidden facts of which a message says that they are not as assumed."""
        teller = Teller(self._task, self._wording, Names(self.names))
        return {
            atom
            for atom, helps in self._hidden()
            if re.search(rf"(?<![\w-]){re.escape(teller.reason(_literal(atom, helps)))}(?![\w-])", message)
        }

    def first_objects(self, primitive: Primitive) -> tuple[str, ...]:
        """The first objects that the type of each slot allows."""
        item = primitive.actions[0]
        schema = self._domain.action(item.action)
        assert schema is not None, f"{item.action} was checked when the robot was read"
        types = {each.name: each.types for each in schema.parameters}
        return tuple(self._task.objects_of(types[item.slots[slot]])[0] for slot in primitive.slots)

    def _hidden(self) -> Iterator[tuple[GroundAtom, bool]]:
        """Every fact that is not told, and whether it is assumed: all but those that an action needs to be false."""
        parts = (part for action in self._domain.actions for part in subformulas(action.precondition))
        hinder = {part.body.predicate for part in parts if isinstance(part, Not) and isinstance(part.body, Atom)}
        for predicate in self._domain.predicates:
            if predicate.name in self._robot.hidden:
                choices = [self._task.objects_of(item.types) for item in predicate.parameters]
                for args in product(*choices):
                    yield GroundAtom((predicate.name, *args)), predicate.name not in hinder

    def _goal(self) -> Condition:
        """The goal: that of the shipped task with this text, else as it is told."""
        text = self.sections["Task"]
        if references := told_references(text, self._domain):
            task = reference_task(self._domain, references[0])
            schemes = (make_names(task, scheme, self._wording).to_nl for scheme in SCHEMES)
            names = max(schemes, key=lambda told: sum(name in self.names for name in told.values()))
            return substitute(task.problem.goal, names)
        try:
            return read_goal(text, self._domain, self._wording, self._task.objects).condition
        except NLReadError as error:
            raise ToldTaskError(f"I do not understand the task ({error})") from error


def _literal(atom: GroundAtom, positive: bool) -> Condition:
    body = Atom(atom[0], atom[1:])
    return body if positive else Not(body)

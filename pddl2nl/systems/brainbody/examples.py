"""The examples in BrainBody's prompts, made from solved tasks of the domain (paper, sections 3.1 to 3.3).

The tasks are the domain's own example and its training tasks, in their order, and never the task itself. Steps are the
macro-actions of the shipped plans, lines of program and assertions follow from their actions. For an example of an
error a step is left out: the simulator finds the step that then fails, and the new plan begins with the missing one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from pddl2nl.nl import Teller, make_names, wording_from_json
from pddl2nl.pddl import Atom, GroundAtom, Task, substitute
from pddl2nl.policies.refining import Style, signal
from pddl2nl.policies.setting import Setting
from pddl2nl.systems.brainbody.bodies import letter_vectors
from pddl2nl.systems.brainbody.primitives import Command, Robot, executed, parse_robot
from pddl2nl.systems.brainbody.prompts import LAYOUT, Shots, StepPrompter, steps_text
from pddl2nl.tasks.reference_files import TaskReference
from pddl2nl.tasks.references import reference_of, references_of
from pddl2nl.tasks.shipped import match_shipped, shipped_domain
from pddl2nl.worlds.similarity import Vectors, nearest
from pddlval import GroundAction, Simulator, StepResult
from pddlval.formulas import subformulas

DONE = "Done."
"""The last line of a plan."""
_PLANS, _PRIMITIVES_FROM = 3, 8
"""How many tasks show plans, and how many are searched for an example of each primitive."""
_NO_ACTION = "Think about what to do next."


def shots_for(setting: Setting, robot: Robot, program: bool, style: Style, text: str = "") -> Shots:
    """The examples of each stage; empty for domains without solved tasks.

    Args:
        setting: of the run; its wording and names are those of the examples.
        robot: of the run.
        program: whether plans are programs.
        style: of errors.
        text: of the run's task: a plan that is asked for one step at a time shows the most similar task.
    """
    task, shipped = setting.teller.task, match_shipped(setting.teller.task.domain)
    own = reference_of(task)
    shown = [item.instance for item in references_of(task.domain) if _may_be_shown(item) and item != own]
    if shipped is None or not shown:
        return {}
    wording = json.dumps(setting.teller.wording.to_json(), sort_keys=True)
    scheme = setting.teller.names.scheme
    shots = _shots(shipped.name, tuple(shown[:_PRIMITIVES_FROM]), wording, scheme, robot.text, style, program)
    one_by_one = shots["brainbody/next"]
    tasks = [LAYOUT.read(asked)["Task"] for asked, _ in one_by_one]
    near = next(iter(nearest(text, tasks, Vectors(setting.embed or letter_vectors))), 0) if text else 0
    similar = tuple(shot for shot, task in zip(one_by_one, tasks, strict=True) if task == tasks[near])
    return {**shots, "brainbody/next": similar}


def _may_be_shown(reference: TaskReference) -> bool:
    """Whether a task is the example or one for training; the others are for tests."""
    return reference.role == "example" or reference.instance.startswith("train")


@lru_cache(maxsize=32)
def _shots(
    domain: str, instances: tuple[str, ...], wording: str, scheme: str, robot: str, style: Style, program: bool
) -> Shots:
    """The examples; cached, because many runs show the same."""
    solved = [_SolvedTask.of(domain, instance, wording, scheme, robot) for instance in instances]
    shown = solved[:_PLANS]
    errors = [
        shot
        for shot in (shown[0].error(style, program, last=True), shown[-1].error(style, program, last=False))
        if shot
    ]
    return {
        "brainbody/plan": tuple(item.plan(program) for item in shown),
        "brainbody/progprompt": tuple(item.asserted() for item in shown),
        "brainbody/act": tuple(_primitive_shots(solved)),
        "brainbody/next": tuple(shot for item in solved for shot in item.one_by_one()),
        "brainbody/feedback": tuple(errors),
    }


def _primitive_shots(solved: Sequence[_SolvedTask]) -> Iterator[tuple[str, str]]:
    """A step of each primitive, and one that no primitive can carry out."""
    seen: set[str] = set()
    for item in solved:
        for step, command in zip(item.steps, item.commands, strict=True):
            if command.primitive.name not in seen:
                seen.add(command.primitive.name)
                yield item.act(step, command)
    reply = "<pass>\nExplanation: No action in the list does this, so the step is passed."
    yield LAYOUT.question({"Step": _NO_ACTION}), reply


@dataclass(frozen=True)
class _SolvedTask:
    """A solved task: its text, its steps in words, and the command of each."""

    prompter: StepPrompter
    text: str
    steps: tuple[str, ...]
    commands: tuple[Command, ...]

    @staticmethod
    def of(domain: str, instance: str, wording: str, scheme: str, robot_text: str) -> _SolvedTask:
        """A shipped task, under the wording and the names of a run."""
        task = shipped_domain(domain).task(instance)
        reference = reference_of(task)
        assert reference is not None, f"{instance} of {domain} is no reference"
        told = wording_from_json(json.loads(wording), task.domain, "the wording of the examples")
        robot = parse_robot(robot_text, task.domain)
        teller = Teller(task, told, make_names(task, scheme, told))
        steps: list[str] = []
        commands: list[Command] = []
        for block in reference.ways[0].blocks:
            for action in map(GroundAction.parse, block.actions):
                command = robot.command_of(action, task.domain)
                if command is not None:
                    steps.append(block.macro if len(block.actions) == 1 else teller.action(action))
                    commands.append(command)
        return _SolvedTask(
            StepPrompter(teller, robot, False, {}), reference.texts["goal"], tuple(steps), tuple(commands)
        )

    def plan(self, program: bool) -> tuple[str, str]:
        """The task and its plan."""
        return self._question(), steps_text((*self._lines(program), DONE))

    def one_by_one(self) -> Iterator[tuple[str, str]]:
        """The task with the steps before each of a few steps."""
        lines = (*self.steps, DONE)
        for at in sorted({0, len(self.steps) // 2, len(self.steps)}):
            yield LAYOUT.question({"Task": self.text, "Plan": steps_text(lines[:at])}), lines[at]

    def act(self, step: str, command: Command) -> tuple[str, str]:
        """A step and its line of program."""
        words = f"{command.primitive.name} is in the list of actions"
        named = [self._names[name] for name in command.args]
        if named:
            words += f", and {' and '.join(named)} {'are' if len(named) > 1 else 'is'} in the list of objects"
        return LAYOUT.question({"Step": step}), f"{command.line(self._names)}\nExplanation: {words}."

    def asserted(self) -> tuple[str, str]:
        """The task and its program, in which a line that brings about a condition of a later one is an assertion."""
        lines = list(self._lines(True))
        results = self._executed(self.commands)
        for place, command in enumerate(self.commands):
            needed = {atom for later in results[place + 1 :] for atom in _needed(later.action, self._simulator.task)}
            for atom in results[place].added:
                about = atom[1:] and {*atom[1:]} <= {*command.args} and atom[0] not in self.prompter.robot.hidden
                if about and atom in needed:
                    lines[place] = f"assert {self.prompter.teller.fact(atom)} else {command.line(self._names)}"
        return self._question(), steps_text((*lines, DONE))

    def error(self, style: Style, program: bool, *, last: bool) -> tuple[str, str] | None:
        """A plan that lacks a step, the error that follows, and the new plan that mends it; None if there is none.

        Args:
            style: of the error.
            program: whether plans are programs.
            last: leaves out the last step that can be mended so, otherwise the first.
        """
        lines, teller = self._lines(program), self.prompter.teller
        places = range(len(lines) - 1)
        for missing in reversed(places) if last else places:
            rest = (*self.commands[:missing], *self.commands[missing + 1 :])
            *before, failed = self._executed(rest)
            at = len(before)
            mended = self._executed((*rest[:at], self.commands[missing], *rest[at:]))
            if failed.successor is not None or not self._reaches_goal(mended):
                continue
            wrong, reason = (*lines[:missing], *lines[missing + 1 :], DONE), teller.refused(failed)
            message = signal(style, at, "inapplicable", rest[at].line(self._names), reason)
            sections = {"Task": self.text, "Plan": steps_text(wrong), "Error step": str(at), "Message": message}
            explanation = f"Explanation: {reason} The plan lacks a step before it."
            return LAYOUT.question(
                sections
            ), f"{explanation}\nNew plan:\n{steps_text((lines[missing], *wrong[at:]), at)}"
        return None

    # ── parts ────────────────────────────────────────────────────────────────────────────────────

    @property
    def _names(self) -> Mapping[str, str]:
        return self.prompter.teller.names.to_nl

    @cached_property
    def _simulator(self) -> Simulator:
        return Simulator(self.prompter.teller.task)

    def _lines(self, program: bool) -> tuple[str, ...]:
        return tuple(command.line(self._names) for command in self.commands) if program else self.steps

    def _question(self) -> str:
        """The task, with the facts about the objects of its plan."""
        used = frozenset(name for result in self._executed(self.commands) for name in result.action.args)
        facts = self.prompter.environment(self._simulator.initial, used)
        return LAYOUT.question({"Environment information": facts, "Task": self.text})

    def _executed(self, commands: Sequence[Command]) -> list[StepResult]:
        return executed(commands, self._simulator)

    def _reaches_goal(self, results: Sequence[StepResult]) -> bool:
        last = results[-1].successor
        return last is not None and self._simulator.is_goal(last)


def _needed(action: GroundAction, task: Task) -> Iterator[GroundAtom]:
    """The atoms in the precondition of an action."""
    schema = task.domain.action(action.name)
    assert schema is not None, f"{action} was executed"
    values = dict(zip((each.name for each in schema.parameters), action.args, strict=True))
    for part in subformulas(substitute(schema.precondition, values)):
        if isinstance(part, Atom):
            yield GroundAtom((part.predicate, *part.args))

"""The examples in BrainBody's prompts, made from solved tasks of the domain (paper, sections 3.1 to 3.3).

The tasks are the domain's own example and its training tasks, in their order, and never the task itself. In other
domains it is the example of the run, found beside the task or made from it. Steps are the
macro-actions of the shipped plans, lines of program and assertions follow from their actions. For an example of an
error a step is left out, two steps change places, or a hidden fact is made false: the simulator finds the step that
then fails, and checks that the new plan reaches the goal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from pddl2nl.nl import Teller, make_names, wording_from_json
from pddl2nl.pddl import Atom, GroundAtom, Task, parse_problem, substitute
from pddl2nl.policies.refining import Style, signal
from pddl2nl.policies.setting import Example, Setting
from pddl2nl.systems.brainbody.bodies import letter_vectors
from pddl2nl.systems.brainbody.primitives import Command, Robot, executed, parse_robot
from pddl2nl.systems.brainbody.prompts import LAYOUT, Shots, StepPrompter, steps_text
from pddl2nl.tasks.reference_files import TaskReference
from pddl2nl.tasks.references import reference_of, references_of
from pddl2nl.tasks.shipped import match_shipped, shipped_domain
from pddl2nl.worlds.similarity import Vectors, nearest
from pddlval import GroundAction, Simulator, StepResult
from pddlval.formulas import predicates_in, subformulas

DONE = "Done."
"""The last line of a plan."""
_PLANS, _PRIMITIVES_FROM, _MISSING = 3, 8, 3
"""How many tasks show plans, how many are searched for an example of each primitive, and errors by missing steps."""
_NO_ACTION = "Think about what to do next."


def shots_for(setting: Setting, robot: Robot, program: bool, style: Style, text: str = "") -> Shots:
    """The examples of each stage, in the wording and the names of the run; empty without any (``--example none``).

    A plan that is asked for one step at a time shows the task whose text is most similar to `text`.
    """
    teller, example = setting.teller, setting.example
    if setting.spec.example == "none":
        return {}
    if example is not None and example.problem_pddl:
        shots = _shots_of([_SolvedTask.of_example(example, teller, robot, style, program)])
    elif not (shown := solved_tasks(teller.task)):
        return {}
    else:
        wording = json.dumps(teller.wording.to_json(), sort_keys=True)
        domain = teller.task.domain
        shipped = match_shipped(domain)
        assert shipped is not None, "solved tasks are shipped"
        shots = _shots(shipped.name, shown, wording, teller.names.scheme, robot.text, style, program)
    one_by_one = shots["brainbody/next"]
    tasks = [LAYOUT.read(asked)["Task"] for asked, _ in one_by_one]
    near = next(iter(nearest(text, tasks, Vectors(setting.embed or letter_vectors))), 0) if text else 0
    similar = tuple(shot for shot, task in zip(one_by_one, tasks, strict=True) if task == tasks[near])
    return {**shots, "brainbody/next": similar}


def solved_tasks(task: Task) -> tuple[str, ...]:
    """The names of the shipped tasks that can be examples, but for the task itself; empty for other domains."""
    own = reference_of(task)
    shown = (item.instance for item in references_of(task.domain) if _may_be_shown(item) and item != own)
    return tuple(shown)[:_PRIMITIVES_FROM] if match_shipped(task.domain) is not None else ()


def _may_be_shown(reference: TaskReference) -> bool:
    """Whether a task is the example or one for training; the others are for tests."""
    return reference.role == "example" or reference.instance.startswith("train")


@lru_cache(maxsize=32)
def _shots(
    domain: str, instances: tuple[str, ...], wording: str, scheme: str, robot: str, style: Style, program: bool
) -> Shots:
    """The examples; cached, because many runs show the same."""
    return _shots_of(
        [_SolvedTask.of(domain, instance, wording, scheme, robot, style, program) for instance in instances]
    )


def _shots_of(solved: Sequence[_SolvedTask]) -> Shots:
    shown = solved[:_PLANS]
    return {
        "brainbody/plan": tuple(item.plan() for item in shown),
        "brainbody/progprompt": tuple(item.asserted() for item in shown),
        "brainbody/act": tuple(_primitive_shots(solved)),
        "brainbody/next": tuple(shot for item in solved for shot in item.one_by_one()),
        "brainbody/feedback": tuple(_error_shots(shown)),
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
    """A solved task: its text, its steps in words, the command of each, and the style of errors.

    The prompter says whether the examples show programs.
    """

    prompter: StepPrompter
    text: str
    steps: tuple[str, ...]
    commands: tuple[Command, ...]
    style: Style

    @staticmethod
    def of(
        domain: str, instance: str, wording: str, scheme: str, robot_text: str, style: Style, program: bool
    ) -> _SolvedTask:
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
        prompter = StepPrompter(teller, robot, program, {})
        return _SolvedTask(prompter, reference.texts["goal"], tuple(steps), tuple(commands), style)

    @staticmethod
    def of_example(example: Example, told: Teller, robot: Robot, style: Style, program: bool) -> _SolvedTask:
        """The example of a run, with its actions as they are told."""
        task = Task(told.task.domain, parse_problem(example.problem_pddl, told.task.domain))
        teller = Teller(task, told.wording, make_names(task, told.names.scheme, told.wording))
        actions = [GroundAction.parse(action) for action in example.plan]
        pairs = [(teller.action(action), robot.command_of(action, task.domain)) for action in actions]
        steps = tuple(f"{said[:1].upper()}{said[1:]}" for said, command in pairs if command is not None)
        commands = tuple(command for _, command in pairs if command is not None)
        return _SolvedTask(StepPrompter(teller, robot, program, {}), teller.goal_text(), steps, commands, style)

    def plan(self) -> tuple[str, str]:
        return self._question(), steps_text((*self._lines(self.commands), DONE))

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
        lines = [command.line(self._names) for command in self.commands]
        results = self._executed(self.commands)
        for place, command in enumerate(self.commands):
            needed = {atom for later in results[place + 1 :] for atom in _needed(later.action, self._simulator.task)}
            for atom in results[place].added:
                about = atom[1:] and {*atom[1:]} <= {*command.args} and atom[0] not in self.prompter.robot.hidden
                if about and atom in needed:
                    lines[place] = f"assert {self.prompter.teller.fact(atom)} else {command.line(self._names)}"
        return self._question(), steps_text((*lines, DONE))

    def errors(self) -> Iterator[tuple[str, tuple[str, str]]]:
        """Plans with a mistake, the error that follows, and the new plan that mends it; each with its kind of error.

        A step is missing (the kind is then what it would have brought about), two steps are in the wrong order, or a
        condition that is hidden does not hold, and another object serves as well.
        """
        plan = self.commands
        for at in reversed(range(len(plan) - 1)):
            yield from self._missing(at)
        for at in range(len(plan) - 1):
            swapped = (*plan[:at], plan[at + 1], plan[at], *plan[at + 2 :])
            first, second = self._said(plan[at]), self._said(plan[at + 1])
            why = f"So the two steps change places: first {first}, then {second}."
            yield from (("order", each) for each in self._mended(swapped, at, plan[at:], why, self._simulator))
        for fact in self._hidden():
            world = Simulator(self._without(fact))
            at = len(executed(plan, world)) - 1
            for old in plan[at].args:
                for new in self._alike(old):
                    rest = tuple(_replaced(command, old, new) for command in plan[at:])
                    names = self._names
                    why = f"Nothing told so before. I leave {names[old]} alone; {names[new]} serves as well."
                    if shots := [*self._mended(plan, at, rest, why, world)]:
                        yield "hidden", shots[0]
                        return

    def _missing(self, at: int) -> Iterator[tuple[str, tuple[str, str]]]:
        plan = self.commands
        rest = (*plan[:at], *plan[at + 1 :])
        results = self._executed(rest)
        place = len(results) - 1
        kind = " ".join(sorted({name for each in results[-1].unmet for name in predicates_in(each)}))
        why = f"So this comes first: {self._said(plan[at])}. Then the plan goes on."
        new = (plan[at], *rest[place:])
        yield from ((kind, each) for each in self._mended(rest, place, new, why, self._simulator))

    def _mended(
        self, wrong: Sequence[Command], at: int, new: Sequence[Command], why: str, world: Simulator
    ) -> Iterator[tuple[str, str]]:
        """The shot of a plan that fails at a step, and of new steps from there on, if these reach the goal."""
        *before, failed = executed(wrong, world)
        good = executed((*wrong[:at], *new), world)[-1].successor
        if len(before) != at or failed.successor is not None or good is None or not world.is_goal(good):
            return
        reason = self.prompter.teller.refused(failed)
        message = signal(self.style, at, "inapplicable", wrong[at].line(self._names), reason)
        plan = steps_text((*self._lines(wrong), DONE))
        asked = {"Task": self.text, "Plan": plan, "Error step": str(at), "Message": message}
        steps = steps_text((*self._lines(new), DONE), at)
        yield LAYOUT.question(asked), f"Explanation: {reason} {why}\nNew plan:\n{steps}"

    def _hidden(self) -> Iterator[GroundAtom]:
        """The facts that the plan needs and no prompt tells."""
        task = self._simulator.task
        for result in self._executed(self.commands):
            for atom in _needed(result.action, task):
                if atom[0] in self.prompter.robot.hidden:
                    yield atom

    def _without(self, fact: GroundAtom) -> Task:
        task = self._simulator.task
        init = tuple(atom for atom in task.problem.init if atom != fact)
        return Task(task.domain, replace(task.problem, init=init))

    def _alike(self, name: str) -> Iterator[str]:
        task = self._simulator.task
        used = {each for command in self.commands for each in command.args}
        return (other for other in task.objects_of(task.objects[name].types) if other not in used)

    # ── parts ────────────────────────────────────────────────────────────────────────────────────

    @property
    def _names(self) -> Mapping[str, str]:
        return self.prompter.teller.names.to_nl

    @cached_property
    def _simulator(self) -> Simulator:
        return Simulator(self.prompter.teller.task)

    def _lines(self, commands: Sequence[Command]) -> tuple[str, ...]:
        return tuple(map(self._step, commands))

    def _step(self, command: Command) -> str:
        if self.prompter.program:
            return command.line(self._names)
        known = [*zip(self.commands, self.steps, strict=True)]
        if same := [step for each, step in known if each == command]:
            return same[0]
        like, text = next((each, step) for each, step in known if each.primitive == command.primitive)
        for old, new in zip(like.args, command.args, strict=True):
            text = text.replace(self._names[old], self._names[new])
        return text

    def _said(self, command: Command) -> str:
        step = self._step(command)
        return step if self.prompter.program else f"{step[:1].lower()}{step[1:]}"

    def _question(self) -> str:
        used = frozenset(name for result in self._executed(self.commands) for name in result.action.args)
        facts = self.prompter.environment(self._simulator.initial, used)
        return LAYOUT.question({"Environment information": facts, "Task": self.text})

    def _executed(self, commands: Sequence[Command]) -> list[StepResult]:
        return executed(commands, self._simulator)


def _error_shots(solved: Sequence[_SolvedTask]) -> Iterator[tuple[str, str]]:
    """Errors of different kinds, and how they are mended: missing steps, a wrong order, something out of reach."""
    kinds: dict[str, tuple[str, str]] = {}
    for item in solved:
        for kind, shot in item.errors():
            kinds.setdefault(kind, shot)
    special = [kinds.pop(kind) for kind in ("order", "hidden") if kind in kinds]
    yield from (*[*kinds.values()][:_MISSING], *special)


def _replaced(command: Command, old: str, new: str) -> Command:
    return Command(command.primitive, tuple(new if name == old else name for name in command.args))


def _needed(action: GroundAction, task: Task) -> Iterator[GroundAtom]:
    schema = task.domain.schema(action.name)
    values = schema.binding(action.args)
    for part in subformulas(substitute(schema.precondition, values)):
        if isinstance(part, Atom):
            yield GroundAtom((part.predicate, *part.args))

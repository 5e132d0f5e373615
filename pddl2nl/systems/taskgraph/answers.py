"""What the oracle answers: the task's plan of subtasks, from its ground truth, or else from the exact search.

It does not know where anything is: the furniture of an ambiguous task it knows only by its class, until it has seen
what that stands beside. After an error it opens what was not looked into, or tries again. After a subtask it corrects
what was put in the wrong place, and puts another thing where one was put twice. In a search it gives the next subtask
of the plan the best score.

It can make mistakes on purpose; each ends with the feedback about it:

====================  ==================================================================================================
name                  what is wrong
====================  ==================================================================================================
illegal-transition    the first PickupObject comes twice
unknown-target        the first target is a class that does not exist
missing-treatment     the first treatment (heating, cooling, cleaning) is left out
missing-step          the last subtask is left out
wrong-receptacle      the last thing is put on the wrong furniture: the plan can be carried out, but misses the goal
held-knife            the knife is not put down
wrong-tag             the reply has no tags
first-instance-twice  of two equal things, the first one is named both times
overeager-replan      the plan is repeated as a revision after every subtask
====================  ==================================================================================================
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cached_property

from pddl2nl.baselines.oracle import PlanOracle
from pddl2nl.errors import InfrastructureError
from pddl2nl.llm import Answer
from pddl2nl.systems.taskgraph.doing import SubtaskDoer, carry_out
from pddl2nl.systems.taskgraph.graph import TaskGraph
from pddl2nl.systems.taskgraph.prompting import scores_reply, subtask_reply
from pddl2nl.systems.taskgraph.replies import END, MOST_SCORE
from pddl2nl.systems.taskgraph.searching import exact_plan
from pddl2nl.systems.taskgraph.subtasks import PlannedSubtask, Subtasks, read_subtask
from pddl2nl.tasks.references import reference_of
from pddlval import Simulator

MISTAKES = (
    "illegal-transition",
    "unknown-target",
    "missing-treatment",
    "missing-step",
    "wrong-receptacle",
    "held-knife",
    "wrong-tag",
    "first-instance-twice",
    "overeager-replan",
)
"""The names of all mistakes."""

NOWHERE = "Unicorn"
"""The class that does not exist."""
_TREATMENTS = ("HeatObject", "CoolObject", "CleanObject")
_KEPT = "<answer>keep</answer>"


class SubtaskAnswers:
    """The answers about one task, whose words are `text`."""

    def __init__(self, simulator: Simulator, subtasks: Subtasks, graph: TaskGraph, text: str):
        self._simulator = simulator
        self._subtasks = subtasks
        self._graph = graph
        self._text = text

    def plan(self, oracle: PlanOracle) -> str:
        plan = self._in_classes
        return str(plan) if oracle.mistake == "wrong-tag" else _reply(mistaken_subtasks(oracle.mistake, plan))

    def corrected(self, oracle: PlanOracle) -> str:
        return _reply(self._in_classes)

    def scores(self, before: Sequence[PlannedSubtask]) -> Answer:
        """10 for what comes next in the plan, and 0 for another candidate; off the plan, 10 for the end."""

        def answer(oracle: PlanOracle) -> str:
            plan = mistaken_subtasks(oracle.mistake, self._in_classes)
            on_plan = tuple(before) == plan[: len(before)] and len(before) < len(plan)
            best, other = (plan[len(before)], (END,)) if on_plan else ((END,), plan[0])
            return f"<answer>\n{scores_reply([(other, 0), (best, MOST_SCORE)])}\n</answer>"

        return answer

    def keys(self, oracle: PlanOracle) -> str:
        """The classes in the plan, and those that the task mentions."""
        words = self._text.replace(" ", "").casefold()
        told = [name for name in self._subtasks.classes if name.casefold() in words]
        names = dict.fromkeys((*(name for step in self._in_classes for name in step[1:]), *told))
        return f"<answer>\n{json.dumps({'objects': [*names]})}\n</answer>"

    def revision(
        self,
        rest: Sequence[PlannedSubtask],
        done: Sequence[PlannedSubtask],
        failed: bool,
        doer: SubtaskDoer,
        keys: Iterable[str],
    ) -> Answer:
        """What is left to do after `done`; if the last subtask failed, it is the first of the rest.

        The doer knows what was seen and which doors were not opened; `keys` are the classes that the scene tells.
        """

        def answer(oracle: PlanOracle) -> str:
            if failed:
                first = [("OpenObject", each) for each in doer.unopened[:1]] or self._taken_first(rest, doer)
                return subtask_reply("look behind a door, or try again", [*first, *rest])
            last, class_of = done[-1], self._subtasks.class_of
            if last[0] == "PutObject" and done.count(last) > 1 and last[1] not in self._subtasks.classes:
                another = [("PickSecond", class_of(last[1])), ("PutObject", class_of(last[1]), last[2])]
                return subtask_reply(f"{last[1]} was put there before: another one is wanted", [*another, *rest])
            wanted = self._wanted(last)
            thing, where = self._put_last(last, doer, keys)
            if wanted and where and where != wanted and class_of(where) != wanted:
                moved = [("PickupObject", thing), ("PutObject", thing, wanted)]
                return subtask_reply(f"it belongs in {wanted}", [*moved, *rest])
            if oracle.mistake == "missing-step" and not rest and self._in_classes[-1] not in done:
                return subtask_reply("something is left to do", self._in_classes[-1:])
            return subtask_reply("all is well", rest) if oracle.mistake == "overeager-replan" and rest else _KEPT

        return answer

    def _taken_first(self, rest: Sequence[PlannedSubtask], doer: SubtaskDoer) -> list[PlannedSubtask]:
        """What must be picked up again for the rest, where a subtask was left half done."""

        def possible(*steps: PlannedSubtask) -> bool:
            return carry_out(self._simulator, self._subtasks, doer.believed(), steps, doer.handled) is not None

        again = ("PickupObject", *rest[0][1:2])
        return [again] if not possible(rest[0]) and possible(again, rest[0]) else []

    @cached_property
    def _known(self) -> tuple[PlannedSubtask, ...]:
        """The plan, whose ground truth names the furniture of an ambiguous task as an object."""
        reference = reference_of(self._simulator.task)
        if reference is not None:
            steps = tuple(read_subtask(block.macro) for block in reference.ways[0].blocks)
            # A domain's shipped ground truths may be divided otherwise than the subtasks of a user's file.
            if all(step[0] in self._subtasks.by_name for step in steps) or self._subtasks.classes:
                return steps
        found = exact_plan(self._simulator, self._subtasks, self._graph, self._simulator.initial)
        if found is None:
            raise InfrastructureError("the oracle found no plan of subtasks that reaches the goal")
        return tuple(step.subtask for step in found)

    @property
    def _in_classes(self) -> tuple[PlannedSubtask, ...]:
        return tuple((name, *map(self._subtasks.class_of, targets)) for name, *targets in self._known)

    def _wanted(self, last: PlannedSubtask) -> str:
        """Where the task wants what was put down last; empty if it was put nowhere, or anywhere."""
        if last[0] != "PutObject":
            return ""
        ends = [step[2] for step in self._known if step[:2] == last[:2]]
        return ends[-1] if ends and (last[2] not in ends or ends[-1].rpartition("-")[0]) else ""

    def _put_last(self, last: PlannedSubtask, doer: SubtaskDoer, keys: Iterable[str]) -> tuple[str, str]:
        """The thing that was put down last, and its place, as it was seen; empty if it was not."""
        sight, class_of = self._subtasks.sight, self._subtasks.class_of
        if last[0] != "PutObject" or sight is None:
            return "", ""
        atoms = (
            atom for atom in sorted(doer.believed().atoms) if atom[0] in sight.located and class_of(atom[1]) in keys
        )
        wanted = tuple(map(class_of, last[1:]))
        own = [(atom[1], atom[2]) for atom in atoms if (class_of(atom[1]), class_of(atom[2])) == wanted]
        return own[-1] if own else ("", "")


def _reply(plan: Sequence[PlannedSubtask]) -> str:
    return subtask_reply("first this, then that", plan)


def mistaken_subtasks(mistake: str, plan: Sequence[PlannedSubtask]) -> tuple[PlannedSubtask, ...]:
    """A plan with the mistake, or the plan itself if it cannot be made in it."""
    steps = list(plan)
    names = [step[0] for step in steps]
    if mistake == "illegal-transition" and "PickupObject" in names:
        place = names.index("PickupObject")
        return (*steps[: place + 1], *steps[place:])
    if mistake == "unknown-target" and steps:
        return ((names[0], NOWHERE, *steps[0][2:]), *steps[1:])
    if mistake == "missing-treatment":
        left_out = next((place for place, name in enumerate(names) if name in _TREATMENTS), len(steps))
        return (*steps[:left_out], *steps[left_out + 1 :])
    if mistake == "missing-step":
        return tuple(steps[:-1])
    if mistake == "wrong-receptacle" and names[-1:] == ["PutObject"]:
        wrong = "CounterTop" if steps[-1][2] != "CounterTop" else "DiningTable"
        return (*steps[:-1], (*steps[-1][:2], wrong))
    if mistake == "held-knife" and "SliceObject" in names:
        after = names.index("SliceObject") + 1
        return (*steps[:after], *steps[after + 1 :])
    if mistake == "first-instance-twice" and "PickSecond" in names:
        thing = steps[names.index("PickSecond")][1]
        named = {thing: f"{thing.lower()}-1"}
        return tuple(
            step if step[0] == "FindSecond" else (step[0], *(named.get(target, target) for target in step[1:]))
            for step in steps
        )
    return tuple(steps)

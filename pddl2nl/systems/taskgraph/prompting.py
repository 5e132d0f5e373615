"""The prompts (GraphPlan paper, appendix E), laid out as in `pddl2nl.policies.prompts`.

The stages ask for a plan of the task, for scores of the subtasks that may come next, for a correction (of a revision
with what that was told), for the classes that matter, and for a revision after an event, with the scene as far as it
was seen. Where nothing is hidden from the robot, the scene is the whole state, and stands in all prompts but that for
classes.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from pddl2nl.llm import Message
from pddl2nl.llm.constraint import Constraint, Line, Slot
from pddl2nl.pddl import Task, supertypes
from pddl2nl.policies.prompts import PromptLayout, Prompts, Sections, conversation, dashed
from pddl2nl.systems.taskgraph.graph import TaskGraph
from pddl2nl.systems.taskgraph.replies import END
from pddl2nl.systems.taskgraph.subtasks import PlannedSubtask, Subtask, SubtaskExample, Subtasks

PLAN, CORRECT, KEYS, REPLAN = "taskgraph/plan", "taskgraph/correct", "taskgraph/keys", "taskgraph/replan"
NEXT = "taskgraph/next"
LAYOUT = PromptLayout(
    (PLAN, CORRECT, KEYS, REPLAN, NEXT),
    ("Task", "Plan", "Done", "Event", "Scene", "Candidates", "Feedback"),
    frozenset(("Plan", "Done")),
)
KEEP = "keep"
"""The answer with which the plan stays as it is."""
PROMPTS = Prompts("pddl2nl.systems.taskgraph")


def file_of(stage: str) -> str:
    return f"{stage.removeprefix('taskgraph/')}.txt"


def subtask_reply(thought: str, plan: Iterable[PlannedSubtask]) -> str:
    """A reply in the form that prompts ask for."""
    return f"<reasoning>\n{thought}\n</reasoning>\n<answer>\n{_answer(plan)}\n</answer>"


def _answer(plan: Iterable[PlannedSubtask]) -> str:
    steps = [[name, targets[0] if len(targets) == 1 else list(targets)] for name, *targets in plan]
    return json.dumps({"high_level": steps}, ensure_ascii=False)


def scores_reply(scored: Iterable[tuple[PlannedSubtask, float]]) -> str:
    """The answer with scores, as its prompt asks for it."""
    rated = [
        [name, *([targets[0] if len(targets) == 1 else list(targets)] if targets else []), score]
        for (name, *targets), score in scored
    ]
    return json.dumps({"next": rated}, ensure_ascii=False)


def role_classes(subtasks: Subtasks) -> Mapping[str, tuple[str, ...]]:
    """The classes that fit each role of targets, by the name of the role."""
    hierarchy = supertypes(subtasks.domain)
    roles: dict[str, dict[str, None]] = {}
    for node in subtasks.nodes:
        for target in node.targets:
            kinds = [item.types for way in node.ways for item in way.parameters if item.name == target.variable]
            fitting = (
                name for name, kind in subtasks.classes.items() if any(hierarchy.fits((kind,), k) for k in kinds)
            )
            roles.setdefault(target.role, {}).update(dict.fromkeys(fitting))
    return {role: tuple(names) for role, names in roles.items()}


def _example(nodes: Iterable[Subtask], roles: Mapping[str, Sequence[str]]) -> list[PlannedSubtask]:
    """The first subtasks with one and with two targets, for the form of the answer."""
    first = {len(node.targets): node for node in reversed([*nodes])}
    shown = [first[count] for count in sorted(first)]
    return [(node.name, *(next(iter(roles.get(item.role, ())), item.role) for item in node.targets)) for node in shown]


class SubtaskPrompter:
    """Makes the prompts about one task.

    They show the subtasks that may be possible in it, with `shown` also the graph, and the examples before the task;
    with `thoughts` a plan is asked for after reasoning.
    """

    def __init__(
        self,
        prompts: Prompts,
        task_text: str,
        subtasks: Subtasks,
        graph: TaskGraph,
        task: Task,
        *,
        shown: bool,
        thoughts: bool = True,
        examples: Iterable[SubtaskExample] = (),
    ):
        thought = prompts.text("example-thought.txt")
        self.task_text = task_text
        self._prompts = prompts
        self._how = prompts.text("thoughts.txt" if thoughts else "no-thoughts.txt")
        self._shots = [(LAYOUT.question({"Task": each.task}), subtask_reply(thought, each.plan)) for each in examples]
        usable = subtasks.usable(task)
        lines = graph.lines(usable) if shown else map(str, usable)
        told = dashed(
            f"{line}. It {node.about}." if node.about and shown else f"{line}: {node.about}" if node.about else line
            for line, node in zip(lines, usable, strict=True)
        )
        self.usable = frozenset(node.name for node in usable)
        self._subtasks = subtasks
        self._roles = role_classes(subtasks)
        roles = {role: names for role, names in self._roles.items() if len(names) > 1}
        example = _example(usable, roles)
        targets = prompts.text("object-targets.txt" if subtasks.names_objects else "class-targets.txt")
        self._classes = dashed(f"{role}: {', '.join(names)}" for role, names in roles.items())
        self._fields = {
            "kind": "Objects" if subtasks.names_objects else "Classes of objects",
            "classes": self._classes,
            # Set off from the classes before it and the rules behind it.
            "graph": f"\n{prompts.fill('graph.txt' if shown else 'names.txt', nodes=told)}\n",
            "rules": dashed((targets, *subtasks.rules)),
        }
        self._example = _answer(example)
        self._scores = scores_reply([(step, 9 - 7 * place) for place, step in enumerate(example)] + [((END,), 0)])

    def messages(self, stage: str, **sections: str | Sequence[str]) -> list[Message]:
        fill, file = self._prompts.fill, file_of(stage)
        if stage == KEYS:
            text = fill(file, classes=self._classes)
        elif stage == NEXT:
            text = fill(file, scores=self._scores, **self._fields)
        else:
            text = fill("plan.txt", how=self._how, example=self._example, **self._fields)
            # A revision is corrected with what it was asked about.
            file = "correct-revision.txt" if stage == CORRECT and "event" in sections else file
            text += "" if stage == PLAN else f"\n\n{fill(file)}"
        asked: Sections = {"Task": self.task_text, **{name.capitalize(): text for name, text in sections.items()}}
        shots = self._shots if stage == PLAN else ()
        return conversation(LAYOUT.system(stage, text), shots, LAYOUT.question(asked))

    def constraint(self, level: str, stage: str, objects: Iterable[str] = ()) -> Constraint | None:
        """What a reply may be, with ``--constrain``: subtasks with classes that fit their roles, and these objects."""
        if level == "off":
            return None
        if stage == KEYS:
            names: tuple[Line, ...] = ((tuple(self._subtasks.classes),),)
            given = None if level == "format" else names
            begin, end = '<answer>\n{"objects": [', "]}\n</answer>"
            return Constraint(given, action='"', after='"', begin=begin, end=end, between=", ")
        steps: tuple[Line, ...] = (_step(None, (None,)), _step(None, (None, None)))
        if level != "format":
            fitting = self._fitting(objects)
            slots = [(node.name, [fitting[target.role] for target in node.targets]) for node in self._subtasks.nodes]
            # A reply is read with one or two targets each.
            steps = tuple(_step(name, targets) for name, targets in slots if all(targets) and len(targets) in (1, 2))
        begin = '</reasoning>\n<answer>\n{"high_level": ['
        form = Constraint(steps, begin=begin, end="]}\n</answer>", between=", ", words=True, before="<reasoning>\n")
        return replace(form, instead=(f"<answer>{KEEP}</answer>",) if stage == REPLAN else ())

    def _fitting(self, objects: Iterable[str]) -> Mapping[str, Slot]:
        """The classes that fit each role, and those of the objects that have such a class."""

        def slot(classes: Collection[str]) -> Slot:
            return tuple(dict.fromkeys((*classes, *(it for it in objects if self._subtasks.class_of(it) in classes))))

        return {role: slot(classes) for role, classes in self._roles.items()}


def _step(name: str | None, targets: Sequence[Slot | None]) -> Line:
    """A subtask in JSON, as in `subtask_reply`."""
    one, *other = targets
    if other:
        return ('["', name, '", ["', one, '", "', other[0], '"]]')
    return ('["', name, '", "', one, '"]')

"""The prompts of `taskgraph` (GraphPlan paper, appendix E), laid out as in `pddl2nl.policies.staged`.

====================  ==================================================================================================
stage                 content of the question
====================  ==================================================================================================
taskgraph/plan        the task; with examples, if the policy shows them
taskgraph/next        the task, the plan so far, and the subtasks that may come next, to be scored
taskgraph/correct     the task, the plan, and what is wrong with it
taskgraph/keys        the task; asked for the classes that matter
taskgraph/replan      the task, the plan, the subtasks done, the event, and the scene as far as it was seen
====================  ==================================================================================================

Where nothing is hidden from the robot, the scene is the whole state, and stands in all prompts but that for classes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Literal

from pddl2nl.llm import Message
from pddl2nl.llm.constraint import Constraint, Line, Slot
from pddl2nl.macros.subtasks.graph import TaskGraph
from pddl2nl.macros.subtasks.nodes import Subtask, SubtaskExample, Subtasks, load_subtasks
from pddl2nl.pddl import Domain, supertypes
from pddl2nl.policies.staged import PromptLayout, Sections, conversation, dashed
from pddl2nl.systems.taskgraph.replies import END, PlannedSubtask
from pddl2nl.tasks import match_shipped

PLAN, CORRECT, KEYS, REPLAN = "taskgraph/plan", "taskgraph/correct", "taskgraph/keys", "taskgraph/replan"
NEXT = "taskgraph/next"
LAYOUT = PromptLayout(
    (PLAN, CORRECT, KEYS, REPLAN, NEXT),
    ("Task", "Plan", "Done", "Event", "Scene", "Candidates", "Feedback"),
    frozenset(("Plan", "Done")),
)
KEEP = "keep"
"""The answer with which the plan stays as it is."""


@dataclass(frozen=True)
class GraphMechanism:
    """The components that a policy has.

    Attributes:
        title: what the paper calls it.
        summary: one line for people.
        planner: who plans: a model, after thinking step by step (``cot``) or at once (``zero``), with examples
            (``few``) or the most similar ones (``rag``); a search in which it scores (``greedy``, ``beam``); or one
            without it (``exact``).
        prompt: the graph is in the prompt.
        verify: plans are checked and corrected.
        on_error, on_completed: the plan may be revised after an error, and after a subtask.
        memory: what was seen is remembered, and which things were handled.
    """

    title: str
    summary: str
    planner: Literal["cot", "zero", "few", "rag", "greedy", "beam", "exact"] = "cot"
    prompt: bool = True
    verify: bool = True
    on_error: bool = True
    on_completed: bool = True
    memory: bool = True

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages of prompts that the policy can use."""
        if self.planner == "exact":
            return ()
        replans = self.on_error or self.on_completed
        first = NEXT if self.planner in ("greedy", "beam") else PLAN
        return (first, *((CORRECT,) if self.verify else ()), *((KEYS, REPLAN) if replans else ()))


def _without_graph(title: str, summary: str, planner: Literal["cot", "zero", "few", "rag"]) -> GraphMechanism:
    """A strategy of prompting that the paper compares with, within the rest of the system."""
    return GraphMechanism(title, summary, planner, prompt=False, verify=False)


MECHANISMS: Mapping[str, GraphMechanism] = MappingProxyType(
    {
        "taskgraph": GraphMechanism(
            "GraphPlan", "a plan of subtasks along a task graph, checked, and revised after errors and subtasks"
        ),
        "taskgraph-noprompt": GraphMechanism(
            "w/o graph prompt", "taskgraph without the graph in prompts", prompt=False
        ),
        "taskgraph-noverify": GraphMechanism("w/o verification", "taskgraph without checks of plans", verify=False),
        "taskgraph-noreplan": GraphMechanism(
            "w/o replan", "taskgraph whose plan is never revised", on_error=False, on_completed=False
        ),
        "taskgraph-noreplan-low": GraphMechanism(
            "w/o replan_low", "taskgraph whose plan is revised after subtasks only", on_error=False
        ),
        "taskgraph-noreplan-high": GraphMechanism(
            "w/o replan_high", "taskgraph whose plan is revised after errors only", on_completed=False
        ),
        "taskgraph-nomemory": GraphMechanism("w/o memory", "taskgraph that knows only what it sees", memory=False),
        "taskgraph-zero": _without_graph("Zero-shot", "taskgraph without its graph, planned without reasoning", "zero"),
        "taskgraph-cot": _without_graph("CoT", "taskgraph without its graph, planned step by step", "cot"),
        "taskgraph-few": _without_graph("Few-shot", "taskgraph without its graph, planned after three examples", "few"),
        "taskgraph-rag": _without_graph(
            "RAG", "taskgraph without its graph, planned after the three most similar examples", "rag"
        ),
        "taskgraph-greedy": GraphMechanism(
            "Greedy search",
            "greedy search along the task graph, scored by a model",
            "greedy",
            verify=False,
            prompt=False,
        ),
        "taskgraph-beam": GraphMechanism(
            "Beam search", "beam search along the task graph, scored by a model", "beam", verify=False, prompt=False
        ),
        "taskgraph-exact": GraphMechanism(
            "Exact search",
            "subtasks along the task graph that do the actions of a plan by FF, and no model",
            "exact",
            on_error=False,
            on_completed=False,
        ),
    }
)
"""The components of each policy, by the policy's name."""


def shipped_subtasks(domain: Domain) -> Subtasks | None:
    """The subtasks that are shipped with a domain; None if there are none."""
    shipped = match_shipped(domain)
    path = None if shipped is None else shipped.folder / "subtasks.json"
    return load_subtasks(path, domain) if path is not None and path.is_file() else None


@cache
def _text(name: str) -> str:
    return (resources.files(__package__) / "texts" / f"{name}.txt").read_text(encoding="utf-8").rstrip()


def prompt_hashes(policy: str) -> dict[str, str]:
    """The SHA-256 of the prompt files that a policy can use, by file name, for the record of a run."""
    mechanism = MECHANISMS[policy]
    names = [
        *(stage.removeprefix("taskgraph/") for stage in mechanism.stages),
        *([] if mechanism.planner == "exact" else ["graph" if mechanism.prompt else "names"]),
    ]
    return {f"taskgraph/{name}.txt": hashlib.sha256(_text(name).encode("utf-8")).hexdigest() for name in names}


def subtask_text(step: Sequence[str]) -> str:
    """A subtask of a plan: ``PutObject(Apple, Fridge)``."""
    return f"{step[0]}({', '.join(step[1:])})"


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


_HOW = {
    True: "First think step by step and check the plan, then answer",
    False: "Answer at once, with an empty reasoning,",
}
"""How a plan is asked for, with and without reasoning."""
_SHOWN_THOUGHT = "The subtasks of this task, one after the other."
_TARGETS = {
    False: "Each target is a class from the lists that fits its role. If the task names something else, take the class "
    "that is most like it.",
    True: "Each target is an object from the lists that fits its role.",
}
"""The first rule, for targets that are classes, and that are objects."""


def _example(nodes: Iterable[Subtask], roles: Mapping[str, Sequence[str]]) -> list[PlannedSubtask]:
    """The first subtasks with one and with two targets, for the form of the answer."""
    first = {len(node.targets): node for node in reversed([*nodes])}
    shown = [first[count] for count in sorted(first)]
    return [(node.name, *(next(iter(roles.get(item.role, ())), item.role) for item in node.targets)) for node in shown]


class SubtaskPrompter:
    """Makes the prompts about one task.

    Args:
        task_text: the task in words.
        subtasks: of the domain.
        graph: which may follow which.
        shown: whether the graph is in the prompt.
        thoughts: whether a plan is asked for after reasoning.
        examples: tasks with their plans that are shown before the task.
    """

    def __init__(
        self,
        task_text: str,
        subtasks: Subtasks,
        graph: TaskGraph,
        *,
        shown: bool,
        thoughts: bool = True,
        examples: Iterable[SubtaskExample] = (),
    ):
        self._task_text = task_text
        self._how = _HOW[thoughts]
        self._shots = [
            (LAYOUT.question({"Task": each.task}), subtask_reply(_SHOWN_THOUGHT, each.plan)) for each in examples
        ]
        nodes = [f"[{node.label}] {node}" if shown else str(node) for node in graph.nodes]
        filled = _text("graph" if shown else "names").replace("$nodes", dashed(nodes))
        self._subtasks = subtasks
        self._roles = role_classes(subtasks)
        roles = {role: names for role, names in self._roles.items() if len(names) > 1}
        self._classes = dashed(f"{role}: {', '.join(names)}" for role, names in roles.items())
        self._graph = filled.replace("$edges", "\n".join(graph.lines()))
        self._kind = "Objects" if subtasks.names_objects else "Classes of objects"
        self._rules = dashed((_TARGETS[subtasks.names_objects], *subtasks.rules))
        example = _example(graph.nodes, roles)
        self._example = _answer(example)
        self._scores = scores_reply([(step, 9 - 7 * place) for place, step in enumerate(example)] + [((END,), 0)])

    def messages(self, stage: str, **sections: str | Sequence[str]) -> list[Message]:
        """A whole prompt."""
        if stage == KEYS:
            system = LAYOUT.system(stage, _text("keys"), classes=self._classes)
        else:
            shown = {"kind": self._kind, "classes": self._classes, "graph": f"{self._graph}\n", "rules": self._rules}
            if stage == NEXT:
                system = LAYOUT.system(stage, _text("next"), scores=self._scores, **shown)
            else:
                own = "" if stage == PLAN else f"\n\n{_text(stage.removeprefix('taskgraph/'))}"
                system = LAYOUT.system(stage, _text("plan"), how=self._how, example=self._example, **shown) + own
        asked: Sections = {"Task": self._task_text, **{name.capitalize(): text for name, text in sections.items()}}
        return conversation(system, self._shots if stage == PLAN else (), LAYOUT.question(asked))

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

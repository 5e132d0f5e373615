"""Plans of subtasks in files, and all that is wrong with them by a task graph and by the automaton.

A file has a subtask a line, ``PutObject(Apple, Fridge)``; what follows ``;`` is a comment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from pddl2nl.errors import InputError
from pddl2nl.files import read_text
from pddl2nl.macros.subtasks.automaton import PlanFault, TaskAutomaton
from pddl2nl.macros.subtasks.graph import TaskGraph
from pddl2nl.macros.subtasks.nodes import Subtasks
from pddl2nl.pddl import Condition, write_condition
from pddl2nl.tasks.reference_files import read_references

_STEP = re.compile(r"([\w-]+)\(([\w-]+(?:\s*,\s*[\w-]+)*)?\)")
_SHOWN = 40


def read_plan(text: str, name: str) -> dict[int, tuple[str, ...]]:
    """The subtasks of a plan with their targets, by the numbers of their lines.

    Args:
        text: of the file.
        name: of the file, for errors.

    Raises:
        InputError: a line is no subtask.
    """
    steps = {}
    for number, line in enumerate(text.splitlines(), 1):
        said = line.partition(";")[0].strip()
        step = _STEP.fullmatch(said)
        if step is not None:
            steps[number] = (step[1], *(re.split(r"\s*,\s*", step[2]) if step[2] else ()))
        elif said:
            shown = said if len(said) <= _SHOWN else f"{said[:_SHOWN]}…"
            raise InputError(f"{name}:{number}: '{shown}' is no subtask; PutObject(Apple, Fridge) is an example of one")
    return steps


def load_plans(path: Path) -> list[tuple[str, ...]]:
    """The names of the subtasks in each plan of a file: one a line, or all ground truths of a ``tasks.json``.

    Raises:
        InputError: the file cannot be read, or has another form.
    """
    if path.suffix != ".json":
        return [tuple(step[0] for step in read_plan(read_text(path, "plan of subtasks"), str(path)).values())]
    ways = [way for reference in read_references(path) for way in reference.ways]
    return [tuple(block.macro.partition("(")[0] for block in way.blocks) for way in ways]


def plan_faults(
    subtasks: Subtasks,
    graph: TaskGraph | None,
    plan: Sequence[Sequence[str]],
    tell: Callable[[Condition], str] = write_condition,
) -> tuple[PlanFault, ...]:
    """What the automaton refuses in a plan, and its pairs that are no edges of the graph, in the plan's order.

    Args:
        subtasks: of the domain.
        graph: None: the automaton decides alone.
        plan: the subtasks with their targets.
        tell: a condition in words, by default in PDDL.
    """
    faults = [*TaskAutomaton(subtasks, tell).faults(plan)]
    names = [step[0] for step in plan]
    if graph is not None:
        nodes = {node.name for node in graph.nodes}
        for place, name in enumerate(names):
            before = names[place - 1] if place else ""
            if name in subtasks.by_name and name not in nodes:
                faults.append(PlanFault(place, "no-edge", f"the graph '{graph.name}' has no node {name}"))
            elif {before, name} <= nodes and (before, name) not in graph.edges:
                may = ", ".join(graph.after(before)) or "nothing"
                text = f"{name} may not follow {before} in the graph '{graph.name}'; what may: {may}"
                faults.append(PlanFault(place, "no-edge", text))
    return tuple(sorted(faults, key=lambda fault: fault.place))

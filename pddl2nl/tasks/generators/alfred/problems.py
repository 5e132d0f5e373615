"""Problems of Alfred: household tasks of ALFRED's types in a room of some kind (`pddl2nl.tasks.generators.alfred`)."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap

from pddl2nl.errors import InputError
from pddl2nl.tasks.generators.alfred.tasks import AlfredTask, make_task, object_groups, problem_facts
from pddl2nl.tasks.generators.alfred.types import TASK_TYPES, TaskType
from pddl2nl.tasks.generators.draws import Draw
from pddl2nl.tasks.generators.generator import ATTEMPTS, Generator, Parameter, ParameterValues, Sketch

_WIDTH = 90
"""The longest line of an instruction in a problem's comment."""

_KINDS: Mapping[str, TaskType] = {name.lower().replace("&", "-"): kind for name, kind in TASK_TYPES.items()}
"""The types by their names as parameters, ``slice-clean-place``."""


def _drawn(values: ParameterValues, draw: Draw) -> AlfredTask | None:
    return make_task(
        _KINDS[values["task"]],
        draw,
        unseen=values["layout"] == "unseen",
        hidden=values["things"] == "hidden",
        ambiguous=values["place"] == "ambiguous",
    )


def _sketch(task: AlfredTask) -> Sketch:
    return Sketch(
        objects=object_groups(task.scene),
        init=tuple(problem_facts(task.scene, skills=task.kind.group == "new")),
        goal=(task.goal,),
        summary="\n; ".join(wrap(task.text.removesuffix("."), _WIDTH)),
    )


def _make(values: ParameterValues, draw: Draw) -> Sketch | None:
    task = _drawn(values, draw)
    return None if task is None else _sketch(task)


def task_of_seed(seed: int, given: Mapping[str, int | str]) -> AlfredTask:
    """The task of which ``generate("alfred", seed, …)`` writes the problem; raises `InputError` as it does."""
    values, draw = GENERATOR.values(given), Draw(seed)
    drawn = (_drawn(values, draw) for _ in range(ATTEMPTS))
    task = next((each for each in drawn if each is not None and not _sketch(each).trivial), None)
    if task is None:
        raise InputError(f"no problem of alfred came of {ATTEMPTS} draws with {values}; give another seed")
    return task


def _small(draw: Draw) -> Mapping[str, int | str]:
    return {"task": draw.pick(tuple(_KINDS)), "layout": draw.pick(("seen", "unseen"))}


GENERATOR = Generator(
    domain="alfred",
    pddl_name="alfred",
    summary="a task of ALFRED's types, or of the GraphPlan paper's longer ones, in a room of about 68 objects; "
    "all that it needs is there, so every problem has a plan",
    parameters=(
        Parameter("task", "the type of the task", "pick-place", choices=tuple(_KINDS)),
        Parameter("layout", "whether the furniture is arranged as in training", "seen", choices=("seen", "unseen")),
        Parameter(
            "things", "whether things of the class can be seen, or are behind doors", "seen", choices=("seen", "hidden")
        ),
        Parameter(
            "place",
            "whether the receptacle is told by its class, or by what stands beside it",
            "class",
            choices=("class", "ambiguous"),
        ),
    ),
    make=_make,
    small=_small,
)

"""Tasks written by hand with correct plans: the file ``tasks.json`` beside their problems.

The file holds ``format``, ``domain`` and ``tasks``. A task has ``task`` (its name), ``instance`` (its problem is
``INSTANCE.pddl``), ``role`` (``example`` or ``benchmark``), ``title``, ``complexity``, ``objects``,
``averaged``, ``length_counted``, ``texts`` by form, and ``ways``; tasks in a scene graph may have ``category``,
``asked``, ``answers`` and ``searched``, tasks with hidden facts ``difficulty``. See `TaskReference`, `ReferenceWay` and
`ReferenceBlock`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

from pddl2nl.errors import InputError
from pddl2nl.files import parse_json, read_bytes

Form = Literal["goal", "constructive"]
"""A task's text describes the goal, or the way to it."""

FORMS: tuple[Form, ...] = get_args(Form)

Complexity = Literal["moderate", "high"]
"""Up to about 20 steps, or more."""

WayProof = Literal["blind", "hmax", "best known"]
"""The proof that no shorter plan reaches the goal: A* with the blind or the h-max heuristic, or none."""


@dataclass(frozen=True)
class ReferenceBlock:
    """A macro-action of a ground-truth plan, with its atomic actions.

    Attributes:
        macro: what it does, in words.
        goal: its purpose, a PDDL condition over the problem's objects; its actions are a shortest plan for it from the
            state after the blocks before it.
        actions: in PDDL, ``(pick-up egg-1)``.
    """

    macro: str
    goal: str
    actions: tuple[str, ...]

    def __post_init__(self) -> None:
        _check_texts({"macro": self.macro, "goal": self.goal})


@dataclass(frozen=True)
class ReferenceWay:
    """One way of doing a task: blocks and their order.

    Attributes:
        name: distinguishes it from the other ways.
        blocks: in an order that is a plan.
        order: pairs of places in ``blocks``, from 0: the first comes before the second.
        tied: pairs of places: the second comes directly after the first.
        proof: of the length of its plan; every linearization that order and ties allow is a plan of that length.
        note: a remark.
    """

    name: str
    blocks: tuple[ReferenceBlock, ...]
    order: tuple[tuple[int, int], ...] = ()
    tied: tuple[tuple[int, int], ...] = ()
    proof: WayProof = "best known"
    note: str = ""

    def __post_init__(self) -> None:
        _check_texts({"name": self.name})
        _check_pairs("order", self.order, len(self.blocks))
        _check_pairs("tied", self.tied, len(self.blocks))
        for place, relation in ((1, "follows"), (0, "is followed by")):
            ends = [pair[place] for pair in self.tied]
            twice = next((end for end in ends if ends.count(end) > 1), None)
            if twice is not None:
                raise ValueError(f"tied: block {twice} {relation} two blocks directly")

    @property
    def plan(self) -> tuple[str, ...]:
        """The actions of all blocks, in their order."""
        return tuple(action for block in self.blocks for action in block.actions)

    def merged(self) -> ReferenceWay:
        """The same way with tied blocks merged, so that the order alone determines the linearizations."""
        head = list(range(len(self.blocks)))
        for first, second in sorted(self.tied):
            head[second] = head[first]
        heads = sorted(set(head))
        groups = [[block for block, at in zip(self.blocks, head, strict=True) if at == each] for each in heads]
        place = {each: number for number, each in enumerate(heads)}
        order = {(place[head[first]], place[head[second]]) for first, second in self.order}
        return ReferenceWay(
            self.name,
            tuple(
                ReferenceBlock(
                    "; ".join(block.macro for block in group),
                    group[0].goal if len(group) == 1 else f"(and {' '.join(block.goal for block in group)})",
                    tuple(action for block in group for action in block.actions),
                )
                for group in groups
            ),
            tuple(sorted((first, second) for first, second in order if first != second)),
            (),
            self.proof,
            self.note,
        )

    def to_json(self) -> dict[str, Any]:
        """The way as in a run's first event, with tied blocks merged."""
        merged = self.merged()
        return {
            "name": self.name,
            "blocks": [{"macro": block.macro, "actions": list(block.actions)} for block in merged.blocks],
            "order": [list(pair) for pair in merged.order],
            "proof": self.proof,
        }


@dataclass(frozen=True)
class TaskReference:
    """The ground truth of a task.

    Attributes:
        task: its name, ``T1``.
        instance: the name of its problem, ``t01``.
        role: ``example`` or ``benchmark``.
        title: in a few words.
        complexity: ``moderate`` or ``high``.
        objects: how many its problem declares.
        texts: the task in words, by `Form`.
        ways: one for each way of reaching the goal, the one to show first; of a task with one way, several where
            its order is no partial order of blocks.
        averaged: whether averages over tasks hold it.
        length_counted: whether the lengths of its plans are compared with that of the ground truth.
        category: what kind of task it is, ``simple planning``; empty if the set has no kinds.
        asked: of a search, the right answers to its text: sets of objects; empty without one.
        answers: of a search, sets of objects, each of which shows what it asks for.
        searched: of a search for something that is not there, where one must have looked.
        difficulty: the errors after which enough is known of what is hidden; None if nothing is.
    """

    task: str
    instance: str
    role: Literal["example", "benchmark"]
    title: str
    complexity: Complexity
    objects: int
    texts: Mapping[Form, str]
    ways: tuple[ReferenceWay, ...]
    averaged: bool = True
    length_counted: bool = True
    category: str = ""
    asked: tuple[tuple[str, ...], ...] = ()
    answers: tuple[tuple[str, ...], ...] = ()
    searched: tuple[str, ...] = ()
    difficulty: int | None = None

    def __post_init__(self) -> None:
        _check_texts({"task": self.task, "instance": self.instance, "title": self.title})
        _check_texts({str(form): text for form, text in self.texts.items()})
        if "goal" not in self.texts:
            raise ValueError("texts has no 'goal'")
        if self.objects < 0:
            raise ValueError(f"objects is {self.objects}")
        if not self.ways:
            raise ValueError("a task needs at least one way of reaching its goal")

    @property
    def length(self) -> int:
        """Steps of the shortest of its plans."""
        return min(len(way.plan) for way in self.ways)

    def to_json(self, form: str = "goal") -> dict[str, Any]:
        """The reference as in a run's first event.

        Raises:
            InputError: the task has no text in this form.
        """
        if form not in self.texts:
            raise InputError(f"task {self.task} has no text in the form '{form}'; there is {', '.join(self.texts)}")
        return {
            "task": self.task,
            "title": self.title,
            "complexity": self.complexity,
            "form": form,
            "text": self.texts[cast(Form, form)],
            "ways": [way.to_json() for way in self.ways],
            "averaged": self.averaged,
            "length_counted": self.length_counted,
            **({"category": self.category} if self.category else {}),
            **({"asked": [list(each) for each in self.asked]} if self.asked else {}),
            **({"answers": [list(each) for each in self.answers]} if self.answers else {}),
            **({"searched": list(self.searched)} if self.searched else {}),
        }


# ── the file ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _ReferenceFile:
    format: Literal[1]
    domain: str
    tasks: tuple[TaskReference, ...]

    def __post_init__(self) -> None:
        for what in ("task", "instance"):
            names = [getattr(each, what) for each in self.tasks]
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise ValueError(f"two tasks have the {what} '{twice}'")


def read_references(path: Path) -> tuple[TaskReference, ...]:
    """The tasks of a file, in its order.

    Raises:
        InputError: no such file, or one that breaks the format; the message has the place.
    """
    from pddl2nl.conversion import WrongValueError, convert

    data = parse_json(read_bytes(path, "file of tasks"), str(path))
    try:
        return convert(data, _ReferenceFile).tasks
    except WrongValueError as error:
        raise InputError(f"{path}: {error}") from None


def _check_texts(texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        if not text.strip():
            raise ValueError(f"{name} is empty")


def _check_pairs(name: str, pairs: Sequence[tuple[int, int]], blocks: int) -> None:
    for first, second in pairs:
        if not 0 <= first < second < blocks:
            raise ValueError(
                f"{name} has [{first}, {second}]; expected two places of the {blocks} blocks, from 0 and ascending"
            )

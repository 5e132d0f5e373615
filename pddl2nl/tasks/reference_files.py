"""Tasks written by hand, with the plans known to be right for them: the file ``tasks.json`` beside their problems.

The file holds ``format``, ``domain`` and ``tasks``. A task has ``id``, ``instance`` (its problem is
``INSTANCE.pddl``), ``role`` (``example`` or ``benchmark``), ``title``, ``complexity``, ``objects``,
``averaged``, ``length_counted``, ``texts`` by form, and ``ways``; `Reference`, `Way` and `Block` say what they mean.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

from pddl2nl.errors import InputError

__all__ = ["FORMS", "Block", "Complexity", "Form", "Reference", "Way", "WayProof", "read_references"]

Form = Literal["goal", "constructive"]
"""A task's text says what is wanted in the end, or how to come there."""

FORMS: tuple[Form, ...] = get_args(Form)

Complexity = Literal["moderate", "high"]
"""As the HVR paper sorts its tasks: up to 20 steps or so, or more."""

WayProof = Literal["blind", "hmax", "best known"]
"""What proved that no shorter plan reaches the goal: A* with the blind or with the h-max heuristic; or nothing did."""

_FORMAT = 1
_TASK_KEYS = ("id", "instance", "role", "title", "complexity", "objects", "averaged", "length_counted", "texts", "ways")


@dataclass(frozen=True)
class Block:
    """A macro-action of a ground-truth plan, and the atomic actions that it stands for.

    Attributes:
        macro: what it does, in words.
        goal: what it is there for, as a PDDL condition over the problem's objects; its actions are a shortest plan for
            that from where the blocks before it end.
        actions: in PDDL, ``(pick-up egg-1)``.
    """

    macro: str
    goal: str
    actions: tuple[str, ...]


@dataclass(frozen=True)
class Way:
    """One way of doing a task: blocks, and what must come before what.

    Attributes:
        name: tells it from the other ways.
        blocks: in an order in which they are a plan.
        order: pairs of places in ``blocks``, from 0: the first comes, at some time, before the second.
        tied: pairs of places: the second comes directly after the first, since it begins where that one ended.
        proof: of the length of its plan; every linearization that order and ties allow is a plan of that length.
        note: what else there is to say.
    """

    name: str
    blocks: tuple[Block, ...]
    order: tuple[tuple[int, int], ...] = ()
    tied: tuple[tuple[int, int], ...] = ()
    proof: WayProof = "best known"
    note: str = ""

    @property
    def plan(self) -> tuple[str, ...]:
        """The actions of all blocks, in the order in which they stand."""
        return tuple(action for block in self.blocks for action in block.actions)

    def merged(self) -> Way:
        """The same way with blocks that are tied made one, so that order alone says which linearizations there are."""
        head = list(range(len(self.blocks)))
        for first, second in sorted(self.tied):
            head[second] = head[first]
        heads = sorted(set(head))
        groups = [[block for block, at in zip(self.blocks, head, strict=True) if at == each] for each in heads]
        place = {each: number for number, each in enumerate(heads)}
        order = {(place[head[first]], place[head[second]]) for first, second in self.order}
        return Way(
            self.name,
            tuple(
                Block(
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
        """What stands in the first event of a run: the blocks as `merged` leaves them."""
        merged = self.merged()
        return {
            "name": self.name,
            "blocks": [{"macro": block.macro, "actions": list(block.actions)} for block in merged.blocks],
            "order": [list(pair) for pair in merged.order],
            "proof": self.proof,
        }


@dataclass(frozen=True)
class Reference:
    """What a plan for a task is measured against.

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
    """

    task: str
    instance: str
    role: Literal["example", "benchmark"]
    title: str
    complexity: Complexity
    objects: int
    texts: Mapping[Form, str]
    ways: tuple[Way, ...]
    averaged: bool = True
    length_counted: bool = True

    @property
    def length(self) -> int:
        """Steps of the shortest of its plans."""
        return min(len(way.plan) for way in self.ways)

    def to_json(self, form: str = "goal") -> dict[str, Any]:
        """What stands in the first event of a run (``reference``).

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
        }


# ── the file ─────────────────────────────────────────────────────────────────────────────────────


def read_references(path: Path) -> tuple[Reference, ...]:
    """The tasks of a file, in its order.

    Raises:
        InputError: no such file, or one that breaks the format; the message has the place.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file of tasks") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as JSON: {error}") from error
    top = _object(data, str(path), ("format", "domain", "tasks"))
    if top["format"] != _FORMAT:
        raise InputError(f"{path}: format is {top['format']!r}; {_FORMAT} was expected")
    tasks = _list(top["tasks"], f"{path} → tasks")
    found = tuple(_reference(each, f"{path} → tasks → {number}") for number, each in enumerate(tasks))
    for what, names in (("id", [each.task for each in found]), ("instance", [each.instance for each in found])):
        twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
        if twice is not None:
            raise InputError(f"{path}: two tasks have the {what} '{twice}'")
    return found


def _reference(data: object, where: str) -> Reference:
    said = _object(data, where, _TASK_KEYS)
    texts = {
        cast(Form, _one_of(form, FORMS, f"{where} → texts")): _text(text, f"{where} → texts → {form}")
        for form, text in _object(said["texts"], f"{where} → texts", ("goal",)).items()
    }
    ways = tuple(_way(each, f"{where} → ways → {at}") for at, each in enumerate(_list(said["ways"], f"{where} → ways")))
    if not ways:
        raise InputError(f"{where} → ways: a task needs at least one way of reaching its goal")
    return Reference(
        task=_text(said["id"], f"{where} → id"),
        instance=_text(said["instance"], f"{where} → instance"),
        role=cast(Any, _one_of(said["role"], ("example", "benchmark"), f"{where} → role")),
        title=_text(said["title"], f"{where} → title"),
        complexity=cast(Complexity, _one_of(said["complexity"], get_args(Complexity), f"{where} → complexity")),
        objects=_count(said["objects"], f"{where} → objects"),
        texts=texts,
        ways=ways,
        averaged=said["averaged"] is True,
        length_counted=said["length_counted"] is True,
    )


def _way(data: object, where: str) -> Way:
    said = _object(data, where, ("name", "blocks", "order", "tied", "proof"))
    blocks = tuple(
        _block(each, f"{where} → blocks → {at}") for at, each in enumerate(_list(said["blocks"], f"{where} → blocks"))
    )
    order, tied = (_pairs(said[name], len(blocks), f"{where} → {name}") for name in ("order", "tied"))
    for name, ends in (("follows", [second for _, second in tied]), ("is followed by", [first for first, _ in tied])):
        twice = next((place for place in ends if ends.count(place) > 1), None)
        if twice is not None:
            raise InputError(f"{where} → tied: block {twice} {name} two blocks directly")
    proof = cast(WayProof, _one_of(said["proof"], get_args(WayProof), f"{where} → proof"))
    return Way(_text(said["name"], f"{where} → name"), blocks, order, tied, proof, str(said.get("note", "")))


def _block(data: object, where: str) -> Block:
    said = _object(data, where, ("macro", "goal", "actions"))
    actions = tuple(_text(each, f"{where} → actions") for each in _list(said["actions"], f"{where} → actions"))
    return Block(_text(said["macro"], f"{where} → macro"), _text(said["goal"], f"{where} → goal"), actions)


def _pairs(data: object, blocks: int, where: str) -> tuple[tuple[int, int], ...]:
    pairs = []
    for each in _list(data, where):
        match each:
            case [int(first), int(second)] if 0 <= first < second < blocks:
                pairs.append((first, second))
            case _:
                raise InputError(
                    f"{where}: {each!r}; two places of the {blocks} blocks, from 0 and ascending, were expected"
                )
    return tuple(pairs)


def _object(data: object, where: str, needed: Sequence[str]) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise InputError(f"{where}: an object was expected")
    missing = [name for name in needed if name not in data]
    if missing:
        raise InputError(f"{where}: {', '.join(missing)} is missing")
    return data


def _list(data: object, where: str) -> list[Any]:
    if not isinstance(data, list):
        raise InputError(f"{where}: a list was expected")
    return data


def _text(data: object, where: str) -> str:
    if not isinstance(data, str) or not data.strip():
        raise InputError(f"{where}: a text was expected; found {data!r}")
    return data


def _count(data: object, where: str) -> int:
    if not isinstance(data, int) or isinstance(data, bool) or data < 0:
        raise InputError(f"{where}: a number was expected; found {data!r}")
    return data


def _one_of(data: object, known: Sequence[str], where: str) -> str:
    if data not in known:
        raise InputError(f"{where}: found {data!r}; one of {', '.join(known)} was expected")
    return str(data)

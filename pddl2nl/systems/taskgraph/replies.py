"""Reads the reply with a plan of subtasks (GraphPlan paper, appendices B.2 and E).

The form that is asked for::

    <reasoning>…</reasoning>
    <answer>{"high_level": [["PickupObject", "Apple"], ["PutObject", ["Apple", "Fridge"]]]}</answer>

A reply that is not in this form is still read where the plan in it is clear; `SubtaskReply.faults` name what differs.
The paper itself writes ``<think>`` in one place and ``PutPickupObject`` in another: both are read, with a note.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pddl2nl.errors import InputError
from pddl2nl.files import read_text, unreadable
from pddl2nl.systems.taskgraph.subtasks import PlannedSubtask
from pddl2nl.tasks.reference_files import read_references

END = "END"
"""The candidate that ends a plan."""
MOST_SCORE = 10

MOST_STEPS = 1000
"""A longer plan is refused as a whole."""
_KEY = "high_level"
_TAGGED = re.compile(r"\s*<(reasoning|think)>(.*?)</\1>\s*<answer>(.*?)</answer>\s*", re.DOTALL)
_ANSWER = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.DOTALL)
_FENCE = re.compile(r"\s*```(?:json)?\s*\n(.*?)\n\s*```\s*", re.DOTALL)
_ALIASES = {"PutPickupObject": "PutPickObject"}
_STEP = re.compile(r"([\w-]+)\(([\w-]+(?:\s*,\s*[\w-]+)*)?\)")
_SHOWN = 40


@dataclass(frozen=True)
class SubtaskReply:
    """What was read of a reply: the plan, empty where none can be read.

    `tags`: it is one reasoning and one answer behind it, and nothing else; `json`: the answer is a JSON object with the
    plan in the right form. The faults of the form have their places; the notes tell what was accepted though it is
    written otherwise.
    """

    steps: tuple[PlannedSubtask, ...]
    tags: bool
    json: bool
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_plan_reply(text: str) -> SubtaskReply:
    """Reads a reply; of several answers the last one counts."""
    faults, notes = [], []
    tagged = _TAGGED.fullmatch(text)
    # The lazy groups of a full match may hold tags of a second reasoning or answer.
    tags = tagged is not None and len(re.findall(r"</?(?:reasoning|think|answer)>", text)) == 4
    if tagged is not None and tags and tagged[1] == "think":
        notes.append("<think> stands for <reasoning>")
    if not tags:
        faults.append("the reply is not one <reasoning>…</reasoning> and one <answer>…</answer> behind it")
    answers = _ANSWER.findall(text)
    answer = answers[-1] if answers else text
    if fenced := _FENCE.fullmatch(answer):
        answer = fenced[1]
        notes.append("the answer stands in a code fence")
    try:
        steps = _steps(_parsed(answer))
    except InputError as error:
        return SubtaskReply((), tags, False, (*faults, str(error)), tuple(notes))
    renamed = {name for name, *_ in steps if name in _ALIASES}
    notes += [f"{name} stands for {_ALIASES[name]}" for name in sorted(renamed)]
    named = tuple((_ALIASES.get(name, name), *targets) for name, *targets in steps)
    return SubtaskReply(named, tags, True, tuple(faults), tuple(notes))


def _parsed(answer: str) -> object:
    try:
        return json.loads(answer, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise InputError(f"the answer is not JSON: line {error.lineno}, column {error.colno}: {error.msg}") from None
    except (RecursionError, ValueError) as error:
        raise InputError(f"the answer is not JSON: {unreadable(error)}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise InputError(f'the answer has the key "{twice[:_SHOWN]}" twice')
    return values


def _steps(data: object) -> list[PlannedSubtask]:
    plan = data.get(_KEY) if isinstance(data, dict) else None
    if not isinstance(plan, list):
        raise InputError(f'the answer is not a JSON object with a list under "{_KEY}"')
    if len(plan) > MOST_STEPS:
        raise InputError(f"the plan has {len(plan)} steps, and at most {MOST_STEPS} are read")
    return [_step(number, step) for number, step in enumerate(plan, 1)]


def _step(number: int, step: object) -> PlannedSubtask:
    if isinstance(step, list) and len(step) == 2:
        name, target = step
        targets = target if isinstance(target, list) else [target]
        if 1 <= len(targets) <= 2 and all(isinstance(each, str) and each for each in (name, *targets)):
            return name, *targets
    shown = json.dumps(step)
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
    raise InputError(f"step {number} is not [subtask, target] or [subtask, [target, target]]: {shown}")


def says(text: str, word: str) -> bool:
    """Whether the last answer in a reply is a word."""
    answers = _ANSWER.findall(text)
    return bool(answers) and answers[-1].strip().strip(".\"'").casefold() == word


def read_scores(text: str) -> tuple[tuple[PlannedSubtask, float], ...]:
    """The candidates under ``next`` in the last answer of a reply, each with its score from 0 to 10.

    ``["PutObject", ["Apple", "Fridge"], 9]`` is a subtask with its targets, ``["END", 2]`` the end of the plan. What is
    written otherwise is left out; of a candidate that comes twice the first score counts.
    """
    answers = _ANSWER.findall(text)
    try:
        data = _parsed(answers[-1] if answers else text)
    except InputError:
        return ()
    rated = data.get("next") if isinstance(data, dict) else None
    scores: dict[PlannedSubtask, float] = {}
    for each in rated[:MOST_STEPS] if isinstance(rated, list) else ():
        if not isinstance(each, list) or len(each) not in (2, 3):
            continue
        *said, score = each
        if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= MOST_SCORE:
            continue
        try:
            step = (END,) if said == [END] else _step(0, said)
        except InputError:
            continue
        scores.setdefault((_ALIASES.get(step[0], step[0]), *step[1:]), float(score))
    return tuple(scores.items())


def read_keys(text: str) -> tuple[str, ...]:
    """The names under ``objects`` in the last answer of a reply; empty without one."""
    answers = _ANSWER.findall(text)
    try:
        data = _parsed(answers[-1] if answers else text)
    except InputError:
        return ()
    names = data.get("objects") if isinstance(data, dict) else None
    kept = names[:MOST_STEPS] if isinstance(names, list) else []
    return tuple(dict.fromkeys(name for name in kept if isinstance(name, str)))


def read_plan(text: str, name: str) -> dict[int, tuple[str, ...]]:
    """The subtasks of a plan with their targets, by the numbers of their lines.

    A line is a subtask, ``PutObject(Apple, Fridge)``; what follows ``;`` is a comment. Raises `InputError`, with the
    file's `name`, for a line that is no subtask.
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

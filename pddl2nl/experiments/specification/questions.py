"""The questions of an experiment: made once and kept in its folder, asked of each model in each style.

What can be decided in time depends on the machine, so the questions of a task are made by the first start and read
from ``questions.json`` by all later ones.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, cast

import msgspec

from pddl2nl.errors import InputError
from pddl2nl.experiments.asked import QuestionJob
from pddl2nl.experiments.layout import LayoutColumn
from pddl2nl.experiments.models import behind_endpoint
from pddl2nl.experiments.specification.content import AskedQuestions, ExperimentSpec
from pddl2nl.files import read_bytes, replaced_file
from pddl2nl.llm.keys import canonical_json, sha256
from pddl2nl.nl import Style, Teller, Wording, make_names
from pddl2nl.pddl import Task, write_domain, write_problem
from pddl2nl.questions.acpbench import read_questions
from pddl2nl.questions.making import TOPICS, make_questions
from pddl2nl.questions.question import Form, Question

KEPT_FILE = "questions.json"
"""The file's name, in the folder of the records."""


@dataclass(frozen=True)
class QuestionSet:
    """Questions of one kind and form about one task, in one style and wording; a wording of None is ACPBench's own."""

    row: str
    task: str
    style: str
    label: str
    wording: Wording | None
    names: str
    kind: str
    form: Form
    seed: int
    questions: tuple[Question, ...] = ()


class _KeptQuestions(msgspec.Struct):
    made: dict[str, list[Question]] = {}


def placed_questions(
    spec: ExperimentSpec, folder: Path, *, keep: bool, on_progress: Callable[[int, int], None] = lambda done, of: None
) -> tuple[tuple[tuple[QuestionJob, tuple[str, str, str], str], ...], tuple[LayoutColumn, ...]]:
    """All questions for all models with their rows and the labels of their columns, and the columns.

    A row is a domain; a column is a kind and form in a style and wording, put to a model.

    Args:
        spec: the experiment, which asks questions.
        folder: of its records, where the questions of earlier starts are.
        keep: whether new ones are written there.
        on_progress: called with the number of sets that are made, and of all.

    Raises:
        InputError: there are no questions, or what was kept cannot be read.
        MissingExtraError: questions about plans are asked, and no planner is installed.
    """
    asked = spec.questions
    assert asked is not None
    sets = _own_sets(asked, asked.data) if asked.data is not None else _made_sets(spec, folder, keep, on_progress)
    columns: dict[str, LayoutColumn] = {}
    placed = []
    for one in sets:
        for model in spec.models:
            column = _column(spec, one, model)
            for job in _jobs(spec, one, model):
                columns.setdefault(column.label, column)
                placed.append((job, (one.row, "", ""), column.label))
    if not placed:
        raise spec.file.error("there is nothing to ask: no question of these kinds and forms was made", "questions")
    return tuple(placed), tuple(columns.values())


def _own_sets(asked: AskedQuestions, data: Path) -> list[QuestionSet]:
    """ACPBench's questions of the wanted kinds and forms."""
    table = asked.table
    own = [each for each in read_questions(data) if each.kind in table.kinds and each.form in table.forms]
    return [
        QuestionSet(each.domain, each.id, "nl", "acpbench", None, "original", each.kind, each.form, seed, (each,))
        for seed in asked.seeds
        for each in own
    ]


# ── questions about tasks ────────────────────────────────────────────────────────────────────────


def _made_sets(
    spec: ExperimentSpec, folder: Path, keep: bool, on_progress: Callable[[int, int], None]
) -> list[QuestionSet]:
    assert spec.questions is not None
    path, table = folder / KEPT_FILE, spec.questions.table
    kept = _read_kept(path)
    planned = [*_planned_sets(spec)]
    keys = [_key(one, task, table.count, table.seconds) for one, task in planned]
    todo = [(key, *each) for key, each in zip(keys, planned, strict=True) if key not in kept.made]
    pool = ThreadPoolExecutor(os.cpu_count())
    try:
        # The threads wait for planners, which are processes.
        made = pool.map(lambda each: _made(each[1], each[2], table.count, table.seconds), todo)
        for number, ((key, *_), questions) in enumerate(zip(todo, made, strict=True), 1):
            kept.made[key] = questions
            on_progress(number, len(todo))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        if keep and todo:
            folder.mkdir(parents=True, exist_ok=True)
            with replaced_file(path) as file:
                file.write(msgspec.json.encode(kept).decode())
    pairs = zip(keys, planned, strict=True)
    return [replace(one, questions=tuple(kept.made[key])) for key, (one, _) in pairs]


def _planned_sets(spec: ExperimentSpec) -> Iterator[tuple[QuestionSet, Task]]:
    """The sets to be made, without their questions, and their tasks."""
    assert spec.questions is not None
    asked, table = spec.questions, spec.questions.table
    names = spec.options.get("names", "typed")
    for domain in spec.domains:
        worded = [(label, wording) for label, wording in domain.wordings.items() if isinstance(wording, Wording)]
        told = [("nl", label, wording, names) for label, wording in worded if "nl" in asked.styles]
        told += [("pddl", "", worded[0][1], "original")] if "pddl" in asked.styles else []
        for task, (style, label, wording, called), kind, form, seed in product(
            domain.tasks, told, table.kinds, table.forms, asked.seeds
        ):
            if form in TOPICS[kind].forms:
                yield QuestionSet(domain.row, task.name, style, label, wording, called, kind, form, seed), task.task


def _made(one: QuestionSet, task: Task, count: int, seconds: int) -> list[Question]:
    assert one.wording is not None
    teller = Teller(task, one.wording, make_names(task, one.names, one.wording), cast(Style, one.style))
    return [*make_questions(task, teller, one.kind, one.form, count, seed=one.seed, seconds=seconds)]


def _key(one: QuestionSet, task: Task, count: int, seconds: int) -> str:
    assert one.wording is not None
    texts = write_domain(task.domain), write_problem(task.problem), one.wording.to_json()
    settings: list[Any] = [one.style, one.names, one.kind, one.form, one.seed, count, seconds]
    return sha256(canonical_json([*texts, *settings]))


def _read_kept(path: Path) -> _KeptQuestions:
    if not path.exists():
        return _KeptQuestions({})
    try:
        return msgspec.json.decode(read_bytes(path, "file of questions"), type=_KeptQuestions)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"{path}: not the questions of an experiment: {error}; remove it to make them anew") from error


# ── jobs and their columns ───────────────────────────────────────────────────────────────────────


def _column(spec: ExperimentSpec, one: QuestionSet, model: str) -> LayoutColumn:
    assert spec.questions is not None
    several = [
        (model.rpartition("/")[2], len(spec.models)),
        (one.style, len(spec.questions.styles)),
        (one.label, max((len(domain.wordings) for domain in spec.domains), default=1)),
    ]
    return LayoutColumn(
        name=f"{one.kind} {one.form}",
        group=" ".join(name for name, number in several if number > 1 and name),
        policy=one.kind,
        model=model,
        style=one.style,
        wording=one.label,
        options={"form": one.form},
    )


def _jobs(spec: ExperimentSpec, one: QuestionSet, model: str) -> Iterator[QuestionJob]:
    settings = {name: spec.options[name] for name in ("temperature", "max_tokens", "timeout") if name in spec.options}
    parts = (one.row, one.task, one.kind, one.form, model.rpartition("/")[2], one.label or "pddl", str(one.seed))
    for question in one.questions:
        yield QuestionJob(
            question,
            model,
            one.wording,
            one.style,
            one.names,
            one.seed,
            base_url=spec.top.base_url if behind_endpoint(model) else None,
            suite=one.row,
            parts=parts,
            models_file=spec.models_file,
            **settings,
        )

"""The questions of an experiment: made once and kept in its folder, asked of each model in each style.

What can be decided in time depends on the machine, so the questions of a task are made by the first start and read
from ``questions.json`` by all later ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, cast

import msgspec
from msgspec import Meta

from pddl2nl.errors import InputError
from pddl2nl.experiments.layout import LayoutColumn
from pddl2nl.experiments.models import behind_endpoint
from pddl2nl.experiments.runs import Job
from pddl2nl.experiments.specification.experiment import Experiment, Placed
from pddl2nl.experiments.specification.schema import Keys, Seconds, Text
from pddl2nl.files import read_bytes, replaced_file
from pddl2nl.limits import processors
from pddl2nl.llm.keys import canonical_json, sha256
from pddl2nl.llm.tokens import CHARACTERS_A_TOKEN, estimate_tokens
from pddl2nl.nl import Style, Teller, Wording, make_names
from pddl2nl.pddl import Task, write_domain, write_problem
from pddl2nl.questions import SYSTEM
from pddl2nl.questions.acpbench import read_questions
from pddl2nl.questions.asked import QuestionRun
from pddl2nl.questions.making import TOPICS, make_questions
from pddl2nl.questions.oracle import MISTAKES
from pddl2nl.questions.question import ACP_KINDS, FORMAT, FORMS, KINDS, Form, Question, question_prompt

KEPT_FILE = "questions.json"
"""The file's name, in the folder of the records."""
_ANSWER = 200
"""Tokens that a reply is taken to have."""
if TYPE_CHECKING:
    QuestionKind: TypeAlias = str
else:
    QuestionKind = Literal[KINDS]


class QuestionsTable(Keys):
    """``[questions]``: questions with exact answers take the place of runs.

    ``count`` questions of each kind and form are made of each task, by searches of ``seconds`` at most; or those of
    ACPBench's own files are asked, in the folder ``data``, of which ``none`` is none.
    """

    kinds: Annotated[tuple[QuestionKind, ...], Meta(min_length=1)] = ACP_KINDS
    forms: Annotated[tuple[Form, ...], Meta(min_length=1)] = FORMS
    count: Annotated[int, Meta(ge=1)] = 5
    seconds: Seconds = Seconds(5)
    data: Text = "none"


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


class AskedQuestions:
    """The questions of an experiment (`pddl2nl.experiments.specification.experiment.Asking`).

    They are those of its tasks, or of the files in ``data``, asked in each style.

    Raises:
        InputError: a kind is not asked in any of the forms, or there is no folder ``data``.
    """

    table = QuestionsTable
    tables = tuple(SYSTEM.tables)
    mistakes = tuple(MISTAKES)
    how = f"prompts are known ({CHARACTERS_A_TOKEN} characters a token); a reply is taken to take {_ANSWER} tokens"

    def __init__(self, spec: Experiment, table: QuestionsTable):
        self.spec, self.asks = spec, table
        for kind in table.kinds:
            if not set(table.forms).intersection(TOPICS[kind].forms):
                message = f"'{kind}' is asked in the form {' or '.join(TOPICS[kind].forms)}, which forms does not name"
                raise spec.file.error(message, "questions", "forms")
        self.styles = spec.top.styles or ("nl",)
        self.seeds = spec.overrides.seeds or spec.top.seeds or (1,)
        self.data = None if table.data == "none" else spec.file.path_of(table.data)
        if self.data is not None and not self.data.is_dir():
            raise spec.file.error(f"data is '{self.data}', and there is no such folder", "questions", "data")

    @property
    def of_tasks(self) -> bool:
        """Whether questions are made of the tasks of the specification."""
        return self.data is None

    def placed(
        self, folder: Path, *, keep: bool, on_progress: Callable[[int, int], None]
    ) -> tuple[Placed, tuple[LayoutColumn, ...]]:
        """All questions for all models, and the columns: a kind and form in a style and wording, put to a model.

        Raises:
            InputError: there are no questions, or what was kept cannot be read.
            MissingExtraError: questions about plans are asked, and no planner is installed.
        """
        sets = self._made_sets(folder, keep, on_progress) if self.data is None else self._own_sets(self.data)
        columns: dict[str, LayoutColumn] = {}
        placed = []
        for one in sets:
            for model in self.spec.models:
                column = self._column(one, model)
                for job in _jobs(self.spec, one, model):
                    columns.setdefault(column.label, column)
                    placed.append((job, (one.row, "", ""), column.label))
        if not placed:
            message = "there is nothing to ask: no question of these kinds and forms was made"
            raise self.spec.file.error(message, "questions")
        return tuple(placed), tuple(columns.values())

    def call(self, run: QuestionRun) -> tuple[str, float, float]:
        """The model of a question, and the tokens of its prompt and its reply."""
        prompt = question_prompt(run.question, formal=run.wording is None)
        return run.model, estimate_tokens(len(prompt), run.model.removeprefix("openai:")), _ANSWER

    def _own_sets(self, data: Path) -> list[QuestionSet]:
        """ACPBench's questions of the wanted kinds and forms."""
        own = [each for each in read_questions(data) if each.kind in self.asks.kinds and each.form in self.asks.forms]
        return [
            QuestionSet(each.domain, each.id, "nl", "acpbench", None, "original", each.kind, each.form, seed, (each,))
            for seed in self.seeds
            for each in own
        ]

    def _made_sets(self, folder: Path, keep: bool, on_progress: Callable[[int, int], None]) -> list[QuestionSet]:
        path, count, seconds = folder / KEPT_FILE, self.asks.count, self.asks.seconds
        kept = _read_kept(path)
        planned = [*self._planned_sets()]
        keys = [_key(one, task, count, seconds) for one, task in planned]
        todo = [(key, *each) for key, each in zip(keys, planned, strict=True) if key not in kept.made]
        pool = ThreadPoolExecutor(processors())
        try:
            # The threads wait for planners, which are processes.
            made = pool.map(lambda each: _made(each[1], each[2], count, seconds), todo)
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

    def _planned_sets(self) -> Iterator[tuple[QuestionSet, Task]]:
        """The sets to be made, without their questions, and their tasks."""
        names = self.spec.options.get("names", "typed")
        for domain in self.spec.domains:
            worded = [(label, wording) for label, wording in domain.wordings.items() if isinstance(wording, Wording)]
            told = [("nl", label, wording, names) for label, wording in worded if "nl" in self.styles]
            told += [("pddl", "", worded[0][1], "original")] if "pddl" in self.styles else []
            for task, (style, label, wording, called), kind, form, seed in product(
                domain.tasks, told, self.asks.kinds, self.asks.forms, self.seeds
            ):
                if form in TOPICS[kind].forms:
                    yield QuestionSet(domain.row, task.name, style, label, wording, called, kind, form, seed), task.task

    def _column(self, one: QuestionSet, model: str) -> LayoutColumn:
        several = [
            (model.rpartition("/")[2], len(self.spec.models)),
            (one.style, len(self.styles)),
            (one.label, max((len(domain.wordings) for domain in self.spec.domains), default=1)),
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


def _made(one: QuestionSet, task: Task, count: int, seconds: int) -> list[Question]:
    assert one.wording is not None
    teller = Teller(task, one.wording, make_names(task, one.names, one.wording), cast(Style, one.style))
    return [*make_questions(task, teller, one.kind, one.form, count, seed=one.seed, seconds=seconds)]


def _key(one: QuestionSet, task: Task, count: int, seconds: int) -> str:
    assert one.wording is not None
    texts = write_domain(task.domain), write_problem(task.problem), one.wording.to_json()
    settings: list[Any] = [FORMAT, one.style, one.names, one.kind, one.form, one.seed, count, seconds]
    return sha256(canonical_json([*texts, *settings]))


def _read_kept(path: Path) -> _KeptQuestions:
    if not path.exists():
        return _KeptQuestions({})
    try:
        return msgspec.json.decode(read_bytes(path, "file of questions"), type=_KeptQuestions)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"{path}: not the questions of an experiment: {error}; remove it to make them anew") from error


def _jobs(spec: Experiment, one: QuestionSet, model: str) -> Iterator[Job]:
    settings = {name: spec.options[name] for name in ("temperature", "max_tokens", "timeout") if name in spec.options}
    parts = (one.row, one.task, one.kind, one.form, model.rpartition("/")[2], one.label or "pddl", str(one.seed))
    for question in one.questions:
        run = QuestionRun(
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
        yield Job(run, run.name, run.play, asks_model=True, base_url=run.base_url)

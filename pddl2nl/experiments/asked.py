"""One question put to a model (`pddl2nl.questions`): what determines it, and its record.

The record is ``asked``, the call (``prompted`` and ``replied`` or ``failed``), and ``answered``. It holds the whole
question with its answer and PDDL, so that the reply can be read and scored again without another file.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pddl2nl.errors import InfrastructureError
from pddl2nl.experiments.access import Access
from pddl2nl.experiments.models import ModelContext, make_model
from pddl2nl.experiments.records.writer import RecordWriter
from pddl2nl.llm import Completion, ContextWindowError, Message, Request
from pddl2nl.nl import Wording, make_names, template_wording
from pddl2nl.pddl import Domain, Task, parse_task
from pddl2nl.policies.budget import ModelCalls, PricedModel
from pddl2nl.policies.events import Amount, Fault, RunEvent
from pddl2nl.questions.answers import AnswerReader, ReadAnswer
from pddl2nl.questions.question import Question, question_prompt

AnswerOutcome = Literal["right", "wrong", "unreadable", "undecided", "budget", "gave-up", "infrastructure-error"]


@dataclass(frozen=True)
class QuestionSpec:
    """Everything that determines the record of a question.

    Attributes:
        question: with its answer, which no model sees.
        model: as ``--model`` names it.
        wording: in which it is told and answers are read; None for ACPBench's own questions, which have no such words.
        style: ``nl`` or ``pddl``.
        names: how objects are called.
        suite: what an experiment calls the domain.
    """

    question: Question
    model: str
    wording: Wording | None
    style: str = "nl"
    names: str = "typed"
    seed: int = 1
    temperature: float | None = 0.0
    max_tokens: int | None = None
    timeout: float | None = None
    base_url: str | None = None
    suite: str = ""


class Asked(RunEvent, frozen=True):
    """A question, the model that is asked, and how."""

    question: Question
    model: str
    seed: int
    style: str = "nl"
    wording: Mapping[str, Any] | None = None
    names_scheme: str = "typed"
    suite: str = ""
    base_url: str | None = None
    model_settings: Mapping[str, Any] = {}
    format: int = 1

    # ── as the first events of other records call it ─────────────────────────────────────────────

    @property
    def task(self) -> str:
        """The question's name."""
        return self.question.id

    @property
    def domain(self) -> str:
        """The domain's name."""
        return self.question.domain

    @property
    def problem(self) -> str:
        """The problem's name."""
        return self.question.problem

    @property
    def domain_pddl(self) -> str:
        """The domain as PDDL; empty if unknown."""
        return self.question.PDDL_domain

    @property
    def problem_pddl(self) -> str:
        """The problem as PDDL; empty if unknown."""
        return self.question.PDDL_problem


class Answered(RunEvent, frozen=True):
    """What became of the question.

    Attributes:
        outcome: ``right``, ``wrong``, ``unreadable``, ``undecided`` (read, and not decided within the limits), or as
            that of a run where there is no answer.
        fault: the first broken link; null for a right answer. Its step is 1.
        spent: what was paid now (`pddl2nl.policies.budget.Account`), by role.
        seconds: wall time.
    """

    outcome: AnswerOutcome
    fault: Fault | None = None
    message: str = ""
    spent: Mapping[str, Mapping[str, int | float | None]] = {}
    seconds: Amount = 0.0


def ask_and_record(
    spec: QuestionSpec,
    record: Path,
    access: Access,
    observe: Callable[[RunEvent], None] = lambda event: None,
    *,
    decide_seconds: int = 30,
) -> Answered:
    """Asks a question, reads and scores the answer, writes the record and returns its last event.

    Args:
        spec: the question.
        record: the file to write.
        access: how the model is reached.
        observe: is given every event as it happens.
        decide_seconds: the limit of each search of a planner that decides about an open answer.

    Raises:
        InputError: the model cannot be set up, or the question's PDDL cannot be read.
        BudgetSpentError, ReplyPendingError: there is no reply yet.
        InfrastructureError: the record cannot be written.
    """
    question = spec.question
    task = parse_task(question.PDDL_domain, question.PDDL_problem) if question.PDDL_domain else None
    wording = spec.wording or template_wording(_domain_of(task))
    context = ModelContext(_domain_of(task), wording, spec.base_url, access, spec.timeout)
    made = make_model(spec.model, context)
    calls = ModelCalls({"planner": PricedModel(access.before(made.model), made.price_of)}, None, access.budget)
    prompt = question_prompt(question, formal=spec.wording is None)
    request = Request(
        (Message("user", prompt),), temperature=spec.temperature, seed=spec.seed, max_tokens=spec.max_tokens
    )
    began = time.monotonic()
    outcome: AnswerOutcome
    fault: Fault | None
    with RecordWriter(record) as writer:

        def emit(event: RunEvent) -> None:
            observe(event)
            writer.write(event)

        emit(
            Asked(
                question,
                made.model.name,
                spec.seed,
                spec.style,
                None if spec.wording is None else spec.wording.to_json(),
                spec.names,
                spec.suite,
                made.base_url,
                made.settings,
            )
        )
        calls.attach(emit)
        try:
            completion = calls.complete(request)
        except ContextWindowError as error:
            outcome, fault = "budget", Fault(1, "context-window", str(error))
        except InfrastructureError as error:
            outcome, fault = "infrastructure-error", Fault(1, "infrastructure-error", str(error))
        else:
            names = None if task is None else make_names(task, spec.names, wording)
            reader = AnswerReader(task, wording, names, seconds=decide_seconds)
            outcome, fault = _judged(completion, reader.answer(question, completion.text))
        message = "" if fault is None else fault.text
        seconds = round(time.monotonic() - began, 3)
        answered = Answered(outcome, fault, message, calls.spent_json(), seconds)
        emit(answered)
    return answered


def _domain_of(task: Task | None) -> Domain:
    """The domain; an empty one for a question without PDDL."""
    return Domain("unknown") if task is None else task.domain


def _judged(completion: Completion, answer: ReadAnswer) -> tuple[AnswerOutcome, Fault | None]:
    """The outcome of a reply and its first broken link, as for runs."""
    if completion.finish == "filtered":
        return "infrastructure-error", Fault(1, "filtered", completion.remark or "the reply was filtered")
    if answer.status == "read":
        if answer.right is None:
            return "undecided", Fault(1, "undecided", "the planner did not decide about the answer in time")
        return ("right", None) if answer.right else ("wrong", Fault(1, answer.fault, answer.text))
    if completion.finish == "length":
        return "budget", Fault(1, "length", "the reply was cut off before an answer")
    if completion.finish == "refused":
        return "gave-up", Fault(1, "refused", completion.remark or completion.text)
    if not completion.text.strip():
        return "unreadable", Fault(1, "empty", "the reply is empty")
    return "unreadable", Fault(1, answer.status, answer.text)

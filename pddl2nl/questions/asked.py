"""One question put to a model (`pddl2nl.questions`): what determines it, and its record.

The record is ``asked``, the call (``prompted`` and ``replied`` or ``failed``), and ``answered``. It holds the whole
question with its answer and PDDL, so that the reply can be read and scored again without another file.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import cast

import msgspec

from pddl2nl.errors import InfrastructureError
from pddl2nl.experiments.models import Access, ModelContext, make_model, model_identity
from pddl2nl.experiments.records.writer import RecordWriter, job_name
from pddl2nl.llm import Completion, ContextWindowError, Message, Request
from pddl2nl.nl import Style, Teller, Wording, make_names, template_wording
from pddl2nl.pddl import Domain, Task, parse_task
from pddl2nl.policies.budget import ModelCalls, PricedModel
from pddl2nl.policies.events import Fault, Replied, RunEvent
from pddl2nl.questions.answers import AnswerReader, ReadAnswer
from pddl2nl.questions.events import Answered, AnswerOutcome, Asked
from pddl2nl.questions.oracle import MISTAKES, oracle_reply
from pddl2nl.questions.question import Question, question_prompt


@dataclass(frozen=True)
class QuestionRun:
    """A question put to a model, and everything that determines its record.

    Attributes:
        question: with its answer, which no model sees.
        model: as ``--model`` names it.
        wording: in which it is told and answers are read; None for ACPBench's own questions, which have no such words.
        style: ``nl`` or ``pddl``.
        names: how objects are called.
        suite: what an experiment calls the domain.
        parts: the readable parts of its name; by default what usually tells questions apart.
        models_file: settings by model; those that are sent to the endpoint count.
        decide_seconds: the limit of each search of a planner that decides about an open answer.
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
    parts: tuple[str, ...] = ()
    models_file: Path | None = None
    decide_seconds: int = 30

    @cached_property
    def name(self) -> str:
        """The name of its record without the ending."""
        identity = {
            "question": msgspec.to_builtins(self.question),
            "model": model_identity(self.model, self.models_file),
            "wording": None if self.wording is None else self.wording.to_json(),
            **{name: getattr(self, name) for name in ("style", "names", "seed", "temperature", "max_tokens")},
        }
        question = self.question
        told = (self.suite, question.kind, question.form, self.model, self.style, str(self.seed))
        return job_name(self.parts or told, identity)

    def play(self, record: Path, access: Access, observe: Callable[[RunEvent], None]) -> Answered:
        """Asks the question, reads and scores the answer, writes the record and returns its last event.

        Args:
            record: the file to write.
            access: how the model is reached.
            observe: is given every event as it happens.

        Raises:
            InputError: the model cannot be set up, or the question's PDDL cannot be read.
            BudgetSpentError, ReplyPendingError: there is no reply yet.
            InfrastructureError: the record cannot be written.
        """
        question = self.question
        task = parse_task(question.PDDL_domain, question.PDDL_problem) if question.PDDL_domain else None
        wording = self.wording or template_wording(_domain_of(task))
        context = ModelContext(_domain_of(task), wording, self.base_url, access, self.timeout, mistakes=MISTAKES)
        made = make_model(self.model, context)
        calls = ModelCalls({"planner": PricedModel(access.before(made.model), made.price_of)}, None, access.budget)
        prompt = question_prompt(question, formal=self.wording is None)
        names = None if task is None else make_names(task, self.names, wording)
        style = cast(Style, "pddl" if self.wording is None else self.style)
        teller = None if task is None or names is None else Teller(task, wording, names, style)
        request = Request(
            (Message("user", prompt),),
            temperature=self.temperature,
            seed=self.seed,
            max_tokens=self.max_tokens,
            answer=lambda oracle: oracle_reply(question, teller, oracle.mistake),
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
                    self.seed,
                    self.style,
                    None if self.wording is None else self.wording.to_json(),
                    self.names,
                    self.suite,
                    made.base_url,
                    made.settings,
                )
            )
            calls.attach(emit)
            try:
                completion = calls.complete(request)
            except ContextWindowError as error:
                outcome, fault = "context", Fault(1, "context-window", str(error))
            except InfrastructureError as error:
                outcome, fault = "infrastructure-error", Fault(1, "infrastructure-error", str(error))
            else:
                reader = AnswerReader(task, wording, names, seconds=self.decide_seconds)
                outcome, fault = judged(completion, reader.answer(question, completion.text))
            message = "" if fault is None else fault.text
            seconds = round(time.monotonic() - began, 3)
            answered = Answered(outcome, fault, message, calls.spent_json(), seconds)
            emit(answered)
        return answered


def _domain_of(task: Task | None) -> Domain:
    """The domain; an empty one for a question without PDDL."""
    return Domain("unknown") if task is None else task.domain


def judged(completion: Completion | Replied, answer: ReadAnswer) -> tuple[AnswerOutcome, Fault | None]:
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

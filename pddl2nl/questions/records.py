"""The record of a question with its answer, as reports read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self, cast

from pddl2nl.experiments.records.stored import Record
from pddl2nl.policies.events import Replied, RunEvent
from pddl2nl.questions import SYSTEM
from pddl2nl.questions.events import Answered, Asked


class AnswerRecord(Record):
    """A question with its answer as they were stored; the kind of the question replaces the policy."""

    metrics = ("coverage", "calls", "prompt-tokens", "completion-tokens", "tokens", "usd", "seconds")
    tables = tuple(SYSTEM.tables)
    not_judged = "it is an answer, which is read again instead"

    @classmethod
    def of(cls, path: Path, events: tuple[RunEvent, ...]) -> Self:
        asked, answered = cast(Asked, events[0]), cast(Answered, events[-1])
        return cls(path, events, answered.outcome, asked.question.kind, asked.model, fault=answered.fault)

    @property
    def asked(self) -> Asked:
        return cast(Asked, self.events[0])

    def contradictions(self) -> Iterator[str]:
        """A choice, or a yes or no, is read again from the reply; `pddl2nl questions score` reads open answers."""
        question, answered = self.asked.question, cast(Answered, self.last)
        reply = next((event for event in self.events if isinstance(event, Replied)), None)
        if question.form == "open" or reply is None:
            return
        # Imported here: every report imports this module.
        from pddl2nl.questions.answers import AnswerReader
        from pddl2nl.questions.asked import judged

        outcome, _ = judged(reply, AnswerReader(None, None, None).answer(question, reply.text))
        if outcome != answered.outcome:
            yield f"the outcome is '{answered.outcome}', and the reply is {outcome}"

    @property
    def settings(self) -> Mapping[str, Any]:
        """The question's form, its style and seed."""
        asked = self.asked
        return {"seed": asked.seed, "style": asked.style, "variant": f"form={asked.question.form}"}

    @property
    def facts(self) -> Mapping[str, object]:
        question = self.asked.question
        return {
            "kind": question.kind,
            "form": question.form,
            "model": self.model,
            "style": self.asked.style,
            "seed": self.asked.seed,
            "recorded answer": question.answer,
            "certificate": question.certificate,
        }


RECORDS = {Asked: AnswerRecord}
"""The class of records by that of their first event."""

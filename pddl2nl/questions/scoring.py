"""Scores of replies, by kind, form and domain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from pddl2nl.errors import InputError
from pddl2nl.nl import Names, Wording
from pddl2nl.pddl import Task, parse_task
from pddl2nl.questions.answers import AnswerReader, ReadAnswer
from pddl2nl.questions.question import Question, read_json_lines
from pddl2nl.reports.statistics import Interval, wilson_interval


class _KeptReply(msgspec.Struct):
    id: str
    reply: str


def read_replies(path: Path) -> dict[str, str]:
    """Replies by the id of their question, from a file of JSON Lines; of several to one question the last.

    Raises:
        InputError: the file cannot be read, or a line has no id and reply.
    """
    return {item.id: item.reply for item in read_json_lines(path, _KeptReply, "reply with an id")}


@dataclass(frozen=True)
class ScoredReply:
    """A question and what was made of its reply; ``answer`` is None without a reply."""

    question: Question
    answer: ReadAnswer | None

    @property
    def verdict(self) -> str:
        """``right``, ``wrong``, ``undecided``, ``no reply``, or the status of an answer that was not read."""
        if self.answer is None:
            return "no reply"
        if self.answer.status != "read":
            return self.answer.status
        return {True: "right", False: "wrong", None: "undecided"}[self.answer.right]

    def as_json(self) -> dict[str, object]:
        """The question's id, the verdict, and the first broken link of the answer."""
        question = self.question
        fault, text = ("", "") if self.answer is None else (self.answer.fault, self.answer.text)
        told = {"id": question.id, "kind": question.kind, "form": question.form, "verdict": self.verdict}
        return {**told, "fault": fault, "text": text}


@dataclass(frozen=True)
class AnswerScores:
    """How often each verdict was given."""

    counts: Mapping[str, int]

    @property
    def right(self) -> int:
        return self.counts.get("right", 0)

    @property
    def wrong(self) -> int:
        return self.counts.get("wrong", 0)

    @property
    def scored(self) -> int:
        """Answers that are right or wrong."""
        return self.right + self.wrong

    @property
    def share(self) -> float:
        """The share of right answers; there must be some that are right or wrong."""
        return self.right / self.scored

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the share."""
        return wilson_interval(self.right, self.scored)

    @property
    def others(self) -> int:
        """Questions without a reply, and answers that were not decided."""
        return self.counts.get("no reply", 0) + self.counts.get("undecided", 0)

    @property
    def unread(self) -> int:
        """Answers that were not read."""
        return sum(self.counts.values()) - self.scored - self.others

    def as_json(self) -> dict[str, object]:
        """The numbers of each verdict."""
        return {"counts": dict(sorted(self.counts.items())), "right": self.right, "scored": self.scored}


def score_replies(
    questions: Sequence[Question],
    replies: Mapping[str, str],
    words: Callable[[Task], tuple[Wording, Names]],
    *,
    seconds: int = 30,
) -> Iterator[ScoredReply]:
    """Reads and scores the reply to each question.

    Args:
        questions: the questions.
        replies: by the ids of questions.
        words: the wording of a task, and the names of its objects, in which open answers are read.
        seconds: the limit of each search of a planner that decides about an open answer.

    Raises:
        InputError: an open question has no PDDL, or one that cannot be read.
    """
    for question in questions:
        reply = replies.get(question.id)
        yield ScoredReply(
            question, None if reply is None else _reader(question, words, seconds).answer(question, reply)
        )


def _reader(question: Question, words: Callable[[Task], tuple[Wording, Names]], seconds: int) -> AnswerReader:
    if question.form != "open":
        return AnswerReader(None, None, None)
    if not question.PDDL_domain:
        raise InputError(f"question {question.id}: open answers are read and scored by its PDDL, and it has none")
    task = parse_task(question.PDDL_domain, question.PDDL_problem)
    return AnswerReader(task, *words(task), seconds=seconds)


def scores_by(scored: Iterable[ScoredReply]) -> Iterator[tuple[tuple[str, str, str], AnswerScores]]:
    """The scores of each kind, form and domain, in the order of their first questions, and of all domains together."""
    groups: dict[tuple[str, str, str], Counter[str]] = {}
    for item in scored:
        question = item.question
        for domain in (question.domain, "all"):
            groups.setdefault((question.kind, question.form, domain), Counter())[item.verdict] += 1
    single = {group[:2] for group in groups if sum(other[:2] == group[:2] for other in groups) == 2}
    for group, counts in groups.items():
        # Of a single domain, its own line is enough.
        if group[2] != "all" or group[:2] not in single:
            yield group, AnswerScores(counts)

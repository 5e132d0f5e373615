"""Reads the answers to questions, and scores them as ACPBench-Hard does (Kokel et al. 2025).

An answer has the status of a plan's line: ``read``, ``ambiguous``, ``unknown-object`` or ``unreadable``; only one that
was read can be right or wrong:

===================  ================================================================================================
kind, open form      right is
===================  ================================================================================================
applicability        exactly the applicable actions
progression          exactly the facts that become true, and exactly those that become false
reachability         a fact that never holds in a reachable state, or none where there is none
action-reachability  an action that is never applicable, or none where there is none
validation           the index
justification        a plan that is shorter and leaves the order of the given one as it is
landmarks            a fact that every plan makes true, of those that neither hold now nor are goals; or none
next-action          an action after which the optimal cost is lower
===================  ================================================================================================

What is not recorded as right or wrong is decided as the questions' own answers are (`pddl2nl.questions.deciding`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pddl2nl.nl import Names, NLReadError, Reader, Wording, objects_of, read_state
from pddl2nl.nl.telling.teller import STATE_START
from pddl2nl.pddl import GroundAtom, Task, conjuncts
from pddl2nl.pddl.tree import Atom
from pddl2nl.questions.deciding import Decider, condition_of, is_plan
from pddl2nl.questions.question import LABELS, Question
from pddl2nl.questions.relaxation import GroundActions
from pddlval import BadActionError, GroundAction, Simulator, read_plan

__all__ = ["AnswerReader", "ReadAnswer"]

_MARK = re.compile(r"(?i)\b(?:final answer|answer)\b(?:\s+is)?[\s:*=]*")
_YES_NO = re.compile(r"(?i)\b(yes|no)\b")
_LETTER = re.compile(r"\A\W*([A-D])(?:\W*\Z|[.:)]|\W*\n)|\b(?:option|choice|letter)\s+(?:is\s+)?\W?([A-D])\b")
_INDEX = re.compile(r"\d+")
_NONE = re.compile(r"(?i)\A\W*none\b(?:[^\n]*there (?:is|are)[^\n]*)?\W*\Z")
_FALSE = re.compile(r"(?i)become[s]?\s+false[^\n:]*:?|negative effects?[^\n:]*:?|\]\s*,?\s*\[")
_TRUE = re.compile(r"(?i)\A.*?(?:become[s]?\s+true[^\n:]*:?|positive effects?[^\n:]*:?)", re.DOTALL)
_PDDL = re.compile(r"\(([^()]+)\)")
_BULLET = re.compile(r"^[\s*\-•\d.)\[\]]+|[\s.,;*\]]+$")


@dataclass(frozen=True)
class ReadAnswer:
    """What an answer says.

    Attributes:
        status: ``read``, ``ambiguous``, ``unknown-object`` or ``unreadable``.
        value: "yes", "no", a letter, an index, actions, facts, or two tuples of facts; None where nothing was read,
            and for the answer that there is none.
        right: whether it is right; None where nothing was read, or that was not decided.
    """

    status: str
    value: Any = None
    right: bool | None = None


class _UnreadAnswer(Exception):
    """Why an answer cannot be read: a status."""


class AnswerReader:
    """Reads and scores answers to the questions about one task.

    Args:
        task: whose initial state is the one that is asked about; None if only letters, yes and no are read.
        wording, names: those of the questions.
        seconds: the limit of each search of a planner that decides about an answer.
    """

    def __init__(self, task: Task | None, wording: Wording | None, names: Names | None, *, seconds: int = 30):
        self._task = task
        self._wording = wording
        self._names = names
        self._seconds = seconds

    def answer(self, question: Question, reply: str) -> ReadAnswer:
        """The answer in a reply, and whether it is right."""
        last = [*_MARK.finditer(reply)]
        said = reply[last[-1].end() :] if last and reply[last[-1].end() :].strip() else reply
        try:
            if question.form == "bool":
                value: Any = _only([word.lower() for word in _YES_NO.findall(said)[:1] or _YES_NO.findall(reply)])
                return ReadAnswer("read", value, value == question.answer)
            if question.form == "choice":
                value = _letter(said, question.choices)
                return ReadAnswer("read", value, value == question.answer)
            read, right = _OPEN[question.kind]
            value = read(self, said)
            return ReadAnswer("read", value, right(self, question, value))
        except _UnreadAnswer as unread:
            return ReadAnswer(str(unread))

    # ── reading ──────────────────────────────────────────────────────────────────────────────────

    @property
    def task(self) -> Task:
        """The task."""
        assert self._task is not None, "open answers are about a task"
        return self._task

    @cached_property
    def _reader(self) -> Reader:
        return Reader(self.task, self._wording, self._names)

    def actions(self, text: str) -> tuple[GroundAction, ...]:
        """All actions of a list; a line that cannot be read makes it unreadable."""
        chosen = self._reader.read(text).chosen
        for reading in chosen:
            if reading.status != "read":
                raise _UnreadAnswer(reading.status)
        plan = tuple(reading.action for reading in chosen if reading.action is not None)
        if not plan:
            raise _UnreadAnswer("unreadable")
        return plan

    def action(self, text: str) -> GroundAction | None:
        """One action, or None for none."""
        if _NONE.match(text):
            return None
        action: GroundAction = _only(self.actions(text))
        return action

    def facts(self, text: str) -> tuple[GroundAtom, ...]:
        """All facts of a list, a line each, or in PDDL; empty where it says none."""
        if _NONE.match(text) or not text.strip(" \n:[]*,"):
            return ()
        if written := _PDDL.findall(text):
            return tuple(map(self._pddl_fact, written))
        lines = [_BULLET.sub("", line) for line in text.splitlines()]
        return tuple(self._told_fact(line) for line in lines if line)

    def fact(self, text: str) -> GroundAtom | None:
        """One fact, or None for none."""
        facts = self.facts(text)
        return _only(facts) if facts else None

    def changes(self, text: str) -> tuple[tuple[GroundAtom, ...], tuple[GroundAtom, ...]]:
        """The facts that become true, and those that become false."""
        parts = _FALSE.split(text, maxsplit=1)
        if len(parts) != 2:
            raise _UnreadAnswer("unreadable")
        return self.facts(_TRUE.sub("", parts[0])), self.facts(parts[1])

    def index(self, text: str) -> int:
        """A number."""
        return int(_only(_INDEX.findall(text)))

    def _pddl_fact(self, text: str) -> GroundAtom:
        name, *args = text.lower().split() or [""]
        predicate = self.task.domain.predicate(name)
        if predicate is None or len(predicate.parameters) != len(args):
            raise _UnreadAnswer("unreadable")
        if any(arg not in self.task.objects for arg in args):
            raise _UnreadAnswer("unknown-object")
        return GroundAtom((name, *args))

    def _told_fact(self, line: str) -> GroundAtom:
        assert self._wording is not None
        assert self._names is not None
        objects = objects_of(self.task, self._names)
        try:
            told = read_state(f"{STATE_START}{line}.", self.task.domain, self._wording, objects)
        except NLReadError:
            raise _UnreadAnswer("unreadable") from None
        atom: GroundAtom = _only(told.atoms)
        return atom

    # ── scores of open answers ───────────────────────────────────────────────────────────────────

    @cached_property
    def decider(self) -> Decider:
        """What decides about answers that are not recorded."""
        return Decider(GroundActions(Simulator(self.task)), seconds=self._seconds)

    def all_applicable(self, question: Question, value: Sequence[GroundAction]) -> bool:
        return {str(action) for action in value} == {text.lower() for text in question.answer}

    def both_changes(self, question: Question, value: Sequence[Sequence[GroundAtom]]) -> bool:
        recorded = [{text.lower() for text in question.answer[key]} for key in ("pos", "neg")]
        return [{str(atom) for atom in atoms} for atoms in value] == recorded

    def never_holds(self, question: Question, value: GroundAtom | None) -> bool | None:
        if value is None:
            return not question.answer
        decided = self.decider.reach(condition_of([value]))
        return None if decided is None else not decided.answer

    def never_applicable(self, question: Question, value: GroundAction | None) -> bool | None:
        if value is None:
            return not question.answer
        try:
            decided = self.decider.action(value)
        except BadActionError:
            return False
        return None if decided is None else not decided.answer

    def same_index(self, question: Question, value: int) -> bool:
        return bool(value == question.answer)

    def shorter_plan(self, question: Question, value: Sequence[GroundAction]) -> bool:
        recorded = question.certificate.get("plan")
        given = read_plan("\n".join(recorded) if recorded else question.question.split('"')[1]).actions
        left = iter(given)
        subsequence = len(value) < len(given) and all(action in left for action in value)
        return subsequence and is_plan(self.decider.simulator, self.decider.state, value)

    def true_landmark(self, question: Question, value: GroundAtom | None) -> bool | None:
        if value is None:
            return not question.answer["yes"]
        if str(value) in question.answer["yes"]:
            return True
        goal = [part for part in conjuncts(self.task.problem.goal) if isinstance(part, Atom)]
        if self.decider.state.true(value) or value in [GroundAtom((part.predicate, *part.args)) for part in goal]:
            return False
        decided = self.decider.landmark(value)
        return None if decided is None else decided.answer

    def begins_optimal_plan(self, question: Question, value: GroundAction | None) -> bool | None:
        if value is None:
            return False
        for key in ("yes", "no"):
            if str(value) in [text.lower() for text in question.answer[key]]:
                return key == "yes"
        try:
            if not self.decider.simulator.is_applicable(self.decider.state, value):
                return False
        except BadActionError:
            return False
        decided = self.decider.next_action(value)
        return None if decided is None else decided.answer


def _only(found: Sequence[Any]) -> Any:
    """The one thing that was found; several that differ are ambiguous."""
    if not found:
        raise _UnreadAnswer("unreadable")
    if len(set(found)) > 1:
        raise _UnreadAnswer("ambiguous")
    return found[0]


def _letter(text: str, choices: Sequence[str]) -> str:
    """The letter of a choice, by itself or by the text of the choice."""
    letters = [one or other for one, other in _LETTER.findall(text)]
    said = " ".join(text.casefold().split())
    named = [
        letter for letter, choice in zip(LABELS, choices, strict=False) if " ".join(choice.casefold().split()) in said
    ]
    return str(_only(letters or named))


_Read = Callable[[AnswerReader, str], Any]
_Score = Callable[[AnswerReader, Question, Any], bool | None]
_OPEN: Mapping[str, tuple[_Read, _Score]] = {
    "applicability": (AnswerReader.actions, AnswerReader.all_applicable),
    "progression": (AnswerReader.changes, AnswerReader.both_changes),
    "reachability": (AnswerReader.fact, AnswerReader.never_holds),
    "action-reachability": (AnswerReader.action, AnswerReader.never_applicable),
    "validation": (AnswerReader.index, AnswerReader.same_index),
    "justification": (AnswerReader.actions, AnswerReader.shorter_plan),
    "landmarks": (AnswerReader.fact, AnswerReader.true_landmark),
    "next-action": (AnswerReader.action, AnswerReader.begins_optimal_plan),
}
"""How the open answers of each kind are read and scored."""

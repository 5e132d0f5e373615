"""Reads the answers to questions, and scores them as ACPBench-Hard does (Kokel et al. 2025).

An answer has the status of a plan's line: ``read``, ``ambiguous``, ``unknown-object`` or ``unreadable``; only one that
was read can be right or wrong:

===================  ================================================================================================
kind, open form      right is
===================  ================================================================================================
applicability        exactly the applicable actions
progression          exactly the facts that become true, and exactly those that become false
reachability         a fact that never holds in a reachable state, or none
action-reachability  an action that is never applicable, or none
validation           the index
justification        a plan that is shorter and leaves the order of the given one as it is
landmarks            a fact that every plan makes true, of those that neither hold now nor are goals; or none
next-action          an action after which the optimal cost is lower
verification         an unmet condition of the first inapplicable action, or an unmet goal; ``valid`` for a plan
execution            exactly the facts that hold at the end; static facts may be left out
optimal-plan         a plan of the optimal cost
all others           a plan
===================  ================================================================================================

What is not recorded as right or wrong is decided as the questions' own answers are (`pddl2nl.questions.deciding`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from pddl2nl.nl import Names, NLReadError, Reader, Wording, objects_of, read_state
from pddl2nl.nl.telling.teller import STATE_START
from pddl2nl.pddl import GroundAtom, Task, write_condition
from pddl2nl.questions.deciding import Decider, Decision, condition_of, goal_atoms
from pddl2nl.questions.question import LABELS, PLAN_KINDS, Question
from pddl2nl.search.grounding import GroundActions
from pddlval import BadActionError, GroundAction, Simulator, read_plan, validate

_MARK = re.compile(r"(?i)\b(?:final answer|answer)\b(?:\s+is)?[\s:*=]*")
_YES_NO = re.compile(r"(?i)\b(yes|no)\b")
_LETTER = re.compile(r"\A\W*([A-D])(?:\W*\Z|[.:)]|\W*\n)|\b(?:option|choice|letter)\s+(?:is\s+)?\W?([A-D])\b")
_INDEX = re.compile(r"\d+")
_NONE = re.compile(r"(?i)\A\W*none\b(?:[^\n]*there (?:is|are)[^\n]*)?\W*\Z")
_FALSE = re.compile(r"(?i)become[s]?\s+false[^\n:]*:?|negative effects?[^\n:]*:?|\]\s*,?\s*\[")
_TRUE = re.compile(r"(?i)\A.*?(?:become[s]?\s+true[^\n:]*:?|positive effects?[^\n:]*:?)", re.DOTALL)
_PDDL = re.compile(r"\(([^()]+)\)")
_BULLET = re.compile(r"^[\s*\-•\d.)\[\]]+|[\s.,;*\]]+$")
_VALID = re.compile(r"(?i)\A\W*(?:it is |the (?:plan|sequence) is )?(?:a )?valid(?: plan)?\W*\Z")


@dataclass(frozen=True)
class AnswerJudgement:
    """Whether an answer is right, and the first thing that is wrong with it.

    Attributes:
        right: None if that was not decided.
        fault: as for the steps of plans ``inapplicable`` or ``goal-missed``; ``too-costly``, ``incomplete`` where all
            that is named is right, else ``wrong``; empty without a fault.
        text: what is wrong, in PDDL.
    """

    right: bool | None
    fault: str = ""
    text: str = ""


@dataclass(frozen=True)
class ReadAnswer:
    """What an answer says.

    Attributes:
        status: ``read``, ``ambiguous``, ``unknown-object`` or ``unreadable``.
        value: "yes", "no", a letter, an index, actions, facts, or two tuples of facts; None where nothing was read,
            and for the answer that there is none.
        right: whether it is right; None where nothing was read, or that was not decided.
        fault: the first broken link: the status of what was not read, or the fault of its `AnswerJudgement`.
        text: what was not read, or what is wrong.
    """

    status: str
    value: Any = None
    right: bool | None = None
    fault: str = ""
    text: str = ""


class UnreadAnswerError(Exception):
    """A text that was not read, and its status."""

    def __init__(self, status: str, text: str = ""):
        super().__init__(status)
        self.status = status
        self.text = text


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
                value: Any = _only([word.lower() for word in _YES_NO.findall(said)[:1] or _YES_NO.findall(reply)], said)
                judged = _same(value, question.answer)
            elif question.form == "choice":
                value = _letter(said, question.choices)
                judged = _same(value, question.answer)
            else:
                read, judge = _OPEN[question.kind]
                value = read(self, said)
                judged = judge(self, question, value)
            return ReadAnswer("read", value, judged.right, judged.fault, judged.text)
        except UnreadAnswerError as unread:
            return ReadAnswer(unread.status, fault=unread.status, text=unread.text)

    # ── reading ──────────────────────────────────────────────────────────────────────────────────

    @property
    def task(self) -> Task:
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
                raise UnreadAnswerError(reading.status, text[reading.start : reading.end])
        plan = tuple(reading.action for reading in chosen if reading.action is not None)
        if not plan:
            raise UnreadAnswerError("unreadable", text)
        return plan

    def action(self, text: str) -> GroundAction | None:
        """One action, or None for none."""
        action: GroundAction | None = None if _NONE.match(text) else _only(self.actions(text), text)
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
        return _only(facts, text) if facts else None

    def unmet(self, text: str) -> tuple[GroundAtom, ...]:
        """The conditions that an answer names; none if it says that a plan is valid."""
        if _VALID.match(text):
            return ()
        facts = self.facts(text)
        if not facts:
            raise UnreadAnswerError("unreadable", text)
        return facts

    def changes(self, text: str) -> tuple[tuple[GroundAtom, ...], tuple[GroundAtom, ...]]:
        """The facts that become true, and those that become false."""
        parts = _FALSE.split(text, maxsplit=1)
        if len(parts) != 2:
            raise UnreadAnswerError("unreadable", text)
        return self.facts(_TRUE.sub("", parts[0])), self.facts(parts[1])

    def index(self, text: str) -> int:
        return int(_only(_INDEX.findall(text), text))

    def _pddl_fact(self, text: str) -> GroundAtom:
        name, *args = text.lower().split() or [""]
        predicate = self.task.domain.predicate(name)
        if predicate is None or len(predicate.parameters) != len(args):
            raise UnreadAnswerError("unreadable", text)
        if any(arg not in self.task.objects for arg in args):
            raise UnreadAnswerError("unknown-object", text)
        return GroundAtom((name, *args))

    def _told_fact(self, line: str) -> GroundAtom:
        assert self._wording is not None
        assert self._names is not None
        objects = objects_of(self.task, self._names)
        try:
            told = read_state(f"{STATE_START}{line}.", self.task.domain, self._wording, objects)
        except NLReadError:
            raise UnreadAnswerError("unreadable", line) from None
        atom: GroundAtom = _only([*told.atoms], line)
        return atom

    # ── scores of open answers ───────────────────────────────────────────────────────────────────

    @cached_property
    def decider(self) -> Decider:
        """What decides about answers that are not recorded."""
        return Decider(GroundActions(Simulator(self.task)), seconds=self._seconds)

    def all_applicable(self, question: Question, value: Sequence[GroundAction]) -> AnswerJudgement:
        return _same_set(map(str, value), question.answer, "is not applicable")

    def both_changes(self, question: Question, value: Sequence[Sequence[GroundAtom]]) -> AnswerJudgement:
        added, deleted = (map(str, atoms) for atoms in value)
        judged = _same_set(added, question.answer["pos"], "does not become true")
        return judged if not judged.right else _same_set(deleted, question.answer["neg"], "does not become false")

    def never_holds(self, question: Question, value: GroundAtom | None) -> AnswerJudgement:
        if value is None:
            return _none_is_right(question.answer)
        return _is_not(self.decider.reach(condition_of([value])), f"{value} can hold")

    def never_applicable(self, question: Question, value: GroundAction | None) -> AnswerJudgement:
        if value is None:
            return _none_is_right(question.answer)
        try:
            return _is_not(self.decider.action(value), f"{value} can become applicable")
        except BadActionError as error:
            return _wrong(str(error))

    def same_index(self, question: Question, value: int) -> AnswerJudgement:
        return _same(value, question.answer)

    def shorter_plan(self, question: Question, value: Sequence[GroundAction]) -> AnswerJudgement:
        recorded = question.certificate.get("plan")
        given = read_plan("\n".join(recorded) if recorded else question.question.split('"')[1]).actions
        left = iter(given)
        if len(value) >= len(given) or not all(action in left for action in value):
            return _wrong("nothing is left out, or something is added or moved")
        return self.a_plan(question, value)

    def true_landmark(self, question: Question, value: GroundAtom | None) -> AnswerJudgement:
        if value is None:
            return _none_is_right(question.answer["yes"])
        if str(value) in question.answer["yes"]:
            return AnswerJudgement(True)
        if self.decider.state.true(value) or value in goal_atoms(self.task.problem.goal):
            return _wrong(f"{value} holds now or is a goal")
        return _is(self.decider.landmark(value), f"{value} is no landmark")

    def begins_optimal_plan(self, question: Question, value: GroundAction | None) -> AnswerJudgement:
        if value is None:
            return _wrong("there is such an action")
        text = f"{value} begins no optimal plan"
        for key in ("yes", "no"):
            if str(value) in [each.lower() for each in question.answer[key]]:
                return AnswerJudgement(True) if key == "yes" else _wrong(text)
        try:
            unmet = self.decider.simulator.step(self.decider.state, value).unmet
        except BadActionError as error:
            return _wrong(str(error))
        if unmet:
            return AnswerJudgement(False, "inapplicable", f"{value}: {' '.join(map(write_condition, unmet))}")
        return _is(self.decider.next_action(value), text)

    def unmet_condition(self, question: Question, value: Sequence[GroundAtom]) -> AnswerJudgement:
        unmet = question.answer["unmet"]
        if not value:
            return _wrong("it is no plan") if unmet else AnswerJudgement(True)
        others = [str(atom) for atom in value if str(atom) not in unmet]
        return _wrong(f"{others[0]} is not unmet") if others else AnswerJudgement(True)

    def facts_at_the_end(self, question: Question, value: Sequence[GroundAtom]) -> AnswerJudgement:
        layout, state = self.decider.ground.layout, self.decider.state
        told = [str(atom) for atom in value if atom[0] in layout.changing or not state.true(atom)]
        return _same_set(told, question.answer, "does not hold then")

    def a_plan(self, question: Question, value: Sequence[GroundAction]) -> AnswerJudgement:
        """Whether actions are a plan for the question's problem; of optimal cost if that is asked for."""
        report = validate(self.task, value)
        if report.failed_step is not None or report.verdict == "bad-plan":
            conditions = " ".join(map(write_condition, report.unmet))
            return AnswerJudgement(False, "inapplicable", f"{value[(report.failed_step or 1) - 1]}: {conditions}")
        if not report.valid:
            return AnswerJudgement(False, "goal-missed", " ".join(map(write_condition, report.unmet_goals)))
        optimal = question.answer.get("cost") if question.kind == "optimal-plan" else None
        if optimal is not None and Fraction(str(report.cost)) > Fraction(str(optimal)):
            return AnswerJudgement(False, "too-costly", f"costs {report.cost}, and {optimal} is enough")
        return AnswerJudgement(True)


def _wrong(text: str) -> AnswerJudgement:
    return AnswerJudgement(False, "wrong", text)


def _same(value: object, answer: object) -> AnswerJudgement:
    return AnswerJudgement(True) if value == answer else _wrong(f"{value}, and {answer} is right")


def _same_set(value: Iterable[str], recorded: Iterable[str], claim: str) -> AnswerJudgement:
    """Whether exactly what is recorded is named; the first that is wrong, else the first that is missing."""
    named, right = dict.fromkeys(value), [text.lower() for text in recorded]
    for text in named:
        if text not in right:
            return _wrong(f"{text} {claim}")
    missing = [text for text in right if text not in named]
    return AnswerJudgement(False, "incomplete", f"{missing[0]} is missing") if missing else AnswerJudgement(True)


def _none_is_right(recorded: Collection[str]) -> AnswerJudgement:
    return _wrong(f"there is one: {next(iter(recorded))}") if recorded else AnswerJudgement(True)


def _is(decided: Decision | None, otherwise: str) -> AnswerJudgement:
    if decided is None:
        return AnswerJudgement(None)
    return AnswerJudgement(True) if decided.answer else _wrong(otherwise)


def _is_not(decided: Decision | None, otherwise: str) -> AnswerJudgement:
    return _is(None if decided is None else Decision(not decided.answer, {}), otherwise)


def _only(read: Sequence[Any], text: str) -> Any:
    """The one thing that was read in a text; several that differ are ambiguous."""
    if not read:
        raise UnreadAnswerError("unreadable", text)
    if len(set(read)) > 1:
        raise UnreadAnswerError("ambiguous", text)
    return read[0]


def _letter(text: str, choices: Sequence[str]) -> str:
    """The letter of a choice, by itself or by the text of the choice."""
    letters = [one or other for one, other in _LETTER.findall(text)]
    said = " ".join(text.casefold().split())
    named = [
        letter for letter, choice in zip(LABELS, choices, strict=False) if " ".join(choice.casefold().split()) in said
    ]
    return str(_only(letters or named, text))


_Read = Callable[[AnswerReader, str], Any]
_Judge = Callable[[AnswerReader, Question, Any], AnswerJudgement]
_OPEN: Mapping[str, tuple[_Read, _Judge]] = {
    "applicability": (AnswerReader.actions, AnswerReader.all_applicable),
    "progression": (AnswerReader.changes, AnswerReader.both_changes),
    "reachability": (AnswerReader.fact, AnswerReader.never_holds),
    "action-reachability": (AnswerReader.action, AnswerReader.never_applicable),
    "validation": (AnswerReader.index, AnswerReader.same_index),
    "justification": (AnswerReader.actions, AnswerReader.shorter_plan),
    "landmarks": (AnswerReader.fact, AnswerReader.true_landmark),
    "next-action": (AnswerReader.action, AnswerReader.begins_optimal_plan),
    "verification": (AnswerReader.unmet, AnswerReader.unmet_condition),
    "execution": (AnswerReader.facts, AnswerReader.facts_at_the_end),
    **dict.fromkeys(PLAN_KINDS, (AnswerReader.actions, AnswerReader.a_plan)),
}
"""How the open answers of each kind are read and scored."""

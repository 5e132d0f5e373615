"""ACPBench's and ACPBench-Hard's own files: reads them, and recomputes the recorded answers.

A folder has a folder for each kind, with files ``NAME.bool.json``, ``NAME.mcq.json`` and ``NAME.gen.json`` (Kokel et
al., "ACPBench", 2024, and "ACPBench Hard", 2025; github.com/IBM/ACPBench). Only questions of the open form come with
PDDL, so only their answers can be recomputed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from rapidfuzz import fuzz

from pddl2nl.errors import InputError
from pddl2nl.files import read_bytes
from pddl2nl.pddl import GroundAtom, PDDLError, Task, parse_task
from pddl2nl.questions.deciding import Decider, Decision, all_actions, all_atoms, condition_of, left_out, removals
from pddl2nl.questions.question import ACP_KINDS, ACPKind, Form, Question
from pddl2nl.search.grounding import GroundActions
from pddlval import GroundAction, Simulator, read_plan

_GROUPS: Mapping[str, ACPKind] = {
    "applicable_actions": "applicability",
    "progression": "progression",
    "reachable_atom": "reachability",
    "reachable_action": "action-reachability",
    "validation": "validation",
    "action_justification": "justification",
    "landmarks": "landmarks",
    "goal_closer": "next-action",
}
_FORMS: Mapping[str, Form] = {"bool": "bool", "mc": "choice", "mcq": "choice", "gen": "open"}


class _ACPChoices(msgspec.Struct):
    text: tuple[str, ...]


class _ACPEntry(msgspec.Struct):
    id: int | str
    group: str
    context: str
    question: str
    answer: Any
    choices: _ACPChoices | None = None
    PDDL_domain: str = ""
    PDDL_problem: str = ""


def read_questions(folder: Path) -> list[Question]:
    """The questions of all files of a folder, file by file.

    Raises:
        InputError: none exists, or a file has another form; the message names the file.
    """
    paths = sorted(folder.glob("*/*.json"))
    if not paths:
        raise InputError(f"{folder}: no files of questions, such as app/dev.gen.json, are in it")
    questions = [question for path in paths for question in _read(path)]
    # Only open questions come with the domain's name; the others are told in the same words.
    named = {_beginning(each): each.domain for each in questions if each.PDDL_domain}
    return [msgspec.structs.replace(each, domain=named.get(_beginning(each), each.domain)) for each in questions]


def _beginning(question: Question) -> str:
    return " ".join(question.context.split()[:6])


def _read(path: Path) -> Iterator[Question]:
    try:
        entries = msgspec.json.decode(read_bytes(path, "file of questions"), type=list[_ACPEntry])
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"{path}: not a file of ACPBench's questions: {error}") from error
    for place, entry in enumerate(entries):
        group, _, form = entry.group.rpartition("_")
        if group not in _GROUPS or form not in _FORMS:
            known = ", ".join(_GROUPS)
            raise InputError(
                f"{path}: question {place}: group '{entry.group}'; expected {known}, with _bool, _mcq or _gen"
            )
        named = re.search(r"\(\s*domain\s+([^\s()]+)", entry.PDDL_domain, re.IGNORECASE)
        problem = re.search(r"\(\s*problem\s+([^\s()]+)", entry.PDDL_problem, re.IGNORECASE)
        yield Question(
            id=str(entry.id),
            kind=_GROUPS[group],
            form=_FORMS[form],
            domain=named[1].lower() if named else " ".join(entry.context.split()[:6]),
            problem=problem[1].lower() if problem else "",
            context=entry.context,
            question=entry.question,
            choices=() if entry.choices is None else entry.choices.text,
            answer=entry.answer,
            PDDL_domain=entry.PDDL_domain,
            PDDL_problem=entry.PDDL_problem,
        )


# ── the recorded answers recomputed ──────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class CheckedQuestion:
    """A question whose answer was recomputed; it agrees if there are neither differences nor undecided parts.

    Attributes:
        differences: what is proved to be otherwise than recorded, a sentence each.
        undecided: parts of the recorded answer that were not decided within the limits.
        skipped: whether there is no PDDL to compute from.
    """

    question: Question
    differences: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    skipped: bool = False

    @property
    def agrees(self) -> bool:
        """Whether all of the recorded answer is right and complete."""
        return not (self.skipped or self.differences or self.undecided)

    def as_json(self) -> dict[str, object]:
        """The question by id, kind and domain, and what differs."""
        question = self.question
        return {
            "id": question.id,
            "kind": question.kind,
            "domain": question.domain,
            "agrees": self.agrees,
            "differences": [*self.differences],
            "undecided": [*self.undecided],
        }


@dataclass
class _Recomputed:
    """A question on its way: its task and what was found."""

    question: Question
    task: Task
    decider: Decider
    differences: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)

    @property
    def simulator(self) -> Simulator:
        return self.decider.simulator

    def differ(self, recorded: object, ours: object, what: str) -> None:
        if recorded != ours:
            self.differences.append(f"{what}: recorded {recorded}, computed {ours}")

    def decide(self, decided: Decision | None, wanted: bool, name: str, claims: tuple[str, str]) -> None:
        """Compares one decision with the record; ``claims`` say what no and yes mean."""
        if decided is None:
            self.undecided.append(name)
        elif decided.answer is not wanted:
            proof = "; ".join(f"{key}: {_shown(value)}" for key, value in decided.certificate.items())
            self.differences.append(f"{name} {claims[decided.answer]}, and not as recorded ({proof})")


def _shown(value: object) -> str:
    return " ".join(map(str, value)) or "nothing" if isinstance(value, list) else str(value)


def check_questions(questions: Sequence[Question], *, seconds: int = 30) -> Iterator[CheckedQuestion]:
    """Recomputes recorded answers.

    Args:
        questions: those of the bool and choice forms have no PDDL and are skipped.
        seconds: the limit of each search of a planner.

    Raises:
        InputError: a question's PDDL cannot be read, or its text or answer has another form than its kind's.
        MissingExtraError: a planner is needed and not installed.
    """
    return (_checked(question, seconds) for question in questions)


def _checked(question: Question, seconds: int) -> CheckedQuestion:
    if question.form != "open" or not question.PDDL_domain:
        return CheckedQuestion(question, skipped=True)
    where = f"question {question.id} ({question.kind})"
    try:
        task = parse_task(question.PDDL_domain, question.PDDL_problem)
    except PDDLError as error:
        raise InputError(f"{where}: its PDDL cannot be read: {error}") from error
    check = _Recomputed(question, task, Decider(GroundActions(Simulator(task)), seconds=seconds))
    try:
        _CHECKS[question.kind](check)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise InputError(f"{where}: question or answer has another form than its kind's: {error!r}") from error
    return CheckedQuestion(question, tuple(check.differences), tuple(check.undecided))


def _applicability(check: _Recomputed) -> None:
    applicable = sorted(map(str, check.simulator.applicable(check.simulator.initial)))
    check.differ(sorted(text.lower() for text in check.question.answer), applicable, "the applicable actions")


def _progression(check: _Recomputed) -> None:
    action = _named_action(check)
    if action is None:
        check.undecided.append("the action, which the text does not name clearly")
        return
    result = check.simulator.step(check.simulator.initial, action)
    for key, atoms in (("pos", result.added), ("neg", result.deleted)):
        check.differ(sorted(check.question.answer[key]), sorted(map(str, atoms)), f"what {action} changes, {key}")


def _named_action(check: _Recomputed) -> GroundAction | None:
    """The action of a progression question, which is in words of ACPBench's own.

    It is the applicable action over exactly the objects that are named; of several, the one whose name is most like the
    text.
    """
    quoted = check.question.question.split('"')[1].lower()
    named = Counter(word for word in re.findall(r"[\w-]+", quoted) if word in check.task.objects)
    applicable = [*check.simulator.applicable(check.simulator.initial)]
    over = [action for action in applicable if Counter(action.args) == named]
    over = over or [action for action in applicable if not named - Counter(action.args)]
    return max(over, key=lambda action: fuzz.partial_ratio(re.sub("[-_]", " ", action.name), quoted), default=None)


def _reachability(check: _Recomputed) -> None:
    never = ("never holds", "can hold")
    for atom in map(_atom, check.question.answer) if check.question.answer else all_atoms(check.task):
        decided = check.decider.reach(condition_of([atom]))
        check.decide(decided, not check.question.answer, str(atom), never)


def _action_reachability(check: _Recomputed) -> None:
    never = ("is never applicable", "can become applicable")
    recorded = check.question.answer
    for action in map(GroundAction.parse, recorded) if recorded else all_actions(check.task):
        check.decide(check.decider.action(action), not recorded, str(action), never)


def _validation(check: _Recomputed) -> None:
    followed = check.simulator.follow(check.simulator.initial, _quoted_plan(check))
    all_of_them = " (all are applicable)" if followed.complete else ""
    check.differ(check.question.answer, len(followed.actions), f"the first inapplicable action{all_of_them}")


def _justification(check: _Recomputed) -> None:
    plan = [str(action) for action in _quoted_plan(check)]
    stretches = removals(check.simulator, check.simulator.initial, _quoted_plan(check))
    ours = Counter(tuple(left_out(plan, *stretch)) for stretch in stretches)
    recorded = Counter(tuple(text.lower() for text in each) for each in check.question.answer)
    for what, items in (
        ("cannot be left out", recorded - ours),
        ("can be left out and is not recorded", ours - recorded),
    ):
        check.differences += [f"{' '.join(item)} {what}" for item in items]


def _landmarks(check: _Recomputed) -> None:
    claims = ("is no landmark", "is a landmark")
    for key, wanted in (("yes", True), ("no", False)):
        for atom in map(_atom, check.question.answer[key]):
            check.decide(check.decider.landmark(atom), wanted, str(atom), claims)


def _next_action(check: _Recomputed) -> None:
    answer, simulator = check.question.answer, check.simulator
    recorded = sorted(text.lower() for key in ("yes", "no", "maybe") for text in answer[key])
    check.differ(recorded, sorted(map(str, simulator.applicable(simulator.initial))), "the applicable actions")
    optimal = check.decider.optimal
    if optimal is None:
        check.undecided.append("the optimal cost")
        return
    check.differ(str(answer["opt"]), str(optimal), "the optimal cost")
    claims = ("begins no optimal plan", "begins an optimal plan")
    for key, wanted in (("yes", True), ("no", False)):
        for action in map(GroundAction.parse, answer[key]):
            check.decide(check.decider.next_action(action), wanted, str(action), claims)


def _quoted_plan(check: _Recomputed) -> tuple[GroundAction, ...]:
    return read_plan(check.question.question.split('"')[1]).actions


def _atom(text: str) -> GroundAtom:
    return GroundAtom(text.strip().strip("()").lower().split())


_CHECKS: Mapping[str, Callable[[_Recomputed], None]] = {
    "applicability": _applicability,
    "progression": _progression,
    "reachability": _reachability,
    "action-reachability": _action_reachability,
    "validation": _validation,
    "justification": _justification,
    "landmarks": _landmarks,
    "next-action": _next_action,
}


def summary_rows(checked: Sequence[CheckedQuestion]) -> list[tuple[str, int, int, int, int, int]]:
    """For each kind: questions, how many were recomputed, agree, differ, and are undecided."""
    rows: list[tuple[str, int, int, int, int, int]] = []
    for kind in ACP_KINDS:
        of = [item for item in checked if item.question.kind == kind]
        computed = [item for item in of if not item.skipped]
        if of:
            differ = sum(bool(item.differences) for item in computed)
            agree = sum(item.agrees for item in computed)
            rows.append((kind, len(of), len(computed), agree, differ, len(computed) - agree - differ))
    return rows

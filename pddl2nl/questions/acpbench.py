"""ACPBench's and ACPBench-Hard's own files: reads them, and recomputes the recorded answers.

A folder has a folder for each kind, with files ``NAME.bool.json``, ``NAME.mcq.json`` and ``NAME.gen.json`` (Kokel et
al., "ACPBench", 2024, and "ACPBench Hard", 2025; github.com/IBM/ACPBench). Only questions of the open form come with
PDDL, so only their answers can be recomputed.
"""

from __future__ import annotations

import multiprocessing
import re
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from pddl2nl.errors import InputError
from pddl2nl.files import read_bytes
from pddl2nl.pddl import GroundAtom, PDDLError, Task, parse_task, write_condition
from pddl2nl.questions.deciding import Decider, Decision, all_actions, all_atoms, condition_of, left_out, removals
from pddl2nl.questions.question import ACP_KINDS, ACPKind, Form, Question
from pddl2nl.search.grounding import GroundActions
from pddlval import GroundAction, Simulator, read_plan, validate

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

    def decide(
        self,
        decided: Decision | None,
        wanted: bool,
        name: str,
        claims: tuple[str, str],
        search: Callable[[], Decision | None] | None = None,
    ) -> None:
        """Compares one decision with the record.

        Args:
            claims: what no and yes mean.
            search: a planner's decision, to confirm a proof by mutexes that differs from the record.
        """
        if decided is None:
            self.undecided.append(name)
        elif decided.answer is not wanted:
            proof = _proof(decided)
            # One difference of a question is confirmed: that is enough to find a fault in the proofs.
            by_mutexes = decided.certificate.get("proof") == "h2" and not self.differences
            second = search() if search is not None and by_mutexes else None
            if second is not None and second.answer is not decided.answer:
                self.undecided.append(f"{name}: two proofs contradict each other ({proof}; {_proof(second)})")
                return
            confirmed = f"; and by a planner, {_proof(second)}" if second is not None else ""
            self.differences.append(f"{name} {claims[decided.answer]}, and not as recorded ({proof}{confirmed})")


def _proof(decided: Decision) -> str:
    return "; ".join(f"{key}: {_shown(value)}" for key, value in decided.certificate.items())


def _shown(value: object) -> str:
    return " ".join(map(str, value)) or "nothing" if isinstance(value, list) else str(value)


def check_questions(questions: Sequence[Question], *, seconds: int = 30, jobs: int = 1) -> Iterator[CheckedQuestion]:
    """Recomputes recorded answers, in the order of the questions.

    Args:
        questions: those of the bool and choice forms have no PDDL and are skipped.
        seconds: the limit of each search of a planner.
        jobs: questions that are checked at a time, each in a process of its own.

    Raises:
        InputError: a question's PDDL cannot be read, or its text or answer has another form than its kind's.
        MissingExtraError: a planner is needed and not installed.
    """
    check = partial(_checked, seconds=seconds)
    if jobs == 1 or "fork" not in multiprocessing.get_all_start_methods():
        yield from map(check, questions)
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("fork"), _ignore_interrupts) as pool:
        try:
            yield from pool.map(check, questions)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _ignore_interrupts() -> None:
    # Ctrl-C reaches all processes of a terminal; only the first handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


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
    """Compares the effects of the action that the text names, in words of ACPBench's own.

    The action is applicable and over exactly the objects that are named. That the effects are as recorded confirms that
    it is the only one of these. Otherwise the record is only said to differ if the text names the action for certain.
    """
    quoted = check.question.question.split('"')[1].lower()
    named = Counter(word for word in re.findall(r"[\w-]+", quoted) if word in check.task.objects)
    applicable = [*check.simulator.applicable(check.simulator.initial)]
    over = [action for action in applicable if Counter(action.args) == named]
    over = over or [action for action in applicable if not named - Counter(action.args)]
    recorded = {key: sorted(check.question.answer[key]) for key in ("pos", "neg")}
    computed = {action: _changes(check, action) for action in over}
    # Another action that the text names, be it applicable or not, makes it uncertain which one is meant.
    written = {schema.name for schema in check.task.domain.actions if _writes(quoted, schema.name)}
    certain = [action for action in over if written == {action.name}]
    if len(certain) == 1:
        for key, atoms in computed[certain[0]].items():
            check.differ(recorded[key], atoms, f"what {certain[0]} changes, {key}")
    elif len(over) != 1 or written - {over[0].name} or computed[over[0]] != recorded:
        names = ", ".join(map(str, over)) or "no applicable action"
        check.undecided.append(f"the action: '{quoted}' may mean {names}")


def _changes(check: _Recomputed, action: GroundAction) -> dict[str, list[str]]:
    result = check.simulator.step(check.simulator.initial, action)
    return {"pos": sorted(map(str, result.added)), "neg": sorted(map(str, result.deleted))}


def _writes(text: str, name: str) -> bool:
    """Whether a text has all words of an action's name, whose parts it may write apart: pickup as "pick up"."""
    parts = (r"\W*".join(map(re.escape, word)) for word in re.split("[-_]", name))
    return all(re.search(rf"\b{part}\b", text) for part in parts)


def _reachability(check: _Recomputed) -> None:
    never = ("never holds", "can hold")
    for atom in map(_atom, check.question.answer) if check.question.answer else all_atoms(check.task):
        condition = condition_of([atom])
        decided = check.decider.reach(condition)
        search = partial(check.decider.search, condition)
        check.decide(decided, not check.question.answer, str(atom), never, search)


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
    plan, simulator = _quoted_plan(check), check.simulator
    texts = [str(action) for action in plan]
    can = [*removals(simulator, simulator.initial, plan)]
    ours = Counter(tuple(left_out(texts, *stretch)) for stretch in can)
    recorded = Counter(tuple(text.lower() for text in each) for each in check.question.answer)
    every = [(start, length) for length in (1, 2) for start in range(len(plan) - length + 1)]
    for what, items in (
        ("cannot be left out", recorded - ours),
        ("can be left out and is not recorded", ours - recorded),
    ):
        for item in items:
            proofs = [_without(check, plan, *stretch) for stretch in every if (*left_out(texts, *stretch),) == item]
            check.differences.append(f"{' '.join(item)} {what} ({'; '.join(proofs) or 'it is not in the plan'})")


def _without(check: _Recomputed, plan: tuple[GroundAction, ...], start: int, length: int) -> str:
    """What becomes of a plan without some actions."""
    numbers = f"action {start + 1}" if length == 1 else f"actions {start + 1} and {start + 2}"
    report = validate(check.task, (*plan[:start], *plan[start + length :]))
    if report.valid:
        return f"without {numbers} it is a plan"
    unmet = " ".join(write_condition(part) for part in report.unmet or report.unmet_goals)
    return f"without {numbers} {unmet} is unmet"


def _landmarks(check: _Recomputed) -> None:
    claims = ("is no landmark", "is a landmark")
    for key, wanted in (("yes", True), ("no", False)):
        for atom in map(_atom, check.question.answer[key]):
            search = partial(check.decider.search_without, atom)
            check.decide(check.decider.landmark(atom), wanted, str(atom), claims, search)


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


def audit_page(checked: Sequence[CheckedQuestion]) -> str:
    """A page in Markdown that lists every difference with its proof, to be checked by others."""
    lines = [_AUDIT, "| kind | questions | recomputed | agree | differ | undecided |", "|---|---|---|---|---|---|"]
    lines += [f"| {' | '.join(map(str, row))} |" for row in summary_rows(checked)]
    for item in checked:
        if item.differences or item.undecided:
            question = item.question
            lines += ["", f"## {question.kind}: question {question.id} ({question.domain}, {question.problem})", ""]
            lines += [f"- {line}" for line in item.differences]
            lines += [f"- not decided: {line}" for line in item.undecided]
    return "\n".join([*lines, ""])


_AUDIT = """# Recorded answers of ACPBench-Hard that differ from recomputed ones

Written by `pddl2nl questions check DIR --audit FILE.md`, which recomputes the recorded answers of the open form
(`NAME.gen.json`) from the PDDL in the same files. Questions are named by their `id`. How to check each proof with other
tools:

- `plan`: execute it from the question's problem, with VAL for example. A fact is no landmark if it holds in none of the
  states on the way of a valid plan.
- `proof: static`: no action changes the named literal, and the initial state does not have it.
- `proof: h2`: the named literals never hold together, by the fixpoint of Haslum and Geffner (2000). For a landmark this
  is so when no action may add the fact (`without`).
- `proof: unsolvable`: a planner with a complete search finds no plan. For reachability the goal is the named condition.
  For a landmark it may never hold: its negation is added to all preconditions and to the goal.
- `without actions N and M it is a plan`: take these lines out of the question's plan, counted from 1, and validate it.
"""

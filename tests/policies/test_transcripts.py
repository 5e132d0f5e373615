"""Whole conversations in three shipped domains, as the paper's figures 5 and 8 to 16 describe them.

Every domain gets the same kind of conversation. One-shot mechanisms give a plan. The others look around, say an
action that is not applicable, say something that is none, act, claim to be done too early, and then go on to the goal.
On Blocksworld there are also the ways beyond the paper. The problems lie beside the golden files, so that a new set of
shipped instances changes none of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.experiments.example import tell_example
from pddl2nl.llm import Message
from pddl2nl.nl import Reader, Teller, choose_wording, make_names
from pddl2nl.pddl import Task, load_problem
from pddl2nl.policies import Setting, make_policy
from pddl2nl.policies.pddl_reading import PDDLReader
from pddl2nl.policies.policy import CORE
from pddl2nl.policies.prompting import prompt_file
from pddl2nl.policies.setting import SolvedProblem
from pddl2nl.policies.spec import RunSpec
from pddl2nl.tasks import shipped_domain
from pddlval import GroundAction, Simulator, read_plan, validate

GOLDEN = Path(__file__).parent / "golden"
TWINS = [
    (name, style)
    for name in CORE
    # Score has no prompts and no replies of its own; those of Tools are calls (test_tools.py).
    if make_policy(name).needs_model and name not in ("score", "tools")
    for style in make_policy(name).styles
]


class Worked:
    """A problem worked by hand: its plan, an action that is too early, and the plan of its example."""

    def __init__(self, plan: str, early: str, example: str):
        self.plan, self.example = (
            tuple(str(step.action) for step in read_plan(text).steps) for text in (plan, example)
        )
        self.early = early


WORKED = {
    "blocksworld": Worked(
        "(unstack c a) (put-down c) (unstack a b) (put-down a) (pick-up b) (stack b c) (pick-up a) (stack a b)",
        "(unstack a b)",
        "(pick-up c) (stack c e) (unstack a d) (stack a c) (pick-up b) (stack b d)",
    ),
    "logistics": Worked(
        "(load-airplane p0 a0 l2-0) (fly-airplane a0 l2-0 l0-0) (unload-airplane p0 a0 l0-0) "
        "(load-airplane p1 a1 l1-0) (fly-airplane a1 l1-0 l0-0) (unload-airplane p1 a1 l0-0)",
        "(unload-airplane p0 a0 l0-0)",
        "(load-truck p0 t0 l0-0) (load-truck p1 t0 l0-0) (drive-truck t0 l0-0 l0-1 c0) "
        "(unload-truck p0 t0 l0-1) (unload-truck p1 t0 l0-1)",
    ),
    "visitall": Worked(
        "(move loc-x3-y1 loc-x3-y0) (move loc-x3-y0 loc-x2-y0) (move loc-x2-y0 loc-x2-y1) "
        "(move loc-x2-y1 loc-x1-y1) (move loc-x1-y1 loc-x1-y0) (move loc-x1-y0 loc-x0-y0)",
        "(move loc-x2-y1 loc-x1-y1)",
        "(move loc-x1-y0 loc-x0-y0) (move loc-x0-y0 loc-x0-y1) (move loc-x0-y1 loc-x1-y1) "
        "(move loc-x1-y1 loc-x2-y1) (move loc-x2-y1 loc-x3-y1)",
    ),
}


@dataclass(frozen=True)
class Told:
    """A worked problem in one style."""

    setting: Setting
    worked: Worked

    def say(self, action: str) -> str:
        return self.setting.teller.action(GroundAction.parse(action))

    def plan(self, actions: Sequence[str], *, thoughts: bool = False) -> str:
        said = [self.say(action) for action in actions]
        if thoughts:
            said = [f"Thought: Step {number} of my plan.\nAction: {text}" for number, text in enumerate(said, 1)]
        return "\n".join(["[PLAN]", *said, "[PLAN END]"])

    def turns(self, *, thoughts: bool = False) -> list[str]:
        """The conversation of an interactive mechanism, the same in kind for every domain."""
        first, *others = self.worked.plan
        said = [
            ("I want to see how things stand before I begin.", "look around"),
            ("Perhaps this can be done at once.", self.say(self.worked.early)),
            ("That was too early.", "do whatever helps most"),
            ("I shall go step by step, then.", self.say(first)),
            ("That may have been all there is to do.", "finished"),
            *(("The next step follows from the last one.", self.say(action)) for action in others),
        ]
        return [f"Thought: {thought}\nAction: {text}" if thoughts else f"Action: {text}" for thought, text in said]

    def replies(self, policy: str) -> list[str]:
        made = make_policy(policy)
        if made.one_shot:
            return [self.plan(self.worked.plan, thoughts=made.thoughts)]
        return self.turns(thoughts=made.thoughts)


def _told(domain: str, style: str, *, thoughts: bool = False, **beyond: Any) -> Told:
    pddl, worked = shipped_domain(domain).domain, WORKED[domain]
    task, example = (
        Task(pddl, load_problem(GOLDEN / domain / name, pddl)) for name in ("problem.pddl", "example.pddl")
    )
    wording = choose_wording(None, task.domain)

    def teller(task: Task) -> Teller:
        names = make_names(task, "typed" if style == "nl" else "original", wording)
        return Teller(task, wording, names, style)

    plan = tuple(map(GroundAction.parse, worked.example))
    assert validate(example, plan).valid
    shown = tell_example(SolvedProblem(example, plan, "shipped"), teller(example), thoughts=thoughts)
    simulator, tells = Simulator(task), teller(task)
    reader = Reader(task, wording, tells.names) if style == "nl" else PDDLReader(simulator)
    return Told(Setting(RunSpec(task, style=style, **beyond), simulator, tells, reader, example=shown), worked)


def _transcript(played: Any) -> str:
    """Everything that was said: of each prompt what is new in it, and the reply."""
    said = []
    before: tuple[Message, ...] = ()
    for request, replied in zip(played.requests, played.of("replied"), strict=True):
        kept = 0
        for old, new in zip(before, request.messages, strict=False):
            if old != new:
                break
            kept += 1
        if kept < len(before) - 1:
            said.append(f"══════ the conversation goes on behind its first {kept} messages\n")
        whole = (*request.messages, Message("assistant", replied.text))
        said += [f"────── {message.role}\n{message.content}\n" for message in whole[kept:]]
        before = whole
    finished = played.finished
    return "".join(said) + f"══════ {finished.outcome}: {finished.message}; {finished.turns}\n"


def _is_golden(text: str, path: Path) -> None:
    if os.environ.get("PDDL2NL_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("domain", WORKED)
@pytest.mark.parametrize(("policy", "style"), TWINS)
def test_a_conversation_reads_as_the_golden_file(play: Any, domain: str, policy: str, style: str) -> None:
    """Written anew with PDDL2NL_GOLDEN=write; read the difference before it is kept."""
    told = _told(domain, style, thoughts=make_policy(policy).thoughts)
    played = play(policy, told.replies(policy), setting=told.setting)
    assert played.finished.outcome == "solved"
    if not make_policy(policy).one_shot:
        kinds = {"look-around": 1, "inapplicable": 1, "unreadable": 1, "claimed-done": 1}
        assert played.finished.turns == {**kinds, "executed": len(told.worked.plan)}
    _is_golden(_transcript(played), GOLDEN / domain / prompt_file(policy, style))


def _beyond() -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    yield "no_history", "react", "nl", {"history": "none"}
    yield "last_two", "react", "nl", {"history": "last:2"}
    yield "last_two", "act", "pddl", {"history": "last:2"}
    for style in ("nl", "pddl"):
        yield "applicable", "act", style, {"feedback": "applicable"}
        yield "minimal", "act", style, {"feedback": "minimal"}
        yield "rounds", "basic", style, {"rounds": 3}


@pytest.mark.parametrize(("name", "policy", "style", "beyond"), [*_beyond()])
def test_the_ways_beyond_the_paper_read_as_their_golden_files(
    play: Any, name: str, policy: str, style: str, beyond: dict[str, Any]
) -> None:
    history = {key: value for key, value in beyond.items() if key == "history"}
    chosen = {key: value for key, value in beyond.items() if key != "history"}
    told = _told("blocksworld", style, thoughts=make_policy(policy).thoughts, **history)
    plan = list(told.worked.plan)
    replies = told.replies(policy)
    if name == "rounds":
        unread = told.plan(plan).replace(told.say(plan[2]), "take the next block away")
        replies = [unread, told.plan(plan[2:]), told.plan(plan[:-2]), *replies]
    played = play(policy, replies, setting=told.setting, chosen=chosen)
    assert played.finished.outcome == "solved"
    suffix = "" if style == "nl" else "_pddl"
    _is_golden(_transcript(played), GOLDEN / "blocksworld" / f"{policy}_{name}{suffix}.txt")


def test_all_golden_files_are_looked_at() -> None:
    expected = {f"{domain}/{prompt_file(policy, style)}" for domain in WORKED for policy, style in TWINS}
    for name, policy, style, _ in _beyond():
        expected.add(f"blocksworld/{policy}_{name}{'' if style == 'nl' else '_pddl'}.txt")
    assert {path.relative_to(GOLDEN).as_posix() for path in GOLDEN.glob("*/*.txt")} == expected

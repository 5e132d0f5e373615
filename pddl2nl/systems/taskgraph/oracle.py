"""Answers `taskgraph`'s prompts with shipped plans in place of a model; what it needs to know stands in the prompt.

It knows what the texts of shipped tasks mean, and those of the generator's sets: their plans in classes of objects. It
does not know where anything is: the furniture of an ambiguous task it knows only by its class, until the scene says
what it stands beside. After an error it opens what was not looked into, or tries again. After a subtask it corrects
what was put in the wrong place, and puts another thing where one was put twice. In a search it gives the next subtask
of the plan the best score.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from pddl2nl.baselines.told_task import ToldTaskError
from pddl2nl.llm import Message
from pddl2nl.macros.subtasks.nodes import Subtasks
from pddl2nl.nl import Wording
from pddl2nl.pddl import Domain
from pddl2nl.systems.taskgraph.mistakes import mistaken_subtasks
from pddl2nl.systems.taskgraph.prompts import KEYS, LAYOUT, NEXT, REPLAN, scores_reply, shipped_subtasks, subtask_reply
from pddl2nl.systems.taskgraph.replies import END, MOST_SCORE, PlannedSubtask
from pddl2nl.tasks.generators.alfred.words import plan_in
from pddl2nl.tasks.references import told_references

_SHUT = re.compile(r"shut and were not looked into: ([^;]*)")
_KEPT = "<answer>keep</answer>"


def oracle(domain: Domain, wording: Wording, mistake: str | None) -> SubtaskOracle:
    """The oracle for a domain, whose ``subtasks.json`` is that of the shipped domain."""
    return SubtaskOracle(domain, mistake)


def read_subtask(text: str) -> PlannedSubtask:
    """A subtask as prompts and shipped plans write it: ``PutObject(Apple, Fridge)``."""
    name, _, targets = text.strip().removesuffix(")").partition("(")
    return name, *(target.strip() for target in targets.split(","))


class SubtaskOracle:
    """Answers the prompts.

    Args:
        domain: of all tasks.
        mistake: the mistake that it makes, if any (`pddl2nl.systems.taskgraph.mistakes`).
    """

    def __init__(self, domain: Domain, mistake: str | None = None):
        self._domain = domain
        self._mistake = mistake

    def reply(self, messages: Sequence[Message]) -> str | None:
        """The answer to a prompt; None if it is not one of taskgraph's.

        Raises:
            ToldTaskError: the task is not one of the shipped ones, nor told in the generator's words.
        """
        stage = LAYOUT.stage_of(messages)
        if stage is None:
            return None
        subtasks = shipped_subtasks(self._domain)
        sections = LAYOUT.read(messages[-1].content)
        exact = self._exact(sections["Task"])
        if subtasks is None or not exact:
            raise ToldTaskError("I know the shipped tasks of domains with subtasks only, and this is none of them")
        if stage == KEYS:
            return _keys(exact, subtasks, sections["Task"])
        if stage == REPLAN:
            return self._revision(exact, subtasks, sections)
        plan = _classes(exact, subtasks)
        if stage == NEXT:
            return _scores(mistaken_subtasks(self._mistake, plan), sections)
        if self._mistake == "wrong-tag" and "Feedback" not in sections:
            return str(plan)
        return subtask_reply(
            "first this, then that", plan if "Feedback" in sections else mistaken_subtasks(self._mistake, plan)
        )

    def _exact(self, text: str) -> list[PlannedSubtask]:
        """The plan of a text; empty if it is unknown."""
        known = told_references(text, self._domain)
        if known:
            return [read_subtask(block.macro) for block in known[0].ways[0].blocks]
        return [*(plan_in(text) or ())] if self._domain.name == "alfred" else []

    def _revision(self, exact: Sequence[PlannedSubtask], subtasks: Subtasks, sections: Mapping[str, str]) -> str:
        event = sections["Event"]
        rest = [read_subtask(line) for line in _lines(sections.get("Plan", ""))]
        done = [read_subtask(line) for line in _lines(sections.get("Done", ""))]
        if not event.endswith(" is done"):
            behind = _SHUT.search(event)
            opened = [("OpenObject", behind[1].split(", ")[0])] if behind else []
            return subtask_reply("look behind a door, or try again", [*opened, *rest])
        last = done[-1] if done else ("",)
        if last[0] == "PutObject" and done.count(last) > 1 and last[1] not in subtasks.classes:
            mended = [("PickSecond", subtasks.class_of(last[1])), ("PutObject", subtasks.class_of(last[1]), last[2])]
            return subtask_reply(f"{last[1]} was put there before: another one is wanted", [*mended, *rest])
        wanted = _wanted(exact, last)
        thing, where = _put_last(last, sections.get("Scene", ""), subtasks)
        if wanted and where and where != wanted and subtasks.class_of(where) != wanted:
            mended = [("PickupObject", thing), ("PutObject", thing, wanted)]
            return subtask_reply(f"it belongs in {wanted}", [*mended, *rest])
        return subtask_reply("all is well", rest) if self._mistake == "overeager-replan" and rest else _KEPT


def _scores(plan: Sequence[PlannedSubtask], sections: Mapping[str, str]) -> str:
    """10 for what comes next in the plan, and 0 for another candidate; off the plan, 10 for the end."""
    before = [read_subtask(line) for line in _lines(sections.get("Plan", ""))]
    on_plan = before == [*plan[: len(before)]] and len(before) < len(plan)
    best, other = (plan[len(before)], (END,)) if on_plan else ((END,), plan[0])
    return f"<answer>\n{scores_reply([(other, 0), (best, MOST_SCORE)])}\n</answer>"


def _lines(section: str) -> list[str]:
    return [re.sub(r"^\d+\. ", "", line) for line in section.splitlines() if line.strip()]


def _classes(plan: Sequence[PlannedSubtask], subtasks: Subtasks) -> tuple[PlannedSubtask, ...]:
    return tuple((name, *map(subtasks.class_of, targets)) for name, *targets in plan)


def _wanted(exact: Sequence[PlannedSubtask], last: PlannedSubtask) -> str:
    """Where the task wants what was put down last; empty if it was put nowhere, or wherever."""
    if last[0] != "PutObject":
        return ""
    ends = [step[2] for step in exact if step[:2] == last[:2]]
    return ends[-1] if ends and last[2] not in ends else ends[-1] if ends and ends[-1].rpartition("-")[0] else ""


def _put_last(last: PlannedSubtask, scene: str, subtasks: Subtasks) -> tuple[str, str]:
    """The thing that was put down last, and its place, as the scene says; empty if it says nothing."""
    class_of = subtasks.class_of
    pairs = re.findall(r"\(([\w-]+), (?:in|inside), ([\w-]+)\)", scene) if last[0] == "PutObject" else []
    own = [pair for pair in pairs if tuple(map(class_of, pair)) == tuple(map(class_of, last[1:]))]
    return own[-1] if own else ("", "")


def _keys(plan: Sequence[PlannedSubtask], subtasks: Subtasks, text: str) -> str:
    words = text.replace(" ", "").casefold()
    told = [name for name in subtasks.classes if name.casefold() in words]
    names = list(dict.fromkeys([*(name for step in plan for name in map(subtasks.class_of, step[1:])), *told]))
    return f"<answer>\n{json.dumps({'objects': names})}\n</answer>"

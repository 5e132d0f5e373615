"""Answers the prompts of the hybrids with Fast Downward in place of a model, and those of Basic and Act with mistakes.

As `pddl2nl.baselines.oracle`, it knows the domain and the wording, and of a task what its prompt says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from pddl2nl.baselines.mistakes import INVENTED, needed_fact, spoiled
from pddl2nl.baselines.oracle import OracleModel
from pddl2nl.baselines.told_task import NoToldPlanError, ToldTask, read_told_task
from pddl2nl.llm import Message, Request
from pddl2nl.nl import Wording
from pddl2nl.nl.markers import ACTION, PLAN_START
from pddl2nl.pddl import Domain, GroundAtom, write_problem
from pddl2nl.systems.hybrids.prompts import CANDIDATES, LAYOUT, NEXT, PROBLEM

_NUMBER = re.compile(r"^\d+\. ", re.MULTILINE)


def oracle(domain: Domain, wording: Wording, mistake: str | None) -> HybridOracle:
    """The oracle for a domain."""
    return HybridOracle(domain, wording, mistake)


class HybridOracle:
    """Answers the prompts of the hybrids.

    Args:
        domain: the domain of all tasks.
        wording: of the prompts.
        mistake: the mistake that it makes, if any (`pddl2nl.baselines.mistakes`).
    """

    def __init__(self, domain: Domain, wording: Wording, mistake: str | None = None):
        self._domain = domain
        self._wording = wording
        self._mistake = mistake
        self._flat = OracleModel(domain, wording, spoil=partial(spoiled, mistake))

    def reply(self, messages: Sequence[Message]) -> str | None:
        """The answer to a prompt of the hybrids; with a mistake, also to one that asks for a plan or an action.

        Raises:
            ToldTaskError: the task cannot be understood, or it has no plan.
            InfrastructureError: the planner failed or reached a limit.
        """
        stage = LAYOUT.stage_of(messages)
        if stage is None:
            instructions = messages[0].content if messages else ""
            if self._mistake is None or not any(tag in instructions for tag in (PLAN_START, ACTION)):
                return None
            return self._flat.complete(Request(tuple(messages), "planner", 0.0, None, None)).text
        sections = LAYOUT.read(messages[-1].content)
        return {NEXT: self._next, CANDIDATES: self._candidates, PROBLEM: self._problem}[stage](sections)

    def _told(self, sections: Mapping[str, str], state: str) -> ToldTask:
        return read_told_task("\n\n".join((sections["Goal"], sections["Objects"], state)), self._domain, self._wording)

    def _next(self, sections: Mapping[str, str]) -> str:
        """A plan from each state; none where there is none."""
        replies = []
        for number, state in enumerate(_NUMBER.split(sections["States"])[1:], start=1):
            task = self._told(sections, state)
            try:
                initial = task.simulator.initial
                actions = spoiled(self._mistake, task, initial, task.plan_from(initial))
            except NoToldPlanError:
                actions = []
            replies.append("\n".join((f"State {number}:", *actions)))
        return "\n\n".join(replies)

    def _candidates(self, sections: Mapping[str, str]) -> str:
        """The first action of a plan from the state, with the best value, and another possible one with the worst."""
        task = self._told(sections, sections["State"])
        initial = task.simulator.initial
        try:
            best = [*spoiled(self._mistake, task, initial, task.plan_from(initial)[:1])][:1]
        except NoToldPlanError:
            best = []
        others = [*map(task.teller.action, task.simulator.applicable(initial))]
        others = [text for text in others if text not in best][:1]
        return "\n".join([*(f"{text} | 10" for text in best), *(f"{text} | 0" for text in others)])

    def _problem(self, sections: Mapping[str, str]) -> str:
        """The problem as it is told."""
        task = self._told(sections, sections["State"])
        if self._mistake == "missing-init":
            fact = needed_fact(task, task.plan_from(task.simulator.initial))
            task = task if fact is None else task.lacking(fact)
        problem = task.simulator.task.problem
        if self._mistake == "swapped-objects":
            facts = [*problem.init]
            place = next((place for place, fact in enumerate(facts) if len({*fact.args[:2]}) == 2), None)
            if place is not None:
                predicate, first, second, *rest = facts[place]
                facts[place] = GroundAtom((predicate, second, first, *rest))
            problem = replace(problem, init=tuple(facts))
        text = write_problem(problem)
        if self._mistake == "invented-action" and "Feedback" not in sections:
            text = text.replace("(:init", f"(:init ({INVENTED})", 1)
        return text

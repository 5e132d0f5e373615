"""What the oracle answers with the hybrids: plans from states, candidates with values, and the problem.

Its mistakes are those of `pddl2nl.baselines.mistakes`; an invented fact is left out of a problem once it was corrected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice

from pddl2nl.baselines.inputs import problem_in_state
from pddl2nl.baselines.mistakes import INVENTED, needed_fact, spoiled
from pddl2nl.baselines.oracle import PlanOracle
from pddl2nl.baselines.told_task import NoToldPlanError, ToldTask
from pddl2nl.llm import Answer
from pddl2nl.pddl import GroundAtom, Problem, write_problem
from pddl2nl.pddl.rewriting import Renaming
from pddl2nl.policies.setting import Setting
from pddlval import GroundAction, State


def plans_from(setting: Setting, states: Sequence[State]) -> Answer:
    """A plan from each state, under its heading; nothing without one."""

    def answer(oracle: PlanOracle) -> str:
        replies = []
        for number, state in enumerate(states, start=1):
            replies.append("\n".join((f"State {number}:", *_plan(oracle, _told(setting, state)))))
        return "\n\n".join(replies)

    return answer


def candidates_in(
    setting: Setting, state: State, count: int, plans: dict[State, tuple[GroundAction, ...] | None]
) -> Answer:
    """The next action of a plan from the state, with the best value, and other possible ones with the worst.

    Plans are kept for the states on their way in ``plans``: a new plan from each state could lead back to one that the
    search knows, and then nothing leads on.
    """

    def answer(oracle: PlanOracle) -> str:
        simulator, names = setting.simulator, setting.teller.names.to_nl
        if state not in plans:
            plan = oracle.plan(simulator.task, state)
            for place, here in enumerate(simulator.follow(state, plan or ()).states):
                plans.setdefault(here, None if plan is None else plan[place:])
        task = _told(setting, state)
        action = [GroundAction(each.name, tuple(names[arg] for arg in each.args)) for each in (plans[state] or ())[:1]]
        best = _said(oracle, task, action)[:1]
        leading = (action for action, successor in simulator.successors(state) if successor != state)
        others = islice((text for text in map(setting.teller.action, leading) if text not in best), count - 1)
        return "\n".join([*(f"{text} | 10" for text in best), *(f"{text} | 0" for text in others)])

    return answer


def problem_written(setting: Setting, *, corrected: bool) -> Answer:
    """The problem; ``corrected`` says that an earlier one could not be read."""

    def answer(oracle: PlanOracle) -> str:
        task, mistake = _told(setting, setting.simulator.initial), oracle.mistake
        if mistake == "missing-init":
            fact = needed_fact(task, task.plan_from(task.simulator.initial))
            task = task if fact is None else task.lacking(fact)
        problem = task.task.problem
        if mistake == "swapped-objects":
            facts = [*problem.init]
            place = next((place for place, fact in enumerate(facts) if len({*fact.args[:2]}) == 2), None)
            if place is not None:
                predicate, first, second, *rest = facts[place]
                facts[place] = GroundAtom((predicate, second, first, *rest))
            problem = replace(problem, init=tuple(facts))
        text = write_problem(problem)
        if mistake == "invented-action" and not corrected:
            text = text.replace("(:init", f"(:init ({INVENTED})", 1)
        return text

    return answer


def with_objects(problem: Problem, new: Mapping[str, str]) -> Problem:
    renaming = Renaming(term=lambda term: new.get(term, term))

    def renamed(atom: GroundAtom) -> GroundAtom:
        return GroundAtom((atom.predicate, *map(renaming.term, atom.args)))

    return replace(
        problem,
        objects=renaming.typed(problem.objects),
        init=tuple(map(renamed, problem.init)),
        init_values=tuple(replace(each, fluent=renamed(each.fluent)) for each in problem.init_values),
        init_negative=tuple(map(renamed, problem.init_negative)),
        goal=renaming.formula(problem.goal),
        source=None,
    )


def _told(setting: Setting, state: State) -> ToldTask:
    """The task from a state, under the names by which it is told."""
    task, teller = setting.simulator.task, setting.teller
    problem = problem_in_state(task.problem, sorted(state.atoms), state.values)
    own = {item.name: teller.names.to_nl[item.name] for item in problem.objects}
    return ToldTask(with_objects(problem, own), task.domain, teller.wording, "nl")


def _plan(oracle: PlanOracle, task: ToldTask) -> list[str]:
    """A plan from the beginning of a task, told with the oracle's mistake; nothing without a plan."""
    try:
        return _said(oracle, task, task.plan_from(task.simulator.initial))
    except NoToldPlanError:
        return []


def _said(oracle: PlanOracle, task: ToldTask, plan: Sequence[GroundAction]) -> list[str]:
    try:
        return spoiled(oracle.mistake or None, task, task.simulator.initial, plan)
    except NoToldPlanError:
        return []

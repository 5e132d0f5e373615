"""Decisions agree with looking at every reachable state, and so do the questions that are made of them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations, islice
from typing import Any

import pytest

from pddl2nl.baselines import PlannerResult, solve
from pddl2nl.errors import InputError
from pddl2nl.nl import Teller
from pddl2nl.pddl import GroundAtom, Task, parse_task
from pddl2nl.questions.deciding import Decider, all_actions, all_atoms, condition_of, goal_atoms, removals, without
from pddl2nl.questions.making import TOPICS, make_questions
from pddl2nl.questions.question import Form, Question
from pddl2nl.search.grounding import GroundActions
from pddl2nl.search.mutexes import Mutexes
from pddlval import GroundAction, Simulator, State, validate
from tests.macros.small_tasks import ATOMS, small_task
from tests.questions.asked import (
    FERRY,
    ISLANDS,
    PROBLEM,
    TWO_AND_ONE,
    plan_in,
    plan_of,
    questions,
    subject_of,
    task_of,
    words,
)
from tests.walks import reachable


def small_tasks(count: int) -> Iterator[Task]:
    """Random tasks: quantifiers, disjunctions, conditional effects, derived predicates, initial state and goal."""
    for seed in range(count):
        rng = random.Random(seed)
        task = small_task(rng, numbers=False)
        # The action "all" makes everything true.
        domain = replace(task.domain, actions=task.domain.actions[:3])
        init = (GroundAtom(("s", "a")), *(atom for atom in ATOMS if rng.random() < 0.3))
        goal = condition_of(rng.sample(ATOMS, 2))
        yield Task(domain, replace(task.problem, init=init, goal=goal))


def test_what_is_refuted_holds_in_no_reachable_state() -> None:
    refuted = 0
    for task in small_tasks(30):
        simulator = Simulator(task)
        states, mutexes = reachable(simulator), Mutexes(GroundActions(simulator), simulator.initial)
        for atoms in (*combinations(all_atoms(task), 1), *combinations(all_atoms(task), 2)):
            if mutexes.refutation(condition_of(atoms)) is not None:
                refuted += 1
                assert not any(all(map(state.true, atoms)) for state in states), (task, atoms)
    assert refuted > 30


def test_decisions_on_facts_and_actions_agree_with_all_reachable_states() -> None:
    decided = {True: 0, False: 0}
    for task in small_tasks(30):
        simulator = Simulator(task)
        states, decider = reachable(simulator), Decider(GroundActions(simulator), seconds=0)
        for atoms in (*combinations(all_atoms(task), 1), *combinations(all_atoms(task), 2)):
            decision = decider.reach(condition_of(atoms))
            if decision is not None:
                decided[decision.answer] += 1
                assert decision.answer is any(all(map(state.true, atoms)) for state in states), (task, atoms)
        for action in all_actions(task):
            decision = decider.action(action)
            if decision is not None:
                assert decision.answer is any(simulator.is_applicable(state, action) for state in states)
    assert min(decided.values()) > 30


def test_a_landmark_is_on_every_way_to_the_goal() -> None:
    found = 0
    for task in small_tasks(30):
        simulator = Simulator(task)
        if not any(map(simulator.is_goal, reachable(simulator))):
            continue
        decider = Decider(GroundActions(simulator), seconds=0)
        for atom in all_atoms(task):
            decision = decider.landmark(atom)
            if decision is not None and decision.answer:
                avoiding = reachable(simulator, lambda state, atom=atom: not state.true(atom))
                found += not simulator.initial.true(atom)
                assert not any(map(simulator.is_goal, avoiding)), (task, atom)
    assert found > 1


def test_a_short_search_finds_plans_that_avoid_a_fact_without_a_planner(monkeypatch: pytest.MonkeyPatch) -> None:
    late = PlannerResult("lama", "timeout", None, None, 0.0, None, "none")
    monkeypatch.setattr("pddl2nl.questions.deciding.solve", lambda *_, **__: late)
    found = 0
    for task in small_tasks(100):
        simulator = Simulator(task)
        decider = Decider(GroundActions(simulator))
        for atom in all_atoms(task):
            decision = decider.landmark(atom)
            if decision is not None and not decision.answer:
                found += 1
                states = simulator.follow(simulator.initial, plan_of(decision.certificate["plan"])).states
                assert simulator.is_goal(states[-1])
                assert not any(state.true(atom) for state in states)
            elif decision is None:
                # Few states can be reached: the search saw them all.
                avoiding = reachable(simulator, lambda state, atom=atom: not state.true(atom))
                assert not any(map(simulator.is_goal, avoiding)), (task, atom)
    assert found > 20


def test_a_negative_need_counts() -> None:
    # (lit) never ends, and only an action that needs it to be false adds (dark).
    task = parse_task(
        "(define (domain d) (:predicates (lit) (dark)) (:requirements :negative-preconditions)"
        "(:action close :parameters () :precondition (not (lit)) :effect (dark)))",
        "(define (problem p) (:domain d) (:init (lit)) (:goal (dark)))",
    )
    simulator = Simulator(task)
    dark = condition_of([GroundAtom(("dark",))])
    assert Mutexes(GroundActions(simulator), simulator.initial).refutation(dark) == ("(dark)",)


@pytest.mark.heavy
@pytest.mark.usefixtures("needs_planner")
def test_a_planner_agrees_that_there_is_no_plan_without_a_landmark() -> None:
    task = parse_task(FERRY, PROBLEM)
    assert solve(without(task, GroundAtom(("on", "c"))), "brfs").status == "unsolvable"
    assert solve(without(task, GroundAtom(("on", "d"))), "brfs").status == "solved"


def test_the_next_action_of_a_ferry() -> None:
    decider = Decider(GroundActions(Simulator(parse_task(FERRY, PROBLEM))))
    # Optimal: sail l k, board c k, sail k l, debark c l.
    assert decider.optimal == 4
    forward = decider.next_action(GroundAction("sail", ("l", "k")))
    waiting = decider.next_action(GroundAction("sail", ("l", "l")))
    assert forward is not None
    assert waiting is not None
    assert (forward.answer, forward.certificate) == (True, {"before": 4.0, "after": 4.0})
    assert (waiting.answer, waiting.certificate) == (False, {"before": 4.0, "after": 5.0})


@pytest.mark.heavy
@pytest.mark.usefixtures("needs_planner")
def test_costs_decide_the_next_action_where_there_is_a_metric() -> None:
    costly = FERRY.replace("(:predicates", "(:functions (total-cost)) (:predicates").replace(":strips", ":action-costs")
    costly = costly.replace("(ferry ?t) (not", "(ferry ?t) (increase (total-cost) 5) (not")
    costly = costly.replace("(on ?c) (not (at", "(on ?c) (increase (total-cost) 1) (not (at")
    costly = costly.replace("(empty) (not (on", "(empty) (increase (total-cost) 1) (not (on")
    problem = PROBLEM.replace("(:init", "(:init (= (total-cost) 3)")
    problem = problem.replace("(:goal", "(:metric minimize (total-cost)) (:goal")
    decider = Decider(GroundActions(Simulator(parse_task(costly, problem))))
    # 3 were spent before; 5 + 1 + 5 + 1 remain.
    assert decider.optimal == 15
    answers = [decider.next_action(GroundAction("sail", ("l", place))) for place in ("k", "l")]
    assert [decision is not None and decision.answer for decision in answers] == [True, False]


def test_what_can_be_left_out_of_a_plan() -> None:
    simulator = Simulator(parse_task(FERRY, PROBLEM))
    texts = ("sail l k", "board d k", "debark d k", "board c k", "sail k l", "debark c l", "sail l k")
    plan = [GroundAction.parse(text) for text in texts]
    assert [*removals(simulator, simulator.initial, plan)] == [(6, 1), (1, 2)]


def test_too_many_actions_prove_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pddl2nl.search.grounding.MOST_ACTIONS", 3)
    simulator = Simulator(parse_task(FERRY, PROBLEM))
    mutexes = Mutexes(GroundActions(simulator), simulator.initial)
    assert mutexes.refutation(condition_of([GroundAtom(("at", "c", "k")), GroundAtom(("at", "c", "l"))])) is None


# ── questions are balanced, each once, the same for a seed, and right by independent means ────────


ASKED = [(kind, form) for kind, topic in TOPICS.items() for form in topic.forms]


def simulator_of(question: Question) -> Simulator:
    return Simulator(task_of(question))


@pytest.mark.parametrize(("kind", "form"), ASKED)
def test_questions_are_balanced_and_come_once(kind: str, form: Form) -> None:
    asked = questions(kind, form)
    assert len(asked) >= 2
    assert len({(each.context, each.question, frozenset(each.choices)) for each in asked}) == len(asked)
    assert len({each.id for each in asked}) == len(asked)
    assert all(each.certificate for each in asked)
    counts = Counter(str(each.answer) for each in asked)
    if form != "open":
        # Of a kind that few texts hide there may be fewer questions than letters.
        due = [counts.pop(answer, 0) for answer in (("yes", "no") if form == "bool" else "ABCD")]
        assert not counts
        assert max(due) - min(due) <= 1
        assert all(len(set(each.choices)) == 4 for each in asked if form == "choice")


def test_a_seed_decides_everything() -> None:
    assert questions("progression", "choice", seed=1) != questions("progression", "choice", seed=2)
    questions.cache_clear()
    again = questions("progression", "choice", seed=1)
    questions.cache_clear()
    assert questions("progression", "choice", seed=1) == again


@pytest.mark.parametrize("form", ["bool", "choice"])
def test_applicability_agrees_with_the_simulator(form: Form) -> None:
    for question in questions("applicability", form):
        simulator = simulator_of(question)
        texts = question.choices or (subject_of(question),)
        right = [simulator.is_applicable(simulator.initial, text) for text in texts]
        assert right == ([question.answer == "yes"] if form == "bool" else [x == question.answer for x in "ABCD"])


def distance(simulator: Simulator, state: State) -> int:
    """The length of a shortest plan, by breadth-first search."""
    layer, seen, steps = {state}, {state}, 0
    while not any(map(simulator.is_goal, layer)):
        layer = {successor for here in layer for _, successor in simulator.successors(here) if successor not in seen}
        seen |= layer
        steps += 1
    return steps


@pytest.mark.parametrize("form", ["bool", "choice"])
def test_the_next_action_is_on_a_shortest_plan(form: Form) -> None:
    for question in questions("next-action", form):
        simulator = simulator_of(question)
        before = distance(simulator, simulator.initial)
        right = []
        for text in question.choices or (subject_of(question),):
            successor = simulator.step(simulator.initial, text).successor
            right.append(successor is not None and distance(simulator, successor) + 1 == before)
        assert right == ([question.answer == "yes"] if form == "bool" else [x == question.answer for x in "ABCD"])


def atoms_in(text: str) -> list[GroundAtom]:
    return [GroundAtom(part.strip("() ").split()) for part in text.split(" and ")]


def is_fact_at_the_end(question: Question, text: str) -> bool:
    simulator = simulator_of(question)
    plan = plan_in(question.question)
    plan = plan or [GroundAction.parse(question.question.partition("executed: ")[2].partition(". ")[0])]
    followed = simulator.follow(simulator.initial, plan)
    assert followed.complete
    return all(map(followed.state.true, atoms_in(text)))


@cache
def reached_in(domain: str, problem: str) -> tuple[Simulator, list[State]]:
    simulator = Simulator(parse_task(domain, problem))
    return simulator, reachable(simulator)


def is_reached(question: Question, text: str) -> bool:
    _, states = reached_in(question.PDDL_domain, question.PDDL_problem)
    return any(all(map(state.true, atoms_in(text))) for state in states)


def is_applicable_at_some_time(question: Question, text: str) -> bool:
    simulator, states = reached_in(question.PDDL_domain, question.PDDL_problem)
    return any(simulator.is_applicable(state, text) for state in states)


def is_landmark(question: Question, text: str) -> bool:
    simulator, (fact,) = simulator_of(question), atoms_in(text)
    assert any(map(simulator.is_goal, reachable(simulator)))
    return not any(map(simulator.is_goal, reachable(simulator, lambda state: not state.true(fact))))


def is_superfluous(question: Question, text: str) -> bool:
    plan = plan_in(question.question)
    assert validate(task_of(question), plan).valid
    left_out = {int(word) - 1 for word in text.split() if word.isdigit()}
    return validate(task_of(question), [item for at, item in enumerate(plan) if at not in left_out]).valid


BY_BRUTE_FORCE: dict[str, Callable[[Question, str], bool]] = {
    "progression": is_fact_at_the_end,
    "execution": is_fact_at_the_end,
    "reachability": is_reached,
    "action-reachability": is_applicable_at_some_time,
    "landmarks": is_landmark,
    "justification": is_superfluous,
}


@pytest.mark.parametrize("kind", BY_BRUTE_FORCE)
@pytest.mark.parametrize("form", ["bool", "choice"])
def test_answers_agree_with_looking_at_every_state(kind: str, form: Form) -> None:
    for question in questions(kind, form):
        subject = question.question.rpartition(": ")[2].rpartition(" without ")[2].removesuffix("?")
        right = [BY_BRUTE_FORCE[kind](question, text) for text in question.choices or (subject,)]
        assert right == ([question.answer == "yes"] if form == "bool" else [x == question.answer for x in "ABCD"])


def test_validation_agrees_with_the_validator() -> None:
    verdicts = set()
    for question in questions("validation", "bool"):
        report = validate(task_of(question), plan_in(question.question))
        assert (question.answer == "yes") is report.valid
        verdicts.add(report.verdict)
    assert len(verdicts) > 1
    for question in questions("validation", "open"):
        report = validate(task_of(question), plan_in(question.question))
        assert report.failed_step == question.answer + 1


def test_what_is_left_out_leaves_a_plan() -> None:
    for question in questions("justification", "open"):
        task, plan = task_of(question), plan_in(question.question)
        shorter = plan_of(question.certificate["shorter_plan"])
        assert validate(task, plan).valid
        assert validate(task, shorter).valid
        assert len(shorter) < len(plan)


def test_plans_in_certificates_lead_where_they_say() -> None:
    checked = 0
    for question in questions("reachability", "bool"):
        if question.answer == "yes":
            simulator = simulator_of(question)
            followed = simulator.follow(simulator.initial, question.certificate["plan"])
            assert followed.complete
            atoms = [GroundAtom(part.strip("()").split()) for part in subject_of(question).split(" and ")]
            assert all(map(followed.state.true, atoms))
            checked += 1
    assert checked == 4


def test_what_one_word_tells_is_not_asked() -> None:
    """No ferry comes to q, and cars are boarded at all other places; where it sails depends on two places."""
    asked = questions("action-reachability", "bool", 20)
    assert len(asked) == 20
    assert all(subject_of(each).startswith("(sail ") and " q" not in subject_of(each) for each in asked)


def test_texts_in_language() -> None:
    question: Any = questions("applicability", "bool", 1, 1, "nl")[0]
    assert question.context.endswith("d is at k.") or "Currently, " in question.context
    assert question.question.startswith("Can this action be executed now: ")
    # Where the goal does not matter it is not told.
    assert "My goal" not in question.context
    assert "My goal" in questions("validation", "bool", 1, 1, "nl")[0].context


def test_a_task_without_a_plan_has_no_questions_about_plans() -> None:
    task = parse_task(ISLANDS, TWO_AND_ONE.replace("(at c k) (at d k)", "(at d k)"))
    teller = Teller(task, *words(task))
    assert [*islice(make_questions(task, teller, "justification", "bool", 3), 3)] == []
    assert len([*make_questions(task, teller, "applicability", "bool", 3)]) == 3


def test_a_kind_is_asked_in_its_own_forms() -> None:
    with pytest.raises(InputError, match="--kind replanning --form bool: it is asked in the form open"):
        questions("replanning", "bool")


def test_an_optimal_plan_is_a_shortest_one() -> None:
    for question in questions("optimal-plan", "open"):
        simulator = simulator_of(question)
        assert distance(simulator, simulator.initial) == int(question.answer["cost"])


def test_verification_names_what_the_validator_finds() -> None:
    verdicts = set()
    for question in questions("verification", "open"):
        report = validate(task_of(question), plan_in(question.question))
        assert (question.answer["verdict"], question.answer["failed_step"]) == (report.verdict, report.failed_step)
        verdicts.add(report.verdict)
    assert len(verdicts) > 1


def test_execution_ends_in_the_simulators_state() -> None:
    for question in questions("execution", "open"):
        simulator = simulator_of(question)
        followed = simulator.follow(simulator.initial, plan_in(question.question))
        assert followed.complete
        changing = [str(atom) for atom in followed.state if atom[0] != "link"]
        assert question.answer == changing


def test_a_change_is_told_and_the_plan_begins_behind_it() -> None:
    for question in questions("replanning", "open"):
        # The context tells the state before; the problem begins with the changed one.
        told = parse_task(question.PDDL_domain, question.PDDL_problem.partition("(:init")[0] + _init_of(question))
        simulator = Simulator(told)
        step = int(question.question.partition("After action ")[2].split()[0])
        followed = simulator.follow(simulator.initial, plan_in(question.question)[:step])
        assert followed.complete
        state = followed.state
        now = set(simulator_of(question).initial)
        for turn, atoms in (("true", now - set(state)), ("false", set(state) - now)):
            sentence = f"This became {turn}: {' and '.join(map(str, sorted(atoms)))}."
            assert (sentence in question.question) is bool(atoms)


def _init_of(question: Question) -> str:
    """The told state and goal, as the rest of a problem file."""
    return "(:init" + question.context.rpartition("(:init")[2] + ")"


def test_the_beginning_of_the_other_plan_is_enough() -> None:
    for question in questions("plan-reuse", "open"):
        shown = plan_in(question.question)
        plan = plan_of(question.answer["plan"])
        assert shown[: len(plan)] == plan
        assert not validate(task_of(question), plan[:-1]).valid


def test_the_same_goal_in_another_order() -> None:
    for question in questions("goal-shuffling", "open"):
        assert "(:goal (and (at d l) (at c l)))" in question.context
        assert "the goal that (and (at c l) (at d l)):" in question.question


def test_the_whole_state_as_a_goal() -> None:
    for question in questions("goal-rewording", "open"):
        # What is shown for one of the two goals also reaches the other.
        assert validate(task_of(question), plan_in(question.question)).valid
        assert ("(:goal (at c l))" in question.context) is ("the goal that (at c l):" not in question.question)


def test_a_larger_goal_is_reached_by_more_of_the_same() -> None:
    for question in questions("generalisation", "open"):
        first, second = question.question.partition("The goal that ")[::2]
        task, plan = task_of(question), plan_of(question.answer["plan"])
        shown, twice = plan_in(first), plan_in(second)
        parts = len(goal_atoms(task.problem.goal))
        assert parts > 2
        names = [action.name for action in shown]
        assert [action.name for action in twice] == names * 2
        assert [action.name for action in plan] == names * parts
        # What is shown reaches a part of the goal, and no more.
        assert not validate(task, twice).valid
        assert validate(task, plan).valid

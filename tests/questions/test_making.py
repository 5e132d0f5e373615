"""Questions of a task: balanced, each once, the same for a seed, and right by independent means."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import islice
from typing import Any

import pytest

from pddl2nl.nl import Names, Teller, template_wording
from pddl2nl.nl.telling.teller import Style
from pddl2nl.pddl import GroundAtom, parse_task
from pddl2nl.questions.making import make_questions
from pddl2nl.questions.question import FORMS, KINDS, Form, Question
from pddlval import GroundAction, Simulator, State, validate
from tests.questions.test_deciding import FERRY, PROBLEM, reachable

ISLANDS = FERRY.replace("(empty))", "(empty) (link ?f ?t - place))", 1).replace(
    ":precondition (ferry ?f)", ":precondition (and (ferry ?f) (link ?f ?t))"
)
"""The ferry sails only where there is a link; none leads to m."""
TWO_AND_ONE = PROBLEM.replace("k l - place", "k l m - place").replace("(empty))", "(empty) (link k l) (link l k))")

pytestmark = pytest.mark.usefixtures("needs_planner")


@cache
def questions(kind: str, form: Form, count: int = 12, seed: int = 1, style: Style = "pddl") -> tuple[Question, ...]:
    """Questions about a ferry with two cars and three places; in the style pddl, whose texts are easily compared."""
    task = parse_task(ISLANDS, TWO_AND_ONE)
    teller = Teller(task, template_wording(task.domain), Names({name: name for name in task.objects}), style)
    return tuple(make_questions(task, teller, kind, form, count, seed=seed))


def simulator_of(question: Question) -> Simulator:
    return Simulator(parse_task(question.PDDL_domain, question.PDDL_problem))


def subject_of(question: Question) -> str:
    """What a question asks about, or what the right choice says."""
    if question.form == "choice":
        return question.choices["ABCD".index(question.answer)]
    return question.question.partition(": ")[2].removesuffix("?").rpartition(": ")[2]


SEARCHED = ("landmarks", "next-action")
"""The kinds for which a planner is asked again and again."""


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.heavy if kind in SEARCHED else ()) for kind in KINDS]
)
@pytest.mark.parametrize("form", FORMS)
def test_questions_are_balanced_and_come_once(kind: str, form: Form) -> None:
    asked = questions(kind, form)
    assert len(asked) >= 4
    assert len({(each.PDDL_problem, each.question, frozenset(each.choices)) for each in asked}) == len(asked)
    assert len({each.id for each in asked}) == len(asked)
    assert all(each.certificate for each in asked)
    counts = Counter(str(each.answer) for each in asked)
    if form != "open":
        assert set(counts) == ({"yes", "no"} if form == "bool" else {"A", "B", "C", "D"})
        assert max(counts.values()) - min(counts.values()) <= 1
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


@pytest.mark.parametrize("form", ["bool", "choice"])
def test_reachability_agrees_with_all_states(form: Form) -> None:
    for question in questions("reachability", form):
        states = reachable(simulator_of(question))

        def holds_somewhere(text: str, states: set[State] = states) -> bool:
            atoms = [GroundAtom(part.strip("()").split()) for part in text.split(" and ")]
            return any(all(map(state.true, atoms)) for state in states)

        texts = question.choices or (subject_of(question),)
        right = [*map(holds_somewhere, texts)]
        assert right == ([question.answer == "yes"] if form == "bool" else [x == question.answer for x in "ABCD"])


@pytest.mark.parametrize("form", ["bool", "choice"])
def test_action_reachability_agrees_with_all_states(form: Form) -> None:
    for question in questions("action-reachability", form):
        simulator = simulator_of(question)
        states = reachable(simulator)
        texts = question.choices or (subject_of(question),)
        right = [any(simulator.is_applicable(state, text) for state in states) for text in texts]
        assert right == ([question.answer == "yes"] if form == "bool" else [x == question.answer for x in "ABCD"])


@pytest.mark.heavy
@pytest.mark.parametrize("form", ["bool", "choice"])
def test_landmarks_are_on_every_way(form: Form) -> None:
    for question in questions("landmarks", form):
        simulator = simulator_of(question)

        def needed(text: str, simulator: Simulator = simulator) -> bool:
            atom = GroundAtom(text.strip("()").split())
            return not any(map(simulator.is_goal, reachable(simulator, lambda state: not state.true(atom))))

        texts = question.choices or (subject_of(question),)
        right = [*map(needed, texts)]
        assert right == ([question.answer == "yes"] if form == "bool" else [x == question.answer for x in "ABCD"])


def distance(simulator: Simulator, state: State) -> int:
    """The length of a shortest plan, by breadth-first search."""
    layer, seen, steps = {state}, {state}, 0
    while not any(map(simulator.is_goal, layer)):
        layer = {
            successor
            for here in layer
            for action in simulator.applicable(here)
            if (successor := simulator.step(here, action).successor) is not None and successor not in seen
        }
        seen |= layer
        steps += 1
    return steps


@pytest.mark.heavy
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


def plan_in(text: str) -> list[GroundAction]:
    return [GroundAction.parse(line.partition(". ")[2]) for line in text.splitlines() if line[:1].isdigit()]


def test_validation_agrees_with_the_validator() -> None:
    verdicts = set()
    for question in questions("validation", "bool"):
        report = validate(parse_task(question.PDDL_domain, question.PDDL_problem), plan_in(question.question))
        assert (question.answer == "yes") is report.valid
        verdicts.add(report.verdict)
    assert len(verdicts) > 1
    for question in questions("validation", "open"):
        report = validate(parse_task(question.PDDL_domain, question.PDDL_problem), plan_in(question.question))
        assert report.failed_step == question.answer + 1


def test_what_is_left_out_leaves_a_plan() -> None:
    for question in questions("justification", "open"):
        task, plan = parse_task(question.PDDL_domain, question.PDDL_problem), plan_in(question.question)
        shorter = [GroundAction.parse(text) for text in question.certificate["shorter_plan"]]
        assert validate(task, plan).valid
        assert validate(task, shorter).valid
        assert len(shorter) < len(plan)


def test_plans_in_certificates_lead_where_they_say() -> None:
    checked = 0
    for question in questions("reachability", "bool"):
        if question.answer == "yes":
            simulator = simulator_of(question)
            state = simulator.initial
            for text in question.certificate["plan"]:
                successor = simulator.step(state, text).successor
                assert successor is not None
                state = successor
            atoms = [GroundAtom(part.strip("()").split()) for part in subject_of(question).split(" and ")]
            assert all(map(state.true, atoms))
            checked += 1
    assert checked == 6


def test_texts_in_language() -> None:
    question: Any = questions("applicability", "bool", 1, 1, "nl")[0]
    assert question.context.endswith("d is at k.") or "Currently, " in question.context
    assert question.question.startswith("Can this action be executed now: ")
    # Where the goal does not matter it is not told.
    assert "My goal" not in question.context
    assert "My goal" in questions("validation", "bool", 1, 1, "nl")[0].context


def test_a_task_without_a_plan_has_no_questions_about_plans() -> None:
    task = parse_task(ISLANDS, TWO_AND_ONE.replace("(at c k) (at d k)", "(at d k)"))
    teller = Teller(task, template_wording(task.domain), Names({name: name for name in task.objects}))
    assert [*islice(make_questions(task, teller, "landmarks", "bool", 3), 3)] == []
    assert len([*make_questions(task, teller, "applicability", "bool", 3)]) == 3

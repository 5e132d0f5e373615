"""Transformations by name: every one on one task, several after each other, plans and wordings with them."""

from __future__ import annotations

import pytest

from pddl2nl.nl import check_wording, template_wording
from pddl2nl.pddl import Task, parse_domain, parse_problem, parse_task, write_domain, write_problem
from pddl2nl.tasks.transformations import TRANSFORMATIONS, changes_of
from pddlval import read_plan, validate

DOMAIN = parse_domain(
    "(define (domain roads) (:requirements :strips :action-costs) (:predicates (at ?p) (road ?a ?b))"
    " (:functions (length ?a ?b) (total-cost))"
    " (:action drive :parameters (?from ?to) :precondition (and (at ?from) (road ?from ?to))"
    " :effect (and (at ?to) (not (at ?from)) (increase (total-cost) (length ?from ?to)))))"
)
PLAN = read_plan("(drive home shop)\n(drive shop work)")


def problem_of(name: str, second: int) -> Task:
    """Two roads, of which the first is 4 long."""
    text = (
        f"(define (problem {name}) (:domain roads) (:objects home shop work) (:init (at home) (road home shop)"
        f" (road shop work) (= (length home shop) 4) (= (length shop work) {second}) (= (total-cost) 0))"
        " (:goal (at work)) (:metric minimize (total-cost)))"
    )
    return Task(DOMAIN, parse_problem(text, DOMAIN))


@pytest.mark.parametrize("names", [*((name,) for name in TRANSFORMATIONS), ("strip-costs", "obfuscate:mystery")])
def test_task_plan_and_wording_go_along(names: tuple[str, ...]) -> None:
    task, plan, wording = problem_of("one", 5), PLAN, template_wording(DOMAIN)
    for change in changes_of(DOMAIN, [task.problem], names, 3):
        task, plan, wording = change.task(task), change.plan(plan), change.wording(wording)
    assert parse_task(write_domain(task.domain), write_problem(task.problem)) == task
    report = validate(task, plan)
    assert report.valid
    assert report.cost == (2 if any("strip-costs" in name for name in names) else 9)
    assert check_wording(wording, task.domain) == wording


def test_all_instances_of_a_domain_get_the_same_one() -> None:
    alike, other = problem_of("alike", 4), problem_of("other", 5)
    problems = [alike.problem, other.problem]
    for names in (*((name,) for name in TRANSFORMATIONS), ("strip-costs", "obfuscate:random")):
        one, two = alike, other
        for change in changes_of(DOMAIN, problems, names, 2):
            one, two = change.task(one), change.task(two)
        assert one.domain == two.domain
    (change,) = changes_of(DOMAIN, problems[:1], ["strip-costs"], 1)
    assert change.task(alike) == alike
    (change,) = changes_of(DOMAIN, problems, ["strip-costs"], 1)
    assert change.task(alike).problem.metric is None

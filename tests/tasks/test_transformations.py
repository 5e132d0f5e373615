"""Transformations by name: every one on one task, several after each other, plans and wordings with them."""

from __future__ import annotations

import json

import pytest

from pddl2nl.errors import InputError
from pddl2nl.nl import check_wording, template_wording
from pddl2nl.pddl import Task, parse_domain, parse_problem, parse_task, write_domain, write_problem
from pddl2nl.tasks.transformations import TRANSFORMATIONS, transform
from pddlval import GroundAction, read_plan, validate

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


@pytest.mark.parametrize("name", [*TRANSFORMATIONS, "strip-costs,obfuscate:mystery+objects"])
def test_task_plan_and_wording_go_along(name: str) -> None:
    task = problem_of("one", 5)
    done = transform(task, name, 3)
    assert parse_task(write_domain(done.task.domain), write_problem(done.task.problem)) == done.task
    plan = done.plan(PLAN)
    report = validate(done.task, plan)
    assert report.valid
    assert report.cost == (2 if "strip-costs" in name else 9)
    assert done.original_plan(plan).actions == PLAN.actions
    action = GroundAction("drive", ("home", "shop"))
    assert done.action(action) == plan.actions[0]
    assert done.original_action(done.action(action)) == action
    worded = done.wording(template_wording(DOMAIN))
    assert check_wording(worded, done.task.domain) == worded
    record = json.loads(json.dumps(done.as_json()))
    assert [entry["transformation"] for entry in record] == name.split(",")
    assert done.original is task


def test_all_instances_of_a_domain_get_the_same_one() -> None:
    alike, other = problem_of("alike", 4), problem_of("other", 5)
    beside = (alike.problem, other.problem)
    for name in (*TRANSFORMATIONS, "strip-costs,obfuscate:random"):
        assert transform(alike, name, 2, beside).task.domain == transform(other, name, 2, beside).task.domain
    assert transform(alike, "strip-costs").task == alike
    assert transform(alike, "strip-costs", beside=beside).task.problem.metric is None


def test_an_unknown_name_is_refused_with_a_near_one() -> None:
    with pytest.raises(InputError, match="no transformation 'obfuscate:genric'; did you mean 'obfuscate:generic'"):
        transform(problem_of("one", 5), "obfuscate:genric")
    with pytest.raises(InputError, match="no transformation ''; there are obfuscate:generic, "):
        transform(problem_of("one", 5), "strip-costs,")

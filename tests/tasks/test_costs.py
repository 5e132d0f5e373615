"""Action costs removed where they are not uniform: what goes, what stays and why, and the verdicts afterwards."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pddl2nl.errors import InputError
from pddl2nl.nl import check_wording, template_wording
from pddl2nl.pddl import Task, parse_domain, parse_problem, write_domain, write_problem
from pddl2nl.tasks.costs import StrippedCosts, strip_costs
from pddlval import read_plan, validate

DOMAIN = """
(define (domain roads)
  (:requirements :typing :action-costs)
  (:types place)
  (:predicates (at ?p - place) (road ?a ?b - place))
  (:functions (length ?a ?b - place) (fee) (fuel) (total-cost) - number)
  (:action drive :parameters (?a ?b - place) :precondition (and (at ?a) (road ?a ?b))
    :effect (and (at ?b) (not (at ?a)) (increase (total-cost) {drive})))
  (:action rest :parameters (?a - place) :precondition (at ?a) :effect {rest}))
"""
PROBLEM = """
(define (problem {name}) (:domain roads) (:objects a b c - place)
  (:init (at a) (road a b) (road b c) {values} (= (fee) 2) (= (fuel) 9) (= (total-cost) 0))
  (:goal {goal})
  {metric})
"""
COST = "(:metric minimize (total-cost))"
LENGTHS = "(= (length a b) 4) (= (length b c) 5)"
ALIKE = "(= (length a b) 4) (= (length b c) 4)"


def task(
    drive: str = "(length ?a ?b)",
    rest: str = "(increase (total-cost) 1)",
    *,
    values: str = LENGTHS,
    goal: str = "(at c)",
    metric: str = COST,
    name: str = "p",
) -> Task:
    """A task in which driving and resting cost this much."""
    domain = parse_domain(DOMAIN.replace("{drive}", drive).replace("{rest}", rest))
    return Task(domain, parse_problem(PROBLEM.format(name=name, values=values, goal=goal, metric=metric), domain))


def strip(task: Task, *, every: bool = False) -> StrippedCosts:
    """What becomes of a task with one problem."""
    return strip_costs(task.domain, [task.problem], every=every)


def test_costs_that_differ_go_with_all_that_is_theirs() -> None:
    before = task()
    stripped = strip(before)
    assert (stripped.status, stripped.functions) == ("removed", ("length", "total-cost"))
    assert stripped.reason == "the cost of the action 'drive' is not constant: (length ?a ?b)"
    after = stripped.task(before)
    assert after == Task(stripped.domain, stripped.problems[0])
    assert "total-cost" not in write_domain(after.domain) + write_problem(after.problem)
    # Functions that nothing asks for at all were not there for the costs.
    assert [function.name for function in after.domain.functions] == ["fee", "fuel"]
    assert [str(value.fluent) for value in after.problem.init_values] == ["(fee)", "(fuel)"]
    assert write_domain(after.domain).count(":effect (and)") == 1
    plan = read_plan("(drive a b)\n(drive b c)")
    assert stripped.plan(plan) is plan
    assert (validate(before, plan).cost, validate(after, plan).cost) == (9, 2)


@pytest.mark.parametrize(
    ("drive", "rest", "values", "cost"),
    [
        ("3", "(increase (total-cost) 3)", LENGTHS, "3"),
        ("(length ?a ?b)", "(increase (total-cost) 4)", ALIKE, "4"),
        ("(fee)", "(and (increase (total-cost) 1.5) (at ?a) (increase (total-cost) (fee)))", LENGTHS, None),
        ("1", "(increase (total-cost) (fee))", LENGTHS, None),
        ("1", "(at ?a)", LENGTHS, None),
        ("0", "(at ?a)", LENGTHS, "0"),
        ("1", "(when (at ?a) (increase (total-cost) 1))", LENGTHS, None),
        ("1", "(forall (?p - place) (increase (total-cost) 1))", LENGTHS, None),
        ("(fee)", "(and (increase (total-cost) 2) (increase (fee) 1))", LENGTHS, None),
    ],
)
def test_uniform_costs_stay_unless_all_are_to_go(drive: str, rest: str, values: str, cost: str | None) -> None:
    before = task(drive, rest, values=values)
    stripped = strip(before)
    if cost is None:
        assert stripped.status == "removed"
        return
    assert (stripped.status, stripped.as_json()["cost"]) == ("uniform", cost)
    assert stripped.task(before) is before
    so = "all plans cost the same" if cost == "0" else "the cost of a plan follows from its length"
    assert stripped.reason == f"every action costs {cost}, so that {so}"
    everything = strip(before, every=True)
    assert everything.removed
    assert everything.as_json()["cost"] == cost


def test_whether_costs_are_uniform_is_a_matter_of_all_instances() -> None:
    one = task(rest="(increase (total-cost) 4)", values=ALIKE)
    other = parse_problem(PROBLEM.format(name="q", values=LENGTHS, goal="(at c)", metric=COST), one.domain)
    assert strip_costs(one.domain, [one.problem]).status == "uniform"
    assert strip_costs(one.domain, [one.problem, other]).status == "removed"
    # Without any problem, nothing shows what the function's values are.
    assert strip_costs(one.domain).status == "removed"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"metric": "(:metric minimize (fuel))"}, "the metric of problem 'p' is 'minimize (fuel)'"),
        ({"metric": "(:metric maximize (total-cost))"}, "the metric of problem 'p' is 'maximize (total-cost)'"),
        ({"metric": "(:metric minimize (+ (total-cost) (fuel)))"}, "is 'minimize (+ (total-cost) (fuel))'"),
        ({"goal": "(< (total-cost) 9)"}, "the goal of problem 'p' uses (total-cost)"),
        ({"rest": "(assign (total-cost) 0)"}, "'rest' uses (total-cost)"),
        ({"rest": "(decrease (total-cost) 1)"}, "'rest' uses (total-cost)"),
        ({"rest": "(increase (fuel) (total-cost))"}, "'rest' uses (total-cost)"),
        ({"rest": "(when (> (total-cost) 3) (at ?a))"}, "'rest' uses (total-cost)"),
    ],
)
def test_what_is_no_action_costs_is_left_with_the_reason(change: dict[str, str], reason: str) -> None:
    before = task(**change)  # type: ignore[arg-type]
    stripped = strip(before, every=True)
    assert stripped.status == "kept"
    assert reason in stripped.reason
    assert (stripped.domain, stripped.problems) == (before.domain, (before.problem,))


def test_requirements_that_nothing_needs_go_too() -> None:
    before = task()
    bare = replace(before.domain, functions=tuple(f for f in before.domain.functions if f.name not in ("fee", "fuel")))
    problem = replace(before.problem, init_values=before.problem.init_values[:2])
    flags = (":typing", ":action-costs", ":numeric-fluents")
    stripped = strip_costs(replace(bare, requirements=flags), [problem])
    assert stripped.domain.requirements == (":typing",)
    kept = strip_costs(replace(before.domain, requirements=flags), [before.problem])
    assert kept.domain.requirements == (":typing", ":numeric-fluents")


def test_an_action_that_failed_for_want_of_a_cost_is_warned_of() -> None:
    before = task(values="(= (length a b) 4)")
    stripped = strip(before)
    assert [warning.split(",")[0] for warning in stripped.warnings] == ["(length b c)"]
    plan = read_plan("(drive a b)\n(drive b c)")
    assert validate(before, plan).verdict == "inapplicable"
    assert validate(stripped.task(before), plan).valid
    assert strip(task()).warnings == ()


def test_a_problem_that_was_not_given_is_stripped_or_refused() -> None:
    stripped = strip(task())
    assert stripped.task(task(name="q")).problem.metric is None
    with pytest.raises(InputError, match="problem 'q' cannot lose its action costs: the metric"):
        stripped.task(task(name="q", metric="(:metric minimize (fuel))"))
    with pytest.raises(InputError, match=r"uses \(length\)"):
        stripped.task(task(name="q", goal="(> (length a b) 2)"))


def test_a_wording_loses_the_functions_and_nothing_else() -> None:
    before = task()
    stripped = strip(before)
    worded = stripped.wording(template_wording(before.domain))
    assert check_wording(worded, stripped.domain) == worded
    assert list(worded.functions) == ["fee", "fuel"]
    assert worded.predicates == template_wording(before.domain).predicates

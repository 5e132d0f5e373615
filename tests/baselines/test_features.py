"""What Fast Downward does not take: numbers that are no action costs, wherever they stand."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pddl2nl.baselines import PLANNERS, TaskTexts, solve, walk
from pddl2nl.baselines.features import beyond_fast_downward, numbers_beyond_costs
from pddl2nl.baselines.inputs import as_task
from pddl2nl.errors import MissingExtraError, UnsupportedError
from pddl2nl.pddl import parse_task
from pddlval import validate

DOMAIN = """(define (domain d)
  (:requirements :adl :numeric-fluents :derived-predicates)
  (:predicates (p ?x) (q ?x) (r))
  (:functions (total-cost) (f ?x) (g))
  (:derived (r) {rule})
  (:action a :parameters (?x) :precondition {condition} :effect (and (p ?x) {effect})))
"""
PROBLEM = (
    "(define (problem x) (:domain d) (:objects o) (:init (= (f o) 2) (= (g) 0) (= (total-cost) 0)) (:goal {goal}))"
)


def texts(
    effect: str = "(increase (total-cost) (f ?x))", condition: str = "(q ?x)", goal: str = "(p o)", rule: str = "(q o)"
) -> TaskTexts:
    domain = DOMAIN.format(effect=effect, condition=condition, rule=rule.replace("(q o)", "(exists (?y) (q ?y))"))
    return TaskTexts(domain, PROBLEM.format(goal=goal))


def found(**parts: str) -> str:
    given = texts(**parts)
    task = parse_task(given.domain, given.problem)
    return numbers_beyond_costs(task.domain, task.problem)


@pytest.mark.parametrize(
    "effect",
    ["(increase (total-cost) 3)", "(increase (total-cost) (f ?x))", "(q ?x)", "(and (increase (total-cost) 1) (r2))"],
)
def test_action_costs_are_taken(effect: str) -> None:
    assert found(effect=effect.replace(" (r2)", "")) == ""


@pytest.mark.parametrize(
    "effect",
    [
        "(increase (f ?x) 1)",
        "(assign (total-cost) 1)",
        "(decrease (total-cost) 1)",
        "(scale-up (g) 2)",
        "(increase (total-cost) (+ 1 (f ?x)))",
        "(when (q ?x) (increase (total-cost) 1))",
        "(forall (?y) (increase (total-cost) 1))",
        "(and (increase (total-cost) 1) (increase (g) 1))",
    ],
)
def test_other_numeric_effects_are_named(effect: str) -> None:
    assert found(effect=effect) == "a numeric effect that is no plain action cost in the effect of 'a'"


def test_comparisons_are_named_with_their_place() -> None:
    what = "a comparison of numbers"
    assert found(condition="(or (q ?x) (> (f ?x) 1))") == f"{what} in the precondition of 'a'"
    assert found(effect="(when (= (g) 1) (q ?x))") == f"{what} in the effect of 'a'"
    assert found(goal="(and (p o) (>= (g) 1))") == f"{what} in the goal"
    assert found(rule="(exists (?y) (< (f ?y) 1))") == f"{what} in the derived predicate 'r'"


@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize(
    "effect", ["(when (q ?x) (increase (total-cost) 1))", "(increase (total-cost) (+ 1 (f ?x)))", "(increase (g) 1)"]
)
def test_the_planner_is_not_run_on_what_it_crashes_on(effect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "pddl2nl.baselines.fast_downward.search_each", lambda *arguments, **options: pytest.fail("the planner was run")
    )
    result = solve(texts(effect=effect), "ff")
    assert (result.status, result.plan, result.cost) == ("unsupported", None, None)
    assert "in the effect of 'a'" in result.message
    assert result.search


@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize(
    ("effect", "taken"),
    [
        ("(when (q ?x) (and (r2) (forall (?y) (p ?y))))", False),
        ("(when (q ?x) (forall (?y) (and (p ?y) (r2))))", False),
        ("(forall (?z) (when (q ?z) (and (r2) (when (q ?z) (forall (?y) (p ?y))))))", False),
        ("(when (q ?x) (forall (?y) (p ?y)))", True),
        ("(when (and (q ?x) (forall (?y) (q ?y))) (and (r2) (p ?x)))", True),
        ("(forall (?y) (and (r2) (forall (?z) (when (q ?z) (p ?y)))))", True),
    ],
)
def test_universal_effects_among_others_of_a_condition_crash_fast_downward(effect: str, taken: bool) -> None:
    domain = f"""(define (domain d) (:requirements :adl) (:predicates (p ?x) (q ?x) (r2))
      (:action a :parameters (?x) :precondition (and) :effect (and (p ?x) {effect})))"""
    problem = "(define (problem x) (:domain d) (:objects o) (:init (q o)) (:goal (p o)))"
    task = parse_task(domain, problem)
    assert (beyond_fast_downward(task.domain, task.problem) == "") is taken
    result = solve(TaskTexts(domain, problem), "ff")
    assert result.status == ("solved" if taken else "unsupported")
    assert taken or "takes no 'forall' among the effects of one 'when', and there is one in 'a'" in result.message


# ── the random walk ───────────────────────────────────────────────────────────────────────────────


def test_the_same_seed_walks_the_same_way(small: SimpleNamespace) -> None:
    task = as_task(small.pair)
    first = walk(task, 500, seed=7)
    assert first.plan is not None
    assert walk(task, 500, seed=7).plan == first.plan
    assert len({walk(task, 500, seed=seed).plan for seed in range(20)}) > 1


def test_what_it_reports_is_a_valid_plan(small: SimpleNamespace) -> None:
    task = as_task(small.pair)
    for seed in range(20):
        result = walk(task, 500, seed)
        assert result.plan is not None
        assert validate(task, result.plan).valid
        assert result.expanded == len(result.plan) == result.cost


def test_the_step_limit_counts(small: SimpleNamespace) -> None:
    result = walk(as_task(small.tower), 3, seed=1)
    assert (result.status, result.plan, result.expanded) == ("timeout", None, 3)
    assert "3 steps" in result.message
    assert "seed 1" in result.search


def test_a_dead_end_is_named(small: SimpleNamespace) -> None:
    result = walk(as_task(small.too_little_fuel), 50)
    assert result.status == "timeout"
    assert "no action is applicable after 2 steps" in result.message


def test_unsupported_tasks_are_refused(small: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(task: object) -> None:
        raise UnsupportedError("a construct, in its place")

    monkeypatch.setattr("pddl2nl.baselines.random_walk.Simulator", refuse)
    with pytest.raises(UnsupportedError):
        walk(as_task(small.two_lamps))


def test_without_the_extra_only_the_random_walk_runs(small: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for name in PLANNERS:
        with pytest.raises(MissingExtraError, match=r"pddl2nl\[planners\]"):
            solve(small.pair, name)
    assert solve(small.pair, "random", steps=500).solved

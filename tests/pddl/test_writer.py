"""Parse, write, parse is the identity on trees, and what is written is clean."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from pddl2nl.pddl import (
    Task,
    check_domain,
    check_problem,
    load_task,
    parse_domain,
    parse_problem,
    parse_task,
    write_condition,
    write_domain,
    write_number,
    write_problem,
)
from tests.validators import random_tasks

GOLDEN = Path(__file__).parent / "golden"


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(random_tasks.cases())
def test_random_tasks(case: tuple[Task, object]) -> None:
    task, _ = case
    text = write_domain(task.domain)
    checked = check_domain(text)
    assert checked.errors == (), text
    assert checked.value == task.domain
    text = write_problem(task.problem)
    found = check_problem(text, task.domain)
    assert found.errors == (), text
    assert found.value == task.problem


def test_golden(everything: str, all_of_it: str) -> None:
    task = parse_task(everything, all_of_it)
    assert write_domain(task.domain) == (GOLDEN / "everything-domain.pddl").read_text(encoding="utf-8")
    assert write_problem(task.problem) == (GOLDEN / "everything-problem.pddl").read_text(encoding="utf-8")
    assert parse_task(write_domain(task.domain), write_problem(task.problem)) == task


def test_real_tasks(shared: Path) -> None:
    paths = sorted([*shared.glob("ipc/*/*/domain.pddl"), *shared.glob("numeric/*/*/domain.pddl")])
    assert len(paths) > 90
    problems = [(path, path.with_name("problem.pddl")) for path in (*paths, *shared.glob("speed/*/domain.pddl"))]
    for domains, instances in (
        ("autoplanbench/*/domain.pddl", "instances/**/*.pddl"),
        ("planbench/instances/**/generated_domain.pddl", "generated*/*.pddl"),
    ):
        for path in sorted(shared.glob(domains)):
            # Of the hundreds of problems of one kind, a few.
            problems.extend((path, one) for one in sorted(path.parent.glob(instances))[::50])
    assert len(problems) > 150
    for path, problem in problems:
        if problem.stat().st_size < 2_000_000 and path.stat().st_size < 2_000_000:
            task = load_task(path, problem)
            domain = parse_domain(write_domain(task.domain))
            assert domain == task.domain, path
            assert parse_problem(write_problem(task.problem), domain) == task.problem, problem


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(-3), "-3"),
        (Fraction(5, 2), "2.5"),
        (Fraction(-1, 8), "-0.125"),
        (Fraction(1, 1000), "0.001"),
        (Fraction(1, 3), "(/ 1 3)"),
    ],
)
def test_numbers(value: Fraction, text: str) -> None:
    assert write_number(value) == text


def test_long_lists_are_wrapped() -> None:
    names = " ".join(f"object-number-{index}" for index in range(100))
    text = f"(define (problem p) (:domain d) (:objects {names}) (:init) (:goal ()))"
    domain = parse_domain("(define (domain d))")
    problem = parse_problem(text, domain)
    written = write_problem(problem)
    assert max(map(len, written.splitlines())) <= 100
    assert parse_problem(written, domain) == problem


@pytest.mark.parametrize("text", ["(not (p a))", "(= a a)", "(or (p a) (not (p a)))", "(exists (?x - object) (p ?x))"])
def test_the_text_of_a_condition_is_its_pddl(text: str) -> None:
    domain = parse_domain("(define (domain d) (:requirements :adl) (:predicates (p ?x)))")
    goal = parse_problem(f"(define (problem x) (:domain d) (:objects a) (:init) (:goal {text}))", domain).goal
    assert str(goal) == write_condition(goal)
    assert str(goal).startswith(text[:5])

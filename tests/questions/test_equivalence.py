"""Equivalence of problems: invariant under renaming, and broken by every change that makes another task."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from pddl2nl.errors import UnsupportedError
from pddl2nl.pddl import And, Atom, GroundAtom, Problem, Task, conjuncts, parse_domain, parse_problem
from pddl2nl.pddl.rewriting import Renaming
from pddl2nl.questions.equivalence import ProblemComparison, compare_problems, completed
from pddl2nl.tasks import shipped_task

pytest.importorskip("networkx", reason="networkx is absent: pip install 'pddl2nl[planners]'")

TASKS = [("blocksworld", "p03"), ("grippers", "p01"), ("logistics", "p02"), ("visitall", "p01"), ("satellite", "p01")]
EACH = pytest.mark.parametrize("task", [shipped_task(*name) for name in TASKS], ids=[name for name, _ in TASKS])
DOMAIN = parse_domain("""(define (domain blocks) (:requirements :strips :typing) (:types block)
  (:predicates (on ?x ?y - block) (table ?x - block) (clear ?x - block) (hand) (held ?x - block))
  (:action lift :parameters (?x - block) :precondition (and (clear ?x) (table ?x) (hand))
    :effect (and (held ?x) (not (clear ?x)) (not (table ?x)) (not (hand))))
  (:action put :parameters (?x ?y - block) :precondition (and (held ?x) (clear ?y))
    :effect (and (on ?x ?y) (clear ?x) (hand) (not (held ?x)) (not (clear ?y)))))""")


def blocks(goal: str, init: str = "(table a) (table b) (clear a) (clear b) (hand)", objects: str = "a b") -> Task:
    text = f"(define (problem p) (:domain blocks) (:objects {objects} - block) (:init {init}) (:goal {goal}))"
    return Task(DOMAIN, parse_problem(text, DOMAIN))


def renamed(task: Task, seed: int) -> Task:
    """The task with other names, and everything in another order."""
    rng, problem = random.Random(seed), task.problem
    names = {
        item.name: f"thing-{number}" for number, item in enumerate(rng.sample(problem.objects, len(problem.objects)))
    }
    renaming = Renaming(term=lambda term: names.get(term, term))
    goal = [*conjuncts(renaming.formula(problem.goal))]
    changed = replace(
        problem,
        name="another",
        objects=renaming.typed(rng.sample(problem.objects, len(problem.objects))),
        init=tuple(GroundAtom((atom[0], *(names.get(term, term) for term in atom[1:]))) for atom in problem.init[::-1]),
        goal=And(tuple(rng.sample(goal, len(goal)))),
    )
    return Task(task.domain, changed)


def changed(task: Task, **fields: object) -> Task:
    return Task(task.domain, replace(task.problem, **fields))


@EACH
@pytest.mark.parametrize("seed", range(3))
def test_names_and_order_do_not_matter(task: Task, seed: int) -> None:
    assert compare_problems(task, renamed(task, seed)) == ProblemComparison(True)


@EACH
def test_every_fact_that_is_taken_away_is_missed(task: Task) -> None:
    for fact in task.problem.init:
        fewer = changed(task, init=tuple(atom for atom in task.problem.init if atom != fact))
        # A renaming could hide one change; what was taken away leaves fewer facts.
        compared = compare_problems(task, renamed(fewer, 1))
        assert not compared.equivalent, fact
        assert f"init {fact}" in compare_problems(task, fewer).missing
        assert f"init {fact}" in compare_problems(fewer, task).invented


@EACH
def test_every_part_of_the_goal_that_is_taken_away_is_missed(task: Task) -> None:
    goal = [*conjuncts(task.problem.goal)]
    for part in goal:
        fewer = changed(task, goal=And(tuple(each for each in goal if each != part)))
        if completed(fewer).problem.goal == completed(task).problem.goal:
            continue
        assert not compare_problems(task, fewer).equivalent
        assert f"goal {part}" in compare_problems(task, fewer).missing


def test_exchanged_objects_of_one_fact_are_another_task() -> None:
    tower = blocks("(on a b)", "(on b a) (table a) (clear b) (hand)")
    assert not compare_problems(tower, blocks("(on a b)", "(on a b) (table a) (clear b) (hand)")).equivalent
    assert compare_problems(tower, blocks("(on b a)", "(on a b) (table b) (clear a) (hand)")).equivalent


def test_what_holds_with_the_goal_may_be_said_or_not() -> None:
    assert compare_problems(blocks("(on a b)"), blocks("(and (on a b) (not (held a)) (not (clear b)))")).equivalent
    assert not compare_problems(blocks("(on a b)"), blocks("(and (on a b) (on b a))")).equivalent
    assert not compare_problems(blocks("(held a)"), blocks("(clear a)")).equivalent


def test_a_goal_that_always_holds_says_nothing() -> None:
    domain = parse_domain("""(define (domain ways) (:predicates (way ?x ?y) (at ?x))
      (:action go :parameters (?x ?y) :precondition (and (at ?x) (way ?x ?y)) :effect (and (at ?y) (not (at ?x)))))""")

    def ways(goal: str) -> Task:
        text = f"(define (problem p) (:domain ways) (:objects a b) (:init (at a) (way a b)) (:goal {goal}))"
        return Task(domain, parse_problem(text, domain))

    assert compare_problems(ways("(at b)"), ways("(and (at b) (way a b) (not (at a)))")).equivalent
    assert not compare_problems(ways("(at b)"), ways("(and (at b) (way b a))")).equivalent


def test_universal_goals_are_the_goals_for_all_objects() -> None:
    domain = parse_domain(
        "(define (domain lamps) (:requirements :universal-preconditions) (:predicates (lit ?x))"
        " (:action light :parameters (?x) :precondition (and) :effect (lit ?x)))"
    )

    def lamps(goal: str) -> Task:
        return Task(
            domain, parse_problem(f"(define (problem p) (:domain lamps) (:objects a b) (:init) (:goal {goal}))", domain)
        )

    assert compare_problems(lamps("(and (lit a) (lit b))"), lamps("(forall (?x) (lit ?x))")).equivalent
    assert not compare_problems(lamps("(lit a)"), lamps("(forall (?x) (lit ?x))")).equivalent


def test_parts_are_listed_for_objects_of_the_same_name_or_else_type() -> None:
    other = blocks("(on c a)", "(table a) (clear a) (hand)", "a c")
    compared = compare_problems(blocks("(on a b)"), other)
    assert compared.missing == ("goal (on a b)", "init (clear b)", "init (table b)")
    assert compared.invented == ("goal (on b a)",)


def test_objects_count() -> None:
    compared = compare_problems(blocks("(on a b)"), blocks("(on a b)", objects="a b c"))
    assert compared == ProblemComparison(False, (), ("object c - block",))


def test_goals_that_are_no_conjunctions_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="not a conjunction of literals"):
        compare_problems(blocks("(on a b)"), blocks("(or (on a b) (on b a))"))


def test_a_completed_goal_says_the_same() -> None:
    goal = completed(blocks("(held a)")).problem.goal
    assert Atom("held", ("a",)) in [*conjuncts(goal)]
    text = {str(part) for part in conjuncts(goal)}
    assert {"(not (clear a))", "(not (hand))", "(not (table a))"} <= text
    assert isinstance(completed(blocks("(held a)")).problem, Problem)

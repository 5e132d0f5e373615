"""Why a plan fails: the smallest unmet parts, and the steps that undid them."""

from __future__ import annotations

from pddl2nl.pddl import Task, parse_task, write_condition
from pddlval import Report, validate

DOMAIN = """
(define (domain garden)
  (:requirements :adl :derived-predicates :numeric-fluents)
  (:types plant)
  (:predicates (wet ?p - plant) (sown ?p - plant) (gate) (sunny) (growing ?p - plant))
  (:functions (water) (limit))
  (:derived (growing ?p - plant) (and (wet ?p) (sown ?p)))
  (:action pour :parameters (?p - plant) :precondition (>= (water) 2)
    :effect (and (wet ?p) (decrease (water) 2)))
  (:action dry :parameters (?p - plant) :precondition () :effect (not (wet ?p)))
  (:action swap :parameters () :precondition () :effect (and (gate) (sunny)))
  (:action close :parameters () :precondition () :effect (and (not (gate)) (not (sunny))))
  (:action sow :parameters (?p - plant) :precondition () :effect (sown ?p))
  (:action pick :parameters (?p - plant)
    :precondition (and (or (gate) (sunny)) (forall (?q - plant) (imply (sown ?q) (wet ?q))) (growing ?p)
                       (not (exists (?q - plant) (and (wet ?q) (not (sown ?q))))))
    :effect (not (sown ?p)))
  (:action measure :parameters () :precondition (< (water) (limit)) :effect (gate)))
"""

PROBLEM = """
(define (problem one) (:domain garden)
  (:objects rose fern - plant)
  (:init (sown rose) (gate) (= (water) 5))
  (:goal (and (growing rose) (not (wet fern)) (>= (water) 3))))
"""


def garden() -> Task:
    return parse_task(DOMAIN, PROBLEM)


def told(report: Report) -> list[tuple[str, int | None, bool, int | None]]:
    return [
        (write_condition(cause.literal), cause.deleted_by_step, cause.never_held, cause.lost_after_step)
        for cause in report.explanation
    ]


def test_a_disjunction_is_one_part_with_one_cause() -> None:
    report = validate(garden(), "(pour rose) (close) (pick rose)")
    assert (report.verdict, report.failed_step) == ("inapplicable", 3)
    assert told(report) == [("(or (gate) (sunny))", 2, False, None)]


def test_instances_of_a_forall_and_derived_atoms() -> None:
    report = validate(garden(), "(pour rose) (sow fern) (dry rose) (pick rose)")
    assert told(report) == [
        ("(imply (sown rose) (wet rose))", 3, False, None),
        ("(imply (sown fern) (wet fern))", 2, False, None),
        ("(growing rose)", 3, False, None),
    ]


def test_a_negated_exists_names_the_objects_in_the_way() -> None:
    report = validate(garden(), "(pour rose) (pour fern) (pick rose)")
    assert told(report) == [("(or (not (wet fern)) (sown fern))", 2, False, None)]


def test_goals_of_every_kind() -> None:
    report = validate(garden(), "(pour rose) (dry rose) (pour rose) (dry rose) (sow fern)")
    assert report.verdict == "goal-not-satisfied"
    assert told(report) == [("(growing rose)", 4, False, 2), ("(>= (water) 3)", 3, False, 3)]
    report = validate(garden(), "(pour fern)")
    assert told(report) == [("(growing rose)", None, True, None), ("(not (wet fern))", 1, False, 1)]


def test_steps_at_one_time_and_who_did_it() -> None:
    report = validate(garden(), "1: (pour rose)\n2: (dry rose)\n2: (sow fern)\n3: (pick rose)\n")
    assert report.failed_step == 4
    assert told(report)[-1] == ("(growing rose)", 3, False, None)


def test_many_unmet_goals_of_a_long_plan_are_explained_in_one_pass() -> None:
    names = [f"o{number}" for number in range(3000)]
    task = parse_task(
        "(define (domain d) (:predicates (on ?x)) (:action f :parameters (?x) :effect (not (on ?x))))",
        f"(define (problem p) (:domain d) (:objects {' '.join(names)}) (:init {' '.join(f'(on {n})' for n in names)})"
        f" (:goal (and {' '.join(f'(on {n})' for n in names)})))",
    )
    report = validate(task, "\n".join(f"(f {name})" for name in names))
    assert len(report.explanation) == 3000
    assert [cause.deleted_by_step for cause in report.explanation] == list(range(1, 3001))

"""What follows from a domain: which predicates can change."""

from __future__ import annotations

from pddl2nl.pddl import Task, changed_predicates, check_problem, parse_domain

DOMAIN = """
(define (domain shop)
  (:predicates (open) (paid ?x) (wrapped ?x) (broken ?x) (fragile ?x) (mine ?x))
  (:derived (mine ?x) (paid ?x))
  (:action pay :parameters (?x) :precondition (not (open)) :effect (and (paid ?x) (and (not (wrapped ?x)))))
  (:action drop :parameters () :effect (forall (?x) (when (fragile ?x) (broken ?x)))))
"""


def test_added_deleted_conditional_and_derived_predicates_change_and_no_others() -> None:
    assert changed_predicates(parse_domain(DOMAIN)) == {"paid", "wrapped", "broken", "mine"}


def test_an_object_that_is_declared_with_two_types_is_of_both() -> None:
    domain = parse_domain(
        "(define (domain d) (:types t u v) (:constants k - t) (:predicates (p ?x - t) (q ?x - u) (r ?x - v)))"
    )
    text = "(define (problem x) (:domain d) (:objects a - t a - u k - u) (:init (p a) (q a) (p k) (q k)) (:goal (and)))"
    checked = check_problem(text, domain)
    assert [item.message for item in checked.diagnostics if "declared twice" in item.message] == [
        "object 'a' is declared twice, with different types; it is taken to be of both"
    ]
    task = Task(domain, checked.require())
    assert task.objects_of(("t",)) == task.objects_of(("u",)) == ("k", "a")
    assert task.objects_of(("v",)) == ()
    assert not check_problem(text.replace("(p a)", "(r a)"), domain).ok

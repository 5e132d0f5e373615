"""Domains of thousands of schemas: few of them are ever compiled."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from pddl2nl.pddl import Task, parse_task
from pddlval import Simulator


def grounded(count: int) -> Task:
    """A ring of places, an action a step, as domains are that were grounded by hand."""
    schemas = " ".join(
        f"(:action go{number} :parameters () :precondition (and (free) (at{number}) (not (shut{number})))"
        f" :effect (and (not (at{number})) (at{(number + 1) % count})))"
        for number in range(count)
    )
    shut = " ".join(
        f"(:action shut{number} :parameters (?x) :precondition (and (key ?x p{number}) (at{number}) (free))"
        f" :effect (and (shut{number}) (key ?x p{number})))"
        for number in range(count)
    )
    predicates = " ".join(f"(at{number}) (shut{number})" for number in range(count))
    places = " ".join(f"p{number}" for number in range(count))
    return parse_task(
        f"""(define (domain ring) (:requirements :adl) (:constants {places})
          (:predicates (free) (key ?x ?y) {predicates}) {schemas} {shut}
          (:action stop :parameters () :effect (and (not (free)))))""",
        "(define (problem x) (:domain ring) (:objects a b) (:init (free) (at0) (key a p0) (key b p1)) (:goal (at1)))",
    )


def test_threads_may_ask_about_thousands_of_schemas_at_once() -> None:
    task = grounded(200)
    simulator, states = Simulator(task), []
    state = simulator.initial
    for number in range(12):
        states.append(state)
        state = simulator.step(state, f"(go{number})").successor or state
    expected = [list(simulator.applicable(one)) for one in states]
    shared = Simulator(parse_task(task.domain.source.text, task.problem.source.text))  # type: ignore[union-attr]
    copies = [shared.state(one.atoms) for one in states]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            assert list(pool.map(lambda one: list(shared.applicable(one)), copies)) == expected

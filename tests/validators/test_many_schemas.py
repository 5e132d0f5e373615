"""Domains of thousands of schemas: few of them are ever compiled."""

from __future__ import annotations

import random
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


def test_of_thousands_of_schemas_few_are_compiled() -> None:
    simulator = Simulator(grounded(1_000))
    state = simulator.initial
    assert [str(one) for one in simulator.applicable(state)] == ["(go0)", "(shut0 a)", "(stop)"]
    state = simulator.step(state, "(go0)").successor or state
    assert [str(one) for one in simulator.applicable(state)] == ["(go1)", "(shut1 b)", "(stop)"]
    state = simulator.step(state, "(shut1 b)").successor or state
    assert [str(one) for one in simulator.applicable(state)] == ["(shut1 b)", "(stop)"]
    state = simulator.step(state, "(stop)").successor or state
    assert [str(one) for one in simulator.applicable(state)] == ["(stop)"]
    assert [str(one) for one in simulator.applicable(simulator.initial)] == ["(go0)", "(shut0 a)", "(stop)"]
    generator = simulator._successors
    assert generator is not None
    assert len(generator._queries) <= 6


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


def test_schemas_that_are_their_own_only_action_are_not_compiled() -> None:
    """Those that the literals alone decide; of the others each is judged like any action."""
    task = parse_task(
        "(define (domain d) (:requirements :adl :fluents) (:predicates (p) (q) (r ?x)) (:functions (n) (total-cost))"
        " (:constants o)"
        " (:action yes :parameters () :precondition (and (p) (not (q))) :effect (and (q) (increase (total-cost) 2)))"
        " (:action no :parameters () :precondition (and (p) (q)) :effect (not (p)))"
        " (:action never :parameters () :precondition (and (p) (r o)) :effect (q))"
        " (:action always :parameters () :precondition (and (p) (not (r o))) :effect (q))"
        " (:action either :parameters () :precondition (or (q) (p)) :effect (q))"
        " (:action undefined :parameters () :precondition (p) :effect (increase (total-cost) (n)))"
        " (:action contradicting :parameters () :precondition (p)"
        " :effect (and (increase (total-cost) 1) (when (p) (assign (total-cost) 1)))))",
        "(define (problem x) (:domain d) (:init (p)) (:goal (q)))",
    )
    simulator = Simulator(task)
    assert [action.name for action in simulator.applicable(simulator.initial)] == ["yes", "always", "either"]
    names = [action.name for action in task.domain.actions]
    assert [name for name in names if simulator.is_applicable(simulator.initial, f"({name})")] == [
        "yes",
        "always",
        "either",
    ]
    drawn = {str(simulator.sample(simulator.initial, random.Random(seed))) for seed in range(20)}
    assert drawn == {"(yes)", "(always)", "(either)"}

"""Tasks as problems of tarski: both sides have the same applicable actions and successors along a random walk."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

import pddl2nl
from pddl2nl.errors import UnsupportedError
from pddlval import GroundAction, Simulator

pytest.importorskip("tarski", reason="tarski is absent: pip install 'pddl2nl[tarski]'")
from tarski.search.operations import is_applicable, progress
from tarski.syntax.transform.action_grounding import ground_schema

from pddl2nl.interop.tarski_problem import to_tarski


def ground_actions(problem: Any) -> dict[str, Any]:
    """All ground actions of a problem of tarski, by their PDDL."""
    ground = {}
    for schema in problem.actions.values():
        domains = [[constant.name for constant in variable.sort.domain()] for variable in schema.parameters]
        for binding in itertools.product(*domains):
            ground[f"({' '.join([schema.name, *binding])})"] = ground_schema(schema, binding)
    return ground


@pytest.mark.parametrize("domain", ["blocksworld", "ferry", "grippers", "movie", "visitall"])
def test_both_walk_through_the_same_states(domain: str) -> None:
    task = pddl2nl.shipped_task(domain, "p01")
    problem, simulator, rng = to_tarski(task), Simulator(task), random.Random(domain)
    actions = ground_actions(problem)
    theirs, ours = problem.init, simulator.initial
    for _ in range(6):
        applicable = sorted(map(str, simulator.applicable(ours)))
        assert applicable == sorted(name for name, action in actions.items() if is_applicable(theirs, action))
        if not applicable:
            break
        name = rng.choice(applicable)
        after = simulator.step(ours, GroundAction.parse(name)).successor
        assert after is not None
        theirs, ours = progress(theirs, actions[name]), after
        atoms = {str(atom).replace("()", "") for atom in theirs.as_atoms() if "total-cost" not in str(atom)}
        assert atoms == {f"{atom[0]}({','.join(atom[1:])})".replace("()", "") for atom in ours.atoms}
        assert bool(theirs[problem.goal]) == simulator.is_goal(ours)


DERIVED = """(define (domain d) (:requirements :derived-predicates) (:predicates (p ?x) (q ?x))
(:derived (q ?x) (p ?x)) (:action a :parameters (?x) :precondition (q ?x) :effect (not (p ?x))))"""


def test_what_tarski_does_not_know_is_refused_by_name() -> None:
    task = pddl2nl.parse_task(
        DERIVED, "(define (problem one) (:domain d) (:objects a) (:init (p a)) (:goal (not (p a))))"
    )
    with pytest.raises(UnsupportedError, match="tarski cannot read one"):
        to_tarski(task)

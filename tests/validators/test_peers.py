"""The simulator against others: unified-planning's along random walks, and tarski's on all ground actions."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

from pddl2nl.pddl import load_task
from validators import Simulator

TASKS = ["blocks/probBLOCKS-4-1", "gripper/prob01", "rovers/p02", "transport-opt08-strips/p01"]


@pytest.mark.parametrize("name", TASKS)
def test_unified_planning_agrees_along_a_random_walk(shared: Path, name: str) -> None:
    pytest.importorskip("unified_planning")
    from unified_planning.engines import UPSequentialSimulator
    from unified_planning.io import PDDLReader
    from unified_planning.shortcuts import get_environment

    get_environment().credits_stream = None
    home = shared / "ipc" / name
    problem = PDDLReader().parse_problem(str(home / "domain.pddl"), str(home / "problem.pddl"))
    task = load_task(home / "domain.pddl", home / "problem.pddl")
    simulator = Simulator(task)
    state = simulator.initial
    rng = random.Random(name)
    with UPSequentialSimulator(problem, error_on_failed_checks=False) as peer:
        theirs = peer.get_initial_state()
        for _ in range(8):
            applicable = {
                f"({' '.join([action.name, *map(str, arguments)])})".lower()
                for action, arguments in peer.get_applicable_actions(theirs)
            }
            assert {str(action) for action in simulator.applicable(state)} == applicable
            assert simulator.is_goal(state) == peer.is_goal(theirs)
            chosen = simulator.sample(state, rng)
            assert chosen is not None
            successor = simulator.step(state, chosen).successor
            assert successor is not None
            state = successor
            by_name = {action.name.lower(): action for action in problem.actions}
            objects = {item.name.lower(): item for item in problem.all_objects}
            theirs = peer.apply(theirs, by_name[chosen.name], tuple(objects[item] for item in chosen.args))


@pytest.mark.parametrize("name", ["blocks/probBLOCKS-4-1", "gripper/prob01", "visitall-opt11-strips/problem02-half"])
def test_tarski_agrees_in_the_initial_state(shared: Path, name: str) -> None:
    pytest.importorskip("tarski")
    from tarski.io import PDDLReader
    from tarski.search.operations import is_applicable
    from tarski.syntax.transform.action_grounding import ground_schema

    home = shared / "ipc" / name
    problem = PDDLReader(raise_on_error=True).read_problem(str(home / "domain.pddl"), str(home / "problem.pddl"))
    theirs = set()
    for schema in problem.actions.values():
        domains = [[constant.name for constant in variable.sort.domain()] for variable in schema.parameters]
        for binding in itertools.product(*domains):
            if is_applicable(problem.init, ground_schema(schema, binding)):
                theirs.add(f"({' '.join([schema.name, *binding])})")
    simulator = Simulator(load_task(home / "domain.pddl", home / "problem.pddl"))
    assert {str(action) for action in simulator.applicable(simulator.initial)} == theirs

"""All that can be reached in small problems: what has a plan, and what has one once nothing is ever deleted."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pddl2nl.pddl import Domain, Task, parse_domain, parse_problem
from pddl2nl.tasks.generators import Generated
from pddlval import Simulator

ROOT = Path(__file__).resolve().parents[3]

_STATES = 20_000


@cache
def domain_of(name: str) -> Domain:
    return parse_domain((ROOT / "domains" / name / "domain.pddl").read_text(encoding="utf-8"))


def simulator_of(made: Generated) -> Simulator:
    domain = domain_of(made.domain)
    return Simulator(Task(domain, parse_problem(made.text, domain)))


def shortest(made: Generated) -> int | None:
    """The length of a shortest plan, or None where there is none; breadth first."""
    simulator = simulator_of(made)
    layer, seen, length = [simulator.initial], {simulator.initial}, 0
    while layer:
        if any(simulator.is_goal(state) for state in layer):
            return length
        following = []
        for state in layer:
            for _, after in simulator.successors(state):
                if after not in seen:
                    seen.add(after)
                    following.append(after)
        assert len(seen) < _STATES, "this problem is too large to be searched here"
        layer, length = following, length + 1
    return None


def solvable_without_deletes(made: Generated) -> bool:
    """Whether the goal is reached where every atom stays true that ever became true."""
    simulator = simulator_of(made)
    state = simulator.initial
    while True:
        added = [atom for action in simulator.applicable(state) for atom in simulator.step(state, action).added]
        if not added:
            return simulator.is_goal(state)
        state = simulator.state([*state.atoms, *added])

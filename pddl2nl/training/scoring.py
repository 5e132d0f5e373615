"""The rewards of a row with its reply, whichever columns it has: those of a plan, of a task graph, or both."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pddl2nl.conversion import convert
from pddl2nl.files import parse_json
from pddl2nl.pddl import Task, parse_domain, parse_problem
from pddl2nl.systems.taskgraph.doing import Handled, reaches_goal
from pddl2nl.systems.taskgraph.prompts import shipped_subtasks
from pddl2nl.training.graph_rewards import GraphColumns, ReachesGoal, Variant, graph_rewards
from pddl2nl.training.rewards import RewardColumns, plan_rewards
from pddlval.simulator import simulator_of


def rewards_of_row(reply: str, row: Mapping[str, Any], variant: Variant = "sound") -> dict[str, float]:
    """The rewards of a reply by name.

    Args:
        reply: of a model.
        row: with the column ``graph`` (`GraphColumns`, as JSON text or object), or with those of `RewardColumns`. With
            both, sound instruction rewards are given for every plan that reaches the goal.
        variant: of the rewards along a task graph.

    Raises:
        InputError: a column is missing or cannot be read.
    """
    if row.get("graph"):
        return graph_rewards(reply, graph_columns(row["graph"]), variant, _goal_test(row)).as_json()
    known = {name: value for name, value in row.items() if name in RewardColumns.__struct_fields__}
    return plan_rewards(reply, convert(known, RewardColumns)).as_json()


def _goal_test(row: Mapping[str, Any]) -> ReachesGoal | None:
    """Whether plans of subtasks reach the goal in the simulator; None for rows without a task that has subtasks."""
    domain, problem = row.get("domain"), row.get("problem")
    return _goal_test_of(domain, problem) if isinstance(domain, str) and isinstance(problem, str) else None


@lru_cache(maxsize=256)
def _goal_test_of(domain: str, problem: str) -> ReachesGoal | None:
    read = parse_domain(domain)
    simulator, subtasks = simulator_of(Task(read, parse_problem(problem, read))), shipped_subtasks(read)
    if subtasks is None:
        return None
    return lambda plan: reaches_goal(simulator, subtasks, simulator.initial, plan, Handled())


def graph_columns(value: object) -> GraphColumns:
    """The column ``graph``; raises `InputError`, with the key, where it cannot be read."""
    return _graph_columns(value) if isinstance(value, str) else convert(value, GraphColumns, "graph")


@lru_cache(maxsize=256)
def _graph_columns(text: str) -> GraphColumns:
    return convert(parse_json(text, "column graph"), GraphColumns, "graph")

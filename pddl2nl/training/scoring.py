"""The rewards of a row with its reply, whichever columns it has: those of a plan, of a task graph, or both."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pddl2nl.conversion import convert
from pddl2nl.files import parse_json
from pddl2nl.training.graph_rewards import GraphColumns, Variant, graph_rewards
from pddl2nl.training.rewards import RewardColumns, plan_rewards

__all__ = ["graph_columns", "rewards_of_row"]


def rewards_of_row(reply: str, row: Mapping[str, Any], variant: Variant = "sound") -> dict[str, float]:
    """The rewards of a reply by name.

    Args:
        reply: of a model.
        row: with the column ``graph`` (`GraphColumns`, as JSON text or object), or with those of `RewardColumns`.
        variant: of the rewards along a task graph.

    Raises:
        InputError: a column is missing or cannot be read.
    """
    if "graph" in row:
        return graph_rewards(reply, graph_columns(row["graph"]), variant).as_json()
    known = {name: value for name, value in row.items() if name in RewardColumns.__struct_fields__}
    return plan_rewards(reply, convert(known, RewardColumns)).as_json()


def graph_columns(value: object) -> GraphColumns:
    """The column ``graph``; raises `InputError`, with the key, where it cannot be read."""
    return _graph_columns(value) if isinstance(value, str) else convert(value, GraphColumns, "graph")


@lru_cache(maxsize=256)
def _graph_columns(text: str) -> GraphColumns:
    return convert(parse_json(text, "column graph"), GraphColumns, "graph")

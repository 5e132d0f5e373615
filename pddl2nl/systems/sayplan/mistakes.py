"""The mistakes that the oracle can make on purpose; most end when a prompt gives feedback about them.

===================  ==============================================================================================
name                 what is wrong
===================  ==============================================================================================
hallucinated-node    the plan begins with a movement to a node that does not exist
missing-open         the first ``open`` is missing
missing-access       each ``access`` is missing
full-hand            the first ``pickup`` comes twice
missing-pose         movements name only where they end, also if no path planner adds the places on the way
early-stop           the search ends before it has begun
revisit              the search expands the node again that it expanded last, unless it is told that this is no use
no-contract          the search contracts nothing
bad-json             the first reply is cut off in the middle
===================  ==============================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from pddl2nl.systems.sayplan.calls import SceneCalled

SceneMistake = Literal[
    "hallucinated-node",
    "missing-open",
    "missing-access",
    "full-hand",
    "missing-pose",
    "early-stop",
    "revisit",
    "no-contract",
    "bad-json",
]
MISTAKES: tuple[str, ...] = get_args(SceneMistake)
"""The names of all mistakes."""

NOWHERE = "secret_room"
"""The node that does not exist."""


def mistaken_plan(mistake: str | None, plan: Sequence[SceneCalled], moves: str) -> tuple[SceneCalled, ...]:
    """A plan with the mistake, or the plan itself if it cannot be made in it."""
    if mistake == "hallucinated-node":
        return (SceneCalled(moves, (NOWHERE,)), *plan)
    if mistake == "full-hand":
        after = next((place for place, call in enumerate(plan, 1) if call.name == "pickup"), 0)
        return (*plan[:after], *(plan[after - 1 : after] if after else ()), *plan[after:])
    if mistake == "missing-access":
        return tuple(call for call in plan if call.name != "access")
    opened = [place for place, call in enumerate(plan) if call.name == "open"] if mistake == "missing-open" else []
    return tuple(call for place, call in enumerate(plan) if place not in opened[:1])

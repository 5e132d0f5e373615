"""Random walks through tasks, the same in every run, and all states of small ones."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import islice

from pddlval import Simulator, State


def some_walk(simulator: Simulator, steps: int, seed: int = 3) -> list[str]:
    """The actions of a random walk from the initial state."""
    walk = simulator.walk(simulator.initial, random.Random(seed))
    return [str(action) for action, _ in islice(walk, steps)]


def reachable(simulator: Simulator, allowed: Callable[[State], bool] = lambda state: True) -> list[State]:
    """All states that are reached through allowed states, the nearest first."""
    seen = {simulator.initial: None} if allowed(simulator.initial) else {}
    for state in (todo := [*seen]):
        for _, after in simulator.successors(state):
            if after not in seen and allowed(after):
                seen[after] = None
                todo.append(after)
    return todo

"""Random walks through tasks, the same in every run."""

from __future__ import annotations

import random
from itertools import islice

from pddlval import Simulator


def some_walk(simulator: Simulator, steps: int, seed: int = 3) -> list[str]:
    """The actions of a random walk from the initial state."""
    walk = simulator.walk(simulator.initial, random.Random(seed))
    return [str(action) for action, _ in islice(walk, steps)]

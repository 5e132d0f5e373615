"""Baselines for language models: Fast Downward, the random walk, the oracle model."""

from __future__ import annotations

from pddl2nl.baselines.fast_downward import DEFAULT_SECONDS, find_driver, version
from pddl2nl.baselines.inputs import TaskFiles, TaskTexts
from pddl2nl.baselines.oracle import PlanOracle
from pddl2nl.baselines.planner import BASELINES, PLANNERS, solve, solve_each
from pddl2nl.baselines.random_walk import walk
from pddl2nl.baselines.result import PlannerResult, Status

__all__ = [
    "BASELINES",
    "DEFAULT_SECONDS",
    "PLANNERS",
    "PlanOracle",
    "PlannerResult",
    "Status",
    "TaskFiles",
    "TaskTexts",
    "find_driver",
    "solve",
    "solve_each",
    "version",
    "walk",
]

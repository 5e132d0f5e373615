"""A run with the events of hybrids."""

from __future__ import annotations

from pddl2nl.policies.events import Fault, Finished, RunEvent
from pddl2nl.systems.hybrids.events import PlanRepaired, ProblemWritten, StatesAsked, StatesSearched
from tests.records import tiny_start


def recorded() -> list[RunEvent]:
    """The events of all hybrids: a plan to which one action was added, a problem that lacks a fact."""
    plan = ("(pick-up a)", "(stack a b)")
    return [
        tiny_start("repair"),
        PlanRepaired("lmcut", "solved", plan[1:], 0, plan, (1,), 1, 1, 0.2, 3, 4),
        ProblemWritten(0, "(define …)", "", False, ("init (clear a)",), ()),
        StatesAsked((3,), (("(pick-up a)",),), (1,)),
        StatesSearched("led", "limit", (), 9, 3, 20),
        Finished("goal-missed", Fault(1, "goal-missed", "…")),
    ]

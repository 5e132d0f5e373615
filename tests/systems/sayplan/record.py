"""A run with the events of sayplan."""

from __future__ import annotations

from pddl2nl.policies.events import Fault, Finished, RunEvent
from pddl2nl.systems.sayplan.events import PlanChecked, SceneSearched, SearchEnded
from tests.records import TOWER, tiny_start


def recorded() -> list[RunEvent]:
    """One step of search, and one plan."""
    counts = (("agent", 1), ("room", 2), ("asset", 1), ("object", 1), ("links", 3))
    tokens = tuple((kind, 9 * count) for kind, count in counts)
    return [
        tiny_start("sayplan", reference={**TOWER, "searched": ["kitchen"], "asked": [["fridge"]]}),
        SceneSearched(1, "expand(kitchen)", "kitchen", True, "", 90, ("kitchen",), ("kitchen",)),
        SearchEnded("model", ("fridge",), ("kitchen",), ("kitchen",), 90, 50, 200, counts, counts[:2], tokens),
        PlanChecked(0, ("goto(kitchen)",), (), 1, True, False),
        Finished("goal-missed", Fault(1, "goal-missed", "…")),
    ]

"""A run with the events of taskgraph."""

from __future__ import annotations

from pddl2nl.policies.events import Fault, Finished, RunEvent
from pddl2nl.systems.taskgraph.events import GraphChecked, KeysChosen, PlanRevised, SubtaskDone
from tests.records import TOWER, tiny_start


def recorded() -> list[RunEvent]:
    """A plan of two subtasks, of which one fails and is revised."""
    plan = ("PickupObject(Apple)", "PutObject(Apple, Shelf)")
    return [
        tiny_start("taskgraph", reference=TOWER),
        GraphChecked(0, 0, plan, (), (), (), True),
        KeysChosen(("Apple",), ("Appel",)),
        SubtaskDone(0, plan[0], ("(pick-up a)",), 2, "no Apple was seen anywhere"),
        PlanRevised(1, "error", "no Apple was seen anywhere", ("(a, in, b)",), True, plan, False, True),
        Finished("goal-missed", Fault(1, "goal-missed", "…")),
    ]

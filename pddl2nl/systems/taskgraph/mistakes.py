"""The mistakes that the oracle can make on purpose; each ends when a prompt gives feedback about it.

====================  ==================================================================================================
name                  what is wrong
====================  ==================================================================================================
illegal-transition    the first PickupObject comes twice
unknown-target        the first target is a class that does not exist
missing-treatment     the first treatment (heating, cooling, cleaning) is left out
wrong-receptacle      the last thing is put on the wrong furniture: the plan can be carried out, but misses the goal
held-knife            the knife is not put down
wrong-tag             the reply has no tags
first-instance-twice  of two equal things, the first one is named both times
overeager-replan      the plan is repeated as a revision after every subtask
====================  ==================================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from pddl2nl.systems.taskgraph.replies import PlannedSubtask

GraphMistake = Literal[
    "illegal-transition",
    "unknown-target",
    "missing-treatment",
    "wrong-receptacle",
    "held-knife",
    "wrong-tag",
    "first-instance-twice",
    "overeager-replan",
]
MISTAKES: tuple[str, ...] = get_args(GraphMistake)
"""The names of all mistakes."""

NOWHERE = "Unicorn"
"""The class that does not exist."""
_TREATMENTS = ("HeatObject", "CoolObject", "CleanObject")


def mistaken_subtasks(mistake: str | None, plan: Sequence[PlannedSubtask]) -> tuple[PlannedSubtask, ...]:
    """A plan with the mistake, or the plan itself if it cannot be made in it."""
    steps = list(plan)
    names = [step[0] for step in steps]
    if mistake == "illegal-transition" and "PickupObject" in names:
        place = names.index("PickupObject")
        return (*steps[: place + 1], *steps[place:])
    if mistake == "unknown-target" and steps:
        return ((names[0], NOWHERE, *steps[0][2:]), *steps[1:])
    if mistake == "missing-treatment":
        left_out = next((place for place, name in enumerate(names) if name in _TREATMENTS), len(steps))
        return (*steps[:left_out], *steps[left_out + 1 :])
    if mistake == "wrong-receptacle" and names[-1:] == ["PutObject"]:
        wrong = "CounterTop" if steps[-1][2] != "CounterTop" else "DiningTable"
        return (*steps[:-1], (*steps[-1][:2], wrong))
    if mistake == "held-knife" and "SliceObject" in names:
        after = names.index("SliceObject") + 1
        return (*steps[:after], *steps[after + 1 :])
    if mistake == "first-instance-twice" and "PickSecond" in names:
        thing = steps[names.index("PickSecond")][1]
        named = {thing: f"{thing.lower()}-1"}
        return tuple(
            step if step[0] == "FindSecond" else (step[0], *(named.get(target, target) for target in step[1:]))
            for step in steps
        )
    return tuple(steps)

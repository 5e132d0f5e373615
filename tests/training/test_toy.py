"""The paper's ablation of its rewards, with a toy learner in place of a language model."""

from __future__ import annotations

import pytest

from pddl2nl.training.graph_rewards import GraphColumns
from pddl2nl.training.toy import learn_plans

NAMES = {
    "A": "PickupObject",
    "B": "ToggleObject",
    "C": "SliceObject",
    "D": "PutObject",
    "E": "FindSecond",
    "F": "PickSecond",
    "G": "PutPickObject",
    "H": "CoolObject",
    "I": "HeatObject",
    "J": "CleanObject",
    "K": "OpenObject",
    "L": "CloseObject",
}
EDGES = "A BCDEGHIJKL|B ABCDEFGHIJKL|C CDGHIJKL|D AEFKL|E DF|F DGHIJ|G DHIJKL|H DGJ|I DGJ|J DGHI|K ACDGL|L ACDGK"
TARGETS = {"B": ("Lamp",), "D": ("Apple", "Table"), "G": ("Apple", "Plate"), "J": ("Apple", "Sink")}
TARGETS |= {"H": ("Apple", "Fridge"), "I": ("Apple", "Microwave"), "K": ("Table",), "L": ("Table",)}
OBJECTS = {
    "obj": ("Apple",),
    "rec": ("Table",),
    "mov": ("Plate",),
    "spec": ("Fridge", "Lamp", "Microwave", "Sink"),
}
ROLES = {"B": ("spec",), "D": ("obj", "rec"), "G": ("obj", "mov"), "K": ("rec",), "L": ("rec",)}
ROLES |= dict.fromkeys("HIJ", ("obj", "spec"))


def task(path: str) -> GraphColumns:
    plan = tuple((NAMES[label], *TARGETS.get(label, ("Apple",))) for label in path)
    return GraphColumns(
        objects=OBJECTS,
        edges=frozenset((NAMES[part[0]], NAMES[label]) for part in EDGES.split("|") for label in part[2:]),
        roles={name: ROLES.get(label, ("obj",)) for label, name in NAMES.items()},
        ground_truth=plan,
        key=plan[1:],
    )


TASKS = [task(path) for path in ("AD", "AEDFD", "AB", "AJD", "AID", "AHD", "AGD", "ACDAGD")]
"""The paper's seven kinds of short tasks, and a long one."""


def test_the_seed_decides_everything() -> None:
    assert learn_plans(TASKS[:2], updates=3, seed=5) == learn_plans(TASKS[:2], updates=3, seed=5)
    assert learn_plans(TASKS, updates=3, seed=5) != learn_plans(TASKS, updates=3, seed=6)


@pytest.mark.heavy
def test_each_reward_teaches_what_it_is_for() -> None:
    # Calibrated on seeds 1 to 3; with 3, one of eight tasks is right by chance without the instruction reward.
    untrained = learn_plans(TASKS, updates=0)
    every = learn_plans(TASKS)
    without_edge = learn_plans(TASKS, ("format", "node", "instruction"))
    without_instruction = learn_plans(TASKS, ("format", "node", "edge"))
    assert untrained.legal < 0.35
    assert every.legal >= 0.95
    assert without_instruction.legal >= 0.95
    assert without_edge.legal < 0.7
    assert every.right > 0.35
    assert without_instruction.right < 0.1, "a plan may be legal and wrong: rewards are hacked"

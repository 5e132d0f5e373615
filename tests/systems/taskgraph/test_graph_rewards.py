"""The GraphPlan paper's rewards: values computed by hand for both variants, and properties."""

from __future__ import annotations

import json
from dataclasses import astuple
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.systems.taskgraph.rewards import GraphColumns, Variant, graph_rewards

PICK, PUT, COOL, TOGGLE = "PickupObject", "PutObject", "CoolObject", "ToggleObject"
COLUMNS = GraphColumns(
    objects={"obj": ("Apple", "Egg"), "rec": ("Table", "Fridge"), "spec": ("Fridge", "Lamp")},
    edges=frozenset({(PICK, PUT), (PICK, COOL), (COOL, PUT), (PUT, PICK)}),
    roles={PICK: ("obj",), PUT: ("obj", "rec"), COOL: ("obj", "spec"), TOGGLE: ("spec",)},
    ground_truth=((PICK, "Apple"), (COOL, "Apple", "Fridge"), (PUT, "Apple", "Table")),
    key=((COOL, "Apple", "Fridge"), (PUT, "Apple", "Table")),
)
A, C, P = COLUMNS.ground_truth


def reply(*steps: tuple[str, ...], tag: str = "reasoning") -> str:
    plan = [[name, targets[0] if len(targets) == 1 else list(targets)] for name, *targets in steps]
    return f"<{tag}>So.</{tag}><answer>{json.dumps({'high_level': plan})}</answer>"


# format, node, edge and instruction; the paper's first. In the node reward of the paper, three objects are Apple, Table
# and Fridge: obj 1/3, rec 2/3, spec 1/3, of which the mean is 4/9.
TABLE: list[tuple[str, tuple[float, ...], tuple[float, ...]]] = [
    (reply(A, C, P), (1, 4 / 9, 1, 1), (1, 1, 1, 1)),
    (reply(A, C, P, tag="think"), (1, 4 / 9, 1, 1), (1, 1, 1, 1)),
    (reply(A, P), (1, 1 / 2, 1, 0), (1, 1, 1, 1 / 3)),
    (reply(C, P), (1, 4 / 9, 1, 1 / 2), (1, 1, 1, 1 / 3)),
    (reply(P, C), (1, 4 / 9, 0, 1 / 2), (1, 1, 0, 1 / 6)),
    (reply(A, C, P, A, P), (1, 4 / 9, 1, 1 / 2), (1, 1, 1, 3 / 10)),
    (reply(A, A, C, P), (1, 4 / 9, 0, 1 / 2), (1, 1, 0, 3 / 8)),
    (reply(A), (1, 1, 1, 0), (1, 1, 1, 1 / 6)),
    (reply((PICK, "Table")), (1, 1, 1, 0), (1, 0, 1, 0)),
    (reply((PICK, "Unicorn")), (1, 0, 1, 0), (1, 0, 1, 0)),
    (reply(("Fly", "Apple")), (1, 1, 1, 0), (1, 0, 0, 0)),
    (reply(A, ("Fly", "Apple")), (1, 1, 0, 0), (1, 1 / 2, 0, 1 / 6)),
    (reply((TOGGLE, "Lamp")), (1, 1, 1, 0), (1, 1, 1, 0)),
    (reply(A, (TOGGLE, "Lamp")), (1, 1 / 2, 0, 0), (1, 1, 0, 1 / 6)),
    (reply(A, (PUT, "Apple")), (1, 1, 1, 0), (1, 2 / 3, 1, 1 / 6)),
    (reply(), (1, 0, 1, 0), (1, 0, 0, 0)),
    (reply(A, C, P)[: -len("</answer>")], (0, 4 / 9, 1, 1), (0, 1, 1, 1)),
    ("<reasoning>So.</reasoning><answer>Pick it up.</answer>", (1 / 2, 0, 1, 0), (1 / 2, 0, 0, 0)),
    ("Pick it up.", (0, 0, 1, 0), (0, 0, 0, 0)),
    ("", (0, 0, 1, 0), (0, 0, 0, 0)),
]


@pytest.mark.parametrize(("text", "paper", "sound"), TABLE)
def test_values_computed_by_hand(text: str, paper: tuple[float, ...], sound: tuple[float, ...]) -> None:
    assert astuple(graph_rewards(text, COLUMNS, "paper")) == pytest.approx(paper)
    assert astuple(graph_rewards(text, COLUMNS, "sound")) == pytest.approx(sound)


def test_another_plan_that_reaches_the_goal_is_right_by_the_sound_reward_alone() -> None:
    other = reply(A, C, P, A, P)
    assert graph_rewards(other, COLUMNS, "sound", lambda steps: True).instruction == 1
    assert graph_rewards(other, COLUMNS, "paper", lambda steps: True).instruction == 0.5


def test_without_key_subtasks_the_paper_gives_no_half() -> None:
    without = msgspec.structs.replace(COLUMNS, key=())
    assert graph_rewards(reply(A), without, "paper").instruction == 0


steps = st.lists(st.sampled_from([A, C, P, (TOGGLE, "Lamp"), (PICK, "Egg"), ("Fly", "Apple")]), max_size=6)
VARIANTS: tuple[Variant, ...] = ("paper", "sound")


@settings(max_examples=30)
@given(steps)
def test_rewards_are_from_0_to_4_and_the_layout_of_json_changes_none(plan: list[tuple[str, ...]]) -> None:
    text = reply(*plan)
    data: dict[str, Any] = json.loads(text.split("<answer>")[1].removesuffix("</answer>"))
    loose = f"<reasoning>\n\n</reasoning>\n<answer>\n{json.dumps({'a': 1} | data, indent=4)}\n</answer>\n"
    for variant in VARIANTS:
        rewards = graph_rewards(text, COLUMNS, variant)
        assert 0 <= rewards.total <= 4
        assert rewards == graph_rewards(loose, COLUMNS, variant)

"""Grippers: robots with two grippers each, and balls that all have to move unless fewer are asked for."""

from __future__ import annotations

import re

import pytest

from pddl2nl.tasks.generators import generate


@pytest.mark.parametrize("balls", [1, 2, 5, 12])
def test_all_balls_move_in_the_scaled_set(balls):
    for seed in range(10):
        init, goal = generate("grippers", seed, robots=1, rooms=2, balls=balls, moving=100).text.split("(:goal")
        starts, ends = (dict(re.findall(r"\(at (\w+) (\w+)\)", part)) for part in (init, goal))
        assert len(starts) == len(ends) == balls
        assert all(starts[ball] != ends[ball] for ball in ends)


def test_every_robot_has_a_left_and_a_right_gripper():
    text = generate("grippers", 1, robots=3, rooms=4, balls=2).text
    assert re.findall(r"\(free (\w+) (\w+)\)", text) == [
        (f"robot{number}", f"{side}gripper{number}") for number in (1, 2, 3) for side in "lr"
    ]
    assert len(re.findall(r"\(at-robby robot[123] room[1234]\)", text)) == 3


def test_fewer_balls_need_not_all_move():
    summaries = {generate("grippers", seed, balls=3, moving=1).text.splitlines()[0] for seed in range(30)}
    start = "; Grippers: 1 robot, 2 rooms, 3 balls, "
    assert summaries == {f"{start}{number} of which must move." for number in ("1", "2", "all")}

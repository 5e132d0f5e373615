"""What a step leaves out is taken from what the reply names before it, where the state allows it."""

from __future__ import annotations

import pytest

from tests.nl.reading.composed import domain


def read(name: str, reply: str) -> list[str]:
    """What is read in a reply, told again; what is reported is an empty text."""
    home = domain(name)
    return [home.told(item.action) if item.action else "" for item in home.reader.read(reply).chosen]


@pytest.mark.parametrize(
    ("name", "reply", "told"),
    [
        (
            "satellite",
            "All of this is done by satellite_0.\n\n"
            "1. Turn from direction_1 to direction_2.\n2. Turn from direction_2 to direction_3.",
            ["turn satellite_0 from direction_1 to direction_2", "turn satellite_0 from direction_2 to direction_3"],
        ),
        (
            "floortile",
            "**robot_0**\n- Moves up from tile_3 to tile_5\n\n**robot_1**\n- Moves down from tile_2 to tile_0",
            ["move robot_0 up from tile_3 to tile_5", "move robot_1 down from tile_2 to tile_0"],
        ),
        (
            "grippers",
            "robot_0 works in room_1:\n1. Pick up ball_1 with gripper_1.\n2. Drop it.",
            [
                "pick up ball_1 in room_1 with gripper_1 of robot_0",
                "drop ball_1 in room_1 from gripper_1 of robot_0",
            ],
        ),
        (
            "depots",
            "**At depot_0**\n- hoist_0 lifts crate_0 off pallet_0\n- hoist_0 loads it into truck_0",
            ["lift crate_0 from pallet_0 at depot_0 with hoist_0", "load crate_0 into truck_0 at depot_0 with hoist_0"],
        ),
        (
            # Where a way begins, the state says: the ferry is at location_1.
            "ferry",
            "Car_0 waits.\n1. Sail the ferry to location_0.\n2. Load car_0 there.",
            ["sail the ferry from location_1 to location_0", "load car_0 onto the ferry at location_0"],
        ),
        (
            "visitall",
            "**East side:** place_0 → place_1 → place_3",
            ["move the robot from place_0 to place_1", "move the robot from place_1 to place_3"],
        ),
        (
            # The last objects stand in a sentence behind the step.
            "depots",
            "1. Lift crate_0 from pallet_0. The work is done at depot_0 by hoist_0.",
            ["lift crate_0 from pallet_0 at depot_0 with hoist_0"],
        ),
        (
            # "Deliver …" above the step that says it is a title.
            "ferry",
            "1. Sail the ferry from location_1 to location_0.\n\n"
            "2. Sail to location_1\n- Sail the ferry from location_0 to location_1.",
            ["sail the ferry from location_1 to location_0", "sail the ferry from location_0 to location_1"],
        ),
    ],
)
def test_what_stands_before_it_completes_a_step(name: str, reply: str, told: list[str]) -> None:
    assert read(name, reply) == told


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        # The heading names another robot than the one that could do it: no plan is repaired.
        ("floortile", "robot_0 is at tile_3.\n**robot_1**\n- Moves up from tile_3 to tile_5"),
        # Only the task says which satellite could do it.
        ("satellite", "1. Turn from direction_1 to direction_2."),
        # Where something is put has to be said.
        ("depots", "**At depot_0**\n- Lift crate_0 from pallet_0 with hoist_0.\n- Load it with hoist_0."),
        # An unknown name, or a clause that is no step, is never filled up.
        ("floortile", "**robot_0**\n- Moves up from tile_3 to tile_55"),
        ("satellite", "satellite_0 could turn from direction_1 to direction_2."),
    ],
)
def test_what_is_not_certain_is_reported(name: str, reply: str) -> None:
    assert read(name, reply)[-1] == ""


def test_what_prose_only_speaks_of_is_not_completed() -> None:
    prose = "We look at robot_0. Moving up from tile_3 to tile_5 lets it paint later.\n\n"
    assert read("floortile", prose + "1. move robot_1 up from tile_2 to tile_4") == [
        "move robot_1 up from tile_2 to tile_4"
    ]


def test_steps_for_several_objects() -> None:
    assert read("grippers", "1. Pick up both ball_0 and then ball_1 in room_1 with gripper_0 of robot_0.") == [
        f"pick up ball_{ball} in room_1 with gripper_0 of robot_0" for ball in (0, 1)
    ]
    assert read("grippers", "1. Move robot_0 and ball_1 from room_1 to room_0.")[-1] == ""


def test_an_initial_stands_for_the_only_noun_that_begins_with_it() -> None:
    assert read("blocksworld", "1. Unstack b2 from b3.\n2. Stack b2 on b0.") == [
        "unstack block_2 from block_3",
        "stack block_2 on block_0",
    ]


def test_an_option_that_its_heading_recommends_is_the_plan() -> None:
    first, second = ("1. unstack block_2 from block_3\n2. put down block_2", "1. unstack block_2 from block_3")
    assert read("blocksworld", f"Option A:\n{first}\n\nOption B (recommended):\n{second}") == [second[3:]]


def test_a_way_in_brackets_is_no_step() -> None:
    readings = domain("ferry").reader.read("1. Debark car_0 at location_1 (car_0: location_0 → location_1)")
    assert [item.status for item in readings.chosen] == ["unreadable"]

"""Several steps in a sentence, and what sentences leave out: verbs, subjects, places."""

from __future__ import annotations

import pytest

from tests.nl.reading.composed import domain

SAIL, BACK = "sail the ferry from location_0 to location_1", "sail the ferry from location_1 to location_0"
LOAD, UNLOAD = "load car_0 onto the ferry at location_0", "unload car_0 from the ferry at location_1"


def read(name: str, reply: str) -> list[str]:
    """What is read in a reply, told again; what is reported is an empty text."""
    home = domain(name)
    return [home.told(item.action) if item.action else "" for item in home.reader.read(reply).chosen]


@pytest.mark.parametrize(
    ("reply", "steps"),
    [
        # Forms in -ing go on as they began.
        (
            "We begin by loading car_0 onto the ferry at location_0, sailing from location_0 to location_1, and "
            "unloading car_0 at location_1.",
            [LOAD, SAIL, UNLOAD],
        ),
        # What cannot be done does not hold for what is done instead.
        (f"Because nothing can be loaded from there, so {SAIL} and {UNLOAD}.", [SAIL, UNLOAD]),
        # Who acts is said once.
        ("Now it sails from location_0 to location_1.", [SAIL]),
        (f"To finish cleanly I {BACK}.", [BACK]),
        (f"What is left is to {SAIL}.", [SAIL]),
        (f"{LOAD} and then from there {SAIL}.", [LOAD, SAIL]),
        # Titles in italics, and what is named once more in brackets
        (f"*Freeing location_0.* {LOAD}, and then {SAIL}.", [LOAD, SAIL]),
        (f"Still at location_0, {LOAD}.", [LOAD]),
    ],
)
def test_steps_of_the_ferry(reply: str, steps: list[str]) -> None:
    assert read("ferry", reply) == steps


@pytest.mark.parametrize(
    ("name", "reply", "steps"),
    [
        (
            "floortile",
            "robot_0 moves up from tile_3 to tile_5, left from tile_5 to tile_4 and then down from tile_4 to tile_2.",
            [
                "move robot_0 up from tile_3 to tile_5",
                "move robot_0 left from tile_5 to tile_4",
                "move robot_0 down from tile_4 to tile_2",
            ],
        ),
        (
            "floortile",
            "robot_0 moves up from tile_3 to tile_5 and moves left from tile_5 to tile_4.",
            ["move robot_0 up from tile_3 to tile_5", "move robot_0 left from tile_5 to tile_4"],
        ),
        (
            "goldminer",
            "From loc_0 the robot moves to loc_1, where it picks up the laser.",
            ["move the robot from loc_0 to loc_1", "pick up the laser at loc_1"],
        ),
        (
            "visitall",
            "Move the robot from place_0 to place_1, then from place_1 to place_3, and lastly from place_3 to place_2.",
            [
                "move the robot from place_0 to place_1",
                "move the robot from place_1 to place_3",
                "move the robot from place_3 to place_2",
            ],
        ),
    ],
)
def test_a_verb_and_its_subject_are_said_once(name: str, reply: str, steps: list[str]) -> None:
    assert read(name, reply) == steps


@pytest.mark.parametrize(
    "reply",
    [
        # A step in a relative clause is one, or is reported.
        f"{LOAD} and sail from location_0 to location_1, where car_0 is unloaded.",
        "So it must be loaded at location_0.",
        "1. 'board' never car_0 and location_0",
        "1. 'sail' not to location_0, location_1",
    ],
)
def test_what_a_sentence_may_say_besides_is_reported(reply: str) -> None:
    assert not domain("ferry").reader.read(reply).complete

from __future__ import annotations

import pytest

from pddl2nl.nl.negation import negate

TABLE = {
    "{?x} is at {?y}": "{?x} is not at {?y}",
    "{?x} and {?y} are in relation 'on'": "{?x} and {?y} are not in relation 'on'",
    "{?x} is 'is'": "{?x} is not 'is'",
    "'handempty' holds": "'handempty' does not hold",
    "the hand is empty": "the hand is not empty",
    "I am holding {?x}": "I am not holding {?x}",
    "{?x} has been visited": "{?x} has not been visited",
    "{?x} has visited {?y}": "{?x} has not visited {?y}",
    "{?x} has {?y}": "{?x} does not have {?y}",
    "{?x} has a usage of {?y}": "{?x} does not have a usage of {?y}",
    "{?x} has speed {?y}": "{?x} does not have speed {?y}",
    "{?x} can reach {?y}": "{?x} cannot reach {?y}",
    "{?x} will open": "{?x} will not open",
    "{?x} was seen": "{?x} was not seen",
    "there is a path from {?x} to {?y}": "there is no path from {?x} to {?y}",
    "there are {?x} seats": "there are no {?x} seats",
    "{?x} supports {?y}": "{?x} does not support {?y}",
    "the robot holds {?x}": "the robot does not hold {?x}",
    "{?x} blocks {?y}": "{?x} does not block {?y}",
    "{?x}, {?y}, and {?z} are partners": "{?x}, {?y}, and {?z} are not partners",
}
UNSURE = [
    "holding {?x}",
    "{?x} communicated soil data",
    "{?x} walked to {?y}",
    "{?x} is not on {?y}",
    "{?x} is free and {?y} is full",
    "the block that is on {?x} is {?y}",
    "nothing is on {?x}",
    "all of {?x} is clear",
    "{?x} never moves",
]


@pytest.mark.parametrize("text", TABLE)
def test_rules(text: str) -> None:
    assert negate(text) == TABLE[text]


@pytest.mark.parametrize("text", UNSURE)
def test_no_answer_where_the_rules_are_not_sure(text: str) -> None:
    assert negate(text) is None

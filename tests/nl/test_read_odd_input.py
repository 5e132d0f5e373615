"""Replies that no sane model writes: they take time in proportion to their length, and no error."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pddl2nl.nl.reading.reader import Reader
from tests.nl.blocks import blocks_reader
from tests.nl.reading.composed import domain

COUNT = 8_000


@pytest.fixture(scope="module")
def reader() -> Reader:
    return new_reader()


def new_reader() -> Reader:
    return blocks_reader("red blue")


ODD: dict[str, Callable[[int], str]] = {
    "opening brackets": lambda n: "(" * n,
    "nested expressions": lambda n: "(stack " * n + ")" * n,
    "brackets before a long word": lambda n: "((" + "a" * n,
    "a long word": lambda n: "stack " + "p" * n + " on blue",
    "a chain of names": lambda n: "f." * n + "(",
    "a chain of numbers": lambda n: "1." * n,
    "articles": lambda n: "stack " + "the " * n,
    "deep JSON": lambda n: '{"a":' * n + "1" + "}" * n,
    "plan tags": lambda n: "[PLAN]" * n,
    "thoughts that end": lambda n: "x\n</think>\n" * n,
    "remarks in brackets": lambda n: "stack red on blue " + "(so) " * n,
    "null characters": lambda n: "\0" * n,
    "many actions in a line": lambda n: ", ".join(["stack red on blue"] * (n // 4)),
    "corrections behind PDDL": lambda n: "(stack red blue) " + "wait - red " * n,
    "roles below a line": lambda n: "- stack:\n" + "  red: blue\n" * n,
    "empty lines": lambda n: "\n" * n + "Action: pick up red",
}


@pytest.mark.parametrize("kind", ODD)
def test_odd_input_takes_time_in_proportion(kind: str, linear: Callable[..., None]) -> None:
    def read(text: str) -> None:
        # A reader keeps what it has read.
        reader = new_reader()
        readings = reader.read(text).readings
        reader.read_turn(text)
        assert all(text[item.start : item.end] == item.text for item in readings)

    read(ODD[kind](COUNT))
    linear(read, ODD[kind], COUNT // 16)


@pytest.mark.parametrize("reply", ["Action: (stack red)", "1. (red)", "stack: (on blue)"])
def test_what_has_all_words_in_brackets_is_no_step_and_no_error(reply: str, reader: Reader) -> None:
    assert not reader.read(reply).plan


def test_all_actions_of_a_long_line_are_read(reader: Reader) -> None:
    assert len(reader.read(ODD["many actions in a line"](COUNT)).plan) == COUNT // 4
    assert reader.read_turn(ODD["empty lines"](COUNT)).status == "read"


def test_an_object_that_corrects_an_action_without_objects_is_reported() -> None:
    reader = domain("tabletop").reader
    readings = reader.read("Return to base. No, location-2-4.")
    assert not readings.plan
    assert not readings.complete

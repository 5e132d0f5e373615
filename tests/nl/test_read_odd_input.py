"""Replies that no sane model writes: they take time in proportion to their length, and no error."""

from __future__ import annotations

import time

import pytest

from pddl2nl.nl.names import make_names
from pddl2nl.nl.read import Reader
from pddl2nl.nl.wording import Snippet, Wording
from pddl2nl.pddl import parse_task

DOMAIN = """
(define (domain blocksworld) (:requirements :strips) (:predicates (on ?x ?y) (clear ?x))
 (:action pick-up :parameters (?x) :precondition (clear ?x) :effect (clear ?x))
 (:action stack :parameters (?x ?y) :precondition (clear ?x) :effect (on ?x ?y)))
"""
COUNT = 20_000


@pytest.fixture(scope="module")
def reader() -> Reader:
    problem = "(define (problem p) (:domain blocksworld) (:objects red blue) (:init) (:goal (on red blue)))"
    task = parse_task(DOMAIN, problem)
    actions = {
        "pick-up": Snippet("pick-up", ("?x",), "pick up {?x}"),
        "stack": Snippet("stack", ("?x", "?y"), "stack {?x} on {?y}"),
    }
    return Reader(task, Wording("blocksworld", {}, actions), make_names(task, "original"))


ODD = {
    "opening brackets": "(" * COUNT,
    "nested expressions": "(stack " * COUNT + ")" * COUNT,
    "brackets before a long word": "((" + "a" * COUNT,
    "a long word": "stack " + "p" * COUNT + " on blue",
    "a chain of names": "f." * COUNT + "(",
    "a chain of numbers": "1." * COUNT,
    "articles": "stack " + "the " * COUNT,
    "deep JSON": '{"a":' * COUNT + "1" + "}" * COUNT,
    "plan tags": "[PLAN]" * COUNT,
    "thoughts that end": "x\n</think>\n" * COUNT,
    "remarks in brackets": "stack red on blue " + "(so) " * COUNT,
    "null characters": "\0" * COUNT,
    "many actions in a line": ", ".join(["stack red on blue"] * (COUNT // 4)),
    "empty lines": "\n" * COUNT + "Action: pick up red",
}


@pytest.mark.parametrize("kind", ODD)
def test_odd_input_takes_time_in_proportion(reader: Reader, kind: str) -> None:
    text = ODD[kind]
    began = time.perf_counter()
    readings = reader.read(text).readings
    reader.read_turn(text)
    # Quadratic time would be tens of seconds.
    assert time.perf_counter() - began < 2.5
    assert all(text[item.start : item.end] == item.text for item in readings)


def test_all_actions_of_a_long_line_are_read(reader: Reader) -> None:
    assert len(reader.read(ODD["many actions in a line"]).plan) == COUNT // 4
    assert reader.read_turn(ODD["empty lines"]).status == "read"

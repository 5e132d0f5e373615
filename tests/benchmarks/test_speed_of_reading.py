"""Speed of reading replies of 2,000 lines, beside regular expressions that know nothing but the snippets' words.

``pytest -m benchmark tests/benchmarks/test_speed_of_reading.py``, on a quiet machine. The peer finds the exact lines
and the names in them, and neither markup nor loose words, unknown objects, types, prose or places.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from pddl2nl.nl import Reader, Snippet, Wording, make_names
from pddl2nl.pddl import Task, parse_task

if TYPE_CHECKING:
    from conftest import Bench

pytestmark = pytest.mark.benchmark

LINES = 2000
DOMAIN = """
(define (domain logistics) (:requirements :strips :typing)
 (:types truck package location city)
 (:predicates (at ?x - object ?l - location) (in ?p - package ?t - truck) (in-city ?l - location ?c - city))
 (:action load :parameters (?p - package ?t - truck ?l - location) :precondition (at ?p ?l) :effect (in ?p ?t))
 (:action unload :parameters (?p - package ?t - truck ?l - location) :precondition (in ?p ?t) :effect (at ?p ?l))
 (:action drive :parameters (?t - truck ?a ?b - location ?c - city)
  :precondition (and (at ?t ?a) (in-city ?a ?c) (in-city ?b ?c)) :effect (at ?t ?b)))
"""
TEXTS = {
    "load": ("?p ?t ?l", "load package {?p} into truck {?t} at location {?l}"),
    "unload": ("?p ?t ?l", "unload package {?p} from truck {?t} at location {?l}"),
    "drive": ("?t ?a ?b ?c", "drive truck {?t} from location {?a} to location {?b} in city {?c}"),
}
KINDS = ("truck", "package", "location", "city")


def big_task(count: int) -> Task:
    objects = " ".join(f"{kind[0]}{index} - {kind}" for index in range(count // 4) for kind in KINDS)
    return parse_task(DOMAIN, f"(define (problem p) (:domain logistics) (:objects {objects}) (:init) (:goal (and)))")


def wording() -> Wording:
    actions = {name: Snippet(name, tuple(variables.split()), text) for name, (variables, text) in TEXTS.items()}
    return Wording("logistics", {}, actions)


def make_reader(task: Task) -> Reader:
    return Reader(task, wording(), make_names(task))


def _names(index: int, count: int) -> tuple[str, ...]:
    factors = (7, 1, 3, 5)
    return tuple(f"{kind}_{index * factor % count}" for kind, factor in zip(KINDS, factors, strict=True))


def exact(index: int, count: int) -> str:
    truck, package, place, city = _names(index, count)
    return (
        f"load package {package} into truck {truck} at location {place}",
        f"drive truck {truck} from location {place} to location location_0 in city {city}",
        f"unload package {package} from truck {truck} at location {place}",
    )[index % 3]


def numbered(index: int, count: int) -> str:
    said = exact(index, count)
    return f"{index + 1}. {said[0].upper()}{said[1:]}."


def loose(index: int, count: int) -> str:
    truck, package, place, city = _names(index, count)
    return (
        f"{index + 1}. **Load the {package} into {truck} at {place}**.",
        f"{index + 1}. **Drive the {truck} from {place} to location_0 in {city}**, since it is needed there.",
        f"{index + 1}. **Unload {package} from the {truck} at {place}** (now it is there).",
    )[index % 3]


def mixed(index: int, count: int) -> str:
    truck, package, place, _ = _names(index, count)
    return (
        loose(index, count),
        f"   - Now {package} is in {truck}, and the {truck} is at {place}.",
        f"Thought: the {truck} must go to {place}, where {package} waits.",
        f"Action: {exact(index, count)}",
    )[index % 4]


FORMS: dict[str, Callable[[int, int], str]] = {"exact": exact, "numbered": numbered, "loose": loose, "mixed": mixed}


def by_regular_expressions(text: str) -> list[tuple[str, ...]]:
    """What a script would do: each line against each snippet with its parameters as groups."""
    patterns = [re.compile(re.sub(r"\{[^{}]*\}", r"(\\S+)", said), re.IGNORECASE) for _, said in TEXTS.values()]
    found: list[tuple[str, ...]] = []
    for line in text.splitlines():
        for name, pattern in zip(TEXTS, patterns, strict=True):
            if match := pattern.search(line):
                found.append((name, *(group.rstrip(".*") for group in match.groups())))
                break
    return found


@pytest.mark.parametrize("objects", [40, 5000])
@pytest.mark.parametrize("form", FORMS)
def test_reading_two_thousand_lines(form: str, objects: int, bench: Bench) -> None:
    reader = make_reader(big_task(objects))
    text = "\n".join(FORMS[form](index, objects // 4) for index in range(LINES))
    readings = reader.read(text)
    assert sum(item.status == "read" for item in readings.readings) == (LINES // 2 if form == "mixed" else LINES)
    ours = bench.seconds(lambda: reader.read(text), runs=7)
    theirs = bench.seconds(lambda: by_regular_expressions(text), runs=7)
    bench.ratio(f"reading {LINES} {form} lines, {objects} objects", ours, "regular expressions", theirs)
    assert ours < 0.05


def test_building_a_reader_for_thousands_of_objects(bench: Bench) -> None:
    task = big_task(5000)
    ours = bench.seconds(lambda: make_reader(task))
    theirs = bench.seconds(lambda: big_task(5000))
    bench.ratio("building a reader, 5000 objects", ours, "parsing the task", theirs)
    assert ours < 1

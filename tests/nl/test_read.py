"""Reading single lines: every rule, every status, on lines as models write them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pddl2nl.nl.names import make_names
from pddl2nl.nl.reading.reader import Reader
from pddl2nl.nl.wording.files import load_wording, wording_from_json
from pddl2nl.nl.wording.snippets import Wording
from pddl2nl.pddl import Task, TypedName, load_task, parse_task
from pddl2nl.pddl.tree import And
from tests.nl.blocks import blocks_reader, snippets

LOGISTICS = """
(define (domain logistics) (:requirements :strips :typing)
 (:types truck package location city)
 (:predicates (at ?x - object ?l - location) (in ?p - package ?t - truck) (in-city ?l - location ?c - city))
 (:action load-truck :parameters (?p - package ?t - truck ?l - location)
  :precondition (at ?p ?l) :effect (in ?p ?t))
 (:action unload-truck :parameters (?p - package ?t - truck ?l - location)
  :precondition (in ?p ?t) :effect (at ?p ?l))
 (:action drive-truck :parameters (?t - truck ?from ?to - location ?c - city)
  :precondition (at ?t ?from) :effect (at ?t ?to)))
"""
PROBLEM = """
(define (problem p) (:domain logistics)
 (:objects t0 t1 - truck p0 p1 - package l0 l1 l2 - location c0 - city)
 (:init (at t0 l0)) (:goal (at p0 l1)))
"""


def logistics_task() -> Task:
    return parse_task(LOGISTICS, PROBLEM)


def logistics_wording() -> Wording:
    actions = snippets(
        load_truck=("?p ?t ?l", "load {?p} into truck {?t} at location {?l}"),
        unload_truck=("?p ?t ?l", "unload package {?p} from truck {?t} at location {?l}"),
        drive_truck=("?t ?from ?to ?c", "drive truck {?t} from {?from} in city {?c} to {?to} in the same city"),
    )
    return Wording("logistics", {}, actions)


@pytest.fixture(scope="module")
def logistics() -> Reader:
    task = logistics_task()
    return Reader(task, logistics_wording(), make_names(task, "typed"))


@pytest.fixture(scope="module")
def letters() -> Reader:
    """Blocks called a, b, c, d: the names that collide with an article."""
    return blocks_reader("a b c d")


@pytest.fixture(scope="module")
def colours() -> Reader:
    """Blocks called by colours, in the nouns of a longer wording."""
    actions = snippets(
        pick_up=("?x", "pick up the {?x} block"),
        put_down=("?x", "put down the {?x} block"),
        stack=("?x ?y", "stack the {?x} block on top of the {?y} block"),
        unstack=("?x ?y", "unstack the {?x} block from on top of the {?y} block"),
    )
    return blocks_reader("red blue green", Wording("blocksworld", {}, actions))


LOAD = "(load-truck p0 t0 l1)"
LOGISTICS_LINES = [
    ("load package_0 into truck truck_0 at location location_1", LOAD, "exact"),
    ("Load package_0 into truck truck_0 at location location_1", LOAD, "case"),
    ("LOAD PACKAGE_0 INTO TRUCK TRUCK_0 AT LOCATION LOCATION_1", LOAD, "case"),
    ("load package-0 into truck truck-0 at location location-1", LOAD, "case"),
    ("load package_0 into truck truck_0 at location location_1.", LOAD, "markup"),
    ("1. load package_0 into truck truck_0 at location location_1", LOAD, "markup"),
    ("12) load package_0 into truck truck_0 at location location_1", LOAD, "markup"),
    ("(3) load package_0 into truck truck_0 at location location_1", LOAD, "markup"),
    ("- load package_0 into truck truck_0 at location location_1", LOAD, "markup"),
    ("* **load package_0 into truck truck_0 at location location_1**", LOAD, "markup"),
    ("• load package_0 into truck truck_0 at location location_1;", LOAD, "markup"),
    ("> `load package_0 into truck truck_0 at location location_1`", LOAD, "markup"),
    ('"load package_0 into truck truck_0 at location location_1",', LOAD, "markup"),
    ("### load package_0 into truck truck_0 at location location_1", LOAD, "markup"),
    ("**Load** `package_0` into truck *truck_0* at location location_1", LOAD, "markup"),
    ("| 1 | load package_0 into truck truck_0 at location location_1 |", LOAD, None),
    ("Action: load package_0 into truck truck_0 at location location_1", LOAD, "prefix"),
    ("**Action 2:** load package_0 into truck truck_0 at location location_1", LOAD, "markup+prefix"),
    ("Next action: load package_0 into truck truck_0 at location location_1", LOAD, "prefix"),
    ("Step 3: load package_0 into truck truck_0 at location location_1", LOAD, "prefix"),
    ("### Step 3 - Load package_0 into truck truck_0 at location location_1", LOAD, "markup+prefix+case"),
    ("I load package_0 into truck truck_0 at location location_1", LOAD, "prefix"),
    ("I will now load package_0 into truck truck_0 at location location_1.", LOAD, "markup+prefix"),
    ("Then, please load package_0 into truck truck_0 at location location_1", LOAD, "prefix"),
    ("Next, I'll load package_0 into truck truck_0 at location location_1", LOAD, "prefix"),
    ("Let's load package_0 into truck truck_0 at location location_1!", LOAD, None),
    ("load the package_0 into the truck truck_0 at the location location_1", LOAD, "loose"),
    ("load package_0 into truck_0 at location_1", LOAD, "loose"),
    ("load package package_0 into truck truck_0 at location location_1", LOAD, "loose"),
    ("4. Load the package_0 into truck_0 at location_1.", LOAD, "markup+loose"),
    ("load package 0 into truck 0 at location 1", LOAD, None),
    ("load package0 into truck0 at location1", LOAD, "loose"),
    ("load package_0 onto truck_0 at location_1", LOAD, "loose"),
    ("load package_0 inside truck_0 at location_1", LOAD, "loose"),
    ("load package_0 into truck_0 at location_1 since it is there", LOAD, "loose+loose-tail"),
    ("load package_0 into truck_0 at location_1 (both are there)", LOAD, "loose+loose-tail"),
    ("load package_0 into truck_0 at location_1, so that it can be moved", LOAD, "loose+loose-tail"),
    ("load package_0 into truck_0 at location_1 to bring it to location_2", LOAD, "loose+loose-tail"),
    ("drive truck_0 from location_0 in city_0 to location_1", "(drive-truck t0 l0 l1 c0)", None),
    ("(load-truck p0 t0 l1)", LOAD, "pddl"),
    ("2. `(load-truck package_0 truck_0 location_1)`", LOAD, "markup+pddl"),
    ("(LOAD-TRUCK P0 T0 L1)", LOAD, "pddl"),
    ("0.003: (load-truck p0 t0 l1) [1]", LOAD, "markup+pddl"),
    ("load-truck(package_0, truck_0, location_1)", LOAD, "pddl"),
    ("load-truck package_0 truck_0 location_1", LOAD, "pddl"),
    ("**Load it**: load package_0 into truck truck_0 at location location_1", LOAD, None),
]


@pytest.mark.parametrize(("line", "action", "rule"), LOGISTICS_LINES)
def test_lines_as_models_write_them(logistics: Reader, line: str, action: str | None, rule: str | None) -> None:
    (reading,) = logistics.read(line).readings
    assert (str(reading.action) if reading.action else None) == action
    assert line[reading.start : reading.end] == reading.text
    if rule is not None:
        assert reading.rule == rule


COLOUR_LINES = [
    ("unstack the red block from on top of the blue block", "(unstack red blue)", "exact"),
    ("Unstack the red block from the blue block.", "(unstack red blue)", "loose"),
    ("Pick up red block", "(pick-up red)", "loose"),
    ("pick up red", "(pick-up red)", None),
    ("stack blue onto red", "(stack blue red)", None),
    ("Put down the red block on the table.", "(put-down red)", "loose-tail"),
    ("Put down the red block on the table (now the hand is empty and red is clear).", "(put-down red)", "loose-tail"),
    (
        "1. **Pick up the green block.** (The green block is clear and on the table.)",
        "(pick-up green)",
        "markup+loose-tail",
    ),
    ("Stack the red block (with the green block on it) on top of the blue block", "(stack red blue)", "loose-tail"),
    ("Pick up the red block from on top of the blue block.", None, ""),
    ("pick up the red block if it is clear", None, ""),
    ("Pick up the red block, the blue block and the green block", None, ""),
    ("Pick up the red block would be wrong", None, ""),
    ("Pick up a block", None, ""),
]


@pytest.mark.parametrize(("line", "action", "rule"), COLOUR_LINES)
def test_what_may_be_overlooked_and_what_not(colours: Reader, line: str, action: str | None, rule: str | None) -> None:
    (reading,) = colours.read(line).readings
    assert (str(reading.action) if reading.action else None) == action
    if rule is not None:
        assert reading.rule == rule


LETTER_LINES = [
    ("stack a on b", "(stack a b)"),
    ("Stack A on B.", "(stack a b)"),
    ("stack block a on block b", "(stack a b)"),
    ("stack a onto b", "(stack a b)"),
    ("- stack a on top of b", "(stack a b)"),
    ("stack a b", "(stack a b)"),
    ("pick-up c", "(pick-up c)"),
    ("stack b on a so c is free", "(stack b a)"),
    ("stack an object A on an object B", None),
    ("Pick up a block", None),
    ("Pick up a block from the table", None),
    ("I cannot stack a on b because a is not clear.", None),
    ("the robot should stack a on b", None),
]


@pytest.mark.parametrize(("line", "action"), LETTER_LINES)
def test_blocks_called_like_an_article(letters: Reader, line: str, action: str | None) -> None:
    readings = letters.read(line).readings
    assert [str(item.action) for item in readings if item.action] == ([action] if action else [])


@pytest.mark.parametrize(
    ("line", "status", "unknown", "suggestion"),
    [
        ("load package_9 into truck_0 at location_1", "unknown-object", ("package_9",), "package_0"),
        ("load package_0 into truck_7 at location_1", "unknown-object", ("truck_7",), "truck_0"),
        ("(load-truck p0 truck_7 l0)", "unknown-object", ("truck_7",), "truck_0"),
        ("load the crate into truck_0 at location_1", "unknown-object", ("crate",), None),
        ("load it into truck_0 at location_1", "unreadable", (), None),
        ("load the package into truck_0 at location_1", "unreadable", (), None),
        ("load truck_0 into package_0 at location_0", "unreadable", (), None),
        ("load truck package_0 into truck_0 at location_0", "unreadable", (), None),
        ("load package_0 into truck_0", "unreadable", (), None),
        ("(load-truck p0 t0)", "unreadable", (), None),
        ("1. (fly package_0)", "unreadable", (), None),
        ("package_0 is at location_1", "not-an-action", (), None),
        ("Load", "unreadable", (), None),
    ],
)
def test_failures_are_told_apart(
    logistics: Reader, line: str, status: str, unknown: tuple[str, ...], suggestion: str | None
) -> None:
    (reading,) = logistics.read(line).readings
    assert reading.status == status
    assert reading.action is None
    assert reading.unknown == unknown
    if suggestion is not None:
        assert suggestion in reading.suggestions
        assert suggestion in reading.as_json()["candidates"]  # type: ignore[operator]
    if status == "unreadable":
        assert reading.reason


def test_wrong_type_is_named(logistics: Reader) -> None:
    (reading,) = logistics.read("load truck_0 into package_0 at location_0").readings
    assert reading.reason == "'truck_0' is no package, and one is needed there"


def test_two_actions_of_one_text_are_ambiguous_unless_types_decide() -> None:
    data = """(define (domain d) (:requirements :typing) (:types truck plane package)
     (:predicates (in ?p - package ?v))
     (:action load-truck :parameters (?p - package ?v - truck) :effect (in ?p ?v))
     (:action load-plane :parameters (?p - package ?v - plane) :effect (in ?p ?v))
     (:action push :parameters (?p - package) :effect (in ?p ?p))
     (:action shove :parameters (?p - package) :effect (in ?p ?p)))"""
    task = parse_task(
        data, "(define (problem p) (:domain d) (:objects t - truck f - plane p - package) (:init) (:goal (in p t)))"
    )
    actions = snippets(
        load_truck=("?p ?v", "load {?p} into {?v}"),
        load_plane=("?p ?v", "load {?p} into {?v}"),
        push=("?p", "push {?p} away"),
        shove=("?p", "push {?p} away"),
    )
    reader = Reader(task, Wording("d", {}, actions), make_names(task, "original"))
    first, second, third = reader.read("load p into t\nload p into f\nPush p away.").readings
    assert [str(item.action) for item in (first, second)] == ["(load-truck p t)", "(load-plane p f)"]
    assert third.status == "ambiguous"
    assert {str(item) for item in third.candidates} == {"(push p)", "(shove p)"}
    assert third.as_json()["candidates"] == ["(push p)", "(shove p)"]


def test_the_spelling_told_wins_and_names_alike_are_ambiguous() -> None:
    domain = "(define (domain d) (:predicates (p ?x)) (:action go :parameters (?x) :effect (p ?x)))"
    task = parse_task(domain, "(define (problem q) (:domain d) (:objects a-b a_b c) (:init) (:goal (p c)))")
    reader = Reader(task, Wording("d", {}, snippets(go=("?x", "go to {?x}"))), make_names(task, "original"))
    first, second, third = reader.read("go to a-b\ngo to a_b\nGo to A_B").readings
    assert [str(first.action), str(second.action)] == ["(go a-b)", "(go a_b)"]
    assert third.status == "ambiguous"


def test_several_actions_in_a_line(logistics: Reader) -> None:
    text = (
        "load package_0 into truck_0 at location_0, then drive truck_0 from location_0 in city_0 to location_1 "
        "and then unload package_0 from truck_0 at location_1; load package_1 into truck_0 at location_1."
    )
    readings = logistics.read(text)
    assert [str(action) for action in readings.plan] == [
        "(load-truck p0 t0 l0)",
        "(drive-truck t0 l0 l1 c0)",
        "(unload-truck p0 t0 l1)",
        "(load-truck p1 t0 l1)",
    ]
    assert all(reading.rule.startswith("several") for reading in readings.readings)
    assert all(text[reading.start : reading.end] == reading.text for reading in readings.readings)


def test_a_pronoun_stands_for_the_object_of_the_action_before(colours: Reader) -> None:
    first, second = colours.read("Pick up the blue block and stack it on the red block").readings
    assert (str(first.action), str(second.action)) == ("(pick-up blue)", "(stack blue red)")
    assert (second.text, second.rule) == ("stack it on the red block", "several+reference+prefix+loose")
    (alone,) = colours.read("Stack it on the red block").readings
    assert (alone.status, alone.reason) == ("unreadable", "'it' names no object")


def test_json_lists_and_objects(logistics: Reader) -> None:
    one = "load package_0 into truck truck_0 at location location_1"
    two = "unload package_0 from truck_0 at location_1"
    text = f'```json\n["{one}", "{two}"]\n```'
    readings = logistics.read(text)
    assert [str(action) for action in readings.plan] == [LOAD, "(unload-truck p0 t0 l1)"]
    assert readings.readings[1].rule == "json"
    assert text[readings.readings[2].start : readings.readings[2].end] == two
    spread = f'[\n  "{one}",\n  "{two}"\n]'
    assert len(logistics.read(spread).plan) == 2
    record = f'{{"thought": "{two}", "action": "{one}"}}'
    assert [str(action) for action in logistics.read(record).plan] == [LOAD]


def test_lines_and_offsets(logistics: Reader) -> None:
    text = "Plan:\r\n\r\n  1. Load package_0 into truck_0 at location_1.\r\nDone."
    heading, action, done = logistics.read(text).readings
    assert (heading.line, action.line, done.line) == (1, 3, 4)
    assert text[action.start : action.end] == action.text == "Load package_0 into truck_0 at location_1"


def test_as_json_has_the_fields_of_the_interface(logistics: Reader) -> None:
    data = logistics.read("(load-truck p0 t0 l1)\n[PLAN END]").as_json()
    assert list(data) == ["readings", "plan", "ended", "policy"]
    assert data["plan"] == [LOAD]
    assert data["ended"] is True
    assert list(data["readings"][0]) == [  # type: ignore[index]
        "line", "start", "end", "text", "status", "action", "candidates", "rule",
    ]  # fmt: skip


def test_repeated_and_punctuated_parameters() -> None:
    domain = "(define (domain d) (:predicates (p ?x)) (:action go :parameters (?x ?y) :effect (p ?x)))"
    task = parse_task(domain, "(define (problem q) (:domain d) (:objects r1 r2) (:init) (:goal (p r1)))")
    wording = Wording("d", {}, snippets(go=("?x ?y", "use {?x}'s arm, not {?y}, to move {?x}")))
    reader = Reader(task, wording, make_names(task, "original"))
    exact, loose, contradictory = reader.read(
        "use r1's arm, not r2, to move r1\nUse the r2's arm not r1 to move r2\nuse r1's arm, not r2, to move r2"
    ).readings
    assert (str(exact.action), exact.rule) == ("(go r1 r2)", "exact")
    assert str(loose.action) == "(go r2 r1)"
    assert contradictory.status == "unreadable"


@pytest.mark.parametrize(
    ("line", "action"),
    [
        # "from {?g} of {?r}" in the wording: the types tell the hand and the robot apart.
        ("drop ball_0 in room_0 using gripper_0 of robot_0", "(drop robot1 ball1 room1 lgripper1)"),
        ("drop ball_0 with robot_0 in room_0 using gripper_0", "(drop robot1 ball1 room1 lgripper1)"),
        ("robot_0 drops ball_0 in room_0 with gripper_0", "(drop robot1 ball1 room1 lgripper1)"),
        # The same words with an object less, or the other way round, say no action.
        ("drop ball_0 using gripper_0 in ball_1 of robot_0", None),
        ("drop ball_0 in room_0 to gripper_0 of robot_0", None),
        ("move robot_0 with room_0 to room_1", None),
    ],
)
def test_objects_announced_by_other_words_are_told_apart_by_their_types(line: str, action: str | None) -> None:
    root = Path(__file__).resolve().parents[2]
    domain = root / "domains/grippers/domain.pddl"
    task = load_task(domain, root / "instances/grippers/p01.pddl")
    wording = load_wording(domain.with_name("wording.json"), task.domain)
    (reading,) = Reader(task, wording, make_names(task, "typed", wording)).read(line).readings
    assert (str(reading.action) if reading.action else None) == action


def test_type_nouns_of_the_wording() -> None:
    task = logistics_task()
    data = {
        "format": 1,
        "domain": "logistics",
        "predicates": {
            "at": {"parameters": ["?x", "?l"], "text": "{?x} is at {?l}"},
            "in": {"parameters": ["?p", "?t"], "text": "{?p} is in {?t}"},
            "in-city": {"parameters": ["?l", "?c"], "text": "{?l} is in {?c}"},
        },
        "actions": {
            "load-truck": {"parameters": ["?p", "?t", "?l"], "text": "load {?p} into {?t} at {?l}"},
            "unload-truck": {"parameters": ["?p", "?t", "?l"], "text": "unload {?p} from {?t} at {?l}"},
            "drive-truck": {"parameters": ["?t", "?a", "?b", "?c"], "text": "drive {?t} from {?a} to {?b} in {?c}"},
        },
        "types": {"package": "parcel", "truck": "delivery van"},
    }
    reader = Reader(task, wording_from_json(data, task.domain), make_names(task, "typed"))
    (reading,) = reader.read("Load the parcel package_0 into the delivery van truck_0 at location_1").readings
    assert str(reading.action) == LOAD
    assert reading.rule == "case" or "loose" in reading.rule


def test_a_reader_for_thousands_of_objects_is_built_and_reads_in_linear_time(linear: Callable[..., None]) -> None:
    task = logistics_task()
    kinds = ("truck", "package", "location", "city")

    def objects(count: int) -> Task:
        named = tuple(TypedName(f"{kinds[i % 4]}_{i}", (kinds[i % 4],)) for i in range(count))
        return Task(task.domain, replace(task.problem, objects=named, init=(), goal=And()))

    def build(large: Task) -> Reader:
        return Reader(large, logistics_wording(), make_names(large, "original"))

    def told(count: int) -> tuple[Task, str, int]:
        trucks = [4 * (i * 7 % count) for i in range(count)]
        lines = [
            f"{i + 1}. Load package_{4 * i + 1} into truck truck_{truck} at location location_{4 * i + 2}."
            for i, truck in enumerate(trucks)
        ]
        return objects(4 * count), "\n".join([*lines, *lines]), 2 * count

    def read(given: tuple[Task, str, int]) -> None:
        # A reader that has read a line like these reads them faster.
        large, text, count = given
        assert len(build(large).read(text, "all").plan) == count

    linear(build, objects, 1000)
    linear(read, told, 300)

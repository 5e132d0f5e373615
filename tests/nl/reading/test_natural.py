"""Sentences about actions that no wording says: by their names, by types and effects, and with every object used."""

from __future__ import annotations

import re

import pytest

from pddl2nl.nl import Reader, make_names
from pddl2nl.nl.wording.files import wording_from_json
from pddl2nl.pddl import parse_task

# As in the benchmarks: no types, and one verb for several actions.
DEPOT = """(define (domain depot)
  (:predicates (hoist ?h) (crate ?c) (truck ?t) (place ?p) (boat ?b) (at ?x ?p) (lifting ?h ?c) (in ?c ?t)
               (next ?l ?m) (lift-at ?l))
  (:action drive :parameters (?t ?a ?b)
    :precondition (and (truck ?t) (place ?a) (place ?b) (at ?t ?a)) :effect (and (at ?t ?b) (not (at ?t ?a))))
  (:action load-truck :parameters (?h ?c ?t ?p)
    :precondition (and (hoist ?h) (crate ?c) (truck ?t) (place ?p) (at ?h ?p) (at ?t ?p) (lifting ?h ?c))
    :effect (and (not (lifting ?h ?c)) (in ?c ?t)))
  (:action load-boat :parameters (?h ?c ?b ?p)
    :precondition (and (hoist ?h) (crate ?c) (boat ?b) (place ?p) (at ?h ?p) (at ?b ?p) (lifting ?h ?c))
    :effect (and (not (lifting ?h ?c)) (in ?c ?b)))
  (:action pickup :parameters (?h ?c ?p)
    :precondition (and (hoist ?h) (crate ?c) (place ?p) (at ?h ?p) (at ?c ?p))
    :effect (and (lifting ?h ?c) (not (at ?c ?p))))
  (:action up :parameters (?l ?m) :precondition (and (next ?l ?m) (lift-at ?l)) :effect (and (lift-at ?m)
    (not (lift-at ?l)))))
"""
PROBLEM = """(define (problem p) (:domain depot) (:objects h1 h2 c1 c2 t1 b1 p1 p2 l0 l1)
  (:init (hoist h1) (hoist h2) (crate c1) (crate c2) (truck t1) (boat b1) (place p1) (place p2) (at h1 p1) (at h2 p2)
         (at c1 p1) (at c2 p1) (at t1 p2) (at b1 p1) (next l0 l1) (next l1 l0) (lift-at l0))
  (:goal (in c1 t1)))
"""


@pytest.fixture(scope="module")
def reader() -> Reader:
    task = parse_task(DEPOT, PROBLEM)
    return Reader(task, names=make_names(task, "original"))


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("apply the action 'drive' to object t1, object p1, and object p2", "(drive t1 p1 p2)"),
        ("Drive t1 from p1 to p2.", "(drive t1 p1 p2)"),
        ("Drive the truck t1 to p1, from p2.", "(drive t1 p2 p1)"),
        ("The truck t1 drives to p1 from p2", "(drive t1 p2 p1)"),
        ("Use h1 to load c1 into t1 at p1.", "(load-truck h1 c1 t1 p1)"),
        ("At p1, load c1 onto b1 with h1.", "(load-boat h1 c1 b1 p1)"),
        ("c1 is then loaded by h1 into truck t1 at place p1", "(load-truck h1 c1 t1 p1)"),
        ("Pick up c1 at p1 with hoist h1 - c1 is clear.", "(pickup h1 c1 p1)"),
        ("Move up from l0 to l1", "(up l0 l1)"),
        ("Drive truck t1 (p1 → p2)", "(drive t1 p1 p2)"),
        ("load-truck c1 into t1 at p1 with h1", "(load-truck h1 c1 t1 p1)"),
        # An action's name in quotes, or in one word that is no other
        ("'load-truck' to h1, c1, t1 and p1", "(load-truck h1 c1 t1 p1)"),
        ("`drive` to t1, p1, p2 (then it turns)", "(drive t1 p1 p2)"),
        ("'pickup' the crate c1, standing at p1, with the hoist h1", "(pickup h1 c1 p1)"),
        ("**Load-truck**: take c1 and leave it on t1 at p1, by h1", "(load-truck h1 c1 t1 p1)"),
        # The template wording, shortened
        ("Apply 'load-truck' to h1, c1, t1, and p1", "(load-truck h1 c1 t1 p1)"),
        ("**Drive to the first place:** `drive t1 p2 p1`", "(drive t1 p2 p1)"),
        # Behind its own name an action is said in any words that name all its objects.
        ("Load-boat: h1 lets c1 down into b1 at p1.", "(load-boat h1 c1 b1 p1)"),
        ("**pickup** (h1, c1, p1)", "(pickup h1 c1 p1)"),
        ("pickup: h1, c1, p1", "(pickup h1 c1 p1)"),
        ("drive t1, p1, p2 (3 km)", "(drive t1 p1 p2)"),
        ("Drive: t1 rolls p1 → p2", "(drive t1 p1 p2)"),
        ("Drive: t1 gets to p1 from p2", "(drive t1 p2 p1)"),
        ("- Fill the boat. (Action: `load-boat h1 c1 b1 p1`)", "(load-boat h1 c1 b1 p1)"),
        ("Truck t1: drive p1 → p2", "(drive t1 p1 p2)"),
        ("Drive t1 p1 → p2 (empty). t1 is at p2.", "(drive t1 p1 p2)"),
        ("Pickup c1 → h1 at p1", "(pickup h1 c1 p1)"),
        ("drive: t1 (truck), p2 (from), p1 (to)", "(drive t1 p2 p1)"),
        ("drive: t1 (truck), p1 (to), p2 (from)", "(drive t1 p2 p1)"),
        ("drive(t1, p1 → p2)", "(drive t1 p1 p2)"),
        ("drive t1: p1 ← p2", "(drive t1 p2 p1)"),
        ("Drive: t1 cannot get from p1 to p2", None),
        ("Drive: t1 rolls on p1", None),
        # What is left out, or said of too much, is reported, and so is what says the other way round.
        ("Drive t1 to p2.", None),
        ("Load c1 into t1.", None),
        ("Drive t1 from p1 to p2 instead of p1", None),
        ("Drive t1 between p1 and p2", None),
        ("Drive from p1 to p2 without c1", None),
        ("Drive to p1 from p2", None),
    ],
)
def test_an_action_without_a_wording_is_read_by_its_name_and_what_it_does(
    reader: Reader, line: str, action: str | None
) -> None:
    readings = reader.read(f"1. {line}")
    assert [str(item.action) if item.action else None for item in readings.chosen] == [action]


@pytest.fixture(scope="module")
def typed() -> Reader:
    """The same, told with made names: object_0 is h1, object_6 is p1, and object_8 is l0."""
    task = parse_task(DEPOT, PROBLEM)
    return Reader(task, names=make_names(task, "typed"))


@pytest.mark.parametrize(
    ("said", "actions"),
    [
        # PDDL's own names count where a reply uses no told one, in prose as in PDDL.
        ("(pickup h1 c1 p1)\n(load-boat h1 c1 b1 p1) ; b1 is full", ["(pickup h1 c1 p1)", "(load-boat h1 c1 b1 p1)"]),
        ("1. Drive t1 from p1 to p2.", ["(drive t1 p1 p2)"]),
        # A name in code marks, a remark behind the action, numbers alone
        ("1. 'pickup' object_0 object_2 object_6 (hoist busy)", ["(pickup h1 c1 p1)"]),
        ("1. up – object_8, object_9 – the lift is there", ["(up l0 l1)"]),
        ("pickup 0 2 6\ndrive 4 7 6", ["(pickup h1 c1 p1)", "(drive t1 p2 p1)"]),
        ("1. (up object_8 object_9) - not possible", []),
    ],
)
def test_names_and_forms_of_pddl(typed: Reader, said: str, actions: list[str]) -> None:
    readings = typed.read(said)
    assert list(map(str, readings.plan)) == actions
    assert readings.complete == bool(actions)


def test_a_row_of_a_table_may_leave_cells_empty(reader: Reader) -> None:
    said = "| 1 | drive | t1 | p1, p2 | – | - |\n| 2 | pickup | h1 | c1 | p1 | |"
    assert list(map(str, reader.read(said).plan)) == ["(drive t1 p1 p2)", "(pickup h1 c1 p1)"]


@pytest.mark.parametrize(
    ("said", "actions"),
    [
        ("**At p1**\n1. h1 picks up c1.\n2. h1 loads it into b1.", ["(pickup h1 c1 p1)", "(load-boat h1 c1 b1 p1)"]),
        ("1. The lift goes up from l0 to l1.", ["(up l0 l1)"]),
        ("**Day 1: from p1 to p2**\n- drive(t1, p1, p2)\n- up(l0, l1)", ["(drive t1 p1 p2)", "(up l0 l1)"]),
        # "It" is what can be loaded, and "c2 with h2" is picked up where c1 is.
        (
            "1. Pick up c1 at p1 with h1.\n2. h1 loads it into b1 at p1.",
            ["(pickup h1 c1 p1)", "(load-boat h1 c1 b1 p1)"],
        ),
        ("1. Pick up c1 at p1 with h1 and c2 with h2.", ["(pickup h1 c1 p1)", "(pickup h2 c2 p1)"]),
    ],
)
def test_steps_without_a_wording_go_on_with_what_was_said_before(reader: Reader, said: str, actions: list[str]) -> None:
    readings = reader.read(said)
    assert readings.complete
    assert list(map(str, readings.plan)) == actions


@pytest.mark.parametrize(
    ("line", "actions"),
    [
        ("Drive t1 from p1 to p2 (×3)", ["(drive t1 p1 p2)"] * 3),
        ("Drive t1 from p1 to p2 three times.", ["(drive t1 p1 p2)"] * 3),
        ("`drive` t1 from p1 to p2 twenty-one times in a row", ["(drive t1 p1 p2)"] * 21),
        ("Drive t1 from p1 to p2 three times as fast.", [None]),
        # A verb is said for what follows "and" as well.
        ("Pick up c1 at p1 with h1 and the crate c2 at p2 with h2", ["(pickup h1 c1 p1)", "(pickup h2 c2 p2)"]),
        ("Pick up c1 at p1 with h1 and c2", ["(pickup h1 c1 p1)", "(pickup h1 c2 p1)"]),
        # What is left over is reported, and so is a step behind a step.
        ("Pick up c1 at p1 with h1 and the crate c2", [None]),
        ("Drive t1 from p1 to p2, from where it loads c1 at p2", ["(drive t1 p1 p2)", None]),
    ],
)
def test_no_step_behind_a_step_is_lost(reader: Reader, line: str, actions: list[str | None]) -> None:
    chosen = reader.read(f"1. {line}").chosen
    assert [None if item.action is None else str(item.action) for item in chosen] == actions


def test_pddl_s_own_names_are_more_than_a_kind_and_a_number() -> None:
    """Told names are object_0 and so on, and object_1 is no hoist: "hoist1" is the object that PDDL calls so."""
    names = {"h1": "hoist1", "h2": "hoist2", "c1": "crate1", "c2": "crate2"}
    text = re.sub(r"\b[hc][12]\b", lambda match: names[match[0]], PROBLEM)
    reader = Reader(parse_task(DEPOT, text))
    read = reader.read("1. (pickup hoist2 crate1 p2)\n2. Pick up crate2 at object_7 with hoist1.")
    assert [*map(str, read.plan)] == ["(pickup hoist2 crate1 p2)", "(pickup hoist1 crate2 p2)"]


def test_objects_of_one_kind_that_nothing_announces_stand_in_the_order_of_the_parameters() -> None:
    domain = """(define (domain goods) (:requirements :typing) (:types good level)
      (:predicates (stock ?g - good ?l - level) (ready ?g - good ?l - level) (next ?a ?b - level))
      (:action buy :parameters (?g - good ?l1 ?l2 ?l3 ?l4 - level)
       :precondition (and (stock ?g ?l2) (ready ?g ?l3) (next ?l2 ?l1) (next ?l4 ?l3))
       :effect (and (stock ?g ?l1) (not (stock ?g ?l2)) (ready ?g ?l4) (not (ready ?g ?l3)))))"""
    problem = """(define (problem p) (:domain goods) (:objects g - good l0 l1 - level)
      (:init (stock g l1) (ready g l0) (next l1 l0)) (:goal (ready g l1)))"""
    task = parse_task(domain, problem)
    reader = Reader(task, names=make_names(task, "original"))
    read = reader.read("1. Buy g (levels: l0, l1, l0, l1).")
    # Where it is not read so, it is reported; it is never read as (buy g l0 l0 l1 l1).
    assert {*map(str, read.plan)} <= {"(buy g l0 l1 l0 l1)"}
    assert read.plan or not read.complete


SLEDGE = """(define (domain sledge) (:requirements :typing) (:types sledge) (:predicates (on ?s - sledge))
  (:action glide_up :parameters (?s - sledge) :effect (on ?s))
  (:action glide_up_left :parameters (?s - sledge) :effect (on ?s))
  (:action glide_left :parameters (?s - sledge) :effect (on ?s)))
"""


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("Glide sledge_0 up.", "(glide_up s1)"),
        ("Glide sledge_0 up left", "(glide_up_left s1)"),
        ("sledge_0 glides up-left again.", "(glide_up_left s1)"),
        ("1. Glide sledge_0 to the left", "(glide_left s1)"),
    ],
)
def test_words_behind_the_object_tell_actions_apart(line: str, action: str) -> None:
    task = parse_task(SLEDGE, "(define (problem p) (:domain sledge) (:objects s1 - sledge) (:init) (:goal (on s1)))")
    (reading,) = Reader(task).read(line).readings
    assert str(reading.action) == action


def test_words_beside_objects_of_one_kind_tell_them_apart() -> None:
    domain = """(define (domain net) (:requirements :typing) (:types data number)
      (:predicates (loaded ?d - data) (uses ?a ?b ?c - number))
      (:action load :parameters (?d - data ?limit ?before ?after - number) :precondition (uses ?limit ?before ?after)
        :effect (loaded ?d)))"""
    problem = """(define (problem p) (:domain net) (:objects d - data n0 n1 n2 - number) (:init (uses n0 n1 n2))
      (:goal (loaded d)))"""
    task = parse_task(domain, problem)
    words = {
        "format": 1,
        "domain": "net",
        "predicates": {
            "loaded": {"parameters": ["?d"], "text": "{?d} is loaded"},
            "uses": {"parameters": ["?a", "?b", "?c"], "text": "{?a}, {?b} and {?c} go together"},
        },
        "actions": {
            "load": {
                "parameters": ["?d", "?limit", "?before", "?after"],
                "text": "load {?d} with current usage {?before}, capacity {?limit}, and new usage {?after}",
            }
        },
    }
    reader = Reader(task, wording_from_json(words, task.domain, "words"), make_names(task, "original"))
    for said in ("current usage n1, capacity n0, new usage n2", "capacity n0, new usage n2, current usage n1"):
        assert list(map(str, reader.read(f"1. Load d, {said}").plan)) == ["(load d n0 n1 n2)"]

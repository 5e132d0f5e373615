"""Names that are near, aliases, what never changes as a judge between actions, and the state as the last one."""

from __future__ import annotations

import pytest

from pddl2nl.nl.names import Names, make_names
from pddl2nl.nl.reading.reader import Reader
from pddl2nl.nl.reading.readings import Reading, settle
from pddl2nl.nl.wording.files import wording_from_json
from pddl2nl.nl.wording.snippets import Snippet, Wording
from pddl2nl.pddl import Task, parse_task
from pddlval import GroundAction, Simulator
from tests.nl.blocks import snippets

UNTYPED = """
(define (domain logistics) (:requirements :strips)
 (:predicates (truck ?t) (airplane ?a) (package ?p) (city ?c) (at ?x ?l) (in ?p ?v) (in-city ?l ?c))
 (:action load-truck :parameters (?p ?t ?l)
  :precondition (and (package ?p) (truck ?t) (at ?t ?l) (at ?p ?l)) :effect (and (in ?p ?t) (not (at ?p ?l))))
 (:action load-airplane :parameters (?p ?a ?l)
  :precondition (and (package ?p) (airplane ?a) (at ?a ?l) (at ?p ?l)) :effect (and (in ?p ?a) (not (at ?p ?l))))
 (:action drive :parameters (?t ?x ?y ?c)
  :precondition (and (truck ?t) (at ?t ?x) (in-city ?x ?c) (in-city ?y ?c))
  :effect (and (at ?t ?y) (not (at ?t ?x))))
 (:action push :parameters (?p) :precondition (at ?p l1) :effect (in ?p ?p))
 (:action pull :parameters (?p) :precondition (in ?p t) :effect (at ?p l1))
 (:constants l1 t))
"""
FACTS = (
    "(package p) (truck t) (airplane f) (truck both) (airplane both) (city c) (city d) (in-city l1 c) (in-city l2 c)"
)
PROBLEM = f"""
(define (problem q) (:domain logistics) (:objects p f both c d l2 l3)
 (:init {FACTS} (in-city l3 c) (in-city l3 d) (at p l1) (at t l1) (at f l1)) (:goal (in p t)))
"""


def task(problem: str = PROBLEM) -> Task:
    return parse_task(UNTYPED, problem)


def wording() -> Wording:
    actions = snippets(
        load_truck=("?p ?t ?l", "load {?p} into {?t} at {?l}"),
        load_airplane=("?p ?a ?l", "load {?p} into {?a} at {?l}"),
        drive=("?t ?x ?y ?c", "drive {?t} from {?x} to {?y} in the city of {?c}"),
        push=("?p", "move {?p} along"),
        pull=("?p", "move {?p} along"),
    )
    return Wording("logistics", {}, actions)


def one(reader: Reader, line: str) -> Reading:
    (reading,) = reader.read(line).readings
    return reading


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(task(), wording(), make_names(task(), "original"))


@pytest.mark.parametrize(
    ("line", "action", "rule"),
    [
        ("load p into t at l1", "(load-truck p t l1)", "static-types"),
        ("load p into f at l1", "(load-airplane p f l1)", "static-types"),
        ("2. Load p into f at l1.", "(load-airplane p f l1)", "markup+case+static-types"),
        ("load the p into t at l1", "(load-truck p t l1)", "loose+static-types"),
    ],
)
def test_static_unary_predicates_tell_actions_apart(reader: Reader, line: str, action: str, rule: str) -> None:
    reading = one(reader, line)
    assert (str(reading.action), reading.rule, reading.candidates) == (action, rule, ())


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("drive t from l1 to l2", "(drive t l1 l2 c)"),
        ("Drive the t from l1 to l3.", "(drive t l1 l3 c)"),
        ("drive t from l3 to l3", None),
        ("drive t from l1 to c", None),
        ("drive t from l1", None),
        ("(drive t l1 l2)", None),
    ],
)
def test_a_last_object_may_be_left_out_where_only_one_can_be_meant(
    reader: Reader, line: str, action: str | None
) -> None:
    reading = one(reader, line)
    assert (str(reading.action) if reading.action else None) == action
    assert reading.status == ("read" if action else "unreadable")
    assert ("static" in reading.rule) == (action is not None)


# ── settling by the state ────────────────────────────────────────────────────────────────────────


def test_the_only_applicable_candidate_is_what_was_meant(reader: Reader) -> None:
    simulator = Simulator(task())
    state = simulator.initial
    reading = one(reader, "move p along")
    assert reading.status == "ambiguous"
    settled = settle(reading, lambda action: simulator.is_applicable(state, action))
    assert (str(settled.action), settled.status) == ("(push p)", "read")
    assert (settled.rule, settled.candidates, settled.reason) == ("exact+on-ambiguous-state", (), "")
    assert (settled.start, settled.end, settled.text) == (reading.start, reading.end, reading.text)


def test_none_or_several_applicable_candidates_settle_nothing(reader: Reader) -> None:
    reading = one(reader, "Move p along.")
    assert settle(reading, lambda action: False) == reading
    assert settle(reading, lambda action: True) == reading
    plain = one(reader, "drive t from l1 to l2 in the city of c")
    assert settle(plain, lambda action: False) == plain
    asked: list[GroundAction] = []
    settle(one(reader, "nothing of the kind"), lambda action: bool(asked.append(action)))
    assert asked == []


# ── names ────────────────────────────────────────────────────────────────────────────────────────


def test_aliases_are_loose_names() -> None:
    world = task()
    names = Names(
        {name: f"thing_{index}" for index, name in enumerate(world.objects)}, "typed", {"parcel_7": "p", "van": "t"}
    )
    reader = Reader(world, wording(), names)
    told = one(reader, f"load {names.to_nl['p']} into {names.to_nl['t']} at {names.to_nl['l1']}")
    assert told.rule == "static-types"
    for parcel in ("parcel_7", "Parcel-7", "parcel 7"):
        reading = one(reader, f"load {parcel} into van at {names.to_nl['l1']}")
        assert (str(reading.action), reading.rule) == ("(load-truck p t l1)", "loose+static-types")
    assert one(reader, f"load parcel_8 into van at {names.to_nl['l1']}").status == "unknown-object"


def _many(count: int) -> Reader:
    domain = "(define (domain d) (:requirements :typing) (:types box) (:action go :parameters (?x - box)))"
    objects = " ".join(f"box_{index}" for index in range(count))
    problem = f"(define (problem q) (:domain d) (:objects {objects} - box) (:init) (:goal (and)))"
    task = parse_task(domain, problem)
    snippets = {"go": Snippet("go", ("?x",), "go to {?x}")}
    return Reader(task, Wording("d", {}, snippets), make_names(task, "original"))


def test_the_nearest_names_are_suggested_in_a_certain_order() -> None:
    reader = _many(12)
    reading = one(reader, "go to boxx_1")
    assert (reading.status, reading.action, reading.unknown) == ("unknown-object", None, ("boxx_1",))
    # Of names equally near the one declared first comes first.
    assert reading.suggestions == ("box_1", "box_10", "box_11")
    assert one(reader, "go to box_99").suggestions == ("box_9", "box_0", "box_1")
    assert one(reader, "go to sledgehammer").suggestions == ()
    assert one(reader, "go to BOX_99").as_json()["candidates"] == ["box_9", "box_0", "box_1"]


NOUNS = """(define (domain nouns) (:requirements :typing) (:types dough shelf - object)
  (:action go :parameters (?a ?b - object))
  (:action bake :parameters (?d - dough ?s - shelf)))
"""
NOUNS_SAID = {
    "go": {"parameters": ["?a", "?b"], "text": "move {?a} to point {?b}"},
    "bake": {"parameters": ["?d", "?s"], "text": "bake the {?d} on {?s}"},
}


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ("move dough_0 to point shelf_0", "(go d s)"),
        ("Move dough_0 to shelf_0.", "(go d s)"),
        ("bake the batch of dough dough_0 on shelf_0", "(bake d s)"),
        ("Bake batch of dough dough_0 on the shelf shelf_0", "(bake d s)"),
        ("move dough_0 to place shelf_0", "(go d s)"),
    ],
)
def test_a_noun_that_a_snippet_says_may_be_left_out_and_a_type_of_several_words_added(said: str, action: str) -> None:
    problem = "(define (problem p) (:domain nouns) (:objects d - dough s - shelf) (:init) (:goal (and)))"
    task = parse_task(NOUNS, problem)
    data = {"format": 1, "domain": "nouns", "actions": NOUNS_SAID, "types": {"dough": "batch of dough"}}
    wording = wording_from_json(data, task.domain)
    (reading,) = Reader(task, wording, make_names(task, wording=wording)).read(said).readings
    assert str(reading.action) == action


LIFT = """(define (domain lift) (:predicates (above ?a ?b) (at ?f))
  (:action up :parameters (?a ?b) :precondition (and (at ?a) (above ?b ?a)) :effect (at ?b))
  (:action down :parameters (?a ?b) :precondition (and (at ?a) (above ?a ?b)) :effect (at ?b)))"""


def test_actions_of_one_wording_are_told_apart_by_static_predicates_of_any_arity() -> None:
    problem = "(define (problem p) (:domain lift) (:objects f1 f2) (:init (above f2 f1) (at f1)) (:goal (at f2)))"
    task = parse_task(LIFT, problem)
    said = {name: Snippet(name, ("?a", "?b"), "move the lift from {?a} to {?b}") for name in ("up", "down")}
    reader = Reader(task, Wording("lift", {}, said), make_names(task, "original"))
    assert str(one(reader, "move the lift from f1 to f2").action) == "(up f1 f2)"
    assert str(one(reader, "The lift moves to f1 from f2.").action) == "(down f2 f1)"
    assert one(reader, "move the lift from f1 to f1").status == "ambiguous"

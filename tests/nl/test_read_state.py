"""Reading objects, states and goals back: each construct, each refusal, and sections inside a prompt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from pddl2nl.nl.names import make_names
from pddl2nl.nl.reading.told import NLReadError, objects_of, read_goal, read_objects, read_problem, read_state
from pddl2nl.nl.telling.teller import Teller
from pddl2nl.nl.wording.snippets import Snippet, Wording
from pddl2nl.nl.wording.template import template_wording
from pddl2nl.pddl import (
    And,
    Arithmetic,
    Atom,
    Comparison,
    Domain,
    Equality,
    Exists,
    Fluent,
    Forall,
    GroundAtom,
    Imply,
    Metric,
    Not,
    Number,
    Or,
    Predicate,
    Task,
    TypedName,
    parse_domain,
    parse_task,
)

DOMAIN = """
(define (domain d) (:requirements :strips :typing :equality :negative-preconditions :numeric-fluents)
 (:types truck plane - vehicle vehicle place)
 (:constants hub - place)
 (:predicates (at ?v - vehicle ?p - place) (linked ?p ?q - place) (idle ?v - vehicle) (open))
 (:functions (fuel ?v - vehicle) (total-cost))
 (:action go :parameters (?v - vehicle ?p - place) :precondition (open) :effect (at ?v ?p)))
"""
PROBLEM = """
(define (problem p) (:domain d) (:objects t1 t2 - truck f - plane a b - place x - (either truck plane))
 (:init (at t1 a) (at f b) (linked a b) (open) (not (idle f)) (= (fuel t1) 5/2) (= (total-cost) 0))
 (:goal (and (at t1 b) (not (idle t1)))) (:metric minimize (+ (total-cost) (fuel t1))))
"""


def _wording(**changes: Snippet) -> Wording:
    predicates = {
        "at": Snippet("at", ("?v", "?p"), "{?v} is at {?p}"),
        "linked": Snippet("linked", ("?p", "?q"), "{?p} and {?q}, both places, are linked"),
        "idle": Snippet("idle", ("?v",), "{?v} is idle", "{?v} is busy"),
        "open": Snippet("open", (), "the gate is open"),
    }
    functions = {
        "fuel": Snippet("fuel", ("?v",), "the fuel of {?v}"),
        "total-cost": Snippet("total-cost", (), "the cost so far"),
    }
    actions = {"go": Snippet("go", ("?v", "?p"), "send {?v} to {?p}")}
    return Wording("d", {**predicates, **changes}, actions, {"plane": "airplane"}, functions)


@pytest.fixture(scope="module")
def domain() -> Domain:
    return parse_domain(DOMAIN)


OBJECTS = {
    "t1": TypedName("t1", ("truck",)),
    "t2": TypedName("t2", ("truck",)),
    "f": TypedName("f", ("plane",)),
    "a": TypedName("a", ("place",)),
    "b": TypedName("b", ("place",)),
}


def test_a_whole_task_is_read_back(domain: Domain) -> None:
    text = PROBLEM.replace("5/2", "2.5")
    task = parse_task(DOMAIN, text)
    for scheme in ("original", "typed"):
        names = make_names(task, scheme)
        teller = Teller(task, _wording(), names)
        objects = objects_of(task, names)
        state = read_state(teller.init_text(), domain, _wording(), objects)
        assert state.atoms == task.problem.init
        assert state.values == {GroundAtom(("fuel", "t1")): Fraction(5, 2), GroundAtom(("total-cost",)): Fraction(0)}
        assert state.negative == (GroundAtom(("idle", "f")),)
        goal = read_goal(teller.goal_text(), domain, _wording(), objects)
        assert goal.condition == task.problem.goal
        assert goal.metric == Metric("minimize", Arithmetic("+", (Fluent("total-cost"), Fluent("fuel", ("t1",)))))
        told = read_objects(teller.objects_text(), domain, _wording())
        assert {name: item.types for name, item in told.items()} == {name: item.types for name, item in objects.items()}


def test_a_problem_keeps_told_names_and_leaves_constants_to_the_domain(domain: Domain) -> None:
    task = parse_task(DOMAIN, PROBLEM.replace("5/2", "2.5"))
    teller = Teller(task, _wording(), make_names(task, "typed"))
    text = f"{teller.goal_text()}\n{teller.objects_text()}\n{teller.init_text()}"
    problem = read_problem(text, domain, _wording())
    assert [item.name for item in problem.objects] == ["truck_0", "truck_1", "plane_0", "place_0", "place_1", "truck_2"]
    assert problem.domain_name == "d"
    assert GroundAtom(("linked", "place_0", "place_1")) in problem.init
    assert problem.goal == And((Atom("at", ("truck_0", "place_1")), Not(Atom("idle", ("truck_0",)))))
    assert len(problem.init_values) == 2
    assert problem.metric is not None


CONDITIONS = [
    ("t1 is busy", Not(Atom("idle", ("t1",)))),
    ("it is not the case that the gate is open", Not(Atom("open"))),
    ("t1 and t2 are the same object", Equality("t1", "t2")),
    ("a and b are different objects", Not(Equality("a", "b"))),
    ("(the gate is open) or (t1 is busy)", Or((Atom("open"), Not(Atom("idle", ("t1",)))))),
    ("if (the gate is open) then (t1 is idle)", Imply(Atom("open"), Atom("idle", ("t1",)))),
    ("it is not the case that ((the gate is open) and (t1 is idle))", Not(And((Atom("open"), Atom("idle", ("t1",)))))),
    (
        "for every truck C and every place D, (C is at D)",
        Forall((TypedName("?c", ("truck",)), TypedName("?d", ("place",))), Atom("at", ("?c", "?d"))),
    ),
    ("there is an airplane or truck C such that (it is not the case that (C is at a) or (C is idle))", None),
    ("there is an airplane C such that (C is at a)", Exists((TypedName("?c", ("plane",)),), Atom("at", ("?c", "a")))),
    (
        "the fuel of t1 is at least (the fuel of t2 plus 2.5 plus minus (1))",
        Comparison(
            ">=",
            Fluent("fuel", ("t1",)),
            Arithmetic("+", (Fluent("fuel", ("t2",)), Number(Fraction(5, 2)), Arithmetic("-", (Number(Fraction(1)),)))),
        ),
    ),
    ("the cost so far is equal to 1/3", Comparison("=", Fluent("total-cost"), Number(Fraction(1, 3)))),
    ("this is never the case", Or()),
    ("nothing is asked for", And()),
]


@pytest.mark.parametrize(("sentence", "condition"), CONDITIONS)
def test_conditions(domain: Domain, sentence: str, condition: object) -> None:
    text = f"My goal is that in the end t1 is at a\nand {sentence}."
    if condition is None:
        with pytest.raises(NLReadError, match="line 2"):
            read_goal(text, domain, _wording(), OBJECTS)
    else:
        assert read_goal(text, domain, _wording(), OBJECTS).condition.parts[1] == condition


def test_conditions_are_what_the_teller_says(domain: Domain) -> None:
    task = parse_task(DOMAIN, PROBLEM.replace("5/2", "2.5"))
    teller = Teller(task, _wording(), make_names(task, "original"))
    for sentence, condition in CONDITIONS:
        if condition is not None:
            assert teller.literal(condition) == sentence  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Currently, t1 is at c.", "names 'c', which no object is called"),
        ("Currently, t1 is at t2.", "is no sentence of the wording"),
        ("Currently, t1 sits at a.", "is no sentence of the wording"),
        ("Currently, t1 is at a\nand t1 is at a, too.", "line 2"),
        ("Currently, t1 is at a", "ends without a full stop"),
        ("Now, t1 is at a.", "expected 'Currently, …'"),
        ("Currently, t1 is at a\nor the gate is open.", "begins 'and '"),
        ("Currently, the fuel of t1 is much.", "is no sentence of the wording"),
    ],
)
def test_states_that_cannot_be_read_are_refused_with_their_place(domain: Domain, text: str, reason: str) -> None:
    with pytest.raises(NLReadError) as caught:
        read_state(text, domain, _wording(), OBJECTS)
    assert reason in str(caught.value)
    assert caught.value.line in (1, 2)


def test_a_sentence_that_fits_two_ways_names_both(domain: Domain) -> None:
    wording = _wording(linked=Snippet("linked", ("?p", "?q"), "{?p} is at {?q}"))
    assert read_state("Currently, t1 is at a\nand a is at b.", domain, wording, OBJECTS).atoms == (
        GroundAtom(("at", "t1", "a")),
        GroundAtom(("linked", "a", "b")),
    )
    doubled = Domain("d", predicates=(Predicate("p", (TypedName("?x"),)), Predicate("q", (TypedName("?x"),))))
    said = Wording("d", {name: Snippet(name, ("?x",), "{?x} is odd") for name in ("p", "q")}, {})
    with pytest.raises(NLReadError, match=r"two ways: \(p a\) or \(q a\)"):
        read_state("Currently, a is odd.", doubled, said, OBJECTS)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("t1 is a ship.", "unknown type"),
        ("t1 is a truck", "full stop"),
        ("Each of t1 and t1 is a truck.", "told twice"),
        ("Each of t1, t2 is a truck.", "unknown type or form"),
        ("t1 and t2 are trucks.", "unknown type or form"),
    ],
)
def test_object_lists_that_cannot_be_read(domain: Domain, line: str, reason: str) -> None:
    with pytest.raises(NLReadError, match=reason):
        read_objects(f"The following objects are available:\n{line}", domain, _wording())


def test_names_that_are_words_of_the_list(domain: Domain) -> None:
    text = "The following objects are available:\nEach of and, is, and or is a truck or an airplane.\nhub is a place."
    told = read_objects(text, domain, _wording())
    assert list(told) == ["and", "is", "or", "hub"]
    assert told["or"].types == ("truck", "plane")
    assert read_objects("No objects are available.", domain, _wording()) == {}


KINDS = """(define (domain sums) (:requirements :adl :typing) (:types numbers data gas batch)
 (:predicates (size ?d - data ?n - numbers) (light ?g - gas) (done))
 (:action a :parameters (?x - data) :precondition (exists (?n ?m - numbers ?e - data) (size ?e ?n))))"""
KINDS_PROBLEM = """(define (problem p) (:domain sums)
 (:objects and is_a - data one two - numbers the - gas a - batch either - (either data gas numbers)
  b - (either gas data))
 (:init (size and one)) (:goal (and
  (or (done) (light the))
  (exists (?n ?m - numbers ?d - data ?g - (either gas data))
   (and (done) (or (not (size ?d ?n)) (and (size ?d ?m) (light ?g)))))
  (done) (or (done)) (or) (not (or (done) (light the))))))"""


@pytest.mark.parametrize("scheme", ["typed", "original"])
def test_kinds_that_are_not_counted_or_plural_read_back(scheme: str) -> None:
    task = parse_task(KINDS, KINDS_PROBLEM)
    wording = replace(template_wording(task.domain), types={"batch": "batch of dough"})
    names = make_names(task, scheme, wording)
    teller = Teller(task, wording, names)
    objects = objects_of(task, names)
    listed = teller.objects_text()
    kinds = [line.rpartition(" is ")[2] for line in listed.splitlines()[1:]]
    assert kinds == [
        "data.", "one of the numbers.", "a gas.", "a batch of dough.", "data or a gas or one of the numbers.",
        "a gas or data.",
    ]  # fmt: skip
    told = read_objects(listed, task.domain, wording)
    assert {name: item.types for name, item in told.items()} == {name: item.types for name, item in objects.items()}
    goal = teller.goal_text()
    assert "\nand there is one of the numbers " in goal
    read = read_goal(goal, task.domain, wording, objects).condition
    assert [str(part).split(" ")[0] for part in read.parts] == ["(or", "(exists", "(done)", "(done)", "(or)", "(not"]
    again = Teller(Task(task.domain, replace(task.problem, goal=read)), wording, names)
    assert again.goal_text() == goal
    whole = read_problem(f"{listed}\n\n{teller.init_text()}\n\n{goal}", task.domain, wording)
    assert [item.types for item in whole.objects] == [item.types for item in objects.values()]


def test_old_texts_with_an_article_before_what_is_not_counted_read_back() -> None:
    domain = parse_domain(KINDS)
    text = "The following objects are available:\nx is a data.\ny is a numbers or a gas."
    told = read_objects(text, domain, template_wording(domain))
    assert [item.types for item in told.values()] == [("data",), ("numbers", "gas")]


def test_empty_state_and_goal(domain: Domain) -> None:
    assert read_state("Currently nothing is the case.", domain, _wording(), OBJECTS).atoms == ()
    goal = read_goal("My goal is reached in every state.", domain, _wording(), OBJECTS)
    assert goal.condition == And()
    goal = read_goal("My goal can never be reached.", domain, _wording(), OBJECTS)
    assert goal.condition == And((Or(),))


EXAMPLE = """You are an agent in a planning task.

My goal is that in the end t1 is at b.
The following objects are available:
t1 is a truck.
Each of a and b is a place.
Currently, t1 is at a
and the gate is open.

Action: send t1 to b
Observation: I send t1 to b.

Here is your task.
"""
TARGET = """My goal is that in the end f is at b
and the gate is open.
I want to minimize the cost so far.
The following objects are available:
f is an airplane.
Each of a and b is a place.
hub is a place.

Currently, f is at a
and the cost so far is 0.
What is your first action?

Action: look around
Observation: Currently, f is at b.
"""


def test_the_target_is_found_behind_an_example_and_before_observations(domain: Domain) -> None:
    for text in (TARGET, EXAMPLE + TARGET):
        problem = read_problem(text, domain, _wording())
        assert [item.name for item in problem.objects] == ["f", "a", "b"]
        assert problem.init == (GroundAtom(("at", "f", "a")),)
        assert problem.goal == And((Atom("at", ("f", "b")), Atom("open")))
        assert problem.metric == Metric("minimize", Fluent("total-cost"))


def test_a_state_told_before_its_goal_is_found(domain: Domain) -> None:
    goal, _, rest = TARGET.partition("The following")
    state = "Currently, f is at a."
    text = f"{EXAMPLE}{state}\n{goal}The following{rest.partition('Currently')[0]}"
    assert read_problem(text, domain, _wording()).init == (GroundAtom(("at", "f", "a")),)


def test_errors_in_a_prompt_name_the_line_of_the_prompt(domain: Domain) -> None:
    with pytest.raises(NLReadError, match="tells no state"):
        read_problem(EXAMPLE.partition("Currently")[0], domain, _wording())
    text = EXAMPLE + TARGET.replace("and the cost so far is 0", "and g is idle")
    with pytest.raises(NLReadError) as caught:
        read_problem(text, domain, _wording())
    assert text.split("\n")[caught.value.line - 1] == "and g is idle."


def test_a_dropped_fact_and_swapped_parameters_change_what_is_read(domain: Domain) -> None:
    swapped = _wording(linked=Snippet("linked", ("?p", "?q"), "{?q} and {?p}, both places, are linked"))
    told = "Currently, a and b, both places, are linked."
    assert read_state(told, domain, swapped, OBJECTS).atoms == (GroundAtom(("linked", "b", "a")),)


def _linked(places: int, facts: int) -> Task:
    """A task with as many facts, of links from each place to others."""
    objects = " ".join(f"l{index}" for index in range(places))
    links = [f"(linked l{one} l{other})" for one in range(places) for other in range(places)]
    init = " ".join(links[:facts])
    return parse_task(
        DOMAIN, f"(define (problem p) (:domain d) (:objects {objects} - place) (:init {init}) (:goal (open)))"
    )


@pytest.mark.parametrize("worded", [True, False])
def test_thousands_of_facts_are_read_in_linear_time(domain: Domain, linear: Callable[..., None], worded: bool) -> None:
    wording = _wording() if worded else template_wording(domain)

    def told(count: int) -> tuple[Task, str]:
        task = _linked(80, count)
        return task, Teller(task, wording, make_names(task, "typed")).init_text()

    def read(given: tuple[Task, str]) -> None:
        task, text = given
        state = read_state(text, task.domain, wording, objects_of(task, make_names(task, "typed")))
        assert state.atoms == task.problem.init

    linear(read, told, 800)


def test_tens_of_thousands_of_facts_are_read() -> None:
    task = _linked(220, 220 * 220)
    names = make_names(task, "typed")
    text = Teller(task, _wording(), names).init_text()
    state = read_state(text, task.domain, _wording(), objects_of(task, names))
    assert len(state.atoms) == 220 * 220
    assert state.atoms == task.problem.init


def test_reading_in_told_names_or_in_pddl_names(domain: Domain) -> None:
    task: Task = parse_task(DOMAIN, PROBLEM.replace("5/2", "2.5"))
    names = make_names(task, "typed")
    text = "Currently, truck_0 is at place_1."
    assert read_state(text, domain, _wording(), objects_of(task, names)).atoms == (GroundAtom(("at", "t1", "b")),)
    told = read_objects(Teller(task, _wording(), names).objects_text(), domain, _wording())
    assert read_state(text, domain, _wording(), told).atoms == (GroundAtom(("at", "truck_0", "place_1")),)

"""Reading the conditions that a model proposes: whatever stands around them, and what is said where they are wrong."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.nl import Names, make_names
from pddl2nl.pddl import Task, parse_task
from pddl2nl.systems.hvr.conditions import ReadConditions, read_conditions

_DOMAIN = """(define (domain kitchenette) (:requirements :adl :derived-predicates :numeric-fluents)
  (:types item place - object stove-burner - place egg - item)
  (:constants tray - item)
  (:predicates (inside ?x - item ?p - place) (hand-empty) (open ?p - place) (fixed ?p - place) (full ?p - place))
  (:functions (heat ?p - place) (size ?p - place))
  (:derived (full ?p - place) (exists (?x - item) (inside ?x ?p)))
  (:action put :parameters (?x - item ?p - place) :precondition (open ?p)
    :effect (and (inside ?x ?p) (hand-empty) (increase (heat ?p) 1)))
  (:action open-it :parameters (?p - place) :effect (open ?p)))"""
_PROBLEM = """(define (problem p) (:domain kitchenette)
  (:objects e1 e2 - egg fridge - place sb - stove-burner) (:init (fixed sb) (= (heat sb) 0)) (:goal (hand-empty)))"""


@pytest.fixture(scope="module")
def task() -> Task:
    return parse_task(_DOMAIN, _PROBLEM)


@pytest.fixture(scope="module")
def names(task: Task) -> Names:
    return make_names(task)


def _read(text: str, task: Task, names: Names, count: int = 1) -> tuple[tuple[str, str], ...]:
    read = read_conditions(text, task, names, count=count)
    assert [item.problems for item in read] == [()] * count
    return tuple((item.to_json()["precondition"], item.to_json()["effect"]) for item in read)


GOOD = ("(and (hand-empty) (open fridge))", "(and (inside e1 fridge) (not (hand-empty)))")


@pytest.mark.parametrize(
    "reply",
    [
        "1. precondition: (and (hand-empty) (open place_0))\n   effect: (and (inside egg_0 place_0) "
        "(not (hand-empty)))",
        # fences and the shape of an action, with comments
        "```pddl\n(:action put_egg\n :parameters ()\n :precondition (and (hand-empty) ; the arm is "
        "free :)\n (open place_0))\n"
        " :effect (and (inside egg_0 place_0) (not (hand-empty))))\n```",
        # emphasis, prose, PDDL's own names
        "Sure! Here you are.\n\n**1. Put the egg away**\n- **Precondition**: `(and (hand-empty) (open fridge))`\n"
        "- **Effect**: `(and (inside e1 fridge) (not (hand-empty)))`\n\nThis (of course) is what you need.",
        # several literals, a line each, and other letters and hyphens
        "Preconditions:\n- (hand_empty)\n- (Open Place-0)\nEffects:\n- (inside Egg_0 PLACE_0) the "
        "egg is there\n- (not (hand-empty))",
        # calls, and "not" outside
        "Pre-condition: hand-empty() and open(place_0)\nPost-condition: inside(egg_0, place_0), not (hand-empty)",
        # JSON
        '{"precondition": "(and (hand-empty) (open place_0))", "effect": "(and (inside egg_0 '
        'place_0) (not (hand-empty)))"}',
        # a remark before the colon; the last parentheses are missing
        "The precondition of the macro-action is: (and (hand-empty) (open place_0))\n"
        "The effects (what changes): (and (inside egg_0 place_0) (not (hand-empty",
        # no labels at all
        "(and (hand-empty) (open place_0))\n(and (inside egg_0 place_0) (not (hand-empty)))",
        "precondition:\n(and (hand-empty)\n     (open place_0))\n\neffect:\n(and (inside 'egg_0' "
        "place_0)\n     (not (hand-empty)))",
    ],
)
def test_conditions_are_found_whatever_stands_around_them(reply: str, task: Task, names: Names) -> None:
    assert _read(reply, task, names) == (GOOD,)


def test_several_macro_actions_by_their_numbers(task: Task, names: Names) -> None:
    reply = (
        "2. Open it\n   precondition: (and)\n   effect: (open place_0)\n"
        "1. Put it\n   precondition: (open place_0)\n   effect: (hand-empty)\n"
    )
    assert _read(reply, task, names, 2) == (("(open fridge)", "(hand-empty)"), ("(and)", "(open fridge)"))
    # Numbers of lines are no numbers of macro-actions.
    lines = "1. precondition: (hand-empty)\n2. effect: (and)\n3. precondition: (and)\n4. effect: (hand-empty)"
    assert _read(lines, task, names, 2) == (("(hand-empty)", "(and)"), ("(and)", "(hand-empty)"))


def test_what_is_missing_is_asked_for_by_its_number(task: Task, names: Names) -> None:
    reply = "1. precondition: (hand-empty)\neffect: (and)\n3. precondition: (and)\neffect: (hand-empty)"
    first, second, third = read_conditions(reply, task, names, count=3)
    assert first.conditions is not None
    assert third.conditions is not None
    assert second.conditions is None
    assert "No conditions were found for macro-action 2" in second.problems[0]
    (alone,) = read_conditions("precondition: (hand-empty)", task, names, count=1)
    assert alone.problems == ("There is no effect: expected 'effect: (and …)', 'effect: (and)' where there is none.",)


def test_when_or_and_quantifiers_are_allowed(task: Task, names: Names) -> None:
    reply = (
        "precondition: (or (hand-empty) (forall (?p - StoveBurner) (open ?p)))\n"
        "effect: (forall (?x - Egg) (when (exists (?p - place) (inside ?x ?p)) (not (inside ?x place_0))))"
    )
    ((before, after),) = _read(reply, task, names)
    assert before == "(or (hand-empty) (forall (?p - stove-burner) (open ?p)))"
    assert after == ("(forall (?x - egg) (when (exists (?p - place) (inside ?x ?p)) (not (inside ?x fridge))))")


def test_nothing_is_a_condition_too(task: Task, names: Names) -> None:
    assert _read("precondition: none\neffect: (and)", task, names) == (("(and)", "(and)"),)
    assert _read("precondition: ()\neffect: (hand-empty)", task, names) == (("(and)", "(hand-empty)"),)


def test_alternatives_in_words(task: Task, names: Names) -> None:
    assert _read("precondition: (hand-empty) or (open place_0)\neffect: (and)", task, names) == (
        ("(or (hand-empty) (open fridge))", "(and)"),
    )


def test_numbers(task: Task, names: Names) -> None:
    reply = "precondition: (>= (heat stove-burner_0) 2)\neffect: (increase (heat stove-burner_0) 1)"
    assert _read(reply, task, names) == (("(>= (heat sb) 2)", "(increase (heat sb) 1)"),)


def test_variables_may_not_stand_free(task: Task) -> None:
    reply = "precondition: (open ?p)\neffect: (inside tray ?p)"
    (refused,) = read_conditions(reply, task)
    assert "undeclared variable '?p'" in refused.problems[0]


@pytest.mark.parametrize(
    ("precondition", "effect", "said"),
    [
        (
            "(opne place_0)",
            "(and)",
            "In the precondition: undeclared predicate 'opne', in (opne place_0); did you mean open?",
        ),
        (
            "(open place_0 egg_0)",
            "(and)",
            "predicate 'open' takes 1 argument, not 2, in (open place_0 egg_0); expected: ",
        ),
        ("(open egg_0)", "(and)", "argument 1 of 'open' has the wrong type (found: egg_0 - egg); expected: place"),
        ("(open plaice_0)", "(and)", "undeclared object 'plaice_0'"),
        ("(open ?x)", "(and)", "undeclared variable '?x'"),
        ("(when (hand-empty) (open place_0))", "(and)", "'when' in a condition"),
        ("(and)", "(or (hand-empty) (open place_0))", "In the effect: a disjunction cannot be an effect"),
        ("(and)", "(fixed place_0)", "In the effect: no action changes 'fixed', so neither can a macro-action"),
        ("(and)", "(full place_0)", "'full' is derived: an effect cannot change it"),
        ("(and)", "(assign (size place_0) 1)", "no action changes 'size'"),
        ("(preference x (hand-empty))", "(and)", "a preference"),
        ("(> (total-time) 1)", "(and)", "'total-time'"),
        ("(and (hand-empty) open place_0)", "(and)", "a word where a condition was expected"),
        ("(" * 80 + "hand-empty" + ")" * 80, "(and)", "nested"),
    ],
)
def test_every_problem_teaches(precondition: str, effect: str, said: str, task: Task, names: Names) -> None:
    (read,) = read_conditions(f"precondition: {precondition}\neffect: {effect}", task, names, count=1)
    assert read.conditions is None
    assert any(said in problem for problem in read.problems), read.problems
    assert read.to_json()["precondition"] == ""
    assert said in read.to_json()["problem"]


def test_a_reply_without_any(task: Task, names: Names) -> None:
    assert read_conditions("I cannot do that.", task, names) == ()
    (read,) = read_conditions("I cannot do that.", task, names, count=1)
    assert read.conditions is None


@cache
def _same_task() -> tuple[Task, Names]:
    task = parse_task(_DOMAIN, _PROBLEM)
    return task, make_names(task)


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from(
            [
                *(
                    "precondition",
                    "effect",
                    "effects",
                    ":",
                    "(",
                    ")",
                    "and",
                    "not",
                    "or",
                    "when",
                    "1.",
                    "2)",
                    "\n",
                    ";",
                ),
                *(
                    "(hand-empty)",
                    "(open",
                    "egg_0",
                    "?x",
                    "-",
                    "forall",
                    "e1",
                    "'",
                    "`",
                    "=",
                    "3",
                    "assign",
                    "heat",
                    "é",
                ),
            ]
        ),
        max_size=30,
    )
)
def test_no_reply_makes_it_raise(words: list[str]) -> None:
    task, names = _same_task()
    for read in read_conditions(" ".join(words), task, names, count=2):
        assert isinstance(read, ReadConditions)
        assert (read.conditions is None) == bool(read.problems)

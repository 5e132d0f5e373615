"""The conversations of wordings by a model, word by word."""

from __future__ import annotations

import os
from pathlib import Path
from typing import get_args

import pytest

from pddl2nl.llm import Completion, Message, Request
from pddl2nl.nl.wording.template import template_wording
from pddl2nl.nl.wording.word_checks import Kind, text_faults
from pddl2nl.nl.wording.word_domain import ToldPhrases, items, opening, question, word_domain
from pddl2nl.pddl import load_domain, parse_domain

GOLDEN = Path(__file__).parent / "golden_word"

HARBOUR = parse_domain("""
(define (domain harbour)
  (:requirements :adl :derived-predicates :fluents)
  (:types ship tug pilot buoy)
  (:constants pier - buoy)
  (:predicates
    (calm)
    (moored ?s - ship)
    (near ?s - (either ship tug) ?b - buoy)
    (linked ?b1 ?b2 - buoy)
    (reachable ?from ?to - buoy)
    (aboard ?p - pilot ?s - ship))
  (:functions (fuel ?t - tug) (total-cost))
  (:derived (reachable ?a ?b - buoy)
    (or (linked ?a ?b) (exists (?c - buoy) (and (linked ?a ?c) (reachable ?c ?b)))))
  (:action ring-bell :parameters () :precondition () :effect ())
  (:action tow
    :parameters (?s - ship ?t - tug ?from ?to - buoy)
    :precondition (and (near ?s ?from) (near ?t ?from) (reachable ?from ?to) (not (= ?from ?to)) (not (moored ?s))
      (>= (fuel ?t) 2) (or (calm) (exists (?p - pilot) (aboard ?p ?s))))
    :effect (and (near ?s ?to) (near ?t ?to) (not (near ?s ?from)) (not (near ?t ?from)) (decrease (fuel ?t) 2)
      (increase (total-cost) 1) (when (= ?to pier) (moored ?s))
      (forall (?p - pilot) (when (and (aboard ?p ?s) (not (calm))) (not (aboard ?p ?s)))))))
""")
REPLIES = [
    "the sea is calm",
    "{?s} is moored",
    "(near ?s ?b)",
    "{?s} is near {?b}",
    "{?b1} and {?b2} are linked",
    "{?to} can be reached from {?from}",
    "{?p} is aboard {?s}",
    "{?x1} is the same as {?x2}",
    "{?x1} is not {?x2}",
    "the fuel of {?t}",
    "the total cost",
    "ring the bell",
    "tow {?s} from {?from} to {to} by ?t",
    "tow ship {?s} by tug {?t} from buoy {?from} to buoy {?to}",
]


class Recorder:
    """Says the given replies in order and keeps what it was asked."""

    def __init__(self, replies: list[str]):
        self.name = "recorder"
        self.replies = list(replies)
        self.requests: list[Request] = []

    def complete(self, request: Request) -> Completion:
        """The next reply."""
        self.requests.append(request)
        return Completion(self.replies.pop(0))


def told(messages: tuple[Message, ...]) -> str:
    return "".join(f"────── {message.role}\n{message.content}\n" for message in messages)


def assert_golden(text: str, name: str) -> None:
    """Written anew with PDDL2NL_GOLDEN=write; read the difference before it is kept."""
    path = GOLDEN / name
    if os.environ.get("PDDL2NL_GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("kind", "negated", "name"),
    [
        ("predicates", False, "predicates.txt"),
        ("predicates", True, "predicates_negated.txt"),
        ("functions", False, "functions.txt"),
        ("actions", False, "actions.txt"),
    ],
)
def test_the_instruction_and_the_examples_read_as_the_golden_file(kind: Kind, negated: bool, name: str) -> None:
    messages = opening(kind, negated)
    assert {message.role for message in messages[1::2]} == {"user"}
    assert_golden(told(messages), name)


def test_the_questions_about_a_domain_read_as_the_golden_file() -> None:
    model = Recorder(REPLIES)
    worded = word_domain(HARBOUR, model)
    assert not worded.fell_back
    # A revision's request holds the one before it, so the last request about each thing holds all of them.
    last = [
        now
        for now, after in zip(model.requests, [*model.requests[1:], None], strict=True)
        if after is None or now.messages != after.messages[: len(now.messages)]
    ]
    said = []
    for item, request in zip(items(HARBOUR), last, strict=True):
        said.append(f"══════ {item.label}\n{told(request.messages[len(opening(item.kind)) :])}")
    assert_golden("".join(said), "harbour.txt")


def test_an_action_of_a_thousand_conditions_is_told_in_part() -> None:
    facts = [f"(fact-{number})" for number in range(2000)]
    domain = parse_domain(
        f"(define (domain many) (:predicates {' '.join(facts)}) (:action go :precondition (and {' '.join(facts)}) "
        f":effect (and {' '.join(f'(not {fact})' for fact in facts)})))"
    )
    (item,) = (item for item in items(domain) if item.kind == "actions")
    asked = question(item, ToldPhrases(template_wording(domain), domain))
    assert len(asked) < 30_000
    _, _, conditions, effects = asked.splitlines()
    assert conditions.startswith("preconditions of go: 'fact-0' holds and 'fact-1' holds and ")
    assert conditions.endswith(" holds and more of this sort")
    assert effects.endswith(" holds and more of this sort")


def test_every_example_answer_passes_the_checks_and_none_are_alike() -> None:
    for kind in get_args(Kind):
        answers = opening(kind)[2::2]
        for shown, answer in zip(opening(kind)[1::2], answers, strict=True):
            parameters = [word.strip("()") for word in shown.content.splitlines()[-1].split() if "?" in word]
            if kind == "actions":
                parameters = shown.content.splitlines()[1].removeprefix("parameters: (").removesuffix(")").split()
            assert text_faults(answer.content, kind, parameters) == ()
        assert len({answer.content for answer in answers}) == len(answers)


def test_equality_is_asked_for_where_it_is_used_alone(root: Path) -> None:
    assert [item.pddl for item in items(HARBOUR) if item.kind == "equality"] == ["(= ?x1 ?x2)", "(not (= ?x1 ?x2))"]
    towers = load_domain(root / "domains" / "blocksworld" / "domain.pddl")
    assert [item.name for item in items(towers)] == [item.name for item in (*towers.predicates, *towers.actions)]

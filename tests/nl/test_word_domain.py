"""The loop in which a model words a domain: order, revisions, fall-backs, provenance, interruptions."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pddl2nl.errors import InfrastructureError, InputError, UnsupportedError
from pddl2nl.llm import Completion, EndpointError, Finish, Message, Request, ScriptedReply, Usage
from pddl2nl.nl import Reader, Teller, make_names
from pddl2nl.nl.wording.files import wording_from_json
from pddl2nl.nl.wording.review import marked, wording_warnings
from pddl2nl.nl.wording.snippets import Snippet, Wording, check_text
from pddl2nl.nl.wording.template import template_wording
from pddl2nl.nl.wording.word_checks import LONGEST, Draft, Kind, look_alike, read_reply, text_faults
from pddl2nl.nl.wording.word_domain import (
    FellBack,
    Phrases,
    items,
    opening,
    prompts_hash,
    provenance_warnings,
    question,
    word_domain,
)
from pddl2nl.pddl import Task, load_domain, parse_domain, parse_problem
from pddl2nl.pddl.tree import Domain, TypedName
from pddlval import GroundAction

STABLE = parse_domain("""
(define (domain stable)
  (:requirements :typing :action-costs)
  (:types horse stall)
  (:predicates (dry) (in ?h - horse ?s - stall))
  (:functions (total-cost))
  (:action lead :parameters (?h - horse ?to ?from - stall)
    :precondition (in ?h ?from)
    :effect (and (in ?h ?to) (not (in ?h ?from)) (increase (total-cost) 1)))
  (:action chase :parameters (?h - horse ?to ?from - stall)
    :precondition (in ?h ?from)
    :effect (and (in ?h ?to) (not (in ?h ?from)))))
""")
GOOD = [
    "the yard is dry",
    "{?h} is in {?s}",
    "the total cost",
    "lead horse {?h} from stall {?from} to stall {?to}",
    "chase horse {?h} from stall {?from} to stall {?to}",
]


class Recorder:
    """Says the given replies in order, counts tokens, and keeps what it was asked."""

    name = "recorder"

    def __init__(self, replies: Sequence[str | Exception]):
        self.replies = list(replies)
        self.requests: list[Request] = []

    def complete(self, request: Request) -> Completion:
        """The next reply, or the next error."""
        self.requests.append(request)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return Completion(reply, usage=Usage(100, 10, 5, 1))


def made(replies: Sequence[str | Exception], **options: Any) -> tuple[Recorder, Any]:
    model = Recorder(replies)
    return model, word_domain(STABLE, model, **options)


def test_one_call_each_in_the_order_of_the_declarations() -> None:
    model, worded = made(GOOD)
    asked = [request.messages[-1].content.splitlines()[0] for request in model.requests]
    assert asked == ["(dry)", "(in ?h ?s)", "(total-cost)", "action: lead", "action: chase"]
    assert worded.wording.predicates["in"].text == "{?h} is in {?s}"
    assert worded.wording.functions["total-cost"].text == "the total cost"
    assert worded.wording.actions["lead"].parameters == ("?h", "?to", "?from")
    assert worded.wording.actions["lead"].fill(["star", "b", "a"]) == "lead horse star from stall a to stall b"
    assert (worded.calls, worded.usage, worded.warnings()) == (5, Usage(500, 50, 25, 5), ())


def test_the_source_tells_where_the_wording_comes_from() -> None:
    _, worded = made(GOOD, revisions=2)
    assert worded.wording.source == {
        "method": "llm",
        "model": "recorder",
        "date": datetime.now(UTC).date().isoformat(),
        "prompt_sha256": prompts_hash(),
        "revisions": 2,
        "seed": 1,
        "temperature": 0.0,
        "max_tokens": 200,
        "negated": False,
        "fell_back": {},
    }


def test_a_text_that_may_mean_something_else_is_asked_for_again_and_marked() -> None:
    model, worded = made([GOOD[0], "{?h} stands at {?s}", "{?h} walks around {?s}", *GOOD[2:]])
    assert worded.wording.predicates["in"].text == "{?h} stands at {?s}"
    assert "review" not in worded.wording.source
    model, worded = made([GOOD[0], "{?h} leaves {?s}", "{?h} leaves {?s}", *GOOD[2:]])
    assert "- It has no word of the name 'in' in it.\n" in model.requests[2].messages[-1].content
    assert not worded.fell_back
    (mark,) = marked(worded.wording)
    assert (mark.kind, mark.name, mark.text) == ("predicates", "in", "{?h} leaves {?s}")
    saved = wording_from_json(worded.wording.to_json(), STABLE)
    assert marked(saved) == (mark,)
    changed = saved.to_json()
    changed["predicates"]["in"]["text"] = "{?h} is in {?s}"  # type: ignore[index]
    assert marked(wording_from_json(changed, STABLE)) == ()


# ── revisions ────────────────────────────────────────────────────────────────────────────────────


def test_a_wrong_reply_is_followed_by_what_is_wrong_with_it() -> None:
    model, worded = made([GOOD[0], "{?h} is inside", *GOOD[1:]])
    first, second = model.requests[1:3]
    assert second.messages[: len(first.messages)] == first.messages
    reply, feedback = second.messages[len(first.messages) :]
    assert (reply.role, reply.content, feedback.role) == ("assistant", "{?h} is inside", "user")
    assert "- It lacks {?s}.\n" in feedback.content
    assert "(in ?h ?s)" in feedback.content
    assert worded.wording.predicates["in"].text == "{?h} is in {?s}"
    assert worded.calls == 6
    assert not worded.fell_back


@pytest.mark.parametrize("revisions", [0, 1, 3])
def test_after_the_last_revision_the_template_stands_in(revisions: int) -> None:
    wrong = ["nobody"] * (revisions + 1)
    model, worded = made([GOOD[0], *wrong, *GOOD[2:]], revisions=revisions)
    assert not model.replies
    assert worded.wording.predicates["in"] == template_wording(STABLE).predicates["in"]
    assert worded.fell_back == (FellBack("predicates", "in", ("lacks {?h} and {?s}",)),)
    assert worded.wording.source["fell_back"] == {"predicates": ["in"]}
    (warning,) = worded.warnings()
    assert warning == "the predicate 'in' fell back to the template, as the model's text lacks {?h} and {?s}"
    assert "?from are in relation 'in'" in model.requests[-1].messages[-1].content


def test_two_actions_with_one_text_are_told_from_each_other() -> None:
    alike = "move horse {?h} from {?to} to {?from}"
    model, worded = made([*GOOD[:3], "move horse {?h} from {?from} to {?to}", alike, GOOD[4]])
    feedback = model.requests[-1].messages[-1].content
    assert "says the same as the text of the action 'lead', \"move horse {?h} from {?from} to {?to}\"" in feedback
    assert not worded.fell_back
    assert wording_warnings(worded.wording, STABLE) == ()


def test_two_actions_that_stay_alike_make_the_later_fall_back() -> None:
    alike = "move horse {?h} from {?from} to {?to}"
    _, worded = made([*GOOD[:3], alike, alike, alike.upper().replace("?H", "?h")])
    assert [item.name for item in worded.fell_back] == ["chase"]
    assert wording_warnings(worded.wording, STABLE) == ()


def test_no_text_may_take_what_the_template_would_say_of_another_action() -> None:
    stolen = "apply the action 'chase' to horse {?h}, stall {?to}, and stall {?from}"
    _, worded = made([*GOOD[:3], stolen, GOOD[3], GOOD[4]])
    assert worded.wording.actions["lead"].text == GOOD[3]


# ── negated forms ────────────────────────────────────────────────────────────────────────────────


def test_negated_forms_come_in_the_same_call() -> None:
    both = ["the yard is dry\nNegated: the yard is wet", "{?h} is in {?s}\nNegated: {?h} is out of {?s}"]
    model, worded = made([*both, *GOOD[2:]], negated=True)
    assert worded.wording.predicates["dry"].negated == "the yard is wet"
    assert worded.wording.predicates["in"].negated == "{?h} is out of {?s}"
    assert worded.calls == 5
    assert model.requests[0].messages[:-1] == opening("predicates", True)
    assert model.requests[2].messages[:-1] == opening("functions")
    assert worded.wording.source["prompt_sha256"] == prompts_hash(True)


def test_a_negation_that_stays_wrong_is_dropped_and_its_text_kept() -> None:
    wrong = ["the yard is dry\nNegated: the yard is {?wet}", "the yard is {?dry}\nNegated: the yard is wet"]
    model, worded = made([*wrong, "{?h} is in {?s}\nNegated: {?h} is not in {?s}", *GOOD[2:]], negated=True)
    assert worded.wording.predicates["dry"].text == "the yard is dry"
    assert worded.wording.predicates["dry"].negated is None
    assert worded.fell_back == ()
    assert worded.wording.source["without_negated"] == ["dry"]
    (warning,) = worded.warnings()
    assert "has no negated text of its own" in warning
    assert "two lines" in model.requests[1].messages[-1].content


# ── interruptions ────────────────────────────────────────────────────────────────────────────────


def test_an_endpoint_that_fails_is_no_verdict_on_a_snippet() -> None:
    model = Recorder([*GOOD[:3], EndpointError("gone")])
    with pytest.raises(InfrastructureError, match="gone"):
        word_domain(STABLE, model)


def test_snippets_worded_by_hand_are_kept_and_no_longer_warned_of() -> None:
    _, before = made([GOOD[0], "no", "no", *GOOD[2:]])
    assert len(provenance_warnings(before.wording, STABLE)) == 1
    data: Any = json.loads(json.dumps(before.wording.to_json()))
    data["predicates"]["in"]["text"] = "{?h} stands in {?s}"
    edited = wording_from_json(data, STABLE)
    assert provenance_warnings(edited, STABLE) == ()


def test_what_has_no_words_is_found_before_the_first_call() -> None:
    timed = parse_domain(
        "(define (domain d) (:requirements :time) (:predicates (p)) (:event a :parameters () :effect (p)))"
    )
    model = Recorder([])
    with pytest.raises(UnsupportedError, match="an event"):
        word_domain(timed, model)
    with pytest.raises(InputError, match="--revisions -1"):
        word_domain(STABLE, model, revisions=-1)
    assert not model.requests


def test_a_durative_action_is_worded_like_any_other() -> None:
    timed = parse_domain(
        "(define (domain d) (:requirements :durative-actions) (:predicates (p)) (:functions (f)) (:durative-action a"
        " :parameters () :duration (= ?duration 1) :condition (at start (p))"
        " :effect (and (at end (not (p))) (decrease (f) (* #t 2)))))"
    )
    model = Recorder(["it is dry", "the fuel", "dry the field"])
    assert word_domain(timed, model).wording.actions["a"].text == "dry the field"
    assert "the fuel decreases by (the time that has passed times 2)" in model.requests[-1].messages[-1].content


# ── the conversations, word by word ──────────────────────────────────────────────────────────────

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
    "the fuel of {?t}",
    "the total cost",
    "ring the bell",
    "tow {?s} from {?from} to {to} by ?t",
    "tow ship {?s} by tug {?t} from buoy {?from} to buoy {?to}",
]


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
    asked = question(item, Phrases(template_wording(domain), domain))
    assert len(asked) < 30_000
    _, _, conditions, effects = asked.splitlines()
    assert conditions.startswith("preconditions of go: 'fact-0' holds and 'fact-1' holds and ")
    assert conditions.endswith(" holds and more of this sort")
    assert effects.endswith(" holds and more of this sort")


# ── domains with very many parameters ─────────────────────────────────────────────────────────────


TIDYBOT = """
(define (domain room-keeper)
  (:requirements :typing)
  (:types robot cart thing xc yc xrel yrel)
  (:predicates (base ?r - robot ?x - xc ?y - yc) (hand ?r - robot ?x - xrel ?y - yrel)
    (thing-at ?t - thing ?x - xc ?y - yc) (holding ?r - robot ?t - thing) (empty-hand ?r - robot)
    (sum-x ?x - xc ?d - xrel ?s - xc) (blocked ?x - xc ?y - yc) (sum-y ?y - yc ?d - yrel ?s - yc)
    (left-of ?a ?b - xc) (above ?a ?b - yc) (on-cart ?t - thing ?c - cart))
""" + "".join(
    f"""
  (:action {verb}-{way}
    :parameters (?robot - robot ?cart - cart ?thing - thing ?base-x ?cart-x ?thing-x ?new-x - xc
      ?base-y ?cart-y ?thing-y ?new-y - yc ?hand-x ?reach-x - xrel ?hand-y ?reach-y - yrel)
    :precondition (and (base ?robot ?base-x ?base-y) (hand ?robot ?hand-x ?hand-y) (sum-x ?base-x ?reach-x ?thing-x)
      (sum-y ?base-y ?reach-y ?thing-y) (thing-at ?thing ?thing-x ?thing-y) (left-of ?cart-x ?new-x)
      (above ?cart-y ?new-y))
    :effect (and (base ?robot ?new-x ?new-y) (not (base ?robot ?base-x ?base-y)) (blocked ?cart-x ?cart-y)
      (on-cart ?thing ?cart)))"""
    for verb in ("grasp", "push", "release", "park")
    for way in ("left", "right", "up", "down")
) + ")"  # fmt: skip
SHARED = ["agricola-opt18-strips", "parking-opt11-strips", "sokoban-opt11-strips", "tetris-opt14-strips"]


class ErrsFirst:
    """Answers everything wrongly first, and rightly once it is told what is wrong."""

    name = "errs-first"

    def __init__(self, domain: Domain):
        self._items = {item.pddl if item.kind != "actions" else item.name: item for item in items(domain)}
        self._before = ""
        self.first = 0
        self.second = 0

    def complete(self, request: Request) -> Completion:
        """A wrong answer to a question, a right one to a message that names what is wrong."""
        asked = request.messages[-1].content
        action = re.search(r"^action: (\S+)$", asked, re.MULTILINE)
        key = action[1] if action else next(line for line in asked.splitlines() if line in self._items)
        item = self._items[key]
        words = item.name.replace("-", " ").replace("_", " ")
        good = f"{words} " + ", ".join(
            f"the {parameter.types[0]} {{{name}}}"
            for parameter, name in zip(item.declared, item.variables, strict=True)
        )
        if item.kind == "functions":
            good = f"the {good}"
        if asked.startswith("This answer cannot be used:"):
            self.second += 1
            self._before = good.strip()
            return Completion(good)
        self.first += 1
        reply, finish = self._wrong(good, item.variables)
        return Completion(reply, finish)

    def _wrong(self, good: str, variables: tuple[str, ...]) -> tuple[str, Finish]:
        last = variables[-1] if variables else "?nothing"
        ways: list[tuple[str, Finish]] = [
            (good.replace(f"{{{last}}}", "it") if variables else f"{good} {{?nothing}}", "text"),
            (good.replace(f"{{{last}}}", f"{{{last[1:]}}}") if variables else f"{good} {{}}", "text"),
            (good.replace(f"{{{last}}}", last) if variables else f"{good} ?", "text"),
            (f"({good})", "text"),
            (good[: len(good) // 2] + " {?", "length"),
            (f"{good}\nThis says all that is needed.", "text"),
            (f"(:action {good} :parameters ({' '.join(variables)}))", "text"),
            (self._before if self._before and variables else "", "text"),
            ("I am sorry, I cannot do that.", "refused"),
            (f"{good} with {{?other}}", "text"),
        ]
        return ways[self.first % len(ways)]


def come_through(domain: Domain) -> Wording:
    model = ErrsFirst(domain)
    worded = word_domain(domain, model)
    assert worded.fell_back == ()
    assert worded.warnings() == ()
    assert provenance_warnings(worded.wording, domain) == ()
    assert wording_warnings(worded.wording, domain) == ()
    assert model.first == len(items(domain))
    assert model.second == worded.calls - model.first > model.first // 2
    return worded.wording


@pytest.mark.parametrize("name", SHARED)
def test_the_domains_on_which_the_paper_failed_come_through(shared: Path, name: str) -> None:
    paths = sorted((shared / "ipc" / name).glob("*/domain.pddl"))
    assert paths
    for path in paths:
        assert come_through(load_domain(path)).source["fell_back"] == {}


def test_what_was_worded_is_told_and_read_back() -> None:
    domain = parse_domain(TIDYBOT)
    objects = " ".join(f"{kind.name}-a {kind.name}-b - {kind.name}" for kind in domain.types)
    problem = f"(define (problem p) (:domain {domain.name}) (:objects {objects}) (:init) (:goal (and)))"
    task = Task(domain, parse_problem(problem, domain))
    wording = come_through(domain)
    names = make_names(task, "typed", wording)
    teller, reader = Teller(task, wording, names), Reader(task, wording, names)
    plan = tuple(
        GroundAction(
            action.name, tuple(f"{item.types[0]}-{'ab'[index % 2]}" for index, item in enumerate(action.parameters))
        )
        for action in domain.actions
    )
    assert reader.read("\n".join(teller.action(action) for action in plan)).plan == plan


# ── replies ───────────────────────────────────────────────────────────────────────────────────────


XY = ("?x", "?y")


def read(text: str, kind: Kind = "actions", parameters: tuple[str, ...] = XY, *, negated: bool = False) -> Draft:
    return read_reply(Completion(text), kind, parameters, 200, negated=negated)


@pytest.mark.parametrize(
    "reply",
    [
        "load {?x} into {?y}",
        "load {?x} into {?y}.",
        "  load {?x}\tinto  {?y} \n",
        '"load {?x} into {?y}"',
        "'load {?x} into {?y}.'",
        "“load {?x} into {?y}”",
        "`load {?x} into {?y}`",
        "```\nload {?x} into {?y}\n```",
        "```text\nload {?x} into {?y}\n```",
        "**load {?x} into {?y}**",
        "load `{?x}` into **{?y}**",
        "Output: load {?x} into {?y}",
        "**Answer:** load {?x} into {?y}",
        "Action: Load {?x} into {?y}.",
        'Corrected text: "load {?x} into {?y}".',
        "- load {?x} into {?y}",
        "1. Load {?x} into {?y}",
        "Here is the phrase:\n\nload {?x} into {?y}",
        "Load {?x} into {?y}",
        "I load {?x} into {?y}",
        "I can load {?x} into {?y}.",
        "to load {?x} into {?y}",
        "<think>\nWhat does ?x do?\n</think>\n\nload {?x} into {?y}",
        "<thinking>What does ?x do?</thinking>\nload {?x} into {?y}",
        "What does ?x do?\nIt is loaded.\n</think>\n\nload {?x} into {?y}",
        "*load {?x} into {?y}*",
        "_Load {?x} into {?y}._",
        "load {?X} into { ?y }",
    ],
)
def test_wrapping_comes_off(reply: str) -> None:
    assert read(reply) == Draft("load {?x} into {?y}")


def test_what_stands_within_a_text_stays() -> None:
    assert (
        read("load {?x} - slowly - into {?y}, the result: well").text
        == "load {?x} - slowly - into {?y}, the result: well"
    )
    assert read("tell {?x} to go to {?y}, 'I can'").text == "tell {?x} to go to {?y}, 'I can'"
    assert read("{?x} is 'p' of '{?y}'", "predicates").text == "{?x} is 'p' of '{?y}'"
    assert read("'p' links {?x} and {?y} by 'q'", "predicates").text == "'p' links {?x} and {?y} by 'q'"


@pytest.mark.parametrize(
    ("reply", "faults"),
    [
        ("", ["is empty"]),
        ("```\n```", ["is empty"]),
        ("load {?x}", ["lacks {?y}"]),
        ("load", ["lacks {?x} and {?y}"]),
        ("load {x} into {?y}", ["has {x}, which is no parameter of it; did you mean '?x'?", "lacks {?x}"]),
        ("load {?x} into ?y", ["has ?y outside braces", "lacks {?y}"]),
        ("load {?x} into {?y} of ?x", ["has ?x outside braces"]),
        ("load {?x} into {?y} at {place}", ["has {place}, which is no parameter of it"]),
        ("load {?x} into {?y}s", ["has {?y} touching another word or parameter, so its end cannot be seen"]),
        ("load {?x} into {?y} or?", ["has a question mark outside braces"]),
        ("load {?x into {?y}", ["has ?x outside braces", "has a brace without its partner", "lacks {?x}"]),
        ("load {?x} into {?y}. Then go", ["is more than one sentence; one phrase is wanted"]),
        ("load {?x} into {?y}\nThat is all", ["has 2 lines; one line with the text alone is wanted"]),
        ("{?x} , {?y}", ["has no words of its own"]),
        ("load {?x} :into {?y}", ["has :into, which is PDDL"]),
        ("load {?x} into {?y}\u202e", ["holds characters that cannot be seen (U+202E)"]),
        ("load {?x} into {?y}\x07", ["holds characters that cannot be seen (U+0007)"]),
        ("I am loading {?x} into {?y}", ['begins with "I"; it must begin with the verb']),
        ("Thought: load {?x} into {?y}", ["has another meaning in replies; choose other words"]),
        ("load {?x} into {?y} " + "very " * 300 + "well", ["has 1,524 characters; at most 1,500 are taken"]),
    ],
)  # fmt: skip
def test_every_fault_is_named(reply: str, faults: list[str]) -> None:
    assert read(reply) == Draft(None, faults=tuple(faults))


def test_words_that_mean_something_else() -> None:
    assert read("look around", parameters=()).faults
    assert read("finished", parameters=()).faults
    for ending in ("look around", "I am finished", "there is no plan"):
        assert read(ending, "predicates", ()).faults
    assert read("the work is finished", "predicates", ()).text == "the work is finished"
    assert read("it is not the case that {?x} is on {?y}", "predicates").faults
    assert read("{?x} and {?y} are the same object", "predicates").faults
    assert read("{?x} and {?y} are the same object", "functions").text


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (ScriptedReply("load {?x} into {?y}", finish="length"), "cut off at 200 tokens"),
        (ScriptedReply("", finish="length"), "cut off at 200 tokens"),
        (ScriptedReply("I cannot help with that", finish="refused"), "a refusal"),
        (ScriptedReply("", finish="filtered"), "withheld by a filter"),
        (ScriptedReply("", finish="empty"), "is empty"),
    ],
)
def test_replies_that_fell_short_have_a_message_of_their_own(entry: ScriptedReply, words: str) -> None:
    draft = read_reply(Completion(entry.reply, entry.finish), "actions", XY, 200, negated=False)
    assert draft.text is None
    assert words in draft.faults[0]


# ── negated forms ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "reply",
    [
        "{?x} is on {?y}\nNegated: {?x} is not on {?y}",
        "{?x} is on {?y}.\n\nNegated: {?x} is not on {?y}.",
        "{?x} is on {?y}\n**Negated:** {?x} is not on {?y}",
        "{?x} is on {?y}\n- Negation: {?x} is not on {?y}",
        "Positive: {?x} is on {?y}\nNegative: {?x} is not on {?y}",
        "{?x} is on {?y}\n{?x} is not on {?y}",
        "{?x} is on {?y}\nNegated:\n{?x} is not on {?y}",
        "{?x} is on {?y}\nNegated:{?x} is not on {?y}",
    ],
)
def test_the_negated_form_is_the_second_line(reply: str) -> None:
    assert read(reply, "predicates", negated=True) == Draft("{?x} is on {?y}", "{?x} is not on {?y}")


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ("{?x} is on {?y}", 'lacks the second line, "Negated: …"'),
        ("{?x} is on {?y}\nNegated: {?x} is not", "is wrong in its negation, which lacks {?y}"),
        (
            "{?x} is on {?y}\nNegated: {?x} is on {?y}",
            "is wrong in its negation, which says the same as the first line",
        ),
    ],
)
def test_a_usable_text_outlives_its_negation(reply: str, fault: str) -> None:
    assert read(reply, "predicates", negated=True) == Draft("{?x} is on {?y}", None, (fault,))


def test_a_text_is_judged_where_only_its_negation_is_usable() -> None:
    draft = read("{?x} is on it\nNegated: {?x} is not on {?y}", "predicates", negated=True)
    assert draft.text is None
    assert draft.faults == ("lacks {?y}",)


# ── texts that cannot be told apart ──────────────────────────────────────────────────────────────

TYPED = parse_domain("(define (domain d) (:requirements :typing) (:types car boat - thing house))")


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [("car", "car", True), ("car", "thing", True), ("car", "boat", False), ("house", "object", True)],
)
def test_texts_of_one_shape_are_alike_unless_types_part_them(one: str, other: str, alike: bool) -> None:
    declared = {"a": [TypedName("?p", (one,))], "b": [TypedName("?q", (other,))]}
    before = {"a": Snippet("a", ("?p",), "Move {?p}"), "b": Snippet("b", ("?q",), "stop {?q}")}
    twin = look_alike(Snippet("b", ("?q",), "move {?q}"), before, declared, TYPED)
    assert (twin is not None) == alike
    assert twin is None or twin.name == "a"


# ── whatever a model says ────────────────────────────────────────────────────────────────────────

PIECES = st.sampled_from(
    [
        "{?x}",
        "{?y}",
        "{?z}",
        "{x}",
        "?x",
        "{",
        "}",
        "load",
        "Negated:",
        "\n",
        " ",
        ".",
        '"',
        "`",
        "(",
        "I ",
        "\u2028",
        "\x00",
    ]
)
WHATEVER = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=14).map(" ".join), st.lists(PIECES).map("".join))


@example(text="{?X}'{?Y} ` A", kind="predicates", negated=False)
@given(WHATEVER, st.sampled_from(["predicates", "functions", "actions"]), st.booleans())
def test_what_is_accepted_can_be_told_and_read_back(text: str, kind: Kind, negated: bool) -> None:
    draft = read(text, kind, negated=negated)
    assert (draft.text is None) <= bool(draft.faults)
    for said in (draft.text, draft.negated):
        if said is not None:
            check_text(said, XY, "the text")
            assert said.isprintable()
            assert len(said) <= LONGEST
            assert said == " ".join(said.split())
            assert text_faults(said, "functions", XY) == ()
            assert set(Snippet("a", XY, said).parts) >= {0, 1}

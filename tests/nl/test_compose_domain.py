from __future__ import annotations

import pytest

from pddl2nl.errors import UnsupportedError
from pddl2nl.nl.telling.domain import compose_domain
from pddl2nl.nl.telling.phrases import Phrases
from pddl2nl.nl.wording.english import generic_action, one_of_kind
from pddl2nl.nl.wording.files import wording_from_json
from pddl2nl.nl.wording.snippets import split_text
from pddl2nl.nl.wording.template import template_wording
from pddl2nl.pddl import parse_domain


def lines(precondition: str = "()", effect: str = "()", *, silent: str | None = None, constants: str = "") -> list[str]:
    """The sentences about one action ``go`` with two trucks, said with the template; ``silent`` is never told."""
    domain = parse_domain(
        "(define (domain d) (:requirements :adl :fluents) (:types truck place)"
        f"(:constants {constants}) (:predicates (p ?x - object) (q ?x - object) (r)) (:functions (f ?x) (g))"
        f"(:action go :parameters (?a ?b - truck) :precondition {precondition} :effect {effect}))"
    )
    data = template_wording(domain).to_json()
    entries = data["predicates"]
    assert isinstance(entries, dict)
    if silent is not None:
        entries[silent] = {"parameters": ["?x"], "text": None}
    actions = data["actions"]
    assert isinstance(actions, dict)
    actions["go"] = {"parameters": ["?a", "?b"], "text": "send {?a} after {?b}"}
    text = compose_domain(Phrases(wording_from_json(data, domain), domain))
    return [line for line in text.splitlines() if line.startswith(("I can ", "Once "))]


GO = "send a truck A after a truck B"


@pytest.mark.parametrize(
    ("precondition", "sentences"),
    [
        ("()", [f"I can always {GO}."]),
        ("(and (p ?a) (not (q ?b)) (r) (not (r)))",
         [f"I can only {GO} if it is the case that A is 'p' and 'r' holds.",
          f"I can only {GO} if it is not the case that B is 'q' and it is not the case that 'r' holds."]),
        ("(= ?a ?b)", [f"I can only {GO} if it is the case that A and B are the same object."]),
        ("(> (f ?a) 2)", [f"I can only {GO} if it is the case that the value of 'f' for A is more than 2."]),
        ("(or (p ?a) (p ?b))", [f"I can only {GO} if it is the case that (A is 'p') or (B is 'p')."]),
        ("(not (or (p ?a) (p ?b)))", [f"I can only {GO} if it is not the case that ((A is 'p') or (B is 'p'))."]),
        # inequalities first, since nothing before them says that something is not so
        ("(and (not (p ?a)) (not (= ?a ?b)))",
         [f"I can only {GO} if A and B are different objects and it is not the case that A is 'p'."]),
        ("(not (> (f ?a) 2))",
         [f"I can only {GO} if it is not the case that (the value of 'f' for A is more than 2)."]),
        ("(imply (p ?a) (and (r) (not (q ?b))))",
         [f"I can only {GO} if it is the case that if (A is 'p') then (('r' holds) and (it is not the case that "
          "B is 'q'))."]),
        ("(forall (?x - place) (exists (?y - place ?z - truck) (or (p ?y) (= ?x ?y) (= ?z ?a))))",
         [f"I can only {GO} if it is the case that for every place C, (there is a place D and a truck E such that "
          "((D is 'p') or (C and D are the same object) or (E and A are the same object)))."]),
        # a letter means one thing in a sentence
        ("(imply (exists (?x - place) (p ?x)) (or (forall (?x - place) (q ?x)) (exists (?y - truck) (q ?y))))",
         [f"I can only {GO} if it is the case that if (there is a place C such that (C is 'p')) then "
          "((for every place D, (D is 'q')) or (there is a truck E such that (E is 'q')))."]),
        ("(and (or) (r))",
         [f"I can only {GO} if it is the case that 'r' holds.",
          f"I can never {GO}."]),
        ("(exists (?a - place) (p ?a))",
         [f"I can only {GO} if it is the case that there is a place C such that (C is 'p')."]),
    ],
)  # fmt: skip
def test_conditions(precondition: str, sentences: list[str]) -> None:
    assert lines(precondition)[: len(sentences)] == sentences


@pytest.mark.parametrize(
    ("effect", "sentences"),
    [
        ("()", ["nothing changes."]),
        ("(and (p ?a) (not (q ?b)) (r))",
         ["it is the case that A is 'p' and 'r' holds.", "it is not the case anymore that B is 'q'."]),
        ("(and (increase (g) 1) (decrease (f ?a) (f ?b)) (assign (f ?b) 0.5))",
         ["the value of 'g' increases by 1 and the value of 'f' for A decreases by the value of 'f' for B "
          "and the value of 'f' for B becomes 0.5."]),
        ("(and (scale-up (g) 2) (scale-down (f ?a) (g)))",
         ["the value of 'g' is multiplied by 2 and the value of 'f' for A is divided by the value of 'g'."]),
        ("(when (and (p ?a) (not (q ?b))) (not (p ?a)))",
         ["if just before it was the case that A is 'p' and it was not the case that B is 'q', "
          "it is not the case anymore that A is 'p'."]),
        ("(when (not (or (r) (p ?a))) (r))",
         ["if just before it was not the case that (('r' holds) or (A is 'p')), it is the case that 'r' holds."]),
        ("(when (and (not (= ?a ?b)) (p ?a)) (p ?b))",
         ["if A and B are different objects and just before it was the case that A is 'p', "
          "it is the case that B is 'p'."]),
        ("(when (= ?a ?b) (p ?b))", ["if A and B are the same object, it is the case that B is 'p'."]),
        ("(when (> (f ?a) (* 2 (g))) (decrease (f ?a) (g)))",
         ["if just before it was the case that the value of 'f' for A is more than (2 times the value of 'g'), "
          "the value of 'f' for A decreases by the value of 'g'."]),
        ("(when (and) (r))", ["it is the case that 'r' holds."]),
        # letters of a condition are not used again behind it
        ("(when (exists (?x - place) (p ?x)) (forall (?x - place) (when (q ?x) (not (p ?x)))))",
         ["if just before it was the case that (there is a place C such that (C is 'p')), for every place D, "
          "if just before it was the case that D is 'q', it is not the case anymore that D is 'p'."]),
        # what is deleted and added stays the case
        ("(and (not (p ?a)) (p ?a) (not (q ?a)))",
         ["it is the case that A is 'p'.", "it is not the case anymore that A is 'q'."]),
        ("(and (p ?a) (p ?a))", ["it is the case that A is 'p'."]),
        ("(forall (?x ?y - place) (and (p ?x) (not (q ?y))))",
         ["for every place C and every place D, it is the case that C is 'p'.",
          "for every place C and every place D, it is not the case anymore that D is 'q'."]),
    ],
)  # fmt: skip
def test_effects(effect: str, sentences: list[str]) -> None:
    assert lines(effect=effect)[1:] == [f"Once I {GO}, {sentence}" for sentence in sentences]


def test_facts_that_are_never_told_are_left_out_unless_the_logic_would_change() -> None:
    told = lines("(and (p ?a) (q ?b) (imply (p ?a) (r)))", "(and (p ?a) (not (q ?a)))", silent="p")
    assert told == [
        f"I can only {GO} if it is the case that B is 'q'.",
        f"I can only {GO} if it is the case that if (A is 'p') then ('r' holds).",
        f"Once I {GO}, it is not the case anymore that A is 'q'.",
    ]


@pytest.mark.parametrize(
    ("text", "listed", "clause"),
    [
        ("send {?a}, which follows {?b}", "send a truck A, which follows a truck B",
         "send a truck A, which follows a truck B,"),
        ("send {?a}, away from {?b}, off", "send a truck A, away from a truck B, off",
         "send a truck A, away from a truck B, off,"),
        ("send {?a}, and {?b}", "send a truck A, and a truck B", "send a truck A, and a truck B"),
        ("send {?a} after {?b} now", "send a truck A after a truck B now", "send a truck A after a truck B now"),
    ],
)  # fmt: skip
def test_a_clause_that_a_comma_opens_is_closed(text: str, listed: str, clause: str) -> None:
    domain = parse_domain(
        "(define (domain d) (:requirements :typing) (:types truck) (:predicates (r))"
        "(:action go :parameters (?a ?b - truck) :precondition (r) :effect (not (r))))"
    )
    data = template_wording(domain).to_json()
    data["actions"] = {"go": {"parameters": ["?a", "?b"], "text": text}}
    told = compose_domain(Phrases(wording_from_json(data, domain), domain)).splitlines()
    assert told[1] == listed
    assert told[4] == f"I can only {clause} if it is the case that 'r' holds."
    assert told[7] == f"Once I {clause.removesuffix(',')}, it is not the case anymore that 'r' holds."


def test_derived_facts() -> None:
    domain = parse_domain(
        "(define (domain d) (:requirements :typing :derived-predicates :disjunctive-preconditions) (:types truck)"
        "(:constants t - truck) (:predicates (p ?x - truck) (q ?x - truck) (r))"
        "(:derived (p ?x - truck) (and (q ?x) (r))) (:derived (p ?x - truck) (and)) (:derived (r) (or (q t)))"
        "(:derived (q ?x - truck) (and (exists (?y - truck) (p ?y)) (exists (?y - truck) (q ?y)))))"
    )
    assert compose_domain(Phrases(template_wording(domain), domain)).splitlines()[:5] == [
        "Some facts follow from others, and hold only then:",
        "For every truck A, it is the case that A is 'p' whenever A is 'q' and 'r' holds.",
        "For every truck A, it is always the case that A is 'p'.",
        "It is the case that 'r' holds whenever t is 'q'.",
        "For every truck A, it is the case that A is 'q' whenever (there is a truck B such that (B is 'p')) and "
        "(there is a truck C such that (C is 'q')).",
    ]


def test_letters_are_not_the_names_of_constants() -> None:
    assert lines("(p a)", constants="a - truck")[0] == (
        "I can only send a truck B after a truck C if it is the case that a is 'p'."
    )


@pytest.mark.parametrize(("part", "construct"), [("(:functions (where) - truck)", r"an object fluent \('where'\)")])
def test_what_has_no_words_is_refused_by_name(part: str, construct: str) -> None:
    domain = parse_domain(
        "(define (domain d) (:requirements :typing :constraints :fluents :object-fluents) (:types truck) "
        f"(:predicates (p)) {part})"
    )
    with pytest.raises(UnsupportedError, match=f"{construct} in the domain 'd' cannot be told"):
        compose_domain(Phrases(template_wording(domain), domain))


HAUL = """(define (domain haul) (:requirements :typing :negative-preconditions)
    (:types truck place) (:predicates (at ?x ?y) (road ?x ?y) (free ?x) (broken ?x))
    (:action drive :parameters (?t - truck ?a ?b - place) :precondition (and (at ?t ?a) {})
             :effect (and (not (at ?t ?a)) (not (broken ?t)) (at ?t ?b) (free ?a))))"""


@pytest.mark.parametrize(
    ("condition", "may_be_same"),
    [
        ("", True),
        ("(not (= ?a ?b))", False),
        # Two places with a road between them are two places; so are a place that is free and the truck's own.
        ("(road ?a ?b)", False),
        ("(free ?b)", False),
        ("(road ?b ?t)", True),
    ],
)
def test_a_deleted_fact_that_may_be_added_too_is_told_with_its_exception(condition: str, may_be_same: bool) -> None:
    domain = parse_domain(HAUL.format(condition))
    text = compose_domain(Phrases(template_wording(domain), domain))
    gone = [line for line in text.splitlines() if "anymore" in line]
    drive = "Once I apply the action 'drive' to a truck A, a place B, and a place C, it is not the case anymore that "
    if may_be_same:
        broken, unless = "A is 'broken'.", "A and B are in relation 'at', unless B and C are the same object."
        assert gone == [drive + broken, drive + unless]
    else:
        both = "A and B are in relation 'at' and it is not the case anymore that A is 'broken'."
        assert gone == [drive + both]


def test_letters_come_in_the_order_of_the_sentence() -> None:
    domain = parse_domain(HAUL.format(""))
    data = template_wording(domain).to_json()
    actions = data["actions"]
    assert isinstance(actions, dict)
    actions["drive"] = {"parameters": ["?t", "?a", "?b"], "text": "drive to {?b} with {?t}, away from {?a}"}
    text = compose_domain(Phrases(wording_from_json(data, domain), domain))
    assert "\ndrive to a place A with a truck B, away from a place C\n" in text
    assert "it is the case that B and A are in relation 'at' and C is 'free'." in text


def told_alike(precondition: str, other: str, effect: str, kind: str = "action") -> list[str]:
    """The sentences about two actions, up and down, that the wording says alike."""
    start, name = ("at start ", "condition") if kind == "durative-action" else ("", "precondition")
    actions = "".join(
        f"(:{kind} go-{way} :parameters (?a ?b - floor) {':duration (= ?duration 1)' if start else ''} :{name} "
        f"{f'({start}{asked})' if start else asked} :effect {f'(at end {done})' if start else done})"
        for way, asked, done in (("up", precondition, "(in ?b)"), ("down", other, effect))
    )
    domain = parse_domain(
        "(define (domain d) (:requirements :adl :durative-actions) (:types floor) (:predicates (in ?f - floor) (lit) "
        f"(above ?f ?g - floor)) {actions})"
    )
    data = template_wording(domain).to_json()
    data["predicates"] = {
        "in": {"parameters": ["?f"], "text": "I am in {?f}"},
        "lit": {"parameters": [], "text": "there is light"},
        "above": {"parameters": ["?f", "?g"], "text": "{?f} is above {?g}"},
    }
    data["actions"] = {
        f"go-{way}": {"parameters": ["?a", "?b"], "text": "go from {?a} to {?b}"} for way in ("up", "down")
    }
    text = compose_domain(Phrases(wording_from_json(data, domain), domain))
    return [line for line in text.splitlines() if not line.startswith(("These", "Each")) and line]


ROUTE = "go from a floor A to a floor B"
EITHER = f"I can only {ROUTE} if it is the case that (B is above A) or (A is above B)."


def test_two_actions_of_one_text_have_one_rule() -> None:
    """Told apart, each of the two sentences "I can only …" would forbid what the other one allows."""
    up, down = "(and (in ?a) (above ?b ?a))", "(and (above ?a ?b) (in ?a))"
    assert told_alike(up, down, "(in ?b)") == [
        ROUTE,
        f"I can only {ROUTE} if it is the case that I am in A.",
        EITHER,
        f"Once I {ROUTE}, it is the case that I am in B.",
    ]
    assert told_alike("(above ?b ?a)", "(above ?a ?b)", "(and (in ?b) (not (lit)))") == [
        ROUTE,
        EITHER,
        f"Once I {ROUTE}, it is the case that I am in B.",
        f"Once I {ROUTE}, if just before it was the case that A is above B, it is not the case anymore that there is "
        "light.",
    ]


def test_two_actions_of_one_text_that_no_rule_covers_are_told_with_their_names() -> None:
    """Nothing says when the second one's effect comes; and timed actions have a rule for each point in time."""
    assert told_alike("(in ?a)", "()", "(lit)") == [
        f"{ROUTE} by 'go-up'",
        f"{ROUTE} by 'go-down'",
        f"I can only {ROUTE} by 'go-up' if it is the case that I am in A.",
        f"I can always {ROUTE} by 'go-down'.",
        f"Once I {ROUTE} by 'go-up', it is the case that I am in B.",
        f"Once I {ROUTE} by 'go-down', it is the case that there is light.",
    ]
    assert told_alike("(in ?a)", "(lit)", "(in ?b)", "durative-action")[:2] == [
        f"{ROUTE} by 'go-up'",
        f"{ROUTE} by 'go-down'",
    ]


def test_a_denied_fact_that_ends_is_told_without_two_negations() -> None:
    domain = parse_domain(
        "(define (domain d) (:predicates (absent ?x) (off ?x) (on ?x))"
        "(:action make :parameters (?x) :effect (and (not (absent ?x)) (not (off ?x)))))"
    )
    data = template_wording(domain).to_json()
    texts = {"absent": "{?x} does not exist", "off": "{?x} is not on", "on": "{?x} is on"}
    data["predicates"] = {name: {"parameters": ["?x"], "text": text} for name, text in texts.items()}
    text = compose_domain(Phrases(wording_from_json(data, domain), domain))
    # That something is on is a fact of its own, which this action does not add.
    assert text.endswith(
        "Once I apply the action 'make' to an object A, A exists and it is not the case anymore that A is not on."
    )


def test_a_duration_of_0_is_not_told() -> None:
    domain = parse_domain(
        "(define (domain d) (:requirements :durative-actions) (:predicates (p)) (:durative-action go :parameters () "
        ":duration (= ?duration 0) :condition () :effect (at end (p))))"
    )
    assert "It takes" not in compose_domain(Phrases(template_wording(domain), domain))


# ── clauses and articles ──────────────────────────────────────────────────────────────────────────


A = "truck block unit user utility university union uniform unicycle ubiquitous European ewe one one-way once hub house"


def generic(text: str, nouns: dict[str, str], known: tuple[str, ...] = ()) -> str:
    parameters = tuple(nouns)
    said = list("ABCDEFGH")[: len(parameters)]
    return generic_action(split_text(text, parameters), said, list(nouns.values()), frozenset(known))[0]


@pytest.mark.parametrize(
    ("text", "nouns", "told"),
    [
        ("stack {?x} on {?y}", {"?x": "block", "?y": "block"}, "stack a block A on a block B"),
        ("drive truck {?t} from {?f} to {?l}", {"?t": "truck", "?f": "location", "?l": "location"},
         "drive a truck A from a location B to a location C"),
        ("fly the airplane {?a} to {?f}", {"?a": "airplane", "?f": "airport"}, "fly an airplane A to an airport B"),
        ("drop {?y} with {?x}", {"?x": "hoist", "?y": "crate"}, "drop a crate B with a hoist A"),
        ("lift hoist {?x} to lift {?y}", {"?x": "hoist", "?y": "crate"}, "lift a hoist A to lift a crate B"),
        ("wait an hour {?h} at place {?p}", {"?h": "object", "?p": "object"}, "wait an hour A at a place B"),
        ("move {?x} until {?x} rests", {"?x": "car"}, "move a car A until A rests"),
        ("tidy its drawer {?d}", {"?d": "drawer"}, "tidy its drawer A"),
        ("send soil data {?d} to {?l}", {"?d": "data", "?l": "lander"}, "send soil data A to a lander B"),
        ("apply the action 'go' to object {?x}, place {?y}, and place {?z}",
         {"?x": "object", "?y": "place", "?z": "place"},
         "apply the action 'go' to an object A, a place B, and a place C"),
        ("mix {?x} to produce dough {?y}", {"?x": "flour", "?y": "dough"}, "mix flour A to produce dough B"),
        ("move {?x} and update unit {?y}", {"?x": "car", "?y": "unit"}, "move a car A and update a unit B"),
        ("save {?x}, old size {?y}, and new size {?z}", {"?x": "file", "?y": "size", "?z": "size"},
         "save a file A, an old size B, and a new size C"),
        ("at {?p}, take {?c}", {"?c": "crate", "?p": "place"}, "at a place B, take a crate A"),
        ("use {?u}", {"?u": "unit"}, "use a unit A"),
        ("have {?b} take {?t}, which holds {?d}", {"?b": "baker", "?t": "tray", "?d": "dough"},
         "have a baker A take a tray B, which holds dough C"),
        ("get {?x} with {?g}", {"?x": "chips", "?g": "gas"}, "get chips A with a gas B"),
        ("move the boxes {?b} by bus {?u}", {"?b": "box", "?u": "bus"}, "move boxes A by a bus B"),
        ("go from {?x} to {?y}", {"?x": "pos", "?y": "axis"}, "go from a pos A to an axis B"),
        ("bake {?d} in unit of time {?t}", {"?d": "batch of dough", "?t": "unit of time"},
         "bake a batch of dough A in a unit of time B"),
    ],
)  # fmt: skip
def test_generic_action(text: str, nouns: dict[str, str], told: str) -> None:
    assert generic(text, nouns) == told


@pytest.mark.parametrize(
    ("text", "nouns", "told"),
    [
        ("empty shaker {?s} containing cocktail {?c}", {"?s": "shaker", "?c": "cocktail"},
         "empty a shaker A containing a cocktail B"),
        ("fly from planet {?p} orbiting planet {?q}", {"?p": "planet", "?q": "planet"},
         "fly from a planet A orbiting a planet B"),
        # A word behind a variable is a deed, also if the domain's names have it.
        ("hit location {?a} attacking location {?b}", {"?a": "location", "?b": "location"},
         "hit a location A attacking a location B"),
        ("start moving card card {?c}", {"?c": "card"}, "start moving a card A"),
        ("load {?t}, leaving room {?r} empty", {"?t": "truck", "?r": "room"}, "load a truck A, leaving a room B empty"),
        ("drive {?t} with remaining fuel {?f}", {"?t": "truck", "?f": "fuel"}, "drive a truck A with remaining fuel B"),
        ("move to parking spot {?p}", {"?p": "spot"}, "move to a parking spot A"),
        ("use moving belt {?b}", {"?b": "belt"}, "use a moving belt A"),
        ("use code {?c} to exfiltrate file {?f}", {"?c": "code", "?f": "file"}, "use a code A to exfiltrate a file B"),
        ("use lift {?l} to go to top floor {?f}", {"?l": "lift", "?f": "floor"}, "use a lift A to go to a top floor B"),
        ("move left {?r} with left hand {?h}", {"?r": "robot", "?h": "hand"}, "move left a robot A with a left hand B"),
    ],
)  # fmt: skip
def test_an_article_stands_before_a_noun_and_not_before_a_deed(text: str, nouns: dict[str, str], told: str) -> None:
    assert generic(text, nouns, ("planet", "card", "attacking")) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [("get popped {?x}", "get popped A"), ("get used {?x}", "get used A"), ("get seed {?x}", "get a seed A")],
)
def test_no_article_stands_before_a_participle(text: str, told: str) -> None:
    assert generic(text, {"?x": "object"}, known=("popped", "used", "seed")) == told


@pytest.mark.parametrize(
    ("noun", "told"),
    [
        ("truck", "a truck"),
        ("data", "data"),
        ("time", "a time"),
        ("gridpos", "a gridpos"),
        ("numbers", "one of the numbers"),
        ("gas", "a gas"),
        ("batch of dough", "a batch of dough"),
        ("units of time", "one of the units of time"),
        ("piece of furniture", "a piece of furniture"),
    ],
)
def test_what_something_of_a_kind_is(noun: str, told: str) -> None:
    assert one_of_kind(noun) == told


def test_generic_action_knows_which_types_its_words_show() -> None:
    parts = split_text("load object {?p} into {?t}", ("?p", "?t"))
    text, typed = generic_action(parts, ["A", "B"], ["package", "truck"], frozenset({"object"}))
    assert text == "load an object A into a truck B"
    assert typed == {1}


@pytest.mark.parametrize(
    ("text", "nouns", "told"),
    [
        # Behind "to" and "and" stands an adjective or a noun as often as a verb.
        ("send {?x} to free cell {?y}", {"?x": "card", "?y": "num"}, "send a card A to a free cell B"),
        ("move card {?x} to home card {?y}", {"?x": "card", "?y": "card"}, "move a card A to a home card B"),
        ("use {?x} to cut part {?y}", {"?x": "saw", "?y": "part"}, "use a saw A to cut a part B"),
        ("drive {?x} to {?y} and load {?z}", {"?x": "truck", "?y": "hub", "?z": "crate"},
         "drive a truck A to a hub B and load a crate C"),
        ("taste {?x} and clean tray {?y}", {"?x": "sandwich", "?y": "tray"}, "taste a sandwich A and clean tray B"),
        ("pick up key {?x} and drop key {?y}", {"?x": "key", "?y": "key"}, "pick up a key A and drop a key B"),
        ("let crane {?x} lift crate {?y}", {"?x": "crane", "?y": "crate"}, "let a crane A lift a crate B"),
        # "No" is part of a name: nobody can carry out "make no sandwich".
        ("make no gluten sandwich {?x} with no gluten bread {?y} and no gluten content {?z}",
         {"?x": "sandwich", "?y": "bread", "?z": "content"},
         "make a no gluten sandwich A with a no gluten bread B and a no gluten content C"),
    ],
)  # fmt: skip
def test_no_article_stands_within_a_noun_phrase(text: str, nouns: dict[str, str], told: str) -> None:
    assert generic(text, nouns) == told

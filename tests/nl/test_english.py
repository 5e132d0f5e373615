from __future__ import annotations

import pytest

from pddl2nl.nl.wording.english import closed_clause, generic_action, one_of_kind
from pddl2nl.nl.wording.snippets import split_text

A = "truck block unit user utility university union uniform unicycle ubiquitous European ewe one one-way once hub house"


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("load a into b", "load a into b"),
        ("unload a from b, which is at c", "unload a from b, which is at c,"),
        ("mix a, b, and c", "mix a, b, and c"),
        ("take a, if it is b, and leave", "take a, if it is b, and leave"),
    ],
)
def test_a_clause_that_a_comma_opens_is_closed(text: str, closed: str) -> None:
    assert closed_clause(text) == closed


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

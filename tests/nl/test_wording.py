from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.nl import Teller, make_names, read_objects
from pddl2nl.nl.wording.english import with_article
from pddl2nl.nl.wording.files import load_wording, save_wording, wording_from_json
from pddl2nl.nl.wording.review import wording_warnings
from pddl2nl.nl.wording.snippets import WordingError
from pddl2nl.pddl import parse_task
from pddl2nl.pddl.tree import ActionSchema, Domain, Function, Predicate, TypedName

X, Y, Z = TypedName("?x"), TypedName("?y"), TypedName("?z")
DOMAIN = Domain(
    name="toy",
    types=(TypedName("truck"), TypedName("crate")),
    predicates=(Predicate("on", (X, Y)), Predicate("clear", (X,)), Predicate("free"), Predicate("kind", (X,))),
    functions=(Function("weight", (X,)),),
    actions=(ActionSchema("stack", (X, Y)), ActionSchema("wait")),
)
DATA: dict[str, Any] = {
    "format": 1,
    "domain": "toy",
    "predicates": {
        "on": {"parameters": ["?a", "?b"], "text": "{?a} is on {?b}", "negated": "{?a} is not on {?b}"},
        "clear": {"parameters": ["?x"], "text": "nothing is on {?x}"},
        "free": {"parameters": [], "text": "the hand is free"},
        "kind": {"parameters": ["?x"], "text": None},
    },
    "actions": {
        "stack": {"parameters": ["?x", "?y"], "text": "put on {?y} the block {?x}, so that {?x} stands"},
        "wait": {"parameters": [], "text": "wait"},
    },
    "types": {"truck": "lorry"},
    "functions": {"weight": {"parameters": ["?x"], "text": "the weight of {?x}"}},
    "source": {"method": "hand", "model": None},
}


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    data = copy.deepcopy(DATA)
    change(data)
    return data


def test_a_snippet_fills_its_parameters_in_text_order() -> None:
    wording = wording_from_json(DATA, DOMAIN)
    assert wording.actions["stack"].fill(["a", "b"]) == "put on b the block a, so that a stands"
    assert wording.actions["stack"].parts == ("put on ", 1, " the block ", 0, ", so that ", 0, " stands")
    assert wording.predicates["on"].negated_parts == (0, " is not on ", 1)
    assert wording.predicates["kind"].text is None
    assert wording.type_word("truck") == "lorry"
    assert wording.type_word("crate") == "crate"


def test_saved_and_loaded_wordings_are_equal(tmp_path: Path) -> None:
    objects = {"a": "red", "l": "location_{}_{}"}
    wording = wording_from_json({**DATA, "domain_text": "Blocks – and\ntrucks.", "objects": objects}, DOMAIN)
    assert wording.objects == objects
    save_wording(wording, tmp_path / "w.json")
    assert load_wording(tmp_path / "w.json", DOMAIN) == wording
    assert wording_from_json(wording.to_json(), DOMAIN) == wording
    assert wording_from_json(DATA, DOMAIN).to_json() == DATA


def test_functions_without_an_entry_get_the_template() -> None:
    wording = wording_from_json(changed(lambda d: d.pop("functions")), DOMAIN)
    assert wording.functions["weight"].text == "the value of 'weight' for {?x}"


REFUSALS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "lacks a parameter": (
        lambda d: d["predicates"]["on"].update(text="{?a} is on something"),
        "predicates → on → text: lacks {?b}",
    ),
    "negated lacks a parameter": (
        lambda d: d["predicates"]["on"].update(negated="{?a} is nowhere"),
        "predicates → on → negated: lacks {?b}",
    ),
    "foreign parameter": (
        lambda d: d["actions"]["stack"].update(text="put {?x} on {?yy} {?y}"),
        "actions → stack → text: has {?yy}, which is no parameter of it; did you mean '?y'?",
    ),
    "stray brace": (lambda d: d["actions"]["wait"].update(text="wait}"), "actions → wait → text: has a brace without"),
    "glued parameters": (
        lambda d: d["predicates"]["on"].update(text="on {?a}{?b}"),
        "predicates → on → text: has {?a} touching another",
    ),
    "glued word": (
        lambda d: d["predicates"]["clear"].update(text="{?x}s are clear"),
        "predicates → clear → text: has {?x} touching",
    ),
    "only a parameter": (
        lambda d: d["predicates"]["clear"].update(text="{?x}"),
        "predicates → clear → text: has no words of its own",
    ),
    "variable outside braces": (
        lambda d: d["actions"]["stack"].update(text="put {?x} on {?y} for ?z"),
        "actions → stack → text: has ?z outside braces",
    ),
    "PDDL": (lambda d: d["actions"]["stack"].update(text="(put {?x} {?y})"), "actions → stack → text: is PDDL"),
    "negated PDDL": (
        lambda d: d["predicates"]["on"].update(negated="(not (on {?a} {?b}))"),
        "predicates → on → negated: is PDDL",
    ),
    "unseen characters": (
        lambda d: d["actions"]["wait"].update(text="wait\u200b a\u0000 bit"),
        "actions → wait → text: holds characters that cannot be seen (U+0000, U+200B)",
    ),
    "no text": (lambda d: d["predicates"]["on"].pop("text"), "predicates → on: lacks 'text'"),
    "no format": (lambda d: d.pop("format"), "is no wording: it lacks 'format'"),
    "format no number": (lambda d: d.update(format=True), "format: is True, this version reads format 1"),
    "null for an object": (lambda d: d.update(actions=None), "actions: must be an object in braces, found nothing"),
    "empty": (lambda d: d["predicates"]["free"].update(text="  "), "predicates → free → text: is empty"),
    "not a text": (lambda d: d["predicates"]["free"].update(text=3), "predicates → free → text: must be a text"),
    "missing predicate": (lambda d: d["predicates"].pop("free"), "predicates: lacks an entry for 'free'"),
    "missing action": (lambda d: d["actions"].pop("wait"), "actions: lacks an entry for 'wait'"),
    "unknown predicate": (
        lambda d: d["predicates"].update(cleer={"parameters": ["?x"], "text": "{?x} is clear"}),
        "predicates → cleer: the domain has none of this name; did you mean 'clear'?",
    ),
    "arity": (
        lambda d: d["predicates"]["on"].update(parameters=["?a"]),
        "predicates → on → parameters: has 1, the domain declares 2",
    ),
    "parameters no list": (
        lambda d: d["predicates"]["on"].update(parameters="?a ?b"),
        "predicates → on → parameters: must be a list",
    ),
    "parameter twice": (
        lambda d: d["predicates"]["on"].update(parameters=["?a", "?a"]),
        "predicates → on → parameters: names a variable twice",
    ),
    "no variable": (
        lambda d: d["predicates"]["clear"].update(parameters=["x"], text="{x} is clear"),
        "predicates → clear → parameters: 'x' is no variable",
    ),
    "action without text": (
        lambda d: d["actions"]["wait"].update(text=None),
        "actions → wait → text: an action must have a text",
    ),
    "negated as text": (
        lambda d: d["predicates"]["on"].update(negated="{?a} is on {?b}"),
        "predicates → on → negated: says the same",
    ),
    "unknown type": (
        lambda d: d["types"].update(truk="lorry"),
        "types → truk: the domain has no such type; did you mean 'truck'?",
    ),
    "two types, one word": (lambda d: d["types"].update(crate="Lorry"), "types → crate: is said 'lorry'"),
    "format": (lambda d: d.update(format=2), "format: is 2, this version reads format 1"),
    "unknown key": (lambda d: d.update(action={}), "action: is no part of a wording; did you mean 'actions'?"),
    "unknown key of a snippet": (
        lambda d: d["predicates"]["on"].update(neg="x"),
        "predicates → on → neg: is no part of a snippet",
    ),
    "names of objects no mapping": (lambda d: d.update(objects=["red"]), "objects: must be an object in braces"),
    "name with a blank": (lambda d: d.update(objects={"a": "red block"}), "objects → a: 'red block' must be a name"),
    "name twice": (lambda d: d.update(objects={"a": "red", "b": "Red"}), "objects → b: is called 'Red', as is 'a'"),
    "name with a stray brace": (lambda d: d.update(objects={"a": "red{x}"}), "objects → a: holds a brace"),
    "name with glued numbers": (lambda d: d.update(objects={"a": "l{}{}"}), "objects → a: 'l{}{}' has a number that"),
    "name of no object": (lambda d: d.update(objects={"a b": "red"}), "objects → a b: is no PDDL name"),
    "empty domain text": (lambda d: d.update(domain_text=" "), "domain_text: must be a text"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_breaks_the_format_is_refused_with_its_place(name: str) -> None:
    change, message = REFUSALS[name]
    with pytest.raises(WordingError) as caught:
        wording_from_json(changed(change), DOMAIN, "wording.json")
    assert message in str(caught.value)
    assert str(caught.value).startswith("wording.json")


def test_files_that_are_no_wording(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        load_wording(tmp_path / "none.json", DOMAIN)
    (tmp_path / "w.json").write_text("{")
    with pytest.raises(InputError, match="is not JSON"):
        load_wording(tmp_path / "w.json", DOMAIN)
    (tmp_path / "w.json").write_text(json.dumps([1]))
    with pytest.raises(WordingError, match=r"w\.json: must be an object"):
        load_wording(tmp_path / "w.json", DOMAIN)


def test_a_key_that_stands_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "w.json").write_text('{"format": 1, "actions": {"wait": {}, "wait": {}}}')
    with pytest.raises(WordingError, match=r"w\.json → wait: stands twice"):
        load_wording(tmp_path / "w.json", DOMAIN)


def test_texts_that_cannot_be_told_apart_are_warned_of() -> None:
    twin = Domain("twin", types=(TypedName("truck"), TypedName("crate")), actions=(
        ActionSchema("go", (TypedName("?t", ("truck",)),)),
        ActionSchema("run", (TypedName("?t", ("truck",)),)),
        ActionSchema("roll", (TypedName("?c", ("crate",)),)),
    ))  # fmt: skip
    snippets = {name: {"parameters": ["?t"], "text": "move {?t}"} for name in ("go", "run", "roll")}
    wording = wording_from_json({"format": 1, "domain": "twin", "actions": snippets}, twin)
    assert wording_warnings(wording, twin) == (
        "the actions 'go' and 'run' cannot be told apart: both are said 'move {}'",
    )


def test_parameters_in_another_order_are_warned_of() -> None:
    exchanged = changed(lambda d: d["actions"]["stack"].update(parameters=["?y", "?x"]))
    assert wording_warnings(wording_from_json(exchanged, DOMAIN), DOMAIN) == (
        "the action 'stack' has the parameters ?y, ?x, and the domain's are ?x, ?y: they are taken by their places, "
        "not by their names",
    )
    assert wording_warnings(wording_from_json(DATA, DOMAIN), DOMAIN) == ()


@pytest.mark.parametrize("text", ["Finished", "look around", "Thought: wait", "[PLAN END]"])
def test_actions_said_as_a_tag_is_are_warned_of(text: str) -> None:
    found = wording_from_json(changed(lambda d: d["actions"]["wait"].update(text=text)), DOMAIN)
    assert wording_warnings(found, DOMAIN) == (
        f"the action 'wait' is said '{text}', which means something else in a model's reply",
    )


def test_a_wording_of_another_domain_is_warned_of() -> None:
    wording = wording_from_json({**DATA, "domain": "other"}, DOMAIN)
    assert wording_warnings(wording, DOMAIN) == ("the wording was made for the domain 'other', not for 'toy'",)


@pytest.mark.parametrize(
    ("text", "thing", "told"),
    [("is an object", "is a thing", "thing_0"), ("is an obj", None, "thing_0"), ("is heavy", None, "object_0")],
)
def test_a_type_is_not_said_as_a_predicate_is(text: str, thing: str | None, told: str) -> None:
    """Driverlog: "object_0 is not an object" must not contradict the list of objects."""
    task = parse_task(
        "(define (domain d) (:predicates (obj ?x) (thing ?x)) (:action go :parameters (?x) :precondition (obj ?x)))",
        "(define (problem p) (:domain d) (:objects a b) (:init (obj b)) (:goal (obj a)))",
    )
    predicates = {"obj": text, "thing": thing or "is red"}
    data = {
        "format": 1,
        "predicates": {name: {"parameters": ["?x"], "text": f"{{?x}} {said}"} for name, said in predicates.items()},
        "actions": {"go": {"parameters": ["?x"], "text": "move {?x}"}},
    }
    wording = wording_from_json(data, task.domain)
    if thing is not None:
        told = "item_0"
    names = make_names(task, "typed", wording)
    teller = Teller(task, wording, names)
    assert names.to_nl["a"] == told
    word = told.removesuffix("_0")
    assert teller.objects_text().endswith(f"Each of {word}_0 and {word}_1 is {with_article(word)}.")
    assert read_objects(teller.objects_text(), task.domain, wording).keys() == {f"{word}_0", f"{word}_1"}

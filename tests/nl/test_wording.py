from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.nl import Teller, make_names, read_objects
from pddl2nl.nl.wording.english import with_article
from pddl2nl.nl.wording.files import load_wording, save_wording, wording_from_json
from pddl2nl.nl.wording.review import wording_warnings
from pddl2nl.nl.wording.snippets import WordingError, check_wording
from pddl2nl.nl.wording.template import template_wording
from pddl2nl.pddl import parse_domain, parse_task
from pddl2nl.pddl.tree import ActionSchema, Domain, Function, Predicate, TypedName
from tests.editing import edited

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
    wording = wording_from_json(edited(DATA, "functions", ...), DOMAIN)
    assert wording.functions["weight"].text == "the value of 'weight' for {?x}"


REFUSALS: list[tuple[str, Any, str]] = [
    ("predicates.on.text", "{?a} is on something", "predicates → on → text: lacks {?b}"),
    ("predicates.on.negated", "{?a} is nowhere", "predicates → on → negated: lacks {?b}"),
    (
        "actions.stack.text",
        "put {?x} on {?yy} {?y}",
        "actions → stack → text: has {?yy}, which is no parameter of it; did you mean '?y'?",
    ),
    ("actions.wait.text", "wait}", "actions → wait → text: has a brace without"),
    ("predicates.on.text", "on {?a}{?b}", "predicates → on → text: has {?a} touching another"),
    ("predicates.clear.text", "{?x}s are clear", "predicates → clear → text: has {?x} touching"),
    ("predicates.clear.text", "{?x}", "predicates → clear → text: has no words of its own"),
    ("actions.stack.text", "put {?x} on {?y} for ?z", "actions → stack → text: has ?z outside braces"),
    ("actions.stack.text", "(put {?x} {?y})", "actions → stack → text: is PDDL"),
    ("predicates.on.negated", "(not (on {?a} {?b}))", "predicates → on → negated: is PDDL"),
    (
        "actions.wait.text",
        "wait\u200b a\u0000 bit",
        "actions → wait → text: holds characters that cannot be seen (U+0000, U+200B)",
    ),
    ("predicates.on.text", ..., "predicates → on: lacks 'text'"),
    ("format", ..., "is no wording: it lacks 'format'"),
    ("format", True, "format: is True, this version reads format 1"),
    ("actions", None, "actions: must be an object in braces, found nothing"),
    ("predicates.free.text", "  ", "predicates → free → text: is empty"),
    ("predicates.free.text", 3, "predicates → free → text: must be a text"),
    ("predicates.free", ..., "predicates: lacks an entry for 'free'"),
    ("actions.wait", ..., "actions: lacks an entry for 'wait'"),
    (
        "predicates.cleer",
        {"parameters": ["?x"], "text": "{?x} is clear"},
        "predicates → cleer: the domain has none of this name; did you mean 'clear'?",
    ),
    ("predicates.on.parameters", ["?a"], "predicates → on → parameters: has 1, the domain declares 2"),
    ("predicates.on.parameters", "?a ?b", "predicates → on → parameters: must be a list"),
    ("predicates.on.parameters", ["?a", "?a"], "predicates → on → parameters: names a variable twice"),
    (
        "predicates.clear",
        {"parameters": ["x"], "text": "{x} is clear"},
        "predicates → clear → parameters: 'x' is no variable",
    ),
    ("actions.wait.text", None, "actions → wait → text: an action must have a text"),
    ("predicates.on.negated", "{?a} is on {?b}", "predicates → on → negated: says the same"),
    ("types.truk", "lorry", "types → truk: the domain has no such type; did you mean 'truck'?"),
    ("types.crate", "Lorry", "types → crate: is said 'lorry'"),
    ("format", 2, "format: is 2, this version reads format 1"),
    ("action", {}, "action: is no part of a wording; did you mean 'actions'?"),
    ("predicates.on.neg", "x", "predicates → on → neg: is no part of a snippet"),
    ("objects", ["red"], "objects: must be an object in braces"),
    ("objects", {"a": "red block"}, "objects → a: 'red block' must be a name"),
    ("objects", {"a": "red", "b": "Red"}, "objects → b: is called 'Red', as is 'a'"),
    ("objects", {"a": "red{x}"}, "objects → a: holds a brace"),
    ("objects", {"a": "l{}{}"}, "objects → a: 'l{}{}' has a number that"),
    ("objects", {"a b": "red"}, "objects → a b: is no PDDL name"),
    ("domain_text", " ", "domain_text: must be a text"),
]


@pytest.mark.parametrize(("path", "value", "message"), REFUSALS)
def test_what_breaks_the_format_is_refused_with_its_place(path: str, value: Any, message: str) -> None:
    with pytest.raises(WordingError) as caught:
        wording_from_json(edited(DATA, path, value), DOMAIN, "wording.json")
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
    exchanged = edited(DATA, "actions.stack.parameters", ["?y", "?x"])
    assert wording_warnings(wording_from_json(exchanged, DOMAIN), DOMAIN) == (
        "the action 'stack' has the parameters ?y, ?x, and the domain's are ?x, ?y: they are taken by their places, "
        "not by their names",
    )
    assert wording_warnings(wording_from_json(DATA, DOMAIN), DOMAIN) == ()


@pytest.mark.parametrize("text", ["Finished", "look around", "Thought: wait", "[PLAN END]"])
def test_actions_said_as_a_tag_is_are_warned_of(text: str) -> None:
    found = wording_from_json(edited(DATA, "actions.wait.text", text), DOMAIN)
    assert wording_warnings(found, DOMAIN) == (
        f"the action 'wait' is said '{text}', which means something else in a model's reply",
    )


@pytest.mark.parametrize(
    "text", ["look around", "I am finished", "I'm done.", "there is no plan", "[NO PLAN]", "finished"]
)
def test_a_predicate_that_would_end_a_run_is_warned_of(text: str) -> None:
    domain = parse_domain("(define (domain d) (:predicates (over)) (:action go :parameters () :effect (over)))")
    data = {
        "format": 1,
        "domain": "d",
        "predicates": {"over": {"parameters": [], "text": text, "negated": "it is not over"}},
        "actions": {"go": {"parameters": [], "text": "go on"}},
    }
    assert wording_warnings(wording_from_json(data, domain), domain) == (
        f"the predicate 'over' is said '{text}', which means something else in a model's reply",
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


# ── braces ────────────────────────────────────────────────────────────────────────────────────────


def test_braces_in_names_are_no_parameters() -> None:
    text = (
        "(define (domain d) (:types {t}) (:predicates ({p} ?x)) (:action {a} :parameters (?x - {t}) :effect ({p} ?x)))"
    )
    wording = template_wording(parse_domain(text))
    assert wording.actions["{a}"].parts == ("apply the action '(a)' to (t) ", 0)
    assert wording.predicates["{p}"].parts == (0, " is '(p)'")


# ── the template ──────────────────────────────────────────────────────────────────────────────────


def typed(*names: str) -> tuple[TypedName, ...]:
    """``typed("?x:truck", "?y")``"""
    found = []
    for name in names:
        variable, _, types = name.partition(":")
        found.append(TypedName(variable, tuple(types.split("|")) if types else ("object",)))
    return tuple(found)


TEMPLATE_DOMAIN = Domain(
    name="toy",
    types=typed("truck", "plane"),
    predicates=(
        Predicate("free"),
        Predicate("clear", typed("?x")),
        Predicate("on", typed("?x", "?y")),
        Predicate("link", typed("?x", "?y", "?z")),
        Predicate("truck", typed("?x")),
        Predicate("same", typed("?x", "?x")),
    ),
    functions=(Function("total-cost"), Function("length", typed("?x", "?y"))),
    actions=(
        ActionSchema("wait"),
        ActionSchema("grab", typed("?x")),
        ActionSchema("stack", typed("?x", "?y")),
        ActionSchema("drive", typed("?t:truck", "?x", "?v:truck|plane")),
    ),
)


@pytest.mark.parametrize(
    ("kind", "name", "text"),
    [
        ("predicates", "free", "'free' holds"),
        ("predicates", "clear", "{?x} is 'clear'"),
        ("predicates", "on", "{?x} and {?y} are in relation 'on'"),
        ("predicates", "link", "{?x}, {?y}, and {?z} are in relation 'link'"),
        ("predicates", "truck", "{?x} is 'truck'"),
        ("predicates", "same", "{?x1} and {?x2} are in relation 'same'"),
        ("functions", "total-cost", "the value of 'total-cost'"),
        ("functions", "length", "the value of 'length' for {?x} and {?y}"),
        ("actions", "wait", "apply the action 'wait'"),
        ("actions", "grab", "apply the action 'grab' to object {?x}"),
        ("actions", "stack", "apply the action 'stack' to object {?x} and object {?y}"),
        ("actions", "drive", "apply the action 'drive' to truck {?t}, object {?x}, and truck or plane {?v}"),
    ],
)
def test_the_templates_of_the_paper(kind: str, name: str, text: str) -> None:
    assert getattr(template_wording(TEMPLATE_DOMAIN), kind)[name].text == text


def test_the_template_is_a_wording_like_any_other() -> None:
    wording = template_wording(TEMPLATE_DOMAIN)
    assert check_wording(wording, TEMPLATE_DOMAIN) is wording
    assert wording_from_json(wording.to_json(), TEMPLATE_DOMAIN) == wording
    assert wording.source == {"method": "template"}

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pddl2nl.errors import InputError
from pddl2nl.nl import Teller, make_names, read_objects
from pddl2nl.nl.names import SCHEMES
from pddl2nl.nl.wording.english import with_article
from pddl2nl.nl.wording.files import load_wording, save_wording, wording_from_json
from pddl2nl.nl.wording.review import wording_warnings
from pddl2nl.nl.wording.snippets import Wording, WordingError, check_wording, own_name
from pddl2nl.nl.wording.template import template_wording
from pddl2nl.pddl import parse_domain, parse_task
from pddl2nl.pddl.task import Task
from pddl2nl.pddl.tree import (
    ActionSchema,
    And,
    Atom,
    Domain,
    Function,
    GroundAtom,
    Not,
    Predicate,
    Problem,
    TypedName,
    When,
)
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


# ── names of objects ──────────────────────────────────────────────────────────────────────────────


ONE = (TypedName("?x"),)


def task(objects: list[tuple[str, str]], constants: list[tuple[str, str]] = [], **rest: object) -> Task:  # noqa: B006
    kinds = dict.fromkeys(kind for _, kind in objects + constants if kind != "object")
    domain = Domain(
        name="d",
        types=tuple(TypedName(kind) for kind in kinds),
        constants=tuple(TypedName(name, (kind,)) for name, kind in constants),
    )
    return Task(domain, Problem("p", "d", objects=tuple(TypedName(name, (kind,)) for name, kind in objects)))


def test_typed_names_count_a_type_in_declaration_order() -> None:
    names = make_names(task([("t0", "truck"), ("p", "package"), ("t7", "truck"), ("x", "object")]), "typed")
    assert dict(names.to_nl) == {"t0": "truck_0", "p": "package_0", "t7": "truck_1", "x": "object_0"}
    assert names.to_pddl["truck_1"] == "t7"


def test_constants_keep_their_names_and_no_object_gets_one() -> None:
    names = make_names(task([("a", "truck"), ("b", "truck")], [("truck_0", "truck"), ("home", "depot")]), "typed")
    assert dict(names.to_nl) == {"truck_0": "truck_0", "home": "home", "a": "truck_1", "b": "truck_2"}


def test_of_several_types_the_first_counts() -> None:
    problem = Problem("p", "d", objects=(TypedName("v", ("truck", "plane")),))
    assert make_names(Task(Domain("d"), problem)).to_nl["v"] == "truck_0"


def untyped() -> Task:
    hot = Atom("hot", ("?x",))
    domain = Domain(
        "d",
        predicates=tuple(Predicate(name, ONE) for name in ("thing", "location", "airport", "hot", "wet", "lone")),
        actions=(
            ActionSchema(
                "heat", ONE, effect=And((Atom("hot", ("?x",)), When(Atom("hot", ("?x",)), Atom("wet", ("?x",)))))
            ),
            ActionSchema("cool", ONE, effect=Not(hot)),
        ),
    )
    init = ["thing a", "thing b", "thing c", "thing d", "location a", "location b", "airport b", "hot d", "wet c"]
    atoms = tuple(GroundAtom(tuple(fact.split())) for fact in init)
    return Task(domain, Problem("p", "d", objects=tuple(TypedName(name) for name in "abcde"), init=atoms))


def test_inferred_names_take_the_most_specific_static_predicate() -> None:
    names = make_names(untyped(), "inferred")
    assert dict(names.to_nl) == {"a": "location_0", "b": "airport_0", "c": "thing_0", "d": "thing_1", "e": "object_0"}


def test_inferred_is_typed_where_there_are_types() -> None:
    some = task([("a", "truck")])
    assert make_names(some, "inferred").to_nl == make_names(some, "typed").to_nl


word = st.from_regex(r"[a-c]{1,2}(_[0-2])?", fullmatch=True)


@given(
    objects=st.lists(st.tuples(word, word), unique_by=lambda pair: pair[0], max_size=12),
    constants=st.lists(st.tuples(word, word), unique_by=lambda pair: pair[0], max_size=4),
    own=st.dictionaries(word, st.one_of(word, st.sampled_from(("{}", "a_{}", "b-{}", "A", "c_{}_{}"))), max_size=4),
    scheme=st.sampled_from(sorted(SCHEMES)),
    seed=st.none() | st.integers(),
)
def test_names_are_bijections(
    objects: list[tuple[str, str]], constants: list[tuple[str, str]], own: dict[str, str], scheme: str, seed: int | None
) -> None:
    some = task(objects, constants)
    wording = worded(own)
    names = make_names(some, scheme, wording, seed)
    assert list(names.to_nl) == list(some.objects)
    assert len(set(names.to_nl.values())) == len(some.objects)
    assert {names.to_pddl[told]: told for told in names.to_nl.values()} == dict(names.to_nl)
    assert all(names.to_nl[name] == name for name, _ in constants)
    assert not any(" " in told for told in names.to_nl.values())
    assert make_names(some, scheme, wording, seed) == names
    assert scheme != "original" or all(name == told for name, told in names.to_nl.items())
    folded = {told.casefold().replace("-", "_") for told in names.to_nl.values()}
    assert all(alias.casefold().replace("-", "_") not in folded for alias in names.aliases)
    assert len(set(names.aliases.values())) == len(names.aliases)
    assert set(names.aliases.values()) <= set(some.objects)


def worded(objects: dict[str, str], **types: str) -> Wording:
    return Wording("d", {}, {}, types=types, objects=objects)


def test_the_wordings_noun_stands_for_the_type_of_all_objects() -> None:
    some = task([("x", "object"), ("t", "truck")])
    assert make_names(some, "typed", worded({}, object="Wooden block", truck="lorry")).to_nl == {
        "x": "wooden_block_0",
        "t": "truck_0",
    }
    assert make_names(some, "typed", worded({})).to_nl == {"x": "object_0", "t": "truck_0"}


def test_the_wordings_own_names_come_first() -> None:
    some = task([("a", "block"), ("l0-1", "place"), ("l2_13", "place"), ("l3", "place"), ("p", "place")])
    names = make_names(some, "typed", worded({"a": "red", "b": "blue", "l": "location_{}_{}"}))
    assert names.to_nl == {
        "a": "red", "l0-1": "location_0_1", "l2_13": "location_2_13", "l3": "place_0", "p": "place_1",
    }  # fmt: skip
    assert dict(names.aliases) == {}


def test_own_names_that_clash_fall_back_to_numbers() -> None:
    some = task([("l1-2", "place"), ("l1_2", "place"), ("a", "place"), ("b", "place")], [("red", "place")])
    names = make_names(some, "typed", worded({"l": "at_{}_{}", "a": "Red", "b": "place-0"}))
    assert names.to_nl == {"red": "red", "l1-2": "at_1_2", "l1_2": "place_1", "a": "place_2", "b": "place-0"}


def test_unused_own_names_are_aliases_where_they_clash_with_nothing() -> None:
    some = task([("a", "block"), ("b", "block"), ("c", "block"), ("red", "block"), ("x1", "block"), ("x-1", "block")])
    names = make_names(some, "original", worded({"a": "red", "b": "blue", "x": "big_{}", "d": "green"}))
    assert names.to_nl["b"] == "b"
    assert dict(names.aliases) == {"blue": "b"}
    constant = make_names(task([("a", "block")], [("b", "block")]), "typed", worded({"b": "blue"}))
    assert (dict(constant.to_nl), dict(constant.aliases)) == ({"b": "b", "a": "block_0"}, {"blue": "b"})


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("p0", "package_0"),
        ("p-7", "package_7"),
        ("p_12", "package_12"),
        ("l0-1", "location_0_1"),
        ("l0", None),
        ("p0-1", None),
        ("p", None),
        ("pa1", None),
        ("p1a", None),
        ("a", "red"),
        ("7", None),
    ],
)
def test_own_names(name: str, told: str | None) -> None:
    assert own_name({"p": "package_{}", "l": "location_{}_{}", "a": "red"}, name) == told


def test_a_seed_deals_the_numbers_of_each_type() -> None:
    objects = [(f"{kind}{index}", kind) for index in range(9) for kind in ("truck", "crate")]
    some = task(objects)
    plain, one, other = (make_names(some, "typed", seed=seed).to_nl for seed in (None, 1, 2))
    assert len({tuple(names.values()) for names in (plain, one, other)}) == 3
    assert set(one.values()) == set(other.values()) == set(plain.values())
    assert all(told.startswith(name[:-1]) for name, told in one.items())
    assert make_names(some, "typed", seed=1).to_nl == one
    assert make_names(some, "original", seed=1).to_nl == make_names(some, "original").to_nl
    # The numbers of one type do not hang on which other types there are.
    trucks = make_names(task([pair for pair in objects if pair[1] == "truck"]), "typed", seed=1).to_nl
    assert trucks == {name: told for name, told in one.items() if name.startswith("truck")}


def logistics(init: list[str]) -> Task:
    domain = Domain("d", predicates=tuple(Predicate(name, ONE) for name in ("obj", "truck", "location", "airport")))
    atoms = tuple(GroundAtom(tuple(fact.split())) for fact in init)
    objects = dict.fromkeys(atom[1] for atom in atoms)
    return Task(domain, Problem("p", "d", objects=tuple(TypedName(name) for name in objects), init=atoms))


def test_a_predicate_that_says_object_gives_way_to_any_other() -> None:
    names = make_names(logistics(["obj t", "truck t", "obj p", "obj q", "location l", "airport l"]), "inferred")
    assert names.to_nl == {"t": "truck_0", "p": "obj_0", "q": "obj_1", "l": "location_0"}
    few = make_names(logistics(["obj t", "truck t", "truck u", "truck v"]), "inferred")
    assert few.to_nl == {"t": "truck_0", "u": "truck_1", "v": "truck_2"}

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.nl import Teller, Wording, make_names
from pddl2nl.nl.telling.convert import choose_wording
from pddl2nl.nl.wording.files import load_wording, save_wording, wording_from_json
from pddl2nl.nl.wording.review import wording_warnings
from pddl2nl.nl.wording.snippets import WordingError
from pddl2nl.pddl import (
    ActionSchema,
    And,
    Atom,
    Condition,
    Domain,
    Equality,
    GroundAtom,
    Not,
    Predicate,
    Problem,
    Task,
    TypedName,
    conjuncts,
    load_domain,
)
from pddlval import GroundAction

GOLDEN = Path(__file__).parent / "golden_imports"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

CUP, SHELF, ARM = (TypedName(f"?{kind[0]}", (kind,)) for kind in ("cup", "shelf", "arm"))
DOMAIN = Domain(
    "kitchen",
    types=(TypedName("cup", ("thing",)), TypedName("shelf", ("thing",)), TypedName("arm"), TypedName("thing")),
    predicates=(
        Predicate("holds", (CUP, ARM)),
        Predicate("on", (CUP, SHELF)),
        Predicate("clean", (CUP,)),
        Predicate("day"),
    ),
    actions=(
        ActionSchema(
            "put",
            (ARM, CUP, SHELF),
            And((Atom("holds", ("?c", "?a")), Not(Atom("clean", ("?c",))))),
            And((Atom("on", ("?c", "?s")), Not(Atom("holds", ("?c", "?a"))))),
        ),
        ActionSchema("wait"),
    ),
)
PUT = "A plan: on a shelf {} use an arm {} for a cup {} and leave a cup {} there"
SAID = PUT.format("C", "A", "B", "B")
DATA: dict[str, Any] = {
    "action_mappings": {"put": "A plan: on shelf {} use arm {} for cup {} and leave cup {} there", "wait": "wait"},
    "action_mappings_indef": {"put": PUT, "wait": "wait"},
    "predicate_mappings": {"holds": "{} holds {}", "on": "{} is on {}", "clean": "{} is clean", "day": "it is day"},
    "actions": {
        "put": {
            "pddl": "(put ?a ?c ?s)",
            "description": SAID,
            "preconditions": [
                f"I can only {SAID} if it is the case that A holds B",
                f"I can only {SAID} if it is not the case that B is clean",
            ],
            "effects": [
                f"Once I {SAID}, it is the case that B is on C",
                f"Once I {SAID}, it is not the case anymore that A holds B",
            ],
        },
        "wait": {"pddl": "(wait)", "description": "wait"},
    },
    "predicates": {
        "holds": {"pddl": "(holds ?c ?a)"},
        "on": {"pddl": "(on ?c ?s)"},
        "clean": {"pddl": "(clean ?c)"},
        "day": {"pddl": "(day)"},
        "=": {"pddl": "(= ?x1 ?x2)"},
    },
    "action_nl_templates": {
        "put": "A plan: on shelf {?s} use arm {?a} for cup {?c} and leave cup {?c} there",
        "wait": "wait",
    },
    "predicate_nl_templates": {
        "holds": "{?a} holds {?c}", "on": "{?c} is on {?s}", "clean": "{?c} is clean", "day": "it is day",
        "=": "{?x1} is equal to {?x2}", "!=": "{?x1} is not equal to {?x2}",
    },
    "action_nl_templates_indef": {
        "put": "A plan: on a shelf {?s} use an arm {?a} for a cup {?c} and leave a cup {?c} there",
        "wait": "wait",
    },
}  # fmt: skip


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    data = copy.deepcopy(DATA)
    change(data)
    return data


def test_letters_give_the_order_and_the_repetition(tmp_path: Path) -> None:
    wording = wording_from_json(DATA, DOMAIN, "w.json")
    put = wording.actions["put"]
    assert put.parameters == ("?a", "?c", "?s")
    assert put.text == "A plan: on shelf {?s} use arm {?a} for cup {?c} and leave cup {?c} there"
    assert put.fill(["left", "mug", "top"]) == "A plan: on shelf top use arm left for cup mug and leave cup mug there"
    assert wording.predicates["holds"].fill(["mug", "left"]) == "left holds mug"
    assert set(wording.predicates) == {"holds", "on", "clean", "day"}
    assert wording.source == {"method": "autoplanbench", "file": "w.json"}
    assert wording_warnings(wording, DOMAIN) == ()
    save_wording(wording, tmp_path / "saved.json")
    assert load_wording(tmp_path / "saved.json", DOMAIN) == wording


def test_names_of_the_file_are_compared_without_case_and_variables_may_differ() -> None:
    def rename(data: dict[str, Any]) -> None:
        data["actions"]["Put"] = data["actions"].pop("put") | {"pddl": "(PUT ?X ?Y ?Z)"}
        data["action_nl_templates"]["PUT"] = PUT.format("{?Z}", "{?x}", "{?Y}", "{?y}")
        del data["action_nl_templates"]["put"], data["action_nl_templates_indef"]

    put = wording_from_json(changed(rename), DOMAIN).actions["put"]
    assert (put.parameters, put.text) == (("?x", "?y", "?z"), PUT.format("{?z}", "{?x}", "{?y}", "{?y}"))


def test_bare_holes_are_filled_by_the_letters() -> None:
    """What files of the first versions have; a predicate's only hole needs no variable either."""

    def older(data: dict[str, Any]) -> None:
        del data["action_nl_templates"], data["action_nl_templates_indef"], data["action_mappings_indef"]
        del data["predicate_nl_templates"]["clean"], data["predicate_nl_templates"]["day"]

    assert wording_from_json(changed(older), DOMAIN) == wording_from_json(DATA, DOMAIN)


def test_types_may_be_worded_beside_the_predicates() -> None:
    data = changed(lambda d: d["predicates"].update(cup={"pddl": "(cup ?x)"}))
    assert wording_from_json(data, DOMAIN) == wording_from_json(DATA, DOMAIN)


def test_a_file_whose_sentences_say_something_else_is_doubted() -> None:
    data = changed(lambda d: d["predicate_nl_templates"].update(holds="{?c} holds {?a}"))
    wording = wording_from_json(data, DOMAIN)
    assert wording_warnings(wording, DOMAIN) == (
        "the file's preconditions of 'put' do not say, as the domain does, 'B holds A'",
        "the file's effects of 'put' do not say, as the domain does, 'not: B holds A'",
    )


def _only_mappings(data: dict[str, Any], letters: str) -> None:
    del data["action_nl_templates"], data["action_nl_templates_indef"]
    data["actions"]["put"]["description"] = PUT.format(*letters)
    data["actions"]["put"].update(preconditions=[], effects=[])


REFUSALS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "other words": (
        lambda d: d["actions"]["put"].update(description="put a cup B on a shelf C with an arm A"),
        "actions → put → description: 'put a cup B on a shelf C with an arm A' is not what its text says, 'A plan: on",
    ),
    "other letters": (
        lambda d: d["actions"]["put"].update(description=PUT.format("A", "C", "B", "B")),
        "actions → put → description: 'A plan: on a shelf A use an arm C for",
    ),
    "a letter too few": (lambda d: _only_mappings(d, "BABB"), "actions → put → text: lacks {?s}"),
    "a letter too many": (lambda d: _only_mappings(d, "CABD"), "actions → put → text: has {D}, which is no parameter"),
    "no letter": (lambda d: _only_mappings(d, "CABx"), "and leave a cup x there' is not what its text says"),
    "sentences with other letters": (
        lambda d: d["actions"]["put"].update(
            preconditions=["I can only " + PUT.format("A", "C", "B", "B") + " if it is the case that C holds B"]
        ),
        "actions → put → preconditions: has other letters in 'A plan: on a shelf A use an arm C for",
    ),
    "no description": (
        lambda d: d["actions"]["put"].pop("description"),
        "actions → put → description: must be a text, found nothing",
    ),
    "variables against letters": (
        lambda d: d["action_nl_templates"].update(put=d["action_nl_templates"]["put"].replace("{?s}", "{?c}")),
        "is not what its text says, 'A plan: on shelf {?c} use arm {?a} for cup {?c} and leave cup {?c} there'",
    ),
    "indefinite variables against letters": (
        lambda d: d["action_nl_templates_indef"].update(put=PUT.format("{?a}", "{?s}", "{?c}", "{?c}")),
        "is not what its text says, 'A plan: on a shelf {?a} use an arm {?s}",
    ),
    "another indefinite text": (
        lambda d: d["action_mappings_indef"].update(put="put a cup {} on a shelf {} with an arm {}"),
        "is not what its text says, 'put a cup {} on a shelf {} with an arm {}'",
    ),
    "missing action": (lambda d: d["actions"].pop("wait"), "actions: lacks an entry for 'wait'"),
    "missing text": (
        lambda d: (d["action_nl_templates"].pop("put"), d["action_mappings"].pop("put")),
        "action_nl_templates: lacks an entry for 'put'",
    ),
    "unknown action": (
        lambda d: d["actions"].update(pit={}),
        "actions → pit: the domain has none of this name; did you mean 'put'?",
    ),
    "another domain": (
        lambda d: d.update(actions={"stack": {}}),
        "seed1.json: is of another domain: it has none of kitchen's actions, put, wait",
    ),
    "arity": (
        lambda d: d["predicates"]["on"].update(pddl="(on ?c)"),
        "predicates → on → parameters: has 1, the domain declares 2",
    ),
    "another name": (lambda d: d["actions"]["put"].update(pddl="(pot ?a ?c ?s)"), "pddl: must begin with 'put'"),
    "another order than the domain": (
        lambda d: d["actions"]["put"].update(pddl="(put ?c ?a ?s)"),
        "actions → put → pddl: has the parameters in another order than the domain: ?a, ?c, ?s",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_contradicts_itself_is_refused_with_its_place(name: str) -> None:
    change, message = REFUSALS[name]
    with pytest.raises(WordingError) as caught:
        wording_from_json(changed(change), DOMAIN, "seed1.json")
    assert message in str(caught.value)
    assert str(caught.value).startswith("seed1.json")


# ── the reference material ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["depot", "rovers"])
def test_golden_sentences(shared: Path, name: str) -> None:
    """The sentences were written by hand from the actions' conditions and effects, not by the importer."""
    golden = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    domain = load_domain(shared / "autoplanbench" / name / "domain.pddl")
    objects = tuple(TypedName(item, (kind,)) for kind, items in golden["objects"].items() for item in items)
    task = Task(domain, Problem("p", domain.name, objects=objects))
    seen: set[tuple[str, int]] = set()
    for seed in range(1, 6):
        path = shared / "autoplanbench" / name / f"domain_description_seed{seed}.json"
        teller = Teller(task, choose_wording(str(path), domain), make_names(task, "original"))
        for entry in golden["told"]:
            if seed in entry["seeds"]:
                action = GroundAction.parse(entry["action"])
                assert teller.action(action) == entry["text"]
                seen.add((action.name, seed))
        for entry in golden["facts"]:
            assert (
                seed not in entry["seeds"]
                or teller.fact(GroundAtom(tuple(entry["atom"].strip("()").split()))) == entry["text"]
            )
    assert seen == {(action.name, seed) for action in domain.actions for seed in range(1, 6)}


class Letters:
    """Tells an action's conditions as AutoPlanBench does, in the letters of its description."""

    def __init__(self, wording: Wording, action: ActionSchema, equality: str):
        self.wording = wording
        self.said = {item.name: LETTERS[index] for index, item in enumerate(action.parameters)}
        self.equality = equality

    def fact(self, condition: Condition) -> str:
        if isinstance(condition, Equality):
            return self.equality.format(*(self.said.get(term, term) for term in (condition.left, condition.right)))
        assert isinstance(condition, Atom)
        snippet = self.wording.predicates[condition.predicate]
        return snippet.fill([self.said.get(term, term) for term in condition.args])

    def sentences(self, head: str, condition: Condition, not_so: str) -> list[str]:
        parts = list(conjuncts(condition))
        positive = [self.fact(part) for part in parts if not isinstance(part, Not)]
        negative = [not_so + self.fact(part.body) for part in parts if isinstance(part, Not)]
        said = [f"{head}it is the case that {' and '.join(positive)}"] if positive else []
        return [*said, f"{head}{' and '.join(negative)}"] if negative else said


def test_conditions_told_with_the_imported_wording_are_the_files_own(shared: Path) -> None:
    """What an exchange of two parameters would change: the letters that the file gives the domain's conditions."""
    count = 0
    for path in sorted((shared / "autoplanbench").glob("*/domain_description_seed*.json")):
        domain = load_domain(path.with_name("domain.pddl"))
        wording, data = load_wording(path, domain), json.loads(path.read_text(encoding="utf-8"))
        assert "doubts" not in wording.source, path
        for action in domain.actions:
            entry = data["actions"][action.name]
            letters = Letters(wording, action, data["predicate_mappings"]["="])
            only, once = f"I can only {entry['description']} if ", f"Once I {entry['description']}, "
            not_so, gone = "it is not the case that ", "it is not the case anymore that "
            assert letters.sentences(only, action.precondition, not_so) == entry["preconditions"], (path, action.name)
            assert letters.sentences(once, action.effect, gone) == entry["effects"], (path, action.name)
            count += 1
    assert count >= 300


def test_exchanged_parameters_are_noticed_in_every_file(shared: Path) -> None:
    """An exchange in one place contradicts the file's other places: letters are refused, predicates doubted."""
    refused = doubted = 0
    for path in sorted((shared / "autoplanbench").glob("*/domain_description_seed2.json")):
        domain = load_domain(path.with_name("domain.pddl"))
        source = json.loads(path.read_text(encoding="utf-8"))
        older = {key: source[key] for key in source if not key.startswith("action_nl_templates")}
        for action in domain.actions:
            for whole, reason in ((source, "is not what its text says"), (older, "has other letters in")):
                data = copy.deepcopy(whole)
                entry = data["actions"][action.name]
                entry["description"] = _exchanged(entry["description"], "A", "B")
                if len(action.parameters) > 1:
                    with pytest.raises(WordingError, match=reason):
                        wording_from_json(data, domain)
                    refused += 1
        used = {part.predicate for action in domain.actions for part in _atoms(action)}
        for predicate in domain.predicates:
            if predicate.name in used and len(predicate.parameters) > 1:
                data = copy.deepcopy(source)
                one, other = (item.name for item in predicate.parameters[:2])
                text = data["predicate_nl_templates"][predicate.name]
                data["predicate_nl_templates"][predicate.name] = _exchanged(text, f"{{{one}}}", f"{{{other}}}")
                assert wording_from_json(data, domain).source["doubts"], (path, predicate.name)
                doubted += 1
    assert refused > 80
    assert doubted > 30


def _atoms(action: ActionSchema) -> list[Atom]:
    parts = [*conjuncts(action.precondition), *conjuncts(action.effect)]
    bodies = [part.body if isinstance(part, Not) else part for part in parts]
    return [body for body in bodies if isinstance(body, Atom)]


def _exchanged(text: str, one: str, other: str) -> str:
    """A text with two of its words exchanged; commas stay where they are."""
    twins = {one: other, other: one, f"{one},": f"{other},", f"{other},": f"{one},"}
    return " ".join(twins.get(word, word) for word in text.split(" "))

"""``word review --model``: a model says what each snippet expresses, and exchanged roles show."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from pddl2nl.cli.app import main
from pddl2nl.llm import Completion, ReplyPendingError, Request
from pddl2nl.nl import Wording, load_wording
from pddl2nl.nl.wording.back_translation import back_translate
from pddl2nl.nl.wording.review import doubts, meaning_doubts
from pddl2nl.nl.wording.snippets import Snippet
from pddl2nl.pddl import Domain, load_domain, parse_domain

DOMAINS = Path(__file__).parents[2] / "domains"


@dataclass
class Understanding:
    """A model that understands English as far as a right wording has it; it sees nothing but the prompt."""

    right: Wording
    name: str = "understanding"
    asked: list[Request] = field(default_factory=list)

    def complete(self, request: Request) -> Completion:
        self.asked.append(request)
        text = request.messages[-1].content.rpartition("Text: ")[2]
        for snippet in (*self.right.predicates.values(), *self.right.actions.values()):
            pieces = [f"(?P<p{part}>[A-Z])" if isinstance(part, int) else re.escape(part) for part in snippet.parts]
            found = re.fullmatch("".join(pieces), text)
            if found:
                letters = [found[f"p{index}"] for index in range(len(snippet.parameters))]
                return Completion(f"The text says ({' '.join([snippet.name, *letters])}).")
        return Completion("I cannot tell.")


def shipped(name: str) -> tuple[Domain, Wording]:
    domain = load_domain(DOMAINS / name / "domain.pddl")
    return domain, load_wording(DOMAINS / name / "wording.json", domain)


def changed(wording: Wording, kind: str, name: str, text: str) -> Wording:
    snippets = getattr(wording, kind)
    return replace(wording, **{kind: {**snippets, name: Snippet(name, snippets[name].parameters, text)}})


def exchanged(snippet: Snippet) -> str:
    """The text with its first two parameters in each other's places."""
    one, other = snippet.parameters[:2]
    swap = {one: other, other: one}
    return re.sub(r"\{([^{}]*)\}", lambda braced: f"{{{swap.get(braced[1], braced[1])}}}", snippet.text or "")


@pytest.mark.parametrize("name", ["blocksworld", "ferry", "depots", "rovers"])
def test_a_right_wording_agrees_and_each_exchange_of_roles_is_found(name: str) -> None:
    domain, wording = shipped(name)
    model = Understanding(wording)
    back = back_translate(wording, domain, model)
    assert back.doubts == ()
    assert back.asked == len(domain.predicates) + len(domain.steps)
    for kind in ("predicates", "actions"):
        for item in getattr(wording, kind).values():
            if len(item.parameters) > 1:
                wrong = changed(wording, kind, item.name, exchanged(item))
                (doubt,) = back_translate(wrong, domain, model).doubts
                assert (doubt.kind, doubt.name) == (kind, item.name)
                assert "was read back as" in doubt.reasons[0]


@pytest.mark.parametrize(
    ("kind", "name", "text", "reason"),
    [
        ("predicates", "on", "{?y} is on {?x}", "was read back as (on A B) and not as (on B A), from 'A is on B'"),
        ("actions", "stack", "stack {?underob} on {?ob}", "was read back as (stack A B) and not as (stack B A)"),
        ("actions", "unstack", "stack {?ob} on {?underob}", "was read back as (stack A B) and not as (unstack A B)"),
        ("actions", "put-down", "grasp the cat {?ob}", "could not be read back"),
        ("predicates", "holding", "{?x} is clear", "was read back as (clear A) and not as (holding A)"),
    ],
)
def test_both_readings_are_named(kind: str, name: str, text: str, reason: str) -> None:
    domain, wording = shipped("blocksworld")
    (doubt,) = back_translate(changed(wording, kind, name, text), domain, Understanding(wording)).doubts
    assert doubt.reasons[0].startswith(reason)


def test_the_prompt_tells_no_name_of_an_argument_and_no_order() -> None:
    domain, wording = shipped("blocksworld")
    wording = changed(wording, "actions", "stack", "on {?underob}, stack {?ob}")
    model = Understanding(wording)
    back_translate(wording, domain, model)
    prompts = [request.messages[-1].content for request in model.asked]
    assert not any("?ob" in prompt or "?x" in prompt for prompt in prompts)
    assert any(prompt.endswith("Text: on A, stack B") for prompt in prompts)
    assert "(unstack ?1 ?2)\n  :precondition (and (on ?1 ?2) (clear ?1) (handempty))" in prompts[-1]


def test_the_answer_may_be_a_declared_name_with_the_letters_of_the_text_only() -> None:
    domain, wording = shipped("blocksworld")
    model = Understanding(wording)
    back_translate(wording, domain, model)
    constraint = next(
        request.constraint for request in model.asked if "Text: A is on B" in request.messages[-1].content
    )
    pattern = constraint.schema()["properties"]["action"]["pattern"]  # type: ignore[union-attr]
    assert re.search(pattern, "(on B A)")
    assert re.search(pattern, "(handempty)")
    assert not re.search(pattern, "(on B C)")
    assert not re.search(pattern, "(stack A B)")


def test_bound_variables_are_neutral_and_long_domains_are_told_by_headings() -> None:
    domain = parse_domain("""(define (domain d) (:requirements :adl) (:predicates (p ?a) (q ?a))
        (:action act :parameters (?thing) :precondition (forall (?other) (imply (p ?other) (q ?thing)))
         :effect (q ?thing)))""")
    wording = Wording("d", {}, {"act": Snippet("act", ("?thing",), "act on {?thing}")})
    model = Understanding(wording)
    assert back_translate(wording, domain, model).doubts == ()
    assert "(act ?1)\n  :precondition (forall (?2) (imply (p ?2) (q ?1)))" in model.asked[0].messages[-1].content
    many = " ".join(f"(:action a{n} :parameters (?x) :precondition (p ?x) :effect (q ?x))" for n in range(400))
    domain = parse_domain(f"(define (domain d) (:requirements :strips) (:predicates (p ?a) (q ?a)) {many})")
    back_translate(Wording("d", {}, {"a0": Snippet("a0", ("?x",), "a0 {?x}")}), domain, model)
    assert ":precondition" not in model.asked[-1].messages[-1].content


def test_what_a_batch_will_bring_is_asked_for_at_once() -> None:
    class Pending:
        name = "pending"
        asked = 0

        def complete(self, request: Request) -> Completion:
            self.asked += 1
            raise ReplyPendingError("later")

    domain, wording = shipped("blocksworld")
    model = Pending()
    with pytest.raises(ReplyPendingError, match=r"predicate 'clear', .*action 'unstack': no reply yet"):
        back_translate(wording, domain, model)
    assert model.asked == 9


# ── the commands ─────────────────────────────────────────────────────────────────────────────────────

READ_BACK = ["(clear A)", "(ontable A)", "(handempty)", "(holding A)", "(on A B)"]
READ_BACK += ["(pick-up A)", "(put-down A)", "(stack A B)", "(unstack A B)"]


def test_word_review_lists_both_and_keeps_the_rate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads((DOMAINS / "blocksworld" / "wording.json").read_text())
    data["predicates"]["on"] = {"parameters": ["?x", "?y"], "text": "{?y} is on {?x}"}
    wording, script, saved = tmp_path / "w.json", tmp_path / "r.txt", tmp_path / "saved.json"
    wording.write_text(json.dumps(data))
    script.write_text("\n---\n".join(READ_BACK))
    model = ["--model", f"script:{script}"]
    assert main(["word", "review", str(wording), "blocksworld", *model, "--save-wording", str(saved)]) == 1
    shown = capsys.readouterr()
    listed = "predicate 'on': {?y} is on {?x}\n  it was read back as (on A B) and not as (on B A), from 'A is on B'\n"
    assert shown.out == listed
    assert "8 of 9 snippets were read back as themselves" in shown.err
    source = json.loads(saved.read_text())["source"]
    assert (source["back_translation"]["asked"], source["back_translation"]["agreed"]) == (9, 8)
    assert [item["name"] for item in source["review"]] == ["on"]
    # The saved file keeps the mark, so that a review without a model lists it too.
    assert main(["word", "review", str(saved), "blocksworld"]) == 1
    assert capsys.readouterr().out == listed


def test_convert_verifies_what_a_model_has_worded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    worded = [
        "{?y} is connected to {?x}",
        "the robot is at {?x}",
        "{?x} has been visited",
        "move from {?curpos} to {?nextpos}",
    ]
    read_back = ["(connected A B)", "(at-robot A)", "(visited A)", "(move A B)"]
    script, saved = tmp_path / "r.txt", tmp_path / "saved.json"
    script.write_text("\n---\n".join([*worded, *read_back]))
    asked = ["--wording", "llm", "--model", f"script:{script}", "--verify", "--save-wording", str(saved)]
    assert main(["convert", "visitall", *asked]) == 0
    assert "'connected' is said '{?y} is connected to {?x}', which should be reviewed: it was read back" in (
        " ".join(capsys.readouterr().err.split())
    )
    assert json.loads(saved.read_text())["source"]["back_translation"]["agreed"] == 3


@pytest.mark.parametrize("options", [["--base-url", "http://localhost:1/v1"], ["--save-wording", "w.json"]])
def test_options_of_the_model_need_one(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    wording = str(DOMAINS / "ferry" / "wording.json")
    assert main(["word", "review", wording, *options]) == 2
    assert f"{options[0]} needs --model" in capsys.readouterr().err


# ── rules without a model ─────────────────────────────────────────────────────────────────────────


def reasons(root: Path, kind: str, name: str, text: str) -> tuple[str, ...]:
    domain = load_domain(root / "domains" / "blocksworld" / "domain.pddl")
    parameters = tuple(dict.fromkeys(re.findall(r"\{(.*?)\}", text)))
    return meaning_doubts(kind, Snippet(name, parameters, text), domain)


@pytest.mark.parametrize(
    ("kind", "name", "text", "reason"),
    [
        ("actions", "put-down", "grasp the cat {?ob}", "has no word of the name 'put-down' in it"),
        ("actions", "unstack", "Observation: stack {?ob} on {?underob}", "has a word that marks something else"),
        ("actions", "unstack", "stack {?ob} on {?underob}", "says 'stack', and the name says 'unstack'"),
        ("actions", "stack", "there is no {?ob} on {?underob}", "begins with 'there' and not with a verb"),
        ("actions", "stack", "stacking {?ob} on {?underob}", "begins with 'stacking' and not with a verb"),
        ("actions", "stack", "stacked {?ob} on {?underob}", "begins with 'stacked' and not with a verb"),
        ("actions", "put-down", "look around {?ob}", "has a word that marks something else"),
        ("actions", "put-down", "don't put down {?ob}", "begins with 'don't' and not with a verb"),
        ("actions", "put-down", "put down {?ob} [PLAN END]", "has a word that marks something else"),
        ("predicates", "holding", "I am holding {?x} and not {?x}", "says 'not', and the name 'holding'"),
        ("predicates", "on", "{?x} is on {?y} and {?y}", "says {?y} again without need"),
        ("predicates", "on", "{?y} {?x} {?x} {?y} on", "has no verb that makes it a statement"),
        ("predicates", "ontable", "at {?x}", "has no verb that makes it a statement"),
        ("predicates", "ontable", "table {?x}", "has no verb that makes it a statement"),
    ],
)
def test_nonsense_is_seen(root: Path, kind: str, name: str, text: str, reason: str) -> None:
    assert any(found.startswith(reason) for found in reasons(root, kind, name, text))


@pytest.mark.parametrize(
    ("kind", "name", "text"),
    [
        ("predicates", "on", "{?x} rests on {?y}"),
        ("predicates", "on", "{?x} lies on {?y}"),
        ("predicates", "on", "on top of {?y} there stands {?x}"),
        ("predicates", "holding", "holding {?x}"),
        ("predicates", "holding", "I hold {?x}"),
        ("predicates", "on", "block {?x} placed on {?y}"),
        ("predicates", "on", "{?x} and {?y} touch on one side"),
        ("predicates", "clear", "there is no block on the clear {?x}"),
        ("predicates", "on", "{?x} is on {?y} and carried by {?y}"),
        ("actions", "put-down", "drop {?ob} on the table"),
        ("actions", "pick-up", "take {?ob} off the table"),
        ("actions", "pick-up", "take {?ob} off the table, so that {?ob} is held"),
        ("actions", "pick-up", "bring {?ob} up"),
    ],
)
def test_sound_texts_pass(root: Path, kind: str, name: str, text: str) -> None:
    assert reasons(root, kind, name, text) == ()


def test_wordings_that_were_found_good_are_seldom_doubted(shared: Path) -> None:
    """AutoPlanBench's wordings are GPT-4o's; only what its authors' readers stumbled over is listed."""
    texts = found = 0
    for place in sorted(shared.glob("autoplanbench/*/domain.pddl")):
        domain = load_domain(place)
        for file in place.parent.glob("domain_description_seed*.json"):
            wording = load_wording(file, domain)
            texts += sum(map(len, wording.snippets.values()))
            found += len(doubts(wording, domain))
    assert texts > 0
    assert found / texts < 0.1

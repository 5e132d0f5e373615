from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.errors import InputError, MissingExtraError
from pddl2nl.nl.wording.files import wording_from_json
from pddl2nl.nl.wording.negation import (
    affirm,
    negate,
    negate_by_parse,
    parsed_text,
    stanza_parser,
    whole_sentence,
    with_parsed_negations,
)
from pddl2nl.nl.wording.snippets import Snippet, Wording, check_wording
from pddl2nl.nl.wording.template import template_wording
from pddl2nl.pddl import Domain, parse_domain

TABLE = {
    "{?x} is at {?y}": "{?x} is not at {?y}",
    "{?x} and {?y} are in relation 'on'": "{?x} and {?y} are not in relation 'on'",
    "{?x} is 'is'": "{?x} is not 'is'",
    "'handempty' holds": "'handempty' does not hold",
    "the hand is empty": "the hand is not empty",
    "I am holding {?x}": "I am not holding {?x}",
    "{?x} has been visited": "{?x} has not been visited",
    "{?x} has visited {?y}": "{?x} has not visited {?y}",
    "{?x} has {?y}": "{?x} does not have {?y}",
    "{?x} has a usage of {?y}": "{?x} does not have a usage of {?y}",
    "{?x} has speed {?y}": "{?x} does not have speed {?y}",
    "{?x} can reach {?y}": "{?x} cannot reach {?y}",
    "{?x} was seen": "{?x} was not seen",
    "there is a path from {?x} to {?y}": "there is no path from {?x} to {?y}",
    "there are {?x} seats": "there are not {?x} seats",
    "{?x}, {?y}, and {?z} are partners": "{?x}, {?y}, and {?z} are not partners",
}
MORE = {
    "in the queue {?q}, {?x} is followed by {?y}": "in the queue {?q}, {?x} is not followed by {?y}",
    "{?x} is less than or equal to {?y}": "{?x} is not less than or equal to {?y}",
    "{?x} has to be moved": "{?x} does not have to be moved",
    "the can {?x} is full": "the can {?x} is not full",
    "{?x} can have {?y}": "{?x} cannot have {?y}",
    "{?x} has used {?y}": "{?x} has not used {?y}",
    "{?x}'s door is open": "{?x}'s door is not open",
    "'is it' holds": "'is it' does not hold",
    # there, and subjects of which there may be others
    "there is soil at {?x}": "there is no soil at {?x}",
    "at {?x} there is a lamp": "at {?x} there is no lamp",
    "a part is due": "no part is due",
    # left out copulas and subjects
    "holding {?x}": "I am not holding {?x}",
    "have cheese": "I do not have cheese",
    "have visited {?x}": "I have not visited {?x}",
    "am at {?x}": "I am not at {?x}",
    # negations
    "{?x} is a no gluten bread": "{?x} is not a no gluten bread",
    "{?x} is not on {?y}": "{?x} is on {?y}",
}
UNSURE = [
    # two clauses
    "{?x} is free and {?y} is full",
    "{?x} thinks {?y} is open",
    "the block that is on {?x} is {?y}",
    "the block {?x} holds is {?y}",
    "{?x} takes {?y} and produces {?z}",
    # a second predicate behind the first
    "{?x} is clean and dry",
    "{?x} is at {?y} and holding {?z}",
    "{?x} is at {?y}, holding {?z}",
    "{?x} is on or off",
    "{?x} used to be at {?y}",
    "{?x} is open and yet {?y} is closed",
    # words that would have to change with it
    "{?x} never moves",
    "{?x} is only for {?y}",
    "all",
    "free seats in {?x}",
    "{?x} and {?y} are both clean",
    "{?x} is not moving anymore",
    "{?x} moves no longer",
    "{?x} has no lid and no door",
    "{?x} has no lid and handle",
    "no car is behind {?x}, which is full",
    "all of {?x} is clear and {?y} is full",
    "there is at least one seat in {?x}",
    "there is the robot at {?x}",
    "a part is not due",
    "{?x} must not stop",
    # its negation would say something else
    "{?x} should stop",
    "{?x} might stop",
    "{?x} is to be removed",
    # no form of "be", "have" or "can"
    "{?x} supports {?y}",
    "{?x} must be moved",
    "{?x} walked to {?y}",
    "{?x} on {?y}",
    "there is no path to {?x}",
    "{?x} is no gluten bread",
    "everything is ok",
    "{?x} has communicated data",
    # no verb
    "{?n} miles from {?x}",
    "{?x} versus {?y}",
    "{?x} read {?y}",
    "{?x} quickly dangles",
    "something passes",
    "there",
]


@pytest.mark.parametrize("text", [*TABLE, *MORE])
def test_rules(text: str) -> None:
    assert negate(text) == {**TABLE, **MORE}[text]


@pytest.mark.parametrize("text", UNSURE)
def test_no_answer_where_the_rule_is_not_sure(text: str) -> None:
    assert negate(text) is None


WORDS = (
    "{?x} {?y} {?x}, the a truck is are has have can not at on to and or holds carries walked holding been there "
    "block blocks no moved open it cannot does hold I that 'p' 'is it' may will yet nothing, data"
)
POOL = st.sampled_from(WORDS.split())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("holding {?x}", "I am holding {?x}"),
        ("have cheese", "I have cheese"),
        ("{?x} is at {?y}", "{?x} is at {?y}"),
        ("{?x} has {?y}", "{?x} has {?y}"),
        ("{?x} is not full", "{?x} is not full"),
        ("all of {?x} is clear", "all of {?x} is clear"),
        ("there is no path", "there is no path"),
        ("visited {?x}", "visited {?x}"),
    ],
)
def test_what_a_text_leaves_out_is_put_in(text: str, said: str) -> None:
    assert whole_sentence(text) == said


def whole(text: str) -> list[str]:
    """The words of a text without those that a negation adds where a text leaves out who or what "is"."""
    return [word for word in text.split() if word not in {"I", "am", "is", "are"}]


@settings(max_examples=400)
@given(st.lists(POOL, min_size=1, max_size=7).map(" ".join))
def test_whatever_the_words_a_negation_keeps_the_parameters_and_is_undone_by_another(text: str) -> None:
    negated = negate(text)
    if negated is None:
        return
    assert negated != text
    assert re.findall(r"\{[^}]*\}", negated) == re.findall(r"\{[^}]*\}", text)
    assert "  " not in negated
    assert " not not " in f" {text} " or " not not " not in f" {negated} "
    # A negation can be said in several ways and comes back in one; what affirms comes back as it was.
    if not {"no", "not", "cannot", "does", "yet"} & {*text.split(), *({"no"} & set(negated.split()))}:
        back = negate(negated)
        assert back is None or whole(back) == whole(text)


def test_most_recorded_snippets_have_a_negation(shared: Path) -> None:
    texts: list[str] = []
    for path in sorted((shared / "autoplanbench").glob("*/domain_description_seed*.json")):
        snippets = json.loads(path.read_text(encoding="utf-8"))["predicate_nl_templates"]
        texts += [text for name, text in snippets.items() if name not in ("=", "!=")]
    unknown = [text for text in texts if negate(text) is None]
    assert len(unknown) <= 0.07 * len(texts)
    # The others have another verb than "be", "have" and "can", or a negation that cannot be undone.
    assert all(
        re.search(r" (supports|takes|spawns|walked|saved|cached|communicated|visited|not) ", text) for text in unknown
    )


@pytest.mark.parametrize(
    ("denied", "said"),
    [
        ("{?x} does not exist", "{?x} exists"),
        ("{?x} does not carry {?y}", "{?x} carries {?y}"),
        ("{?x} does not touch {?y}", "{?x} touches {?y}"),
        ("{?x} does not have {?y}", "{?x} has {?y}"),
        ("{?x} and {?y} do not touch", "{?x} and {?y} touch"),
        ("{?x} is not full", "{?x} is full"),
        ("{?x} cannot move", "{?x} can move"),
        ("{?x} is full", None),
        ("{?x} is not on any block", None),
        ("{?x} is not red and round", None),
        ("{?x}, which is red, is not full", None),
    ],
)
def test_what_a_denied_text_denies(denied: str, said: str | None) -> None:
    assert affirm(denied) == said


# ── by a dependency parse ─────────────────────────────────────────────────────────────────────────


if TYPE_CHECKING:
    from stanza.models.common.doc import Document

needs_stanza = pytest.mark.skipif(
    importlib.util.find_spec("stanza") is None, reason="stanza is absent: pip install 'pddl2nl[stanza]'"
)

THIRD = "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"
PLURAL = "Mood=Ind|Tense=Pres|VerbForm=Fin"
PAST = "Mood=Ind|Number=Sing|Person=3|Tense=Past|VerbForm=Fin"

# A word a line: text, lemma, part of speech, features, head, relation.
PARSES = {
    "the robot {?r} quickens {?x}": (
        """the the DET _ 2 det
           robot robot NOUN _ 4 nsubj
           Anna Anna PROPN _ 2 appos
           quickens quicken VERB {third} 0 root
           Berta Berta PROPN _ 4 obj""",
        "the robot {?r} does not quicken {?x}",
    ),
    "{?x} and {?y} interlace": (
        """Anna Anna PROPN _ 4 nsubj
           and and CCONJ _ 3 cc
           Berta Berta PROPN _ 1 conj
           interlace interlace VERB {plural} 0 root""",
        "{?x} and {?y} do not interlace",
    ),
    "{?x} yawned at {?y}": (
        """Anna Anna PROPN _ 2 nsubj
           yawned yawn VERB {past} 0 root
           at at ADP _ 4 case
           Berta Berta PROPN _ 2 obl""",
        "{?x} did not yawn at {?y}",
    ),
    "next to {?y}, {?x} can dangle or is fixed": (
        """next next ADP _ 3 case
           to to ADP _ 1 fixed
           Berta Berta PROPN _ 7 obl
           , , PUNCT _ 7 punct
           Anna Anna PROPN _ 7 nsubj
           can can AUX VerbForm=Fin 7 aux
           dangle dangle VERB VerbForm=Inf 0 root
           or or CCONJ _ 10 cc
           is be AUX {third} 10 aux:pass
           fixed fix VERB Tense=Past|VerbForm=Part 7 conj""",
        None,
    ),
    "{?x}'s cable may dangle": (
        """Anna Anna PROPN _ 3 nmod:poss
           's 's PART _ 1 case
           cable cable NOUN Number=Sing 5 nsubj
           may may AUX VerbForm=Fin 5 aux
           dangle dangle VERB VerbForm=Inf 0 root""",
        "{?x}'s cable may not dangle",
    ),
    "a cable dangles from {?x}": (
        """a a DET Definite=Ind|PronType=Art 2 det
           cable cable NOUN Number=Sing 3 nsubj
           dangles dangle VERB {third} 0 root
           from from ADP _ 5 case
           Anna Anna PROPN _ 3 obl""",
        None,
    ),
    "wear gloves": (
        """wear wear VERB Mood=Imp|VerbForm=Fin 0 root
           gloves glove NOUN Number=Plur 1 obj""",
        None,
    ),
    "{?x} says {?y} dangles": (
        """Anna Anna PROPN _ 2 nsubj
           says say VERB {third} 0 root
           Berta Berta PROPN _ 4 nsubj
           dangles dangle VERB {third} 2 ccomp""",
        None,
    ),
}  # fmt: skip


def document(rows: str) -> Document:
    """The stanza Document of a parse above, read from CoNLL-U."""
    from stanza.utils.conll import CoNLL

    filled = rows.replace("{third}", THIRD).replace("{plural}", PLURAL).replace("{past}", PAST)
    words = [row.split() for row in filled.splitlines()]
    lines = [
        "\t".join((str(index), text, lemma, part, "_", feats, head, relation, "_", "_"))
        for index, (text, lemma, part, feats, head, relation) in enumerate(words, start=1)
    ]
    root = next(index for index, word in enumerate(words, start=1) if word[4] == "0")
    lines.append("\t".join((str(len(words) + 1), ".", ".", "PUNCT", "_", "_", str(root), "punct", "_", "_")))
    return CoNLL.conll2doc(input_str="\n".join(lines) + "\n\n")


def snippet(text: str) -> Snippet:
    return Snippet("p", tuple(name for name in ("?r", "?x", "?y") if f"{{{name}}}" in text), text)


@needs_stanza
@pytest.mark.parametrize("text", PARSES)
def test_the_head_decides(text: str) -> None:
    rows, negated = PARSES[text]
    one = snippet(text)
    said = [row.split()[0] for row in rows.splitlines()]
    assert " ".join(said).replace(" ,", ",").replace(" '", "'") + "." == parsed_text(one)
    assert negate_by_parse(text, document(rows)) == negated


@needs_stanza
def test_the_wordings_own_names_are_no_names_of_parameters() -> None:
    one = Snippet("p", ("?x",), "anna greases {?x}")
    assert parsed_text(one) == "anna greases Berta."


@needs_stanza
def test_a_parse_of_two_sentences_gives_nothing() -> None:
    text = "{?x} yawned at {?y}"
    two = document(PARSES[text][0])
    two.sentences.append(two.sentences[0])
    assert negate_by_parse(text, two) is None


DOMAIN = """(define (domain d) (:predicates (fast ?x) (calm ?x) (slow ?x) (by ?x ?y) (tied ?x) (loose ?x))
  (:action go :parameters (?x) :precondition (fast ?x) :effect (not (fast ?x))))"""


def worded(domain: Domain) -> Wording:
    data = template_wording(domain).to_json()
    texts = {
        "fast": "the robot {?x} quickens {?x}",
        "calm": "{?x} yawned at {?x}",
        "slow": "{?x} did not yawn at {?x}",
        "by": "{?x} is by {?y}",
        "loose": "a cable dangles from {?x}",
    }
    entries = data["predicates"]
    assert isinstance(entries, dict)
    for name, text in texts.items():
        entries[name] = {"parameters": ["?x", "?y"] if name == "by" else ["?x"], "text": text}
    entries["tied"] = {"parameters": ["?x"], "text": "{?x} tenses", "negated": "{?x} is loose"}
    return wording_from_json(data, domain)


@needs_stanza
def test_only_what_neither_wording_nor_rules_know_is_parsed_and_kept() -> None:
    domain = parse_domain(DOMAIN)
    asked: list[str] = []
    parses = {
        "Anna did not yawn at Anna.": PARSES["{?x} says {?y} dangles"][0],
        "the robot Anna quickens Anna.": PARSES["the robot {?r} quickens {?x}"][0].replace("Berta Berta", "Anna Anna"),
        "Anna yawned at Anna.": PARSES["{?x} yawned at {?y}"][0].replace("Berta Berta", "Anna Anna"),
        "a cable dangles from Anna.": PARSES["a cable dangles from {?x}"][0],
    }

    def parser(sentence: str) -> Document:
        asked.append(sentence)
        return document(parses[sentence])

    wording = worded(domain)
    negated = with_parsed_negations(wording, domain, lambda: parser)
    assert sorted(asked) == sorted(parses)
    # That of "calm" is what "slow" says.
    assert {name: item.negated for name, item in negated.predicates.items() if item.negated is not None} == {
        "fast": "the robot {?x} does not quicken {?x}",
        "tied": "{?x} is loose",
    }
    assert negated.source == {"method": "template", "parsed_negations": ["fast"]}
    assert check_wording(negated, domain) is negated
    assert wording_from_json(negated.to_json(), domain) == negated
    asked.clear()
    assert with_parsed_negations(template_wording(domain), domain, lambda: parser) == template_wording(domain)
    assert asked == []


# ── the pipeline ─────────────────────────────────────────────────────────────────────────────────


def test_without_stanza_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stanza", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'pddl2nl\[stanza\]'"):
        stanza_parser("not loaded before")


def test_the_pipeline_is_loaded_once_and_never_from_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[dict[str, object]] = []

    def pipeline(language: str, **options: object) -> Callable[[str], str]:
        loaded.append({"language": language, **options})
        return str.upper

    monkeypatch.setitem(sys.modules, "stanza", SimpleNamespace(Pipeline=pipeline))
    parsers = [stanza_parser("a folder") for _ in range(2)]
    assert [parsers[0]("Anna sleeps."), parsers[1]("Berta wakes.")] == ["ANNA SLEEPS.", "BERTA WAKES."]
    assert len(loaded) == 1
    assert loaded[0]["language"] == "en"
    assert loaded[0]["download_method"] is None
    assert {"pos", "lemma", "depparse"} <= set(str(loaded[0]["processors"]).split(","))


@needs_stanza
def test_without_the_model_the_error_names_the_download(tmp_path: Path) -> None:
    command = rf"python -c \"import stanza; stanza.download\('en', model_dir='{tmp_path}'\)\""
    with pytest.raises(InputError, match=command):
        stanza_parser(str(tmp_path))
    (tmp_path / "resources.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match=command):
        stanza_parser(str(tmp_path))
    assert sorted(tmp_path.iterdir()) == [tmp_path / "resources.json"], "nothing was downloaded"

"""What becomes of a model's reply: harmless wrapping comes off, everything else is named as a fault."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pddl2nl.llm import Completion, ScriptedReply
from pddl2nl.nl.wording.snippets import Snippet, check_text
from pddl2nl.nl.wording.word_checks import LONGEST, Draft, Kind, look_alike, read_reply, text_faults
from pddl2nl.pddl import parse_domain
from pddl2nl.pddl.tree import TypedName

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

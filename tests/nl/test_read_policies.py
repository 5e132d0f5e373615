"""Reading policies: which of a reply's action lines each of them takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pddl2nl.nl import READING_POLICIES, Reader, Snippet, Wording, make_names, template_wording
from pddl2nl.pddl import parse_task

DOMAIN = """(define (domain shelves) (:requirements :strips) (:predicates (clear ?x))
  (:action take :parameters (?x) :effect (clear ?x))
  (:action put :parameters (?x ?y) :effect (clear ?x)))"""
PROBLEM = """(define (problem p) (:domain shelves) (:objects a b c d) (:init) (:goal (clear a)))"""


@pytest.fixture(scope="module")
def reader() -> Reader:
    task = parse_task(DOMAIN, PROBLEM)
    actions = {
        "take": Snippet("take", ("?x",), "take the box {?x}"),
        "put": Snippet("put", ("?x", "?y"), "put the box {?x} onto the box {?y}"),
    }
    wording = Wording("shelves", {"clear": Snippet("clear", ("?x",), "{?x} is clear")}, actions)
    return Reader(task, wording, make_names(task, "original"))


def _plan(reader: Reader, text: str, policy: str) -> str:
    """The actions taken, by the letters of their first objects."""
    return "".join(action.args[0] for action in reader.read(text, policy).plan)


A, B, C, D = (f"take the box {letter}" for letter in "abcd")


@pytest.mark.parametrize(
    ("text", "default", "everything", "planbench"),
    [
        pytest.param(f"{A}\n{B}", "ab", "ab", "ab", id="bare lines"),
        pytest.param(f"[PLAN]\n{A}\n[PLAN END]\n\n{B}\n{C}", "a", "a", "abc", id="marked"),
        pytest.param(f"{C}\n{D}\n\n[PLAN]\n{A}\n[PLAN END]", "a", "a", "cda", id="marked behind a list"),
        pytest.param(f"[PLAN]\n{A}\n[PLAN END]\n[PLAN]\n{B}\n[PLAN END]", "b", "b", "ab", id="the last marked"),
        pytest.param(f"[PLAN]\n{A}\n[PLAN END]\n[PLAN]\nNone.\n[PLAN END]", "a", "a", "a", id="that holds an action"),
        pytest.param(f"[PLAN]\n{A}\n[PLAN END]\nSo.\n{B}\n[PLAN END]", "a", "a", "ab", id="both tags before one"),
        pytest.param(f"{A}\n{B}\n[PLAN END]\n\n{C}", "ab", "ab", "abc", id="the start tag is the prompt's"),
        pytest.param(f"{C}\n\nThat fails.\n\n[PLAN]\n{A}\n{B}", "ab", "ab", "cab", id="cut off before the end tag"),
        pytest.param(f"[PLAN]\n{A}\n\nThen, by the way:\n\n{B}\n[PLAN END]", "ab", "ab", "ab", id="prose within tags"),
        pytest.param(f"{A}\n\nThis is not enough.\n\n{B}\n{C}", "bc", "abc", "abc", id="the longest run"),
        pytest.param(f"{A}\n{B}\n\nOr else it is this.\n\n{C}\n{D}", "cd", "abcd", "abcd", id="the last on ties"),
        pytest.param(f"1. {A}\n2. {B}\n1. {C}\n2. {D}\n3. {A}", "cda", "abcda", "abcda", id="numbering restarts"),
        pytest.param(f"1. {A}\n\nNow a is clear.\n\n2. {B}", "ab", "ab", "ab", id="numbering goes on"),
        pytest.param(
            f"1. {A}\n2. {B}\n\nWait, that fails.\n\n2. {C}\n3. {D}", "acd", "abcd", "abcd", id="from step 2 anew"
        ),
        pytest.param(f"{A}\n(take b)\n(put c d)", "abc", "abc", "abc", id="PDDL lines"),
        pytest.param(f"1. **{A}**\n   - `{A}`\n2. **{B}**\n   - `{B}`", "ab", "ab", "ab", id="said again in code"),
        pytest.param(f"1. **{A}**\n   - {A}\n2. **{B}**\n   - {B}", "ab", "ab", "aabb", id="said again"),
        pytest.param("I have no plan.", "", "", "", id="nothing"),
    ],
)
def test_what_each_policy_takes(reader: Reader, text: str, default: str, everything: str, planbench: str) -> None:
    found = tuple(_plan(reader, text, policy) for policy in ("default", "all", "planbench"))
    assert found == (default, everything, planbench)


def test_an_option_begins_above_the_title_of_its_first_step(reader: Reader) -> None:
    text = f"Option 1:\n### Step 1\n{A}\n\nThis helps.\n\nOption 2:\n1. {A}\n2. {B}\n\n"
    assert [str(action) for action in reader.read(f"{text}I choose option 1.").plan] == ["(take a)"]
    assert reader.read(text).plan == ()


@pytest.mark.parametrize("name", ["object_0", "a"])
def test_an_action_that_does_not_exist_is_known_by_objects_of_either_name(name: str) -> None:
    """Told names and PDDL's own: what is in parentheses is no remark if all of it are objects."""
    task = parse_task(DOMAIN, PROBLEM)
    wording = template_wording(task.domain)
    typed = Reader(task, wording, make_names(task, "typed"))
    [reading] = typed.read(f"(paint {name})").chosen
    assert (reading.status, reading.reason) == ("unreadable", "there is no action 'paint'")
    assert not typed.read("(paint the wall)").chosen


def test_lines_that_fail_stay_in_the_plan_that_holds_them(reader: Reader) -> None:
    for policy in READING_POLICIES:
        readings = reader.read(f"{A}\ntake the box e\n{B}", policy)
        assert [item.status for item in readings.chosen] == ["read", "unknown-object", "read"]
        assert not readings.complete


def test_a_plan_of_unknown_objects_alone_is_no_empty_plan(reader: Reader) -> None:
    for policy in READING_POLICIES:
        readings = reader.read("take the box e\ntake the box f", policy)
        assert [item.status for item in readings.chosen] == ["unknown-object", "unknown-object"]
        assert readings.plan == ()


def test_what_a_policy_leaves_out_is_kept(reader: Reader) -> None:
    text = f"{A}\n\nThat is not enough.\n\n{B}\ntake the box e\n{C}"
    readings = reader.read(text)
    assert [str(item.action) for item in readings.left_out] == ["(take a)"]
    assert [item.line for item in readings.left_out] == [1]
    assert [item.line for item in readings.chosen] == [5, 6, 7]
    assert {item.line for item in readings.readings} == {1, 3, 5, 6, 7}
    assert reader.read(text, "all").left_out == ()


def test_policies_are_named_described_and_versioned() -> None:
    assert list(READING_POLICIES) == ["default", "all", "planbench"]
    for name, policy in READING_POLICIES.items():
        assert policy.name == name
        assert policy.version >= 1
        assert policy.description.endswith(".")


_LINES = st.sampled_from(
    (
        A,
        B,
        f"1. {C}",
        f"2. {D}",
        "take the box e",
        "(take a)",
        "[PLAN]",
        "[PLAN END]",
        "",
        "That is my plan.",
        f"   - {A}",
    )
)


@given(st.lists(_LINES, max_size=12))
def test_what_is_chosen_is_part_of_what_is_read(reader: Reader, lines: list[str]) -> None:
    text = "\n".join(lines)
    for policy in READING_POLICIES:
        readings = reader.read(text, policy)
        places = [(item.start, item.end) for item in readings.chosen]
        assert places == sorted(set(places))
        assert set(readings.chosen) <= set(readings.readings)
        assert set(readings.chosen).isdisjoint(readings.left_out)
        assert {*readings.chosen, *readings.left_out} == {item for item in readings.readings if item.is_attempt}
        if any(item.status == "read" for item in readings.readings):
            assert readings.chosen

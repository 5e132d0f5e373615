"""Plan files as VAL reads them, and what is said about text that is none."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.pddl import Diagnostic, InputError, PDDLError
from pddlval import GroundAction, Plan, PlanStep, load_plan, read_plan
from pddlval.happenings import happenings


def test_one_action_a_line() -> None:
    plan = read_plan("(pick-up a)\n\n(stack a b)\n")
    assert plan.steps == (
        PlanStep(GroundAction("pick-up", ("a",)), line=1, column=1),
        PlanStep(GroundAction("stack", ("a", "b")), line=3, column=1),
    )
    assert str(plan) == "(pick-up a)\n(stack a b)\n"
    assert len(plan) == 2


def test_case_comments_several_a_line_and_actions_over_lines() -> None:
    plan = read_plan("; plan (not this)\n  (PICK-UP A) (Stack\n a  b ); done\r\n(wait)")
    assert plan.actions == (GroundAction("pick-up", ("a",)), GroundAction("stack", ("a", "b")), GroundAction("wait"))
    assert [(step.line, step.column) for step in plan.steps] == [(2, 3), (2, 15), (4, 1)]


def test_times_and_durations() -> None:
    plan = read_plan("0.001: (a x) [10.5]\n 3:(b)[2]\n12. : (c) [ .5 ]\n(d)")
    assert [step.time for step in plan.steps] == [Fraction(1, 1000), 3, 12, None]
    assert [step.duration for step in plan.steps] == [Fraction(21, 2), 2, Fraction(1, 2), None]


def test_names_are_as_wide_as_in_a_domain() -> None:
    assert read_plan("1:(move:fast b[0] 3:a)").actions == (GroundAction("move:fast", ("b[0]", "3:a")),)


def test_numbers_are_vals_and_no_longer_than_a_float() -> None:
    """VAL's lexer takes ``-?digits(.digits)?``: no exponent, but a minus and a point at the end."""
    assert [step.time for step in read_plan("-1: (a) 0.000: (b) 2.: (c)").steps] == [-1, 0, 2]
    assert read_plan(f"{'9' * 300}: (a)").steps[0].time == Fraction("9" * 300)
    for number in ("9" * 301, "9" * 5000, "٣", "--1", "- 1", "1e3", "1.5e3", "+1"):
        with pytest.raises(PDDLError):
            read_plan(f"{number}: (a)")


def test_a_comment_ends_with_its_line_whatever_ends_the_line() -> None:
    for end in ("\n", "\r\n", "\r"):
        assert read_plan(f"; c{end}(a){end};d").actions == (GroundAction("a"),)


@pytest.mark.parametrize("text", ["", "\n\n", "; nothing\n", "  \t"])
def test_an_empty_plan(text: str) -> None:
    assert read_plan(text).steps == ()


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("(a)\nstack a b\n", 2, 1, "not an action"),
        ("(a)\n  (b c\n", 2, 3, "the action is never closed"),
        ("()", 1, 1, "not an action"),
        ("(a (b))", 1, 1, "not an action"),
        ("(a) )", 1, 5, "not an action"),
        ("1. pick up a", 1, 1, "not an action"),
        ("x: (a)", 1, 1, "not an action"),
        ("(a) [b]", 1, 5, "not an action"),
    ],
)
def test_text_that_is_no_plan(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(PDDLError) as caught:
        read_plan(text, "plan.txt")
    first = caught.value.diagnostics[0]
    assert (first.file, first.line, first.column, first.message) == ("plan.txt", line, column, message)
    assert first.expected


def test_all_bad_lines_are_reported_up_to_a_hundred() -> None:
    with pytest.raises(PDDLError) as caught:
        read_plan("(a)\nfoo\n(b)\nbar\n")
    assert [diagnostic.line for diagnostic in caught.value.diagnostics] == [2, 4]
    with pytest.raises(PDDLError) as caught:
        read_plan("foo\n" * 5000)
    assert len(caught.value.diagnostics) == 100


def test_loading_a_file(tmp_path: Path) -> None:
    file = tmp_path / "plan.txt"
    file.write_text("(a)\n")
    plan = load_plan(file)
    assert (plan.actions, plan.name) == ((GroundAction("a"),), str(file))
    with pytest.raises(InputError, match="no such file"):
        load_plan(tmp_path / "none.txt")
    with pytest.raises(InputError):
        load_plan(tmp_path)
    with pytest.raises(InputError, match="null byte"):
        load_plan("no\0ne.txt")


_NAMES = st.text("abcdefghijklmnopqrstuvwxyz0123456789-_@/", min_size=1, max_size=8)
_ACTIONS = st.builds(GroundAction, _NAMES, st.lists(_NAMES, max_size=4).map(tuple))


@given(st.lists(_ACTIONS, max_size=12))
def test_what_is_written_is_read_again(actions: list[GroundAction]) -> None:
    text = str(Plan(tuple(map(PlanStep, actions))))
    assert read_plan(text).actions == tuple(actions)
    assert read_plan(text.upper()).actions == tuple(actions)
    assert read_plan(text.replace("\n", " ; c (d)\n")).actions == tuple(actions)


@settings(max_examples=120)
@given(st.text("()[]:; \n\tab01.-;é\0", max_size=60) | st.text(max_size=40))
def test_any_text_gives_a_plan_or_diagnostics(text: str) -> None:
    problems: tuple[Diagnostic, ...] = ()
    steps: tuple[PlanStep, ...] = ()
    try:
        steps = read_plan(text).steps
    except PDDLError as error:
        problems = error.diagnostics
        if not problems:
            raise
    assert all(problem.line >= 1 and problem.column >= 1 for problem in problems)
    assert all(step.action.name and step.line >= 1 for step in steps)


def test_a_byte_order_mark_is_no_part_of_the_plan() -> None:
    assert read_plan("\ufeff(a)").actions == (GroundAction("a"),)


# ── what happens together ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "together"),
    [
        # Steps without a time take their number.
        ("(a) (b)", [(1, (1,)), (2, (2,))]),
        ("(a) 1: (b) (c)", [(1, (1, 2)), (2, (3,))]),
        ("2: (a) 1: (b) 2: (c)", [(1, (2,)), (2, (1, 3))]),
        ("0: (a) 0.0005: (b) 0.002: (c)", [(0, (1, 2)), (0.002, (3,))]),
    ],
)
def test_steps_less_than_a_thousandth_apart_happen_together(
    text: str, together: list[tuple[float, tuple[int, ...]]]
) -> None:
    found = happenings(read_plan(text))
    assert [(float(each.time), tuple(event.step for event in each.events)) for each in found] == together

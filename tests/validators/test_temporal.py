"""Plans with time, preferences and constraints: verdicts, times and causes that can be worked out by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.pddl import InputError, Task, check_domain, parse_task
from pddlval import VAL_TIME_TOLERANCE, VAL_TOLERANCE, Report, val_text, validate

DOMAIN = """(define (domain d) (:requirements :adl :durative-actions :fluents :duration-inequalities :preferences
    :constraints :timed-initial-literals :continuous-effects :derived-predicates)
  (:types place) (:constants a b - place)
  (:predicates (p) (q) (r) (s) (open) (at ?x - place) (lit))
  (:functions (f) (g) (length) (total))
  (:derived (lit) (and (open) (r)))
  (:action tick :parameters () :precondition (preference ready (q)) :effect (increase (total) 1))
  (:action light :parameters () :precondition (lit) :effect (s))
  (:action unset :parameters () :precondition (p) :effect (not (p)))
  (:action refill :parameters () :precondition () :effect (assign (f) 10))
  (:durative-action make :parameters () :duration (= ?duration (length))
    :condition (and (at start (p)) (over all (q)) (at end (r))) :effect (and (at start (not (p))) (at end (s))))
  (:durative-action keep :parameters () :duration (and (>= ?duration 2) (<= ?duration 5))
    :condition (over all (p)) :effect (at end (r)))
  (:durative-action grow :parameters () :duration (at end (<= ?duration (total)))
    :condition () :effect (and (at start (increase (total) 3)) (at end (increase (g) ?duration))))
  (:durative-action move :parameters (?x ?y - place) :duration (= ?duration 1)
    :condition (at start (at ?x)) :effect (and (at start (not (at ?x))) (at end (at ?y))))
  (:durative-action watch :parameters () :duration (>= ?duration 1) :condition (preference quiet (over all (q)))
    :effect (when (and (at start (p)) (over all (q))) (at end (s))))
  (:durative-action drain :parameters () :duration (>= ?duration 0)
    :condition (and (over all (>= (f) 0))) :effect (decrease (f) (* #t (g))))
  (:durative-action strict :parameters () :duration (>= ?duration 0) :condition (over all (> (f) 0)) :effect ()))"""

PROBLEM = """(define (problem x) (:domain d)
  (:init (p) (q) (at a) (= (f) 10) (= (g) 2) (= (length) 4) (= (total) 0) {init}) (:goal (and {goal})) {more})"""


def task(init: str = "", goal: str = "", more: str = "") -> Task:
    return parse_task(DOMAIN, PROBLEM.format(init=init, goal=goal, more=more))


def judge(plan: str, init: str = "", goal: str = "", more: str = "") -> Report:
    return validate(task(init, goal, more), plan)


def failure(report: Report) -> tuple[int | None, str | None, Fraction | None, list[str]]:
    assert report.verdict == "inapplicable"
    return report.failed_step, report.phase, report.time, [str(condition) for condition in report.unmet]


# ── durative actions ─────────────────────────────────────────────────────────────────────────────


def test_conditions_are_read_at_their_times() -> None:
    assert judge("0.5: (make) [4]", "(r)", "(s)").valid
    assert failure(judge("0.5: (make) [4]")) == (1, "end", Fraction("4.5"), ["(r)"])
    assert failure(judge("(make) [4]")) == (1, "end", 5, ["(r)"])
    assert failure(judge("1: (unset)\n2: (make) [4]", "(r)")) == (2, "start", 2, ["(p)"])


def test_the_order_of_the_lines_is_the_order_of_nothing() -> None:
    plan = ["3: (move b a) [1]", "1: (move a b) [1]"]
    assert judge("\n".join(plan), goal="(at a)") == judge("\n".join(reversed(plan)), goal="(at a)")


def test_an_invariant_fails_at_the_next_happening_and_names_its_cause() -> None:
    report = judge("1: (keep) [3]\n2: (unset)")
    # It is seen when the next thing happens, the end; the state has been so since 2.
    assert failure(report) == (1, "over all", 4, ["(p)"])
    (cause,) = report.explanation
    assert (cause.deleted_by_step, cause.time, cause.phase) == (2, 2, "action")


@pytest.mark.parametrize("plan", ["1: (keep) [3]\n4.5: (unset)", "1: (unset)"])
def test_an_invariant_holds_over_an_open_interval(plan: str) -> None:
    assert judge(plan).valid


def test_what_an_end_needs_not_may_be_undone_with_it() -> None:
    """The invariant of keep is over at its end, so that deleting p at that time interferes with nothing."""
    assert judge("1: (keep) [3]\n4: (unset)").valid


def test_actions_that_touch_interfere_whatever_small_gap_does_not() -> None:
    report = judge("1: (move a b) [1]\n2: (move b a) [1]")
    assert failure(report) == (2, "start", 2, ["(at b)"])
    assert judge("1: (move a b) [1]\n2.0000001: (move b a) [1]", goal="(at a)").valid


def test_durations() -> None:
    assert failure(judge("1: (make) [5]", "(r)"))[:2] == (1, "start")
    assert [str(one) for one in judge("1: (make)", "(r)").unmet] == ["(= ?duration (length))"]
    assert judge("1: (keep) [2]").valid
    assert judge("1: (keep) [5]").valid
    assert failure(judge("1: (keep) [5.01]"))[3] == ["(<= ?duration 5)"]
    # The constraint is read at the end, when total has grown to 3.
    assert judge("1: (grow) [3]", goal="(= (g) 5)").valid
    assert failure(judge("1: (grow) [4]")) == (1, "end", 5, ["(<= ?duration (total))"])


def test_a_conditional_effect_that_spans_the_action() -> None:
    assert judge("1: (watch) [2]", goal="(s)").valid
    assert not judge("1: (unset)\n2: (watch) [2]", goal="(s)").valid
    assert not judge("1: (watch) [2]", "(at 2 (not (q))) (at 2.5 (q))", goal="(s)").valid


# ── timed literals and derived predicates ────────────────────────────────────────────────────────


def test_timed_literals_open_a_window() -> None:
    window = "(r) (at 5 (open)) (at 7 (not (open)))"
    assert judge("6: (light)", window, "(s)").valid
    assert failure(judge("4: (light)", window)) == (1, "action", 4, ["(lit)"])
    late = judge("8: (light)", window)
    assert failure(late)[2] == 8
    interferes = judge("5: (light)", window)
    assert failure(interferes)[3] == ["(lit)"]


def test_an_action_may_not_need_what_a_literal_changes_at_its_time() -> None:
    report = judge("7: (light)", "(r) (at 5 (open)) (at 7 (not (open)))")
    assert (report.verdict, report.failed_step, report.together) == ("inapplicable", 1, (1,))
    assert report.conflict is not None


def test_a_timed_fluent() -> None:
    assert judge("1: (drain) [6]", "(at 4 (= (g) 1))", "(= (f) 1)").valid
    report = judge("1: (make) [4]", "(r) (at 0.5 (= (length) 6))")
    assert failure(report)[3] == ["(= ?duration (length))"]
    assert judge("1: (make) [6]", "(r) (at 0.5 (= (length) 6))").valid


def test_two_values_at_one_time_are_an_error_with_its_place() -> None:
    with pytest.raises(InputError, match=r"<problem>:2:.*\(g\) is given a value twice"):
        task("(at 4 (= (g) 1)) (at 4 (= (g) 2))")


def test_the_cause_may_be_a_timed_literal() -> None:
    (cause,) = judge("9: (keep) [2]", "(at 5 (not (p)))").explanation
    assert (cause.deleted_by_step, cause.time, cause.phase) == (None, 5, "literal")


# ── continuous effects ───────────────────────────────────────────────────────────────────────────


def test_a_number_changes_linearly() -> None:
    # 10 - 2 * 5 = 0 is reached just at the end, which the open interval leaves out of it.
    assert judge("1: (drain) [5]", goal="(= (f) 0)").valid
    assert failure(judge("1: (drain) [6]"))[:2] == (1, "over all")
    assert judge("1: (drain) [3]\n2: (tick)", goal="(= (f) 4)").valid


def test_a_comparison_fails_at_its_crossing() -> None:
    report = judge("1: (drain) [5.5]")
    # 0 is reached at 6; from then until the end at 6.5 it is below: the first time looked at behind the crossing.
    assert report.time is not None
    assert Fraction(6) < report.time < Fraction("6.5")
    assert judge("1: (drain) [5]\n1: (strict) [5]").valid
    assert failure(judge("1: (drain) [5]\n1: (strict) [5.1]"))[2] == 6


def test_rates_add_up_and_are_read_after_each_happening() -> None:
    # 10 - 2 * 2 until 3, then filled up to 10, then 10 - 2 * 2.
    assert judge("1: (drain) [4]\n3: (refill)", goal="(= (f) 6)").valid


def test_derived_numbers_and_the_metric() -> None:
    report = judge("1: (drain) [4]", more="(:metric minimize (+ (f) (* 10 total-time)))")
    assert report.cost == 2 + 50


# ── preferences and constraints ──────────────────────────────────────────────────────────────────


def test_preferences_are_counted() -> None:
    more = "(:metric minimize (+ (is-violated ready) (* 10 (is-violated quiet)) (* 100 (is-violated end))))"
    goal = "(forall (?x - place) (preference end (at ?x)))"
    report = judge("1: (tick)\n2: (tick)\n4: (watch) [6]", "(at 1.5 (not (q))) (at 5 (q)) (at 6 (not (q)))", goal, more)
    # One tick without q, one watch however often q is lost, and b of the two places.
    assert report.violations == {"ready": 1, "quiet": 1, "end": 1}
    assert report.cost == 111


STATES = "1: (move a b) [1]\n3: (move b a) [1]\n5: (move a b) [1]"
"""At a until 1, at b from 2 to 3, at a from 4 to 5, at b from 6 on."""


@pytest.mark.parametrize(
    ("constraint", "satisfied"),
    [
        ("(always (p))", True),
        ("(always (at a))", False),
        ("(sometime (at b))", True),
        ("(sometime (s))", False),
        ("(at-most-once (p))", True),
        ("(at-most-once (at a))", False),
        ("(at-most-once (s))", True),
        ("(sometime-after (at a) (at b))", True),
        ("(sometime-after (at b) (at a))", False),
        ("(sometime-before (at b) (at a))", True),
        ("(sometime-before (at a) (at b))", False),
        ("(within 2 (at b))", True),
        ("(within 1.9 (at b))", False),
        ("(always-within 2 (at a) (at b))", True),
        ("(always-within 1 (at a) (at b))", False),
        ("(hold-during 2 3 (at b))", True),
        ("(hold-during 2 3.5 (at b))", False),
        ("(hold-during 1.5 2 (at b))", False),
        ("(hold-during 0.2 0.5 (at a))", True),
        ("(hold-after 6 (at b))", True),
        ("(hold-after 5.5 (at b))", False),
        ("(at end (at b))", True),
        ("(at end (at a))", False),
        ("(forall (?x - place) (sometime (at ?x)))", True),
        ("(and (sometime (at a)) (always (at a)))", False),
        ("(not (always (at a)))", True),
        ("(or (always (at a)) (sometime (at b)))", True),
    ],
)
def test_trajectory_constraints(constraint: str, satisfied: bool) -> None:
    assert judge(STATES, more=f"(:constraints {constraint})").valid is satisfied
    wished = judge(STATES, more=f"(:constraints (preference c {constraint}))")
    assert wished.valid
    assert wished.violations == ({} if satisfied else {"c": 1})


def test_a_state_is_held_to_the_window_it_reaches_into() -> None:
    """From 2 to 3 the state at b, begun at 2, holds at 2.5, where the window opens.

    VAL looks only at states that begin within the window, and at the first of them only.
    """
    assert not judge(STATES, more="(:constraints (hold-during 2.5 2.7 (at a)))").valid


def test_hold_after_is_about_every_state_that_holds_after_its_time() -> None:
    """VAL looks only at states that begin at that time or later: it accepts all of these."""
    for time, condition in (("4.5", "(not (at a))"), ("5.5", "(at b)"), ("9", "(at a)")):
        constraint = f"(:constraints (hold-after {time} {condition}))"
        assert not judge(STATES, more=constraint).valid, constraint


def test_a_quantified_constraint_is_written_in_the_words_of_val() -> None:
    body = "(imply (and (at ?x) (not (p))) (exists (?y - place) (or (at ?y) (q))))"
    written = "(forall (?x - place ) (implies (and  (at ?x) (not (p))) (exists (?y - place ) (or  (at ?y) (q)))))"
    told = task(more=f"(:constraints (always (forall (?x - place) {body})))")
    text = val_text(told, STATES, validate(told, STATES), "p", verbose=True)
    assert f"Checking {written}\n" in text


def test_a_constraint_that_is_violated_early_names_the_step_and_the_rest_is_a_goal() -> None:
    early = judge(STATES, more="(:constraints (always (at a)))")
    assert (early.verdict, early.failed_step, early.time) == ("inapplicable", 1, 1)
    late = judge(STATES, more="(:constraints (sometime (s)))")
    assert late.verdict == "goal-not-satisfied"
    assert [str(one) for one in late.unmet_goals] == ["(sometime (s))"]


def test_a_plan_without_a_step_has_one_state_to_judge_by() -> None:
    constraint = "(or (sometime (s)) (and (always (p)) (forall (?x - place) (at-most-once (at ?x)))))"
    assert judge("", more=f"(:constraints {constraint})").valid


def test_constraints_hold_while_numbers_change() -> None:
    assert judge("1: (drain) [5]", more="(:constraints (sometime (and (< (f) 3.1) (> (f) 2.9))))").valid
    assert not judge("1: (drain) [3]", more="(:constraints (sometime (< (f) 4)))").valid
    assert judge("1: (drain) [5]", more="(:constraints (within 2 (<= (f) 8)))").valid


# ── tolerance ────────────────────────────────────────────────────────────────────────────────────


def test_a_report_says_which_tolerance_would_do() -> None:
    plan = "1: (make) [4.0003]\n7.0: (move a b) [1]\n8.01: (move b a) [1]"
    report = judge(plan, "(r)")
    assert not report.valid
    assert report.valid_tolerances == (Fraction("0.0003"), Fraction("0.1"))
    with_vals = validate(task("(r)"), plan, "x", VAL_TOLERANCE, VAL_TIME_TOLERANCE)
    assert with_vals.valid
    too_wide = validate(task("(r)"), plan, "x", VAL_TOLERANCE, Fraction("0.2"))
    assert not too_wide.valid
    assert too_wide.valid_tolerances == (Fraction("0.0003"), Fraction("0.1"))


def test_a_plan_that_no_tolerance_helps_says_nothing() -> None:
    assert judge("1: (unset)\n2: (make) [4]").valid_tolerances is None


# ── bad input ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("plan", "line", "reason"),
    [
        ("1: (tick)\n-1: (keep) [2]", 2, "it happens at -1, before the plan begins"),
        ("1: (keep) [-2]", 1, "its duration is negative, -2"),
        ("1: (tick) [2]", 1, "'tick' takes no time, but the plan gives it the duration 2"),
        ("1: (kep) [2]", 1, "the domain has no action 'kep'"),
        ("1: (move a) [1]", 1, "'move' takes 2 arguments, found 1"),
        ("1: (keep) [inf]", 1, "not an action"),
    ],
)
def test_bad_times_are_named_with_their_places(plan: str, line: int, reason: str) -> None:
    report = judge(plan)
    assert report.verdict == "bad-plan"
    assert (report.diagnostics[0].line, reason in report.diagnostics[0].message) == (line, True)


def test_one_action_may_not_overlap_itself() -> None:
    report = judge("1: (keep) [3]\n2: (keep) [3]")
    assert failure(report)[:3] == (2, "start", 2)
    assert "the same action, begun in step 1, has not ended yet" in report.diagnostics[0].message
    assert judge("1: (keep) [3]\n4.1: (keep) [3]").valid
    # VAL does not look.
    assert validate(task(), "1: (keep) [3]\n2: (keep) [3]", "x", VAL_TOLERANCE, VAL_TIME_TOLERANCE).valid


def test_json_has_what_time_adds() -> None:
    data = judge("1: (keep) [3]\n2.5: (unset)").as_json("x")
    assert (data["failed_step"], data["failed_time"], data["phase"], data["violations"]) == (1, 4, "over all", {})
    (cause,) = data["explanation"]  # type: ignore[misc]
    assert (cause["deleted_by_step"], cause["time"], cause["phase"]) == (2, 2.5, "action")


# ── fluents without a value, and divisions by zero ────────────────────────────────────────────────


UNSET_DOMAIN = """(define (domain d)
  (:requirements :adl :durative-actions :fluents :preferences :constraints :continuous-effects)
  (:predicates (p) (q)) (:functions (f) (g))
  (:durative-action a :parameters () :duration {duration} :condition (and (at start (p)) {condition})
    :effect (and (at end (q)) {effect})))"""
UNSET_PROBLEM = "(define (problem x) (:domain d) (:init (p) (= (g) 0)) (:goal (and (q) {goal})) {more})"


def judged(
    condition: str = "", effect: str = "", goal: str = "", more: str = "", duration: str = "(= ?duration 1)"
) -> tuple[str, str, list[str]]:
    """The verdict, what failed, and the unmet conditions; the forms of the text agree with them."""
    domain = UNSET_DOMAIN.format(duration=duration, condition=condition, effect=effect)
    task = parse_task(domain, UNSET_PROBLEM.format(goal=goal, more=more))
    for tolerances in ((0, 0), (VAL_TOLERANCE, VAL_TIME_TOLERANCE)):
        report = validate(task, "1: (a) [1]", "x", *tolerances)
        for verbose in (False, True):
            text = val_text(task, "1: (a) [1]", report, "x", verbose, *tolerances)
            assert ("Plan valid" in text) is report.valid
    unmet = [str(one) for one in (*report.unmet, *report.unmet_goals)]
    return report.verdict, report.phase or "", unmet


@pytest.mark.parametrize(
    ("condition", "effect", "phase", "unmet"),
    [
        ("(at start (> (f) 0))", "", "start", "(= (f) (f))"),
        ("(at end (> (f) 0))", "", "end", "(= (f) (f))"),
        ("(over all (> (f) 0))", "", "over all", "(= (f) (f))"),
        ("(at start (> (/ 1 (g)) 1))", "", "start", "(= (/ 1 (g)) (/ 1 (g)))"),
        ("", "(at end (increase (g) (f)))", "end", "(= (f) (f))"),
        ("", "(at end (scale-down (g) (g)))", "end", "(= (/ (g) 0) (/ (g) 0))"),
        ("", "(increase (g) (* #t (f)))", "over all", "(= (f) (f))"),
        ("", "(when (at start (> (f) 1)) (at end (increase (g) 1)))", "start", "(= (f) (f))"),
        ("", "(when (over all (> (f) 1)) (at end (increase (g) 1)))", "over all", "(= (f) (f))"),
        ("", "(when (at start (> (f) 1)) (increase (g) (* #t 1)))", "start", "(= (f) (f))"),
    ],
)
def test_what_an_action_reads_has_a_value(condition: str, effect: str, phase: str, unmet: str) -> None:
    assert judged(condition, effect) == ("inapplicable", phase, [unmet])


def test_advice_reads_only_values_that_there_are() -> None:
    # The first part fails by itself; VAL's advice would go on to read the second.
    assert judged("(at start (and (q) (> (f) 0)))") == ("inapplicable", "start", ["(q)", "(= (f) (f))"])
    assert judged("(over all (and (q) (> (f) 0)))")[2] == ["(q)", "(= (f) (f))"]


def test_a_duration_may_divide_by_zero() -> None:
    assert judged(duration="(= ?duration (/ 1 (g)))") == ("inapplicable", "start", ["(= ?duration (/ 1 (g)))"])


def test_a_goal_reads_only_values_that_there_are() -> None:
    assert judged(goal="(> (f) 1)") == ("goal-not-satisfied", "", ["(= (f) (f))"])
    assert judged(goal="(> (f) 1) (not (p))")[2] == ["(= (f) (f))", "(not (p))"]


@pytest.mark.parametrize(
    "condition",
    [
        "(preference x (at start (> (f) 1)))",
        "(preference x (at end (> (f) ?duration)))",
        "(preference x (over all (> (f) ?duration)))",
    ],
)
def test_a_preference_that_reads_no_value_is_violated(condition: str) -> None:
    assert judged(condition, more="(:metric minimize (is-violated x))")[0] == "valid"


def test_a_constraint_that_reads_no_value_is_violated() -> None:
    assert judged(more="(:constraints (sometime (> (f) 1)))")[0] == "goal-not-satisfied"
    assert judged(more="(:constraints (preference x (sometime (> (f) 1))))")[0] == "valid"


def test_the_duration_is_read_in_every_condition() -> None:
    condition = (
        "(over all (< ?duration (+ 2 (g)))) (at start (= ?duration 1)) (preference x (over all (< ?duration 2)))"
    )
    effect = "(when (at start (> ?duration 0)) (increase (g) (* #t 1)))"
    assert judged(condition, effect) == ("valid", "", [])
    assert judged("(over all (> ?duration (+ 1 (g))))", effect) == ("inapplicable", "over all", ["(> 1 (+ 1 (g)))"])


@pytest.mark.parametrize("duration", ["(over all (= ?duration 1))", "(at start (at end (= ?duration 1)))"])
def test_a_duration_has_no_other_times(duration: str) -> None:
    checked = check_domain(UNSET_DOMAIN.format(duration=duration, condition="", effect=""))
    assert "duration constraint" in checked.errors[0].message


# ── random tasks, beside a simulator of small steps ───────────────────────────────────────────────


ATOMS = ("p", "q", "r")
GRID = Fraction(1, 12)

Literals = tuple[tuple[str, bool], ...]


class Change(NamedTuple):
    """What one end of an action, or a timed literal, needs and does."""

    needs: Literals = ()
    sets: Literals = ()
    adds: int = 0
    """By how much the number f grows."""
    reads: int | None = None
    """The least value of f that it needs."""


class Durative(NamedTuple):
    start: Change
    over_all: Literals
    least: int | None
    """The least value of f over all of it."""
    end: Change
    rate: int
    duration: int


class Step(NamedTuple):
    time: int
    action: int


literals = st.dictionaries(st.sampled_from(ATOMS), st.booleans(), max_size=2).map(lambda d: tuple(d.items()))
changes = st.builds(Change, literals, literals, st.integers(-2, 2), st.none() | st.integers(-2, 2))
actions = st.builds(
    Durative,
    changes,
    st.dictionaries(st.sampled_from(ATOMS), st.booleans(), max_size=1).map(lambda d: tuple(d.items())),
    st.none() | st.integers(-2, 2),
    changes,
    st.integers(-1, 1),
    st.integers(1, 3),
)
steps = st.builds(Step, st.integers(1, 5), st.integers(0, 2))
timed = st.lists(st.tuples(st.integers(1, 6), st.sampled_from(ATOMS), st.booleans()), max_size=2)


# ── the simulator ────────────────────────────────────────────────────────────────────────────────


def interfere(one: Change, other: Change) -> bool:
    """Whether two changes may not happen at one time (Fox and Long 2003, definition 12)."""
    sets_one, sets_other = dict(one.sets), dict(other.sets)
    if any(atom in sets_other for atom, _ in one.needs) or any(atom in sets_one for atom, _ in other.needs):
        return True
    if any(sets_other.get(atom, value) is not value for atom, value in one.sets):
        return True
    return (one.reads is not None and other.adds != 0) or (other.reads is not None and one.adds != 0)


def reached(true: set[str], number: Fraction, needs: Literals, least: int | None) -> bool:
    return all((atom in true) is value for atom, value in needs) and (least is None or number >= least)


def valid(actions: list[Durative], plan: list[Step], init: set[str], literals: list[tuple[int, str, bool]]) -> bool:
    true, number = set(init), Fraction(0)
    running: list[tuple[Step, Durative]] = []
    ends = [step.time + actions[step.action].duration for step in plan]
    last = max([*ends, *[time for time, _, _ in literals], 0])
    for tick in range(int(last / GRID) + 1):
        time = tick * GRID
        if tick:
            number += sum(action.rate for _, action in running) * GRID
        for step, action in running:
            if step.time < time < step.time + action.duration and not reached(
                true, number, action.over_all, action.least
            ):
                return False
        now = [Change(sets=((atom, value),)) for at, atom, value in literals if at == time]
        now += [actions[step.action].start for step in plan if step.time == time]
        now += [actions[step.action].end for step in plan if step.time + actions[step.action].duration == time]
        if not all(reached(true, number, change.needs, change.reads) for change in now):
            return False
        if any(interfere(one, other) for one, other in combinations(now, 2)):
            return False
        for change in now:
            true = (true | {atom for atom, value in change.sets if value}) - {
                atom for atom, value in change.sets if not value
            }
            number += change.adds
        running = [item for item in running if item[0].time + item[1].duration != time]
        running += [(step, actions[step.action]) for step in plan if step.time == time]
        for step, action in running:
            # Behind a happening too, where an action has been running before it.
            if step.time < time and not reached(true, number, action.over_all, action.least):
                return False
    return True


# ── the same task as PDDL ────────────────────────────────────────────────────────────────────────


def condition(when: str, needs: Literals, least: int | None) -> str:
    parts = [f"({when} ({atom}))" if value else f"({when} (not ({atom})))" for atom, value in needs]
    if least is not None:
        parts.append(f"({when} (>= (f) {least}))" if least >= 0 else f"({when} (>= (f) (- {-least})))")
    return " ".join(parts)


def effect(when: str, change: Change) -> str:
    parts = [f"({when} ({atom}))" if value else f"({when} (not ({atom})))" for atom, value in change.sets]
    if change.adds:
        operator = "increase" if change.adds > 0 else "decrease"
        parts.append(f"({when} ({operator} (f) {abs(change.adds)}))")
    return " ".join(parts)


def as_pddl(number: int, action: Durative) -> str:
    conditions = (
        condition("at start", action.start.needs, action.start.reads),
        condition("over all", action.over_all, action.least),
        condition("at end", action.end.needs, action.end.reads),
    )
    rate = "" if not action.rate else f"({'increase' if action.rate > 0 else 'decrease'} (f) (* #t 1))"
    effects = (effect("at start", action.start), effect("at end", action.end), rate)
    return (
        f"(:durative-action a{number} :parameters () :duration (= ?duration {action.duration})"
        f" :condition (and {' '.join(conditions)}) :effect (and {' '.join(effects)}))"
    )


@settings(max_examples=80)
@given(
    st.lists(actions, min_size=3, max_size=3),
    st.lists(steps, min_size=1, max_size=3, unique_by=lambda step: step.action),
    st.sets(st.sampled_from(ATOMS)),
    timed,
)
def test_verdicts_are_those_of_small_steps(
    made: list[Durative], plan: list[Step], init: set[str], literals: list[tuple[int, str, bool]]
) -> None:
    if any(one[:2] == other[:2] and one[2] is not other[2] for one, other in combinations(literals, 2)):
        literals = literals[:1]
    domain = (
        "(define (domain d) (:requirements :adl :durative-actions :fluents :continuous-effects"
        f" :timed-initial-literals) (:predicates (p) (q) (r)) (:functions (f)) {''.join(map(as_pddl, range(3), made))})"
    )
    facts = [f"({atom})" for atom in sorted(init)]
    facts += [f"(at {time} ({atom}))" if value else f"(at {time} (not ({atom})))" for time, atom, value in literals]
    task = parse_task(domain, f"(define (problem x) (:domain d) (:init {' '.join(facts)} (= (f) 0)) (:goal (and)))")
    text = "\n".join(f"{step.time}: (a{step.action}) [{made[step.action].duration}]" for step in plan)
    assert validate(task, text).valid is valid(made, plan, init, literals), text

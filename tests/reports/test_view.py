"""Runs as pages show them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from pddl2nl.policies.events import Fault, Finished, Read, Replied
from pddl2nl.reports import read_record, recheck
from pddl2nl.reports.html.run import NOT_REACHED, ReplyPiece, run_turns, turns_of


def test_an_interactive_run_has_a_turn_for_every_call(write, act_events, hostile):
    turns = turns_of(read_record(write("one", act_events)))
    assert [[step.status for step in turn.steps] for turn in turns] == [
        ["looked-around"],
        ["inapplicable"],
        ["unreadable"],
        ["executed"],
        ["executed"],
    ]
    assert [turn.steps[0].mistake for turn in turns] == [False, True, True, False, False]
    assert turns[1].steps[0].unmet == ("(holding a)",)
    assert turns[1].steps[0].rule == "snippet"
    assert turns[1].calls[0].prompt.kept == 2
    assert turns[2].calls[0].reply == (ReplyPiece(hostile, "unreadable", 3),)
    assert turns[3].calls[0].reply == (ReplyPiece("Action: "), ReplyPiece("pick up a from the table", "executed", 4))
    assert turns[3].steps[0].added == ("(holding a)",)
    assert [turn.steps[0].goal for turn in turns] == [False, False, False, False, True]


def test_lines_behind_the_first_broken_link_are_shown_as_not_reached(write, basic_events):
    (turn,) = turns_of(read_record(write("one", basic_events)))
    assert [step.status for step in turn.steps] == ["inapplicable", NOT_REACHED]
    assert [piece.status for piece in turn.calls[0].reply] == ["", "inapplicable", "", NOT_REACHED, ""]


def test_a_planners_plan_is_shown_with_its_effects(write, planned):
    (turn,) = turns_of(read_record(write("one", planned)))
    assert [step.action for step in turn.steps] == ["(pick-up a)", "(stack a b)"]
    assert turn.steps[0].added == ("(holding a)",)
    assert set(turn.steps[0].deleted) == {"(handempty)", "(clear a)", "(ontable a)"}
    assert [step.goal for step in turn.steps] == [False, True]


@given(st.text(max_size=30), st.lists(st.tuples(st.integers(-2, 35), st.integers(-2, 35)), max_size=5))
def test_no_character_of_a_reply_is_lost_whatever_the_spans(text, spans):
    reads = [Read(step, "unreadable", "", start=start, end=end) for step, (start, end) in enumerate(spans, 1)]
    turns = run_turns([_prompt(), Replied(1, text), *reads])
    assert "".join(piece.text for piece in turns[0].calls[0].reply) == text


def _prompt():
    from pddl2nl.policies.events import Prompted

    return Prompted(1, "planner", 0, (), "sha")


def test_a_plan_that_reaches_the_goal_and_breaks_behind_it_is_judged_by_what_was_executed(write, basic_events):
    plan = ("(pick-up a)", "(stack a b)")
    end = Finished("unreadable", Fault(3, "unreadable", "dance"), plan, plan, steps=3)
    assert recheck(read_record(write("one", [*basic_events[:-1], end]))).agrees
    lie = structs.replace(end, outcome="goal-missed")
    assert not recheck(read_record(write("two", [*basic_events[:-1], lie]))).agrees


NUMERIC_DOMAIN = """(define (domain jars) (:requirements :adl :numeric-fluents)
  (:predicates (shut)) (:functions (level) (mark ?x))
  (:action fill :parameters () :precondition (or (shut) (< (level) 2)) :effect (increase (level) 1.5))
  (:action twice :parameters (?x ?y) :effect (and (assign (mark ?x) 1) (assign (mark ?y) 2))))
"""
NUMERIC_PROBLEM = "(define (problem jar) (:domain jars) (:objects a) (:init (= (level) 0)) (:goal (>= (level) 3)))"


def _numeric(planned, *plan):
    texts = {"domain_pddl": NUMERIC_DOMAIN, "problem_pddl": NUMERIC_PROBLEM}
    return structs.replace(planned, **texts, planner="random", plan=plan)


def test_numbers_and_what_fails_as_a_whole_are_shown(write, planned):
    (turn,) = turns_of(read_record(write("one", _numeric(planned, "(fill)", "(fill)", "(fill)"))))
    assert [step.changed for step in turn.steps] == [("(= (level) 1.5)",), ("(= (level) 3)",), ()]
    assert [step.status for step in turn.steps] == ["executed", "executed", "inapplicable"]
    assert turn.steps[-1].unmet == ("(or (shut) (< (level) 2))",)


def test_effects_that_contradict_each_other_are_not_shown_as_executed(write, planned):
    record = read_record(write("one", _numeric(planned, "(fill)", "(twice a a)")))
    (turn,) = turns_of(record)
    assert [step.status for step in turn.steps] == ["executed", "inapplicable"]
    assert (recheck(record).verdict, recheck(record).agrees) == ("inapplicable", False)


def test_calls_before_the_run_are_a_turn_of_their_own_and_say_how_they_were_paid(write, act_events):
    from pddl2nl.policies.events import Failed, Prompted

    before = [
        Prompted(1, "wording", 0, (), "sha"),
        Replied(1, "{?x} is clear", from_cache=True, tariff="batch"),
        Prompted(2, "thoughts", 0, (), "sha", sample=2),
        Failed(2, "too long <b>", context_window=True),
    ]
    record = read_record(write("one", [act_events[0], *before, *act_events[1:]]))
    first, second, *_ = turns_of(record)
    assert first.steps == ()
    assert [(call.prompt.purpose, call.paid, call.failure, call.prompt.sample) for call in first.calls] == [
        ("wording", "from our cache, by the batch tariff", "", 0),
        ("thoughts", "", "too long <b>", 2),
    ]
    assert [call.prompt.purpose for call in second.calls] == ["planner"]
    assert len(second.steps) == 1


def test_a_reply_to_nothing_that_was_asked_is_shown_all_the_same(write, act_events):
    foreign = [event for event in act_events if event.event != "prompted"]
    turns = turns_of(read_record(write("one", foreign)))
    assert [step.status for turn in turns for step in turn.steps][-1] == "executed"
    assert turns[0].calls[0].prompt.messages == ()

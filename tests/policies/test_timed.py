"""Policies in tasks with time: plans with times, sequences that are scheduled, and one action after the other."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pddl2nl.llm import ScriptedModel
from pddl2nl.nl import Reader, Teller, make_names
from pddl2nl.nl.wording.template import template_wording
from pddl2nl.pddl import Task, parse_task
from pddl2nl.policies import Episode, Limits, RunEvent, Setting, make_policy
from pddl2nl.policies.events import Acted, Finished
from pddl2nl.policies.spec import RunSpec
from pddlval import GroundAction, acting_simulator, validate
from pddlval.temporal.sequences import schedule

CELLAR = """(define (domain cellar) (:requirements :typing :durative-actions :fluents)
  (:types lamp fuse) (:predicates (new ?l - lamp) (light) (free) (mended ?f - fuse)) (:functions (work ?f - fuse))
  (:durative-action burn :parameters (?l - lamp) :duration (= ?duration 10)
    :condition (and (at start (new ?l)) (over all (light)))
    :effect (and (at start (not (new ?l))) (at start (light)) (at end (not (light)))))
  (:durative-action mend :parameters (?f - fuse) :duration (= ?duration (work ?f))
    :condition (and (at start (free)) (over all {light}))
    :effect (and (at start (not (free))) (at end (free)) (at end (mended ?f)))))"""
FUSES = """(define (problem fuses) (:domain cellar) (:objects l1 l2 - lamp f1 f2 - fuse)
  (:init (free) (new l1) (new l2) (= (work f1) 6) (= (work f2) 5) (at 20 (not (free))))
  (:goal (and (mended f1) (mended f2))) (:metric minimize (total-time)))"""
DARK, BRIGHT = CELLAR.format(light="(light)"), CELLAR.format(light="(and)")
"""Fuses that are mended by light only, or always."""


def episode(task: Task, replies: list[str], policy: str) -> tuple[Finished, list[RunEvent]]:
    wording = template_wording(task.domain)
    names = make_names(task, "original")
    setting = Setting(RunSpec(task), acting_simulator(task), Teller(task, wording, names), Reader(task, wording, names))
    events: list[RunEvent] = []
    episode = Episode(setting, ScriptedModel(replies), limits=Limits(10), emit=events.append)
    return episode.play(make_policy(policy)), events


BURN, MEND = "apply the action 'burn' to lamp {}", "apply the action 'mend' to fuse {}"
SEQUENCE = [BURN.format("l1"), MEND.format("f1"), BURN.format("l2"), MEND.format("f2")]
TIMES = [("0", "10"), ("0.5", "6"), ("10.5", "10"), ("11", "5")]


def test_a_reply_with_times_is_judged_by_them() -> None:
    task = parse_task(DARK, FUSES)
    lines = [f"at {time}, {said}, for {long}" for said, (time, long) in zip(SEQUENCE, TIMES, strict=True)]
    finished, _ = episode(task, ["\n".join(lines)], "basic")
    assert (finished.outcome, finished.cost) == ("solved", "41/2")
    finished, _ = episode(task, ["\n".join(reversed(lines))], "basic")
    assert finished.outcome == "solved"
    finished, _ = episode(task, ["\n".join(lines).replace("at 11", "at 9")], "basic")
    assert finished.outcome == "inapplicable"
    assert finished.fault is not None
    assert "'light' no longer holds" in finished.message


def test_a_sequence_is_scheduled() -> None:
    finished, events = episode(parse_task(DARK, FUSES), ["\n".join(SEQUENCE)], "basic")
    assert finished.outcome == "solved"
    told = [event.text for event in events if isinstance(event, Acted)]
    # Both lamps at once would leave the second fuse in the dark: the second one waits for the first.
    assert told[:2] == [f"at 0.001, {SEQUENCE[0]}, for 10", f"at 0.001, {SEQUENCE[1]}, for 6"]
    assert told[2].startswith("at 10.002, ")


def test_an_impossible_sequence_is_inapplicable_and_numbers_alone_are_no_times() -> None:
    dark = "\n".join(f"{number}. {said}" for number, said in enumerate(SEQUENCE[1:], start=1))
    finished, _ = episode(parse_task(DARK, FUSES), [dark], "basic")
    assert (finished.outcome, finished.plan) == ("inapplicable", ())


def test_actions_follow_each_other_and_observations_tell_the_time() -> None:
    finished, events = episode(parse_task(BRIGHT, FUSES), [MEND.format("f1"), MEND.format("f2")], "act")
    assert finished.outcome == "solved"
    acted = [event for event in events if isinstance(event, Acted)]
    assert [event.observation.rpartition(". ")[2] for event in acted] == ["It is 6.001 now.", "It is 11.002 now."]
    assert "(= (total-time) 6.001)" in acted[0].changed


def test_timed_literals_pass_by_while_an_action_lasts() -> None:
    simulator = acting_simulator(parse_task(BRIGHT, FUSES))
    followed = simulator.follow(simulator.initial, ("(burn l1)", "(burn l2)"))
    assert followed.complete
    state, (_, after) = followed.state, followed.steps
    assert after.deleted == (("free",), ("new", "l2"))
    assert not simulator.is_applicable(state, "(mend f1)")
    assert [str(action) for action in simulator.applicable(simulator.initial)] == [
        "(burn l1)",
        "(burn l2)",
        "(mend f1)",
        "(mend f2)",
    ]


@pytest.mark.parametrize("domain", [DARK, BRIGHT])
def test_a_schedule_is_valid_and_keeps_the_order(domain: str) -> None:
    task = parse_task(domain, FUSES)
    actions = [GroundAction.parse(text) for text in ("(burn l1)", "(mend f1)", "(burn l2)", "(mend f2)")]
    plan = schedule(task, actions)
    assert plan.actions == tuple(actions)
    times = [step.time or Fraction(0) for step in plan.steps]
    assert times == sorted(times)
    assert validate(task, plan).valid


def test_no_scheduled_action_starts_before_the_one_before_it() -> None:
    # One hand mends one fuse after the other; the lamp could be lit at once, but it is told last.
    plan = schedule(
        parse_task(BRIGHT, FUSES), [GroundAction.parse(text) for text in ("(mend f1)", "(mend f2)", "(burn l1)")]
    )
    first, second, third = (step.time or Fraction(0) for step in plan.steps)
    assert first < second <= third

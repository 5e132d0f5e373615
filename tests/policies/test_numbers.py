"""Episodes on tasks with numbers, disjunctions, conditional effects and derived predicates."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from pddl2nl.llm import ScriptedCall, ScriptedModel, ScriptedReply
from pddl2nl.nl import Teller, make_names, template_wording
from pddl2nl.pddl import Task, parse_task
from pddl2nl.policies import Episode, Limits, RunEvent, make_policy
from pddl2nl.policies.events import Acted, Finished, Prompted, ToolCalled
from pddlval import GroundAction, Simulator, acting_simulator, validate
from pddlval.temporal.sequences import schedule
from tests.settings import plain_setting

DOMAIN = """(define (domain kitchen)
  (:requirements :adl :numeric-fluents :derived-predicates)
  (:types jug)
  (:predicates (wet ?j - jug) (dry) (spilt))
  (:functions (level ?j - jug) (size ?j - jug) (weight ?j - jug))
  (:derived (dry) (not (exists (?j - jug) (wet ?j))))
  (:action fill :parameters (?j - jug)
    :precondition (and (or (dry) (wet ?j)) (< (level ?j) (size ?j)))
    :effect (and (assign (level ?j) (size ?j)) (wet ?j) (when (> (level ?j) 0) (spilt))))
  (:action empty :parameters (?j - jug) :precondition (> (level ?j) 0)
    :effect (and (assign (level ?j) 0) (not (wet ?j))))
  (:action pour :parameters (?a ?b - jug) :precondition (not (= ?a ?b))
    :effect (and (increase (level ?b) (level ?a)) (assign (level ?a) 0)))
  (:action twist :parameters (?a ?b - jug) :effect (and (assign (level ?a) 1) (assign (level ?b) 2)))
  (:action weigh :parameters (?j - jug) :precondition (> (weight ?j) 1) :effect (spilt)))
"""
PROBLEM = """(define (problem jugs) (:domain kitchen) (:objects big small - jug)
  (:init (= (level big) 0) (= (level small) 0) (= (size big) 5) (= (size small) 2.5))
  (:goal (and (dry) (= (level small) 5) (not (spilt)))))
"""


def play(policy: str, replies: list[str], style: str = "nl") -> tuple[Finished, list[Any]]:
    task = parse_task(DOMAIN, PROBLEM)
    options = {"names": "original", "style": style}
    setting = plain_setting(task, options=options)
    events: list[RunEvent] = []
    episode = Episode(setting, ScriptedModel(replies), limits=Limits(20), emit=events.append)
    return episode.play(make_policy(policy)), events


def observations(events: list[Any]) -> list[str]:
    return [event.observation for event in events if event.event in ("acted", "rejected", "looked-around")]


TURNS = [
    "Action: (fill big)",
    "Action: (fill small)",
    "Action: (twist big big)",
    "Action: (weigh big)",
    "Action: look around",
    "Action: finished",
    "Action: (pour big small)",
    "Action: (empty big)",
]


def test_every_turn_is_answered_with_what_the_numbers_are_now() -> None:
    finished, events = play("act", TURNS, "pddl")
    assert observations(events) == [
        "The action (fill big) was successfully executed.",
        "The action (fill small) is not applicable because (or (dry) (wet small)) is false.",
        "The action (twist big big) is not applicable because (level big) would be changed in more than one way at "
        "once.",
        "The action (weigh big) is not applicable because (weight big) has no value.",
        "(:init\n  (wet big)\n  (= (level big) 5)\n  (= (level small) 0)\n  (= (size big) 5)\n  (= (size small) 2.5))"
        "\n\n(:goal (and (dry) (= (level small) 5) (not (spilt))))",
        "The goal is not reached because (dry) is false and (= (level small) 5) is false with (= (level small) 0).",
        "The action (pour big small) was successfully executed.",
        "The action (empty big) is not applicable because (> (level big) 0) is false with (= (level big) 0).",
    ]
    assert (finished.steps, finished.mistakes) == (8, 4)


def test_the_same_in_language() -> None:
    said = [turn.replace("(", "").replace(")", "") for turn in TURNS]
    words = ["Action: apply the action 'fill' to jug big", said[4], said[5]]
    _, events = play("act", [*words, "Action: apply the action 'twist' to jug big and jug big"])
    assert observations(events) == [
        "I apply the action 'fill' to jug big.",
        "Currently, big is 'wet'\nand the value of 'level' for big is 5\nand the value of 'level' for small is 0\n"
        "and the value of 'size' for big is 5\nand the value of 'size' for small is 2.5.\n\n"
        "My goal is that in the end 'dry' holds\nand the value of 'level' for small is equal to 5\n"
        "and it is not the case that 'spilt' holds.",
        "My goal is not reached yet because 'dry' does not hold, and the value of 'level' for small is 0, which is "
        "not equal to 5.",
        "I cannot apply the action 'twist' to jug big and jug big because it would change the value of 'level' for "
        "big in more than one way at once.",
    ]


def test_events_say_what_became_of_the_numbers_and_what_was_unmet() -> None:
    _, events = play("act", TURNS, "pddl")
    acted = [event for event in events if event.event == "acted"]
    assert [(event.added, event.deleted, event.changed) for event in acted] == [
        (("(wet big)",), (), ("(= (level big) 5)",)),
        ((), (), ("(= (level small) 5)", "(= (level big) 0)")),
    ]
    rejected = [event for event in events if event.event == "rejected"]
    assert [event.unmet for event in rejected] == [
        ("(or (dry) (wet small))",),
        (),
        ("(= (weight big) (weight big))",),
        ("(dry)", "(= (level small) 5)"),
        ("(> (level big) 0)",),
    ]


@pytest.mark.parametrize("style", ["nl", "pddl"])
@pytest.mark.parametrize(
    ("plan", "outcome"),
    [
        (["(fill small)", "(pour small big)", "(fill small)", "(pour big small)", "(empty small)"], "goal-missed"),
        (["(fill big)", "(pour big small)", "(empty big)"], "inapplicable"),
        (["(fill big)", "(twist small small)"], "inapplicable"),
    ],
)
def test_whole_plans_are_judged(plan: list[str], outcome: str, style: str) -> None:
    task = parse_task(DOMAIN, PROBLEM)
    if style == "nl":
        from pddlval import GroundAction

        teller = Teller(task, template_wording(task.domain), make_names(task, "original"))
        plan = [teller.action(GroundAction.parse(action)) for action in plan]
    finished, _ = play("basic", ["\n".join(["[PLAN]", *plan, "[PLAN END]"])], style)
    assert finished.outcome == outcome


def test_a_state_is_told_the_same_whatever_led_to_it() -> None:
    task = parse_task(DOMAIN, PROBLEM)
    simulator = Simulator(task)
    teller = Teller(task, template_wording(task.domain), make_names(task))

    def after(*plan: str) -> str:
        followed = simulator.follow(simulator.initial, plan)
        assert followed.complete
        return teller.state(followed.state)

    there = after("(fill big)", "(empty big)", "(fill small)", "(empty small)")
    assert there == after("(fill small)", "(empty small)") == after()
    assert "dry" not in there, "what is derived follows, and is not told as if it were changed by itself"


# ── tasks with time ──────────────────────────────────────────────────────────────────────────────


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


def episode(
    task: Task, replies: Sequence[str | ScriptedReply], policy: str, **options: Any
) -> tuple[Finished, list[RunEvent]]:
    setting = plain_setting(task, options={"names": "original"})
    events: list[RunEvent] = []
    episode = Episode(setting, ScriptedModel(replies), limits=Limits(10), emit=events.append)
    return episode.play(make_policy(policy, options)), events


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


def test_plans_with_times_are_explained_by_their_times() -> None:
    lines = [f"at {time}, {said}, for {long}" for said, (time, long) in zip(SEQUENCE, TIMES, strict=True)]
    early = [line.replace("at 11", "at 9") for line in lines]
    _, events = episode(parse_task(DARK, FUSES), ["\n".join(early)] * 2, "basic", rounds=1)
    *_, asked_again = (event for event in events if isinstance(event, Prompted))
    assert "'light' no longer holds" in asked_again.messages[-1].content
    asked = [ScriptedCall("validate_plan", {"plan": plan}) for plan in (early, lines)]
    _, events = episode(parse_task(DARK, FUSES), [ScriptedReply("", calls=(call,)) for call in asked], "tools-plan")
    broken, valid = (event.result for event in events if isinstance(event, ToolCalled))
    assert "'light' no longer holds" in broken
    assert valid == "The plan is valid."


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

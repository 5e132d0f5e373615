"""Episodes on tasks with numbers, disjunctions, conditional effects and derived predicates."""

from __future__ import annotations

from typing import Any

import pytest

from pddl2nl.llm import ScriptedModel
from pddl2nl.nl import Reader, Teller, make_names, template_wording
from pddl2nl.pddl import parse_task
from pddl2nl.policies import Episode, Limits, Setting, make_policy
from pddl2nl.policies.events import Finished, RunEvent
from pddl2nl.policies.pddl_reading import PDDLReader
from pddl2nl.policies.spec import RunSpec
from pddlval import Simulator

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
    simulator = Simulator(task)
    wording = template_wording(task.domain)
    names = make_names(task, "original")
    reader = Reader(task, wording, names) if style == "nl" else PDDLReader(simulator)
    teller = Teller(task, wording, names, style)
    events: list[RunEvent] = []
    setting = Setting(RunSpec(task, style=style), simulator, teller, reader)
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

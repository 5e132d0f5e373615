"""From replies to actions: the reader first, then the paper's mapper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from pddl2nl.nl import Reader, Teller, choose_wording, make_names, wording_from_json
from pddl2nl.pddl import parse_task
from pddl2nl.systems.hvr.mapping import ActionMapper, MappedReply
from pddl2nl.tasks import shipped_task
from pddlval import Simulator
from tests.policies.conftest import DOMAIN, PROBLEM, WORDING

LIFT, PUT = "(lift red table)", "(put red shelf)"


def _map(text: str, most: int = 50, **options: Any) -> MappedReply:
    task = parse_task(DOMAIN, PROBLEM)
    simulator = Simulator(task)
    wording = wording_from_json(WORDING, task.domain, "the test's wording")
    names = make_names(task, "typed")
    mapper = ActionMapper(simulator, Teller(task, wording, names), Reader(task, wording, names), **options)
    return mapper.map(text, simulator.initial, most)


def _actions(text: str, **options: Any) -> list[str]:
    return list(map(str, _map(text, **options).actions))


@pytest.mark.parametrize(
    "text",
    [
        "I lift cup_0 from place_1 and put it away.\nActions:\nlift cup_0 from place_1\nput cup_0 on place_0",
        "**Actions:**\n1. lift cup_0 from place_1\n2. put cup_0 on place_0",
        "## Actions:\n- (lift red table)\n- (put red shelf)",
        "actions:\n```\nlift cup_0 from place_1\nput cup_0 on place_0\n```",
        # Without the line, as everywhere else.
        "1. lift cup_0 from place_1\n2. put cup_0 on place_0",
        # Calls, as the paper writes them, in its spelling of names.
        "Actions:\nlift(Cup-0, Place-1)\nput(cup_0, place_0)",
        "Actions:\n(lift, Cup_0, Place_1)\n(put, cup_0, place_0)",
        "Actions:\nlift_up(cup_0, place_1)\nput_on(cup_0, place_0)",
        "Actions:\n1. lift(red, table)\n2. put(red, shelf)\n\nNow the red cup is on the shelf, as the task wanted it.",
        # An object that is not said, where the state leaves just one.
        "Actions:\nlift(cup_0)\nput(cup_0, place_0)",
        # Two parts in the other order.
        "Actions:\nlift(place_1, cup_0)\nput(cup_0, place_0)",
        # Which one it is follows from the state: the cup that is held.
        "Actions:\nlift cup_0 from place_1\nput the cup on place_0",
        "Actions:\nlift(Cup-0, Place-1)\nput(Cup, Place-0)",
        # A slip.
        "Actions:\nlift cup_0 off place_1\nput cup_0 onto place_0",
    ],
)
def test_a_plan_is_read(text: str) -> None:
    found = _map(text)
    assert list(map(str, found.actions)) == [LIFT, PUT]
    assert found.unread == ()


def test_what_is_mapped_says_so() -> None:
    (reading,) = _map("Actions:\nlift_up(cup_0, place_1)").readings
    assert reading.status == "read"
    assert reading.rule.endswith("mapped")


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("lift(cup_7, place_1)", True),
        ("teleport(cup_0, place_1)", True),
        ("(dance)", True),
        ("lift cup_9 from place_1", True),
        # Either cup could be meant.
        ("lift the cup from place_1", True),
        # Few words that name an object are meant as an action, whatever they are.
        ("Grab cup_0", True),
        ("- Grab cup_0 and hold it tight above all else", True),
        ("put the broken cup_1 on place_0", True),
        # Not meant as an action at all.
        ("That is all.", False),
        ("The cup is on the shelf now and so everything is done as it should be.", False),
        ("```", False),
    ],
)
def test_what_is_near_to_nothing_stays_unread(line: str, kept: bool) -> None:
    found = _map(f"Actions:\n{line}\nput cup_0 on place_0")
    assert list(map(str, found.actions)) == [PUT]
    assert [line.removeprefix("- ") for line in found.unread] == ([line.removeprefix("- ")] if kept else [])


def test_what_could_be_either_of_two_stays_unread() -> None:
    assert _map("Actions:\nlift(place_1)").actions == ()


def _embed(texts: Sequence[str]) -> list[list[float]]:
    """Vectors by meaning, as far as this little world needs any."""
    kinds = [("grab", "lift"), ("place", "put"), ("break", "smash"), ("crimson", "cup 0", "red"), ("cup 1", "blue")]
    kinds += [("board", "place 0", "shelf"), ("place 1", "table")]
    return [
        [float(any(word in text.split() or text == word for word in kind)) + 0.01 for kind in kinds] for text in texts
    ]


def test_with_embeddings_the_nearest_is_taken() -> None:
    assert _actions("Actions:\ngrab(crimson, table)", embed=_embed) == [LIFT]
    assert _actions("Actions:\ngrab(crimson, table)") == []


def test_no_more_is_read_than_is_wanted() -> None:
    assert len(_map("Actions:\n" + "lift(red, table)\n" * 1000, most=5).actions) == 5
    found = _map("Actions:\n" + "".join(f"fly(cup_0, {number})\n" for number in range(1000)), most=5)
    assert len(found.unread) == len(found.readings) == 5


@pytest.mark.parametrize(
    ("line", "action"),
    [
        # As near to one action as to another: that which can never be executed is not meant.
        ("put(Egg-1, Pan-1)", "(put-in egg-1 pan-1)"),
        ("toggle_on(Stove)", "(toggle-on stove-knob-1)"),
        # More is said than the action has parameters.
        ("pick_up(Egg-1, Countertop-1)", "(pick-up egg-1)"),
        ("slice_obj(Bread-1, Knife-1)", "(slice-obj bread-1)"),
        # The only bread, named by its class in a line that is no call.
        ("slice the bread up", "(slice-obj bread-1)"),
        # The words of a name in another order.
        ("pick_up(cracked egg)", "(pick-up egg-cracked-1)"),
        # The robot can walk to either part of the stove.
        ("navigate_to_obj(Stove)", None),
    ],
)
def test_what_never_changes_settles_what_is_meant(line: str, action: str | None) -> None:
    task = shipped_task("kitchen", "t03")
    simulator, wording = Simulator(task), choose_wording(None, task.domain)
    names = make_names(task, "typed", wording)
    mapper = ActionMapper(simulator, Teller(task, wording, names), Reader(task, wording, names))
    found = mapper.map(f"Actions:\n{line}", simulator.initial, 50)
    assert list(map(str, found.actions)) == ([] if action is None else [action])


def test_an_object_that_stands_for_two_parameters_is_said_once() -> None:
    text = """(define (domain ropes) (:predicates (loose ?r))
      (:action knot :parameters (?a ?b) :precondition (and (loose ?a) (loose ?b)) :effect (not (loose ?a))))"""
    task = parse_task(
        text, "(define (problem p) (:domain ropes) (:objects red blue) (:init (loose red)) (:goal (and)))"
    )
    simulator, wording = Simulator(task), choose_wording(None, task.domain)
    names = make_names(task, "original")
    mapper = ActionMapper(simulator, Teller(task, wording, names), Reader(task, wording, names))
    assert list(map(str, mapper.map("Actions:\nknot(red)", simulator.initial, 50).actions)) == ["(knot red red)"]

"""The commands of a robot: their file, and the actions that carry them out in a state."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.pddl import write_condition
from pddl2nl.systems.brainbody.primitives import Command, ground, parse_robot, robot_of_actions
from pddl2nl.tasks import shipped_domain
from pddl2nl.tasks.shipped import authored_domains
from pddlval import GroundAction, Simulator
from pddlval.formulas import names_in, predicates_in
from tests.systems.brainbody.conftest import HOUSEHOLD, robot_of

DOMAIN = HOUSEHOLD.domain
ROBOT = robot_of(HOUSEHOLD)
SIMULATOR = Simulator(HOUSEHOLD.task("v05"))


def grounded(text: str, *before: str) -> GroundAction:
    """The action of a command, ``grab salmon``, after some actions."""
    state = SIMULATOR.initial
    for action in before:
        after = SIMULATOR.step(state, action).successor
        assert after is not None
        state = after
    word, *args = text.split()
    primitive = ROBOT.primitive(word)
    assert primitive is not None
    return ground(Command(primitive, tuple(args)), state, SIMULATOR)


AT_FRIDGE = "(walk fridge livingroom kitchen livingroom)"


@pytest.mark.parametrize(
    ("text", "before", "action"),
    [
        # Places, rooms and hands are those of the state.
        ("walk fridge", (), AT_FRIDGE),
        ("grab salmon", (AT_FRIDGE, "(open fridge right)"), "(take-out salmon fridge right)"),
        ("open fridge", (AT_FRIDGE,), "(open fridge right)"),
        # A thing stands for the place where it is.
        ("walk salmon", (), AT_FRIDGE),
        ("run mug", (), "(walk coffeetable livingroom livingroom livingroom)"),
        # Where nothing is applicable, the failure is that of the action that was meant.
        ("grab salmon", (AT_FRIDGE,), "(take-out salmon fridge right)"),
        ("grab novel", (), "(grab novel coffeetable right)"),
        ("grab milk", (), "(take-out milk fridge right)"),
        ("touch salmon", (), "(touch-item salmon right)"),
        # The types allow none: the simulator refuses the first.
        ("open salmon", (), "(open salmon right)"),
        ("putin fridge salmon", (), "(putin fridge salmon right)"),
    ],
)
def test_a_command_is_carried_out_by_the_action_that_fits_the_state(text: str, before: Any, action: str) -> None:
    assert str(grounded(text, *before)) == action


CLOSED = [
    (atom[1], atom[2])
    for atom in SIMULATOR.task.problem.init
    if atom[0] == "inside" and ("can-open", atom[2]) in SIMULATOR.task.problem.init
]


@pytest.mark.parametrize(("thing", "place"), CLOSED)
def test_what_is_in_a_closed_container_is_refused_because_it_is_closed(thing: str, place: str) -> None:
    """The action that was meant fails; in front of the container, only because it is closed."""
    shut = f"(or (not (can-open {place})) (is-open {place}))"
    walk, open_, grab = grounded(f"walk {place}"), f"open {place}", f"grab {thing}"
    far = SIMULATOR.step(SIMULATOR.initial, grounded(grab))
    assert {*map(write_condition, far.unmet)} == {f"(at {place})", shut}
    near = SIMULATOR.step(SIMULATOR.initial, walk).successor
    assert near is not None
    assert [*map(write_condition, SIMULATOR.step(near, grounded(grab, str(walk))).unmet)] == [shut]
    opened = SIMULATOR.step(near, grounded(open_, str(walk))).successor
    assert opened is not None
    assert SIMULATOR.step(opened, grounded(grab, str(walk), str(grounded(open_, str(walk))))).successor is not None


def test_a_wrong_order_is_refused_by_what_comes_too_early() -> None:
    """Of every shipped plan each step, one earlier: what is unmet is what the step before brings about."""
    for reference in HOUSEHOLD.references[::9]:
        simulator = Simulator(HOUSEHOLD.task(reference.instance))
        state = simulator.initial
        plan = [GroundAction.parse(action) for action in reference.ways[0].plan]
        for action, later in pairwise(plan):
            command = ROBOT.command_of(later, DOMAIN)
            assert command is not None
            early = simulator.step(state, ground(command, state, simulator))
            after = simulator.step(state, action)
            assert after.successor is not None
            if early.successor is None:
                changed = {name for atom in (*after.added, *after.deleted) for name in atom}
                assert any(changed & {*names_in(each), *predicates_in(each)} for each in early.unmet), (
                    later,
                    early.unmet,
                )
            state = after.successor


def test_every_action_of_the_shipped_plans_is_a_command() -> None:
    for reference in HOUSEHOLD.references[::9]:
        simulator = Simulator(HOUSEHOLD.task(reference.instance))
        state = simulator.initial
        for action in map(GroundAction.parse, reference.ways[0].plan):
            command = ROBOT.command_of(action, DOMAIN)
            assert command is not None
            after = simulator.step(state, ground(command, state, simulator)).successor
            assert after is not None
            state = after
        assert simulator.is_goal(state)


def test_a_domain_without_a_file_has_a_command_for_each_action() -> None:
    robot = robot_of_actions(shipped_domain("blocksworld").domain)
    assert [str(primitive) for primitive in robot.primitives] == [
        "[pick-up] <ob>",
        "[put-down] <ob>",
        "[stack] <ob> <underob>",
        "[unstack] <ob> <underob>",
    ]


def test_shipped_robots_fit_their_domains_and_are_written_as_they_are_read() -> None:
    shipped = [shipped_domain(name) for name in authored_domains()]
    shipped = [each for each in shipped if (each.folder / "robot.json").is_file()]
    assert shipped
    for each in shipped:
        assert parse_robot(robot_of(each).text, each.domain) == robot_of(each)


GRAB = {"name": "grab", "slots": ["x"], "actions": [{"action": "grab", "slots": {"x": "?x"}}]}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"format": 2}, "format 2 is not known; this version reads format 1"),
        ({"hidden": ["opened"]}, "hidden: the domain has no predicate opened"),
        ({"negated": {"is-open": "openable"}}, "negated: the domain has no predicate openable"),
        ({"negated": {"is-open": "way"}}, "negated: is-open and way are about different numbers of objects"),
        ({"no-ops": ["grab"]}, "the word grab stands for more than one command"),
        ({"primitives": [{**GRAB, "actions": []}]}, "primitive grab: it names no action"),
        ({"primitives": [{**GRAB, "actions": [{"action": "grap"}]}]}, "no action grap; did you mean 'grab'?"),
        ({"primitives": [{**GRAB, "actions": [{"action": "grab"}]}]}, "action grab must map the slots x"),
        (
            {"primitives": [{**GRAB, "actions": [{"action": "grab", "slots": {"x": "?y"}}]}]},
            "action grab has no parameter ?y",
        ),
        (
            {"primitives": [{**GRAB, "actions": [{"action": "grab", "slots": {"x": "?x"}, "located": ["at"]}]}]},
            "located: at is no predicate of two objects",
        ),
        ({"primitives": [{**GRAB, "slots": "x"}]}, "primitives[0].slots"),
        ({"primitive": []}, "primitive"),
    ],
)
def test_an_error_in_the_file_is_named(changed: dict[str, Any], message: str) -> None:
    text = json.dumps({"format": 1, "primitives": [GRAB], **changed})
    with pytest.raises(InputError) as caught:
        parse_robot(text, DOMAIN, "mine/robot.json")
    assert str(caught.value).startswith("mine/robot.json: ")
    assert message in str(caught.value)

"""Prose about other domains than Blocksworld, and the texts of whole domains: the reader finds no action in them."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from pddl2nl.errors import UnsupportedError
from pddl2nl.nl.names import make_names
from pddl2nl.nl.reading.reader import Reader
from pddl2nl.nl.telling.convert import choose_wording
from pddl2nl.nl.telling.teller import Teller
from pddl2nl.nl.wording.files import load_wording
from pddl2nl.nl.wording.snippets import Wording
from pddl2nl.nl.wording.template import template_wording
from pddl2nl.pddl import Task, load_task
from pddlval import GroundAction

ROOT = Path(__file__).resolve().parents[2]

PASSAGES: dict[str, list[str]] = {
    "logistics": [
        "To load package package_0 into truck truck_0 at location location_1, both have to be there.",
        "After unloading package_0 from truck_0, the truck is free again.",
        "Truck truck_0 has to drive from location_0 to location_1 before anything can be loaded.",
        "Loading package_0 into truck_0 at location_0 would leave airplane_0 without cargo.",
        "The action load package package_0 into truck truck_0 at location location_0 is not applicable.",
        "Should I fly airplane airplane_0 from airport location_0 to airport location_2 first?",
        "Instead of load package package_0 into truck truck_0 at location location_0, use the airplane.",
        "If I load package package_0 into airplane airplane_0 at location location_0, it leaves the city.",
        "I cannot drive truck truck_0 from location location_0 to location location_2 in city city_0 because the city "
        "is another one.",
        "We could unload package package_0 from truck truck_0 at location location_1 but that would undo a step.",
        "Before I drive truck truck_0 from location location_0 to location location_1 in city city_0, the package "
        "must be in the truck.",
        "Airplanes can fly between airports only.\nTrucks drive within one city.",
        "Package package_0 is at location location_0. Truck truck_0 is at location location_1.",
        "**Cities**: city_0, city_1\n**Trucks**: truck_0 (city_0), truck_1 (city_1)",
        "The flight from location_0 to location_2 takes one step; the drive to location_1 takes another.",
        "I was about to unload package package_0 from truck truck_0 at location location_0, but it is not in there.",
        "Drive truck truck_0 from location location_0 to location location_1 in city city_0? It is there already.",
        "Loaded package_0 into truck_0 at location_0 and drove truck_0 to location_1.",
        "1. package_0: location_0 to location_3\n2. package_1: location_2 to location_1",
        "What remains is to unload package package_0 from truck truck_0 at location location_1.",
    ],
    "ferry": [
        "The ferry can carry one car at a time, so each car needs a trip of its own.",
        "To sail the ferry from location_0 to location_1, nothing has to hold but that it is at location_0.",
        "Sailing the ferry from location_0 to location_1 empty is a waste.",
        "Suppose I load car_0 onto the ferry at location_0. Then the ferry is full.",
        "While car_0 is on the ferry, I cannot load car_1 onto the ferry at location_0.",
        "Load a car onto the ferry at the place where both are",
        "car_0 starts at location_0 and ends at location_2; car_1 stays where it is.",
        "Observation: I sail the ferry from location_0 to location_1.",
        "Thought: now unload car_0 from the ferry at location_1, then sail back.",
        "Do not sail the ferry from location_0 to location_0!",
        "Neither load car_0 onto the ferry at location_0 nor any other step helps here.",
        "Once I unload car_0 from the ferry at location_1, it is the case that the ferry is empty.",
        "The remaining question: should the ferry sail to location_1 or to location_2?",
        "I can only sail the ferry from location_0 to location_1 if it is at location_0.",
        "unload car_0 from the ferry at location_1 - not possible, the ferry is empty",
    ],
    "grippers": [
        "robot_0 has two grippers: gripper_0 and gripper_1.",
        "Moving robot_0 from room_0 to room_1 comes between picking up and dropping.",
        "When robot_0 is in room_0, it can pick up ball_0 in room_0 with gripper_0 of robot_0.",
        "Picking up ball_0 with gripper_0 and ball_1 with gripper_1 saves a trip.",
        "Why move robot_0 from room_0 to room_1? Because ball_0 must go there.",
        "Effects of drop ball_0 in room_1 from gripper_0 of robot_0: the gripper is free.",
        "It would be a mistake to drop ball_0 in room_0 from gripper_0 of robot_0.",
        "move robot_0 from room_0 to room_1 is only possible while robot_0 is in room_0",
        "The robot moves, picks up, and drops; nothing else changes.",
        "Drop the ball, if any, before the next trip.",
        "Pick up a ball in a room with a gripper of a robot",
        "There are no more balls to move to room_1.",
        "Rather than move robot_0 from room_0 to room_1 twice, carry two balls at once.",
        "I have to pick up ball_0 in room_0 with gripper_0 of robot_0 at some point.",
        "Goal check: ball_0 in room_1 (yes), ball_1 in room_1 (no)",
    ],
    "visitall": [
        "The robot should move from loc-x0-y0 to each of its neighbours once.",
        "From loc-x0-y0 to loc-x0-y1, then back: that visits two places.",
        "To move the robot from loc-x0-y0 to loc-x0-y1, the two places must be connected.",
        "I can't move the robot from loc-x0-y0 to loc-x1-y1, they are not connected.",
        "Moving the robot from loc-x0-y0 to loc-x0-y1 and from there on visits the whole column.",
        "All places have been visited but for one.",
        "If the robot moves on now, the corner is left out.",
        "Should the robot move from loc-x0-y0 to loc-x1-y0 first?",
        "Visited so far: loc-x0-y0, loc-x0-y1",
        "My strategy is to move the robot from loc-x0-y0 to loc-x0-y1 and so on in a snake.",
    ],
}

FRAMES = [
    "To {a}, I must first make room.",
    "In order to {a}, something else has to happen.",
    "Should I {a}?",
    "Instead of {a}, something else is better.",
    "I cannot {a} because that is not possible.",
    "If I {a}, the goal is further away.",
    'The action "{a}" is not applicable.',
    "We could {a} but that would not help.",
    "I must {a} sooner or later.",
    "{A} would be wrong.",
    "{A} is not possible.",
    "{A}?",
    "{A} only if needed.",
    "Once I {a}, it is the case that all is well.",
    "Before I {a}, I have to think.",
    "Do not {a}.",
    "Let's not {a}.",
    "Goal: {a}",
    "My goal is to {a}.",
    "Observation: I {a}.",
    "Thought: {a}",
    "Now I can {a}.",
    "Preconditions of {a}: none",
    "Rather than {a}, wait.",
    "Possible action: {a}",
    "❌ {A}",
    "I was going to {a}, but I changed my mind.",
    "It is the case that I {a}.",
    "My plan to {a} has failed.",
]
STEPS = ["{a}", "Then I would {a}.", "3. **{A}**.", "Action: {a}", "I will now {a}.", "- {A}, since that helps"]


@cache
def shipped(name: str) -> tuple[Task, Wording]:
    problem = sorted((ROOT / "instances" / name).rglob("*.pddl"))[0]
    task = load_task(ROOT / "domains" / name / "domain.pddl", problem)
    return task, load_wording(ROOT / "domains" / name / "wording.json", task.domain)


@cache
def shipped_reader(name: str) -> Reader:
    task, wording = shipped(name)
    return Reader(task, wording, make_names(task, "original" if name == "visitall" else "typed", wording))


def found(reader: Reader, text: str) -> list[str]:
    """What was taken for an action, under any policy and as a turn."""
    texts = [
        item.text
        for policy in ("default", "all", "planbench")
        for item in reader.read(text, policy).readings
        if item.status in ("read", "ambiguous")
    ]
    turn = reader.read_turn(text)
    return [*texts, turn.text] if turn.status in ("read", "ambiguous", "look-around", "claimed-done") else texts


@pytest.mark.parametrize(
    ("domain", "passage"), [(domain, passage) for domain, passages in PASSAGES.items() for passage in passages]
)
def test_prose_about_a_domain_holds_no_action(domain: str, passage: str) -> None:
    assert found(shipped_reader(domain), passage) == []


def some_actions(task: Task, count: int) -> list[GroundAction]:
    """An action of each schema that has objects, at most ``count`` of them, always the same ones."""
    chooser = random.Random(7)
    actions: list[GroundAction] = []
    for schema in task.domain.actions:
        choices = [task.objects_of(parameter.types) for parameter in schema.parameters]
        if all(choices):
            actions.append(GroundAction(schema.name, tuple(chooser.choice(names) for names in choices)))
    return chooser.sample(actions, min(count, len(actions)))


def check_frames(task: Task, wording: Wording, scheme: str, count: int = 3) -> int:
    """Sentences about actions hold none, and the same actions as steps are read; the number of sentences."""
    names = make_names(task, scheme, wording)
    teller, reader = Teller(task, wording, names), Reader(task, wording, names)
    checked = 0
    for action in some_actions(task, count):
        told = teller.action(action)
        capital = told[:1].upper() + told[1:]
        for frame in FRAMES:
            assert found(reader, frame.format(a=told, A=capital)) == [], frame
            checked += 1
        for frame in STEPS:
            (reading,) = reader.read(frame.format(a=told, A=capital)).chosen
            assert reading.action == action or action in reading.candidates, frame
    return checked


@pytest.mark.parametrize("domain", PASSAGES)
def test_sentences_about_actions_hold_none_while_steps_are_read(domain: str) -> None:
    task, wording = shipped(domain)
    assert check_frames(task, wording, "typed") >= len(FRAMES)
    assert check_frames(task, template_wording(task.domain), "original") >= len(FRAMES)


def _autoplanbench(shared: Path) -> Iterator[tuple[Task, Wording]]:
    for folder in sorted((shared / "autoplanbench").glob("*/")):
        task = load_task(folder / "domain.pddl", sorted((folder / "instances").glob("*.pddl"))[0])
        for path in sorted(folder.glob("domain_description_seed*.json")):
            yield task, choose_wording(str(path), task.domain)


@pytest.mark.heavy
def test_sentences_about_actions_of_imported_wordings(shared: Path) -> None:
    checked = sum(check_frames(task, wording, "typed", 1) for task, wording in _autoplanbench(shared))
    assert checked >= 60 * len(FRAMES)


def check_texts(task: Task, wording: Wording, scheme: str) -> int:
    """The texts of a task hold no action; the number of their lines."""
    names = make_names(task, scheme, wording)
    teller, reader = Teller(task, wording, names), Reader(task, wording, names)
    texts = [teller.domain_text(), teller.objects_text()]
    with contextlib.suppress(UnsupportedError):
        texts += [teller.goal_text(), teller.init_text()]
    for text in texts:
        readings = reader.read(text, "planbench").readings
        assert [item.text for item in readings if item.status in ("read", "ambiguous")] == []
    return sum(text.count("\n") + 1 for text in texts)


@pytest.mark.heavy
def test_the_texts_of_every_reference_domain_hold_no_action(shared: Path) -> None:
    domains = sorted(folder for folder in (shared / "ipc").iterdir() if folder.is_dir())
    for folder in domains:
        path = min(folder.glob("*/problem.pddl"), key=lambda item: item.stat().st_size)
        task = load_task(path.with_name("domain.pddl"), path)
        for scheme in ("typed", "original"):
            assert check_texts(task, template_wording(task.domain), scheme) > 3
    assert len(domains) > 30


def test_the_texts_of_imported_wordings_hold_no_action(shared: Path) -> None:
    count = 0
    for task, wording in _autoplanbench(shared):
        assert check_texts(task, wording, "typed") > 3
        count += 1
    assert count == 60


def test_planbenchs_own_domain_texts_hold_no_action(shared: Path) -> None:
    checked = 0
    for path in sorted((shared / "planbench" / "configs").glob("*.yaml")):
        kind = path.stem.removeprefix("mystery_").removesuffix("_3")
        folder = shared / "planbench" / "instances" / kind
        domain = folder / ("mystery" if "mystery" in path.stem else "") / "generated_domain.pddl"
        problem = min(domain.parent.rglob("instance-*.pddl"))
        task = load_task(domain, problem)
        wording = choose_wording(str(path), task.domain)
        assert wording.domain_text
        reader = Reader(task, wording, make_names(task, "typed", wording))
        assert reader.read(wording.domain_text, "planbench").plan == ()
        checked += 1
    assert checked == 5

"""The same task has the same picture, and what a ``picture.json`` changes."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from pddl2nl.pddl import parse_task
from pddl2nl.pictures import Pictures, PictureSettings, hints, load_picture_settings, settings_of
from pddl2nl.pictures.layout import Placed, place_boxes
from pddl2nl.pictures.scene import Badge, Box
from pddl2nl.pictures.settings import icons
from pddl2nl.tasks.obfuscation import obfuscation
from pddl2nl.tasks.renaming import TaskRenaming
from pddl2nl.tasks.shipped import authored_domains, shipped_domain, shipped_domains
from pddlval import Simulator
from tests.walks import some_walk

NAMES = shipped_domains()


@pytest.mark.parametrize("name", NAMES)
def test_other_names_give_the_same_picture_but_for_hints(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for function, nothing in (("locates", False), ("way", None), ("numbers", ()), ("colour", "")):
        monkeypatch.setattr(hints, function, lambda *_, nothing=nothing: nothing)
    task = shipped_domain(name).task(shipped_domain(name).example.name)
    renaming: TaskRenaming = obfuscation(task.domain, [task.problem], scheme="random", seed=7, objects=True)
    other = renaming.task(task)
    drawn = Pictures(task, settings=PictureSettings())
    renamed = Pictures(other, settings=PictureSettings())
    back = {new: old for table in (renaming.objects, renaming.predicates, renaming.types) for old, new in table.items()}
    assert [shape(root, {}) for root in drawn.scenes[0].roots.values()] == [
        shape(root, back) for root in renamed.scenes[0].roots.values()
    ]


def shape(box: Box, back: dict[str, str]) -> object:
    """A box, its badges, and what is in and on it, in the names of the first task."""
    badges = sorted(str(original(badge, back)) for badge in box.badges)
    inside = [[shape(each, back) for each in boxes] for boxes in (box.inner, box.tower)]
    name = box.name.strip("()")
    return back.get(name, name), badges, *inside


def original(badge: Badge, back: dict[str, str]) -> object:
    return badge.look, [
        [back.get(word.strip("()"), word.strip("()")) for part in fact for word in part.split()] for fact in badge.facts
    ]


@pytest.mark.parametrize("name", NAMES)
def test_another_plan_gives_the_same_picture(name: str) -> None:
    task = shipped_domain(name).task(shipped_domain(name).example.name)
    simulator = Simulator(task)
    first, second = (Pictures.of_plan(task, some_walk(simulator, 6, seed)) for seed in (1, 2))
    assert first.roles.slots == second.roles.slots
    assert first.scenes[0] == second.scenes[0]
    assert [*first.layout.rooms] == [*second.layout.rooms]


@pytest.mark.parametrize("name", ["depots", "building"])
def test_the_bytes_do_not_depend_on_the_hash_seed(name: str) -> None:
    command = [sys.executable, "-m", "pddl2nl", "picture", name, shipped_domain(name).example.name]
    runs = [
        subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]


@pytest.mark.parametrize("name", NAMES)
def test_roots_stay_where_they_are(name: str) -> None:
    task = shipped_domain(name).task(shipped_domain(name).example.name)
    pictures = Pictures.of_plan(task, some_walk(Simulator(task), 8))
    movers = set(pictures.roles.slots)
    for scene in pictures.scenes[1:]:
        fixed = {root for root, box in scene.roots.items() if box.kind not in movers}
        assert fixed == {root for root, box in pictures.scenes[0].roots.items() if box.kind not in movers}
    rooms = [*pictures.layout.rooms.values()]
    for place, (x, y, width, height) in enumerate(rooms):
        for x2, y2, width2, height2 in rooms[place + 1 :]:
            apart = x + width <= x2 + 1 or x2 + width2 <= x + 1 or y + height <= y2 + 1 or y2 + height2 <= y + 1
            assert apart, "two rooms overlap"


@pytest.mark.parametrize("name", ["logistics", "satellite", "rovers", "household", "alfred"])
def test_what_never_moves_stays_where_it_is_in_other_boxes_too(name: str) -> None:
    domain = shipped_domain(name)
    task = domain.task(domain.instances[-1].name)
    pictures = Pictures.of_plan(task, some_walk(Simulator(task), 12, 2))
    spots: dict[str, set[tuple[float, float]]] = {}

    def note(placed: Placed, x: float, y: float) -> None:
        if placed.box.kind not in pictures.roles.slots:
            spots.setdefault(placed.box.name, set()).add((round(x + placed.own[0], 1), round(y + placed.own[1], 1)))
            for each, (across, down) in placed.boxes:
                note(each, x + across, y + down)

    for roots in place_boxes(pictures.roles, pictures.scenes):
        for root, placed in roots.items():
            note(placed, *pictures.layout.rooms[root][:2])
    assert len(spots) > len(pictures.layout.rooms), "there are boxes in boxes"
    assert {each: found for each, found in spots.items() if len(found) > 1} == {}


@pytest.mark.parametrize("name", [*NAMES, "alfred", "household", "kitchen", "tabletop"])
def test_twenty_steps_take_at_most_60_kilobytes(name: str) -> None:
    domain = shipped_domain(name)
    task = domain.task((domain.benchmarks or domain.instances)[-1].name)
    pictures = Pictures.of_plan(task, some_walk(Simulator(task), 20))
    assert len(pictures.figure().encode()) <= 60_000


@pytest.mark.benchmark
def test_two_hundred_objects_in_a_tenth_of_a_second() -> None:
    from time import process_time

    rng = random.Random(1)
    places, movers = [f"p{n}" for n in range(120)], [f"m{n}" for n in range(80)]
    roads = [f"(road {rng.choice(places[:n])} p{n}) " for n in range(1, 120)]
    from pddl2nl.pddl import parse_task

    task = parse_task(
        """(define (domain d) (:requirements :typing) (:types place mover) (:predicates (road ?a ?b - place)
        (at ?m - mover ?p - place)) (:action go :parameters (?m - mover ?a ?b - place) :precondition (and (road ?a ?b)
        (at ?m ?a)) :effect (and (not (at ?m ?a)) (at ?m ?b))))""",
        f"(define (problem p) (:domain d) (:objects {' '.join(places)} - place {' '.join(movers)} - mover) (:init "
        f"{' '.join(roads)} {' '.join(f'(at {m} {rng.choice(places)})' for m in movers)}) (:goal (at m0 p1)))",
    )
    Pictures(task).svg()
    begin = process_time()
    Pictures(task).svg()
    assert process_time() - begin < 0.1


# ── picture.json ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", [*shipped_domains(), *authored_domains()])
def test_every_shipped_domain_has_icons(name: str) -> None:
    domain = shipped_domain(name).domain
    pictures = Pictures(shipped_domain(name).task(shipped_domain(name).example.name))
    settings = settings_of(domain)
    kinds = {box.kind for scene in pictures.scenes for box in scene.boxes} - {"", "object"}
    assert not kinds - settings.icons.keys()


def test_a_task_from_text_has_the_picture_of_its_shipped_domain() -> None:
    task = shipped_domain("ferry").task("p04")
    assert task.domain.source is not None
    assert settings_of(parse_task(task.domain.source.text, task.problem.source.text).domain).icons["car"] == "car"  # type: ignore[union-attr]
    other = "(define (domain ferry) (:predicates (p)) (:action a :effect (p)))"
    assert (
        settings_of(parse_task(other, "(define (problem q) (:domain ferry) (:init) (:goal (p)))").domain)
        == PictureSettings()
    )


def test_nesting_values_told_facts_and_coordinates(tmp_path: Path) -> None:
    task = shipped_domain("depots").task("p04")
    told = {
        "format": 1,
        "domain": task.domain.name,
        "kinds": {
            "crate": {"nest": ["at ?self ?in"], "icon": "box", "colour": "rose"},
            "place": {"show": "place"},
            "truck": {"show": "value"},
        },
        "told": ["available"],
    }
    (tmp_path / "picture.json").write_text(json.dumps(told))
    pictures = Pictures(task, settings=load_picture_settings(tmp_path / "picture.json", task.domain))
    boxes = {box.name: box for box in pictures.scenes[0].boxes}
    crates = [atom for atom in task.problem.init if atom[0] == "at" and atom[1].startswith("crate")]
    assert crates
    assert all(atom[1] in [box.name for box in boxes[atom[2]].inner] for atom in crates)
    assert not any(name.startswith("truck") for name in boxes)
    assert "available" in pictures.scenes[0].told
    assert icons()["box"] in pictures.svg()


def test_coordinates_place_a_map(tmp_path: Path) -> None:
    task = parse_task(
        """(define (domain d) (:requirements :typing) (:types room) (:predicates (door ?a ?b - room) (at ?a - room))
        (:action go :parameters (?a ?b - room) :precondition (and (door ?a ?b) (at ?a))
        :effect (and (not (at ?a)) (at ?b))))""",
        """(define (problem p) (:domain d) (:objects hall attic cellar - room)
        (:init (door hall attic) (door attic hall) (door cellar hall) (at hall)) (:goal (at attic)))""",
    )
    settings = PictureSettings(coordinates={"hall": (0, 1), "attic": (0, 0), "cellar": (0, 2)})
    rooms = Pictures(task, settings=settings).layout.rooms
    assert rooms["attic"][1] < rooms["hall"][1] < rooms["cellar"][1]
    assert rooms["attic"][0] == rooms["hall"][0]

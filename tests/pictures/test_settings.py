"""What a ``picture.json`` changes, and the shipped ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pddl2nl.pddl import parse_task
from pddl2nl.pictures import Pictures, PictureSettings, load_picture_settings, settings_of
from pddl2nl.pictures.settings import icons
from pddl2nl.tasks.shipped import authored_domains, shipped_domain, shipped_domains


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

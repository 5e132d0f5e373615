"""Every fact of a state is in its picture or told below it, each once."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pddl2nl.pddl import load_task, parse_task
from pddl2nl.pictures import Pictures, PictureSettings
from pddl2nl.pictures.scene import MOST_CHARACTERS, fact_text, shortened
from pddl2nl.tasks.shipped import authored_domains, shipped_domain, shipped_domains
from pddlval import Simulator
from tests.walks import some_walk

SVG = "{http://www.w3.org/2000/svg}"
QUICK = ("airport", "blocks", "depot", "gripper", "hiking-opt14-strips", "miconic-fulladl", "mystery", "psr-large")


def check_facts(pictures: Pictures) -> None:
    """Shown and told is every state; what is shown stands in the files, of which every tenth and the last are read."""
    for number, (frame, scene) in enumerate(zip(pictures.frames, pictures.scenes, strict=True)):
        assert sorted(scene.shown + scene.left_out) == sorted(pictures.maker.facts(frame.state))
        if number % 10 == 0 or number == len(pictures.frames) - 1:
            check_drawn(pictures, number)


def check_drawn(pictures: Pictures, number: int) -> None:
    scene, svg = pictures.scenes[number], ElementTree.fromstring(pictures.svg(number))
    texts = [element.text or "" for element in svg.iter(f"{SVG}text")]
    for box in scene.boxes:
        assert shortened(box.title) in texts
        for badge in box.badges:
            texts.remove(shortened(badge.text))
    for badge in scene.status:
        texts.remove(shortened(badge.text))
    below = " ".join(texts)
    for name, facts in scene.told.items():
        assert f"{len(facts)} {name}" in below
    lines = sum((path.get("d") or "").count("M") for path in svg.iter(f"{SVG}path") if path.get("class") == "e")
    assert lines == len(scene.lines)
    # The text alternative has every fact, or the number of those of a predicate.
    words = svg.findtext(f"{SVG}desc") or ""
    told = set(scene.left_out)
    assert all(fact_text(fact) in words for fact in scene.shown if fact not in told)


def ipc_plan(folder: Path) -> str:
    """The first valid plan that is recorded beside a task; of long ones, all alike, the beginning."""
    for line in (folder / "verdicts.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["kind"] == "valid":
            return "\n".join(record["plan"].splitlines()[:200])
    return ""


@pytest.mark.parametrize("suite", QUICK)
def test_every_fact_of_a_plan_s_states_is_shown_or_told(suite: str, shared: Path) -> None:
    folder = min(path for path in (shared / "ipc" / suite).iterdir() if path.is_dir())
    check_facts(Pictures.of_plan(load_task(folder / "domain.pddl", folder / "problem.pddl"), ipc_plan(folder)))


@pytest.mark.heavy
def test_every_fact_of_every_ipc_state_is_shown_or_told(shared: Path) -> None:
    folders = sorted(path.parent for path in (shared / "ipc").rglob("problem.pddl"))
    assert folders
    for folder in folders:
        check_facts(Pictures.of_plan(load_task(folder / "domain.pddl", folder / "problem.pddl"), ipc_plan(folder)))


@pytest.mark.heavy
def test_every_fact_of_tasks_with_numbers_and_time_is_shown_or_told(shared: Path) -> None:
    for folder in sorted(path.parent for path in (shared / "temporal").rglob("problem.pddl")):
        check_facts(Pictures.of_plan(load_task(folder / "domain.pddl", folder / "problem.pddl"), ipc_plan(folder)))
    for folder in sorted(path.parent for path in (shared / "numeric").rglob("problem.pddl")):
        task = load_task(folder / "domain.pddl", folder / "problem.pddl")
        check_facts(Pictures.of_plan(task, some_walk(Simulator(task), 10)))


@pytest.mark.parametrize("name", [*shipped_domains(), *authored_domains()])
@pytest.mark.parametrize("settings", [None, PictureSettings()], ids=("with picture.json", "without"))
def test_every_fact_of_shipped_domains_is_shown_or_told(name: str, settings: PictureSettings | None) -> None:
    task = shipped_domain(name).task(shipped_domain(name).example.name)
    check_facts(Pictures.of_plan(task, some_walk(Simulator(task), 5), settings))


def test_a_long_badge_is_cut_but_not_lost() -> None:
    task = shipped_domain("rovers").task("p04")
    words = Pictures(task).words(0)
    assert len(re.findall(r"\(can_traverse ", words)) == sum(atom[0] == "can_traverse" for atom in task.problem.init)


def test_one_badge_says_that_a_fact_holds_and_is_a_goal() -> None:
    task = parse_task(
        """(define (domain d) (:requirements :typing) (:types peg) (:predicates (free ?p - peg) (taken ?p - peg))
        (:action take :parameters (?p - peg) :precondition (free ?p) :effect (and (taken ?p) (not (free ?p)))))""",
        """(define (problem p) (:domain d) (:objects one two - peg) (:init (free one) (free two))
        (:goal (and (free one) (taken two))))""",
    )
    pictures = Pictures.of_plan(task, ["(take two)"])
    looks = [
        {box.name: [(badge.text, badge.look) for badge in box.badges] for box in scene.boxes}
        for scene in pictures.scenes
    ]
    assert looks[0] == {"one": [("free", "met")], "two": [("free", "fact"), ("taken", "goal")]}
    # What is new stays marked as new.
    assert looks[1]["two"] == [("taken", "new"), ("taken", "met")]
    assert pictures.words(0).startswith("one: (free one). two: (free two)")


def test_a_badge_counts_the_facts_that_it_does_not_list() -> None:
    numbers = [f"quite-a-long-number-{number}" for number in range(5)]
    bids = " ".join(f"(bid lot {one} {other})" for one, other in itertools.pairwise(numbers))
    task = parse_task(
        """(define (domain d) (:requirements :typing) (:types lot amount)
        (:predicates (bid ?l - lot ?a ?b - amount) (open ?l - lot))
        (:action close :parameters (?l - lot ?a ?b - amount) :precondition (bid ?l ?a ?b)
        :effect (and (not (open ?l)) (not (bid ?l ?a ?b)))))""",
        f"""(define (problem p) (:domain d) (:objects lot - lot {" ".join(numbers)} - amount)
        (:init (open lot) {bids}) (:goal (not (open lot))))""",
    )
    pictures = Pictures(task, settings=PictureSettings(values=frozenset(("amount",))))
    (text,) = [badge.text for badge in pictures.scenes[0].roots["lot"].badges if badge.text.startswith("bid")]
    assert len(text) == MOST_CHARACTERS
    assert text.endswith("… + 2 more")
    assert len(pictures.scenes[0].told["bid"]) == 2
    check_facts(pictures)

"""Lifted invariants: at most one, or exactly one, atom of some predicates for each object of a kind."""

from __future__ import annotations

import pytest

from pddl2nl.pddl import Task, parse_task
from pddl2nl.search.invariants import InvariantFinder
from pddl2nl.tasks.shipped import shipped_domain
from pddlval import Simulator
from tests.walks import some_walk


def texts(finder: InvariantFinder, objects: list[str]) -> set[str]:
    """``at.1 in.1`` for at most one, ``at.1 in.1 exactly`` for exactly one; arguments count from 1 here."""
    return {
        " ".join(f"{part.predicate}.{(part.key or 0) + 1}" for part in each.parts) + " exactly" * each.exact
        for each in finder.of(objects)
    }


def of_type(task: Task, kind: str) -> list[str]:
    return [name for name, item in task.objects.items() if item.types[0] == kind]


def test_a_block_is_on_one_thing_and_under_one_thing() -> None:
    task = shipped_domain("blocksworld").task("p01")
    assert texts(InvariantFinder(task), [*task.objects]) == {
        "clear.1 holding.1 on.2 exactly",
        "holding.1 on.1 ontable.1 exactly",
    }


def test_types_and_static_facts_say_which_objects_an_action_moves() -> None:
    task = shipped_domain("depots").task("p04")
    finder = InvariantFinder(task)
    assert "at.1 exactly" in texts(finder, of_type(task, "truck"))
    assert "at.1 in.1 lifting.2 exactly" in texts(finder, of_type(task, "crate"))
    # Without types, static facts tell packages from trucks.
    task = shipped_domain("logistics").task("p04")
    packages = [atom[1] for atom in task.problem.init if atom[0] in ("obj", "package")]
    assert "at.1 in.1 exactly" in texts(InvariantFinder(task), packages)


@pytest.mark.parametrize(
    ("effect", "holds"),
    [
        ("(and (at ?x ?to) (not (at ?x ?from)))", True),
        ("(at ?x ?to)", False),
        ("(and (at ?x ?to) (at ?y ?to) (not (at ?x ?from)))", False),
        ("(and (at ?x ?to) (not (at ?y ?from)))", False),
        ("(forall (?z - place) (at ?x ?z))", False),
        ("(when (free) (at ?x ?to))", False),
        ("(and (when (free) (at ?x ?to)) (when (free) (not (at ?x ?from))))", True),
        ("(and (when (free) (at ?x ?to)) (not (at ?x ?from)))", True),
    ],
)
def test_an_action_must_delete_what_it_replaces(effect: str, holds: bool) -> None:
    task = parse_task(
        f"""(define (domain d) (:requirements :adl) (:types thing place) (:predicates (at ?x - thing ?p - place) (free))
        (:action move :parameters (?x ?y - thing ?from ?to - place) :precondition (at ?x ?from) :effect {effect})
        (:action toggle :parameters () :effect (free)))""",
        """(define (problem p) (:domain d) (:objects a b - thing l m - place)
        (:init (at a l) (at b m)) (:goal (at a m)))""",
    )
    assert any(text.startswith("at.1") for text in texts(InvariantFinder(task), ["a", "b"])) is holds


def test_two_places_at_first_are_no_invariant() -> None:
    task = parse_task(
        """(define (domain d) (:predicates (at ?x ?p) (place ?p))
        (:action move :parameters (?x ?p ?q) :precondition (at ?x ?p) :effect (and (at ?x ?q) (not (at ?x ?p)))))""",
        "(define (problem p) (:domain d) (:objects a l m) (:init (at a l) (at a m)) (:goal (at a m)))",
    )
    assert "at.1" not in texts(InvariantFinder(task), ["a"])


@pytest.mark.parametrize(
    "name", ["alfred", "beluga", "depots", "floortile", "goldminer", "grippers", "kitchen", "satellite"]
)
def test_invariants_hold_in_the_states_of_a_walk(name: str) -> None:
    task = shipped_domain(name).task(shipped_domain(name).example.name)
    simulator = Simulator(task)
    finder = InvariantFinder(task)
    kinds = {item.types[0]: of_type(task, item.types[0]) for item in task.objects.values()}
    found = [(members, each) for members in kinds.values() for each in finder.of(members)]
    assert found
    states = simulator.follow(simulator.initial, some_walk(simulator, 30)).states
    for state in states:
        for members, invariant in found:
            for name in members:
                held = sum(
                    atom[0] == part.predicate and atom[(part.key or 0) + 1] == name
                    for atom in state.atoms
                    for part in invariant.parts
                    if len(atom) > (part.key or 0) + 1
                )
                assert held == 1 if invariant.exact else held <= 1, (name, invariant)


def test_one_robot_is_in_one_cell() -> None:
    tokens = InvariantFinder(shipped_domain("visitall").task("p04")).tokens()
    assert [[part.predicate for part in each.parts] for each in tokens] == [["at-robot"]]

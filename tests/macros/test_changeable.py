"""Facts that cannot change: in no state that can be reached are they other than at the beginning."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from pddl2nl.macros.changeable import Changeable
from pddl2nl.pddl import GroundAtom, Task, changed_predicates, parse_task
from pddlval import Simulator
from tests.macros.small_tasks import ATOMS, small_task
from tests.walks import reachable

_DOORS = """(define (domain doors) (:requirements :adl)
  (:types room door - object)
  (:predicates (open ?d - door) (hinged ?d - door) (at ?r - room) (link ?r ?s - room) (dusty ?r - room)
    (jammed ?d - door))
  (:action pull :parameters (?d - door) :precondition (and (hinged ?d) (not (jammed ?d))) :effect (open ?d))
  (:action go :parameters (?r ?s - room) :precondition (and (at ?r) (link ?r ?s))
    :effect (and (at ?s) (not (at ?r)) (forall (?x - room) (when (and (= ?x ?s) (link ?r ?x)) (not (dusty ?x))))))
  (:action jam :parameters (?d - door) :precondition (and (open ?d) (not (hinged ?d))) :effect (jammed ?d)))"""
_HOUSE = """(define (problem p) (:domain doors) (:objects a b c - room d e - door)
  (:init (hinged d) (at a) (link a b) (link b a) (dusty b) (dusty c)) (:goal (at b)))"""


@pytest.mark.parametrize(
    ("atom", "changes"),
    [
        ("open d", True),
        # It has no hinges.
        ("open e", False),
        ("at a", True),
        ("at b", True),
        # No room is linked to it.
        ("at c", False),
        ("dusty a", False),
        ("dusty b", True),
        ("dusty c", False),
        # Only a door without hinges can be jammed once it is open, which it never is.
        ("jammed d", False),
        ("jammed e", False),
    ],
)
def test_what_nothing_brings_about_cannot_change(atom: str, changes: bool) -> None:
    assert Changeable(parse_task(_DOORS, _HOUSE)).can_change(GroundAtom(atom.split())) is changes


@pytest.mark.parametrize("seed", range(40))
def test_in_every_reachable_state_of_a_small_task(seed: int) -> None:
    whole = small_task(random.Random(seed), numbers=False)
    # Without the action that changes everything.
    task = Task(replace(whole.domain, actions=whole.domain.actions[:2]), whole.problem)
    changeable, dynamic = Changeable(task), changed_predicates(task.domain)
    states = reachable(Simulator(task))
    for atom in ATOMS:
        if atom[0] in dynamic and len({state.true(atom) for state in states}) > 1:
            assert changeable.can_change(atom), atom

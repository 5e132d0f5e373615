"""Facts that cannot change: in no state that can be reached are they other than at the beginning."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from pddl2nl.macros.changeable import Changeable
from pddl2nl.pddl import GroundAtom, Task, changed_predicates, parse_task
from pddlval import Simulator, State
from tests.macros.small_tasks import ATOMS, small_task

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


def test_what_nothing_brings_about_cannot_change() -> None:
    changeable = Changeable(parse_task(_DOORS, _HOUSE))
    can = {
        text: changeable.can_change(GroundAtom(text.split()))
        for text in (
            "open d",
            "open e",
            "at a",
            "at b",
            "at c",
            "dusty a",
            "dusty b",
            "dusty c",
            "jammed d",
            "jammed e",
        )
    }
    assert can == {
        "open d": True,
        # It has no hinges.
        "open e": False,
        "at a": True,
        "at b": True,
        # No room is linked to it.
        "at c": False,
        "dusty a": False,
        "dusty b": True,
        "dusty c": False,
        # Only a door without hinges can be jammed once it is open, which it never is.
        "jammed d": False,
        "jammed e": False,
    }


def _reachable(task: Task, most: int) -> list[State]:
    simulator = Simulator(task)
    seen = {simulator.initial: None}
    todo = [simulator.initial]
    while todo and len(seen) < most:
        state = todo.pop()
        for _, after in simulator.successors(state):
            if after not in seen:
                seen[after] = None
                todo.append(after)
    return list(seen)


@pytest.mark.parametrize("seed", range(40))
def test_in_every_reachable_state_of_a_small_task(seed: int) -> None:
    whole = small_task(random.Random(seed), numbers=False)
    # Without the action that changes everything.
    task = Task(replace(whole.domain, actions=whole.domain.actions[:2]), whole.problem)
    changeable, dynamic = Changeable(task), changed_predicates(task.domain)
    states = _reachable(task, 100)
    for atom in ATOMS:
        if atom[0] in dynamic and len({state.true(atom) for state in states}) > 1:
            assert changeable.can_change(atom), atom

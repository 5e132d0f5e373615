"""What actions read and write: independent actions can change places, in every state."""

from __future__ import annotations

import itertools
import random

from pddl2nl.macros.canonical import Footprints, independent
from pddl2nl.pddl import GroundAtom, Task, parse_task
from pddlval import GroundAction, Simulator, State

_ADL = """
(define (domain rooms)
  (:requirements :adl :fluents :derived-predicates)
  (:types room - object)
  (:predicates (open ?r - room) (clean ?r - room) (seen ?r - room) (all-seen) (near ?a ?b - room))
  (:functions (work) (dust ?r - room))
  (:derived (all-seen) (forall (?r - room) (seen ?r)))
  (:action look :parameters (?r - room) :precondition (open ?r) :effect (and (seen ?r) (increase (work) 1)))
  (:action shut-all :parameters (?r - room) :precondition (all-seen)
    :effect (forall (?x - room) (when (near ?r ?x) (not (open ?x)))))
  (:action sweep :parameters (?r - room) :precondition (and (open ?r) (< (dust ?r) 5))
    :effect (and (when (seen ?r) (clean ?r)) (assign (dust ?r) 0) (increase (work) 2)))
  (:action count :parameters () :precondition (exists (?r - room) (clean ?r)) :effect (assign (work) 0))
  (:action unlock :parameters (?a ?b - room) :precondition (or (open ?a) (imply (seen ?b) (clean ?b)))
    :effect (open ?b)))
"""
_HOUSE = """
(define (problem house) (:domain rooms) (:objects a b c - room)
  (:init (near a b) (near b c) (= (work) 0) (= (dust a) 1) (= (dust b) 7) (= (dust c) 2))
  (:goal (clean a)))
"""


def _arbitrary(simulator: Simulator, task: Task, rng: random.Random) -> State:
    """A state that need not be reachable: the initial one after random effects of actions, forced."""
    changing = [
        atom for atom in _atoms(task) if atom[0] in {"open", "clean", "seen"} or atom in simulator.initial.atoms
    ]
    chosen = [atom for atom in changing if rng.random() < 0.5]
    return simulator.state(chosen, simulator.initial.values)


def _atoms(task: Task) -> list[GroundAtom]:
    derived = {rule.name for rule in task.domain.derived}
    return [
        GroundAtom((predicate.name, *args))
        for predicate in task.domain.predicates
        if predicate.name not in derived and predicate.name != "near"
        for args in itertools.product(*(task.objects_of(item.types) for item in predicate.parameters))
    ]


def test_independent_actions_change_places_in_every_state() -> None:
    task = parse_task(_ADL, _HOUSE)
    simulator, footprints, rng = Simulator(task), Footprints(task.domain), random.Random(5)
    actions = [
        GroundAction(schema.name, args)
        for schema in task.domain.actions
        for args in itertools.product(*(task.objects_of(item.types) for item in schema.parameters))
    ]
    pairs = [
        (one, other)
        for one, other in itertools.combinations(actions, 2)
        if independent(footprints.of(*one), footprints.of(*other))
    ]
    assert len(pairs) > 30
    both = 0
    for _ in range(60):
        state = _arbitrary(simulator, task, rng)
        for one, other in pairs:
            there, back = _after(simulator, state, one, other), _after(simulator, state, other, one)
            assert there == back, (str(one), str(other))
            both += there is not None
    assert both > 200


def _after(simulator: Simulator, state: State, *actions: GroundAction) -> State | None:
    followed = simulator.follow(state, actions)
    return followed.state if followed.complete else None

"""Macros that are the same up to names and order, and facts that cannot change."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest

from pddl2nl.macros.canonical import Footprints, canonical, independent
from pddl2nl.macros.changeable import Changeable
from pddl2nl.macros.compose import compose
from pddl2nl.macros.library import steps_of
from pddl2nl.macros.macro import Macro
from pddl2nl.pddl import Domain, GroundAtom, Task, changed_predicates, parse_task
from pddlval import GroundAction, Simulator, State
from tests.macros.replays import replayed
from tests.macros.small_tasks import ATOMS, small_task
from tests.walks import reachable


def _macro(domain: Domain, *steps: str) -> Macro:
    return compose(domain, steps_of(steps), name="m")


def test_independent_steps_change_places_and_others_do_not(lights: Task) -> None:
    go, press, rest = "(go ?a ?b)", "(press ?b ?l)", "(rest ?b)"
    forms = [
        canonical(_macro(lights.domain, *order), lights.domain) for order in ((go, press, rest), (go, rest, press))
    ]
    assert forms[0] == forms[1]
    assert canonical(_macro(lights.domain, go, press), lights.domain) != canonical(
        _macro(lights.domain, press, go), lights.domain
    )


def test_steps_whose_objects_may_be_one_are_kept_in_order(lights: Task) -> None:
    # (press ?s ?l) and (press ?s ?m) read what the other writes where ?l and ?m are the same lamp.
    one = _macro(lights.domain, "(press ?s ?l)", "(press main ?m)")
    other = _macro(lights.domain, "(press main ?m)", "(press ?s ?l)")
    assert canonical(one, lights.domain) != canonical(other, lights.domain)


def test_constants_stay_what_they_are(lights: Task) -> None:
    at_main = _macro(lights.domain, "(go main ?b)", "(press ?b ?l)")
    anywhere = _macro(lights.domain, "(go ?a ?b)", "(press ?b ?l)")
    assert canonical(at_main, lights.domain) != canonical(anywhere, lights.domain)
    assert ("go", "main", "?0 - switch") in canonical(at_main, lights.domain)


# ── what actions read and write: independent actions can change places, in every state ────────────


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
            there, back = (replayed(simulator, state, order) for order in ((one, other), (other, one)))
            assert there == back, (str(one), str(other))
            both += there is not None
    assert both > 200


# ── facts that cannot change ──────────────────────────────────────────────────────────────────────


_DOORS = """(define (domain doors) (:requirements :adl)
  (:types room door - object)
  (:predicates (open ?d - door) (hinged ?d - door) (at ?r - room) (link ?r ?s - room) (dusty ?r - room)
    (jammed ?d - door))
  (:action pull :parameters (?d - door) :precondition (and (hinged ?d) (not (jammed ?d))) :effect (open ?d))
  (:action go :parameters (?r ?s - room) :precondition (and (at ?r) (link ?r ?s))
    :effect (and (at ?s) (not (at ?r)) (forall (?x - room) (when (and (= ?x ?s) (link ?r ?x)) (not (dusty ?x))))))
  (:action jam :parameters (?d - door) :precondition (and (open ?d) (not (hinged ?d))) :effect (jammed ?d)))"""
_FLAT = """(define (problem p) (:domain doors) (:objects a b c - room d e - door)
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
    assert Changeable(parse_task(_DOORS, _FLAT)).can_change(GroundAtom(atom.split())) is changes


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

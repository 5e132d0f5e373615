"""Macros that are the same up to names and order, and facts that cannot change."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings

from pddl2nl.macros.canonical import Footprints, canonical, independent
from pddl2nl.macros.changeable import Changeable
from pddl2nl.macros.compose import compose
from pddl2nl.macros.library import steps_of
from pddl2nl.macros.macro import Macro
from pddl2nl.pddl import Domain, GroundAtom, Task, changed_predicates, parse_domain, parse_task
from pddlval import GroundAction, Simulator
from tests.macros.replays import arbitrary_state, replayed
from tests.macros.small_tasks import ATOMS, small_task
from tests.validators import random_tasks
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


def test_what_writes_and_what_reads_keep_their_order() -> None:
    domain = parse_domain("""(define (domain d) (:requirements :adl :fluents) (:predicates (p)) (:functions (f))
      (:action add :effect (p)) (:action delete :effect (not (p))) (:action read :precondition (p))
      (:action set :effect (assign (f) 1)) (:action shift :effect (increase (f) 1))
      (:action ask :precondition (> (f) 0)))""")
    footprints, names = Footprints(domain), [action.name for action in domain.actions]
    pairs = [(one, other) for one in names for other in names]
    kept = [pair for pair in pairs if not independent(*(footprints.of(name, ()) for name in pair))]
    facts, numbers = ("add delete", "add read", "delete read"), ("set shift", "set ask", "shift ask")
    assert {frozenset(pair) for pair in kept} == {
        *(frozenset(pair.split()) for pair in facts + numbers),
        frozenset(["set"]),
    }
    assert {(other, one) for one, other in kept} == {*kept}


@settings(max_examples=15)
@given(random_tasks.cases())
def test_independent_actions_change_places_in_every_state(case: tuple[Task, random.Random]) -> None:
    task, rng = case
    simulator, footprints = Simulator(task), Footprints(task.domain)
    actions = [
        GroundAction(schema.name, args)
        for schema in task.domain.actions
        for args in itertools.product(*(task.objects_of(item.types) for item in schema.parameters))
    ]
    for one, other in itertools.combinations(rng.sample(actions, min(len(actions), 12)), 2):
        if independent(footprints.of(*one), footprints.of(*other)):
            for _ in range(4):
                state = arbitrary_state(simulator, simulator.initial, rng, [*one.args, *other.args])
                there, back = (replayed(simulator, state, order) for order in ((one, other), (other, one)))
                assert there == back, (str(one), str(other))


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

"""A small kitchen: an egg in a fridge, a slice that lies dormant, a pan on a shelf."""

from __future__ import annotations

import pytest

from pddl2nl.pddl import Task, parse_task
from pddlval import GroundAction, Simulator, State

DOMAIN = """
(define (domain small-kitchen)
  (:requirements :typing :negative-preconditions :numeric-fluents :action-costs)
  (:types thing - object
          item place - thing
          egg pan bread bread-slice - item
          fridge shelf stove-burner - place)
  (:predicates (in-it ?x - item ?p - place) (on-top-of ?x - item ?y - thing) (holds ?p - place ?x - item)
               (held ?x - item) (hand-empty) (opened ?p - place) (dirty ?p - pan) (exists-now ?x - item)
               (sliceable ?x - item) (heavy ?x - item) (between ?x - item ?a ?b - place) (near ?x - thing ?y - thing))
  (:functions (total-cost) (heat ?p - pan) (distance ?a ?b - place))
  (:action take
    :parameters (?x - item ?p - place)
    :precondition (and (in-it ?x ?p) (hand-empty) (exists-now ?x) (opened ?p))
    :effect (and (held ?x) (not (hand-empty)) (not (in-it ?x ?p)) (increase (total-cost) 1)))
  (:action put-on
    :parameters (?x - item ?y - thing)
    :precondition (held ?x)
    :effect (and (on-top-of ?x ?y) (hand-empty) (not (held ?x)) (increase (total-cost) 1)))
  (:action open-it
    :parameters (?p - place)
    :precondition (not (opened ?p))
    :effect (and (opened ?p) (increase (total-cost) 1)))
  (:action warm
    :parameters (?p - pan)
    :precondition (<= (heat ?p) 5)
    :effect (and (increase (heat ?p) 1) (increase (total-cost) 1)))
  (:action slice-it
    :parameters (?b - bread ?s - bread-slice)
    :precondition (and (held ?b) (sliceable ?b))
    :effect (and (exists-now ?s) (not (exists-now ?b)) (held ?s) (not (held ?b)) (increase (total-cost) 1)))
  (:action soil
    :parameters (?p - pan ?a ?b - place)
    :precondition (hand-empty)
    :effect (and (dirty ?p) (between ?p ?a ?b) (holds ?b ?p) (near ?p ?a) (increase (total-cost) 1))))
"""
PROBLEM = """
(define (problem cook) (:domain small-kitchen)
  (:objects egg-1 egg-2 - egg pan-1 - pan bread-1 - bread slice-1 - bread-slice
            fridge-1 - fridge shelf-1 - shelf stove-burner-1 - stove-burner)
  (:init (in-it egg-1 fridge-1) (on-top-of egg-2 pan-1) (on-top-of pan-1 stove-burner-1) (in-it bread-1 shelf-1)
         (opened shelf-1) (hand-empty) (sliceable bread-1) (heavy pan-1)
         (exists-now egg-1) (exists-now egg-2) (exists-now pan-1) (exists-now bread-1)
         (= (total-cost) 0) (= (heat pan-1) 0.5) (= (distance fridge-1 shelf-1) 3))
  (:goal (held egg-1)))
"""


@pytest.fixture(scope="session")
def task() -> Task:
    """The small kitchen."""
    return parse_task(DOMAIN, PROBLEM)


@pytest.fixture(scope="session")
def simulator(task: Task) -> Simulator:
    """Its model."""
    return Simulator(task)


def after(simulator: Simulator, *actions: str) -> State:
    """The state after some actions, all of which must be applicable."""
    followed = simulator.follow(simulator.initial, actions)
    assert followed.complete, followed.failed
    return followed.state


def action(text: str) -> GroundAction:
    """A ground action of its text."""
    return GroundAction.parse(text)

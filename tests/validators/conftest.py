"""Small tasks that the tests of this room share."""

from __future__ import annotations

from pathlib import Path

import pytest

from pddl2nl.pddl import Task, parse_task

BLOCKS = """
(define (domain blocks)
  (:requirements :strips :typing)
  (:types block table - thing)
  (:predicates (on ?x ?y - block) (ontable ?x - block) (clear ?x - block) (handempty) (holding ?x - block))
  (:action pick-up
    :parameters (?x - block)
    :precondition (and (clear ?x) (ontable ?x) (handempty))
    :effect (and (not (ontable ?x)) (not (clear ?x)) (not (handempty)) (holding ?x)))
  (:action put-down
    :parameters (?x - block)
    :precondition (holding ?x)
    :effect (and (not (holding ?x)) (clear ?x) (handempty) (ontable ?x)))
  (:action stack
    :parameters (?x ?y - block)
    :precondition (and (holding ?x) (clear ?y))
    :effect (and (not (holding ?x)) (not (clear ?y)) (clear ?x) (handempty) (on ?x ?y)))
  (:action unstack
    :parameters (?x ?y - block)
    :precondition (and (on ?x ?y) (clear ?x) (handempty))
    :effect (and (holding ?x) (clear ?y) (not (clear ?x)) (not (handempty)) (not (on ?x ?y)))))
"""

TOWER = """
(define (problem tower) (:domain blocks)
  (:objects a b c - block t - table)
  (:init (ontable a) (ontable b) (on c a) (clear c) (clear b) (handempty))
  (:goal (and (on a b) (on b c))))
"""

ROADS = """
(define (domain roads)
  (:requirements :typing :negative-preconditions :equality :action-costs)
  (:types place)
  (:constants depot - place)
  (:predicates (at ?p - place) (road ?a ?b - place) (closed ?p - place) (seen ?p - place))
  (:functions (distance ?a ?b - place) - number (total-cost) - number (fuel) - number)
  (:action drive
    :parameters (?a ?b - place)
    :precondition (and (at ?a) (road ?a ?b) (not (closed ?b)) (not (= ?a ?b)))
    :effect (and (not (at ?a)) (at ?b) (seen ?b)
                 (increase (total-cost) (distance ?a ?b)) (increase (fuel) (* 2 (distance ?a ?b)))))
  (:action close
    :parameters (?p - place)
    :precondition (and (at depot) (not (closed ?p)))
    :effect (and (closed ?p) (increase (total-cost) 0.5)))
  (:action wait
    :parameters (?p - place)
    :precondition (at ?p)
    :effect (and (not (at ?p)) (at ?p))))
"""

TRIP = """
(define (problem trip) (:domain roads)
  (:objects x y - place)
  (:init (at depot) (road depot x) (road x y) (road y depot) (road y y) (road depot y)
         (= (distance depot x) 3) (= (distance x y) 4.5) (= (distance y depot) 1) (= (total-cost) 0) (= (fuel) 10))
  (:goal (and (at y) (seen x) (not (closed y))))
  (:metric minimize (+ (total-cost) (fuel))))
"""


@pytest.fixture
def tower() -> Task:
    """Three blocks, c on a, to be a on b on c; a fourth object is a table."""
    return parse_task(BLOCKS, TOWER)


@pytest.fixture
def trip() -> Task:
    """Three places, costs, negative preconditions, an equality, a constant; one road has no distance."""
    return parse_task(ROADS, TRIP)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the files of the tower, some plans, and a domain that cannot be read."""
    files = {
        "domain.pddl": BLOCKS,
        "problem.pddl": TOWER,
        "good.plan": "(unstack c a) (put-down c) (pick-up b) (stack b c) (pick-up a) (stack a b)",
        "short.plan": "(unstack c a)",
        "bad.plan": "(unstack c a)\n(put-down)\n",
        "broken.pddl": "(define (domain blocks)\n  (:predicates (p))\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path

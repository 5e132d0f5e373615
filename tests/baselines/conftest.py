"""Small tasks of the tests' own."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pddl2nl.baselines import TaskTexts
from tests.validators.conftest import BLOCKS

ROADS = """
(define (domain roads)
  (:requirements :strips :typing :action-costs)
  (:types place)
  (:predicates (at ?p - place) (link ?a ?b - place))
  (:functions (total-cost) - number (len ?a ?b - place) - number)
  (:action drive
    :parameters (?a ?b - place)
    :precondition (and (at ?a) (link ?a ?b))
    :effect (and (not (at ?a)) (at ?b) (increase (total-cost) (len ?a ?b)))))
"""

# The way over b is cheaper, the way straight to c is shorter.
DETOUR = """
(define (problem detour) (:domain roads)
  (:objects a b c - place)
  (:init (at a) (link a c) (link a b) (link b c)
         (= (len a c) 10) (= (len a b) 1) (= (len b c) 2) (= (total-cost) 0))
  (:goal (at c))
  (:metric minimize (total-cost)))
"""

# One unit of fuel short: the translator does not see it, the search has to.
FUEL = """
(define (domain fuel)
  (:requirements :strips)
  (:predicates (level ?n) (next ?n ?m) (done ?o))
  (:action work
    :parameters (?o ?n ?m)
    :precondition (and (level ?n) (next ?n ?m))
    :effect (and (not (level ?n)) (level ?m) (done ?o))))
"""
TOO_LITTLE_FUEL = """
(define (problem short) (:domain fuel)
  (:objects o1 o2 o3 n0 n1 n2)
  (:init (level n2) (next n2 n1) (next n1 n0))
  (:goal (and (done o1) (done o2) (done o3))))
"""
ENOUGH_FUEL = """
(define (problem enough) (:domain fuel)
  (:objects o1 o2 n0 n1 n2)
  (:init (level n2) (next n2 n1) (next n1 n0))
  (:goal (and (done o1) (done o2))))
"""
NOTHING_TO_DO = """
(define (problem nothing) (:domain fuel)
  (:objects o1 n0 n1)
  (:init (level n1) (next n1 n0) (done o1))
  (:goal (done o1)))
"""

# A disjunctive precondition becomes an axiom or a split; a universal one an axiom, which LM-cut does not take.
LAMPS = """
(define (domain lamps)
  (:requirements :adl)
  (:predicates (lit ?l) (open))
  (:action light :parameters (?l) :precondition (not (lit ?l)) :effect (lit ?l))
  (:action leave :parameters () :precondition (forall (?l) (lit ?l)) :effect (open)))
"""
TWO_LAMPS = """
(define (problem two) (:domain lamps)
  (:objects l1 l2)
  (:init)
  (:goal (open)))
"""

TOWER = """
(define (problem tower) (:domain blocks)
  (:objects a b c d - block)
  (:init (on a b) (ontable b) (on c d) (ontable d) (clear a) (clear c) (handempty))
  (:goal (and (on b c) (on c a))))
"""
PAIR = """
(define (problem pair) (:domain blocks)
  (:objects x y - block)
  (:init (ontable x) (ontable y) (clear x) (clear y) (handempty))
  (:goal (on x y)))
"""


@pytest.fixture(scope="session")
def small() -> SimpleNamespace:
    """Small tasks by name, as texts."""
    return SimpleNamespace(
        detour=TaskTexts(ROADS, DETOUR),
        too_little_fuel=TaskTexts(FUEL, TOO_LITTLE_FUEL),
        enough_fuel=TaskTexts(FUEL, ENOUGH_FUEL),
        nothing_to_do=TaskTexts(FUEL, NOTHING_TO_DO),
        two_lamps=TaskTexts(LAMPS, TWO_LAMPS),
        tower=TaskTexts(BLOCKS, TOWER),
        pair=TaskTexts(BLOCKS, PAIR),
    )

"""Texts that the tests of the reader share."""

from __future__ import annotations

import pytest

BLOCKS = """(define (domain blocks)
  (:requirements :strips)
  (:predicates (on ?x ?y) (clear ?x) (holding ?x))
  (:action pick
    :parameters (?x)
    :precondition (and (clear ?x))
    :effect (and (holding ?x) (not (clear ?x))))
  (:action stack
    :parameters (?x ?y)
    :precondition (and (holding ?x) (clear ?y))
    :effect (and (on ?x ?y) (not (holding ?x)))))
"""

TOWER = """(define (problem tower)
  (:domain blocks)
  (:objects a b c)
  (:init (clear a) (on a b)
         (clear c))
  (:goal (and (on a c) (clear b))))
"""

EVERYTHING = """(define (domain everything)
  (:requirements :adl :fluents :durative-actions :duration-inequalities :derived-predicates
                 :timed-initial-literals :preferences :constraints :time)
  (:types truck - vehicle place vehicle - object cargo - (either vehicle place))
  (:constants depot - place)
  (:predicates (at ?t - vehicle ?p - place) (open ?p - place) (busy ?t - truck) (near ?a ?b - place) (tired))
  (:functions (dist ?a ?b - place) (fuel ?t - truck) - number (home ?t - truck) - place (total-cost) - number)
  (:constraints (and (always (forall (?t - truck) (>= (fuel ?t) 0)))
                     (preference c1 (sometime-after (open depot) (not (open depot))))
                     (within 5.5 (open depot)) (hold-during 1 2 (open depot)) (at end (open depot))))
  (:derived (near ?a ?b - place) (or (< (dist ?a ?b) 1) (exists (?c - place) (and (near ?a ?c) (near ?c ?b)))))
  (:action leave
    :parameters (?t - truck ?p ?q - (either place cargo))
    :precondition (and (not (= ?p ?q)) (imply (busy ?t) (tired)) (forall (?x - place) (open ?x)) (= (home ?t) ?p))
    :effect (and (when (tired) (and (not (tired)) (open depot))) (forall (?x - place) (not (open ?x)))
                 (increase (total-cost) 1.5) (assign (fuel ?t) (- (* 2 (fuel ?t)) (/ 1 4))) (assign (home ?t) depot)))
  (:action rest)
  (:durative-action drive
    :parameters (?t - truck ?a ?b - place)
    :duration (and (>= ?duration (/ (dist ?a ?b) 2)) (at end (<= ?duration (fuel ?t))))
    :condition (and (at start (at ?t ?a)) (over all (open ?b)) (preference p1 (at end (open ?a)))
                    (forall (?p - place) (at start (open ?p))))
    :effect (and (at start (not (at ?t ?a))) (at end (and (at ?t ?b) (not (busy ?t)))) (decrease (fuel ?t) (* #t 2))
                 (when (at start (busy ?t)) (at end (open ?a))) (at start (assign (fuel ?t) ?duration))))
  (:process leak :parameters (?t - truck) :precondition (> (fuel ?t) 0) :effect (decrease (fuel ?t) (* #t 0.25)))
  (:event stop :parameters (?t - truck) :precondition (= (fuel ?t) 0) :effect (busy ?t)))
"""

ALL_OF_IT = """(define (problem all-of-it) (:domain everything) (:requirements :adl)
  (:objects t1 - truck a b - place)
  (:init (at t1 a) (= (fuel t1) 1e2) (= (dist a b) 2.50) (= (home t1) a) (at 5 (open a)) (at 7.5 (not (open a)))
         (not (busy t1)) (tired))
  (:goal (and (at t1 b) (preference g1 (open b)) (preference (open a)) (or (tired) (exists (?p - place) (open ?p)))))
  (:constraints (always-within 5 (open a) (open b)))
  (:metric minimize (+ (total-time) (* 2 (is-violated g1)) (- (fuel t1))))
  (:length (:serial 5) (:parallel 3)))
"""


@pytest.fixture
def blocks() -> str:
    """A small correct domain."""
    return BLOCKS


@pytest.fixture
def tower() -> str:
    """A problem of `blocks`."""
    return TOWER


@pytest.fixture
def everything() -> str:
    """A domain with every construct."""
    return EVERYTHING


@pytest.fixture
def all_of_it() -> str:
    """A problem of `everything` with every construct."""
    return ALL_OF_IT

"""Tasks that the tests of macro-actions have in common."""

from __future__ import annotations

from pathlib import Path

import pytest

from pddl2nl.pddl import Task, load_task, parse_task

_LIGHTS = """
(define (domain lights)
  (:requirements :typing :action-costs :negative-preconditions)
  (:types lamp switch - object)
  (:constants main - switch)
  (:predicates (lit ?l - lamp) (wired ?s - switch ?l - lamp) (at ?s - switch))
  (:functions (total-cost) (way ?a ?b - switch) (effort ?s - switch))
  (:action go :parameters (?a ?b - switch) :precondition (at ?a)
    :effect (and (at ?b) (not (at ?a)) (increase (total-cost) (way ?a ?b))))
  (:action press :parameters (?s - switch ?l - lamp) :precondition (and (at ?s) (wired ?s ?l) (not (lit ?l)))
    :effect (and (lit ?l) (increase (total-cost) (effort ?s))))
  (:action rest :parameters (?s - switch) :precondition (at ?s) :effect (increase (total-cost) 2)))
"""
_FLAT = """
(define (problem flat) (:domain lights)
  (:objects s1 s2 - switch l1 l2 - lamp)
  (:init (at main) (wired s1 l1) (wired s2 l2) (= (total-cost) 0)
    (= (way main s1) 3) (= (way s1 s2) 4) (= (way main s2) 9) (= (way s2 main) 1)
    (= (effort s1) 1) (= (effort s2) 5))
  (:goal (and (lit l1) (lit l2))) (:metric minimize (total-cost)))
"""


@pytest.fixture(scope="session")
def blocks(root: Path) -> Task:
    """Three blocks: c on b on a."""
    return load_task(root / "domains/blocksworld/domain.pddl", root / "instances/blocksworld/p01.pddl")


@pytest.fixture(scope="session")
def ferry(root: Path) -> Task:
    """A ferry with some cars."""
    return load_task(root / "domains/ferry/domain.pddl", root / "instances/ferry/p05.pddl")


@pytest.fixture(scope="session")
def lights() -> Task:
    """Lamps and their switches, with costs that are numbers and functions."""
    return parse_task(_LIGHTS, _FLAT)

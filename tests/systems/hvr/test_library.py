"""What is stored of a proof with a macro-action, and for which problems the macro-action is told again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pddl2nl.macros.library import Library, Provenance, StoredMacro
from pddl2nl.nl import Teller, make_names, template_wording
from pddl2nl.pddl import Task, parse_task
from pddl2nl.systems.hvr.blocks import Part
from pddl2nl.systems.hvr.events import MacroProved
from pddl2nl.systems.hvr.library import keep_macros, known_blocks
from pddlval import GroundAction, Simulator
from tests.systems.hvr.conftest import graph_of

_DOMAIN = """
(define (domain lights) (:requirements :typing :negative-preconditions)
  (:types lamp switch - object)
  (:predicates (lit ?l - lamp) (wired ?s - switch ?l - lamp) (broken ?s - switch) (at ?s - switch))
  (:action go :parameters (?a ?b - switch) :precondition (at ?a) :effect (and (at ?b) (not (at ?a))))
  (:action press :parameters (?s - switch ?l - lamp)
    :precondition (and (at ?s) (wired ?s ?l) (not (broken ?s))) :effect (lit ?l)))
"""
_PROBLEM = """
(define (problem two) (:domain lights) (:objects s1 s2 - switch l1 - lamp)
  (:init (at s1) (wired s2 l1)) (:goal (lit l1)))
"""
_BLOCK = (GroundAction("go", ("s1", "s2")), GroundAction("press", ("s2", "l1")))
_WORDS = "Switch the lamp on"


@pytest.fixture
def task() -> Task:
    return parse_task(_DOMAIN, _PROBLEM)


def _teller(task: Task) -> Teller:
    wording = template_wording(task.domain)
    return Teller(task, wording, make_names(task, "original", wording))


def _kept(task: Task, folder: Path) -> StoredMacro:
    from pddl2nl.macros.compose import compose_block
    from pddl2nl.macros.proof import prove

    exact = compose_block(task, _BLOCK).conditions
    proof = prove(task, _BLOCK, exact)
    proved = {(1, 1): (MacroProved(1, 1, proof.sound, proof.precondition, ""), proof.static)}
    part = Part(1, 1, _WORDS, _BLOCK, Simulator(task).initial)
    keep_macros(Library(folder), _teller(task), _BLOCK, [part], proved, "hvr", graph_of(task))
    (stored,) = Library(folder).macros(task.domain)
    return stored


def test_a_macro_is_stored_with_the_static_facts_that_its_proof_used(task: Task, tmp_path: Path) -> None:
    proof = _kept(task, tmp_path).provenance.proof
    assert proof["sound"] is True
    assert proof["scope"] == "static facts"
    assert proof["static"] == ["(not (broken ?b))", "(wired ?b ?l)"]


@pytest.mark.parametrize(
    ("init", "told"),
    [
        ("(at s1) (wired s2 l1)", True),
        ("(at s1) (wired s1 l1) (broken s2)", True),
        ("(at s1) (wired s2 l1) (broken s2)", False),
        ("(at s1)", False),
    ],
)
def test_a_macro_is_told_where_its_static_facts_hold_for_some_objects(
    task: Task, tmp_path: Path, init: str, told: bool
) -> None:
    _kept(task, tmp_path)
    other = parse_task(_DOMAIN, _PROBLEM.replace("(at s1) (wired s2 l1)", init))
    assert bool(known_blocks(Library(tmp_path), _teller(other), _WORDS)) is told


def test_a_macro_without_a_proof_is_told_everywhere(task: Task, tmp_path: Path) -> None:
    from pddl2nl.macros.compose import lift

    macro: Any = lift(task, _BLOCK)
    Library(tmp_path).put(task.domain, StoredMacro(macro, Provenance((_WORDS,))))
    other = parse_task(_DOMAIN, _PROBLEM.replace("(wired s2 l1)", ""))
    assert known_blocks(Library(tmp_path), _teller(other), _WORDS)

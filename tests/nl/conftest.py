"""What the tests of reading share: Blocksworld with three blocks under their own names."""

from __future__ import annotations

import pytest

from pddl2nl.nl.names import make_names
from pddl2nl.nl.reading.reader import Reader
from pddl2nl.nl.wording.snippets import Snippet, Wording
from pddl2nl.pddl import parse_task

BLOCKS = """
(define (domain blocksworld) (:requirements :strips)
 (:predicates (on ?x ?y) (clear ?x) (holding ?x))
 (:action pick-up :parameters (?x) :precondition (clear ?x) :effect (holding ?x))
 (:action put-down :parameters (?x) :precondition (holding ?x) :effect (clear ?x))
 (:action stack :parameters (?x ?y) :precondition (holding ?x) :effect (on ?x ?y))
 (:action unstack :parameters (?x ?y) :precondition (on ?x ?y) :effect (holding ?x)))
"""


@pytest.fixture(scope="session")
def reader() -> Reader:
    problem = "(define (problem p) (:domain blocksworld) (:objects a b c) (:init (on a b)) (:goal (on b a)))"
    task = parse_task(BLOCKS, problem)
    texts = {
        "pick-up": ("?x", "pick up {?x}"),
        "put-down": ("?x", "put down {?x}"),
        "stack": ("?x ?y", "stack {?x} on {?y}"),
        "unstack": ("?x ?y", "unstack {?x} from {?y}"),
    }
    actions = {name: Snippet(name, tuple(variables.split()), text) for name, (variables, text) in texts.items()}
    return Reader(task, Wording("blocksworld", {}, actions), make_names(task, "original"))

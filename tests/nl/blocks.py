"""What the tests of reading share: Blocksworld in the words of the papers, for blocks of any names."""

from __future__ import annotations

from pddl2nl.nl.names import make_names
from pddl2nl.nl.reading.reader import Reader
from pddl2nl.nl.wording.snippets import Snippet, Wording
from pddl2nl.pddl import Task, parse_task

BLOCKS = """
(define (domain blocksworld) (:requirements :strips)
 (:predicates (on ?x ?y) (ontable ?x) (clear ?x) (handempty) (holding ?x))
 (:action pick-up :parameters (?x) :precondition (clear ?x) :effect (holding ?x))
 (:action put-down :parameters (?x) :precondition (holding ?x) :effect (ontable ?x))
 (:action stack :parameters (?x ?y) :precondition (holding ?x) :effect (on ?x ?y))
 (:action unstack :parameters (?x ?y) :precondition (on ?x ?y) :effect (holding ?x)))
"""


def snippets(**texts: tuple[str, str]) -> dict[str, Snippet]:
    """Snippets by their names, whose hyphens are written as underscores: the parameters and the text of each."""
    named = {name.replace("_", "-"): value for name, value in texts.items()}
    return {name: Snippet(name, tuple(variables.split()), text) for name, (variables, text) in named.items()}


ACTIONS = snippets(
    pick_up=("?x", "pick up {?x}"),
    put_down=("?x", "put down {?x}"),
    stack=("?x ?y", "stack {?x} on {?y}"),
    unstack=("?x ?y", "unstack {?x} from {?y}"),
)


def blocks_task(names: str, domain: str = BLOCKS) -> Task:
    """A task with blocks of these names."""
    first, second = names.split()[:2]
    init, goal = f"(on {first} {second})", f"(on {second} {first})"
    return parse_task(
        domain, f"(define (problem p) (:domain blocksworld) (:objects {names}) (:init {init}) (:goal {goal}))"
    )


def blocks_reader(names: str, wording: Wording | None = None) -> Reader:
    """A reader for blocks of these names, which are said as they are."""
    task = blocks_task(names)
    return Reader(task, wording or Wording("blocksworld", {}, ACTIONS), make_names(task, "original"))

"""Macros for different objects: where they are applicable the exact ones are too, with the same successor."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest

from pddl2nl.macros.compose import compose
from pddl2nl.macros.library import steps_of
from pddl2nl.pddl import Equality, GroundAtom, Not, Or, Task, When
from pddlval import GroundAction, Simulator
from pddlval.formulas import subformulas

_SEQUENCES = [
    ("(pick-up ?x)", "(stack ?x ?y)"),
    ("(unstack ?x ?y)", "(put-down ?x)", "(pick-up ?u)", "(stack ?u ?v)"),
    ("(unstack ?x ?y)", "(stack ?x ?z)", "(unstack ?x ?z)"),
]


@pytest.mark.parametrize("steps", _SEQUENCES)
def test_the_same_successor_wherever_it_is_applicable(blocks: Task, steps: tuple[str, ...]) -> None:
    exact = compose(blocks.domain, steps_of(steps), name="exact")
    apart = compose(blocks.domain, steps_of(steps), name="apart", distinct=True)
    domain = replace(blocks.domain, actions=(*blocks.domain.actions, exact.schema, apart.schema))
    simulator = Simulator(replace(blocks, domain=domain))
    rng = random.Random(2)
    atoms = [
        GroundAtom((predicate.name, *args))
        for predicate in blocks.domain.predicates
        for args in itertools.product(blocks.objects, repeat=len(predicate.parameters))
    ]
    applied = narrower = 0
    for _ in range(30):
        state = simulator.state([atom for atom in atoms if rng.random() < 0.6])
        for args in itertools.product(blocks.objects, repeat=len(exact.parameters)):
            one = simulator.step(state, GroundAction("exact", args)).successor
            other = simulator.step(state, GroundAction("apart", args)).successor
            narrower += one is not None and other is None
            if other is not None:
                assert one == other
                applied += 1
    assert applied > 2
    assert narrower or len(steps) == 2


def test_conditions_become_those_of_strips(blocks: Task) -> None:
    exact = compose(blocks.domain, steps_of(_SEQUENCES[1]), name="m")
    assert any(isinstance(part, Or) for part in subformulas(exact.conditions.precondition))
    assert any(isinstance(part, When) for part in subformulas(exact.conditions.effect))
    apart = compose(blocks.domain, steps_of(_SEQUENCES[1]), distinct=True).conditions
    assert not any(
        isinstance(part, Or | When) for part in (*subformulas(apart.precondition), *subformulas(apart.effect))
    )
    unequal = [part.body for part in subformulas(apart.precondition) if isinstance(part, Not)]
    assert unequal
    assert all(isinstance(part, Equality) for part in unequal)

"""Compiled conditions against their definition."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from pddl2nl.pddl import Comparison, Condition, Task, TypedName
from pddlval import Simulator, State
from pddlval.formulas import negation_normal
from pddlval.numeric import UndefinedError, evaluate
from pddlval.semantics import holds, unmet
from tests.validators import random_tasks, reference

FREE = (TypedName("?x"), TypedName("?w", ("thing",)))


def _readings(task: Task, rng: random.Random, count: int = 6) -> Iterator[tuple[Condition, State, dict[str, str]]]:
    """Conditions with free variables, in states of a random walk, and objects for the variables."""
    simulator, scope = Simulator(task), random_tasks.scope_of(task, FREE)
    state = simulator.initial
    for _ in range(count):
        binding = {item.name: rng.choice(task.objects_of(item.types)) for item in FREE}
        yield random_tasks.conditions(rng, scope, 4), state, binding
        action = simulator.sample(state, rng)
        state = state if action is None else simulator.step(state, action).successor or state


@settings(max_examples=25)
@given(random_tasks.cases(numeric=False))
def test_a_state_reads_what_is_defined(case: tuple[Task, random.Random]) -> None:
    task, rng = case
    model = reference.Reference(task)
    for condition, state, binding in _readings(task, rng):
        world = reference.World(frozenset(map(tuple, state.atoms)), {}, model.initial.follow)
        compiled = state.layout.holds
        wanted = holds(condition, state, binding)
        assert model.holds(condition, world, binding) is wanted
        for _ in range(2):
            assert compiled(condition, state, binding) is wanted
            assert unmet(condition, state, binding, compiled) == unmet(condition, state, binding)


@settings(max_examples=25)
@given(random_tasks.cases(numeric=True))
def test_negation_normal_form(case: tuple[Task, random.Random]) -> None:
    for condition, state, binding in _readings(*case):
        normal = negation_normal(condition)
        assert negation_normal(normal) == normal
        text = repr(normal)
        assert "Imply" not in text
        assert not any(f"Not(body={kind}(" in text for kind in ("Not", "And", "Or", "Forall", "Exists"))
        try:
            assert holds(normal, state, binding) is holds(condition, state, binding)
        except UndefinedError:
            with pytest.raises(UndefinedError):
                holds(condition, state, binding)


@settings(max_examples=25)
@given(random_tasks.cases(numeric=True))
def test_expressions(case: tuple[Task, random.Random]) -> None:
    task, rng = case
    scope = random_tasks.scope_of(task, FREE)
    for _, state, binding in _readings(task, rng):
        expression = random_tasks.expressions(rng, scope, 3)
        same = Comparison("=", expression, expression)
        try:
            evaluate(expression, state.level, binding)
        except UndefinedError as error:
            with pytest.raises(UndefinedError) as found:
                state.layout.holds(same, state, binding)
            assert found.value.condition == error.condition  # noqa: PT017 - most expressions have a value
            assert "?" not in str(found.value.expression)
        else:
            assert state.layout.holds(same, state, binding)

"""Compiled conditions against their definition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.pddl import (
    ActionSchema,
    And,
    Comparison,
    Condition,
    Fluent,
    FluentValue,
    GroundAtom,
    Task,
    Update,
    parse_task,
)
from pddl2nl.pddl import Number as NumberNode
from pddlval import Simulator, State
from pddlval.formulas import negation_normal
from pddlval.numeric import UndefinedError, evaluate
from pddlval.semantics import holds, unmet
from tests.validators import formulas

FREE = ["?x", "?w"]
EVERYTHING = {**formulas.STATIC, **formulas.CHANGING}


class Setting:
    """A random state, and objects for the free variables; numbers are static or not."""

    def __init__(
        self, statics: frozenset[GroundAtom], atoms: frozenset[GroundAtom], values: Any, args: Any, fixed: bool
    ):
        assigned = tuple(FluentValue(fluent, Fraction(value)) for fluent, value in values.items())
        task = formulas.task_with(statics)
        if not fixed:
            updates = And(
                tuple(
                    Update("increase", Fluent(name, ("a",) * arity), NumberNode(Fraction(1)))
                    for name, arity in formulas.FUNCTIONS.items()
                )
            )
            change = ActionSchema("count", effect=updates)
            task = replace(task, domain=replace(task.domain, actions=(*task.domain.actions, change)))
        self.task = replace(task, problem=replace(task.problem, init_values=assigned))
        simulator = Simulator(self.task)
        self.state: State = simulator.state(statics | atoms, values)
        self.world = formulas.PlainWorld(self.task, statics | atoms, values)
        self.args = args
        self.binding = dict(zip(FREE, args, strict=True))

    def __repr__(self) -> str:
        atoms = " ".join(sorted(map(str, self.world.atoms)))
        return f"Setting({atoms}; {self.binding}; {self.world.values})"


def links(condition: str, init: Sequence[str], count: int) -> Task:
    """A task with nodes, links between some, and one action with a precondition."""
    nodes = " ".join(f"n{number}" for number in range(count) if number not in (3, 5))
    return parse_task(
        LINKS.replace("CONDITION", condition),
        f"(define (problem x) (:domain links) (:objects {nodes} - node) (:init {' '.join(init)}) (:goal (and)))",
    )


LINKS = """(define (domain links) (:requirements :adl :typing) (:types node) (:constants n3 n5 - node)
  (:predicates (link ?x ?y - node) (lit ?x - node) (mark ?x - node))
  (:action look :parameters (?x - node) :precondition CONDITION :effect (lit ?x)))"""


SETTINGS = st.builds(
    Setting,
    formulas.subsets(formulas.STATIC),
    formulas.subsets(formulas.CHANGING),
    formulas.values(),
    st.tuples(st.sampled_from(sorted(formulas.OBJECTS)), st.sampled_from(sorted(formulas.OBJECTS))),
    st.booleans(),
)


@settings(max_examples=100)
@given(formulas.conditions(FREE, EVERYTHING, 4), SETTINGS)
def test_a_state_reads_what_is_defined(condition: Condition, setting: Setting) -> None:
    holds_compiled = setting.state.layout.holds
    for _ in range(2):
        found = holds_compiled(condition, setting.state, setting.binding)
        assert found is holds(condition, setting.world, setting.binding)
        parts = unmet(condition, setting.state, setting.binding, holds_compiled)
        assert parts == unmet(condition, setting.world, setting.binding)


@settings(max_examples=100)
@given(formulas.conditions(FREE, EVERYTHING, 4, numeric=True), SETTINGS)
def test_negation_normal_form(condition: Condition, setting: Setting) -> None:
    normal = negation_normal(condition)
    assert negation_normal(normal) == normal
    text = repr(normal)
    assert "Imply" not in text
    assert not any(f"Not(body={kind}(" in text for kind in ("Not", "And", "Or", "Forall", "Exists"))
    try:
        assert holds(normal, setting.world, setting.binding) is holds(condition, setting.world, setting.binding)
    except UndefinedError:
        with pytest.raises(UndefinedError):
            holds(condition, setting.world, setting.binding)


@settings(max_examples=100)
@given(formulas.expressions(FREE, 3), SETTINGS, st.booleans())
def test_expressions(expression: Any, setting: Setting, defined: bool) -> None:
    if not defined:
        setting = Setting(frozenset(), frozenset(), {}, setting.args, fixed=False)
    same = Comparison("=", expression, expression)
    try:
        evaluate(expression, setting.world.level, setting.binding)
    except UndefinedError as error:
        with pytest.raises(UndefinedError) as found:
            setting.state.layout.holds(same, setting.state, setting.binding)
        assert found.value.condition == error.condition  # noqa: PT017 - most expressions have a value
        assert "?" not in str(found.value.expression)
    else:
        assert setting.state.layout.holds(same, setting.state, setting.binding)

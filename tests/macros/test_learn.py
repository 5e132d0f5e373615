"""Macros out of plans."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pddl2nl.errors import InputError
from pddl2nl.macros.learn import LearningOptions, PlannedTask, learn
from pddl2nl.nl import choose_wording
from pddl2nl.pddl import And, Atom, Task, parse_task
from pddlval import Simulator, read_plan

_TURN = """(unstack c b)
(put-down c)
(unstack b a)
(put-down b)
(pick-up b)
(stack b c)
"""
_AGAIN = "(pick-up a)\n(stack a b)\n"


def _example(task: Task, text: str, *goal: Atom) -> PlannedTask:
    return PlannedTask(replace(task, problem=replace(task.problem, goal=And(goal))), read_plan(text).actions, "mine")


def test_frequent_chains_become_macros(blocks: Task, root: Path) -> None:
    example = _example(blocks, _TURN + _AGAIN, Atom("on", ("a", "b")))
    wording = choose_wording(None, blocks.domain, root / "domains/blocksworld/domain.pddl")
    found = learn(blocks.domain, [example], LearningOptions(max_length=2), wording)
    assert [item.macro.name for item in found.macros] == ["unstack-put-down", "pick-up-stack"] or [
        item.macro.name for item in found.macros
    ] == ["pick-up-stack", "unstack-put-down"]
    assert [(item.support, item.plans, item.saved) for item in found.macros] == [(2, 1, 2)] * 2
    assert (found.steps, found.refused) == (8, ())
    known = {item.macro.name: item.stored.provenance for item in found.macros}
    assert known["pick-up-stack"].origin == "learned from 1 plan"
    assert "stack" in known["pick-up-stack"].description
    assert ", then " in known["pick-up-stack"].description


def test_learned_macros_run_in_the_plan_that_they_come_from(blocks: Task) -> None:
    example = _example(blocks, _TURN + _AGAIN, Atom("on", ("a", "b")))
    macros = [item.macro for item in learn(blocks.domain, [example], LearningOptions(max_length=2)).macros]
    names = {tuple(step.action for step in macro.steps): macro for macro in macros}
    domain = replace(blocks.domain, actions=(*blocks.domain.actions, *(macro.schema for macro in macros)))
    simulator = Simulator(replace(example.task, domain=domain))
    state = simulator.initial
    plan = list(example.plan)
    while plan:
        macro = names[plan[0].name, plan[1].name]
        first = dict(zip(macro.steps[0].args, plan[0].args, strict=True))
        second = dict(zip(macro.steps[1].args, plan[1].args, strict=True))
        binding = {**first, **second}
        args = [binding[item.name] for item in macro.parameters]
        successor = simulator.step(state, f"({macro.name} {' '.join(args)})").successor
        assert successor is not None
        state, plan = successor, plan[2:]
    assert simulator.is_goal(state)


def test_exact_macros_speak_of_objects_that_coincide(blocks: Task) -> None:
    example = _example(blocks, "(unstack c b)\n(put-down c)\n(unstack b a)\n", Atom("holding", ("b",)))
    options = LearningOptions(min_support=1, max_length=3, number=1)
    apart = learn(blocks.domain, [example], options).macros[0]
    exact = learn(blocks.domain, [example], replace(options, distinct=False)).macros[0]
    assert apart.stored.provenance.distinct
    assert not exact.stored.provenance.distinct
    assert len(str(exact.macro.conditions.precondition)) != len(str(apart.macro.conditions.precondition))


def test_plain_macros_are_those_of_strips(blocks: Task) -> None:
    example = _example(blocks, "(unstack c b)\n(put-down c)\n(unstack b a)\n", Atom("holding", ("b",)))
    options = LearningOptions(min_support=1, max_length=3, distinct=False, plain=True)
    found = learn(blocks.domain, [example], options)
    assert found.macros
    assert all(" (or " not in str(item.macro.conditions.precondition) for item in found.macros)
    assert {item.reason for item in found.refused} == {"it has a disjunction, a quantifier or a conditional effect"}


def test_only_valid_plans_are_learned_from(blocks: Task) -> None:
    with pytest.raises(
        InputError, match=r"mine: macros are learned from valid plans; this one is inapplicable at step 1"
    ):
        learn(blocks.domain, [_example(blocks, _AGAIN)])
    with pytest.raises(InputError, match="goal-not-satisfied"):
        learn(blocks.domain, [_example(blocks, "(unstack c b)\n", Atom("on", ("c", "b")))])


def test_what_leaves_all_as_it_was_is_no_macro(lights: Task) -> None:
    free = replace(lights, problem=replace(lights.problem, goal=And()))
    plain = [replace(action, effect=And()) if action.name == "rest" else action for action in free.domain.actions]
    task = replace(free, domain=replace(free.domain, actions=tuple(plain)))
    example = PlannedTask(task, read_plan("(rest main)\n" * 4).actions)
    found = learn(task.domain, [example], LearningOptions(max_length=2))
    assert found.macros == ()
    assert [item.reason for item in found.refused] == ["it leaves everything as it was"]


def test_what_cannot_be_composed_is_refused_with_the_reason() -> None:
    task = parse_task(
        """(define (domain d) (:requirements :adl :derived-predicates) (:predicates (p) (q) (r))
        (:derived (q) (and (p) (q))) (:derived (q) (p))
        (:action a :parameters () :precondition (not (r)) :effect (p))
        (:action b :parameters () :precondition (q) :effect (and (not (p)) (not (r)))))""",
        "(define (problem x) (:domain d) (:init) (:goal (and)))",
    )
    found = learn(task.domain, [PlannedTask(task, read_plan("(a)\n(b)\n" * 2).actions)], LearningOptions(max_length=2))
    for item in found.refused:
        assert item.steps
        assert item.reason
    assert len(found.macros) + len(found.refused) > 0

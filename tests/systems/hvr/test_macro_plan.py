"""Macro plans on paper: each macro-action as the one action that its conditions make it."""

from __future__ import annotations

import pytest

from pddl2nl.errors import InputError
from pddl2nl.macros.macro import Conditions
from pddl2nl.pddl import And, Atom, GroundAtom, Task, parse_task
from pddl2nl.systems.hvr.conditions import MacroPlanCheck, read_conditions, unmet_effects, verify_macros
from pddlval import Simulator

_DOMAIN = """(define (domain lamp) (:requirements :adl :numeric-fluents)
  (:predicates (on) (plugged) (broken) (socket)) (:functions (power) (drain))
  (:action plug :parameters () :precondition (socket) :effect (and (plugged) (increase (power) 2)))
  (:action press :parameters () :precondition (plugged) :effect (and (when (not (broken)) (on)) (not (plugged))))
  (:action smash :parameters () :effect (and (broken) (assign (drain) 1))))"""
_PROBLEM = "(define (problem p) (:domain lamp) (:init (socket) (= (power) 0)) (:goal (and (on) (plugged))))"


@pytest.fixture(scope="module")
def task() -> Task:
    return parse_task(_DOMAIN, _PROBLEM)


def _check(task: Task, *macros: tuple[str, str] | None) -> MacroPlanCheck:
    return verify_macros(task, Simulator(task).initial, [item and _claim(task, *item) for item in macros])


def _claim(task: Task, precondition: str, effect: str) -> Conditions:
    (read,) = read_conditions(f"precondition: {precondition}\neffect: {effect}", task)
    assert read.conditions is not None, read.problems
    return read.conditions


def test_a_plan_that_works(task: Task) -> None:
    check = _check(task, ("(socket)", "(plugged)"), ("(plugged)", "(when (plugged) (on))"))
    assert check.at_goal
    assert (check.verified, check.total, check.unmet) == (2, 2, ())


def test_the_first_violated_condition_is_named(task: Task) -> None:
    check = _check(task, ("(socket)", "(and)"), ("(and (plugged) (socket) (not (broken)))", "(on)"), ("(and)", "(on)"))
    assert (check.verified, check.total, check.at_goal) == (1, 3, False)
    assert [str(condition) for condition in check.unmet] == ["(plugged)"]


def test_what_is_missing_of_the_goal_is_named(task: Task) -> None:
    check = _check(task, ("(socket)", "(on)"))
    assert (check.verified, check.at_goal) == (1, False)
    assert [str(condition) for condition in check.unmet] == ["(plugged)"]
    assert _check(task).unmet != ()


def test_it_ends_where_conditions_could_not_be_read(task: Task) -> None:
    check = _check(task, ("(socket)", "(plugged)"), None, ("(and)", "(on)"))
    assert (check.verified, check.unmet, check.at_goal) == (1, (), False)


def test_numbers_that_contradict_each_other_are_named(task: Task) -> None:
    check = _check(task, ("(and)", "(and (when (socket) (assign (power) 1)) (increase (power) 1))"))
    assert (check.verified, check.conflict) == (0, GroundAtom(("power",)))


def test_what_an_effect_says_and_is_not_so(task: Task) -> None:
    simulator = Simulator(task)
    before = simulator.initial
    after = simulator.follow(before, ("(plug)", "(press)")).state

    def unmet(effect: str) -> list[str]:
        claim = _claim(task, "(and)", effect)
        return [str(condition) for condition in unmet_effects(task, before, after, claim.effect)]

    assert unmet("(and (on) (not (plugged)) (increase (power) 2))") == []
    assert unmet("(and (plugged) (on) (not (on)) (broken))") == ["(plugged)", "(broken)"]
    # The condition of a conditional effect is read before the block.
    assert unmet("(when (on) (broken))") == []
    assert unmet("(when (not (on)) (broken))") == ["(broken)"]
    assert unmet("(increase (power) 3)") == ["(= (power) 3)"]
    # What has no value can be the value of nothing.
    assert unmet("(assign (power) (drain))") == ["(= (drain) (drain))"]


def test_an_effect_cannot_claim_what_no_action_changes(task: Task) -> None:
    simulator = Simulator(task)
    with pytest.raises(InputError, match="no action changes 'socket'"):
        unmet_effects(task, simulator.initial, simulator.initial, Atom("socket"))
    with pytest.raises(InputError, match="no action changes 'socket'"):
        verify_macros(task, simulator.initial, [Conditions(And(), Atom("socket"))])

"""Ground actions as text, and what can be wrong with one."""

import pytest

from pddl2nl.pddl import InputError, Task
from pddlval import BadActionError, GroundAction, Simulator


@pytest.mark.parametrize("text", ["(stack a b)", "stack a b", " ( STACK  A\tb ) \n"])
def test_parsing_takes_case_blanks_and_bare_words(text: str) -> None:
    assert GroundAction.parse(text) == GroundAction("stack", ("a", "b"))


@pytest.mark.parametrize("text", ["", "()", "(stack a b", "(stack (a) b)", "(a) (b)"])
def test_what_is_no_action_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="not an action"):
        GroundAction.parse(text)


@pytest.mark.parametrize(
    ("text", "reason", "suggestion"),
    [
        ("(stak a b)", "the domain has no action 'stak'", "stack"),
        ("(stack a)", "'stack' takes 2 arguments, found 1", ""),
        ("(pick-up a b)", "'pick-up' takes 1 argument, found 2", ""),
        ("(stack a zz)", "argument 2, 'zz', is no object of the task", ""),
        ("(pick-up t)", "argument 1, 't', is of type table, expected block (?x)", ""),
    ],
)
def test_bad_actions_are_named_with_their_reason(tower: Task, text: str, reason: str, suggestion: str) -> None:
    simulator = Simulator(tower)
    with pytest.raises(BadActionError) as caught:
        simulator.step(simulator.initial, text)
    assert caught.value.reason == reason
    assert caught.value.suggestion == suggestion
    assert str(caught.value.action) in str(caught.value)
    with pytest.raises(BadActionError):
        simulator.check(GroundAction.parse(text))
    with pytest.raises(BadActionError):
        simulator.is_applicable(simulator.initial, text)


def test_a_near_object_of_the_right_type_is_suggested(shared_names: Task) -> None:
    simulator = Simulator(shared_names)
    with pytest.raises(BadActionError, match="did you mean 'block_10'"):
        simulator.check(GroundAction("pick-up", ("blok_10",)))


@pytest.fixture
def shared_names(tower: Task) -> Task:
    from dataclasses import replace

    from pddl2nl.pddl import TypedName

    objects = (*tower.problem.objects, TypedName("block_10", ("block",)), TypedName("table_10", ("table",)))
    return Task(tower.domain, replace(tower.problem, objects=objects))

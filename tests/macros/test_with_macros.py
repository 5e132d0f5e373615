"""Tasks with macros: names, requirements, costs, and plans without the macros again."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

import pytest

from pddl2nl.errors import InputError
from pddl2nl.macros.compose import compose
from pddl2nl.macros.library import steps_of
from pddl2nl.macros.macro import Macro
from pddl2nl.macros.planning import has_costs, with_macros
from pddl2nl.pddl import (
    Domain,
    Fluent,
    GroundAtom,
    Number,
    Task,
    Update,
    conjuncts,
    parse_task,
    write_domain,
    write_problem,
)
from pddlval import GroundAction, Simulator, read_plan


def _macro(domain: Domain, *steps: str, name: str = "m") -> Macro:
    return compose(domain, steps_of(steps), name=name)


def _price(task: Task, name: str) -> object:
    schema = task.domain.action(name)
    assert schema is not None
    prices = [part for part in conjuncts(schema.effect) if isinstance(part, Update)]
    assert len(prices) == 1
    return prices[0].value


def test_a_macro_is_one_more_action(blocks: Task) -> None:
    macro = _macro(blocks.domain, "(pick-up ?x)", "(stack ?x ?y)", name="stack")
    grown = with_macros(blocks, [macro, macro])
    assert list(grown.macros) == ["stack-2", "stack-3"]
    assert [action.name for action in grown.task.domain.actions][-2:] == ["stack-2", "stack-3"]
    assert set(grown.task.domain.requirements) == {":strips", ":negative-preconditions", ":equality"}
    plan = read_plan("(unstack c b)\n(put-down c)\n(stack-2 c a)\n").actions
    assert [str(step) for step in grown.expand(plan)] == ["(unstack c b)", "(put-down c)", "(pick-up c)", "(stack c a)"]
    assert grown.uses(plan) == {"stack-2": 1, "stack-3": 0}


def test_the_task_with_macros_can_be_written_and_read(lights: Task) -> None:
    macro = _macro(lights.domain, "(go ?a ?b)", "(go ?b ?c)", "(press ?c ?l)")
    task = with_macros(lights, [macro]).task
    assert parse_task(write_domain(task.domain), write_problem(task.problem)) == task


def test_a_macro_costs_what_its_steps_cost(lights: Task) -> None:
    """In every reachable state, for all objects, as exactly as the steps one after the other."""
    macros = [
        _macro(lights.domain, "(go ?a ?b)", "(press ?b ?l)", name="go-press"),
        _macro(lights.domain, "(go ?a ?b)", "(rest ?b)", "(go ?b ?a)", name="there-and-back"),
        _macro(lights.domain, "(rest ?a)", "(rest ?a)", name="rest-twice"),
        _macro(lights.domain, "(go main ?b)", "(go ?b main)", name="by-way-of"),
        _macro(lights.domain, "(press ?s ?l)", name="press-only"),
    ]
    grown = with_macros(lights, macros)
    mine, theirs = Simulator(grown.task), Simulator(lights)
    assert _price(grown.task, "rest-twice") == Number(Fraction(4))
    assert _price(grown.task, "press-only") == Fluent("effort", ("?s",))
    assert _price(grown.task, "go-press") == Fluent("go-press-cost", ("?a", "?b"))
    compared = 0
    for start in ("main", "s1", "s2"):
        atoms = [GroundAtom(atom) for atom in (("at", start), ("wired", "s1", "l1"), ("wired", "s2", "l2"))]
        for name, macro in grown.macros.items():
            objects = [lights.objects_of(item.types) for item in macro.parameters]
            for args in itertools.product(*objects):
                cost = {GroundAtom(("total-cost",)): Fraction(0)}
                one = mine.step(mine.state(atoms, cost), GroundAction(name, args)).successor
                other = theirs.state(atoms, cost)
                for step in macro.expand(args):
                    result = theirs.step(other, step).successor
                    if result is None:
                        break
                    other = result
                else:
                    assert one is not None, (name, args)
                    assert (one.atoms, mine.cost(one)) == (other.atoms, theirs.cost(other))
                    compared += 1
                    continue
                assert one is None, (name, args)
    assert compared >= 8


def test_costs_are_written_for_what_has_a_value_alone(lights: Task) -> None:
    grown = with_macros(lights, [_macro(lights.domain, "(go ?a ?b)", "(go ?b ?c)", name="two")])
    values = {str(item.fluent): item.value for item in grown.task.problem.init_values if item.fluent[0] == "two-cost"}
    assert values == {
        "(two-cost main s1 s2)": 7,
        "(two-cost s1 s2 main)": 5,
        "(two-cost main s2 main)": 10,
        "(two-cost s2 main s1)": 4,
        "(two-cost s2 main s2)": 10,
    }


def test_without_costs_a_macro_is_one_step_or_as_many_as_it_has(blocks: Task, lights: Task) -> None:
    macro = _macro(blocks.domain, "(pick-up ?x)", "(stack ?x ?y)")
    plain = with_macros(blocks, [macro])
    assert plain.task.problem.metric is None
    assert not has_costs(plain.task)
    counted = with_macros(blocks, [macro], "steps")
    assert has_costs(counted.task)
    assert (_price(counted.task, "m"), _price(counted.task, "stack")) == (Number(Fraction(2)), Number(Fraction(1)))
    # Costs that no metric asks for are none.
    free = replace(lights, problem=replace(lights.problem, metric=None))
    steps = with_macros(free, [_macro(free.domain, "(go ?a ?b)", "(rest ?b)")], "steps")
    assert (_price(steps.task, "m"), _price(steps.task, "go")) == (Number(Fraction(2)), Number(Fraction(1)))
    simulator = Simulator(steps.task)
    state = simulator.step(simulator.initial, "(m main s1)").successor
    assert state is not None
    assert simulator.cost(state) == 2


def test_a_macro_without_steps_or_that_never_runs_is_refused(blocks: Task) -> None:
    macro = replace(_macro(blocks.domain, "(pick-up ?x)"), steps=())
    with pytest.raises(InputError, match="no steps are known of 'm'"):
        with_macros(blocks, [macro])
    never = _macro(blocks.domain, "(pick-up ?x)", "(pick-up ?y)")
    with pytest.raises(InputError, match="'m' can never be carried out"):
        with_macros(blocks, [never])

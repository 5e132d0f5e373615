"""Composition by worked examples: what typical macros come out as, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pddl2nl.macros.compose import compose, compose_block, lift, total_functions
from pddl2nl.macros.library import steps_of
from pddl2nl.macros.macro import CannotComposeError, Macro, MacroStep
from pddl2nl.pddl import (
    Domain,
    Equality,
    Not,
    Or,
    Task,
    When,
    load_domain,
    parse_domain,
    parse_task,
    write_condition,
    write_domain,
)
from pddlval import GroundAction, Simulator
from pddlval.formulas import subformulas

_HOUSE = """
(define (domain house)
  (:requirements :adl :fluents :derived-predicates)
  (:types room - object thing - object cup box - thing)
  (:constants hall - room)
  (:predicates (at ?x - thing ?r - room) (in ?r - room) (door ?a ?b - room) (lit ?r - room) (seen ?x - thing)
               (inside ?x - thing ?b - box) (dark ?r - room) (reachable ?a ?b - room))
  (:functions (steps) (fuel) (weight ?x - thing) (load ?b - box))
  (:derived (dark ?r - room) (not (lit ?r)))
  (:derived (reachable ?a ?b - room)
    (or (and (door ?a ?b) (lit ?b)) (exists (?c - room) (and (door ?a ?c) (lit ?c) (reachable ?c ?b)))))
  (:action go :parameters (?a ?b - room) :precondition (and (in ?a) (door ?a ?b))
    :effect (and (not (in ?a)) (in ?b) (increase (steps) 1)))
  (:action switch :parameters (?r - room) :precondition (in ?r)
    :effect (and (when (lit ?r) (not (lit ?r))) (when (not (lit ?r)) (lit ?r))))
  (:action look :parameters (?r - room) :precondition (and (in ?r) (not (dark ?r)))
    :effect (forall (?x - thing) (when (at ?x ?r) (seen ?x))))
  (:action leave :parameters (?r - room) :precondition (reachable ?r hall) :effect (and (not (in ?r)) (in hall)))
  (:action bring :parameters (?x - thing ?a ?b - room) :precondition (and (at ?x ?a) (lit ?a))
    :effect (and (not (at ?x ?a)) (at ?x ?b)))
  (:action put :parameters (?x - thing ?b - box) :precondition (<= (+ (load ?b) (weight ?x)) 10)
    :effect (and (inside ?x ?b) (increase (load ?b) (weight ?x))))
  (:action refuel :effect (assign (fuel) 10))
  (:action burn :precondition (>= (fuel) 3) :effect (decrease (fuel) 3))
  (:action fill :effect (increase (fuel) 5))
  (:action check :parameters (?b - box) :precondition (forall (?x - cup) (not (inside ?x ?b))))
  (:action weigh :parameters (?b - box)
    :effect (forall (?x - thing) (when (inside ?x ?b) (increase (steps) (weight ?x)))))
  (:action tired :precondition (>= (steps) 5)))
"""


@pytest.fixture(scope="module")
def house() -> Domain:
    return parse_domain(_HOUSE)


def _steps(*texts: str) -> list[MacroStep]:
    words = [text.strip("()").split() for text in texts]
    return [MacroStep(name, tuple(args)) for name, *args in words]


def _said(macro: Macro) -> tuple[str, str]:
    return write_condition(macro.conditions.precondition), write_condition(macro.conditions.effect)


def _shipped(root: Path, name: str) -> Domain:
    return load_domain(root / "domains" / name / "domain.pddl")


def test_a_tower_of_two(root: Path) -> None:
    macro = compose(_shipped(root, "blocksworld"), _steps("(pick-up ?x)", "(stack ?x ?y)"))
    assert macro.name == "pick-up-then-stack"
    assert [parameter.name for parameter in macro.parameters] == ["?x", "?y"]
    # Where ?x is ?y, picking it up makes it no longer clear.
    assert _said(macro) == (
        "(and (clear ?x) (ontable ?x) (handempty) (clear ?y) (not (= ?x ?y)))",
        # In a state where the hand is empty and holds ?x all the same, it holds it no longer.
        "(and (not (holding ?x)) (not (ontable ?x)) (not (clear ?y)) (on ?x ?y))",
    )


def test_different_parameters(root: Path) -> None:
    domain = _shipped(root, "blocksworld")
    steps = _steps("(unstack ?x ?y)", "(stack ?x ?z)")
    either, apart = compose(domain, steps), compose(domain, steps, distinct=True)
    # Without more, ?z may be ?y, which is clear once ?x is off it.
    assert "(or (= ?y ?z) (and (clear ?z) (not (= ?x ?z))))" in _said(either)[0]
    assert _said(apart) == (
        "(and (on ?x ?y) (clear ?x) (handempty) (clear ?z) (not (= ?x ?y)) (not (= ?x ?z)) (not (= ?y ?z)))",
        "(and (not (holding ?x)) (not (on ?x ?y)) (not (clear ?z)) (clear ?y) (on ?x ?z))",
    )


def test_conditions_and_quantifiers_of_a_kitchen(root: Path) -> None:
    steps = _steps("(navigate-to-obj ?f)", "(open-obj ?f)", "(navigate-to-obj ?e)")
    effect = _said(compose(_shipped(root, "kitchen"), steps))[1]
    # All that was near is near no longer, and what is near in the end is added: nobody would write it otherwise.
    assert "(not (near ?x))" in effect
    assert "(near ?e)" in effect
    assert "(forall (?x - fixture) (when (part-of ?x ?e) (near ?x)))" in effect


def test_a_conditional_effect_is_read_where_its_action_runs(house: Domain) -> None:
    assert _said(compose(house, _steps("(switch ?r)", "(switch ?r)"))) == ("(in ?r)", "(and)")
    # Twice in rooms that may be the same one.
    precondition, effect = _said(compose(house, _steps("(switch ?r)", "(go ?r ?s)", "(switch ?s)")))
    assert precondition == "(and (in ?r) (door ?r ?s))"
    assert "(when (and (lit ?r) (not (= ?r ?s))) (not (lit ?r)))" in effect


def test_rules_are_put_in_the_place_of_derived_atoms(house: Domain) -> None:
    precondition, effect = _said(compose(house, _steps("(switch ?r)", "(look ?r)")))
    assert precondition == "(and (in ?r) (not (lit ?r)))"
    assert effect == "(and (lit ?r) (forall (?x - thing) (when (at ?x ?r) (seen ?x))))"


def test_recursive_rules_are_refused_where_a_step_changes_what_they_read(house: Domain) -> None:
    # Going changes nothing that 'reachable' depends on.
    assert "(reachable ?b hall)" in _said(compose(house, _steps("(go ?a ?b)", "(leave ?b)")))[0]
    with pytest.raises(CannotComposeError, match="'reachable' again") as caught:
        compose(house, _steps("(switch ?a)", "(leave ?a)"))
    assert caught.value.reason == "derived predicates"


def test_a_quantifier_over_what_a_step_has_changed(house: Domain) -> None:
    macro = compose(house, _steps("(put ?x ?b)", "(check ?c)"))
    precondition = _said(macro)[0]
    # ?x is a thing, and only cups are forbidden.
    assert "(forall (?x2 - cup) (not (inside ?x2 ?c)))" in precondition
    assert "(not (= ?b ?c))" in precondition
    assert "(= ?x ?x2)" in precondition


def test_numbers_add_up(house: Domain) -> None:
    assert _said(compose(house, _steps("(go ?a ?b)", "(go ?b ?c)")))[1].endswith("(increase (steps) 2))")
    precondition, effect = _said(compose(house, _steps("(put ?x ?b)", "(put ?y ?b)")))
    assert "(<= (+ (load ?b) (weight ?x)) 10)" in precondition
    assert "(<= (+ (load ?b) (weight ?x) (weight ?y)) 10)" in precondition
    assert "(increase (load ?b) (+ (weight ?x) (weight ?y)))" in effect


def test_numbers_by_cases(house: Domain) -> None:
    precondition, effect = _said(compose(house, _steps("(put ?x ?b)", "(put ?y ?c)")))
    assert "(or (and (= ?b ?c) (<= (+ (load ?c) (weight ?x) (weight ?y)) 10))" in precondition
    # Increases of what may be the same fluent stand beside each other: they add up.
    assert "(increase (load ?b) (weight ?x))" in effect
    assert "(increase (load ?c) (weight ?y))" in effect


def test_what_is_set_is_known(house: Domain) -> None:
    assert _said(compose(house, _steps("(refuel)", "(burn)", "(burn)"))) == ("(and)", "(and (assign (fuel) 4))")
    never = compose(house, _steps("(refuel)", "(burn)", "(burn)", "(burn)", "(burn)"))
    assert never.conditions.precondition == Or()
    assert never.name == "refuel-then-burn-4-times"


def test_an_undefined_fluent_counts_as_zero_only_where_it_is_increased(house: Domain) -> None:
    with pytest.raises(CannotComposeError, match="'fuel' among the total functions") as caught:
        compose(house, _steps("(fill)", "(burn)"))
    assert caught.value.reason == "undefined fluent"
    macro = compose(house, _steps("(fill)", "(burn)"), total=["fuel"])
    assert _said(macro) == ("(>= (+ (fuel) 5) 3)", "(and (increase (fuel) 2))")
    # Read before it is increased, it has a value where the macro runs.
    assert _said(compose(house, _steps("(burn)", "(fill)", "(burn)")))[1] == "(and (decrease (fuel) 1))"


def test_a_sum_over_objects(house: Domain) -> None:
    # It may stand in an effect, but no later step can read it.
    assert "(forall (?x - thing) (when (inside ?x ?b)" in _said(compose(house, _steps("(weigh ?b)", "(go ?a ?c)")))[1]
    with pytest.raises(CannotComposeError, match="no sums over") as caught:
        compose(house, _steps("(weigh ?b)", "(tired)"))
    assert caught.value.reason == "sum over objects"


def test_either_types() -> None:
    domain = parse_domain(
        "(define (domain d) (:requirements :adl) (:types a b c - object)"
        " (:predicates (p ?x - (either a b)) (q ?x - (either b c)))"
        " (:action one :parameters (?x - (either a b)) :precondition (p ?x) :effect (not (p ?x)))"
        " (:action two :parameters (?x - (either b c)) :precondition (q ?x) :effect (not (q ?x)))"
        " (:action all :effect (forall (?y - b) (p ?y))))"
    )
    assert compose(domain, _steps("(one ?x)", "(two ?x)")).parameters[0].types == ("b",)
    # What (all) adds for each ?y is added for ?x too where ?x is of type b: PDDL asks for that with a quantifier.
    precondition, _ = _said(compose(domain, _steps("(all)", "(one ?x)")))
    assert precondition == "(or (exists (?y - b) (= ?x ?y)) (p ?x))"


def test_a_ground_block_and_its_lifting(root: Path) -> None:
    task = _tower(root)
    block = [GroundAction("unstack", ("c", "a")), GroundAction("put-down", ("c",)), GroundAction("pick-up", ("a",))]
    ground = compose_block(task, block, name="free-a")
    assert ground.parameters == ()
    assert _said(ground)[0] == "(and (on c a) (clear c) (handempty) (ontable a))"
    lifted = lift(task, block)
    assert [str(step) for step in lifted.steps] == ["(unstack ?ob ?underob)", "(put-down ?ob)", "(pick-up ?underob)"]
    assert lifted.expand(["c", "a"]) == tuple(block)
    # Were both the same block, putting it down would put it on the table.
    assert "(or (= ?ob ?underob) (ontable ?underob))" in _said(lifted)[0]


def _tower(root: Path) -> Task:
    domain = (root / "domains/blocksworld/domain.pddl").read_text(encoding="utf-8")
    name = parse_domain(domain).name
    return parse_task(
        domain,
        f"(define (problem tower) (:domain {name}) (:objects a b c)"
        " (:init (ontable a) (ontable b) (on c a) (clear c) (clear b) (handempty)) (:goal (on a b)))",
    )


def test_values_of_the_initial_state_last(house: Domain) -> None:
    task = parse_task(
        _HOUSE,
        "(define (problem p) (:domain house) (:objects b - box c - cup) (:init (= (fuel) 1) (= (weight c) 2))"
        " (:goal (and)))",
    )
    assert total_functions(task) == {"fuel"}
    macro = compose_block(task, [GroundAction("fill"), GroundAction("burn")])
    extended = Task(replace(task.domain, actions=(*task.domain.actions, macro.schema)), task.problem)
    simulator = Simulator(extended)
    after = simulator.step(simulator.initial, GroundAction(macro.name)).successor
    assert after is not None
    assert {str(fluent): value for fluent, value in after.values.items() if fluent[0] == "fuel"} == {"(fuel)": 3}


def test_what_is_composed_is_pddl(house: Domain) -> None:

    for steps in (
        ("(put ?x ?b)", "(check ?c)"),
        ("(switch ?r)", "(go ?r ?s)", "(switch ?s)"),
        ("(look ?r)", "(look ?s)"),
    ):
        macro = compose(house, _steps(*steps), name="macro", total=["load"])
        extended = replace(house, actions=(*house.actions, macro.schema))
        assert parse_domain(write_domain(extended)).action("macro") == macro.schema


# ── distinct ──────────────────────────────────────────────────────────────────────────────────────


_SEQUENCES = [
    ("(pick-up ?x)", "(stack ?x ?y)"),
    ("(unstack ?x ?y)", "(put-down ?x)", "(pick-up ?u)", "(stack ?u ?v)"),
    ("(unstack ?x ?y)", "(stack ?x ?z)", "(unstack ?x ?z)"),
]


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

"""The oracle's answers in HVR's place: the macro-actions it knows, conditions by a run, plans, and its mistakes."""

from __future__ import annotations

import pytest

from pddl2nl.baselines import PlanOracle
from pddl2nl.nl import Teller, choose_wording, make_names
from pddl2nl.pddl import Atom, Not, Task, conjuncts, parse_problem, write_condition
from pddl2nl.systems.hvr.answers import (
    MacroAnswers,
    block_conditions,
    impossible_block,
    mistaken_block,
    wrong_precondition,
)
from pddl2nl.systems.hvr.blocks import ActionBlock
from pddl2nl.tasks import shipped_domain, shipped_task
from pddl2nl.tasks.references import reference_of
from pddlval import GroundAction, Simulator
from pddlval.semantics import unmet

TWO = """(define (problem two) (:domain {}) (:objects a b)
 (:init (ontable a) (clear a) (ontable b) (clear b) (handempty)) (:goal (on a b)))"""
RIGHT = ("(pick-up a)", "(stack a b)")


def actions(*texts: str) -> tuple[GroundAction, ...]:
    return tuple(map(GroundAction.parse, texts))


def two_blocks() -> Simulator:
    domain = shipped_domain("blocksworld").domain
    return Simulator(Task(domain, parse_problem(TWO.format(domain.name), domain)))


def answers(task: Task, mistake: str = "") -> MacroAnswers:
    wording = choose_wording(None, task.domain)
    teller = Teller(task, wording, make_names(task, "typed", wording))
    return MacroAnswers(PlanOracle(task.domain, wording, mistake), Simulator(task), teller)


def planned(reply: str) -> list[str]:
    return reply.split("Actions:\n")[1].splitlines()


# ── what it knows ────────────────────────────────────────────────────────────────────────────────


def test_the_macro_actions_of_a_shipped_task_are_those_of_its_reference() -> None:
    task = shipped_task("kitchen", "t03")
    reference = reference_of(task)
    assert reference is not None
    words = [block.macro for block in reference.ways[0].blocks]
    oracle = answers(task)
    assert oracle.macro_plan((), "").splitlines() == [f"{number}. {each}" for number, each in enumerate(words, 1)]
    # The last one that was begun may be half done; what came before it is.
    assert oracle.macro_plan(words[:2], "It failed.").splitlines()[0] == f"1. {words[1]}"
    named = oracle.retrieval(tuple(task.objects)).splitlines()
    assert {"egg_1", "pan_1", "stove_knob_1"} <= set(named) < {name.replace("-", "_") for name in task.objects}
    assert oracle.retrieval(("egg-1",)) == "egg_1"


# ── conditions by a run ──────────────────────────────────────────────────────────────────────────


def test_conditions_are_what_the_run_of_a_block_depends_on_and_changes() -> None:
    simulator = two_blocks()
    found = block_conditions(simulator, simulator.initial, actions(*RIGHT))
    assert {write_condition(part) for part in conjuncts(found.precondition)} == {
        *("(clear a)", "(ontable a)", "(handempty)", "(clear b)")
    }
    assert {write_condition(part) for part in conjuncts(found.effect)} == {
        *("(on a b)", "(not (ontable a))", "(not (clear b))")
    }


def test_an_effect_says_nothing_of_what_further_conditions_would_change() -> None:
    task = shipped_task("kitchen", "t01")
    simulator = Simulator(task)
    block = actions("(navigate-to-obj cup-1)", "(pick-up cup-1)", "(navigate-to-obj countertop-1)")
    block += actions("(put-on cup-1 countertop-1)")
    state = simulator.initial
    found = block_conditions(simulator, state, block)
    # What is on the cup comes within reach with it, so nothing is said of what else is within reach.
    near = {atom for atom in simulator.follow(state, block).state.atoms if atom[0] == "near"}
    assert Atom("near", ("cup-1",)) in conjuncts(found.effect)
    assert near
    assert not any(isinstance(part, Not) and part.body.predicate == "near" for part in conjuncts(found.effect))  # type: ignore[union-attr]


# ── mistakes ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("mistake", ["wrong-order", "missing-step"])
def test_a_block_with_a_mistake_fails(mistake: str) -> None:
    simulator, goal = two_blocks(), Atom("on", ("a", "b"))
    start, right = simulator.initial, actions(*RIGHT)
    assert simulator.follow(start, right).complete
    wrong = mistaken_block(mistake, simulator, start, right, goal, first=True)
    assert wrong is not None
    tried = simulator.follow(start, wrong)
    assert tried.unmet or unmet(goal, tried.state)
    assert mistaken_block("missing-navigation", simulator, start, right, goal, first=True) is None


def test_a_precondition_is_turned_round_and_an_impossible_action_found() -> None:
    simulator = two_blocks()
    conditions = block_conditions(simulator, simulator.initial, actions("(pick-up a)"))
    wrong, literal = wrong_precondition(conditions)
    assert isinstance(literal, Not)
    assert literal in conjuncts(wrong.precondition)
    assert literal.body in conjuncts(conditions.precondition)
    assert impossible_block(simulator) == (), "all facts of blocks change"
    assert impossible_block(Simulator(shipped_task("kitchen", "t01")))


@pytest.mark.usefixtures("needs_planner")
def test_a_mistake_is_mended_once_its_condition_is_told_and_not_before() -> None:
    simulator = two_blocks()
    start, oracle = simulator.initial, answers(simulator.task, "wrong-order")
    wrong = ["stack block_0 on block_1", "pick up block_0 from the table"]
    assert planned(oracle.plan(start, first=True, failed=None)) == wrong
    failed = ActionBlock((), 0, start, (Atom("holding", ("a",)),), "Step 1 cannot be done.")
    assert planned(oracle.plan(start, first=True, failed=failed)) == wrong
    told = ActionBlock((), 0, start, failed.unmet, "I am not holding block_0, in PDDL (holding block_0)")
    assert planned(oracle.plan(start, first=True, failed=told)) == wrong[::-1]
    assert planned(oracle.block("Do all that is wanted", start, first=True, failed=told)) == wrong[::-1]

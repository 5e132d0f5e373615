"""Proofs of proposed conditions: they agree with looking at every state and with composition, and are told in words."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from pddl2nl.errors import InputError, MissingExtraError, UnsupportedError
from pddl2nl.macros.compose import compose_block
from pddl2nl.macros.library import read_schemas, with_objects
from pddl2nl.macros.macro import CannotComposeError, Conditions
from pddl2nl.macros.proof import Proof, claims_of, prove, unmet_outcome
from pddl2nl.macros.telling import told
from pddl2nl.nl import Teller, load_wording, make_names
from pddl2nl.pddl import (
    ActionSchema,
    And,
    Atom,
    Condition,
    GroundAtom,
    Task,
    parse_task,
    write_condition,
)
from pddl2nl.tasks import shipped_task
from pddlval import GroundAction, Simulator
from tests.macros.replays import replayed
from tests.macros.small_tasks import all_states, small_block, small_claim, small_task

pytest.importorskip("z3", reason="z3 is absent: pip install 'pddl2nl[macros]'")


class _Looked:
    """What comes of looking at every state of a small task, one by one, by the simulator alone."""

    def __init__(self, task: Task, block: tuple[GroundAction, ...], claim: Conditions, *, numbers: bool):
        simulator = claims_of(task, [ActionSchema("claim", (), claim.precondition, claim.effect)])
        self.runs = self.holds = self.complete = self.needed = True
        self.vacuous = self.impossible = True
        for state in all_states(simulator, numbers=numbers):
            asked = simulator.is_applicable(state, GroundAction("claim"))
            after = replayed(simulator, state, block)
            self.vacuous = self.vacuous and not asked
            self.impossible = self.impossible and after is None
            self.runs = self.runs and (not asked or after is not None)
            self.needed = self.needed and (asked or after is None)
            if asked and after is not None:
                self.holds = self.holds and not unmet_outcome(simulator, GroundAction("claim"), state, after)
                claimed = simulator.step(state, GroundAction("claim")).successor
                self.complete = self.complete and claimed == after

    @property
    def precondition(self) -> str:
        if self.runs:
            return "exact" if self.needed else "stronger"
        return "weaker" if self.needed else "incomparable"


def _replayed(task: Task, proof: Proof) -> None:
    """Every counterexample is a state of the task in which the block does what is said."""
    simulator = Simulator(task)
    for example in proof.counterexamples:
        state = simulator.state(example.state, example.values)
        assert state.atoms == example.state
        after = replayed(simulator, state, proof.block)
        assert (after is None) == (example.kind == "does-not-run")
        if example.kind == "does-not-run":
            before = replayed(simulator, state, proof.block[: example.step - 1])
            assert before is not None
            assert simulator.step(before, proof.block[example.step - 1]).unmet == example.unmet


def _agrees(seed: int, *, numbers: bool) -> Proof:
    """All real numbers cannot be listed: what is proved then holds in every listed state, what is not was replayed."""
    rng = random.Random(seed)
    task = small_task(rng, numbers=numbers)
    block, claim = small_block(rng, task), small_claim(rng, numbers=numbers)
    proof = prove(task, block, claim)
    looked = _Looked(task, block, claim, numbers=numbers)
    for held, said in (
        (looked.runs, proof.runs),
        (looked.holds, proof.holds),
        (looked.complete, proof.complete_effect),
    ):
        assert said in ("proved", "refuted")
        assert (held and numbers) or said == ("proved" if held else "refuted")
    assert looked.vacuous or not proof.vacuous
    assert looked.impossible or not proof.impossible
    if numbers:
        assert looked.needed or proof.precondition in ("stronger", "incomparable")
    else:
        assert proof.precondition == looked.precondition
        assert (proof.vacuous, proof.impossible) == (looked.vacuous, looked.impossible)
    _replayed(task, proof)
    return proof


@pytest.mark.parametrize(
    ("first", "count", "numbers"), [*((first, 15, False) for first in range(0, 60, 15)), (0, 6, True), (6, 6, True)]
)
def test_agrees_with_every_state_of_small_tasks(first: int, count: int, numbers: bool) -> None:
    proofs = [_agrees(seed, numbers=numbers) for seed in range(first, first + count)]
    # Enough of both: a prover that says one thing only would not be noticed otherwise.
    assert {proof.runs for proof in proofs} == {"proved", "refuted"}


def _composed(seed: int, *, numbers: bool) -> str:
    rng = random.Random(seed)
    task = small_task(rng, numbers=numbers)
    block = small_block(rng, task)
    if not block:
        return "empty"
    try:
        macro = compose_block(task, block)
    except CannotComposeError as error:
        return error.reason
    proof = prove(task, block, macro.conditions)
    assert proof.exact, (seed, block)
    return "exact"


def test_what_is_composed_is_proved_exact() -> None:
    """Composition regresses formulas and the proof carries a state forwards: they share no code."""
    outcomes = Counter(_composed(seed, numbers=seed % 2 == 1) for seed in range(40))
    assert outcomes["exact"] > 25


# ── blocksworld, by hand ─────────────────────────────────────────────────────────────────────────

BLOCKS = """(define (domain blocks) (:requirements :strips)
  (:predicates (on ?x ?y) (ontable ?x) (clear ?x) (handempty) (holding ?x) (heavy ?x) (broken ?x))
  (:action pick-up :parameters (?x) :precondition (and (clear ?x) (ontable ?x) (handempty))
    :effect (and (not (ontable ?x)) (not (clear ?x)) (not (handempty)) (holding ?x)))
  (:action stack :parameters (?x ?y) :precondition (and (holding ?x) (clear ?y))
    :effect (and (not (holding ?x)) (not (clear ?y)) (clear ?x) (handempty) (on ?x ?y)))
  (:action hammer :parameters (?x) :precondition (and (holding ?x) (heavy ?x)) :effect (broken ?x)))"""
PROBLEM = """(define (problem p) (:domain blocks) (:objects a b c)
  (:init (ontable a) (ontable b) (clear a) (clear b) (on c c) (handempty)) (:goal (on a b)))"""
PICK_STACK = (GroundAction("pick-up", ("a",)), GroundAction("stack", ("a", "b")))
EXACT = "(and (clear a) (ontable a) (handempty) (clear b))"


def _claim(task: Task, precondition: str, effect: str) -> Conditions:
    (schema,) = read_schemas(f"(:action claimed :precondition {precondition} :effect {effect})", with_objects(task))
    return Conditions(schema.precondition, schema.effect)


@pytest.fixture(scope="module")
def blocks() -> Task:
    return parse_task(BLOCKS, PROBLEM)


def _texts(conditions: Iterable[Condition]) -> list[str]:
    return [str(condition) for condition in conditions]


def test_a_right_claim_is_proved(blocks: Task) -> None:
    proof = prove(blocks, PICK_STACK, _claim(blocks, EXACT, "(and (on a b) (not (clear b)) (not (ontable a)))"))
    assert proof.sound
    assert proof.precondition == "exact"
    assert not proof.exact
    # Of states that no plan reaches: a block that was held before is not any more.
    example = proof.counterexample("incomplete")
    assert example is not None
    assert _texts(example.unmet) == ["(not (holding a))"]


def test_a_missing_condition_is_named_with_its_step(blocks: Task) -> None:
    proof = prove(blocks, PICK_STACK, _claim(blocks, "(and (clear a) (handempty))", "(on a b)"))
    assert (proof.runs, proof.holds, proof.precondition) == ("refuted", "proved", "weaker")
    example = proof.counterexample("does-not-run")
    assert example is not None
    # As near to the initial state as can be: the other condition that is missing holds there.
    assert example.step == 1
    assert _texts(example.unmet) == ["(ontable a)"]
    assert _texts(example.unlike) == ["(not (ontable a))"]
    assert [(item.step, str(item.condition)) for item in proof.lacking] == [(1, "(ontable a)"), (2, "(clear b)")]


def test_facts_that_cannot_change_can_be_taken_for_granted(blocks: Task) -> None:
    # Nothing is ever broken, since nothing is heavy.
    claim = _claim(blocks, f"(and {EXACT} (not (broken c)))", "(on a b)")
    assert prove(blocks, PICK_STACK, claim).precondition == "stronger"
    proof = prove(blocks, PICK_STACK, claim, states="changeable")
    assert proof.precondition == "exact"
    assert proof.states == "changeable"
    # Unless it is so in the world at hand.
    simulator = Simulator(blocks)
    here = simulator.state([*simulator.initial.atoms, GroundAtom(("broken", "c"))])
    assert prove(blocks, PICK_STACK, claim, near=here, states="changeable").precondition == "stronger"


def test_counterexamples_are_near_the_state_that_is_given(blocks: Task) -> None:
    simulator = Simulator(blocks)
    here = simulator.state([GroundAtom(("holding", "c")), GroundAtom(("ontable", "a"))])
    proof = prove(blocks, PICK_STACK, _claim(blocks, "(ontable a)", "(on a b)"), near=here)
    example = proof.counterexample("does-not-run")
    assert example is not None
    assert example.state == here.atoms
    assert example.unlike == ()


def test_an_effect_cannot_claim_what_no_action_changes(blocks: Task) -> None:
    claim = Conditions(And(), Atom("heavy", ("a",)))
    with pytest.raises(InputError, match="no action changes 'heavy'"):
        prove(blocks, PICK_STACK, claim)


# ── numbers and derived predicates ───────────────────────────────────────────────────────────────

NUMBERS = """(define (domain numbers) (:requirements :numeric-fluents)
  (:constants o) (:predicates (done)) (:functions (x) (y) (cost ?o) (open))
  (:action add :parameters () :precondition (>= (x) 2) :effect (and (decrease (x) 2) (increase (y) (cost o))))
  (:action square :parameters () :precondition (= (* (x) (x)) (* 2 (* (y) (y)))) :effect (done))
  (:action guess :parameters () :effect (assign (y) (open)))
  (:action settle :parameters () :effect (assign (open) 1)))"""
NUMBERS_PROBLEM = """(define (problem p) (:domain numbers)
  (:init (= (x) 5) (= (y) 0) (= (cost o) 3)) (:goal (done)))"""


@pytest.fixture(scope="module")
def numbers() -> Task:
    return parse_task(NUMBERS, NUMBERS_PROBLEM)


def test_numeric_conditions_are_decided(numbers: Task) -> None:
    twice = (GroundAction("add"), GroundAction("add"))
    assert prove(numbers, twice, _claim(numbers, "(>= (x) 4)", "(and (decrease (x) 4) (increase (y) 6))")).exact
    proof = prove(numbers, twice, _claim(numbers, "(>= (x) 3)", "(assign (y) 6)"))
    assert (proof.runs, proof.holds, proof.precondition) == ("refuted", "refuted", "weaker")
    example = proof.counterexample("does-not-run")
    assert example is not None
    assert 3 <= example.values[GroundAtom(("x",))] < 4
    assert example.step == 2
    # The nearest state is the one where everything begins, but for what is needed to show it.
    wrong = proof.counterexample("effect-fails")
    assert wrong is not None
    assert wrong.values[GroundAtom(("x",))] == 5
    assert wrong.values[GroundAtom(("y",))] != 0


def test_a_fluent_without_a_value_is_a_case_of_its_own(numbers: Task) -> None:
    proof = prove(numbers, [GroundAction("guess")], _claim(numbers, "(and)", "(and)"))
    assert proof.runs == "refuted"
    example = proof.counterexample("does-not-run")
    assert example is not None
    assert _texts(example.unmet) == ["(= (open) (open))"]
    assert GroundAtom(("open",)) not in example.values
    assert prove(numbers, [GroundAction("guess")], _claim(numbers, "(>= (open) 0)", "(assign (y) (open))")).sound


def test_products_of_fluents_are_decided_or_left_open(numbers: Task) -> None:
    square = [GroundAction("square")]
    assert prove(numbers, square, _claim(numbers, "(and (= (x) 0) (= (y) 0))", "(done)")).sound
    assert prove(numbers, square, _claim(numbers, "(> (x) 0)", "(done)")).runs == "refuted"
    # Only irrational numbers would refute this, and no state here holds one.
    claim = _claim(numbers, "(and (> (x) 0) (> (y) 0) (= (* (x) (x)) (* 2 (* (y) (y)))))", "(not (done))")
    proof = prove(numbers, square, claim)
    assert (proof.runs, proof.holds) == ("proved", "undecided")
    assert not proof.sound


DERIVED = """(define (domain lamps) (:requirements :derived-predicates :conditional-effects)
  (:predicates (up ?x) (lit ?x) (reach ?x ?y) (wire ?x ?y) (seen))
  (:derived (lit ?x) (exists (?y) (and (wire ?x ?y) (up ?y))))
  (:derived (reach ?x ?y) (or (wire ?x ?y) (exists (?z) (and (wire ?x ?z) (reach ?z ?y)))))
  (:action flip :parameters (?x) :effect (and (when (up ?x) (not (up ?x))) (when (not (up ?x)) (up ?x))))
  (:action look :parameters (?x) :precondition (lit ?x) :effect (seen))
  (:action walk :parameters (?x ?y) :precondition (reach ?x ?y) :effect (seen)))"""
CUT = "(:action cut :parameters (?x ?y) :effect (not (wire ?x ?y)))"
DERIVED_PROBLEM = """(define (problem p) (:domain lamps) (:objects a b c)
  (:init (wire a b) (wire a c)) (:goal (seen)))"""


def test_derived_predicates_are_unfolded_where_they_do_not_depend_on_themselves() -> None:
    task = parse_task(DERIVED, DERIVED_PROBLEM)
    block = [GroundAction("flip", ("b",)), GroundAction("look", ("a",))]
    proof = prove(task, block, _claim(task, "(or (not (up b)) (up c))", "(seen)"))
    assert proof.sound
    assert proof.precondition == "exact"
    assert prove(task, block, _claim(task, "(lit a)", "(seen)")).precondition == "incomparable"
    task = parse_task(DERIVED[:-1] + CUT + ")", DERIVED_PROBLEM)
    with pytest.raises(UnsupportedError, match="derived from itself"):
        prove(task, [GroundAction("walk", ("a", "b"))], _claim(task, "(and)", "(seen)"))


def test_what_is_derived_of_what_no_action_changes_is_as_in_the_task() -> None:
    task = parse_task(DERIVED, DERIVED_PROBLEM)
    for to, runs in (("b", "proved"), ("a", "refuted")):
        proof = prove(task, [GroundAction("walk", ("a", to))], _claim(task, "(and)", "(seen)"))
        assert proof.runs == runs
        assert proof.impossible is (runs == "refuted")


def test_without_z3_it_is_said_what_to_install(blocks: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'pddl2nl\[macros\]'"):
        prove(blocks, PICK_STACK, _claim(blocks, "(clear a)", "(on a b)"))


def test_a_proof_says_which_static_facts_it_used(blocks: Task, lights: Task) -> None:
    assert prove(blocks, PICK_STACK, _claim(blocks, EXACT, "(on a b)")).static == ()
    proof = prove(
        lights, [GroundAction("press", ("s1", "l1"))], _claim(lights, "(and (at s1) (not (lit l1)))", "(lit l1)")
    )
    assert proof.sound
    assert {write_condition(fact) for fact in proof.static} >= {"(wired s1 l1)"}


# ── in words ──────────────────────────────────────────────────────────────────────────────────────


pytest.importorskip("z3", reason="z3 is absent: pip install 'pddl2nl[macros]'")


@pytest.fixture(scope="module")
def teller(root: Path) -> Teller:
    task = shipped_task("blocksworld", "p01")
    wording = load_wording(root / "domains/blocksworld/wording.json", task.domain)
    return Teller(task, wording, make_names(task, "typed", wording))


def _told(teller: Teller, precondition: str, effect: str, *block: str) -> str:
    text = f"(:action claimed :precondition {precondition} :effect {effect})"
    (schema,) = read_schemas(text, with_objects(teller.task))
    claimed = Conditions(schema.precondition, schema.effect)
    return told(prove(teller.task, [GroundAction.parse(text) for text in block], claimed), teller)


_UNSTACK = ("(unstack c b)", "(put-down c)")
_EXACT = "(and (clear c) (on c b) (handempty))"


def test_what_is_missing_is_told_with_its_step(teller: Teller) -> None:
    said = _told(teller, "(clear c)", "(and)", *_UNSTACK)
    assert "it can hold and still step 1 (" in said
    assert "in PDDL (on block_2 block_1)" in said
    assert "- step 1 needs this: " in said


def test_what_is_sound_is_told_so(teller: Teller) -> None:
    said = _told(teller, _EXACT, "(ontable c)", *_UNSTACK)
    assert said.endswith(
        "Wherever the precondition holds, the actions can be carried out and the effect holds after them."
    )
    assert "The effect is not all that the actions bring about" in said
    exact = "(and (ontable c) (clear b) (clear c) (handempty) (not (on c b)) (not (holding c)))"
    assert _told(teller, _EXACT, exact, *_UNSTACK) == "The conditions are exactly those of the actions."


def test_a_precondition_that_asks_for_more_or_holds_nowhere(teller: Teller) -> None:
    said = _told(teller, f"(and {_EXACT} (ontable a))", "(ontable c)", *_UNSTACK)
    assert "The precondition asks for more than is needed" in said
    assert "in PDDL (ontable block_0)" in said
    said = _told(teller, "(and (clear c) (not (clear c)))", "(ontable c)", *_UNSTACK)
    assert said.startswith("The precondition contradicts itself")
    said = _told(teller, "(clear c)", "(and)", "(put-down c)", "(put-down c)")
    assert said.startswith("These actions cannot be carried out one after the other in any state.")

"""Execution: recovery without the model, and the differences between expected and observed states."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pddl2nl.experiments.runs import run
from pddl2nl.pddl import GroundAtom, Task, parse_domain, parse_task
from pddl2nl.systems.hvr.execution import LONGEST_REPAIR, StateDifference, accounts, difference, reaches, recovery
from pddl2nl.systems.hvr.repair import MovementRepair, Repaired, movements
from pddl2nl.tasks import shipped_domain, shipped_task
from pddlval import GroundAction, Simulator, State
from tests.worlds.conftest import DOMAIN, PROBLEM, after

# ── recovery ──────────────────────────────────────────────────────────────────────────────────────


PLATE = "move (on plate-1 dining-table-1) -> (on plate-1 countertop-1) before 3"


@pytest.fixture(scope="module")
def blocks() -> Simulator:
    """Blocksworld p01: c on b on a; the goal is checked by the plan below."""
    return Simulator(shipped_task("blocksworld", "p01"))


PLAN = [*map(GroundAction.parse, ("(unstack c b)", "(put-down c)", "(unstack b a)", "(stack b c)"))]


def test_a_plan_whose_rest_reaches_the_goal_continues(blocks: Simulator) -> None:
    first, *rest = PLAN
    expected = blocks.follow(blocks.initial, PLAN[:1]).state
    found = recovery(blocks, expected, expected, first, rest)
    assert found is not None
    assert (found.kind, found.actions) == ("continued", ())


def test_a_silent_failure_is_repeated(blocks: Simulator) -> None:
    first, *rest = PLAN
    found = recovery(blocks, blocks.initial, blocks.follow(blocks.initial, PLAN[:1]).state, first, rest)
    assert found is not None
    assert (found.kind, found.actions) == ("repeated", (first,))


def test_another_change_is_repaired_by_few_actions(blocks: Simulator) -> None:
    middle = len(PLAN) // 2
    expected = blocks.follow(blocks.initial, PLAN[:middle]).state
    # The world is two actions behind, so that the last action alone does not help.
    observed = blocks.follow(blocks.initial, PLAN[: middle - 2]).state
    found = recovery(blocks, observed, expected, PLAN[middle - 1], PLAN[middle:])
    assert found is not None
    assert found.kind == "repaired"
    assert len(found.actions) <= LONGEST_REPAIR
    assert reaches(blocks, observed, (*found.actions, *PLAN[middle:]))


def test_a_plan_that_would_fail_anyway_is_not_repaired(blocks: Simulator) -> None:
    first, *rest = PLAN
    assert recovery(blocks, blocks.initial, blocks.initial, first, rest[:-1]) is None


def test_a_world_that_cannot_be_repaired_needs_a_new_plan(blocks: Simulator) -> None:
    first, *rest = PLAN
    held = blocks.state({GroundAtom(("ontable", "a"))}, {})
    assert recovery(blocks, held, blocks.follow(blocks.initial, PLAN[:1]).state, first, rest) is None


@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize("faults", [PLATE, "fail 50%"])
def test_harmless_surprises_cost_no_call(faults: str) -> None:
    task = shipped_task("kitchen", "t01")
    calm, surprised = (_calls(run(task, "hvr", "oracle", options={"faults": each})) for each in (None, faults))
    assert calm == surprised == 11


def _calls(result: Any) -> int:
    assert result.solved
    return int(result.events[-1].calls)


# ── expected and observed ─────────────────────────────────────────────────────────────────────────


def test_what_is_missing_and_what_is_surplus(simulator: Simulator, task: Task) -> None:
    expected = after(simulator, "(open-it fridge-1)", "(take egg-1 fridge-1)")
    observed = after(simulator, "(open-it fridge-1)")
    found = difference(expected, observed, accounts(task))
    assert found.missing_texts == ("(held egg-1)",)
    assert found.surplus_texts == ("(hand-empty)", "(in-it egg-1 fridge-1)")


def test_values_that_are_part_of_the_world_differ_and_accounts_do_not(simulator: Simulator, task: Task) -> None:
    # The distance is read by nobody either, and never changes.
    assert accounts(task) == {"total-cost", "distance"}
    warmer = after(simulator, "(warm pan-1)")
    heat = GroundAtom(("heat", "pan-1"))
    found = difference(warmer, simulator.initial, accounts(task))
    assert found.values == ((heat, Fraction(3, 2), Fraction(1, 2)),)
    assert found.missing_texts == ("(= (heat pan-1) 1.5)",)
    dearer = simulator.state(simulator.initial.atoms, {GroundAtom(("total-cost",)): Fraction(5), heat: Fraction(1, 2)})
    assert difference(dearer, simulator.initial, accounts(task)) == StateDifference()
    assert difference(dearer, simulator.initial) != StateDifference()


_SIMULATOR = Simulator(parse_task(DOMAIN, PROBLEM))
_LITTLE = [
    ("held", "egg-1"),
    ("dirty", "pan-1"),
    ("near", "egg-1", "pan-1"),
    ("between", "egg-1", "shelf-1", "fridge-1"),
]


@given(st.sets(st.sampled_from(_LITTLE)), st.sets(st.sampled_from(_LITTLE)))
def test_an_alignment_is_the_way_from_one_state_to_the_other(
    one: set[tuple[str, ...]], other: set[tuple[str, ...]]
) -> None:
    expected, observed = (_SIMULATOR.state(map(GroundAtom, atoms)) for atoms in (one, other))
    found = difference(expected, observed)
    assert (set(expected.atoms) - set(found.missing)) | set(found.surplus) == observed.atoms
    assert (found == StateDifference()) == (one == other)
    back = difference(observed, expected)
    assert (back.missing, back.surplus) == (found.surplus, found.missing)


# ── repair ────────────────────────────────────────────────────────────────────────────────────────


@lru_cache
def _simulator(domain: str, instance: str = "") -> Simulator:
    shipped = shipped_domain(domain)
    return Simulator(shipped.task(instance or shipped.instances[0].name))


def _repaired(simulator: Simulator, *actions: str, state: State | None = None) -> Repaired:
    return MovementRepair(simulator).repair(
        [GroundAction.parse(action) for action in actions], state or simulator.initial
    )


def test_the_example_of_the_paper() -> None:
    """Section 2.4: picking up a tomato and putting it on a counter lacks both ways."""
    simulator = _simulator("kitchen", "t03")
    found = _repaired(simulator, "(pick-up egg-1)", "(put-on egg-1 countertop-1)")
    assert list(map(str, found.actions)) == [
        "(navigate-to-obj egg-1)",
        "(pick-up egg-1)",
        "(navigate-to-obj countertop-1)",
        "(put-on egg-1 countertop-1)",
    ]
    assert found.inserted == (0, 2)


def test_what_stands_there_already_is_not_put_in_again() -> None:
    simulator = _simulator("kitchen", "t03")
    steps = ("(navigate-to-obj egg-1)", "(pick-up egg-1)", "(navigate-to-obj countertop-1)")
    assert _repaired(simulator, *steps) == Repaired(tuple(map(GroundAction.parse, steps)))


def test_what_is_no_matter_of_movement_stays_as_it_is() -> None:
    simulator = _simulator("kitchen", "t03")
    # The arm is empty: no way leads to an arm that holds the plate. What comes behind stays unlooked at.
    steps = ("(put-on plate-1 countertop-1)", "(pick-up egg-1)")
    assert _repaired(simulator, *steps) == Repaired(tuple(map(GroundAction.parse, steps)))
    blocks = _simulator("blocksworld")
    action = next(item for item in blocks.task.domain.actions if item.name == "stack")
    a, b = list(blocks.task.objects)[:2]
    step = f"({action.name} {a} {b})"
    assert _repaired(blocks, step) == Repaired((GroundAction.parse(step),))


@pytest.mark.parametrize(
    "domain", ["logistics", "grippers", "rovers", "ferry", "goldminer", "grid", "depots", "kitchen"]
)
@pytest.mark.parametrize("seed", range(3))
def test_a_walk_without_its_movements_runs_again(domain: str, seed: int) -> None:
    simulator = _simulator(domain)
    rng = random.Random(seed)
    moving = {item.schema.name for item in movements(simulator.task.domain)}
    walk = islice(simulator.walk(simulator.initial, rng), 40)
    kept = [action for action, _ in walk if action.name not in moving]
    found = MovementRepair(simulator).repair(kept, simulator.initial)
    inserted = {*found.inserted}
    assert [action for place, action in enumerate(found.actions) if place not in inserted] == kept
    assert {found.actions[place].name for place in inserted} <= moving
    assert _runs(simulator, found) or _needs_more(simulator, found, moving)


def _runs(simulator: Simulator, found: Repaired) -> bool:
    return simulator.follow(simulator.initial, found.actions).complete


def _needs_more(simulator: Simulator, found: Repaired, moving: set[str]) -> bool:
    """Whether what fails fails for something else than a place: fuel that was not used, a door that was opened."""
    unmet = simulator.follow(simulator.initial, found.actions).unmet
    where = {name for item in movements(simulator.task.domain) for name in item.predicates}
    return any(str(part).strip("()").split()[0] not in where for part in unmet)


def test_a_way_of_several_steps_is_found() -> None:
    simulator = _simulator("grid")
    state = simulator.initial
    here = next(atom for atom in state if atom[0] == "at-robot")[1]
    keys = [atom for atom in state if atom[0] == "at" and atom[2] != here]
    found = [_repaired(simulator, f"(pickup {atom[2]} {atom[1]})") for atom in keys]
    assert any(len(item.inserted) > 1 and _runs(simulator, item) for item in found)


def test_it_is_the_one_who_must_be_there_that_moves() -> None:
    simulator, package, truck, here, there = _parted()
    found = _repaired(simulator, f"(load-truck {package} {truck} {there})")
    assert [action.args[:3] for action in found.actions] == [(truck, here, there), (package, truck, there)]
    assert [action.name for action in found.actions] == ["drive-truck", "load-truck"]


def _parted() -> tuple[Simulator, str, str, str, str]:
    """A task in which a package waits elsewhere in the city of a truck: package, truck, and where they are."""
    for instance in shipped_domain("logistics").instances:
        simulator = _simulator("logistics", instance.name)
        facts = list(simulator.initial)
        places = {atom[1]: atom[2] for atom in facts if atom[0] == "at"}
        cities = {atom[1]: atom[2] for atom in facts if atom[0] == "in-city"}
        for package in (atom[1] for atom in facts if atom[0] == "obj"):
            for truck in (atom[1] for atom in facts if atom[0] == "truck"):
                here, there = places[truck], places[package]
                if here != there and cities[here] == cities[there]:
                    return simulator, package, truck, here, there
    raise AssertionError("every package waits where its truck is")


# ── movements ─────────────────────────────────────────────────────────────────────────────────────


MOVEMENTS = {
    "beluga": {},
    "blocksworld": {},
    "depots": {"drive": ("?x",)},
    "ferry": {"sail": ()},
    "floortile": {"change-color": ("?r",)},
    "goldminer": {"move": ()},
    "grid": {"move": ()},
    "grippers": {"move": ("?r",)},
    "kitchen": {"navigate-to-obj": ()},
    "logistics": {"drive-truck": ("?truck",), "fly-airplane": ("?airplane",)},
    "movie": {},
    "rovers": {"navigate": ("?x",)},
    "satellite": {"turn_to": ("?s",)},
    "visitall": {},
}


@pytest.mark.parametrize("name", MOVEMENTS)
def test_movements_of_the_shipped_domains(name: str) -> None:
    found = movements(shipped_domain(name).domain)
    assert {item.schema.name: item.mover for item in found} == MOVEMENTS[name]


WAYS = """
(define (domain d) (:requirements :typing :fluents :conditional-effects)
  (:types place thing)
  (:predicates (at ?p - place) (beside ?x - thing) (lit ?x - thing) (holding ?x - thing) (in ?x - thing ?p - place)
               (clear ?p - place) (seen ?p - place))
  (:functions (fuel))
  (:action ACTION :parameters (?x - thing ?a ?b - place) :effect EFFECT))
"""


@pytest.mark.parametrize(
    ("effect", "mover"),
    [
        ("(and (at ?b) (not (at ?a)))", ()),
        ("(and (at ?b) (not (at ?a)) (decrease (fuel) 1))", ()),
        ("(and (in ?x ?b) (not (in ?x ?a)))", ("?x",)),
        # What comes along is moved too.
        ("(and (at ?b) (not (at ?a)) (forall (?y - thing) (when (holding ?y) (and (in ?y ?b) (not (in ?y ?a))))))", ()),
        ("(and (at ?b) (forall (?p - place) (not (at ?p))))", ()),
        # It cannot be undone.
        ("(and (holding ?x) (not (at ?a)))", None),
        ("(and (at ?b) (not (at ?a)) (seen ?b))", None),
        ("(at ?b)", None),
        ("(and)", None),
        # Nobody is anywhere: a switch.
        ("(and (when (lit ?x) (not (lit ?x))) (when (not (lit ?x)) (lit ?x)))", None),
        # The thing moves, and places change that are no thing.
        ("(and (in ?x ?b) (not (in ?x ?a)) (clear ?a) (not (clear ?b)))", None),
        # Something else is there then.
        ("(and (forall (?y - thing) (when (lit ?y) (beside ?y))) (not (beside ?x)))", None),
        # Two places at once.
        ("(and (at ?a) (at ?b) (forall (?p - place) (not (at ?p))))", None),
    ],
)
def test_what_a_movement_is(effect: str, mover: tuple[str, ...] | None) -> None:
    domain = parse_domain(WAYS.replace("EFFECT", effect))
    assert [item.mover for item in movements(domain)] == ([] if mover is None else [mover])

"""The applicable actions: those of the definition, each once, always in the same order, and soon."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from pddl2nl.pddl import Task, load_task, parse_task
from pddlval import GroundAction, Simulator, State, successors

CONSTANTS = "a b - small c d - large"


def make(actions: str, init: str, *, predicates: str = "", extra: str = "", objects: str = "") -> Task:
    """A task with the constants a to d and more objects. By the action ``done`` the predicates p, q, r and n change."""
    return parse_task(
        f"""(define (domain d) (:requirements :adl :derived-predicates :fluents)
          (:types small large - object ghost - object) (:constants {CONSTANTS})
          (:predicates (p ?x) (q ?x ?y) (r ?x ?y) (s ?x) (t ?x ?y) (n) {predicates})
          (:functions (f ?x) (g ?x) (total-cost)) {extra} {actions}
          (:action done :parameters (?x ?y) :precondition (and (n) (not (n)))
            :effect (and (p ?x) (q ?x ?y) (r ?x ?y) (not (n)))))""",
        f"(define (problem x) (:domain d) (:objects {objects}) (:init {init}) (:goal (n)))",
    )


def action(parameters: str, precondition: str, effect: str = "(n)", name: str = "act") -> str:
    return f"(:action {name} :parameters ({parameters}) :precondition {precondition} :effect {effect})"


def found(task: Task) -> list[str]:
    simulator = Simulator(task)
    actions = [str(one) for one in simulator.applicable(simulator.initial)]
    assert len(actions) == len(set(actions))
    return actions


def test_a_domain_without_actions_has_none_that_is_applicable() -> None:
    task = parse_task("(define (domain d) (:predicates (p)))", "(define (problem x) (:domain d) (:init) (:goal (p)))")
    assert found(task) == []


DERIVED = """
(:derived (d ?x) (or (s ?x) (exists (?y) (and (q ?x ?y) (p ?y)))))
(:derived (e ?x ?y) (or (q ?x ?y) (exists (?z) (and (q ?x ?z) (e ?z ?y)))))
"""


# ── what joins are made from ─────────────────────────────────────────────────────────────────────

MANY = 1_500


def many(prefix: str, count: int = MANY) -> list[str]:
    return [f"{prefix}{number}" for number in range(count)]


@pytest.fixture
def soon(steps: Callable[[Callable[[], object]], int]) -> Callable[[Task], list[str]]:
    """Gives the applicable actions, found in no more steps than some for each object: there are millions of tuples."""

    def find(task: Task) -> list[str]:
        actions: list[str] = []
        assert steps(lambda: actions.extend(found(task))) < 100 * MANY
        return actions

    return find


def test_a_disjunction_of_atoms_is_split_and_its_branches_share_nothing(soon: Callable[[Task], list[str]]) -> None:
    either = "(or (and (p ?x) (s ?y)) (q ?x ?y) (r ?y ?x))"
    init = "(p a) (s b) (s c) (q a b) (q b d) (r b a) (r d b) (r c c)"
    task = make(action("?x ?y", either), init, objects=" ".join(many("o")))
    assert sorted(soon(task)) == ["(act a b)", "(act a c)", "(act b d)", "(act c c)"]


def test_many_disjunctions_do_not_make_thousands_of_branches(soon: Callable[[Task], list[str]]) -> None:
    names = [f"?x{number}" for number in range(12)]
    either = " ".join(f"(or (p {name}) (s {name}) (q {name} {name}))" for name in names)
    task = make(action(" ".join(names), f"(and {either})"), "(p a)")
    assert soon(task) == [f"(act {' '.join('a' * 12)})"]


def test_atoms_below_exists_find_the_objects_each_once(soon: Callable[[Task], list[str]]) -> None:
    inside = "(exists (?z ?u) (and (q ?x ?z) (t ?z ?u) (q ?y ?u)))"
    init = "(q a b) (q a c) (q d c) (t b c) (t c c) (t b b)"
    task = make(action("?x ?y", inside), init, objects=" ".join(many("o")))
    assert sorted(soon(task)) == ["(act a a)", "(act a d)", "(act d a)", "(act d d)"]


def test_atoms_below_forall_find_the_objects_unless_there_is_nothing_to_quantify_over(
    soon: Callable[[Task], list[str]],
) -> None:
    others = " ".join(many("o"))
    task = make(action("?x ?y", "(forall (?z - small) (and (q ?x ?z) (r ?y ?z)))"), "(q c a) (q c b) (r d a) (r d b)")
    assert found(task) == ["(act c d)"]
    task = make(action("?x", "(forall (?z - ghost) (p ?x))"), "(p a)")
    assert found(task) == ["(act a)", "(act b)", "(act c)", "(act d)"]
    inside = "(forall (?z - small) (and (q ?x ?z) (r ?y ?z)))"
    assert soon(make(action("?x ?y", inside), "(q c a) (q c b) (r d a) (r d b)", objects=others)) == ["(act c d)"]


def test_derived_atoms_find_the_objects(soon: Callable[[Task], list[str]]) -> None:
    task = make(
        action("?x ?y", "(e ?x ?y)"),
        "(q a b) (q b c)",
        predicates="(d ?x) (e ?x ?y)",
        extra=DERIVED,
        objects=" ".join(many("o")),
    )
    assert sorted(soon(task)) == ["(act a b)", "(act a c)", "(act b c)"]


def test_a_derived_atom_that_may_be_undefined_is_undefined_only_where_it_is() -> None:
    rule = "(:derived (d ?x) (> (f ?x) 2))"
    task = make(action("?x", "(d ?x)"), "(= (f a) 3) (= (f b) 1) (= (f d) 4)", predicates="(d ?x)", extra=rule)
    assert found(task) == ["(act a)", "(act d)"]


def test_a_part_without_solution_is_found_out_before_the_others_are_combined(soon: Callable[[Task], list[str]]) -> None:
    """All of 1,500³ triples lead to nothing, for reasons that have nothing to do with them."""
    names = many("o")
    init = " ".join(f"(p {name}) (s {name})" for name in names) + " (q a b) (q b c) (r d a) (r c b)"
    precondition = "(and (p ?x) (p ?y) (s ?z) (q ?u ?v) (r ?v ?w) (q ?w ?w))"
    assert soon(make(action("?x ?y ?z ?u ?v ?w", precondition), init, objects=" ".join(names))) == []


def test_the_first_action_comes_at_once(steps: Callable[[Callable[[], object]], int]) -> None:
    names = many("o")
    init = " ".join(f"(p {name})" for name in names)
    task = make(action("?x ?y ?z ?u", "(and (p ?x) (p ?y) (p ?z) (p ?u))"), init, objects=" ".join(names))
    simulator = Simulator(task)
    first: list[GroundAction] = []
    assert steps(lambda: first.extend(islice(simulator.applicable(simulator.initial), 1_000))) < 100 * MANY
    assert len(set(first)) == 1_000


# ── numbers ──────────────────────────────────────────────────────────────────────────────────────

VALUES = "(= (f a) 1) (= (f b) 3) (= (g a) 0) (= (g b) 2) (= (total-cost) 0)"


def test_a_comparison_without_a_value_is_not_met() -> None:
    assert found(make(action("?x", "(> (f ?x) 2)"), VALUES)) == ["(act b)"]
    assert found(make(action("?x", "(not (> (f ?x) 2))"), VALUES)) == ["(act a)"]
    assert found(make(action("?x", "(> (/ (f ?x) (g ?x)) 1)"), VALUES)) == ["(act b)"]


@pytest.mark.parametrize(
    ("effect", "applicable"),
    [
        ("(increase (total-cost) (f ?x))", ["(act a)", "(act b)"]),
        ("(increase (total-cost) (+ (f ?x) (* 2 (g ?x))))", ["(act a)", "(act b)"]),
        ("(increase (total-cost) (/ (f ?x) (g ?x)))", ["(act b)"]),
        ("(scale-down (f ?x) (g ?x))", ["(act b)"]),
        ("(and (assign (f ?x) 1) (assign (f b) 2))", ["(act a)", "(act c)", "(act d)"]),
        ("(and (increase (f ?x) 1) (decrease (f b) 2))", ["(act a)", "(act b)", "(act c)", "(act d)"]),
        ("(forall (?z - small) (increase (f ?z) (g ?x)))", ["(act a)", "(act b)"]),
        ("(and (increase (total-cost) 1) (when (p ?x) (increase (f ?x) (g c))))", ["(act b)", "(act c)", "(act d)"]),
    ],
)
def test_numeric_effects_need_values_that_do_not_conflict(effect: str, applicable: list[str]) -> None:
    task = make(action("?x", "(and)", effect), f"{VALUES} (p a)")
    assert found(task) == applicable
    simulator = Simulator(task)
    everything = [GroundAction("act", (name,)) for name in "abcd"]
    assert [str(one) for one in everything if simulator.is_applicable(simulator.initial, one)] == applicable


def test_costs_do_not_fill_the_memory_with_ground_actions() -> None:
    cost = "(increase (total-cost) (f ?y))"
    names = many("o", 200)
    task = make(
        action("?x ?y", "(and)", f"(and (q ?x ?y) {cost})"),
        " ".join(f"(= (f {name}) 1)" for name in names),
        objects=" ".join(names),
    )
    simulator = Simulator(task)
    assert len(list(simulator.applicable(simulator.initial))) == 200 * 204
    assert len(simulator.initial.layout.atoms) < 100


# ── order, threads, and what is kept ─────────────────────────────────────────────────────────────

ORDER = """
import random, sys
from pddl2nl.pddl import parse_task
from pddlval import Simulator
simulator = Simulator(parse_task(sys.argv[1], sys.argv[2]))
rng, state = random.Random(9), simulator.initial
for _ in range(3):
    actions = list(simulator.applicable(state))
    print(*actions, *[simulator.sample(state, rng) for _ in range(9)])
    state = simulator.step(state, actions[len(actions) // 2]).successor
"""

SWAP = """(define (domain d) (:requirements :adl :derived-predicates) (:predicates (p ?x) (q ?x ?y) (e ?x ?y))
  (:derived (e ?x ?y) (or (q ?x ?y) (exists (?z) (and (q ?x ?z) (e ?z ?y)))))
  (:action swap :parameters (?x ?y) :precondition (and (or (q ?x ?y) (and (p ?x) (p ?y))))
    :effect (and (not (q ?x ?y)) (q ?y ?x) (not (p ?x))))
  (:action jump :parameters (?x ?y) :precondition (e ?x ?y) :effect (p ?y))
  (:action rest :parameters (?x) :precondition (exists (?z) (and (q ?x ?z) (not (p ?z)))) :effect (and (p ?x))))"""


def test_the_order_and_the_draws_do_not_depend_on_hashes() -> None:
    names = [f"o{number}" for number in range(30)]
    rng = random.Random(4)
    init = [f"(q {rng.choice(names)} {rng.choice(names)})" for _ in range(60)] + [f"(p {name})" for name in names[::3]]
    problem = f"(define (problem x) (:domain d) (:objects {' '.join(names)}) (:init {' '.join(init)}) (:goal (p o1)))"
    outputs = set()
    for seed in ("0", "1", "77"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        ran = subprocess.run(
            [sys.executable, "-c", ORDER, SWAP, problem], env=environment, capture_output=True, text=True, check=True
        )
        outputs.add(ran.stdout)
    (output,) = outputs
    assert len(output.split(")")) > 100


def walk(simulator: Simulator, seed: int, steps: int) -> list[State]:
    rng = random.Random(seed)
    states = [simulator.initial]
    for _ in range(steps):
        actions = list(simulator.applicable(states[-1]))
        successor = simulator.step(states[-1], rng.choice(actions)).successor
        assert successor is not None
        states.append(successor)
    return states


def swapping(count: int) -> Task:
    names = [f"o{number}" for number in range(count)]
    init = " ".join(f"(q {one} {other}) (p {one})" for one, other in itertools.pairwise(names))
    return parse_task(
        SWAP, f"(define (problem x) (:domain d) (:objects {' '.join(names)}) (:init {init}) (:goal (p o1)))"
    )


def test_a_search_goes_on_undisturbed_while_other_states_are_asked_about() -> None:
    simulator = Simulator(swapping(12))
    states = walk(simulator, 6, 20)
    expected = [list(simulator.applicable(state)) for state in states]
    running = [simulator.applicable(state) for state in states]
    actions: list[list[GroundAction]] = [[] for _ in states]
    for _ in range(max(map(len, expected))):
        for found_so_far, one in zip(actions, running, strict=True):
            found_so_far.extend(islice(one, 1))
    assert actions == expected


@pytest.mark.parametrize("count", [2, 3, 5, 12])
def test_states_in_any_order_have_the_same_actions(count: int) -> None:
    task = swapping(count)
    simulator, rng = Simulator(task), random.Random(7)
    states = walk(simulator, 3, 40)
    expected = [list(simulator.applicable(state)) for state in states]
    for state, actions in zip(states, expected, strict=True):
        fresh = Simulator(Task(task.domain, task.problem))
        assert sorted(fresh.applicable(fresh.state(state.atoms))) == sorted(actions)
    for place in rng.choices(range(len(states)), k=400):
        assert list(simulator.applicable(states[place])) == expected[place]


@pytest.mark.parametrize(
    "name", ["logistics98-28", "satellite-33", "psr-small-p25", "airport-p36", "visitall-sat14-65"]
)
def test_large_tasks(shared: Path, name: str, steps: Callable[[Callable[[], object]], int]) -> None:
    counts = {
        "logistics98-28": 1524,
        "satellite-33": 3860,
        "psr-small-p25": 1,
        "airport-p36": 4,
        "visitall-sat14-65": 4,
    }
    home = shared / "speed" / name
    simulator = Simulator(load_task(home / "domain.pddl", home / "problem.pddl"))
    actions: list[GroundAction] = []
    # What it takes in seconds `tests/benchmarks` measures.
    assert steps(lambda: actions.extend(simulator.applicable(simulator.initial))) < 2_000_000
    assert len(actions) == len(set(actions)) == counts[name]
    assert all(simulator.is_applicable(simulator.initial, one) for one in actions[:200])


# ── drawing an applicable action ──────────────────────────────────────────────────────────────────


# The chi-square distribution's upper 0.1 % point is about this many standard deviations above its mean, at 5 to 100
# degrees of freedom: the seeds are fixed, so nothing fails by chance.
SIGMAS = 3.6


def task_of(actions: str, init: str, objects: str) -> Task:
    return parse_task(
        f"""(define (domain d) (:requirements :adl :derived-predicates :fluents)
          (:predicates (p ?x) (q ?x ?y) (r ?x ?y) (s ?x) (e ?x ?y)) (:functions (f ?x))
          (:derived (e ?x ?y) (or (q ?x ?y) (exists (?z) (and (q ?x ?z) (e ?z ?y)))))
          {actions}
          (:action change :parameters (?x ?y) :precondition (and (q ?x ?y) (not (q ?x ?y)))
            :effect (and (p ?x) (q ?x ?y))))""",
        f"(define (problem x) (:domain d) (:objects {objects}) (:init {init}) (:goal (p o0)))",
    )


def act_on(parameters: str, precondition: str, name: str = "act") -> str:
    return f"(:action {name} :parameters ({parameters}) :precondition {precondition} :effect (p ?x))"


def skewed(rng: random.Random, count: int) -> str:
    """Atoms of a graph in which few nodes have most of the arcs, so that buckets differ much in size."""
    arcs = {(int(count * rng.random() ** 3), int(count * rng.random() ** 2)) for _ in range(3 * count)}
    return " ".join(f"(q o{one} o{other})" for one, other in sorted(arcs))


NAMES = " ".join(f"o{number}" for number in range(12))

TASKS = {
    "a path": (act_on("?x ?y ?z", "(and (q ?x ?y) (q ?y ?z))"), ""),
    "a path with tests": (act_on("?x ?y ?z", "(and (q ?x ?y) (q ?y ?z) (not (= ?x ?z)) (not (q ?x ?z)))"), ""),
    "a triangle": (act_on("?x ?y ?z", "(and (q ?x ?y) (q ?y ?z) (q ?z ?x))"), "(q o0 o1) (q o1 o2) (q o2 o0)"),
    "parts that share nothing": (act_on("?x ?y", "(and (q ?x ?x) (p ?y))"), "(q o3 o3) (q o4 o4) (p o1) (p o7)"),
    "a disjunction": (act_on("?x ?y", "(or (and (p ?x) (s ?y)) (q ?x ?y))"), "(p o0) (p o1) (s o1) (s o5) (s o6)"),
    "quantifiers": (
        act_on("?x", "(and (exists (?y) (and (q ?x ?y) (p ?y))) (forall (?y) (imply (q ?x ?y) (not (s ?y)))))"),
        "(p o0) (p o2) (p o3) (s o5)",
    ),
    "derived": (act_on("?x ?y", "(and (e ?x ?y) (s ?y))"), "(s o0) (s o3)"),
    "numbers": (
        act_on("?x ?y", "(and (q ?x ?y) (> (f ?y) (f ?x)))"),
        " ".join(f"(= (f o{number}) {number * 7 % 12})" for number in range(0, 12, 2)),
    ),
    "several actions": (
        act_on("?x", "(p ?x)") + act_on("?x ?y", "(q ?x ?y)", "two") + act_on("?x", "(not (s ?x))", "three"),
        "(p o0) (p o5) (s o1) (s o2)",
    ),
}


def chi_square_is_plausible(counts: Counter[GroundAction], everything: list[GroundAction], draws: int) -> bool:
    expected = draws / len(everything)
    chi_square = sum((counts[one] - expected) ** 2 / expected for one in everything)
    freedom = len(everything) - 1
    return bool(abs(chi_square - freedom) < SIGMAS * (2 * max(freedom, 1)) ** 0.5)


@pytest.mark.parametrize("name", sorted(TASKS))
def test_every_action_is_as_likely_as_any_other(name: str) -> None:
    actions, init = TASKS[name]
    task = task_of(actions, f"{skewed(random.Random(3), 12)} {init}", NAMES)
    simulator = Simulator(task)
    everything = list(simulator.applicable(simulator.initial))
    assert len(everything) > 1
    draws = 60 * len(everything)
    rng = random.Random(11)
    counts = Counter(one for one in (simulator.sample(simulator.initial, rng) for _ in range(draws)) if one)
    assert sum(counts.values()) == draws
    assert set(counts) <= set(everything)
    assert chi_square_is_plausible(counts, everything, draws)


def test_of_too_many_actions_the_first_are_drawn_from_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(successors, "MOST_DRAWN_FROM", 10)
    actions, init = TASKS["a path"]
    simulator = Simulator(task_of(actions, f"{skewed(random.Random(3), 12)} {init}", NAMES))
    first = list(simulator.applicable(simulator.initial))[:10]
    rng = random.Random(13)
    with pytest.warns(RuntimeWarning, match="more than 10 actions are applicable"):
        drawn = [simulator.sample(simulator.initial, rng) for _ in range(300)]
    counts = Counter(one for one in drawn if one)
    assert chi_square_is_plausible(counts, first, 300)


def test_the_only_action_among_millions_of_candidates_is_found(steps: Callable[[Callable[[], object]], int]) -> None:
    count = 400
    names = [f"o{number}" for number in range(count)]
    arcs = [f"(q o{number} o{(7 * number + step) % count})" for number in range(count) for step in range(8)]
    triangle = ["(q o1 o2)", "(q o2 o3)", "(q o3 o1)", "(s o1)"]
    precondition = "(and (q ?x ?y) (q ?y ?z) (q ?z ?u) (q ?u ?w) (= ?u ?x) (= ?w ?y) (s ?x) (not (= ?x ?y)))"
    task = task_of(act_on("?x ?y ?z ?u ?w", precondition), " ".join(arcs + triangle), " ".join(names))
    simulator = Simulator(task)
    everything = set(simulator.applicable(simulator.initial))
    rng = random.Random(2)
    drawn: set[GroundAction | None] = set()
    assert steps(lambda: drawn.update(simulator.sample(simulator.initial, rng) for _ in range(50))) < 50 * 5_000
    assert drawn <= everything

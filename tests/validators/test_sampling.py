"""Drawing an applicable action: every one with the same probability."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest

from pddl2nl.pddl import Task, parse_task
from pddlval import GroundAction, Simulator, successors

# The chi-square distribution's upper 0.1 % point is about this many standard deviations above its mean, at 5 to 100
# degrees of freedom: the seeds are fixed, so nothing fails by chance.
SIGMAS = 3.6


def make(actions: str, init: str, objects: str) -> Task:
    return parse_task(
        f"""(define (domain d) (:requirements :adl :derived-predicates :fluents)
          (:predicates (p ?x) (q ?x ?y) (r ?x ?y) (s ?x) (e ?x ?y)) (:functions (f ?x))
          (:derived (e ?x ?y) (or (q ?x ?y) (exists (?z) (and (q ?x ?z) (e ?z ?y)))))
          {actions}
          (:action change :parameters (?x ?y) :precondition (and (q ?x ?y) (not (q ?x ?y)))
            :effect (and (p ?x) (q ?x ?y))))""",
        f"(define (problem x) (:domain d) (:objects {objects}) (:init {init}) (:goal (p o0)))",
    )


def action(parameters: str, precondition: str, name: str = "act") -> str:
    return f"(:action {name} :parameters ({parameters}) :precondition {precondition} :effect (p ?x))"


def skewed(rng: random.Random, count: int) -> str:
    """Atoms of a graph in which few nodes have most of the arcs, so that buckets differ much in size."""
    arcs = {(int(count * rng.random() ** 3), int(count * rng.random() ** 2)) for _ in range(3 * count)}
    return " ".join(f"(q o{one} o{other})" for one, other in sorted(arcs))


NAMES = " ".join(f"o{number}" for number in range(12))

TASKS = {
    "a path": (action("?x ?y ?z", "(and (q ?x ?y) (q ?y ?z))"), ""),
    "a path with tests": (action("?x ?y ?z", "(and (q ?x ?y) (q ?y ?z) (not (= ?x ?z)) (not (q ?x ?z)))"), ""),
    "a triangle": (action("?x ?y ?z", "(and (q ?x ?y) (q ?y ?z) (q ?z ?x))"), "(q o0 o1) (q o1 o2) (q o2 o0)"),
    "parts that share nothing": (action("?x ?y", "(and (q ?x ?x) (p ?y))"), "(q o3 o3) (q o4 o4) (p o1) (p o7)"),
    "a disjunction": (action("?x ?y", "(or (and (p ?x) (s ?y)) (q ?x ?y))"), "(p o0) (p o1) (s o1) (s o5) (s o6)"),
    "quantifiers": (
        action("?x", "(and (exists (?y) (and (q ?x ?y) (p ?y))) (forall (?y) (imply (q ?x ?y) (not (s ?y)))))"),
        "(p o0) (p o2) (p o3) (s o5)",
    ),
    "derived": (action("?x ?y", "(and (e ?x ?y) (s ?y))"), "(s o0) (s o3)"),
    "numbers": (
        action("?x ?y", "(and (q ?x ?y) (> (f ?y) (f ?x)))"),
        " ".join(f"(= (f o{number}) {number * 7 % 12})" for number in range(0, 12, 2)),
    ),
    "several actions": (
        action("?x", "(p ?x)") + action("?x ?y", "(q ?x ?y)", "two") + action("?x", "(not (s ?x))", "three"),
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
    task = make(actions, f"{skewed(random.Random(3), 12)} {init}", NAMES)
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
    simulator = Simulator(make(actions, f"{skewed(random.Random(3), 12)} {init}", NAMES))
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
    task = make(action("?x ?y ?z ?u ?w", precondition), " ".join(arcs + triangle), " ".join(names))
    simulator = Simulator(task)
    everything = set(simulator.applicable(simulator.initial))
    rng = random.Random(2)
    drawn: set[GroundAction | None] = set()
    assert steps(lambda: drawn.update(simulator.sample(simulator.initial, rng) for _ in range(50))) < 50 * 5_000
    assert drawn <= everything

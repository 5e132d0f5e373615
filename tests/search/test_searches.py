"""The delete relaxation, the searches and lifted invariants, against all states of small tasks."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pddl2nl.errors import UnsupportedError
from pddl2nl.pddl import Task, parse_task
from pddl2nl.search import grounding
from pddl2nl.search.beam import beam_search
from pddl2nl.search.best_first import BestFirstSearch
from pddl2nl.search.grounding import GroundActions, bits
from pddl2nl.search.invariants import InvariantFinder
from pddl2nl.search.relaxation import FFHeuristic, Relaxation
from pddl2nl.tasks.shipped import shipped_domain
from pddlval import GroundAction, Simulator, State, validate
from tests.questions.asked import FERRY, PROBLEM
from tests.questions.test_deciding import small_tasks
from tests.walks import reachable, some_walk

TASK = parse_task(FERRY, PROBLEM)


def breadth_first(simulator: Simulator) -> BestFirstSearch[State, GroundAction]:
    search = BestFirstSearch(simulator.successors, lambda *_: ())
    search.start(simulator.initial)
    return search


def test_the_relaxation_reaches_all_that_actions_without_deletes_reach() -> None:
    grown = 0
    for task in small_tasks(30):
        simulator = Simulator(task)
        ground = GroundActions(simulator)
        assert ground.actions is not None
        relaxation = Relaxation(ground.actions, len(ground.numbered))
        start = reached = ground.holding(simulator.initial)
        for _ in ground.actions:
            for action in ground.actions:
                reached |= action.adds if not action.needs & ~reached else 0
        found = relaxation.supporters(start)
        assert found.keys() == {*bits(reached)}
        assert {literal for literal, action in found.items() if action is None} == {*bits(start)}
        grown += reached != start
    assert grown > 10


def test_the_heuristic_finds_no_dead_end_that_is_none() -> None:
    dead = 0
    for task in small_tasks(30):
        simulator = Simulator(task)
        if FFHeuristic(simulator)(simulator.initial) is None:
            dead += 1
            assert not any(map(simulator.is_goal, reachable(simulator)))
    assert dead > 3


def test_the_heuristic_is_the_length_of_a_relaxed_plan() -> None:
    simulator = Simulator(TASK)
    estimate = FFHeuristic(simulator)
    search = breadth_first(simulator)
    while not any(map(simulator.is_goal, search.came_from)):
        search.expand()
    plan = search.plan(next(filter(simulator.is_goal, search.came_from)))[1]
    assert validate(TASK, plan).valid
    states = simulator.follow(simulator.initial, plan).states
    values = [estimate(state) or 0 for state in states]
    assert values[-1] == 0
    assert all(value > 0 for value in values[:-1])
    # In this task no action of a shortest plan is needed twice, so that a relaxed plan is not longer.
    assert all(value <= len(plan) - number for number, value in enumerate(values))
    assert estimate.evaluated == len({*states})


def test_a_task_with_too_many_actions_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grounding, "MOST_ACTIONS", 3)
    with pytest.raises(UnsupportedError, match="ground actions"):
        FFHeuristic(Simulator(TASK))


def test_with_one_rank_for_all_it_is_breadth_first_search() -> None:
    simulator = Simulator(TASK)
    search = breadth_first(simulator)
    while not search.exhausted:
        search.expand()
    assert [*search.came_from] == reachable(simulator)
    assert search.expanded == len(search.came_from)
    lengths = []
    for state in search.came_from:
        start, plan = search.plan(state)
        followed = simulator.follow(start, plan)
        assert (start, followed.complete, followed.state) == (simulator.initial, True, state)
        lengths.append(len(plan))
    # A state comes after all that are nearer, and is one step away from one of them.
    assert lengths == sorted(lengths)
    assert {*lengths} == {*range(max(lengths) + 1)}


def graph(node: int) -> list[tuple[str, int]]:
    return [(f"{node}-{node * 2}", node * 2), (f"{node}-{node * 2 + 1}", node * 2 + 1)] if node < 16 else []


def test_the_smallest_rank_comes_first_and_what_is_preferred_before_it() -> None:
    search = BestFirstSearch(graph, lambda node, parent: None if node == 5 else (-node,))
    search.start(1)
    assert search.expand() == (2, 3)
    assert (search.next, search.waiting(2), search.prefers) == (3, [3, 2], False)
    # A dead end is reached, and waits for nothing.
    search.start(2)
    assert search.prefers
    assert search.expand({2: ["2-4"]}) == (4, 5)
    assert search.waiting(9) == [4, 3]
    assert (search.next, search.prefers) == (4, True)
    assert search.plan(5) == (1, ("1-2", "2-5"))
    search.expand()
    assert search.next == 9
    assert search.expanded == 3


def test_a_beam_keeps_the_best() -> None:
    def ranked(nodes: Sequence[int]) -> list[int]:
        return sorted(nodes, reverse=True)

    beams = [*beam_search(1, lambda node: [new for _, new in graph(node)], ranked, 2)]
    assert [[*beam] for beam in beams] == [[1], [3, 2], [7, 6], [15, 14], [31, 30]]


# ── lifted invariants ─────────────────────────────────────────────────────────────────────────────


def texts(finder: InvariantFinder, objects: list[str]) -> set[str]:
    """``at.1 in.1`` for at most one, ``at.1 in.1 exactly`` for exactly one; arguments count from 1 here."""
    return {
        " ".join(f"{part.predicate}.{(part.key or 0) + 1}" for part in each.parts) + " exactly" * each.exact
        for each in finder.of(objects)
    }


def of_type(task: Task, kind: str) -> list[str]:
    return [name for name, item in task.objects.items() if item.types[0] == kind]


def test_a_block_is_on_one_thing_and_under_one_thing() -> None:
    task = shipped_domain("blocksworld").task("p01")
    assert texts(InvariantFinder(task), [*task.objects]) == {
        "clear.1 holding.1 on.2 exactly",
        "holding.1 on.1 ontable.1 exactly",
    }


def test_types_and_static_facts_say_which_objects_an_action_moves() -> None:
    task = shipped_domain("depots").task("p04")
    finder = InvariantFinder(task)
    assert "at.1 exactly" in texts(finder, of_type(task, "truck"))
    assert "at.1 in.1 lifting.2 exactly" in texts(finder, of_type(task, "crate"))
    # Without types, static facts tell packages from trucks.
    task = shipped_domain("logistics").task("p04")
    packages = [atom[1] for atom in task.problem.init if atom[0] in ("obj", "package")]
    assert "at.1 in.1 exactly" in texts(InvariantFinder(task), packages)


@pytest.mark.parametrize(
    ("effect", "holds"),
    [
        ("(and (at ?x ?to) (not (at ?x ?from)))", True),
        ("(at ?x ?to)", False),
        ("(and (at ?x ?to) (at ?y ?to) (not (at ?x ?from)))", False),
        ("(and (at ?x ?to) (not (at ?y ?from)))", False),
        ("(forall (?z - place) (at ?x ?z))", False),
        ("(when (free) (at ?x ?to))", False),
        ("(and (when (free) (at ?x ?to)) (when (free) (not (at ?x ?from))))", True),
        ("(and (when (free) (at ?x ?to)) (not (at ?x ?from)))", True),
    ],
)
def test_an_action_must_delete_what_it_replaces(effect: str, holds: bool) -> None:
    task = parse_task(
        f"""(define (domain d) (:requirements :adl) (:types thing place) (:predicates (at ?x - thing ?p - place) (free))
        (:action move :parameters (?x ?y - thing ?from ?to - place) :precondition (at ?x ?from) :effect {effect})
        (:action toggle :parameters () :effect (free)))""",
        """(define (problem p) (:domain d) (:objects a b - thing l m - place)
        (:init (at a l) (at b m)) (:goal (at a m)))""",
    )
    assert any(text.startswith("at.1") for text in texts(InvariantFinder(task), ["a", "b"])) is holds


def test_two_places_at_first_are_no_invariant() -> None:
    task = parse_task(
        """(define (domain d) (:predicates (at ?x ?p) (place ?p))
        (:action move :parameters (?x ?p ?q) :precondition (at ?x ?p) :effect (and (at ?x ?q) (not (at ?x ?p)))))""",
        "(define (problem p) (:domain d) (:objects a l m) (:init (at a l) (at a m)) (:goal (at a m)))",
    )
    assert "at.1" not in texts(InvariantFinder(task), ["a"])


@pytest.mark.parametrize(
    "name", ["alfred", "beluga", "depots", "floortile", "goldminer", "grippers", "kitchen", "satellite"]
)
def test_invariants_hold_in_the_states_of_a_walk(name: str) -> None:
    task = shipped_domain(name).task(shipped_domain(name).example.name)
    simulator = Simulator(task)
    finder = InvariantFinder(task)
    kinds = {item.types[0]: of_type(task, item.types[0]) for item in task.objects.values()}
    found = [(members, each) for members in kinds.values() for each in finder.of(members)]
    assert found
    states = simulator.follow(simulator.initial, some_walk(simulator, 30)).states
    for state in states:
        for members, invariant in found:
            for name in members:
                held = sum(
                    atom[0] == part.predicate and atom[(part.key or 0) + 1] == name
                    for atom in state.atoms
                    for part in invariant.parts
                    if len(atom) > (part.key or 0) + 1
                )
                assert held == 1 if invariant.exact else held <= 1, (name, invariant)


def test_one_robot_is_in_one_cell() -> None:
    tokens = InvariantFinder(shipped_domain("visitall").task("p04")).tokens()
    assert [[part.predicate for part in each.parts] for each in tokens] == [["at-robot"]]

"""The delete relaxation and the searches, against all states of small tasks."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pddl2nl.errors import UnsupportedError
from pddl2nl.pddl import parse_task
from pddl2nl.search import grounding
from pddl2nl.search.beam import beam_search
from pddl2nl.search.best_first import BestFirstSearch
from pddl2nl.search.grounding import GroundActions, bits
from pddl2nl.search.relaxation import FFHeuristic, Relaxation
from pddlval import GroundAction, Simulator, State, validate
from tests.questions.asked import FERRY, PROBLEM
from tests.questions.test_deciding import small_tasks
from tests.walks import reachable

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

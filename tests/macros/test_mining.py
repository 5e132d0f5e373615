"""Chains in plans: which there are, that they can be carried out in one go, and how they are counted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pddl2nl.macros.mining import ChainCandidate, ChainOccurrence, Footprints, candidates, chosen, independent
from pddl2nl.pddl import Task, load_task
from pddlval import GroundAction, read_plan, validate
from pddlval.plans import plan_of

_TWO_TOWERS = (
    "(unstack c b)\n(put-down c)\n(unstack b a)\n(put-down b)\n(pick-up a)\n(stack a c)\n(pick-up b)\n(stack b a)\n"
)


def _plan(text: str) -> tuple[GroundAction, ...]:
    return read_plan(text).actions


def _forms(found: Sequence[ChainCandidate]) -> dict[str, int]:
    return {" ".join(f"({' '.join(step)})" for step in item.form): len(item.occurrences) for item in found}


def _all(found: ChainCandidate) -> bool:
    return True


def test_neighbours_are_found_with_all_their_occurrences(blocks: Task) -> None:
    found = candidates(blocks.domain, [_plan(_TWO_TOWERS)], max_length=3, chains="contiguous")
    forms = _forms(found)
    assert forms["(pick-up ?0) (stack ?0 ?1)"] == 2
    assert forms["(unstack ?0 ?1) (put-down ?0)"] == 2
    assert forms["(unstack ?0 ?1) (put-down ?0) (unstack ?1 ?2)"] == 1
    assert max(len(item) for item in found) == 3
    assert sum(forms.values()) == 7 + 6


def test_linked_steps_are_found_through_what_stands_between(ferry: Task) -> None:
    cars = [name for name in ferry.objects if name.startswith("c")][:2]
    # Made up: mining looks at what steps read and write, and not at the state.
    text = "".join(
        f"(board {car} l{place})\n(sail l{place} l{place + 1})\n(debark {car} l{place + 1})\n"
        for place, car in enumerate(cars)
    )
    linked = _forms(candidates(ferry.domain, [_plan(text)], max_length=3, chains="linked"))
    assert linked["(board ?0 ?1) (sail ?1 ?2) (debark ?0 ?2)"] == 2
    # Boarding and debarking are linked by the car, but the sailing between them must stay there.
    assert "(board ?0 ?1) (debark ?0 ?2)" not in linked


def test_links_reach_over_steps_that_can_go_elsewhere(root: Path) -> None:
    task = load_task(root / "domains/logistics/domain.pddl", root / "instances/logistics/p01.pddl")
    text = (
        "(load-truck p t a)\n(fly-airplane x k l)\n(drive-truck t a b c)\n(fly-airplane x l k)\n(unload-truck p t b)\n"
    )
    linked = _forms(candidates(task.domain, [_plan(text)], max_length=3, chains="linked"))
    assert linked["(load-truck ?0 ?1 ?2) (drive-truck ?1 ?2 ?3 ?4) (unload-truck ?0 ?1 ?3)"] == 1
    assert linked["(fly-airplane ?0 ?1 ?2) (fly-airplane ?0 ?2 ?1)"] == 1
    contiguous = candidates(task.domain, [_plan(text)], max_length=3, chains="contiguous")
    assert not linked.keys() <= _forms(contiguous).keys()


@pytest.mark.parametrize("name", ["blocksworld", "logistics", "rovers", "satellite", "depots", "goldminer"])
def test_every_chain_can_be_carried_out_in_one_go(root: Path, name: str) -> None:
    """The plan in which the steps of a chain stand together is valid too."""
    task = load_task(root / f"domains/{name}/domain.pddl", root / f"instances/{name}/p06.pddl")
    plan = _walked(task)
    footprints = Footprints(task.domain)
    traces = [footprints.of(*action) for action in plan]
    found = candidates(task.domain, [plan], max_length=4)
    apart = 0
    for item in found:
        for occurrence in item.occurrences[:3]:
            places = occurrence.places
            apart += places[-1] - places[0] >= len(places)
            later: list[int] = []
            for place in range(places[0], len(plan)):
                early = [*(p for p in places if p < place), *later]
                if place not in places and any(not independent(traces[p], traces[place]) for p in early):
                    later.append(place)
            first = [place for place in range(len(plan)) if place not in places and place not in later]
            order = [
                *(p for p in first if p < places[-1]),
                *places,
                *sorted({*later, *(p for p in first if p > places[-1])}),
            ]
            assert sorted(order) == list(range(len(plan)))
            report = validate(task, plan_of(plan[place] for place in order))
            assert report.failed_step is None, (item.form, places)
    assert found
    assert apart or name == "blocksworld"


def _walked(task: Task, steps: int = 30) -> tuple[GroundAction, ...]:
    import random

    from pddlval import Simulator

    simulator, rng = Simulator(task), random.Random(4)
    state = simulator.initial
    plan: list[GroundAction] = []
    while len(plan) < steps and (action := simulator.sample(state, rng)) is not None:
        successor = simulator.step(state, action).successor
        assert successor is not None
        state = successor
        plan.append(action)
    return tuple(plan)


def _candidate(form: Sequence[str], *places: tuple[int, ...]) -> ChainCandidate:
    return ChainCandidate(tuple((name,) for name in form), tuple(ChainOccurrence(0, each) for each in places))


def test_overlaps_are_counted_once_and_taken_steps_no_more() -> None:
    # a a a a b c: of three overlapping (a a) two are free of each other; they leave (a b) and (a b c) no step.
    pairs = _candidate("aa", (0, 1), (1, 2), (2, 3))
    ends = _candidate("ab", (3, 4))
    last = _candidate("bc", (4, 5))
    found = list(chosen([ends, pairs, last], _all, min_support=1))
    assert [(each.form, each.support, each.saved) for each in found] == [
        (pairs.form, 2, 2),
        (last.form, 1, 1),
    ]
    assert [each.occurrences[1].places for each in found[:1]] == [(2, 3)]


def test_what_saves_most_comes_first_and_what_is_not_accepted_takes_nothing() -> None:
    long = _candidate("abc", (0, 1, 2), (3, 4, 5))
    short = _candidate("ab", (0, 1), (3, 4), (6, 7))
    assert [each.form for each in chosen([short, long], _all)] == [long.form]
    kept = list(chosen([short, long], lambda found: len(found.form) == 2))
    assert [(each.form, each.support) for each in kept] == [(short.form, 3)]
    assert list(chosen([short, long], _all, min_support=4)) == []
    assert len(list(chosen([short, long], _all, min_support=1, number=1))) == 1


def test_parameters_and_constants(lights: Task) -> None:
    plan = _plan("(go main s1)\n(press s1 l1)\n(go s1 s2)\n(press s2 l2)\n")
    forms = _forms(candidates(lights.domain, [plan], max_length=2, chains="contiguous"))
    assert "(go main ?0) (press ?0 ?1)" in forms
    few = candidates(lights.domain, [plan], max_length=2, chains="contiguous", max_parameters=2)
    assert set(_forms(few)) == {"(go main ?0) (press ?0 ?1)"} | {form for form in forms if "?2" not in form}


def test_plans_of_thousands_of_steps_are_mined(blocks: Task) -> None:
    plan = _plan("(unstack c b)\n(stack c b)\n") * 400
    found = candidates(blocks.domain, [plan])
    best = next(chosen(found, _all))
    assert best.saved == 600

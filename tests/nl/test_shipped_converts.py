"""Every shipped instance, of every set: told whole, under its reviewed wording and the template, and read back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pddl2nl.nl import Reader, Teller, Wording, choose_wording, load_wording, make_names
from pddl2nl.nl.reading.told import read_problem
from pddl2nl.pddl import Problem, Task
from pddl2nl.tasks import ShippedDomain, authored_domains, shipped_domain, shipped_domains
from pddlval import GroundAction, Simulator

DOMAINS = (*shipped_domains(), *authored_domains())
WALK = 12
"""Actions of a walk: as many as a middling plan has."""


def _wording(shipped: ShippedDomain, name: str) -> Wording:
    if name == "shipped":
        return load_wording(shipped.wording_path, shipped.domain)
    return choose_wording(name, shipped.domain, shipped.domain_path)


def _tasks(shipped: ShippedDomain) -> Iterator[tuple[str, Task]]:
    for each in shipped.instances:
        yield each.name, shipped.task(each.name)


def _said(problem: Problem) -> tuple[object, ...]:
    return {item.name for item in problem.objects}, set(problem.init)


@pytest.mark.parametrize("wording", ["shipped", "template"])
@pytest.mark.parametrize("domain", DOMAINS)
def test_every_instance_is_told_whole(domain: str, wording: str) -> None:
    shipped = shipped_domain(domain)
    assert shipped.instances
    chosen = _wording(shipped, wording)
    told = Teller(shipped.task("example"), chosen, make_names(shipped.task("example"), "typed", chosen)).domain_text()
    for action in shipped.domain.actions:
        assert chosen.actions[action.name].text, action.name
    for name, task in _tasks(shipped):
        teller = Teller(task, chosen, make_names(task, "typed", chosen))
        for text in (teller.goal_text(), teller.objects_text(), teller.init_text()):
            assert text.strip(), name
            assert not set("{}?") & set(text), (name, text)
        # What can be done is said alike for all of them.
        assert teller.domain_text() == told


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_walk_is_read_as_it_was_told(domain: str) -> None:
    shipped = shipped_domain(domain)
    chosen = _wording(shipped, "shipped")
    for name in ("example", shipped.benchmarks[-1].name):
        task = shipped.task(name)
        names = make_names(task, "typed", chosen)
        walk = _walk(task)
        assert walk
        told = "\n".join(map(Teller(task, chosen, names).action, walk))
        readings = Reader(task, chosen, names).read(told)
        assert readings.plan == tuple(walk), name
        assert {reading.rule for reading in readings.chosen} == {"exact"}


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_problem_is_read_as_it_was_told(domain: str) -> None:
    shipped = shipped_domain(domain)
    chosen = _wording(shipped, "shipped")
    task = shipped.task("example")
    # Under names that are told as they are, what is read can be compared with what was told.
    teller = Teller(task, chosen, make_names(task, "original", chosen))
    text = "\n\n".join((teller.goal_text(), teller.objects_text(), teller.init_text()))
    read = read_problem(text, shipped.domain, chosen)
    assert _said(read) == _said(task.problem)
    # Bound variables have no names in words, so goals are compared told.
    again = Task(shipped.domain, read)
    assert Teller(again, chosen, make_names(again, "original", chosen)).goal_text() == teller.goal_text()


def _walk(task: Task) -> list[GroundAction]:
    """The actions of a walk that repeats none as long as there is another."""
    simulator = Simulator(task)
    state, walk = simulator.initial, list[GroundAction]()
    while len(walk) < WALK:
        applicable = list(simulator.applicable(state))
        if not applicable:
            break
        action = next((each for each in applicable if each not in walk), applicable[0])
        walk.append(action)
        state = simulator.step(state, action).successor or state
    return walk

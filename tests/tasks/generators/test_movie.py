"""Movie: where snacks can be bought, and how long the shortest plans are."""

from __future__ import annotations

from pathlib import Path

import pytest

from pddl2nl.baselines import TaskTexts, solve
from pddl2nl.pddl import Task, conjuncts, load_domain, parse_domain, parse_problem
from pddl2nl.tasks.generators import generate
from pddlval import Simulator

DOMAIN = Path(__file__).resolve().parents[3] / "domains" / "movie" / "domain.pddl"
BUYING = ["(get-chips c1)", "(get-dip d1)", "(get-pop p1)", "(get-cheese z1)", "(get-crackers k1)"]


def simulator(**given: str) -> Simulator:
    domain = parse_domain(DOMAIN.read_text(encoding="utf-8"))
    return Simulator(Task(domain, parse_problem(generate("movie", 1, **given).text, domain)))


def test_the_domain_does_what_the_variant_of_autoplanbench_does(shared):
    theirs = load_domain(shared / "autoplanbench" / "movie-complex" / "domain.pddl")
    ours = load_domain(DOMAIN)
    assert ours.name == theirs.name
    assert {predicate.name for predicate in ours.predicates} == {predicate.name for predicate in theirs.predicates}
    assert [action.name for action in ours.actions] == [action.name for action in theirs.actions]
    for one, other in zip(ours.actions, theirs.actions, strict=True):
        assert one.parameters == other.parameters
        assert set(conjuncts(one.precondition)) == set(conjuncts(other.precondition))
        assert set(conjuncts(one.effect)) == set(conjuncts(other.effect))


@pytest.mark.parametrize(
    ("given", "first"),
    [
        ({"counter": "other"}, ["(reset-counter)"]),
        ({"rewound": "yes"}, ["(undo-rewind)"]),
        ({"counter": "other", "rewound": "yes"}, ["(undo-rewind)", "(reset-counter)"]),
    ],
)
def test_nothing_can_be_bought_before_the_counter_is_reset_and_the_movie_not_rewound(given, first):
    world = simulator(**given)
    state = world.initial
    for action in first:
        assert not any(world.is_applicable(state, buying) for buying in BUYING)
        state = world.step(state, action).successor
    assert all(world.is_applicable(state, buying) for buying in BUYING)


@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize(
    ("kinds", "counter", "rewound", "length"),
    [(1, "zero", "no", 4), (5, "zero", "no", 8), (5, "other", "no", 9), (2, "other", "yes", 7), (2, "zero", "yes", 6)],
)
def test_lengths_follow_from_the_parameters(kinds, counter, rewound, length):
    made = generate("movie", 7, kinds=kinds, counter=counter, rewound=rewound, chips=3)
    result = solve(TaskTexts(DOMAIN.read_text(encoding="utf-8"), made.text), "lmcut", time_limit=30)
    assert result.plan is not None
    assert len(result.plan) == length

"""Depots: names that are PlanBench's, stacks, and a hoist and a pallet at every place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pddl2nl.errors import InputError
from pddl2nl.pddl import conjuncts, load_domain
from pddl2nl.tasks.generators import generate

ROOT = Path(__file__).resolve().parents[3]


def test_the_domain_is_the_competitions_with_arguments_in_the_same_order(shared):
    ours = load_domain(ROOT / "domains" / "depots" / "domain.pddl")
    theirs = load_domain(shared / "autoplanbench" / "depot" / "domain.pddl")
    assert ours.predicates == theirs.predicates
    assert [action.parameters for action in ours.actions] == [action.parameters for action in theirs.actions]
    for one, other in zip(ours.actions, theirs.actions, strict=True):
        assert one.name == other.name
        assert set(conjuncts(one.precondition)) == set(conjuncts(other.precondition))
        assert set(conjuncts(one.effect)) == set(conjuncts(other.effect))


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"depots": 2, "pallets": 5, "hoists": 4, "crates": 6},
        {"depots": 0, "distributors": 3, "pallets": 3, "hoists": 3},
    ],
)
def test_every_place_has_pallets_and_hoists_and_crates_stand_where_their_stack_does(given, facts):
    for seed in range(20):
        init, goal = generate("depots", seed, **given).text.split("(:goal")
        at, on = dict(facts(init, "at")), dict(facts(init, "on"))
        places = set(re.findall(r"(?:depot|distributor)\d+", init.split("(:init")[0].split("(:objects")[1]))
        for kind in ("pallet", "hoist"):
            assert {place for thing, place in at.items() if thing.startswith(kind)} == places
        assert all(at[crate] == at[below] for crate, below in on.items())
        assert len(set(on.values())) == len(on)
        assert {name for (name,) in facts(init, "clear")} == {
            name for name in at if name.startswith(("pallet", "crate")) and name not in on.values()
        }
        assert {name for (name,) in facts(init, "available")} == {name for name in at if name.startswith("hoist")}
        assert set(dict(facts(goal, "on"))) == set(on)


def test_too_few_pallets_or_hoists_and_no_place_at_all_are_refused():
    with pytest.raises(
        InputError, match=r"pallets ≥ depots . distributors .*; found depots=2 distributors=1 pallets=2"
    ):
        generate("depots", 1, depots=2)
    with pytest.raises(InputError, match=r"hoists ≥ depots . distributors .*; found depots=1 distributors=1 hoists=1"):
        generate("depots", 1, hoists=1)
    with pytest.raises(InputError, match=r"depots . distributors > 0"):
        generate("depots", 1, depots=0, distributors=0)
    with pytest.raises(InputError, match=r"crates . pallets > 2"):
        generate("depots", 1, distributors=0, pallets=1, hoists=1, crates=1)

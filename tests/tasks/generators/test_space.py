"""Rovers and satellite: what is wanted can be done, by what there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from pddl2nl.baselines import TaskTexts, solve
from pddl2nl.pddl import And, Atom, Not, conjuncts, load_domain
from pddl2nl.tasks.generators import generate

DOMAIN = Path(__file__).resolve().parents[3] / "domains" / "rovers" / "domain.pddl"
TIGHT = [
    {"rovers": 1, "waypoints": 2, "cameras": 1, "objectives": 1, "soil": 2, "rock": 2, "images": 3},
    {"rovers": 3, "waypoints": 8, "cameras": 1, "objectives": 3, "soil": 8, "rock": 0, "images": 9},
    {"rovers": 4, "waypoints": 6, "cameras": 0, "objectives": 1, "soil": 0, "rock": 6, "images": 0},
]


def test_the_domain_is_the_competitions_but_for_what_is_deleted_and_added_at_once(shared):
    ours, theirs = load_domain(DOMAIN), load_domain(shared / "autoplanbench" / "rovers" / "domain.pddl")
    assert ours.predicates == theirs.predicates
    for one, other in zip(ours.actions, theirs.actions, strict=True):
        assert (one.name, one.parameters) == (other.name, other.parameters)
        assert set(conjuncts(one.precondition)) == set(conjuncts(other.precondition))
        effects = set(conjuncts(other.effect))
        undone = {part.body for part in effects if isinstance(part, Not) and part.body in effects}
        assert {atom.predicate for atom in undone if isinstance(atom, Atom)} == (
            {"available", "channel_free"} if one.name.startswith("communicate") else set()
        )
        assert set(conjuncts(one.effect)) == effects - undone - {Not(atom) for atom in undone}
        assert isinstance(one.effect, And)


@pytest.mark.parametrize("given", [{}, *TIGHT])
def test_rovers_drive_both_ways_where_one_sees_and_samples_are_where_they_are_wanted(given, facts):
    for seed in range(20):
        init, goal = generate("rovers", seed, **given).text.split("(:goal")
        visible = set(facts(init, "visible"))
        roads = set(facts(init, "can_traverse"))
        assert {(other, one) for one, other in visible} == visible
        assert {(rover, other, one) for rover, one, other in roads} == roads
        assert {road[1:] for road in roads} <= visible
        for job in ("soil", "rock"):
            wanted = facts(goal, f"communicated_{job}_data")
            assert len(wanted) == given.get(job, 1)
            assert set(wanted) <= set(facts(init, f"at_{job}_sample"))
        assert len(facts(goal, "communicated_image_data")) == given.get("images", 1)


@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize("given", TIGHT)
def test_what_asks_for_all_that_there_is_has_a_plan(given):
    made = generate("rovers", 5, **given)
    assert solve(TaskTexts(DOMAIN.read_text(encoding="utf-8"), made.text), "ff", time_limit=30).status == "solved"


# ── satellite: every image that is asked for can be taken ─────────────────────────────────────────


@pytest.mark.parametrize("given", [{}, {"satellites": 3, "instruments": 4, "modes": 5, "directions": 2, "images": 10}])
def test_every_satellite_has_an_instrument_and_every_mode_a_calibrated_one(given, facts):
    for seed in range(30):
        init, goal = generate("satellite", seed, **given).text.split("(:goal")
        carried = dict(facts(init, "on_board"))
        assert set(carried.values()) == {name for (name,) in facts(init, "power_avail")}
        assert [name for name, _ in facts(init, "calibration_target")] == list(carried)
        supported = facts(init, "supports")
        assert {name for name, _ in supported} == set(carried)
        assert {mode for _, mode in facts(goal, "have_image")} <= {mode for _, mode in supported}
        assert len(facts(goal, "have_image")) == given.get("images", 2)


def test_satellites_have_to_point_somewhere_if_asked_for(facts):
    for seed in range(10):
        text = generate("satellite", seed, satellites=3, instruments=3, pointing=2).text
        pointing = facts(text.split("(:goal")[1], "pointing")
        assert len({satellite for satellite, _ in pointing}) == 2

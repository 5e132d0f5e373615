"""Beluga: racks that hold what is on them, schedules that fit together, and days that were possible."""

from __future__ import annotations

import re

import pytest

from pddl2nl.tasks.generators import generate
from tests.tasks.generators.exhaustive import shortest


def test_small_days_can_be_passed():
    for seed in range(8):
        arrivals, deliveries = seed % 3, 1 + seed % 2
        given = {"arrivals": arrivals, "stored": 2 - arrivals // 2, "deliveries": deliveries, "returns": seed % 2}
        length = shortest(generate("beluga", seed, **given, empties=1 - arrivals // 2, racks=2, length=3))
        assert length is not None
        assert length >= arrivals + 2 * deliveries + (seed % 2)


@pytest.mark.parametrize(
    "given",
    [
        {"arrivals": 8, "stored": 6, "deliveries": 12, "returns": 8, "racks": 4, "length": 8},
        {"arrivals": 16, "stored": 17, "empties": 20, "deliveries": 16, "returns": 16, "racks": 13, "length": 11},
        {"arrivals": 8, "stored": 0, "empties": 0, "deliveries": 8, "returns": 8, "trailers": 2},
    ],
)
def test_long_days_come_to_an_end_too(given, facts):
    text = generate("beluga", 7, **given).text.split("(:goal")[0]
    assert [len(facts(text, name)) for name in ("arrives", "needed", "returns")] == [
        given[name] for name in ("arrivals", "deliveries", "returns")
    ]


def test_racks_are_rings_and_hold_no_more_than_their_length(facts):
    for seed in range(20):
        text = generate("beluga", seed, stored=4, empties=2, racks=3, length=4, kinds=3).text.split("(:goal")[0]
        after = dict(facts(text, "before"))
        kinds, space = dict(facts(text, "is-of-kind")), dict(facts(text, "space"))
        stored = []
        for rack in space:
            row, item = [], after[rack]
            while item != rack:
                row.append(item)
                item = after[item]
            lengths = ["abc".index(kinds[jig][-1]) + 1 for jig in row]
            assert space[rack] == f"length{4 - sum(lengths)}"
            stored += row
        assert sorted([*stored, *(jig for (jig,) in facts(text, "in-plane"))]) == sorted(kinds)


def test_schedules_are_chains_whose_every_step_is_to_be_done(facts):
    for seed in range(20):
        given = {"arrivals": 3, "stored": 2, "empties": 2, "deliveries": 3, "returns": 2, "lines": 2, "length": 6}
        init, goal = generate("beluga", seed, **given).text.split("(:goal")
        then = dict(facts(init, "then"))
        steps = []
        for (step,) in facts(init, "due"):
            while step in then:
                steps.append(step)
                step = then[step]
            assert step.endswith("-end")
        work = [fact[-1] for kind in ("arrives", "returns", "needed") for fact in facts(init, kind)]
        assert sorted(work) == sorted(steps) == sorted(step for (step,) in facts(goal, "done"))
        assert len(steps) == 3 + 2 + 3
        flights = [step for step in steps if step.startswith("flight")]
        assert flights == sorted(flights, key=lambda step: (int(re.findall(r"\d+", step)[0]), "out" in step))
        assert [jig for jig, _ in facts(init, "arrives")] == ["jig1", "jig2", "jig3"]

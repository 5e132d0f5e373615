"""Blocksworld: fair towers, goals that say what is asked for, blocks that have to move, goals that cannot be."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import pytest

from pddl2nl.errors import InputError
from pddl2nl.tasks.generators import Draw, blocksworld, generate

Towers = frozenset[tuple[str, ...]]
Goal = frozenset[tuple[str, str]]


def read(text: str) -> tuple[Towers, Goal]:
    """The towers at first and the pairs of the goal."""
    init, goal = text.split("(:goal")
    above = {below: block for block, below in re.findall(r"\(on (\w+) (\w+)\)", init)}
    towers = []
    for block in re.findall(r"\(ontable (\w+)\)", init):
        tower = [block]
        while tower[-1] in above:
            tower.append(above[tower[-1]])
        towers.append(tuple(tower))
    return frozenset(towers), frozenset(re.findall(r"\(on (\w+) (\w+)\)", goal))


def holds(towers: Towers, goal: Goal) -> bool:
    return goal <= {(above, below) for tower in towers for below, above in pairwise(tower)}


def can_be_reached(towers: Towers, goal: Goal, *, without: str = "") -> bool:
    """Whether moves, none of them of one block, lead to the goal; all arrangements are looked at."""
    seen, frontier = {towers}, [towers]
    while frontier:
        now = frontier.pop()
        if holds(now, goal):
            return True
        for tower in now:
            if tower[-1] == without:
                continue
            rest = now - {tower} | ({tower[:-1]} if tower[:-1] else set())
            for base in [(), *(rest - {tower[:-1]})]:
                then = rest - {base} | {(*base, tower[-1])}
                if then not in seen:
                    seen.add(then)
                    frontier.append(then)
    return False


def test_every_arrangement_is_as_likely_as_any_other():
    draw = Draw(1)
    found = Counter(frozenset(blocksworld._draw_towers("abc", draw)) for _ in range(2600))
    assert len(found) == 13
    assert all(150 < number < 255 for number in found.values())


@pytest.mark.parametrize("goal", ["full", "part"])
@pytest.mark.parametrize("blocks", [2, 3, 4, 5])
def test_every_block_moves_in_every_plan_where_that_is_asked_for(blocks, goal):
    for seed in range(8):
        made = generate("blocksworld", seed, blocks=blocks, goal=goal, all="yes")
        towers, aims = read(made.text)
        names = [block for tower in towers for block in tower]
        assert len(names) == made.objects == blocks
        assert can_be_reached(towers, aims)
        assert not any(can_be_reached(towers, aims, without=block) for block in names)
        assert "all must move" in made.text.splitlines()[0]


def test_a_full_goal_has_whole_towers_and_a_part_has_fewer_pairs():
    full = [len(read(generate("blocksworld", seed, blocks=8).text)[1]) for seed in range(30)]
    part = [len(read(generate("blocksworld", seed, blocks=8, goal="part").text)[1]) for seed in range(30)]
    assert sum(part) < 0.75 * sum(full)
    assert min(part) == 1


@pytest.mark.parametrize("goal", ["full", "part"])
@pytest.mark.parametrize("way", ["cycle", "shared", "split"])
def test_goals_that_contradict_themselves(way, goal):
    for seed in range(15):
        towers, aims = read(generate("blocksworld", seed, blocks=5, goal=goal, unsolvable=way).text)
        assert not can_be_reached(towers, aims)
        assert all(can_be_reached(towers, frozenset([pair])) for pair in aims)
        most = [max(Counter(pair[side] for pair in aims).values()) for side in (0, 1)]
        assert most == {"cycle": [1, 1], "shared": [1, 2], "split": [2, 1]}[way]


def test_two_blocks_can_only_stand_on_each_other_in_a_circle():
    assert read(generate("blocksworld", 1, blocks=2, unsolvable="cycle").text)[1] == {("a", "b"), ("b", "a")}
    for way in ("shared", "split"):
        with pytest.raises(InputError, match=f"blocks ≥ 3 .*; found blocks=2 unsolvable={way}"):
            generate("blocksworld", 1, blocks=2, unsolvable=way)

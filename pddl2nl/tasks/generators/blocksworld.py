"""Problems of Blocksworld: rebuild towers into other towers."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from itertools import pairwise

from pddl2nl.tasks.generators.generator import Draw, Fact, Generator, Parameter, ParameterValues, Sketch, plural

Tower = tuple[str, ...]
"""Blocks, from the table upwards."""

Pair = tuple[str, str]
"""A block and the one below it."""


def _make(values: ParameterValues, draw: Draw) -> Sketch | None:
    way = values["unsolvable"]
    blocks = _names(values["blocks"])
    towers = _draw_towers(blocks, draw)
    aims = _draw_towers(blocks, draw)
    needed = [] if way == "no" else _CONTRADICTIONS[way](aims, draw)
    if needed is None:
        return None
    goal = list(dict.fromkeys([*_pairs(aims), *needed]))
    every = values["all"] == "yes"
    if every and not _all_must_move(towers, goal):
        return None
    if values["goal"] == "part":
        goal = _thinned(goal, needed, towers if every else [], draw)
    if not goal:
        return None
    place = {block: number for number, block in enumerate(blocks)}
    return Sketch(
        objects=(("", blocks),),
        init=((("handempty",),), *(_standing(tower) for tower in towers)),
        goal=tuple(("on", *pair) for pair in sorted(goal, key=lambda pair: (place[pair[0]], place[pair[1]]))),
        summary=f"{plural(len(blocks), 'block')}, {plural(len(towers), 'tower')} at first" + ", all must move" * every,
        solvable=way == "no",
    )


def _names(count: int) -> tuple[str, ...]:
    letters = string.ascii_lowercase
    return tuple(letters[:count]) if count <= len(letters) else tuple(f"b{number + 1}" for number in range(count))


# ── towers ───────────────────────────────────────────────────────────────────────────────────────


def _draw_towers(blocks: Sequence[str], draw: Draw) -> list[Tower]:
    """A uniformly random arrangement of the blocks in towers.

    There are ``C(n-1, k-1) n!/k!`` arrangements of n blocks in k towers (Lah's numbers): k is drawn by these weights,
    then an order of all blocks and k-1 of its n-1 gaps, where a tower ends. The weights exceed a float, so only their
    ratios are computed: ``(n-k) / (k(k+1))`` is the ratio of the weight for k+1 to that for k.
    """
    weights = [1.0]
    for k in range(1, len(blocks)):
        weights.append(weights[-1] * (len(blocks) - k) / (k * (k + 1)))
    # Exactly rounded: `sum` of floats differs between versions of Python.
    rest = draw.below(2**53) / 2**53 * math.fsum(weights)
    towers = 1
    while towers < len(blocks) and rest >= weights[towers - 1]:
        rest -= weights[towers - 1]
        towers += 1
    order = draw.shuffled(blocks)
    ends = [*sorted(draw.sample(range(1, len(blocks)), towers - 1)), len(blocks)]
    return [tuple(order[start:end]) for start, end in pairwise([0, *ends])]


def _pairs(towers: Sequence[Tower]) -> list[Pair]:
    return [(above, below) for tower in towers for below, above in pairwise(tower)]


def _standing(tower: Tower) -> tuple[Fact, ...]:
    on: list[Fact] = [("on", *pair) for pair in _pairs([tower])]
    return (("ontable", tower[0]), *on, ("clear", tower[-1]))


def _all_must_move(towers: Sequence[Tower], goal: Sequence[Pair]) -> bool:
    """Whether every plan moves every block.

    A block must move if the goal has it on another block, or if a block below it must move. So all blocks must move if
    the lowest block of each tower must.
    """
    wanted = {above for above, _ in goal}
    return all(tower[0] in wanted for tower in towers)


def _thinned(goal: Sequence[Pair], needed: Sequence[Pair], towers: Sequence[Tower], draw: Draw) -> list[Pair]:
    """Some of the goal's pairs, including the needed ones; each of the given towers still has to move."""
    order = draw.shuffled([pair for pair in goal if pair not in needed])
    kept = list(goal)
    for pair in order[: draw.between(0, max(0, len(order) - (not needed)))]:
        fewer = [other for other in kept if other != pair]
        if _all_must_move(towers, fewer):
            kept = fewer
    return kept


# ── goals that contradict themselves ─────────────────────────────────────────────────────────────
# Each single atom is reachable, so the delete relaxation finds no contradiction. Comparing atoms in pairs finds two
# blocks on one, one block on two, and a circle of two blocks, but no longer circle.


def _cycle(aims: Sequence[Tower], draw: Draw) -> list[Pair] | None:
    """Puts the lowest block of a tower on its highest."""
    tall = [tower for tower in aims if len(tower) > 1]
    if not tall:
        return None
    tower = draw.pick(tall)
    return [*_pairs([tower]), (tower[0], tower[-1])]


def _shared(aims: Sequence[Tower], draw: Draw) -> list[Pair] | None:
    """Puts the lowest block of another tower on a block that has one on it already."""
    pairs = _pairs(aims)
    if not pairs or len(aims) < 2:
        return None
    above, below = draw.pick(pairs)
    others = [tower[0] for tower in aims if below not in tower]
    return [(above, below), (draw.pick(others), below)]


def _split(aims: Sequence[Tower], draw: Draw) -> list[Pair] | None:
    """Puts a block that is on another one also on the highest block of another tower."""
    pairs = _pairs(aims)
    if not pairs or len(aims) < 2:
        return None
    above, below = draw.pick(pairs)
    others = [tower[-1] for tower in aims if below not in tower]
    return [(above, below), (above, draw.pick(others))]


_CONTRADICTIONS = {"cycle": _cycle, "shared": _shared, "split": _split}


GENERATOR = Generator(
    domain="blocksworld",
    pddl_name="blocksworld-4ops",
    summary="blocks in random towers that have to become others, every arrangement as likely as any other; all towers "
    "can be taken down and built anew, so every problem has a plan unless it is made to have none",
    parameters=(
        Parameter("blocks", "how many blocks there are", 4, 2, 200),
        Parameter(
            "goal",
            "full: the goal says of every block of the new towers what it stands on; part: of some of them",
            "full",
            choices=("full", "part"),
        ),
        Parameter("all", "yes: every block moves in every plan", "no", choices=("no", "yes")),
        Parameter(
            "unsolvable",
            "how the goal contradicts itself: cycle: blocks in a circle, each on the next; shared: two blocks on one; "
            "split: one block on two",
            "no",
            choices=("no", *_CONTRADICTIONS),
        ),
    ),
    rules={
        "all=no if unsolvable is not no (without a plan, no block moves in every plan)": lambda v: (
            v["all"] == "no" or v["unsolvable"] == "no"
        ),
        "blocks ≥ 3 for unsolvable=shared or split (a third block)": lambda v: (
            v["blocks"] >= 3 or v["unsolvable"] in ("no", "cycle")
        ),
    },
    make=_make,
    small=lambda draw: {"blocks": draw.between(3, 9), "goal": "part" if draw.chance(25) else "full"},
)

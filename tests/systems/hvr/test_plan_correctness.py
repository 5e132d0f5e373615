"""How far a plan is in line with a ground truth: the docstrings' examples, the paper's own, and enumeration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.policies.reporting import Way
from pddl2nl.systems.hvr.correctness import prefix_steps, skipping_steps

B1_GROUND_TRUTH = """
(navigate_to_obj Egg-1) (pick_up Egg-1) (crack_obj Egg-1) (navigate_to_obj Pan-1) (put_in EggCracked-1 Pan-1)
(pick_up Pan-1) (navigate_to_obj StoveBurner-1) (put_on Pan-1 StoveBurner-1) (toggle_on StoveBurner-1)
(toggle_off StoveBurner-1) (pick_up EggCracked-1) (navigate_to_obj Plate-1) (put_on EggCracked-1 Plate-1)
(pick_up Plate-1) (navigate_to_obj CounterTop-1) (put_on Plate-1 CounterTop-1)
"""
B1_PLAN = """
(navigate_to_obj Egg-1) (pick_up Egg-1) (navigate_to_obj Egg-1) (crack_obj Egg-1) (navigate_to_obj Pan-1)
(navigate_to_obj CounterTop-1) (put_on EggCracked-1 CounterTop-1) (navigate_to_obj Pan-1) (pick_up Pan-1)
(navigate_to_obj StoveBurner-1) (put_on Pan-1 StoveBurner-1) (navigate_to_obj StoveBurner-1)
(toggle_on StoveBurner-1) (navigate_to_obj EggCracked-1) (pick_up EggCracked-1) (navigate_to_obj Pan-1)
(put_in EggCracked-1 Pan-1) (navigate_to_obj StoveBurner-1) (toggle_off StoveBurner-1) (navigate_to_obj Plate-1)
(pick_up Plate-1) (navigate_to_obj EggCracked-1) (navigate_to_obj CounterTop-1) (put_on Plate-1 CounterTop-1)
(navigate_to_obj EggCracked-1) (pick_up EggCracked-1) (navigate_to_obj Plate-1) (put_on EggCracked-1 Plate-1)
(navigate_to_obj Plate-1) (pick_up Plate-1) (navigate_to_obj CounterTop-1) (put_on Plate-1 CounterTop-1)
"""


def actions(text: str) -> list[str]:
    return [f"({each.strip()}" for each in text.replace("\n", " ").split("(") if each.strip()]


def way(blocks: Sequence[Sequence[str]], *order: tuple[int, int]) -> Way:
    return Way.of("", blocks, order)


# ── the examples ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("plan", "prefix", "skipping"),
    [
        ("cdaxb", 3, 4),
        ("cabd", 1, 2),
        ("abcd", 4, 4),
        ("cdab", 4, 4),
        ("abcdx", 4, 4),
        ("xabcd", 0, 4),
        ("acbd", 1, 2),
        ("", 0, 0),
        ("x", 0, 0),
        ("badc", 0, 1),
    ],
)
def test_two_blocks_that_may_change_places(plan: str, prefix: int, skipping: int) -> None:
    free = way(["ab", "cd"])
    assert (prefix_steps(plan, free), skipping_steps(plan, free)) == (prefix, skipping)


@pytest.mark.parametrize(("plan", "prefix", "skipping"), [("abcd", 4, 4), ("cdab", 0, 2), ("axbcxd", 1, 4)])
def test_two_blocks_in_their_order(plan: str, prefix: int, skipping: int) -> None:
    ordered = way(["ab", "cd"], (0, 1))
    assert (prefix_steps(plan, ordered), skipping_steps(plan, ordered)) == (prefix, skipping)


def test_the_papers_example_is_wrong_at_its_third_step_and_lacks_the_sixth() -> None:
    plan, truth = actions(B1_PLAN), actions(B1_GROUND_TRUTH)
    assert (len(plan), len(truth)) == (32, 16)
    total = way([truth])
    assert prefix_steps(plan, total) == 2
    assert skipping_steps(plan, total) == 5


def test_the_papers_hundred_percent_needs_steps_that_change_places_though_one_arm_could_not() -> None:
    plan, truth = actions(B1_PLAN), actions(B1_GROUND_TRUTH)
    chain = [(step, step + 1) for step in range(15)]
    # The egg into the pan (5) beside the pan onto the burner that is switched on (6 to 9): after 3 and 4, before 10.
    freed = [pair for pair in chain if pair not in ((3, 4), (4, 5))]
    partial = way([[step] for step in truth], *freed, (2, 3), (3, 4), (3, 5), (4, 9))
    assert skipping_steps(plan, partial) == 16
    assert prefix_steps(plan, partial) == 2
    # Of blocks that are plans by themselves the two cannot change places, so that five it is.
    blocks = way([truth[:5], truth[5:9], truth[9:]], (0, 1), (1, 2))
    assert skipping_steps(plan, blocks) == 5


# ── against enumeration ──────────────────────────────────────────────────────────────────────────


def linearizations(blocks: Sequence[str], order: Sequence[tuple[int, int]]) -> Iterator[str]:
    for places in permutations(range(len(blocks))):
        if all(places.index(first) < places.index(then) for first, then in order):
            yield "".join(blocks[place] for place in places)


def common_beginning(plan: str, line: str) -> int:
    return next(
        (at for at, (one, other) in enumerate(zip(plan, line, strict=False)) if one != other), min(len(plan), len(line))
    )


def found_in_order(plan: str, line: str) -> int:
    start = 0
    for count, step in enumerate(line):
        at = plan.find(step, start)
        if at < 0:
            return count
        start = at + 1
    return len(line)


@st.composite
def partial_orders(draw: st.DrawFn) -> tuple[list[str], list[tuple[int, int]]]:
    blocks = draw(st.lists(st.text("abc", max_size=3), min_size=1, max_size=5))
    shuffled = draw(st.permutations(range(len(blocks))))
    pairs = [(shuffled[i], shuffled[j]) for j in range(len(blocks)) for i in range(j)]
    return blocks, draw(st.lists(st.sampled_from(pairs), max_size=6, unique=True)) if pairs else []


@given(partial_orders(), st.text("abcd", max_size=12), st.data())
@settings(max_examples=200)
def test_without_enumerating_linearizations_the_same_is_found(
    partial: tuple[list[str], list[tuple[int, int]]], plan: str, data: st.DataObject
) -> None:
    blocks, order = partial
    lines = [*linearizations(blocks, order)]
    if data.draw(st.booleans()):
        # A plan that is near one of them.
        line = data.draw(st.sampled_from(lines))
        cut = data.draw(st.integers(0, len(line)))
        plan = line[:cut] + plan + line[cut:]
    one = way(blocks, *order)
    assert prefix_steps(plan, one) == max(common_beginning(plan, line) for line in lines)
    assert skipping_steps(plan, one) == max(found_in_order(plan, line) for line in lines)


def test_twelve_blocks_that_may_all_change_places_are_no_matter_of_factorials() -> None:
    blocks = [chr(97 + place) for place in range(12)]
    free = way(blocks)
    assert prefix_steps("lkjihgfedcba", free) == 12
    assert skipping_steps("lxkxjihgfedcab", free) == 12

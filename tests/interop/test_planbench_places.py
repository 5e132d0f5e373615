"""Where recorded actions come from in a reply, and how two plans are aligned."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pddl2nl.interop.planbench_causes import PlacedAction, aligned, places_of
from pddl2nl.nl import Names, Snippet, Wording
from pddlval import GroundAction

WORDING = Wording(
    "shelves",
    {},
    {
        "put": Snippet("put", ("?b", "?s", "?r"), "put {?b} onto {?s} in {?r}"),
        "own": Snippet("own", ("?b",), "{?b} gets a label"),
    },
)
NAMES = Names({"b1": "box_1", "b2": "box_2", "s1": "shelf_1", "s2": "shelf_2", "r": "room_1"})


def _lines(plan: Sequence[str], reply: str) -> list[int]:
    actions = [GroundAction.parse(text) for text in plan]
    placed = places_of(actions, reply, WORDING, NAMES)
    assert [action for action, _ in placed] == actions
    return [line for _, line in placed]


@pytest.mark.parametrize(
    ("plan", "reply", "lines"),
    [
        (["(put b1 s1 r)"], "put box_1 onto shelf_1 in room_1", [1]),
        (["(put b1 s1 r)"], "1. **Put box_1 onto shelf_1** in room_1.", [1]),
        (["(put b1 s1 r)"], "box_1 is on shelf_1 in room_1", [0]),
        (["(put b1 s1 r)"], "put box_1 onto shelf_1", [1]),
        (["(put b1 s1 r)", "(put b2 s1 r)"], "in room_1\nput box_1 onto shelf_1\nput box_2 onto shelf_1", [2, 3]),
        (["(put b1 s1 r)"] * 2, "put box_1 onto shelf_1\nso\nput box_1 onto shelf_1", [1, 3]),
        (["(put b1 s1 r)"] * 3, "put box_1 onto shelf_1\nput box_1 onto shelf_1", [1, 2, 0]),
        (["(own b1)"], "box_2 gets\nbox_1 gets a label", [2]),
        (["(rot b1)"], "box_1 rests\nrot box_1", [2]),
        (["(put b9 s1 r)"], "put box_9 onto shelf_1 in room_1", [1]),
        ([], "put box_1 onto shelf_1", []),
    ],
)
def test_each_action_comes_from_the_next_line_that_says_it(plan: list[str], reply: str, lines: list[int]) -> None:
    assert _lines(plan, reply) == lines


PLACED = st.builds(lambda name, line: PlacedAction(GroundAction(name), line), st.sampled_from("abc"), st.integers(0, 5))


@given(st.lists(PLACED, max_size=8), st.lists(PLACED, max_size=8))
def test_an_alignment_is_a_longest_common_subsequence(ours: list[PlacedAction], recorded: list[PlacedAction]) -> None:
    pairs = aligned(ours, recorded)
    assert all(ours[i].action == recorded[j].action for i, j in pairs)
    assert all(one[0] < two[0] and one[1] < two[1] for one, two in pairwise(pairs))
    longest = [[0] * (len(recorded) + 1) for _ in range(len(ours) + 1)]
    for i, one in enumerate(ours, 1):
        for j, two in enumerate(recorded, 1):
            same = longest[i - 1][j - 1] + (one.action == two.action)
            longest[i][j] = max(same, longest[i - 1][j], longest[i][j - 1])
    assert len(pairs) == longest[-1][-1]


def test_of_several_alignments_the_one_of_the_same_lines_is_taken() -> None:
    a = GroundAction("a")
    assert aligned([PlacedAction(a, 7)], [PlacedAction(a, 3), PlacedAction(a, 7), PlacedAction(a, 9)]) == [(0, 1)]

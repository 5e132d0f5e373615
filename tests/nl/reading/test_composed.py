"""Replies that no reader has seen: composed by seed, and whole ones whose plans were written down first."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.nl.reading.composed import LAYOUTS, WORDS, compose, domain, scored, written


def test_the_material_is_large_enough() -> None:
    assert len(WORDS["leads"]) >= 60
    assert len(LAYOUTS) >= 12
    assert min(len(WORDS["corrections"]), len(WORDS["closings"])) >= 40
    replies = written()
    assert len(replies) >= 320
    assert len({item.domain for item in replies}) >= 10


@pytest.mark.parametrize(("half", "right", "lost"), [(0, 0.98, 0.005), (1, 0.98, 0.005)])
def test_composed_replies_are_read(half: int, right: float, lost: float) -> None:
    """Shares that are read right at least, and lose a step in silence or hold a wrong action at most."""
    scores: Counter[str] = Counter()
    for seed in range(half, 600 + half, 2):
        item = compose(seed)
        scores[scored(domain(item.domain).reader, item.reply, item.plan)] += 1
    print(f"half {half} of {scores.total()} composed replies: {dict(scores)}")  # noqa: T201
    assert scores["right"] >= right * scores.total()
    assert scores["silent"] + scores["false"] <= lost * scores.total()


@pytest.mark.parametrize("half", [0, 1])
def test_whole_replies_are_read(half: int) -> None:
    scores: Counter[str] = Counter()
    for item in written()[half::2]:
        kind = scored(domain(item.domain).reader, item.reply, item.plan, item.turn, item.reported)
        scores[kind] += 1
        if kind != "right":
            print(f"{kind}: {item.id}")  # noqa: T201
    print(f"half {half} of {scores.total()} whole replies: {dict(scores)}")  # noqa: T201
    assert scores["right"] >= 0.97 * scores.total()
    assert scores["silent"] + scores["false"] == 0

"""What is read of a line by an earlier one of its shape is what is read of it alone."""

from __future__ import annotations

import random

import pytest

from pddl2nl.nl.reading.shapes import Shapes
from tests.nl.reading.composed import DOMAINS, compose, domain

FORMS = (
    "{n}. {s}.",
    "{n}. **{s}**",
    "**Step {n}:** {s}",
    "- Then I {s}, since {o} is clear",
    "{n}. {s}. This brings it closer to {o}.",
    "First {s}, then {t}.",
    "{n}. {s} (for {o})",
    "{n}. Then to {o}.",
    "It then {t}.",
    "{n}. You cannot {s}.",
    "{n}. {o}: {s} {n} times",
    "- {o} → {p}",
    "{n}. {s} with {o}",
    "Actually, step {n} must be: {s}",
    "Thought: {s}. Action: {t}",
    '{{"action": "{s}"}}',
    "({o} {p})",
)


def lines_of_few_shapes(name: str, rng: random.Random) -> str:
    """Steps in few forms, many with an object of another kind, an unknown one, or the same one twice."""
    home = domain(name)
    told = [home.told(action) for action in home.walk(rng, 8)]
    names = [*home.to_pddl, "block_97"]

    def step() -> str:
        said = rng.choice(told).split()
        return " ".join(rng.choice(names) if word in names and rng.random() < 0.4 else word for word in said)

    return "\n".join(
        rng.choice(FORMS).format(n=n, s=step(), t=step(), o=rng.choice(names), p=rng.choice(names)) for n in range(40)
    )


def test_a_line_says_the_same_as_without_the_lines_of_its_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)
    texts = [(name, lines_of_few_shapes(name, rng)) for name in DOMAINS for _ in range(5)]
    texts += [(each.domain, each.reply) for each in map(compose, range(200))]
    readings = [domain(name).reader.read(text, "all") for name, text in texts]
    assert sum(len(domain(name).reader._shapes._kept) for name in DOMAINS) > 500
    for name in DOMAINS:
        domain(name).reader._shapes._kept.clear()
    monkeypatch.setattr(Shapes, "_keep", lambda *_: None)
    assert readings == [domain(name).reader.read(text, "all") for name, text in texts]

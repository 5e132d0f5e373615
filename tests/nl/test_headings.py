"""The headings of all actions of AutoPlanBench's wordings and of the shipped ones: their articles, by rule.

The shipped headings stand in ``golden/shipped``; the others are not ours to copy, so their digests are kept here.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from pddl2nl.nl import load_wording
from pddl2nl.nl.telling.domain import action_lines
from pddl2nl.nl.telling.phrases import Phrases
from pddl2nl.pddl import load_domain

DIGESTS = {
    "blocksworld": "cce61e499f4e66fa",
    "data-network18": "7cd731b17a8f8c77",
    "depot": "1f0d72e82806f9c2",
    "ferry": "0013117a4afa4eb0",
    "goldminer": "214fca8557bd482d",
    "gripper98": "fb002d9c6e451e31",
    "hiking14": "cd0545aa2359b246",
    "logistics": "516d97b9cc8b16f4",
    "movie-complex": "2d24f9b029fa2171",
    "rovers": "f8d94a8384afb7eb",
    "snake18-bfs": "3617850acdbdb31e",
    "visitall": "6999c87232d18668",
}
WRONG = {
    "an article behind a variable stands before a participle": re.compile(r"\b[A-Z]\d*,? an? \w+ing\b"),
    "two articles": re.compile(r"\ban? (?:an?|the)\b"),
    "a noun twice": re.compile(r"\b([\w-]+) \1\b"),
    "an article before a verb": re.compile(r"\b(?:start|stop|keep|begin|finish|by|while) an? \w+ing\b"),
}


def headings(domain: Path, wordings: Iterator[Path]) -> Iterator[str]:
    tree = load_domain(domain)
    for file in sorted(wordings):
        yield from action_lines(Phrases(load_wording(file, tree), tree))


def check(lines: list[str]) -> None:
    faults = [f"{name}: {line}" for line in lines for name, pattern in WRONG.items() if pattern.search(line)]
    assert not faults, "\n".join(faults)


def test_articles_of_the_shipped_wordings(root: Path) -> None:
    lines = [
        line
        for file in sorted(root.glob("domains/*/wording.json"))
        for line in headings(file.with_name("domain.pddl"), iter([file]))
    ]
    assert len(lines) > 100
    check(lines)


def test_articles_of_autoplanbench_s_wordings(shared: Path) -> None:
    changed = []
    for domain in sorted(shared.glob("autoplanbench/*/domain.pddl")):
        lines = list(headings(domain, domain.parent.glob("domain_description_seed*.json")))
        check(lines)
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
        if digest != DIGESTS.get(domain.parent.name, digest):
            changed.append((domain.parent.name, digest))
    # Read the headings of these domains before their digests are changed.
    assert not changed

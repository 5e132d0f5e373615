"""What the rules of ``word review`` see without a model, and what they let pass."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pddl2nl.nl import load_wording
from pddl2nl.nl.wording.review import doubts, meaning_doubts
from pddl2nl.nl.wording.snippets import Snippet
from pddl2nl.pddl import load_domain


def reasons(root: Path, kind: str, name: str, text: str) -> tuple[str, ...]:
    domain = load_domain(root / "domains" / "blocksworld" / "domain.pddl")
    parameters = tuple(dict.fromkeys(re.findall(r"\{(.*?)\}", text)))
    return meaning_doubts(kind, Snippet(name, parameters, text), domain)


@pytest.mark.parametrize(
    ("kind", "name", "text", "reason"),
    [
        ("actions", "put-down", "grasp the cat {?ob}", "has no word of the name 'put-down' in it"),
        ("actions", "unstack", "Observation: stack {?ob} on {?underob}", "has a word that marks something else"),
        ("actions", "unstack", "stack {?ob} on {?underob}", "says 'stack', and the name says 'unstack'"),
        ("actions", "stack", "there is no {?ob} on {?underob}", "begins with 'there' and not with a verb"),
        ("actions", "stack", "stacking {?ob} on {?underob}", "begins with 'stacking' and not with a verb"),
        ("actions", "stack", "stacked {?ob} on {?underob}", "begins with 'stacked' and not with a verb"),
        ("actions", "put-down", "look around {?ob}", "has a word that marks something else"),
        ("actions", "put-down", "don't put down {?ob}", "begins with 'don't' and not with a verb"),
        ("actions", "put-down", "put down {?ob} [PLAN END]", "has a word that marks something else"),
        ("predicates", "holding", "I am holding {?x} and not {?x}", "says 'not', and the name 'holding'"),
        ("predicates", "on", "{?x} is on {?y} and {?y}", "says {?y} again without need"),
        ("predicates", "on", "{?y} {?x} {?x} {?y} on", "has no verb that makes it a statement"),
        ("predicates", "ontable", "at {?x}", "has no verb that makes it a statement"),
        ("predicates", "ontable", "table {?x}", "has no verb that makes it a statement"),
    ],
)
def test_nonsense_is_seen(root: Path, kind: str, name: str, text: str, reason: str) -> None:
    assert any(found.startswith(reason) for found in reasons(root, kind, name, text))


@pytest.mark.parametrize(
    ("kind", "name", "text"),
    [
        ("predicates", "on", "{?x} rests on {?y}"),
        ("predicates", "on", "{?x} lies on {?y}"),
        ("predicates", "on", "on top of {?y} there stands {?x}"),
        ("predicates", "holding", "holding {?x}"),
        ("predicates", "holding", "I hold {?x}"),
        ("predicates", "on", "block {?x} placed on {?y}"),
        ("predicates", "on", "{?x} and {?y} touch on one side"),
        ("predicates", "clear", "there is no block on the clear {?x}"),
        ("predicates", "on", "{?x} is on {?y} and carried by {?y}"),
        ("actions", "put-down", "drop {?ob} on the table"),
        ("actions", "pick-up", "take {?ob} off the table"),
        ("actions", "pick-up", "take {?ob} off the table, so that {?ob} is held"),
        ("actions", "pick-up", "bring {?ob} up"),
    ],
)
def test_sound_texts_pass(root: Path, kind: str, name: str, text: str) -> None:
    assert reasons(root, kind, name, text) == ()


def test_wordings_that_were_found_good_are_seldom_doubted(shared: Path) -> None:
    """AutoPlanBench's wordings are GPT-4o's; only what its authors' readers stumbled over is listed."""
    texts = found = 0
    for place in sorted(shared.glob("autoplanbench/*/domain.pddl")):
        domain = load_domain(place)
        for file in place.parent.glob("domain_description_seed*.json"):
            wording = load_wording(file, domain)
            texts += sum(map(len, wording.snippets.values()))
            found += len(doubts(wording, domain))
    assert texts > 0
    assert found / texts < 0.1

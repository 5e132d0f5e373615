"""JSON as models write it."""

from __future__ import annotations

import time

import pytest

from pddl2nl.policies.structured import read_json

SAID = {"thought": "It is shut.", "plan": ["open(fridge)", "done()"]}


@pytest.mark.parametrize(
    "reply",
    [
        '{"thought": "It is shut.", "plan": ["open(fridge)", "done()"]}',
        'Here it is:\n```json\n{"thought": "It is shut.", "plan": ["open(fridge)", "done()"]}\n```\nI hope {it} helps.',
        "{'thought': 'It is shut.', 'plan': ['open(fridge)', 'done()']}",
        '{"thought": "It is shut.", "plan": ["open(fridge)", "done()",],}',
        '{"thought": "It is shut.", "plan": ["open(fridge)", "done()"',
        '{thought: "It is shut.", plan: ["open(fridge)", "done()"]}',
        '// the plan\n{"thought": "It is shut.", // why\n "plan": ["open(fridge)",\n "done()"]}',
        '{"thought": "It is shut.", "plan": ["open(fridge)", "done()"]}{"plan": []}',
        "The first room [kitchen] and {so on}.\n{'thought': 'It is shut.', 'plan': ['open(fridge)', 'done()']}",
        '[walk] to it: {"thought": "It is shut.", "plan": ["open(fridge)", "done()"]}',
        "{“thought”: “It is shut.”, “plan”: [“open(fridge)”, “done()”]}",
    ],
)
def test_an_object_is_read_in_many_forms(reply: str) -> None:
    assert read_json(reply) == SAID


def test_a_line_break_in_a_text_stays() -> None:
    assert read_json('{"thought": "It is\nshut."}') == {"thought": "It is\nshut."}


@pytest.mark.parametrize("reply", ["", "I do not know.", "{so on}", "<char0> [grab] <salmon>", "{}", "[1, 2"])
def test_words_are_no_object(reply: str) -> None:
    assert read_json(reply, (dict, list)) is None


@pytest.mark.parametrize(("kinds", "found"), [((list,), ["a", "b"]), ((dict,), {"c": 1}), ((dict, list), ["a", "b"])])
def test_lists_are_read_if_they_are_looked_for(kinds: tuple[type, ...], found: object) -> None:
    assert read_json('["a", "b"] and {"c": 1}', kinds) == found
    assert read_json("['a', 'b',]", (list,)) == ["a", "b"]


@pytest.mark.parametrize("reply", ["[" * 90_000, "{" * 90_000, '[{"' * 30_000, '{"a": ' * 20_000, '"{' * 40_000])
def test_a_hostile_reply_is_read_at_once(reply: str) -> None:
    began = time.process_time()
    read_json(reply, (dict, list))
    # With repairs of the whole it would be minutes.
    assert time.process_time() - began < 15

"""Text to nested lists: as the grammar says, with and without places."""

from __future__ import annotations

from importlib import resources
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lark import Lark, Transformer
from lark.exceptions import UnexpectedInput

from pddl2nl.pddl.nesting import (
    MAX_DEPTH,
    Item,
    PlacedList,
    PlacedText,
    UnbalancedError,
    contents,
    is_word,
    prepare,
    read_lists,
    read_placed_lists,
    too_deep,
)

TEXTS = st.text("(())) ab?;\n", max_size=60)


class _Nested(Transformer):  # type: ignore[type-arg]
    start = list = lambda self, children: list(children)
    WORD = str


GRAMMAR = Lark(resources.files("pddl2nl.pddl").joinpath("grammar.lark").read_text("utf-8"), parser="lalr")


def by_the_grammar(text: str) -> Any:
    try:
        return _Nested().transform(GRAMMAR.parse(prepare(text)))
    except UnexpectedInput:
        return None


def plain(items: list[Item]) -> list[Any]:
    return [str(item) if is_word(item) else plain(contents(item)) for item in items]


@given(TEXTS)
@example("(a b (c?d ?e ?) f (g)) h?")
@example("((a)(b()))")
def test_both_readings_give_what_the_grammar_says(text: str) -> None:
    expected = by_the_grammar(text)
    for read in (lambda: read_lists(text), lambda: read_placed_lists(prepare(text))):
        if expected is None:
            with pytest.raises(UnbalancedError):
                read()
        else:
            assert plain(read()) == expected


@given(TEXTS)
def test_places_are_where_the_text_stands(text: str) -> None:
    def check(item: Item) -> None:
        assert isinstance(item, PlacedText | PlacedList)
        there = prepared[item.start : item.end]
        if is_word(item):
            assert there == item
        else:
            assert (there[0], there[-1]) == ("(", ")")
            for inner in contents(item):
                check(inner)

    prepared = prepare(text)
    try:
        roots = read_placed_lists(prepared)
    except UnbalancedError:
        return
    for root in roots:
        check(root)


def test_the_depth_is_limited() -> None:
    allowed, too_much = (("(a " * depth) + ")" * depth for depth in (MAX_DEPTH, MAX_DEPTH + 1))
    assert read_lists(allowed)
    with pytest.raises(UnbalancedError):
        read_lists(too_much)
    assert too_deep(allowed) is None
    assert too_deep(too_much) == 3 * MAX_DEPTH

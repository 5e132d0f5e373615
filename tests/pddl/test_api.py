"""What the room exports, what importing it costs, and the diagnostics' own arithmetic."""

from __future__ import annotations

import gc
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pddl2nl.pddl as room
from pddl2nl.pddl import Diagnostic, Source, nesting, supertypes
from pddl2nl.pddl.nesting import MAX_DEPTH, Node, Word, read_nesting


def test_all_that_is_exported_is_there_and_sorted() -> None:
    assert [name for name in room.__all__ if getattr(room, name, None) is None] == []
    assert len(set(room.__all__)) == len(room.__all__)
    assert set(dir(room)) == set(room.__all__)
    with pytest.raises(AttributeError, match="no attribute 'load_tusk'"):
        room.load_tusk  # noqa: B018


def test_the_contract() -> None:
    promised = """parse_domain parse_problem parse_task load_domain load_problem load_task check_domain check_problem
        Checked write_domain write_problem write_condition substitute conjuncts Task Domain Problem PDDLError
        InputError UnsupportedError MissingExtraError InfrastructureError Diagnostic Source Span GroundAtom"""
    assert set(promised.split()) <= set(room.__all__)


def test_importing_the_room_brings_neither_lark_nor_the_reader() -> None:
    code = "import sys, pddl2nl.pddl; print([m for m in ('lark', 'pddl2nl.pddl.reader', 'rich') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_positions_count_from_one() -> None:
    source = Source("x", "ab\ncd\r\n\nef")
    assert [source.position(offset) for offset in (0, 2, 3, 8, 99)] == [(1, 1), (1, 3), (2, 1), (4, 1), (4, 3)]
    assert [source.line(number) for number in (1, 2, 3, 4, 9)] == ["ab", "cd", "", "ef", ""]
    assert Diagnostic.at(source, 4, "here").render().splitlines() == ["x:2:2: error: here", "    cd", "     ^"]


def test_lists_keep_their_offsets() -> None:
    text = "(a b (c (d (e (f (l (m (n (o) p) q) r) s) t) g) h) i (j) k)"
    nest = read_nesting(text)
    root = nest.roots[0]
    assert isinstance(root, Node)

    def check(node: Node) -> None:
        assert text[node.start] == "("
        assert text[node.end - 1] == ")"
        for item in nest.all(node):
            if isinstance(item, Word):
                assert text[item.start :].startswith(item.text)
            else:
                check(item)

    check(root)
    assert [item.text for item in nest.all(root) if isinstance(item, Word)] == ["a", "b", "i", "k"]
    assert root.depth <= MAX_DEPTH


def test_a_cycle_of_types_is_cut() -> None:
    checked = room.check_domain("(define (domain d) (:types a - b b - a c))")
    assert checked.value is not None
    assert supertypes(checked.value) == {
        "object": {"object"},
        "a": {"a", "b", "object"},
        "b": {"a", "b", "object"},
        "c": {"c", "object"},
    }


@given(st.text("((())) a?\n", max_size=60))
def test_patterns_without_possessive_repetitions_match_the_same(text: str) -> None:
    """Python before 3.11.5 reads with these."""
    for pattern in (nesting._PIECE, nesting.ELEMENT.pattern):
        plain = re.compile(re.sub(r"(?<=[*+}])\+", "", pattern))
        assert [match.groups() for match in plain.finditer(text)] == [
            match.groups() for match in re.finditer(pattern, text)
        ]


@pytest.mark.parametrize("text", ["(define (domain d))", "(define (domain d", "\0"])
def test_the_collector_is_left_as_it_was(text: str) -> None:
    room.check_domain(text)
    assert gc.isenabled()
    gc.disable()
    try:
        room.check_domain(text)
        assert not gc.isenabled()
    finally:
        gc.enable()

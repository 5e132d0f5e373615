"""What the package exports, what importing it costs, and the diagnostics' own arithmetic."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest

import pddl2nl.pddl as pddl
from pddl2nl.pddl import Diagnostic, Source, supertypes


def test_all_that_is_exported_is_there_and_sorted() -> None:
    assert [name for name in pddl.__all__ if getattr(pddl, name, None) is None] == []
    assert len(set(pddl.__all__)) == len(pddl.__all__)
    assert set(dir(pddl)) == set(pddl.__all__)
    with pytest.raises(AttributeError, match="no attribute 'load_tusk'"):
        pddl.load_tusk  # noqa: B018


def test_the_contract() -> None:
    promised = """parse_domain parse_problem parse_task load_domain load_problem load_task check_domain check_problem
        Checked write_domain write_problem write_condition substitute conjuncts Task Domain Problem PDDLError
        InputError UnsupportedError MissingExtraError InfrastructureError Diagnostic Source Span GroundAtom"""
    assert set(promised.split()) <= set(pddl.__all__)


def test_importing_the_package_brings_neither_lark_nor_the_reader() -> None:
    code = "import sys, pddl2nl.pddl; print([m for m in ('lark', 'pddl2nl.pddl.reader', 'rich') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_positions_count_from_one() -> None:
    source = Source("x", "ab\ncd\r\n\nef")
    assert [source.position(offset) for offset in (0, 2, 3, 8, 99)] == [(1, 1), (1, 3), (2, 1), (4, 1), (4, 3)]
    assert [source.line(number) for number in (1, 2, 3, 4, 9)] == ["ab", "cd", "", "ef", ""]
    assert Diagnostic.at(source, 4, "here").render().splitlines() == ["x:2:2: error: here", "    cd", "     ^"]


def test_a_cycle_of_types_is_cut() -> None:
    checked = pddl.check_domain("(define (domain d) (:types a - b b - a c))")
    assert checked.value is not None
    assert supertypes(checked.value) == {
        "object": {"object"},
        "a": {"a", "b", "object"},
        "b": {"a", "b", "object"},
        "c": {"c", "object"},
    }


@pytest.mark.parametrize("text", ["(define (domain d))", "(define (domain d", "\0"])
def test_the_collector_is_left_as_it_was(text: str) -> None:
    pddl.check_domain(text)
    assert gc.isenabled()
    gc.disable()
    try:
        pddl.check_domain(text)
        assert not gc.isenabled()
    finally:
        gc.enable()

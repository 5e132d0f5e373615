"""What the package exports, what importing it costs, and the diagnostics' own arithmetic."""

from __future__ import annotations

import subprocess
import sys

import pddl2nl.pddl as pddl
from pddl2nl.pddl import supertypes


def test_importing_the_package_brings_neither_lark_nor_the_reader() -> None:
    code = "import sys, pddl2nl.pddl; print([m for m in ('lark', 'pddl2nl.pddl.reader', 'rich') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_cycle_of_types_is_cut() -> None:
    checked = pddl.check_domain("(define (domain d) (:types a - b b - a c))")
    assert checked.value is not None
    assert supertypes(checked.value) == {
        "object": {"object"},
        "a": {"a", "b", "object"},
        "b": {"a", "b", "object"},
        "c": {"c", "object"},
    }

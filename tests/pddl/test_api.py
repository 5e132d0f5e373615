"""What the package exports, what importing it costs, and the diagnostics' own arithmetic."""

from __future__ import annotations

import subprocess
import sys


def test_importing_the_package_brings_neither_lark_nor_the_reader() -> None:
    code = "import sys, pddl2nl.pddl; print([m for m in ('lark', 'pddl2nl.pddl.reader', 'rich') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

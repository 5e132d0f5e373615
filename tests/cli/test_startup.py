"""What `pddl2nl validate` does not import: whatever it imports, every start pays for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HEAVY = {
    "jinja2",
    "lark",
    "msgspec",
    "openai",
    "pydantic",
    "rapidfuzz",
    "rich",
    "scipy",
    "sqlite3",
    "unified_planning",
    "yaml",
}
PROGRAM = """
import sys
from pddl2nl.cli.app import main
code = main(sys.argv[1:])
print(*sorted(sys.modules), file=sys.stderr)
sys.exit(code)
"""


def imported_by(*arguments: str | Path) -> set[str]:
    """The modules that are there when a command that ends well is done."""
    command = [sys.executable, "-c", PROGRAM, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_validate_imports_the_validator_and_typer_alone(root: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.txt"
    plan.write_text("(unstack c b)\n(put-down c)\n(unstack b a)\n(stack b c)\n", encoding="utf-8")
    domain, problem = root / "domains/blocksworld/domain.pddl", root / "instances/blocksworld/p01.pddl"
    modules = imported_by("validate", domain, problem, plan)
    assert modules.isdisjoint(HEAVY)
    ours = {name for name in modules if name.startswith("pddl2nl.") and not name.startswith("pddl2nl.pddl")}
    assert ours - {"pddl2nl.cli.completion", "pddl2nl.cli.options", "pddl2nl.cli.output"} == {
        "pddl2nl.cli",
        "pddl2nl.cli.app",
        "pddl2nl.cli.panels",
        "pddl2nl.cli.validate",
        "pddl2nl.errors",
        "pddl2nl.files",
        "pddl2nl.lean",
        "pddl2nl.limits",
    }
    # These find places and suggestions, which a text without errors does not need.
    assert "pddl2nl.pddl.balance" not in modules


def test_a_command_imports_no_other_command(root: Path) -> None:
    modules = imported_by("check", root / "domains/blocksworld/domain.pddl")
    commands = {name for name in modules if name.startswith("pddl2nl.cli.")}
    assert commands == {f"pddl2nl.cli.{name}" for name in ("app", "check", "completion", "options", "output", "panels")}

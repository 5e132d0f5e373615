"""The one place where exceptions become exit codes."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from pddl2nl.cli import app as application
from pddl2nl.cli.app import main, make_app
from pddl2nl.cli.panels import PANELS, UNLISTED
from pddl2nl.errors import InfrastructureError, InputError


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (InputError("that file is no plan"), 2, "error: that file is no plan\n"),
        (InfrastructureError("the planner crashed"), 3, "error: the planner crashed\n"),
        (OSError("no space left"), 3, "error: no space left\n"),
        (ValueError("of a plug-in"), 3, ": ValueError: of a plug-in (-v shows the traceback)\n"),
    ],
)
def test_what_is_raised_becomes_an_exit_code_that_is_no_verdict(
    error: Exception, code: int, said: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(command: str) -> None:
        raise error

    monkeypatch.setattr(application, "make_app", fail)
    monkeypatch.setattr("pddlval.streams.drop_output", lambda: None)
    assert application.main(["check"]) == code
    told = capfd.readouterr().err
    assert told.endswith(said)
    # A fault of others has its place.
    assert (type(error) is ValueError) == told.startswith("error: test_app.py:")


def test_a_fault_of_ours_is_shown_whole(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(application, "COMMANDS", None)
    assert application.main(["check"]) == 3
    said = capfd.readouterr().err
    assert said.startswith("Traceback")
    assert "TypeError" in said


def test_every_command_is_where_the_table_says() -> None:
    everything = typer.main.get_command(application.make_app())
    assert {*application.COMMANDS} <= {*everything.commands}
    for command in application.COMMANDS:
        one = typer.main.get_command(application.make_app(command))
        assert command in one.commands


def test_help_fits_in_the_head(capfd: pytest.CaptureFixture[str]) -> None:
    for command, lines in (((), 60), (("run",), 120), (("experiment",), 60), (("convert",), 60)):
        assert application.main([*command, "--help"]) == 0
        assert len(capfd.readouterr().out.splitlines()) <= lines
    everything = typer.main.get_command(application.make_app())
    listed = [each for name, each in everything.commands.items() if name not in UNLISTED]
    panels = [getattr(each, "rich_help_panel", None) for each in listed]
    assert [*dict.fromkeys(panels)] == [*PANELS]
    assert len(panels) <= 22


def test_usage_errors_and_help(capfd: pytest.CaptureFixture[str]) -> None:
    assert application.main(["no-such-command"]) == 2
    assert application.main(["--help"]) == 0
    assert application.main(["check", "--help"]) == 0
    assert "Example" in capfd.readouterr().out.split("Usage")[-1]


def test_help_cuts_no_option_and_no_choice_where_there_is_little_room(capfd: pytest.CaptureFixture[str]) -> None:
    group = typer.main.get_command(application.make_app())
    assert isinstance(group, typer.core.TyperGroup)
    for name in ("run", "convert", "experiment", "validate"):
        assert application.main([name, "--help"]) == 0
        shown = capfd.readouterr().out
        assert max(map(len, shown.splitlines())) <= 80
        options = [item for item in group.commands[name].params if item.opts[0].startswith("--")]
        assert options
        for item in options:
            assert item.opts[0] in shown
            assert (item.metavar or "") in shown


def test_completion_is_offered_and_knows_the_commands(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert application.main(["--help"]) == 0
    assert "--install-completion" in capfd.readouterr().out
    for name, value in {"_PDDL2NL_COMPLETE": "complete_bash", "COMP_WORDS": "pddl2nl val", "COMP_CWORD": "1"}.items():
        monkeypatch.setenv(name, value)
    application.main([])
    assert capfd.readouterr().out.split() == ["validate"]


# ── help: every option with its default, and one text for the same option everywhere ──────────────


def commands(group: Any, *names: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, *names, name)
        else:
            yield " ".join((*names, name)), command


ALL = dict(commands(typer.main.get_command(make_app())))


@pytest.mark.parametrize("name", ALL)
def test_every_command_has_an_example_and_every_option_help_and_its_default(name: str) -> None:
    assert "Example" in f"{ALL[name].help} {ALL[name].epilog}", name
    for option in ALL[name].params:
        if option.param_type_name != "option" or option.name == "help":
            continue
        assert option.help, option.name
        if not (option.is_flag or option.required):
            assert option.default is not None or isinstance(option.show_default, str), option.name


# ── what the shell completes as values, asked as bash asks ────────────────────────────────────────


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("convert blo", {"blocksworld"}),
        ("run ferry exa", {"example"}),
        ("validate ferry p0", {f"p0{number}" for number in range(1, 10)}),
        ("validate absent.pddl p0", set()),
        ("run ferry p01 --policy rea", {"react"}),
        ("policies sayplan-noc", {"sayplan-nocontract"}),
        ("run ferry p01 --model lite", {"litellm:"}),
        ("experiment quick", {"quickstart"}),
        ("check ferry exa", {"example"}),
        ("tasks generate grip", {"grippers"}),
        ("training export --domain kit", {"kitchen"}),
    ],
)
def test_values_complete(
    line: str, expected: set[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_PDDL2NL_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", f"pddl2nl {line}")
    monkeypatch.setenv("COMP_CWORD", str(len(line.split())))
    assert main([]) == 0
    assert set(capfd.readouterr().out.split()) == expected


# ── what `pddl2nl validate` does not import: whatever it imports, every start pays for ────────────


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
    assert not [name for name in modules if re.match(r"pddl2nl\.(nl|llm|policies|experiments|reports|tasks)\b", name)]
    # No other command, and nothing that finds places and suggestions, which a text without errors does not need.
    assert modules.isdisjoint({"pddl2nl.cli.run", "pddl2nl.cli.check", "pddl2nl.pddl.balance"})

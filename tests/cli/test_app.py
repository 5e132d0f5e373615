"""The one place where exceptions become exit codes."""

from __future__ import annotations

from itertools import pairwise

import pytest
import typer

from pddl2nl.cli import app as application
from pddl2nl.cli.panels import PANELS, UNLISTED
from pddl2nl.errors import InfrastructureError, InputError


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (InputError("that file is no plan"), 2, "error: that file is no plan\n"),
        (InfrastructureError("the planner crashed"), 3, "error: the planner crashed\n"),
        (OSError("no space left"), 3, "error: no space left\n"),
        (ValueError("of a plug-in"), 3, "error: test_app.py:28: ValueError: of a plug-in (-v shows the traceback)\n"),
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
    assert capfd.readouterr().err.endswith(said)


def test_a_fault_of_ours_is_shown_whole(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(application, "COMMANDS", None)
    assert application.main(["check"]) == 3
    said = capfd.readouterr().err
    assert said.startswith("Traceback")
    assert "TypeError" in said


def test_every_command_is_where_the_table_says() -> None:
    everything = typer.main.get_command(application.make_app())
    assert isinstance(everything, typer.core.TyperGroup)
    assert {*application.COMMANDS} <= {*everything.commands}
    for command in application.COMMANDS:
        one = typer.main.get_command(application.make_app(command))
        assert isinstance(one, typer.core.TyperGroup)
        assert command in one.commands


def test_help_fits_in_the_head(capfd: pytest.CaptureFixture[str]) -> None:
    for command, lines in (((), 60), (("run",), 120), (("experiment",), 60), (("convert",), 60)):
        assert application.main([*command, "--help"]) == 0
        assert len(capfd.readouterr().out.splitlines()) <= lines
    everything = typer.main.get_command(application.make_app())
    assert isinstance(everything, typer.core.TyperGroup)
    listed = [each for name, each in everything.commands.items() if name not in UNLISTED]
    panels = [getattr(each, "rich_help_panel", None) for each in listed]
    assert [*dict.fromkeys(panels)] == [*PANELS]
    # With the two that come, view and picture, they are 22.
    assert len(panels) <= 20


def test_usage_errors_and_help(capfd: pytest.CaptureFixture[str]) -> None:
    assert application.main(["no-such-command"]) == 2
    assert application.main(["--help"]) == 0
    for command in (
        "check",
        "validate",
        "plan",
        "convert",
        "tell",
        "read",
        "run",
        "policies",
        "quickstart",
        "experiment",
        "replay",
        "models",
    ):
        assert application.main([command, "--help"]) == 0
        assert "Example" in capfd.readouterr().out.split("Usage")[-1]


@pytest.mark.parametrize("command", [["experiment"], ["replay"]])
def test_a_paragraph_of_help_is_broken_by_the_width_alone(
    command: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert application.main([*command, "--help"]) == 0
    told = capfd.readouterr().out.partition("\nOptions:")[0].partition("\nArguments:")[0].splitlines()
    broken = [(line, after) for line, after in pairwise(told) if line and after]
    assert broken
    # No word would have found room on the line before it.
    assert all(len(line) + 1 + len(after.split()[0]) > 78 for line, after in broken)


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

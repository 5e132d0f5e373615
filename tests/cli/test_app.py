"""The one place where exceptions become exit codes."""

from __future__ import annotations

import pytest

from pddl2nl.cli import app as application
from pddl2nl.errors import InfrastructureError, InputError


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (InputError("that file is no plan"), 2, "error: that file is no plan\n"),
        (InfrastructureError("the planner crashed"), 3, "error: the planner crashed\n"),
        (OSError("no space left"), 3, "error: no space left\n"),
        (ZeroDivisionError("a fault of ours"), 3, "ZeroDivisionError: a fault of ours\n"),
    ],
)
def test_what_is_raised_becomes_an_exit_code_that_is_no_verdict(
    error: Exception, code: int, said: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(**options: object) -> None:
        raise error

    monkeypatch.setattr(application, "app", fail)
    monkeypatch.setattr("validators.streams.drop_output", lambda: None)
    assert application.main(["check"]) == code
    assert capfd.readouterr().err.endswith(said)


def test_usage_errors_and_help(capfd: pytest.CaptureFixture[str]) -> None:
    assert application.main(["no-such-command"]) == 2
    assert application.main(["--help"]) == 0
    for command in ("check", "validate", "plan", "convert", "tell", "read", "run", "policies", "quickstart"):
        assert application.main([command, "--help"]) == 0
        assert "Example" in capfd.readouterr().out.split("Usage")[-1]

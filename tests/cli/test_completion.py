"""What the shell completes as values, asked as bash asks."""

from __future__ import annotations

import pytest

from pddl2nl.cli.app import main


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

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from pddl2nl.cli import convert, tell
from pddl2nl.errors import InputError

GOLDEN = Path(__file__).parent.parent / "nl" / "golden"
CRATES = [str(GOLDEN / "crates" / "domain.pddl"), str(GOLDEN / "crates" / "problem.pddl")]


def call(*arguments: str, text: str | None = None) -> Result:
    app = typer.Typer()
    convert.register(app)
    tell.register(app)
    return CliRunner().invoke(app, list(arguments), input=text)


def refusal(*arguments: str) -> str:
    result = call(*arguments)
    assert isinstance(result.exception, InputError)
    assert result.stdout == ""
    return str(result.exception)


def test_convert_prints_the_texts() -> None:
    result = call("convert", *CRATES)
    assert result.exit_code == 0
    folder = GOLDEN / "crates"
    assert result.stdout == (folder / "domain.txt").read_text() + "\n" + (folder / "problem.txt").read_text()


def test_convert_json() -> None:
    result = call("convert", *CRATES, "--json", "--names", "original")
    data = json.loads(result.stdout)
    assert list(data) == ["domain_text", "goal_text", "objects_text", "init_text", "names", "wording"]
    assert data["names"]["c1"] == "c1"
    assert data["wording"]["actions"]["seal"]["text"] == "seal the hub"


def test_convert_in_style_pddl() -> None:
    result = call("convert", *CRATES, "--style", "pddl")
    assert result.stdout.startswith("(define (domain crates)")
    assert "(:goal (and (at c1 hub)" in result.stdout


def test_a_saved_wording_serves_again(tmp_path: Path) -> None:
    file = tmp_path / "saved" / "w.json"
    first = call("convert", *CRATES, "--wording", "template", "--save-wording", str(file))
    second = call("convert", *CRATES, "--wording", str(file))
    assert first.exit_code == second.exit_code == 0
    assert first.stdout == second.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--wording", "llm"], "--wording llm asks a model: --model M"),
        (["--wording", "llm", "--model", "oracle"], "--model oracle plans and cannot word a domain"),
        (["--model", "m"], "--model is for --wording llm, which asks a model"),
        (["--ask-negated", "--revisions", "0"], "--revisions, --ask-negated are for --wording llm"),
        (["--wording-tokens", "400", "--seed", "2"], "--wording-tokens, --seed are for --wording llm"),
        (
            ["--wording", "Template"],
            "--wording 'Template': default, template or a file was expected; did you mean 'template'?",
        ),
        (["--wording", ""], "--wording '': default, template or a file was expected"),
        (["--wording", "nowhere.json"], "nowhere.json: no such file"),
    ],
)
def test_options_that_cannot_be_met_are_refused(arguments: list[str], message: str) -> None:
    assert message in refusal("convert", *CRATES, *arguments)


def test_wordings_with_two_actions_of_one_text_are_warned_of(tmp_path: Path) -> None:
    data = json.loads((GOLDEN / "crates" / "wording.json").read_text())
    data["actions"]["unload"]["text"] = "load {?c} into {?v} at {?p}"
    file = tmp_path / "w.json"
    file.write_text(json.dumps(data))
    result = call("convert", *CRATES, "--wording", str(file))
    assert result.exit_code == 0
    assert "warning: the actions 'load' and 'unload' cannot be told apart" in result.stderr

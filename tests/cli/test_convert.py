from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.one_command import run_command

GOLDEN = Path(__file__).parent.parent / "nl" / "golden"
CRATES = [str(GOLDEN / "crates" / "domain.pddl"), str(GOLDEN / "crates" / "problem.pddl")]


def refusal(*arguments: str) -> str:
    result = run_command(*arguments)
    assert result.code == 2
    assert result.out == ""
    return result.err


def test_convert_prints_the_texts() -> None:
    result = run_command("convert", *CRATES)
    assert result.code == 0
    folder = GOLDEN / "crates"
    assert result.out == (folder / "domain.txt").read_text() + "\n" + (folder / "problem.txt").read_text()


def test_convert_json() -> None:
    result = run_command("convert", *CRATES, "--json", "--names", "original")
    data = json.loads(result.out)
    assert list(data) == ["domain_text", "goal_text", "objects_text", "init_text", "names", "wording"]
    assert data["names"]["c1"] == "c1"
    assert data["wording"]["actions"]["seal"]["text"] == "seal the hub"


def test_convert_in_style_pddl() -> None:
    result = run_command("convert", *CRATES, "--style", "pddl")
    assert result.out.startswith("(define (domain crates)")
    assert "(:goal (and (at c1 hub)" in result.out


def test_a_saved_wording_serves_again(tmp_path: Path) -> None:
    file = tmp_path / "saved" / "w.json"
    first = run_command("convert", *CRATES, "--wording", "template", "--save-wording", str(file))
    second = run_command("convert", *CRATES, "--wording", str(file))
    assert first.code == second.code == 0
    assert first.out == second.out


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
    result = run_command("convert", *CRATES, "--wording", str(file))
    assert result.code == 0
    assert "warning: the actions 'load' and 'unload' cannot be told apart" in result.err

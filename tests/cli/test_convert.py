from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from pddl2nl.cli import convert as group
from pddl2nl.errors import InputError

GOLDEN = Path(__file__).parent.parent / "nl" / "golden"
CRATES = [str(GOLDEN / "crates" / "domain.pddl"), str(GOLDEN / "crates" / "problem.pddl")]


def call(*arguments: str, text: str | None = None) -> Result:
    app = typer.Typer()
    group.register(app)
    return CliRunner().invoke(app, list(arguments), input=text)


def refusal(*arguments: str) -> str:
    result = call(*arguments)
    assert isinstance(result.exception, InputError)
    assert result.stdout == ""
    return str(result.exception)


@pytest.fixture
def plan(tmp_path: Path) -> str:
    file = tmp_path / "plan.txt"
    file.write_text("(LOAD c2 t hub)\n; a comment\n(drive t hub market)\n(seal)\n")
    return str(file)


def test_convert_prints_the_texts() -> None:
    result = call("convert", *CRATES)
    assert result.exit_code == 0
    folder = GOLDEN / "crates"
    assert result.stdout == (folder / "domain.txt").read_text() + "\n" + (folder / "problem.txt").read_text()


def test_convert_of_a_domain_alone() -> None:
    result = call("convert", CRATES[0])
    assert result.stdout == (GOLDEN / "crates" / "domain.txt").read_text()


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
        (["--wording", "llm"], "--wording llm: wordings made by a model come with a later version"),
        (["--model", "m"], "--model: only --wording llm asks a model"),
        (["--style", "prose"], "--style prose: no such style"),
        (["--names", "short"], "--names short: no such scheme"),
        (["--wording", "nowhere.json"], "nowhere.json: the wording cannot be read"),
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


def test_tell_is_a_line_an_action(plan: str) -> None:
    result = call("tell", *CRATES, plan)
    assert result.stdout == (
        "load crate_1 into truck_0 at hub\ndrive the truck truck_0 to shop_0, away from hub\nseal the hub\n"
    )


def test_tell_json_and_standard_input() -> None:
    result = call("tell", *CRATES, "-", "--json", "--names", "original", text="(load c2 t hub)\n")
    assert json.loads(result.stdout) == {"lines": [{"action": "(load c2 t hub)", "text": "load c2 into t at hub"}]}


def test_tell_refuses_what_the_task_lacks(tmp_path: Path) -> None:
    (tmp_path / "plan.txt").write_text("(load c9 t hub)")
    assert "the task has no object 'c9'" in refusal("tell", *CRATES, str(tmp_path / "plan.txt"))


@pytest.mark.parametrize("names", ["typed", "original", "inferred"])
@pytest.mark.parametrize("wording", [["--wording", "template"], []])
def test_read_is_the_inverse_of_tell(plan: str, names: str, wording: list[str]) -> None:
    told = call("tell", *CRATES, plan, "--names", names, *wording).stdout
    result = call("read", *CRATES, "--names", names, *wording, text=told)
    assert result.exit_code == 0
    assert result.stdout == "(load c2 t hub)\n(drive t hub market)\n(seal)\n"


def test_read_json(tmp_path: Path) -> None:
    (tmp_path / "reply.txt").write_text("seal the hub\n")
    result = call("read", *CRATES, str(tmp_path / "reply.txt"), "--json")
    data = json.loads(result.stdout)
    assert data["plan"] == ["(seal)"]
    assert data["policy"] == "default"
    assert list(data["readings"][0]) == [
        "line", "start", "end", "text", "status", "action", "candidates", "rule",
    ]  # fmt: skip


def test_read_exits_1_where_a_line_was_not_read() -> None:
    result = call("read", *CRATES, "-", text="load crate_7 into truck_0 at hub\nseal the hub\n")
    assert result.exit_code == 1
    assert "line 1: unknown-object" in result.stderr


def test_read_refuses_an_unknown_policy() -> None:
    assert "--reading some: no such policy" in refusal("read", *CRATES, CRATES[0], "--reading", "some")


@pytest.mark.parametrize("command", ["convert", "tell", "read"])
def test_help_shows_the_default_wording(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "250")
    shown = " ".join(call(command, "--help").stdout.split())
    assert "[default: (the wording.json beside DOMAIN where there is one, else template)]" in shown
    assert f"Example: pddl2nl {command}" in shown or "| pddl2nl read" in shown

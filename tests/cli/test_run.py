"""``pddl2nl run`` and ``policies``, as a user types them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.cli.app import main
from pddl2nl.llm import ScriptedModel
from pddl2nl.policies import make_policy, policies
from pddl2nl.tasks import shipped_domain
from tests.cli.one_command import Called, run_command
from tests.llm.chat_server import ChatServer, Trouble

Run = Callable[..., Called]

TOWERS = """(define (problem towers) (:domain blocksworld-4ops) (:objects a b c)
  (:init (handempty) (ontable a) (clear a) (ontable b) (on c b) (clear c))
  (:goal (and (on c a) (on b c))))"""


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Calls the commands of this group, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return run_command


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A shipped domain and a problem of it."""
    problem = tmp_path_factory.mktemp("towers") / "towers.pddl"
    problem.write_text(TOWERS, encoding="utf-8")
    return str(shipped_domain("blocksworld").domain_path), str(problem)


def _script(folder: Path, *replies: str) -> str:
    path = folder / "script.json"
    path.write_text(json.dumps(replies), encoding="utf-8")
    return f"script:{path}"


@pytest.mark.usefixtures("needs_planner")
def test_a_solved_run_exits_with_0_and_says_where_its_record_is(call: Run, files: tuple[str, str]) -> None:
    ran = call("run", *files, "--policy", "react", "--model", "oracle", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["outcome"] == "solved"
    record = Path(ran.json["record"])
    assert record.parent == Path("runs")
    assert json.loads(record.read_text(encoding="utf-8").splitlines()[-1])["outcome"] == "solved"
    again = call("run", *files, "--policy", "react", "--model", "oracle", "--json")
    assert again.json["record"] != str(record)
    replayed = call("run", *files, "--policy", "react", "--model", "replay:runs", "--out", "other", "--json")
    assert (replayed.code, replayed.json["plan"]) == (0, ran.json["plan"])


def test_an_unsolved_run_exits_with_1_and_says_why(call: Run, files: tuple[str, str], tmp_path: Path) -> None:
    options = ("--policy", "basic", "--model", _script(tmp_path, "[PLAN]\n[PLAN END]"), "--example", "none")
    ran = call("run", *files, *options)
    assert ran.code == 1
    assert ran.out.startswith("goal-missed: ")
    assert "first fault: step 0, goal-missed" in ran.out
    assert "record: runs" in ran.out


def test_failing_infrastructure_exits_with_3_and_is_told_on_standard_error(
    call: Run, files: tuple[str, str], tmp_path: Path
) -> None:
    options = ("--policy", "act", "--example", "none", "--steps", "2")
    short = call("run", *files, *options, "--model", _script(tmp_path), "--json")
    assert short.code == 3
    assert short.json["outcome"] == "infrastructure-error"
    assert "used up" in short.err
    with ChatServer(ScriptedModel([]), lambda number: Trouble(401)) as server:
        refused = call("run", *files, *options, "--model", "m", "--base-url", server.base_url)
    assert refused.code == 3
    assert "OPENAI_API_KEY" in refused.err


@pytest.mark.usefixtures("needs_planner")
def test_a_long_failure_is_told_once(call: Run, files: tuple[str, str]) -> None:
    first = call("run", *files, "--policy", "basic", "--model", "oracle")
    assert first.code == 0, first.err
    changed = call("run", *files, "--policy", "basic", "--model", "replay:runs", "--names", "original")
    assert changed.code == 3
    assert changed.err.count("never recorded") == 1
    assert "\n+user: " in changed.err
    assert changed.out.startswith("infrastructure-error\n")
    assert "+user: " not in changed.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--policy", "nonsense", "--model", "oracle"), "there is no policy 'nonsense'"),
        (("--policy", "act"), "--model oracle"),
        (("--policy", "cot", "--model", "oracle", "--style", "pddl"), "style pddl"),
        (("--policy", "act", "--model", "oracle", "--wording", "llm"), "--wording llm"),
        (("--policy", "act", "--model", "oracle", "--translator", "llm"), "--translator llm"),
        (("--policy", "act", "--model", "oracle", "--translator", "reader+llm"), "reader+llm"),
        (("--policy", "act", "--model", "oracle", "--translator", "llm", "--style", "pddl"), "style pddl shows PDDL"),
        (("--policy", "act", "--model", "oracle", "--base-url", "http://127.0.0.1:1/v1"), "--base-url is for models"),
        (("--policy", "act", "--model", "oracle", "--example", "no/such/file.pddl"), "no/such/file.pddl"),
        (("--policy", "act", "--model", "gpt-4o"), "OPENAI_API_KEY"),
        (
            ("--policy", "act", "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--budget-usd", "1"),
            "--budget-usd",
        ),
        (("--policy", "act", "--model", "script:none.txt"), "none.txt"),
        (("--policy", "act", "--model", "oracle", "--example-plan", "x"), "--example PROBLEM"),
        (("--policy", "act", "--model", "oracle", "--example", "none", "--example-plan", "x"), "--example PROBLEM"),
    ],
)
def test_bad_input_exits_with_2_and_nothing_is_run(
    call: Run, files: tuple[str, str], options: tuple[str, ...], words: str
) -> None:
    ran = call("run", *files, *options, "--steps", "2")
    assert ran.code == 2
    assert words in ran.err
    assert ran.out == ""
    assert not Path("runs").exists()


def test_limits_and_seed_are_recorded(call: Run, files: tuple[str, str], tmp_path: Path) -> None:
    options = ("--policy", "act", "--model", _script(tmp_path, "Action: look around"), "--example", "none")
    limits = ("--steps", "1", "--budget-usd", "2.5", "--budget-calls", "7", "--budget-tokens", "99", "--seed", "4")
    ran = call("run", *files, *options, *limits, "--names", "original", "--out", "here", "--json")
    assert (ran.code, ran.json["outcome"]) == (1, "budget")
    started = json.loads(Path(ran.json["record"]).read_text(encoding="utf-8").splitlines()[0])
    spec = started["spec"]
    assert (spec["steps"], spec["budget_calls"], spec["budget_tokens"], spec["budget_usd"]) == (1, 7, 99, 2.5)
    assert (spec["seed"], spec["names"]) == (4, "original")
    assert Path(ran.json["record"]).parent == Path("here")


def test_the_random_policy_needs_no_model(call: Run, files: tuple[str, str]) -> None:
    ran = call("run", *files, "--policy", "random", "--steps", "5", "--json")
    assert ran.code in (0, 1)
    assert ran.json["calls"] == 0
    # A batch has nothing to bring, which is said, and no reason to refuse.
    ran = call("run", *files, "--policy", "random", "--steps", "5", "--json", "--provider-batch")
    assert ran.code in (0, 1)
    assert "--provider-batch not used" in ran.err


def test_a_plan_comes_by_the_providers_batch_and_leaves_one_record(
    call: Run, files: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-batched")
    plan = "[PLAN]\n(unstack c b)\n(stack c a)\n(pick-up b)\n(stack b c)\n[PLAN END]"
    with ChatServer(ScriptedModel([plan])) as server:
        options = ("--style", "pddl", "--model", "gpt-4o-mini", "--base-url", server.base_url, "--example", "none")
        batch = ("--provider-batch", "--poll-seconds", "0", "--json")
        ran = call("run", *files, "--policy", "basic", *options, *batch)
        assert not [each for each in server.calls if each.path.endswith("/chat/completions")]
    assert (ran.code, ran.json["outcome"], ran.json["calls"]) == (0, "solved", 1)
    assert [str(path) for path in Path("runs").iterdir()] == [ran.json["record"]]
    assert '"tariff": "batch"' in Path(ran.json["record"]).read_text(encoding="utf-8")


def test_an_option_without_use_is_said_to_be_so(call: Run, files: tuple[str, str], tmp_path: Path) -> None:
    walk = call("run", *files, "--policy", "random", "--steps", "3", "--model", "m", "--budget-calls", "1", "--json")
    assert walk.err == "warning: --model, --budget-calls not used: the policy asks no model\n"
    plan = ("--policy", "basic", "--model", _script(tmp_path, "[PLAN]\n[PLAN END]"), "--example", "none")
    shot = call("run", *files, *plan, "--steps", "3", "--style", "pddl", "--names", "original", "--wording", "template")
    assert shot.code == 1
    assert shot.err == (
        "warning: --wording, --names not used: style pddl shows PDDL with the objects' own names\n"
        "warning: --steps not used: the policy gives its whole plan in one turn\n"
    )
    assert call("run", *files, *plan, "--model", _script(tmp_path, "[PLAN]\n[PLAN END]")).err == ""


def test_options_without_use_are_refused_before_anything_is_asked(call: Run, files: tuple[str, str]) -> None:
    act = ("run", *files, "--policy", "act", "--model", "oracle")
    assert "--translator reader asks no model" in call(*act, "--model-for", "translator=m").err
    assert (
        "--model-for translater: act has no such role; did you mean 'translator'?"
        in call(*act, "--model-for", "translater=m").err
    )
    assert "--reading all: the policy does not use it" in call(*act, "--reading", "all").err
    assert "expected NAME=VALUE" in call(*act, "-P", "feedback").err
    assert "policy act has no option 'feed'" in call(*act, "-P", "feed=x").err
    assert "expected one of applicable, minimal, reason" in call(*act, "-P", "feedback=loud").err
    assert "reads no files" in call(*act, "--file", "x.json=y.json").err


def test_ctrl_c_exits_with_130(call: Run, files: tuple[str, str], tmp_path: Path, monkeypatch: Any) -> None:
    def interrupted(*arguments: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(ScriptedModel, "complete", interrupted)
    ran = call("run", *files, "--policy", "basic", "--model", _script(tmp_path), "--example", "none")
    assert ran.code == 130
    assert [path.suffix for path in Path("runs").iterdir()] == [".partial"]


def test_policies_are_listed(call: Run) -> None:
    listed = call("policies", "--json").json
    assert [item["name"] for item in listed] == [entry.name for entry in policies()]
    assert listed[0] == {
        "name": "basic",
        "summary": make_policy("basic").summary,
        "styles": ["nl", "pddl"],
        "one_shot": True,
        "needs_model": True,
        "system": None,
        "preset_of": None,
        "options": {"unsolvable": "silent", "samples": 1, "rounds": 0},
    }
    table = call("policies").out
    assert all(name in table for name in (entry.name for entry in policies()))


def test_help_groups_the_options(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--help"]) == 0
    shown = capfd.readouterr().out
    places = [shown.index(f"\n{group}:\n") for group in ("Task", "Policy", "Model", "Budget", "Output")]
    assert places == sorted(places)
    assert "--budget-usd" in shown[places[3] : places[4]]


DEAD = ("--policy", "act", "--model", "nobody", "--base-url", "http://127.0.0.1:9/v1", "--example", "none")


def test_retries_are_told_at_once_and_the_error_once(
    files: tuple[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    assert main(["run", *files, *DEAD, "--out", str(tmp_path)]) == 3
    out, errors = capfd.readouterr()
    assert "no connection (ConnectError); trying again in " in errors.splitlines()[0]
    assert (out + errors).count("is a server running there?") == 1
    assert main(["run", *files, *DEAD, "--out", str(tmp_path), "-q"]) == 3
    assert len(capfd.readouterr().err.splitlines()) == 1


def test_verbose_tells_each_call(files: tuple[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "replies.txt"
    script.write_text("Action: look around\n---\nAction: look around\n", encoding="utf-8")
    options = ("--policy", "act", "--model", f"script:{script}", "--steps", "2", "--example", "none")
    assert main(["run", *files, *options, "--out", str(tmp_path), "-v"]) == 1
    told = [line.partition(" after ")[0] for line in capfd.readouterr().err.splitlines()]
    assert told == ["step 1: call 1: replied", "step 2: call 2: replied"]


def test_a_policy_shows_its_options_and_presets(call: Run) -> None:
    shown = call("policies", "react", "--json").json
    assert [each["name"] for each in shown["help"]] == ["unsolvable", "feedback", "stop_after", "false_claims"]
    assert all(each["help"] for each in shown["help"])
    assert "did you mean 'react'?" in call("policies", "reakt").err

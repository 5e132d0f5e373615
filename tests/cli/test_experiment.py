"""``pddl2nl experiment``: what it prints, how it stops, and its exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pddl2nl.cli.app import main
from pddl2nl.experiments.layout import read_layout
from pddl2nl.experiments.specification.experiment import load_experiment
from pddl2nl.reports.tables import table_kinds
from tests.answering import Answering
from tests.cli.one_command import refused
from tests.llm.chat_server import ChatServer

pytestmark = pytest.mark.usefixtures("home_of_its_own")
LOOKING = Answering("Action: look around", "looking")
"""Never comes to an end by itself, for experiments that are stopped."""

ORACLE = """
name = "small test"
domains = ["blocksworld"]
instances = ["p01"]
policies = ["basic", "act"]
models = ["oracle"]
styles = ["nl", "pddl"]
seeds = [1, 2]
baselines = ["ff"]
"""

REMOTE = """
domains = ["blocksworld"]
instances = ["p01"]
policies = ["{policy}"]
models = ["looking"]
seeds = {seeds}
base_url = "{url}"
[options]
steps = 3
example = "none"
[access]
workers = 4
"""


def remote(url, seeds=range(4), policy="act"):
    Path("remote.toml").write_text(REMOTE.format(url=url, seeds=[*seeds], policy=policy), encoding="utf-8")
    return ["experiment", "remote.toml"]


@pytest.mark.usefixtures("needs_planner")
def test_everything_is_run_said_and_found_done_the_next_time(tmp_path, capfd):
    Path("small.toml").write_text(ORACLE, encoding="utf-8")
    assert main(["experiment", "small.toml"]) == 0
    out, errors = capfd.readouterr()
    assert out.splitlines()[0] == "small test: 9 runs: 9 solved"
    assert f"records: {Path('runs') / 'small_test'}" in out
    watch, first, *_ = errors.splitlines()
    assert watch == "watch it in a browser: pddl2nl view runs/small_test"
    assert first.startswith("0 of 9 runs, 0 solved, 0 failed; 0 calls")
    assert errors.splitlines()[-1].startswith("9 of 9 runs, 9 solved, 0 failed; ")
    folder = tmp_path / "runs" / "small_test"
    assert len([*folder.glob("*.jsonl")]) == 9
    assert (folder / "specification.toml").read_text(encoding="utf-8") == ORACLE
    assert main(["experiment", "small.toml", "--json"]) == 0
    summary = json.loads(capfd.readouterr().out)
    assert (summary["runs"], summary["earlier"], summary["solved"], summary["name"]) == (9, 9, 9, "small test")
    assert summary["spent"]["calls"] == 0
    assert main(["experiment", "small.toml", "--dry-run", "--json"]) == 0
    said = json.loads(capfd.readouterr().out)
    assert (said["runs"], said["finished"], said["estimate"]["calls"]) == (9, 9, 0)


def test_unsolved_runs_have_a_verdict_and_a_second_folder_costs_nothing(capfd):
    with ChatServer(LOOKING) as server:
        assert main(remote(server.base_url)) == 0
        assert "remote: 4 runs: 4 budget" in capfd.readouterr().out
        assert main([*remote(server.base_url), "--out", "again"]) == 0
        assert "0 calls, 12 from the cache" in capfd.readouterr().out
        assert len(server.calls) == 12


def test_what_is_left_out_is_said(capfd):
    with ChatServer(LOOKING) as server:
        remote(server.base_url, [1], "cot")
        text = Path("remote.toml").read_text(encoding="utf-8")
        Path("remote.toml").write_text('styles = ["nl", "pddl"]\n' + text, encoding="utf-8")
        main(["experiment", "remote.toml", "--json"])
    assert "warning: left out: policy cot in style pddl: " in capfd.readouterr().err


def test_records_of_another_specification_in_the_folder_are_said(capfd):
    with ChatServer(LOOKING) as server:
        arguments = remote(server.base_url, [1, 2])
        main(arguments)
        assert "no run of this specification" not in capfd.readouterr().err
        Path("remote.toml").write_text(Path("remote.toml").read_text().replace("steps = 3", "steps = 2"))
        main(arguments)
    said = capfd.readouterr().err
    assert f"warning: {Path('runs') / 'remote'} holds 2 records of no run of this specification" in said


def test_the_specification_is_kept_beside_its_records_without_what_an_address_holds_of_passwords(capfd):
    with ChatServer(LOOKING) as server:
        url = server.base_url.replace("http://", "http://user:s3cret@") + "?key=t0psecret"
        main(remote(url, [1]))
    assert "remote: 1 run: 1 budget" in capfd.readouterr().out
    for path in [*Path("runs").rglob("*"), Path("cache.sqlite")]:
        data = path.read_bytes() if path.is_file() else b""
        assert not [secret for secret in (b"s3cret", b"t0psecret") if secret in data], path
    assert server.base_url in Path("runs/remote/specification.toml").read_text()


def test_an_estimate_for_batches_is_at_their_price(tmp_path, capfd):
    Path("models.toml").write_text(
        "[models.looking]\nprice = {prompt = 100, cached = 50, completion = 100, batch = 0.25}\n"
    )
    arguments = remote("http://localhost:9/v1", policy="basic")
    with Path("remote.toml").open("a") as file:
        file.write('models = "models.toml"\n')
    estimates = []
    for batch in ([], ["--provider-batch"]):
        assert main([*arguments, "--dry-run", "--json", *batch]) == 0
        estimates.append(json.loads(capfd.readouterr().out)["estimate"]["usd"])
    assert estimates[0] == pytest.approx(4 * estimates[1], rel=0.01)
    assert estimates[1] > 0


@pytest.mark.usefixtures("needs_planner")
def test_a_run_that_cannot_be_is_named_and_the_others_are_done(root, capfd):
    with ChatServer(LOOKING) as server:
        arguments, text = remote(server.base_url, [1]), Path("remote.toml").read_text()
        example = str(root / "instances/blocksworld/p01.pddl")
        Path("remote.toml").write_text(text.replace('"p01"', '"p01", "p02"').replace('"none"', json.dumps(example)))
        assert main(arguments) == 2
    out, errors = capfd.readouterr()
    assert "remote: 2 runs: 1 budget, 1 that cannot be" in out, errors
    assert "error: blocksworld-p01-act-looking-default-1-" in errors
    assert "this is the very problem to be solved" in errors


@pytest.mark.parametrize("policy", ["act", "tools", "tools-plan", "tools-copilot"])
def test_a_batch_takes_no_policy_that_answers_turn_by_turn(policy):
    assert f"--provider-batch: policy '{policy}' needs each reply before it can ask again" in refused(
        *remote("http://localhost:9/v1", policy=policy), "--provider-batch"
    )


def test_a_batch_needs_a_cache():
    assert "it needs --cache FILE" in refused(
        *remote("http://localhost:9/v1", policy="basic"), "--provider-batch", "--cache", "none"
    )


# ── interrupted ──────────────────────────────────────────────────────────────────────────────────


def started(arguments, tmp_path):
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "pddl2nl", *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment, cwd=tmp_path)


def reached(server, calls, process):
    while len(server.calls) < calls:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


def test_a_signal_ends_it_soon_and_it_is_gone_on_with(tmp_path, capfd):
    with ChatServer(LOOKING, delay=0.03) as server:
        arguments = remote(server.base_url, range(24))
        process = started(arguments, tmp_path)
        reached(server, 18, process)
        # However busy the machine is, the signal comes before the last reply.
        server.delay = 0.25
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
        server.delay = 0.0
        assert process.returncode == 143
        assert "Traceback" not in errors
        before = len(server.calls)
        assert before < 72
        assert errors.endswith("SIGTERM: stopping; what was written is kept\n")
        assert main(arguments) == 0
        assert len({json.dumps(call.body, sort_keys=True) for call in server.calls}) == 72
        # What was on its way when the process ended may be asked again, and nothing else.
        assert len(server.calls) <= 76
    assert "remote: 24 runs: 24 budget" in capfd.readouterr().out


def test_a_second_ctrl_c_waits_for_nothing(tmp_path):
    with ChatServer(LOOKING, delay=50.0) as server:
        # After the first alone it would wait for ever.
        process = started(remote(server.base_url), tmp_path)
        reached(server, 4, process)
        process.send_signal(signal.SIGINT)
        time.sleep(0.7)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=40)
        assert process.returncode == 130


# ── shipped specifications, and what the command line says in the place of a file ────────────────


COLUMNS = """
domains = ["visitall", "ferry"]
instances = ["p01", "p02"]
models = ["gpt-4o"]
[[columns]]
group = "NL"
policy = ["basic", "act"]
[[columns]]
policy = "random"
"""


@pytest.fixture(autouse=True)
def _some(home_of_its_own: Path) -> None:
    Path("some.toml").write_text(COLUMNS, encoding="utf-8")


def test_shipped_specifications_are_listed_and_shown(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "--list"]) == 0
    assert "table-2" in capfd.readouterr().out
    assert main(["experiment", "--list", "--json"]) == 0
    listed = json.loads(capfd.readouterr().out)
    names = [each["name"] for each in listed]
    assert names == sorted(names)
    assert {"acpbench", "planbench-tasks", "quickstart", "small-model"} <= {*names}
    assert main(["experiment", "some.toml", "--show"]) == 0
    Path("copy.toml").write_text(capfd.readouterr().out, encoding="utf-8")
    assert main(["experiment", "copy.toml", "--dry-run", "--domains", "ferry", "--instances", "p01"]) == 0
    assert "copy: 20 runs (5 basic, 5 act, 10 random)" in capfd.readouterr().out
    assert main(["experiment", "quickstart", "--show"]) == 0
    assert "def quickstart(seed: int = 1) -> Experiment:" in capfd.readouterr().out


OWN = """from pddl2nl.experiments import Column, Experiment

def compared(domain: str, seeds: int = 2) -> Experiment:
    \"\"\"Act and a walk.

    Args:
        domain: a shipped one.
    \"\"\"
    columns = [Column("act", options={"history": "none"}), Column("random")]
    return Experiment(
        name="compared", domains=[domain], instances=["p01"], models=["oracle"], seeds=[*range(seeds)], columns=columns
    )

def nothing() -> int:
    return 3
"""


def test_a_function_of_python_specifies_an_experiment(capfd: pytest.CaptureFixture[str]) -> None:
    Path("own_experiments.py").write_text(OWN, encoding="utf-8")
    name = "own_experiments:compared"
    assert main(["experiment", name, "-A", "domain=ferry", "-A", "seeds=3", "--dry-run"]) == 0
    assert "compared: 6 runs (3 act, 3 random), of which 0 are finished in runs/compared" in capfd.readouterr().out
    assert main(["experiment", name, "-A", "domain=ferry", "--domains", "ferry", "--seeds", "7", "--dry-run"]) == 0
    assert "compared: 2 runs (1 act, 1 random)" in capfd.readouterr().out
    for arguments, message in (
        ([name], "own_experiments:compared needs -A domain=VALUE: a shipped one"),
        ([name, "-A", "domian=x"], "-A domian: own_experiments:compared takes no such argument; did you mean 'domain'"),
        ([name, "-A", "domain=ferry", "-A", "seeds=x"], "-A seeds=x: own_experiments:compared: seeds is 'x'"),
        ([name, "-A", "domain=fery"], "compared: domains: no domain 'fery'"),
        (["own_experiments:nothing"], "own_experiments:nothing returned 3; an Experiment was expected"),
        (["own_experiments:absent"], "has no attribute 'absent'"),
        (["some.toml", "-A", "x=1"], "-A x: some.toml is a file and takes no arguments"),
    ):
        assert main(["experiment", *arguments]) == 2
        assert message in capfd.readouterr().err


def test_a_dry_run_counts_by_column(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "some.toml", "--dry-run"]) == 0
    lines = [line.split() for line in capfd.readouterr().out.splitlines()]
    heading = next(number for number, parts in enumerate(lines) if parts[:1] == ["column"])
    shown = {" ".join(parts[:2]): parts[2:] for parts in lines[heading + 2 : heading + 5]}
    assert [*shown] == ["NL Basic", "NL Act", "Symb. rnd"]
    assert [int(parts[0]) for parts in shown.values()] == [20, 20, 40]
    assert (shown["Symb. rnd"][1], shown["NL Basic"][1]) == ("0", "20")
    assert main(["experiment", "some.toml", "--dry-run", "--json"]) == 0
    said = json.loads(capfd.readouterr().out)
    for key in ("calls", "prompt_tokens", "completion_tokens"):
        assert said["estimate"][key] == sum(column[key] for column in said["columns"])
    assert sum(column["usd"] for column in said["columns"]) == pytest.approx(said["estimate"]["usd"], abs=1e-3)


@pytest.mark.usefixtures("needs_planner")
def test_the_command_line_stands_in_the_place_of_the_file(capfd: pytest.CaptureFixture[str]) -> None:
    options = ["--model", "oracle", "--seeds", "2", "--instances", "p01", "--domains", "visitall"]
    assert main(["experiment", "some.toml", *options]) in (0, 1)
    folder = Path("runs/some-oracle")
    assert "some: 3 runs: " in capfd.readouterr().out
    layout = read_layout(folder)
    assert {f"{name}.jsonl" for name in layout.runs} == {path.name for path in folder.glob("*.jsonl")}
    assert (layout.models, [row.label for row in layout.rows]) == (("oracle",), ["visitall"])
    text = (folder / "specification.toml").read_text(encoding="utf-8")
    assert text.startswith(COLUMNS)
    assert [line for line in text.splitlines() if line.startswith("# run with")] == [
        "# run with --model oracle",
        "# run with --seeds 2",
        "# run with --instances p01",
        "# run with --domains visitall",
    ]
    # The folder's own copy runs as well.
    assert main(["experiment", str(folder / "specification.toml"), "--dry-run"]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["quikstart"], "no specification of that name is shipped; did you mean 'quickstart'"),
        ([], "a specification is missing; --list shows"),
        (["some.toml", "--seeds", "1,x"], "--seeds: 'x' is no seed; whole numbers were expected"),
        (["some.toml", "-A", "x"], "-A x: expected NAME=VALUE"),
        (["some.toml", "--model", "script:absent.txt"], "--model script:"),
        (["some.toml", "--instances", "p9*"], "--instances: nothing here is called 'p9*'"),
        (["some.toml", "--cluster", "tcp://x:1", "--provider-batch"], "--cluster and --provider-batch exclude"),
        (["some.toml", "--cluster", "nonsense"], "nonsense"),
    ],
)
def test_what_is_wrong_is_exit_code_2(arguments: list[str], message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", *arguments]) == 2
    assert message in " ".join(capfd.readouterr().err.replace("│", " ").split())


def test_a_dry_run_needs_no_key_and_its_runs_are_called_as_with_one(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_key = load_experiment(Path("some.toml"))
    names = [*with_key.jobs]
    monkeypatch.delenv("OPENAI_API_KEY")
    assert [*load_experiment(Path("some.toml")).jobs] == names
    assert main(["experiment", "some.toml", "--dry-run", "--json", "--budget-usd", "1"]) == 0
    said = capfd.readouterr()
    assert json.loads(said.out)["estimate"]["usd"] > 0
    assert said.err.count("needs a key in the environment variable OPENAI_API_KEY") == 1
    assert "some.toml:4:11: model 'gpt-4o': " in refused("experiment", "some.toml")
    assert not Path("runs").exists()


def test_every_kind_of_table_can_be_asked_for() -> None:
    asked = "".join(f'[[tables]]\nkind = "{kind}"\n' for kind in table_kinds())
    Path("all.toml").write_text(COLUMNS + asked, encoding="utf-8")
    assert [table.kind for table in load_experiment(Path("all.toml")).tables] == [*table_kinds()]


# ── the first of the tables that a specification asks for ────────────────────────────────────────


WALK = """
name = "walk"
domains = ["blocksworld"]
instances = ["p01"]
policies = ["random"]
seeds = [1, 2]
[options]
steps = 2
"""
TABLES = """
[[tables]]
kind = "runs"
title = "What the walk solved"

[[tables]]
kind = "coverage"
title = "The same by domain"
"""


def shown(text: str, capfd: pytest.CaptureFixture[str], *options: str) -> str:
    Path("walk.toml").write_text(text, encoding="utf-8")
    assert main(["experiment", "walk.toml", *options]) == 0
    return capfd.readouterr().out


def test_the_first_table_follows_the_accounts(capfd: pytest.CaptureFixture[str]) -> None:
    said = shown(WALK + TABLES, capfd)
    assert said.index("records: ") < said.index("all tables: pddl2nl report ") < said.index("What the walk solved")
    assert "0 of 2" in said
    assert "The same by domain" not in said


def test_without_tables_in_the_file_it_is_the_coverage(capfd: pytest.CaptureFixture[str]) -> None:
    said = shown(WALK, capfd)
    assert "all tables: pddl2nl report runs/walk\n\nCoverage: solved tasks by domain" in said

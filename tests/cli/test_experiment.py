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
from tests.answering import Answering
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


@pytest.mark.usefixtures("needs_planner")
def test_a_dry_run_counts_and_estimates_and_writes_nothing(tmp_path, capfd):
    Path("small.toml").write_text(ORACLE, encoding="utf-8")
    assert main(["experiment", "small.toml", "--dry-run", "--out", "there"]) == 0
    said = capfd.readouterr().out
    assert said.startswith("small test: 9 runs (4 basic, 4 act, 1 ff), of which 0 are finished in there\n")
    assert "An estimate only: first prompts are measured" in said
    assert not (tmp_path / "there").exists()


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


def test_bad_input_is_exit_code_2_before_anything_runs(tmp_path, capfd):
    Path("bad.toml").write_text('domains = ["blocksworld"]\npolicies = ["akt"]\n', encoding="utf-8")
    assert main(["experiment", "bad.toml"]) == 2
    assert capfd.readouterr().err.startswith("error: bad.toml:2:13: policies: did you mean 'act'")
    assert main(["experiment", "absent.toml"]) == 2
    assert not (tmp_path / "runs").exists()


def test_a_run_that_cannot_be_is_named_and_the_others_are_done(capfd):
    Path("lamps").mkdir()
    domain = """(define (domain lamps) (:predicates (lit ?l)) (:action light :parameters (?l)
        :precondition (and) :effect (lit ?l)))"""
    Path("lamps/domain.pddl").write_text(domain, encoding="utf-8")
    for name, goal in (("one", "(lit a)"), ("none", "(and)")):
        problem = f"(define (problem {name}) (:domain lamps) (:objects a b) (:init) (:goal {goal}))"
        Path(f"lamps/{name}.pddl").write_text(problem, encoding="utf-8")
    Path("plan").write_text("(light b)\n(light a)\n", encoding="utf-8")
    text = """domains = [{domain = "lamps/domain.pddl", problems = ["lamps/*.pddl"]}]
    policies = ["act"]
    models = ["looking"]
    seeds = [1]
    base_url = "%s"
    [options]
    steps = 2
    example = "lamps/one.pddl"
    example_plan = "plan"
    """
    with ChatServer(LOOKING) as server:
        Path("lamps.toml").write_text(text % server.base_url, encoding="utf-8")
        assert main(["experiment", "lamps.toml"]) == 2
    out, errors = capfd.readouterr()
    assert "lamps: 2 runs: 1 solved, 1 that cannot be" in out, errors
    assert "error: lamps-one-act-looking-default-1-" in errors
    assert "this is the very problem to be solved" in errors


def test_a_batch_takes_no_policy_that_answers_turn_by_turn(capfd):
    assert main([*remote("http://localhost:9/v1"), "--provider-batch"]) == 2
    assert "--provider-batch: policy 'act' needs each reply before it can ask again" in capfd.readouterr().err


def test_a_batch_needs_a_cache(capfd):
    assert main([*remote("http://localhost:9/v1", policy="basic"), "--provider-batch", "--cache", "none"]) == 2
    assert "it needs --cache FILE" in capfd.readouterr().err


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


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_soon_and_it_is_gone_on_with(sent, tmp_path, capfd):
    with ChatServer(LOOKING, delay=0.03) as server:
        arguments = remote(server.base_url, range(24))
        process = started(arguments, tmp_path)
        reached(server, 18, process)
        # However busy the machine is, the signal comes before the last reply.
        server.delay = 0.25
        process.send_signal(sent)
        out, errors = process.communicate(timeout=60)
        server.delay = 0.0
        assert process.returncode == 128 + sent
        assert "Traceback" not in errors
        before = len(server.calls)
        assert before < 72
        if sent == signal.SIGINT:
            assert "stopped: interrupted; the same command resumes it" in out
        else:
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

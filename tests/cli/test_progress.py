"""What an experiment says while it goes on: a bar on a terminal, else quiet lines; and what Ctrl-C does to its runs."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pddl2nl.cli.progress import progress_shown
from pddl2nl.experiments.sweep import SweepSummary, Trouble
from pddl2nl.policies.budget import Account
from tests.answering import Answering
from tests.llm.chat_server import ChatServer

pytestmark = pytest.mark.usefixtures("home_of_its_own")
LOOKING = Answering("Action: look around", "looking")
"""Never comes to an end by itself, for experiments that are stopped."""

SPECIFICATION = """
domains = ["blocksworld"]
instances = ["p01"]
policies = ["act"]
models = ["looking"]
seeds = {seeds}
base_url = "{url}"
[options]
steps = 4
example = "none"
[access]
workers = 3
"""


def started(server, runs, *options, **streams):
    Path("s.toml").write_text(SPECIFICATION.format(seeds=[*range(runs)], url=server.base_url), encoding="utf-8")
    command = [sys.executable, "-m", "pddl2nl", "experiment", "s.toml", *options]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.Popen(command, text=True, **streams)


def reached(server, calls, process):
    while len(server.calls) < calls:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


def test_the_first_ctrl_c_lets_what_goes_on_come_to_its_end_and_begins_nothing(tmp_path):
    with ChatServer(LOOKING, delay=0.1) as server:
        process = started(server, 60)
        reached(server, 5, process)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Ctrl-C: waiting for " in errors
    assert errors.count("Ctrl-C") == 2
    assert "stopped: interrupted; the same command resumes it" in out
    folder = tmp_path / "runs" / "s"
    records = [*folder.glob("*.jsonl")]
    assert 3 <= len(records) < 60
    # Nothing was cut off, and nobody was asked beyond the runs that went on.
    assert not [*folder.glob("*.partial")]
    assert len(server.calls) == 4 * len(records)


@pytest.mark.heavy
@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_at_a_terminal_reaches_the_workers_of_this_machine_and_they_heed_it_as_threads_do(times, tmp_path):
    pytest.importorskip("distributed", reason="Dask is absent: pip install 'pddl2nl[cluster]'")
    with ChatServer(LOOKING, delay=0.2) as server:
        process = started(server, 60, "--cluster", "local:2", start_new_session=True)
        reached(server, 9, process)
        for _ in range(times):
            # As a terminal does, to the whole group.
            os.killpg(process.pid, signal.SIGINT)
            time.sleep(0.3)
        out, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "stopped: interrupted; the same command resumes it" in out
    assert "Traceback" not in errors
    folder = tmp_path / "runs" / "s"
    records, partial = [*folder.glob("*.jsonl")], [*folder.glob("*.partial")]
    assert len(records) < 60
    assert not [*folder.glob(".cluster*")]
    if times == 1:
        assert (len(partial), len(server.calls)) == (0, 4 * len(records))


def test_a_terminal_shows_a_bar_with_all_that_counts(tmp_path):
    leader, follower = pty.openpty()
    # Over a second from the first run's end to the last one's: the bar is drawn some times a second.
    with ChatServer(LOOKING, delay=0.1) as server:
        process = started(server, 12, stderr=follower)
        os.close(follower)
        shown = b""
        while True:
            try:
                chunk = os.read(leader, 65536)
            except OSError:
                break
            if not chunk:
                break
            shown += chunk
        process.communicate(timeout=60)
    text = shown.decode()
    assert process.returncode == 0
    for part in ("/12", "of 12 runs, 0 solved, 0 failed; ", " calls, ", " tokens, ", "price unknown", " left"):
        assert part in text, part


def test_lines_are_few_where_there_is_no_terminal_and_say_what_counts(capsys):
    with progress_shown() as (show, _):
        for ended in range(200, 1001):
            spent = Account(calls=ended, cache_hits=3, prompt_tokens=5, completion_tokens=6, usd=0.25)
            outcomes, broken = {"solved": 150, "budget": ended - 152}, (Trouble("a", "b"), Trouble("c", "d"))
            show(SweepSummary(1000, 200, outcomes, broken, spent=spent, going=2, seconds=(ended - 200) / 10))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == (
        "200 of 1000 runs, 150 solved, 2 failed, 200 finished before; 200 calls, 3 from the cache, 5 + 6 tokens, "
        "0.2500 USD"
    )
    assert lines[1].startswith("about 70 s left; 300 of 1000 runs, ")
    assert len(lines) == 9
    assert "left" not in lines[-1]


def test_what_is_to_be_known_at_once_is_said_once(capsys):
    with progress_shown() as (show, _):
        for going in (2, 1, 1):
            show(SweepSummary(10, outcomes={"solved": 3}, going=going, note="waiting for workers"))
        for going in (1, 0):
            show(SweepSummary(10, outcomes={"solved": 3}, going=going, interrupted=True))
    errors = capsys.readouterr().err.splitlines()[1:]
    assert errors == [
        "waiting for workers",
        "Ctrl-C: waiting for 1 running run, and starting no other; Ctrl-C once more stops now",
    ]

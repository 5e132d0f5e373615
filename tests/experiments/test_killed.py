"""``kill -9`` at fifty random moments of small experiments: they end in the records of undisturbed ones."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from pddl2nl.llm.replay import read_exchanges
from tests.llm.chat_server import ChatServer

KILLS = 50
SEED = 20

SPECIFICATION = """
domains = [{{domain = "lamps/domain.pddl", problems = ["lamps/three.pddl"]}}]
policies = ["basic", "cot", "act", "react"]
models = ["whimsical"]
seeds = {seeds}
base_url = "{url}"
[options]
example = "none"
steps = 8
[access]
workers = 6
"""

ZYGOTE = """
import json, os, sys, typer
import openai, rich.console, rich.markup, rich.text
import pddl2nl.llm.batch, pddl2nl.experiments.sweep, pddl2nl.experiments.specification.estimate
from pddl2nl.cli import experiment
# This one command alone: to set up all of them at every start would take as long as the rest.
tool = typer.Typer()
tool.callback()(lambda: None)
experiment.register(tool)
def run(line):
    try:
        tool(args=json.loads(line))
    except SystemExit as stop:
        return stop.code or 0
answers = os.fdopen(os.dup(1), "w", buffering=1)
out = os.open(os.environ["OUTPUT"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
os.dup2(out, 1)
os.dup2(out, 2)
# Once without a model and here, so that whatever is imported or read on the way is there for all children; and what
# is imported only for a connection and for the closing lines.
run(sys.stdin.readline())
openai.OpenAI(api_key="sk-never-mind", base_url="http://127.0.0.1:9/v1").chat.completions
for line in sys.stdin:
    pid = os.fork()
    if pid == 0:
        os._exit(run(line))
    print(pid, file=answers)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), file=answers)
"""
"""Forks a process for every command, so that a start costs milliseconds and not the second that imports take."""


class Zygote:
    """A process that runs commands in children of its own, which can be killed."""

    def __init__(self, process: subprocess.Popen[str]):
        self._process = process

    def say(self, *arguments: object) -> None:
        """Sends a command; the first one is run by the process itself."""
        self._process.stdin.write(json.dumps([*map(str, arguments)]) + "\n")
        self._process.stdin.flush()

    def start(self, *arguments: object) -> int:
        """Begins a command; its process."""
        self.say(*arguments)
        return self._number()

    def end(self) -> int:
        """Waits for the command; its exit code, or the signal that ended it as a negative number."""
        return self._number()

    def _number(self) -> int:
        return int(self._process.stdout.readline())


@contextmanager
def zygote(output: Path) -> Iterator[Zygote]:
    environment = {**os.environ, "OUTPUT": str(output), "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-c", ZYGOTE]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment) as process:
        yield Zygote(process)


def recorded(folder: Path) -> set[str]:
    """What was asked and has its reply in a record of this folder, finished or not."""
    files = [path for path in folder.glob("*.jsonl*") if not path.name.endswith(".lock")]
    return {
        asked(
            [{"role": said.role, "content": said.content} for said in exchange.request.messages], exchange.request.seed
        )
        for file in files
        for exchange in read_exchanges(file)
    }


def asked(messages: object, seed: object) -> str:
    return json.dumps([messages, seed], sort_keys=True)


@pytest.mark.heavy
@pytest.mark.usefixtures("lamps")
def test_fifty_kills_change_no_record_and_no_reply_that_was_recorded_is_asked_for_again(
    tmp_path, whimsical, settled, monkeypatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-mind")
    dice = random.Random(SEED)
    kills = rounds = 0
    with ChatServer(whimsical(), delay=0.002) as server, zygote(tmp_path / "output") as children:
        spec = tmp_path / "killed.toml"
        spec.write_text(SPECIFICATION.format(seeds=[*range(1, 16)], url=server.base_url), encoding="utf-8")
        children.say("experiment", spec, "--dry-run", "--cache", "none")

        def start(name: str) -> int:
            arguments = ("experiment", spec, "--out", tmp_path / name, "--cache", tmp_path / f"{name}.sqlite")
            return children.start(*arguments)

        while kills < KILLS:
            name = f"round{rounds}"
            known: set[str] = set()
            since = len(server.calls)
            code = -signal.SIGKILL
            while code == -signal.SIGKILL:
                pid = start(name)
                if kills < KILLS:
                    _wait(server, dice)
                    # It may have come to its end just before.
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                code = children.end()
                kills += code == -signal.SIGKILL
                again = [call for call in server.calls[since:] if _key(call.body) in known]
                assert not again, again[0]
                since = len(server.calls)
                known |= recorded(tmp_path / name)
            assert code == 0, (tmp_path / "output").read_text(encoding="utf-8")[-2000:]
            rounds += 1
        start("undisturbed")
        assert children.end() == 0
    for number in range(rounds):
        _same(tmp_path / f"round{number}", tmp_path / "undisturbed", settled)


def _wait(server: ChatServer, dice: random.Random) -> None:
    if dice.random() < 0.3:
        time.sleep(dice.uniform(0, 0.3))
        return
    until, patience = len(server.calls) + dice.randint(1, 14), time.monotonic() + 2
    while len(server.calls) < until and time.monotonic() < patience:
        time.sleep(0.0005)
    time.sleep(dice.uniform(0, 0.005))


def _key(body) -> str:
    # A killed client may have sent half a request.
    return asked(body.get("messages"), body.get("seed"))


def _same(folder: Path, undisturbed: Path, settled) -> None:
    names = sorted(path.name for path in undisturbed.glob("*.jsonl"))
    assert len(names) == 60
    left = {path.name for path in folder.iterdir()} - {*names, "specification.toml", "experiment.json"}
    assert all(name.endswith(".lock") for name in left)
    for name in names:
        assert settled(folder / name) == settled(undisturbed / name), name

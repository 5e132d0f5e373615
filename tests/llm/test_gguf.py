"""``--model gguf:PATH``: bad files are refused in words; the heavy tests run a real model.

Nothing here depends on what the model says.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path

import pytest

from pddl2nl.errors import MissingExtraError
from pddl2nl.experiments import run
from pddl2nl.experiments.records.reader import read_events
from pddl2nl.llm import Message, ModelConfigurationError, OpenAIModel, Request
from pddl2nl.llm.constraint import WAYS, Constraint, Way
from pddl2nl.llm.providers.gguf import GGUFModel
from pddl2nl.llm.settings import ModelSettings
from pddl2nl.pddl import parse_task
from pddl2nl.policies.events import Acted, Finished, Prompted, Replied
from pddl2nl.tasks import shipped_task
from tests.llm.small_model import small_model

__all__ = ["small_model"]

REQUEST = Request((Message("user", "Say a word."),), max_tokens=5)
COMMAND = [sys.executable, "-m", "pddl2nl"]
# Its prompts are a third as long as those of the smallest shipped task, and they take most of the time.
LAMPS = """
(define (domain lamps) (:predicates (lit ?lamp))
  (:action light :parameters (?lamp) :precondition (not (lit ?lamp)) :effect (lit ?lamp)))
"""
TWO_LAMPS = "(define (problem two) (:domain lamps) (:objects a b) (:init) (:goal (and (lit a) (lit b))))"


def test_a_missing_file_and_a_missing_extra_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelConfigurationError, match=r"gguf:.*none\.gguf: no such file"):
        GGUFModel(tmp_path / "none.gguf", ModelSettings())
    (tmp_path / "any.gguf").touch()
    monkeypatch.setattr("pddl2nl.llm.providers.gguf.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'pddl2nl\[local\]'"):
        GGUFModel(tmp_path / "any.gguf", ModelSettings())


def test_a_file_that_is_no_model_is_refused_with_llama_cpps_reason(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="needs the extra local")
    for text, found in (("once upon a time", r"begins with b'once'"), ("", "is empty")):
        (tmp_path / "text.gguf").write_text(text, encoding="utf-8")
        with pytest.raises(ModelConfigurationError, match=rf"text\.gguf: it {found}"):
            GGUFModel(tmp_path / "text.gguf", ModelSettings())
    (tmp_path / "cut.gguf").write_bytes(b"GGUF\3\0\0\0cut off")
    with pytest.raises(ModelConfigurationError, match=r"cannot load cut\.gguf: "):
        GGUFModel(tmp_path / "cut.gguf", ModelSettings()).start()


def test_a_number_of_threads_that_is_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("xllamacpp", reason="needs the extra local")
    (tmp_path / "any.gguf").write_bytes(b"GGUF\3\0\0\0")
    for given in ("0", "-1", "many"):
        monkeypatch.setenv("LLAMA_ARG_THREADS", given)
        with pytest.raises(ModelConfigurationError, match=rf"LLAMA_ARG_THREADS is '{given}', and a number of threads"):
            GGUFModel(tmp_path / "any.gguf", ModelSettings()).start()


@pytest.mark.heavy
def test_a_page_in_a_browser_gets_no_answer(small_model: Path) -> None:
    model = GGUFModel(small_model, ModelSettings(context=512))
    assert model.complete(REQUEST).text
    address = model._address.whole.removesuffix("/v1")
    for path, data in (("/props", None), ("/v1/models", None), ("/completion", b'{"prompt": "x"}')):
        page = urllib.request.Request(
            address + path, data, {"Origin": "https://evil.example", "Content-Type": "text/plain"}
        )
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(page, timeout=20)
        assert refused.value.code == 401
        assert refused.value.headers["Access-Control-Allow-Origin"] == "https://none.invalid"
    assert model._server_key not in repr(model) + json.dumps([model.identity(REQUEST), model.facts()])


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("policy", "translator"), [("basic", "reader"), ("cot", "llm"), ("act", "llm"), ("react", "reader")]
)
def test_every_mechanism_runs_and_its_record_says_which_model_it_was(
    policy: str, translator: str, small_model: Path, tmp_path: Path
) -> None:
    record = tmp_path / "run.jsonl"
    task = parse_task(LAMPS, TWO_LAMPS)
    limits = {"max_tokens": 30, "steps": 2, "translator": translator, "cache": "none", "example": "none"}
    result = run(task, policy, f"gguf:{small_model}", record=record, **limits)
    assert result.outcome != "infrastructure-error", result.message
    events = read_events(record)
    started, finished = events[0], events[-1]
    assert started.model == f"gguf:{small_model.name}"
    facts = {name: started.model_settings[name] for name in ("file", "bytes", "sha256", "context")}
    data = small_model.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    assert facts == {"file": small_model.name, "bytes": len(data), "sha256": digest, "context": 8192}
    asked = [event for event in events if isinstance(event, Prompted)]
    replies = [event for event in events if isinstance(event, Replied)]
    assert len(asked) == len(replies) == finished.calls > 0
    assert sum(reply.prompt_tokens for reply in replies) == finished.prompt_tokens
    assert all(reply.prompt_tokens > 0 and reply.completion_tokens > 0 for reply in replies)
    # What was recorded gives the same run without the model.
    replayed = run(task, policy, f"replay:{tmp_path}", **(limits | {"cache": None}))
    assert (replayed.outcome, replayed.plan, replayed.steps) == (result.outcome, result.plan, result.steps)


@pytest.mark.heavy
def test_a_domain_is_worded(small_model: Path, tmp_path: Path) -> None:
    words, domain = tmp_path / "wording.json", tmp_path / "domain.pddl"
    domain.write_text(LAMPS, encoding="utf-8")
    options = ["--wording", "llm", "--wording-tokens", "20", "--revisions", "0", "--cache", "none"]
    command = [*COMMAND, "convert", domain, *options, "--model", f"gguf:{small_model}", "--save-wording", words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    source = json.loads(words.read_text(encoding="utf-8"))["source"]
    assert source["model"] == f"gguf:{small_model.name}"


@pytest.mark.heavy
@pytest.mark.parametrize("level", ["off", "applicable"])
def test_a_template_without_tools_has_them_told_and_called_under_a_schema(
    level: str, small_model: Path, tmp_path: Path
) -> None:
    options = {"constrain": level, "max_tokens": 60, "steps": 2, "example": "none"}
    task = parse_task(LAMPS, TWO_LAMPS)
    result = run(task, "tools", f"gguf:{small_model}", record=tmp_path / "run.jsonl", cache="none", **options)
    replies = [event for event in result.events if isinstance(event, Replied)]
    assert replies
    assert all(reply.tool_calls and "knows no tools" in reply.remark for reply in replies)
    again = run(task, "tools", f"replay:{tmp_path}", **options)
    assert (again.outcome, again.plan, again.steps) == (result.outcome, result.plan, result.steps)


@pytest.mark.heavy
def test_under_applicable_no_turn_is_refused(small_model: Path) -> None:
    options = {"constrain": "applicable", "max_tokens": 200, "cache": "none", "steps": 4, "example": "none"}
    result = run(shipped_task("blocksworld", "p01"), "act", f"gguf:{small_model}", **options)
    turns = result.finished.turns
    # Every turn is executed, or looks around.
    assert turns.get("executed", 0) + turns.get("look-around", 0) == result.finished.steps > 0
    assert not any(isinstance(event, Replied) and event.finish == "length" for event in result.events)


@pytest.mark.heavy
@pytest.mark.parametrize("way", WAYS)
def test_a_constraint_holds_in_each_way_that_llama_cpp_takes(
    way: Way, small_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = GGUFModel(small_model, ModelSettings())
    model.start()
    monkeypatch.setenv("OPENAI_API_KEY", model._server_key)
    endpoint = OpenAIModel("any", str(model._address), settings=ModelSettings(constrain=way))
    constraint = Constraint((("go ", ("left", "right")),), action="Action: ")
    reply = endpoint.complete(Request((Message("user", "Tell me a story."),), max_tokens=60, constraint=constraint))
    # vLLM's ways are ignored by llama.cpp without a word: this is why `auto` tries them out.
    assert (reply.text in ("Action: go left", "Action: go right")) == (way in ("grammar", "json_schema"))


@pytest.mark.heavy
def test_the_forms_of_families_hold(small_model: Path) -> None:
    model = GGUFModel(small_model, ModelSettings())
    calls = Constraint((("goto(", ("a", "b"), ")"),), action='"', after='",', begin='{"plan": [\n', end='"done()"]}')
    block = Constraint((("go ", ("left", "right")),), begin="Actions:\n", words=True)
    command = Constraint((("go",),), action='{"command": "', after='"}')
    assertion = Constraint((("assert ", ("", "not "), (("(", ("a", "b"), ")"),), " else ", (("go",),)),))
    tagged = Constraint((("[", ("a", "b"), "]"),), begin="</a>[", end="]", between=", ", words=True, before="<a>\n")
    said = [
        model.complete(Request((Message("user", "Where to?"),), max_tokens=20, constraint=each)).text
        for each in (calls, block, command, assertion, tagged)
    ]
    assert re.match(r'\{"plan": \[\n("goto\([ab]\)",\n)*', said[0])
    assert not re.match(r"\n|Actions:\n(?!go (left|right)\n|g|\Z)", said[1])
    assert said[2] == '{"command": "go"}'
    assert re.fullmatch(r"assert (not )?\([ab]\) else go", said[3])
    assert said[4].startswith("<a>\n")


@pytest.mark.heavy
def test_a_hundred_thousand_actions_by_slots_are_no_hindrance(small_model: Path) -> None:
    names = tuple(f"block_{number}" for number in range(320))
    constraint = Constraint((("stack ", names, " on ", names),), action="Action: ")
    model = GGUFModel(small_model, ModelSettings())
    reply = model.complete(
        Request((Message("user", "Stack a block on another."),), max_tokens=30, constraint=constraint)
    )
    said = re.fullmatch(r"Action: stack (block_\d+) on (block_\d+)", reply.text)
    assert set(said.groups()) <= set(names)
    assert reply.seconds < 120


@pytest.mark.heavy
def test_an_ended_stream_is_counted_to_the_token_and_frees_the_server(small_model: Path) -> None:
    model = GGUFModel(small_model, ModelSettings())
    # Forced, so that it does not matter what the model would say: lines without end.
    lines = Constraint((("go",),), begin="Action: go\n", end="never")
    asked = Request((Message("user", "Where to?"),), max_tokens=400, constraint=lines)
    whole = model.complete(replace(asked, max_tokens=8))
    ended = model.complete(replace(asked, until=r"(?m)^Action: .*\n"))
    assert ended.text == "Action: go\n"
    assert ended.remark == "the reply was ended at its first action"
    assert ended.usage.prompt_tokens == whole.usage.prompt_tokens > 0
    assert 2 <= ended.usage.completion_tokens <= 10
    # The one slot would be taken for all 400 tokens.
    began = time.monotonic()
    model.complete(replace(asked, max_tokens=1))
    assert time.monotonic() - began < whole.seconds + 5


@pytest.mark.heavy
@pytest.mark.usefixtures("needs_planner")
def test_score_rates_every_applicable_action_and_does_the_likeliest(small_model: Path) -> None:
    options = {"steps": 1, "cache": "none", "example": "none"}
    before = _children(os.getpid(), "server.py")
    result = run(shipped_task("ferry", "p01"), "score", f"gguf:{small_model}", **options)
    assert result.outcome != "infrastructure-error", result.message
    rated = {event.text: event.logprob for event in result.events if isinstance(event, Replied)}
    done = [event.text for event in result.events if isinstance(event, Acted)]
    # The model's own likelihoods: under the constraint all would be 1.
    assert all(logprob is not None and logprob < -0.5 for logprob in rated.values())
    assert [f"Action: {text}" in rated for text in done] == [True]
    finished = result.finished
    assert finished.turns == {"executed": 1}
    assert finished.calls == sum(isinstance(event, Replied) for event in result.events)
    assert _children(os.getpid(), "server.py") == before, "the server ends with the last use of the model"


SPECIFICATION = """
domains = [{{ domain = "domain.pddl", problems = ["two.pddl"] }}]
policies = ["basic", "act"]
models = ["gguf:{model}"]
seeds = [1, 2]
[options]
example = "none"
steps = 2
max_tokens = 20
[access]
workers = 2
"""


@pytest.mark.heavy
def test_a_killed_experiment_leaves_no_server_and_is_resumed(small_model: Path, tmp_path: Path) -> None:
    texts = {"domain.pddl": LAMPS, "two.pddl": TWO_LAMPS, "small.toml": SPECIFICATION.format(model=small_model)}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = [*COMMAND, "experiment", "small.toml", "--out", "runs", "--cache", "none"]
    first = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    servers: list[int] = []
    while not servers or not [*tmp_path.glob("runs/*.jsonl")]:
        assert first.poll() is None, "it ended before it could be killed"
        time.sleep(0.05)
        servers = _children(first.pid, "server.py")
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    assert len(servers) == 1
    patience = time.monotonic() + 20
    while _command_line(servers[0]) and time.monotonic() < patience:
        time.sleep(0.1)
    assert not _command_line(servers[0]), "the server outlived the process that started it"
    before = {path: path.read_bytes() for path in tmp_path.glob("runs/*.jsonl")}
    assert 0 < len(before) < 4, "nothing was left to resume"
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert again.returncode in (0, 1), again.stderr
    records = {path: path.read_bytes() for path in tmp_path.glob("runs/*.jsonl")}
    assert len(records) == 4
    assert before.items() <= records.items()
    ends = [read_events(path)[-1] for path in records]
    assert all(isinstance(end, Finished) and end.outcome != "infrastructure-error" for end in ends)


def _children(parent: int, script: str) -> list[int]:
    """The processes of a script that a process started."""
    # It fails where there are none.
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True, check=False)
    return [pid for pid in map(int, listed.stdout.split()) if script in _command_line(pid)]


def _command_line(pid: int) -> str:
    """The whole command line of a process; empty if it has ended."""
    # -ww: without it, ps cuts lines at COLUMNS, and the checkout may have a long path.
    command = ["ps", "-ww", "-o", "args=", "-p", str(pid)]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if "<defunct>" in listed.stdout else listed.stdout

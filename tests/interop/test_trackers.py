"""Runs sent to experiment trackers, and records as datasets: against the real libraries, without a network."""

from __future__ import annotations

import json
import struct
import time
from pathlib import Path
from typing import Any

import pytest

import pddl2nl
from pddl2nl.cli.app import main
from pddl2nl.errors import InputError, MissingExtraError
from pddl2nl.interop.trackers import TRACKERS, tracked
from pddl2nl.policies.events import FORMAT, Acted, Finished, Rejected, Replied, Started
from tests.cli.one_command import refused

# Their imports take seconds of CPU.
heavy = pytest.mark.heavy
SPEC = {"policy": "act", "seed": 7, "temperature": 0.5, "domain_pddl": "(define…", "problem_pddl": "(define…"}
STARTED = Started(SPEC, "d", "p", FORMAT, models={"planner": "gpt-x"})
EVENTS = (
    STARTED,
    Replied(1, "dance", prompt_tokens=30, completion_tokens=2, usd=0.25),
    Rejected(1, "unreadable", "dance"),
    Replied(2, "pick up a", prompt_tokens=40, completion_tokens=3, usd=0.25),
    Acted(2, "(pick-up a)"),
    Finished("solved", plan=("(pick-up a)",), steps=2, mistakes=1, seconds=1.5),
)


class Recorder:
    """A tracker that keeps what it is sent."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def begin(self, name: str, settings: Any) -> Recorder:
        self.sent.append((name, settings))
        return self

    def log(self, step: int, values: Any) -> None:
        self.sent.append((step, dict(values)))

    def end(self, values: Any, failed: bool) -> None:
        self.sent.append((dict(values), failed))


def send(tracker: str, folder: Path) -> None:
    observe = tracked(tracker, "test", folder)
    for event in EVENTS:
        observe("run-1", event)


def test_a_run_begins_with_its_settings_counts_its_steps_and_ends_with_its_outcome(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    recorder = Recorder()
    monkeypatch.setitem(TRACKERS, "recorder", lambda project, folder: recorder.begin)
    send("recorder", tmp_path)
    (name, settings), first, second, (end, failed) = recorder.sent
    assert name == "run-1"
    assert settings["policy"] == "act"
    assert settings["temperature"] == 0.5
    assert "domain_pddl" not in settings
    counts = {"executed": 0, "refused": 1, "calls": 1, "prompt_tokens": 30, "completion_tokens": 2, "usd": 0.25}
    assert first == (1, counts)
    assert second == (2, counts | {"executed": 1, "calls": 2, "prompt_tokens": 70, "completion_tokens": 5, "usd": 0.5})
    assert (end["outcome"], end["solved"], end["mistakes"], end["plan_length"], failed) == ("solved", 1, 1, 1, False)


@pytest.mark.parametrize(
    ("tracker", "module"), [("wandb", "wandb"), ("mlflow", "mlflow"), ("tensorboard", "tensorboardX")]
)
def test_a_missing_package_is_named(tracker: str, module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'pddl2nl\[{tracker}\]'"):
        tracked(tracker, "test", tmp_path)


def test_an_unknown_tracker_and_batches_are_refused() -> None:
    run = ("run", "ferry", "p01", "--policy", "basic", "--model", "gpt-x")
    assert "wandb" in refused(*run, "--log", "wand")
    assert "leave out --provider-batch" in refused(*run, "--log", "tensorboard", "--provider-batch")


@heavy
def test_tensorboard_gets_scalars_and_settings(tmp_path: Path) -> None:
    pytest.importorskip("tensorboardX", reason="tensorboardX is absent: pip install 'pddl2nl[tensorboard]'")
    from tensorboardX.proto.event_pb2 import Event

    send("tensorboard", tmp_path)
    [file] = (tmp_path / "tensorboard/run-1").iterdir()
    data, scalars, texts = file.read_bytes(), {}, []
    while data:
        # A record is its length, a checksum, the event and a checksum.
        (length,) = struct.unpack("<Q", data[:8])
        for value in Event.FromString(data[12 : 12 + length]).summary.value:
            scalars[value.tag] = value.simple_value
            texts += value.tensor.string_val
        data = data[16 + length :]
    assert (scalars["executed"], scalars["end/solved"], scalars["end/usd"]) == (1, 1, 0.5)
    assert any(b"policy: act" in text for text in texts)
    assert b"solved" in texts


@heavy
def test_wandb_writes_a_run_without_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wandb", reason="wandb is absent: pip install 'pddl2nl[wandb]'")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    send("wandb", tmp_path)
    [file] = tmp_path.rglob("run-*.wandb")
    # A process of wandb's own writes it.
    until = time.monotonic() + 30
    while b"plan_length" not in (written := file.read_bytes()) and time.monotonic() < until:
        time.sleep(0.1)
    for text in (b"run-1", b"temperature", b"prompt_tokens", b"plan_length"):
        assert text in written


@heavy
def test_a_server_of_mlflow_that_does_not_answer_is_named_before_the_first_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("mlflow", reason="mlflow is absent: pip install 'pddl2nl[mlflow]'")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://me:pass-word-9@127.0.0.1:1")
    assert main(["run", "ferry", "p01", "--policy", "random", "--out", "runs", "--log", "mlflow"]) == 3
    told = capsys.readouterr().err
    assert "--log mlflow cannot be used" in told
    assert "MLFLOW_ALLOW_FILE_STORE=true MLFLOW_TRACKING_URI=file:///" in told
    assert "Traceback" not in told
    assert "pass-word-9" not in told
    assert not [*tmp_path.rglob("*.jsonl")]


@heavy
def test_mlflow_gets_parameters_metrics_and_a_status(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mlflow", reason="mlflow is absent: pip install 'pddl2nl[mlflow]'")
    from mlflow import MlflowClient

    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "mlruns").as_uri())
    # The server's stores need the whole of MLflow; the client alone has the store of files.
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    send("mlflow", tmp_path)
    send("mlflow", tmp_path)
    client = MlflowClient()
    runs = client.search_runs([client.get_experiment_by_name("test").experiment_id])
    assert [run.info.status for run in runs] == ["FINISHED"] * 2
    data = runs[0].data
    assert (data.params["policy"], data.params["temperature"]) == ("act", "0.5")
    assert (data.metrics["solved"], data.tags["outcome"]) == (1, "solved")
    history = client.get_metric_history(runs[0].info.run_id, "executed")
    assert [(item.step, item.value) for item in history][:2] == [(1, 0), (2, 1)]


@heavy
def test_an_experiment_sends_each_run(tmp_path: Path) -> None:
    pytest.importorskip("tensorboardX", reason="tensorboardX is absent: pip install 'pddl2nl[tensorboard]'")
    spec = tmp_path / "small.toml"
    spec.write_text('domains = ["ferry"]\ninstances = ["p01", "p02"]\npolicies = ["random"]\nseeds = [1]\n', "utf-8")
    main(["experiment", str(spec), "--out", str(tmp_path / "runs"), "--log", "tensorboard"])
    sent = {path.name for path in (tmp_path / "runs/tensorboard").iterdir()}
    assert sent == {path.stem for path in (tmp_path / "runs").glob("*.jsonl")}
    assert len(sent) == 2


@heavy
def test_records_become_datasets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("datasets", reason="datasets is absent: pip install 'pddl2nl[hf]'")
    from datasets import load_from_disk

    from pddl2nl.llm import ScriptedModel

    task = pddl2nl.shipped_task("ferry", "p01")
    model = ScriptedModel(["Action: dance", "Action: load car_0 onto the ferry at location_0"], name="scripted")
    result = pddl2nl.run(task, "act", model, steps=2, example="none", record=tmp_path / "runs/act.jsonl")
    pddl2nl.run(task, "random", steps=2, record=tmp_path / "runs/random.jsonl")
    assert main(["export", "hf", str(tmp_path / "runs"), "--out", str(tmp_path / "hf"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"] == str(tmp_path / "hf/runs")
    act, random = load_from_disk(str(tmp_path / "hf/runs"))
    assert (act["policy"], act["outcome"], act["plan"]) == ("act", "budget", list(result.plan))
    assert [message["role"] for message in act["messages"]] == ["system", "user", "assistant", "user", "assistant"]
    assert act["messages"][-1]["content"] == "Action: load car_0 onto the ferry at location_0"
    assert act["problem_pddl"].startswith("; Ferry: 4 locations")
    assert random["messages"] == []
    steps = load_from_disk(str(tmp_path / "hf/steps"))
    assert [(row["step"], row["status"]) for row in steps if row["policy"] == "act"] == [
        (1, "unreadable"),
        (2, "executed"),
    ]


@heavy
def test_a_folder_without_records_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("datasets", reason="datasets is absent: pip install 'pddl2nl[hf]'")
    from pddl2nl.interop.hf_datasets import export_hf

    with pytest.raises(InputError, match="no finished record"):
        export_hf(tmp_path, tmp_path / "hf")

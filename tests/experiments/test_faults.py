"""Everything that an endpoint does to five hundred episodes: none is misjudged, no reply is lost, no key is shown."""

from __future__ import annotations

import json
import logging
import random
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.cli.app import main
from pddl2nl.experiments import run
from pddl2nl.experiments.models import Access
from pddl2nl.experiments.runs import run_job, run_spec
from pddl2nl.experiments.sweep import run_all
from pddl2nl.llm import ReplayModel, ScriptedModel
from pddl2nl.llm.cache import Cache
from pddl2nl.llm.replay import read_exchanges
from pddl2nl.pddl import Task, load_task
from pddl2nl.policies.events import event_to_json
from pddl2nl.policies.spec import RunSpec
from pddl2nl.tasks import shipped_task
from tests.experiments.mechanisms import ASKING
from tests.llm.chat_server import Call, ChatServer, Trouble

KEY = "sk-known-key-0987654321"
EPISODES = 500
TIMEOUT = 2.0

ECHO = json.dumps({"error": {"message": f"failed for {KEY}", "type": "server_error", "code": None}})
SOON = (("retry-after-ms", "10"),)
FAULTS = [
    *(Trouble(status, ECHO, headers) for status in (408, 409, 500, 502, 503) for headers in ((), SOON)),
    *[Trouble(429, ECHO, headers) for headers in ((), SOON, (("retry-after", "0.02"),))],
    *[Trouble(drop=True), Trouble(drop=True, handled=True)] * 2,
    *[Trouble(200, ECHO, cut=True), Trouble(200, cut=True, handled=True)] * 2,
    Trouble(200, f'{{"choices": [{{"message": {{"content": "{KEY}', cut=True),
    Trouble(delay=TIMEOUT + 0.3, drop=True),
]


class Endpoint:
    """Faults for three calls of ten, and which requests were answered how often."""

    def __init__(self) -> None:
        self.answered: Counter[str] = Counter()
        self.met: Counter[int] = Counter()
        self._dice = random.Random(500)
        self._lock = threading.Lock()

    def fault(self, call: Call) -> Trouble | None:
        with self._lock:
            if self._dice.random() < 0.3:
                number = self._dice.randrange(len(FAULTS))
                self.met[number] += 1
                return FAULTS[number]
            self.answered[json.dumps(call.body, sort_keys=True)] += 1
            return None


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    # What a fault makes everybody wait, in hundredths and less: how much it is, the limiter's own tests hold.
    monkeypatch.setattr("pddl2nl.llm.endpoint.faults._FIRST_WAIT", 0.005)
    monkeypatch.setattr("pddl2nl.llm.endpoint.limiter._LONGEST_GAP", 0.002)


def written(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.heavy
def test_five_hundred_episodes_with_every_fault_at_thirty_percent(lamps, tmp_path, whimsical, settled, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    task, endpoint = load_task(*lamps), Endpoint()
    models = tmp_path / "models.toml"
    models.write_text(f"[models.whimsical]\ntimeout = {TIMEOUT}\nmax_retries = 20\n", encoding="utf-8")
    model = whimsical(f"By the way, your key is {KEY}.", ways=("length", "refused", "empty", "filtered"))
    with ChatServer(model, fault=endpoint.fault) as server:
        jobs = [
            run_job(
                RunSpec.of(
                    task, policy, model="whimsical", example="none", steps=3, seed=seed, base_url=server.base_url
                )
            )
            for seed in range(EPISODES // 4)
            for policy in ("basic", "cot", "act", "react")
        ]
        access = Access(cache=tmp_path / "cache.sqlite", models_file=models)
        summary = run_all(jobs, tmp_path / "runs", workers=32, access=access)
    assert summary.bad == ()

    # All finish; what is no result was withheld by a filter.
    records = [tmp_path / "runs" / f"{job.name}.jsonl" for job in jobs]
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == sorted(path.name for path in records)
    assert summary.runs == sum(summary.outcomes.values()) + len(summary.broken) == EPISODES
    # A run may also say that replies before were cut off.
    withheld = {trouble.message.partition(";")[0] for trouble in summary.broken}
    assert withheld == {"the endpoint's content filter withheld the reply"}
    assert set(summary.outcomes) == {"solved", "goal-missed", "unreadable", "gave-up", "budget"}
    assert len(endpoint.met) == len(FAULTS)

    # Every reply that arrived is in a record, and was asked for once.
    assert set(endpoint.answered.values()) == {1}
    exchanges = [exchange for record in records for exchange in read_exchanges(record)]
    assert len(exchanges) == sum(endpoint.answered.values()) == summary.spent.calls
    for exchange in exchanges:
        reply = model.complete(exchange.request)
        if reply.finish != "filtered":
            # Half a surrogate pair is no text, and is replaced.
            text = reply.text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
            assert exchange.completion.text == text.replace(KEY, "[key]")
        assert exchange.completion.finish == reply.finish

    # The verdicts are those on the replies that arrived.
    for job, record in zip(jobs, records, strict=True):
        again = run_spec(
            RunSpec.of(task, job.about.policy, model=ReplayModel(record), example="none", steps=3, seed=job.about.seed)
        )
        lines = settled(json.dumps(event_to_json(event)) for event in again.events)
        assert lines[1:] == settled(record)[1:], record

    # The cache holds what was answered, cut off or not, and nothing shows the key.
    whole = sum(exchange.completion.finish in ("text", "length") for exchange in exchanges)
    with Cache(tmp_path / "cache.sqlite") as cache:
        assert len(cache) == whole
    shown = "".join(capfd.readouterr())
    assert "[key]" in written(tmp_path / "runs").decode()
    for said in (written(tmp_path), caplog.text.encode(), shown.encode(), repr(summary).encode()):
        assert KEY.encode() not in said


PERMANENT = {
    "400": Trouble(400, ECHO),
    "401": Trouble(401, ECHO),
    "403": Trouble(403, ECHO),
    "404": Trouble(404, ECHO),
    "quota": Trouble(429, json.dumps({"error": {"message": f"{KEY} is broke", "code": "insufficient_quota"}})),
}

SPECIFICATION = """
domains = [{{domain = "lamps/domain.pddl", problems = ["lamps/three.pddl"]}}]
policies = ["act"]
models = ["whimsical"]
seeds = {seeds}
base_url = "{url}"
[options]
example = "none"
steps = 3
[access]
workers = 4
"""


@pytest.mark.parametrize("trouble", PERMANENT.values(), ids=PERMANENT)
@pytest.mark.usefixtures("lamps")
def test_a_refusal_stops_the_experiment_with_one_message_and_it_is_gone_on_with(
    trouble, tmp_path, whimsical, capfd, caplog
):
    caplog.set_level(logging.DEBUG)
    spec, out = tmp_path / "refused.toml", tmp_path / "runs"
    refuses = True

    def fault(number: int) -> Trouble | None:
        return trouble if refuses and number >= 20 else None

    with ChatServer(whimsical(short=0.0), fault) as server:
        spec.write_text(SPECIFICATION.format(seeds=[*range(1, 41)], url=server.base_url), encoding="utf-8")
        command = ["experiment", str(spec), "--out", str(out), "--cache", "none", "--json"]
        assert main(command) == 3
        # Those that were on their way, and nobody after them.
        assert 21 <= len(server.calls) <= 24
        shown, errors = capfd.readouterr()
        summary = json.loads(shown)
        assert errors.count("error:") == 1
        assert "nothing more was asked" in errors
        assert summary["infrastructure_errors"] == []
        assert summary["unfinished"] == 40 - sum(summary["outcomes"].values()) > 20
        assert not any("infrastructure-error" in path.read_text(encoding="utf-8") for path in out.glob("*.jsonl*"))
        refuses = False
        assert main(command) in (0, 1)
        answers = len({json.dumps(call.body, sort_keys=True) for call in server.calls})
        refused = len(server.calls) - answers
        assert 1 <= refused <= 4
    assert json.loads(capfd.readouterr().out)["unfinished"] == 0
    assert len([*out.glob("*.jsonl")]) == 40
    for said in (written(tmp_path), caplog.text.encode(), shown.encode(), errors.encode()):
        assert KEY.encode() not in said


@pytest.mark.usefixtures("lamps")
def test_an_endpoint_that_fails_for_one_run_costs_that_run_and_it_is_run_again(tmp_path, whimsical, capfd):
    spec, out = tmp_path / "failing.toml", tmp_path / "runs"
    fails = True

    def fault(call: Call) -> Trouble | None:
        return Trouble(200, f"<html>{KEY}</html>") if fails and call.body["seed"] == 3 else None

    with ChatServer(whimsical(short=0.0), fault=fault) as server:
        spec.write_text(SPECIFICATION.format(seeds=[1, 2, 3, 4, 5], url=server.base_url), encoding="utf-8")
        command = ["experiment", str(spec), "--out", str(out), "--cache", "none", "--json"]
        assert main(command) == 3
        shown, errors = capfd.readouterr()
        summary = json.loads(shown)
        assert [trouble["run"] for trouble in summary["infrastructure_errors"]] == [
            path.stem for path in out.glob("*-3-*.jsonl")
        ]
        assert summary["solved"] + sum(n for name, n in summary["outcomes"].items() if name != "solved") == 4
        assert errors.count("error:") == 1
        fails, before = False, len(server.calls)
        assert main(command) in (0, 1)
        assert {call.body["seed"] for call in server.calls[before:]} == {3}
    assert json.loads(capfd.readouterr().out)["infrastructure_errors"] == []
    assert KEY.encode() not in written(tmp_path) + errors.encode()


# ── single runs over HTTP ────────────────────────────────────────────────────────────────────────


REFUSALS = [
    Trouble(401, json.dumps({"error": {"message": f"Incorrect key {KEY}", "code": "invalid_api_key"}})),
    Trouble(403),
    Trouble(404),
    Trouble(400),
    Trouble(200, f"<html>{KEY}</html>"),
    Trouble(200, "{}"),
]


@pytest.fixture(scope="module")
def task() -> Task:
    return shipped_task("blocksworld", "p01")


def _oracle(task: Task) -> Any:
    from pddl2nl.experiments.models import ModelContext, make_model
    from pddl2nl.nl import choose_wording

    return make_model("oracle", ModelContext(task.domain, choose_wording(None, task.domain))).model


@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize("policy", ASKING)
def test_a_mechanism_solves_a_task_over_http_with_faults_on_the_way(policy: str, task: Task, tmp_path: Path) -> None:
    rng = random.Random(policy)
    passing = [Trouble(429), Trouble(500), Trouble(503), Trouble(408), Trouble(drop=True)]

    def fault(number: int) -> Trouble | None:
        return rng.choice(passing) if rng.random() < 0.3 else None

    with ChatServer(_oracle(task), fault) as server:
        result = run(task, policy, "gpt-4o-2024-08-06", base_url=server.base_url, record=tmp_path / "run.jsonl")
        calls = len(server.calls)
    assert result.solved, result
    assert result.spent.calls <= calls
    assert result.spent.prompt_tokens > 0
    assert result.spent.usd is not None
    assert result.spent.usd > 0
    started = json.loads((tmp_path / "run.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert (started["models"]["planner"], started["base_url"]) == ("gpt-4o-2024-08-06", server.base_url)
    assert KEY not in (tmp_path / "run.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize("policy", ["basic", "tools"])
@pytest.mark.parametrize("trouble", REFUSALS, ids=["401", "403", "404", "400", "html", "no-completion"])
def test_no_fault_is_scored_and_no_key_is_shown(
    policy: str,
    trouble: Trouble,
    task: Task,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    with ChatServer(ScriptedModel([]), lambda number: trouble) as server:
        result = run(
            task, policy, "m", base_url=server.base_url, example="none", steps=3, record=tmp_path / "run.jsonl"
        )
        assert len(server.calls) == 1
    assert result.outcome == "infrastructure-error"
    assert result.mistakes == 0
    written = "".join(path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file())
    shown = "".join(capfd.readouterr())
    for text in (written, shown, caplog.text, repr(result), str(result.as_json()), result.message):
        assert KEY not in text


def test_credentials_in_the_base_url_are_not_recorded(task: Task, tmp_path: Path) -> None:
    with ChatServer(ScriptedModel(["no plan"])) as server:
        url = server.base_url.replace("http://", "http://me:secret@")
        run(task, "basic", "m", base_url=url, example="none", record=tmp_path / "run.jsonl")
    text = (tmp_path / "run.jsonl").read_text(encoding="utf-8")
    assert server.base_url in text
    assert "secret" not in text

"""``convert --wording llm``: a model words a domain once, on the command line."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pddl2nl.experiments.models import wrap_model
from pddl2nl.llm import Completion, Request, ScriptedModel
from tests.cli.one_command import run_command
from tests.llm.chat_server import ChatServer

DOMAIN = """(define (domain doors)
  (:requirements :typing :negative-preconditions)
  (:types door)
  (:predicates (open ?d - door) (locked ?d - door))
  (:action push :parameters (?d - door) :precondition (not (locked ?d)) :effect (open ?d))
  (:action unlock :parameters (?d - door) :precondition (locked ?d) :effect (not (locked ?d))))
"""
PROBLEM = """(define (problem hall) (:domain doors) (:objects d1 d2 - door)
  (:init (locked d1)) (:goal (and (open d1) (open d2))))
"""
REPLIES = ("{?d} is open", "{?d} is locked", "push door {?d}", "unlock door {?d}")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    (tmp_path / "problem.pddl").write_text(PROBLEM)
    return [str(tmp_path / "domain.pddl"), str(tmp_path / "problem.pddl")]


def script(folder: Path, *replies: str) -> str:
    (folder / "script.txt").write_text("\n---\n".join(replies))
    return f"script:{folder / 'script.txt'}"


def test_a_model_words_a_domain_once_for_every_run(files: list[str], tmp_path: Path) -> None:
    saved = str(tmp_path / "new" / "wording.json")
    model = script(tmp_path, *REPLIES)
    first = run_command("convert", *files, "--wording", "llm", "--model", model, "--save-wording", saved)
    assert (first.code, first.err) == (0, "")
    assert "I can only push a door A if it is not the case that A is locked." in first.out
    assert run_command("convert", *files, "--wording", saved).out == first.out
    source = json.loads(Path(saved).read_text())["source"]
    assert (source["method"], source["model"], source["revisions"], source["fell_back"]) == ("llm", model, 1, {})
    assert re.fullmatch(r"[0-9a-f]{64}", source["prompt_sha256"])
    told = run_command("tell", *files, "-", "--wording", saved, text="(unlock d1)\n(push d1)\n")
    assert told.out == "unlock door door_0\npush door door_0\n"
    assert run_command("read", *files, "--wording", saved, text=told.out).out == "(unlock d1)\n(push d1)\n"


def test_what_stays_wrong_falls_back_and_is_warned_of_every_time(files: list[str], tmp_path: Path) -> None:
    saved = str(tmp_path / "wording.json")
    model = script(tmp_path, "{?d} is open", "{?d} is locked", "push the door", "push door ?d", "unlock door {?d}")
    first = run_command("convert", *files, "--wording", "llm", "--model", model, "--save-wording", saved)
    assert first.code == 0
    assert "warning: the action 'push' fell back to the template" in first.err
    assert "apply the action 'push' to a door A" in first.out
    assert json.loads(Path(saved).read_text())["source"]["fell_back"] == {"actions": ["push"]}
    assert "the template's text for the action 'push'" in run_command("convert", *files, "--wording", saved).err


def test_more_revisions_and_negated_forms_can_be_asked_for(files: list[str], tmp_path: Path) -> None:
    replies = (
        "{?d} is open\nNegated: {?d} is shut",
        "{?d} is locked\nNegated: {?d} is not locked",
        "push the door",
        "push door ?d",
        "push door {?d}",
        "unlock door {?d}",
    )
    options = ("--revisions", "2", "--ask-negated", "--json")
    result = run_command("convert", *files, "--wording", "llm", "--model", script(tmp_path, *replies), *options)
    assert (result.code, result.err) == (0, "")
    wording = json.loads(result.out)["wording"]
    assert wording["predicates"]["open"]["negated"] == "{?d} is shut"
    assert wording["source"]["revisions"] == 2


@dataclass
class Watching:
    """A model that notes at each call what stands in a file by then."""

    file: Path
    seen: list[list[str]] = field(default_factory=list)
    name: str = "watching"

    def complete(self, request: Request) -> Completion:
        source = json.loads(self.file.read_text())["source"] if self.file.is_file() else {}
        self.seen.append([name for names in source.get("unfinished", {}).values() for name in names])
        return Completion(REPLIES[len(self.seen) - 1])


def test_a_place_where_nothing_can_be_saved_is_refused_before_anything_is_asked(
    files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Watching(tmp_path / "w.json")
    monkeypatch.setattr("pddl2nl.experiments.models.make_model", lambda *_: wrap_model(model))
    options = ("--wording", "llm", "--model", "m", "--save-wording")
    folder = run_command("convert", *files, *options, str(tmp_path))
    assert folder.code == 2
    assert "is a folder" in folder.err
    below_a_file = run_command("convert", *files, *options, f"{files[0]}/w.json")
    assert below_a_file.code == 3
    assert model.seen == []


def test_an_endpoint_is_asked_as_the_paper_asked(
    files: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    saved = tmp_path / "w.json"
    with ChatServer(ScriptedModel(REPLIES)) as server:
        options = ("--wording", "llm", "--model", "some-model", "--base-url", server.base_url, "--seed", "4")
        result = run_command("convert", *files, *options, "--save-wording", str(saved))
        bodies = [asked.body for asked in server.calls]
    assert result.code == 0
    assert re.fullmatch(r"some-model: 4 calls, \d+ \+ \d+ tokens, price unknown\n", result.err)
    assert len(bodies) == 4
    assert {(body["temperature"], body["seed"], body["max_tokens"]) for body in bodies} == {(0.0, 4, 200)}
    assert bodies[0]["messages"][-1]["content"] == "(open ?d)"
    # Seven examples as chat history, and none in the system prompt.
    assert [message["role"] for message in bodies[0]["messages"]] == ["system", *["user", "assistant"] * 7, "user"]
    assert "{?d} is locked" not in bodies[1]["messages"][0]["content"]
    assert "it is not the case that ?d is locked" in bodies[2]["messages"][-1]["content"]
    assert "sk-secret" not in saved.read_text() + result.out


def test_a_second_wording_of_an_endpoint_comes_from_the_cache(files: list[str], tmp_path: Path) -> None:
    models = tmp_path / "models.toml"
    models.write_text("[models.some-model]\nprice = {prompt = 1.0, cached = 1.0, completion = 1.0}\n")
    with ChatServer(ScriptedModel(REPLIES)) as server:
        options = ("--wording", "llm", "--model", "some-model", "--base-url", server.base_url, "--models", str(models))
        first = run_command("convert", *files, *options)
        again = run_command("convert", *files, *options)
        assert len(server.calls) == 4
    assert (first.code, again.code) == (0, 0)
    assert again.out == first.out
    assert "4 calls, " in first.err
    assert "0.0000 USD" not in first.err
    assert again.err == "some-model: 0 calls, 4 from the cache, 0 + 0 tokens, 0.0000 USD\n"


def test_a_provider_s_batches_word_the_same_in_two_goes(files: list[str], tmp_path: Path) -> None:
    def reply(request: Request) -> str:
        said = request.messages[-1].content
        return next(
            text for key, text in zip(("open", "locked", "push", "unlock"), REPLIES, strict=True) if key in said[:40]
        )

    class ByContent:
        name = "by-content"

        def complete(self, request: Request) -> Completion:
            return Completion(reply(request))

    with ChatServer(ByContent()) as server:
        options = ("--wording", "llm", "--model", "m", "--base-url", server.base_url, "--cache")
        live = run_command("convert", *files, *options, str(tmp_path / "live.sqlite"))
        asked = len(server.calls)
        batch = run_command(
            "convert", *files, *options, str(tmp_path / "b.sqlite"), "--provider-batch", "--poll-seconds", "0"
        )
        created = [call for call in server.calls if call.method == "POST" and call.path.endswith("/batches")]
        assert not [call for call in server.calls[asked:] if call.path.endswith("/chat/completions")]
    assert (live.code, batch.code) == (0, 0)
    assert batch.out == live.out
    assert len(created) == 2
    assert batch.err.startswith("m: 4 calls, ")


def test_a_limit_stops_a_wording_and_the_same_command_goes_on_from_the_cache(files: list[str], tmp_path: Path) -> None:
    saved = tmp_path / "w.json"
    with ChatServer(ScriptedModel(REPLIES)) as server:
        options = ("--wording", "llm", "--model", "some-model", "--base-url", server.base_url)
        stopped = run_command("convert", *files, *options, "--save-wording", str(saved), "--budget-calls", "3")
        assert stopped.code == 1
        assert "the same command continues from there" in stopped.err
        assert "error: the limit of 3 calls is reached, and the wording is not finished" in stopped.err
        assert not saved.exists()
        assert run_command("convert", *files, *options, "--save-wording", str(saved)).code == 0
        assert len(server.calls) == 4
    assert "unlock" in json.loads(saved.read_text())["actions"]


def test_the_parse_of_negations_needs_its_language_model(files: list[str]) -> None:
    result = run_command("convert", *files, "--negation", "stanza")
    # Every predicate of the template can be negated by the rules, so no parser is needed.
    assert result.code == 0
    other = Path(files[0]).with_name("w.json")
    other.write_text(_odd_wording())
    refused = run_command("convert", *files, "--wording", str(other), "--negation", "stanza")
    assert refused.code == 2
    assert "pip install 'pddl2nl[stanza]'" in refused.err or "stanza.download" in refused.err


def _odd_wording() -> str:
    predicates = {
        "open": {"parameters": ["?d"], "text": "{?d} yawns"},
        "locked": {"parameters": ["?d"], "text": "{?d} is locked"},
    }
    actions = {name: {"parameters": ["?d"], "text": f"{name} {{?d}}"} for name in ("push", "unlock")}
    return json.dumps({"format": 1, "domain": "doors", "predicates": predicates, "actions": actions})

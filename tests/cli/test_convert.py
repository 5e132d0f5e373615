from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pddl2nl.cli.app import main
from pddl2nl.experiments.models import wrap_model
from pddl2nl.llm import Completion, Request, ScriptedModel
from tests.cli.one_command import refused, run_command
from tests.llm.chat_server import ChatServer

GOLDEN = Path(__file__).parent.parent / "nl" / "golden"
CRATES = [str(GOLDEN / "crates" / "domain.pddl"), str(GOLDEN / "crates" / "problem.pddl")]


def test_convert_prints_the_texts() -> None:
    result = run_command("convert", *CRATES)
    assert result.code == 0
    folder = GOLDEN / "crates"
    assert result.out == (folder / "domain.txt").read_text() + "\n" + (folder / "problem.txt").read_text()


def test_convert_json() -> None:
    result = run_command("convert", *CRATES, "--json", "--names", "original")
    data = json.loads(result.out)
    assert list(data) == ["domain_text", "goal_text", "objects_text", "init_text", "names", "wording"]
    assert data["names"]["c1"] == "c1"
    assert data["wording"]["actions"]["seal"]["text"] == "seal the hub"


def test_convert_in_style_pddl() -> None:
    result = run_command("convert", *CRATES, "--style", "pddl")
    assert result.out.startswith("(define (domain crates)")
    assert "(:goal (and (at c1 hub)" in result.out


def test_a_saved_wording_serves_again(tmp_path: Path) -> None:
    file = tmp_path / "saved" / "w.json"
    first = run_command("convert", *CRATES, "--wording", "template", "--save-wording", str(file))
    second = run_command("convert", *CRATES, "--wording", str(file))
    assert first.code == second.code == 0
    assert first.out == second.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--wording", "llm"], "--wording llm asks a model: --model M"),
        (["--wording", "llm", "--model", "oracle"], "--model oracle plans and cannot word a domain"),
        (["--model", "m"], "--model is for --wording llm, which asks a model"),
        (["--ask-negated", "--revisions", "0"], "--revisions, --ask-negated are for --wording llm"),
        (["--wording-tokens", "400", "--seed", "2"], "--wording-tokens, --seed are for --wording llm"),
        (
            ["--wording", "Template"],
            "--wording 'Template': default, template or a file was expected; did you mean 'template'?",
        ),
        (["--wording", ""], "--wording '': default, template or a file was expected"),
        (["--wording", "nowhere.json"], "nowhere.json: no such file"),
    ],
)
def test_options_that_cannot_be_met_are_refused(arguments: list[str], message: str) -> None:
    assert message in refused("convert", *CRATES, *arguments)


def test_wordings_with_two_actions_of_one_text_are_warned_of(tmp_path: Path) -> None:
    data = json.loads((GOLDEN / "crates" / "wording.json").read_text())
    data["actions"]["unload"]["text"] = "load {?c} into {?v} at {?p}"
    file = tmp_path / "w.json"
    file.write_text(json.dumps(data))
    result = run_command("convert", *CRATES, "--wording", str(file))
    assert result.code == 0
    assert "warning: the actions 'load' and 'unload' cannot be told apart" in result.err


# ── convert --wording llm: a model words a domain once, on the command line ───────────────────────


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


# ── pddl2nl word review ──────────────────────────────────────────────────────────────────────────


DOMAINS = Path(__file__).parents[2] / "domains"
FERRY = DOMAINS / "ferry" / "domain.pddl"


@pytest.fixture
def couch(tmp_path: Path) -> Path:
    """Ferry's wording, with a text that has every parameter and the wrong meaning."""
    data = json.loads((DOMAINS / "ferry" / "wording.json").read_text())
    data["predicates"]["on"] = {"parameters": ["?c"], "text": "{?c} is on the couch"}
    file = tmp_path / "wording.json"
    file.write_text(json.dumps(data))
    return file


def test_a_text_with_another_meaning_is_listed(couch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["word", "review", str(couch), str(FERRY)]) == 1
    assert capsys.readouterr().out == (
        "predicate 'on': {?c} is on the couch\n  it speaks of 'couch', which the domain does not name\n"
    )


def test_json_has_the_reasons(couch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["word", "review", str(couch), str(FERRY), "--json"]) == 1
    (item,) = json.loads(capsys.readouterr().out)["review"]
    assert item == {
        "kind": "predicates",
        "name": "on",
        "text": "{?c} is on the couch",
        "reasons": ["speaks of 'couch', which the domain does not name"],
    }


def test_the_marks_of_the_file_count_where_it_has_any(couch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(couch.read_text())
    data["source"]["review"] = []
    couch.write_text(json.dumps(data))
    assert main(["word", "review", str(couch), str(FERRY)]) == 0
    assert capsys.readouterr().out == ""
    mark = {"kind": "predicates", "name": "on", "text": "{?c} is on the couch", "reasons": ["is odd"]}
    data["source"]["review"] = [mark, {**mark, "text": "{?c} is on deck"}, "nonsense", {"reasons": []}]
    couch.write_text(json.dumps(data))
    assert main(["word", "review", str(couch), str(FERRY)]) == 1
    assert capsys.readouterr().out == "predicate 'on': {?c} is on the couch\n  it is odd\n"


def test_the_domain_beside_the_file_is_the_default(couch: Path) -> None:
    assert main(["word", "review", str(DOMAINS / "ferry" / "wording.json")]) == 0
    assert "no domain.pddl lies beside it" in refused("word", "review", str(couch))

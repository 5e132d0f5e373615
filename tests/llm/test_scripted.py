"""Scripts: three kinds of file, conditions, faults on purpose, and running out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pddl2nl.errors import InfrastructureError
from pddl2nl.llm import Message, ModelConfigurationError, ReplayError, Request, ScriptedModel, ScriptedReply


def _ask(text: str) -> Request:
    return Request((Message("system", "s"), Message("user", text)))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("script.json", json.dumps(["one\ntwo", {"reply": "three"}])),
        ("script.jsonl", json.dumps("one\ntwo") + "\n\n" + json.dumps({"reply": "three"}) + "\n"),
        ("script.txt", "one\ntwo\n---\nthree\n"),
    ],
)
def test_every_kind_of_file_gives_the_same_replies(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    model = ScriptedModel.from_file(path)
    assert model.name == f"script:{path}"
    assert [model.complete(_ask("x")).text for _ in range(2)] == ["one\ntwo", "three"]
    with pytest.raises(ReplayError, match="all of its 2 replies are used up"):
        model.complete(_ask("x"))


def test_a_script_too_short_is_an_infrastructure_error() -> None:
    with pytest.raises(InfrastructureError):
        ScriptedModel([]).complete(_ask("x"))


def test_a_condition_waits_for_its_prompt() -> None:
    model = ScriptedModel([ScriptedReply("it burns", when="fire"), ScriptedReply("it is wet", when="rain")])
    assert model.complete(_ask("rain falls")).text == "it is wet"
    with pytest.raises(ReplayError, match="none of the 1 replies left"):
        model.complete(_ask("snow falls"))
    assert model.complete(_ask("a fire")).text == "it burns"


def test_a_reply_can_fall_short_on_purpose(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(json.dumps([{"reply": "I will not", "finish": "refused"}]), encoding="utf-8")
    assert ScriptedModel.from_file(path).complete(_ask("x")).finish == "refused"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.json", "{", "not JSON"),
        ("a.json", "{}", "a list of replies"),
        ("a.json", "[3]", "entry 1"),
        ("a.json", '[{"reply": "x", "wen": "y"}]', "unknown key wen; did you mean 'when'"),
        ("a.json", '[{"reply": "x", "finish": "gone"}]', "finish"),
        ("a.json", '[{"reply": "x", "when": 3}]', "when"),
        ("a.jsonl", '"x"\n{\n', "a.jsonl:2"),
    ],
)
def test_a_bad_script_is_refused_with_its_place(tmp_path: Path, name: str, text: str, words: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ModelConfigurationError, match=words):
        ScriptedModel.from_file(tmp_path / name)


def test_a_script_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelConfigurationError, match="cannot read the script"):
        ScriptedModel.from_file(tmp_path / "none.json")

"""Replies from records: found by the whole request, and a changed prompt shown with its difference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.llm import Message, ModelConfigurationError, ReplayError, ReplayModel, Request, Usage, request_key

FIRST = (Message("system", "rules\nof the game"), Message("user", "the task"))
SECOND = (*FIRST, Message("assistant", "Action: go"), Message("user", "I go."))


def _prompted(call: int, kept: int, messages: tuple[Message, ...], **settings: Any) -> dict[str, Any]:
    said = [{"role": message.role, "content": message.content} for message in messages]
    fixed = {"temperature": 0.0, "seed": 1, "max_tokens": None, "stop": [], "sample": 0}
    return {
        "event": "prompted",
        "call": call,
        "purpose": "planner",
        "kept": kept,
        "messages": said,
        "request_sha256": "",
        **fixed,
        **settings,
    }


def _replied(call: int, text: str) -> dict[str, Any]:
    return {
        "event": "replied",
        "call": call,
        "text": text,
        "finish": "text",
        "prompt_tokens": 7,
        "completion_tokens": 3,
        "cached_tokens": 2,
        "reasoning_tokens": 1,
        "usd": 0.5,
        "model": "m",
        "fingerprint": "f",
        "seconds": 0.25,
    }


def _write(path: Path, events: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    events = [
        {"event": "started"},
        _prompted(1, 0, FIRST),
        _replied(1, "Action: go"),
        _prompted(2, 2, SECOND[2:]),
        _replied(2, "Action: stay"),
        {"event": "finished"},
    ]
    _write(tmp_path / "deep" / "run.jsonl", events)
    return tmp_path


def test_a_recorded_request_gets_its_reply_with_its_accounts(folder: Path) -> None:
    model = ReplayModel(folder)
    assert model.name == f"replay:{folder}"
    first = model.complete(Request(FIRST, seed=1))
    assert (first.text, first.model, first.fingerprint) == ("Action: go", "m", "f")
    assert first.usage == Usage(7, 3, 2, 1)
    assert model.complete(Request(SECOND, seed=1)).text == "Action: stay"
    assert model.complete(Request(SECOND, seed=1, purpose="thoughts")).text == "Action: stay"


def test_a_changed_prompt_is_reported_with_its_difference_from_the_nearest(folder: Path) -> None:
    changed = (*SECOND[:3], Message("user", "I went."))
    with pytest.raises(ReplayError) as caught:
        ReplayModel(folder).complete(Request(changed, seed=1))
    lines = str(caught.value).splitlines()
    assert "never recorded" in lines[0]
    assert lines[0].endswith("run.jsonl")
    assert "-user: I go." in lines
    assert "+user: I went." in lines
    assert not any("the task" in line for line in lines if line.startswith(("-", "+")))


def test_a_changed_beginning_is_compared_with_the_same_turn(folder: Path) -> None:
    changed = (*FIRST[:-1], Message("user", FIRST[-1].content + " Then the words of the second turn: Action: go I go."))
    with pytest.raises(ReplayError) as caught:
        ReplayModel(folder).complete(Request(changed, seed=1))
    assert not any(line.startswith("-assistant") for line in str(caught.value).splitlines())


def test_a_changed_setting_is_reported_by_name(folder: Path) -> None:
    with pytest.raises(ReplayError, match="seed: recorded 1, asked 2"):
        ReplayModel(folder).complete(Request(FIRST, seed=2))


def test_one_request_recorded_twice_is_answered_in_turn(tmp_path: Path) -> None:
    for name, text in (("a", "one"), ("b", "two")):
        _write(tmp_path / f"{name}.jsonl", [_prompted(1, 0, FIRST), _replied(1, text)])
    model = ReplayModel(tmp_path)
    assert [model.complete(Request(FIRST, seed=1)).text for _ in range(3)] == ["one", "two", "two"]


def test_the_record_of_a_killed_run_is_used_up_to_its_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl.partial"
    _write(path, [_prompted(1, 0, FIRST), _replied(1, "paid for")])
    path.write_text(path.read_text(encoding="utf-8") + '{"event": "prom', encoding="utf-8")
    assert ReplayModel(tmp_path).complete(Request(FIRST, seed=1)).text == "paid for"
    assert ReplayModel(path).complete(Request(FIRST, seed=1)).text == "paid for"


def test_nothing_to_replay_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelConfigurationError, match="no such folder"):
        ReplayModel(tmp_path / "none")
    with pytest.raises(ModelConfigurationError, match="no recorded reply"):
        ReplayModel(tmp_path)
    (tmp_path / "bad.jsonl").write_text("{\n{}\n", encoding="utf-8")
    with pytest.raises(ModelConfigurationError, match=r"bad\.jsonl:1"):
        ReplayModel(tmp_path)
    (tmp_path / "bad.jsonl").write_text('{"event": "replied"}\n', encoding="utf-8")
    with pytest.raises(ModelConfigurationError, match="not an event"):
        ReplayModel(tmp_path)


def test_the_key_covers_everything_that_determines_a_reply() -> None:
    base = Request(FIRST, seed=1)
    others = [
        Request(SECOND, seed=1),
        Request(FIRST, seed=2),
        Request(FIRST, seed=1, temperature=0.5),
        Request(FIRST, seed=1, max_tokens=9),
        Request(FIRST, seed=1, stop=("x",)),
        Request(FIRST, seed=1, sample=1),
    ]
    assert len({request_key(request) for request in [base, *others]}) == 7
    assert request_key(base) == request_key(Request(FIRST, seed=1, purpose="wording"))

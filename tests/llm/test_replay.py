"""Replies from records: found by the whole request, and a changed prompt shown with its difference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.llm import (
    ContextWindowError,
    EndpointError,
    Message,
    ModelConfigurationError,
    ReplayError,
    ReplayModel,
    Request,
    Usage,
    request_key,
)
from pddl2nl.llm.replay import Unanswered, read_calls, read_exchanges, recorded_price

FIRST = (Message("system", "rules\nof the game"), Message("user", "the task"))
SECOND = (*FIRST, Message("assistant", "Action: go"), Message("user", "I go."))


def prompted_line(call: int, kept: int, messages: tuple[Message, ...], **settings: Any) -> dict[str, Any]:
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


def replied_line(call: int, text: str) -> dict[str, Any]:
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
        prompted_line(1, 0, FIRST),
        replied_line(1, "Action: go"),
        prompted_line(2, 2, SECOND[2:]),
        replied_line(2, "Action: stay"),
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
    assert "  first different in message 4 (user), line 1" in lines
    assert "-user: I go." in lines
    assert "+user: I went." in lines
    assert not any("the task" in line for line in lines if line.startswith(("-", "+")))


def test_a_changed_setting_is_reported_by_name(folder: Path) -> None:
    with pytest.raises(ReplayError, match="seed: recorded 1, asked 2"):
        ReplayModel(folder).complete(Request(FIRST, seed=2))


def test_one_request_recorded_twice_is_answered_in_turn(tmp_path: Path) -> None:
    for name, text in (("a", "one"), ("b", "two")):
        _write(tmp_path / f"{name}.jsonl", [prompted_line(1, 0, FIRST), replied_line(1, text)])
    model = ReplayModel(tmp_path)
    assert [model.complete(Request(FIRST, seed=1)).text for _ in range(3)] == ["one", "two", "two"]


def test_the_record_of_a_killed_run_is_used_up_to_its_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl.partial"
    _write(path, [prompted_line(1, 0, FIRST), replied_line(1, "paid for")])
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


def test_a_reply_comes_back_with_tariff_cache_hit_and_what_it_cost(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    _write(
        path, [prompted_line(1, 0, FIRST), replied_line(1, "x") | {"tariff": "batch", "from_cache": True, "usd": 0.125}]
    )
    completion = ReplayModel(path).complete(Request(FIRST, seed=1))
    assert (completion.tariff, completion.from_cache) == ("batch", True)
    price = recorded_price(completion)
    assert price.usd(completion.usage, completion.tariff) == 0.125
    _write(path, [prompted_line(1, 0, FIRST), replied_line(1, "x") | {"usd": None}])
    older = ReplayModel(path).complete(Request(FIRST, seed=1))
    assert (older.tariff, older.from_cache, recorded_price(older)) == ("standard", False, None)


def test_replies_are_shared_by_the_names_under_which_they_are_served(tmp_path: Path) -> None:
    _write(
        tmp_path / "a.jsonl",
        [prompted_line(1, 0, FIRST), replied_line(1, "one"), prompted_line(2, 2, ()), replied_line(2, "two")],
    )
    model = ReplayModel(tmp_path)
    other = model.under("gpt")
    assert (model.name, other.name) == (f"replay:{tmp_path}", "gpt")
    assert other.complete(Request(FIRST, seed=1)).text == "one"
    assert model.complete(Request(FIRST, seed=1)).text == "two"
    with pytest.raises(ReplayError):
        other.complete(Request(FIRST, seed=3))
    assert [text.splitlines()[1] for text in model.missed] == ["  seed: recorded 1, asked 3"]


@pytest.mark.parametrize("context_window", [False, True])
def test_a_call_that_failed_fails_again(tmp_path: Path, context_window: bool) -> None:
    failed = {"event": "failed", "call": 1, "message": "503 for good", "context_window": context_window}
    events = [prompted_line(1, 0, FIRST), failed, prompted_line(1, 0, SECOND), replied_line(1, "after it")]
    _write(tmp_path / "run.jsonl", events)
    model = ReplayModel(tmp_path)
    with pytest.raises(ContextWindowError if context_window else EndpointError, match="503 for good"):
        model.complete(Request(FIRST, seed=1))
    assert model.complete(Request(SECOND, seed=1)).text == "after it"
    assert [exchange.completion.text for exchange in read_exchanges(tmp_path / "run.jsonl")] == ["after it"]
    # Where another record has the reply, the failure is of no account.
    _write(tmp_path / "z.jsonl", [prompted_line(1, 0, FIRST), replied_line(1, "the second time")])
    assert ReplayModel(tmp_path).complete(Request(FIRST, seed=1)).text == "the second time"


def test_a_record_may_end_before_its_last_reply(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    _write(path, [prompted_line(1, 0, FIRST)])
    (call,) = read_calls(path)
    assert isinstance(call, Unanswered)
    assert isinstance(call.error, ReplayError)
    with pytest.raises(ModelConfigurationError, match="no recorded reply"):
        ReplayModel(path)
    with pytest.raises(ReplayError, match="the record ends"):
        ReplayModel(path, empty=True).complete(Request(FIRST, seed=1))


def test_a_prompt_goes_on_from_the_last_one_that_was_answered(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    other = (FIRST[0], Message("user", "another task"))
    failed = {"event": "failed", "call": 2, "message": "too long", "context_window": True}
    events = [prompted_line(1, 0, FIRST), replied_line(1, "a"), prompted_line(2, 1, other[1:]), failed]
    _write(path, [*events, prompted_line(2, 2, SECOND[2:]), replied_line(2, "b")])
    assert [exchange.request.messages for exchange in read_exchanges(path)] == [FIRST, SECOND]


def test_only_a_line_feed_ends_a_line_and_a_torn_character_is_a_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl.partial"
    said = "one\u2028two\u0085three\x0cfour"
    lines = [json.dumps(event, ensure_ascii=False) for event in (prompted_line(1, 0, FIRST), replied_line(1, said))]
    path.write_bytes("\n".join(lines).encode() + b"\n" + '{"text": "日'.encode()[:-1])
    assert [exchange.completion.text for exchange in read_exchanges(path)] == [said]

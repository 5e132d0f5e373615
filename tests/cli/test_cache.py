"""``pddl2nl cache``: counted, checked, carried elsewhere and thinned out, with the exit codes of the house."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from pddl2nl.cli import cache as group
from pddl2nl.errors import InputError
from pddl2nl.llm import Completion, Usage
from pddl2nl.llm.cache import Cache
from pddl2nl.llm.replies import completion_to_json

URL = "https://example.org/v1"


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PDDL2NL_CACHE", str(tmp_path / "replies.sqlite"))
    return tmp_path / "replies.sqlite"


def fill(path: Path, models: tuple[str, ...] = ("gpt-4o", "gpt-4o", "unheard-of"), text: str = "Action: — go") -> None:
    with Cache(path) as cache:
        for number, model in enumerate(models):
            body = {"model": model, "messages": [{"role": "user", "content": str(number)}]}
            said = {"kind": "chat", "endpoint": URL, "body": body, "sample": 0}
            cache.put(said, completion_to_json(Completion(text, usage=Usage(1000, 100, 200))))


def spoil(path: Path, sql: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(sql)
    connection.commit()
    connection.close()


def call(*arguments: str, text: str | None = None) -> Result:
    app = typer.Typer()
    app.callback()(lambda: None)
    group.register(app)
    return CliRunner().invoke(app, ["cache", *arguments], input=text)


def answer(*arguments: str) -> Any:
    return json.loads(call(*arguments, "--json").stdout)


def test_stats_count_by_model_and_endpoint(file: Path) -> None:
    fill(file)
    found = answer("stats")
    assert (found["cache"], found["replies"]) == (str(file), 3)
    assert found["bytes"] == file.stat().st_size
    first, second = found["groups"]
    assert (first["kind"], first["model"], first["endpoint"], first["replies"]) == ("chat", "gpt-4o", URL, 2)
    assert (first["prompt_tokens"], first["completion_tokens"], first["cached_tokens"]) == (2000, 200, 400)
    assert first["usd"] == pytest.approx((1600 * 2.5 + 400 * 1.25 + 200 * 10) / 1e6)
    assert first["first"] <= first["last"]
    assert second["usd"] is None
    result = call("stats")
    assert result.exit_code == 0
    assert "3 replies" in result.stdout
    assert "0.0065" in result.stdout
    assert "unknown" in result.stdout


def test_a_cache_that_is_not_there_is_empty_and_is_not_made(file: Path) -> None:
    result = call("stats")
    assert result.exit_code == 0
    assert "empty; the file does not exist yet" in result.stdout
    assert answer("stats") == {"cache": str(file), "replies": 0, "bytes": 0, "groups": []}
    assert not file.exists()


@pytest.mark.parametrize("command", [["verify"], ["export"], ["prune", "--all"], ["prune", "--all", "--dry-run"]])
def test_what_needs_a_cache_says_where_there_is_none(command: list[str], file: Path) -> None:
    result = call(*command)
    assert isinstance(result.exception, InputError)
    assert str(result.exception) == f"{file}: no such cache"
    assert not file.exists()


def test_verify_says_what_is_damaged(file: Path) -> None:
    fill(file)
    result = call("verify")
    assert (result.exit_code, result.stdout) == (0, f"{file}: 3 replies, all sound\n")
    assert answer("verify") == {"cache": str(file), "replies": 3, "sound": True, "damage": []}
    spoil(file, "UPDATE replies SET reply = replace(reply, 'go', 'no') WHERE model = 'unheard-of'")
    result = call("verify", "--json")
    assert result.exit_code == 1
    (damage,) = json.loads(result.stdout)["damage"]
    assert "checksum" in damage["reason"]
    result = call("verify")
    assert result.exit_code == 1
    assert f"{damage['key']}: {damage['reason']}" in result.stdout
    result = call("prune", "--damaged")
    assert (result.exit_code, call("verify").exit_code) == (0, 0)
    assert answer("stats")["replies"] == 2


def test_what_is_exported_can_be_imported_elsewhere(file: Path) -> None:
    fill(file)
    result = call("export", "out/replies.jsonl")
    assert (result.exit_code, result.stdout) == (0, "3 replies written to out/replies.jsonl\n")
    assert [path.name for path in Path("out").iterdir()] == ["replies.jsonl"]
    lines = Path("out/replies.jsonl").read_text(encoding="utf-8")
    assert call("export").stdout == call("export", "-").stdout == lines
    assert [sorted(json.loads(line)) for line in lines.splitlines()] == [
        ["checksum", "created", "format", "identity", "key", "reply"]
    ] * 3
    assert "— go" in lines
    found = answer("import", "out/replies.jsonl", "--cache", "other.sqlite")
    assert found == {
        "cache": "other.sqlite",
        "file": "out/replies.jsonl",
        "imported": 3,
        "present": 0,
        "differing": 0,
        "refused": [],
    }
    assert call("export", "--cache", "other.sqlite").stdout == lines
    result = call("import", "-", "--cache", "third.sqlite", text=lines)
    assert (result.exit_code, result.stdout) == (0, "third.sqlite: 3 added, 0 there already, 0 refused\n")
    assert call("verify", "--cache", "third.sqlite").exit_code == 0


def test_a_pipe_is_written_to_and_not_replaced(file: Path, tmp_path: Path) -> None:
    fill(file)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard: list[str] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    assert call("export", str(pipe)).exit_code == 0
    reader.join()
    assert heard == [call("export").stdout]
    assert pipe.is_fifo()


def test_a_byte_order_mark_before_the_lines_is_none_of_them(file: Path) -> None:
    fill(file)
    Path("lines.jsonl").write_text("\ufeff" + call("export").stdout, encoding="utf-8")
    assert answer("import", "lines.jsonl", "--cache", "other.sqlite")["imported"] == 3


def test_lines_that_are_refused_are_named(file: Path) -> None:
    fill(file)
    first, second, third = call("export").stdout.splitlines()
    Path("lines.jsonl").write_bytes(f"{first}\n{second[:50]}\n".encode() + third.encode().replace(b"go", b"\xff\xfe"))
    result = call("import", "lines.jsonl", "--cache", "other.sqlite")
    assert result.exit_code == 1
    assert result.stdout == "other.sqlite: 1 added, 0 there already, 2 refused\n"
    warnings = result.stderr.splitlines()
    assert warnings[0].startswith("warning: lines.jsonl:2: it is not JSON")
    assert warnings[1].startswith("warning: lines.jsonl:3: its reply was changed")


def test_another_reply_to_the_same_request_is_told(file: Path) -> None:
    fill(file)
    fill(Path("other.sqlite"), text="Action: stay")
    call("export", "other.jsonl", "--cache", "other.sqlite")
    result = call("import", "other.jsonl")
    assert result.exit_code == 0
    assert "0 added, 3 there already" in result.stdout
    assert "3 lines have another reply than the stored one, which stays" in result.stderr


def test_damaged_replies_are_left_out_of_an_export(file: Path) -> None:
    fill(file)
    spoil(file, "UPDATE replies SET reply = '{}' WHERE model = 'unheard-of'")
    result = call("export", "out.jsonl", "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert (found["replies"], len(found["damage"])) == (2, 1)
    assert found["damage"][0]["key"] in result.stderr
    assert len(Path("out.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["export", "replies.sqlite"], "is the cache itself"),
        (["export", "."], "is a folder"),
        (["export", "--json"], "need a FILE"),
        (["import", "replies.sqlite"], "is a cache itself"),
        (["import", "none.jsonl"], "no such file"),
        (["import", "."], "a directory, where a file was expected"),
        (["prune"], "or --all"),
        (["prune", "--dry-run"], "or --all"),
        (["prune", "--older-than", "30"], "90m, 12h, 30d or 8w"),
        (["prune", "--older-than", "-3d"], "90m, 12h, 30d or 8w"),
        (["stats", "--cache", "."], "is a folder"),
        (["verify", "--cache", "text.txt"], "not an SQLite file"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: list[str], words: str, file: Path) -> None:
    fill(file)
    Path("text.txt").write_text("hardly a database\n" * 99)
    before = file.read_bytes()
    result = call(*arguments)
    assert isinstance(result.exception, InputError)
    assert words in str(result.exception)
    assert file.read_bytes() == before


def test_prune(file: Path) -> None:
    fill(file)
    spoil(file, "UPDATE replies SET created = '2020-01-01T00:00:00.000Z' WHERE identity LIKE '%\"0\"%'")
    found = answer("prune", "--older-than", "30d", "--model", "gpt-4o", "--endpoint", URL, "--dry-run")
    assert (found["dry_run"], found["removed"], found["left"]) == (True, 1, 2)
    assert answer("stats")["replies"] == 3
    assert answer("prune", "--older-than", "999999999w")["removed"] == 0
    result = call("prune", "--older-than", "30d")
    assert result.exit_code == 0
    assert "removed 1 reply, 2 left" in result.stdout
    assert answer("prune", "--keep-newest", "1")["removed"] == 1
    assert answer("prune", "--all")["left"] == 0
    assert call("stats").stdout == f"{file}: empty\n"


def test_help_says_where_the_cache_is() -> None:
    for command in ("stats", "verify", "export", "import", "prune"):
        said = call(command, "--help").stdout
        assert "PDDL2NL_CACHE" in said
        assert "Example: pddl2nl cache" in said

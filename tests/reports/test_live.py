"""What `pddl2nl view` serves: the runs of a folder as they are just now, and only to its own pages."""

from __future__ import annotations

import http.client
import json
import shutil
import threading
import time
from pathlib import Path

import pytest
from filelock import FileLock

from pddl2nl.cli.app import main
from pddl2nl.experiments.layout import LayoutColumn, LayoutRow, Place, TableLayout, write_layout
from pddl2nl.experiments.records.writer import RecordWriter
from pddl2nl.policies.events import event_to_json
from pddl2nl.reports import live
from pddl2nl.reports.html.live import LiveServer
from pddl2nl.reports.live import LiveFolder

LAYOUT = TableLayout(
    "mine",
    (LayoutColumn("Act", policy="act", model="m"),),
    (LayoutRow("blocksworld", tasks=3),),
    {name: (Place(0, 0),) for name in ("one", "two", "three")},
)


def put(folder: Path, name: str, events) -> Path:
    with RecordWriter(folder / f"{name}.jsonl") as writer:
        for event in events:
            writer.write(event)
    return folder / f"{name}.jsonl"


LOCKS: dict[str, FileLock] = {}


def begin(folder: Path, name: str, events) -> Path:
    """An unfinished record of a process that holds its lock, as it stands after these events."""
    path = folder / f"{name}.jsonl.partial"
    path.write_text("".join(json.dumps(event_to_json(event)) + "\n" for event in events), encoding="utf-8")
    LOCKS[name] = FileLock(folder / f"{name}.jsonl.lock")
    LOCKS[name].acquire()
    return path


@pytest.fixture
def folder(tmp_path, act_events):
    """An experiment of three runs: one done, one running, one queued."""
    place = tmp_path / "records"
    place.mkdir()
    write_layout(place, LAYOUT)
    put(place, "one", act_events)
    begin(place, "two", act_events[:8])
    yield place
    LOCKS.pop("two").release()


def states(found: LiveFolder) -> dict[str, str]:
    return {key: run.outcome for key, run in found.runs.items()}


def test_runs_are_queued_running_and_done(folder):
    found = LiveFolder(folder)
    found.refresh()
    assert states(found) == {"one": "solved", "two": "running", "three": "queued"}
    one, two, three = (found.runs[name] for name in ("one", "two", "three"))
    assert (one.policy, one.model, one.task, one.seed, one.calls, one.tokens) == ("act", "m", "tiny", None, 5, 170)
    assert (two.step, two.said, two.calls, two.tokens) == (1, "looked-around: look around", 2, 35)
    assert (three.policy, three.model, three.domain) == ("act", "m", "blocksworld")
    assert found.totals["calls"] == 7
    assert (found.totals["queued"], found.totals["running"], found.totals["solved"]) == (1, 1, 1)


def test_a_running_record_is_read_on_where_it_ended(folder, act_events, basic_events, monkeypatch):
    found = LiveFolder(folder)
    found.refresh()
    read = []
    decode = live._DECODER.decode
    monkeypatch.setattr(
        live, "_DECODER", type("Counting", (), {"decode": lambda self, line: read.append(line) or decode(line)})()
    )
    found.refresh()
    assert read == [], "nothing is new"
    with (folder / "two.jsonl.partial").open("a", encoding="utf-8") as file:
        file.write(json.dumps(event_to_json(act_events[8])) + "\n" + '{"event": "prom')
    version = found.version
    found.refresh()
    assert len(read) == 1, "the torn line is not read yet"
    assert [run.key for run in found.since(version)] == ["two"]
    assert (found.runs["two"].step, found.runs["two"].said) == (2, "inapplicable: (stack a b)")
    (folder / "two.jsonl.partial").unlink()
    put(folder, "two", basic_events)
    found.refresh()
    assert states(found)["two"] == "inapplicable"
    assert found.totals["failures"] == {"inapplicable": 1}
    assert (found.totals["running"], found.totals["failed"]) == (0, 1)


def test_a_run_that_was_cut_off_says_so_and_may_begin_again(folder, act_events):
    # As of a process that was killed: the file is still there.
    LOCKS["two"].release()
    (folder / "two.jsonl.lock").touch()
    found = LiveFolder(folder)
    found.refresh()
    assert states(found)["two"] == "cut off"
    assert found.totals["queued"] == 2, "it is resumed by the next start"
    begin(folder, "two", act_events[:5])
    found.refresh()
    assert (states(found)["two"], found.runs["two"].calls) == ("running", 1)


def test_a_broken_run_is_read_again_when_it_was_run_again(folder, act_events, basic_events):
    path = put(folder, "three", [*act_events[:-1], act_events[-1]])
    lines = path.read_text(encoding="utf-8").replace('"outcome": "solved"', '"outcome": "infrastructure-error"')
    path.write_text(lines, encoding="utf-8")
    found = LiveFolder(folder)
    found.refresh()
    assert states(found)["three"] == "infrastructure-error"
    put(folder, "three", act_events)
    found.refresh()
    assert states(found)["three"] == "solved"


def test_what_is_no_record_is_shown_as_that_and_what_is_removed_goes(folder):
    (folder / "below").mkdir()
    bad = folder / "below" / "bad.jsonl"
    bad.write_text("not JSON\n", encoding="utf-8")
    found = LiveFolder(folder)
    found.refresh()
    assert states(found)["below/bad"] == live.UNREADABLE
    assert found.totals["broken"] == 1
    bad.unlink()
    found.refresh()
    assert states(found)["below/bad"] == live.GONE
    assert found.totals["broken"] == 0


def test_a_finished_folder_is_not_listed_again(folder, monkeypatch):
    shutil.rmtree(folder / "nothing", ignore_errors=True)
    monkeypatch.setattr(live, "_TICK", 0)
    time.sleep(0.01)
    found = LiveFolder(folder)
    found.refresh()
    monkeypatch.setattr("os.scandir", lambda path: pytest.fail("it was listed"))
    found.refresh()


@pytest.fixture
def served(folder):
    """The server, on a port of its own."""
    with LiveServer(folder) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(server, path, method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    return answer, answer.read().decode()


def test_the_pages_have_the_policy_of_the_static_ones_and_may_ask_this_server(served, hostile):
    for path in ("/", "/run/one", "/run/two"):
        answer, page = ask(served, path)
        assert answer.status == 200
        policy = page.partition('Content-Security-Policy" content="')[2].partition('"')[0]
        assert policy.startswith("default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-")
        assert policy.endswith("connect-src 'self'")
        assert page.count("<script") == 2
        assert hostile not in page
    assert "&lt;script&gt;alert(1)" in page


def test_a_page_asks_for_what_is_newer(served, folder, act_events):
    first = json.loads(ask(served, "/runs?since=0")[1])
    assert {run[0] for run in first["runs"]} == {"one", "two", "three"}
    served._refreshed = 0.0
    again = json.loads(ask(served, f"/runs?since={first['version']}")[1])
    assert again["runs"] == []
    size = len(act_events[:8])
    assert ask(served, f"/run/two?size={size + 1}")[0].status == 204
    more = json.loads(ask(served, "/run/two?size=1")[1])
    assert more["running"]
    assert "look around" in more["article"]
    (folder / "two.jsonl.partial").unlink()
    put(folder, "two", act_events)
    served._refreshed = 0.0
    assert not json.loads(ask(served, f"/run/two?size={size + 1}")[1])["running"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:{port}"}, 200),
        ({"Origin": "http://127.0.0.1:{port}"}, 200),
        ({"Host": "evil.example"}, 403),
        ({"Host": "evil.example:{port}"}, 403),
        ({"Host": "127.0.0.1"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_other_hosts_and_other_pages_are_refused(served, headers, status):
    given = {name: value.format(port=served.server_port) for name, value in headers.items()}
    for path in ("/", "/runs?since=0", "/run/one"):
        assert ask(served, path, **given)[0].status == status


def test_nothing_but_the_runs_is_answered_and_nothing_is_written(served, folder):
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    for path in (
        "/run/../one",
        "/run/%2e%2e/records/one",
        "/run//etc/passwd",
        "/one.jsonl",
        "/favicon.ico",
        "/run/three",
    ):
        assert ask(served, path)[0].status in (404, 422), path
    assert ask(served, "/runs?since=x")[0].status == 422
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        assert ask(served, "/", method)[0].status == 501
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_a_folder_that_is_not_there_and_a_port_that_is_taken_are_refused(served, folder, tmp_path, capfd):
    assert main(["view", str(tmp_path / "none"), "--no-open"]) == 2
    assert "no such folder of records" in capfd.readouterr().err
    assert main(["view", str(folder), "--no-open", "--port", str(served.server_port)]) == 2
    assert "leave it out for a free port" in capfd.readouterr().err

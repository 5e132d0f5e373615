"""The live pages: a server of this machine for the runs below a folder, as they are just now.

The list of runs asks for what is newer than what it has; the page of a run is the static one, and grows while the run
does. The server answers GET requests of its own pages alone: another host's name in ``Host`` (DNS rebinding) or in
``Origin`` (another page of the browser) is refused. Nothing is written.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec
from markupsafe import Markup

from pddl2nl.errors import InputError
from pddl2nl.experiments.records.reader import events_from_json
from pddl2nl.experiments.records.stored import Record, RunRecord, read_record
from pddl2nl.pddl import PDDLError
from pddl2nl.policies.events import Finished, Outcome, RecordError, Started
from pddl2nl.reports.gathering import Gathered, gathered
from pddl2nl.reports.html.pages import RunPage, articles_of, list_data, plan_pages, render, script_of
from pddl2nl.reports.html.run import RunView, view_of_record
from pddl2nl.reports.live import RUNNING, LiveFolder
from pddl2nl.reports.summaries import summarize

_PAUSE = 0.5
"""The folder is read again at most so often, however many pages ask."""

_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class LiveServer(ThreadingHTTPServer):
    """Serves the runs below a folder on 127.0.0.1; port 0 takes a free one. `serve_forever` answers until it is closed.

    Raises:
        InputError: there is no such folder, or the port is taken.
    """

    daemon_threads = True

    def __init__(self, folder: Path, port: int = 0):
        if not folder.is_dir():
            raise InputError(f"{folder}: no such folder of records; `pddl2nl experiment` and `pddl2nl run` write them")
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise InputError(f"--port {port}: {error.strerror}; leave it out for a free port") from error
        self.live = LiveFolder(folder)
        self._lock = threading.Lock()
        self._refreshed = 0.0

    @property
    def address(self) -> str:
        """Of the first page."""
        return f"http://127.0.0.1:{self.server_port}/"

    def runs_since(self, version: int) -> bytes:
        """The runs that changed after a version of the folder, and the totals, as JSON."""
        with self._lock:
            self._refresh()
            live = self.live
            # A page of another server on this port, which ended, begins anew.
            changed = live.since(version if version <= live.version else 0)
            return msgspec.json.encode({"version": live.version, "totals": live.totals, "runs": changed})

    def record(self, key: str) -> Record | None:
        """A run's record, that of an unfinished one so far; None if there is none of this key."""
        with self._lock:
            self._refresh()
            if key not in self.live.runs:
                return None
            path = self.live.path_of(key)
        try:
            return read_record(path) if path.suffix == ".jsonl" else _so_far(path)
        except FileNotFoundError:
            return None

    def _refresh(self) -> None:
        if time.monotonic() - self._refreshed >= _PAUSE:
            self.live.refresh()
            self._refreshed = time.monotonic()


def _so_far(path: Path) -> Record:
    """The record of a run that has not ended, with an end that says so.

    Raises:
        RecordError: it holds no run of a policy yet.
    """
    whole, _, _ = path.read_bytes().rpartition(b"\n")
    lines = [(number, json.loads(line)) for number, line in enumerate(whole.split(b"\n"), 1) if line]
    events = events_from_json(path, lines) if lines else ()
    if not events or not isinstance(events[0], Started):
        raise RecordError(f"{path.name}: no step of this run is recorded yet")
    end = Finished(cast(Outcome, RUNNING))
    return RunRecord.played(path, (*events, end))


# ── pages ────────────────────────────────────────────────────────────────────────────────────────


@lru_cache(maxsize=1)
def _view_script() -> Mapping[str, Markup]:
    return script_of("common.js", "view.js")


@lru_cache(maxsize=1)
def _run_script() -> Mapping[str, Markup]:
    names = ("common.js", "runs.js", "against.js", "viewer.js", "compare.js", "grow.js", "keys.js")
    return script_of(*names)


def list_page(folder: Path) -> str:
    """The page of all runs; its script asks for them."""
    title = f"Runs in {folder.resolve().name}"
    return render("view", home="", title=title, folder=str(folder), live=True, data=Markup("{}"), **_view_script())


def run_page(key: str, record: Record) -> str:
    """The page of one run: the static one, which grows while the run does."""
    found, view = _shown(record)
    articles, files = articles_of([view])
    data = list_data(found.layout, [view.place], {}, size=_size(record))
    page = RunPage("run", key, (view.place,))
    content = {"title": key, "page": page, "articles": articles, "files": files, "data": data}
    return render("runs_page", home="/", live=True, **content, **_run_script())


def grown(record: Record, size: int) -> dict[str, Any] | None:
    """What a page that shows a run's first bytes lacks; None if that is nothing."""
    if record.outcome == RUNNING and _size(record) == size:
        return None
    articles, _ = articles_of([_shown(record)[1]])
    return {"size": _size(record), "running": record.outcome == RUNNING, "article": articles[0]}


def _size(record: Record) -> int:
    return len(record.events)


def _shown(record: Record) -> tuple[Gathered, RunView]:
    summary = summarize(record)
    if record.outcome == RUNNING:
        # It is not sealed yet; its page keeps the address that it has in the end.
        summary = replace(
            summary, doubt="", link=None, name=summary.name.removesuffix(".partial").removesuffix(".jsonl")
        )
    found = gathered([summary])
    (place,) = plan_pages(found).runs
    return found, view_of_record(place, record)


# ── requests ─────────────────────────────────────────────────────────────────────────────────────


class _Handler(BaseHTTPRequestHandler):
    server: LiveServer
    protocol_version = "HTTP/1.1"
    server_version = "pddl2nl"
    sys_version = ""

    def do_GET(self) -> None:
        """Answers one request."""
        own = {f"{name}:{self.server.server_port}" for name in ("127.0.0.1", "localhost")}
        origin = self.headers.get("Origin")
        if self.headers.get("Host") not in own or origin not in (None, *(f"http://{host}" for host in own)):
            return self._answer(403, "text/plain", b"this server answers its own pages on this machine only\n")
        try:
            self._route(urlsplit(self.path))
        except (InputError, PDDLError, ValueError) as error:
            # A record that cannot be read, or is being written by another version.
            self._answer(422, "text/plain", f"this run cannot be shown: {error}\n".encode())
        except BrokenPipeError:
            pass

    def _route(self, address: Any) -> None:
        query = parse_qs(address.query)
        path = unquote(address.path)
        if path == "/":
            self._page(list_page(self.server.live.folder))
        elif path == "/runs":
            self._answer(200, "application/json", self.server.runs_since(int(query.get("since", ["0"])[0])))
        elif path.startswith("/run/") and (record := self.server.record(path.removeprefix("/run/"))) is not None:
            if "size" not in query:
                self._page(run_page(path.removeprefix("/run/"), record))
            elif (more := grown(record, int(query["size"][0]))) is not None:
                self._answer(200, "application/json", json.dumps(more).encode())
            else:
                self._answer(204, "application/json", b"")
        else:
            self._answer(404, "text/plain", b"no such run\n")

    def _page(self, page: str) -> None:
        self._answer(200, "text/html", page.encode("utf-8", "replace"))

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": f"{kind}; charset=utf-8"}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing: a terminal full of requests helps nobody."""

"""A folder of records as it is just now: every run that is queued, running or done, read as it grows.

Any number of experiments, in this process or another, may write below the folder; nothing of theirs is touched. A
refresh costs what is new: a folder is listed again only if its time has changed, a finished record is read once, at its
first and its last line, and of an unfinished one the lines since the last time.
"""

from __future__ import annotations

import os
import time
from collections import Counter, deque
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from pddl2nl.experiments.layout import LAYOUT_FILE, read_layout
from pddl2nl.experiments.records.reader import last_line
from pddl2nl.pddl import InputError
from pddl2nl.policies.events import SOLVED
from pddl2nl.reports.summaries import LINKS

RUNNING, QUEUED, CUT_OFF, GONE = "running", "queued", "cut off", "gone"
"""The outcomes of runs that have none yet, or whose record was removed."""

UNREADABLE = "unreadable record"
"""The outcome of a file that is no record."""

_FINISHED, _PARTIAL, _LOCK = ".jsonl", ".jsonl.partial", ".jsonl.lock"

_FIRST_BYTES = 1 << 16
_TICK = 2_000_000_000
"""Nanoseconds: file systems with coarse clocks give all files of two seconds one time."""
_SPAN = 300.0
"""Seconds over which calls per minute and the time left are measured."""


class LiveRun(msgspec.Struct, array_like=True):
    """A run as the page's script reads it: an array, in this order.

    ``key`` is its record's path below the folder without the ending; ``version`` counts the changes of the folder, so
    that a page asks for what is newer; ``changed`` is the time of its last event, in seconds since 1970. Tokens and
    money of an unfinished run are those of the replies so far.
    """

    key: str
    version: int = 0
    outcome: str = QUEUED
    link: str = ""
    policy: str = ""
    model: str = ""
    domain: str = ""
    task: str = ""
    seed: int | None = None
    step: int = 0
    said: str = ""
    calls: int = 0
    tokens: int = 0
    cached: int = 0
    usd: float | None = 0.0
    changed: float = 0.0


class _ListedSpec(msgspec.Struct, frozen=True):
    policy: str = ""
    seed: int | None = None
    suite: str = ""
    task_name: str = ""


class _ListedFault(msgspec.Struct):
    status: str = ""
    step: int = 0
    text: str = ""


class _Line(msgspec.Struct):
    """Any line of a record: the fields that the list shows, of whichever event has them."""

    event: str = ""
    spec: _ListedSpec = _ListedSpec()
    domain: str = ""
    problem: str = ""
    models: dict[str, str] = {}
    model: str = ""
    seed: int | None = None
    planner: str = ""
    suite: str = ""
    task: str = ""
    step: int = 0
    action: str | None = None
    text: str = ""
    outcome: str = ""
    status: str = ""
    message: str = ""
    fault: _ListedFault | None = None
    calls: int = 0
    steps: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    usd: float | None = None


_DECODER = msgspec.json.Decoder(_Line)
_ACTED = ("acted", "rejected", "looked-around")
_SAID = 120


class _Listing(msgspec.Struct):
    """A folder as it was listed last: its time, the folders below, and the records of each kind by key."""

    listed: int = -1
    below: list[str] = []
    finished: set[str] = set()
    layout: int = -1


class LiveFolder:
    """The runs below a folder, by key; `refresh` brings them up to date."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.version = 0
        self.runs: dict[str, LiveRun] = {}
        self._places: dict[str, _Listing] = {}
        self._unfinished: dict[str, int] = {}  # how many bytes of each are read
        self._totals: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()
        self._usd = 0.0
        self._samples: deque[tuple[float, int, int]] = deque()

    def refresh(self) -> None:
        """Reads what has changed; what cannot be read is a run that says so."""
        self.version += 1
        waiting = [""]
        while waiting:
            place = waiting.pop()
            # A folder may go while it is read.
            with suppress(OSError):
                self._list(place)
                waiting += self._places[place].below
        for key in [*self._unfinished]:
            self._read_on(key)
        done = sum(self._totals[state] for state in ("solved", "failed", "broken"))
        self._samples.append((time.monotonic(), self._totals["calls"], done))
        while self._samples[-1][0] - self._samples[0][0] > _SPAN:
            self._samples.popleft()

    def path_of(self, key: str) -> Path:
        """The file of a run, finished or not."""
        return self.folder / f"{key}{_PARTIAL if key in self._unfinished else _FINISHED}"

    def since(self, version: int) -> list[LiveRun]:
        """The runs that changed after this version."""
        return [run for run in self.runs.values() if run.version > version]

    @property
    def totals(self) -> Mapping[str, Any]:
        """The sums so far, the failures by kind, calls per minute and the seconds left, None where not known yet."""
        (began, calls, done), (now, calls_now, done_now) = self._samples[0], self._samples[-1]
        seconds = now - began
        left = self._totals["queued"] + self._totals["running"]
        return {
            **{name: self._totals[name] for name in ("queued", "running", "solved", "failed", "broken")},
            **{name: self._totals[name] for name in ("calls", "tokens", "cached")},
            "usd": None if self._totals["unpriced"] else round(self._usd, 6),
            "calls_per_minute": round(60 * (calls_now - calls) / seconds, 1) if seconds else None,
            "seconds_left": round(left * seconds / (done_now - done)) if left and done_now > done else None,
            "failures": dict(self._failures.most_common()),
        }

    # ── files ────────────────────────────────────────────────────────────────────────────────────

    def _list(self, place: str) -> None:
        """The names in a folder, if its time has changed: every record that comes, ends or goes changes it."""
        known = self._places.setdefault(place, _Listing())
        path = self.folder / place
        changed = path.stat().st_mtime_ns
        if changed == known.listed:
            return
        # Within one tick of the clock more may come, with the same time.
        known.listed = changed if time.time_ns() - changed > _TICK else -1
        prefix = f"{place}/" if place else ""
        finished, unfinished = set(), set()
        known.below = []
        with os.scandir(path) as entries:
            for entry in entries:
                name = entry.name
                if name.endswith(_FINISHED):
                    finished.add(prefix + name.removesuffix(_FINISHED))
                elif name.endswith(_PARTIAL):
                    unfinished.add(prefix + name.removesuffix(_PARTIAL))
                elif name == LAYOUT_FILE:
                    self._queue(known, prefix, entry)
                elif not name.startswith(".") and entry.is_dir(follow_symlinks=False):
                    known.below.append(prefix + name)
        ended = {key for key in self._unfinished if key.rpartition("/")[0] == place} - unfinished
        for key in ended:
            del self._unfinished[key]
        # What a tool or an endpoint broke is run again, under the same name.
        broken = {key for key in known.finished if _state(self.runs[key]) == "broken"}
        for key in finished - (known.finished - ended - broken):
            self._read_end(key)
        for key in unfinished - self._unfinished.keys():
            self._unfinished[key] = 0
        for key in (known.finished | ended) - finished - unfinished:
            self._put(LiveRun(key, outcome=GONE))
        known.finished = finished - unfinished

    def _queue(self, known: _Listing, prefix: str, entry: os.DirEntry[str]) -> None:
        """The runs of a layout that were not seen yet."""
        changed = entry.stat().st_mtime_ns
        if changed == known.layout:
            return
        known.layout = changed
        with suppress(InputError):
            layout = read_layout(self.folder / prefix)
            for name, places in () if layout is None else layout.runs.items():
                if prefix + name not in self.runs and layout is not None:
                    row, column = layout.rows[places[0].row], layout.columns[places[0].column]
                    self._put(LiveRun(prefix + name, policy=column.policy, model=column.model, domain=row.label))

    def _read_end(self, key: str) -> None:
        path = self.folder / f"{key}{_FINISHED}"
        run = LiveRun(key)
        try:
            with path.open("rb") as file:
                head = file.read(_FIRST_BYTES)
                run.changed = os.fstat(file.fileno()).st_mtime
                whole = len(head) < _FIRST_BYTES
                if b"\n" not in head and not whole:
                    head += file.readline()
            lines = head.rstrip(b"\n")
            _begin(run, _DECODER.decode(lines.partition(b"\n")[0]))
            _end(run, _DECODER.decode(lines.rpartition(b"\n")[2] if whole else last_line(path)))
        except FileNotFoundError:
            return
        except (OSError, msgspec.MsgspecError) as error:
            run.outcome, run.said = UNREADABLE, str(error)[:_SAID]
        self._put(run)

    def _read_on(self, key: str) -> None:
        """The lines that an unfinished record got since the last time."""
        path = self.folder / f"{key}{_PARTIAL}"
        try:
            stat = path.stat()
            done = self._unfinished[key]
            old = self.runs.get(key, LiveRun(key))
            # A run that begins again writes its record anew.
            run = LiveRun(key) if stat.st_size < done or not done else msgspec.structs.replace(old)
            done = min(done, stat.st_size) if run.policy else 0
            with path.open("rb") as file:
                file.seek(done)
                whole, _, _ = file.read().rpartition(b"\n")
        except OSError:
            return  # it ends just now: the next refresh lists its folder
        run.outcome = RUNNING if _held(path.with_name(path.name.removesuffix(_PARTIAL) + _LOCK)) else CUT_OFF
        run.changed = stat.st_mtime
        self._unfinished[key] = done + len(whole) + bool(whole)
        for line in whole.split(b"\n") if whole else ():
            with suppress(msgspec.MsgspecError):
                _continue(run, _DECODER.decode(line))
        if msgspec.structs.replace(run, version=old.version) != old:
            self._put(run)

    def _put(self, run: LiveRun) -> None:
        run.version = self.version
        if (old := self.runs.get(run.key)) is not None:
            self._count(old, -1)
        self.runs[run.key] = run
        self._count(run, 1)

    def _count(self, run: LiveRun, sign: int) -> None:
        state = _state(run)
        if state == "gone":
            return
        self._totals[state] += sign
        self._totals["calls"] += sign * run.calls
        self._totals["tokens"] += sign * run.tokens
        self._totals["cached"] += sign * run.cached
        self._totals["unpriced"] += sign * (run.usd is None)
        self._usd += sign * (run.usd or 0.0)
        if state == "failed" or run.outcome == UNREADABLE:
            self._failures[run.link] += sign
            self._failures += Counter()


def _held(lock: Path) -> bool:
    """Whether a process holds a lock: one that was killed leaves its file behind, and no lock of the system."""
    try:
        import fcntl

        with lock.open("rb") as file:
            # A shared lock, for the moment that this file is open; a run that begins just now tries again.
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except (OSError, ImportError):
        return lock.exists()
    return False


def _state(run: LiveRun) -> str:
    if run.outcome in (RUNNING, GONE):
        return run.outcome
    if run.outcome in (QUEUED, CUT_OFF):
        return "queued"
    if run.outcome in ("infrastructure-error", UNREADABLE):
        return "broken"
    return "solved" if run.outcome in SOLVED else "failed"


def _begin(run: LiveRun, line: _Line) -> None:
    """What the first event says."""
    spec = line.spec
    run.policy = spec.policy or line.planner or line.event
    model = line.models.get("planner", line.model)
    run.model = "" if model == "none" else model
    run.domain = spec.suite or line.suite or line.domain
    run.task = spec.task_name or line.task or line.problem
    run.seed = line.seed if spec.seed is None else spec.seed


def _continue(run: LiveRun, line: _Line) -> None:
    """What any further event says."""
    if line.event == "replied":
        run.calls += 1
        run.tokens += line.prompt_tokens + line.completion_tokens
        run.cached += line.cached_tokens
        run.usd = None if run.usd is None or line.usd is None else run.usd + line.usd
    elif line.event in _ACTED:
        run.step = line.step
        said = line.action or line.text
        run.said = (said if line.event == "acted" else f"{line.status or line.event}: {said}")[:_SAID]
    elif not run.policy:
        _begin(run, line)


def _end(run: LiveRun, line: _Line) -> None:
    """What the last event says, which has the accounts of all."""
    outcome = line.outcome or line.status
    run.outcome = "infrastructure-error" if outcome == "error" else outcome or UNREADABLE
    fault = line.fault or _ListedFault(outcome)
    if run.outcome not in SOLVED:
        run.link = LINKS.get(fault.status, fault.status)
        run.said = (fault.text or line.message)[:_SAID]
    run.step = fault.step or line.steps if run.link else line.steps
    run.calls = line.calls
    run.tokens = line.prompt_tokens + line.completion_tokens
    run.cached = line.cached_tokens
    run.usd = line.usd if line.calls else 0.0

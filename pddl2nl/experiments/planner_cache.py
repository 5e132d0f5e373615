"""The results of planners in one SQLite file, so that a filter such as ``solved-by`` runs them only once.

A result is found by the texts of domain and problem, the planner, its version and its search. It is stored with the
limits of its run and answers for others as well: a task solved after 3.2 s is solved within any longer limit, and one
unsolved after 1800 s is unsolved within any shorter one.
"""

from __future__ import annotations

import hashlib
from contextlib import closing
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from pathlib import Path

from pddl2nl.baselines import DEFAULT_SECONDS, PLANNERS, PlannerResult, Status, TaskTexts, version
from pddl2nl.llm.cache import default_cache_path
from pddl2nl.llm.sqlite_file import FileKind, SqliteFile

__all__ = ["Known", "PlannerCache", "ResultKey", "default_planner_cache", "result_key"]

_REPLIES = "replies"
_COLUMNS = "domain, problem, planner, version, search"
_KIND = FileKind(
    "cache of planners' results",
    0x70326E70,
    (
        f"CREATE TABLE results ({_COLUMNS}, status NOT NULL, seconds REAL NOT NULL, time_limit INTEGER,"
        " memory_limit_mb INTEGER, plan_length INTEGER, expanded INTEGER, time TEXT NOT NULL)",
        f"CREATE INDEX by_task ON results ({_COLUMNS})",
    ),
    "remove it, or name another cache by --cache FILE, beside which it lies",
)


@dataclass(frozen=True)
class ResultKey:
    """Everything but limits that determines a result: SHA-256 of the two texts, the planner, its version and search."""

    domain: str
    problem: str
    planner: str
    version: str
    search: str


@dataclass(frozen=True)
class Known:
    """A result and the limits of its run; None is no limit.

    ``seconds`` is wall time. ``plan_length`` and ``expanded`` are None if unknown.
    """

    status: Status
    seconds: float
    time_limit: int | None
    memory_limit_mb: int | None
    plan_length: int | None = None
    expanded: int | None = None

    def answers(self, time_limit: int | None, memory_limit_mb: int | None) -> bool:
        """Whether the planner would have the same result within these limits.

        Limits are on CPU time, which is at most wall time. A task unsolved for lack of memory is not solved with more
        time, nor one unsolved for lack of time with more memory.
        """
        if self.status == "solved":
            needed = self.seconds if self.time_limit is None else min(self.seconds, self.time_limit)
            return _within(needed, time_limit) and _within(self.memory_limit_mb, memory_limit_mb)
        if self.status == "timeout":
            return _within(time_limit, self.time_limit)
        if self.status == "out-of-memory":
            return _within(memory_limit_mb, self.memory_limit_mb)
        # A proof, or a feature that the planner does not take.
        return self.status in ("unsolvable", "unsupported")


def _limit(seconds: int | None) -> int:
    return DEFAULT_SECONDS if seconds is None else seconds


def _within(amount: float | None, limit: float | None) -> bool:
    return limit is None or (amount is not None and amount <= limit)


def result_key(texts: TaskTexts, planner: str) -> ResultKey:
    """The key of a planner's result on a task.

    Raises:
        MissingExtraError: the planner is not installed.
        InfrastructureError: it cannot be started.
    """
    return ResultKey(_sha256(texts.domain), _sha256(texts.problem), planner, version(), PLANNERS[planner].search)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def default_planner_cache(replies: Path | None = None) -> Path:
    """The file of results beside a cache of replies, by default beside the default one."""
    beside = default_cache_path() if replies is None else replies
    return beside.with_name("plans.sqlite" if beside.stem == _REPLIES else f"{beside.stem}-plans.sqlite")


class PlannerCache:
    """Results in an SQLite file, for any number of threads and processes; created with the first result.

    Every call opens the file anew: a planner's run takes so much longer that keeping it open gains nothing.
    """

    def __init__(self, path: str | Path):
        self.path = Path(path)

    def find(self, key: ResultKey, time_limit: int | None, memory_limit_mb: int | None = None) -> Known | None:
        """A result that answers for these limits, if there is one.

        Raises:
            InputError: the file is no cache of results.
            InfrastructureError: it is damaged, or the disk failed.
        """
        if not self.path.exists():
            return None
        where = " AND ".join(f"{column} = ?" for column in _COLUMNS.split(", "))
        with closing(SqliteFile(self.path, _KIND)) as file:
            rows = file.read(
                "SELECT status, seconds, time_limit, memory_limit_mb, plan_length, expanded "
                f"FROM results WHERE {where} ORDER BY rowid",
                astuple(key),
            )
        for row in rows:
            known = Known(*row)
            if known.answers(_limit(time_limit), memory_limit_mb):
                return known
        return None

    def put(self, key: ResultKey, result: PlannerResult, time_limit: int | None, memory_limit_mb: int | None) -> Known:
        """Stores a result, unless the planner failed (``error``), and returns it as `find` will.

        Raises:
            InputError: the file is no cache of results.
            InfrastructureError: the disk refused.
        """
        length = None if result.plan is None else len(result.plan)
        known = Known(result.status, result.seconds, _limit(time_limit), memory_limit_mb, length, result.expanded)
        if result.status != "error":
            row = (*astuple(key), *astuple(known), datetime.now(UTC).isoformat(timespec="seconds"))
            with closing(SqliteFile(self.path, _KIND)) as file, file.transaction() as connection:
                connection.execute(f"INSERT INTO results VALUES ({', '.join('?' * len(row))})", row)
        return known

"""What planners made of tasks, kept in one SQLite file, so that a filter such as ``solved-by`` runs them only once.

A result is found by the texts of domain and problem, the planner, its version and its search. Under which limits it
was found stands beside it, since it answers for others as well: what was solved after 3.2 s is solved within any limit
from there on, and what was not within 1800 s is not within any limit below.
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
    """What determines a result but for limits: SHA-256 of the two texts, and the planner, its version and search."""

    domain: str
    problem: str
    planner: str
    version: str
    search: str


@dataclass(frozen=True)
class Known:
    """A result, and the limits that it was found under; None is no limit.

    ``seconds`` is wall time. ``plan_length`` and ``expanded`` are None where they are not known.
    """

    status: Status
    seconds: float
    time_limit: int | None
    memory_limit_mb: int | None
    plan_length: int | None = None
    expanded: int | None = None

    def answers(self, time_limit: int | None, memory_limit_mb: int | None) -> bool:
        """Whether the planner would end alike within these limits.

        Time is CPU time where a planner is limited, and no more than wall time. What was not solved for want of memory
        is not solved with more time, nor for want of time with more memory.
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
    """Where results are kept: beside the cache of replies, by default the usual one, under a name of their own."""
    beside = default_cache_path() if replies is None else replies
    return beside.with_name("plans.sqlite" if beside.stem == _REPLIES else f"{beside.stem}-plans.sqlite")


class PlannerCache:
    """Results in an SQLite file, for any number of threads and processes; the file is made when one is kept first.

    Every call opens the file for itself: a planner's run takes so much longer that nothing is gained by keeping it
    open, and so nothing of it is shared by threads or inherited by processes.
    """

    def __init__(self, path: str | Path):
        self.path = Path(path)

    def find(self, key: ResultKey, time_limit: int | None, memory_limit_mb: int | None = None) -> Known | None:
        """A result that answers for these limits; None where none is kept.

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
        """Keeps a result, and gives it as `find` will; that a planner failed (``error``) is not kept.

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

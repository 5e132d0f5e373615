"""The results of planners in a folder, so that a filter such as ``solved-by`` runs them only once.

A result is found by the texts of domain and problem, the planner, its version and its search. It is stored with the
limits of its run and answers for others as well: a task solved after 3.2 s is solved within any longer limit, and one
unsolved after 1800 s is unsolved within any shorter one.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

import msgspec

from pddl2nl.baselines import DEFAULT_SECONDS, PLANNERS, PlannerResult, Status, TaskTexts, version
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.llm.cache import default_cache_path
from pddl2nl.llm.keys import sha256

__all__ = ["Known", "PlannerCache", "default_planner_cache", "result_key"]


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


def _within(amount: float | None, limit: float | None) -> bool:
    return limit is None or (amount is not None and amount <= limit)


def result_key(texts: TaskTexts, planner: str) -> str:
    """The SHA-256 of everything but limits that determines a result: the texts, the planner, its version and search.

    Raises:
        MissingExtraError: the planner is not installed.
        InfrastructureError: it cannot be started.
    """
    return sha256("\0".join((texts.domain, texts.problem, planner, version(), PLANNERS[planner].search)))


def default_planner_cache(replies: Path | None = None) -> Path:
    """The folder of results beside a cache of replies, by default beside the default one."""
    beside = default_cache_path() if replies is None else replies
    return beside.with_name("plans" if beside.stem == "replies" else f"{beside.stem}-plans")


class PlannerCache:
    """Results in a folder, a JSON file each, for any number of threads and processes."""

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)

    def find(self, key: str, time_limit: int | None, memory_limit_mb: int | None = None) -> Known | None:
        """A result that answers for these limits, if there is one.

        Raises:
            InputError: a file there holds no result.
            InfrastructureError: the disk failed.
        """
        limit = DEFAULT_SECONDS if time_limit is None else time_limit
        for path in sorted(self.folder.glob(f"{key}-*.json")):
            try:
                known = msgspec.json.decode(path.read_bytes(), type=Known)
            except msgspec.DecodeError as error:
                raise InputError(f"{path} is no result of a planner: {error}; remove it") from error
            except OSError as error:
                raise InfrastructureError(f"{path}: {error.strerror}") from error
            if known.answers(limit, memory_limit_mb):
                return known
        return None

    def put(self, key: str, result: PlannerResult, time_limit: int | None, memory_limit_mb: int | None) -> None:
        """Stores a result, unless the planner failed (``error``).

        Raises:
            InfrastructureError: the disk refused.
        """
        if result.status == "error":
            return
        length = None if result.plan is None else len(result.plan)
        limit = DEFAULT_SECONDS if time_limit is None else time_limit
        known = Known(result.status, result.seconds, limit, memory_limit_mb, length, result.expanded)
        path = self.folder / f"{key}-{secrets.token_hex(4)}.json"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            # Renamed into place, so that no reader sees half a file.
            writing = path.with_suffix(".writing")
            writing.write_bytes(msgspec.json.encode(known))
            os.replace(writing, path)
        except OSError as error:
            raise InfrastructureError(f"cannot keep a planner's result in {self.folder}: {error.strerror}") from error

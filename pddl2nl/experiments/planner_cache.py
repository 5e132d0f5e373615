"""The results of planners in a folder, so that a filter such as ``solved-by`` runs them only once."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

import msgspec

from pddl2nl.baselines import PLANNERS, PlannerResult, Status, TaskTexts, version
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.llm.cache import default_cache_path
from pddl2nl.llm.keys import sha256


@dataclass(frozen=True)
class KnownResult:
    """What is kept of a planner's result; ``plan_length`` is None without a plan."""

    status: Status
    plan_length: int | None = None


def result_key(texts: TaskTexts, planner: str, seconds: int | None, memory_mb: int | None) -> str:
    """The SHA-256 of everything that determines a result: the texts, the planner, its version and search, its limits.

    Raises:
        MissingExtraError: the planner is not installed.
        InfrastructureError: it cannot be started.
    """
    identity = (texts.domain, texts.problem, planner, version(), PLANNERS[planner].search, seconds, memory_mb)
    return sha256("\\0".join(map(str, identity)))


def default_planner_cache(replies: Path | None = None) -> Path:
    """The folder of results beside a cache of replies, by default beside the default one."""
    beside = default_cache_path() if replies is None else replies
    return beside.with_name("plans" if beside.stem == "replies" else f"{beside.stem}-plans")


class PlannerCache:
    """Results in a folder, a JSON file each, for any number of threads and processes."""

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)

    def find(self, key: str) -> KnownResult | None:
        """The result under a key, if there is one.

        Raises:
            InputError: its file holds no result.
            InfrastructureError: the disk failed.
        """
        path = self.folder / f"{key}.json"
        try:
            return msgspec.json.decode(path.read_bytes(), type=KnownResult)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except msgspec.DecodeError as error:
            raise InputError(f"{path} is no result of a planner: {error}; remove it") from error
        except OSError as error:
            raise InfrastructureError(f"{path}: {error.strerror}") from error

    def put(self, key: str, result: PlannerResult) -> None:
        """Stores a result, unless the planner failed (``error``).

        Raises:
            InfrastructureError: the disk refused.
        """
        if result.status == "error":
            return
        known = KnownResult(result.status, None if result.plan is None else len(result.plan))
        # Renamed into place, so that no reader sees half a file.
        writing = self.folder / f"{key}.{secrets.token_hex(4)}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            writing.write_bytes(msgspec.json.encode(known))
            os.replace(writing, self.folder / f"{key}.json")
        except OSError as error:
            raise InfrastructureError(f"cannot keep a planner's result in {self.folder}: {error.strerror}") from error

"""The record of a run: a JSON Lines file of events, complete exactly when it bears its own name."""

from __future__ import annotations

import json
import os
import re
from itertools import count
from pathlib import Path
from types import TracebackType

from pddl2nl.errors import InfrastructureError
from pddl2nl.policies.events import Event, event_to_json

__all__ = ["RecordWriter", "free_record_path", "record_name"]


class RecordWriter:
    """Writes events as they happen, each flushed, to ``NAME.jsonl.partial``.

    `close` renames the file to ``NAME.jsonl`` (atomically, replacing an older one): a record under that name is
    always whole. A run that dies leaves the partial file, from which its replies can still be replayed.

    Raises:
        InfrastructureError: the disk refuses.
    """

    def __init__(self, path: Path):
        self.path = path
        self._partial = path.with_name(path.name + ".partial")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._partial.open("w", encoding="utf-8")
        except OSError as error:
            raise InfrastructureError(f"cannot write the record {path}: {error.strerror}") from error

    def write(self, event: Event) -> None:
        """Appends an event and flushes it."""
        try:
            self._file.write(json.dumps(event_to_json(event), ensure_ascii=False) + "\n")
            self._file.flush()
        except OSError as error:
            raise InfrastructureError(f"cannot write the record {self.path}: {error.strerror}") from error

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            self._file.close()
            if kind is None:
                os.replace(self._partial, self.path)
        except OSError as failure:
            if kind is None:
                raise InfrastructureError(f"cannot write the record {self.path}: {failure.strerror}") from failure


def record_name(*parts: str) -> str:
    """A file name, without its ending, made of parts: ``blocksworld-p01-react-oracle-nl-1``."""
    return "-".join(re.sub(r"[^A-Za-z0-9._]+", "_", part).strip("_.") or "x" for part in parts)


def _reserved(path: Path) -> bool:
    partial = path.with_name(path.name + ".partial")
    try:
        partial.open("x").close()
    except FileExistsError:
        return False
    if path.exists():
        # Whoever held this name finished between our look at it and now.
        partial.unlink()
        return False
    return True


def free_record_path(folder: Path, name: str) -> Path:
    """A path in the folder under which no record stands, finished or not; it is reserved by its partial file.

    Runs in parallel thus never write one another's records.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number in count(1):
            path = folder / (f"{name}.jsonl" if number == 1 else f"{name}-{number}.jsonl")
            if not path.exists() and _reserved(path):
                return path
        raise AssertionError("counting ends never")
    except OSError as error:
        raise InfrastructureError(f"cannot write a record in {folder}: {error.strerror}") from error

"""What is remembered of batches, beside the replies in the cache's own file, so that no crash pays a line twice.

Two tables hold what was submitted. Each step is on the disk before the next is taken::

    batches      a submission: its fingerprint, endpoint, model, state, input file, batch
    batch_lines  the lines of it whose replies are not collected yet: a key has one submission at a time

    planned ──► creating ──► submitted ──► collected
                    └─ died in between: the batch is looked for by its fingerprint

Bodies are not kept: whoever needs a reply has the request, and asks with it again. The third table, ``batch_short``,
keeps replies that were paid for and fell short (cut off, refused, filtered, empty). They are no entries of the cache,
as a live run asks for them anew; a run by batches would otherwise pay for them again at each of its passes.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import cast

from pddl2nl.llm.cache import Cache
from pddl2nl.llm.cache_upkeep import insert
from pddl2nl.llm.keys import canonical_json, sha256
from pddl2nl.llm.stored import StoredReply, completion_from_json, completion_to_json
from pddl2nl.llm.types import Completion, Finish

__all__ = ["BatchStore", "Submission"]

_SCHEMA = (
    """
    CREATE TABLE IF NOT EXISTS batches (
        fingerprint TEXT NOT NULL PRIMARY KEY,
        endpoint TEXT NOT NULL,
        model TEXT NOT NULL,
        state TEXT NOT NULL,
        lines INTEGER NOT NULL,
        made REAL NOT NULL,
        input_file TEXT,
        batch TEXT
    )""",
    """
    CREATE TABLE IF NOT EXISTS batch_lines (
        key TEXT NOT NULL PRIMARY KEY,
        fingerprint TEXT NOT NULL
    )""",
    "CREATE INDEX IF NOT EXISTS lines_of_batch ON batch_lines (fingerprint)",
    "CREATE TABLE IF NOT EXISTS batch_short (key TEXT NOT NULL PRIMARY KEY, reply TEXT NOT NULL)",
)
_SUBMITTING = "batches: whoever submits"


@dataclass(frozen=True)
class Submission:
    """A batch as it is remembered; ``keys`` are its lines that are not collected yet.

    ``made`` is in seconds since 1970; ``batch`` is the provider's id, None until the provider is known to have it.
    """

    fingerprint: str
    endpoint: str
    model: str
    state: str
    made: float
    keys: frozenset[str]
    input_file: str | None = None
    batch: str | None = None

    @property
    def group(self) -> tuple[str, str]:
        """Endpoint and model: what one batch can have but one of."""
        return self.endpoint, self.model


class BatchStore:
    """The tables of the batches in a cache's file.

    Raises:
        InfrastructureError: here and in every method, the file or the disk failed.
    """

    def __init__(self, cache: Cache):
        self._file = cache.file
        self._claims = cache.claims
        self._file.write(lambda connection: [connection.execute(statement) for statement in _SCHEMA])

    @contextmanager
    def submitting(self) -> Iterator[None]:
        """Only one process at a time submits: a submission that another finds half made is then one of the dead."""
        turn = 0
        while not self._claims.take([_SUBMITTING]):
            self._claims.wait(_SUBMITTING, turn)
            turn += 1
        try:
            yield
        finally:
            self._claims.release([_SUBMITTING])

    def plan(self, endpoint: str, model: str, keys: Sequence[str]) -> Submission | None:
        """A new submission of those keys that are in no other; None where there are none."""
        made = time.time()
        fingerprint = sha256(canonical_json([secrets.token_hex(16), *sorted(keys)]))

        def write(connection: sqlite3.Connection) -> frozenset[str]:
            connection.executemany(
                "INSERT OR IGNORE INTO batch_lines VALUES (?, ?)", [(key, fingerprint) for key in keys]
            )
            rows = connection.execute("SELECT key FROM batch_lines WHERE fingerprint = ?", (fingerprint,)).fetchall()
            if rows:
                row = (fingerprint, endpoint, model, "planned", len(rows), made, None, None)
                connection.execute("INSERT INTO batches VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            return frozenset(key for (key,) in rows)

        mine = self._file.write(write)
        return Submission(fingerprint, endpoint, model, "planned", made, mine) if mine else None

    def creating(self, submission: Submission, input_file: str) -> Submission:
        """Notes that the input file is there and that the batch may be from now on."""
        return self._change(replace(submission, state="creating", input_file=input_file))

    def submitted(self, submission: Submission, batch: str) -> Submission:
        """Notes the provider's id."""
        return self._change(replace(submission, state="submitted", batch=batch))

    def _change(self, submission: Submission) -> Submission:
        row = (submission.state, submission.input_file, submission.batch, submission.fingerprint)
        self._file.write(
            lambda connection: connection.execute(
                "UPDATE batches SET state = ?, input_file = ?, batch = ? WHERE fingerprint = ?", row
            )
        )
        return submission

    def drop(self, submission: Submission) -> None:
        """Forgets a submission that the provider never made a batch of."""

        def write(connection: sqlite3.Connection) -> None:
            for table in ("batch_lines", "batches"):
                connection.execute(f"DELETE FROM {table} WHERE fingerprint = ?", (submission.fingerprint,))

        self._file.write(write)

    def collected(
        self,
        submission: Submission,
        keys: Collection[str],
        whole: Sequence[StoredReply] = (),
        short: Mapping[str, Completion] | None = None,
    ) -> frozenset[str]:
        """Enters replies into the cache, keeps those that fell short, and forgets their lines, all in one step.

        Args:
            submission: whose lines they are.
            keys: the lines to forget, those without a reply among them.
            whole: for the cache.
            short: by key.

        Returns:
            The lines that were forgotten here; another process may have been first with the others.
        """
        fell = [(key, canonical_json(completion_to_json(reply))) for key, reply in (short or {}).items()]
        delete = "DELETE FROM batch_lines WHERE key = ? AND fingerprint = ?"

        def write(connection: sqlite3.Connection) -> frozenset[str]:
            for entry in whole:
                insert(connection, entry)
            connection.executemany("INSERT OR REPLACE INTO batch_short VALUES (?, ?)", fell)
            gone = [key for key in keys if connection.execute(delete, (key, submission.fingerprint)).rowcount]
            connection.execute(
                "UPDATE batches SET state = 'collected' WHERE fingerprint = :it "
                "AND NOT EXISTS (SELECT 1 FROM batch_lines WHERE fingerprint = :it)",
                {"it": submission.fingerprint},
            )
            return frozenset(gone)

        return self._file.write(write)

    def open(self) -> list[Submission]:
        """All submissions with lines that are not collected yet, the oldest first."""
        rows = self._file.read(
            "SELECT fingerprint, endpoint, model, state, made, input_file, batch FROM batches "
            "WHERE state != 'collected' ORDER BY made"
        )
        keys: dict[str, set[str]] = {}
        for key, fingerprint in self._file.read("SELECT key, fingerprint FROM batch_lines"):
            keys.setdefault(fingerprint, set()).add(key)
        return [
            Submission(fingerprint, endpoint, model, state, made, frozenset(keys.get(fingerprint, ())), file, batch)
            for fingerprint, endpoint, model, state, made, file, batch in rows
        ]

    def short(self, key: str) -> Completion | None:
        """The reply to a line that was paid for and fell short, None where there is none."""
        for (text,) in self._file.read("SELECT reply FROM batch_short WHERE key = ?", (key,)):
            data = json.loads(text)
            return replace(completion_from_json({**data, "finish": "text"}), finish=cast(Finish, data["finish"]))
        return None

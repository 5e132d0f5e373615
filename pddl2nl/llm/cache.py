"""The cache of replies: one SQLite file, shared by the threads and processes of one machine.

A reply is found by everything that determines it (`pddl2nl.llm.EndpointModel.identity`: endpoint, body as sent, sample
number). Time-outs, retries and keys are not part of it. Any SQLite tool can read the file: the table ``replies`` holds
the identity and the reply as JSON, and columns drawn from them for counting.

Each reply is one transaction and is stored before anything uses it, so a reply that has arrived is never paid for
twice, not even after ``kill -9``; a power cut may lose the last ones (`pddl2nl.llm.sqlite_file`). Two processes that
ask at the same moment may both pay; the reply that is stored first stays.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import astuple, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, TextIO

import msgspec

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.llm.keys import canonical_json, sha256
from pddl2nl.llm.replies import completion_from_json, read_json_object, vector_from_json
from pddl2nl.llm.sqlite_file import FileKind, SqliteFile
from pddl2nl.llm.types import Usage

_TOKENS = ("prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens")
_DRAWN = {
    "kind": "json_extract(identity, '$.kind')",
    "model": "coalesce(json_extract(identity, '$.body.model'), '')",
    "endpoint": "json_extract(identity, '$.endpoint')",
    "finish": "json_extract(reply, '$.finish')",
    **{name: f"coalesce(json_extract(reply, '$.{name}'), 0)" for name in _TOKENS},
    "tariff": "coalesce(json_extract(reply, '$.tariff'), 'standard')",
}
"""The columns for counting, with the SQL that draws them from the JSON."""
_DRAWN_NAMES, _DRAWN_VALUES = ", ".join(_DRAWN), ", ".join(_DRAWN.values())
_TABLE = f"""
CREATE TABLE IF NOT EXISTS replies (
    key TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    model TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    finish TEXT,
    {"".join(f"{name} INTEGER NOT NULL, " for name in _TOKENS)}
    tariff TEXT NOT NULL,
    created TEXT NOT NULL,
    checksum TEXT NOT NULL,
    identity TEXT NOT NULL,
    reply TEXT NOT NULL
)"""
_COLUMNS = "key, created, checksum, identity, reply"
_INSERT = f"""
INSERT INTO replies ({_COLUMNS}, {_DRAWN_NAMES})
SELECT {_COLUMNS}, {_DRAWN_VALUES}
FROM (SELECT ? AS key, ? AS created, ? AS checksum, ? AS identity, ? AS reply)
WHERE true ON CONFLICT (key) DO NOTHING"""
_CHECK = f"SELECT {_COLUMNS}, ({_DRAWN_NAMES}) IS ({_DRAWN_VALUES}) FROM replies WHERE key = ?"
_KIND = FileKind(
    "cache of replies",
    0x70326E6C,  # "p2nl"
    (_TABLE,),
    "'pddl2nl cache verify' checks it, --cache names another file",
)


class _Identity(msgspec.Struct):
    kind: Literal["chat", "embedding"]
    endpoint: str
    body: dict[str, Any]


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """A line of an export."""

    format: Literal[1]
    key: str
    created: Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]
    checksum: str
    identity: dict[str, Any]
    reply: dict[str, Any]


@dataclass(frozen=True)
class StoredReply:
    """A reply as the file holds it.

    ``identity`` and ``reply`` are canonical JSON; ``key`` is the SHA-256 of the identity, ``checksum`` that of the key,
    a line break and the reply. ``created`` is UTC in ISO 8601.
    """

    key: str
    created: str
    checksum: str
    identity: str
    reply: str

    @classmethod
    def of(cls, identity: Mapping[str, Any], reply: Mapping[str, Any], created: str = "") -> StoredReply:
        """A reply, created now unless a time is given; raises `InputError` if identity or reply is malformed."""
        try:
            kind = msgspec.convert(identity, _Identity).kind
        except msgspec.ValidationError as error:
            raise InputError(f"an identity has a kind, an endpoint and a body: {error}") from None
        completion_from_json(reply) if kind == "chat" else vector_from_json(reply)
        asked, answered = canonical_json(identity), canonical_json(reply)
        key = sha256(asked)
        return cls(key, created or _utc(datetime.now(UTC)), _checksum(key, answered), asked, answered)

    @classmethod
    def restored(cls, key: str, created: str, checksum: str, identity: object, reply: object) -> StoredReply:
        """The reply with this key and checksum; raises `InputError` if they do not fit the rest."""
        entry = cls.of(identity, reply, created)  # type: ignore[arg-type]
        if entry.key != key:
            raise InputError(f"its key is not the SHA-256 of its identity, which is {entry.key}")
        if entry.checksum != checksum:
            raise InputError("its reply was changed (the checksum differs)")
        return entry

    def line(self) -> str:
        """The line of an export. Identity and reply are canonical JSON already, and stay byte for byte."""
        head = {"format": 1, "key": self.key, "created": self.created, "checksum": self.checksum}
        return f'{canonical_json(head)[:-1]},"identity":{self.identity},"reply":{self.reply}}}\n'

    @classmethod
    def from_line(cls, line: str) -> StoredReply:
        """The reply of an exported line; raises `InputError` if it is damaged."""
        try:
            parsed = msgspec.convert(read_json_object(line), _Line)
        except msgspec.ValidationError as error:
            raise InputError(f"it is no line of an export: {error}") from None
        return cls.restored(parsed.key, parsed.created, parsed.checksum, parsed.identity, parsed.reply)


@dataclass(frozen=True)
class CacheGroup:
    """The replies of one kind, model and endpoint; ``usd`` is what they would cost again, None if that is unknown."""

    kind: str
    model: str
    endpoint: str
    replies: int
    usage: Usage
    usd: float | None
    first: str
    last: str


@dataclass(frozen=True)
class Damage:
    """A damaged reply, or, with an empty key, damage of the file itself."""

    key: str
    reason: str


@dataclass(frozen=True)
class Verification:
    """How many replies were checked or exported, and the damage that was found."""

    replies: int
    damage: tuple[Damage, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing is damaged."""
        return not self.damage


@dataclass(frozen=True)
class Refused:
    """An imported line (counted from 1) that was refused."""

    line: int
    reason: str


@dataclass(frozen=True)
class Imported:
    """``present`` counts lines whose key was there, ``differing`` those with another reply than the stored one."""

    imported: int
    present: int
    differing: int
    refused: tuple[Refused, ...]


@dataclass(frozen=True)
class Pruned:
    """What `Cache.prune` did; the file could not be ``compacted`` if another process was using it."""

    removed: int
    left: int
    freed: int
    compacted: bool


def default_cache_path() -> Path:
    """The default file: ``PDDL2NL_CACHE``, else ``pddl2nl/replies.sqlite`` in ``XDG_CACHE_HOME`` or ``~/.cache``."""
    named = os.environ.get("PDDL2NL_CACHE")
    if named:
        return Path(named)
    # The XDG specification says to ignore relative paths.
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".cache") / "pddl2nl" / "replies.sqlite"


def insert(connection: sqlite3.Connection, entry: StoredReply) -> bool:
    """Stores a reply unless its key is there; returns whether it was stored."""
    return connection.execute(_INSERT, astuple(entry)).rowcount == 1


class Cache(SqliteFile):
    """The replies in an SQLite file; created if it is missing; arguments and errors as `SqliteFile`."""

    def __init__(self, path: str | Path, *, read_only: bool = False):
        super().__init__(path, _KIND, read_only=read_only)
        self._unsaved: StoredReply | None = None

    def __repr__(self) -> str:
        return f"Cache({str(self.path)!r})"

    def __len__(self) -> int:
        return int(self.read("SELECT count(*) FROM replies")[0][0])

    def get(self, key: str) -> dict[str, Any] | None:
        """The reply stored under a key, as JSON, or None; raises `InfrastructureError` if it is damaged."""
        rows = self.read("SELECT checksum, reply FROM replies WHERE key = ?", (key,))
        if not rows:
            return None
        checksum, reply = rows[0]
        if _checksum(key, str(reply)) != checksum:
            raise InfrastructureError(
                f"the cache {self.path}: the reply {key} is damaged (the checksum differs). 'pddl2nl cache verify' "
                "names all damaged replies, 'pddl2nl cache prune --damaged' removes them"
            )
        return read_json_object(reply)

    def put(self, identity: Mapping[str, Any], reply: Mapping[str, Any]) -> bool:
        """Stores a reply unless there is one already; returns whether it was stored. Raises as `StoredReply.of`.

        The reply is ``{"vector": [numbers]}`` for an embedding, else the result of `completion_to_json`.
        """
        entry = StoredReply.of(identity, reply)
        try:
            with self.transaction() as connection:
                return insert(connection, entry)
        except InfrastructureError:
            self._unsaved = entry
            raise

    def check_writable(self) -> None:
        """Stores a reply that could not be stored before; raises `InfrastructureError` while that fails.

        Call it before paying for a reply, so that a full disk costs one reply and not one for each run.
        """
        if (entry := self._unsaved) is not None:
            with self.transaction() as connection:
                insert(connection, entry)
            self._unsaved = None

    def stats(self) -> tuple[CacheGroup, ...]:
        """Counts replies, tokens and costs by kind, model and endpoint."""
        from pddl2nl.llm.settings import load_catalogue

        rows = self.read(
            f"SELECT kind, model, endpoint, count(*), {', '.join(f'sum({name})' for name in _TOKENS)}, min(created), "
            "max(created) FROM replies GROUP BY kind, model, endpoint ORDER BY kind, model, endpoint"
        )
        catalogue = load_catalogue(None)
        groups = []
        for kind, model, endpoint, replies, *counts, first, last in rows:
            usage = Usage(*counts)
            price = catalogue.of(model).price if kind == "chat" else None
            usd = None if price is None else price.usd(usage)
            groups.append(CacheGroup(kind, model, endpoint, replies, usage, usd, first, last))
        return tuple(groups)

    def verify(self) -> Verification:
        """Checks the file with SQLite's integrity check, and every reply: key, checksum, columns and JSON."""
        with self.faults(), closing(self.connect()) as connection:
            try:
                messages = [str(row[0]) for row in connection.execute("PRAGMA integrity_check").fetchall()]
            except sqlite3.DatabaseError as error:
                messages = [str(error)]
        damage = [Damage("", reason) for reason in messages if reason != "ok"]
        checked = self.export(None)
        replies = checked.replies + sum(bool(one.key) for one in checked.damage)
        return Verification(replies, (*damage, *checked.damage))

    def export(self, stream: TextIO | None) -> Verification:
        """Writes every sound reply as a line of JSON, ordered by key; without a stream, only checks them."""
        damage: list[Damage] = []
        replies = 0
        with self.faults(), closing(self.connect()) as connection:
            for row in _checked(connection):
                if isinstance(row, Damage):
                    damage.append(row)
                    continue
                replies += 1
                if stream is not None:
                    stream.write(row.line())
        return Verification(replies, tuple(damage))

    def import_(self, lines: Iterable[str]) -> Imported:
        """Stores the sound lines that `export` wrote, in one transaction: all of them, or none if reading fails."""
        refused: list[Refused] = []
        imported = present = 0
        differing: set[str] = set()
        with self.transaction() as connection:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    entry = StoredReply.from_line(line)
                except InputError as error:
                    refused.append(Refused(number, str(error)))
                    continue
                if insert(connection, entry):
                    imported += 1
                else:
                    present += 1
                    sql = "SELECT key FROM replies WHERE key = ? AND checksum <> ?"
                    differing.update(row[0] for row in connection.execute(sql, (entry.key, entry.checksum)))
        return Imported(imported, present, len(differing), tuple(refused))

    def prune(
        self,
        *,
        older_than: timedelta | None = None,
        model: str | None = None,
        endpoint: str | None = None,
        keep_newest: int = 0,
        damaged: bool = False,
        dry_run: bool = False,
    ) -> Pruned:
        """Removes the replies that meet every given condition, and shrinks the file.

        ``keep_newest`` of those that meet the conditions stay; ``damaged`` are those that `verify` reports; a dry run
        only counts.
        """
        conditions: dict[str, object] = {}
        if older_than is not None:
            conditions["created < ?"] = _utc(datetime.now(UTC) - older_than)
        if model is not None:
            conditions["model = ?"] = model
        if endpoint is not None:
            conditions["endpoint = ?"] = endpoint
        if damaged:
            keys = [damage.key for damage in self.verify().damage if damage.key]
            conditions["key IN (SELECT value FROM json_each(?))"] = json.dumps(keys)
        where = " AND ".join(conditions) or "true"
        values = [*conditions.values()]
        if keep_newest:
            where += f" AND key NOT IN (SELECT key FROM replies WHERE {where} ORDER BY created DESC, key LIMIT ?)"
            values = [*values, *values, keep_newest]
        before = self.size
        if dry_run:
            matching = self.read(f"SELECT count(*) FROM replies WHERE {where}", values)[0][0]
            return Pruned(matching, len(self) - matching, 0, False)
        with self.transaction() as connection:
            removed = connection.execute(f"DELETE FROM replies WHERE {where}", values).rowcount
        compacted = self._compact() if removed else True
        return Pruned(removed, len(self), max(0, before - self.size), compacted)

    def _compact(self) -> bool:
        """Gives unused room back to the disk; whether that was possible."""
        try:
            with closing(self.connect()) as connection:
                connection.execute("VACUUM")
                return not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
        except sqlite3.Error:
            # Without room for a copy, or while others write, the file keeps its size.
            return False


def _checked(connection: sqlite3.Connection) -> Iterator[StoredReply | Damage]:
    """Every row, ordered by key: the reply, or its damage."""
    connection.execute("BEGIN")
    try:
        keys = [row[0] for row in connection.execute("SELECT key FROM replies ORDER BY key").fetchall()]
    except sqlite3.DatabaseError as error:
        yield Damage("", f"its replies cannot be listed: {error}")
        return
    # One by one, so that a damaged page does not hide the rows after it.
    for key in keys:
        try:
            _, created, checksum, identity, reply, drawn = connection.execute(_CHECK, (key,)).fetchone()
            parsed = (read_json_object(str(text)) for text in (identity, reply))
            entry = StoredReply.restored(key, str(created), str(checksum), *parsed)
            if not drawn:
                raise InputError("a column differs from its JSON")
            yield entry
        except (sqlite3.DatabaseError, TypeError, InputError) as error:
            yield Damage(str(key), str(error))


def _checksum(key: str, reply: str) -> str:
    """Tells a damaged reply, or one stored under another key."""
    return sha256(f"{key}\n{reply}")


def _utc(moment: datetime) -> str:
    """A moment as the cache writes it: ``2025-01-31T12:00:00.000Z``."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

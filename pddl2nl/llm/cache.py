"""The cache of replies: one SQLite file, shared by the threads and processes of one machine.

A reply is found by everything that determines it (`pddl2nl.llm.EndpointModel.identity`: endpoint, body as sent, sample
number). Time-outs, retries and keys are not part of it. Any SQLite tool can read the file: the table ``replies`` holds
the identity and the reply as JSON, and columns drawn from them for counting.

Each reply is one transaction and is stored before anything uses it, so a reply that has arrived is never paid for
twice, not even after ``kill -9``; a power cut may lose the last ones (`pddl2nl.llm.sqlite_file`). Threads of one
process that ask for the same reply share one call (`Cache.asking`). Two processes that ask at the same moment may both
pay; the reply that is stored first stays.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TextIO

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.llm.keys import canonical_json, sha256
from pddl2nl.llm.replies import completion_from_json, read_json_object, vector_from_json
from pddl2nl.llm.sqlite_file import FileKind, SqliteFile
from pddl2nl.llm.types import Usage

__all__ = [
    "Cache",
    "CacheGroup",
    "CacheStats",
    "Damage",
    "Imported",
    "Pruned",
    "Refused",
    "StoredReply",
    "Verification",
    "default_cache_path",
    "insert",
]

_FORMAT = 1
"""Of exported lines."""
_TABLE = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    model TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    finish TEXT,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    tariff TEXT NOT NULL,
    created TEXT NOT NULL,
    checksum TEXT NOT NULL,
    identity TEXT NOT NULL,
    reply TEXT NOT NULL
)"""
_KIND = FileKind(
    "cache of replies",
    0x70326E6C,  # "p2nl"
    (_TABLE,),
    "'pddl2nl cache verify' checks it, --cache names another file",
)


@dataclass(frozen=True)
class StoredReply:
    """A row of the table ``replies``.

    ``identity`` and ``reply`` are canonical JSON; ``key`` is the SHA-256 of the identity, ``checksum`` that of the key,
    a line break and the reply. ``created`` is UTC in ISO 8601. ``model`` is the model that was asked for; the reply
    names the one that answered. The remaining columns repeat values of the JSON.
    """

    key: str
    kind: str
    model: str
    endpoint: str
    finish: str | None
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    reasoning_tokens: int
    tariff: str
    created: str
    checksum: str
    identity: str
    reply: str

    @classmethod
    def of(cls, identity: Mapping[str, Any], reply: Mapping[str, Any], created: str = "") -> StoredReply:
        """The row of a reply, created now unless a time is given.

        Raises:
            InputError: the identity is malformed, or the reply is not a complete one of its kind.
        """
        body, endpoint, kind = (identity.get(name) for name in ("body", "endpoint", "kind"))
        if not isinstance(body, Mapping) or not isinstance(endpoint, str) or kind not in ("chat", "embedding"):
            raise InputError("an identity has a body, an endpoint and a kind, one of chat, embedding")
        chat = completion_from_json(reply) if kind == "chat" else None
        if chat is None:
            vector_from_json(reply)
        usage = chat.usage if chat else Usage()
        said, answered = canonical_json(identity), canonical_json(reply)
        key, model = sha256(said), body.get("model")
        return cls(
            key,
            kind,
            model if isinstance(model, str) else "",
            endpoint,
            chat.finish if chat else None,
            usage.prompt_tokens,
            usage.completion_tokens,
            usage.cached_tokens,
            usage.reasoning_tokens,
            chat.tariff if chat else "standard",
            created or _utc(datetime.now(UTC)),
            _checksum(key, answered),
            said,
            answered,
        )


_NAMES = ", ".join(item.name for item in fields(StoredReply))
_MARKS = ", ".join("?" for _ in fields(StoredReply))


@dataclass(frozen=True)
class CacheGroup:
    """The replies of one kind, model and endpoint.

    ``usd`` is what they would cost if asked for again at the standard tariff; None if the price is unknown. ``first``
    and ``last`` are the times (UTC) of the oldest and the newest.
    """

    kind: str
    model: str
    endpoint: str
    replies: int
    usage: Usage
    usd: float | None
    first: str
    last: str


@dataclass(frozen=True)
class CacheStats:
    """The content of a cache; ``bytes`` is the size of the file and its log."""

    groups: tuple[CacheGroup, ...]
    bytes: int

    @property
    def replies(self) -> int:
        """The number of replies."""
        return sum(group.replies for group in self.groups)


@dataclass(frozen=True)
class Damage:
    """A damaged reply, or, with an empty key, damage of the file itself."""

    key: str
    reason: str


@dataclass(frozen=True)
class Verification:
    """How many replies were checked (in an export: written), and the damage found (in an export: skipped)."""

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
    """The result of an import.

    ``present`` counts lines whose key was there already, ``differing`` their keys with another reply than the stored
    one, which stays.
    """

    imported: int
    present: int
    differing: int
    refused: tuple[Refused, ...]


@dataclass(frozen=True)
class Pruned:
    """How many replies were removed (in a dry run: would be) and how many are left, and the bytes freed.

    ``compacted`` is False if the file could not shrink because another process was using it.
    """

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
    sql = f"INSERT INTO replies ({_NAMES}) VALUES ({_MARKS}) ON CONFLICT (key) DO NOTHING"
    return connection.execute(sql, astuple(entry)).rowcount == 1


class Cache(SqliteFile):
    """The replies in an SQLite file; created if it is missing.

    Args:
        path: the file.
        read_only: the file must exist and is not changed.

    Raises:
        InputError, InfrastructureError: as `SqliteFile`.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False):
        super().__init__(path, _KIND, read_only=read_only)
        self._unsaved: dict[str, StoredReply] = {}

    def __repr__(self) -> str:
        return f"Cache({str(self.path)!r})"

    def __enter__(self) -> Cache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return int(self.read("SELECT count(*) FROM replies")[0][0])

    # ── replies ──────────────────────────────────────────────────────────────────────────────────

    def get(self, key: str) -> dict[str, Any] | None:
        """The reply stored under a key, as JSON, or None; raises `InfrastructureError` if it is damaged."""
        unsaved = self._unsaved.get(key)
        sql = "SELECT checksum, reply FROM replies WHERE key = ?"
        rows = [(unsaved.checksum, unsaved.reply)] if unsaved else self.read(sql, (key,))
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
        """Stores a reply: ``{"vector": [numbers]}`` for an embedding, else the result of `completion_to_json`.

        Returns:
            Whether it was stored; False if there was a reply already, which stays.

        Raises:
            InputError: the identity is malformed, or the reply is not a complete one.
            InfrastructureError: writing failed. The reply stays in memory, where `get` finds it, until `save` or the
                next `put` succeeds.
        """
        entry = StoredReply.of(identity, reply)
        try:
            self.save()
            with self.transaction() as connection:
                return insert(connection, entry)
        except InfrastructureError:
            self._unsaved.setdefault(entry.key, entry)
            raise

    def save(self) -> None:
        """Writes the replies that could not be written before; raises `InfrastructureError` if that fails again."""
        unsaved = list(self._unsaved.values())
        if unsaved:
            with self.transaction() as connection:
                for entry in unsaved:
                    insert(connection, entry)
            for entry in unsaved:
                self._unsaved.pop(entry.key, None)

    @contextmanager
    def asking(self, keys: Iterable[str]) -> Iterator[None]:
        """Holds keys while this thread asks for their replies; other threads of the process wait here until it ends.

        Whoever has waited finds the reply in the cache, or asks itself.
        """
        with ExitStack() as held:
            # In one order everywhere, so that two threads never wait for each other.
            for key in sorted(set(keys)):
                held.enter_context(_alone((os.getpid(), str(self.path.absolute()), key)))
            yield

    def close(self) -> None:
        """Closes the file; using the cache again reopens it."""
        with suppress(InfrastructureError):
            self.save()
        super().close()

    # ── the whole file ───────────────────────────────────────────────────────────────────────────

    def stats(self) -> CacheStats:
        """Counts replies, tokens and costs by kind, model and endpoint."""
        from pddl2nl.llm.settings import load_catalogue

        tokens = "sum(prompt_tokens), sum(completion_tokens), sum(cached_tokens), sum(reasoning_tokens)"
        rows = self.read(
            f"SELECT kind, model, endpoint, count(*), {tokens}, min(created), max(created) FROM replies "
            "GROUP BY kind, model, endpoint ORDER BY kind, model, endpoint"
        )
        catalogue = load_catalogue(None)
        groups = []
        for kind, model, endpoint, replies, *counts, first, last in rows:
            usage = Usage(*counts)
            price = catalogue.of(model).price if kind == "chat" else None
            usd = None if price is None else price.usd(usage)
            groups.append(CacheGroup(kind, model, endpoint, replies, usage, usd, first, last))
        return CacheStats(tuple(groups), self.size)

    def counted(self, model: str, *, newest: int = 200) -> tuple[int, int]:
        """Characters and tokens of the newest prompts to a model whose endpoint counted them, for `note_tokens`."""
        rows = self.read(
            "SELECT identity, prompt_tokens FROM replies WHERE kind = 'chat' AND model = ? AND prompt_tokens > 0 "
            "ORDER BY created DESC LIMIT ?",
            (model, newest),
        )
        prompts = [read_json_object(identity)["body"]["messages"] for identity, _ in rows]
        characters = sum(len(message["content"]) for messages in prompts for message in messages)
        return characters, sum(tokens for _, tokens in rows)

    def verify(self) -> Verification:
        """Checks the file with SQLite's integrity check, and every reply: key, checksum, columns and JSON."""
        replies = 0
        with self.faults(), closing(self.connect()) as connection:
            try:
                said = [str(row[0]) for row in connection.execute("PRAGMA integrity_check").fetchall()]
            except sqlite3.DatabaseError as error:
                said = [str(error)]
            damage = [Damage("", reason) for reason in said if reason != "ok"]
            for found in _checked(connection):
                replies += bool(found.key)
                if isinstance(found, Damage):
                    damage.append(found)
        return Verification(replies, tuple(damage))

    def export(self, stream: TextIO) -> Verification:
        """Writes every sound reply as a line of JSON, ordered by key."""
        damage: list[Damage] = []
        replies = 0
        with self.faults(), closing(self.connect()) as connection:
            for found in _checked(connection):
                if isinstance(found, Damage):
                    damage.append(found)
                else:
                    stream.write(_line(found) + "\n")
                    replies += 1
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
                    entry = _parsed(line)
                except InputError as error:
                    refused.append(Refused(number, str(error)))
                    continue
                if insert(connection, entry):
                    imported += 1
                    continue
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

        Args:
            older_than: only replies stored longer ago than this.
            model: only replies of this model.
            endpoint: only replies of this endpoint.
            keep_newest: of those that meet the conditions, keep this many of the newest.
            damaged: only replies that `verify` reports.
            dry_run: only count.

        Raises:
            InfrastructureError: writing failed, and nothing was removed.
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
            found = self.read(f"SELECT count(*) FROM replies WHERE {where}", values)[0][0]
            return Pruned(found, len(self) - found, 0, False)
        with self.transaction() as connection:
            removed = connection.execute(f"DELETE FROM replies WHERE {where}", values).rowcount
        compacted = self.compact() if removed else True
        return Pruned(removed, len(self), max(0, before - self.size), compacted)


_ASKING: dict[tuple[int, str, str], threading.Event] = {}
"""By process, file and key: set when the thread that asks has ended."""


@contextmanager
def _alone(place: tuple[int, str, str]) -> Iterator[None]:
    mine = threading.Event()
    while (other := _ASKING.setdefault(place, mine)) is not mine:
        other.wait()
    try:
        yield
    finally:
        del _ASKING[place]
        mine.set()


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
            row = connection.execute(f"SELECT {_NAMES} FROM replies WHERE key = ?", (key,)).fetchone()
            yield _checked_row(row)
        except (sqlite3.DatabaseError, TypeError, InputError) as error:
            yield Damage(str(key), str(error))


def _checked_row(row: Sequence[Any]) -> StoredReply:
    found = StoredReply(*row)
    identity, reply = (read_json_object(str(text)) for text in (found.identity, found.reply))
    whole = _restored(found.key, found.created, found.checksum, identity, reply)
    wrong = [item.name for item in fields(found) if getattr(found, item.name) != getattr(whole, item.name)]
    if wrong:
        raise InputError(f"its column {wrong[0]} differs from its JSON")
    return whole


def _line(entry: StoredReply) -> str:
    # Identity and reply are canonical JSON already, and stay byte for byte.
    head = {"format": _FORMAT, "key": entry.key, "created": entry.created, "checksum": entry.checksum}
    return f'{canonical_json(head)[:-1]},"identity":{entry.identity},"reply":{entry.reply}}}'


def _parsed(line: str) -> StoredReply:
    """The reply of an exported line; raises `InputError` if it is damaged."""
    data = read_json_object(line)
    expected = {"format", "key", "created", "checksum", "identity", "reply"}
    if set(data) != expected:
        raise InputError(f"it is no JSON object with these fields: {', '.join(sorted(expected))}")
    if data.pop("format") != _FORMAT:
        raise InputError(f"its format is not {_FORMAT}, which this version of pddl2nl reads")
    return _restored(**data)


def _restored(key: object, created: object, checksum: object, identity: object, reply: object) -> StoredReply:
    """The row of these values; raises `InputError` if they do not fit together."""
    try:
        right = isinstance(created, str) and _utc(datetime.fromisoformat(created)) == created
    except ValueError:
        right = False
    if not (right and isinstance(identity, dict) and isinstance(reply, dict)):
        raise InputError("identity and reply are objects, and created is a time as in 2025-01-31T12:00:00.000Z")
    entry = StoredReply.of(identity, reply, str(created))
    if entry.key != key:
        raise InputError(f"its key is not the SHA-256 of its identity, which is {entry.key}")
    if entry.checksum != checksum:
        raise InputError("its reply was changed (the checksum differs)")
    return entry


def _checksum(key: str, reply: str) -> str:
    """Tells a damaged reply, or one stored under another key."""
    return sha256(f"{key}\n{reply}")


def _utc(moment: datetime) -> str:
    """A moment as the cache writes it: ``2025-01-31T12:00:00.000Z``."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

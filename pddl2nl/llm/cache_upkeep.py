"""What is done with a cache as a whole: counted, checked, carried elsewhere, thinned out."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TextIO

from pddl2nl.errors import InputError
from pddl2nl.llm.cache_file import FORMAT, CacheFile
from pddl2nl.llm.keys import canonical_json
from pddl2nl.llm.settings import load_catalogue
from pddl2nl.llm.stored import COLUMNS, StoredReply, fault_of, store, utc
from pddl2nl.llm.types import Usage

__all__ = [
    "CacheGroup",
    "CacheStats",
    "Damage",
    "Exported",
    "Imported",
    "Pruned",
    "Refused",
    "Verification",
    "export",
    "import_lines",
    "insert",
    "prune",
    "stats",
    "verify",
]

_NAMES = ", ".join(COLUMNS)
_MARKS = ", ".join("?" for _ in COLUMNS)
_LINE = frozenset(("format", "key", "created", "checksum", "identity", "reply"))


@dataclass(frozen=True)
class CacheGroup:
    """The replies of one kind, model and endpoint.

    ``usd``: what they would cost if they were asked for again at the standard tariff; None where the price is not
    known. ``first`` and ``last``: when the oldest and the newest were kept, UTC.
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
    """What is in a cache; ``bytes`` is the size of the file and its log."""

    groups: tuple[CacheGroup, ...]
    bytes: int

    @property
    def replies(self) -> int:
        """How many replies there are."""
        return sum(group.replies for group in self.groups)


@dataclass(frozen=True)
class Damage:
    """What is wrong with a reply, or, without a key, with the file."""

    key: str
    reason: str


@dataclass(frozen=True)
class Verification:
    """How many replies there are, and what is damaged."""

    replies: int
    damage: tuple[Damage, ...]

    @property
    def sound(self) -> bool:
        """Whether all is as it was written."""
        return not self.damage


@dataclass(frozen=True)
class Exported:
    """How many replies were written, and which were damaged and left out."""

    replies: int
    damage: tuple[Damage, ...]


@dataclass(frozen=True)
class Refused:
    """A line, counted from 1, that was not taken in."""

    line: int
    reason: str


@dataclass(frozen=True)
class Imported:
    """What came of the lines of a file.

    ``present``: they were in the cache before, or twice in the file. ``differing``: those among them whose reply is
    another one; the one that was there first stays.
    """

    imported: int
    present: int
    differing: int
    refused: tuple[Refused, ...]


@dataclass(frozen=True)
class Pruned:
    """How many replies were (or, in a dry run, would be) removed and left, and the bytes that became free.

    ``compacted`` is False where the disk did not get the room back, since another process had the file in use;
    later replies are then written there.
    """

    removed: int
    left: int
    freed: int
    compacted: bool


def insert(connection: sqlite3.Connection, entry: StoredReply, table: str = "replies") -> bool:
    """Enters a reply where there is none; whether that was so."""
    sql = f"INSERT INTO {table} ({_NAMES}) VALUES ({_MARKS}) ON CONFLICT (key) DO NOTHING"
    return connection.execute(sql, entry.row()).rowcount == 1


def stats(file: CacheFile) -> CacheStats:
    """What is in the file, by kind, model and endpoint."""
    tokens = "sum(prompt_tokens), sum(completion_tokens), sum(cached_tokens), sum(reasoning_tokens)"
    rows = file.read(
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
    return CacheStats(tuple(groups), _size(file))


def verify(file: CacheFile) -> Verification:
    """Checks the file as SQLite does, and every row against itself."""
    damage: list[Damage] = []
    replies = 0
    with file.faults(), closing(file.connect()) as connection:
        try:
            said = [str(row[0]) for row in connection.execute("PRAGMA integrity_check").fetchall()]
        except sqlite3.DatabaseError as error:
            said = [str(error)]
        damage += [Damage("", reason) for reason in said if reason != "ok"]
        for key, row, unreadable in _rows(connection):
            replies += bool(key)
            reason = unreadable or fault_of(row)
            if reason:
                damage.append(Damage(key, reason))
    return Verification(replies, tuple(damage))


def export(file: CacheFile, stream: TextIO) -> Exported:
    """Writes every sound reply as a line of JSON."""
    damage: list[Damage] = []
    replies = 0
    with file.faults(), closing(file.connect()) as connection:
        for key, row, unreadable in _rows(connection):
            reason = unreadable or fault_of(row)
            if reason:
                damage.append(Damage(key, reason))
                continue
            stream.write(_line(StoredReply(*row)) + "\n")
            replies += 1
    return Exported(replies, tuple(damage))


def import_lines(file: CacheFile, lines: Iterable[str]) -> Imported:
    """Takes in the sound ones of the lines that `export` wrote."""
    refused: list[Refused] = []
    with file.faults(), closing(file.connect()) as connection:
        # Read to the end beside the cache, and then taken over in one step: that keeps other processes waiting for
        # a moment only, and a file that ends in the middle, or a full disk, leaves nothing half done.
        connection.execute("CREATE TEMP TABLE incoming AS SELECT * FROM replies WHERE false")
        connection.execute("CREATE UNIQUE INDEX temp.incoming_key ON incoming (key)")
        connection.execute("BEGIN")
        twice = 0
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                twice += not insert(connection, _parsed(line), "incoming")
            except InputError as error:
                refused.append(Refused(number, str(error)))
        connection.execute("COMMIT")
        connection.execute("BEGIN IMMEDIATE")
        same = "FROM incoming JOIN replies USING (key)"
        present = _count(connection, f"SELECT count(*) {same}")
        differing = _count(connection, f"SELECT count(*) {same} WHERE incoming.checksum != replies.checksum")
        took = connection.execute(
            f"INSERT INTO replies ({_NAMES}) SELECT {_NAMES} FROM incoming WHERE true ON CONFLICT (key) DO NOTHING"
        ).rowcount
        connection.execute("COMMIT")
    return Imported(took, present + twice, differing, tuple(refused))


def prune(
    file: CacheFile,
    *,
    older_than: timedelta | None = None,
    model: str | None = None,
    endpoint: str | None = None,
    keep_newest: int = 0,
    damaged: bool = False,
    dry_run: bool = False,
) -> Pruned:
    """Removes the replies that meet every condition given; see `pddl2nl.llm.cache.Cache.prune`."""
    conditions: dict[str, object] = {}
    if older_than is not None:
        conditions["created < ?"] = utc(datetime.now(UTC) - older_than)
    if model is not None:
        conditions["model = ?"] = model
    if endpoint is not None:
        conditions["endpoint = ?"] = endpoint
    if damaged:
        keys = [damage.key for damage in verify(file).damage if damage.key]
        conditions["key IN (SELECT value FROM json_each(?))"] = json.dumps(keys)
    where = " AND ".join(conditions) or "true"
    values = [*conditions.values()]
    if keep_newest:
        where += f" AND key NOT IN (SELECT key FROM replies WHERE {where} ORDER BY created DESC, key LIMIT ?)"
        values = [*values, *values, keep_newest]
    before = _size(file)
    if dry_run:
        found = file.read(f"SELECT count(*) FROM replies WHERE {where}", values)[0][0]
        return Pruned(found, file.read("SELECT count(*) FROM replies")[0][0] - found, 0, False)
    removed = file.write(lambda connection: connection.execute(f"DELETE FROM replies WHERE {where}", values).rowcount)
    compacted = _compact(file) if removed else True
    left = file.read("SELECT count(*) FROM replies")[0][0]
    return Pruned(removed, left, max(0, before - _size(file)), compacted)


def _rows(connection: sqlite3.Connection) -> Iterator[tuple[str, tuple[Any, ...], str]]:
    """Every row with its key, or the reason why it cannot be read, as the file is at this moment."""
    connection.execute("BEGIN")
    try:
        keys = [row[0] for row in connection.execute("SELECT key FROM replies ORDER BY key").fetchall()]
    except sqlite3.DatabaseError as error:
        yield "", (), f"its replies cannot be listed: {error}"
        return
    # One by one: a page that is damaged must not take the rows after it along.
    for key in keys:
        try:
            found = connection.execute(f"SELECT {_NAMES} FROM replies WHERE key = ?", (key,)).fetchall()
        except sqlite3.DatabaseError as error:
            yield str(key), (), str(error)
            continue
        yield str(key), *((found[0], "") if found else ((), "it is listed, and not there"))


def _line(entry: StoredReply) -> str:
    # What is canonical JSON already is put in as it is, so that a line holds it byte for byte.
    head = {"format": FORMAT, "key": entry.key, "created": entry.created, "checksum": entry.checksum}
    return f'{canonical_json(head)[:-1]},"identity":{entry.identity},"reply":{entry.reply}}}'


def _parsed(line: str) -> StoredReply:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"it is no JSON: {error}") from None
    if not isinstance(data, dict) or set(data) != _LINE:
        raise InputError(f"it is no JSON object with these fields: {', '.join(sorted(_LINE))}")
    if data["format"] != FORMAT:
        raise InputError(f"its format is {data['format']!r}; this version of pddl2nl reads format {FORMAT}")
    created = data["created"]
    if not isinstance(data["identity"], dict) or not isinstance(data["reply"], dict) or not _is_moment(created):
        raise InputError("identity and reply are objects, and created is a time as in 2025-01-31T12:00:00.000Z")
    entry = store(data["identity"], data["reply"], created)
    if entry.key != data["key"]:
        raise InputError(f"its key is not the SHA-256 of its identity, which is {entry.key}")
    if entry.checksum != data["checksum"]:
        raise InputError("its reply is not the one that was exported (the checksum differs)")
    return entry


def _is_moment(text: object) -> bool:
    try:
        return isinstance(text, str) and utc(datetime.fromisoformat(text)) == text
    except ValueError:
        return False


def _compact(file: CacheFile) -> bool:
    try:
        with closing(file.connect()) as connection:
            connection.execute("VACUUM")
            busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
            return not busy
    except sqlite3.Error:
        # The replies are gone already; without room to copy the rest, or while others write, the file stays as big.
        return False


def _count(connection: sqlite3.Connection, sql: str) -> int:
    return int(connection.execute(sql).fetchone()[0])


def _size(file: CacheFile) -> int:
    names = (file.path, file.path.with_name(file.path.name + "-wal"))
    return sum(path.stat().st_size for path in names if path.exists())

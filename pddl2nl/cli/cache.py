"""``pddl2nl cache``: counts, checks, exports, imports and removes the replies in the cache."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from pddl2nl.cli.output import DONE, WANTING, print_json, print_table, print_text, print_warnings
from pddl2nl.cli.wording import JsonOption
from pddl2nl.errors import InfrastructureError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pddl2nl.llm.cache import Cache, CacheGroup, Damage

__all__ = ["register"]

_LARGEST_AGE = timedelta(days=365_000)
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_SHOWN = 20

CacheFileOption = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        metavar="FILE",
        help="The cache.",
        show_default="PDDL2NL_CACHE, else pddl2nl/replies.sqlite in XDG_CACHE_HOME or ~/.cache",
    ),
]


def register(app: typer.Typer) -> None:
    """Adds the commands to the application, as a group of their own."""
    group = typer.Typer(
        no_args_is_help=True,
        help="Manage the cache of paid replies: one SQLite file, table 'replies'.",
    )
    group.command("stats", epilog="Example: pddl2nl cache stats")(_stats)
    group.command("verify", epilog="Example: pddl2nl cache verify --cache replies.sqlite")(_verify)
    group.command("export", epilog="Example: pddl2nl cache export replies.jsonl")(_export)
    group.command("import", epilog="Example: pddl2nl cache import replies.jsonl")(_import)
    group.command("prune", epilog="Example: pddl2nl cache prune --older-than 30d --model gpt-4o --dry-run")(_prune)
    app.add_typer(group, name="cache")


def _stats(cache: CacheFileOption = None, as_json: JsonOption = False) -> None:
    """Count the cached replies by model and endpoint, with their tokens and what they would cost again.

    A cache file that does not exist yet counts as empty.
    """
    path = _path(cache)
    groups: tuple[CacheGroup, ...] = ()
    size = 0
    if path.exists():
        with _read(path) as opened:
            groups, size = opened.stats(), opened.size
    replies = sum(group.replies for group in groups)
    if as_json:
        shown = [
            {name: value for name, value in {**asdict(group), **asdict(group.usage)}.items() if name != "usage"}
            for group in groups
        ]
        print_json({"cache": str(path), "replies": replies, "bytes": size, "groups": shown})
        return
    if not groups:
        print_text(f"{path}: empty" + ("" if size else ", as there is no such file yet"))
        return
    print_text(f"{path}: {_many(replies, 'reply', 'replies')}, {_size(size)}")
    print_table(
        "",
        ("kind", "model", "endpoint", "replies", "prompt", "of it cached", "completion", "USD again", "first", "last"),
        (
            (
                group.kind,
                group.model,
                group.endpoint,
                group.replies,
                group.usage.prompt_tokens,
                group.usage.cached_tokens,
                group.usage.completion_tokens,
                "unknown" if group.usd is None else f"{group.usd:.4f}",
                group.first[:10],
                group.last[:10],
            )
            for group in groups
        ),
    )


def _verify(cache: CacheFileOption = None, as_json: JsonOption = False) -> None:
    """Check the file and every reply in it.

    Exit code 0: nothing is damaged; 1: the damage is listed; 2: there is no such cache.
    """
    path = _path(cache)
    with _read(path) as opened:
        found = opened.verify()
    if as_json:
        damage = [asdict(one) for one in found.damage]
        print_json({"cache": str(path), "replies": found.replies, "sound": found.sound, "damage": damage})
    else:
        verdict = "all sound" if found.sound else f"{len(found.damage)} damaged"
        print_text(f"{path}: {_many(found.replies, 'reply', 'replies')}, {verdict}")
        for line in _damage_lines(found.damage):
            print_text(line)
    raise typer.Exit(DONE if found.sound else WANTING)


def _export(
    file: Annotated[str, typer.Argument(metavar="[FILE|-]", help="Where to; - is standard output.")] = "-",
    cache: CacheFileOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; needs a FILE.")] = False,
) -> None:
    """Write every reply as a line of JSON, for `import` on another machine.

    Exit code 0: all were written; 1: damaged replies were skipped and are listed; 2: there is no such cache.
    """
    path = _path(cache)
    if as_json and file == "-":
        raise InputError("export --json prints a summary on standard output, so the replies need a FILE to go to")
    with _read(path) as opened, _target(file, path) as stream:
        found = opened.export(stream)
    if as_json:
        damage = [asdict(one) for one in found.damage]
        print_json({"cache": str(path), "file": file, "replies": found.replies, "damage": damage})
    elif file != "-":
        print_text(f"{_many(found.replies, 'reply', 'replies')} written to {file}")
    print_warnings(_damage_lines(found.damage))
    raise typer.Exit(WANTING if found.damage else DONE)


def _import(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="What `export` wrote; - is standard input.")],
    cache: CacheFileOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add the replies that `export` wrote; replies that are there already stay.

    Exit code 0: every line was added or there already; 1: refused lines are listed; 2: no such file.
    """
    from pddl2nl.llm.cache import Cache

    path = _path(cache)
    with _lines(file) as lines, Cache(path) as opened:
        found = opened.import_(lines)
    if as_json:
        print_json({"cache": str(path), "file": file, **asdict(found)})
    else:
        counts = f"{found.imported} taken in, {found.present} there already, {len(found.refused)} refused"
        print_text(f"{path}: {counts}")
    for refused in found.refused[:_SHOWN]:
        print_warnings([f"{file}:{refused.line}: {refused.reason}"])
    if len(found.refused) > _SHOWN:
        print_warnings([f"… and {len(found.refused) - _SHOWN} more lines"])
    if found.differing:
        print_warnings(
            [f"{_many(found.differing, 'line has', 'lines have')} another reply than the one kept, which stays"]
        )
    raise typer.Exit(WANTING if found.refused else DONE)


def _prune(
    older_than: Annotated[
        str | None, typer.Option(metavar="AGE", help="Only replies older than this: 90m, 12h, 30d or 8w.")
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="M", help="Only replies of this model.")] = None,
    endpoint: Annotated[str | None, typer.Option(metavar="URL", help="Only replies of this endpoint.")] = None,
    damaged: Annotated[bool, typer.Option("--damaged", help="Only replies that `verify` reports.")] = False,
    keep_newest: Annotated[
        int, typer.Option("--keep-newest", metavar="N", min=0, help="Keep the N newest of them.")
    ] = 0,
    everything: Annotated[bool, typer.Option("--all", help="All replies, without any condition.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would be removed.")] = False,
    cache: CacheFileOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remove the replies that meet every given condition, and shrink the file.

    A removed reply has to be paid for again.
    """
    from pddl2nl.llm.cache import Cache

    age = None if older_than is None else _age(older_than)
    if not everything and not damaged and not keep_newest and (age, model, endpoint) == (None, None, None):
        raise InputError(
            "prune removes replies that were paid for: say which by --older-than, --model, --endpoint, --keep-newest "
            "or --damaged, or --all"
        )
    path = _path(cache)
    if not path.exists():
        raise InputError(f"{path}: no such cache")
    with Cache(path, read_only=dry_run) as opened:
        found = opened.prune(
            older_than=age, model=model, endpoint=endpoint, keep_newest=keep_newest, damaged=damaged, dry_run=dry_run
        )
    if as_json:
        print_json({"cache": str(path), "dry_run": dry_run, **asdict(found)})
        return
    what = f"{'would remove' if dry_run else 'removed'} {_many(found.removed, 'reply', 'replies')}"
    print_text(f"{path}: {what}, {found.left} left" + ("" if dry_run else f", {_size(found.freed)} freed"))
    if not dry_run and not found.compacted:
        print_warnings(["the file keeps its size, as another process is using it; later replies fill the free room"])


def _path(cache: Path | None) -> Path:
    from pddl2nl.llm.cache import default_cache_path

    return default_cache_path() if cache is None else cache


def _read(path: Path) -> Cache:
    from pddl2nl.llm.cache import Cache

    return Cache(path, read_only=True)


def _age(text: str) -> timedelta:
    match = re.fullmatch(r"(\d{1,9})([mhdw])", text)
    if match is None:
        raise InputError(f"--older-than {text}: an age was expected, a number and a unit: 90m, 12h, 30d or 8w")
    # Beyond a thousand years all ages are alike.
    return min(timedelta(**{_UNITS[match[2]]: min(int(match[1]), 10_000_000)}), _LARGEST_AGE)


@contextmanager
def _target(file: str, cache: Path) -> Iterator[TextIO]:
    """The stream of an export; a file appears when it is complete."""
    if file == "-":
        yield sys.stdout
        return
    path = Path(file)
    if path.is_dir():
        raise InputError(f"{file} is a folder; a file was expected")
    if path.exists() and path.samefile(cache):
        raise InputError(f"{file} is the cache itself; name another file for the export")
    # A pipe or a device is written to, not replaced by a file.
    special = path.exists() and not path.is_file()
    part = path if special else path.with_name(path.name + ".partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("w", encoding="utf-8", newline="\n") as stream:
            yield stream
        if not special:
            part.replace(path)
    except OSError as error:
        raise InfrastructureError(f"cannot write {file}: {error.strerror}") from error
    finally:
        if not special:
            part.unlink(missing_ok=True)


@contextmanager
def _lines(file: str) -> Iterator[Iterable[str]]:
    if file == "-":
        # A line that is no UTF-8 fails its own checksum and not the whole import.
        yield _texts(sys.stdin.buffer)
        return
    try:
        with Path(file).open("rb") as stream:
            if stream.read(16).startswith(b"SQLite format 3"):
                raise InputError(
                    f"{file} is a cache itself; what 'pddl2nl cache export --cache {file}' writes can be imported"
                )
            stream.seek(0)
            yield _texts(stream)
    except FileNotFoundError:
        raise InputError(f"{file}: no such file") from None
    except IsADirectoryError:
        raise InputError(f"{file} is a folder; a file was expected") from None


def _texts(lines: Iterable[bytes]) -> Iterator[str]:
    for line in lines:
        # Some tools put a byte order mark before a file.
        yield line.decode("utf-8", "replace").removeprefix("\ufeff")


def _damage_lines(damage: Iterable[Damage]) -> list[str]:
    return [f"{one.key}: {one.reason}" if one.key else f"the file: {one.reason}" for one in damage]


def _many(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"


def _size(size: float) -> str:
    for unit in ("bytes", "KB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"

"""``pddl2nl cache``: counts, checks, exports, imports and removes the replies in the cache."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import asdict
from datetime import timedelta
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.options import JsonOption, argument, option, switch
from pddl2nl.cli.output import (
    DONE,
    FAILED,
    plural,
    print_json,
    print_result,
    print_table,
    print_text,
    print_warnings,
    warn,
)
from pddl2nl.errors import InputError
from pddl2nl.files import read_lines, replaced_file

if TYPE_CHECKING:
    from pddl2nl.llm.cache import CacheGroup, Damage

_LARGEST_AGE = timedelta(days=365_000)
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_SHOWN = 20
_COLUMNS = (
    "kind",
    "model",
    "endpoint",
    "replies",
    "prompt",
    "of it cached",
    "completion",
    "USD again",
    "first",
    "last",
)

CacheFile = Annotated[
    Path | None,
    option("FILE", "The cache.", "PDDL2NL_CACHE, else pddl2nl/replies.sqlite in XDG_CACHE_HOME or ~/.cache"),
]


def register(app: typer.Typer) -> None:
    """Adds the commands to the application, as a group of their own."""
    group = typer.Typer(
        no_args_is_help=True, help="Manage the cache of paid replies: one SQLite file, table 'replies'."
    )
    group.command("stats", epilog="Example: pddl2nl cache stats")(_stats)
    group.command("verify", epilog="Example: pddl2nl cache verify --cache replies.sqlite")(_verify)
    group.command("export", epilog="Example: pddl2nl cache export replies.jsonl")(_export)
    group.command("import", epilog="Example: pddl2nl cache import replies.jsonl")(_import)
    group.command("prune", epilog="Example: pddl2nl cache prune --older-than 30d --model gpt-4o --dry-run")(_prune)
    app.add_typer(group, name="cache")


def _stats(cache: CacheFile = None, as_json: JsonOption = False) -> None:
    """Count the cached replies by model and endpoint, with their tokens and what they would cost again.

    A cache file that does not exist yet counts as empty.
    """
    from pddl2nl.llm.cache import Cache

    path = _path(cache)
    groups: tuple[CacheGroup, ...] = ()
    size = 0
    if path.exists():
        with Cache(path, read_only=True) as opened:
            groups, size = opened.stats(), opened.size
    replies = sum(group.replies for group in groups)
    if as_json:
        print_json({"cache": str(path), "replies": replies, "bytes": size, "groups": [*map(_group_json, groups)]})
    elif not groups:
        print_text(f"{path}: empty" + ("" if size else "; the file does not exist yet"))
    else:
        print_text(f"{path}: {_replies(replies)}, {_size(size)}")
        print_table("", _COLUMNS, map(_group_row, groups))


def _group_json(group: CacheGroup) -> dict[str, object]:
    flat = {**asdict(group), **asdict(group.usage)}
    del flat["usage"]
    return flat


def _group_row(group: CacheGroup) -> tuple[object, ...]:
    usage = group.usage
    usd = "unknown" if group.usd is None else f"{group.usd:.4f}"
    tokens = (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens)
    return (group.kind, group.model, group.endpoint, group.replies, *tokens, usd, group.first[:10], group.last[:10])


def _verify(cache: CacheFile = None, as_json: JsonOption = False) -> None:
    """Check the file and every reply in it.

    Exit code 0: nothing is damaged; 1: the damage is listed; 2: there is no such cache.
    """
    from pddl2nl.llm.cache import Cache

    path = _path(cache)
    with Cache(path, read_only=True) as opened:
        verification = opened.verify()
    verdict = "all sound" if verification.sound else f"{len(verification.damage)} damaged"
    lines = [f"{path}: {_replies(verification.replies)}, {verdict}", *_damage_lines(verification.damage)]
    data = {
        "cache": str(path),
        "replies": verification.replies,
        "sound": verification.sound,
        "damage": _damage_json(verification.damage),
    }
    print_result(data, "\n".join(lines), as_json=as_json)
    raise typer.Exit(DONE if verification.sound else FAILED)


def _export(
    file: Annotated[str, argument("[FILE|-]", "Where to write the replies; - is standard output.", "-")] = "-",
    cache: CacheFile = None,
    as_json: Annotated[bool, switch("--json", "Print JSON; needs a FILE.", "Output")] = False,
) -> None:
    """Write every reply as a line of JSON, for `import` on another machine.

    Exit code 0: all were written; 1: damaged replies were skipped and are listed; 2: there is no such cache.
    """
    from pddl2nl.llm.cache import Cache

    path, target = _path(cache), Path(file)
    if as_json and file == "-":
        raise InputError("export --json prints a summary on standard output, so the replies need a FILE to go to")
    if target.exists() and path.exists() and target.samefile(path):
        raise InputError(f"{file} is the cache itself; name another file for the export")
    with (
        Cache(path, read_only=True) as opened,
        nullcontext(sys.stdout) if file == "-" else replaced_file(target) as stream,
    ):
        written = opened.export(stream)
    data = {"cache": str(path), "file": file, "replies": written.replies, "damage": _damage_json(written.damage)}
    if file != "-":
        print_result(data, f"{_replies(written.replies)} written to {file}", as_json=as_json)
    print_warnings(_damage_lines(written.damage))
    raise typer.Exit(FAILED if written.damage else DONE)


def _import(
    file: Annotated[str, argument("FILE|-", "What `export` wrote; - is standard input.")],
    cache: CacheFile = None,
    as_json: JsonOption = False,
) -> None:
    """Add the replies that `export` wrote; replies that are there already stay.

    Exit code 0: every line was added or there already; 1: refused lines are listed; 2: no such file.
    """
    from pddl2nl.llm.cache import Cache

    path = _path(cache)
    lines = read_lines(file)
    first = next(lines, "")
    if first.startswith("SQLite format 3"):
        raise InputError(f"{file} is a cache itself; 'pddl2nl cache export --cache {file}' writes what can be imported")
    with Cache(path) as opened:
        imported = opened.import_(chain([first] if first else [], lines))
    counts = f"{imported.imported} added, {imported.present} there already, {len(imported.refused)} refused"
    print_result({"cache": str(path), "file": file, **asdict(imported)}, f"{path}: {counts}", as_json=as_json)
    print_warnings(f"{file}:{refused.line}: {refused.reason}" for refused in imported.refused[:_SHOWN])
    if len(imported.refused) > _SHOWN:
        warn(f"… and {len(imported.refused) - _SHOWN} more lines")
    if imported.differing:
        warn(f"{plural(imported.differing, 'line has', 'lines have')} another reply than the stored one, which stays")
    raise typer.Exit(FAILED if imported.refused else DONE)


def _prune(
    older_than: Annotated[
        str | None, option("AGE", "Only replies older than this: 90m, 12h, 30d or 8w.", "any age")
    ] = None,
    model: Annotated[str | None, option("M", "Only replies of this model.", "all models")] = None,
    endpoint: Annotated[str | None, option("URL", "Only replies of this endpoint.", "all endpoints")] = None,
    damaged: Annotated[bool, switch("--damaged", "Only replies that `verify` reports.")] = False,
    keep_newest: Annotated[int, option("N", "Keep the N newest of them.", min=0)] = 0,
    everything: Annotated[bool, switch("--all", "All replies, without any condition.")] = False,
    dry_run: Annotated[bool, switch("--dry-run", "Only count what would be removed.")] = False,
    cache: CacheFile = None,
    as_json: JsonOption = False,
) -> None:
    """Remove the replies that meet every given condition, and shrink the file.

    A removed reply has to be paid for again.
    """
    from pddl2nl.llm.cache import Cache

    age = None if older_than is None else _age(older_than)
    if not any((everything, damaged, keep_newest, age, model, endpoint)):
        raise InputError(
            "prune removes replies that were paid for: say which by --older-than, --model, --endpoint, --keep-newest "
            "or --damaged, or --all"
        )
    path = _path(cache)
    if not path.exists():
        raise InputError(f"{path}: no such cache")
    with Cache(path, read_only=dry_run) as opened:
        pruned = opened.prune(
            older_than=age, model=model, endpoint=endpoint, keep_newest=keep_newest, damaged=damaged, dry_run=dry_run
        )
    text = f"{path}: {'would remove' if dry_run else 'removed'} {_replies(pruned.removed)}, {pruned.left} left"
    text += "" if dry_run else f", {_size(pruned.freed)} freed"
    print_result({"cache": str(path), "dry_run": dry_run, **asdict(pruned)}, text, as_json=as_json)
    if not dry_run and not pruned.compacted and not as_json:
        warn("the file keeps its size, as another process is using it; later replies fill the free room")


def _path(cache: Path | None) -> Path:
    from pddl2nl.llm.cache import default_cache_path

    return default_cache_path() if cache is None else cache


def _age(text: str) -> timedelta:
    match = re.fullmatch(r"(\d{1,9})([mhdw])", text)
    if match is None:
        raise InputError(f"--older-than {text}: an age was expected, a number and a unit: 90m, 12h, 30d or 8w")
    # Beyond a thousand years all ages are alike.
    return min(timedelta(**{_UNITS[match[2]]: min(int(match[1]), 10_000_000)}), _LARGEST_AGE)


def _damage_lines(damage: Iterable[Damage]) -> list[str]:
    return [f"{one.key}: {one.reason}" if one.key else f"the file: {one.reason}" for one in damage]


def _damage_json(damage: Iterable[Damage]) -> list[dict[str, object]]:
    return [asdict(one) for one in damage]


def _replies(number: int) -> str:
    return plural(number, "reply", "replies")


def _size(size: float) -> str:
    for unit in ("bytes", "KB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"

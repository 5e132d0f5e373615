"""``pddl2nl replay``: recorded runs made again from their records alone, and what came out differently."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pddl2nl.cli.output import BAD_INPUT, DONE, WANTING, print_json, print_text, print_warnings
from pddl2nl.cli.wording import JsonOption

if TYPE_CHECKING:
    from pddl2nl.experiments.records.replay import Difference, Replayed

__all__ = ["register"]

_SHOWN = 160

Records = Annotated[
    list[Path],
    typer.Argument(
        metavar="RECORD…",
        show_default=False,
        help="Records, NAME.jsonl or the NAME.jsonl.partial of a killed run, or folders of them.",
    ),
]


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("replay", epilog="Example: pddl2nl replay runs/blocksworld-p01-react-oracle-nl-1.jsonl")(_replay)


def _replay(records: Records, as_json: JsonOption = False) -> None:
    """Make recorded runs again from their records alone, with no network, key or planner, and compare all events.

    Each record is told on a line: identical, or where it differs first, a changed prompt with its diff below. Times
    may differ; nothing else does. With --json, one object a record.

    Exit code 0: all are identical; 1: one is not; 2: no such record, or none that could be read.
    """
    from pddl2nl.errors import InputError
    from pddl2nl.experiments.records.replay import PlannedRecordError, replay_record

    code = DONE
    for path, named in _paths(records):
        try:
            replayed = replay_record(path)
        except PlannedRecordError as error:
            # A planner's record is no fault of a folder that holds it.
            print_warnings([str(error)])
            code = max(code, BAD_INPUT) if named else code
            continue
        except InputError as error:
            sys.stderr.write(f"error: {error}\n")
            code = BAD_INPUT
            continue
        code = max(code, DONE if replayed.identical else WANTING)
        if as_json:
            print_json(replayed.as_json())
        else:
            print_text(_told(replayed))
    raise typer.Exit(code)


def _paths(records: Sequence[Path]) -> Iterator[tuple[Path, bool]]:
    """All records, and whether each was named itself; one that is not there is left to its reader's complaint.

    Raises:
        InputError: a folder holds none.
    """
    from pddl2nl.errors import InputError

    for path in records:
        if not path.is_dir():
            yield path, True
            continue
        found = sorted({*path.rglob("*.jsonl"), *path.rglob("*.jsonl.partial")})
        if not found:
            raise InputError(f"{path}: no record (*.jsonl, *.jsonl.partial) in this folder")
        yield from ((file, False) for file in found)


def _told(replayed: Replayed) -> str:
    difference = replayed.difference
    if difference is None:
        if replayed.complete:
            return f"{replayed.record}: identical ({replayed.recorded} events)"
        return f"{replayed.record}: identical as far as it goes ({replayed.recorded} events; the record has no end)"
    lines = [f"{replayed.record}: different at event {difference.event}: {_what(difference)}"]
    lines += [f"  {line}" for line in difference.diff.split("\n")] if difference.diff else []
    return "\n".join(lines)


def _what(difference: Difference) -> str:
    if difference.field == "event":
        recorded, now = difference.recorded or "nothing", difference.now or "nothing"
        return f"{recorded} was recorded, and now there is {now}"
    where = f"{difference.name}, {difference.field}"
    return f"{where}: recorded {_shown(difference.recorded)}, now {_shown(difference.now)}"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"

"""``pddl2nl replay``: recorded runs made again from their records alone, and the first difference of each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pddl2nl.cli.options import JsonOption, argument
from pddl2nl.cli.output import BAD_INPUT, DONE, FAILED, plural, print_error, print_result, warn
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from pddl2nl.experiments.records.replay import Replayed

_SHOWN = 160


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("replay", epilog="Example: pddl2nl replay runs/blocksworld-p01-react-oracle-nl-1.jsonl")(_replay)


def _replay(
    records: Annotated[
        list[Path],
        argument("RECORD…", "Records, NAME.jsonl or the NAME.jsonl.partial of a killed run, or folders of them."),
    ],
    as_json: JsonOption = False,
) -> None:
    """Make recorded runs again from their records alone, with no network, key or planner, and compare all events.

    Each record is told on a line: identical, or where it differs first, a changed prompt with its diff below. Times
    may differ; nothing else does. A line that was changed since it was written is named. That a model of the recorded
    name gave the replies is what no replay can show. With --json, one object per record.

    Exit code 0: all are identical; 1: one is not; 2: no such record, or none that could be read.
    """
    from pddl2nl.experiments.records.replay import PlannedRecordError, replay_record

    code = DONE
    for path, named in _paths(records):
        try:
            replayed = replay_record(path)
        except PlannedRecordError as error:
            # A folder may well hold a planner's record.
            warn(str(error))
            code = max(code, BAD_INPUT) if named else code
        except InputError as error:
            print_error(str(error))
            code = BAD_INPUT
        else:
            code = max(code, DONE if replayed.identical else FAILED)
            print_result(replayed.as_json(), _text(replayed), as_json=as_json)
    raise typer.Exit(code)


def _paths(records: Sequence[Path]) -> Iterator[tuple[Path, bool]]:
    """All records, and whether each was named itself; raises `InputError` for a folder without records."""
    for path in records:
        if not path.is_dir():
            yield path, True
            continue
        files = sorted({*path.rglob("*.jsonl"), *path.rglob("*.jsonl.partial")})
        if not files:
            raise InputError(f"{path}: no record (*.jsonl, *.jsonl.partial) in this folder")
        yield from ((file, False) for file in files)


def _text(replayed: Replayed) -> str:
    difference, events = replayed.difference, plural(replayed.recorded, "event")
    if difference is None and replayed.changed:
        return f"{replayed.record}: the replay is identical, but the file is not as recorded: {replayed.changed}"
    if difference is None:
        if replayed.model:
            events += f"; that {replayed.model} gave the replies is what the record says"
        end = f"identical ({events})"
        if not replayed.complete:
            end = f"identical as far as it goes ({events}; the record has no end)"
        return f"{replayed.record}: {end}"
    if difference.field == "event":
        recorded, now = difference.recorded or "nothing", difference.now or "nothing"
        what = f"{recorded} was recorded, and now there is {now}"
    else:
        what = f"{difference.name}, {difference.field}: recorded {_short(difference.recorded)}, "
        what += f"now {_short(difference.now)}"
    diff = [f"  {line}" for line in difference.diff.split("\n")] if difference.diff else []
    return "\n".join([f"{replayed.record}: different at event {difference.event}: {what}", *diff])


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"

"""The layout of an experiment's tables: ``experiment.json`` in the folder of its records.

Records hold what was run. The names of columns and rows, the sums and the tables to show come from the specification,
so they are written before the first run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from pddl2nl.conversion import WrongValueError, convert
from pddl2nl.errors import InputError
from pddl2nl.files import parse_json, read_text, replaced_file

LAYOUT_FILE = "experiment.json"
"""The file's name, in the folder of the records."""

ColumnKind = Literal["model", "walk", "planner"]
"""Who chooses the actions of a column."""

_FORMAT = 1


@dataclass(frozen=True)
class LayoutColumn:
    """A column: what is compared.

    Attributes:
        name: its heading; no other column of the same group has it.
        group: the heading above several columns: ``NL``, ``Tpl``, ``PDDL``, ``Symb.``; empty for none.
        policy: the policy's or the planner's name.
        model, style, wording: what it asks and how; empty where it asks nothing.
        options: what else tells it apart, as the specification names it.
    """

    name: str
    group: str = ""
    kind: ColumnKind = "model"
    policy: str = ""
    model: str = ""
    style: str = ""
    wording: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The column on one line: ``NL Act``; no other column's."""
        return f"{self.group} {self.name}".strip()


@dataclass(frozen=True)
class LayoutRow:
    """A row: the tasks of a domain or suite.

    Attributes:
        label: the domain's or suite's name in the experiment.
        section: rows of one section are shown together and summed: ``primary``, ``scaled``; empty where there is one.
        variant: what makes it an extra row below the one of the same label (``PlanBench``: its hand-written text).
        tasks: how many.
    """

    label: str
    section: str = ""
    variant: str = ""
    tasks: int = 0


class LayoutTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table that the specification asks for by ``[[tables]]``.

    ``kind`` is a name of `pddl2nl.reports.tables.table_kinds` (``coverage``, ``runs``, or one of a system),
    ``paper`` of the numbers to show beside ours (``table-2``), empty for none; ``columns`` the labels of those
    compared, empty for all; ``seeds`` asks a table of coverage for a column for each seed.
    """

    kind: str
    title: str = ""
    paper: str = ""
    columns: tuple[str, ...] = ()
    seeds: bool = False


class Place(NamedTuple):
    """A cell by the indices of its row and column."""

    row: int
    column: int


@dataclass(frozen=True)
class TableLayout:
    """An experiment's table: ``runs`` maps the name of each run (its record without ``.jsonl``) to its places.

    One run may belong to several columns: a run that two columns share is run once.
    """

    name: str
    columns: tuple[LayoutColumn, ...]
    rows: tuple[LayoutRow, ...]
    runs: Mapping[str, tuple[Place, ...]]
    tables: tuple[LayoutTable, ...] = ()
    models: tuple[str, ...] = ()


# ── the file ─────────────────────────────────────────────────────────────────────────────────────


def write_layout(folder: Path, layout: TableLayout) -> None:
    """Writes ``experiment.json``, one line for each run, atomically.

    Raises:
        InfrastructureError: the file cannot be written.
    """
    tables = {"format": _FORMAT, **msgspec.to_builtins(layout)}
    del tables["runs"]
    head = json.dumps(tables, ensure_ascii=False, indent=1).rpartition("\n}")[0]
    lines = (f"  {json.dumps(name)}: {json.dumps(places)}" for name, places in layout.runs.items())
    text = f'{head},\n "runs": {{\n' + ",\n".join(lines) + "\n }\n}\n"
    with replaced_file(folder / LAYOUT_FILE) as file:
        file.write(text.encode("utf-8", "backslashreplace").decode())


def read_layout(folder: Path) -> TableLayout | None:
    """The layout of a folder of records; None if it has none.

    Raises:
        InputError: ``experiment.json`` is not a layout; the message names the place and what was found.
    """
    path = folder / LAYOUT_FILE
    if not path.exists():
        return None
    try:
        return _layout(parse_json(read_text(path), str(path)), path)
    except InputError as error:
        raise InputError(f"{error}; move it away, or start the experiment again, which writes it anew") from None


def _layout(data: Any, path: Path) -> TableLayout:
    if isinstance(data, dict) and (number := data.pop("format", None)) != _FORMAT:
        raise InputError(f"{path}: format is {number!r}; expected {_FORMAT}")
    try:
        layout = convert(data, TableLayout)
        # JSON can hold half of a surrogate pair, but neither a page nor a text file.
        json.dumps(data, ensure_ascii=False).encode()
    except WrongValueError as error:
        raise InputError(f"{path}: {error}") from None
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise InputError(f"{path}: {half!r} is half of a surrogate pair, not a character") from None
    for run, places in layout.runs.items():
        for place in places:
            if not (0 <= place.row < len(layout.rows) and 0 <= place.column < len(layout.columns)):
                size = [len(layout.rows), len(layout.columns)]
                raise InputError(f"{path}: runs.{run} is {[*place]}; expected [row, column] below {size}")
    return layout

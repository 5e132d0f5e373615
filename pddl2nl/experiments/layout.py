"""The layout of an experiment's tables: ``experiment.json`` in the folder of its records.

Records hold what was run. The names of columns and rows, the sums and the tables to show come from the specification,
so they are written before the first run.
"""

from __future__ import annotations

import json
import os
import re
import reprlib
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import msgspec

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.files import parse_json, read_text

__all__ = [
    "LAYOUT_FILE",
    "PAPER_TABLES",
    "Kind",
    "Layout",
    "LayoutColumn",
    "LayoutRow",
    "LayoutTable",
    "Place",
    "read_layout",
    "write_layout",
]

LAYOUT_FILE = "experiment.json"
"""The file's name, in the folder of the records."""

Kind = Literal["model", "walk", "planner"]
"""Who chooses the actions of a column."""

PAPER_TABLES = ("table-2", "table-3", "table-4", "table-6", "table-7", "renamed-blocksworld")
"""The tables of which there are a paper's numbers; `pddl2nl.reports.paper` has them."""

_FORMAT = 1


@dataclass(frozen=True)
class LayoutColumn:
    """A column: what is compared.

    Attributes:
        name: its heading; no other column of the same group has it.
        group: the heading above several columns: ``NL``, ``Tpl``, ``PDDL``, ``Symb.``; empty for none.
        kind: who chooses the actions: a language ``model``, a random ``walk`` or a ``planner``.
        policy: of `POLICIES`, or the planner's name.
        model, style, wording: what it asks and how; empty where it asks nothing.
        options: what else tells it apart, as the specification names it.
    """

    name: str
    group: str = ""
    kind: Kind = "model"
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
        section: rows of one section stand together and are summed: ``primary``, ``scaled``; empty where there is one.
        variant: what makes it an extra row below the one of the same label (``PlanBench``: its hand-written text).
        tasks: how many.
    """

    label: str
    section: str = ""
    variant: str = ""
    tasks: int = 0


@dataclass(frozen=True)
class LayoutTable:
    """A table that the specification asks for.

    ``kind`` is a name of `pddl2nl.reports.tables.TABLES` (``coverage``, ``runs``, ``suites``, ``families``,
    ``tokens``, or one of a family such as ``hvr``), ``paper`` of the numbers to stand beside ours (``table-2``),
    empty for none; ``columns`` the labels of those compared, empty for all.
    """

    kind: str
    title: str = ""
    paper: str = ""
    columns: tuple[str, ...] = ()


class Place(NamedTuple):
    """A cell by the indices of its row and column."""

    row: int
    column: int


@dataclass(frozen=True)
class Layout:
    """An experiment's table: ``runs`` maps the name of each run (its record without ``.jsonl``) to its places.

    One run may stand in several columns: where two columns come to the same run, it is run once.
    """

    name: str
    columns: tuple[LayoutColumn, ...]
    rows: tuple[LayoutRow, ...]
    runs: Mapping[str, tuple[Place, ...]]
    tables: tuple[LayoutTable, ...] = ()
    models: tuple[str, ...] = ()


# ── the file ─────────────────────────────────────────────────────────────────────────────────────


def write_layout(folder: Path, layout: Layout) -> None:
    """Writes ``experiment.json``, one line for each run, atomically.

    Raises:
        InfrastructureError: the file cannot be written.
    """
    said = {item.name: getattr(layout, item.name) for item in fields(Layout) if item.name != "runs"}
    for key in ("columns", "rows", "tables"):
        said[key] = [asdict(each) for each in said[key]]
    head = json.dumps({"format": _FORMAT, **said}, ensure_ascii=False, indent=1).rpartition("\n}")[0]
    lines = (f"  {json.dumps(name)}: {json.dumps(places)}" for name, places in layout.runs.items())
    text = f'{head},\n "runs": {{\n' + ",\n".join(lines) + "\n }\n}\n"
    path = folder / LAYOUT_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Two processes that begin at once write the same; each has a file of its own until it is whole.
        descriptor, name = tempfile.mkstemp(prefix=".experiment-", suffix=".tmp", dir=folder)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
            # mkstemp's file is its owner's alone, and a folder of records is shared on a cluster.
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InfrastructureError(f"cannot write {path}: {error.strerror}") from error


def read_layout(folder: Path) -> Layout | None:
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


def _layout(data: Any, path: Path) -> Layout:
    if isinstance(data, dict) and data.get("format") != _FORMAT:
        raise InputError(f"{path}: format is {data.get('format')!r}; {_FORMAT} was expected")
    for place, text in _texts(data):
        if _HALF.search(text):
            raise InputError(f"{path}: {place} is {text!r}; half of a surrogate pair is not a character")
    try:
        layout = msgspec.convert(data, Layout)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: {_wrong(data, str(error))}") from None
    for run, places in layout.runs.items():
        for place_ in places:
            if not (0 <= place_.row < len(layout.rows) and 0 <= place_.column < len(layout.columns)):
                size = [len(layout.rows), len(layout.columns)]
                raise InputError(f"{path}: runs.{run} is {[*place_]}; [row, column] below {size} was expected")
    return layout


def _wrong(data: Any, message: str) -> str:
    """An error of msgspec with the value that was found."""
    what, _, place = message.partition(" - at `$.")
    place = place.removesuffix("`")
    if place.startswith("runs[...]"):
        # msgspec does not name the key of a mapping's entry.
        for run, places in data["runs"].items():
            try:
                msgspec.convert(places, tuple[Place, ...])
            except msgspec.ValidationError:
                return f"runs.{run} is {reprlib.repr(places)}; a list of [row, column] was expected"
    found = data
    for part in re.findall(r"[^.\[\]]+", place.partition("[...]")[0]):
        found = found[int(part)] if isinstance(found, list) else found[part]
    if what.startswith("Invalid enum value"):
        what = f"One of {', '.join(get_args(Kind))} was expected"
    return f"{place or 'the file'} is {reprlib.repr(found)}; {what[0].lower()}{what[1:]}"


_HALF = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair, which JSON can hold but neither a page nor a text file."""


def _texts(data: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """All texts in a JSON value with their places."""
    if isinstance(data, str):
        yield place, data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _texts(value, f"{place}.{key}".removeprefix("."))
    elif isinstance(data, list) and not place.startswith("runs."):
        for number, value in enumerate(data):
            yield from _texts(value, f"{place}[{number}]")

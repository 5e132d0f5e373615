"""Which runs of an experiment stand in which cell of its tables: ``experiment.json`` in the folder of its records.

Records say what was run; how an experiment calls its columns and rows, which rows are summed together and which tables
it is there for stands in its specification alone, so that is written down, once everything in it is decided, before the
first run.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.files import unreadable

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
_Part = TypeVar("_Part")


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


@dataclass(frozen=True)
class Place:
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
    """Writes ``experiment.json``, a line for each run; whoever reads it sees the old file or the new one, whole.

    Raises:
        InfrastructureError: the disk refuses.
    """
    said = {item.name: getattr(layout, item.name) for item in fields(Layout) if item.name != "runs"}
    for key in ("columns", "rows", "tables"):
        said[key] = [asdict(each) for each in said[key]]
    head = json.dumps({"format": _FORMAT, **said}, ensure_ascii=False, indent=1).rpartition("\n}")[0]
    lines = (
        f"  {json.dumps(name)}: {json.dumps([[place.row, place.column] for place in places])}"
        for name, places in layout.runs.items()
    )
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
    """The layout of a folder of records; None where it has none.

    Raises:
        InputError: ``experiment.json`` is no layout; the message says where.
        InfrastructureError: it cannot be read.
    """
    path = folder / LAYOUT_FILE
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}:{error.colno}: this is no JSON: {error.msg}; {_REMEDY}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: a text file in UTF-8 was expected; {_REMEDY}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: this is no JSON: {unreadable(error)}; {_REMEDY}") from None
    except OSError as error:
        raise InfrastructureError(f"cannot read {path}: {error.strerror}") from error
    return _Reading(path).layout(data)


_REMEDY = "move it away, or start the experiment again, which writes it anew"

_FIELDS: Mapping[str, tuple[type, str]] = {
    "str": (str, "a text"),
    "Kind": (str, "a text"),
    "int": (int, "a number"),
    "Mapping[str, Any]": (dict, "an object"),
}
_HALF = re.compile("[\ud800-\udfff]")
"""Half of a character, which JSON can hold and neither a page nor a table."""


class _Reading:
    """Checks whatever stands in the file: it may be another program's."""

    def __init__(self, path: Path):
        self._path = path

    def layout(self, data: Any) -> Layout:
        """The layout; raises `InputError`."""
        data = self._of(data, dict, "the file", "a JSON object")
        if data.get("format") != _FORMAT:
            raise self._wrong("format", data.get("format"), f"{_FORMAT}, of an experiment's layout,")
        columns = self._parts(data, "columns", LayoutColumn)
        rows = self._parts(data, "rows", LayoutRow)
        for number, column in enumerate(columns):
            if column.kind not in get_args(Kind):
                raise self._wrong(f"columns[{number}].kind", column.kind, f"one of {', '.join(get_args(Kind))}")
        tables = self._parts(data, "tables", self._table)
        models = self._of(data.get("models", []), list, "models", "a list of texts")
        runs = self._of(data.get("runs"), dict, "runs", "an object")
        return Layout(
            name=self._of(data.get("name", ""), str, "name", "a text"),
            columns=columns,
            rows=rows,
            runs={name: self._places(name, places, len(rows), len(columns)) for name, places in runs.items()},
            tables=tables,
            models=tuple(map(str, models)),
        )

    def _table(self, columns: Any = (), **said: Any) -> LayoutTable:
        return LayoutTable(**said, columns=tuple(map(str, columns)))

    def _parts(self, data: Mapping[str, Any], key: str, make: Callable[..., _Part]) -> tuple[_Part, ...]:
        found = []
        for number, said in enumerate(self._of(data.get(key, []), list, key, "a list")):
            place = f"{key}[{number}]"
            try:
                found.append(make(**self._of(said, dict, place, "an object")))
            except TypeError:
                raise self._wrong(place, said, "an object with the fields of this version") from None
            self._check(place, found[-1])
        return tuple(found)

    def _check(self, place: str, part: Any) -> None:
        """Raises `InputError` where a field of a column, row or table holds something of another kind."""
        for each in fields(part):
            # The annotations are texts here, and other kinds are checked where they are read.
            kind, expected = _FIELDS.get(str(each.type), (object, ""))
            self._of(getattr(part, each.name), kind, f"{place}.{each.name}", expected)

    def _places(self, run: str, places: Any, rows: int, columns: int) -> tuple[Place, ...]:
        found = []
        for place in self._of(places, list, f"runs.{run}", "a list of [row, column]"):
            if not (
                isinstance(place, list)
                and len(place) == 2
                and all(isinstance(number, int) for number in place)
                and 0 <= place[0] < rows
                and 0 <= place[1] < columns
            ):
                raise self._wrong(f"runs.{run}", place, f"[row, column] below [{rows}, {columns}]")
            found.append(Place(*place))
        return tuple(found)

    def _of(self, value: Any, kind: type, place: str, expected: str) -> Any:
        if not isinstance(value, kind) or (isinstance(value, str) and _HALF.search(value)):
            raise self._wrong(place, value, expected)
        return value

    def _wrong(self, place: str, found: object, expected: str) -> InputError:
        said = repr(found)
        said = said if len(said) <= 60 else said[:60] + "…"
        return InputError(f"{self._path}: {place} is {said}; {expected} was expected; {_REMEDY}")

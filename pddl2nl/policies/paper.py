"""The numbers of a family's paper, and the tables that show them beside ours: a family's ``paper.toml``.

===============  ====================================================================================================
key              contents
===============  ====================================================================================================
``source``       the paper: title, authors, short citation, models by the names in its tables, and ``disagreements``,
                 a sentence for each contradiction between its tables
``tasks``        its tasks
``summary``      lines of its table of results over all tasks: ``model``, ``policy`` and a number or a list for each key
``results``      lines of its tables by task: ``values`` for the tasks of ``order``, and ``sums`` as printed
``more``         results for other tasks, which fill the blanks of ``results``
``notes``        what readers must know, by key
``tables``       the tables, see `PaperTable`
===============  ====================================================================================================

A printed dash is ``"-"``, here None.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, Literal

import msgspec

__all__ = [
    "Paper",
    "PaperColumn",
    "PaperResult",
    "PaperSection",
    "PaperSource",
    "PaperTable",
    "PaperTask",
    "load_paper",
]

Number = float | None


@dataclass(frozen=True)
class PaperSource:
    """The paper; ``models`` maps the names in its tables to the models."""

    title: str
    authors: tuple[str, ...]
    short: str
    models: Mapping[str, str]
    disagreements: tuple[str, ...] = ()


@dataclass(frozen=True)
class PaperTask:
    """A task; ``scored`` is the number of steps that its scores are fractions of, 0 if unknown."""

    id: str
    name: str
    complexity: str
    steps: int
    objects: int
    scored: int = 0


@dataclass(frozen=True)
class PaperResult:
    """A printed line: the values of a metric by task, and what the paper sums them up to."""

    table: int
    model: str
    policy: str
    metric: str
    values: Mapping[str, Number]
    sums: tuple[float, ...] = ()


@dataclass(frozen=True)
class PaperColumn:
    """A column that puts the tasks together.

    Attributes:
        name, group: its heading.
        metric: of ours; empty for that of the line.
        over: how the means of the tasks become one number.
        complexity: only tasks of this complexity.
        before: our metric before correction, shown in parentheses.
        paper, place: the key in the paper's ``summary``, and the index if that is a list.
        paper_before: the same for the number in parentheses.
        better: which values are better; empty if neither, and then none is marked as best.
    """

    name: str
    group: str = ""
    metric: str = ""
    over: Literal["mean", "min", "max"] = "mean"
    complexity: str = ""
    before: str = ""
    paper: str = ""
    place: int | None = None
    paper_before: str = ""
    better: Literal["higher", "lower", ""] = "higher"


@dataclass(frozen=True)
class PaperSection:
    """A metric in a table by task; ``sums`` are the headings of the paper's sums, ``range`` adds the table's ranges."""

    title: str
    metric: str
    paper: str = ""
    sums: tuple[str, ...] = ()
    range: bool = False


@dataclass(frozen=True)
class PaperTable:
    """A table as the paper lays it out.

    Attributes:
        kind: the kind in a specification's ``[[tables]]``.
        paper: the name of the paper's numbers that can stand in it.
        title: above it.
        lines: ``configurations``: a line for each, with ``columns``; or ``tasks``: a section for each of ``sections``
            with a column for each task, then ``means`` over the tasks and, for some sections, ``ranges``.
        notes: the keys of the notes on its metrics.
        tasks: on how many tasks the paper's lines are.
    """

    kind: str
    paper: str
    title: str
    lines: Literal["configurations", "tasks"]
    notes: tuple[str, ...] = ()
    tasks: int = 0
    columns: tuple[PaperColumn, ...] = ()
    means: tuple[PaperColumn, ...] = ()
    ranges: tuple[PaperColumn, ...] = ()
    sections: tuple[PaperSection, ...] = ()


@dataclass(frozen=True)
class Paper:
    """A paper's numbers and tables; ``more`` are results that fill blanks of ``results``."""

    source: PaperSource
    tasks: tuple[PaperTask, ...]
    summary: tuple[Mapping[str, Any], ...]
    results: tuple[PaperResult, ...]
    more: tuple[PaperResult, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)
    tables: tuple[PaperTable, ...] = ()


def load_paper(package: str) -> Paper:
    """The ``paper.toml`` of a family's package.

    Raises:
        msgspec.ValidationError: the file has another form.
    """
    data = tomllib.loads((resources.files(package) / "paper.toml").read_text(encoding="utf-8"))
    more = data.get("more", {"lines": []})
    return Paper(
        msgspec.convert(data["source"], PaperSource),
        msgspec.convert(data["tasks"], tuple[PaperTask, ...]),
        tuple({key: _number(value) for key, value in line.items()} for line in data["summary"]),
        tuple(_result(line, data["order"]) for line in data["results"]),
        tuple(
            _result({**line, "table": more["table"], "metric": metric, "values": values}, more["tasks"])
            for line in more["lines"]
            for metric, values in line.items()
            if isinstance(values, list)
        ),
        data.get("notes", {}),
        msgspec.convert(data.get("tables", []), tuple[PaperTable, ...]),
    )


def _result(line: Mapping[str, Any], tasks: list[str]) -> PaperResult:
    values = dict(zip(tasks, map(_number, line["values"]), strict=False))
    sums = tuple(line.get("sums", ()))
    return PaperResult(line["table"], line["model"], line["policy"], line["metric"], values, sums)


def _number(value: Any) -> Any:
    return None if value == "-" else value

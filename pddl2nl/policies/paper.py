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
from collections.abc import Mapping, Sequence
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


class PaperSource(msgspec.Struct, frozen=True):
    """The paper; ``models`` maps the names in its tables to the models."""

    title: str
    authors: tuple[str, ...]
    short: str
    models: Mapping[str, str]
    disagreements: tuple[str, ...] = ()


class PaperTask(msgspec.Struct, frozen=True):
    """A task; ``scored`` is the number of steps that its scores are fractions of, 0 if unknown."""

    id: str
    name: str
    complexity: str
    steps: int
    objects: int
    scored: int = 0


class PaperResult(msgspec.Struct, frozen=True):
    """A printed line: the values of a metric by task, and what the paper sums them up to."""

    table: int
    model: str
    policy: str
    metric: str
    values: Mapping[str, float | None]
    sums: tuple[float, ...] = ()


class PaperColumn(msgspec.Struct, frozen=True):
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


class PaperSection(msgspec.Struct, frozen=True):
    """A metric in a table by task; ``sums`` are the headings of the paper's sums, ``range`` adds the table's ranges."""

    title: str
    metric: str
    paper: str = ""
    sums: tuple[str, ...] = ()
    range: bool = False


class PaperTable(msgspec.Struct, frozen=True):
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


class Paper(msgspec.Struct, frozen=True):
    """A paper's numbers and tables; ``more`` are results that fill blanks of ``results``."""

    source: PaperSource
    tasks: tuple[PaperTask, ...]
    summary: tuple[Mapping[str, Any], ...]
    results: tuple[PaperResult, ...]
    more: tuple[PaperResult, ...] = ()
    notes: Mapping[str, str] = {}
    tables: tuple[PaperTable, ...] = ()


def load_paper(package: str) -> Paper:
    """The ``paper.toml`` of a family's package.

    Raises:
        msgspec.ValidationError: the file has another form.
    """
    data = tomllib.loads((resources.files(package) / "paper.toml").read_text(encoding="utf-8"))
    more = data.pop("more", {"lines": []})
    results = [{**line, "values": _by_task(data["order"], line["values"])} for line in data["results"]]
    others = [
        {**line, "table": more["table"], "metric": metric, "values": _by_task(more["tasks"], values)}
        for line in more["lines"]
        for metric, values in line.items()
        if isinstance(values, list)
    ]
    return msgspec.convert({**data, "results": results, "more": others}, Paper)


def _by_task(tasks: Sequence[str], values: Sequence[float | str]) -> dict[str, float | None]:
    return {task: None if value == "-" else float(value) for task, value in zip(tasks, values, strict=False)}

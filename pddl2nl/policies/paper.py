"""The numbers of a paper, and the tables that show them beside ours: one form for all papers, a TOML file.

===============  ====================================================================================================
key              contents
===============  ====================================================================================================
``source``       the paper: title, authors, short citation, models by the names in its tables, and ``disagreements``,
                 a sentence for each contradiction in it
``tasks``        its tasks, if it has tables by task
``notes``        what readers must know, by key
``tables``       the tables: columns and lines as the paper prints them, see `PaperTable`
===============  ====================================================================================================

It is the ``paper`` of a system (`pddl2nl.plugins.System`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

import msgspec

from pddl2nl.plugins import fails_alone, is_ours, systems

PaperCell = int | float | str | tuple[float | str, float | str]
"""What a paper prints in a cell: a number, a text (``-`` is a dash), nothing (an empty text), or two numbers: before
and after correction, or mean and standard deviation."""


class PaperSource(msgspec.Struct, frozen=True):
    """The paper; ``models`` maps the names in its tables to the models, ``url`` is the address of its data."""

    title: str
    authors: tuple[str, ...]
    short: str
    models: Mapping[str, str]
    url: str = ""
    disagreements: tuple[str, ...] = ()


class PaperTask(msgspec.Struct, frozen=True):
    """A task; ``scored`` is the number of steps that its scores are fractions of; numbers are 0 if unknown."""

    id: str
    name: str
    complexity: str = ""
    steps: int = 0
    objects: int = 0
    scored: int = 0


class PaperColumn(msgspec.Struct, frozen=True):
    """A column.

    Attributes:
        name, group: its heading.
        kind, policy, style, wording: the configuration whose results it holds, described as
            `pddl2nl.experiments.layout.LayoutColumn` describes ours. ``wording`` is ``llm``, ``template`` or
            ``planbench`` (written by hand by PlanBench's authors); empty for PDDL, and if generated wordings and
            templates have the same results.
        metric: our metric in it, if a line is a configuration; empty for that of the section.
        over: how the means of the tasks become one number.
        complexity, category, tasks: only tasks of this complexity, of this category, with these names.
        blocks: only tasks whose ground truth has so many blocks; 0 for all.
        before: our metric before correction, shown in parentheses.
        only: the only section that has this column; empty for all.
        spread: whether the standard deviation over the runs and the 95 % interval over the tasks are shown.
        better: which values are better; empty if neither, and then none is marked as best.
    """

    name: str
    group: str = ""
    kind: str = "model"
    policy: str = ""
    style: str = ""
    wording: str = ""
    metric: str = ""
    over: Literal["mean", "min", "max"] = "mean"
    complexity: str = ""
    category: str = ""
    tasks: tuple[str, ...] = ()
    blocks: int = 0
    before: str = ""
    only: str = ""
    spread: bool = False
    better: Literal["higher", "lower", ""] = "higher"

    @property
    def label(self) -> str:
        """The column on one line: ``NL Act``."""
        return f"{self.group} {self.name}".strip()


class PaperLine(msgspec.Struct, frozen=True):
    """A printed line or sum.

    Attributes:
        label: a domain or suite, the name of a system that is no policy of ours, a step, or a whole line's name.
        model, policy: the configuration whose results it holds.
        section, variant: its section, and what makes it an extra line below another.
        table: the number of the paper's table, if several are one of ours.
        tasks: the number of tasks; 0 if the paper does not say it.
        domains: the number of domains that it puts together.
        values: a cell for each column; the last ones may be missing. In a table by task there is one for each of the
            paper's tasks first.
    """

    label: str = ""
    model: str = ""
    policy: str = ""
    section: str = ""
    variant: str = ""
    table: int = 0
    tasks: int = 0
    domains: int = 1
    values: tuple[PaperCell, ...] = ()

    def cell(self, column: int) -> PaperCell:
        """The cell of a column; empty if it is missing."""
        return self.values[column] if column < len(self.values) else ""

    @property
    def numbers(self) -> tuple[float, ...]:
        """The values of a line that has numbers only."""
        return tuple(value for value in self.values if isinstance(value, int | float))

    def value(self, column: int) -> float | None:
        """The number in a column, or None."""
        cell = self.cell(column)
        return cell if isinstance(cell, int | float) else None


class PaperSection(msgspec.Struct, frozen=True):
    """A metric in a table by task; ``title`` is the section of the paper's lines, too."""

    title: str
    metric: str


class PaperTable(msgspec.Struct, frozen=True):
    """A table as the paper lays it out.

    Attributes:
        kind: the kind in a specification's ``[[tables]]``.
        paper: the name of the paper's numbers, by which a specification asks for them; empty without one.
        title: above it.
        lines: what a line of ours is: a ``domains`` or suite, with a column for each configuration; one of the
            ``configurations``, with a column for each metric; or, by ``tasks``, a configuration in one of
            ``sections``, with a column for each task and then ``columns`` over the tasks. The numbers of a table by
            domain stand in the general table of that kind; ``other`` lines are made by a function of the system.
        columns, sections: see there.
        order: the paper's tasks in the lines of a table by task; by default all of them.
        rows, sums: the paper's lines, and its printed sums by section.
        notes: keys of the paper's notes, or, in a table by domain, sentences.
        tasks: on how many tasks the paper's lines are.
        planners: whether the configurations of planners have lines, too.
        best_run: whether of several seeds the one with the best results is shown, by the metrics of the sections.
    """

    kind: str
    title: str
    paper: str = ""
    lines: Literal["domains", "configurations", "tasks", "other"] = "domains"
    columns: tuple[PaperColumn, ...] = ()
    sections: tuple[PaperSection, ...] = ()
    order: tuple[str, ...] = ()
    rows: tuple[PaperLine, ...] = ()
    sums: tuple[PaperLine, ...] = ()
    notes: tuple[str, ...] = ()
    tasks: int = 0
    planners: bool = False
    best_run: bool = False


class Paper(msgspec.Struct, frozen=True):
    """A paper's numbers and tables."""

    source: PaperSource
    tables: tuple[PaperTable, ...]
    tasks: tuple[PaperTask, ...] = ()
    notes: Mapping[str, str] = {}


@lru_cache(maxsize=1)
def papers() -> Mapping[str, Paper]:
    """The papers of systems, by the system's name.

    Raises:
        msgspec.ValidationError: a file has another form.
    """
    found = {}
    for name, system in systems().items():
        if system.paper and is_ours(system.package):
            found[name] = msgspec.convert(system.toml(system.paper), Paper)
        elif system.paper:
            with fails_alone(f"{system.paper} of system '{name}'"):
                found[name] = msgspec.convert(system.toml(system.paper), Paper)
    return found


@lru_cache(maxsize=1)
def paper_tables() -> Mapping[str, PaperTable]:
    """The tables with numbers of a paper, by the name of the numbers."""
    return {table.paper: table for paper in papers().values() for table in paper.tables if table.paper}


@lru_cache(maxsize=1)
def system_tables() -> tuple[str, ...]:
    """The kinds of tables that systems add: those that their papers lay out, and those that they make."""
    laid = [table.kind for paper in papers().values() for table in paper.tables if table.lines != "domains"]
    return tuple(dict.fromkeys((*laid, *(kind for system in systems().values() for kind in system.tables))))

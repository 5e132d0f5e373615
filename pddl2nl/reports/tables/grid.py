"""What all kinds of tables need of an experiment: the columns that stand in one, its rows, what was to be run where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from pddl2nl.experiments.layout import LayoutColumn, LayoutRow, LayoutTable, Place
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.paper import PaperTable, paper_source, paper_table
from pddl2nl.reports.paper.matching import columns_beside
from pddl2nl.reports.summaries import RunSummary
from pddl2nl.reports.tables.model import Heading, TableCell

__all__ = ["MISTAKEN_NOTE", "ORACLE_NOTE", "Grid", "best_of", "lacking", "number_text", "show_runs", "with_best"]

ORACLE_NOTE = (
    "oracle: no language model was asked. It reads the task back out of the prompt's text, plans on what it read "
    "with Fast Downward, and answers in the wording; less than full coverage would mean that the text lost something."
)

MISTAKEN_NOTE = (
    "oracle:MISTAKE: the oracle, made to make this mistake where its prompt does not yet speak of it; no language "
    "model was asked."
)


@dataclass(frozen=True)
class Grid:
    """An experiment as one of its tables sees it.

    Attributes:
        gathered: the runs in their cells.
        wanted: the table that is asked for.
        columns: which of the layout's columns stand in it.
        paper: the numbers to stand beside; None for none.
        absent: labels of columns that it asks for and the experiment was run without: those that want a file which is
            not everybody's.
    """

    gathered: Gathered
    wanted: LayoutTable
    columns: tuple[int, ...]
    paper: PaperTable | None = None
    absent: tuple[str, ...] = ()

    @staticmethod
    def of(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Grid:
        """The grid of a table; ``paper`` says whether a paper's numbers may stand beside.

        Raises:
            InputError: there are no numbers of the paper's table that it names.
        """
        labels = [column.label for column in gathered.layout.columns]
        absent = tuple(label for label in wanted.columns if label not in labels)
        chosen = tuple(labels.index(label) for label in wanted.columns or labels if label in labels)
        beside = paper_table(wanted.paper) if paper and wanted.paper else None
        return Grid(gathered, wanted, chosen, beside, absent)

    @cached_property
    def placed(self) -> frozenset[Place]:
        """The cells in which something is run, by the specification."""
        planned = {place for places in self.gathered.layout.runs.values() for place in places}
        return frozenset(planned | set(self.gathered.cells))

    @cached_property
    def missing(self) -> Mapping[Place, int]:
        """How many runs of a cell have no record yet."""
        runs = self.gathered.layout.runs
        return Counter(place for name in self.gathered.missing for place in runs.get(name, ()))

    @cached_property
    def rows(self) -> tuple[int, ...]:
        """The rows in which something is run in any of the columns: extra rows right below the one that they vary."""
        rows = self.gathered.layout.rows
        here = [row for row in range(len(rows)) if any(Place(row, column) in self.placed for column in self.columns)]
        first = {(rows[row].section, rows[row].label): row for row in reversed(here)}
        sections = list(dict.fromkeys(rows[row].section for row in here))
        return tuple(
            sorted(
                here,
                key=lambda row: (
                    sections.index(rows[row].section),
                    first[rows[row].section, rows[row].label],
                    bool(rows[row].variant),
                    row,
                ),
            )
        )

    @cached_property
    def sections(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """The rows by the sections that they are summed in."""
        found: dict[str, list[int]] = {}
        for row in self.rows:
            found.setdefault(self.row(row).section, []).append(row)
        return tuple((section, tuple(rows)) for section, rows in found.items())

    @cached_property
    def beside(self) -> tuple[int, ...]:
        """Which of the paper's columns stand beside ours: those that do what one of ours does."""
        return () if self.paper is None else columns_beside(self.paper, map(self.column, self.columns))

    @property
    def headings(self) -> tuple[Heading, ...]:
        """Of our columns, then of the paper's."""
        ours = tuple(Heading(self.column(place).name, self.column(place).group) for place in self.columns)
        if self.paper is None:
            return ours
        papers = (self.paper.columns[place] for place in self.beside)
        return (*ours, *(Heading(column.name, column.group, paper=True) for column in papers))

    @property
    def models(self) -> tuple[bool, ...]:
        """Of each of our columns whether a language model chooses the actions."""
        return tuple(self.column(place).kind == "model" for place in self.columns)

    def row(self, place: int) -> LayoutRow:
        """A row of the layout."""
        return self.gathered.layout.rows[place]

    def column(self, place: int) -> LayoutColumn:
        """A column of the layout."""
        return self.gathered.layout.columns[place]

    def runs(self, rows: Iterable[int], column: int) -> list[RunSummary]:
        """The finished runs of these rows in one column."""
        return [run for row in rows for run in self.gathered.cell(row, column)]

    def lacks(self, rows: Iterable[int], column: int) -> int:
        """How many runs of these rows in one column are missing."""
        return sum(self.missing.get(Place(row, column), 0) for row in rows)

    def stands(self, rows: Iterable[int], column: int) -> bool:
        """Whether anything is run there."""
        return any(Place(row, column) in self.placed for row in rows)

    def tasks(self, rows: Iterable[int]) -> int:
        """How many tasks the rows have; where the layout does not say, those that have runs."""
        found = 0
        for row in rows:
            found += self.row(row).tasks or len(
                {(run.task, run.task_id) for column in self.columns for run in self.gathered.cell(row, column)}
            )
        return found

    def notes(self) -> tuple[str, ...]:
        """What readers of any kind of table have to know: the oracle, the paper."""
        notes = [f"The experiment was run without the column '{label}'." for label in self.absent]
        models = {self.column(place).model for place in self.columns}
        if "oracle" in models:
            notes.append(ORACLE_NOTE)
        if any(model.startswith("oracle:") for model in models):
            notes.append(MISTAKEN_NOTE)
        if self.paper is not None and self.beside:
            source = paper_source()
            name = self.paper.title.partition(":")[0]
            notes.append(f"paper: {name} of {source.short}, “{source.title}”, with {source.model}.")
            notes += self.paper.notes
        return tuple(notes)


def show_runs(rows: Iterable[int], column: int, **filters: str) -> tuple[tuple[str, str], ...]:
    """The `TableCell.show` of the runs of these rows in one column, of those alone that pass more ``filters``."""
    return (("row", ",".join(map(str, rows))), ("column", str(column)), *filters.items())


def number_text(value: float) -> str:
    """A whole number as it is, any other with one decimal."""
    return str(round(value)) if abs(value - round(value)) < 1e-9 else f"{value:.1f}"


def lacking(broken: int, missing: int) -> str:
    """What a cell's number lacks, to stand behind it: `` (2 broken, 1 missing)``; empty where nothing is."""
    said = [f"{number} {what}" for number, what in ((broken, "broken"), (missing, "missing")) if number]
    return f" ({', '.join(said)})" if said else ""


def best_of(values: Sequence[float | None], better: str = "higher") -> frozenset[int]:
    """The places of the best of these values, all that are as good; none where fewer than two can be compared.

    Values that read alike, with one decimal, are alike; nothing is best at zero where more is better.
    """
    shown = {place: round(value, 1) for place, value in enumerate(values) if value is not None}
    if len(shown) < 2:
        return frozenset()
    best = max(shown.values()) if better == "higher" else min(shown.values())
    if best == 0 and better == "higher":
        return frozenset()
    return frozenset(place for place, value in shown.items() if value == best)


def with_best(
    cells: Sequence[TableCell], comparable: Sequence[bool], better: str = "higher", reach: float = 0.0
) -> tuple[TableCell, ...]:
    """The cells, the best of those that are ``comparable`` marked.

    None is marked where it is worse than what others may ``reach`` that lack runs, and where more is better.
    """
    values = [cell.value if fit else None for cell, fit in zip(cells, comparable, strict=True)]
    best = frozenset(
        place
        for place in best_of(values, better)
        if better == "lower" or round(values[place] or 0.0, 1) >= round(reach, 1)
    )
    return tuple(_marked(cell) if place in best else cell for place, cell in enumerate(cells))


def _marked(cell: TableCell) -> TableCell:
    return replace(cell, best=True)

"""An experiment as a table shows it: the columns and rows of the table, and the runs of each cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from pddl2nl.errors import InputError
from pddl2nl.experiments.layout import LayoutColumn, LayoutRow, LayoutTable, Place
from pddl2nl.policies import system_of
from pddl2nl.policies.paper import PaperColumn, PaperLine, PaperTable, paper_tables, papers
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.summaries import RunSummary
from pddl2nl.reports.tables.model import Heading, Show, TableCell

ORACLE_NOTE = (
    "oracle: no language model was asked; the oracle plans on what it reads in the prompt. Full coverage shows that "
    "the prompts hold all that is needed."
)

_SYSTEMS_NOTE = (
    "oracle: no language model was asked; it answers a system from the task itself. Full coverage shows that the "
    "system works, not that its prompts do."
)

ESTIMATE_NOTE = "~: partly estimated from the number of characters, because an endpoint reported no token counts."

_MISTAKEN_NOTE = (
    "oracle:MISTAKE: the oracle makes this mistake until its prompt mentions it; no language model was asked."
)


@dataclass(frozen=True)
class Grid:
    """The part of an experiment that one table shows: its ``columns`` by their indices, and the ``paper``'s numbers."""

    gathered: Gathered
    wanted: LayoutTable
    columns: tuple[int, ...]
    paper: PaperTable | None = None

    @staticmethod
    def of(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Grid:
        """The grid of a table; ``paper`` allows a paper's numbers beside ours.

        Raises:
            InputError: the table names an unknown table of the paper.
        """
        labels = [column.label for column in gathered.layout.columns]
        chosen = tuple(labels.index(label) for label in wanted.columns or labels if label in labels)
        return Grid(gathered, wanted, chosen, paper_table(wanted.paper) if paper and wanted.paper else None)

    @cached_property
    def absent(self) -> tuple[str, ...]:
        """Labels of wanted columns that the experiment was run without, because a file was missing."""
        labels = {column.label for column in self.gathered.layout.columns}
        return tuple(label for label in self.wanted.columns if label not in labels)

    @cached_property
    def planned(self) -> frozenset[Place]:
        """As `Gathered.planned`."""
        return self.gathered.planned

    @cached_property
    def missing(self) -> Mapping[Place, int]:
        """The number of runs without a record, by cell."""
        runs = self.gathered.layout.runs
        return Counter(place for name in self.gathered.missing for place in runs.get(name, ()))

    @cached_property
    def sections(self) -> Mapping[str, tuple[int, ...]]:
        """The rows with planned runs in any of the columns, by section; variants follow the row that they vary."""
        rows = self.gathered.layout.rows
        here = [row for row in range(len(rows)) if any(Place(row, column) in self.planned for column in self.columns)]
        found: dict[str, dict[str, list[int]]] = {}
        for row in here:
            found.setdefault(rows[row].section, {}).setdefault(rows[row].label, []).append(row)
        return {
            section: tuple(
                row for same in labels.values() for row in sorted(same, key=lambda row: rows[row].variant != "")
            )
            for section, labels in found.items()
        }

    @cached_property
    def rows(self) -> tuple[int, ...]:
        return tuple(row for rows in self.sections.values() for row in rows)

    @cached_property
    def bases(self) -> tuple[int, ...]:
        """The rows that are not variants."""
        return tuple(row for row in self.rows if not self.row(row).variant)

    @cached_property
    def paper_columns(self) -> tuple[int, ...]:
        """The paper's columns that correspond to one of ours, by index."""
        return () if self.paper is None else columns_beside(self.paper, map(self.column, self.columns))

    @cached_property
    def parts(self) -> tuple[tuple[int, int | None], ...]:
        """The columns, each followed by its seeds if the table shows them and there are several."""
        found: list[tuple[int, int | None]] = []
        for column in self.columns:
            found.append((column, None))
            seeds = {run.seed for run in self.runs(self.rows, column) if run.seed is not None}
            if self.wanted.seeds and len(seeds) > 1:
                found += [(column, seed) for seed in sorted(seeds)]
        return tuple(found)

    @property
    def headings(self) -> tuple[Heading, ...]:
        """The headings of our columns, then those of the paper's."""
        return self._headings([(column, None) for column in self.columns])

    @property
    def part_headings(self) -> tuple[Heading, ...]:
        """The headings of our columns and their seeds (`parts`), then those of the paper's."""
        return self._headings(self.parts)

    def _headings(self, parts: Sequence[tuple[int, int | None]]) -> tuple[Heading, ...]:
        columns = Counter(place for place, _ in parts)
        ours = []
        for place, seed in parts:
            column = self.column(place)
            split = Heading("mean" if seed is None else f"seed {seed}", column.label)
            ours.append(split if columns[place] > 1 else Heading(column.name, column.group))
        papers = [] if self.paper is None else [self.paper.columns[place] for place in self.paper_columns]
        return (*ours, *(Heading(column.name, column.group, paper=True) for column in papers))

    def row(self, place: int) -> LayoutRow:
        return self.gathered.layout.rows[place]

    def column(self, place: int) -> LayoutColumn:
        return self.gathered.layout.columns[place]

    def is_model(self, column: int) -> bool:
        """Whether a language model chooses the actions of a column."""
        return self.column(column).kind == "model"

    def runs(self, rows: Iterable[int], column: int) -> list[RunSummary]:
        return self.gathered.runs_in(rows, column)

    def lacks(self, rows: Iterable[int], column: int) -> int:
        """The number of missing runs of these rows in one column."""
        return sum(self.missing.get(Place(row, column), 0) for row in rows)

    def has_runs(self, rows: Iterable[int], column: int) -> bool:
        """Whether runs are planned for any of these rows in the column."""
        return any(Place(row, column) in self.planned for row in rows)

    def tasks(self, rows: Iterable[int]) -> int:
        """The number of tasks of the rows; if the layout does not say, the number of tasks with runs."""
        return sum(
            self.row(row).tasks
            or len({(run.task, run.task_id) for column in self.columns for run in self.gathered.cell(row, column)})
            for row in rows
        )

    @cached_property
    def models(self) -> frozenset[str]:
        """The models of the columns, in any role."""
        columns = [self.column(place) for place in self.columns]
        others = (str(model) for each in columns for model in each.options.get("models", {}).values())
        return frozenset((*(column.model for column in columns), *others))

    def notes(self) -> tuple[str, ...]:
        """Notes of any kind of table: missing columns, the oracle, the source of the paper's numbers."""
        notes = [f"The experiment was run without the column '{label}'." for label in self.absent]
        if "oracle" in self.models:
            asking = [column for place in self.columns if (column := self.column(place)).kind == "model"]
            reads = {system_of(column.policy) is None for column in asking}
            notes += [ORACLE_NOTE] if True in reads or not reads else []
            notes += [_SYSTEMS_NOTE] if False in reads else []
        if any(model.startswith("oracle:") for model in self.models):
            notes.append(_MISTAKEN_NOTE)
        if self.paper is not None and self.paper_columns:
            source = next(book.source for book in papers().values() if self.paper in book.tables)
            name, asked = self.paper.title.partition(":")[0], ", ".join(source.models.values())
            notes.append(f"paper: {name} of {source.short}, “{source.title}”, with {asked}.")
            notes += self.paper.notes
        return tuple(notes)


def show_runs(rows: Iterable[int], column: int, **filters: str) -> Show:
    """The `TableCell.show` of the runs of these rows in one column that pass the ``filters``."""
    return (("row", ",".join(map(str, rows))), ("column", str(column)), *filters.items())


def lacking(broken: int, missing: int) -> str:
    """The runs that a cell lacks, as a suffix: `` (2 broken, 1 missing)``; empty if it lacks none."""
    parts = [f"{number} {what}" for number, what in ((broken, "broken"), (missing, "missing")) if number]
    return f" ({', '.join(parts)})" if parts else ""


def best_of(values: Sequence[float | None], better: str = "higher") -> frozenset[int]:
    """The places of the best values, including ties; empty if fewer than two can be compared.

    Values are compared with one decimal, as they are shown. Zero is never best if higher is better.
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
    """The cells, with the best of the ``comparable`` ones marked.

    No cell is marked that is lower than ``reach``, the most that cells with missing runs can still reach.
    """
    values = [cell.value if fit else None for cell, fit in zip(cells, comparable, strict=True)]
    best = {place for place in best_of(values, better) if round(values[place] or 0.0, 1) >= round(reach, 1)}
    return tuple(replace(cell, best=True) if place in best else cell for place, cell in enumerate(cells))


def paper_table(key: str) -> PaperTable:
    """A paper's table by domain, by the name of its numbers.

    Raises:
        InputError: an unknown key; the message names all keys.
    """
    tables = {name: table for name, table in paper_tables().items() if table.lines == "domains"}
    if key not in tables:
        raise InputError(f"there are no numbers of a paper's '{key}'; there are those of {', '.join(tables)}")
    return tables[key]


# ── which of our columns and rows are the paper's: by what they do, not by name ───────────────────


def same_column(paper: PaperColumn, ours: LayoutColumn) -> bool:
    """Whether a column of ours does what one of the paper does, with any model."""
    if (paper.kind, paper.policy) != (ours.kind, ours.policy):
        return False
    return paper.kind != "model" or (paper.style == ours.style and paper.wording in (_origin(ours), ""))


def _origin(column: LayoutColumn) -> str:
    """The source of a column's wording in the paper's terms: anything but a template was made by a model."""
    if column.style == "pddl":
        return ""
    described = f"{column.label} {column.wording}".lower()
    if "planbench" in described or "valm" in described:
        return "planbench"
    return "template" if column.wording == "template" else "llm"


def columns_beside(table: PaperTable, columns: Iterable[LayoutColumn]) -> tuple[int, ...]:
    """The paper's columns that are the same as one of ours, by index."""
    ours = tuple(columns)
    return tuple(
        place for place, paper in enumerate(table.columns) if any(same_column(paper, column) for column in ours)
    )


def domain_lines(table: PaperTable, rows: Sequence[LayoutRow]) -> tuple[PaperLine | None, ...]:
    """For each row of ours the paper's, by domain, section and variant; by default of the primary set."""
    known = {(line.label, line.section, line.variant.lower()): line for line in table.rows}
    return tuple(known.get((row.label.lower(), row.section or "primary", row.variant.lower())) for row in rows)


def summed(lines: Sequence[PaperLine | None]) -> PaperLine | None:
    """The sum over the lines that the paper has, in the columns that all of these have; None without any."""
    known = [line for line in lines if line is not None]
    if not known:
        return None
    return PaperLine(
        tasks=sum(line.tasks for line in known),
        values=tuple(map(sum, zip(*(line.numbers for line in known), strict=False))),
    )

"""The first page of a report: infrastructure errors, tables, comparisons, plots, and the list of all runs."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pddl2nl.errors import MissingExtraError
from pddl2nl.experiments.layout import Layout
from pddl2nl.reports.comparison import Comparison, comparisons, shared_rows
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.html.plan import PagePlan, PageRun, row_label
from pddl2nl.reports.html.run import gist
from pddl2nl.reports.plots import PLOTS, NoDataError, plot_svg
from pddl2nl.reports.tables import links_table, metrics_tables, tables_of
from pddl2nl.reports.tables.comparison import comparison_table
from pddl2nl.reports.tables.grid import show_runs
from pddl2nl.reports.tables.model import Line, Table

__all__ = ["Difference", "Overview", "Picture", "list_data", "overview_of"]


@dataclass(frozen=True)
class Difference:
    """A run for which the new verdict differs from its record."""

    anchor: str
    recorded: str
    now: str
    note: str = ""


@dataclass(frozen=True)
class Picture:
    """A plot: ``source`` is the SVG as a data URL; ``missing`` says why it is not drawn."""

    key: str
    title: str
    caption: str = ""
    source: str = ""
    missing: str = ""


@dataclass(frozen=True)
class Overview:
    """The content of the first page.

    ``sides`` are the columns that are compared, A and B, ``folder`` says that the runs stand on other pages.
    """

    title: str
    notes: tuple[str, ...]
    plan: PagePlan
    tables: tuple[Table, ...]
    comparisons: tuple[Table, ...]
    sides: tuple[tuple[int, int], ...]
    pictures: tuple[Picture, ...]
    differences: tuple[Difference, ...]
    rechecked: int
    folder: bool

    @property
    def gathered(self) -> Gathered:
        """The gathered runs."""
        return self.plan.gathered

    @property
    def solved(self) -> int:
        """The number of solved runs."""
        return sum(run.summary.solved for run in self.plan.runs)

    @property
    def scored(self) -> int:
        """The number of runs without infrastructure errors."""
        return sum(not run.summary.infrastructure for run in self.plan.runs)

    @property
    def broken(self) -> tuple[PageRun, ...]:
        """Runs with infrastructure errors."""
        return tuple(run for run in self.plan.runs if run.summary.infrastructure)

    @property
    def addresses(self) -> Mapping[str, str]:
        """The address of each run, by anchor."""
        pages = self.plan.page_of() if self.folder else {}
        return {run.anchor: _address(run, pages) for run in self.plan.runs}

    @property
    def data(self) -> dict[str, Any]:
        """The data of the list of runs."""
        return list_data(self.gathered.layout, self.plan.runs, self.plan.page_of() if self.folder else {})


def overview_of(
    plan: PagePlan,
    *,
    title: str,
    notes: Sequence[str],
    differences: Iterable[Difference],
    rechecked: int,
    folder: bool,
    paper: bool = True,
    plots: bool = True,
) -> Overview:
    """Makes tables, comparisons and plots of what was gathered; ``paper`` asks for the paper's numbers beside ours."""
    gathered = plan.gathered
    tables = (*tables_of(gathered, paper=paper), *metrics_tables(gathered), links_table(gathered))
    made = comparisons(gathered)
    compared = comparison_table(made)
    places = {column.label: index for index, column in enumerate(gathered.layout.columns)}
    sides = dict.fromkeys((places[one.a.column], places[one.b.column]) for one in made)
    return Overview(
        title=title,
        notes=(*notes, *gathered.notes),
        plan=plan,
        tables=tuple(table for table in tables if table.sections),
        comparisons=() if compared is None else (_opening(compared, made, gathered),),
        sides=tuple((a, b) for a, b in sides if a != b),
        pictures=_pictures(gathered) if plots else (),
        differences=tuple(differences),
        rechecked=rechecked,
        folder=folder,
    )


def _opening(table: Table, made: Sequence[Comparison], gathered: Gathered) -> Table:
    """The table of comparisons, its means opening the runs of a column, its counts the two columns side by side."""
    labels = [column.label for column in gathered.layout.columns]
    left = iter(made)

    def opened(line: Line) -> Line:
        one = next(left)
        sides = [labels.index(side.column) for side in (one.a, one.b)]
        shared = shared_rows(gathered, one.a, one.b, one.section)
        rows = [
            [
                number
                for number, row in enumerate(gathered.layout.rows)
                if row.variant == side.variant and (row.label, row.section) in shared
            ]
            for side in (one.a, one.b)
        ]
        shown = {place: show_runs(rows[side], sides[side]) for side, place in enumerate((2, 3))}
        cells = [replace(cell, show=shown.get(place, ())) for place, cell in enumerate(line.cells)]
        if one.a.variant == one.b.variant:
            for place, which in ((0, ""), (6, "better"), (7, "equal"), (8, "worse")):
                pair = (("a", str(sides[0])), ("b", str(sides[1])), ("row", ",".join(map(str, rows[0]))))
                if cells[place].value:
                    cells[place] = replace(cells[place], show=(*pair, ("which", which)), against=True)
        return replace(line, cells=tuple(cells))

    sections = (replace(part, lines=tuple(map(opened, part.lines))) for part in table.sections)
    return replace(table, sections=tuple(sections))


def list_data(layout: Layout, runs: Sequence[PageRun], pages: Mapping[str, str]) -> dict[str, Any]:
    """The list of runs as a page's script reads it: texts once, runs as arrays of indices into them.

    A run is ``[anchor, page, task, column, places, seed, outcome, link, predicates, step, gist, actions]``, with
    ``places`` a flat list of row, column, row, column, …; -1 stands for what it does not have. ``pages`` names the page
    by the run's anchor, where it is another one.
    """
    kinds = ("pages", "tasks", "names", "outcomes", "links", "predicates")
    texts: dict[str, list[str]] = {kind: [""] if kind == "pages" else [] for kind in kinds}
    known: dict[str, dict[str, int]] = {name: dict.fromkeys(found, 0) for name, found in texts.items()}

    def index(kind: str, text: str) -> int:
        if text not in known[kind]:
            known[kind][text] = len(texts[kind])
            texts[kind].append(text)
        return known[kind][text]

    rows = layout.rows
    entries = [
        [
            run.anchor,
            index("pages", f"runs/{pages[run.anchor]}.html" if run.anchor in pages else ""),
            index("tasks", run.task),
            index("names", run.column),
            [number for place in run.places for number in (place.row, place.column)],
            -1 if run.summary.seed is None else run.summary.seed,
            index("outcomes", run.summary.outcome),
            index("links", run.link) if run.link else -1,
            [
                index("predicates", name)
                for name in (run.summary.link.predicates if run.link and run.summary.link else ())
            ],
            run.summary.link.step if run.link and run.summary.link else 0,
            gist(run.summary),
            int(run.summary.values.get("plan-length", -1)),
        ]
        for run in runs
    ]
    return {
        **texts,
        "columns": [column.label for column in layout.columns],
        "rows": [row_label(row, rows) for row in rows],
        "sections": [None if row.variant else row.section for row in rows],
        "runs": entries,
    }


def _address(run: PageRun, pages: Mapping[str, str]) -> str:
    page = f"runs/{pages[run.anchor]}.html" if run.anchor in pages else ""
    return f"{page}#{run.anchor}"


def _pictures(gathered: Gathered) -> tuple[Picture, ...]:
    """The plots as images: an image runs no script, and its style stays its own."""
    found = []
    for key, plot in PLOTS.items():
        try:
            svg = plot_svg(gathered, key)
        except NoDataError as error:
            found.append(Picture(key, plot.title, missing=str(error)))
            continue
        except MissingExtraError as error:
            return (Picture("plots", "Plots", missing=str(error)),)
        source = "data:image/svg+xml;base64," + base64.b64encode(svg.encode("utf-8")).decode("ascii")
        found.append(Picture(key, plot.title, plot.caption, source))
    # Drawn plots first, then the missing ones.
    return tuple(sorted(found, key=lambda picture: not picture.source))

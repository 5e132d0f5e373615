"""``pddl2nl report``: the tables, comparisons, plots and pages of a folder of records."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.output import console, print_json, print_text, print_warnings, write_text_file
from pddl2nl.cli.wording import JsonOption
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from pddl2nl.reports.gathering import Gathered
    from pddl2nl.reports.tables import Table

__all__ = ["register"]

_FORMATS = ("text", "csv", "markdown", "latex", "html", "runs")
_EPILOG = "Example: pddl2nl report runs/first --format html --plots figures"

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of records: of an experiment, or of single runs.")]
Form = Annotated[str, typer.Option("--format", metavar="|".join(_FORMATS), help="Output format.")]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="PATH",
        help="Where to write: a file; for csv a folder, one file per table; for html a file, or a folder from 200 runs "
        "on; for runs a file that ends in .csv, .jsonl or .parquet.",
        show_default="standard output; for csv, html and runs the folder DIR/report",
    ),
]
Compared = Annotated[
    list[str] | None,
    typer.Option(
        "--compare",
        metavar="COLUMN",
        help="A column's heading; given at least twice: these columns are compared with one another.",
        show_default="the best language-model column with each other one",
    ),
]
MetricOption = Annotated[
    str,
    typer.Option(
        "--metric", metavar="NAME", help="Metric by which columns are compared; an unknown name lists all metrics."
    ),
]
Plots = Annotated[
    Path | None, typer.Option("--plots", metavar="FOLDER", help="Draw the plots here too, as SVG and PDF.")
]
Paper = Annotated[bool, typer.Option("--paper/--no-paper", help="Show a paper's numbers beside ours.")]


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("report", epilog=_EPILOG)(_report)


def _report(
    folder: Folder,
    form: Form = "text",
    out: Out = None,
    compare: Compared = None,
    metric: MetricOption = "coverage",
    plots: Plots = None,
    paper: Paper = True,
    as_json: JsonOption = False,
) -> None:
    """Make tables, comparisons, plots and pages from the records in a folder, without running anything.

    Infrastructure errors come first: runs in which an endpoint or a planner failed are listed and not scored. Then come
    the tables of the experiment (coverage by default), the metrics by column, those of a policy family such as HVR, the
    first failures of unsolved runs, and paired comparisons of the best language-model column with the others, over the
    same instances, with an interval, an exact or bootstrap test, Holm's correction and an effect size.

    Metrics are computed from the events in the records. Token counts that an endpoint did not report are estimated and
    marked with ~. LaTeX needs the package booktabs. Pages need no network: one file up to 200 runs, else a folder with
    an index; they show every run with each prompt and reply. Plots need matplotlib (extra 'plots').
    The format csv writes one file per table. The format runs writes one row per run and, in a second file, one row per
    step, for pandas or R.

    Exit code 0: done, whatever the runs came to; 2: no records, or one that is no record.
    """
    from pddl2nl.reports.gathering import gather

    if form not in _FORMATS:
        raise InputError(f"--format {form}: no such format; there are {', '.join(_FORMATS)}")
    if compare is not None and len(set(compare)) < 2:
        raise InputError(f"--compare {compare[0]}: a column is compared with another; give --compare at least twice")
    if form in ("html", "runs") and (compare is not None or metric != "coverage"):
        raise InputError(
            f"--compare and --metric are for tables, and --format {form} takes neither (on a page any two columns can "
            "be chosen); leave them out, or take another --format"
        )
    gathered = gather(folder)
    if not gathered.runs:
        raise InputError(f"{folder} holds no finished record; `pddl2nl experiment` and `pddl2nl run --out` write them")
    drawn = [] if plots is None else _drawn(gathered, plots)
    if form == "html":
        _pages(gathered, out or folder / "report", drawn, paper=paper, as_json=as_json)
        return
    if form == "runs":
        _rows(gathered, out or folder / "report" / "runs.csv", drawn, as_json=as_json)
        return
    tables = _tables(gathered, compare or [], metric, paper=paper)
    if form == "csv" and not as_json:
        _csv_files(gathered, tables, out or folder / "report")
        return
    _show(gathered, tables, form, out, drawn, as_json=as_json)


def _tables(gathered: Gathered, columns: Sequence[str], metric: str, *, paper: bool) -> Sequence[Table]:
    """All tables of a report, in their order."""
    from pddl2nl.reports.comparison import compare, comparison_table, comparisons, corrected
    from pddl2nl.reports.tables import links_table, metrics_tables, tables_of

    pairs = combinations(dict.fromkeys(columns), 2)
    chosen = [compare(gathered, a, b, metric) for a, b in pairs]
    made = corrected(chosen) if columns else comparisons(gathered, metric)
    compared = comparison_table(made, best=not columns)
    tables = [*tables_of(gathered, paper=paper), *metrics_tables(gathered), links_table(gathered)]
    return tables if compared is None else [*tables, compared]


def _show(
    gathered: Gathered, tables: Sequence[Table], form: str, out: Path | None, drawn: Sequence[str], *, as_json: bool
) -> None:
    from pddl2nl.reports.tables import print_tables, table_json, written

    alarms = gathered.alarms
    if as_json:
        broken = [{"run": run.name, "message": run.message} for run in gathered.broken]
        counts = {"name": gathered.layout.name, "runs": len(gathered.runs), "missing": len(gathered.missing)}
        shown = [table_json(table) for table in tables]
        print_json({**counts, "infrastructure_errors": broken, "notes": [*alarms], "tables": shown, "plots": [*drawn]})
    elif out is not None:
        write_text_file(out, written(tables, form, alarms))
        print_text(f"report: {out}")
    elif form == "text":
        print_tables(tables, console(), alarms)
    else:
        print_text(written(tables, form, alarms))


def _csv_files(gathered: Gathered, tables: Sequence[Table], folder: Path) -> None:
    """Writes one file per table for pandas and spreadsheets; alarms go to standard error."""
    from pddl2nl.reports.tables import csv_text

    print_warnings(gathered.alarms)
    for table in tables:
        path = folder / f"{table.key}.csv"
        write_text_file(path, csv_text(table))
        print_text(f"report: {path}")


def _rows(gathered: Gathered, path: Path, drawn: Sequence[str], *, as_json: bool) -> None:
    from pddl2nl.reports.rows import Records, write_rows

    runs, steps = write_rows(Records(tuple(run for _, run in sorted(gathered.runs.items()))), path)
    if as_json:
        print_json({"runs": str(runs), "steps": str(steps), "plots": [*drawn]})
    else:
        print_text(f"runs: {runs}\nsteps: {steps}")


def _drawn(gathered: Gathered, folder: Path) -> list[str]:
    """Draws the plots and warns about plots without data."""
    from pddl2nl.reports.plots import write_plots

    paths, missing = write_plots(gathered, folder)
    print_warnings(f"not drawn: {key}: {reason}" for key, reason in missing.items())
    return [str(path) for path in paths]


def _pages(gathered: Gathered, out: Path, drawn: Sequence[str], *, paper: bool, as_json: bool) -> None:
    from pddl2nl.reports.html import write_html

    page = write_html(gathered, out, paper=paper)
    if as_json:
        print_json({"report": str(page), "plots": [*drawn]})
    else:
        print_text(f"report: {page}")

"""``pddl2nl report``: the tables, comparisons, plots and pages of a folder of records."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pddl2nl.cli.options import JsonOption, argument, option, switch
from pddl2nl.cli.output import is_verbose, print_json, print_report, print_result, print_text, print_warnings
from pddl2nl.errors import InputError
from pddl2nl.files import write_text_file

if TYPE_CHECKING:
    from pddl2nl.reports.gathering import Gathered
    from pddl2nl.reports.tables import Table


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("report", epilog="Example: pddl2nl report runs/first --format html --plots figures")(_report)


def _report(
    folder: Annotated[Path, argument("DIR", "Folder of records: of an experiment, or of single runs.")],
    form: Annotated[
        Literal["text", "csv", "markdown", "latex", "html", "runs"],
        option("", "Format of the report.", flag="--format"),
    ] = "text",
    out: Annotated[
        Path | None,
        option(
            "PATH",
            "A file, or for csv and html a folder; for runs a .csv, .jsonl or .parquet file.",
            "standard output; for csv, html and runs DIR/report",
        ),
    ] = None,
    compare: Annotated[
        list[str] | None,
        option(
            "COLUMN", "Compare columns with these headings; at least twice.", "the best model column with each other"
        ),
    ] = None,
    metric: Annotated[
        str,
        option(
            "NAME",
            "Metric by which columns are compared; an unknown name lists all metrics. module:NAME adds one of your own "
            "to the report.",
        ),
    ] = "coverage",
    plots: Annotated[
        Path | None, option("DIR", "Also draw the plots into this folder, as SVG and PDF.", "not drawn")
    ] = None,
    paper: Annotated[bool, typer.Option("--paper/--no-paper", help="Show a paper's numbers beside ours.")] = True,
    by_seed: Annotated[bool, switch("--by-seed", "Show a column for each seed in tables of coverage.")] = False,
    wide: Annotated[bool, switch("--wide", "Write every column of rows: also empty ones, and more than 60.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Make tables, comparisons, plots and pages from the records in a folder, without running anything.

    Infrastructure errors come first: runs in which an endpoint or a planner failed are listed and not scored; then what
    to doubt: different tasks in two columns, replies cut off, another model than the one asked. How the runs were made
    (models with their versions, prompts, limits, seeds) is a table of every format, as text with -v. Then come the
    tables of the experiment (coverage by default), the metrics by column, what a solved task costs, the metrics of
    systems, the first failures of unsolved runs, and paired comparisons of the best language-model column with the
    others, over the same instances, with an interval, an exact or bootstrap test, Holm's correction and an effect size.
    Coverage has its 95 % interval over the tasks. Below each table are three lines of notes; -v prints all.

    Metrics are computed from the events in the records. Token counts that an endpoint did not report are estimated and
    marked with ~. LaTeX needs the package booktabs. Pages need no network: one file up to 200 runs, else a folder with
    an index; they show every run with each prompt and reply. Plots need matplotlib (extra 'plots').
    The format csv writes one file per table. The format runs writes one row per run, with up to 60 columns that are not
    empty, and, in a second file, one row per step, for pandas or R.

    Exit code 0: done, for any outcomes of the runs; 2: no records, or a file that is not a record.
    """
    from pddl2nl.reports.gathering import gather
    from pddl2nl.reports.metrics import add_metric
    from pddl2nl.reports.report import alarms_of, report_json, report_tables

    if compare is not None and len(set(compare)) < 2:
        raise InputError(f"--compare {compare[0]}: a column is compared with another; give --compare at least twice")
    if form in ("html", "runs") and (compare is not None or (metric != "coverage" and ":" not in metric)):
        raise InputError(
            f"--compare and --metric are for tables, and --format {form} takes neither (on a page any two columns can "
            "be chosen); leave them out, or take another --format"
        )
    metric = add_metric(metric) if ":" in metric else metric
    gathered = gather(folder)
    if not gathered.runs and not gathered.doubted:
        raise InputError(f"{folder} holds no finished record; `pddl2nl experiment` and `pddl2nl run --out` write them")
    drawn = [] if plots is None else _drawn(gathered, plots)
    if form == "html":
        # Imported here with its pictures, which a text report would wait for.
        from pddl2nl.reports.html import write_html

        page = str(write_html(gathered, out or folder / "report", paper=paper, seeds=by_seed))
        print_result({"report": page, "plots": drawn}, f"report: {page}", as_json=as_json)
    elif form == "runs":
        from pddl2nl.reports.rows import Records, write_rows

        summaries = Records(tuple(run for _, run in sorted(gathered.runs.items())))
        runs, steps = map(str, write_rows(summaries, out or folder / "report" / "runs.csv", wide=wide))
        print_result({"runs": runs, "steps": steps, "plots": drawn}, f"runs: {runs}\nsteps: {steps}", as_json=as_json)
    else:
        how = not as_json and (form != "text" or is_verbose())
        tables = report_tables(gathered, compare or [], metric, paper=paper, seeds=by_seed, how=how)
        if as_json:
            print_json(report_json(gathered, tables, drawn))
        else:
            out = out or (folder / "report" if form == "csv" else None)
            _show(gathered, tables, alarms_of(gathered), form, out)


def _show(gathered: Gathered, tables: Sequence[Table], alarms: Sequence[str], form: str, out: Path | None) -> None:
    from pddl2nl.reports.tables import csv_text, with_few_notes, written

    if form == "csv" and out is not None:
        print_warnings(alarms)
        files = {out / f"{table.key}.csv": csv_text(table) for table in tables}
    elif out is not None:
        if form == "text" and not is_verbose():
            tables, _ = with_few_notes(tables)
        files = {out: written(tables, form, alarms)}
    elif form == "text":
        print_report(tables, alarms)
        from pddl2nl.experiments.records.stored import said_to_answer

        asked = sorted({said_to_answer(run.model) for run in gathered.runs.values()} - {""})
        if asked:
            print_text(
                "Every run was judged again from its record. That the replies came from "
                f"{' and '.join(asked)} is what the records say."
            )
        return
    else:
        print_text(written(tables, form, alarms))
        return
    for path, text in files.items():
        write_text_file(path, text)
        print_text(f"report: {path}")


def _drawn(gathered: Gathered, folder: Path) -> list[str]:
    """Draws the plots, with a warning about each without data."""
    from pddl2nl.reports.plots import write_plots

    paths, missing = write_plots(gathered, folder)
    print_warnings(f"not drawn: {key}: {reason}" for key, reason in missing.items())
    return [str(path) for path in paths]

"""``pddl2nl baselines``: the symbolic baselines of the AutoPlanBench paper over a shipped set, with their table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.limits import MemoryLimit, SeedsOption, TimeLimit
from pddl2nl.cli.output import DONE, WANTING, print_error, print_json, print_text
from pddl2nl.cli.progress import complain, progress_shown
from pddl2nl.cli.wording import JsonOption
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from pddl2nl.experiments.jobs import Job
    from pddl2nl.experiments.sweep import SweepSummary
    from pddl2nl.reports.tables.baselines import BaselineTable

__all__ = ["register"]

_FORMATS = ("text", "markdown", "csv", "json")
_EPILOG = "Example: pddl2nl baselines visitall movie --seeds 1-10 --time 60 --memory 4g --format markdown"


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("baselines", epilog=_EPILOG)(_baselines)


def _baselines(
    domains: Annotated[
        list[str] | None, typer.Argument(metavar="[DOMAIN…]", help="Shipped domains; all that have the set by default.")
    ] = None,
    chosen_set: Annotated[
        str, typer.Option("--set", metavar="primary|scaled", help="The shipped set: the benchmarks, or the large ones.")
    ] = "primary",
    seeds: SeedsOption = "1-10",
    time: TimeLimit = 1800,
    memory: MemoryLimit = 8192,
    workers: Annotated[int, typer.Option(min=1, metavar="N", help="Runs at a time.")] = 2,
    form: Annotated[
        str, typer.Option("--format", metavar="text|markdown|csv|json", help="How the table is printed.")
    ] = "text",
    as_json: JsonOption = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of the records.", show_default="runs/baselines-SET")
    ] = None,
) -> None:
    """Run the paper's baselines over the shipped tasks and print their coverage beside the paper's own.

    rnd: a uniformly random walk with the steps that a language model would get, twice the length of FF's plan; its
    coverage is the mean over the seeds. BrFS, LM-cut and FF: searches of Fast Downward, by default with the paper's
    limits of 30 minutes and 8 GB. Started again with the same limits, it runs only what is missing.

    Exit code 0: all was run, whatever it solved; 1: some runs are left for the next time; 2: bad input; 3: a planner
    failed, which is no verdict and stands in no cell; 130: Ctrl-C.
    """
    from pddl2nl.baselines import find_driver
    from pddl2nl.experiments.baseline_runs import baseline_runs
    from pddl2nl.experiments.sweep import run_all

    if form not in _FORMATS:
        raise InputError(f"--format {form}: no such format; there are {', '.join(_FORMATS)}")
    form = "json" if as_json else form
    jobs = baseline_runs(domains or (), chosen_set, seeds=seeds, seconds=time, memory_mb=memory)
    find_driver()
    folder = out or Path("runs") / f"baselines-{chosen_set}"
    with progress_shown(len(jobs)) as (show, _):
        summary = run_all(jobs, folder, workers=workers, on_progress=show)
    table = _table(jobs, folder, chosen_set)
    if form == "json":
        print_json(
            {**table.as_json(), "runs": summary.as_json(), "limits": _limits(time, memory), "records": str(folder)}
        )
    else:
        print_text(_told(table, form, summary, folder, f"{time} s and {memory} MB a search, {len(seeds)} walks a task"))
    complain(summary)
    raise typer.Exit(_exit_code(summary))


def _limits(seconds: int, memory: int) -> dict[str, int]:
    return {"seconds": seconds, "memory_mb": memory}


def _table(jobs: Sequence[Job], folder: Path, chosen_set: str) -> BaselineTable:
    """The table of what is finished of these runs; other records in the folder are not looked at."""
    from pddl2nl.reports import read_record
    from pddl2nl.reports.tables.baselines import baseline_table

    paths = [folder / f"{job.name}.jsonl" for job in jobs]
    return baseline_table([read_record(path) for path in paths if path.is_file()], chosen_set)


def _told(table: BaselineTable, form: str, summary: SweepSummary, folder: Path, limits: str) -> str:
    from pddl2nl.reports.tables import written

    text = written([table.table()], form).strip("\n")
    if form != "text":
        return text
    lines = [f"Coverage of the baselines, {table.chosen_set} set ({limits})", "", text, ""]
    # A random walk that does not reach the goal is no news.
    lines += [
        f"{domain}, {planner}: {', '.join(f'{count} {outcome}' for outcome, count in outcomes.items())}"
        for domain, planner, outcomes in table.unsolved()
    ]
    if table.broken:
        lines.append(f"Infrastructure errors: {len(table.broken)} runs are in no cell of the table")
        lines += [f"  {run.name}: {run.message}" for run in table.broken]
    if summary.unfinished:
        lines.append(f"{summary.unfinished} runs are left for the next time, and in no cell of the table")
    lines.append("paper: Table 2 of the AutoPlanBench paper, whose tasks are others; its rnd is rounded to whole tasks")
    lines.append(f"{summary.runs} runs, of them finished before: {summary.earlier}; {summary.seconds:.0f} s")
    lines.append(f"records: {folder}")
    return "\n".join(lines)


def _exit_code(summary: SweepSummary) -> int:
    if summary.exit_code != WANTING:
        return summary.exit_code
    if summary.unfinished or summary.elsewhere:
        print_error("not all is run yet; the same command goes on where it was")
        return WANTING
    # That a walk ends nowhere is what is measured, and no failure.
    return DONE

"""``pddl2nl baselines``: the symbolic baselines of the AutoPlanBench paper over a shipped set, with their table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pddl2nl.cli.options import JsonOption, MemoryLimit, TimeLimit, argument, option, read_seeds
from pddl2nl.cli.output import FAILED, plural, print_error, print_json, print_text
from pddl2nl.cli.progress import complain, progress_shown

if TYPE_CHECKING:
    from pddl2nl.experiments.sweep import SweepSummary
    from pddl2nl.reports.tables.baselines import BaselineTable

_EPILOG = "Example: pddl2nl baselines visitall movie --seeds 1-10 --time 60 --memory 4g --format markdown"


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("baselines", epilog=_EPILOG)(_baselines)


def _baselines(
    domains: Annotated[list[str] | None, argument("[DOMAIN]...", "Shipped domains.", "all that have the set")] = None,
    chosen_set: Annotated[
        Literal["primary", "scaled"], option("", "The shipped set: the benchmarks, or the large ones.", flag="--set")
    ] = "primary",
    seeds: Annotated[Any, option("SEEDS", "Seeds of the random walk: 1,2,5 or 1-10.", parser=read_seeds)] = "1-10",
    time: TimeLimit = 1800,
    memory: MemoryLimit = 8192,
    workers: Annotated[int, option("N", "Runs at a time.", min=1)] = 2,
    form: Annotated[
        Literal["text", "markdown", "csv", "json"], option("", "Format of the table.", group="Output", flag="--format")
    ] = "text",
    as_json: JsonOption = False,
    out: Annotated[Path | None, option("DIR", "Folder of the records.", "runs/baselines-SET", "Output")] = None,
) -> None:
    """Run the paper's baselines over the shipped tasks and print their coverage beside the paper's own.

    rnd: a uniformly random walk with the steps that a language model would get, twice the length of FF's plan; its
    coverage is the mean over the seeds. BrFS, LM-cut and FF: searches of Fast Downward, by default with the paper's
    limits of 30 minutes and 8 GB. Started again with the same limits, it runs only what is missing.

    Exit code 0: all was run, whatever it solved; 1: some runs are left for the next time; 2: bad input; 3: a planner
    failed, which is no verdict and is counted in no cell; 130: Ctrl-C.
    """
    from pddl2nl.baselines import find_driver
    from pddl2nl.experiments.ready import baselines
    from pddl2nl.experiments.sweep import run_all
    from pddl2nl.reports import read_record
    from pddl2nl.reports.tables import written
    from pddl2nl.reports.tables.baselines import baseline_table

    experiment = baselines(domains or (), chosen_set, seeds=seeds, seconds=time, memory_mb=memory)
    jobs = [*experiment.jobs.values()]
    find_driver()
    folder = out or Path("runs") / f"baselines-{chosen_set}"
    with progress_shown(len(jobs)) as (show, _):
        summary = run_all(jobs, folder, workers=workers, on_progress=show)
    # Other records in the folder are not looked at.
    paths = [path for job in jobs if (path := folder / f"{job.name}.jsonl").is_file()]
    table = baseline_table(map(read_record, paths), chosen_set)
    form = "json" if as_json else form
    text = "" if form == "json" else written([table.table()], form).strip("\n")
    if form == "json":
        limits = {"seconds": time, "memory_mb": memory}
        print_json({**table.as_json(), "runs": summary.as_json(), "limits": limits, "records": str(folder)})
    elif form == "text":
        limits_text = f"{time} s and {memory} MB per search, {plural(len(seeds), 'walk')} per task"
        print_text(f"Coverage of the baselines, {chosen_set} set ({limits_text})\n\n{text}\n")
        print_text("\n".join([*_notes(table, summary), f"records: {folder}"]))
    else:
        print_text(text)
    complain(summary)
    raise typer.Exit(_exit_code(summary))


def _notes(table: BaselineTable, summary: SweepSummary) -> Iterator[str]:
    """What stands below the table: why searches found no plan, and what is in no cell."""
    # Most random walks end without a plan.
    for domain, planner, outcomes in table.unsolved():
        yield f"{domain}, {planner}: {', '.join(f'{count} {outcome}' for outcome, count in outcomes.items())}"
    if table.broken:
        yield f"Infrastructure errors: {plural(len(table.broken), 'run is', 'runs are')} in no cell of the table"
        yield from (f"  {run.name}: {run.message}" for run in table.broken)
    if summary.unfinished:
        yield f"{plural(summary.unfinished, 'run is', 'runs are')} left for the next time, and in no cell of the table"
    yield "paper: Table 2 of the AutoPlanBench paper, whose tasks are others; its rnd is rounded to whole tasks"
    yield f"{plural(summary.runs, 'run')}, of them finished before: {summary.earlier}; {summary.seconds:.0f} s"


def _exit_code(summary: SweepSummary) -> int:
    if summary.exit_code == FAILED:
        print_error("not all is run yet; the same command goes on where it was")
    return summary.exit_code

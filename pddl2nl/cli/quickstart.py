"""``pddl2nl quickstart``: everything that runs with no key and no network, in under a minute."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.options import JsonOption, option
from pddl2nl.cli.output import DONE, FAILED, INFRASTRUCTURE, print_json, print_report, print_text
from pddl2nl.cli.progress import bar_shown
from pddl2nl.errors import InfrastructureError

if TYPE_CHECKING:
    from pddl2nl.experiments.records.stored import Record
    from pddl2nl.reports.gathering import Gathered

_SHOWN = ("visitall", "p01")
_TITLE = "Ten tasks, nine ways to plan them"
_NOTES = (
    "random: a uniform walk over applicable actions, with twice the steps of a plan that the planner ff found.",
    "brfs, lmcut, ff, lama: Fast Downward, for comparison; brfs and lmcut find shortest plans.",
)


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("quickstart", epilog="Example: pddl2nl quickstart --out first-look")(_quickstart)


def _quickstart(
    out: Annotated[Path, option("DIR", "Folder of the report and the records.")] = Path("pddl2nl-quickstart"),
    seed: Annotated[int, option("N", "Seed of every run.")] = 1,
    as_json: JsonOption = False,
) -> None:
    """Show all three jobs on ten shipped tasks: convert, run policies, validate plans.

    Runs the four mechanisms with the oracle (no language model is asked), the random walk and the four planners;
    needs no key and no network, but the extra 'planners'. Exit code 0: done; 1: the oracle left a task unsolved,
    which means that a wording lost information; 2: the planners are not installed; 3: a planner failed.
    """
    from pddl2nl.experiments.layout import LayoutTable
    from pddl2nl.experiments.records.stored import read_record
    from pddl2nl.reports.html import write_html
    from pddl2nl.reports.recheck import recheck
    from pddl2nl.reports.tables import runs_table, table_json

    began = time.monotonic()
    records = [read_record(path) for path in _run(out / "records", seed, quiet=as_json)]
    results = _gathered(records)
    agreeing = sum(recheck(record).agrees for record in records)
    page = write_html(results, out / "report.html", title=_TITLE, notes=_NOTES)
    table = runs_table(results, LayoutTable("runs"))
    seconds = time.monotonic() - began
    if as_json:
        summary = {"runs": len(records), "judged_as_recorded": agreeing, "coverage": table_json(table)}
        print_json(summary | {"report": str(page), "records": str(out / "records"), "seconds": round(seconds, 1)})
    else:
        print_report([table], results.alarms)
        print_text(
            f"\nJudged again by the validator, from the PDDL alone: {agreeing} of {len(records)} runs as recorded.\n"
            f"{len(records)} runs in {seconds:.0f} s. Open every one of them, step by step: {page}\n"
            f"Their records: {out / 'records'}"
        )
    raise typer.Exit(_exit_code(results, agreeing == len(records)))


def _run(folder: Path, seed: int, *, quiet: bool) -> list[Path]:
    from pddl2nl.baselines import find_driver
    from pddl2nl.experiments.ready import quickstart
    from pddl2nl.experiments.runs import record_path
    from pddl2nl.experiments.sweep import run_all

    # A missing planner shall show before anything is printed.
    find_driver()
    if not quiet:
        print_text(_conversion())
    jobs = [*quickstart(seed).jobs.values()]
    with bar_shown("running") as update:
        summary = run_all(jobs, folder, workers=2, on_progress=lambda state: update("running", state.ended, state.runs))
    if summary.interrupted:
        raise KeyboardInterrupt
    paths = [record_path(folder, job) for job in jobs]
    if not all(path.exists() for path in paths):
        raise InfrastructureError("; ".join({trouble.message for trouble in (*summary.broken, *summary.bad)}))
    return paths


def _conversion() -> str:
    """A small domain and problem as a model is told them."""
    from pddl2nl.nl import convert, load_wording
    from pddl2nl.tasks import shipped_domain

    shipped = shipped_domain(_SHOWN[0])
    conversion = convert(shipped.task(_SHOWN[1]), load_wording(shipped.wording_path, shipped.domain))
    texts = (conversion.domain_text, conversion.goal_text, conversion.objects_text, conversion.init_text)
    indented = indent("\n\n".join(text for text in texts if text), "    ")
    return f"A domain and a problem in PDDL ({' '.join(_SHOWN)}) are told to a model like this:\n\n{indented}\n\n"


def _gathered(records: list[Record]) -> Gathered:
    from pddl2nl.reports.gathering import gathered
    from pddl2nl.reports.summaries import summarize

    results = gathered(map(summarize, records), name="quickstart")
    # Above each mechanism what it asked, also where all of them ask the same.
    columns = tuple(replace(column, group=column.model) for column in results.layout.columns)
    return replace(results, layout=replace(results.layout, columns=columns))


def _exit_code(results: Gathered, agreed: bool) -> int:
    if results.broken:
        return INFRASTRUCTURE
    oracle = [run for run in results.runs.values() if run.model == "oracle"]
    return DONE if agreed and all(run.solved for run in oracle) else FAILED

"""``pddl2nl quickstart``: everything that runs with no key and no network, in under a minute."""

from __future__ import annotations

import time
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.output import DONE, INFRASTRUCTURE, WANTING, console, print_json, print_text

if TYPE_CHECKING:
    from pddl2nl.reports import CoverageTable, Record

__all__ = ["register"]

_SHOWN = ("visitall", "p01")


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("quickstart", epilog="Example: pddl2nl quickstart --out first-look")(_quickstart)


def _quickstart(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the report and the records.")] = Path(
        "pddl2nl-quickstart"
    ),
    seed: Annotated[int, typer.Option(help="Seed of every run.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show all three jobs on ten shipped tasks: convert, run policies, validate plans.

    Runs the four mechanisms with the oracle (no language model is asked), the random walk and the four planners;
    needs no key and no network, but the extra 'planners'. Exit code 0: done; 1: the oracle left a task unsolved,
    which means that a wording lost information; 2: the planners are not installed; 3: a planner broke.
    """
    from pddl2nl.reports import coverage_table, print_coverage, read_record, recheck

    began = time.monotonic()
    paths = _run(out / "records", seed, quiet=as_json)
    records = [read_record(path) for path in paths]
    table = coverage_table(records, _label)
    judged = [recheck(record) for record in records]
    agreeing = sum(again.agrees for again in judged)
    page = _write_page(out / "report.html", records)
    seconds = time.monotonic() - began
    if as_json:
        summary = {"runs": len(records), "judged_as_recorded": agreeing, "coverage": table.as_json()}
        print_json(summary | {"report": str(page), "records": str(out / "records"), "seconds": round(seconds, 1)})
    else:
        print_coverage(table, console())
        print_text(
            f"\nJudged again by the validator, from the PDDL alone: {agreeing} of {len(records)} runs as recorded.\n"
            f"{len(records)} runs in {seconds:.0f} s. Open every one of them, step by step: {page}\n"
            f"Their records: {out / 'records'}"
        )
    raise typer.Exit(_exit_code(table, agreeing == len(records)))


def _run(folder: Path, seed: int, *, quiet: bool) -> tuple[Path, ...]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from pddl2nl.baselines import find_driver
    from pddl2nl.experiments.quickstart import Job, quickstart, quickstart_jobs

    # A missing planner shall show before anything is printed.
    find_driver()
    if not quiet:
        print_text(_conversion())
    screen = console(stderr=True)
    columns = (TextColumn("{task.description:<32}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as progress:
        task = progress.add_task("starting", total=len(quickstart_jobs()))

        def on_done(job: Job) -> None:
            progress.update(task, advance=1, description=job.name)

        return quickstart(folder, seed=seed, on_done=on_done)


def _conversion() -> str:
    """A small domain and problem as a model is told them."""
    from pddl2nl.nl import convert, load_wording
    from pddl2nl.tasks import shipped_domain

    shipped = shipped_domain(_SHOWN[0])
    told = convert(shipped.task(_SHOWN[1]), load_wording(shipped.wording_path, shipped.domain))
    texts = (told.domain_text, told.goal_text, told.objects_text, told.init_text)
    indented = indent("\n\n".join(text for text in texts if text), "    ")
    return f"A domain and a problem in PDDL ({' '.join(_SHOWN)}) are told to a model like this:\n\n{indented}\n\n"


def _label(record: Record) -> str:
    """The shipped name of a record's domain, which may differ from the name in its PDDL text."""
    from pddl2nl.tasks import shipped_domain, shipped_domains

    names = {shipped_domain(name).domain.name: name for name in shipped_domains()}
    return names.get(record.domain, record.domain)


def _write_page(path: Path, records: list[Record]) -> Path:
    from pddl2nl.reports import ORACLE_NOTE, render_report, write_report

    title = "Ten tasks, nine ways to plan them"
    walk = "random: a uniform walk over applicable actions, with twice the steps of a plan that the planner ff found."
    planners = "brfs, lmcut, ff, lama: Fast Downward, for comparison; brfs and lmcut find shortest plans."
    html = render_report(records, title=title, notes=(ORACLE_NOTE, walk, planners), label=_label)
    write_report(path, html)
    return path


def _exit_code(table: CoverageTable, agreed: bool) -> int:
    if table.broken:
        return INFRASTRUCTURE
    oracle = [cell for column, cell in zip(table.columns, table.total.cells, strict=True) if column.model == "oracle"]
    return DONE if agreed and all(cell.solved == cell.scored for cell in oracle) else WANTING

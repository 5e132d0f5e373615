"""``pddl2nl audit planbench``: PlanBench's recorded replies judged again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pddl2nl.cli.output import DONE, WANTING, print_json, print_text

__all__ = ["register"]

_EPILOG = (
    "Example: pddl2nl audit planbench LLMs-Planning/plan-bench --reading default  ·  "
    "Exit codes: 0 every recorded plan has the recorded verdict; 1 some have another; 2 bad input."
)


def register(app: typer.Typer) -> None:
    """Adds the commands to the application."""
    group = typer.Typer(no_args_is_help=True, help="Judge recorded results of other tools again.")
    group.command("planbench", epilog=_EPILOG)(_planbench)
    # Without a callback, typer would drop the name of an only command.
    group.callback()(lambda: None)
    app.add_typer(group, name="audit")


def _planbench(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="The folder with configs, instances and results.", show_default=False),
    ],
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[RESULTS]...", help="Results files; by default all of the folder.", show_default=False),
    ] = None,
    reading: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A rule for which lines of a reply are its plan: planbench, default or all. Repeatable.",
            show_default="planbench and default",
        ),
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, one column for each cause.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Judge PlanBench's recorded replies again and explain every difference.

    For each results file and reading rule: how many recorded plans have the recorded verdict, how many replies have it
    when our reader reads them, and the causes of the differences.

    The JSON is one object: rows (file, policy, replies, recorded_agrees, agrees, recorded_only, ours_only, causes,
    agreement) and disagreements (file, instance, policy, recorded, ours, cause).
    """
    from pddl2nl.interop import PlanBenchAudit, audit_csv, audit_rows, audit_text

    audit = PlanBenchAudit(folder, reading) if reading else PlanBenchAudit(folder)
    audited = [audit.file(path) for path in files] if files else list(audit.files())
    rows = audit_rows(audited)
    if as_json:
        found = [item.as_json() for file in audited for item in file.disagreements]
        print_json({"rows": [row.as_json() for row in rows], "disagreements": found})
    else:
        print_text(audit_csv(rows) if as_csv else audit_text(rows))
    raise typer.Exit(WANTING if any(file.recorded_differs for file in audited) else DONE)

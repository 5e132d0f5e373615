"""``pddl2nl audit planbench``: PlanBench's recorded replies judged again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.options import JsonOption, argument, option, switch
from pddl2nl.cli.output import DONE, FAILED, print_error, print_result, print_table

if TYPE_CHECKING:
    from pddl2nl.interop.planbench import AuditRow

_EPILOG = (
    "Example: pddl2nl audit planbench LLMs-Planning/plan-bench --reading default  ·  "
    "Exit codes: 0 every recorded plan has the recorded verdict; 1 some have another, or a file cannot be read; "
    "2 no file can be read."
)


def register(app: typer.Typer) -> None:
    """Adds the commands to the application."""
    group = typer.Typer(no_args_is_help=True, help="Judge recorded results of other tools again.")
    group.command("planbench", epilog=_EPILOG)(_planbench)
    # Without a callback, typer would drop the name of an only command.
    group.callback()(lambda: None)
    app.add_typer(group, name="audit")


def _planbench(
    folder: Annotated[Path, argument("DIR", "The folder with configs, instances and results.")],
    files: Annotated[
        list[Path] | None, argument("[RESULTS]...", "Results files.", "all files of the folder's results")
    ] = None,
    reading: Annotated[
        list[str] | None,
        option("default|planbench|all", "Rule for the lines of a plan; can be repeated.", "planbench and default"),
    ] = None,
    as_csv: Annotated[bool, switch("--csv", "Print CSV.", "Output")] = False,
    as_json: JsonOption = False,
) -> None:
    """Judge PlanBench's recorded replies again.

    For each results file and reading rule: how many recorded plans have the recorded verdict, and how many replies have
    it when our reader reads them. A results file that cannot be read, or whose configuration cannot, is reported and
    skipped.

    The JSON is one object: unread (file, reason), rows (file, policy, replies, recorded_agrees, agrees, recorded_only,
    ours_only, agreement) and disagreements (file, instance, policy, recorded, ours).
    """
    from dataclasses import asdict

    from pddl2nl.errors import InputError
    from pddl2nl.interop.planbench import Audited, PlanBenchAudit, audit_csv, audit_rows

    audit = PlanBenchAudit(folder, reading) if reading else PlanBenchAudit(folder)
    audited: list[Audited] = []
    unread: list[tuple[Path, InputError]] = []
    for path in files or audit.folder.results_paths:
        try:
            audited.append(audit.file(path))
        except InputError as error:
            unread.append((path, error))
    if unread and not audited:
        raise unread[0][1]
    rows = audit_rows(audited)
    disagreements = [asdict(item) for file in audited for item in file.disagreements]
    skipped = [{"file": str(path), "reason": str(reason)} for path, reason in unread]
    data = {"unread": skipped, "rows": [row.as_json() for row in rows], "disagreements": disagreements}
    if as_json or as_csv:
        print_result(data, audit_csv(rows), as_json=as_json)
    else:
        headings = ("file", "policy", "replies", "recorded", "reply", "agreement", "rec. only", "ours only")
        print_table("", headings, map(_cells, rows))
    for path, reason in unread:
        print_error(f"{path} is skipped: {reason}")
    raise typer.Exit(FAILED if unread or any(file.recorded_differs for file in audited) else DONE)


def _cells(row: AuditRow) -> tuple[object, ...]:
    share = f"{100 * row.agreement:.1f} %"
    return row.file, row.policy, row.replies, row.recorded_agrees, row.agrees, share, row.recorded_only, row.ours_only

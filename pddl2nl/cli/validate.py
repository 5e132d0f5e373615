"""``pddl2nl validate``: VAL's verdicts and text, or JSON."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.files import check_order, domain_file, problem_file
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pddl2nl.nl import Teller
    from pddl2nl.pddl import Task
    from pddlval import Report
    from pddlval.command import Tell

__all__ = ["register"]

_EPILOG = "Example: pddl2nl validate domain.pddl problem.pddl plan1.txt plan2.txt -v"


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("validate", epilog=_EPILOG)(_validate)


def _validate(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DOMAIN PROBLEM PLAN…",
            show_default=False,
            help="The files, or the names of a shipped domain and its instance; - reads a plan from standard input.",
        ),
    ] = None,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Say what every step does, as VAL's -v.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one object a plan.")] = False,
    wording: Annotated[
        str | None,
        typer.Option(
            metavar="template|FILE",
            help="Tell every verdict in these words too.",
            show_default="with --json the wording.json beside DOMAIN if there is one; else not told",
        ),
    ] = None,
    names: Annotated[str, typer.Option(help="Names of objects when telling: typed, original or inferred.")] = "typed",
    val_tolerance: Annotated[
        bool,
        typer.Option(
            "--val-tolerance",
            help="Compare numbers as VAL does, which may miss by 0.0001.",
            show_default="exact",
        ),
    ] = False,
    batch: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help='With --json: JSON lines {"domain", "problem", "plan" or "plan_text"} instead of files.',
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, metavar="N", help="Processes that judge a batch.")] = 1,
) -> None:
    """Validate plans: VAL's text from 'Checking plan' on, or JSON.

    Exit code 0: all plans are valid; 1: some are not; 2: bad input.
    """
    from pddlval.command import batch_lines, judge_batch, judge_files
    from pddlval.validate import VAL_TOLERANCE

    tolerance = VAL_TOLERANCE if val_tolerance else Fraction(0)
    paths = files or []
    told = wording is not None or (as_json and batch is None)
    if not told and names != "typed":
        raise InputError("--names says how objects are called when a verdict is told; give --wording too")
    tell = _teller(wording, names) if told else None
    if batch is not None:
        if paths or not as_json:
            raise typer.BadParameter("--batch takes no other file, and needs --json")
        raise typer.Exit(judge_batch(batch_lines(batch), _write, tell, tolerance=tolerance, jobs=jobs))
    if len(paths) < 3:
        raise typer.BadParameter("expected DOMAIN PROBLEM PLAN…, or --batch FILE")
    domain, problem, *plans = paths
    domain = domain_file(domain)
    problem = problem_file(problem, domain)
    check_order(domain, problem)
    code = judge_files(domain, problem, plans, _write, verbose=verbose, as_json=as_json, tell=tell, tolerance=tolerance)
    raise typer.Exit(code)


def _teller(wording: str | None, names: str) -> Tell:
    """Tells reports in the words asked for, by default the domain's own; wording and names are made once per task."""
    tellers: dict[int, tuple[Task, Teller]] = {}

    def tell(task: Task, domain: str, report: Report) -> Sequence[str]:
        if wording is None and not Path(domain).with_name("wording.json").is_file():
            return ()
        from pddl2nl.nl import Teller, choose_wording, explain, make_names

        if id(task) not in tellers:
            chosen = choose_wording(wording, task.domain, domain)
            # The task is kept beside its teller, so that no other one can come by its id.
            tellers[id(task)] = (task, Teller(task, chosen, make_names(task, names, chosen)))
        return explain(report, tellers[id(task)][1])

    return tell


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()

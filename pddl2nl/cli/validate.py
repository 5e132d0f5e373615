"""``pddl2nl validate``: VAL's verdicts and text, or JSON."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pddl2nl.cli import completion
from pddl2nl.cli.options import (
    CommandMemory,
    CommandSeconds,
    TimeTolerance,
    ValTolerance,
    argument,
    check_order,
    domain_file,
    option,
    problem_file,
    run_within,
    switch,
)
from pddl2nl.errors import InputError
from pddl2nl.files import read_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pddl2nl.nl import Teller
    from pddl2nl.pddl import Task
    from pddlval import Report
    from pddlval.command import Tell

_EPILOG = "Example: pddl2nl validate domain.pddl problem.pddl plan1.txt plan2.txt -v"


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("validate", epilog=_EPILOG)(_validate)


def _validate(
    files: Annotated[
        list[str] | None,
        argument(
            "DOMAIN PROBLEM PLAN…",
            "The files, or the names of a shipped domain and its instance; - reads a plan from standard input.",
            autocompletion=completion.task_files,
        ),
    ] = None,
    verbose: Annotated[bool, switch("-v --verbose", "Say what every step does, as VAL's -v.")] = False,
    as_json: Annotated[bool, switch("--json", "Print JSON, one object per plan.", "Output")] = False,
    wording: Annotated[
        str | None,
        option(
            "default|template|FILE",
            "Also tell every verdict: default (the wording.json beside DOMAIN, else template), template, or a FILE.",
            "with --json default if DOMAIN has a wording.json, else none",
        ),
    ] = None,
    names: Annotated[
        Literal["typed", "original", "inferred"],
        option(
            "",
            "Objects' names: typed (truck_0), original, or inferred from static unary predicates.",
        ),
    ] = "typed",
    val_tolerance: ValTolerance = False,
    times: TimeTolerance = None,
    batch: Annotated[
        str | None, option("FILE", 'With --json: JSON lines {"domain", "problem", "plan" or "plan_text"}.', "none")
    ] = None,
    jobs: Annotated[
        int | None,
        option(
            "N", "Processes of a batch.", "one, and one per processor for what a file has left after a second", min=1
        ),
    ] = None,
    seconds: CommandSeconds = None,
    memory: CommandMemory = None,
) -> None:
    """Validate plans: VAL's text from 'Checking plan' on, or JSON.

    Exit code 0: all plans are valid; 1: some are not; 2: bad input; 3: no verdict within the limits.
    """
    run_within(seconds, memory)
    from pddlval.command import judge_batch, judge_files, tolerances_of

    tolerances = tolerances_of(val_tolerance, times)
    paths = files or []
    worded = wording is not None or (as_json and batch is None)
    if not worded and names != "typed":
        raise InputError("--names says how objects are called when a verdict is told; give --wording too")
    tell = _teller(wording, names) if worded else None
    if batch is not None:
        if paths or not as_json:
            raise typer.BadParameter("--batch takes no other file, and needs --json")
        lines = read_lines(batch)
        # Whoever writes into a pipe may wait for each answer before the next line.
        jobs = 1 if jobs is None and batch == "-" else jobs
        raise typer.Exit(judge_batch(lines, _write, tell, find=_find, tolerances=tolerances, jobs=jobs))
    if len(paths) < 3:
        raise typer.BadParameter("expected DOMAIN PROBLEM PLAN…, or --batch FILE")
    domain, problem = _find(*paths[:2])
    check_order(domain, problem)
    code = judge_files(
        domain, problem, paths[2:], _write, verbose=verbose, as_json=as_json, tell=tell, tolerances=tolerances
    )
    raise typer.Exit(code)


def _find(domain: str, problem: str) -> tuple[str, str]:
    path = domain_file(domain)
    return path, problem_file(problem, path)


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

"""``pddl2nl export``: plans and records in the formats of other tools."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.options import (
    DomainFile,
    JsonOption,
    ProblemFile,
    TimeTolerance,
    ValTolerance,
    argument,
    option,
)
from pddl2nl.cli.output import FAILED, print_result, print_text
from pddl2nl.files import write_text_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from pddl2nl.pddl import Task
    from pddlval import Plan
    from pddlval.report import Tolerances

_PLANSYS2 = "Example: pddl2nl export plansys2 domain.pddl problem.pddl plan.txt --out plansys2.plan"
_TREE = "Example: pddl2nl export behavior-tree domain.pddl problem.pddl plan.txt --out plan.xml"

PlanFile = Annotated[Path, argument("PLAN", "The plan file; - for standard input.")]
Records = Annotated[Path, argument("DIR", "Folder of records: of an experiment, or of single runs.")]
OutFile = Annotated[Path | None, option("FILE", "Write a file.", "standard output", dir_okay=False)]


def register(app: typer.Typer) -> None:
    """Adds the commands to the application, as a group of their own."""
    group = typer.Typer(no_args_is_help=True, help="Plans and records in the formats of other tools.")
    group.command("plansys2", epilog=_PLANSYS2)(_plansys2)
    group.command("behavior-tree", epilog=_TREE)(_behavior_tree)
    group.command("inspect", epilog="Example: pddl2nl export inspect runs/first --out logs && inspect view")(_inspect)
    group.command("hf", epilog="Example: pddl2nl export hf runs/first --out datasets")(_hf)
    app.add_typer(group, name="export")


def _plansys2(
    domain: DomainFile,
    problem: ProblemFile,
    plan: PlanFile,
    out: OutFile = None,
    val_tolerance: ValTolerance = False,
    times: TimeTolerance = None,
) -> None:
    """Write a plan as PlanSys2 (ROS 2) reads it: time, action and duration of each step.

    The plan is validated first. Exit code 1: it does not solve the task, and nothing is written.
    """
    from pddl2nl.interop.robotics import plansys2_plan
    from pddlval.command import tolerances_of

    _export(plansys2_plan, (domain, problem, plan), out, tolerances_of(val_tolerance, times))


def _behavior_tree(
    domain: DomainFile,
    problem: ProblemFile,
    plan: PlanFile,
    out: OutFile = None,
    val_tolerance: ValTolerance = False,
    times: TimeTolerance = None,
) -> None:
    """Write a plan as a behavior tree, XML of BehaviorTree.CPP 4, with the conditions to check at each step.

    The plan is validated first. Exit code 1: it does not solve the task, and nothing is written.
    """
    from pddl2nl.interop.robotics import behavior_tree
    from pddlval.command import tolerances_of

    _export(behavior_tree, (domain, problem, plan), out, tolerances_of(val_tolerance, times))


def _inspect(
    folder: Records,
    out: Annotated[Path, option("DIR", "Folder of the logs.")] = Path("logs"),
    as_json: JsonOption = False,
) -> None:
    """Write records as logs of Inspect, one for each policy, model and setting; inspect view shows them.

    Runs of planners are left out. Needs the extra 'inspect'.
    """
    from pddl2nl.interop.inspect_logs import export_inspect

    paths = [str(path) for path in export_inspect(folder, out)]
    print_result({"logs": paths}, "\n".join(f"log: {path}" for path in paths), as_json=as_json)


def _hf(
    folder: Records,
    out: Annotated[Path, option("DIR", "Folder of the two datasets, runs and steps.")] = Path("datasets"),
    as_json: JsonOption = False,
) -> None:
    """Write records as datasets of Hugging Face, which datasets.load_from_disk reads.

    A run has its settings, metrics, PDDL texts, plan and last conversation. Needs the extra 'hf'.
    """
    from pddl2nl.interop.hf_datasets import export_hf

    runs, steps = map(str, export_hf(folder, out))
    print_result({"runs": runs, "steps": steps}, f"runs: {runs}\nsteps: {steps}", as_json=as_json)


def _export(
    write: Callable[[Task, Plan, Tolerances], str],
    files: tuple[Path, Path, Path],
    out: Path | None,
    tolerances: Tolerances,
) -> None:
    from pddl2nl.interop.robotics import InvalidPlanError
    from pddl2nl.pddl import load_task
    from pddlval import load_plan

    domain, problem, plan = files
    try:
        text = write(load_task(domain, problem), load_plan(plan), tolerances)
    except InvalidPlanError as error:
        sys.stderr.write(f"error: {error}\n")
        raise typer.Exit(FAILED) from None
    if out is not None:
        write_text_file(out, text)
    elif text:
        print_text(text)

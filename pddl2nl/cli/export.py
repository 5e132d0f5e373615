"""``pddl2nl export``: plans and records in the formats of other tools."""

from __future__ import annotations

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
from pddl2nl.cli.output import FAILED, print_error, print_result, print_text
from pddl2nl.files import write_text_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from pddl2nl.pddl import Task
    from pddlval import Plan
    from pddlval.report import Tolerances

PlanFile = Annotated[Path, argument("PLAN", "The plan file; - for standard input.")]
Records = Annotated[Path, argument("DIR", "Folder of records: of an experiment, or of single runs.")]
_VALIDATED = "The plan is validated first. Exit code 1: it does not solve the task, and nothing is written."
_PLAN_COMMANDS = {
    "plansys2_plan": (
        "plansys2",
        f"Write a plan as PlanSys2 (ROS 2) reads it: time, action and duration of each step.\n\n{_VALIDATED}",
        "plansys2.plan",
    ),
    "behavior_tree": (
        "behavior-tree",
        "Write a plan as a behavior tree, XML of BehaviorTree.CPP 4, with the conditions to check at each step.\n\n"
        f"{_VALIDATED}",
        "plan.xml",
    ),
}
OutFile = Annotated[Path | None, option("FILE", "Write a file.", "standard output", dir_okay=False)]


def register(app: typer.Typer) -> None:
    """Adds the commands to the application, as a group of their own."""
    group = typer.Typer(no_args_is_help=True, help="Plans and records in the formats of other tools.")
    for writer, (name, _, file) in _PLAN_COMMANDS.items():
        example = f"Example: pddl2nl export {name} domain.pddl problem.pddl plan.txt --out {file}"
        group.command(name, epilog=example)(_plan_command(writer))
    group.command("inspect", epilog="Example: pddl2nl export inspect runs/first --out logs && inspect view")(_inspect)
    group.command("hf", epilog="Example: pddl2nl export hf runs/first --out datasets")(_hf)
    app.add_typer(group, name="export")


def _plan_command(writer: str) -> Callable[..., None]:
    """A command that writes a plan by a function of `pddl2nl.interop.robotics`."""

    def command(
        domain: DomainFile,
        problem: ProblemFile,
        plan: PlanFile,
        out: OutFile = None,
        val_tolerance: ValTolerance = False,
        times: TimeTolerance = None,
    ) -> None:
        from pddl2nl.interop import robotics
        from pddl2nl.pddl import load_task
        from pddlval import load_plan
        from pddlval.command import tolerances_of

        write: Callable[[Task, Plan, Tolerances], str] = getattr(robotics, writer)
        try:
            text = write(load_task(domain, problem), load_plan(plan), tolerances_of(val_tolerance, times))
        except robotics.InvalidPlanError as error:
            print_error(str(error))
            raise typer.Exit(FAILED) from None
        if out is not None:
            write_text_file(out, text)
        elif text:
            print_text(text)

    command.__doc__ = _PLAN_COMMANDS[writer][1]
    return command


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

"""``pddl2nl export``: plans in the formats of other tools."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.options import DomainFile, ProblemFile, argument, option
from pddl2nl.cli.output import FAILED, print_text
from pddl2nl.files import write_text_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from pddl2nl.pddl import Task
    from pddlval import Plan

__all__ = ["register"]

_PLANSYS2 = "Example: pddl2nl export plansys2 domain.pddl problem.pddl plan.txt --out plansys2.plan"
_TREE = "Example: pddl2nl export behavior-tree domain.pddl problem.pddl plan.txt --out plan.xml"

PlanFile = Annotated[Path, argument("PLAN", "The plan file; - for standard input.")]
OutFile = Annotated[Path | None, option("FILE", "Write a file.", "standard output", dir_okay=False)]


def register(app: typer.Typer) -> None:
    """Adds the commands to the application, as a group of their own."""
    group = typer.Typer(no_args_is_help=True, help="Plans in the formats of other tools.")
    group.command("plansys2", epilog=_PLANSYS2)(_plansys2)
    group.command("behavior-tree", epilog=_TREE)(_behavior_tree)
    app.add_typer(group, name="export")


def _plansys2(domain: DomainFile, problem: ProblemFile, plan: PlanFile, out: OutFile = None) -> None:
    """Write a plan as PlanSys2 (ROS 2) reads it: time, action and duration of each step.

    The plan is validated first. Exit code 1: it does not solve the task, and nothing is written.
    """
    from pddl2nl.interop.robotics import plansys2_plan

    _export(plansys2_plan, domain, problem, plan, out)


def _behavior_tree(domain: DomainFile, problem: ProblemFile, plan: PlanFile, out: OutFile = None) -> None:
    """Write a plan as a behavior tree, XML of BehaviorTree.CPP 4, with the conditions to check at each step.

    The plan is validated first. Exit code 1: it does not solve the task, and nothing is written.
    """
    from pddl2nl.interop.robotics import behavior_tree

    _export(behavior_tree, domain, problem, plan, out)


def _export(write: Callable[[Task, Plan], str], domain: Path, problem: Path, plan: Path, out: Path | None) -> None:
    from pddl2nl.interop.robotics import InvalidPlanError
    from pddl2nl.pddl import load_task
    from pddlval import load_plan

    try:
        text = write(load_task(domain, problem), load_plan(plan))
    except InvalidPlanError as error:
        sys.stderr.write(f"error: {error}\n")
        raise typer.Exit(FAILED) from None
    if out is None:
        print_text(text)
    else:
        write_text_file(out, text)

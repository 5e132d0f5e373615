"""``pddl2nl macro learn`` and ``apply``: macros from plans, and planning with macros."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.files import DomainFile, ProblemFile
from pddl2nl.cli.limits import AnyMemoryLimit, TimeLimit
from pddl2nl.cli.macro_output import macro_json, read_macros
from pddl2nl.cli.output import (
    BAD_INPUT,
    DONE,
    INFRASTRUCTURE,
    WANTING,
    print_json,
    print_table,
    print_text,
    warn,
    write_text_file,
)
from pddl2nl.cli.wording import JsonOption
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from pddl2nl.baselines import PlannerResult
    from pddl2nl.macros.learn import Learned, PlannedTask
    from pddl2nl.macros.planning import Applied, MacroCost
    from pddl2nl.pddl import Domain

__all__ = ["register"]

_LEARN = (
    "Example: pddl2nl macro learn domain.pddl p01.pddl p01.plan p02.pddl p02.plan --out macros; "
    "with plans of its own: pddl2nl macro learn domain.pddl p01.pddl p02.pddl --planner lama --out macros"
)
_APPLY = "Example: pddl2nl macro apply domain.pddl p05.pddl macros --planner ff --out p05.plan"


def register(group: typer.Typer) -> None:
    """Adds the commands to the group of macros."""
    group.command("learn", epilog=_LEARN)(_learn)
    group.command("apply", epilog=_APPLY)(_apply)


# ── learn ────────────────────────────────────────────────────────────────────────────────────────


def _learn(
    domain: DomainFile,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="PROBLEM PLAN…", help="Problems, each with its plan; with --planner, problems alone."),
    ],
    planner: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Find the plans: brfs, lmcut, ff or lama.", show_default="plans are given"),
    ] = None,
    min_support: Annotated[int, typer.Option(min=1, metavar="N", help="Occurrences, overlaps counted once.")] = 2,
    max_length: Annotated[int, typer.Option(min=2, metavar="N", help="Steps of a macro, at most.")] = 4,
    number: Annotated[int, typer.Option(min=1, metavar="N", help="Macros, at most.")] = 4,
    max_parameters: Annotated[
        int, typer.Option(min=0, metavar="N", help="Objects that a macro is about, at most.")
    ] = 6,
    chains: Annotated[
        str,
        typer.Option(
            metavar="both|contiguous|linked",
            help="What is looked at: neighbours in the plans, steps that give each other what they need, or both.",
        ),
    ] = "both",
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Weakest preconditions, for parameters that may be one object too; else they are different ones.",
        ),
    ] = False,
    plain: Annotated[
        bool,
        typer.Option("--plain", help="No macro with a disjunction, a quantifier or a conditional effect."),
    ] = False,
    time: TimeLimit = 1800,
    memory: AnyMemoryLimit = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", file_okay=False, help="Keep the macros in this library.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Mine macros from plans: chains of steps that occur repeatedly, adjacent or linked by producers and consumers.

    The chain that saves the most steps comes first; its occurrences do not count for others. Exit code 1: no chain is
    frequent enough, or the planner found no plan.
    """
    from pddl2nl.macros.learn import LearningOptions, learn
    from pddl2nl.macros.mining import CHAINS
    from pddl2nl.nl import choose_wording
    from pddl2nl.pddl import load_domain

    which = next((item for item in CHAINS if item == chains), None)
    if which is None:
        raise InputError(f"--chains {chains}: there are {', '.join(CHAINS)}")
    read = load_domain(domain)
    examples = _given(read, files) if planner is None else _planned(read, files, planner, time, memory)
    options = LearningOptions(min_support, max_length, number, max_parameters, which, not exact, plain)
    found = learn(read, examples, options, choose_wording(None, read, domain)) if examples else None
    kept = _kept(found, read, out)
    _show_learned(found, examples, kept, as_json=as_json)
    raise typer.Exit(DONE if found is not None and found.macros else WANTING)


def _given(domain: Domain, files: Sequence[Path]) -> list[PlannedTask]:
    from pddl2nl.macros.learn import PlannedTask
    from pddl2nl.pddl import Task, load_problem
    from pddlval import load_plan

    if len(files) % 2:
        found = f"{len(files)} file{'' if len(files) == 1 else 's'}"
        raise InputError(f"each problem needs its plan behind it, or --planner; found {found}")
    pairs = zip(files[::2], files[1::2], strict=True)
    return [
        PlannedTask(Task(domain, load_problem(problem, domain)), load_plan(plan).actions, str(plan))
        for problem, plan in pairs
    ]


def _planned(
    domain: Domain, files: Sequence[Path], planner: str, time: int | None, memory: int | None
) -> list[PlannedTask]:
    from pddl2nl.baselines import PLANNERS, solve
    from pddl2nl.macros.learn import PlannedTask
    from pddl2nl.pddl import Task, load_problem

    if planner not in PLANNERS:
        raise InputError(f"--planner {planner}: there are {', '.join(PLANNERS)}")
    examples = []
    for file in files:
        task = Task(domain, load_problem(file, domain))
        result = solve(task, planner, time_limit=time, memory_limit_mb=memory)
        if result.plan is None:
            warn(f"{file}: {planner}: {result.status}: {result.message}")
        else:
            examples.append(PlannedTask(task, result.plan, str(file)))
    return examples


def _kept(found: Learned | None, domain: Domain, out: Path | None) -> list[Path]:
    from pddl2nl.macros.library import Library

    if out is None or found is None:
        return []
    library = Library(out)
    paths = [library.put(domain, item.stored).path for item in found.macros]
    return [path for path in paths if path is not None]


def _show_learned(
    found: Learned | None, examples: Sequence[PlannedTask], kept: Sequence[Path], *, as_json: bool
) -> None:
    macros = () if found is None else found.macros
    refused = () if found is None else found.refused
    if as_json:
        shown = [
            {**macro_json(item.stored), "support": item.support, "plans": item.plans, "saved_steps": item.saved}
            for item in macros
        ]
        for said, path in zip(shown, kept, strict=False):
            said["file"] = str(path)
        no = [{"steps": list(item.steps), "support": item.support, "reason": item.reason} for item in refused]
        totals = {"plans": len(examples), "steps": found.steps if found else 0, "chains": found.chains if found else 0}
        print_json({**totals, "macros": shown, "refused": no})
        return
    if found is None:
        warn("no macro: there is no plan to learn from")
    elif not macros:
        warn("no macro: no chain of steps occurs often enough (--min-support)")
    else:
        rows = [
            (item.macro.name, " ".join(map(str, item.macro.steps)), item.support, item.plans, item.saved)
            for item in macros
        ]
        plans = f"{len(examples)} plan{'' if len(examples) == 1 else 's'}"
        title = f"{found.steps} steps of {plans}, {found.chains} different chains"
        print_table(title, ("macro", "steps", "occurrences", "plans", "steps saved"), rows)
    for item in refused:
        warn(f"no macro of {' '.join(item.steps)}, which occurs {item.support} times: {item.reason}")
    if kept:
        print_text("\n".join(map(str, kept)))


# ── apply ────────────────────────────────────────────────────────────────────────────────────────


def _apply(
    domain: DomainFile,
    problem: ProblemFile,
    macros: Annotated[list[Path], typer.Argument(metavar="MACRO…", help="Files of macros, or folders of them.")],
    planner: Annotated[str, typer.Option(metavar="NAME", help="Which one: brfs, lmcut, ff or lama.")] = "ff",
    macro_cost: Annotated[
        str | None,
        typer.Option(
            metavar="one|steps",
            help="What a macro costs where the problem has no action costs.",
            show_default="steps for lmcut, else one",
        ),
    ] = None,
    no_comparison: Annotated[bool, typer.Option("--no-comparison", help="Do not plan without macros too.")] = False,
    time: TimeLimit = 1800,
    memory: AnyMemoryLimit = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", dir_okay=False, help="Write the expanded plan here too.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Let Fast Downward plan with macros as additional actions, and compare.

    The printed plan is expanded, and validated on the original problem. A macro costs the sum of its steps; without
    action
    costs it counts as one action, or as its steps. Exit code 1: no plan within the limits.
    """
    from pddl2nl.baselines import TaskFiles
    from pddl2nl.macros.planning import apply_macros
    from pddl2nl.pddl import load_domain

    read = load_domain(domain)
    stored = read_macros(macros, read)
    applied = apply_macros(
        TaskFiles(domain, problem),
        [item.macro for item in stored],
        planner,
        cost=_cost(macro_cost),
        compare=not no_comparison,
        time_limit=time,
        memory_limit_mb=memory,
    )
    text = _plan_text(applied)
    if as_json:
        print_json(applied.as_json())
    elif applied.plan is not None:
        print_text(text)
    if applied.plan is None:
        typer.echo(f"{planner} with macros: {applied.found.status}: {applied.found.message}", err=True)
        if applied.without is not None:
            typer.echo(f"{planner} {_plainly(applied.without)}", err=True)
    elif out is not None:
        write_text_file(out, text)
    raise typer.Exit(_exit_code(applied.found))


def _cost(chosen: str | None) -> MacroCost | None:
    from pddl2nl.macros.planning import MACRO_COSTS

    if chosen is None:
        return None
    found = next((item for item in MACRO_COSTS if item == chosen), None)
    if found is None:
        raise InputError(f"--macro-cost {chosen}: there are {', '.join(MACRO_COSTS)}")
    return found


def _exit_code(result: PlannerResult) -> int:
    if result.solved:
        return DONE
    return {"unsupported": BAD_INPUT, "error": INFRASTRUCTURE}.get(result.status, WANTING)


def _plan_text(applied: Applied) -> str:
    """The plan, with comments on what the macros changed."""
    found, plan = applied.found, applied.plan or ()
    used = ", ".join(f"{name} {times}" for name, times in applied.uses.items() if times) or "none"
    lines = [*map(str, plan), f"; cost = {applied.as_json()['cost']} ({applied.planner} with macros)"]
    lines.append(f"; macros used: {used}")
    lines.append(f"; with macros: {len(plan)} steps ({len(found.plan or ())} before expansion), {_effort(found)}")
    if applied.without is not None:
        lines.append(f"; {_plainly(applied.without)}")
    ratio = applied.fewer_expansions
    if ratio is not None:
        times = f"{ratio:.2f} times fewer" if ratio >= 1 else f"{1 / ratio:.2f} times more"
        lines.append("; expansions with macros: as many" if ratio == 1 else f"; expansions with macros: {times}")
    return "\n".join(lines) + "\n"


def _plainly(without: PlannerResult) -> str:
    """The result of the search without macros."""
    from pddlval.numeric import plain_number

    if without.plan is None:
        return f"without: {without.status}, {_effort(without)}"
    steps = len(without.plan)
    priced = "" if without.cost in (None, steps) else f" of cost {plain_number(without.cost)}"
    return f"without: {steps} steps{priced}, {_effort(without)}"


def _effort(result: PlannerResult) -> str:
    expanded = "" if result.expanded is None else f"{result.expanded} states expanded, "
    return f"{expanded}{result.seconds:.2f} s"

"""``pddl2nl manifest``: check the shipped sets of instances, and make new ones."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pddl2nl.cli.limits import MemoryLimit, TimeLimit
from pddl2nl.cli.output import DONE, INFRASTRUCTURE, WANTING, print_json, print_table, print_text
from pddl2nl.cli.wording import JsonOption
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from pddl2nl.tasks import ShippedDomain
    from pddl2nl.tasks.candidates import MadeSet, Progress, Workshop
    from pddl2nl.tasks.proving import Checked, Shelf

__all__ = ["register"]

_SECONDS, _MEMORY = 30, 4096
_SETS = ("primary", "scaled", "unsolvable")

Domains = Annotated[
    list[str] | None, typer.Argument(metavar="[DOMAIN]...", help="Shipped domains.", show_default="all")
]
Made = Annotated[list[str], typer.Argument(metavar="DOMAIN...", help="Shipped domains.")]
OutFolder = Annotated[
    Path, typer.Option("--out", metavar="DIR", help="Folder of all instances; the domain's is DIR/DOMAIN.")
]
Instances = Annotated[
    Path | None,
    typer.Option("--instances", metavar="DIR", help="Folder of all instances.", show_default="the shipped ones"),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of the set.")]
Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, metavar="N", help="Problems at a time.", show_default="the processors"),
]


def register(app: typer.Typer) -> None:
    """Adds the commands to the application, as a group of their own."""
    group = typer.Typer(
        no_args_is_help=True,
        help="Check the shipped sets of instances, or make such sets.",
    )
    group.command("check", epilog="Example: pddl2nl manifest check --small")(_check)
    group.command("show", epilog="Example: pddl2nl manifest show ferry")(_show)
    group.command("primary", epilog="Example: pddl2nl manifest primary ferry rovers --out instances")(_primary)
    group.command("scale", epilog="Example: pddl2nl manifest scale ferry --time 30 --memory 4096 --out instances")(
        _scale
    )
    group.command("unsolvable", epilog="Example: pddl2nl manifest unsolvable grid --out instances")(_unsolvable)
    app.add_typer(group, name="manifest")


# ── checking and showing ─────────────────────────────────────────────────────────────────────────


def _check(
    domains: Domains = None,
    small: Annotated[
        bool, typer.Option("--small", help="Run planners only for the half of the lines that takes the least work.")
    ] = False,
    which: Annotated[
        Literal["primary", "scaled", "unsolvable", "all"], typer.Option("--set", help="The lines to check.")
    ] = "all",
    timeouts: Annotated[
        bool, typer.Option("--timeouts", help="Also repeat searches that had run out of a limit; takes long.")
    ] = False,
    instances: Instances = None,
    workers: Workers = None,
    as_json: JsonOption = False,
) -> None:
    """Prove every line of the manifests again.

    The calls make exactly the files; the numbers of objects are right; the planners find plans of the recorded
    lengths, with the recorded expansions if they are the same version; unsolvable problems are proved unsolvable; no
    two problems of a domain are isomorphic; the sets are complete. Searches that had run out of a limit are not
    repeated, except with --timeouts.

    Exit code 0: everything is as recorded; 1: there are faults, which are printed; 2: bad input, or the planners are
    not installed; 3: a planner failed, which is no verdict about the line.
    """
    from pddl2nl.baselines import version
    from pddl2nl.baselines.fast_downward import stop_searches
    from pddl2nl.cli.planner_search import run_planners, shown_progress
    from pddl2nl.tasks.proving import check

    began = time.monotonic()
    shelves = [_shelf(shipped, instances) for shipped in _shipped(domains)]
    program = version()
    with shown_progress() as progress:
        found = check(
            shelves,
            run_planners,
            program,
            sets=_SETS if which == "all" else (which,),
            small=small,
            timeouts=timeouts,
            workers=workers or os.cpu_count() or 1,
            on_start=lambda total: progress.stage(f"proving {total} lines with {program}", total),
            on_done=progress.step,
            stop=stop_searches,
        )
    _print_checked(found, time.monotonic() - began, as_json)
    broke = any(finding.fault == "planner" for finding in found.findings)
    raise typer.Exit(INFRASTRUCTURE if broke else WANTING if found.findings else DONE)


def _print_checked(found: Checked, seconds: float, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "lines": found.lines,
                "proved": found.proved,
                "not_run": list(found.not_run),
                "findings": [asdict(finding) for finding in found.findings],
                "seconds": round(seconds, 1),
            }
        )
        return
    for finding in found.findings:
        print_text(str(finding))
    print_text(f"{found.lines} lines were read, and their problems made again; {found.proved} of them proved again.")
    if found.not_run:
        named = ", ".join(found.not_run[:4]) + (", …" if len(found.not_run) > 4 else "")
        print_text(
            f"Not run again, since a limit had ended them: {len(found.not_run)} searches ({named}); "
            "--timeouts runs them."
        )
    wrong = len(found.findings)
    print_text(
        f"{f'{wrong} things are wrong' if wrong > 1 else 'one thing is wrong' if wrong else 'all is as recorded'}"
        f" ({seconds:.0f} s)"
    )


def _show(domains: Domains = None, as_json: JsonOption = False) -> None:
    """Show the manifests: the lines of one domain, or the numbers of problems and lengths of several."""
    shipped = _shipped(domains)
    if as_json:
        print_json(
            [
                {
                    "domain": one.name,
                    "instances": [
                        {
                            "instance": each.name,
                            "role": each.role,
                            "objects": each.objects,
                            "optimal_length": each.optimal_length,
                            "proof": each.proof,
                            "ff_length": each.ff_length,
                            "call": each.call,
                            "file": str(each.path),
                        }
                        for each in one.instances
                    ],
                }
                for one in shipped
            ]
        )
    elif len(shipped) == 1:
        _show_lines(shipped[0])
    else:
        rows = []
        for one in shipped:
            counts = Counter(each.optimal_length for each in one.benchmarks)
            lengths = " ".join(f"{length}×{count}" if count > 1 else str(length) for length, count in counts.items())
            example = one.example.optimal_length if one.instances else ""
            rows.append((one.name, len(one.benchmarks), lengths, example, len(one.scaled), len(one.unsolvable)))
        columns = ("domain", "benchmarks", "optimal lengths", "example", "scaled", "unsolvable")
        print_table("", columns, rows)


def _show_lines(one: ShippedDomain) -> None:
    rows = []
    for each in one.instances:
        expanded = [each.measured[planner] for planner in ("brfs", "lmcut", "ff")]
        told = [str(it.expanded) if not it.ran_out else it.status for it in expanded]
        length = "" if each.optimal_length is None else each.optimal_length
        rows.append((each.name, each.role, each.objects, length, each.proof, each.ff_length or "", *told))
    columns = ("instance", "role", "objects", "length", "proof", "FF", "BrFS expanded", "LM-cut", "FF")
    print_table(f"{one.name}, planners within {one.instances[0].limits}" if rows else one.name, columns, rows)


# ── making ───────────────────────────────────────────────────────────────────────────────────────


def _primary(
    domains: Made,
    out: OutFolder,
    seed: Seed = 1,
    time: TimeLimit = _SECONDS,
    memory: MemoryLimit = _MEMORY,
    workers: Workers = None,
) -> None:
    """Make the primary set: 20 benchmarks with shortest plans of 3 to 20 steps, and an example of about five.

    Candidates are drawn from the domain's generator, solved, and chosen so that lengths are spread evenly; no two are
    isomorphic. The set replaces the one in DIR/DOMAIN; other sets there stay.
    """
    from pddl2nl.tasks.selection import choose_primary

    _make("primary", domains, out, (time, memory), workers, lambda shop: choose_primary(shop, seed))


def _scale(
    domains: Made,
    out: OutFolder,
    time: TimeLimit = 1800,
    memory: MemoryLimit = 8192,
    workers: Workers = None,
) -> None:
    """Make the scaled set: 20 problems around the size at which brfs or lmcut first fails within the limits.

    For blocksworld (all blocks take part), ferry (three locations, more than 80 % of the cars move), grippers (one
    robot, two rooms, all balls move) and visitall (all cells).
    """
    from pddl2nl.tasks.scaling import LADDERS, make_scaled

    for name in domains:
        if name not in LADDERS:
            raise InputError(f"no scaled set of '{name}' is known; there are {', '.join(LADDERS)}")
    _make(
        "scaled",
        domains,
        out,
        (time, memory),
        workers,
        lambda shop: make_scaled(shop, LADDERS[shop.generator.domain]),
    )


def _unsolvable(
    domains: Made,
    out: OutFolder,
    seed: Seed = 1,
    time: TimeLimit = _SECONDS,
    memory: MemoryLimit = _MEMORY,
    workers: Workers = None,
) -> None:
    """Make the unsolvable set: 20 problems without a plan, as proved by exhaustive search.

    For domains whose generator has the parameter unsolvable; its ways take turns.
    """
    from pddl2nl.tasks.unsolvable import make_unsolvable

    _make("unsolvable", domains, out, (time, memory), workers, lambda shop: make_unsolvable(shop, seed))


def _make(
    name: str,
    domains: Sequence[str],
    out: Path,
    limits: tuple[int, int],
    workers: int | None,
    make: Callable[[Workshop], MadeSet],
) -> None:
    from pddl2nl.cli.planner_search import shown_progress
    from pddl2nl.tasks.manifest import write_set

    shipped = _shipped(domains)
    with shown_progress() as progress:
        for one in shipped:
            began = time.monotonic()
            made = make(_workshop(one, name, out / one.name, limits, workers, progress))
            write_set(out / one.name, name, made.rows, made.texts)
            counts = Counter(row.optimal_length for row in made.rows if row.role != "example")
            lengths = ", ".join(f"{length}: {count}" for length, count in counts.items() if length is not None)
            proofs = ", ".join(f"{proof}: {count}" for proof, count in Counter(row.proof for row in made.rows).items())
            for line in (*made.notes, f"lengths {lengths}" if lengths else "", f"proofs {proofs}"):
                if line:
                    print_text(f"{one.name}: {line}")
            print_text(f"{one.name}: {len(made.rows)} problems in {out / one.name}, {time.monotonic() - began:.0f} s")


def _workshop(
    shipped: ShippedDomain, name: str, folder: Path, limits: tuple[int, int], workers: int | None, progress: Progress
) -> Workshop:
    from pddl2nl.baselines import version
    from pddl2nl.baselines.fast_downward import stop_searches
    from pddl2nl.cli.planner_search import run_planners
    from pddl2nl.tasks.candidates import Workshop
    from pddl2nl.tasks.generators import generator_of
    from pddl2nl.tasks.manifest import read_manifest
    from pddl2nl.tasks.measuring import SearchLimits

    workshop = Workshop(
        generator=generator_of(shipped.name),
        domain=shipped.domain,
        domain_text=shipped.domain_path.read_text(encoding="utf-8"),
        search=run_planners,
        planner=version(),
        limits=SearchLimits(*limits),
        workers=workers or os.cpu_count() or 1,
        progress=progress,
        stop=stop_searches,
    )
    manifest = folder / "manifest.csv"
    if manifest.exists():
        workshop.know(folder / row.file for row in read_manifest(manifest) if row.set != name)
    return workshop


def _shipped(names: Sequence[str] | None) -> list[ShippedDomain]:
    from pddl2nl.tasks import authored_domains, shipped_domain, shipped_domains

    found = [shipped_domain(name) for name in dict.fromkeys(names or shipped_domains())]
    for one in found:
        if one.name in authored_domains():
            raise InputError(f"{one.name} has no manifest: its tasks are written by hand, in {one.instances_folder}")
    return found


def _shelf(shipped: ShippedDomain, instances: Path | None) -> Shelf:
    from pddl2nl.tasks.proving import Shelf

    folder = shipped.instances_folder if instances is None else instances / shipped.name
    return Shelf(shipped.name, shipped.domain, shipped.domain_path.read_text(encoding="utf-8"), folder)

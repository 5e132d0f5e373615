"""``pddl2nl tasks manifest``: check the shipped sets of instances, and make new ones."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pddl2nl.cli import completion
from pddl2nl.cli.options import JsonOption, MemoryLimit, TimeLimit, argument, option, switch
from pddl2nl.cli.output import (
    DONE,
    FAILED,
    INFRASTRUCTURE,
    is_quiet,
    plural,
    print_json,
    print_result,
    print_table,
    print_text,
)
from pddl2nl.cli.progress import Update, bar_shown
from pddl2nl.errors import InputError
from pddl2nl.limits import processors
from pddl2nl.tasks.manifest import PLANNERS, Measured, SearchLimits

if TYPE_CHECKING:
    from pddl2nl.tasks import ShippedDomain
    from pddl2nl.tasks.sets import MadeSet, Workshop

_SECONDS, _MEMORY = 30, 4096
_SETS = ("primary", "scaled", "unsolvable")

Domains = Annotated[
    list[str] | None, argument("[DOMAIN]...", "Shipped domains.", "all", autocompletion=completion.domains)
]
DomainsToMake = Annotated[list[str], argument("DOMAIN...", "Shipped domains.", autocompletion=completion.domains)]
OutFolder = Annotated[Path, option("DIR", "Folder of all instances; the domain's is DIR/DOMAIN.")]
Seed = Annotated[int, option("N", "Seed of the set.", min=0)]
Workers = Annotated[int | None, option("N", "Problems at a time.", "the number of processors", min=1)]


def register(app: typer.Typer) -> None:
    """Adds the commands to the application, as a group of their own."""
    group = typer.Typer(no_args_is_help=True, help="Check the shipped sets of instances, or make such sets.")
    scale = "Example: pddl2nl tasks manifest scale ferry --time 30 --memory 4096 --out instances"
    group.command("check", epilog="Example: pddl2nl tasks manifest check --small")(_check)
    group.command("show", epilog="Example: pddl2nl tasks manifest show ferry")(_show)
    group.command("primary", epilog="Example: pddl2nl tasks manifest primary ferry rovers --out instances")(_primary)
    group.command("scale", epilog=scale)(_scale)
    group.command("unsolvable", epilog="Example: pddl2nl tasks manifest unsolvable grid --out instances")(_unsolvable)
    app.add_typer(group, name="manifest")


# ── checking and showing ─────────────────────────────────────────────────────────────────────────


def _check(
    domains: Domains = None,
    small: Annotated[
        bool, switch("--small", "Run planners only for the half of the lines that takes the least work.")
    ] = False,
    which: Annotated[
        Literal["primary", "scaled", "unsolvable", "all"], option("", "The lines to check.", flag="--set")
    ] = "all",
    instances: Annotated[Path | None, option("DIR", "Folder of all instances.", "the shipped ones")] = None,
    workers: Workers = None,
    as_json: JsonOption = False,
) -> None:
    """Prove every line of the manifests again.

    The calls make exactly the files; the numbers of objects are right; the planners find plans of the recorded
    lengths, with the recorded expansions if they are the same version; unsolvable problems are proved unsolvable; no
    two problems of a domain are isomorphic; the sets are complete. Searches that ran out of a limit are not repeated.

    Exit code 0: everything is as recorded; 1: there are faults, which are printed; 2: bad input, or the planners are
    not installed; 3: a planner failed, which is no verdict about the line.
    """
    from pddl2nl.baselines import version
    from pddl2nl.baselines.fast_downward import stop_searches
    from pddl2nl.tasks.proving import check

    began = time.monotonic()
    shelves = _shipped(domains)
    if instances is not None:
        shelves = [replace(shipped, instances_folder=instances / shipped.name) for shipped in shelves]
    program = version()
    with bar_shown("") as update:
        progress = _Stages(update)
        checked = check(
            shelves,
            run_planners,
            program,
            sets=_SETS if which == "all" else (which,),
            small=small,
            workers=workers or processors(),
            on_start=lambda total: progress.stage(f"proving {plural(total, 'line')} with {program}", total),
            on_done=progress.step,
            stop=stop_searches,
        )
    seconds = time.monotonic() - began
    print_result(checked.as_json(seconds), checked.as_text(seconds), as_json=as_json)
    broke = any(finding.fault == "planner" for finding in checked.findings)
    raise typer.Exit(INFRASTRUCTURE if broke else FAILED if checked.findings else DONE)


def _show(domains: Domains = None, as_json: JsonOption = False) -> None:
    """Show the lines of the manifests."""
    shipped = _shipped(domains)
    if as_json:
        print_json([{"domain": one.name, "instances": _instances_json(one)} for one in shipped])
        return
    columns = ("instance", "role", "objects", "length", "proof", "FF", "BrFS expanded", "LM-cut", "FF")
    for one in shipped:
        rows = []
        for each in one.instances:
            measured = [each.measured[planner] for planner in PLANNERS]
            figures = [it.status if it.ran_out else it.expanded for it in measured]
            rows.append((each.name, each.role, each.objects, each.optimal_length, each.proof, each.ff_length, *figures))
        print_table(one.name, columns, [["" if cell is None else cell for cell in row] for row in rows])


def _instances_json(one: ShippedDomain) -> list[dict[str, object]]:
    names = ("role", "objects", "optimal_length", "proof", "ff_length", "call")
    return [
        {"instance": each.name, **{name: getattr(each, name) for name in names}, "file": str(each.path)}
        for each in one.instances
    ]


# ── making ───────────────────────────────────────────────────────────────────────────────────────


def _primary(
    domains: DomainsToMake,
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
    from pddl2nl.tasks.sets import choose_primary

    _make("primary", domains, out, SearchLimits(time, memory), workers, lambda shop: choose_primary(shop, seed))


def _scale(
    domains: DomainsToMake, out: OutFolder, time: TimeLimit = 1800, memory: MemoryLimit = 8192, workers: Workers = None
) -> None:
    """Make the scaled set: 20 problems around the size at which brfs or lmcut first fails within the limits.

    For blocksworld (all blocks take part), ferry (three locations, more than 80 % of the cars move), grippers (one
    robot, two rooms, all balls move) and visitall (all cells).
    """
    from pddl2nl.tasks.sets import LADDERS, make_scaled

    for name in domains:
        if name not in LADDERS:
            raise InputError(f"no scaled set of '{name}' is known; there are {', '.join(LADDERS)}")
    limits = SearchLimits(time, memory)
    _make("scaled", domains, out, limits, workers, lambda shop: make_scaled(shop, LADDERS[shop.generator.domain]))


def _unsolvable(
    domains: DomainsToMake,
    out: OutFolder,
    seed: Seed = 1,
    time: TimeLimit = _SECONDS,
    memory: MemoryLimit = _MEMORY,
    workers: Workers = None,
) -> None:
    """Make the unsolvable set: 20 problems without a plan, as proved by exhaustive search.

    For domains whose generator has the parameter unsolvable; its ways take turns.
    """
    from pddl2nl.tasks.sets import make_unsolvable

    _make("unsolvable", domains, out, SearchLimits(time, memory), workers, lambda shop: make_unsolvable(shop, seed))


def _make(
    name: str,
    domains: Sequence[str],
    out: Path,
    limits: SearchLimits,
    workers: int | None,
    make: Callable[[Workshop], MadeSet],
) -> None:
    from pddl2nl.tasks.manifest import write_set

    with bar_shown("") as update:
        progress = _Stages(update)
        for one in _shipped(domains):
            began = time.monotonic()
            folder = out / one.name
            made = make(_workshop(one, name, folder, limits, workers, progress))
            write_set(folder, name, made.rows, made.texts)
            lengths = Counter(row.optimal_length for row in made.rows if row.role != "example")
            known = ", ".join(f"{length}: {count}" for length, count in lengths.items() if length is not None)
            proofs = ", ".join(f"{proof}: {count}" for proof, count in Counter(row.proof for row in made.rows).items())
            for line in (*made.notes, *([f"lengths {known}"] if known else []), f"proofs {proofs}"):
                print_text(f"{one.name}: {line}")
            print_text(f"{one.name}: {len(made.rows)} problems in {folder}, {time.monotonic() - began:.0f} s")


def _workshop(
    shipped: ShippedDomain, name: str, folder: Path, limits: SearchLimits, workers: int | None, progress: _Stages
) -> Workshop:
    from pddl2nl.baselines import version
    from pddl2nl.baselines.fast_downward import stop_searches
    from pddl2nl.tasks.generators import generator_of
    from pddl2nl.tasks.manifest import read_manifest
    from pddl2nl.tasks.sets import Workshop

    workshop = Workshop(
        generator=generator_of(shipped.name),
        domain=shipped.domain,
        domain_text=shipped.domain_path.read_text(encoding="utf-8"),
        search=run_planners,
        planner=version(),
        limits=limits,
        workers=workers or processors(),
        stage=progress.stage,
        step=progress.step,
        stop=stop_searches,
    )
    manifest = folder / "manifest.csv"
    if manifest.exists():
        workshop.know(folder / row.file for row in read_manifest(manifest) if row.set != name)
    return workshop


def _shipped(names: Sequence[str] | None) -> list[ShippedDomain]:
    from pddl2nl.tasks import authored_domains, shipped_domain, shipped_domains

    domains = [shipped_domain(name) for name in dict.fromkeys(names or shipped_domains())]
    for one in domains:
        if one.name in authored_domains():
            raise InputError(f"{one.name} has no manifest: its tasks are written by hand, in {one.instances_folder}")
    return domains


def run_planners(domain: str, problem: str, planners: Sequence[str], limits: SearchLimits) -> Mapping[str, Measured]:
    """Fast Downward as a `MeasuredSearch`; plans are validated."""
    from pddl2nl.baselines import TaskTexts, solve_each

    texts = TaskTexts(domain, problem)
    results = solve_each(texts, planners, time_limit=limits.seconds, memory_limit_mb=limits.memory_mb)
    return {
        name: Measured(
            each.status, None if each.plan is None else len(each.plan), each.wall_seconds, each.expanded, each.message
        )
        for name, each in results.items()
    }


class _Stages:
    """A bar for each stage; without a terminal, a line for each."""

    def __init__(self, update: Update):
        self._update = update
        self._name, self._total, self._count = "", 0, count(1)

    def stage(self, name: str, total: int) -> None:
        self._name, self._total, self._count = name, total, count(1)
        self._update(name, 0, total or None)
        if not sys.stderr.isatty() and not is_quiet():
            sys.stderr.write(f"{name}\n")
            sys.stderr.flush()

    def step(self) -> None:
        # Called from several threads: a counter takes each number once.
        self._update(self._name, next(self._count), self._total or None)

"""``pddl2nl experiment``: runs a specification's columns on its tasks, and resumes what was cut off."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pddl2nl.cli.options import JsonOption, argument, option, switch
from pddl2nl.cli.output import account_text, console, plural, print_json, print_table, print_text, print_warnings
from pddl2nl.cli.progress import bar_shown, complain, progress_shown
from pddl2nl.cli.run_options import BUDGET, LogOption, access_of, limits_of, observer, with_options
from pddl2nl.errors import InputError
from pddl2nl.files import read_text

if TYPE_CHECKING:
    from pddl2nl.experiments.access import Access
    from pddl2nl.experiments.prepare import DryRun, PreparedExperiment
    from pddl2nl.experiments.run_one import Observe
    from pddl2nl.experiments.specification.experiment import Overrides
    from pddl2nl.experiments.sweep import SweepSummary

_TABLE_UP_TO = 2000
"""With more runs no table is shown at the end: reading them takes seconds, and `report` does it."""
_DEFAULT_WORKERS = 8
_PARTS = "Names or patterns, separated by commas."

_EPILOG = (
    "Example: pddl2nl experiment small.toml --dry-run, where small.toml holds: "
    'domains = ["blocksworld"], policies = ["basic", "react", "random"], models = ["oracle"], seeds = [1, 2], '
    'baselines = ["ff"]'
)


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    options = ("provider_batch", "poll_seconds", "cache", *BUDGET)
    app.command("experiment", epilog=_EPILOG)(with_options(_experiment, *options))


def _experiment(
    spec: Annotated[
        str | None, argument("[SPEC.toml]", "The specification: a file, or the name of a shipped one.")
    ] = None,
    out: Annotated[
        Path | None, option("DIR", "Folder of the records.", "runs/NAME, runs/NAME-MODEL with --model")
    ] = None,
    workers: Annotated[
        int | None,
        option(
            "N",
            "Runs at a time; with --cluster, the workers to start.",
            "access.workers, else 8; of a cluster, cluster.workers",
            min=1,
        ),
    ] = None,
    dry_run: Annotated[
        bool, switch("--dry-run", "Run nothing: count runs, and estimate calls, tokens and money.")
    ] = False,
    cluster: Annotated[
        str | None,
        option(
            "ADDRESS",
            "A Dask cluster: tcp://HOST:PORT, a scheduler's file, local:N, slurm, pbs or kubernetes.",
            "threads of this process",
        ),
    ] = None,
    model: Annotated[
        str | None, option("M", "Replaces every column's model; oracle needs no key.", "the columns' own")
    ] = None,
    seeds: Annotated[str | None, option("SEEDS", "Only these seeds: 1,2,5 or 1-10.", "the columns' own")] = None,
    instances: Annotated[str | None, option("NAMES", f"Only these tasks. {_PARTS}", "all")] = None,
    domains: Annotated[str | None, option("NAMES", f"Only these domains. {_PARTS}", "all")] = None,
    sections: Annotated[str | None, option("NAMES", f"Only these sections of rows. {_PARTS}", "all")] = None,
    define: Annotated[
        list[str] | None,
        option("NAME=VALUE", "The value of a variable ${NAME} of the file; can be repeated.", "its own"),
    ] = None,
    listing: Annotated[bool, switch("--list", "List the shipped specifications, and stop.")] = False,
    show: Annotated[bool, switch("--show", "Print the specification, for copying, and stop.")] = False,
    *,
    log: LogOption = None,
    as_json: JsonOption = False,
    **options: Any,
) -> None:
    """Run the columns of a specification on its tasks: policies by model, wording, style and seed, and baselines.

    Each run is one record, NAME.jsonl. A second start does the missing runs and resumes those that were cut off; no
    reply is paid for twice. pddl2nl report makes tables of the folder.

    The papers' experiments are shipped (--list). docs/reference/experiment-files.md describes what a specification
    can hold: domains, instances, policies, models, wordings, styles, seeds, baselines, or columns, tables, options,
    budgets, access, variables and cluster.

    Exit code 0: all solved; 1: some are not, or are left for the next time; 2: bad input; 3: an endpoint or a planner
    failed, which is no verdict; 130: Ctrl-C.
    """
    if listing:
        _list(as_json)
        return
    if spec is None:
        message = "a specification is missing; --list shows those that are shipped"
        raise typer.BadParameter(message, param_hint="SPEC.toml")
    from pddl2nl.experiments.prepare import read_overrides
    from pddl2nl.experiments.specification.shipped import find_specification

    path = find_specification(spec)
    if show:
        print_text(read_text(path, "specification"))
        return
    batch = options["provider_batch"]
    if cluster is not None:
        _check_cluster(cluster, batch)
    overrides = read_overrides(model, seeds, instances, domains, sections, define or ())
    prepared, access = _prepared(path, overrides, out, options, dry_run=dry_run, cluster=cluster, workers=workers)
    print_warnings(prepared.warnings())
    if dry_run:
        _show_dry_run(prepared.dry_run(), as_json)
        return
    observe = observer(log, prepared.spec.name, prepared.folder, batch=batch, cluster=cluster is not None)
    prepared.write_down()
    summary = _run(prepared, access, workers, options["poll_seconds"] if batch else None, cluster, observe)
    if as_json:
        print_json({"name": prepared.spec.name, **summary.as_json(), "records": str(prepared.folder)})
    else:
        print_text(_text(prepared, summary))
        if summary.runs <= _TABLE_UP_TO:
            _show_table(prepared.folder)
    complain(summary)
    raise typer.Exit(summary.exit_code)


def _list(as_json: bool) -> None:
    from pddl2nl.experiments.specification.shipped import shipped_specs

    shipped = shipped_specs()
    if as_json:
        print_json([{"name": each.name, "about": each.about} for each in shipped])
    else:
        print_table("", ("specification", "what it is"), [(each.name, each.about) for each in shipped])


# ── before it runs ───────────────────────────────────────────────────────────────────────────────


def _check_cluster(cluster: str, provider_batch: bool) -> None:
    from pddl2nl.experiments.cluster import check_address

    if provider_batch:
        raise InputError("--cluster and --provider-batch exclude each other: one process submits and collects a batch")
    check_address(cluster)


def _prepared(
    path: Path,
    overrides: Overrides,
    out: Path | None,
    options: dict[str, Any],
    *,
    dry_run: bool,
    cluster: str | None,
    workers: int | None,
) -> tuple[PreparedExperiment, Access]:
    from pddl2nl.experiments.batch_passes import check_one_shot
    from pddl2nl.experiments.prepare import default_folder, prepare_experiment
    from pddl2nl.experiments.specification.experiment import load_experiment

    spec = load_experiment(path, overrides)
    given = {name: value for name, value in limits_of(options).to_json().items() if value is not None}
    spec = replace(spec, budget=replace(spec.budget, **given))  # type: ignore[arg-type]
    access = access_of(
        {
            "cache": options["cache"],
            "models": spec.models_file,
            "requests_per_minute": spec.requests_per_minute,
            "tokens_per_minute": spec.tokens_per_minute,
        }
    )
    if cluster is None:
        access = replace(access, slots=workers or spec.workers or _DEFAULT_WORKERS)
    if options["provider_batch"]:
        for policy in spec.policies:
            check_one_shot(policy, f"{path}: --provider-batch: policy '{policy}'")
    decided, made = "tasks decided by filters", "sets of questions made"
    with bar_shown(made if spec.questions else decided, lines=True) as update:
        prepared = prepare_experiment(
            spec,
            out or default_folder(spec),
            access,
            planner_cache=options["cache"],
            dry_run=dry_run,
            # Workers of this machine have its environment.
            asked_here=not dry_run and (cluster is None or cluster.partition(":")[0] == "local"),
            on_progress=lambda it: update(decided, it.decided, it.questions),
            on_questions=lambda done, of: update(made, done, of),
        )
    if options["provider_batch"]:
        prices = {name: None if price is None else price.in_batch() for name, price in prepared.prices.items()}
        prepared = replace(prepared, prices=prices)
    return prepared, access


def _show_dry_run(estimated: DryRun, as_json: bool) -> None:
    if as_json:
        print_json(estimated.as_json())
        return
    text, rows, note = estimated.as_text()
    print_text(text)
    if len(rows) > 1:
        print_table("", ("column", "runs", "calls", "tokens in", "tokens out", "USD"), rows)
    print_text(note)


# ── while it runs, and at the end ────────────────────────────────────────────────────────────────


def _run(
    prepared: PreparedExperiment,
    access: Access,
    workers: int | None,
    poll_seconds: float | None,
    cluster: str | None,
    observe: Observe,
) -> SweepSummary:
    from pddl2nl.experiments.batch_passes import BatchPasses
    from pddl2nl.experiments.cluster import open_cluster
    from pddl2nl.experiments.sweep import run_all

    spec = prepared.spec
    opened = nullcontext(None) if cluster is None else open_cluster(cluster, spec.cluster, workers)
    with opened as reached_cluster, progress_shown(len(prepared.jobs)) as (show, show_batch):
        batch: BatchPasses | None = None
        if poll_seconds is not None:
            batch = BatchPasses(access, poll_seconds=poll_seconds, on_progress=show_batch)
        return run_all(
            [*prepared.jobs.values()],
            prepared.folder,
            workers=workers or spec.workers or _DEFAULT_WORKERS,
            access=access,
            budget=spec.budget,
            on_progress=show,
            batch=batch,
            cluster=reached_cluster,
            observe=observe,
        )


def _text(prepared: PreparedExperiment, summary: SweepSummary) -> str:
    counts = Counter(summary.outcomes)
    outcomes = [f"{count} {outcome}" for outcome, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    others = (
        (len(summary.broken), "infrastructure-error (no verdict; run again the next time)"),
        (len(summary.bad), "that cannot be run"),
        (summary.unfinished, "left for the next time"),
        (summary.elsewhere, "left to another process"),
    )
    outcomes += [f"{count} {what}" for count, what in others if count]
    lines = [f"{prepared.spec.name}: {plural(summary.runs, 'run')}: {', '.join(outcomes) or 'nothing to do'}"]
    if summary.earlier:
        lines.append(f"  of them finished before: {summary.earlier}")
    lines.append(f"spent this time: {account_text(summary.spent)}, {summary.seconds:.1f} s")
    if summary.already.calls:
        lines.append(f"spent before: {account_text(summary.already)}")
    if summary.stopped is not None and not summary.refused:
        lines.append(f"stopped: {summary.stopped}; the same command resumes it")
    lines += [f"records: {prepared.folder}", f"all tables: pddl2nl report {prepared.folder}"]
    return "\n".join(lines)


def _show_table(folder: Path) -> None:
    """The first table of the report, usually coverage, below what is missing or broken."""
    from pddl2nl.reports.gathering import gather
    from pddl2nl.reports.tables import print_tables, tables_of

    gathered = gather(folder)
    if gathered.runs:
        print_text("")
        print_tables(tables_of(gathered)[:1], console(), gathered.alarms)

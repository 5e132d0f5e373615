"""``pddl2nl experiment``: runs a specification's columns on its tasks, and resumes what was cut off."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import nullcontext
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pddl2nl.cli import completion
from pddl2nl.cli.options import JsonOption, argument, option, switch
from pddl2nl.cli.output import (
    account_text,
    is_quiet,
    plural,
    print_json,
    print_report,
    print_table,
    print_text,
    print_warnings,
    warn,
)
from pddl2nl.cli.progress import bar_shown, complain, progress_shown
from pddl2nl.cli.run_options import BUDGET, LogOption, limits_of, named_values, observer, with_options
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from pddl2nl.experiments.models import Access
    from pddl2nl.experiments.runs import Observe
    from pddl2nl.experiments.specification.experiment import Experiment, Overrides
    from pddl2nl.experiments.sweep import SweepSummary

_TABLE_UP_TO = 2000
"""With more runs no table is shown at the end: reading them takes seconds, and `report` does it."""
_DEFAULT_WORKERS = 8
_PARTS = ": names or patterns."

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
        str | None,
        argument(
            "[SPEC]",
            "The specification: a TOML file, the name of a shipped one, or module:function of Python.",
            autocompletion=completion.specifications,
        ),
    ] = None,
    out: Annotated[Path | None, option("DIR", "Folder of the records.", "runs/NAME")] = None,
    workers: Annotated[
        int | None, option("N", "Runs at a time; with --cluster, the workers to start.", "8", min=1)
    ] = None,
    dry_run: Annotated[
        bool, switch("--dry-run", "Run nothing: count runs, and estimate calls, tokens and money.")
    ] = False,
    cluster: Annotated[
        str | None,
        option(
            "ADDRESS",
            "A Dask cluster: tcp://HOST:PORT, a scheduler's file, local:N, slurm, pbs or kubernetes.",
            "threads",
        ),
    ] = None,
    model: Annotated[str | None, option("M", "Replaces every column's model.", "none")] = None,
    seeds: Annotated[str | None, option("SEEDS", "Only these seeds: 1,2,5 or 1-10.", "all")] = None,
    instances: Annotated[str | None, option("NAMES", f"Only these tasks{_PARTS}", "all")] = None,
    domains: Annotated[str | None, option("NAMES", f"Only these domains{_PARTS}", "all")] = None,
    sections: Annotated[str | None, option("NAMES", f"Only these sections{_PARTS}", "all")] = None,
    arguments: Annotated[
        list[str] | None, option("NAME=VALUE", "An argument of a Python function.", "none", flag="-A")
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

    The papers' experiments are shipped (--list). docs/reference/experiment-files.md describes specifications.

    Exit code 0: every run has a verdict, whatever it is; 1: some are left for the next time; 2: bad input; 3: an
    endpoint or a planner failed, which is no verdict; 130: Ctrl-C.
    """
    if listing:
        return _list(as_json)
    if spec is None:
        message = "a specification is missing; --list shows those that are shipped"
        raise typer.BadParameter(message, param_hint="SPEC")
    from pddl2nl.experiments.specification.shipped import find_specification

    found = find_specification(spec)
    if show:
        return print_text(found.text)
    batch = options["provider_batch"]
    if cluster is not None:
        _check_cluster(cluster, batch)
    overrides = _overrides(model, seeds, instances, domains, sections)
    experiment = found.load(named_values("-A", arguments), overrides)
    folder = out or experiment.folder
    access = _prepare(experiment, folder, options, dry_run=dry_run, cluster=cluster, workers=workers)
    print_warnings(experiment.warnings(folder))
    if dry_run:
        from pddl2nl.experiments.specification.estimate import estimate_cost

        return _show_dry_run(estimate_cost(experiment, folder), as_json)
    observe = observer(log, experiment.name, folder, batch=batch, cluster=cluster is not None)
    experiment.write_down(folder)
    if not is_quiet():
        sys.stderr.write(f"watch it in a browser: pddl2nl view {folder}\n")
    poll_seconds = options["poll_seconds"] if batch else None
    summary = _run(experiment, folder, access, workers, poll_seconds, cluster, observe)
    if as_json:
        print_json({"name": experiment.name, **summary.as_json(), "records": str(folder)})
    else:
        print_text(_text(experiment, folder, summary))
        if summary.runs <= _TABLE_UP_TO:
            _show_table(folder)
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


def _overrides(
    model: str | None, seeds: str | None, instances: str | None, domains: str | None, sections: str | None
) -> Overrides:
    from pddl2nl.experiments.specification.experiment import Overrides
    from pddl2nl.quantities import seeds as read_seeds

    try:
        numbers = () if seeds is None else read_seeds(seeds)
    except ValueError as error:
        raise InputError(f"--seeds: {error}") from None
    kind, _, file = (model or "").partition(":")
    if kind in ("script", "replay") and file:
        # Relative to the working directory, not to the specification.
        model = f"{kind}:{Path(file).expanduser().absolute()}"
    return Overrides(model or "", numbers, *map(_parts, (instances, domains, sections)))


def _parts(names: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (names or "").split(",") if part.strip())


def _prepare(
    experiment: Experiment,
    folder: Path,
    options: dict[str, Any],
    *,
    dry_run: bool,
    cluster: str | None,
    workers: int | None,
) -> Access:
    from pddl2nl.experiments.batch_passes import check_one_shot
    from pddl2nl.experiments.models import reach
    from pddl2nl.experiments.specification.columns import policy_of

    given = {name: value for name, value in asdict(limits_of(options)).items() if value is not None}
    experiment.budget = replace(experiment.budget, **given)
    own = experiment.top.access
    limits = own.requests_per_minute, own.tokens_per_minute
    # Many runs of one task warn of the same.
    access = reach(options["cache"], experiment.models_file, *limits, warn=cache(warn))
    if cluster is None:
        access = replace(access, slots=workers or own.workers or _DEFAULT_WORKERS)
    if options["provider_batch"]:
        for column in experiment.columns:
            if column.kind == "model":
                policy = policy_of(column, experiment.policy_options)
                check_one_shot(policy, f"{experiment.file.name}: --provider-batch: policy '{column.policy}'")
    made = "sets of questions made"
    with bar_shown(made, lines=True) as update:
        experiment.prepare(
            folder,
            access,
            dry_run=dry_run,
            # Workers of this machine have its environment.
            asked_here=not dry_run and (cluster is None or cluster.partition(":")[0] == "local"),
            on_progress=lambda done, of: update(f"{made}: {done} of {of}", done, of),
        )
    if options["provider_batch"]:
        prices = experiment.prices.items()
        experiment.prices = {name: None if price is None else price.in_batch() for name, price in prices}
    return access


def _show_dry_run(estimated: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(estimated)
        return
    total, runs = estimated["estimate"], estimated["runs"]
    kinds = ", ".join(f"{count} {kind}" for kind, count in estimated["kinds"].items())
    money = "price unknown" if total["usd"] is None else f"about {total['usd']:.2f} USD"
    print_text(
        f"{estimated['name']}: {plural(runs, 'run')} ({kinds}), of which {estimated['finished']} are finished in "
        f"{estimated['records']}\n"
        f"Estimated for the rest: {total['calls']} calls, {total['prompt_tokens']} + {total['completion_tokens']} "
        f"tokens, {money}"
    )
    keys = ("column", "runs", "calls", "prompt_tokens", "completion_tokens")
    rows = [
        (*(each[key] for key in keys), "unknown" if each["usd"] is None else f"{each['usd']:.2f}")
        for each in estimated["columns"]
    ]
    if len(rows) > 1:
        print_table("", ("column", "runs", "calls", "tokens in", "tokens out", "USD"), rows)
    print_text(f"An estimate only: {total['how']}.")


# ── while it runs, and at the end ────────────────────────────────────────────────────────────────


def _run(
    experiment: Experiment,
    folder: Path,
    access: Access,
    workers: int | None,
    poll_seconds: float | None,
    cluster: str | None,
    observe: Observe,
) -> SweepSummary:
    from pddl2nl.experiments.batch_passes import BatchPasses
    from pddl2nl.experiments.cluster import open_cluster
    from pddl2nl.experiments.sweep import run_all

    opened = nullcontext(None) if cluster is None else open_cluster(cluster, experiment.top.cluster, workers)
    with opened as reached_cluster, progress_shown() as (show, show_batch):
        batch: BatchPasses | None = None
        if poll_seconds is not None:
            batch = BatchPasses(access, poll_seconds=poll_seconds, on_progress=show_batch)
        return run_all(
            [*experiment.jobs.values()],
            folder,
            workers=workers or experiment.top.access.workers or _DEFAULT_WORKERS,
            access=access,
            budget=experiment.budget,
            on_progress=show,
            batch=batch,
            cluster=reached_cluster,
            observe=observe,
        )


def _text(experiment: Experiment, folder: Path, summary: SweepSummary) -> str:
    counts = Counter(summary.outcomes)
    outcomes = [f"{count} {outcome}" for outcome, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    others = (
        (len(summary.broken), "infrastructure-error (no verdict; run again the next time)"),
        (len(summary.bad), "that cannot be run"),
        (summary.unfinished, "left for the next time"),
        (summary.elsewhere, "left to another process"),
    )
    outcomes += [f"{count} {what}" for count, what in others if count]
    lines = [f"{experiment.name}: {plural(summary.runs, 'run')}: {', '.join(outcomes) or 'nothing to do'}"]
    if summary.earlier:
        lines.append(f"  of them finished before: {summary.earlier}")
    lines.append(f"spent this time: {account_text(summary.spent)}, {summary.seconds:.1f} s")
    if summary.already.calls:
        lines.append(f"spent before: {account_text(summary.already)}")
    if summary.stopped is not None and not summary.refused:
        lines.append(f"stopped: {summary.stopped}; the same command resumes it")
    lines += [f"records: {folder}", f"all tables: pddl2nl report {folder}"]
    return "\n".join(lines)


def _show_table(folder: Path) -> None:
    """The first table of the report, usually coverage, below what is missing or broken."""
    from pddl2nl.reports.gathering import gather
    from pddl2nl.reports.tables import tables_of

    gathered = gather(folder)
    if gathered.runs:
        print_text("")
        print_report(tables_of(gathered)[:1], gathered.alarms)

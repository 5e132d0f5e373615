"""``pddl2nl experiment``: runs a specification's columns on its tasks, and resumes what was cut off."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer

from pddl2nl.cli.access import BudgetCalls, BudgetTokens, BudgetUsd, CacheOption, PollSeconds, ProviderBatch
from pddl2nl.cli.accounts import account_text
from pddl2nl.cli.batches import check_one_shot
from pddl2nl.cli.experiment_options import (
    DEFAULT_WORKERS,
    ClusterOption,
    Defines,
    Domains,
    DryRuns,
    Instances,
    Listing,
    ModelOption,
    OutFolder,
    Sections,
    Seeds,
    Showing,
    SpecFile,
    Workers,
    overrides_of,
)
from pddl2nl.cli.filtering import narrowed
from pddl2nl.cli.output import console, print_json, print_table, print_text, print_warnings, warn, write_text_file
from pddl2nl.cli.progress import complain, progress_shown
from pddl2nl.cli.wording import JsonOption
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from pddl2nl.experiments.access import Access
    from pddl2nl.experiments.batch_passes import BatchPasses
    from pddl2nl.experiments.jobs import Job
    from pddl2nl.experiments.layout import Layout
    from pddl2nl.experiments.specification.experiment import ExperimentSpec, Overrides
    from pddl2nl.experiments.sweep import SweepSummary

__all__ = ["register"]

Number = TypeVar("Number", int, float)

TABLE_UP_TO = 2000
"""With more runs no table is shown at the end: reading them takes seconds, and `report` does it."""

_EPILOG = (
    "Example: pddl2nl experiment small.toml --dry-run. Where small.toml holds, say: "
    'domains = ["blocksworld"], policies = ["basic", "react", "random"], models = ["oracle"], seeds = [1, 2], '
    'baselines = ["ff"]'
)


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("experiment", epilog=_EPILOG)(_experiment)


def _experiment(
    spec: SpecFile = None,
    out: OutFolder = None,
    workers: Workers = None,
    dry_run: DryRuns = False,
    cluster: ClusterOption = None,
    model: ModelOption = None,
    seeds: Seeds = None,
    instances: Instances = None,
    domains: Domains = None,
    sections: Sections = None,
    define: Defines = None,
    listing: Listing = False,
    show: Showing = False,
    provider_batch: ProviderBatch = False,
    poll_seconds: PollSeconds = 30.0,
    cache: CacheOption = None,
    budget_usd: BudgetUsd = None,
    budget_calls: BudgetCalls = None,
    budget_tokens: BudgetTokens = None,
    as_json: JsonOption = False,
) -> None:
    """Run the columns of a specification on its tasks: policies by model, wording, style and seed, and baselines.

    Each run is one record, NAME.jsonl. A second start plays missing runs and resumes those that were cut
    off; no reply is paid for twice. The folder's experiment.json says which run stands where in a table, for pddl2nl
    report.

    The papers' experiments are shipped (--list): table-2, tables-3-4, tables-6-7, renamed-blocksworld, hvr-table-2.

    In SPEC.toml: domains (below), instances (of the shipped ones), models, wordings (default, template, llm or a
    file), seeds (by default 1 to 5, and 1 to 10 for random), baselines (brfs, lmcut, ff, lama). Either policies and
    styles (nl, pddl), which multiply with models and wordings; or columns, a list of tables, one for each thing
    that is compared: name, group, policy, model, wording, style, options, seeds, domains, sections, variant (an
    extra row below each domain's), optional, and zip = {seed = [1, 2], wording = ["w1.json", "w2.json"]} for what
    varies together; lists multiply. And tables, a list as well: kind (coverage, runs, suites, families, tokens, hvr,
    hvr-tasks), title, paper, columns; the first of them is shown in the end. Texts: name, profile, base_url. Also
    options (of each run: those of `pddl2nl run`, with _ for -, and planner_seconds and planner_memory of baselines),
    budgets (of the whole experiment: usd, calls, tokens; given here as options they stand), access
    (workers, requests_per_minute, tokens_per_minute, models), variables (NAME = {about = TEXT, default = TEXT, path =
    true}, used as ${NAME}),
    cluster. Paths are relative to the file.

    A domain is the name of a shipped one, {shipped = NAME, set = "scaled"} (or "unsolvable"), {domain = FILE,
    problems = [FILES or PATTERNS]}, or {suite = DIR, only = ["gripper*"]}: what `pddl2nl tasks DIR` finds. A table has
    filters as well: instances, except, max-objects, max-optimal-length, and solved-by = "ff" (or unsolved-by), within =
    "30m" and memory = "8g"; costlier = {than = USD, as = MODEL, solved-by = "brfs"}; transform = ["strip-costs",
    "obfuscate:generic"]; section, with which others its rows are summed; and row, what they are called ({domain}: its
    own name).
    What planners find for filters is kept beside the cache of replies; --dry-run uses what is kept, and runs none.

    Exit code 0: all solved; 1: some are not, or are left for the next time; 2: bad input; 3: an endpoint or a planner
    failed, which is no verdict; 130: Ctrl-C.
    """
    if listing:
        _list(as_json)
        return
    if spec is None:
        raise typer.BadParameter(
            "a specification is missing; --list shows those that are shipped", param_hint="SPEC.toml"
        )
    from pddl2nl.experiments.access import reach
    from pddl2nl.experiments.checks import check_models
    from pddl2nl.experiments.specification.experiment import load_experiment
    from pddl2nl.experiments.specification.product import cells, layout_of, placed_jobs
    from pddl2nl.experiments.specification.shipped import find_specification

    path = find_specification(spec)
    if show:
        print_text(path.read_text(encoding="utf-8"))
        return
    _check_cluster(cluster, provider_batch)
    overrides = overrides_of(model, seeds, instances, domains, sections, define)
    said = _budgeted(load_experiment(path, overrides), budget_calls, budget_tokens, budget_usd)
    named = (said.name, overrides.model.rpartition("/")[2]) if overrides.model else (said.name,)
    folder = out or _folder(*named)
    reached = reach(cache, said.models_file, said.requests_per_minute, said.tokens_per_minute, warn=warn)
    # Workers of this machine have its environment.
    asked_here = not dry_run and (cluster is None or cluster.partition(":")[0] == "local")
    prices = check_models(said, reached, asked_here=asked_here)
    if provider_batch:
        for policy in said.policies:
            check_one_shot(policy, f"{said.path}: --provider-batch: policy '{policy}'")
    said = narrowed(said, cache, ask=not dry_run)
    table = [*cells(said)]
    print_warnings(_warnings(said))
    placed = placed_jobs(said, table)
    jobs = [*{each.job.name: each.job for each in placed}.values()]
    print_warnings(_strangers(folder, jobs))
    if dry_run:
        from pddl2nl.cli.estimates import DryRun

        if provider_batch:
            prices = {name: None if price is None else price.in_batch() for name, price in prices.items()}
        DryRun(said, folder, table, placed, prices).show(as_json=as_json)
        return
    _write_down(said, folder, layout_of(said, placed))
    del table, placed
    summary = _run(said, jobs, folder, workers, reached, poll_seconds if provider_batch else None, cluster)
    _conclude(said.name, summary, folder, as_json)


def _folder(*parts: str) -> Path:
    """The folder of the records, called as the experiment is."""
    from pddl2nl.experiments.records.writer import record_name

    return Path("runs") / "-".join(record_name(*re.split("-+", part.strip("-"))) for part in parts)


def _list(as_json: bool) -> None:
    from pddl2nl.experiments.specification.shipped import shipped_specs

    shipped = shipped_specs()
    if as_json:
        print_json([{"name": each.name, "about": each.about} for each in shipped])
    else:
        print_table("", ("specification", "what it is"), [(each.name, each.about) for each in shipped])


def _check_cluster(cluster: str | None, provider_batch: bool) -> None:
    """Checks the address of a cluster before anything is read."""
    if cluster is None:
        return
    if provider_batch:
        raise InputError(
            "--cluster and --provider-batch exclude each other, as a batch is brought by one process; leave one of "
            "them out"
        )
    from pddl2nl.experiments.cluster import check_address

    check_address(cluster)


def _budgeted(
    said: ExperimentSpec, max_calls: int | None, max_tokens: int | None, max_usd: float | None
) -> ExperimentSpec:
    """The experiment with the budgets of the command line, else its own."""
    from pddl2nl.policies.budget import Limits

    budget = said.budget
    return replace(
        said,
        budget=Limits(
            calls=_first(max_calls, budget.calls),
            tokens=_first(max_tokens, budget.tokens),
            usd=_first(max_usd, budget.usd),
        ),
    )


def _write_down(said: ExperimentSpec, folder: Path, layout: Layout) -> None:
    """Writes the specification as it was run, and the layout of its tables."""
    from pddl2nl.experiments.layout import write_layout

    write_text_file(folder / "specification.toml", _shareable(said))
    write_layout(folder, layout)


def _said_besides(overrides: Overrides) -> str:
    """The command line's options that replaced values of the file, as comments below it."""
    options = [("--model", overrides.model)] if overrides.model else []
    lists = (
        ("--seeds", overrides.seeds),
        ("--instances", overrides.instances),
        ("--domains", overrides.domains),
        ("--sections", overrides.sections),
    )
    options += [(option, ",".join(map(str, values))) for option, values in lists if values]
    options += [("--define", f"{name}={value}") for name, value in overrides.defines.items()]
    lines = [f"# run with {option} {value}" for option, value in options]
    return "".join(f"{' '.join(line.split())}\n" for line in ("", *lines)) if lines else ""


def _first(given: Number | None, said: Number | None) -> Number | None:
    """The value of the command line, else that of the specification."""
    return said if given is None else given


def _warnings(said: ExperimentSpec) -> Iterator[str]:
    from pddl2nl.experiments.specification.product import left_out
    from pddl2nl.nl import Wording, provenance_warnings, wording_warnings

    for sentence in left_out(said):
        yield f"left out: {sentence}"
    yield from said.notes
    for domain in said.domains:
        for wording in domain.wordings.values():
            if isinstance(wording, Wording):
                yield from wording_warnings(wording, domain.domain)
                yield from provenance_warnings(wording, domain.domain)


def _strangers(folder: Path, jobs: Sequence[Job]) -> Iterator[str]:
    """A warning about records in the folder that belong to no run; a report lists them but counts them nowhere."""
    known = {f"{job.name}.jsonl" for job in jobs}
    others = sum(path.name not in known for path in folder.glob("*.jsonl"))
    if others:
        yield (
            f"{folder} holds {others} {'record' if others == 1 else 'records'} of no run of this specification, which "
            "may have changed since; they stay, and --out DIR begins in another folder"
        )


def _shareable(said: ExperimentSpec) -> str:
    """The specification for the folder of its records, without passwords in addresses."""
    from pddl2nl.llm import public_url
    from pddl2nl.llm.redaction import Redactor, secrets_of_url

    text = said.path.read_text(encoding="utf-8") + _said_besides(said.overrides)
    if said.base_url is None:
        return text
    # An address may be composed of variables.
    return Redactor(secrets_of_url(said.base_url)).strike(text.replace(said.base_url, public_url(said.base_url)))


# ── while it runs ────────────────────────────────────────────────────────────────────────────────


def _run(
    said: ExperimentSpec,
    jobs: list[Job],
    folder: Path,
    workers: int | None,
    reached: Access,
    poll_seconds: float | None,
    cluster: str | None,
) -> SweepSummary:
    from pddl2nl.experiments.batch_passes import BatchPasses
    from pddl2nl.experiments.cluster import open_cluster
    from pddl2nl.experiments.sweep import run_all

    opened = nullcontext(None) if cluster is None else open_cluster(cluster, said.cluster, workers)
    with opened as reached_cluster, progress_shown(len(jobs)) as (show, show_batch):
        batch: BatchPasses | None = None
        if poll_seconds is not None:
            batch = BatchPasses(reached, poll_seconds=poll_seconds, on_progress=show_batch)
        return run_all(
            jobs,
            folder,
            workers=workers or said.workers or DEFAULT_WORKERS,
            access=reached,
            budget=said.budget,
            on_progress=show,
            batch=batch,
            cluster=reached_cluster,
        )


# ── in the end ───────────────────────────────────────────────────────────────────────────────────


def _conclude(name: str, summary: SweepSummary, folder: Path, as_json: bool) -> None:
    if as_json:
        print_json({"name": name, **summary.as_json(), "records": str(folder)})
    else:
        print_text(_told(name, summary, folder))
        if summary.runs <= TABLE_UP_TO:
            _show_table(folder)
    complain(summary)
    raise typer.Exit(summary.exit_code)


def _show_table(folder: Path) -> None:
    """The first table of the report, usually coverage, below what is missing or broken."""
    from pddl2nl.reports.gathering import gather
    from pddl2nl.reports.tables import print_tables, tables_of

    gathered = gather(folder)
    if gathered.runs:
        print_text("")
        print_tables(tables_of(gathered)[:1], console(), gathered.alarms)


def _told(name: str, summary: SweepSummary, folder: Path) -> str:
    outcomes = [f"{count} {outcome}" for outcome, count in Counter(summary.outcomes).most_common()]
    broken, bad = len(summary.broken), len(summary.bad)
    outcomes += [f"{broken} infrastructure-error (no verdict; run again the next time)"] if broken else []
    outcomes += [f"{bad} that cannot be"] if bad else []
    outcomes += [f"{summary.unfinished} left for the next time"] if summary.unfinished else []
    outcomes += [f"{summary.elsewhere} left to another process"] if summary.elsewhere else []
    lines = [f"{name}: {summary.runs} runs: {', '.join(outcomes) or 'nothing to do'}"]
    if summary.earlier:
        lines.append(f"  of them finished before: {summary.earlier}")
    lines.append(f"spent this time: {account_text(summary.spent)}, {summary.seconds:.1f} s")
    if summary.already.calls:
        lines.append(f"spent before: {account_text(summary.already)}")
    if summary.stopped is not None and not summary.refused:
        lines.append(f"stopped: {summary.stopped}; the same command resumes it")
    lines += [f"records: {folder}", f"all tables: pddl2nl report {folder}"]
    return "\n".join(lines)

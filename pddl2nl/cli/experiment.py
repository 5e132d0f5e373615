"""``pddl2nl experiment``: a specification's whole product, gone on with wherever it was cut off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from pddl2nl.cli.access import CacheOption, Calls, Dollars, PollSeconds, ProviderBatch, Tokens
from pddl2nl.cli.accounts import account_text
from pddl2nl.cli.batches import check_one_shot
from pddl2nl.cli.filtering import narrowed
from pddl2nl.cli.output import print_json, print_text, print_warnings, warn, write_text_file
from pddl2nl.cli.progress import complain, progress_shown
from pddl2nl.cli.wording import JsonOption

if TYPE_CHECKING:
    from pddl2nl.experiments.access import Access
    from pddl2nl.experiments.batch_passes import BatchPasses
    from pddl2nl.experiments.jobs import Job
    from pddl2nl.experiments.product import Cell
    from pddl2nl.experiments.spec_file import ExperimentSpec
    from pddl2nl.experiments.summary import SweepSummary
    from pddl2nl.llm import Price

__all__ = ["register"]

Number = TypeVar("Number", int, float)

_WORKERS = 8
_EPILOG = (
    "Example: pddl2nl experiment small.toml --dry-run. Where small.toml holds, say: "
    'domains = ["blocksworld"], policies = ["basic", "react", "random"], models = ["oracle"], seeds = [1, 2], '
    'baselines = ["ff"]'
)

SpecFile = Annotated[Path, typer.Argument(metavar="SPEC.toml", help="The specification.")]
OutFolder = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="Folder of the records.", show_default="runs/NAME")
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers", min=1, metavar="N", help="Runs at a time.", show_default=f"access.workers, else {_WORKERS}"
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Run nothing: count runs, and estimate calls, tokens and money.")
]


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("experiment", epilog=_EPILOG)(_experiment)


def _experiment(
    spec: SpecFile,
    out: OutFolder = None,
    workers: Workers = None,
    dry_run: DryRun = False,
    provider_batch: ProviderBatch = False,
    poll_seconds: PollSeconds = 30.0,
    cache: CacheOption = None,
    max_usd: Dollars = None,
    max_calls: Calls = None,
    max_tokens: Tokens = None,
    as_json: JsonOption = False,
) -> None:
    """Run everything that a specification multiplies: domains, policies, models, wordings, styles, seeds, baselines.

    Each run is one record, NAME.jsonl. Started again, an experiment does what is missing and goes on with what was cut
    off; no reply is paid for twice.

    Lists in SPEC.toml: domains (below), instances (of the shipped ones), policies, models, wordings (default, template,
    llm or a file), styles (nl, pddl), seeds (by default 1 to 5, and 1 to 10 for random), baselines (brfs, lmcut, ff,
    lama). Texts: name, profile, base_url. Tables: options (of each run: those of `pddl2nl run`, with _ for -, and
    planner_seconds), budgets (of the whole experiment: max_usd, max_calls, max_tokens; given here as options they
    stand), access (workers, requests_per_minute, tokens_per_minute, models). Paths are relative to the file.

    A domain is the name of a shipped one, {shipped = NAME, set = "scaled"} (or "unsolvable"), {domain = FILE,
    problems = [FILES or PATTERNS]}, or {suite = DIR, only = ["gripper*"]}: what `pddl2nl tasks DIR` finds. A table has
    filters as well: instances, except, min-objects, max-objects, min-optimal-length, max-optimal-length, and solved-by
    = "ff" (or unsolved-by), within = "30m" and memory = "8g"; and transform = ["strip-costs", "obfuscate:generic"].
    What planners find for filters is kept beside the cache of replies; --dry-run uses what is kept, and runs none.

    Exit code 0: all solved; 1: some are not, or are left for the next time; 2: bad input; 3: an endpoint or a planner
    failed, which is no verdict; 130: Ctrl-C.
    """
    from pddl2nl.experiments.access import reach
    from pddl2nl.experiments.product import cells, check_models, jobs_of
    from pddl2nl.experiments.record import record_name
    from pddl2nl.experiments.spec_file import load_experiment
    from pddl2nl.policies.budget import Limits

    said = load_experiment(spec)
    budget = said.budget
    said = replace(
        said,
        budget=Limits(
            calls=_first(max_calls, budget.calls),
            tokens=_first(max_tokens, budget.tokens),
            usd=_first(max_usd, budget.usd),
        ),
    )
    folder = out or Path("runs") / record_name(said.name)
    reached = reach(cache, said.models_file, said.requests_per_minute, said.tokens_per_minute, warn=warn)
    prices = check_models(said, reached)
    if provider_batch:
        for policy in said.policies:
            check_one_shot(policy, f"{said.path}: --provider-batch: policy '{policy}'")
    said = narrowed(said, cache, ask=not dry_run)
    table = list(cells(said))
    print_warnings(_warnings(said))
    jobs = jobs_of(said, table)
    print_warnings(_strangers(folder, jobs))
    if dry_run:
        if provider_batch:
            prices = {model: None if price is None else price.in_batch() for model, price in prices.items()}
        _estimate(said, folder, table, jobs, prices, as_json)
        return
    write_text_file(folder / "specification.toml", _shareable(said))
    threads = workers or said.workers or _WORKERS
    summary = _run(said, jobs, folder, threads, reached, poll_seconds if provider_batch else None)
    if as_json:
        print_json({"name": said.name, **summary.as_json(), "records": str(folder)})
    else:
        print_text(_told(said.name, summary, folder))
    complain(summary)
    raise typer.Exit(summary.exit_code)


def _first(given: Number | None, said: Number | None) -> Number | None:
    """What stands on the command line, else what the specification says."""
    return said if given is None else given


def _warnings(said: ExperimentSpec) -> Iterator[str]:
    from pddl2nl.experiments.product import left_out
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
    """What a folder of records holds besides those of this experiment, and a report would count among them."""
    known = {f"{job.name}.jsonl" for job in jobs}
    others = sum(path.name not in known for path in folder.glob("*.jsonl"))
    if others:
        yield (
            f"{folder} holds {others} {'record' if others == 1 else 'records'} of no run of this specification, which "
            "may have changed since; they stay, and --out DIR begins in another folder"
        )


def _shareable(said: ExperimentSpec) -> str:
    """The specification for the folder of its records, without what an address may hold of passwords."""
    from pddl2nl.llm import public_url

    text = said.path.read_text(encoding="utf-8")
    return text if said.base_url is None else text.replace(said.base_url, public_url(said.base_url))


# ── before: what it would take ───────────────────────────────────────────────────────────────────


def _estimate(
    said: ExperimentSpec,
    folder: Path,
    table: Sequence[Cell],
    jobs: Sequence[Job],
    prices: dict[str, Price | None],
    as_json: bool,
) -> None:
    from pddl2nl.experiments.estimate import HOW, estimate
    from pddl2nl.experiments.jobs import PlannerSpec, read_end
    from pddl2nl.experiments.product import left_out

    ends = [read_end(folder / f"{job.name}.jsonl") for job in jobs]
    missing = [job for job, end in zip(jobs, ends, strict=True) if end is None or end.broken]
    wanted = {id(job.spec) for job in missing}
    left = [replace(cell, runs=tuple(run for run in cell.runs if id(run) in wanted)) for cell in table]
    expected = estimate([cell for cell in left if cell.runs], prices)
    finished = len(jobs) - len(missing)
    if as_json:
        counts = {"runs": len(jobs), "finished": finished, "left_out": [*left_out(said)], "notes": [*said.notes]}
        print_json({"name": said.name, **counts, "estimate": expected.as_json(), "records": str(folder)})
        return
    usd = "price unknown" if expected.usd is None else f"about {expected.usd:.2f} USD"
    kinds = Counter(job.spec.planner if isinstance(job.spec, PlannerSpec) else job.spec.policy for job in jobs)
    print_text(
        f"{said.name}: {len(jobs)} runs ({', '.join(f'{count} {kind}' for kind, count in kinds.items())}), "
        f"of which {finished} are finished in {folder}\n"
        f"Estimated for the rest: {expected.calls} calls, {expected.prompt_tokens} + {expected.completion_tokens} "
        f"tokens, {usd}\nAn estimate only: {HOW}."
    )


# ── while it runs ────────────────────────────────────────────────────────────────────────────────


def _run(
    said: ExperimentSpec, jobs: list[Job], folder: Path, workers: int, reached: Access, poll_seconds: float | None
) -> SweepSummary:
    from pddl2nl.experiments.batch_passes import BatchPasses
    from pddl2nl.experiments.sweep import run_all

    with progress_shown(len(jobs)) as (show, show_batch):
        batch: BatchPasses | None = None
        if poll_seconds is not None:
            batch = BatchPasses(reached, poll_seconds=poll_seconds, on_progress=show_batch)
        return run_all(jobs, folder, workers=workers, access=reached, budget=said.budget, on_progress=show, batch=batch)


# ── in the end ───────────────────────────────────────────────────────────────────────────────────


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
        lines.append(f"stopped: {summary.stopped}; the same command goes on where it was")
    lines.append(f"records: {folder}")
    return "\n".join(lines)

"""``pddl2nl run`` and ``policies``: one episode of a policy, and what policies there are."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from pddl2nl.cli.access import (
    CacheOption,
    ModelsFile,
    PollSeconds,
    ProviderBatch,
    RequestsPerMinute,
    TokensPerMinute,
)
from pddl2nl.cli.accounts import account_text
from pddl2nl.cli.files import DomainFile, ProblemFile, problem_file
from pddl2nl.cli.output import DONE, INFRASTRUCTURE, WANTING, print_json, print_table, print_text, print_warnings, warn
from pddl2nl.cli.progress import calls_shown
from pddl2nl.cli.run_options import GroupedCommand, with_run_options
from pddl2nl.cli.wording import JsonOption, chosen_wording
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from pddl2nl.experiments.access import Access
    from pddl2nl.experiments.runs import RunResult
    from pddl2nl.experiments.spec import RunSpec

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds the commands to the application."""
    example = "Example: pddl2nl run domain.pddl problem.pddl --policy react --model oracle"
    app.command("run", cls=GroupedCommand, epilog=example)(with_run_options(_run))
    app.command("policies", epilog="Example: pddl2nl policies --json")(_policies)


ProfileName = Annotated[
    str | None,
    typer.Option(
        "--profile",
        metavar="NAME",
        help="All settings of a paper at once: autoplanbench (gpt-4o-2024-08-06 plans, words, translates and thinks; "
        "temperature 0; twice FF's plan as step limit). Options given beside it take precedence.",
        show_default="none",
        rich_help_panel="Policy",
    ),
]


def _run(
    context: typer.Context,
    domain: DomainFile,
    problem: ProblemFile,
    *,
    profile: ProfileName = None,
    models: ModelsFile = None,
    cache: CacheOption = None,
    requests_per_minute: RequestsPerMinute = None,
    tokens_per_minute: TokensPerMinute = None,
    provider_batch: ProviderBatch = False,
    poll_seconds: PollSeconds = 30.0,
    as_json: JsonOption = False,
    **options: Any,
) -> None:
    """Let a policy act on one problem, with a language model, and judge every step.

    Limits are about what is paid: a reply from the cache is free. Exit code 0: solved; 1: not solved; 2: bad input;
    3: the endpoint or a planner failed, which is no verdict.
    """
    from pddl2nl.experiments.access import reach
    from pddl2nl.experiments.choices import checked_policy
    from pddl2nl.experiments.profiles import apply_profile
    from pddl2nl.experiments.spec import RunSpec
    from pddl2nl.pddl import load_task

    given = _given(context)
    if profile is None and "model" not in given and _asks_model(options["policy"]):
        raise InputError(f"--policy {options['policy']} asks a model: --model oracle (needs no key), or a model's name")
    if options["example"] not in (None, "none"):
        options["example"] = problem_file(str(options["example"]), str(domain))
    spec = RunSpec(task=load_task(domain, problem), **options)
    if profile is not None:
        spec = apply_profile(spec, profile, given)
    checked_policy(spec)
    print_warnings(_unused(spec, given))
    if spec.samples > 1 and spec.temperature == 0:
        print_warnings([f"--samples {spec.samples} at temperature 0: all replies may be the same; see --temperature"])
    if spec.wording != "llm":
        spec = replace(spec, wording=chosen_wording(cast("str | None", spec.wording), spec.task.domain, domain))
    reached = reach(cache, models, requests_per_minute, tokens_per_minute, warn=warn)
    _play(spec, reached, poll_seconds if provider_batch else None, as_json)


def _given(context: typer.Context) -> frozenset[str]:
    """The options that stand on the command line, by their parameters' names."""
    return frozenset(
        name
        for name in context.params
        if (source := context.get_parameter_source(name)) is not None and source.name == "COMMANDLINE"
    )


def _asks_model(policy: str) -> bool:
    from pddl2nl.policies import POLICIES

    return policy in POLICIES and POLICIES[policy]().needs_model


_OF_A_MODEL = ("models", "cache", "requests_per_minute", "tokens_per_minute", "provider_batch")
"""Options of the command that are no options of a run, and that have no effect where no model is asked."""


def _unused(spec: RunSpec, given: Collection[str]) -> Iterator[str]:
    """A warning for each reason why given options have no effect."""
    from pddl2nl.experiments.choices import unused_options

    reasons = unused_options(spec.policy, spec.style, {"wording": spec.wording, "translator": spec.translator})
    if "model" in reasons:
        reasons |= dict.fromkeys(_OF_A_MODEL, reasons["model"])
    for reason in dict.fromkeys(reasons.values()):
        named = [f"--{name.replace('_', '-')}" for name, why in reasons.items() if why == reason and name in given]
        if named:
            yield f"{', '.join(named)} not used: {reason}"


def _play(spec: RunSpec, reached: Access, poll_seconds: float | None, as_json: bool) -> None:
    from pddl2nl.experiments.runs import run_spec

    if poll_seconds is None:
        with calls_shown() as observe:
            result = run_spec(spec, reached, observe)
    else:
        result = _batched(spec, reached, poll_seconds)
    if as_json:
        print_json(result.as_json())
    else:
        print_text(_told(result))
    raise typer.Exit(_exit_code(result))


def _batched(spec: RunSpec, reached: Access, poll_seconds: float) -> RunResult:
    from pddl2nl.cli.batches import check_one_shot, waiting
    from pddl2nl.experiments.runs import run_spec

    check_one_shot(spec.policy, f"--provider-batch: --policy {spec.policy}")
    with waiting(reached, poll_seconds) as batches:
        return batches.until_done(lambda access: run_spec(spec, access))


def _told(result: RunResult) -> str:
    from pddl2nl.policies.budget import Account

    # The message of an infrastructure error is on standard error, and is not told twice.
    told = result.message.splitlines()[:1] if result.outcome != "infrastructure-error" else []
    lines = [": ".join([result.outcome, *told])]
    if result.fault is not None and result.fault.text != result.message:
        lines.append(f"first fault: step {result.fault.step}, {result.fault.status}: {result.fault.text}")
    lines += [f"  {action}" for action in result.plan]
    spent = f"{result.steps} steps, {result.mistakes} mistakes, {result.calls} calls"
    tokens = f"{result.prompt_tokens} + {result.completion_tokens} tokens"
    usd = "price unknown" if result.usd is None else f"{result.usd:.4f} USD"
    hits = f", {result.cache_hits} from the cache" if result.cache_hits else ""
    lines.append(f"{spent}{hits}, {tokens}, {usd}, {result.seconds:.1f} s")
    if len(result.accounts) > 1:
        lines += [f"  {role}: {account_text(Account(**account))}" for role, account in result.accounts.items()]
    lines.append(f"record: {result.record}")
    return "\n".join(lines)


def _exit_code(result: RunResult) -> int:
    if result.outcome == "infrastructure-error":
        typer.echo(f"error: {result.message}", err=True)
        return INFRASTRUCTURE
    return DONE if result.solved else WANTING


def _policies(as_json: JsonOption = False) -> None:
    """List the policies that run knows."""
    from pddl2nl.policies import POLICIES

    made = {name: make() for name, make in POLICIES.items()}
    if as_json:
        print_json(
            [
                {
                    "name": name,
                    "summary": policy.summary,
                    "styles": list(policy.styles),
                    "one_shot": policy.one_shot,
                    "needs_model": policy.needs_model,
                }
                for name, policy in made.items()
            ]
        )
        return
    rows = [
        (name, policy.summary, ", ".join(policy.styles), "a plan" if policy.one_shot else "a turn at a time")
        for name, policy in made.items()
    ]
    print_table("", ("policy", "what it does", "styles", "answers with"), rows)

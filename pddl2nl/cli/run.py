"""``pddl2nl run`` and ``policies``: one episode of a policy, and the policies that can be chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pddl2nl.cli.options import Context, DomainFile, JsonOption, ProblemFile, given_options, option, problem_file
from pddl2nl.cli.output import (
    DONE,
    FAILED,
    INFRASTRUCTURE,
    account_text,
    plural,
    print_error,
    print_json,
    print_result,
    print_table,
    print_warnings,
)
from pddl2nl.cli.progress import batches, calls_shown
from pddl2nl.cli.run_options import ACCESS, LogOption, access_of, observer, with_options, wording_of
from pddl2nl.errors import InputError
from pddl2nl.policies.spec import RUN_OPTIONS

if TYPE_CHECKING:
    from pddl2nl.experiments.access import Access
    from pddl2nl.experiments.runs import RunResult
    from pddl2nl.policies import RunEvent
    from pddl2nl.policies.spec import RunSpec


def register(app: typer.Typer) -> None:
    """Adds the commands to the application."""
    example = "Example: pddl2nl run domain.pddl problem.pddl --policy react --model oracle"
    # From Python, no record is written unless a folder is given.
    out = replace(RUN_OPTIONS["out"], default=Path("runs"), default_text="")
    app.command("run", epilog=example)(with_options(_run, *RUN_OPTIONS, *ACCESS, out=out))
    app.command("policies", epilog="Example: pddl2nl policies --json")(_policies)


def _run(
    context: Context,
    domain: DomainFile,
    problem: ProblemFile,
    *,
    profile: Annotated[
        str | None,
        option(
            "NAME", "All settings of a paper at once: autoplanbench. Other options take precedence.", "none", "Policy"
        ),
    ] = None,
    log: LogOption = None,
    as_json: JsonOption = False,
    **options: Any,
) -> None:
    """Let a policy act on one problem, with a language model, and judge every step.

    Budgets limit what is paid: a reply from the cache is free. Exit code 0: solved; 1: not solved; 2: bad input;
    3: the endpoint or a planner failed, which is no verdict.
    """
    from pddl2nl.experiments.choices import checked_policy, unused_warnings
    from pddl2nl.experiments.profiles import apply_profile
    from pddl2nl.pddl import load_task
    from pddl2nl.policies.spec import RunSpec

    given = given_options(context)
    if profile is None and "model" not in given and _asks_model(options["policy"]):
        raise InputError(f"--policy {options['policy']} asks a model: --model oracle (needs no key), or a model's name")
    if options["example"] not in (None, "none"):
        options["example"] = problem_file(str(options["example"]), str(domain))
    spec = RunSpec(load_task(domain, problem), **{name: options[name] for name in RUN_OPTIONS})
    if profile is not None:
        spec = apply_profile(spec, profile, given)
    checked_policy(spec)
    print_warnings(unused_warnings(spec, given, ACCESS))
    if spec.samples > 1 and spec.temperature == 0:
        print_warnings([f"--samples {spec.samples} at temperature 0: all replies may be the same; see --temperature"])
    if isinstance(spec.wording, str | None) and spec.wording != "llm":
        spec = replace(spec, wording=wording_of(spec.wording, spec.task.domain, domain))
    poll_seconds = options["poll_seconds"] if options["provider_batch"] else None
    observe = observer(log, "pddl2nl", spec.out or Path(), batch=poll_seconds is not None)
    name = f"{spec.task.domain.name}-{spec.task.problem.name}-{spec.policy_name}-{spec.seed}"
    result = _play(spec, access_of(options), poll_seconds, partial(observe, name))
    print_result(result.as_json(), _text(result), as_json=as_json)
    if result.outcome == "infrastructure-error":
        print_error(result.message)
        raise typer.Exit(INFRASTRUCTURE)
    raise typer.Exit(DONE if result.solved else FAILED)


def _asks_model(policy: str) -> bool:
    from pddl2nl.policies import make_policy

    return make_policy(policy).needs_model


def _play(spec: RunSpec, access: Access, poll_seconds: float | None, observe: Callable[[RunEvent], None]) -> RunResult:
    from pddl2nl.experiments.batch_passes import check_one_shot
    from pddl2nl.experiments.runs import run_spec

    if poll_seconds is None:
        with calls_shown() as show:

            def both(event: RunEvent) -> None:
                show(event)
                observe(event)

            return run_spec(spec, access, both)
    check_one_shot(spec.policy, f"--provider-batch: --policy {spec.policy_name}")
    with batches(access, poll_seconds) as passes:
        return passes.until_done(lambda each: run_spec(spec, each))


def _text(result: RunResult) -> str:
    from pddl2nl.policies.budget import Account, total
    from pddl2nl.policies.events import Started

    # The message of an infrastructure error is on standard error, and is not told twice.
    message = result.message.splitlines()[:1] if result.outcome != "infrastructure-error" else []
    lines = [": ".join([result.outcome, *message])]
    if result.fault is not None and result.fault.text != result.message:
        lines.append(f"first fault: step {result.fault.step}, {result.fault.status}: {result.fault.text}")
    started = result.events[0]
    if isinstance(started, Started) and started.example and (note := started.example["thoughts_note"]):
        lines.append(f"the example's thoughts are the template's: {note}")
    lines += [f"  {action}" for action in result.plan]
    done = f"{plural(result.steps, 'step')}, {plural(result.mistakes, 'mistake')}"
    lines.append(f"{done}, {account_text(total(result.accounts.values()))}, {result.seconds:.1f} s")
    if len(result.accounts) > 1:
        lines += [f"  {role}: {account_text(Account(**account))}" for role, account in result.accounts.items()]
    lines.append(f"record: {result.record}")
    return "\n".join(lines)


def _policies(as_json: JsonOption = False) -> None:
    """List the policies that run knows."""
    from pddl2nl.policies import POLICIES

    made = {name: make() for name, make in POLICIES.items()}
    keys = ("summary", "styles", "one_shot", "needs_model")
    if as_json:
        print_json([{"name": name, **{key: getattr(policy, key) for key in keys}} for name, policy in made.items()])
        return
    rows = [
        (name, policy.summary, ", ".join(policy.styles), "a plan" if policy.one_shot else "one turn at a time")
        for name, policy in made.items()
    ]
    print_table("", ("policy", "what it does", "styles", "answers with"), rows)

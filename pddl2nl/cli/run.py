"""``pddl2nl run`` and ``policies``: one episode of a policy, and the policies that can be chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from pddl2nl.cli import completion
from pddl2nl.cli.options import (
    Context,
    DomainFile,
    JsonOption,
    ProblemFile,
    argument,
    given_options,
    option,
    problem_file,
)
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
    print_text,
    print_warnings,
)
from pddl2nl.cli.progress import batches, calls_shown
from pddl2nl.cli.run_options import ACCESS, LogOption, access_of, observer, run_values, with_options, wording_of
from pddl2nl.errors import InputError
from pddl2nl.policies.spec import RUN_OPTIONS

if TYPE_CHECKING:
    from pddl2nl.experiments.models import Access
    from pddl2nl.experiments.records.stored import RunRecord
    from pddl2nl.policies import Entry, RunEvent
    from pddl2nl.policies.spec import RunSpec


def register(app: typer.Typer) -> None:
    """Adds the commands to the application."""
    example = "Example: pddl2nl run domain.pddl problem.pddl --policy react --model oracle"
    # From Python, no record is written unless a folder is given.
    out = replace(RUN_OPTIONS["out"], default=Path("runs"), default_text="")
    app.command("run", epilog=example)(with_options(_run, *RUN_OPTIONS, *ACCESS, out=out))
    app.command("policies", epilog="Example: pddl2nl policies react")(_policies)


def _run(
    invoked: Context,
    domain: DomainFile,
    problem: ProblemFile,
    *,
    profile: Annotated[str | None, option("NAME", "All settings of a paper at once.", "none", "Policy")] = None,
    log: LogOption = None,
    as_json: JsonOption = False,
    **options: Any,
) -> None:
    """Let a policy act on one problem, with a language model, and judge every step.

    Budgets limit what is paid: a reply from the cache is free. Exit code 0: solved; 1: not solved; 2: bad input;
    3: the endpoint or a planner failed, which is no verdict.
    """
    from pddl2nl.experiments.preparing import apply_profile, checked_policy, unused_warnings
    from pddl2nl.policies.spec import RunSpec
    from pddl2nl.tasks.shipped import find_task

    given = given_options(invoked)
    if options["example"] not in (None, "none"):
        options["example"] = problem_file(str(options["example"]), str(domain))
    spec = RunSpec(find_task(domain, problem), **run_values(options))
    if profile is not None:
        spec = apply_profile(spec, profile, given)
    policy = checked_policy(spec)
    if spec.profile is None and "model" not in given and policy.needs_model:
        raise InputError(f"--policy {spec.policy_name} asks a model: --model oracle (needs no key), or a model's name")
    print_warnings(unused_warnings(spec, given, ACCESS))
    samples = getattr(policy, "samples", 1)
    if samples > 1 and spec.temperature == 0:
        print_warnings([f"-P samples={samples} at temperature 0: all replies may be the same; see --temperature"])
    if isinstance(spec.wording, str | None) and spec.wording != "llm":
        spec = replace(spec, wording=wording_of(spec.wording, spec.task.domain, domain))
    poll_seconds = options["poll_seconds"] if options["provider_batch"] else None
    if poll_seconds is not None:
        from pddl2nl.experiments.batch_passes import check_one_shot

        check_one_shot(policy, f"--provider-batch: --policy {spec.policy_name}")
    observe = observer(log, "pddl2nl", spec.out or Path(), batch=poll_seconds is not None)
    name = f"{spec.task.domain.name}-{spec.task.problem.name}-{spec.policy_name}-{spec.seed}"
    result = _play(spec, access_of(options), poll_seconds, partial(observe, name))
    print_result(result.as_json(), _text(result), as_json=as_json)
    if result.outcome == "infrastructure-error":
        print_error(result.message)
        raise typer.Exit(INFRASTRUCTURE)
    raise typer.Exit(DONE if result.solved else FAILED)


def _play(spec: RunSpec, access: Access, poll_seconds: float | None, observe: Callable[[RunEvent], None]) -> RunRecord:
    from pddl2nl.experiments.runs import run_spec

    if poll_seconds is None:
        with calls_shown(observe) as shown:
            return run_spec(spec, access, shown)
    with batches(access, poll_seconds) as passes:
        return passes.until_done(lambda each: run_spec(spec, each))


def _text(result: RunRecord) -> str:
    from pddl2nl.policies.budget import total

    # The message of an infrastructure error is on standard error, and is not told twice.
    message = result.message.splitlines()[:1] if result.outcome != "infrastructure-error" else []
    lines = [": ".join([result.outcome, *message])]
    if result.fault is not None and result.fault.text != result.message:
        lines.append(f"first fault: step {result.fault.step}, {result.fault.status}: {result.fault.text}")
    lines += [f"  {action}" for action in result.proposed]
    done = f"{plural(result.steps, 'step')}, {plural(result.mistakes, 'mistake')}"
    lines.append(f"{done}, {account_text(result.spent)}, {result.seconds:.1f} s")
    if len(result.accounts) > 1:
        lines += [f"  {role}: {account_text(total([account]))}" for role, account in result.accounts.items()]
    lines.append(f"record: {result.path}")
    return "\n".join(lines)


def _policies(
    name: Annotated[
        str | None,
        argument(
            "[NAME]", "A policy or preset, to be shown with its options.", "all", autocompletion=completion.policies
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the policies by paper, with presets below them, or the options and presets of one.

    A preset is a name for values of a policy's options. Options are given as -P NAME=VALUE.
    """
    from pddl2nl.policies import entry_of, make_policy, policies

    if name is not None:
        _show_policy(entry_of(name), as_json)
        return
    entries = [*policies()]
    if as_json:
        print_json([_policy_json(entry) for entry in entries])
        return
    systems: dict[str, list[Entry]] = {}
    for entry in entries:
        systems.setdefault("" if entry.system is None else entry.system.title, []).append(entry)
    for title, some in systems.items():
        rows: list[tuple[str, str, str]] = []
        for entry in (each for each in some if not each.preset):
            policy = make_policy(entry.name)
            rows.append((entry.name, _summary(entry), "a plan" if policy.one_shot else "one turn at a time"))
            presets = [each.name for each in some if each.preset == entry.name]
            if presets:
                rows.append(("", f"presets: {', '.join(presets)}", ""))
        print_table(title or "Policies of no paper's system", ("policy", "what it does", "answers with"), rows)


def _summary(entry: Entry) -> str:
    return entry.summary or entry.kind.summary


def _policy_json(entry: Entry) -> dict[str, Any]:
    from pddl2nl.policies import make_policy

    policy = make_policy(entry.name)
    return {
        "name": entry.name,
        "summary": _summary(entry),
        "styles": policy.styles,
        "one_shot": policy.one_shot,
        "needs_model": policy.needs_model,
        "system": None if entry.system is None else entry.system.name,
        "preset_of": entry.preset or None,
        "options": msgspec.to_builtins(policy),
    }


def _show_policy(entry: Entry, as_json: bool) -> None:
    from pddl2nl.policies import make_policy, policies
    from pddl2nl.policies.policy import option_text, options_of

    policy = make_policy(entry.name)
    presets = [each for each in policies() if each.kind is entry.kind and each.preset and each.name != entry.name]
    options = options_of(entry.kind).values()
    if as_json:
        shown = [
            {"name": each.name, "values": each.kind, "default": each.default, "help": each.help} for each in options
        ]
        print_json({**_policy_json(entry), "help": shown, "presets": {each.name: each.options for each in presets}})
        return
    print_text(f"{entry.name}: {_summary(entry)}")
    if entry.preset:
        print_text(f"A preset of {entry.preset}.")
    rows = [(each.name, each.kind, str(getattr(policy, each.name)).lower(), each.help) for each in options]
    print_table("Options, given as -P NAME=VALUE", ("option", "values", "value here", "what it does"), rows)
    for what, names in (
        ("Roles of other models (--model-for ROLE=M)", policy.roles),
        ("Files beside the domain (--file NAME=PATH)", policy.files),
        ("Prompts (--prompt NAME=PATH)", policy.prompt_names),
    ):
        if names:
            print_text(f"{what}: {', '.join(names)}")
    if presets:
        values = [
            (each.name, " ".join(f"{key}={option_text(value)}" for key, value in each.options.items()))
            for each in presets
        ]
        print_table("Presets", ("preset", "values"), values)

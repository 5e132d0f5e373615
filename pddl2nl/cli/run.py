"""``pddl2nl run`` and ``policies``: one episode of a policy, and what policies there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.output import DONE, INFRASTRUCTURE, WANTING, print_json, print_table, print_text, print_warnings
from pddl2nl.cli.wording import (
    DomainFile,
    JsonOption,
    NamesOption,
    NamesSeedOption,
    ProblemFile,
    WordingOption,
    chosen_wording,
)
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from pddl2nl.experiments.runs import RunResult
    from pddl2nl.experiments.spec import RunSpec
    from pddl2nl.nl import Wording
    from pddl2nl.pddl import Task

__all__ = ["register"]

_MODEL_HELP = (
    "A model's name for the openai client (key in OPENAI_API_KEY); oracle (reads the prompt, plans with Fast "
    "Downward, needs no key); script:FILE (replies from a file); replay:DIR (replies from records). Not used by "
    "policies that ask no model."
)
_EXAMPLE_HELP = "A problem of the same domain, shown solved; none for no example."


PolicyName = Annotated[
    str, typer.Option("--policy", metavar="P", help="How actions are chosen; pddl2nl policies lists them.")
]
ModelName = Annotated[str | None, typer.Option("--model", metavar="M", help=_MODEL_HELP)]
StyleName = Annotated[str, typer.Option(metavar="nl|pddl", help="Language, or the PDDL twins of basic and act.")]
ExampleName = Annotated[
    str | None,
    typer.Option(
        metavar="PROBLEM|none", help=_EXAMPLE_HELP, show_default="a shipped example, else one made from the task"
    ),
]
PlanFile = Annotated[Path | None, typer.Option(metavar="FILE", help="A plan for that problem.", show_default="FF's")]
Translator = Annotated[
    str,
    typer.Option(
        metavar="reader|llm|reader+llm",
        help="What reads the model's words back into PDDL: the reader (no calls), a model (the paper's T-LLM, a call a "
        "line), or a model for what the reader cannot read.",
    ),
]
TranslatorModel = Annotated[
    str | None,
    typer.Option(
        metavar="M",
        help="The model that translates, named as for --model; its calls count in every limit.",
        show_default="the run's own model",
    ),
]
OnAmbiguous = Annotated[
    str,
    typer.Option(
        metavar="refuse|state",
        help="An action that can mean several: refuse it, or take the only one that is applicable; the record says so.",
    ),
]
ReadingPolicy = Annotated[
    str,
    typer.Option(
        "--reading",
        metavar="default|planbench|all",
        help="Which of a reply's action lines are its plan (policies that give a plan at once).",
    ),
]
Steps = Annotated[
    int | None,
    typer.Option(min=1, help="Turns of an interactive policy, at most.", show_default="twice the length of FF's plan"),
]
Seed = Annotated[int, typer.Option(help="Seed of the model's sampling and of all random choices.")]
Dollars = Annotated[float | None, typer.Option(min=0, metavar="X", help="Money, at most.", show_default="no limit")]
Calls = Annotated[int | None, typer.Option(min=0, help="Calls of the model, at most.", show_default="no limit")]
Tokens = Annotated[int | None, typer.Option(min=0, help="Tokens, at most.", show_default="no limit")]
BaseUrl = Annotated[
    str | None,
    typer.Option(metavar="URL", help="An OpenAI-compatible endpoint.", show_default="OPENAI_BASE_URL, else OpenAI"),
]
OutFolder = Annotated[Path, typer.Option(metavar="DIR", help="Folder of the record, a JSON Lines file.")]


def register(app: typer.Typer) -> None:
    """Adds the commands to the application."""
    app.command("run", epilog="Example: pddl2nl run domain.pddl problem.pddl --policy react --model oracle")(_run)
    app.command("policies", epilog="Example: pddl2nl policies --json")(_policies)


def _run(
    domain: DomainFile,
    problem: ProblemFile,
    policy: PolicyName,
    model: ModelName = None,
    wording: WordingOption = None,
    style: StyleName = "nl",
    example: ExampleName = None,
    example_plan: PlanFile = None,
    names: NamesOption = "typed",
    names_seed: NamesSeedOption = None,
    translator: Translator = "reader",
    translator_model: TranslatorModel = None,
    reading: ReadingPolicy = "default",
    on_ambiguous: OnAmbiguous = "refuse",
    steps: Steps = None,
    seed: Seed = 1,
    max_usd: Dollars = None,
    max_calls: Calls = None,
    max_tokens: Tokens = None,
    base_url: BaseUrl = None,
    out: OutFolder = Path("runs"),
    as_json: JsonOption = False,
) -> None:
    """Let a policy act on one problem, with a language model, and judge every step.

    Exit code 0: solved; 1: not solved; 2: bad input; 3: the endpoint or a planner failed, which is no verdict.
    """
    from pddl2nl.experiments.spec import RunSpec

    task, chosen = _task(domain, problem, policy, model, wording)
    spec = RunSpec(
        task=task,
        policy=policy,
        model=model or "oracle",
        wording=chosen,
        style=style,
        names=names,
        names_seed=names_seed,
        translator=translator,
        translator_model=translator_model,
        reading=reading,
        on_ambiguous=on_ambiguous,
        example=example,
        example_plan=example_plan,
        steps=steps,
        seed=seed,
        max_usd=max_usd,
        max_calls=max_calls,
        max_tokens=max_tokens,
        base_url=base_url,
        out=out,
    )
    print_warnings(_unused(spec, model, wording))
    _play(spec, as_json)


def _task(domain: Path, problem: Path, policy: str, model: str | None, wording: str | None) -> tuple[Task, Wording]:
    from pddl2nl.pddl import load_task
    from pddl2nl.policies import POLICIES

    if policy in POLICIES and POLICIES[policy]().needs_model and model is None:
        raise InputError(f"--policy {policy} asks a model: --model oracle (needs no key), or a model's name")
    task = load_task(domain, problem)
    return task, chosen_wording(wording, task.domain, domain)


def _unused(spec: RunSpec, model: str | None, wording: str | None) -> Iterator[str]:
    """Options that were given and that the policy or style has no use for: said, so that none is silently ignored."""
    from pddl2nl.policies import POLICIES

    if spec.policy not in POLICIES:
        return
    policy = POLICIES[spec.policy]()
    translated = {
        "--translator": _unless(spec.translator, "reader"),
        "--translator-model": spec.translator_model,
        "--on-ambiguous": _unless(spec.on_ambiguous, "refuse"),
    }
    for_a_plan = {"--reading": _unless(spec.reading, "default")}
    for_a_model = {
        "--model": model,
        "--base-url": spec.base_url,
        "--example": spec.example,
        "--example-plan": spec.example_plan,
        "--max-usd": spec.max_usd,
        "--max-calls": spec.max_calls,
        "--max-tokens": spec.max_tokens,
        **translated,
    }
    names = {"--names": _unless(spec.names, "typed"), "--names-seed": spec.names_seed}
    # A translator that is asked for is refused in style pddl, where there is nothing to translate.
    for_language = {"--wording": wording, **names, **translated, **for_a_plan, "--translator": None}
    kinds: tuple[tuple[bool, Mapping[str, object], str], ...] = (
        (policy.one_shot, {"--steps": spec.steps}, f"--policy {spec.policy} gives its whole plan in one turn"),
        (not policy.one_shot, for_a_plan, f"--policy {spec.policy} takes its actions one at a time"),
        (not policy.needs_model, for_a_model, f"--policy {spec.policy} asks no model"),
        (spec.style == "pddl", for_language, "--style pddl tells PDDL, with the objects' own names"),
        (
            spec.translator == "reader" and policy.needs_model and spec.style == "nl",
            {"--translator-model": spec.translator_model},
            "--translator reader asks no model",
        ),
    )
    for idle, options, reason in kinds:
        given = [name for name, value in options.items() if value is not None]
        if idle and given:
            yield f"{', '.join(given)} not used: {reason}"


def _unless(value: str, default: str) -> str | None:
    """A value that was chosen; None for the default."""
    return None if value == default else value


def _play(spec: RunSpec, as_json: bool) -> None:
    from pddl2nl.experiments.runs import run_spec

    result = run_spec(spec)
    if as_json:
        print_json(result.as_json())
    else:
        print_text(_told(result))
    raise typer.Exit(_exit_code(result))


def _told(result: RunResult) -> str:
    # What infrastructure says may be long, the difference of two prompts for one; all of it is on standard error.
    lines = [f"{result.outcome}: {result.message.splitlines()[0] if result.message else ''}"]
    if result.fault is not None and result.fault.text != result.message:
        lines.append(f"first fault: step {result.fault.step}, {result.fault.status}: {result.fault.text}")
    lines += [f"  {action}" for action in result.plan]
    spent = f"{result.steps} steps, {result.mistakes} mistakes, {result.calls} calls"
    tokens = f"{result.prompt_tokens} + {result.completion_tokens} tokens"
    usd = "price unknown" if result.usd is None else f"{result.usd:.4f} USD"
    lines.append(f"{spent}, {tokens}, {usd}, {result.seconds:.1f} s")
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

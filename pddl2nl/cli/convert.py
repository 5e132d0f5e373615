"""``pddl2nl convert``: from PDDL to prompt texts, and wordings made by a model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.access import (
    BaseUrl,
    BudgetCalls,
    BudgetTokens,
    BudgetUsd,
    CacheOption,
    ModelsFile,
    PollSeconds,
    ProviderBatch,
    RequestsPerMinute,
    TokensPerMinute,
)
from pddl2nl.cli.files import DomainFile, OptionalProblemFile
from pddl2nl.cli.output import WANTING, print_error, print_json, print_text, warn
from pddl2nl.cli.word import HowToWord, save, worded
from pddl2nl.cli.wording import (
    OWN_WORDING,
    WORDING_HELP,
    JsonOption,
    NamesOption,
    NamesSeedOption,
    check_names,
    chosen_wording,
    named,
)
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from pddl2nl.nl import Wording
    from pddl2nl.pddl import Domain

__all__ = ["register"]

_EPILOG = (
    "Example: pddl2nl convert domain.pddl problem.pddl --names typed. "
    "With a model, once for all runs: pddl2nl convert domain.pddl --wording llm --model gpt-4o-2024-08-06 "
    "--save-wording wording.json"
)

MadeWording = Annotated[
    str | None,
    typer.Option(
        "--wording",
        metavar="template|llm|FILE",
        help=f"{WORDING_HELP} llm: a model words each predicate and action (--model).",
        show_default=OWN_WORDING,
    ),
]
ModelName = Annotated[
    str | None,
    typer.Option(
        metavar="M",
        help="For --wording llm: a model's name for the openai client (key in OPENAI_API_KEY), script:FILE or "
        "replay:DIR.",
        show_default="none",
    ),
]
Revisions = Annotated[
    int,
    typer.Option(
        min=0,
        metavar="N",
        help="How often the model is told what is wrong with a snippet and asked again, before the template stands in.",
    ),
]
AskNegated = Annotated[
    bool, typer.Option("--ask-negated", help="Ask the model for each predicate's negated form in the same call.")
]
WordingTokens = Annotated[
    int, typer.Option(min=1, metavar="N", help="Tokens of a reply, at most; more for models that think first.")
]
Seed = Annotated[int, typer.Option(help="Seed of the model's sampling.")]
Negation = Annotated[
    str,
    typer.Option(
        metavar="rules|stanza|auto",
        help="How a fact is denied where the wording has no negated form: by a rule for be, have and can, else 'it is "
        "not the case that …' (rules); by stanza's dependency parse too, whose result the saved wording keeps (stanza; "
        "extra 'stanza'); by the parse where it is installed (auto).",
    ),
]
SaveWording = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write the wording to a file, to be edited and used again. With --wording llm, what is finished is kept "
        "there should the endpoint fail, and the same command goes on from it.",
        show_default="not written",
    ),
]


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("convert", epilog=_EPILOG)(_convert)


def _convert(
    domain: DomainFile,
    problem: OptionalProblemFile = None,
    wording: MadeWording = None,
    model: ModelName = None,
    base_url: BaseUrl = None,
    revisions: Revisions = 1,
    ask_negated: AskNegated = False,
    wording_tokens: WordingTokens = 200,
    seed: Seed = 1,
    negation: Negation = "rules",
    save_wording: SaveWording = None,
    budget_usd: BudgetUsd = None,
    budget_calls: BudgetCalls = None,
    budget_tokens: BudgetTokens = None,
    models: ModelsFile = None,
    cache: CacheOption = None,
    requests_per_minute: RequestsPerMinute = None,
    tokens_per_minute: TokensPerMinute = None,
    provider_batch: ProviderBatch = False,
    poll_seconds: PollSeconds = 30.0,
    names: NamesOption = "typed",
    names_seed: NamesSeedOption = None,
    style: Annotated[str, typer.Option(metavar="nl|pddl", help="Language, or PDDL texts for PDDL prompts.")] = "nl",
    as_json: JsonOption = False,
) -> None:
    """Turn a domain, and a problem, into prompt texts: the domain's description, objects, initial state, goal."""
    from pddl2nl.experiments.access import reach
    from pddl2nl.nl import convert
    from pddl2nl.nl.wording.parsed_negation import with_negations
    from pddl2nl.pddl import Task, load_domain, load_problem
    from pddl2nl.policies.budget import Limits

    check_names(names)
    if style not in ("nl", "pddl"):
        raise InputError(f"--style {style}: no such style; there are nl, pddl")
    if negation not in ("rules", "stanza", "auto"):
        raise InputError(f"--negation {negation}: there are rules, stanza, auto")
    if wording != "llm":
        _refuse_for_models(
            {
                "--model": model is not None,
                "--base-url": base_url is not None,
                "--revisions": revisions != 1,
                "--ask-negated": ask_negated,
                "--wording-tokens": wording_tokens != 200,
                "--seed": seed != 1,
                "--budget-usd": budget_usd is not None,
                "--budget-calls": budget_calls is not None,
                "--budget-tokens": budget_tokens is not None,
                "--models": models is not None,
                "--cache": cache is not None,
                "--requests-per-minute": requests_per_minute is not None,
                "--tokens-per-minute": tokens_per_minute is not None,
                "--provider-batch": provider_batch,
                "--poll-seconds": poll_seconds != 30.0,
            }
        )
    read_domain = load_domain(domain)
    task = None if problem is None else Task(read_domain, load_problem(problem, read_domain))
    if wording == "llm":
        chosen = _worded(
            read_domain,
            HowToWord(
                model,
                base_url,
                reach(cache, models, requests_per_minute, tokens_per_minute, warn=warn),
                Limits(calls=budget_calls, tokens=budget_tokens, usd=budget_usd),
                revisions,
                ask_negated,
                seed,
                wording_tokens,
                save_wording,
                poll_seconds if provider_batch else None,
            ),
        )
    else:
        chosen = chosen_wording(wording, read_domain, domain)
    if save_wording is not None:
        # At once: what a model was paid for is kept, whatever fails from here on.
        save(chosen, save_wording)
    denied = with_negations(chosen, read_domain, negation)
    if save_wording is not None and denied is not chosen:
        save(denied, save_wording)
    chosen = denied
    said = names if task is None else named(task, names, chosen, names_seed)
    conversion = convert(task or read_domain, chosen, said, "pddl" if style == "pddl" else "nl")
    if as_json:
        print_json(conversion.as_json())
    else:
        print_text("\n\n".join(text for text in (conversion.domain_text, conversion.problem_text) if text))


def _refuse_for_models(given: Mapping[str, bool]) -> None:
    """Raises `InputError` for options that were given and that nothing but a model has a use for."""
    names = [name for name, was_given in given.items() if was_given]
    if names:
        verb = "is" if len(names) == 1 else "are"
        raise InputError(f"{', '.join(names)} {verb} for --wording llm, which asks a model")


def _worded(domain: Domain, how: HowToWord) -> Wording:
    from pddl2nl.policies.budget import LimitReachedError

    try:
        return worded(domain, how)
    except LimitReachedError as reached:
        print_error(f"{reached}, and the wording is not finished")
        raise typer.Exit(WANTING) from None

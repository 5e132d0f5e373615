"""Options that the commands which ask models have in common: how a model is reached, and what it may cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "BaseUrl",
    "BudgetCalls",
    "BudgetTokens",
    "BudgetUsd",
    "CacheOption",
    "ModelsFile",
    "PollSeconds",
    "ProviderBatch",
    "RequestsPerMinute",
    "TokensPerMinute",
]

DEFAULT_CACHE = "PDDL2NL_CACHE, else ~/.cache/pddl2nl/replies.sqlite"

BaseUrl = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="An OpenAI-compatible endpoint.",
        show_default="OPENAI_BASE_URL, else OpenAI",
        rich_help_panel="Model",
    ),
]
CacheOption = Annotated[
    str | None,
    typer.Option(
        "--cache",
        metavar="FILE|none",
        help="Where replies of models behind an endpoint are kept, so that none is paid twice; none keeps none.",
        show_default=DEFAULT_CACHE,
        rich_help_panel="Model",
    ),
]
ModelsFile = Annotated[
    Path | None,
    typer.Option(
        "--models",
        metavar="FILE",
        help="Settings and prices by model, TOML; pddl2nl models shows those that are known.",
        show_default="PDDL2NL_MODELS, else the known ones",
        rich_help_panel="Model",
    ),
]
RequestsPerMinute = Annotated[
    float | None,
    typer.Option(
        "--requests-per-minute",
        min=0,
        metavar="N",
        help="Calls a minute, at most.",
        show_default="the model's setting",
        rich_help_panel="Model",
    ),
]
TokensPerMinute = Annotated[
    float | None,
    typer.Option(
        "--tokens-per-minute",
        min=0,
        metavar="N",
        help="Tokens a minute, at most.",
        show_default="the model's setting",
        rich_help_panel="Model",
    ),
]
ProviderBatch = Annotated[
    bool,
    typer.Option(
        "--provider-batch",
        help="Ask through the provider's batch endpoint: cheaper, slower, and gone on with after a crash. For wordings "
        "and for policies that give a plan at once.",
        rich_help_panel="Model",
    ),
]
PollSeconds = Annotated[
    float,
    typer.Option(
        "--poll-seconds",
        min=0,
        metavar="S",
        help="With --provider-batch: between two looks at the batches.",
        rich_help_panel="Model",
    ),
]
BudgetUsd = Annotated[
    float | None,
    typer.Option(
        "--budget-usd",
        min=0,
        metavar="X",
        help="Stop before the next call once this much money is spent. Replies from the cache are free.",
        show_default="no limit",
        rich_help_panel="Budget",
    ),
]
BudgetCalls = Annotated[
    int | None,
    typer.Option(
        "--budget-calls",
        min=0,
        metavar="N",
        help="Stop after this many calls.",
        show_default="no limit",
        rich_help_panel="Budget",
    ),
]
BudgetTokens = Annotated[
    int | None,
    typer.Option(
        "--budget-tokens",
        min=0,
        metavar="N",
        help="Stop before the next call once this many tokens, of prompts and replies, are spent.",
        show_default="no limit",
        rich_help_panel="Budget",
    ),
]

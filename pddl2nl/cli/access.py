"""Options that the commands which ask models have in common: how a model is reached, and what it may cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "BaseUrl",
    "CacheOption",
    "Calls",
    "Dollars",
    "ModelsFile",
    "PollSeconds",
    "ProviderBatch",
    "RequestsPerMinute",
    "Tokens",
    "TokensPerMinute",
]

DEFAULT_CACHE = "PDDL2NL_CACHE, else ~/.cache/pddl2nl/replies.sqlite"

BaseUrl = Annotated[
    str | None,
    typer.Option(metavar="URL", help="An OpenAI-compatible endpoint.", show_default="OPENAI_BASE_URL, else OpenAI"),
]
CacheOption = Annotated[
    str | None,
    typer.Option(
        "--cache",
        metavar="FILE|none",
        help="Where replies of models behind an endpoint are kept, so that none is paid twice; none keeps none.",
        show_default=DEFAULT_CACHE,
    ),
]
ModelsFile = Annotated[
    Path | None,
    typer.Option(
        "--models",
        metavar="FILE",
        help="Settings and prices by model, TOML; pddl2nl models shows those that are known.",
        show_default="PDDL2NL_MODELS, else the known ones",
    ),
]
RequestsPerMinute = Annotated[
    float | None,
    typer.Option(
        "--requests-per-minute", min=0, metavar="N", help="Calls a minute, at most.", show_default="the model's setting"
    ),
]
TokensPerMinute = Annotated[
    float | None,
    typer.Option(
        "--tokens-per-minute", min=0, metavar="N", help="Tokens a minute, at most.", show_default="the model's setting"
    ),
]
ProviderBatch = Annotated[
    bool,
    typer.Option(
        "--provider-batch",
        help="Ask through the provider's batch endpoint: cheaper, slower, and gone on with after a crash. For wordings "
        "and for policies that give a plan at once.",
    ),
]
PollSeconds = Annotated[
    float,
    typer.Option("--poll-seconds", min=0, metavar="S", help="With --provider-batch: between two looks at the batches."),
]
Dollars = Annotated[float | None, typer.Option(min=0, metavar="X", help="Money, at most.", show_default="no limit")]
Calls = Annotated[int | None, typer.Option(min=0, help="Calls of a model, at most.", show_default="no limit")]
Tokens = Annotated[int | None, typer.Option(min=0, help="Tokens, at most.", show_default="no limit")]

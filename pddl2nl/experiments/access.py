"""How the models of a run are reached: cache, settings, limits.

None of this is part of a run's specification. What the models' settings add to requests stands in every record
(``model_settings``).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.llm import Completion, EndpointModel, Model, OpenAIModel, Request
from pddl2nl.policies.budget import SharedBudget

if TYPE_CHECKING:
    from pddl2nl.llm.cache import Cache

Collect = Callable[[Request, EndpointModel], Completion | None]
"""Notes a request for a batch; returns its reply if a batch has brought one that is not to be cached."""


def _as_it_is(model: Model) -> Model:
    return model


@lru_cache(maxsize=16)
def _opened(path: Path) -> Cache:
    # A late import: a run that asks no endpoint needs no sqlite3.
    from pddl2nl.llm.cache import Cache

    return Cache(path)


_OPENING = threading.Lock()
"""Held while a cache is opened, so that runs that begin at once share one."""


@dataclass(frozen=True)
class Access:
    """The way to the models.

    Attributes:
        cache: stores paid replies; a path is opened when a model behind an endpoint is first made; None for no cache.
        cache_needed: whether a path that cannot be opened is an error; otherwise the run goes on without a cache.
        models_file: a TOML file of settings by model (`pddl2nl.llm.settings`); None for ``PDDL2NL_MODELS``, else only
            the shipped ones.
        requests_per_minute, tokens_per_minute: shared by all runs of this process that ask the same model; None for
            the limits of the settings.
        share: the part of every limit per minute that this process may use, if several processes ask the same model.
        collect: notes requests that neither the cache nor a record can answer, for a batch; None to ask at once.
        slots: how many requests at a time a model that this process serves answers (``gguf:PATH``).
        budget: the budget that the runs of an experiment share.
        before: wraps every model that is asked, such as with the replies of an interrupted run.
        warn: called with warnings for the user.
        made: models behind endpoints that were made already; runs share their connections.
    """

    cache: Cache | Path | None = None
    cache_needed: bool = True
    models_file: Path | None = None
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    share: float = 1.0
    collect: Collect | None = None
    slots: int = 1
    budget: SharedBudget | None = None
    before: Callable[[Model], Model] = _as_it_is
    warn: Callable[[str], None] = lambda message: None
    made: dict[Any, OpenAIModel] = field(default_factory=dict, repr=False, compare=False)

    def opened_cache(self) -> Cache | None:
        """The cache, opened on first use.

        Raises:
            InputError: the file is no cache.
            InfrastructureError: it cannot be opened, and it is needed.
        """
        if not isinstance(self.cache, Path):
            return self.cache
        try:
            with _OPENING:
                return _opened(self.cache)
        except InfrastructureError as error:
            if self.cache_needed:
                raise
            self.warn(f"replies are not kept: {error}")
            return None


def reach(
    cache: str | Path | None = None,
    models_file: str | Path | None = None,
    requests_per_minute: float | None = None,
    tokens_per_minute: float | None = None,
    *,
    warn: Callable[[str], None] = lambda message: None,
) -> Access:
    """The access that the options of a command describe.

    Args:
        cache: a file; None for the default one (`pddl2nl.llm.cache.default_cache_path`); ``none`` for no cache.
        models_file, requests_per_minute, tokens_per_minute, warn: as in `Access`.

    Raises:
        InputError: the file of settings does not exist, or a limit is zero.
    """
    from pddl2nl.llm.cache import default_cache_path

    for option, value in (
        ("--requests-per-minute", requests_per_minute),
        ("--tokens-per-minute", tokens_per_minute),
    ):
        if value == 0:
            raise InputError(f"{option} 0: nothing could ever be asked; a number above 0 was expected")
    if models_file is not None and not Path(models_file).is_file():
        raise InputError(f"--models {models_file}: no such file")
    path = default_cache_path() if cache is None else Path(cache)
    return Access(
        cache=None if cache == "none" else path,
        # The default place may be one where nothing can be written, which is no reason to fail.
        cache_needed=cache is not None,
        models_file=None if models_file is None else Path(models_file),
        requests_per_minute=requests_per_minute,
        tokens_per_minute=tokens_per_minute,
        warn=warn,
    )

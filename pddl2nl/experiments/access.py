"""How the models of a run are reached.

Nothing in it says what is run, so nothing of it is in a specification. What the settings by model add to requests
stands in every record (``model_settings``).
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

__all__ = ["Access", "Collect", "reach"]

Collect = Callable[[Request, EndpointModel], Completion | None]
"""Takes a request for a batch; gives its reply where the batch has brought one that is not to be cached."""


def _as_it_is(model: Model) -> Model:
    return model


@lru_cache(maxsize=16)
def _opened(path: Path) -> Cache:
    # Here, as sqlite3 is of no use to a run that asks no endpoint.
    from pddl2nl.llm.cache import Cache

    return Cache(path)


_OPENING = threading.Lock()
"""Held while a cache is opened: of many runs that begin at once, all shall have the same one."""


@dataclass(frozen=True)
class Access:
    """The way to the models.

    Attributes:
        cache: where paid replies are kept, or the path of that file, which is opened when a model behind an endpoint
            is first made; None for nowhere.
        cache_needed: whether a path that cannot be opened is an error, and not just gone without.
        models_file: a TOML file of settings by model (`pddl2nl.llm.settings`); None for ``PDDL2NL_MODELS``, else the
            shipped ones alone.
        requests_per_minute, tokens_per_minute: shared by all that ask the same model in this process; None for what
            the settings say.
        share: the part of every limit a minute that is this process's, those of the settings included: where several
            processes ask the same model, each has its part.
        collect: takes requests that neither the cache nor a record can answer, for a batch; None to ask at once.
        budget: the budget that the runs of an experiment share.
        before: put before every model that is asked, such as the replies of a run that was interrupted.
        warn: is told what a person should know.
        made: models behind endpoints that were made already: all runs that are reached alike share their connections.
    """

    cache: Cache | Path | None = None
    cache_needed: bool = True
    models_file: Path | None = None
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    share: float = 1.0
    collect: Collect | None = None
    budget: SharedBudget | None = None
    before: Callable[[Model], Model] = _as_it_is
    warn: Callable[[str], None] = lambda message: None
    made: dict[Any, OpenAIModel] = field(default_factory=dict, repr=False, compare=False)

    def opened_cache(self) -> Cache | None:
        """The cache, opened now if it was not yet.

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
    """How models are reached, by what a person says.

    Args:
        cache: a file; None for the usual one (`pddl2nl.llm.cache.default_cache_path`); ``none`` for nowhere.
        models_file, requests_per_minute, tokens_per_minute, warn: as in `Access`.

    Raises:
        InputError: there is no such file of settings, or a limit is zero.
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
        # A place that nobody named may be one where nothing can be written: no reason to fail.
        cache_needed=cache is not None,
        models_file=None if models_file is None else Path(models_file),
        requests_per_minute=requests_per_minute,
        tokens_per_minute=tokens_per_minute,
        warn=warn,
    )

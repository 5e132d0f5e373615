"""The models that a run can ask, by the prefix of their name, and what their calls cost.

How the models of a run are reached: cache, settings, limits.

None of this is part of a run's specification. What the models' settings add to requests stands in every record
(``model_settings``).
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pddl2nl.errors import InfrastructureError, InputError, did_you_mean, near_name
from pddl2nl.files import read_text
from pddl2nl.llm import (
    FREE,
    Completion,
    EndpointModel,
    Model,
    ModelConfigurationError,
    Purpose,
    ReplayModel,
    Request,
    ScriptedModel,
    price_of,
)
from pddl2nl.llm.keys import canonical_json, sha256
from pddl2nl.llm.replay import recorded_price
from pddl2nl.nl import Wording
from pddl2nl.pddl import Domain
from pddl2nl.plugins import MODEL_GROUP, fails_alone, installed, load_object, origin, provided
from pddl2nl.policies import make_policy
from pddl2nl.policies.budget import Limits, ModelCalls, PricedModel, PriceOf, SharedBudget, free

if TYPE_CHECKING:
    from pddl2nl.llm import OpenAIModel
    from pddl2nl.llm.cache import Cache
    from pddl2nl.llm.providers.huggingface import TransformersModel
    from pddl2nl.llm.settings import ModelSettings


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

    The cache is a file, None for the default one (`default_cache_path`), or ``none`` for no cache.

    Raises:
        InputError: the file of settings does not exist, or a limit is zero.
    """
    for option, value in (("requests", requests_per_minute), ("tokens", tokens_per_minute)):
        if value == 0:
            raise InputError(f"--{option}-per-minute 0: nothing could ever be asked; a number above 0 was expected")
    if models_file is not None and not Path(models_file).is_file():
        raise InputError(f"--models {models_file}: no such file")
    return Access(
        cache=None if cache == "none" else default_cache_path() if cache is None else Path(cache),
        # The default place may be one where nothing can be written, which is no reason to fail.
        cache_needed=cache is not None,
        models_file=None if models_file is None else Path(models_file),
        requests_per_minute=requests_per_minute,
        tokens_per_minute=tokens_per_minute,
        warn=warn,
    )


def default_cache_path() -> Path:
    """The default file: ``PDDL2NL_CACHE``, else ``pddl2nl/replies.sqlite`` in ``XDG_CACHE_HOME`` or ``~/.cache``."""
    named = os.environ.get("PDDL2NL_CACHE")
    if named:
        return Path(named)
    # The XDG specification says to ignore relative paths.
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".cache") / "pddl2nl" / "replies.sqlite"


# ── models ──────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class ModelContext:
    """What a model may be made from besides its own name.

    The oracle gets the domain and its wording, as it must know the language it reads; it never gets the problem, which
    it reads out of the prompt. ``load`` says whether a model in a file is loaded now; ``mistakes`` are those that it
    can make with the policy that asks, None where no policy asks.
    """

    domain: Domain
    wording: Wording
    base_url: str | None = None
    access: Access = field(default_factory=Access)
    timeout: float | None = None
    no_system: bool = False
    load: bool = True
    mistakes: Collection[str] | None = None


@dataclass(frozen=True)
class MadeModel:
    """A model, what its calls cost, whether that is known beforehand, and what a record holds of it."""

    model: Model
    price_of: PriceOf
    priced: bool = True
    base_url: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)


ModelFactory = Callable[[str, ModelContext], MadeModel]
"""Makes a model from what follows its prefix and a colon (empty where nothing does)."""


def _openai(argument: str, context: ModelContext) -> MadeModel:
    # A late import: the oracle and scripts answer without the client.
    from pddl2nl.llm import OpenAIModel

    return _reached(argument, argument, OpenAIModel, context)


def _litellm(argument: str, context: ModelContext) -> MadeModel:
    from pddl2nl.llm.providers.litellm import LiteLLMModel

    made = _reached(argument, f"litellm:{argument}", LiteLLMModel, context)
    return replace(made, versions={"litellm": version("litellm")})


def _reached(argument: str, name: str, model_class: type[OpenAIModel], context: ModelContext) -> MadeModel:
    """A model of a class by its argument, with the settings of its name in the models' files."""
    from pddl2nl.llm.settings import load_catalogue

    access = context.access
    settings = load_catalogue(access.models_file).of(name)
    limits: dict[str, Any] = {
        "requests_per_minute": access.requests_per_minute or settings.requests_per_minute,
        "tokens_per_minute": access.tokens_per_minute or settings.tokens_per_minute,
    }
    settings = _with_system(replace(settings, timeout=context.timeout or settings.timeout, **limits), context)
    identity = (name, context.base_url, context.timeout, context.no_system)
    model = access.made.get(identity)
    if model is None:
        # One of two that are made in one moment is lost, which costs a connection and nothing else.
        shared: dict[str, Any] = {
            name: None if limit is None else limit * access.share for name, limit in limits.items()
        }
        made_now = model_class(argument, context.base_url, settings=replace(settings, **shared))
        model = access.made.setdefault(identity, made_now)
    # What is recorded is the same, however many processes share a limit.
    return _cached(replace(wrap_model(model), settings=settings.to_json()), model, access)


def _with_system(settings: ModelSettings, context: ModelContext) -> ModelSettings:
    return replace(settings, takes_system=False) if context.no_system else settings


def _cached(made: MadeModel, model: EndpointModel, access: Access) -> MadeModel:
    from pddl2nl.llm.cache import CachedModel

    cache = access.opened_cache()
    return made if cache is None else replace(made, model=CachedModel(model, cache, collect=access.collect))


def _gguf(argument: str, context: ModelContext) -> MadeModel:
    from pddl2nl.llm.providers.gguf import GGUFModel
    from pddl2nl.llm.settings import load_catalogue

    if not argument:
        raise ModelConfigurationError("--model gguf needs a file: gguf:PATH")
    access = context.access
    with _LOADING:
        identity = ("gguf", argument, context.no_system)
        model = access.made.get(identity)
        if not isinstance(model, GGUFModel):
            settings = load_catalogue(access.models_file).of(f"gguf:{Path(argument).name}")
            settings = replace(settings, timeout=context.timeout or settings.timeout, price=settings.price or FREE)
            settings = _with_system(settings, context)
            model = access.made[identity] = GGUFModel(argument, settings, slots=access.slots)
        if context.load:
            model.start()
    made = wrap_model(model)
    return _cached(replace(made, settings={**made.settings, **model.facts()}), model, access)


def _transformers(argument: str, context: ModelContext) -> MadeModel:
    from pddl2nl.llm.providers.huggingface import TransformersModel

    with _LOADING:
        model = _TRANSFORMERS.get(argument) or _TRANSFORMERS.setdefault(argument, TransformersModel(argument))
        if context.load:
            model.load()
    return MadeModel(model, free, versions={name: version(name) for name in ("transformers", "torch")})


_TRANSFORMERS: dict[str, TransformersModel] = {}
"""Those of this process: each is in memory once."""
_LOADING = threading.Lock()
"""Held while a model's file is loaded, so that runs that begin at once share one."""


def _oracle(argument: str, context: ModelContext) -> MadeModel:
    from pddl2nl.baselines import PlanOracle, find_driver
    from pddl2nl.baselines.features import beyond_fast_downward

    # A policy asks nothing of what systems ask in other ways.
    asked = () if context.mistakes is not None else provided("asks")
    able = context.mistakes or {name for _, asking in asked for name in asking.mistakes}
    if argument and argument not in able:
        raise ModelConfigurationError(f"--model oracle:{argument}: {_who_makes(argument)}")
    foreign = beyond_fast_downward(context.domain)
    if foreign:
        raise ModelConfigurationError(
            f"--model oracle plans with Fast Downward, which {foreign}; "
            "script:FILE, replay:DIR and models behind an endpoint need no planner"
        )
    # A missing planner is reported before a run begins.
    find_driver()
    return MadeModel(PlanOracle(context.domain, context.wording, argument), free)


def _who_makes(mistake: str) -> str:
    from pddl2nl.policies import policies

    makers: dict[str, list[str]] = {
        name: [system.name] for system, asking in provided("asks") for name in asking.mistakes
    }
    for entry in policies():
        for name in make_policy(entry.name).mistakes:
            makers.setdefault(name, []).append(entry.name)
    if mistake in makers:
        return f"the oracle makes this mistake with {', '.join(makers[mistake])} only"
    known = ", ".join(makers)
    return f"there is no such mistake{did_you_mean(mistake, makers, f'; there are {known}')}"


def _script(argument: str, context: ModelContext) -> MadeModel:
    if not argument:
        raise ModelConfigurationError("--model script needs a file: script:FILE")
    return MadeModel(ScriptedModel.from_file(argument), free)


def _replay(argument: str, context: ModelContext) -> MadeModel:
    if not argument:
        raise ModelConfigurationError("this --model needs a folder of records, replay:DIR, behind a colon")
    return wrap_model(ReplayModel(argument))


def _python(argument: str, context: ModelContext) -> MadeModel:
    if ":" not in argument:
        raise ModelConfigurationError("--model python needs a class of a model: python:MODULE:CLASS")
    with fails_alone(f"--model python:{argument} cannot be made without arguments", asked=True):
        model = load_object(argument)()
    if not (hasattr(model, "complete") and isinstance(getattr(model, "name", None), str)):
        raise ModelConfigurationError(f"--model python:{argument}: no model, which has a name and complete(request)")
    return wrap_model(model)


MODELS: dict[str, ModelFactory] = {
    "openai": _openai,
    "gguf": _gguf,
    "litellm": _litellm,
    "transformers": _transformers,
    "oracle": _oracle,
    "script": _script,
    "python": _python,
    "replay": _replay,
}
"""The kinds of models; a name that begins with none of them is one of ``openai``."""


def make_model(spec: str, context: ModelContext) -> MadeModel:
    """The model that a ``--model`` option asks for: a key of `MODELS` with what follows it, or a model's name.

    Installed packages add kinds by entry points of the group ``pddl2nl.models``, each a `ModelFactory`.

    Raises:
        ModelConfigurationError: it cannot be set up; the message says what is missing.
    """
    kind, _, argument = spec.partition(":")
    if kind in MODELS:
        return MODELS[kind](argument, context)
    for entry in installed(MODEL_GROUP).select(name=kind):
        with fails_alone(f"--model {spec}", asked=True):
            made = load_object(entry.value)(argument, context)
            if not isinstance(made, MadeModel):
                raise ModelConfigurationError(f"--model {spec}: expected a MadeModel, found a {type(made).__name__}")
        return replace(made, versions={**made.versions, **origin(entry.module)})
    # A model of an endpoint may have a similar name: only what differs by a letter or two is refused.
    typo = near_name(kind, [known for known in MODELS if known != "openai"], least=0.8)
    if typo and context.base_url is None:
        raise ModelConfigurationError(f"--model {spec}: did you mean '{typo}'? A model of that name needs --base-url")
    return MODELS["openai"](spec, context)


def calls_of(role: Purpose, name: str, context: ModelContext, limits: Limits) -> tuple[MadeModel, ModelCalls]:
    """The model that a ``--model`` option asks for, and its calls within limits, outside of a run.

    Raises:
        ModelConfigurationError: it cannot be set up, or there is a limit on money and its price is unknown.
    """
    made = make_model(name, context)
    if limits.usd is not None and not made.priced:
        raise ModelConfigurationError(
            f"--budget-usd needs to know what tokens cost, and for the model '{name}' this is not known; "
            "set --budget-tokens or --budget-calls, or give its price in a file for --models"
        )
    return made, ModelCalls({role: PricedModel(context.access.before(made.model), made.price_of)}, limits)


def behind_endpoint(model: str) -> bool:
    """Whether a model of this name is behind an endpoint."""
    kind = model.partition(":")[0]
    return kind not in MODELS or kind in ("openai", "litellm")


def wrap_model(model: Model) -> MadeModel:
    """A model that the caller made, with what can be known of its price."""
    from pddl2nl.baselines import PlanOracle
    from pddl2nl.llm.providers.huggingface import TransformersModel

    endpoint = getattr(model, "base_url", None)
    if isinstance(endpoint, str):
        settings = getattr(model, "settings", None)
        price = price_of(model.name) if settings is None else settings.price
        recorded = {} if settings is None else settings.to_json()
        return MadeModel(model, lambda completion: price, price is not None, endpoint, recorded)
    if isinstance(model, ReplayModel):
        # A replay repeats the accounts of the run that was recorded, the money included.
        return MadeModel(model, recorded_price)
    if isinstance(model, ScriptedModel | PlanOracle | TransformersModel):
        return MadeModel(model, free)
    return MadeModel(model, lambda completion: None, priced=False)


# ── what determines a model's replies ────────────────────────────────────────────────────────────


def model_identity(model: str | Model, models_file: Path | None) -> object:
    """What determines the replies of a model, as JSON: its name, a script's text, and the settings that are sent.

    Of how a model is reached (`Access`) only those settings count that go to the endpoint with every request. Where it
    is reached does not count: an endpoint may move, and a folder of records then still belongs to its experiment.
    """
    if not isinstance(model, str):
        return model.name
    kind, _, argument = model.partition(":")
    if kind == "script" and Path(argument).is_file():
        return [model, sha256(read_text(Path(argument), errors="replace"))]
    if kind in MODELS and kind != "openai":
        return model
    name = argument if kind == "openai" else model
    changed = models_file.stat().st_mtime_ns if models_file is not None and models_file.is_file() else 0
    return [name, json.loads(_sent_settings(name, models_file, os.environ.get("PDDL2NL_MODELS"), changed))]


@lru_cache(maxsize=256)
def _sent_settings(name: str, models_file: Path | None, *changes: object) -> str:
    """The settings of a model that are sent with every request; cached, because files are read for them."""
    from pddl2nl.llm.settings import load_catalogue

    body = load_catalogue(models_file).of(name).body(name, Request(()))
    return canonical_json({key: value for key, value in body.items() if key != "messages"})

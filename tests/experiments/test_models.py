"""The registry of models: every kind can be made, says what it is, and is refused in words where it cannot be."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from pddl2nl.experiments.models import MODELS, ModelContext, default_cache_path, make_model, wrap_model
from pddl2nl.llm import (
    FREE,
    Completion,
    Message,
    ModelConfigurationError,
    OpenAIModel,
    Request,
    Usage,
    price_of,
)
from pddl2nl.llm.replay import RecordedCompletion
from pddl2nl.nl import template_wording
from pddl2nl.pddl import parse_domain
from pddl2nl.policies.events import Prompted, Replied, event_to_json
from tests.answering import Answering

DOMAIN = "(define (domain d) (:predicates (p ?x)) (:action go :parameters (?x) :precondition (p ?x) :effect (p ?x)))"
USAGE = Usage(1_000_000, 0)
# A class of the user's has its own name, and no price (test_plugins.py).
SHIPPED = [kind for kind in MODELS if kind != "python"]


@pytest.fixture
def context(monkeypatch: pytest.MonkeyPatch) -> ModelContext:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    domain = parse_domain(DOMAIN)
    # What a file holds is the business of tests/llm/test_gguf.py.
    monkeypatch.setattr("pddl2nl.llm.providers.gguf.find_spec", lambda name: object())
    return ModelContext(domain, template_wording(domain), load=False)


@pytest.fixture
def specs(tmp_path: Path) -> dict[str, str]:
    """A good ``--model`` text for every kind."""
    (tmp_path / "script.txt").write_text("hello", encoding="utf-8")
    (tmp_path / "small.gguf").write_text("GGUF, not loaded here", encoding="utf-8")
    events = [
        Prompted(1, "planner", 0, (Message("user", "x"),), "", temperature=0.0, seed=1),
        Replied(1, "hi", model="gpt-4o", usd=0.5),
    ]
    text = "".join(f"{json.dumps(event_to_json(event))}\n" for event in events)
    (tmp_path / "run.jsonl").write_text(text, encoding="utf-8")
    return {
        "openai": "gpt-4o-2024-08-06",
        "gguf": f"gguf:{tmp_path / 'small.gguf'}",
        "litellm": "litellm:anthropic/claude-3-haiku",
        "transformers": f"transformers:{tmp_path}",
        "oracle": "oracle",
        "script": f"script:{tmp_path / 'script.txt'}",
        "replay": f"replay:{tmp_path}",
    }


def _needs(extra: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(
        importlib.util.find_spec(extra) is None, reason=f"{extra} is absent: pip install 'pddl2nl[{extra}]'"
    )


KINDS = [pytest.param(kind, marks=_needs(kind) if kind in ("litellm", "transformers") else ()) for kind in SHIPPED]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_made_and_recorded_under_the_name_it_was_asked_for(
    kind: str, specs: dict[str, str], context: ModelContext
) -> None:
    made = make_model(specs[kind], context)
    # A record names the file and not its folder, which is no part of the model.
    paths = {"gguf": "gguf:small.gguf", "transformers": f"transformers:{Path(specs[kind]).name}"}
    assert made.model.name == paths.get(kind, specs[kind])
    assert made.priced or kind == "litellm"
    assert made.priced == (made.price_of(RecordedCompletion("", model="gpt-4o", usd=0.5)) is not None)
    assert (made.base_url is None) == (kind not in ("openai", "gguf", "litellm"))
    assert callable(made.model.complete)


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_made_by_the_caller_is_priced_alike(kind: str, specs: dict[str, str], context: ModelContext) -> None:
    made = make_model(specs[kind], context)
    wrapped = wrap_model(made.model)
    reply = Completion("", model="gpt-4o")
    assert wrapped.price_of(reply) == made.price_of(reply)
    assert (wrapped.priced, wrapped.base_url) == (made.priced, made.base_url)


def test_a_name_without_a_known_prefix_is_an_endpoint_model(context: ModelContext) -> None:
    for spec, name in (("llama3:8b", "llama3:8b"), ("ft:gpt-4o:x", "ft:gpt-4o:x"), ("openai:o3", "o3")):
        made = make_model(spec, context)
        assert isinstance(made.model, OpenAIModel)
        assert made.model.name == name


def test_prices_are_known_unknown_or_zero(specs: dict[str, str], context: ModelContext) -> None:
    reply = Completion("", usage=USAGE, model="gpt-4o")
    assert make_model("gpt-4o", context).price_of(reply) == price_of("gpt-4o")
    unknown = make_model("my-llama", context)
    assert not unknown.priced
    assert unknown.price_of(reply) is None
    assert make_model(specs["script"], context).price_of(reply) == FREE
    replay = make_model(specs["replay"], context)
    recorded = replay.model.complete(Request((Message("user", "x"),), seed=1))
    paid = replay.price_of(recorded)
    assert paid.usd(recorded.usage) == 0.5, "what it cost then, whatever the list says now"
    assert replay.price_of(RecordedCompletion("", usage=USAGE, model="gpt-4o")) is None


def test_a_foreign_model_has_no_known_price() -> None:
    model = Answering("x")
    made = wrap_model(model)
    assert not made.priced
    assert made.price_of(model.complete(Request((Message("user", "x"),)))) is None


@pytest.mark.parametrize(
    "spec",
    ["script", "script:", "replay:", "replay:/no/such/folder", "gguf:", "gguf:/none", "oracle:x", "script:/none"],
)
def test_a_bad_specification_is_refused(spec: str, context: ModelContext) -> None:
    with pytest.raises(ModelConfigurationError):
        make_model(spec, context)


def test_the_default_path_of_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PDDL2NL_CACHE", "mine.sqlite")
    assert default_cache_path() == Path("mine.sqlite")
    monkeypatch.setenv("PDDL2NL_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert default_cache_path() == Path("/xdg/pddl2nl/replies.sqlite")
    monkeypatch.setenv("HOME", "/home/her")
    for relative in ("", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", relative)
        assert default_cache_path() == Path("/home/her/.cache/pddl2nl/replies.sqlite")

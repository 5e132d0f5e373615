"""The models' file: which table holds for a model, what each key takes, and what is never shown."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from pddl2nl.llm import FREE, ModelConfigurationError, Price, Usage, price_of
from pddl2nl.llm.settings import Catalogue, ModelSettings, load_catalogue, shipped_catalogue

FULL = """
[models.mine]
base_url = "https://me:secret-pw@host.example/v1?sig=secret-q"
api_version = "2024-10-21"
key_variable = "MY_KEY"
organization = "org-private"
project = "proj-private"
headers = { X-Title = "title-private", Authorization = "Bearer $MY_TOKEN" }
max_tokens_name = "max_completion_tokens"
takes_temperature = true
takes_seed = false
takes_stop = false
takes_system = false
takes_reasoning = false
tools = "written"
constrain = "grammar"
likelihood = "prompt"
stream_body = { timings_per_token = true }
context = 16384
temperature = 1
reasoning_effort = "low"
stop = ["Observation:"]
max_tokens = 4000
extra_body = { top_k = 1, provider = { order = ["a", "b"] } }
price = { prompt = 1, completion = 4.5, batch = 0.4 }
requests_per_minute = 500
tokens_per_minute = 30000
timeout = 120
max_retries = 3
"""


@pytest.fixture(autouse=True)
def _no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PDDL2NL_MODELS", raising=False)


def catalogue(tmp_path: Path, text: str) -> Catalogue:
    path = tmp_path / "models.toml"
    path.write_text(text, encoding="utf-8")
    return load_catalogue(path)


def test_every_key_is_read(tmp_path: Path) -> None:
    found, usual = catalogue(tmp_path, FULL).of("mine"), ModelSettings()
    names = {item.name for item in fields(ModelSettings)}
    assert {name for name in names if getattr(found, name) == getattr(usual, name)} == {"takes_temperature"}
    assert found.price == Price(1.0, 1.0, 4.5, 0.4)
    assert (found.temperature, found.stop, found.max_tokens) == (1.0, ("Observation:",), 4000)
    assert found.headers == {"X-Title": "title-private", "Authorization": "Bearer $MY_TOKEN"}


def test_what_a_record_and_a_repr_hold_is_no_secret(tmp_path: Path) -> None:
    found = catalogue(tmp_path, FULL).of("mine")
    shown = found.to_json()
    assert shown["base_url"] == "https://host.example/v1"
    assert shown["extra_body"] == {"top_k": 1, "provider": {"order": ["a", "b"]}}
    assert shown["price"] == {"prompt": 1.0, "cached": 1.0, "completion": 4.5, "batch": 0.4}
    assert not {"headers", "organization", "project"} & shown.keys()
    for text in (repr(found), str(found), f"{shown}", repr(catalogue(tmp_path, FULL))):
        assert "secret" not in text
        assert "private" not in text
        assert "MY_TOKEN" not in text


def test_the_most_specific_table_wins_key_by_key(tmp_path: Path) -> None:
    found = catalogue(
        tmp_path,
        """
        [models."m*"]
        timeout = 1
        max_retries = 1
        max_tokens = 1
        reasoning_effort = "low"
        [models."m-large*"]
        timeout = 2
        max_retries = 2
        max_tokens = 2
        [models."m-large"]
        timeout = 3
        max_retries = 3
        [models."m-large-2025-01-31"]
        timeout = 4
        """,
    )
    exact = found.of("m-large-2025-01-31")
    assert (exact.timeout, exact.max_retries, exact.max_tokens, exact.reasoning_effort) == (4, 3, 2, "low")
    family = found.of("m-large-2026-02-02")
    assert (family.timeout, family.max_retries, family.max_tokens) == (3, 3, 2)
    assert found.of("m-large:free").timeout == 2
    assert found.of("mini").timeout == 1
    assert found.of("other") == ModelSettings()
    assert found.knows("mini")
    assert not found.knows("other")
    assert "m-large" in found.names()
    assert found.names()[-2:] == ("m*", "m-large*")


def test_a_file_of_ones_own_is_laid_over_the_shipped_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = '[models."gpt-4o"]\ntimeout = 7\n[models."o3"]\nprice = { prompt = 1, completion = 1 }\n'
    found = catalogue(tmp_path, own)
    assert found.of("gpt-4o-2024-08-06").timeout == 7
    assert found.of("gpt-4o-2024-08-06").price == price_of("gpt-4o-2024-08-06")
    assert found.of("o3").max_tokens_name == "max_completion_tokens"
    assert found.of("o3").price == Price(1, 1, 1)
    monkeypatch.setenv("PDDL2NL_MODELS", str(tmp_path / "models.toml"))
    assert load_catalogue().of("gpt-4o").timeout == 7
    assert shipped_catalogue().of("gpt-4o").timeout is None


def test_a_file_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PDDL2NL_MODELS", str(tmp_path / "none.toml"))
    with pytest.raises(ModelConfigurationError, match=r"\(from PDDL2NL_MODELS\): .*none\.toml: no such file"):
        load_catalogue()
    with pytest.raises(ModelConfigurationError, match="cannot read"):
        load_catalogue(tmp_path)


@pytest.mark.parametrize("name", ["o1", "o1-2024-12-17", "o3", "o3-mini", "o4-mini-2025-04-16", "gpt-5", "gpt-5.1"])
def test_reasoning_models_know_the_newer_limit_and_take_no_temperature(name: str) -> None:
    found = shipped_catalogue().of(name)
    assert found.max_tokens_name == "max_completion_tokens"
    assert not found.takes_temperature
    assert found.takes_seed
    assert found.takes_stop == (name.startswith("o1") or name == "o3-mini")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("takes_temprature = false", "unknown key 'takes_temprature'; did you mean 'takes_temperature'"),
        ("max_tokens = 0", "max_tokens: expected a whole number >= 1"),
        ("max_tokens = true", "max_tokens: expected a whole number"),
        ('max_tokens = "many"', "max_tokens: expected a whole number"),
        ('max_tokens_name = "limit"', "max_tokens_name: expected one of"),
        ("takes_seed = 1", "takes_seed: expected true or false"),
        ("temperature = -1", "temperature: expected a number >= 0.0"),
        ("temperature = nan", "temperature: expected a number "),
        ("temperature = 1\ntakes_temperature = false", "temperature: is never sent"),
        ("timeout = 0", "timeout: expected a number > 0.0"),
        ("requests_per_minute = -5", "requests_per_minute: expected a number > 0.0"),
        ("max_retries = 1.5", "max_retries: expected a whole number"),
        ('base_url = "host/v1"', "base_url: expected the address of an endpoint"),
        ("stop = [1]", "stop[0]: expected a text"),
        ("headers = { X = 1 }", "headers: expected a text"),
        ('headers = { "a b" = "x" }', "headers: the header 'a b' cannot be sent"),
        ("extra_body = 3", "extra_body: expected a table"),
        ("extra_body = { stream = true }", "must not hold 'stream'"),
        ("extra_body = { day = 2024-01-01 }", "JSON does not have"),
        ("price = { prompt = 1 }", "price.completion: missing"),
        ("price = { prompt = 1, completion = 2, output = 3 }", "price: expected { prompt, completion }"),
        ('price = { prompt = "1", completion = 2 }', "price.prompt: expected a number"),
        ('key_variable = "MY KEY"', "key_variable: expected the name of an environment variable"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(line: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ModelConfigurationError) as caught:
        catalogue(tmp_path, f'[models."my model"]\n{line}\n')
    assert said in str(caught.value)
    assert f'{tmp_path / "models.toml"}, [models."my model"]' in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[models", ":1:8: not TOML"),
        ("[model.x]\n", "unknown table [model]; did you mean 'models'?"),
        ("models = 3\n", "models must be tables"),
        ("[models]\nx = 3\n", 'models.toml, [models."x"]: expected a table'),
        ("[models.gpt-4.1]\ntimeout = 1\n", "a name with a dot needs quotation marks"),
    ],
)
def test_a_file_of_another_form_is_refused(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ModelConfigurationError) as caught:
        catalogue(tmp_path, text)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        'key_variable = "sk-abcdef1234567890"',
        'key_variable = "0123456789abcdef0123456789abcdef"',
        'key_variable = "a123456789abcdef0123456789abcdef"',
        'organization = "sk-abcdef1234567890"',
        'extra_body = { provider = { byok = "sk-abcdef1234567890" } }',
        'reasoning_effort = "sk-abcdef1234567890"',
        'headers = { X = "sk-abcdef1234567890\\n" }',
        'base_url = "sk-abcdef1234567890"',
    ],
)
def test_a_key_in_the_file_is_refused_and_not_repeated(line: str, tmp_path: Path) -> None:
    with pytest.raises(ModelConfigurationError) as caught:
        catalogue(tmp_path, f"[models.m]\n{line}\n")
    assert "abcdef" not in str(caught.value)


# ── what tokens cost ─────────────────────────────────────────────────────────────────────────────


def test_a_call_is_priced_by_its_kinds_of_tokens() -> None:
    price = price_of("gpt-4o-2024-08-06")
    usage = Usage(prompt_tokens=1_000_000, completion_tokens=100_000, cached_tokens=400_000, reasoning_tokens=50_000)
    assert price.usd(usage) == pytest.approx(0.6 * 2.50 + 0.4 * 1.25 + 0.1 * 10)
    assert FREE.usd(usage) == 0


@pytest.mark.parametrize("name", ["my-llama", "gpt-4o-finetuned", "", "oracle"])
def test_an_unknown_price_is_not_zero(name: str) -> None:
    assert price_of(name) is None


def test_a_batch_costs_its_part_of_the_price() -> None:
    usage = Usage(prompt_tokens=1_000_000, completion_tokens=1_000_000, cached_tokens=500_000)
    price = price_of("gpt-4o-mini")
    assert price.usd(usage, "batch") == pytest.approx(price.usd(usage) / 2)
    assert Price(1, 1, 1, batch=0.25).usd(usage, tariff="batch") == pytest.approx(0.5)
    assert Price(1, 1, 1).usd(usage, "standard") == pytest.approx(2.0)

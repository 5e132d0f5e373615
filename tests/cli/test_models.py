"""``pddl2nl models``: the list of known models, and one of them as TOML."""

from __future__ import annotations

import json
import tomllib
from functools import partial
from pathlib import Path

import pytest

from pddl2nl.llm.settings import load_catalogue
from tests.cli.one_command import run_command

OWN = """
[models.mine]
base_url = "https://me:secret-pw@host.example/v1"
headers = { X-Token = "$MY_TOKEN", X-Title = "private-title" }
organization = "private-org"
stop = ["\\"quoted\\"\\n"]
extra_body = { top_k = 1, "odd key" = { order = ["a", "b"], deep = true } }
price = { prompt = 1, completion = 2 }
[models."mine-*"]
timeout = 5
"""


@pytest.fixture(autouse=True)
def _no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PDDL2NL_MODELS", raising=False)


@pytest.fixture
def own(tmp_path: Path) -> str:
    path = tmp_path / "own.toml"
    path.write_text(OWN, encoding="utf-8")
    return str(path)


call = partial(run_command, "models")


def test_the_known_models_are_listed_with_prices_and_settings() -> None:
    result = call()
    assert result.code == 0
    lines = {line.split()[0]: line for line in result.out.splitlines() if line.strip()}
    assert lines["gpt-4o-2024-08-06"].split()[:5] == ["gpt-4o-2024-08-06", "2.5", "1.25", "10", "0.5"]
    assert 'max_tokens_name = "max_completion_tokens"' in lines["o3"]
    assert "takes_stop = false" in lines["gpt-5*"]
    assert "?" in lines["gpt-5*"]


def test_json_of_all_and_of_one(own: str) -> None:
    everything = {entry["name"]: entry for entry in json.loads(call("--json", "--models", own).out)["models"]}
    assert everything["mine"]["price"]["completion"] == 2.0
    assert everything["mine-*"]["timeout"] == 5.0
    one = json.loads(call("mine", "--json", "--models", own).out)
    assert one == {**everything["mine"], "known": True}


@pytest.mark.parametrize("name", ["gpt-4o", "o3-mini-2025-01-31", "mine", "mine-2", "unheard-of"])
def test_one_is_printed_as_toml_that_says_the_same(name: str, own: str, tmp_path: Path) -> None:
    result = call(name, "--models", own)
    assert result.code == 0
    assert list(tomllib.loads(result.out)["models"]) == [name]
    pasted = tmp_path / "pasted.toml"
    pasted.write_text(result.out, encoding="utf-8")
    assert load_catalogue(pasted).of(name).to_json() == load_catalogue(own).of(name).to_json()
    assert ("no entry fits" in result.err) == (name == "unheard-of")


def test_what_is_private_is_named_and_not_shown(own: str) -> None:
    for arguments in (("mine",), (), ("mine", "--json"), ("--json",)):
        shown = call(*arguments, "--models", own)
        assert "secret-pw" not in shown.out + shown.err
        assert "private-" not in shown.out + shown.err
        assert "MY_TOKEN" not in shown.out + shown.err
    assert "# headers: given" in call("mine", "--models", own).out
    assert "# base_url: shown without" in call("mine", "--models", own).out


def test_a_near_name_is_suggested() -> None:
    assert "did you mean 'gpt-4o-mini'?" in call("gtp-4o-mini").err

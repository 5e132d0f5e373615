"""``pddl2nl word review``: the snippets that a person should look at."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pddl2nl.cli.app import main

DOMAINS = Path(__file__).parents[2] / "domains"
FERRY = DOMAINS / "ferry" / "domain.pddl"


@pytest.fixture
def couch(tmp_path: Path) -> Path:
    """Ferry's wording, with a text that has every parameter and the wrong meaning."""
    data = json.loads((DOMAINS / "ferry" / "wording.json").read_text())
    data["predicates"]["on"] = {"parameters": ["?c"], "text": "{?c} is on the couch"}
    file = tmp_path / "wording.json"
    file.write_text(json.dumps(data))
    return file


def test_a_text_with_another_meaning_is_listed(couch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["word", "review", str(couch), str(FERRY)]) == 1
    assert capsys.readouterr().out == (
        "predicate 'on': {?c} is on the couch\n  it speaks of 'couch', which the domain does not name\n"
    )


def test_json_has_the_reasons(couch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["word", "review", str(couch), str(FERRY), "--json"]) == 1
    (item,) = json.loads(capsys.readouterr().out)["review"]
    assert item == {
        "kind": "predicates",
        "name": "on",
        "text": "{?c} is on the couch",
        "reasons": ["speaks of 'couch', which the domain does not name"],
    }


def test_the_marks_of_the_file_count_where_it_has_any(couch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(couch.read_text())
    data["source"]["review"] = []
    couch.write_text(json.dumps(data))
    assert main(["word", "review", str(couch), str(FERRY)]) == 0
    assert capsys.readouterr().out == ""
    mark = {"kind": "predicates", "name": "on", "text": "{?c} is on the couch", "reasons": ["is odd"]}
    data["source"]["review"] = [mark, {**mark, "text": "{?c} is on deck"}, "nonsense", {"reasons": []}]
    couch.write_text(json.dumps(data))
    assert main(["word", "review", str(couch), str(FERRY)]) == 1
    assert capsys.readouterr().out == "predicate 'on': {?c} is on the couch\n  it is odd\n"


def test_the_domain_beside_the_file_is_the_default(couch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["word", "review", str(DOMAINS / "ferry" / "wording.json")]) == 0
    assert main(["word", "review", str(couch)]) == 2
    assert "no domain.pddl lies beside it" in capsys.readouterr().err

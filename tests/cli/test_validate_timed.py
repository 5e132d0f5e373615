"""``validate`` with VAL's tolerances of times, and ``tell`` with times."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pddl2nl.cli.app import main

DOMAIN = """(define (domain d) (:requirements :durative-actions) (:predicates (p))
  (:durative-action a :parameters () :duration (= ?duration 2) :condition () :effect (at end (p))))"""


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    texts = {
        "d.pddl": DOMAIN,
        "p.pddl": "(define (problem x) (:domain d) (:init) (:goal (p)))",
        "plan.txt": "0: (a) [2.005]\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return [str(tmp_path / name) for name in texts]


@pytest.mark.parametrize(
    ("options", "code"), [([], 1), (["--val-tolerance"], 0), (["-t", "0.001"], 1), (["-t", "0.006"], 0)]
)
def test_tolerances(files: list[str], options: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", *files, "--json", *options]) == code
    report = json.loads(capsys.readouterr().out)
    assert (report["verdict"], report["valid_from_tolerance"]) == (
        ("valid", None) if code == 0 else ("inapplicable", 0.005)
    )


@pytest.mark.parametrize("value", ["-1", "soon", "1e3", "inf"])
def test_a_tolerance_is_a_number(files: list[str], value: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", *files, "-t", value]) == 2
    assert f"-t takes a number from 0 on, such as 0.001, not '{value}'" in capsys.readouterr().err


def test_tell_says_the_times(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tell", *files, "--wording", "template"]) == 0
    assert capsys.readouterr().out == "at 0, apply the action 'a', for 2.005\n"


@pytest.mark.parametrize(("options", "said"), [([], False), (["--wording", "template"], True)])
def test_a_batch_finds_tolerances_only_where_it_tells_them(
    files: list[str], options: list[str], said: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "batch").write_text(json.dumps(dict(zip(("domain", "problem", "plan"), files, strict=True))))
    assert main(["validate", "--json", "--batch", str(tmp_path / "batch"), *options]) == 1
    assert ("valid_from_tolerance" in json.loads(capsys.readouterr().out)) is said

"""``pddl2nl validate``: the same as ``python -m pddlval``, and verdicts told."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from pddl2nl.cli.app import main
from pddlval.__main__ import main as validators_main
from tests.cli.one_command import refused, run_command

DOMAIN = """(define (domain lamps)
  (:requirements :typing)
  (:types lamp)
  (:predicates (lit ?l - lamp) (wired ?l - lamp))
  (:action switch-on :parameters (?l - lamp) :precondition (wired ?l) :effect (lit ?l))
  (:action cut :parameters (?l - lamp) :precondition (wired ?l) :effect (and (not (wired ?l)) (not (lit ?l)))))
"""
PROBLEM = """(define (problem two) (:domain lamps) (:objects a b - lamp)
  (:init (wired a) (wired b)) (:goal (and (lit a) (lit b))))
"""
TASK = ("domain.pddl", "problem.pddl")
PLANS = {
    "good.plan": "(switch-on a) (SWITCH-ON B)",
    "short.plan": "(switch-on a)",
    "cut.plan": "(cut a) (switch-on a)",
    "bad.plan": "(switch-on a)\n(switch-on)\n",
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in {"domain.pddl": DOMAIN, "problem.pddl": PROBLEM, **PLANS}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


validate = partial(run_command, "validate")


@pytest.mark.parametrize("options", [[], ["-v"], ["--json"]])
@pytest.mark.parametrize("plans", [["good.plan"], ["short.plan"], ["cut.plan"], ["bad.plan"], list(PLANS)])
def test_it_says_what_python_m_validators_says(
    plans: list[str], options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    result = validate(*TASK, *plans, *options)
    code = validators_main([*TASK, *plans, *options])
    assert result.out == capsys.readouterr().out
    assert result.code == code == (0 if plans == ["good.plan"] else 1)


def test_verdicts_are_told_in_words() -> None:
    silent = json.loads(validate(*TASK, "cut.plan", "--json").out)
    told = json.loads(validate(*TASK, "cut.plan", "--json", "--wording", "template").out)
    assert silent["told"] == []
    assert told["told"]
    assert all(isinstance(sentence, str) and "lamp_0" in " ".join(told["told"]) for sentence in told["told"])
    assert {**told, "told": []} == silent
    original = json.loads(validate(*TASK, "cut.plan", "--json", "--wording", "template", "--names", "original").out)
    assert "lamp_0" not in " ".join(original["told"])


def test_a_batch_takes_names_of_shipped_tasks(here: Path) -> None:
    entry = {"domain": "blocksworld", "problem": "p01", "plan_text": "(stack a b)"}
    wrong = {**entry, "problem": "p99"}
    (here / "batch.jsonl").write_text(f"{json.dumps(entry)}\n{json.dumps(wrong)}\n")
    result = validate("--batch", "batch.jsonl", "--json")
    answers = [json.loads(line) for line in result.out.splitlines()]
    assert result.code == 2
    assert answers[0]["verdict"] == "inapplicable"
    assert "no instance of blocksworld has this name" in answers[1]["error"]


@pytest.mark.parametrize(
    "arguments", [["domain.pddl"], TASK, ["--batch", "x.jsonl"], [*TASK, "good.plan", "--batch", "x.jsonl", "--json"]]
)
def test_usage_errors(arguments: list[str]) -> None:
    assert validate(*arguments).code == 2


def test_names_without_a_wording_are_refused_and_not_ignored() -> None:
    result = validate(*TASK, "good.plan", "--names", "original")
    assert result.code == 2
    assert "--wording" in result.err


def test_json_tells_in_the_domains_own_words(root: Path) -> None:
    """As `convert` does: the wording.json beside the domain's file is the default."""
    task, plan = ("blocksworld", "p01", "-", "--json"), "(stack a b)\n"
    own = str(root / "domains/blocksworld/wording.json")
    default, asked, template = (
        json.loads(validate(*task, *options, text=plan).out)["told"]
        for options in ((), ("--wording", own), ("--wording", "template"))
    )
    assert default == asked != template


# ── tolerances of times ──────────────────────────────────────────────────────────────────────────


TIMED = """(define (domain d) (:requirements :durative-actions) (:predicates (p))
  (:durative-action a :parameters () :duration (= ?duration 2) :condition () :effect (at end (p))))"""


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    texts = {
        "d.pddl": TIMED,
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
def test_a_tolerance_is_a_number(files: list[str], value: str) -> None:
    assert f"-t takes a number from 0 on, such as 0.001, not '{value}'" in refused("validate", *files, "-t", value)


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

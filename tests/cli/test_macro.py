"""``pddl2nl macro``: its commands, their JSON, files and exit codes."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from tests.cli.one_command import run_command


@pytest.fixture
def domain(root: Path) -> Path:
    return root / "domains/blocksworld/domain.pddl"


@pytest.fixture
def problem(root: Path) -> Path:
    return root / "instances/blocksworld/p01.pddl"


def _file(place: Path, name: str, text: str) -> Path:
    path = place / name
    path.write_text(text, encoding="utf-8")
    return path


run = partial(run_command, "macro")


# ── compose ──────────────────────────────────────────────────────────────────────────────────────


def test_compose_prints_an_action_and_writes_what_can_be_read(domain: Path, tmp_path: Path) -> None:
    out_file = tmp_path / "deep" / "move.pddl"
    code, out, _ = run("compose", domain, "(pick-up ?x)", "(stack ?x ?y)", "--name", "Move it", "--out", out_file)
    assert code == 0
    assert out == out_file.read_text(encoding="utf-8")
    assert "(:action move-it\n  :parameters (?x ?y)\n" in out
    assert '; steps: ["(pick-up ?x)", "(stack ?x ?y)"]' in out


def test_json_of_compose(domain: Path) -> None:
    code, out, _ = run("compose", domain, "(unstack ?x ?y)", "(put-down ?x)", "--distinct", "--json")
    data = json.loads(out)
    assert code == 0
    assert list(data) == ["name", "parameters", "steps", "precondition", "effect", "distinct", "description", "pddl"]
    assert data["name"] == "unstack-put-down"
    assert data["parameters"] == [{"name": "?x", "types": ["object"]}, {"name": "?y", "types": ["object"]}]
    assert data["steps"] == ["(unstack ?x ?y)", "(put-down ?x)"]
    assert data["distinct"] is True


def test_compose_warns_of_what_can_never_run(domain: Path) -> None:
    code, out, error = run("compose", domain, "(pick-up ?x)", "(pick-up ?y)")
    assert code == 0
    assert ":precondition (or)" in out
    assert "can never be carried out" in error


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (["(fly ?x)"], "fly"),
        (["(stack ?x)"], "stack"),
        (["(pick-up"], "not an action"),
        (["(pick-up ?x)", "(stack ?x box)"], "box"),
        (["(pick-up ?)"], "'?' is no variable"),
        (["(pick-up ?x;)"], "'?x;' is no variable"),
        (["(pick-up ?x)", "--total", "fuel"], "no function 'fuel'; it has none"),
    ],
)
def test_compose_refuses_what_the_domain_does_not_have(domain: Path, steps: list[str], said: str) -> None:
    code, out, error = run("compose", domain, *steps)
    assert (code, out) == (2, "")
    assert said in error


# ── prove ────────────────────────────────────────────────────────────────────────────────────────

_CLAIM = """(:action move :parameters (?x ?y)
  :precondition (and (clear ?x) (ontable ?x) (clear ?y){more})
  :effect (on ?x ?y))"""


@pytest.fixture
def needs_prover() -> None:
    pytest.importorskip("z3", reason="the prover is absent: pip install 'pddl2nl[macros]'")


@pytest.mark.usefixtures("needs_prover")
def test_prove_and_refute(domain: Path, problem: Path, tmp_path: Path) -> None:
    block = _file(tmp_path, "block.plan", "(pick-up a)\n(stack a b)\n")
    wrong = _file(tmp_path, "wrong.pddl", _CLAIM.format(more=""))
    code, out, _ = run("prove", domain, problem, wrong, "--block", block, "--args", "a b", "--names", "original")
    assert code == 1
    assert out.startswith("not proved\n")
    assert "my hand is empty, in PDDL (handempty)" in out
    right = _file(tmp_path, "right.pddl", _CLAIM.format(more=" (handempty)"))
    code, out, _ = run("prove", domain, problem, right, "--block", block, "--args", "a b", "--json")
    data = json.loads(out)
    assert code == 0
    assert (data["sound"], data["runs"], data["holds"], data["precondition"]) == (True, "proved", "proved", "exact")
    assert data["complete_effect"] == "refuted"
    assert [item["kind"] for item in data["counterexamples"]] == ["incomplete"]
    assert data["block"] == ["(pick-up a)", "(stack a b)"]


@pytest.mark.usefixtures("needs_prover")
def test_what_compose_writes_is_proved(domain: Path, problem: Path, tmp_path: Path) -> None:
    file = tmp_path / "m.pddl"
    run("compose", domain, "(pick-up ?x)", "(stack ?x ?y)", "--out", file)
    code, out, _ = run("prove", domain, problem, file, "--args", "a c", "--json")
    assert code == 0
    data = json.loads(out)
    assert (data["precondition"], data["complete_effect"]) == ("exact", "proved")
    # The objects can be found from a block too.
    block = _file(tmp_path, "block.plan", "(pick-up a)\n(stack a c)\n")
    assert run("prove", domain, problem, file, "--block", block)[0] == 0

"""``pddl2nl tasks obfuscate``: files there and back, JSON, text, and what it refuses."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from pddl2nl.pddl import load_task
from pddl2nl.tasks import shipped_domain
from pddlval import load_plan, validate
from tests.cli.one_command import run_command

PLAN = "; by hand\n(UNSTACK c b)\n(stack c a)\n(pick-up b)\n(stack b c)\n"


run = partial(run_command, "tasks", "obfuscate")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path, Path]:
    """A domain, a problem, a plan of it and the domain's wording."""
    folder = tmp_path / "given"
    folder.mkdir()
    shipped = shipped_domain("blocksworld")
    paths = (folder / "domain.pddl", folder / "towers.pddl", folder / "good.plan", folder / "words.json")
    problem = (
        "(define (problem towers) (:domain blocksworld-4ops) (:objects a b c) (:init (handempty) (ontable a)"
        " (clear a) (ontable b) (on c b) (clear c)) (:goal (and (on c a) (on b c))))"
    )
    texts = (
        shipped.domain_path.read_text(encoding="utf-8"),
        problem,
        PLAN,
        shipped.wording_path.read_text(encoding="utf-8"),
    )
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


@pytest.mark.parametrize("scheme", ["generic", "mystery", "random"])
def test_files_there_and_back(files: tuple[Path, Path, Path, Path], tmp_path: Path, scheme: str) -> None:
    domain, problem, plan, words = files
    new, back = tmp_path / "new", tmp_path / "back"
    options = ("--plan", plan, "--wording", words, "--scheme", scheme, "--objects", "--seed", "4", "--out", new)
    code, out, err = run(domain, problem, *options)
    assert (code, err) == (0, "")
    names = ["domain.pddl", "problem1.pddl", "plan1.plan", "wording.json", "mapping.json"]
    assert out.split() == [str(new / name) for name in names]
    task = load_task(new / "domain.pddl", new / "problem1.pddl")
    assert validate(task, load_plan(new / "plan1.plan")).valid
    for name in ("domain.pddl", "problem1.pddl", "plan1.plan"):
        text = (new / name).read_text(encoding="utf-8")
        assert not [word for word in ("stack", "clear", "table", "block", "towers", "hand", ";") if word in text]
    mapping = json.loads((new / "mapping.json").read_text(encoding="utf-8"))
    assert mapping["files"] == {"domain.pddl": "domain.pddl", "problem1.pddl": "towers.pddl", "plan1.plan": "good.plan"}

    options = ("--plan", new / "plan1.plan", "--wording", new / "wording.json", "--reverse", new / "mapping.json")
    code, out, err = run(new / "domain.pddl", new / "problem1.pddl", *options, "--out", back)
    assert (code, err) == (0, "")
    assert out.split() == [str(back / name) for name in ("domain.pddl", "towers.pddl", "good.plan", "wording.json")]
    assert load_task(back / "domain.pddl", back / "towers.pddl") == load_task(domain, problem)
    assert load_plan(back / "good.plan").actions == load_plan(plan).actions
    again = json.loads((back / "wording.json").read_text(encoding="utf-8"))
    assert again == json.loads(words.read_text(encoding="utf-8"))


def test_json_holds_texts_wording_and_mapping(files: tuple[Path, Path, Path, Path]) -> None:
    domain, problem, plan, _ = files
    code, out, _ = run(domain, problem, problem, "--plan", plan, "--json")
    data = json.loads(out)
    assert code == 0
    assert list(data) == ["reversed", "scheme", "seed", "domain", "problems", "plans", "wording", "mapping"]
    assert (data["reversed"], data["scheme"], data["seed"]) == (False, "generic", 1)
    assert data["plans"] == [
        {"file": str(plan), "out": None, "text": "(action4 c b)\n(action3 c a)\n(action1 b)\n(action3 b c)\n"}
    ]
    assert [entry["file"] for entry in data["problems"]] == [str(problem)] * 2
    assert data["domain"]["text"].startswith("(define (domain domain1)")
    assert data["wording"]["actions"]["action1"]["text"] == "apply the action 'action1' to object {?x3}"
    assert data["mapping"]["actions"] == {
        "pick-up": "action1",
        "put-down": "action2",
        "stack": "action3",
        "unstack": "action4",
    }
    assert data["mapping"]["variables"] == {"?x": "?x1", "?y": "?x2", "?ob": "?x3", "?underob": "?x4"}


def test_names_that_tell_and_names_that_nothing_has_are_warned_of(
    files: tuple[Path, Path, Path, Path], tmp_path: Path
) -> None:
    domain, problem, plan, _ = files
    problem.write_text(problem.read_text(encoding="utf-8").replace(" a b c)", " a b c red-block)"), encoding="utf-8")
    plan.write_text("(unstack c b)\n(fly d)\n", encoding="utf-8")
    code, out, err = run(domain, problem, "--plan", plan)
    assert code == 0
    assert "warning: objects keep their names (red-block" in err
    assert f"warning: {plan}: fly: not in the domain" in err
    assert "(fly d)" in out
    assert "fly, d: not in" in run(domain, problem, "--plan", plan, "--objects")[2]


def test_what_was_read_is_not_overwritten(files: tuple[Path, Path, Path, Path]) -> None:
    domain, problem, *_ = files
    before = domain.read_text(encoding="utf-8")
    code, _, err = run(domain, problem, "--objects", "--out", domain.parent)
    assert code == 2
    assert f"{domain} would overwrite {domain}, which was read" in err
    assert domain.read_text(encoding="utf-8") == before


def test_bad_mappings_and_options_are_refused(files: tuple[Path, Path, Path, Path], tmp_path: Path) -> None:
    domain, problem, *_ = files
    mapping = tmp_path / "mapping.json"
    assert run(domain, "--reverse", mapping)[0] == 2
    mapping.write_text("{", encoding="utf-8")
    assert "not JSON" in run(domain, "--reverse", mapping)[2]
    mapping.write_text("[" * 100_000, encoding="utf-8")
    assert "not JSON" in run(domain, "--reverse", mapping)[2]
    mapping.write_text('{"format": 1}', encoding="utf-8")
    code, _, err = run(domain, problem, "--reverse", mapping)
    assert code == 2
    assert "the mapping has no domain 'blocksworld-4ops'" in err
    code, _, err = run(domain, "--reverse", mapping, "--scheme", "generic")
    assert code == 2
    assert "leave --scheme and --objects out" in " ".join(err.replace("│", " ").split())
    assert run(domain, "--scheme", "secret")[0] == 2


@pytest.mark.parametrize(
    "name",
    [
        "../../escaped.pddl",
        "/escaped.pddl",
        "..",
        ".",
        "a/../..",
        "..\\escaped",
        "c:escaped",
        "nul\0",
        "\ud800",
        "x" * 300,
    ],
)
def test_a_mapping_writes_nothing_outside_of_its_folder(
    name: str, files: tuple[Path, Path, Path, Path], tmp_path: Path
) -> None:
    domain, *_ = files
    new, back = tmp_path / "new", tmp_path / "back"
    run(domain, "--out", new)
    mapping = json.loads((new / "mapping.json").read_text(encoding="utf-8"))
    mapping["files"]["domain.pddl"] = name
    (new / "mapping.json").write_text(json.dumps(mapping), encoding="utf-8")
    code, out, _ = run(new / "domain.pddl", "--reverse", new / "mapping.json", "--out", back)
    assert (code, out.split()) == (0, [str(back / "domain.pddl")])
    assert [path.name for path in back.iterdir()] == ["domain.pddl"]

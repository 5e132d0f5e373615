"""``pddl2nl tasks``: JSON of the tasks in a folder, a table for people, and its errors."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from pddl2nl.cli.app import main
from pddl2nl.nl import save_wording, template_wording
from pddl2nl.pddl import load_domain, load_task
from pddl2nl.tasks.generators import generate, generators
from tests.cli.one_command import run_command

DOMAIN = "(define (domain lamps) (:predicates (lit ?x)) (:action on :parameters (?x) :effect (lit ?x)))"
PROBLEM = "(define (problem some) (:domain lamps) (:objects a) (:init) (:goal (lit a)))"
FILES = {
    "grid/domain.pddl": DOMAIN,
    "grid/p01.pddl": PROBLEM,
    "grid/p02.pddl": PROBLEM,
    "ferry-opt11/domain.pddl": DOMAIN,
    "ferry-opt11/p1.pddl": PROBLEM,
    "odd/domain.pddl": DOMAIN,
    "odd/p1.pddl": PROBLEM.replace("lamps", "even"),
    "README.md": "no task",
}


@pytest.fixture
def folder(tmp_path: Path) -> str:
    for name, text in FILES.items():
        path = tmp_path / "bench" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(tmp_path / "bench")


def test_the_tasks_are_printed_as_json(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tasks", "pairs", folder]) == 0
    out, err = capsys.readouterr()
    said = json.loads(out)
    assert err == ""
    assert [*said] == ["root", "suites", "tasks", "left_over"]
    assert said["suites"] == [
        {"suite": "ferry-opt11", "tasks": 1, "domains": 1, "guesses": 0},
        {"suite": "grid", "tasks": 2, "domains": 1, "guesses": 0},
        {"suite": "odd", "tasks": 1, "domains": 1, "guesses": 1},
    ]
    first, *_, last = said["tasks"]
    assert first == {
        "suite": "ferry-opt11",
        "name": "p1",
        "domain": f"{folder}/ferry-opt11/domain.pddl",
        "problem": f"{folder}/ferry-opt11/p1.pddl",
        "guess": False,
        "rule": "only",
        "why": "no other domain is there",
    }
    assert last["guess"] is True
    assert "(:domain even)" in last["why"]
    assert said["left_over"][0]["file"] == f"{folder}/README.md"
    assert main(["tasks", "pairs", folder, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == said


def test_suites_can_be_chosen(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tasks", "pairs", folder, "--only", "FERRY*", "--only", "odd"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [suite["suite"] for suite in said["suites"]] == ["ferry-opt11", "odd"]
    assert main(["tasks", "pairs", folder, "--only", "grit"]) == 2
    assert "no suite in" in (message := capsys.readouterr().err)
    assert "did you mean 'grid'?" in message


def test_a_table_for_people(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tasks", "pairs", folder, "--table"]) == 0
    out = capsys.readouterr().out
    assert "4 tasks in" in out
    assert "a guess: odd, p1" in out
    assert "1 file is part of no task" in out


def test_all_tasks_are_read_where_that_is_wished(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    (Path(folder) / "grid" / "p02.pddl").write_text("(define (problem x) (:domain lamps) (:goal (burns a)))")
    assert main(["tasks", "pairs", folder, "--check", "--only", "grid"]) == 1
    good, bad = json.loads(capsys.readouterr().out)["tasks"]
    assert (good["name"], good["error"]) == ("p01", None)
    assert "burns" in bad["error"]
    assert main(["tasks", "pairs", folder, "--check", "--only", "grid", "--table"]) == 1
    assert "cannot be read: grid, p02" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["absent", "empty"])
def test_a_folder_without_tasks_is_bad_input(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    assert main(["tasks", "pairs", str(tmp_path / name)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")


# ── pddl2nl tasks equivalent: files and shipped instances, text and JSON, exit codes ──────────────


pytest.importorskip("networkx", reason="networkx is absent: pip install 'pddl2nl[planners]'")


run = partial(run_command, "tasks", "equivalent")


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    """p01 with other names of objects: c on b on a becomes z on y on x."""
    text = (root / "instances/blocksworld/p01.pddl").read_text(encoding="utf-8")
    for old, new in (("a", "x"), ("b", "y"), ("c", "z")):
        text = text.replace(f" {old})", f" {new})").replace(f" {old} ", f" {new} ").replace(f" {old}\n", f" {new}\n")
    path = tmp_path / "copy.pddl"
    path.write_text(text, encoding="utf-8")
    return path


def test_other_names_make_no_other_problem(copy: Path) -> None:
    assert run("blocksworld", "p01", copy) == (0, "equivalent\n", "")


def test_what_differs_is_listed(copy: Path) -> None:
    copy.write_text(copy.read_text(encoding="utf-8").replace("(handempty)", ""), encoding="utf-8")
    code, out, _ = run("blocksworld", "p01", copy)
    assert (code, out) == (1, "not equivalent\n  missing: init (handempty)\n")
    code, out, _ = run("blocksworld", "p01", copy, "--json")
    assert json.loads(out) == {"equivalent": False, "missing": ["init (handempty)"], "invented": []}


def test_a_problem_of_another_domain_is_refused(root: Path) -> None:
    code, out, error = run("blocksworld", "p01", root / "instances/ferry/p01.pddl")
    assert (code, out) == (2, "")
    assert "p01.pddl" in error


# ── pddl2nl tasks strip-costs ────────────────────────────────────────────────────────────────────


DOORS = """; costs differ
(define (domain doors) (:requirements :strips :action-costs) (:predicates (open ?d)) (:functions (total-cost))
  (:action push :parameters (?d) :effect (and (open ?d) (increase (total-cost) 1)))
  (:action kick :parameters (?d) :effect (and (open ?d) (increase (total-cost) {kick}))))
"""
OPENED = """(define (problem p) (:domain doors) (:objects d) (:init (= (total-cost) 0)) (:goal (open d))
  (:metric minimize (total-cost)))
"""


strip = partial(run_command, "tasks", "strip-costs")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A domain whose actions cost 1 and 5, and a problem."""
    domain, problem = tmp_path / "doors.pddl", tmp_path / "p01.pddl"
    domain.write_text(DOORS.replace("{kick}", "5"), encoding="utf-8")
    problem.write_text(OPENED, encoding="utf-8")
    return domain, problem


def test_files_keep_their_names_and_lose_their_costs(files: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = tmp_path / "words.json"
    save_wording(template_wording(load_domain(files[0])), words)
    code, text, err = strip(*files, "--wording", words, "--out", out)
    assert (code, err) == (0, "")
    told, *written = text.splitlines()
    assert told == (
        "doors: action costs removed, and with them total-cost: actions do not all cost the same: 'push' 1 and "
        "'kick' 5; plans need no change: what was valid stays valid, and costs as much as it has steps"
    )
    assert written == [str(out / name) for name in ("doors.pddl", "p01.pddl", "wording.json")]
    task = load_task(out / "doors.pddl", out / "p01.pddl")
    assert (task.domain.functions, task.domain.requirements, task.problem.metric) == ((), (":strips",), None)
    assert json.loads((out / "wording.json").read_text(encoding="utf-8"))["functions"] == {}


def test_json_says_what_and_why(files: tuple[Path, Path], tmp_path: Path) -> None:
    code, text, _ = strip(*files, "--json")
    data = json.loads(text)
    assert code == 0
    assert data["domain"] == {"file": str(files[0]), "out": None}
    assert data["problems"] == [{"file": str(files[1]), "out": None}]
    assert (data["status"], data["functions"], data["cost"]) == ("removed", ["total-cost"], None)
    assert data["plans"].startswith("plans need no change")
    data = json.loads(strip(*files, "--json", "--out", tmp_path / "out")[1])
    assert data["problems"][0]["out"] == str(tmp_path / "out" / "p01.pddl")


def test_files_of_one_name_and_files_that_were_read_are_refused(files: tuple[Path, Path], tmp_path: Path) -> None:
    domain, problem = files
    (tmp_path / "more").mkdir()
    other = tmp_path / "more" / "p01.pddl"
    other.write_text(OPENED, encoding="utf-8")
    code, _, err = strip(domain, problem, other, "--out", tmp_path / "out")
    assert code == 2
    assert "two files are called 'p01.pddl'" in err
    code, _, err = strip(domain, problem, "--out", tmp_path)
    assert code == 2
    assert f"would overwrite {domain}" in err


# ── pddl2nl tasks generate ───────────────────────────────────────────────────────────────────────


make = partial(run_command, "tasks", "generate")


def test_the_call_in_the_json_makes_the_same_text() -> None:
    code, out, _ = make("ferry", "cars=4", "--seed", "3", "--name", "mine", "--json")
    data = json.loads(out)
    assert code == 0
    assert list(data) == ["domain", "name", "seed", "parameters", "call", "objects", "solvable", "text"]
    assert (data["domain"], data["name"], data["seed"], data["solvable"]) == ("ferry", "mine", 3, True)
    assert data["parameters"] == {"locations": 3, "cars": 4, "moving": 50}
    assert data["objects"] == 7
    assert make(*data["call"].split()[3:])[1] == data["text"]


def test_files_are_written_one_or_several(tmp_path: Path) -> None:
    assert make("ferry", "--out", str(tmp_path / "deep" / "one.pddl")) == (0, "", "")
    assert (tmp_path / "deep" / "one.pddl").read_text(encoding="utf-8") == generate("ferry", 1).text
    folder = tmp_path / "several"
    code, out, _ = make("ferry", "--seed", "4", "--count", "3", "--out", str(folder), "--json")
    assert code == 0
    assert [json.loads(line)["seed"] for line in out.splitlines()] == [4, 5, 6]
    assert sorted(path.name for path in folder.iterdir()) == ["ferry-4.pddl", "ferry-5.pddl", "ferry-6.pddl"]
    assert (folder / "ferry-5.pddl").read_text(encoding="utf-8") == generate("ferry", 5).text
    assert make("ferry", "--seed", "7", "--count", "1", "--out", str(folder)) == (0, "", "")
    assert (folder / "ferry-7.pddl").is_file()


def test_without_a_domain_all_generators_are_listed() -> None:
    code, out, _ = make()
    assert code == 0
    assert all(f"  {name} " in out for name in generators())
    listed = json.loads(make("--json")[1])["generators"]
    assert [each["domain"] for each in listed] == list(generators())


@pytest.mark.parametrize("domain", generators())
@pytest.mark.parametrize("option", ["--parameters", "--explain"])
def test_every_parameter_is_explained(domain: str, option: str) -> None:
    code, out, _ = make(domain, option)
    assert code == 0
    told = json.loads(make(domain, option, "--json")[1])
    assert [each["name"] for each in told["parameters"]] == [each.name for each in generators()[domain].parameters]
    words = " ".join(out.split())
    for each in generators()[domain].parameters:
        assert f" {each.name} " in words
        assert each.expected in words


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("blockworld",), "there is no generator of 'blockworld'; did you mean 'blocksworld'?"),
        (("ferry", "car=3"), "the generator of ferry has no parameter 'car'; did you mean 'cars'?"),
        (("ferry", "cars=0"), "parameter 'cars' is '0'; a whole number from 1 to 200 was expected"),
        (("ferry", "cars"), "'cars' is no parameter; name=value was expected"),
        (("ferry", "cars=1", "cars=2"), "the parameter 'cars' is given twice"),
        (("ferry", "--name", "A b"), "'A b' is no name of a problem"),
        (("ferry", "--count", "2"), "--out DIR is needed"),
        (("ferry", "--count", "1"), "--out DIR is needed"),
        (("ferry", "--count", "2", "--out", "x", "--name", "y"), "--name is not possible"),
        (("ferry", "--seed", "-1"), "-1"),
    ],
)
def test_what_cannot_be_is_refused_with_a_hint(arguments: tuple[str, ...], said: str) -> None:
    code, out, err = make(*arguments)
    assert (code, out) == (2, "")
    assert said in err

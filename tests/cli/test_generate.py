"""``pddl2nl tasks generate``: what it prints, writes and refuses."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from pddl2nl.tasks.generators import generate, generators
from tests.cli.one_command import run_command

run = partial(run_command, "tasks", "generate")


def test_the_call_in_the_json_makes_the_same_text() -> None:
    code, out, _ = run("ferry", "cars=4", "--seed", "3", "--name", "mine", "--json")
    data = json.loads(out)
    assert code == 0
    assert list(data) == ["domain", "name", "seed", "parameters", "call", "objects", "solvable", "text"]
    assert (data["domain"], data["name"], data["seed"], data["solvable"]) == ("ferry", "mine", 3, True)
    assert data["parameters"] == {"locations": 3, "cars": 4, "moving": 50}
    assert data["objects"] == 7
    assert run(*data["call"].split()[3:])[1] == data["text"]


def test_files_are_written_one_or_several(tmp_path: Path) -> None:
    assert run("ferry", "--out", str(tmp_path / "deep" / "one.pddl")) == (0, "", "")
    assert (tmp_path / "deep" / "one.pddl").read_text(encoding="utf-8") == generate("ferry", 1).text
    folder = tmp_path / "several"
    code, out, _ = run("ferry", "--seed", "4", "--count", "3", "--out", str(folder), "--json")
    assert code == 0
    assert [json.loads(line)["seed"] for line in out.splitlines()] == [4, 5, 6]
    assert sorted(path.name for path in folder.iterdir()) == ["ferry-4.pddl", "ferry-5.pddl", "ferry-6.pddl"]
    assert (folder / "ferry-5.pddl").read_text(encoding="utf-8") == generate("ferry", 5).text
    assert run("ferry", "--seed", "7", "--count", "1", "--out", str(folder)) == (0, "", "")
    assert (folder / "ferry-7.pddl").is_file()


def test_without_a_domain_all_generators_are_listed() -> None:
    code, out, _ = run()
    assert code == 0
    assert all(f"  {name} " in out for name in generators())
    listed = json.loads(run("--json")[1])["generators"]
    assert [each["domain"] for each in listed] == list(generators())


@pytest.mark.parametrize("domain", generators())
@pytest.mark.parametrize("option", ["--parameters", "--explain"])
def test_every_parameter_is_explained(domain: str, option: str) -> None:
    code, out, _ = run(domain, option)
    assert code == 0
    told = json.loads(run(domain, option, "--json")[1])
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
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert said in err

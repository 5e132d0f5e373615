"""``pddl2nl tasks manifest``: exit codes, JSON, and sets made and checked in a folder of one's own."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from pddl2nl.cli import manifest
from pddl2nl.tasks import sets, shipped_domain
from pddl2nl.tasks.manifest import SearchLimits, read_manifest, write_manifest
from tests.cli.one_command import run_command
from tests.tasks.making import FakeSearch, objects_in

pytestmark = pytest.mark.usefixtures("needs_planner")


run = partial(run_command, "tasks", "manifest")


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeSearch:
    """A planner that answers at once, in the place of Fast Downward."""
    monkeypatch.setattr(sets, "_PRIMARY_GROUPS", 6)
    search = FakeSearch(gives_up=lambda planner, problem: planner == "lmcut" and objects_in(problem) >= 14)
    monkeypatch.setattr(manifest, "run_planners", search)
    return search


@pytest.mark.usefixtures("fake")
def test_sets_are_made_shown_and_checked(tmp_path: Path) -> None:
    code, out, err = run("primary", "ferry", "--out", str(tmp_path))
    assert code == 0
    assert f"ferry: 21 problems in {tmp_path / 'ferry'}" in out
    assert "ferry: looking for plans of all lengths" in err
    code, out, _ = run("scale", "ferry", "--time", "7", "--memory", "512", "--out", str(tmp_path))
    assert code == 0
    assert "ferry: N is " in out
    assert "within 7 s, 512 MB" in out
    rows = read_manifest(tmp_path / "ferry" / "manifest.csv")
    assert [len([row for row in rows if row.set == name]) for name in ("primary", "scaled")] == [21, 20]
    assert {row.limits for row in rows if row.set == "scaled"} == {SearchLimits(7, 512)}
    assert {row.planner.split()[0] for row in rows} == {"Fast"}
    code, out, _ = run("check", "ferry", "--instances", str(tmp_path), "--json")
    data = json.loads(out)
    assert (code, data["findings"], data["lines"], data["proved"]) == (0, [], 41, 41)
    assert data["not_run"]
    code, out, _ = run("check", "ferry", "--instances", str(tmp_path), "--small", "--set", "scaled")
    assert code == 0
    assert "20 lines were read, and their problems made again; 10 of them proved again." in out
    assert "all is as recorded" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("check", "ferri"), "no domain 'ferri' is shipped; did you mean 'ferry'?"),
        (("scale", "movie", "--out", "x"), "no scaled set of 'movie' is known; there are blocksworld, ferry"),
        (("unsolvable", "ferry", "--out", "x"), "the generator of ferry has no parameter 'unsolvable'"),
        (("primary", "ferry"), "--out"),
        (("check", "--set", "secondary"), "secondary"),
    ],
)
def test_bad_input_is_2(arguments: tuple[str, ...], said: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert said in err


def test_manifests_are_shown() -> None:
    code, out, _ = run("show", "ferry")
    assert code == 0
    assert all(f" {instance.name} " in out for instance in shipped_domain("ferry").instances)
    data = json.loads(run("show", "ferry", "--json")[1])
    assert [each["instance"] for each in data[0]["instances"]] == [
        each.name for each in shipped_domain("ferry").instances
    ]
    assert "blocksworld" in run("show")[1]


def test_the_planner_itself_proves_lines_and_finds_a_wrong_length(tmp_path: Path) -> None:
    folder = tmp_path / "movie"
    shutil.copytree(shipped_domain("movie").instances_folder, folder)
    example, first, *rest = read_manifest(folder / "manifest.csv")
    for row in rest:
        (folder / row.file).unlink()
    # Two lines are enough to run the planners; that the set is short is found as well.
    assert first.optimal_length is not None
    write_manifest(folder / "manifest.csv", [example, replace(first, optimal_length=first.optimal_length + 1)])
    code, out, _ = run("check", "movie", "--instances", str(tmp_path), "--json")
    found = {(finding["instance"], finding["fault"]) for finding in json.loads(out)["findings"]}
    assert code == 1
    assert json.loads(out)["proved"] == 2
    assert found - {("p01", "length")} <= {("", "set"), ("example", "set"), ("p01", "set")}
    assert ("p01", "length") in found

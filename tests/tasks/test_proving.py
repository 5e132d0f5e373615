"""The check of manifests: each kind of tampering is found, and named."""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.tasks.manifest import COLUMNS, Measured, read_manifest, write_manifest, write_set
from pddl2nl.tasks.proving import check
from pddl2nl.tasks.sets import LADDERS, choose_primary, make_scaled
from pddl2nl.tasks.shipped import shipped_domain
from tests.tasks.making import VERSION, FakeSearch, objects_in, workshop

_MANY = 11

GIVES_UP = FakeSearch(
    gives_up=lambda planner, problem: planner == "brfs" and "ferry-s" in problem and objects_in(problem) >= _MANY
)
"""Breadth-first search fails on the larger ones of the scaled set."""


@pytest.fixture(scope="module")
def made():
    """A primary and a scaled set of ferry, as the planner that is none measures them."""
    shop = workshop("ferry", FakeSearch())
    primary = choose_primary(shop, 1)
    shop.search = FakeSearch(gives_up=lambda planner, problem: planner == "brfs" and objects_in(problem) >= _MANY)
    return primary, make_scaled(shop, LADDERS["ferry"])


@pytest.fixture
def shelf(made, tmp_path):
    """The sets in a folder."""
    for name, one in zip(("primary", "scaled"), made, strict=True):
        write_set(tmp_path, name, one.rows, one.texts)
    return replace(shipped_domain("ferry"), instances_folder=tmp_path)


def findings(shelf, search=GIVES_UP, version=VERSION, **options):
    return [(each.instance, each.fault, each.message) for each in check([shelf], search, version, **options).findings]


def changed(shelf, instance, **fields):
    """The manifest with other values in a line."""
    path = shelf.instances_folder / "manifest.csv"
    rows = read_manifest(path)
    write_manifest(path, [replace(row, **fields) if row.name == instance else row for row in rows])


def row_of(shelf, instance):
    return next(row for row in read_manifest(shelf.instances_folder / "manifest.csv") if row.name == instance)


def test_sets_that_were_just_made_are_all_right(shelf):
    checked = check([shelf], GIVES_UP, VERSION)
    assert checked.findings == ()
    assert (checked.lines, checked.proved) == (41, 41)
    assert checked.not_run
    assert all(name.startswith("ferry s") and name.endswith(" brfs") for name in checked.not_run)


def test_a_file_that_was_changed_is_found(shelf):
    path = shelf.instances_folder / "p03.pddl"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert [each[:2] for each in findings(shelf)] == [("p03", "call")]
    assert "prints another text than p03.pddl holds" in findings(shelf)[0][2]


def test_files_that_are_missing_or_not_described_are_found(shelf):
    (shelf.instances_folder / "p04.pddl").rename(shelf.instances_folder / "p99.pddl")
    assert [each[:2] for each in findings(shelf)] == [("", "file"), ("p04", "file")]
    assert "p99.pddl lies in the folder and no line describes it" in findings(shelf)[0][2]


@pytest.mark.parametrize(
    ("fields", "faults"),
    [
        ({"call": "pddl2nl tasks generate ferry --seed 1 --name ferry-p05 cars=4"}, {"call"}),
        ({"call": "pddl2nl tasks generate ferry --seed 1 --name ferry-p05 cars=many"}, {"call"}),
        ({"call": "make ferry"}, {"call"}),
        ({"call": "pddl2nl tasks generate movies --seed 1 --name ferry-p05"}, {"call"}),
        ({"objects": 99}, {"objects"}),
        ({"ff_length": 99}, {"length"}),
        ({"role": "scaled"}, {"set"}),
        ({"file": "p06.pddl"}, {"file", "call", "isomorphic", "objects", "length", "expansions"}),
    ],
)
def test_a_line_that_was_changed_is_found(shelf, fields, faults):
    changed(shelf, "p05", **fields)
    found = {fault for _, fault, _ in findings(shelf)}
    assert found
    assert found <= faults
    assert next(iter(fields)) == "file" or found == faults


def test_a_length_that_is_wrong_is_found(shelf):
    right = row_of(shelf, "p05").optimal_length
    changed(shelf, "p05", optimal_length=right + 1)
    assert ("p05", "length", f"optimal_length is {right}, {right + 1} is recorded") in findings(shelf)


@pytest.mark.parametrize("planner", ["brfs", "lmcut", "ff"])
def test_statuses_and_expansions_that_are_wrong_are_found(shelf, planner):
    before = row_of(shelf, "p05").measured
    changed(shelf, "p05", measured={**before, planner: replace(before[planner], expanded=1)})
    assert [each[:2] for each in findings(shelf)] == [("p05", "expansions")]
    # Another version expands other states.
    assert findings(shelf, version="Fake 2.0") == []
    changed(shelf, "p05", measured={**before, planner: replace(before[planner], status="unsolvable", length=None)})
    assert ("p05", "status", f"{planner} ends with solved, unsolvable is recorded") in findings(shelf)


def test_a_proof_that_does_not_hold_is_found(shelf):
    changed(shelf, "s20", proof="brfs")
    assert ("s20", "proof", "proof is lmcut, brfs is recorded") in findings(shelf)
    changed(shelf, "s20", proof="unsolvable", optimal_length=None)
    assert ("s20", "proof", "proof is lmcut, unsolvable is recorded") in findings(shelf)


def test_an_upper_bound_is_a_plan_of_ff_and_is_found_where_it_is_none_or_proved_by_now(shelf):
    row = row_of(shelf, "s20")
    lost = {**row.measured, "lmcut": Measured("timeout")}
    changed(shelf, "s20", proof="upper bound", optimal_length=row.ff_length, measured=lost)
    assert findings(shelf) == []
    changed(shelf, "s20", optimal_length=row.ff_length + 3)
    message = f"optimal_length is {row.ff_length}, {row.ff_length + 3} is recorded"
    assert ("s20", "length", message) in findings(shelf)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda rows: rows[1:], "there are 0 examples; 1 was expected"),
        (lambda rows: rows[:20] + rows[21:], "the primary set has 19 problems"),
        (lambda rows: [*rows[:2], rows[20], *rows[2:20], *rows[21:]], "the benchmarks are not ordered by length"),
        (lambda rows: rows[:-1], "the scaled set has 19 problems"),
        (lambda rows: [rows[0], replace(rows[1], optimal_length=2), *rows[2:]], "its length 2 is not from 3 to 20"),
    ],
)
def test_sets_that_are_not_as_sets_are_are_found(shelf, spoil, said):
    path = shelf.instances_folder / "manifest.csv"
    write_manifest(path, spoil(list(read_manifest(path))))
    assert any(fault == "set" and said in message for _, fault, message in findings(shelf))


def test_a_manifest_that_is_none_is_one_finding(shelf):
    path = shelf.instances_folder / "manifest.csv"
    path.write_text("instance,file\n", encoding="utf-8")
    assert [each[:2] for each in findings(shelf)] == [("", "manifest")]
    path.unlink()
    assert "manifest.csv: no such file" in findings(shelf)[0][2]


def test_a_planner_that_breaks_is_no_wrong_line(shelf):
    class Broken(FakeSearch):
        def __call__(self, domain, problem, planners, limits):
            if "ferry-p02" in problem:
                raise InfrastructureError("the disk is full")
            return {name: self.one(name, problem) for name in planners}

        def one(self, planner, problem):
            if "ferry-p03" in problem and planner == "ff":
                return Measured("error", message="exit code 32")
            return super().one(planner, problem)

    found = findings(shelf, Broken(gives_up=GIVES_UP.gives_up))
    assert found == [("p02", "planner", "the disk is full"), ("p03", "planner", "ff broke: exit code 32")]


# ── the table itself ─────────────────────────────────────────────────────────────────────────────


def test_a_manifest_comes_back_as_it_was_written(shelf, made):
    rows = read_manifest(shelf.instances_folder / "manifest.csv")
    assert [row.call for row in rows] == [row.call for one in made for row in one.rows]
    text = (shelf.instances_folder / "manifest.csv").read_bytes()
    write_manifest(shelf.instances_folder / "manifest.csv", reversed(rows[21:] + rows[:21][::-1]))
    again = read_manifest(shelf.instances_folder / "manifest.csv")
    assert sorted(again, key=lambda row: row.file) == sorted(rows, key=lambda row: row.file)
    write_manifest(shelf.instances_folder / "manifest.csv", rows)
    assert (shelf.instances_folder / "manifest.csv").read_bytes() == text
    assert b"\r" not in text


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("role", "bench", r"manifest.csv:4: role is 'bench'; expected one of benchmark, example"),
        ("proof", "yes", "proof is 'yes'"),
        ("objects", "many", "objects is 'many'; expected a whole number"),
        ("optimal_length", "", "the proof 'lmcut' contradicts the optimal_length None"),
        ("lmcut", "won", "lmcut is 'won'; expected one of error"),
        ("ff_seconds", "", "ff_seconds is None; expected a number"),
        ("limits", "long", "'long' is not a pair of limits; expected such as '30 s, 4096 MB'"),
        ("file", "../p02.pddl", "lies outside the manifest's folder"),
        ("instance", "", "a line needs an instance and a file"),
        ("instance", "p01", "two lines describe the instance 'p01'"),
    ],
)
def test_a_cell_that_cannot_be_is_an_error_that_names_it(shelf, column, value, said):
    path = shelf.instances_folder / "manifest.csv"
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    lines[3][[*COLUMNS].index(column)] = value
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(lines)
    with pytest.raises(InputError, match=said):
        read_manifest(path)

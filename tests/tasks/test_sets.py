"""How sets are chosen, and how manifests are checked: with a planner that answers at once."""

from __future__ import annotations

import csv
import threading
from dataclasses import replace

import pytest

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.pddl import Task, parse_problem
from pddl2nl.tasks import sets
from pddl2nl.tasks.isomorphism import DistinctProblems
from pddl2nl.tasks.manifest import COLUMNS, Measured, SearchLimits, read_manifest, write_manifest, write_set
from pddl2nl.tasks.proving import check, made_by
from pddl2nl.tasks.sets import LADDERS, choose_primary, make_scaled, make_unsolvable, spread, ways
from pddl2nl.tasks.shipped import shipped_domain
from tests.tasks.making import VERSION, FakeSearch, objects_in, workshop


@pytest.mark.parametrize(
    ("available", "counts"),
    [
        (dict.fromkeys(range(3, 23), 9), [1] * 20),
        (dict.fromkeys(range(3, 13), 9), [2] * 10),
        ({4: 9, 6: 9, 8: 9, 10: 9, 12: 9, 14: 9, 16: 9, 18: 9, 20: 9}, [2, 2, 3, 2, 2, 2, 3, 2, 2]),
        # What some lengths lack is made up for by all others alike.
        ({3: 1, 4: 2, 5: 9, 6: 9, 7: 50}, [1, 2, 6, 5, 6]),
        ({3: 2, 4: 0, 5: 1}, [2, 1]),
        ({}, []),
    ],
)
def test_lengths_are_spread_as_evenly_as_there_are_so_many(available, counts):
    assert list(spread(available, 20).values()) == counts


@pytest.fixture(autouse=True)
def _few_candidates(monkeypatch):
    """Plenty is less here than where a set is made."""
    monkeypatch.setattr(sets, "_PRIMARY_GROUPS", 6)
    monkeypatch.setattr(sets, "_PRIMARY_PLENTY", 2)
    monkeypatch.setattr(sets, "_PRIMARY_IN_VAIN", 1)


def shown(made):
    return [(row.name, row.call, row.optimal_length, row.proof) for row in made.rows]


def test_a_primary_set_is_what_it_has_to_be():
    search = FakeSearch()
    made = choose_primary(workshop("ferry", search), 1)
    lengths = [row.optimal_length for row in made.rows]
    assert [row.name for row in made.rows] == ["example", *(f"p{number:02}" for number in range(1, 21))]
    assert lengths[0] == 5
    assert lengths[1:] == sorted(lengths[1:])
    # Eighteen lengths and twenty problems.
    assert set(lengths) == set(range(3, 21))
    assert max(lengths[1:].count(length) for length in lengths) == 2
    assert all(row.proof == "lmcut" and row.ff_length == row.optimal_length + 1 for row in made.rows)
    domain = shipped_domain("ferry").domain
    distinct = DistinctProblems()
    texts = made.texts.items()
    assert len(texts) == 21
    assert all(distinct.add(Task(domain, parse_problem(text, domain)), name) is None for name, text in texts)
    for row in made.rows:
        generator, generated = made_by(row.call)
        assert (generator.domain, generated.name) == ("ferry", f"ferry-{row.name}")
        assert generated.text == made.texts[row.name]
        assert set(row.measured) == {"brfs", "lmcut", "ff"}
    # What is easy is found in a small part of the time.
    assert {limits.seconds for _, _, limits in search.calls} == {1, 30}


def test_a_set_is_the_same_for_the_same_seed_however_many_work_and_another_for_another():
    first, again, other = (
        choose_primary(workshop("grippers", FakeSearch(), workers), seed) for workers, seed in ((1, 1), (4, 1), (2, 2))
    )
    assert shown(first) == shown(again) != shown(other)


def test_where_lmcut_fails_breadth_first_search_proves_and_else_a_bound_is_marked_as_such():
    def no_lmcut(planner, problem):
        return planner == "lmcut"

    made = choose_primary(workshop("ferry", FakeSearch(gives_up=no_lmcut)), 1)
    assert {row.proof for row in made.rows} == {"brfs"}
    assert {row.measured["lmcut"].status for row in made.rows} == {"timeout"}

    def ff_alone(planner, problem):
        return planner != "ff"

    made = choose_primary(workshop("ferry", FakeSearch(gives_up=ff_alone)), 1)
    assert {row.proof for row in made.rows} == {"upper bound"}
    assert all(row.optimal_length == row.ff_length for row in made.rows)


def test_too_few_problems_of_fitting_lengths_are_an_error_that_counts_them():
    with pytest.raises(InputError, match=r"the small problems of movie gave too few of 3 to 20 steps .*: none;"):
        choose_primary(workshop("movie", FakeSearch(length=lambda problem: 40)), 1)


def test_planners_that_contradict_each_other_or_break_end_it():
    class Liar(FakeSearch):
        def one(self, planner: str, problem: str) -> Measured:
            found = super().one(planner, problem)
            return Measured("solved", (found.length or 0) + (planner == "brfs"), 0.1, 1)

    with pytest.raises(InfrastructureError, match="the planners contradict each other on ferry example"):
        choose_primary(workshop("ferry", Liar()), 1)

    class Broken(FakeSearch):
        def one(self, planner: str, problem: str) -> Measured:
            return Measured("error", message="exit code 32")

    shop = workshop("ferry", Broken())
    stopped = threading.Event()
    shop.stop = stopped.set
    with pytest.raises(InfrastructureError, match=r"Fake 1.0 \(lmcut\) failed: exit code 32"):
        choose_primary(shop, 1)
    assert stopped.is_set()
    with pytest.raises(InfrastructureError, match="was made to have a plan, and planners prove the opposite"):
        make_scaled(
            workshop("ferry", FakeSearch(lambda problem: 0, lambda planner, problem: objects_in(problem) == 9)),
            LADDERS["ferry"],
        )


# ── scaled and unsolvable sets ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("domain", "limit"), [("blocksworld", 9), ("ferry", 11), ("grippers", 12), ("visitall", 20)])
def test_a_scaled_set_lies_around_the_first_failure(domain, limit):
    search = FakeSearch(gives_up=lambda planner, problem: planner == "brfs" and objects_in(problem) >= limit)
    made = make_scaled(workshop(domain, search), LADDERS[domain])
    sizes = [row.objects for row in made.rows]
    assert [row.name for row in made.rows] == [f"s{number:02}" for number in range(1, 21)]
    assert {row.role for row in made.rows} == {"scaled"}
    assert sizes == sorted(sizes)
    assert sizes[0] < limit < sizes[-1]
    assert len(set(sizes)) >= 5
    assert max(sizes.count(size) for size in sizes) <= 4
    assert any(row.measured["brfs"].ran_out for row in made.rows)
    assert made.notes[0].startswith("N is ")
    assert made.notes[0].endswith(f"the set has {made.notes[0].split()[-3]} to {made.notes[0].split()[-1]}")


@pytest.mark.parametrize("domain", ["blocksworld", "visitall"])
def test_an_unsolvable_set_has_all_ways_alike(domain):
    shop = workshop(domain, FakeSearch(length=lambda problem: 0))
    made = make_unsolvable(shop, 1)
    assert [row.name for row in made.rows] == [f"u{number:02}" for number in range(1, 21)]
    assert {(row.role, row.proof, row.optimal_length, row.ff_length) for row in made.rows} == {
        ("unsolvable", "unsolvable", None, None)
    }
    counts = [sum(f"unsolvable={way}" in row.call for row in made.rows) for way in ways(shop.generator)]
    assert sum(counts) == 20
    assert max(counts) - min(counts) <= 1


def test_no_unsolvable_set_is_made_of_what_has_a_plan():
    with pytest.raises(InputError, match="a problem that was made unsolvable has a plan: pddl2nl tasks generate grid"):
        make_unsolvable(workshop("grid", FakeSearch()), 1)
    with pytest.raises(InputError, match="the generator of ferry has no parameter 'unsolvable'"):
        make_unsolvable(workshop("ferry", FakeSearch()), 1)


# ── writing ──────────────────────────────────────────────────────────────────────────────────────


def test_a_set_takes_the_place_of_the_one_before_and_leaves_the_others(tmp_path):
    limit = FakeSearch(gives_up=lambda planner, problem: planner == "brfs" and objects_in(problem) >= 9)
    shop = workshop("blocksworld", limit)
    scaled = make_scaled(shop, LADDERS["blocksworld"])
    primary = choose_primary(workshop("blocksworld", FakeSearch()), 1)
    write_set(tmp_path, "scaled", scaled.rows, scaled.texts)
    write_set(tmp_path, "primary", primary.rows, primary.texts)
    rows = read_manifest(tmp_path / "manifest.csv")
    assert [row.name for row in rows] == [row.name for row in (*primary.rows, *scaled.rows)]
    assert rows[0].limits == SearchLimits(30, 4096)
    other = choose_primary(workshop("blocksworld", FakeSearch()), 2)
    short = other.rows[:3]
    write_set(tmp_path, "primary", short, other.texts)
    assert {path.name for path in tmp_path.iterdir()} == {
        "manifest.csv",
        "scaled",
        "example.pddl",
        "p01.pddl",
        "p02.pddl",
    }
    assert (tmp_path / "p01.pddl").read_text(encoding="utf-8") == other.texts["p01"]
    assert len(read_manifest(tmp_path / "manifest.csv")) == 23


# ── the check of manifests: each kind of tampering is found, and named ────────────────────────────


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

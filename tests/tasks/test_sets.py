"""How sets are chosen: with a planner that answers at once."""

from __future__ import annotations

import threading

import pytest

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.pddl import Task, parse_problem
from pddl2nl.tasks import sets
from pddl2nl.tasks.isomorphism import DistinctProblems
from pddl2nl.tasks.manifest import Measured, SearchLimits, read_manifest, write_set
from pddl2nl.tasks.proving import made_by
from pddl2nl.tasks.sets import LADDERS, choose_primary, make_scaled, make_unsolvable, spread, ways
from pddl2nl.tasks.shipped import shipped_domain
from tests.tasks.making import FakeSearch, objects_in, workshop


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

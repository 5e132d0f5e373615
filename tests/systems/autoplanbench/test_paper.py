"""The paper's numbers: its rows against its own sums, and which of ours they stand beside."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.layout import LayoutColumn, LayoutRow, LayoutTable
from pddl2nl.policies.paper import PaperLine, papers
from pddl2nl.reports.tables.coverage import coverage_table
from pddl2nl.reports.tables.grid import paper_table, summed
from pddl2nl.systems.autoplanbench.tables import (
    TOKENS,
    families_table,
    suite_lines,
    suite_name,
    suites_table,
    tokens_table,
)
from pddl2nl.tasks import shipped_domains

PAPER = papers()["autoplanbench"]


def _sums(key: str) -> list[tuple[PaperLine, PaperLine]]:
    """Each sum that the paper prints, and that of the rows it is over."""
    table = paper_table(key)
    found = []
    for printed in table.sums:
        rows = [row for row in table.rows if row.values and not row.variant]
        total = summed([row for row in rows if not printed.section or row.section == printed.section])
        assert total is not None
        found.append((printed, total))
    return found


@pytest.mark.parametrize("key", ["table-2", "table-3", "table-4", "table-7"])
def test_rows_add_up_to_the_sums_that_the_paper_prints(key: str) -> None:
    for printed, total in _sums(key):
        assert total.values == printed.values
        assert total.tasks == printed.tasks
        assert len(printed.values) == len(paper_table(key).columns)


def test_table_3_is_table_4_by_families() -> None:
    by_suite = {line.label: line for line in paper_table("table-4").rows}
    hard = [line for line in by_suite.values() if max(line.numbers[:2]) < 0.25 * line.tasks]
    assert len(by_suite) == 41
    for row in paper_table("table-3").rows:
        if row.label == "others":
            members = hard
            assert row.domains == len(members) == 27
        else:
            family = suite_name(row.label.partition("/")[0]).family
            years = {year[-2:] for year in row.label.split("/")}
            members = [line for label, line in by_suite.items() if suite_name(label).family == family]
            members = [line for line in members if suite_name(line.label).year in years and line not in hard]
            assert len(members) == len(years)
        total = summed(members)
        assert total is not None
        assert (total.tasks, total.values) == (row.tasks, row.values)


def test_labels_are_those_of_the_shipped_domains() -> None:
    assert {line.label for line in paper_table("table-2").rows} == set(shipped_domains())
    assert {line.label for line in paper_table("table-6").rows} == set(shipped_domains())
    assert {line.label for line in paper_table("table-7").rows} == {"blocksworld", "depots", "logistics"}


def test_numbers_that_are_not_there_are_refused_with_those_that_are() -> None:
    with pytest.raises(InputError, match=r"'table-5'; there are those of table-2, table-3"):
        paper_table("table-5")


@pytest.mark.parametrize(
    ("folder", "short"),
    [
        ("transport-opt08-strips", "transport08"),
        ("blocks", "blocks00"),
        ("depot", "depot02"),
        ("logistics98", "logistics98"),
        ("logistics00", "logistics00"),
        ("pegsol-08-strips", "pegsol08"),
        ("pipesworld-notankage", "pipesworld-notankage04"),
        ("data-network-opt18-strips", "data-network18"),
        ("labyrinth-opt23-adl", "labyrinth23"),
        ("labyrinth", "labyrinth23"),
        ("childsnack14", "childsnack14"),
        ("psr-small", "psr-small"),
        ("My domain", "My domain"),
        ("3d", "3d"),
        ("blocks+generic", "blocks+generic"),
    ],
)
def test_names_of_suites(folder: str, short: str) -> None:
    assert suite_name(folder).short == short


def test_every_suite_of_the_paper_is_found_under_its_folder() -> None:
    for line in paper_table("table-4").rows:
        assert suite_name(line.label).short == line.label
        name = suite_name(line.label)
        assert suite_name(f"{name.family}-opt{name.year}-strips").short == line.label


def test_the_optimal_track_has_the_papers_numbers_where_both_are_there() -> None:
    rows = [
        LayoutRow("barman-sat11-strips"),
        LayoutRow("barman-opt11-strips"),
        LayoutRow("grid"),
        LayoutRow("visitall-sat11-strips"),
    ]
    lines = suite_lines(paper_table("table-4"), rows)
    assert [line and line.label for line in lines] == [None, "barman11", None, "visitall11"]


# ── tables of suites ──────────────────────────────────────────────────────────────────────────────


_SUITES = LayoutTable("suites", paper="table-4")
_FAMILIES = LayoutTable("families", paper="table-3")
_NO_YEAR = ("blocks00", "depot02", "gripper98", "movie98", "mprime98", "zenotravel02", "rovers06", "tpp06")


@pytest.fixture(scope="module")
def paper_heads():
    """The paper's columns."""
    return [
        LayoutColumn(
            one.name, one.group, one.kind, one.policy, "m" if one.kind == "model" else "", one.style, one.wording
        )
        for one in paper_table("table-4").columns
    ]


def _folder(label):
    """The suite as people's folders call it."""
    if label in _NO_YEAR:
        return label[:-2]
    return label if label.startswith("logistics") else f"{label[:-2]}-opt{label[-2:]}-strips"


@pytest.fixture
def paper_suites(build, paper_heads):
    """An experiment over the paper's suites that solves what the paper did."""
    lines = paper_table("table-4").rows
    rows = [
        LayoutRow(_folder(line.label), "" if line.section == "ff" else "solved by brfs", "", line.tasks)
        for line in lines
    ]
    counts = {(row, column): value for row, line in enumerate(lines) for column, value in enumerate(line.values)}
    return build(rows, paper_heads, counts)


def _texts(line):
    return [cell.text for cell in line.cells]


def test_suites_are_called_as_the_paper_calls_them_with_their_number_of_tasks(paper_suites):
    table = suites_table(paper_suites, _SUITES)
    lines = [line for section in table.sections for line in section.lines]
    expected = [f"{line.label} ({line.tasks})" for line in paper_table("table-4").rows]
    assert [line.label for line in lines] == [*expected, "sum (675)"]
    assert [section.title for section in table.sections] == ["", "solved by brfs", ""]
    assert any("transport08 is transport-opt08-strips" in note for note in table.notes)
    assert any("optimal track" in note for note in table.notes)


def test_suites_solved_as_the_paper_did_give_table_4(paper_suites):
    table = suites_table(paper_suites, _SUITES)
    for section in table.sections:
        for line in section.lines:
            assert _texts(line)[:6] == _texts(line)[6:]
    assert _texts(table.sections[-1].lines[0])[:6] == ["66", "179", "1", "412", "441", "675"]


def test_families_of_the_papers_suites_are_table_3(paper_suites):
    table = families_table(paper_suites, _FAMILIES)
    (section,) = table.sections
    expected = [f"{row.label} ({row.tasks})" for row in paper_table("table-3").rows[:-1]]
    assert [line.label for line in section.lines] == [*expected, "others (482 in 27 domains)", "sum (675)"]
    for line, row in zip(section.lines, paper_table("table-3").rows, strict=False):
        assert [int(text) for text in _texts(line)[:6]] == list(row.values)
        assert _texts(line)[:6] == _texts(line)[6:]
    assert any("transport14" in note and "less than 25%" in note for note in table.notes)


def _families(build, paper_heads, counts, **options):
    """A table over suites, given by folder with their tasks and the number that the first column solves."""
    rows = [LayoutRow(label, tasks=tasks) for label, (tasks, _) in counts.items()]
    solved = {(row, 0): number for row, (_, number) in enumerate(counts.values())}
    return families_table(build(rows, paper_heads, solved, **options), LayoutTable("families"))


def _labels(table):
    return [line.label for line in table.sections[0].lines]


def test_tracks_are_not_mixed_and_suites_without_one_go_with_the_optimal_ones(build, paper_heads):
    table = _families(
        build,
        paper_heads,
        {"pegsol-opt11-strips": (4, 2), "pegsol-08-strips": (4, 4), "pegsol-sat11-strips": (4, 4), "pegsol": (2, 2)},
    )
    # Two suites come to pegsol11, which therefore are called in full.
    assert _labels(table) == ["pegsol (2)", "pegsol08 + pegsol-opt11-strips (8)", "pegsol-sat11-strips (4)", "sum (14)"]


def test_an_experiment_that_solves_what_the_paper_did_gives_the_papers_table(build):
    paper = paper_table("table-2")
    paper_heads = [
        LayoutColumn(
            one.name, one.group, one.kind, one.policy, "m" if one.kind == "model" else "", one.style, one.wording
        )
        for one in paper.columns
    ]
    rows = [LayoutRow(line.label, line.section, line.variant, line.tasks) for line in paper.rows]
    counts = {(row, column): value for row, line in enumerate(paper.rows) for column, value in enumerate(line.values)}
    table = coverage_table(build(rows, paper_heads, counts), LayoutTable("coverage", paper="table-2"))
    for section in table.sections:
        for line in section.lines:
            assert _texts(line)[:12] == _texts(line)[12:], line.label
    sums = [line for section in table.sections for line in section.lines if line.total]
    assert [[int(cell.text) for cell in line.cells[:12]] for line in sums] == [list(line.values) for line in paper.sums]
    assert [line.label for line in sums] == ["sum (260)", "sum (80)"]
    # Bold as a reader of the paper would expect it: ReAct in Grid, everything in Movie, nothing in Floortile.
    best = {line.label: [cell.best for cell in line.cells[:8]] for line in table.sections[0].lines}
    assert best["grid (20)"] == [False, False, False, True, False, False, False, False]
    assert best["movie (20)"] == [True] * 8
    assert best["floortile (20)"] == [False] * 8


# ── tokens ────────────────────────────────────────────────────────────────────────────────────────


_COMPARED = LayoutTable("tokens", paper="table-6", columns=("NL Act", "PDDL Act"))


def _with_tokens(found, tokens, estimated=()):
    """The experiment with other numbers of tokens, by the names of runs."""
    runs = {
        name: replace(
            run,
            values=run.values | {TOKENS: tokens[name]} if name in tokens else run.values,
            estimated=frozenset({TOKENS} if name in estimated else ()),
        )
        for name, run in found.runs.items()
    }
    cells = {place: tuple(runs[run.name] for run in here) for place, here in found.cells.items()}
    return replace(found, runs=runs, cells=cells)


@pytest.fixture
def two(build, heads):
    """Two tasks, two seeds: one column solves all, the other the second task with one seed alone."""
    found = build((LayoutRow("ferry", tasks=2),), heads, {(0, 1): 2, (0, 2): 1.5}, seeds={"NL Act": 2, "PDDL Act": 2})
    tokens = {
        "r0c1t00s1": 100.0,
        "r0c1t00s2": 300.0,
        "r0c1t01s1": 1000.0,
        "r0c1t01s2": 9999.0,
        "r0c2t00s1": 10.0,
        "r0c2t00s2": 20.0,
        "r0c2t01s1": 45.0,
    }
    return found, tokens


def test_only_pairs_count_that_every_column_solved_seeds_first_then_tasks(two):
    found, tokens = two
    assert [run.solved for run in found.cell(0, 2)] == [True, True, True, False]
    line = tokens_table(_with_tokens(found, tokens), _COMPARED).sections[0].lines[0]
    # ((100 + 300) / 2 + 1000) / 2, and ((10 + 20) / 2 + 45) / 2: the 9,999 stand against no run that was solved.
    assert [cell.value for cell in line.cells[:2]] == [600.0, 30.0]
    assert tokens_table(_with_tokens(found, tokens), _COMPARED).sections[-1].lines[0].cells[1].show == (
        ("row", "0"),
        ("column", "2"),
        ("outcome", "solved"),
    )
    assert line.cells[0].detail == "mean of 2 tasks, 3 pairs of task and seed"
    assert [cell.best for cell in line.cells[:2]] == [False, True]


def test_an_estimate_is_marked_where_it_counts(two):
    found, tokens = two
    table = tokens_table(_with_tokens(found, tokens, {"r0c1t00s1"}), _COMPARED)
    assert _texts(table.sections[0].lines[0])[:2] == ["~600", "30"]
    assert _texts(table.sections[-1].lines[0])[:2] == ["~600", "30"]
    assert any(note.startswith("~") for note in table.notes)
    # Of a run that is in no pair an estimate changes nothing.
    table = tokens_table(_with_tokens(found, tokens, {"r0c1t01s2"}), _COMPARED)
    assert _texts(table.sections[0].lines[0])[:2] == ["600", "30"]


def test_the_sum_is_over_all_sections_and_the_papers_over_the_same_rows(experiment):
    table = tokens_table(experiment, _COMPARED)
    assert [section.title for section in table.sections] == ["primary", "scaled", ""]
    (total,) = table.sections[-1].lines
    assert (total.label, _texts(total)) == ("sum", ["1,200", "1,600", "207,883", "166,274"])
    lines = {line.label: _texts(line) for line in table.sections[0].lines}
    assert lines == {
        "blocksworld": ["600", "800", "7,948", "6,354"],
        "ferry": ["600", "800 (1 broken)", "18,027", "14,210"],
    }
    assert _texts(table.sections[1].lines[0]) == ["– (1 missing)", "–", "181,908", "145,710"]


def test_columns_that_ask_no_model_and_rows_that_one_column_lacks_are_left_out(experiment):
    table = tokens_table(experiment, LayoutTable("tokens"))
    assert [heading.name for heading in table.headings] == ["Bas", "Act", "Act"]
    # The hand-written text is told to two of the three.
    assert [line.label for section in table.sections for line in section.lines] == [
        "blocksworld",
        "ferry",
        "ferry",
        "sum",
    ]

"""The paper's numbers: its rows against its own sums, and which of ours they stand beside."""

from __future__ import annotations

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.layout import LayoutRow
from pddl2nl.policies.paper import PaperLine, papers
from pddl2nl.reports.tables.grid import paper_table, summed
from pddl2nl.systems.autoplanbench.tables import suite_lines, suite_name
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

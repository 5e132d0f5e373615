"""The first page: every number of a comparison opens what is behind it."""

from __future__ import annotations

from collections.abc import Callable

from pddl2nl.experiments.layout import LayoutColumn, LayoutRow
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.html.pages import overview_of, plan_pages


def test_a_comparison_opens_its_columns_and_its_instances(experiment_of: Callable[..., Gathered]) -> None:
    columns = [LayoutColumn("Bas", "NL", policy="basic"), LayoutColumn("Act", "NL", policy="act")]
    rows = [LayoutRow("ferry", "primary"), LayoutRow("ferry", "primary", "PlanBench"), LayoutRow("ferry", "scaled")]

    def result(row: LayoutRow, column: LayoutColumn, task: int, seed: int | None) -> bool | str:
        if row.variant and column.name == "Bas":
            return "absent"
        return task < (3 if column.name == "Act" else 1)

    plan = plan_pages(experiment_of(columns, rows, result))
    overview = overview_of(plan, plots=False)
    primary, scaled, variant = (part.lines for part in overview["comparisons"][0].sections)
    compared, _, a, b, *_, better, equal, worse, _, _, _, _ = primary[0].cells
    assert compared.against
    assert compared.show == (("a", "1"), ("b", "0"), ("row", "0"), ("which", ""))
    assert (a.show, b.show) == ((("row", "0"), ("column", "1")), (("row", "0"), ("column", "0")))
    assert (better.text, better.show[-1]) == ("2", ("which", "better"))
    assert (equal.text, equal.show[-1]) == ("2", ("which", "equal"))
    assert (worse.text, worse.show) == ("0", ())
    assert ("row", "2") in scaled[0].cells[0].show
    # One column with itself on other rows: nothing stands side by side.
    assert variant[0].cells[0].show == ()
    assert [cell.show[0] for cell in variant[0].cells[2:4]] == [("row", "0"), ("row", "1")]

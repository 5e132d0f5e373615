"""Every metric by column, what broke first, and what a solved task costs."""

from __future__ import annotations

from dataclasses import replace

from pddl2nl.experiments.layout import LayoutRow
from pddl2nl.plugins import provided
from pddl2nl.reports.html.pages import overview_of, plan_pages
from pddl2nl.reports.rows import Records
from pddl2nl.reports.summaries import BrokenLink
from pddl2nl.reports.tables import FORMATS, links_table, metrics_tables, written
from pddl2nl.reports.tables.costs import cost_table


def _general(gathered):
    return metrics_tables(gathered)[0]


def _texts(line):
    return [cell.text for cell in line.cells]


def _mapped(found, change):
    runs = {name: change(run) for name, run in found.runs.items()}
    cells = {place: tuple(runs[run.name] for run in here) for place, here in found.cells.items()}
    return replace(found, runs=runs, cells=cells)


def test_a_mean_is_over_tasks_and_estimates_are_marked(build, heads):
    found = build((LayoutRow("ferry", tasks=2),), heads, {(0, 1): 2}, seeds={"NL Act": 2})
    usd = {"r0c1t00s1": 0.5, "r0c1t00s2": 0.1, "r0c1t01s1": 0.1}
    found = _mapped(
        found,
        lambda run: replace(
            run,
            values=run.values | ({"usd": usd[run.name]} if run.name in usd else {}) | {"tokens": 123456.0},
            estimated=frozenset({"tokens"}),
        ),
    )
    table = _general(found)
    assert [heading.name for heading in table.headings][-2:] == ["all tokens", "USD"]
    # ((0.5 + 0.1) / 2 + 0.1) / 2
    assert _texts(table.sections[0].lines[0])[-2:] == ["~123,456", "0.2000"]
    assert table.sections[0].lines[0].cells[-1].detail == "over 3 runs on 2 tasks"
    assert any(note.startswith("~:") for note in table.notes)


def test_what_other_roles_took_stands_beside_the_planner_where_one_was_asked(build, heads):
    found = build((LayoutRow("ferry", tasks=2),), heads, {(0, 0): 1, (0, 1): 2})
    asked = {"planner-prompt-tokens": 900.0, "translator-tokens": 70.0, "tokens": 1070.0}
    found = _mapped(found, lambda run: replace(run, values=run.values | (asked if "c1" in run.name else {})))
    table = _general(found)
    assert [heading.name for heading in table.headings][-3:] == ["planner tokens in", "translator tokens", "all tokens"]
    assert [_texts(line)[-2:] for line in table.sections[0].lines] == [["–", "–"], ["70", "1,070"]]


def test_kinds_of_links_are_named_for_readers_in_their_order(build, heads):
    links = [
        BrokenLink("gave-up"),
        BrokenLink("claimed-unsolvable"),
        BrokenLink("empty"),
        BrokenLink("goal-missed", ("on",)),
        BrokenLink("something-new"),
        BrokenLink("inapplicable", ("clear", "not holding")),
        BrokenLink("inapplicable", ("clear",)),
    ]
    found = build((LayoutRow("ferry", tasks=len(links)),), heads, {(0, 1): 0})
    found = _mapped(found, lambda run: replace(run, link=links[int(run.task[1:])]))
    lines = links_table(found).sections[1].lines
    assert [(line.label, line.cells[1].text, line.indent) for line in lines] == [
        ("unreadable", "1", False),
        ("inapplicable", "2", False),
        ("clear", "2", True),
        ("not holding", "1", True),
        ("goal missed", "1", False),
        ("gave up", "2", False),
        ("something-new", "1", False),
    ]


def test_claims_that_there_is_no_plan_stand_in_the_table_where_they_matter(build, heads):
    found = build((LayoutRow("ferry", tasks=2),), heads, {(0, 1): 1})
    names = ("unsolvable, said so", "solvable, denied")

    def shown(values):
        table = _general(_mapped(found, lambda run: replace(run, values=run.values | values(run))))
        here = [place for place, heading in enumerate(table.headings) if heading.name in names]
        return [_texts(table.sections[0].lines[0])[place] for place in here]

    claimed, falsely = "unsolvable-claimed", "unsolvable-claimed-falsely"
    assert shown(lambda run: {falsely: 0.0}) == []
    assert shown(lambda run: {falsely: float(not run.solved)}) == ["0.50"]
    assert shown(lambda run: {falsely: 0.0} if run.solved else {claimed: 1.0}) == ["1.00", "0.00"]


def test_metrics_of_a_system_are_a_table_of_their_own_in_every_format(build, heads):
    found = build((LayoutRow("kitchen", tasks=2),), heads, {(0, 0): 1, (0, 1): 2})
    assert [table.key for table in metrics_tables(found)] == ["metrics"]
    system, metrics = next((system, own) for system, own in provided("metrics"))
    name = metrics[0].name
    brought = {name: 80.0}
    found = _mapped(found, lambda run: replace(run, values=run.values | (brought if "c1" in run.name else {})))
    general, own = metrics_tables(found)
    assert (general.key, own.key) == ("metrics", f"metrics-{system.name}")
    assert [heading.name for heading in own.headings] == [name.replace("-", " ")]
    assert [(line.label, _texts(line)) for line in own.sections[0].lines] == [("NL Act", ["80.0"])]
    for form in FORMATS:
        assert "80" in written([own], form)
    assert own in overview_of(plan_pages(found), folder=True, plots=False)["tables"]
    rows = Records(tuple(found.runs.values())).run_rows()
    assert {row[name] for row in rows} == {80.0, None}


# ── costs ─────────────────────────────────────────────────────────────────────────────────────────


SPENT = {"tokens": 1.0, "prompt-tokens": 900.0, "cached-tokens": 600.0, "new-tokens": 300.0, "completion-tokens": 60.0}


def _with(found, values):
    """The runs of the first two columns, with values by column."""
    runs = {
        name: replace(run, values=run.values | values[name[2:4]]) if name[2:4] in values else run
        for name, run in found.runs.items()
    }
    cells = {place: tuple(runs[run.name] for run in here) for place, here in found.cells.items()}
    return replace(found, runs=runs, cells=cells)


def test_failed_runs_are_paid_for_by_the_solved_ones(build, heads):
    # Of four tasks the first column solves two, the second none.
    found = build((LayoutRow("ferry", tasks=4),), heads, {(0, 0): 2, (0, 1): 0})
    found = _with(found, {"c0": SPENT | {"usd": 0.01, "seconds": 3.0}, "c1": SPENT})
    table = cost_table(found)
    assert table is not None
    assert [line.label for line in table.lines] == ["NL Bas", "NL Act"], "a column without tokens is left out"
    assert [cell.text for cell in table.lines[0].cells] == ["2", "1,800", "1,200", "600", "120", "0.0200", "6.0"]
    assert [cell.text for cell in table.lines[1].cells] == ["0", *"–" * 6]


def test_a_cost_that_some_run_lacks_is_not_shown(build, heads):
    found = build((LayoutRow("ferry", tasks=2),), heads, {(0, 0): 2})
    found = _with(found, {"c0": SPENT})
    (line,) = cost_table(found).lines
    assert [cell.text for cell in line.cells] == ["2", "900", "600", "300", "60", "–", "–"]


def test_there_is_no_table_where_no_model_was_asked(build, heads):
    assert cost_table(build((LayoutRow("ferry", tasks=2),), heads, {(0, 4): 2})) is None

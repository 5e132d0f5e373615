"""Layouts made of records that have none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pddl2nl.experiments.layout import LayoutColumn, LayoutRow, LayoutTable, Place, TableLayout
from pddl2nl.reports.gathering import joined_layout, made_layout
from pddl2nl.reports.summaries import RunSummary


def _run(policy: str, model: str = "", suite: str = "s", task: str = "t", **said: object) -> RunSummary:
    seed = None if policy in ("ff", "brfs", "myplanner") else 1
    name = "-".join(map(str, (suite, task, policy, model, *said.values())))
    style, wording = ("nl", "hand") if model else ("", "")
    fields = {"style": style, "wording": wording, "seed": seed, **said}
    return RunSummary(name, Path(f"{name}.jsonl"), suite, task, "id", "d", "p", 2, policy, model, **fields)


def _labels(*runs: RunSummary) -> list[str]:
    return [column.label for column in made_layout(runs).columns]


def test_columns_are_called_by_what_tells_them_apart():
    assert _labels(_run("react", "m"), _run("act", "m"), _run("basic", "m")) == ["basic", "act", "react"]
    assert _labels(_run("act", "m"), _run("act", "n")) == ["m act", "n act"]
    pddl = _run("act", "m", style="pddl", wording="")
    assert _labels(pddl, _run("act", "m")) == ["act nl", "act pddl"]
    assert _labels(_run("act", "m", wording="template"), _run("act", "m")) == ["act hand", "act template"]
    some = _run("act", "m", variant="translator=llm, history=none")
    assert _labels(_run("act", "m", variant="translator=llm"), some) == ["act", "act history=none"]


def test_two_wordings_of_one_domain_are_two_columns() -> None:
    """Once three wordings of one domain became one column, "act 0.7"."""
    one, other = (_run("act", "m", wording="llm", wording_id=f"{n}" * 8) for n in (1, 2))
    assert _labels(one, other) == ["act llm 11111111", "act llm 22222222"]
    assert _labels(one, replace(other, domain="another")) == ["act"]


def test_planners_and_walks_stand_behind_the_models():
    runs = [_run("ff"), _run("myplanner"), _run("random"), _run("react", "m"), _run("brfs"), _run("mine", "m")]
    layout = made_layout(runs, "mine")
    assert [column.name for column in layout.columns] == ["react", "mine", "random", "brfs", "ff", "myplanner"]
    assert [column.kind for column in layout.columns] == ["model", "model", "walk", "planner", "planner", "planner"]
    assert (layout.name, layout.models) == ("mine", ("m",))


def test_no_two_columns_have_one_label():
    runs = [
        _run(policy, model, style=style, wording=wording, variant=variant)
        for policy in ("act", "act hand", "act 2")
        for model in ("m", "act")
        for style, wording in (("nl", "hand"), ("nl", "llm"), ("pddl", ""))
        for variant in ("", "a=1", "a=1, b=2", "b=2")
    ]
    labels = _labels(*runs)
    assert len(labels) == len(runs)
    assert len(set(labels)) == len(labels)


def test_rows_are_suites_with_their_tasks():
    runs = [_run("ff", suite="b", task="p1"), _run("ff", suite="b", task="p2"), _run("random", suite="a", task="p1")]
    layout = made_layout(runs)
    assert layout.rows == (LayoutRow("a", tasks=1), LayoutRow("b", tasks=2))
    assert layout.runs[runs[1].name] == (Place(1, 1),)


ACT, FF = LayoutColumn("Act", "NL", policy="act", model="m"), LayoutColumn("FF", kind="planner", policy="ff")
OTHER = LayoutColumn("Act", "NL", policy="act", model="n")
ROW, BIGGER = LayoutRow("blocksworld", "primary", tasks=2), LayoutRow("blocksworld", "primary", tasks=3)


@pytest.mark.parametrize("name", ["two", ""])
def test_different_things_of_one_name_are_told_apart(name):
    first = TableLayout("one", (ACT,), (ROW,), {"a": (Place(0, 0),)})
    second = TableLayout(name, (OTHER,), (ROW,), {"b": (Place(0, 0),)}, (LayoutTable("tokens", columns=("NL Act",)),))
    layout, notes = joined_layout([first, second, second])
    called = "NL Act two" if name else "NL Act 2"
    assert [column.label for column in layout.columns] == ["NL Act", called]
    assert layout.columns[1].model == "n"
    assert layout.tables == (LayoutTable("tokens", columns=(called,)),)
    assert layout.runs["b"] == (Place(0, 1),)
    assert any("different columns 'NL Act'" in note and called in note for note in notes)

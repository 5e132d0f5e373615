"""A folder of records in the cells of its layout, and layouts made of records that have none."""

from __future__ import annotations

import dataclasses
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.layout import (
    LAYOUT_FILE,
    LayoutColumn,
    LayoutRow,
    LayoutTable,
    Place,
    TableLayout,
    write_layout,
)
from pddl2nl.policies.events import Finished, RecordError
from pddl2nl.reports.gathering import gather, joined_layout, made_layout
from pddl2nl.reports.summaries import RunSummary
from tests.records import changed

LAYOUT = TableLayout(
    "mine",
    (LayoutColumn("Act", "NL", policy="act", model="m"), LayoutColumn("LM-cut", "Symb.", "planner", "lmcut")),
    (LayoutRow("blocksworld", tasks=2),),
    {"a1": (Place(0, 0),), "a2": (Place(0, 0),), "p": (Place(0, 1),), "later": (Place(0, 1),)},
)


@pytest.fixture
def folder(write, act_events, planned, tmp_path) -> Path:
    """An experiment's folder: three runs of four, one of them broken, a stranger, and one that goes on."""
    write("a1", [act_events[0], Finished("infrastructure-error", message="503")])
    write("a2", [changed(act_events[0], seed=2), *act_events[1:]])
    write("p", planned)
    write("older", planned)
    (tmp_path / "later.jsonl.partial").write_text("{")
    write_layout(tmp_path, LAYOUT)
    return tmp_path


def test_runs_stand_in_the_cells_of_their_layout(folder):
    found = gather(folder)
    assert found.layout == LAYOUT
    assert [run.name for run in found.cell(0, 0)] == ["a1", "a2"]
    assert [run.name for run in found.cell(0, 1)] == ["p"]
    assert found.cell(7, 7) == ()
    assert sorted(found.runs) == ["a1", "a2", "p"]


def test_what_is_missing_broken_strange_or_unfinished_is_said(folder):
    found = gather(folder)
    assert found.missing == ("later",)
    assert found.strangers == ("older",)
    assert [run.name for run in found.broken] == ["a1"]
    assert [path.name for path in found.unfinished] == ["later.jsonl.partial"]


def test_without_a_layout_one_is_made_of_the_records(folder):
    (folder / LAYOUT_FILE).unlink()
    found = gather(folder)
    assert [column.label for column in found.layout.columns] == ["act", "lmcut"]
    assert (found.missing, found.strangers, len(found.runs)) == ((), (), 4)


def test_several_experiments_below_one_folder_become_one(folder, tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    for name in ("one", "two"):
        shutil.copytree(folder, root / name)
    other = dataclasses.replace(LAYOUT, name="other", rows=(LayoutRow("ferry", tasks=2),))
    (root / "two" / LAYOUT_FILE).unlink()
    write_layout(root / "two", other)
    found = gather(root)
    assert [row.label for row in found.layout.rows] == ["blocksworld", "ferry"]
    assert found.notes == ("2 experiments are shown as one: mine, other.",)
    assert [run.name for run in found.cell(0, 0)] == ["one/a1", "one/a2"]
    assert [run.name for run in found.cell(1, 1)] == ["two/p"]
    assert found.missing == ("one/later", "two/later")
    assert found.strangers == ("one/older", "two/older")
    assert {name: run.name for name, run in found.runs.items()} == {name: name for name in found.runs}


def test_a_record_under_the_name_of_another_run_counts_nowhere(folder):
    whole = (folder / "a1.jsonl").read_bytes()
    shutil.copy(folder / "a2.jsonl", folder / "a1.jsonl")
    found = gather(folder)
    assert [run.name for run in found.doubted] == ["a1", "a2"]
    assert "hold this task and seed, a1 and a2: one is misnamed" in found.doubted[0].doubt
    assert found.cell(0, 0) == ()
    (folder / "a1.jsonl").write_bytes(whole)
    shutil.copy(folder / "a2.jsonl", folder / "p.jsonl")
    (misnamed,) = gather(folder).doubted
    assert misnamed.doubt == "its record is of act with m, not of this column"


def test_a_copy_of_an_experiment_counts_no_run_twice(folder, write, act_events, tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    for name in ("copy", "first"):
        shutil.copytree(folder, root / name)
    write("whole", act_events)
    shutil.move(folder / "whole.jsonl", root / "first" / "a1.jsonl")
    found = gather(root)
    # In the copy the first run is broken.
    assert sorted(found.runs) == ["copy/a2", "copy/p", "first/a1"]
    assert [run.name for run in found.cell(0, 0)] == ["first/a1", "copy/a2"]
    assert found.notes[1:] == ("3 runs are copies and not counted: copy/a1, for example.",)


def test_an_experiment_that_has_run_nothing_yet_is_all_missing(tmp_path):
    write_layout(tmp_path, LAYOUT)
    found = gather(tmp_path)
    assert (found.runs, found.missing) == ({}, ("a1", "a2", "p", "later"))


@pytest.mark.parametrize(
    ("name", "text", "error", "said"),
    [
        ("torn.jsonl", '{"event": "started"', RecordError, r"torn\.jsonl:1: not a line of JSON"),
        (LAYOUT_FILE, "[]", InputError, LAYOUT_FILE),
    ],
)
def test_what_cannot_be_read_is_an_error_with_its_place(folder, name, text, error, said):
    (folder / name).write_text(text)
    with pytest.raises(error, match=said):
        gather(folder)


def test_single_runs_of_one_name_are_different_runs(planned, folder, tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    for name in ("one", "two"):
        (root / name).mkdir()
        shutil.copy(folder / "a2.jsonl", root / name / "run.jsonl")
    found = gather(root)
    assert sorted(found.runs) == ["one/run", "two/run"]


# ── layouts made of records ───────────────────────────────────────────────────────────────────────


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

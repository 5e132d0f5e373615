"""A folder of records in the cells of its layout."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.layout import LAYOUT_FILE, LayoutColumn, LayoutRow, Place, TableLayout, write_layout
from pddl2nl.policies.events import Finished, RecordError
from pddl2nl.reports.gathering import gather
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

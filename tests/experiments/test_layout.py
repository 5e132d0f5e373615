"""The layout of an experiment's tables: written whole, read back, and refused where it is another program's."""

from __future__ import annotations

import json

import pytest

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.experiments.layout import (
    LAYOUT_FILE,
    LayoutColumn,
    LayoutRow,
    LayoutTable,
    Place,
    TableLayout,
    read_layout,
    write_layout,
)

LAYOUT = TableLayout(
    name="small",
    columns=(
        LayoutColumn("Act", "NL", "model", "act", "gpt-4o", "nl", "llm", {"history": "none", "steps": 9}),
        LayoutColumn("FF", "Symb.", "planner", "ff"),
    ),
    rows=(LayoutRow("blocksworld", "primary", "", 20), LayoutRow("blocksworld", "primary", "PlanBench", 20)),
    runs={"a-1": (Place(0, 0), Place(1, 0)), "ü-2": (Place(0, 1),)},
    tables=(LayoutTable("tokens", "Tokens", "table-6", ("NL Act",)),),
    models=("gpt-4o",),
)


def test_a_layout_comes_back_as_it_was(tmp_path):
    write_layout(tmp_path / "new", LAYOUT)
    assert read_layout(tmp_path / "new") == LAYOUT
    assert LAYOUT.columns[0].label == "NL Act"
    # Each run has a line, and nothing but the file is left.
    assert [path.name for path in (tmp_path / "new").iterdir()] == [LAYOUT_FILE]
    assert '  "a-1": [[0, 0], [1, 0]],' in (tmp_path / "new" / LAYOUT_FILE).read_text(encoding="utf-8").splitlines()


def test_a_folder_without_one_has_none_and_a_folder_that_is_a_file_is_said(tmp_path):
    assert read_layout(tmp_path) is None
    (tmp_path / "file").write_text("")
    with pytest.raises(InfrastructureError, match="cannot write"):
        write_layout(tmp_path / "file", LAYOUT)


def changed(**said):
    return json.dumps(
        {"format": 1, "name": "x", "columns": [{"name": "A"}], "rows": [{"label": "r"}], "runs": {}} | said
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"format": 1,\n "name" 3}', r"experiment\.json:2:9: "),
        ("[]", r"the file is \[\]; expected a table"),
        (changed(format=7), "format is 7; expected 1"),
        (changed(columns=[{"heading": "A"}]), r"columns\[0\].name is missing"),
        (changed(columns=[{"name": "A", "kind": "dog"}]), r"columns\[0\]\.kind is 'dog'; expected one of model"),
        (changed(rows="r"), "rows is 'r'; expected a list"),
        (changed(runs={"a": [[0, 1]]}), r"runs\.a is \[0, 1\]; expected \[row, column\] below \[1, 1\]"),
        (changed(runs={"a": [["0", 0]]}), r"runs is \{'a': \[\['0', 0\]\]\}; expected a whole number"),
        (changed(runs=[]), r"runs is \[\]; expected a table"),
        (changed(tables=[{"title": "T"}]), r"tables\[0\]"),
        (changed(tables=[{"kind": ["coverage"]}]), r"tables\[0\]\.kind is \['coverage'\]; expected a text"),
        (changed(rows=[{"label": "r", "tasks": "2"}]), r"rows\[0\]\.tasks is '2'; expected a whole number"),
        (changed(columns=[{"name": "\ud800"}]), r"'\\ud800' is half of a surrogate pair"),
        (changed(name=3), "name is 3; expected a text"),
        (b"\xff\xfe", "UTF-8 was expected"),
    ],
)
def test_a_foreign_file_is_refused_with_its_place(tmp_path, text, message):
    (tmp_path / LAYOUT_FILE).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=message):
        read_layout(tmp_path)

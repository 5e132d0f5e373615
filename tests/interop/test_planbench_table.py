"""The audit's table, as data, as CSV and as text."""

from __future__ import annotations

from pddl2nl.interop.planbench import Audited, Disagreement, audit_rows

ONE = Audited(
    "a/m/t.json",
    10,
    (3,),
    ("planbench", "default"),
    (
        Disagreement("a/m/t.json", 1, "planbench", True, False),
        Disagreement("a/m/t.json", 2, "default", False, True),
        Disagreement("a/m/t.json", 3, "default", False, True),
        Disagreement("a/m/t.json", 4, "default", False, True),
    ),
)
TWO = Audited("b/m/t.json", 0, (), ("planbench", "default"), ())


def test_rows_count_and_sum() -> None:
    rows = audit_rows([ONE, TWO])
    assert [(row.file, row.policy) for row in rows] == [
        ("a/m/t.json", "planbench"),
        ("a/m/t.json", "default"),
        ("b/m/t.json", "planbench"),
        ("b/m/t.json", "default"),
        ("all files", "planbench"),
        ("all files", "default"),
    ]
    last = rows[-1]
    assert (last.replies, last.recorded_agrees, last.agrees, last.recorded_only, last.ours_only) == (10, 9, 7, 0, 3)
    assert [row.agreement for row in rows] == [0.9, 0.7, 1.0, 1.0, 0.9, 0.7]

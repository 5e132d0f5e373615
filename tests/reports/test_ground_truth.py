"""References as records hold them: what is read, and what of a foreign record is refused with its place."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from pddl2nl.experiments.records.stored import read_record
from pddl2nl.policies.events import RecordError
from pddl2nl.policies.reporting import MOST_SETS, Way, reference_of
from pddl2nl.tasks import shipped_domain
from pddl2nl.tasks.references import references_of


def test_a_reference_is_read_with_all_that_it_says(tower: dict[str, Any]) -> None:
    found = reference_of(tower)
    assert found is not None
    assert (found.task, found.title, found.complexity) == ("T1", "Build a tower", "moderate")
    assert (found.averaged, found.length_counted) == (True, True)
    assert [(one.name, one.blocks, one.length) for one in found.ways] == [
        ("the only one", (("(pick-up a)",), ("(stack a b)",)), 2)
    ]
    assert reference_of({}) is None


def test_what_a_reference_leaves_out_is_as_usual() -> None:
    found = reference_of({"ways": [{"blocks": [{"actions": ["(a)"]}]}, {"blocks": []}]})
    assert found is not None
    assert (found.task, found.averaged, found.length_counted, len(found.ways)) == ("", True, True, 1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"ways": []}, "'ways' holds no action"),
        ({"ways": "none"}, "ways is 'none'; expected a list"),
        ({"ways": [1]}, r"ways\[0\] is 1; expected a table"),
        ({"ways": [{"blocks": [["(a)"]]}]}, r"ways\[0\]\.blocks\[0\] is .*; expected a table"),
        ({"ways": [{"blocks": [{"actions": [1]}]}]}, r"actions\[0\] is 1; expected a text"),
        ({"ways": [{"blocks": [{"actions": "(a)"}]}]}, r"actions is '\(a\)'; expected a list"),
        ({"averaged": "no"}, "averaged is 'no'; expected true or false"),
        ({"task": 3}, "task is 3; expected a text"),
        ({"order": [[0, 5]]}, r"way 1: the order \[0, 5\] names an unknown block; blocks are 0 to 1"),
        ({"order": [[0]]}, "expected a list of length 2"),
        ({"order": [[0, True]]}, "is true; expected a whole number"),
        ({"order": [[0, 1], [1, 0]]}, "its order goes in a circle"),
        ({"order": [[1, 1]]}, "its order goes in a circle"),
    ],
)
def test_a_wrong_reference_is_refused_with_its_place(
    wrong: dict[str, Any], message: str, tower: dict[str, Any], act_events, write
) -> None:
    said = {**tower, **wrong}
    if "order" in wrong:
        said = {**tower, "ways": [{**tower["ways"][0], **wrong}]}
    with pytest.raises(RecordError, match=message):
        reference_of(said)
    path = write("one", [structs.replace(act_events[0], reference=said), *act_events[1:]])
    with pytest.raises(RecordError, match=rf"one\.jsonl:1: an event 'started' with the wrong fields: .*{message}"):
        read_record(path)


def test_orders_that_would_keep_a_report_busy_for_ever_are_refused() -> None:
    assert Way.of("", [["(a)"]] * 14, ()).length == 14
    many = [[f"(a {place})"] for place in range(40)]
    with pytest.raises(ValueError, match=f"over {MOST_SETS:,} sets"):
        Way.of("", many, ())
    assert Way.of("", many, [(place, place + 1) for place in range(39)]).length == 40


def test_the_kitchens_ground_truths_are_references() -> None:
    for said in references_of(shipped_domain("kitchen").domain):
        found = reference_of(said.to_json())
        assert found is not None
        assert found.task == said.to_json()["task"]
        assert found.complexity in ("moderate", "high")
        assert {way.length for way in found.ways}

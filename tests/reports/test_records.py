"""Reading stored runs and their references: what is read, and what is refused with its place."""

from __future__ import annotations

import re
from typing import Any

import pytest
from msgspec import structs
from msgspec.structs import replace

from pddl2nl.experiments.records.replay import replay_record
from pddl2nl.experiments.records.stored import record_paths
from pddl2nl.policies.events import RecordError
from pddl2nl.policies.reporting import MOST_SETS, Way, reference_of
from pddl2nl.reports import PlannerRecord, RunRecord, read_record
from pddl2nl.tasks import shipped_domain
from pddl2nl.tasks.references import references_of
from tests.records import changed


def test_an_episode_is_read_whole(write, act_events):
    record = read_record(write("one", act_events))
    assert isinstance(record, RunRecord)
    assert record.events[:-1] == tuple(act_events[:-1])
    assert replace(record.finished, digest="") == act_events[-1]
    assert (record.id, record.first.domain, record.first.problem) == ("one", "blocksworld-4ops", "tiny")
    assert (record.policy, record.model) == ("act", "m")
    assert record.solved
    assert not record.infrastructure
    assert record.fault is not None
    assert record.fault.status == "inapplicable"


def test_a_planners_record_is_read(write, planned):
    record = read_record(write("one", planned))
    assert isinstance(record, PlannerRecord)
    assert replace(record.planned, digest="") == planned
    assert (record.policy, record.model) == ("lmcut", "")
    assert record.fault is None


@pytest.mark.parametrize(
    ("status", "outcome", "broken"),
    [("timeout", "timeout", False), ("unsolvable", "unsolvable", False), ("error", "infrastructure-error", True)],
)
def test_a_planner_without_a_plan(write, planned, status, outcome, broken):
    failed = structs.replace(planned, status=status, plan=None, message="why")
    record = read_record(write("one", failed))
    assert (record.outcome, record.infrastructure, record.solved, record.plan) == (outcome, broken, False, ())
    assert record.fault is not None
    assert record.fault.text == "why"


def test_a_torn_line_is_an_error_with_its_place(write, act_events):
    path = write("one", act_events)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:3], lines[3][:40], *lines[4:]]))
    with pytest.raises(RecordError, match=r"one\.jsonl:4: not a line of JSON"):
        read_record(path)


def test_a_record_that_was_cut_off_is_an_error_and_not_a_failed_run(write, act_events):
    with pytest.raises(RecordError, match=r"one\.jsonl:22: a finished record ends with 'finished'"):
        read_record(write("one", act_events[:-1]))


@pytest.mark.parametrize("text", ["", "[]\n", '{"event": "finished", "outcome": "solved"}\n', '{"event": "planned"}\n'])
def test_what_is_no_record_is_refused_with_its_place(tmp_path, text):
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    with pytest.raises(RecordError, match=r"x\.jsonl:1: "):
        read_record(path)


def test_a_line_separator_in_a_reply_ends_no_line(write, act_events):
    path = write("one", act_events)
    path.write_text(path.read_text().replace("I did not understand.", "I did\u2028not\u0085understand."))
    assert read_record(path).solved


def test_a_folder_lists_what_is_unfinished_and_does_not_count_it(write, tmp_path, act_events, planned):
    write("b", act_events)
    write("a", planned)
    (tmp_path / "c.jsonl.partial").write_text('{"event": "sta')
    finished, unfinished = record_paths(tmp_path)
    assert [path.name for path in finished] == ["a.jsonl", "b.jsonl"]
    assert [path.name for path in unfinished] == ["c.jsonl.partial"]


def test_a_folder_that_cannot_be_read_is_an_error_and_not_left_out(tmp_path, monkeypatch):
    def scandir(folder):
        raise PermissionError(13, "Permission denied", str(folder / "secret"))

    monkeypatch.setattr("os.scandir", scandir)
    with pytest.raises(RecordError, match="secret: the folder cannot be read: Permission denied"):
        record_paths(tmp_path)


@pytest.mark.parametrize("line", ["[" * 100_000, '{"event": "started"} {}', "", "  ", "\ufeff{}", "nonsense"])
def test_a_line_that_is_no_single_object_is_an_error_with_its_place(write, act_events, line):
    path = write("one", act_events)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:2], line, *lines[2:]]) + "\n")
    with pytest.raises(RecordError, match=r"one\.jsonl:3: "):
        read_record(path)


def test_halves_of_characters_become_signs_that_a_page_can_hold(write, act_events):
    halved = [changed(act_events[0], task="half \ud83d", suite="\ud83d\ude00"), *act_events[1:]]
    record = read_record(write("one", halved))
    assert (record.first.task, record.first.suite) == ("half \ufffd", "\U0001f600")


@pytest.mark.parametrize(
    ("place", "changed", "said"),
    [
        (0, {"names": {"a": 1}}, r"names is {'a': 1}; expected a text"),
        (0, {"prompts": {"x": None}}, r"prompts is {'x': None}; expected a text"),
        (-1, {"turns": {"executed": "2"}}, r"turns is {'executed': '2'}; expected a whole number"),
        (-1, {"used": {"planner": "much"}}, r"used is {'planner': 'much'}; expected a table"),
    ],
)
def test_what_an_object_holds_is_checked_as_well(write, act_events, place, changed, said):
    events = [*act_events]
    events[place] = structs.replace(events[place], **changed)
    with pytest.raises(RecordError, match=said):
        read_record(write("one", events))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda events: events.insert(3, events[0]), "one.jsonl:4: a second 'started' in one record"),
        (lambda events: events.insert(3, events[-1]), "one.jsonl:5: 'read' after the end of the run"),
        (lambda events: events.append(events[1]), "one.jsonl:24: 'prompted' after the end of the run"),
        (
            lambda events: events.append(structs.replace(events.pop(), outcome="WON")),
            "one.jsonl:23: an event 'finished' with the wrong fields: outcome is 'WON'",
        ),
        (
            lambda events: events.append(structs.replace(events.pop(), prompt_tokens=-1)),
            "one.jsonl:23: an event 'finished' with the wrong fields: prompt_tokens is -1; expected a whole number",
        ),
        (
            lambda events: events.append(structs.replace(events.pop(), used={"planner": {"calls": -1}})),
            "one.jsonl:23: an event 'finished' with the wrong fields: used is ",
        ),
    ],
)
def test_a_report_refuses_what_a_replay_refuses(write, act_events, change, said):
    events = [*act_events]
    change(events)
    path = write("one", events)
    for refused_by in (read_record, replay_record):
        with pytest.raises(RecordError, match=re.escape(said)):
            refused_by(path)


# ── references ────────────────────────────────────────────────────────────────────────────────────


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

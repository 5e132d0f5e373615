"""Summaries: what a report keeps of a record, one at a time and in a pool of processes."""

from __future__ import annotations

import os
import signal

import pytest
from msgspec.structs import replace

from pddl2nl.experiments.records.stored import read_record
from pddl2nl.policies.events import Finished
from pddl2nl.reports import summaries
from pddl2nl.reports.summaries import read_summaries, summarize
from tests.records import changed, rewrite


def test_an_episode(write, act_events):
    run = summarize(read_record(write("one", act_events)))
    assert (run.name, run.suite, run.task, run.domain, run.problem) == (
        "one",
        "blocksworld-4ops",
        "tiny",
        "blocksworld-4ops",
        "tiny",
    )
    assert (run.policy, run.model, run.style, run.wording, run.variant, run.seed) == ("act", "m", "nl", "", "", 1)
    assert (run.kind, run.outcome, run.solved, run.infrastructure, run.link) == ("model", "solved", True, False, None)
    assert (run.objects, len(run.task_id)) == (2, 64)
    assert run.values["mistakes"] == 2


def test_what_the_experiment_called_it_comes_first(write, act_events):
    started = changed(act_events[0], suite="blocks", task="p07")
    run = summarize(read_record(write("one", [started, *act_events[1:]])))
    assert (run.suite, run.task, run.problem) == ("blocks", "p07", "tiny")


def test_a_planner_and_a_walk(write, planned, act_events):
    planner = summarize(read_record(write("one", planned)))
    assert (planner.policy, planner.kind, planner.model, planner.seed, planner.variant) == (
        "lmcut",
        "planner",
        "",
        None,
        "",
    )
    started = changed(act_events[0], policy="random", models={}, wording={"source": {"method": "template"}})
    walk = summarize(
        read_record(write("two", [started, Finished("budget", message="the limit of 8 steps is reached")]))
    )
    assert (walk.kind, walk.style, walk.wording, walk.variant, walk.seed) == ("walk", "", "", "", 1)
    assert walk.message == "the limit of 8 steps is reached"
    assert planner.task_id == walk.task_id


@pytest.mark.parametrize(
    ("fields", "variant", "wording"),
    [
        ({"example": {}}, "", ""),
        ({"example": {}, "wording": {"source": {"method": "llm"}}}, "", "llm"),
        ({"example": {}, "wording": {"source": "by hand"}}, "", "file"),
        ({"example": {}, "wording": {}}, "", "file"),
        (
            {
                "profile": "autoplanbench",
                "translator": "llm",
                "models": {"planner": "m", "translator": "t", "wording": "w"},
                "names": "original",
            },
            "profile=autoplanbench, translator=llm, names=original, translator-model=t",
            "",
        ),
        ({"example": {}, "translator": "llm", "models": {"planner": "m", "translator": "m"}}, "translator=llm", ""),
        ({"example": {}, "style": "pddl", "names": "original"}, "", ""),
        (
            {
                "example": {},
                "temperature": 0.7,
                "history": "none",
                "options": {"unsolvable": True, "stop_after": None},
            },
            "temperature=0.7, history=none, unsolvable=true",
            "",
        ),
        (
            {"example": {}, "policy": "not-here", "options": {"task_text": "Clean up", "tools": ["state", "undo"]}},
            "tools=state,undo",
            "",
        ),
    ],
)
def test_what_tells_columns_apart(write, act_events, fields, variant, wording):
    run = summarize(read_record(write("one", [changed(act_events[0], **fields), *act_events[1:]])))
    assert (run.variant, run.wording) == (variant, wording)


def test_only_a_run_without_the_example_that_it_could_show_says_so(write, act_events):
    # A policy of a system never shows one, which is no setting of the run.
    started = replace(act_events[0], example=None, spec={**act_events[0].spec, "example": "none"})
    assert summarize(read_record(write("one", [started, *act_events[1:]]))).variant == "example=none"
    without = replace(act_events[0], example=None)
    assert summarize(read_record(write("two", [without, *act_events[1:]]))).variant == ""


def test_a_task_that_cannot_be_read_is_summarized_all_the_same(write, act_events):
    started = changed(act_events[0], problem_pddl="(define (problem")
    run = summarize(read_record(write("one", [started, *act_events[1:]])))
    assert (run.objects, run.solved) == (0, True)


def test_a_run_that_infrastructure_broke_has_no_values(write, act_events):
    run = summarize(read_record(write("one", [*act_events[:3], Finished("infrastructure-error", message="503")])))
    assert (run.infrastructure, run.values, run.estimated) == (True, {}, frozenset())
    assert (run.link.kind, run.link.text) == ("infrastructure-error", "503")


@pytest.fixture
def many(write, act_events, basic_events, planned):
    """The paths of seventy records of three kinds."""
    return [write(f"r{number:02}", (act_events, basic_events, planned)[number % 3]) for number in range(70)]


def test_several_processes_find_what_one_finds_and_in_its_order(many):
    alone = read_summaries(many, 1)
    assert [run.path for run in alone] == many
    assert read_summaries(many, 2) == alone
    assert read_summaries([], 2) == []


def test_where_a_process_is_killed_the_first_one_reads_by_itself(many, monkeypatch):
    alone, first = read_summaries(many, 1), os.getpid()

    def killed(record):
        if os.getpid() != first:
            os.kill(os.getpid(), signal.SIGKILL)
        return summarize(record)

    monkeypatch.setattr(summaries, "summarize", killed)
    assert read_summaries(many, 2) == alone


def test_a_record_older_than_a_field_is_read_and_whole_ones_alike(write, act_events):
    path = write("one", act_events)
    whole = read_record(path)
    young = {"tariff", "from_cache", "suite", "task", "solvable", "used", "spent", "counted", "sample"}
    rewrite(path, lambda events: [event.pop(name, None) for event in events for name in young])
    assert read_record(path).events[:-1] == whole.events[:-1] == tuple(act_events[:-1])
    assert summarize(read_record(path)) == summarize(whole)

"""Summaries: what a report keeps of a record, its first broken link, and many records in a pool of processes."""

from __future__ import annotations

import os
import re
import signal

import pytest
from msgspec import structs
from msgspec.structs import replace

from pddl2nl.experiments.records.stored import read_record
from pddl2nl.policies.events import OUTCOMES, Acted, Fault, Finished, Judged, Rejected
from pddl2nl.reports import summaries
from pddl2nl.reports.summaries import LINKS, BrokenLink, first_broken_link, predicates_of, read_summaries, summarize
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
    alone = [*read_summaries(many, 1)]
    assert [run.path for run in alone] == many
    assert [*read_summaries(many, 2)] == alone
    assert [*read_summaries([], 2)] == []


def test_where_a_process_is_killed_the_first_one_reads_by_itself(many, monkeypatch):
    alone, first = [*read_summaries(many, 1)], os.getpid()

    def killed(record):
        if os.getpid() != first:
            os.kill(os.getpid(), signal.SIGKILL)
        return summarize(record)

    monkeypatch.setattr(summaries, "summarize", killed)
    assert [*read_summaries(many, 2)] == alone


def test_a_record_older_than_a_field_is_read_and_whole_ones_alike(write, act_events):
    path = write("one", act_events)
    whole = read_record(path)
    young = {"tariff", "from_cache", "suite", "task", "solvable", "used", "spent", "counted", "sample"}
    rewrite(path, lambda events: [event.pop(name, None) for event in events for name in young])
    assert read_record(path).events[:-1] == whole.events[:-1] == tuple(act_events[:-1])
    assert summarize(read_record(path)) == summarize(whole)


# ── first broken links ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("conditions", "predicates"),
    [
        (["(holding a)", "(clear b)", "(clear c)"], ("clear", "holding")),
        (["(not (on a b))", "(clear b)"], ("clear", "not on")),
        (["(handempty)"], ("handempty",)),
        (["(not (not (CLEAR b)))"], ("clear",)),
        (["(or (at a b) (not (at a c)))"], ("at", "not at")),
        (["(not (and (p) (q a)))"], ("not p", "not q")),
        (["(imply (wet a) (dry b))"], ("dry", "not wet")),
        (["(forall (?x - (either block tray)) (clear ?x))", "(exists (?y) (not (full ?y)))"], ("clear", "not full")),
        (["(>= (fuel t) (+ (need a b) 3))"], ("fuel", "need")),
        (["(not (= a b))", "(= (cost) 3)"], ("cost", "not =")),
        ([], ()),
        (["", "()", "(", "not pddl at all", "(not)"], ()),
    ],
)
def test_predicates_of_conditions(conditions, predicates):
    assert predicates_of(conditions) == predicates


def _link(write, events, name="one"):
    return first_broken_link(read_record(write(name, events)))


def test_an_inapplicable_action_is_told_by_what_was_violated(write, basic_events):
    events = [*basic_events]
    events[5] = structs.replace(events[5], unmet=("(holding a)", "(not (clear b))"))
    assert _link(write, events) == BrokenLink("inapplicable", ("holding", "not clear"), 1, "stack a on b")


def test_a_run_that_was_solved_has_none_whatever_happened_on_the_way(write, act_events):
    assert _link(write, act_events) is None


def test_the_first_one_counts_and_not_what_ended_the_run(write, act_events):
    ended = Finished("budget", Fault(2, "inapplicable", "stack a on b"), steps=5)
    assert _link(write, [*act_events[:-2], ended]) == BrokenLink("inapplicable", ("holding",), 2, "stack a on b")


def test_a_missed_goal_is_told_by_what_of_it_is_missing(write, basic_events):
    missed = Finished(
        "goal-missed", Fault(1, "goal-missed", "a is not on b"), ("(pick-up a)",), ("(pick-up a)",), steps=1
    )
    assert _link(write, [*basic_events[:4], Acted(1, "(pick-up a)"), missed]) == BrokenLink(
        "goal-missed", ("on",), 1, "a is not on b"
    )


@pytest.mark.parametrize("broken", ["(define (domain", "(define (domain d) (:predicates (p)))"])
def test_a_task_that_cannot_be_read_leaves_the_missed_goal_without_predicates(write, basic_events, broken):
    started = changed(basic_events[0], domain_pddl=broken)
    missed = Finished("goal-missed", Fault(1, "goal-missed", "told"), ("(pick-up a)",))
    assert _link(write, [started, missed]) == BrokenLink("goal-missed", (), 1, "told")


def test_a_false_claim_is_told_by_what_was_missing(write, act_events):
    claimed = Rejected(1, "claimed-done", "done", unmet=("(on a b)",))
    ended = Finished("gave-up", Fault(1, "claimed-done", "done"))
    link = _link(write, [act_events[0], claimed, ended])
    assert link == BrokenLink("claimed-done", ("on",), 1, "done")
    assert LINKS[link.kind] == "goal missed"


def test_of_several_plans_the_one_that_counts_is_looked_at(write, basic_events):
    other = Rejected(1, "inapplicable", "put a", "(put-down a)", ("(holding c)",))
    own = structs.replace(basic_events[5], unmet=("(clear b)",))
    events = [
        *basic_events[:3],
        *(other, Judged(1, 0, 0, "inapplicable")),
        *(own, Judged(2, 0, 1, "inapplicable")),
        structs.replace(basic_events[6], counted=2),
    ]
    assert _link(write, events).predicates == ("clear",)


def test_a_planners_status_is_its_link(write, planned):
    failed = structs.replace(planned, status="timeout", plan=None, message="after 10 s")
    assert first_broken_link(read_record(write("one", failed))) == BrokenLink("timeout", (), 0, "after 10 s")
    broken = structs.replace(planned, status="error", plan=None, message="killed")
    assert first_broken_link(read_record(write("two", broken))) == BrokenLink("infrastructure-error", (), 0, "killed")
    assert first_broken_link(read_record(write("three", planned))) is None


def test_infrastructure_is_no_link_of_the_chain(write, act_events):
    ended = Finished("infrastructure-error", Fault(0, "filtered", "withheld"), message="the reply was withheld")
    link = _link(write, [act_events[0], ended])
    assert link == BrokenLink("filtered", (), 0, "the reply was withheld")
    assert LINKS[link.kind] == "infrastructure"


def test_a_record_without_a_fault_is_counted_by_its_outcome(write, act_events):
    assert _link(write, [act_events[0], Finished("budget", message="40 steps")]) == BrokenLink(
        "budget", (), 0, "40 steps"
    )


def test_every_status_and_outcome_has_a_name_for_readers():
    said = set(re.findall(r"``([a-z-]+)``", Fault.__doc__ or "")) - {"step", "status", "text"}
    assert len(said) > 12
    assert said | {*OUTCOMES} - {"solved"} <= LINKS.keys()
    unread, answers = ["unreadable", "ambiguous", "unknown object"], ["incomplete", "wrong", "too costly"]
    issue = [*unread, *answers, "inapplicable", "goal missed", "budget", "context", "gave up", "undecided"]
    assert [*dict.fromkeys(LINKS.values())] == [*issue, "infrastructure"]

"""Optimal lengths: by an optimal planner's plan, and by the shipped manifests."""

from __future__ import annotations

import pytest
from msgspec import structs

from pddl2nl.experiments.records.stored import read_record
from pddl2nl.reports.gathering import gathered
from pddl2nl.reports.metrics import all_metrics, length_ratio, optimal_length, shipped_lengths, task_id
from pddl2nl.tasks import shipped_domain

OVER = "plan-length-over-optimal"


def test_one_task_has_one_name_however_its_lines_end():
    assert task_id("(d)\n", "(p)\n") == task_id("\ufeff(d)\r\n", "(p)\r")
    assert len({task_id("ab", "c"), task_id("a", "bc"), task_id("a", "b c"), task_id("abc", "")}) == 4


def test_shipped_tasks_are_known_by_their_texts(write, planned):
    shipped = shipped_domain("blocksworld")
    instance = shipped.instance("p05")
    domain, problem = shipped.domain_path.read_text(encoding="utf-8"), instance.path.read_text(encoding="utf-8")
    plan = ("(x)",) * (2 * instance.optimal_length)
    of = structs.replace(planned, planner="ff", domain_pddl=domain, problem_pddl=problem, plan=plan)
    record = read_record(write("one", of))
    assert optimal_length(record) == instance.optimal_length
    assert all_metrics()[OVER].of(record) == 2
    moved = read_record(write("two", structs.replace(of, problem_pddl=problem.replace("(on ", "(on  ", 1))))
    assert optimal_length(moved) is None
    assert all_metrics()[OVER].of(moved) is None


def test_the_lengths_of_all_sets_are_there_and_no_upper_bound_is_taken_for_one():
    proved = sum(
        each.proof in ("lmcut", "brfs")
        for name in ("blocksworld", "visitall")
        for each in shipped_domain(name).instances
    )
    assert proved > 80
    assert len(shipped_lengths()) > proved


@pytest.mark.parametrize(
    ("planner", "metric", "known"),
    [
        ("brfs", "", 2),
        ("brfs", "(:metric minimize (total-cost))", 2),
        ("lmcut", "", 2),
        ("lmcut", "(:metric minimize (total-cost))", None),
        ("ff", "", None),
        ("lama", "", None),
    ],
)
def test_a_plan_proves_its_length_where_its_planner_looks_for_the_shortest(write, planned, planner, metric, known):
    problem = planned.problem_pddl.rstrip().removesuffix(")") + metric + ")"
    record = read_record(write("one", structs.replace(planned, planner=planner, problem_pddl=problem)))
    assert optimal_length(record) == known


@pytest.mark.parametrize(("length", "optimal", "over"), [(6, 4, 1.5), (4, 4, 1.0), (0, 0, 1.0), (2, 0, None)])
def test_ratios(length, optimal, over):
    assert length_ratio(length, optimal) == over


def test_other_runs_of_a_task_learn_its_length_from_an_optimal_planner(write, planned, act_events, basic_events):
    detour = ("(pick-up b)", "(put-down b)", *planned.plan)
    longer = structs.replace(planned, planner="ff", plan=detour, cost=4)
    records = [
        read_record(write(name, item)) for name, item in (("act", act_events), ("ff", longer), ("no", basic_events))
    ]
    assert all(OVER not in run.values for run in gathered(records).runs.values())
    found = gathered([*records, read_record(write("lmcut", planned))]).runs
    assert {name: run.values.get(OVER) for name, run in found.items()} == {"act": 1, "ff": 2, "no": None, "lmcut": 1}

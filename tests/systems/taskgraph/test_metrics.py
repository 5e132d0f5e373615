"""The metrics of plans of subtasks: hand-computed values, and what must hold of any run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.errors import InputError
from pddl2nl.experiments.records.stored import RunRecord
from pddl2nl.experiments.specification.experiment import Overrides
from pddl2nl.experiments.specification.shipped import find_specification
from pddl2nl.pddl import write_domain, write_problem
from pddl2nl.policies.events import FORMAT, Finished, Started
from pddl2nl.reports.gathering import gather
from pddl2nl.reports.tables import tables_of
from pddl2nl.systems.taskgraph.events import GraphChecked
from pddl2nl.systems.taskgraph.metrics import METRICS
from pddl2nl.tasks import shipped_domain
from tests.systems.taskgraph.conftest import play

VALUES = {metric.name: metric.of for metric in METRICS}
ALFRED = shipped_domain("alfred")
TASK = ALFRED.task("s08")
TEXTS = write_domain(TASK.domain), write_problem(TASK.problem)
STEPS = "abcd"


def started_with(ways: list[dict[str, Any]]) -> Started:
    """The beginning of a run on s08 with these ground truths."""
    domain, problem = TEXTS
    spec = {"policy": "taskgraph", "domain": domain, "problem": problem}
    return Started(spec, "alfred", "s08", FORMAT, reference={"ways": ways} if ways else {})


def planned(plan: Sequence[str], *truths: Sequence[str], **faults: tuple[str, ...]) -> dict[str, float | None]:
    """The metrics of a plan with these ground truths."""
    ways = [{"blocks": [{"macro": step, "actions": ["(a)"]} for step in truth]} for truth in truths]
    started = started_with(ways)
    told: dict[str, Any] = {"form": (), "targets": (), "transitions": (), "reaches": True, **faults}
    check = GraphChecked(0, 0, tuple(plan), **told)
    run = RunRecord.of(Path("made.jsonl"), (started, check, Finished("goal-missed")))
    names = ("missing-subtasks", "additional-subtasks", "wrong-transitions", "affordance-errors", "graph-pass")
    return {name: VALUES[name](run) for name in names}


@pytest.mark.parametrize(
    ("plan", "truth", "missing", "additional"),
    [
        ("abc", "abc", 0, 0),
        # One of three steps is missing; one of four is too many.
        ("ac", "abc", 100 / 3, 0),
        ("abdc", "abc", 0, 25),
        # A step in place of another is missing and additional.
        ("adc", "abc", 100 / 3, 100 / 3),
        ("ba", "ab", 50, 50),
        ("", "ab", 100, 0),
        # Two steps are common: b and a. Longest common blocks first would find one.
        ("bca", "aba", 100 / 3, 100 / 3),
    ],
)
def test_a_plan_is_aligned_with_the_ground_truth(plan: str, truth: str, missing: float, additional: float) -> None:
    values = planned(plan, truth)
    assert values["missing-subtasks"] == pytest.approx(missing)
    assert values["additional-subtasks"] == pytest.approx(additional)


def test_the_nearest_of_several_ground_truths_counts() -> None:
    assert planned("abc", "dddd", "abd")["missing-subtasks"] == pytest.approx(100 / 3)
    assert planned("abc")["missing-subtasks"] is None


@settings(max_examples=40)
@given(st.text(STEPS, max_size=6), st.text(STEPS, min_size=1, max_size=6))
def test_the_alignment_is_the_best_there_is(plan: str, truth: str) -> None:
    # By brute force: the longest subsequence of the ground truth that is one of the plan.
    longest = next(
        size
        for size in range(len(truth), -1, -1)
        if any(is_subsequence(kept, plan) for kept in combinations(truth, size))
    )
    assert planned(plan, truth)["missing-subtasks"] == pytest.approx(100 * (1 - longest / len(truth)))


def is_subsequence(steps: Sequence[str], plan: str) -> bool:
    rest = iter(plan)
    return all(step in rest for step in steps)


def test_errors_are_shares_of_pairs_and_of_targets() -> None:
    plan = ("PickupObject(Apple)", "PutObject(Apple, Fridge)", "PutObject(Apple, Shelf)")
    values = planned(plan, plan, targets=("step 2: …",), transitions=("step 3: …",))
    assert values["wrong-transitions"] == 50
    # Five targets are named.
    assert values["affordance-errors"] == 20
    assert values["graph-pass"] == 0


def test_the_calls_of_a_plan_end_with_its_last_check() -> None:
    events = play("s05", mistake="unknown-target").events
    run = RunRecord.of(Path("made.jsonl"), (started_with([]), *events))
    # A plan and its correction; then the classes that matter, and a question after each of three subtasks.
    assert (VALUES["plan-calls"](run), run.finished.calls) == (2, 6)


# ── specifications ────────────────────────────────────────────────────────────────────────────────


def table_of(
    name: str, instances: tuple[str, ...], folder: Path, model: str = "oracle", **arguments: str
) -> dict[str, dict[str, str]]:
    """The texts of our lines in the first table by label and heading, with the oracle as the model."""
    experiment = find_specification(f"graphplan-{name}").load(arguments, Overrides(model=model, instances=instances))
    experiment.run(folder, workers=1)
    table = tables_of(gather(folder))[0]
    headings = [f"{each.group} {each.name}".strip() for each in table.headings if not each.paper]
    return {
        line.label: dict(zip(headings, (cell.text for cell in line.cells), strict=False))
        for line in table.lines
        if not line.paper
    }


def test_long_tasks_stand_in_the_column_of_their_length(tmp_path: Path) -> None:
    ours = table_of("tables-10-12", ("l01",), tmp_path)["GraphPlan"]
    assert {name: text for name, text in ours.items() if name.startswith("Acc")} == {
        "Acc 7": "100.00",
        **{f"Acc {length}": "–" for length in (8, 9, 10, 11, 12)},
    }
    # The plan, the classes that matter, and a question after each of seven subtasks.
    assert (ours["calls 7"], ours["calls of runs 7"]) == ("1.00", "9.00")


def test_columns_of_models_that_are_not_named_are_left_out(tmp_path: Path) -> None:
    ours = table_of("table-4", ("s01",), tmp_path, without_graph="oracle")
    assert {label: cells["accuracy seen"] for label, cells in ours.items()} == {
        "w/o GRPO": "100.00",
        "w/o graph prompt": "100.00",
    }


def test_the_rates_of_a_deliberate_mistake_stand_in_the_table(tmp_path: Path) -> None:
    # One subtask of three is missing, and the graph allows it.
    ours = table_of("table-3", ("s05",), tmp_path, "oracle:missing-step")["GraphPlan"]
    assert (ours["accuracy seen"], ours["all GPR"], ours["all MSR"]) == ("0.00", "100.00", "33.33")


def test_a_mistake_of_other_policies_is_refused_with_their_names(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the oracle makes this mistake with hvr"):
        table_of("table-3", ("s05",), tmp_path, "oracle:impossible-macro")


def test_only_the_ablation_without_the_graph_hides_it() -> None:
    arguments = {"without_graph": "oracle", "without_node": "oracle"}
    columns = find_specification("graphplan-table-4").load(arguments, Overrides(model="oracle")).columns
    hiding, without = "taskgraph-cot", "taskgraph-noverify"
    assert {column.name: column.policy for column in columns} == {
        "w/o GRPO": without,
        "w/o node": without,
        "w/o graph prompt": hiding,
    }

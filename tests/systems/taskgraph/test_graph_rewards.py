"""The GraphPlan paper's rewards: values computed by hand for both variants, and properties."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.errors import InputError
from pddl2nl.experiments.records.stored import RunRecord
from pddl2nl.experiments.runs import run
from pddl2nl.experiments.specification.experiment import Overrides
from pddl2nl.experiments.specification.shipped import find_specification
from pddl2nl.llm import ScriptedModel
from pddl2nl.pddl import write_domain, write_problem
from pddl2nl.policies.events import FORMAT, Finished, Started
from pddl2nl.reports.gathering import gather
from pddl2nl.reports.tables import tables_of
from pddl2nl.systems.taskgraph.events import GraphChecked
from pddl2nl.systems.taskgraph.metrics import METRICS
from pddl2nl.systems.taskgraph.prompting import subtask_reply
from pddl2nl.systems.taskgraph.replies import PlannedSubtask, read_plan_reply
from pddl2nl.systems.taskgraph.rewards import (
    PAPER_REWARDS,
    SOUND_REWARDS,
    GraphColumns,
    GraphRow,
    Variant,
    graph_rewards,
)
from pddl2nl.tasks import shipped_domain, shipped_task
from pddl2nl.training import pair_rows, prompt_rows
from pddl2nl.training.trl import rewards_of_row
from tests.systems.taskgraph.conftest import play

PICK, PUT, COOL, TOGGLE = "PickupObject", "PutObject", "CoolObject", "ToggleObject"
COLUMNS = GraphColumns(
    objects={"obj": ("Apple", "Egg"), "rec": ("Table", "Fridge"), "spec": ("Fridge", "Lamp")},
    edges=frozenset({(PICK, PUT), (PICK, COOL), (COOL, PUT), (PUT, PICK)}),
    roles={PICK: ("obj",), PUT: ("obj", "rec"), COOL: ("obj", "spec"), TOGGLE: ("spec",)},
    ground_truth=((PICK, "Apple"), (COOL, "Apple", "Fridge"), (PUT, "Apple", "Table")),
    key=((COOL, "Apple", "Fridge"), (PUT, "Apple", "Table")),
)
A, C, P = COLUMNS.ground_truth


def reply(*steps: tuple[str, ...], tag: str = "reasoning") -> str:
    plan = [[name, targets[0] if len(targets) == 1 else list(targets)] for name, *targets in steps]
    return f"<{tag}>So.</{tag}><answer>{json.dumps({'high_level': plan})}</answer>"


# format, node, edge and instruction; the paper's first. In the node reward of the paper, three objects are Apple, Table
# and Fridge: obj 1/3, rec 2/3, spec 1/3, of which the mean is 4/9.
TABLE: list[tuple[str, tuple[float, ...], tuple[float, ...]]] = [
    (reply(A, C, P), (1, 4 / 9, 1, 1), (1, 1, 1, 1)),
    (reply(A, C, P, tag="think"), (1, 4 / 9, 1, 1), (1, 1, 1, 1)),
    (reply(A, P), (1, 1 / 2, 1, 0), (1, 1, 1, 1 / 3)),
    (reply(C, P), (1, 4 / 9, 1, 1 / 2), (1, 1, 1, 1 / 3)),
    (reply(P, C), (1, 4 / 9, 0, 1 / 2), (1, 1, 0, 1 / 6)),
    (reply(A, C, P, A, P), (1, 4 / 9, 1, 1 / 2), (1, 1, 1, 3 / 10)),
    (reply(A, A, C, P), (1, 4 / 9, 0, 1 / 2), (1, 1, 0, 3 / 8)),
    (reply(A), (1, 1, 1, 0), (1, 1, 1, 1 / 6)),
    (reply((PICK, "Table")), (1, 1, 1, 0), (1, 0, 1, 0)),
    (reply((PICK, "Unicorn")), (1, 0, 1, 0), (1, 0, 1, 0)),
    (reply(("Fly", "Apple")), (1, 1, 1, 0), (1, 0, 0, 0)),
    (reply(A, ("Fly", "Apple")), (1, 1, 0, 0), (1, 1 / 2, 0, 1 / 6)),
    (reply((TOGGLE, "Lamp")), (1, 1, 1, 0), (1, 1, 1, 0)),
    (reply(A, (TOGGLE, "Lamp")), (1, 1 / 2, 0, 0), (1, 1, 0, 1 / 6)),
    (reply(A, (PUT, "Apple")), (1, 1, 1, 0), (1, 2 / 3, 1, 1 / 6)),
    (reply(), (1, 0, 1, 0), (1, 0, 0, 0)),
    (reply(A, C, P)[: -len("</answer>")], (0, 4 / 9, 1, 1), (0, 1, 1, 1)),
    ("<reasoning>So.</reasoning><answer>Pick it up.</answer>", (1 / 2, 0, 1, 0), (1 / 2, 0, 0, 0)),
    ("Pick it up.", (0, 0, 1, 0), (0, 0, 0, 0)),
    ("", (0, 0, 1, 0), (0, 0, 0, 0)),
]


@pytest.mark.parametrize(("text", "paper", "sound"), TABLE)
def test_values_computed_by_hand(text: str, paper: tuple[float, ...], sound: tuple[float, ...]) -> None:
    assert astuple(graph_rewards(text, COLUMNS, "paper")) == pytest.approx(paper)
    assert astuple(graph_rewards(text, COLUMNS, "sound")) == pytest.approx(sound)


def test_another_plan_that_reaches_the_goal_is_right_by_the_sound_reward_alone() -> None:
    other = reply(A, C, P, A, P)
    assert graph_rewards(other, COLUMNS, "sound", lambda steps: True).instruction == 1
    assert graph_rewards(other, COLUMNS, "paper", lambda steps: True).instruction == 0.5


def test_without_key_subtasks_the_paper_gives_no_half() -> None:
    without = msgspec.structs.replace(COLUMNS, key=())
    assert graph_rewards(reply(A), without, "paper").instruction == 0


steps = st.lists(st.sampled_from([A, C, P, (TOGGLE, "Lamp"), (PICK, "Egg"), ("Fly", "Apple")]), max_size=6)
VARIANTS: tuple[Variant, ...] = ("paper", "sound")


@settings(max_examples=30)
@given(steps)
def test_rewards_are_from_0_to_4_and_the_layout_of_json_changes_none(plan: list[tuple[str, ...]]) -> None:
    text = reply(*plan)
    data: dict[str, Any] = json.loads(text.split("<answer>")[1].removesuffix("</answer>"))
    loose = f"<reasoning>\n\n</reasoning>\n<answer>\n{json.dumps({'a': 1} | data, indent=4)}\n</answer>\n"
    for variant in VARIANTS:
        rewards = graph_rewards(text, COLUMNS, variant)
        assert 0 <= rewards.total <= 4
        assert rewards == graph_rewards(loose, COLUMNS, variant)


# ── rows ──────────────────────────────────────────────────────────────────────────────────────────


def row(instance: str) -> GraphRow:
    (made,) = prompt_rows(run(shipped_task("alfred", instance), "taskgraph", ScriptedModel([""] * 4)).events)
    return made


def rewards(of: GraphRow, plan: list[PlannedSubtask], **changes: Any) -> dict[str, float]:
    return rewards_of_row(subtask_reply("So.", plan), {**msgspec.to_builtins(of), **changes})


@pytest.mark.parametrize("instance", ["s01", "l01", "a01"])
def test_the_ground_truth_earns_everything(instance: str) -> None:
    of = row(instance)
    truth = [tuple(step) for step in json.loads(of.graph)["ground_truth"]]
    assert rewards(of, truth) == {"format": 1, "node": 1, "edge": 1, "instruction": 1, "total": 4}


def test_the_row_has_the_edges_of_the_graph_of_its_run() -> None:
    task, model = shipped_task("alfred", "s01"), ScriptedModel([""] * 4)
    [made] = prompt_rows(run(task, "taskgraph", model=model, options={"graph": "printed"}).events)
    assert ["PickupObject", "SliceObject"] not in json.loads(made.graph)["edges"]
    assert ["PickupObject", "SliceObject"] in json.loads(row("s01").graph)["edges"]


def test_a_search_whose_first_reply_is_no_plan_makes_no_rows() -> None:
    events = run(shipped_task("alfred", "s01"), "taskgraph-greedy", ScriptedModel([""] * 4)).events
    assert [*prompt_rows(events)] == []


def test_another_plan_earns_the_instruction_reward_if_it_reaches_the_goal_in_the_simulator() -> None:
    of = row("s01")
    *before, last = [tuple(step) for step in json.loads(of.graph)["ground_truth"]]
    put_down_and_taken_again = [*before, last, (before[0][0], before[0][1]), last]
    assert rewards(of, put_down_and_taken_again)["instruction"] == 1
    assert rewards(of, before)["instruction"] < 0.5
    assert rewards(of, put_down_and_taken_again, domain="", problem=None)["instruction"] < 1, "without the task"


def test_the_papers_node_reward_asks_for_the_papers_classes() -> None:
    of = row("s01")
    meta = json.loads(of.graph)["meta"]
    assert {name: len(names) for name, names in meta.items()} == {"obj": 55, "rec": 24, "mov": 7, "spec": 8}
    assert "Apple" in meta["obj"]
    assert "Bowl" not in meta["obj"]
    # One thing and the receptacle that it is put on: each class has one of the two names.
    plan = [("PickupObject", "Apple"), ("PutObject", "Apple", "DiningTable")]
    values = rewards_of_row(subtask_reply("So.", plan), msgspec.to_builtins(of), "paper")
    assert values["node"] == 0.5
    # A fridge is a receptacle and what cooling needs: (1/2 + 1/2 + 1/2) / 3.
    plan = [("PickupObject", "Apple"), ("CoolObject", "Apple", "Fridge")]
    assert rewards_of_row(subtask_reply("So.", plan), msgspec.to_builtins(of), "paper")["node"] == 0.5


def test_both_variants_are_functions_of_a_trainer() -> None:
    of = row("s01")
    truth = [tuple(step) for step in json.loads(of.graph)["ground_truth"]]
    columns = {name: [value] for name, value in msgspec.to_builtins(of).items()}
    for rewards, variant in ((PAPER_REWARDS, "paper"), (SOUND_REWARDS, "sound")):
        given = {each.__name__: each(completions=[subtask_reply("So.", truth)], **columns)[0] for each in rewards}
        right = rewards_of_row(subtask_reply("So.", truth), msgspec.to_builtins(of), variant)
        prefix = "paper" if variant == "paper" else "graph"
        assert given == {f"{prefix}_{name}": right[name] for name in ("format", "node", "edge", "instruction")}


def test_a_pair_for_fine_tuning_has_the_ground_truth() -> None:
    task, model = shipped_task("alfred", "s01"), ScriptedModel([""] * 4)
    [pair] = pair_rows(run(task, "taskgraph", model).events)
    assert read_plan_reply(pair.completion[0].content).steps == tuple(
        tuple(step) for step in json.loads(row("s01").graph)["ground_truth"]
    )


# ── metrics ───────────────────────────────────────────────────────────────────────────────────────


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

"""The shipped specifications of the BrainBody-LLM paper's tables: what they run, and small parts of them run."""

from __future__ import annotations

from pathlib import Path

import pytest
from pddl2nl.experiments.specification.product import jobs_of, layout_of, placed_jobs

from pddl2nl.experiments.access import Access
from pddl2nl.experiments.layout import TableLayout, write_layout
from pddl2nl.experiments.specification.experiment import ExperimentSpec, Overrides, load_experiment
from pddl2nl.experiments.specification.shipped import find_specification
from pddl2nl.experiments.sweep import run_all
from pddl2nl.reports.gathering import Gathered, gather
from pddl2nl.reports.tables import Table, tables_of

TABLES = {
    "table-1": ("brainbody", "brainbody-feedback"),
    "table-2": ("brainbody-tasks",),
    "table-3": ("brainbody-steps",),
    "table-4": ("brainbody-arm", "brainbody-feedback"),
    "figure-6": ("brainbody-feedback",),
    "signals": ("brainbody-feedback", "coverage"),
}


def load(name: str, **overrides: object) -> ExperimentSpec:
    return load_experiment(find_specification(f"brainbody-{name}"), Overrides(**overrides))  # type: ignore[arg-type]


def laid_out(said: ExperimentSpec) -> TableLayout:
    return layout_of(said, placed_jobs(said))


def run_it(said: ExperimentSpec, folder: Path) -> Gathered:
    layout = laid_out(said)
    write_layout(folder, layout)
    run_all(jobs_of(said), folder, access=Access(), workers=1)
    return gather(folder)


def cells(table: Table) -> dict[str, dict[str, str]]:
    """The texts of our lines by label and heading."""
    headings = [f"{each.group} {each.name}".strip() for each in table.headings if not each.paper]
    return {
        line.label: dict(zip(headings, (cell.text for cell in line.cells), strict=False))
        for line in table.lines
        if not line.paper
    }


@pytest.mark.parametrize("name", TABLES)
def test_each_ends_in_its_tables_on_the_papers_tasks(name: str) -> None:
    said = load(name)
    layout = laid_out(said)
    assert tuple(table.kind for table in layout.tables) == TABLES[name]
    tasks = {row.label: row.tasks for row in layout.rows}
    if name == "table-3":
        assert tasks == {"household": 1}
    else:
        assert tasks.get("household", 10) == 10
        assert tasks.get("tabletop", 7) == 7
    assert ("tabletop" in tasks) is (name in ("table-4", "signals"))


def test_table_1_has_the_papers_systems_and_five_runs_at_its_temperature() -> None:
    said = load("table-1")
    assert [column.name for column in laid_out(said).columns] == [
        "BrainBody-LLM",
        "BrainBody-LLM without feedback",
        "Base-LLM",
        "ProgPrompt (static)",
    ]
    jobs = jobs_of(said)
    assert len(jobs) == 10 * 4 * 5
    assert {job.spec.temperature for job in jobs} == {0.5}


def test_figure_6_varies_the_rounds_of_feedback_alone() -> None:
    columns = laid_out(load("figure-6")).columns
    assert [(column.name, column.options["feedback_loops"]) for column in columns] == [
        (f"K = {rounds}", rounds) for rounds in (0, 1, 2, 3, 5)
    ]
    assert len({tuple(sorted({**column.options, "feedback_loops": 0}.items())) for column in columns}) == 1


def test_table_3_gives_every_acting_model_the_papers_steps(tmp_path: Path) -> None:
    """The reader and a right model agree with the paper's Body-LLM; similarity of letters is wrong, as its is."""
    right = ["<char0> [putin] <toothpaste> <toothbrush>", "<char0> [close] <fridge>", "<pass>"]
    script = tmp_path / "body.txt"
    script.write_text("\n---\n".join(right), encoding="utf-8")
    gathered = run_it(load("table-3", defines={"body": f"script:{script}"}), tmp_path / "records")
    [table] = tables_of(gathered)
    found = cells(table)
    assert [found[step]["model"] for step in found] == right
    assert [found[step]["reader"] for step in found] == right
    assert [found[step]["embedding"] for step in found] == [
        "<char0> [put] <toothbrush> <toaster>",
        "<char0> [close] <fridge>",
        "<char0> [touch] <toaster>",
    ]


@pytest.mark.usefixtures("needs_planner")
def test_the_arm_needs_feedback_where_places_are_out_of_reach(tmp_path: Path) -> None:
    arm, feedback = tables_of(run_it(load("table-4", model="oracle", instances=("f03",)), tmp_path))
    success, recall, rounds = (section.lines for section in arm.sections)
    ours = [[line.cells[0].text for line in lines if not line.paper] for lines in (success, recall, rounds)]
    assert ours == [["100.00", "0.00"], ["100.00", "25.00"], ["1.00", "0.00"]]
    assert [line.cells[0].text for line in success if line.paper] == ["100.00", "0.00", "100.00"]
    assert cells(feedback)["BrainBody-LLM"]["feedback resolved"] == "100.00"
    assert any(note.startswith("oracle: no language model was asked") for note in feedback.notes)


@pytest.mark.heavy
@pytest.mark.usefixtures("needs_planner")
def test_one_round_of_feedback_mends_what_the_oracle_forgot(tmp_path: Path) -> None:
    said = load("figure-6", model="oracle:forgotten-open", instances=("v06",), seeds=(1,))
    [table] = tables_of(run_it(said, tmp_path))
    found = cells(table)
    assert [found[f"K = {rounds}"]["SR"] for rounds in (0, 1, 2, 3, 5)] == ["0.00 [0, 79]", *["100.00 [21, 100]"] * 4]
    assert [found[f"K = {rounds}"]["feedback rounds"] for rounds in (0, 1, 5)] == ["0.00", "1.00", "1.00"]


@pytest.mark.heavy
@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("table-1", {}),
        ("table-2", {"instances": ("v06",)}),
        ("table-4", {}),
        ("signals", {"domains": ("tabletop",), "instances": ("f02", "f05", "f06", "f07")}),
    ],
)
def test_the_oracle_solves_every_task_and_success_is_full_recall_in_every_run(
    name: str, part: dict[str, tuple[str, ...]], tmp_path: Path
) -> None:
    gathered = run_it(load(name, model="oracle", seeds=(1,), **part), tmp_path)
    assert not gathered.missing
    assert not gathered.broken
    for run in gathered.runs.values():
        assert (run.values["success-rate"] == 100) is (run.values["goal-conditions-recall"] == 100), run.name
        assert run.solved is (run.values["success-rate"] == 100), run.name
    assert tables_of(gathered)
    if name in ("table-1", "table-2"):
        assert all(run.solved for run in gathered.runs.values() if run.policy == "brainbody")
    if name == "signals":
        solved = {
            column.name: {run.task for run in gathered.runs_in([0], at) if run.solved}
            for at, column in enumerate(gathered.layout.columns)
        }
        assert solved["raw"].isdisjoint({"f05", "f06", "f07"})
        assert {"f05", "f06", "f07"} <= solved["reason"]

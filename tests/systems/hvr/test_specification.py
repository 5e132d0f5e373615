"""The shipped specification of the HVR paper's Table 2: its columns, tasks, tables and estimate."""

from __future__ import annotations

from pathlib import Path

import pytest
from pddl2nl.experiments.specification.product import cells, layout_of, placed_jobs

from pddl2nl.errors import InputError
from pddl2nl.experiments.estimate import estimates
from pddl2nl.experiments.specification.experiment import ExperimentSpec, Overrides, load_experiment
from pddl2nl.experiments.specification.shipped import find_specification
from pddl2nl.policies.paper import load_paper
from pddl2nl.tasks.references import reference_of
from tests.systems.hvr.conftest import PRESETS


def load(**overrides: object) -> ExperimentSpec:
    return load_experiment(find_specification("hvr-table-2"), Overrides(model="oracle", **overrides))  # type: ignore[arg-type]


def test_it_runs_hvr_and_its_ablations_on_the_papers_tasks() -> None:
    said = load()
    layout = layout_of(said, placed_jobs(said))
    assert [(column.label, column.policy) for column in layout.columns] == [
        (policy.upper(), policy) for policy in PRESETS
    ]
    [domain] = said.domains
    references = [reference_of(task.task) for task in domain.tasks]
    tasks = {reference.task: reference for reference in references if reference is not None}
    assert {*tasks} == {task.id for task in load_paper("pddl2nl.systems.hvr").tasks}
    assert len(layout.runs) == 13 * 6
    for told in load_paper("pddl2nl.systems.hvr").tasks:
        assert tasks[told.id].complexity == told.complexity
        assert tasks[told.id].averaged == (told.id != "T5bis")
        assert tasks[told.id].length_counted == (told.id != "T12")
    assert [(table.kind, table.paper) for table in layout.tables] == [
        ("hvr", "hvr-table-2"),
        ("hvr-tasks", "hvr-tables-5-16"),
        ("coverage", ""),
    ]


def test_its_estimate_counts_the_calls_of_every_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pddl2nl.experiments.estimate._measure", lambda cell: (990, 330))
    said = load(instances=("t03",))
    found = {cell.policy: one for cell, one in estimates(cells(said), {"oracle": None})}
    # Sixteen actions, four macro-actions: macro plan, conditions and four blocks; objects for five of these.
    assert {policy: one.calls for policy, one in found.items()} == {
        "hvr": 6 + 5 + 3,
        "hv": 6 + 3,
        "hr": 6 + 5,
        "vr": 1 + 1 + 1,
        "r": 1 + 1,
        "llm": 1,
    }
    # The first prompt is measured, objects are asked for by prompts like it, and all others are longer.
    assert {policy: one.prompt_tokens for policy, one in found.items()} == {
        "hvr": 5 * 400 + 9 * 4100,
        "hv": 9 * 4100,
        "hr": 5 * 400 + 6 * 4100,
        "vr": 400 + 2 * 4100,
        "r": 400 + 4100,
        "llm": 400,
    }
    assert all(one.completion_tokens > 16 * 15 for one in found.values())


@pytest.mark.heavy
def test_its_first_prompts_can_be_measured() -> None:
    found = {cell.policy: one for cell, one in estimates(cells(load(instances=("t03",))), {"oracle": None})}
    assert found["llm"].prompt_tokens > 1000, "the whole graph is in it"
    assert min(one.prompt_tokens for one in found.values()) > 1000


@pytest.mark.parametrize(
    ("kind", "paper", "message"),
    [
        (
            "hvr",
            "table-2",
            "the numbers of 'table-2' do not fit a table of the kind 'hvr'; those of 'hvr-table-2' do",
        ),
        ("hvr-tasks", "hvr-table-2", "those of 'hvr-tables-5-16' do"),
        ("coverage", "hvr-table-2", "do not fit a table of the kind 'coverage'; there are table-2, table-3"),
        ("hvr", "hvr-table-3", "hvr-table-3"),
    ],
)
def test_numbers_stand_in_tables_that_are_laid_out_like_them(
    kind: str, paper: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "odd.toml"
    path.write_text(
        'domains = ["kitchen"]\npolicies = ["llm"]\nmodels = ["oracle"]\n'
        f'[[tables]]\nkind = "{kind}"\npaper = "{paper}"\n',
        encoding="utf-8",
    )
    with pytest.raises(InputError) as caught:
        load_experiment(path)
    assert "odd.toml:6" in str(caught.value)
    assert message in str(caught.value)


def test_an_experiment_gives_the_options_to_those_that_use_them(tmp_path: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(
        """
name = "kitchen"
policies = ["vr", "basic"]
models = ["oracle"]
domains = [{ shipped = "kitchen", instances = ["t01"] }]
[options]
form = "constructive"
replans = 1
faults = "fail at 2"
rounds = 2
temperature = 1.0
""",
        encoding="utf-8",
    )
    spec = load_experiment(path)
    runs = {cell.policy: cell.runs[0] for cell in cells(spec)}
    assert {**runs["vr"].options} == {"form": "constructive", "replans": 1, "faults": "fail at 2"}
    assert {**runs["basic"].options} == {"rounds": 2}

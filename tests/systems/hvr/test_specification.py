"""The shipped specifications: the columns, tasks, tables and estimate of the HVR paper's Table 2, and faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.specification.experiment import Experiment, Overrides, load_experiment
from pddl2nl.experiments.specification.shipped import find_specification
from pddl2nl.policies import make_policy
from pddl2nl.policies.paper import papers
from pddl2nl.tasks.references import reference_of
from tests.systems.hvr.conftest import PRESETS


def load(name: str = "hvr-table-2") -> Experiment:
    return find_specification(name).load({}, Overrides(model="oracle"))


def test_it_runs_hvr_and_its_ablations_on_the_papers_tasks() -> None:
    experiment = load()
    assert [(column.label, column.policy) for column in experiment.columns] == [
        (policy.upper(), policy) for policy in PRESETS
    ]
    [domain] = experiment.domains
    references = [reference_of(task.task) for task in domain.tasks]
    tasks = {reference.task: reference for reference in references if reference is not None}
    assert {*tasks} == {task.id for task in papers()["hvr"].tasks}
    assert len(experiment.jobs) == 13 * 6
    for told in papers()["hvr"].tasks:
        assert tasks[told.id].complexity == told.complexity
        assert tasks[told.id].averaged == (told.id != "T5bis")
        assert tasks[told.id].length_counted == (told.id != "T12")
    assert [(table.kind, table.paper) for table in experiment.tables] == [
        ("hvr", "hvr-table-2"),
        ("hvr-tasks", "hvr-tables-5-16"),
        ("coverage", ""),
    ]


def test_the_expected_effort_counts_the_calls_of_every_stage() -> None:
    # Sixteen actions, four macro-actions: macro plan, conditions and four blocks; objects for five of these. The first
    # prompt is measured, objects are asked for by prompts like it, and all others are longer.
    efforts = {name: make_policy(name).effort(16) for name in PRESETS}
    assert {name: (each.opening, each.later) for name, each in efforts.items() if each is not None} == {
        "hvr": (5, 6 + 3),
        "hv": (0, 6 + 3),
        "hr": (5, 6),
        "vr": (1, 1 + 1),
        "r": (1, 1),
        "llm": (1, 0),
    }
    assert all(each is not None and each.replies > 16 * 15 and "HVR" in each.how for each in efforts.values())


@pytest.mark.parametrize(
    ("kind", "paper", "message"),
    [
        ("hvr", "table-2", "the numbers of 'table-2' do not fit a table of the kind 'hvr'"),
        ("hvr-tasks", "hvr-table-2", "do not fit a table of the kind 'hvr-tasks'"),
        ("coverage", "hvr-table-2", "do not fit a table of the kind 'coverage'"),
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

"""The shipped specifications of the GraphPlan paper's tables: small parts of them run, and end in their tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.specification.experiment import Overrides
from pddl2nl.experiments.specification.shipped import find_specification
from pddl2nl.reports.gathering import gather
from pddl2nl.reports.tables import tables_of


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

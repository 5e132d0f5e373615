"""The BrainBody-LLM paper's numbers against each other, and every contradiction that they show."""

from __future__ import annotations

from statistics import fmean

import pytest

from pddl2nl.policies.paper import papers

PAPER = papers()["brainbody"]
TABLES = {table.paper.removeprefix("brainbody-"): table for table in PAPER.tables}
MODELS = ("PaLM", "GPT-3.5", "GPT-4")


def by_task(section: str, model: str) -> list[float]:
    [line] = [line for line in TABLES["table-2"].rows if (line.section, line.model) == (section, model)]
    return list(line.numbers)


def means(model: str, policy: str) -> list[tuple[float, float]]:
    """SR and GCR of Table 1, each with its standard deviation."""
    [line] = [line for line in TABLES["table-1"].rows if (line.model, line.policy or line.label) == (model, policy)]
    return [value for value in line.values if isinstance(value, tuple)]  # type: ignore[misc]


def test_every_line_of_every_table_is_there() -> None:
    first = [(line.label or line.policy, line.model) for line in TABLES["table-1"].rows]
    assert len(first) == len({*first}) == 12
    assert all(len(means(model, policy)) == 2 for policy, model in first)
    assert [len(by_task(section, model)) for section in ("SR", "GCR", "EXEC") for model in MODELS] == [10] * 9
    assert [line.label for line in TABLES["table-3"].rows] == [
        "Put toothpaste on the toothbrush",
        "Close the fridge",
        "Wait for the toast to be ready",
    ]
    assert {line.model: int(sum(line.numbers) / 100) for line in TABLES["table-4"].rows} == {
        "GPT-4": 7,
        "GPT-3.5": 2,
        "PaLM": 3,
    }
    assert [task.id for task in PAPER.tasks] == [*(f"V{n}" for n in range(1, 11)), *(f"F{n}" for n in range(1, 8))]


@pytest.mark.parametrize(
    ("model", "success", "recall", "executed"),
    [("PaLM", 40, 54.6, 78.1), ("GPT-3.5", 50, 75.2, 76.1), ("GPT-4", 70, 81.6, 69.7)],
)
def test_table_2_comes_to_these_means_which_are_those_of_a_best_run(
    model: str, success: float, recall: float, executed: float
) -> None:
    found = [fmean(by_task(section, model)) for section in ("SR", "GCR", "EXEC")]
    assert found == pytest.approx([success, recall, executed])
    [(mean, _), _] = means(model, "brainbody")
    assert success >= mean


def test_each_contradiction_is_a_sentence_of_its_own() -> None:
    said = PAPER.source.disagreements
    assert len(said) == len({*said}) == 9
    assert all(each.endswith(".") for each in said)

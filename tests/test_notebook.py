"""How objects look in a notebook and in a session: short, whole, and with nothing of theirs taken for HTML."""

from __future__ import annotations

import inspect
import os
import re
from pathlib import Path
from typing import Any

import pytest

import pddl2nl
from pddl2nl.policies.spec import RUN_OPTIONS

TASK = pddl2nl.shipped_task("blocksworld", "p01")


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (TASK, "<Task blocksworld-p01 of blocksworld-4ops: 3 objects>"),
        (TASK.domain, "<Domain blocksworld-4ops: 5 predicates, 4 actions>"),
        (TASK.problem, "<Problem blocksworld-p01 of blocksworld-4ops: 3 objects>"),
        (pddl2nl.Simulator(TASK), "<Simulator of blocksworld-p01>"),
        (pddl2nl.Simulator(TASK).initial, "<State of 5 atoms>"),
        (
            pddl2nl.validate(TASK, ["(unstack c b)", "(stack a c)"]),
            "<Report on 2 steps: inapplicable, failed step 2: (stack a c)>",
        ),
        (pddl2nl.run(TASK, policy="random", seed=1, steps=2), "<RunRecord: budget, 2 steps, 0 mistakes, 0 calls>"),
        (pddl2nl.convert(TASK), "<Conversion of a domain and a problem, blocksworld-4ops>"),
    ],
)
def test_what_a_session_prints_is_one_line(shown: object, text: str) -> None:
    assert repr(shown) == text


def test_an_experiment_prints_one_line_too(tmp_path: Path) -> None:
    done = pddl2nl.experiment([TASK], ["random"], seeds=(1, 2), out=tmp_path, steps=1)
    assert repr(done) == "<SweepSummary of 2 runs, 2 budget, 0 failed>"


def test_help_describes_every_parameter() -> None:
    text = inspect.getdoc(pddl2nl.run) or ""
    given = {*inspect.signature(pddl2nl.run).parameters, *RUN_OPTIONS}
    assert [name for name in given if not re.search(rf"(?m)^ +(\w+, )*{name}(, \w+)*: \S", text)] == []


def test_tables_hold_what_matters(tmp_path: Path) -> None:
    result = pddl2nl.run(TASK, policy="random", seed=1, steps=2, record=tmp_path / "run.jsonl")
    report = pddl2nl.validate(TASK, ["(unstack c b)", "(stack a c)"])
    for shown, parts in (
        (TASK, ("pick-up", "(on c b)", "goal")),
        (pddl2nl.Simulator(TASK).initial, ("(handempty)",)),
        (report, ("inapplicable", "2: (stack a c)", "(holding a)")),
        (result, ("Run: budget", "2 steps")),
        (pddl2nl.load_records(tmp_path), ("Records of 1 runs", "budget")),
    ):
        page = shown._repr_html_()
        assert all(part in page for part in parts)


def test_names_are_escaped() -> None:
    task = pddl2nl.parse_task(
        "(define (domain d) (:predicates (p ?x)) (:action a :parameters (?x) :effect (p ?x)))",
        "(define (problem <b>) (:domain d) (:objects <i>) (:init) (:goal (p <i>)))",
    )
    assert "<i>" not in task._repr_html_()
    assert "&lt;i&gt;" in task._repr_html_()


def test_a_plan_may_be_a_list_of_texts() -> None:
    plan = ["(unstack c b)", "(put-down c)", "(unstack b a)", "(stack b c)"]
    assert pddl2nl.validate(TASK, plan).verdict == "valid"
    assert pddl2nl.validate(TASK, [pddl2nl.GroundAction.parse(plan[0]), *plan[1:]]).verdict == "valid"
    assert pddl2nl.validate(TASK, [*plan[:2], "unstack b a"]).verdict == "bad-plan"


# ── tutorial notebook ─────────────────────────────────────────────────────────────────────────────


NOTEBOOK = Path(__file__).resolve().parent.parent / "docs/tutorials/notebook.ipynb"


def shown(notebook: Any) -> list[list[str]]:
    """The texts that each cell of code prints or returns."""
    outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    return [[each.get("text") or each["data"]["text/plain"] for each in some] for some in outputs]


@pytest.mark.heavy
@pytest.mark.usefixtures("needs_planner")
def test_the_notebook_shows_what_it_computes(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="nbformat is absent: pip install 'pddl2nl[test-all]'")
    client = pytest.importorskip("nbclient", reason="nbclient is absent: pip install 'pddl2nl[test-all]'")
    pytest.importorskip("pandas", reason="pandas is absent: pip install 'pddl2nl[frames]'")
    stored = nbformat.read(NOTEBOOK, as_version=4)
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    if os.environ.get("PDDL2NL_WRITE_GOLDEN") == "1":
        for cell in notebook.cells:
            cell.metadata.clear()
        nbformat.write(notebook, NOTEBOOK)
        return
    assert shown(notebook) == shown(stored)


def test_states_and_tasks_show_their_picture() -> None:
    simulator = pddl2nl.Simulator(TASK)
    after = simulator.step(simulator.initial, "(unstack c b)").successor
    assert after is not None
    for shown, fact in ((TASK, "(on c b)"), (after, "(holding c)")):
        svg = shown._repr_svg_()
        assert svg.startswith("<svg ")
        assert fact in svg
        assert shown._repr_html_().startswith(svg)
    assert str(after) == "<State of 4 atoms>"

"""Whole tasks, observations and the shipped domains, told word for word.

Where a change of wording is meant, ``PDDL2NL_WRITE_GOLDEN=1 pytest tests/nl/test_golden.py`` writes the files anew
(and skips every test); read their difference sentence by sentence before keeping it.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import get_args

import pytest

from pddl2nl.nl import Style, Teller, make_names
from pddl2nl.nl.telling.convert import choose_wording, convert
from pddl2nl.nl.wording.files import load_wording
from pddl2nl.nl.wording.template import template_wording
from pddl2nl.pddl import Task, load_domain, load_task
from pddlval import Simulator

GOLDEN = Path(__file__).parent / "golden"
CASES = sorted(folder.name for folder in GOLDEN.iterdir() if (folder / "domain.pddl").exists())
ACTED = sorted(file.parent.name for file in GOLDEN.glob("*/actions.txt"))
SHIPPED = sorted(file.stem for file in (GOLDEN / "shipped").glob("*.txt"))


def check_told(texts: dict[Path, str]) -> None:
    if os.environ.get("PDDL2NL_WRITE_GOLDEN"):
        for path, text in texts.items():
            path.write_text(text + "\n", encoding="utf-8")
        pytest.skip("written, not compared")
    for path, text in texts.items():
        assert text + "\n" == path.read_text(encoding="utf-8"), f"{path.name} differs"


@pytest.mark.parametrize("name", CASES)
def test_a_task_is_told_word_for_word(name: str) -> None:
    folder = GOLDEN / name
    task = load_task(folder / "domain.pddl", folder / "problem.pddl")
    conversion = convert(task)
    assert convert(task) == conversion
    check_told({folder / "domain.txt": conversion.domain_text, folder / "problem.txt": conversion.problem_text})


@pytest.mark.parametrize("name", ACTED)
def test_observations_are_told_word_for_word(name: str) -> None:
    """What is observed after each action of a list, applicable or not; then looking around and the missing goal."""
    folder = GOLDEN / name
    task = load_task(folder / "domain.pddl", folder / "problem.pddl")
    wording = choose_wording(None, task.domain)
    tellers = [Teller(task, wording, make_names(task, wording=wording), style) for style in get_args(Style)]
    simulator = Simulator(task)
    state = simulator.initial
    lines: list[str] = []
    for action in (folder / "actions.txt").read_text(encoding="utf-8").split("\n")[:-1]:
        step = simulator.step(state, action)
        for teller in tellers:
            lines.append(teller.executed(step.action) if step.applicable else teller.refused(step, state))
        lines.append("")
        state = state if step.successor is None else step.successor
    for teller in tellers:
        lines += [teller.unmet_goal(simulator.unmet_goals(state), state), "", teller.look_around(state), ""]
    check_told({folder / "observations.txt": "\n".join(lines)})


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_domain_is_told_word_for_word(name: str, root: Path) -> None:
    domain = load_domain(root / "domains" / name / "domain.pddl")
    check_told({GOLDEN / "shipped" / f"{name}.txt": convert(domain).domain_text})


# ── converting by hand ────────────────────────────────────────────────────────────────────────────


CRATES = GOLDEN / "crates"


@pytest.fixture
def task() -> Task:
    return load_task(CRATES / "domain.pddl", CRATES / "problem.pddl")


def test_json_has_the_keys_of_the_interface(task: Task) -> None:
    data = convert(task).as_json()
    assert list(data) == ["domain_text", "goal_text", "objects_text", "init_text", "names", "wording"]
    assert data["names"] == {
        "hub": "hub", "market": "shop_0", "c1": "crate_0", "c2": "crate_1", "t": "truck_0", "w": "airplane_0",
    }  # fmt: skip
    assert json.loads(json.dumps(data)) == data


def test_a_domain_alone_has_its_text_only(task: Task) -> None:
    alone = convert(task.domain)
    # The constants stand among the problem's objects, where there is a problem.
    constants = "\n\nThese objects are always there:\nhub is a depot."
    assert constants in alone.domain_text
    assert alone.domain_text.replace(constants, "") == convert(task).domain_text
    assert alone.as_json()["goal_text"] is None
    assert alone.as_json()["names"] == {}
    assert alone.problem_text == ""


def test_style_pddl_keeps_the_objects_own_names(task: Task) -> None:
    conversion = convert(task, style="pddl")
    assert conversion.names is not None
    assert conversion.names.to_nl["c1"] == "c1"
    assert conversion.init_text is not None
    assert "(at c1 market)" in conversion.init_text
    assert conversion.domain_text.startswith("(define (domain crates)")
    assert convert(task.domain, style="pddl").domain_text == conversion.domain_text


def test_the_default_wording_is_the_domains_own_where_it_ships_one(task: Task, tmp_path: Path) -> None:
    own = load_wording(CRATES / "wording.json", task.domain)
    assert convert(task).wording == own
    assert choose_wording(None, task.domain, CRATES / "domain.pddl") == own
    assert choose_wording("template", task.domain, CRATES / "domain.pddl") == template_wording(task.domain)
    shutil.copy(CRATES / "domain.pddl", tmp_path / "domain.pddl")
    bare = load_domain(tmp_path / "domain.pddl")
    assert choose_wording(None, bare, tmp_path / "domain.pddl") == template_wording(bare)
    assert choose_wording(str(CRATES / "wording.json"), bare) == own


def test_names_made_before_are_taken(task: Task) -> None:
    names = make_names(task, "original")
    conversion = convert(task, names=names)
    assert conversion.names is names
    assert conversion.init_text is not None
    assert "c1 is at" in conversion.init_text

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pddl2nl.nl.names import make_names
from pddl2nl.nl.telling.convert import choose_wording, convert
from pddl2nl.nl.wording.files import load_wording
from pddl2nl.nl.wording.template import template_wording
from pddl2nl.pddl import Task, load_domain, load_task

GOLDEN = Path(__file__).parent / "golden"
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

"""A domain of another package, by an entry point: its files, its problems and its generator."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

DOMAIN = """
(define (domain lamps)
  (:requirements :strips)
  (:predicates (lamp ?l) (lit ?l))
  (:action light :parameters (?l) :precondition (lamp ?l) :effect (lit ?l)))
"""
PROBLEM = "(define (problem hall) (:domain lamps) (:objects a b) (:init (lamp a) (lamp b)) (:goal (lit a)))"
WORDING = {
    "format": 1,
    "domain": "lamps",
    "predicates": {
        "lamp": {"parameters": ["?l"], "text": "{?l} is a lamp", "negated": "{?l} is no lamp"},
        "lit": {"parameters": ["?l"], "text": "{?l} shines", "negated": "{?l} is dark"},
    },
    "actions": {"light": {"parameters": ["?l"], "text": "switch {?l} on"}},
}
GENERATOR = """
from pddl2nl.tasks.generators import Generator, Parameter, Sketch

def _make(values, draw):
    lamps = tuple(f"lamp{number}" for number in range(values["lamps"]))
    return Sketch((("", lamps),), (tuple(("lamp", each) for each in lamps),), (("lit", draw.pick(lamps)),), "lamps")

GENERATOR = Generator("lamps", "lamps", "lamps", (Parameter("lamps", "how many", 2, 1, 9),), _make)
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which a package with a domain is installed."""
    files = {
        "light/__init__.py": "",
        "light/lamps/__init__.py": GENERATOR,
        "light/lamps/domain.pddl": DOMAIN,
        "light/lamps/wording.json": json.dumps(WORDING),
        "light/lamps/hall.pddl": PROBLEM,
        "light-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: light\nVersion: 1.0\n",
        "light-1.0.dist-info/entry_points.txt": "[pddl2nl.domains]\nlamps = light.lamps\n",
    }
    for name, text in files.items():
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), *sys.path])}


def test_an_installed_domain_works_by_its_name(environment: dict[str, str], tmp_path: Path) -> None:
    def out(*arguments: str) -> str:
        command = [sys.executable, "-m", "pddl2nl", *arguments]
        return subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    assert "a shines" in out("convert", "lamps", "hall", "--names", "original")
    made = out("tasks", "generate", "lamps", "--seed", "3", "lamps=4")
    assert "(define (problem lamps-3)" in made
    assert "lamp3" in made
    out("training", "export", "--domain", "lamps", "--out", "rows")
    [row] = (tmp_path / "rows" / "prompts-train.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(row)["domain_name"] == "lamps"

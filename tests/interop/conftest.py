"""A folder in PlanBench's layout, written here, and the audit of the real one, made once for all tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pddl2nl.interop.planbench import Audited, PlanBenchAudit

DOMAIN = """(define (domain shelves)
  (:requirements :strips)
  (:predicates (free) (held ?b) (on ?b ?s) (clear ?s) (box ?b) (low ?s))
  (:action take-off :parameters (?b ?s) :precondition (and (free) (on ?b ?s))
    :effect (and (held ?b) (clear ?s) (not (free)) (not (on ?b ?s))))
  (:action put-onto :parameters (?b ?s) :precondition (and (held ?b) (clear ?s))
    :effect (and (free) (on ?b ?s) (not (clear ?s)) (not (held ?b))))
  (:action drop :parameters (?b) :precondition (held ?b) :effect (and (free) (not (held ?b)))))
"""

PROBLEM = """(define (problem one) (:domain shelves) (:objects b1 b2 s1 s2 s3)
  (:init (free) (box b1) (box b2) (on b1 s1) (on b2 s2) (clear s3))
  (:goal (and (on b1 s2) (on b2 s3))))
"""

CONFIG = """instance_dir: shelves/basic
domain_file: shelves/domain.pddl
domain_name: shelves
instances_template: instance-{}.pddl
domain_intro: |
   I keep boxes on shelves.
actions:
  {take-off: "take {} off {}", put-onto: "put {} onto {}", drop: "drop {}"}
predicates: {free: "my hands are free", held: "I hold {}", "on": "{} is on {}", clear: "{} is clear", box: "", low: ""}
encoded_objects: {"b": "box_{}", "s": "shelf_{}"}
"""

PLAN = ("(take-off b2 s2)", "(put-onto b2 s3)", "(take-off b1 s1)", "(put-onto b1 s2)")
"""A plan that solves the instance."""


class Shelves:
    """A folder in PlanBench's layout with one configuration and one instance."""

    plan = PLAN

    def __init__(self, root: Path):
        self.root = root
        self.write("configs/shelves.yaml", CONFIG)
        self.write("instances/shelves/domain.pddl", DOMAIN)
        self.write("instances/shelves/basic/instance-1.pddl", PROBLEM)

    def write(self, path: str, text: str) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return target

    def results(
        self, *entries: dict[str, object], task: str = "task_1_plan_generation", config: str = "shelves"
    ) -> Path:
        """Writes a results file; what an entry leaves out is filled in."""
        filled = [
            {"instance_id": 1, "llm_raw_response": "x", "extracted_llm_plan": "\n".join(PLAN), "llm_correct": True}
            | entry
            for entry in entries
        ]
        data = {"task": task, "engine": "some_model", "instances": filled}
        return self.write(f"results/{config}/some_model/{task}.json", json.dumps(data))

    def audit(self, *entries: dict[str, object]) -> Audited:
        """What comes of auditing these entries."""
        return PlanBenchAudit(self.root).file(self.results(*entries))


@pytest.fixture
def shelves(tmp_path: Path) -> Shelves:
    return Shelves(tmp_path)


@pytest.fixture(scope="session")
def planbench(shared: Path) -> PlanBenchAudit:
    """The audit of the recorded replies in the reference material; domains and readers are kept."""
    folder = shared / "planbench"
    if not folder.is_dir():
        pytest.skip(f"the recorded replies are absent: no folder {folder}")
    return PlanBenchAudit(folder)


@pytest.fixture(scope="session")
def audited(planbench: PlanBenchAudit) -> Callable[[Path], Audited]:
    """The audit of one of its results files, made once."""
    known: dict[Path, Audited] = {}

    def audit(path: Path) -> Audited:
        if path not in known:
            known[path] = planbench.file(path)
        return known[path]

    return audit

"""Raw replies of real models, recorded by PlanBench: where it judged a plan correct, the reader must see that plan.

How the verdicts agree, under each reading policy, is tested in ``tests/interop``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.interop.planbench import PlanBenchFolder, PlanBenchReply
from pddl2nl.nl import Reader, choose_wording, make_names
from pddl2nl.pddl import Task, load_domain, load_problem

CONFIGS = ("blocksworld", "blocksworld_3", "logistics", "mystery_blocksworld_3")


@pytest.fixture
def folder(shared: Path) -> PlanBenchFolder:
    return PlanBenchFolder(shared / "planbench")


def _correct(folder: PlanBenchFolder, name: str) -> Iterator[tuple[PlanBenchReply, Reader]]:
    """The replies of a configuration that PlanBench judged correct, with the reader under its own wording."""
    readers: dict[int, Reader] = {}
    for path in folder.results_paths:
        if path.parent.parent.name != name:
            continue
        results = folder.results(path)
        config = folder.config(results)
        domain = load_domain(config.domain_path)
        wording = choose_wording(str(config.path), domain)
        for reply in results.replies:
            if not reply.correct:
                continue
            if reply.instance_id not in readers:
                task = Task(domain, load_problem(config.instance_path(reply.instance_id), domain))
                readers[reply.instance_id] = Reader(task, wording, make_names(task, "typed", wording))
            yield reply, readers[reply.instance_id]


@pytest.mark.parametrize("name", CONFIGS)
def test_plans_judged_correct_are_read_out_of_the_raw_reply(folder: PlanBenchFolder, name: str) -> None:
    missed: list[int] = []
    count = 0
    for reply, reader in _correct(folder, name):
        count += 1
        readings = reader.read(reply.text)
        if tuple(map(str, readings.plan)) != reply.extraction or not readings.complete:
            missed.append(reply.instance_id)
    assert count
    assert len(missed) <= 0.005 * count, missed


@pytest.mark.parametrize("name", CONFIGS)
def test_the_example_in_the_prompt_is_read_as_it_was_told(folder: PlanBenchFolder, name: str) -> None:
    """PlanBench's one-shot prompts tell a plan of another instance in the configuration's own words."""
    path = next(path for path in folder.results_paths if path.parent.parent.name == name and "zero" not in path.name)
    config = folder.config(folder.results(path))
    domain = load_domain(config.domain_path)
    wording = choose_wording(str(config.path), domain)
    entries: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["instances"]
    for entry in entries[:20]:
        example = entry.get("example_instance_ids", [entry.get("example_instance_id")])[0]
        told = entry["query"].split("[PLAN]")[1].split("[PLAN END]")[0].strip()
        task = Task(domain, load_problem(config.instance_path(example), domain))
        readings = Reader(task, wording, make_names(task, "typed", wording)).read(told)
        assert len(readings.chosen) == len(told.split("\n"))
        assert {rule for item in readings.chosen for rule in item.rule.split("+")} <= {"exact", "static-types"}

"""How well replies are read, in figures (printed with ``-s``): hard replies, and recorded ones of real models.

``../shared/replies`` holds replies with the plan that a careful person reads in each. A reply is *right* (exactly that
plan), *flagged* (what was not read is reported), *silent* (a step is lost and nothing reported), or *false* (an action
that was not meant).
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.interop.planbench import PlanBenchFolder
from pddl2nl.nl import Reader, choose_wording, make_names
from pddl2nl.pddl import Task, load_domain, load_problem, load_task
from pddlval import validate

ROOT = Path(__file__).resolve().parents[2]
FAILED = ("unreadable", "ambiguous", "unknown-object")
CLAIMS = {"claimed-done": ["DONE"], "look-around": ["LOOK"]}


def _reader(row: dict[str, Any], folder: Path, *, told: bool) -> Reader:
    own = row["domain"] == "blocksworld"
    place = ROOT / "domains" / "blocksworld" if own else folder / "domains" / row["domain"]
    problem = ROOT / "instances" / "blocksworld" / "p01.pddl" if own else place / row["instance"]
    task = load_task(place / "domain.pddl", problem)
    wording = choose_wording(str(place / row["wording"]), task.domain)
    # Most replies use names made from PDDL's types alone; those made with the wording must do as well.
    return Reader(task, wording, make_names(task, "typed", wording if own or told else None))


def _score(reader: Reader, row: dict[str, Any]) -> str:
    if row["mode"] == "plan":
        readings = reader.read(row["reply"])
        found = [str(action) for action in readings.plan]
        reported = any(item.status in FAILED for item in readings.readings)
    else:
        turn = reader.read_turn(row["reply"])
        found = CLAIMS.get(turn.status, [str(turn.action)] if turn.action else [])
        reported = turn.status in FAILED
    if found == row["plan"]:
        return "right"
    if any(action not in row["plan"] for action in found):
        return "false"
    return "flagged" if reported else "silent"


@pytest.mark.parametrize("told", [False, True])
def test_hard_replies_are_read_as_a_careful_person_does(shared: Path, told: bool) -> None:
    folder = shared / "replies"
    rows = [json.loads(line) for line in (folder / "replies.jsonl").read_text(encoding="utf-8").splitlines()]
    readers: dict[str, Reader] = {}
    scores: Counter[str] = Counter()
    for row in rows:
        if row["plan"] is not None:
            key = row["domain"]
            readers[key] = readers.get(key) or _reader(row, folder, told=told)
            scores[_score(readers[key], row)] += 1
    print(f"{scores.total()} hard replies: {dict(scores)}")  # noqa: T201
    assert scores["right"] >= 0.95 * scores.total()
    assert scores["silent"] == scores["false"] == 0


@pytest.mark.heavy
def test_no_correct_plan_of_o1_preview_is_missed(shared: Path, tmp_path: Path) -> None:
    results = tmp_path / "results" / "blocksworld" / "o1-preview"
    results.mkdir(parents=True)
    for name in ("configs", "instances"):
        (tmp_path / name).symlink_to(shared / "planbench" / name)
    recorded = (shared / "replies" / "planbench" / "blocksworld_o1-preview_zero_shot.json").read_bytes()
    path = results / "task_1_plan_generation_zero_shot.json"
    path.write_bytes(recorded)
    folder = PlanBenchFolder(tmp_path)
    found = folder.results(path)
    config = folder.config(found)
    domain = load_domain(config.domain_path)
    wording = choose_wording(str(config.path), domain)
    missed: list[int] = []
    for reply in found.replies:
        task = Task(domain, load_problem(config.instance_path(reply.instance_id), domain))
        readings = Reader(task, wording, make_names(task, "typed", wording)).read(reply.text)
        if reply.correct and not (readings.complete and validate(task, readings.plan).valid):
            missed.append(reply.instance_id)
    correct = sum(reply.correct for reply in found.replies)
    print(f"o1-preview: {len(missed)} of {correct} correct plans missed {missed}")  # noqa: T201
    assert len(missed) <= 0.002 * correct

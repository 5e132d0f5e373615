"""A task that needs no planner, and a model whose replies go by nothing but what it was asked."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.experiments.planners import PlannerRun
from pddl2nl.experiments.records.writer import is_volatile
from pddl2nl.experiments.runs import Job
from pddl2nl.llm import Completion, Request
from tests.policies.conftest import DOMAIN, EXAMPLE, PROBLEM


@dataclass(frozen=True)
class Cups:
    """A domain of cups on places and one hand, a problem of it, and another one that can be shown as an example."""

    domain: str
    problem: str
    shown: str


LAMPS = """(define (domain lamps) (:requirements :strips :typing :negative-preconditions) (:types lamp)
 (:predicates (lit ?l - lamp))
 (:action switch-on :parameters (?l - lamp) :precondition (not (lit ?l)) :effect (lit ?l)))
"""
THREE = """(define (problem three) (:domain lamps) (:objects a b c - lamp) (:init)
 (:goal (and (lit a) (lit b) (lit c))))
"""
CUPS = Cups(DOMAIN, PROBLEM, EXAMPLE)


def planner_job(domain: Path, problem: Path) -> Job:
    """FF on two files."""
    run = PlannerRun(domain, problem, "ff", 60)
    return Job(run, run.name, run.play)


class Whimsical:
    """Good moves, bad moves, nonsense and every way to fall short, each by the hash of the conversation and the seed.

    Args:
        told: what is added to every sixth reply.
        short: how often a reply falls short, in one of the ``ways``.
    """

    name = "whimsical"

    def __init__(self, told: str = "", short: float = 0.15, ways: tuple[str, ...] = ("length", "refused", "empty")):
        self.told = told
        self.short = short
        self.ways = ways

    def complete(self, request: Request) -> Completion:
        """The one reply to this request."""
        said = json.dumps([[message.role, message.content] for message in request.messages])
        dice = random.Random(f"{request.seed} {said}")
        lamps = [f"Action: apply the action 'switch-on' to lamp lamp_{number}" for number in range(3)]
        if "[PLAN END]" in request.messages[0].content:
            dice.shuffle(lamps)
            lines = [line.removeprefix("Action: ") for line in lamps[: dice.choice((2, 3, 3, 3))]]
            if "Thought:" in request.messages[0].content:
                lines = [f"Thought: it is dark\nAction: {line}" for line in lines]
            text = "\n".join(["[PLAN]", *lines, *["sing a song"] * (dice.random() < 0.2), "[PLAN END]"])
        else:
            text = dice.choice([*lamps, *lamps, "Action: look around", "Well …\u2028 hm\ud83d", "Action: I am done"])
        if self.told and dice.random() < 1 / 6:
            text += f"\n{self.told}"
        if dice.random() < self.short:
            finish = dice.choice(self.ways)
            return Completion("" if finish in ("empty", "filtered") else text, finish)
        return Completion(text)


@pytest.fixture(scope="session")
def cups() -> Cups:
    """A small task, as texts."""
    return CUPS


@pytest.fixture
def whimsical() -> type[Whimsical]:
    """The class of the model."""
    return Whimsical


@pytest.fixture
def lamps(tmp_path: Path) -> tuple[Path, Path]:
    """Domain and problem as files."""
    domain, problem = tmp_path / "lamps" / "domain.pddl", tmp_path / "lamps" / "three.pddl"
    domain.parent.mkdir()
    domain.write_text(LAMPS, encoding="utf-8")
    problem.write_text(THREE, encoding="utf-8")
    return domain, problem


def _settled(event: dict[str, Any]) -> str:
    return json.dumps({key: value for key, value in event.items() if not is_volatile(event["event"], key)})


@pytest.fixture
def settled() -> Any:
    """A function: a record's lines, without what differs between two runs of one specification."""

    def lines(record: Path | Iterable[str]) -> list[str]:
        text = record.read_text(encoding="utf-8") if isinstance(record, Path) else "\n".join(record)
        return [_settled(json.loads(line)) for line in text.rstrip("\n").split("\n")]

    return lines


@pytest.fixture
def same_records(settled: Any) -> Any:
    """A function: asserts that two folders hold the same records, and nothing else."""

    def check(folder: Path, undisturbed: Path, count: int) -> None:
        names = sorted(path.name for path in undisturbed.glob("*.jsonl"))
        assert len(names) == count
        assert sorted(path.name for path in folder.iterdir()) == names
        for name in names:
            assert settled(folder / name) == settled(undisturbed / name), name

    return check


@pytest.fixture(autouse=True)
def _some_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that opens nothing."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-mind")

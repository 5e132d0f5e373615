"""Starts of commands beside that of typer and rich alone: ``pytest -m benchmark tests/benchmarks/test_starts.py``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pddl2nl.experiments.runs import run
from pddl2nl.tasks import shipped_task

if TYPE_CHECKING:
    from conftest import Bench

pytestmark = pytest.mark.benchmark

STARTS = 7


def test_starts(bench: Bench, tmp_path: Path) -> None:
    for seed in range(10):
        run(shipped_task("blocksworld", "p01"), "random", steps=12, seed=seed, record=tmp_path / f"{seed}.jsonl")
    peer = bench.cpu(sys.executable, "-c", "import typer, rich.console", runs=STARTS)
    for what, command in {
        "`pddl2nl convert blocksworld p01`": ("convert", "blocksworld", "p01"),
        "`pddl2nl report` of ten records": ("report", str(tmp_path)),
        "`pddl2nl run --policy random`": ("run", "blocksworld", "p01", "--policy", "random", "--steps", "1"),
    }.items():
        seconds = _least(bench, *command)
        bench.ratio(f"{what}, CPU time", seconds, "`import typer, rich.console`", peer)


def _least(bench: Bench, *command: str) -> float:
    # A walk of one step does not solve the task, which is exit code 1.
    program = "import sys; from pddl2nl.cli.app import entry_point\ntry: entry_point()\nexcept SystemExit: pass"
    return bench.cpu(sys.executable, "-c", program, *command, runs=STARTS)

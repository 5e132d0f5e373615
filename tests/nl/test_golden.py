"""Whole tasks, observations and the shipped domains, told word for word.

Where a change of wording is meant, ``PDDL2NL_WRITE_GOLDEN=1 pytest tests/nl/test_golden.py`` writes the files anew
(and skips every test); read their difference sentence by sentence before keeping it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import get_args

import pytest

from pddl2nl.nl import Style, Teller, make_names
from pddl2nl.nl.telling.convert import choose_wording, convert
from pddl2nl.pddl import load_domain, load_task
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

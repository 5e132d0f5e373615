"""How long questions take, and the oracle on all of them; by hand, as all benchmarks."""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from pddl2nl.experiments.specification.experiment import Experiment
from pddl2nl.experiments.sweep import run_all
from pddl2nl.nl import Teller, choose_wording, make_names
from pddl2nl.questions.experiments import acpbench, planbench_tasks
from pddl2nl.questions.making import make_questions
from pddl2nl.questions.question import ACP_KINDS, FORMS
from pddl2nl.tasks import shipped_domain

pytestmark = [pytest.mark.benchmark, pytest.mark.usefixtures("needs_planner")]

SEARCHED = ("landmarks", "next-action")
"""The kinds that need a search for each question."""


def _seconds() -> float:
    """CPU time of this process and of the planners that it has run."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def test_a_thousand_questions_about_twenty_objects_take_less_than_a_minute() -> None:
    shipped = shipped_domain("logistics")
    task = shipped.task("p13")
    assert len(task.objects) == 20
    wording = choose_wording(None, shipped.domain, shipped.domain_path)
    teller = Teller(task, wording, make_names(task, "typed", wording))
    began, made = _seconds(), 0
    for kind in (kind for kind in ACP_KINDS if kind not in SEARCHED):
        made += sum(len([*make_questions(task, teller, kind, form, 56)]) for form in FORMS)
    assert made >= 1000
    assert _seconds() - began < 60


@pytest.mark.parametrize("asked", [acpbench, planbench_tasks])
def test_the_oracle_answers_every_question_of_a_shipped_experiment(
    asked: Callable[[], Experiment], tmp_path: Path
) -> None:
    ready = asked()
    ready.prepare(tmp_path)
    summary = run_all([*ready.jobs.values()], tmp_path, workers=2)
    assert (summary.broken, summary.bad, [*summary.outcomes]) == ((), (), ["right"])
    assert summary.solved > 500

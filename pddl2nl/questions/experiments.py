"""Experiments that ask questions, ready to run by name: ``pddl2nl experiment acpbench``."""

from __future__ import annotations

from pddl2nl.experiments.specification.experiment import Experiment
from pddl2nl.questions import SYSTEM
from pddl2nl.questions.question import ACP_KINDS, FORMS

_ASKED_ABOUT = (
    *("beluga", "blocksworld", "depots", "ferry", "floortile", "goldminer", "grid", "grippers", "logistics", "movie"),
    *("rovers", "satellite", "visitall"),
)
"""The shipped domains that the AutoPlanBench paper has."""


def acpbench(data: str = "none") -> Experiment:
    """ACPBench's eight kinds of questions about the thirteen shipped domains: what a model understands.

    Kokel et al., "ACPBench" (2024) and "ACPBench Hard" (2025). Every answer is proved (docs/guides/questions.md).

    Args:
        data: a folder of ACPBench's files, such as app/dev.gen.json, whose questions are asked instead, in their words.
    """
    return _questions("acpbench", kinds=list(ACP_KINDS), forms=list(FORMS), data=data)


def planbench_tasks() -> Experiment:
    """PlanBench's tasks beside plan generation, about the shipped domains: verification, execution, replanning, …

    Valmeekam et al., "PlanBench" (2023), whose tasks are set in five domains. Every answer is proved
    (docs/guides/questions.md).
    """
    kinds = ["verification", "execution", "optimal-plan", "replanning", "plan-reuse", "goal-shuffling"]
    return _questions("planbench-tasks", kinds=[*kinds, "goal-rewording", "generalisation"])


def _questions(name: str, **questions: object) -> Experiment:
    domains, tables = list(_ASKED_ABOUT), [{"kind": kind} for kind in SYSTEM.tables]
    return Experiment(
        name=name, models=["oracle"], instances=["p03"], domains=domains, questions=questions, tables=tables
    )

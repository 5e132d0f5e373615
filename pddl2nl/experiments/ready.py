"""Experiments of the core that are ready to run, by name: ``pddl2nl experiment small-model``."""

from __future__ import annotations

from collections.abc import Sequence

from pddl2nl.experiments.specification.experiment import Experiment
from pddl2nl.experiments.specification.schema import Column
from pddl2nl.policies import make_policy
from pddl2nl.policies.policy import CORE, LEVELS

QUICKSTART = {
    "blocksworld": ("p03", "p08"),
    "ferry": ("p03", "p09"),
    "grippers": ("p04", "p10"),
    "logistics": ("p04", "p10"),
    "visitall": ("p04", "p10"),
}
"""The instances of the quickstart, by domain: a short and a middling one."""


def small_model(
    policies: Sequence[str] = tuple(CORE),
    domains: Sequence[str] = tuple(QUICKSTART),
    instances: Sequence[str] = ("p01",),
) -> Experiment:
    """What a small local model does: policies on one task of five domains, with and without ``--constrain``.

    Replies and runs are short, so that a model on this machine can play them all: ``--model gguf:PATH`` names its file.

    Args:
        policies: those that ask a model are run, with every level of ``--constrain`` that they have.
        domains: shipped domains; policies of systems may need one that they are made for.
        instances: of these domains.
    """
    asking = {name: made for name in policies if (made := make_policy(name)).needs_model}
    columns = [
        Column(name, group=level, options={} if level == "off" else {"constrain": level})
        for level in ("off", *LEVELS)
        for name, made in asking.items()
        if level == "off" or level in made.levels
    ]
    short = {"steps": 6, "max_tokens": 150, "temperature": 0.0, "thoughts": "template"}
    tasks = {"shipped": list(domains), "instances": list(instances)}
    models, planners = ["gpt-4o-mini"], ["lmcut", "ff", "lama"]
    return Experiment(
        name="small-model",
        domains=[tasks],
        models=models,
        seeds=[1],
        columns=columns,
        baselines=planners,
        options=short,
    )


def quickstart(seed: int = 1) -> Experiment:
    """The quickstart: two tasks of five shipped domains, with everything that needs no key.

    The four mechanisms with the oracle, the random walk, and the four planners.
    """
    return Experiment(
        name="quickstart",
        domains=[{"shipped": name, "instances": list(instances)} for name, instances in QUICKSTART.items()],
        policies=["basic", "cot", "act", "react", "random"],
        models=["oracle"],
        seeds=[seed],
        baselines=["brfs", "lmcut", "ff", "lama"],
    )

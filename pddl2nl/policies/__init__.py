"""Policies, the ways of choosing actions: a file or a folder each, all acting through `Episode`.

A new policy is a class with the members of `Policy` and one line in `POLICIES`. Its file is imported when the policy is
first made.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import cast

from pddl2nl.policies.budget import Limits
from pddl2nl.policies.episode import Episode, EpisodeOver, Policy, Turn
from pddl2nl.policies.events import RunEvent, event_to_json
from pddl2nl.policies.families import FAMILY_POLICIES
from pddl2nl.policies.setting import Example, ExampleStep, RequestSettings, Setting

__all__ = [
    "POLICIES",
    "Episode",
    "EpisodeOver",
    "RunEvent",
    "Example",
    "ExampleStep",
    "Limits",
    "Policy",
    "RequestSettings",
    "Setting",
    "Turn",
    "event_to_json",
]


def _made_by(name: str) -> Callable[[], Policy]:
    """Makes the policy ``module.Class`` of this package, which is imported on the first call."""
    module, _, class_name = name.rpartition(".")
    return lambda: cast(Policy, getattr(import_module(f"{__name__}.{module}"), class_name)())


POLICIES: dict[str, Callable[[], Policy]] = {
    "basic": _made_by("basic.Basic"),
    "cot": _made_by("cot.ChainOfThought"),
    "act": _made_by("act.Act"),
    "react": _made_by("react.ReAct"),
    "random": _made_by("random.RandomWalk"),
    **{name: partial(family.policy, name) for name, family in FAMILY_POLICIES.items()},
}
"""Every policy by its name."""

"""Policies, the ways of choosing actions: a file or a folder each, all acting through `Episode`.

A new policy is a class with the members of `Policy` and one line in `POLICIES`. Its file is imported when the policy is
first made. Policies of other packages need no line: see `make_policy` and `pddl2nl.plugins`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.metadata import EntryPoint
from typing import cast

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.plugins import POLICY_GROUP, installed, make_object
from pddl2nl.policies.budget import Limits
from pddl2nl.policies.episode import Episode, EpisodeOver, Policy, Turn
from pddl2nl.policies.events import RunEvent, event_to_json
from pddl2nl.policies.families import FAMILY_POLICIES, REPAIR, asking_policy
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
    "make_policy",
]


def _made_by(name: str) -> Callable[[], Policy]:
    """Makes the policy ``module.Class`` of this package, which is imported on the first call."""
    module, _, class_name = name.rpartition(".")
    return lambda: cast(Policy, getattr(import_module(f"{__name__}.{module}"), class_name)())


def _entered(entry: EntryPoint) -> Policy:
    return cast(Policy, make_object(entry.value))


POLICIES: dict[str, Callable[[], Policy]] = {
    "basic": _made_by("basic.Basic"),
    "cot": _made_by("cot.ChainOfThought"),
    "act": _made_by("act.Act"),
    "react": _made_by("react.ReAct"),
    "score": _made_by("score.Score"),
    "random": _made_by("random.RandomWalk"),
    **{name: partial(family.policy, name) for name, family in FAMILY_POLICIES.items()},
}
"""Every policy by its name; those of installed packages come last."""
for _entry in installed(POLICY_GROUP):
    POLICIES.setdefault(_entry.name, partial(_entered, _entry))


def make_policy(policy: str | Policy) -> Policy:
    """A policy by its name in `POLICIES`, as ``module:Class``, or as ``repair:POLICY``; an object is returned as it is.

    Raises:
        InputError: there is no such policy, it lacks a member of `Policy`, or it gives no plan that can be repaired.
    """
    if not isinstance(policy, str):
        made = policy
    elif policy in POLICIES:
        made = POLICIES[policy]()
    elif policy.startswith(f"{REPAIR}:"):
        from pddl2nl.policies.hybrids.repair import RepairPolicy

        made = RepairPolicy(make_policy(asking_policy(policy)), asking_policy(policy))
    elif ":" in policy:
        made = make_object(policy)
    else:
        known = f"there are {', '.join(POLICIES)}, {REPAIR}:POLICY and module:Class{did_you_mean(policy, POLICIES)}"
        raise InputError(f"{policy}: no such policy; {known}")
    lacking = [name for name in ("run", *Policy.__annotations__) if not hasattr(made, name)]
    if lacking:
        raise InputError(
            f"{policy}: no policy, as it has no {', '.join(lacking)}; a class derived from pddl2nl.policies.Policy "
            "needs only run(episode)"
        )
    return made

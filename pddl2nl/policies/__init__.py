"""Policies, the ways of choosing actions, all acting through `Episode`; `policy` finds them by name.

Names are imported on first use, so that a command line can take the options of a run from `spec` alone.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pddl2nl.policies.budget import Limits
    from pddl2nl.policies.episode import Episode, EpisodeOver, Turn
    from pddl2nl.policies.events import RunEvent, event_to_json
    from pddl2nl.policies.policy import (
        Entry,
        Policy,
        entry_of,
        is_registered,
        make_policy,
        policies,
        policy_names,
        system_of,
    )
    from pddl2nl.policies.setting import Example, ExampleStep, RequestSettings, Setting

_MODULES = {
    "budget": ("Limits",),
    "episode": ("Episode", "EpisodeOver", "Turn"),
    "events": ("RunEvent", "event_to_json"),
    "policy": ("Entry", "Policy", "entry_of", "is_registered", "make_policy", "policies", "policy_names", "system_of"),
    "setting": ("Example", "ExampleStep", "RequestSettings", "Setting"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "Entry",
    "Episode",
    "EpisodeOver",
    "Example",
    "ExampleStep",
    "Limits",
    "Policy",
    "RequestSettings",
    "RunEvent",
    "Setting",
    "Turn",
    "entry_of",
    "event_to_json",
    "is_registered",
    "make_policy",
    "policies",
    "policy_names",
    "system_of",
]


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value

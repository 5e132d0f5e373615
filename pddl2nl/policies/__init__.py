"""The ways of choosing actions: one file each, all of them acting through `Episode` alone.

A new policy is one file with a class that has the members of `Policy`, and one line in `POLICIES`.
"""

from __future__ import annotations

from collections.abc import Callable

from pddl2nl.policies.act import Act
from pddl2nl.policies.basic import Basic
from pddl2nl.policies.budget import Limits
from pddl2nl.policies.cot import ChainOfThought
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.events import Event, event_from_json, event_to_json, events_to_json
from pddl2nl.policies.example import Example, ExampleStep
from pddl2nl.policies.policy import EpisodeOver, Policy, RequestSettings, Setting, Turn
from pddl2nl.policies.random import RandomWalk
from pddl2nl.policies.react import ReAct

__all__ = [
    "POLICIES",
    "Act",
    "Basic",
    "ChainOfThought",
    "Episode",
    "EpisodeOver",
    "Event",
    "Example",
    "ExampleStep",
    "Limits",
    "Policy",
    "RandomWalk",
    "ReAct",
    "RequestSettings",
    "Setting",
    "Turn",
    "event_from_json",
    "event_to_json",
    "events_to_json",
]

POLICIES: dict[str, Callable[[], Policy]] = {
    "basic": Basic,
    "cot": ChainOfThought,
    "act": Act,
    "react": ReAct,
    "random": RandomWalk,
}
"""Every policy by its name."""

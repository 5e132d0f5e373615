"""The policies that generic tests run."""

from __future__ import annotations

from pddl2nl.policies.families import FAMILY_POLICIES

from pddl2nl.policies import POLICIES

ASKING = [
    name
    for name, make in POLICIES.items()
    if make().needs_model
    and name != "score"
    and not (name in FAMILY_POLICIES and FAMILY_POLICIES[name].takes(name, "scene"))
    and not name.startswith("taskgraph")
]
"""The policies that ask a model for a reply and play any task: SayPlan needs a domain with a scene graph, taskgraph one
with subtasks, and Score asks for likelihoods (tests/policies/test_score.py)."""

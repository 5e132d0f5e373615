"""Named settings: everything that a paper fixed about its runs, in one option.

``autoplanbench`` is the setting of Stein, Fišer, Hoffmann and Koller (ICAPS 2025), section 5 and appendix A: GPT-4o of
August 2024 in every role, temperature 0, the wording made by the model (200 tokens a reply), every action translated by
the model (750), the example's thoughts written by the model (2,000), the planner without a limit, and twice FF's plan
as the limit of steps. An interactive run ends after ten successive failures, as in the authors' code (``break_limit``).
Facts are denied by a dependency parse where stanza and its English model are installed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from pddl2nl.errors import InputError
from pddl2nl.experiments.choices import unused_options
from pddl2nl.policies import make_policy
from pddl2nl.policies.spec import RUN_OPTIONS, RunSpec

SEEDS = (1, 2, 3, 4, 5)
WALK_SEEDS = tuple(range(1, 11))
"""The AutoPlanBench paper's seeds of a whole experiment: for models, and for the random walk."""

PROFILES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "autoplanbench": {
            "model": "gpt-4o-2024-08-06",
            "wording": "llm",
            "negation": "auto",
            "translator": "llm",
            "thoughts": "llm",
            "stop_after": 10,
        },
    }
)
"""Every profile by its name: the options of a run that differ from the defaults."""


def apply_profile(spec: RunSpec, name: str, given: Collection[str] = ()) -> RunSpec:
    """The specification with the profile's values.

    Args:
        spec: what was asked for.
        name: of the profile.
        given: the options that were asked for by name, which keep their values.

    Raises:
        InputError: no such profile.
    """
    if name not in PROFILES:
        raise InputError(f"--profile {name}: no such profile; there are {', '.join(PROFILES)}")
    idle = {*given}
    idle |= unused_options(spec.policy, spec.style).keys()
    if not make_policy(spec.policy).needs_model:
        idle |= {option for option in PROFILES[name] if RUN_OPTIONS[option].language}
    return replace(spec, **{key: value for key, value in PROFILES[name].items() if key not in idle}, profile=name)

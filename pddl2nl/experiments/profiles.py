"""Named settings: everything that a paper fixed about its runs, in one option.

``autoplanbench`` is the setting of Stein, Fišer, Hoffmann and Koller (ICAPS 2025), section 5 and appendix A: GPT-4o of
August 2024 in every role, temperature 0, seeds 1 to 5, the wording made by the model (200 tokens a reply), every action
translated by the model (750), the example's thoughts written by the model (2,000), the planner without a limit, twice
FF's plan as the limit of steps, and ten seeds for the random walk. The limits of tokens and steps are this package's
defaults already. An interactive run ends after ten successive failures, as in the authors' code (``break_limit``).
Facts are denied by a dependency parse where stanza and its English model are installed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from pddl2nl.errors import InputError
from pddl2nl.experiments.choices import unused_options
from pddl2nl.experiments.spec import RunSpec
from pddl2nl.policies import POLICIES

__all__ = ["PROFILES", "SEEDS", "WALK_SEEDS", "Profile", "apply_profile", "profile"]


SEEDS = (1, 2, 3, 4, 5)
WALK_SEEDS = tuple(range(1, 11))
"""The paper's seeds of a whole experiment: for models, and for the random walk."""


@dataclass(frozen=True)
class Profile:
    """A named setting.

    ``values`` are fields of `RunSpec`; ``language`` those of them that mean nothing to a PDDL twin, which needs no
    wording and no translator. ``seeds`` are those of a whole experiment, ``walk_seeds`` those of its policies that ask
    no model.
    """

    name: str
    summary: str
    values: Mapping[str, Any]
    language: Mapping[str, Any]
    seeds: tuple[int, ...]
    walk_seeds: tuple[int, ...]


PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        each.name: each
        for each in (
            Profile(
                "autoplanbench",
                "as the AutoPlanBench paper: gpt-4o-2024-08-06 plans, words, translates and thinks; temperature 0",
                MappingProxyType(
                    {
                        "model": "gpt-4o-2024-08-06",
                        "temperature": 0.0,
                        "thoughts": "llm",
                        "names": "typed",
                        "reading": "default",
                        "on_ambiguous": "refuse",
                        "steps": None,
                        "stop_after": 10,
                        "history": "full",
                        "feedback": "reason",
                        "samples": 1,
                        "rounds": 0,
                    }
                ),
                MappingProxyType({"wording": "llm", "negation": "auto", "translator": "llm"}),
                SEEDS,
                WALK_SEEDS,
            ),
        )
    }
)
"""Every profile by its name."""


def profile(name: str) -> Profile:
    """The profile of that name; raises `InputError` where there is none."""
    if name not in PROFILES:
        raise InputError(f"--profile {name}: no such profile; there are {', '.join(PROFILES)}")
    return PROFILES[name]


def apply_profile(spec: RunSpec, name: str, given: Collection[str] = ()) -> RunSpec:
    """The specification with the profile's values.

    Args:
        spec: what was asked for.
        name: of the profile.
        given: the fields that were asked for by name, which stand as they are.

    Raises:
        InputError: no such profile.
    """
    chosen = profile(name)
    values = dict(chosen.values)
    if spec.policy in POLICIES:
        if POLICIES[spec.policy]().needs_model:
            values |= chosen.language
        unused = unused_options(spec.policy, spec.style)
        values = {key: value for key, value in values.items() if key not in unused}
    return replace(spec, **{key: value for key, value in values.items() if key not in given}, profile=name)

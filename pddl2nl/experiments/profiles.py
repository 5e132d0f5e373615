"""Named settings: everything that a paper fixed about its runs, in one option. Systems bring them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from pddl2nl.errors import InputError
from pddl2nl.experiments.choices import unused_options
from pddl2nl.plugins import systems
from pddl2nl.policies import make_policy
from pddl2nl.policies.spec import RUN_OPTIONS, RunSpec


@lru_cache(maxsize=1)
def profiles() -> Mapping[str, Mapping[str, Any]]:
    """Every profile by its name: the options of runs and of policies that differ from the defaults."""
    return {name: values for system in systems().values() for name, values in system.toml(system.profiles).items()}


def apply_profile(spec: RunSpec, name: str, given: Collection[str] = ()) -> RunSpec:
    """The description of a run with a profile's values.

    Args:
        spec: what was asked for.
        name: of the profile.
        given: the options that were asked for by name, which keep their values.

    Raises:
        InputError: no such profile.
    """
    if name not in profiles():
        raise InputError(f"--profile {name}: no such profile; there are {', '.join(profiles())}")
    policy = make_policy(spec.policy, spec.options)
    idle = {*given, *unused_options(policy, spec.style)}
    values = {key: value for key, value in profiles()[name].items() if key not in idle}
    own = {key: value for key, value in values.items() if key in type(policy).__struct_fields__}
    run = {key: value for key, value in values.items() if key in RUN_OPTIONS}
    return replace(spec, **run, options={**own, **spec.options}, profile=name)

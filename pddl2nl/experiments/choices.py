"""What a specification may choose: checked before anything is made of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pddl2nl.errors import InputError
from pddl2nl.experiments.spec import RUN_OPTIONS, RunSpec
from pddl2nl.experiments.spec_options import foreign_options
from pddl2nl.experiments.toml_places import near
from pddl2nl.policies import POLICIES, Policy
from pddl2nl.policies.families import family_of, family_of_mistake, policies_with

__all__ = ["beyond_paper", "checked_policy"]


def checked_policy(spec: RunSpec) -> Policy:
    """The policy of a run.

    Raises:
        InputError: there is no such policy, style or other choice, or the policy has no use for it.
    """
    if spec.policy not in POLICIES:
        raise InputError(
            f"--policy {spec.policy}: no such policy; there are {', '.join(POLICIES)}{near(spec.policy, POLICIES)}"
        )
    policy = POLICIES[spec.policy]()
    for option in RUN_OPTIONS.values():
        value = getattr(spec, option.name)
        if option.choices and value not in option.choices:
            raise InputError(
                f"{option.flag} {value}: no such choice; there are {', '.join(option.choices)}"
                f"{near(value, option.choices)}"
            )
        least = option.at_least
        if least is not None and isinstance(value, int | float) and value < least:
            raise InputError(f"{option.flag} {value}: at least {least:g} is needed")
    if spec.style not in policy.styles:
        able = [name for name, make in POLICIES.items() if make().needs_model and spec.style in make().styles]
        why = "it plans in words" if family_of(spec.policy) else "it answers in words"
        raise InputError(
            f"--policy {spec.policy} has no twin in style {spec.style}, as {why}; {' and '.join(able)} have one"
        )
    if spec.style == "pddl" and policy.thoughts and (spec.thoughts == "llm" or spec.thoughts_model is not None):
        raise InputError("--thoughts llm: in style pddl the thoughts of the example come from the template")
    if spec.style == "pddl" and spec.translator != "reader":
        raise InputError(
            f"--translator {spec.translator}: in style pddl the model writes PDDL, and there is nothing to translate"
        )
    _check_beyond_paper(spec, policy)
    _check_family(spec, policy)
    return policy


def _check_family(spec: RunSpec, policy: Policy) -> None:
    """Refuses options of families for policies that do not take them, and the other way round."""
    family = family_of(spec.policy)
    asked = _differing(spec, foreign_options(spec.policy))
    if asked and family is not None:
        raise InputError(f"{_said(asked)}: --policy {spec.policy} has no use for it: {family.why_only}")
    if asked:
        users = [name for option in asked for name in policies_with(option)]
        raise InputError(
            f"{_said(asked)}: --policy {spec.policy} has no use for it; it is for {', '.join(dict.fromkeys(users))}"
        )
    mistake = spec.model.removeprefix("oracle:") if isinstance(spec.model, str) and ":" in spec.model else ""
    makes = family_of_mistake(mistake) if isinstance(spec.model, str) and spec.model.startswith("oracle:") else None
    if policy.needs_model and makes is not None and makes is not family:
        raise InputError(
            f"--model {spec.model}: with --policy {spec.policy} the oracle makes no mistakes; it does with "
            f"{', '.join(makes.policies)}"
        )
    if spec.task_text is not None and "\n\n" in spec.task_text.strip():
        raise InputError("--task-text: an empty line ends the task in a prompt, so its text holds none; leave it out")


def _differing(spec: RunSpec, names: Iterable[str]) -> dict[str, Any]:
    """Those of the fields that are not as they are where nobody says anything."""
    # "none" is no example, which is what these policies show as well.
    said = {name: getattr(spec, name) for name in names if getattr(spec, name) != RUN_OPTIONS[name].default}
    return {name: value for name, value in said.items() if (name, value) != ("example", "none")}


def _said(asked: Mapping[str, Any]) -> str:
    return " and ".join(f"--{name.replace('_', '-')} {getattr(value, 'name', value)}" for name, value in asked.items())


def _check_beyond_paper(spec: RunSpec, policy: Policy) -> None:
    """Refuses what the policy has no use for, so that no record names a setting that did nothing."""
    asked = beyond_paper(spec)
    one_shot = policy.one_shot and policy.needs_model
    if not one_shot and (useless := asked.keys() & {"samples", "rounds"}):
        raise InputError(
            f"{_options(asked, useless)}: --policy {spec.policy} gives no whole plan at once, so there is none to be "
            "chosen or corrected; basic and cot do"
        )
    if spec.stop_after is not None:
        asked["stop-after"] = spec.stop_after
    if (policy.one_shot or not policy.needs_model) and (
        useless := asked.keys() & {"history", "feedback", "stop-after"}
    ):
        why = "gives its whole plan in one turn" if policy.one_shot else "asks no model"
        raise InputError(f"{_options(asked, useless)}: --policy {spec.policy} {why}; this is for act and react")
    if not policy.needs_model and "unsolvable" in asked:
        raise InputError(f"--unsolvable {spec.unsolvable}: --policy {spec.policy} asks no model, so none can be told")


def _options(asked: Mapping[str, Any], names: Iterable[str]) -> str:
    return " and ".join(f"--{name} {asked[name]}" for name in sorted(names))


def beyond_paper(spec: RunSpec) -> dict[str, Any]:
    """What differs from the mechanisms as the paper has them."""
    names = ("history", "feedback", "samples", "rounds", "unsolvable")
    return {name: getattr(spec, name) for name in names if getattr(spec, name) != RUN_OPTIONS[name].default}

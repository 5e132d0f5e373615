"""What a specification may choose: checked before anything is made of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pddl2nl.errors import InputError
from pddl2nl.experiments.spec import RunSpec
from pddl2nl.experiments.thoughts import THOUGHTS
from pddl2nl.nl import READING_POLICIES
from pddl2nl.policies import POLICIES, Policy
from pddl2nl.policies.history import HISTORIES
from pddl2nl.policies.observations import FEEDBACKS
from pddl2nl.policies.prompting import UNSOLVABLE
from pddl2nl.policies.translating import TRANSLATORS
from pddl2nl.policies.understanding import ON_AMBIGUOUS

__all__ = ["beyond_paper", "checked_policy"]


def checked_policy(spec: RunSpec) -> Policy:
    """The policy of a run.

    Raises:
        InputError: there is no such policy, style or other choice, or the policy has no use for it.
    """
    if spec.policy not in POLICIES:
        raise InputError(f"--policy {spec.policy}: no such policy; there are {', '.join(POLICIES)}")
    policy = POLICIES[spec.policy]()
    if spec.style not in ("nl", "pddl"):
        raise InputError(f"--style {spec.style}: no such style; there are nl and pddl")
    if spec.style not in policy.styles:
        able = [name for name, make in POLICIES.items() if make().needs_model and spec.style in make().styles]
        raise InputError(
            f"--policy {spec.policy} has no twin in style {spec.style}, as there are no thoughts about PDDL to show; "
            f"{' and '.join(able)} have one"
        )
    for option, value, known in (
        ("--translator", spec.translator, TRANSLATORS),
        ("--reading", spec.reading, tuple(READING_POLICIES)),
        ("--on-ambiguous", spec.on_ambiguous, ON_AMBIGUOUS),
        ("--history", spec.history, HISTORIES),
        ("--feedback", spec.feedback, FEEDBACKS),
        ("--thoughts", spec.thoughts, THOUGHTS),
        ("--unsolvable", spec.unsolvable, UNSOLVABLE),
    ):
        if value not in known:
            raise InputError(f"{option} {value}: no such choice; there are {', '.join(known)}")
    if spec.style == "pddl" and spec.translator != "reader":
        raise InputError(
            f"--translator {spec.translator}: in style pddl the model writes PDDL, and there is nothing to translate"
        )
    _check_beyond_paper(spec, policy)
    return policy


def _check_beyond_paper(spec: RunSpec, policy: Policy) -> None:
    """Refuses what the policy has no use for, so that no record names a setting that did nothing."""
    for option, number, least in (("--samples", spec.samples, 1), ("--rounds", spec.rounds, 0)):
        if number < least:
            raise InputError(f"{option} {number}: at least {least} is needed")
    asked = beyond_paper(spec)
    one_shot = policy.one_shot and policy.needs_model
    if not one_shot and (useless := asked.keys() & {"samples", "rounds"}):
        raise InputError(
            f"{_options(asked, useless)}: --policy {spec.policy} gives no whole plan at once, so there is none to be "
            "chosen or corrected; basic and cot do"
        )
    if (policy.one_shot or not policy.needs_model) and (useless := asked.keys() & {"history", "feedback"}):
        why = "gives its whole plan in one turn" if policy.one_shot else "asks no model"
        raise InputError(f"{_options(asked, useless)}: --policy {spec.policy} {why}; this is for act and react")
    if not policy.needs_model and "unsolvable" in asked:
        raise InputError(f"--unsolvable {spec.unsolvable}: --policy {spec.policy} asks no model, so none can be told")


def _options(asked: Mapping[str, Any], names: Iterable[str]) -> str:
    return " and ".join(f"--{name} {asked[name]}" for name in sorted(names))


def beyond_paper(spec: RunSpec) -> dict[str, Any]:
    """What differs from the mechanisms as the paper has them."""
    usual = {"history": "full", "feedback": "reason", "samples": 1, "rounds": 0, "unsolvable": "silent"}
    return {name: getattr(spec, name) for name, value in usual.items() if getattr(spec, name) != value}

"""What a specification may choose: checked before anything is made of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from pddl2nl.errors import InputError
from pddl2nl.experiments.spec import FORMS, RunSpec
from pddl2nl.experiments.spec_options import HIERARCHICAL, NOT_HIERARCHICAL
from pddl2nl.experiments.thoughts import THOUGHTS
from pddl2nl.nl import READING_POLICIES
from pddl2nl.policies import HVR_POLICIES, POLICIES, Policy
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
        why = "it plans in words" if spec.policy in HVR_POLICIES else "there are no thoughts about PDDL to show"
        raise InputError(
            f"--policy {spec.policy} has no twin in style {spec.style}, as {why}; {' and '.join(able)} have one"
        )
    for option, value, known in (
        ("--translator", spec.translator, TRANSLATORS),
        ("--reading", spec.reading, tuple(READING_POLICIES)),
        ("--on-ambiguous", spec.on_ambiguous, ON_AMBIGUOUS),
        ("--history", spec.history, HISTORIES),
        ("--feedback", spec.feedback, FEEDBACKS),
        ("--thoughts", spec.thoughts, THOUGHTS),
        ("--unsolvable", spec.unsolvable, UNSOLVABLE),
        ("--form", spec.form, FORMS),
    ):
        if value not in known:
            raise InputError(f"{option} {value}: no such choice; there are {', '.join(known)}")
    if spec.style == "pddl" and spec.translator != "reader":
        raise InputError(
            f"--translator {spec.translator}: in style pddl the model writes PDDL, and there is nothing to translate"
        )
    _check_beyond_paper(spec, policy)
    _check_hierarchical(spec, policy)
    return policy


def _check_hierarchical(spec: RunSpec, policy: Policy) -> None:
    """Refuses what is for hierarchical policies alone, and for these what they have no use for."""
    hierarchical = spec.policy in HVR_POLICIES
    asked = _differing(spec, NOT_HIERARCHICAL if hierarchical else HIERARCHICAL)
    if asked and hierarchical:
        raise InputError(
            f"{_said(asked)}: --policy {spec.policy} has no use for it: its prompts have examples of their own, it "
            "asks for one plan, reads it without a model, and corrects it by its own rules"
        )
    if asked:
        raise InputError(
            f"{_said(asked)}: --policy {spec.policy} has no use for it; it is for {', '.join(HVR_POLICIES)}"
        )
    model = spec.model if isinstance(spec.model, str) else ""
    if not hierarchical and policy.needs_model and model.startswith("oracle:") and model != "oracle:":
        raise InputError(
            f"--model {model}: with --policy {spec.policy} the oracle makes no mistakes; it does with "
            f"{', '.join(HVR_POLICIES)}"
        )
    if spec.replans < 0:
        raise InputError(f"--replans {spec.replans}: at least 0 is needed")
    if spec.task_text is not None and "\n\n" in spec.task_text.strip():
        raise InputError("--task-text: an empty line ends the task in a prompt, so its text holds none; leave it out")


def _differing(spec: RunSpec, names: Iterable[str]) -> dict[str, Any]:
    """Those of the fields that are not as they are where nobody says anything."""
    usual = {item.name: item.default for item in fields(RunSpec)}
    # "none" is no example, which is what these policies show as well.
    said = {name: getattr(spec, name) for name in names if getattr(spec, name) != usual[name]}
    return {name: value for name, value in said.items() if (name, value) != ("example", "none")}


def _said(asked: Mapping[str, Any]) -> str:
    return " and ".join(f"--{name.replace('_', '-')} {getattr(value, 'name', value)}" for name, value in asked.items())


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

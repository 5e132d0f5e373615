"""The choices of a run: which options a policy uses, and whether all values are allowed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.policies import make_policy, policies
from pddl2nl.policies.policy import LEVELS, Policy
from pddl2nl.policies.spec import RUN_OPTIONS, Option, RunSpec


def unused_options(policy: Policy, style: str) -> dict[str, str]:
    """The options of a run that have no effect with a policy, each with the reason."""
    reasons = {name: _reason(option, policy, style) for name, option in RUN_OPTIONS.items()}
    return {name: reason for name, reason in reasons.items() if reason}


def _reason(option: Option, policy: Policy, style: str) -> str:
    if not policy.needs_model and (option.models or option.language):
        return "the policy asks no model"
    if option.optional and option.name not in policy.uses:
        return "the policy does not use it"
    if option.name == "steps" and policy.one_shot:
        return "the policy gives its whole plan in one turn"
    if style == "pddl" and option.language:
        return "style pddl shows PDDL with the objects' own names"
    return ""


def unused_warnings(spec: RunSpec, given: Collection[str], of_models: Iterable[str] = ()) -> Iterator[str]:
    """A sentence for each reason why options of the command line have no effect.

    Args:
        spec: the run.
        given: the options on the command line.
        of_models: options of the command that have no effect where no model is asked.
    """
    reasons = unused_options(make_policy(spec.policy, spec.options), spec.style)
    if "model" in reasons:
        reasons |= dict.fromkeys(of_models, reasons["model"])
    for reason in dict.fromkeys(reasons.values()):
        named = [f"--{name.replace('_', '-')}" for name, why in reasons.items() if why == reason and name in given]
        if named:
            yield f"{', '.join(named)} not used: {reason}"


def checked_policy(spec: RunSpec) -> Policy:
    """The policy of a run, all choices checked.

    Raises:
        InputError: an unknown policy, option, style or other choice, a number that is too small, or an option that the
            policy does not use.
    """
    name = spec.policy_name
    policy = make_policy(spec.policy, spec.options)
    for option in RUN_OPTIONS.values():
        value = getattr(spec, option.name)
        if option.choices and value not in option.choices:
            known = f"there are {', '.join(option.choices)}{did_you_mean(str(value), option.choices)}"
            raise InputError(f"{option.flag} {value}: no such choice; {known}")
        if option.at_least is not None and isinstance(value, int | float) and value < option.at_least:
            raise InputError(f"{option.flag} {value}: at least {option.at_least:g} is needed")
    if spec.style not in policy.styles:
        able = [entry.name for entry in policies() if not entry.preset and spec.style in entry.kind().styles]
        raise InputError(f"--policy {name} has no twin in style {spec.style}; {', '.join(able)} have one")
    _check_used(spec, policy)
    _check_roles(spec, policy)
    _check_level(spec, policy)
    return policy


def _check_used(spec: RunSpec, policy: Policy) -> None:
    """Refuses options without an effect, so that no record names a setting that did nothing."""
    for name, reason in unused_options(policy, spec.style).items():
        option, value = RUN_OPTIONS[name], getattr(spec, name)
        # In style pddl a model that is asked for is an error, as nothing would ask it.
        refused = option.optional or (name == "translator" and value != option.default)
        # No example is shown in any case.
        if refused and value != option.default and (name, value) != ("example", "none"):
            raise InputError(f"{option.flag} {getattr(value, 'name', value)}: {reason} ({spec.policy_name})")


def _check_roles(spec: RunSpec, policy: Policy) -> None:
    """Refuses models for roles that are not asked."""
    roles = dict.fromkeys(policy.roles, "")
    roles["wording"] = "" if spec.wording == "llm" else "only --wording llm asks a model for words"
    if "translator" in policy.uses:
        roles["translator"] = "" if spec.translator != "reader" else "--translator reader asks no model"
    if policy.thoughts:
        roles["thoughts"] = "" if spec.thoughts != "template" else "--thoughts template asks no model"
    for role in spec.models:
        if role not in roles:
            hint = did_you_mean(role, roles, f"; there are {', '.join(roles)}")
            raise InputError(f"--model-for {role}: {spec.policy_name} has no such role{hint}")
        if roles[role]:
            raise InputError(f"--model-for {role}: {roles[role]}")


def _check_level(spec: RunSpec, policy: Policy) -> None:
    """Refuses a level of ``--constrain`` that means nothing for the replies of a policy."""
    level, levels = spec.constrain, policy.levels
    if level != "off" and level not in levels:
        why = "gives a whole plan, in no state" if "actions" in levels else "asks for no actions"
        raise InputError(f"--constrain {level}: --policy {spec.policy_name} {why}; see {levels[-1]}")
    if level in LEVELS[1:] and spec.task.domain.durative_actions:
        raise InputError(f"--constrain {level}: a plan with time is not only actions; see format")

"""The choices of a run: which options a policy uses, and whether all values are allowed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.experiments.spec import RUN_OPTIONS, Option, RunSpec, policy_name
from pddl2nl.policies import POLICIES, Policy, make_policy
from pddl2nl.policies.families import asking_policy, family_of, family_of_mistake, policies_with

_OF_REPLIES = (
    *("translator", "translator_model", "on_ambiguous", "unsolvable", "constrain", "feedback", "stop_after"),
    *("stream", "temperature", "max_tokens"),
)
"""The options about what a model writes."""
_NOTHING: Mapping[str, Any] = MappingProxyType({})


def unused_options(policy: str | Policy, style: str, values: Mapping[str, Any] = _NOTHING) -> dict[str, str]:
    """The options of a run that have no effect with a policy, each with the reason.

    Args:
        policy: as in `RunSpec`.
        style: ``nl`` or ``pddl``.
        values: what is known of ``wording`` and ``translator``, which decide whether the models for them are asked.
    """
    made = make_policy(policy)
    reasons = {**_reasons(policy_name(policy), style, made.one_shot, made.thoughts, made.needs_model)}
    if values.get("wording", "llm") != "llm":
        reasons["wording_model"] = reasons["wording_model"] or "only --wording llm asks a model for words"
    if values.get("translator") == "reader":
        reasons["translator_model"] = reasons["translator_model"] or "--translator reader asks no model"
    return {name: reason for name, reason in reasons.items() if reason}


def unused_warnings(spec: RunSpec, given: Collection[str], of_models: Iterable[str] = ()) -> Iterator[str]:
    """A sentence for each reason why options of the command line have no effect.

    Args:
        spec: the run.
        given: the options on the command line.
        of_models: options of the command that have no effect where no model is asked.
    """
    reasons = unused_options(spec.policy, spec.style, {"wording": spec.wording, "translator": spec.translator})
    if "model" in reasons:
        reasons |= dict.fromkeys(of_models, reasons["model"])
    for reason in dict.fromkeys(reasons.values()):
        named = [f"--{name.replace('_', '-')}" for name, why in reasons.items() if why == reason and name in given]
        if named:
            yield f"{', '.join(named)} not used: {reason}"


@lru_cache(maxsize=256)
def _reasons(policy: str, style: str, one_shot: bool, thoughts: bool, needs_model: bool) -> Mapping[str, str]:
    """For every option why it has no effect with any values of the others, or an empty text."""
    members = one_shot, thoughts, needs_model
    return MappingProxyType({name: _reason(option, policy, style, *members) for name, option in RUN_OPTIONS.items()})


def _reason(option: Option, policy: str, style: str, one_shot: bool, thoughts: bool, needs_model: bool) -> str:
    """Why an option has no effect; empty if it has one."""
    users, family, asking = option.users, family_of(policy), asking_policy(policy)
    if asking != policy and not (family is not None and family.takes("repair", option.name)):
        if option.name == "faults":
            return f"--policy {policy} plans for the world as the task describes it"
        return _reason(option, asking, style, one_shot, thoughts, needs_model)
    if users == "families" and (family is None or not family.takes(policy, option.name)):
        takers = policies_with(option.name)
        return f"--policy {policy} has no use for it; it is for {', '.join(takers)}"
    if one_shot and users in ("turns", "interactive"):
        return f"--policy {policy} gives its whole plan in one turn"
    if not needs_model and users not in ("", "turns", "families"):
        return f"--policy {policy} asks no model"
    if not one_shot and users in ("plans", "one-shot"):
        return f"--policy {policy} takes its actions one at a time"
    if family is not None and users in ("flat", "one-shot", "thoughts") and not family.takes(policy, option.name):
        return f"--policy {policy} has no use for it: {family.why_only}"
    if policy == "score" and option.name in _OF_REPLIES:
        return "--policy score rates the applicable actions, and the model writes none"
    if not thoughts and users == "thoughts":
        return f"--policy {policy} shows no thoughts"
    if style == "pddl" and users == "thoughts":
        return "in style pddl the thoughts of the example come from the template"
    if style == "pddl" and option.language:
        return "--style pddl shows PDDL with the objects' own names"
    return ""


def checked_policy(spec: RunSpec) -> Policy:
    """The policy of a run.

    Raises:
        InputError: an unknown policy, style or other choice, a number that is too small, or an option that the policy
            does not use and refuses.
    """
    name = spec.policy_name
    try:
        policy, asking = make_policy(spec.policy), asking_policy(name)
    except InputError as error:
        raise InputError(f"--policy {error}") from error
    family = family_of(asking)
    if policy is spec.policy and name in POLICIES and type(POLICIES[name]()) is not type(policy):
        raise InputError(f"the policy is called '{name}', as a registered one is; give it another name")
    for option in RUN_OPTIONS.values():
        value = getattr(spec, option.name)
        if option.choices and value not in option.choices:
            known = f"there are {', '.join(option.choices)}{did_you_mean(str(value), option.choices)}"
            raise InputError(f"{option.flag} {value}: no such choice; {known}")
        if option.at_least is not None and isinstance(value, int | float) and value < option.at_least:
            raise InputError(f"{option.flag} {value}: at least {option.at_least:g} is needed")
    if spec.style not in policy.styles:
        able = [name for name, make in POLICIES.items() if make().needs_model and spec.style in make().styles]
        why = "it plans in words" if family else "it answers in words"
        raise InputError(f"--policy {name} has no twin in style {spec.style}, as {why}; {' and '.join(able)} have one")
    _check_used(spec, policy)
    if policy.needs_model and isinstance(spec.model, str) and spec.model.startswith("oracle:"):
        mistaken = family_of_mistake(spec.model.removeprefix("oracle:"))
        playing = () if mistaken is None else (*mistaken.policies, *mistaken.mistaken)
        if mistaken is not None and asking not in playing:
            raise InputError(
                f"--model {spec.model}: with --policy {name} the oracle makes no mistakes; it does with "
                f"{', '.join(playing)}"
            )
    if family is not None and family.takes(asking, "body"):
        for role, body in (("body_model", "llm"), ("embedding_model", "embedding")):
            if getattr(spec, role) is not None and spec.body != body:
                raise InputError(f"{RUN_OPTIONS[role].flag}: --body {spec.body} has no use for it; --body {body} has")
        if spec.constrain != "off" and spec.body in ("reader", "embedding"):
            raise InputError(f"--constrain {spec.constrain}: --body {spec.body} writes no commands with a model")
    _check_level(spec)
    if spec.task_text is not None and "\n\n" in spec.task_text.strip():
        raise InputError("--task-text: an empty line ends the task in a prompt; leave it out")
    return policy


def constrain_levels(policy: str | Policy) -> tuple[str, ...]:
    """What ``--constrain`` can ask of the replies of a policy; nothing of one that asks for none."""
    if "constrain" in unused_options(policy, "nl"):
        return ()
    levels: tuple[str, ...] = ("format", "actions", "applicable")
    name = asking_policy(policy_name(policy))
    family = family_of(name)
    levels = levels[:-1] if make_policy(policy).one_shot else levels
    return levels if family is None else family.levels.get(name, levels)


def _check_level(spec: RunSpec) -> None:
    """Refuses a level of ``--constrain`` that means nothing for the replies of a policy."""
    level, levels = spec.constrain, constrain_levels(spec.policy)
    if level != "off" and level not in levels:
        why = "gives a whole plan, in no state" if "actions" in levels else "asks for no actions"
        raise InputError(f"--constrain {level}: --policy {spec.policy_name} {why}; see {levels[-1]}")
    if level in ("actions", "applicable") and spec.task.domain.durative_actions:
        raise InputError(f"--constrain {level}: a plan with time is not only actions; see format")


def _check_used(spec: RunSpec, policy: Policy) -> None:
    """Refuses options without an effect, so that no record names a setting that did nothing."""
    refused: dict[str, list[str]] = {}
    for name, reason in unused_options(spec.policy, spec.style).items():
        option, value = RUN_OPTIONS[name], getattr(spec, name)
        # In style pddl a model that is asked for explicitly is an error, as nothing would ask it.
        asks = spec.style == "pddl" and (value in ("llm", "reader+llm") or name == "thoughts_model")
        of_family = family_of(asking_policy(spec.policy_name)) is not None and option.users in ("flat", "thoughts")
        # Policies of families show no example in any case.
        given = value != option.default and (name, value) != ("example", "none")
        if given and (option.refused or of_family or (asks and policy.needs_model)):
            refused.setdefault(reason, []).append(f"{option.flag} {getattr(value, 'name', value)}")
    for reason, options in refused.items():
        raise InputError(f"{' and '.join(options)}: {reason}")


def beyond_paper(spec: RunSpec) -> dict[str, Any]:
    """The options whose values differ from the mechanisms of the AutoPlanBench paper."""
    names = ("history", "feedback", "samples", "rounds", "unsolvable", "constrain", "stream")
    return {name: getattr(spec, name) for name in names if getattr(spec, name) != RUN_OPTIONS[name].default}

"""Prepares a run: everything that its episode needs, from its specification."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from importlib import metadata
from typing import Any, cast

import msgspec

from pddl2nl.errors import InputError
from pddl2nl.experiments.access import Access
from pddl2nl.experiments.choices import beyond_paper, checked_policy
from pddl2nl.experiments.example import SolvedProblem, find_example, problem_text, tell_example
from pddl2nl.experiments.family_runs import family_settings
from pddl2nl.experiments.models import MadeModel, ModelContext, make_model, wrap_model
from pddl2nl.experiments.solvability import foreseen
from pddl2nl.experiments.spec import RunSpec
from pddl2nl.experiments.thoughts import THOUGHTS_PROMPTS, THOUGHTS_TOKENS, think
from pddl2nl.llm import EndpointError, Model, ModelConfigurationError, Purpose, ReplayError
from pddl2nl.llm.keys import sha256
from pddl2nl.nl import (
    READING_POLICIES,
    Names,
    Reader,
    Style,
    Teller,
    Wording,
    choose_wording,
    make_names,
    template_wording,
    word_domain,
)
from pddl2nl.nl.wording.parsed_negation import with_negations
from pddl2nl.pddl import Task, write_domain
from pddl2nl.plugins import origin
from pddl2nl.policies import Episode, Example, Limits, Policy, RequestSettings, Setting
from pddl2nl.policies.budget import LimitReachedError, ModelCalls, PricedModel
from pddl2nl.policies.episode import TRANSLATOR_TOKENS
from pddl2nl.policies.events import Started
from pddl2nl.policies.families import asking_policy, family_of
from pddl2nl.policies.pddl_reading import PDDLReader
from pddl2nl.policies.prompting import CORRECTION_PROMPT, no_plan_file, prompt_file, prompt_hash
from pddl2nl.policies.translating import Translator, TranslatorMode
from pddl2nl.policies.translation_prompt import TRANSLATOR_PROMPT, translation_opening
from pddlval import Simulator, acting_simulator

WORDING_TOKENS = 200
"""How long replies may be when a domain is worded (appendix A of the paper)."""

_NO_REPLY = (EndpointError, ReplayError, LimitReachedError)
"""Why the calls before a run, for its wording and thoughts, can have come to nothing."""

_Models = Mapping[Purpose, MadeModel]
"""The models of a run by role; roles without a model are left out."""


@dataclass(frozen=True)
class PreparedRun:
    """A run ready to be played. ``calls`` has made the calls for wording and thoughts already, if any."""

    policy: Policy
    setting: Setting
    calls: ModelCalls
    limits: Limits
    request: RequestSettings
    started: Started


class _Broken:
    """Replaces the policy of a run that got no wording or thoughts, so that its record says why."""

    summary = "ends at once"
    styles: tuple[str, ...] = ("nl", "pddl")
    one_shot = thoughts = needs_model = False
    prompt: str | None = None

    def __init__(self, failure: Exception):
        self._failure = failure

    def run(self, episode: Episode) -> None:
        """Raises what happened before the episode began."""
        raise self._failure


def prepare_run(spec: RunSpec, access: Access | None = None) -> PreparedRun:
    """Everything an episode needs, and its first event.

    Raises:
        InputError: an option of the specification is wrong; the message names it.
        InfrastructureError: the planner failed. (Where a model gave no wording or no thoughts, the run's policy raises
            why, so that its record can tell.)
        ReplyPendingError: a batch will bring what was asked for.
    """
    access = access or Access()
    policy = checked_policy(spec)
    task = spec.task
    simulator = acting_simulator(task)
    given = _given_wording(spec, policy)
    models = _models(spec, policy, given or template_wording(task.domain), given is None, access)
    expected = foreseen(spec, policy)
    limits = Limits(expected.steps, spec.budget_calls, spec.budget_tokens, spec.budget_usd, failures=spec.stop_after)
    # Before anything is paid for, as there may be none.
    solved = _example_problem(spec, policy)
    calls = ModelCalls(_asked(models, access), limits, access.budget)
    failure: Exception | None = None
    try:
        wording = with_negations(given or _worded(spec, calls), task.domain, spec.negation)
    except _NO_REPLY as error:
        failure, wording = error, template_wording(task.domain)
    example: Example | None = None
    if solved is not None:
        teller = Teller(solved.task, wording, _names(spec, solved.task, wording), cast(Style, spec.style))
        example = tell_example(solved, teller, thoughts=policy.thoughts)
        # A run that has no wording will not be played, and needs no thoughts.
        if failure is None and "thoughts" in models:
            model = calls.model("thoughts")
            try:
                example = think(example, teller.domain_text(), model, seed=spec.seed, temperature=spec.temperature)
            except _NO_REPLY as error:
                failure = error
    names = _names(spec, task, wording)
    setting_of_family, first_event = family_settings(spec, simulator, wording, access)
    setting = _setting(spec, simulator, wording, names, example, "translator" in models, setting_of_family)
    started = _started(spec, policy, models, limits, wording, names, example)
    started = msgspec.structs.replace(
        started,
        solvable=expected.solvable,
        settings={**started.settings, **first_event.pop("settings", {})},
        prompts={**started.prompts, **first_event.pop("prompts", {})},
        **first_event,
    )
    request = RequestSettings(spec.temperature, spec.seed, spec.max_tokens, spec.stream)
    return PreparedRun(policy if failure is None else _Broken(failure), setting, calls, limits, request, started)


def _setting(
    spec: RunSpec,
    simulator: Simulator,
    wording: Wording,
    names: Names,
    example: Example | None,
    translated: bool,
    of_family: Mapping[str, Any],
) -> Setting:
    task = spec.task
    reader = Reader(task, wording, names) if spec.style == "nl" else PDDLReader(simulator)
    translator: Translator | None = None
    if translated and isinstance(reader, Reader):
        opening = translation_opening(task, wording, names, spec.seed)
        translator = Translator(reader, wording, opening, cast(TranslatorMode, spec.translator))
    return Setting(
        simulator,
        Teller(task, wording, names, cast(Style, spec.style)),
        reader,
        spec.style,
        spec.reading,
        example,
        translator,
        on_ambiguous=spec.on_ambiguous,
        history=spec.history,
        feedback=spec.feedback,
        samples=spec.samples,
        rounds=spec.rounds,
        unsolvable=spec.unsolvable,
        constrain=spec.constrain,
        **of_family,
    )


def _given_wording(spec: RunSpec, policy: Policy) -> Wording | None:
    """The wording; None if a model makes it."""
    if isinstance(spec.wording, Wording):
        return spec.wording
    if spec.wording != "llm":
        return choose_wording(spec.wording, spec.task.domain)
    return None if policy.needs_model and spec.style == "nl" else template_wording(spec.task.domain)


def _names(spec: RunSpec, task: Task, wording: Wording) -> Names:
    return make_names(task, spec.names if spec.style == "nl" else "original", wording, seed=spec.names_seed)


def _worded(spec: RunSpec, calls: ModelCalls) -> Wording:
    model = calls.model("wording")
    worded = word_domain(
        spec.task.domain, model, seed=spec.seed, temperature=spec.temperature, max_tokens=WORDING_TOKENS
    )
    # Without its date: what a run says must not depend on the day, and the record has its own.
    source = {key: value for key, value in worded.wording.source.items() if key != "date"}
    return replace(worded.wording, source=source)


# ── models ───────────────────────────────────────────────────────────────────────────────────────


def _models(spec: RunSpec, policy: Policy, wording: Wording, worded_by_model: bool, access: Access) -> _Models:
    if not policy.needs_model:
        return {}
    planner = _made(spec, spec.model, wording, access)
    chosen: dict[Purpose, str | Model] = {"planner": spec.model}
    if spec.translator != "reader":
        chosen["translator"] = _no_oracle(spec.translator_model or spec.model, f"--translator {spec.translator}")
    if (thinking := _thoughts_model(spec, policy, planner)) is not None:
        chosen["thoughts"] = thinking
    if spec.body_model is not None:
        chosen["body"] = spec.body_model
    if spec.replanner_model is not None:
        chosen["replanner"] = spec.replanner_model
    if worded_by_model:
        chosen["wording"] = _no_oracle(spec.wording_model or spec.model, "--wording llm")
    # The same object if it is the planner's model: a script continues where it is, in every role.
    models = {
        role: planner if model is spec.model else _made(spec, model, wording, access) for role, model in chosen.items()
    }
    if spec.constrain != "off" and planner.base_url is None and not hasattr(planner.model, "purposes"):
        raise InputError(f"--constrain is for models behind an endpoint; '{planner.model.name}' has none")
    behind_endpoint = any(made.base_url is not None for made in models.values())
    if spec.base_url is not None and not behind_endpoint and spec.embedding_model is None:
        raise InputError(f"--base-url is for models behind an endpoint; '{planner.model.name}' has none")
    return models


def _thoughts_model(spec: RunSpec, policy: Policy, planner: MadeModel) -> str | Model | None:
    """The model of the example's thoughts; None if the template's are shown, or none."""
    if not policy.thoughts or spec.example == "none" or spec.thoughts == "template":
        return None
    if spec.thoughts == "llm" or spec.thoughts_model is not None:
        return _no_oracle(spec.thoughts_model or spec.model, f"--thoughts {spec.thoughts}")
    # Oracle and script have nothing to say about it, a replay what was recorded.
    recorded = "thoughts" in getattr(planner.model, "purposes", ())
    return spec.model if spec.style == "nl" and (recorded or planner.base_url is not None) else None


def _no_oracle(chosen: str | Model, option: str) -> str | Model:
    name = chosen if isinstance(chosen, str) else chosen.name
    if name.partition(":")[0] == "oracle":
        role = option.split()[0].removeprefix("--")
        raise InputError(
            f"{option}: the oracle plans in the words of the wording and does nothing else, so it can neither word a "
            f"domain, nor think about an example, nor translate; name a model that can by --{role}-model M"
        )
    return chosen


def _made(spec: RunSpec, model: str | Model, wording: Wording, access: Access) -> MadeModel:
    if isinstance(model, str):
        context = ModelContext(spec.task.domain, wording, spec.base_url, access, spec.timeout)
        made = make_model(model, context)
    else:
        made = wrap_model(model)
    if spec.budget_usd is not None and not made.priced:
        raise ModelConfigurationError(
            f"--budget-usd needs to know what tokens cost, and for the model '{made.model.name}' this is not known; "
            "bound the run with --budget-tokens or --budget-calls, or give its price in a file for --models"
        )
    return made


def _asked(models: _Models, access: Access) -> dict[Purpose, PricedModel]:
    # One object for one model, whatever its roles: what is put before it must see all of its calls.
    before = {id(made.model): access.before(made.model) for made in models.values()}
    return {role: PricedModel(before[id(made.model)], made.price_of) for role, made in models.items()}


# ── the example ──────────────────────────────────────────────────────────────────────────────────


def _example_problem(spec: RunSpec, policy: Policy) -> SolvedProblem | None:
    """The example's problem; None without an example."""
    asking = asking_policy(spec.policy_name)
    family = family_of(asking)
    if not policy.needs_model or (family is not None and not family.takes(asking, "example")):
        return None
    if spec.example == "none":
        if spec.example_plan is not None:
            raise InputError("--example-plan FILE needs the problem that it solves: --example PROBLEM, not none")
        return None
    return find_example(spec.task, given=spec.example, plan_path=spec.example_plan, seed=spec.seed)


# ── the first event ──────────────────────────────────────────────────────────────────────────────


def _started(
    spec: RunSpec,
    policy: Policy,
    models: _Models,
    limits: Limits,
    wording: Wording,
    names: Names,
    example: Example | None,
) -> Started:
    domain, problem = spec.task.domain, spec.task.problem
    domain_pddl = domain.source.text if domain.source is not None else write_domain(domain)
    problem_pddl = problem_text(problem)
    planner = models.get("planner")
    model_names = {role: made.model.name for role, made in models.items()}
    return Started(
        policy=spec.policy_name,
        suite=spec.suite,
        task=spec.task_name,
        model=model_names.get("planner", "none"),
        seed=spec.seed,
        domain=domain.name,
        problem=problem.name,
        domain_pddl=domain_pddl,
        problem_pddl=problem_pddl,
        domain_sha256=sha256(domain_pddl),
        problem_sha256=sha256(problem_pddl),
        domain_file=domain.source.name if domain.source is not None else "",
        problem_file=problem.source.name if problem.source is not None else "",
        style=spec.style,
        translator=spec.translator,
        translator_model=model_names.get("translator"),
        reading=spec.reading,
        reading_version=READING_POLICIES[spec.reading].version,
        on_ambiguous=spec.on_ambiguous,
        names_scheme=names.scheme,
        names_seed=spec.names_seed,
        names=dict(names.to_nl),
        wording=wording.to_json() if spec.style == "nl" else None,
        limits=limits.to_json(),
        settings={
            "temperature": spec.temperature,
            "max_tokens": spec.max_tokens,
            "wording_tokens": WORDING_TOKENS,
            "thoughts_tokens": THOUGHTS_TOKENS,
            "translator_tokens": TRANSLATOR_TOKENS,
        },
        prompts=_prompt_hashes(spec, policy, models),
        example=None if example is None else example.to_json(),
        base_url=None if planner is None else planner.base_url,
        versions=_versions(planner, policy, models),
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        model_settings={} if planner is None else planner.settings,
        profile=spec.profile,
        beyond_paper=beyond_paper(spec),
        wording_model=model_names.get("wording"),
        thoughts_model=model_names.get("thoughts"),
        body_model=model_names.get("body"),
        replanner_model=model_names.get("replanner"),
    )


def _prompt_hashes(spec: RunSpec, policy: Policy, models: _Models) -> dict[str, str]:
    names = [prompt_file(policy.prompt, spec.style), "problem.txt"] if policy.prompt is not None else []
    names += [TRANSLATOR_PROMPT] if "translator" in models else []
    names += THOUGHTS_PROMPTS if "thoughts" in models else ()
    names += [CORRECTION_PROMPT] if spec.rounds > 0 else []
    names += [no_plan_file(policy.one_shot)] if spec.unsolvable == "tell" else []
    return {name: prompt_hash(name) for name in names}


def _versions(planner: MadeModel | None, policy: Policy, models: _Models) -> dict[str, str]:
    packages = ["pddl2nl", "up-fast-downward"]
    if planner is not None and planner.base_url is not None:
        packages.append("openai")
    if planner is not None and planner.model.name.startswith("gguf:"):
        packages.append("xllamacpp")
    versions = {"python": platform.python_version()}
    versions |= {package: version for package in packages if (version := _version(package)) is not None}
    for plugged in (origin(type(policy).__module__), *(made.versions for made in models.values())):
        versions |= plugged
    return versions


@lru_cache
def _version(package: str) -> str | None:
    # Read once: a package's metadata take a millisecond, and an experiment has thousands of runs.
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None

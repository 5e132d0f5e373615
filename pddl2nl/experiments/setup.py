"""Prepares a run: everything that its episode needs, from its specification."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from importlib import metadata
from typing import cast

from msgspec.structs import replace as changed

from pddl2nl.errors import InputError
from pddl2nl.experiments.access import Access
from pddl2nl.experiments.choices import beyond_paper, checked_policy
from pddl2nl.experiments.example import SolvedProblem, find_example, problem_text, tell_example
from pddl2nl.experiments.family_runs import family_settings
from pddl2nl.experiments.models import MadeModel, ModelContext, make_model, wrap_model
from pddl2nl.experiments.plans import ff_plan
from pddl2nl.experiments.solvability import foreseen
from pddl2nl.experiments.spec import RunSpec
from pddl2nl.experiments.thoughts import THOUGHTS_PROMPTS, THOUGHTS_TOKENS, think
from pddl2nl.llm import EndpointError, Model, ModelConfigurationError, Purpose, ReplayError
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
from pddl2nl.policies import Episode, Example, Limits, Policy, RequestSettings, Setting
from pddl2nl.policies.budget import LimitReachedError, ModelCalls, PricedModel
from pddl2nl.policies.episode import TRANSLATOR_TOKENS
from pddl2nl.policies.events import Started
from pddl2nl.policies.families import family_of
from pddl2nl.policies.pddl_reading import PDDLReader
from pddl2nl.policies.prompting import CORRECTION_PROMPT, no_plan_file, prompt_file, prompt_hash
from pddl2nl.policies.translating import Translator, TranslatorMode
from pddl2nl.policies.translation_prompt import TRANSLATOR_PROMPT, translation_opening
from pddlval import Simulator

__all__ = ["Prepared", "ff_plan", "prepare"]

WORDING_TOKENS = 200
"""How long replies may be when a domain is worded (appendix A of the paper)."""


@dataclass(frozen=True)
class Prepared:
    """A run ready to be played. ``calls`` has made the calls for wording and thoughts already, if any."""

    policy: Policy
    setting: Setting
    calls: ModelCalls
    limits: Limits
    request: RequestSettings
    started: Started


_NO_REPLY = (EndpointError, ReplayError, LimitReachedError)
"""Why the calls before a run, for its wording and thoughts, can have come to nothing."""


class _Broken:
    """Replaces the policy of a run that got no wording or thoughts, so that its record says so."""

    summary = "ends at once"
    styles: tuple[str, ...] = ("nl", "pddl")
    one_shot = False
    thoughts = False
    needs_model = False
    prompt: str | None = None

    def __init__(self, failure: Exception):
        self._failure = failure

    def run(self, episode: Episode) -> None:
        """Raises what happened before the episode began."""
        raise self._failure


@dataclass(frozen=True)
class _Roles:
    """The models by role; None for roles without a model."""

    planner: MadeModel | None = None
    translator: MadeModel | None = None
    thoughts: MadeModel | None = None
    wording: MadeModel | None = None

    def asked(self, access: Access) -> dict[Purpose, PricedModel]:
        """The models as they are asked."""
        made: dict[Purpose, MadeModel | None] = {
            "planner": self.planner,
            "translator": self.translator,
            "thoughts": self.thoughts,
            "wording": self.wording,
        }
        # One object for one model, whatever its roles: what is put before it must see all of its calls.
        before = {id(each.model): access.before(each.model) for each in made.values() if each is not None}
        return {
            purpose: PricedModel(before[id(each.model)], each.price_of)
            for purpose, each in made.items()
            if each is not None
        }


def prepare(spec: RunSpec, access: Access | None = None) -> Prepared:
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
    simulator = Simulator(task)
    given = _given_wording(spec, policy)
    roles = _roles(spec, policy, given, access)
    foreknown = foreseen(spec, policy)
    limits = Limits(foreknown.steps, spec.budget_calls, spec.budget_tokens, spec.budget_usd, failures=spec.stop_after)
    # Before anything is paid for, as there may be none.
    solved = _solved(spec, policy)
    calls = ModelCalls(roles.asked(access), limits, access.budget)
    failure: Exception | None = None
    try:
        wording = with_negations(given or _worded(spec, calls), task.domain, spec.negation)
    except _NO_REPLY as error:
        failure, wording = error, template_wording(task.domain)
    names = _names(spec, task, wording)
    teller = Teller(task, wording, names, cast(Style, spec.style))
    try:
        # A run that has no wording will not be played, and needs no thoughts.
        thinks = failure is None and roles.thoughts is not None
        example = _example(spec, policy, solved, wording, calls if thinks else None)
    except _NO_REPLY as error:
        failure, example = error, _example(spec, policy, solved, wording, None)
    more = family_settings(spec, simulator, wording, access)
    reader = Reader(task, wording, names) if spec.style == "nl" else PDDLReader(simulator)
    translator: Translator | None = None
    if _translates(spec, policy) and isinstance(reader, Reader):
        opening = translation_opening(task, wording, names, spec.seed)
        translator = Translator(reader, wording, opening, cast(TranslatorMode, spec.translator))
    setting = Setting(
        simulator,
        teller,
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
        **more.setting,
    )
    request = RequestSettings(spec.temperature, spec.seed, spec.max_tokens)
    started = _started(spec, policy, roles, limits, request, wording, names, example)
    started = changed(
        started,
        solvable=foreknown.solvable,
        settings={**started.settings, **more.settings},
        reference=more.reference,
        world=more.world,
        prompts={**started.prompts, **more.prompts},
    )
    return Prepared(policy if failure is None else _Broken(failure), setting, calls, limits, request, started)


def _wording(spec: RunSpec) -> Wording:
    if isinstance(spec.wording, Wording):
        return spec.wording
    return choose_wording(spec.wording, spec.task.domain)


def _given_wording(spec: RunSpec, policy: Policy) -> Wording | None:
    """The wording, if no model makes it; else None."""
    if spec.wording != "llm":
        return _wording(spec)
    needed = policy.needs_model and spec.style == "nl"
    return None if needed else template_wording(spec.task.domain)


def _names(spec: RunSpec, task: Task, wording: Wording) -> Names:
    return make_names(task, spec.names if spec.style == "nl" else "original", wording, seed=spec.names_seed)


def _translates(spec: RunSpec, policy: Policy) -> bool:
    return policy.needs_model and spec.translator != "reader"


def _roles(spec: RunSpec, policy: Policy, given: Wording | None, access: Access) -> _Roles:
    """The models of a run; ``given`` is None where one of them makes the wording."""
    if not policy.needs_model:
        return _Roles()
    wording = given or template_wording(spec.task.domain)
    words = _no_oracle(spec.wording_model or spec.model, "--wording llm") if given is None else None
    planner = _made(spec, spec.model, wording, access)
    translates = None
    if _translates(spec, policy):
        translates = _no_oracle(spec.translator_model or spec.model, f"--translator {spec.translator}")

    thinks = _thinks(spec, policy, planner)

    def other(chosen: str | Model | None) -> MadeModel | None:
        # The same object if it is the planner's model: a script continues where it is, in every role.
        return planner if chosen is spec.model or chosen is None else _made(spec, chosen, wording, access)

    roles = _Roles(
        planner,
        None if translates is None else other(translates),
        None if thinks is None else other(thinks),
        None if words is None else other(words),
    )
    asked = (roles.planner, roles.translator, roles.thoughts, roles.wording)
    behind = [made for made in asked if made is not None and made.base_url is not None]
    if spec.base_url is not None and not behind and spec.embedding_model is None:
        raise InputError(f"--base-url is for models behind an endpoint; '{planner.model.name}' has none")
    return roles


def _thinks(spec: RunSpec, policy: Policy, planner: MadeModel) -> str | Model | None:
    """The request for the example's thoughts; None if the template's are shown, or none."""
    if not policy.thoughts or spec.example == "none" or spec.thoughts == "template":
        return None
    if spec.style == "pddl" and spec.thoughts == "auto" and spec.thoughts_model is None:
        return None
    if spec.thoughts == "llm" or spec.thoughts_model is not None:
        return _no_oracle(spec.thoughts_model or spec.model, f"--thoughts {spec.thoughts}")
    # Oracle and script have nothing to say about it, a replay what was recorded.
    recorded = "thoughts" in getattr(planner.model, "purposes", ())
    return spec.model if recorded or planner.base_url is not None else None


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
        made = make_model(
            model, ModelContext(spec.task.domain, wording, spec.style, spec.base_url, access, spec.timeout)
        )
    else:
        made = wrap_model(model)
    name = made.model.name
    if spec.budget_usd is not None and not made.priced:
        raise ModelConfigurationError(
            f"--budget-usd needs to know what tokens cost, and for the model '{name}' this is not known; "
            "bound the run with --budget-tokens or --budget-calls, or give its price in a file for --models"
        )
    return made


def _worded(spec: RunSpec, calls: ModelCalls) -> Wording:
    worded = word_domain(
        spec.task.domain,
        calls.model("wording"),
        seed=spec.seed,
        temperature=spec.temperature,
        max_tokens=WORDING_TOKENS,
    )
    # Without its date: what a run says must not depend on the day, and the record has its own.
    source = {key: value for key, value in worded.wording.source.items() if key != "date"}
    return replace(worded.wording, source=source)


# ── what a planner is needed for ─────────────────────────────────────────────────────────────────


def _solved(spec: RunSpec, policy: Policy) -> SolvedProblem | None:
    """The example's problem; None without an example."""
    if not policy.needs_model or family_of(spec.policy) is not None:
        return None
    if spec.example == "none":
        if spec.example_plan is not None:
            raise InputError("--example-plan FILE needs the problem that it solves: --example PROBLEM, not none")
        return None
    return find_example(spec.task, given=spec.example, plan_path=spec.example_plan, seed=spec.seed)


def _example(
    spec: RunSpec, policy: Policy, solved: SolvedProblem | None, wording: Wording, calls: ModelCalls | None
) -> Example | None:
    """The example in words, with thoughts of the model that ``calls`` asks; None for those of the template."""
    if solved is None:
        return None
    names = _names(spec, solved.task, wording)
    teller = Teller(solved.task, wording, names, cast(Style, spec.style))
    example = tell_example(solved, teller, thoughts=policy.thoughts)
    if calls is None:
        return example
    model = calls.model("thoughts")
    return think(example, teller.domain_text(), model, seed=spec.seed, temperature=spec.temperature)


# ── the first event ──────────────────────────────────────────────────────────────────────────────


def _started(
    spec: RunSpec,
    policy: Policy,
    roles: _Roles,
    limits: Limits,
    request: RequestSettings,
    wording: Wording,
    names: Names,
    example: Example | None,
) -> Started:
    domain, problem = spec.task.domain, spec.task.problem
    domain_pddl = domain.source.text if domain.source is not None else write_domain(domain)
    problem_pddl = problem_text(problem)
    made, translator = roles.planner, roles.translator
    prompts = [prompt_file(policy.prompt, spec.style), "problem.txt"] if policy.prompt is not None else []
    prompts += [TRANSLATOR_PROMPT] if translator is not None else []
    prompts += THOUGHTS_PROMPTS if roles.thoughts is not None else ()
    prompts += [CORRECTION_PROMPT] if spec.rounds > 0 else []
    prompts += [no_plan_file(policy.one_shot)] if spec.unsolvable == "tell" else []
    return Started(
        policy=spec.policy,
        suite=spec.suite,
        task=spec.task_name,
        model="none" if made is None else made.model.name,
        seed=spec.seed,
        domain=domain.name,
        problem=problem.name,
        domain_pddl=domain_pddl,
        problem_pddl=problem_pddl,
        domain_sha256=_sha256(domain_pddl),
        problem_sha256=_sha256(problem_pddl),
        domain_file=domain.source.name if domain.source is not None else "",
        problem_file=problem.source.name if problem.source is not None else "",
        style=spec.style,
        translator=spec.translator,
        translator_model=None if translator is None else translator.model.name,
        reading=spec.reading,
        reading_version=READING_POLICIES[spec.reading].version,
        on_ambiguous=spec.on_ambiguous,
        names_scheme=names.scheme,
        names_seed=spec.names_seed,
        names=dict(names.to_nl),
        wording=wording.to_json() if spec.style == "nl" else None,
        limits=limits.to_json(),
        settings={
            "temperature": request.temperature,
            "max_tokens": request.max_tokens,
            "wording_tokens": WORDING_TOKENS,
            "thoughts_tokens": THOUGHTS_TOKENS,
            "translator_tokens": TRANSLATOR_TOKENS,
        },
        prompts={name: prompt_hash(name) for name in prompts},
        example=None if example is None else example.to_json(),
        base_url=None if made is None else made.base_url,
        versions=_versions(made),
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        model_settings={} if made is None else made.settings,
        profile=spec.profile,
        beyond_paper=beyond_paper(spec),
        wording_model=None if roles.wording is None else roles.wording.model.name,
        thoughts_model=None if roles.thoughts is None else roles.thoughts.model.name,
    )


def _versions(made: MadeModel | None) -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for package in ("pddl2nl", "up-fast-downward", "openai"):
        if package == "openai" and (made is None or made.base_url is None):
            continue
        version = _version(package)
        if version is not None:
            versions[package] = version
    return versions


@lru_cache
def _version(package: str) -> str | None:
    # Read once: a package's metadata take a millisecond, and an experiment has thousands of runs.
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

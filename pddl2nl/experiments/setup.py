"""From the specification of a run to everything its episode is made of."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from importlib import metadata
from typing import cast

from pddl2nl.errors import InfrastructureError, InputError, MissingExtraError
from pddl2nl.experiments.example import find_example, problem_text, tell_example
from pddl2nl.experiments.models import MadeModel, ModelContext, make_model, wrap_model
from pddl2nl.experiments.spec import RunSpec
from pddl2nl.llm import Model, ModelConfigurationError, Purpose
from pddl2nl.nl import READING_POLICIES, Names, Reader, Style, Teller, Wording, choose_wording, make_names
from pddl2nl.pddl import Task, write_domain, write_problem
from pddl2nl.policies import POLICIES, Example, Limits, Policy, RequestSettings, Setting
from pddl2nl.policies.budget import Asked
from pddl2nl.policies.events import Started
from pddl2nl.policies.pddl_reading import PDDLReader
from pddl2nl.policies.prompting import prompt_file, prompt_hash
from pddl2nl.policies.translating import TRANSLATORS, Translator, TranslatorMode
from pddl2nl.policies.translation_prompt import TRANSLATOR_PROMPT, translation_opening
from pddl2nl.policies.understanding import ON_AMBIGUOUS
from validators import GroundAction, Simulator

__all__ = ["Prepared", "ff_plan", "prepare"]

FF_SECONDS = 300
"""How long FF may take for a step limit or an example, in whole seconds of CPU time."""

OPTIMAL_SECONDS = 10
"""How long the search for an optimal plan of a shipped example may take; they are small."""


@dataclass(frozen=True)
class Prepared:
    """A run ready to be played; ``made`` is None for policies that ask no model, ``translating`` where the run's own
    model translates, or none does."""

    policy: Policy
    setting: Setting
    made: MadeModel | None
    limits: Limits
    request: RequestSettings
    started: Started
    translating: MadeModel | None = None

    @property
    def others(self) -> Mapping[Purpose, Asked]:
        """The models that are asked for other purposes than the planner's."""
        made = self.translating
        return {} if made is None else {"translator": Asked(made.model, made.price_of)}


def prepare(spec: RunSpec) -> Prepared:
    """Everything an episode needs, and its first event.

    Raises:
        InputError: the specification asks for what there is not; the message names the option.
        InfrastructureError: the planner failed.
    """
    policy = _policy(spec)
    task = spec.task
    simulator = Simulator(task)
    wording = _wording(spec)
    names = _names(spec, task, wording)
    teller = Teller(task, wording, names, cast(Style, spec.style))
    made = _model(spec, policy, wording)
    translating = _translator_model(spec, policy, wording)
    limits = Limits(_steps(spec, policy), spec.max_calls, spec.max_tokens, spec.max_usd)
    example = _example(spec, policy, wording)
    reader = Reader(task, wording, names) if spec.style == "nl" else PDDLReader(simulator)
    translator: Translator | None = None
    if _translates(spec, policy) and isinstance(reader, Reader):
        opening = translation_opening(task, wording, names, spec.seed)
        translator = Translator(reader, wording, opening, cast(TranslatorMode, spec.translator))
    setting = Setting(
        simulator, teller, reader, spec.style, spec.reading, example, translator, on_ambiguous=spec.on_ambiguous
    )
    request = RequestSettings(spec.temperature, spec.seed)
    started = _started(spec, policy, (made, translating), limits, request, wording, names, example)
    return Prepared(policy, setting, made, limits, request, started, translating)


def _policy(spec: RunSpec) -> Policy:
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
    ):
        if value not in known:
            raise InputError(f"{option} {value}: no such choice; there are {', '.join(known)}")
    if spec.style == "pddl" and spec.translator != "reader":
        raise InputError(
            f"--translator {spec.translator}: in style pddl the model writes PDDL, and there is nothing to translate"
        )
    return policy


def _wording(spec: RunSpec) -> Wording:
    if isinstance(spec.wording, Wording):
        return spec.wording
    return choose_wording(spec.wording, spec.task.domain)


def _names(spec: RunSpec, task: Task, wording: Wording) -> Names:
    return make_names(task, spec.names if spec.style == "nl" else "original", wording, seed=spec.names_seed)


def _translates(spec: RunSpec, policy: Policy) -> bool:
    return policy.needs_model and spec.translator != "reader"


def _translator_model(spec: RunSpec, policy: Policy, wording: Wording) -> MadeModel | None:
    """The T-LLM's model, where it is not the run's own."""
    if not _translates(spec, policy):
        return None
    chosen = spec.model if spec.translator_model is None else spec.translator_model
    name = chosen if isinstance(chosen, str) else chosen.name
    if name.partition(":")[0] == "oracle":
        raise InputError(
            f"--translator {spec.translator}: the oracle speaks the wording and no PDDL, so it cannot translate; "
            "name a model that can by --translator-model M"
        )
    return None if spec.translator_model is None else _made(spec, spec.translator_model, wording)


def _model(spec: RunSpec, policy: Policy, wording: Wording) -> MadeModel | None:
    if not policy.needs_model:
        return None
    made = _made(spec, spec.model, wording)
    if spec.base_url is not None and made.base_url is None:
        raise InputError(f"--base-url is for models behind an endpoint; '{made.model.name}' has none")
    return made


def _made(spec: RunSpec, model: str | Model, wording: Wording) -> MadeModel:
    if isinstance(model, str):
        made = make_model(model, ModelContext(spec.task.domain, wording, spec.style, spec.base_url))
    else:
        made = wrap_model(model)
    name = made.model.name
    if spec.max_usd is not None and not made.priced:
        raise ModelConfigurationError(
            f"--max-usd needs to know what tokens cost, and for the model '{name}' this is not known; "
            "bound the run with --max-tokens or --max-calls"
        )
    return made


# ── what a planner is needed for ─────────────────────────────────────────────────────────────────


def _steps(spec: RunSpec, policy: Policy) -> int | None:
    if spec.steps is not None or policy.one_shot:
        return spec.steps
    # Twice FF's plan, as in the paper; at least one, so that a goal that holds at once leaves a valid limit.
    return max(1, 2 * len(ff_plan(spec.task, "the step limit by --steps N")))


def _example(spec: RunSpec, policy: Policy, wording: Wording) -> Example | None:
    if not policy.needs_model:
        return None
    if spec.example == "none":
        if spec.example_plan is not None:
            raise InputError("--example-plan FILE needs the problem that it solves: --example PROBLEM, not none")
        return None
    advice = "a solved problem by --example PROBLEM with --example-plan FILE (or take none by --example none)"
    solved = find_example(
        spec.task,
        lambda task: ff_plan(task, advice),
        lambda task: _optimal_plan(task) or ff_plan(task, advice),
        problem_path=spec.example,
        plan_path=spec.example_plan,
        seed=spec.seed,
    )
    names = _names(spec, solved.task, wording)
    teller = Teller(solved.task, wording, names, cast(Style, spec.style))
    return tell_example(solved, teller, thoughts=policy.thoughts)


def _optimal_plan(task: Task) -> tuple[GroundAction, ...] | None:
    try:
        return _plan(write_domain(task.domain), write_problem(task.problem), "lmcut", OPTIMAL_SECONDS)
    except (MissingExtraError, _NoPlanError):
        return None


def ff_plan(task: Task, advice: str) -> tuple[GroundAction, ...]:
    """FF's plan; ``advice`` names what the user can give instead where there is none.

    Raises:
        InputError: the planner is missing, does not take the task, or found no plan.
        InfrastructureError: the planner failed.
    """
    try:
        return _plan(write_domain(task.domain), write_problem(task.problem), "ff", FF_SECONDS)
    except MissingExtraError as error:
        raise InputError(f"{error}; without a planner, give {advice}") from error
    except _NoPlanError as error:
        raise InputError(f"problem '{task.problem.name}': {error}; give {advice}") from error


class _NoPlanError(Exception):
    pass


@lru_cache(maxsize=1024)
def _plan(domain: str, problem: str, planner: str, seconds: int) -> tuple[GroundAction, ...]:
    # Remembered by the texts: an experiment asks for the same plans again for every policy, model and seed.
    from pddl2nl.baselines import TaskTexts, solve

    result = solve(TaskTexts(domain, problem), planner, time_limit=seconds)
    if result.status == "error":
        raise InfrastructureError(f"Fast Downward failed: {result.message}")
    if result.plan is None:
        raise _NoPlanError(f"{planner} found no plan ({result.status}: {result.message})")
    return result.plan


# ── the first event ──────────────────────────────────────────────────────────────────────────────


def _started(
    spec: RunSpec,
    policy: Policy,
    models: tuple[MadeModel | None, MadeModel | None],
    limits: Limits,
    request: RequestSettings,
    wording: Wording,
    names: Names,
    example: Example | None,
) -> Started:
    domain, problem = spec.task.domain, spec.task.problem
    domain_pddl = domain.source.text if domain.source is not None else write_domain(domain)
    problem_pddl = problem_text(problem)
    made, translating = models
    translator = (translating or made) if _translates(spec, policy) else None
    prompts = [prompt_file(policy.prompt, spec.style), "problem.txt"] if policy.prompt is not None else []
    prompts += [TRANSLATOR_PROMPT] if translator is not None else []
    return Started(
        policy=spec.policy,
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
        settings={"temperature": request.temperature, "max_tokens": request.max_tokens},
        prompts={name: prompt_hash(name) for name in prompts},
        example=None if example is None else example.to_json(),
        base_url=None if made is None else made.base_url,
        versions=_versions(made),
        time=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _versions(made: MadeModel | None) -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for package in ("pddl2nl", "up-fast-downward", "openai"):
        if package == "openai" and (made is None or made.base_url is None):
            continue
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return versions


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

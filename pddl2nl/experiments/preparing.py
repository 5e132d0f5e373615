"""Prepares a run: from its description to an episode that can be played, in `prepare_run`.

Before that, `checked_policy` checks all choices: a record must not name a setting that did nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, cast

import msgspec

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.experiments.example import THOUGHTS_PROMPTS, find_example, tell_example, think
from pddl2nl.experiments.models import Access, MadeModel, ModelContext, make_model, wrap_model
from pddl2nl.experiments.planners import PACKAGES, foreseen, versions_of
from pddl2nl.files import read_text
from pddl2nl.llm import EndpointError, Model, ModelConfigurationError, Purpose, ReplayError
from pddl2nl.nl import (
    Reader,
    Style,
    Teller,
    Wording,
    choose_wording,
    make_names,
    template_wording,
    word_domain,
)
from pddl2nl.nl.wording.negation import with_negations
from pddl2nl.pddl import Domain, Task
from pddl2nl.plugins import origin, systems
from pddl2nl.policies import Episode, Example, Limits, Policy, RequestSettings, Setting, make_policy, policies
from pddl2nl.policies.budget import LimitReachedError, ModelCalls, PricedModel
from pddl2nl.policies.events import RunEvent, Started
from pddl2nl.policies.pddl_reading import PDDLReader
from pddl2nl.policies.policy import LEVELS
from pddl2nl.policies.setting import NO_EXAMPLE, NOT_MADE, RecordedText, SolvedProblem, started_of
from pddl2nl.policies.spec import RUN_OPTIONS, Option, RunSpec
from pddl2nl.policies.translating import LineTranslator, ReplyTranslator, Translator, TranslatorMode
from pddl2nl.policies.translation_prompt import (
    REPLY_PROMPT,
    TRANSLATOR_PROMPT,
    pddl_lines,
    reply_opening,
    translation_opening,
)
from pddl2nl.tasks import match_shipped
from pddl2nl.tasks.reference_files import Form
from pddl2nl.tasks.references import reference_of
from pddlval import acting_simulator

WORDING_TOKENS = 200
"""How long replies may be when a domain is worded (appendix A of the paper)."""

EMBEDDING = "embedding"
"""The role of a model whose vectors compare words; its calls are not counted."""

_WITHOUT_EXAMPLE = (
    "no few-shot example could be made from {} (a walk from its initial state finds no other goal), so its runs show "
    "none; name a problem with --example PROBLEM"
)

_NO_REPLY = (EndpointError, ReplayError, LimitReachedError)
"""Why the calls before a run, for its wording and thoughts, can have come to nothing."""

_Models = Mapping[Purpose, MadeModel]
"""The models of a run by role; roles without a model are left out."""


def prepare_run(
    spec: RunSpec, access: Access | None, begin: Callable[[Started], Callable[[RunEvent], None]]
) -> Episode:
    """The episode of a run; ``episode.play()`` plays it.

    ``access`` says how its models are reached; ``begin`` is given the first event, and returns what gets all others.

    Raises:
        InputError: an option of the specification is wrong; the message names it.
        InfrastructureError: the planner failed. (Where a model gave no wording or no thoughts, the episode ends with
            the reason, so that its record can tell.)
        ReplyPendingError: a batch will bring what was asked for.
    """
    access = access or Access()
    policy = checked_policy(spec)
    # What can be refused is read before anything is paid for.
    files, prompts = _files(policy, spec), _prompts(spec)
    task_text, reference = _told_task(policy, spec.task)
    simulator = acting_simulator(spec.task)
    policy, executor = policy.in_world(simulator, spec.seed)
    given = _given_wording(spec, policy)
    models = _models(spec, policy, given, access)
    steps, solvable = foreseen(spec, policy)
    spec = replace(spec, steps=steps)
    solved = _example_problem(spec, policy)
    if solved is None and spec.example is None and _shows_example(spec, policy):
        access.warn(_WITHOUT_EXAMPLE.format(spec.task.problem.name))
        spec = replace(spec, example=NOT_MADE)
    limits = Limits(steps, spec.budget_calls, spec.budget_tokens, spec.budget_usd)
    calls = _calls(models, limits, access)
    wording, example, failure = _told(spec, policy, given, solved, calls, thinks="thoughts" in models)
    if example is not None and example.thoughts_note:
        access.warn(f"the example's thoughts are the template's: {example.thoughts_note}")
    teller = _teller(spec, policy, spec.task, wording)
    reader = Reader(spec.task, wording, teller.names) if spec.style == "nl" else PDDLReader(simulator)
    setting = Setting(
        spec=spec,
        simulator=simulator,
        teller=teller,
        reader=reader,
        example=example,
        translator=_translator(spec, reader, teller) if "translator" in models else None,
        executor=executor,
        task_text=task_text,
        files={name: file.value for name, file in files.items()},
        prompts=prompts,
        embed=cast(Any, models[EMBEDDING].model).embed if EMBEDDING in models else None,
        policy=policy,
    )
    started = started_of(
        setting,
        msgspec.to_builtins(policy),
        {name: file.text for name, file in files.items()},
        world=policy.snapshot(spec.task),
        prompts=_prompt_hashes(policy, prompts, models),
        solvable=solvable,
        reference=reference,
        **_answering(policy, models),
    )
    request = RequestSettings(spec.temperature, spec.seed, spec.max_tokens, spec.stream)
    return Episode(setting, calls, limits=limits, seed=spec.seed, request=request, emit=begin(started), failure=failure)


def _prompts(spec: RunSpec) -> dict[str, str]:
    """The texts that replace prompts of the policy."""
    return {
        name: str(path) if isinstance(path, RecordedText) else read_text(Path(path), "prompt").strip()
        for name, path in spec.prompts.items()
    }


def _told_task(policy: Policy, task: Task) -> tuple[str, dict[str, Any]]:
    """The task in words, empty for its goal, and what is known of the task, for the record."""
    reference = reference_of(task)
    text = policy.proposing.told_task(reference)
    if reference is None:
        return text, {}
    measured = reference.to_json(cast(Form, getattr(policy, "form", "goal")))
    return text, measured if getattr(policy, "task_text", None) is None else {**measured, "text": text}


def _calls(models: _Models, limits: Limits, access: Access) -> ModelCalls:
    # One object for one model in all its roles: what is put before it must see all of its calls.
    asked = {id(made.model): access.before(made.model) for made in models.values()}
    priced = {role: PricedModel(asked[id(made.model)], made.price_of) for role, made in models.items()}
    return ModelCalls(priced, limits, access.budget)


def _translator(spec: RunSpec, reader: Reader | PDDLReader, teller: Teller) -> Translator | None:
    """The T-LLM; None where actions are told in PDDL, which needs no translation."""
    if not isinstance(reader, Reader):
        return None
    if spec.translator == "llm":
        told = partial(reply_opening, spec.task, teller.wording, teller.names)
        return ReplyTranslator(reader, told, partial(pddl_lines, spec.task, teller.names))
    opening = partial(translation_opening, spec.task, teller.wording, teller.names, spec.seed)
    return LineTranslator(reader, teller.wording, opening, cast(TranslatorMode, spec.translator))


# ── what the first event says ────────────────────────────────────────────────────────────────────────


def _prompt_hashes(policy: Policy, prompts: Mapping[str, str], models: _Models) -> dict[str, str]:
    """The hashes of all prompts that the run may use; ``prompts`` replace some of them."""
    shown = policy.prompts.replacing(prompts)
    names = [*policy.prompt_names, *([TRANSLATOR_PROMPT, REPLY_PROMPT] if "translator" in models else ())]
    names += THOUGHTS_PROMPTS if "thoughts" in models else ()
    return {name: shown.hash(name) for name in names if name in shown.names()}


def _answering(policy: Policy, models: _Models) -> dict[str, Any]:
    """Who answers: models, the settings and address of the main one, and the versions of packages."""
    planner = models.get("planner")
    packages = [*PACKAGES]
    if planner is not None and planner.base_url is not None:
        packages.append("openai")
    if planner is not None and planner.model.name.startswith("gguf:"):
        packages.append("xllamacpp")
    versions = versions_of(*packages)
    for made in models.values():
        versions.update({**origin(type(made.model).__module__), **made.versions})
    return {
        "models": {role: made.model.name for role, made in models.items()},
        "model_settings": {} if planner is None else planner.settings,
        "base_url": None if planner is None else planner.base_url,
        "versions": {**versions, **origin(type(policy).__module__)},
    }


# ── the task and the example in words ────────────────────────────────────────────────────────────


def _given_wording(spec: RunSpec, policy: Policy) -> Wording | None:
    """The wording; None if a model makes it."""
    if isinstance(spec.wording, Wording):
        return spec.wording
    if spec.wording != "llm":
        return choose_wording(spec.wording, spec.task.domain)
    return None if policy.needs_model and spec.style == "nl" else template_wording(spec.task.domain)


def _teller(spec: RunSpec, policy: Policy, task: Task, wording: Wording) -> Teller:
    scheme = "original" if spec.style != "nl" or policy.original_names else spec.names
    names = make_names(task, scheme, wording, seed=spec.names_seed)
    return Teller(task, wording, names, cast(Style, spec.style), exceptions=spec.exceptions == "tell")


def _told(
    spec: RunSpec, policy: Policy, given: Wording | None, solved: SolvedProblem | None, calls: ModelCalls, thinks: bool
) -> tuple[Wording, Example | None, Exception | None]:
    """The wording, the example, and why a model gave none of its words or thoughts, if one should."""
    failure: Exception | None = None
    try:
        wording = given or _worded(spec, calls)
    except _NO_REPLY as error:
        failure, wording = error, template_wording(spec.task.domain)
    else:
        wording = with_negations(wording, spec.task.domain, spec.negation)
    if solved is None:
        return wording, None, failure
    teller = _teller(spec, policy, solved.task, wording)
    example = tell_example(solved, teller, thoughts=policy.thoughts)
    # A run that has no wording will not be played, and needs no thoughts.
    if thinks and failure is None:
        model = calls.model("thoughts")
        try:
            example = think(example, teller.domain_text(), model, seed=spec.seed, temperature=spec.temperature)
        except _NO_REPLY as error:
            failure = error
    return wording, example, failure


def _worded(spec: RunSpec, calls: ModelCalls) -> Wording:
    settings: dict[str, Any] = {"seed": spec.seed, "temperature": spec.temperature, "max_tokens": WORDING_TOKENS}
    wording = word_domain(spec.task.domain, calls.model("wording"), **settings).wording
    # Without its date: what a run says must not depend on the day, and the record has its own.
    return replace(wording, source={key: value for key, value in wording.source.items() if key != "date"})


def _shows_example(spec: RunSpec, policy: Policy) -> bool:
    if not policy.needs_model or "example" not in policy.uses or spec.example in NO_EXAMPLE:
        return False
    return spec.example is not None or policy.shows_example(spec.task)


def _example_problem(spec: RunSpec, policy: Policy) -> SolvedProblem | None:
    if not _shows_example(spec, policy):
        if spec.example == "none" and spec.example_plan is not None and "example" in policy.uses:
            raise InputError("--example-plan FILE needs the problem that it solves: --example PROBLEM, not none")
        return None
    return find_example(spec.task, given=cast(Any, spec.example), plan_path=spec.example_plan, seed=spec.seed)


# ── files beside the domain ──────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _FileBeside:
    text: str
    value: Any


def _files(policy: Policy, spec: RunSpec) -> dict[str, _FileBeside]:
    """The files that the policy reads: those given, else those beside the domain, else those of the shipped domain."""
    for name in spec.files:
        if name not in policy.files:
            raise InputError(f"--file {name}: {spec.policy_name} reads {', '.join(policy.files) or 'no files'}")
    found = {name: _file(name, spec.task.domain, spec.files.get(name)) for name in policy.files}
    return {name: file for name, file in found.items() if file is not None}


def _file(name: str, domain: Domain, given: Any) -> _FileBeside | None:
    """A file; ``given`` is its path, the text that a record holds, or the object that it would give."""
    if given is not None and not isinstance(given, str | Path):
        return _FileBeside(given.text, given)
    system = next(each for each in systems().values() if name in each.files)
    read = system.load(system.files[name])
    if isinstance(given, RecordedText):
        return _FileBeside(given, read(str(given), domain, f"<the recorded {name}>"))
    shipped = match_shipped(domain)
    beside = Path(domain.source.name).parent if domain.source is not None else None
    places = [beside, None if shipped is None else shipped.folder]
    paths = [Path(given)] if given is not None else [place / name for place in places if place is not None]
    path = next((path for path in paths if given is not None or path.is_file()), None)
    if path is None:
        return None
    text = read_text(path)
    return _FileBeside(text, read(text, domain, str(path)))


# ── models ───────────────────────────────────────────────────────────────────────────────────────


def _models(spec: RunSpec, policy: Policy, wording: Wording | None, access: Access) -> _Models:
    if not policy.needs_model:
        return {}
    context = ModelContext(
        spec.task.domain,
        wording or template_wording(spec.task.domain),
        spec.base_url,
        access,
        spec.timeout,
        spec.no_system,
        mistakes=policy.mistakes,
    )
    planner = _made(spec, spec.model, context)
    chosen: dict[Purpose, str | Model] = {"planner": spec.model}
    if spec.translator != "reader":
        chosen["translator"] = _no_oracle(spec, "translator", f"--translator {spec.translator}")
    if (thinking := _thoughts_model(spec, policy, planner)) is not None:
        chosen["thoughts"] = thinking
    chosen |= {role: spec.models[role] for role in policy.roles if role in spec.models}
    if wording is None:
        chosen["wording"] = _no_oracle(spec, "wording", "--wording llm")
    # The same object if it is the planner's model: a script continues where it is, in every role.
    models = {role: planner if model is spec.model else _made(spec, model, context) for role, model in chosen.items()}
    decodes = policy.constrains_decoding and spec.constrain != "off"
    if decodes and planner.base_url is None and not hasattr(planner.model, "purposes"):
        raise InputError(f"--constrain is for models behind an endpoint; '{planner.model.name}' has none")
    if spec.base_url is not None and not any(made.base_url is not None for made in models.values()):
        raise InputError(f"--base-url is for models behind an endpoint; '{planner.model.name}' has none")
    if spec.no_system and not any(made.base_url is not None for made in models.values()):
        raise InputError(f"--no-system is for models behind an endpoint; '{planner.model.name}' has none")
    if EMBEDDING in models and not hasattr(models[EMBEDDING].model, "embed"):
        raise InputError(
            f"--model-for {EMBEDDING}={models[EMBEDDING].model.name}: it gives no vectors; name a model behind an "
            "endpoint that does, or leave it out, and names are compared by their letters"
        )
    return models


def _thoughts_model(spec: RunSpec, policy: Policy, planner: MadeModel) -> str | Model | None:
    """The model of the example's thoughts; None if the template's are shown, or none."""
    if not policy.thoughts or spec.example == "none" or spec.thoughts == "template":
        return None
    if spec.thoughts == "llm" or "thoughts" in spec.models:
        return _no_oracle(spec, "thoughts", f"--thoughts {spec.thoughts}")
    # Oracle and script have nothing to say about it, a replay what was recorded.
    recorded = "thoughts" in getattr(planner.model, "purposes", ())
    return spec.model if spec.style == "nl" and (recorded or planner.base_url is not None) else None


def _no_oracle(spec: RunSpec, role: Purpose, option: str) -> str | Model:
    chosen = spec.models.get(role, spec.model)
    name = chosen if isinstance(chosen, str) else chosen.name
    if name.partition(":")[0] == "oracle":
        raise InputError(
            f"{option}: the oracle plans in the words of the wording and does nothing else, so it can neither word a "
            f"domain, nor think about an example, nor translate; name a model that can by --model-for {role}=M"
        )
    return chosen


def _made(spec: RunSpec, model: str | Model, context: ModelContext) -> MadeModel:
    made = make_model(model, context) if isinstance(model, str) else wrap_model(model)
    if spec.budget_usd is not None and not made.priced:
        raise ModelConfigurationError(
            f"--budget-usd needs to know what tokens cost, and for the model '{made.model.name}' this is not known; "
            "bound the run with --budget-tokens or --budget-calls, or give its price in a file for --models"
        )
    return made


# ── choices ─────────────────────────────────────────────────────────────────────────────────────────


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
    """A sentence for each reason why options that were given have no effect; ``of_models`` are those of models."""
    reasons = unused_options(make_policy(spec.policy, spec.options), spec.style)
    if "model" in reasons:
        reasons |= dict.fromkeys(of_models, reasons["model"])
    for reason in dict.fromkeys(reasons.values()):
        named = [f"--{name.replace('_', '-')}" for name, why in reasons.items() if why == reason and name in given]
        if named:
            yield f"{', '.join(named)} not used: {reason}"


def checked_policy(spec: RunSpec) -> Policy:
    """The policy of a run.

    Raises:
        InputError: an unknown policy, option, style or other choice, a number that is too small, or an option that the
            policy does not use.
    """
    name = spec.policy_name
    policy = make_policy(spec.policy, spec.options)
    for option in RUN_OPTIONS.values():
        value = getattr(spec, option.name)
        if not option.accepts(str(value)):
            known = f"there are {', '.join(option.choices)}{did_you_mean(str(value), option.choices)}"
            raise InputError(f"{option.flag} {value}: no such choice; {known}")
        if option.at_least is not None and isinstance(value, int | float) and value < option.at_least:
            raise InputError(f"{option.flag} {value}: at least {option.at_least:g} is needed")
    if spec.style not in policy.styles:
        able = [entry.name for entry in policies() if not entry.preset and spec.style in entry.kind().styles]
        raise InputError(f"--policy {name} has no twin in style {spec.style}; {', '.join(able)} have one")
    _check_used(spec, policy)
    _check_level(spec, policy)
    _check_roles(spec, policy)
    return policy


def _check_used(spec: RunSpec, policy: Policy) -> None:
    for name, reason in unused_options(policy, spec.style).items():
        option, value = RUN_OPTIONS[name], getattr(spec, name)
        # In style pddl a model that is asked for is an error, as nothing would ask it.
        refused = option.optional or (name == "translator" and value != option.default)
        # No example is shown in any case.
        if refused and value != option.default and (name, value) != ("example", "none"):
            raise InputError(f"{option.flag} {getattr(value, 'name', value)}: {reason} ({spec.policy_name})")


def _check_roles(spec: RunSpec, policy: Policy) -> None:
    roles = roles_of(policy, spec)
    for unknown in spec.models.keys() - roles:
        hint = did_you_mean(unknown, roles, f"; there are {', '.join(roles)}")
        raise InputError(f"--model-for {unknown}: {spec.policy_name} has no such role{hint}")
    for role in spec.models:
        if roles[role]:
            raise InputError(f"--model-for {role}: {roles[role]}")


def roles_of(policy: Policy, spec: RunSpec | None = None) -> dict[str, str]:
    """The roles in which runs of a policy can ask other models, each with why this run does not, empty if it does."""
    roles = dict.fromkeys(policy.roles, "")
    roles["wording"] = "" if spec is None or spec.wording == "llm" else "only --wording llm asks a model for words"
    if "translator" in policy.uses:
        reads = spec is not None and spec.translator == "reader"
        roles["translator"] = "--translator reader asks no model" if reads else ""
    if policy.thoughts:
        fixed = spec is not None and spec.thoughts == "template"
        roles["thoughts"] = "--thoughts template asks no model" if fixed else ""
    return roles


def _check_level(spec: RunSpec, policy: Policy) -> None:
    level, levels = spec.constrain, policy.levels
    if level != "off" and level not in levels:
        why = "gives a whole plan, in no state" if "actions" in levels else "asks for no actions"
        raise InputError(f"--constrain {level}: --policy {spec.policy_name} {why}; see {levels[-1]}")
    if level in LEVELS[1:] and spec.task.domain.durative_actions:
        raise InputError(f"--constrain {level}: a plan with time is not only actions; see format")


# ── profiles: all that a paper fixed about its runs, in one option; systems bring them ──────────────


@lru_cache(maxsize=1)
def profiles() -> Mapping[str, Mapping[str, Any]]:
    """Every profile by its name: the options of runs and of policies that differ from the defaults."""
    return {name: values for system in systems().values() for name, values in system.toml(system.profiles).items()}


def apply_profile(spec: RunSpec, name: str, given: Collection[str] = ()) -> RunSpec:
    """The description of a run with a profile's values; options ``given`` by name keep theirs.

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

"""What is checked of an experiment before anything runs: its models, and the planner where one is needed."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pddl2nl.baselines import find_driver
from pddl2nl.errors import InputError
from pddl2nl.experiments.access import Access
from pddl2nl.experiments.jobs import RunJob
from pddl2nl.experiments.models import MadeModel, ModelContext, behind_endpoint, make_model
from pddl2nl.experiments.specification.columns import policy_of
from pddl2nl.experiments.specification.content import ExperimentSpec
from pddl2nl.experiments.specification.domains import SpecDomain
from pddl2nl.llm import Completion, MissingKeyError, Price
from pddl2nl.llm.settings import load_catalogue
from pddl2nl.nl import Wording, template_wording
from pddl2nl.pddl import Domain
from pddl2nl.policies.spec import RunSpec


def check_models(spec: ExperimentSpec, access: Access, *, asked_here: bool = True) -> dict[str, Price | None]:
    """Makes every model once, and finds the planner where one is needed; gives what their tokens cost.

    Args:
        spec: the experiment.
        access: how its models are reached; its ``warn`` hears of keys that are missing and not needed.
        asked_here: whether this process asks them; where nothing is run, or workers elsewhere ask, it needs no key.

    Raises:
        InputError: models that cannot be set up, whose price is not known where it must be, or that cannot do what
            they are there for; no planner where one is needed. The message has all errors with their places.
    """
    first = [jobs[0] for _, _, _, jobs in spec.cells]
    asking = [job for job in first if isinstance(job, RunJob) and job.policy.needs_model]
    runs = [job.spec for job in asking]
    own = dict.fromkeys(str(run.model) for run in runs) if spec.questions is None else dict.fromkeys(spec.models)
    models = own | dict.fromkeys(str(model) for run in runs for model in run.models.values())
    if any(map(behind_endpoint, models)):
        # A cache that cannot be opened is no model's fault.
        access.opened_cache()
    prices = {}
    for model in models:
        able = [
            {*job.policy.mistakes} for job in asking if model in map(str, (job.spec.model, *job.spec.models.values()))
        ]
        prices[model] = _price(spec, model, access, asked_here, set.intersection(*able) if able else None)
    _check_oracle(spec, runs)
    _check_planner(spec)
    spec.file.check()
    return prices


def _price(
    spec: ExperimentSpec, model: str, access: Access, asked_here: bool, mistakes: Collection[str] | None
) -> Price | None:
    """What a model's tokens cost, having made it for each domain; ``mistakes`` are those of all its policies."""
    price: Price | None = None
    # ACPBench's own questions come with no domain.
    for domain in spec.domains or (None,):
        try:
            made = _made(spec, model, domain, access, mistakes, load=asked_here)
            price = made.price_of(Completion("", model=made.model.name))
            priced = made.priced
        except MissingKeyError as error:
            if asked_here:
                spec.wrong_model(model, str(error))
                return None
            if domain is None or domain is spec.domains[0]:
                access.warn(str(error))
            price = load_catalogue(access.models_file).of(model.removeprefix("openai:")).price
            priced = price is not None
        except InputError as error:
            spec.wrong_model(model, str(error))
            return None
        if spec.budget.usd is not None and not priced:
            spec.file.wrong(
                f"budgets.usd needs to know what tokens cost, and for the model '{model}' this is not known; bound "
                "the experiment by tokens or calls, or give the price in a file for access.models",
                "budgets",
                "usd",
            )
            return None
    return price


def _made(
    spec: ExperimentSpec,
    model: str,
    domain: SpecDomain | None,
    access: Access,
    mistakes: Collection[str] | None,
    *,
    load: bool,
) -> MadeModel:
    wordings = () if domain is None else domain.wordings.values()
    worded = next((each for each in wordings if isinstance(each, Wording)), None)
    base_url = spec.top.base_url if behind_endpoint(model) else None
    pddl = Domain("unknown") if domain is None else domain.domain
    context = ModelContext(pddl, worded or template_wording(pddl), base_url, access, load=load, mistakes=mistakes)
    return make_model(model, context)


def _check_oracle(spec: ExperimentSpec, runs: Iterable[RunSpec]) -> None:
    """Notes where the oracle would have to translate, or to word a domain."""
    noted = set()
    for run in runs:
        for role, needed in (("translator", run.translator != "reader"), ("wording", run.wording == "llm")):
            if needed and str(run.models.get(role, run.model)).partition(":")[0] == "oracle":
                noted.add(("translate" if role == "translator" else "word a domain", role))
    for what, role in sorted(noted):
        spec.wrong_model(
            "oracle",
            f"it speaks the wording and no PDDL, so it cannot {what}; name a model that can by models-for.{role}",
        )


def _check_planner(spec: ExperimentSpec) -> None:
    """Notes where Fast Downward is missing, and what would do without it."""
    wants: list[tuple[str, str]] = []
    key = "policies" if spec.top.policies else "columns"
    for column in spec.columns:
        if column.kind == "planner":
            wants.append(("baselines", "leave them out"))
            continue
        policy, options = policy_of(column, spec.policy_options), {**spec.options, **column.options}
        if not policy.one_shot and "steps" not in options:
            wants.append((key, "without a planner, give the step limit by options.steps"))
        if policy.needs_model and options.get("example") != "none" and "example_plan" not in options:
            remedy = "give a solved problem by options.example and options.example_plan"
            wants.append((key, f'without a planner, {remedy} (or take none by example = "none")'))
    if not wants:
        return
    try:
        find_driver()
    except InputError as error:
        for key, remedy in dict.fromkeys(wants):
            spec.file.wrong(f"{error}; {remedy}", key)

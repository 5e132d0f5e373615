"""Suites that are estimated to cost more than they may: of these, the tasks that a cheap planner solves are kept.

The paper did so for its IPC suites: where a suite would have cost more than 150 USD, only what breadth-first search
solves was given to the model (Stein, Fišer, Hoffmann and Koller, ICAPS 2025, section 5).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pddl2nl.experiments.estimate import estimate
from pddl2nl.experiments.product import cells
from pddl2nl.experiments.spec_file import ExperimentSpec
from pddl2nl.experiments.spec_filters import Costlier
from pddl2nl.experiments.spec_options import ROLES
from pddl2nl.experiments.spec_parts import SpecDomain
from pddl2nl.llm import Price
from pddl2nl.llm.settings import load_catalogue

__all__ = ["limit_costs", "still_costly"]


def limit_costs(spec: ExperimentSpec) -> ExperimentSpec:
    """The experiment with a filter on the tasks of each suite that would cost too much, and such suites in a section.

    All columns and seeds are estimated, at the price of the model that the entry names, whatever models are asked: so
    the same tasks are chosen for every model, and for none that costs anything.

    Args:
        spec: the experiment, its other filters decided (`pddl2nl.experiments.solved_by.narrow`). The new ones are
            still to be.

    Raises:
        InputError: the price of a model is not known; the message points into the file.
    """
    notes = [*spec.notes]
    limited: dict[str, SpecDomain] = {}
    for name, rule, some in _suites(spec, limited=False):
        usd = _usd(spec, some, rule)
        if usd is None or usd <= rule.than:
            continue
        notes.append(f"{_told(name, rule, some, usd)}: only those {rule.condition} are kept")
        for one in some:
            tasks = tuple(replace(task, filters=(rule.condition,)) for task in one.tasks)
            limited[one.label] = replace(one, tasks=tasks, section=rule.section, section_before=one.part)
    spec.file.check()
    if not limited:
        return spec
    domains = tuple(limited.get(one.label, one) for one in spec.domains)
    return replace(spec, domains=domains, notes=tuple(notes))


def still_costly(spec: ExperimentSpec) -> ExperimentSpec:
    """The experiment with a note for each suite that would cost too much even so: nothing is left out for it.

    Args:
        spec: the experiment, what `limit_costs` added to its filters decided as well.
    """
    notes = [*spec.notes]
    for name, rule, some in _suites(spec, limited=True):
        usd = _usd(spec, some, rule)
        if usd is not None and usd > rule.than:
            notes.append(f"{_told(name, rule, some, usd)} even so; --domains and 'only' leave suites out")
    return replace(spec, notes=tuple(notes))


def _suites(spec: ExperimentSpec, *, limited: bool) -> Iterator[tuple[str, Costlier, list[SpecDomain]]]:
    """The suites that have a rule, which was applied already or not: the name, the rule, the domains."""
    suites: dict[tuple[str, str], list[SpecDomain]] = {}
    for one in spec.domains:
        suites.setdefault((one.row or one.label, one.section), []).append(one)
    for (name, _), some in suites.items():
        rule = next((one.costlier for one in some if one.costlier), None)
        if rule is not None and limited == any(one.section_before is not None for one in some):
            yield name, rule, some


def _told(name: str, rule: Costlier, some: Sequence[SpecDomain], usd: float) -> str:
    tasks = sum(len(one.tasks) for one in some)
    return (
        f"{name}: as {rule.model} its {tasks} {'task is' if tasks == 1 else 'tasks are'} estimated to cost {usd:.2f} "
        f"USD, more than {rule.than:g}"
    )


def _usd(spec: ExperimentSpec, some: Sequence[SpecDomain], rule: Costlier) -> float | None:
    """What the runs of all columns on a suite would cost; None, and noted, where the price is not known."""
    price = load_catalogue(spec.models_file).of(rule.model).price
    if price is None:
        spec.file.wrong(
            f"'costlier' needs the price of '{rule.model}', which is not known; give it in a file for access.models",
            "domains",
            value=rule.model,
        )
        return None
    return estimate(cells(replace(spec, domains=tuple(some))), _at(price, spec)).usd or 0.0


def _at(price: Price, spec: ExperimentSpec) -> Mapping[str, Price | None]:
    """The price in the place of every model's, in whatever role."""
    options = (spec.options, *(each.options for column in spec.columns for each in column.repetitions))
    roles = [said[role] for said in options for role in ROLES if role in said]
    return dict.fromkeys((*(model for column in spec.columns for model in column.models), *roles), price)

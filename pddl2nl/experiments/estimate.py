"""Estimates the cost of an experiment before any model is asked.

The first prompt of a run is the real one but for its example: it is made by the run itself, with a model that only
measures. The rest is assumed, and stands below. An estimate is for deciding whether to begin: what is really spent is
in the records, and budgets keep it within limits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from pddl2nl.errors import InputError
from pddl2nl.experiments.runs import run_spec
from pddl2nl.experiments.spec import RunSpec
from pddl2nl.experiments.specification.columns import policy_of
from pddl2nl.experiments.specification.product import Cell, behind_endpoint
from pddl2nl.llm import Completion, Price, Request
from pddl2nl.llm.tokens import CHARACTERS_A_TOKEN, estimate_tokens
from pddl2nl.policies.families import FAMILIES, family_of
from pddl2nl.policies.family import Family
from pddl2nl.policies.prompting import prompt_text
from pddl2nl.tasks.references import reference_of

__all__ = ["HOW", "Estimate", "estimate", "estimates"]

_ACTION, _THOUGHT, _OBSERVATION = 15, 35, 25
_EXAMPLE_STEPS, _PLAN = 5, 12
_TRANSLATION, _WORDED_SNIPPET = 600, 500

_THOUGHTS_SHOWN = ("thoughts.txt", "thoughts_example.txt", "thoughts_answer.txt")
"""The beginning of every prompt for the example's thoughts."""

HOW = (
    f"first prompts are measured ({CHARACTERS_A_TOKEN} characters a token); an "
    f"example is taken to be as long as its problem and {_EXAMPLE_STEPS} turns; a run "
    f"to take as many turns as FF's plan where that is known, else {_PLAN} "
    f"or half its limit of steps; an action to take {_ACTION} tokens, a thought {_THOUGHT}, an observation "
    f"{_OBSERVATION}; wording and thoughts to be asked for once for each domain, model and seed; nothing to be in a "
    f"cache; {'; '.join(family.effort_text for family in FAMILIES.values())}"
)
"""How the estimate is made, for people."""


@dataclass(frozen=True)
class Estimate:
    """Calls and tokens of all runs; ``usd`` is None if a model's price is unknown."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = 0.0

    def as_json(self) -> dict[str, Any]:
        """The fields, money rounded, and how they were found."""
        return {**asdict(self), "usd": None if self.usd is None else round(self.usd, 4), "how": HOW}

    def plus(self, other: Estimate) -> Estimate:
        """Both together."""
        return Estimate(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            None if self.usd is None or other.usd is None else self.usd + other.usd,
        )


class _Measuring:
    """A model that measures the first prompt and returns an empty reply."""

    name = "measuring"

    def __init__(self) -> None:
        self.system = 0
        self.problem = 0

    def complete(self, request: Request) -> Completion:
        """An empty reply."""
        if not self.system:
            self.system = sum(len(message.content) for message in request.messages if message.role == "system")
            self.problem = sum(len(message.content) for message in request.messages if message.role != "system")
        return Completion("", "empty")


def estimate(cells: Iterable[Cell], prices: Mapping[str, Price | None]) -> Estimate:
    """The estimate of all runs.

    Args:
        cells: the runs; those of policies that ask no model cost nothing.
        prices: what tokens cost, by the model's name.
    """
    whole = Estimate()
    for _, one in estimates(cells, prices):
        whole = whole.plus(one)
    return whole


def estimates(cells: Iterable[Cell], prices: Mapping[str, Price | None]) -> Iterator[tuple[Cell, Estimate]]:
    """The estimate of each cell's runs; a call made once counts for the first cell that makes it."""
    measured: dict[tuple[object, ...], tuple[float, float]] = {}
    asked: set[tuple[object, ...]] = set()
    for cell in cells:
        if not policy_of(cell.policy).needs_model:
            yield cell, Estimate()
            continue
        key = _measured_by(cell)
        if key not in measured:
            measured[key] = _measure(cell)
        system, problem = map(estimate_tokens, measured[key])
        one = _one_run(cell, system, problem, prices.get(cell.model))
        whole = Estimate()
        for run in cell.runs:
            whole = whole.plus(one)
            for what, model in _asked_before(cell, run):
                # PricedModel once: the other runs of this seed find the replies in the cache.
                words = cell.wording if what == "thoughts" else ""
                once = (what, cell.domain.row or cell.domain.label, words, model, run.seed)
                if once not in asked:
                    asked.add(once)
                    price = prices.get(model)
                    whole = whole.plus(
                        _wording(cell, price) if what == "wording" else _thoughts(system, problem, price)
                    )
        yield cell, whole


def _measured_by(cell: Cell) -> tuple[object, ...]:
    """The key for the length of a first prompt; a wording yet to be made counts as the template."""
    wording = "template" if cell.wording == "llm" else cell.wording
    return (
        cell.domain.label,
        cell.task.path,
        cell.policy,
        cell.style,
        wording,
        str(sorted(cell.column.options.items())),
    )


def _asked_before(cell: Cell, run: RunSpec) -> Iterator[tuple[str, str]]:
    """The calls before a run begins, with their models."""
    if run.wording == "llm":
        yield "wording", str(run.wording_model or cell.model)
    if not policy_of(cell.policy).thoughts or run.example == "none" or run.thoughts == "template":
        return
    if run.thoughts == "llm" or run.thoughts_model is not None or behind_endpoint(cell.model):
        yield "thoughts", str(run.thoughts_model or cell.model)


def _measure(cell: Cell) -> tuple[float, float]:
    """Characters of the system prompt, and of the problem."""
    model = _Measuring()
    wording = "template" if cell.runs[0].wording == "llm" else cell.runs[0].wording
    run = replace(
        cell.runs[0],
        model=model,
        wording=wording,
        example="none",
        example_plan=None,
        steps=1,
        base_url=None,
        budget_calls=1,
    )
    try:
        run_spec(replace(run, translator="reader", translator_model=None, thoughts_model=None, wording_model=None))
    except InputError:
        # It will be reported by its name when it is run; here it costs nothing.
        return 0.0, 0.0
    return model.system, model.problem


def _one_run(cell: Cell, system: float, problem: float, price: Price | None) -> Estimate:
    policy, run = policy_of(cell.policy), cell.runs[0]
    if (family := family_of(cell.policy)) is not None:
        return _one_run_of(family, cell, system + problem, price)
    said = _ACTION + (_THOUGHT if policy.thoughts else 0)
    turn = said + (0 if policy.one_shot else _OBSERVATION)
    first = system + problem + (0.0 if run.example == "none" else problem + _EXAMPLE_STEPS * turn)
    known = cell.task.plan_length
    turns = known if known is not None else _PLAN if run.steps is None else math.ceil(run.steps / 2)
    if run.steps is not None:
        turns = min(turns, run.steps)
    if policy.one_shot:
        calls = run.samples * (1 + run.rounds)
        prompts = calls * first + run.samples * sum(range(run.rounds + 1)) * turns * said
        replies = float(calls * turns * said)
    else:
        calls = max(1, turns)
        prompts = calls * first + sum(range(calls)) * turn
        replies = float(calls * said)
    if run.translator == "llm":
        lines = max(1, turns) * (calls if policy.one_shot else 1)
        calls, prompts, replies = calls + lines, prompts + lines * _TRANSLATION, replies + lines * _ACTION
    return _priced(calls, prompts, replies, price)


def _one_run_of(family: Family, cell: Cell, first: float, price: Price | None) -> Estimate:
    """A run of a family; ``first`` is the length of its first prompt."""
    reference = reference_of(cell.task.task)
    shortest = None if reference is None else min(len(way.plan) for way in reference.ways)
    actions = next(known for known in (cell.task.plan_length, shortest, _PLAN) if known is not None)
    effort = family.effort(cell.policy, actions)
    prompts = effort.opening * first + effort.later * (first + effort.growth)
    return _priced(effort.opening + effort.later, prompts, effort.replies, price)


def _wording(cell: Cell, price: Price | None) -> Estimate:
    snippets = len(cell.domain.domain.predicates) + len(cell.domain.domain.actions)
    return _priced(snippets, snippets * _WORDED_SNIPPET, snippets * _ACTION, price)


def _thoughts(system: float, problem: float, price: Price | None) -> Estimate:
    shown = estimate_tokens(sum(len(prompt_text(name)) for name in _THOUGHTS_SHOWN))
    steps = _EXAMPLE_STEPS * (_ACTION + _OBSERVATION)
    return _priced(1, shown + system + problem + steps, _EXAMPLE_STEPS * _THOUGHT, price)


def _priced(calls: int, prompts: float, replies: float, price: Price | None) -> Estimate:
    prompt, completion = math.ceil(prompts), math.ceil(replies)
    usd = None if price is None else (prompt * price.prompt + completion * price.completion) / 1_000_000
    return Estimate(calls, prompt, completion, usd)

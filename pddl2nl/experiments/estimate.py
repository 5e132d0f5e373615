"""Estimates the cost of an experiment before any model is asked.

The first prompt of a run is the real one but for its example: it is made by the run itself, with a model that only
measures. The rest is assumed: see the constants below. An estimate is for deciding whether to begin: the records hold
what was really spent, and budgets keep it within limits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

from pddl2nl.errors import InputError
from pddl2nl.experiments.runs import run_spec
from pddl2nl.experiments.specification.columns import policy_of
from pddl2nl.experiments.specification.product import Cell, behind_endpoint
from pddl2nl.llm import Completion, Price, Request
from pddl2nl.llm.tokens import CHARACTERS_A_TOKEN, estimate_tokens
from pddl2nl.policies.budget import LimitReachedError
from pddl2nl.policies.families import FAMILIES, asking_policy, family_of
from pddl2nl.policies.prompts import CORE_PROMPTS
from pddl2nl.policies.spec import RunSpec
from pddl2nl.tasks.references import reference_of
from pddlval import Simulator

_ACTION, _THOUGHT, _OBSERVATION = 15, 35, 25
_EXAMPLE_STEPS, _PLAN = 5, 12
_MOST_RATED = 1000
_TRANSLATION, _WORDED_SNIPPET = 600, 500
_ANSWER = 200

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

QUESTIONS_HOW = (
    f"prompts are known ({CHARACTERS_A_TOKEN} characters a token); a reply is taken to take {_ANSWER} tokens"
)
"""The same for questions."""


@dataclass(frozen=True)
class Estimate:
    """Calls and tokens of all runs; ``usd`` is None if a model's price is unknown."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = 0.0

    def as_json(self) -> dict[str, Any]:
        """The fields, money rounded, and how the estimate is made."""
        return {**asdict(self), "usd": None if self.usd is None else round(self.usd, 4), "how": HOW}

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            None if self.usd is None or other.usd is None else self.usd + other.usd,
        )


class _Measuring:
    """A model that measures the first prompt, and ends the run: what a policy does with a reply may take long."""

    name = "measuring"

    def __init__(self) -> None:
        self.lengths = 0, 0

    def complete(self, request: Request) -> Completion:
        """Measures the prompt; raises `LimitReachedError`."""
        system = sum(len(message.content) for message in request.messages if message.role == "system")
        self.lengths = system, sum(len(message.content) for message in request.messages) - system
        raise LimitReachedError("the prompt is measured")


def estimate(cells: Iterable[Cell], prices: Mapping[str, Price | None]) -> Estimate:
    """The estimate of all runs.

    Args:
        cells: the runs; those of policies that ask no model cost nothing.
        prices: what tokens cost, by the model's name.
    """
    return sum((one for _, one in estimates(cells, prices)), Estimate())


def estimates(cells: Iterable[Cell], prices: Mapping[str, Price | None]) -> Iterator[tuple[Cell, Estimate]]:
    """The estimate of each cell's runs; a call made once counts for the first cell that makes it."""
    lengths: dict[tuple[object, ...], tuple[float, float]] = {}
    asked: set[tuple[object, ...]] = set()
    for cell in cells:
        whole = Estimate()
        if policy_of(cell.policy).needs_model:
            # A wording yet to be made counts as the template.
            wording = "template" if cell.wording == "llm" else cell.wording
            options = str(sorted(cell.column.options.items()))
            key = (cell.domain.label, cell.task.path, cell.policy, cell.style, wording, options)
            if key not in lengths:
                lengths[key] = _measure(cell)
            name = str(cell.model).removeprefix("openai:")
            system, problem = (estimate_tokens(characters, name) for characters in lengths[key])
            one_run = _one_run(cell, system, problem, prices.get(cell.model))
            for run in cell.runs:
                whole += one_run
                # The other runs of this seed find the replies in the cache.
                model = str(run.wording_model or cell.model)
                if run.wording == "llm" and (once := ("wording", cell.domain.row, model, run.seed)) not in asked:
                    asked.add(once)
                    whole += _wording(cell, prices.get(model))
                model = str(run.thoughts_model or cell.model)
                thoughts = ("thoughts", cell.domain.row, cell.wording, model, run.seed)
                if _asks_thoughts(cell, run) and thoughts not in asked:
                    asked.add(thoughts)
                    whole += _thoughts(system, problem, prices.get(model))
        yield cell, whole


def estimated_answer(prompt: str, model: str, price: Price | None) -> Estimate:
    """The estimate of a question."""
    return _priced(1, estimate_tokens(len(prompt), model.removeprefix("openai:")), _ANSWER, price)


def _asks_thoughts(cell: Cell, run: RunSpec) -> bool:
    if not policy_of(cell.policy).thoughts or run.example == "none" or run.thoughts == "template":
        return False
    return run.thoughts == "llm" or run.thoughts_model is not None or behind_endpoint(cell.model)


def _measure(cell: Cell) -> tuple[float, float]:
    """Characters of the system prompt, and of the problem."""
    model = _Measuring()
    run = cell.runs[0]
    no_roles: dict[str, Any] = dict.fromkeys(
        ("translator_model", "thoughts_model", "wording_model", "body_model", "replanner_model", "base_url")
    )
    wording = "template" if run.wording == "llm" else run.wording
    simple: dict[str, Any] = {"example": "none", "example_plan": None, "translator": "reader", "steps": 1}
    asking = asking_policy(cell.policy)
    if (family := family_of(asking)) is not None and family.takes(asking, "expansions"):
        # A search asks where it is stuck, or never.
        simple["expansions"] = 40
    try:
        run_spec(replace(run, model=model, wording=wording, budget_calls=1, **simple, **no_roles))
    except InputError:
        # It will be reported by its name when it is run; here it costs nothing.
        return 0.0, 0.0
    return model.lengths


def _one_run(cell: Cell, system: float, problem: float, price: Price | None) -> Estimate:
    policy, asking, run = policy_of(cell.policy), asking_policy(cell.policy), cell.runs[0]
    if (family := family_of(asking)) is not None:
        reference = reference_of(cell.task.task)
        shortest = None if reference is None else min(len(way.plan) for way in reference.ways)
        actions = next(length for length in (cell.task.plan_length, shortest, _PLAN) if length is not None)
        effort = family.effort(asking, actions)
        prompts = effort.opening * (system + problem) + effort.later * (system + problem + effort.growth)
        return _priced(effort.opening + effort.later, prompts, effort.replies, price)
    reply = _ACTION + (_THOUGHT if policy.thoughts else 0)
    turn = reply + (0 if policy.one_shot else _OBSERVATION)
    first = system + problem + (0.0 if run.example == "none" else problem + _EXAMPLE_STEPS * turn)
    turns = cell.task.plan_length
    if turns is None:
        turns = _PLAN if run.steps is None else math.ceil(run.steps / 2)
    if run.steps is not None:
        turns = min(turns, run.steps)
    if policy.one_shot:
        calls = run.samples * (1 + run.rounds)
        prompts = calls * first + run.samples * sum(range(run.rounds + 1)) * turns * reply
        replies = float(calls * turns * reply)
    else:
        calls = max(1, turns)
        prompts = calls * first + sum(range(calls)) * turn
        replies = float(calls * reply)
    if cell.policy == "score":
        # Each applicable action is asked for; those of the initial state stand for all.
        simulator = Simulator(cell.task.task)
        many = sum(1 for _ in islice(simulator.applicable(simulator.initial), _MOST_RATED))
        calls, prompts, replies = calls * many, prompts * many, replies * many
    if run.translator == "llm":
        lines = max(1, turns) * (calls if policy.one_shot else 1)
        calls, prompts, replies = calls + lines, prompts + lines * _TRANSLATION, replies + lines * _ACTION
    return _priced(calls, prompts, replies, price)


def _wording(cell: Cell, price: Price | None) -> Estimate:
    snippets = len(cell.domain.domain.predicates) + len(cell.domain.domain.actions)
    return _priced(snippets, snippets * _WORDED_SNIPPET, snippets * _ACTION, price)


def _thoughts(system: float, problem: float, price: Price | None) -> Estimate:
    shown = estimate_tokens(sum(len(CORE_PROMPTS.text(name)) for name in _THOUGHTS_SHOWN))
    steps = _EXAMPLE_STEPS * (_ACTION + _OBSERVATION)
    return _priced(1, shown + system + problem + steps, _EXAMPLE_STEPS * _THOUGHT, price)


def _priced(calls: int, prompts: float, replies: float, price: Price | None) -> Estimate:
    prompt, completion = math.ceil(prompts), math.ceil(replies)
    usd = None if price is None else (prompt * price.prompt + completion * price.completion) / 1_000_000
    return Estimate(calls, prompt, completion, usd)

"""The cost of an experiment, estimated before any model is asked.

The first prompt of a run is the real one but for its example: it is made by the run itself, with a model that only
measures. The rest is assumed: see the constants below. An estimate is for deciding whether to begin: the records hold
what was really spent, and budgets keep it within limits.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from pddl2nl.errors import InputError
from pddl2nl.experiments.models import behind_endpoint
from pddl2nl.experiments.records.reader import is_broken, read_end
from pddl2nl.experiments.runs import run_spec
from pddl2nl.experiments.specification.domains import SpecDomain, SpecTask
from pddl2nl.experiments.specification.experiment import Experiment
from pddl2nl.experiments.specification.schema import Column
from pddl2nl.llm import Completion, Price, Request
from pddl2nl.llm.tokens import CHARACTERS_A_TOKEN, estimate_tokens
from pddl2nl.policies import Policy, make_policy
from pddl2nl.policies.budget import LimitReachedError
from pddl2nl.policies.spec import RunSpec
from pddl2nl.tasks.references import reference_of
from pddlval import Simulator

_ACTION, _THOUGHT, _OBSERVATION = 15, 35, 25
_EXAMPLE_STEPS, _PLAN = 5, 12
_MOST_RATED = 1000
_TRANSLATION, _WORDED_SNIPPET = 600, 500

_THOUGHTS_SHOWN = ("thoughts.txt", "thoughts_example.txt", "thoughts_answer.txt")
"""The beginning of every prompt for the example's thoughts."""

HOW = (
    f"first prompts are measured ({CHARACTERS_A_TOKEN} characters a token); an "
    f"example is taken to be as long as its problem and {_EXAMPLE_STEPS} turns; a run "
    f"to take as many turns as FF's plan where that is known, else {_PLAN} "
    f"or half its limit of steps; an action to take {_ACTION} tokens, a thought {_THOUGHT}, an observation "
    f"{_OBSERVATION}; wording and thoughts to be asked for once for each domain, model and seed; nothing to be in a "
    "cache"
)
"""How the estimate is made, for people."""


@dataclass(frozen=True)
class Estimate:
    """Calls and tokens of runs; ``usd`` is None if a model's price is unknown; ``assumed`` says more of how."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = 0.0
    assumed: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The numbers, money rounded."""
        numbers = asdict(self)
        del numbers["assumed"]
        return {**numbers, "usd": None if self.usd is None else round(self.usd, 4)}

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            None if self.usd is None or other.usd is None else self.usd + other.usd,
            tuple(dict.fromkeys((*self.assumed, *other.assumed))),
        )


def estimate_cost(experiment: Experiment, folder: Path) -> dict[str, Any]:
    """What is left to be run in a folder, and an estimate of its cost by column, as ``--dry-run --json`` prints it.

    A run of several columns counts in one.
    """
    finished = {name for name in experiment.jobs if _is_finished(folder, name)}
    columns = estimated_columns(experiment, finished)
    total = sum((one for _, one in columns.values()), Estimate())
    how = "; ".join((HOW if experiment.asked is None else experiment.asked.how, *total.assumed))
    policies = {column.label: column.policy for column in experiment.layout_columns()}
    kinds = Counter(
        policies[heading] for heading in {job.name: heading for job, _, heading in experiment.placed}.values()
    )
    return {
        "name": experiment.name,
        "runs": len(experiment.jobs),
        "kinds": dict(kinds),
        "finished": len(finished),
        "left_out": [*experiment.not_run()],
        "notes": experiment.notes,
        "estimate": {**total.as_json(), "how": how},
        "columns": [{"column": label, "runs": runs, **one.as_json()} for label, (runs, one) in columns.items()],
        "records": str(folder),
    }


def _is_finished(folder: Path, name: str) -> bool:
    end = read_end(folder / f"{name}.jsonl")
    return end is not None and not is_broken(end)


def estimated_columns(experiment: Experiment, finished: Collection[str]) -> dict[str, tuple[int, Estimate]]:
    """How many runs are missing of each column, and their estimate; a run of several columns counts in one."""
    columns = dict.fromkeys((f"{heading} {row[2]}".strip() for _, row, heading in experiment.placed), (0, Estimate()))
    counted = {*finished}
    if experiment.asked is not None:
        for job, _, heading in experiment.placed:
            if job.name not in counted:
                counted.add(job.name)
                model, prompt, reply = experiment.asked.call(job.about)
                missing, one = columns[heading]
                columns[heading] = missing + 1, one + _priced(1, prompt, reply, experiment.prices.get(model))
        return columns
    estimates = _Estimates(experiment.prices)
    for domain, task, column, job in experiment.runs:
        if job.name not in counted:
            counted.add(job.name)
            missing, one = columns[column.label]
            cost = estimates.of(domain, task, column, job.about) if job.asks_model else Estimate()
            columns[column.label] = missing + 1, one + cost
    for _, _, column, search in experiment.searches:
        if search.name not in counted:
            counted.add(search.name)
            missing, one = columns[column.label]
            columns[column.label] = missing + 1, one
    return columns


class _Measuring:
    """A model that measures the first prompt, and ends the run: what a policy does with a reply may take long."""

    name = "measuring"

    def __init__(self) -> None:
        self.lengths = 0, 0

    def complete(self, request: Request) -> Completion:
        """Measures the prompt; raises `LimitReachedError`."""
        system = sum(message.characters for message in request.messages if message.role == "system")
        # Tools are in every prompt, as the system message is.
        tools = request.characters - sum(message.characters for message in request.messages)
        self.lengths = system + tools, request.characters - system - tools
        raise LimitReachedError("the prompt is measured")


class _Estimates:
    """Estimates runs one by one; a call that is made once counts for the first run that makes it."""

    def __init__(self, prices: Mapping[str, Price | None]):
        self._prices = prices
        self._lengths: dict[tuple[object, ...], tuple[float, float]] = {}
        self._ones: dict[tuple[object, str], Estimate] = {}
        self._asked: set[tuple[object, ...]] = set()

    def of(self, domain: SpecDomain, task: SpecTask, column: Column, run: RunSpec) -> Estimate:
        """The estimate of a run that asks a model."""
        policy = make_policy(run.policy, run.options)
        # A wording yet to be made counts as the template.
        wording = "template" if column.wording == "llm" else column.wording
        key = (domain.label, task.path, column.policy, column.style, wording, str(sorted(column.options.items())))
        if key not in self._lengths:
            self._lengths[key] = _measure(run)
        name = column.model.removeprefix("openai:")
        system, problem = (estimate_tokens(characters, name) for characters in self._lengths[key])
        if (key, name) not in self._ones:
            self._ones[key, name] = _one_run(run, policy, task, system, problem, self._prices.get(column.model))
        whole = self._ones[key, name]
        # The other runs of this seed find the replies in the cache.
        for role, estimate in self._once(run, policy, domain, column, system, problem):
            if role not in self._asked:
                self._asked.add(role)
                whole += estimate
        return whole

    def _once(
        self, run: RunSpec, policy: Policy, domain: SpecDomain, column: Column, system: float, problem: float
    ) -> Iterator[tuple[tuple[object, ...], Estimate]]:
        """The calls before a run, for its wording and thoughts, which are made once; each with what tells it apart."""
        if run.wording == "llm":
            model = str(run.models.get("wording", run.model))
            snippets = len(domain.domain.predicates) + len(domain.domain.actions)
            estimate = _priced(snippets, snippets * _WORDED_SNIPPET, snippets * _ACTION, self._prices.get(model))
            yield ("wording", domain.row, model, run.seed), estimate
        by_model = run.thoughts == "llm" or "thoughts" in run.models or behind_endpoint(str(run.model))
        if policy.thoughts and run.example != "none" and run.thoughts != "template" and by_model:
            model = str(run.models.get("thoughts", run.model))
            shown = estimate_tokens(sum(len(Policy.prompts.text(name)) for name in _THOUGHTS_SHOWN))
            steps = _EXAMPLE_STEPS * (_ACTION + _OBSERVATION)
            estimate = _priced(1, shown + system + problem + steps, _EXAMPLE_STEPS * _THOUGHT, self._prices.get(model))
            yield ("thoughts", domain.row, column.wording, model, run.seed), estimate


def _measure(run: RunSpec) -> tuple[float, float]:
    """Characters of the system prompt, and of the problem; those of Act where a policy asks nothing at first."""
    model = _Measuring()
    simple: dict[str, Any] = {"example": "none", "example_plan": None, "translator": "reader", "constrain": "off"}
    if run.wording == "llm":
        simple["wording"] = "template"
    simple |= {"model": model, "models": {}, "base_url": None, "steps": 1, "budget_calls": 1}
    act: dict[str, Any] = {"policy": "act", "options": {}, "files": {}, "thoughts": "auto", "reading": "default"}
    for changes in ({}, act):
        try:
            run_spec(replace(run, **simple, **changes))
        except InputError:
            # It will be reported by its name when it is run; here it costs nothing.
            return 0.0, 0.0
        if sum(model.lengths):
            break
    return model.lengths


def _one_run(
    run: RunSpec, policy: Policy, task: SpecTask, system: float, problem: float, price: Price | None
) -> Estimate:
    reference = reference_of(task.task)
    shortest = None if reference is None else min(len(way.plan) for way in reference.ways)
    actions = next(length for length in (task.plan_length, shortest, _PLAN) if length is not None)
    if (effort := policy.effort(actions)) is not None:
        prompts = effort.opening * (system + problem) + effort.later * (system + problem + effort.growth)
        one = _priced(effort.opening + effort.later, prompts, effort.replies, price)
        return replace(one, assumed=(effort.how,) if effort.how else ())
    reply = _ACTION + (_THOUGHT if policy.thoughts else 0)
    turn = reply + (0 if policy.one_shot else _OBSERVATION)
    first = system + problem + (0.0 if run.example == "none" else problem + _EXAMPLE_STEPS * turn)
    turns = task.plan_length
    if turns is None:
        turns = _PLAN if run.steps is None else math.ceil(run.steps / 2)
    if run.steps is not None:
        turns = min(turns, run.steps)
    if policy.one_shot:
        samples, rounds = getattr(policy, "samples", 1), getattr(policy, "rounds", 0)
        calls = samples * (1 + rounds)
        prompts = calls * first + samples * sum(range(rounds + 1)) * turns * reply
        replies = float(calls * turns * reply)
    else:
        calls = max(1, turns)
        kept = calls if run.turns_kept is None else run.turns_kept
        prompts = calls * first + sum(min(number, kept) for number in range(calls)) * turn
        if run.turns_kept:
            # The current state is told anew, with about as many words as the problem.
            prompts += (calls - 1) * problem
        replies = float(calls * reply)
    if run.policy_name == "score":
        # Each applicable action is asked for; those of the initial state stand for all.
        simulator = Simulator(task.task)
        many = sum(1 for _ in islice(simulator.applicable(simulator.initial), _MOST_RATED))
        calls, prompts, replies = calls * many, prompts * many, replies * many
    if run.translator == "llm":
        # The whole reply goes to the model again, and its actions come back.
        actions = max(1, turns) if policy.one_shot else 1
        prompts, replies = prompts + calls * _TRANSLATION + replies, replies + calls * actions * _ACTION
        calls *= 2
    if run.translator == "lines":
        lines = max(1, turns) * (calls if policy.one_shot else 1)
        calls, prompts, replies = calls + lines, prompts + lines * _TRANSLATION, replies + lines * _ACTION
    return _priced(calls, prompts, replies, price)


def _priced(calls: int, prompts: float, replies: float, price: Price | None) -> Estimate:
    prompt, completion = math.ceil(prompts), math.ceil(replies)
    usd = None if price is None else (prompt * price.prompt + completion * price.completion) / 1_000_000
    return Estimate(calls, prompt, completion, usd)

"""Macro-actions from plans: frequent chains, lifted and composed into actions with exact conditions.

As in Macro-FF (Botea, Enzenberger, Müller and Schaeffer, "Macro-FF: Improving AI Planning with Automatically Learned
Macro-Operators", 2005), candidates come from plans of small tasks, and only few macros are kept, because each one
increases the branching factor of a search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pddl2nl.baselines import solve
from pddl2nl.errors import InputError
from pddl2nl.macros.compose import lift
from pddl2nl.macros.library import Provenance, StoredMacro, domain_hash, free_name, with_totals
from pddl2nl.macros.macro import CannotComposeError, Macro
from pddl2nl.macros.mining import ChainCandidate, Chains, candidates, chosen
from pddl2nl.nl import Wording
from pddl2nl.pddl import And, Domain, Exists, Forall, Imply, Or, Task, When, load_problem
from pddlval import GroundAction, load_plan, validate
from pddlval.formulas import subformulas
from pddlval.plans import plan_of


@dataclass(frozen=True)
class PlannedTask:
    """A task with a plan that solves it; ``name`` is for reports."""

    task: Task
    plan: tuple[GroundAction, ...]
    name: str = ""


def load_examples(domain: Domain, problems: Sequence[str], plans: Sequence[str]) -> list[PlannedTask]:
    """Problem files with their plan files."""
    return [
        PlannedTask(Task(domain, load_problem(problem, domain)), load_plan(plan).actions, plan)
        for problem, plan in zip(problems, plans, strict=True)
    ]


def plan_examples(
    domain: Domain, problems: Sequence[str], planner: str, warn: Callable[[str], None], **limits: Any
) -> list[PlannedTask]:
    """The problem files that a planner solves, with its plans; ``warn`` is told of the others.

    ``limits`` are those of `pddl2nl.baselines.solve`.
    """
    examples = []
    for file in problems:
        task = Task(domain, load_problem(file, domain))
        result = solve(task, planner, **limits)
        if result.plan is None:
            warn(f"{file}: {planner}: {result.status}: {result.message}")
        else:
            examples.append(PlannedTask(task, result.plan, file))
    return examples


@dataclass(frozen=True)
class LearningOptions:
    """Options of learning.

    Attributes:
        min_support: the smallest number of occurrences, overlaps counted once.
        max_length: the most steps of a macro.
        number: the most macros.
        max_parameters: the most objects of a macro; planners ground every combination.
        chains: adjacent steps, steps linked by producers and consumers, or both.
        distinct: parameters stand for different objects, which keeps conditions short; otherwise macros have the
            weakest precondition of their steps.
        plain: only macros without disjunctions, quantifiers and conditional effects, which are expensive for planners.
    """

    min_support: int = 2
    max_length: int = 4
    number: int = 4
    max_parameters: int = 6
    chains: Chains = "both"
    distinct: bool = True
    plain: bool = False


@dataclass(frozen=True)
class LearnedMacro:
    """A macro with its number of occurrences (overlaps counted once), of plans with it, and of steps that it saves
    there.
    """

    stored: StoredMacro
    support: int
    plans: int
    saved: int

    @property
    def macro(self) -> Macro:
        """The macro."""
        return self.stored.macro


@dataclass(frozen=True)
class RefusedChain:
    """A frequent chain that makes no macro, with the reason."""

    steps: tuple[str, ...]
    support: int
    reason: str


@dataclass(frozen=True)
class Learned:
    """The macros, best first, the refused chains, and the numbers of different chains and of steps that were
    considered.
    """

    macros: tuple[LearnedMacro, ...] = ()
    refused: tuple[RefusedChain, ...] = ()
    chains: int = 0
    steps: int = 0

    def as_json(self) -> dict[str, Any]:
        """The fields as ``pddl2nl macro learn --json`` prints them."""
        macros = [
            {**item.stored.as_json(), "support": item.support, "plans": item.plans, "saved_steps": item.saved}
            for item in self.macros
        ]
        refused = [{"steps": [*it.steps], "support": it.support, "reason": it.reason} for it in self.refused]
        return {"steps": self.steps, "chains": self.chains, "macros": macros, "refused": refused}


def learn(
    domain: Domain,
    examples: Sequence[PlannedTask],
    options: LearningOptions | None = None,
    wording: Wording | None = None,
) -> Learned:
    """Mines macros from plans.

    Args:
        domain: of all the tasks.
        examples: tasks and their plans.
        options: default: `LearningOptions()`.
        wording: describes the macros; default: no description.

    Raises:
        InputError: a plan does not solve its task.
    """
    options = options or LearningOptions()
    for example in examples:
        report = validate(example.task, plan_of(example.plan))
        if not report.valid:
            where = f" at step {report.failed_step}" if report.failed_step is not None else ""
            name = example.name or example.task.problem.name
            raise InputError(f"{name}: macros are learned from valid plans; this one is {report.verdict}{where}")
    plans = [example.plan for example in examples]
    mined = candidates(
        domain,
        plans,
        max_length=options.max_length,
        chains=options.chains,
        max_parameters=options.max_parameters,
    )
    macros: list[LearnedMacro] = []
    refused: list[RefusedChain] = []

    def accept(candidate: ChainCandidate) -> bool:
        made = _made(domain, examples, candidate, options, [learned.macro.name for learned in macros], wording)
        if isinstance(made, RefusedChain):
            refused.append(made)
        else:
            macros.append(made)
        return isinstance(made, LearnedMacro)

    for _ in chosen(mined, accept, min_support=options.min_support, number=options.number):
        pass
    return Learned(tuple(macros), tuple(refused), len(mined), sum(map(len, plans)))


def _made(
    domain: Domain,
    examples: Sequence[PlannedTask],
    candidate: ChainCandidate,
    options: LearningOptions,
    names: Sequence[str],
    wording: Wording | None,
) -> LearnedMacro | RefusedChain:
    first = candidate.occurrences[0]
    example = examples[first.plan]
    block = [example.plan[place] for place in first.places]
    name = free_name("-".join(_short(step.name for step in block)), [*(a.name for a in domain.actions), *names])
    try:
        macro = lift(example.task, block, name=name, distinct=options.distinct)
    except CannotComposeError as error:
        return RefusedChain(tuple(map(str, block)), candidate.support, str(error))
    reason = ""
    if macro.conditions.effect == And():
        reason = "it leaves everything as it was"
    elif options.plain and not _is_plain(macro):
        reason = "it has a disjunction, a quantifier or a conditional effect"
    if reason:
        return RefusedChain(tuple(map(str, macro.steps)), candidate.support, reason)
    sentences = [] if wording is None else [wording.actions[step.action].fill(step.args) for step in macro.steps]
    known = Provenance(
        descriptions=(", then ".join(sentences),) if sentences else (),
        domain=domain.name,
        domain_sha256=domain_hash(domain),
        origin=f"learned from {len(examples)} plan{'' if len(examples) == 1 else 's'}",
        support=candidate.support,
        distinct=options.distinct,
    )
    stored = with_totals(StoredMacro(macro, known), example.task)
    return LearnedMacro(stored, candidate.support, candidate.plans, candidate.saved)


def _is_plain(macro: Macro) -> bool:
    formulas = (macro.conditions.precondition, macro.conditions.effect)
    costly = Or | Imply | Exists | Forall | When
    return not any(isinstance(part, costly) for formula in formulas for part in subformulas(formula))


def _short(names: Iterable[str]) -> Iterator[str]:
    """Names of actions; repetitions of one are counted."""
    for name, run in groupby(names):
        times = len(list(run))
        yield name if times == 1 else f"{name}-x{times}"

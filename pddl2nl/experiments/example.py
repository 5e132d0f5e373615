"""The few-shot example of a run: found or made, solved, and told with thoughts and observations.

Where the problem comes from, first of these that applies:

1. the file that the user named (with a plan of the user's, validated, or with FF's);
2. for a domain that is shipped, its example instance, solved optimally;
3. made from the task itself: a short seeded random walk from the initial state, whose new facts become a goal
   and which FF then solves. Nothing of the task's own solution shows: neither the walk's end nor any state of
   the example's plan satisfies the task's goal.

Thoughts, where a mechanism shows any, come from a template: each says which goal, or which condition of a later
action, its action serves. They are marked as such in the record.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Literal

from pddl2nl.errors import InputError
from pddl2nl.nl import Teller
from pddl2nl.pddl import (
    And,
    Atom,
    Condition,
    GroundAtom,
    Problem,
    Task,
    conjuncts,
    load_problem,
    substitute,
    write_problem,
)
from pddl2nl.policies.example import Example, ExampleStep
from validators import GroundAction, Simulator, StepResult, load_plan, validate
from validators.happenings import happenings

__all__ = ["SolvedProblem", "find_example", "tell_example", "template_thoughts"]

_BEST_LENGTH = 5
_NEAR_ENOUGH = 1
_TRIES = 8
_MOST_GOALS = 4

Planner = Callable[[Task], tuple[GroundAction, ...]]
"""Solves a task; raises `InputError` where it cannot, saying what the user may give instead."""


@dataclass(frozen=True)
class SolvedProblem:
    """A problem with a valid plan, and where it came from."""

    task: Task
    plan: tuple[GroundAction, ...]
    source: Literal["file", "shipped", "made"]


def find_example(
    task: Task,
    planner: Planner,
    optimal: Planner,
    *,
    problem_path: str | Path | None = None,
    plan_path: str | Path | None = None,
    seed: int = 1,
) -> SolvedProblem:
    """The solved problem that a run on this task shows.

    Args:
        task: the task to be solved.
        planner: solves a problem that the user named or that is made here.
        optimal: solves a shipped example, whose optimal plan is known to be short.
        problem_path: the user's example; with ``plan_path``, a plan for it.
        seed: of the walks by which an example is made.

    Raises:
        InputError: the file's plan is not valid, the file is the task itself, or no example could be made.
    """
    if problem_path is not None:
        return _from_file(task, planner, Path(problem_path), plan_path)
    if plan_path is not None:
        raise InputError("--example-plan FILE needs the problem that it solves: --example PROBLEM")
    from pddl2nl.tasks import match_shipped

    shipped = match_shipped(task.domain)
    if shipped is not None:
        example = Task(task.domain, load_problem(shipped.example.path, task.domain))
        if not _same(example, task):
            return SolvedProblem(example, optimal(example), "shipped")
    return _made(task, planner, seed)


def _from_file(task: Task, planner: Planner, path: Path, plan_path: str | Path | None) -> SolvedProblem:
    example = Task(task.domain, load_problem(path, task.domain))
    if _same(example, task):
        raise InputError(f"--example {path}: this is the very problem to be solved; its plan must not be shown")
    if plan_path is None:
        return SolvedProblem(example, planner(example), "file")
    plan = load_plan(plan_path)
    report = validate(example, plan)
    if not report.valid:
        raise InputError(f"--example-plan {plan_path} is no valid plan for {path}: {report.verdict}")
    # Time stamps, where the file has some, say the order.
    return SolvedProblem(
        example, tuple(action for happening in happenings(plan) for action in happening.actions), "file"
    )


def _same(one: Task, other: Task) -> bool:
    first, second = one.problem, other.problem
    return (
        first.goal == second.goal
        and frozenset(first.init) == frozenset(second.init)
        and _values(first) == _values(second)
        and {item.name for item in first.objects} == {item.name for item in second.objects}
    )


def _values(problem: Problem) -> dict[GroundAtom, Fraction | str]:
    return {item.fluent: item.value for item in problem.init_values}


# ── made from the task itself ────────────────────────────────────────────────────────────────────


def _made(task: Task, planner: Planner, seed: int) -> SolvedProblem:
    found: list[SolvedProblem] = []
    for example in _walked(task, seed):
        plan = planner(example)
        if plan and not _meets_goal(task, plan):
            found.append(SolvedProblem(example, plan, "made"))
            if abs(len(plan) - _BEST_LENGTH) <= _NEAR_ENOUGH:
                break
    if not found:
        raise InputError(
            "no few-shot example could be made from this task (a walk from its initial state finds no other goal); "
            "name a problem with --example PROBLEM (and --example-plan FILE where no planner takes it), or take none "
            "with --example none"
        )
    return min(found, key=lambda solved: abs(len(solved.plan) - _BEST_LENGTH))


def _walked(task: Task, seed: int) -> Iterator[Task]:
    """Tasks with the same initial state whose goals are facts that a random walk made true."""
    simulator = Simulator(task)
    rng = random.Random(f"example {seed}")
    for number in range(_TRIES):
        state = simulator.initial
        for _ in range(_BEST_LENGTH + 2 * number):
            action = simulator.sample(state, rng)
            successor = None if action is None else simulator.step(state, action).successor
            if successor is None or simulator.is_goal(successor):
                break
            state = successor
        new = sorted(atom for atom in state.atoms if atom not in simulator.initial)
        if not new:
            continue
        goals = sorted(rng.sample(new, min(_MOST_GOALS, len(new))))
        yield Task(task.domain, _with_goal(task.problem, goals))


def _with_goal(problem: Problem, goals: Sequence[GroundAtom]) -> Problem:
    goal = And(tuple(Atom(atom.predicate, atom.args) for atom in goals))
    # Without its source, so that whoever wants the text gets this problem's and not the file's.
    return replace(problem, name=f"{problem.name}-example", goal=goal, metric=None, source=None)


def _meets_goal(task: Task, plan: Sequence[GroundAction]) -> bool:
    simulator = Simulator(task)
    state = simulator.initial
    for action in plan:
        successor = simulator.step(state, action).successor
        if successor is None or simulator.is_goal(successor):
            return True
        state = successor
    return False


# ── told ─────────────────────────────────────────────────────────────────────────────────────────


def tell_example(solved: SolvedProblem, teller: Teller, *, thoughts: bool) -> Example:
    """The example as a policy shows it.

    Args:
        solved: the problem and its plan.
        teller: tells that problem, in the wording and style of the run.
        thoughts: whether to add template thoughts.
    """
    said = template_thoughts(solved.task, solved.plan, teller) if thoughts else ("",) * len(solved.plan)
    steps = tuple(
        ExampleStep(teller.action(action), teller.executed(action), thought)
        for action, thought in zip(solved.plan, said, strict=True)
    )
    return Example(
        teller.goal_text(),
        teller.objects_text(),
        teller.init_text(),
        steps,
        solved.source,
        problem_text(solved.task.problem),
        tuple(map(str, solved.plan)),
        "template" if thoughts else "none",
    )


def problem_text(problem: Problem) -> str:
    """The problem's PDDL: the text it was read from, else as the writer writes it."""
    return problem.source.text if problem.source is not None else write_problem(problem)


def template_thoughts(task: Task, plan: Sequence[GroundAction], teller: Teller) -> tuple[str, ...]:
    """A thought for every action of a valid plan: the goal it reaches for good, or the later action it prepares."""
    simulator = Simulator(task)
    results = list(_trace(simulator, plan))
    goals = {_ground(goal) for goal in conjuncts(task.problem.goal) if isinstance(goal, Atom)}
    for_good = _reached_for_good(simulator, results)
    thoughts = []
    for number, result in enumerate(results):
        atoms = [atom for atom in result.added if atom in goals and _lasts(atom, results[number + 1 :])]
        reached = tuple(Atom(atom.predicate, atom.args) for atom in atoms) or for_good[number]
        if reached:
            facts = " and ".join(teller.literal(condition) for condition in reached)
            thoughts.append(f"My goal asks that {facts}. I can bring this about now.")
        else:
            thoughts.append(_preparing(task, result, results[number + 1 :], teller))
    return tuple(thoughts)


def _reached_for_good(simulator: Simulator, results: Sequence[StepResult]) -> list[tuple[Condition, ...]]:
    """For each step, the parts of the goal that fail before it and never again: comparisons, disjunctions and all."""
    states = [simulator.initial, *(result.successor for result in results if result.successor is not None)]
    missing = [simulator.unmet_goals(state) for state in states]
    later: set[Condition] = set()
    found: list[tuple[Condition, ...]] = []
    for before, after in zip(missing[-2::-1], missing[:0:-1], strict=True):
        later.update(after)
        found.append(tuple(part for part in before if part not in later))
    return found[::-1]


def _preparing(task: Task, result: StepResult, following: Sequence[StepResult], teller: Teller) -> str:
    added = set(result.added)
    for later in following:
        for condition in _preconditions(task, later.action):
            if isinstance(condition, Atom) and _ground(condition) in added:
                return f"In order to {teller.action(later.action)} I need that {teller.literal(condition)}."
        added.difference_update(later.deleted)
    return "This makes room for the actions that follow."


def _trace(simulator: Simulator, plan: Sequence[GroundAction]) -> Iterator[StepResult]:
    state = simulator.initial
    for action in plan:
        result = simulator.step(state, action)
        # Not "or": a state without atoms is falsy.
        state = state if result.successor is None else result.successor
        yield result


def _lasts(atom: GroundAtom, following: Sequence[StepResult]) -> bool:
    return not any(atom in result.deleted for result in following)


def _ground(atom: Atom) -> GroundAtom:
    return GroundAtom((atom.predicate, *atom.args))


def _preconditions(task: Task, action: GroundAction) -> tuple[Condition, ...]:
    schema = task.domain.action(action.name)
    if schema is None:
        return ()
    binding = {parameter.name: value for parameter, value in zip(schema.parameters, action.args, strict=True)}
    return tuple(conjuncts(substitute(schema.precondition, binding)))

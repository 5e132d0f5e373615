"""The few-shot example of a run: found or made, solved, and told with thoughts and observations.

Where the problem comes from, first of these that applies:

1. the file that the user named (with a plan of the user's, validated, or with a planner's), or the best of the folder;
2. for a domain that is shipped, its example instance;
3. the best of the problems whose files lie beside the task's own (`pddl2nl.experiments.example_choice`);
4. made from the task itself: a short seeded random walk from the initial state, whose new facts become a goal.
   Nothing of the task's own solution shows: neither the walk's end nor any state of the example's plan satisfies
   the task's goal.

The plan that is shown is optimal where LM-cut finds one within seconds, else FF's. But for a file that the user named,
no example is shown whose plan would solve the task as well.

Thoughts, where a mechanism shows any, come from a template, which a model may replace (`pddl2nl.experiments.thoughts`):
each says which goal, or which condition of a later action, its action serves. They are marked as such in the record.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pddl2nl.errors import InputError
from pddl2nl.experiments.example_choice import (
    BEST_LENGTH,
    best_beside,
    best_in_folder,
    distance,
    gives_away,
    same_problem,
)
from pddl2nl.experiments.plans import Plan, ff_plan, optimal_plan
from pddl2nl.nl import Teller
from pddl2nl.pddl import (
    And,
    Atom,
    Condition,
    Domain,
    GroundAtom,
    Problem,
    Task,
    conjuncts,
    load_problem,
    parse_problem,
    substitute,
    write_problem,
)
from pddl2nl.policies.setting import Example, ExampleSource, ExampleStep
from pddlval import GroundAction, Simulator, State, StepResult, load_plan, validate
from pddlval.happenings import happenings

__all__ = ["SolvedProblem", "find_example", "problem_text", "tell_example", "template_thoughts"]

_NEAR_ENOUGH = 1
_TRIES = 8
_MOST_GOALS = 4
_LOOKED_AHEAD = 20

_ADVICE = "a solved problem by --example PROBLEM with --example-plan FILE (or take none by --example none)"


@dataclass(frozen=True)
class SolvedProblem:
    """A problem with a valid plan, and where it came from."""

    task: Task
    plan: Plan
    source: ExampleSource

    @classmethod
    def from_json(cls, data: Mapping[str, Any], domain: Domain) -> SolvedProblem:
        """The problem of a record's example (`Example.to_json`), so that the same can be shown again.

        Raises:
            InputError: the data hold no problem of this domain with a plan.
        """
        try:
            problem, source = parse_problem(data["problem"], domain), data["source"]
            plan = tuple(GroundAction.parse(action) for action in data["plan"])
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(f"no example of a record: {error!r}") from None
        return cls(Task(domain, problem), plan, source)


def find_example(
    task: Task,
    *,
    given: str | Path | SolvedProblem | None = None,
    plan_path: str | Path | None = None,
    seed: int = 1,
) -> SolvedProblem:
    """The solved problem that a run on this task shows.

    Args:
        task: the task to be solved.
        given: the user's example: a problem file, a folder of such, or a problem that is solved already.
        plan_path: a plan for that file; without it a planner solves it.
        seed: of the walks by which an example is made.

    Raises:
        InputError: the file's plan is not valid, the file is the task itself, or no example could be found or made.
        InfrastructureError: the planner failed.
    """
    if plan_path is not None and not (isinstance(given, str | Path) and not Path(given).is_dir()):
        raise InputError("--example-plan FILE needs the one problem that it solves: --example PROBLEM")
    if isinstance(given, SolvedProblem):
        return given
    if given is not None:
        return _named(task, Path(given), plan_path)
    return _shipped(task) or _beside(task) or _made(task, seed)


def _named(task: Task, path: Path, plan_path: str | Path | None) -> SolvedProblem:
    if path.is_dir():
        return SolvedProblem(*best_in_folder(task, path), "file")
    example = Task(task.domain, load_problem(path, task.domain))
    if same_problem(example.problem, task.problem):
        raise InputError(f"--example {path}: this is the very problem to be solved; its plan must not be shown")
    plan = _shortest(example) if plan_path is None else _valid_plan(example, path, plan_path)
    if not plan:
        raise InputError(f"--example {path}: its plan has no step, and so it shows nothing; name another problem")
    return SolvedProblem(example, plan, "file")


def _valid_plan(example: Task, path: Path, plan_path: str | Path) -> Plan:
    plan = load_plan(plan_path)
    report = validate(example, plan)
    if not report.valid:
        raise InputError(f"--example-plan {plan_path} is no valid plan for {path}: {report.verdict}")
    # Time stamps, where the file has some, say the order.
    return tuple(action for happening in happenings(plan) for action in happening.actions)


def _shortest(example: Task) -> Plan:
    return optimal_plan(example) or ff_plan(example, _ADVICE)


def _shipped(task: Task) -> SolvedProblem | None:
    from pddl2nl.tasks import match_shipped

    shipped = match_shipped(task.domain)
    if shipped is None:
        return None
    example = Task(task.domain, load_problem(shipped.example.path, task.domain))
    if same_problem(example.problem, task.problem):
        return None
    plan = _shortest(example)
    return None if gives_away(task, plan) else SolvedProblem(example, plan, "shipped")


def _beside(task: Task) -> SolvedProblem | None:
    found = best_beside(task)
    return None if found is None else SolvedProblem(*found, "beside")


# ── made from the task itself ────────────────────────────────────────────────────────────────────


def _made(task: Task, seed: int) -> SolvedProblem:
    found: list[SolvedProblem] = []
    for example in _walked(task, seed):
        plan = ff_plan(example, _ADVICE)
        if plan and not gives_away(task, plan):
            found.append(SolvedProblem(example, plan, "made"))
            if distance(plan) <= _NEAR_ENOUGH:
                break
    if not found:
        raise InputError(
            "no few-shot example could be made from this task (a walk from its initial state finds no other goal); "
            "name a problem with --example PROBLEM (and --example-plan FILE where no planner takes it), or take none "
            "with --example none"
        )
    best = min(found, key=lambda solved: distance(solved.plan))
    shown = optimal_plan(best.task)
    return best if not shown or gives_away(task, shown) else replace(best, plan=shown)


def _walked(task: Task, seed: int) -> Iterator[Task]:
    """Tasks with the same initial state whose goals are facts that a random walk made true."""
    simulator = Simulator(task)
    rng = random.Random(f"example {seed}")
    for number in range(_TRIES):
        state = simulator.initial
        for _ in range(BEST_LENGTH + 2 * number):
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
            asks = "The goal needs" if teller.style == "pddl" else "My goal asks that"
            thoughts.append(f"{asks} {facts}. I can bring this about now.")
        else:
            following = results[number + 1 :]
            states = [state for each in results[number:] if (state := each.successor) is not None]
            before = simulator.initial if number == 0 else results[number - 1].successor
            served = _adds_for(task, result, following) or _makes_hold_for(simulator, before, states, following)
            thoughts.append(_serving(served, teller))
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


def _serving(served: tuple[GroundAction, Condition] | None, teller: Teller) -> str:
    if served is None:
        return "This makes room for the actions that follow."
    later, condition = served
    if teller.style == "pddl":
        return f"The later action {teller.action(later)} needs {teller.literal(condition)}."
    return f"In order to {teller.action(later)} I need that {teller.literal(condition)}."


def _adds_for(task: Task, result: StepResult, following: Sequence[StepResult]) -> tuple[GroundAction, Condition] | None:
    """The first later action with a condition that a step adds, and nothing deletes before it."""
    added = set(result.added)
    for later in following:
        for condition in _preconditions(task, later.action):
            if isinstance(condition, Atom) and _ground(condition) in added:
                return later.action, condition
        added.difference_update(later.deleted)
    return None


def _makes_hold_for(
    simulator: Simulator, before: State | None, states: Sequence[State], following: Sequence[StepResult]
) -> tuple[GroundAction, Condition] | None:
    """As `_adds_for`, for conditions of all kinds: negations, comparisons, derived facts; the next few actions."""
    if before is None:
        return None
    for number, later in enumerate(following[:_LOOKED_AHEAD]):
        for condition in simulator.step(before, later.action).unmet:
            if all(condition not in simulator.step(state, later.action).unmet for state in states[: number + 1]):
                return later.action, condition
    return None


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

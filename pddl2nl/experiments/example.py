"""The few-shot example of a run: found or made, solved, and told with thoughts and observations.

The problem comes from the first of these that applies:

1. the file that the user named, with a plan of the user's, validated, or a planner's; or the best of the named folder;
2. for a shipped domain, its example instance;
3. the best of the problems beside the task's own file;
4. the task itself: a short seeded random walk from the initial state, whose new facts become a goal. Neither the end of
   the walk nor any state of the example's plan satisfies the task's goal.

The best of several problems has a plan by FF or LM-cut of five steps, or the nearest to five, as in the AutoPlanBench
paper (appendix B, "Few-shot example selection"). The choice depends on the files only, not on their order on the disk,
their age, or other runs.

The plan shown is optimal if LM-cut finds one within seconds, else FF's. Except for a file that the user named, no
example is shown whose plan would also solve the task.

Thoughts come from a template, or from a model (`pddl2nl.experiments.thoughts`). Each names the goal, or the condition
of a later action, that its action serves. The record says where they came from.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from pddl2nl.errors import InputError
from pddl2nl.experiments.plans import Plan, ff_plan, optimal_plan, quick_plan
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

__all__ = [
    "BEST_LENGTH",
    "SolvedProblem",
    "best_beside",
    "best_in_folder",
    "find_example",
    "problem_text",
    "same_problem",
    "tell_example",
    "template_thoughts",
]


BEST_LENGTH = 5
"""How many steps the plan of a good example has (appendix B of the paper)."""

_TRIED = 24
"""How many problems are solved in search of one, at most, the smallest files first: a set like the paper's has 21."""

_FAR_OFF = 10
"""The search ends with so many that have no plan, or a far longer one: what follows is larger still."""

_READ = 200
"""How many files are looked into, at most."""

_LARGEST = 1_000_000
"""Bytes of the largest file that is looked into: nothing larger has a plan of five steps that is worth showing."""

_WORTH_IMPROVING = 15
"""The longest plan of FF's that LM-cut is asked to shorten: beyond, it would take its whole time and stay far off."""


@dataclass(frozen=True)
class _Candidate:
    """A problem with FF's plan and the one that is shown, which is optimal where LM-cut found one."""

    task: Task
    quick: Plan
    shown: Plan

    @property
    def badness(self) -> tuple[int, int]:
        """How far the nearer of the two plans is from the best length, and then the one that is shown."""
        return min(distance(self.quick), distance(self.shown)), distance(self.shown)


def distance(plan: Plan) -> int:
    """How many steps a plan is longer or shorter than the best length."""
    return abs(len(plan) - BEST_LENGTH)


def best_beside(task: Task) -> tuple[Task, Plan] | None:
    """The best of the problems whose files lie beside the task's own; None where there is none, or no own file."""
    source = task.problem.source
    # A text that was parsed has a made-up name, which is no file's.
    if source is None or not Path(source.name).is_file():
        return None
    return _best(task, _files(Path(source.name).parent))


def best_in_folder(task: Task, folder: Path) -> tuple[Task, Plan]:
    """The best of the problems in a folder that the user named.

    Raises:
        InputError: none of them can be shown.
    """
    found = _best(task, _files(folder))
    if found is None:
        raise InputError(
            f"--example {folder}: none of the *.pddl files there can be shown: a problem of the domain "
            f"'{task.domain.name}' is needed, other than the task itself, that FF solves within seconds and whose "
            "plan does not solve the task as well"
        )
    return found


def gives_away(task: Task, plan: Plan) -> bool:
    """Whether a plan, carried out in the task as far as it goes, reaches the task's goal."""
    simulator = Simulator(task)
    state = simulator.initial
    for action in plan:
        try:
            successor = simulator.step(state, action).successor
        except InputError:
            # Another problem has other objects.
            return False
        if successor is None:
            return False
        if simulator.is_goal(successor):
            return True
        state = successor
    return False


def same_problem(one: Problem, other: Problem) -> bool:
    """Whether two problems are one and the same but for their names and the order in which they say things."""
    return (
        one.goal == other.goal
        and frozenset(one.init) == frozenset(other.init)
        and {item.fluent: item.value for item in one.init_values}
        == {item.fluent: item.value for item in other.init_values}
        and {item.name for item in one.objects} == {item.name for item in other.objects}
    )


# ── the files ────────────────────────────────────────────────────────────────────────────────────


def _files(folder: Path) -> list[Path]:
    """The PDDL files of a folder, the smallest first, by name where they are as large."""
    try:
        found = [path for path in folder.iterdir() if path.suffix.lower() == ".pddl" and path.is_file()]
        sized = sorted((path.stat().st_size, path.name, path) for path in found)
    except OSError as error:
        raise InputError(f"{folder}: the problems in it cannot be listed: {error.strerror}") from None
    return [path for size, _, path in sized if size <= _LARGEST][:_READ]


def _best(task: Task, files: Sequence[Path]) -> tuple[Task, Plan] | None:
    found: list[_Candidate] = []
    far_off = 0
    for other in islice(_problems(task, files), _TRIED):
        quick = quick_plan(other)
        far_off += quick is None or len(quick) > _WORTH_IMPROVING
        if quick and not gives_away(task, quick):
            candidate = _candidate(task, other, quick)
            found.append(candidate)
            if candidate.badness[0] == 0:
                break
        if far_off == _FAR_OFF:
            break
    # The first of equals, and so the smallest.
    best = min(found, key=lambda candidate: candidate.badness, default=None)
    return None if best is None else (best.task, best.shown)


def _candidate(task: Task, other: Task, quick: Plan) -> _Candidate:
    shown = optimal_plan(other) if len(quick) <= _WORTH_IMPROVING else None
    return _Candidate(other, quick, quick if not shown or gives_away(task, shown) else shown)


def _problems(task: Task, files: Sequence[Path]) -> Iterator[Task]:
    """The other problems of the task's domain among some files; other files are skipped."""
    wanted = {task.domain.name, task.problem.domain_name}
    said = re.compile(rf"\(\s*:domain\s+(?:{'|'.join(map(re.escape, sorted(wanted)))})\s*\)", re.IGNORECASE)
    for path in files:
        try:
            if not said.search(path.read_text(encoding="utf-8", errors="replace")):
                # Nothing is parsed that is none: beside the instances lie domains, and those of other domains.
                continue
            problem = load_problem(path, task.domain)
        except (InputError, OSError):
            continue
        if problem.domain_name in wanted and not same_problem(problem, task.problem):
            yield Task(task.domain, problem)


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
    # Without its source, so that its text is written anew and not taken from the file.
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

"""Choosing a few-shot example among problem files: the one whose plan is nearest to five steps long.

As in the AutoPlanBench paper (appendix B, "Few-shot example selection"): of the instances of the task's own domain,
that whose plan by FF or LM-cut has length five or comes nearest to it. Nothing but the files decides: not their order
on the disk, not their age, not what another run has found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from pddl2nl.errors import InputError
from pddl2nl.experiments.plans import Plan, optimal_plan, quick_plan
from pddl2nl.pddl import Problem, Task, load_problem
from pddlval import Simulator

__all__ = ["BEST_LENGTH", "best_beside", "best_in_folder", "distance", "gives_away", "same_problem"]

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
    """The other problems of the task's domain among some files; whatever else there is, is passed over."""
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

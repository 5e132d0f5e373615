"""The forms in which a baseline takes a task: parsed, as two files, or as two texts."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from pddl2nl.pddl import FluentValue, GroundAtom, Problem, Task, load_task, parse_task, write_domain, write_problem


@dataclass(frozen=True)
class TaskFiles:
    """A task as two PDDL files, which planners read themselves."""

    domain: Path
    problem: Path


@dataclass(frozen=True)
class TaskTexts:
    """A task as two PDDL texts, which planners read unchanged."""

    domain: str
    problem: str


def as_task(task: Task | TaskFiles | TaskTexts) -> Task:
    """The parsed task.

    Raises:
        PDDLError: a file or a text cannot be read.
    """
    if isinstance(task, TaskFiles):
        return load_task(task.domain, task.problem)
    if isinstance(task, TaskTexts):
        return parse_task(task.domain, task.problem)
    return task


def problem_in_state(problem: Problem, atoms: Iterable[GroundAtom], values: Mapping[GroundAtom, Fraction]) -> Problem:
    """The problem from another initial state."""
    return replace(
        problem,
        init=tuple(atoms),
        init_values=tuple(FluentValue(fluent, value) for fluent, value in values.items()),
        init_negative=(),
    )


@contextmanager
def files_of(task: Task | TaskFiles | TaskTexts) -> Iterator[TaskFiles]:
    """The task as two files; temporary ones exist until the end of the block.

    A parsed task is written from its tree, which may have changed since it was read.
    """
    if isinstance(task, TaskFiles):
        yield task
        return
    texts = TaskTexts(write_domain(task.domain), write_problem(task.problem)) if isinstance(task, Task) else task
    with tempfile.TemporaryDirectory(prefix="pddl2nl-task-") as folder:
        files = TaskFiles(Path(folder) / "domain.pddl", Path(folder) / "problem.pddl")
        files.domain.write_text(texts.domain, encoding="utf-8")
        files.problem.write_text(texts.problem, encoding="utf-8")
        yield files

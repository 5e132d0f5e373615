"""A task under other names, and the words that were in it: for tests of renamings."""

from __future__ import annotations

import re

from pddl2nl.pddl import Task, write_domain, write_problem
from pddl2nl.pddl.symbols import Symbols
from pddl2nl.tasks.obfuscation import obfuscation
from pddl2nl.tasks.renaming import TaskRenaming

BUILT_IN = {"object", "total-cost", "number"}


def renamed(task: Task, scheme: str, seed: int = 1, *, objects: bool = True) -> tuple[TaskRenaming, Task]:
    """The renaming of a task, and the task renamed."""
    renaming = obfuscation(task.domain, [task.problem], scheme=scheme, seed=seed, objects=objects)
    return renaming, renaming.task(task)


def text(task: Task) -> str:
    """Both files."""
    return write_domain(task.domain) + write_problem(task.problem)


def words(task: Task) -> set[str]:
    """All words of both files, variables without their question mark."""
    return {word.lstrip("?") for word in re.findall(r"[^\s()]+", text(task)) if word[0] != ":"}


def symbols_of(task: Task) -> set[str]:
    """All names that the domain and the problem declare, longer than two letters."""
    domain, problem = task.domain, task.problem
    declared = Symbols.of(domain, problem)
    actions = [*domain.actions, *domain.durative_actions, *domain.processes, *domain.events]
    names = {*declared.predicates, *declared.functions, *declared.objects, *declared.above}
    names |= {item.name for item in (*actions, domain, problem)}
    names |= {word[1:] for word in re.findall(r"\?[^\s()]+", text(task))}
    return {name for name in names - BUILT_IN if len(name) > 2}

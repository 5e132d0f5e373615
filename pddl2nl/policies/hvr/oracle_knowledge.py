"""What the oracle knows about tasks in words: what is wanted, and by which sub-goals it is reached.

A prompt of a hierarchical policy says the task in free language, which the house's reader does not read. So the oracle
is given what a text stands for (`KnownTask`): the goal, the macro-actions with their sub-goals, and which objects they
are about. It is given no action and no state: all plans are found from what prompts tell. For tasks without such a text
the told goal is read back instead.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from pddl2nl.nl import Wording, make_names
from pddl2nl.nl.names import SCHEMES
from pddl2nl.pddl import Atom, Condition, Domain, Problem, Task, TypedName, is_variable, parse_problem, substitute
from pddl2nl.tasks.references import Block, reference_task, references_of, told_references
from pddlval import GroundAction
from pddlval.names import subformulas

__all__ = ["Knowledge", "KnownMacro", "KnownTask", "known_tasks", "terms_of", "under_told_names"]


@dataclass(frozen=True)
class KnownMacro:
    """A macro-action in words, its sub-goal, and the objects that it is about."""

    words: str
    goal: Condition
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class KnownTask:
    """What a text stands for.

    Attributes:
        goal: what must hold in the end.
        macros: the way to it.
        objects: all objects, in the order of declaration.
        besides: what was of use in the example of the domain and may be again, where the world is other than expected.
    """

    goal: Condition
    macros: tuple[KnownMacro, ...]
    objects: tuple[TypedName, ...] = ()
    besides: tuple[str, ...] = ()

    @property
    def needs(self) -> tuple[str, ...]:
        """All objects that the macro-actions are about."""
        return tuple(dict.fromkeys(name for macro in self.macros for name in macro.needs))


Knowledge = Callable[[str], KnownTask | None]
"""What a task's text stands for; None where that is not known."""


def under_told_names(known: KnownTask, domain: Domain, wording: Wording, told: Collection[str]) -> KnownTask:
    """The same with its objects called as a prompt calls them: by the scheme that gives most of the names in it."""
    constants = {item.name for item in domain.constants}
    own = tuple(item for item in known.objects if item.name not in constants)
    task = Task(domain, Problem("known", domain.name, objects=own))
    names = max(
        (make_names(task, scheme, wording).to_nl for scheme in SCHEMES),
        key=lambda to_nl: sum(name in told for name in to_nl.values()),
    )
    return _renamed(known, names)


def _renamed(known: KnownTask, names: Mapping[str, str]) -> KnownTask:
    def all_of(objects: Iterable[str]) -> tuple[str, ...]:
        return tuple(names.get(name, name) for name in objects)

    return replace(
        known,
        goal=substitute(known.goal, names),
        macros=tuple(
            KnownMacro(macro.words, substitute(macro.goal, names), all_of(macro.needs)) for macro in known.macros
        ),
        objects=tuple(replace(item, name=names.get(item.name, item.name)) for item in known.objects),
        besides=all_of(known.besides),
    )


def known_tasks(domain: Domain) -> Knowledge:
    """What the texts of a shipped domain's tasks stand for, the first way of each; nothing of other domains."""

    def known(text: str) -> KnownTask | None:
        found = told_references(text, domain) if text else ()
        return _of_reference(domain, found[0].instance) if found else None

    return known


@lru_cache(maxsize=64)
def _of_reference(domain: Domain, instance: str) -> KnownTask:
    reference = next(each for each in references_of(domain) if each.instance == instance)
    task = reference_task(domain, reference)
    macros = tuple(_macro(task, block) for block in reference.ways[0].blocks)
    examples = [each for each in references_of(domain) if each.role == "example"]
    used = [name for each in examples for action in each.ways[0].plan for name in GroundAction.parse(action).args]
    besides = tuple(name for name in dict.fromkeys(used) if name in task.objects)
    return KnownTask(task.problem.goal, macros, tuple(task.objects.values()), besides)


def _macro(task: Task, block: Block) -> KnownMacro:
    goal = _condition(task, block.goal)
    named = [name for action in block.actions for name in GroundAction.parse(action).args]
    return KnownMacro(block.macro, goal, tuple(dict.fromkeys((*named, *terms_of(goal)))))


def terms_of(condition: Condition) -> Iterator[str]:
    """The objects that a condition names."""
    for part in subformulas(condition):
        if isinstance(part, Atom):
            yield from (term for term in part.args if not is_variable(term))


def _condition(task: Task, text: str) -> Condition:
    """A condition over the objects of a task, read from its text."""
    objects = " ".join(f"{item.name} - (either {' '.join(item.types)})" for item in task.problem.objects)
    name = task.domain.name
    problem = f"(define (problem known) (:domain {name}) (:objects {objects}) (:init) (:goal {text}))"
    return parse_problem(problem, task.domain, "<a sub-goal>").goal

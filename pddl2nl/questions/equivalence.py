"""Are two problems of one domain the same task? Planetarium's question about problems that a language model writes.

Zuo et al., "Planetarium: A Rigorous Benchmark for Translating Text to Structured Planning Languages" (2024): two
problems are equivalent if some renaming of objects gives the same initial state and the same goal. Different goals can
say the same, so both goals are first completed with what always holds with them: literals that hold in every state that
can be reached and satisfies the goal, as far as pairs of literals prove it (`pddl2nl.questions.relaxation`). This proof
is sound and not complete: problems that are called equivalent are, and in rare cases others are as well.

Names, metrics, repeated facts and the order of lines do not matter. Then graph isomorphism decides
(`pddl2nl.tasks.isomorphism`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pddl2nl.errors import UnsupportedError
from pddl2nl.pddl import And, Atom, Condition, Forall, GroundAtom, Not, Problem, Task
from pddl2nl.pddl.rewriting import substitute
from pddl2nl.questions.relaxation import GroundActions, Literal, Mutexes
from pddl2nl.tasks.isomorphism import isomorphic
from pddlval import Simulator
from pddlval.formulas import negation_normal

__all__ = ["ProblemComparison", "compare_problems", "completed"]

MOST_ACTIONS = 5_000
"""Goals of tasks with more ground actions are completed by static facts only."""


@dataclass(frozen=True)
class ProblemComparison:
    """The result of comparing a problem with a given one.

    Attributes:
        equivalent: whether some renaming of objects makes them the same.
        missing: what the given problem has and the other one lacks: objects, facts and parts of the goal.
        invented: what only the other one has.
    """

    equivalent: bool
    missing: tuple[str, ...] = ()
    invented: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """The fields as ``pddl2nl equivalent --json`` prints them."""
        return {"equivalent": self.equivalent, "missing": [*self.missing], "invented": [*self.invented]}


def compare_problems(given: Task, other: Task) -> ProblemComparison:
    """Compares two problems of one domain.

    Objects of the same name correspond where parts are listed; the others in their order, by type.

    Raises:
        UnsupportedError: a goal is no conjunction of literals, quantified ones included, or a problem has timed facts
            or constraints.
        MissingExtraError: networkx is not installed.
    """
    ours, theirs = completed(given), completed(other)
    if isomorphic(ours, theirs):
        return ProblemComparison(True)
    names = _correspondence(given.problem, other.problem)
    mine, its = _parts(given, {}), _parts(other, names)
    all_mine, all_its = _parts(ours, {}), _parts(theirs, names)
    return ProblemComparison(False, tuple(sorted(mine - all_its)), tuple(sorted(its - all_mine)))


def completed(task: Task) -> Task:
    """The task with each fact once, and with its goal completed by what always holds with it.

    Raises:
        UnsupportedError: the goal is no conjunction of literals.
    """
    problem = replace(
        task.problem, init=tuple(sorted(set(task.problem.init))), init_negative=(), metric=None, source=None
    )
    goal = set(_literals(negation_normal(problem.goal), task))
    plain = replace(problem, goal=_conjunction(goal))
    return Task(task.domain, replace(plain, goal=_conjunction(_closed(Task(task.domain, plain), goal))))


def _closed(task: Task, goal: set[Literal]) -> set[Literal]:
    """The goal's literals and those that hold with them; without static ones that hold, because they say nothing."""
    simulator = Simulator(task)
    initial = simulator.initial
    changing = initial.layout.changing
    closed = {literal for literal in goal if literal[0][0] in changing or initial.true(literal[0]) != literal[1]}
    plain = GroundActions(simulator)
    if plain.actions is None or len(plain.actions) > MOST_ACTIONS:
        return closed
    atoms = sorted({atom for atom, _ in plain.numbered})
    ground = GroundActions(simulator)
    # Numbered before the actions are made: otherwise negative literals that no action needs are left out.
    ground.mask((atom, False) for atom in atoms)
    mutexes = Mutexes(ground, initial)
    known = {literal for literal in closed if literal[0] in atoms}
    if mutexes.never(ground.mask(known)) is not None:
        return closed
    open_ = {(atom, positive) for atom in atoms for positive in (True, False)} - known
    while implied := {
        (atom, positive)
        for atom, positive in open_
        if mutexes.never(ground.mask([(atom, not positive)])) is not None
        or any(mutexes.never(ground.mask([(atom, not positive), other])) is not None for other in known)
    }:
        known |= implied
        open_ -= implied
    return closed | known


def _conjunction(literals: set[Literal]) -> Condition:
    parts = (Atom(atom.predicate, atom.args) for atom, _ in sorted(literals))
    signs = (positive for _, positive in sorted(literals))
    return And(tuple(part if positive else Not(part) for part, positive in zip(parts, signs, strict=True)))


def _literals(goal: Condition, task: Task) -> Iterator[Literal]:
    """The literals of a goal in negation normal form; universal ones for all objects."""
    match goal:
        case And(parts=parts):
            for part in parts:
                yield from _literals(part, task)
        case Forall(parameters=(), body=body):
            yield from _literals(body, task)
        case Forall(parameters=(first, *rest), body=body):
            for name in task.objects_of(first.types):
                yield from _literals(
                    replace(goal, parameters=tuple(rest), body=substitute(body, {first.name: name})), task
                )
        case Atom(predicate=predicate, args=args):
            yield GroundAtom((predicate, *args)), True
        case Not(body=Atom(predicate=predicate, args=args)):
            yield GroundAtom((predicate, *args)), False
        case _:
            raise UnsupportedError(
                f"the goal of problem '{task.problem.name}' is not a conjunction of literals: it is not compared"
            )


# ── what differs ─────────────────────────────────────────────────────────────────────────────────


def _correspondence(given: Problem, other: Problem) -> Mapping[str, str]:
    """For each object of the other problem one of the given problem: of the same name, else of the same type."""
    shared = {item.name for item in given.objects} & {item.name for item in other.objects}
    names = {name: name for name in shared}
    free = [item for item in given.objects if item.name not in shared]
    for item in other.objects:
        match = next((each for each in free if each.types == item.types), None)
        if item.name not in shared and match is not None:
            free.remove(match)
            names[item.name] = match.name
    return names


def _parts(task: Task, names: Mapping[str, str]) -> set[str]:
    """The objects, facts and goal literals of a problem as texts, under other names of its objects."""

    def renamed(atom: GroundAtom) -> GroundAtom:
        return GroundAtom((atom.predicate, *(names.get(term, term) for term in atom.args)))

    problem = task.problem
    objects = {f"object {names.get(item.name, item.name)} - {' '.join(sorted(item.types))}" for item in problem.objects}
    facts = {f"init {renamed(fact)}" for fact in problem.init}
    facts |= {f"init (= {renamed(each.fluent)} {each.value})" for each in problem.init_values}
    literals = ((renamed(atom), positive) for atom, positive in _literals(negation_normal(problem.goal), task))
    goal = {f"goal {atom}" if positive else f"goal (not {atom})" for atom, positive in literals}
    return objects | facts | goal

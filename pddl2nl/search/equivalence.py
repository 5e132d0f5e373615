"""Are two problems of one domain the same task? Planetarium's question about problems that a language model writes.

Zuo et al., "Planetarium: A Rigorous Benchmark for Translating Text to Structured Planning Languages" (2024): two
problems are equivalent if some renaming of objects gives the same initial state and the same goal. Different goals can
say the same, so both goals are first completed with what always holds with them: literals that hold in every state that
can be reached and satisfies the goal, as far as pairs of literals prove it (`pddl2nl.search.mutexes`).
Quantifiers are written out for all objects, and what is known to hold with the goal is left out of its disjunctions.
This is sound and not complete: problems that are called equivalent are, and in rare cases others are as well.

Names, metrics, repeated facts and the order of lines do not matter. Then graph isomorphism decides
(`pddl2nl.tasks.isomorphism`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from pddl2nl.errors import UnsupportedError
from pddl2nl.pddl import (
    And,
    Atom,
    Condition,
    Equality,
    Exists,
    Forall,
    GroundAtom,
    Not,
    Or,
    Problem,
    Task,
    conjuncts,
    write_condition,
)
from pddl2nl.pddl.rewriting import Renaming, substitute
from pddl2nl.search.grounding import GroundActions, Literal
from pddl2nl.search.invariants import exact_groups
from pddl2nl.search.mutexes import Mutexes
from pddl2nl.tasks.isomorphism import isomorphic
from pddlval import Simulator
from pddlval.formulas import negation_normal

MOST_ACTIONS = 5_000
"""Goals of tasks with more ground actions are completed by nothing."""
MOST_INSTANCES = 20_000
"""Goals with quantifiers that stand for more facts are not compared."""
_TRUE, _FALSE = And(), Or()


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
        """The fields as ``pddl2nl tasks equivalent --json`` prints them."""
        return {"equivalent": self.equivalent, "missing": [*self.missing], "invented": [*self.invented]}


def compare_problems(given: Task, other: Task) -> ProblemComparison:
    """Compares two problems of one domain.

    Objects of the same name correspond where parts are listed; the others in their order, by type.

    Raises:
        UnsupportedError: a goal has numbers or quantifiers over too many objects, or a problem has timed facts or
            constraints.
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
    """The task with each fact once, and with its goal in a fixed form: literals, and disjunctions without quantifiers.

    The literals are completed with what always holds with them; what they decide is left out of the disjunctions.

    Raises:
        UnsupportedError: the goal has numbers, or its quantifiers range over too many objects.
    """
    problem = replace(
        task.problem, init=tuple(sorted(set(task.problem.init))), init_negative=(), metric=None, source=None
    )
    goal = _expanded(task)
    while True:
        literals = {literal for part in conjuncts(goal) if (literal := _literal(part)) is not None}
        known = _closed(Task(task.domain, replace(problem, goal=_conjunction(literals))), literals)
        rest = [part for part in conjuncts(goal) if _literal(part) is None]
        reduced = [_reduced(part, known) for part in rest]
        if reduced == rest:
            return Task(task.domain, replace(problem, goal=_joined(And, [_conjunction(known), *rest])))
        # A disjunction with one literal left may decide others.
        goal = _joined(And, [_conjunction(literals), *reduced])


def _closed(task: Task, goal: set[Literal]) -> set[Literal]:
    """The goal's literals and those that hold with them."""
    simulator = Simulator(task)
    plain = GroundActions(simulator)
    if plain.actions is None or len(plain.actions) > MOST_ACTIONS:
        return goal
    atoms = sorted({atom for atom, _ in plain.numbered})
    ground = GroundActions(simulator)
    # Numbered before the actions are made: otherwise negative literals that no action needs are left out.
    ground.mask((atom, False) for atom in atoms)
    mutexes = Mutexes(ground, simulator.initial)
    known = {literal for literal in goal if literal[0] in atoms}
    if mutexes.never(ground.mask(known)) is not None:
        return goal
    covers = [
        {
            atom
            for atom in atoms
            for part in parts
            if atom.predicate == part.predicate and (part.key is None or atom.args[part.key] == name)
        }
        for name, parts in exact_groups(task)
    ]

    def never(literals: Iterable[Literal]) -> bool:
        return mutexes.never(ground.mask(literals)) is not None

    def excluded(literal: Literal) -> bool:
        return never([literal]) or any(never([literal, other]) for other in known)

    def last_of(cover: set[GroundAtom]) -> set[Literal]:
        """What follows from one of these atoms being true: the only one that can be, and those that cannot be."""
        possible = {atom for atom in cover if (atom, False) not in known}
        if any((atom, True) in known for atom in possible):
            return set()
        if len(possible) == 1:
            return {(atom, True) for atom in possible}
        true = ground.mask(literal for literal in known if literal[1])
        return {(atom, False) for atom in possible if mutexes.unreachable(true, ground.mask([(atom, True)]))}

    open_ = {(atom, positive) for atom in atoms for positive in (True, False)} - known
    while open_:
        implied = {(atom, positive) for atom, positive in open_ if excluded((atom, not positive))}
        # Induction takes longer, so that it waits until pairs prove nothing more.
        implied = implied or {literal for cover in covers for literal in last_of(cover)} & open_
        if not implied:
            break
        known |= implied
        open_ -= implied
    return goal | known


# ── the form of goals ────────────────────────────────────────────────────────────────────────────


def _expanded(task: Task) -> Condition:
    """The goal as conjunctions and disjunctions of literals, flat and sorted, without quantifiers.

    Static facts that hold are left out, and so are disjuncts that no action can make true.
    """
    initial, name = Simulator(Task(task.domain, replace(task.problem, goal=And()))).initial, task.problem.name
    dynamic = initial.layout.dynamic

    def decided(part: Condition) -> bool | None:
        """Whether a static literal holds; False for a conjunction with one that does not; None for other conditions."""
        literal = _literal(part)
        if literal is None:
            return False if isinstance(part, And) and any(decided(each) is False for each in part.parts) else None
        return None if literal[0].predicate in dynamic else initial.true(literal[0]) == literal[1]

    def form(goal: Condition) -> Condition:
        match goal:
            case And(parts=parts):
                return _joined(And, map(form, parts))
            case Or(parts=parts):
                return _joined(Or, (part for part in map(form, parts) if decided(part) is not False))
            case Forall(parameters=parameters, body=body) | Exists(parameters=parameters, body=body):
                names = [item.name for item in parameters]
                choices = product(*(task.objects_of(item.types) for item in parameters))
                parts = tuple(substitute(body, dict(zip(names, each, strict=True))) for each in choices)
                return form(And(parts) if isinstance(goal, Forall) else Or(parts))
            case Equality(left=left, right=right) | Not(body=Equality(left=left, right=right)):
                return _TRUE if (left == right) == isinstance(goal, Equality) else _FALSE
            case Atom() | Not(body=Atom()):
                return _TRUE if decided(goal) else goal
        raise UnsupportedError(f"the goal of problem '{name}' has more than facts and equalities: it is not compared")

    goal = negation_normal(task.problem.goal)
    if _instances(goal, task) > MOST_INSTANCES:
        raise UnsupportedError(
            f"the goal of problem '{name}' says more than {MOST_INSTANCES:,} facts of all objects: it is not compared"
        )
    return form(goal)


def _instances(goal: Condition, task: Task) -> int:
    match goal:
        case And(parts=parts) | Or(parts=parts):
            return sum(_instances(part, task) for part in parts)
        case Forall(parameters=parameters, body=body) | Exists(parameters=parameters, body=body):
            return prod(len(task.objects_of(item.types)) for item in parameters) * _instances(body, task)
    return 1


def _joined(kind: type[And] | type[Or], parts: Iterable[Condition]) -> Condition:
    """The flat conjunction or disjunction of parts in their forms, sorted, each once."""
    flat: set[Condition] = set()
    for part in parts:
        flat.update(part.parts if isinstance(part, kind) else (part,))
    decisive = _FALSE if kind is And else _TRUE
    if decisive in flat:
        return decisive
    ordered = sorted(flat, key=write_condition)
    return ordered[0] if len(ordered) == 1 else kind(tuple(ordered))


def _reduced(goal: Condition, known: set[Literal]) -> Condition:
    if isinstance(goal, And | Or):
        return _joined(type(goal), (_reduced(part, known) for part in goal.parts))
    literal = _literal(goal)
    assert literal is not None
    if literal in known:
        return _TRUE
    return _FALSE if (literal[0], not literal[1]) in known else goal


def _conjunction(literals: set[Literal]) -> Condition:
    parts = (Atom(atom.predicate, atom.args) for atom, _ in sorted(literals))
    signs = (positive for _, positive in sorted(literals))
    return And(tuple(part if positive else Not(part) for part, positive in zip(parts, signs, strict=True)))


def _literal(part: Condition) -> Literal | None:
    atom = part.body if isinstance(part, Not) else part
    return (GroundAtom((atom.predicate, *atom.args)), atom is part) if isinstance(atom, Atom) else None


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
    renaming = Renaming(term=lambda term: names.get(term, term))
    goal = {f"goal {write_condition(_sorted(renaming.formula(part)))}" for part in conjuncts(_expanded(task))}
    return objects | facts | goal


def _sorted(goal: Condition) -> Condition:
    return _joined(type(goal), map(_sorted, goal.parts)) if isinstance(goal, And | Or) else goal

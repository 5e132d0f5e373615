"""The world as a prompt tells it, in which the oracle plans blocks and derives their conditions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product

from pddl2nl.baselines import TaskTexts, solve
from pddl2nl.baselines.told_task import NoToldPlanError, ToldTaskError
from pddl2nl.errors import InfrastructureError
from pddl2nl.macros.macro import Conditions
from pddl2nl.nl import Names, Reader, Teller, Wording
from pddl2nl.pddl import (
    And,
    Atom,
    Condition,
    Domain,
    Effect,
    Exists,
    FluentValue,
    Forall,
    GroundAtom,
    Not,
    Or,
    Problem,
    Task,
    TypedName,
    When,
    changed_predicates,
    conjuncts,
    is_variable,
    substitute,
    write_domain,
    write_problem,
)
from pddlval import GroundAction, Simulator, State
from pddlval.formulas import atoms_in, negation_normal, opposite
from pddlval.semantics import UndefinedError, holds

__all__ = ["PromptWorld", "terms_of"]

_OPTIMAL_SECONDS = 20
"""The time limit for a shortest plan of a block; after that any plan will do."""


@dataclass(frozen=True)
class Run:
    """A simulated sequence of actions: the number of applicable ones, the last state, and the conditions that failed
    there.
    """

    done: int
    state: State
    unmet: tuple[Condition, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether all actions were applicable."""
        return not self.unmet


class PromptWorld:
    """The objects and facts of one prompt, under their names in it.

    Args:
        domain, wording: of the prompt.
        objects: with their types.
        atoms, values: the facts.
    """

    def __init__(
        self,
        domain: Domain,
        wording: Wording,
        objects: Sequence[TypedName],
        atoms: Sequence[GroundAtom],
        values: Mapping[GroundAtom, Fraction],
    ):
        constants = {item.name for item in domain.constants}
        self._problem = Problem(
            "told",
            domain.name,
            objects=tuple(item for item in objects if item.name not in constants),
            init=tuple(atoms),
            init_values=tuple(FluentValue(fluent, value) for fluent, value in values.items()),
        )
        self.task = Task(domain, self._problem)
        names = Names({name: name for name in self.task.objects})
        self.simulator = Simulator(self.task)
        self.teller = Teller(self.task, wording, names)
        self.reader = Reader(self.task, wording, names)
        self._changed = changed_predicates(domain)
        self._conditional: dict[GroundAction, list[tuple[Condition, Effect]]] = {}

    @property
    def initial(self) -> State:
        """The state that the prompt tells."""
        return self.simulator.initial

    # ── planning ─────────────────────────────────────────────────────────────────────────────────

    def plan(
        self, state: State, goal: Condition, *, shortest: bool, about: Sequence[str] = ()
    ) -> tuple[GroundAction, ...]:
        """A plan from a state.

        Args:
            state: the first state.
            goal: the condition to reach.
            shortest: whether to search for a shortest plan for some seconds first.
            about: the objects that matter; the search first considers only these and related ones, which is fast
                and gives the same plan for prompts that tell more or less.

        Raises:
            ToldTaskError: there is no plan.
            InfrastructureError: the planner failed or reached a limit.
        """
        for name in terms_of(goal):
            if name not in self.task.objects:
                raise ToldTaskError(f"I was not told of {name}")
        whole = replace(
            self._problem,
            init=tuple(sorted(state.atoms)),
            init_values=tuple(FluentValue(fluent, value) for fluent, value in sorted(state.values.items())),
            goal=goal,
        )
        if _holds(state, goal):
            return ()
        problems = [(whole, shortest)]
        if about:
            # With all objects the search for a shortest plan takes too long, so any plan will do.
            problems = [(_narrowed(whole, {*about, *terms_of(goal)}), shortest), (whole, False)]
        for problem, best in problems:
            found = _solved(write_domain(self.task.domain), write_problem(problem), best)
            if found is not None and self.run(state, found).whole:
                return found
        raise NoToldPlanError("by what I was told, it cannot be done")

    def run(self, state: State, actions: Iterable[GroundAction]) -> Run:
        """Simulates a sequence of actions."""
        done = 0
        for action in actions:
            step = self.simulator.step(state, action)
            if step.successor is None:
                return Run(done, state, step.unmet)
            state = step.successor
            done += 1
        return Run(done, state)

    # ── conditions of a block ────────────────────────────────────────────────────────────────────

    def conditions(self, state: State, block: Sequence[GroundAction], *, careful: bool) -> Conditions:
        """The precondition and the effect of a block, by its execution in one state.

        The precondition contains the literals that the execution depends on, except those that earlier actions of
        the block brought about. The effect contains the literals that changed.

        Args:
            state: the state before the block.
            block: its actions, applicable one after the other.
            careful: whether the precondition also excludes other conditional effects, so that the block always has
                the same effect; otherwise the effect omits atoms that such effects could change.
        """
        needed: dict[Condition, None] = {}
        touched: set[GroundAtom] = set()
        doubtful: set[GroundAtom] = set()
        at = state
        for action in block:
            for literal in self._read(at, action, careful):
                if _atom(literal) not in touched:
                    needed[literal] = None
            step = self.simulator.step(at, action)
            assert step.successor is not None
            touched.update((*step.added, *step.deleted))
            doubtful.difference_update(step.added)
            if not careful:
                doubtful = self._in_doubt(at, action, step.successor) | (doubtful - set(step.deleted))
            at = step.successor
        gained = [_literal(atom) for atom in sorted(at.atoms - state.atoms) if atom not in doubtful]
        lost = [Not(_literal(atom)) for atom in sorted(state.atoms - at.atoms) if atom not in doubtful]
        effect: Effect = And((*gained, *lost))
        return Conditions(And(tuple(needed)), effect)

    def _in_doubt(self, state: State, action: GroundAction, after: State) -> set[GroundAtom]:
        """The atoms that conditional effects which do not occur here would change."""
        found: set[GroundAtom] = set()
        for condition, effect in self._whens(action):
            if not _holds(state, condition):
                for part in conjuncts(effect):
                    atom = _atom(part)
                    if atom is not None and isinstance(part, Not) == (atom in after):
                        found.add(atom)
        return found

    def _read(self, state: State, action: GroundAction, careful: bool) -> Iterator[Condition]:
        """The changeable literals that an action's execution in a state depends on."""
        found = list(self._support(state, negation_normal(self.simulator.ground(action).precondition())))
        for condition, _ in self._whens(action):
            held = _holds(state, condition)
            if held or careful:
                found += self._support(state, negation_normal(condition if held else opposite(condition)))
        for literal in found:
            atom = _atom(literal)
            if atom is not None and atom[0] in self._changed:
                yield literal

    def _whens(self, action: GroundAction) -> list[tuple[Condition, Effect]]:
        """All conditional effects of an action, ground."""
        if action not in self._conditional:
            ground = self.simulator.ground(action)
            effect = substitute(ground.schema.node.effect, ground.binding())
            self._conditional[action] = list(self._grounded(effect))
        return self._conditional[action]

    def _grounded(self, effect: Effect) -> Iterator[tuple[Condition, Effect]]:
        match effect:
            case And(parts=parts):
                for part in parts:
                    yield from self._grounded(part)
            case Forall(parameters=parameters, body=body):
                for instance in self._instances(parameters, body):
                    yield from self._grounded(instance)
            case When(condition=condition, effect=then):
                yield condition, then

    def _support(self, state: State, condition: Condition) -> Iterator[Condition]:
        """Literals true in the state that make a condition in negation normal form true there."""
        match condition:
            case Atom() | Not(Atom()):
                yield condition
            case Forall(parameters, body):
                yield from self._support(state, And(tuple(self._instances(parameters, body))))
            case Exists(parameters, body):
                yield from self._support(state, Or(tuple(self._instances(parameters, body))))
            case And(parts):
                for part in parts:
                    yield from self._support(state, part)
            case Or(parts):
                # One true part decides: a static one if there is any.
                found = [list(self._support(state, part)) for part in parts if _holds(state, part)]
                yield from min(found, key=self._weight, default=[])

    def _weight(self, literals: Sequence[Condition]) -> int:
        return sum(atom is not None and atom[0] in self._changed for atom in map(_atom, literals))

    def _instances(self, parameters: Sequence[TypedName], body: Condition) -> Iterator[Condition]:
        names = [item.name for item in parameters]
        for values in product(*(self.task.objects_of(item.types) for item in parameters)):
            yield substitute(body, dict(zip(names, values, strict=True)))


def terms_of(condition: Condition) -> Iterator[str]:
    """The objects in a condition."""
    return (term for atom in atoms_in(condition) for term in atom.args if not is_variable(term))


def _holds(state: State, condition: Condition) -> bool:
    """Whether a condition holds; an undefined one does not."""
    try:
        return holds(condition, state)
    except UndefinedError:
        return False


def _atom(literal: Condition) -> GroundAtom | None:
    body = literal.body if isinstance(literal, Not) else literal
    return GroundAtom((body.predicate, *body.args)) if isinstance(body, Atom) else None


def _literal(atom: GroundAtom) -> Atom:
    return Atom(atom[0], tuple(atom[1:]))


def _narrowed(problem: Problem, about: Collection[str]) -> Problem:
    """The problem restricted to facts about some objects and the objects in them, in alphabetical order."""
    atoms = [atom for atom in problem.init if len(atom) == 1 or any(name in about for name in atom[1:])]
    values = [item for item in problem.init_values if all(name in about for name in item.fluent[1:])]
    kept = {*about, *(name for atom in atoms for name in atom[1:])}
    objects = sorted((item for item in problem.objects if item.name in kept), key=lambda item: item.name)
    return replace(problem, objects=tuple(objects), init=tuple(atoms), init_values=tuple(values))


@lru_cache(maxsize=4096)
def _solved(domain: str, problem: str, shortest: bool) -> tuple[GroundAction, ...] | None:
    """A plan, or None; cached, because many prompts ask for the same block."""
    texts = TaskTexts(domain, problem)
    result = None
    if shortest:
        result = solve(texts, "brfs", time_limit=_OPTIMAL_SECONDS)
    if result is None or result.status not in ("solved", "unsolvable"):
        result = solve(texts, "lama")
    if result.plan is None and result.status != "unsolvable":
        raise InfrastructureError(
            f"the oracle has no plan: {result.planner} ended with {result.status}: {result.message}"
        )
    return result.plan

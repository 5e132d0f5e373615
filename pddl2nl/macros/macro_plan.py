"""Verifies macro plans: each macro-action is carried out as the one action that its conditions make it.

So the HVR paper (section 2.4) checks a plan before any of it is expanded. What the conditions claim is taken at its
word here; whether a block of actions keeps it is for `unmet_effects` (in one state) and `proof` (in all) to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from pddl2nl.errors import InputError
from pddl2nl.macros.macro import Conditions
from pddl2nl.pddl import (
    ActionSchema,
    And,
    Atom,
    Comparison,
    Condition,
    Domain,
    Effect,
    Fluent,
    GroundAtom,
    Not,
    Number,
    Task,
    changed_predicates,
)
from pddlval import GroundAction, Simulator, State, StepResult
from pddlval.semantics import unmet
from pddlval.unsupported import updated_functions

__all__ = ["MacroPlanCheck", "claims_of", "unmet_effects", "unmet_in", "unmet_outcome", "valued", "verify_macros"]


@dataclass(frozen=True)
class MacroPlanCheck:
    """How far a macro plan can be carried out on paper.

    Attributes:
        verified: so many macro-actions can be, one after the other.
        total: how many there are.
        unmet: what failed then: the smallest failing conditions of the next macro-action, or, where all could be
            carried out, of the goal. Empty where the next macro-action has no conditions that could be read, where
            its effects contradict each other, and where nothing failed.
        at_goal: all could be carried out and the goal holds after the last.
        states: the state before each macro-action that could be carried out, and the one after the last of them.
        conflict: a fluent that the next macro-action would change in more than one way at once.
    """

    verified: int
    total: int
    unmet: tuple[Condition, ...]
    at_goal: bool
    states: tuple[State, ...]
    conflict: GroundAtom | None = None

    @property
    def valid(self) -> bool:
        """Whether the plan works, as far as its conditions tell."""
        return self.at_goal


def verify_macros(task: Task, start: State, macros: Sequence[Conditions | None]) -> MacroPlanCheck:
    """Carries out macro-actions on paper from a state, as far as their conditions allow.

    Args:
        task: whose goal is to hold at the end.
        start: a state of the task, of any simulator of it.
        macros: the conditions of each, ground; None where they could not be read, which ends it there.
    """
    schemas = [
        ActionSchema(f"macro-action-{number}", (), macro.precondition, macro.effect)
        for number, macro in enumerate(macros, start=1)
        if macro is not None
    ]
    claims = claims_of(task, schemas)
    here = Simulator(task)
    state = _same(claims, start)
    states = [_same(here, start)]
    for number, macro in enumerate(macros, start=1):
        step = None if macro is None else claims.step(state, GroundAction(f"macro-action-{number}"))
        if step is None or step.successor is None:
            unmet_now, conflict = _failed(step)
            return MacroPlanCheck(number - 1, len(macros), unmet_now, False, tuple(states), conflict)
        state = step.successor
        states.append(_same(here, state))
    goals = here.unmet_goals(states[-1])
    return MacroPlanCheck(len(macros), len(macros), goals, not goals, tuple(states))


def _failed(step: StepResult | None) -> tuple[tuple[Condition, ...], GroundAtom | None]:
    return ((), None) if step is None else (step.unmet, step.conflict)


def claims_of(task: Task, schemas: Sequence[ActionSchema]) -> Simulator:
    """A simulator of a task that has these actions too.

    Raises:
        InputError: one of them changes what no action of the task changes, or has the name of one.
    """
    names = {action.name for action in task.domain.actions}
    for schema in schemas:
        if schema.name in names:
            raise InputError(f"the domain has an action '{schema.name}' already: another name is needed")
    domain = replace(task.domain, actions=(*task.domain.actions, *schemas))
    extended = replace(task, domain=domain)
    for before, after in (
        (changed_predicates(task.domain), changed_predicates(domain)),
        (updated_functions(task), updated_functions(extended)),
    ):
        for name in sorted(after - before):
            raise InputError(f"no action changes '{name}': an effect cannot claim to")
    for name in sorted(_changed_by(schemas) & {rule.name for rule in domain.derived}):
        raise InputError(f"'{name}' is derived: an effect cannot claim to change it")
    return Simulator(extended)


def _changed_by(schemas: Sequence[ActionSchema]) -> frozenset[str]:
    return changed_predicates(Domain("", actions=tuple(schemas)))


def _same(simulator: Simulator, state: State) -> State:
    """A state as another simulator, of the same objects and statics, has it."""
    return simulator.state(state.atoms, state.values)


def unmet_in(state: State, condition: Condition) -> tuple[Condition, ...]:
    """The smallest parts of a ground condition that fail in a state; empty where it holds."""
    return unmet(condition, state)


def unmet_effects(task: Task, before: State, after: State, effect: Effect) -> tuple[Condition, ...]:
    """What a claimed effect says and is not so in the state after a block, as literals; empty where all of it is.

    Read as PDDL: the conditions of conditional effects, and amounts, in the state before the block; of an atom both
    deleted and added the add wins.

    Args:
        task: the task that both states are of.
        before: the state before the block.
        after: the state after it.
        effect: what is claimed, ground.

    Raises:
        InputError: the effect claims to change what no action changes.
    """
    claims = claims_of(task, [ActionSchema("claimed", (), And(), effect)])
    return unmet_outcome(claims, GroundAction("claimed"), _same(claims, before), after)


def unmet_outcome(claims: Simulator, claim: GroundAction, before: State, after: State) -> tuple[Condition, ...]:
    """What an action's effects, as they happen in one state, say and is not so in another; empty where all of it is.

    Where the effects are undefined or contradict each other, the fluent that is to blame, as ``(= (f) (f))``.
    """
    step = claims.step(before, claim)
    if step.successor is None:
        return step.unmet or (() if step.conflict is None else (valued(step.conflict),))
    outcome = claims.ground(claim).outcome(before)
    adds = tuple(dict.fromkeys(outcome.adds))
    deletes = tuple(atom for atom in dict.fromkeys(outcome.deletes) if atom not in adds)
    found: list[Condition] = [Atom(atom[0], atom[1:]) for atom in adds if not after.true(atom)]
    found += [Not(Atom(atom[0], atom[1:])) for atom in deletes if after.true(atom)]
    for fluent in dict.fromkeys(change.fluent for change in outcome.updates):
        value = step.successor.level(fluent)
        assert value is not None, "what an action updates has a value"
        if after.level(fluent) != value:
            found.append(Comparison("=", Fluent(fluent[0], fluent[1:]), Number(Fraction(value))))
    return tuple(found)


def valued(fluent: GroundAtom) -> Comparison:
    """What a fluent's having a value, and one value only, is as a condition: ``(= (f a) (f a))``."""
    expression = Fluent(fluent[0], fluent[1:])
    return Comparison("=", expression, expression)

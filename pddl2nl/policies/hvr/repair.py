"""Which actions of a domain only move somebody: derived from the PDDL, so that nothing is known of kitchens here.

An action schema is a *movement* if all that it changes is where one thing is, over and over again:

* Every predicate that it changes it both adds and deletes, so that another action of the same schema undoes it and the
  same one can be repeated. (``drive`` adds ``(at ?truck ?to)`` and deletes ``(at ?truck ?from)``; ``pick-up`` adds
  ``(holding ?x)`` and deletes none: no movement.)
* In all that it adds and deletes the same thing moves: the *mover*, the parameters that stand at the same places of
  every changed atom of a predicate, and are the same for all predicates. Nobody may be named, where the domain has but
  one agent (``(at-robby ?to)``): then the mover is empty. (In ``(move ?disc ?from ?to)`` the disc changes its peg, but
  what is clear is no disc: no movement.)
* At least one argument of each changed predicate is no mover: where it is. (A switch that turns a lamp on or off has
  none.) And it gets to one place: among what it adds of every predicate is an atom that names it, and no other
  parameter or constant besides the mover is named there. (What ``(buy ?goods ?market …)`` changes are two levels of
  stock, and what ``(crack ?egg)`` adds to what is near is another egg: no movements.)

Numeric effects may come with it: moving takes fuel, or costs. Where a movement carries something along, which is said
by effects for whatever is carried, these count like all others.

The deterministic repair: missing navigation steps are put in (HVR paper, section 2.4, "Heuristic-based").

The block is walked through on paper. An action that cannot be done, and all of whose failing conditions say where
somebody is, is what a missing movement looks like (`pddl2nl.policies.hvr.repair`): the shortest sequence of movements
after which it can be done is put in before it. Whether it can be done is asked of the simulator, so that a movement
that breaks another of its conditions does not count. Where no short sequence helps, the walk ends, and the rest of the
block stays as it is: what is wrong there is the validator's business, and the model's.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

from pddl2nl.pddl import ActionSchema, And, Atom, Condition, Domain, Forall, Not, Task, When, is_variable
from pddlval import BadActionError, GroundAction, Simulator, State
from pddlval.names import subformulas

__all__ = ["Movement", "Repair", "Repaired", "movements", "moves_towards"]

_MOST_TRIED = 20_000
"""So many ground actions of one schema are tried at most, where the wanted condition leaves much open."""


@dataclass(frozen=True)
class Movement:
    """A schema that only moves somebody.

    Attributes:
        schema: the action.
        mover: its parameters that move; empty where the domain has one agent and never names it.
        predicates: what it changes: where somebody is.
        added: the atoms that it adds, over its parameters and the variables that its effects bind.
    """

    schema: ActionSchema
    mover: tuple[str, ...]
    predicates: tuple[str, ...]
    added: tuple[Atom, ...]


def movements(domain: Domain) -> tuple[Movement, ...]:
    """The movements of a domain, in the order of the file."""
    found = (_movement(schema) for schema in domain.actions)
    return tuple(item for item in found if item is not None)


def _movement(schema: ActionSchema) -> Movement | None:
    added, deleted = _changes(schema.effect)
    names = tuple(dict.fromkeys(atom.predicate for atom in (*added, *deleted)))
    own = {parameter.name for parameter in schema.parameters}
    movers = set()
    places: set[str] = set()
    for name in names:
        ours = [[atom for atom in atoms if atom.predicate == name] for atoms in (added, deleted)]
        if not all(ours):
            return None
        rows = [atom.args for atoms in ours for atom in atoms]
        fixed = [{*column} for column in zip(*rows, strict=True)]
        same = [len(terms) == 1 and terms <= own for terms in fixed]
        if all(same):
            return None
        movers.add(tuple(sorted(rows[0][place] for place, fits in enumerate(same) if fits)))
        terms = [term for atom in ours[0] for term, fits in zip(atom.args, same, strict=True) if not fits]
        reached = {term for term in terms if term in own or not is_variable(term)}
        if not reached:
            return None
        places |= reached
    if len(movers) != 1 or len(places) != 1:
        return None
    return Movement(schema, movers.pop(), names, tuple(added))


def _changes(effect: Condition) -> tuple[list[Atom], list[Atom]]:
    """The atoms that an effect adds and deletes, conditional and universal ones too."""
    added: list[Atom] = []
    deleted: list[Atom] = []

    def visit(part: Condition) -> None:
        match part:
            case Atom():
                added.append(part)
            case Not(Atom() as atom):
                deleted.append(atom)
            case And(parts):
                for inner in parts:
                    visit(inner)
            case Forall(body=body):
                visit(body)
            case When(effect=inner):
                visit(inner)

    visit(effect)
    return added, deleted


def moves_towards(
    simulator: Simulator, found: tuple[Movement, ...], state: State, wanted: tuple[Condition, ...]
) -> Iterator[GroundAction]:
    """The applicable movements of whoever must be elsewhere, so that conditions which fail in a state may come true.

    Those that make one of the conditions' atoms true come first, then wherever else the same one can go, as there may
    be no direct way.

    Args:
        simulator: of the task.
        found: the task's movements.
        state: where they must be applicable.
        wanted: ground conditions that fail there.
    """
    atoms = tuple(dict.fromkeys(part for item in wanted for part in subformulas(item) if isinstance(part, Atom)))
    seen: dict[GroundAction, None] = {}
    movers: dict[str, list[dict[str, str]]] = {}
    for movement in found:
        for atom, pattern in product(atoms, movement.added):
            binding = _binding(simulator.task, movement.schema, pattern, atom)
            if binding is not None:
                seen |= dict.fromkeys(_applicable(simulator, movement.schema, binding, state))
                mover = {term: binding[term] for term in movement.mover if term in binding}
                movers.setdefault(movement.schema.name, []).append(mover)
    yield from seen
    for action in islice(simulator.applicable(state), _MOST_TRIED) if movers else ():
        if action in seen or action.name not in movers:
            continue
        schema = simulator.task.domain.action(action.name)
        assert schema is not None
        own = dict(zip((parameter.name for parameter in schema.parameters), action.args, strict=True))
        if any(mover.items() <= own.items() for mover in movers[action.name]):
            yield action


def _binding(task: Task, schema: ActionSchema, pattern: Atom, atom: Atom) -> dict[str, str] | None:
    """What the schema's parameters are where a pattern of its effects is an atom; None where it cannot be."""
    if pattern.predicate != atom.predicate or len(pattern.args) != len(atom.args):
        return None
    types = {parameter.name: parameter.types for parameter in schema.parameters}
    binding: dict[str, str] = {}
    for term, name in zip(pattern.args, atom.args, strict=True):
        if term not in types:
            # A variable that the effect binds can be anything; a constant only itself.
            if not is_variable(term) and term != name:
                return None
        elif binding.setdefault(term, name) != name or not task.is_a(name, types[term]):
            return None
    return binding


def _applicable(
    simulator: Simulator, schema: ActionSchema, binding: dict[str, str], state: State
) -> Iterator[GroundAction]:
    choices = [
        (binding[parameter.name],) if parameter.name in binding else simulator.task.objects_of(parameter.types)
        for parameter in schema.parameters
    ]
    for tried, args in enumerate(product(*choices)):
        if tried >= _MOST_TRIED:
            return
        action = GroundAction(schema.name, args)
        try:
            if simulator.is_applicable(state, action):
                yield action
        except BadActionError:
            continue


_LONGEST = 8
"""So many movements are put in at one place at most."""

_MOST_STATES = 300
"""So many states are looked at for one place at most."""


@dataclass(frozen=True)
class Repaired:
    """A block after the repair; ``inserted`` are the places of the actions that were put in, from 0."""

    actions: tuple[GroundAction, ...]
    inserted: tuple[int, ...] = ()


class Repair:
    """Puts missing movements into the blocks of one task.

    Args:
        simulator: of the task.
    """

    def __init__(self, simulator: Simulator):
        self._simulator = simulator
        self._movements: tuple[Movement, ...] = movements(simulator.task.domain)
        self._where = {name for movement in self._movements for name in movement.predicates}

    def repair(self, actions: Sequence[GroundAction], state: State) -> Repaired:
        """The block with what is missing, to be carried out from a state on."""
        if not self._movements:
            return Repaired(tuple(actions))
        done: list[GroundAction] = []
        inserted: list[int] = []
        for place, action in enumerate(actions):
            way = self._way(action, state)
            if way is None:
                return Repaired((*done, *actions[place:]), tuple(inserted))
            for step in (*way, action):
                if step is not action:
                    inserted.append(len(done))
                done.append(step)
                after = self._simulator.step(state, step).successor
                assert after is not None
                state = after
        return Repaired(tuple(done), tuple(inserted))

    def _way(self, action: GroundAction, start: State) -> tuple[GroundAction, ...] | None:
        """The movements before an action, none where it can be done at once; None where it cannot be mended so."""
        simulator = self._simulator
        try:
            first = simulator.step(start, action)
        except BadActionError:
            return None
        if first.applicable:
            return ()
        if not first.unmet or not all(map(self._says_where, first.unmet)):
            return None
        queue: deque[tuple[State, tuple[GroundAction, ...]]] = deque([(start, ())])
        seen = {start}
        while queue and len(seen) <= _MOST_STATES:
            state, way = queue.popleft()
            unmet = simulator.step(state, action).unmet
            for move in moves_towards(simulator, self._movements, state, (*unmet, *first.unmet)):
                after = simulator.step(state, move).successor
                if after is None or after in seen:
                    continue
                if simulator.is_applicable(after, action):
                    return (*way, move)
                seen.add(after)
                if len(way) + 1 < _LONGEST:
                    queue.append((after, (*way, move)))
        return None

    def _says_where(self, condition: Condition) -> bool:
        """Whether a failing condition is about where somebody is, so that a movement may mend it."""
        return any(isinstance(part, Atom) and part.predicate in self._where for part in subformulas(condition))

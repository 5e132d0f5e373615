"""The deterministic repair: inserts missing movements into a block (HVR paper, section 2.4, "Heuristic-based").

Which actions are movements follows from the PDDL alone. A schema is a *movement* if all that it changes is where one
thing is:

* Every predicate that it changes it both adds and deletes, so that the movement can be undone and repeated. (``drive``
  adds ``(at ?truck ?to)`` and deletes ``(at ?truck ?from)``; ``pick-up`` adds ``(holding ?x)`` and deletes none.)
* All these atoms have the same *mover*: parameters in the same positions of every changed atom, equal for all
  predicates. The mover is empty if the domain has one agent and never names it (``(at-robby ?to)``). In ``(move ?disc
  ?from ?to)`` the disc changes its peg, but what is clear is no disc: no movement.
* At least one other argument of each changed predicate says where it is, and it moves to one place: some added atom of
  every predicate names it, and no other parameter or constant besides the mover. (A switch has no place; ``(buy ?goods
  ?market …)`` changes two levels of stock: no movements.)

Numeric effects may come with a movement, such as costs, and effects on things that are carried along.

The repair simulates the block. If an action is not applicable and all its failing conditions are about locations, the
shortest sequence of movements that makes it applicable is inserted before it. If there is no short one, the rest of the
block stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import NamedTuple

from pddl2nl.macros.changeable import matched
from pddl2nl.pddl import ActionSchema, Atom, Condition, Domain, Task, is_variable
from pddl2nl.pddl.task import effect_literals
from pddl2nl.search.best_first import BestFirstSearch, Rank
from pddlval import BadActionError, GroundAction, Simulator, State
from pddlval.formulas import subformulas

_MOST_TRIED = 20_000
"""The most ground actions of one schema that are tried."""


@dataclass(frozen=True)
class Movement:
    """A schema that is a movement: what moves, the predicates it changes, and the atoms it adds.

    Nothing is named that moves if the domain has one agent and never names it.
    """

    schema: ActionSchema
    mover: tuple[str, ...]
    predicates: tuple[str, ...]
    added: tuple[Atom, ...]


def movements(domain: Domain) -> tuple[Movement, ...]:
    found = (_movement(schema) for schema in domain.actions)
    return tuple(item for item in found if item is not None)


def _movement(schema: ActionSchema) -> Movement | None:
    literals = list(effect_literals(schema.effect))
    own = {parameter.name for parameter in schema.parameters}
    movers: set[tuple[str, ...]] = set()
    places: set[str] = set()
    names = tuple(dict.fromkeys(atom.predicate for atom, _ in sorted(literals, key=lambda literal: not literal[1])))
    for name in names:
        added = [atom.args for atom, adds in literals if atom.predicate == name and adds]
        deleted = [atom.args for atom, adds in literals if atom.predicate == name and not adds]
        if not added or not deleted:
            return None
        columns = [{*column} for column in zip(*added, *deleted, strict=True)]
        moving = [len(terms) == 1 and terms <= own for terms in columns]
        movers.add(tuple(sorted(term for term, fixed in zip(added[0], moving, strict=True) if fixed)))
        goals = [term for args in added for term, fixed in zip(args, moving, strict=True) if not fixed]
        reached = {term for term in goals if term in own or not is_variable(term)}
        if not reached:
            return None
        places |= reached
    if len(movers) != 1 or len(places) != 1:
        return None
    return Movement(schema, movers.pop(), names, tuple(atom for atom, adds in literals if adds))


def moves_towards(
    simulator: Simulator, found: tuple[Movement, ...], state: State, wanted: tuple[Condition, ...]
) -> Iterator[GroundAction]:
    """The applicable movements that may make failing ground conditions true.

    Movements that make an atom of the conditions true come first, then all other movements of the same mover,
    because there may be no direct way.
    """
    atoms = dict.fromkeys(part for item in wanted for part in subformulas(item) if isinstance(part, Atom))
    direct: dict[GroundAction, None] = {}
    movers: dict[str, list[dict[str, str]]] = {}
    for movement in found:
        for atom, pattern in product(atoms, movement.added):
            binding = _binding(simulator.task, movement.schema, pattern, atom)
            if binding is not None:
                direct |= dict.fromkeys(_applicable(simulator, movement.schema, binding, state))
                mover = {term: binding[term] for term in movement.mover if term in binding}
                movers.setdefault(movement.schema.name, []).append(mover)
    yield from direct
    parameters = {movement.schema.name: [item.name for item in movement.schema.parameters] for movement in found}
    for action in islice(simulator.applicable(state), _MOST_TRIED) if movers else ():
        if action not in direct and action.name in movers:
            own = dict(zip(parameters[action.name], action.args, strict=True))
            if any(mover.items() <= own.items() for mover in movers[action.name]):
                yield action


def _binding(task: Task, schema: ActionSchema, pattern: Atom, atom: Atom) -> dict[str, str] | None:
    """The parameters of a schema for which a pattern of its effects is an atom, or None."""
    matches = matched(pattern.args, atom.args, {}) if pattern.predicate == atom.predicate else None
    if matches is None:
        return None
    types = {parameter.name: parameter.types for parameter in schema.parameters}
    # A variable that the effect binds matches any object.
    binding = {term: name for term, name in matches.items() if term in types}
    return binding if all(task.is_a(name, types[term]) for term, name in binding.items()) else None


def _applicable(
    simulator: Simulator, schema: ActionSchema, binding: dict[str, str], state: State
) -> Iterator[GroundAction]:
    choices = [
        (binding[parameter.name],) if parameter.name in binding else simulator.task.objects_of(parameter.types)
        for parameter in schema.parameters
    ]
    for args in islice(product(*choices), _MOST_TRIED):
        action = GroundAction(schema.name, args)
        try:
            if simulator.is_applicable(state, action):
                yield action
        except BadActionError:
            continue


_LONGEST = 8
"""The most movements inserted at one place."""

_MOST_STATES = 300
"""The most states searched for one place."""


class Repaired(NamedTuple):
    """A block after the repair; ``inserted`` are the indices of inserted actions."""

    actions: tuple[GroundAction, ...]
    inserted: tuple[int, ...] = ()


class MovementRepair:
    """Inserts missing movements into blocks of one task."""

    def __init__(self, simulator: Simulator):
        self._simulator = simulator
        self._movements: tuple[Movement, ...] = movements(simulator.task.domain)
        self._where = {name for movement in self._movements for name in movement.predicates}

    def repair(self, actions: Sequence[GroundAction], state: State) -> Repaired:
        """The block with missing movements inserted, from a state."""
        if not self._movements:
            return Repaired(tuple(actions))
        done: list[GroundAction] = []
        inserted: list[int] = []
        for place, action in enumerate(actions):
            way = self._way(action, state)
            if way is None:
                return Repaired((*done, *actions[place:]), tuple(inserted))
            inserted += range(len(done), len(done) + len(way))
            done += [*way, action]
            state = self._simulator.follow(state, (*way, action)).state
        return Repaired(tuple(done), tuple(inserted))

    def _way(self, action: GroundAction, start: State) -> tuple[GroundAction, ...] | None:
        """The movements needed before an action (none if it is applicable); None if movements do not help."""
        simulator = self._simulator
        try:
            first = simulator.step(start, action)
        except BadActionError:
            return None
        if first.applicable:
            return ()
        if not first.unmet or not all(map(self._says_where, first.unmet)):
            return None
        depths = dict[State, int]()

        def successors(state: State) -> Iterator[tuple[GroundAction, State]]:
            unmet = simulator.step(state, action).unmet
            for move in moves_towards(simulator, self._movements, state, (*unmet, *first.unmet)):
                after = simulator.step(state, move).successor
                if after is not None:
                    yield move, after

        def rank(state: State, parent: State | None) -> Rank | None:
            depths[state] = 0 if parent is None else depths[parent] + 1
            return () if depths[state] < _LONGEST else None

        search = BestFirstSearch(successors, rank)
        search.start(start)
        while not search.exhausted and len(search.came_from) <= _MOST_STATES:
            for state in search.expand():
                if simulator.is_applicable(state, action):
                    return search.plan(state)[1]
        return None

    def _says_where(self, condition: Condition) -> bool:
        return any(isinstance(part, Atom) and part.predicate in self._where for part in subformulas(condition))

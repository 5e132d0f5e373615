"""The states that questions are asked about: on random walks, and on the plans that begin where these end."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice

from pddl2nl.baselines import solve
from pddl2nl.baselines.inputs import problem_in_state
from pddl2nl.errors import MissingExtraError
from pddl2nl.nl import Teller
from pddl2nl.pddl import GroundAtom, Task, TypedName, write_problem
from pddl2nl.questions.deciding import Decider, all_atoms
from pddl2nl.search.grounding import GroundActions
from pddlval import GroundAction, Simulator, State

_LONGEST_WALK = 12
_FIRST_ROUTES = 4
_NEAR_STEPS, _NEAR_WALKS = 4, 10
"""How far states are looked at that are near another one."""
_MOST_FAR = 40
"""States that are next to one, or far from it, that are looked at as well."""
_FRUITLESS = 5
"""So many walks without a new place are the last."""


@dataclass(frozen=True, eq=False)
class StatePlace:
    """A state, and a plan from it to the goal where one is known; ``places`` are all of its task."""

    places: StatePlaces
    state: State
    plan: tuple[GroundAction, ...] | None

    @cached_property
    def decider(self) -> Decider:
        return Decider(self.places.ground, self.state, seconds=self.places.seconds, costs=self.places.costs)

    @cached_property
    def problem_pddl(self) -> str:
        """The problem with this initial state, as PDDL."""
        problem = self.places.task.problem
        return write_problem(problem_in_state(problem, sorted(self.state.atoms), self.state.values))

    @cached_property
    def state_text(self) -> str:
        return self.places.teller.state(self.state)

    @cached_property
    def applicable(self) -> tuple[GroundAction, ...]:
        return tuple(self.places.simulator.applicable(self.state))

    def after(self, actions: Iterable[GroundAction]) -> State:
        """The state after some actions; each must be applicable in its turn."""
        followed = self.places.simulator.follow(self.state, actions)
        assert followed.complete, f"{followed.failed} in its turn"
        return followed.state


class StatePlaces:
    """Draws places of one task, always the same for a seed.

    Args:
        task: the task.
        teller: tells it.
        rng: draws.
        seconds: the limit of each search of a planner.
        plans: whether the places must have plans; others may have them.
    """

    def __init__(self, task: Task, teller: Teller, rng: random.Random, *, seconds: int, plans: bool):
        self.task = task
        self.teller = teller
        self.seconds = seconds
        self.simulator = Simulator(task)
        self.ground = GroundActions(self.simulator)
        self._rng = rng
        self._plans = plans
        self._places: dict[State, StatePlace] = {}
        self._others: dict[State, StatePlace] = {}
        self.costs: dict[State, float | Fraction] = {}
        """The optimal costs that are known."""

    @property
    def states(self) -> list[State]:
        """The states of all places so far."""
        return [*self._places]

    @cached_property
    def goal_text(self) -> str:
        return self.teller.goal_text()

    @cached_property
    def atoms(self) -> tuple[GroundAtom, ...]:
        """All atoms that actions change and that are told, over objects of their types."""
        snippets, formal = self.teller.wording.predicates, self.teller.style == "pddl"
        told = {each.name for each in self.task.domain.predicates} if formal else set[str]()
        told.update(name for name, snippet in snippets.items() if snippet.text is not None)
        return tuple(atom for atom in all_atoms(self.task, self.ground.layout.changing) if atom[0] in told)

    @cached_property
    def fitting_atoms(self) -> tuple[GroundAtom, ...]:
        """Those of `atoms` whose objects fit (`fits_atom`)."""
        return tuple(
            atom for atom in self.atoms if all(arg in self.fits_atom(atom[0], at) for at, arg in enumerate(atom[1:]))
        )

    @cached_property
    def actions(self) -> tuple[GroundAction, ...]:
        """All actions that static facts allow, as far as they are listed (`GroundActions.actions`)."""
        return tuple(item.action for item in self.ground.actions or ())

    @cached_property
    def _fitting(self) -> Mapping[tuple[str, str, int], frozenset[str]]:
        """The objects at each place of what actions there are, and of the facts that they need and change."""
        found: defaultdict[tuple[str, str, int], set[str]] = defaultdict(set)
        named = [("action", action.name, action.args) for action in self.actions]
        named += [("fact", atom[0], atom[1:]) for atom, _ in self.ground.numbered]
        for sort, name, args in named:
            for at, arg in enumerate(args):
                found[sort, name, at].add(arg)
        return {place: frozenset(objects) for place, objects in found.items()}

    def fits_action(self, name: str, at: int) -> list[str]:
        """The objects of a parameter's types; of these those with which an action can be possible at all.

        What a domain without types says by static facts would give wrong choices away: a package is no truck.
        """
        schema = self.task.domain.action(name)
        assert schema is not None
        return self._those_fitting("action", name, at, schema.parameters[at])

    def fits_atom(self, name: str, at: int) -> list[str]:
        """As `fits_action`, for a predicate's parameter and the facts that actions need or change."""
        predicate = self.task.domain.predicate(name)
        assert predicate is not None
        return self._those_fitting("fact", name, at, predicate.parameters[at])

    def _those_fitting(self, sort: str, name: str, at: int, parameter: TypedName) -> list[str]:
        objects = self.task.objects_of(parameter.types)
        fitting = self._fitting.get((sort, name, at))
        return [each for each in objects if fitting is None or each in fitting]

    def draw(self, *, again: bool) -> Iterator[StatePlace]:
        """Places in a random order, those of the first walks, and then of one walk after another.

        Args:
            again: whether all places so far come again after each walk; otherwise each comes once.
        """
        routes, fruitless, seen = _FIRST_ROUTES, 0, 0
        while fruitless < _FRUITLESS:
            for _ in range(routes):
                self._add_route()
            # Where plans matter, there is something to ask on the way to the goal, and not at it.
            places = [
                place
                for place in self._places.values()
                if not self._plans or (place.plan and not self.simulator.is_goal(place.state))
            ]
            fruitless = 0 if len(places) > seen or (again and places) else fruitless + 1
            drawn = places if again else places[seen:]
            routes, seen = 1, len(places)
            yield from self._rng.sample(drawn, len(drawn))

    def _add_route(self) -> None:
        """Adds the places of a walk from one of those so far, and of a plan from its end."""
        known = [*self._places]
        start = self._rng.choice(known) if known else self.simulator.initial
        length = self._rng.randint(0, _LONGEST_WALK) if known else 0
        walk = [*islice(self.simulator.walk(start, self._rng), length)]
        end = walk[-1][1] if walk else start
        plan = self.plan_from(end) if self._plans or not known else None
        actions = (*(action for action, _ in walk), *(plan or ()))
        for number, here in enumerate(self.simulator.follow(start, actions).states):
            if here not in self._places:
                self._places[here] = StatePlace(self, here, None if plan is None else actions[number:])

    def place(self, state: State) -> StatePlace:
        """The place of a state; without a plan if it is none of those that are drawn."""
        if state in self._places:
            return self._places[state]
        return self._others.setdefault(state, StatePlace(self, state, None))

    def around(self, state: State, rng: random.Random) -> Iterator[State]:
        """A state, those next to it, others near it and then those of all places, each once, some of each."""
        near = [after for _, after in self.simulator.successors(state)]
        walks = (islice(self.simulator.walk(state, rng), _NEAR_STEPS) for _ in range(_NEAR_WALKS))
        walked = (after for walk in walks for _, after in walk)
        far = rng.sample(self.states, min(len(self.states), _MOST_FAR))
        yield from dict.fromkeys((state, *rng.sample(near, min(len(near), _MOST_FAR)), *walked, *far))

    def plan_from(self, state: State) -> tuple[GroundAction, ...] | None:
        """A plan from a state; None if none was found in time."""
        if state in self._places:
            return self._places[state].plan
        begun = Task(self.task.domain, problem_in_state(self.task.problem, state.atoms, state.values))
        try:
            return solve(begun, "lama", time_limit=self.seconds).plan
        except MissingExtraError:
            if self._plans:
                raise
            return None

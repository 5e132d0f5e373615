"""Decides what is asked about a state, with a certificate: nothing is answered that is not proved.

What can be reached is shown by a plan that was found by looking around, by a random walk, by a short greedy search, or
by Fast Downward. What cannot is proved by static facts, by mutually exclusive literals (`pddl2nl.search.mutexes`), or
by Fast Downward. A fact is a landmark if the task in which it may never hold is proved unsolvable. An action begins an
optimal plan if it and the optimal plans behind it cost no more than an optimal plan.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, pairwise, product, takewhile
from operator import itemgetter
from typing import Any

from pddl2nl.baselines import PlannerResult, solve
from pddl2nl.baselines.inputs import problem_in_state
from pddl2nl.pddl import And, Atom, Condition, GroundAtom, Not, Task, conjuncts, write_condition
from pddl2nl.search.best_first import BestFirstSearch
from pddl2nl.search.grounding import GroundActions
from pddl2nl.search.mutexes import Mutexes
from pddl2nl.search.relaxation import FFHeuristic
from pddlval import GroundAction, Simulator, State
from pddlval.formulas import negation_normal, predicates_in
from pddlval.schemas import Ground
from pddlval.semantics import ground_atom, holds

Certificate = Mapping[str, Any]
"""Why an answer is right, as JSON: actions and literals are PDDL."""

_WALKS, _WALK_LENGTH = 5, 100
"""How far a state's surroundings are looked at before a planner is asked."""
_MOST_NEARBY = 1000
"""States around one to which shortest plans are known."""
_MOST_WAYS = 50
"""Plans on which a fact is looked for."""
_EXPANDED = 200
"""How many states a search of our own expands before a planner is asked."""


@dataclass(frozen=True)
class Decision:
    """An answer and its certificate."""

    answer: bool
    certificate: Certificate


def goal_atoms(goal: Condition) -> set[GroundAtom]:
    """The atoms that a goal's conjunction asks for."""
    return {ground_atom(part) for part in conjuncts(goal) if isinstance(part, Atom)}


def condition_of(atoms: Iterable[GroundAtom]) -> Condition:
    """The conjunction of some atoms."""
    return And(tuple(Atom(atom[0], tuple(atom[1:])) for atom in atoms))


def all_atoms(task: Task, predicates: Iterable[str] | None = None) -> Iterator[GroundAtom]:
    """All atoms of some predicates over objects of the declared types; by default of those that actions change."""
    chosen = Simulator(task).initial.layout.changing if predicates is None else frozenset(predicates)
    for predicate in task.domain.predicates:
        if predicate.name in chosen:
            for args in product(*(task.objects_of(parameter.types) for parameter in predicate.parameters)):
                yield GroundAtom((predicate.name, *args))


def all_actions(task: Task) -> Iterator[GroundAction]:
    """All ground actions over objects of the declared types, also those that are never applicable."""
    for schema in task.domain.actions:
        for args in product(*(task.objects_of(parameter.types) for parameter in schema.parameters)):
            yield GroundAction(schema.name, args)


def removals(simulator: Simulator, state: State, plan: Sequence[GroundAction]) -> Iterator[tuple[int, int]]:
    """The single actions and pairs of consecutive ones without which a plan is still a plan: ``(start, length)``."""
    for length in (1, 2):
        for start in range(len(plan) - length + 1):
            if is_plan(simulator, state, [*plan[:start], *plan[start + length :]]):
                yield start, length


def left_out(plan: Sequence[str], start: int, length: int) -> list[str]:
    """What is left out of a plan, as ACPBench names it: an action with its occurrence from 1, or two with ``-1``."""
    return [*plan[start : start + length], "-1" if length == 2 else str(plan[: start + 1].count(plan[start]))]


def is_plan(simulator: Simulator, state: State, plan: Iterable[GroundAction]) -> bool:
    """Whether actions can be executed one after the other and lead to the goal."""
    followed = simulator.follow(state, plan)
    return followed.complete and simulator.is_goal(followed.state)


@dataclass
class _Surroundings:
    """States that were reached, each with the state before it and the action in between.

    Attributes:
        numbers: in which states an atom is true, as the bits of a number: the n-th state that was reached is bit n.
    """

    before: dict[State, tuple[State, GroundAction] | None] = field(default_factory=dict)
    numbers: defaultdict[GroundAtom, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, state: State, before: tuple[State, GroundAction] | None) -> None:
        if state not in self.before:
            for atom in state.changing():
                self.numbers[atom] |= 1 << len(self.before)
            self.before[state] = before

    def holding(self, atoms: Iterable[GroundAtom]) -> Iterator[State]:
        """The states in which all these atoms are true, first come."""
        left = -1
        for atom in atoms:
            left &= self.numbers.get(atom, 0)
        return (state for number, state in enumerate(self.before) if left >> number & 1) if left else iter(())

    def plan(self, state: State) -> tuple[GroundAction, ...]:
        actions = []
        while (step := self.before[state]) is not None:
            state = step[0]
            actions.append(step[1])
        return tuple(reversed(actions))


class Nearby:
    """The states around one, layer by layer, and how shortest plans to them begin.

    A layer is there whole or not at all, so that every number of steps is the least.

    Attributes:
        steps: how many actions lead to each state.
    """

    def __init__(self, simulator: Simulator, state: State, most: int):
        self.steps = {state: 0}
        self._first: dict[State, frozenset[GroundAction]] = {state: frozenset()}
        self._before: dict[State, tuple[State, GroundAction]] = {}
        self._met: dict[State, frozenset[GroundAtom]] = {}
        self._reached: defaultdict[GroundAtom, dict[State, None]] = defaultdict(dict)
        layer = [state]
        while layer:
            new: dict[State, set[GroundAction]] = {}
            before: dict[State, tuple[State, GroundAction]] = {}
            for here in layer:
                for action, after in sorted(simulator.successors(here), key=itemgetter(0)):
                    if after not in self.steps:
                        new.setdefault(after, set()).update(self._first[here] or {action})
                        before.setdefault(after, (here, action))
                if len(self.steps) + len(new) > most:
                    return
            for after, first in new.items():
                self.steps[after] = self.steps[before[after][0]] + 1
                self._first[after] = frozenset(first)
                for atom in after.changing():
                    self._reached[atom][after] = None
            self._before |= before
            layer = [*new]

    def reaching(self, goal: Sequence[GroundAtom]) -> list[State]:
        """The states in which some facts hold, the nearest first."""
        one, *others = goal
        return [state for state in self._reached.get(one, ()) if all(map(state.true, others))]

    def distance(self, goal: Sequence[GroundAtom]) -> int | None:
        """The least number of actions after which some facts hold; None if that is in no state around."""
        return next((self.steps[state] for state in self.reaching(goal)), None)

    def first_actions(self, goal: Sequence[GroundAtom]) -> list[GroundAction]:
        """The actions with which shortest plans for some facts begin."""
        states = self.reaching(goal)
        nearest = takewhile(lambda state: self.steps[state] == self.steps[states[0]], states)
        return sorted(frozenset().union(*(self._first[state] for state in nearest)))

    def plan(self, state: State) -> tuple[GroundAction, ...]:
        """A shortest plan to a state."""
        return tuple(action for _, action in self._way(state))

    def met(self, state: State) -> frozenset[GroundAtom]:
        """What holds at some time on that plan, behind its beginning."""
        if state not in self._met:
            states = (state, *(before for before, _ in self._way(state)[1:]))
            self._met[state] = frozenset(atom for each in states for atom in each.changing())
        return self._met[state]

    def _way(self, state: State) -> list[tuple[State, GroundAction]]:
        way = []
        while state in self._before:
            way.append(self._before[state])
            state = self._before[state][0]
        return way[::-1]


class Decider:
    """Decides questions about one state of a task.

    Args:
        ground: the task's ground actions.
        state: the state that is asked about.
        seconds: the limit of each search of Fast Downward; 0 for none at all.
        costs: optimal costs of states that are known, to which others are added.
    """

    def __init__(
        self,
        ground: GroundActions,
        state: State | None = None,
        *,
        seconds: int = 30,
        costs: dict[State, float | Fraction] | None = None,
    ):
        self.ground = ground
        self.simulator = ground.simulator
        self.state = self.simulator.initial if state is None else state
        self.seconds = seconds
        self._plans: list[tuple[GroundAction, ...]] = []
        self._without: dict[GroundAtom, Mutexes] = {}
        self._costs = {} if costs is None else costs
        self._optimal: dict[State, PlannerResult] = {}
        self._estimates: dict[Condition, FFHeuristic] = {}

    @cached_property
    def task(self) -> Task:
        """The task that begins in the state."""
        task = self.simulator.task
        if self.state == self.simulator.initial:
            return task
        return Task(task.domain, problem_in_state(task.problem, self.state, self.state.values))

    @cached_property
    def mutexes(self) -> Mutexes:
        """The literals that may hold together in states that are reached from this one."""
        return Mutexes(self.ground, self.state)

    @cached_property
    def nearby(self) -> Nearby:
        """The states around this one."""
        return Nearby(self.simulator, self.state, _MOST_NEARBY)

    # ── what can be reached ──────────────────────────────────────────────────────────────────────

    @cached_property
    def _around(self) -> _Surroundings:
        around = _Surroundings()
        around.add(self.state, None)
        for action, successor in self.simulator.successors(self.state):
            around.add(successor, (self.state, action))
        rng = random.Random(1)
        for _ in range(_WALKS):
            self._walk(around, self.state, rng)
        return around

    def _walk(self, around: _Surroundings, state: State, rng: random.Random) -> None:
        for action, successor in islice(self.simulator.walk(state, rng), _WALK_LENGTH):
            around.add(successor, (state, action))
            state = successor

    def action(self, action: GroundAction, *, fast: bool = False) -> Decision | None:
        """Whether an action is applicable in some reachable state; None if that was not decided.

        Raises:
            BadActionError: the action is none of the task's.
        """
        ground = self.simulator.ground(action)
        if not ground.possible:
            return Decision(False, {"unreachable": _static_failures(ground), "proof": "static"})
        for state in self._around.before:
            if ground.applicable(state):
                return Decision(True, {"plan": _texts(self._around.plan(state)), "then": str(action)})
        return self.reach(ground.precondition(), fast=fast)

    def reach(self, condition: Condition, *, fast: bool = False) -> Decision | None:
        """Whether a ground condition holds in some reachable state; None if that was not decided.

        Args:
            condition: over facts and static facts of the task.
            fast: whether no planner is asked.
        """
        decided = self._seen_or_refuted(condition)
        if decided is not None or fast or not self.seconds:
            return decided
        plan = self._short_search(condition)
        if plan is None:
            return self.search(condition)
        self._follow(plan)
        return Decision(True, {"plan": _texts(plan)})

    def some_states(self, rng: random.Random, count: int) -> list[State]:
        """Some of the states that were reached from this one."""
        states = [*self._around.before]
        return rng.sample(states, min(count, len(states)))

    def nearest(self, most: int) -> Iterator[tuple[GroundAtom, tuple[GroundAction, ...]]]:
        """Atoms that become true in one of the states that are next, at most so many, each with a shortest plan."""
        # Breadth first: all states have the same rank.
        search = BestFirstSearch(self._successors, lambda *_: ())
        search.start(self.state)
        while not search.exhausted and len(search.came_from) < most:
            search.expand()
        first: dict[GroundAtom, State] = {}
        for state in search.came_from:
            for atom in state.changing():
                first.setdefault(atom, state)
        yield from ((atom, search.plan(first[atom])[1]) for atom in sorted(first) if not self.state.true(atom))

    def _successors(self, state: State) -> list[tuple[GroundAction, State]]:
        """In the order of their names, so that every process finds the same plans."""
        return sorted(self.simulator.successors(state), key=itemgetter(0))

    def _seen_or_refuted(self, condition: Condition) -> Decision | None:
        layout = self.ground.layout
        parts = [*conjuncts(negation_normal(condition))]
        for part in parts:
            body = part.body if isinstance(part, Not) else part
            if isinstance(body, Atom) and body.predicate not in layout.dynamic and not holds(part, self.state):
                return Decision(False, {"unreachable": [write_condition(part)], "proof": "static"})
        atoms = [ground_atom(part) for part in parts if isinstance(part, Atom)]
        changing = [atom for atom in atoms if atom[0] in layout.changing]
        for state in self._around.holding(changing):
            if holds(condition, state):
                return Decision(True, {"plan": _texts(self._around.plan(state))})
        refuted = self.mutexes.refutation(condition)
        return None if refuted is None else Decision(False, {"unreachable": [*refuted], "proof": "h2"})

    def _short_search(self, goal: Condition, never: GroundAtom | None = None) -> tuple[GroundAction, ...] | None:
        """A plan for a goal on which a fact never holds, by a greedy search of a few states.

        It takes a tenth of the time that a planner takes to start; None proves nothing.
        """
        if self.ground.actions is None:
            return None
        estimate = self._estimates.get(goal)
        if estimate is None:
            estimate = self._estimates[goal] = FFHeuristic(self.simulator, self.ground, goal)

        def rank(state: State, parent: State | None) -> tuple[int] | None:
            length = None if never is not None and state.true(never) else estimate(state)
            return None if length is None else (length,)

        search = BestFirstSearch(self._successors, rank)
        search.start(self.state)
        while not search.exhausted and search.expanded < _EXPANDED:
            state = search.next
            if holds(goal, state):
                return search.plan(state)[1]
            search.expand()
        return None

    def search(self, condition: Condition) -> Decision | None:
        """Whether Fast Downward finds a state with a condition; None if that was not decided in time."""
        task = Task(self.task.domain, replace(self.task.problem, goal=condition, metric=None))
        result = solve(task, "lama", time_limit=self.seconds)
        if result.plan is not None:
            self._follow(result.plan)
            return Decision(True, {"plan": _texts(result.plan)})
        if result.status == "unsolvable":
            return Decision(
                False, {"unreachable": [write_condition(condition)], "proof": f"unsolvable: {result.search}"}
            )
        return None

    def _follow(self, plan: Iterable[GroundAction]) -> None:
        """Adds the states of a plan, and of a walk from its end, to those that were reached."""
        followed = self.simulator.follow(self.state, plan)
        for step, (before, after) in zip(followed.steps, pairwise(followed.states), strict=True):
            self._around.add(after, (before, step.action))
        self._walk(self._around, followed.state, random.Random(1))

    # ── landmarks ────────────────────────────────────────────────────────────────────────────────

    def landmark(self, fact: GroundAtom) -> Decision | None:
        """Whether every plan makes a fact true at some point, or it holds now; None if that was not decided."""
        if self.state.true(fact):
            return Decision(True, {"holds": "now"})
        for plan in self._plans:
            if not any(state.true(fact) for state in self.simulator.follow(self.state, plan).states):
                return Decision(False, {"plan": _texts(plan)})
        refuted = Mutexes(self.ground, self.state, without=fact).refutation(self.simulator.task.problem.goal)
        if refuted is not None:
            return Decision(True, {"without": str(fact), "unreachable": [*refuted], "proof": "h2"})
        if not self.seconds:
            return None
        found = self._short_search(self.simulator.task.problem.goal, never=fact)
        if found is None:
            return self.search_without(fact)
        self._plans.append(found)
        return Decision(False, {"plan": _texts(found)})

    def landmark_for(self, goal: Sequence[GroundAtom], fact: GroundAtom) -> Decision | None:
        """Whether every plan for a goal that is near makes a fact true; None if that was not decided."""
        for state in islice(self.nearby.reaching(goal), _MOST_WAYS):
            if fact not in self.nearby.met(state):
                return Decision(False, {"plan": _texts(self.nearby.plan(state))})
        if fact not in self._without:
            self._without[fact] = Mutexes(self.ground, self.state, without=fact)
        refuted = self._without[fact].refutation(condition_of(goal))
        if refuted is None:
            return None
        return Decision(True, {"without": str(fact), "unreachable": [*refuted], "proof": "h2"})

    def search_without(self, fact: GroundAtom) -> Decision | None:
        """Asks Fast Downward for a plan on which a fact never holds."""
        result = solve(without(self.task, fact), "lama", time_limit=self.seconds)
        if result.plan is not None:
            self._plans.append(result.plan)
            return Decision(False, {"plan": _texts(result.plan)})
        if result.status == "unsolvable":
            return Decision(True, {"without": str(fact), "proof": f"unsolvable: {result.search}"})
        return None

    # ── the next action ──────────────────────────────────────────────────────────────────────────

    @cached_property
    def optimal(self) -> float | Fraction | None:
        """The optimal cost of a plan, with what was spent before; infinite without a plan; None if it is unknown."""
        return self.optimal_from(self.state)

    def optimal_from(self, state: State) -> float | Fraction | None:
        """As `optimal`, from another state of the task."""
        if state in self._costs:
            return self._costs[state]
        task = self.simulator.task
        begun = Task(task.domain, problem_in_state(task.problem, state, state.values))
        result = solve(begun, "lmcut", time_limit=self.seconds)
        if result.status == "unsupported" and task.problem.metric is None:
            # LM-cut supports neither conditional effects nor axioms.
            result = solve(begun, "brfs", time_limit=self.seconds)
        if result.status == "unsolvable":
            self._costs[state] = math.inf
        if result.plan is None or result.cost is None:
            return self._costs.get(state)
        self._optimal[state] = result
        # The rest of an optimal plan is optimal as well.
        for number, reached in enumerate(self.simulator.follow(state, result.plan).states):
            self._costs[reached] = Fraction(result.cost) - number * self._step
        return Fraction(result.cost)

    @cached_property
    def optimal_plan(self) -> PlannerResult | None:
        """An optimal plan with its search; None if none was found in time."""
        if self.state not in self._optimal:
            # Its cost may be known from a plan of another state.
            self._costs.pop(self.state, None)
            self.optimal_from(self.state)
        return self._optimal.get(self.state)

    @property
    def _step(self) -> int:
        """What an action costs; with a metric, that is in the state to which the action leads."""
        return 1 if self.simulator.task.problem.metric is None else 0

    def next_action(self, action: GroundAction) -> Decision | None:
        """Whether an applicable action is the first of an optimal plan; None if that was not decided."""
        before = self.optimal
        if before is None or before == math.inf:
            return None
        successor = self.simulator.step(self.state, action).successor
        assert successor is not None, f"{action} is not applicable"
        after = self.optimal_from(successor)
        if after is None:
            return None
        after += self._step
        costs = {"before": float(before), "after": None if after == math.inf else float(after)}
        return Decision(after == before, costs)


def without(task: Task, fact: GroundAtom) -> Task:
    """The task in which a fact may never hold: neither at the goal nor where an action is executed.

    It has a plan if and only if the task has one on which no action makes the fact true.
    """
    never = Not(Atom(fact[0], tuple(fact[1:])))
    actions = tuple(replace(item, precondition=And((item.precondition, never))) for item in task.domain.actions)
    constants = {item.name for item in task.domain.constants}
    named = tuple(task.objects[name] for name in dict.fromkeys(fact[1:]) if name not in constants)
    domain = replace(task.domain, actions=actions, constants=(*task.domain.constants, *named))
    left = tuple(item for item in task.problem.objects if item.name not in fact[1:])
    goal = And((task.problem.goal, never))
    return Task(domain, replace(task.problem, objects=left, goal=goal))


def _static_failures(ground: Ground) -> list[str]:
    """The static literals and equalities of a ground precondition that never hold."""
    layout = ground.schema.layout
    return [
        write_condition(part)
        for part in conjuncts(negation_normal(ground.precondition()))
        if predicates_in(part).isdisjoint(layout.dynamic) and not holds(part, layout.empty)
    ]


def _texts(plan: Iterable[GroundAction]) -> list[str]:
    return [str(action) for action in plan]

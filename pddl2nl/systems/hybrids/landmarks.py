"""``landmarks``: what several sampled plans reach become subgoals, and a search counts those that are unreached.

The AutoPlanBench paper (section 7) proposes heuristics from a model's plans; the counting is that of landmarks in LAMA
(Richter and Westphal, 2010). Plans are asked for as Basic does, ``samples`` of them; the first valid one is the plan.
Where none is valid, every plan is executed without its actions that are not applicable. A fact that most of the plans
reach is a subgoal, and so is each fact of the goal. One comes before another if it does so in all plans with both.
A subgoal counts as reached once it holds after those before it, and a fact of the goal that is lost counts again.
Unlike true landmarks it need not hold on every way to the goal, so that it guides and never prunes. States with equally
many unreached subgoals are sorted by the FF heuristic. A search with the FF heuristic alone takes turns with it, so
that misleading plans at most double the expansions.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated

from msgspec import Meta

from pddl2nl.pddl import Atom, GroundAtom, conjuncts
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.policy import Effort
from pddl2nl.policies.prompting import PromptedPolicy
from pddl2nl.search.best_first import BestFirstSearch, Rank
from pddl2nl.search.relaxation import FFHeuristic
from pddl2nl.systems.hybrids.events import StatesSearched
from pddl2nl.systems.hybrids.guided import ACTION_TOKENS, ff_rank, play_search
from pddlval import BadActionError, GroundAction, Simulator, State

Subgoals = Mapping[GroundAtom, frozenset[GroundAtom]]
"""Facts, each with those that come before it."""


class Landmarks(PromptedPolicy):
    """Samples plans, and searches along the facts that they reach."""

    summary = "search along the facts that several sampled plans reach"
    one_shot = True
    prompt = "basic"

    samples: Annotated[int, Meta(description="Number of plans to ask for; the first valid one counts.", ge=1)] = 1
    expansions: Annotated[int, Meta(description="The most states that the search may expand.", ge=1)] = 5_000

    def effort(self, actions: int) -> Effort:
        return Effort(self.samples, 0, 0, self.samples * actions * ACTION_TOKENS)

    def run(self, episode: Episode) -> None:
        """Samples plans, and ends the episode with the first valid one or with the plan that the search finds."""
        messages, setting = self.opening(episode), episode.setting
        constraint = self.constraint(episode)
        plans = []
        for sample in range(self.samples):
            verdict = episode.propose(episode.ask(messages, sample=sample, constraint=constraint), sample=sample)
            if verdict.valid:
                episode.conclude()
                return
            plans.append(first_reached(setting.simulator, verdict.trace.proposed))
        wanted = subgoals(setting.simulator, plans)
        play_search(episode, lambda: _LandmarkSearch(setting.simulator, wanted).run(self.expansions), round=1)


def first_reached(simulator: Simulator, actions: Sequence[GroundAction]) -> dict[GroundAtom, int]:
    """The facts that actions make true, each with the first step that does, without those that held from the beginning.

    Actions that are not applicable when their turn comes are skipped.
    """
    state, reached = simulator.initial, dict[GroundAtom, int]()
    for step, action in enumerate(actions, start=1):
        try:
            result = simulator.step(state, action)
        except BadActionError:
            continue
        if result.successor is not None:
            state = result.successor
            for atom in result.added:
                if not simulator.initial.true(atom):
                    reached.setdefault(atom, step)
    return reached


def subgoals(simulator: Simulator, plans: Sequence[Mapping[GroundAtom, int]]) -> Subgoals:
    """The facts that most plans reach (`first_reached`) and those of the goal, partially ordered by the plans."""
    counts = Counter(fact for plan in plans for fact in plan)
    common = {fact for fact, count in counts.items() if 2 * count > len(plans)}

    def before(one: GroundAtom, other: GroundAtom) -> bool:
        both = [plan for plan in plans if one in plan and other in plan]
        return bool(both) and all(plan[one] < plan[other] for plan in both)

    return {
        fact: frozenset(each for each in common if before(each, fact))
        for fact in sorted(common | goal_facts(simulator))
    }


def goal_facts(simulator: Simulator) -> frozenset[GroundAtom]:
    parts = conjuncts(simulator.task.problem.goal)
    return frozenset(GroundAtom((part.predicate, *part.args)) for part in parts if isinstance(part, Atom))


class _LandmarkSearch:
    """A search that counts unreached subgoals, and a plain one that takes turns with it, as LAMA's heuristics do.

    Both reach the same states, so that one that is exhausted shows that there is no plan.
    """

    def __init__(self, simulator: Simulator, wanted: Subgoals):
        self._simulator = simulator
        self._estimate = FFHeuristic(simulator)
        self._wanted = wanted
        self._goal = goal_facts(simulator)
        self._reached: dict[State, frozenset[GroundAtom]] = {}

    def _rank(self, state: State, parent: State | None) -> Rank | None:
        """The number of unreached subgoals and lost facts of the goal; then the FF heuristic."""
        estimate = self._estimate(state)
        if estimate is None:
            return None
        reached = frozenset[GroundAtom]() if parent is None else self._reached[parent]
        now = {fact for fact, before in self._wanted.items() if before <= reached and state.true(fact)}
        self._reached[state] = reached = reached | now
        lost = sum(not state.true(fact) for fact in self._goal & reached)
        return len(self._wanted) - len(reached) + lost, estimate

    def run(self, expansions: int) -> StatesSearched:
        """Searches until a plan is found, no state is left, or so many states are expanded."""
        began = time.monotonic()
        successors, plain_rank = self._simulator.successors, partial(ff_rank, self._estimate)
        counting, plain = BestFirstSearch(successors, self._rank), BestFirstSearch(successors, plain_rank)
        turns = [("landmarks", counting), ("plain", plain)]
        for _, search in turns:
            search.start(self._simulator.initial)
        by, status, plan = "plain", "limit", tuple[GroundAction, ...]()
        while status == "limit" and counting.expanded + plain.expanded < expansions:
            by, search = turns[(counting.expanded + plain.expanded) % 2]
            if search.exhausted:
                status = "exhausted"
            elif (goal := next(filter(self._simulator.is_goal, search.expand()), None)) is not None:
                status, plan = "solved", search.plan(goal)[1]
        return StatesSearched(
            by,
            status,
            tuple(map(str, plan)),
            counting.expanded + plain.expanded,
            counting.expanded,
            self._estimate.evaluated,
            time.monotonic() - began,
            tuple((str(fact), *map(str, sorted(before))) for fact, before in self._wanted.items()),
        )

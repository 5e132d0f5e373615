"""``guided``: greedy best-first search that asks a model where it is stuck, and prefers the actions that it names.

The AutoPlanBench paper (section 7) proposes a model's actions as preferred operators, which Fast Downward's searches
expand first (Helmert, 2006). Two searches with the FF heuristic share the work:

* the *plain* one knows nothing of the model;
* the *led* one begins in the states about which the model was asked. Successors that it named come first.

The led search goes on whenever it has expanded fewer states than the plain one. So with any answers, it at most
doubles the expansions; and because the plain search is ahead when the model is first asked, a way that it names is
followed at once, step by step. Of several ways, that to the smallest estimate comes first. The model is asked about
several states at once, only after `PATIENCE` expansions without a smaller estimate, not before the ways that it named
are at their end, and at most ``calls`` times.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import Annotated

from msgspec import Meta

from pddl2nl.baselines.mistakes import MISTAKES
from pddl2nl.errors import UnsupportedError
from pddl2nl.llm.constraint import Constraint
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.policy import LEVELS, Effort, Policy
from pddl2nl.policies.prompting import action_lines
from pddl2nl.policies.setting import ActionReader
from pddl2nl.search.best_first import BestFirstSearch, Rank
from pddl2nl.search.relaxation import FFHeuristic
from pddl2nl.systems.hybrids.answers import plans_from
from pddl2nl.systems.hybrids.events import StatesAsked, StatesSearched
from pddl2nl.systems.hybrids.prompting import PROMPTS, asked
from pddlval import GroundAction, State

PATIENCE = 10
"""Expansions without progress before the model is asked."""
BATCH = 3
"""States about which it is asked at once."""
_MOST_NAMED = 100
ACTION_TOKENS = 10
"""Tokens of an action, for estimates."""
_INFINITE = 1 << 30
_HEADING = re.compile(r"^\W*state\s+(\d{1,3})\b\W*$", re.IGNORECASE | re.MULTILINE)


class Guided(Policy):
    """Searches, and asks where it is stuck."""

    summary = "greedy best-first search that asks a model where it is stuck, and prefers its actions"
    one_shot = True
    uses = frozenset({"constrain"})
    levels = LEVELS
    mistakes = MISTAKES
    prompts = PROMPTS
    prompt_names = ("next.txt",)

    calls: Annotated[int, Meta(description="How often the search may ask the model.", ge=0)] = 10
    expansions: Annotated[int, Meta(description="The most states that the search may expand.", ge=1)] = 5_000

    def effort(self, actions: int) -> Effort:
        """As many calls as are allowed, each about several states."""
        replies = self.calls * BATCH * actions * ACTION_TOKENS
        return Effort(self.calls, 0, 0, replies, f"of guided and tree all {self.calls} calls")

    def run(self, episode: Episode) -> None:
        play_search(episode, lambda: _GuidedSearch(episode, self).run())


def play_search(episode: Episode, search: Callable[[], StatesSearched], round: int = 0) -> None:
    """Searches unless the episode is over, and ends it with the plan."""
    if episode.done:
        return
    try:
        ended = search()
    except UnsupportedError as error:
        episode.give_up("budget", str(error))
        return
    episode.note(ended)
    if ended.status == "solved":
        episode.propose_plan([*map(GroundAction.parse, ended.plan)], round=round)
        episode.conclude()
    elif ended.status == "exhausted":
        episode.give_up("dead-end", "the search came to its end without a plan")
    else:
        episode.give_up("budget", f"the limit of {ended.expanded} expansions is reached")


def ff_rank(heuristic: FFHeuristic, state: State, parent: State | None) -> Rank | None:
    """The FF heuristic alone; None for a dead end."""
    estimate = heuristic(state)
    return None if estimate is None else (estimate,)


class _GuidedSearch:
    """Both searches of one episode."""

    def __init__(self, episode: Episode, policy: Guided):
        self._episode = episode
        self._policy = policy
        self._simulator = episode.setting.simulator
        self._estimate = FFHeuristic(self._simulator)
        rank = partial(ff_rank, self._estimate)
        self._plain = BestFirstSearch(self._simulator.successors, rank)
        self._led = BestFirstSearch(self._simulator.successors, rank)
        self._named: defaultdict[State, list[GroundAction]] = defaultdict(list)
        self._begins: dict[State, tuple[GroundAction, ...]] = {}
        self._asked: set[State] = set()
        self._waited = 0.0
        self._calls = policy.calls
        self._plain.start(self._simulator.initial)

    def run(self) -> StatesSearched:
        """Searches until a plan is found, no state is left, or the limit is reached."""
        began = time.monotonic()
        best = self._estimate(self._simulator.initial) or 0
        stuck = 0
        while not self._plain.exhausted:
            if self._plain.expanded + self._led.expanded >= self._policy.expansions:
                return self._ended("plain", "limit", (), began)
            leads = not self._led.exhausted and self._led.expanded < self._plain.expanded
            search = self._led if leads else self._plain
            # The plain search stays as it would be without a model.
            new = search.expand(self._named if leads else None)
            if (goal := next(filter(self._simulator.is_goal, new), None)) is not None:
                start, rest = search.plan(goal)
                return self._ended("led" if leads else "plain", "solved", (*self._begins.get(start, ()), *rest), began)
            least = min((e for state in new if (e := self._estimate(state)) is not None), default=best)
            best, stuck = (least, 0) if least < best else (best, stuck + 1)
            if stuck >= PATIENCE and self._calls and not self._led.prefers:
                self._ask()
                stuck = 0
        return self._ended("plain", "exhausted", (), began)

    def _ended(self, by: str, status: str, plan: tuple[GroundAction, ...], began: float) -> StatesSearched:
        expanded = self._plain.expanded + self._led.expanded
        evaluated, seconds = self._estimate.evaluated, time.monotonic() - began - self._waited
        return StatesSearched(by, status, tuple(map(str, plan)), expanded, self._led.expanded, evaluated, seconds)

    def _ask(self) -> None:
        """Asks about the most promising states of both searches; the led one begins where an action is possible."""
        origins = [
            (self._estimate(state) or 0, search is self._plain, state)
            for search in (self._led, self._plain)
            for state in search.waiting(BATCH + len(self._asked))
            if state not in self._asked
        ]
        chosen = dict.fromkeys(state for *_, state in sorted(origins, key=lambda origin: origin[:2]))
        states = [*chosen][:BATCH]
        if not states:
            return
        self._calls -= 1
        self._asked |= {*states}
        told = [self._episode.setting.teller.state(state) for state in states]
        began = time.monotonic()
        prompt = asked("next.txt", self._episode, {"States": told}, self._episode.domain_text)
        constraint, answer = self._constraint(states), plans_from(self._episode.setting, states)
        # Half a line may name another action.
        reply = self._episode.uncut(self._episode.ask(prompt, constraint=constraint, answer=answer))
        self._waited += time.monotonic() - began
        named = named_by_state(reply, len(states), self._episode.setting.reader)
        ways = [self._prefer(state, actions) for state, actions in zip(states, named, strict=True)]
        self._episode.note(
            StatesAsked(
                tuple(self._estimate(state) or 0 for state in states),
                tuple(tuple(map(str, actions)) for actions in named),
                tuple(len(way) - 1 for way in ways),
            )
        )
        self._begin([way for way in ways if len(way) > 1])

    def _constraint(self, states: Sequence[State]) -> Constraint | None:
        """What a reply about states may be: headings with actions of the task, or with one that is applicable each."""
        episode, level = self._episode, self._episode.setting.spec.constrain
        headings = [f"State {number}:" for number in range(1, len(states) + 1)]
        if level == "off":
            return None
        if level == "applicable":
            parts = [
                (f"{heading}\n", action_lines(episode, state) or None, "\n")
                for heading, state in zip(headings, states, strict=True)
            ]
            return Constraint((tuple(chain.from_iterable(parts)),))
        lines = (*((heading,) for heading in headings[1:]), *action_lines(episode, states[0]))
        return Constraint(None if level == "format" else lines, begin=f"{headings[0]}\n")

    def _prefer(self, state: State, actions: Sequence[GroundAction]) -> tuple[State, ...]:
        """Prefers each action in the state that those before it reach; returns these states, the first included."""
        way = self._simulator.follow(state, actions).states
        for before, action in zip(way[:-1], actions, strict=False):
            self._named[before].append(action)
        return way

    def _begin(self, ways: Sequence[Sequence[State]]) -> None:
        """Lets the led search begin where ways do, that to the smallest estimate first."""
        ways = sorted(
            ways, key=lambda way: min(_INFINITE if (e := self._estimate(state)) is None else e for state in way)
        )
        for state in (way[0] for way in reversed(ways)):
            if state not in self._led.came_from:
                self._begins[state] = self._plain.plan(state)[1]
            self._led.start(state)


def named_by_state(reply: str, states: int, reader: ActionReader) -> list[tuple[GroundAction, ...]]:
    """The actions that a reply names for each state, under headings ``State N:``; without any, for the first one."""
    parts = _HEADING.split(reply)
    texts = {int(number): text for number, text in zip(parts[1::2], parts[2::2], strict=True)}
    texts.setdefault(1, parts[0])
    return [reader.read(texts.get(number + 1, ""), "all").plan[:_MOST_NAMED] for number in range(states)]

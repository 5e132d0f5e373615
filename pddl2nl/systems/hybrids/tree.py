"""``tree``: beam search over the simulator's states, where a model names the actions to try.

Tree of Thoughts (Yao et al., 2023) with states in place of thoughts: in every state of the beam the model is asked for
``candidates`` actions, each with a value from 0 to 10. The states that they reach are ranked by the FF heuristic, by
the model's values, or by the sum of both ranks (``ranking``); the best ``beam`` of them, none of which was reached
before, are the next beam. It ends at the goal, where no action leads to a new state, or after ``calls`` calls.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from pddl2nl.baselines.mistakes import MISTAKES
from pddl2nl.llm.constraint import Constraint
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.policy import LEVELS, Effort, Policy
from pddl2nl.policies.prompting import action_lines
from pddl2nl.policies.setting import ActionReader
from pddl2nl.search.beam import beam_search
from pddl2nl.search.relaxation import FFHeuristic
from pddl2nl.systems.hybrids.answers import candidates_in
from pddl2nl.systems.hybrids.events import StatesAsked, StatesSearched
from pddl2nl.systems.hybrids.guided import ACTION_TOKENS, play_search
from pddl2nl.systems.hybrids.prompting import PROMPTS, asked
from pddlval import GroundAction, State

_VALUE = re.compile(r"[ \t]*\|[ \t]*(\d{1,2}(?:\.\d{1,3})?)[ \t]*(?:/[ \t]*10)?[ \t]*$", re.MULTILINE)
_MOST_VALUE = 10.0
_VALUES = tuple(map(str, range(11)))


@dataclass(frozen=True)
class _BeamState:
    """A state of the beam, the actions that led there, and the model's value of the last one."""

    state: State
    plan: tuple[GroundAction, ...] = ()
    value: float = 0.0


class Tree(Policy):
    """Asks for candidates in every state of a beam."""

    summary = "beam search in which a model names the actions to try"
    one_shot = True
    uses = frozenset({"constrain"})
    levels = LEVELS
    mistakes = MISTAKES
    prompts = PROMPTS
    prompt_names = ("candidates.txt",)

    calls: Annotated[
        int,
        Meta(
            description="How often the search may ask the model: a plan of n actions takes about n times the beam.",
            ge=0,
        ),
    ] = 60
    candidates: Annotated[int, Meta(description="How many actions the model is asked for in a state.", ge=1)] = 3
    beam: Annotated[int, Meta(description="How many states are kept at each depth.", ge=1)] = 3
    ranking: Annotated[
        Literal["hff", "model", "both"],
        Meta(description="What ranks states: the FF heuristic, the values that the model gives its actions, or both."),
    ] = "both"

    def effort(self, actions: int) -> Effort:
        replies = self.calls * actions * ACTION_TOKENS
        return Effort(self.calls, 0, 0, replies, f"of guided and tree all {self.calls} calls")

    def run(self, episode: Episode) -> None:
        play_search(episode, lambda: _TreeSearch(episode, self).run())


class _TreeSearch:
    """The beam search of one episode."""

    def __init__(self, episode: Episode, policy: Tree):
        self._episode = episode
        self._policy = policy
        self._simulator = episode.setting.simulator
        self._estimate = FFHeuristic(self._simulator)
        self._reached = {self._simulator.initial}
        self._expanded = 0
        self._waited = 0.0
        self._status = "exhausted"
        self._plan: tuple[GroundAction, ...] = ()
        self._plans: dict[State, tuple[GroundAction, ...] | None] = {}

    def run(self) -> StatesSearched:
        """Searches until a plan is found, no new state is reached, or all calls are made."""
        began, beam = time.monotonic(), self._policy.beam
        for _ in beam_search(_BeamState(self._simulator.initial), self._successors, self._ranked, beam):
            if self._status != "exhausted":
                break
        seconds, plan, expanded = time.monotonic() - began - self._waited, map(str, self._plan), self._expanded
        return StatesSearched("tree", self._status, tuple(plan), expanded, expanded, self._estimate.evaluated, seconds)

    def _successors(self, here: _BeamState) -> list[_BeamState]:
        """The states that the model's candidates reach for the first time, dead ends left out.

        Once the search is at its end, the rest of the beam has no successors: the model is asked nothing more.
        """
        if self._status == "exhausted" and self._expanded == self._policy.calls:
            self._status = "limit"
        if self._status != "exhausted":
            return []
        new = self._asked(here)
        if (goal := next((item for item in new if self._simulator.is_goal(item.state)), None)) is not None:
            self._status, self._plan = "solved", goal.plan
        return new

    def _asked(self, here: _BeamState) -> list[_BeamState]:
        self._expanded += 1
        setting, most = self._episode.setting, self._policy.candidates
        told = {"State": setting.teller.state(here.state)}
        prompt = asked("candidates.txt", self._episode, told, self._episode.domain_text, count=str(most))
        constraint, answer = self._constraint(here.state), candidates_in(setting, here.state, most, self._plans)
        began = time.monotonic()
        # Half a line may name another action.
        reply = self._episode.uncut(self._episode.ask(prompt, constraint=constraint, answer=answer))
        self._waited += time.monotonic() - began
        valued = valued_actions(reply, setting.reader)
        named = [*valued][:most]
        new, possible = list[_BeamState](), 0
        for action in named:
            successor = self._simulator.step(here.state, action).successor
            possible += successor is not None
            if successor is None or successor in self._reached or self._estimate(successor) is None:
                continue
            self._reached.add(successor)
            new.append(_BeamState(successor, (*here.plan, action), valued[action]))
        estimate = self._estimate(here.state) or 0
        self._episode.note(StatesAsked((estimate,), (tuple(map(str, named)),), (possible,)))
        return new

    def _constraint(self, state: State) -> Constraint | None:
        """What the candidates in a state may be: lines of an action and a value."""
        level = self._episode.setting.spec.constrain
        if level == "off":
            return None
        # Where no action is applicable, any text may stand in its place.
        actions = None if level == "format" else action_lines(self._episode, state) or None
        return Constraint(((actions, " | ", _VALUES),), between="\n")

    def _ranked(self, states: Sequence[_BeamState]) -> list[_BeamState]:
        """The best first; of equals the one that was reached first."""
        by_estimate: Mapping[State, float] = {item.state: self._estimate(item.state) or 0 for item in states}
        by_value: Mapping[State, float] = {item.state: -item.value for item in states}
        ranks = {"hff": [by_estimate], "model": [by_value], "both": [by_estimate, by_value]}
        places = [_places(values) for values in ranks[self._policy.ranking]]
        return sorted(states, key=lambda item: sum(place[item.state] for place in places))


def _places(values: Mapping[State, float]) -> Mapping[State, int]:
    """How many different values are smaller than that of each state."""
    order = {value: place for place, value in enumerate(sorted({*values.values()}))}
    return {state: order[value] for state, value in values.items()}


def valued_actions(reply: str, reader: ActionReader) -> Mapping[GroundAction, float]:
    """The actions that a reply names, in their order, each with the value behind it; 0 without one."""
    plain = _VALUE.sub("", reply)
    lines = reply.splitlines()
    valued: dict[GroundAction, float] = {}
    for reading in reader.read(plain, "all").chosen:
        match = _VALUE.search(lines[reading.line - 1]) if 0 < reading.line <= len(lines) else None
        if reading.action is not None:
            valued.setdefault(reading.action, 0.0 if match is None else min(float(match[1]), _MOST_VALUE))
    return valued

"""Events: every one survives its JSON, and nothing else passes for one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pddl2nl.experiments.asked import Answered, Asked
from pddl2nl.experiments.planned import Planned
from pddl2nl.experiments.records.reader import EVENT_KINDS, event_from_json
from pddl2nl.llm import Message
from pddl2nl.policies.events import (
    Acted,
    Failed,
    Fault,
    Finished,
    GoalReached,
    Judged,
    LookedAround,
    Prompted,
    Read,
    RecordError,
    Rejected,
    Replied,
    RunEvent,
    Started,
    event_to_json,
)
from pddl2nl.questions.question import Question
from pddl2nl.systems.brainbody.events import BodyActed, BrainPlanned, DeadEndProved, ErrorSignal
from pddl2nl.systems.hvr.events import (
    BlockExpanded,
    Discrepancy,
    MacroPlanned,
    MacroProved,
    MacrosConditioned,
    MacrosVerified,
    PlanExpanded,
    Recovered,
    Retrieved,
)
from pddl2nl.systems.hybrids.events import PlanRepaired, ProblemSolved, ProblemWritten, StatesAsked, StatesSearched
from pddl2nl.systems.sayplan.events import PlanChecked, SceneSearched, SearchEnded
from pddl2nl.systems.taskgraph.events import (
    GraphChecked,
    KeysChosen,
    NextScored,
    PlanRevised,
    RevisionSpared,
    SubtaskDone,
)

TEXT = st.text(max_size=20)
TEXTS = st.lists(TEXT, max_size=3).map(tuple)
NUMBER = st.integers(0, 10**9)
NUMBERS = st.lists(NUMBER, max_size=2).map(tuple)
MESSAGES = st.lists(st.builds(Message, st.sampled_from(["system", "user", "assistant"]), TEXT), max_size=3).map(tuple)
EVENT: st.SearchStrategy[RunEvent] = st.one_of(
    st.builds(Started, TEXT, TEXT, NUMBER, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, names=st.dictionaries(TEXT, TEXT)),
    st.builds(Prompted, NUMBER, TEXT, NUMBER, MESSAGES, TEXT, st.none() | st.just(0.5), stop=TEXTS),
    st.builds(Replied, NUMBER, TEXT, usd=st.none() | st.just(0.25)),
    st.builds(Failed, NUMBER, TEXT, st.booleans()),
    st.builds(Read, NUMBER, TEXT, TEXT, st.none() | TEXT, TEXTS),
    st.builds(Acted, NUMBER, TEXT, TEXT, TEXT, TEXTS, TEXTS),
    st.builds(Rejected, NUMBER, TEXT, TEXT, st.none() | TEXT, TEXTS),
    st.builds(LookedAround, NUMBER, TEXT, TEXT),
    st.builds(GoalReached, NUMBER),
    st.builds(
        Judged, NUMBER, NUMBER, NUMBER, st.just("unreadable"), st.none() | st.builds(Fault, NUMBER, TEXT, TEXT), TEXTS
    ),
    st.builds(
        Finished,
        st.just("solved"),
        st.none() | st.builds(Fault, NUMBER, TEXT, TEXT),
        TEXTS,
        TEXTS,
        turns=st.dictionaries(TEXT, NUMBER),
    ),
    st.builds(Retrieved, TEXT, TEXTS, TEXTS, TEXTS, st.booleans()),
    st.builds(MacroPlanned, NUMBER, TEXTS),
    st.builds(
        MacrosConditioned,
        NUMBER,
        NUMBER,
        st.lists(st.fixed_dictionaries({"precondition": TEXT, "effect": TEXT, "problem": TEXT}), max_size=2).map(tuple),
    ),
    st.builds(MacrosVerified, NUMBER, NUMBER, NUMBER, NUMBER, TEXTS, TEXT),
    st.builds(BlockExpanded, NUMBER, NUMBER, NUMBER, TEXTS, st.lists(NUMBER, max_size=2).map(tuple)),
    st.builds(PlanExpanded, NUMBER, TEXTS, st.lists(NUMBER, max_size=2).map(tuple), NUMBER, st.booleans()),
    st.builds(Discrepancy, NUMBER, TEXT, TEXTS, TEXTS, TEXT, TEXT),
    st.builds(Recovered, NUMBER, TEXT, TEXTS),
    st.builds(MacroProved, NUMBER, NUMBER, st.booleans(), TEXT),
    st.builds(BrainPlanned, NUMBER, NUMBER, TEXTS, TEXT, TEXTS),
    st.builds(BodyActed, NUMBER, TEXT, TEXT, TEXT, TEXT),
    st.builds(ErrorSignal, NUMBER, TEXT, TEXT, TEXT, TEXT, TEXTS, NUMBER, st.booleans()),
    st.builds(DeadEndProved, NUMBER, TEXT, st.booleans()),
    st.builds(SceneSearched, NUMBER, TEXT, TEXT, st.booleans(), TEXT, NUMBER, TEXTS, TEXTS),
    st.builds(
        SearchEnded, TEXT, TEXTS, TEXTS, TEXTS, NUMBER, NUMBER, NUMBER, st.lists(st.tuples(TEXT, NUMBER)).map(tuple)
    ),
    st.builds(
        PlanChecked, NUMBER, TEXTS, st.lists(NUMBER, max_size=2).map(tuple), NUMBER, st.booleans(), st.booleans()
    ),
    st.builds(GraphChecked, NUMBER, NUMBER, TEXTS, TEXTS, TEXTS, TEXTS, st.booleans()),
    st.builds(KeysChosen, TEXTS, TEXTS),
    st.builds(RevisionSpared, TEXT, TEXTS),
    st.builds(NextScored, TEXTS, TEXTS, st.lists(st.floats(0, 10)).map(tuple), st.integers(0, 9)),
    st.builds(SubtaskDone, NUMBER, TEXT, TEXTS, NUMBER, TEXT),
    st.builds(PlanRevised, NUMBER, TEXT, TEXT, TEXTS, st.booleans(), TEXTS, st.booleans(), st.booleans()),
    st.builds(PlanRepaired, TEXT, TEXT, TEXTS, NUMBER, TEXTS, NUMBERS, NUMBER, NUMBER, alone=st.none() | NUMBER),
    st.builds(ProblemWritten, NUMBER, TEXT, TEXT, st.none() | st.booleans()),
    st.builds(ProblemSolved, TEXT, TEXT, TEXTS, st.just(0.5), NUMBER),
    st.builds(StatesAsked, NUMBERS, st.lists(TEXTS, max_size=2).map(tuple), NUMBERS),
    st.builds(StatesSearched, TEXT, TEXT, TEXTS, NUMBER, NUMBER, NUMBER),
    st.builds(Asked, st.builds(Question, *[TEXT] * 2, st.just("open"), *[TEXT] * 4, TEXTS.map(list)), TEXT, NUMBER),
    st.builds(Answered, st.just("right"), st.none() | st.builds(Fault, NUMBER, TEXT, TEXT), TEXT),
)


@given(EVENT)
def test_an_event_survives_its_json(event: RunEvent) -> None:
    line = json.dumps(event_to_json(event), ensure_ascii=False)
    assert "\n" not in line
    assert event_from_json(json.loads(line)) == event


def test_every_event_is_covered_by_the_test_above() -> None:
    kinds = {Started, Prompted, Replied, Failed, Read, Acted, Rejected, LookedAround, GoalReached, Judged, Finished}
    kinds |= {Retrieved, MacroPlanned, MacrosConditioned, MacrosVerified, BlockExpanded, PlanExpanded}
    kinds |= {Discrepancy, Recovered, MacroProved, BrainPlanned, BodyActed, ErrorSignal, DeadEndProved}
    kinds |= {SceneSearched, SearchEnded, PlanChecked}
    kinds |= {GraphChecked, NextScored, KeysChosen, SubtaskDone, PlanRevised, RevisionSpared}
    kinds |= {PlanRepaired, ProblemWritten, ProblemSolved, StatesAsked, StatesSearched, Asked, Answered}
    assert set(EVENT_KINDS.values()) == {*kinds, Planned}
    assert EVENT_KINDS["looked-around"] is LookedAround
    assert LookedAround(1, "", "").event == "looked-around"


def test_the_name_comes_first() -> None:
    assert [event_to_json(GoalReached(3))] == [{"event": "goal-reached", "step": 3}]


@pytest.mark.parametrize(
    "data",
    [{}, {"event": "nonsense"}, {"event": "acted"}, {"event": "acted", "step": 1, "action": "(a)", "more": 1}],
)
def test_what_is_no_event_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(RecordError):
        event_from_json(data)

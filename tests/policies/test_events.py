"""Events: every one survives its JSON, and nothing else passes for one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.experiments.records.reader import event_from_json, event_kinds
from pddl2nl.policies.events import FORMAT, GoalReached, LookedAround, RecordError, RunEvent, event_to_json

TEXT = st.text(max_size=20)
PLAIN = {str: TEXT, int: st.integers(0, 9), float: st.sampled_from([0.0, 0.25]), bool: st.booleans(), Any: TEXT}


def drawn(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a type, as events have them."""
    origin, args = get_origin(hint), get_args(hint)
    if hint in PLAIN:
        return PLAIN[hint]
    if hint is type(None):
        return st.none()
    if origin is Literal:
        return st.sampled_from(args)
    if origin in (Union, UnionType):
        return st.one_of(map(drawn, args))
    if origin is tuple and args[-1] is ...:
        return st.lists(drawn(args[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(drawn, args))
    if origin is list:
        return st.lists(drawn(args[0]), max_size=2)
    if origin in (Mapping, dict):
        return st.dictionaries(drawn(args[0]), drawn(args[1]), max_size=2)
    hints = {name: each for name, each in get_type_hints(hint).items() if "ClassVar" not in str(each)}
    return st.builds(hint, **{name: st.just(FORMAT) if name == "format" else drawn(hints[name]) for name in hints})


@pytest.mark.parametrize("kind", event_kinds().values(), ids=list(event_kinds()))
@settings(max_examples=20)
@given(data=st.data())
def test_an_event_survives_its_json(kind: type[RunEvent], data: st.DataObject) -> None:
    event = data.draw(drawn(kind))
    line = json.dumps(event_to_json(event), ensure_ascii=False)
    assert "\n" not in line
    assert event_from_json(json.loads(line)) == event


def test_events_are_called_by_their_class() -> None:
    assert event_kinds()["looked-around"] is LookedAround
    assert LookedAround(1, "", "").event == "looked-around"


def test_the_name_comes_first() -> None:
    assert [event_to_json(GoalReached(3))] == [{"event": "goal-reached", "step": 3}]


@pytest.mark.parametrize(
    "data", [{}, {"event": "nonsense"}, {"event": "acted"}, {"event": "acted", "step": 1, "action": "(a)", "more": 1}]
)
def test_what_is_no_event_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(RecordError):
        event_from_json(data)

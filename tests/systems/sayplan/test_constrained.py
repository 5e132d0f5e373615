"""``--constrain`` for SayPlan: what is sent with which prompt, and that replies to it are read."""

from __future__ import annotations

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments import run
from pddl2nl.systems.sayplan.events import PlanChecked, SceneSearched
from pddl2nl.tasks import shipped_task
from tests.policies.constrained import asked


def test_sayplan_searches_and_plans_with_nodes_that_are_shown() -> None:
    replies = {
        "sayplan/search": '{"mode": "exploring", "command": "terminate"}',
        "sayplan/plan": '{"mode": "planning", "plan": [\n"goto(kitchen)",\n"done()"]}',
    }
    sent, result = asked("building", "sayplan", "actions", lambda stage: replies[stage])
    search, plan = sent[0][1], sent[1][1]
    head = r'root ::= "{\"mode\": \"exploring\", \"command\": \"" action "\"}"'
    assert search.splitlines()[0] == head
    assert '"terminate(" slot1 ")"' in search
    assert '("terminate" | "terminate(none)")' in search
    assert '"expand(" slot0 ")"' in search
    assert plan.splitlines()[0].endswith(r'("\"" action "\"," "\n")* "\"done()\"]}"')
    assert '"goto(" slot0 ")"' in plan
    assert any("goto(kitchen)" in str(event) for event in result.events[2:])
    _, form = asked("building", "sayplan", "format", lambda stage: replies[stage])[0][0]
    assert form.splitlines()[-1] == r'action ::= [^"\\\n]+'


def test_a_search_with_queries_names_what_the_view_shows() -> None:
    command = '{"mode": "exploring", "command": "count(desk)"}'
    sent, _ = asked("building", "sayplan-queries", "actions", lambda stage: command)
    rules = dict(line.split(" ::= ", 1) for line in sent[0][1].splitlines())
    assert '"distance(" slot2 ", " slot2 ")"' in rules["action"]
    assert '"count(" slot1 ")" | "without(" slot1 ")"' in rules["action"]
    assert '"room"' in rules["slot1"]


@pytest.mark.parametrize("policy", ["sayplan", "sayplan-queries"])
@pytest.mark.parametrize("level", ["format", "actions"])
def test_whatever_the_grammar_allows_is_read(policy: str, level: str) -> None:
    events = [event for seed in (1, 2) for event in asked("building", policy, level, seed)[1].events]
    steps = [event for event in events if isinstance(event, SceneSearched)]
    if level == "actions":
        assert steps
        assert all(step.command for step in steps)
        assert not any(event.unread for event in events if isinstance(event, PlanChecked))


def test_an_exact_search_has_nothing_to_constrain() -> None:
    with pytest.raises(InputError, match="--constrain format: the policy does not use it"):
        run(shipped_task("building", "p01"), "sayplan-exact", constrain="format")

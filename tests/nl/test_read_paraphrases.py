"""Property: a paraphrase of a plan is read back or reported, and never gives another action.

The grammar below says actions in other voices, persons and orders, with the names spelled in other ways, in many
layouts. It knows nothing of the reader: a sentence is built from a snippet's own words.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.nl import Reader, Wording, load_wording, make_names
from pddl2nl.nl.names import Names
from pddl2nl.pddl import Task, load_task
from pddlval import GroundAction

ROOT = Path(__file__).resolve().parents[2]
DOMAINS = ("blocksworld", "logistics", "ferry", "grippers", "visitall")
FAILED = ("unreadable", "ambiguous", "unknown-object")
PREPOSITIONS = ("from", "to", "into", "on", "onto", "at", "in", "with", "using")
SPELLINGS = (
    lambda name: name,
    str.upper,
    str.capitalize,
    lambda name: name.replace("_", "-"),
    lambda name: name.replace("_", " "),
    lambda name: name.replace("_", ""),
    lambda name: f"**{name}**",
    lambda name: f"`{name}`",
    lambda name: f"the {name}",
)
FRAMES = (
    "{a}", "{A}.", "I {a}", "I will {a}.", "I'll {a} now", "We {a}", "Let's {a}!", "Please {a}", "I need to {a}.",
    "Next, {a}", "Then I {a}.", "I am going to {a}", "The next step is to {a}", "{A}, since that helps",
    "{A} (this is needed)", "{A}. Now more is possible.", "So I'd {a}", "I decide to {a}", "{a} - done",
)  # fmt: skip
STANCES = (
    "I cannot {a}.", "If I {a}, it may help.", "Do not {a}", "I could {a}.", "Should I {a}?", "~~{a}~~", "❌ {a}",
    "It is not possible to {a}.", "I already did '{a}'.", "My goal is to {a}.", "Instead of {a}, wait.",
)  # fmt: skip
LISTS = (
    "{n}. {s}", "- {s}", "* {s}", "Step {n}: {s}", "**{n}.** {s}", "{n}) {s}", "| {n} | {s} |", "> {s}", "✅ {s}",
    "- [x] {s}", "### Step {n}\n{s}\n\nThis helps.\n", "{s}", "Action {n}: {s}", "({n}) {s}", "{n}、{s}", "\\item {s}",
    "<li>{s}</li>", "{n}. **{s}**\n   - Effect: something changes",
)  # fmt: skip
FORMATS = ("lines", "json", "objects", "yaml", "tags", "fence", "think", "corrected")


@cache
def _world(name: str) -> tuple[Task, Wording, Names, Reader]:
    problem = sorted((ROOT / "instances" / name).rglob("*.pddl"))[0]
    task = load_task(ROOT / "domains" / name / "domain.pddl", problem)
    wording = load_wording(ROOT / "domains" / name / "wording.json", task.domain)
    names = make_names(task, "typed", wording)
    return task, wording, names, Reader(task, wording, names)


@st.composite
def actions(draw: st.DrawFn, name: str) -> GroundAction:
    task, *_ = _world(name)
    schemas = [item for item in task.domain.actions if all(task.objects_of(p.types) for p in item.parameters)]
    schema = draw(st.sampled_from(schemas))
    args: list[str] = []
    for parameter in schema.parameters:
        args.append(draw(st.sampled_from(list(task.objects_of(parameter.types)))))
    return GroundAction(schema.name, tuple(args))


@st.composite
def phrases(draw: st.DrawFn, name: str, action: GroundAction) -> str:
    """The snippet with names spelled anew, its prepositional phrases perhaps in another order."""
    _, wording, names, _ = _world(name)
    spell = draw(st.sampled_from(SPELLINGS))
    said = wording.actions[action.name].fill([spell(names.to_nl[arg]) for arg in action.args])
    if draw(st.booleans()):
        head, *rest = re.split(rf"\s(?=(?:{'|'.join(PREPOSITIONS)})\s)", said)
        said = " ".join((head, *draw(st.permutations(rest))))
    for word, other in (("onto", "on"), ("into", "in"), (" on ", " onto "), (" from ", " off of ")):
        if word in said and draw(st.integers(0, 3)) == 0:
            said = said.replace(word, other, 1)
    return said


def _read(name: str, reply: str, meant: list[GroundAction]) -> None:
    readings = _world(name)[3].read(reply)
    told = iter(meant)
    assert all(action in told for action in readings.plan), (reply, readings.plan, meant)
    if len(readings.plan) < len(meant):
        assert any(item.status in FAILED for item in readings.readings), (reply, readings.plan, meant)


@pytest.mark.parametrize("name", DOMAINS)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_a_sentence_gives_its_action_or_none(name: str, data: st.DataObject) -> None:
    action = data.draw(actions(name))
    said = data.draw(phrases(name, action))
    reply = data.draw(st.sampled_from(FRAMES)).format(a=said, A=said[:1].upper() + said[1:])
    turn = _world(name)[3].read_turn(reply)
    assert turn.action in (None, action), (reply, turn)
    assert turn.action == action or turn.status in FAILED, (reply, turn)
    other = data.draw(st.sampled_from(STANCES)).format(a=said)
    assert _world(name)[3].read_turn(other).action is None, other


@pytest.mark.parametrize("name", DOMAINS)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_a_plan_in_any_layout_is_read_or_reported(name: str, data: st.DataObject) -> None:
    # No action twice in a row, since that is how a step is restated.
    drawn = data.draw(st.lists(actions(name), min_size=1, max_size=5))
    plan = [item for index, item in enumerate(drawn) if index == 0 or item != drawn[index - 1]]
    steps = [data.draw(phrases(name, action)) for action in plan]
    form = data.draw(st.sampled_from(FORMATS))
    layout = data.draw(st.sampled_from(LISTS))
    lines = "\n".join(layout.format(n=index, s=step) for index, step in enumerate(steps, 1))
    reply = {
        "lines": lines,
        "json": json.dumps(steps),
        "objects": json.dumps({"thought": "it is time", "plan": [{"action": step} for step in steps]}, indent=2),
        "yaml": "plan:\n" + "\n".join(f'  - "{step}"' for step in steps),
        "tags": f"I thought about it.\n\n[PLAN]\n{lines}\n[PLAN END]\n\nThis is all.",
        "fence": "Here it is:\n```\n" + "\n".join(steps) + "\n```",
        "think": f"<think>\n{steps[-1]}\nNo.\n</think>\n{lines}",
        "corrected": f"1. {steps[-1]}\n\nWait, that is wrong. The correct plan is:\n\n{lines}",
    }[form]
    _read(name, reply, plan)

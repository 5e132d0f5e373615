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
    "<li>{s}</li>", "{n}. **{s}**\n   - Effect: something changes", "{n}. {s} (step {n})", "| {n} | {s} | as needed |",
    "{n}. ~~wait~~ {s}", "What comes next? {S}.",
)  # fmt: skip
FORMATS = (
    "lines", "json", "objects", "yaml", "tags", "fence", "think", "corrected", "joined", "semicolons", "tuples",
    "calls", "records", "options", "drafts",
)  # fmt: skip
PARTICIPLES = {
    "pick": "picked", "put": "put", "stack": "stacked", "unstack": "unstacked", "load": "loaded", "move": "moved",
    "unload": "unloaded", "drive": "driven", "fly": "flown", "sail": "sailed", "drop": "dropped",
}  # fmt: skip


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


def _parts(name: str, action: GroundAction, first: str = "") -> tuple[str, str, str]:
    """A snippet as its verb with a particle, its first object (or what stands for it), and the rest."""
    _, wording, names, _ = _world(name)
    said = wording.actions[action.name].fill([names.to_nl[arg] for arg in action.args])
    match = re.fullmatch(r"(\w+(?: (?:up|down))?) (?:the |package |truck |airplane )*(\S+)(.*)", said)
    assert match is not None
    return match[1], first or match[2], match[3]


def third_person(name: str, action: GroundAction) -> str:
    verb, first, rest = _parts(name, action)
    head, _, particle = verb.partition(" ")
    ending = "ies" if head.endswith("ly") else "s"
    return f"the robot {head[: -1 if ending == 'ies' else None]}{ending} {particle} {first}{rest}".replace("  ", " ")


def passive(name: str, action: GroundAction) -> str:
    verb, first, rest = _parts(name, action)
    head, _, particle = verb.partition(" ")
    return f"{first} is {PARTICIPLES[head]} {particle}{rest}".replace("  ", " ")


@pytest.mark.parametrize("name", DOMAINS)
@settings(max_examples=25)
@given(data=st.data())
def test_other_persons_voices_and_pronouns(name: str, data: st.DataObject) -> None:
    one, two = data.draw(actions(name)), data.draw(actions(name))
    names = _world(name)[2].to_nl
    verb, first, rest = _parts(name, two)
    objects = {names[arg] for arg in one.args}
    shared = first in objects and first == _parts(name, one)[1] and first not in rest.split()
    forms = [
        (f"{third_person(name, one)}.", [one]),
        (f"First, {passive(name, one)}. Then {passive(name, two)}.", [one, two]),
        (f"1. {passive(name, one)}\n2. {third_person(name, two)}", [one, two]),
        (f"Next, {third_person(name, one)}, and then {third_person(name, two)}.", [one, two]),
        (f"{third_person(name, one)} because {passive(name, two)} later.", [one]),
    ]
    if shared:
        said = " ".join(_parts(name, one)).replace("  ", " ")
        forms += [(f"{said}, then {verb} it{rest}.", [one, two]), (f"{said}\n{verb} it{rest}", [one, two])]
    reply, meant = data.draw(st.sampled_from(forms))
    if one != two:
        _read(name, reply, meant)


def _read(name: str, reply: str, meant: list[GroundAction]) -> None:
    readings = _world(name)[3].read(reply)
    told = iter(meant)
    assert all(action in told for action in readings.plan), (reply, readings.plan, meant)
    if len(readings.plan) < len(meant):
        assert any(item.status in FAILED for item in readings.readings), (reply, readings.plan, meant)


@pytest.mark.parametrize("name", DOMAINS)
@settings(max_examples=25)
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
@settings(max_examples=25)
@given(data=st.data())
def test_a_plan_in_any_layout_is_read_or_reported(name: str, data: st.DataObject) -> None:
    # No action twice in a row, since that is how a step is restated.
    drawn = data.draw(st.lists(actions(name), min_size=1, max_size=5))
    plan = [item for index, item in enumerate(drawn) if index == 0 or item != drawn[index - 1]]
    steps = [data.draw(phrases(name, action)) for action in plan]
    form = data.draw(st.sampled_from(FORMATS))
    layout = data.draw(st.sampled_from(LISTS))
    lines = "\n".join(
        layout.format(n=index, s=step, S=step[:1].upper() + step[1:]) for index, step in enumerate(steps, 1)
    )
    names = _world(name)[2].to_nl
    called = [(action.name, [names[arg] for arg in action.args]) for action in plan]
    other = f"1. {steps[-1]}\n2. {steps[0]}\n3. {steps[-1]}"
    reply = {
        "lines": lines,
        "json": json.dumps(steps),
        "objects": json.dumps({"thought": "it is time", "plan": [{"action": step} for step in steps]}, indent=2),
        "yaml": "plan:\n" + "\n".join(f'  - "{step}"' for step in steps),
        "tags": f"I thought about it.\n\n[PLAN]\n{lines}\n[PLAN END]\n\nThis is all.",
        "fence": "Here it is:\n```\n" + "\n".join(steps) + "\n```",
        "think": f"<think>\n{steps[-1]}\nNo.\n</think>\n{lines}",
        "corrected": f"1. {steps[-1]}\n\nWait, that is wrong. The correct plan is:\n\n{lines}",
        "joined": "First, " + ", then ".join(steps) + ".",
        "semicolons": "; ".join(steps),
        "tuples": "plan = [" + ", ".join(str((action, *args)) for action, args in called) + "]",
        "calls": "\n".join(f"{action.replace('-', '_')}({', '.join(args)})" for action, args in called),
        "records": json.dumps([{"action": action, "args": args} for action, args in called], indent=2),
        "options": f"Option 1:\n{lines}\n\nOption 2:\n{other}\n\nI choose option 1.",
        "drafts": f"A bad plan would be:\n{other}\n\nThe right plan is:\n{lines}",
    }[form]
    _read(name, reply, plan)

"""Prompts for conditions: their layout, what they tell, and that the example in them is proved right."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.llm import Message
from pddl2nl.nl import Teller, load_wording, make_names
from pddl2nl.pddl import Task, load_task
from pddl2nl.systems.hvr.conditions import (
    MacroPlanCheck,
    ReadConditions,
    ask_conditions,
    conditions_text,
    plan_feedback,
    predicate_lines,
    read_conditions,
    verify_macros,
)
from pddl2nl.systems.hvr.examples import conditions_shots
from pddl2nl.systems.hvr.options import PROMPTS
from pddl2nl.systems.hvr.prompting import LAYOUT, Prompter
from pddlval import GroundAction, Simulator

_PLAN = ("Pick up c", "Put c on a")
_REPLY = (
    "1. precondition: (and (clear block_2) (handempty) (on block_2 block_1))\n"
    "   effect: (and (holding block_2) (not (handempty)) (not (on block_2 block_1)) (clear block_1))\n"
    "2. precondition: (and (holding block_2) (clear block_1))\n"
    "   effect: (and (on block_2 block_1) (handempty))"
)


@pytest.fixture(scope="module")
def teller(root: Path, blocks: Task) -> Teller:
    wording = load_wording(root / "domains/blocksworld/wording.json", blocks.domain)
    return Teller(blocks, wording, make_names(blocks, "typed", wording))


class _Model:
    """Gives one reply, and keeps what it was asked."""

    def __init__(self, reply: str):
        self.reply = reply
        self.asked: list[Message] = []

    def __call__(self, messages: Sequence[Message]) -> str:
        self.asked = list(messages)
        return self.reply


_PROMPTER = Prompter(PROMPTS, "Put c on b.", shots=conditions_shots(PROMPTS))
_KNOWN = ("block_2 (Block): block_2 is clear",), "(block_2, on, block_1)"


def _ask(model: _Model, teller: Teller, **more: Any) -> tuple[ReadConditions, ...]:
    return ask_conditions(model, teller, _PROMPTER, _PLAN, _KNOWN, **more)[1]


def test_conditions_are_asked_for_with_one_example(teller: Teller) -> None:
    model = _Model(_REPLY)
    read = _ask(model, teller)
    assert len(read) == 2
    assert all(item.conditions is not None for item in read)
    assert LAYOUT.stage_of(model.asked) == "conditions"
    assert [message.role for message in model.asked] == ["system", "user", "assistant", "user"]
    told = LAYOUT.read(model.asked[-1].content)
    assert list(told) == ["Task", "Objects", "Predicates", "Macro plan"]
    assert told["Objects"] == "- block_2 (Block): block_2 is clear"
    assert told["Macro plan"] == "1. Pick up c\n2. Put c on a"
    assert "- (on ?x - object ?y - object): " in told["Predicates"]


def test_a_correction_has_no_example_but_the_violated_condition(teller: Teller) -> None:
    present = read_conditions(_REPLY, teller.task, teller.names, count=2)
    check = _checked(teller, present)
    feedback = plan_feedback(teller, _PLAN, present, check)
    model = _Model("precondition: (no")
    read = _ask(model, teller, present=present, feedback=feedback)
    assert [item.conditions for item in read] == [None, None]
    assert LAYOUT.stage_of(model.asked) == "conditions-correction"
    assert [message.role for message in model.asked] == ["system", "user"]
    told = LAYOUT.read(model.asked[-1].content)
    assert list(told) == [
        *("Task", "Objects", "Location triples", "Predicates", "Macro plan", "Conditions", "Feedback"),
    ]
    assert told["Conditions"] == conditions_text(present, teller.names)
    assert told["Feedback"] == feedback
    assert told["Location triples"] == "(block_2, on, block_1)"


def test_a_refinement_shows_the_block(teller: Teller) -> None:
    present = read_conditions(_REPLY, teller.task, teller.names, count=2)
    model = _Model(_REPLY)
    _ask(model, teller, present=present, feedback="It is wrong.", macro=2, block=("put it there",))
    assert LAYOUT.stage_of(model.asked) == "conditions-refinement"
    told = LAYOUT.read(model.asked[-1].content)
    assert told["Macro-action"] == "2. Put c on a"
    assert told["Block"] == "1. put it there"
    assert told["Feedback"] == "It is wrong."


def _checked(teller: Teller, read: Sequence[ReadConditions]) -> MacroPlanCheck:
    return verify_macros(teller.task, Simulator(teller.task).initial, [item.conditions for item in read])


def test_feedback_names_the_macro_action_and_what_fails(teller: Teller) -> None:
    read = read_conditions(_REPLY, teller.task, teller.names, count=2)
    # c is on b on a in this task: after the first macro-action b is clear, and the goal is another.
    check = _checked(teller, read)
    assert check.verified == check.total == 2
    said = plan_feedback(teller, _PLAN, read, check)
    assert said.startswith(
        "All macro-actions can be carried out, but in the end the task is not done. What is missing:\n- "
    )
    wrong = read_conditions(
        _REPLY.replace("(clear block_1))\n2", ")\n2").replace("1))\n   effect: (and (on", "0))\n   effect: (and (on"),
        teller.task,
        teller.names,
        count=2,
    )
    check = _checked(teller, wrong)
    assert check.verified == 1
    said = plan_feedback(teller, _PLAN, wrong, check)
    assert said.startswith("Macro-action 2 (Put c on a) cannot be carried out after macro-action 1: ")
    assert "in PDDL (clear block_0)" in said


def test_feedback_on_what_could_not_be_read_comes_first(teller: Teller) -> None:
    read = read_conditions("1. precondition: (clear zork)\neffect: (and)", teller.task, teller.names, count=2)
    said = plan_feedback(teller, _PLAN, read, _checked(teller, read))
    first, second = said.split("\n")
    assert first.startswith(
        "The conditions of macro-action 1 (Pick up c) cannot be used. In the precondition: undeclared"
    )
    assert "No conditions were found for macro-action 2" in second
    assert "(clear zork)" in conditions_text(read, teller.names)


def test_no_feedback_on_a_plan_that_works(teller: Teller) -> None:
    check = MacroPlanCheck(2, 2, at_goal=True)
    read = read_conditions(_REPLY, teller.task, teller.names, count=2)
    assert plan_feedback(teller, _PLAN, read, check) == ""


# ── the example in the prompt ────────────────────────────────────────────────────────────────────

_BOIL = (
    (
        *(
            "(navigate-to-obj pot-1)",
            "(pick-up pot-1)",
            "(navigate-to-obj sink-basin-1)",
            "(put-in pot-1 sink-basin-1)",
        ),
        *("(toggle-on faucet-1)", "(toggle-off faucet-1)"),
    ),
    (
        *("(pick-up pot-1)", "(navigate-to-obj stove-burner-1)", "(put-on pot-1 stove-burner-1)"),
        *("(toggle-on stove-knob-1)", "(toggle-off stove-knob-1)"),
    ),
)


@pytest.fixture(scope="module")
def kitchen(root: Path) -> Teller:
    task = load_task(root / "domains/kitchen/domain.pddl", root / "instances/kitchen/example.pddl")
    wording = load_wording(root / "domains/kitchen/wording.json", task.domain)
    return Teller(task, wording, make_names(task, "typed", wording))


def test_the_example_tells_the_kitchen_as_it_is(kitchen: Teller) -> None:
    told = LAYOUT.read(PROMPTS.text("conditions_example.txt"))
    assert list(told) == ["Task", "Objects", "Predicates", "Macro plan"]
    lines = [line.removeprefix("- ") for line in told["Predicates"].split("\n")]
    assert set(lines) <= set(predicate_lines(kitchen))
    names = [line.removeprefix("- ").split()[0] for line in told["Objects"].split("\n")]
    assert set(names) - {"robot:"} <= set(kitchen.names.to_pddl)


def test_the_reply_in_the_example_is_proved_right(kitchen: Teller) -> None:
    from pddl2nl.macros.proof import prove

    task, simulator = kitchen.task, Simulator(kitchen.task)
    read = read_conditions(PROMPTS.text("conditions_example_reply.txt"), task, kitchen.names, count=2)
    assert _checked(kitchen, read).at_goal
    state = simulator.initial
    for texts, item in zip(_BOIL, read, strict=True):
        block = [GroundAction.parse(text) for text in texts]
        assert item.conditions is not None
        assert prove(task, block, item.conditions, near=state, states="changeable").sound
        for action in block:
            after = simulator.step(state, action).successor
            assert after is not None
            state = after
    assert simulator.is_goal(state)

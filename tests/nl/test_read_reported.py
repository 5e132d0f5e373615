"""What a careful person would take for a step is read, or reported where it stands; it is never lost."""

from __future__ import annotations

import json
import random

import pytest

from pddl2nl.nl.reading.reader import Reader
from tests.nl.blocks import blocks_reader


@pytest.mark.parametrize(
    ("reply", "plan"),
    [
        ("1. a has to be unstacked from b.\n2. b must be picked up.", "(unstack a b) (pick-up b)"),
        ("unstack a from b, then a is put down", "(unstack a b) (put-down a)"),
        ("I pick up c, after which I stack c on a.", "(pick-up c) (stack c a)"),
        (
            "## Phase 1: Clear\n1. unstack a from b\n2. put down a\n\n## Phase 2: Build\n1. pick up c\n2. stack c on a",
            "(unstack a b) (put-down a) (pick-up c) (stack c a)",
        ),
        ("I'll go ahead and pick up c.", "(pick-up c)"),
        ("```plan\npick up c\n```\n\n```plan\nstack c on a\n```", "(pick-up c) (stack c a)"),
        ("Pick up c. From there the robot stacks c on a.", "(pick-up c) (stack c a)"),
        ("The first step is to pick up c, the second to stack c on a.", "(pick-up c) (stack c a)"),
        ("1. unstack a from b\n2. stack a on c - not possible, so instead put down a", "(unstack a b) (put-down a)"),
        ("1. pick up c\n2. stack c on b\n\nCorrection to step 2: stack c on a.", "(pick-up c) (stack c a)"),
        ("1. pick up c\n2. stack a on b\n\nStep 2 should instead be: stack c on a.", "(pick-up c) (stack c a)"),
        ("First b is put down, next c.", "(put-down b) (put-down c)"),
        ("- pick up c\n- perhaps stack c on a\n- put down a", "(pick-up c) (stack c a) (put-down a)"),
        ("1. pick up b\n2. stack c on a\n\nStep 1 is wrong.\n\nFinal plan:\n1. pick up c", "(pick-up c)"),
        ("1. pick up c\n2. stack c on b\n   Correction: b is taken, so\n2. stack c on a", "(pick-up c) (stack c a)"),
        ("What about picking up b? That fails. Therefore a has to be unstacked from b.", "(unstack a b)"),
        (json.dumps(["pick-up(c)", {"name": "stack", "args": ["c", "a"]}]), "(pick-up c) (stack c a)"),
    ],
)
def test_other_ways_to_say_a_step(reader: Reader, reply: str, plan: str) -> None:
    readings = reader.read(reply)
    assert " ".join(map(str, readings.plan)) == plan
    assert readings.complete


@pytest.mark.parametrize(
    ("reply", "plan"),
    [
        ("1. pick up c\n2. stack c on b\n\nStep 2 is wrong, it must be a.", "(pick-up c)"),
        ("1. pick up c\n2. stack c on b\n\nLet me fix step 2.\n\n2. stack c on a", "(pick-up c) (stack c a)"),
        ('1. pick up c\n2. put down c\n\nInsert "stack c on a" between steps 1 and 2.', "(pick-up c) (put-down c)"),
        ("1. pick up c\n2. Since a is clear, c goes to a.\n3. pick up b", "(pick-up c) (pick-up b)"),
        ("After unstacking a from b, pick up c.", "(pick-up c)"),
        ("Once a has been unstacked from b, pick up c.", "(pick-up c)"),
        ("pick up c, then snatch b", "(pick-up c)"),
        ("(1) pick up c; (2) b leaves the table", "(pick-up c)"),
        ("pick up c a few times", ""),
        ("1. pick up c, aiming at b\n2. stack c on a", "(stack c a)"),
        ("pick up c, and then another one", ""),
        ("pick up c\n...\nstack c on a", "(pick-up c) (stack c a)"),
        ("1. pick up c\n2. Repeat step 1 for the other one.", "(pick-up c)"),
        ("pick_it_up(c)", ""),
        ("Instead of stacking a on b I'd rather put it down.", ""),
        ("1. pick up c\n2. If a is clear, stack c on a.", "(pick-up c)"),
        ("If a is clear, pick up a.", ""),
        ("You could begin by picking up c, and then you could stack c on a.", ""),
        ("1. pick up c\n2. stack c on b\n\nStep 2 cannot be executed, so it must be replaced.", "(pick-up c)"),
        ("1. pick up c\n2. stack c on a\n\nNote: steps 1 and 2 have to be swapped.", ""),
        ("pick up c\nthe goal is to stack c on a\nput down b", "(pick-up c) (put-down b)"),
    ],
)
def test_what_may_be_a_step_and_is_not_read_is_reported(reader: Reader, reply: str, plan: str) -> None:
    readings = reader.read(reply)
    assert " ".join(map(str, readings.plan)) == plan
    assert any(item.status in ("unreadable", "ambiguous", "unknown-object") for item in readings.readings)


@pytest.mark.parametrize(
    "said",
    [
        "Without step 2 the goal would not be reached, so it can't be skipped.",
        "If step 2 were skipped, the goal would not be reached.",
        "Steps 1 and 2 cannot be swapped.",
        "Do not skip step 2.",
    ],
)
def test_a_step_that_must_stay_is_not_changed(reader: Reader, said: str) -> None:
    readings = reader.read(f"1. pick up c\n2. stack c on a\n\n{said}")
    assert " ".join(map(str, readings.plan)) == "(pick-up c) (stack c a)"
    assert readings.complete


def test_what_is_done_only_on_a_condition_is_no_step_behind_the_plan(reader: Reader) -> None:
    readings = reader.read("1. pick up c\n2. stack c on a\n\nIf stacking fails, put down c and try again.")
    assert " ".join(map(str, readings.plan)) == "(pick-up c) (stack c a)"
    assert readings.complete


def test_what_a_step_has_said_already_is_not_reported_again(reader: Reader) -> None:
    readings = reader.read("1. unstack a from b\n2. put down a (after unstacking a from b the hand is full)")
    assert " ".join(map(str, readings.plan)) == "(unstack a b) (put-down a)"
    assert readings.complete


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        ("I have lost track. Before I go on, I'd like to look around.", "look-around"),
        ("Should I pick up c, or should I put down a? I choose the latter.", "not-an-action"),
        ("I did not pick up c in the last step.", "not-an-action"),
    ],
)
def test_turns(reader: Reader, reply: str, status: str) -> None:
    assert reader.read_turn(reply).status == status


ADDED = (
    "if once when since because although after before so that the goal is to we must you can one could perhaps then "
    "next finally instead to with while already have having been as but however in this case ideally at last let us"
)
OPENERS = ADDED.split()
FORMS = {
    "numbered": lambda steps: "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1)),
    "bulleted": lambda steps: "\n".join(f"- {step}" for step in steps),
    "tagged": lambda steps: "\n".join(["[PLAN]", *steps, "[PLAN END]"]),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_garbled_step_of_a_plan_is_not_lost(reader: Reader, form: str) -> None:
    """Words are added, dropped and shuffled in one step: it is read, or reported where it stands, but not dropped."""
    rng = random.Random(7)
    steps = ["unstack a from b", "put down a", "pick up c", "stack c on a"]
    whole = reader.read("\n".join(steps)).plan
    lost: list[str] = []
    for _ in range(200):
        words = steps[2].split()
        for _ in range(rng.randint(1, 3)):
            change = rng.random()
            if change < 0.4:
                words.insert(rng.randrange(len(words)), rng.choice(OPENERS))
            elif change < 0.6 and len(words) > 2:
                words.pop(rng.randrange(len(words)))
            elif change < 0.8:
                rng.shuffle(words)
            else:
                at = rng.randrange(len(OPENERS) - 4)
                words = OPENERS[at : at + rng.randint(1, 4)] + words
        readings = reader.read(FORMS[form]([*steps[:2], " ".join(words), *steps[3:]]))
        assert set(readings.plan) <= {*whole}, words
        if readings.complete and len(readings.plan) < len(whole):
            lost.append(" ".join(words))
    assert not lost


def test_steps_that_are_said_to_be_the_same_are_reported_between_lists() -> None:
    first, third = "1. Unstack a from b.\n2. Put down a.", "1. Unstack c from d.\n2. Put down c."
    reply = f"Round 1:\n{first}\n\nRound 2: do the same two steps with e instead.\n\nRound 3:\n{third}"
    readings = blocks_reader("a b c d e f").read(reply)
    assert [*map(str, readings.plan)] == ["(unstack a b)", "(put-down a)", "(unstack c d)", "(put-down c)"]
    assert not readings.complete


def test_what_brackets_say_behind_a_step_is_no_step_of_its_own() -> None:
    readings = blocks_reader("a b c").read("1. Unstack a from b. (The block goes to the hand.)\n2. Stack a on c.")
    assert [*map(str, readings.plan)] == ["(unstack a b)", "(stack a c)"]


@pytest.mark.parametrize(
    ("reply", "plan"),
    [
        # "put it on b" is no "put b down".
        ("1. Pick up a and put it on b.", "(pick-up a) (stack a b)"),
        ("Take a, and then place it on top of b.", "(pick-up a) (stack a b)"),
        ("1. Pick up a.\n2. Stack the block on b.", "(pick-up a) (stack a b)"),
        ("1. a is picked up from the table and stacked on b.", "(pick-up a) (stack a b)"),
    ],
)
def test_what_a_pronoun_or_a_noun_means_is_the_object_of_the_step_before(reply: str, plan: str) -> None:
    readings = blocks_reader("a b c").read(reply)
    assert (" ".join(map(str, readings.plan)), readings.complete) == (plan, True)

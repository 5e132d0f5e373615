"""What stands for steps, or changes one, without saying them: repetitions and corrections of one object."""

from __future__ import annotations

import pytest

from tests.nl.reading.composed import domain

TRIP = "1. Unstack block_0 from block_1.\n2. Put down block_0."
READ = ["(unstack a b)", "(put-down a)"]


def read(reply: str) -> tuple[list[str], bool]:
    readings = domain("blocksworld").reader.read(reply)
    return [*map(str, readings.plan)], readings.complete


@pytest.mark.parametrize(
    "again",
    [
        "3. Repeat steps 1 to 2 with block_2 in place of block_0 and block_3 in place of block_1.",
        "3. Repeat steps 1-2 with block_2 and block_3 instead of block_0 and block_1.",
        "Then do the same two steps, with block_2 instead of block_0 and block_3 instead of block_1.",
        "Round 2: the same two steps with block_2 and block_3.",
        "**Round 2:** steps 1 to 2 with block_2 and block_3.",
        "3. Repeat steps 1 to 2 with block_2.",
        "3. Repeat for the other blocks.",
        "Do the same with block_3 in place of block_2.",
        "3. The same for block_2.",
        "3. And so on for the other blocks.",
    ],
)
def test_a_repetition_is_reported_with_the_steps_around_it_kept(again: str) -> None:
    assert read(f"{TRIP}\n\n{again}") == (READ, False)
    # It stands for its steps where it stands.
    readings = domain("blocksworld").reader.read(f"{TRIP}\n\n{again}\n\nRound 3:\n1. Pick up block_1.")
    assert [str(item.action) for item in readings.chosen] == [*READ, "None", "(pick-up b)"]


@pytest.mark.parametrize(
    "remark",
    [
        "Repeat with block_2 and block_3 is not possible, because block_3 is not clear.",
        "Alternatively, the same two steps can be done with block_2 and block_3.",
        "If block_2 were on block_3, you would add a step after step 2.",
    ],
)
def test_what_is_no_repetition_adds_nothing(remark: str) -> None:
    assert read(f"{TRIP}\n\n{remark}") == (READ, True)


@pytest.mark.parametrize(
    "correction",
    [
        "Wait, in step 3 it should be block_3, not block_1.",
        "Sorry, step 3 should use block_3 instead of block_1.",
        "Note: in step 3, replace block_1 with block_3.",
        "Actually, swap block_1 for block_3 in step 3.",
        "Correction to step 3: block_1 is covered by block_2, so block_0 has to go onto block_3 instead.",
        "Correction to step 3: it should read “block_3”, not “block_1”, because block_2 comes onto block_1 later.",
        "In step 3 I meant block_3, not block_1.",
        "Checking once more: block_1 is taken. So in step 3 it must be block_3, not block_1.",
        "Correction: in step 3 it must be block_3 or block_2.",
    ],
)
def test_a_correction_of_one_object_is_reported_in_the_place_of_its_step(correction: str) -> None:
    steps = "1. Pick up block_2.\n2. Put down block_2.\n3. Stack block_0 on block_1.\n4. Pick up block_2."
    readings = domain("blocksworld").reader.read(f"{steps}\n\n{correction}")
    assert [str(item.action) for item in readings.chosen] == ["(pick-up c)", "(put-down c)", "None", "(pick-up c)"]
    assert readings.chosen[2].text in correction

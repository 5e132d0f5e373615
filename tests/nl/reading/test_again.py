"""Steps that a reply says by other steps of it: repetitions and corrections of one object."""

from __future__ import annotations

import pytest

from tests.nl.reading.composed import domain

TRIP = "1. Unstack block_0 from block_1.\n2. Put down block_0."
READ = ["(unstack a b)", "(put-down a)"]
ANEW = [*READ, "(unstack c d)", "(put-down c)"]


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
    ],
)
def test_a_repetition_that_says_every_object_is_read(again: str) -> None:
    assert read(f"{TRIP}\n\n{again}") == (ANEW, True)
    # It stands for its steps where it stands.
    assert read(f"{TRIP}\n\n{again}\n\nRound 3:\n1. Pick up block_1.") == ([*ANEW, "(pick-up b)"], True)


@pytest.mark.parametrize(
    "again",
    [
        "3. Repeat steps 1 to 2 with block_2.",
        "3. Repeat steps 1 to 2 with block_1, block_2 and block_3.",
        "3. Repeat steps 1 to 5 with block_2 and block_3.",
        "3. Repeat steps 1 to 2 with block_2 and block_3, but without the last one.",
        "3. Repeat for the other blocks.",
        "Do the same with block_3 in place of block_2.",
    ],
)
def test_a_repetition_that_leaves_something_open_is_reported(again: str) -> None:
    assert read(f"{TRIP}\n\n{again}") == (READ, False)


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
    ],
)
def test_one_object_of_a_step_is_corrected_by_the_number_of_the_step(correction: str) -> None:
    steps = "1. Pick up block_2.\n2. Put down block_2.\n3. Stack block_0 on block_1."
    plan, complete = read(f"{steps}\n\n{correction}")
    assert (plan, complete) == (["(pick-up c)", "(put-down c)", "(stack a d)"], True)


@pytest.mark.parametrize(
    "correction", ["Correction: in step 1 it must be block_2 or block_3.", "Correction: step 1 should use block_3."]
)
def test_a_correction_that_fits_two_places_is_reported(correction: str) -> None:
    assert read(f"1. Stack block_0 on block_1.\n\n{correction}") == ([], False)

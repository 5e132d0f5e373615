"""Remarks beside steps, parts of plans, and actions called by their quoted names: what is a step, and what is none."""

from __future__ import annotations

import re

import pytest

from tests.nl.reading.composed import domain

SAIL, BACK = "sail the ferry from location_0 to location_1", "sail the ferry from location_1 to location_0"
LOAD, UNLOAD = "load car_0 onto the ferry at location_0", "unload car_0 from the ferry at location_1"


@pytest.mark.parametrize(
    ("reply", "steps"),
    [
        # Arrows part actions, and begin remarks.
        (f"{LOAD} → {SAIL} → {UNLOAD} → {BACK}", 4),
        (f"1. {LOAD} → the ferry carries car_0", 1),
        (f"1. {LOAD}\n   → the ferry is now full\n2. {SAIL}\n   → the ferry waits at location_1", 2),
        (f"1. {LOAD}\n   -> car_0 loaded", 1),
        (f"1. {LOAD}\n   → car_0 loaded\n   → arrived on the ferry: car_0\n2. {SAIL}", 2),
        (f"1. {LOAD}\n→ {SAIL}", 2),
        # What a step brings about
        (f"1. {LOAD}. (car_0 is now loaded.)\n2. {SAIL}. (unloaded: nothing)", 2),
        (f"1. {LOAD}. This leaves car_0 loaded.", 1),
        (f"1. {LOAD}, which makes car_0 loaded.", 1),
        # What for, and "too"
        (f"To bring car_0 across, {LOAD}. In order to get it to the other side, {SAIL}.", 2),
        (f"1. {LOAD} too\n2. {SAIL}, as well.", 2),
        # Titles
        (f"A. car_0 → location_1\n  1. {LOAD}\n  2. {SAIL}\n  3. {UNLOAD}\n\nB. Back\n  4. {BACK}", 4),
        (f"*Load it first*\n1. {LOAD}\n*Bring car_0 across*\n2. {SAIL}", 2),
        (f"- **Loading the car:** {LOAD}.\n- **Crossing:** {SAIL}.", 2),
        (f"1. Load it\n   - {LOAD}\n2. Sail\n   - {SAIL}", 2),
        # Parts with numbers of their own
        (f"**Phase 1**\n1. {LOAD}\n2. {SAIL}\n\n**Phase 2: Back**\n1. {BACK}\n\n**Phase 3**\n1. {SAIL}", 4),
        (f"* Over:\n  1. {LOAD}\n* The way on, and back:\n  1. {SAIL}\n  2. {BACK}\n* Again:\n  1. {SAIL}", 4),
        (f"* That fails:\n  1. {SAIL}\n* Better:\n  1. {LOAD}\n  2. {SAIL}", 2),
        (f"Plan:\n1. {LOAD}\n2. {SAIL}\n\nStep 1 in words:\n1. {LOAD}", 2),
        (f"1. {LOAD}\n2. {SAIL}\n\nThe ferry again\n1. {BACK}", 3),
        (f"- {SAIL}\n- {BACK}\n\nSo loading comes first.\n\n### Phase 1: Loading\n1. {LOAD}", 1),
        # The only steps of a reply, whatever stands above them
        (f"Let's break it down:\n1. {LOAD}\n2. {SAIL}", 2),
        (f"To bring car_0 across, the following actions can be taken:\n1. {LOAD}\n2. {SAIL}", 2),
        (f"1. To have car_0 on board: {LOAD}.\n2. To satisfy the goal: {SAIL}.", 2),
        # What is said of a place, of what is not needed, or of what might be
        (f"{SAIL} and then from location_1 to location_0, where car_1 is parked.", 2),
        (f"1. {LOAD} (not strictly needed; car_1 waits already)\n2. {SAIL}", 2),
        (f"1. {LOAD}\n\nShould the ferry be full by then, you would {SAIL} first.", 1),
        # A state in all its clauses
        (f"1. {LOAD}\n   - The ferry has room, the ferry is at location_1, and car_0 is loaded.\n2. {SAIL}", 2),
        # The objects in their order behind a quoted name
        ("1. 'board' to car_0 and location_0\n2. **sail** to `location_0`, `location_1`", 2),
    ],
)
def test_steps_are_told_from_what_stands_beside_them(reply: str, steps: int) -> None:
    readings = domain("ferry").reader.read(reply)
    assert len(readings.plan) == steps
    assert readings.complete


@pytest.mark.parametrize("remark", [" This makes loading car_0 easier.", " car_0 gets loaded with care."])
def test_what_gives_no_order_beside_a_plan_that_reaches_the_goal_explains_it(remark: str) -> None:
    there = (
        f"1. load car_1 onto the ferry at location_1.{remark}\n2. {BACK}\n3. unload car_1 from the ferry at location_0"
    )
    reader = domain("ferry").reader
    assert not reader.read(there).complete, "the goal asks for car_0 as well"
    assert not reader.read(f"{there}\n4. {LOAD}\n5. {SAIL}\n6. {UNLOAD}\nThen load car_1 somewhere.").complete
    titled = there.replace("1. ", "1. **Bring car_1 to location_0:**\n   - ")
    assert reader.read(f"{titled}\n4. {LOAD}\n5. {SAIL}\n6. {UNLOAD}").complete
    whole = reader.read(f"{there}\n4. {LOAD}\n5. {SAIL}\n6. {UNLOAD}")
    assert (len(whole.plan), whole.complete) == (6, True)


@pytest.mark.parametrize(
    ("reply", "steps"),
    [
        (f"{LOAD} → bring the ferry to location_1 → {UNLOAD}", 2),
        (f"1. {LOAD}\n→ Sail the ferry on to location_9", 1),
        (f"1. {LOAD}\n   → ship the ferry to location_1", 1),
        (f"1. {LOAD}. (Then ship the ferry to location_1.)", 1),
        (f"1. {LOAD}; then car_0 unloaded.\n2. {SAIL}", 2),
        (f"1. {LOAD}\n2. {SAIL}\n\nThen the same two actions, but without the second, with car_1.", 2),
        (f"1. {LOAD}\n2. {SAIL}\n\nFor the way back: exactly the same steps.", 2),
        (f"1. {LOAD}\n2. After that, these same two steps.", 1),
    ],
)
def test_what_may_be_a_step_is_reported(reply: str, steps: int) -> None:
    readings = domain("ferry").reader.read(reply)
    assert len(readings.plan) == steps
    assert not readings.complete


def test_a_verb_goes_on_behind_and() -> None:
    image = "take an image of direction_{} in mode_0 with instrument_0 of satellite_0"
    readings = domain("satellite").reader.read(f"{image.format(0)} and {image.format(1).removeprefix('take ')}")
    assert [action.name for action in readings.plan] == ["take_image", "take_image"]
    assert readings.complete


def test_a_remark_behind_pddl_that_names_nothing_corrects_nothing() -> None:
    reading = domain("blocksworld").reader.read("1. (pick-up a) (actually the only choice)")
    assert ([*map(str, reading.plan)], reading.complete) == (["(pick-up a)"], True)


@pytest.mark.parametrize(
    "said",
    [
        "1. (unstack c b) - sorry, not possible: (put-down a)",
        "1. unstack c b – correction, the block is a, so: unstack a b",
        "1. (pick-up a) – no wait, b has to be clear\n2. (stack a b)",
        "1. (pick-up a)\n2. (stack a b)\n\nThere is a slip in step 2: it must read (stack a c).",
    ],
)
def test_what_a_remark_behind_pddl_corrects_is_reported(said: str) -> None:
    assert not domain("blocksworld").reader.read(said).complete


@pytest.mark.parametrize(
    "said",
    [
        "- sail:\n    from: location_0\n    to: location_1\n- load:\n    car: car_0\n    at: location_1",
        "- action: sail\n  from: location_0\n  to: location_1\n- action: load\n  car: car_0\n  location: location_1",
        "1. **Sail**\n  * From: `location_0`\n  * To: `location_1`\n2. Load\n  * Car: `car_0`\n  * At: `location_1`",
    ],
)
def test_objects_may_stand_by_their_roles_below_a_step(said: str) -> None:
    reading = domain("ferry").reader.read(said)
    assert ([*map(str, reading.plan)], reading.complete) == (["(sail l0 l1)", "(board c0 l1)"], True)


@pytest.mark.parametrize(
    "tail", ["Then steps 1 and 2 once more.", "After that, all of this again.", "Finally the two steps again."]
)
def test_steps_that_are_only_pointed_at_are_reported(tail: str) -> None:
    assert not domain("ferry").reader.read(f"1. {LOAD}\n2. {SAIL}\n\n{tail}").complete


TITLES = [
    "**Phase 1 – location_0**|**Phase 2 – location_1**",
    "### Stage 1: to location_0|### Stage 2: back to location_1",
    "**Loading**|**Once again: loading**",
    "**Leg 1: location_0 → location_1**|**Leg 2: location_1 → location_0**",
    "#### Goal: car_0 at location_1|#### Goal: car_0 at location_0",
    "**Getting car_0**|**Bringing car_0 home**",
    "a) Fetch car_0|b) Deliver car_0",
    f"**Stage 1 – {SAIL}**|**Stage 2 – {BACK}**",
    "**Step 1: Get car_0**|**Step 2: Take car_0 to location_0**",
]


@pytest.mark.parametrize("titles", TITLES)
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_parts_with_numbers_of_their_own_are_one_plan_under_any_titles(titles: str, gap: str) -> None:
    first, second = titles.split("|")
    reply = f"{first}{gap}1. {LOAD}\n2. {SAIL}\n\n{second}{gap}1. {UNLOAD}\n2. {BACK}"
    assert len(domain("ferry").reader.read(reply).plan) == 4
    assert len(domain("ferry").reader.read(re.sub(r"\d\. ", "- ", reply)).plan) == 4


def test_a_line_right_below_a_step_is_reported_where_it_cannot_be_read() -> None:
    assert not domain("ferry").reader.read(f"{LOAD}\nlocation_1: unload car_0 → location_1").complete

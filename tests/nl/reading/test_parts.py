"""Plans in two parts: whatever stands between them, none of the parts is lost, and a rejected draft is none of them."""

from __future__ import annotations

import pytest

from tests.nl.reading.composed import domain

FIRST = [
    "load car_1 onto the ferry at location_1",
    "sail the ferry from location_1 to location_0",
    "unload car_1 from the ferry at location_0",
]
SECOND = [
    "load car_0 onto the ferry at location_0",
    "sail the ferry from location_0 to location_1",
    "unload car_0 from the ferry at location_1",
]
PLAN = ["(board c1 l1)", "(sail l1 l0)", "(debark c1 l0)", "(board c0 l0)", "(sail l0 l1)", "(debark c0 l1)"]

# Titles of a first and a second part, whose steps are possible in any order.
TITLES = """
### Getting car_1 across | ### Going on with car_0
First, deal with car_1. The steps are: | After that, deal with car_0. The steps are:
Plan part 1: | Plan part 2:
Here's the plan for the first car: | Here's the plan for the second car:
Solution (part 1) | Solution (part 2)
Here are the first actions: | Now the remaining actions:
First steps: | Final steps:
**Crossing** | **Final unloading and reloading**
**1. Crossing plan** | **2. Reloading plan**
Crossing sequence: | Reloading sequence:
Goal: get car_1 across | Goal: pick up car_0
**Subgoal 1: car_1 over** | **Subgoal 2: car_0 over**
Plan for car_1: | Plan for car_0:
Let me begin: | Let me finish up the plan:
Outbound trip | Rest of the plan
Part one of the plan: | Part two of the plan:
My plan is: | The plan continues:
Plan: | Plan (continued):
"""
# What stands before the second part of a plan that cannot begin with it.
BETWEEN = """
Now that car_1 is across, fix the rest:
Problem solved for car_1; now car_0:
Then correct the position of car_0:
To avoid mistakes, continue with:
The final leg:
No more cars at location_1. Now for location_0:
Best to continue with car_0:
Now instead of car_1 the ferry takes car_0:
Wait for the ferry to be empty, then:
Once this is done:
car_0 is still not at its goal, so go on:
The goal is not reached yet, since car_0 is missing:
We are not done yet. Continue:
However, car_0 is still at location_0, so:
"""
# What stands between a draft and the plan.
REJECTIONS = """
Wait, that leaves car_1 behind. Let me redo this:
But that moves the wrong car. The corrected sequence:
Oops, wrong car. Again:
No good. Second try:
The plan above is flawed. Use this one:
Scrap that. The plan is:
My first attempt ignored car_1. Therefore my final answer is:
Not quite: car_1 is what matters. Let me write the plan again:
Sorry, that was for the other car. The plan for car_1:
The sequence above would leave car_1 at location_1. What we need is:
Better idea:
Updated plan:
Hold on. Loading must come first. Corrected:
"""


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


def laid(steps: list[str], layout: str, first: int = 1) -> str:
    told = [step[0].upper() + step[1:] for step in steps]
    parts = [layout.format(number=number, step=step) for number, step in enumerate(told, first)]
    return (" " if layout == "{step}." else "\n").join(parts)


LAYOUTS = ["{number}. {step}", "- {step}", "Step {number}: {step}", "{step}."]


def read(reply: str) -> tuple[list[str], bool]:
    readings = domain("ferry").reader.read(reply)
    return [*map(str, readings.plan)], readings.complete


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("titles", lines(TITLES))
def test_no_part_is_lost_under_titles_of_parts(titles: str, layout: str) -> None:
    one, other = titles.split(" | ")
    # The second part alone is possible too, so that only the words tell that it is a part.
    assert read(f"{one}\n{laid(SECOND[:2], layout)}\n\n{other}\n{laid(FIRST, layout)}")[0] == PLAN[3:5] + PLAN[:3]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("between", lines(BETWEEN))
@pytest.mark.parametrize("again", [1, 4])
def test_no_part_is_lost_that_goes_on(between: str, layout: str, again: int) -> None:
    assert read(f"My plan:\n{laid(FIRST, layout)}\n\n{between}\n\n{laid(SECOND, layout, again)}") == (PLAN, True)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("rejection", lines(REJECTIONS))
def test_a_rejected_draft_is_no_part(rejection: str, layout: str) -> None:
    draft = [FIRST[1], SECOND[0]]
    assert read(f"{laid(draft, layout)}\n\n{rejection}\n\n{laid(FIRST, layout)}") == (PLAN[:3], True)


@pytest.mark.parametrize(
    ("lead", "between"),
    [
        ("Here is an example of an action in this domain:", "My plan:"),
        ("Someone else suggested the following, which I will not use:", "Instead, I will do this:"),
        ("First idea:", "A shorter plan that needs no trip first:"),
        ("Previously you asked for this:", "The final answer is:"),
        ("Attempt 1:", "Attempt 2:"),
    ],
)
def test_a_plan_that_fails_is_not_mended_by_what_stands_before_it(lead: str, between: str) -> None:
    reply = f"{lead}\n1. {FIRST[1]}\n\n{between}\n1. {SECOND[0]}\n2. {SECOND[1]}"
    assert read(reply)[0] == PLAN[3:5]


def test_a_step_that_is_left_out_is_not_joined_again() -> None:
    steps = laid([FIRST[1], *SECOND[:2]], "{number}. {step}")
    assert read(f"{steps}\n\nOn second thought, step 1 should be left out.")[0] == PLAN[3:5]


def test_what_tempts_is_no_step_of_a_list() -> None:
    steps = f"1. {FIRST[1]}\nIt is tempting to {SECOND[0]}.\n2. {SECOND[1]}\n3. {SECOND[2]}"
    assert "(board c0 l0)" not in read(steps)[0]

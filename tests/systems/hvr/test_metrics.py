"""The six metrics of the HVR paper: the docstrings' examples, corrections, surprises of the world, no values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.experiments.records.stored import RunRecord, read_record
from pddl2nl.policies.events import Acted, Finished, Rejected, RunEvent
from pddl2nl.policies.reporting import Way
from pddl2nl.reports.metrics import measure
from pddl2nl.systems.hvr.correctness import prefix_steps, skipping_steps
from pddl2nl.systems.hvr.events import BlockExpanded, Discrepancy, MacroPlanned, MacrosVerified, PlanExpanded
from pddl2nl.systems.hvr.metrics import METRICS as HVR_METRICS
from pddl2nl.systems.hvr.metrics import generated_plan, nearest_way
from tests.records import changed

VALUES = {metric.name: metric.of for metric in HVR_METRICS}
PC, PREFIX, ES = "plan-correctness", "plan-correctness-prefix", "execution-success"
LD, ABSOLUTE, EPV = "length-discrepancy", "length-discrepancy-absolute", "expanded-plan-verified"
MPV, AABV = "macro-plan-verified", "blocks-verified"

Make = Callable[..., RunRecord]


def steps(text: str) -> tuple[str, ...]:
    return tuple(f"({each})" for each in text)


def ways(*texts: str, **more: Any) -> dict[str, Any]:
    """A reference with a way for each text, in blocks where there are blanks in it, in their order."""
    return {
        "task": "T0",
        "complexity": "high",
        "ways": [
            {
                "name": text,
                "blocks": [{"macro": block, "actions": [*steps(block)]} for block in text.split()],
                "order": [[place, place + 1] for place in range(len(text.split()) - 1)],
            }
            for text in texts
        ],
        **more,
    }


@pytest.fixture
def made(write: Callable[..., Any], hvr_events: list[RunEvent]) -> Make:
    """``made(reference, *events, policy="hvr", finished=…)``: a record of these events."""

    def make(
        reference: dict[str, Any], *events: RunEvent, policy: str = "hvr", finished: Finished | None = None
    ) -> RunRecord:
        started = changed(hvr_events[0], reference=reference, policy=policy, options={})
        record = read_record(write("made", [started, *events, finished or Finished("gave-up")]))
        assert isinstance(record, RunRecord)
        return record

    return make


def expanded(plan: str, verified: int | None = None, *, attempt: int = 1, goal: bool = True) -> PlanExpanded:
    count = len(plan) if verified is None else verified
    return PlanExpanded(attempt, steps(plan), (1,) * len(plan), count, goal)


def executed(plan: str, first: int = 1) -> list[RunEvent]:
    return [Acted(number, action) for number, action in enumerate(steps(plan), first)]


def values(record: RunRecord, *names: str) -> list[float | None]:
    found = measure(record)[0]
    assert {name: found.get(name) for name in VALUES} == {name: VALUES[name](record) for name in VALUES}
    return [found.get(name) for name in names]


# ── the plan ─────────────────────────────────────────────────────────────────────────────────────


def test_all_of_a_run_by_macros(write: Callable[..., Any], hvr_events: list[RunEvent]) -> None:
    record = read_record(write("one", hvr_events))
    assert isinstance(record, RunRecord)
    plan = generated_plan(record)
    assert (plan.actions, plan.verified, plan.attempt) == (("(pick-up a)", "(stack a b)"), 2, 1)
    assert plan.executed == ("(pick-up a)",), "what was executed as expected ends at the discrepancy"
    found = values(record, PC, PREFIX, ES, LD, EPV, f"{MPV}-before", MPV, f"{AABV}-before", AABV)
    assert found == [100, 100, 50, 0, 100, 50, 100, 50, 100]


def test_the_plan_is_the_first_that_goes_to_execution(made: Make) -> None:
    first, later = expanded("abx", attempt=2), expanded("cd", attempt=3)
    surprise = Discrepancy(3, "(x)", ("(p)",))
    record = made(ways("abc"), expanded("zzz"), first, *executed("abx"), surprise, later, *executed("cd", 4))
    plan = generated_plan(record)
    assert (plan.actions, plan.attempt, plan.executed) == (steps("abx"), 2, steps("ab"))


def test_what_was_proposed_or_executed_is_measured_where_no_plan_was_expanded(made: Make) -> None:
    rejected = Rejected(2, "inapplicable", "c", "(c)", ("(p)",))
    proposed = Finished("inapplicable", plan=steps("a"), proposed=steps("acb"))
    record = made(ways("abc"), Acted(1, "(a)"), rejected, finished=proposed, policy="basic")
    assert values(record, PC, PREFIX, LD) == [pytest.approx(200 / 3), pytest.approx(100 / 3), 0]
    assert values(record, EPV, MPV, AABV) == [pytest.approx(100 / 3), None, None]
    walked = Finished("budget", plan=steps("ab"))
    record = made(ways("abc"), *executed("ab"), finished=walked, policy="act")
    assert values(record, PC, EPV) == [pytest.approx(200 / 3), None]


def test_a_run_without_a_plan_has_no_length_and_nothing_correct(made: Make) -> None:
    record = made(ways("abc"), PlanExpanded(1, (), (), 0, False))
    assert values(record, PC, PREFIX, ES, LD, ABSOLUTE, EPV) == [0, 0, None, None, None, 0]
    record = made(ways("abc"), MacroPlanned(1, ("a", "b")))
    assert values(record, PC, LD, EPV, f"{AABV}-before") == [0, None, 0, 0]
    at_once = made({}, PlanExpanded(1, (), (), 0, True))
    assert values(at_once, EPV) == [100]


# ── against a ground truth ───────────────────────────────────────────────────────────────────────


def test_correctness_by_its_two_variants(made: Make) -> None:
    # Of 8 steps the first 6, two superfluous ones among them, then another one than the seventh.
    record = made(ways("abc defgh"), expanded("abxcydefhz"))
    assert values(record, PC, PREFIX, ES) == [75, 25, None]


def test_execution_success_counts_the_ground_truths_steps_up_to_the_first_failure(made: Make) -> None:
    truth = "abcdefghijklmnopqrstuvwxyz123"
    plan = f"ab9{truth[2:]}"
    reference = ways(truth)
    failed = Rejected(27, "inapplicable", "z", "(z)", ("(p)",))
    record = made(reference, expanded(plan), *executed(plan[:26]), failed)
    assert values(record, PC, PREFIX) == [100, pytest.approx(100 * 2 / 29)]
    assert values(record, ES) == [pytest.approx(86.2069, abs=1e-4)]
    whole = made(reference, expanded(plan), *executed(plan), finished=Finished("solved", plan=steps(plan)))
    assert values(whole, ES) == [100]


@pytest.mark.parametrize(("plan", "signed"), [("a" * 12, 100 / 3), ("a" * 6, -100 / 3), ("abcdefghi", 0)])
def test_length_discrepancy_with_and_without_its_sign(plan: str, signed: float, made: Make) -> None:
    record = made(ways("abcdefghi"), expanded(plan))
    assert values(record, LD, ABSOLUTE) == pytest.approx([signed, abs(signed)])


def test_lengths_of_open_goals_are_not_compared(made: Make) -> None:
    record = made(ways("abc", length_counted=False), expanded("abcd"))
    assert values(record, PC, LD, ABSOLUTE) == [100, None, None]


@pytest.mark.parametrize(
    ("plan", "way", "found"),
    [
        ("abcd", "abcd", [100, 100, 0]),
        ("efgxh", "efgh", [100, 75, 25]),
        ("yz", "yz", [100, 100, 0]),
        # As far by both variants: the one that is nearer in length.
        ("qq", "yz", [0, 0, 0]),
        ("qqqqq", "abcd", [0, 0, 25]),
    ],
)
def test_of_several_ways_the_nearest_is_the_ground_truth(plan: str, way: str, found: list[float], made: Make) -> None:
    record = made(ways("abcd", "efgh", "yz"), expanded(plan))
    nearest = nearest_way(record)
    assert nearest is not None
    assert nearest.name == way
    assert values(record, PC, PREFIX, LD) == found


def test_correctness_is_the_greatest_of_each_variant_over_the_ways(made: Make) -> None:
    # By prefix the first way is nearer, with superfluous steps skipped the second.
    record = made(ways("abcdefgh", "bcdz"), expanded("abxcd"))
    assert values(record, PC, PREFIX) == [75, 25]


def test_without_a_reference_there_is_nothing_to_compare_with(made: Make) -> None:
    record = made({}, expanded("ab", 1))
    assert values(record, PC, PREFIX, ES, LD, ABSOLUTE, EPV) == [None, None, None, None, None, 50]
    plain = made({}, Acted(1, "(a)"), finished=Finished("solved", plan=steps("a"), proposed=steps("a")), policy="basic")
    assert not {*measure(plain)[0]} & {*VALUES}, "records of other policies are measured as ever"


# ── by the validator ─────────────────────────────────────────────────────────────────────────────


def test_expanded_plan_verification_is_the_share_before_the_first_inapplicable_action(made: Make) -> None:
    record = made({}, expanded("a" * 55, 19, goal=False))
    assert values(record, EPV) == [pytest.approx(34.5455, abs=1e-4)]
    assert values(made({}, expanded("ab", 9)), EPV) == [100], "a foreign record may say anything"


def blocks(*rounds: Sequence[bool], attempt: int = 1) -> list[RunEvent]:
    return [
        BlockExpanded(attempt, macro, number, ("(a)",), holds=holds)
        for macro, each in enumerate(rounds, 1)
        for number, holds in enumerate(each)
    ]


def test_blocks_before_and_after_correction(made: Make) -> None:
    found = blocks([True], [True], [False, True], [False, False])
    record = made({}, MacroPlanned(1, tuple("abcd")), *found, expanded("a"))
    assert values(record, f"{AABV}-before", AABV) == [50, 75]


def test_blocks_are_counted_of_the_first_macro_plan_and_of_the_one_that_was_carried_out(made: Make) -> None:
    given_up = [MacroPlanned(1, tuple("abcd")), *blocks([True], [False, False])]
    anew = [MacroPlanned(2, tuple("ab")), *blocks([True], [False, True], attempt=2)]
    record = made({}, *given_up, *anew, expanded("ab", attempt=2))
    assert values(record, f"{AABV}-before", AABV) == [25, 100]
    partly = [MacroPlanned(2, tuple("ab")), *blocks([True], [False], attempt=2)]
    record = made({}, *given_up, *partly, expanded("ab", attempt=2))
    assert values(record, AABV) == [pytest.approx(200 / 3)], "with the block that was kept of the first"
    # What was planned anew since the world surprised is measured nowhere.
    later = [MacroPlanned(3, ("a",)), *blocks([False], attempt=3), expanded("a", attempt=3)]
    record = made({}, *given_up, *anew, expanded("ab", attempt=2), *executed("a"), Discrepancy(1, "(a)"), *later)
    assert values(record, f"{AABV}-before", AABV) == [25, 100]


@pytest.mark.parametrize("policy", ["hr", "r", "llm"])
def test_what_corrects_nothing_has_no_value_after_correction(policy: str, made: Make) -> None:
    planned = [MacroPlanned(1, ("a", "b")), MacrosVerified(1, 0, 1, 2), *blocks([True], [False])]
    record = made({}, *planned, expanded("ab", 1, goal=False), policy=policy)
    assert values(record, f"{MPV}-before", MPV, f"{AABV}-before", AABV) == [50, None, 50, None]


@pytest.mark.parametrize("policy", ["hvr", "vr", "llm"])
def test_a_run_that_was_stopped_before_it_planned_anything_has_no_plan(made: Make, policy: str) -> None:
    record = made(ways("abc"), policy=policy, finished=Finished("budget"))
    assert values(record, PC, PREFIX, EPV) == [0, 0, 0]
    assert values(record, ES, LD, MPV, AABV) == [None] * 4


# ── plan correctness ──────────────────────────────────────────────────────────────────────────────


B1_GROUND_TRUTH = """
(navigate_to_obj Egg-1) (pick_up Egg-1) (crack_obj Egg-1) (navigate_to_obj Pan-1) (put_in EggCracked-1 Pan-1)
(pick_up Pan-1) (navigate_to_obj StoveBurner-1) (put_on Pan-1 StoveBurner-1) (toggle_on StoveBurner-1)
(toggle_off StoveBurner-1) (pick_up EggCracked-1) (navigate_to_obj Plate-1) (put_on EggCracked-1 Plate-1)
(pick_up Plate-1) (navigate_to_obj CounterTop-1) (put_on Plate-1 CounterTop-1)
"""
B1_PLAN = """
(navigate_to_obj Egg-1) (pick_up Egg-1) (navigate_to_obj Egg-1) (crack_obj Egg-1) (navigate_to_obj Pan-1)
(navigate_to_obj CounterTop-1) (put_on EggCracked-1 CounterTop-1) (navigate_to_obj Pan-1) (pick_up Pan-1)
(navigate_to_obj StoveBurner-1) (put_on Pan-1 StoveBurner-1) (navigate_to_obj StoveBurner-1)
(toggle_on StoveBurner-1) (navigate_to_obj EggCracked-1) (pick_up EggCracked-1) (navigate_to_obj Pan-1)
(put_in EggCracked-1 Pan-1) (navigate_to_obj StoveBurner-1) (toggle_off StoveBurner-1) (navigate_to_obj Plate-1)
(pick_up Plate-1) (navigate_to_obj EggCracked-1) (navigate_to_obj CounterTop-1) (put_on Plate-1 CounterTop-1)
(navigate_to_obj EggCracked-1) (pick_up EggCracked-1) (navigate_to_obj Plate-1) (put_on EggCracked-1 Plate-1)
(navigate_to_obj Plate-1) (pick_up Plate-1) (navigate_to_obj CounterTop-1) (put_on Plate-1 CounterTop-1)
"""


def actions(text: str) -> list[str]:
    return [f"({each.strip()}" for each in text.replace("\n", " ").split("(") if each.strip()]


def way(blocks: Sequence[Sequence[str]], *order: tuple[int, int]) -> Way:
    return Way.of("", blocks, order)


# ── the examples ─────────────────────────────────────────────────────────────────────────────────


def test_the_papers_example_is_wrong_at_its_third_step_and_lacks_the_sixth() -> None:
    plan, truth = actions(B1_PLAN), actions(B1_GROUND_TRUTH)
    assert (len(plan), len(truth)) == (32, 16)
    total = way([truth])
    assert prefix_steps(plan, total) == 2
    assert skipping_steps(plan, total) == 5


def test_the_papers_hundred_percent_needs_steps_that_change_places_though_one_arm_could_not() -> None:
    plan, truth = actions(B1_PLAN), actions(B1_GROUND_TRUTH)
    chain = [(step, step + 1) for step in range(15)]
    # The egg into the pan (5) beside the pan onto the burner that is switched on (6 to 9): after 3 and 4, before 10.
    freed = [pair for pair in chain if pair not in ((3, 4), (4, 5))]
    partial = way([[step] for step in truth], *freed, (2, 3), (3, 4), (3, 5), (4, 9))
    assert skipping_steps(plan, partial) == 16
    assert prefix_steps(plan, partial) == 2
    # Of blocks that are plans by themselves the two cannot change places, so that five it is.
    blocks = way([truth[:5], truth[5:9], truth[9:]], (0, 1), (1, 2))
    assert skipping_steps(plan, blocks) == 5


# ── against enumeration ──────────────────────────────────────────────────────────────────────────


def linearizations(blocks: Sequence[str], order: Sequence[tuple[int, int]]) -> Iterator[str]:
    for places in permutations(range(len(blocks))):
        if all(places.index(first) < places.index(then) for first, then in order):
            yield "".join(blocks[place] for place in places)


def common_beginning(plan: str, line: str) -> int:
    return next(
        (at for at, (one, other) in enumerate(zip(plan, line, strict=False)) if one != other), min(len(plan), len(line))
    )


def found_in_order(plan: str, line: str) -> int:
    start = 0
    for count, step in enumerate(line):
        at = plan.find(step, start)
        if at < 0:
            return count
        start = at + 1
    return len(line)


@st.composite
def partial_orders(draw: st.DrawFn) -> tuple[list[str], list[tuple[int, int]]]:
    blocks = draw(st.lists(st.text("abc", max_size=3), min_size=1, max_size=5))
    shuffled = draw(st.permutations(range(len(blocks))))
    pairs = [(shuffled[i], shuffled[j]) for j in range(len(blocks)) for i in range(j)]
    return blocks, draw(st.lists(st.sampled_from(pairs), max_size=6, unique=True)) if pairs else []


@given(partial_orders(), st.text("abcd", max_size=12), st.data())
@settings(max_examples=200)
def test_without_enumerating_linearizations_the_same_is_found(
    partial: tuple[list[str], list[tuple[int, int]]], plan: str, data: st.DataObject
) -> None:
    blocks, order = partial
    lines = [*linearizations(blocks, order)]
    if data.draw(st.booleans()):
        # A plan that is near one of them.
        line = data.draw(st.sampled_from(lines))
        cut = data.draw(st.integers(0, len(line)))
        plan = line[:cut] + plan + line[cut:]
    one = way(blocks, *order)
    assert prefix_steps(plan, one) == max(common_beginning(plan, line) for line in lines)
    assert skipping_steps(plan, one) == max(found_in_order(plan, line) for line in lines)


def test_twelve_blocks_that_may_all_change_places_are_no_matter_of_factorials() -> None:
    blocks = [chr(97 + place) for place in range(12)]
    free = way(blocks)
    assert prefix_steps("lkjihgfedcba", free) == 12
    assert skipping_steps("lxkxjihgfedcab", free) == 12

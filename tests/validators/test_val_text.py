"""VAL's text where its corpus has no example: bad plans, several plans, simultaneous actions, numbers."""

from pathlib import Path

import pytest

from pddl2nl.pddl import Task, parse_task
from validators import read_plan, val_summary, val_text, val_verdict, validate

GOLDEN = Path(__file__).parent / "golden"

PLANS = {
    "wrong-arity": "(unstack c a)\n(put-down)\n",
    "unknown-action": "(unstack c a)\n(putdown c)\n",
    "unknown-object": "(unstack c zz) ; no zz\n",
    "wrong-type": "(unstack c a)\n  (stack c t)\n",
    "malformed": "(unstack c a)\nthen put it down\n(pick-up b\n",
    "several": "(stak a) (put-down) (put-down t)\n",
    "together": "0: (unstack c a)\n0.5: (put-down c) [3]\n",
    "conflict": "1: (unstack c a)\n1: (pick-up b)\n",
}


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("verbose", [False, True])
def test_golden(tower: Task, name: str, verbose: bool) -> None:
    report = validate(tower, PLANS[name], f"{name}.plan")
    text = val_text(tower, PLANS[name], report, f"{name}.plan", verbose)
    file = GOLDEN / f"{name}{'-v' if verbose else ''}.txt"
    assert text == file.read_text(), f"{file} does not hold this text"


@pytest.mark.parametrize("name", ["wrong-arity", "unknown-action", "unknown-object", "wrong-type", "malformed"])
def test_bad_plans_look_alike_in_both_forms(name: str) -> None:
    assert (GOLDEN / f"{name}.txt").read_text() == (GOLDEN / f"{name}-v.txt").read_text()


def test_any_form_of_plan_gives_the_same_text(tower: Task) -> None:
    text = "(unstack c a) (put-down c)"
    report = validate(tower, text)
    plan = read_plan(text)
    assert val_text(tower, plan, report, "p", True) == val_text(tower, text, report, "p", True)
    assert val_text(tower, plan.actions, report, "p", True) == val_text(tower, text, report, "p", True)


def test_text_is_verdict_and_summary(tower: Task) -> None:
    report = validate(tower, "")
    assert val_text(tower, "", report, "p") == val_verdict(tower, "", report, "p") + val_summary(tower, [("p", report)])


def _race(direction: str) -> Task:
    metric = f"(:metric {direction} (total-cost))" if direction else ""
    return parse_task(
        "(define (domain d) (:predicates (p)) (:functions (total-cost) - number)"
        " (:action a :parameters () :precondition () :effect (and (p) (increase (total-cost) 1.25))))",
        f"(define (problem x) (:domain d) (:init (= (total-cost) 0)) (:goal (p)) {metric})",
    )


@pytest.mark.parametrize(
    ("direction", "order"),
    [
        ("minimize", "\nValue: 1.25\n one 1.25 \nuno 1.25 \n\nValue: 2.5\n two 2.5 \n"),
        ("maximize", "\nValue: 2.5\n two 2.5 \n\nValue: 1.25\n one 1.25 \nuno 1.25 \n"),
        ("", "\nValue: 2\n two 2 \n\nValue: 1\n one 1 \nuno 1 \n"),
    ],
)
def test_the_summary_ranks_plans_by_value(direction: str, order: str) -> None:
    task = _race(direction)
    plans = {"one": "(a)", "two": "(a)(a)", "uno": "(a)", "no": ""}
    judged = [(name, validate(task, plan)) for name, plan in plans.items()]
    assert val_summary(task, judged) == f"\nSuccessful plans:{order}\n\n\nFailed plans:\n no \n"


def test_numbers_have_ten_digits() -> None:
    task = parse_task(
        "(define (domain d) (:predicates (p)) (:functions (total-cost) - number)"
        " (:action a :parameters () :precondition () :effect (and (p) (increase (total-cost) 12345678901.5))))",
        "(define (problem x) (:domain d) (:init (= (total-cost) 0.1)) (:goal (p)) (:metric minimize (total-cost)))",
    )
    text = val_text(task, "(a)", validate(task, "(a)"), "p", True)
    assert "Updating (total-cost) (0.1) by 1.23456789e+10 increase\n" in text
    assert "Final value: 1.23456789e+10 \n" in text

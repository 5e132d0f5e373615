"""What happens together, and that a single action claims nothing unless it does something twice."""

import pytest

from pddl2nl.pddl import Task, parse_task
from pddlval import Simulator, read_plan
from pddlval.happenings import Claims, claim, happenings


def numbers(text: str) -> list[tuple[float, tuple[int, ...]]]:
    return [(float(each.time), tuple(event.step for event in each.events)) for each in happenings(read_plan(text))]


def test_untimed_steps_take_their_number_as_time() -> None:
    assert numbers("(a) (b)") == [(1, (1,)), (2, (2,))]
    assert numbers("(a) 1: (b) (c)") == [(1, (1, 2)), (2, (3,))]


def test_steps_are_ordered_by_time_and_equal_times_stay_in_file_order() -> None:
    assert numbers("2: (a) 1: (b) 2: (c)") == [(1, (2,)), (2, (1, 3))]


def test_steps_less_than_a_thousandth_apart_happen_together() -> None:
    assert numbers("0: (a) 0.0005: (b) 0.002: (c)") == [(0, (1, 2)), (0.002, (3,))]


DOMAIN = """
(define (domain d) (:requirements :adl :numeric-fluents)
  (:predicates (p) (q))
  (:functions (f))
  (:action plain :parameters () :precondition (p) :effect (and (not (p)) (q) (increase (f) 1)))
  (:action both :parameters () :precondition (p) :effect (and (not (p)) (p)))
  (:action dear :parameters () :precondition () :effect (and (increase (f) 1) (decrease (f) 2)))
  (:action sometimes :parameters () :precondition () :effect (and (q) (when (p) (not (q)))))
  (:action never :parameters () :precondition () :effect (and (q) (when (not (p)) (not (q)))))
  (:action clash :parameters () :precondition () :effect (and (assign (f) 1) (when (p) (assign (f) 1)))))
"""


@pytest.fixture
def task() -> Task:
    return parse_task(DOMAIN, "(define (problem x) (:domain d) (:init (p) (= (f) 0)) (:goal (q)))")


def claims(task: Task, plan: str) -> Claims:
    simulator = Simulator(task)
    state = simulator.initial
    grounds = [simulator.ground(action) for action in read_plan(plan).actions]
    return claim(grounds, state)


@pytest.mark.parametrize(
    ("plan", "warnings"),
    [
        ("(plain)", []),
        ("(both)", ["(both) adds and deletes the literal (p)"]),
        ("(dear)", ["(dear) assigns to expression (f)twice"]),
        ("(sometimes)", ["(sometimes) adds and deletes the literal (q)"]),
        ("(never)", []),
        # What others increase too is nobody's alone.
        ("(plain) (dear)", []),
    ],
)
def test_what_an_action_does_twice_is_told(task: Task, plan: str, warnings: list[str]) -> None:
    found = claims(task, plan)
    assert list(found.warnings) == [f"WARNING: {warning}" for warning in warnings]
    assert found.conflict is None


def test_only_effects_that_happen_are_claimed(task: Task) -> None:
    conflict = claims(task, "(clash)").conflict
    assert conflict is not None
    assert (str(conflict.atom), conflict.reason) == ("(f)", "it assigns to (f) twice")
    without_p = parse_task(DOMAIN, "(define (problem x) (:domain d) (:init) (:goal (q)))")
    assert claims(without_p, "(clash)") == ((), None)

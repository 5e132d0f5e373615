"""What happens together, and who gets into whose way."""

from fractions import Fraction

import pytest

from pddl2nl.pddl import Task, parse_task
from validators import Simulator, read_plan
from validators.happenings import claim_effects, happenings


def numbers(text: str) -> list[tuple[Fraction, tuple[int, ...]]]:
    return [(happening.time, happening.numbers) for happening in happenings(read_plan(text))]


def test_untimed_steps_take_their_number_as_time() -> None:
    assert numbers("(a) (b)") == [(1, (1,)), (2, (2,))]
    assert numbers("(a) 1: (b) (c)") == [(1, (1, 2)), (2, (3,))]


def test_steps_are_ordered_by_time_and_equal_times_stay_in_file_order() -> None:
    assert numbers("2: (a) 1: (b) 2: (c)") == [(1, (2,)), (2, (1, 3))]


def test_steps_less_than_a_thousandth_apart_happen_together() -> None:
    assert numbers("0: (a) 0.0005: (b) 0.002: (c)") == [(0, (1, 2)), (Fraction(1, 500), (3,))]


DOMAIN = """
(define (domain d) (:requirements :negative-preconditions :action-costs)
  (:predicates (p) (q) (r))
  (:functions (total-cost) - number)
  (:action needs-p :parameters () :precondition (p) :effect (r))
  (:action also-p :parameters () :precondition (p) :effect (r))
  (:action forbids-q :parameters () :precondition (not (q)) :effect (and))
  (:action adds-p :parameters () :precondition () :effect (p))
  (:action keeps-p :parameters () :precondition (p) :effect (p))
  (:action adds-q :parameters () :precondition () :effect (q))
  (:action drops-p :parameters () :precondition () :effect (not (p)))
  (:action drops-q :parameters () :precondition (not (q)) :effect (not (q)))
  (:action twice :parameters () :precondition () :effect (and (r) (not (q)) (r) (not (q))))
  (:action both :parameters () :precondition () :effect (and (not (r)) (r)))
  (:action dear :parameters () :precondition () :effect
    (and (increase (total-cost) 1) (increase (total-cost) 2))))
"""


@pytest.fixture
def task() -> Task:
    return parse_task(DOMAIN, "(define (problem x) (:domain d) (:init (p)) (:goal (r)))")


@pytest.mark.parametrize(
    ("names", "conflict"),
    [
        ("needs-p also-p", None),
        ("needs-p drops-p", (1, "deletes", "(p)", 0)),
        ("drops-p needs-p", (0, "deletes", "(p)", 1)),
        ("needs-p also-p drops-p", (2, "deletes", "(p)", None)),
        ("needs-p adds-p", (1, "adds", "(p)", 0)),
        ("keeps-p adds-p", (1, "adds", "(p)", 0)),
        ("adds-p drops-p", (1, "deletes", "(p)", 0)),
        ("forbids-q adds-q", (1, "adds", "(q)", 0)),
        ("adds-p adds-q", None),
    ],
)
def test_conflicts(task: Task, names: str, conflict: tuple[int, str, str, int | None] | None) -> None:
    simulator = Simulator(task)
    claims = claim_effects([simulator.ground(action) for action in read_plan(f"({') ('.join(names.split())})").actions])
    found = claims.conflict
    assert (found and (found.place, found.claim, str(found.atom), found.other)) == conflict


@pytest.mark.parametrize(
    ("names", "warnings"),
    [
        ("twice", ["(twice) adds the literal (r) twice", "(twice) deletes the literal (q) twice"]),
        ("both", ["(both) adds and deletes the literal (r)"]),
        ("keeps-p", []),
        ("keeps-p adds-q", ["(keeps-p) adds a precondition literal (p)"]),
        (
            "drops-q dear",
            [
                "(drops-q) deletes a false precondition literal (q)",
                "(dear) assigns to expression (total-cost)twice",
            ],
        ),
        ("needs-p also-p", ["(also-p) and (needs-p) both add the literal (r)"]),
    ],
)
def test_warnings_are_vals(task: Task, names: str, warnings: list[str]) -> None:
    simulator = Simulator(task)
    actions = read_plan(f"({') ('.join(names.split())})").actions
    claims = claim_effects([simulator.ground(action) for action in actions])
    assert claims.conflict is None
    assert list(claims.warnings) == [f"WARNING: {warning}" for warning in warnings]

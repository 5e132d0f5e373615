"""Who gets into whose way within a happening, in the words of VAL."""

import pytest

from pddl2nl.pddl import Task, parse_task
from pddlval import Simulator, read_plan
from pddlval.happenings import Claims, claim

DOMAIN = """
(define (domain d) (:requirements :adl :derived-predicates :numeric-fluents)
  (:types thing)
  (:constants a - thing)
  (:predicates (p) (q) (r) (on ?x - thing) (some) (one) (loop ?x - thing))
  (:functions (f) (g) (h ?x - thing))
  (:derived (some) (and (p) (not (q))))
  (:derived (one) (p))
  (:derived (one) (not (r)))
  (:derived (loop ?x - thing) (or (on ?x) (exists (?y - thing) (loop ?y))))
  (:action nothing :parameters () :precondition () :effect (and))
  (:action needs-p :parameters () :precondition (p) :effect (r))
  (:action also-p :parameters () :precondition (p) :effect (r))
  (:action forbids-q :parameters () :precondition (not (q)) :effect (and))
  (:action adds-p :parameters () :precondition () :effect (p))
  (:action keeps-p :parameters () :precondition (p) :effect (p))
  (:action adds-q :parameters () :precondition () :effect (q))
  (:action adds-r :parameters () :precondition () :effect (r))
  (:action drops-p :parameters () :precondition () :effect (not (p)))
  (:action drops-q :parameters () :precondition (not (q)) :effect (not (q)))
  (:action drops-r :parameters () :precondition () :effect (not (r)))
  (:action unsets-r :parameters () :precondition () :effect (not (r)))
  (:action turns-p :parameters () :precondition (p) :effect (and (not (p)) (p)))
  (:action twice :parameters () :precondition () :effect (and (r) (not (q)) (r) (not (q))))
  (:action both :parameters () :precondition () :effect (and (not (r)) (r)))
  (:action or :parameters () :precondition (or (p) (q)) :effect (p))
  (:action implies :parameters () :precondition (imply (q) (p)) :effect (not (q)))
  (:action all :parameters () :precondition (forall (?x - thing) (on ?x)) :effect (forall (?x - thing) (on ?x)))
  (:action any :parameters () :precondition (exists (?x - thing) (on ?x)) :effect (and))
  (:action none :parameters () :precondition (not (exists (?x - thing) (not (on ?x)))) :effect (on a))
  (:action drop :parameters (?x - thing) :precondition () :effect (not (on ?x)))
  (:action derives :parameters () :precondition (some) :effect (p))
  (:action derives-not :parameters () :precondition (not (some)) :effect (p))
  (:action derives-one :parameters () :precondition (one) :effect (p))
  (:action loops :parameters () :precondition (loop a) :effect (and))
  (:action when-p :parameters () :precondition () :effect (when (p) (q)))
  (:action when-not-p :parameters () :precondition () :effect (when (not (p)) (q)))
  (:action when-all :parameters () :precondition ()
    :effect (forall (?x - thing) (when (on ?x) (when (p) (not (on ?x))))))
  (:action reads-f :parameters () :precondition (> (f) (- (g))) :effect (and))
  (:action reads-f-too :parameters () :precondition (> (f) 0) :effect (and))
  (:action sums-f :parameters () :precondition () :effect (increase (f) 1))
  (:action lowers-f :parameters () :precondition () :effect (decrease (f) 1))
  (:action sets-f :parameters () :precondition () :effect (assign (f) 1))
  (:action scales-f :parameters () :precondition () :effect (scale-up (f) (f)))
  (:action drains-f :parameters () :precondition () :effect (decrease (f) (f)))
  (:action copies-f :parameters () :precondition () :effect (increase (g) (+ (f) 1)))
  (:action counts :parameters () :precondition (> (f) 0) :effect (and (increase (f) (g)) (increase (f) 1)))
  (:action mixes :parameters () :precondition () :effect (and (assign (f) 1) (when (p) (increase (f) 1))))
  (:action sets-twice :parameters () :precondition () :effect (and (increase (f) 1) (when (p) (scale-up (f) 2))))
  (:action adds-and-drops-q :parameters () :precondition () :effect (and (q) (when (p) (not (q)))))
  (:action only-adds-q :parameters () :precondition () :effect (and (q) (when (not (p)) (not (q)))))
  (:action twice-f :parameters () :precondition () :effect (and (increase (f) 1) (decrease (f) 2)))
  (:action sets-h :parameters () :precondition () :effect (forall (?x - thing) (assign (h ?x) 1))))
"""
PROBLEM = """
(define (problem x) (:domain d) (:objects b - thing)
  (:init (p) (on a) (on b) (= (f) 1) (= (g) 1)) (:goal (r)))
"""


@pytest.fixture(scope="module")
def task() -> Task:
    return parse_task(DOMAIN, PROBLEM)


def claims(task: Task, names: str) -> Claims:
    text = "".join(f"({name})" for name in names.split(", "))
    simulator = Simulator(task)
    return claim([simulator.ground(action) for action in read_plan(text).actions], simulator.initial)


@pytest.mark.parametrize(
    "names",
    [
        "needs-p, also-p",
        "adds-p, adds-q",
        "adds-r, needs-p",
        "reads-f, reads-f-too",
        "sums-f, lowers-f, sums-f",
        "drops-r, unsets-r",
        "any, nothing, any",
        "loops, needs-p",
        "when-not-p, drops-p",
        "turns-p",
        # Whoever sums first may read what it sums; in the other order it collides, below.
        "drains-f, lowers-f",
    ],
)
def test_no_conflict(task: Task, names: str) -> None:
    assert claims(task, names).conflict is None


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ("needs-p, drops-p", "(drops-p) (deletes (p)) and (needs-p)\n"),
        ("drops-p, needs-p", "(drops-p) (deletes (p)) and (needs-p)\n"),
        ("needs-p, also-p, drops-p", "(drops-p) (deletes (p))\n"),
        ("needs-p, adds-p", "(adds-p) (adds (p)) and (needs-p)\n\n"),
        ("needs-p, also-p, adds-p", "(adds-p) (adds (p))\n"),
        ("keeps-p, adds-p", "(adds-p) (adds (p)) and (keeps-p)\n\n"),
        ("adds-p, drops-p", "(drops-p) (deletes (p)) and (adds-p)\n"),
        ("drops-p, adds-p", "(adds-p) (adds (p)) and (drops-p)\n\n"),
        ("forbids-q, adds-q", "(adds-q) (adds (q)) and (forbids-q)\n\n"),
        ("or, adds-q", "(adds-q) (adds (q)) and (or)\n\n"),
        ("implies, adds-q", "(adds-q) (adds (q)) and (implies)\n\n"),
        ("any, drop b", "(drop b) (deletes (on b)) and (any)\n"),
        ("all, drop b", "(drop b) (deletes (on b)) and (all)\n"),
        ("none, drop b", "(drop b) (deletes (on b)) and (none)\n"),
        ("derives, adds-q", "(adds-q) (adds (q)) and (derives)\n\n"),
        ("derives-one, adds-r", "(adds-r) (adds (r)) and (derives-one)\n\n"),
        ("loops, drop b", "(drop b) (deletes (on b)) and (loops)\n"),
        ("sets-f, sums-f", "(sums-f) (expression (f)) and (sets-f)\n"),
        ("sums-f, sets-f", "(sets-f) (expression (f)) and (sums-f)\n"),
        ("sums-f, lowers-f, sets-f", "(sets-f) (expression (f))\n"),
        ("reads-f, sums-f", "(sums-f) (expression (f)) and (reads-f)\n"),
        ("reads-f, reads-f-too, sums-f", "(sums-f) (expression (f))\n"),
        ("sums-f, reads-f", "(sums-f) (expression (f)) and (reads-f)\n"),
        (
            "sums-f, copies-f",
            "(copies-f) (requires (f))\nConflict over ownership of resource: (g) wanted by (copies-f)\n",
        ),
        (
            "sums-f, scales-f",
            "(scales-f) (requires (f))\nConflict over ownership of resource: (f) wanted by (scales-f)\n",
        ),
        (
            "lowers-f, drains-f",
            "(drains-f) (requires (f))\nConflict over ownership of resource: (f) wanted by (drains-f)\n",
        ),
        ("copies-f, sums-f", "(sums-f) (expression (f)) and (copies-f)\n"),
        ("sets-h, sets-h", "(sets-h) (expression (h a)) and (sets-h)\n"),
        # The text goes on in the same line.
        ("adds-q, forbids-q, when-p", "(adds-q) (adds (q)) and (forbids-q)\n\n"),
        ("forbids-q, when-p", "(when-p) (adds (q)) and (forbids-q)\n\nViolation in conditional effect in (when-p)"),
        ("drops-p, when-p", "(when-p) (requires (p))\nViolation in conditional effect in (when-p)"),
        (
            "any, when-all",
            "(when-all) (deletes (on a))\n"
            "Violation in conditional effect in (when-all)Violation in conditional effect in (when-all)",
        ),
    ],
)
def test_mutex_violations(task: Task, names: str, text: str) -> None:
    conflict = claims(task, names).conflict
    assert conflict is not None
    assert conflict.text == f"Mutex violation: {text}"
    assert conflict.reason.startswith("it ")


@pytest.mark.parametrize(
    ("names", "warnings"),
    [
        ("twice", ["(twice) adds the literal (r) twice", "(twice) deletes the literal (q) twice"]),
        ("both", ["(both) adds and deletes the literal (r)"]),
        ("twice-f", ["(twice-f) assigns to expression (f)twice"]),
        # What others increase too is nobody's alone.
        ("sums-f, twice-f", []),
        ("adds-and-drops-q", ["(adds-and-drops-q) adds and deletes the literal (q)"]),
        ("only-adds-q", []),
        ("turns-p", ["(turns-p) adds and deletes the literal (p)"]),
        ("keeps-p", []),
        ("keeps-p, adds-q", ["(keeps-p) adds a precondition literal (p)"]),
        ("or, nothing", []),
        ("implies, nothing", []),
        ("derives, nothing", ["(derives) adds a precondition literal (p)"]),
        ("derives-not, nothing", []),
        ("derives-one, nothing", []),
        ("all, nothing", ["(all) adds a precondition literal (on a)", "(all) adds a precondition literal (on b)"]),
        ("none, nothing", []),
        (
            "drops-q, counts",
            ["(drops-q) deletes a false precondition literal (q)", "(counts) assigns to expression (f)twice"],
        ),
        ("needs-p, also-p", ["(also-p) and (needs-p) both add the literal (r)"]),
        ("drops-r, unsets-r", ["(unsets-r) and (drops-r) both delete the literal (r)"]),
    ],
)
def test_warnings(task: Task, names: str, warnings: list[str]) -> None:
    found = claims(task, names)
    assert found.conflict is None
    assert list(found.warnings) == [f"WARNING: {warning}" for warning in warnings]


@pytest.mark.parametrize(
    ("names", "text", "reason"),
    [
        ("mixes", "(mixes) both assigns to and updates expression (f)\n", "it both assigns to and updates (f)"),
        ("sets-twice", "(sets-twice) assigns to expression (f) twice\n", "it assigns to (f) twice"),
    ],
)
def test_one_action_may_contradict_itself(task: Task, names: str, text: str, reason: str) -> None:
    conflict = claims(task, names).conflict
    assert conflict is not None
    assert (conflict.text, conflict.reason, conflict.other) == (text, reason, None)


def test_what_an_action_needs_it_may_not_change_twice_beside_others(task: Task) -> None:
    """VAL ends such a plan without a word, though it lets the action pass where it is alone."""
    warnings, conflict = claims(task, "turns-p, nothing")
    assert warnings == ("WARNING: (turns-p) adds a precondition literal (p)",)
    assert conflict is not None
    assert (conflict.place, conflict.claim, str(conflict.atom), conflict.text) == (0, "deletes", "(p)", "")
    assert conflict.reason.startswith("it needs (p) and changes it twice")

"""VAL's text where its corpus has no example: bad plans, several plans, simultaneous actions, numbers, all of ADL."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import pytest

from pddl2nl.pddl import Condition, GroundAtom, Task, parse_task
from pddlval import read_plan, val_summary, val_text, validate
from pddlval.report import VAL_TOLERANCE
from pddlval.state import Number
from pddlval.val_advice import advice_lines, gives_advice

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


SHOP = """
(define (domain shop)
  (:requirements :adl :derived-predicates :numeric-fluents)
  (:types item place)
  (:constants counter - place)
  (:predicates (at ?i - item ?p - place) (open) (sold ?i - item) (dusty ?i - item) (near ?p ?q - place)
    (linked ?p ?q - place) (all-sold))
  (:functions (price ?i - item) (cash) (debt ?p - place) (weight))
  (:derived (linked ?p ?q - place) (or (near ?p ?q) (exists (?r - place) (and (near ?p ?r) (linked ?r ?q)))))
  (:derived (all-sold) (forall (?i - item) (sold ?i)))
  (:action carry
    :parameters (?i - item ?p ?q - place)
    :precondition (and (at ?i ?p) (linked ?p ?q) (not (= ?p ?q)))
    :effect (and (at ?i ?q) (not (at ?i ?p))))
  (:action sell
    :parameters (?i - item)
    :precondition (and (open) (or (at ?i counter) (dusty ?i)) (>= (+ (cash) 10) (price ?i)))
    :effect (and
      (increase (cash) (price ?i))
      (when (dusty ?i) (and (not (dusty ?i)) (decrease (cash) (/ (price ?i) 3))))
      (sold ?i)
      (not (at ?i counter))
      (forall (?j - item) (when (and (at ?j counter) (not (= ?i ?j))) (and (dusty ?j) (increase (cash) 0.5))))))
  (:action close
    :parameters ()
    :precondition (all-sold)
    :effect (and (not (open)) (forall (?p - place ?i - item) (and (not (at ?i ?p)) (not (dusty ?i))))))
  (:action count
    :parameters ()
    :precondition (and (imply (open) (< (cash) 0)) (forall (?i - item) (exists (?p - place) (at ?i ?p))))
    :effect (scale-up (cash) 2))
  (:action weigh
    :parameters (?i - item)
    :precondition (> (weight) (price ?i))
    :effect (assign (weight) 1))
  (:action halve
    :parameters (?i - item)
    :precondition ()
    :effect (and (scale-down (price ?i) 2) (when (dusty ?i) (assign (price ?i) 0))))
  (:action upset
    :parameters (?i - item)
    :precondition (and (open) (not (sold ?i)))
    :effect (and (scale-down (price ?i) 2) (when (sold ?i) (assign (price ?i) 0)))))
"""
MONDAY = """
(define (problem monday) (:domain shop)
  (:objects tea_2 tea rice - item shed attic - place)
  (:init (open) (at tea attic) (at rice counter) (at tea_2 counter) (dusty tea)
    (near attic shed) (near shed counter) (near counter attic)
    (= (cash) 2) (= (price tea) 10) (= (price rice) 0.1) (= (price tea_2) 19))
  (:goal (and (all-sold) (not (open)) (or (> (cash) 100) (not (exists (?i - item) (dusty ?i))))
    (forall (?p - place) (imply (linked attic ?p) (not (at rice ?p))))))
  (:metric maximize (- (cash) 1)))
"""

SHOPPING = {
    "effects": "(sell rice) (carry tea attic counter) (sell tea) (sell tea_2)",
    "comparison": "(sell tea_2)",
    "equality": "(carry rice counter counter)",
    "disjunction": "(sell rice) (carry tea attic shed) (sell tea) (sell tea)",
    "derived-alone": "(sell rice) (close)",
    "implication": "(sell rice) (count)",
    "quantified": "0.5: (close)",
    "undefined": "(weigh tea)",
    "contradiction": "1: (halve rice)\n1.5: (halve tea)",
    "contradiction-unmet": "(sell rice) (sell tea) (sell tea_2) (close) (upset tea)",
    "together-adl": "1: (sell rice)\n2: (carry tea attic shed)\n2: (sell tea)",
    "both-read": "1: (sell rice) 1: (sell tea)",
    "conditional-conflict": "0.000: (carry tea_2 counter shed) 0.000: (sell rice)",
    "negative-time": "-1: (SELL rice) ; early\n  0: (Carry Tea attic shed) (carry tea shed counter)",
    "sold-out": "(sell rice) (sell tea) (sell tea_2) (close)",
}


@pytest.fixture(scope="module")
def monday() -> Task:
    return parse_task(SHOP, MONDAY)


@pytest.mark.parametrize("name", SHOPPING)
@pytest.mark.parametrize("verbose", [False, True])
def test_all_of_adl(monday: Task, name: str, verbose: bool) -> None:
    report = validate(monday, SHOPPING[name], f"{name}.plan")
    text = val_text(monday, SHOPPING[name], report, f"{name}.plan", verbose)
    file = GOLDEN / f"shop-{name}{'-v' if verbose else ''}.txt"
    assert text == file.read_text(), f"{file} does not hold this text"


REACTIONS = """
(define (domain REACTIONS) (:requirements :adl :action-costs)
  (:types ATOM - OBJECT carbon - atom)
  (:predicates (bond ?x - atom ?y - ATOM) (DOUBLEBOND ?x ?y - atom) (ready) (do_1_2)
    (arg_1 ?x - object) (arg_2 ?x - object))
  (:functions (total-cost) - number)
  (:action addition_1
    :parameters (?c_1 ?c_2 - carbon)
    :precondition (and (doublebond ?c_1 ?c_2) (not (= ?c_2 ?c_1)) (not (= ?c_1 ?c_2)) (ready))
    :effect (and (increase (total-cost) 32) (not (doublebond ?c_1 ?c_2)) (not (doublebond ?c_2 ?c_1))
      (bond ?c_1 ?c_2) (bond ?c_2 ?c_1) (not (ready)) (do_1_2) (arg_1 ?c_1)))
  (:action addition_2
    :parameters (?c_1 ?c_2 - carbon)
    :precondition (and (do_1_2) (arg_1 ?c_1))
    :effect (and (increase (total-cost) 3) (bond ?c_1 ?c_2) (bond ?c_2 ?c_1) (not (arg_1 ?c_2)) (not (arg_2 ?c_2))
      (not (arg_1 ?c_1)) (ready) (not (do_1_2)))))
"""
TWO_ATOMS = """
(define (problem two) (:domain Reactions) (:objects C1 c2 - Carbon)
  (:init (ready) (doublebond c1 c2) (doublebond C2 C1) (= (total-cost) 0))
  (:goal (and (ready) (bond c1 c2))) (:metric minimize (total-cost)))
"""


def test_actions_split_into_steps_as_in_organic_synthesis() -> None:
    """Effects in both directions, also of one object with itself, and objects that have to differ.

    The expected lines follow VAL's source (State.cpp, Ownership.cpp and Proposition.cpp), since no plan of its corpus
    has an equality that does not hold.
    """
    task = parse_task(REACTIONS, TWO_ATOMS)
    plan = "(ADDITION_1 c1 c2) (addition_2 c1 C1)"
    assert val_text(task, plan, validate(task, plan), "p", True).partition("-----------------------\n")[2] == (
        "\nChecking next happening (time 1)\n"
        "Deleting (doublebond c1 c2)\nDeleting (doublebond c2 c1)\nDeleting (ready)\n"
        "Adding (bond c1 c2)\nAdding (bond c2 c1)\nAdding (do_1_2)\nAdding (arg_1 c1)\n"
        "Updating (total-cost) (0) by 32 increase\n"
        "\nChecking next happening (time 2)\n"
        "WARNING: (addition_2 c1 c1) adds the literal (bond c1 c1) twice\n"
        "WARNING: (addition_2 c1 c1) deletes the literal (arg_1 c1) twice\n"
        "Deleting (arg_1 c1)\nDeleting (arg_2 c1)\nDeleting (arg_1 c1)\nDeleting (do_1_2)\n"
        "Adding (bond c1 c1)\nAdding (bond c1 c1)\nAdding (ready)\n"
        "Updating (total-cost) (32) by 3 increase\n"
        "Plan executed successfully - checking goal\nPlan valid\nFinal value: 35 \n"
        "\nSuccessful plans:\nValue: 35\n p 35 \n\n"
    )
    plan = "(addition_1 c1 c1)"
    assert val_text(task, plan, validate(task, plan), "p", True).partition("at time 1\n")[2] == (
        "(Follow each of:\n    (Set (doublebond c1 c1) to true)\n"
        "    and (Set (= c1 c1) to false)\n    and (Set (= c1 c1) to false)\n)\n\n\nFailed plans:\n p \n"
    )


def test_atoms_whose_names_run_together_are_two() -> None:
    domain = "(define (domain d) (:predicates (on ?x ?y)) (:action a :parameters (?x ?y) :effect (on ?x ?y)))"
    task = parse_task(domain, "(define (problem x) (:domain d) (:objects a ab bc c) (:init) (:goal (on ab c)))")
    assert validate(task, "(a a bc)").verdict == "goal-not-satisfied"
    assert validate(task, "(a ab c)").valid


def test_any_form_of_plan_gives_the_same_text(tower: Task) -> None:
    text = "(unstack c a) (put-down c)"
    report = validate(tower, text)
    plan = read_plan(text)
    assert val_text(tower, plan, report, "p", True) == val_text(tower, text, report, "p", True)
    assert val_text(tower, plan.actions, report, "p", True) == val_text(tower, text, report, "p", True)


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


@pytest.mark.parametrize(
    ("condition", "value", "exact", "close"),
    [
        ("(>= (f) 1)", "0.99995", False, True),
        ("(>= (f) 1)", "0.9998", False, False),
        ("(> (f) 1)", "0.99995", False, True),
        ("(< (f) 1)", "1.00005", False, True),
        ("(<= (f) 1)", "1.0002", False, False),
        ("(= (f) 1)", "1.00005", False, True),
        ("(= (f) 1)", "0.9998", False, False),
        ("(not (= (f) 1))", "1.00005", True, False),
        ("(not (> (f) 1))", "0.99995", True, False),
    ],
)
def test_vals_tolerance_must_be_asked_for(condition: str, value: str, exact: bool, close: bool) -> None:
    task = parse_task(
        "(define (domain d) (:requirements :numeric-fluents :negative-preconditions) (:predicates (p)) (:functions (f))"
        f" (:action a :parameters () :precondition {condition} :effect (p)))",
        f"(define (problem x) (:domain d) (:init (= (f) {value})) (:goal (p)))",
    )
    assert validate(task, "(a)").valid is exact
    report = validate(task, "(a)", tolerance=VAL_TOLERANCE)
    assert report.valid is close
    text = val_text(task, "(a)", report, "p", verbose=True, tolerance=VAL_TOLERANCE)
    assert ("Adding (p)\n" in text) is close
    assert ("atisfy (f)[=" in text) is not close


def test_a_metric_without_a_value_is_an_error_in_val() -> None:
    task = parse_task(
        "(define (domain d) (:requirements :numeric-fluents) (:predicates (p)) (:functions (f))"
        " (:action a :parameters () :precondition () :effect (p)))",
        "(define (problem x) (:domain d) (:init (= (f) 0)) (:goal (p)) (:metric minimize (/ 1 (f))))",
    )
    report = validate(task, "(a)")
    assert report.valid
    assert report.cost is None
    assert val_text(task, "(a)", report, "p") == (
        "Checking plan: p\nPlan executed successfully - checking goal\nError occurred in validation attempt:\n"
        "  Attempt to access undefined numeric expression!\n\n\nQueries (validator failed):\n p \n"
    )


@pytest.mark.parametrize(
    ("constraint", "advice"),
    [
        # VAL judges a duration of 0, and advises nothing about a thousandth or less.
        ("(<= ?duration -0.001)", ""),
        ("(<= ?duration -0.002)", "Decrease duration by at least 0.002"),
        ("(= ?duration 0.0009)", ""),
        ("(= ?duration 0.001)", "Set the duration to 0.001"),
        ("(>= ?duration 0.02)", "Increase duration by at least 0.02"),
        ("(and (> ?duration 0) (<= ?duration 0.5))", "Increase duration by at least 0"),
    ],
)
def test_durations_that_miss_by_more_than_a_thousandth_get_advice(constraint: str, advice: str) -> None:
    domain = f"""(define (domain d) (:requirements :durative-actions :duration-inequalities) (:predicates (p) (q))
      (:durative-action a :parameters () :duration {constraint} :condition (at start (p)) :effect (at end (q))))"""
    task = parse_task(domain, "(define (problem x) (:domain d) (:init) (:goal (q)))")
    text = val_text(task, "1: (a) [1]", validate(task, "1: (a) [1]", "x"), "x", True)
    found = [line for line in text.splitlines() if line.startswith("Failed duration constraint:")]
    assert found == ([f"Failed duration constraint: {advice}"] if advice else [])


# ── repair advice, for every kind of condition and its negation ───────────────────────────────────


DOMAIN = """
(define (domain d) (:requirements :adl :derived-predicates :numeric-fluents)
  (:types box room nothing)
  (:constants c - box)
  (:predicates (p) (q ?b - box) (r) (in ?b - box ?r - room) (far))
  (:functions (f) (g ?b - box) (h))
  (:derived (far) (p))
  (:action a :parameters () :precondition () :effect (p)))
"""
PROBLEM = "(define (problem x) (:domain d) (:objects b a - box k - room) (:init (r)) (:goal {}))"


@dataclass
class World:
    """r holds, and (q b), (in a k); f is 2.5, (g a) is 1/3, (g b) is 1234567, h has no value."""

    tolerance: Fraction = Fraction(0)
    atoms: set[str] = field(default_factory=lambda: {"(r)", "(q b)", "(in a k)"})
    levels: dict[str, Number] = field(
        default_factory=lambda: {"(f)": Fraction(5, 2), "(g a)": Fraction(1, 3), "(g b)": 1234567, "(g c)": 0}
    )

    def true(self, atom: GroundAtom) -> bool:
        return str(atom) in self.atoms

    def level(self, fluent: GroundAtom) -> Number | None:
        return self.levels.get(str(fluent))

    def objects(self, types: tuple[str, ...]) -> tuple[str, ...]:
        return {"box": ("c", "b", "a"), "room": ("k",)}.get(types[0], ())


def condition(text: str) -> Condition:
    return parse_task(DOMAIN, PROBLEM.format(text)).problem.goal


def advice(text: str) -> str:
    return "\n".join(advice_lines(condition(text), World(), frozenset({"far"})))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        # Literals.
        ("(p)", "(Set (p) to true)"),
        ("(q a)", "(Set (q a) to true)"),
        ("(not (r))", "(Set (r) to false)"),
        ("(not (not (p)))", "(Set (p) to true)"),
        ("(= a b)", "(Set (= a b) to true)"),
        ("(not (= c c))", "(Set (= c c) to false)"),
        ("(far)", "(Satisfy derived predicate (far)!)"),
        ("(not (far))", "(Satisfy derived predicate (NOT (far))!)"),
        ("(and (far))", "(Satisfy derived predicate (far)!)"),
        # Comparisons.
        ("(> (f) 3)", "(Satisfy (f)[=2.5] > 3)"),
        ("(not (< (f) 3.25))", "(Do NOT satisfy (f)[=2.5] < 3.25)"),
        ("(<= (g b) (- (g a)))", "(Satisfy (g b)[=1.23457e+06] <=  - (g a)[=0.333333])"),
        ("(= (+ (f) 1) (* 2 (/ (g b) 4)))", "(Satisfy ((f)[=2.5] + 1) = (2 * ((g b)[=1.23457e+06] / 4)))"),
        ("(> (- (f) 12345678) 0.00001)", "(Satisfy ((f)[=2.5] - 1.23457e+07) > 1e-05)"),
        ("(= (+ 1 2 (f)) 0)", "(Satisfy (1 + (2 + (f)[=2.5])) = 0)"),
        ("(or (< (f) 1) (> (f) 1))", "(Follow one of:\n    (Satisfy (f)[=2.5] < 1)\n    or (No advice comparison!)\n)"),
        # Groups.
        ("(and (r) (q a))", "(Set (q a) to true)"),
        ("(and (p) (r) (q a))", "(Follow each of:\n    (Set (p) to true)\n    and (Set (q a) to true)\n)"),
        (
            "(and (p) (and (q a) (not (r))))",
            "(Follow each of:\n    (Set (p) to true)\n    and \n    (Follow each of:\n"
            "        (Set (q a) to true)\n        and (Set (r) to false)\n    )\n)",
        ),
        ("(and (p) (and (q a)))", "(Follow each of:\n    (Set (p) to true)\n    and \n    (Set (q a) to true)\n)"),
        ("(and (p) (p))", "(Follow each of:\n    (Set (p) to true)\n    and (Set (p) to true)\n)"),
        ("(or (p) (q a))", "(Follow one of:\n    (Set (p) to true)\n    or (Set (q a) to true)\n)"),
        ("(or (p))", "(Set (p) to true)"),
        ("(or)", "(No advice for disjunction!)"),
        (
            "(or (p) (and (r) (r)) (or (far) (q a)))",
            "(Follow one of:\n    (Set (p) to true)\n    or \n    (No advice for conjunction!)\n    or \n"
            "    (Follow one of:\n        (Satisfy derived predicate (far)!)\n        or (Set (q a) to true)\n    )\n)",
        ),
        ("(not (or (r) (p)))", "(Set (r) to false)"),
        ("(not (and (r) (q b)))", "(Follow one of:\n    (Set (r) to false)\n    or (Set (q b) to false)\n)"),
        ("(imply (r) (p))", "(Follow one of:\n    (Set (r) to false)\n    or (Set (p) to true)\n)"),
        ("(not (or (r) (q b) (p)))", "(Follow each of:\n    (Set (r) to false)\n    and (Set (q b) to false)\n)"),
        # Negated implications.
        ("(not (imply (p) (r)))", "(Follow each of:\n    (Set (p) to true)\n    and (Set (r) to false)\n)"),
        ("(not (imply (p) (q a)))", "(Set (p) to true)"),
        ("(not (imply (r) (r)))", "(Set (r) to false)"),
        (
            "(or (p) (not (imply (r) (p))))",
            "(Follow one of:\n    (Set (p) to true)\n    or \n    (No advice for conjunction!)\n)",
        ),
        # Quantifiers: objects come in alphabetic order, constants among them, whatever the order of the file.
        ("(forall (?x - box) (q ?x))", "(Follow each of:\n    (Set (q a) to true)\n    and (Set (q c) to true)\n)"),
        (
            "(exists (?x - box) (and (q ?x) (p)))",
            "(Follow one of:\n    (Follow each of:\n        (Set (q a) to true)\n        and (Set (p) to true)\n    )\n"
            "    or \n    (Set (p) to true)\n    or \n    (Follow each of:\n        (Set (q c) to true)\n"
            "        and (Set (p) to true)\n    )\n)",
        ),
        ("(not (exists (?x - box) (q ?x)))", "(Set (q b) to false)"),
        (
            "(not (forall (?x - box ?y - room) (or (r) (in ?x ?y))))",
            "(Follow one of:\n    (Follow each of:\n        (Set (r) to false)\n"
            "        and (Set (in a k) to false)\n    )\n"
            "    or \n    (Set (r) to false)\n    or \n    (Set (r) to false)\n)",
        ),
        (
            "(exists (?y - room ?x - box) (in ?x ?y))",
            "(Follow one of:\n    (No advice for literal!)\n    or (Set (in b k) to true)\n"
            "    or (Set (in c k) to true)\n)",
        ),
        ("(forall (?x - box) (exists (?x - room) (in a ?x)))", "(No advice for conjunction!)"),
        ("(forall (?x - box) (imply (q ?x) (> (g ?x) (f))))", "(No advice for conjunction!)"),
        (
            "(forall (?x - box) (not (and (q ?x) (> (g ?x) (f)))))",
            "(Follow one of:\n    (Set (q b) to false)\n    or (Do NOT satisfy (g b)[=1.23457e+06] > (f)[=2.5])\n)",
        ),
    ],
)
def test_advice(text: str, told: str) -> None:
    assert advice(text) == told


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("(far)", False),
        ("(not (far))", False),
        ("(and (far))", True),
        ("(p)", True),
        ("(or (far) (p))", True),
        ("(exists (?x - room) (p))", True),
        ("(exists (?x - nothing) (p))", False),
        ("(and (exists (?x - nothing) (p)))", True),
        ("(or)", False),
        ("(> (f) 3)", True),
    ],
)
def test_a_derived_predicate_alone_gets_no_advice(text: str, given: bool) -> None:
    assert gives_advice(condition(text), World(), frozenset({"far"})) is given

"""VAL's repair advice, for every kind of condition and its negation."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import pytest

from pddl2nl.pddl import Condition, GroundAtom, parse_task
from pddlval.state import Number
from pddlval.val_advice import advice_lines, gives_advice

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

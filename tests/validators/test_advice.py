"""VAL's repair advice, also for nested conjunctions."""

import pytest

from pddl2nl.pddl import And, Atom, Condition, Equality, Not
from validators.advice import advice_lines

P, Q, R = Atom("p"), Atom("q", ("a",)), Atom("r")


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (P, "(Set (p) to true)"),
        (Not(R), "(Set (r) to false)"),
        (Not(Not(P)), "(Set (p) to true)"),
        (Equality("a", "b"), "(Set (= a b) to true)"),
        (And((R, Q)), "(Set (q a) to true)"),
        (And((P, R, Q)), "(Follow each of:\n    (Set (p) to true)\n    and (Set (q a) to true)\n)"),
        (
            And((P, And((Q, Not(R))))),
            "(Follow each of:\n    (Set (p) to true)\n    and \n    (Follow each of:\n"
            "        (Set (q a) to true)\n        and (Set (r) to false)\n    )\n)",
        ),
        (And((P, And((Q,)))), "(Follow each of:\n    (Set (p) to true)\n    and \n    (Set (q a) to true)\n)"),
    ],
)
def test_advice(condition: Condition, text: str) -> None:
    assert "\n".join(advice_lines(condition, lambda atom: atom[0] == "r")) == text

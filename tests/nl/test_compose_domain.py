from __future__ import annotations

import pytest

from pddl2nl.errors import UnsupportedError
from pddl2nl.nl.compose import Phrases
from pddl2nl.nl.compose_domain import compose_domain
from pddl2nl.nl.template import template_wording
from pddl2nl.nl.wording import wording_from_json
from pddl2nl.pddl import parse_domain


def lines(precondition: str = "()", effect: str = "()", *, silent: str | None = None, constants: str = "") -> list[str]:
    """The sentences about one action ``go`` with two trucks, said with the template; ``silent`` is never told."""
    domain = parse_domain(
        "(define (domain d) (:requirements :adl :fluents) (:types truck place)"
        f"(:constants {constants}) (:predicates (p ?x - object) (q ?x - object) (r)) (:functions (f ?x) (g))"
        f"(:action go :parameters (?a ?b - truck) :precondition {precondition} :effect {effect}))"
    )
    data = template_wording(domain).to_json()
    entries = data["predicates"]
    assert isinstance(entries, dict)
    if silent is not None:
        entries[silent] = {"parameters": ["?x"], "text": None}
    actions = data["actions"]
    assert isinstance(actions, dict)
    actions["go"] = {"parameters": ["?a", "?b"], "text": "send {?a} after {?b}"}
    text = compose_domain(Phrases(wording_from_json(data, domain), domain))
    return [line for line in text.splitlines() if line.startswith(("I can ", "Once "))]


GO = "send a truck A after a truck B"


@pytest.mark.parametrize(
    ("precondition", "sentences"),
    [
        ("()", [f"I can always {GO}."]),
        ("(and (p ?a) (not (q ?b)) (r) (not (r)))",
         [f"I can only {GO} if it is the case that A is 'p' and 'r' holds.",
          f"I can only {GO} if it is not the case that B is 'q' and it is not the case that 'r' holds."]),
        ("(= ?a ?b)", [f"I can only {GO} if it is the case that A and B are the same object."]),
        ("(> (f ?a) 2)", [f"I can only {GO} if it is the case that the value of 'f' for A is more than 2."]),
        ("(or (p ?a) (p ?b))", [f"I can only {GO} if it is the case that (A is 'p') or (B is 'p')."]),
        ("(not (or (p ?a) (p ?b)))", [f"I can only {GO} if it is not the case that ((A is 'p') or (B is 'p'))."]),
        ("(exists (?a - place) (p ?a))",
         [f"I can only {GO} if it is the case that there is a place C such that (C is 'p')."]),
    ],
)  # fmt: skip
def test_conditions(precondition: str, sentences: list[str]) -> None:
    assert lines(precondition)[: len(sentences)] == sentences


@pytest.mark.parametrize(
    ("effect", "sentences"),
    [
        ("()", ["nothing changes."]),
        ("(and (p ?a) (not (q ?b)) (r))",
         ["it is the case that A is 'p' and 'r' holds.", "it is not the case anymore that B is 'q'."]),
        ("(and (increase (g) 1) (decrease (f ?a) (f ?b)) (assign (f ?b) 0.5))",
         ["the value of 'g' increases by 1 and the value of 'f' for A decreases by the value of 'f' for B "
          "and the value of 'f' for B becomes 0.5."]),
        ("(and (scale-up (g) 2) (scale-down (f ?a) (g)))",
         ["the value of 'g' is multiplied by 2 and the value of 'f' for A is divided by the value of 'g'."]),
        ("(when (and (p ?a) (not (q ?b))) (not (p ?a)))",
         ["if just before it was the case that A is 'p' and it was not the case that B is 'q', "
          "it is not the case anymore that A is 'p'."]),
        ("(when (not (or (r) (p ?a))) (r))",
         ["if just before it was not the case that (('r' holds) or (A is 'p')), it is the case that 'r' holds."]),
        ("(forall (?x ?y - place) (and (p ?x) (not (q ?y))))",
         ["for every place C and every place D, it is the case that C is 'p'.",
          "for every place C and every place D, it is not the case anymore that D is 'q'."]),
    ],
)  # fmt: skip
def test_effects(effect: str, sentences: list[str]) -> None:
    assert lines(effect=effect)[1:] == [f"Once I {GO}, {sentence}" for sentence in sentences]


def test_facts_that_are_never_told_are_left_out_unless_the_logic_would_change() -> None:
    told = lines("(and (p ?a) (q ?b) (imply (p ?a) (r)))", "(and (p ?a) (not (q ?a)))", silent="p")
    assert told == [
        f"I can only {GO} if it is the case that B is 'q'.",
        f"I can only {GO} if it is the case that if (A is 'p') then ('r' holds).",
        f"Once I {GO}, it is not the case anymore that A is 'q'.",
    ]


def test_letters_are_not_the_names_of_constants() -> None:
    assert lines("(p a)", constants="a - truck")[0] == (
        "I can only send a truck B after a truck C if it is the case that a is 'p'."
    )


@pytest.mark.parametrize(
    ("part", "construct"),
    [
        ("(:constraints (always (p)))", "a trajectory constraint"),
        ("(:functions (where) - truck)", r"an object fluent \('where'\)"),
    ],
)
def test_what_has_no_words_is_refused_by_name(part: str, construct: str) -> None:
    domain = parse_domain(
        "(define (domain d) (:requirements :typing :constraints :fluents :object-fluents) (:types truck) "
        f"(:predicates (p)) {part})"
    )
    with pytest.raises(UnsupportedError, match=f"{construct} in the domain 'd' cannot be told"):
        compose_domain(Phrases(template_wording(domain), domain))

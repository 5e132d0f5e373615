"""Names with braces are told by the template, in which braces hold parameters."""

from __future__ import annotations

from pddl2nl.nl.wording.template import template_wording
from pddl2nl.pddl import parse_domain


def test_braces_in_names_are_no_parameters() -> None:
    text = (
        "(define (domain d) (:types {t}) (:predicates ({p} ?x)) (:action {a} :parameters (?x - {t}) :effect ({p} ?x)))"
    )
    wording = template_wording(parse_domain(text))
    assert wording.actions["{a}"].parts == ("apply the action '(a)' to (t) ", 0)
    assert wording.predicates["{p}"].parts == (0, " is '(p)'")

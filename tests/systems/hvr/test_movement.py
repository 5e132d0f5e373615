"""Which actions only move somebody, in every domain that is shipped."""

from __future__ import annotations

import pytest

from pddl2nl.pddl import parse_domain
from pddl2nl.systems.hvr.repair import movements
from pddl2nl.tasks import shipped_domain, shipped_domains

MOVEMENTS = {
    "beluga": {},
    "blocksworld": {},
    "depots": {"drive": ("?x",)},
    "ferry": {"sail": ()},
    "floortile": {"change-color": ("?r",)},
    "goldminer": {"move": ()},
    "grid": {"move": ()},
    "grippers": {"move": ("?r",)},
    "kitchen": {"navigate-to-obj": ()},
    "logistics": {"drive-truck": ("?truck",), "fly-airplane": ("?airplane",)},
    "movie": {},
    "rovers": {"navigate": ("?x",)},
    "satellite": {"turn_to": ("?s",)},
    "visitall": {},
}


@pytest.mark.parametrize("name", MOVEMENTS)
def test_movements_of_the_shipped_domains(name: str) -> None:
    found = movements(shipped_domain(name).domain)
    assert {item.schema.name: item.mover for item in found} == MOVEMENTS[name]


def test_every_shipped_domain_is_looked_at() -> None:
    assert {*shipped_domains(), "kitchen"} == {*MOVEMENTS}


DOMAIN = """
(define (domain d) (:requirements :typing :fluents :conditional-effects)
  (:types place thing)
  (:predicates (at ?p - place) (beside ?x - thing) (lit ?x - thing) (holding ?x - thing) (in ?x - thing ?p - place)
               (clear ?p - place) (seen ?p - place))
  (:functions (fuel))
  (:action ACTION :parameters (?x - thing ?a ?b - place) :effect EFFECT))
"""


@pytest.mark.parametrize(
    ("effect", "mover"),
    [
        ("(and (at ?b) (not (at ?a)))", ()),
        ("(and (at ?b) (not (at ?a)) (decrease (fuel) 1))", ()),
        ("(and (in ?x ?b) (not (in ?x ?a)))", ("?x",)),
        # What comes along is moved too.
        ("(and (at ?b) (not (at ?a)) (forall (?y - thing) (when (holding ?y) (and (in ?y ?b) (not (in ?y ?a))))))", ()),
        ("(and (at ?b) (forall (?p - place) (not (at ?p))))", ()),
        # It cannot be undone.
        ("(and (holding ?x) (not (at ?a)))", None),
        ("(and (at ?b) (not (at ?a)) (seen ?b))", None),
        ("(at ?b)", None),
        ("(and)", None),
        # Nobody is anywhere: a switch.
        ("(and (when (lit ?x) (not (lit ?x))) (when (not (lit ?x)) (lit ?x)))", None),
        # The thing moves, and places change that are no thing.
        ("(and (in ?x ?b) (not (in ?x ?a)) (clear ?a) (not (clear ?b)))", None),
        # Something else is there then.
        ("(and (forall (?y - thing) (when (lit ?y) (beside ?y))) (not (beside ?x)))", None),
        # Two places at once.
        ("(and (at ?a) (at ?b) (forall (?p - place) (not (at ?p))))", None),
    ],
)
def test_what_a_movement_is(effect: str, mover: tuple[str, ...] | None) -> None:
    domain = parse_domain(DOMAIN.replace("EFFECT", effect))
    assert [item.mover for item in movements(domain)] == ([] if mover is None else [mover])

"""Isomorphism: exactly the problems that a renaming of objects turns into each other."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.errors import UnsupportedError
from pddl2nl.pddl import Task, parse_domain, parse_problem
from pddl2nl.tasks.isomorphism import DistinctProblems, isomorphic

DOMAIN = parse_domain("""
(define (domain shapes)
  (:requirements :strips :typing :negative-preconditions)
  (:types box ball)
  (:constants table - object)
  (:predicates (red ?x) (on ?x ?y) (between ?x ?y ?z)))
""")

_NAMES = ("a", "b", "c", "d", "e")
_facts = st.sets(
    st.one_of(
        st.tuples(st.just("red"), st.sampled_from(_NAMES)),
        st.tuples(st.just("on"), st.sampled_from(_NAMES), st.sampled_from((*_NAMES, "table"))),
        st.tuples(st.just("between"), st.sampled_from(_NAMES), st.sampled_from(_NAMES), st.sampled_from(_NAMES)),
    ),
    max_size=7,
)
_shapes = st.tuples(st.tuples(*[st.sampled_from(("box", "ball"))] * len(_NAMES)), _facts, _facts)


def problem(types, init, goal, names=_NAMES, shuffle=lambda found: None):
    """A task whose objects have these types and names, of which facts are said that name `_NAMES`."""
    new = dict(zip(_NAMES, names, strict=True))

    def told(facts):
        lines = ["(" + " ".join(new.get(word, word) for word in fact) + ")" for fact in sorted(facts)]
        shuffle(lines)
        return " ".join(lines)

    objects = [f"{new[name]} - {kind}" for name, kind in zip(_NAMES, types, strict=True)]
    shuffle(objects)
    text = f"""(define (problem x) (:domain shapes) (:objects {" ".join(objects)})
      (:init {told(init)}) (:goal (and {told(goal)})))"""
    return Task(DOMAIN, parse_problem(text, DOMAIN))


def same_by_hand(one, other):
    """Whether some renaming makes one shape the other: all are tried."""
    for names in itertools.permutations(_NAMES):
        new = dict(zip(_NAMES, names, strict=True))
        moved = tuple({tuple(new.get(word, word) for word in fact) for fact in facts} for facts in one[1:])
        kinds = {new[name]: kind for name, kind in zip(_NAMES, one[0], strict=True)}
        if moved == other[1:] and kinds == dict(zip(_NAMES, other[0], strict=True)):
            return True
    return False


@settings(max_examples=25)
@given(shape=_shapes, chance=st.randoms(use_true_random=False))
def test_other_names_and_another_order_are_nothing(shape, chance):
    names = [f"o{number}" for number in range(len(_NAMES))]
    chance.shuffle(names)
    assert isomorphic(problem(*shape), problem(*shape, names, chance.shuffle))


@settings(max_examples=25)
@given(one=_shapes, fact=_facts, other=_shapes)
def test_isomorphic_exactly_if_trying_all_renamings_finds_one(one, fact, other):
    # Changed by a fact or two it is sometimes an image of itself, and mostly not.
    changed = (one[0], one[1] ^ set(sorted(fact)[:1]), one[2])
    for found in (other, changed, (one[0], changed[2], changed[1])):
        assert isomorphic(problem(*one), problem(*found)) == same_by_hand(one, found)


def test_what_colours_alone_do_not_tell_apart_is_told_apart():
    # Every object stands in the same facts as every other: one ring of six, and two of three.
    def rings(*sizes):
        facts, number = [], 0
        for size in sizes:
            facts += [(f"x{number + it}", f"x{number + (it + 1) % size}") for it in range(size)]
            number += size
        text = f"""(define (problem x) (:domain shapes) (:objects {" ".join(f"x{it}" for it in range(number))} - box)
          (:init {" ".join(f"(on {a} {b})" for a, b in facts)}) (:goal (and)))"""
        return Task(DOMAIN, parse_problem(text, DOMAIN))

    assert not isomorphic(rings(6), rings(3, 3))
    assert not isomorphic(rings(2, 4), rings(3, 3))
    assert isomorphic(rings(2, 4), rings(4, 2))


@pytest.mark.parametrize(
    "goal", ["(exists (?x) (red ?x))", "(or (red a) (exists (?x) (red ?x)))", "(and (red a) (not (not (red a))))"]
)
def test_what_is_beyond_facts_is_refused(goal):
    text = f"(define (problem x) (:domain shapes) (:objects a - box) (:init) (:goal {goal}))"
    with pytest.raises(
        UnsupportedError, match="goal of problem 'x' has more than conjunctions and disjunctions of literals"
    ):
        DistinctProblems().add(Task(DOMAIN, parse_problem(text, DOMAIN)), "x")

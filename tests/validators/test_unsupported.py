"""What is not executed is refused by name and place."""

import pytest

from pddl2nl.pddl import Task as _Task
from pddl2nl.pddl import UnsupportedError, parse_domain, parse_problem
from validators import Simulator

DOMAIN = """(define (domain d)
  (:requirements :adl :fluents :derived-predicates :durative-actions :preferences :constraints :time)
  (:constants o) (:predicates (p) (q) (r ?x))
  (:functions (f) (g) (total-cost))
  {extra}
  (:action a :parameters ()
    :precondition {precondition}
    :effect {effect}))"""

PROBLEM = "(define (problem x) (:domain d) (:init (= (f) 1) {init}) (:goal {goal}) {extra})"


def task(
    *,
    precondition: str = "(p)",
    effect: str = "(q)",
    extra: str = "",
    init: str = "",
    goal: str = "(q)",
    more: str = "",
) -> _Task:
    domain = parse_domain(DOMAIN.format(extra=extra, precondition=precondition, effect=effect), "d.pddl")
    return _Task(domain, parse_problem(PROBLEM.format(init=init, goal=goal, extra=more), domain, "x.pddl"))


@pytest.mark.parametrize(
    ("condition", "what"),
    [
        ("(or (p) (q))", "a disjunction ('or')"),
        ("(and (p) (imply (p) (q)))", "an implication ('imply')"),
        ("(forall (?x) (r ?x))", "a universal quantifier ('forall')"),
        ("(not (exists (?x) (r ?x)))", "an existential quantifier ('exists')"),
        ("(not (and (p) (q)))", "a negated conjunction"),
        ("(> (f) 1)", "a numeric condition"),
    ],
)
def test_conditions(condition: str, what: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        Simulator(task(precondition=condition))
    assert what in str(caught.value)
    assert str(caught.value).startswith("d.pddl:7:")
    assert str(caught.value).endswith("(in action 'a', in its precondition)")
    with pytest.raises(UnsupportedError) as caught:
        Simulator(task(goal=condition))
    assert what in str(caught.value)
    assert str(caught.value).startswith("x.pddl:1:")
    assert str(caught.value).endswith("(in the goal)")


@pytest.mark.parametrize(
    ("effect", "what"),
    [
        ("(and (q) (when (p) (q)))", "a conditional effect ('when')"),
        ("(forall (?x) (r ?x))", "a universal quantifier ('forall')"),
        ("(assign (f) 2)", "the numeric effect 'assign'"),
        ("(decrease (f) 2)", "the numeric effect 'decrease'"),
        ("(and (increase (f) 1) (increase (g) (f)))", "reads 'f', which actions change"),
    ],
)
def test_effects(effect: str, what: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        Simulator(task(effect=effect))
    assert what in str(caught.value)
    assert str(caught.value).startswith("d.pddl:8:")
    assert str(caught.value).endswith("(in action 'a', in its effect)")


@pytest.mark.parametrize(
    ("extra", "what"),
    [
        ("(:derived (q) (p))", "the derived predicate 'q'"),
        (
            "(:durative-action w :parameters () :duration (= ?duration 1) :condition (at start (p))"
            " :effect (at end (q)))",
            "the durative action 'w'",
        ),
    ],
)
def test_declarations(extra: str, what: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        Simulator(task(extra=extra, effect="(p)"))
    assert what in str(caught.value)
    assert str(caught.value).startswith("d.pddl:5:")


def test_the_problem_too() -> None:
    with pytest.raises(UnsupportedError, match=r"x\.pddl:1:\d+: the timed initial literal \(p\)"):
        Simulator(task(init="(at 5 (p))"))
    with pytest.raises(UnsupportedError, match="a preference"):
        Simulator(task(goal="(and (q) (preference one (p)))"))
    with pytest.raises(UnsupportedError, match="'is-violated' in the metric"):
        Simulator(task(goal="(q)", more="(:metric minimize (is-violated one))"))
    with pytest.raises(UnsupportedError, match="a trajectory constraint"):
        Simulator(task(goal="(q)", more="(:constraints (always (p)))"))


def test_what_is_executed_is_not_refused() -> None:
    effect = "(and (q) (increase (total-cost) (* 2 (f))))"
    simulator = Simulator(task(effect=effect, precondition="(and (p) (not (q)) (and (not (= o o))))"))
    assert list(simulator.applicable(simulator.initial)) == []

"""Compiled conditions against their definition."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.pddl import (
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    Exists,
    Expression,
    Fluent,
    Forall,
    GroundAtom,
    Imply,
    Not,
    Number,
    Or,
    Preference,
    Task,
    TypedName,
    UnsupportedError,
    parse_task,
)
from pddl2nl.pddl import Number as NumberNode
from pddlval import Simulator, State, val_text, validate
from pddlval.formulas import free_variables, negation_normal
from pddlval.numeric import UndefinedError, evaluate, plain_number
from pddlval.semantics import compare, holds, unmet
from pddlval.val_text import in_doubles
from tests.validators import random_tasks, reference
from tests.validators.formulas import PlainWorld

FREE = (TypedName("?x"), TypedName("?w", ("thing",)))


def _readings(task: Task, rng: random.Random, count: int = 6) -> Iterator[tuple[Condition, State, dict[str, str]]]:
    """Conditions with free variables, in states of a random walk, and objects for the variables."""
    simulator, scope = Simulator(task), random_tasks.scope_of(task, FREE)
    state = simulator.initial
    for _ in range(count):
        binding = {item.name: rng.choice(task.objects_of(item.types)) for item in FREE}
        yield random_tasks.conditions(rng, scope, 4), state, binding
        action = simulator.sample(state, rng)
        state = state if action is None else simulator.step(state, action).successor or state


@settings(max_examples=25)
@given(random_tasks.cases(numeric=False))
def test_a_state_reads_what_is_defined(case: tuple[Task, random.Random]) -> None:
    task, rng = case
    model = reference.Reference(task)
    for condition, state, binding in _readings(task, rng):
        world = reference.World(frozenset(map(tuple, state.atoms)), {}, model.initial.follow)
        compiled = state.layout.holds
        wanted = holds(condition, state, binding)
        assert model.holds(condition, world, binding) is wanted
        for _ in range(2):
            assert compiled(condition, state, binding) is wanted
            assert unmet(condition, state, binding, compiled) == unmet(condition, state, binding)


@settings(max_examples=25)
@given(random_tasks.cases(numeric=True))
def test_negation_normal_form(case: tuple[Task, random.Random]) -> None:
    for condition, state, binding in _readings(*case):
        normal = negation_normal(condition)
        assert negation_normal(normal) == normal
        text = repr(normal)
        assert "Imply" not in text
        assert not any(f"Not(body={kind}(" in text for kind in ("Not", "And", "Or", "Forall", "Exists"))
        try:
            assert holds(normal, state, binding) is holds(condition, state, binding)
        except UndefinedError:
            with pytest.raises(UndefinedError):
                holds(condition, state, binding)


@settings(max_examples=25)
@given(random_tasks.cases(numeric=True))
def test_expressions(case: tuple[Task, random.Random]) -> None:
    task, rng = case
    scope = random_tasks.scope_of(task, FREE)
    for _, state, binding in _readings(task, rng):
        expression = random_tasks.expressions(rng, scope, 3)
        same = Comparison("=", expression, expression)
        try:
            evaluate(expression, state.level, binding)
        except UndefinedError as error:
            with pytest.raises(UndefinedError) as found:
                state.layout.holds(same, state, binding)
            assert found.value.condition == error.condition  # noqa: PT017 - most expressions have a value
            assert "?" not in str(found.value.expression)
        else:
            assert state.layout.holds(same, state, binding)


# ── cases by hand ─────────────────────────────────────────────────────────────────────────────────


TRUE, FALSE = And(), Or()
P, Q, R = (Atom("q", (name,)) for name in "abc")


def test_comparisons_are_read_only_as_far_as_needed() -> None:
    world = PlainWorld("q a", values={"g": 3})
    undefined = Comparison(">", Fluent("f", ("?x",)), Fluent("g"))
    assert holds(Comparison("=", Fluent("g"), NumberNode(Fraction(3))), world)
    assert holds(Or((P, undefined)), world)
    assert not holds(And((Q, undefined)), world)
    with pytest.raises(UndefinedError) as caught:
        holds(Or((undefined, P)), world, {"?x": "b"})
    assert caught.value.expression == Fluent("f", ("b",))
    assert caught.value.condition == Comparison("=", Fluent("f", ("b",)), Fluent("f", ("b",)))


def test_what_is_no_condition_is_refused() -> None:
    with pytest.raises(TypeError, match="Preference"):
        holds(Preference("x", P), PlainWorld())
    with pytest.raises(TypeError, match="Preference"):
        unmet(Not(Preference("x", P)), PlainWorld())


# ── comparisons ──────────────────────────────────────────────────────────────────────────────────

VAL = Fraction(1, 10_000)


@pytest.mark.parametrize(
    ("symbol", "true_from", "true_to"),
    [("<", -9, 0.00009), ("<=", -9, 0.0001), ("=", -0.00009, 0.00009), (">=", -0.0001, 9), (">", -0.00009, 9)],
)
def test_tolerance_is_that_of_val(symbol: str, true_from: float, true_to: float) -> None:
    # What VAL makes of a difference d: < d < t, <= d <= t, = -t < d < t, >= d >= -t, > d > -t.
    for difference in (-1, -0.00011, -0.0001, -0.00009, 0, 0.00009, 0.0001, 0.00011, 1):
        assert compare(symbol, Fraction(str(difference)), 0, VAL) is (true_from <= difference <= true_to), difference


def test_tolerance_is_applied_in_double_precision() -> None:
    # 5.0 - 5.0001 is a little more than -0.0001 in binary.
    assert compare(">", 5, Fraction("5.0001"), VAL)
    assert not compare(">", 0, Fraction("0.0001"), VAL)
    huge = 10**400
    assert not compare("=", huge, huge, VAL), "infinity minus infinity is no number"
    assert compare("<", 0, huge, VAL)


@given(st.fractions(), st.fractions(), st.sampled_from(["<", "<=", "=", ">=", ">"]))
def test_without_tolerance_comparisons_are_exact(left: Fraction, right: Fraction, symbol: str) -> None:
    wanted = {"<": left < right, "<=": left <= right, "=": left == right, ">=": left >= right, ">": left > right}
    assert compare(symbol, left, right) is wanted[symbol]
    assert compare("=", left, left)
    assert not compare("<", left, left)


# ── unmet ────────────────────────────────────────────────────────────────────────────────────────


def test_unmet_parts() -> None:
    world = PlainWorld("q a", values={"g": 3})
    assert unmet(And((P, And((Q, R)))), world) == (Q, R)
    assert unmet(Not(Or((P, Q))), world) == (Not(P),)
    assert unmet(Not(Imply(P, Not(P))), world) == ()
    assert unmet(Not(Imply(P, P)), world) == (Not(P),)
    assert unmet(Not(And((P, Not(Q)))), world) == (Or((Not(P), Q)),)
    assert unmet(Not(Not(Q)), world) == (Q,)
    assert unmet(Or((Q, R)), world) == (Or((Q, R)),)
    assert unmet(Imply(P, Q), world) == (Imply(P, Q),)
    x = (TypedName("?x", ("small", "large")),)
    q = Atom("q", ("?x",))
    assert unmet(Forall(x, q), world) == (R, Q, Atom("q", ("d",))), "in the order of the declarations"
    assert unmet(Not(Exists(x, q)), world) == (Not(P),)
    assert unmet(Not(Forall((TypedName("?x", ("small",)),), Or((q, Q, TRUE)))), world) == (
        Exists((TypedName("?x", ("small",)),), And((Not(q), Not(Q), FALSE))),
    )
    more = Comparison(">", Fluent("g"), NumberNode(Fraction(5)))
    assert unmet(And((more, Not(more))), world) == (more,)
    assert unmet(FALSE, world) == (FALSE,)


def test_undefined_fluents_are_unmet() -> None:
    world = PlainWorld("q a", values={"g": 3})
    undefined = Comparison(">", Fluent("f", ("a",)), Fluent("g"))
    missing = Comparison("=", Fluent("f", ("a",)), Fluent("f", ("a",)))
    assert unmet(And((undefined, Q, undefined)), world) == (missing, Q)
    assert unmet(Or((undefined, P)), world) == (missing,)
    assert unmet(Or((P, undefined)), world) == ()


@settings(max_examples=60)
@given(random_tasks.cases(numeric=True))
def test_unmet_is_empty_where_the_condition_holds_and_all_of_it_fails_elsewhere(
    case: tuple[Task, random.Random],
) -> None:
    task, rng = case
    world = Simulator(task).initial
    condition = random_tasks.conditions(rng, random_tasks.scope_of(task), 4)
    parts = unmet(condition, world)
    try:
        true = holds(condition, world)
    except UndefinedError as error:
        assert error.condition in parts  # noqa: PT017 - it may also raise nothing
        return
    assert (parts == ()) is true
    for part in parts:
        assert not free_variables(part)
        try:
            assert not holds(part, world)
        except UndefinedError as error:
            assert part == error.condition  # noqa: PT017 - most parts are simply false


def test_a_forall_with_too_many_instances_stays_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pddlval.semantics._MOST_INSTANCES", 100)
    world = PlainWorld()
    # Two objects to the power of 60, and it fails for all of them.
    small = [TypedName(f"?x{number}", ("small",)) for number in range(60)]
    nested: Condition = Q
    for parameter in small:
        nested = Forall((parameter,), nested)
    found = unmet(nested, world)
    assert Q not in found
    assert 0 < len(found) < 60
    assert all(isinstance(part, Forall) for part in found)
    wide = Forall(tuple(small), Q)
    assert unmet(And((wide, Q)), world) == (wide, Q)
    assert unmet(Forall(tuple(small[:6]), Q), world) == (Q,)


# ── arithmetic, and numbers on their way out ──────────────────────────────────────────────────────


HUGE = 10**400


def test_plain_numbers_are_whole_where_they_can_be() -> None:
    assert [plain_number(value) for value in (None, 3, Fraction(4, 2), Fraction(5, 2), HUGE)] == [None, 3, 2, 2.5, HUGE]
    assert plain_number(Fraction(2 * HUGE + 1, 2)) == HUGE
    assert type(plain_number(Fraction(4, 2))) is int


def test_costs_beyond_all_floats() -> None:
    for cost in (f"{HUGE}", f"{HUGE}.5"):
        task = parse_task(
            "(define (domain d) (:requirements :action-costs) (:predicates (p)) (:functions (total-cost) - number)"
            f" (:action a :parameters () :effect (and (p) (increase (total-cost) {cost}))))",
            "(define (problem x) (:domain d) (:init (= (total-cost) 0)) (:goal (p)) (:metric minimize (total-cost)))",
        )
        report = validate(task, "(a)")
        assert json.loads(json.dumps(report.as_json("x")))["cost"] == HUGE
        for verbose in (False, True):
            assert "Final value: inf \n" in val_text(task, "(a)", report, "x", verbose)


# ── expressions ──────────────────────────────────────────────────────────────────────────────────

F, G = Fluent("f", ("?x",)), Fluent("g")
LEVELS = {GroundAtom(("f", "a")): 6, GroundAtom(("f", "b")): Fraction(1, 4), GroundAtom(("g",)): 4}


def _value(operator: str, *operands: Expression, **binding: str) -> int | Fraction:
    return evaluate(Arithmetic(operator, operands), LEVELS.get, {f"?{name}": value for name, value in binding.items()})


@pytest.mark.parametrize("effect", ["(scale-up (f) (f))", "(assign (f) (* (f) (f)))", "(scale-down (f) 1e-400)"])
def test_numbers_beyond_all_computing_end_the_plan(effect: str) -> None:
    task = parse_task(
        "(define (domain d) (:requirements :fluents) (:predicates (p)) (:functions (f))"
        f" (:action a :parameters () :effect (and (p) {effect.replace('1e-400', '0.' + '0' * 400 + '1')})))",
        "(define (problem x) (:domain d) (:init (= (f) 2)) (:goal (p)) (:metric minimize (f)))",
    )
    # Each step doubles the digits: without an end this would take for ever.
    with pytest.raises(UnsupportedError, match="too large to compute with"):
        validate(task, "(a)" * 60)
    report = validate(task, "(a)" * 10)
    assert report.valid
    assert json.loads(json.dumps(report.as_json("x")))["cost"] == report.cost
    assert "Plan valid" in val_text(task, "(a)" * 10, report, "x", verbose=True)


def test_arithmetic_is_exact_and_whole_where_it_can_be() -> None:
    two = Number(Fraction(2))
    assert _value("+", F, G, two, x="a") == 12
    assert _value("-", F, G, x="a") == 2
    assert _value("-", F, x="a") == -6
    assert _value("*", F, G, x="b") == 1
    assert _value("/", F, G, x="a") == Fraction(3, 2)
    for value in (_value("*", F, G, x="b"), _value("/", F, two, x="a"), evaluate(two, LEVELS.get)):
        assert type(value) is int
    third = Arithmetic("/", (Number(Fraction(1)), Number(Fraction(3))))
    assert _value("+", third, third, third) == 1


def test_what_has_no_value() -> None:
    with pytest.raises(UndefinedError, match="no value") as caught:
        _value("+", G, F, x="c")
    assert caught.value.expression == Fluent("f", ("c",))
    assert caught.value.condition == Comparison("=", Fluent("f", ("c",)), Fluent("f", ("c",)))
    zero = Arithmetic("-", (G, G))
    with pytest.raises(UndefinedError, match="zero") as divided:
        _value("*", G, Arithmetic("/", (F, zero)), x="a")
    assert divided.value.expression == Arithmetic("/", (Fluent("f", ("a",)), zero))
    assert UndefinedError.of(GroundAtom(("f", "c"))).expression == Fluent("f", ("c",))


# ── numbers as VAL reads them ─────────────────────────────────────────────────────────────────────


DOMAIN = """
(define (domain d) (:requirements :adl :derived-predicates :numeric-fluents)
  (:types t)
  (:predicates (p) (q ?x - t) (far))
  (:functions (f) (g ?x - t))
  (:derived (far) (> (f) 0.1))
  (:action a :parameters (?x - t)
    :precondition (and (p) (imply (far) (not (or (= (f) (+ 0.1 1)) (exists (?y - t) (< (g ?y) 0.2))))))
    :effect (and (q ?x) (decrease (f) 0.085166015625)
      (forall (?y - t) (when (>= (g ?y) 0.3) (assign (g ?y) (* 0.1 (f)))))))
  (:action b :parameters () :precondition (p) :effect (not (p))))
"""
PROBLEM = """
(define (problem x) (:domain d) (:objects o - t)
  (:init (p) (= (f) 0.1) (= (g o) 3)) (:goal (forall (?x - t) (> (g ?x) 0.7))))
"""


def test_every_number_is_rounded_and_nothing_else() -> None:
    task = parse_task(DOMAIN, PROBLEM)
    rounded = in_doubles(task)
    assert rounded is not task
    assert rounded.domain.derived != task.domain.derived
    assert rounded.problem.goal != task.problem.goal
    one, other = Simulator(task), Simulator(rounded)
    assert one.initial.atoms == other.initial.atoms
    assert {str(fluent): value for fluent, value in other.initial.values.items()} == {
        "(f)": Fraction(0.1),
        "(g o)": Fraction(3),
    }
    precondition = repr(rounded.domain.actions[0].precondition)
    effect = repr(rounded.domain.actions[0].effect)
    for number, text in ((0.1, precondition), (0.2, precondition), (0.3, effect), (0.1, effect)):
        assert repr(Fraction(number)) in text
    assert "Fraction(1, 10)" not in precondition + effect


def test_tasks_with_whole_numbers_are_left_alone(tower: Task) -> None:
    assert in_doubles(tower) is tower
    whole = parse_task(DOMAIN.replace("0.085166015625", "2").replace("0.", ""), PROBLEM.replace("0.", ""))
    assert in_doubles(whole) is whole


def test_what_no_double_is_near_stays_as_it_is() -> None:
    huge = "9" * 400 + ".5"
    task = parse_task(DOMAIN, PROBLEM.replace("(= (f) 0.1)", f"(= (f) {huge})"))
    assert [value.value for value in in_doubles(task).problem.init_values] == [Fraction(huge), 3]


def test_what_lies_between_two_printed_numbers_falls_where_it_does_in_val() -> None:
    """The exact product has a five in the eleventh place, which would be rounded down to the even number before."""
    task = parse_task(
        "(define (domain d) (:requirements :numeric-fluents) (:predicates (p)) (:functions (f) (g))"
        " (:action a :parameters () :precondition () :effect (and (p) (increase (f) (* (g) 57)))))",
        "(define (problem x) (:domain d) (:init (= (f) 0) (= (g) 0.001494140625)) (:goal (p)))",
    )
    exact = Fraction("0.001494140625") * 57
    assert f"{float(exact):.10g}" == "0.08516601562"
    assert "by 0.08516601563 increase" in val_text(task, "(a)", validate(task, "(a)"), "p", verbose=True)


def test_verdicts_hang_on_exact_numbers_and_the_text_follows_them() -> None:
    """A tenth seven times is more than seven tenths in doubles' exact sum; the effect at the end depends on it."""
    task = parse_task(
        "(define (domain d) (:requirements :adl :numeric-fluents) (:predicates (p)) (:functions (f))"
        " (:action a :parameters () :precondition () :effect (increase (f) 0.1))"
        " (:action b :parameters () :precondition (<= (f) 0.7)"
        "  :effect (and (when (= (f) 0.7) (p)) (increase (f) 0.001))))",
        "(define (problem x) (:domain d) (:init (= (f) 0)) (:goal (and (p) (> (f) 0.7))))",
    )
    assert Fraction(0.1) * 7 > Fraction(0.7)
    plan = "(a)" * 7 + "(b)"
    report = validate(task, plan)
    assert report.valid
    text = val_text(task, plan, report, "p", verbose=True)
    assert "Adding (p)\nUpdating (f) (0.7) by 0.001 increase\nPlan executed successfully" in text

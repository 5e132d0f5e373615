"""Compiled conditions against their definition."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.pddl import (
    And,
    Atom,
    Comparison,
    Condition,
    Exists,
    Fluent,
    Forall,
    Imply,
    Not,
    Or,
    Preference,
    Task,
    TypedName,
)
from pddl2nl.pddl import Number as NumberNode
from pddlval import Simulator, State
from pddlval.formulas import free_variables, negation_normal
from pddlval.numeric import UndefinedError, evaluate
from pddlval.semantics import compare, holds, unmet
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

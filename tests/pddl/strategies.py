"""Random domains and problems, correct by construction: every symbol is declared, every argument has its type."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from hypothesis import strategies as st

from pddl2nl.pddl import (
    ActionSchema,
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    DerivedPredicate,
    Domain,
    DurativeAction,
    Equality,
    Event,
    Exists,
    Expression,
    Fluent,
    FluentValue,
    Forall,
    Function,
    GroundAtom,
    Imply,
    Metric,
    Modal,
    Not,
    Number,
    Or,
    Predicate,
    Preference,
    Problem,
    Process,
    Special,
    Timed,
    TimedLiteral,
    TypedName,
    Update,
    When,
)

TYPES = (TypedName("t1"), TypedName("t2", ("t1",)), TypedName("t3", ("t1",)), TypedName("t4", ("t2", "t3")))
_TYPE = st.sampled_from([("object",), ("t1",), ("t2",), ("t3",), ("t4",), ("t2", "t3")])
_NAME = st.from_regex(r"[a-z][a-z0-9_-]{0,6}", fullmatch=True)
_NUMBERS = st.decimals(-10_000, 10_000, allow_nan=False, allow_infinity=False, places=3).map(Fraction)
_TIMES = st.integers(0, 100).map(Fraction)


@dataclass(frozen=True)
class Scope:
    """What formulas may be made of."""

    predicates: tuple[Predicate, ...]
    functions: tuple[Function, ...]
    terms: tuple[str, ...]


def _parameters(prefix: str) -> st.SearchStrategy[tuple[TypedName, ...]]:
    return st.lists(_TYPE, max_size=3).map(
        lambda types: tuple(TypedName(f"?{prefix}{index}", one) for index, one in enumerate(types))
    )


@st.composite
def scopes(draw: st.DrawFn) -> Scope:
    """Predicates and functions over any objects, and the terms to apply them to."""
    arities = draw(st.lists(st.integers(0, 3), min_size=1, max_size=4))
    values = draw(st.lists(st.integers(0, 2), min_size=1, max_size=3))

    def any_objects(count: int) -> tuple[TypedName, ...]:
        return tuple(TypedName(f"?x{index}") for index in range(count))

    predicates = tuple(Predicate(f"p{index}", any_objects(count)) for index, count in enumerate(arities))
    functions = tuple(Function(f"f{index}", any_objects(count)) for index, count in enumerate(values))
    return Scope(predicates, functions, ("k1", "k2"))


def _terms(scope: Scope, count: int) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(scope.terms), min_size=count, max_size=count).map(tuple)


@lru_cache(maxsize=100)
def atoms(scope: Scope) -> st.SearchStrategy[Atom]:
    """An atom over the terms of a scope."""
    return st.sampled_from(scope.predicates).flatmap(
        lambda item: st.builds(Atom, st.just(item.name), _terms(scope, len(item.parameters)))
    )


@lru_cache(maxsize=100)
def fluents(scope: Scope) -> st.SearchStrategy[Fluent]:
    """A fluent over the terms of a scope."""
    return st.sampled_from(scope.functions).flatmap(
        lambda item: st.builds(Fluent, st.just(item.name), _terms(scope, len(item.parameters)))
    )


@lru_cache(maxsize=100)
def expressions(scope: Scope) -> st.SearchStrategy[Expression]:
    """A numeric expression."""
    return st.recursive(
        st.builds(Number, _NUMBERS) | fluents(scope),
        lambda inner: (
            st.builds(Arithmetic, st.sampled_from("+*"), st.lists(inner, min_size=1, max_size=3).map(tuple))
            | st.builds(Arithmetic, st.just("-"), st.lists(inner, min_size=1, max_size=2).map(tuple))
            | st.builds(Arithmetic, st.just("/"), st.tuples(inner, inner))
        ),
        max_leaves=4,
    )


@lru_cache(maxsize=100)
def conditions(scope: Scope) -> st.SearchStrategy[Condition]:
    """Any condition of an action."""
    term = st.sampled_from(scope.terms)
    comparison = st.builds(
        Comparison, st.sampled_from(["<", "<=", "=", ">=", ">"]), expressions(scope), expressions(scope)
    )
    return st.recursive(
        atoms(scope) | st.builds(Equality, term, term) | comparison,
        lambda inner: (
            st.builds(Not, inner)
            | st.builds(And, st.lists(inner, max_size=3).map(tuple))
            | st.builds(Or, st.lists(inner, max_size=3).map(tuple))
            | st.builds(Imply, inner, inner)
            | st.builds(Forall, _parameters("q"), inner)
            | st.builds(Exists, _parameters("q"), inner)
            | st.builds(Preference, st.just("") | _NAME, inner)
        ),
        max_leaves=8,
    )


def _updates(scope: Scope, fluent: Fluent) -> st.SearchStrategy[Update]:
    # One kind for each function: updates of different kinds, and assignments of different numbers, contradict.
    kinds = (("increase", "decrease"), ("scale-up", "scale-down"), ("assign",))
    operators = kinds[int(fluent.name[1:]) % 3]
    values = fluents(scope) if operators == ("assign",) else expressions(scope)
    return st.builds(Update, st.sampled_from(operators), st.just(fluent), values)


@lru_cache(maxsize=100)
def effects(scope: Scope) -> st.SearchStrategy[Condition]:
    """Any effect of an action."""
    return st.recursive(
        atoms(scope) | st.builds(Not, atoms(scope)) | fluents(scope).flatmap(lambda fluent: _updates(scope, fluent)),
        lambda inner: (
            st.builds(And, st.lists(inner, max_size=4).map(tuple))
            | st.builds(Forall, _parameters("q"), inner)
            | st.builds(When, conditions(scope), inner)
        ),
        max_leaves=6,
    )


def constraints(scope: Scope) -> st.SearchStrategy[Condition]:
    """Any trajectory constraint."""
    inner = conditions(scope)
    one = st.tuples(inner)
    leaves = (
        st.builds(Modal, st.sampled_from(["always", "sometime", "at-most-once"]), st.just(()), one)
        | st.builds(Modal, st.sampled_from(["sometime-after", "sometime-before"]), st.just(()), st.tuples(inner, inner))
        | st.builds(Modal, st.sampled_from(["within", "hold-after"]), st.tuples(_TIMES), one)
        | st.builds(Modal, st.just("hold-during"), st.tuples(_TIMES, _TIMES), one)
        | st.builds(Modal, st.just("always-within"), st.tuples(_TIMES), st.tuples(inner, inner))
        | st.builds(Timed, st.just("at end"), inner)
    )
    return st.recursive(
        leaves,
        lambda part: (
            st.builds(And, st.lists(part, max_size=3).map(tuple))
            | st.builds(Or, st.lists(part, max_size=2).map(tuple))
            | st.builds(Not, part)
            | st.builds(Imply, part, part)
            | st.builds(Modal, st.just("sometime"), st.just(()), st.tuples(part))
            | st.builds(Forall, _parameters("q"), part)
            | st.builds(Exists, _parameters("q"), part)
            | st.builds(Preference, st.just("") | _NAME, part)
        ),
        max_leaves=3,
    )


@st.composite
def schemas(draw: st.DrawFn, scope: Scope, name: str) -> ActionSchema:
    """An action."""
    parameters = draw(_parameters("v"))
    inner = Scope(scope.predicates, scope.functions, scope.terms + tuple(item.name for item in parameters))
    return ActionSchema(name, parameters, draw(conditions(inner)), draw(effects(inner)))


@st.composite
def durative_actions(draw: st.DrawFn, scope: Scope, name: str) -> DurativeAction:
    """A durative action."""
    parameters = draw(_parameters("v"))
    scope = Scope(scope.predicates, scope.functions, scope.terms + tuple(item.name for item in parameters))
    length = st.builds(
        Comparison, st.sampled_from(["=", "<=", ">="]), st.just(Special("?duration")), expressions(scope)
    )
    lengths = length | st.builds(Timed, st.sampled_from(["at start", "at end"]), length)
    points = st.sampled_from(["at start", "at end"])
    held = st.builds(Timed, points | st.just("over all"), conditions(scope))
    done = st.builds(Timed, points, effects(scope))
    rates = st.sampled_from(
        [
            Special("#t"),
            Arithmetic("*", (Special("#t"), Number(Fraction(2)))),
            Special("?duration"),
            Special("total-time"),
        ]
    )
    continuous = st.builds(Update, st.sampled_from(["increase", "decrease"]), fluents(scope), rates)
    helds = held | st.builds(Forall, _parameters("q"), held) | st.builds(Preference, st.just("") | _NAME, held)
    before = draw(st.lists(helds, max_size=3).map(tuple).map(And) | helds)
    dones = done | continuous | st.builds(When, held, done) | st.builds(Forall, _parameters("q"), done)
    after = draw(st.lists(dones, max_size=3).map(tuple).map(And) | done)
    return DurativeAction(name, parameters, draw(lengths | st.lists(lengths).map(tuple).map(And)), before, after)


@st.composite
def _axioms(draw: st.DrawFn, scope: Scope) -> DerivedPredicate:
    # Recursive at times, but never through a negation.
    parameter = TypedName("?y", draw(_TYPE))
    inner = Scope(scope.predicates, scope.functions, (*scope.terms, "?y"))
    body: Condition = draw(conditions(inner))
    if draw(st.booleans()):
        body = Or((body, Exists((TypedName("?z"),), And((Atom("d", ("?z",)), body)))))
    return DerivedPredicate("d", (parameter,), body)


@st.composite
def domains(draw: st.DrawFn) -> Domain:
    """A domain with any of the constructs."""
    scope = draw(scopes())
    ground = Scope(scope.predicates, scope.functions, scope.terms)
    actions = tuple(draw(schemas(scope, f"a{index}")) for index in range(draw(st.integers(0, 2))))
    bare = Scope(scope.predicates, scope.functions, scope.terms)
    axioms = draw(st.lists(_axioms(ground), max_size=3).map(tuple))
    extra = draw(schemas(bare, "happening"))
    return Domain(
        draw(_NAME),
        tuple(draw(st.lists(st.sampled_from([":adl", ":fluents", ":time"]), unique=True))),
        TYPES,
        (TypedName("k1", ("t4",)), TypedName("k2")),
        (*scope.predicates, Predicate("d", (TypedName("?x0"),))),
        scope.functions,
        draw(st.none() | constraints(ground)),
        actions,
        (draw(durative_actions(ground, "long")),) if draw(st.booleans()) else (),
        axioms,
        (Process("flow", extra.parameters, extra.precondition, extra.effect),) if draw(st.booleans()) else (),
        (Event("burst", extra.parameters, extra.precondition, extra.effect),) if draw(st.booleans()) else (),
    )


@st.composite
def problems(draw: st.DrawFn, domain: Domain) -> Problem:
    """A problem of such a domain."""
    objects = tuple(TypedName(f"o{index}", types) for index, types in enumerate(draw(st.lists(_TYPE, max_size=4))))
    names = ("k1", "k2", *(item.name for item in objects))
    scope = Scope(domain.predicates[:-1], domain.functions, names)
    ground = atoms(scope).map(lambda atom: GroundAtom((atom.predicate, *atom.args)))
    held = draw(st.lists(ground, max_size=6, unique=True))
    denied = [atom for atom in draw(st.lists(ground, max_size=2, unique=True)) if atom not in held]
    values = draw(st.lists(fluents(scope), max_size=4, unique=True))
    numbers = [FluentValue(GroundAtom((one.name, *one.args)), draw(_NUMBERS)) for one in values]
    metric = st.builds(Metric, st.sampled_from(["minimize", "maximize"]), expressions(scope))
    return Problem(
        draw(_NAME),
        domain.name,
        (),
        objects,
        tuple(held),
        tuple(numbers),
        tuple(denied),
        tuple(draw(st.lists(st.builds(TimedLiteral, _TIMES, ground, st.booleans()), max_size=2))),
        draw(conditions(scope)),
        draw(st.none() | constraints(scope)),
        draw(st.none() | metric),
        draw(st.sampled_from([(), (("serial", 5),), (("serial", 5), ("parallel", 3))])),
    )

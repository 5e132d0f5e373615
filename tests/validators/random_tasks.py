"""Random small tasks with everything that is executed: types, quantifiers, conditional effects, axioms, numbers.

They are correct by construction, and dense enough that about as many actions are applicable as not.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

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
    Equality,
    Exists,
    Expression,
    Fluent,
    FluentValue,
    Forall,
    Function,
    GroundAtom,
    Imply,
    Metric,
    Not,
    Number,
    Or,
    Predicate,
    Problem,
    Task,
    TypedName,
    Update,
    When,
    write_domain,
    write_problem,
)

Types = tuple[str, ...]


class Shown(Task):
    """A task that is shown as its PDDL text where an example fails."""

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        # Where hypothesis looks first.
        printer.text(f"\n{write_domain(self.domain)}\n{write_problem(self.problem)}")


TYPES = (
    TypedName("thing"),
    TypedName("small", ("thing",)),
    TypedName("large", ("thing",)),
    TypedName("tool"),
    TypedName("ghost"),
)
CONSTANTS = (TypedName("a", ("small",)), TypedName("c", ("large",)))
OBJECTS = (TypedName("b", ("small",)), TypedName("d", ("large",)), TypedName("t", ("tool",)))

MEMBERS: dict[Types, tuple[str, ...]] = {
    ("object",): ("a", "b", "c", "d", "t"),
    ("thing",): ("a", "b", "c", "d"),
    ("small",): ("a", "b"),
    ("large",): ("c", "d"),
    ("tool",): ("t",),
    ("small", "tool"): ("a", "b", "t"),
    ("small", "thing"): ("a", "b", "c", "d"),
    ("ghost",): (),
}
"""The types of variables, more than one being ``(either …)``, with the objects of each; one has none."""

_ANY, _THING, _EITHER = ("object",), ("thing",), ("small", "tool")

PREDICATES: dict[str, tuple[Types, ...]] = {
    "p": (_ANY,),
    "q": (_ANY, _ANY),
    "r": (),
    "w": (_THING, _EITHER),
    "s": (_ANY, _ANY),
    "u": (_THING,),
}
CHANGED = ("p", "q", "r", "w")
"""The others are static."""

DERIVED: dict[str, tuple[Types, ...]] = {"d": (_ANY,), "e": (_ANY, _ANY), "f": ()}

TOTAL: dict[str, tuple[Types, ...]] = {"g": (), "gx": (_ANY,)}
"""Functions that have a value everywhere, and which actions change."""

PARTIAL: dict[str, tuple[Types, ...]] = {"k": (_ANY,), "h": (_ANY, _THING)}
"""Functions that lack values; no action changes ``h``."""

_NUMBERS = st.sampled_from([Fraction(0), Fraction(1), Fraction(2), Fraction(3), Fraction(-1), Fraction(1, 2)]).map(
    Number
)
_CHANCE = st.integers(0, 9)


def _is_below(types: Types, others: Types) -> bool:
    return others == _ANY or (bool(MEMBERS[types]) and set(MEMBERS[types]) <= set(MEMBERS[others]))


@dataclass(frozen=True)
class Scope:
    """What a formula may be made of: terms with their types, and predicates by whether they stand below a negation."""

    terms: tuple[tuple[str, Types], ...]
    positive: tuple[str, ...] = (*PREDICATES, *DERIVED)
    negative: tuple[str, ...] = (*PREDICATES, *DERIVED)
    functions: tuple[str, ...] = (*TOTAL, *PARTIAL)

    def flipped(self) -> Scope:
        """The scope below a negation."""
        return replace(self, positive=self.negative, negative=self.positive)

    def with_variables(self, variables: Sequence[TypedName]) -> Scope:
        """The scope inside of a quantifier; a variable hides another one of its name."""
        names = {variable.name for variable in variables}
        kept = tuple(term for term in self.terms if term[0] not in names)
        return replace(self, terms=kept + tuple((variable.name, variable.types) for variable in variables))

    def fitting(self, types: Types) -> list[str]:
        """The terms that can only be objects of these types; variables are twice as likely as constants."""
        found = [name for name, own in self.terms if own == types or _is_below(own, types)]
        return [*found, *(name for name in found if name.startswith("?"))]


_GROUND = tuple((item.name, item.types) for item in CONSTANTS)


@st.composite
def _arguments(draw: st.DrawFn, scope: Scope, types: tuple[Types, ...]) -> tuple[str, ...]:
    terms = [draw(st.sampled_from(scope.fitting(one))) for one in types]
    if len(terms) == 2 and terms[0] in scope.fitting(types[1]) and draw(_CHANCE) == 9:
        terms[1] = terms[0]
    return tuple(terms)


def _usable(scope: Scope, names: Sequence[str], symbols: dict[str, tuple[Types, ...]]) -> list[str]:
    return [name for name in names if all(scope.fitting(types) for types in symbols[name])]


@st.composite
def atoms(draw: st.DrawFn, scope: Scope, names: Sequence[str]) -> Atom:
    """An atom of one of these predicates."""
    symbols = {**PREDICATES, **DERIVED}
    name = draw(st.sampled_from(_usable(scope, names, symbols)))
    return Atom(name, draw(_arguments(scope, symbols[name])))


@st.composite
def _fluents(draw: st.DrawFn, scope: Scope, names: Sequence[str]) -> Fluent:
    symbols = {**TOTAL, **PARTIAL}
    name = draw(st.sampled_from(_usable(scope, names, symbols)))
    return Fluent(name, draw(_arguments(scope, symbols[name])))


@st.composite
def expressions(draw: st.DrawFn, scope: Scope, depth: int = 1) -> Expression:
    """A numeric expression."""
    chance = draw(_CHANCE)
    if chance < 4:
        return draw(_NUMBERS)
    if chance < 7 or depth == 0:
        # Functions that have values everywhere are the rule.
        return draw(_fluents(scope, [name for name in scope.functions for _ in range(3 if name in TOTAL else 1)]))
    operands = [draw(expressions(scope, depth - 1)) for _ in range(2)]
    # Where everything has a value nothing shall lack one because of a division.
    sign = draw(st.sampled_from("+-*/" if set(scope.functions) - set(TOTAL) else "+-*"))
    return Arithmetic(sign, tuple(operands[:1] if sign == "-" and chance == 9 else operands))


@st.composite
def _comparisons(draw: st.DrawFn, scope: Scope) -> Comparison:
    sign = draw(st.sampled_from(["<=", ">=", "<", ">", "="]))
    return Comparison(sign, draw(_fluents(scope, scope.functions)), draw(expressions(scope)))


@st.composite
def _literals(draw: st.DrawFn, scope: Scope) -> Condition:
    chance = draw(_CHANCE)
    if chance < 5:
        return draw(atoms(scope, scope.positive))
    if chance < 7:
        return Not(draw(atoms(scope, scope.negative)))
    if chance < 9 and scope.functions:
        return draw(_comparisons(scope))
    terms = scope.fitting(_ANY)
    equality = Equality(draw(st.sampled_from(terms)), draw(st.sampled_from(terms)))
    return equality if draw(st.booleans()) else Not(equality)


@st.composite
def _variables(draw: st.DrawFn, depth: int) -> tuple[TypedName, ...]:
    # The innermost may hide a parameter.
    names = ["?y", "?z"] if depth else ["?z", "?x0"]
    count = draw(st.sampled_from([1, 1, 2]))
    return tuple(TypedName(name, draw(st.sampled_from(list(MEMBERS)))) for name in names[:count])


@st.composite
def conditions(draw: st.DrawFn, scope: Scope, depth: int = 2) -> Condition:
    """Any condition."""
    kinds = ["literal", "literal", "and", "or", "not", "imply", "forall", "exists", "exists"]
    kind = draw(st.sampled_from(kinds)) if depth else "literal"
    if kind == "literal":
        return draw(_literals(scope))
    if kind == "not":
        return Not(draw(conditions(scope.flipped(), depth - 1)))
    if kind == "imply":
        return Imply(draw(conditions(scope.flipped(), depth - 1)), draw(conditions(scope, depth - 1)))
    if kind in ("and", "or"):
        parts = tuple(draw(conditions(scope, depth - 1)) for _ in range(draw(st.sampled_from([2, 2, 3, 1, 0]))))
        return And(parts) if kind == "and" else Or(parts)
    variables = draw(_variables(depth - 1))
    inner = scope.with_variables(variables)
    body = draw(conditions(inner, depth - 1))
    if draw(st.booleans()):
        # A range for the variables, as most domains have it.
        names = inner.positive if kind == "exists" else inner.negative
        bound = draw(atoms(inner, [name for name in names if len(PREDICATES.get(name, ())) == 2]))
        body = And((bound, body)) if kind == "exists" else Imply(bound, body)
    return Exists(variables, body) if kind == "exists" else Forall(variables, body)


@st.composite
def updates(draw: st.DrawFn, scope: Scope) -> Update:
    """A numeric effect."""
    sign = draw(st.sampled_from(["increase", "increase", "decrease", "assign", "scale-up", "scale-down"]))
    return Update(sign, draw(_fluents(scope, ["g", "g", "gx", "k"])), draw(expressions(scope)))


@st.composite
def effects(draw: st.DrawFn, scope: Scope, depth: int = 2, *, numeric: bool = True) -> Condition:
    """Any effect."""
    kinds = ["add", "add", "delete", "delete", *(["update"] if numeric else [])]
    kind = draw(st.sampled_from([*kinds, *(["when", "forall", "and"] if depth else [])]))
    if kind == "add":
        return draw(atoms(scope, CHANGED))
    if kind == "delete":
        return Not(draw(atoms(scope, CHANGED)))
    if kind == "update":
        return draw(updates(scope))
    if kind == "when":
        return When(draw(conditions(scope, 1)), draw(effects(scope, depth - 1, numeric=numeric)))
    if kind == "forall":
        variables = draw(_variables(depth - 1))
        return Forall(variables, draw(effects(scope.with_variables(variables), depth - 1, numeric=numeric)))
    return And(tuple(draw(effects(scope, depth - 1, numeric=numeric)) for _ in range(draw(st.integers(0, 2)))))


@st.composite
def schemas(draw: st.DrawFn, name: str, *, derived: bool, numeric: bool) -> ActionSchema:
    """An action; at most 50 ground ones come from it."""
    parameters: list[TypedName] = []
    size = 1
    for place in range(draw(st.integers(0, 4))):
        types = draw(st.sampled_from([types for types in MEMBERS if 0 < size * len(MEMBERS[types]) <= 50]))
        parameters.append(TypedName(f"?x{place}", types))
        size *= len(MEMBERS[types])
    names = (*PREDICATES, *(DERIVED if derived else ()))
    scope = Scope(_GROUND, names, names, (*TOTAL, *PARTIAL) if numeric else ()).with_variables(parameters)
    literals = [draw(_literals(scope)) for _ in range(draw(st.integers(0, 2)))]
    others = [draw(conditions(scope)) for _ in range(draw(st.sampled_from([1, 0, 1, 2])))]
    effect = [draw(effects(scope, numeric=numeric)) for _ in range(draw(st.integers(1, 4)))]
    return ActionSchema(name, tuple(parameters), And((*literals, *others)), _consistent(And(tuple(effect)), {}))


def _consistent(effect: Condition, seen: dict[Fluent, str]) -> Condition:
    """The effect without updates that contradict an earlier one for certain: with them a domain is refused."""
    match effect:
        case And(parts):
            return And(tuple(_consistent(part, seen) for part in parts))
        case When(condition, body):
            return When(condition, _consistent(body, seen))
        case Forall(parameters, body):
            return Forall(parameters, _consistent(body, seen))
        case Update(sign, fluent):
            if fluent in seen and not {seen[fluent], sign} <= {"increase", "decrease"}:
                return And()
            seen[fluent] = sign
    return effect


@st.composite
def _rules(draw: st.DrawFn, numeric: bool) -> tuple[DerivedPredicate, ...]:
    """Rules for the derived predicates; what one needs to be false lies in a lower layer."""
    layers = {name: draw(st.integers(0, 2)) for name in DERIVED}
    rules = []
    for name, types in DERIVED.items():
        positive = [other for other in DERIVED if layers[other] <= layers[name]]
        negative = [other for other in DERIVED if layers[other] < layers[name]]
        scope = Scope(
            _GROUND,
            (*PREDICATES, *positive, *positive),
            (*PREDICATES, *negative, *negative),
            tuple(TOTAL) if numeric else (),
        )
        for _ in range(draw(st.sampled_from([1, 1, 2]))):
            # A rule may be about fewer objects than its predicate.
            own = [draw(st.sampled_from([one, one, *MEMBERS])) for one in types]
            parameters = tuple(TypedName(f"?v{place}", one) for place, one in enumerate(own))
            rules.append(DerivedPredicate(name, parameters, draw(conditions(scope.with_variables(parameters)))))
    if draw(st.booleans()):
        step = draw(st.sampled_from(["q", "s"]))
        rules += _closure("e", step)
    return tuple(rules)


def _closure(name: str, step: str) -> list[DerivedPredicate]:
    """The transitive closure of a binary predicate, as two rules."""
    ends = (TypedName("?v0"), TypedName("?v1"))
    onward = And((Atom(step, ("?v0", "?z")), Atom(name, ("?z", "?v1"))))
    return [
        DerivedPredicate(name, ends, Atom(step, ("?v0", "?v1"))),
        DerivedPredicate(name, ends, Exists((TypedName("?z"),), onward)),
    ]


def _ground(name: str, types: tuple[Types, ...]) -> list[GroundAtom]:
    return [GroundAtom((name, *args)) for args in itertools.product(*(MEMBERS[one] for one in types))]


@st.composite
def _init(draw: st.DrawFn) -> tuple[GroundAtom, ...]:
    possible = [atom for name, types in PREDICATES.items() for atom in _ground(name, types)]
    # A bit an atom: one draw, half of them true.
    bits = draw(st.binary(min_size=len(possible) // 8 + 1, max_size=len(possible) // 8 + 1))
    mask = int.from_bytes(bits, "big")
    atoms = tuple(atom for place, atom in enumerate(possible) if mask >> place & 1)
    # An atom may stand there twice.
    return atoms + atoms[: draw(st.integers(0, 2))]


@st.composite
def _values(draw: st.DrawFn) -> tuple[FluentValue, ...]:
    fluents = [atom for name, types in TOTAL.items() for atom in _ground(name, types)]
    sometimes = [atom for name, types in PARTIAL.items() for atom in _ground(name, types)]
    mask = int.from_bytes(draw(st.binary(min_size=4, max_size=4)), "big")
    # Three of four have a value.
    fluents += [atom for place, atom in enumerate(sometimes) if mask >> place & 1 or place % 2]
    amounts = draw(st.binary(min_size=len(fluents), max_size=len(fluents)))
    return tuple(FluentValue(atom, Fraction(amount % 9 - 2, 2)) for atom, amount in zip(fluents, amounts, strict=True))


@st.composite
def tasks(draw: st.DrawFn, *, derived: bool | None = None, numeric: bool | None = None) -> Task:
    """A task; with derived predicates, and with numbers, where asked for or by chance."""
    derived = draw(st.booleans()) if derived is None else derived
    numeric = draw(st.booleans()) if numeric is None else numeric
    symbols = {**PREDICATES, **(DERIVED if derived else {})}
    functions = {**TOTAL, **PARTIAL} if numeric else {}

    def declared(types: tuple[Types, ...]) -> tuple[TypedName, ...]:
        return tuple(TypedName(f"?v{place}", one) for place, one in enumerate(types))

    domain = Domain(
        "random",
        (":adl", ":derived-predicates", *([":fluents"] if numeric else [])),
        TYPES,
        CONSTANTS,
        tuple(Predicate(name, declared(types)) for name, types in symbols.items()),
        tuple(Function(name, declared(types)) for name, types in functions.items()),
        actions=tuple(
            draw(schemas(f"act{place}", derived=derived, numeric=numeric)) for place in range(draw(st.integers(1, 3)))
        ),
        derived=draw(_rules(numeric)) if derived else (),
    )
    ground = tuple((item.name, item.types) for item in (*CONSTANTS, *OBJECTS))
    scope = Scope(ground, tuple(symbols), tuple(symbols), tuple(functions))
    direction = st.sampled_from(["minimize", "maximize"])
    metric = st.builds(Metric, direction, expressions(replace(scope, functions=tuple(TOTAL))))
    problem = Problem(
        "some",
        "random",
        (),
        OBJECTS,
        draw(_init()),
        draw(_values()) if numeric else (),
        goal=draw(conditions(scope)),
        metric=draw(st.none() | metric) if numeric else None,
    )
    return Shown(domain, problem)

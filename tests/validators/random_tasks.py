"""Random small tasks with everything that is executed: types, quantifiers, conditional effects, axioms, numbers.

They are correct by construction, and dense enough that about as many actions are applicable as not.
"""

from __future__ import annotations

import itertools
import os
import random
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


_SMALL, _LARGE = TypedName("small", ("thing",)), TypedName("large", ("thing",))
TYPES = (TypedName("thing"), _SMALL, _LARGE, TypedName("tool"), TypedName("ghost"))
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
_RANGES = ("s", "q", "u", "p")
"""What quantified variables range over, besides their types."""

CHANGED = ("p", "q", "r", "w")
"""The others are static."""

DERIVED: dict[str, tuple[Types, ...]] = {"d": (_ANY,), "e": (_ANY, _ANY), "f": ()}

TOTAL: dict[str, tuple[Types, ...]] = {"g": (), "gx": (_ANY,)}
"""Functions that have a value everywhere, and which actions change."""

PARTIAL: dict[str, tuple[Types, ...]] = {"k": (_ANY,), "h": (_ANY, _THING)}
"""Functions that lack values; no action changes ``h``."""

_NUMBERS = (Fraction(0), Fraction(1), Fraction(2), Fraction(3), Fraction(-1), Fraction(1, 2))


@dataclass(frozen=True)
class Scope:
    """What a formula may be made of: terms with their types, and predicates by whether they stand below a negation."""

    terms: tuple[tuple[str, Types], ...]
    positive: tuple[str, ...] = (*PREDICATES, *DERIVED)
    negative: tuple[str, ...] = (*PREDICATES, *DERIVED)
    functions: tuple[str, ...] = (*TOTAL, *PARTIAL)
    hiding: bool = True
    """Whether a quantified variable may have the name of one around it."""

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
        wanted = set(MEMBERS[types])
        # Without an object, a type is below no other one but the highest.
        found = [
            name for name, own in self.terms if types in (own, _ANY) or (MEMBERS[own] and set(MEMBERS[own]) <= wanted)
        ]
        return [*found, *(name for name in found if name.startswith("?"))]


_GROUND = tuple((item.name, item.types) for item in CONSTANTS)


def _arguments(rng: random.Random, scope: Scope, types: tuple[Types, ...]) -> tuple[str, ...]:
    terms = [rng.choice(scope.fitting(one)) for one in types]
    if len(terms) == 2 and terms[0] in scope.fitting(types[1]) and rng.randrange(10) == 9:
        terms[1] = terms[0]
    return tuple(terms)


def _usable(scope: Scope, names: Sequence[str], symbols: dict[str, tuple[Types, ...]]) -> list[str]:
    return [name for name in names if all(scope.fitting(types) for types in symbols[name])]


def atoms(rng: random.Random, scope: Scope, names: Sequence[str]) -> Atom:
    """An atom of one of these predicates."""
    symbols = {**PREDICATES, **DERIVED}
    name = rng.choice(_usable(scope, names, symbols))
    return Atom(name, _arguments(rng, scope, symbols[name]))


def _fluents(rng: random.Random, scope: Scope, names: Sequence[str]) -> Fluent:
    symbols = {**TOTAL, **PARTIAL}
    name = rng.choice(_usable(scope, names, symbols))
    return Fluent(name, _arguments(rng, scope, symbols[name]))


def expressions(rng: random.Random, scope: Scope, depth: int = 1) -> Expression:
    """A numeric expression."""
    chance = rng.randrange(10)
    if chance < 4:
        return Number(rng.choice(_NUMBERS))
    if chance < 7 or depth == 0:
        # Functions that have values everywhere are the rule.
        return _fluents(rng, scope, [name for name in scope.functions for _ in range(3 if name in TOTAL else 1)])
    operands = [expressions(rng, scope, depth - 1) for _ in range(2)]
    # Where everything has a value nothing shall lack one because of a division.
    sign = rng.choice("+-*/" if set(scope.functions) - set(TOTAL) else "+-*")
    return Arithmetic(sign, tuple(operands[:1] if sign == "-" and chance == 9 else operands))


def _comparisons(rng: random.Random, scope: Scope) -> Comparison:
    sign = rng.choice(["<=", ">=", "<", ">", "="])
    return Comparison(sign, _fluents(rng, scope, scope.functions), expressions(rng, scope))


def _literals(rng: random.Random, scope: Scope) -> Condition:
    chance = rng.randrange(10)
    if chance < 5:
        return atoms(rng, scope, scope.positive)
    if chance < 7:
        return Not(atoms(rng, scope, scope.negative))
    if chance < 9 and scope.functions:
        return _comparisons(rng, scope)
    terms = scope.fitting(_ANY)
    equality = Equality(rng.choice(terms), rng.choice(terms))
    return equality if rng.choice((False, True)) else Not(equality)


def _variables(rng: random.Random, scope: Scope, depth: int) -> tuple[TypedName, ...]:
    if scope.hiding:
        # The innermost may hide a parameter.
        names = ["?y", "?z"] if depth else ["?z", "?x0"]
    else:
        names = [f"?y{len(scope.terms)}", f"?z{len(scope.terms)}"]
    count = rng.choice([1, 1, 2])
    return tuple(TypedName(name, rng.choice(list(MEMBERS))) for name in names[:count])


def conditions(rng: random.Random, scope: Scope, depth: int = 2) -> Condition:
    """Any condition."""
    kinds = ["literal", "literal", "and", "or", "not", "imply", "forall", "exists", "exists"]
    kind = rng.choice(kinds) if depth else "literal"
    if kind == "literal":
        return _literals(rng, scope)
    if kind == "not":
        return Not(conditions(rng, scope.flipped(), depth - 1))
    if kind == "imply":
        return Imply(conditions(rng, scope.flipped(), depth - 1), conditions(rng, scope, depth - 1))
    if kind in ("and", "or"):
        parts = tuple(conditions(rng, scope, depth - 1) for _ in range(rng.choice([2, 2, 3, 1, 0])))
        return And(parts) if kind == "and" else Or(parts)
    variables = _variables(rng, scope, depth - 1)
    inner = scope.with_variables(variables)
    body = conditions(rng, inner, depth - 1)
    if rng.choice((False, True)):
        # A range for the variables, as most domains have it.
        names = inner.positive if kind == "exists" else inner.negative
        terms = rng.choice((inner.terms, inner.terms[-len(variables) :]))
        bound = atoms(rng, replace(inner, terms=terms), [name for name in names if name in _RANGES])
        body = And((bound, body)) if kind == "exists" else Imply(bound, body)
    return Exists(variables, body) if kind == "exists" else Forall(variables, body)


def scope_of(task: Task, variables: Sequence[TypedName] = ()) -> Scope:
    """What formulas about a random task may be made of; these variables may be free in them."""
    names = tuple(item.name for item in task.domain.predicates)
    functions = tuple(item.name for item in task.domain.functions)
    ground = tuple((item.name, item.types) for item in task.objects.values())
    return Scope(ground, names, names, functions).with_variables(variables)


def updates(rng: random.Random, scope: Scope) -> Update:
    """A numeric effect."""
    sign = rng.choice(["increase", "increase", "decrease", "assign", "scale-up", "scale-down"])
    return Update(sign, _fluents(rng, scope, ["g", "g", "gx", "k"]), expressions(rng, scope))


def effects(rng: random.Random, scope: Scope, depth: int = 2, *, numeric: bool = True) -> Condition:
    """Any effect."""
    kinds = ["add", "add", "delete", "delete", *(["update"] if numeric else [])]
    kind = rng.choice([*kinds, *(["when", "when", "forall", "and"] if depth else [])])
    if kind == "add":
        return atoms(rng, scope, CHANGED)
    if kind == "delete":
        return Not(atoms(rng, scope, CHANGED))
    if kind == "update":
        return updates(rng, scope)
    if kind == "when":
        return When(conditions(rng, scope, 1), effects(rng, scope, depth - 1, numeric=numeric))
    if kind == "forall":
        variables = _variables(rng, scope, depth - 1)
        return Forall(variables, effects(rng, scope.with_variables(variables), depth - 1, numeric=numeric))
    return And(tuple(effects(rng, scope, depth - 1, numeric=numeric) for _ in range(rng.randint(0, 2))))


def schemas(rng: random.Random, name: str, scope: Scope) -> ActionSchema:
    """An action; at most 50 ground ones come from it."""
    parameters: list[TypedName] = []
    size = 1
    for place in range(rng.randint(0, 4)):
        types = rng.choice([types for types in MEMBERS if 0 < size * len(MEMBERS[types]) <= 50])
        parameters.append(TypedName(f"?x{place}", types))
        size *= len(MEMBERS[types])
    numeric = bool(scope.functions)
    scope = scope.with_variables(parameters)
    literals = [_literals(rng, scope) for _ in range(rng.randint(0, 2))]
    others = [conditions(rng, scope) for _ in range(rng.choice([1, 0, 1, 2]))]
    effect = [effects(rng, scope, numeric=numeric) for _ in range(rng.randint(1, 4))]
    if numeric and rng.choice((False, True)):
        effect.append(_sum(rng, scope))
    return ActionSchema(name, tuple(parameters), And((*literals, *others)), _consistent(And(tuple(effect)), {}))


def _sum(rng: random.Random, scope: Scope) -> Condition:
    """One fluent updated for many objects: that adds up, or contradicts itself where it happens for more than one."""
    variables = _variables(rng, scope, 1)
    inner = scope.with_variables(variables)
    return Forall(variables, When(_literals(rng, inner), updates(rng, inner)))


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


def _rules(rng: random.Random, everything: Scope) -> tuple[DerivedPredicate, ...]:
    """Rules for the derived predicates; what one needs to be false lies in a lower layer."""
    layers = {name: rng.randint(0, 2) for name in DERIVED}
    rules = []
    for name, types in DERIVED.items():
        positive = [other for other in DERIVED if layers[other] <= layers[name]]
        negative = [other for other in DERIVED if layers[other] < layers[name]]
        scope = replace(
            everything,
            positive=(*PREDICATES, *positive, *positive),
            negative=(*PREDICATES, *negative, *negative),
            functions=tuple(name for name in everything.functions if name in TOTAL),
        )
        for _ in range(rng.choice([1, 1, 2])):
            # A rule may be about fewer objects than its predicate.
            own = [rng.choice([one, one, *MEMBERS]) for one in types]
            parameters = tuple(TypedName(f"?v{place}", one) for place, one in enumerate(own))
            rules.append(DerivedPredicate(name, parameters, conditions(rng, scope.with_variables(parameters))))
    if rng.choice((False, True)):
        # A transitive closure.
        ends, step = (TypedName("?v0"), TypedName("?v1")), rng.choice(["q", "s"])
        onward = And((Atom(step, ("?v0", "?z")), Atom("e", ("?z", "?v1"))))
        rules.append(DerivedPredicate("e", ends, Atom(step, ("?v0", "?v1"))))
        rules.append(DerivedPredicate("e", ends, Exists((TypedName("?z"),), onward)))
    return tuple(rules)


def _ground(name: str, types: tuple[Types, ...]) -> list[GroundAtom]:
    return [GroundAtom((name, *args)) for args in itertools.product(*(MEMBERS[one] for one in types))]


def _init(rng: random.Random) -> tuple[GroundAtom, ...]:
    possible = [atom for name, types in PREDICATES.items() for atom in _ground(name, types)]
    # A bit an atom: one draw, half of them true.
    mask = rng.getrandbits(len(possible))
    held = tuple(atom for place, atom in enumerate(possible) if mask >> place & 1)
    # An atom may stand there twice.
    return held + held[: rng.randint(0, 2)]


def _values(rng: random.Random) -> tuple[FluentValue, ...]:
    fluents = [atom for name, types in TOTAL.items() for atom in _ground(name, types)]
    sometimes = [atom for name, types in PARTIAL.items() for atom in _ground(name, types)]
    mask = rng.getrandbits(len(sometimes))
    # Three of four have a value.
    fluents += [atom for place, atom in enumerate(sometimes) if mask >> place & 1 or place % 2]
    return tuple(FluentValue(fluent, Fraction(rng.randint(-2, 6), 2)) for fluent in fluents)


QUICK = os.environ.get("PDDL2NL_SHRINK") is None
"""Whether tasks are drawn from seeds: ten times as fast and more diverse, but what fails does not shrink."""


@st.composite
def cases(draw: st.DrawFn, *, numeric: bool | None = None, hiding: bool = True) -> tuple[Task, random.Random]:
    """A random task, as `random_task` makes it, and a source of chance."""
    rng = draw(st.randoms(use_true_random=QUICK))
    return random_task(rng, numeric=numeric, hiding=hiding), rng


def random_task(rng: random.Random, *, numeric: bool | None = None, hiding: bool = True) -> Task:
    """A task.

    Args:
        rng: the source of chance.
        numeric: whether it has numbers; by chance, if None, as it is with derived predicates.
        hiding: whether a quantified variable may have the name of one around it.
    """
    derived = rng.choice((False, True))
    numeric = rng.choice((False, True)) if numeric is None else numeric
    symbols = {**PREDICATES, **(DERIVED if derived else {})}
    functions = {**TOTAL, **PARTIAL} if numeric else {}
    scope = Scope(_GROUND, tuple(symbols), tuple(symbols), tuple(functions), hiding)

    def declared(types: tuple[Types, ...]) -> tuple[TypedName, ...]:
        return tuple(TypedName(f"?v{place}", one) for place, one in enumerate(types))

    domain = Domain(
        "random",
        (":adl", ":derived-predicates", *([":fluents"] if numeric else [])),
        TYPES,
        CONSTANTS,
        tuple(Predicate(name, declared(types)) for name, types in symbols.items()),
        tuple(Function(name, declared(types)) for name, types in functions.items()),
        actions=tuple(schemas(rng, f"act{place}", scope) for place in range(rng.randint(1, 3))),
        derived=_rules(rng, scope) if derived else (),
    )
    ground = tuple((item.name, item.types) for item in (*CONSTANTS, *OBJECTS))
    scope = replace(scope, terms=ground)
    metric = None
    if numeric and rng.choice((False, True)):
        direction = rng.choice(["minimize", "maximize"])
        metric = Metric(direction, expressions(rng, replace(scope, functions=tuple(TOTAL))))
    problem = Problem(
        "some",
        "random",
        (),
        OBJECTS,
        _init(rng),
        _values(rng) if numeric else (),
        goal=conditions(rng, scope),
        metric=metric,
    )
    return Shown(domain, problem)

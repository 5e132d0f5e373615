"""Random tasks so small that all their states can be listed, with everything that actions and conditions can have."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction

from pddl2nl.macros.macro import Conditions
from pddl2nl.pddl import (
    ActionSchema,
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    DerivedPredicate,
    Domain,
    Effect,
    Equality,
    Exists,
    Expression,
    Fluent,
    FluentValue,
    Forall,
    Function,
    GroundAtom,
    Imply,
    Not,
    Number,
    Or,
    Predicate,
    Problem,
    Task,
    TypedName,
    Update,
    When,
)
from pddlval import GroundAction, Simulator, State

ATOMS = tuple(map(GroundAtom, (("p", "a"), ("p", "b"), ("q", "a"), ("q", "b"), ("r",))))
"""The atoms that actions change."""

LEVELS: dict[GroundAtom, tuple[Fraction | None, ...]] = {
    GroundAtom(("g",)): tuple(map(Fraction, (-1, 0, 1, 2))),
    GroundAtom(("k",)): (None, Fraction(0), Fraction(1), Fraction(2)),
}
"""The fluents that actions change, with the values they have in `all_states`; only ``k`` may have none."""

_ONE = (TypedName("?v", ("thing",)),)
_CHANGED = {"p": 1, "q": 1, "r": 0}
_READ = {**_CHANGED, "s": 1, "d": 1}


class Maker:
    """Makes random formulas over ``p``, ``q``, ``r``, the static ``s``, the derived ``d``, and numbers if wanted."""

    def __init__(self, rng: random.Random, *, numbers: bool):
        self.rng = rng
        self.numbers = numbers

    def atom(self, terms: Sequence[str], names: dict[str, int] = _READ) -> Atom:
        """An atom over these terms."""
        name = self.rng.choice(sorted(names))
        return Atom(name, tuple(self.rng.choice(terms) for _ in range(names[name])))

    def condition(self, terms: Sequence[str], depth: int = 2) -> Condition:
        """A condition with these terms."""
        kinds = ["atom", "atom", "not atom", "equality", *(["comparison"] * 2 if self.numbers else [])]
        if depth:
            kinds += ["and", "and", "or", "not", "imply", "forall", "exists"]
        match self.rng.choice(kinds):
            case "atom":
                return self.atom(terms)
            case "not atom":
                return Not(self.atom(terms))
            case "equality":
                return Equality(self.rng.choice(terms), self.rng.choice(terms))
            case "comparison":
                operator = self.rng.choice(("<", "<=", "=", ">=", ">"))
                return Comparison(operator, self.expression(), self.expression())
            case "not":
                return Not(self.condition(terms, depth - 1))
            case "imply":
                return Imply(self.condition(terms, depth - 1), self.condition(terms, depth - 1))
            case "and" | "or" as kind:
                parts = tuple(self.condition(terms, depth - 1) for _ in range(self.rng.randint(1, 3)))
                return And(parts) if kind == "and" else Or(parts)
            case kind:
                body = self.condition((*terms, "?v", "?v"), depth - 1)
                return Forall(_ONE, body) if kind == "forall" else Exists(_ONE, body)

    def expression(self, depth: int = 1) -> Expression:
        """A numeric expression; it may have no value."""
        kind = self.rng.choice(("number", "number", "g", "k", "h", *(["sum"] if depth else [])))
        if kind == "number":
            return Number(Fraction(self.rng.randint(-1, 2)))
        if kind == "sum":
            # Products of fluents are left to a test of their own: the solver may leave them open.
            operator = self.rng.choice("+-")
            return Arithmetic(operator, (self.expression(0), self.expression(0)))
        return Fluent(kind)

    def effect(self, terms: Sequence[str], depth: int = 2) -> Effect:
        """An effect with these terms."""
        kinds = ["add", "add", "delete", "delete", *(["update"] * 2 if self.numbers else [])]
        if depth:
            kinds += ["and", "and", "when", "when", "forall"]
        match self.rng.choice(kinds):
            case "add":
                return self.atom(terms, _CHANGED)
            case "delete":
                return Not(self.atom(terms, _CHANGED))
            case "update":
                operator = self.rng.choice(("assign", "increase", "decrease", "scale-up", "scale-down"))
                value = Number(Fraction(self.rng.randint(0, 2))) if "scale" in operator else self.expression()
                return Update(operator, Fluent(self.rng.choice("gk")), value)
            case "when":
                return When(self.condition(terms, 1), self.effect(terms, depth - 1))
            case "forall":
                return Forall(_ONE, self.effect((*terms, "?v", "?v"), depth - 1))
        return And(tuple(self.effect(terms, depth - 1) for _ in range(self.rng.randint(1, 3))))


def small_task(rng: random.Random, *, numbers: bool) -> Task:
    """A task with three random actions over two objects."""
    maker = Maker(rng, numbers=numbers)
    actions = tuple(
        ActionSchema(name, _ONE, maker.condition(("?v", "?v", "a"), 1), maker.effect(("?v", "?v", "b")))
        for name in ("one", "two", "three")
    )
    # Every predicate and function is changed by some action, so that none is static by accident.
    everything: tuple[Effect, ...] = (Atom("p", ("?v",)), Atom("q", ("?v",)), Atom("r"))
    if numbers:
        everything += (Update("assign", Fluent("g"), Number(Fraction(1))), Update("assign", Fluent("k"), Fluent("g")))
    actions += (ActionSchema("all", _ONE, And(), And(everything)),)
    derived = Imply(Atom("q", ("?v",)), Or((Atom("r"), Atom("s", ("?v",)))))
    domain = Domain(
        "small",
        types=(TypedName("thing"),),
        predicates=tuple(Predicate(name, _ONE if arity else ()) for name, arity in _READ.items()),
        functions=(Function("g"), Function("k"), Function("h")) if numbers else (),
        actions=actions,
        derived=(DerivedPredicate("d", _ONE, derived),),
    )
    values = (FluentValue(GroundAtom(("g",)), Fraction(1)), FluentValue(GroundAtom(("h",)), Fraction(2)))
    problem = Problem(
        "small",
        "small",
        objects=(TypedName("a", ("thing",)), TypedName("b", ("thing",))),
        init=(GroundAtom(("s", "a")), GroundAtom(("q", "a"))),
        init_values=values if numbers else (),
    )
    return Task(domain, problem)


def small_block(rng: random.Random, task: Task) -> tuple[GroundAction, ...]:
    """Up to three actions of such a task."""
    names = [action.name for action in task.domain.actions]
    return tuple(GroundAction(rng.choice(names), (rng.choice("ab"),)) for _ in range(rng.randint(0, 3)))


def small_claim(rng: random.Random, *, numbers: bool) -> Conditions:
    """Conditions that somebody might claim."""
    maker = Maker(rng, numbers=numbers)
    return Conditions(maker.condition(("a", "b")), maker.effect(("a", "b"), 1))


def all_states(simulator: Simulator, *, numbers: bool) -> Iterator[State]:
    """All states of such a task; of numbers those with the values of `LEVELS`."""
    statics = [atom for atom in simulator.initial.atoms if atom[0] == "s"]
    levels = LEVELS if numbers else {}
    for chosen in itertools.product((False, True), repeat=len(ATOMS)):
        atoms = [atom for atom, held in zip(ATOMS, chosen, strict=True) if held]
        for values in itertools.product(*levels.values()):
            known = {fluent: value for fluent, value in zip(levels, values, strict=True) if value is not None}
            yield simulator.state([*statics, *atoms], known)

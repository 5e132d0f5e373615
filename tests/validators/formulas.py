"""Random conditions over a few typed objects, and a world made of plain sets to read them in."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from hypothesis import strategies as st

from pddl2nl.pddl import (
    ActionSchema,
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    Domain,
    Equality,
    Exists,
    Expression,
    Fluent,
    Forall,
    GroundAtom,
    Imply,
    Not,
    Or,
    Predicate,
    Problem,
    Task,
    TypedName,
)
from pddl2nl.pddl import Number as NumberNode

Number = int | Fraction

TYPES = (("object",), ("small",), ("large",), ("small", "tool"), ("nothing",))
"""``small`` and ``large`` are things; nothing is of the type ``nothing``."""

OBJECTS = {"a": "small", "b": "small", "c": "large", "d": "large", "t": "tool"}
CONSTANTS = ("a", "c")

STATIC = {"s": 2, "u": 1, "w": 3}
CHANGING = {"p": 2, "q": 1, "r": 0}
FUNCTIONS = {"f": 1, "g": 0}


def ground_atoms(arities: Mapping[str, int]) -> list[GroundAtom]:
    """All ground atoms of these predicates."""
    return [
        GroundAtom((name, *args))
        for name, arity in arities.items()
        for args in itertools.product(OBJECTS, repeat=arity)
    ]


def subsets(arities: Mapping[str, int]) -> st.SearchStrategy[frozenset[GroundAtom]]:
    """Some ground atoms of these predicates."""
    return st.frozensets(st.sampled_from(ground_atoms(arities)), max_size=25)


def values() -> st.SearchStrategy[dict[GroundAtom, Number]]:
    """Values for the functions, all of them."""
    number = st.sampled_from([0, 1, 2, Fraction(1, 2), -1])
    return st.fixed_dictionaries(dict.fromkeys(ground_atoms(FUNCTIONS), number))


def task_with(statics: frozenset[GroundAtom], **more: object) -> Task:
    """A task with the objects, and these atoms in its initial state."""
    predicates = {**STATIC, **CHANGING}
    domain = Domain(
        "random",
        types=(
            TypedName("thing"),
            TypedName("small", ("thing",)),
            TypedName("large", ("thing",)),
            TypedName("tool"),
            TypedName("nothing"),
        ),
        constants=tuple(TypedName(name, (OBJECTS[name],)) for name in CONSTANTS),
        predicates=tuple(
            Predicate(name, tuple(TypedName(f"?v{number}") for number in range(arity)))
            for name, arity in predicates.items()
        ),
        **more,  # type: ignore[arg-type]
    )
    change = tuple(Atom(name, ("a",) * arity) for name, arity in CHANGING.items())
    domain = replace(domain, actions=(ActionSchema("change", effect=And(change)),))
    objects = tuple(TypedName(name, (kind,)) for name, kind in OBJECTS.items() if name not in CONSTANTS)
    return Task(domain, Problem("x", "random", objects=objects, init=tuple(sorted(statics))))


class PlainWorld:
    """A state as a set of atoms and a dictionary of values."""

    tolerance = Fraction(0)

    def __init__(self, task: Task, atoms: frozenset[GroundAtom], values: Mapping[GroundAtom, Number] | None = None):
        self.task = task
        self.atoms = atoms
        self.values = dict(values or {})
        self.memo: object = None

    def true(self, atom: GroundAtom) -> bool:
        """Whether the atom is in the set."""
        return atom in self.atoms

    def changing(self) -> list[GroundAtom]:
        """The atoms of changing predicates."""
        return [atom for atom in self.atoms if atom[0] in CHANGING]

    def level(self, fluent: GroundAtom) -> Number | None:
        """The value in the dictionary."""
        return self.values.get(fluent)

    def objects(self, types: tuple[str, ...]) -> tuple[str, ...]:
        """The task's objects of the types."""
        return self.task.objects_of(types)


def _terms(count: int, variables: list[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.tuples(*(st.sampled_from([*variables * 3, *CONSTANTS]) for _ in range(count)))


@st.composite
def expressions(draw: st.DrawFn, variables: list[str], depth: int = 1) -> Expression:
    """A numeric expression over the variables; it may divide by zero."""
    kind = draw(st.sampled_from(["number", "f", "g", "arithmetic"]))
    if kind == "number":
        return NumberNode(Fraction(draw(st.integers(-2, 2))))
    if kind == "arithmetic" and depth > 0:
        operator = draw(st.sampled_from("+-*/"))
        operands = draw(st.lists(expressions(variables, depth - 1), min_size=1 if operator == "-" else 2, max_size=2))
        return Arithmetic(operator, tuple(operands))
    name = "f" if kind == "f" else "g"
    return Fluent(name, draw(_terms(FUNCTIONS[name], variables)))


@st.composite
def conditions(
    draw: st.DrawFn,
    variables: list[str],
    predicates: Mapping[str, int],
    depth: int = 3,
    *,
    numeric: bool = False,
    room: int = 4,
) -> Condition:
    """A condition with these free variables at most; quantifiers bind new names, old ones, and the same name twice.

    No part of it is in the scope of more than ``room`` quantified variables: the definition tries all objects.
    """
    leaves = ["atom"] * 4 + ["="] + ["compare"] * numeric
    inner = ["not", "and", "and", "or", "imply", *(["forall", "exists", "exists"] if room else [])]
    kind = draw(st.sampled_from(leaves if depth == 0 else leaves + inner * 2))

    def below(names: list[str], bound: int = 0) -> st.SearchStrategy[Condition]:
        return conditions(names, predicates, depth - 1, numeric=numeric, room=room - bound)

    match kind:
        case "atom":
            name = draw(st.sampled_from(sorted(predicates)))
            return Atom(name, draw(_terms(predicates[name], variables)))
        case "=":
            return Equality(*draw(_terms(2, variables)))
        case "compare":
            operator = draw(st.sampled_from(["<", "<=", "=", ">=", ">"]))
            return Comparison(operator, draw(expressions(variables)), draw(expressions(variables)))
        case "not":
            return Not(draw(below(variables)))
        case "and" | "or":
            parts = tuple(draw(st.lists(below(variables), max_size=4)))
            return And(parts) if kind == "and" else Or(parts)
        case "imply":
            return Imply(draw(below(variables)), draw(below(variables)))
    names = draw(st.lists(st.sampled_from(["?x", "?y", "?z"]), min_size=1, max_size=min(room, 3)))
    parameters = tuple(TypedName(name, draw(st.sampled_from(TYPES[:4] * 3 + TYPES[4:]))) for name in names)
    body = draw(below(sorted({*variables, *names}), len(names)))
    return Forall(parameters, body) if kind == "forall" else Exists(parameters, body)

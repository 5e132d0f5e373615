"""Conditions and actions in all states at once: the simulator's semantics as Boolean circuits.

Most conditions are decided without a solver, by types, static facts and the effects of earlier actions. Formulas are
therefore simplified while they are built, as in an and-inverter graph: a literal is an integer, twice the number of a
node, plus one if negated. Each formula and each numeric term is stored once.

A symbolic state consists of the facts of an unknown initial state and the effects of actions on them. Static facts are
those of the task. Whether a fluent without an initial value has a value is unknown; all others always have one, because
no action removes a value. A condition that reads a fluent without a value, or divides by zero, is undefined when it is
reached, from left to right (`pddlval.semantics.holds`); the action is then not applicable. The same holds for
conflicting updates (`pddlval.effects.Outcome.conflict`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from operator import add, mul, sub, truediv
from typing import Literal, NamedTuple

from pddl2nl.errors import UnsupportedError
from pddl2nl.macros.formulas import Rules
from pddl2nl.pddl import (
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    DerivedPredicate,
    Effect,
    Equality,
    Exists,
    Expression,
    Fluent,
    Forall,
    GroundAtom,
    Imply,
    Not,
    Or,
    Task,
    TypedName,
    Update,
    When,
    changed_predicates,
    conjuncts,
    stratify,
)
from pddl2nl.pddl import Number as NumberNode
from pddlval import GroundAction
from pddlval.formulas import free_variables, has_comparison, negation_normal, opposite, partial_predicates
from pddlval.semantics import compare, ground_atom
from pddlval.simulator import simulator_of
from pddlval.unsupported import updated_functions

__all__ = ["Circuit", "Comparing", "Effects", "FALSE", "Given", "Joined", "Lit", "SymbolicState", "Symbols", "TRUE"]

Lit = int
"""A literal: twice the number of a node, plus one if negated."""

TRUE: Lit = 0
FALSE: Lit = 1


class Joined(NamedTuple):
    """A conjunction of two literals."""

    left: Lit
    right: Lit


class Given(NamedTuple):
    """A Boolean unknown of the initial state: a ground atom is ``true``, or a fluent is ``defined`` (has a value)."""

    kind: Literal["true", "defined"]
    atom: GroundAtom


class Comparing(NamedTuple):
    """A comparison of two numeric terms; ``operator`` is ``<``, ``<=`` or ``=``."""

    operator: str
    left: int
    right: int


Node = Joined | Given | Comparing | None
"""A node of a circuit; None is the constant truth."""


_CALCULATE: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {"+": add, "-": sub, "*": mul, "/": truediv}


class Term(NamedTuple):
    """A numeric term.

    ``operator`` is ``number`` (``value``), ``fluent`` (the initial value of ``fluent``), ``if`` (``test`` chooses
    between two terms), or one of ``+ - * /``.
    """

    operator: str
    operands: tuple[int, ...] = ()
    value: Fraction = Fraction(0)
    fluent: GroundAtom = GroundAtom()
    test: Lit = TRUE


class Circuit:
    """Formulas and numeric terms, each stored once; ``nodes`` and ``terms`` by their numbers."""

    def __init__(self) -> None:
        self.nodes: list[Node] = [None]
        self.terms: list[Term] = []
        self._nodes: dict[Node, int] = {}
        self._terms: dict[Term, int] = {}

    # ── formulas ─────────────────────────────────────────────────────────────────────────────────

    def given(self, kind: Literal["true", "defined"], atom: GroundAtom) -> Lit:
        """A Boolean unknown of the initial state."""
        return self._node(Given(kind, atom))

    def _node(self, node: Node) -> Lit:
        number = self._nodes.get(node)
        if number is None:
            number = self._nodes[node] = len(self.nodes)
            self.nodes.append(node)
        return 2 * number

    def both(self, left: Lit, right: Lit) -> Lit:
        """The conjunction of two literals."""
        if left > right:
            left, right = right, left
        if left in (TRUE, right):
            return right
        if left == FALSE or left ^ 1 == right:
            return FALSE
        return self._node(Joined(left, right))

    def either(self, left: Lit, right: Lit) -> Lit:
        """The disjunction of two literals."""
        return self.both(left ^ 1, right ^ 1) ^ 1

    def all(self, parts: Iterable[Lit]) -> Lit:
        """The conjunction of literals."""
        found = TRUE
        for part in parts:
            found = self.both(found, part)
            if found == FALSE:
                break
        return found

    def any(self, parts: Iterable[Lit]) -> Lit:
        """The disjunction of literals."""
        return self.all(part ^ 1 for part in parts) ^ 1

    def same(self, left: Lit, right: Lit) -> Lit:
        """The equivalence of two literals."""
        if left == right:
            return TRUE
        return self.either(self.both(left, right), self.both(left ^ 1, right ^ 1))

    def implies(self, left: Lit, right: Lit) -> Lit:
        """The implication."""
        return self.either(left ^ 1, right)

    def below(self, tops: Iterable[int]) -> list[int]:
        """Nodes and everything they are built from, in topological order."""
        seen = set(tops)
        todo = list(seen)
        while todo:
            for number in self._parts(todo.pop()):
                if number not in seen:
                    seen.add(number)
                    todo.append(number)
        return sorted(seen)

    def _parts(self, number: int) -> list[int]:
        node = self.nodes[number]
        if isinstance(node, Joined):
            return [node.left >> 1, node.right >> 1]
        if isinstance(node, Comparing):
            return [self.terms[term].test >> 1 for term in self.terms_of(node) if self.terms[term].operator == "if"]
        return []

    def terms_of(self, node: Comparing) -> list[int]:
        """The terms of a comparison, in topological order."""
        seen: set[int] = set()
        todo = [node.left, node.right]
        while todo:
            number = todo.pop()
            if number not in seen:
                seen.add(number)
                todo += self.terms[number].operands
        return sorted(seen)

    # ── numbers ──────────────────────────────────────────────────────────────────────────────────

    def _term(self, term: Term) -> int:
        number = self._terms.get(term)
        if number is None:
            number = self._terms[term] = len(self.terms)
            self.terms.append(term)
        return number

    def number(self, value: Fraction) -> int:
        """A constant."""
        return self._term(Term("number", value=value))

    def fluent(self, fluent: GroundAtom) -> int:
        """The initial value of a fluent."""
        return self._term(Term("fluent", fluent=fluent))

    def value(self, term: int) -> Fraction | None:
        """The number that a term is equal to; None if it depends on the state."""
        found = self.terms[term]
        return found.value if found.operator == "number" else None

    def chosen(self, test: Lit, one: int, other: int) -> int:
        """The first term where the test is true, else the second."""
        if test == TRUE or one == other:
            return one
        return other if test == FALSE else self._term(Term("if", (one, other), test=test))

    def calculated(self, operator: str, left: int, right: int) -> int:
        """``+``, ``-``, ``*`` or ``/`` of two terms; the result of a division by zero is arbitrary."""
        one, other = self.value(left), self.value(right)
        if one is not None and other is not None and (operator != "/" or other):
            return self.number(_CALCULATE[operator](one, other))
        if (other == 0 and operator in "+-") or (other == 1 and operator in "*/"):
            return left
        if (one == 0 and operator == "+") or (one == 1 and operator == "*"):
            return right
        return self._term(Term(operator, (left, right)))

    def compare(self, operator: str, left: int, right: int) -> Lit:
        """``<``, ``<=``, ``=``, ``>=`` or ``>`` between two terms."""
        if operator in (">", ">="):
            return self.compare("<" if operator == ">" else "<=", right, left)
        if left == right:
            return FALSE if operator == "<" else TRUE
        one, other = self.value(left), self.value(right)
        if one is not None and other is not None:
            return TRUE if compare(operator, one, other) else FALSE
        return self._node(Comparing(operator, left, right))


class Truth(NamedTuple):
    """When a condition is true, and when it is undefined; otherwise it is false."""

    true: Lit
    undefined: Lit = FALSE


class Level(NamedTuple):
    """When a fluent has a value, and the value."""

    defined: Lit
    term: int


@dataclass
class SymbolicState:
    """The atoms and values that actions have changed; everything else is as in the initial state."""

    atoms: dict[GroundAtom, Lit] = field(default_factory=dict)
    levels: dict[GroundAtom, Level] = field(default_factory=dict)
    derived: dict[GroundAtom, Truth] = field(default_factory=dict)


@dataclass
class Effects:
    """When each atom is added or deleted, the updates of each fluent, and when an effect is undefined."""

    adds: dict[GroundAtom, Lit] = field(default_factory=dict)
    deletes: dict[GroundAtom, Lit] = field(default_factory=dict)
    updates: dict[GroundAtom, list[tuple[Lit, str, int]]] = field(default_factory=dict)
    undefined: Lit = FALSE


Binding = Mapping[str, str]

_MOST_INSTANCES = 1_000_000
"""The most quantifier instances in one proof, a limit on memory."""
_ADDITIVE = frozenset(("increase", "decrease"))


class Symbols:
    """The semantics of one task over one circuit.

    ``fixed`` tells for an atom whether it has its initial value in all considered states.
    """

    def __init__(self, task: Task, fixed: Callable[[GroundAtom], bool] = lambda atom: False):
        self.task = task
        self._fixed = fixed
        self._initial = frozenset(task.problem.init)
        self.circuit = Circuit()
        rules: dict[str, list[DerivedPredicate]] = {}
        for rule in task.domain.derived:
            rules.setdefault(rule.name, []).append(rule)
        self._rules = rules
        self._changing = changed_predicates(task.domain) - rules.keys()
        self._static = frozenset(atom for atom in task.problem.init if atom[0] not in self._changing | rules.keys())
        self._functions = updated_functions(task)
        self._values = {
            item.fluent: item.value for item in task.problem.init_values if isinstance(item.value, Fraction)
        }
        self._partial = partial_predicates(task.domain.derived)
        self._instances = 0
        self.static_used: dict[GroundAtom, bool | Fraction | None] = {}
        """The facts and values that were read and cannot change in the considered states."""

    @cached_property
    def _recursive(self) -> frozenset[str]:
        return stratify(self.task.domain).recursive

    @cached_property
    def _below(self) -> Rules:
        return Rules(self.task.domain)

    # ── what is so in a state ────────────────────────────────────────────────────────────────────

    def true(self, atom: GroundAtom, state: SymbolicState) -> Truth:
        """Whether a ground atom is true."""
        if atom[0] in self._rules:
            return self._derived(atom, state)
        if atom[0] not in self._changing:
            return self._used(atom, atom in self._static)
        found = state.atoms.get(atom)
        if found is None:
            found = self._beginning(atom)
        return Truth(found)

    def _beginning(self, atom: GroundAtom) -> Lit:
        if self._fixed(atom):
            return self._used(atom, atom in self._initial).true
        return self.circuit.given("true", atom)

    def _used(self, atom: GroundAtom, held: bool) -> Truth:
        self.static_used[atom] = held
        return Truth(TRUE if held else FALSE)

    def level(self, fluent: GroundAtom, state: SymbolicState) -> Level:
        """The value of a numeric fluent."""
        found = state.levels.get(fluent)
        if found is not None:
            return found
        value = self._values.get(fluent)
        if fluent[0] not in self._functions:
            self.static_used[fluent] = value
            return Level(FALSE, self.circuit.number(Fraction(0))) if value is None else self._constant(value)
        defined = self.circuit.given("defined", fluent) if value is None else TRUE
        return Level(defined, self.circuit.fluent(fluent))

    def _constant(self, value: Fraction) -> Level:
        return Level(TRUE, self.circuit.number(value))

    def _derived(self, atom: GroundAtom, state: SymbolicState) -> Truth:
        known = state.derived.get(atom)
        if known is None:
            if atom[0] in self._recursive:
                if self._lasts(atom[0]):
                    return self._used(atom, simulator_of(self.task).initial.true(atom))
                raise UnsupportedError(
                    f"'{atom[0]}' is derived from itself: what follows from it is not proved here; "
                    "only derived predicates that do not depend on themselves, or on no fact that changes, are"
                )
            parts = (
                self.condition(rule.condition, state, dict(zip(names, atom[1:], strict=True)))
                for rule in self._rules[atom[0]]
                for names in [[item.name for item in rule.parameters]]
                if self._fits(rule.parameters, atom[1:])
            )
            known = state.derived[atom] = self._first(parts)
        return known

    def _lasts(self, name: str) -> bool:
        """Whether a derived predicate depends on static facts only."""
        return not (self._below.functions(name) or self._below.below(name) & self._changing)

    def _fits(self, parameters: Sequence[TypedName], names: Sequence[str]) -> bool:
        return all(name in self.task.objects_of(item.types) for item, name in zip(parameters, names, strict=True))

    # ── conditions ───────────────────────────────────────────────────────────────────────────────

    def condition(self, condition: Condition, state: SymbolicState, binding: Binding) -> Truth:
        """When a condition holds under a binding, and when it is undefined.

        Raises:
            UnsupportedError: it depends on a recursive derived predicate, or has too many quantifier instances.
            TypeError: it is no condition of PDDL 2.2.
        """
        match condition:
            case Atom():
                return self.true(ground_atom(condition, binding), state)
            case Equality(left, right):
                return Truth(TRUE if binding.get(left, left) == binding.get(right, right) else FALSE)
            case Comparison(operator, left, right):
                one, other = self.expression(left, state, binding), self.expression(right, state, binding)
                return self._compared(operator, one, other)
            case Not(body):
                return self._not(self.condition(body, state, binding))
            case And(parts):
                return self._every(self.condition(part, state, binding) for part in parts)
            case Or(parts):
                return self._first(self.condition(part, state, binding) for part in parts)
            case Imply(before, after):
                held = (self._not(self.condition(before, state, binding)), self.condition(after, state, binding))
                return self._first(held)
            case Forall(parameters, body):
                if not has_comparison(body, self._partial):
                    return self._not(self._some(parameters, negation_normal(opposite(body)), state, binding))
                return self._every(self._instances_of(parameters, body, state, binding))
            case Exists(parameters, body):
                if not has_comparison(body, self._partial):
                    return self._some(parameters, negation_normal(body), state, binding)
                return self._first(self._instances_of(parameters, body, state, binding))
        raise TypeError(f"not an executable condition: {type(condition).__name__}")

    def _compared(self, operator: str, one: Level, other: Level) -> Truth:
        circuit = self.circuit
        defined = circuit.both(one.defined, other.defined)
        return Truth(circuit.both(defined, circuit.compare(operator, one.term, other.term)), defined ^ 1)

    def _not(self, truth: Truth) -> Truth:
        return Truth(self.circuit.both(truth.true ^ 1, truth.undefined ^ 1), truth.undefined)

    def _every(self, parts: Iterable[Truth]) -> Truth:
        """A conjunction, evaluated from left to right up to the first part that is false or undefined."""
        circuit, true, undefined = self.circuit, TRUE, FALSE
        for part in parts:
            undefined = circuit.either(undefined, circuit.both(true, part.undefined))
            true = circuit.both(true, part.true)
            if true == FALSE:
                break
        return Truth(true, undefined)

    def _first(self, parts: Iterable[Truth]) -> Truth:
        """A disjunction, evaluated from left to right up to the first part that is true or undefined."""
        return self._not(self._every(self._not(part) for part in parts))

    def _instances_of(
        self, parameters: Sequence[TypedName], body: Condition, state: SymbolicState, binding: Binding
    ) -> Iterator[Truth]:
        """The instances of a quantified condition in the order of evaluation."""
        names = [item.name for item in parameters]
        for chosen in product(*(self.task.objects_of(item.types) for item in parameters)):
            self._count()
            yield self.condition(body, state, {**binding, **dict(zip(names, chosen, strict=True))})

    def _count(self) -> None:
        self._instances += 1
        if self._instances > _MOST_INSTANCES:
            raise UnsupportedError(f"the quantifiers here have more than {_MOST_INSTANCES:,} instances: too many")

    def _some(self, parameters: Sequence[TypedName], body: Condition, state: SymbolicState, binding: Binding) -> Truth:
        """Whether some instance of a condition without numbers holds; parts are evaluated as soon as their variables
        are bound.
        """
        found: list[Lit] = []

        def collect(held: Lit, bound: Binding) -> None:
            found.append(held)

        self._bound(parameters, tuple(conjuncts(body)), state, binding, collect)
        return Truth(self.circuit.any(found))

    def _bound(
        self,
        parameters: Sequence[TypedName],
        parts: Sequence[Condition],
        state: SymbolicState,
        binding: Binding,
        collect: Callable[[Lit, Binding], None],
    ) -> None:
        """Binds the variables one by one and yields the bindings under which the parts can hold."""
        # Of two variables with one name the last one counts.
        last = {item.name: place for place, item in enumerate(parameters)}
        due: list[list[Condition]] = [[] for _ in range(len(parameters) + 1)]
        for part in parts:
            due[max((last[name] + 1 for name in free_variables(part) if name in last), default=0)].append(part)

        def bind(place: int, held: Lit, bound: Binding) -> None:
            held = self.circuit.all((held, *(self.condition(part, state, bound).true for part in due[place])))
            if held == FALSE:
                return
            if place == len(parameters):
                collect(held, bound)
                return
            for name in self.task.objects_of(parameters[place].types):
                self._count()
                bind(place + 1, held, {**bound, parameters[place].name: name})

        bind(0, TRUE, binding)

    # ── numbers ──────────────────────────────────────────────────────────────────────────────────

    def expression(self, expression: Expression, state: SymbolicState, binding: Binding) -> Level:
        """The value of a numeric expression."""
        match expression:
            case NumberNode(value):
                return self._constant(value)
            case Fluent(name, args):
                return self.level(GroundAtom((name, *(binding.get(term, term) for term in args))), state)
            case Arithmetic(operator, operands):
                first, *rest = [self.expression(operand, state, binding) for operand in operands]
                if operator == "-" and not rest:
                    return Level(
                        first.defined, self.circuit.calculated("-", self.circuit.number(Fraction(0)), first.term)
                    )
                for other in rest:
                    first = self._calculated(operator, first, other)
                return first
        raise UnsupportedError(f"'{expression.name}' is no number that an action can read")

    def _calculated(self, operator: str, one: Level, other: Level) -> Level:
        circuit = self.circuit
        defined = circuit.both(one.defined, other.defined)
        if operator == "/":
            zero = circuit.compare("=", other.term, circuit.number(Fraction(0)))
            defined = circuit.both(defined, zero ^ 1)
        return Level(defined, circuit.calculated(operator, one.term, other.term))

    # ── effects ──────────────────────────────────────────────────────────────────────────────────

    def effects(self, effect: Effect, state: SymbolicState, binding: Binding) -> Effects:
        """The effects in a state; raises as `condition` does."""
        found = Effects()
        self._happen(effect, state, binding, TRUE, found)
        return found

    def _happen(self, effect: Effect, state: SymbolicState, binding: Binding, guard: Lit, into: Effects) -> None:
        circuit = self.circuit
        match effect:
            case And(parts):
                for part in parts:
                    self._happen(part, state, binding, guard, into)
            case Atom():
                atom = ground_atom(effect, binding)
                into.adds[atom] = circuit.either(into.adds.get(atom, FALSE), guard)
            case Not(Atom() as deleted):
                atom = ground_atom(deleted, binding)
                into.deletes[atom] = circuit.either(into.deletes.get(atom, FALSE), guard)
            case Update(operator, fluent, value):
                changed = GroundAtom((fluent.name, *(binding.get(term, term) for term in fluent.args)))
                amount = self.expression(value, state, binding)
                self._undefined(circuit.both(guard, amount.defined ^ 1), into)
                into.updates.setdefault(changed, []).append((guard, operator, amount.term))
            case When(condition, body):
                truth = self.condition(condition, state, binding)
                self._undefined(circuit.both(guard, truth.undefined), into)
                guard = circuit.both(guard, truth.true)
                if guard != FALSE:
                    self._happen(body, state, binding, guard, into)
            case Forall(parameters, body):
                self._quantified(parameters, body, state, binding, guard, into)
            case _:
                raise TypeError(f"not an executable effect: {type(effect).__name__}")

    def _quantified(
        self,
        parameters: Sequence[TypedName],
        body: Effect,
        state: SymbolicState,
        binding: Binding,
        guard: Lit,
        into: Effects,
    ) -> None:
        parts: tuple[Condition, ...] = ()
        if isinstance(body, When) and not has_comparison(body.condition, self._partial):
            parts, body = tuple(conjuncts(negation_normal(body.condition))), body.effect

        def happen(held: Lit, bound: Binding) -> None:
            held = self.circuit.both(guard, held)
            if held != FALSE:
                self._happen(body, state, bound, held, into)

        self._bound(parameters, parts, state, binding, happen)

    def _undefined(self, where: Lit, into: Effects) -> None:
        into.undefined = self.circuit.either(into.undefined, where)

    # ── actions ──────────────────────────────────────────────────────────────────────────────────

    def step(self, action: GroundAction, state: SymbolicState) -> tuple[Lit, SymbolicState]:
        """When an action of the task is applicable, and the state after it."""
        schema = self.task.domain.action(action.name)
        assert schema is not None, "the caller has checked the action"
        binding = dict(zip((item.name for item in schema.parameters), action.args, strict=True))
        held = self.condition(schema.precondition, state, binding).true
        possible, after = self.applied(self.effects(schema.effect, state, binding), state)
        return self.circuit.both(held, possible), after

    def applied(self, effects: Effects, state: SymbolicState) -> tuple[Lit, SymbolicState]:
        """When effects are defined and free of conflicts, and the state after them."""
        circuit = self.circuit
        after = SymbolicState(dict(state.atoms), dict(state.levels))
        for atom in dict.fromkeys((*effects.deletes, *effects.adds)):
            kept = circuit.both(self.true(atom, state).true, effects.deletes.get(atom, FALSE) ^ 1)
            after.atoms[atom] = circuit.either(kept, effects.adds.get(atom, FALSE))
        wrong = effects.undefined
        for fluent, updates in effects.updates.items():
            wrong = circuit.either(wrong, self._updated(fluent, updates, state, after))
        return wrong ^ 1, after

    def _updated(
        self, fluent: GroundAtom, updates: Sequence[tuple[Lit, str, int]], state: SymbolicState, after: SymbolicState
    ) -> Lit:
        """Sets the new value of a fluent in the state after; returns when there is none."""
        circuit = self.circuit
        zero = circuit.number(Fraction(0))
        before = self.level(fluent, state)
        wrong, defined = FALSE, before.defined
        # A fluent without a value counts as 0 in an update.
        value = circuit.chosen(before.defined, before.term, zero)
        for place, (guard, operator, amount) in enumerate(updates):
            for other, earlier, _ in updates[:place]:
                if not {operator, earlier} <= _ADDITIVE:
                    wrong = circuit.either(wrong, circuit.both(guard, other))
            if operator == "scale-down":
                wrong = circuit.either(wrong, circuit.both(guard, circuit.compare("=", amount, zero)))
            value = circuit.chosen(guard, self._result(operator, value, amount), value)
            defined = circuit.either(defined, guard)
        after.levels[fluent] = Level(defined, value)
        return wrong

    def _result(self, operator: str, value: int, amount: int) -> int:
        if operator == "assign":
            return amount
        sign = {"increase": "+", "decrease": "-", "scale-up": "*", "scale-down": "/"}[operator]
        return self.circuit.calculated(sign, value, amount)

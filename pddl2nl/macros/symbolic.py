"""Conditions and actions in all states at once: the simulator's semantics as z3 formulas.

z3 (de Moura and Bjørner, https://github.com/Z3Prover/z3) decides propositional formulas with comparisons of real
numbers. A formula is a z3 expression, or True or False; a numeric term is a z3 expression or a `Fraction`. So most
conditions are decided by types, static facts and the effects of earlier actions, without the solver.

A symbolic state consists of the facts of an unknown initial state and the effects of actions on them. Static facts are
those of the task. Whether a fluent without an initial value has a value is unknown; all others always have one, because
no action removes a value. A condition that reads a fluent without a value, or divides by zero, is undefined when it is
reached, from left to right (`pddlval.semantics.holds`); the action is then not applicable. The same holds for
conflicting updates (`pddlval.schemas.Outcome.conflict`).

`Solver` decides whether a formula can be true, and finds a state near a given one in which it is. Each question has a
limit in z3's own units of work, so that results do not depend on the machine, and a time limit, because algebra is not
counted. If a limit is reached, the answer is ``unknown``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from operator import add, ge, gt, le, lt, mul, sub, truediv
from typing import Any, Literal, NamedTuple

from pddl2nl.errors import MissingExtraError, UnsupportedError
from pddl2nl.macros.formulas import Rules
from pddl2nl.pddl import (
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    Effect,
    Equality,
    Exists,
    Expression,
    Fluent,
    Forall,
    GroundAtom,
    Imply,
    Not,
    Number,
    Or,
    Task,
    TypedName,
    Update,
    When,
    changed_predicates,
    conjuncts,
    stratify,
)
from pddlval import GroundAction
from pddlval.formulas import free_variables, has_comparison, negation_normal, partial_predicates
from pddlval.semantics import compare, ground_atom
from pddlval.simulator import simulator_of
from pddlval.unsupported import updated_functions

Formula = Any
"""A z3 expression of sort Bool, or True or False."""

Term = Any
"""A z3 expression of sort Real, or a Fraction."""

_CALCULATE: Mapping[str, Callable[[Any, Any], Any]] = {"+": add, "-": sub, "*": mul, "/": truediv}
_COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {"<": lt, "<=": le, ">": gt, ">=": ge}
_ZERO = Fraction(0)


class Unknown(NamedTuple):
    """What is not known of the initial state: the truth of an atom, or a fluent's value, or whether it has one."""

    kind: Literal["defined", "true", "value"]
    atom: GroundAtom


class Formulas:
    """Builds formulas in a z3 context of its own; not thread-safe.

    Raises:
        MissingExtraError: z3 is not installed.
    """

    def __init__(self) -> None:
        try:
            import z3
        except ImportError:
            raise MissingExtraError("z3-solver", "macros", "proving conditions of macro-actions") from None
        self.z3: Any = z3
        # An own context, because z3's global one is not thread-safe.
        self.context = z3.Context()
        self.unknowns: dict[str, Unknown] = {}
        """By the names of their z3 constants."""

    def unknown(self, kind: Literal["defined", "true", "value"], atom: GroundAtom) -> Any:
        """The z3 constant of an unknown."""
        name = f"{kind} {atom}"
        self.unknowns[name] = Unknown(kind, atom)
        return (self.z3.Real if kind == "value" else self.z3.Bool)(name, self.context)

    # ── formulas ─────────────────────────────────────────────────────────────────────────────────

    def negation(self, one: Formula) -> Formula:
        if isinstance(one, bool):
            return not one
        return one.arg(0) if self.z3.is_not(one) else self.z3.Not(one)

    def both(self, one: Formula, other: Formula) -> Formula:
        if one is False or other is False:
            return False
        if one is True:
            return other
        if other is True or one.eq(other):
            return one
        return False if one.eq(self.negation(other)) else self.z3.And(one, other)

    def either(self, one: Formula, other: Formula) -> Formula:
        return self.negation(self.both(self.negation(one), self.negation(other)))

    def all(self, parts: Iterable[Formula]) -> Formula:
        conjunction: Formula = True
        for part in parts:
            conjunction = self.both(conjunction, part)
        return conjunction

    def implies(self, one: Formula, other: Formula) -> Formula:
        return self.either(self.negation(one), other)

    def same(self, one: Formula, other: Formula) -> Formula:
        return self.both(self.implies(one, other), self.implies(other, one))

    # ── numbers ──────────────────────────────────────────────────────────────────────────────────

    def term(self, value: Term) -> Any:
        """A number as a z3 expression."""
        return self.z3.RealVal(str(value), self.context) if isinstance(value, Fraction) else value

    def chosen(self, test: Formula, one: Term, other: Term) -> Term:
        """The first term where the test is true, else the second."""
        if isinstance(test, bool):
            return one if test else other
        return self.z3.If(test, self.term(one), self.term(other))

    def calculated(self, operator: str, one: Term, other: Term) -> Term:
        """``+``, ``-``, ``*`` or ``/`` of two terms; the result of a division by zero is arbitrary."""
        if isinstance(one, Fraction) and isinstance(other, Fraction):
            return _ZERO if operator == "/" and not other else _CALCULATE[operator](one, other)
        return _CALCULATE[operator](self.term(one), self.term(other))

    def compare(self, operator: str, one: Term, other: Term) -> Formula:
        """``<``, ``<=``, ``=``, ``>=`` or ``>`` between two terms."""
        if isinstance(one, Fraction) and isinstance(other, Fraction):
            return compare(operator, one, other)
        one, other = self.term(one), self.term(other)
        if one.eq(other):
            return "=" in operator
        return one == other if operator == "=" else _COMPARE[operator](one, other)


class Truth(NamedTuple):
    """When a condition is true, and when it is undefined; otherwise it is false."""

    true: Formula
    undefined: Formula = False


class Level(NamedTuple):
    """When a fluent has a value, and the value."""

    defined: Formula
    term: Term


@dataclass
class SymbolicState:
    """The atoms and values that actions have changed; everything else is as in the initial state."""

    atoms: dict[GroundAtom, Formula] = field(default_factory=dict)
    levels: dict[GroundAtom, Level] = field(default_factory=dict)
    derived: dict[GroundAtom, Truth] = field(default_factory=dict)


@dataclass
class Effects:
    """When each atom is added or deleted, the updates of each fluent, and when an effect is undefined."""

    adds: dict[GroundAtom, Formula] = field(default_factory=dict)
    deletes: dict[GroundAtom, Formula] = field(default_factory=dict)
    updates: dict[GroundAtom, list[tuple[Formula, str, Term]]] = field(default_factory=dict)
    undefined: Formula = False


Binding = Mapping[str, str]

_MOST_INSTANCES = 1_000_000
"""The most quantifier instances in one proof, a limit on memory."""
_ADDITIVE = frozenset(("increase", "decrease"))
_SIGNS = {"increase": "+", "decrease": "-", "scale-up": "*", "scale-down": "/"}


class SymbolicSemantics:
    """The semantics of one task.

    ``fixed`` tells for an atom whether it has its initial value in all considered states.
    """

    def __init__(self, task: Task, formulas: Formulas, fixed: Callable[[GroundAtom], bool] = lambda atom: False):
        self.task = task
        self.formulas = formulas
        self._fixed = fixed
        self._initial = frozenset(task.problem.init)
        self._rules = Rules(task.domain)
        self._changing = changed_predicates(task.domain) - self._rules.names
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

    # ── what is so in a state ────────────────────────────────────────────────────────────────────

    def true(self, atom: GroundAtom, state: SymbolicState) -> Truth:
        """Whether a ground atom is true."""
        if atom[0] in self._rules.names:
            return self._derived(atom, state)
        if atom in state.atoms:
            return Truth(state.atoms[atom])
        if atom[0] not in self._changing or self._fixed(atom):
            return self._used(atom, atom in self._initial)
        return Truth(self.formulas.unknown("true", atom))

    def _used(self, atom: GroundAtom, held: bool) -> Truth:
        self.static_used[atom] = held
        return Truth(held)

    def level(self, fluent: GroundAtom, state: SymbolicState) -> Level:
        """The value of a numeric fluent."""
        if fluent in state.levels:
            return state.levels[fluent]
        value = self._values.get(fluent)
        if fluent[0] not in self._functions:
            self.static_used[fluent] = value
            return Level(False, _ZERO) if value is None else Level(True, value)
        defined = self.formulas.unknown("defined", fluent) if value is None else True
        return Level(defined, self.formulas.unknown("value", fluent))

    def _derived(self, atom: GroundAtom, state: SymbolicState) -> Truth:
        known = state.derived.get(atom)
        if known is None:
            if atom[0] in self._recursive:
                # It has its initial value if it depends on static facts only.
                if self._rules.functions(atom[0]) or self._rules.below(atom[0]) & self._changing:
                    raise UnsupportedError(
                        f"'{atom[0]}' is derived from itself: what follows from it is not proved here; "
                        "only derived predicates that do not depend on themselves, or on no fact that changes, are"
                    )
                return self._used(atom, simulator_of(self.task).initial.true(atom))
            parts = (
                self.condition(condition, state, {item.name: name for item, name in matched})
                for parameters, condition in self._rules.rules(atom[0])
                for matched in [tuple(zip(parameters, atom[1:], strict=True))]
                if all(name in self.task.objects_of(item.types) for item, name in matched)
            )
            known = state.derived[atom] = self._first(parts)
        return known

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
                return Truth(binding.get(left, left) == binding.get(right, right))
            case Comparison(operator, left, right):
                one, other = self.expression(left, state, binding), self.expression(right, state, binding)
                defined = self.formulas.both(one.defined, other.defined)
                true = self.formulas.both(defined, self.formulas.compare(operator, one.term, other.term))
                return Truth(true, self.formulas.negation(defined))
            case Not(body):
                return self._not(self.condition(body, state, binding))
            case And(parts):
                return self._every(self.condition(part, state, binding) for part in parts)
            case Or(parts):
                return self._first(self.condition(part, state, binding) for part in parts)
            case Imply(before, after):
                return self._first(self.condition(part, state, binding) for part in (Not(before), after))
            case Forall(parameters, body):
                return self._not(self._some(parameters, Not(body), state, binding))
            case Exists(parameters, body):
                return self._some(parameters, body, state, binding)
        raise TypeError(f"not an executable condition: {type(condition).__name__}")

    def _not(self, truth: Truth) -> Truth:
        negation = self.formulas.negation
        return Truth(self.formulas.both(negation(truth.true), negation(truth.undefined)), truth.undefined)

    def _every(self, parts: Iterable[Truth]) -> Truth:
        """A conjunction, evaluated from left to right up to the first part that is false or undefined."""
        true: Formula = True
        undefined: Formula = False
        for part in parts:
            undefined = self.formulas.either(undefined, self.formulas.both(true, part.undefined))
            true = self.formulas.both(true, part.true)
            if true is False:
                break
        return Truth(true, undefined)

    def _first(self, parts: Iterable[Truth]) -> Truth:
        """A disjunction, evaluated from left to right up to the first part that is true or undefined."""
        return self._not(self._every(self._not(part) for part in parts))

    def _some(self, parameters: Sequence[TypedName], body: Condition, state: SymbolicState, binding: Binding) -> Truth:
        """Whether some instance of a condition holds, evaluated in order."""
        early, body = self._early(body)
        instances = self._instances_of(parameters, early, state, binding)
        return self._first(self._every((Truth(held), self.condition(body, state, bound))) for held, bound in instances)

    def _early(self, condition: Condition) -> tuple[tuple[Condition, ...], Condition]:
        """The parts of a conjunction if they can be evaluated in any order, and what must be evaluated at once."""
        if has_comparison(condition, self._partial):
            return (), condition
        return tuple(conjuncts(negation_normal(condition))), And()

    def _instances_of(
        self, parameters: Sequence[TypedName], parts: Sequence[Condition], state: SymbolicState, binding: Binding
    ) -> Iterator[tuple[Formula, Binding]]:
        """The bindings of variables for which some conditions can hold, and when these hold.

        A condition is evaluated as soon as its variables are bound, which excludes many bindings early.
        """
        # Of two variables with one name the last one counts.
        last = {item.name: place for place, item in enumerate(parameters)}
        due: list[list[Condition]] = [[] for _ in range(len(parameters) + 1)]
        for part in parts:
            due[max((last[name] + 1 for name in free_variables(part) if name in last), default=0)].append(part)

        def bind(place: int, held: Formula, bound: Binding) -> Iterator[tuple[Formula, Binding]]:
            for part in due[place]:
                held = self.formulas.both(held, self.condition(part, state, bound).true)
                if held is False:
                    return
            if place == len(parameters):
                yield held, bound
                return
            for name in self.task.objects_of(parameters[place].types):
                self._instances += 1
                if self._instances > _MOST_INSTANCES:
                    raise UnsupportedError(
                        f"the quantifiers here have more than {_MOST_INSTANCES:,} instances: too many"
                    )
                yield from bind(place + 1, held, {**bound, parameters[place].name: name})

        return bind(0, True, binding)

    def expression(self, expression: Expression, state: SymbolicState, binding: Binding) -> Level:
        """The value of a numeric expression."""
        formulas = self.formulas
        match expression:
            case Number(value):
                return Level(True, value)
            case Fluent():
                return self.level(_ground_fluent(expression, binding), state)
            case Arithmetic(operator, operands):
                levels = [self.expression(operand, state, binding) for operand in operands]
                if operator == "-" and len(levels) == 1:
                    levels.insert(0, Level(True, _ZERO))
                (defined, term), *rest = levels
                for other in rest:
                    defined = formulas.both(defined, other.defined)
                    if operator == "/":
                        zero = formulas.compare("=", other.term, _ZERO)
                        defined = formulas.both(defined, formulas.negation(zero))
                    term = formulas.calculated(operator, term, other.term)
                return Level(defined, term)
        raise UnsupportedError(f"'{expression.name}' is no number that an action can read")

    # ── effects ──────────────────────────────────────────────────────────────────────────────────

    def effects(self, effect: Effect, state: SymbolicState, binding: Binding) -> Effects:
        """The effects in a state; raises as `condition` does."""
        effects = Effects()
        self._happen(effect, state, binding, True, effects)
        return effects

    def _happen(self, effect: Effect, state: SymbolicState, binding: Binding, guard: Formula, into: Effects) -> None:
        both, either = self.formulas.both, self.formulas.either
        match effect:
            case And(parts):
                for part in parts:
                    self._happen(part, state, binding, guard, into)
            case Atom():
                atom = ground_atom(effect, binding)
                into.adds[atom] = either(into.adds.get(atom, False), guard)
            case Not(Atom() as deleted):
                atom = ground_atom(deleted, binding)
                into.deletes[atom] = either(into.deletes.get(atom, False), guard)
            case Update(operator, fluent, value):
                amount = self.expression(value, state, binding)
                into.undefined = either(into.undefined, both(guard, self.formulas.negation(amount.defined)))
                into.updates.setdefault(_ground_fluent(fluent, binding), []).append((guard, operator, amount.term))
            case When(condition, body):
                truth = self.condition(condition, state, binding)
                into.undefined = either(into.undefined, both(guard, truth.undefined))
                guard = both(guard, truth.true)
                if guard is not False:
                    self._happen(body, state, binding, guard, into)
            case Forall(parameters, body):
                early: tuple[Condition, ...] = ()
                if isinstance(body, When):
                    early, rest = self._early(body.condition)
                    body = When(rest, body.effect)
                for held, bound in self._instances_of(parameters, early, state, binding):
                    self._happen(body, state, bound, both(guard, held), into)
            case _:
                raise TypeError(f"not an executable effect: {type(effect).__name__}")

    # ── actions ──────────────────────────────────────────────────────────────────────────────────

    def step(self, action: GroundAction, state: SymbolicState) -> tuple[Formula, SymbolicState]:
        """When an action of the task is applicable, and the state after it."""
        schema = self.task.domain.action(action.name)
        assert schema is not None, "the caller has checked the action"
        binding = dict(zip((item.name for item in schema.parameters), action.args, strict=True))
        held = self.condition(schema.precondition, state, binding).true
        possible, after = self.applied(self.effects(schema.effect, state, binding), state)
        return self.formulas.both(held, possible), after

    def applied(self, effects: Effects, state: SymbolicState) -> tuple[Formula, SymbolicState]:
        """When effects are defined and free of conflicts, and the state after them."""
        formulas = self.formulas
        after = SymbolicState(dict(state.atoms), dict(state.levels))
        for atom in dict.fromkeys((*effects.deletes, *effects.adds)):
            deleted = effects.deletes.get(atom, False)
            kept = formulas.both(self.true(atom, state).true, formulas.negation(deleted))
            after.atoms[atom] = formulas.either(kept, effects.adds.get(atom, False))
        wrong = effects.undefined
        for fluent, updates in effects.updates.items():
            conflict, after.levels[fluent] = self._updated(self.level(fluent, state), updates)
            wrong = formulas.either(wrong, conflict)
        return formulas.negation(wrong), after

    def _updated(self, before: Level, updates: Sequence[tuple[Formula, str, Term]]) -> tuple[Formula, Level]:
        """When updates conflict or divide by zero, and the value after them."""
        formulas = self.formulas
        wrong: Formula = False
        defined = before.defined
        # A fluent without a value counts as 0 in an update.
        value = formulas.chosen(before.defined, before.term, _ZERO)
        for place, (guard, operator, amount) in enumerate(updates):
            for other, earlier, _ in updates[:place]:
                if not {operator, earlier} <= _ADDITIVE:
                    wrong = formulas.either(wrong, formulas.both(guard, other))
            if operator == "scale-down":
                zero = formulas.compare("=", amount, _ZERO)
                wrong = formulas.either(wrong, formulas.both(guard, zero))
            result = amount if operator == "assign" else formulas.calculated(_SIGNS[operator], value, amount)
            value = formulas.chosen(guard, result, value)
            defined = formulas.either(defined, guard)
        return wrong, Level(defined, value)


def _ground_fluent(fluent: Fluent, binding: Binding) -> GroundAtom:
    return GroundAtom((fluent.name, *(binding.get(term, term) for term in fluent.args)))


# ── deciding with z3 ─────────────────────────────────────────────────────────────────────────────

_BUDGET = 20_000_000
"""The limit for one question in z3's units of work: a few seconds, far more than linear questions need."""
_SECONDS = 5
"""The time limit for one question; only products and quotients of fluents come near it."""
_NEARING_BUDGET = 500_000
"""The limit for each step towards the given state."""
_DENOMINATORS = (1, 2, 3, 4, 5, 10, 100, 1000)
"""The denominators of the fractions that are tried as values."""

Answer = Literal["yes", "no", "unknown"]


@dataclass(frozen=True)
class StateFound:
    """The part of a state that a question depends on: atoms, and values (None: no value)."""

    atoms: Mapping[GroundAtom, bool]
    values: Mapping[GroundAtom, Fraction | None]


class Solver:
    """Answers questions about formulas."""

    def __init__(self, formulas: Formulas):
        self._formulas = formulas
        self._z3 = formulas.z3

    def can_be(self, question: Formula, near: StateFound | None = None) -> tuple[Answer, StateFound | None]:
        """Whether a formula can be true, and if a state is given, a state near it in which it is.

        The answer is ``unknown`` if z3 gives up, or if it finds only irrational numbers.
        """
        if isinstance(question, bool):
            return ("yes", StateFound({}, {})) if question else ("no", None)
        solver = self._solver(question, _BUDGET, _SECONDS)
        answer = str(solver.check())
        if answer != "sat":
            return ("no", None) if answer == "unsat" else ("unknown", None)
        if near is None:
            return "yes", None
        state = self._nearest(question, solver.model(), near)
        return ("unknown", None) if state is None else ("yes", state)

    def _solver(self, formula: Formula, budget: int, seconds: int) -> Any:
        solver = self._z3.Solver(ctx=self._formulas.context)
        solver.set("rlimit", budget)
        solver.set("timeout", 1000 * seconds)
        solver.set("random_seed", 1)
        solver.add(formula)
        return solver

    def _unknowns(self, question: Any) -> list[tuple[Unknown, Any]]:
        """The unknowns that a question depends on with their z3 constants: first atoms, then values."""
        constants: dict[Unknown, Any] = {}
        seen = {question.get_id()}
        todo = [question]
        while todo:
            node = todo.pop()
            parts = node.children()
            if not parts and (unknown := self._formulas.unknowns.get(node.decl().name())):
                constants[unknown] = node
            new = [part for part in parts if part.get_id() not in seen]
            seen.update(part.get_id() for part in new)
            todo += new
        return sorted(constants.items(), key=lambda item: (item[0].kind == "value", item[0]))

    def _nearest(self, question: Any, model: Any, near: StateFound) -> StateFound | None:
        """One after the other, atoms and then values get the given state's value if they can."""
        unknowns = self._unknowns(question)
        search = _ModelSearch(
            self._solver(question, _NEARING_BUDGET, 1), model, [term for _, term in unknowns], self._z3
        )
        atoms: dict[GroundAtom, bool] = {}
        values: dict[GroundAtom, Fraction | None] = {}
        for (kind, atom), term in unknowns:
            if kind == "value":
                if values.get(atom, _ZERO) is None:
                    continue
                own = search.value(term)
                candidates = dict.fromkeys((near.values.get(atom) or _ZERO, *_simple(own), own))
                number = next((value for value in candidates if search.fix(term == self._formulas.term(value))), None)
                if number is None:
                    return None
                values[atom] = number
                continue
            wanted = near.atoms.get(atom, False) if kind == "true" else atom in near.values
            same, other = (term, self._z3.Not(term)) if wanted else (self._z3.Not(term), term)
            held = wanted if search.fix(same) else not wanted
            if held is not wanted:
                search.fix(other)
            if kind == "true":
                atoms[atom] = held
            else:
                # If only the existence of a value matters, any value will do.
                values[atom] = (near.values.get(atom) or _ZERO) if held else None
        return StateFound(atoms, values)


class _ModelSearch:
    """Moves from one model to another, one fixed unknown after the other."""

    def __init__(self, solver: Any, model: Any, terms: list[Any], z3: Any):
        self._solver, self._model, self._terms, self._z3 = solver, model, terms, z3

    def value(self, term: Any) -> Fraction:
        """The value of a term in the present model; an irrational one is rounded."""
        value = self._model.eval(term, model_completion=True)
        rational = value if self._z3.is_rational_value(value) else value.approx(20)
        return Fraction(rational.numerator_as_long(), rational.denominator_as_long())

    def fix(self, wanted: Any) -> bool:
        """Keeps a formula true from now on, if there is a model with it that has no more irrational numbers."""
        if not self._z3.is_true(self._model.eval(wanted, model_completion=True)):
            if str(self._solver.check(wanted)) != "sat":
                return False
            model = self._solver.model()
            if self._irrational(model) > self._irrational(self._model):
                return False
            self._model = model
        self._solver.add(wanted)
        return True

    def _irrational(self, model: Any) -> int:
        return sum(self._z3.is_algebraic_value(model.eval(term, model_completion=True)) for term in self._terms)


def _simple(value: Fraction) -> Iterator[Fraction]:
    """Simple fractions near a number."""
    for size in _DENOMINATORS:
        for way in (0, 1, -1):
            yield Fraction(round(value * size) + way, size)

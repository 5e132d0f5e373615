"""Decides with z3 whether a circuit can be true, and finds a state near a given one in which it is.

z3 (de Moura and Bjørner, https://github.com/Z3Prover/z3) decides propositional formulas with linear and polynomial
comparisons of real numbers. Each question has a limit in z3's own units of work, so that results do not depend on the
machine, and a time limit, because algebra is not counted. If a limit is reached, the answer is ``unknown``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from pddl2nl.errors import MissingExtraError
from pddl2nl.macros.symbolic import FALSE, TRUE, Circuit, Comparing, Given, Joined, Lit
from pddl2nl.pddl import GroundAtom

__all__ = ["Answer", "Solver", "StateFound"]

_BUDGET = 20_000_000
"""The limit for one question in z3's units of work: a few seconds, far more than linear questions need."""
_SECONDS = 5
"""The time limit for one question; only products and quotients of fluents come near it."""
_NEARING_BUDGET = 500_000
"""The limit for each step towards the given state."""
_DENOMINATORS = (1, 2, 3, 4, 5, 10, 100, 1000)
"""The denominators of fractions that are tried if z3's answer is an irrational number."""

Answer = Literal["yes", "no", "unknown"]


@dataclass(frozen=True)
class StateFound:
    """The part of a state that a question depends on: atoms, and values (None: no value)."""

    atoms: Mapping[GroundAtom, bool]
    values: Mapping[GroundAtom, Fraction | None]


class Solver:
    """Answers questions about one circuit with a z3 context of its own; not thread-safe."""

    def __init__(self, circuit: Circuit):
        self._circuit = circuit
        self._z3: Any = None
        self._context: Any = None
        self._formulas: dict[int, Any] = {}
        self._terms: dict[int, Any] = {}
        self._given: dict[Given, Any] = {}
        self._fluents: dict[GroundAtom, Any] = {}

    def can_be(self, question: Lit, near: StateFound | None = None) -> tuple[Answer, StateFound | None]:
        """Whether a formula can be true, and a state in which it is.

        The state is near a given one (or an empty one): atoms first, then values keep their given value if they can.
        The answer is ``unknown`` if z3 gives up, or if only irrational numbers are solutions.

        Raises:
            MissingExtraError: z3 is not installed.
        """
        if question == FALSE:
            return "no", None
        if question == TRUE:
            return "yes", StateFound({}, {})
        formula = self._formula(question)
        solver = self._solver(_BUDGET, _SECONDS)
        solver.add(formula)
        answer = str(solver.check())
        if answer != "sat":
            return ("no", None) if answer == "unsat" else ("unknown", None)
        within = self._within(question)
        if near is None and not within.nonlinear:
            return "yes", None
        near = near or StateFound({}, {})
        if within.nonlinear:
            return self._nonlinear(formula, within, near, solver.model())
        found = _Nearing(self, within, near, formula, solver.model()).state()
        return ("unknown", None) if found is None else ("yes", found)

    def _nonlinear(
        self, formula: Any, within: _Within, near: StateFound, model: Any
    ) -> tuple[Answer, StateFound | None]:
        """As `can_be`, starting from a model; changes are tried by evaluation, because z3 might not terminate."""
        z3, context = self._z3, self._context
        given = {item: z3.is_true(model.eval(self._given[item], model_completion=True)) for item in within.given}
        said = {fluent: model.eval(self._fluents[fluent], model_completion=True) for fluent in within.fluents}

        def holds() -> bool:
            pairs = [(self._given[item], z3.BoolVal(held, context)) for item, held in given.items()]
            pairs += [(self._fluents[fluent], z3.RealVal(str(value), context)) for fluent, value in values.items()]
            return bool(z3.is_true(z3.simplify(z3.substitute(formula, *pairs))))

        for size in (0, *_DENOMINATORS):
            values = {fluent: _rounded(value, size, z3) for fluent, value in said.items()}
            if holds():
                break
        else:
            # Only irrational numbers are solutions, and no state has such values.
            return "unknown", None
        for item, own in list(given.items()):
            known = near.atoms.get(item.atom, False) if item.kind == "true" else item.atom in near.values
            given[item] = known
            if not holds():
                given[item] = own
        for fluent, value in list(values.items()):
            for tried in (
                near.values.get(fluent) or Fraction(0),
                *(Fraction(round(value * s), s) for s in _DENOMINATORS),
            ):
                values[fluent] = tried
                if holds():
                    break
            else:
                values[fluent] = value
        return "yes", _state(given, values, near)

    def _solver(self, budget: int, seconds: int) -> Any:
        solver = self._z3.Solver(ctx=self._context)
        solver.set("rlimit", budget)
        solver.set("timeout", 1000 * seconds)
        solver.set("random_seed", 1)
        return solver

    def _load(self) -> None:
        if self._z3 is not None:
            return
        try:
            import z3
        except ImportError:
            raise MissingExtraError("z3-solver", "macros", "proving conditions of macro-actions") from None
        self._z3 = z3
        # An own context, because z3's global one is not thread-safe.
        self._context = z3.Context()

    # ── from circuits to z3 ──────────────────────────────────────────────────────────────────────

    def _formula(self, literal: Lit) -> Any:
        self._load()
        for number in self._circuit.below([literal >> 1]):
            if number not in self._formulas:
                self._formulas[number] = self._made(number)
        return self._literal(literal)

    def _literal(self, literal: Lit) -> Any:
        formula = self._formulas[literal >> 1]
        return self._z3.Not(formula) if literal & 1 else formula

    def _made(self, number: int) -> Any:
        node = self._circuit.nodes[number]
        match node:
            case Joined(left, right):
                return self._z3.And(self._literal(left), self._literal(right))
            case Given():
                found = self._given[node] = self._z3.Bool(f"b{number}", self._context)
                return found
            case Comparing(operator, left, right):
                for term in self._circuit.terms_of(node):
                    if term not in self._terms:
                        self._terms[term] = self._term(term)
                one, other = self._terms[left], self._terms[right]
                return one < other if operator == "<" else one <= other if operator == "<=" else one == other
        return self._z3.BoolVal(True, self._context)

    def _term(self, number: int) -> Any:
        term = self._circuit.terms[number]
        parts = [self._terms[operand] for operand in term.operands]
        match term.operator:
            case "number":
                return self._z3.RealVal(str(term.value), self._context)
            case "fluent":
                found = self._fluents[term.fluent] = self._z3.Real(f"x{number}", self._context)
                return found
            case "if":
                return self._z3.If(self._literal(term.test), *parts)
            case "+":
                return parts[0] + parts[1]
            case "-":
                return parts[0] - parts[1]
            case "*":
                return parts[0] * parts[1]
        return parts[0] / parts[1]

    def _within(self, question: Lit) -> _Within:
        circuit = self._circuit
        given: list[Given] = []
        terms: set[int] = set()
        for number in circuit.below([question >> 1]):
            node = circuit.nodes[number]
            if isinstance(node, Given):
                given.append(node)
            elif isinstance(node, Comparing):
                terms.update(circuit.terms_of(node))
        fluents = sorted(circuit.terms[term].fluent for term in terms if circuit.terms[term].operator == "fluent")
        return _Within(sorted(given), fluents, any(self._product(term) for term in terms))

    def _product(self, number: int) -> bool:
        term = self._circuit.terms[number]
        unknown = [self._circuit.value(operand) is None for operand in term.operands]
        return (term.operator == "*" and all(unknown)) or (term.operator == "/" and unknown[1])


@dataclass(frozen=True)
class _Within:
    """What a question depends on: Boolean unknowns, fluents, and whether fluents are multiplied or divided."""

    given: list[Given]
    fluents: list[GroundAtom]
    nonlinear: bool


class _Nearing:
    """Makes a model as similar to a state as possible, one fact after the other."""

    def __init__(
        self,
        solver: Solver,
        within: _Within,
        near: StateFound,
        formula: Any,
        model: Any,
    ):
        self._owner = solver
        self._given, self._fluents = within.given, within.fluents
        self._near = near
        self._model = model
        self._solver = solver._solver(_NEARING_BUDGET, 1)
        self._solver.add(formula)

    def state(self) -> StateFound | None:
        """The state; None if only irrational numbers are solutions."""
        near = self._near
        given: dict[Given, bool] = {}
        for item in self._given:
            known = near.atoms.get(item.atom, False) if item.kind == "true" else item.atom in near.values
            given[item] = self._fix(item, known)
        values: dict[GroundAtom, Fraction] = {}
        for fluent in self._fluents:
            if given.get(Given("defined", fluent), True):
                value = self._value(fluent)
                if value is None:
                    return None
                values[fluent] = value
        return _state(given, values, near)

    def _fix(self, item: Given, wanted: bool) -> bool:
        variable = self._owner._given[item]
        z3 = self._owner._z3
        literal = variable if wanted else z3.Not(variable)
        if z3.is_true(self._model.eval(literal, model_completion=True)) or self._allows(literal):
            self._solver.add(literal)
            return wanted
        self._solver.add(z3.Not(literal))
        return not wanted

    def _allows(self, condition: Any) -> bool:
        if str(self._solver.check(condition)) != "sat":
            return False
        self._model = self._solver.model()
        return True

    def _value(self, fluent: GroundAtom) -> Fraction | None:
        variable = self._owner._fluents[fluent]
        z3, context = self._owner._z3, self._owner._context
        wanted = self._near.values.get(fluent)
        now = self._model.eval(variable, model_completion=True)
        own = _fraction(now) if z3.is_rational_value(now) else None
        approximate = own if own is not None else _fraction(now.approx(20))
        tried = [Fraction(0) if wanted is None else wanted]
        tried += [Fraction(round(approximate * size) + way, size) for size in _DENOMINATORS for way in (0, 1, -1)]
        for value in dict.fromkeys(tried):
            literal = variable == z3.RealVal(str(value), context)
            if self._allows(literal):
                self._solver.add(literal)
                return value
        if own is not None:
            self._solver.add(variable == now)
        return own


def _state(given: Mapping[Given, bool], values: Mapping[GroundAtom, Fraction], near: StateFound) -> StateFound:
    atoms = {item.atom: held for item, held in given.items() if item.kind == "true"}
    found: dict[GroundAtom, Fraction | None] = dict(values)
    for item, held in given.items():
        if item.kind == "defined":
            # If only the existence of a value matters, any value will do.
            found[item.atom] = found.get(item.atom, near.values.get(item.atom, Fraction(0))) if held else None
    return StateFound(atoms, found)


def _rounded(value: Any, size: int, z3: Any) -> Fraction:
    """A value of a model with a given denominator; unchanged if that is 0 and the value is rational."""
    own = _fraction(value if z3.is_rational_value(value) else value.approx(20))
    return Fraction(round(own * size), size) if size and not z3.is_rational_value(value) else own


def _fraction(value: Any) -> Fraction:
    return Fraction(value.numerator_as_long(), value.denominator_as_long())

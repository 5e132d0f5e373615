"""Decides with z3 whether a formula can be true, and finds a state near a given one in which it is.

Each question has a limit in z3's own units of work, so that results do not depend on the machine, and a time limit,
because algebra is not counted. If a limit is reached, the answer is ``unknown``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from pddl2nl.macros.symbolic import Formula, Formulas, Unknown
from pddl2nl.pddl import GroundAtom

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


_ZERO = Fraction(0)


def _simple(value: Fraction) -> Iterator[Fraction]:
    """Simple fractions near a number."""
    for size in _DENOMINATORS:
        for way in (0, 1, -1):
            yield Fraction(round(value * size) + way, size)

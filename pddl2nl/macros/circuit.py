"""Boolean circuits over the facts of one state, each subformula held once: what a solver is then asked about.

Most of what an action's conditions say of a state is decided without a solver: types, static facts, what earlier
actions have made true. So formulas are simplified as they are made, as in an and-inverter graph: a literal is an
integer, twice the number of a node, plus one where it is negated. Numeric terms are held in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Literal, NamedTuple

from pddl2nl.pddl import GroundAtom

__all__ = ["FALSE", "TRUE", "Circuit", "Comparing", "Given", "Joined", "Lit", "Node", "Term", "compared"]

Lit = int
"""A literal: a node's number twice, plus one where it is negated."""

TRUE: Lit = 0
FALSE: Lit = 1


class Joined(NamedTuple):
    """A conjunction of two literals."""

    left: Lit
    right: Lit


class Given(NamedTuple):
    """Something that is so or not in the state where everything begins.

    ``kind`` is ``true``: a ground atom is true; or ``defined``: a fluent has a value.
    """

    kind: Literal["true", "defined"]
    atom: GroundAtom


class Comparing(NamedTuple):
    """A comparison of two numeric terms; ``operator`` is ``<``, ``<=`` or ``=``."""

    operator: str
    left: int
    right: int


Node = Joined | Given | Comparing | None
"""A node of a circuit; None is the constant truth."""


class Term(NamedTuple):
    """A numeric term.

    ``operator`` is ``number`` (``value``), ``fluent`` (the value of ``fluent`` where everything begins), ``if``
    (``test``, then two terms), or one of ``+ - * /``.
    """

    operator: str
    operands: tuple[int, ...] = ()
    value: Fraction = Fraction(0)
    fluent: GroundAtom = GroundAtom()
    test: Lit = TRUE


class Circuit:
    """Formulas and numeric terms, each held once; ``nodes`` and ``terms`` by their numbers."""

    def __init__(self) -> None:
        self.nodes: list[Node] = [None]
        self.terms: list[Term] = []
        self._nodes: dict[Node, int] = {}
        self._terms: dict[Term, int] = {}

    # ── formulas ─────────────────────────────────────────────────────────────────────────────────

    def given(self, kind: Literal["true", "defined"], atom: GroundAtom) -> Lit:
        """What may be so or not in the state where everything begins."""
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
        """Whether two literals are both true or both false."""
        if left == right:
            return TRUE
        return self.either(self.both(left, right), self.both(left ^ 1, right ^ 1))

    def implies(self, left: Lit, right: Lit) -> Lit:
        """Whether the second literal is true wherever the first is."""
        return self.either(left ^ 1, right)

    def choose(self, test: Lit, one: Lit, other: Lit) -> Lit:
        """The first literal where the test is true, else the second."""
        if one == other:
            return one
        return self.either(self.both(test, one), self.both(test ^ 1, other))

    def below(self, tops: Iterable[int]) -> list[int]:
        """Nodes and all that they are made of, first what others are made of, which has the lower numbers."""
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
        """The terms that a comparison is made of, in the same order."""
        seen: set[int] = set()
        todo = [node.left, node.right]
        while todo:
            number = todo.pop()
            if number not in seen:
                seen.add(number)
                todo += self.terms[number].operands
        return sorted(seen)

    def holds(self, question: Lit, given: Mapping[Given, bool], values: Mapping[GroundAtom, Fraction]) -> bool:
        """Whether a formula is true where these facts and values are so."""
        held: dict[int, bool] = {}
        known: dict[int, Fraction] = {}
        for number in self.below([question >> 1]):
            node = self.nodes[number]
            match node:
                case Joined(left, right):
                    held[number] = (held[left >> 1] ^ (left & 1 == 1)) and (held[right >> 1] ^ (right & 1 == 1))
                case Given():
                    held[number] = given[node]
                case Comparing():
                    for place in self.terms_of(node):
                        if place not in known:
                            known[place] = self._worth(self.terms[place], held, known, values)
                    held[number] = compared(node.operator, known[node.left], known[node.right])
                case _:
                    held[number] = True
        return held[question >> 1] ^ (question & 1 == 1)

    def _worth(
        self,
        term: Term,
        held: Mapping[int, bool],
        known: Mapping[int, Fraction],
        values: Mapping[GroundAtom, Fraction],
    ) -> Fraction:
        if term.operator == "number":
            return term.value
        if term.operator == "fluent":
            return values[term.fluent]
        left, right = (known[operand] for operand in term.operands)
        if term.operator == "if":
            return left if held[term.test >> 1] ^ (term.test & 1 == 1) else right
        # What is divided by zero is never looked at.
        return Fraction(0) if term.operator == "/" and not right else _calculate(term.operator, left, right)

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
        """The value of a fluent in the state where everything begins."""
        return self._term(Term("fluent", fluent=fluent))

    def value(self, term: int) -> Fraction | None:
        """The number that a term is, None where it depends on the state."""
        found = self.terms[term]
        return found.value if found.operator == "number" else None

    def chosen(self, test: Lit, one: int, other: int) -> int:
        """The first term where the test is true, else the second."""
        if test == TRUE or one == other:
            return one
        return other if test == FALSE else self._term(Term("if", (one, other), test=test))

    def calculated(self, operator: str, left: int, right: int) -> int:
        """``+``, ``-``, ``*`` or ``/`` of two terms; a division by what is zero is some number."""
        one, other = self.value(left), self.value(right)
        if one is not None and other is not None and (operator != "/" or other):
            return self.number(_calculate(operator, one, other))
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
            return TRUE if compared(operator, one, other) else FALSE
        return self._node(Comparing(operator, left, right))


def compared(operator: str, left: Fraction, right: Fraction) -> bool:
    """Whether one number is ``<``, ``<=`` or ``=`` to another."""
    if operator == "=":
        return left == right
    return left < right if operator == "<" else left <= right


def _calculate(operator: str, left: Fraction, right: Fraction) -> Fraction:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
    return left / right

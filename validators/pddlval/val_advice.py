"""VAL's words that all its texts share: repair advice, numbers, and the judgement at the end."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain
from typing import Literal

from pddl2nl.pddl import (
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    Exists,
    Expression,
    Fluent,
    Forall,
    GroundAtom,
    Not,
    Or,
    substitute,
)
from pddl2nl.pddl import Number as NumberNode
from pddlval.formulas import has_comparison, negation_normal
from pddlval.numeric import UndefinedError, as_float
from pddlval.report import Report
from pddlval.schemas import Outcome
from pddlval.semantics import Binding, Reading, World, choices, ground_atom, ground_fluent, holds
from pddlval.state import Number, State

_INDENT = "    "

Member = tuple[Condition, Binding]
"""A part of a condition with the objects of its variables."""


def gives_advice(condition: Condition, world: World, derived: frozenset[str]) -> bool:
    """Whether VAL advises on a ground precondition that does not hold.

    A derived predicate alone gets no line, nor does a quantifier alone that ranges over nothing.
    """
    while isinstance(condition, Not):
        condition = condition.body
    match condition:
        case Atom(predicate):
            return predicate not in derived
        case And(parts) | Or(parts):
            return bool(parts)
        case Forall(parameters) | Exists(parameters):
            return all(world.objects(parameter.types) for parameter in parameters)
    return True


def advice_lines(
    condition: Condition,
    world: World,
    derived: frozenset[str] = frozenset(),
    shown: World | None = None,
    test: Reading = holds,
) -> Iterator[str]:
    """What to change so that a ground condition holds.

    Args:
        condition: the condition.
        world: the state in which it does not hold.
        derived: the derived predicates; the advice names them but does not say how to make one true.
        shown: the state whose numeric values are printed; by default the state itself.
        test: what says whether a part holds: `semantics.holds`, or something faster.

    Raises:
        UndefinedError: a comparison reads a fluent without a value (on the way, when lines were given already).
    """
    return _Adviser(world, derived, shown or world, test).lines(negation_normal(condition), {}, "")


def defined_advice(
    condition: Condition, state: State, derived: frozenset[str], shown: World | None = None
) -> Iterator[str] | None:
    """`advice_lines`; None where they would read an undefined value, which VAL finds before its first line."""

    def lines() -> Iterator[str]:
        return advice_lines(condition, state, derived, shown, state.layout.holds)

    if has_comparison(condition, state.layout.partial):
        try:
            # A dry run: there may be too many lines to keep them.
            deque(lines(), maxlen=0)
        except UndefinedError:
            return None
    return lines()


class _Adviser:
    """Advises in one state, on conditions in negation normal form."""

    def __init__(self, world: World, derived: frozenset[str], shown: World, test: Reading):
        self._world = world
        self._test = test
        self._derived = derived
        self._shown = shown

    def lines(self, condition: Condition, binding: Binding, indent: str) -> Iterator[str]:
        """The lines about a condition; the first has no indent, since it may go on with a line begun."""
        match condition:
            case And(parts) | Or(parts):
                members: Iterable[Member] = ((part, binding) for part in parts)
            case Forall(parameters, body) | Exists(parameters, body):
                members = ((body, chosen) for chosen in choices(parameters, self._world, binding, alphabetic=True))
            case _:
                yield self._literal(condition, binding)
                return
        if isinstance(condition, And | Forall):
            failing = ((part, chosen) for part, chosen in members if not self._test(part, self._world, chosen))
            yield from self._group("and", failing, indent)
        else:
            yield from self._group("or", members, indent)

    def _group(self, word: Literal["and", "or"], members: Iterable[Member], indent: str) -> Iterator[str]:
        """All of ``and`` parts must be followed, or one of ``or`` parts; one alone stands for the group."""
        rest = iter(members)
        first, second = next(rest, None), next(rest, None)
        if first is None:
            yield f"(No advice for {'conjunction' if word == 'and' else 'disjunction'}!)"
            return
        if second is None:
            yield from self.lines(*first, indent)
            return
        deeper = indent + _INDENT
        yield f"(Follow {'each' if word == 'and' else 'one'} of:"
        yield from _begun(deeper, self.lines(*first, deeper))
        for part, binding in chain((second,), rest):
            start = f"{deeper}{word} "
            if isinstance(part, And | Or | Forall | Exists):
                yield start
                start = deeper
            yield from _begun(start, self.lines(part, binding, deeper))
        yield f"{indent})"

    def _literal(self, literal: Condition, binding: Binding) -> str:
        wanted, inner = (False, literal.body) if isinstance(literal, Not) else (True, literal)
        if isinstance(inner, Atom) and inner.predicate in self._derived:
            text = str(ground_atom(inner, binding))
            return f"(Satisfy derived predicate {text if wanted else f'(NOT {text})'}!)"
        if self._test(literal, self._world, binding):
            # VAL's own words, one of them missing.
            return "(No advice comparison!)" if isinstance(inner, Comparison) else "(No advice for literal!)"
        if isinstance(inner, Comparison):
            one, other = self._expression(inner.left, binding), self._expression(inner.right, binding)
            return f"({'Satisfy' if wanted else 'Do NOT satisfy'} {one} {inner.operator} {other})"
        return f"(Set {substitute(inner, binding)} to {'true' if wanted else 'false'})"

    def _expression(self, expression: Expression, binding: Binding) -> str:
        """An expression in infix, every fluent with its value."""
        match expression:
            case NumberNode(value):
                return _short(value)
            case Fluent():
                fluent = ground_fluent(expression, binding)
                return f"{fluent}[={_short(self._shown.level(fluent) or 0)}]"
            case Arithmetic("-", (operand,)):
                return f" - {self._expression(operand, binding)}"
            case Arithmetic(operator, (operand, *rest)):
                one = self._expression(operand, binding)
                if not rest:
                    return one
                other = self._expression(Arithmetic(operator, tuple(rest)) if len(rest) > 1 else rest[0], binding)
                return f"({one} {operator} {other})"
        return "?"


def _begun(start: str, lines: Iterator[str]) -> Iterator[str]:
    """Lines; the first continues the current one."""
    yield start + next(lines)
    yield from lines


def _short(value: Fraction | int) -> str:
    """As a C++ stream of the usual precision prints it."""
    return f"{as_float(value):.6g}"


CHECKING_GOAL = "Plan executed successfully - checking goal"
ERROR = ("Error occurred in validation attempt:", "  Attempt to access undefined numeric expression!")
_OPERATIONS = {
    "assign": "assignment",
    "increase": "increase",
    "decrease": "decrease",
    "scale-up": "scale up",
    "scale-down": "scale down",
}


def undefined(report: Report) -> bool:
    """Whether it was all about values that are undefined: there VAL stops with an error instead of a verdict."""
    if report.valid:
        return report.cost is None
    failing = report.unmet or report.unmet_goals
    return bool(failing) and all(isinstance(part, Comparison) and part.left == part.right for part in failing)


def judgement(report: Report) -> Iterator[str]:
    """The end of what VAL says about a plan, after its execution."""
    if undefined(report):
        yield from ERROR
    elif report.verdict == "inapplicable":
        yield "Plan failed to execute"
    elif report.verdict == "goal-not-satisfied":
        yield from ("Goal not satisfied", "Plan invalid")
    else:
        yield from ("Plan valid", f"Final value: {printed(report.cost or 0)} ")


def goal_lines(
    report: Report,
    goal: Condition,
    state: State,
    derived: frozenset[str],
    shown: World | None = None,
    more: Iterable[str] = (),
) -> Iterator[str]:
    """The judgement on a plan that was executed to its end, ``more``, and the advice on a goal that does not hold."""
    advises = not report.valid and not undefined(report)
    advice = defined_advice(goal, state, derived, shown) if advises else ()
    if advice is None:
        yield from ERROR
        return
    yield from (*judgement(report), *more)
    if advises:
        yield from ("", "Plan Repair Advice:", "", "The goal is not satisfied")
        yield from advice


def effect_lines(outcomes: Sequence[Outcome], before: State) -> Iterator[str]:
    """What the actions of a happening do: all deletes, all adds, then the numbers, with their values in a state."""
    for outcome in outcomes:
        yield from (f"Deleting {atom}" for atom in outcome.deletes)
    for outcome in outcomes:
        yield from (f"Adding {atom}" for atom in outcome.adds)
    levels: dict[GroundAtom, Number] = {}
    for fluent, operator, amount in (change for outcome in outcomes for change in outcome.updates):
        old = levels[fluent] if fluent in levels else before.level(fluent) or 0
        yield f"Updating {fluent} ({printed(old)}) by {printed(amount)} {_OPERATIONS[operator]}"
        # Only increases and decreases may meet at one fluent in one happening.
        levels[fluent] = old - amount if operator == "decrease" else old + amount


def printed(value: Number | Fraction) -> str:
    """As a C++ stream of precision 10 prints it."""
    return f"{as_float(value):.10g}"

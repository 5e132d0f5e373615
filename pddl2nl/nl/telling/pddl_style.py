"""The PDDL twins of the told texts: the style in which a model sees the task as PDDL (Stein et al., section 5).

A text is a block of a problem file: ``(:objects …)``, ``(:init …)``, ``(:goal …)`` with ``(:metric …)`` behind it.
A state is told as an ``(:init …)`` block, too. A reason is the unmet ground condition "is false", or its body
"is true" where a negation is unmet, with the values of the numeric fluents that it compares.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from pddl2nl.nl.telling.phrases import number_text
from pddl2nl.nl.telling.reasons import is_undefined, value_in
from pddl2nl.pddl import write_condition, write_domain
from pddl2nl.pddl.tree import (
    Arithmetic,
    Comparison,
    Condition,
    Domain,
    Expression,
    Fluent,
    GroundAtom,
    Not,
    Number,
    Problem,
)

if TYPE_CHECKING:
    from pddlval import State

__all__ = [
    "condition_text",
    "domain_text",
    "expression_text",
    "goal_text",
    "init_text",
    "objects_text",
    "reason",
    "state_text",
]


def domain_text(domain: Domain) -> str:
    """The domain as PDDL."""
    return write_domain(domain).rstrip()


def objects_text(problem: Problem) -> str:
    """``(:objects …)``, a line for each run of objects of one type; constants stand in the domain."""
    lines: list[str] = []
    run: list[str] = []
    types: tuple[str, ...] = ()
    for item in problem.objects:
        if run and item.types != types:
            lines.append(_typed(run, types))
            run = []
        types = item.types
        run.append(item.name)
    if run:
        lines.append(_typed(run, types))
    return _block("(:objects", lines)


def init_text(problem: Problem) -> str:
    """``(:init …)``, an entry a line, each atom once."""
    lines = [str(atom) for atom in dict.fromkeys(problem.init)]
    lines += [f"(not {atom})" for atom in dict.fromkeys(problem.init_negative)]
    for item in problem.init_values:
        value = item.value if isinstance(item.value, str) else number_text(item.value)
        lines.append(f"(= {item.fluent} {value})")
    for timed in problem.init_timed:
        literal = str(timed.atom) if timed.positive else f"(not {timed.atom})"
        lines.append(f"(at {number_text(timed.time)} {literal})")
    return _block("(:init", lines)


def state_text(atoms: Iterable[GroundAtom], values: Iterable[tuple[GroundAtom, Fraction]]) -> str:
    """A state as an ``(:init …)`` block."""
    lines = [str(atom) for atom in atoms]
    return _block("(:init", lines + [f"(= {fluent} {number_text(value)})" for fluent, value in values])


def goal_text(problem: Problem) -> str:
    """``(:goal …)``, and the metric on a line of its own."""
    text = f"(:goal {write_condition(problem.goal)})"
    if problem.metric is not None:
        text += f"\n(:metric {problem.metric.direction} {expression_text(problem.metric.expression)})"
    return text


def condition_text(condition: Condition) -> str:
    """A condition as PDDL."""
    return write_condition(condition)


def reason(condition: Condition, state: State | None = None) -> str:
    """That a condition does not hold: ``(clear b) is false``, for an unmet negation ``(clear b) is true``.

    In a known state a comparison's fluents are told with their values: ``(>= (f) 5) is false with (= (f) 3)``.
    """
    if isinstance(condition, Comparison) and is_undefined(condition):
        by_zero = isinstance(condition.left, Arithmetic)
        return f"{expression_text(condition.left)} {'would be a division by zero' if by_zero else 'has no value'}"
    if isinstance(condition, Not):
        return f"{write_condition(condition.body)} is true{_values(condition.body, state)}"
    return f"{write_condition(condition)} is false{_values(condition, state)}"


def _values(condition: Condition, state: State | None) -> str:
    """The values of the fluents in a comparison, where they are known."""
    if not isinstance(condition, Comparison):
        return ""
    fluents = dict.fromkeys((*_fluents(condition.left), *_fluents(condition.right)))
    values = [(fluent, value_in(state, fluent)) for fluent in fluents]
    said = [f"(= {expression_text(fluent)} {number_text(value)})" for fluent, value in values if value is not None]
    return f" with {' '.join(said)}" if said else ""


def _fluents(expression: Expression) -> Iterator[Fluent]:
    if isinstance(expression, Fluent):
        yield expression
    elif isinstance(expression, Arithmetic):
        for operand in expression.operands:
            yield from _fluents(operand)


def _typed(names: Sequence[str], types: Sequence[str]) -> str:
    kind = types[0] if len(types) == 1 else f"(either {' '.join(types)})"
    return f"{' '.join(names)} - {kind}"


def _block(head: str, lines: Sequence[str]) -> str:
    return "\n  ".join([head, *lines]) + ")" if lines else f"{head})"


def expression_text(expression: Expression) -> str:
    """A numeric expression as PDDL, its numbers exact."""
    match expression:
        case Number(value=value):
            return number_text(value)
        case Fluent(name=name, args=args):
            return f"({' '.join((name, *args))})"
        case Arithmetic(operator=operator, operands=operands):
            return f"({' '.join((operator, *map(expression_text, operands)))})"
        case _:
            return f"({' '.join((expression.name, *expression.args))})" if expression.args else expression.name

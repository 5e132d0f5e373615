"""The PDDL twins of the told texts: the style in which a model sees the task as PDDL (Stein et al., section 5).

A text is a block of a problem file: ``(:objects …)``, ``(:init …)``, ``(:goal …)`` with ``(:metric …)`` behind it.
A state is told as an ``(:init …)`` block, too. A reason is the unmet ground condition "is false", or its body
"is true" where a negation is unmet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from pddl2nl.nl.compose import number_text
from pddl2nl.pddl import write_condition, write_domain
from pddl2nl.pddl.tree import Arithmetic, Condition, Domain, Expression, Fluent, GroundAtom, Not, Number, Problem

__all__ = ["condition_text", "domain_text", "goal_text", "init_text", "objects_text", "reason", "state_text"]


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
        text += f"\n(:metric {problem.metric.direction} {_expression(problem.metric.expression)})"
    return text


def condition_text(condition: Condition) -> str:
    """A condition as PDDL."""
    return write_condition(condition)


def reason(condition: Condition) -> str:
    """That a condition does not hold: ``(clear b) is false``, for an unmet negation ``(clear b) is true``."""
    if isinstance(condition, Not):
        return f"{write_condition(condition.body)} is true"
    return f"{write_condition(condition)} is false"


def _typed(names: Sequence[str], types: Sequence[str]) -> str:
    kind = types[0] if len(types) == 1 else f"(either {' '.join(types)})"
    return f"{' '.join(names)} - {kind}"


def _block(head: str, lines: Sequence[str]) -> str:
    return "\n  ".join([head, *lines]) + ")" if lines else f"{head})"


def _expression(expression: Expression) -> str:
    match expression:
        case Number(value=value):
            return number_text(value)
        case Fluent(name=name, args=args):
            return f"({' '.join((name, *args))})"
        case Arithmetic(operator=operator, operands=operands):
            return f"({' '.join((operator, *map(_expression, operands)))})"
        case _:
            return f"({' '.join((expression.name, *expression.args))})" if expression.args else expression.name

"""The style ``pddl``: a model sees the task as PDDL (Stein et al., section 5).

Objects, initial state, goal and metric are blocks of a problem file; any state is an ``(:init …)`` block. A reason is
the unmet ground condition with "is false", or, for an unmet negation, its body with "is true", and the values of the
numeric fluents that it compares.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from pddl2nl.nl.telling.reasons import is_undefined, value_in
from pddl2nl.pddl import write_condition, write_domain
from pddl2nl.pddl.tree import (
    Arithmetic,
    Comparison,
    Condition,
    Domain,
    Fluent,
    GroundAtom,
    Not,
    Problem,
    number_text,
    typed_groups,
    walk,
    write_types,
)

if TYPE_CHECKING:
    from pddlval import State


def domain_text(domain: Domain) -> str:
    """The domain as PDDL."""
    return write_domain(domain).rstrip()


def objects_text(problem: Problem) -> str:
    """``(:objects …)``, a line for each run of objects of one type; constants stand in the domain."""
    runs = typed_groups(problem.objects)
    return _block("(:objects", [f"{' '.join(names)} - {write_types(types)}" for names, types in runs])


def init_text(problem: Problem) -> str:
    """``(:init …)``, an entry a line, each atom once."""
    lines = [str(atom) for atom in dict.fromkeys(problem.init)]
    lines += [f"(not {atom})" for atom in dict.fromkeys(problem.init_negative)]
    for item in problem.init_values:
        value = item.value if isinstance(item.value, str) else number_text(item.value)
        lines.append(f"(= {item.fluent} {value})")
    for timed in problem.init_timed:
        lines.append(f"(at {number_text(timed.time)} {timed.fact})")
    return _block("(:init", lines)


def state_text(atoms: Iterable[GroundAtom], values: Iterable[tuple[GroundAtom, Fraction]]) -> str:
    """A state as an ``(:init …)`` block."""
    lines = [str(atom) for atom in atoms]
    return _block("(:init", lines + [f"(= {fluent} {number_text(value)})" for fluent, value in values])


def goal_text(problem: Problem) -> str:
    """``(:goal …)``, and the metric on a line of its own."""
    text = f"(:goal {write_condition(problem.goal)})"
    if problem.metric is not None:
        # As problem files write it: the time needs no parentheses.
        expression = str(problem.metric.expression).replace("(total-time)", "total-time")
        text += f"\n(:metric {problem.metric.direction} {expression})"
    return text


def reason(condition: Condition, state: State | None = None) -> str:
    """That a condition does not hold: ``(clear b) is false``, for an unmet negation ``(clear b) is true``.

    In a known state a comparison's fluents are told with their values: ``(>= (f) 5) is false with (= (f) 3)``.
    """
    if isinstance(condition, Comparison) and is_undefined(condition):
        by_zero = isinstance(condition.left, Arithmetic)
        return f"{condition.left} {'would be a division by zero' if by_zero else 'has no value'}"
    if isinstance(condition, Not):
        return f"{write_condition(condition.body)} is true{_values(condition.body, state)}"
    return f"{write_condition(condition)} is false{_values(condition, state)}"


def _values(condition: Condition, state: State | None) -> str:
    if not isinstance(condition, Comparison):
        return ""
    fluents = dict.fromkeys(node for node in walk(condition) if isinstance(node, Fluent))
    values = [(fluent, value_in(state, fluent)) for fluent in fluents]
    said = [f"(= {fluent} {number_text(value)})" for fluent, value in values if value is not None]
    return f" with {' '.join(said)}" if said else ""


def _block(head: str, lines: Sequence[str]) -> str:
    return "\n  ".join([head, *lines]) + ")" if lines else f"{head})"

"""Lists to tree: effects, of actions and of durative actions, and durations."""

from __future__ import annotations

from pddl2nl.pddl.build_conditions import (
    COMPARISONS,
    UPDATES,
    Builder,
    atom,
    comparison,
    condition,
    only_part,
    parts,
    quantifier,
    time_of,
    timed,
    timed_condition,
)
from pddl2nl.pddl.build_terms import Build, expression, first_word, show
from pddl2nl.pddl.diagnostics import Span
from pddl2nl.pddl.nesting import Node, Word
from pddl2nl.pddl.tree import And, Condition, Effect, Fluent, Not, Timed, Update, When

__all__ = ["duration", "effect", "timed_effect"]

_NOT_EFFECTS = {
    "or": "a disjunction cannot be an effect",
    "exists": "an existential quantification cannot be an effect",
    "imply": "an implication cannot be an effect; 'when' makes an effect conditional",
    "preference": "a preference cannot be an effect",
} | dict.fromkeys(COMPARISONS, "a comparison cannot be an effect; 'assign' sets a numeric fluent")


def effect(build: Build, node: Node) -> Effect:
    """The effect of an action, a process or an event."""
    return _effect(build, node, effect, condition)


def timed_effect(build: Build, node: Node) -> Effect:
    """The effect of a durative action: ``(at start e)``, ``(at end e)``, continuous updates, and what combines them."""
    if time_of(build, node):
        found = timed(build, node, effect)
        if isinstance(found, Timed) and found.when == "over all":
            build.log.error(node.start, "an effect 'over all'", expected="(at start …) or (at end …)")
        return found
    return _effect(build, node, timed_effect, timed_condition)


def _effect(build: Build, node: Node, make: Builder, make_condition: Builder) -> Effect:
    head = first_word(build, node)
    span = Span(node.start, node.end)
    if head == "and":
        return And(parts(build, node, make, "effect", atoms=make is effect), span)
    if head == "not":
        return Not(only_part(build, node, _deleted, atoms=True), span)
    if not head and not node.items:
        return And((), span)
    if head == "forall":
        return quantifier(build, node, make)
    if head == "when":
        return _when(build, node, make, make_condition)
    if head in UPDATES and _is_update(build, node):
        return _update(build, node)
    if head in _NOT_EFFECTS:
        build.log.error(node.start, _NOT_EFFECTS[head], found=show(build, node))
        return And()
    return atom(build, node)


def _deleted(build: Build, node: Node) -> Condition:
    head = first_word(build, node)
    if head in _NOT_EFFECTS or head in ("and", "not", "forall", "when", ""):
        expected = "an atom behind 'not' in an effect"
        build.log.error(node.start, "only an atom can be deleted", expected=expected, found=show(build, node))
        return And()
    return atom(build, node)


def _when(build: Build, node: Node, make: Builder, make_condition: Builder) -> Effect:
    items = build.nest.all(node)[1:]
    lists = [item for item in items if isinstance(item, Node)]
    if len(lists) != 2 or len(items) != 2:
        message = f"'when' takes a condition and an effect, not {len(items)} things"
        build.log.error(node.start, message, expected="(when (condition) (effect))", found=show(build, node))
        return And()
    return When(make_condition(build, lists[0]), make(build, lists[1]), Span(node.start, node.end))


def _is_update(build: Build, node: Node) -> bool:
    # `(assign ?x ?y)` may be an ordinary predicate: an update's first argument is a fluent.
    words = build.nest.split(node.head)
    return bool(node.items) or (len(words) == 3 and words[1] in build.functions)


def _update(build: Build, node: Node) -> Effect:
    items = build.nest.all(node)
    operator = first_word(build, node)
    if len(items) != 3:
        message = f"'{operator}' takes a fluent and a value, not {len(items) - 1} things"
        build.log.error(node.start, message, expected=f"({operator} (fluent) value)", found=show(build, node))
        return And()
    fluent = expression(build, items[1])
    value = expression(build, items[2])
    if fluent is not None and not isinstance(fluent, Fluent):
        expected = "a fluent, such as (total-cost)"
        build.log.error(
            items[1].start, f"'{operator}' of what is no fluent", expected=expected, found=show(build, items[1])
        )
        return And()
    return And() if fluent is None or value is None else Update(operator, fluent, value, Span(node.start, node.end))


def duration(build: Build, node: Node) -> Condition:
    """The duration of a durative action: comparisons with ``?duration``, timed ones, and their conjunction."""
    head = first_word(build, node)
    if head == "and":
        return And(parts(build, node, duration, "duration constraint"), Span(node.start, node.end))
    if time_of(build, node):
        return timed(build, node, duration)
    if not head and not node.items:
        return And((), Span(node.start, node.end))
    if head in COMPARISONS:
        items = build.nest.all(node)
        if len(items) == 3 and isinstance(items[1], Word) and items[1].text == "?duration":
            return comparison(build, node)
    expected = "(= ?duration …), (<= ?duration …) or (>= ?duration …)"
    build.log.error(node.start, "no duration constraint", expected=expected, found=show(build, node))
    return And()

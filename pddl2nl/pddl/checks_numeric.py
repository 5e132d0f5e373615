"""Checks of numeric effects and comparisons: numbers meet numbers, and no two effects contradict each other."""

from __future__ import annotations

from collections.abc import Mapping

from pddl2nl.pddl.log import Log
from pddl2nl.pddl.symbols import Symbols, Types, type_text
from pddl2nl.pddl.tree import And, Arithmetic, Condition, Expression, Fluent, Number, Special, Update, is_variable
from pddl2nl.pddl.writer import write_condition, write_expression

__all__ = ["NUMERIC", "check_conflicts", "check_operands", "check_update", "value_types"]

NUMERIC = ("number",)
_NUMBERS = ("?duration", "#t", "total-time", "is-violated")
_KIND = {"assign": "assign", "increase": "add", "decrease": "add", "scale-up": "scale", "scale-down": "scale"}


def value_types(symbols: Symbols, node: Expression, scope: Mapping[str, Types]) -> Types | None:
    """The types of an expression's value, ``("number",)`` for a number; None where they are not known."""
    match node:
        case Number() | Arithmetic():
            return NUMERIC
        case Fluent(name=name):
            return symbols.function_types.get(name)
        case Special(name=name):
            if name in _NUMBERS:
                return NUMERIC
            return scope.get(name) if is_variable(name) else symbols.objects.get(name)


def check_operands(
    log: Log, symbols: Symbols, what: str, operands: tuple[Expression, ...], scope: Mapping[str, Types]
) -> None:
    """Checks that an operator which needs numbers gets them."""
    for operand in operands:
        types = value_types(symbols, operand, scope)
        if types not in (None, NUMERIC):
            told = write_expression(operand)
            message = f"{what} needs numbers, and '{told}' is an object"
            log.error(operand.span.start, message, expected="a number", found=f"{told} - {type_text(types or ())}")


def check_update(log: Log, symbols: Symbols, node: Update, scope: Mapping[str, Types]) -> None:
    """Checks that a number is put where a number is kept, and an object where an object is."""
    own = symbols.function_types.get(node.fluent.name)
    if own is None:
        return
    start, found = node.span.start, write_condition(node)
    if own != NUMERIC and node.operator != "assign":
        message = f"'{node.operator}' of '{node.fluent.name}', whose value is no number"
        log.error(start, message, expected=f"(assign {write_expression(node.fluent)} …)", found=found)
        return
    value = value_types(symbols, node.value, scope)
    if value is None:
        return
    if (own == NUMERIC) != (value == NUMERIC):
        message = f"the value of '{node.fluent.name}' is {'a number' if own == NUMERIC else 'an object'}"
        log.error(node.value.span.start, message, expected=type_text(own), found=found)
    elif own != NUMERIC and not symbols.meets(value, own):
        message = f"the value of '{node.fluent.name}' has the wrong type"
        expected, told = type_text(own), f"{write_expression(node.value)} - {type_text(value)}"
        log.error(node.value.span.start, message, expected=expected, found=told)


def check_conflicts(log: Log, effect: Condition) -> None:
    """Checks a conjunction for numeric effects on one and the same fluent that can never happen together.

    Increases and decreases add up and scalings multiply; updates of different kinds, and assignments of different
    numbers, have no order (Fox and Long 2003, definition 12). Effects of the same terms are compared, not those
    that become the same when the action is ground: the simulator sees these.
    """
    first: dict[Fluent, Update] = {}
    todo: list[Condition] = [effect]
    while todo:
        part = todo.pop()
        if isinstance(part, And):
            todo.extend(reversed(part.parts))
        elif isinstance(part, Update):
            before = first.setdefault(part.fluent, part)
            if before is not part and _conflict(before, part):
                message = f"two effects on '{write_expression(part.fluent)}' contradict each other"
                found = f"{write_condition(before)} and {write_condition(part)}"
                log.error(part.span.start, message, expected="one of them", found=found)


def _conflict(one: Update, other: Update) -> bool:
    if _KIND[one.operator] != _KIND[other.operator]:
        return True
    constants = isinstance(one.value, Number) and isinstance(other.value, Number)
    return one.operator == "assign" and constants and one.value != other.value

"""Checks of formulas: symbols declared, arity, types, variables bound, numeric effects that fit together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import cast

from pddl2nl.pddl.diagnostics import Log, Near
from pddl2nl.pddl.nesting import argument_start
from pddl2nl.pddl.requirements import Used
from pddl2nl.pddl.symbols import Signature, Symbols, Types, signature_text, type_text
from pddl2nl.pddl.tree import (
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    Equality,
    Exists,
    Expression,
    Fluent,
    Forall,
    Imply,
    Not,
    Number,
    Or,
    Preference,
    Special,
    Timed,
    TypedName,
    Update,
    When,
    children,
    is_variable,
)
from pddl2nl.pddl.writer import write_condition, write_expression

__all__ = ["FormulaChecker"]

Scope = dict[str, Types]


_NEEDED: dict[type, tuple[str, str]] = {
    Not: (":negative-preconditions", "a negated condition"),
    Or: (":disjunctive-preconditions", "'or'"),
    Imply: (":disjunctive-preconditions", "'imply'"),
    Forall: (":universal-preconditions", "'forall' in a condition"),
    Exists: (":existential-preconditions", "'exists'"),
    Preference: (":preferences", "a preference"),
    Equality: (":equality", "'='"),
}
"""The requirement that a condition needs, and how messages call the condition."""


class FormulaChecker:
    """Checks formulas against symbols, and notes which requirements they use."""

    def __init__(self, log: Log, text: str, symbols: Symbols, used: Used):
        self.log = log
        self.text = text
        self.symbols = symbols
        self.used = used
        self._good: set[tuple[int, int]] = set()

    def use(self, flag: str, start: int, what: str) -> None:
        """Notes that something needs a requirement flag."""
        self.used.setdefault(flag, (start, what))

    # ── what is the same in conditions and effects ──

    def atom(self, atom: Atom, scope: Scope) -> None:
        """Checks an atom: predicate declared, arity, arguments known and of a type that fits."""
        signature = self.symbols.predicates.get(atom.predicate)
        if signature is None:
            self._undeclared_predicate(atom)
            return
        args = atom.args
        if len(args) != len(signature.types):
            self._arity("predicate", atom.predicate, args, signature, atom.span.start)
            return
        if args:
            self._arguments(atom.predicate, args, signature, atom.span.start, scope)

    def _undeclared_predicate(self, atom: Atom) -> None:
        names = self.symbols.predicates
        if atom.predicate in self.symbols.functions:
            message = f"'{atom.predicate}' is a function, and not a condition by itself"
            self.log.error(atom.span.start, message, expected=f"a comparison, such as (>= {atom} 1)", found=str(atom))
            return
        message = f"undeclared predicate '{atom.predicate}'"
        self.log.error(atom.span.start, message, found=str(atom), suggestion=Near(atom.predicate, names))

    def _arity(self, what: str, name: str, args: Sequence[str], signature: Signature, start: int) -> None:
        wanted = len(signature.types)
        message = f"{what} '{name}' takes {wanted} argument{'s' if wanted != 1 else ''}, not {len(args)}"
        found = f"({' '.join((name, *args))})"
        self.log.error(start, message, expected=signature_text(name, signature), found=found)

    def _arguments(self, name: str, args: Sequence[str], signature: Signature, start: int, scope: Scope) -> None:
        good = self._good
        for index, term in enumerate(args):
            own = scope.get(term)
            if own is None:
                own = self.term(term, scope, start, index + 1)
                if own is None:
                    continue
            wanted = signature.types[index]
            if (id(own), id(wanted)) in good and term[0] == "?":
                continue
            fits = self.symbols.meets(own, wanted) if is_variable(term) else self.symbols.fits(own, wanted)
            if fits:
                if is_variable(term):
                    good.add((id(own), id(wanted)))
                continue
            message = f"argument {index + 1} of '{name}' has the wrong type"
            expected = f"{type_text(wanted)}, as in {signature_text(name, signature)}"
            place = argument_start(self.text, start, index + 1)
            self.log.error(place, message, expected=expected, found=f"{term} - {type_text(own)}")

    def term(self, term: str, scope: Scope, start: int, index: int) -> Types | None:
        """The types of a term; None, with an error, if it is unknown."""
        own = scope.get(term) if is_variable(term) else self.symbols.objects.get(term)
        if own is not None:
            return own
        place = argument_start(self.text, start, index) if index else start
        if is_variable(term):
            message = f"undeclared variable '{term}'"
            self.log.error(place, message, found=term, suggestion=Near(term, scope))
        else:
            suggestion = f"?{term}" if f"?{term}" in scope else Near(term, self.symbols.objects)
            self.log.error(place, f"undeclared object '{term}'", found=term, suggestion=suggestion)
        return None

    def types(self, items: Sequence[TypedName]) -> None:
        """Checks that the types of parameters or objects are declared, and that every name is declared once."""
        seen: set[str] = set()
        for item in items:
            self.type_names(item)
            if item.name in seen:
                self.log.error(item.span.start, f"'{item.name}' is declared twice", found=item.name)
            seen.add(item.name)

    def type_names(self, item: TypedName) -> None:
        """Checks that the types of one name are declared."""
        for name in item.types:
            if name != "object":
                self.use(":typing", item.span.start, "a type")
            if name not in self.symbols.above:
                suggestion = Near(name, self.symbols.above)
                message = f"undeclared type '{name}' of '{item.name}'"
                self.log.error(item.span.start, message, found=name, suggestion=suggestion)

    @contextmanager
    def _bound(self, scope: Scope, parameters: Sequence[TypedName]) -> Iterator[None]:
        """Adds the variables of a quantifier to a scope while its body is checked."""
        # In place: an action may have thousands of parameters, and thousands of quantifiers that would copy them.
        self.types(parameters)
        hidden: Scope = {}
        for item in parameters:
            if item.name in scope:
                self.log.warning(item.span.start, f"'{item.name}' hides a variable of the same name around it")
                hidden[item.name] = scope[item.name]
        own = {item.name: item.types for item in parameters}
        scope.update(own)
        yield
        for name in own:
            del scope[name]
        scope.update(hidden)

    # ── conditions ──

    def condition(self, node: Condition, scope: Scope) -> None:
        """Checks a condition, a durative condition, a duration or a constraint."""
        if type(node) is Atom:
            self.atom(node, scope)
            return
        if type(node) is not And:
            flag, what = _NEEDED.get(type(node), ("", ""))
            if flag and not (isinstance(node, Not) and isinstance(node.body, Equality)):
                self.use(flag, node.span.start, what)
        match node:
            case And(parts=parts):
                for part in parts:
                    self.condition(part, scope)
            case Equality() | Comparison():
                self._comparison(node, scope)
            case Forall(parameters=parameters, body=body) | Exists(parameters=parameters, body=body):
                with self._bound(scope, parameters):
                    self.condition(body, scope)
            case _:
                for child in children(node):
                    self.condition(cast("Condition", child), scope)

    def _comparison(self, node: Condition, scope: Scope) -> None:
        if isinstance(node, Equality):
            left = self.term(node.left, scope, node.span.start, 1)
            right = self.term(node.right, scope, node.span.start, 2)
            if left and right and not self.symbols.meets(left, right):
                # It has a truth value, so it is no error, but probably a mistake.
                found = f"{node.left} - {type_text(left)}, {node.right} - {type_text(right)}"
                self.log.warning(node.span.start, "these two can never be equal", found=found)
        elif isinstance(node, Comparison):
            self.use(":numeric-fluents", node.span.start, f"'{node.operator}' between numbers")
            self.expression(node.left, scope)
            self.expression(node.right, scope)
            sides = (node.left, node.right)
            numeric = [value_types(self.symbols, side, scope) in (None, NUMERIC) for side in sides]
            if node.operator != "=" or numeric[0] != numeric[1]:
                check_operands(self.log, self.symbols, f"'{node.operator}'", sides, scope)

    # ── effects ──

    def effect(self, node: Condition, scope: Scope) -> None:
        """Checks an effect."""
        if self.symbols.functions:
            check_conflicts(self.log, node)
        self._effect(node, scope)

    def _effect(self, node: Condition, scope: Scope) -> None:
        match node:
            case Atom():
                self.atom(node, scope)
                self._not_derived(node)
            case And(parts=parts):
                for part in parts:
                    self._effect(part, scope)
            case Not(body=body) | Timed(body=body):
                self.effect(body, scope)
            case Forall(parameters=parameters, body=body):
                self.use(":conditional-effects", node.span.start, "'forall' in an effect")
                with self._bound(scope, parameters):
                    self.effect(body, scope)
            case When(condition=condition, effect=effect):
                self.use(":conditional-effects", node.span.start, "'when'")
                self.condition(condition, scope)
                self.effect(effect, scope)
            case Update(operator=operator, fluent=fluent, value=value):
                cost = operator == "increase" and not fluent.args
                flag = ":action-costs" if cost else ":numeric-fluents"
                self.use(flag, node.span.start, f"'{operator}'")
                self.expression(fluent, scope)
                self.expression(value, scope)
                check_update(self.log, self.symbols, node, scope)

    def _not_derived(self, atom: Atom) -> None:
        if atom.predicate in self.symbols.derived:
            message = f"'{atom.predicate}' is derived: an effect cannot change it"
            self.log.error(atom.span.start, message, found=str(atom))

    # ── expressions ──

    def expression(self, node: Expression, scope: Scope) -> None:
        """Checks a numeric expression, or the value of an object fluent."""
        match node:
            case Number():
                return
            case Fluent():
                self._fluent(node, scope)
            case Arithmetic(operands=operands):
                for operand in operands:
                    self.expression(operand, scope)
                check_operands(self.log, self.symbols, "arithmetic", operands, scope)
            case Special(name=name):
                plain = name in ("?duration", "#t", "total-time", "is-violated", "undefined")
                if not plain:
                    self.use(":object-fluents", node.span.start, "an object as a value")
                    self.term(name, scope, node.span.start, 0)

    def _fluent(self, node: Fluent, scope: Scope) -> None:
        signature = self.symbols.functions.get(node.name)
        told = f"({' '.join((node.name, *node.args))})"
        if signature is None:
            if node.name in self.symbols.predicates:
                message = f"'{node.name}' is a predicate, and has no value"
                self.log.error(node.span.start, message, found=told)
            else:
                suggestion = Near(node.name, self.symbols.functions)
                message = f"undeclared function '{node.name}'"
                self.log.error(node.span.start, message, found=told, suggestion=suggestion)
        elif len(signature.types) != len(node.args):
            self._arity("function", node.name, node.args, signature, node.span.start)
        else:
            self._arguments(node.name, node.args, signature, node.span.start, scope)


# ── numbers ──────────────────────────────────────────────────────────────────────────────────────

NUMERIC = ("number",)
_NUMBERS = ("?duration", "#t", "total-time", "is-violated")
_KIND = {"assign": "assign", "increase": "add", "decrease": "add", "scale-up": "scale", "scale-down": "scale"}


def value_types(symbols: Symbols, node: Expression, scope: Mapping[str, Types]) -> Types | None:
    """The types of an expression's value, ``("number",)`` for a number; None if they are unknown."""
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
    """Checks that the operands are numbers."""
    for operand in operands:
        types = value_types(symbols, operand, scope)
        if types not in (None, NUMERIC):
            told = write_expression(operand)
            message = f"{what} needs numbers, and '{told}' is an object"
            log.error(operand.span.start, message, expected="a number", found=f"{told} - {type_text(types or ())}")


def check_update(log: Log, symbols: Symbols, node: Update, scope: Mapping[str, Types]) -> None:
    """Checks that a numeric fluent gets a number, and an object fluent an object of its type."""
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
    """Checks a conjunction for numeric effects on one and the same fluent that contradict each other.

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

"""Checks of formulas: symbols declared, arity, types, variables bound, numeric effects that fit together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Literal, TypeVar, cast

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
    Function,
    Imply,
    Not,
    Number,
    Or,
    Predicate,
    Preference,
    Schema,
    Special,
    Timed,
    TypedName,
    Update,
    When,
    children,
    is_variable,
)

Scope = dict[str, Types]
_Named = TypeVar("_Named", TypedName, Predicate | Function, Schema)
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
NUMERIC = ("number",)
_NUMBERS = ("?duration", "#t", "total-time", "is-violated")
_KIND = {"assign": "assign", "increase": "add", "decrease": "add", "scale-up": "scale", "scale-down": "scale"}


def repeated(items: Sequence[_Named]) -> list[tuple[_Named, _Named]]:
    """Each item whose name an earlier one has, after the first of that name."""
    if len({item.name for item in items}) == len(items):
        return []
    first: dict[str, _Named] = {}
    pairs = [(first.setdefault(item.name, item), item) for item in items]
    return [(known, item) for known, item in pairs if known is not item]


class FormulaChecker:
    """Checks formulas against symbols, and notes which requirements they use.

    ``reported`` is a set while an initial state is checked: an unknown name is then reported only once, as it may occur
    in a thousand atoms, and every term is an object.
    """

    def __init__(self, log: Log, text: str, symbols: Symbols, used: Used):
        self.log = log
        self.text = text
        self.symbols = symbols
        self.used = used
        self.reported: set[str] | None = None
        self._good: set[tuple[int, int]] = set()

    def use(self, flag: str, start: int, what: str) -> None:
        """Notes that something needs a requirement flag."""
        self.used.setdefault(flag, (start, what))

    # ── names ──

    def wrong(self, what: Literal["predicate", "function"], name: str, args: Sequence[str], start: int) -> None:
        """Reports a predicate or a function that is not declared, or not with this number of arguments."""
        names, others = self.symbols.predicates, self.symbols.functions
        if what == "function":
            names, others = others, names
        text, signature = f"({' '.join((name, *args))})", names.get(name)
        if signature is not None:
            wanted = len(signature.types)
            message = f"{what} '{name}' takes {wanted} argument{'s' if wanted != 1 else ''}, not {len(args)}"
            self.log.error(start, message, expected=signature_text(name, signature), found=text)
        elif self._is_news(name):
            if name in others:
                other = "function" if what == "predicate" else "predicate"
                self.log.error(start, f"'{name}' is a {other}, not a {what}", found=text)
            else:
                message = f"undeclared {what} '{name}'" if self.reported is None else f"{what} '{name}' is not declared"
                self.log.error(start, message, found=text, suggestion=Near(name, names))

    def _is_news(self, name: str) -> bool:
        if self.reported is None:
            return True
        if name in self.reported:
            return False
        self.reported.add(name)
        return True

    def arguments(self, name: str, args: Sequence[str], signature: Signature, start: int, scope: Scope) -> None:
        """Checks that arguments are known and of types that fit."""
        good = self._good
        for index, term in enumerate(args):
            own = scope.get(term)
            if own is None:
                text = "" if self.reported is None else f"({' '.join((name, *args))})"
                own = self.term(term, scope, start, index + 1, text)
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
            place = partial(argument_start, self.text, start, index + 1)
            self.log.error(place, message, expected=expected, found=f"{term} - {type_text(own)}")

    def term(self, term: str, scope: Scope, start: int, index: int, text: str = "") -> Types | None:
        """The types of a term; None, with an error, if it is unknown."""
        variable = is_variable(term) and self.reported is None
        own = scope.get(term) if variable else self.symbols.objects.get(term)
        if own is not None or not self._is_news(term):
            return own
        place = partial(argument_start, self.text, start, index) if index else start
        names = scope if variable else self.symbols.objects
        suggestion = f"?{term}" if f"?{term}" in scope else Near(term, names)
        what = "variable" if variable else "object"
        self.log.error(place, f"undeclared {what} '{term}'", found=text or term, suggestion=suggestion)
        return None

    def types(self, items: Sequence[TypedName]) -> None:
        """Checks that the types of parameters are declared, and that every name is declared once."""
        for item in items:
            self.type_names(item)
        for _, item in repeated(items):
            self.log.error(item.span.start, f"'{item.name}' is declared twice", found=item.name)

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

    def atom(self, atom: Atom, scope: Scope) -> None:
        """Checks an atom: predicate declared, arity, arguments known and of a type that fits."""
        signature = self.symbols.predicates.get(atom.predicate)
        if signature is None or len(atom.args) != len(signature.types):
            self.wrong("predicate", atom.predicate, atom.args, atom.span.start)
        elif atom.args:
            self.arguments(atom.predicate, atom.args, signature, atom.span.start, scope)

    def condition(self, node: Condition, scope: Scope) -> None:
        """Checks a condition, a durative condition, a duration or a constraint."""
        if type(node) is Atom:
            self.atom(node, scope)
            return
        if type(node) is And:
            for part in node.parts:
                self.condition(part, scope)
            return
        flag, what = _NEEDED.get(type(node), ("", ""))
        if flag and not (isinstance(node, Not) and isinstance(node.body, Equality)):
            self.use(flag, node.span.start, what)
        match node:
            case Equality():
                self._equality(node, scope)
            case Comparison():
                self._comparison(node, scope)
            case Forall(parameters=parameters, body=body) | Exists(parameters=parameters, body=body):
                with self._bound(scope, parameters):
                    self.condition(body, scope)
            case _:
                for child in children(node):
                    self.condition(cast("Condition", child), scope)

    def _equality(self, node: Equality, scope: Scope) -> None:
        left = self.term(node.left, scope, node.span.start, 1)
        right = self.term(node.right, scope, node.span.start, 2)
        if left and right and not self.symbols.meets(left, right):
            # It has a truth value, so it is not an error, but probably a mistake.
            sides = f"{node.left} - {type_text(left)}, {node.right} - {type_text(right)}"
            self.log.warning(node.span.start, "these two can never be equal", found=sides)

    def _comparison(self, node: Comparison, scope: Scope) -> None:
        self.use(":numeric-fluents", node.span.start, f"'{node.operator}' between numbers")
        sides = (node.left, node.right)
        for side in sides:
            self.expression(side, scope)
        numeric = [self._value_types(side, scope) in (None, NUMERIC) for side in sides]
        if node.operator != "=" or numeric[0] != numeric[1]:
            self._numbers(f"'{node.operator}'", sides, scope)

    # ── effects ──

    def effect(self, node: Condition, scope: Scope) -> None:
        """Checks an effect."""
        if self.symbols.functions:
            _check_conflicts(self.log, node)
        self._effect(node, scope)

    def _effect(self, node: Condition, scope: Scope) -> None:
        match node:
            case Atom():
                self.atom(node, scope)
                if node.predicate in self.symbols.derived:
                    message = f"'{node.predicate}' is derived: an effect cannot change it"
                    self.log.error(node.span.start, message, found=str(node))
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
                self._update(node, scope)

    def _update(self, node: Update, scope: Scope) -> None:
        """Checks that a numeric fluent gets a number, and an object fluent an object of its type."""
        own, value = self.symbols.function_types.get(node.fluent.name), self._value_types(node.value, scope)
        if own is not None and own != NUMERIC and node.operator != "assign":
            message = f"'{node.operator}' of '{node.fluent.name}', whose value is no number"
            self.log.error(node.span.start, message, expected=f"(assign {node.fluent} …)", found=str(node))
        elif own is not None and value is not None:
            self.value(node.fluent.name, own, value, f"{node.value} - {type_text(value)}", node.value.span.start)

    def value(self, name: str, own: Types, value: Types, found: str, start: int) -> None:
        """Checks that a value of these types may be given to a function of these types."""
        if (own == NUMERIC) != (value == NUMERIC):
            message = f"the value of '{name}' is {'a number' if own == NUMERIC else 'an object'}"
            self.log.error(start, message, expected=type_text(own), found=found)
        elif own != NUMERIC and not self.symbols.meets(value, own):
            self.log.error(start, f"the value of '{name}' has the wrong type", expected=type_text(own), found=found)

    # ── expressions ──

    def expression(self, node: Expression, scope: Scope) -> None:
        """Checks a numeric expression, or the value of an object fluent."""
        match node:
            case Fluent(name=name, args=args):
                signature = self.symbols.functions.get(name)
                if signature is None or len(signature.types) != len(args):
                    self.wrong("function", name, args, node.span.start)
                else:
                    self.arguments(name, args, signature, node.span.start, scope)
            case Arithmetic(operands=operands):
                for operand in operands:
                    self.expression(operand, scope)
                self._numbers("arithmetic", operands, scope)
            case Special(name=name) if name not in (*_NUMBERS, "undefined"):
                self.use(":object-fluents", node.span.start, "an object as a value")
                self.term(name, scope, node.span.start, 0)

    def _value_types(self, node: Expression, scope: Mapping[str, Types]) -> Types | None:
        """The types of an expression's value, ``("number",)`` for a number; None if they are unknown."""
        match node:
            case Fluent(name=name):
                return self.symbols.function_types.get(name)
            case Special(name=name) if name not in _NUMBERS:
                return scope.get(name) if is_variable(name) else self.symbols.objects.get(name)
        return NUMERIC

    def _numbers(self, what: str, operands: tuple[Expression, ...], scope: Scope) -> None:
        for operand in operands:
            types = self._value_types(operand, scope)
            if types not in (None, NUMERIC):
                message = f"{what} needs numbers, and '{operand}' is an object"
                typed = f"{operand} - {type_text(types or ())}"
                self.log.error(operand.span.start, message, expected="a number", found=typed)


def _check_conflicts(log: Log, effect: Condition) -> None:
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
                message = f"two effects on '{part.fluent}' contradict each other"
                log.error(part.span.start, message, expected="one of them", found=f"{before} and {part}")


def _conflict(one: Update, other: Update) -> bool:
    if _KIND[one.operator] != _KIND[other.operator]:
        return True
    constants = isinstance(one.value, Number) and isinstance(other.value, Number)
    return one.operator == "assign" and constants and one.value != other.value

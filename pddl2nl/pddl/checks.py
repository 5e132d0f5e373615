"""Checks of domains, problems and formulas.

Of formulas: symbols declared, arity, types, variables bound, numeric effects that fit together. Of definitions:
declarations, types, actions, axioms, objects and initial states. Of both: which requirement flags they need.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Literal, TypeVar, cast

from pddl2nl.pddl.build_definitions import ProblemBuilder
from pddl2nl.pddl.diagnostics import Log, Near
from pddl2nl.pddl.nesting import argument_start
from pddl2nl.pddl.stratification import components, polarities, stratify
from pddl2nl.pddl.symbols import Signature, Symbols, Types, signature_text, type_text
from pddl2nl.pddl.tree import (
    SCHEMAS,
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    DerivedPredicate,
    Domain,
    Equality,
    Exists,
    Expression,
    Fluent,
    FluentValue,
    Forall,
    Function,
    GroundAtom,
    Imply,
    Not,
    Number,
    Or,
    Predicate,
    Preference,
    Problem,
    Special,
    StepSchema,
    Timed,
    TypedName,
    Update,
    When,
    children,
    is_variable,
)

# ── requirement flags: which are known, which imply which, and which a text uses without declaring them ──

_ADL = (
    ":strips",
    ":typing",
    ":negative-preconditions",
    ":disjunctive-preconditions",
    ":equality",
    ":quantified-preconditions",
    ":existential-preconditions",
    ":universal-preconditions",
    ":conditional-effects",
)
_IMPLIED = {
    ":adl": _ADL,
    ":ucpop": (*_ADL, ":derived-predicates"),
    ":quantified-preconditions": (":existential-preconditions", ":universal-preconditions"),
    ":fluents": (":numeric-fluents", ":object-fluents", ":action-costs"),
    ":numeric-fluents": (":fluents", ":action-costs"),
    ":domain-axioms": (":derived-predicates",),
    ":timed-initial-literals": (":durative-actions",),
    ":duration-inequalities": (":durative-actions",),
    ":continuous-effects": (":durative-actions",),
    ":preferences": (":constraints",),
    ":time": (":numeric-fluents", ":fluents", ":action-costs", ":continuous-effects"),
}
_PLAIN = (
    ":object-fluents",
    ":action-costs",
    ":goal-utilities",
    ":constraints",
    ":durative-actions",
    ":derived-predicates",
)
KNOWN = frozenset((*_ADL, *_IMPLIED, *_PLAIN))
"""Every flag of PDDL 1.2 to 3.1 and of PDDL+ whose constructs are read."""

Used = dict[str, tuple[int, str]]
"""For a flag that something needs, where it is first needed and by what."""


def check_requirements(log: Log, text: str, flags: Iterable[str], start: int) -> None:
    """Warns of unknown flags; the file may not need what they mean."""
    place = start
    for flag in flags:
        place = max(place, text.find(flag, place))
        if flag not in KNOWN:
            log.warning(place, f"unknown requirement '{flag}'", suggestion=Near(flag, KNOWN))


def _closure(flags: Iterable[str]) -> set[str]:
    found: set[str] = set()
    todo = list(flags)
    while todo:
        flag = todo.pop()
        if flag not in found:
            found.add(flag)
            todo.extend(_IMPLIED.get(flag, ()))
    return found


def report_undeclared(log: Log, flags: Iterable[str], used: Used) -> None:
    """Warns of what is used without its flag. Only a warning: real files often do so."""
    declared = _closure(flags)
    for flag, (start, what) in used.items():
        if flag not in declared:
            log.warning(start, f"{what} without the requirement '{flag}'", expected=f"(:requirements … {flag})")


# ── formulas ─────────────────────────────────────────────────────────────────────────────────────

Scope = dict[str, Types]
_Named = TypeVar("_Named", TypedName, Predicate | Function, StepSchema)
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
            fits = self.symbols.above.meets(own, wanted) if is_variable(term) else self.symbols.above.fits(own, wanted)
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
        if left and right and not self.symbols.above.meets(left, right):
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
        elif own != NUMERIC and not self.symbols.above.meets(value, own):
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


_SHOWN = 12
_FEW_LEVELS = 3
"""Most hierarchies have no more; searching only deeper ones for cycles saves a twentieth of the reading time."""


# ── domains ──────────────────────────────────────────────────────────────────────────────────────

_NEEDED_BY = {
    ":durative-action": (":durative-actions", "a durative action"),
    ":process": (":time", "a process"),
    ":event": (":time", "an event"),
}


def check_domain_tree(log: Log, text: str, domain: Domain, start: int) -> None:
    """Checks a domain; ``start`` is the offset of its name."""
    used: Used = {}
    checker = FormulaChecker(log, text, Symbols.of(domain), used)
    check_requirements(log, text, domain.requirements, start)
    with log.inside("in the types"):
        _types(checker, domain)
    with log.inside("in the constants"):
        for item in domain.constants:
            checker.type_names(item)
        _repeated_objects(log, "constant", domain.constants)
    _declarations(checker, "predicate", domain.predicates)
    _declarations(checker, "function", domain.functions)
    _functions(checker, domain)
    named: dict[str, tuple[StepSchema, ...]] = {
        "action": (*domain.actions, *domain.durative_actions),
        "process": domain.processes,
        "event": domain.events,
    }
    for what, items in named.items():
        for _, again in repeated(items):
            log.error(again.span.start, f"{what} '{again.name}' is declared twice")
    for keyword, form in SCHEMAS.items():
        for action in getattr(domain, form.field):
            if keyword in _NEEDED_BY:
                checker.use(_NEEDED_BY[keyword][0], action.span.start, _NEEDED_BY[keyword][1])
            with log.inside(f"in {keyword[1:].replace('-', ' ')} '{action.name}'"):
                _schema(checker, action, form.formulas)
    for axiom in domain.derived:
        with log.inside(f"in the axiom for '{axiom.name}'"):
            _axiom(checker, axiom)
    _stratified(log, domain)
    _constraints(checker, domain.constraints, start)
    report_undeclared(log, domain.requirements, used)


def _types(checker: FormulaChecker, domain: Domain) -> None:
    log = checker.log
    for _, item in repeated(domain.types):
        # storage (IPC 2006) declares `area` twice, below object and below surface: it is below both.
        log.warning(item.span.start, f"type '{item.name}' is declared twice", found=_typed(item))
    declared = {"object", "number", *(item.name for item in domain.types)}
    parents: dict[str, dict[str, bool]] = {}
    for item in domain.types:
        checker.use(":typing", item.span.start, "types")
        above = parents.setdefault(item.name, {})
        for parent in item.types:
            if parent not in declared:
                # Common in real domains, and clear: a supertype is a type.
                log.warning(item.span.start, f"type '{parent}' is declared only as a supertype", found=_typed(item))
                declared.add(parent)
            # `object - object` is true, and tidybot declares `object` itself.
            if parent == item.name != "object":
                log.warning(item.span.start, f"type '{item.name}' is declared as its own supertype", found=_typed(item))
            elif parent != "object":
                above[parent] = True
    for _ in range(_FEW_LEVELS):
        # A type without supertypes is on no cycle, and neither is one below such types only.
        parents = {name: above for name, above in parents.items() if not parents.keys().isdisjoint(above)}
    parents = {name: {parent: True for parent in above if parent in parents} for name, above in parents.items()}
    on_cycle = {name: names for names in components(parents) if len(names) > 1 for name in names}
    for item in domain.types:
        names = on_cycle.get(item.name)
        if names:
            # One error is enough for all the types on the cycle.
            on_cycle = {name: other for name, other in on_cycle.items() if other is not names}
            shown = [one.name for one in domain.types if one.name in names]
            shown = shown if len(shown) <= _SHOWN else [*shown[:6], "…", *shown[-5:]]
            message = f"the types {' - '.join([*shown, shown[0]])} form a cycle"
            log.error(item.span.start, message, expected="a hierarchy", found=_typed(item))


def _typed(item: TypedName) -> str:
    return f"{item.name} - {type_text(item.types)}"


def _repeated_objects(log: Log, what: str, items: Sequence[TypedName]) -> None:
    for known, item in repeated(items):
        message = f"{what} '{item.name}' is declared twice"
        if known.types == item.types:
            log.warning(item.span.start, message)
        else:
            # Real problems have objects of different types; VAL takes them, Fast Downward does not.
            note = log.error if what == "constant" else log.warning
            message += ", with different types; it is taken to be of both"
            note(item.span.start, message, expected=type_text(known.types), found=_typed(item))


def _declarations(checker: FormulaChecker, what: str, items: Sequence[Predicate | Function]) -> None:
    with checker.log.inside(f"in the {what}s"):
        for item in items:
            with checker.log.inside(f"in {what} '{item.name}'"):
                for parameter in item.parameters:
                    checker.type_names(parameter)
                for _, parameter in repeated(item.parameters):
                    # Names in a declaration have no meaning: a repeated one is harmless, and real domains have it.
                    message = f"parameter '{parameter.name}' is declared twice"
                    checker.log.warning(parameter.span.start, message, found=parameter.name)
        for known, item in repeated(items):
            message, note = f"{what} '{item.name}' is declared twice", checker.log.warning
            if len(known.parameters) != len(item.parameters):
                message, note = f"{message}, differently", checker.log.error
            elif [one.types for one in known.parameters] != [one.types for one in item.parameters]:
                # Fast Downward compares only the numbers of arguments.
                message += ", with different types; it is taken to be of both"
            note(item.span.start, message, expected=_declared(known), found=_declared(item))


def _declared(item: Predicate | Function) -> str:
    return signature_text(item.name, Signature.of(item.parameters))


def _functions(checker: FormulaChecker, domain: Domain) -> None:
    predicates = {item.name for item in domain.predicates}
    with checker.log.inside("in the functions"):
        for item in domain.functions:
            for name in item.types:
                if name != "number" and name not in checker.symbols.above:
                    message = f"undeclared type '{name}' of function '{item.name}'"
                    checker.log.error(item.span.start, message, found=name)
            if item.name in predicates:
                message = f"'{item.name}' is both a predicate and a function"
                checker.log.warning(item.span.start, message, found=_declared(item))


def _schema(checker: FormulaChecker, action: StepSchema, formulas: Sequence[str]) -> None:
    with checker.log.inside("in its parameters"):
        checker.types(action.parameters)
    scope = {item.name: item.types for item in action.parameters}
    for key in formulas:
        formula = getattr(action, key[1:])
        with checker.log.inside(f"in its {key[1:]}"):
            if key == ":effect":
                checker.effect(formula, scope)
                continue
            before = dict(checker.used) if key == ":duration" else None
            checker.condition(formula, scope)
            if before is not None:
                # A constant duration is written as a comparison, but needs no numeric fluents.
                checker.used.clear()
                checker.used.update(before)


def _axiom(checker: FormulaChecker, axiom: DerivedPredicate) -> None:
    log = checker.log
    checker.use(":derived-predicates", axiom.span.start, "a derived predicate")
    checker.types(axiom.parameters)
    signature = checker.symbols.predicates.get(axiom.name)
    if signature is None:
        message = f"derived predicate '{axiom.name}' is not declared"
        log.error(axiom.span.start, message, expected=f"({axiom.name} …) among the predicates")
    elif len(signature.types) != len(axiom.parameters):
        counts = f"{len(axiom.parameters)} parameters and declared with {len(signature.types)}"
        message = f"'{axiom.name}' is derived with {counts}"
        log.error(axiom.span.start, message, expected=signature_text(axiom.name, signature))
    else:
        for item, wanted in zip(axiom.parameters, signature.types, strict=True):
            if not checker.symbols.above.meets(item.types, wanted):
                message = f"parameter '{item.name}' of derived '{axiom.name}' has the wrong type"
                log.error(item.span.start, message, expected=type_text(wanted), found=_typed(item))
    checker.condition(axiom.condition, {item.name: item.types for item in axiom.parameters})


def _stratified(log: Log, domain: Domain) -> None:
    cycle = stratify(domain).cycle
    if not cycle:
        return
    name, *others = cycle
    needed = others[0] if others else name
    atoms = (found for axiom in domain.derived if axiom.name == name for found in polarities(axiom.condition))
    first = next(atom for atom, positive in atoms if not positive and atom.predicate == needed)
    through = [f"'{other}'" for other in others]
    through[_SHOWN // 2 : -_SHOWN // 2] = ["…"] if len(through) > _SHOWN else through[_SHOWN // 2 : -_SHOWN // 2]
    with log.inside(f"in the axiom for '{name}'"):
        message = f"the axioms are not stratified: '{name}' needs its own negation"
        message += f", through {', '.join(through)}" if through else ""
        expected = "no derived predicate that depends on itself through a negation"
        log.error(first.span.start, message, expected=expected, found=f"(not {first})")


def _constraints(checker: FormulaChecker, constraints: Condition | None, start: int) -> None:
    if constraints is not None:
        with checker.log.inside("in the constraints"):
            checker.use(":constraints", start, "constraints")
            checker.condition(constraints, {})


# ── problems ─────────────────────────────────────────────────────────────────────────────────────


def check_problem_alone(log: Log, problem: Problem) -> None:
    """Checks what can be checked without the domain: whether an object is declared twice."""
    with log.inside("in the objects"):
        _repeated_objects(log, "object", problem.objects)


def check_problem_tree(
    log: Log, text: str, problem: Problem, built: ProblemBuilder, domain: Domain, start: int
) -> None:
    """Checks a problem against its domain; ``start`` is the offset of its name."""
    check_problem_alone(log, problem)
    check_requirements(log, text, problem.requirements, start)
    used: Used = {}
    checker = FormulaChecker(log, text, Symbols.of(domain, problem), used)
    with log.inside("in the objects"):
        _objects(checker, domain, problem)
    with log.inside("in the initial state"):
        checker.reported = set()
        _init(checker, problem, built)
        checker.reported = None
    with log.inside("in the goal"):
        checker.condition(problem.goal, {})
    _constraints(checker, problem.constraints, start)
    if problem.metric is not None:
        with log.inside("in the metric"):
            checker.expression(problem.metric.expression, {})
    if problem.domain_name != domain.name:
        # Competition files often have the wrong name here. If every symbol resolves, only the name is wrong.
        message = f"the problem is for domain '{built.domain}', and this is domain '{domain.name}'"
        note = log.error if log.failed else log.warning
        note(built.domain_start, message, expected=domain.name, found=built.domain)
    # The check of the domain reports it, where the types are.
    used.pop(":typing", None)
    report_undeclared(log, (*domain.requirements, *problem.requirements), used)


def _objects(checker: FormulaChecker, domain: Domain, problem: Problem) -> None:
    constants = {item.name: item.types for item in domain.constants}
    checked: set[Types] = set()
    for item in problem.objects:
        if item.types not in checked:
            errors = checker.log.failed
            checker.type_names(item)
            if checker.log.failed == errors:
                checked.add(item.types)
        known = constants.get(item.name)
        if known is not None:
            # Harmless; if the types differ, the object is of both.
            message = f"object '{item.name}' is a constant of the domain already"
            checker.log.warning(item.span.start, message, expected=type_text(known), found=type_text(item.types))


def _init(checker: FormulaChecker, problem: Problem, built: ProblemBuilder) -> None:
    log = checker.log
    _facts(checker, problem.init, built.init_starts)
    _facts(checker, problem.init_negative, built.negative_starts)
    timed = list(zip(problem.init_timed, built.timed_starts or [-1] * len(problem.init_timed), strict=True))
    literals = [(item.atom, start) for item, start in timed if item.value is None]
    _facts(checker, [atom for atom, _ in literals], [start for _, start in literals])
    for time in sorted({item.time for item, _ in timed}):
        at_once = [item for item, _ in timed if item.time == time and item.value is not None]
        _values(checker, [FluentValue(item.atom, item.value, item.span) for item in at_once if item.value is not None])
    if problem.init_timed:
        checker.use(":timed-initial-literals", problem.init_timed[0].span.start, "a timed initial literal")
    facts = set(problem.init)
    if len(facts) < len(problem.init):
        seen: set[GroundAtom] = set()
        for start, atom in _placed(problem.init, built.init_starts):
            if atom in seen:
                log.warning(start, f"{atom} comes twice")
            seen.add(atom)
    for start, atom in _placed(problem.init_negative, built.negative_starts):
        if atom in facts:
            log.error(start, f"{atom} is said to hold and not to hold")
    _values(checker, problem.init_values)


def _placed(atoms: Sequence[GroundAtom], starts: Sequence[int]) -> zip[tuple[int, GroundAtom]]:
    """Atoms with their offsets, -1 in a text that is read without places."""
    return zip(starts or [-1] * len(atoms), atoms, strict=True)


def _facts(checker: FormulaChecker, atoms: Sequence[GroundAtom], starts: Sequence[int]) -> None:
    """Checks all atoms of a predicate at once, and one by one only if one of them is wrong."""
    groups: defaultdict[str, list[GroundAtom]] = defaultdict(list)
    for atom in atoms:
        groups[atom[0]].append(atom)
    wrong = {name for name, group in groups.items() if not _all_right(checker.symbols, name, group)}
    if wrong:
        for start, atom in _placed(atoms, starts):
            if atom[0] in wrong:
                _fact(checker, atom, start)


def _all_right(symbols: Symbols, name: str, group: list[GroundAtom]) -> bool:
    signature = symbols.predicates.get(name)
    if signature is None or name in symbols.derived or set(map(len, group)) != {len(signature.types) + 1}:
        return False
    _, *columns = zip(*group, strict=True)
    wanted = map(symbols.objects_of, signature.types)
    return all(objects.issuperset(terms) for objects, terms in zip(wanted, columns, strict=True))


def _fact(checker: FormulaChecker, atom: GroundAtom, start: int) -> None:
    name = atom[0]
    reported = checker.reported or set()
    signature = checker.symbols.predicates.get(name)
    if signature is not None and name in checker.symbols.derived and name not in reported:
        # Fast Downward and VAL accept it; only the axioms decide whether it holds.
        reported.add(name)
        checker.log.warning(start, f"'{name}' is derived, and stands in the initial state", found=str(atom))
    if signature is None or len(atom) - 1 != len(signature.types):
        checker.wrong("predicate", name, atom.args, start)
    else:
        checker.arguments(name, atom.args, signature, start, {})


def _values(checker: FormulaChecker, values: Sequence[FluentValue]) -> None:
    log, symbols = checker.log, checker.symbols
    checker.reported = set()
    seen: dict[GroundAtom, FluentValue] = {}
    for item in values:
        name, place = item.fluent[0], item.span.start
        signature = symbols.functions.get(name)
        if signature is None or len(item.fluent) - 1 != len(signature.types):
            checker.wrong("function", name, item.fluent.args, place)
            continue
        checker.arguments(name, item.fluent.args, signature, checker.text.find("(", place + 1), {})
        own = symbols.function_types[name]
        value: Types | None = NUMERIC
        if isinstance(item.value, str):
            if own != NUMERIC:
                checker.use(":object-fluents", place, "an object as a value")
            value = checker.term(item.value, {}, place, 0)
        elif own == NUMERIC:
            # Costs may be read from static fluents; comparisons and changes of others are reported themselves.
            checker.use(":action-costs", place, "a numeric fluent")
        if value is not None:
            checker.value(name, own, value, str(item.value), place)
        known = seen.setdefault(item.fluent, item)
        if known is not item:
            note = log.warning if known.value == item.value else log.error
            message = f"{item.fluent} is given a value twice"
            note(place, message, expected=str(known.value), found=str(item.value))

"""Lists to tree: typed lists, numeric expressions, conditions, effects, durations and constraints."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable
from fractions import Fraction
from typing import TypeVar

from pddl2nl.pddl.diagnostics import NOWHERE, Log, Near, Span
from pddl2nl.pddl.nesting import Item, PlacedText, contents, first_word, is_word, plain_words, span_of
from pddl2nl.pddl.tree import (
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    Effect,
    Equality,
    Exists,
    Expression,
    Fluent,
    Forall,
    Imply,
    Modal,
    Not,
    Number,
    Or,
    Preference,
    Special,
    Timed,
    TypedName,
    Update,
    When,
)

OPERATORS = ("+", "-", "*", "/")
_OPERANDS = {"/": (range(2, 3), "2 operands"), "-": (range(1, 3), "1 or 2 operands")}
SPECIALS = ("?duration", "#t", "total-time")
COMPARISONS = frozenset(("<", "<=", "=", ">=", ">"))
_COMBINED: dict[str, tuple[Callable[..., Condition], int | None]] = {
    "and": (And, None),
    "or": (Or, None),
    "not": (Not, 1),
    "imply": (Imply, 2),
}
"""The node of each connective, and how many members it takes; None for any number, which it holds as a tuple."""
_QUANTIFIERS: dict[str, type[Forall] | type[Exists]] = {"forall": Forall, "exists": Exists}
CONNECTIVES = frozenset((*_COMBINED, *_QUANTIFIERS, "preference", "when", *COMPARISONS))
"""Words that cannot be the name of a predicate: they mean something else in a condition or an effect."""

UPDATES = ("assign", "increase", "decrease", "scale-up", "scale-down")
NO_ATOMS = CONNECTIVES.union(UPDATES)
MODALS = {
    # How many numbers and conditions each takes: Gerevini and Long 2005, "Plan constraints and preferences in PDDL3"
    "always": (0, 1),
    "sometime": (0, 1),
    "at-most-once": (0, 1),
    "sometime-after": (0, 2),
    "sometime-before": (0, 2),
    "within": (1, 1),
    "always-within": (1, 2),
    "hold-during": (2, 1),
    "hold-after": (1, 1),
}
_TIMES = ("at start", "at end", "over all")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]{1,3})?")
_OBJECT = ("object",)
_NOT_EFFECTS = {
    "or": "a disjunction cannot be an effect",
    "exists": "an existential quantification cannot be an effect",
    "imply": "an implication cannot be an effect; 'when' makes an effect conditional",
    "preference": "a preference cannot be an effect",
} | dict.fromkeys(COMPARISONS, "a comparison cannot be an effect; 'assign' sets a numeric fluent")

Builder = Callable[[Item], Condition]
T = TypeVar("T")


def is_number(word: str) -> bool:
    """Whether a word is written as a number."""
    return _NUMBER.fullmatch(word) is not None


def _lists(items: Iterable[Item]) -> list[Item]:
    return [item for item in items if not is_word(item)]


class FormulaBuilder:
    """Makes formulas of lists. What cannot be read is reported to the log and missing in the tree.

    Args:
        log: where errors and warnings go.
        text: the prepared text that places count in; not used without places.
        functions: the names of the functions, for those that are written without parentheses.
    """

    def __init__(self, log: Log, text: str = "", functions: Container[str] = frozenset()):
        self.log = log
        self.text = text
        self.functions = functions
        self._span: Callable[[Item], Span] = span_of if log.placed else lambda item: NOWHERE
        # The same atoms, numbers and types occur many times in a file.
        self._atoms: dict[str, Atom] = {}
        self._numbers: dict[str, Fraction] = {}
        self._types: dict[tuple[str, ...], tuple[str, ...]] = {}

    # ── what is wrong ──

    def quote(self, item: Item) -> str:
        """An item as messages quote it: its text, cut short."""
        if is_word(item):
            return f"'{item}'"
        start, end = span_of(item)
        text = " ".join(self.text[start : min(end, start + 200)].split())
        return text if len(text) <= 60 else f"{text[:57]}..."

    def error(
        self, item: Item, message: str, expected: str = "", suggestion: str | Near = "", *, quoted: Item | None = None
    ) -> None:
        """Reports an error at an item, which is quoted as what was found there, or another one or nothing for it."""
        quote = self.quote(item if quoted is None else quoted) if quoted != "" else ""
        self.log.error(span_of(item).start, message, expected=expected, found=quote, suggestion=suggestion)

    def warning(self, item: Item, message: str, expected: str = "", found: str = "") -> None:
        """Reports a warning at an item."""
        self.log.warning(span_of(item).start, message, expected=expected, found=found)

    def _loose(self, word: Item, what: str = "condition") -> None:
        # Often the keyword that should have followed a parenthesis which is missing.
        self.error(word, f"a word where {'an' if what[0] in 'aeiou' else 'a'} {what} was expected", f"({what})")

    # ── numbers and typed lists ──

    def number(self, item: Item, what: str) -> Fraction | None:
        """The exact number that an item is; None, with an error, if it is not a number."""
        if isinstance(item, str):
            known = self._numbers.get(item)
            if known is not None:
                return known
            if is_number(item):
                # Python converts at most 4,300 digits, also when the number is written back.
                if len(item) <= (2000 if "e" in item else 4000):
                    return self._numbers.setdefault(str(item), Fraction(str(item)))
                self.error(item, f"{what} has too many digits", "at most 2,000 digits", quoted="")
                return None
        self.error(item, f"{what} is not a number", "a number")
        return None

    def typed_list(self, items: Iterable[Item], what: str, *, variables: bool = False) -> tuple[TypedName, ...]:
        """``a b - t c - (either u v) d`` as names with types; ``what`` says in errors what the names are."""
        names: list[TypedName] = []
        for members, types in self.typed_groups(items, what, lambda item: self._name(item, what, variables), _OBJECT):
            # Equal types are one object: checks remember by identity which types fit which.
            types = self._types.setdefault(types, types)
            if self.log.placed:
                names += [TypedName(str(name), types, span_of(name)) for name in members]
            else:
                names += [TypedName(name, types) for name in members]
        return tuple(names)

    def typed_groups(
        self, items: Iterable[Item], what: str, read: Callable[[Item], T | None], default: tuple[str, ...]
    ) -> list[tuple[list[T], tuple[str, ...]]]:
        """The members of a typed list that share a type, and the type; ``read`` reads a member."""
        groups: list[tuple[list[T], tuple[str, ...]]] = []
        members: list[T] = []
        dash: Item | None = None
        for item in items:
            if dash is not None:
                types = self._types_of(item, what)
                if not members:
                    # Generators write this for an empty row of objects.
                    self.warning(dash, f"a type without {what}s before it", found=f"'- {' '.join(types)}'")
                groups.append((members, types))
                members, dash = [], None
            elif not isinstance(item, str) or item[0] != "-":
                member = read(item)
                if member is not None:
                    members.append(member)
            elif item == "-":
                dash = item
            else:
                # `?x -block`: no name begins with a hyphen, so it can only mean this.
                self.warning(item, "no blank between '-' and the type", found=f"'{item}'")
                types = self._types_of(PlacedText.at(item[1:], span_of(item).start + 1), what)
                groups.append((members, types))
                members = []
        if dash is not None:
            self.error(dash, "'-' without a type behind it", "a type, or (either type …)", quoted="")
        if members:
            groups.append((members, default))
        return groups

    def _name(self, item: Item, what: str, variables: bool) -> str | None:
        """A name in a typed list; None, with an error, if the item is none."""
        if not isinstance(item, str) or item[0] == "(":
            message = f"a list where a {what} was expected; is a parenthesis missing before it?"
            self.error(item, message, f"a {what}, or '- type'")
            return None
        if item[0] == "?":
            if variables and len(item) > 1:
                return item
            expected = "'?' and a name" if variables else "a name without '?'"
        elif variables:
            expected = f"a name with '?', such as '?{item}'"
        elif item[0] == ":":
            expected = "a name; is a parenthesis missing before it?"
        else:
            return item
        self.error(item, f"'{item}' cannot be the name of {'an' if what[0] in 'aeiou' else 'a'} {what}", expected)
        # A variable without its question mark is taken for the variable, so that its uses are not errors too.
        lenient = variables and item[0] not in "?:"
        return PlacedText.at(f"?{item}", span_of(item).start, len(item)) if lenient else None

    def _types_of(self, item: Item, what: str) -> tuple[str, ...]:
        if isinstance(item, str) and item[0] != "(":
            if item[0] not in "?:":
                return (str(item),)
            self.error(item, f"'{item}' cannot be a type", "a type, or (either type …)", quoted="")
            return _OBJECT
        words = plain_words(item) if isinstance(item, str) else []
        if words[:1] == ["either"] and len(words) > 1:
            return tuple(dict.fromkeys(words[1:]))
        self.error(item, f"not a type of a {what}", "a type, or (either type …)")
        return _OBJECT

    # ── numeric expressions ──

    def expression(self, item: Item) -> Expression | None:
        """A numeric expression; None, with an error, if the item is none."""
        if not isinstance(item, str) or item[0] == "(":
            return self._compound(item)
        if is_number(item):
            value = self.number(item, "a constant")
            return None if value is None else Number(value, self._span(item))
        if item in SPECIALS or item not in self.functions:
            # A variable or an object is the value of an object fluent here; the checks know which are.
            return Special(str(item), (), self._span(item))
        self.warning(item, f"function '{item}' without parentheses", f"({item})", f"'{item}'")
        return Fluent(str(item), (), self._span(item))

    def _compound(self, item: Item) -> Expression | None:
        """``(+ …)``, ``(f a b)``, ``(is-violated p)`` or ``(total-time)``."""
        head, rest = first_word(item), contents(item)[1:]
        if not head:
            self.error(item, "not a numeric expression", "a function, or one of + - * /")
            return None
        if head in OPERATORS:
            return self._arithmetic(item, head, rest)
        for argument in rest:
            if not isinstance(argument, str) or argument[0] == "(":
                message = f"a list among the arguments of '{head}'; is a parenthesis missing before it?"
                self.error(argument, message, "a variable or an object")
                return None
        args = tuple(map(str, rest))
        if head == "is-violated" or (head == "total-time" and not args):
            return Special(str(head), args, self._span(item))
        return Fluent(str(head), args, self._span(item))

    def _arithmetic(self, item: Item, operator: str, rest: list[Item]) -> Expression | None:
        operands = [self.expression(operand) for operand in rest]
        numbers, expected = _OPERANDS.get(operator, (range(1, len(operands) + 1), "operands"))
        if len(operands) not in numbers:
            self.error(item, f"'{operator}' cannot have {len(operands)} operands", expected)
            return None
        known = tuple([operand for operand in operands if operand is not None])
        return Arithmetic(str(operator), known, self._span(item)) if len(known) == len(operands) else None

    # ── conditions ──

    def condition(self, item: Item) -> Condition:
        """A condition of an action, an axiom or a goal."""
        if isinstance(item, str) and (atom := self._plain_atom(item)):
            return atom
        head = first_word(item)
        if head == "and":  # by far the most frequent
            return And(self._parts(item, self.condition), self._span(item))
        if head not in CONNECTIVES:
            return self._atom(item)
        if head in COMPARISONS:
            return self._comparison(item)
        if head == "when":
            self.error(item, "'when' in a condition", "'imply' in a condition; 'when' belongs to effects")
            return And()
        return self._connective(item, head, self.condition)

    def _connective(self, item: Item, head: str, make: Builder, what: str = "condition") -> Condition:
        """A conjunction, disjunction, negation, implication, quantification or preference of what ``make`` makes."""
        combined = _COMBINED.get(head)
        if combined is None:
            return self._preference(item, make) if head == "preference" else self._quantifier(item, head, make)
        node, wanted = combined
        parts = self._parts(item, make, what)
        if wanted is None:
            return node(parts, self._span(item))
        if len(parts) != wanted:
            return self._wrong_number(item, wanted, len(parts))
        return node(*parts, self._span(item))

    def _plain_atom(self, item: str) -> Atom | None:
        """The atom that most lists are; None for one whose head may mean something else."""
        atom = self._atoms.get(item)
        if atom is None:
            words = plain_words(item)
            if words and words[0] not in NO_ATOMS:
                atom = Atom(words[0], tuple(words[1:]), self._span(item))
                if not self.log.placed:
                    self._atoms[item] = atom
        return atom

    def _atom(self, item: Item) -> Condition:
        """``(p t …)``; an empty conjunction for ``()``, and with an error where the list is not an atom."""
        if isinstance(item, str):
            words = plain_words(item)
            return Atom(words[0], tuple(words[1:]), self._span(item)) if words else And((), self._span(item))
        head, inner = first_word(item), _lists(item)[0]
        if head:
            expected = "a variable or an object; is a ')' missing before it?"
            self.error(inner, f"a list inside '({head} …)', which is no connective", expected)
        else:
            self.error(inner, "a list without a name", "(predicate argument …)")
        return And()

    def _parts(self, item: Item, make: Builder, what: str = "condition") -> tuple[Condition, ...]:
        """The members of a connective; words among them are errors."""
        parts: list[Condition] = []
        for member in contents(item)[1:]:
            if isinstance(member, str) and member[0] != "(":
                self._loose(member, what)
            else:
                parts.append(make(member))
        return tuple(parts)

    def _wrong_number(self, item: Item, wanted: int, got: int) -> Condition:
        self.error(
            item,
            f"'{_time_of(item) or first_word(item)}' takes {wanted} condition{'s' if wanted > 1 else ''}, not {got}",
        )
        return And()

    def _quantifier(self, item: Item, head: str, make: Builder) -> Condition:
        rest = contents(item)[1:]
        lists = _lists(rest)
        for word in filter(is_word, rest):
            self._loose(word)
        variables = self.typed_list(contents(lists[0]), "variable", variables=True) if lists else ()
        if len(lists) != 2:
            message = f"'{head}' takes a list of variables and one body"
            self.error(item, message, f"({head} (?variable - type …) (…))")
            return And()
        return _QUANTIFIERS[head](variables, make(lists[1]), self._span(item))

    def _preference(self, item: Item, make: Builder) -> Condition:
        """``(preference name condition)``; the name may be missing."""
        rest = contents(item)[1:]
        named = bool(rest) and is_word(rest[0])
        for word in filter(is_word, rest[1:]):
            self._loose(word)
        lists = _lists(rest)
        body = make(lists[0]) if len(lists) == 1 else self._wrong_number(item, 1, len(lists))
        return Preference(str(rest[0]) if named else "", body, self._span(item))

    def _comparison(self, item: Item) -> Condition:
        """``(= s t)`` between terms, or a comparison of two numeric expressions."""
        head, *sides = contents(item)
        if len(sides) != 2:
            self.error(item, f"'{head}' compares 2 things, not {len(sides)}", f"({head} a b)")
            return And()
        left, right = sides
        if head == "=" and isinstance(item, str):
            words = (str(left), str(right))
            if not any(is_number(word) or word in SPECIALS or word in self.functions for word in words):
                return Equality(*words, self._span(item))
        one, other = self.expression(left), self.expression(right)
        return And() if one is None or other is None else Comparison(str(head), one, other, self._span(item))

    # ── effects ──

    def effect(self, item: Item) -> Effect:
        """The effect of an action, a process or an event."""
        return self._effect(item, self.effect, self.condition)

    def timed_effect(self, item: Item) -> Effect:
        """The effect of a durative action: ``(at start e)``, ``(at end e)``, continuous updates, and combinations."""
        if _time_of(item):
            if _time_of(item) == "over all":
                self.error(item, "an effect 'over all'", "(at start …) or (at end …)", quoted="")
            return self._timed(item, self.effect)
        return self._effect(item, self.timed_effect, self.timed_condition)

    def _effect(self, item: Item, make: Builder, make_condition: Builder) -> Effect:
        if isinstance(item, str) and (atom := self._plain_atom(item)):
            return atom
        head = first_word(item)
        if head not in NO_ATOMS:
            return self._atom(item)
        if head == "not":
            return self._connective(item, head, self._deleted)
        if head in ("and", "forall"):
            return self._connective(item, head, make, "effect")
        if head == "when":
            return self._when(item, make, make_condition)
        if head in _NOT_EFFECTS:
            self.error(item, _NOT_EFFECTS[head])
            return And()
        # `(assign ?x ?y)` may be an ordinary predicate: an update's first argument is a fluent.
        words = contents(item)
        is_update = isinstance(item, list) or (len(words) == 3 and words[1] in self.functions)
        return self._update(item) if is_update else self._atom(item)

    def _deleted(self, item: Item) -> Condition:
        # VAL and Fast Downward refuse everything but an atom here, `(not (p))` too.
        head = first_word(item)
        if head in CONNECTIVES or not head:
            self.error(item, "only an atom can be deleted", "an atom behind 'not' in an effect")
            return And()
        return self._atom(item)

    def _when(self, item: Item, make: Builder, make_condition: Builder) -> Effect:
        rest = contents(item)[1:]
        if len(rest) != 2 or len(_lists(rest)) != 2:
            message = f"'when' takes a condition and an effect, not {len(rest)} things"
            self.error(item, message, "(when (condition) (effect))")
            return And()
        return When(make_condition(rest[0]), make(rest[1]), self._span(item))

    def _update(self, item: Item) -> Effect:
        operator, *rest = contents(item)
        if len(rest) != 2:
            message = f"'{operator}' takes a fluent and a value, not {len(rest)} things"
            self.error(item, message, f"({operator} (fluent) value)")
            return And()
        fluent, value = self.expression(rest[0]), self.expression(rest[1])
        if fluent is not None and not isinstance(fluent, Fluent):
            self.error(rest[0], f"'{operator}' changes a fluent, and this is none", "a fluent, such as (total-cost)")
            return And()
        return And() if fluent is None or value is None else Update(str(operator), fluent, value, self._span(item))

    # ── time and constraints ──

    def timed_condition(self, item: Item) -> Condition:
        """The condition of a durative action: ``(at start c)``, ``(over all c)``, and combinations."""
        head = first_word(item)
        if _time_of(item):
            return self._timed(item, self.condition)
        if head in ("and", "forall", "preference"):
            return self._connective(item, head, self.timed_condition)
        if contents(item):
            message = "a condition of a durative action without a time"
            self.error(item, message, "(at start …), (over all …) or (at end …)")
        return And((), self._span(item))

    def duration(self, item: Item) -> Condition:
        """The duration of a durative action: comparisons with ``?duration``, timed ones, and their conjunction."""
        if _time_of(item):
            if _time_of(item) == "over all":
                self.error(item, "a duration constraint 'over all'", "(at start …) or (at end …)", quoted="")
            return self._timed(item, self._plain_duration)
        if first_word(item) == "and":
            return self._connective(item, "and", self.duration, "duration constraint")
        return self._plain_duration(item)

    def _plain_duration(self, item: Item) -> Condition:
        head, rest = first_word(item), contents(item)[1:]
        if head == "and":
            return self._connective(item, head, self._plain_duration, "duration constraint")
        if head in COMPARISONS and len(rest) == 2 and rest[0] == "?duration":
            return self._comparison(item)
        if contents(item):
            self.error(item, "not a duration constraint", "(= ?duration …), (<= ?duration …) or (>= ?duration …)")
        return And((), self._span(item))

    def _timed(self, item: Item, make: Builder) -> Condition:
        lists = _lists(contents(item))
        body = make(lists[0]) if len(lists) == 1 else self._wrong_number(item, 1, len(lists))
        return Timed(_time_of(item), body, self._span(item))

    def constraint(self, item: Item) -> Condition:
        """A trajectory constraint of PDDL 3, or a combination; constraints may be nested, as in its grammar."""
        head = first_word(item)
        if head in _COMBINED or head in _QUANTIFIERS or head == "preference":
            return self._connective(item, head, self.constraint)
        if _time_of(item) == "at end":
            return self._timed(item, self.condition)
        if head in MODALS:
            return self._modal(item, head)
        # VAL takes plain conditions among constraints, as a state trajectory that need only hold of each state.
        return self.condition(item)

    def _modal(self, item: Item, head: str) -> Condition:
        rest = contents(item)[1:]
        lists = _lists(rest)
        values = [self.number(word, f"a time of '{head}'") for word in rest if is_word(word)]
        known = tuple([value for value in values if value is not None])
        numbers_wanted, parts_wanted = MODALS[head]
        if len(known) != numbers_wanted or len(lists) != parts_wanted:
            expected = " ".join((head, *["number"] * numbers_wanted, *["(condition)"] * parts_wanted))
            self.error(item, f"'{head}' is malformed", f"({expected})")
            return And()
        return Modal(str(head), known, tuple(map(self.constraint, lists)), self._span(item))


def _time_of(item: Item) -> str:
    """``at start``, ``at end`` or ``over all`` if a list begins so and a list follows; else empty."""
    if isinstance(item, str) or len(item) < 3 or is_word(item[2]):
        return ""
    begin = f"{item[0]} {item[1]}"
    return begin if begin in _TIMES else ""

"""Lists to tree: words, numbers, typed lists and numeric expressions."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from pddl2nl.pddl.diagnostics import Span
from pddl2nl.pddl.log import Log
from pddl2nl.pddl.nesting import Item, Nesting, Node, Word
from pddl2nl.pddl.tree import Arithmetic, Expression, Fluent, Number, Special, TypedName

__all__ = [
    "OPERATORS",
    "SPECIALS",
    "Build",
    "is_number",
    "arithmetic_or_fluent",
    "expression",
    "first_word",
    "number",
    "show",
    "typed_list",
]

_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]{1,3})?")
_OBJECT = ("object",)
OPERATORS = ("+", "-", "*", "/")
SPECIALS = ("?duration", "#t", "total-time")


@dataclass
class Build:
    """What every step from lists to tree needs: the lists, the log, and the names of the functions known so far.

    ``literals`` remembers predicate and arguments by the text of an atom, and ``numbers`` what numbers stand for: the
    same few come thousands of times.
    """

    nest: Nesting
    log: Log
    functions: Container[str] = field(default_factory=frozenset)
    literals: dict[str, tuple[str, tuple[str, ...]] | tuple[()]] = field(default_factory=dict)
    numbers: dict[str, Fraction] = field(default_factory=dict)
    types: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)


def show(build: Build, item: Item) -> str:
    """How an item is quoted in a message: its text, cut short."""
    if isinstance(item, Word):
        return f"'{item.text}'"
    text = " ".join(build.nest.text[item.start : min(item.end, item.start + 200)].split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def first_word(build: Build, node: Node) -> str:
    """The first word of a list's head; empty where it has none."""
    words = build.nest.split(node.head)
    return words[0] if words else ""


def is_number(word: str) -> bool:
    """Whether a word is written as a number."""
    return _NUMBER.fullmatch(word) is not None


def number(build: Build, item: Item, what: str) -> Fraction | None:
    """The number that an item stands for, exact; None, with an error, where it is none."""
    if isinstance(item, Word) and is_number(item.text):
        known = build.numbers.get(item.text)
        if known is not None:
            return known
        # Python converts at most 4,300 digits, also when the number is written back.
        if len(item.text) <= (2000 if "e" in item.text else 4000):
            return build.numbers.setdefault(item.text, Fraction(item.text))
        build.log.error(item.start, f"{what} has too many digits", expected="at most 2,000 digits")
        return None
    build.log.error(item.start, f"{what} is not a number", expected="a number", found=show(build, item))
    return None


def typed_list(
    build: Build, items: Iterable[Item], what: str, variables: bool = False, default: tuple[str, ...] = _OBJECT
) -> tuple[TypedName, ...]:
    """``a b - t c - (either u v) d`` as names with types; ``what`` says in errors what the names are."""
    found: list[TypedName] = []
    pending: list[Word] = []
    dash: Word | None = None
    for item in items:
        if dash is not None:
            types = _shared(build, _types(build, item, what))
            found.extend(TypedName(word.text, types, Span(word.start, word.start + len(word.text))) for word in pending)
            if not pending:
                # Generators write this for an empty row of objects.
                build.log.warning(dash.start, f"a type without {what}s before it", found=f"'- {' '.join(types)}'")
            pending = []
            dash = None
        elif isinstance(item, Node):
            message = f"a list where a {what} was expected; is a parenthesis missing before it?"
            build.log.error(item.start, message, expected=f"a {what}, or '- type'", found=show(build, item))
        elif item.text == "-":
            dash = item
        elif item.text[0] == "-" and len(item.text) > 1:
            # `?x -block`: no name begins with a hyphen, so it can only mean this.
            build.log.warning(item.start, "no blank between '-' and the type", found=f"'{item.text}'")
            types = _shared(build, _types(build, Word(item.text[1:], item.start + 1), what))
            found.extend(TypedName(word.text, types, Span(word.start, word.start + len(word.text))) for word in pending)
            pending = []
        elif _is_name(build, item, what, variables):
            pending.append(item)
        elif variables and item.text[0] not in "?:":
            # Taken for the variable that it should be, so that its uses are not errors too.
            pending.append(Word(f"?{item.text}", item.start))
    if dash is not None:
        build.log.error(dash.start, "'-' without a type behind it", expected="a type, or (either type …)")
    found.extend(TypedName(word.text, default, Span(word.start, word.start + len(word.text))) for word in pending)
    return tuple(found)


def _shared(build: Build, types: tuple[str, ...]) -> tuple[str, ...]:
    # Equal types are one object: checks remember by identity which fit which.
    return build.types.setdefault(types, types)


def _is_name(build: Build, word: Word, what: str, variables: bool) -> bool:
    if word.text[0] == "?":
        if variables and len(word.text) > 1:
            return True
        expected = "'?' and a name" if variables else "a name without '?'"
    elif variables:
        expected = f"a name with '?', such as '?{word.text}'"
    elif word.text[0] == ":":
        expected = "a name; is a parenthesis missing before it?"
    else:
        return True
    article = "an" if what[0] in "aeiou" else "a"
    build.log.error(
        word.start, f"'{word.text}' cannot be the name of {article} {what}", expected=expected, found=f"'{word.text}'"
    )
    return False


def _types(build: Build, item: Item, what: str) -> tuple[str, ...]:
    if isinstance(item, Word):
        if item.text[0] in "?:":
            build.log.error(item.start, f"'{item.text}' cannot be a type", expected="a type, or (either type …)")
            return _OBJECT
        return (item.text,)
    words = build.nest.split(item.head)
    if words[:1] == ["either"] and len(words) > 1 and not item.items:
        return tuple(dict.fromkeys(words[1:]))
    expected = "a type, or (either type …)"
    build.log.error(item.start, f"no type of a {what}", expected=expected, found=show(build, item))
    return _OBJECT


def expression(build: Build, item: Item) -> Expression | None:
    """A numeric expression; None, with an error, where the item is none."""
    if isinstance(item, Node):
        return arithmetic_or_fluent(build, item)
    text, span = item.text, Span(item.start, item.start + len(item.text))
    if is_number(text):
        value = number(build, item, "a constant")
        return None if value is None else Number(value, span)
    if text in SPECIALS or text not in build.functions:
        # A variable or an object stands here as the value of an object fluent; the checks know which do.
        return Special(text, (), span)
    build.log.warning(item.start, f"function '{text}' without parentheses", expected=f"({text})", found=f"'{text}'")
    return Fluent(text, (), span)


def arithmetic_or_fluent(build: Build, node: Node) -> Expression | None:
    """``(+ …)``, ``(f a b)``, ``(is-violated p)`` or ``(total-time)``."""
    items = build.nest.all(node)
    span = Span(node.start, node.end)
    if not items or isinstance(items[0], Node):
        expected = "a function, or one of + - * /"
        build.log.error(node.start, "no numeric expression", expected=expected, found=show(build, node))
        return None
    head = items[0].text
    if head in OPERATORS:
        operands = [expression(build, item) for item in items[1:]]
        wanted = {"/": (2, 2), "-": (1, 2)}.get(head, (1, len(operands)))
        if not wanted[0] <= len(operands) <= wanted[1] or not operands:
            message = f"'{head}' cannot have {len(operands)} operands"
            expected = "2 operands" if head == "/" else "1 or 2 operands" if head == "-" else "operands"
            build.log.error(node.start, message, expected=expected, found=show(build, node))
            return None
        known = tuple(operand for operand in operands if operand is not None)
        return Arithmetic(head, known, span) if len(known) == len(operands) else None
    args: list[str] = []
    for item in items[1:]:
        if isinstance(item, Node):
            message = f"a list among the arguments of '{head}'; is a parenthesis missing before it?"
            build.log.error(item.start, message, expected="a variable or an object", found=show(build, item))
            return None
        args.append(item.text)
    if head == "is-violated" or (head == "total-time" and not args):
        return Special(head, tuple(args), span)
    return Fluent(head, tuple(args), span)

"""Lists to tree: conditions, durative conditions, and constraints."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from pddl2nl.pddl.build_terms import (
    SPECIALS,
    Build,
    expression,
    first_word,
    is_number,
    number,
    show,
    typed_list,
)
from pddl2nl.pddl.diagnostics import Span
from pddl2nl.pddl.nesting import ELEMENT, Item, Node, Piece, Word
from pddl2nl.pddl.tree import (
    And,
    Atom,
    Comparison,
    Condition,
    Equality,
    Exists,
    Forall,
    Imply,
    Modal,
    Not,
    Or,
    Preference,
    Timed,
    TypedName,
)

__all__ = [
    "COMPARISONS",
    "CONNECTIVES",
    "MODALS",
    "UPDATES",
    "Builder",
    "atom",
    "condition",
    "constraint",
    "parts",
    "quantifier",
    "timed_condition",
]

COMPARISONS = ("<", "<=", "=", ">=", ">")
MODALS = {
    # numbers and conditions that each takes: Gerevini and Long 2005, "Plan constraints and preferences in PDDL3"
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
CONNECTIVES = frozenset(("and", "or", "not", "imply", "forall", "exists", "preference", "when", *COMPARISONS))
"""What cannot be the name of a predicate in a condition or an effect, because it means something else there."""

UPDATES = ("assign", "increase", "decrease", "scale-up", "scale-down")
_new = tuple.__new__
NO_ATOMS = CONNECTIVES.union(UPDATES)

Builder = Callable[[Build, Node], Condition]


def parts(
    build: Build, node: Node, make: Builder, what: str = "condition", atoms: bool = False
) -> tuple[Condition, ...]:
    """The members of a connective; words among them are errors. ``atoms`` says that a plain atom may be one."""
    found: list[Condition] = []
    nest = build.nest
    if len(nest.split(node.head)) > 1:
        for word in nest.words(node.head, node.start + 1)[1:]:
            _loose(build, word, what)
    for item in node.items:
        if isinstance(item, Node):
            found.append(make(build, item))
        elif atoms:
            _literals(build, item, make, what, found)
        else:
            for match in ELEMENT.finditer(item.text):
                if match[3]:
                    _loose(build, Word(match[3], item.start + match.start()), what)
                else:
                    found.append(make(build, nest.node(match, item.start)))
    return tuple(found)


def _literals(build: Build, piece: Piece, make: Builder, what: str, found: list[Condition]) -> None:
    # Nearly every list in a large file is a literal: straight to it. Most of them come again and again.
    nest, base = build.nest, piece.start
    known = build.literals
    for match in ELEMENT.finditer(piece.text):
        head, rest, loose = match.groups()
        start, end = match.span()
        if loose:
            _loose(build, Word(loose, base + start), what)
            continue
        if not rest:
            symbols = known.get(head)
            if symbols is None:
                symbols = known[head] = _symbols(nest.split(head))
            if symbols:
                found.append(Atom(*symbols, _new(Span, (base + start, base + end))))
                continue
        elif head.strip() == "not":
            symbols = known.get(rest)
            if symbols is None:
                symbols = known[rest] = _symbols(nest.flat(rest))
            if symbols:
                inner = base + start + 1 + len(head)
                literal = Atom(*symbols, Span(inner, inner + len(rest.rstrip())))
                found.append(Not(literal, Span(base + start, base + end)))
                continue
        found.append(make(build, nest.node(match, base)))


def _symbols(words: list[str] | None) -> tuple[str, tuple[str, ...]] | tuple[()]:
    """Predicate and arguments of an atom; nothing where these words are none."""
    return (words[0], tuple(words[1:])) if words and words[0] not in NO_ATOMS else ()


def _loose(build: Build, word: Word, what: str) -> None:
    # Often the keyword that should have followed a parenthesis which is missing.
    build.log.error(word.start, f"a word where a {what} was expected", expected=f"({what})", found=f"'{word.text}'")


def atom(build: Build, node: Node) -> Condition:
    """``(p t …)``; an empty conjunction, with an error, where the list is no atom."""
    words = build.nest.split(node.head)
    if node.items or not words:
        inner = next((item for item in build.nest.elements(node.items) if isinstance(item, Node)), node)
        message = f"a list inside '({words[0]} …)', which is no connective" if words else "a list without a name"
        expected = "a variable or an object; is a ')' missing before it?" if words else "(predicate argument …)"
        build.log.error(inner.start, message, expected=expected, found=show(build, inner))
        return And()
    return Atom(words[0], tuple(words[1:]), Span(node.start, node.end))


def condition(build: Build, node: Node) -> Condition:
    """A condition of an action, an axiom or a goal."""
    head = first_word(build, node)
    span = Span(node.start, node.end)
    if head == "and":
        return And(parts(build, node, condition, atoms=True), span)
    if head == "not":
        return Not(only_part(build, node, condition, atoms=True), span)
    if not head and not node.items:
        return And((), span)
    if head not in CONNECTIVES:
        return atom(build, node)
    if head == "or":
        return Or(parts(build, node, condition, atoms=True), span)
    if head == "imply":
        members = parts(build, node, condition)
        if len(members) == 2:
            return Imply(members[0], members[1], span)
        return _wrong_number(build, node, head, 2, len(members))
    if head in ("forall", "exists"):
        return quantifier(build, node, condition)
    if head == "preference":
        return preference(build, node, condition)
    if head == "when":
        expected = "'imply' in a condition; 'when' belongs to effects"
        build.log.error(node.start, "'when' in a condition", expected=expected, found=show(build, node))
        return And()
    return comparison(build, node)


def only_part(build: Build, node: Node, make: Builder, atoms: bool = False) -> Condition:
    """The one member of a list such as ``(not …)``."""
    members = parts(build, node, make, atoms=atoms)
    return members[0] if len(members) == 1 else _wrong_number(build, node, first_word(build, node), 1, len(members))


def _wrong_number(build: Build, node: Node, head: str, wanted: int, got: int) -> Condition:
    message = f"'{head}' takes {wanted} condition{'s' if wanted > 1 else ''}, not {got}"
    build.log.error(node.start, message, found=show(build, node))
    return And()


def quantified(build: Build, node: Node) -> tuple[tuple[TypedName, ...], list[Node]]:
    """The variables of a ``forall`` or ``exists`` and the lists behind them."""
    words = build.nest.words(node.head, node.start + 1)
    items = list(build.nest.elements(node.items))
    lists = [item for item in items if isinstance(item, Node)]
    for word in [*words[1:], *(item for item in items if isinstance(item, Word))]:
        _loose(build, word, "condition")
    variables = typed_list(build, build.nest.all(lists[0]), "variable", variables=True) if lists else ()
    return variables, lists[1:]


def quantifier(build: Build, node: Node, make: Builder) -> Condition:
    """``(forall (?x - t) body)`` or ``(exists …)``."""
    head = first_word(build, node)
    variables, bodies = quantified(build, node)
    if len(bodies) != 1:
        expected = f"({head} (?variable - type …) (…))"
        message = f"'{head}' takes a list of variables and one body"
        build.log.error(node.start, message, expected=expected, found=show(build, node))
        return And()
    kind = Forall if head == "forall" else Exists
    return kind(variables, make(build, bodies[0]), Span(node.start, node.end))


def preference(build: Build, node: Node, make: Builder) -> Condition:
    """``(preference name condition)``; the name may be missing."""
    words = build.nest.words(node.head, node.start + 1)
    name = words[1].text if len(words) > 1 else ""
    shorter = Node(node.start, node.end, node.head[: words[0].start - node.start - 1 + len("preference")], node.items)
    for word in words[2:]:
        _loose(build, word, "condition")
    return Preference(name, only_part(build, shorter, make), Span(node.start, node.end))


def comparison(build: Build, node: Node) -> Condition:
    """``(= s t)`` between terms, or a comparison of two numeric expressions."""
    items: list[Item] = build.nest.all(node)
    head = items[0].text if isinstance(items[0], Word) else ""
    span = Span(node.start, node.end)
    if len(items) != 3:
        message = f"'{head}' compares 2 things, not {len(items) - 1}"
        build.log.error(node.start, message, expected=f"({head} a b)", found=show(build, node))
        return And()
    left, right = items[1], items[2]
    if head == "=" and isinstance(left, Word) and isinstance(right, Word):
        words = (left.text, right.text)
        if not any(is_number(word) or word in SPECIALS or word in build.functions for word in words):
            return Equality(*words, span)
    one, other = expression(build, left), expression(build, right)
    return And() if one is None or other is None else Comparison(head, one, other, span)


def timed_condition(build: Build, node: Node) -> Condition:
    """The condition of a durative action: ``(at start c)``, ``(over all c)``, and what combines them."""
    head = first_word(build, node)
    when = time_of(build, node)
    if when:
        return Timed(when, _after_time(build, node, condition), Span(node.start, node.end))
    if head == "and":
        return And(parts(build, node, timed_condition), Span(node.start, node.end))
    if head == "forall":
        return quantifier(build, node, timed_condition)
    if head == "preference":
        return preference(build, node, timed_condition)
    if not head and not node.items:
        return And((), Span(node.start, node.end))
    message = "a condition of a durative action without a time"
    expected = "(at start …), (over all …) or (at end …)"
    build.log.error(node.start, message, expected=expected, found=show(build, node))
    return And()


def time_of(build: Build, node: Node) -> str:
    """``at start``, ``at end`` or ``over all`` where the list begins so; else empty."""
    if not node.items:
        return ""
    head = " ".join(build.nest.split(node.head))
    return head if head in ("at start", "at end", "over all") else ""


def _after_time(build: Build, node: Node, make: Builder) -> Condition:
    lists = [item for item in build.nest.elements(node.items) if isinstance(item, Node)]
    if len(lists) == 1:
        return make(build, lists[0])
    return _wrong_number(build, node, time_of(build, node) or "at", 1, len(lists))


def timed(build: Build, node: Node, make: Builder) -> Condition:
    """``(at start …)`` and the like, around whatever ``make`` builds."""
    return Timed(time_of(build, node), _after_time(build, node, make), Span(node.start, node.end))


def constraint(build: Build, node: Node) -> Condition:
    """A trajectory constraint of PDDL 3, or what combines them; nested ones too, as in its grammar."""
    head = first_word(build, node)
    span = Span(node.start, node.end)
    if head == "and":
        return And(parts(build, node, constraint), span)
    if head == "or":
        return Or(parts(build, node, constraint), span)
    if head == "not":
        return Not(only_part(build, node, constraint), span)
    if head == "imply":
        members = parts(build, node, constraint)
        if len(members) == 2:
            return Imply(members[0], members[1], span)
        return _wrong_number(build, node, head, 2, len(members))
    if head in ("forall", "exists"):
        return quantifier(build, node, constraint)
    if head == "preference":
        return preference(build, node, constraint)
    if time_of(build, node) == "at end":
        return timed(build, node, condition)
    if head in MODALS:
        return _modal(build, node, head)
    # VAL takes plain conditions among constraints, as a state trajectory that need only hold of each state.
    return condition(build, node)


def _modal(build: Build, node: Node, head: str) -> Condition:
    numbers_wanted, parts_wanted = MODALS[head]
    items = build.nest.all(node)[1:]
    values: list[Fraction] = []
    lists: list[Node] = []
    for item in items:
        if isinstance(item, Node):
            lists.append(item)
        elif (value := number(build, item, f"a time of '{head}'")) is not None:
            values.append(value)
    if len(values) != numbers_wanted or len(lists) != parts_wanted:
        expected = " ".join((head, *["number"] * numbers_wanted, *["(condition)"] * parts_wanted))
        build.log.error(node.start, f"'{head}' is malformed", expected=f"({expected})", found=show(build, node))
        return And()
    return Modal(head, tuple(values), tuple(constraint(build, item) for item in lists), Span(node.start, node.end))

"""Lists to tree: problems. The initial state goes the fast way: it is what makes large files large."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from sys import intern

from pddl2nl.pddl.build_conditions import CONNECTIVES, condition, constraint
from pddl2nl.pddl.build_header import Header, requirements
from pddl2nl.pddl.build_terms import Build, expression, first_word, is_number, number, show, typed_list
from pddl2nl.pddl.diagnostics import Span
from pddl2nl.pddl.log import Near
from pddl2nl.pddl.nesting import ELEMENT, Node, Piece, Word
from pddl2nl.pddl.tree import (
    And,
    Condition,
    FluentValue,
    GroundAtom,
    Metric,
    Problem,
    TimedLiteral,
    TypedName,
)

__all__ = ["SECTIONS", "BuiltProblem", "build_problem"]

_VALUE = re.compile(r"\(([^()]+)\)\s*([^()\s]+)\s*")
_NO_ATOM = CONNECTIVES - {"preference", "when"}


class _Parts:
    """What was read so far of a problem."""

    def __init__(self) -> None:
        self.domain: Word | None = None
        self.requirements: list[str] = []
        self.objects: list[TypedName] = []
        self.init_sections: list[Node] = []
        self.init: list[GroundAtom] = []
        self.values: list[FluentValue] = []
        self.negative: list[GroundAtom] = []
        self.negative_starts: list[int] = []
        self.timed: list[TimedLiteral] = []
        self.goals: list[Condition] = []
        self.constraints: list[Condition] = []
        self.metric: Metric | None = None
        self.length: list[tuple[str, int]] = []


class BuiltProblem:
    """A problem's tree, and where the things stand that carry no span of their own."""

    def __init__(self, problem: Problem, build: Build, found: _Parts, header: Header):
        self.problem = problem
        self.domain_start = found.domain.start if found.domain else header.start
        self.negative_starts = found.negative_starts
        self._build = build
        self._sections = found.init_sections
        self._starts: list[int] | None = None

    def init_start(self, index: int) -> int:
        """The offset of an atom of ``problem.init``; looked up by reading the section again, once."""
        if self._starts is None:
            self._starts = [start for section in self._sections for start in self._atom_starts(section)]
        return self._starts[index] if index < len(self._starts) else 0

    def _atom_starts(self, section: Node) -> Iterator[int]:
        split = self._build.nest.split
        for item in section.items:
            if isinstance(item, Node):
                if _is_atom(self._build, item):
                    yield item.start
                continue
            for match in ELEMENT.finditer(item.text):
                head, rest, word = match.groups()
                words = split(head) if head else []
                if not rest and not word and words and words[0] not in _NO_ATOM:
                    yield item.start + match.start()


def _is_atom(build: Build, node: Node) -> bool:
    head = first_word(build, node)
    return not node.items and head != "" and head not in _NO_ATOM


def build_problem(build: Build, header: Header) -> BuiltProblem:
    """The tree of a problem; what could not be read is missing in it, and an error in the log."""
    found = _Parts()
    seen: set[str] = set()
    for section in header.sections:
        keyword = first_word(build, section)
        make = SECTIONS.get(keyword)
        if make is None:
            expected = ", ".join(SECTIONS)
            message = f"no section of a problem: '{keyword}'" if keyword else "a section without a keyword"
            if keyword in (":situation", ":timeless", ":expansion"):
                message = f"'{keyword}' is of PDDL 1.2 only and is not read"
            suggestion = Near(keyword, (":objects",) if keyword == ":constants" else SECTIONS)
            build.log.error(
                section.start, message, expected=expected, found=show(build, section), suggestion=suggestion
            )
            continue
        if keyword in seen and keyword in (":domain", ":goal", ":metric"):
            build.log.error(section.start, f"a second '{keyword}' in this problem", found=show(build, section))
        elif keyword in seen:
            build.log.warning(section.start, f"a second '{keyword}' in this problem; both count")
        seen.add(keyword)
        make(build, section, found)
    for keyword in (":domain", ":init", ":goal"):
        if keyword not in seen:
            build.log.error(header.start, f"the problem has no '{keyword}'", expected=f"({keyword} …)")
    return BuiltProblem(_problem(build, header, found), build, found, header)


def _problem(build: Build, header: Header, found: _Parts) -> Problem:
    constraints = found.constraints
    return Problem(
        header.name,
        found.domain.text if found.domain else "",
        tuple(found.requirements),
        tuple(found.objects),
        tuple(found.init),
        tuple(found.values),
        tuple(found.negative),
        tuple(found.timed),
        found.goals[0] if found.goals else And(),
        None if not constraints else constraints[0] if len(constraints) == 1 else And(tuple(constraints)),
        found.metric,
        tuple(found.length),
        build.log.source,
    )


def _domain(build: Build, section: Node, found: _Parts) -> None:
    words = build.nest.words(section.head, section.start + 1)
    if len(words) == 2 and not section.items:
        found.domain = words[1]
    else:
        build.log.error(section.start, "malformed ':domain'", expected="(:domain name)", found=show(build, section))


def _requirements(build: Build, section: Node, found: _Parts) -> None:
    found.requirements.extend(requirements(build, section))


def _objects(build: Build, section: Node, found: _Parts) -> None:
    with build.log.inside("in the objects"):
        found.objects.extend(typed_list(build, build.nest.all(section)[1:], "object"))


def _init(build: Build, section: Node, found: _Parts) -> None:
    found.init_sections.append(section)
    with build.log.inside("in the initial state"):
        for word in build.nest.words(section.head, section.start + 1)[1:]:
            _loose(build, word)
        for item in section.items:
            if isinstance(item, Node):
                _fact(build, item, found)
                continue
            _facts(build, item, found)


def _facts(build: Build, piece: Piece, found: _Parts) -> None:
    # Nearly everything in a large initial state is an atom: offsets are worked out only for what is none.
    split = build.nest.split
    add = found.init.append
    others: list[int] = []
    for index, (head, rest, word) in enumerate(ELEMENT.findall(piece.text)):
        words = split(head)
        if rest or word or not words or words[0] in _NO_ATOM:
            others.append(index)
        else:
            # The same few names come in a hundred thousand atoms: kept once, they are small and quick to compare.
            add(GroundAtom(map(intern, words)))
    if not others:
        return
    matches = list(ELEMENT.finditer(piece.text))
    numbers = build.numbers
    for index in others:
        match = matches[index]
        value = _VALUE.fullmatch(match[2]) if match[1] == "= " or match[1] == "=" else None
        exact = numbers.get(value[2]) if value is not None else None
        if value is not None and exact is not None and (words := split(value[1])):
            span = Span(piece.start + match.start(), piece.start + match.end())
            found.values.append(FluentValue(GroundAtom(map(intern, words)), exact, span))
        elif match[3]:
            _loose(build, Word(match[3], piece.start + match.start()))
        else:
            _fact(build, build.nest.node(match, piece.start), found)


def _loose(build: Build, word: Word) -> None:
    build.log.error(
        word.start, "a word where an atom was expected", expected="(predicate object …)", found=show(build, word)
    )


def _fact(build: Build, node: Node, found: _Parts) -> None:
    words = build.nest.split(node.head)
    head = words[0] if words else ""
    if not node.items and words and head not in _NO_ATOM:
        found.init.append(GroundAtom(words))
    elif head == "=":
        _fluent_value(build, node, found)
    elif head == "not":
        inner = _inner_atom(build, node)
        if inner is not None:
            found.negative.append(inner)
            found.negative_starts.append(node.start)
    elif head == "at" and len(words) == 2 and is_number(words[1]):
        _timed_literal(build, node, found)
    else:
        expected = "(predicate object …), (not (…)), (= (function object …) number) or (at time (…))"
        message = f"'{head}' cannot begin a fact" if head in _NO_ATOM or not head else f"a list inside '({head} …)'"
        build.log.error(node.start, message, expected=expected, found=show(build, node))


def _inner_atom(build: Build, node: Node) -> GroundAtom | None:
    lists = [item for item in build.nest.elements(node.items) if isinstance(item, Node)]
    if len(lists) == 1 and _is_atom(build, lists[0]):
        return GroundAtom(build.nest.split(lists[0].head))
    build.log.error(node.start, "not one atom", expected="(predicate object …)", found=show(build, node))
    return None


def _fluent_value(build: Build, node: Node, found: _Parts) -> None:
    span = Span(node.start, node.end)
    piece = node.items[0] if len(node.items) == 1 else None
    match = _VALUE.fullmatch(piece.text) if isinstance(piece, Piece) else None
    if match is not None and node.head.strip() == "=":
        name, value = build.nest.split(match[1]), match[2]
    else:
        items = build.nest.all(node)
        # `(= f 3)`: a function without arguments and without its parentheses.
        if len(items) != 3 or not all(isinstance(item, Word) for item in items) or not is_number(items[2].text):  # type: ignore[union-attr]
            expected = "(= (function object …) number)"
            build.log.error(node.start, "malformed value", expected=expected, found=show(build, node))
            return
        name, value = [items[1].text], items[2].text  # type: ignore[union-attr]
        build.log.warning(node.start, f"function '{name[0]}' without parentheses", expected=f"(= ({name[0]}) {value})")
    if not name:
        build.log.error(
            node.start, "a value of nothing", expected="(= (function object …) number)", found=show(build, node)
        )
        return
    exact: Fraction | str = value
    if is_number(value):
        read = number(build, Word(value, node.start), "a value")
        exact = Fraction(0) if read is None else read
    found.values.append(FluentValue(GroundAtom(name), exact, span))


def _timed_literal(build: Build, node: Node, found: _Parts) -> None:
    words = build.nest.words(node.head, node.start + 1)
    time = number(build, words[1], "a time")
    lists = [item for item in build.nest.elements(node.items) if isinstance(item, Node)]
    if time is None:
        return
    positive = not (len(lists) == 1 and first_word(build, lists[0]) == "not")
    inner = _inner_atom(build, node if positive else lists[0])
    if inner is not None:
        found.timed.append(TimedLiteral(time, inner, positive, Span(node.start, node.end)))


def _goal(build: Build, section: Node, found: _Parts) -> None:
    with build.log.inside("in the goal"):
        items = build.nest.all(section)[1:]
        lists = [item for item in items if isinstance(item, Node)]
        if len(items) == 1 and lists:
            found.goals.append(condition(build, lists[0]))
            return
        message = "the goal is one condition" if items else "the goal is empty"
        expected = "(:goal (and (…) …))"
        if lists and len(lists) == len(items):
            message = f"the goal is one condition, not {len(lists)}"
        build.log.error(section.start, message, expected=expected, found=show(build, section))


def _constraints(build: Build, section: Node, found: _Parts) -> None:
    with build.log.inside("in the constraints"):
        for item in build.nest.all(section)[1:]:
            if isinstance(item, Node):
                found.constraints.append(constraint(build, item))
            else:
                build.log.error(item.start, "a word among the constraints", found=show(build, item))


def _metric(build: Build, section: Node, found: _Parts) -> None:
    with build.log.inside("in the metric"):
        items = build.nest.all(section)[1:]
        direction = items[0].text if items and isinstance(items[0], Word) else ""
        if len(items) != 2 or direction not in ("minimize", "maximize"):
            expected = "(:metric minimize (expression)) or (:metric maximize (expression))"
            build.log.error(section.start, "malformed metric", expected=expected, found=show(build, section))
            return
        value = expression(build, items[1])
        if value is not None and found.metric is None:
            found.metric = Metric(direction, value, Span(section.start, section.end))


def _length(build: Build, section: Node, found: _Parts) -> None:
    items = build.nest.all(section)[1:]
    words = [
        word
        for item in items
        for word in (build.nest.words(item.head, item.start + 1) if isinstance(item, Node) else [item])
    ]
    for kind, value in zip(words[::2], words[1::2], strict=False):
        if (
            kind.text in (":serial", ":parallel")
            and value.text.isascii()
            and value.text.isdecimal()
            and len(value.text) < 19
        ):
            found.length.append((kind.text[1:], int(value.text)))
        else:
            expected = "(:length (:serial number) (:parallel number))"
            build.log.error(kind.start, "malformed ':length'", expected=expected, found=show(build, section))
    if len(words) % 2:
        build.log.error(section.start, "malformed ':length'", found=show(build, section))


SECTIONS: dict[str, Callable[[Build, Node, _Parts], None]] = {
    ":domain": _domain,
    ":requirements": _requirements,
    ":objects": _objects,
    ":init": _init,
    ":goal": _goal,
    ":constraints": _constraints,
    ":metric": _metric,
    ":length": _length,
}

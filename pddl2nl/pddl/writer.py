"""Tree to text: clean PDDL, always the same for the same tree, and read back as the same tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from pddl2nl.pddl.tree import (
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    Domain,
    DurativeAction,
    Equality,
    Exists,
    Expression,
    Fluent,
    FluentValue,
    Forall,
    Function,
    GroundAtom,
    Imply,
    Modal,
    Not,
    Number,
    Or,
    Preference,
    Problem,
    Special,
    Timed,
    TimedLiteral,
    TypedName,
    Update,
    When,
)

__all__ = ["write_condition", "write_domain", "write_expression", "write_number", "write_problem"]

_WIDTH = 100
_BARE = ("?duration", "#t")


def write_number(value: Fraction) -> str:
    """A number as PDDL has it, exact where it has a finite decimal form; else the quotient ``(/ n d)``."""
    if value.denominator == 1:
        return str(value.numerator)
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return f"(/ {value.numerator} {value.denominator})"
    places = max(twos, fives)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def write_expression(node: Expression) -> str:
    """A numeric expression on one line."""
    match node:
        case Number(value=value):
            return write_number(value)
        case Fluent(name=name, args=args):
            return _list(name, args)
        case Arithmetic(operator=operator, operands=operands):
            return _list(operator, map(write_expression, operands))
        case Special(name=name, args=args):
            # A variable or an object that is the value of an object fluent stands bare.
            return _list(name, args) if args or name == "total-time" else name


def write_condition(condition: Condition) -> str:
    """A condition or an effect on one line: ``(not (at a b))``."""
    match condition:
        case Atom(predicate=name, args=args):
            return _list(name, args)
        case Equality(left=left, right=right):
            return f"(= {left} {right})"
        case Comparison(operator=operator, left=one, right=other):
            return f"({operator} {write_expression(one)} {write_expression(other)})"
        case Update(operator=operator, fluent=fluent, value=value):
            return f"({operator} {write_expression(fluent)} {write_expression(value)})"
        case _:
            opening, members = _taken_apart(condition)
            return _list(opening, map(write_condition, members))


def _taken_apart(condition: Condition) -> tuple[str, tuple[Condition, ...]]:
    """How a condition that holds others begins, and the others."""
    match condition:
        case Not(body=body):
            return "not", (body,)
        case And(parts=parts):
            return "and", parts
        case Or(parts=parts):
            return "or", parts
        case Imply(left=left, right=right):
            return "imply", (left, right)
        case Forall(parameters=parameters, body=body):
            return f"forall ({_typed(parameters)})", (body,)
        case Exists(parameters=parameters, body=body):
            return f"exists ({_typed(parameters)})", (body,)
        case When(condition=before, effect=after):
            return "when", (before, after)
        case Timed(when=when, body=body):
            return when, (body,)
        case Preference(name=name, body=body):
            return f"preference {name}".rstrip(), (body,)
        case Modal(operator=operator, numbers=numbers, parts=parts):
            return " ".join((operator, *map(write_number, numbers))), parts
        case _:
            return "", ()


def _list(head: str, rest: Iterable[str]) -> str:
    return f"({' '.join((head, *rest))})"


def _pretty(condition: Condition, indent: int) -> str:
    """A condition over as many lines as it needs; the first is not indented."""
    line = write_condition(condition)
    if len(line) + indent <= _WIDTH:
        return line
    opening, members = _taken_apart(condition)
    if not members:
        return line
    blank = "\n" + " " * (indent + 2)
    return f"({opening}{''.join(blank + _pretty(member, indent + 2) for member in members)})"


def _types(types: Sequence[str]) -> str:
    return types[0] if len(types) == 1 else f"(either {' '.join(types)})"


def _groups(items: Sequence[TypedName]) -> Iterator[tuple[list[str], tuple[str, ...]]]:
    """Neighbours of the same types together."""
    names: list[str] = []
    for index, item in enumerate(items):
        names.append(item.name)
        if index + 1 == len(items) or items[index + 1].types != item.types:
            yield names, item.types
            names = []


def _typed(items: Sequence[TypedName]) -> str:
    """A typed list on one line; where all are objects, types are left out."""
    if all(item.types == ("object",) for item in items):
        return " ".join(item.name for item in items)
    return " ".join(f"{' '.join(names)} - {_types(types)}" for names, types in _groups(items))


def _block(keyword: str, lines: Iterable[str]) -> str:
    body = list(lines)
    return f"  ({keyword}\n" + "".join(f"    {line}\n" for line in body) + "  )" if body else ""


def _typed_block(keyword: str, items: Sequence[TypedName]) -> str:
    plain = all(item.types == ("object",) for item in items)
    lines: list[str] = []
    for names, types in _groups(items):
        row = _wrapped(names)
        lines.extend(row)
        if not plain:
            lines[-1] += f" - {_types(types)}"
    return _block(keyword, lines)


def _wrapped(words: Sequence[str]) -> list[str]:
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + len(word) < _WIDTH - 20:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _declared(name: str, parameters: Sequence[TypedName]) -> str:
    return _list(name, [_typed(parameters)] if parameters else [])


def _function_lines(functions: Sequence[Function]) -> Iterator[str]:
    for item in functions:
        yield f"{_declared(item.name, item.parameters)} - {_types(item.types)}"


def _schema(keyword: str, name: str, parameters: Sequence[TypedName], parts: Iterable[tuple[str, Condition]]) -> str:
    lines = [f"  ({keyword} {name}", f"    :parameters ({_typed(parameters)})"]
    lines += [f"    {key} {_pretty(value, 5 + len(key))}" for key, value in parts]
    return "\n".join(lines) + "\n  )"


def _durative(action: DurativeAction) -> str:
    parts = ((":duration", action.duration), (":condition", action.condition), (":effect", action.effect))
    return _schema(":durative-action", action.name, action.parameters, parts)


def write_domain(domain: Domain) -> str:
    """A domain as PDDL text, in the order in which the manuals put the sections."""
    blocks = [
        f"  (:requirements {' '.join(domain.requirements)})" if domain.requirements else "",
        _typed_block(":types", domain.types),
        _typed_block(":constants", domain.constants),
        _block(":predicates", (_declared(item.name, item.parameters) for item in domain.predicates)),
        _block(":functions", _function_lines(domain.functions)),
        "" if domain.constraints is None else f"  (:constraints {_pretty(domain.constraints, 16)})",
    ]
    for axiom in domain.derived:
        head = _declared(axiom.name, axiom.parameters)
        blocks.append(f"  (:derived {head}\n    {_pretty(axiom.condition, 4)}\n  )")
    for action in domain.actions:
        parts = ((":precondition", action.precondition), (":effect", action.effect))
        blocks.append(_schema(":action", action.name, action.parameters, parts))
    blocks.extend(_durative(action) for action in domain.durative_actions)
    for keyword, items in ((":process", domain.processes), (":event", domain.events)):
        for item in items:
            parts = ((":precondition", item.precondition), (":effect", item.effect))
            blocks.append(_schema(keyword, item.name, item.parameters, parts))
    return _whole("domain", domain.name, blocks)


def write_problem(problem: Problem) -> str:
    """A problem as PDDL text: atoms in the order of the tree, then values, negative and timed literals."""
    length = " ".join(f"(:{kind} {number})" for kind, number in problem.length)
    metric = problem.metric
    blocks = [
        f"  (:domain {problem.domain_name})",
        f"  (:requirements {' '.join(problem.requirements)})" if problem.requirements else "",
        _typed_block(":objects", problem.objects),
        _block(":init", _init_lines(problem)) or "  (:init)",
        f"  (:goal {_pretty(problem.goal, 9)})",
        "" if problem.constraints is None else f"  (:constraints {_pretty(problem.constraints, 16)})",
        "" if metric is None else f"  (:metric {metric.direction} {write_expression(metric.expression)})",
        f"  (:length {length})" if length else "",
    ]
    return _whole("problem", problem.name, blocks)


def _init_lines(problem: Problem) -> Iterator[str]:
    yield from map(str, problem.init)
    yield from map(_value, problem.init_values)
    yield from (f"(not {atom})" for atom in problem.init_negative)
    yield from map(_timed, problem.init_timed)


def _value(item: FluentValue) -> str:
    value = item.value if isinstance(item.value, str) else write_number(item.value)
    return f"(= {item.fluent} {value})"


def _timed(item: TimedLiteral) -> str:
    literal: GroundAtom | str = item.atom if item.positive else f"(not {item.atom})"
    return f"(at {write_number(item.time)} {literal})"


def _whole(kind: str, name: str, blocks: Iterable[str]) -> str:
    body = "\n".join(block for block in blocks if block)
    return (
        f"(define ({f'{kind} {name}'.rstrip()})\n{body}\n)\n" if body else f"(define ({f'{kind} {name}'.rstrip()}))\n"
    )

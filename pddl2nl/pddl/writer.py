"""Tree to text: clean PDDL, always the same for the same tree, and read back as the same tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pddl2nl.pddl.tree import (
    Comparison,
    Condition,
    Domain,
    DurativeAction,
    Expression,
    FluentValue,
    Function,
    GroundAtom,
    Node,
    Problem,
    TimedLiteral,
    TypedName,
    Update,
    children,
    opening,
    typed_groups,
    write_number,
    write_typed,
    write_types,
)

__all__ = ["write_condition", "write_domain", "write_expression", "write_number", "write_problem"]

_WIDTH = 100


def write_condition(condition: Condition) -> str:
    """A condition or an effect on one line: ``(not (at a b))``."""
    return str(condition)


def write_expression(node: Expression) -> str:
    """A numeric expression on one line."""
    return str(node)


def _list(head: str, rest: Iterable[str]) -> str:
    return f"({' '.join((head, *rest))})"


def _pretty(node: Node, indent: int) -> str:
    """A formula over as many lines as it needs; the first is not indented."""
    line = str(node)
    members = children(node)
    if len(line) + indent <= _WIDTH or not members or isinstance(node, Comparison | Update):
        return line
    blank = "\n" + " " * (indent + 2)
    return f"({opening(node)}{''.join(blank + _pretty(member, indent + 2) for member in members)})"


def _block(keyword: str, lines: Iterable[str]) -> str:
    body = list(lines)
    return f"  ({keyword}\n" + "".join(f"    {line}\n" for line in body) + "  )" if body else ""


def _typed_block(keyword: str, items: Sequence[TypedName]) -> str:
    plain = all(item.types == ("object",) for item in items)
    lines: list[str] = []
    for names, types in typed_groups(items):
        row = _wrapped(names)
        lines.extend(row)
        if not plain:
            lines[-1] += f" - {write_types(types)}"
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
    return _list(name, [write_typed(parameters)] if parameters else [])


def _function_lines(functions: Sequence[Function]) -> Iterator[str]:
    for item in functions:
        yield f"{_declared(item.name, item.parameters)} - {write_types(item.types)}"


def _schema(keyword: str, name: str, parameters: Sequence[TypedName], parts: Iterable[tuple[str, Condition]]) -> str:
    lines = [f"  ({keyword} {name}", f"    :parameters ({write_typed(parameters)})"]
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

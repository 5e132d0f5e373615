"""Tree to text: clean PDDL, always the same for the same tree, and read back as the same tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pddl2nl.pddl.tree import (
    SCHEMAS,
    Comparison,
    Condition,
    Domain,
    Node,
    Problem,
    StepSchema,
    TypedName,
    Update,
    children,
    opening,
    typed_groups,
    write_number,
    write_typed,
    write_types,
)

_WIDTH = 100


def write_condition(condition: Condition) -> str:
    """A condition or an effect on one line: ``(not (at a b))``."""
    return str(condition)


def pretty(node: Node, indent: int) -> str:
    """A formula over as many lines as it needs; the first is not indented, the others by two blanks more each level."""
    line = str(node)
    members = children(node)
    if len(line) + indent <= _WIDTH or not members or isinstance(node, Comparison | Update):
        return line
    blank = "\n" + " " * (indent + 2)
    return f"({opening(node)}{''.join(blank + pretty(member, indent + 2) for member in members)})"


def _block(keyword: str, lines: Iterable[str]) -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return f"  ({keyword}\n{body}  )" if body else ""


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
    return f"({f'{name} {write_typed(parameters)}'.rstrip()})"


def _schema(keyword: str, item: StepSchema, formulas: Iterable[str]) -> str:
    lines = [f"  ({keyword} {item.name}", f"    :parameters ({write_typed(item.parameters)})"]
    lines += [f"    {key} {pretty(getattr(item, key[1:]), 5 + len(key))}" for key in formulas]
    return "\n".join(lines) + "\n  )"


def write_domain(domain: Domain) -> str:
    """A domain as PDDL text, in the order in which the manuals put the sections."""
    blocks = [
        f"  (:requirements {' '.join(domain.requirements)})" if domain.requirements else "",
        _typed_block(":types", domain.types),
        _typed_block(":constants", domain.constants),
        _block(":predicates", (_declared(item.name, item.parameters) for item in domain.predicates)),
        _block(
            ":functions",
            (f"{_declared(item.name, item.parameters)} - {write_types(item.types)}" for item in domain.functions),
        ),
        "" if domain.constraints is None else f"  (:constraints {pretty(domain.constraints, 16)})",
    ]
    for axiom in domain.derived:
        head = _declared(axiom.name, axiom.parameters)
        blocks.append(f"  (:derived {head}\n    {pretty(axiom.condition, 4)}\n  )")
    for keyword, form in SCHEMAS.items():
        blocks += [_schema(keyword, item, form.formulas) for item in getattr(domain, form.field)]
    return _whole("domain", domain.name, blocks)


def write_problem(problem: Problem) -> str:
    """A problem as PDDL text: atoms in the order of the tree, then values, negative and timed literals."""
    metric = problem.metric
    blocks = [
        f"  (:domain {problem.domain_name})",
        f"  (:requirements {' '.join(problem.requirements)})" if problem.requirements else "",
        _typed_block(":objects", problem.objects),
        _block(":init", _init_lines(problem)) or "  (:init)",
        f"  (:goal {pretty(problem.goal, 9)})",
        "" if problem.constraints is None else f"  (:constraints {pretty(problem.constraints, 16)})",
        "" if metric is None else f"  (:metric {metric.direction} {metric.expression})",
    ]
    return _whole("problem", problem.name, blocks)


def text_of(item: Domain | Problem) -> str:
    """The PDDL that a domain or problem was read from, else as the writer writes it."""
    if item.source is not None:
        return item.source.text
    return write_domain(item) if isinstance(item, Domain) else write_problem(item)


def _init_lines(problem: Problem) -> Iterator[str]:
    yield from map(str, problem.init)
    for item in problem.init_values:
        yield f"(= {item.fluent} {item.value if isinstance(item.value, str) else write_number(item.value)})"
    yield from (f"(not {atom})" for atom in problem.init_negative)
    for timed in problem.init_timed:
        yield f"(at {write_number(timed.time)} {timed.fact})"


def _whole(kind: str, name: str, blocks: Iterable[str]) -> str:
    body = "\n".join(block for block in blocks if block)
    head = f"(define ({f'{kind} {name}'.rstrip()})"
    return f"{head}\n{body}\n)\n" if body else f"{head})\n"

"""Checks of a domain's tree: declarations, types, actions and axioms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pddl2nl.pddl.checks_axioms import check_axioms
from pddl2nl.pddl.checks_formulas import FormulaChecker
from pddl2nl.pddl.diagnostics import Span
from pddl2nl.pddl.log import Log
from pddl2nl.pddl.nesting import Nesting
from pddl2nl.pddl.requirements import Used, check_requirements, report_undeclared
from pddl2nl.pddl.symbols import Signature, Symbols, Types, signature_text, type_text
from pddl2nl.pddl.tree import (
    ActionSchema,
    Domain,
    DurativeAction,
    Event,
    Function,
    Predicate,
    Process,
    TypedName,
)

__all__ = ["check_domain_tree"]


def check_domain_tree(log: Log, nest: Nesting, domain: Domain, start: int) -> None:
    """Checks a domain; ``start`` is where its name stands."""
    used: Used = {}
    checker = FormulaChecker(log, nest, Symbols.of(domain), used)
    check_requirements(log, nest, domain.requirements, start)
    _types(checker, domain)
    _constants(checker, domain)
    _declarations(checker, "predicate", domain.predicates)
    _declarations(checker, "function", domain.functions)
    _functions(checker, domain)
    _unique(log, "action", domain.actions + domain.durative_actions)
    _unique(log, "process", domain.processes)
    _unique(log, "event", domain.events)
    for action in domain.actions:
        _action(checker, f"action '{action.name}'", action)
    for process in domain.processes:
        checker.use(":time", process.span.start, "a process")
        _action(checker, f"process '{process.name}'", process)
    for event in domain.events:
        checker.use(":time", event.span.start, "an event")
        _action(checker, f"event '{event.name}'", event)
    for durative in domain.durative_actions:
        _durative(checker, durative)
    check_axioms(checker, domain)
    if domain.constraints is not None:
        with log.inside("in the constraints"):
            checker.use(":constraints", start, "constraints")
            checker.condition(domain.constraints, {})
    report_undeclared(log, domain.requirements, used)


def _types(checker: FormulaChecker, domain: Domain) -> None:
    log = checker.log
    first: set[str] = set()
    with log.inside("in the types"):
        for item in domain.types:
            checker.use(":typing", item.span.start, "types")
            if item.name in first:
                # storage (IPC 2006) declares `area` twice, below object and below surface: it is below both.
                log.warning(item.span.start, f"type '{item.name}' is declared twice", found=_typed(item))
            first.add(item.name)
        declared = {**{name: Span(-1, -1) for name in ("object", "number")}, **{i.name: i.span for i in domain.types}}
        for item in domain.types:
            for parent in item.types:
                if parent not in declared:
                    # Common in real domains, and clear: it is a type because it is a supertype.
                    log.warning(item.span.start, f"type '{parent}' is declared only as a supertype", found=_typed(item))
                    declared[parent] = item.span
        _type_cycles(log, domain)


def _typed(item: TypedName) -> str:
    return f"{item.name} - {type_text(item.types)}"


def _type_cycles(log: Log, domain: Domain) -> None:
    parents: dict[str, list[str]] = {}
    for item in domain.types:
        # `object - object`, and tidybot's own `object`, say nothing that is wrong.
        above = [parent for parent in item.types if parent not in ("object", item.name)]
        if len(above) < len(item.types) and item.name in item.types and item.name != "object":
            log.warning(item.span.start, f"type '{item.name}' is declared as its own supertype", found=_typed(item))
        parents.setdefault(item.name, []).extend(above)
    done: set[str] = set()
    for item in domain.types:
        cycle = _cycle_from(item.name, parents, done)
        if cycle:
            shown = cycle if len(cycle) <= 12 else [*cycle[:6], "…", *cycle[-5:]]
            message = f"the types {' - '.join(shown)} form a cycle"
            log.error(item.span.start, message, expected="a hierarchy", found=_typed(item))


def _cycle_from(name: str, parents: dict[str, list[str]], done: set[str]) -> list[str]:
    # Depth first with a stack of its own: a hierarchy may be deeper than Python's.
    path: list[str] = []
    above: set[str] = set()
    todo: list[tuple[str, bool]] = [(name, False)]
    while todo:
        current, leaving = todo.pop()
        if leaving:
            above.discard(path.pop())
            done.add(current)
            continue
        if current in above:
            # Once is enough for all the types that lie on it.
            done.update(above)
            return [*path[path.index(current) :], current]
        if current in done:
            continue
        path.append(current)
        above.add(current)
        todo.append((current, True))
        todo.extend((parent, False) for parent in parents.get(current, ()))
    return []


def _constants(checker: FormulaChecker, domain: Domain) -> None:
    with checker.log.inside("in the constants"):
        seen: dict[str, Types] = {}
        for item in domain.constants:
            checker.type_names(item)
            known = seen.get(item.name)
            if known is None:
                seen[item.name] = item.types
            elif known == item.types:
                checker.log.warning(item.span.start, f"constant '{item.name}' is declared twice", found=_typed(item))
            else:
                message = f"constant '{item.name}' is declared twice, with different types"
                checker.log.error(item.span.start, message, expected=type_text(known), found=_typed(item))


def _declarations(checker: FormulaChecker, what: str, items: Sequence[Predicate | Function]) -> None:
    first: dict[str, Predicate | Function] = {}
    with checker.log.inside(f"in the {what}s"):
        for item in items:
            with checker.log.inside(f"in {what} '{item.name}'"):
                _parameters(checker, item.parameters)
            known = first.setdefault(item.name, item)
            if known is item:
                continue
            message = f"{what} '{item.name}' is declared twice"
            note = checker.log.warning
            if len(known.parameters) != len(item.parameters):
                note, message = checker.log.error, f"{message}, differently"
            elif [one.types for one in known.parameters] != [one.types for one in item.parameters]:
                # Fast Downward looks at the number of arguments alone.
                message += ", with different types; it is taken to be of both"
            note(item.span.start, message, expected=_declared(known), found=_declared(item))


def _declared(item: Predicate | Function) -> str:
    parameters = item.parameters
    return signature_text(item.name, Signature(tuple(i.name for i in parameters), tuple(i.types for i in parameters)))


def _parameters(checker: FormulaChecker, parameters: Sequence[TypedName]) -> None:
    seen: set[str] = set()
    for item in parameters:
        checker.type_names(item)
        if item.name in seen:
            # The names in a declaration mean nothing; a repeated one is harmless and does occur.
            checker.log.warning(item.span.start, f"parameter '{item.name}' is declared twice", found=item.name)
        seen.add(item.name)


def _functions(checker: FormulaChecker, domain: Domain) -> None:
    predicates = {item.name for item in domain.predicates}
    with checker.log.inside("in the functions"):
        for item in domain.functions:
            for name in item.types:
                if name != "number" and name not in checker.symbols.above:
                    checker.log.error(
                        item.span.start, f"undeclared type '{name}' of function '{item.name}'", found=name
                    )
            if item.name in predicates:
                message = f"'{item.name}' is both a predicate and a function"
                checker.log.warning(item.span.start, message, found=_declared(item))


def _unique(log: Log, what: str, items: Iterable[ActionSchema | DurativeAction | Process | Event]) -> None:
    seen: set[str] = set()
    for item in items:
        if item.name in seen:
            log.error(item.span.start, f"{what} '{item.name}' is declared twice")
        seen.add(item.name)


def _action(checker: FormulaChecker, what: str, action: ActionSchema | Process | Event) -> None:
    log = checker.log
    with log.inside(f"in {what}"):
        with log.inside("in its parameters"):
            checker.types(action.parameters)
        scope = {item.name: item.types for item in action.parameters}
        with log.inside("in its precondition"):
            checker.condition(action.precondition, scope)
        with log.inside("in its effect"):
            checker.effect(action.effect, scope)


def _durative(checker: FormulaChecker, action: DurativeAction) -> None:
    log = checker.log
    checker.use(":durative-actions", action.span.start, "a durative action")
    with log.inside(f"in durative action '{action.name}'"):
        with log.inside("in its parameters"):
            checker.types(action.parameters)
        scope = {item.name: item.types for item in action.parameters}
        with log.inside("in its duration"):
            before = dict(checker.used)
            checker.condition(action.duration, scope)
            # A constant duration is no numeric fluent, though it is written as a comparison.
            checker.used.clear()
            checker.used.update(before)
        with log.inside("in its condition"):
            checker.condition(action.condition, scope)
        with log.inside("in its effect"):
            checker.effect(action.effect, scope)

"""Lists to tree: domains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pddl2nl.pddl.build_conditions import CONNECTIVES, Builder, condition, constraint, timed_condition
from pddl2nl.pddl.build_effects import duration, effect, timed_effect
from pddl2nl.pddl.build_header import Header, requirements
from pddl2nl.pddl.build_terms import Build, first_word, show, typed_list
from pddl2nl.pddl.diagnostics import Span
from pddl2nl.pddl.log import Near
from pddl2nl.pddl.nesting import Item, Node, Word
from pddl2nl.pddl.tree import (
    ActionSchema,
    And,
    Condition,
    DerivedPredicate,
    Domain,
    DurativeAction,
    Event,
    Function,
    Predicate,
    Process,
    TypedName,
)

__all__ = ["SECTIONS", "build_domain"]


class _Parts:
    """What was read so far of a domain."""

    def __init__(self) -> None:
        self.requirements: list[str] = []
        self.types: list[TypedName] = []
        self.constants: list[TypedName] = []
        self.predicates: list[Predicate] = []
        self.functions: list[Function] = []
        self.constraints: list[Condition] = []
        self.actions: list[ActionSchema] = []
        self.durative: list[DurativeAction] = []
        self.derived: list[DerivedPredicate] = []
        self.processes: list[Process] = []
        self.events: list[Event] = []


def build_domain(build: Build, header: Header) -> Domain:
    """The tree of a domain; what could not be read is missing in it, and an error in the log."""
    found = _Parts()
    build.functions = frozenset(_function_names(build, header))
    seen: set[str] = set()
    for section in header.sections:
        keyword = first_word(build, section)
        make = SECTIONS.get(keyword)
        if make is None:
            _unknown(build, section, keyword)
            continue
        if keyword in seen and keyword in _ONCE:
            build.log.warning(section.start, f"a second '{keyword}' in this domain; both count")
        seen.add(keyword)
        make(build, section, found)
    constraints = found.constraints
    return Domain(
        header.name,
        tuple(found.requirements),
        tuple(found.types),
        tuple(found.constants),
        tuple(found.predicates),
        tuple(found.functions),
        None if not constraints else constraints[0] if len(constraints) == 1 else And(tuple(constraints)),
        tuple(found.actions),
        tuple(found.durative),
        tuple(found.derived),
        tuple(found.processes),
        tuple(found.events),
        build.log.source,
    )


def _unknown(build: Build, section: Node, keyword: str) -> None:
    if keyword in (":objects", ":init", ":goal", ":metric"):
        message, expected = f"'{keyword}' belongs to a problem, not to a domain", ""
    elif keyword == ":axiom":
        message = "':axiom' is of PDDL 1.2 only and is not read"
        expected = "(:derived (predicate ?parameter …) (condition))"
    elif keyword in (":timeless", ":safety", ":domain-variables", ":method", ":addendum", ":situation"):
        message, expected = f"'{keyword}' is of PDDL 1.2 only and is not read", ""
    else:
        message = f"no section of a domain: '{keyword}'" if keyword else "a section without a keyword"
        expected = ", ".join(SECTIONS)
    suggestion = Near(keyword, (":constants",) if keyword == ":objects" else SECTIONS)
    build.log.error(section.start, message, expected=expected, found=show(build, section), suggestion=suggestion)


def _function_names(build: Build, header: Header) -> list[str]:
    sections = [section for section in header.sections if first_word(build, section) == ":functions"]
    lists = [item for section in sections for item in build.nest.elements(section.items)]
    return [first_word(build, item) for item in lists if isinstance(item, Node)]


def _body(build: Build, section: Node) -> list[Item]:
    return build.nest.all(section)[1:]


def _requirements(build: Build, section: Node, found: _Parts) -> None:
    found.requirements.extend(requirements(build, section))


def _types(build: Build, section: Node, found: _Parts) -> None:
    with build.log.inside("in the types"):
        found.types.extend(typed_list(build, _body(build, section), "type"))


def _constants(build: Build, section: Node, found: _Parts) -> None:
    with build.log.inside("in the constants"):
        found.constants.extend(typed_list(build, _body(build, section), "constant"))


def _predicates(build: Build, section: Node, found: _Parts) -> None:
    with build.log.inside("in the predicates"):
        for item in _body(build, section):
            if isinstance(item, Word):
                message = "a word among the predicates"
                build.log.error(item.start, message, expected="(name ?parameter …)", found=show(build, item))
                continue
            declared = _declaration(build, item, "predicate")
            if declared is not None:
                found.predicates.append(declared)


def _declaration(build: Build, node: Node, what: str) -> Predicate | None:
    items = build.nest.all(node)
    if not items or isinstance(items[0], Node):
        expected = "(name ?parameter - type …)"
        build.log.error(node.start, f"a {what} without a name", expected=expected, found=show(build, node))
        return None
    name = items[0]
    if name.text == "=" and what == "predicate":
        build.log.warning(name.start, "'=' is built in and need not be declared")
        return None
    if name.text in CONNECTIVES or name.text[0] in "?:-":
        message = f"'{name.text}' cannot be the name of a {what}"
        build.log.error(name.start, message, expected="a name that is no keyword", found=show(build, node))
        return None
    with build.log.inside(f"in {what} '{name.text}'"):
        parameters = typed_list(build, items[1:], "parameter", variables=True)
    return Predicate(name.text, parameters, Span(node.start, node.end))


def _functions(build: Build, section: Node, found: _Parts) -> None:
    with build.log.inside("in the functions"):
        pending: list[Predicate] = []
        types: tuple[str, ...] = ("number",)
        typed = False
        for item in _body(build, section):
            if typed:
                stub = typed_list(build, [Word("f", item.start), Word("-", item.start), item], "function")
                types, typed = stub[0].types if stub else ("number",), False
                found.functions.extend(Function(one.name, one.parameters, types, one.span) for one in pending)
                pending = []
            elif isinstance(item, Node):
                declared = _declaration(build, item, "function")
                pending.extend([] if declared is None else [declared])
            elif item.text == "-":
                typed = True
            elif item.text[0] == "-":
                build.log.warning(item.start, "no blank between '-' and the type", found=f"'{item.text}'")
                types = (item.text[1:],)
                found.functions.extend(Function(one.name, one.parameters, types, one.span) for one in pending)
                pending = []
            else:
                expected = "(name ?parameter …), or '- number'"
                build.log.error(item.start, "a word among the functions", expected=expected, found=show(build, item))
        found.functions.extend(Function(one.name, one.parameters, ("number",), one.span) for one in pending)


def _constraints(build: Build, section: Node, found: _Parts) -> None:
    with build.log.inside("in the constraints"):
        for item in _body(build, section):
            if isinstance(item, Node):
                found.constraints.append(constraint(build, item))
            else:
                build.log.error(item.start, "a word among the constraints", found=show(build, item))


def _derived(build: Build, section: Node, found: _Parts) -> None:
    items = _body(build, section)
    lists = [item for item in items if isinstance(item, Node)]
    if len(items) != 2 or len(lists) != 2:
        expected = "(:derived (predicate ?parameter …) (condition))"
        build.log.error(section.start, "malformed axiom", expected=expected, found=show(build, section))
        return
    head = _declaration(build, lists[0], "derived predicate")
    if head is None:
        return
    with build.log.inside(f"in the axiom for '{head.name}'"):
        body = condition(build, lists[1])
    found.derived.append(DerivedPredicate(head.name, head.parameters, body, Span(section.start, section.end)))


@dataclass
class _Schema:
    """The keyword arguments of an action, a process or an event."""

    name: str
    values: dict[str, Node]
    parameters: tuple[TypedName, ...]


def _schema(build: Build, section: Node, what: str, keys: tuple[str, ...]) -> _Schema | None:
    items = _body(build, section)
    if not items or isinstance(items[0], Node) or items[0].text[0] == ":":
        expected = f"(:{what.replace(' ', '-')} name :parameters (…) …)"
        build.log.error(section.start, f"{what} without a name", expected=expected, found=show(build, section))
        return None
    values: dict[str, Node] = {}
    key: Word | None = None
    for item in items[1:]:
        if isinstance(item, Node):
            if key is None:
                build.log.error(
                    item.start, "a list without a keyword before it", expected=", ".join(keys), found=show(build, item)
                )
            elif key.text in values:
                build.log.error(key.start, f"a second '{key.text}'", found=show(build, item))
            elif key.text in keys:
                values[key.text] = item
            key = None
            continue
        if key is not None:
            _empty(build, key)
        key = item
        if item.text not in keys:
            _wrong_key(build, item, keys)
    if key is not None:
        _empty(build, key)
    variables = values.get(":parameters")
    parameters: tuple[TypedName, ...] = ()
    if variables is not None:
        with build.log.inside("in its parameters"):
            parameters = typed_list(build, build.nest.all(variables), "parameter", variables=True)
    return _Schema(items[0].text, values, parameters)


def _wrong_key(build: Build, key: Word, keys: tuple[str, ...]) -> None:
    expected = ", ".join(keys)
    if key.text == ":vars":
        message, expected = "':vars' is of PDDL 1.2 only and is not read", "its variables among ':parameters'"
    elif key.text[0] == ":":
        message = f"unknown keyword '{key.text}'"
    else:
        message = f"'{key.text}' where a keyword was expected"
    build.log.error(key.start, message, expected=expected, suggestion=Near(key.text, keys))


def _empty(build: Build, key: Word) -> None:
    # As if it were missing: what was meant is clear, and generators write it.
    build.log.warning(key.start, f"nothing behind '{key.text}'", expected="a list; () where it is empty")


def _named(build: Build, section: Node) -> str:
    words = build.nest.split(section.head)
    return words[1] if len(words) > 1 else ""


def _value(build: Build, schema: _Schema, key: str, place: str, make: Builder) -> Condition:
    node = schema.values.get(key)
    if node is None:
        return And()
    with build.log.inside(f"in its {place}"):
        return make(build, node)


def _action(build: Build, section: Node, found: _Parts) -> None:
    with build.log.inside(f"in action '{_named(build, section)}'"):
        schema = _schema(build, section, "action", (":parameters", ":precondition", ":effect"))
        if schema is not None:
            before = _value(build, schema, ":precondition", "precondition", condition)
            after = _value(build, schema, ":effect", "effect", effect)
            span = Span(section.start, section.end)
            found.actions.append(ActionSchema(schema.name, schema.parameters, before, after, span))


def _durative_action(build: Build, section: Node, found: _Parts) -> None:
    with build.log.inside(f"in durative action '{_named(build, section)}'"):
        keys = (":parameters", ":duration", ":condition", ":effect")
        schema = _schema(build, section, "durative action", keys)
        if schema is None:
            return
        if ":duration" not in schema.values:
            build.log.error(
                section.start, "a durative action without ':duration'", expected=":duration (= ?duration …)"
            )
        length = _value(build, schema, ":duration", "duration", duration)
        before = _value(build, schema, ":condition", "condition", timed_condition)
        after = _value(build, schema, ":effect", "effect", timed_effect)
        span = Span(section.start, section.end)
        found.durative.append(DurativeAction(schema.name, schema.parameters, length, before, after, span))


def _process_or_event(build: Build, section: Node, found: _Parts) -> None:
    what = first_word(build, section)[1:]
    with build.log.inside(f"in {what} '{_named(build, section)}'"):
        schema = _schema(build, section, what, (":parameters", ":precondition", ":effect"))
        if schema is None:
            return
        before = _value(build, schema, ":precondition", "precondition", condition)
        after = _value(build, schema, ":effect", "effect", effect)
        span = Span(section.start, section.end)
        if what == "process":
            found.processes.append(Process(schema.name, schema.parameters, before, after, span))
        else:
            found.events.append(Event(schema.name, schema.parameters, before, after, span))


SECTIONS: dict[str, Callable[[Build, Node, _Parts], None]] = {
    ":requirements": _requirements,
    ":types": _types,
    ":constants": _constants,
    ":predicates": _predicates,
    ":functions": _functions,
    ":constraints": _constraints,
    ":derived": _derived,
    ":action": _action,
    ":durative-action": _durative_action,
    ":process": _process_or_event,
    ":event": _process_or_event,
}
_ONCE = (":requirements", ":types", ":constants", ":predicates", ":functions", ":constraints")

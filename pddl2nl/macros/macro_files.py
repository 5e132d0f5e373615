"""A macro-action as a file: the action in PDDL, and in comments above it what else is known of it.

The file holds no domain: ``(:action …)`` alone, to be read against the domain whose predicates and types it uses. The
comments are lines ``; key: value`` with the value in JSON, so that no text that a model said can end a comment or begin
an action::

    ; description: "pick up a block and put it on another"
    ; domain: "blocksworld"
    ; steps: ["(pick-up ?x)", "(stack ?x ?y)"]
    (:action pick-up-stack
      :parameters (?x ?y)
      …
    )
"""

from __future__ import annotations

import hashlib
import json
import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pddl2nl.errors import InputError
from pddl2nl.macros.macro import Conditions, Macro, MacroStep
from pddl2nl.pddl import ActionSchema, Diagnostic, Domain, PDDLError, Task, check_domain, write_domain
from pddl2nl.pddl.prepare import decode, load_bytes
from pddlval import GroundAction

__all__ = [
    "Provenance",
    "StoredMacro",
    "domain_hash",
    "load_macro_file",
    "read_macro_file",
    "read_schemas",
    "steps_of",
    "with_objects",
    "write_macro_file",
    "write_schema",
]

_COMMENT = re.compile(r"^;+\s*([a-z][a-z0-9-]*):\s*(.*)$")
_BLANK_OR_COMMENT = re.compile(r"\A(?:\s|;[^\n]*(?:\n|\Z))*")


@dataclass(frozen=True)
class Provenance:
    """Where a macro comes from and what is known of it.

    Attributes:
        descriptions: what it does, in natural language; as many as the macro was found under.
        domain: the name of the domain whose actions its steps are.
        domain_sha256: of that domain as `domain_hash` has it.
        origin: how it came to be: ``composed``, ``learned``, a policy and its task.
        support: in mining, how often it occurred; None elsewhere.
        uses: how many solved tasks it has been part of.
        distinct: whether its parameters stand for different objects where that makes a difference.
        total: functions that have a value at all objects of the tasks that it is for; its conditions rest on that.
        proof: what was proved of the conditions that somebody claimed for it, as JSON; empty where nobody did.
    """

    descriptions: tuple[str, ...] = ()
    domain: str = ""
    domain_sha256: str = ""
    origin: str = ""
    support: int | None = None
    uses: int = 0
    distinct: bool = False
    total: tuple[str, ...] = ()
    proof: Mapping[str, Any] = field(default_factory=dict)

    @property
    def description(self) -> str:
        """The first description, or nothing."""
        return self.descriptions[0] if self.descriptions else ""


@dataclass(frozen=True)
class StoredMacro:
    """A macro with its provenance, and the file it was read from or written to; None where there is none."""

    macro: Macro
    provenance: Provenance = Provenance()
    path: Path | None = None


def with_objects(task: Task) -> Domain:
    """The task's domain with the problem's objects among its constants, so that a macro can speak of them."""
    known = {item.name for item in task.domain.constants}
    more = tuple(item for item in task.problem.objects if item.name not in known)
    return replace(task.domain, constants=(*task.domain.constants, *more))


def domain_hash(domain: Domain) -> str:
    """SHA-256 of a domain as it is written from its tree: comments, layout and upper case make no difference."""
    return hashlib.sha256(write_domain(domain).encode()).hexdigest()


# ── text ─────────────────────────────────────────────────────────────────────────────────────────


def write_schema(schema: ActionSchema) -> str:
    """An action alone as PDDL text, with a line ending."""
    lines = write_domain(Domain("", actions=(schema,))).splitlines()
    return textwrap.dedent("\n".join(lines[1:-1])) + "\n"


def write_macro_file(stored: StoredMacro) -> str:
    """The text of a macro's file."""
    known, macro = stored.provenance, stored.macro
    facts: dict[str, Any] = {
        "description": list(known.descriptions) if len(known.descriptions) != 1 else known.description,
        "domain": known.domain,
        "domain-sha256": known.domain_sha256,
        "origin": known.origin,
        "support": known.support,
        "uses": known.uses,
        "distinct": known.distinct,
        "total": list(known.total),
        "proof": dict(known.proof),
        "steps": [str(step) for step in macro.steps],
    }
    shown = {key: value for key, value in facts.items() if value not in (None, "", [], {}, False, 0)}
    # ASCII: JSON leaves characters as they are that some readers take for the end of a line.
    comments = [f"; {key}: {json.dumps(value, sort_keys=True)}" for key, value in shown.items()]
    return "\n".join([*comments, write_schema(macro.schema)])


def load_macro_file(path: str | Path, domain: Domain) -> StoredMacro:
    """Reads a macro's file; InputError and PDDLError as in `read_macro_file`, and where it cannot be read."""
    return replace(read_macro_file(decode(load_bytes(path)).text, domain, str(path)), path=Path(path))


def read_macro_file(text: str, domain: Domain, name: str = "<macro>") -> StoredMacro:
    """Reads the text of a macro's file.

    Args:
        text: one ``(:action …)``, with or without comments; without steps among them it can be proved or refuted, and
            not be expanded.
        domain: whose predicates, functions, types and constants it uses.
        name: how the text is called in errors.

    Raises:
        PDDLError: the action cannot be read, or uses what the domain does not have.
        InputError: there is not one action, or a comment says what cannot be.
    """
    facts = _facts(text, name)
    provenance = _provenance(facts, name)
    try:
        schemas = read_schemas(text, domain, name)
    except PDDLError as error:
        if provenance.domain in ("", domain.name):
            raise
        count = sum(1 for item in error.diagnostics if item.severity == "error")
        raise InputError(
            f"{name}: a macro of the domain '{provenance.domain}', and not of '{domain.name}': it has {count} "
            f"error{'s' if count > 1 else ''} here, the first of them: {error.diagnostics[0].message}"
        ) from None
    if len(schemas) != 1:
        raise InputError(f"{name}: a macro's file holds one (:action …); found {len(schemas)}")
    schema = schemas[0]
    steps = tuple(_step(each, name) for each in _texts(facts, "steps", name))
    macro = Macro(schema.name, schema.parameters, steps, Conditions(schema.precondition, schema.effect))
    return StoredMacro(macro, provenance)


def read_schemas(text: str, domain: Domain, name: str = "<actions>") -> tuple[ActionSchema, ...]:
    """The actions of a text that holds ``(:action …)`` alone, checked against a domain's declarations.

    A text that is a whole domain, ``(define (domain …) …)``, is taken as well: its actions that the domain lacks.

    Raises:
        PDDLError: the text cannot be read, or uses what the domain does not have.
    """
    start = _BLANK_OR_COMMENT.match(text)
    assert start is not None
    if re.match(r"\(\s*define\b", text[start.end() :], re.IGNORECASE):
        own = check_domain(text, name).require()
        known = {action.name for action in domain.actions}
        return tuple(action for action in own.actions if action.name not in known)
    # All declarations in the line above the text, so that places in it are right once one line is taken off.
    declared = write_domain(replace(domain, actions=(), durative_actions=(), processes=(), events=())).rstrip()
    assert declared.endswith(")")
    checked = check_domain(f"{' '.join(declared[:-1].split())}\n{text}\n)", name)
    if checked.value is None or checked.errors:
        last = text.count("\n") + 1
        raise PDDLError(tuple(_moved(item, last) for item in checked.diagnostics))
    return checked.value.actions


def _moved(item: Diagnostic, last: int) -> Diagnostic:
    """A diagnostic of the text within the domain as one of the text itself."""
    line = item.line - 1
    return replace(item, line=line) if 1 <= line <= last else replace(item, line=0, column=0, excerpt="")


# ── comments ─────────────────────────────────────────────────────────────────────────────────────


def _facts(text: str, name: str) -> dict[str, Any]:
    """What the comments above the action say; those that are no ``key: value`` are comments."""
    found: dict[str, Any] = {}
    start = _BLANK_OR_COMMENT.match(text)
    assert start is not None
    for number, line in enumerate(start[0].split("\n"), start=1):
        match = _COMMENT.match(line.strip())
        if match is None or match[1] not in _KEYS:
            continue
        try:
            found[match[1]] = json.loads(match[2])
        except ValueError as error:
            raise InputError(
                f"{name}:{number}: what stands behind '{match[1]}:' is no JSON ({error}): a text needs double quotes"
            ) from None
    return found


_KEYS = ("description", "domain", "domain-sha256", "origin", "support", "uses", "distinct", "total", "proof", "steps")


def _provenance(facts: Mapping[str, Any], name: str) -> Provenance:
    return Provenance(
        descriptions=_texts(facts, "description", name),
        domain=_typed(facts, "domain", str, "", name),
        domain_sha256=_typed(facts, "domain-sha256", str, "", name),
        origin=_typed(facts, "origin", str, "", name),
        support=_typed(facts, "support", int, None, name),
        uses=_typed(facts, "uses", int, 0, name),
        distinct=_typed(facts, "distinct", bool, False, name),
        total=_texts(facts, "total", name),
        proof=_typed(facts, "proof", dict, {}, name),
    )


def _typed(facts: Mapping[str, Any], key: str, kind: type, otherwise: Any, name: str) -> Any:
    value = facts.get(key, otherwise)
    if value is not otherwise and not isinstance(value, kind):
        raise InputError(f"{name}: '{key}' is {json.dumps(value)}; expected {_KINDS[kind]}")
    return value


_KINDS: dict[type, str] = {str: "a text", int: "a whole number", bool: "true or false", dict: "an object"}


def _texts(facts: Mapping[str, Any], key: str, name: str) -> tuple[str, ...]:
    """A text, or a list of texts."""
    value = facts.get(key, [])
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise InputError(f"{name}: '{key}' is {json.dumps(value)}; expected a text or a list of texts")
    return tuple(items)


def _step(text: str, name: str) -> MacroStep:
    try:
        return MacroStep(*GroundAction.parse(text))
    except InputError as error:
        raise InputError(f"{name}: in 'steps': {error}") from None


def steps_of(texts: Iterable[str]) -> tuple[MacroStep, ...]:
    """Steps as a user writes them, ``(pick-up ?x)``; InputError where one is no action."""
    return tuple(MacroStep(*GroundAction.parse(text)) for text in texts)

"""Macro-actions in files, and libraries of them: a folder per domain, a file per macro.

A file holds one ``(:action …)``, to be read with the domain whose predicates and types it uses. What else is known
stands above it in comments ``; key: value`` with values in JSON, so that no text can end a comment or begin an action::

    ; description: "pick up a block and put it on another"
    ; domain: "blocksworld"
    ; steps: ["(pick-up ?x)", "(stack ?x ?y)"]
    (:action pick-up-stack
      :parameters (?x ?y)
      …
    )

A macro is added after a task was solved with it (`Library.keep` validates the plan). A macro that is equal to a stored
one, up to names and the order of independent steps, is not stored again; its description and use are added to the
other's. Files never overwrite another macro, so that runs can share a library.

Macros are composed again from their steps when they are read, so that their conditions hold even if the domain or the
file was edited.
"""

from __future__ import annotations

import hashlib
import json
import re
import textwrap
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from pddl2nl.conversion import WrongValueError, convert
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.files import decode, read_bytes, unreadable, write_text_file
from pddl2nl.macros.canonical import Canonical, canonical
from pddl2nl.macros.compose import compose, total_functions
from pddl2nl.macros.macro import Conditions, Macro, MacroStep
from pddl2nl.pddl import (
    ActionSchema,
    Diagnostic,
    Domain,
    Fluent,
    PDDLError,
    Task,
    check_domain,
    write_condition,
    write_domain,
)
from pddl2nl.pddl.tree import walk
from pddl2nl.worlds.similarity import Embed, Vectors, cosine
from pddlval import GroundAction, validate
from pddlval.plans import plan_of

_COMMENT = re.compile(r"^;+\s*([a-z][a-z0-9-]*):\s*(.*)$")
_BLANK_OR_COMMENT = re.compile(r"\A(?:\s|;[^\n]*(?:\n|\Z))*")


@dataclass(frozen=True)
class Provenance:
    """The origin of a macro and what is known about it.

    Attributes:
        descriptions: what it does, in natural language.
        domain: the name of the domain of its steps.
        domain_sha256: of that domain, by `domain_hash`.
        origin: ``composed``, or a policy and its task.
        uses: the number of solved tasks that it was part of.
        distinct: whether its parameters stand for different objects if that makes a difference.
        total: functions with a value for all objects of the tasks it is for; its conditions depend on that.
        proof: what was proved of conditions that were claimed for it, as JSON; empty if none were.
    """

    descriptions: tuple[str, ...] = ()
    domain: str = ""
    domain_sha256: str = ""
    origin: str = ""
    uses: int = 0
    distinct: bool = False
    total: tuple[str, ...] = ()
    proof: Mapping[str, Any] = field(default_factory=dict)

    @property
    def description(self) -> str:
        return self.descriptions[0] if self.descriptions else ""


@dataclass(frozen=True)
class StoredMacro:
    """A macro with its provenance, and its file if there is one."""

    macro: Macro
    provenance: Provenance = Provenance()
    path: Path | None = None

    def as_json(self) -> dict[str, Any]:
        """The macro as the commands print it."""
        macro, known = self.macro, self.provenance
        return {
            "name": macro.name,
            "parameters": [{"name": item.name, "types": list(item.types)} for item in macro.parameters],
            "steps": [str(step) for step in macro.steps],
            "precondition": write_condition(macro.conditions.precondition),
            "effect": write_condition(macro.conditions.effect),
            "distinct": known.distinct,
            "description": known.description,
            "pddl": write_schema(macro.schema),
        }


def with_objects(task: Task) -> Domain:
    """The task's domain with the problem's objects as constants, so that a macro can name them."""
    known = {item.name for item in task.domain.constants}
    more = tuple(item for item in task.problem.objects if item.name not in known)
    return replace(task.domain, constants=(*task.domain.constants, *more))


def domain_hash(domain: Domain) -> str:
    """SHA-256 of a domain as written from its tree, independent of comments, layout and case."""
    return hashlib.sha256(write_domain(domain).encode()).hexdigest()


# ── text ─────────────────────────────────────────────────────────────────────────────────────────


def write_schema(schema: ActionSchema) -> str:
    """An action as PDDL text, with a final newline."""
    lines = write_domain(Domain("", actions=(schema,))).splitlines()
    return textwrap.dedent("\n".join(lines[1:-1])) + "\n"


def write_macro_file(stored: StoredMacro) -> str:
    facts = {key: getattr(stored.provenance, name) for key, (name, _) in _COMMENTS.items()}
    facts["steps"] = [str(step) for step in stored.macro.steps]
    shown = {key: value for key, value in facts.items() if value not in (None, "", [], (), {}, False, 0)}
    if len(stored.provenance.descriptions) == 1:
        shown["description"] = stored.provenance.description
    # ASCII, because some characters that JSON keeps count as line ends elsewhere.
    comments = [f"; {key}: {json.dumps(value, sort_keys=True)}" for key, value in shown.items()]
    return "\n".join([*comments, write_schema(stored.macro.schema)])


def load_macro_file(path: str | Path, domain: Domain) -> StoredMacro:
    """Reads a macro's file; InputError and PDDLError as `read_macro_file`, or if it cannot be read."""
    return replace(read_macro_file(decode(read_bytes(path)).text, domain, str(path)), path=Path(path))


def read_macro_file(text: str, domain: Domain, name: str = "<macro>") -> StoredMacro:
    """Reads the text of a macro's file.

    Args:
        text: one ``(:action …)`` with optional comments; without ``steps`` it can be proved but not expanded.
        domain: with the predicates, functions, types and constants.
        name: the name of the text in errors.

    Raises:
        PDDLError: the action cannot be read, or uses undeclared names.
        InputError: not exactly one action, or a comment with an impossible value.
    """
    facts = _facts(text, name)
    steps = facts.pop("steps", ())
    provenance = Provenance(**{_COMMENTS[key][0]: value for key, value in facts.items()})
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
    try:
        macro_steps = steps_of(steps)
    except InputError as error:
        raise InputError(f"{name}: in 'steps': {error}") from None
    macro = Macro(schema.name, schema.parameters, macro_steps, Conditions(schema.precondition, schema.effect))
    return StoredMacro(macro, provenance)


def read_schemas(text: str, domain: Domain, name: str = "<actions>") -> tuple[ActionSchema, ...]:
    """The actions of a text of ``(:action …)``, checked against a domain's declarations; PDDLError otherwise."""
    # All declarations in one line above the text, so that its line numbers are off by one.
    declared = write_domain(replace(domain, actions=(), durative_actions=(), processes=(), events=())).rstrip()
    assert declared.endswith(")")
    checked = check_domain(f"{' '.join(declared[:-1].split())}\n{text}\n)", name)
    if checked.value is None or checked.errors:
        last = text.count("\n") + 1
        raise PDDLError(tuple(_moved(item, last) for item in checked.diagnostics))
    return checked.value.actions


def _moved(item: Diagnostic, last: int) -> Diagnostic:
    """A diagnostic with its place in the text rather than in the text within the domain."""
    line = item.line - 1
    return replace(item, line=line) if 1 <= line <= last else replace(item, line=0, column=0, excerpt="")


# ── comments ─────────────────────────────────────────────────────────────────────────────────────

_TEXTS: Any = str | tuple[str, ...]

_COMMENTS: Mapping[str, tuple[str, Any]] = {
    "description": ("descriptions", _TEXTS),
    "domain": ("domain", str),
    "domain-sha256": ("domain_sha256", str),
    "origin": ("origin", str),
    "uses": ("uses", int),
    "distinct": ("distinct", bool),
    "total": ("total", _TEXTS),
    "proof": ("proof", dict[str, Any]),
}
"""The field of `Provenance` for each comment, and the type of its value."""


def _facts(text: str, name: str) -> dict[str, Any]:
    """The values of the comments ``key: value`` above the action."""
    facts: dict[str, Any] = {}
    start = _BLANK_OR_COMMENT.match(text)
    assert start is not None
    types = {**{key: kind for key, (_, kind) in _COMMENTS.items()}, "steps": _TEXTS}
    for number, line in enumerate(start[0].split("\n"), start=1):
        match = _COMMENT.match(line.strip())
        if match is None or match[1] not in types:
            continue
        try:
            value = convert(json.loads(match[2]), types[match[1]], match[1])
        except WrongValueError as error:
            raise InputError(f"{name}:{number}: {error}") from None
        except (ValueError, RecursionError) as error:
            reason = f"what stands behind '{match[1]}:' is no JSON ({unreadable(error)}): a text needs double quotes"
            raise InputError(f"{name}:{number}: {reason}") from None
        facts[match[1]] = (value,) if types[match[1]] is _TEXTS and isinstance(value, str) else value
    return facts


def steps_of(texts: Iterable[str]) -> tuple[MacroStep, ...]:
    """Steps as a user writes them, ``(pick-up ?x)``; InputError if one cannot be read."""
    return tuple(MacroStep(*GroundAction.parse(text)) for text in texts)


_LOCK = threading.Lock()
_LONGEST_NAME = 60
_MOST_NUMBERS = 10_000


@dataclass(frozen=True)
class Match:
    """A macro that fits a description; likeness 1 means the same text or direction."""

    stored: StoredMacro
    likeness: float


def free_name(words: str, taken: Collection[str] = ()) -> str:
    """A PDDL and file name made of words that is not taken: at most 60 letters, digits and hyphens, numbered if
    necessary.
    """
    base = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:_LONGEST_NAME].strip("-")
    if not base or not base[0].isalpha():
        base = f"macro-{base}".strip("-")
    lowered = {name.lower() for name in taken}
    names = (base if number == 1 else f"{base}-{number}" for number in range(1, _MOST_NUMBERS))
    return next(name for name in names if name not in lowered)


def recomposed(stored: StoredMacro, domain: Domain) -> StoredMacro:
    """A macro with the exact conditions of its steps in this domain.

    Raises:
        InputError: its steps are unknown.
        CannotComposeError, InputError: the domain does not have its steps, or no action is equivalent to them.
    """
    macro = stored.macro
    if not macro.steps:
        raise InputError(
            f"{stored.path or macro.name}: no line '; steps: [\"(action ?x)\", …]' says what '{macro.name}' stands for"
        )
    known = stored.provenance
    return replace(stored, macro=_composed(domain, macro.steps, macro.name, known.total, known.distinct))


def load_macros(paths: Iterable[Path], domain: Domain, warn: Callable[[str], None]) -> list[StoredMacro]:
    """The macros of files and of all files in folders, with the exact conditions of their steps in the domain.

    Duplicates, up to names and the order of independent steps, are dropped.

    Args:
        paths: files and folders.
        domain: of the macros.
        warn: told of files in folders that the domain cannot use, and of files with other conditions.

    Raises:
        InputError: a named file cannot be used, or there is no macro.
    """
    macros: dict[tuple[Canonical, bool], StoredMacro] = {}
    for path in paths:
        for file in sorted(path.rglob("*.pddl")) if path.is_dir() else [path]:
            try:
                stored = load_macro_file(file, domain)
                exact = recomposed(stored, domain)
            except InputError as error:
                if not path.is_dir():
                    raise
                warn(f"left out: {error}")
                continue
            if write_schema(stored.macro.schema) != write_schema(exact.macro.schema):
                warn(f"{file}: its conditions differ from those of its steps in this domain, which are used instead")
            macros.setdefault((canonical(exact.macro, domain), exact.provenance.distinct), exact)
    if not macros:
        raise InputError("there is no macro in these folders; 'pddl2nl macro compose' makes one")
    return list(macros.values())


@lru_cache(maxsize=1000)
def _composed(domain: Domain, steps: tuple[MacroStep, ...], name: str, total: tuple[str, ...], distinct: bool) -> Macro:
    # Cached, because a run asks for the same macros repeatedly, and some take seconds.
    return compose(domain, steps, name=name, total=total, distinct=distinct)


def with_totals(stored: StoredMacro, task: Task) -> StoredMacro:
    """A macro with the total functions of its task noted, if its conditions depend on them.

    Without them it could not be composed again, or only into something longer.
    """
    macro, distinct = stored.macro, stored.provenance.distinct
    steps = (task.domain.action(step.action) for step in macro.steps)
    formulas = (part for schema in steps if schema is not None for part in (schema.precondition, schema.effect))
    read = {node.name for formula in formulas for node in walk(formula) if isinstance(node, Fluent)}
    total = tuple(sorted(read & total_functions(task)))
    if not total:
        return stored
    # A macro that cannot be composed without them needs them.
    with suppress(InputError):
        with_them, without = (_composed(task.domain, macro.steps, macro.name, own, distinct) for own in (total, ()))
        if with_them == without:
            return stored
    return replace(stored, provenance=replace(stored.provenance, total=total))


class Library:
    """Macros in a folder, which is created when the first is stored.

    Raises:
        InputError: it is a file.
    """

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError(f"the library {folder} is a file; a folder was expected")

    # ── reading ──────────────────────────────────────────────────────────────────────────────────

    def macros(self, domain: Domain) -> tuple[StoredMacro, ...]:
        """All macros for domains of this name that this domain can use, in the order of their files.

        Raises:
            InfrastructureError: the folder cannot be read.
        """
        macros: list[StoredMacro] = []
        for path in self._files(domain):
            with suppress(InputError):
                macros.append(recomposed(load_macro_file(path, domain), domain))
        return tuple(macros)

    def retrieve(
        self, domain: Domain, description: str, *, limit: int, least: float, embed: Embed | None = None
    ) -> tuple[Match, ...]:
        """The macros of the domain with the most similar descriptions, best first.

        Args:
            domain: the domain of the task.
            description: what is to be done, in natural language.
            limit: the largest number of macros.
            least: the smallest likeness; by words, unrelated sentences reach 0.5.
            embed: an embedding model for likeness as cosine; default: likeness of words (rapidfuzz).
        """
        macros = [stored for stored in self.macros(domain) if stored.provenance.descriptions]
        texts = [text for stored in macros for text in stored.provenance.descriptions]
        if not texts:
            return ()
        likeness = dict(zip(texts, _likeness(description, texts, embed), strict=True))
        matches = [Match(stored, max(likeness[text] for text in stored.provenance.descriptions)) for stored in macros]
        best = sorted((match for match in matches if match.likeness >= least), key=lambda match: -match.likeness)
        return tuple(best[:limit])

    def _files(self, domain: Domain) -> list[Path]:
        folder = self._place(domain)
        try:
            return sorted(path for path in folder.glob("*.pddl") if path.is_file()) if folder.is_dir() else []
        except OSError as error:
            raise InfrastructureError(f"cannot read {folder}: {error.strerror}") from error

    def _place(self, domain: Domain) -> Path:
        return self.folder / free_name(domain.name)

    # ── writing ──────────────────────────────────────────────────────────────────────────────────

    def keep(self, task: Task, plan: Iterable[GroundAction], macros: Iterable[StoredMacro]) -> tuple[StoredMacro, ...]:
        """Stores the macros of a plan that solved a task.

        Args:
            task: the task.
            plan: all executed actions.
            found: the macros of the plan.

        Returns:
            The macros as stored.

        Raises:
            InputError: the plan does not solve the task; nothing is stored.
            InfrastructureError: a file cannot be written.
        """
        report = validate(task, plan_of(plan))
        if not report.valid:
            raise InputError(
                f"macros are kept once their task is solved; this plan of '{task.problem.name}' is {report.verdict}"
            )
        return tuple(self.put(task.domain, with_totals(stored, task)) for stored in macros)

    def put(self, domain: Domain, stored: StoredMacro) -> StoredMacro:
        """Stores a macro, or adds its description and use to an equal one.

        Raises:
            InfrastructureError: a file cannot be written.
        """
        known = replace(stored.provenance, domain=domain.name, domain_sha256=domain_hash(domain))
        form = canonical(stored.macro, domain), known.distinct
        with _LOCK:
            for path in self._files(domain):
                # An unreadable file is equal to no macro.
                with suppress(InputError):
                    there = load_macro_file(path, domain)
                    if (canonical(there.macro, domain), there.provenance.distinct) == form:
                        return self._noted(path, there, known)
            return self._written(domain, replace(stored, provenance=replace(known, uses=max(known.uses, 1))))

    def _noted(self, path: Path, there: StoredMacro, new: Provenance) -> StoredMacro:
        old = there.provenance
        merged = replace(
            old,
            descriptions=tuple(dict.fromkeys((*old.descriptions, *new.descriptions))),
            uses=old.uses + max(new.uses, 1),
            proof=old.proof or new.proof,
        )
        noted = replace(there, provenance=merged, path=path)
        write_text_file(path, write_macro_file(noted))
        return noted

    def _written(self, domain: Domain, stored: StoredMacro) -> StoredMacro:
        folder = self._place(domain)
        actions = [action.name for action in domain.actions]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            while True:
                # Taken names are read again, because another process may have written a file.
                taken = {*actions, *(path.stem for path in folder.glob("*.pddl"))}
                named = replace(stored, macro=replace(stored.macro, name=free_name(stored.macro.name, taken)))
                path = folder / f"{named.macro.name}.pddl"
                with suppress(FileExistsError), path.open("x", encoding="utf-8") as file:
                    file.write(write_macro_file(named))
                    return replace(named, path=path)
        except OSError as error:
            raise InfrastructureError(f"cannot write {folder}: {error.strerror}") from error


def _likeness(description: str, texts: Sequence[str], embed: Embed | None) -> list[float]:
    if embed is None:
        from rapidfuzz import fuzz, utils

        return [fuzz.token_sort_ratio(description, text, processor=utils.default_process) / 100 for text in texts]
    mine, *others = Vectors(embed).of([description, *texts])
    return [cosine(mine, other) for other in others]

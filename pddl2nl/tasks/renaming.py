"""Renames everything that a domain and its problems name, and back.

A `TaskRenaming` is a table of names, one-to-one for each kind. It renames domains, problems, conditions, plans and
wordings, so every verdict stays the same, and its `inverse` gives back equal trees. A variable has one new name
everywhere, which keeps all bindings, also if a variable hides another of the same name.

`RenamedFiles` are the files of a domain, its problems, plans and wording under other names.

Not renamed: keywords, requirements, numbers, ``object``, ``number``, ``=``, ``?duration``, and ``total-cost``, which
``:action-costs`` and planners know by this name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from pddl2nl.conversion import WrongValueError, convert
from pddl2nl.errors import InputError
from pddl2nl.files import parse_json, read_text
from pddl2nl.nl import check_wording, template_wording
from pddl2nl.nl.wording.snippets import Snippet, Wording, own_name
from pddl2nl.pddl import write_domain, write_problem
from pddl2nl.pddl.rewriting import Renaming
from pddl2nl.pddl.task import Task
from pddl2nl.pddl.tree import (
    ActionSchema,
    DerivedPredicate,
    Domain,
    DurativeAction,
    FluentValue,
    Function,
    GroundAtom,
    Metric,
    Predicate,
    Problem,
    TypedName,
    write_number,
)
from pddlval.plans import GroundAction, Plan

FORMAT = 1
"""The version of the mapping files that are read and written."""

Table = Mapping[str, str]
Kind = Literal[
    "domains", "problems", "types", "predicates", "functions", "actions", "objects", "preferences", "variables"
]
"""The kinds of names; ``actions`` includes durative ones, processes and events, ``objects`` includes constants."""

BUILT_IN: Mapping[str, frozenset[str]] = {
    "types": frozenset(("object", "number")),
    "functions": frozenset(("total-cost",)),
    "preferences": frozenset(("",)),
    "domains": frozenset(("",)),
    "problems": frozenset(("",)),
}
"""Names that are never renamed; the empty name means that there is none."""

_KINDS: tuple[Kind, ...] = get_args(Kind)
_PARTS = ("precondition", "duration", "condition", "effect")
_SchemaT = TypeVar("_SchemaT", ActionSchema, DurativeAction, DerivedPredicate)
_BRACED = re.compile(r"\{([^{}]*)\}")
_NAME = re.compile(r"[^\s()?;\ud800-\udfff]+")
_SINGULAR: Mapping[str, str] = {kind: kind[:-1] for kind in _KINDS}


@dataclass(frozen=True)
class TaskRenaming:
    """A one-to-one table of new names for each kind of name.

    If ``objects`` is empty, objects and constants keep their names. ``scheme`` and ``seed`` say how the names were
    made.
    """

    domains: Table = field(default_factory=dict)
    problems: Table = field(default_factory=dict)
    types: Table = field(default_factory=dict)
    predicates: Table = field(default_factory=dict)
    functions: Table = field(default_factory=dict)
    actions: Table = field(default_factory=dict)
    objects: Table = field(default_factory=dict)
    preferences: Table = field(default_factory=dict)
    variables: Table = field(default_factory=dict)
    scheme: str = ""
    seed: int | None = None

    @cached_property
    def inverse(self) -> TaskRenaming:
        """The renaming from the new names to the old ones."""
        tables = {kind: {new: old for old, new in table.items()} for kind, table in self.tables().items()}
        return TaskRenaming(**tables, scheme=self.scheme, seed=self.seed)

    def table(self, kind: str) -> Table:
        found: Table = getattr(self, kind)
        return found

    def tables(self) -> dict[Kind, Table]:
        return {kind: self.table(kind) for kind in _KINDS}

    def name(self, kind: Kind, name: str) -> str:
        """The new name for a name.

        Raises:
            InputError: the table lacks it: it was made for another domain or problem.
        """
        if name in BUILT_IN.get(kind, ()):
            return name
        found = self.table(kind).get(name)
        if found is None:
            if kind == "objects" and not self.objects:
                return name
            raise InputError(
                f"the mapping has no {_SINGULAR[kind]} '{name}': it was made for another domain or problem"
            )
        return found

    # ── domains and problems ─────────────────────────────────────────────────────────────────────

    def task(self, task: Task) -> Task:
        """A task, renamed; raises `InputError` if the table lacks a name."""
        return Task(self.domain(task.domain), self.problem(task.problem))

    def domain(self, domain: Domain) -> Domain:
        """A domain, renamed, in its order; raises `InputError` if the table lacks a name."""
        plain = self.formulas
        return Domain(
            self.name("domains", domain.name),
            domain.requirements,
            tuple(TypedName(plain.type(item.name), tuple(map(plain.type, item.types))) for item in domain.types),
            plain.typed(domain.constants),
            tuple(Predicate(plain.predicate(item.name), plain.typed(item.parameters)) for item in domain.predicates),
            tuple(self._function(item) for item in domain.functions),
            None if domain.constraints is None else plain.formula(domain.constraints),
            tuple(self._schema(item) for item in domain.actions),
            tuple(self._schema(item) for item in domain.durative_actions),
            tuple(self._schema(item, "predicates") for item in domain.derived),
            tuple(self._schema(item) for item in domain.processes),
            tuple(self._schema(item) for item in domain.events),
        )

    def problem(self, problem: Problem) -> Problem:
        """A problem, renamed, in its order; raises `InputError` if the table lacks a name."""
        plain = self.formulas
        metric = problem.metric
        return Problem(
            self.name("problems", problem.name),
            self.name("domains", problem.domain_name),
            problem.requirements,
            plain.typed(problem.objects),
            tuple(self._atom(atom) for atom in problem.init),
            tuple(self._value(item) for item in problem.init_values),
            tuple(self._atom(atom) for atom in problem.init_negative),
            tuple(replace(item, atom=self._atom(item.atom)) for item in problem.init_timed),
            plain.formula(problem.goal),
            None if problem.constraints is None else plain.formula(problem.constraints),
            None if metric is None else Metric(metric.direction, plain.formula(metric.expression)),
        )

    @cached_property
    def formulas(self) -> Renaming:

        def term(word: str) -> str:
            return self.name("variables" if word.startswith("?") else "objects", word)

        return Renaming(
            partial(self.name, "types"),
            partial(self.name, "predicates"),
            partial(self.name, "functions"),
            partial(self.name, "preferences"),
            term,
        )

    def _function(self, item: Function) -> Function:
        plain = self.formulas
        return Function(plain.function(item.name), plain.typed(item.parameters), tuple(map(plain.type, item.types)))

    def _schema(self, item: _SchemaT, kind: Kind = "actions") -> _SchemaT:
        """An action, a process or an event; or an axiom, whose name is a predicate's."""
        plain = self.formulas
        parts = {part: plain.formula(getattr(item, part)) for part in _PARTS if hasattr(item, part)}
        return replace(item, name=self.name(kind, item.name), parameters=plain.typed(item.parameters), **parts)

    def _atom(self, atom: GroundAtom) -> GroundAtom:
        return GroundAtom((self.name("predicates", atom[0]), *self._objects(atom[1:])))

    def _value(self, item: FluentValue) -> FluentValue:
        fluent = GroundAtom((self.name("functions", item.fluent[0]), *self._objects(item.fluent[1:])))
        value = self.name("objects", item.value) if isinstance(item.value, str) else item.value
        return FluentValue(fluent, value)

    def _objects(self, names: Iterable[str]) -> Iterable[str]:
        return [self.name("objects", name) for name in names] if self.objects else names

    # ── plans ────────────────────────────────────────────────────────────────────────────────────

    def plan(self, plan: Plan) -> Plan:
        """A plan, renamed; times and durations stay, places in the text are dropped.

        A wrong plan may have unknown actions and objects. Such a name stays unknown: it is kept, or, if it happens to
        be one of the new names, replaced by an old name that is not in use. `inverse` gives it back.
        """
        steps = tuple(step._replace(action=self.action(step.action), line=0, column=0) for step in plan.steps)
        return replace(plan, steps=steps)

    def action(self, action: GroundAction) -> GroundAction:
        """A ground action, renamed; unknown names as in `plan`."""
        return GroundAction(self._any("actions", action.name), tuple(self._any("objects", arg) for arg in action.args))

    def unknown(self, plan: Plan) -> tuple[str, ...]:
        """The names in a plan that the table lacks, each once."""
        actions = [action.name for action in plan.actions if action.name not in self.actions]
        named = (arg for action in plan.actions for arg in action.args if arg not in self.objects)
        return tuple(dict.fromkeys([*actions, *(named if self.objects else ())]))

    def _any(self, kind: str, name: str) -> str:
        table = self.table(kind)
        if name in table:
            return table[name]
        back = self.inverse.table(kind)
        while name in back:
            name = back[name]
        return name

    # ── wordings ─────────────────────────────────────────────────────────────────────────────────

    def wording(self, wording: Wording) -> Wording:
        """The wording of the renamed domain: the same sentences for the new names.

        Types without a word get their old name as word, so the sentences stay. If objects are renamed, a
        wording's pattern for their names is written out for every object. Names that are made for objects from their
        types (``truck_0``) are made from the new types.

        Raises:
            InputError: the wording has an entry that the table lacks.
        """
        return replace(
            wording,
            domain=self.domains.get(wording.domain, wording.domain),
            predicates=self._snippets("predicates", wording.predicates),
            actions=self._snippets("actions", wording.actions),
            functions=self._snippets("functions", wording.functions),
            types=self._type_words(wording),
            objects=self._object_words(wording.objects),
        )

    def _snippets(self, kind: Kind, snippets: Mapping[str, Snippet]) -> dict[str, Snippet]:
        new = {name: self.name(kind, name) for name in snippets}
        return {new[name]: _snippet(snippet, new[name], self.variables) for name, snippet in snippets.items()}

    def _type_words(self, wording: Wording) -> dict[str, str]:
        names = dict.fromkeys((*wording.types, *self.types))
        words = {self.name("types", name): wording.type_word(name) for name in names}
        # A type without a word is called by its name, so an entry equal to the name is not needed.
        return {name: word for name, word in words.items() if word != name}

    def _object_words(self, objects: Mapping[str, str]) -> Mapping[str, str]:
        if not self.objects or not objects:
            return objects
        words = {new: own_name(objects, old) for old, new in self.objects.items()}
        return {name: word for name, word in words.items() if word is not None}

    # ── as JSON ────────────────────────────────────────────────────────────────────────────────────

    def as_json(self) -> dict[str, object]:
        """The table as the content of a mapping file; `renaming_from_json` is the inverse."""
        tables: dict[str, object] = {kind: dict(table) for kind, table in self.tables().items()}
        return {"format": FORMAT, "scheme": self.scheme, "seed": self.seed, **tables}


def plan_text(plan: Plan) -> str:
    """A plan as a plan file, one step in each line, with times and durations if it has them."""
    lines = []
    for step in plan.steps:
        time = "" if step.time is None else f"{write_number(step.time)}: "
        duration = "" if step.duration is None else f" [{write_number(step.duration)}]"
        lines.append(f"{time}{step.action}{duration}\n")
    return "".join(lines)


def _snippet(snippet: Snippet, name: str, table: Table) -> Snippet:
    """The snippet with its parameters renamed; a parameter that the table lacks keeps its name if that is free."""
    new = {parameter: table.get(parameter, parameter) for parameter in snippet.parameters}
    if len(set(new.values())) < len(new):
        new = {parameter: f"?x{number}" for number, parameter in enumerate(snippet.parameters, start=1)}

    def text(old: str | None) -> str | None:
        return None if old is None else _BRACED.sub(lambda match: f"{{{new.get(match[1], match[1])}}}", old)

    parameters = tuple(new[parameter] for parameter in snippet.parameters)
    return Snippet(name, parameters, text(snippet.text), text(snippet.negated))


def renaming_from_json(data: object, where: str = "mapping") -> TaskRenaming:
    """The renaming of a mapping file's content.

    Raises:
        InputError: it is malformed or not one-to-one; the message names the place.
    """
    found = data.get("format") if isinstance(data, dict) else data
    if found != FORMAT or isinstance(found, bool):
        raise InputError(
            f"{where}: 'format' is {found!r}; expected {FORMAT}, as in mappings of pddl2nl tasks obfuscate"
        )
    try:
        renaming = convert(data, TaskRenaming)
    except WrongValueError as error:
        raise InputError(f"{where}: {error}") from None
    for kind, table in renaming.tables().items():
        _check(table, f"{where} → {kind}", "?" if kind == "variables" else "")
    return renaming


def _check(table: Table, where: str, sign: str = "") -> None:
    """Checks that a table is one-to-one, and its names are single words, all of which start with ``sign``."""
    seen: dict[str, str] = {}
    for old, new in table.items():
        for name in (old, new):
            # The names are written into PDDL files as they stand.
            if not name.startswith(sign) or not _NAME.fullmatch(name[len(sign) :]):
                raise InputError(f"{where} → {old}: expected {'a variable' if sign else 'a name'}, found {name!r}")
        if new in seen:
            raise InputError(f"{where}: '{seen[new]}' and '{old}' both become '{new}'; new names must differ")
        seen[new] = old


# ── files ──────────────────────────────────────────────────────────────────────────────────────────

_WORD = re.compile(r"[^\W\d_]{3}")
_APART = re.compile(r'[/\\:*?"<>|]')
_LONGEST = 100


@dataclass(frozen=True)
class RenamedFiles:
    """The files of a domain, problems, plans and perhaps a wording under other names.

    Attributes:
        paths: the given files: domain, problems, plans.
        domain, problems, plans: what they hold.
        given_wording: a wording to rename; None for the template's of the new names.
        renaming: of the domain and its problems; for the way back its inverse.
        old_names: for the way back, names of files by their names now; None otherwise.
    """

    paths: Sequence[Path]
    domain: Domain
    problems: Sequence[Problem]
    plans: Sequence[Plan]
    given_wording: Wording | None
    renaming: TaskRenaming
    old_names: Mapping[str, str] | None = None

    @cached_property
    def files(self) -> Mapping[str, str]:
        """The texts by the names of their files: domain, problems, plans; the old names if they are all different."""
        renaming, old = self.renaming, self.old_names or {}
        texts = [
            write_domain(renaming.domain(self.domain)),
            *(write_problem(renaming.problem(p)) for p in self.problems),
        ]
        texts += [plan_text(renaming.plan(each)) for each in self.plans]
        plain = ["domain.pddl", *(f"problem{number}.pddl" for number in range(1, len(self.problems) + 1))]
        plain += [f"plan{number}.plan" for number in range(1, len(self.plans) + 1)]
        before = [old.get(path.name, name) for path, name in zip(self.paths, plain, strict=True)]
        names = before if len({*before, "wording.json", "mapping.json"}) == len(before) + 2 else plain
        return dict(zip(names, texts, strict=True))

    @cached_property
    def wording(self) -> Wording | None:
        """Of the new names; None on the way back if none was given."""
        domain = self.renaming.domain(self.domain)
        if self.given_wording is not None:
            return check_wording(self.renaming.wording(self.given_wording), domain)
        return template_wording(domain) if self.old_names is None else None

    @cached_property
    def mapping(self) -> Mapping[str, Any]:
        """The content of mapping.json."""
        names = {new: old.name for new, old in zip(self.files, self.paths, strict=True)}
        return {**self.renaming.as_json(), "files": names}

    @property
    def warnings(self) -> Iterator[str]:
        """The names in plans that were not renamed."""
        for path, plan in zip(self.paths[1 + len(self.problems) :], self.plans, strict=True):
            if unknown := self.renaming.unknown(plan):
                yield f"{path}: {', '.join(unknown)}: not in the domain or problems given; such names stay"

    @property
    def telling_names(self) -> list[str]:
        """The given names of objects that may tell what they are: those with three letters in a row."""
        objects = [*self.domain.constants, *(item for problem in self.problems for item in problem.objects)]
        return [name for name in dict.fromkeys(item.name for item in objects) if _WORD.search(name)]

    def all_files(self) -> dict[str, str]:
        """The texts of all files, with mapping.json unless old names were restored."""
        files = dict(self.files)
        if self.wording is not None:
            files["wording.json"] = _json_text(self.wording.to_json())
        if self.old_names is None:
            files["mapping.json"] = _json_text(self.mapping)
        return files

    def as_json(self, out: Path | None) -> dict[str, Any]:
        """The object that ``pddl2nl tasks obfuscate --json`` prints; ``out`` is the folder of the files, if any."""
        entries = [
            {"file": str(path), "out": None if out is None else str(out / name), "text": text}
            for path, (name, text) in zip(self.paths, self.files.items(), strict=True)
        ]
        plans = 1 + len(self.problems)
        return {
            "reversed": self.old_names is not None,
            "scheme": self.renaming.scheme,
            "seed": self.renaming.seed,
            "domain": entries[0],
            "problems": entries[1:plans],
            "plans": entries[plans:],
            "wording": None if self.wording is None else self.wording.to_json(),
            "mapping": self.mapping,
        }

    def as_text(self) -> str:
        """The texts under their names, with the wording if one was given, and the mapping of names."""
        files = dict(self.files)
        if self.given_wording is not None and self.wording is not None:
            files["wording.json"] = _json_text(self.wording.to_json())
        texts = "".join(f"; {name}\n{text}\n" for name, text in files.items())
        tables = self.renaming.tables()
        lines = [f"; {kind}: {old} -> {new}" for kind, table in tables.items() for old, new in table.items()]
        return "\n".join([f"{texts}; the mapping", *lines])


def _json_text(data: Mapping[str, Any]) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def read_mapping(path: Path) -> tuple[TaskRenaming, dict[str, str]]:
    """The inverse of the renaming in a mapping.json, and the old names of the files.

    Raises:
        InputError: the file cannot be read, or is no mapping.
    """
    data = parse_json(read_text(path), str(path))
    renaming = renaming_from_json(data, str(path))
    files = data.get("files")
    named = files.items() if isinstance(files, dict) else ()
    # Plain file names only: a mapping must not write outside of its folder.
    return renaming.inverse, {new: old for new, old in named if isinstance(old, str) and _is_file_name(old)}


def _is_file_name(name: str) -> bool:
    """Whether every system takes this for the name of a file in the folder itself."""
    return name.isprintable() and name.strip(". ") == name != "" and not _APART.search(name) and len(name) < _LONGEST

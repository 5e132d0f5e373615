"""Subtasks: what a plan in words is made of, and the sequences of actions that carry each one out.

The ``subtasks.json`` of a domain begins so::

    {"format": 1, "nodes": [
      {"label": "A", "name": "PickupObject", "targets": [{"variable": "?x", "role": "object"}],
       "ways": [["(navigate ?p ?from)", "[(open ?p)]", "(pick-up ?x ?p)"]]}], …}

===============  ====================================================================================================
key              contents
===============  ====================================================================================================
``nodes``        each with a label, a name, what it names (``targets``, in order, with their roles and types), and the
                 ways of carrying it out; a step in brackets may be left out. ``about`` says what it does, for prompts
``invariants``   conditions that hold in every reachable state; `pddl2nl.systems.taskgraph.proving` proves them
``closed``       predicates whose true atoms the automaton (`pddl2nl.systems.taskgraph.automaton`) all knows
``open``         predicates whose atoms it knows only from changes
``known``        the ground atoms of closed predicates that hold at first
``classes``      how types are written in plans, ``{"Apple": "apple"}``; other types have their own names
``sight``        what the agent sees: nothing is hidden without it (`SubtaskSight`)
``graphs``       named task graphs: for each label of a node the labels that may follow, ``{"proved": {"A": "BD"}}``
``meta``         groups of classes by which a paper's reward asks for names, ``{"mov": ["Bowl"]}``
``products``     classes of things that a subtask makes, ``{"AppleSliced": ["SliceObject", "Apple"]}``
``rules``        sentences for prompts about how subtasks are used
``examples``     tasks in words with their plans: ``{"task": "Chill an egg.", "plan": [["PickupObject", "Egg"], …]}``
===============  ====================================================================================================

The variables that no target fills (places, tools) are free: there must be objects for them. Without ``classes`` plans
name the objects of the task.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Literal

import msgspec

from pddl2nl.conversion import WrongValueError, convert
from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.files import parse_json, read_text
from pddl2nl.macros.library import steps_of
from pddl2nl.macros.macro import Macro, MacroStep
from pddl2nl.macros.simplify import TermScope
from pddl2nl.pddl import (
    Atom,
    Condition,
    Domain,
    GroundAtom,
    Not,
    Task,
    TypedName,
    changed_predicates,
    conjuncts,
    is_variable,
)
from pddl2nl.pddl.reader import check_formulas
from pddl2nl.pddl.symbols import Symbols
from pddl2nl.pddl.task import effect_literals
from pddl2nl.tasks import match_shipped
from pddlval import GroundAction

PlannedSubtask = tuple[str, ...]
"""A step of a plan: the name of a subtask and its one or two targets."""


def subtask_text(step: Sequence[str]) -> str:
    """A subtask of a plan: ``PutObject(Apple, Fridge)``."""
    return f"{step[0]}({', '.join(step[1:])})"


def read_subtask(text: str) -> PlannedSubtask:
    """A subtask as `subtask_text` writes it."""
    name, _, targets = text.strip().removesuffix(")").partition("(")
    return name, *(target.strip() for target in targets.split(","))


class SubtaskTarget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a subtask names: its variable in the ways, its role in words, and the type that it must have."""

    variable: str
    role: str
    type: str = "object"


class SubtaskExample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A task in words with its plan: subtasks with their targets."""

    task: str
    plan: tuple[tuple[str, ...], ...]


class SubtaskSight(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an agent sees: the things at its place, and the things in these, unless the place is shut.

    Attributes:
        agent: ``(at place)``: where it is.
        located: ``(in thing place)``, ``(inside thing thing)``: where things are; all else is always seen.
        shut: ``(shut place)``: what is there is not seen.
        move: the action that brings the agent to a place: ``(go to from)``.
        noted: predicates whose atoms about relevant objects the replanner is told.
    """

    agent: str
    located: tuple[str, ...]
    shut: str
    move: str
    noted: tuple[str, ...] = ()


@dataclass(frozen=True)
class SubtaskWay:
    """A sequence of actions that carries out a subtask, with its typed variables."""

    parameters: tuple[TypedName, ...]
    steps: tuple[MacroStep, ...]


@dataclass(frozen=True)
class Subtask:
    """A node of a task graph: its label ``A``, its name ``PickupObject``, what it names, and the ways to carry it out.

    The first way that is possible is taken; `about` says what it does, where the name does not.
    """

    label: str
    name: str
    targets: tuple[SubtaskTarget, ...]
    ways: tuple[SubtaskWay, ...]
    about: str = ""

    def __str__(self) -> str:
        return f"{self.name}({', '.join(target.role for target in self.targets)})"


@dataclass(frozen=True)
class Subtasks:
    """The subtasks of a domain; attributes that are not explained here are the keys of the file.

    Attributes:
        known: the ground atoms of closed predicates that hold at first.
        classes: the types of the class names in plans.
        names_objects: whether each class is one object of a task.
        text: the file; empty without one.
    """

    domain: Domain
    nodes: tuple[Subtask, ...]
    invariants: tuple[Condition, ...] = ()
    closed: frozenset[str] = frozenset()
    opened: frozenset[str] = frozenset()
    known: frozenset[GroundAtom] = frozenset()
    products: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    classes: Mapping[str, str] = field(default_factory=dict)
    meta: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    graphs: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    sight: SubtaskSight | None = None
    rules: tuple[str, ...] = ()
    examples: tuple[SubtaskExample, ...] = ()
    names_objects: bool = False
    text: str = field(default="", repr=False)

    @cached_property
    def by_name(self) -> Mapping[str, Subtask]:
        return {node.name: node for node in self.nodes}

    def class_of(self, name: str) -> str:
        """The class of a name in a plan: itself, or that of an object, ``apple-1``; unknown names stay as they are."""
        if self.names_objects:
            return name
        kinds = {kind: each for each, kind in self.classes.items()} | {each.lower(): each for each in self.classes}
        return name if name in self.classes else kinds.get(name.rpartition("-")[0].lower(), name)

    def of_task(self, task: Task) -> Subtasks:
        """The subtasks in plans for a task: without classes, each of its objects is its own class."""
        objects = {name: item.types[0] for name, item in task.objects.items()}
        return self if self.classes else replace(self, classes=objects, names_objects=True)

    def usable(self, task: Task) -> tuple[Subtask, ...]:
        """The subtasks with a way that needs only properties that objects of the task have: no vase is breakable.

        Properties are predicates with one argument that no action changes.
        """
        changed = changed_predicates(self.domain)
        given = {fact[0] for fact in task.problem.init} | changed

        def possible(way: SubtaskWay) -> bool:
            schemas = filter(None, (self.domain.action(step.action) for step in way.steps))
            needs = (part for schema in schemas for part in conjuncts(schema.precondition))
            return all(part.predicate in given for part in needs if isinstance(part, Atom) and len(part.args) == 1)

        return tuple(node for node in self.nodes if any(map(possible, node.ways)))

    def named(self, name: str) -> Subtask:
        """A node by its name or label; raises `InputError`, with a near name, for others."""
        for node in self.nodes:
            if name in (node.name, node.label):
                return node
        raise InputError(f"there is no subtask '{name}'{did_you_mean(name, self.by_name)}")


# ── the file ─────────────────────────────────────────────────────────────────────────────────────


class _NodeEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    label: str
    name: str
    targets: tuple[SubtaskTarget, ...]
    ways: tuple[tuple[str, ...], ...]
    about: str = ""


class _SubtaskFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: Literal[1]
    nodes: tuple[_NodeEntry, ...]
    invariants: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    products: dict[str, tuple[str, ...]] = {}
    classes: dict[str, str] = {}
    meta: dict[str, tuple[str, ...]] = {}
    graphs: dict[str, dict[str, str]] = {}
    sight: SubtaskSight | None = None
    rules: tuple[str, ...] = ()
    examples: tuple[SubtaskExample, ...] = ()


def shipped_subtasks(domain: Domain) -> Subtasks | None:
    """The subtasks that are shipped with a domain, or None."""
    shipped = match_shipped(domain)
    path = None if shipped is None else shipped.folder / "subtasks.json"
    return load_subtasks(path, domain) if path is not None and path.is_file() else None


def load_subtasks(path: str | Path, domain: Domain) -> Subtasks:
    """The subtasks of a ``subtasks.json``; raises `InputError` as `parse_subtasks` does."""
    return parse_subtasks(read_text(path, "file of subtasks"), domain, str(path))


def parse_subtasks(text: str, domain: Domain, path: str = "subtasks.json") -> Subtasks:
    """The subtasks of a file's text.

    Raises:
        InputError: a text of another form, or an action, type or predicate that the domain does not have.
    """
    try:
        data = convert(parse_json(text, path), _SubtaskFile)
        nodes = tuple(_node(entry, domain) for entry in data.nodes)
    except WrongValueError as error:
        raise InputError(f"{path}: {error}") from None
    kinds = [item.name for item in domain.types]
    for kind in data.classes.values():
        if kind not in kinds:
            raise InputError(f"{path}: {domain.name} has no type '{kind}'{did_you_mean(kind, kinds)}")
    for name in (name for group in data.meta.values() for name in group):
        if name not in data.classes:
            raise InputError(f"{path}: 'meta' has '{name}', which is no class{did_you_mean(name, data.classes)}")
    predicates = [item.name for item in domain.predicates]
    sight = () if data.sight is None else (data.sight.agent, data.sight.shut, *data.sight.located, *data.sight.noted)
    for name in (*data.closed, *data.open, *sight):
        if name not in predicates:
            raise InputError(f"{path}: {domain.name} has no predicate '{name}'{did_you_mean(name, predicates)}")
    for kind, names in (("name", [node.name for node in nodes]), ("label", [node.label for node in nodes])):
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise InputError(f"{path}: two nodes have the {kind} '{twice}'")
    invariants = tuple(_invariant(domain, each, path) for each in data.invariants)
    known = frozenset(GroundAtom((name, *args)) for name, args in map(GroundAction.parse, data.known))
    products = {name: tuple(step) for name, step in data.products.items()}
    if data.sight is not None and domain.action(data.sight.move) is None:
        names = [action.name for action in domain.actions]
        raise InputError(
            f"{path}: {domain.name} has no action '{data.sight.move}'{did_you_mean(data.sight.move, names)}"
        )
    _refuse_conditional(domain, {*data.closed, *data.open}, path)
    return Subtasks(
        domain,
        nodes,
        invariants,
        frozenset(data.closed),
        frozenset(data.open),
        known,
        products,
        data.classes,
        data.meta,
        data.graphs,
        data.sight,
        data.rules,
        data.examples,
        text=text,
    )


def _invariant(domain: Domain, text: str, path: str) -> Condition:
    checked = check_formulas(text, "condition", Symbols.of(domain), name=path)
    if not checked.ok or checked.value is None or len(checked.value) != 1:
        reason = checked.errors[0].message if checked.errors else "one condition was expected"
        raise InputError(f"{path}: in the invariant {text}: {reason}")
    return checked.value[0]


def _refuse_conditional(domain: Domain, tracked: set[str], path: str) -> None:
    """Raises `InputError` if a tracked predicate changes under conditions, which the automaton does not follow."""
    for action in domain.actions:
        for part in conjuncts(action.effect):
            if not isinstance(part, Atom | Not):
                for atom, _ in effect_literals(part):
                    if atom.predicate in tracked:
                        raise InputError(f"{path}: '{action.name}' changes '{atom.predicate}' under a condition")


def _node(entry: _NodeEntry, domain: Domain) -> Subtask:
    targets = {target.variable: (target.type,) for target in entry.targets}
    ways = tuple(_way(domain, steps, targets) for texts in entry.ways for steps in _without_options(texts))
    return Subtask(entry.label, entry.name, entry.targets, ways, entry.about)


def _without_options(texts: Sequence[str]) -> Iterator[tuple[MacroStep, ...]]:
    """The sequences of steps with and without those in brackets, the shortest first."""
    options = [place for place, text in enumerate(texts) if text.startswith("[")]
    plain = steps_of(text.strip("[]") for text in texts)
    for kept in sorted(product((False, True), repeat=len(options)), key=sum):
        dropped = {place for place, keep in zip(options, kept, strict=True) if not keep}
        yield tuple(step for place, step in enumerate(plain) if place not in dropped)


def _way(domain: Domain, steps: Sequence[MacroStep], given: Mapping[str, tuple[str, ...]]) -> SubtaskWay:
    """A way with the types of its variables; raises `InputError` if its steps are none of the domain's."""
    scope = TermScope(domain, {})
    types: dict[str, tuple[str, ...]] = {}
    for step in steps:
        schema = domain.action(step.action)
        if schema is None or len(schema.parameters) != len(step.args):
            names = [action.name for action in domain.actions]
            raise InputError(f"{step} is no step of {domain.name}{did_you_mean(step.action, names)}")
        for term, parameter in zip(step.args, schema.parameters, strict=True):
            own = scope.common(types.get(term, given.get(term, ("object",))), parameter.types)
            if not own or not is_variable(term):
                raise InputError(f"{step}: no object fits {term} in all steps")
            types[term] = own
    return SubtaskWay(tuple(TypedName(name, own) for name, own in types.items()), tuple(steps))


# ── of other sources ─────────────────────────────────────────────────────────────────────────────


def subtasks_of_actions(domain: Domain) -> Subtasks:
    """Each action of a domain as a subtask that names all its parameters."""
    sequences = [
        (action.name, [MacroStep(action.name, tuple(item.name for item in action.parameters))])
        for action in domain.actions
    ]
    return _of_sequences(domain, sequences)


def subtasks_of_macros(domain: Domain, macros: Iterable[Macro]) -> Subtasks:
    """Macro-actions as subtasks that name all their parameters."""
    return _of_sequences(domain, [(macro.name, macro.steps) for macro in macros])


def _of_sequences(domain: Domain, sequences: Iterable[tuple[str, Sequence[MacroStep]]]) -> Subtasks:
    nodes = []
    for number, (name, steps) in enumerate(sequences, start=1):
        way = _way(domain, steps, {})
        targets = tuple(SubtaskTarget(item.name, item.name.removeprefix("?"), item.types[0]) for item in way.parameters)
        nodes.append(Subtask(str(number), name, targets, (way,)))
    return Subtasks(domain, tuple(nodes))

"""Fast Downward's translator as a peer: its ground operators and axioms, and states by their own small semantics."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Fact = tuple[str, ...]
Literals = tuple[tuple[Fact, bool], ...]


def import_translator() -> Any | None:
    """The package ``fast_downward.translate``, or None where Fast Downward is not installed."""
    if importlib.util.find_spec("fast_downward") is None:
        spec = importlib.util.find_spec("up_fast_downward")
        if spec is None or spec.origin is None:
            return None
        sys.path.append(str(Path(spec.origin).parent / "downward/builds/release/bin"))
    package = importlib.import_module("fast_downward.translate")
    for name in ("instantiate", "normalize", "options", "pddl", "pddl_parser"):
        importlib.import_module(f"fast_downward.translate.{name}")
    # Else what changes nothing would be left out.
    package.options.set_options(["domain", "problem", "--keep-no-ops"])
    return package


class UnstratifiedError(Exception):
    """The translator knows ``forall`` only as a negated ``exists``, and so no recursion through one."""


@dataclass(frozen=True)
class Operator:
    """A ground operator; an action with a disjunctive precondition has several."""

    action: Fact
    precondition: Literals
    adds: tuple[tuple[Literals, Fact], ...]
    deletes: tuple[tuple[Literals, Fact], ...]


@dataclass(frozen=True)
class Axiom:
    """A ground rule."""

    head: Fact
    body: Literals


class Grounded:
    """A task as the translator instantiates it: all that can be reached when deletes are ignored."""

    def __init__(self, translate: Any, domain: Path, problem: Path):
        with contextlib.redirect_stdout(io.StringIO()):
            task = translate.pddl_parser.open(str(domain), str(problem))
            self._own = {rule.name for rule in task.axioms}
            translate.normalize.normalize(task)
            _, fluents, actions, _, axioms, _ = translate.instantiate.explore(task)
        init = {_fact(item) for item in task.init if isinstance(item, translate.pddl.Literal)}
        self.initial = frozenset(fact for fact in init if fact[0] != "=")
        self.reachable = {_fact(atom) for atom in fluents} | self.initial
        self.operators = [
            Operator(
                tuple(action.name.strip("()").split()),
                _literals(action.precondition),
                tuple((_literals(condition), _fact(atom)) for condition, atom in action.add_effects),
                tuple((_literals(condition), _fact(atom)) for condition, atom in action.del_effects),
            )
            for action in actions
        ]
        self._by_action: dict[Fact, list[Operator]] = defaultdict(list)
        for operator in self.operators:
            self._by_action[operator.action].append(operator)
        self._layers = _layered([Axiom(_fact(axiom.effect), _literals(axiom.condition)) for axiom in axioms])

    def closed(self, atoms: frozenset[Fact]) -> frozenset[Fact]:
        """The atoms with all that follows from them, the translator's own predicates included."""
        true = set(atoms)
        for layer in self._layers:
            grown = True
            while grown:
                found = {axiom.head for axiom in layer if axiom.head not in true and _hold(axiom.body, true)}
                grown = bool(found)
                true |= found
        return frozenset(true)

    def derived(self, closed: frozenset[Fact]) -> frozenset[Fact]:
        """The atoms of the domain's derived predicates in a closed state."""
        return frozenset(fact for fact in closed if fact[0] in self._own)

    def applicable(self, closed: frozenset[Fact], action: Fact | None = None) -> dict[Fact, list[Operator]]:
        """The operators that are applicable in a closed state, by their actions; of one action only, if named."""
        found: dict[Fact, list[Operator]] = defaultdict(list)
        for operator in self.operators if action is None else self._by_action[action]:
            if _hold(operator.precondition, closed):
                found[operator.action].append(operator)
        return dict(found)

    def successor(self, atoms: frozenset[Fact], closed: frozenset[Fact], operator: Operator) -> frozenset[Fact]:
        """The atoms, without what follows from them, after an operator."""
        added = {fact for condition, fact in operator.adds if _hold(condition, closed)}
        deleted = {fact for condition, fact in operator.deletes if _hold(condition, closed)}
        return (atoms - deleted) | added


def _fact(literal: Any) -> Fact:
    return (literal.predicate, *literal.args)


def _literals(condition: Iterable[Any]) -> Literals:
    return tuple((_fact(literal), not literal.negated) for literal in condition)


def _hold(literals: Literals, true: set[Fact] | frozenset[Fact]) -> bool:
    return all((fact in true) is positive for fact, positive in literals)


def _layered(axioms: list[Axiom]) -> list[list[Axiom]]:
    """The axioms in layers: a predicate that must be false for another one is complete before it."""
    layer = {axiom.head[0]: 0 for axiom in axioms}
    needs = {
        (axiom.head[0], fact[0], positive) for axiom in axioms for fact, positive in axiom.body if fact[0] in layer
    }
    for _ in range(len(layer) + 1):
        for head, name, positive in needs:
            layer[head] = max(layer[head], layer[name] + (not positive))
    if max(layer.values(), default=0) > len(layer):
        raise UnstratifiedError
    found: dict[int, list[Axiom]] = defaultdict(list)
    for axiom in axioms:
        found[layer[axiom.head[0]]].append(axiom)
    return [found[number] for number in sorted(found)]

"""Which facts of a task any action can change.

An atom is changeable if some ground action has an effect on it whose conditions are not known to be impossible. Types,
static facts and unchangeable facts are considered, a few actions deep; what is unknown counts as possible. So in every
reachable state the unchangeable atoms have their initial value. Example: if nothing can open a faucet, no condition
needs to require that it is closed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count, product

from pddl2nl.pddl import (
    And,
    Atom,
    Comparison,
    Condition,
    Effect,
    Equality,
    Exists,
    Forall,
    GroundAtom,
    Not,
    Or,
    Task,
    When,
    changed_predicates,
    conjuncts,
    is_variable,
    substitute,
)
from pddlval.formulas import free_variables, negation_normal

_DEEPEST = 3
"""How many actions deep preconditions are followed."""
_MOST_TRIED = 2_000
"""The most bindings that are tried for one atom; beyond that it counts as changeable."""

Binding = Mapping[str, str]


@dataclass(frozen=True)
class _Leaf:
    """An effect on an atom: its conditions and the types of its variables."""

    atom: Atom
    variables: Mapping[str, tuple[str, ...]]
    conditions: tuple[Condition, ...]


class Changeable:
    """Tells which atoms of one task can change."""

    def __init__(self, task: Task):
        self._task = task
        self._initial = frozenset(task.problem.init)
        self._derived = frozenset(rule.name for rule in task.domain.derived)
        self._dynamic = changed_predicates(task.domain)
        self._leaves: dict[tuple[str, bool], list[_Leaf]] = {}
        self._known: dict[tuple[GroundAtom, int], bool] = {}
        self._tried = 0
        self._fresh = count()
        self._rows: dict[str, list[GroundAtom]] = {}
        for atom in dict.fromkeys(task.problem.init):
            if atom[0] not in self._dynamic:
                self._rows.setdefault(atom[0], []).append(atom)
        for action in task.domain.actions:
            types = {item.name: item.types for item in action.parameters}
            self._add(action.effect, types, tuple(conjuncts(negation_normal(action.precondition))))

    def _add(self, effect: Effect, types: Mapping[str, tuple[str, ...]], conditions: tuple[Condition, ...]) -> None:
        match effect:
            case And(parts):
                for part in parts:
                    self._add(part, types, conditions)
            case (Atom() as atom) | Not(Atom() as atom):
                leaves = self._leaves.setdefault((atom.predicate, isinstance(effect, Atom)), [])
                leaves.append(_Leaf(atom, types, conditions))
            case When(condition, body):
                self._add(body, types, (*conditions, *conjuncts(negation_normal(condition))))
            case Forall(parameters, body):
                # Fresh names, because a quantified variable may have the name of an outer one.
                fresh = {item.name: f"?{next(self._fresh)}#" for item in parameters}
                own = {fresh[item.name]: item.types for item in parameters}
                self._add(substitute(body, fresh), {**types, **own}, conditions)

    def can_change(self, atom: GroundAtom) -> bool:
        """Whether an atom may get another value than its initial one."""
        self._tried = 0
        return self._can_change(atom, _DEEPEST)

    def _can_change(self, atom: GroundAtom, depth: int) -> bool:
        if atom[0] in self._derived or depth == 0:
            return True
        key = (atom, depth)
        if key not in self._known:
            leaves = self._leaves.get((atom[0], atom not in self._initial), ())
            self._known[key] = any(self._happens(leaf, atom, depth) for leaf in leaves)
        return self._known[key]

    def _happens(self, leaf: _Leaf, atom: GroundAtom, depth: int) -> bool:
        """Whether an effect on an atom is not known to be impossible."""
        binding = matched(leaf.atom.args, atom[1:], {})
        if binding is None or not self._fit(binding, leaf.variables):
            return False
        free = {name: types for name, types in leaf.variables.items() if name not in binding}
        return self._bound(free, leaf.conditions, binding, depth)

    def _bound(
        self, free: Mapping[str, tuple[str, ...]], conditions: Sequence[Condition], binding: Binding, depth: int
    ) -> bool:
        """Whether objects for the remaining variables are left with which no condition is impossible."""
        due = [part for part in conditions if free_variables(part) <= binding.keys()]
        if not all(self._may(part, binding, depth) for part in due):
            return False
        rest = [part for part in conditions if part not in due]
        if not rest:
            return all(self._task.objects_of(types) for types in free.values())
        for more in self._choices(free, rest, binding):
            self._tried += 1
            if self._tried > _MOST_TRIED:
                return True
            left = {name: types for name, types in free.items() if name not in more}
            if self._bound(left, rest, {**binding, **more}, depth):
                return True
        return False

    def _choices(
        self, free: Mapping[str, tuple[str, ...]], conditions: Sequence[Condition], binding: Binding
    ) -> Sequence[Binding]:
        """Objects for some of the variables: those that make a static condition true, or all for one of them."""
        joins: list[list[dict[str, str]]] = []
        for part in conditions:
            if isinstance(part, Atom) and part.predicate not in self._dynamic:
                rows = (matched(part.args, row[1:], binding) for row in self._rows.get(part.predicate, ()))
                joins.append([row for row in rows if row is not None and self._fit(row, free)])
        if joins:
            return min(joins, key=len)
        needed = frozenset().union(*map(free_variables, conditions))
        variable = next(name for name in free if name in needed)
        return [{variable: name} for name in self._task.objects_of(free[variable])]

    def _fit(self, binding: Binding, types: Mapping[str, tuple[str, ...]]) -> bool:
        return all(name in self._task.objects_of(types[variable]) for variable, name in binding.items())

    def _may(self, condition: Condition, binding: Binding, depth: int) -> bool:
        """Whether a condition in negation normal form may hold at some time."""
        match condition:
            case Atom() | Not(Atom()):
                return self._literal(condition, binding, depth)
            case Equality(left, right):
                return binding.get(left, left) == binding.get(right, right)
            case Not(Equality(left, right)):
                return binding.get(left, left) != binding.get(right, right)
            case And(parts):
                return all(self._may(part, binding, depth) for part in parts)
            case Or(parts):
                return any(self._may(part, binding, depth) for part in parts)
            case Forall(parameters, body) | Exists(parameters, body):
                names = [item.name for item in parameters]
                chosen = product(*(self._task.objects_of(item.types) for item in parameters))
                bound = ({**binding, **dict(zip(names, objects, strict=True))} for objects in chosen)
                held = (self._may(body, one, depth) for one in bound)
                return all(held) if isinstance(condition, Forall) else any(held)
            case Comparison() | Not(Comparison()):
                return True
        raise TypeError(f"not an executable condition: {type(condition).__name__}")

    def _literal(self, condition: Atom | Not, binding: Binding, depth: int) -> bool:
        atom = condition if isinstance(condition, Atom) else condition.body
        assert isinstance(atom, Atom)
        ground = GroundAtom((atom.predicate, *(binding.get(term, term) for term in atom.args)))
        if ground[0] not in self._derived and (ground in self._initial) is isinstance(condition, Atom):
            return True
        return ground[0] in self._dynamic and self._can_change(ground, depth - 1)


def matched(terms: Sequence[str], row: Sequence[str], binding: Binding) -> dict[str, str] | None:
    """The binding of the unbound variables with which terms are a row of objects, or None."""
    matches: dict[str, str] = {}
    for term, name in zip(terms, row, strict=True):
        if (binding.get(term) or (matches.setdefault(term, name) if is_variable(term) else term)) != name:
            return None
    return matches

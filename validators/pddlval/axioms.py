"""Derived predicates: what follows in a state by the domain's ``:derived`` rules (Edelkamp and Hoffmann 2004).

A predicate that does not depend on itself is answered rule by rule, as the formula that it abbreviates. Predicates
that depend on themselves are derived bottom-up (`fixpoints`) when one of them is first asked for. Answers are kept
with the state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pddl2nl.pddl import DerivedPredicate, GroundAtom, Task, changed_predicates, stratify
from pddlval.conditions import Compiler, Places, Test
from pddlval.fixpoints import Fixpoint
from pddlval.memos import Memo, Remembering, memo_of
from pddlval.normal_form import depth_of, predicates_in
from pddlval.state import Row, Statics

__all__ = ["Axioms"]

_STEP = 120
"""Rules are answered one out of the other up to about this height, which takes less than half of Python's stack."""


class Axioms:
    """A task's rules. Thread-safe: what two threads derive at the same time in one state, both derive.

    ``predicates`` are the names of the derived predicates.
    """

    def __init__(self, task: Task, statics: Statics):
        self.predicates = frozenset(rule.name for rule in task.domain.derived)
        self._statics = statics
        self._dynamic = changed_predicates(task.domain)
        self._changing = self._dynamic - self.predicates
        self._rules: dict[str, list[DerivedPredicate]] = {}
        for rule in task.domain.derived:
            self._rules.setdefault(rule.name, []).append(rule)
        strata = stratify(task.domain)
        self._recursive = strata.recursive
        self._component = {name: layer for layer in strata.layers for name in layer}
        self._formulas: dict[str, list[_Formula]] = {}
        self._asked: dict[str, Fixpoint] = {}
        self._whole: dict[frozenset[str], Fixpoint] = {}
        # Rules that need rules that need rules would overflow the stack: some predicates are derived as a whole, from
        # the ground up, before anything above them is asked.
        self._height, self._ladder = _ladder(strata.layers, self._rules)
        self._stages = frozenset(self._ladder)

    def true(self, atom: GroundAtom, state: Remembering) -> bool:
        """Whether a derived atom is true in a state. An argument of a type that no rule is for makes it false.

        Raises:
            UndefinedError: a comparison in a rule reads a fluent without a value.
        """
        memo = memo_of(state)
        known = memo.truth.get(atom)
        if known is None:
            name = atom[0]
            if self._stages:
                self._climb(self._height[name], memo, state)
            if name in self._stages:
                known = atom[1:] in self._whole_extension(name, memo, state)
            elif name in self._recursive:
                fixpoint = self._asked.get(name)
                if fixpoint is None:
                    fixpoint = self._asked[name] = self._fixpoint(self._component[name], bound=True)
                args = atom[1:]
                known = args in _extension(fixpoint, fixpoint.key(args), memo, state)[name]
            else:
                known = self._follows(atom, state)
            memo.truth[atom] = known
        return known

    def _follows(self, atom: GroundAtom, state: Remembering) -> bool:
        name = atom[0]
        formulas = self._formulas.get(name)
        if formulas is None:
            formulas = self._formulas[name] = [self._formula(rule) for rule in self._rules[name]]
        for formula in formulas:  # noqa: SIM110 - the innermost loop of all, and one frame less where rules nest
            if formula.holds(atom, state):
                return True
        return False

    def _climb(self, height: int, memo: Memo, state: Remembering) -> None:
        """Derives the stages below a height, in order."""
        while memo.climbed < len(self._stages):
            name = self._ladder[memo.climbed]
            if self._height[name] >= height:
                break
            self._whole_extension(name, memo, state)
            memo.climbed += 1

    def rows(self, predicate: str, state: Remembering) -> Sequence[Row]:
        """The arguments of all true atoms of a derived predicate, sorted.

        Raises:
            UndefinedError: a comparison in a rule reads a fluent without a value.
        """
        return sorted(self._whole_extension(predicate, memo_of(state), state))

    def _whole_extension(self, name: str, memo: Memo, state: Remembering) -> set[Row]:
        component = self._component[name]
        fixpoint = self._whole.get(component)
        if fixpoint is None:
            fixpoint = self._whole[component] = self._fixpoint(component, bound=False)
        return _extension(fixpoint, (), memo, state)[name]

    def _formula(self, rule: DerivedPredicate) -> _Formula:
        places = Places(parameter.name for parameter in rule.parameters)
        test = Compiler(places, self._statics, self._dynamic, self._changing).compile(rule.condition)
        members = tuple(frozenset(self._statics.objects(parameter.types)) for parameter in rule.parameters)
        return _Formula(places, members, test)

    def _fixpoint(self, component: frozenset[str], *, bound: bool) -> Fixpoint:
        rules = [rule for name in sorted(component) for rule in self._rules[name]]
        return Fixpoint(component, rules, self._statics, self._dynamic, self._changing, bound=bound)


def _ladder(
    layers: Sequence[frozenset[str]], rules: Mapping[str, Sequence[DerivedPredicate]]
) -> tuple[dict[str, int], list[str]]:
    """The height of every predicate, and those to be derived as a whole, lowest first.

    A height is about how many calls it takes to answer for a predicate through all that it rests on. Whatever rests
    on something that is a step or more below it, in steps counted from the ground, is derived as a whole.
    """
    height: dict[str, int] = {}
    stages: list[str] = []
    for layer in layers:
        own = [rule.condition for name in layer for rule in rules[name]]
        below = [height[name] for condition in own for name in predicates_in(condition) if name in height]
        top = max(below, default=0) + max(4 + 2 * depth_of(condition) for condition in own)
        if below and top // _STEP > min(below) // _STEP:
            stages += sorted(layer)
        height.update(dict.fromkeys(sorted(layer), top))
    return height, sorted(stages, key=height.__getitem__)


def _extension(fixpoint: Fixpoint, key: Row, memo: Memo, state: Remembering) -> dict[str, set[Row]]:
    found = memo.extensions.get((fixpoint, key))
    if found is None:
        found = memo.extensions[fixpoint, key] = fixpoint.derive(state, key)
    return found


class _Formula(NamedTuple):
    """A rule as a formula over its head's arguments."""

    places: Places
    members: tuple[frozenset[str], ...]
    test: Test

    def holds(self, atom: GroundAtom, state: Remembering) -> bool:
        args = atom[1:]
        for name, members in zip(args, self.members, strict=True):
            if name not in members:
                return False
        return self.test(self.places.slots(args), state)

"""Reads the preconditions and effects that a model proposes for macro-actions, and checks them against the task.

Taken is PDDL, whatever stands around it: fences, numbers, prose, ``(:action … :precondition … :effect …)``, several
literals in a row (their conjunction), calls such as ``inside(egg_1, fridge_1)``; objects by their told or their PDDL
names. What is proposed is checked as the text of a domain is (predicates declared, arity, types, variables bound), and
an effect must change what actions can change: what no action changes, or what is derived, is the same whatever is done.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pddl2nl.macros.condition_text import Found, NameResolver, find_conditions
from pddl2nl.macros.macro import Conditions
from pddl2nl.macros.prompting import shortened
from pddl2nl.nl import Names
from pddl2nl.pddl import And, Condition, Expression, Task, TypedName, Update, changed_predicates, write_condition
from pddl2nl.pddl.build_conditions import Builder, condition
from pddl2nl.pddl.build_effects import effect
from pddl2nl.pddl.build_terms import Build
from pddl2nl.pddl.checks_formulas import FormulaChecker
from pddl2nl.pddl.diagnostics import Diagnostic, Source
from pddl2nl.pddl.log import Log
from pddl2nl.pddl.nesting import Node, UnbalancedError, read_nesting
from pddl2nl.pddl.prepare import prepare
from pddl2nl.pddl.requirements import Used
from pddl2nl.pddl.symbols import Symbols
from pddl2nl.pddl.tree import Atom, Comparison, Modal, Preference, Special, Timed
from pddlval.names import subformulas
from pddlval.unsupported import updated_functions

__all__ = ["ReadConditions", "read_conditions"]

_DEEPEST = 60
"""Lists of a proposal may be nested so deep: nobody means more, and what reads a tree recurses."""


@dataclass(frozen=True)
class ReadConditions:
    """What was read of one macro-action's conditions.

    Attributes:
        conditions: None where there is any problem.
        problems: what is wrong, each a sentence that a model can mend its proposal by.
        precondition: the text that was taken for the precondition, names as in PDDL; empty where there was none.
        effect: the same of the effect.
    """

    conditions: Conditions | None
    problems: tuple[str, ...] = ()
    precondition: str = ""
    effect: str = ""

    def to_json(self) -> Mapping[str, str]:
        """As an event holds it: ``precondition`` and ``effect`` (empty where they could not be read), ``problem``."""
        if self.conditions is None:
            return {"precondition": "", "effect": "", "problem": " ".join(self.problems)}
        read = self.conditions
        return {
            "precondition": write_condition(read.precondition),
            "effect": write_condition(read.effect),
            "problem": "",
        }


def read_conditions(
    text: str,
    task: Task,
    names: Names | None = None,
    *,
    count: int | None = None,
    parameters: Sequence[TypedName] = (),
) -> tuple[ReadConditions, ...]:
    """The conditions in a reply, one entry a macro-action; nothing in the reply makes this raise.

    Args:
        text: the reply; ``precondition:`` and ``effect:`` say what is what, a number before them which macro-action's
            they are.
        task: whose predicates, objects and actions they are about.
        names: what the prompt called the objects; their PDDL names are taken too.
        count: how many macro-actions there are: so many entries come back, those that the reply lacks with a problem.
        parameters: variables that may stand free, for the conditions of a macro with parameters.
    """
    resolver = NameResolver(task, names)
    checker = _Checker(task, names, tuple(parameters))
    found = find_conditions(text, resolver, count)
    if not found and count is None:
        return ()
    size = max(found, default=0) if count is None else count
    return tuple(checker.read(found.get(number), number) for number in range(1, size + 1))


class _Checker:
    """Checks proposals against one task."""

    def __init__(self, task: Task, names: Names | None, parameters: tuple[TypedName, ...]):
        self._task = task
        self._told = {} if names is None else dict(names.to_nl)
        self._parameters = parameters
        self._symbols = Symbols.of(task.domain, task.problem)
        derived = frozenset(rule.name for rule in task.domain.derived)
        self._changing = changed_predicates(task.domain) - derived
        self._functions = updated_functions(task)

    def read(self, found: Found | None, number: int) -> ReadConditions:
        """One macro-action's conditions."""
        if found is None:
            return ReadConditions(
                None,
                (
                    f"No conditions were found for macro-action {number}: expected a line "
                    f"'{number}. precondition: (and …)' and below it a line 'effect: (and …)'.",
                ),
            )
        problems: list[str] = []
        before = self._formula("precondition", found.precondition, condition, problems)
        after = self._formula("effect", found.effect, effect, problems)
        if not problems:
            problems += self._unchangeable(after)
        texts = tuple(" ".join(" ".join(part).split()) if part is not None else "" for part in found)
        if problems:
            return ReadConditions(None, tuple(dict.fromkeys(problems)), *texts)
        return ReadConditions(Conditions(before, after), (), *texts)

    def _formula(self, what: str, texts: tuple[str, ...] | None, build: Builder, problems: list[str]) -> Condition:
        if texts is None:
            problems.append(f"There is no {what}: expected '{what}: (and …)', '{what}: (and)' where there is none.")
            return And()
        parts: list[Condition] = []
        for text in texts:
            parts += self._parts(what, text, build, problems)
        whole = parts[0] if len(parts) == 1 else And(tuple(parts))
        strange = None if problems else _inexecutable(whole)
        if strange is not None:
            problems.append(f"The {what} has {strange}, which no action here can have.")
        return whole

    def _parts(self, what: str, text: str, build: Builder, problems: list[str]) -> list[Condition]:
        log = Log(Source(what, text))
        try:
            nest = read_nesting(prepare(text))
        except UnbalancedError:
            problems.append(f"The parentheses of the {what} do not match: {shortened(text, 120)}.")
            return []
        nodes = [item for item in nest.elements(nest.roots) if isinstance(item, Node)]
        if max((node.depth for node in nodes), default=0) > _DEEPEST:
            problems.append(f"The {what} is nested more than {_DEEPEST} lists deep.")
            return []
        making = Build(nest, log, frozenset(self._symbols.functions))
        trees = [build(making, node) for node in nodes]
        if not log.failed:
            used: Used = {}
            checker = FormulaChecker(log, nest, self._symbols, used)
            scope = {item.name: item.types for item in self._parameters}
            for tree in trees:
                (checker.effect if build is effect else checker.condition)(tree, dict(scope))
        problems += [self._sentence(what, item) for item in log.diagnostics() if item.severity == "error"]
        return trees

    def _sentence(self, what: str, error: Diagnostic) -> str:
        """An error as a model is told it, objects by the names that it knows."""
        said = f"In the {what}: {error.message}"
        if error.found:
            told = "".join(self._told.get(word, word) for word in _words(error.found))
            said += f", in {told}" if told.startswith("(") else f" (found: {told})"
        if error.expected:
            said += f"; expected: {error.expected}"
        if error.suggestion:
            said += f"; did you mean {self._told.get(error.suggestion, error.suggestion)}?"
        return said if said.endswith("?") else f"{said}."

    def _unchangeable(self, tree: Condition) -> list[str]:
        """What an effect would change that stays as it is whatever is done."""
        changed = [item.fluent.name for item in subformulas(tree) if isinstance(item, Update)]
        functions = [name for name in dict.fromkeys(changed) if name not in self._functions]
        names = [name for name in dict.fromkeys(_effect_predicates(tree)) if name not in self._changing]
        return [
            f"In the effect: no action changes '{name}', so neither can a macro-action; leave it out of the effect."
            for name in (*names, *functions)
        ]


def _effect_predicates(tree: Condition) -> list[str]:
    """The predicates that an effect adds or deletes."""
    match tree:
        case Atom(predicate):
            return [predicate]
        case And(parts):
            return [name for part in parts for name in _effect_predicates(part)]
    # Of a conditional effect what happens counts, not its condition.
    inner = getattr(tree, "effect", getattr(tree, "body", None))
    return [] if inner is None else _effect_predicates(inner)


def _inexecutable(tree: Condition) -> str | None:
    for part in subformulas(tree):
        if isinstance(part, Timed | Modal | Preference):
            return "a timed condition" if isinstance(part, Timed) else "a preference or a constraint on trajectories"
        sides: tuple[Expression, ...] = ()
        if isinstance(part, Comparison):
            sides = (part.left, part.right)
        elif isinstance(part, Update):
            sides = (part.value,)
        for side in sides:
            if _special(side):
                return f"'{_special(side)}'"
    return None


def _special(expression: object) -> str:
    if isinstance(expression, Special):
        return expression.name
    operands = getattr(expression, "operands", ())
    return next((name for name in map(_special, operands) if name), "")


def _words(text: str) -> list[str]:
    return re.split(r"([\s()'\"]+)", text)

"""Removes action costs that are not uniform, as Stein et al. did with the IPC's domains (appendix B).

Action costs, introduced by the IPC of 2008, are effects ``(increase (total-cost) …)`` with the metric
``minimize (total-cost)``. They are uniform if every action costs the same constant in every instance: then a plan's
cost is its length, up to a factor, and nothing is removed. Otherwise their removal makes the cost of a plan its length.

Valid plans stay valid. Anything that is not plain action costs (another metric, a ``total-cost`` in a condition or in
something other than an action's effect) is kept, with a reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, product
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from pddl2nl.errors import InputError
from pddl2nl.pddl.task import Task, changed_predicates
from pddl2nl.pddl.tree import (
    ActionSchema,
    And,
    Atom,
    Condition,
    Domain,
    Fluent,
    FluentValue,
    Forall,
    Function,
    GroundAtom,
    Metric,
    Node,
    Number,
    Problem,
    Update,
    When,
    conjuncts,
    is_variable,
    walk,
    write_number,
)
from pddl2nl.tasks.formulas import formulas_of, in_domain, in_problem, schemas
from pddlval.plans import Plan

if TYPE_CHECKING:
    from pddl2nl.nl import Wording

CostStatus = Literal["none", "uniform", "removed", "kept"]
"""``none``: there are no action costs; ``uniform``: all actions cost the same, so the costs were kept; ``removed``;
``kept``: they are not plain action costs."""

COST = "total-cost"
_TOTAL = Fluent(COST)
_METRIC = Metric("minimize", _TOTAL)
_MOST = 100_000
"""The most combinations of objects that are searched for costs without a value."""
_NUMERIC_FLAGS = frozenset((":action-costs", ":numeric-fluents", ":fluents"))


@dataclass(frozen=True)
class StrippedCosts:
    """A domain and its problems without action costs.

    Attributes:
        status: what was done.
        reason: why, as a clause.
        domain, problems: the result; the given ones if nothing was removed.
        functions: the functions that were removed.
        cost: the cost of every action if it is the same for all.
        warnings: actions that were inapplicable because a cost had no value, and are applicable now.
    """

    status: CostStatus
    reason: str
    domain: Domain
    problems: tuple[Problem, ...]
    functions: tuple[str, ...] = ()
    cost: Fraction | None = None
    warnings: tuple[str, ...] = ()

    @property
    def removed(self) -> bool:
        return self.status == "removed"

    def task(self, task: Task) -> Task:
        """The task, without costs if they are removed; raises `InputError` as `problem`."""
        if not self.removed:
            return task
        return Task(self.domain, self.problem(task.problem))

    def problem(self, problem: Problem) -> Problem:
        """A problem, without costs if they are removed; raises `InputError` for another metric."""
        if not self.removed:
            return problem
        fault = _problem_fault(problem, self.functions)
        if fault:
            raise InputError(f"problem '{problem.name}' cannot lose its action costs: {fault}")
        return _strip_problem(problem, self.functions, bool(self.domain.functions))

    def plan(self, plan: Plan) -> Plan:
        """The plan itself: it stays valid, and its cost is its length."""
        return plan

    def wording(self, wording: Wording) -> Wording:
        """The wording without the removed functions."""
        if not self.functions:
            return wording
        kept = {name: snippet for name, snippet in wording.functions.items() if name not in self.functions}
        return replace(wording, functions=kept)

    def as_json(self) -> dict[str, object]:
        """The status and the reason: ``{"status", "reason", "functions", "cost", "warnings"}``."""
        return {
            "status": self.status,
            "reason": self.reason,
            "functions": list(self.functions),
            "cost": None if self.cost is None else write_number(self.cost),
            "warnings": list(self.warnings),
        }


def strip_costs(domain: Domain, problems: Sequence[Problem] = (), *, every: bool = False) -> StrippedCosts:
    """Removes the action costs of a domain and of these problems of it, unless they are uniform.

    Args:
        domain: the domain.
        problems: its problems, which decide whether costs given by a function are uniform.
        every: whether to remove uniform costs, too.
    """
    problems = tuple(problems)

    def left(status: CostStatus, reason: str, cost: Fraction | None = None) -> StrippedCosts:
        return StrippedCosts(status, reason, domain, problems, cost=cost)

    declared = any(item.name == COST for item in domain.functions)
    fault = _domain_fault(domain) or next(filter(None, (_problem_fault(item, (COST,)) for item in problems)), "")
    if fault:
        return left("kept", fault)
    if not declared:
        return left("none", f"the domain has no function ({COST}), and so no action costs")
    cost, reason = _uniform_cost(domain, problems)
    if cost is not None and not every:
        so = "the cost of a plan follows from its length" if cost else "all plans cost the same"
        return left("uniform", f"{reason}, so that {so}", cost)
    bare = replace(domain, actions=tuple(_strip_action(action) for action in domain.actions))
    functions = _only_in_costs(domain, bare, problems)
    rest = tuple(item for item in domain.functions if item.name not in functions)
    bare = replace(bare, functions=rest, requirements=_flags(domain.requirements, bool(rest)))
    stripped = tuple(_strip_problem(problem, functions, bool(rest)) for problem in problems)
    warnings: dict[str, str] = {}
    for problem in problems:
        for function, warning in _unvalued(Task(domain, problem)):
            # Many problems lack the same values.
            warnings.setdefault(function, warning)
    return StrippedCosts("removed", reason, bare, stripped, functions, cost, tuple(warnings.values()))


def with_unit_costs(task: Task, costs: Mapping[str, int] = MappingProxyType({})) -> Task:
    """The task with action costs of 1, or of another number by the action's name, in place of its own."""
    domain, problem = task.domain, task.problem
    actions = []
    for action in domain.actions:
        price = Update("increase", _TOTAL, Number(Fraction(costs.get(action.name, 1))))
        actions.append(replace(action, effect=And((*conjuncts(_strip_action(action).effect), price))))
    total = GroundAtom((COST,))
    return Task(
        replace(
            domain,
            requirements=tuple(dict.fromkeys((*domain.requirements, ":action-costs"))),
            functions=(*(item for item in domain.functions if item.name != COST), Function(COST)),
            actions=tuple(actions),
        ),
        replace(
            problem,
            init_values=(
                *(value for value in problem.init_values if value.fluent != total),
                FluentValue(total, Fraction(0)),
            ),
            metric=_METRIC,
        ),
    )


# ── whether they are action costs ────────────────────────────────────────────────────────────────


def _fluents(formulas: Iterable[Node]) -> list[str]:
    return [node.name for formula in formulas for node in walk(formula) if isinstance(node, Fluent)]


def _cost_updates(action: ActionSchema) -> list[Update]:
    updates = (node for node in walk(action.effect) if isinstance(node, Update))
    return [update for update in updates if update.fluent == _TOTAL and update.operator == "increase"]


def _changed_functions(domain: Domain) -> set[str]:
    effects = (formula for schema in schemas(domain) for formula in formulas_of(schema))
    return {node.fluent.name for effect in effects for node in walk(effect) if isinstance(node, Update)}


def _domain_fault(domain: Domain) -> str:
    """Why a domain's total-cost is not plain action costs; empty if it is."""
    for function in domain.functions:
        if function.name == COST and (function.parameters or function.types != ("number",)):
            return f"({COST}) of action costs is a number without parameters, and here it is not"
    for tree in (*schemas(domain), *domain.derived):
        costs = len(_cost_updates(tree)) if isinstance(tree, ActionSchema) else 0
        if _fluents(formulas_of(tree)).count(COST) != costs:
            return f"'{tree.name}' uses ({COST}), which only the effects of actions may increase"
    if domain.constraints is not None and COST in _fluents([domain.constraints]):
        return f"the domain's constraints use ({COST})"
    return ""


def _problem_fault(problem: Problem, functions: Sequence[str]) -> str:
    """Why these functions cannot be removed from a problem; empty if they can."""
    metric = problem.metric
    if metric is not None and metric != _METRIC:
        found = f"{metric.direction} {metric.expression}"
        return f"the metric of problem '{problem.name}' is '{found}', and not 'minimize ({COST})'"
    for what, tree in (("goal", problem.goal), ("constraints", problem.constraints)):
        asked = next((name for name in _fluents([] if tree is None else [tree]) if name in functions), None)
        if asked is not None:
            return f"the {what} of problem '{problem.name}' uses ({asked})"
    return ""


# ── whether they are uniform ─────────────────────────────────────────────────────────────────────


def _uniform_cost(domain: Domain, problems: Sequence[Problem]) -> tuple[Fraction | None, str]:
    """The constant that every action costs, or None, with the reason as a clause."""
    changed = _changed_functions(domain)
    values: dict[str, set[Fraction | str]] = {}
    for problem in problems:
        for item in problem.init_values:
            values.setdefault(item.fluent[0], set()).add(item.value)
    constants = {name: next(iter(found)) for name, found in values.items() if len(found) == 1 and name not in changed}
    found: dict[Fraction, str] = {}
    for action in domain.actions:
        cost = _action_cost(action, constants)
        if cost is None:
            given = " and ".join(str(update.value) for update in _cost_updates(action))
            among = "" if _always(action) else ", under 'when' or 'forall'"
            return None, f"the cost of the action '{action.name}' is not constant: {given}{among}"
        found.setdefault(cost, action.name)
    if len(found) > 1:
        examples = " and ".join(f"'{name}' {write_number(cost)}" for cost, name in list(found.items())[:2])
        return None, f"actions do not all cost the same: {examples}"
    cost = next(iter(found), Fraction(0))
    return cost, f"every action costs {write_number(cost)}"


def _action_cost(action: ActionSchema, constants: Mapping[str, Fraction | str]) -> Fraction | None:
    """The constant cost of an action; None if it depends on state or arguments."""
    if not _always(action):
        # It depends on the state or on the number of objects.
        return None
    total = Fraction(0)
    for update in _cost_updates(action):
        node = update.value
        value = constants.get(node.name) if isinstance(node, Fluent) else getattr(node, "value", None)
        if not isinstance(value, Fraction):
            return None
        total += value
    return total


def _always(action: ActionSchema) -> bool:
    """Whether no cost of an action is under a `when` or a `forall`."""
    costs = _cost_updates(action)
    return len([part for part in conjuncts(action.effect) if isinstance(part, Update) and part in costs]) == len(costs)


# ── costs without a value ────────────────────────────────────────────────────────────────────────


def _unvalued(task: Task) -> Iterator[tuple[str, str]]:
    """Functions in costs that may have no value, by types and static conditions, each with a warning.

    An action whose cost has no value is inapplicable; without costs it is applicable.
    """
    domain, problem = task.domain, task.problem
    valued = {item.fluent for item in problem.init_values}
    changed = _changed_functions(domain)
    changing = changed_predicates(domain)
    for action in domain.actions:
        atoms = (part for part in conjuncts(action.precondition) if isinstance(part, Atom))
        static = [atom for atom in atoms if atom.predicate not in changing]
        costs = (node for update in _cost_updates(action) for node in walk(update.value))
        for fluent in dict.fromkeys(node for node in costs if isinstance(node, Fluent)):
            if fluent.name in changed:
                # Its value depends on the state.
                continue
            missing = next((one for one in _applied(task, action, fluent, static) if one not in valued), None)
            if missing is not None:
                yield (
                    fluent.name,
                    f"{missing}, a part of what '{action.name}' costs, has no value in problem '{problem.name}': "
                    "an action whose cost has none cannot be applied, and without costs it can",
                )


def _applied(task: Task, action: ActionSchema, fluent: Fluent, static: Iterable[Atom]) -> Iterator[GroundAtom]:
    """The ground fluents that an action may read: by a static atom with all its variables, or else by types."""
    wanted = [term for term in dict.fromkeys(fluent.args) if is_variable(term)]
    guard = next((atom for atom in static if set(wanted) <= set(atom.args)), None)
    bindings: Iterable[tuple[str, ...]]
    if wanted and guard is not None:
        places = [guard.args.index(term) for term in wanted]
        facts = (atom for atom in task.problem.init if atom.predicate == guard.predicate)
        bindings = (tuple(atom.args[place] for place in places) for atom in facts)
    else:
        types = {item.name: item.types for item in action.parameters}
        bindings = islice(product(*(task.objects_of(types.get(term, ("object",))) for term in wanted)), _MOST)
    for values in bindings:
        binding = dict(zip(wanted, values, strict=True))
        yield GroundAtom((fluent.name, *(binding.get(term, term) for term in fluent.args)))


# ── removing them ────────────────────────────────────────────────────────────────────────────────


def _strip_action(action: ActionSchema) -> ActionSchema:
    return replace(action, effect=_strip_effect(action.effect) or And()) if _cost_updates(action) else action


def _strip_effect(effect: Condition) -> Condition | None:
    """The effect without costs; None if nothing is left."""
    match effect:
        case Update(fluent=fluent) if fluent == _TOTAL:
            return None
        case And(parts=parts) if parts:
            left = tuple(part for part in map(_strip_effect, parts) if part is not None)
            return replace(effect, parts=left) if left else None
        case When(effect=inner):
            rest = _strip_effect(inner)
            return None if rest is None else replace(effect, effect=rest)
        case Forall(body=body):
            rest = _strip_effect(body)
            return None if rest is None else replace(effect, body=rest)
        case _:
            return effect


def _only_in_costs(domain: Domain, bare: Domain, problems: Iterable[Problem]) -> tuple[str, ...]:
    priced = {COST, *_fluents(update for action in domain.actions for update in _cost_updates(action))}
    still = {*_fluents(in_domain(bare)), *_fluents(formula for problem in problems for formula in in_problem(problem))}
    return tuple(dict.fromkeys(item.name for item in domain.functions if item.name in priced - still))


def _strip_problem(problem: Problem, functions: Sequence[str], numeric: bool) -> Problem:
    gone = frozenset(functions)
    return replace(
        problem,
        requirements=_flags(problem.requirements, numeric),
        init_values=tuple(item for item in problem.init_values if item.fluent[0] not in gone),
        metric=None,
    )


def _flags(requirements: tuple[str, ...], numeric: bool) -> tuple[str, ...]:
    """The requirements without ``:action-costs``, and without those of numbers if no functions are left.

    ``:action-costs`` stays if it is the only requirement that allows the functions that are left.
    """
    others = _NUMERIC_FLAGS - {":action-costs"}
    gone = _NUMERIC_FLAGS if not numeric else {":action-costs"} if others.intersection(requirements) else frozenset()
    return tuple(flag for flag in requirements if flag not in gone)

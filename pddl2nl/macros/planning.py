"""Planning with macro-actions: a task with macros as actions, its plans expanded, and the effect on a planner's search.

A macro costs the sum of its steps if the task has action costs. Otherwise it costs one, as any action, or the number of
its steps, which gives the task action costs: an optimal planner then stays optimal, and others get no incentive to use
macros. The expanded plan is validated on the original task. Searches with and without macros have the same limits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Literal

from pddl2nl.baselines import PLANNERS, PlannerResult, TaskFiles, solve
from pddl2nl.baselines.inputs import as_task
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.macros.changeable import matched
from pddl2nl.macros.formulas import FALSE, conjunction
from pddl2nl.macros.library import free_name
from pddl2nl.macros.macro import Macro
from pddl2nl.pddl import (
    ActionSchema,
    And,
    Comparison,
    Condition,
    Domain,
    Effect,
    Equality,
    Exists,
    Expression,
    Fluent,
    FluentValue,
    Forall,
    Function,
    GroundAtom,
    Imply,
    Metric,
    Not,
    Number,
    Or,
    Task,
    TypedName,
    Update,
    When,
    conjuncts,
)
from pddl2nl.pddl.rewriting import substitute
from pddlval import GroundAction, validate
from pddlval.formulas import fluents_in, subformulas
from pddlval.numeric import plain_number
from pddlval.plans import plan_of

MacroCost = Literal["one", "steps"]
"""What a macro costs if the task has no action costs."""

MACRO_COSTS: tuple[MacroCost, ...] = ("one", "steps")

_TOTAL = Fluent("total-cost")
_MOST_COSTS = 200_000
"""The most different costs of one macro in a problem."""


@dataclass(frozen=True)
class WithMacros:
    """A task with an action for each macro; ``macros`` by their names in it, which differ from those of its actions."""

    task: Task
    macros: Mapping[str, Macro]

    def expand(self, plan: Iterable[GroundAction]) -> tuple[GroundAction, ...]:
        """A plan with each macro replaced by its steps."""
        return tuple(
            step
            for action in plan
            for step in (self.macros[action.name].expand(action.args) if action.name in self.macros else (action,))
        )

    def uses(self, plan: Iterable[GroundAction]) -> dict[str, int]:
        """How often each macro occurs in a plan."""
        counted = Counter(action.name for action in plan)
        return {name: counted[name] for name in self.macros}


def with_macros(task: Task, macros: Sequence[Macro], cost: MacroCost = "one") -> WithMacros:
    """Adds macros to a task.

    Args:
        task: the task.
        macros: of its domain; renamed if an action has their name.
        cost: what a macro costs if the task has no action costs.

    Raises:
        InputError: a macro has too many different costs, has no steps, or can never be executed.
    """
    named: dict[str, Macro] = {}
    for macro in macros:
        if not macro.steps:
            raise InputError(f"no steps are known of '{macro.name}', so that no plan with it could be carried out")
        if macro.conditions.precondition == FALSE:
            raise InputError(f"'{macro.name}' can never be carried out: its steps rule each other out")
        name = free_name(macro.name, [*(action.name for action in task.domain.actions), *named])
        named[name] = replace(macro, name=name)
    schemas = [_plain(macro) for macro in named.values()]
    if has_costs(task):
        made = _summed(task, tuple(named.values()), schemas)
    else:
        # Without action costs that no metric uses: planners ignore them too.
        old = [_priced(action, None) for action in task.domain.actions]
        made = _grown(task, old, schemas)
        if cost == "steps":
            lengths = {name: len(macro.steps) for name, macro in named.items()}
            made = with_unit_costs(made, lengths)
    return WithMacros(made, named)


def has_costs(task: Task) -> bool:
    """Whether the task's metric uses its action costs."""
    metric = task.problem.metric
    return metric is not None and _TOTAL in set(fluents_in(metric.expression))


def _grown(
    task: Task, actions: Sequence[ActionSchema], schemas: Sequence[ActionSchema], functions: Sequence[Function] = ()
) -> Task:
    """The task with these actions and further schemas, and the requirements of these."""
    domain = task.domain
    needed = dict.fromkeys(flag for schema in schemas for flag in _needed(schema))
    more = [] if {":adl", ":ucpop"} & set(domain.requirements) else needed
    grown = replace(
        domain,
        requirements=tuple(dict.fromkeys((*domain.requirements, *more))),
        functions=(*domain.functions, *functions),
        actions=(*actions, *schemas),
    )
    return Task(grown, task.problem)


def _needed(schema: ActionSchema) -> Iterator[str]:
    """The requirements of an action."""
    conditions = [schema.precondition]
    for part in subformulas(schema.effect):
        if isinstance(part, When | Forall):
            yield ":conditional-effects"
        if isinstance(part, When):
            conditions.append(part.condition)
    for condition in conditions:
        yield from (_FLAGS[type(part)] for part in subformulas(condition) if type(part) in _FLAGS)


_FLAGS: dict[type, str] = {
    Not: ":negative-preconditions",
    Or: ":disjunctive-preconditions",
    Imply: ":disjunctive-preconditions",
    Equality: ":equality",
    Exists: ":existential-preconditions",
    Forall: ":universal-preconditions",
}


# ── costs ────────────────────────────────────────────────────────────────────────────────────────


def _plain(macro: Macro) -> ActionSchema:
    """The macro as an action without costs, and without the condition that these have values."""
    schema = macro.schema
    kept = [part for part in conjuncts(schema.precondition) if not _asks_for_value(part)]
    return _priced(replace(schema, precondition=conjunction(kept)), None)


def _asks_for_value(part: Condition) -> bool:
    """Whether a condition only requires that a number is defined: ``(= (cost ?x) (cost ?x))``."""
    return isinstance(part, Comparison) and part.operator == "=" and part.left == part.right


def _priced(schema: ActionSchema, price: Expression | None) -> ActionSchema:
    """The action with another cost, or with none."""
    parts: list[Effect] = [part for part in conjuncts(schema.effect) if _price_of(part) is None]
    if price is not None:
        parts.append(Update("increase", _TOTAL, price))
    return replace(schema, effect=parts[0] if len(parts) == 1 else And(tuple(parts)))


def _price_of(part: Effect) -> Expression | None:
    return part.value if isinstance(part, Update) and part.fluent.name == _TOTAL.name else None


def with_unit_costs(task: Task, costs: Mapping[str, int] = MappingProxyType({})) -> Task:
    """The task with action costs of 1, or of another number by the action's name, in place of its own."""
    domain, problem = task.domain, task.problem
    actions = [_priced(action, Number(Fraction(costs.get(action.name, 1)))) for action in domain.actions]
    functions = [function for function in domain.functions if function.name != _TOTAL.name]
    total = GroundAtom((_TOTAL.name,))
    values = [value for value in problem.init_values if value.fluent != total]
    return Task(
        replace(
            domain,
            requirements=tuple(dict.fromkeys((*domain.requirements, ":action-costs"))),
            functions=(*functions, Function(_TOTAL.name)),
            actions=tuple(actions),
        ),
        replace(
            problem,
            init_values=(*values, FluentValue(total, Fraction(0))),
            metric=Metric("minimize", _TOTAL),
        ),
    )


def _summed(task: Task, macros: Sequence[Macro], plain: Sequence[ActionSchema]) -> Task:
    """The task with macros that cost the sum of their steps.

    Planners accept a number or one function as cost, so a sum becomes a new function with the sums as values.
    """
    functions: list[Function] = []
    values = list(task.problem.init_values)
    schemas: list[ActionSchema] = []
    for macro, schema in zip(macros, plain, strict=True):
        prices = [price for step in macro.steps for price in _prices(task.domain, step.action, step.args)]
        fixed = sum((price.value for price in prices if isinstance(price, Number)), Fraction(0))
        named = [price for price in prices if isinstance(price, Fluent)]
        value: Expression | None = Number(fixed) if prices else None
        if len(named) == 1 and not fixed:
            value = named[0]
        elif named:
            types = {item.name: item.types for item in macro.parameters}
            terms = tuple(dict.fromkeys(term for price in named for term in price.args if term in types))
            taken = [item.name for item in (*task.domain.functions, *functions)]
            taken += [item.name for item in task.domain.predicates]
            value = Fluent(free_name(f"{macro.name}-cost", taken), terms)
            functions.append(Function(value.name, tuple(TypedName(term, types[term]) for term in terms)))
            values += _sums(task, macro.name, value, named, fixed)
        schemas.append(_priced(schema, value))
    grown = _grown(task, task.domain.actions, schemas, functions)
    return Task(grown.domain, replace(task.problem, init_values=tuple(values)))


def _prices(domain: Domain, name: str, args: Sequence[str]) -> Iterator[Expression]:
    """The cost of a step."""
    schema = domain.action(name)
    assert schema is not None
    binding = dict(zip((item.name for item in schema.parameters), args, strict=True))
    prices = (_price_of(part) for part in conjuncts(schema.effect))
    return (substitute(price, binding) for price in prices if price is not None)


def _sums(task: Task, macro: str, function: Fluent, prices: Sequence[Fluent], fixed: Fraction) -> Iterator[FluentValue]:
    """The values of the cost function, for all objects for which all summands have an initial value."""
    rows: dict[tuple[str, ...], Fraction] = {(): fixed}
    known: tuple[str, ...] = ()
    for price in prices:
        # A join with the values of the function, by the terms that are already bound.
        terms = dict.fromkeys(price.args)
        joined = tuple(term for term in terms if term in known)
        fresh = tuple(term for term in terms if term in function.args and term not in known)
        table: dict[tuple[str, ...], list[tuple[tuple[str, ...], Fraction]]] = {}
        for item in task.problem.init_values:
            binding = matched(price.args, item.fluent.args, {}) if item.fluent[0] == price.name else None
            if binding is not None and isinstance(item.value, Fraction):
                key = tuple(binding[term] for term in joined)
                table.setdefault(key, []).append((tuple(binding[term] for term in fresh), item.value))
        grown: dict[tuple[str, ...], Fraction] = {}
        for row, total in rows.items():
            bound = dict(zip(known, row, strict=True))
            for more, value in table.get(tuple(bound[term] for term in joined), ()):
                grown[*row, *more] = total + value
            if len(grown) > _MOST_COSTS:
                raise InputError(
                    f"'{macro}' has more than {_MOST_COSTS} different costs, one for each combination of objects"
                )
        rows, known = grown, (*known, *fresh)
    for row, total in rows.items():
        bound = dict(zip(known, row, strict=True))
        yield FluentValue(GroundAtom((function.name, *(bound[term] for term in function.args))), total)


# ── planning ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Applied:
    """The result of planning with macros.

    Attributes:
        planner: its name.
        macros: the macros' names in the plans.
        macro_cost: the cost of a macro: ``sum`` of its steps' costs, ``one``, or its ``steps``.
        result: the planner's result with macros; its plan contains macros.
        plan: the expanded and validated plan; None if none was found.
        cost: its cost by the task's metric, or its number of steps; None without a plan.
        uses: how often each macro occurs in the plan.
        without: the planner's result without macros; None if not compared.
    """

    planner: str
    macros: tuple[str, ...]
    macro_cost: str
    result: PlannerResult
    plan: tuple[GroundAction, ...] | None
    cost: Fraction | int | None
    uses: Mapping[str, int] = field(default_factory=dict)
    without: PlannerResult | None = None

    @property
    def fewer_expansions(self) -> float | None:
        """Expanded states without macros divided by those with macros; None if a search found no plan or reports no
        number.
        """
        if self.without is None or not (self.without.solved and self.result.solved):
            return None
        before, after = self.without.expanded, self.result.expanded
        return None if before is None or after is None else max(before, 1) / max(after, 1)

    def as_json(self) -> dict[str, object]:
        """The JSON of ``pddl2nl macro apply --json``."""
        plan, macro_plan = self.plan, self.result.plan
        mine = {**self.result.as_json(), "plan": None if plan is None else [str(action) for action in plan]}
        ratio = self.fewer_expansions
        return {
            **mine,
            "cost": plain_number(self.cost),
            "steps": None if plan is None else len(plan),
            "macro_plan": None if macro_plan is None else [str(action) for action in macro_plan],
            "macro_cost": self.macro_cost,
            "uses": dict(self.uses),
            "without": None if self.without is None else _told(self.without),
            "fewer_expansions": None if ratio is None else round(ratio, 3),
        }

    def as_text(self) -> str:
        """The plan, with comments on what the macros changed; empty without a plan."""
        if self.plan is None:
            return ""
        used = ", ".join(f"{name} {times}" for name, times in self.uses.items() if times) or "none"
        steps, before = len(self.plan), len(self.result.plan or ())
        lines = [
            *map(str, self.plan),
            f"; cost = {plain_number(self.cost)} ({self.planner} with macros)",
            f"; macros used: {used}",
            f"; with macros: {steps} {'step' if steps == 1 else 'steps'} ({before} before expansion), "
            f"{_effort(self.result)}",
        ]
        if self.without is not None:
            lines.append(f"; {result_text(self.without)}")
        ratio = self.fewer_expansions
        if ratio is not None:
            times = f"{ratio:.2f} times fewer" if ratio >= 1 else f"{1 / ratio:.2f} times more"
            lines.append(f"; expansions with macros: {'as many' if ratio == 1 else times}")
        return "\n".join(lines) + "\n"


def result_text(without: PlannerResult) -> str:
    """The result of the search without macros: ``without: 4 steps, 12 states expanded, 0.31 s``."""
    if without.plan is None:
        return f"without: {without.status}, {_effort(without)}"
    steps = len(without.plan)
    priced = "" if without.cost in (None, steps) else f" of cost {plain_number(without.cost)}"
    return f"without: {steps} {'step' if steps == 1 else 'steps'}{priced}, {_effort(without)}"


def _effort(result: PlannerResult) -> str:
    expanded = "" if result.expanded is None else f"{result.expanded} states expanded, "
    return f"{expanded}{result.seconds:.2f} s"


def _told(result: PlannerResult) -> dict[str, object]:
    return {**result.as_json(), "steps": None if result.plan is None else len(result.plan)}


def default_cost(planner: str) -> MacroCost:
    """The cost of a macro if the task has no costs: its steps for optimal planners, otherwise one."""
    return "steps" if planner in PLANNERS and PLANNERS[planner].minimizes == "cost" else "one"


def apply_macros(
    source: Task | TaskFiles,
    macros: Sequence[Macro],
    planner: str = "ff",
    *,
    cost: MacroCost | None = None,
    compare: bool = True,
    time_limit: int | None = None,
    memory_limit_mb: int | None = None,
) -> Applied:
    """Plans with macros, and for comparison without them.

    Args:
        source: the task.
        macros: of its domain, with correct conditions.
        planner: one of `pddl2nl.baselines.PLANNERS`.
        cost: what a macro costs if the task has no costs; default: `default_cost`.
        compare: whether to plan without macros as well.
        time_limit, memory_limit_mb: of each of the two searches, as in `pddl2nl.baselines.solve`.

    Raises:
        InputError: unknown planner, or a macro that cannot be added to the task.
        MissingExtraError: Fast Downward is not installed.
        InfrastructureError: the planner failed, or a macro's conditions are wrong.
    """
    if planner not in PLANNERS:
        raise InputError(f"macros are for a search of Fast Downward: {', '.join(PLANNERS)}; found {planner!r}")
    task = as_task(source)
    used = cost or default_cost(planner)
    grown = with_macros(task, macros, used)
    result = solve(grown.task, planner, time_limit=time_limit, memory_limit_mb=memory_limit_mb)
    without = solve(source, planner, time_limit=time_limit, memory_limit_mb=memory_limit_mb) if compare else None
    plan, total = None, None
    if result.plan is not None:
        plan = grown.expand(result.plan)
        report = validate(task, plan_of(plan))
        if not report.valid:
            step = report.failed_step
            where = "" if step is None else f" at step {step}: {plan[step - 1]}"
            raise InfrastructureError(
                f"the plan with macros expands into one that is {report.verdict}{where}: the conditions of a macro "
                "are not those of its steps ('pddl2nl macro prove' says which)"
            )
        total = report.cost
    macro_cost = "sum" if has_costs(task) else used
    uses = grown.uses(result.plan or ())
    return Applied(planner, tuple(grown.macros), macro_cost, result, plan, total, uses, without)

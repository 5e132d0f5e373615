"""A sequence of actions as one action: its weakest precondition and its net effect, exactly.

With ``distinct`` parameters the result is shorter but applicable in fewer cases: the parameters stand for different
objects. The exact precondition covers every way in which parameters can coincide. Planners seldom need these cases, but
pay for them: a disjunction becomes several operators, and some searches do not support conditional effects.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import combinations, count, groupby
from math import prod

from pddl2nl.macros.formulas import FALSE, TRUE, as_said, conjunction, equality, negation
from pddl2nl.macros.macro import CannotComposeError, Conditions, Macro, MacroStep
from pddl2nl.macros.regression import (
    Part,
    Regression,
    mixed_functions,
    net_literals,
    net_updates,
    readable_condition,
    readable_effect,
)
from pddl2nl.macros.simplify import Facts, Simplifier, TermScope
from pddl2nl.pddl import ActionSchema, And, Domain, Equality, InputError, Task, TypedName, conjuncts, is_variable
from pddlval import GroundAction
from pddlval.formulas import subformulas
from pddlval.plans import why_bad

_MOST_STEPS = 6
"""For longer sequences all parameters are required to be different; the number of ways to coincide grows with each
step."""

_VARIABLE = re.compile(r"\?[^\s?();]+")


def compose(
    domain: Domain,
    steps: Sequence[MacroStep],
    *,
    name: str = "",
    objects: Mapping[str, tuple[str, ...]] | None = None,
    total: Collection[str] = (),
    distinct: bool = False,
) -> Macro:
    """One action that is equivalent to a sequence of actions.

    It is applicable exactly in the states where the sequence is, and leads to the same state, by regression (Waldinger
    1977; Pednault 1988): preconditions and effects of all steps are expressed over the state before the macro.

    Args:
        domain: the domain of the actions.
        steps: the actions in order; terms of the same name are shared, and variables become parameters.
        name: the macro's name; default: made of the names of its steps.
        objects: the types of terms that are objects of a task rather than constants of the domain.
        total: functions that have a value for all objects whenever the macro runs. Needed only if a step reads what an
            earlier one has increased or scaled: an undefined fluent counts as 0 there, which PDDL cannot express.
        distinct: whether different parameters stand for different objects. The macro then requires that, for few steps
            only of parameters for which it matters, and has fewer conditional effects.

    Raises:
        CannotComposeError: no action of PDDL is equivalent; ``reason`` is a short category.
        InputError: an unknown action, a wrong number of terms, or a term that no object can be.
    """

    def composed(pairs: Iterable[Iterable[str]]) -> Macro:
        return _composed(domain, steps, name, dict(objects or {}), total, pairs)

    if not distinct:
        return composed(())
    if len(steps) <= _MOST_STEPS:
        # If it fails, perhaps only a case in which parameters coincide cannot be expressed.
        with suppress(CannotComposeError):
            exact = composed(())
            terms = [item.name for item in (*exact.parameters, *domain.constants)]
            parts = (*subformulas(exact.conditions.precondition), *subformulas(exact.conditions.effect))
            equal = {frozenset((part.left, part.right)) for part in parts if isinstance(part, Equality)}
            pairs = [pair for pair in combinations(terms, 2) if frozenset(pair) in equal]
            return composed(pairs) if pairs else exact
    return composed(combinations(dict.fromkeys(t for step in steps for t in step.args if is_variable(t)), 2))


def _composed(
    domain: Domain,
    steps: Sequence[MacroStep],
    name: str,
    objects: Mapping[str, tuple[str, ...]],
    total: Collection[str],
    pairs: Iterable[Iterable[str]],
) -> Macro:
    """As `compose`, with the pairs of terms that must be different objects."""
    if not steps:
        raise InputError("a macro-action needs at least one step, such as (pick-up ?x)")
    schemas = [_schema_of(domain, step) for step in steps]
    parameters = _parameters(domain, steps, schemas, objects)
    scope = TermScope(domain, {**{item.name: item.types for item in parameters}, **objects}, total)
    regression = Regression(domain, Simplifier(scope), mixed_functions(schemas))
    apart = [negation(equality(*pair)) for pair in pairs if scope.may_equal(*pair)]
    for condition in apart:
        regression.need(condition)
    bindings = [
        dict(zip((item.name for item in schema.parameters), step.args, strict=True))
        for step, schema in zip(steps, schemas, strict=True)
    ]
    try:
        for schema, terms in zip(schemas, bindings, strict=True):
            regression.advance(schema, terms)
        conditions = _conditions(regression, frozenset(item.name for item in parameters))
    except CannotComposeError:
        if len(steps) > 1:
            raise
        # A single action is equivalent to itself.
        precondition = And((*conjuncts(as_said(schemas[0].precondition, bindings[0])), *apart))
        conditions = Conditions(precondition, as_said(schemas[0].effect, bindings[0]))
    return Macro(name or _name_of(domain, steps), parameters, tuple(steps), conditions)


def compose_block(task: Task, block: Sequence[GroundAction], *, name: str = "") -> Macro:
    """A sequence of ground actions as one action without parameters; see `compose`.

    Raises:
        CannotComposeError: no action of PDDL is equivalent.
        InputError: an action is not one of the task's.
    """
    steps = [MacroStep(action.name, action.args) for action in block]
    _refuse_strangers(task, block)
    objects = {item.name: item.types for item in task.objects.values()}
    return compose(task.domain, steps, name=name, objects=objects, total=total_functions(task))


def lift(task: Task, block: Sequence[GroundAction], *, name: str = "", distinct: bool = False) -> Macro:
    """A sequence of ground actions with parameters for its objects, except for constants; see `compose`.

    A parameter is named as in the first action with the object.

    Raises:
        CannotComposeError: no action of PDDL is equivalent.
        InputError: an action is not one of the task's.
    """
    steps = lifted_steps(task, block)
    return compose(task.domain, steps, name=name, total=total_functions(task), distinct=distinct)


def lifted_steps(task: Task, block: Sequence[GroundAction]) -> list[MacroStep]:
    """The actions as steps, with parameters for their objects; raises `InputError` as `lift`."""
    _refuse_strangers(task, block)
    constants = {item.name for item in task.domain.constants}
    names: dict[str, str] = {}
    for action in block:
        schema = task.domain.action(action.name)
        assert schema is not None
        for parameter, term in zip(schema.parameters, action.args, strict=True):
            if term not in constants and term not in names:
                unused = (f"{parameter.name}{number if number > 1 else ''}" for number in count(1))
                names[term] = next(name for name in unused if name not in names.values())
    return [MacroStep(action.name, tuple(names.get(term, term) for term in action.args)) for action in block]


def total_functions(task: Task) -> frozenset[str]:
    """The functions that have an initial value for all objects of their types; no action removes a value."""
    given: dict[str, set[tuple[str, ...]]] = {}
    for item in task.problem.init_values:
        given.setdefault(item.fluent[0], set()).add(item.fluent.args)
    totals = set()
    for function in task.domain.functions:
        count = prod(len(task.objects_of(parameter.types)) for parameter in function.parameters)
        if len(given.get(function.name, ())) >= count:
            totals.add(function.name)
    return frozenset(totals)


def _schema_of(domain: Domain, step: MacroStep) -> ActionSchema:
    schema = domain.action(step.action)
    if schema is None:
        known = ", ".join(action.name for action in domain.actions)
        raise InputError(f"{step}: domain '{domain.name}' has no action '{step.action}'; it has {known}")
    if len(schema.parameters) != len(step.args):
        count = len(schema.parameters)
        wanted = " ".join((step.action, *(parameter.name for parameter in schema.parameters)))
        raise InputError(f"{step}: the action takes {count} term{'' if count == 1 else 's'}, as in ({wanted})")
    return schema


def _refuse_strangers(task: Task, block: Sequence[GroundAction]) -> None:
    for action in block:
        bad = why_bad(task, task.domain.action(action.name), action)
        if bad is not None:
            raise bad


def _parameters(
    domain: Domain, steps: Sequence[MacroStep], schemas: Sequence[ActionSchema], objects: Mapping[str, tuple[str, ...]]
) -> tuple[TypedName, ...]:
    """The variables of the steps, with the types common to all their occurrences."""
    scope = TermScope(domain, objects)
    constants = {item.name for item in domain.constants} | set(objects)
    types: dict[str, tuple[str, ...]] = {}
    for step, schema in zip(steps, schemas, strict=True):
        for term, parameter in zip(step.args, schema.parameters, strict=True):
            wanted = " or ".join(parameter.types)
            if is_variable(term):
                if not _VARIABLE.fullmatch(term):
                    raise InputError(f"{step}: '{term}' is no variable; expected a question mark and a name, as in ?x")
                before = types.get(term, ("object",))
                types[term] = scope.common(before, parameter.types)
                if not types[term]:
                    raise InputError(f"{step}: {term} would have to be of type {' or '.join(before)} and of {wanted}")
            elif term not in constants:
                raise InputError(f"{step}: '{term}' is neither a variable such as ?x nor a constant of the domain")
            elif not scope.fits(term, parameter.types):
                raise InputError(f"{step}: '{term}' is not of type {wanted}")
    return tuple(TypedName(term, own) for term, own in types.items())


def _name_of(domain: Domain, steps: Sequence[MacroStep]) -> str:
    # Repetitions of an action are counted.
    runs = [(action, len(list(run))) for action, run in groupby(step.action for step in steps)]
    name = "-then-".join(action if count == 1 else f"{action}-{count}-times" for action, count in runs)
    return f"{name}-macro" if domain.action(name) is not None else name


def _conditions(regression: Regression, taken: frozenset[str]) -> Conditions:
    scope, simplifier = regression.scope, regression.simplifier
    precondition = simplifier.simplify(conjunction(regression.needed), Facts(scope))
    if precondition == FALSE:
        return Conditions(FALSE, TRUE)
    facts = Facts(scope).extended(precondition)
    parts: list[Part] = [*net_literals(regression, facts), *net_updates(regression, facts)]
    readable = readable_condition(precondition, scope, taken)
    if regression.opaque:
        own = conjuncts(readable) if precondition != TRUE else ()
        readable = And((*own, *regression.opaque))
    return Conditions(readable, readable_effect(parts, scope, taken))

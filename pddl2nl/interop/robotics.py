"""Validated plans for robots: the plan text of PlanSys2 (ROS 2), and behavior trees for BehaviorTree.CPP 4.

PlanSys2 reads plans as its planner POPF prints them, ``0.000: (move r2d2 hall)  [5.000]``. A behavior tree has an
``Action`` node for every step, named after the PDDL action, with its arguments as ports; its conditions are nodes
``Holds`` with one port, the condition in PDDL, which the robot's program checks against what it perceives.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import count, repeat
from xml.etree import ElementTree

from pddl2nl.errors import InputError
from pddl2nl.pddl import (
    ActionSchema,
    And,
    Condition,
    DurativeAction,
    Equality,
    Not,
    Task,
    conjuncts,
    substitute,
    write_condition,
    write_number,
)
from pddl2nl.pddl.tree import StepSchema, required
from pddl2nl.worlds.watch import PlanWatch
from pddlval import Report, validate
from pddlval.formulas import negation_normal
from pddlval.plans import Plan, PlanLike, PlanStep, as_plan
from pddlval.report import EXACT, Tolerances
from pddlval.temporal.lowering import Durative, with_duration
from pddlval.unsupported import is_executable

_UNSAFE = re.compile(r"[\[\]{}\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""Brackets begin PlanSys2's durations, braces name BehaviorTree.CPP's blackboard entries, XML has no control
characters."""
_POLLING = "20"
"""Milliseconds between two looks at what a step waits for."""
_PORT = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_RESERVED = frozenset(("name", "id"))
_NO_NODE = re.compile(r"""[\s<>&"'/\\:*?|.]""")
"""What the name of a node may not have (``findForbiddenChar`` in BehaviorTree.CPP)."""
_INNER = frozenset(("Sequence", "ReactiveSequence", "Parallel", "RetryUntilSuccessful", "Delay"))


class InvalidPlanError(InputError):
    """A plan that does not solve its task; ``report`` says why."""

    def __init__(self, report: Report):
        self.report = report
        super().__init__(f"the plan is not exported, since it does not solve the task: {_reason(report)}")


def plansys2_plan(task: Task, plan: PlanLike, tolerances: Tolerances = EXACT) -> str:
    """The text of a plan as PlanSys2's terminal reads it (``run plan-file``): for each step a line ``time: (action
    argument …)  [duration]``.

    Steps without a time happen one second after the other. An action without a duration takes 0 seconds.

    Args:
        task: the task.
        plan: the plan.
        tolerances: by how much numbers and times may miss, as for `pddlval.validate`.

    Raises:
        InvalidPlanError: the plan does not solve the task.
        InputError: a name has a character that the format cannot hold.
        UnsupportedError: the task has a construct that cannot be executed.
    """
    lines = []
    for time, step in _timed(_valid(task, plan, tolerances)):
        durative = isinstance(task.domain.step(step.action.name), DurativeAction)
        duration = step.duration if durative and step.duration else Fraction(0)
        lines.append(f"{_decimal(time)}: {_safe(str(step.action))}  [{_decimal(duration)}]\n")
    return "".join(lines)


def behavior_tree(task: Task, plan: PlanLike, tolerances: Tolerances = EXACT) -> str:
    """A plan as an XML file of BehaviorTree.CPP 4.

    A step is a ``Sequence``: its precondition, a ``ReactiveSequence`` with the action, and what a durative action needs
    at its end. What must stay true while the action runs is checked at every tick: what later steps need
    (`PlanWatch.lasting`), or the action's condition over all of it. Steps of a plan with time run in ``Parallel``: each
    sleeps until its start, and then waits until what it needs at its start holds, since actions can take longer than
    planned.

    Args:
        task, plan, tolerances: as for `plansys2_plan`.

    Raises:
        InvalidPlanError, InputError, UnsupportedError: as `plansys2_plan`.
    """
    checked = _valid(task, plan, tolerances)
    root = ElementTree.Element("root", BTCPP_format="4", main_tree_to_execute="MainTree")
    tree = ElementTree.SubElement(root, "BehaviorTree", ID="MainTree")
    main = ElementTree.SubElement(tree, "Sequence", name=_safe(task.problem.name))
    timed = bool(task.domain.durative_actions)
    steps = ElementTree.SubElement(main, "Parallel", success_count="-1", failure_count="1") if timed else main
    lasting = PlanWatch(task, checked).lasting() if is_executable(task) else repeat(())
    for number, ((time, step), stays) in enumerate(zip(_timed(checked), lasting, strict=False), start=1):
        node = ElementTree.SubElement(steps, "Sequence", name=_safe(f"{number} {step.action}"))
        if timed:
            ElementTree.SubElement(node, "Sleep", msec=str(round(time * 1000)))
        _add_step(node, task, step, And(tuple(stays)), waits=timed)
    _add_conditions(ElementTree.SubElement(main, "Sequence", name="goal"), task.problem.goal, {})
    _remove_empty(main)
    if len(main) == 0:
        ElementTree.SubElement(main, "AlwaysSuccess")
    _add_model(root, task, {step.action.name for step in checked.steps})
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


# ── plans ────────────────────────────────────────────────────────────────────────────────────────


def _valid(task: Task, plan: PlanLike, tolerances: Tolerances) -> Plan:
    report = validate(task, plan, "<plan>", *tolerances)
    if not report.valid:
        raise InvalidPlanError(report)
    return as_plan(plan)


def _reason(report: Report) -> str:
    if report.diagnostics:
        return report.diagnostics[0].message
    if report.failed_step is None:
        return f"in the end {_unmet(report.unmet_goals)}"
    tolerated = ""
    if near := report.valid_tolerances:
        tolerated = f"; it does with a tolerance of times (-t) of more than {write_number(near[0])}"
    return f"in step {report.failed_step}, {report.action}, {_unmet(report.unmet)}{tolerated}"


def _unmet(conditions: Sequence[Condition]) -> str:
    return f"{' and '.join(map(write_condition, conditions))} {'does' if len(conditions) == 1 else 'do'} not hold"


def _timed(plan: Plan) -> list[tuple[Fraction, PlanStep]]:
    """The steps in the order of their times; without times they begin at 0, one second after the other."""
    untimed = count(1 if any(step.time is not None for step in plan.steps) else 0)
    steps = [(Fraction(next(untimed)) if step.time is None else step.time, step) for step in plan.steps]
    return sorted(steps, key=lambda item: item[0])


def _decimal(number: Fraction) -> str:
    """A number with three decimal places, or more where it has them."""
    whole, _, places = write_number(number).partition(".")
    return f"{whole}.{places:0<3}"


def _safe(text: str) -> str:
    unsafe = _UNSAFE.search(text)
    if unsafe is not None:
        raise InputError(f"{text}: the format cannot hold the character {unsafe[0]!r} in a name")
    return text


# ── trees ────────────────────────────────────────────────────────────────────────────────────────


def _add_step(parent: ElementTree.Element, task: Task, step: PlanStep, stays: Condition, *, waits: bool) -> None:
    schema = task.domain.step(step.action.name)
    assert schema is not None
    binding = dict(zip([item.name for item in schema.parameters], step.action.args, strict=True))
    ports = dict(zip(_ports(schema), map(_safe, step.action.args), strict=True))
    before: Condition = schema.precondition if isinstance(schema, ActionSchema) else And()
    after: Condition = And()
    if isinstance(schema, DurativeAction):
        durative, duration = Durative(schema), step.duration or Fraction(0)
        before, stays, after = (
            with_duration(one, duration)
            for one in (durative.start.precondition, durative.over_all, durative.end.precondition)
        )
        ports["duration"] = _decimal(duration)
    start = parent
    if waits:
        again = ElementTree.SubElement(parent, "RetryUntilSuccessful", num_attempts="-1")
        delay = ElementTree.SubElement(again, "Delay", delay_msec=_POLLING)
        start = ElementTree.SubElement(delay, "Sequence")
    _add_conditions(start, before, binding)
    running = ElementTree.SubElement(parent, "ReactiveSequence")
    _add_conditions(running, stays, binding)
    ElementTree.SubElement(running, "Action", {"ID": _safe(step.action.name), **ports})
    _add_conditions(parent, after, binding)


def _add_conditions(parent: ElementTree.Element, condition: Condition, binding: Mapping[str, str]) -> None:
    for part in conjuncts(negation_normal(required(condition))):
        # In a valid plan equalities hold, and no robot can look at them.
        if not isinstance(part.body if isinstance(part, Not) else part, Equality):
            pddl = _safe(write_condition(substitute(part, binding)))
            ElementTree.SubElement(parent, "Condition", ID="Holds", condition=pddl)


def _ports(schema: StepSchema) -> list[str]:
    """The names of an action's ports: its parameters', or numbers where BehaviorTree.CPP does not allow these."""
    names = [item.name.removeprefix("?") for item in schema.parameters]
    if all(_PORT.fullmatch(name) and name not in (*_RESERVED, "duration") for name in names):
        return names
    return [f"argument{number}" for number in range(1, len(names) + 1)]


def _remove_empty(node: ElementTree.Element) -> None:
    """Removes the inner nodes without children, which BehaviorTree.CPP refuses."""
    for child in [*node]:
        _remove_empty(child)
        if child.tag in _INNER and len(child) == 0:
            node.remove(child)


def _add_model(root: ElementTree.Element, task: Task, used: Collection[str]) -> None:
    """Declares the nodes with their ports, so that editors such as Groot can show the tree."""
    model = ElementTree.SubElement(root, "TreeNodesModel")
    for schema in task.domain.steps:
        if schema.name not in used:
            continue
        if _NO_NODE.search(schema.name) or schema.name == "root":
            raise InputError(f"BehaviorTree.CPP allows no node with the name of the action '{schema.name}'")
        action = ElementTree.SubElement(model, "Action", ID=_safe(schema.name))
        ports = [*_ports(schema), *(["duration"] if isinstance(schema, DurativeAction) else [])]
        for port in ports:
            ElementTree.SubElement(action, "input_port", name=port)
    holds = ElementTree.SubElement(model, "Condition", ID="Holds")
    ElementTree.SubElement(holds, "input_port", name="condition")

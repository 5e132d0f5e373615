"""A report in the words of VAL, from ``Checking plan`` on, for those who read or parse VAL's output.

VAL is the plan validator of King's College London (Howey, Long and Fox 2004). Plain and verbose text are its own,
byte for byte, for the plans that it judges soundly. Plans that it crashes on or lets pass (an unknown name, a wrong
arity or type) get its ``Bad plan description!``, and under it the place and the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from pddl2nl.pddl import GroundAtom, Task
from validators.actions import GroundAction
from validators.happenings import Claims, Happening, claim_effects, happenings
from validators.numeric import as_float
from validators.plans import Plan, plan_of, read_plan
from validators.schemas import Ground
from validators.simulator import Simulator, simulator_of
from validators.state import Number
from validators.validate import Report

__all__ = ["val_summary", "val_text", "val_verdict"]


def val_text(
    task: Task,
    plan: Plan | str | Iterable[GroundAction],
    report: Report,
    name: str,
    verbose: bool = False,
) -> str:
    """What VAL prints about one plan.

    Args:
        task: the task.
        plan: the plan that was judged, in any form that `validate` takes.
        report: what `validate` said about it.
        name: the name of the plan file, which VAL repeats.
        verbose: the text of ``Validate -v`` instead of ``Validate``.
    """
    return val_verdict(task, plan, report, name, verbose) + val_summary(task, [(name, report)])


def val_verdict(
    task: Task,
    plan: Plan | str | Iterable[GroundAction],
    report: Report,
    name: str,
    verbose: bool = False,
) -> str:
    """The part of VAL's text that is about one plan, without the summary at the end."""
    lines = [f"Checking plan: {name}"]
    if report.verdict == "bad-plan":
        lines.append("Bad plan description!")
        for diagnostic in report.diagnostics:
            lines += diagnostic.render().splitlines()
    else:
        trace = _Trace(simulator_of(task), plan) if verbose else None
        if trace is not None:
            lines += trace.lines()
        lines += _outcome(report)
        if trace is not None:
            lines += trace.advice(report)
    return "".join(f"{line}\n" for line in lines)


def val_summary(task: Task, judged: Sequence[tuple[str, Report]]) -> str:
    """The lists of successful and failed plans with which VAL ends: the better the metric, the higher a plan stands.

    Args:
        task: the task.
        judged: every plan's name with its report, in the order in which they were checked.
    """
    values: dict[float, list[str]] = {}
    for name, report in judged:
        if report.valid:
            values.setdefault(as_float(report.cost or 0), []).append(name)
    metric = task.problem.metric
    best_first = sorted(values, reverse=metric is None or metric.direction != "minimize")
    text = ""
    if values:
        text += "\nSuccessful plans:"
        for value in best_first:
            plans = "".join(f"{name} {value:.10g} \n" for name in values[value])
            text += f"\nValue: {value:.10g}\n {plans}"
        text += "\n"
    failed = [name for name, report in judged if not report.valid]
    if failed:
        text += "\n\nFailed plans:\n " + "".join(f"{name} " for name in failed) + "\n"
    return text


def _outcome(report: Report) -> list[str]:
    if report.verdict == "inapplicable":
        return ["", "Plan failed to execute"]
    lines = ["Plan executed successfully - checking goal"]
    if report.verdict == "goal-not-satisfied":
        return [*lines, "Goal not satisfied", "Plan invalid"]
    return [*lines, "Plan valid", f"Final value: {_number(report.cost or 0)} "]


def _number(value: Number | Fraction) -> str:
    """As a C++ stream of precision 10 prints it."""
    return f"{as_float(value):.10g}"


class _Trace:
    """The verbose part: what the plan does, happening by happening, up to where it fails."""

    def __init__(self, simulator: Simulator, plan: Plan | str | Iterable[GroundAction]):
        if isinstance(plan, str):
            plan = read_plan(plan)
        elif not isinstance(plan, Plan):
            plan = plan_of(plan)
        self._simulator = simulator
        self._happenings = happenings(plan)
        self._atoms: set[GroundAtom] = set(simulator.initial.changing)
        self._levels: dict[GroundAtom, Number] = dict(simulator.initial.levels)
        self._failed: tuple[Happening, Ground] | None = None

    def lines(self) -> Iterator[str]:
        """The plan, then its execution."""
        yield from ("Plan to validate:", "", f"Plan size: {len(self._happenings)}")
        for happening in self._happenings:
            yield f"{_number(happening.time)}:"
            yield from map(str, happening.actions)
            yield " "
        yield ""
        if self._happenings:
            yield from ("Plan Validation details", "-----------------------")
        for happening in self._happenings:
            yield from ("", f"Checking next happening (time {_number(happening.time)})")
            grounds = [self._simulator.ground(action) for action in happening.actions]
            failing = next((ground for ground in grounds if not ground.applicable(self._atoms)), None)
            if failing is not None:
                self._failed = (happening, failing)
                yield from ("Plan failed because of unsatisfied precondition in:", str(failing.action))
                return
            claims = claim_effects(grounds)
            yield from claims.warnings
            if claims.conflict is not None:
                yield from _violation(grounds, claims)
                return
            yield from self._apply(grounds)

    def _apply(self, grounds: list[Ground]) -> Iterator[str]:
        for ground in grounds:
            yield from (f"Deleting {atom}" for atom in ground.deletes)
        for ground in grounds:
            yield from (f"Adding {atom}" for atom in ground.adds)
        for ground in grounds:
            self._atoms -= ground.removed
            self._atoms |= ground.added
            for fluent, amount in ground.increases:
                before = self._levels.get(fluent, 0)
                self._levels[fluent] = before + amount
                yield f"Updating {fluent} ({_number(before)}) by {_number(amount)} increase"

    def advice(self, report: Report) -> list[str]:
        """VAL's advice on how to repair the plan, for the state that it ended in."""
        if report.valid or (report.verdict == "inapplicable" and self._failed is None):
            return []
        from validators.advice import advice_lines

        lines = ["", "Plan Repair Advice:", ""]
        if self._failed is None:
            lines.append("The goal is not satisfied")
            condition = self._simulator.task.problem.goal
        else:
            happening, ground = self._failed
            lines.append(f"{ground.action} has an unsatisfied precondition at time {_number(happening.time)}")
            condition = ground.precondition()
        statics = self._simulator.initial.statics.atoms
        return lines + advice_lines(condition, lambda atom: atom in self._atoms or atom in statics)


def _violation(grounds: Sequence[Ground], claims: Claims) -> Iterator[str]:
    conflict = claims.conflict
    assert conflict is not None
    text = f"Mutex violation: {grounds[conflict.place].action} ({conflict.claim} {conflict.atom})"
    if conflict.other is not None:
        text += f" and {grounds[conflict.other].action}"
    yield text
    if conflict.other is not None and conflict.claim == "adds":
        # VAL ends the line twice in this one case.
        yield ""

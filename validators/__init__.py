"""What actions do, and whether plans hold: states, the simulator, plan files, verdicts, VAL's text.

Everything runs in this process: no compiled tool, network or model has a say in a verdict::

    from pddl2nl.pddl import load_task
    from validators import Simulator, validate

    task = load_task("domain.pddl", "problem.pddl")
    simulator = Simulator(task)
    result = simulator.step(simulator.initial, "(pick-up a)")
    report = validate(task, "(pick-up a)\\n(stack a b)\\n")
"""

from __future__ import annotations

from validators.actions import BadActionError, GroundAction
from validators.explain import Cause
from validators.plans import Plan, PlanStep, load_plan, read_plan
from validators.simulator import Simulator, StepResult
from validators.state import State
from validators.val_text import val_summary, val_text, val_verdict
from validators.validate import Report, Verdict, validate

__all__ = [
    "BadActionError",
    "Cause",
    "GroundAction",
    "Plan",
    "PlanStep",
    "Report",
    "Simulator",
    "State",
    "StepResult",
    "Verdict",
    "load_plan",
    "read_plan",
    "val_summary",
    "val_text",
    "val_verdict",
    "validate",
]

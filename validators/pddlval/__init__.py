"""What actions do, and whether plans hold: states, the simulator, plan files, verdicts, VAL's text.

Everything runs in this process: no compiled tool, network or model has a say in a verdict::

    from pddl2nl.pddl import load_task
    from pddlval import Simulator
    from pddlval import validate

    task = load_task("domain.pddl", "problem.pddl")
    simulator = Simulator(task)
    result = simulator.step(simulator.initial, "(pick-up a)")
    report = validate(task, "(pick-up a)\\n(stack a b)\\n")

The modules, each of which imports only from those before it:

- meaning: `formulas` (what they mention, their normal form), `numeric` (exact arithmetic), `semantics` (what
  conditions mean, on one screen), `unsupported` (what is refused);
- states: `state` (atoms as bits, values, statics);
- queries about states: `tables` (a state's atoms, indexed), `queries` (conditions compiled to Python), `engine`
  (what is asked about one state, derived predicates);
- actions: `plans` (ground actions, plan files), `schemas` (conditions and effects, compiled), `successors` (applicable
  actions, uniform draws), `simulator`;
- verdicts: `happenings` (what happens when, mutual exclusion), `report` (what is said about a plan, and the causes of
  failures), `execution` (a plan is executed), `temporal` (plans with time, preferences and constraints), `validate`
  (verdicts, the simulator of policies), `val_advice` and `val_text` (VAL's words);
- the commands: `command`, `checking` (what `pddl2nl check` reports), `streams`.
"""

from __future__ import annotations

from pddlval.happenings import VAL_TIME_TOLERANCE
from pddlval.plans import BadActionError, GroundAction, Plan, PlanStep, load_plan, read_plan
from pddlval.report import VAL_TOLERANCE, Cause, Report, Verdict
from pddlval.simulator import Followed, Simulator, StepResult
from pddlval.state import State
from pddlval.val_text import val_lines, val_summary, val_text
from pddlval.validate import acting_simulator, validate

__all__ = [
    "VAL_TIME_TOLERANCE",
    "VAL_TOLERANCE",
    "BadActionError",
    "Cause",
    "Followed",
    "GroundAction",
    "Plan",
    "PlanStep",
    "Report",
    "Simulator",
    "State",
    "StepResult",
    "Verdict",
    "acting_simulator",
    "load_plan",
    "read_plan",
    "val_lines",
    "val_summary",
    "val_text",
    "validate",
]

"""pddl2nl: PDDL to natural language and back, with a judge at every step.

The three jobs, each a call or two::

    import pddl2nl

    task = pddl2nl.load_task("domain.pddl", "problem.pddl")
    print(pddl2nl.convert(task).goal_text)                              # a prompt in hand
    print(pddl2nl.validate(task, "(pick-up a) (stack a b)").verdict)    # a plan judged
    print(pddl2nl.run(task, policy="react", model="oracle").outcome)    # a policy run

and a macro-action with its exact conditions::

    steps = [pddl2nl.MacroStep("pick-up", ("?x",)), pddl2nl.MacroStep("stack", ("?x", "?y"))]
    print(pddl2nl.compose(task.domain, steps).conditions.precondition)

Names are imported on first use, so that ``import pddl2nl`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pddl2nl.baselines import PlannerResult, solve
    from pddl2nl.errors import (
        InfrastructureError,
        InputError,
        MissingExtraError,
        Pddl2nlError,
        UnsupportedError,
    )
    from pddl2nl.experiments.records.stored import RunRecord
    from pddl2nl.experiments.runs import run
    from pddl2nl.experiments.sweep import experiment
    from pddl2nl.interop.unified_planning import from_up, to_up
    from pddl2nl.macros.compose import compose, compose_block
    from pddl2nl.macros.macro import Conditions, Macro, MacroStep
    from pddl2nl.macros.proof import prove
    from pddl2nl.nl import Conversion, Reader, Teller, Wording, convert, load_wording, template_wording
    from pddl2nl.pddl import (
        Domain,
        PDDLError,
        Problem,
        Task,
        load_domain,
        load_problem,
        load_task,
        parse_domain,
        parse_problem,
        parse_task,
    )
    from pddl2nl.reports.rows import Records, load_records
    from pddl2nl.tasks import shipped_domains, shipped_task
    from pddlval import GroundAction, Report, Simulator, State, StepResult, validate

_HOMES = {
    "pddl2nl.baselines": ("PlannerResult", "solve"),
    "pddl2nl.errors": ("InfrastructureError", "InputError", "MissingExtraError", "Pddl2nlError", "UnsupportedError"),
    "pddl2nl.experiments.sweep": ("experiment",),
    "pddl2nl.experiments.records.stored": ("RunRecord",),
    "pddl2nl.experiments.runs": ("run",),
    "pddl2nl.interop.unified_planning": ("from_up", "to_up"),
    "pddl2nl.macros.compose": ("compose", "compose_block"),
    "pddl2nl.macros.macro": ("Conditions", "Macro", "MacroStep"),
    "pddl2nl.macros.proof": ("prove",),
    "pddl2nl.nl": ("Conversion", "Reader", "Teller", "Wording", "convert", "load_wording", "template_wording"),
    "pddl2nl.pddl": (
        "Domain",
        "PDDLError",
        "Problem",
        "Task",
        "load_domain",
        "load_problem",
        "load_task",
        "parse_domain",
        "parse_problem",
        "parse_task",
    ),
    "pddl2nl.reports.rows": ("Records", "load_records"),
    "pddl2nl.tasks": ("shipped_domains", "shipped_task"),
    "pddlval": ("GroundAction", "Report", "Simulator", "State", "StepResult", "validate"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Conditions",
    "Conversion",
    "Domain",
    "GroundAction",
    "InfrastructureError",
    "InputError",
    "Macro",
    "MacroStep",
    "MissingExtraError",
    "PDDLError",
    "Pddl2nlError",
    "PlannerResult",
    "Problem",
    "Reader",
    "Records",
    "Report",
    "RunRecord",
    "Simulator",
    "State",
    "StepResult",
    "Task",
    "Teller",
    "UnsupportedError",
    "Wording",
    "compose",
    "compose_block",
    "convert",
    "experiment",
    "from_up",
    "load_domain",
    "load_problem",
    "load_records",
    "load_task",
    "load_wording",
    "parse_domain",
    "parse_problem",
    "parse_task",
    "prove",
    "run",
    "shipped_domains",
    "shipped_task",
    "solve",
    "template_wording",
    "to_up",
    "validate",
]


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'pddl2nl' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

"""The setting of a run as tests need it: a task with its defaults, told and read in words."""

from __future__ import annotations

from typing import Any

from pddl2nl.nl import Reader, Teller, Wording, make_names, template_wording
from pddl2nl.pddl import Task
from pddl2nl.policies import Setting
from pddl2nl.policies.pddl_reading import PDDLReader
from pddl2nl.policies.spec import RunSpec
from pddlval import acting_simulator


def plain_setting(task: Task, wording: Wording | None = None, **made: Any) -> Setting:
    """The setting of a task; ``options`` are those of `RunSpec`, and other names attributes of the setting."""
    options = {"names": "typed", **made.pop("options", {})}
    wording = wording or template_wording(task.domain)
    names = make_names(task, options["names"], wording)
    spec, simulator = RunSpec(task, **options), acting_simulator(task)
    reader = Reader(task, wording, names) if spec.style == "nl" else PDDLReader(simulator)
    return Setting(spec, simulator, Teller(task, wording, names, spec.style), reader, **made)

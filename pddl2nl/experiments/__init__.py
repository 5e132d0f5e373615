"""Runs: from a specification to a record and a result.

Names are imported on first use, so that a command line can take the options of a run from `spec` alone.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pddl2nl.experiments.models import MODELS, MadeModel, ModelContext, make_model
    from pddl2nl.experiments.records.stored import RunRecord
    from pddl2nl.experiments.runs import run, run_spec
    from pddl2nl.experiments.specification.experiment import Experiment, load_experiment
    from pddl2nl.experiments.specification.schema import Column
    from pddl2nl.policies.spec import RunSpec

_MODULES = {
    "pddl2nl.experiments.models": ("MODELS", "MadeModel", "ModelContext", "make_model"),
    "pddl2nl.experiments.records.stored": ("RunRecord",),
    "pddl2nl.experiments.runs": ("run", "run_spec"),
    "pddl2nl.experiments.specification.experiment": ("Experiment", "load_experiment"),
    "pddl2nl.experiments.specification.schema": ("Column",),
    "pddl2nl.policies.spec": ("RunSpec",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "MODELS",
    "Column",
    "Experiment",
    "MadeModel",
    "ModelContext",
    "RunRecord",
    "RunSpec",
    "load_experiment",
    "make_model",
    "run",
    "run_spec",
]


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value

"""Runs: from a specification to a record and a result."""

from __future__ import annotations

from pddl2nl.experiments.models import MODELS, MadeModel, ModelContext, make_model
from pddl2nl.experiments.runs import RunResult, run, run_spec
from pddl2nl.experiments.spec import RunSpec

__all__ = ["MODELS", "MadeModel", "ModelContext", "RunResult", "RunSpec", "make_model", "run", "run_spec"]

"""The runs of an experiment, each with a readable and unique name."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from pddl2nl.baselines import TaskTexts
from pddl2nl.experiments.asked import QuestionSpec
from pddl2nl.experiments.records.writer import record_name
from pddl2nl.files import read_text
from pddl2nl.llm import Model, Request, public_url
from pddl2nl.llm.keys import canonical_json, sha256
from pddl2nl.nl import Wording
from pddl2nl.pddl import write_domain
from pddl2nl.policies import make_policy
from pddl2nl.policies.recorded import problem_text
from pddl2nl.policies.setting import SolvedProblem
from pddl2nl.policies.spec import RUN_OPTIONS, RunSpec

_HASH = 12
_LONGEST_PART = 40
_NOT_IDENTITY = ("out", "timeout")
"""Options that do not determine what happens in a run."""


@dataclass(frozen=True)
class PlannerSpec:
    """Everything that determines the run of a baseline; ``seconds`` and ``memory_mb`` are its limits, None for none.

    ``texts`` replace what the two files hold, for a task that was transformed. ``suite`` and ``task`` are what an
    experiment calls the task, for the record.
    """

    domain: Path
    problem: Path
    planner: str
    seconds: int | None = None
    memory_mb: int | None = None
    texts: TaskTexts | None = None
    suite: str = ""
    task: str = ""


@dataclass(frozen=True)
class RunJob:
    """One run of an experiment, and the name of its record without the ending."""

    name: str
    spec: RunSpec | PlannerSpec | QuestionSpec

    @property
    def asks_model(self) -> bool:
        """Whether it asks a model, which may cost money."""
        if isinstance(self.spec, RunSpec):
            return _needs_model(self.spec) or self.spec.wording == "llm"
        return isinstance(self.spec, QuestionSpec)


def _needs_model(spec: RunSpec) -> bool:
    return make_policy(spec.policy).needs_model


def make_job(spec: RunSpec | PlannerSpec | QuestionSpec, *parts: str, models_file: Path | None = None) -> RunJob:
    """A run with a name made of readable parts and the hash of everything that determines it.

    Args:
        spec: of the run.
        parts: what is readable in its name; by default what usually tells runs apart.
        models_file: settings by model, of which that counts which is sent to the endpoint.
    """
    if isinstance(spec, PlannerSpec):
        identity = _planner_identity(spec)
        parts = parts or (spec.domain.parent.name, spec.problem.stem, spec.planner)
    elif isinstance(spec, QuestionSpec):
        identity = _question_identity(spec, models_file)
        parts = parts or (spec.suite, spec.question.kind, spec.question.form, spec.model, spec.style, str(spec.seed))
    else:
        identity = _identity(spec, models_file)
        model = spec.model if isinstance(spec.model, str) else spec.model.name
        asked = (model, spec.style) if _needs_model(spec) else ()
        parts = parts or (spec.task.domain.name, spec.task.problem.name, spec.policy_name, *asked, str(spec.seed))
    short = [part if len(part) <= _LONGEST_PART else part[: _LONGEST_PART - 1] + "_" for part in parts]
    return RunJob(f"{record_name(*short)}-{sha256(canonical_json(identity))[:_HASH]}", spec)


# ── what determines a run ────────────────────────────────────────────────────────────────────────


def _planner_identity(spec: PlannerSpec) -> dict[str, Any]:
    if spec.texts is None:
        domain, problem = _file_hash(spec.domain), _file_hash(spec.problem)
    else:
        domain, problem = sha256(spec.texts.domain), sha256(spec.texts.problem)
    limits = {"seconds": spec.seconds, "memory_mb": spec.memory_mb}
    return {"planner": spec.planner, **limits, "domain": domain, "problem": problem}


def _question_identity(spec: QuestionSpec, models_file: Path | None) -> dict[str, Any]:
    return {
        "question": msgspec.to_builtins(spec.question),
        "model": _model_identity(spec.model, models_file),
        "wording": None if spec.wording is None else spec.wording.to_json(),
        **{name: getattr(spec, name) for name in ("style", "names", "seed", "temperature", "max_tokens")},
        "base_url": None if spec.base_url is None else public_url(spec.base_url),
    }


def _identity(spec: RunSpec, models_file: Path | None) -> dict[str, Any]:
    """Everything that determines a run, as JSON: files by the hashes of their texts, a wording by its content.

    Of how the models are reached (`Access`) only those settings count that are sent to the endpoint with every request.
    An endpoint counts where the specification names it; one from the environment may move.
    """
    task = spec.task
    source = task.domain.source
    # Defaults are left out, so that a new option changes the name of no run.
    options = {
        name: value
        for name, option in RUN_OPTIONS.items()
        if name not in _NOT_IDENTITY and (value := getattr(spec, name)) != option.default
    }
    for name, value in options.items():
        if name == "policy":
            options[name] = spec.policy_name
        elif name in ("faults", "ontology") and isinstance(value, str | Path):
            # A file, or faults as a text.
            options[name] = _file_hash(Path(value)) if os.path.isfile(value) else str(value)
        elif name == "faults":
            options[name] = value.text
        elif name == "ontology":
            options[name] = sha256(value.turtle)
        elif name == "library":
            # By its place: it grows with every task, and the run stays the same.
            options[name] = str(value)
        elif name == "base_url":
            options[name] = public_url(value)
    if spec.profile is not None:
        options["profile"] = spec.profile
    wording, example = spec.wording, spec.example
    models = [name for name, option in RUN_OPTIONS.items() if option.kind is str and name.endswith("model")]
    return {
        **options,
        "domain": sha256(source.text if source is not None else write_domain(task.domain)),
        "problem": sha256(problem_text(task.problem)),
        "wording": wording.to_json() if isinstance(wording, Wording) else _file_or_word(wording, "llm", "template"),
        "example": [sha256(problem_text(example.task.problem)), [str(action) for action in example.plan]]
        if isinstance(example, SolvedProblem)
        else _file_or_word(example, "none"),
        "example_plan": _file_or_word(spec.example_plan),
        **{role: _model_identity(getattr(spec, role), models_file) for role in models},
    }


def _file_or_word(value: str | Path | None, *words: str) -> str | None:
    return str(value) if value in words else None if value is None else _file_hash(Path(value))


def _file_hash(path: Path) -> str:
    return sha256(read_text(path, errors="replace"))


def _model_identity(model: str | Model | None, models_file: Path | None) -> object:
    from pddl2nl.experiments.models import MODELS

    if model is None:
        return None
    if not isinstance(model, str):
        return model.name
    kind, _, argument = model.partition(":")
    if kind == "script" and Path(argument).is_file():
        return [model, _file_hash(Path(argument))]
    if kind in MODELS and kind != "openai":
        return model
    name = argument if kind == "openai" else model
    changed = models_file.stat().st_mtime_ns if models_file is not None and models_file.is_file() else 0
    return [name, json.loads(_sent_settings(name, models_file, os.environ.get("PDDL2NL_MODELS"), changed))]


@lru_cache(maxsize=256)
def _sent_settings(name: str, models_file: Path | None, *changes: object) -> str:
    """The settings of a model that are sent with every request; cached, because files are read for them."""
    from pddl2nl.llm.settings import load_catalogue

    body = load_catalogue(models_file).of(name).body(name, Request(()))
    return canonical_json({key: value for key, value in body.items() if key != "messages"})

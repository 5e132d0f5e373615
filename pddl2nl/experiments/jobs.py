"""The runs of an experiment, each with a readable and unique name."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from pddl2nl.baselines import TaskTexts
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.experiments.access import Access
from pddl2nl.experiments.example import SolvedProblem, problem_text
from pddl2nl.experiments.planned import plan_and_record
from pddl2nl.experiments.records.writer import record_name
from pddl2nl.experiments.runs import run_spec
from pddl2nl.experiments.spec import RUN_OPTIONS, RunSpec
from pddl2nl.llm import Model, Request, public_url
from pddl2nl.llm.keys import canonical_json, sha256
from pddl2nl.nl import Wording
from pddl2nl.pddl import write_domain
from pddl2nl.policies import POLICIES
from pddl2nl.policies.budget import Account, total

__all__ = ["Ended", "Job", "PlannerSpec", "last_line", "make_job", "play", "read_end"]

_HASH = 12
_LONGEST_PART = 40
_LAST_BYTES = 1 << 16
_NOT_IDENTITY = ("out", "timeout")
"""Options that do not determine what happens in a run."""


@dataclass(frozen=True)
class PlannerSpec:
    """Everything that determines the run of a baseline; ``seconds`` and ``memory_mb`` are its limits, None for none.

    ``texts`` are what it is run on, where that is not what the two files hold: a task that was transformed. ``suite``
    and ``task`` are what an experiment calls the task, for the record.
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
class Job:
    """One run of an experiment, and the name of its record without the ending."""

    name: str
    spec: RunSpec | PlannerSpec

    @property
    def asks_model(self) -> bool:
        """Whether it asks a model, which may cost money."""
        spec = self.spec
        if isinstance(spec, PlannerSpec):
            return False
        return spec.policy not in POLICIES or POLICIES[spec.policy]().needs_model or spec.wording == "llm"


@dataclass(frozen=True)
class Ended:
    """The end of a run, from the last line of its record.

    ``outcome`` is one of an episode, or the status of a planner. ``message`` explains it; ``spent`` is what was paid
    for it.
    """

    outcome: str
    message: str
    spent: Account

    @property
    def broken(self) -> bool:
        """Whether a tool failed, so that the run is no result and is to be run again."""
        return self.outcome in ("infrastructure-error", "error")

    @property
    def solved(self) -> bool:
        """Whether a plan was found."""
        return self.outcome == "solved"


def make_job(spec: RunSpec | PlannerSpec, *parts: str, models_file: Path | None = None) -> Job:
    """A run with a name made of readable parts and the hash of everything that determines it.

    Args:
        spec: of the run.
        parts: what is readable in its name; by default what usually tells runs apart.
        models_file: settings by model, of which that counts which is sent to the endpoint.
    """
    said = parts or _usual_parts(spec)
    short = [part if len(part) <= _LONGEST_PART else part[: _LONGEST_PART - 1] + "_" for part in said]
    return Job(f"{record_name(*short)}-{sha256(canonical_json(_canonical_spec(spec, models_file)))[:_HASH]}", spec)


def _usual_parts(spec: RunSpec | PlannerSpec) -> tuple[str, ...]:
    if isinstance(spec, PlannerSpec):
        return spec.domain.parent.name, spec.problem.stem, spec.planner
    task, model = spec.task, spec.model if isinstance(spec.model, str) else spec.model.name
    asks = spec.policy not in POLICIES or POLICIES[spec.policy]().needs_model
    said = (model, spec.style) if asks else ()
    return (task.domain.name, task.problem.name, spec.policy, *said, str(spec.seed))


# ── what determines a run ────────────────────────────────────────────────────────────────────────


def _canonical_spec(spec: RunSpec | PlannerSpec, models_file: Path | None = None) -> dict[str, Any]:
    """Everything that determines a run, as JSON: files by the hashes of their texts, a wording by its content.

    How the models are reached (`Access`) is not in it, but for those settings that are sent to the endpoint with
    every request. An endpoint counts where the specification names it; one from the environment may move.
    """
    if isinstance(spec, PlannerSpec):
        if spec.texts is None:
            texts = {"domain": _file_hash(spec.domain), "problem": _file_hash(spec.problem)}
        else:
            texts = {"domain": sha256(spec.texts.domain), "problem": sha256(spec.texts.problem)}
        return {"planner": spec.planner, "seconds": spec.seconds, "memory_mb": spec.memory_mb, **texts}
    task = spec.task
    source = task.domain.source
    # Defaults are left out, so that a new option changes the name of no run.
    said = {
        name: value
        for name, option in RUN_OPTIONS.items()
        if name not in _NOT_IDENTITY and (value := getattr(spec, name)) != option.default
    }
    if "ontology" in said and not isinstance(said["ontology"], str | Path):
        said["ontology"] = sha256(said["ontology"].turtle)
    if "faults" in said and not isinstance(said["faults"], str):
        said["faults"] = said["faults"].text
    for name in ("faults", "ontology"):
        # Faults are a text, or a file that exists.
        if name in said and os.path.isfile(said[name]):
            said[name] = _file_hash(Path(said[name]))
    if "library" in said:
        # By its place: it grows with every task, and the run stays the same.
        said["library"] = str(said["library"])
    if "base_url" in said:
        said["base_url"] = public_url(said["base_url"])
    if spec.profile is not None:
        said["profile"] = spec.profile
    models = [name for name, option in RUN_OPTIONS.items() if option.kind is str and name.endswith("model")]
    domain, problem = source.text if source is not None else write_domain(task.domain), problem_text(task.problem)
    return {
        **said,
        "domain": sha256(domain),
        "problem": sha256(problem),
        "wording": _wording(spec.wording),
        "example": _example(spec.example),
        "example_plan": _file_or_word(spec.example_plan),
        **{role: _model(getattr(spec, role), models_file) for role in models},
    }


def _wording(wording: str | Wording | None) -> object:
    if isinstance(wording, Wording):
        return wording.to_json()
    return _file_or_word(wording, "llm", "template")


def _example(example: str | Path | SolvedProblem | None) -> object:
    if isinstance(example, SolvedProblem):
        return [sha256(problem_text(example.task.problem)), [str(action) for action in example.plan]]
    return _file_or_word(example, "none")


def _file_or_word(value: str | Path | None, *words: str) -> str | None:
    return value if value is None or value in words else _file_hash(Path(value))


def _file_hash(path: Path) -> str:
    try:
        return sha256(path.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error


def _model(model: str | Model | None, models_file: Path | None) -> object:
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
    body = _body(name, models_file, os.environ.get("PDDL2NL_MODELS"), changed)
    return [name, json.loads(body)]


@lru_cache(maxsize=256)
def _body(name: str, models_file: Path | None, *changes: object) -> str:
    """The settings of a model that are sent with every request; cached, because files are read for them."""
    from pddl2nl.llm.settings import load_catalogue

    body = load_catalogue(models_file).of(name).body(name, Request(()))
    return canonical_json({key: value for key, value in body.items() if key != "messages"})


# ── running, and how it ended ────────────────────────────────────────────────────────────────────


def play(job: Job, record: Path, access: Access) -> Ended:
    """Runs a job until its record is finished; raises as `run_spec` and `plan_and_record`."""
    spec = job.spec
    if isinstance(spec, PlannerSpec):
        planned = plan_and_record(
            spec.domain,
            spec.problem,
            spec.planner,
            record,
            time_limit=spec.seconds,
            memory_limit_mb=spec.memory_mb,
            texts=spec.texts,
            called=(spec.suite, spec.task),
        )
        return Ended(planned.status, planned.message, Account())
    result = run_spec(replace(spec, record=record, out=None), access)
    return Ended(result.outcome, result.message, total(result.accounts.values()))


def read_end(record: Path) -> Ended | None:
    """The end of the run with this record; None if there is no record, or its last line does not tell.

    Raises:
        InfrastructureError: the file cannot be read.
    """
    try:
        event = json.loads(last_line(record))
        if event["event"] == "planned":
            return Ended(event["status"], event["message"], Account())
        if event["event"] == "finished":
            return Ended(event["outcome"], event["message"], total(event.get("spent", {}).values()))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InfrastructureError(f"cannot read the record {record}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return None


def last_line(path: Path) -> bytes:
    """The last line of a file, read from its end."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        span = _LAST_BYTES
        while True:
            file.seek(max(0, size - span))
            end = file.read().rstrip(b"\n")
            if b"\n" in end or span >= size:
                return end.rpartition(b"\n")[2]
            span *= 4

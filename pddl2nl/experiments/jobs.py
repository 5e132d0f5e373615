"""What an experiment runs: jobs, each of which can be played and has the name of its record.

`RunJob` is the run of a policy; `pddl2nl.experiments.planned.PlannerJob` that of a baseline, and
`pddl2nl.experiments.asked.QuestionJob` a question.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, cast

import msgspec

from pddl2nl.experiments.access import Access
from pddl2nl.experiments.models import model_identity
from pddl2nl.experiments.records.reader import End
from pddl2nl.experiments.records.writer import job_name
from pddl2nl.experiments.runs import run_spec
from pddl2nl.files import read_text
from pddl2nl.llm.keys import sha256
from pddl2nl.nl import Wording
from pddl2nl.pddl import write_domain
from pddl2nl.policies import Policy, RunEvent, make_policy
from pddl2nl.policies.policy import WorldPolicy, options_of
from pddl2nl.policies.recorded import problem_text
from pddl2nl.policies.setting import SolvedProblem
from pddl2nl.policies.spec import RUN_OPTIONS, RunSpec

_NOT_IDENTITY = ("out", "timeout", "base_url", "options", "model", "models", "wording", "example", "example_plan")
"""Options that do not determine what happens in a run, and those that are identified by more than their value."""


class Job(Protocol):
    """One run of an experiment."""

    @property
    def name(self) -> str:
        """The name of its record without the ending: the same for the same run, and no other's."""

    @property
    def asks_model(self) -> bool:
        """Whether it asks a model, which may cost money."""

    @property
    def base_url(self) -> str | None:
        """The endpoint that it names."""

    def play(self, record: Path, access: Access, observe: Callable[[RunEvent], None]) -> End:
        """Runs it until its record is finished; returns the last event.

        Args:
            record: the file to write.
            access: how models are reached.
            observe: is given every event as it happens.
        """


@dataclass(frozen=True)
class RunJob:
    """The run of a policy.

    Attributes:
        spec: what is run.
        parts: the readable parts of its name; by default what usually tells runs apart.
        models_file: settings by model, of which that counts which is sent to the endpoint.
    """

    spec: RunSpec
    parts: tuple[str, ...] = ()
    models_file: Path | None = None

    @cached_property
    def name(self) -> str:
        """The name of its record without the ending."""
        return job_name(self.parts or self._told(), self._identity())

    @cached_property
    def policy(self) -> Policy:
        """The policy with its options."""
        return make_policy(self.spec.policy, self.spec.options)

    @property
    def asks_model(self) -> bool:
        """Whether it asks a model."""
        return self.policy.needs_model or self.spec.wording == "llm"

    @property
    def base_url(self) -> str | None:
        """The endpoint that it names."""
        return self.spec.base_url

    def play(self, record: Path, access: Access, observe: Callable[[RunEvent], None]) -> End:
        """Runs it until its record is finished; raises as `run_spec`."""
        return cast(End, run_spec(replace(self.spec, record=record, out=None), access, observe).events[-1])

    def _told(self) -> tuple[str, ...]:
        spec = self.spec
        model = spec.model if isinstance(spec.model, str) else spec.model.name
        asked = (model, spec.style) if self.policy.needs_model else ()
        return (spec.task.domain.name, spec.task.problem.name, spec.policy_name, *asked, str(spec.seed))

    def _identity(self) -> dict[str, Any]:
        """Everything that determines the run, as JSON: files by the hashes of their texts, a wording by its content.

        Defaults are left out, so that a new option changes the name of no run.
        """
        spec, task = self.spec, self.spec.task
        source = task.domain.source
        given = {name: getattr(spec, name) for name in RUN_OPTIONS if name not in _NOT_IDENTITY}
        options = {name: value for name, value in given.items() if value != RUN_OPTIONS[name].default}
        for name in ("files", "prompts"):
            if name in options:
                options[name] = {key: _text_hash(value) for key, value in options[name].items()}
        wording, example = spec.wording, spec.example
        return {
            **options,
            "policy": spec.policy_name,
            "options": self._policy_options(),
            **({} if spec.profile is None else {"profile": spec.profile}),
            "domain": sha256(source.text if source is not None else write_domain(task.domain)),
            "problem": sha256(problem_text(task.problem)),
            "wording": wording.to_json() if isinstance(wording, Wording) else _file_or_word(wording, "llm", "template"),
            "example": [sha256(problem_text(example.task.problem)), [str(action) for action in example.plan]]
            if isinstance(example, SolvedProblem)
            else _file_or_word(example, "none"),
            "example_plan": _file_or_word(spec.example_plan),
            "model": model_identity(spec.model, self.models_file),
            "models": {role: model_identity(model, self.models_file) for role, model in spec.models.items()},
        }

    def _policy_options(self) -> dict[str, Any]:
        """The policy's options that differ from their defaults; a file of faults by its text."""
        values = msgspec.structs.asdict(self.policy)
        faults: Any = self.policy.faults if isinstance(self.policy, WorldPolicy) else None
        if faults is not None:
            # Faults are a file, a text, or an object.
            is_file = isinstance(faults, str) and os.path.isfile(faults)
            values["faults"] = _text_hash(faults) if is_file else getattr(faults, "text", faults)
        defaults = {name: option.default for name, option in options_of(type(self.policy)).items()}
        changed = {name: value for name, value in values.items() if value != defaults[name]}
        return cast("dict[str, Any]", msgspec.to_builtins(changed))


def _file_or_word(value: Any, *words: str) -> str | None:
    return str(value) if value in words else None if value is None else _text_hash(value)


def _text_hash(given: Any) -> str:
    """The hash of a file's text, or of that of an object with the attribute ``text``."""
    return sha256(read_text(Path(given), errors="replace") if isinstance(given, str | Path) else given.text)

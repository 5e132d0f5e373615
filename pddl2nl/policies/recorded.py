"""The description of a run as its record holds it, and back: a replay is that description run again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import msgspec

from pddl2nl.conversion import convert
from pddl2nl.nl import wording_from_json
from pddl2nl.pddl import Problem, Task, parse_domain, parse_problem, write_domain, write_problem
from pddl2nl.policies.events import FORMAT, RecordError, Started
from pddl2nl.policies.policy import Policy
from pddl2nl.policies.setting import SolvedProblem
from pddl2nl.policies.spec import RUN_OPTIONS, RunSpec

_APART = ("task", "policy", "options", "model", "models", "wording", "files", "example", "example_plan", "prompts")
"""Fields that are recorded in a form of their own."""
_UNRECORDED = ("out", "record", "base_url", "timeout")
"""Where the record is, and how its models are reached."""
_PLAIN = tuple(item.name for item in fields(RunSpec) if item.name not in (*_APART, *_UNRECORDED))


def problem_text(problem: Problem) -> str:
    """The problem's PDDL: the text it was read from, else as the writer writes it."""
    return problem.source.text if problem.source is not None else write_problem(problem)


def spec_to_json(spec: RunSpec, policy: Policy, files: Mapping[str, str], prompts: Mapping[str, str]) -> dict[str, Any]:
    """A run's description as JSON.

    Args:
        spec: the description.
        policy: with the values of all its options.
        files: the text of each file that was read.
        prompts: the text of each prompt that replaces one of the policy's.
    """
    domain, problem = spec.task.domain, spec.task.problem
    return {
        "policy": spec.policy_name,
        "options": msgspec.to_builtins(policy),
        "model": _name(spec.model),
        "models": {role: _name(model) for role, model in spec.models.items()},
        "domain": domain.source.text if domain.source is not None else write_domain(domain),
        "problem": problem_text(problem),
        "domain_file": domain.source.name if domain.source is not None else "",
        "problem_file": problem.source.name if problem.source is not None else "",
        "wording": "llm" if spec.wording == "llm" else None,
        "example": "none" if spec.example == "none" else None,
        "files": dict(files),
        "prompts": dict(prompts),
        **{name: getattr(spec, name) for name in _PLAIN},
    }


class _SpecEntries(msgspec.Struct):
    """The entries that need more than their value."""

    policy: str
    domain: str
    problem: str
    options: dict[str, Any] = {}
    domain_file: str = ""
    problem_file: str = ""
    wording: str | None = None
    files: dict[str, str] = {}
    prompts: dict[str, str] = {}


def spec_of(started: Started) -> RunSpec:
    """The description of a recorded run, its models by their names.

    Files and prompts are the recorded texts, because a record must not say which file is read.

    Raises:
        RecordError: the record has the format of another version.
        InputError: an entry has another form, or the PDDL cannot be read.
    """
    if started.format != FORMAT:
        raise RecordError(
            f"its format is {started.format}, and this version reads {FORMAT}: use the version of pddl2nl that wrote it"
        )
    data = convert(started.spec, _SpecEntries, "spec")
    domain = parse_domain(data.domain, data.domain_file or "<domain>")
    problem = parse_problem(data.problem, domain, data.problem_file or "<problem>")
    wording: Any = "template"
    if data.wording == "llm":
        # A model made it on the run's account, and makes it again.
        wording = "llm"
    elif started.wording is not None:
        wording = wording_from_json(started.wording, domain, "the recorded wording")
    plain = {name: started.spec[name] for name in _PLAIN if name in started.spec}
    for name, value in plain.items():
        option = RUN_OPTIONS.get(name)
        if option is not None and value is not None:
            convert(value, option.kind, "spec", name)
    return RunSpec(
        task=Task(domain, problem),
        policy=data.policy,
        options=data.options,
        model=started.model,
        models={role: name for role, name in started.models.items() if role != "planner"},
        wording=wording,
        example="none" if started.example is None else SolvedProblem.from_json(started.example, domain),
        files={name: RecordedText(text) for name, text in data.files.items()},
        prompts={name: RecordedText(text) for name, text in data.prompts.items()},
        **plain,
    )


class RecordedText(str):
    """The text of a file that a record holds; any other text in the place of a file is its path."""


def _name(model: Any) -> str:
    return model if isinstance(model, str) else str(model.name)

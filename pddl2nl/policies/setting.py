"""What an episode is about: what a run is made of, and how the task is told and read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol

import msgspec

from pddl2nl.conversion import convert
from pddl2nl.errors import InputError
from pddl2nl.nl import READING_POLICIES, Reading, Readings, Teller, wording_from_json
from pddl2nl.pddl import Domain, Task, parse_domain, parse_problem, text_of
from pddl2nl.policies.events import FORMAT, RecordError, Started
from pddl2nl.policies.spec import RUN_OPTIONS, Acting, RunSpec
from pddl2nl.policies.translating import Translator
from pddlval import GroundAction, Simulator

if TYPE_CHECKING:
    from pddl2nl.worlds.executor import Executor
    from pddl2nl.worlds.similarity import Embed

ExampleSource = Literal["file", "shipped", "beside", "made"]


class ActionReader(Protocol):
    """Reads the replies of a model: `pddl2nl.nl.Reader`, or `pddl2nl.policies.pddl_reading.PDDLReader`."""

    def read(self, text: str, policy: str = "default") -> Readings: ...
    def read_turn(self, text: str) -> Reading: ...


@dataclass(frozen=True)
class ExampleStep:
    """One step of the example's plan: the thought, the action as it is told, and the observation."""

    action: str
    observation: str = ""
    thought: str = ""


@dataclass(frozen=True)
class Example:
    """The few-shot example: a solved problem of the same domain, told in the wording and style of the run, and in PDDL.

    All mechanisms show the same example; CoT shows what ReAct shows without the observations, as in the AutoPlanBench
    paper. It comes (``source``) from a file or folder that the user named, is the shipped domain's example instance,
    lay beside the task's own file, or was made from the task's own objects. ``thoughts_note`` says why the template's
    thoughts stand in for a model's.
    """

    goal_text: str
    objects_text: str
    init_text: str
    steps: tuple[ExampleStep, ...]
    source: ExampleSource = "file"
    problem_pddl: str = ""
    plan: tuple[str, ...] = ()
    thoughts: Literal["llm", "template", "none"] = "template"
    thoughts_note: str = ""

    def to_json(self) -> dict[str, Any]:
        """The example as a record holds it: enough to tell it again."""
        return {
            "source": self.source,
            "problem": self.problem_pddl,
            "plan": list(self.plan),
            "thoughts": self.thoughts,
            "thought_texts": [] if self.thoughts == "none" else [step.thought for step in self.steps],
            "thoughts_note": self.thoughts_note,
        }


@dataclass(frozen=True)
class SolvedProblem:
    """A problem with a valid plan, and where it came from."""

    task: Task
    plan: tuple[GroundAction, ...]
    source: ExampleSource

    @classmethod
    def from_json(cls, data: Mapping[str, Any], domain: Domain) -> SolvedProblem:
        """The problem of a record's example (`Example.to_json`); raises `InputError` if the data hold none."""
        try:
            problem, source = parse_problem(data["problem"], domain), data["source"]
            plan = tuple(GroundAction.parse(action) for action in data["plan"])
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(f"no example of a record: {error!r}") from None
        return cls(Task(domain, problem), plan, source)


@dataclass(frozen=True)
class Setting:
    """What is made from the description of a run, for its episode; options that every run has are read from ``spec``.

    Attributes:
        example: the few-shot example; None for zero-shot.
        translator: the T-LLM; None where the reader reads alone.
        executor: executes actions for every policy; None for the simulator. It may count what happens, so each episode
            needs its own.
        task_text: the task in words; empty for the told goal.
        files: what the files beside the domain hold that the policy reads (`Policy.files`), by name.
        prompts: texts that replace prompts of the policy, by the file's name.
        embed: gives vectors of texts, or None.
        policy: what acts; None where an episode is given it to play.
    """

    spec: RunSpec
    simulator: Simulator
    teller: Teller
    reader: ActionReader
    example: Example | None = None
    translator: Translator | None = None
    executor: Executor | None = None
    task_text: str = ""
    files: Mapping[str, Any] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)
    embed: Embed | None = None
    policy: Acting | None = None

    @property
    def feedback(self) -> str:
        """What the policy wants to be told of an action that is not applicable."""
        return getattr(self.policy, "feedback", "reason")

    @property
    def style(self) -> str:
        """``nl`` or ``pddl``."""
        return self.spec.style


@dataclass(frozen=True)
class RequestSettings:
    """The settings of every request of an episode."""

    temperature: float | None = 0.0
    seed: int | None = None
    max_tokens: int | None = None
    stream: bool = False


# ── in a record ───────────────────────────────────────────────────────────────────────────────────────

_APART = ("task", "policy", "options", "model", "models", "wording", "files", "example", "example_plan", "prompts")
"""Fields that are recorded in a form of their own."""
_UNRECORDED = ("out", "record", "base_url", "timeout")
"""Where the record is, and how its models are reached."""
NOT_MADE = "none (none could be made)"
"""The example in the record of a run for which none was given or found, and none could be made."""
NO_EXAMPLE = ("none", NOT_MADE)

_PLAIN = tuple(item.name for item in fields(RunSpec) if item.name not in (*_APART, *_UNRECORDED))


def started_of(setting: Setting, options: Mapping[str, Any], files: Mapping[str, str], **known: Any) -> Started:
    """The first event of a run: its description with all options of the policy, and how its task was told.

    Args:
        options: the values of all options of the policy.
        files: the texts of the files that it read, by name.
        known: the other fields, such as models, prompts and versions.
    """
    spec, teller = setting.spec, setting.teller
    domain, problem = spec.task.domain, spec.task.problem
    recorded = {
        "policy": spec.policy_name,
        "options": dict(options),
        "model": _name(spec.model),
        "models": {role: _name(model) for role, model in spec.models.items()},
        "domain": text_of(domain),
        "problem": text_of(problem),
        "domain_file": domain.source.name if domain.source is not None else "",
        "problem_file": problem.source.name if problem.source is not None else "",
        "wording": "llm" if spec.wording == "llm" else None,
        "example": spec.example if spec.example in NO_EXAMPLE else None,
        "files": dict(files),
        "prompts": dict(setting.prompts),
        **{name: getattr(spec, name) for name in _PLAIN},
    }
    return Started(
        spec=recorded,
        domain=domain.name,
        problem=problem.name,
        format=FORMAT,
        names=dict(teller.names.to_nl),
        wording=teller.wording.to_json() if spec.style == "nl" else None,
        example=None if setting.example is None else setting.example.to_json(),
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        reading_version=READING_POLICIES[spec.reading].version,
        **known,
    )


class _SpecEntries(msgspec.Struct):
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
    example: str | SolvedProblem | None = None
    if started.example is not None:
        example = SolvedProblem.from_json(started.example, domain)
    elif (entry := started.spec.get("example", "none")) is not None:
        # Never another entry, which could be a path. Where it is null, the policy showed no example by itself.
        example = entry if entry in NO_EXAMPLE else "none"
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
        example=example,
        files={name: RecordedText(text) for name, text in data.files.items()},
        prompts={name: RecordedText(text) for name, text in data.prompts.items()},
        **plain,
    )


class RecordedText(str):
    """The text of a file that a record holds; any other text given for a file is its path."""


def _name(model: Any) -> str:
    return model if isinstance(model, str) else str(model.name)

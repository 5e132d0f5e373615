"""What an episode is about: what a run is made of, and how the task is told and read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pddl2nl.errors import InputError
from pddl2nl.nl import Reader, Reading, Readings, Teller, Wording, make_names, template_wording
from pddl2nl.pddl import Domain, Task, parse_problem
from pddl2nl.policies.spec import Acting, RunSpec
from pddl2nl.policies.translating import Translator
from pddlval import GroundAction, Simulator, acting_simulator

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
    """The few-shot example: a solved problem of the same domain, told in the wording and style of the run.

    All mechanisms show the same example; CoT shows what ReAct shows without the observations, as in the AutoPlanBench
    paper.

    Attributes:
        goal_text, objects_text, init_text: the problem, told.
        steps: its plan, step by step.
        source: a file or folder that the user named, the shipped domain's example instance, the files beside the
            task's own, or made from the task's own objects.
        problem_pddl, plan: the same in PDDL.
        thoughts: where the thoughts came from.
        thoughts_note: why the template's thoughts stand in for a model's.
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
        """The problem of a record's example (`Example.to_json`), so that the same can be shown again.

        Raises:
            InputError: the data hold no problem of this domain with a plan.
        """
        try:
            problem, source = parse_problem(data["problem"], domain), data["source"]
            plan = tuple(GroundAction.parse(action) for action in data["plan"])
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(f"no example of a record: {error!r}") from None
        return cls(Task(domain, problem), plan, source)


@dataclass(frozen=True)
class Setting:
    """What is made from the description of a run, for its episode.

    Attributes:
        spec: the description; options that every run has are read from it.
        simulator, teller, reader: of the task.
        example: the few-shot example; None for zero-shot.
        translator: the T-LLM; None where the reader reads alone.
        executor: executes actions for every policy; None for the simulator. It may count what happens, so each episode
            needs its own.
        task_text: the task in words; empty for the told goal.
        files: what the files beside the domain hold that the policy reads (`Policy.files`), by name.
        prompts: texts that replace prompts of the policy, by the file's name.
        embed: gives vectors of texts; None where there are none.
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

    @classmethod
    def of(cls, task: Task, wording: Wording | None = None, **made: Any) -> Setting:
        """The setting of a run with a task's defaults, read and told in words.

        Args:
            task: the task.
            wording: by default the template.
            made: other attributes; ``options`` are those of `RunSpec`.
        """
        options = {"names": "typed", **made.pop("options", {})}
        wording = wording or template_wording(task.domain)
        names = make_names(task, options["names"], wording)
        teller, reader = Teller(task, wording, names), Reader(task, wording, names)
        return cls(RunSpec(task, **options), acting_simulator(task), teller, reader, **made)


@dataclass(frozen=True)
class RequestSettings:
    """The settings of every request of an episode."""

    temperature: float | None = 0.0
    seed: int | None = None
    max_tokens: int | None = None
    stream: bool = False

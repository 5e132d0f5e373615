"""What an episode is about: the task, how it is told and read, and the options of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pddl2nl.nl import Reading, Readings, Teller
from pddl2nl.policies.refining import Style
from pddl2nl.policies.translating import Translator
from pddlval import Simulator

if TYPE_CHECKING:
    from pddl2nl.macros.library import Library
    from pddl2nl.macros.subtasks.graph import TaskGraph
    from pddl2nl.macros.subtasks.nodes import Subtasks
    from pddl2nl.policies.brainbody.primitives import Robot
    from pddl2nl.worlds.executor import Executor
    from pddl2nl.worlds.ontology import Ontology
    from pddl2nl.worlds.scene_graph import SceneRoles
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
class Setting:
    """The simulated task, how it is told and read, and the options of the run (`pddl2nl.experiments.spec.RUN_OPTIONS`).

    Attributes:
        simulator, teller, reader: of the task.
        style: ``nl`` or ``pddl``.
        reading: the reading policy of whole plans.
        example: the few-shot example; None for zero-shot.
        translator: the T-LLM; None where the reader reads alone.
        on_ambiguous, unsolvable: for all policies that ask a model.
        history, feedback: for interactive policies.
        constrain: what replies may be (`pddl2nl.policies.constraining`).
        samples, rounds: how many plans a one-shot policy may propose (`pddl2nl.policies.prompting`).
        executor: executes actions for every policy; None for the simulator. It may count what happens, so each episode
            needs its own.

    For hierarchical policies:
        task_text: the task in words; empty for the told goal.
        ontology: the domain's; None for one made from the domain.
        embed: gives vectors of texts; None where there are none.
        library: keeps macro-actions for later tasks.
        replans: how many new plans may be made.
        prompts: ``full``, or ``compact`` for models with a small context window.
        hidden: predicates that are true in the world and not told of it.
        signal: how much is told about a step that failed (`pddl2nl.policies.refining.signal`).

    For BrainBody (`pddl2nl.policies.brainbody`):
        robot: what can be commanded; None for a robot made from the domain's actions.
        feedback_loops: how often the plan may be revised after an error.
        body: what turns steps into commands.
        preview: whether a step is tried in the simulator before the world.
        dead_ends: what happens where no plan reaches the goal any more.
        scene: what types and predicates are in a scene graph; None for a domain without one.
        goal_feedback: whether a model is told that its plan misses the goal, or that what it has found cannot reach it.

    For taskgraph (`pddl2nl.policies.taskgraph`):
        subtasks: those of the domain; None for a domain without any.
        graph: the task graph; None for the automaton's.
        check: ``proved`` if the model is not asked about a rest of its plan that is proved to reach the goal.

    For hybrids (`pddl2nl.policies.hybrids`):
        from_prefix: whether repair keeps the executable prefix of a proposal.
        calls: how often a search may ask a model.
        expansions: how many states a search may expand.
        candidates, beam: how many actions the tree asks for in a state, and how many states it keeps.
        ranking: by what it ranks them.
    """

    simulator: Simulator
    teller: Teller
    reader: ActionReader
    style: str = "nl"
    reading: str = "default"
    example: Example | None = None
    translator: Translator | None = None
    on_ambiguous: str = "refuse"
    history: str = "full"
    feedback: str = "reason"
    samples: int = 1
    rounds: int = 0
    unsolvable: str = "silent"
    constrain: str = "off"
    task_text: str = ""
    executor: Executor | None = None
    ontology: Ontology | None = None
    embed: Embed | None = None
    library: Library | None = None
    replans: int = 3
    prompts: Literal["full", "compact"] = "full"
    hidden: frozenset[str] = frozenset()
    signal: Style = "reason"
    robot: Robot | None = None
    feedback_loops: int = 3
    body: Literal["llm", "reader", "embedding", "none"] = "llm"
    preview: bool = False
    dead_ends: Literal["ignore", "tell", "end"] = "ignore"
    scene: SceneRoles | None = None
    goal_feedback: bool = False
    subtasks: Subtasks | None = None
    graph: TaskGraph | None = None
    check: Literal["off", "proved"] = "off"
    from_prefix: bool = False
    calls: int = 10
    expansions: int = 5_000
    candidates: int = 3
    beam: int = 3
    ranking: Literal["hff", "model", "both"] = "both"


@dataclass(frozen=True)
class RequestSettings:
    """The settings of every request of an episode."""

    temperature: float | None = 0.0
    seed: int | None = None
    max_tokens: int | None = None
    stream: bool = False

"""The policy `taskgraph`: GraphPlan, a task graph that plans must follow, and revisions after events.

After "GraphPlan: Graph-Enhanced Planning via Thinking LLMs for Embodied Agents" (under review); it has nothing to do
with Graphplan of Blum and Furst. The modules of this package:

* ``prompts``, ``replies``: what the model is asked, and how plans of subtasks are read
* ``checking``: what is wrong with a plan
* ``searching``, ``exact``: search along the graph, scored by a model, and without one
* ``doing``: the low level, which carries out subtasks
* ``oracle``, ``mistakes``: shipped plans in place of the model
* ``events``, ``metrics``, ``notes``, ``paper.toml``: what is recorded, measured, shown and compared

The paper checks pairs of subtasks; ours by default also what pairs cannot see (`pddl2nl.macros.subtasks.automaton`),
because no plan that can be carried out is refused. A subtask counts as completed only if the world has its effect. The
paper's plan may be revised without end; ours at most `MOST_REVISIONS` times, and never twice in one state for one event
with one plan. A subtask that fails and is not revised is skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pddl2nl.errors import InputError
from pddl2nl.llm import Purpose
from pddl2nl.macros.subtasks.building import AUTOMATON, graph_named
from pddl2nl.macros.subtasks.graph import TaskGraph
from pddl2nl.macros.subtasks.nodes import SubtaskExample, Subtasks
from pddl2nl.nl import Teller, make_names
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.refining import Attempt, Check, refine
from pddl2nl.systems.taskgraph.checking import CheckedSubtasks, PlanChecker
from pddl2nl.systems.taskgraph.doing import SubtaskDoer, reaches_goal
from pddl2nl.systems.taskgraph.events import GraphChecked, KeysChosen, PlanRevised, RevisionSpared, SubtaskDone
from pddl2nl.systems.taskgraph.exact import exact_plan
from pddl2nl.systems.taskgraph.prompts import (
    CORRECT,
    KEEP,
    KEYS,
    MECHANISMS,
    PLAN,
    REPLAN,
    GraphMechanism,
    SubtaskPrompter,
    subtask_text,
)
from pddl2nl.systems.taskgraph.replies import PlannedSubtask, SubtaskReply, read_keys, read_plan_reply, says
from pddl2nl.systems.taskgraph.searching import BEAM, search_plan
from pddl2nl.worlds.similarity import Embed, Vectors, similarities

MOST_CORRECTIONS = 3
"""As in the paper (section 3.1.4)."""
MOST_REVISIONS = 10


EXAMPLES = 3
"""How many examples are shown."""


def shown_examples(
    planner: str, examples: Sequence[SubtaskExample], text: str, embed: Embed | None = None
) -> list[SubtaskExample]:
    """The examples that a planner shows: for ``few`` some of the whole file, for ``rag`` the most similar, best last.

    Raises:
        InputError: there are none.
        InfrastructureError: the embedding model failed.
    """
    if planner not in ("few", "rag"):
        return []
    if not examples:
        raise InputError("the subtasks have no examples, which this policy shows; 'examples' in the file holds them")
    if planner == "few":
        return [examples[number * len(examples) // EXAMPLES] for number in range(min(EXAMPLES, len(examples)))]
    near = similarities(text, [each.task for each in examples], None if embed is None else Vectors(embed))
    ranked = sorted(range(len(examples)), key=lambda place: (-near[place], place))[:EXAMPLES]
    return [examples[place] for place in reversed(ranked)]


class TaskGraphPolicy:
    """GraphPlan, or one of its ablations.

    Args:
        name: the policy, of `MECHANISMS`, which differ in their components.
    """

    styles: tuple[str, ...] = ("nl",)
    one_shot = True
    thoughts = False
    prompt: str | None = None

    def __init__(self, name: str = "taskgraph"):
        self.mechanism = MECHANISMS[name]
        self.needs_model = self.mechanism.planner != "exact"
        self.summary = self.mechanism.summary

    def run(self, episode: Episode) -> None:
        """Plans, carries out subtasks, and revises the plan; the goal must hold at the end.

        Raises:
            InputError: the domain has no subtasks.
            MissingExtraError: z3 is not installed, and the file of the subtasks does not hold the graph; or Fast
                Downward is not, for the exact search.
            InfrastructureError: Fast Downward found no plan for the exact search within its limits.
        """
        task, subtasks = episode.setting.simulator.task, episode.setting.subtasks
        if subtasks is None:
            name = task.domain.name
            raise InputError(f"{name} has no subtasks.json, which taskgraph needs; name a file by --subtasks FILE")
        if not episode.done:
            graph = episode.setting.graph or graph_named(AUTOMATON, subtasks)
            own = replace(subtasks.of_task(task), nodes=graph.nodes)
            loop = _GraphLoop(episode, own, graph, self.mechanism)
            loop.run() if self.needs_model else loop.run_exact()


class _GraphLoop:
    """One run."""

    def __init__(self, episode: Episode, subtasks: Subtasks, graph: TaskGraph, mechanism: GraphMechanism):
        setting = episode.setting
        task, wording = setting.simulator.task, setting.teller.wording
        # Plans name objects as in PDDL.
        text = setting.task_text or Teller(task, wording, make_names(task, "original", wording)).goal_text()
        self._episode = episode
        self._subtasks = subtasks
        self._graph = graph
        self._mechanism = mechanism
        self._checker = PlanChecker(subtasks, graph)
        self._prompter = SubtaskPrompter(
            text,
            subtasks,
            graph,
            shown=mechanism.prompt,
            thoughts=mechanism.planner != "zero",
            examples=shown_examples(mechanism.planner, subtasks.examples, text, setting.embed),
        )
        self._doer = SubtaskDoer(episode, subtasks, memory=mechanism.memory)
        self._keys: tuple[str, ...] = ()
        self._done: list[PlannedSubtask] = []
        self._revisions = 0
        self._asked: set[object] = set()

    def run(self) -> None:
        """Plans, and goes through the plan."""
        rest = [*self._plan()]
        if not rest:
            self._episode.end_plan("unreadable", "no plan could be read in what the model said")
            return
        if self._subtasks.sight is not None and (self._mechanism.on_error or self._mechanism.on_completed):
            self._keys = self._chosen_keys()
        place = 0
        while rest and not self._episode.done:
            event = self._doer.do(place, rest[0])
            place += 1
            step, rest = rest[0], rest[1:]
            if not event.error:
                self._done.append(step)
            enabled = self._mechanism.on_error if event.error else self._mechanism.on_completed
            if enabled and self._revisions < MOST_REVISIONS:
                rest = self._revised(event, [step, *rest] if event.error else rest, rest)
        if not self._episode.done:
            self._episode.end_plan()

    def run_exact(self) -> None:
        """Carries out what the exact search finds, and searches again where the world differs from the model."""
        simulator = self._episode.setting.simulator
        for number in range(1 + MOST_REVISIONS):
            plan = exact_plan(simulator, self._subtasks, self._graph, self._episode.state)
            steps = [step.subtask for step in plan or ()]
            self._note(self._checker.read(SubtaskReply(tuple(steps), True, True), self._done), 0)
            if plan is None and not number:
                self._episode.give_up(
                    "no-plan", "the search found no subtasks along the task graph that reach the goal"
                )
                return
            self._revisions += 1
            events = (self._doer.carry_out(place, step.subtask, step.done) for place, step in enumerate(plan or ()))
            if not any(event.error for event in events):
                break
        self._episode.end_plan()

    # ── planning ─────────────────────────────────────────────────────────────────────────────────

    def _plan(self) -> tuple[PlannedSubtask, ...]:
        """The plan of the model after its corrections; where nothing is hidden it is told the state."""
        scene = self._doer.scene(()) if self._subtasks.sight is None else ()
        if self._mechanism.planner in ("greedy", "beam"):
            width = BEAM if self._mechanism.planner == "beam" else 1
            steps = search_plan(self._episode, self._prompter, self._checker, scene, width)
            self._note(self._checker.read(SubtaskReply(steps, True, True), ()), 0)
            return steps
        return self._corrected(self._ask(PLAN, scene=scene), (), scene).reply.steps

    def _ask(self, stage: str, purpose: Purpose = "planner", **sections: str | Sequence[str]) -> str:
        """The reply to a prompt; where a state or an event is told, plans may also name single objects."""
        level, task = self._episode.setting.constrain, self._episode.setting.simulator.task
        told = self._asked or self._subtasks.sight is None
        constraint = self._prompter.constraint(level, stage, task.objects if told else ())
        return self._episode.ask(self._prompter.messages(stage, **sections), purpose, again=True, constraint=constraint)

    def _corrected(
        self, first: str, done: Sequence[PlannedSubtask], scene: Sequence[str], purpose: Purpose = "planner"
    ) -> CheckedSubtasks:
        """The plan in a reply, corrected by the model of the same role."""

        def propose(failed: Attempt[CheckedSubtasks] | None) -> CheckedSubtasks:
            reply = first
            if failed is not None:
                plan = [subtask_text(step) for step in failed.proposal.reply.steps]
                reply = self._ask(CORRECT, purpose, plan=plan, scene=scene, feedback=failed.feedback)
            checked = self._checker.read(read_plan_reply(reply), done)
            self._note(checked, 0 if failed is None else failed.number + 1)
            return checked

        most = MOST_CORRECTIONS if self._mechanism.verify else 0
        same = None if self._episode.sampling else lambda checked: checked.reply.steps
        check = Check[CheckedSubtasks]("graph", lambda checked: "\n".join(checked.faults))
        return refine(propose, [check], lambda checked: most, same=same).proposal

    def _note(self, checked: CheckedSubtasks, number: int) -> None:
        plan = checked.reply.steps
        event = GraphChecked(
            number,
            self._revisions,
            tuple(map(subtask_text, plan)),
            checked.reply.faults,
            checked.targets,
            checked.transitions,
            self._reaches(plan),
        )
        self._episode.note(event)

    def _reaches(self, plan: Sequence[PlannedSubtask]) -> bool:
        simulator = self._episode.setting.simulator
        return bool(plan) and reaches_goal(simulator, self._subtasks, self._episode.state, plan, self._doer.handled)

    def _proved(self, rest: Sequence[PlannedSubtask]) -> bool:
        """Whether the rest of the plan reaches the goal in the simulator, from what is known."""
        simulator = self._episode.setting.simulator
        return reaches_goal(simulator, self._subtasks, self._doer.believed(), rest, self._doer.handled)

    def _chosen_keys(self) -> tuple[str, ...]:
        named = read_keys(self._ask(KEYS))
        known = tuple(name for name in named if name in self._subtasks.classes)
        self._episode.note(KeysChosen(known, tuple(name for name in named if name not in known)))
        return known

    # ── revising ─────────────────────────────────────────────────────────────────────────────────

    def _revised(
        self, event: SubtaskDone, rest: list[PlannedSubtask], otherwise: list[PlannedSubtask]
    ) -> list[PlannedSubtask]:
        """The rest of the plan after an event.

        Args:
            event: what happened.
            rest: the rest of the plan, with the failed subtask.
            otherwise: the rest if the model keeps the plan.
        """
        about = event.error or f"{event.subtask} is done"
        if self._episode.setting.check == "proved" and not event.error and self._proved(rest):
            self._episode.note(RevisionSpared(about, tuple(map(subtask_text, rest))))
            return rest
        key = self._episode.state, tuple(rest), about
        if key in self._asked:
            return otherwise
        self._asked.add(key)
        scene = self._doer.scene(self._keys)
        sections: dict[str, str | Sequence[str]] = {
            "plan": [subtask_text(step) for step in rest],
            "done": [subtask_text(step) for step in self._done],
            "event": about,
            "scene": scene,
        }
        reply = self._ask(REPLAN, "replanner", **sections)
        kept = says(reply, KEEP)
        before = self._reaches(otherwise)
        new = otherwise
        if not kept:
            self._revisions += 1
            shown = scene if self._subtasks.sight is None else ()
            revised = self._corrected(reply, self._done, shown, "replanner").reply
            # A reply without any plan changes nothing.
            new = [*revised.steps] if revised.json else otherwise
        changed = not kept and new != otherwise
        self._episode.note(
            PlanRevised(
                len(self._asked),
                "error" if event.error else "completed",
                about,
                scene,
                changed,
                tuple(map(subtask_text, new)),
                before,
                self._reaches(new) if changed else before,
            )
        )
        return new

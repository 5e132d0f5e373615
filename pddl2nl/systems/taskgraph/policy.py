"""The policy `taskgraph`: GraphPlan, a task graph that plans must follow, and revisions after events.

After "GraphPlan: Graph-Enhanced Planning via Thinking LLMs for Embodied Agents" (under review); it has nothing to do
with Graphplan of Blum and Furst.

The paper checks pairs of subtasks; ours by default also what pairs cannot see (`pddl2nl.systems.taskgraph.automaton`),
because no plan that can be carried out is refused. A subtask counts as completed only if the world has its effect. The
paper's plan may be revised without end; ours at most `MOST_REVISIONS` times, and never twice in one state for one event
with one plan. A revision is checked from the state that is observed. A subtask that failed is tried again if the model
keeps the plan; it is skipped if nothing can change any more, and if the plan is not revised after errors.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import log
from typing import Annotated, Literal

from msgspec import Meta

from pddl2nl.errors import InputError
from pddl2nl.llm import Answer, Purpose
from pddl2nl.nl import Teller, make_names
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.policy import Effort, WorldPolicy
from pddl2nl.policies.refining import Attempt, Check, refine
from pddl2nl.systems.taskgraph.answers import MISTAKES, SubtaskAnswers
from pddl2nl.systems.taskgraph.automaton import CheckedSubtasks, PlanChecker, teller_of
from pddl2nl.systems.taskgraph.doing import SubtaskDoer, reaches_goal
from pddl2nl.systems.taskgraph.events import GraphChecked, KeysChosen, PlanRevised, RevisionSpared, SubtaskDone
from pddl2nl.systems.taskgraph.graph import AUTOMATON, TaskGraph, graph_named
from pddl2nl.systems.taskgraph.prompting import (
    CORRECT,
    KEEP,
    KEYS,
    NEXT,
    PLAN,
    PROMPTS,
    REPLAN,
    SubtaskPrompter,
    file_of,
)
from pddl2nl.systems.taskgraph.replies import SubtaskReply, read_keys, read_plan_reply, says
from pddl2nl.systems.taskgraph.searching import exact_plan, search_plan
from pddl2nl.systems.taskgraph.subtasks import PlannedSubtask, SubtaskExample, Subtasks, subtask_text
from pddl2nl.worlds.similarity import Embed, Vectors, cosine

MOST_CORRECTIONS = 3
"""As in the paper (section 3.1.4)."""
MOST_REVISIONS = 10
MOST_STEPS, MOST_FAILURES = 1_000, 10
"""Where an episode ends, as in ALFRED: after so many steps, and so many subtasks that failed by an action."""
EXAMPLES = 3
"""How many examples are shown."""
FILE = "subtasks.json"

_REPLY, _KEEP, _ACTIONS = 250, 10, 3
"""Tokens of a plan and of an answer that keeps it; the actions of a subtask, roughly."""


class GraphPlan(WorldPolicy):
    summary = "a plan of subtasks along a task graph, checked, and revised after errors and subtasks"
    one_shot = True
    prompts = PROMPTS
    files = (FILE,)

    graph: Annotated[
        str,
        Meta(
            description="The task graph: one of subtasks.json, compatible or proved, several united by +, or "
            "automaton: the proved graph, and plans are checked by what pairs of subtasks cannot show."
        ),
    ] = AUTOMATON
    check: Annotated[
        Literal["off", "proved"],
        Meta(
            description="proved: the model is not asked about the rest of a plan that reaches the goal in the "
            "simulator, from what is known."
        ),
    ] = "off"
    planner: Annotated[
        Literal["cot", "zero", "few", "rag", "greedy", "beam", "exact"],
        Meta(
            description="Who plans: a model, after thinking (cot) or at once (zero), after three examples (few) or the "
            "three most similar ones (rag); a search that it scores (greedy, beam); or a search without it (exact)."
        ),
    ] = "cot"
    graph_shown: Annotated[bool, Meta(description="Whether the graph is in the prompts.")] = True
    verify: Annotated[bool, Meta(description="Whether plans are checked and corrected.")] = True
    on_error: Annotated[bool, Meta(description="Whether the plan is revised after errors.")] = True
    on_completed: Annotated[bool, Meta(description="Whether the plan is revised after completed subtasks.")] = True
    memory: Annotated[bool, Meta(description="Whether what was seen and handled is remembered.")] = True

    def __post_init__(self) -> None:
        if self.check == "proved" and not (self.on_completed and self.needs_model):
            raise InputError("option check=proved saves questions after subtasks, and this policy asks none")

    @property
    def needs_model(self) -> bool:
        return self.planner != "exact"

    @property
    def stages(self) -> tuple[str, ...]:
        if not self.needs_model:
            return ()
        first = NEXT if self.planner in ("greedy", "beam") else PLAN
        return (first, *((CORRECT,) if self.verify else ()), *((KEYS, REPLAN) if self.revises else ()))

    @property
    def revises(self) -> bool:
        return self.on_error or self.on_completed

    @property
    def uses(self) -> frozenset[str]:
        return frozenset(("constrain",) if PLAN in self.stages else ())

    @property
    def roles(self) -> tuple[str, ...]:
        """Another model may revise plans, and one with vectors find examples."""
        replanner = ("replanner",) if REPLAN in self.stages else ()
        return (*replanner, *(("embedding",) if self.planner == "rag" else ()))

    @property
    def mistakes(self) -> tuple[str, ...]:
        return MISTAKES if self.needs_model else ()

    @property
    def prompt_names(self) -> tuple[str, ...]:
        if not self.needs_model:
            return ()
        whole = ("plan.txt",) if {PLAN, CORRECT, REPLAN} & {*self.stages} else ()
        parts = (
            "graph.txt" if self.graph_shown else "names.txt",
            "no-thoughts.txt" if self.planner == "zero" else "thoughts.txt",
            *(("correct-revision.txt",) if self.verify and self.revises else ()),
            *(("example-thought.txt",) if self.planner in ("few", "rag") else ()),
            "class-targets.txt",
            "object-targets.txt",
        )
        return tuple(dict.fromkeys((*map(file_of, self.stages), *whole, *parts)))

    def effort(self, actions: int) -> Effort:
        """A plan without corrections, and for every subtask a question that keeps the plan or scores the next."""
        subtasks = actions // _ACTIONS
        if self.planner in ("greedy", "beam"):
            how = f"a question for each subtask of each plan that is kept, with {_REPLY} tokens of scores"
            return Effort(1, subtasks * self.width, 50, actions * _REPLY / _ACTIONS, how)
        events = subtasks if self.on_completed else 0
        how = (
            f"a plan of {_REPLY} tokens without corrections, and answers of {_KEEP} tokens that keep it after subtasks"
        )
        return Effort(1, events + 1, 100, _REPLY + (events + 1) * _KEEP, how)

    @property
    def width(self) -> int:
        """How many plans a search keeps; the paper gives no width."""
        return 3 if self.planner == "beam" else 1

    def run(self, episode: Episode) -> None:
        """Plans, carries out subtasks, and revises the plan; the goal must hold at the end.

        Raises:
            InputError: the domain has no subtasks, or they have no such graph.
            MissingExtraError: z3 is not installed, and the file of the subtasks does not hold the graph; or Fast
                Downward is not, for the exact search.
            InfrastructureError: Fast Downward found no plan for the exact search within its limits.
        """
        task, subtasks = episode.setting.simulator.task, episode.setting.files.get(FILE)
        if subtasks is None:
            raise InputError(
                f"{task.domain.name} has no {FILE}, which this policy needs; name one by --file {FILE}=PATH"
            )
        graph = graph_named(self.graph, subtasks)
        if not episode.done:
            loop = _GraphLoop(episode, replace(subtasks.of_task(task), nodes=graph.nodes), graph, self)
            loop.run() if self.needs_model else loop.run_exact()


def shown_examples(
    planner: str, examples: Sequence[SubtaskExample], text: str, embed: Embed | None = None
) -> list[SubtaskExample]:
    """The examples that a planner shows: for ``few`` some of the whole file, for ``rag`` the most similar, best last.

    Raises:
        InputError: none exists.
        InfrastructureError: the embedding model failed.
    """
    if planner not in ("few", "rag"):
        return []
    if not examples:
        raise InputError("the subtasks have no examples, which this policy shows; 'examples' in the file holds them")
    if planner == "few":
        return [examples[number * len(examples) // EXAMPLES] for number in range(min(EXAMPLES, len(examples)))]
    near = _similarities(text, [each.task for each in examples], embed)
    ranked = sorted(range(len(examples)), key=lambda place: (-near[place], place))[:EXAMPLES]
    return [examples[place] for place in reversed(ranked)]


_SAID_ANYWAY = (
    *("a", "an", "the", "there", "it", "them", "i", "and", "at", "by", "for", "in", "into", "of", "on", "to", "under"),
    *("be", "bring", "down", "leave", "place", "put", "set", "shall", "want", "with"),
)
"""The words of tasks that do not say what is wanted."""


def _similarities(text: str, others: Sequence[str], embed: Embed | None) -> list[float]:
    """The cosine of a text's vector with those of others: embeddings, else the words with their weights (TF-IDF)."""
    if embed is not None:
        first, *vectors = Vectors(embed).of([text, *others])
        return [cosine(first, each) for each in vectors]
    counted = [Counter(map(_stem, re.findall(r"[a-z]+", each.lower()))) for each in (text, *others)]
    for each in counted:
        for word in _SAID_ANYWAY:
            del each[word]
    rarity = {word: log(len(counted) / sum(word in each for each in counted)) for each in counted for word in each}
    words = sorted(rarity)
    own, *weighted = [[each[word] * rarity[word] for word in words] for each in counted]
    return [cosine(own, each) for each in weighted]


def _stem(word: str) -> str:
    return word.removesuffix("es") if word.endswith(("oes", "shes", "xes")) else word.removesuffix("s")


class _GraphLoop:
    """One run."""

    def __init__(self, episode: Episode, subtasks: Subtasks, graph: TaskGraph, policy: GraphPlan):
        setting = episode.setting
        task, wording = setting.simulator.task, setting.teller.wording
        # Plans name objects as in PDDL.
        teller = Teller(task, wording, make_names(task, "original", wording))
        text = setting.task_text or teller.goal_text()
        self._episode = episode
        self._subtasks = subtasks
        self._graph = graph
        self._policy = policy
        self._checker = PlanChecker(subtasks, graph, task, teller_of(wording, task.domain))
        self._prompter = SubtaskPrompter(
            policy.prompts.replacing(setting.prompts),
            text,
            subtasks,
            graph,
            task,
            shown=policy.graph_shown,
            thoughts=policy.planner != "zero",
            examples=shown_examples(policy.planner, subtasks.examples, text, setting.embed),
        )
        self._answers = SubtaskAnswers(setting.simulator, subtasks, graph, text)
        self._doer = SubtaskDoer(episode, subtasks, teller, memory=policy.memory)
        self._keys: tuple[str, ...] = ()
        self._done: list[PlannedSubtask] = []
        self._revisions = self._retries = 0
        self._asked: set[object] = set()

    def run(self) -> None:
        policy = self._policy
        rest = [*self._plan()]
        if not rest:
            self._episode.end_plan("unreadable", "no plan could be read in what the model said")
            return
        if self._subtasks.sight is not None and policy.revises:
            self._keys = self._chosen_keys()
        place = 0
        while rest and not self._over:
            event = self._doer.do(place, rest[0])
            place += 1
            step, rest = rest[0], rest[1:]
            if not event.error:
                self._done.append(step)
            enabled = policy.on_error if event.error else policy.on_completed
            if enabled and self._revisions < MOST_REVISIONS:
                rest = self._revised(event, [step, *rest] if event.error else rest, rest)
        if not self._episode.done:
            self._episode.end_plan()

    @property
    def _over(self) -> bool:
        return self._episode.done or self._doer.steps >= MOST_STEPS or self._doer.failures >= MOST_FAILURES

    def run_exact(self) -> None:
        """Carries out what the exact search finds, and searches again where the world differs from the model."""
        simulator = self._episode.setting.simulator
        for number in range(1 + MOST_REVISIONS):
            plan = exact_plan(simulator, self._subtasks, self._graph, self._episode.state)
            steps = [step.subtask for step in plan or ()]
            self._note(self._checked(SubtaskReply(tuple(steps), True, True)), 0)
            if plan is None and not number:
                self._episode.give_up(
                    "no-plan", "the search found no subtasks along the task graph that reach the goal"
                )
                return
            self._revisions += 1
            events = (self._doer.carry_out(place, step.subtask, step.done) for place, step in enumerate(plan or ()))
            if not any(event.error for event in events) or self._over:
                break
        self._episode.end_plan()

    # ── planning ─────────────────────────────────────────────────────────────────────────────────

    def _plan(self) -> tuple[PlannedSubtask, ...]:
        """The plan of the model after its corrections; where nothing is hidden it is told the state."""
        scene = self._doer.scene(()) if self._subtasks.sight is None else ()
        if self._policy.planner in ("greedy", "beam"):
            answer = self._answers.scores
            steps = search_plan(self._episode, self._prompter, self._checker, scene, self._policy.width, answer)
            self._note(self._checked(SubtaskReply(steps, True, True)), 0)
            return steps
        reply = self._ask(PLAN, self._answers.plan, scene=scene)
        return self._corrected(reply, self._answers.corrected, scene=scene).reply.steps

    def _checked(self, reply: SubtaskReply, previous: str = "") -> CheckedSubtasks:
        return self._checker.read(reply, self._episode.state, previous)

    def _ask(self, stage: str, answer: Answer, purpose: Purpose = "planner", **sections: str | Sequence[str]) -> str:
        """The reply to a prompt; where a state or an event is told, plans may also name single objects."""
        level, task = self._episode.setting.spec.constrain, self._episode.setting.simulator.task
        told = self._asked or self._subtasks.sight is None
        constraint = self._prompter.constraint(level, stage, task.objects if told else ())
        messages = self._prompter.messages(stage, **sections)
        return self._episode.ask(messages, purpose, again=True, constraint=constraint, answer=answer)

    def _corrected(
        self,
        first: str,
        answer: Answer,
        purpose: Purpose = "planner",
        previous: str = "",
        **sections: str | Sequence[str],
    ) -> CheckedSubtasks:
        """The plan in a reply, corrected by the model of the same role.

        `answer` is the oracle's, `previous` as in `PlanChecker.check`, and `sections` what a correction tells beside
        the plan and the feedback.
        """

        def propose(failed: Attempt[CheckedSubtasks] | None) -> CheckedSubtasks:
            reply = first
            if failed is not None:
                plan = [subtask_text(step) for step in failed.proposal.reply.steps]
                reply = self._ask(CORRECT, answer, purpose, **{**sections, "plan": plan, "feedback": failed.feedback})
            checked = self._checked(read_plan_reply(reply), previous)
            self._note(checked, 0 if failed is None else failed.number + 1)
            return checked

        most = MOST_CORRECTIONS if self._policy.verify else 0
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
        simulator = self._episode.setting.simulator
        return reaches_goal(simulator, self._subtasks, self._doer.believed(), rest, self._doer.handled)

    def _chosen_keys(self) -> tuple[str, ...]:
        named = read_keys(self._ask(KEYS, self._answers.keys))
        known = tuple(name for name in named if name in self._subtasks.classes)
        self._episode.note(KeysChosen(known, tuple(name for name in named if name not in known)))
        return known

    # ── revising ─────────────────────────────────────────────────────────────────────────────────

    def _revised(
        self, event: SubtaskDone, rest: list[PlannedSubtask], skipped: list[PlannedSubtask]
    ) -> list[PlannedSubtask]:
        """The rest of the plan after an event; `rest` has the failed subtask, `skipped` has not."""
        about = event.error or f"{event.subtask} is done"
        if self._policy.check == "proved" and not event.error and self._proved(rest):
            self._episode.note(RevisionSpared(about, tuple(map(subtask_text, rest))))
            return rest
        key = self._episode.state, tuple(rest), about
        if key in self._asked:
            return skipped
        self._asked.add(key)
        scene = self._doer.scene(self._keys)
        sections: dict[str, str | Sequence[str]] = {
            "done": [subtask_text(step) for step in self._done],
            "event": about,
            "scene": scene,
        }
        answer = self._answers.revision(rest, self._done, bool(event.error), self._doer, self._keys)
        reply = self._ask(REPLAN, answer, "replanner", plan=[subtask_text(step) for step in rest], **sections)
        kept = says(reply, KEEP)
        new = rest
        if not kept:
            self._revisions += 1
            previous = "" if event.error else self._done[-1][0]
            revised = self._corrected(reply, answer, "replanner", previous, **sections).reply
            # A reply without any plan changes nothing.
            new = [*revised.steps] if revised.json else rest
        changed = new != rest
        self._episode.note(
            PlanRevised(
                len(self._asked),
                "error" if event.error else "completed",
                about,
                scene,
                changed,
                tuple(map(subtask_text, new)),
                self._reaches(skipped),
                self._reaches(new),
            )
        )
        if event.error and not changed:
            self._retries += 1
            return new if self._retries <= MOST_REVISIONS else skipped
        return new

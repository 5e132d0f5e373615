"""Planning on paper, whatever the components: what is retrieved, and the whole plan at once (HVR paper, section 2)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from pddl2nl.llm import Message
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.hvr.blocks import LONGEST_PLAN, Block, Expander, Job
from pddl2nl.policies.hvr.events import MacroProved, PlanExpanded, Retrieved
from pddl2nl.policies.hvr.examples import shown_for
from pddl2nl.policies.hvr.plan import Mechanism, Part, grouped, macro_numbers, whole
from pddl2nl.policies.hvr.prompts import Executed, Prompter
from pddl2nl.policies.hvr.sight import Sight
from pddlval import State

__all__ = ["Planner", "WholePlanner"]

GOAL_MISSING = "All steps can be done, but after them the task is not done. What is missing:"


class Planner(ABC):
    """What all mechanisms share; see `WholePlanner` and `hvr_hierarchy.HierarchicalPlanner`.

    Args:
        episode: asks the model and takes the events.
        mechanism: the components that there are.

    Attributes:
        attempt: how many plans were begun so far.
        replans_left: how often a new plan may still be made.
        proofs: what was proved of macro-actions so far.
    """

    def __init__(self, episode: Episode, mechanism: Mechanism):
        setting = episode.setting
        self.episode = episode
        self.mechanism = mechanism
        self.simulator = setting.simulator
        self.teller = setting.teller
        self.sight = Sight(setting.teller, setting.ontology, setting.embed)
        self.prompter = Prompter(
            episode.task_text,
            setting.teller.domain_text(),
            setting.teller.action_lines(),
            shown_for(setting, mechanism),
        )
        self.expander = Expander(episode, verification=mechanism.verification)
        self.attempt = 0
        self.proofs: list[MacroProved] = []
        self.replans_left = setting.replans if mechanism.verification else 0

    def plan(self, start: State, done: Sequence[Part] = (), feedback: str = "") -> tuple[Part, ...]:
        """A plan from a state on, as good as it could be had.

        Args:
            start: the state.
            done: what was really executed before, in parts.
            feedback: why a plan before this one failed, if one did.
        """
        parts = self._parts(start, done, feedback)
        actions = whole(parts)
        state, verified = start, 0
        for action in actions:
            after = self.simulator.step(state, action).successor
            if after is None:
                break
            state, verified = after, verified + 1
        goal = verified == len(actions) and self.simulator.is_goal(state)
        self.episode.note(PlanExpanded(self.attempt, tuple(map(str, actions)), macro_numbers(parts), verified, goal))
        return parts

    @abstractmethod
    def _parts(self, start: State, done: Sequence[Part], feedback: str) -> tuple[Part, ...]:
        """The parts of a plan from a state on, given what was executed and why a new one is needed."""

    def ask(self, messages: Sequence[Message]) -> str:
        """The model's reply; another one where the same was asked before and replies are sampled."""
        return self.episode.ask(messages, again=True)

    # ── retrieval ────────────────────────────────────────────────────────────────────────────────

    def objects(
        self, stage: str, macros: Sequence[str] = (), current: int = 0, feedback: str = ""
    ) -> tuple[str, ...] | None:
        """The objects that are told in the next prompts; None for all that there are.

        A model that names none is told of all: without any object there is nothing to plan with. What failed before
        stands in the question, since other objects may matter by then: a dirty pan needs a sink.
        """
        if not self.mechanism.retrieval:
            self.episode.note(Retrieved(stage, whole=True))
            return None
        messages = self.prompter.retrieval(self.sight.available_lines(), macros, current, feedback)
        said, selection = self.sight.select(self.ask(messages))
        self.episode.note(Retrieved(stage, said, selection.chosen, selection.around, whole=not selection.chosen))
        return selection.objects or None

    def advance(self, block: Block, start: State, macro: int) -> None:
        """The knowledge graph goes on to where a block leads on paper, event by event."""
        state = start
        for number, action in enumerate(block.actions[: block.verified], start=1):
            after = self.simulator.step(state, action).successor
            assert after is not None
            self.sight.graph.update(after, action, number, "expected", macro=macro, attempt=self.attempt)
            state = after

    def groups(self, parts: Sequence[Part]) -> tuple[Executed, ...]:
        """Parts as prompts tell them."""
        return grouped([part for part in parts if part.words or part.actions], self.teller)


class WholePlanner(Planner):
    """The whole plan at once: what is done without hierarchy (VR, R, LLM)."""

    def _parts(self, start: State, done: Sequence[Part], feedback: str) -> tuple[Part, ...]:
        while True:
            block = self._attempt(start, done, feedback)
            if block.holds or self.replans_left <= 0:
                self.advance(block, start, 0)
                return (Part(self.attempt, 0, "", block.actions, start, holds=block.holds),)
            self.replans_left -= 1
            feedback = f"The plan before failed.\n{block.feedback}"

    def _attempt(self, start: State, done: Sequence[Part], feedback: str) -> Block:
        """One plan from a state on."""
        self.attempt += 1
        self.sight.graph.update(start)
        objects = self.sight.object_lines(self.objects("plan", feedback=feedback))
        executed = self.groups(done)
        job = Job(
            self.attempt,
            0,
            start,
            lambda: self.prompter.plan(objects, executed, feedback),
            lambda block: self.prompter.plan_correction(
                objects, tuple(map(self.teller.action, block.actions)), block.feedback, executed
            ),
            self.simulator.unmet_goals,
            GOAL_MISSING,
            LONGEST_PLAN,
        )
        return self.expander.expand(job)

"""Planning before execution: by macro-actions, or the whole plan at once (HVR paper, section 2).

By macro-actions (`HierarchicalPlanner`):

1. The relevant objects are retrieved, and the model divides the task into macro-actions.
2. The model writes the precondition and the effect of each. The macro plan is simulated with these conditions and must
   reach the goal; the model corrects the conditions, at most `ROUNDS` times.
3. For each macro-action the objects are retrieved again, and the model expands it into a block
   (`pddl2nl.policies.hvr.blocks`), which must be applicable and have the claimed effect.
4. For a verified block the claim is proved or refuted (`pddl2nl.macros.proof`). If it is refuted, or if its
   precondition does not hold in the state before the block, the model refines the conditions once.
5. If a block cannot be corrected, or the goal does not hold after all blocks, the model makes a new macro plan. It is
   told why the last one failed; verified blocks are kept. ``Setting.replans`` limits how often.

Without verification (HR) the model gets no feedback, and the validator's results are only recorded.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from pddl2nl.errors import InputError
from pddl2nl.llm import Message
from pddl2nl.macros.telling import told_condition, told_pddl
from pddl2nl.pddl import Condition, UnsupportedError, write_condition
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.hvr.blocks import (
    EFFECT_MISSING,
    GOAL_MISSING,
    LONGEST_PLAN,
    Block,
    Expander,
    Job,
    Part,
    grouped,
    macro_numbers,
    macro_words,
    whole,
)
from pddl2nl.policies.hvr.conditions import ReadConditions, unmet_effects, verify_macros
from pddl2nl.policies.hvr.events import (
    MacroPlanned,
    MacroProved,
    MacrosConditioned,
    MacrosVerified,
    PlanExpanded,
    Retrieved,
)
from pddl2nl.policies.hvr.examples import shown_for
from pddl2nl.policies.hvr.generation import ConditionsQuestion, ask_conditions, plan_feedback
from pddl2nl.policies.hvr.library import known_blocks, known_macros
from pddl2nl.policies.hvr.prompts import Executed, Mechanism, Prompter
from pddl2nl.policies.hvr.sight import Sight
from pddlval import State
from pddlval.formulas import names_in
from pddlval.semantics import unmet

__all__ = ["HierarchicalPlanner", "Planner", "WholePlanner"]

ROUNDS = 5
"""The largest number of corrections of a macro plan's conditions; our limit, as the paper gives none."""

_NO_MACROS = "No macro-action was found in the answer."


class Planner(ABC):
    """Base of both planners.

    Args:
        episode: asks the model and records the events.
        mechanism: the components of the policy.

    Attributes:
        attempt: the number of plans begun so far.
        replans_left: how many new plans may still be made.
        proofs: the last proof for each macro-action (attempt and number), and the static facts that it used.
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
        self.proofs: dict[tuple[int, int], tuple[MacroProved, tuple[Condition, ...]]] = {}
        self.replans_left = setting.replans if mechanism.verification else 0

    def plan(self, start: State, done: Sequence[Part] = (), feedback: str = "") -> tuple[Part, ...]:
        """A plan from a state.

        Args:
            start: the state.
            done: what was executed before.
            feedback: why the last plan failed; empty for the first.
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
        """The parts of a plan; arguments as of `plan`."""

    def ask(self, messages: Sequence[Message]) -> str:
        """The model's reply; a new sample if the same prompt was sent before and replies are sampled."""
        return self.episode.ask(messages, again=True)

    def objects(
        self, stage: str, macros: Sequence[str] = (), current: int = 0, feedback: str = ""
    ) -> tuple[str, ...] | None:
        """The objects that the next prompts tell; None for all.

        If the model names no object, all are told. The feedback is part of the question, because a failure can make
        other objects relevant.
        """
        if not self.mechanism.retrieval:
            self.episode.note(Retrieved(stage, whole=True))
            return None
        messages = self.prompter.retrieval(self.sight.available_lines(), macros, current, feedback)
        said, selection = self.sight.select(self.ask(messages))
        self.episode.note(Retrieved(stage, said, selection.chosen, selection.around, whole=not selection.chosen))
        return selection.objects or None

    def groups(self, parts: Sequence[Part]) -> tuple[Executed, ...]:
        """The parts in words, for prompts."""
        return grouped([part for part in parts if part.words or part.actions], self.teller)


class WholePlanner(Planner):
    """Requests the whole plan at once (VR, R, LLM)."""

    def _parts(self, start: State, done: Sequence[Part], feedback: str) -> tuple[Part, ...]:
        while True:
            block = self._attempt(start, done, feedback)
            if block.holds or self.replans_left <= 0:
                self.sight.graph.update(block.after)
                return (Part(self.attempt, 0, "", block.actions, start, holds=block.holds),)
            self.replans_left -= 1
            feedback = f"The plan before failed.\n{block.feedback}"

    def _attempt(self, start: State, done: Sequence[Part], feedback: str) -> Block:
        self.attempt += 1
        self.sight.graph.update(start)
        objects = self.sight.object_lines(self.objects("plan", feedback=feedback))
        executed = self.groups(done)

        def prompt(failed: Block | None) -> Sequence[Message]:
            if failed is None:
                return self.prompter.plan(objects, executed, feedback)
            told = tuple(map(self.teller.action, failed.actions))
            return self.prompter.plan(objects, executed, failed.feedback, correct=told)

        return self.expander.expand(
            Job(self.attempt, 0, start, prompt, self.simulator.unmet_goals, GOAL_MISSING, LONGEST_PLAN)
        )


class HierarchicalPlanner(Planner):
    """Plans by macro-actions (HVR, HV, HR)."""

    def _parts(self, start: State, done: Sequence[Part], feedback: str) -> tuple[Part, ...]:
        parts: list[Part] = []
        state = start
        while True:
            self.attempt += 1
            state, failure = self._attempt(state, done, parts, feedback)
            if not failure or self.replans_left <= 0:
                return tuple(parts)
            self.replans_left -= 1
            feedback = failure

    def _attempt(self, start: State, done: Sequence[Part], parts: list[Part], feedback: str) -> tuple[State, str]:
        """Appends the blocks of one macro plan to ``parts``; returns the last state, and why the plan failed if so."""
        self.sight.graph.update(start)
        objects = self.objects("macro-plan", feedback=feedback)
        setting = self.episode.setting
        known = known_macros(setting.library, self.teller, self.prompter.task_text, setting.embed)
        executed = self.groups((*done, *parts))
        # A new plan starts from the current state of the objects, which the classes do not tell.
        told = self.sight.object_lines(objects) if feedback else ()
        messages = self.prompter.macro_plan(self.sight.kind_lines(objects), executed, feedback, known, told)
        macros = macro_words(self.episode.uncut(self.ask(messages)))
        self.episode.note(MacroPlanned(self.attempt, macros))
        conditions = self._conditions(macros, objects, start)
        state = start
        for number, words in enumerate(macros, start=1):
            block = self._block(macros, number, conditions[number - 1], state, (*done, *parts))
            if not block.holds and self.replans_left > 0:
                self.sight.graph.update(state)
                return state, f'Macro-action {number} of the plan before, "{words}", failed.\n{block.feedback}'
            if block.holds and self.mechanism.verification:
                conditions = self._proved(macros, number, conditions, block, state)
            claimed = conditions[number - 1]
            self.sight.graph.update(block.after)
            parts.append(Part(self.attempt, number, words, block.actions, state, claimed, block.holds))
            state = block.after
        if not self.mechanism.verification:
            return state, ""
        missing = self.simulator.unmet_goals(state)
        return state, "\n".join([_NO_MACROS] if not macros else [GOAL_MISSING, *self._told(missing)]) if missing else ""

    # ── conditions ───────────────────────────────────────────────────────────────────────────────

    def _conditions(
        self, macros: tuple[str, ...], objects: tuple[str, ...] | None, start: State
    ) -> tuple[ReadConditions, ...]:
        """The conditions of a macro plan, verified and corrected."""
        if not macros:
            self.episode.note(MacrosVerified(self.attempt, 0, 0, 0, (), _NO_MACROS))
            return ()
        question = self._question(macros, objects)
        _, read = ask_conditions(self.ask, self.teller, question)
        feedback = self._verified(macros, read, start, 0)
        asked = {(read, feedback)}
        for number in range(1, ROUNDS + 1):
            if not feedback or not self.mechanism.verification:
                break
            again = replace(question, present=read, feedback=feedback)
            _, read = ask_conditions(self.ask, self.teller, again)
            feedback = self._verified(macros, read, start, number)
            if (read, feedback) in asked and not self.episode.sampling:
                break
            asked.add((read, feedback))
        return read

    def _question(self, macros: tuple[str, ...], objects: tuple[str, ...] | None) -> ConditionsQuestion:
        lines, locations = self.sight.object_lines(objects), self.sight.location_lines(objects)
        return ConditionsQuestion(self.prompter.task_text, macros, lines, locations)

    def _verified(self, macros: tuple[str, ...], read: tuple[ReadConditions, ...], start: State, number: int) -> str:
        """Records the conditions and their verification; returns the feedback."""
        self._note_conditions(read, number)
        check = verify_macros(self.simulator.task, start, [item.conditions for item in read])
        feedback = plan_feedback(self.teller, macros, read, check)
        failed = tuple(map(write_condition, check.unmet))
        self.episode.note(MacrosVerified(self.attempt, number, check.verified, check.total, failed, feedback))
        return feedback

    def _note_conditions(self, conditions: Sequence[ReadConditions], number: int, after: int = 0) -> None:
        said = tuple(item.to_json() for item in conditions)
        self.episode.note(MacrosConditioned(self.attempt, number, said, after))

    # ── blocks ───────────────────────────────────────────────────────────────────────────────────

    def _block(
        self, macros: tuple[str, ...], number: int, read: ReadConditions, start: State, before: Sequence[Part]
    ) -> Block:
        """The block of one macro-action, from a state."""
        objects = self.sight.object_lines(self.objects("block", macros, number))
        executed = self.groups(before)
        setting = self.episode.setting
        known = known_blocks(setting.library, self.teller, macros[number - 1], setting.embed)
        claimed = read.conditions
        conditions = ""
        # Without verification the conditions only serve to measure, and are not shown.
        if claimed is not None and self.mechanism.verification:
            names = self.teller.names
            before_text, effect = told_pddl(claimed.precondition, names), told_pddl(claimed.effect, names)
            conditions = f"precondition: {before_text}\neffect: {effect}"

        def missing(after: State) -> tuple[Condition, ...]:
            return () if claimed is None else unmet_effects(self.simulator.task, start, after, claimed.effect)

        def prompt(failed: Block | None) -> Sequence[Message]:
            told = None if failed is None else (tuple(map(self.teller.action, failed.actions)), failed.feedback)
            return self.prompter.block(objects, macros, number, executed, conditions, known=known, correct=told)

        return self.expander.expand(
            Job(self.attempt, number, start, prompt, missing, EFFECT_MISSING, claimed=claimed is not None)
        )

    def _told(self, conditions: Sequence[Condition]) -> list[str]:
        return [f"- {told_condition(condition, self.teller)}" for condition in conditions]

    # ── proofs ───────────────────────────────────────────────────────────────────────────────────

    def _proved(
        self,
        macros: tuple[str, ...],
        number: int,
        conditions: tuple[ReadConditions, ...],
        block: Block,
        start: State,
    ) -> tuple[ReadConditions, ...]:
        """The conditions after a verified block: unchanged if proved, otherwise refined once."""
        feedback = self._proof(number, conditions[number - 1], block, start)
        if not feedback:
            return conditions
        question = self._question(macros, self._named(conditions, block) if self.mechanism.retrieval else None)
        told = tuple(map(self.teller.action, block.actions))
        again = replace(question, present=conditions, feedback=feedback, macro=number, block=told)
        _, read = ask_conditions(self.ask, self.teller, again)
        # Unreadable conditions do not replace readable ones.
        refined = tuple(new if new.conditions is not None else old for old, new in zip(conditions, read, strict=True))
        self._note_conditions(read, 1, number)
        self._proof(number, refined[number - 1], block, start)
        return refined

    def _named(self, conditions: Sequence[ReadConditions], block: Block) -> tuple[str, ...]:
        """The objects in a block and in the conditions, and the objects that these are in or on."""
        claimed = [item.conditions for item in conditions if item.conditions is not None]
        said = [name for action in block.actions for name in action.args]
        said += [name for item in claimed for part in (item.precondition, item.effect) for name in names_in(part)]
        objects, available = self.simulator.task.objects, frozenset(self.sight.graph.objects())
        names = [name for name in dict.fromkeys(said) if name in objects]
        around = self.sight.graph.select([name for name in names if name in available]).around
        return tuple(dict.fromkeys((*names, *around)))

    def _proof(self, number: int, read: ReadConditions, block: Block, start: State) -> str:
        """Proves or refutes the claim about a block; returns the feedback, empty if there is no mistake."""
        if read.conditions is None:
            return " ".join(read.problems)
        from pddl2nl.macros.proof import prove
        from pddl2nl.macros.telling import told

        claimed = read.conditions
        pddl = f"{write_condition(claimed.precondition)} {write_condition(claimed.effect)}"
        try:
            # A precondition need not mention facts that no action can change.
            proof = prove(self.simulator.task, block.actions, claimed, near=start, states="changeable")
        except (UnsupportedError, InputError) as error:
            # Undecided: the block was verified in this state, so there is no feedback.
            self.episode.note(MacroProved(self.attempt, number, False, "undecided", pddl, str(error)))
            return ""
        refuted = "refuted" in (proof.runs, proof.holds)
        missing = unmet(claimed.precondition, start)
        lines = [told(proof, self.teller)] if refuted else []
        if missing:
            lines += ["The block ran where the precondition does not hold. What is not the case there:"]
            lines += self._told(missing)
        feedback = "\n".join(lines)
        proved = MacroProved(self.attempt, number, proof.sound, proof.precondition, pddl, feedback)
        self.proofs[self.attempt, number] = proved, proof.static
        self.episode.note(proved)
        return feedback

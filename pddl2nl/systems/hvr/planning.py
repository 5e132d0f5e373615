"""Planning before execution: by macro-actions, or the whole plan at once (HVR paper, section 2).

By macro-actions (`HierarchicalPlanner`):

1. The relevant objects are retrieved, and the model divides the task into macro-actions.
2. The model writes the precondition and the effect of each. The macro plan is simulated with these conditions and must
   reach the goal; the model corrects the conditions, at most `ROUNDS` times.
3. For each macro-action the objects are retrieved again, and the model expands it into a block, which must be
   applicable and have the claimed effect. A proved macro-action of the library that has it is taken without asking.
4. For a verified block the claim is proved or refuted (`pddl2nl.macros.proof`). If it is refuted, or if its
   precondition does not hold in the state before the block, the model refines the conditions once.
5. If a block cannot be corrected, or the goal does not hold after all blocks, the model makes a new macro plan. It is
   told why the last one failed; verified blocks are kept. The option ``replans`` limits how often.

Without verification (HR) the model gets no feedback, and the validator's results are only recorded.

The limits of blocks are those of the paper's appendix B.3: a block with n actions is corrected up to 2·n times, where n
changes with each correction (an empty block up to twice), and it has at most 50 actions. At temperature 0 a correction
whose prompt was already sent is not requested again, because the reply would be the same.

Without hierarchy there is one block, the whole plan, as macro-action 0; its claimed effect is the task's goal.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace

from pddl2nl.baselines.oracle import PlanOracle
from pddl2nl.errors import InputError
from pddl2nl.llm import Message
from pddl2nl.llm.constraint import Constraint
from pddl2nl.macros.library import Library
from pddl2nl.macros.proof import prove
from pddl2nl.macros.telling import told, told_condition, told_pddl
from pddl2nl.pddl import Condition, UnsupportedError, write_condition
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.prompting import action_lines
from pddl2nl.policies.prompts import Sections, shortened
from pddl2nl.policies.refining import Attempt, Check, refine
from pddl2nl.systems.hvr.answers import MacroAnswers
from pddl2nl.systems.hvr.blocks import (
    EFFECT_MISSING,
    GOAL_MISSING,
    NOTHING,
    ActionBlock,
    Part,
    macro_words,
    verified,
    whole,
)
from pddl2nl.systems.hvr.conditions import ReadConditions, ask_conditions, plan_feedback, unmet_effects, verify_macros
from pddl2nl.systems.hvr.events import (
    BlockExpanded,
    MacroPlanned,
    MacroProved,
    MacrosConditioned,
    MacrosVerified,
    PlanExpanded,
    Retrieved,
)
from pddl2nl.systems.hvr.examples import shown_for
from pddl2nl.systems.hvr.knowledge_graph import KnowledgeGraph, said_objects
from pddl2nl.systems.hvr.library import keep_macros, known_blocks, known_expansion, known_macros
from pddl2nl.systems.hvr.mapping import ActionMapper
from pddl2nl.systems.hvr.options import ONTOLOGY_FILE, HVROptions
from pddl2nl.systems.hvr.prompting import ACTIONS_MARK, Prompter
from pddl2nl.systems.hvr.repair import MovementRepair
from pddlval import State
from pddlval.formulas import names_in
from pddlval.semantics import unmet

ROUNDS = 5
"""The largest number of corrections of a macro plan's conditions; our limit, as the paper gives none."""

LONGEST_BLOCK = 50
"""The most actions of a block (appendix B.3 of the paper)."""

LONGEST_PLAN = 500
"""The most actions of a plan without hierarchy; our limit, as the paper gives none."""

_MOST_LINES, _LONGEST_LINE = 10, 200
"""The most unreadable lines told in a correction, and the most characters of each."""

_NO_MACROS = "No macro-action was found in the answer."

_Conditions = tuple[ReadConditions, ...]


class Planner(ABC):
    """Base of both planners.

    Attributes:
        attempt: the number of plans begun so far.
        replans_left: how many new plans may still be made.
        proofs: the last proof for each macro-action (attempt and number), and the static facts that it used.
    """

    def __init__(self, episode: Episode, policy: HVROptions):
        setting = episode.setting
        self.episode = episode
        self.policy = policy
        self.simulator = setting.simulator
        self.teller = setting.teller
        compact = policy.prompt_size == "compact"
        ontology = setting.files.get(ONTOLOGY_FILE)
        self.graph = KnowledgeGraph(setting.teller, ontology, setting.embed, compact=compact)
        self._mapper = ActionMapper(setting.simulator, setting.teller, setting.reader, setting.embed)
        self._repair = MovementRepair(setting.simulator)
        self._constraint: Constraint | None = None
        if setting.spec.constrain != "off":
            lines = None if setting.spec.constrain == "format" else action_lines(episode, episode.state)
            self._constraint = Constraint(lines, begin=f"{ACTIONS_MARK}\n", words=True)
        self.attempt = 0
        self.proofs: dict[tuple[int, int], tuple[MacroProved, tuple[Condition, ...]]] = {}
        self.replans_left = policy.replans if policy.verification else 0
        self._library = None if policy.library is None else Library(policy.library)
        prompts = policy.prompts.replacing(setting.prompts)
        self._prompter = Prompter(
            prompts,
            episode.task_text,
            setting.teller.domain_text(effects=not compact),
            setting.teller.action_lines(),
            shown_for(policy, setting.teller, ontology, prompts),
            compact,
        )
        self._answers: MacroAnswers | None = None

    def plan(self, start: State, done: Sequence[Part] = (), feedback: str = "") -> tuple[Part, ...]:
        """A plan from a state, after what was executed; with the reason why the last plan failed, if one did."""
        parts = self._parts(start, done, feedback)
        actions = whole(parts)
        followed = self.simulator.follow(start, actions)
        verified, goal = len(followed.actions), followed.complete and self.simulator.is_goal(followed.state)
        # Actions of an earlier macro plan have macro 0.
        macros = [part.macro if part.attempt == parts[-1].attempt else 0 for part in parts for _ in part.actions]
        self.episode.note(PlanExpanded(self.attempt, tuple(map(str, actions)), tuple(macros), verified, goal))
        return parts

    def keep(self, done: Sequence[Part]) -> None:
        """Adds the macro-actions of the solved task to the library, if there is one."""
        if self._library is not None:
            origin = f"{self.episode.setting.spec.policy_name}, {self.simulator.task.problem.name}"
            executed, graph = self.episode.executed, self.graph
            keep_macros(self._library, self.teller, executed, done, self.proofs, origin, graph)

    @abstractmethod
    def _parts(self, start: State, done: Sequence[Part], feedback: str) -> tuple[Part, ...]:
        """The parts of a plan; arguments as of `plan`."""

    def _ask(
        self, messages: Sequence[Message], answer: Callable[[MacroAnswers], str], constraint: Constraint | None = None
    ) -> str:
        """The model's reply; a new sample if the same prompt was sent before and replies are sampled."""

        def from_the_task(oracle: PlanOracle) -> str:
            if self._answers is None:
                self._answers = MacroAnswers(oracle, self.simulator, self.teller)
            return answer(self._answers)

        return self.episode.ask(messages, again=True, constraint=constraint, answer=from_the_task)

    def _retrieve(self, stage: str, sections: Sections) -> tuple[str, ...] | None:
        """The objects that the next prompts tell; None for all.

        If the model names no object, all are told. ``sections`` are those that the question has besides the available
        objects: the macro-action, or feedback, because a failure can make other objects relevant.
        """
        if not self.policy.retrieval:
            self.episode.note(Retrieved(stage, whole=True))
            return None
        available = self.graph.available_lines()
        messages = self._prompter.messages("retrieval", {"Available objects": available, **sections})
        reply = self._ask(messages, lambda answers: answers.retrieval(self.graph.objects()))
        said = said_objects(reply)
        selection = self.graph.select(said)
        self.episode.note(Retrieved(stage, said, selection.chosen, selection.around, whole=not selection.chosen))
        return selection.objects or None

    def _executed(self, parts: Sequence[Part]) -> str:
        groups = [(part.words, self._told_actions(part)) for part in parts if part.words or part.actions]
        return self._prompter.executed(groups)

    def _told_actions(self, block: Part | ActionBlock) -> list[str]:
        return [self.teller.action(action) for action in block.actions]

    # ── blocks ───────────────────────────────────────────────────────────────────────────────────

    def _expand(
        self,
        macro: int,
        start: State,
        sections: Sections,
        unmet: Callable[[State], tuple[Condition, ...]],
        answer: Callable[[MacroAnswers, ActionBlock | None], str],
        *,
        claimed: bool = True,
    ) -> ActionBlock:
        """A block after all corrections.

        Macro 0 is the whole plan. `unmet` are the conditions of the claimed effect that fail in a final state; without
        a claim the block only has to be applicable and not empty. `answer` is the oracle's, given the block that
        failed.
        """
        stage = "block" if macro else "plan"

        def propose(attempt: Attempt[ActionBlock] | None) -> ActionBlock:
            failed = None if attempt is None else attempt.proposal
            messages = self._prompter.messages(stage, sections)
            if failed is not None:
                told = self._told_actions(failed) or "(no actions)"
                corrected = {"Known macro-actions": (), stage.capitalize(): told, "Feedback": failed.feedback}
                messages = self._prompter.messages(f"{stage}-correction", {**sections, **corrected})
            reply = self._ask(messages, lambda answers: answer(answers, failed), self._constraint)
            number = 0 if attempt is None else attempt.number + 1
            return self._read_block(reply, macro, number, start, unmet, claimed=claimed)

        return refine(
            propose,
            [Check("validator", lambda block: block.feedback)],
            lambda block: 2 * max(len(block.actions), 1) if self.policy.verification else 0,
            same=None if self.episode.sampling else lambda block: block.actions,
        ).proposal

    def _read_block(
        self,
        reply: str,
        macro: int,
        number: int,
        start: State,
        unmet: Callable[[State], tuple[Condition, ...]],
        *,
        claimed: bool,
    ) -> ActionBlock:
        """The block in a reply, repaired, simulated and recorded; ``number`` counts corrections."""
        longest = LONGEST_BLOCK if macro else LONGEST_PLAN
        mapped = self._mapper.map(self.episode.uncut(reply), start, longest)
        for place, reading in enumerate(mapped.readings, start=1):
            self.episode.note_reading(place, reading)
        actions, inserted = mapped.actions[:longest], tuple[int, ...]()
        if self.policy.verification:
            actions, inserted = self._repair.repair(actions, start)
            actions, inserted = actions[:longest], tuple(place for place in inserted if place < longest)
        missing = EFFECT_MISSING if macro else GOAL_MISSING
        block = verified(self.simulator, self.teller, start, actions, unmet, missing)
        feedback = block.feedback if actions or claimed else NOTHING
        block = replace(block, feedback=feedback and feedback + _told_unread(mapped.unread))
        told, failing = tuple(map(str, actions)), tuple(map(write_condition, block.unmet))
        result = block.verified, block.holds, failing, block.feedback, mapped.unread
        self.episode.note(BlockExpanded(self.attempt, macro, number, told, inserted, *result))
        return block


class WholePlanner(Planner):
    """Requests the whole plan at once (VR, R, LLM)."""

    def _parts(self, start: State, done: Sequence[Part], feedback: str) -> tuple[Part, ...]:
        while True:
            block = self._attempt(start, done, feedback)
            if block.holds or self.replans_left <= 0:
                self.graph.update(block.after)
                return (Part(self.attempt, 0, "", block.actions, start),)
            self.replans_left -= 1
            feedback = f"The plan before failed.\n{block.feedback}"

    def _attempt(self, start: State, done: Sequence[Part], feedback: str) -> ActionBlock:
        self.attempt += 1
        self.graph.update(start)
        objects = self.graph.object_lines(self._retrieve("plan", {"Feedback": feedback}))
        sections: Sections = {"Objects": objects, "Executed so far": self._executed(done), "Feedback": feedback}

        def answer(answers: MacroAnswers, failed: ActionBlock | None) -> str:
            return answers.plan(start, first=not whole(done), failed=failed)

        return self._expand(0, start, sections, self.simulator.unmet_goals, answer)


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
        self.graph.update(start)
        objects = self._retrieve("macro-plan", {"Feedback": feedback})
        macros = self._macros(objects, (*done, *parts), feedback)
        conditions = self._conditions(macros, objects, start)
        state = start
        for number, words in enumerate(macros, start=1):
            block = self._block(macros, number, conditions[number - 1], state, (*done, *parts))
            if not block.holds and self.replans_left > 0:
                self.graph.update(state)
                return state, f'Macro-action {number} of the plan before, "{words}", failed.\n{block.feedback}'
            if block.holds and self.policy.verification:
                conditions = self._proved(macros, number, conditions, block, state)
            parts.append(Part(self.attempt, number, words, block.actions, state))
            state = block.after
            self.graph.update(state)
        missing = self.simulator.unmet_goals(state) if self.policy.verification else ()
        if not missing:
            return state, ""
        return state, "\n".join([GOAL_MISSING, *self._told(missing)]) if macros else _NO_MACROS

    def _macros(self, objects: tuple[str, ...] | None, before: Sequence[Part], feedback: str) -> tuple[str, ...]:
        embed = self.episode.setting.embed
        sections: Sections = {
            "Available objects": self.graph.kind_lines(objects),
            "Known macro-actions": known_macros(self._library, self.teller, self.episode.task_text, embed),
            # A new plan starts from the current state of the objects, which the classes do not tell.
            "Objects": self.graph.object_lines(objects) if feedback else (),
            "Executed so far": self._executed(before),
            "Feedback": feedback,
        }
        done = tuple(part.words for part in before if part.words)
        messages = self._prompter.messages("macro-plan", sections)
        macros = macro_words(self.episode.uncut(self._ask(messages, lambda said: said.macro_plan(done, feedback))))
        self.episode.note(MacroPlanned(self.attempt, macros))
        return macros

    # ── conditions ───────────────────────────────────────────────────────────────────────────────

    def _conditions(self, macros: tuple[str, ...], objects: tuple[str, ...] | None, start: State) -> _Conditions:
        if not macros:
            self.episode.note(MacrosVerified(self.attempt, 0, 0, 0, (), _NO_MACROS))
            return ()
        known = self._known(objects)
        number = 0

        def propose(failed: Attempt[_Conditions] | None) -> _Conditions:
            nonlocal number
            number = 0 if failed is None else failed.number + 1
            present, feedback = ((), "") if failed is None else (failed.proposal, failed.feedback)

            def ask(messages: Sequence[Message]) -> str:
                return self._ask(messages, lambda answers: answers.conditions(start, macros, feedback))

            return ask_conditions(ask, self.teller, self._prompter, macros, known, present=present, feedback=feedback)[
                1
            ]

        def simulated(read: _Conditions) -> str:
            self._note_conditions(read, number)
            check = verify_macros(self.simulator.task, start, [item.conditions for item in read])
            feedback = plan_feedback(self.teller, macros, read, check)
            failed = tuple(map(write_condition, check.unmet))
            self.episode.note(MacrosVerified(self.attempt, number, check.verified, check.total, failed, feedback))
            return feedback

        return refine(
            propose,
            [Check("macro plan", simulated)],
            lambda read: ROUNDS if self.policy.verification else 0,
            same=None if self.episode.sampling else lambda read: read,
        ).proposal

    def _known(self, objects: tuple[str, ...] | None) -> tuple[Sequence[str], str]:
        return self.graph.object_lines(objects), self.graph.location_lines(objects)

    def _note_conditions(self, conditions: _Conditions, number: int, after: int = 0) -> None:
        said = tuple(item.to_json() for item in conditions)
        self.episode.note(MacrosConditioned(self.attempt, number, said, after))

    # ── blocks ───────────────────────────────────────────────────────────────────────────────────

    def _block(
        self, macros: tuple[str, ...], number: int, read: ReadConditions, start: State, before: Sequence[Part]
    ) -> ActionBlock:
        embed, claimed = self.episode.setting.embed, read.conditions

        def missing(after: State) -> tuple[Condition, ...]:
            return () if claimed is None else unmet_effects(self.simulator.task, start, after, claimed.effect)

        if claimed is not None and (known := self._from_library(macros[number - 1], number, start, missing)):
            return known
        current: Sections = {"Macro plan": macros, "Macro-action": f"{number}. {macros[number - 1]}"}
        objects = self.graph.object_lines(self._retrieve("block", current))
        conditions = ""
        # Without verification the conditions only serve to measure, and are not shown.
        if claimed is not None and self.policy.verification:
            names = self.teller.names
            before_text, effect = told_pddl(claimed.precondition, names), told_pddl(claimed.effect, names)
            conditions = f"precondition: {before_text}\neffect: {effect}"
        sections: Sections = {
            **current,
            "Known macro-actions": known_blocks(self._library, self.teller, macros[number - 1], embed),
            "Objects": objects,
            "Executed so far": self._executed(before),
            "Its conditions": conditions,
        }

        def answer(answers: MacroAnswers, failed: ActionBlock | None) -> str:
            return answers.block(macros[number - 1], start, first=not before, failed=failed)

        return self._expand(number, start, sections, missing, answer, claimed=claimed is not None)

    def _from_library(
        self, words: str, number: int, start: State, missing: Callable[[State], tuple[Condition, ...]]
    ) -> ActionBlock | None:
        """The block of a known macro-action that has the claimed effect; None if the model has to be asked."""
        if self._library is None or not (self.policy.reuse and self.policy.verification):
            return None
        embed = self.episode.setting.embed
        known = known_expansion(self._library, self.simulator, words, start, lambda after: not missing(after), embed)
        if known is None:
            return None
        name, actions = known
        block = verified(self.simulator, self.teller, start, actions, missing, EFFECT_MISSING)
        # The block, and the objects for its prompt.
        saved = 2 if self.policy.retrieval else 1
        told = tuple(map(str, actions))
        self.episode.note(
            BlockExpanded(self.attempt, number, 0, told, verified=block.verified, holds=True, known=name, saved=saved)
        )
        return block

    def _told(self, conditions: Sequence[Condition]) -> list[str]:
        return [f"- {told_condition(condition, self.teller)}" for condition in conditions]

    # ── proofs ───────────────────────────────────────────────────────────────────────────────────

    def _proved(
        self, macros: tuple[str, ...], number: int, conditions: _Conditions, block: ActionBlock, start: State
    ) -> _Conditions:
        """The conditions after a verified block: unchanged if proved, otherwise refined once."""
        feedback = self._proof(number, conditions[number - 1], block, start)
        if not feedback:
            return conditions
        narrow = self.policy.retrieval or self._prompter.compact

        def ask(messages: Sequence[Message]) -> str:
            return self._ask(messages, lambda answers: answers.refinement(conditions, number, block.actions, start))

        _, read = ask_conditions(
            ask,
            self.teller,
            self._prompter,
            macros,
            self._known(self._named(conditions, block) if narrow else None),
            present=conditions,
            feedback=feedback,
            macro=number,
            block=self._told_actions(block),
        )
        # Unreadable conditions do not replace readable ones.
        refined = tuple(new if new.conditions is not None else old for old, new in zip(conditions, read, strict=True))
        self._note_conditions(read, 1, after=number)
        self._proof(number, refined[number - 1], block, start)
        return refined

    def _named(self, conditions: _Conditions, block: ActionBlock) -> tuple[str, ...]:
        """The objects in a block and in the conditions, and the objects that these are in or on."""
        claimed = [item.conditions for item in conditions if item.conditions is not None]
        said = [name for action in block.actions for name in action.args]
        said += [name for item in claimed for part in (item.precondition, item.effect) for name in names_in(part)]
        objects, available = self.simulator.task.objects, frozenset(self.graph.objects())
        names = [name for name in dict.fromkeys(said) if name in objects]
        around = self.graph.select([name for name in names if name in available]).around
        return tuple(dict.fromkeys((*names, *around)))

    def _proof(self, number: int, read: ReadConditions, block: ActionBlock, start: State) -> str:
        """Proves or refutes the claim about a block; returns the feedback, empty if there is no mistake."""
        if read.conditions is None:
            return " ".join(read.problems)
        claimed = read.conditions
        pddl = f"{write_condition(claimed.precondition)} {write_condition(claimed.effect)}"
        try:
            # A precondition need not mention facts that no action can change.
            proof = prove(self.simulator.task, block.actions, claimed, near=start, states="changeable")
        except (UnsupportedError, InputError) as error:
            # Undecided: the block was verified in this state, so there is no feedback.
            self.episode.note(MacroProved(self.attempt, number, False, "undecided", pddl, str(error)))
            return ""
        lines = [told(proof, self.teller)] if "refuted" in (proof.runs, proof.holds) else []
        if missing := unmet(claimed.precondition, start):
            lines += ["The block ran where the precondition does not hold. What is not the case there:"]
            lines += self._told(missing)
        feedback = "\n".join(lines)
        proved = MacroProved(self.attempt, number, proof.sound, proof.precondition, pddl, feedback)
        self.proofs[self.attempt, number] = proved, proof.static
        self.episode.note(proved)
        return feedback


def _told_unread(lines: Sequence[str]) -> str:
    if not lines:
        return ""
    told = "; ".join(f'"{shortened(line, _LONGEST_LINE)}"' for line in lines[:_MOST_LINES])
    left = len(lines) - _MOST_LINES
    return f"\nThese lines are no action that there is: {told}{f'; and {left} more' if left > 0 else ''}."

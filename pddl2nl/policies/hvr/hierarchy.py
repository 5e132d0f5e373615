"""Planning by macro-actions: macro plan, conditions, blocks, each verified and corrected (HVR paper, section 2).

1. The objects that matter are retrieved, and the model divides the task into macro-actions.
2. The model writes the precondition and the effect of each. The macro plan is verified: each macro-action is carried
   out as the one action that its conditions make it, and at the end the task's goal must hold. What fails goes back to
   the model, which corrects the conditions, at most `ROUNDS` times.
3. For each macro-action the objects are retrieved anew, the model expands it into a block, and the block is repaired,
   verified and corrected (`hvr_blocks`): all its actions must be applicable, and what the effect claims must hold then.
4. Once a block ran, it is proved or refuted that wherever the precondition holds the block runs and the effect holds
   (`pddl2nl.macros.proof`). Where it is refuted, or the precondition does not even hold where the block just ran, the
   model refines the conditions once, with the counterexample before it.
5. A macro-action whose block cannot be mended makes a new macro plan necessary: the model is told which one failed and
   why, what is done by then stays, and planning begins again at 1. from there, as often as replanning is allowed.
   The same where at the end of all blocks the task is not done.

Without verification (HR) there is no feedback and no correction; what the validator would say is written down.
"""

from __future__ import annotations

from collections.abc import Sequence

from pddl2nl.errors import InputError
from pddl2nl.macros.conditions import ReadConditions
from pddl2nl.macros.generation import (
    ConditionsQuestion,
    ConditionsReply,
    correct_conditions,
    generate_conditions,
    plan_feedback,
    refine_conditions,
    told_condition,
    told_pddl,
)
from pddl2nl.macros.macro_plan import unmet_effects, unmet_in, verify_macros
from pddl2nl.pddl import Condition, UnsupportedError, write_condition
from pddl2nl.policies.hvr.blocks import EFFECT_MISSING, Block, Job
from pddl2nl.policies.hvr.events import MacroPlanned, MacroProved, MacrosConditioned, MacrosVerified
from pddl2nl.policies.hvr.library import known_blocks, known_macros
from pddl2nl.policies.hvr.plan import Part, macro_words
from pddl2nl.policies.hvr.planner import GOAL_MISSING, Planner
from pddlval import State
from pddlval.names import names_in

__all__ = ["ROUNDS", "HierarchicalPlanner"]

ROUNDS = 5
"""So often the conditions of a macro plan are corrected at most; a number of ours, as the paper gives none."""

_NO_MACROS = "No macro-action was found in the answer."


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
        """One macro plan with its blocks, behind the parts there are; where it ends, and why it failed if it did."""
        self.sight.graph.update(start)
        objects = self.objects("macro-plan", feedback=feedback)
        setting = self.episode.setting
        known = known_macros(setting.library, self.teller, self.prompter.task_text, setting.embed)
        executed = self.groups((*done, *parts))
        # Another plan starts from how things are by then, which classes do not tell.
        told = self.sight.object_lines(objects) if feedback else ()
        messages = self.prompter.macro_plan(self.sight.kind_lines(objects), executed, feedback, known, told)
        macros = macro_words(self.episode.whole(self.ask(messages)))
        self.episode.note(MacroPlanned(self.attempt, macros))
        conditions = self._conditions(macros, objects, start)
        state = start
        for number in range(1, len(macros) + 1):
            block = self._block(macros, number, conditions[number - 1], state, (*done, *parts))
            if not block.holds and self.replans_left > 0:
                self.sight.graph.update(state)
                return state, self._failed(macros, number, block)
            if block.holds and self.mechanism.verification:
                conditions = self._proved(macros, number, conditions, block, state)
            words, claimed = macros[number - 1], conditions[number - 1]
            self._record(words, number, claimed, block)
            self.advance(block, state, number)
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
        reply = generate_conditions(self.ask, self.teller, question)
        feedback = self._verified(macros, reply, start, 0)
        asked = {(reply.conditions, feedback)}
        for number in range(1, ROUNDS + 1):
            if not feedback or not self.mechanism.verification:
                break
            reply = correct_conditions(self.ask, self.teller, question, reply.conditions, feedback)
            feedback = self._verified(macros, reply, start, number)
            if (reply.conditions, feedback) in asked and not self.episode.sampling:
                break
            asked.add((reply.conditions, feedback))
        return reply.conditions

    def _question(self, macros: tuple[str, ...], objects: tuple[str, ...] | None) -> ConditionsQuestion:
        lines = tuple(f"- {line}" for line in self.sight.object_lines(objects))
        return ConditionsQuestion(self.prompter.task_text, macros, lines, self.sight.location_lines(objects))

    def _verified(self, macros: tuple[str, ...], reply: ConditionsReply, start: State, number: int) -> str:
        """Writes down what was read and how far it goes; what is told about it."""
        self._note_conditions(reply.conditions, number)
        check = verify_macros(self.simulator.task, start, [item.conditions for item in reply.conditions])
        feedback = plan_feedback(self.teller, macros, reply.conditions, check)
        unmet = tuple(map(write_condition, check.unmet))
        self.episode.note(MacrosVerified(self.attempt, number, check.verified, check.total, unmet, feedback))
        return feedback

    def _note_conditions(self, conditions: Sequence[ReadConditions], number: int, after: int = 0) -> None:
        said = tuple(item.to_json() for item in conditions)
        self.episode.note(MacrosConditioned(self.attempt, number, said, after))

    # ── blocks ───────────────────────────────────────────────────────────────────────────────────

    def _block(
        self, macros: tuple[str, ...], number: int, read: ReadConditions, start: State, before: Sequence[Part]
    ) -> Block:
        """The block of one macro-action, from a state on."""
        objects = self.sight.object_lines(self.objects("block", macros, number))
        executed = self.groups(before)
        setting = self.episode.setting
        known = known_blocks(setting.library, self.teller, macros[number - 1], setting.embed)
        claimed = read.conditions

        def unmet(after: State) -> tuple[Condition, ...]:
            return () if claimed is None else unmet_effects(self.simulator.task, start, after, claimed.effect)

        conditions = ""
        # Without verification they are asked for only to be measured by, and help nobody.
        if claimed is not None and self.mechanism.verification:
            names = self.teller.names
            before_text, effect = told_pddl(claimed.precondition, names), told_pddl(claimed.effect, names)
            conditions = f"precondition: {before_text}\neffect: {effect}"
        job = Job(
            self.attempt,
            number,
            start,
            lambda: self.prompter.block(objects, macros, number, executed, conditions, known),
            lambda block: self.prompter.block_correction(
                objects,
                macros,
                number,
                tuple(map(self.teller.action, block.actions)),
                block.feedback,
                executed,
                conditions,
            ),
            unmet,
            EFFECT_MISSING,
            claimed=claimed is not None,
        )
        return self.expander.expand(job)

    def _record(self, words: str, number: int, read: ReadConditions, block: Block) -> None:
        """The macro-action goes into the knowledge graph."""
        said = read.to_json()
        self.sight.graph.record_macro(
            number,
            words,
            attempt=self.attempt,
            precondition=said["precondition"],
            effect=said["effect"],
            outcome="holds" if block.holds else "failed",
        )

    def _failed(self, macros: tuple[str, ...], number: int, block: Block) -> str:
        """Why a new macro plan is needed."""
        return f'Macro-action {number} of the plan before, "{macros[number - 1]}", failed.\n{block.feedback}'

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
        """The conditions after a block ran: proved for it, or refined once and looked at again."""
        feedback = self._proof(number, conditions[number - 1], block, start)
        if not feedback:
            return conditions
        reply = refine_conditions(
            self.ask,
            self.teller,
            self._question(macros, self._named(conditions, block) if self.mechanism.retrieval else None),
            conditions,
            feedback,
            macro=number,
            block=tuple(map(self.teller.action, block.actions)),
        )
        # What was usable before is not given up for what is not.
        refined = tuple(
            new if new.conditions is not None else old for old, new in zip(conditions, reply.conditions, strict=True)
        )
        self._note_conditions(reply.conditions, 1, number)
        self._proof(number, refined[number - 1], block, start)
        return refined

    def _named(self, conditions: Sequence[ReadConditions], block: Block) -> tuple[str, ...]:
        """The objects that a block and the conditions are about, with what those are in or on."""
        claimed = [item.conditions for item in conditions if item.conditions is not None]
        said = [name for action in block.actions for name in action.args]
        said += [name for item in claimed for part in (item.precondition, item.effect) for name in names_in(part)]
        objects, available = self.simulator.task.objects, frozenset(self.sight.graph.objects())
        names = [name for name in dict.fromkeys(said) if name in objects]
        around = self.sight.graph.select([name for name in names if name in available]).around
        return tuple(dict.fromkeys((*names, *around)))

    def _proof(self, number: int, read: ReadConditions, block: Block, start: State) -> str:
        """Proves or refutes what is claimed of a block; what is told where it is refuted, empty where it is not."""
        if read.conditions is None:
            return " ".join(read.problems)
        from pddl2nl.macros.proof import prove
        from pddl2nl.macros.told_proof import told

        claimed = read.conditions
        pddl = f"{write_condition(claimed.precondition)} {write_condition(claimed.effect)}"
        try:
            # That what no action can change stays as it is, no precondition need say.
            proof = prove(self.simulator.task, block.actions, claimed, near=start, states="changeable")
        except (UnsupportedError, InputError) as error:
            # What cannot be decided is no reason to doubt what ran.
            self.episode.note(MacroProved(self.attempt, number, False, "undecided", pddl, str(error)))
            return ""
        refuted = "refuted" in (proof.runs, proof.holds)
        missing = unmet_in(start, claimed.precondition)
        lines = [told(proof, self.teller)] if refuted else []
        if missing:
            lines += ["The block ran where the precondition does not hold. What is not the case there:"]
            lines += self._told(missing)
        feedback = "\n".join(lines)
        self.proofs.append(MacroProved(self.attempt, number, proof.sound, proof.precondition, pddl, feedback))
        self.episode.note(self.proofs[-1])
        return feedback

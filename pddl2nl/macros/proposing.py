"""Conditions for named macro-actions by a model: proposed, checked, proved for a block where there is one, corrected.

This is what a policy does while it plans (sections 2.4 and 3.3 of the HVR paper), for macro-actions that somebody names
and without the plan of a whole task: nothing is asked of the goal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pddl2nl.errors import InputError
from pddl2nl.macros.conditions import ReadConditions
from pddl2nl.macros.generation import (
    Ask,
    ConditionsQuestion,
    ConditionsReply,
    correct_conditions,
    generate_conditions,
    plan_feedback,
    refine_conditions,
)
from pddl2nl.macros.macro_plan import verify_macros
from pddl2nl.macros.proof import prove
from pddl2nl.macros.told_proof import told
from pddl2nl.macros.verdict import Proof
from pddl2nl.nl import Teller
from pddlval import GroundAction, Simulator, State

__all__ = ["Block", "Known", "Proposed", "Round", "propose"]

Block = tuple[GroundAction, ...]


@dataclass(frozen=True)
class Known:
    """What is told of a state: the lines of ``Objects`` and of ``Location triples``."""

    objects: tuple[str, ...]
    locations: tuple[str, ...]


@dataclass(frozen=True)
class Round:
    """One reply: what was read in it, how far the macro-actions could be carried out on paper, and what was wrong.

    ``feedback`` is empty where nothing was.
    """

    reply: str
    conditions: tuple[ReadConditions, ...]
    verified: int
    feedback: str


@dataclass(frozen=True)
class Proposed:
    """What came of asking: all rounds, and of the last one the proof for each macro-action that has a block."""

    rounds: tuple[Round, ...]
    proofs: tuple[Proof | None, ...]

    @property
    def conditions(self) -> tuple[ReadConditions, ...]:
        """The conditions as they were said last."""
        return self.rounds[-1].conditions

    @property
    def good(self) -> bool:
        """Whether nothing is known against them."""
        return not self.rounds[-1].feedback


def propose(
    ask: Ask,
    teller: Teller,
    macros: Sequence[str],
    task_text: str,
    known: Callable[[State], Known],
    *,
    blocks: Sequence[Block] = (),
    rounds: int = 5,
) -> Proposed:
    """Has a model write conditions for macro-actions that follow each other, and correct them by what is wrong.

    Args:
        ask: asks the model.
        teller: tells the task; its initial state is where the first macro-action begins.
        macros: what they are called.
        task_text: the task in natural language.
        known: what is told of a state.
        blocks: the actions of each macro-action, or none at all.
        rounds: corrections at most.

    What no action of the task can change is taken to be as it is at the beginning: a model need not ask for it.

    Raises:
        InputError: the number of blocks is not that of the macro-actions, or they cannot be carried out one after the
            other.
        and what ``ask`` raises.
    """
    simulator = Simulator(teller.task)
    states = _before(simulator, macros, blocks)
    question = _question(task_text, macros, known(states[0]))
    reply = generate_conditions(ask, teller, question)
    said: list[Round] = []
    while True:
        verified, feedback = _checked(teller, macros, states[0], reply)
        proofs: tuple[Proof | None, ...] = (None,) * len(macros)
        wrong = 0
        if not feedback and blocks:
            proofs = _proved(teller, blocks, reply, states)
            wrong = next((number for number, proof in enumerate(proofs, 1) if proof and not proof.sound), 0)
            feedback = _told(proofs[wrong - 1], teller) if wrong else ""
        said.append(Round(reply.text, reply.conditions, verified, feedback))
        if not feedback or len(said) > rounds:
            return Proposed(tuple(said), proofs)
        if wrong:
            here = _question(task_text, macros, known(states[wrong - 1]))
            block = [teller.action(action) for action in blocks[wrong - 1]]
            reply = refine_conditions(ask, teller, here, reply.conditions, feedback, macro=wrong, block=block)
        else:
            reply = correct_conditions(ask, teller, question, reply.conditions, feedback)


def _question(task_text: str, macros: Sequence[str], known: Known) -> ConditionsQuestion:
    return ConditionsQuestion(task_text, tuple(macros), known.objects, known.locations)


def _before(simulator: Simulator, macros: Sequence[str], blocks: Sequence[Block]) -> list[State]:
    """The state before each macro-action, as its blocks make it."""
    if blocks and len(blocks) != len(macros):
        raise InputError(f"{len(macros)} macro-actions and {len(blocks)} blocks: each needs its own, or none has one")
    states = [simulator.initial]
    for number, block in enumerate(blocks, start=1):
        state = states[-1]
        for action in block:
            step = simulator.step(state, action)
            if step.successor is None:
                unmet = ", ".join(map(str, step.unmet))
                raise InputError(f"block {number}: {action} is not applicable where it stands: {unmet} fails")
            state = step.successor
        states.append(state)
    return states


def _checked(teller: Teller, macros: Sequence[str], start: State, reply: ConditionsReply) -> tuple[int, str]:
    """How many macro-actions can be carried out on paper, and what is wrong where not all can."""
    if not reply.usable:
        return 0, plan_feedback(teller, macros, reply.conditions, None)
    check = verify_macros(teller.task, start, [item.conditions for item in reply.conditions])
    if check.verified == check.total:
        return check.verified, ""
    return check.verified, plan_feedback(teller, macros, reply.conditions, check)


def _proved(
    teller: Teller, blocks: Sequence[Block], reply: ConditionsReply, states: Sequence[State]
) -> tuple[Proof | None, ...]:
    return tuple(
        None if item.conditions is None else prove(teller.task, block, item.conditions, near=state, states="changeable")
        for block, item, state in zip(blocks, reply.conditions, states, strict=False)
    )


def _told(proof: Proof | None, teller: Teller) -> str:
    return "" if proof is None else told(proof, teller)

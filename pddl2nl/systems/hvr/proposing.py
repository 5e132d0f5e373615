"""Conditions of macro-actions that a user names, as ``pddl2nl macro generate`` has a model write and correct them.

The policy has its own checks in `pddl2nl.systems.hvr.planning`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pddl2nl.baselines.oracle import PlanOracle
from pddl2nl.errors import InputError
from pddl2nl.llm import Answer, Message
from pddl2nl.macros.library import Provenance, StoredMacro, domain_hash, free_name
from pddl2nl.macros.macro import Macro, MacroStep
from pddl2nl.macros.proof import Proof, prove
from pddl2nl.macros.telling import told
from pddl2nl.nl import Teller
from pddl2nl.pddl import Task, write_condition
from pddl2nl.policies.refining import Attempt, Check, refine
from pddl2nl.systems.hvr.answers import MacroAnswers
from pddl2nl.systems.hvr.conditions import ReadConditions, ask_conditions, plan_feedback, verify_macros
from pddl2nl.systems.hvr.examples import conditions_shots
from pddl2nl.systems.hvr.knowledge_graph import KnowledgeGraph
from pddl2nl.systems.hvr.options import PROMPTS
from pddl2nl.systems.hvr.prompting import Prompter
from pddlval import GroundAction, Simulator, State

Ask = Callable[[Sequence[Message], Answer], str]
"""Sends a conversation to a model and returns its reply; the second argument is the oracle's."""


@dataclass(frozen=True)
class Round:
    """One reply and what was found out about it.

    `verified` macro-actions are applicable by the conditions one after the other; the proofs are those of macro-actions
    with a block (else None), of which `refuted` is the number of the first that failed, 0 if none did. The feedback is
    empty if nothing is wrong.
    """

    reply: str
    conditions: tuple[ReadConditions, ...]
    verified: int
    feedback: str
    proofs: tuple[Proof | None, ...]
    refuted: int = 0


def propose(
    ask: Ask,
    graph: KnowledgeGraph,
    macros: Sequence[str],
    task_text: str,
    *,
    blocks: Sequence[tuple[GroundAction, ...]] = (),
    rounds: int = 5,
) -> tuple[Round, ...]:
    """Asks a model for conditions of consecutive macro-actions, checks them, and asks for corrections.

    The first macro-action begins in the initial state; without blocks nothing is proved. The task's goal is not
    checked. Proofs take facts that no action can change as given (``states="changeable"``). Returns all rounds, of
    which the last one counts.

    Raises:
        InputError: the number of blocks is wrong, or the blocks are not applicable one after the other.
    """
    teller = graph.teller
    simulator = Simulator(teller.task)
    states = _states_before(simulator, macros, blocks)
    prompter = Prompter(PROMPTS, task_text, shots=conditions_shots(PROMPTS))
    done: list[Round] = []

    def ask_again(failed: Attempt[Round] | None) -> Round:
        last = Round("", (), 0, "", ()) if failed is None else failed.proposal
        number = last.refuted

        def answer(oracle: PlanOracle) -> str:
            return MacroAnswers(oracle, simulator, teller).conditions(states[0], macros, last.feedback, blocks)

        graph.update(states[max(number - 1, 0)])
        reply, read = ask_conditions(
            lambda messages: ask(messages, answer),
            teller,
            prompter,
            macros,
            (graph.object_lines(), graph.location_lines()),
            present=last.conditions,
            feedback=last.feedback,
            macro=number,
            block=[teller.action(action) for action in blocks[number - 1]] if number else (),
        )
        done.append(_round(teller, macros, blocks, states, reply, read))
        return done[-1]

    refine(ask_again, [Check("conditions", lambda found: found.feedback)], lambda found: rounds)
    return tuple(done)


def _states_before(
    simulator: Simulator, macros: Sequence[str], blocks: Sequence[tuple[GroundAction, ...]]
) -> list[State]:
    if blocks and len(blocks) != len(macros):
        raise InputError(f"{len(macros)} macro-actions and {len(blocks)} blocks: each needs its own, or none has one")
    states = [simulator.initial]
    for number, block in enumerate(blocks, start=1):
        followed = simulator.follow(states[-1], block)
        if followed.failed is not None:
            reason = followed.error or f"{', '.join(map(str, followed.unmet))} fails"
            raise InputError(f"block {number}: {followed.failed.action} is not applicable where it stands: {reason}")
        states.append(followed.state)
    return states


def _round(
    teller: Teller,
    macros: Sequence[str],
    blocks: Sequence[tuple[GroundAction, ...]],
    states: Sequence[State],
    reply: str,
    read: tuple[ReadConditions, ...],
) -> Round:
    """Simulates the macro-actions by their conditions, and proves these for the blocks."""
    claims = [item.conditions for item in read]
    check = verify_macros(teller.task, states[0], claims)
    proofs: tuple[Proof | None, ...] = (None,) * len(macros)
    if check.verified < check.total:
        verified = check.verified if None not in claims else 0
        return Round(reply, read, verified, plan_feedback(teller, macros, read, check), proofs)
    if blocks:
        proofs = tuple(
            prove(teller.task, block, claim, near=state, states="changeable")
            for block, claim, state in zip(blocks, claims, states, strict=False)
            if claim is not None
        )
    for number, proof in enumerate(proofs, start=1):
        if proof is not None and not proof.sound:
            return Round(reply, read, check.verified, told(proof, teller), proofs, number)
    return Round(reply, read, check.verified, "", proofs)


def proposed_macros(
    task: Task, descriptions: Sequence[str], blocks: Sequence[Sequence[GroundAction]], last: Round, model: str
) -> list[StoredMacro | None]:
    """The macro-actions as the last round proposed them, without parameters; None for one that could not be read."""
    macros: list[StoredMacro | None] = []
    taken = [action.name for action in task.domain.actions]
    by = f"claimed by {model} for {task.problem.name}"
    for number, (description, read) in enumerate(zip(descriptions, last.conditions, strict=True)):
        if read.conditions is None:
            macros.append(None)
            continue
        steps = tuple(MacroStep(*action) for action in blocks[number]) if blocks else ()
        taken.append(name := free_name(description, taken))
        proof = last.proofs[number]
        proved = {} if proof is None else proof.as_json()
        origin = Provenance((description,), task.domain.name, domain_hash(task.domain), by, proof=proved)
        macros.append(StoredMacro(Macro(name, (), steps, read.conditions), origin))
    return macros


def proposal_json(descriptions: Sequence[str], rounds: Sequence[Round], files: Sequence[str | None]) -> dict[str, Any]:
    """The proposal as JSON; ``files`` are those to which the macro-actions were written."""
    last = rounds[-1]
    macros = [
        {"description": said, **read.to_json(), "proof": None if proof is None else proof.as_json(), "file": file}
        for said, read, proof, file in zip(descriptions, last.conditions, last.proofs, files, strict=True)
    ]
    told = [{"reply": each.reply, "verified": each.verified, "feedback": each.feedback} for each in rounds]
    return {"good": not last.feedback, "macros": macros, "rounds": told}


def proposal_text(descriptions: Sequence[str], rounds: Sequence[Round]) -> str:
    """The proposal for people: conditions, proofs, corrections and remaining mistakes."""
    blocks, last, corrections = [], rounds[-1], len(rounds) - 1
    for description, read, proof in zip(descriptions, last.conditions, last.proofs, strict=True):
        lines = [f"{description}:", *(f"  {problem}" for problem in read.problems)]
        if read.conditions is not None:
            lines.append(f"  precondition: {write_condition(read.conditions.precondition)}")
            lines.append(f"  effect: {write_condition(read.conditions.effect)}")
        if proof is not None:
            verdict = "proved" if proof.sound else "not proved"
            lines.append(f"  {verdict} for its actions; beside the weakest precondition: {proof.precondition}")
        blocks.append("\n".join(lines))
    blocks.append(f"{corrections} correction{'' if corrections == 1 else 's'}")
    if last.feedback:
        blocks.append(f"still wrong:\n{last.feedback}")
    return "\n\n".join(blocks)

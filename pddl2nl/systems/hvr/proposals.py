"""Macro-actions that a model proposed for ``pddl2nl macro generate``: what it is told, what is stored and printed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pddl2nl.macros.library import Provenance, StoredMacro, domain_hash, free_name
from pddl2nl.macros.macro import Macro, MacroStep
from pddl2nl.nl import Teller
from pddl2nl.pddl import Task, write_condition
from pddl2nl.systems.hvr.generation import Proposed, StateLines
from pddl2nl.systems.hvr.graph_teller import GraphTeller
from pddl2nl.worlds.ontology import load_ontology
from pddlval import GroundAction, State


def state_lines(teller: Teller, ontology: Path | None) -> StateLines:
    """What a model is told about a state, from the knowledge graph: objects and locations."""
    graph_teller = GraphTeller(teller, None if ontology is None else load_ontology(ontology))

    def lines(state: State) -> tuple[Sequence[str], str]:
        graph_teller.graph.update(state)
        return graph_teller.object_lines(), graph_teller.location_lines()

    return lines


def proposed_macros(
    task: Task, descriptions: Sequence[str], blocks: Sequence[Sequence[GroundAction]], proposed: Proposed, model: str
) -> list[StoredMacro | None]:
    """The macro-actions as proposed, without parameters; None for one that could not be read.

    Args:
        task: the task.
        descriptions: of the macro-actions.
        blocks: the actions of each; empty if they are unknown.
        proposed: the conditions.
        model: the name of the model.
    """
    macros: list[StoredMacro | None] = []
    taken = [action.name for action in task.domain.actions]
    for number, (description, read) in enumerate(zip(descriptions, proposed.conditions, strict=True)):
        if read.conditions is None:
            macros.append(None)
            continue
        steps = tuple(MacroStep(*action) for action in blocks[number]) if blocks else ()
        taken.append(name := free_name(description, taken))
        proof = proposed.proofs[number]
        origin = Provenance(
            (description,),
            task.domain.name,
            domain_hash(task.domain),
            f"claimed by {model} for {task.problem.name}",
            proof={} if proof is None else proof.as_json(),
        )
        macros.append(StoredMacro(Macro(name, (), steps, read.conditions), origin))
    return macros


def proposal_json(descriptions: Sequence[str], proposed: Proposed, files: Sequence[str | None]) -> dict[str, Any]:
    """The proposal as JSON; ``files`` are those to which the macro-actions were written."""
    macros = [
        {
            "description": description,
            **read.to_json(),
            "proof": None if proof is None else proof.as_json(),
            "file": file,
        }
        for description, read, proof, file in zip(
            descriptions, proposed.conditions, proposed.proofs, files, strict=True
        )
    ]
    rounds = [{"reply": each.reply, "verified": each.verified, "feedback": each.feedback} for each in proposed.rounds]
    return {"good": proposed.good, "macros": macros, "rounds": rounds}


def proposal_text(descriptions: Sequence[str], proposed: Proposed) -> str:
    """The proposal for people: conditions, proofs, corrections and remaining mistakes."""
    blocks = []
    for description, read, proof in zip(descriptions, proposed.conditions, proposed.proofs, strict=True):
        lines = [f"{description}:"]
        if read.conditions is None:
            lines += [f"  {problem}" for problem in read.problems]
        else:
            lines.append(f"  precondition: {write_condition(read.conditions.precondition)}")
            lines.append(f"  effect: {write_condition(read.conditions.effect)}")
        if proof is not None:
            verdict = "proved" if proof.sound else "not proved"
            lines.append(f"  {verdict} for its actions; beside the weakest precondition: {proof.precondition}")
        blocks.append("\n".join(lines))
    corrections = len(proposed.rounds) - 1
    blocks.append(f"{corrections} correction{'' if corrections == 1 else 's'}")
    if not proposed.good:
        blocks.append(f"still wrong:\n{proposed.rounds[-1].feedback}")
    return "\n\n".join(blocks)

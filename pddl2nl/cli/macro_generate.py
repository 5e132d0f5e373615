"""``pddl2nl macro generate``: conditions of named macro-actions by a model, checked, proved and corrected."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pddl2nl.cli.options import DomainFile, JsonOption, ProblemFile, argument, option
from pddl2nl.cli.output import DONE, FAILED, account_text, plural, print_error, print_result, write_text_file
from pddl2nl.cli.run_options import (
    BUDGET,
    NamesOption,
    NamesSeedOption,
    SeedOption,
    WordingOption,
    access_of,
    limits_of,
    with_options,
    words_of,
)
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from pddl2nl.llm import Message
    from pddl2nl.macros.library import StoredMacro
    from pddl2nl.nl import Teller
    from pddl2nl.pddl import Task
    from pddl2nl.policies.budget import ModelCalls
    from pddl2nl.policies.hvr.generation import Proposed, StateLines
    from pddlval import GroundAction, State

__all__ = ["register"]

_GENERATE = (
    'Example: pddl2nl macro generate domain.pddl problem.pddl "Put a on b" --model gpt-4o-2024-08-06 --plan block.plan'
)


def register(group: typer.Typer) -> None:
    """Adds the command to the group of macros."""
    options = with_options(_generate, "base_url", "models", "cache", *BUDGET)
    group.command("generate", epilog=_GENERATE)(options)


def _generate(
    domain: DomainFile,
    problem: ProblemFile,
    descriptions: Annotated[
        list[str], argument("DESCRIPTION…", "Macro-actions in natural language, in the order of their use.")
    ],
    model: Annotated[str, option("--model", "M", "A model's name, oracle, script:FILE or replay:DIR.", group="Model")],
    plan: Annotated[
        list[Path] | None,
        option(
            "--plan",
            "FILE",
            "The actions that a macro-action stands for, to prove its conditions; one FILE for each.",
            "none, and nothing is proved",
        ),
    ] = None,
    task_text: Annotated[
        str | None, option("--task-text", "TEXT", "The task in natural language.", "the told goal")
    ] = None,
    ontology: Annotated[
        Path | None,
        option(
            "--ontology",
            "FILE",
            "Classes and affordances of the domain's objects, in Turtle.",
            "ontology.ttl beside DOMAIN, else made from its types",
        ),
    ] = None,
    rounds: Annotated[int, option("--rounds", "N", "The most corrections.", min=0)] = 5,
    wording: WordingOption = None,
    names: NamesOption = "typed",
    names_seed: NamesSeedOption = None,
    seed: SeedOption = 1,
    *,
    out: Annotated[
        Path | None,
        option("--out", "DIR", "Write each readable macro-action to a file here.", "not written", file_okay=False),
    ] = None,
    as_json: JsonOption = False,
    **options: Any,
) -> None:
    """Have a model write the precondition and the effect of macro-actions, and correct them.

    The conditions are checked against the domain, simulated from the initial state, and, with --plan, proved or
    refuted for the actions. Exit code 1: there is a mistake after the last correction.
    """
    from pddl2nl.experiments.models import ModelContext, calls_of
    from pddl2nl.nl import Teller
    from pddl2nl.pddl import load_task
    from pddl2nl.policies.budget import LimitReachedError
    from pddl2nl.policies.hvr.generation import propose
    from pddlval import load_plan

    descriptions = [" ".join(text.split()) for text in descriptions]
    if not all(descriptions):
        raise InputError("a macro-action needs a DESCRIPTION in words, such as 'Put a on b'; one of them is empty")
    task = load_task(domain, problem)
    chosen, named = words_of(task, domain, wording, names, names_seed)
    teller = Teller(task, chosen, named)
    blocks = [load_plan(file).actions for file in plan or ()]
    context = ModelContext(task.domain, chosen, base_url=options["base_url"], access=access_of(options))
    _, calls = calls_of("planner", model, context, limits_of(options))
    told = task_text or teller.goal_text()
    known = _state_lines(teller, ontology, domain)
    try:
        found = propose(_ask(calls, seed), teller, descriptions, told, known, blocks=blocks, rounds=rounds)
    except LimitReachedError as reached:
        print_error(f"{reached}, and the conditions are not finished")
        raise typer.Exit(FAILED) from None
    finally:
        if (account := calls.spent.get("planner")) is not None:
            sys.stderr.write(f"{model}: {account_text(account)}\n")
    files = [None if out is None else _write(each, out) for each in _stored(task, descriptions, blocks, found, model)]
    print_result(_json(descriptions, found, files), _text(descriptions, found), as_json=as_json)
    raise typer.Exit(DONE if found.good else FAILED)


def _ask(calls: ModelCalls, seed: int) -> Callable[[Sequence[Message]], str]:
    from pddl2nl.llm import Request

    return lambda messages: calls.complete(Request(tuple(messages), seed=seed)).text


def _state_lines(teller: Teller, ontology: Path | None, domain: Path) -> StateLines:
    """What the model is told about a state: objects and locations, from the knowledge graph."""
    from pddl2nl.policies.hvr.sight import Sight
    from pddl2nl.worlds.ontology import load_ontology

    beside = domain.with_name("ontology.ttl")
    file = ontology or (beside if beside.is_file() else None)
    sight = Sight(teller, None if file is None else load_ontology(file))

    def lines(state: State) -> tuple[Sequence[str], str]:
        sight.graph.update(state)
        return sight.object_lines(), sight.location_lines()

    return lines


def _stored(
    task: Task, descriptions: Sequence[str], blocks: Sequence[Sequence[GroundAction]], found: Proposed, model: str
) -> list[StoredMacro | None]:
    """The macro-actions as claimed, without parameters; None for one that could not be read."""
    from pddl2nl.macros.library import Provenance, StoredMacro, domain_hash, free_name
    from pddl2nl.macros.macro import Macro, MacroStep

    stored: list[StoredMacro | None] = []
    taken = [action.name for action in task.domain.actions]
    for number, (description, read) in enumerate(zip(descriptions, found.conditions, strict=True)):
        if read.conditions is None:
            stored.append(None)
            continue
        steps = tuple(MacroStep(*action) for action in blocks[number]) if blocks else ()
        taken.append(name := free_name(description, taken))
        proof = found.proofs[number]
        origin = Provenance(
            (description,),
            task.domain.name,
            domain_hash(task.domain),
            f"claimed by {model} for {task.problem.name}",
            proof={} if proof is None else proof.as_json(),
        )
        stored.append(StoredMacro(Macro(name, (), steps, read.conditions), origin))
    return stored


def _write(stored: StoredMacro | None, folder: Path) -> str | None:
    from pddl2nl.macros.library import write_macro_file

    if stored is None:
        return None
    file = folder / f"{stored.macro.name}.pddl"
    write_text_file(file, write_macro_file(stored))
    return str(file)


def _json(descriptions: Sequence[str], found: Proposed, files: Sequence[str | None]) -> dict[str, Any]:
    macros = [
        {
            "description": description,
            **read.to_json(),
            "proof": None if proof is None else proof.as_json(),
            "file": file,
        }
        for description, read, proof, file in zip(descriptions, found.conditions, found.proofs, files, strict=True)
    ]
    rounds = [{"reply": one.reply, "verified": one.verified, "feedback": one.feedback} for one in found.rounds]
    return {"good": found.good, "macros": macros, "rounds": rounds}


def _text(descriptions: Sequence[str], found: Proposed) -> str:
    from pddl2nl.pddl import write_condition

    blocks = []
    for description, read, proof in zip(descriptions, found.conditions, found.proofs, strict=True):
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
    blocks.append(plural(len(found.rounds) - 1, "correction"))
    if not found.good:
        blocks.append(f"still wrong:\n{found.rounds[-1].feedback}")
    return "\n\n".join(blocks)

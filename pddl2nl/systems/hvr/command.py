"""``pddl2nl macro generate``: conditions of named macro-actions by a model, checked, proved and corrected."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pddl2nl.cli.options import DomainFile, JsonOption, ProblemFile, argument, option
from pddl2nl.cli.output import DONE, FAILED, account_text, print_error, print_result, warn
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
from pddl2nl.files import read_text, write_text_file

if TYPE_CHECKING:
    from pddl2nl.llm import Answer, Message
    from pddl2nl.macros.library import StoredMacro
    from pddl2nl.policies.budget import ModelCalls
    from pddl2nl.systems.hvr.ontology import Ontology
    from pddl2nl.systems.hvr.proposing import Ask

_GENERATE = (
    'Example: pddl2nl macro generate domain.pddl problem.pddl "Put a on b" --model gpt-4o-2024-08-06 --plan block.plan'
)


def register(group: typer.Typer) -> None:
    """Adds the command to the group of macro-actions."""
    options = with_options(_generate, "base_url", "models", "cache", *BUDGET)
    group.command("generate", epilog=_GENERATE)(options)


def _generate(
    domain: DomainFile,
    problem: ProblemFile,
    descriptions: Annotated[
        list[str], argument("DESCRIPTION…", "Macro-actions in natural language, in the order of their use.")
    ],
    model: Annotated[str, option("M", "A model's name, oracle, script:FILE or replay:DIR.", group="Model")],
    plan: Annotated[
        list[Path] | None,
        option("FILE", "The plan of each macro-action, to prove its conditions.", "none, and nothing is proved"),
    ] = None,
    task_text: Annotated[str | None, option("TEXT", "The task in natural language.", "the told goal")] = None,
    ontology: Annotated[
        Path | None,
        option("FILE", "Classes and affordances of objects, in Turtle.", "ontology.ttl beside DOMAIN, else its types"),
    ] = None,
    rounds: Annotated[int, option("N", "The most corrections.", min=0)] = 5,
    wording: WordingOption = None,
    names: NamesOption = "typed",
    names_seed: NamesSeedOption = None,
    seed: SeedOption = 1,
    *,
    out: Annotated[
        Path | None, option("DIR", "Write each readable macro-action to a file here.", "not written", file_okay=False)
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
    from pddl2nl.systems.hvr.knowledge_graph import KnowledgeGraph
    from pddl2nl.systems.hvr.options import HVROptions
    from pddl2nl.systems.hvr.proposing import proposal_json, proposal_text, propose, proposed_macros
    from pddlval import load_plan

    descriptions = [" ".join(text.split()) for text in descriptions]
    if not all(descriptions):
        raise InputError("a macro-action needs a DESCRIPTION in words, such as 'Put a on b'; one of them is empty")
    task = load_task(domain, problem)
    chosen, named = words_of(task, domain, wording, names, names_seed)
    teller = Teller(task, chosen, named)
    blocks = [load_plan(path).actions for path in plan or ()]
    mistakes = HVROptions().mistakes
    context = ModelContext(
        task.domain, chosen, base_url=options["base_url"], access=access_of(options), mistakes=mistakes
    )
    _, calls = calls_of("planner", model, context, limits_of(options))
    graph = KnowledgeGraph(teller, _ontology(ontology, domain))
    words = task_text or teller.goal_text()
    try:
        found = propose(_asking(calls, seed), graph, descriptions, words, blocks=blocks, rounds=rounds)
    except LimitReachedError as reached:
        print_error(f"{reached}, and the conditions are not finished")
        raise typer.Exit(FAILED) from None
    finally:
        if (account := calls.spent.get("planner")) is not None:
            sys.stderr.write(f"{model}: {account_text(account)}\n")
    macros = proposed_macros(task, descriptions, blocks, found[-1], model)
    files = [None if out is None else _write(macro, out) for macro in macros]
    print_result(proposal_json(descriptions, found, files), proposal_text(descriptions, found), as_json=as_json)
    raise typer.Exit(FAILED if found[-1].feedback else DONE)


def _ontology(file: Path | None, domain: Path) -> Ontology | None:
    """The ontology of a file, else of the one beside the domain."""
    from pddl2nl.systems.hvr.ontology import read_ontology
    from pddl2nl.systems.hvr.options import ONTOLOGY_FILE

    beside = domain.with_name(ONTOLOGY_FILE)
    file = file or (beside if beside.is_file() else None)
    return None if file is None else read_ontology(read_text(file, "Turtle file"), name=str(file))


def _asking(calls: ModelCalls, seed: int) -> Ask:
    from pddl2nl.llm import Request

    def ask(messages: Sequence[Message], answer: Answer) -> str:
        reply = calls.complete(Request(tuple(messages), seed=seed, answer=answer))
        if reply.finish == "length":
            warn(reply.remark or "the reply was cut off by length")
        return reply.text

    return ask


def _write(macro: StoredMacro | None, folder: Path) -> str | None:
    from pddl2nl.macros.library import write_macro_file

    if macro is None:
        return None
    file = folder / f"{macro.macro.name}.pddl"
    write_text_file(file, write_macro_file(macro))
    return str(file)

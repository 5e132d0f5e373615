"""``pddl2nl macro generate``: conditions of named macro-actions by a model, checked, proved and corrected."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pddl2nl.cli.access import BaseUrl, BudgetCalls, BudgetTokens, BudgetUsd, CacheOption, ModelsFile
from pddl2nl.cli.accounts import account_text
from pddl2nl.cli.files import DomainFile, ProblemFile
from pddl2nl.cli.macro_prove import proof_json
from pddl2nl.cli.output import DONE, WANTING, print_error, print_json, print_text, warn
from pddl2nl.cli.wording import JsonOption, NamesOption, NamesSeedOption, WordingOption, chosen_wording, named
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from pddl2nl.experiments.access import Access
    from pddl2nl.llm import Message
    from pddl2nl.macros.library import StoredMacro
    from pddl2nl.nl import Teller, Wording
    from pddl2nl.pddl import Task
    from pddl2nl.policies.budget import Limits, ModelCalls
    from pddl2nl.policies.hvr.generation import Proposed, StateLines
    from pddlval import GroundAction, State

__all__ = ["register"]

_GENERATE = (
    'Example: pddl2nl macro generate domain.pddl problem.pddl "Put a on b" --model gpt-4o-2024-08-06 --plan block.plan'
)


def register(group: typer.Typer) -> None:
    """Adds the command to the group of macros."""
    group.command("generate", epilog=_GENERATE)(_generate)


def _generate(
    domain: DomainFile,
    problem: ProblemFile,
    descriptions: Annotated[
        list[str],
        typer.Argument(metavar="DESCRIPTION…", help="Macro-actions in natural language, in the order of their use."),
    ],
    model: Annotated[str, typer.Option(metavar="M", help="A model's name, oracle, script:FILE or replay:DIR.")],
    plan: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="The actions that a macro-action stands for, to prove its conditions; one FILE for each.",
            show_default="none, and nothing is proved",
        ),
    ] = None,
    task_text: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The task in natural language.", show_default="the told goal")
    ] = None,
    ontology: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What kinds of things there are, in Turtle.",
            show_default="ontology.ttl beside DOMAIN, else made from its types",
        ),
    ] = None,
    rounds: Annotated[int, typer.Option(min=0, metavar="N", help="Corrections, at most.")] = 5,
    wording: WordingOption = None,
    names: NamesOption = "typed",
    names_seed: NamesSeedOption = None,
    seed: Annotated[int, typer.Option(help="Seed of the model's sampling.")] = 1,
    budget_usd: BudgetUsd = None,
    budget_calls: BudgetCalls = None,
    budget_tokens: BudgetTokens = None,
    base_url: BaseUrl = None,
    models: ModelsFile = None,
    cache: CacheOption = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", file_okay=False, help="Write each macro-action that could be read to a file here."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Have a model write the precondition and the effect of macro-actions, and correct them.

    The conditions are checked against the domain, simulated from the initial state, and, with --plan, proved or
    refuted for
    the actions. Exit code 1: there is a mistake after the last correction.
    """
    from pddl2nl.experiments.access import reach
    from pddl2nl.nl import Teller
    from pddl2nl.pddl import load_task
    from pddl2nl.policies.budget import LimitReachedError, Limits
    from pddl2nl.policies.hvr.generation import propose
    from pddlval import load_plan

    descriptions = [" ".join(text.split()) for text in descriptions]
    if not all(descriptions):
        raise InputError("a macro-action needs a DESCRIPTION in words, such as 'Put a on b'; one of them is empty")
    task = load_task(domain, problem)
    chosen = chosen_wording(wording, task.domain, domain)
    teller = Teller(task, chosen, named(task, names, chosen, names_seed))
    blocks = [load_plan(file).actions for file in plan or ()]
    access = reach(cache, models, None, None, warn=warn)
    calls = _model_calls(
        model, task, chosen, base_url, access, Limits(calls=budget_calls, tokens=budget_tokens, usd=budget_usd)
    )
    try:
        found = propose(
            _ask(calls, seed),
            teller,
            descriptions,
            task_text or teller.goal_text(),
            _known(teller, ontology, domain),
            blocks=blocks,
            rounds=rounds,
        )
    except LimitReachedError as reached:
        print_error(f"{reached}, and the conditions are not finished")
        raise typer.Exit(WANTING) from None
    finally:
        _say_costs(model, calls)
    made = _made(task, descriptions, blocks, found, model)
    files = _written(made, out)
    if as_json:
        print_json(_json(descriptions, found, files))
    else:
        print_text(_text(descriptions, found))
    raise typer.Exit(DONE if found.good else WANTING)


# ── asking ───────────────────────────────────────────────────────────────────────────────────────


def _model_calls(
    name: str, task: Task, wording: Wording, base_url: str | None, access: Access, limits: Limits
) -> ModelCalls:
    from pddl2nl.experiments.models import ModelContext, make_model
    from pddl2nl.policies.budget import ModelCalls, PricedModel

    made = make_model(name, ModelContext(task.domain, wording, base_url=base_url, access=access))
    if limits.usd is not None and not made.priced:
        raise InputError(
            f"--max-usd needs to know what tokens cost, and for the model '{name}' this is not known; bound it with "
            "--max-tokens or --max-calls, or give its price in a file for --models"
        )
    return ModelCalls({"planner": PricedModel(access.before(made.model), made.price_of)}, limits)


def _ask(calls: ModelCalls, seed: int) -> Callable[[Sequence[Message]], str]:
    from pddl2nl.llm import Request

    return lambda messages: calls.complete(Request(tuple(messages), seed=seed)).text


def _known(teller: Teller, ontology: Path | None, domain: Path) -> StateLines:
    from pddl2nl.policies.hvr.sight import Sight
    from pddl2nl.worlds.ontology import load_ontology

    beside = domain.with_name("ontology.ttl")
    file = ontology or (beside if beside.is_file() else None)
    sight = Sight(teller, None if file is None else load_ontology(file))

    def known(state: State) -> tuple[Sequence[str], str]:
        sight.graph.update(state)
        return sight.object_lines(), sight.location_lines()

    return known


def _say_costs(model: str, calls: ModelCalls) -> None:
    account = calls.spent.get("planner")
    if account is not None:
        sys.stderr.write(f"{model}: {account_text(account)}\n")


# ── what came of it ──────────────────────────────────────────────────────────────────────────────


def _made(
    task: Task, descriptions: Sequence[str], blocks: Sequence[Sequence[GroundAction]], found: Proposed, model: str
) -> list[StoredMacro | None]:
    """The macro-actions as claimed, without parameters; None where one could not be read."""
    from pddl2nl.macros.library import Provenance, StoredMacro, domain_hash, free_name
    from pddl2nl.macros.macro import Macro, MacroStep

    made: list[StoredMacro | None] = []
    taken = [action.name for action in task.domain.actions]
    for number, (description, read) in enumerate(zip(descriptions, found.conditions, strict=True)):
        if read.conditions is None:
            made.append(None)
            continue
        steps = tuple(MacroStep(*action) for action in blocks[number]) if blocks else ()
        name = free_name(description, taken)
        taken.append(name)
        proof = found.proofs[number]
        known = Provenance(
            (description,),
            task.domain.name,
            domain_hash(task.domain),
            f"claimed by {model} for {task.problem.name}",
            proof={} if proof is None else proof_json(proof),
        )
        made.append(StoredMacro(Macro(name, (), steps, read.conditions), known))
    return made


def _written(made: Sequence[StoredMacro | None], out: Path | None) -> list[str | None]:
    from pddl2nl.cli.output import write_text_file
    from pddl2nl.macros.library import write_macro_file

    files: list[str | None] = []
    for stored in made:
        file = None if out is None or stored is None else out / f"{stored.macro.name}.pddl"
        if file is not None and stored is not None:
            write_text_file(file, write_macro_file(stored))
        files.append(None if file is None else str(file))
    return files


def _json(descriptions: Sequence[str], found: Proposed, files: Sequence[str | None]) -> dict[str, Any]:
    macros = [
        {
            "description": description,
            **read.to_json(),
            "proof": None if proof is None else proof_json(proof),
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
    corrections = len(found.rounds) - 1
    blocks.append(f"{corrections} correction{'' if corrections == 1 else 's'}")
    if not found.good:
        blocks.append(f"still wrong:\n{found.rounds[-1].feedback}")
    return "\n\n".join(blocks)

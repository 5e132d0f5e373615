"""``pddl2nl macro``: macro-actions composed and proved; systems add more commands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pddl2nl.cli.options import (
    DomainFile,
    JsonOption,
    ProblemFile,
    argument,
    option,
    switch,
)
from pddl2nl.cli.output import DONE, FAILED, print_result, warn
from pddl2nl.cli.run_options import NamesOption, NamesSeedOption, WordingOption, words_of
from pddl2nl.errors import InputError
from pddl2nl.files import write_text_file
from pddl2nl.plugins import fails_alone, systems

if TYPE_CHECKING:
    from pddl2nl.pddl import Domain

_COMPOSE = 'Example: pddl2nl macro compose domain.pddl "(pick-up ?x)" "(stack ?x ?y)" --name move-to-stack'
_PROVE = "Example: pddl2nl macro prove domain.pddl problem.pddl claimed.pddl --block block.plan --args 'a b'"


def register(app: typer.Typer) -> None:
    """Adds the commands to the application, as a group of their own."""
    group = typer.Typer(
        no_args_is_help=True,
        help="Macro-actions: several actions as one, with a precondition and an effect of their own.",
    )
    group.command("compose", epilog=_COMPOSE)(_compose)
    group.command("prove", epilog=_PROVE)(_prove)
    for system in systems().values():
        if "macro" in system.commands:
            with fails_alone(f"the command 'macro' of system '{system.name}'"):
                system.load(system.commands["macro"])(group)
    app.add_typer(group, name="macro")


# ── compose ──────────────────────────────────────────────────────────────────────────────────────


def _compose(
    domain: DomainFile,
    steps: Annotated[
        list[str], argument("STEP…", 'Actions in order, "(pick-up ?x)"; the same variable is the same object.')
    ],
    name: Annotated[str | None, option("NAME", "Name of the macro.", "the names of its actions")] = None,
    distinct: Annotated[
        bool, switch("--distinct", "Parameters stand for different objects where that makes a difference.")
    ] = False,
    total: Annotated[
        list[str] | None, option("FUNCTION", "A function that has a value for all objects; can be repeated.", "none")
    ] = None,
    out: Annotated[
        Path | None,
        option("FILE", "Also write the macro to a file, for prove.", "not written", dir_okay=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compose several actions into one, with their exact precondition as a sequence and their net effect.

    Exit code 2: the domain has no such actions, or PDDL cannot express their composition; the message says why.
    """
    from pddl2nl.macros.compose import compose
    from pddl2nl.macros.formulas import FALSE
    from pddl2nl.macros.library import Provenance, StoredMacro, domain_hash, free_name, steps_of, write_macro_file
    from pddl2nl.pddl import load_domain

    tree = load_domain(domain)
    actions = steps_of(steps)
    own = [action.name for action in tree.actions]
    called = free_name(name if name is not None else "-".join(step.action for step in actions), own)
    functions = _functions(tree, total or ())
    macro = compose(tree, actions, name=called, total=functions, distinct=distinct)
    origin = Provenance(
        domain=tree.name, domain_sha256=domain_hash(tree), origin="composed", distinct=distinct, total=functions
    )
    stored = StoredMacro(macro, origin)
    if macro.conditions.precondition == FALSE:
        warn("these actions can never be carried out one after the other: the precondition is false")
    text = write_macro_file(stored)
    print_result(stored.as_json(), text, as_json=as_json)
    if out is not None:
        write_text_file(out, text)


def _functions(domain: Domain, names: Sequence[str]) -> tuple[str, ...]:
    """The functions of these names; raises `InputError` for others."""
    known = [function.name for function in domain.functions]
    functions = tuple(dict.fromkeys(name.lower().strip("()") for name in names))
    for name in functions:
        if name not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise InputError(f"--total {name}: domain '{domain.name}' has no function '{name}'; {has}")
    return functions


# ── prove ────────────────────────────────────────────────────────────────────────────────────────


def _prove(
    domain: DomainFile,
    problem: ProblemFile,
    macro: Annotated[Path, argument("MACROFILE", "The macro as claimed: (:action NAME :parameters … :effect …).")],
    block: Annotated[
        Path | None,
        option("PLAN", "The macro's actions, as a plan file.", "the steps noted in MACROFILE, with --args"),
    ] = None,
    args: Annotated[
        str | None,
        option("'OBJECT …'", "The objects for the macro's parameters, in order.", "from the noted steps and the block"),
    ] = None,
    states: Annotated[
        Literal["changeable", "all"],
        option("", "States that agree with the problem's static facts (changeable), or all states."),
    ] = "changeable",
    wording: WordingOption = None,
    names: NamesOption = "typed",
    names_seed: NamesSeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Prove or refute a macro's precondition and effect for a block of actions: whether in every state in which the
    precondition holds the actions are applicable one after the other and the effect holds afterwards.

    All states of the problem's objects are considered (those of --states), reachable or not; nothing is sampled. A
    refutation comes with a counterexample. The precondition is also compared with the weakest one, and the static facts
    that the proof used are named. Exit code 1: refuted or undecided; 2: the macro or the block cannot be read.
    """
    from pddl2nl.macros.library import load_macro_file, with_objects
    from pddl2nl.macros.proof import ground_claim, prove
    from pddl2nl.macros.telling import proof_text, told
    from pddl2nl.nl import Teller
    from pddl2nl.pddl import load_task
    from pddlval import load_plan

    task = load_task(domain, problem)
    stored = load_macro_file(macro, with_objects(task))
    given = None if block is None else load_plan(block).actions
    objects = None if args is None else args.replace(",", " ").strip("() ").lower().split()
    actions, claimed = ground_claim(task, stored.macro, given, objects)
    proof = prove(task, actions, claimed, states=states)
    feedback = told(proof, Teller(task, *words_of(task, domain, wording, names, names_seed)))
    data = {**proof.as_json(), "block": [str(action) for action in actions], "told": feedback}
    print_result(data, proof_text(proof, feedback), as_json=as_json)
    raise typer.Exit(DONE if proof.sound else FAILED)

"""``pddl2nl macro``: macro-actions composed, proved, learned from plans and applied; `macro_generate` is the rest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pddl2nl.cli import macro_generate
from pddl2nl.cli.options import (
    AnyMemoryLimit,
    DomainFile,
    JsonOption,
    ProblemFile,
    TimeLimit,
    argument,
    option,
    problem_file,
    switch,
)
from pddl2nl.cli.output import DONE, FAILED, plural, print_json, print_result, print_table, print_text, warn
from pddl2nl.cli.plan import exit_code
from pddl2nl.cli.run_options import NamesOption, NamesSeedOption, WordingOption, words_of
from pddl2nl.errors import InputError
from pddl2nl.files import write_text_file

if TYPE_CHECKING:
    from pddl2nl.macros.learn import Learned
    from pddl2nl.pddl import Domain

_COMPOSE = 'Example: pddl2nl macro compose domain.pddl "(pick-up ?x)" "(stack ?x ?y)" --name move-to-stack'
_PROVE = "Example: pddl2nl macro prove domain.pddl problem.pddl claimed.pddl --block block.plan --args 'a b'"
_LEARN = (
    "Example: pddl2nl macro learn domain.pddl p01.pddl p01.plan p02.pddl p02.plan --out macros; "
    "with plans of its own: pddl2nl macro learn domain.pddl p01.pddl p02.pddl --planner lama --out macros"
)

_APPLY = "Example: pddl2nl macro apply domain.pddl p05.pddl macros --planner ff --out p05.plan"

Planner = Literal["brfs", "lmcut", "ff", "lama"]


def register(app: typer.Typer) -> None:
    """Adds the commands to the application, as a group of their own."""
    group = typer.Typer(
        no_args_is_help=True,
        help="Macro-actions: several actions as one, with a precondition and an effect of their own.",
    )
    group.command("compose", epilog=_COMPOSE)(_compose)
    macro_generate.register(group)
    group.command("prove", epilog=_PROVE)(_prove)
    group.command("learn", epilog=_LEARN)(_learn)
    group.command("apply", epilog=_APPLY)(_apply)
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
        option("FILE", "Also write the macro to a file, for apply and prove.", "not written", dir_okay=False),
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
        option("PLAN", "The actions that it stands for, as a plan file.", "the steps noted in MACROFILE, with --args"),
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
    from pddl2nl.macros.claims import ground_claim
    from pddl2nl.macros.library import load_macro_file, with_objects
    from pddl2nl.macros.proof import prove
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


# ── learn ────────────────────────────────────────────────────────────────────────────────────────


def _learn(
    domain: DomainFile,
    files: Annotated[
        list[str],
        argument(
            "PROBLEM PLAN…",
            "Problem files, or names of the shipped domain's instances, each followed by its plan; with --planner, "
            "problems alone.",
        ),
    ],
    planner: Annotated[Planner | None, option("", "Find the plans with a planner.", "plans are given")] = None,
    min_support: Annotated[int, option("N", "The fewest occurrences; overlapping ones are counted once.", min=1)] = 2,
    max_length: Annotated[int, option("N", "The most steps of a macro.", min=2)] = 4,
    number: Annotated[int, option("N", "The most macros.", min=1)] = 4,
    max_parameters: Annotated[int, option("N", "The most parameters of a macro.", min=0)] = 6,
    chains: Annotated[
        Literal["both", "contiguous", "linked"],
        option("", "Adjacent steps, steps linked by producers and consumers, or both."),
    ] = "both",
    exact: Annotated[
        bool, switch("--exact", "Weakest preconditions, also for parameters that stand for the same object.")
    ] = False,
    plain: Annotated[
        bool, switch("--plain", "Only macros without disjunctions, quantifiers and conditional effects.")
    ] = False,
    time: TimeLimit = 1800,
    memory: AnyMemoryLimit = None,
    out: Annotated[
        Path | None, option("DIR", "Store the macros in this library.", "not stored", file_okay=False)
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Mine macros from plans: chains of steps that occur repeatedly, adjacent or linked by producers and consumers.

    The chain that saves the most steps comes first; its occurrences do not count for others. Exit code 1: no chain is
    frequent enough, or the planner found no plan.
    """
    from pddl2nl.macros.learn import Learned, LearningOptions, learn, load_examples, plan_examples
    from pddl2nl.macros.library import Library
    from pddl2nl.nl import choose_wording
    from pddl2nl.pddl import load_domain

    if planner is None and len(files) % 2:
        raise InputError(f"each problem needs its plan behind it, or --planner; found {plural(len(files), 'file')}")
    tree = load_domain(domain)
    problems = [problem_file(name, str(domain)) for name in (files[::2] if planner is None else files)]
    if planner is None:
        examples = load_examples(tree, problems, files[1::2])
    else:
        examples = plan_examples(tree, problems, planner, warn, time_limit=time, memory_limit_mb=memory)
    learned = Learned()
    if examples:
        options = LearningOptions(min_support, max_length, number, max_parameters, chains, not exact, plain)
        learned = learn(tree, examples, options, choose_wording(None, tree, domain))
    library = None if out is None else Library(out)
    paths = [] if library is None else [str(library.put(tree, each.stored).path) for each in learned.macros]
    if as_json:
        data = {"plans": len(examples), **learned.as_json()}
        for macro, path in zip(data["macros"], paths, strict=False):
            macro["file"] = path
        print_json(data)
    else:
        _print_learned(learned, len(examples), paths)
    raise typer.Exit(DONE if learned.macros else FAILED)


def _print_learned(learned: Learned, plans: int, paths: Sequence[str]) -> None:
    if learned.macros:
        rows = [
            (each.macro.name, " ".join(map(str, each.macro.steps)), each.support, each.plans, each.saved)
            for each in learned.macros
        ]
        title = f"{learned.steps} steps of {plural(plans, 'plan')}, {learned.chains} different chains"
        print_table(title, ("macro", "steps", "occurrences", "plans", "steps saved"), rows)
    elif plans:
        warn("no macro: no chain of steps occurs often enough (--min-support)")
    else:
        warn("no macro: there is no plan to learn from")
    for item in learned.refused:
        warn(f"no macro of {' '.join(item.steps)}, which occurs {item.support} times: {item.reason}")
    if paths:
        print_text("\n".join(paths))


# ── apply ────────────────────────────────────────────────────────────────────────────────────────


def _apply(
    domain: DomainFile,
    problem: ProblemFile,
    macros: Annotated[list[Path], argument("MACRO…", "Files of macros, or folders of them.")],
    planner: Annotated[Planner, option("", "The planner.")] = "ff",
    macro_cost: Annotated[
        Literal["one", "steps"] | None,
        option("", "Cost of a macro in a problem without action costs.", "steps for lmcut, else one"),
    ] = None,
    no_comparison: Annotated[bool, switch("--no-comparison", "Do not also plan without macros.")] = False,
    time: TimeLimit = 1800,
    memory: AnyMemoryLimit = None,
    out: Annotated[Path | None, option("FILE", "Also write the plan to a file.", "not written", dir_okay=False)] = None,
    as_json: JsonOption = False,
) -> None:
    """Let Fast Downward plan with macros as additional actions, and compare.

    The printed plan is expanded, and validated on the original problem. A macro costs the sum of its steps; without
    action costs it counts as one action, or as its steps. Exit code 1: no plan within the limits.
    """
    from pddl2nl.baselines import TaskFiles
    from pddl2nl.macros.library import load_macros
    from pddl2nl.macros.planning import apply_macros, result_text
    from pddl2nl.pddl import load_domain

    applied = apply_macros(
        TaskFiles(domain, problem),
        [stored.macro for stored in load_macros(macros, load_domain(domain), warn)],
        planner,
        cost=macro_cost,
        compare=not no_comparison,
        time_limit=time,
        memory_limit_mb=memory,
    )
    text = applied.as_text()
    print_result(applied.as_json(), text, as_json=as_json)
    if applied.plan is None:
        typer.echo(f"{planner} with macros: {applied.result.status}: {applied.result.message}", err=True)
        if applied.without is not None:
            typer.echo(f"{planner} {result_text(applied.without)}", err=True)
    elif out is not None:
        write_text_file(out, text)
    raise typer.Exit(exit_code(applied.result))

"""``pddl2nl macro prove``: whether claimed conditions of a macro-action are right for its actions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pddl2nl.cli.files import DomainFile, ProblemFile
from pddl2nl.cli.output import DONE, WANTING, print_json, print_text
from pddl2nl.cli.wording import JsonOption, NamesOption, NamesSeedOption, WordingOption, chosen_wording, named
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from pddl2nl.macros.macro import Conditions, Macro
    from pddl2nl.macros.proof import Counterexample, Proof, States
    from pddl2nl.pddl import Task
    from pddlval import GroundAction

__all__ = ["proof_json", "register"]

_STATES: dict[str, States] = {"changeable": "changeable", "all": "all"}
_PROVE = "Example: pddl2nl macro prove domain.pddl problem.pddl claimed.pddl --block block.plan --args 'a b'"


def register(group: typer.Typer) -> None:
    """Adds the command to the group of macros."""
    group.command("prove", epilog=_PROVE)(_prove)


def _prove(
    domain: DomainFile,
    problem: ProblemFile,
    macro: Annotated[
        Path,
        typer.Argument(metavar="MACROFILE", help="The macro as claimed: (:action NAME :parameters … :effect …)."),
    ],
    block: Annotated[
        Path | None,
        typer.Option(
            metavar="PLAN",
            help="The actions that it stands for, as a plan file.",
            show_default="the steps noted in MACROFILE, with --args",
        ),
    ] = None,
    args: Annotated[
        str | None,
        typer.Option(
            metavar="'OBJECT …'",
            help="The objects for the macro's parameters, in order.",
            show_default="found by laying the noted steps over the block",
        ),
    ] = None,
    states: Annotated[
        str,
        typer.Option(
            metavar="changeable|all",
            help="In which states: those in which what no action can change is as in the problem, or all.",
        ),
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
    from pddl2nl.macros.proof import prove
    from pddl2nl.macros.telling import told
    from pddl2nl.nl import Teller
    from pddl2nl.pddl import load_task

    which = _STATES.get(states)
    if which is None:
        raise InputError(f"--states {states}: there are {', '.join(_STATES)}")
    task = load_task(domain, problem)
    stored = load_macro_file(macro, with_objects(task)).macro
    actions, objects = _block(task, stored, block, args)
    proof = prove(task, actions, _claimed(stored, objects), states=which)
    chosen = chosen_wording(wording, task.domain, domain)
    feedback = told(proof, Teller(task, chosen, named(task, names, chosen, names_seed)))
    if as_json:
        print_json({**proof_json(proof), "block": [str(action) for action in actions], "told": feedback})
    else:
        print_text(_summary(proof, feedback))
    raise typer.Exit(DONE if proof.sound else WANTING)


def _block(
    task: Task, macro: Macro, block: Path | None, args: str | None
) -> tuple[tuple[GroundAction, ...], dict[str, str]]:
    """The actions of the macro, and the objects for its parameters.

    Raises:
        InputError: they are missing, or do not fit each other.
    """
    from pddlval import load_plan

    names = [item.name for item in macro.parameters]
    objects = None if args is None else args.replace(",", " ").strip("() ").lower().split()
    if objects is not None and len(objects) != len(names):
        raise InputError(
            f"--args: '{macro.name}' has {len(names)} parameters ({' '.join(names)}); found {len(objects)}"
        )
    if block is None:
        if not macro.steps or (objects is None and names):
            raise InputError("which actions does the macro stand for? --block PLAN, or steps in MACROFILE and --args")
        actions: tuple[GroundAction, ...] = macro.expand(objects or ())
    else:
        actions = load_plan(block).actions
    binding = dict(zip(names, objects, strict=True)) if objects is not None else _laid_over(macro, actions)
    for item in macro.parameters:
        name = binding.get(item.name)
        if name is None:
            raise InputError(f"no object is known for {item.name} of '{macro.name}': give all with --args")
        source = "--block" if objects is None else "--args"
        if not task.is_a(name, item.types):
            fit = task.objects_of(item.types)
            known = ", ".join(fit[:20]) + (", …" if len(fit) > 20 else "") if fit else "none"
            kind = " or ".join(item.types)
            raise InputError(f"{source}: '{name}' is no object of type {kind} ({item.name}); there are {known}")
    return actions, binding


def _laid_over(macro: Macro, actions: tuple[GroundAction, ...]) -> dict[str, str]:
    """The objects for the macro's parameters if its steps are these actions; otherwise empty.

    Raises:
        InputError: a parameter would stand for two objects.
    """
    if [step.action for step in macro.steps] != [action.name for action in actions]:
        return {}
    binding: dict[str, str] = {}
    for step, action in zip(macro.steps, actions, strict=True):
        for term, name in zip(step.args, action.args, strict=False):
            if binding.setdefault(term, name) != name:
                raise InputError(f"the block is not {macro.name}: {term} would be both {binding[term]} and {name}")
    return binding


def _claimed(macro: Macro, objects: dict[str, str]) -> Conditions:
    from pddl2nl.macros.macro import Conditions
    from pddl2nl.pddl import substitute

    exact = macro.conditions
    return Conditions(substitute(exact.precondition, objects), substitute(exact.effect, objects))


def proof_json(proof: Proof) -> dict[str, Any]:
    """A proof as JSON."""
    from pddl2nl.pddl import write_condition

    return {
        "sound": proof.sound,
        "states": proof.states,
        "runs": proof.runs,
        "holds": proof.holds,
        "complete_effect": proof.complete_effect,
        "precondition": proof.precondition,
        "vacuous": proof.vacuous,
        "static": [write_condition(fact) for fact in proof.static],
        "counterexamples": [_counterexample_json(item) for item in proof.counterexamples],
    }


def _counterexample_json(item: Counterexample) -> dict[str, Any]:
    from pddl2nl.pddl import write_condition
    from pddlval.numeric import plain_number

    return {
        "kind": item.kind,
        "state": [str(atom) for atom in sorted(item.state)],
        "values": {str(fluent): plain_number(value) for fluent, value in sorted(item.values.items())},
        "step": item.step,
        "unmet": [write_condition(part) for part in item.unmet],
    }


_MOST_FACTS = 8
"""The most static facts in a summary."""


def _summary(proof: Proof, feedback: str) -> str:
    from pddl2nl.pddl import write_condition

    lines = [
        "proved" if proof.sound else "not proved",
        f"  the actions can be carried out wherever the precondition holds: {proof.runs}",
        f"  the effect holds after them: {proof.holds}",
        f"  the effect says all that they change: {proof.complete_effect}",
        f"  the precondition, beside the weakest one: {proof.precondition}",
    ]
    facts = [write_condition(fact) for fact in proof.static]
    more = f", and {len(facts) - _MOST_FACTS} more" if len(facts) > _MOST_FACTS else ""
    where = "all states" if not facts else f"states with the static facts {', '.join(facts[:_MOST_FACTS])}{more}"
    lines.append(f"  scope: {where}")
    if proof.vacuous:
        lines.append("  the precondition holds in no state at all, so that nothing is said of any")
    return "\n".join([*lines, *(["", feedback] if feedback else [])])

"""A claimed macro-action for a block of actions: which objects stand for its parameters, and what it claims of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pddl2nl.errors import InputError
from pddl2nl.macros.macro import Conditions, Macro
from pddl2nl.pddl import Task, substitute
from pddlval import GroundAction

Block = tuple[GroundAction, ...]


def ground_claim(
    task: Task, macro: Macro, block: Block | None = None, objects: Sequence[str] | None = None
) -> tuple[Block, Conditions]:
    """The actions that a macro stands for, and its conditions for the objects of its parameters.

    Args:
        task: the task.
        macro: the macro as claimed.
        block: the actions; by default the macro's steps.
        objects: for the macro's parameters, in order; by default found by comparing its steps with the block.

    Raises:
        InputError: actions or objects are missing, of a wrong type, or contradict each other.
    """
    names = [item.name for item in macro.parameters]
    if objects is not None and len(objects) != len(names):
        raise InputError(
            f"--args: '{macro.name}' has {len(names)} parameters ({' '.join(names)}); found {len(objects)}"
        )
    if block is None:
        if not macro.steps or (objects is None and names):
            raise InputError("which actions does the macro stand for? --block PLAN, or steps in MACROFILE and --args")
        block = macro.expand(objects or ())
    binding = _matched(macro, block) if objects is None else dict(zip(names, objects, strict=True))
    _check(task, macro, binding, "--block" if objects is None else "--args")
    exact = macro.conditions
    return block, Conditions(substitute(exact.precondition, binding), substitute(exact.effect, binding))


def _check(task: Task, macro: Macro, binding: Mapping[str, str], source: str) -> None:
    for item in macro.parameters:
        name = binding.get(item.name)
        if name is None:
            raise InputError(f"no object is known for {item.name} of '{macro.name}': give all with --args")
        if not task.is_a(name, item.types):
            fit = task.objects_of(item.types)
            known = ", ".join(fit[:20]) + (", …" if len(fit) > 20 else "") if fit else "none"
            kind = " or ".join(item.types)
            raise InputError(f"{source}: '{name}' is no object of type {kind} ({item.name}); there are {known}")


def _matched(macro: Macro, block: Block) -> dict[str, str]:
    """The objects for the macro's parameters if its steps are these actions; otherwise empty."""
    if [step.action for step in macro.steps] != [action.name for action in block]:
        return {}
    binding: dict[str, str] = {}
    for step, action in zip(macro.steps, block, strict=True):
        for term, name in zip(step.args, action.args, strict=False):
            if binding.setdefault(term, name) != name:
                raise InputError(f"the block is not {macro.name}: {term} would be both {binding[term]} and {name}")
    return binding

"""Ground actions: an action's name applied to objects, and what can be wrong with one."""

from __future__ import annotations

import re
from typing import NamedTuple

from pddl2nl.errors import near_name
from pddl2nl.pddl import ActionSchema, InputError, Task

__all__ = ["BadActionError", "GroundAction", "why_bad"]

_ACTION = re.compile(r"\s*(?:\(\s*([^\s()]+(?:\s+[^\s()]+)*)\s*\)|([^\s()]+(?:\s+[^\s()]+)*))\s*\Z")


class GroundAction(NamedTuple):
    """An action applied to objects, ``GroundAction("stack", ("a", "b"))``; its text is ``(stack a b)``."""

    name: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"({' '.join((self.name, *self.args))})"

    @classmethod
    def parse(cls, text: str) -> GroundAction:
        """Reads ``(stack a b)``, upper or lower case, the parentheses optional.

        Raises:
            InputError: the text is not one action.
        """
        match = _ACTION.match(text)
        if match is None:
            raise InputError(f"not an action: {text!r}; expected '(name argument …)'")
        name, *args = (match[1] or match[2]).lower().split()
        return cls(name, tuple(args))


class BadActionError(InputError):
    """A ground action that its task cannot have: unknown name or object, wrong arity, wrong type.

    ``action`` is the action, ``reason`` says what is wrong, ``suggestion`` is the nearest right name or empty.
    """

    def __init__(self, action: GroundAction, reason: str, suggestion: str = ""):
        self.action = action
        self.reason = reason
        self.suggestion = suggestion
        hint = f"; did you mean '{suggestion}'?" if suggestion else ""
        super().__init__(f"{action}: {reason}{hint}")


def why_bad(task: Task, schema: ActionSchema | None, action: GroundAction) -> BadActionError | None:
    """What is wrong with an action of that schema, whatever the state; None where nothing is."""
    if schema is None:
        names = [known.name for known in task.domain.actions]
        return BadActionError(action, f"the domain has no action '{action.name}'", near_name(action.name, names))
    expected = len(schema.parameters)
    if len(action.args) != expected:
        arguments = "1 argument" if expected == 1 else f"{expected} arguments"
        return BadActionError(action, f"'{action.name}' takes {arguments}, found {len(action.args)}")
    for number, (parameter, name) in enumerate(zip(schema.parameters, action.args, strict=True), start=1):
        item = task.objects.get(name)
        if item is None:
            hint = near_name(name, task.objects_of(parameter.types))
            return BadActionError(action, f"argument {number}, '{name}', is no object of the task", hint)
        if not task.is_a(name, parameter.types):
            wanted, found = " or ".join(parameter.types), " or ".join(item.types)
            reason = f"argument {number}, '{name}', is of type {found}, expected {wanted} ({parameter.name})"
            return BadActionError(action, reason)
    return None

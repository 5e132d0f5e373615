"""What a macro-action is: a sequence of action schemas with shared parameters, and the one action that it makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pddl2nl.errors import UnsupportedError
from pddl2nl.pddl import ActionSchema, Condition, Effect, TypedName
from pddlval import GroundAction

__all__ = ["CannotComposeError", "Conditions", "Macro", "MacroStep"]


class CannotComposeError(UnsupportedError):
    """A sequence that is no one action of PDDL; ``reason`` is a short kind of it for counting, the message says all."""

    def __init__(self, message: str, reason: str):
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class MacroStep:
    """One action of a macro: the name of a schema, and for each parameter a term of the macro.

    A term is a parameter of the macro (``?x``), a constant of the domain, or (of a ground block) an object.
    """

    action: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"({' '.join((self.action, *self.args))})"


@dataclass(frozen=True)
class Conditions:
    """A precondition and an effect: of a macro-action exactly, or as somebody claims it of one."""

    precondition: Condition
    effect: Effect


@dataclass(frozen=True)
class Macro:
    """A macro-action with its exact conditions.

    Attributes:
        name: a PDDL name.
        parameters: what its steps share, typed; empty for a ground block.
        steps: the actions, in order.
        conditions: the weakest precondition of the whole sequence, and its net effect.
    """

    name: str
    parameters: tuple[TypedName, ...]
    steps: tuple[MacroStep, ...]
    conditions: Conditions

    @property
    def schema(self) -> ActionSchema:
        """The macro as one action of PDDL."""
        return ActionSchema(self.name, self.parameters, self.conditions.precondition, self.conditions.effect)

    def expand(self, args: Sequence[str] = ()) -> tuple[GroundAction, ...]:
        """The ground actions that the macro stands for with these objects for its parameters."""
        binding = dict(zip((parameter.name for parameter in self.parameters), args, strict=True))
        return tuple(
            GroundAction(step.action, tuple(binding.get(term, term) for term in step.args)) for step in self.steps
        )

"""Macro-actions: a sequence of action schemas with shared parameters, and the one action it is equivalent to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pddl2nl.errors import UnsupportedError
from pddl2nl.pddl import ActionSchema, Condition, Effect, TypedName
from pddlval import GroundAction


class CannotComposeError(UnsupportedError):
    """A sequence that no action of PDDL is equivalent to; ``reason`` is a short category, the message explains."""

    def __init__(self, message: str, reason: str):
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class MacroStep:
    """One action of a macro: the name of a schema, and a term for each parameter.

    A term is a parameter of the macro (``?x``), a constant of the domain, or, in a ground block, an object.
    """

    action: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"({' '.join((self.action, *self.args))})"


@dataclass(frozen=True)
class Conditions:
    """A precondition and an effect: the exact ones of a macro-action, or claimed ones."""

    precondition: Condition
    effect: Effect


@dataclass(frozen=True)
class Macro:
    """A macro-action with its exact conditions.

    Attributes:
        name: a PDDL name.
        parameters: the typed parameters of its steps; empty for a ground block.
        steps: the actions, in order.
        conditions: the weakest precondition of the sequence, and its net effect.
    """

    name: str
    parameters: tuple[TypedName, ...]
    steps: tuple[MacroStep, ...]
    conditions: Conditions

    @property
    def schema(self) -> ActionSchema:
        return ActionSchema(self.name, self.parameters, self.conditions.precondition, self.conditions.effect)

    def expand(self, args: Sequence[str] = ()) -> tuple[GroundAction, ...]:
        """The ground actions of the macro with these objects for its parameters."""
        binding = dict(zip((parameter.name for parameter in self.parameters), args, strict=True))
        return tuple(
            GroundAction(step.action, tuple(binding.get(term, term) for term in step.args)) for step in self.steps
        )

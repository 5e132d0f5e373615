"""What is known of objects and classes, and what was done, as the knowledge graph answers it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pddl2nl.pddl import GroundAtom
from pddlval import GroundAction

__all__ = ["ClassFacts", "Done", "LearnedMacro", "ObjectFacts"]


@dataclass(frozen=True)
class ClassFacts:
    """What is known of a class: what is above it, and what can be done with its instances.

    ``objects`` are the available objects whose own class it is, in PDDL's names. ``affordances`` and ``properties``
    are said as the prompts say them, ``pickupable``.
    """

    name: str
    superclasses: tuple[str, ...]
    affordances: tuple[str, ...]
    properties: tuple[str, ...]
    objects: tuple[str, ...]


@dataclass(frozen=True)
class ObjectFacts:
    """What is known of an object.

    Attributes:
        name: the object, by its PDDL name.
        kind: what its class is called.
        superclasses: what the classes above it are called, the nearest first.
        affordances: what can be done with it.
        properties: what it is like at all times, by the ontology or by predicates that no action changes.
        facts: the true atoms whose first argument it is, by the domain's order of predicates; in the present state.
        mentions: those that have it elsewhere.
        values: the values of the fluents whose first argument it is.
    """

    name: str
    kind: str
    superclasses: tuple[str, ...]
    affordances: tuple[str, ...]
    properties: tuple[str, ...]
    facts: tuple[GroundAtom, ...]
    mentions: tuple[GroundAtom, ...]
    values: tuple[tuple[GroundAtom, Fraction], ...]

    @property
    def states(self) -> tuple[GroundAtom, ...]:
        """The facts that are about it alone."""
        return tuple(atom for atom in self.facts if len(atom) == 2)

    @property
    def relations(self) -> tuple[GroundAtom, ...]:
        """The facts that are about other objects as well."""
        return tuple(atom for atom in self.facts if len(atom) > 2)


@dataclass(frozen=True)
class Done:
    """An event: an action that was carried out, or was thought to be.

    ``step`` is what the caller counted, ``outcome`` what came of it in the caller's words, ``macro`` the macro-action
    that it was part of and ``attempt`` the macro plan (0 for none).
    """

    step: int
    action: GroundAction
    outcome: str
    attempt: int = 0
    macro: int = 0


@dataclass(frozen=True)
class LearnedMacro:
    """A macro-action of an earlier task, as the ontology keeps it.

    ``description`` says in words what it does; ``steps`` are PDDL with parameters ``?x1``, ``?x2``, … for objects, and
    ``kinds`` what the classes of these are called.
    """

    description: str
    steps: tuple[str, ...]
    kinds: tuple[str, ...]
